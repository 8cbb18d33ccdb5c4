//! Small models with materials, their images, and the exports of models.

use std::path::Path;

use serde_json::Value as Json;

use super::files::{blessing, root};
use super::program::{code, program, stderr};
use crate::writer;
use crate::writer::b3d::{chunk, mesh, node, scene, triangles};
use crate::writer::bytes::Bytes;
use crate::writer::zip::{Entry, zip};

pub fn export(file: &Path, to: &Path) -> std::process::Output {
    program().args(["export", "-q"]).arg(file).arg("-o").arg(to).output().unwrap()
}

/// Returns the document of a binary glTF file.
pub fn document(glb: &[u8]) -> Json {
    assert_eq!(&glb[..4], b"glTF");
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&glb[20..20 + length]).unwrap()
}

pub fn len(document: &Json, list: &str) -> usize {
    document[list].as_array().map_or(0, Vec::len)
}

/// The size and pixels of a picture.
pub fn pixels(png: &[u8]) -> (u32, Vec<u8>) {
    let image = image::load_from_memory(png).unwrap().into_rgb8();
    (image.width(), image.into_raw())
}

/// Compares with `corpus/pictures`: at most one pixel in a hundred may differ by more than a little.
pub fn is_golden(name: &str, png: &[u8]) {
    let path = root().join("corpus/pictures").join(name);
    if blessing() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, png).unwrap();
    }
    let (size, now) = pixels(png);
    let (golden_size, golden) = pixels(&std::fs::read(&path).unwrap_or_else(|error| panic!("{name}: {error}")));
    assert_eq!((size, now.len()), (golden_size, golden.len()), "{name}");
    let differ =
        now.chunks(3).zip(golden.chunks(3)).filter(|(a, b)| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > 24));
    let differ = differ.count();
    assert!(differ * 100 <= now.len() / 3, "{name}: {differ} pixels differ");
}

/// A model with a textured triangle for each of these images.
pub fn with_images(names: &'static [&'static [u8]]) -> Vec<u8> {
    use writer::b3d::{Texture, brushes, chunk, mesh, node, scene, textures, triangles};
    let list: Vec<Texture> = names.iter().map(|name| Texture { name, flags: 1, blend: 2 }).collect();
    let ids: Vec<[i32; 1]> = (0..names.len() as i32).map(|id| [id]).collect();
    let brush: Vec<(&[u8], &[i32])> = ids.iter().map(|id| (&b"one"[..], &id[..])).collect();
    let square = |number: i32| {
        let own = writer::bytes::Bytes::new().u32(0).u32(1).u32(2);
        let corners = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]];
        chunk(b"VRTS", own.f32s(corners.iter().flat_map(|[x, y]| [x + 2.0 * number as f32, *y, 0.0, *x, *y])))
    };
    let nodes = (0..names.len() as i32)
        .map(|number| node("body", [mesh(number, [square(number), triangles(number, &[[0, 1, 2], [2, 1, 3]])])]));
    scene([textures(&list), brushes(&brush)].into_iter().chain(nodes)).to_vec()
}

/// A red image with sides of this length as PNG.
pub fn red(side: u32) -> Vec<u8> {
    let mut png = std::io::Cursor::new(Vec::new());
    image::RgbImage::from_pixel(side, side, image::Rgb([255, 0, 0]))
        .write_to(&mut png, image::ImageFormat::Png)
        .unwrap();
    png.into_inner()
}

/// A picture of a model, and the messages.
pub fn picture(model: &Path, to: &Path, args: &[&str]) -> (Vec<u8>, String) {
    picture_with_status(0, model, to, args)
}

/// Like [`picture`], of a picture that lacks something.
pub fn picture_in_part(model: &Path, to: &Path, args: &[&str]) -> (Vec<u8>, String) {
    picture_with_status(1, model, to, args)
}

fn picture_with_status(status: i32, model: &Path, to: &Path, args: &[&str]) -> (Vec<u8>, String) {
    let output = program().arg("export").args(args).arg(model).arg("-o").arg(to).output().unwrap();
    assert_eq!(code(&output), status, "{}", stderr(&output));
    (pixels(&std::fs::read(to).unwrap()).1, stderr(&output))
}

