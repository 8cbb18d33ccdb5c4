//! A scan as a stream of batches, pulled by Python or by a C engine.

use std::process;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle, ThreadId};
use std::time::{Duration, Instant};

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use meshpeek::scan::Progress;
use pyo3::ffi;
use pyo3::prelude::*;

use crate::counted::Counted;
use crate::error::Raised;
use crate::lock;
use crate::task::Task;

/// How many batches a scan may be ahead.
const AHEAD: usize = 2;
/// How often a thread that waits, or takes one batch after another, checks for Ctrl-C.
const TICK: Duration = Duration::from_millis(50);

/// The message for a process that continues a scan of another.
pub(crate) const FORKED: &str = "this iterator was begun in another process; begin a new one after the fork";

/// The thread in which Python handles signals, if it imported this module.
static MAIN: OnceLock<ThreadId> = OnceLock::new();

pub(crate) fn note_main_thread(py: Python<'_>) -> PyResult<()> {
    let threading = py.import("threading")?;
    if threading.call_method0("current_thread")?.is(&threading.call_method0("main_thread")?) {
        let _ = MAIN.set(thread::current().id());
    }
    Ok(())
}

/// The result of polling the stream.
pub(crate) enum Next {
    Batch(RecordBatch),
    /// Nothing yet.
    Wait,
    End,
}

/// A scan that starts when the first batch is requested, and ends when this is dropped.
pub(crate) struct Stream {
    task: Arc<Task>,
    /// Its counters, which exist before it starts.
    run: Counted,
    running: Option<Running>,
    is_over: bool,
    /// The time of the last check for Ctrl-C.
    looked: Instant,
    /// The process that made it.
    process: u32,
}

struct Running {
    batches: Receiver<Result<RecordBatch, meshpeek::Error>>,
    thread: JoinHandle<Result<(), meshpeek::Error>>,
    progress: Progress,
}

impl Stream {
    pub(crate) fn new(task: Arc<Task>) -> Self {
        let run = task.begin();
        Self { task, run, running: None, is_over: false, looked: Instant::now(), process: process::id() }
    }

    pub(crate) fn progress(&self) -> Counted {
        self.run.clone()
    }

    /// True in a process that was forked after this was made. The scan runs only in the one that began it.
    pub(crate) fn is_forked(&self) -> bool {
        self.running.is_some() && self.process != process::id()
    }

    /// The next batch, if it comes soon. Does not need Python's lock.
    pub(crate) fn poll(&mut self) -> Result<Next, meshpeek::Error> {
        if self.is_forked() {
            return Err(std::io::Error::other(FORKED).into());
        }
        if self.is_over {
            return Ok(Next::End);
        }
        let running = match &self.running {
            Some(running) => running,
            None => self.running.insert(Running::start(&self.task, &self.run.counts)?),
        };
        match running.batches.recv_timeout(TICK) {
            Ok(Ok(batch)) => Ok(Next::Batch(batch)),
            Ok(Err(error)) => {
                self.stop();
                Err(error)
            }
            Err(RecvTimeoutError::Timeout) => Ok(Next::Wait),
            Err(RecvTimeoutError::Disconnected) => {
                self.is_over = true;
                self.run.is_done.store(true, Ordering::Relaxed);
                let Some(running) = self.running.take() else { return Ok(Next::End) };
                match running.thread.join() {
                    Ok(Ok(())) => Ok(Next::End),
                    Ok(Err(error)) => Err(error),
                    Err(_) => Err(std::io::Error::other("the scan broke off").into()),
                }
            }
        }
    }

    /// The error for an engine; `None` if Python raises an interrupt once the engine returns.
    fn failed(&self, error: meshpeek::Error) -> Option<ArrowError> {
        let text = error.to_string();
        let arrow = match error.kind() {
            meshpeek::ErrorKind::Io(_) => ArrowError::IoError(text.clone(), std::io::Error::other(text)),
            _ => ArrowError::InvalidArgumentError(text),
        };
        let Some(raised) = Raised::of(&error) else { return Some(arrow) };
        // In other threads than the main one, the engine gets the error.
        let is_interrupted = raised.is_interrupt && raise_interrupt();
        // It must not be dropped here, without Python's lock.
        lock(&self.task.raised).push(error);
        if is_interrupted { None } else { Some(arrow) }
    }

    pub(crate) fn stop(&mut self) {
        self.is_over = true;
        self.run.is_done.store(true, Ordering::Relaxed);
        let is_forked = self.is_forked();
        if let Some(running) = self.running.take() {
            if is_forked {
                // Its locks may be held by threads that do not exist here.
                std::mem::forget(running);
                return;
            }
            running.progress.stop();
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Running {
    fn start(task: &Arc<Task>, progress: &Progress) -> Result<Self, meshpeek::Error> {
        let (sender, batches) = sync_channel(AHEAD);
        let task = task.clone();
        let counted = progress.clone();
        let work = move || task.run(counted, &sender);
        let thread = thread::Builder::new().name("meshpeek".to_owned()).spawn(work)?;
        Ok(Self { batches, thread, progress: progress.clone() })
    }
}

impl Iterator for Stream {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if self.looked.elapsed() >= TICK {
                // On an error, an engine raises that error in addition to Python's interrupt. At an end it returns, and
                // its partial result is never seen, because the interrupt is raised first.
                if is_interrupted() {
                    self.stop();
                    return None;
                }
                self.looked = Instant::now();
            }
            match self.poll() {
                Ok(Next::Batch(batch)) => return Some(Ok(batch)),
                Ok(Next::Wait) => {}
                Ok(Next::End) => return None,
                Err(error) => return self.failed(error).map(Err),
            }
        }
    }
}

impl RecordBatchReader for Stream {
    fn schema(&self) -> SchemaRef {
        self.task.question.table().schema()
    }
}

/// Returns true if Ctrl-C was pressed while an engine was in the main thread, which hides it from Python. Restores the
/// interrupt, so that Python raises it once the engine returns.
fn is_interrupted() -> bool {
    // In another thread Python handles no signals, and the holder of its lock may be waiting for this thread.
    if MAIN.get() != Some(&thread::current().id()) {
        return false;
    }
    // SAFETY: the state is released before this returns, and nothing else is called meanwhile. `Python::attach` would not
    // do: it takes the lock for held if a method of this package is below the engine, which has released it.
    let interrupted = unsafe {
        let state = ffi::PyGILState_Ensure();
        let interrupted = ffi::PyErr_CheckSignals() != 0;
        if interrupted {
            ffi::PyErr_Clear();
        }
        ffi::PyGILState_Release(state);
        interrupted
    };
    interrupted && raise_interrupt()
}

/// Makes Python raise `KeyboardInterrupt` once the engine returns. Returns false in other threads than the main one, which
/// has to raise it.
fn raise_interrupt() -> bool {
    let is_main = MAIN.get() == Some(&thread::current().id());
    if is_main {
        // SAFETY: it only records a signal, and may be called in any thread.
        unsafe { ffi::PyErr_SetInterrupt() };
    }
    is_main
}
