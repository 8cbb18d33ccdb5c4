//! The usual way to read Blitz3D: the whole file into memory, every number into a `Vec`.

use std::path::Path;

#[derive(Default)]
pub struct Scene {
    pub names: Vec<String>,
    pub positions: Vec<[f32; 3]>,
    pub normals: Vec<[f32; 3]>,
    pub tex_coords: Vec<f32>,
    pub triangles: Vec<[i32; 3]>,
    pub weights: Vec<(i32, f32)>,
    pub keys: Vec<(i32, Vec<f32>)>,
}

impl Scene {
    /// The sum of the counts that a question asks for.
    pub fn counted(&self) -> u64 {
        (self.positions.len() + self.triangles.len() + self.weights.len() + self.keys.len()) as u64
    }
}

pub fn read(path: &Path) -> Scene {
    parse(&std::fs::read(path).expect("a readable file"))
}

pub fn parse(bytes: &[u8]) -> Scene {
    let mut scene = Scene::default();
    chunks(bytes, &mut scene);
    scene
}

fn i32_at(bytes: &[u8], at: usize) -> i32 {
    i32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn f32s(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().expect("four bytes"))).collect()
}

fn chunks(mut bytes: &[u8], scene: &mut Scene) {
    while bytes.len() >= 8 {
        let (body, rest) = bytes[8..].split_at(i32_at(bytes, 4) as usize);
        match &bytes[..4] {
            b"BB3D" | b"MESH" => chunks(&body[4..], scene),
            b"NODE" => {
                let end = body.iter().position(|&byte| byte == 0).expect("a closing NUL");
                scene.names.push(String::from_utf8_lossy(&body[..end]).into_owned());
                chunks(&body[end + 41..], scene);
            }
            b"VRTS" => {
                let (flags, sets, size) = (i32_at(body, 0), i32_at(body, 4), i32_at(body, 8));
                let normals = if flags & 1 != 0 { 3 } else { 0 };
                let colors = if flags & 2 != 0 { 4 } else { 0 };
                let width = 3 + normals + colors + (sets * size) as usize;
                for vertex in f32s(&body[12..]).chunks_exact(width) {
                    scene.positions.push([vertex[0], vertex[1], vertex[2]]);
                    if normals > 0 {
                        scene.normals.push([vertex[3], vertex[4], vertex[5]]);
                    }
                    scene.tex_coords.extend_from_slice(&vertex[3 + normals + colors..]);
                }
            }
            b"TRIS" => {
                let ids = body[4..].chunks_exact(12).map(|t| [i32_at(t, 0), i32_at(t, 4), i32_at(t, 8)]);
                scene.triangles.extend(ids);
            }
            b"BONE" => scene.weights.extend(body.chunks_exact(8).map(|w| (i32_at(w, 0), f32s(&w[4..])[0]))),
            b"KEYS" => {
                let flags = i32_at(body, 0);
                let parts = [(1, 3), (2, 3), (4, 4)].iter().filter(|(bit, _)| flags & bit != 0).map(|(_, n)| n);
                let width = 4 + 4 * parts.sum::<usize>();
                scene.keys.extend(body[4..].chunks_exact(width).map(|key| (i32_at(key, 0), f32s(&key[4..]))));
            }
            _ => {}
        }
        bytes = rest;
    }
}
