//! Ballance maps without their zip: the bytes are cut into the five tables.

use meshpeek::bmx::{Map, Tables};
use meshpeek::{Inspect, Limits};

/// Four lengths of two bytes each, then the tables one after another; the last takes the remaining bytes.
pub fn run(data: &[u8]) {
    let Some((lengths, mut rest)) = data.split_first_chunk::<8>() else { return };
    let mut cut = |at: usize| {
        let length = usize::from(u16::from_le_bytes([lengths[at], lengths[at + 1]])).min(rest.len());
        let (table, after) = rest.split_at(length);
        rest = after;
        table
    };
    let (index, objects, meshes, materials) = (cut(0), cut(2), cut(4), cut(6));
    let tables = Tables { index, objects, meshes, materials, textures: rest };
    let map = Map::from_tables(tables);
    meshpeek::fuzzing::bmx_map(&map);
    let size = map.summarize().bytes;
    // Its tables are not in a file: offsets count from the start of each.
    crate::any::walk(&map, &vec![0; size as usize], &Limits::default());
}
