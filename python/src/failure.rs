//! What the questions of a task share: the batches, and the errors that are not rows.

use std::ops::ControlFlow;

use arrow_array::RecordBatch;
use meshpeek::Error;
use meshpeek::scan::Found;
use meshpeek_tables::Table;

/// How to handle a path that cannot be read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Errors {
    Record,
    Raise,
    Skip,
}

/// The rows of a run, which are sent batch by batch.
pub(crate) type Batches<'b> =
    meshpeek_tables::Batches<Box<dyn Fn(Table, RecordBatch) -> Result<ControlFlow<()>, Error> + Send + Sync + 'b>>;

/// The first error that is not a row.
pub(crate) struct Failure {
    pub(crate) first: Option<Error>,
    pub(crate) errors: Errors,
}

impl Failure {
    /// Keeps the error, unless it is to be skipped. Breaks if it is to be raised at once.
    pub(crate) fn add(&mut self, error: Error) -> ControlFlow<()> {
        match self.errors {
            Errors::Skip => ControlFlow::Continue(()),
            Errors::Record => {
                self.first.get_or_insert(error);
                ControlFlow::Continue(())
            }
            Errors::Raise => {
                self.first.get_or_insert(error);
                ControlFlow::Break(())
            }
        }
    }

    /// Keeps the error, unless it is to be skipped.
    pub(crate) fn keep(&mut self, error: Error) {
        let _ = self.add(error);
    }

    /// Keeps the error of a path that cannot be read.
    pub(crate) fn keep_of(&mut self, found: Found) {
        if let Found::Unreadable(error) = found {
            self.keep(error);
        }
    }
}
