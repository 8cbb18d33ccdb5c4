//! The names and addresses of files, their order, and what they are below.

use std::cmp::Ordering;
use std::hash::{BuildHasher, DefaultHasher, Hasher};
use std::path::Path;

use super::index::{Archive, File, Index, Root};
use super::keys::{Key, after, key};
use crate::asset::address::{MemberPath, unnumbered};
use crate::base::text::Name;

impl Index {
    /// The number of the archive that a file is in, or of the folder that it is below.
    pub(super) fn root_of(&self, file: usize) -> usize {
        let Some(file) = self.files.get(file) else { return usize::MAX };
        file.archive.unwrap_or(file.root)
    }

    pub(super) fn prefix_of_root(&self, root: usize) -> Option<&str> {
        match self.archives.get(root) {
            Some(archive) => Some(archive.root.trim_end_matches('\\')),
            None => Some(self.root(root)?.prefix.trim_end_matches('\\')),
        }
    }

    pub(super) fn name_of_root(&self, root: usize) -> &str {
        match self.archives.get(root) {
            Some(archive) => &archive.address.text,
            None => match self.root(root) {
                Some(root) => &root.name,
                None => "",
            },
        }
    }

    /// The folder with this number. Those of archives come before them.
    pub(super) fn root(&self, number: usize) -> Option<&Root> {
        self.roots.get(number.checked_sub(self.archives.len())?)
    }

    /// The path of a loose file, or of the file around a member.
    pub(super) fn path_of(&self, file: usize) -> Option<&Path> {
        let file = self.files.get(file)?;
        match self.archive_of(file) {
            Some(archive) => Some(&archive.path),
            None => Some(Path::new(self.text_of(file))),
        }
    }

    /// The name of a file in its archive, or its path.
    pub(super) fn name_of(&self, file: usize) -> &str {
        let Some(file) = self.files.get(file) else { return "" };
        let text = self.text_of(file);
        if file.archive.is_some() { unnumbered(text).rsplit('\\').next().unwrap_or_default() } else { text }
    }

    pub(super) fn text_of(&self, file: &File) -> &str {
        self.texts.get(file.text.clone()).unwrap_or_default()
    }

    /// Compares two files: by the addresses of their archives or their own paths, then by their names in the archive.
    pub(super) fn order(&self, a: usize, b: usize) -> Ordering {
        let (Some(a), Some(b)) = (self.files.get(a), self.files.get(b)) else { return Ordering::Equal };
        match (a.archive, b.archive) {
            (Some(one), Some(other)) if one == other => self.text_of(a).cmp(self.text_of(b)),
            (Some(one), Some(other)) => self.ranks.get(one).cmp(&self.ranks.get(other)),
            _ => self.place_of(a).cmp(&self.place_of(b)),
        }
    }

    /// The address of a file's archive and its name in it, or its path and nothing.
    fn place_of(&self, file: &File) -> (&str, &str) {
        match self.archive_of(file) {
            Some(archive) => (&archive.address.text, self.text_of(file)),
            None => (self.text_of(file), ""),
        }
    }

    pub(super) fn archive_of(&self, file: &File) -> Option<&Archive> {
        self.archives.get(file.archive?)
    }

    /// The address of a file, if there is enough left for giving it.
    pub(super) fn target(&self, file: usize) -> Option<Name> {
        let file = self.files.get(file)?;
        let archive = self.archive_of(file);
        let around = match archive {
            Some(archive) => archive.address.text.len().saturating_add(MemberPath::SEPARATOR.len()),
            None => 0,
        };
        if !self.cost.name(around.saturating_add(file.text.len())) {
            return None;
        }
        let name = Name { text: self.text_of(file).to_owned(), lossy: file.lossy };
        Some(MemberPath::join(archive.map(|archive| &archive.address), name))
    }

