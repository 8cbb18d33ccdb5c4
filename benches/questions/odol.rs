//! Arma models: the locations and the content of their arrays.

use std::fs::File;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use meshpeek::codec::lzo;
use meshpeek::odol::{Face, Model, VertexTable};
use meshpeek::ranges::{Ranges, ReadAt};
use meshpeek::view::{Cursor, Packing, Storage, Table as Array};
use meshpeek::{Access, Limits};
use zerocopy::IntoBytes;

use super::baseline::odol as baseline;
use super::harness::{Examiner, contender, measure};
use super::material::{files, map, map_large, open, open_by};

/// Passes on every array of every LOD's vertex table.
fn arrays(file: &[u8], mut each: impl FnMut(&dyn Array)) {
    let model = Model::parse(file).expect("a model");
    for index in 0..model.lod_count() {
        let lod = model.lod(index).expect("a LOD").expect("a sound LOD");
        let vertices = lod.vertex_table().expect("a sound table");
        let VertexTable { point_flags, positions, normals, tangents, bone_refs, neighbors, .. } = &vertices;
        for flags in [point_flags, &lod.point_flags].into_iter().flatten() {
            each(flags);
        }
        for uvs in vertices.uv_sets() {
            each(uvs.stored.as_table());
        }
        for array in [positions, normals.as_table(), tangents.as_table(), bone_refs, neighbors] {
            each(array);
        }
    }
}

/// Reads a whole array. Returns its bytes.
fn read(array: &dyn Array) -> u64 {
    let mut bytes = 0;
    let read = array.read(&mut |rows| {
        bytes += rows.len() as u64;
        ControlFlow::Continue(())
    });
    read.expect("a sound array");
    bytes
}

/// The input of the owned reader, and the ends of the LZO streams in the order in which it reads them.
///
/// None of the decoders used with it reports where a stream ends, so it gets the ends in advance, which favors it.
struct Owned {
    path: PathBuf,
    ends: Vec<usize>,
    /// The locations of the arrays, and their decoded content.
    places: Vec<(Storage, usize)>,
}

impl Owned {
    fn all() -> Vec<Self> {
        let mut paths = files("odol", "p3d");
        paths.retain(|path| baseline_reads(path));
        paths.into_iter().map(Self::new).collect()
    }

    /// Reads the file both ways and compares the results.
    fn new(path: PathBuf) -> Self {
        let mut ends = Vec::new();
        let file = open(&path);
        let loaded = baseline::parse(&file, &mut |stream, out| {
            let end = lzo::stored_byte_len(Cursor::new(stream), out.len() as u64).expect("an end") as usize;
            lzo::decode_into(Cursor::new(&stream[..end]), out).expect("a sound stream");
            ends.push(end);
            end
        });
        let mut places = Vec::new();
        arrays(&file, |array| places.push((array.storage(), read(array) as usize)));
        let model = Model::parse(&file).expect("a model");
        for (index, owned) in loaded.lods.iter().enumerate() {
            let lod = model.lod(index).expect("a LOD").expect("a sound LOD");
            let table = lod.vertex_table().expect("a sound table");
            let corners = |face: Face<'_>| face.corners.iter().map(|corner| corner as u16).collect::<Vec<_>>();
            assert!(lod.faces.iter().map(|face| corners(face.expect("a face"))).eq(owned.faces.iter().cloned()));
            assert_eq!(table.positions.decode().expect("positions").as_bytes(), owned.positions.as_bytes());
            assert_eq!(table.neighbors.decode().expect("neighbours").as_bytes(), owned.neighbors.as_bytes());
        }
        Self { path, ends, places }
    }

    /// Reads the whole file. Returns the elements and bytes of the arrays of its vertex tables.
    fn load(&self, expand: fn(&[u8], &mut [u8])) -> (u64, u64) {
        let file = std::fs::read(&self.path).expect("a file");
        let mut ends = self.ends.iter();
        let mut expand = |stream: &[u8], out: &mut [u8]| {
            let end = *ends.next().expect("as many streams as before");
            expand(&stream[..end], out);
            end
        };
        std::hint::black_box(baseline::parse(&file, &mut expand)).vertex_data()
    }

    /// The minimum for any reader that loads everything: reads the file, and expands the arrays of the vertex tables,
    /// whose locations it gets in advance.
    fn load_least(&self, expand: fn(&[u8], &mut [u8])) -> u64 {
        let file = std::fs::read(&self.path).expect("a file");
        let decode = |(storage, len): &(Storage, usize)| {
            let stored = &file[storage.offset as usize..][..storage.bytes as usize];
            if storage.packing == Packing::InPlace {
                return stored.to_vec();
            }
            let mut out = vec![0; *len];
            if storage.packing == Packing::Lzo {
                expand(stored, &mut out);
            }
            out
        };
        let decoded: Vec<Vec<u8>> = self.places.iter().map(decode).collect();
        std::hint::black_box(decoded).len() as u64
    }
}

