//! One array as numbers, CSV and NPY, in the forms that `dump` writes.

use std::fmt::Write as _;
use std::ops::Range;

use meshpeek::inspect::array::Content;
use meshpeek::inspect::{Array, Inspect as _, Selector};
use meshpeek::view::{Column, Scalar};
use meshpeek::{Error, half};
use serde_json::{Value, json};

use crate::node::Node;
use crate::{Result, budget};

/// An array with its bytes, row after row without gaps.
pub(crate) struct Table {
    columns: Vec<Column>,
    /// The start of each column in a row.
    starts: Vec<usize>,
    row: usize,
    rows: u64,
    bytes: Vec<u8>,
    picture: Option<[u64; 2]>,
}

impl Table {
    pub(crate) fn of(node: &Node, selector: &str) -> Result<Self> {
        let wanted: Selector = selector.parse()?;
        let Some(data) = node.in_memory() else { return Err(no_array(selector)) };
        let (array, picture) = node.ask(|asset| {
            let Some(array) = Array::find(asset, data, &wanted, &budget(asset.size()))? else {
                return Err(no_array(selector));
            };
            let mut picture = None;
            wanted.find(asset, &mut |table| picture = table.picture())?;
            Ok((array, picture))
        })?;
        let row = array.row_byte_len();
        let bytes = match array.content {
            Content::Decoded(bytes) => bytes,
            Content::Here { range, stride } => without_gaps(data.get(range).unwrap_or_default(), stride, row),
            _ => return Err(no_array(selector)),
        };
        let mut starts = Vec::new();
        let mut end = 0;
        for column in &array.columns {
            starts.push(end);
            end += column.scalar.byte_len();
        }
        Ok(Self { starts, columns: array.columns, row, rows: array.rows, bytes, picture })
    }

    pub(crate) fn about(&self) -> Value {
        let mut columns = Vec::new();
        for column in &self.columns {
            columns.push(json!({ "name": column.name, "type": column.scalar.name() }));
        }
        json!({ "columns": columns, "rows": self.rows, "bytes": self.bytes.len(), "picture": self.picture })
    }

    /// The number of rows, as far as they can be counted in memory.
    pub(crate) fn row_count(&self) -> usize {
        usize::try_from(self.rows).unwrap_or(usize::MAX)
    }

    /// Returns the number in a cell, or nothing outside the array.
    fn cell(&self, row: usize, column: usize) -> Option<Number> {
        let scalar = self.columns.get(column)?.scalar;
        let start = row.checked_mul(self.row)?.checked_add(*self.starts.get(column)?)?;
        let bytes = self.bytes.get(start..start.checked_add(scalar.byte_len())?)?;
        let mut wide = [0; 8];
        wide.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(number(scalar, wide))
    }

    fn number(&self, row: usize, column: usize) -> Option<f64> {
        match self.cell(row, column)? {
            Number::Int(number) => Some(number as f64),
            Number::Float(number) => Some(f64::from(number)),
        }
    }

    /// Rows as numbers, row after row. A cell without a number is NaN.
    pub(crate) fn rows(&self, from: u64, count: u32) -> Vec<f64> {
        let from = usize::try_from(from).unwrap_or(usize::MAX);
        let end = from.saturating_add(count as usize).min(self.row_count());
        let mut numbers = Vec::new();
        for row in from..end {
            for column in 0..self.columns.len() {
                numbers.push(self.number(row, column).unwrap_or(f64::NAN));
            }
        }
        numbers
    }

    /// The least and the greatest finite number of a column in each of this many equal parts of its rows.
    pub(crate) fn plot(&self, column: usize, parts: usize) -> Vec<f64> {
        let rows = self.row_count();
        let parts = parts.min(rows);
        let mut extremes = Vec::new();
        let mut end = 0;
        for part in 1..=parts {
            let start = end;
            // A product of two counts may not fit in 64 bits.
            end = (part as u128 * rows as u128 / parts as u128) as usize;
            let mut least = f64::INFINITY;
            let mut most = f64::NEG_INFINITY;
            for row in start..end {
                if let Some(number) = self.number(row, column)
                    && number.is_finite()
                {
                    least = least.min(number);
                    most = most.max(number);
                }
            }
            extremes.push(least);
            extremes.push(most);
        }
        extremes
    }