    /// Returns true if the address of a file has bytes that are not UTF-8.
    pub(super) fn is_lossy(&self, file: usize) -> bool {
        let Some(file) = self.files.get(file) else { return false };
        match self.archive_of(file) {
            Some(archive) => file.lossy || archive.address.lossy,
            None => file.lossy,
        }
    }

    /// The key of each file's address, in the order of the files.
    pub(super) fn address_keys(&self) -> AddressKeys<'_> {
        AddressKeys { index: self, files: self.files.iter(), archive: None, begun: self.hash.build_hasher() }
    }
}

/// The keys of the addresses of files.
pub(super) struct AddressKeys<'i> {
    index: &'i Index,
    files: std::slice::Iter<'i, File>,
    /// The archive of the last member.
    archive: Option<usize>,
    /// The beginning of the keys of the members of this archive.
    begun: DefaultHasher,
}

impl Iterator for AddressKeys<'_> {
    type Item = Key;

    fn next(&mut self) -> Option<Key> {
        let file = self.files.next()?;
        let text = self.index.text_of(file);
        let Some(archive) = self.index.archive_of(file) else { return Some(key(&self.index.hash, text)) };
        // Members of one archive follow each other, so that its address is hashed once.
        if self.archive != file.archive {
            self.archive = file.archive;
            self.begun = self.index.hash.build_hasher();
            self.begun.write(archive.address.text.as_bytes());
            self.begun.write(MemberPath::SEPARATOR.as_bytes());
        }
        Some(after(&self.begun, text))
    }
}

#[cfg(test)]
mod tests {
    use super::super::seen::Listing;
    use super::*;
    use crate::scan::Scan;

    #[test]
    fn a_file_is_lossy_if_its_name_or_its_archive_is() {
        let scan = Scan::new(["none"]);
        let mut index = Index::new(&scan, &[]);
        for archive in [None, Some(false), Some(true)] {
            let number = archive.map(|lossy| {
                let member = Name { text: format!("{lossy}.zip"), lossy };
                index.add_archive(Path::new("a.zip").into(), Some(member), Listing::default()).unwrap();
                index.archives.len() - 1
            });
            for lossy in [false, true] {
                let file = index.add_file(number, "x", lossy);
                assert_eq!(index.is_lossy(file), lossy || archive == Some(true), "{archive:?} {lossy}");
                assert_eq!(index.target(file).unwrap().lossy, index.is_lossy(file), "{archive:?} {lossy}");
            }
        }
        assert!(!index.is_lossy(usize::MAX));
    }

    /// Files with their archives, in the order that is expected.
    const ORDERED: [(Option<&str>, &str); 8] = [
        (None, "a"),
        (None, "a/b.zip"),
        (Some("a/b.zip"), "a"),
        (Some("a/b.zip"), "b"),
        (Some("a/b.zip!/c.zip"), ""),
        (Some("a/b.zip!/c.zip"), "A"),
        (None, "a/c"),
        (Some("b.zip"), "0"),
    ];

    #[test]
    fn files_are_in_the_order_of_their_addresses() {
        let scan = Scan::new(["none"]);
        // Archives and files are found in any order.
        for shift in 0..ORDERED.len() {
            let mut index = Index::new(&scan, &[]);
            let found: Vec<usize> = (0..ORDERED.len()).map(|place| (place * 3 + shift) % ORDERED.len()).collect();
            let mut places = vec![0; ORDERED.len()];
            for &place in &found {
                let (archive, name) = ORDERED[place];
                let number = archive.map(|archive| {
                    let known = index.by_address.get(&key(&index.hash, archive)).copied();
                    known.unwrap_or_else(|| {
                        index.add_archive(Path::new(archive).into(), None, Listing::default()).unwrap();
                        index.archives.len() - 1
                    })
                });
                let file = index.add_file(number, name, false);
                places[file] = place;
            }
            index.sort();
            for a in 0..places.len() {
                for b in 0..places.len() {
                    assert_eq!(index.order(a, b), places[a].cmp(&places[b]), "{found:?}: {a} {b}");
                }
            }
            // The address of each file is that of its archive and its name.
            let keys: Vec<Key> = index.address_keys().collect();
            for (file, &place) in places.iter().enumerate() {
                let (archive, name) = ORDERED[place];
                let address = archive.map_or(name.to_owned(), |archive| format!("{archive}!/{name}"));
                assert_eq!(keys[file], key(&index.hash, &address), "{address}");
            }
        }
    }

