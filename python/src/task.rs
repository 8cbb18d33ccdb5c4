//! The options of a scan, and its run.

use std::ops::ControlFlow;
use std::sync::mpsc::SyncSender;
use std::sync::{Mutex, PoisonError};

use arrow_array::RecordBatch;
use meshpeek::scan::{Found, Scan as Kernel, Sighting, Unit};
use meshpeek_tables::{Batches, Table};

/// How to handle a path that cannot be read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Errors {
    Record,
    Raise,
    Skip,
}

/// The options of a scan. Each stream of it runs it again.
pub(crate) struct Task {
    pub(crate) kernel: Kernel,
    pub(crate) units: Option<Vec<Unit>>,
    pub(crate) table: Table,
    pub(crate) batch_rows: usize,
    pub(crate) errors: Errors,
    /// The runs that were started, the latest last.
    pub(crate) runs: Mutex<Vec<meshpeek::scan::Progress>>,
}

type Batch = Result<RecordBatch, meshpeek::Error>;

impl Task {
    /// Starts a run.
    pub(crate) fn begin(&self) -> meshpeek::scan::Progress {
        let progress = meshpeek::scan::Progress::default();
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        runs.push(progress.clone());
        progress
    }

    /// Sends all batches, and returns the first error at the end.
    pub(crate) fn run(
        &self,
        progress: meshpeek::scan::Progress,
        batches: &SyncSender<Batch>,
    ) -> Result<(), meshpeek::Error> {
        let mut kernel = self.kernel.clone();
        kernel.progress = progress;
        let full = Batches::new(&[self.table], self.batch_rows, |_, batch| {
            Ok(match batches.send(Ok(batch)) {
                Ok(()) => ControlFlow::Continue(()),
                // The receiver is gone.
                Err(_) => ControlFlow::Break(()),
            })
        });
        let mut failure = None;
        let found = |found, seen: Option<ControlFlow<()>>| {
            seen.unwrap_or(ControlFlow::Continue(()))?;
            match (found, self.errors) {
                (Found::Asset(record), _) => full.record(&record),
                (Found::Unreadable(error), Errors::Record) if self.table == Table::Assets => full.unreadable(&error),
                (Found::Unreadable(error), Errors::Raise) => {
                    failure.get_or_insert(error);
                    ControlFlow::Break(())
                }
                // Other tables have no row for it, so it is reported after all others.
                (Found::Unreadable(error), Errors::Record) => {
                    failure.get_or_insert(error);
                    ControlFlow::Continue(())
                }
                _ => ControlFlow::Continue(()),
            }
        };
        let view = |seen: &Sighting<'_, '_>| full.see(seen);
        match &self.units {
            Some(units) => kernel.run_units(units.iter().cloned().map(Ok), view, found)?,
            None => kernel.run_with(view, found)?,
        }
        full.finish()?;
        failure.map_or(Ok(()), Err)
    }
}
