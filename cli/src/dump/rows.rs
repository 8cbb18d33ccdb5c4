//! Formats rows of any table as CSV, NDJSON or NPY.

use std::io::Write;

use meshpeek::inspect::Value;
use meshpeek::view::{Column, Scalar, Table};
use serde::Serializer as _;

use super::{batches, raw};
use crate::failure::Failure;
use crate::output::Output;

/// The numbers of one row, by its columns.
fn numbers<'r>(columns: &'r [Column], mut row: &'r [u8]) -> impl Iterator<Item = Value<'static>> + 'r {
    columns.iter().map(move |column| {
        let (bytes, rest) = row.split_at(column.scalar.byte_len());
        row = rest;
        Value::number(column.scalar, bytes)
    })
}

pub(crate) fn texts(columns: &[Column], row: &[u8]) -> Vec<String> {
    numbers(columns, row).map(|number| number.to_string()).collect()
}

pub(crate) fn row_size(columns: &[Column]) -> usize {
    columns.iter().map(|column| column.scalar.byte_len()).sum()
}

fn each_row(
    table: &dyn Table,
    columns: &[Column],
    mut each: impl FnMut(&[u8]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let size = row_size(columns).max(1);
    batches(table, |rows| rows.chunks_exact(size).try_for_each(&mut each))
}

pub(super) fn csv(table: &dyn Table, out: &mut Output) -> Result<(), Failure> {
    let columns = table.columns();
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record(columns.iter().map(|column| column.name))?;
    each_row(table, &columns, |row| {
        for number in numbers(&columns, row) {
            csv.write_field(number.to_string())?;
        }
        Ok(csv.write_record(None::<&[u8]>)?)
    })?;
    Ok(csv.flush()?)
}

pub(super) fn ndjson(table: &dyn Table, out: &mut Output) -> Result<(), Failure> {
    let columns = table.columns();
    each_row(table, &columns, |row| {
        let fields = columns.iter().map(|column| column.name).zip(numbers(&columns, row));
        serde_json::Serializer::new(&mut *out).collect_map(fields)?;
        Ok(writeln!(out)?)
    })
}

/// Columns of one kind form a plain array of rows x columns (only rows if there is one column), a picture one of height x
/// width x columns. Others form a structured array.
pub(super) fn npy(table: &dyn Table, out: &mut Output) -> Result<(), Failure> {
    let columns = table.columns();
    let (rows, width) = (table.rows(), columns.len());
    let is_plain = columns.windows(2).all(|pair| pair[0].scalar == pair[1].scalar);
    let plain = columns.first().filter(|_| is_plain).map(|column| format!("'{}'", type_of(column.scalar)));
    let (kind, shape) = match (plain, table.picture()) {
        (Some(kind), Some([high, wide])) => (kind, format!("({high}, {wide}, {width})")),
        (Some(kind), None) if width == 1 => (kind, format!("({rows},)")),
        (Some(kind), None) => (kind, format!("({rows}, {width})")),
        (None, _) => {
            let field = |column: &Column| format!("('{}', '{}'), ", column.name, type_of(column.scalar));
            (format!("[{}]", columns.iter().map(field).collect::<String>()), format!("({rows},)"))
        }
    };
    let header = format!("{{'descr': {kind}, 'fortran_order': False, 'shape': {shape}, }}");
    // Magic, version 1.0, the header's length. The data must start at a multiple of 64.
    let padded = (10 + header.len() + 1).next_multiple_of(64) - 10;
    let length = u16::try_from(padded).map_err(|_| "too many columns for NPY")?;
    out.write_all(b"\x93NUMPY\x01\0")?;
    out.write_all(&length.to_le_bytes())?;
    writeln!(out, "{header:width$}", width = padded - 1)?;
    raw(table, out)
}

/// Its byte order, kind and size.
fn type_of(scalar: Scalar) -> String {
    let order = if scalar.byte_len() == 1 { '|' } else { '<' };
    format!("{order}{}{}", &scalar.name()[..1], scalar.byte_len())
}
