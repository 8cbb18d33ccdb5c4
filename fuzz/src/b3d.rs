//! Blitz3D scenes: views, walks and counts must agree.

use meshpeek::Inspect;
use meshpeek::b3d::{ChunkKind, Scene, Vertices};

use zerocopy::IntoBytes;

use crate::views;

pub fn run(data: &[u8]) {
    crate::any::run(data);
    let Ok(scene) = Scene::parse(data) else { return };
    let (mut vertices, mut triangles) = (0, 0);
    for step in scene.walk().flatten() {
        assert!(step.chunk.offset() + step.chunk.byte_len() <= data.len() as u64);
        if let ChunkKind::Mesh(mesh) = step.part {
            triangles += mesh.triangles().flatten().map(|list| list.indices.len() as u64).sum::<u64>();
            let Ok(all) = mesh.vertices() else { continue };
            vertices += all.len() as u64;
            let positions = all.positions();
            views::strided(&positions);
            all.colors().iter().for_each(views::strided);
            assert_eq!(positions.iter().count(), all.len());
            for (index, position) in positions.iter().enumerate().take(1000) {
                assert!(positions.get(index).is_some_and(|got| std::ptr::eq(got, position)));
            }
            columns_are_the_record(&all, data);
            for set in 0..all.sets() {
                let coords = all.tex_coords(set).expect("a set that is counted is there");
                views::both_ways(|| coords.iter());
                assert_eq!(coords.to_native().len(), all.len() * coords.set_size());
                assert!(
                    coords
                        .iter()
                        .zip(0..1000)
                        .all(|(uv, index)| coords.get(index).is_some_and(|got| got.len() == uv.len()))
                );
            }
        }
    }
    let nodes: Vec<_> = scene.nodes().flatten().collect();
    for node in &nodes {
        assert!(node.mesh().is_err() || node.mesh().is_ok_and(|mesh| mesh.is_some() == node.meshes().next().is_some()));
        assert!(node.bone().is_err() || node.bone().is_ok_and(|bone| bone.is_some() == node.bones().next().is_some()));
        let of_tag = |tag: &str| node.chunks().flatten().filter(|chunk| chunk.tag().to_string() == tag).count();
        assert_eq!((node.sequences().count(), node.is_marked_pivot()), (of_tag("SEQS"), of_tag("PIVO") > 0));
        let moved = node.local_matrix().map(|row| row[3].to_bits());
        assert_eq!(moved, node.position().map(f32::to_bits), "a matrix that moves elsewhere");
        // A rotation by a unit quaternion does not scale.
        let length = node.rotation().iter().map(|part| part * part).sum::<f32>();
        if (length - 1.0).abs() < 1e-6 && node.scale() == [1.0; 3] {
            let columns = [0, 1, 2].map(|at| node.local_matrix().iter().map(|row| row[at] * row[at]).sum::<f32>());
            assert!(columns.iter().all(|square| (square - 1.0).abs() < 1e-4), "{columns:?}");
        }
        assert!(node.parent.is_none_or(|parent| parent < node.index));
        let tracks = node.to_tracks();
        let keys: usize = node.keys().flatten().map(|keys| keys.len()).sum();
        assert!(tracks.is_ok_and(|tracks| tracks.positions.len() <= keys) || node.keys().any(|keys| keys.is_err()));
    }
    let summary = scene.summarize();
    assert_eq!(summary.counts.get("nodes"), Some(nodes.len() as u64));
    // For a broken part, the walk and the summary may each report something that the other omits.
    if summary.problems.is_empty() {
        assert_eq!(summary.counts.get("vertices"), Some(vertices));
        assert_eq!(summary.counts.get("triangles"), Some(triangles));
    }
}

/// A vertex consists of its position, normal, color and texture coordinates in this order, and nothing else.
fn columns_are_the_record(vertices: &Vertices<'_>, data: &[u8]) {
    let start = vertices.positions().offset() as usize;
    for index in [0, vertices.len() / 2, vertices.len().saturating_sub(1)] {
        if index >= vertices.len() {
            return;
        }
        let mut bytes = vertices.positions().get(index).unwrap().as_bytes().to_vec();
        bytes.extend(vertices.normals().iter().flat_map(|normals| normals.get(index).unwrap().as_bytes()));
        bytes.extend(vertices.colors().iter().flat_map(|colors| colors.get(index).unwrap().as_bytes()));
        let sets = (0..vertices.sets()).filter_map(|set| vertices.tex_coords(set)?.get(index));
        sets.for_each(|set| bytes.extend(set.as_bytes()));
        let record = start + index * vertices.stride()..start + (index + 1) * vertices.stride();
        assert_eq!(bytes, data[record], "columns that are not the record");
    }
}