/// Returns true if the owned reader supports such a file: these versions, without animations, and without materials on
/// whose layout readers differ.
fn baseline_reads(path: &Path) -> bool {
    let file = open(path);
    let model = Model::parse(&file).expect("a model");
    let other_form = path.to_string_lossy().ends_with("_other_form.p3d");
    (45..=52).contains(&model.version().stored()) && model.animations().is_none() && !other_form
}

fn lod_starts(file: &[u8]) -> u64 {
    Model::parse(file).expect("a model").lods().map(|lod| u64::from(lod.start)).sum()
}

/// Finds and reads every array of every LOD, compared with readers that load everything with this LZO decoder.
pub fn ask_of(examiner: &mut dyn Examiner, decoder: &str, expand: fn(&[u8], &mut [u8])) {
    const LEAST: &str = "vertex arrays alone expanded, their places known";
    let text = format!("odol: from a path, every array of every LOD found, none decoded ({decoder})");
    examiner.question(&text, |question| {
        let models = Owned::all();
        let models = &models;
        let found = |access| {
            move || {
                let mut rows = 0;
                models.iter().for_each(|model| arrays(&open_by(access, &model.path), |array| rows += array.rows()));
                rows
            }
        };
        question.compare(vec![
            contender("meshpeek: Access::map, lod, vertex_table", found(map())),
            contender("meshpeek: Access::map_large, lod, vertex_table", found(map_large())),
            contender("owned reader", || models.iter().map(|model| model.load(expand).0).sum()).at_most(0.1),
            measure(LEAST, || models.iter().map(|model| model.load_least(expand)).sum()),
        ]);
    });
    let text = format!("odol: from a path, every array of every LOD decoded ({decoder})");
    examiner.question(&text, |question| {
        let models = Owned::all();
        question.compare(vec![
            contender("meshpeek: lod, vertex_table, Table::read", || {
                let mut bytes = 0;
                models.iter().for_each(|model| arrays(&open(&model.path), |array| bytes += read(array)));
                bytes
            }),
            contender("owned reader", || models.iter().map(|model| model.load(expand).1).sum()).at_most(0.35),
            measure(LEAST, || models.iter().map(|model| model.load_least(expand)).sum()),
        ]);
    });
}

/// Finds them with positional reads of the system: 16 KiB, and the further bytes needed.
fn lod_starts_by_range(path: &Path) -> u64 {
    let file = File::open(path).expect("a file");
    let size = file.byte_len().expect("its size");
    let mut ranges = Ranges::new(size);
    ranges.add(0, file.read_at(0..size.min(16 << 10)).expect("its beginning"));
    let starts = |ranges: &Ranges| {
        let model = Model::parse_ranges(ranges, &Limits::default())?;
        Ok(model.lods().map(|lod| u64::from(lod.start)).sum())
    };
    ranges.load(&file, starts).expect("a model")
}

fn ask_header(examiner: &mut dyn Examiner, text: &str, access: Access) {
    examiner.question(text, |question| {
        let paths = files("odol", "p3d");
        question.compare(vec![
            contender("meshpeek: FileMap::open_with, Model::parse", || {
                paths.iter().map(|path| lod_starts(&open_by(access, path))).sum()
            }),
            measure("fs::read", || paths.iter().map(|path| std::fs::read(path).expect("a file").len() as u64).sum())
                .at_most(0.1),
        ]);
    });
}

pub fn ask(examiner: &mut dyn Examiner) {
    examiner.question("odol: by one positional read of 16 KiB, header and LOD table", |question| {
        let paths = files("odol", "p3d");
        question.compare(vec![
            contender("meshpeek: File::read_at, Model::parse_ranges", || {
                paths.iter().map(|path| lod_starts_by_range(path)).sum()
            }),
            measure("fs::read", || paths.iter().map(|path| std::fs::read(path).expect("a file").len() as u64).sum())
                .at_most(0.1),
        ]);
    });
    ask_header(examiner, "odol: from a path (Access::map), header and LOD table", map());
    ask_header(examiner, "odol: from a path (Access::map_large), header and LOD table", map_large());
    ask_of(examiner, "lzo1x", |stream, out| lzo1x::decompress(stream, out).expect("a sound stream"));
}
