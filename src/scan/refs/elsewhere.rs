//! Files with the name of a missing one, wherever they are.

use std::cmp::Ordering;
use std::ops::Range;
use std::path::Path;

use super::index::{File, Index, find, find_or_instead};
use super::keys::{Key, key, last};
use super::prefix::folded;
use crate::asset::address::unnumbered;
use crate::scan::order::by_bytes;
use crate::summary::ReferenceKind;

/// The most addresses that [`Link::elsewhere`](super::Link::elsewhere) gives.
pub const MOST_ELSEWHERE: usize = 3;

impl Index<'_> {
    /// The entries of files with the name at the end of this folded path.
    pub(super) fn elsewhere(&mut self, path: &str, kind: ReferenceKind) -> Range<usize> {
        let list = self.by_name.take().unwrap_or_else(|| self.named());
        let found = find_or_instead(path, kind, |path| find(&list, key(&self.hash, last(path))));
        self.by_name = Some(list);
        found
    }

    /// All files by their names without folders: loose ones first, then those of archives, each in order. Their memory
    /// is counted with the files.
    fn named(&self) -> Vec<(Key, usize)> {
        let order = |a: &usize, b: &usize| {
            let (Some(a), Some(b)) = (self.files.get(*a), self.files.get(*b)) else { return Ordering::Equal };
            let (text_a, text_b) = (self.text_of(a), self.text_of(b));
            match (a.archive, b.archive) {
                // One path may have two spellings on Windows: `./a` and `.\a`.
                (None, None) => by_bytes(Path::new(text_a), Path::new(text_b)),
                (a, b) => {
                    let rank = |archive: Option<usize>| archive.map(|archive| self.ranks.get(archive));
                    rank(a).cmp(&rank(b)).then_with(|| text_a.cmp(text_b))
                }
            }
        };
        let mut list: Vec<(Key, usize)> =
            self.files.iter().enumerate().map(|(index, file)| (self.name_key(file), index)).collect();
        list.sort_by(|(a, one), (b, other)| a.cmp(b).then_with(|| order(one, other)));
        list.dedup_by(|(a, one), (b, other)| a == b && order(one, other).is_eq());
        list
    }

    fn name_key(&self, file: &File) -> Key {
        let text = self.text_of(file);
        let text = if file.archive.is_some() { unnumbered(text) } else { text };
        let name = text.rsplit(['/', '\\']).next().unwrap_or_default();
        key(&self.hash, &folded(name))
    }
}
