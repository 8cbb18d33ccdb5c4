//! The rows of records in the order of `--sort`. The rows of a record wait together in the row format of Arrow.

use std::collections::BTreeMap;
use std::iter::zip;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use arrow_row::{RowConverter, Rows, SortField};
use meshpeek::Format;
use meshpeek::scan::Record;
use meshpeek_tables::arrow_array::RecordBatch;
use meshpeek_tables::{Batches, Table};

use super::files::Files;
use super::take::{ROWS, Take};
use crate::failure::Failure;
use crate::lock::lock;
use crate::sorted::Sorted;

/// Rows are written when this many bytes of them are collected.
const BYTES: usize = 1 << 20;
/// Records are converted when there are this many.
const RECORDS: usize = 1024;

pub(super) struct SortedRows {
    sorted: Sorted,
    /// The tables with rows of records.
    tables: Vec<(Table, RowConverter)>,
    batches: Batches<Take>,
    full: Full,
    /// The records in the batches.
    records: Vec<Waiting>,
}

/// Batches that are handed over.
type Full = Arc<Mutex<Vec<(Table, RecordBatch)>>>;

/// A record whose rows are in the batches.
struct Waiting {
    key: Vec<u8>,
    format: Option<Format>,
    /// The number of its rows in each table.
    counts: Vec<usize>,
}

impl SortedRows {
    /// Creates rows for those of these tables that have rows of records.
    pub(super) fn new(sorted: Sorted, tables: &[Table]) -> Result<Self, Failure> {
        let of_records = [Table::Assets, Table::Problems, Table::Files];
        let tables: Vec<Table> = tables.iter().copied().filter(|table| of_records.contains(table)).collect();
        let full = Full::default();
        let taken = full.clone();
        let take: Take = Box::new(move |table, batch| {
            lock(&taken).push((table, batch));
            Ok(ControlFlow::Continue(()))
        });
        let batches = Batches::new(&tables, ROWS, take);
        let mut converters = Vec::new();
        for table in tables {
            let schema = table.schema();
            let fields = schema.fields().iter().map(|field| SortField::new(field.data_type().clone()));
            converters.push((table, RowConverter::new(fields.collect()).map_err(failure)?));
        }
        Ok(Self { sorted, tables: converters, batches, full, records: Vec::new() })
    }

    pub(super) fn add(&mut self, record: &Record) -> Result<(), Failure> {
        if !self.sorted.wants(record) {
            return Ok(());
        }
        let counts = self.tables.iter().map(|(table, _)| row_count(record, *table)).collect();
        self.records.push(Waiting { key: self.sorted.key(record), format: record.summary.format, counts });
        if self.batches.record(record).is_break() {
            self.batches.finish()?;
        }
        let is_full = !lock(&self.full).is_empty();
        if is_full || self.records.len() >= RECORDS { self.convert() } else { Ok(()) }
    }

    /// Gives the rows of all waiting records to be sorted, those of each record as one.
    fn convert(&mut self) -> Result<(), Failure> {
        self.batches.finish()?;
        let full = std::mem::take(&mut *lock(&self.full));
        let mut converted: Vec<Vec<Rows>> = Vec::new();
        for (table, converter) in &self.tables {
            let mut of_table = Vec::new();
            for (other, batch) in &full {
                if other == table {
                    of_table.push(converter.convert_columns(batch.columns()).map_err(failure)?);
                }
            }
            converted.push(of_table);
        }
        let mut rows: Vec<_> = converted.iter().map(|of_table| of_table.iter().flatten()).collect();
        let mut whole = Vec::new();
        for Waiting { key, format, counts } in self.records.drain(..) {
            whole.clear();
            whole.push(place_of(format));
            for (index, (count, rows)) in zip(0.., zip(counts, &mut rows)) {
                for row in rows.take(count) {
                    let row: &[u8] = row.as_ref();
                    whole.push(index);
                    whole.extend((row.len() as u64).to_le_bytes());
                    whole.extend(row);
                }
            }
            self.sorted.push_at(&key, &whole)?;
        }
        Ok(())
    }

    /// Writes all rows in order.
    pub(super) fn write(mut self, files: &Files) -> Result<(), Failure> {
        self.convert()?;
        let mut collected: BTreeMap<(u8, u8), Collected> = BTreeMap::new();
        while let Some(row) = self.sorted.next()? {
            let [format, rest @ ..] = row else { continue };
            // Without a division by format, all rows of a table are together.
            let format = if files.are_by_format() { *format } else { u8::MAX };
            let mut rest = rest;
            while let Some((table, row, after)) = part(rest) {
                rest = after;
                let rows = collected.entry((format, table)).or_default();
                rows.bytes += row.len();
                rows.rows.push(row.to_vec());
                if (rows.rows.len() >= ROWS || rows.bytes >= BYTES)
                    && let Some(rows) = collected.remove(&(format, table))
                {
                    write(&self.tables, (format, table), &rows, files)?;
                }
            }
        }
        for (place, rows) in &collected {
            write(&self.tables, *place, rows, files)?;
        }
        Ok(())
    }
}

/// The number of rows of a record in a table.
fn row_count(record: &Record, table: Table) -> usize {
    match table {
        Table::Problems => record.summary.problems.len(),
        Table::Files => usize::from(record.member.is_none()),
        _ => 1,
    }
}

/// The place of a format among all, or the largest number without one.
fn place_of(format: Option<Format>) -> u8 {
    match Format::ALL.iter().position(|known| Some(*known) == format) {
        Some(place) => u8::try_from(place).unwrap_or(u8::MAX),
        None => u8::MAX,
    }
}

/// Rows of one table and format.
#[derive(Default)]
struct Collected {
    rows: Vec<Vec<u8>>,
    bytes: usize,
}

/// The next row of a record, and those after it.
fn part(rest: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&[table], rest) = rest.split_first_chunk()?;
    let (length, rest) = rest.split_first_chunk()?;
    let (row, rest) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
    Some((table, row, rest))
}

fn write(
    tables: &[(Table, RowConverter)],
    (format, table): (u8, u8),
    rows: &Collected,
    files: &Files,
) -> Result<(), Failure> {
    let Some((table, converter)) = tables.get(usize::from(table)) else { return Ok(()) };
    let parser = converter.parser();
    let columns = converter.convert_rows(rows.rows.iter().map(|row| parser.parse(row))).map_err(failure)?;
    let batch = RecordBatch::try_new(table.schema(), columns).map_err(failure)?;
    files.write(*table, Format::ALL.get(usize::from(format)).copied(), &batch)
}

/// The failure of an internal error of Arrow.
fn failure(error: impl std::fmt::Display) -> Failure {
    Failure::Message(error.to_string())
}
