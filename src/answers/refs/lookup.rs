//! Finds files by the paths and names of references.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::hash::BuildHasher;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::configs::instead_of;
use super::index::Index;
use super::keys::{Key, key, last};
use super::prefix::folded;
use crate::asset::address::unnumbered;
use crate::summary::ReferenceKind;

impl Index {
    /// Prepares for lookups.
    pub(super) fn sort(&mut self) {
        // Sorted once, so that long addresses are not compared for each file.
        let mut order: Vec<usize> = (0..self.archives.len()).collect();
        order.sort_by_key(|&archive| self.archives.get(archive).map(|archive| archive.address.text.as_str()));
        self.ranks = vec![0; order.len()];
        for (rank, archive) in order.into_iter().enumerate() {
            if let Some(known) = self.ranks.get_mut(archive) {
                *known = rank;
            }
        }
        for list in [&mut self.in_game, &mut self.in_place] {
            list.sort_unstable();
            list.dedup();
        }
    }

    /// The files of a range, by their addresses. A file given by several paths is kept once. Computed once for all
    /// callers.
    pub(super) fn distinct(&mut self, in_game: bool, range: Range<usize>) -> Arc<[usize]> {
        let list = if in_game { &self.in_game } else { &self.in_place };
        let entries = list.get(range.clone()).unwrap_or_default();
        if let Some(used) = &mut self.used {
            for &(_, file) in entries {
                if let Some(is_used) = used.get_mut(file) {
                    *is_used = true;
                }
            }
        }
        match entries {
            [] => return [].into(),
            [(_, file)] => return [*file].into(),
            _ => {}
        }
        if let Some(known) = self.distinct.get(&(in_game, range.start)) {
            return known.clone();
        }
        let all = entries.iter().map(|(_, file)| *file).collect();
        let all = self.unique(all);
        self.distinct.insert((in_game, range.start), all.clone());
        all
    }

    /// These files, each once, by their addresses.
    pub(super) fn unique(&mut self, mut all: Vec<usize>) -> Arc<[usize]> {
        if all.len() > 1 {
            self.keep_different(&mut all);
            all.sort_by(|&a, &b| self.order(a, b));
        }
        all.into()
    }

    /// Leaves out files that are there before by another path.
    pub(super) fn keep_different(&mut self, files: &mut Vec<usize>) {
        let mut seen: HashSet<Key> = HashSet::new();
        files.retain(|&file| self.identity(file).is_none_or(|identity| seen.insert(identity)));
    }

    /// A key that is equal for one file, whichever path it was given by.
    pub(super) fn identity(&mut self, file: usize) -> Option<Key> {
        let file = self.files.get(file)?;
        let name = self.texts.get(file.text.clone())?;
        let is_given = self.given_prefix_files.is_some();
        let Some(archive) = file.archive else {
            return Some(self.hash.hash_one(canonical(Path::new(name), is_given)));
        };
        let archive = self.archives.get_mut(archive)?;
        if archive.identity.is_none() {
            let member = archive.member.as_ref().map(|member| &member.text);
            archive.identity = Some(self.hash.hash_one((canonical(&archive.path, is_given), member)));
        }
        Some(self.hash.hash_one((archive.identity?, name)))
    }

    /// The image with the name at the end of a path: the one whose folders are most like those of the path, then the one
    /// with the fewest folders.
    pub(super) fn texture(&self, path: &str) -> Option<usize> {
        /// The most images of one name that are compared.
        const MOST_SAME: usize = 100;
        if self.by_texture.is_empty() {
            return None;
        }
        for name in image_names(path) {
            if let Some(same) = self.by_texture.get(&key(&self.hash, last(&name))) {
                return self.nearest(same.iter().copied().take(MOST_SAME), &name);
            }
        }
        None
    }

    /// The file whose folders are most like those of a path, then the one with the fewest folders.
    pub(super) fn nearest(&self, files: impl Iterator<Item = usize>, path: &str) -> Option<usize> {
        files.min_by_key(|&file| self.distance(file, path))
    }

    /// How far a file is from a path, the nearest first.
    fn distance(&self, file: usize, path: &str) -> (Reverse<usize>, usize, String) {
        let Some(file) = self.files.get(file) else { return (Reverse(0), 0, String::new()) };
        let own = folded(unnumbered(self.text_of(file)));
        let mut equal = 0;
        for (a, b) in std::iter::zip(own.rsplit('\\'), path.rsplit('\\')) {
            if a != b {
                break;
            }
            equal = usize::saturating_add(equal, 1);
        }
        (Reverse(equal), own.matches('\\').count(), own)
    }
}

