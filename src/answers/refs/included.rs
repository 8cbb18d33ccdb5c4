//! Texts outside the given folders that others include by relative paths.

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};

use super::asker::Asker;
use super::collect::{Other, collect};
use super::configs::Ask;
use super::given::GivenPaths;
use super::index::Index;
use super::keys::{Key, folder_key, key, key_in_folder, path_key};
use super::prefix::{folded, text};
use crate::base::error::Result;
use crate::formats::rap::text::Way;
use crate::scan::Scan;

/// The most texts that are read in addition to those that were given.
const MOST_INCLUDED: usize = 1_000;
/// The most paths and entries of folders that are looked at for them.
const MOST_LOOKED_AT: usize = 200_000;
/// Systems of the games open no longer paths.
const LONGEST_NAME: usize = 260;

/// Reads the texts that texts in folders include by relative paths, and those that these include. Texts below a given path
/// or below `known` were read before.
pub(super) fn add_included(
    scan: &Scan,
    index: &mut Index,
    given: &GivenPaths,
    known: &[PathBuf],
    copies: bool,
    other: &mut Other<'_>,
) -> Result<()> {
    let mut included = Included { given, known, left: MOST_LOOKED_AT, found: HashSet::new(), next: Vec::new() };
    let mut first = 0;
    loop {
        let end = index.askers.len();
        for number in first..end {
            included.add_from(number, scan, index)?;
        }
        first = end;
        let next = std::mem::take(&mut included.next);
        if next.is_empty() {
            return Ok(());
        }
        for path in &next {
            // The names next to a given file are known.
            if !scan.paths.iter().any(|given| given.parent() == path.parent()) {
                index.add_path(path.clone())?;
            }
        }
        let mut around = scan.clone();
        around.paths = next;
        around.archives = false;
        index.is_around = true;
        let added = collect(&around, index, copies, other, None);
        index.is_around = false;
        added?;
    }
}

/// The texts that others include.
struct Included<'g> {
    given: &'g GivenPaths,
    known: &'g [PathBuf],
    /// How many paths and entries may still be looked at.
    left: usize,
    /// Those that were not read before.
    found: HashSet<Key>,
    /// Those of them that are read next.
    next: Vec<PathBuf>,
}

impl Included<'_> {
    /// Takes the texts that one text includes as the next to read, and notes in the index which they are.
    fn add_from(&mut self, asker: usize, scan: &Scan, index: &mut Index) -> Result<()> {
        let Some(asker) = index.askers.get(asker) else { return Ok(()) };
        if !is_in_folder(asker, scan) {
            return Ok(());
        }
        let from = asker.path.clone();
        let mut is_cut = false;
        let mut places: Vec<(Key, Key)> = Vec::new();
        for ask in &asker.asks {
            let Some(name) = relative_include(ask) else { continue };
            let Some(path) = self.text_at(&from, name, index) else {
                // It is not there, or the limit ended the search.
                is_cut |= self.left == 0;
                continue;
            };
            let file = path_key(&index.hash, &path);
            if self.given.is_new(&path) && !self.found.contains(&file) {
                if self.found.len() >= MOST_INCLUDED {
                    is_cut = true;
                    continue;
                }
                self.found.insert(file);
                self.next.push(path.clone());
            }
            if let Some(place) = index.place_key(&path) {
                places.push((index.include_key(asker, name), place));
            }
        }
        index.included.extend(places);
        if is_cut {
            index.add_unread(from, None, "includes too many texts in other folders".to_owned())?;
        }
        Ok(())
    }

    /// The file that a text includes, unless it is found by its path in the game.
    fn text_at(&mut self, from: &Path, name: &str, index: &Index) -> Option<PathBuf> {
        let path = path_of(from, name)?;
        if self.known.iter().any(|folder| path.starts_with(folder)) {
            return None;
        }
        if self.given.is_new(&path) {
            return self.on_disk(path);
        }
        // A text that the user named may be in any folder. Others are below a folder that the user named.
        if index.named.contains(&path_key(&index.hash, Path::new(&text(&path)))) { Some(path) } else { None }
    }

    /// Returns the path of an existing file. The game ignores case, so folders are searched if there is no such name.
    fn on_disk(&mut self, path: PathBuf) -> Option<PathBuf> {
        self.left = self.left.checked_sub(1)?;
        if path.is_file() {
            return Some(if cfg!(windows) { with_own_name(path) } else { path });
        }
        let mut found = PathBuf::new();
        for part in path.components() {
            self.left = self.left.checked_sub(1)?;
            let next = found.join(part);
            found = if next.exists() { next } else { self.in_any_case(&found, &next)? };
        }
        if found.is_file() { Some(found) } else { None }
    }

    /// Returns the entry of a folder that has the name of this path in another case.
    fn in_any_case(&mut self, folder: &Path, path: &Path) -> Option<PathBuf> {
        let name = path.file_name()?;
        let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        for entry in here.read_dir().ok()? {
            self.left = self.left.checked_sub(1)?;
            let entry = entry.ok()?.file_name();
            if entry.eq_ignore_ascii_case(name) {
                return Some(folder.join(entry));
            }
        }
        None
    }
}

