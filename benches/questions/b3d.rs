//! Blitz3D: the cost of a view, compared with reading everything first.

use std::path::Path;

use meshpeek::b3d::{ChunkKind, Scene};
use meshpeek::summary::Counts;
use meshpeek::{FileMap, Inspect};

use super::baseline::b3d as baseline;
use super::harness::{Examiner, contender, measure};
use super::material::{files, open};

/// Returns the sum of the counts that an owned reader also has, and collects the names of the textures.
pub fn counted(scene: &[u8]) -> u64 {
    let scene = Scene::parse(scene).expect("a scene");
    let names: Vec<_> = scene.textures().flatten().map(|texture| texture.name).collect();
    std::hint::black_box(names);
    sum(&scene.counts().expect("counts"))
}

/// Returns that sum from a summary, which also has the box around all positions.
fn summarized(scene: &[u8]) -> u64 {
    sum(&Scene::parse(scene).expect("a scene").summarize().counts)
}

fn sum(counts: &Counts) -> u64 {
    ["vertices", "triangles", "weights", "keys"].iter().filter_map(|name| counts.get(name)).sum()
}

/// Returns that sum by the views of every node.
fn viewed(scene: &[u8]) -> u64 {
    let scene = Scene::parse(scene).expect("a scene");
    let mut counted = 0;
    for node in scene.nodes() {
        let node = node.expect("a node");
        if let Some(mesh) = node.mesh().expect("a mesh") {
            counted += mesh.vertices().expect("vertices").positions().len();
            for triangles in mesh.triangles() {
                counted += triangles.expect("triangles").indices.len();
            }
        }
        for bone in node.bones() {
            counted += bone.expect("a bone").weights.len();
        }
        for keys in node.keys() {
            counted += keys.expect("keys").frames().len();
        }
    }
    counted as u64
}

/// All files in turn.
fn each(work: impl Fn(&Path) -> u64) -> impl FnMut() -> u64 {
    let paths = files("b3d", "b3d");
    move || paths.iter().map(|path| work(path)).sum()
}

pub fn ask(examiner: &mut dyn Examiner) {
    examiner.question("b3d: from a path, all chunks and counts", |question| {
        question.compare(vec![
            contender("meshpeek: Scene::parse, counts", each(|path| counted(&open(path)))),
            contender("owned reader", each(|path| baseline::read(path).counted())),
            measure("fs::read", each(|path| std::fs::read(path).expect("a readable file").len() as u64)).at_most(1.25),
        ]);
    });
    examiner.question("b3d: from a slice, all chunks and counts", |question| {
        let contents: Vec<_> = files("b3d", "b3d").iter().map(|path| std::fs::read(path).expect("a file")).collect();
        question.compare(vec![
            contender("meshpeek: Scene::parse, counts", || contents.iter().map(|scene| counted(scene)).sum()),
            contender("owned reader", || contents.iter().map(|bytes| baseline::parse(bytes).counted()).sum()),
        ]);
    });
    examiner.question("b3d: from a slice, all counts and the box around all positions", |question| {
        let contents: Vec<_> = files("b3d", "b3d").iter().map(|path| std::fs::read(path).expect("a file")).collect();
        question.compare(vec![
            contender("meshpeek: Scene::parse, summarize", || contents.iter().map(|scene| summarized(scene)).sum()),
            contender("owned reader, which has no box", || {
                contents.iter().map(|bytes| baseline::parse(bytes).counted()).sum()
            }),
        ]);
    });
    examiner.question("b3d: from a slice, all counts by the views of nodes", |question| {
        let contents: Vec<_> = files("b3d", "b3d").iter().map(|path| std::fs::read(path).expect("a file")).collect();
        question.compare(vec![
            contender("meshpeek: Scene::nodes", || contents.iter().map(|scene| viewed(scene)).sum()),
            contender("owned reader", || contents.iter().map(|bytes| baseline::parse(bytes).counted()).sum()),
        ]);
    });
    examiner.question("b3d: the first position of every file", |question| {
        question.compare(vec![
            contender(
                "meshpeek",
                each(|path| {
                    let file = open(path);
                    let scene = Scene::parse(&file).expect("a scene");
                    let mesh = scene.walk().flatten().find_map(|step| match step.part {
                        ChunkKind::Mesh(mesh) => Some(mesh),
                        _ => None,
                    });
                    let vertices = mesh.map(|mesh| mesh.vertices().expect("vertices"));
                    let first = vertices.and_then(|vertices| vertices.positions().get(0).map(|p| p.x.get().to_bits()));
                    first.unwrap_or_default().into()
                }),
            ),
            contender(
                "owned reader",
                each(|path| baseline::read(path).positions.first().map(|p| p[0].to_bits()).unwrap_or_default().into()),
            ),
        ]);
    });
    examiner.question("b3d: everything to native arrays", |question| {
        question.compare(vec![
            contender("meshpeek", each(|path| to_native(&open(path)))),
            contender(
                "owned reader",
                each(|path| {
                    let scene = baseline::read(path);
                    let floats = scene.positions.iter().chain(&scene.normals).flatten().chain(&scene.tex_coords);
                    let ids = scene.triangles.iter().flatten().map(|&id| id as u32);
                    let frames = scene.keys.iter().map(|(frame, _)| *frame as u32);
                    let keys = scene.keys.iter().flat_map(|(_, floats)| floats);
                    floats.chain(keys).map(|f| f.to_bits()).chain(ids).chain(frames).map(u64::from).sum()
                }),
            ),
        ]);
    });
}

