//! Files that are not read because they share bytes with others.

use std::ops::Range;

use super::archive::Archive;
use crate::base::amount::Amount;
use crate::formats::zip_directory::CentralEntry;

impl Archive<'_> {
    /// Returns the files that are not read because they share bytes with another, as ascending indices of
    /// [members](Self::members). A file whose claimed bytes reach over the header of another gives way to that, because
    /// the header shows that the claim is false. Of files that start at one place, the one that the header there names
    /// is kept, or else the first. Claims that reach into the directory are reported by themselves, and take no bytes
    /// from others.
    ///
    /// If the files are in directory order, this uses the directory alone, and allocates nothing.
    pub fn overlapping(&self) -> Vec<usize> {
        let mut shared: Vec<usize> = Vec::new();
        for overlap in self.overlaps() {
            shared.push(overlap.index);
        }
        shared.sort_unstable();
        shared
    }

    /// Returns the overlaps, in the order of the files' places.
    pub(super) fn overlaps(&self) -> Vec<Overlap> {
        // In most archives, each file starts after the end of the one before it, so that there is nothing to sort.
        let mut reached = 0;
        let mut is_apart = true;
        for entry in self.file_entries() {
            let Some(span) = self.claimed(&entry) else { continue };
            is_apart &= span.start >= reached;
            reached = span.end;
        }
        if is_apart {
            return Vec::new();
        }
        let mut spans = Vec::new();
        for (index, entry) in self.file_entries().enumerate() {
            if let Some(bytes) = self.claimed(&entry) {
                spans.push(Claimed { bytes, index, entry_offset: entry.offset });
            }
        }
        spans.sort_unstable_by_key(|span| (span.bytes.start, span.index));
        let mut overlaps = Vec::new();
        // The last file that keeps its bytes.
        let mut kept: Option<Claimed> = None;
        for span in spans {
            match &kept {
                Some(before) if span.bytes.start < before.bytes.end => {
                    let is_later = span.bytes.start > before.bytes.start;
                    // The file before gives way if its bytes reach over the header of this one, or if both start at one
                    // place and the header there names only this one.
                    let is_over = self.has_header(&span) && (is_later || !self.has_header(before));
                    let (index, other) = if is_over { (before.index, span.index) } else { (span.index, before.index) };
                    overlaps.push(Overlap { index, other, is_over });
                    if is_over {
                        kept = Some(span);
                    }
                }
                _ => kept = Some(span),
            }
        }
        overlaps
    }

    /// Returns the bytes that a file claims, header included, unless they reach into the directory.
    fn claimed(&self, entry: &CentralEntry<'_>) -> Option<Range<u64>> {
        let start = self.directory.prefix.saturating_add(entry.header_offset);
        // The header before the data takes at least 30 bytes.
        let end = Amount(start) + 30 + entry.packed_bytes;
        if end.0 <= self.directory.start { Some(start..end.0) } else { None }
    }

    /// Returns true if the header of a file is where the directory says.
    fn has_header(&self, file: &Claimed) -> bool {
        // Without a directory, the entries are those of the headers.
        if self.directory.is_lost() {
            return true;
        }
        let Ok(local) = self.directory.local(file.bytes.start) else { return false };
        let Ok(entry) = self.directory.entry_at(file.entry_offset) else { return false };
        local.name == entry.name
    }
}

/// The bytes that a file claims, its header included.
struct Claimed {
    bytes: Range<u64>,
    /// Its index among the files.
    index: usize,
    /// The offset of its directory entry.
    entry_offset: u64,
}

/// A file that is not read because it shares bytes with another.
pub(super) struct Overlap {
    /// Its index among the files.
    pub(super) index: usize,
    /// The index of the other file, which keeps the bytes.
    pub(super) other: usize,
    /// True if its claim reaches over the header of the other.
    pub(super) is_over: bool,
}
