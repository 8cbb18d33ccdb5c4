//! A switch that ends long work on a thread, such as decoding one large block.

use std::cell::{Cell, RefCell};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use super::error::{Error, ErrorKind, Result};

/// The bytes to decode or examine before the switch is checked again. Takes a few milliseconds at most.
pub(crate) const PIECE: usize = 1 << 20;

thread_local! {
    /// The switches of this thread with the numbers of their guards, in the order of their creation.
    static SWITCHES: RefCell<Vec<(u64, Switch)>> = const { RefCell::new(Vec::new()) };
    /// Their number, which takes less time to read.
    static COUNT: Cell<usize> = const { Cell::new(0) };
    /// The number of the next guard.
    static NEXT: Cell<u64> = const { Cell::new(0) };
}

/// A flag that a caller sets to end work.
type Switch = Arc<AtomicBool>;

/// While this guard lives, work on its thread ends early once a flag is set.
///
/// Parsing, summaries, `verify`, decoding, digests, geometry and export look at the flag every few milliseconds, so short
/// work may still be done. What returns a [`Result`](crate::Result) ends with one error,
/// [`Cancelled`](crate::ErrorKind::Cancelled). A summary then has a problem with the code
/// [`Cancelled`](crate::summary::Code::Cancelled); what was not read is missing from it. Waiting for
/// [memory](crate::budget#memory) does not look at the flag, and neither do the events of a config text nor the triangles of
/// one primitive.
///
/// A [`Budget`](crate::Budget) that is created while the guard lives keeps the flag, on every thread, even after the guard
/// is dropped. If several guards live on a thread, the one created last applies. A [run of a
/// scan](crate::scan::Scan::run) does not look at it, but ends with [`Progress::stop`](crate::scan::Progress::stop).
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
    /// Its number on its thread.
    number: u64,
    /// Makes the guard neither `Send` nor `Sync`.
    on_this_thread: PhantomData<*const ()>,
}

impl Until {
    /// Sets the flag for work on this thread. Dropping the guard ends that.
    pub fn new(stop: Arc<AtomicBool>) -> Self {
        let number = NEXT.get();
        NEXT.set(number.wrapping_add(1));
        SWITCHES.with_borrow_mut(|switches| switches.push((number, stop)));
        COUNT.set(COUNT.get().saturating_add(1));
        Self { number, on_this_thread: PhantomData }
    }
}

impl Drop for Until {
    fn drop(&mut self) {
        // Guards may be dropped in any order.
        SWITCHES.with_borrow_mut(|switches| switches.retain(|(number, _)| *number != self.number));
        COUNT.set(COUNT.get().saturating_sub(1));
    }
}

/// Returns the switch of this thread.
pub(crate) fn switch() -> Option<Switch> {
    if !is_guarded() {
        return None;
    }
    SWITCHES.with_borrow(|switches| switches.last().map(|(_, switch)| switch.clone()))
}

/// Returns true if the part from `start` to `end` crosses a multiple of 64 KiB. Loops over small parts check the switch
/// only then.
#[inline]
pub(crate) fn is_due(start: u64, end: u64) -> bool {
    const STEP_BITS: u32 = 16;
    (start ^ end) >> STEP_BITS != 0
}

/// Returns true if this thread has a switch.
#[inline]
pub(crate) fn is_guarded() -> bool {
    COUNT.get() > 0
}

/// Returns true if long work on this thread must end.
#[cold]
pub(crate) fn is_set() -> bool {
    SWITCHES.with_borrow(|switches| match switches.last() {
        Some((_, switch)) => switch.load(Ordering::Relaxed),
        None => false,
    })
}

/// Returns an error if work on this thread must end.
pub(crate) fn check() -> Result<()> {
    if is_set() { Err(error()) } else { Ok(()) }
}

/// Returns the value in the cell, or makes it. A value that was made while work on this thread must end may lack
/// something, and is not kept.
pub(crate) fn kept<T>(cell: &OnceLock<Result<T>>, make: impl FnOnce() -> Result<T>) -> Result<&T> {
    if cell.get().is_none() {
        let made = make();
        check()?;
        // If another thread was faster, its value is as good.
        let _ = cell.set(made);
    }
    match cell.get() {
        Some(Ok(value)) => Ok(value),
        Some(Err(error)) => Err(error.clone()),
        None => Err(error()),
    }
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
