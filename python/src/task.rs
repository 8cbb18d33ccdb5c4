//! A question, and its run.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex};

use arrow_array::RecordBatch;
use meshpeek::Error;
use meshpeek::scan::{Found, Input, Known, Progress, Scan as Kernel, Unit};
use meshpeek_tables::{Table, since};

use crate::counted::Counted;
use crate::error::is_exit;
use crate::failure::{Batches, Errors, Failure};
use crate::lock;
use crate::question::{self, Question};
use crate::remote::{Named, Remote, Source};

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
    pub(crate) raised: Mutex<Vec<Error>>,
}

/// A batch, or the error that ended the run.
type Sent = Result<RecordBatch, Error>;

impl Task {
    /// A task without further options.
    pub(crate) fn new(kernel: Kernel, question: Question) -> Self {
        Self {
            kernel,
            sources: Vec::new(),
            question,
            batch_rows: 8192,
            errors: Errors::Record,
            old: Vec::new(),
            known: None,
            runs: Mutex::default(),
            raised: Mutex::default(),
        }
    }

    /// Announces a run.
    pub(crate) fn begin(&self) -> Counted {
        let progress = Counted::default();
        lock(&self.runs).push(progress.clone());
        progress
    }

    /// The files whose rows an earlier scan has, if there was one.
    fn known_files(&self) -> Option<Arc<Known>> {
        // Only the table of assets has the stamps of files.
        let assets = match &self.known {
            Some(assets) => assets,
            None => &self.old,
        };
        if assets.is_empty() {
            return None;
        }
        let mut known = Known::default();
        for batch in assets {
            since::know(batch, &mut known);
        }
        Some(Arc::new(known))
    }

    /// Sends all batches, and returns the first error at the end.
    pub(crate) fn run(&self, progress: Progress, sender: &SyncSender<Sent>) -> Result<(), Error> {
        let mut kernel = self.kernel.clone();
        kernel.progress = progress;
        let table = self.question.table();
        kernel.views = table.views();
        let batches =
            Batches::new(&[table], self.batch_rows, Box::new(|_, batch: RecordBatch| Ok(send(sender, batch))));
        let mut failure = Failure { first: None, errors: self.errors };
        match &self.question {
            Question::Scan { table, units } => {
                kernel.known = self.known_files();
                let mut rows = Rows {
                    table: *table,
                    batches: &batches,
                    failure: &mut failure,
                    count: 0,
                    unchanged: HashSet::new(),
                };
                match units {
                    Some(units) => rows.add_units(&kernel, units)?,
                    None => rows.add_all(&kernel, &self.sources)?,
                }
                let unchanged = rows.unchanged;
                batches.finish()?;
                copy(&self.old, &unchanged, sender)?;
            }
            Question::Refs { rules, missing } => question::refs(&kernel, rules, *missing, &batches, &mut failure)?,
            Question::Dupes => question::dupes(&kernel, &batches, &mut failure)?,
            Question::Diff { sides, tolerance } => {
                question::diff(&kernel, sides, *tolerance, &batches, &mut failure)?;
            }
        }
        batches.finish()?;
        match failure.first {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}

/// The rows of a scan.
struct Rows<'r> {
    table: Table,
    batches: &'r Batches<'r>,
    failure: &'r mut Failure,
    /// How many things the scan has found.
    count: u64,
    unchanged: HashSet<PathBuf>,
}

impl Rows<'_> {
    /// True for tables that list files, whose rows need only some of the bytes.
    fn is_list(&self) -> bool {
        matches!(self.table, Table::Assets | Table::Problems | Table::Files)
    }

    fn add_units(&mut self, kernel: &Kernel, units: &[Unit]) -> Result<(), Error> {
        let batches = self.batches;
        let mut units = units.iter().cloned().map(Ok);
        kernel.run(Input::Units(&mut units), |seen| batches.see(seen), |found, seen| self.add(found, seen))
    }

    /// Adds the rows of the paths, and then of the sources.
    fn add_all(&mut self, kernel: &Kernel, sources: &[Named]) -> Result<(), Error> {
        let batches = self.batches;
        kernel.run(Input::Paths, |seen| batches.see(seen), |found, seen| self.add(found, seen))?;
        for source in sources {
            if kernel.progress.is_stopped() {
                break;
            }
            self.add_source(kernel, source)?;
        }
        Ok(())
    }

