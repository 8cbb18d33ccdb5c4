//! One model in every format with triangles: a letter F on each axis, so that no axis, side or direction can be
//! mistaken for another.
//!
//! The model is defined once, in world space: right-handed, y up, triangles counterclockwise, v downwards. `formats`
//! documents how each format stores it: Blitz3D and Ballance are left-handed and draw triangles that are clockwise in
//! that space. So do Arma's binarised models; its editable ones are the other way round, and both have normals that
//! point inwards. LODka3D is right-handed, counterclockwise, with v upwards. Arma's models face against z.

use crate::writer::bytes::Bytes;
use crate::writer::odol::{self, Array, Lod};
use crate::writer::{Files, b3d, bmx, lodka, mlod};

struct Quad {
    /// From the lower left on, counterclockwise as seen from the front.
    points: [[f32; 3]; 4],
    normal: [f32; 3],
    uvs: [[f32; 2]; 4],
}

/// The strokes of an F that is 0.7 wide and 1 high: left, right, bottom, top.
const STROKES: [[f32; 4]; 3] = [[0.0, 0.2, 0.0, 1.0], [0.2, 0.7, 0.8, 1.0], [0.2, 0.5, 0.45, 0.6]];

/// The position of each letter, its right and up directions, and the side from which it is read.
const LETTERS: [[[f32; 3]; 4]; 3] = [
    [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]],
    [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]],
];

fn quads() -> Vec<Quad> {
    let stroke = |[start, right, up, normal]: [[f32; 3]; 4], [left, end, below, above]: [f32; 4]| {
        let corners = [[left, below], [end, below], [end, above], [left, above]];
        let point = |[x, y]: [f32; 2]| [0, 1, 2].map(|axis| start[axis] + right[axis] * x + up[axis] * y);
        Quad { points: corners.map(point), normal, uvs: corners.map(|[x, y]| [x / 0.7, 1.0 - y]) }
    };
    LETTERS.into_iter().flat_map(|letter| STROKES.map(|one| stroke(letter, one))).collect()
}

/// The image of four colors on each letter: red and green at the top, blue and yellow at the bottom.
pub fn image() -> Vec<u8> {
    let pixels = [[230, 40, 40], [40, 180, 60], [50, 80, 230], [240, 210, 40]].concat();
    let mut png = Vec::new();
    let encoder = image::codecs::png::PngEncoder::new(&mut png);
    image::ImageEncoder::write_image(encoder, &pixels, 2, 2, image::ExtendedColorType::Rgb8).unwrap();
    png
}

const IMAGE: &str = "letter.png";

fn mirrored([x, y, z]: [f32; 3]) -> [f32; 3] {
    [-x, y, z]
}

/// The space of Arma, whose models face against z.
fn turned([x, y, z]: [f32; 3]) -> [f32; 3] {
    [x, y, -z]
}

fn inwards(normal: [f32; 3]) -> [f32; 3] {
    normal.map(|axis| -axis)
}

/// The triangles of quads, as numbers of their corners.
fn triangles(is_clockwise: bool) -> impl Iterator<Item = [u32; 3]> {
    let of = move |quad: u32| {
        let [a, b, c, d] = [0, 1, 2, 3].map(|corner| quad * 4 + corner);
        if is_clockwise { [[a, c, b], [a, d, c]] } else { [[a, b, c], [a, c, d]] }
    };
    (0..9).flat_map(of)
}

fn scene() -> Vec<u8> {
    let vertices = quads()
        .iter()
        .flat_map(|quad| (0..4).map(|corner| (quad.points[corner], quad.normal, quad.uvs[corner])).collect::<Vec<_>>())
        .fold(Bytes::new().u32(1).u32(1).u32(2), |all, (point, normal, uv)| {
            all.f32s(mirrored(point)).f32s(mirrored(normal)).f32s(uv)
        });
    let list: Vec<[i32; 3]> = triangles(true).map(|triangle| triangle.map(|vertex| vertex as i32)).collect();
    let texture = Bytes::new().cstr(IMAGE).u32(1).i32(2).f32s([0.0, 0.0, 1.0, 1.0, 0.0]);
    let brush = Bytes::new().i32(1).cstr("letter").f32s([1.0; 4]).f32(0.0).i32(1).u32(0).i32(0);
    let own = Bytes::new().cstr("letters").f32s([0.0; 3]).f32s([1.0; 3]).f32s([1.0, 0.0, 0.0, 0.0]);
    let mesh = b3d::mesh(-1, [b3d::chunk(b"VRTS", vertices), b3d::triangles(0, &list)]);
    b3d::scene([b3d::chunk(b"TEXS", texture), b3d::chunk(b"BRUS", brush), b3d::chunk(b"NODE", b3d::join(own, [mesh]))])
        .to_vec()
}

