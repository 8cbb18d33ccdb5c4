//! The table of all questions, followed by those with other libraries.

mod native;
#[path = "../../questions/mod.rs"]
mod questions;
#[path = "../../questions/timing.rs"]
mod timing;
mod zips;

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::PathBuf;

use meshpeek::codec::lzo;
use meshpeek::view::Cursor;

use questions::growth;
use questions::harness::{Examiner, contender, measure};
use questions::material::{Stream, files, open};
use questions::writer::pbo::Tail;
use questions::{b3d as scenes, bmx as maps, codec, paa as textures};

fn main() {
    let features = [
        ("assimp", "libassimp-dev", cfg!(feature = "assimp")),
        ("lzo2", "liblzo2-dev", cfg!(feature = "lzo2")),
        ("libclang", "libclang-dev", cfg!(feature = "libclang")),
    ];
    for (feature, package, is_there) in features {
        if !is_there {
            println!("without {feature}: install {package}, and run with --features {feature}");
        }
    }
    let mut table = timing::Table::new();
    questions::ask(&mut table);
    b3d(&mut table);
    #[cfg(feature = "libclang")]
    questions::odol::ask_of(&mut table, "lzokay", lzokay);
    lzo(&mut table);
    bmx(&mut table);
    pbo(&mut table);
    paa(&mut table);
    zips::ask(&mut table);
}

/// Asks about the same streams and blocks; here another library decodes the blocks. It rounds alpha down, while
/// meshpeek rounds to the nearest value.
fn paa(examiner: &mut dyn Examiner) {
    use meshpeek::paa::{Kind, Texture};
    examiner.question("paa: the largest mip of each DXT texture to RGBA, beside another library", |question| {
        let mut textures = textures::textures();
        let is_known = |bytes: &[u8]| {
            Texture::parse(bytes).is_ok_and(|texture| [Kind::DXT1, Kind::DXT5].contains(&texture.kind()))
        };
        textures.retain(|bytes| is_known(bytes));
        let peer = |bytes: &[u8]| -> meshpeek::Result<usize> {
            let texture = Texture::parse(bytes)?;
            let mip = texture.mips().next().expect("a mip")?;
            let (width, height) = (usize::from(mip.width()), usize::from(mip.height()));
            let stored = mip.block()?.decode()?;
            let mut out = vec![0; width * height * 4];
            let (size, decode): (usize, fn(&[u8], &mut [u8], usize)) = match texture.kind() {
                Kind::DXT1 => (8, bcdec_rs::bc1),
                _ => (16, bcdec_rs::bc3),
            };
            for (index, block) in stored.chunks_exact(size).enumerate() {
                let (x, y) = (index % width.div_ceil(4), index / width.div_ceil(4));
                decode(block, &mut out[(y * 4 * width + x * 4) * 4..], width * 4);
            }
            Ok(out.len())
        };
        question.compare(vec![
            contender("meshpeek: to_rgba8", || textures::to_pixels(&textures)),
            contender("bcdec_rs: bc1, bc3", || textures.iter().map(|bytes| peer(bytes).expect("blocks") as u64).sum()),
        ]);
    });
}

/// The scenes that every library reads.
fn scenes_of_all() -> Vec<PathBuf> {
    let mut paths = files("b3d", "b3d");
    let all = paths.len();
    paths.retain(|path| b3d::B3D::read(&open(path)).is_ok());
    #[cfg(feature = "assimp")]
    paths.retain(|path| native::assimp_vertices(path) > 0);
    println!("  ({} files of {all})", paths.len());
    paths
}

fn counts(scene: &b3d::B3D) -> u64 {
    let mut nodes = vec![&scene.node];
    let mut sum = 0;
    while let Some(node) = nodes.pop() {
        let triangles: usize = node.mesh.triangles.iter().map(|group| group.indices.len()).sum();
        sum += node.mesh.vertices.vertices.len() + triangles + node.bones.len() + node.keys.len();
        nodes.extend(&node.children);
    }
    sum as u64
}

