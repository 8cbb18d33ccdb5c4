//! The chunks of one kind next to others, which are passed over by their sizes.

use std::ops::Range;

use super::wire::ChunkHeader;
use crate::base::stop;
use crate::bytes::Cursor;
use crate::bytes::chunk::{Chunk, Header as _, Tag};
use crate::ranges::Data;

/// An iterator over the chunks with one tag in a range of a file. It ends where a header is cut short or missing.
#[derive(Clone, Debug)]
pub(super) struct Siblings<'a> {
    pub(super) data: Data<'a>,
    /// The range after the chunks passed so far.
    pub(super) left: Range<u64>,
    pub(super) tag: Tag,
}

impl<'a> Iterator for Siblings<'a> {
    type Item = Chunk<'a, ChunkHeader>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.left.is_empty() {
            let Range { start, end } = self.left;
            self.left = end..end;
            let body = start.saturating_add(size_of::<ChunkHeader>() as u64);
            // Missing bytes are recorded.
            let head = (body <= end).then(|| self.data.ahead(start..body).ok()).flatten()?;
            let header: &ChunkHeader = Cursor::new(head).read().ok()?;
            let stop = body.saturating_add(header.byte_len_hint().into()).min(end);
            if stop::is_due(start, stop) && stop::is_set() {
                return None;
            }
            self.left = stop..end;
            // If these bytes are missing, those after them are needed, too.
            if header.tag() == self.tag
                && let Ok(bytes) = self.data.get(body..stop)
            {
                return Some(Chunk::of(header, Cursor::with_offset(bytes, body)));
            }
        }
        None
    }
}