fn map() -> Vec<u8> {
    let quads = quads();
    let corner = |vertex: u32| [vertex, vertex, vertex / 4];
    let mesh = bmx::Mesh {
        name: "letters",
        positions: quads.iter().flat_map(|quad| quad.points.map(mirrored)).collect(),
        uvs: quads.iter().flat_map(|quad| quad.uvs).collect(),
        normals: quads.iter().map(|quad| mirrored(quad.normal)).collect(),
        faces: triangles(true).map(|triangle| (triangle.map(corner), Some(0))).collect(),
    };
    let material =
        bmx::Material { name: "letter", colors: [1.0; 12], power: 0.0, switches: [false; 4], texture: Some(0) };
    let (matrix, groups) = (bmx::IDENTITY, &[][..]);
    bmx::Map {
        version: 14,
        short_materials: false,
        objects: vec![bmx::Object { name: "letters", component: false, hidden: false, matrix, groups, mesh: 0 }],
        meshes: vec![mesh],
        materials: vec![bmx::Material {
            colors: [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            ..material
        }],
        textures: vec![bmx::Texture { name: "letter", file_name: IMAGE, external: false }],
        images: vec![("Texture/letter.png", image().leak())],
    }
    .packed()
}

fn lodka_model() -> Vec<u8> {
    let quads = quads();
    let white = [1.0, 1.0, 1.0, 1.0];
    let options = Bytes::new().f32s([white, white, [0.0; 4], [0.0; 4], [0.0; 4]].into_iter().flatten());
    let options = options.u8(0).f32s([1.0, 1.0, 0.125]).raw([0, 0, 1, 0, 0, 1, 1, 0]);
    let material = lodka::text("letter").part(&lodka::text(IMAGE)).part(&options);
    let materials = lodka::list(b"MAL1", [lodka::chunk(b"MAT1", 1, Bytes::new().u8(3).i32(1).part(&material))]);
    let floats = |count: usize, all: Vec<f32>| Bytes::new().i32(count as i32).f32s(all);
    let positions: Vec<f32> = quads.iter().flat_map(|quad| quad.points).flatten().collect();
    let normals: Vec<f32> = quads.iter().flat_map(|quad| quad.normal).collect();
    let uvs: Vec<f32> = quads.iter().flat_map(|quad| quad.uvs).flat_map(|[u, v]| [u, 1.0 - v]).collect();
    let numbers = |divisor: u32| {
        let all: Vec<u8> = triangles(false).flatten().map(|vertex| (vertex / divisor) as u8).collect();
        Bytes::new().i32(all.len() as i32).raw(all)
    };
    let group = Bytes::new().i32(2).u8(0).part(&lodka::text("")).u8(1).part(&lodka::text("letter"));
    let group = group.part(&numbers(1)).i32(0).part(&numbers(4)).part(&numbers(1));
    let mesh = lodka::text("letters").u8(0).u8(3).u8(1).part(&floats(36, positions)).part(&floats(9, normals)).u8(1);
    let mesh = mesh.part(&floats(36, uvs)).i32(0).i32(0).i32(1).part(&group);
    let images = lodka::textures(&[lodka::texture("letter", IMAGE, 0, &image())]);
    lodka::file([materials, images, lodka::list(b"MSL1", [lodka::chunk(b"MSH1", 1, mesh)])]).to_vec()
}

fn edited() -> Vec<u8> {
    let quads = quads();
    let mut bytes = Bytes::new().raw(b"P3DM").u32(28).u32(256).u32(36).u32(9).u32(9).u32(0);
    for point in quads.iter().flat_map(|quad| quad.points) {
        bytes = bytes.f32s(turned(point)).u32(0);
    }
    bytes = quads.iter().fold(bytes, |all, quad| all.f32s(turned(inwards(quad.normal))));
    for (number, quad) in quads.iter().enumerate() {
        bytes = bytes.u32(4);
        for (corner, uv) in quad.uvs.iter().enumerate() {
            bytes = bytes.u32((number * 4 + corner) as u32).u32(number as u32).f32s(*uv);
        }
        bytes = bytes.u32(0).cstr("data\\letter_co.paa").cstr("");
    }
    let lod = bytes.raw(b"TAGG").part(&mlod::tag("#EndOfFile#", b"")).f32(1.0);
    mlod::model(&[lod]).to_vec()
}

fn binarized() -> Vec<u8> {
    let quads = quads();
    let lod = Lod {
        faces: (0..9).map(|quad| [0, 3, 2, 1].map(|corner| quad * 4 + corner).to_vec()).collect(),
        sections: vec![(9, 1, -1)],
        positions: quads.iter().flat_map(|quad| quad.points.map(turned)).collect(),
        // As stored they point outwards; the engine inverts them.
        normals: Array::Each(
            quads.iter().flat_map(|quad| [turned(quad.normal).map(|axis| (axis * 511.0) as i32); 4]).collect(),
        ),
        ..Lod::strip(1.0, 36)
    };
    odol::Model::new(50, vec![lod]).to_vec()
}

/// The files.
pub fn files() -> Files {
    vec![
        ("letters.b3d", scene()),
        ("letters.bmx", map()),
        ("letters.lod", lodka_model()),
        ("letters_mlod.p3d", edited()),
        ("letters_odol.p3d", binarized()),
    ]
}
