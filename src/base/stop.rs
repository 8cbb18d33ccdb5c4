//! A switch that ends long work on a thread, such as decoding one large block.

use std::cell::RefCell;
use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::error::{Error, Result};

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

/// Returns true if small parts from one offset to another reach the next place where the switch is checked.
#[inline]
pub(crate) fn is_due(start: u64, end: u64) -> bool {
    const STEP: u32 = 16;
    (start ^ end) >> STEP != 0
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

pub(crate) fn error() -> Error {
    std::io::Error::from(ErrorKind::Interrupted).into()
}
