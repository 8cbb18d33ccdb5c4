//! A question, and its run.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::RecordBatch;
use meshpeek::scan::{Found, Known, Scan as Kernel, Sighting};
use meshpeek_tables::{Batches, Table, since};

use crate::error::is_exit;
use crate::question::{self, Question};
use crate::remote::{Named, Source};
use crate::scan::Counted;

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
    /// The sources to scan in addition to its paths.
    pub(crate) sources: Vec<Named>,
    pub(crate) question: Question,
    pub(crate) batch_rows: usize,
    pub(crate) errors: Errors,
    /// The rows of an earlier scan.
    pub(crate) old: Vec<RecordBatch>,
    /// The assets of the earlier scan, if `old` is another table.
    pub(crate) known: Option<Vec<RecordBatch>>,
    /// The runs that were started, the latest last.
    pub(crate) runs: Mutex<Vec<Counted>>,
    /// What file objects raised while an engine asked for rows.
    pub(crate) raised: Mutex<Vec<meshpeek::Error>>,
}

type Batch = Result<RecordBatch, meshpeek::Error>;

impl Task {
    /// Announces a run.
    pub(crate) fn begin(&self) -> Counted {
        let progress = Counted::default();
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
        let table = self.question.table();
        kernel.views = table.views();
        let full = Batches::new(&[table], self.batch_rows, |_, batch| {
            Ok(match batches.send(Ok(batch)) {
                Ok(()) => ControlFlow::Continue(()),
                // The receiver is gone.
                Err(_) => ControlFlow::Break(()),
            })
        });
        let mut failure = Failure { first: None, errors: self.errors };
        match &self.question {
            Question::Scan(table, units) => {
                let is_listed = matches!(table, Table::Assets | Table::Problems | Table::Files);
                let mut unchanged = HashSet::new();
                let known_assets = self.known.as_ref().unwrap_or(&self.old);
                if !known_assets.is_empty() {
                    kernel.known = Some(Arc::new(known(known_assets)));
                }
                let found = |found, seen: Option<ControlFlow<()>>| {
                    seen.unwrap_or(ControlFlow::Continue(()))?;
                    match found {
                        Found::Asset(record) => full.record(&record),
                        Found::NoAsset(path) => full.other(&path),
                        Found::Unchanged(path) => {
                            unchanged.insert(path);
                            ControlFlow::Continue(())
                        }
                        Found::Unreadable(error) if is_listed && self.errors == Errors::Record => {
                            full.unreadable(&error)
                        }
                        // Other tables have no row for it, so it is reported after all others.
                        Found::Unreadable(error) => failure.add(error),
                        _ => ControlFlow::Continue(()),
                    }
                };
                let view = |seen: &Sighting<'_, '_>| full.see(seen);
                match units {
                    Some(units) => kernel.run_units(units.iter().cloned().map(Ok), view, found)?,
                    None => {
                        let mut found = found;
                        kernel.run_with(view, &mut found)?;
                        for source in &self.sources {
                            if kernel.progress.is_stopped() {
                                break;
                            }
                            scan_source(&kernel, table, source, &view, &mut found)?;
                        }
                    }
                }
                full.finish()?;
                copy(&self.old, &unchanged, batches)?;
            }
            Question::Refs { rules, missing } => {
                let other = |found| failure.found(found);
                question::refs(&kernel, rules, *missing, &full, other)?;
            }
            Question::Dupes => question::dupes(&kernel, &full, |found| failure.found(found))?,
            Question::Diff { sides, tolerance } => {
                let failed = &mut |error| {
                    let _ = failure.add(error);
                };
                question::diff(&kernel, sides, *tolerance, &mut |difference| full.difference(difference), failed)?;
            }
        }
        full.finish()?;
        failure.first.map_or(Ok(()), Err)
    }
}

type Seen = Option<ControlFlow<()>>;

/// Scans a source that is not a path. Of ranges, records need only some of the bytes; rows of other tables need all.
fn scan_source(
    kernel: &Kernel,
    table: &Table,
    source: &Named,
    view: &(impl Fn(&Sighting<'_, '_>) -> ControlFlow<()> + Sync),
    found: &mut (impl FnMut(Found, Seen) -> ControlFlow<()> + Send),
) -> Result<(), meshpeek::Error> {
    let path = &source.path;
    // It is named, so it has a record even if it is not an asset.
    let mut has_record = false;
    let mut each = |one: Found, seen: Seen| {
        has_record = true;
        found(one, seen)
    };
    let done = match &source.source {
        Source::Bytes(bytes) => kernel.run_bytes(path, bytes, view, &mut each).map(|()| None),
        Source::Ranges(remote) => match table {
            Table::Assets | Table::Problems | Table::Files => {
                let record = |record| match kernel.progress.is_stopped() {
                    true => ControlFlow::Break(()),
                    false => each(Found::Asset(Box::new(record)), None),
                };
                kernel.run_ranges(path, remote.ranges(), remote.source(), record).map(|()| None)
            }
            _ => remote.all().and_then(|bytes| {
                kernel.run_bytes(path, &bytes, view, &mut each)?;
                Ok(Some(bytes))
            }),
        },
    };
    let bytes = match done {
        Ok(bytes) => bytes,
        Err(error) if is_exit(&error) => return Err(error),
        Err(error) => {
            let _ = found(Found::Unreadable(error.in_file(path)), None);
            return Ok(());
        }
    };
    if !has_record && kernel.formats.is_empty() && !kernel.progress.is_stopped() {
        let record = match (&source.source, &bytes) {
            (Source::Bytes(bytes), _) => kernel.record(path, bytes),
            (_, Some(bytes)) => kernel.record(path, bytes),
            (Source::Ranges(remote), None) => kernel.record(path, &remote.all()?),
        };
        let _ = found(Found::Asset(Box::new(record)), None);
    }
    Ok(())
}

/// The first error that is not a row.
struct Failure {
    first: Option<meshpeek::Error>,
    errors: Errors,
}

impl Failure {
    /// Keeps the error, unless it is to be skipped. Breaks if it is to be raised at once.
    fn add(&mut self, error: meshpeek::Error) -> ControlFlow<()> {
        match self.errors {
            Errors::Skip => return ControlFlow::Continue(()),
            Errors::Record | Errors::Raise => drop(self.first.get_or_insert(error)),
        }
        if self.errors == Errors::Raise { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn found(&mut self, found: Found) {
        if let Found::Unreadable(error) = found {
            let _ = self.add(error);
        }
    }
}

/// The files whose rows an earlier scan has.
fn known(old: &[RecordBatch]) -> Known {
    let mut known = Known::default();
    old.iter().for_each(|batch| since::know(batch, &mut known));
    known
}

/// Sends the rows of unchanged files.
fn copy(old: &[RecordBatch], unchanged: &HashSet<PathBuf>, batches: &SyncSender<Batch>) -> Result<(), meshpeek::Error> {
    if unchanged.is_empty() {
        return Ok(());
    }
    for batch in old {
        let rows = since::rows_of(batch, &|path: &str| unchanged.contains(Path::new(path)))?;
        if rows.num_rows() > 0 && batches.send(Ok(rows)).is_err() {
            break;
        }
    }
    Ok(())
}