fn b3d(examiner: &mut dyn Examiner) {
    examiner.question("b3d: from a path, all chunks and counts, of the files that all read", |question| {
        let paths = scenes_of_all();
        question.compare(vec![
            contender("meshpeek: Scene::parse, summarize", || {
                paths.iter().map(|path| scenes::counted(&open(path))).sum()
            }),
            #[cfg(feature = "assimp")]
            measure("assimp: ReadFile without post-processing", || {
                paths.iter().map(|path| native::assimp_vertices(path)).sum()
            })
            .at_most(0.1),
            measure("b3d 0.1.9: fs::read, B3D::read", || {
                let read = |bytes: &[u8]| counts(&b3d::B3D::read(bytes).expect("a scene"));
                paths.iter().map(|path| read(&std::fs::read(path).expect("a file"))).sum()
            })
            .at_most(0.3),
        ]);
    });
    // Their readers convert the data.
    examiner.question("b3d: from a path, everything to native arrays, of the files that all read", |question| {
        let paths = scenes_of_all();
        question.compare(vec![
            measure("meshpeek: Scene::parse, every array", || {
                paths.iter().map(|path| scenes::to_native(&open(path))).sum()
            }),
            #[cfg(feature = "assimp")]
            measure("assimp: ReadFile without post-processing", || {
                paths.iter().map(|path| native::assimp_vertices(path)).sum()
            }),
            measure("b3d 0.1.9: fs::read, B3D::read", || {
                let read = |bytes: &[u8]| counts(&b3d::B3D::read(bytes).expect("a scene"));
                paths.iter().map(|path| read(&std::fs::read(path).expect("a file"))).sum()
            }),
        ]);
    });
    examiner.question("b3d: from a slice, all chunks and counts, of the files that all read", |question| {
        let contents: Vec<_> = scenes_of_all().iter().map(|path| std::fs::read(path).expect("a file")).collect();
        question.compare(vec![
            contender("meshpeek: Scene::parse, summarize", || {
                contents.iter().map(|scene| scenes::counted(scene)).sum()
            }),
            measure("b3d 0.1.9: B3D::read", || {
                contents.iter().map(|bytes| counts(&b3d::B3D::read(bytes).expect("a scene"))).sum()
            })
            .at_most(0.05),
        ]);
    });
}

#[cfg(feature = "libclang")]
fn lzokay(stream: &[u8], out: &mut [u8]) {
    lzokay::decompress::decompress(stream, out).expect("a sound stream");
}

fn lzo(examiner: &mut dyn Examiner) {
    examiner.question("lzo: every stream expanded, beside other libraries", |question| {
        let streams = codec::lzo_streams();
        #[cfg(feature = "libclang")]
        let mini = minilzo_rs::LZO::init().expect("a library");
        question.compare(vec![
            contender(
                "meshpeek: decode_into",
                codec::expanding(&streams, |stream, out| {
                    lzo::decode_into(Cursor::new(stream), out).expect("a sound stream");
                }),
            ),
            #[cfg(feature = "lzo2")]
            contender("liblzo2: lzo1x_decompress_safe", codec::expanding(&streams, native::lzo2)).at_most(1.0),
            #[cfg(feature = "libclang")]
            contender("minilzo-rs: decompress_safe", || {
                let expand = |stream: &Stream| mini.decompress_safe(&stream.bytes, stream.decoded_len);
                streams.iter().map(|stream| expand(stream).expect("a sound stream").len() as u64).sum()
            }),
            #[cfg(feature = "libclang")]
            contender("lzokay: decompress", codec::expanding(&streams, lzokay)),
        ]);
    });
    examiner.question("lzo: the end of every stream, beside its expansion by other libraries", |question| {
        let streams = codec::lzo_streams();
        question.compare(vec![
            contender("meshpeek: stored_len", || {
                let end = |stream: &Stream| {
                    let end = lzo::stored_byte_len(Cursor::new(&stream.bytes), stream.decoded_len as u64);
                    assert_eq!(end.expect("an end"), stream.bytes.len() as u64);
                    stream.decoded_len as u64
                };
                streams.iter().map(end).sum()
            }),
            #[cfg(feature = "lzo2")]
            contender("liblzo2: lzo1x_decompress_safe", codec::expanding(&streams, native::lzo2)).at_most(0.4),
        ]);
    });
}

fn bmx(examiner: &mut dyn Examiner) {
    examiner.question("bmx: a table of 4.5 MB, with its CRC, beside other libraries", |question| {
        let map = maps::map();
        let (stream, len) = maps::packed(&map);
        question.compare(vec![
            contender("meshpeek: Entry::decode", || maps::decoded(&map)),
            contender("zip: by_name, read_to_end", || {
                let mut archive = zip::ZipArchive::new(std::io::Cursor::new(&map)).expect("a zip");
                let mut bytes = Vec::new();
                archive.by_name(maps::TABLE).expect("the table").read_to_end(&mut bytes).expect("a sound table") as u64
            })
            .at_most(1.0),
            contender("libdeflater: deflate_decompress, crc32", || {
                let mut bytes = vec![0; len];
                let mut decompressor = libdeflater::Decompressor::new();
                let len = decompressor.deflate_decompress(&stream, &mut bytes).expect("a sound table");
                libdeflater::crc32(&bytes);
                len as u64
            }),
        ]);
    });
}

fn pbo(examiner: &mut dyn Examiner) {
    examiner.question("pbo: from a path, the index of 100,000 members", |question| {
        // HEMTT requires a checksum, but does not verify it.
        let archive = growth::archive(100_000, &growth::scene(), Tail::Sha1);
        question.compare(vec![
            measure("meshpeek: Archive::parse, members", || growth::places(&archive)),
            measure("hemtt-pbo 1.0.0: ReadablePbo::from, files", || {
                let file = BufReader::new(File::open(archive.path()).expect("the archive"));
                hemtt_pbo::ReadablePbo::from(file).expect("an archive").files().len() as u64
            })
            .at_most(0.1),
        ]);
    });
}