/// The path with the name that its file has. Windows opens a file by its name in any case.
fn with_own_name(path: PathBuf) -> PathBuf {
    let Ok(whole) = path.canonicalize() else { return path };
    let (Some(own), Some(written)) = (whole.file_name(), path.file_name()) else { return path };
    // A link leads to a file of another name.
    if own.eq_ignore_ascii_case(written) { path.with_file_name(own) } else { path }
}

/// Returns true for a text that is a file of the file system.
fn is_in_folder(asker: &Asker, scan: &Scan) -> bool {
    #[cfg(feature = "stores")]
    if let Some(stores) = &scan.stores
        && stores.has(&asker.path)
    {
        return false;
    }
    #[cfg(not(feature = "stores"))]
    let _ = scan;
    asker.member.is_none() && asker.path.as_os_str() != "-"
}

/// The name in a reference if it is that of an include by a relative path.
fn relative_include(ask: &Ask) -> Option<&str> {
    let name = ask.reference.name.text.as_str();
    let is_absolute = name.starts_with(['\\', '/']);
    if *ask.way() != Way::Include || is_absolute || name.len() > LONGEST_NAME {
        return None;
    }
    Some(name)
}

/// The path of an included text, in the spelling of the text that includes it.
fn path_of(from: &Path, name: &str) -> Option<PathBuf> {
    let mut path = from.parent()?.to_owned();
    for part in name.split(['\\', '/']) {
        match part {
            "" | "." => {}
            ".." if matches!(path.components().next_back(), Some(Component::Normal(_))) => {
                path.pop();
            }
            part => path.push(part),
        }
    }
    Some(path)
}

impl Index {
    /// The place of a loose file.
    pub(super) fn place_key(&self, path: &Path) -> Option<Key> {
        let folder = path.parent()?;
        let name = Path::new(path.file_name()?);
        let folder = folder_key(&self.hash, path_key(&self.hash, folder), "");
        Some(key_in_folder(&self.hash, folder, &folded(&text(name))))
    }

