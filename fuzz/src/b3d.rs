//! Blitz3D scenes: views, walks and counts must agree.

use meshpeek::Inspect;
use meshpeek::b3d::{ChunkKind, Scene};

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
            assert_eq!(positions.iter().count(), all.len());
            for (index, position) in positions.iter().enumerate().take(1000) {
                assert!(positions.get(index).is_some_and(|got| std::ptr::eq(got, position)));
            }
            for set in 0..all.sets() {
                let coords = all.tex_coords(set).expect("a set that is counted is there");
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
        assert!(node.parent.is_none_or(|parent| parent < node.index));
        let tracks = node.to_tracks();
        let keys: usize = node.keys().flatten().map(|keys| keys.len()).sum();
        assert!(tracks.is_ok_and(|tracks| tracks.positions.len() <= keys) || node.keys().any(|keys| keys.is_err()));
    }
    let summary = scene.summarize();
    assert_eq!(summary.counts.get("nodes"), Some(nodes.len() as u64));
    // Of a broken part the walk may tell what the summary leaves out, and the other way round.
    if summary.problems.is_empty() {
        assert_eq!(summary.counts.get("vertices"), Some(vertices));
        assert_eq!(summary.counts.get("triangles"), Some(triangles));
    }
}
