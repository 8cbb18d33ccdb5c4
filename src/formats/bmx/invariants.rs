//! Assertions for the fuzz targets: what holds for the records of every map. Entries, lists and counts agree.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a failure is what a fuzzer looks for"
)]

use super::map::Map;
use crate::base::limits::Limits;
use crate::inspect::Inspect;

/// The most records of a list, and triangles of a mesh, that are checked.
const ENOUGH: usize = 64;

/// Asserts what holds for a map in a zip, if it opens.
pub fn check(data: &[u8]) {
    let limits = Limits::default().with_decoded_bytes(1 << 24);
    let Ok(map) = Map::parse_with(data, &limits) else { return };
    for entry in map.entries() {
        if let Ok(stored) = entry.stored_bytes() {
            assert_eq!(stored.len() as u64, entry.stored_byte_len());
        }
        // Many entries may share the same data.
        if entry.decoded_byte_len_hint() < 1 << 16
            && let Ok(bytes) = entry.decode()
        {
            assert_eq!(bytes.len() as u64, entry.decoded_byte_len_hint());
        }
    }
    check_map(&map);
}

/// Asserts what holds for a map, however it was opened.
pub fn check_map(map: &Map<'_>) {
    assert!(format!("{map:?}").len() < 100);
    check_lists(map);
    // However often the index refers to a record, the total amount walked is proportional to the tables.
    if let Ok(list) = map.meshes()
        && let Ok(table) = map.source.table(super::table::TableId::Meshes)
    {
        // The limit that SECURITY.md states: one more record is at most the table.
        let largest = 3 * table.bytes.len() as u64 + (64 << 20);
        let mut walked = 0;
        for mesh in list.walk().flatten() {
            walked += mesh.record_byte_len();
        }
        assert!(walked <= largest, "{walked} bytes of meshes are walked over, {largest} are meant to be");
    }
}

/// Asserts that the index, the lists and their records agree.
fn check_lists(map: &Map<'_>) {
    let Ok(entries) = map.index() else { return };
    let known = entries.flatten().filter(|entry| entry.kind.name().is_some()).count();
    let (Ok(objects), Ok(meshes), Ok(materials), Ok(textures)) =
        (map.objects(), map.meshes(), map.materials(), map.textures())
    else {
        panic!("the index can be read for one list and not for another")
    };
    assert_eq!(objects.len() + meshes.len() + materials.len() + textures.len(), known);
    for object in objects.walk().take(ENOUGH).flatten() {
        assert!(objects.entry(object.index).is_some_and(|entry| entry.offset == object.entry.offset));
        assert_eq!(object.mesh().is_some(), object.component().is_none());
        if let Some(groups) = object.groups {
            assert_eq!(groups.iter().count(), groups.len());
            assert!(groups.get(groups.len()).is_none());
        }
    }
    let mut triangles = 0;
    for mesh in meshes.walk().take(ENOUGH).flatten() {
        triangles += mesh.faces.len() as u64;
        for (index, face) in mesh.faces.iter().enumerate().take(ENOUGH) {
            assert_eq!(mesh.faces.get(index), Some(face));
        }
        assert!(mesh.faces.get(mesh.faces.len()).is_none());
    }
    for material in materials.walk().take(ENOUGH).flatten() {
        assert_eq!(material.texture().is_some(), material.use_texture.is_set());
    }
    for texture in textures.walk().take(ENOUGH).flatten() {
        let name = texture.file_name;
        let is_long = name.len() >= 1 << 16;
        assert_eq!(name.is_empty(), name.as_bytes().is_empty());
        assert!(is_long || name.to_text().is_none_or(|text| name == *text));
    }
    let summary = map.summarize();
    assert!(summary.counts.get("triangles").is_none_or(|counted| counted >= triangles));
}