    /// The key of an include of a text.
    pub(super) fn include_key(&self, asker: &Asker, name: &str) -> Key {
        key(&self.hash, &format!("{}\n{}", text(&asker.path), folded(name)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::text::Name;
    use crate::summary::{Reference, ReferenceKind};

    #[test]
    fn includes_by_relative_paths_of_up_to_260_bytes_are_looked_for() {
        let ways = [
            Way::Include,
            Way::Path,
            Way::Unresolved,
            Way::Built { addon: None, is_below: true, path: b"a.hpp".to_vec() },
        ];
        for way in ways {
            for (start, is_relative) in [("", true), (".", true), ("..\\", true), ("\\", false), ("/", false)] {
                for length in [3, 4, 100, 259, 260, 261, 1000] {
                    let name = format!("{start}{}", "a".repeat(length - start.len()));
                    let name = Name { text: name, lossy: false };
                    let reference = Reference { kind: ReferenceKind::Include, name: name.clone() };
                    let ask = Ask::in_text(reference, None, way.clone(), None);
                    let is_looked_for = way == Way::Include && is_relative && length <= 260;
                    let expected = if is_looked_for { Some(name.text.as_str()) } else { None };
                    assert_eq!(relative_include(&ask), expected, "{way:?} {start:?} {length}");
                }
            }
        }
    }

    #[test]
    fn a_relative_path_leads_from_the_folder_of_the_text() {
        for (from, name, expected) in [
            ("a/b/c.cpp", "d.hpp", "a/b/d.hpp"),
            ("a/b/c.cpp", r".\d.hpp", "a/b/d.hpp"),
            ("a/b/c.cpp", r"x\y/d.hpp", "a/b/x/y/d.hpp"),
            ("a/b/c.cpp", r"..\d.hpp", "a/d.hpp"),
            ("a/b/c.cpp", "../../d.hpp", "d.hpp"),
            ("a/b/c.cpp", "../../../d.hpp", "../d.hpp"),
            ("a/b/c.cpp", "../../../../d.hpp", "../../d.hpp"),
            ("a/b/c.cpp", "x/../d.hpp", "a/b/d.hpp"),
            ("a/b/c.cpp", "x//.//d.hpp", "a/b/x/d.hpp"),
            ("c.cpp", "d.hpp", "d.hpp"),
            ("c.cpp", "../d.hpp", "../d.hpp"),
            ("../c.cpp", "../d.hpp", "../../d.hpp"),
            ("../a/c.cpp", "../d.hpp", "../d.hpp"),
            ("a/c.cpp", "D.HPP", "a/D.HPP"),
        ] {
            assert_eq!(path_of(Path::new(from), name), Some(expected.into()), "{from} {name}");
        }
        assert_eq!(path_of(Path::new("/"), "d.hpp"), None);
    }

    // Other disks may ignore case.
    #[cfg(target_os = "linux")]
    #[test]
    fn an_included_text_is_found_in_any_case_within_the_limit_unless_it_was_read_before() {
        let folder = std::env::temp_dir().join(format!("meshpeek-included-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("Sub/Folder.hpp")).unwrap();
        let folder = folder.canonicalize().unwrap();
        std::fs::write(folder.join("Sub/A.hpp"), b"").unwrap();
        let from = folder.join("config.cpp");
        let scan = Scan::new([&from]);
        let index = Index::new(&scan, &[]);
        let given = GivenPaths::of(&scan, &index.hash);
        for known in [vec![], vec![folder.join("Sub")], vec![folder.join("Su")]] {
            for left in [0, 1, 50, 200_000] {
                for (name, found) in [
                    ("Sub/A.hpp", Some("Sub/A.hpp")),
                    (r".\Sub\A.hpp", Some("Sub/A.hpp")),
                    (r"sub\a.HPP", Some("Sub/A.hpp").filter(|_| left > 1)),
                    ("Sub/B.hpp", None),
                    ("Sub/Folder.hpp", None),
                    ("Sub/A.hpp/x", None),
                    // A text that the user named was read.
                    ("config.cpp", Some("config.cpp")),
                ] {
                    let (given, known) = (&given, &known[..]);
                    let mut included = Included { given, known, left, found: HashSet::new(), next: Vec::new() };
                    let is_known = known.len() == 1 && known[0].ends_with("Sub") && !name.starts_with(r"sub\");
                    let is_in_reach = left > 0 || name == "config.cpp";
                    let expected = found.filter(|_| is_in_reach && (!is_known || name == "config.cpp"));
                    let path = included.text_at(&from, name, &index);
                    assert_eq!(path, expected.map(|path| folder.join(path)), "{name} {left} {known:?}");
                    assert!(included.left <= left);
                }
            }
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
