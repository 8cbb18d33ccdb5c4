//! A switch that ends long work on a thread, such as decoding one large block.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::error::{Error, ErrorKind, Result};

/// The bytes to decode or examine before the switch is checked again. Takes a few milliseconds at most.
pub(crate) const PIECE: usize = 1 << 20;

thread_local! {
    static SWITCH: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// While this lives, long work on this thread ends with an error once the switch is set.
#[cfg(feature = "scan")]
pub(crate) struct Until(Option<Arc<AtomicBool>>);

#[cfg(feature = "scan")]
impl Until {
    /// Sets the switch of this thread. The one before it returns on drop.
    pub(crate) fn new(switch: Option<Arc<AtomicBool>>) -> Self {
        Self(SWITCH.replace(switch))
    }
}

#[cfg(feature = "scan")]
impl Drop for Until {
    fn drop(&mut self) {
        SWITCH.set(self.0.take());
    }
}

/// Returns the switch of this thread, for threads that help it.
#[cfg(feature = "scan")]
pub(crate) fn switch() -> Option<Arc<AtomicBool>> {
    SWITCH.with_borrow(Clone::clone)
}

/// Returns true if the part from `start` to `end` crosses a multiple of 64 KiB. Loops over small parts check the switch
/// only then.
#[inline]
pub(crate) fn is_due(start: u64, end: u64) -> bool {
    const STEP_BITS: u32 = 16;
    (start ^ end) >> STEP_BITS != 0
}

/// Returns true if long work on this thread must end.
#[cold]
pub(crate) fn is_set() -> bool {
    SWITCH.with_borrow(|switch| switch.as_ref().is_some_and(|switch| switch.load(Ordering::Relaxed)))
}

/// Passes these bytes to `each` in pieces.
///
/// # Errors
/// Returns an error if the switch of this thread is set meanwhile.
pub(crate) fn in_pieces(bytes: &[u8], mut each: impl FnMut(&[u8])) -> Result<()> {
    for piece in bytes.chunks(PIECE) {
        if is_set() {
            return Err(error());
        }
        each(piece);
    }
    Ok(())
}

/// Returns the error of work that ended because the switch was set.
pub(crate) fn error() -> Error {
    Error::new(ErrorKind::Cancelled)
}
