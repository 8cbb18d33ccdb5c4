//! Finds the files below a URL.

use std::path::{Path, PathBuf};

use super::store::{Listed, Stores};
use crate::asset::address::Address;
use crate::base::error::Result;
use crate::base::format::Format;
use crate::scan::globs::Globs;
use crate::scan::selection::Selection;
use crate::scan::target::{Target, Targets, Use, is_archive};

impl Selection {
    /// Returns the file of this address, or all files below it.
    pub(in crate::scan) fn walk_store<'w>(
        &'w self,
        root: PathBuf,
        archives: bool,
        stores: &'w dyn Stores,
    ) -> Result<Targets<'w>> {
        if Address::parse(&root).member.is_some() {
            let target = Target { path: root, named: true, use_as: Use::Whole, unit: None };
            return Ok(Box::new(std::iter::once(Ok(target))));
        }
        let (globs, exclusions) = (Globs::new(&root, &self.globs)?, Globs::exclusions(&root, &self.globs)?);
        let listed = stores.list(&root).map_err(|error| error.in_file(&root))?;
        Ok(Box::new(listed.filter_map(move |listed| {
            let Listed { path, named } = match listed {
                Ok(listed) => listed,
                Err(error) => return Some(Err(error.in_file(&root))),
            };
            let below = parts_below(&root, &path);
            let is_hidden = below.iter().any(|part| part.starts_with(b"."));
            let use_as = match named {
                true => Use::Whole,
                false if !self.hidden && is_hidden => return None,
                false if self.folder_depth.is_some_and(|most| below.len() > most) => return None,
                false if globs.take(&path) => Use::Whole,
                false if archives && is_archive(Format::from_extension(&path)) && exclusions.take(&path) => Use::Inside,
                false => return None,
            };
            Some(Ok(Target { path, named, use_as, unit: None }))
        })))
    }
}

