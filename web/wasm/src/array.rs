//! One array as numbers, CSV and NPY, in the forms that `dump` writes.

use std::fmt::Write as _;

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
        let none = || Error::unsupported(format!("no array {selector}"));
        let data = node.in_memory().ok_or_else(none)?;
        let (array, picture) = node.ask(|asset| {
            let array = Array::find(asset, data, &wanted, &budget(asset.size()))?.ok_or_else(none)?;
            let mut picture = None;
            wanted.find(asset, &mut |table| picture = table.picture());
            Ok((array, picture))
        })?;
        let row = array.row_byte_len();
        let bytes = match array.content {
            Content::Decoded(bytes) => bytes,
            Content::Here { range, stride } if stride == row => data.get(range).unwrap_or_default().to_vec(),
            Content::Here { range, stride } => {
                let rows = data.get(range).unwrap_or_default().chunks(stride.max(1));
                rows.filter_map(|chunk| chunk.get(..row)).flatten().copied().collect()
            }
        };
        let mut end = 0;
        let starts = array.columns.iter().map(|column| {
            let start = end;
            end += column.scalar.byte_len();
            start
        });
        let starts = starts.collect();
        Ok(Self { starts, columns: array.columns, row, rows: array.rows, bytes, picture })
    }

    pub(crate) fn about(&self) -> Value {
        let column = |column: &Column| json!({ "name": column.name, "type": column.scalar.name() });
        let columns: Vec<Value> = self.columns.iter().map(column).collect();
        json!({ "columns": columns, "rows": self.rows, "bytes": self.bytes.len(), "picture": self.picture })
    }

    fn cell(&self, row: usize, column: usize) -> Option<(Scalar, [u8; 8])> {
        let scalar = self.columns.get(column)?.scalar;
        let start = row.checked_mul(self.row)?.checked_add(*self.starts.get(column)?)?;
        let bytes = self.bytes.get(start..start.checked_add(scalar.byte_len())?)?;
        let mut wide = [0; 8];
        wide.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some((scalar, wide))
    }

    fn number(&self, row: usize, column: usize) -> Option<f64> {
        let (scalar, wide) = self.cell(row, column)?;
        Some(match number(scalar, wide) {
            Number::Int(number) => number as f64,
            Number::Float(number) => f64::from(number),
        })
    }

    pub(crate) fn rows(&self, from: u64, count: u32) -> Vec<f64> {
        let from = usize::try_from(from).unwrap_or(usize::MAX);
        let rows = from..from.saturating_add(count as usize).min(usize::try_from(self.rows).unwrap_or(usize::MAX));
        let cells = rows.flat_map(|row| (0..self.columns.len()).map(move |column| (row, column)));
        cells.map(|(row, column)| self.number(row, column).unwrap_or(f64::NAN)).collect()
    }

    pub(crate) fn plot(&self, column: usize, parts: usize) -> Vec<f64> {
        let rows = usize::try_from(self.rows).unwrap_or(usize::MAX);
        let parts = parts.min(rows);
        let edge = |part: usize| ((part as u128) * (rows as u128) / (parts.max(1) as u128)) as usize;
        let part = |part| {
            let numbers = (edge(part)..edge(part + 1)).filter_map(|row| self.number(row, column));
            let numbers = numbers.filter(|number| number.is_finite());
            let (least, most) = numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), number| {
                (least.min(number), most.max(number))
            });
            [least, most]
        };
        (0..parts).flat_map(part).collect()
    }

    pub(crate) fn csv(&self) -> Vec<u8> {
        let mut text = String::new();
        let names: Vec<&str> = self.columns.iter().map(|column| column.name).collect();
        text.push_str(&names.join(","));
        text.push('\n');
        for row in 0..usize::try_from(self.rows).unwrap_or(usize::MAX) {
            for column in 0..self.columns.len() {
                let Some((scalar, wide)) = self.cell(row, column) else { return text.into_bytes() };
                if column > 0 {
                    text.push(',');
                }
                let _ = match number(scalar, wide) {
                    Number::Int(number) => write!(text, "{number}"),
                    Number::Float(number) => write!(text, "{number}"),
                };
            }
            text.push('\n');
        }
        text.into_bytes()
    }

    /// Columns of one kind form rows x columns, a picture height x width x columns, others a structured array.
    pub(crate) fn npy(&self) -> Result<Vec<u8>> {
        let (rows, width) = (self.rows, self.columns.len());
        let first = self.columns.first().map(|column| column.scalar);
        let plain = first.filter(|first| self.columns.iter().all(|column| column.scalar == *first));
        let (kind, shape) = match (plain.map(type_of), self.picture) {
            (Some(kind), Some([high, wide])) => (format!("'{kind}'"), format!("({high}, {wide}, {width})")),
            (Some(kind), None) if width == 1 => (format!("'{kind}'"), format!("({rows},)")),
            (Some(kind), None) => (format!("'{kind}'"), format!("({rows}, {width})")),
            (None, _) => {
                let field = |column: &Column| format!("('{}', '{}'), ", column.name, type_of(column.scalar));
                (format!("[{}]", self.columns.iter().map(field).collect::<String>()), format!("({rows},)"))
            }
        };
        let header = format!("{{'descr': {kind}, 'fortran_order': False, 'shape': {shape}, }}");
        // Magic, version 1.0, the header's length. The data must start at a multiple of 64.
        let padded = (10 + header.len() + 1).next_multiple_of(64) - 10;
        let length = u16::try_from(padded).map_err(|_| Error::unsupported("too many columns for NPY"))?;
        let mut npy = b"\x93NUMPY\x01\0".to_vec();
        npy.extend(length.to_le_bytes());
        npy.extend(format!("{header:width$}\n", width = padded - 1).into_bytes());
        npy.extend(&self.bytes);
        Ok(npy)
    }
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
