//! The receiver of computed rows.

use std::ops::ControlFlow;

/// A receiver of rows.
pub(super) type Sink<'s> = dyn FnMut(&[u8]) -> ControlFlow<()> + 's;