/// Red, green and blue, opacity, and FX of a brush.
pub struct Look(pub &'static [u8], pub [f32; 4], pub u32);

/// A box with the normals of its sides.
pub fn cube(look: &Look, normal: Option<fn([f32; 3]) -> [f32; 3]>) -> Vec<u8> {
    let Look(image, color, fx) = look;
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for axis in 0..3 {
        for sign in [-1.0_f32, 1.0] {
            let mut side = [0.0; 3];
            side[axis] = sign;
            let first = vertices.len() as i32;
            for (u, v) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
                let mut corner = side;
                (corner[(axis + 1) % 3], corner[(axis + 2) % 3]) = (u * sign, v);
                vertices.push((corner, normal.map(|normal| normal(side))));
            }
            triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
        }
    }
    let head = writer::bytes::Bytes::new().u32(u32::from(normal.is_some())).u32(1).u32(2);
    let record = |all: writer::bytes::Bytes, (corner, normal): &([f32; 3], Option<[f32; 3]>)| {
        let all = all.f32s(*corner);
        let all = normal.iter().fold(all, |all, normal| all.f32s(*normal));
        all.f32s([0.5, 0.5])
    };
    let vertices = writer::b3d::chunk(b"VRTS", vertices.iter().fold(head, record));
    let texture = writer::bytes::Bytes::new().cstr(image).u32(1).u32(2).f32s([0.0, 0.0, 1.0, 1.0, 0.0]);
    let brush = writer::bytes::Bytes::new().i32(1).cstr("look").f32s(*color).f32(0.0).i32(1).u32(*fx).i32(0);
    writer::b3d::scene([
        writer::b3d::chunk(b"TEXS", texture),
        writer::b3d::chunk(b"BRUS", brush),
        writer::b3d::node("box", [writer::b3d::mesh(0, [vertices, writer::b3d::triangles(0, &triangles)])]),
    ])
    .to_vec()
}

/// A texture: name, flags, position, scale, rotation.
pub struct Layer(pub &'static str, pub u32, pub [f32; 5]);

pub const PLAIN: [f32; 5] = [0.0, 0.0, 1.0, 1.0, 0.0];

/// A square with two sets of coordinates and vertex colors, and a brush with these layers.
pub fn square(layers: &[Layer], color: [f32; 4], blend: i32, fx: u32) -> Vec<u8> {
    let texture = |all: Bytes, layer: &Layer| all.cstr(layer.0).u32(layer.1).i32(2).f32s(layer.2);
    let brush = Bytes::new().i32(layers.len() as i32).cstr("look").f32s(color).f32(0.0).i32(blend).u32(fx);
    let brush = brush.i32s(0..layers.len() as i32);
    let corners = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]];
    let vertex = |[x, y]: &[f32; 2]| [*x, *y, 0.0, 1.0, 0.5, *x, 1.0 - *y, *x, *y, 0.5 * *x, 0.5 * *y];
    let vertices = Bytes::new().u32(2).u32(2).u32(2).f32s(corners.iter().flat_map(vertex));
    scene([
        chunk(b"TEXS", layers.iter().fold(Bytes::new(), texture)),
        chunk(b"BRUS", brush),
        node("body", [mesh(0, [chunk(b"VRTS", vertices), triangles(0, &[[0, 1, 2], [2, 1, 3]])])]),
    ])
    .to_vec()
}

/// Red and black above, green and blue below.
pub fn image() -> Vec<u8> {
    let mut png = std::io::Cursor::new(Vec::new());
    let pixels = [[255, 0, 0], [0, 0, 0], [0, 200, 0], [0, 0, 255]].concat();
    image::RgbImage::from_raw(2, 2, pixels).unwrap().write_to(&mut png, image::ImageFormat::Png).unwrap();
    png.into_inner()
}

/// Returns an archive of this many models, which differ only in one number.
pub fn models(count: usize) -> Vec<u8> {
    let model = |index: usize| {
        let corners = Bytes::new().u32(0).u32(0).u32(0).f32s([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, index as f32, 1.0]);
        let mesh = writer::b3d::mesh(-1, [chunk(b"VRTS", corners), writer::b3d::triangles(-1, &[[0, 1, 2]])]);
        Entry::deflated(format!("{index}.b3d"), &writer::b3d::scene([writer::b3d::node("", [mesh])]).to_vec())
    };
    zip(&(0..count).map(model).collect::<Vec<_>>(), b"").to_vec()
}