/// The path of a file without links. Files that the caller gives have none.
fn canonical(path: &Path, is_given: bool) -> PathBuf {
    if is_given {
        return path.into();
    }
    match path.canonicalize() {
        Ok(whole) => whole,
        Err(_) => path.into(),
    }
}

/// The path of a texture, and another one to try after it.
pub(super) fn image_names(path: &str) -> Vec<String> {
    let mut names = vec![path.to_owned()];
    names.extend(instead_of(path, ReferenceKind::Texture));
    names
}

/// The range of entries for this path or, without one, for a path to try instead.
pub(super) fn find_or_instead(path: &str, kind: ReferenceKind, find: impl Fn(&str) -> Range<usize>) -> Range<usize> {
    let found = find(path);
    if !found.is_empty() {
        return found;
    }
    match instead_of(path, kind) {
        Some(other) => find(&other),
        None => found,
    }
}

/// The range of entries with this key.
pub(super) fn find(list: &[(Key, usize)], key: Key) -> Range<usize> {
    let start = list.partition_point(|(known, _)| *known < key);
    let count = list.get(start..).unwrap_or_default().partition_point(|(known, _)| *known == key);
    start..start.saturating_add(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_a_key_are_those_between_the_smaller_and_the_larger() {
        for number in 0..4_u64.pow(5) {
            let mut list: Vec<(Key, usize)> =
                (0..5).map(|place| (number / 4_u64.pow(place) % 4 * 10, place as usize)).collect();
            list.sort_unstable();
            for length in 0..=list.len() {
                let list = &list[..length];
                for key in [0, 5, 10, 20, 25, 30, 31, Key::MAX] {
                    let expected: Vec<_> = list.iter().copied().filter(|(known, _)| *known == key).collect();
                    assert_eq!(list[find(list, key)], expected, "{list:?} {key}");
                }
            }
        }
    }

    /// A path that has a file is never tried another way.
    #[test]
    fn another_path_is_tried_only_if_the_first_has_no_file() {
        for kind in [ReferenceKind::Texture, ReferenceKind::Model, ReferenceKind::Proxy, ReferenceKind::Material] {
            for path in ["a.tga", "a.png", "a.paa", "a"] {
                let instead = match (kind, path) {
                    (ReferenceKind::Texture, "a.tga" | "a.png" | "a") => Some("a.paa".to_owned()),
                    (ReferenceKind::Model | ReferenceKind::Proxy, _) => Some(format!("{path}.p3d")),
                    _ => None,
                };
                for (first, second) in [(0..0, 0..0), (2..4, 0..0), (0..0, 5..6), (2..4, 5..6)] {
                    let find = |asked: &str| {
                        if asked == path {
                            return first.clone();
                        }
                        assert_eq!(Some(asked), instead.as_deref());
                        second.clone()
                    };
                    let expected = if first.is_empty() && instead.is_some() { second.clone() } else { first.clone() };
                    assert_eq!(find_or_instead(path, kind, find), expected, "{kind:?} {path}");
                }
            }
        }
    }
    #[test]
    fn of_images_of_one_name_that_with_the_most_equal_folders_is_nearest() {
        // In the order of their distance from `a\b\c\x.paa`.
        let near = [
            r"a\b\c\x.paa",
            r"A\B\C\X.PAA",
            "o/b/c/x.paa",
            r"o\o\b\c\x.paa",
            r"b\o\c\x.paa",
            "x.paa",
            r"a\x.paa",
            r"a\b\x.paa",
        ];
        let ranks = [0, 0, 2, 3, 4, 5, 6, 7];
        for a in 0..near.len() {
            for b in 0..near.len() {
                let mut index = Index::new(&crate::scan::Scan::new(["none"]), &[]);
                let first = index.add_file(None, near[a], false);
                let second = index.add_file(None, near[b], false);
                let nearest = index.nearest([first, second].into_iter(), r"a\b\c\x.paa");
                let expected = if ranks[a] <= ranks[b] { first } else { second };
                assert_eq!(nearest, Some(expected), "{} {}", near[a], near[b]);
            }
        }
        assert_eq!(Index::new(&crate::scan::Scan::new(["none"]), &[]).nearest([].into_iter(), "x"), None);
    }

    /// Files that are not in a file system: loose ones, and members of these archives.
    fn given(archives: &[(&str, Option<&str>)], files: &[(Option<usize>, &str)]) -> Index {
        let mut index = Index::new(&crate::scan::Scan::new(["none"]), &[]);
        index.given_prefix_files = Some(crate::answers::refs::prefix::Given::new());
        for (path, member) in archives {
            let member = member.map(|text| crate::base::text::Name { text: text.to_owned(), lossy: false });
            index.add_archive(Path::new(path).into(), member, super::super::seen::Listing::default()).unwrap();
        }
        for (archive, name) in files {
            index.add_file(*archive, name, false);
        }
        index.sort();
        index
    }

    const ARCHIVES: [(&str, Option<&str>); 3] = [("a.zip", None), ("a.zip", Some("in.pbo")), ("b.zip", None)];
    const FILES: [(Option<usize>, &str); 9] = [
        (None, "a"),
        (None, "b"),
        (None, "a"),
        (Some(0), "a"),
        (Some(0), "b"),
        (Some(1), "a"),
        (Some(2), "a"),
        (Some(0), "a"),
        (Some(1), "a"),
    ];

    #[test]
    fn a_file_is_one_by_its_path_its_archive_and_its_name_in_it() {
        let mut index = given(&ARCHIVES, &FILES);
        for (a, one) in FILES.iter().enumerate() {
            for (b, other) in FILES.iter().enumerate() {
                assert_eq!(index.identity(a) == index.identity(b), one == other, "{a} {b}");
            }
            assert!(index.identity(a).is_some());
        }
        assert_eq!(index.identity(FILES.len()), None);
    }

    #[test]
    fn the_files_of_a_key_are_marked_as_used_and_given_once_in_order() {
        for in_game in [false, true] {
            for chosen in 0_usize..1 << FILES.len() {
                let mut index = given(&ARCHIVES, &FILES);
                index.used = Some(vec![false; FILES.len()]);
                let list = if in_game { &mut index.in_game } else { &mut index.in_place };
                let is_chosen = |file: &usize| chosen >> file & 1 != 0;
                // Files of other keys around them.
                list.extend((0..FILES.len()).filter(|file| !is_chosen(file)).map(|file| (file as Key % 2 * 20, file)));
                list.extend((0..FILES.len()).filter(is_chosen).map(|file| (10, file)));
                list.sort_unstable();
                let range = find(list, 10);
                let mut expected: Vec<usize> = Vec::new();
                for file in (0..FILES.len()).filter(is_chosen) {
                    if !expected.iter().any(|&other| FILES[other] == FILES[file]) {
                        expected.push(file);
                    }
                }
                expected.sort_by_key(|&file| {
                    let (archive, name) = FILES[file];
                    match archive.map(|archive| ["a.zip", "a.zip!/in.pbo", "b.zip"][archive]) {
                        Some(archive) => (archive, name),
                        None => (name, ""),
                    }
                });
                for _ in 0..2 {
                    assert_eq!(*index.distinct(in_game, range.clone()), expected, "{chosen:b}");
                    let used: Vec<bool> = (0..FILES.len()).map(|file| is_chosen(&file)).collect();
                    assert_eq!(index.used.as_ref(), Some(&used));
                }
            }
        }
    }

    #[test]
    fn an_image_of_the_user_has_the_name_of_the_texture_or_of_what_the_game_loads_for_it() {
        for there in 0..1 << 3 {
            let names = ["a.tga", "a.paa", "a.png"];
            let mut index = given(&[], &names.map(|name| (None, name)));
            let is_there = |number: usize| there >> number & 1 != 0;
            for (number, name) in names.iter().enumerate().filter(|(number, _)| is_there(*number)) {
                index.by_texture.entry(key(&index.hash, name)).or_default().push(number);
            }
            for (path, tries) in [
                (r"x\a.tga", &[0, 1][..]),
                (r"x\a.png", &[2, 1]),
                ("a.paa", &[1]),
                (r"y\a", &[1]),
                ("a.pac", &[]),
                (r"a.tga\b.tga", &[]),
                ("", &[]),
            ] {
                let expected = tries.iter().copied().find(|&number| is_there(number));
                assert_eq!(index.texture(path), expected, "{path} {there:b}");
            }
        }
        // Of many images of one name, a hundred are compared.
        for place in [0, 1, 99, 100, 101] {
            let names: Vec<String> =
                (0..=101).map(|number| format!("{}/a.paa", if number == place { "x" } else { "o" })).collect();
            let files: Vec<(Option<usize>, &str)> = names.iter().map(|name| (None, name.as_str())).collect();
            let mut index = given(&[], &files);
            index.by_texture.insert(key(&index.hash, "a.paa"), (0..=101).collect());
            assert_eq!(index.texture(r"x\a.paa"), Some(if place < 100 { place } else { 0 }));
        }
    }
}
