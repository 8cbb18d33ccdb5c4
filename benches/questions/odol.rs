//! Arma models: where everything is, and what it holds.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use meshpeek::odol::{Model, VertexTable};
use meshpeek::view::{Packing, Storage, Table as Array};
use meshpeek::{Access, FileMap, Limits};

use super::harness::{Examiner, contender, measure};
use super::material::{files, open};

/// Hands out every array of every LOD's vertex table.
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

/// Reads an array whole; its bytes.
fn read(array: &dyn Array) -> u64 {
    let mut bytes = 0;
    let read = array.read(&mut |rows| {
        bytes += rows.len() as u64;
        ControlFlow::Continue(())
    });
    read.expect("a sound array");
    bytes
}

/// The least that a reader does that loads everything: the file into memory, every array into a `Vec`, with the places
/// of the arrays known beforehand.
pub struct Owned {
    places: Vec<(PathBuf, Vec<(Storage, usize)>)>,
    pub rows: u64,
    pub bytes: u64,
}

impl Owned {
    pub fn new(paths: &[PathBuf]) -> Self {
        let (mut rows, mut bytes) = (0, 0);
        let mut places = Vec::new();
        for path in paths {
            let mut here = Vec::new();
            arrays(&open(path), |array| {
                rows += array.rows();
                bytes += read(array);
                here.push((array.storage(), read(array) as usize));
            });
            places.push((path.clone(), here));
        }
        Self { places, rows, bytes }
    }

    pub fn load(&self, expand: fn(&[u8], &mut [u8])) -> u64 {
        for (path, arrays) in &self.places {
            let file = std::fs::read(path).expect("a file");
            let decode = |(storage, len): &(Storage, usize)| {
                let stored = &file[storage.offset as usize..][..storage.bytes as usize];
                match storage.packing {
                    Packing::InPlace => stored.to_vec(),
                    packing => {
                        let mut out = vec![0; *len];
                        if packing == Packing::Lzo {
                            expand(stored, &mut out);
                        }
                        out
                    }
                }
            };
            let decoded: Vec<Vec<u8>> = arrays.iter().map(decode).collect();
            std::hint::black_box(decoded);
        }
        self.places.len() as u64
    }
}

fn lod_starts(file: &[u8]) -> u64 {
    Model::parse(file).expect("a model").lods().map(|lod| u64::from(lod.start)).sum()
}

fn map(path: &Path) -> FileMap {
    FileMap::open_with(path, Access::Map, &Limits::default()).expect("a readable file")
}

/// Every array of every LOD found, and every one read; beside an owned reader with this decoder of LZO.
pub fn ask_of(examiner: &mut dyn Examiner, decoder: &str, expand: fn(&[u8], &mut [u8])) {
    examiner.question(
        &format!("odol: from a path, every array of every LOD found, none decoded ({decoder})"),
        |question| {
            let paths = files("odol", "p3d");
            let owned = Owned::new(&paths);
            question.compare(vec![
                contender("meshpeek: lod, vertex_table", || {
                    let mut rows = 0;
                    paths.iter().for_each(|path| arrays(&open(path), |array| rows += array.rows()));
                    rows
                }),
                contender("owned: all decoded, places known", || {
                    owned.load(expand);
                    owned.rows
                })
                .at_most(0.1),
            ]);
        },
    );
    examiner.question(&format!("odol: from a path, every array of every LOD decoded ({decoder})"), |question| {
        let paths = files("odol", "p3d");
        let owned = Owned::new(&paths);
        question.compare(vec![
            contender("meshpeek: lod, vertex_table, Table::read", || {
                let mut bytes = 0;
                paths.iter().for_each(|path| arrays(&open(path), |array| bytes += read(array)));
                bytes
            }),
            contender("owned: all decoded, places known", || {
                owned.load(expand);
                owned.bytes
            })
            .at_most(0.35),
        ]);
    });
}

pub fn ask(examiner: &mut dyn Examiner) {
    examiner.question("odol: from a path, header and LOD table", |question| {
        let paths = files("odol", "p3d");
        question.compare(vec![
            contender("meshpeek: Access::Map, Model::parse", || paths.iter().map(|path| lod_starts(&map(path))).sum()),
            contender("meshpeek: Access::Auto, Model::parse", || {
                paths.iter().map(|path| lod_starts(&open(path))).sum()
            }),
            measure("fs::read", || paths.iter().map(|path| std::fs::read(path).expect("a file").len() as u64).sum())
                .at_most(0.1),
        ]);
    });
    ask_of(examiner, "lzo1x", |stream, out| lzo1x::decompress(stream, out).expect("a sound stream"));
}
