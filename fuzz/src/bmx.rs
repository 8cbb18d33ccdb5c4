//! Ballance maps in their zip: entries, lists and counts must agree. Conversions of axes there and back change nothing.

use meshpeek::bmx::axes::{from_blender, from_max, to_blender, to_max, turn_corners, turn_point, turn_uv};

pub fn run(data: &[u8]) {
    crate::any::run(data);
    meshpeek::fuzzing::bmx(data);
    let mut floats = [0.0; 16];
    for (float, bytes) in floats.iter_mut().zip(data.chunks_exact(4)) {
        *float = f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    }
    turned_there_and_back(floats);
}

/// Turns what these numbers are as a matrix, a point and texture coordinates.
fn turned_there_and_back(floats: [f32; 16]) {
    let [a, b, c, d] = [0, 4, 8, 12].map(|at| [floats[at], floats[at + 1], floats[at + 2], floats[at + 3]]);
    let rows = [a, b, c, d];
    let bits = |rows: [[f32; 4]; 4]| rows.map(|row| row.map(f32::to_bits));
    assert_eq!(bits(from_blender(to_blender(rows))), bits(rows));
    // 3ds Max has no last column.
    let mut whole = rows;
    whole.iter_mut().zip([0.0, 0.0, 0.0, 1.0]).for_each(|(row, last)| row[3] = last);
    assert_eq!(bits(from_max(to_max(rows))), bits(whole));
    let point = [floats[0], floats[1], floats[2]];
    assert_eq!(turn_point(turn_point(point)).map(f32::to_bits), point.map(f32::to_bits));
    let uv = [floats[3], floats[4]];
    assert_eq!(turn_uv(turn_uv(uv)).map(f32::to_bits), uv.map(f32::to_bits));
    assert_eq!(turn_corners(turn_corners([1, 2, 3])), [1, 2, 3]);
}