/// Copies every column into a `Vec` of numbers and sums them.
pub fn to_native(file: &FileMap) -> u64 {
    let scene = Scene::parse(file).expect("a scene");
    let sum_bits = |floats: &[f32]| floats.iter().map(|f| u64::from(f.to_bits())).sum::<u64>();
    let mut sum = 0_u64;
    for node in scene.nodes() {
        let node = node.expect("a node");
        if let Some(mesh) = node.mesh().expect("a mesh") {
            let vertices = mesh.vertices().expect("vertices");
            let positions: Vec<[f32; 3]> = vertices.positions().iter().map(|p| p.to_array()).collect();
            sum += sum_bits(positions.as_flattened());
            if let Some(normals) = vertices.normals() {
                let normals: Vec<[f32; 3]> = normals.iter().map(|n| n.to_array()).collect();
                sum += sum_bits(normals.as_flattened());
            }
            for coords in (0..vertices.sets()).filter_map(|set| vertices.tex_coords(set)) {
                let coords: Vec<f32> = coords.iter().flatten().map(|f| f.get()).collect();
                sum += sum_bits(&coords);
            }
            for triangles in mesh.triangles() {
                let indices = triangles.expect("triangles").indices;
                let ids: Vec<[i32; 3]> = indices.iter().map(|t| t.vertices.map(|id| id.get())).collect();
                sum += ids.as_flattened().iter().map(|&id| u64::from(id as u32)).sum::<u64>();
            }
        }
        for keys in node.keys() {
            let keys = keys.expect("keys");
            let frames: Vec<i32> = keys.frames().iter().map(|f| f.get()).collect();
            sum += frames.iter().map(|&f| u64::from(f as u32)).sum::<u64>();
            for vectors in [keys.positions(), keys.scales()].into_iter().flatten() {
                let vectors: Vec<[f32; 3]> = vectors.iter().map(|v| v.to_array()).collect();
                sum += sum_bits(vectors.as_flattened());
            }
            if let Some(rotations) = keys.rotations() {
                let rotations: Vec<[f32; 4]> = rotations.iter().map(|q| q.to_array()).collect();
                sum += sum_bits(rotations.as_flattened());
            }
        }
    }
    sum
}