/// The parts of the address of a file below that of a folder. On every system a slash ends a part, and a backslash is a
/// letter of it.
fn parts_below<'p>(folder: &Path, file: &'p Path) -> Vec<&'p [u8]> {
    let file = file.as_os_str().as_encoded_bytes();
    let below = file.strip_prefix(folder.as_os_str().as_encoded_bytes()).unwrap_or(file);
    below.split(|byte| *byte == b'/').filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::store::Stored;
    use super::*;
    use crate::base::error::Error;

    const FOLDER: &str = "s:/b/f";
    const FILES: [&str; 9] =
        ["a.p3d", "A.P3D", ".a.p3d", "d/a.p3d", "d/.h/a.p3d", "d/e/b.pbo", "d/e/f/n.txt", "c.pbo", ".d/c.pbo"];

    /// A store that lists these files, and an error after the first.
    #[derive(Debug)]
    struct Shelf {
        named: bool,
    }

    impl Stores for Shelf {
        fn has(&self, _: &Path) -> bool {
            true
        }

        fn list<'s>(&'s self, path: &Path) -> Result<Box<dyn Iterator<Item = Result<Listed>> + Send + 's>> {
            if path != Path::new(FOLDER) {
                return Err(Error::malformed("no such folder"));
            }
            let file = |name: &str| Listed { path: format!("{FOLDER}/{name}").into(), named: self.named };
            let error = std::iter::once(Err(Error::malformed("a page is missing")));
            let files = FILES[1..].iter().map(move |name| Ok(file(name)));
            Ok(Box::new(std::iter::once(Ok(file(FILES[0]))).chain(error).chain(files)))
        }

        fn open(&self, _: &Path) -> Result<Box<dyn Stored + '_>> {
            Err(Error::malformed("not opened"))
        }
    }

    /// How a file is used, by the rule.
    fn expected(name: &str, selection: &Selection, archives: bool) -> Option<Use> {
        let parts: Vec<&str> = name.split('/').collect();
        let is_hidden = !selection.hidden && parts.iter().any(|part| part.starts_with('.'));
        if is_hidden || selection.folder_depth.is_some_and(|most| parts.len() > most) {
            return None;
        }
        let lower = name.to_lowercase();
        let (mut is_taken, mut is_excluded) = (selection.globs.iter().all(|glob| glob.starts_with('!')), false);
        for glob in &selection.globs {
            let ending = glob.trim_start_matches(['!', '*']);
            if lower.ends_with(ending) {
                is_taken = !glob.starts_with('!');
                is_excluded |= !is_taken;
            }
        }
        let may_hold = archives && lower.ends_with(".pbo") && !is_excluded;
        if is_taken { Some(Use::Whole) } else { Some(Use::Inside).filter(|_| may_hold) }
    }

    #[test]
    fn files_of_a_store_are_selected_as_those_of_a_folder() {
        let globs: [&[&str]; 6] =
            [&[], &["*.p3d"], &["!*.p3d"], &["!*.pbo"], &["*.txt", "!*.pbo"], &["*.p3d", "!*a.p3d"]];
        for globs in globs {
            for hidden in [false, true] {
                for folder_depth in [None, Some(0), Some(1), Some(2), Some(4)] {
                    for archives in [false, true] {
                        let globs = globs.iter().map(|glob| (*glob).to_owned()).collect();
                        let selection = Selection { hidden, folder_depth, globs, ..Selection::default() };
                        for named in [false, true] {
                            let shelf = Shelf { named };
                            let targets = selection.walk_store(FOLDER.into(), archives, &shelf).unwrap();
                            let (mut found, mut errors) = (Vec::new(), 0);
                            for target in targets {
                                match target {
                                    Ok(target) => {
                                        assert_eq!(target.named, named);
                                        found.push((target.path, target.use_as == Use::Whole));
                                    }
                                    Err(error) => {
                                        assert_eq!(error.path(), Some(Path::new(FOLDER)));
                                        errors += 1;
                                    }
                                }
                            }
                            let of = |name: &&str| {
                                let use_as =
                                    if named { Some(Use::Whole) } else { expected(name, &selection, archives) };
                                Some((PathBuf::from(format!("{FOLDER}/{name}")), use_as? == Use::Whole))
                            };
                            let wanted: Vec<_> = FILES.iter().filter_map(of).collect();
                            assert_eq!((found, errors), (wanted, 1), "{selection:?} {archives} {named}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_member_in_a_store_is_named_without_a_list_and_a_folder_that_is_not_there_is_an_error() {
        let (selection, shelf) = (Selection::default(), Shelf { named: false });
        for path in ["s:/q/a.pbo!/x.p3d", "s:/q/a.zip!/b.pbo!/x"] {
            let targets = selection.walk_store(path.into(), true, &shelf).unwrap();
            let targets: Vec<Target> = targets.map(Result::unwrap).collect();
            assert!(targets[0].named && targets[0].use_as == Use::Whole && targets.len() == 1);
            assert_eq!(targets[0].path, Path::new(path));
        }
        let Err(error) = selection.walk_store("s:/q".into(), true, &shelf) else { panic!("a folder") };
        assert_eq!(error.path(), Some(Path::new("s:/q")));
    }

    #[test]
    fn the_parts_below_a_folder_are_those_of_its_address() {
        for (file, parts) in [
            ("s:/b/f/a", &["a"][..]),
            ("s:/b/f/a/b", &["a", "b"]),
            ("s:/b/f//a//b", &["a", "b"]),
            (r"s:/b/f/a\b", &[r"a\b"]),
            ("s:/b/f", &[]),
            ("s:/q/a", &["s:", "q", "a"]),
        ] {
            for folder in [FOLDER, "s:/b/f/"] {
                let parts: Vec<&[u8]> = parts.iter().map(|part| part.as_bytes()).collect();
                if file != FOLDER || folder == FOLDER {
                    assert_eq!(parts_below(Path::new(folder), Path::new(file)), parts, "{file}");
                }
            }
        }
    }
}
