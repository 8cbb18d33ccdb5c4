//! The fields and arrays of an asset, found in its outline.

use meshpeek::inspect::{Selector, to_bytes};
use meshpeek::view::Table;
use meshpeek::{Inspect, Limits};
use serde_json::Value as Json;

/// The outline as `info --json` has it. An array is an object with `count`, `offset` and `stored`.
pub fn outlined(asset: &dyn Inspect) -> Json {
    let mut text = Vec::new();
    meshpeek::json::write(asset, &mut text).unwrap();
    serde_json::from_slice(&text).unwrap()
}

/// Passes the array at this selector, such as `meshes/0/positions`, to `look`, and returns its result.
#[track_caller]
pub fn array<T>(asset: &dyn Inspect, selector: &str, look: impl FnOnce(&dyn Table) -> T) -> T {
    let parsed: Selector = selector.parse().unwrap();
    let (mut look, mut found) = (Some(look), None);
    let in_asset = parsed.find(asset, &mut |table| {
        if let Some(look) = look.take() {
            found = Some(look(table));
        }
    });
    in_asset.unwrap();
    found.unwrap_or_else(|| panic!("no array at {selector}"))
}

/// The bytes of all rows of an array, little-endian and packed.
#[track_caller]
pub fn bytes(asset: &dyn Inspect, selector: &str) -> Vec<u8> {
    array(asset, selector, |table| to_bytes(table, &Limits::default()).unwrap())
}

/// The rows of an array of floats, one after another.
#[track_caller]
pub fn floats(asset: &dyn Inspect, selector: &str) -> Vec<f32> {
    bytes(asset, selector).chunks(4).map(|float| f32::from_le_bytes(float.try_into().unwrap())).collect()
}

/// The rows of an array of whole numbers with one column, of 1, 2 or 4 bytes each.
#[track_caller]
pub fn numbers(asset: &dyn Inspect, selector: &str) -> Vec<u32> {
    array(asset, selector, |table| {
        let bytes = to_bytes(table, &Limits::default()).unwrap();
        let rows = usize::try_from(table.rows()).unwrap();
        let width = bytes.len().checked_div(rows).unwrap_or(1);
        let number = |row: &[u8]| row.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte));
        bytes.chunks(width).map(number).collect()
    })
}

/// Asserts that an array is a part of the file's bytes.
#[track_caller]
pub fn is_in_place(asset: &dyn Inspect, selector: &str, file: &[u8]) {
    array(asset, selector, |table| {
        let rows = table.in_place().unwrap_or_else(|| panic!("{selector} is not in place"));
        assert!(!rows.bytes.is_empty(), "{selector} is empty");
        assert!(file.as_ptr_range().contains(&rows.bytes.as_ptr()), "{selector} is a copy");
    });
}
