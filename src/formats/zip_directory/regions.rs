//! A zip's directory as rows of a layout.

use super::directory::Directory;
use crate::base::span::Span;
use crate::inspect::{Region, brief};

/// The rows of a zip's directory and end record, and of what lies before the archive.
pub(crate) fn regions(directory: &Directory<'_>, sink: &mut dyn FnMut(Region<'_>)) {
    let mut tell = |depth, name: &'static str, note: String, offset: u64, end: u64| {
        let bytes = end.saturating_sub(offset);
        if bytes > 0 {
            sink(Region::part(depth, name, note, Span { offset, bytes }));
        }
    };
    tell(0, "prefix", "before the archive".to_owned(), 0, directory.prefix());
    let (start, end) = (directory.start(), directory.end_offset());
    tell(0, "directory", format!("{} entries", directory.end().entries), start, end);
    for entry in directory.entries().map_while(Result::ok) {
        let end = entry.offset.saturating_add(entry.bytes);
        tell(1, "entry", brief(entry.name), entry.offset, end);
    }
    tell(0, "end record", brief(directory.comment()), end, directory.archive_end());
}
