//! Files of stores that may be read again.

use crate::base::error::Error;
use crate::scan::target::Target;

/// A file of a store that failed before anything in it was reported.
pub(in crate::scan) struct Unread {
    pub(super) target: Target,
    pub(super) error: Error,
}
