//! Files with the name of a missing one, wherever they are.

use std::cmp::Ordering;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::index::{File, Index};
use super::keys::{Key, key, last};
use super::lookup::{find, find_or_instead};
use super::prefix::folded;
use crate::asset::address::unnumbered;
use crate::scan::order::by_bytes;
use crate::summary::ReferenceKind;

impl Index {
    /// The files with the name at the end of this folded path, each once.
    pub(super) fn elsewhere(&mut self, path: &str, kind: ReferenceKind) -> Arc<[usize]> {
        let list = match self.by_name.take() {
            Some(list) => list,
            None => self.named(),
        };
        let entries = find_or_instead(path, kind, |path| find(&list, key(&self.hash, last(path))));
        let files = self.of_one_name(&list, entries);
        self.by_name = Some(list);
        files
    }

    /// The files of these entries of the list, each once. Several are found once for all callers, because there may be a million.
    fn of_one_name(&mut self, list: &[(Key, usize)], entries: Range<usize>) -> Arc<[usize]> {
        let start = entries.start;
        let is_one_at_most = entries.len() < 2;
        if !is_one_at_most && let Some(known) = self.same_name.get(&start) {
            return known.clone();
        }
        let entries = list.get(entries).unwrap_or_default();
        let mut files: Vec<usize> = entries.iter().map(|(_, file)| *file).collect();
        if is_one_at_most {
            return files.into();
        }
        // A file may be given by two paths.
        self.keep_different(&mut files);
        let files: Arc<[usize]> = files.into();
        self.same_name.insert(start, files.clone());
        files
    }

    /// All files by their names without folders: loose ones first, then those of archives, each in order. Their memory
    /// is counted with the files.
    fn named(&self) -> Vec<(Key, usize)> {
        let mut list: Vec<(Key, usize)> = Vec::new();
        for (number, file) in self.files.iter().enumerate() {
            list.push((self.name_key(file), number));
        }
        list.sort_by(|(a, one), (b, other)| a.cmp(b).then_with(|| self.order_elsewhere(*one, *other)));
        list.dedup_by(|(a, one), (b, other)| a == b && self.order_elsewhere(*one, *other).is_eq());
        list
    }

    fn order_elsewhere(&self, a: usize, b: usize) -> Ordering {
        let (Some(a), Some(b)) = (self.files.get(a), self.files.get(b)) else { return Ordering::Equal };
        let text_a = self.text_of(a);
        let text_b = self.text_of(b);
        if a.archive.is_none() && b.archive.is_none() {
            // One path may have two spellings on Windows: `./a` and `.\a`.
            return by_bytes(Path::new(text_a), Path::new(text_b));
        }
        (self.rank_of(a), text_a).cmp(&(self.rank_of(b), text_b))
    }

    /// The position of a file's archive among all. Loose files come first.
    fn rank_of(&self, file: &File) -> Option<usize> {
        self.ranks.get(file.archive?).copied()
    }

    fn name_key(&self, file: &File) -> Key {
        let text = self.text_of(file);
        let text = if file.archive.is_some() { unnumbered(text) } else { text };
        let name = text.rsplit(['/', '\\']).next().unwrap_or_default();
        key(&self.hash, &folded(name))
    }
}

#[cfg(test)]
mod tests {
    use super::super::prefix::Given;
    use super::super::seen::Listing;
    use super::*;
    use crate::scan::Scan;

    /// Files with their archives, in the order of the answer, but for those that are given again.
    const FILES: [(Option<&str>, &str); 10] = [
        (None, "X.paa"),
        (None, "a/x.PAA"),
        (None, "b/x.paa"),
        (Some("a.zip"), "b/x.paa"),
        (Some("a.zip"), "b/x.paa#2"),
        (Some("a.zip"), "x.paa"),
        (Some("b.pbo"), r"c\X.paa"),
        (None, "a/x.tga"),
        (None, "a/x"),
        (Some("b.pbo"), r"x.paa\y.paa"),
    ];

    fn index(shift: usize) -> (Index, Vec<usize>) {
        let mut index = Index::new(&Scan::new(["none"]), &[]);
        index.given_prefix_files = Some(Given::new());
        for path in ["b.pbo", "a.zip"] {
            index.add_archive(Path::new(path).into(), None, Listing::default()).unwrap();
        }
        let mut places = Vec::new();
        for number in 0..FILES.len() * 2 {
            let place = (number * 3 + shift) % FILES.len();
            let (archive, name) = FILES[place];
            index.add_file(archive.map(|archive| usize::from(archive == "a.zip")), name, false);
            places.push(place);
        }
        index.sort();
        (index, places)
    }

    #[test]
    fn files_of_a_name_are_those_in_any_place_once_with_loose_ones_first() {
        let all: Vec<usize> = (0..7).collect();
        for shift in 0..FILES.len() {
            let (mut index, places) = index(shift);
            for (path, kind, expected) in [
                (r"q\x.paa", ReferenceKind::Texture, &all[..]),
                ("x.paa", ReferenceKind::Model, &all),
                // What has the name itself goes before what the game loads instead.
                (r"q\x.tga", ReferenceKind::Texture, &[7]),
                (r"q\x.png", ReferenceKind::Texture, &all),
                (r"q\x.png", ReferenceKind::Material, &[]),
                (r"q\x", ReferenceKind::Texture, &[8]),
                (r"x.paa\y", ReferenceKind::Texture, &[9]),
                (r"x.paa\q.paa", ReferenceKind::Texture, &[]),
                ("x.paa#2", ReferenceKind::Texture, &[]),
                ("", ReferenceKind::Texture, &[]),
            ] {
                for _ in 0..2 {
                    let found: Vec<usize> = index.elsewhere(path, kind).iter().map(|&file| places[file]).collect();
                    assert_eq!(found, expected, "{path} {kind:?} {shift}");
                }
            }
        }
    }
}
