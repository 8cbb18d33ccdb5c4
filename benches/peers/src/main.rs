//! The table of all questions, and behind it those in which other libraries take part.

mod native;
#[path = "../../questions/mod.rs"]
mod questions;

use std::io::{Cursor, Read};

use meshpeek::bmx::Map;
use meshpeek::codec::lzo;

use questions::harness::{Table, contender, measure};
use questions::material::{Stream, files, open};
use questions::{b3d as scenes, codec, odol, writer};

fn main() {
    let mut table = Table::new();
    questions::ask(&mut table);
    b3d(&mut table);
    odol::ask_of(&mut table, "lzokay", lzokay);
    lzo(&mut table);
    bmx(&mut table);
}

fn b3d(table: &mut Table) {
    let mut paths = files("b3d", "b3d");
    let all = paths.len();
    paths.retain(|path| native::assimp_vertices(path) > 0 && b3d::B3D::read(&open(path)).is_ok());
    let counts = |scene: &b3d::B3D| {
        let mut nodes = vec![&scene.node];
        let mut sum = 0;
        while let Some(node) = nodes.pop() {
            let triangles: usize = node.mesh.triangles.iter().map(|group| group.indices.len()).sum();
            sum += node.mesh.vertices.vertices.len() + triangles + node.bones.len() + node.keys.len();
            nodes.extend(&node.children);
        }
        sum as u64
    };
    let which = format!("of the {} files of {all} that all read", paths.len());
    table.question(
        &format!("b3d: from a path, all chunks and counts, {which}"),
        vec![
            contender("meshpeek: Scene::parse, summarize", || {
                paths.iter().map(|path| scenes::counted(&open(path))).sum()
            }),
            measure("assimp: ReadFile without post-processing", || {
                paths.iter().map(|path| native::assimp_vertices(path)).sum()
            })
            .at_most(0.1),
            measure("b3d 0.1.9: fs::read, B3D::read", || {
                let read = |bytes: &[u8]| counts(&b3d::B3D::read(bytes).expect("a scene"));
                paths.iter().map(|path| read(&std::fs::read(path).expect("a file"))).sum()
            })
            .at_most(0.3),
        ],
    );
    let contents: Vec<_> = paths.iter().map(|path| std::fs::read(path).expect("a file")).collect();
    table.question(
        &format!("b3d: from a slice, all chunks and counts, {which}"),
        vec![
            contender("meshpeek: Scene::parse, summarize", || {
                contents.iter().map(|scene| scenes::counted(scene)).sum()
            }),
            measure("b3d 0.1.9: B3D::read", || {
                contents.iter().map(|bytes| counts(&b3d::B3D::read(bytes).expect("a scene"))).sum()
            })
            .at_most(0.05),
        ],
    );
}

fn lzokay(stream: &[u8], out: &mut [u8]) {
    lzokay::decompress::decompress(stream, out).expect("a sound stream");
}

fn lzo(table: &mut Table) {
    let streams = codec::lzo_streams();
    let room = streams.iter().map(|stream| stream.decoded_len).max().expect("a stream");
    let total = streams.iter().map(|stream| stream.decoded_len as u64).sum::<u64>();
    let expanding = |expand: fn(&[u8], &mut [u8])| {
        let (mut out, streams) = (vec![0; room], &streams);
        move || {
            for stream in streams.iter() {
                expand(&stream.bytes, &mut out[..stream.decoded_len]);
            }
            total
        }
    };
    let mini = minilzo_rs::LZO::init().expect("a library");
    let lzo2 = || expanding(native::lzo2);
    table.question(
        "lzo: every stream expanded",
        vec![
            contender(
                "meshpeek: decode_into",
                expanding(|stream, out| {
                    lzo::decode_into(meshpeek::view::Cursor::new(stream), out).expect("a sound stream");
                }),
            ),
            contender("liblzo2: lzo1x_decompress_safe", lzo2()).at_most(1.0),
            contender("minilzo-rs: decompress_safe", || {
                let expand = |stream: &Stream| mini.decompress_safe(&stream.bytes, stream.decoded_len);
                streams.iter().map(|stream| expand(stream).expect("a sound stream").len() as u64).sum()
            }),
            contender("lzokay: decompress", expanding(lzokay)),
            contender("lzo1x: decompress", expanding(|stream, out| lzo1x::decompress(stream, out).expect("a stream"))),
        ],
    );
    table.question(
        "lzo: the end of every stream, beside its expansion",
        vec![
            contender("meshpeek: stored_len", || {
                for Stream { bytes, decoded_len } in streams.iter() {
                    let end = lzo::stored_len(meshpeek::view::Cursor::new(bytes), *decoded_len as u64);
                    assert_eq!(end.expect("an end"), bytes.len() as u64);
                }
                total
            }),
            contender("liblzo2: lzo1x_decompress_safe", lzo2()).at_most(0.4),
        ],
    );
}

/// A map whose mesh table is a hilly grid of a few megabytes.
fn map() -> Vec<u8> {
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

fn bmx(table: &mut Table) {
    const NAME: &str = "mesh.bm";
    let map = map();
    let (packed, unpacked) = {
        let map = Map::parse(&map).expect("a map");
        let entry = map.entries().find(|entry| entry.name() == NAME).expect("the table");
        (entry.data().expect("its bytes").to_vec(), entry.unpacked_bytes_hint())
    };
    table.question(
        &format!("bmx: a table of {unpacked} bytes, with its CRC"),
        vec![
            contender("meshpeek: Entry::decode", || {
                let map = Map::parse(&map).expect("a map");
                let entry = map.entries().find(|entry| entry.name() == NAME).expect("the table");
                entry.decode().expect("a sound table").len() as u64
            }),
            contender("zip: by_name, read_to_end", || {
                let mut archive = zip::ZipArchive::new(Cursor::new(&map)).expect("a zip");
                let mut bytes = Vec::new();
                archive.by_name(NAME).expect("the table").read_to_end(&mut bytes).expect("a sound table") as u64
            })
            .at_most(1.0),
            contender("libdeflater: deflate_decompress, crc32", || {
                let mut bytes = vec![0; unpacked as usize];
                let mut decompressor = libdeflater::Decompressor::new();
                let len = decompressor.deflate_decompress(&packed, &mut bytes).expect("a sound table");
                libdeflater::crc32(&bytes);
                len as u64
            }),
        ],
    );
}