    /// Adds what the scan found. `seen` is the result of adding its rows to a table that needs its view.
    fn add(&mut self, found: Found, seen: Option<ControlFlow<()>>) -> ControlFlow<()> {
        self.count += 1;
        if let Some(flow) = seen {
            flow?;
        }
        match found {
            Found::Asset(record) => self.batches.record(&record),
            Found::NoAsset(path) => self.batches.other(&path),
            Found::Unchanged(path) => {
                self.unchanged.insert(path);
                ControlFlow::Continue(())
            }
            Found::Unreadable(error) if self.is_list() && self.failure.errors == Errors::Record => {
                self.batches.unreadable(&error)
            }
            // Other tables have no row for it, so it is reported after all others.
            Found::Unreadable(error) => self.failure.add(error),
            _ => ControlFlow::Continue(()),
        }
    }

    /// Adds the rows of a source that is not a path. Of ranges, records need only some of the bytes; rows of other
    /// tables need all.
    fn add_source(&mut self, kernel: &Kernel, source: &Named) -> Result<(), Error> {
        let path = &source.path;
        let count_before = self.count;
        // All bytes of ranges, once they are read.
        let mut read = None;
        let done = match &source.source {
            Source::Bytes(bytes) => self.add_bytes(kernel, path, bytes),
            Source::Ranges(remote) if self.is_list() => self.add_ranges(kernel, path, remote),
            Source::Ranges(remote) => match remote.all() {
                Ok(bytes) => self.add_bytes(kernel, path, read.insert(bytes)),
                Err(error) => Err(error),
            },
        };
        if let Err(error) = done {
            if is_exit(&error) {
                return Err(error);
            }
            let _ = self.add(Found::Unreadable(error.in_file(path)), None);
            return Ok(());
        }
        let has_record = self.count > count_before;
        if has_record || !kernel.formats.is_empty() || kernel.progress.is_stopped() {
            return Ok(());
        }
        // It is named, so it has a record even if it is not an asset.
        let record = match (&source.source, &read) {
            (Source::Bytes(bytes), _) => kernel.record(path, bytes),
            (Source::Ranges(_), Some(bytes)) => kernel.record(path, bytes),
            (Source::Ranges(remote), None) => kernel.record(path, &remote.all()?),
        };
        let _ = self.add(Found::Asset(Box::new(record)), None);
        Ok(())
    }

    fn add_bytes(&mut self, kernel: &Kernel, path: &Path, bytes: &[u8]) -> Result<(), Error> {
        let batches = self.batches;
        let input = Input::Bytes { path, data: bytes };
        kernel.run(input, |seen| batches.see(seen), |found, seen| self.add(found, seen))
    }

    fn add_ranges(&mut self, kernel: &Kernel, path: &Path, remote: &Remote) -> Result<(), Error> {
        let input = Input::Ranges { path, ranges: remote.ranges(), source: remote.source() };
        kernel.run(
            input,
            |_| ControlFlow::Continue(()),
            |found, seen| {
                if kernel.progress.is_stopped() {
                    return ControlFlow::Break(());
                }
                self.add(found, seen)
            },
        )
    }
}

fn send(sender: &SyncSender<Sent>, batch: RecordBatch) -> ControlFlow<()> {
    match sender.send(Ok(batch)) {
        Ok(()) => ControlFlow::Continue(()),
        // The receiver is gone.
        Err(_) => ControlFlow::Break(()),
    }
}

/// Sends the rows of unchanged files.
fn copy(old: &[RecordBatch], unchanged: &HashSet<PathBuf>, sender: &SyncSender<Sent>) -> Result<(), Error> {
    if unchanged.is_empty() {
        return Ok(());
    }
    for batch in old {
        let rows = since::rows_of(batch, &|path: &str| unchanged.contains(Path::new(path)))?;
        if rows.num_rows() > 0 && sender.send(Ok(rows)).is_err() {
            break;
        }
    }
    Ok(())
}
