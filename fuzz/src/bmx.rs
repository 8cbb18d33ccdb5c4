//! Ballance maps in their zip: entries, lists and counts must agree.

use meshpeek::bmx::axes::{turn_corners, turn_point, turn_uv};
use meshpeek::bmx::Matrix;
use meshpeek::bmx::Map;
use meshpeek::{Inspect, Limits};

use crate::views;

pub fn run(data: &[u8]) {
    crate::any::run(data);
    let limits = Limits { decoded_bytes: 1 << 24, ..Limits::default() };
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
    lists(&map);
}

/// Assertions for the lists of any map.
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
        assert!(objects.entry(object.index).is_some_and(|entry| entry.offset == object.entry.offset));
        assert!(object.groups.is_none_or(|groups| groups.iter().count() == groups.len()));
        assert_eq!(object.mesh().is_some(), object.component().is_none());
        object.groups.iter().for_each(|groups| assert_eq!(groups.get(groups.len()).map(|name| name.len()), None));
        turned_there_and_back(&object.world_matrix);
    }
    let mut triangles = 0;
    for mesh in meshes.iter().take(64).flatten() {
        let faces = mesh.faces;
        triangles += faces.len() as u64;
        for (index, face) in faces.iter().enumerate().take(64) {
            assert_eq!(faces.get(index), Some(face));
        }
        views::both_ways(|| faces.iter());
        if faces.len() < 1 << 12 {
            views::native(&faces.to_native(), &faces.iter().collect::<Vec<_>>());
        }
        assert!(faces.as_array().is_none_or(|array| array.as_bytes() == faces.as_bytes()));
        assert_eq!(faces.is_empty(), faces.as_bytes().is_empty());
        [&mesh.positions, &mesh.normals].into_iter().for_each(views::array);
        views::array(&mesh.uvs);
        if let (Some(point), Some(uv)) = (mesh.positions.get(0), mesh.uvs.get(0)) {
            let (point, uv) = (point.to_array(), uv.to_array());
            assert_eq!(turn_point(turn_point(point)).map(f32::to_bits), point.map(f32::to_bits));
            assert_eq!(turn_uv(turn_uv(uv)).map(f32::to_bits), uv.map(f32::to_bits));
            assert_eq!(turn_corners(turn_corners([1, 2, 3])), [1, 2, 3]);
        }
    }
    for material in materials.iter().take(64).flatten() {
        assert_eq!(material.texture().is_some(), material.use_texture.is_set());
    }
    for texture in textures.iter().take(64).flatten() {
        let name = texture.file_name;
        assert_eq!(name.is_empty(), name.as_bytes().is_empty());
        assert!(name.len() < 1 << 16 && name.to_text().is_none_or(|text| name == *text) || name.len() >= 1 << 16);
    }
    assert!(format!("{map:?} {objects:?}").len() < 100);
    let summary = map.summarize();
    assert!(summary.counts.get("triangles").is_none_or(|counted| counted >= triangles));
}

/// Converting a matrix to the axes of other programs and back does not change it, except for a last column that 3ds Max
/// does not have.
fn turned_there_and_back(matrix: &Matrix) {
    let bits = |rows: &[[f32; 4]; 4]| rows.map(|row| row.map(f32::to_bits));
    assert_eq!(bits(&Matrix::from_blender(matrix.to_blender()).rows), bits(&matrix.rows));
    let mut whole = *matrix;
    whole.rows.iter_mut().zip([0.0, 0.0, 0.0, 1.0]).for_each(|(row, last)| row[3] = last);
    assert_eq!(bits(&Matrix::from_max(matrix.to_max()).rows), bits(&whole.rows));
}
