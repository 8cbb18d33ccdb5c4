//! Ballance maps: one table from their zip.

use meshpeek::zip::Archive;

use super::harness::{Examiner, contender};
use super::writer;

/// The large table of [`map`].
pub const TABLE: &str = "mesh.bm";

/// A map whose mesh table is a hilly grid of a few megabytes.
pub fn map() -> Vec<u8> {
    const SIDE: u32 = 200;
    let place = |at: u32| ((at % SIDE) as f32, (at / SIDE) as f32);
    let height = |x: f32, z: f32| (x * 0.13).sin() * (z * 0.07).cos() * 9.0;
    let positions = (0..SIDE * SIDE).map(place).map(|(x, z)| [x, height(x, z), z]).collect();
    let uvs = (0..SIDE * SIDE).map(place).map(|(x, z)| [x / SIDE as f32, -z / SIDE as f32]).collect();
    let normals = (0..SIDE * SIDE).map(place).map(|(x, z)| [height(z, x) / 9.0, 1.0, height(x, z) / 9.0]).collect();
    let corner = |at: u32| [at; 3];
    let cell = |at: u32| [[at, at + 1, at + SIDE], [at + 1, at + SIDE + 1, at + SIDE]];
    let cells = (0..SIDE * (SIDE - 1)).filter(|at| at % SIDE != SIDE - 1).flat_map(cell);
    let faces = cells.map(|face| (face.map(corner), Some(0))).collect();
    let mut map = writer::bmx::full(14);
    map.meshes = vec![writer::bmx::Mesh { name: "grid", positions, uvs, normals, faces }];
    map.packed()
}

/// The bytes of the table, by this crate. A map is a zip.
pub fn decoded(map: &[u8]) -> u64 {
    let map = Archive::parse(map).expect("a map");
    let member = map.find(TABLE.as_bytes()).expect("a sound directory").expect("the table");
    member.decode().expect("a sound table").len() as u64
}

/// The table as stored in the map: its stream, and its inflated size.
pub fn packed(map: &[u8]) -> (Vec<u8>, usize) {
    let map = Archive::parse(map).expect("a map");
    let member = map.find(TABLE.as_bytes()).expect("a sound directory").expect("the table");
    (member.stored_bytes().expect("its bytes").to_vec(), member.decoded_byte_len_hint() as usize)
}

pub fn ask(examiner: &mut dyn Examiner) {
    examiner.question("bmx: a table of 4.5 MB, with its CRC", |question| {
        let map = map();
        let (stream, _) = packed(&map);
        question.compare(vec![
            contender("meshpeek: zip::Member::decode", || decoded(&map)),
            contender("miniz_oxide: decompress_to_vec, no CRC", || {
                miniz_oxide::inflate::decompress_to_vec(&stream).expect("a sound stream").len() as u64
            }),
        ]);
    });
}
