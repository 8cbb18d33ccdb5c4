//! Ballance maps in their zip: entries, lists and counts must agree.

use meshpeek::bmx::Map;
use meshpeek::{Inspect, Limits};

pub fn run(data: &[u8]) {
    crate::any::run(data);
    let limits = Limits { decoded_bytes: 1 << 24, ..Limits::default() };
    let Ok(map) = Map::parse_with(data, &limits) else { return };
    for entry in map.entries() {
        if let Ok(stored) = entry.stored_bytes() {
            assert_eq!(stored.len() as u64, entry.stored_byte_len());
        }
        // Many entries may lie over the same data.
        if entry.decoded_byte_len_hint() < 1 << 16
            && let Ok(bytes) = entry.decode()
        {
            assert_eq!(bytes.len() as u64, entry.decoded_byte_len_hint());
        }
    }
    lists(&map);
}

/// What holds for the lists of any map.
pub fn lists(map: &Map<'_>) {
    let Ok(entries) = map.index() else { return };
    let known = entries.flatten().filter(|entry| entry.kind.name().is_some()).count();
    let (Ok(objects), Ok(meshes), Ok(materials), Ok(textures)) =
        (map.objects(), map.meshes(), map.materials(), map.textures())
    else {
        panic!("the index can be read for one list and not for another")
    };
    assert_eq!(objects.len() + meshes.len() + materials.len() + textures.len(), known);
    for object in objects.iter().take(64).flatten() {
        assert!(objects.entry(object.index()).is_some_and(|entry| entry.offset == object.entry().offset));
        assert!(object.groups.is_none_or(|groups| groups.iter().count() == groups.len()));
        assert_eq!(object.mesh().is_some(), object.component().is_none());
    }
    let mut triangles = 0;
    for mesh in meshes.iter().take(64).flatten() {
        let faces = mesh.faces;
        triangles += faces.len() as u64;
        for (index, face) in faces.iter().enumerate().take(64) {
            assert_eq!(faces.get(index), Some(face));
        }
    }
    for material in materials.iter().take(64).flatten() {
        assert_eq!(material.texture().is_some(), material.use_texture.is_set());
    }
    for texture in textures.iter().take(64).flatten() {
        let name = texture.file_name;
        assert!(name.len() < 1 << 16 && name.to_text().is_none_or(|text| name == *text) || name.len() >= 1 << 16);
    }
    let summary = map.summarize();
    assert!(summary.counts.get("triangles").is_none_or(|counted| counted >= triangles));
}