    pub(crate) fn csv(&self) -> Vec<u8> {
        let mut text = String::new();
        let names: Vec<&str> = self.columns.iter().map(|column| column.name).collect();
        text.push_str(&names.join(","));
        text.push('\n');
        self.write_rows(&mut text, 0..self.row_count());
        text.into_bytes()
    }

    /// Some rows as in the CSV file.
    pub(crate) fn texts(&self, from: u64, count: u32) -> String {
        let from = usize::try_from(from).unwrap_or(usize::MAX);
        let end = from.saturating_add(count as usize).min(self.row_count());
        let mut text = String::new();
        self.write_rows(&mut text, from..end);
        text
    }

    /// Writes rows up to the first that is not there.
    fn write_rows(&self, text: &mut String, rows: Range<usize>) {
        for row in rows {
            for column in 0..self.columns.len() {
                let Some(number) = self.cell(row, column) else { return };
                if column > 0 {
                    text.push(',');
                }
                let _ = match number {
                    Number::Int(number) => write!(text, "{number}"),
                    Number::Float(number) => write!(text, "{number}"),
                };
            }
            text.push('\n');
        }
    }

    /// The type that all columns have, if it is one.
    fn common_type(&self) -> Option<Scalar> {
        let first = self.columns.first()?.scalar;
        for column in &self.columns {
            if column.scalar != first {
                return None;
            }
        }
        Some(first)
    }

    /// The header of an NPY file. Columns of one type form rows x columns, a picture height x width x columns, others a
    /// structured array.
    fn npy_header(&self) -> String {
        let rows = self.rows;
        let width = self.columns.len();
        let mut shape = format!("({rows},)");
        let kind;
        if let Some(scalar) = self.common_type() {
            kind = format!("'{}'", type_of(scalar));
            if let Some([high, wide]) = self.picture {
                shape = format!("({high}, {wide}, {width})");
            } else if width != 1 {
                shape = format!("({rows}, {width})");
            }
        } else {
            let mut fields = String::new();
            for column in &self.columns {
                let _ = write!(fields, "('{}', '{}'), ", column.name, type_of(column.scalar));
            }
            kind = format!("[{fields}]");
        }
        format!("{{'descr': {kind}, 'fortran_order': False, 'shape': {shape}, }}")
    }

    pub(crate) fn npy(&self) -> Result<Vec<u8>> {
        let header = self.npy_header();
        // Magic, version 1.0, the header's length. The data must start at a multiple of 64.
        let padded = (10 + header.len() + 1).next_multiple_of(64) - 10;
        let Ok(length) = u16::try_from(padded) else { return Err(Error::unsupported("too many columns for NPY")) };
        let mut npy = b"\x93NUMPY\x01\0".to_vec();
        npy.extend(length.to_le_bytes());
        npy.extend(format!("{header:width$}\n", width = padded - 1).into_bytes());
        npy.extend(&self.bytes);
        Ok(npy)
    }
}

fn no_array(selector: &str) -> Error {
    Error::unsupported(format!("no array {selector}"))
}

/// Returns rows that start `stride` bytes apart without the bytes between them.
fn without_gaps(data: &[u8], stride: usize, row: usize) -> Vec<u8> {
    if stride == row {
        return data.to_vec();
    }
    let mut bytes = Vec::new();
    for chunk in data.chunks(stride.max(1)) {
        if let Some(row) = chunk.get(..row) {
            bytes.extend_from_slice(row);
        }
    }
    bytes
}

enum Number {
    Int(i64),
    Float(f32),
}

fn number(scalar: Scalar, wide: [u8; 8]) -> Number {
    let [a, b, c, d, ..] = wide;
    let number = i64::from_le_bytes(wide);
    match scalar {
        Scalar::F16 => Number::Float(half::f16::from_le_bytes([a, b]).to_f32()),
        Scalar::F32 => Number::Float(f32::from_le_bytes([a, b, c, d])),
        // The sign is the highest bit of the number's own width.
        Scalar::I8 | Scalar::I16 | Scalar::I32 => {
            let unused = 64 - 8 * scalar.byte_len();
            Number::Int(number << unused >> unused)
        }
        _ => Number::Int(number),
    }
}

/// Its byte order, kind and size in NumPy's notation.
fn type_of(scalar: Scalar) -> String {
    let order = if scalar.byte_len() == 1 { '|' } else { '<' };
    format!("{order}{}{}", &scalar.name()[..1], scalar.byte_len())
}
