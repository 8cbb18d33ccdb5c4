//! Models of LODka3D: an animated one in the older layout, a skeleton of many bones, and two small ones.

use super::super::writer::lodka::{Group, Mesh, animation, file, list, materials, meshes, skeleton};

pub fn files() -> Vec<(String, Vec<u8>)> {
    let group = |kind, triangles| Group { normals: true, uvs: true, ..Group::new(kind, triangles) };
    let part = |mode, size, groups: Vec<Group>| Mesh {
        name: "part",
        mode,
        vertices: size,
        normals: size,
        uvs: vec![size],
        groups,
        ..Mesh::default()
    };
    let stone: &[(&[u8], &[u8])] = &[(b"stone", b"stone.bmp"), (b"leaf", b"leaf.bmp")];
    let animated = file([
        materials(1, stone),
        skeleton(20),
        meshes(&[0; 3].map(|_| part(2, 256, vec![group(1, 20), group(1, 20)]))),
        list(b"ANS1", [animation("walk", 6, 20)]),
    ]);
    let many_bones = file([
        skeleton(300),
        meshes(&[0; 2].map(|_| part(3, 80, vec![group(2, 25)]))),
        list(b"ANS1", [animation("walk", 2, 300), animation("stand", 1, 300)]),
    ]);
    let small = file([materials(1, stone), meshes(&[part(3, 16, vec![group(2, 8); 3])])]);
    let files = [
        ("animated", animated),
        ("many_bones", many_bones),
        ("small", small),
        ("smallest", file([meshes(&[Mesh::default()])])),
    ];
    files.map(|(name, bytes)| (format!("{name}.lod"), bytes.to_vec())).into()
}
