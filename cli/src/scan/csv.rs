//! Records as rows of CSV.

use std::fmt::{Display, Write as _};

use meshpeek::Format;
use meshpeek::scan::Record;
use meshpeek::summary::Severity;

use crate::failure::Failure;

const FRONT: [&str; 5] = ["path", "member", "format", "version", "bytes"];
const BACK: [&str; 5] = ["references", "errors", "warnings", "first_code", "first_problem"];
const DIGESTS: [&str; 9] = ["positions", "indices", "uvs", "normals", "faces", "times", "transforms", "pixels", "file"];
/// The remaining columns, named as in tables. New columns come last.
const REST: &str = "lossy,xmin,ymin,zmin,xmax,ymax,zmax,stored_blocks,packed_blocks,packed_bytes,unpacked_bytes,\
    stored_offset,stored_bytes,method,time,prefix,stamp,mtime,address,\
    texture_kind,width,height";

/// Makes the header, then one row per record.
pub(super) struct CsvMaker {
    /// The row under construction.
    rows: csv::Writer<Vec<u8>>,
    counts: Vec<&'static str>,
    cell: String,
    /// True if cells that a spreadsheet would evaluate are marked as text.
    safe: bool,
}

impl CsvMaker {
    pub(super) fn new(safe: bool) -> Self {
        Self { rows: new_row(), counts: count_columns(), cell: String::new(), safe }
    }

    /// Makes the row of the names of columns.
    pub(super) fn header(&mut self) -> Result<Vec<u8>, Failure> {
        for name in FRONT.iter().chain(&self.counts).chain(&BACK) {
            self.rows.write_field(name)?;
        }
        for name in DIGESTS {
            self.rows.write_field(format!("sha256_{name}"))?;
        }
        for name in REST.split(',') {
            self.rows.write_field(name)?;
        }
        self.rows.write_record(None::<&[u8]>)?;
        self.take()
    }

    /// Returns the row, with the end of its line.
    fn take(&mut self) -> Result<Vec<u8>, Failure> {
        let row = std::mem::replace(&mut self.rows, new_row());
        Ok(row.into_inner().map_err(csv::IntoInnerError::into_error)?)
    }

    /// Makes the row of a record.
    pub(super) fn row(&mut self, record: &Record) -> Result<Vec<u8>, Failure> {
        let summary = &record.summary;
        self.cell(Some(record.path_name().text))?;
        self.cell(record.member.as_ref().map(|member| &member.text))?;
        self.cell(summary.format)?;
        self.cell(summary.version)?;
        self.cell(Some(summary.bytes))?;
        for index in 0..self.counts.len() {
            self.cell(summary.counts.get(self.counts[index]))?;
        }
        self.cell(Some(summary.references.len()))?;
        for severity in [Severity::Error, Severity::Warning] {
            self.cell(Some(summary.problems.iter().filter(|problem| problem.severity == severity).count()))?;
        }
        match summary.problems.first() {
            Some(problem) => {
                self.cell(Some(problem.code))?;
                self.cell(Some(&problem.message))?;
            }
            None => self.empty(2)?,
        }
        for name in DIGESTS {
            self.cell(digest(record, name))?;
        }
        self.rest(record)?;
        self.rows.write_record(None::<&[u8]>)?;
        self.take()
    }

    /// The cells of [`REST`].
    fn rest(&mut self, record: &Record) -> Result<(), Failure> {
        let Record { summary, stored, prefix, stamp, .. } = record;
        self.cell(Some(record.is_lossy()))?;
        match summary.bounds {
            Some(bounds) => {
                for coordinate in [bounds.min, bounds.max].as_flattened() {
                    self.cell(Some(coordinate))?;
                }
            }
            None => self.empty(6)?,
        }
        let blocks = summary.blocks;
        for number in [blocks.stored, blocks.packed, blocks.packed_bytes, blocks.unpacked_bytes] {
            self.cell(Some(number))?;
        }
        match stored {
            Some(stored) => {
                self.cell(stored.offset)?;
                self.cell(Some(stored.bytes))?;
                self.cell(Some(&stored.method))?;
                self.cell(stored.time.as_ref())?;
            }
            None => self.empty(4)?,
        }
        self.cell(prefix.as_ref().map(|prefix| &prefix.text))?;
        self.cell(stamp.as_ref())?;
        self.cell(record.modified_text())?;
        self.cell(Some(record.address()))?;
        match summary.texture {
            Some(texture) => {
                self.cell(Some(texture.kind))?;
                self.cell(Some(texture.width))?;
                self.cell(Some(texture.height))
            }
            None => self.empty(3),
        }
    }

    fn empty(&mut self, cells: usize) -> Result<(), Failure> {
        for _ in 0..cells {
            self.cell(None::<&str>)?;
        }
        Ok(())
    }

    /// Writes the next cell of a row. No value gives an empty cell.
    fn cell(&mut self, value: Option<impl Display>) -> Result<(), Failure> {
        self.cell.clear();
        if let Some(value) = value {
            // Writing to a String cannot fail.
            let _ = write!(self.cell, "{value}");
        }
        // An apostrophe makes spreadsheets treat a cell as text.
        if self.safe && self.cell.starts_with(['=', '+', '-', '@', '\t', '\r']) {
            self.cell.insert(0, '\'');
        }
        Ok(self.rows.write_field(&self.cell)?)
    }
}

fn digest<'r>(record: &'r Record, name: &str) -> Option<&'r str> {
    let digests = record.digests.as_ref()?;
    let (_, digest) = digests.iter().find(|(known, _)| *known == name)?;
    digest
}

fn new_row() -> csv::Writer<Vec<u8>> {
    /// The size of most rows.
    const ROW: usize = 1 << 10;
    csv::WriterBuilder::new().buffer_capacity(ROW).from_writer(Vec::new())
}

/// One column for each count of any format.
fn count_columns() -> Vec<&'static str> {
    let mut names: Vec<&str> = Vec::new();
    for format in Format::ALL {
        for &name in format.count_names() {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}
