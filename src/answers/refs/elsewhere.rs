//! Files with the name of a missing one, wherever they are.

use std::cmp::Ordering;
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
    /// The files with the name at the end of this folded path, each once. Computed once for all callers.
    pub(super) fn elsewhere(&mut self, path: &str, kind: ReferenceKind) -> Arc<[usize]> {
        let list = match self.by_name.take() {
            Some(list) => list,
            None => self.named(),
        };
        let entries = find_or_instead(path, kind, |path| find(&list, key(&self.hash, last(path))));
        let same = list.get(entries.clone()).unwrap_or_default();
        let mut files: Vec<usize> = same.iter().map(|(_, file)| *file).collect();
        self.by_name = Some(list);
        if files.len() < 2 {
            return files.into();
        }
        if let Some(known) = self.same_name.get(&entries.start) {
            return known.clone();
        }
        // A file that is given by two paths.
        self.keep_different(&mut files);
        let files: Arc<[usize]> = files.into();
        self.same_name.insert(entries.start, files.clone());
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
