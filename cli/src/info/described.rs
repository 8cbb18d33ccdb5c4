//! What `info` shows of one file.

use meshpeek::Asset;
use meshpeek::scan::Record;

/// A file that is opened.
pub(super) struct Described<'d> {
    pub(super) record: &'d Record,
    /// The asset, if it opens as one.
    pub(super) asset: Option<&'d Asset<'d>>,
    /// Of a config that is text, what is not read.
    pub(super) unread: Option<&'d [String]>,
}