    #[test]
    fn numbers_of_archives_come_before_those_of_folders() {
        let mut index = Index::new(&Scan::new(["none"]), &[]);
        for (path, root) in [("a.pbo", r"z\a\"), ("b.zip", "")] {
            let listing = Listing { root: root.to_owned(), ..Listing::default() };
            index.add_archive(Path::new(path).into(), None, listing).unwrap();
        }
        for (name, prefix) in [("f", r"z\f\\"), ("g", "")] {
            index.roots.push(Root { name: name.to_owned(), prefix: prefix.to_owned(), has_prefix: true });
        }
        let expected = [(r"z\a", "a.pbo"), ("", "b.zip"), (r"z\f", "f"), ("", "g")];
        for (number, (prefix, name)) in expected.into_iter().enumerate() {
            assert_eq!((index.prefix_of_root(number), index.name_of_root(number)), (Some(prefix), name));
            assert_eq!(index.root(number).map(|root| root.name.as_str()), Some(name).filter(|_| number > 1));
            // A member is in its archive, whatever the number of a folder says.
            for archive in [None, Some(0), Some(1)] {
                let file = index.add_file(archive, "x", false);
                index.files[file].root = number;
                assert_eq!(index.root_of(file), archive.unwrap_or(number));
            }
        }
        assert_eq!((index.prefix_of_root(4), index.name_of_root(4), index.root_of(99)), (None, "", usize::MAX));
    }

    #[test]
    fn the_name_of_a_member_is_its_last_part_without_its_number_and_that_of_a_file_its_path() {
        let mut index = Index::new(&Scan::new(["none"]), &[]);
        index
            .add_archive(
                Path::new("f/a.pbo").into(),
                Some(Name { text: "in.pbo".to_owned(), lossy: false }),
                Listing::default(),
            )
            .unwrap();
        for (text, of_member) in [("x.hpp", "x.hpp"), (r"a\b\x.hpp", "x.hpp"), (r"a\x.hpp#2", "x.hpp"), (r"a\", "")] {
            let (loose, member) = (index.add_file(None, text, false), index.add_file(Some(0), text, false));
            assert_eq!((index.name_of(loose), index.name_of(member)), (text, of_member));
            assert_eq!(
                (index.path_of(loose), index.path_of(member)),
                (Some(Path::new(text)), Some(Path::new("f/a.pbo")))
            );
        }
    }

    #[test]
    fn the_address_of_a_file_is_charged_with_that_of_its_archive() {
        use super::super::cost::Cost;
        use crate::Limits;
        for archive in [None, Some("a.zip"), Some("long/b.zip")] {
            for name in ["", "x.paa", &"n".repeat(500)] {
                let mut index = Index::new(&Scan::new(["none"]), &[]);
                if let Some(archive) = archive {
                    index.add_archive(Path::new(archive).into(), None, Listing::default()).unwrap();
                }
                let file = index.add_file(archive.map(|_| 0), name, false);
                let address = archive.map_or(name.to_owned(), |archive| format!("{archive}!/{name}"));
                for left in [address.len().saturating_sub(1), address.len(), address.len() + 1] {
                    // A mebibyte may be given.
                    index.cost = Cost::new(0, 0, &Limits::default().with_output(0));
                    assert!(index.cost.name((1 << 20) - left));
                    let expected = Some(address.clone()).filter(|_| left >= address.len());
                    assert_eq!(index.target(file).map(|name| name.text), expected, "{archive:?} {left}");
                    assert_eq!(index.cost.check().is_err(), expected.is_none());
                }
            }
        }
    }
}
