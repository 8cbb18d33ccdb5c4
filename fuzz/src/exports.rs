//! Models as .glb, .obj and .ply, as plain arrays, and as pictures: whatever the file says, what is written is sound.

use meshpeek::budget::Reservation;
use meshpeek::export::{self, Embedded, Options, Pixels, View};
use meshpeek::geometry::Mesh;
use meshpeek::{Asset, Budget, Limits};
use serde_json::Value;

/// The maximum size of a file: pictures of large ones take long.
const LARGEST: usize = 1 << 16;
/// The maximum number of primitives to make arrays of.
const ENOUGH: usize = 8;

pub fn run(data: &[u8]) {
    if data.len() > LARGEST {
        return;
    }
    let limits = Limits::default().with_decoded_bytes(1 << 24);
    let budget = || Budget::new(data.len() as u64, &limits);
    images(data, &budget());
    let Ok(asset) = Asset::parse_with(data, &limits) else { return };
    meshes(&asset, &budget());
    let options = Options::default();
    if let Ok(model) = export::glb(&asset, &options, &mut Embedded::new(&asset), &budget()) {
        glb(&written(&model));
    }
    if let Ok(model) = export::obj(&asset, &options, &budget()) {
        obj(&String::from_utf8(written(&model)).expect("OBJ is text"));
    }
    if let Ok(model) = export::ply(&asset, &options, &budget()) {
        assert!(written(&model).starts_with(b"ply\n"));
    }
    let mut view = View::default();
    view.size = 8 + data.len() as u32 % 40;
    view.wireframe = data.len().is_multiple_of(3);
    view.transparent = data.len().is_multiple_of(2);
    if let Ok(picture) = export::picture(&asset, &view, &mut Embedded::new(&asset), &budget()) {
        let mut png = Vec::new();
        picture.write_png(&mut png).expect("room for a picture");
        assert!(picture.side == view.size && png.starts_with(b"\x89PNG"));
    }
}

fn written(model: &export::Model) -> Vec<u8> {
    let mut bytes = Vec::new();
    model.write_to(&mut bytes).expect("room for a model");
    assert_eq!(bytes.len() as u64, model.byte_len());
    bytes
}

fn images(data: &[u8], budget: &Budget) {
    let most = 1 + data.len() as u32 % 64;
    if let Ok(pixels) = Pixels::of_paa(data, most, &Reservation::new(budget)) {
        let [width, height] = pixels.size.map(u64::from);
        assert_eq!(4 * width * height, pixels.rgba.len() as u64);
    }
}

fn meshes(asset: &Asset<'_>, budget: &Budget) {
    for primitive in asset.primitives().take(ENOUGH).flatten() {
        let _ = primitive.has_wrong_normals();
        let whole = primitive.to_mesh(&budget.fork());
        let plain = primitive.to_plain_mesh(&budget.fork());
        if let Ok(mesh) = &whole {
            is_whole(mesh);
            // It decodes less, so that it cannot fail where all of it can be had.
            let plain = plain.expect("a part of a mesh");
            is_whole(&plain);
            assert!(plain.positions.len() == mesh.positions.len() && plain.indices == mesh.indices);
        }
    }
}

/// Every array has an element for each vertex, and every index is that of a vertex.
fn is_whole(mesh: &Mesh) {
    let count = mesh.positions.len();
    let Mesh { normals, colors, joints, weights, .. } = mesh;
    for length in [normals.len(), colors.len(), joints.len(), weights.len()] {
        assert!(length == 0 || length == count, "{length} of {count}");
    }
    assert!(mesh.uvs.iter().all(|set| set.len() == count) && mesh.indices.len().is_multiple_of(3));
    assert!(mesh.indices.iter().all(|index| (*index as usize) < count));
}

/// The chunks fill the file, and views and accessors are inside their bytes.
fn glb(bytes: &[u8]) {
    let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    assert!(bytes.starts_with(b"glTF\x02\0\0\0") && number(8) == bytes.len());
    let json_end = 20 + number(12);
    let json: Value = serde_json::from_slice(&bytes[20..json_end]).expect("the first chunk is JSON");
    let binary = if json_end == bytes.len() { 0 } else { number(json_end) };
    assert!(json_end + if binary == 0 { 0 } else { 8 + binary } <= bytes.len());
    let list = |name: &str| json[name].as_array().cloned().unwrap_or_default();
    let size = |of: &Value, name: &str| of[name].as_u64().unwrap_or(0);
    let views = list("bufferViews");
    for view in &views {
        assert!(size(view, "byteOffset") + size(view, "byteLength") <= binary as u64, "{view} of {binary}");
    }
    for accessor in list("accessors") {
        let Some(index) = accessor["bufferView"].as_u64() else { continue };
        let view = views.get(index as usize).unwrap_or_else(|| panic!("{accessor}: no such view"));
        let width = match accessor["componentType"].as_u64().unwrap() {
            5120 | 5121 => 1,
            5122 | 5123 => 2,
            _ => 4,
        };
        let stride = view["byteStride"].as_u64().unwrap_or(width);
        let last = size(&accessor, "count").saturating_sub(1) * stride + width;
        assert!(size(&accessor, "byteOffset") + last <= size(view, "byteLength"), "{accessor} of {view}");
    }
}

/// Faces name points, texture coordinates and normals that stand before them.
fn obj(text: &str) {
    let mut counts = [0_usize; 3];
    for line in text.lines() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "v" => counts[0] += 1,
            "vt" => counts[1] += 1,
            "vn" => counts[2] += 1,
            "f" => {
                for corner in rest.split(' ') {
                    for (index, count) in corner.split('/').zip(counts) {
                        let Ok(index) = index.parse::<usize>() else { continue };
                        assert!((1..=count).contains(&index), "{line}: {counts:?}");
                    }
                }
            }
            _ => {}
        }
    }
}
