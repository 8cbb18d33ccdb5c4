//! Builds a record's columns from those of its fields. This runs at compile time only, for constants, where a wrong
//! index, an overflow or a panic is a compile error.
#![allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, clippy::panic)]

use super::array::{Column, Scalar};

/// A field's name and the columns of its type.
pub(crate) type Field = (&'static str, &'static [Column]);

/// The name of a column at the start of an array that is longer than any, its length, and the column's type.
pub(crate) type Named = ([u8; 64], usize, Scalar);

/// Returns the number of columns that these fields have together.
pub(crate) const fn count(fields: &[Field]) -> usize {
    let mut sum = 0;
    let mut i = 0;
    while i < fields.len() {
        sum += fields[i].1.len();
        i += 1;
    }
    sum
}

/// Returns the name and the type of each column: `radius`, or `position_x`, `position_y` for a field of several
/// columns.
pub(crate) const fn names<const COUNT: usize>(fields: &[Field]) -> [Named; COUNT] {
    let mut all = [([b'_'; 64], 0, Scalar::U8); COUNT];
    let mut at = 0;
    let mut i = 0;
    while i < fields.len() {
        let (name, columns) = fields[i];
        let mut j = 0;
        while j < columns.len() {
            let (text, len, scalar) = &mut all[at];
            *len = put(text, 0, name);
            if columns.len() > 1 {
                // One byte stays free: the text is filled with underscores.
                *len = put(text, *len + 1, columns[j].name);
            }
            *scalar = columns[j].scalar;
            at += 1;
            j += 1;
        }
        i += 1;
    }
    all
}

/// Writes a part of a name from index `at` on. Returns the index of its end.
const fn put(text: &mut [u8], at: usize, part: &str) -> usize {
    let mut i = 0;
    while i < part.len() {
        text[at + i] = part.as_bytes()[i];
        i += 1;
    }
    at + i
}

/// Builds the columns from their names and types.
pub(crate) const fn columns<const COUNT: usize>(names: &'static [Named; COUNT]) -> [Column; COUNT] {
    let mut all = [Column::new("", Scalar::U8); COUNT];
    let mut i = 0;
    while i < COUNT {
        let (text, len, scalar) = &names[i];
        let Ok(name) = std::str::from_utf8(text.split_at(*len).0) else { panic!("a name is put as a whole") };
        all[i] = Column::new(name, *scalar);
        i += 1;
    }
    all
}
