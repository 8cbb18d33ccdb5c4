//! Formats rows of any table as CSV, NDJSON, NPY or raw bytes.

use std::io::Write;
use std::ops::ControlFlow;

use meshpeek::inspect::Value;
use meshpeek::view::{Column, Scalar, Table};
use serde::Serializer as _;

use crate::failure::Failure;
use crate::output::Output;

/// The numbers of one row, with the names of their columns.
struct Numbers<'r> {
    columns: std::slice::Iter<'r, Column>,
    row: &'r [u8],
}

impl<'r> Numbers<'r> {
    fn new(columns: &'r [Column], row: &'r [u8]) -> Self {
        Self { columns: columns.iter(), row }
    }
}

impl Iterator for Numbers<'_> {
    type Item = (&'static str, Value<'static>);

    fn next(&mut self) -> Option<Self::Item> {
        let column = self.columns.next()?;
        let (bytes, rest) = self.row.split_at(column.scalar.byte_len());
        self.row = rest;
        Some((column.name, Value::number(column.scalar, bytes)))
    }
}

pub(crate) fn texts(columns: &[Column], row: &[u8]) -> Vec<String> {
    Numbers::new(columns, row).map(|(_, number)| number.to_string()).collect()
}

pub(crate) fn row_size(columns: &[Column]) -> usize {
    columns.iter().map(|column| column.scalar.byte_len()).sum()
}

pub(super) fn csv(table: &dyn Table, out: &mut Output) -> Result<(), Failure> {
    let columns = table.columns();
    let size = row_size(&columns).max(1);
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record(columns.iter().map(|column| column.name))?;
    batches(table, |rows| {
        for row in rows.chunks_exact(size) {
            for (_, number) in Numbers::new(&columns, row) {
                csv.write_field(number.to_string())?;
            }
            csv.write_record(None::<&[u8]>)?;
        }
        Ok(())
    })?;
    Ok(csv.flush()?)
}

pub(super) fn ndjson(table: &dyn Table, out: &mut Output) -> Result<(), Failure> {
    let columns = table.columns();
    let size = row_size(&columns).max(1);
    batches(table, |rows| {
        for row in rows.chunks_exact(size) {
            serde_json::Serializer::new(&mut *out).collect_map(Numbers::new(&columns, row))?;
            writeln!(out)?;
        }
        Ok(())
    })
}

/// Columns of one kind form a plain array of rows x columns (only rows if there is one column), a picture one of height x
/// width x columns. Others form a structured array.
pub(super) fn npy(table: &dyn Table, out: &mut Output) -> Result<(), Failure> {
    let header = header(table);
    // Magic, version 1.0, the header's length. The data must start at a multiple of 64.
    let padded = (10 + header.len() + 1).next_multiple_of(64) - 10;
    let length = u16::try_from(padded).map_err(|_| "too many columns for NPY")?;
    out.write_all(b"\x93NUMPY\x01\0")?;
    out.write_all(&length.to_le_bytes())?;
    writeln!(out, "{header:width$}", width = padded - 1)?;
    raw(table, out)
}

/// The type and shape of the array.
fn header(table: &dyn Table) -> String {
    let columns = table.columns();
    let rows = table.rows();
    let width = columns.len();
    let Some(scalar) = only_scalar(&columns) else {
        let fields = fields(&columns);
        return format!("{{'descr': [{fields}], 'fortran_order': False, 'shape': ({rows},), }}");
    };
    let shape = match table.picture() {
        Some([high, wide]) => format!("({high}, {wide}, {width})"),
        None if width == 1 => format!("({rows},)"),
        None => format!("({rows}, {width})"),
    };
    format!("{{'descr': '{}', 'fortran_order': False, 'shape': {shape}, }}", type_of(scalar))
}

/// The kind of the columns, if it is the same for all.
fn only_scalar(columns: &[Column]) -> Option<Scalar> {
    let scalar = columns.first()?.scalar;
    if columns.iter().any(|column| column.scalar != scalar) {
        return None;
    }
    Some(scalar)
}

/// The names and types of the columns of a structured array.
fn fields(columns: &[Column]) -> String {
    let mut fields = String::new();
    for column in columns {
        fields += &format!("('{}', '{}'), ", column.name, type_of(column.scalar));
    }
    fields
}

/// Its byte order, kind and size.
fn type_of(scalar: Scalar) -> String {
    let order = if scalar.byte_len() == 1 { '|' } else { '<' };
    format!("{order}{}{}", &scalar.name()[..1], scalar.byte_len())
}

/// Writes the table's rows unchanged. The rows are copied first: a system call on mapped bytes fails if they were
/// truncated meanwhile, and the failure would look like an error of writing.
pub(super) fn raw(table: &dyn Table, out: &mut Output) -> Result<(), Failure> {
    let mut copy = Vec::new();
    batches(table, |rows| {
        for part in rows.chunks(1 << 15) {
            copy.clear();
            copy.extend_from_slice(part);
            out.write_all(&copy)?;
        }
        Ok(())
    })
}

/// Iterates over the table's rows in batches. The first failure ends it.
fn batches(table: &dyn Table, mut each: impl FnMut(&[u8]) -> Result<(), Failure>) -> Result<(), Failure> {
    let mut failure = None;
    let read = table.read(&mut |rows| match each(rows) {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => {
            failure = Some(error);
            ControlFlow::Break(())
        }
    });
    // An error of writing takes precedence over an error of reading.
    match failure {
        Some(failure) => Err(failure),
        None => Ok(read?),
    }
}
