//! Scenes of Blitz3D: characters and animals with bones and keys, a cart, a house, a door.

use super::super::writer::b3d::{
    Texture, animation, bone, brushes, keys, mesh, node, scene, textures, triangles, vertices,
};
use super::super::writer::bytes::Bytes;

/// What a scene has.
struct Shape {
    name: &'static str,
    textures: usize,
    /// True if each vertex has a normal.
    has_normals: bool,
    vertices: u32,
    triangles: i32,
    bones: i32,
    /// The weights and the keys of each bone, and what a key has: 1 for a position, 2 a scale, 4 a rotation.
    weights: i32,
    keys: i32,
    key_flags: u32,
}

const SHAPES: [Shape; 8] = [
    shape("house", 0, false, [2117, 3732, 0], [0, 0, 0]),
    shape("fish", 0, true, [264, 132, 2], [264, 4, 7]),
    shape("cow", 0, true, [336, 168, 13], [336, 150, 7]),
    shape("rope", 0, false, [48, 24, 0], [0, 0, 0]),
    shape("cart", 1, false, [56, 28, 1], [56, 4, 7]),
    shape("character", 0, true, [168, 84, 6], [168, 221, 7]),
    shape("door", 1, false, [24, 12, 0], [0, 0, 0]),
    shape("dwarf", 3, true, [1479, 1896, 46], [34, 307, 1]),
];

const fn shape(
    name: &'static str,
    textures: usize,
    has_normals: bool,
    [vertices, triangles, bones]: [i32; 3],
    [weights, keys, key_flags]: [i32; 3],
) -> Shape {
    let (vertices, key_flags) = (vertices as u32, key_flags as u32);
    Shape { name, textures, has_normals, vertices, triangles, bones, weights, keys, key_flags }
}

pub fn files() -> Vec<(String, Vec<u8>)> {
    SHAPES.iter().map(|shape| (format!("{}.b3d", shape.name), shape.scene())).collect()
}

impl Shape {
    fn scene(&self) -> Vec<u8> {
        let mut parts = Vec::new();
        if self.textures > 0 {
            let texture = || Texture { name: b"models\\skin.png", flags: 1, blend: 2 };
            parts.push(textures(&(0..self.textures).map(|_| texture()).collect::<Vec<_>>()));
            let own: Vec<(&[u8], &[i32])> = (0..self.textures).map(|_| (&b"skin"[..], &[0][..])).collect();
            parts.push(brushes(&own));
        }
        parts.push(node("body", self.parts_of_body()));
        scene(parts).to_vec()
    }

    /// The mesh, and the bones beside it.
    fn parts_of_body(&self) -> Vec<Bytes> {
        let last = self.vertices as i32;
        let corners = |first: i32| [first % last, (first + 1) % last, (first + 2) % last];
        let faces: Vec<[i32; 3]> = (0..self.triangles).map(corners).collect();
        let brush = if self.textures > 0 { 0 } else { -1 };
        let points = vertices(self.vertices, self.has_normals.into(), 1, 2);
        let mut parts = vec![mesh(brush, [points, triangles(brush, &faces)])];
        if self.bones > 0 {
            parts.push(animation(self.keys, 25.0));
        }
        for number in 0..self.bones {
            parts.push(node(format!("bone_{number:02}"), self.parts_of_bone(number, last)));
        }
        parts
    }

    fn parts_of_bone(&self, number: i32, vertices: i32) -> [Bytes; 2] {
        let weight = |index: i32| ((number * self.weights + index) % vertices, 0.5);
        let weights: Vec<(i32, f32)> = (0..self.weights).map(weight).collect();
        [bone(&weights), keys(self.key_flags, 1..=self.keys)]
    }
}
