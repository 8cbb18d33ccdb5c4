//! The forms of results: text, JSON, CSV, annotations and tables. A verb chooses one when it starts, and adds its results
//! to it one by one.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use meshpeek::Error;
use meshpeek::scan::Record;
use serde::Serialize;

use crate::failure::Failure;
use crate::output::Output;
use crate::sorted::Sorted;
use crate::tables::Tables;

/// Writes results of the type `R` in one form. It may move to another thread.
pub(crate) trait Form<R>: Send {
    /// Writes a result, or keeps it until its place is known.
    fn add(&mut self, result: R) -> Result<(), Failure>;

    /// Adds a path that cannot be read. Most forms leave it to the message on standard error.
    fn unreadable(&mut self, _: &Error) -> Result<(), Failure> {
        Ok(())
    }

    /// Writes what is left.
    fn finish(self: Box<Self>, end: End<'_>) -> Result<(), Failure>;
}

/// Facts that are known only at the end. Each form takes those it needs.
#[derive(Clone, Copy, Default)]
pub(crate) struct End<'e> {
    /// True if everything could be read.
    pub(crate) is_whole: bool,
    /// True if a later scan may use the rows of these tables again.
    pub(crate) is_reusable: bool,
    /// The counts in words.
    pub(crate) counts: &'e str,
    /// The last lines of a stream with events.
    pub(crate) events: &'e str,
}

/// Lines of JSON.
pub(crate) struct JsonLines(pub(crate) Output);

impl<R: Serialize> Form<R> for JsonLines {
    fn add(&mut self, result: R) -> Result<(), Failure> {
        Ok(self.0.json_line(&result)?)
    }

    fn finish(mut self: Box<Self>, _: End<'_>) -> Result<(), Failure> {
        Ok(self.0.flush()?)
    }
}

/// One array of JSON.
pub(crate) struct JsonArray {
    out: Output,
    is_empty: bool,
}

impl JsonArray {
    pub(crate) fn new(out: Output) -> Self {
        Self { out, is_empty: true }
    }
}

impl<R: Serialize> Form<R> for JsonArray {
    fn add(&mut self, result: R) -> Result<(), Failure> {
        write!(self.out, "{}", if self.is_empty { "[\n  " } else { ",\n  " })?;
        self.is_empty = false;
        Ok(serde_json::to_writer(&mut self.out, &result)?)
    }

    fn finish(mut self: Box<Self>, _: End<'_>) -> Result<(), Failure> {
        writeln!(self.out, "{}", if self.is_empty { "[]" } else { "\n]" })?;
        Ok(self.out.flush()?)
    }
}

/// One table of Parquet or Arrow. `--since` cannot use it, so it is never marked as whole.
pub(crate) struct OneTable(pub(crate) Arc<Tables>);

/// A result that has rows in a table.
pub(crate) trait InTable {
    fn add_to(self, tables: &Tables) -> Result<(), Failure>;
}

impl<R: InTable> Form<R> for OneTable {
    fn add(&mut self, result: R) -> Result<(), Failure> {
        result.add_to(&self.0)
    }

    fn unreadable(&mut self, error: &Error) -> Result<(), Failure> {
        self.0.unreadable(error)
    }

    fn finish(self: Box<Self>, _: End<'_>) -> Result<(), Failure> {
        self.0.finish(false)
    }
}

/// Takes rows, each of them whole.
pub(crate) trait RowSink {
    fn put(&mut self, rows: &[u8]) -> io::Result<()>;
}

impl RowSink for Output {
    fn put(&mut self, rows: &[u8]) -> io::Result<()> {
        self.write_all(rows)
    }
}

/// Rows about records, written to `out` as they come, or at the end if they are sorted.
pub(crate) struct RecordRows<W> {
    pub(crate) out: W,
    sorted: Option<Sorted>,
}

impl<W: RowSink> RecordRows<W> {
    pub(crate) fn new(out: W, sorted: Option<Sorted>) -> Self {
        Self { out, sorted }
    }

    /// Returns true if the row of this record may be written. If not, it need not be made.
    pub(crate) fn wants(&self, record: &Record) -> bool {
        match &self.sorted {
            Some(sorted) => sorted.wants(record),
            None => true,
        }
    }

    /// Adds the row of a record.
    pub(crate) fn add(&mut self, record: &Record, row: &[u8]) -> io::Result<()> {
        match &mut self.sorted {
            Some(sorted) => sorted.push(record, row),
            None => self.out.put(row),
        }
    }

    /// Adds a row about a path or member of which there is no record.
    pub(crate) fn add_line(&mut self, path: &Path, member: Option<&str>, row: &[u8]) -> io::Result<()> {
        match &mut self.sorted {
            Some(sorted) => sorted.push_line(path, member, row),
            None => self.out.put(row),
        }
    }

    /// Writes the rows that waited, and returns the stream.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        if let Some(sorted) = &mut self.sorted {
            while let Some(row) = sorted.next()? {
                self.out.put(row)?;
            }
        }
        Ok(self.out)
    }
}

impl RecordRows<Output> {
    /// Passes on the rows so far to the reader, unless they wait for an order.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        if self.sorted.is_none() { self.out.flush() } else { Ok(()) }
    }

    /// Writes the rows that waited, and ends the stream.
    pub(crate) fn end(self) -> Result<(), Failure> {
        Ok(self.finish()?.flush()?)
    }
}
