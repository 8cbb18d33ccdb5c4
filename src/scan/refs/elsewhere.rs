//! Files with the name of a missing one, wherever they are.

use std::cmp::Ordering;
use std::path::Path;

use super::index::{File, Index, find, find_or_instead};
use super::keys::{Key, key, last};
use super::prefix::folded;
use crate::asset::address::unnumbered;
use crate::base::text::Name;
use crate::scan::order::by_bytes;
use crate::summary::ReferenceKind;

/// The most addresses in [`Link::elsewhere`](super::Link::elsewhere).
pub const MOST_ELSEWHERE: usize = 3;

impl Index<'_> {
    /// The addresses of the first files with the name at the end of this folded path, and the number of further ones.
    pub(super) fn elsewhere(&mut self, path: &str, kind: ReferenceKind) -> (Vec<Name>, usize) {
        let list = self.by_name.take().unwrap_or_else(|| self.named());
        let found = find_or_instead(path, kind, |path| find(&list, key(&self.hash, last(path))));
        let first = list.get(found.clone()).unwrap_or_default().iter().take(MOST_ELSEWHERE);
        let first: Vec<Name> = first.filter_map(|&(_, file)| self.target(file)).collect();
        let more = found.len().saturating_sub(first.len());
        self.by_name = Some(list);
        (first, more)
    }

    /// All files by their names without folders: loose ones first, then those of archives, each in order. Their memory
    /// is counted with the files.
    fn named(&self) -> Vec<(Key, usize)> {
        let mut order: Vec<usize> = (0..self.archives.len()).collect();
        // Sorted once, so that long addresses are not compared for each file.
        let address = |archive: &usize| self.archives.get(*archive).map(|archive| &archive.address.text);
        order.sort_by(|a, b| address(a).cmp(&address(b)));
        let mut ranks = vec![0; order.len()];
        for (rank, archive) in order.into_iter().enumerate() {
            if let Some(known) = ranks.get_mut(archive) {
                *known = rank;
            }
        }
        let order = |a: &usize, b: &usize| {
            let (Some(a), Some(b)) = (self.files.get(*a), self.files.get(*b)) else { return Ordering::Equal };
            let (text_a, text_b) = (self.text_of(a), self.text_of(b));
            match (a.archive, b.archive) {
                // One path may have two spellings on Windows: `./a` and `.\a`.
                (None, None) => by_bytes(Path::new(text_a), Path::new(text_b)),
                (a, b) => {
                    let by_archive = a.map(|a| ranks.get(a)).cmp(&b.map(|b| ranks.get(b)));
                    by_archive.then_with(|| text_a.cmp(text_b))
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
