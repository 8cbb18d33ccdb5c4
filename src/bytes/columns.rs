//! Builds a record's columns from those of its fields. This runs at compile time only, for constants, where a wrong
//! index, an overflow or a panic is a compile error.
#![allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, clippy::panic)]

use super::array::Column;

/// A field's name and the columns of its type.
pub(crate) type Field = (&'static str, &'static [Column]);

/// Returns the total number of columns.
pub(crate) const fn count(fields: &[Field]) -> usize {
    let (mut sum, mut i) = (0, 0);
    while i < fields.len() {
        sum += fields[i].1.len();
        i += 1;
    }
    sum
}

/// Returns the total length of the column names in bytes.
pub(crate) const fn bytes(fields: &[Field]) -> usize {
    let (mut sum, mut i) = (0, 0);
    while i < fields.len() {
        let mut j = 0;
        while j < fields[i].1.len() {
            sum += name_bytes(fields[i], j);
            j += 1;
        }
        i += 1;
    }
    sum
}

const fn name_bytes((name, columns): Field, index: usize) -> usize {
    if columns.len() == 1 { name.len() } else { name.len() + 1 + columns[index].name.len() }
}

/// Concatenates the names: `radius`, or `position_x`, `position_y` for a field of several columns.
pub(crate) const fn names<const BYTES: usize>(fields: &[Field]) -> [u8; BYTES] {
    let (mut text, mut at, mut i) = ([b'_'; BYTES], 0, 0);
    while i < fields.len() {
        let (name, columns) = fields[i];
        let mut j = 0;
        while j < columns.len() {
            put(&mut text, at, name);
            if columns.len() > 1 {
                put(&mut text, at + name.len() + 1, columns[j].name);
            }
            at += name_bytes(fields[i], j);
            j += 1;
        }
        i += 1;
    }
    text
}

const fn put(text: &mut [u8], at: usize, part: &str) {
    let mut i = 0;
    while i < part.len() {
        text[at + i] = part.as_bytes()[i];
        i += 1;
    }
}

/// Builds the columns, slicing their names from the concatenated text.
pub(crate) const fn cut<const COUNT: usize>(fields: &[Field], mut text: &'static [u8]) -> [Column; COUNT] {
    let mut all = [Column::new("", super::array::Scalar::U8); COUNT];
    let (mut at, mut i) = (0, 0);
    while i < fields.len() {
        let mut j = 0;
        while j < fields[i].1.len() {
            let (name, rest) = text.split_at(name_bytes(fields[i], j));
            let Ok(name) = std::str::from_utf8(name) else { panic!("a name is cut where it was put") };
            all[at] = Column::new(name, fields[i].1[j].scalar);
            text = rest;
            at += 1;
            j += 1;
        }
        i += 1;
    }
    all
}
