//! A switch that ends long work on a thread, such as decoding one large block.

use std::cell::RefCell;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::error::{Error, ErrorKind, Result};

/// The bytes to decode or examine before the switch is checked again. Takes a few milliseconds at most.
pub(crate) const PIECE: usize = 1 << 20;

thread_local! {
    static SWITCH: RefCell<Option<Switch>> = const { RefCell::new(None) };
}

/// A flag that a caller sets to end work.
type Switch = Arc<AtomicBool>;

/// While this lives, work on this thread ends early once the flag is set.
///
/// This holds for all work that takes time: parsing, summaries, `verify`, arrays, digests, geometry and export. What
/// returns a [`Result`](crate::Result) ends with one error, [`Cancelled`](crate::ErrorKind::Cancelled). A summary has
/// one problem with the code [`Cancelled`](crate::summary::Code::Cancelled), and lacks the parts that were not read.
/// The flag is looked at every few milliseconds, so short work may be done nevertheless.
///
/// A [`Budget`](crate::Budget) that is created meanwhile takes the flag to other threads. If several of these live on a
/// thread, the last one counts. A [scan](crate::scan) does not look at it, but ends with
/// [`Progress::stop`](crate::scan::Progress::stop).
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicBool, Ordering};
/// use meshpeek::summary::{Code, Problems};
/// use meshpeek::{Asset, Inspect, Limits, Until};
/// # let bytes = [&b"a.b3d\0"[..], &[0; 16], &[12, 0, 0, 0], &[0; 21], b"BB3D\x04\0\0\0\x01\0\0\0"].concat();
///
/// let stop = Arc::new(AtomicBool::new(false));
/// let _until = Until::new(stop.clone());
/// let asset = Asset::parse(&bytes)?;
/// stop.store(true, Ordering::Relaxed); // another thread does this
/// let mut problems = Problems::new(&Limits::default());
/// asset.verify(&mut problems);
/// assert_eq!(problems.into_vec()[0].code, Code::Cancelled);
/// # Ok::<(), meshpeek::Error>(())
/// ```
#[derive(Debug)]
pub struct Until {
    /// The switch of the thread before this one.
    before: Option<Switch>,
    /// Keeps it on its thread.
    on_this_thread: PhantomData<*const ()>,
}

impl Until {
    /// Sets the flag to which work on this thread looks. The one before it returns on drop.
    pub fn new(stop: Arc<AtomicBool>) -> Self {
        Self::with(Some(stop))
    }

    /// Sets the switch of this thread, or none.
    pub(crate) fn with(switch: Option<Switch>) -> Self {
        Self { before: SWITCH.replace(switch), on_this_thread: PhantomData }
    }
}

impl Drop for Until {
    fn drop(&mut self) {
        SWITCH.set(self.before.take());
    }
}

/// Returns the switch of this thread.
pub(crate) fn switch() -> Option<Switch> {
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

/// Returns an error if work on this thread must end.
pub(crate) fn check() -> Result<()> {
    if is_set() { Err(error()) } else { Ok(()) }
}

/// Passes these bytes to `each` in pieces.
///
/// # Errors
/// Returns an error if the switch of this thread is set meanwhile.
pub(crate) fn in_pieces(bytes: &[u8], mut each: impl FnMut(&[u8])) -> Result<()> {
    for piece in bytes.chunks(PIECE) {
        check()?;
        each(piece);
    }
    Ok(())
}

/// Returns the error of work that ended because the switch was set.
pub(crate) fn error() -> Error {
    Error::new(ErrorKind::Cancelled)
}
