//! Files that no reference means.

use std::collections::HashSet;
use std::path::Path;

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::index::Index;
use super::keys::Key;
use crate::asset::address::MemberPath;
use crate::base::text::Name;
use crate::scan::config_names::extension_in;

/// A texture, material, model, animation or sound that no reference means.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Unused<'l> {
    /// The file, or the one around the member.
    pub path: &'l Path,
    /// The path inside the archive, if it is in one.
    pub member: Option<Name>,
    /// The size; `None` if it is not known.
    pub bytes: Option<u64>,
}

impl Serialize for Unused<'_> {
    /// Writes `{path, member, bytes}`.
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("path", &Name::from(self.path).text)?;
        map.serialize_entry("member", &self.member.as_ref().map(|member| &member.text))?;
        map.serialize_entry("bytes", &self.bytes)?;
        map.end()
    }
}

/// Extensions of files that others name. Nothing names the models of other games.
const KINDS: [&str; 13] =
    ["paa", "pac", "tga", "png", "jpg", "jpeg", "rvmat", "p3d", "rtm", "wss", "wav", "ogg", "ogv"];

impl Index {
    /// The files that no reference means, each once.
    pub(super) fn unused(&mut self) -> Vec<usize> {
        let used = self.used.take().unwrap_or_default();
        let mut unused: Vec<usize> = Vec::new();
        let mut seen: HashSet<Key> = HashSet::new();
        let mut seen_used: HashSet<Key> = HashSet::new();
        for (file, is_used) in used.into_iter().enumerate().take(self.first_around) {
            if !extension_in(Path::new(self.name_of(file)), &KINDS) {
                continue;
            }
            let Some(identity) = self.identity(file) else { continue };
            if is_used {
                seen_used.insert(identity);
            } else if seen.insert(identity) {
                unused.push(file);
            }
        }
        // A file that is given by two paths may be meant by one of them.
        unused.retain(|&file| self.identity(file).is_some_and(|identity| !seen_used.contains(&identity)));
        unused.sort_by(|&a, &b| self.order(a, b));
        unused
    }

    /// Describes a file that no reference means, if there is enough left for giving its address.
    pub(super) fn unused_at(&self, number: usize) -> Option<Unused<'_>> {
        let file = self.files.get(number)?;
        let path = self.path_of(number)?;
        let Some(archive) = self.archive_of(file) else {
            if !self.cost.name(file.text.len()) {
                return None;
            }
            let mut unused = Unused { path, member: None, bytes: None };
            if self.given_prefix_files.is_none()
                && let Ok(metadata) = path.metadata()
            {
                unused.bytes = Some(metadata.len());
            }
            return Some(unused);
        };
        if !self.cost.name(archive.address.text.len().saturating_add(file.text.len())) {
            return None;
        }
        let name = Name { text: self.text_of(file).to_owned(), lossy: file.lossy };
        Some(Unused { path, member: Some(MemberPath::join(archive.member.as_ref(), name)), bytes: Some(file.bytes) })
    }
}

#[cfg(test)]
mod tests {
    use super::super::prefix::Given;
    use super::super::seen::Listing;
    use super::*;
    use crate::scan::Scan;

    /// Endings of files that others name, and of files that nothing has to name.
    const NAMED: &str = "paa pac tga png jpg jpeg rvmat p3d rtm wss wav ogg ogv";
    const OTHERS: &str = "b3d bmx lod cpp bin sqf pbo txt bisurf paax xpaa a";

    #[test]
    fn files_of_the_kinds_that_others_name_are_unused_if_nothing_means_them() {
        let endings =
            NAMED.split(' ').map(|ending| (ending, true)).chain(OTHERS.split(' ').map(|ending| (ending, false)));
        let mut index = Index::new(&Scan::new(["none"]), &[]);
        index.given_prefix_files = Some(Given::new());
        index.add_archive(Path::new("z.zip").into(), None, Listing::default()).unwrap();
        let mut used = Vec::new();
        let mut expected = Vec::new();
        for (ending, is_kind) in endings {
            for ending in [ending.to_owned(), ending.to_uppercase()] {
                for archive in [None, Some(0)] {
                    for is_used in [false, true] {
                        let name = format!("{is_used}.x.{ending}");
                        let file = index.add_file(archive, &name, false);
                        used.push(is_used);
                        if is_kind && !is_used {
                            expected.push(file);
                        }
                    }
                }
            }
        }
        // A name without an ending, and one that is an ending.
        for name in ["paa", ".paa"] {
            index.add_file(None, name, false);
            used.push(false);
        }
        index.sort();
        let all = used.len();
        for first_around in [all, all / 2, 0] {
            index.first_around = first_around;
            index.used = Some(used.clone());
            let mut unused = index.unused();
            unused.sort_unstable();
            // Files around the given ones are not listed.
            let expected: Vec<usize> = expected.iter().copied().filter(|file| *file < first_around).collect();
            assert_eq!(unused, expected);
        }
    }

    #[test]
    fn an_unused_file_has_its_address_and_its_size_where_that_is_known() {
        let file = std::env::temp_dir().join(format!("meshpeek-unused-{}.paa", std::process::id()));
        std::fs::write(&file, b"12345").unwrap();
        let on_disk = file.to_str().unwrap();
        for is_given in [false, true] {
            let mut index = Index::new(&Scan::new(["none"]), &[]);
            index.allow_cost();
            index.given_prefix_files = is_given.then(Given::new);
            for member in [None, Some("in.pbo")] {
                let member = member.map(|text: &str| Name { text: text.to_owned(), lossy: false });
                index.add_archive(Path::new("z.zip").into(), member, Listing::default()).unwrap();
            }
            for (archive, name, path, member, bytes) in [
                (None, on_disk, on_disk, None, Some(5).filter(|_| !is_given)),
                (None, "none.paa", "none.paa", None, None),
                (Some(0), r"d\x.paa", "z.zip", Some(r"d\x.paa"), Some(9)),
                (Some(1), r"d\x.paa", "z.zip", Some(r"in.pbo!/d\x.paa"), Some(9)),
            ] {
                let number = index.add_file(archive, name, false);
                index.files[number].bytes = 9;
                let Unused { path: found, member: of, bytes: size } = index.unused_at(number).unwrap();
                let of = of.map(|name| name.text);
                assert_eq!((found, of.as_deref(), size), (Path::new(path), member, bytes), "{name} {archive:?}");
            }
        }
        std::fs::remove_file(&file).unwrap();
    }
}
