//! The file of an animation.

use crate::base::limits::Limits;
use crate::bytes::Cursor;
use crate::ranges::Data;

/// The file of an animation of either form.
#[derive(Clone, Copy, Debug)]
pub(super) struct File<'a> {
    pub(super) data: Data<'a>,
    /// The offset of the frame times, or of the first frame of a plain file.
    pub(super) body: u64,
    pub(super) limits: Limits,
}

impl<'a> File<'a> {
    /// Returns the bytes from the frame times or frames to the end of the file.
    pub(super) fn rest(&self) -> Cursor<'a> {
        self.data.rest(self.body)
    }
}
