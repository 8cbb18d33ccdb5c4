//! A writer of Blitz3D scenes, and the files it makes for `corpus/b3d`.

use super::bytes::Bytes;

/// A chunk around a body, which keeps its marks.
pub fn chunk(tag: &[u8; 4], body: Bytes) -> Bytes {
    Bytes::new().raw(tag).u32(body.len() as u32).part(&body)
}

/// A whole file.
pub fn scene(parts: impl IntoIterator<Item = Bytes>) -> Bytes {
    chunk(b"BB3D", join(Bytes::new().i32(1), parts))
}

pub fn join(start: Bytes, parts: impl IntoIterator<Item = Bytes>) -> Bytes {
    parts.into_iter().fold(start, |all, part| all.part(&part))
}

pub struct Texture {
    pub name: &'static [u8],
    pub flags: u32,
    pub blend: i32,
}

pub fn textures(list: &[Texture]) -> Bytes {
    let record = |all: Bytes, texture: &Texture| {
        let all = all.cstr(texture.name).mark("texture_flags").u32(texture.flags);
        all.mark("texture_blend").i32(texture.blend).f32s([0.25, -0.5, 2.0, 0.5, 0.75])
    };
    chunk(b"TEXS", list.iter().fold(Bytes::new(), record))
}

/// Brushes with as many texture ids each as the first has.
pub fn brushes(list: &[(&[u8], &[i32])]) -> Bytes {
    let layers = list.first().map_or(1, |(_, ids)| ids.len());
    let record = |all: Bytes, (name, ids): &(&[u8], &[i32])| {
        let all = all.cstr(name).mark("brush_color").f32s([1.0, 0.5, 0.25, 0.75]).f32(0.125);
        let all = all.mark("brush_blend").i32(2).mark("brush_fx").u32(17);
        all.i32s(ids.iter().copied())
    };
    chunk(b"BRUS", list.iter().fold(Bytes::new().mark("n_texs").i32(layers as i32), record))
}

pub fn node(name: impl AsRef<[u8]>, parts: impl IntoIterator<Item = Bytes>) -> Bytes {
    let own = Bytes::new().cstr(name).f32s([1.0, 2.0, 3.0]).f32s([1.0, 1.0, 2.0]).f32s([0.5, 0.5, 0.5, -0.5]);
    chunk(b"NODE", join(own, parts))
}

pub fn mesh(brush: i32, parts: impl IntoIterator<Item = Bytes>) -> Bytes {
    chunk(b"MESH", join(Bytes::new().mark("mesh_brush").i32(brush), parts))
}

/// Vertices whose numbers all differ, except those of normals, which are unit, and of colors, which range from 0 to 1.
pub fn vertices(count: u32, flags: u32, sets: u32, size: u32) -> Bytes {
    let normal = if flags & 1 != 0 { 3 } else { 0 };
    let color = if flags & 2 != 0 { 4 } else { 0 };
    let floats = 3 + normal + color + sets * size;
    let number = |i: u32| match i % floats {
        axis if (3..3 + normal).contains(&axis) => [0.0, 0.6, -0.8][((axis + i / floats) % 3) as usize],
        axis if (3 + normal..3 + normal + color).contains(&axis) => (i % 9) as f32 / 8.0,
        _ => i as f32 / 8.0,
    };
    let own = Bytes::new().mark("vertex_flags").u32(flags).u32(sets).u32(size).mark("vertices");
    chunk(b"VRTS", own.f32s((0..count * floats).map(number)))
}

pub fn triangles(brush: i32, list: &[[i32; 3]]) -> Bytes {
    let own = Bytes::new().mark("triangles_brush").i32(brush).mark("triangles");
    chunk(b"TRIS", list.iter().fold(own, |all, triangle| all.i32s(*triangle)))
}

pub fn bone(weights: &[(i32, f32)]) -> Bytes {
    let record = |all: Bytes, (vertex, weight): &(i32, f32)| all.i32(*vertex).f32(*weight);
    chunk(b"BONE", weights.iter().fold(Bytes::new().mark("weights"), record))
}

pub fn keys(flags: u32, frames: impl IntoIterator<Item = i32>) -> Bytes {
    let record = |all: Bytes, frame: i32| {
        let of = |part: i32| frame as f32 + part as f32 / 4.0;
        let all = all.i32(frame);
        let all = if flags & 1 != 0 { all.f32s((0..3).map(of)) } else { all };
        let all = if flags & 2 != 0 { all.f32s([1.0, 2.0, 0.5]) } else { all };
        if flags & 4 != 0 { all.f32s([0.0, 0.6, 0.8, 0.0]) } else { all }
    };
    chunk(b"KEYS", frames.into_iter().fold(Bytes::new().mark("key_flags").u32(flags).mark("keys"), record))
}

pub fn animation(frames: i32, fps: f32) -> Bytes {
    chunk(b"ANIM", Bytes::new().mark("animation").i32(0).i32(frames).f32(fps))
}

/// Chunks that some writers add. Not in the document.
pub fn sequence(name: &str, first: i32, last: i32) -> Bytes {
    chunk(b"SEQS", Bytes::new().cstr(name).i32s([first, last, 0]))
}

/// Nested nodes with this many levels.
pub fn nested(levels: usize) -> Bytes {
    (0..levels).fold(Bytes::new(), |inner, level| node(format!("level {}", levels - level), [inner]))
}

/// A mesh with one triangle, without a brush.
pub fn one_triangle() -> Bytes {
    mesh(-1, [vertices(3, 0, 0, 0), triangles(-1, &[[0, 1, 2]])])
}

/// A scene with one of everything that checks examine.
pub fn sound() -> Bytes {
    let skin = mesh(0, [vertices(4, 1, 1, 2), triangles(0, &[[0, 1, 2], [1, 2, 3]])]);
    let arm = node("arm", [bone(&[(0, 1.0), (3, 0.5)]), keys(5, [1, 2])]);
    scene([
        textures(&[Texture { name: b"skin.png", flags: 9, blend: 2 }]),
        brushes(&[(b"skin", &[0])]),
        node("body", [skin, animation(2, 25.0), arm]),
    ])
}

/// `corpus/README.md` describes the cases of each file.
pub fn corpus() -> Vec<(&'static str, Vec<u8>)> {
    let two = [
        Texture { name: b"C:\\art work\\bark.bmp", flags: 1 | 8 | 65536, blend: 5 },
        Texture { name: b"leaf.png", flags: 2 | 4 | 16 | 32, blend: 3 },
    ];
    let colored =
        mesh(1, [vertices(4, 3, 2, 2), triangles(-1, &[[0, 1, 2]]), triangles(0, &[[2, 1, 3]]), triangles(0, &[])]);
    let everything = scene([
        textures(&two),
        brushes(&[(b"bark", &[0, -1]), (b"leaf", &[1, 0])]),
        chunk(b"NEWS", Bytes::new().raw("a chunk of later times")),
        node(
            "tree",
            [
                colored,
                animation(10, 24.0),
                node(
                    "branch",
                    [
                        bone(&[(0, 0.25), (1, 0.0)]),
                        sequence("sway", 1, 5),
                        keys(7, [1, 5, 9]),
                        sequence("fall", 5, 9),
                        chunk(b"LATE", Bytes::new().u8(0)),
                    ],
                ),
                node("twig", [chunk(b"PIVO", Bytes::new()), keys(1, [1, 3]), keys(2, [1]), keys(4, [2, 3])]),
                node(
                    "fruit",
                    [mesh(-1, [vertices(3, 2, 1, 3), triangles(1, &[[2, 1, 0]])]), node("stalk", [bone(&[(2, 1.0)])])],
                ),
            ],
        ),
    ]);
    vec![
        ("empty.b3d", scene([]).to_vec()),
        ("triangle.b3d", scene([node("root_node", [one_triangle()])]).to_vec()),
        ("everything.b3d", everything.to_vec()),
        (
            "eight_sets_of_four.b3d",
            scene([node("wide", [mesh(-1, [vertices(5, 3, 8, 4), triangles(-1, &[[0, 2, 4]])])])]).to_vec(),
        ),
        (
            "names.b3d",
            scene([
                textures(&[Texture { name: b"\xf1\xf2\xe5\xed\xe0.bmp", flags: 1, blend: 2 }]),
                brushes(&[(b"", &[0])]),
                node(
                    "\u{fc}ber\nCAMS\n1 2 3\n",
                    [node(b"\xca\xee\xf0\xe5\xed\xfc", []), node("", []), node("\u{fc}ber\nCAMS\n1 2 3\n", [])],
                ),
            ])
            .to_vec(),
        ),
        ("deep.b3d", scene([nested(200)]).to_vec()),
        (
            "two_tracks.b3d",
            scene([node(
                "hip",
                [one_triangle(), animation(400, 0.0), node("knee", [bone(&[]), keys(1, 1..=4), keys(4, [1, 2, 2, 4])])],
            )])
            .to_vec(),
        ),
        (
            "empty_lists.b3d",
            scene([textures(&[]), brushes(&[]), node("n", [mesh(-1, [vertices(0, 0, 0, 2)])])]).to_vec(),
        ),
    ]
}

/// Damaged files for `corpus/hostile`.
pub fn hostile() -> Vec<(&'static str, Vec<u8>)> {
    let sound = sound();
    let length_of_mesh = sound.at("mesh_brush") - 4;
    let mut overlong = sound.to_vec();
    overlong[length_of_mesh..length_of_mesh + 4].copy_from_slice(&1_000_000_u32.to_le_bytes());
    vec![
        ("cut_in_vertices.b3d", sound.to_vec()[..sound.at("vertices") + 40].to_vec()),
        ("mesh_longer_than_its_node.b3d", overlong),
        (
            "uneven_triangles.b3d",
            scene([node("n", [mesh(-1, [vertices(3, 0, 0, 0), chunk(b"TRIS", Bytes::new().raw([0; 15]))])])]).to_vec(),
        ),
        ("name_without_end.b3d", scene([chunk(b"NODE", Bytes::new().raw(b"no end")), node("beside", [])]).to_vec()),
        ("negative_layers.b3d", sound.clone().set("n_texs", (-2_i32).to_le_bytes()).to_vec()),
        ("huge_layers.b3d", sound.clone().set("n_texs", i32::MAX.to_le_bytes()).to_vec()),
        ("mesh_without_vertices.b3d", scene([node("n", [mesh(-1, [triangles(-1, &[[0, 1, 2]])])])]).to_vec()),
        ("vertex_out_of_range.b3d", sound.clone().set("triangles", 4_i32.to_le_bytes()).to_vec()),
        ("brush_out_of_range.b3d", sound.clone().set("triangles_brush", 7_i32.to_le_bytes()).to_vec()),
        ("weight_out_of_range.b3d", sound.clone().set("weights", (-1_i32).to_le_bytes()).to_vec()),
        ("nine_sets.b3d", scene([node("n", [mesh(-1, [vertices(1, 0, 9, 4)])])]).to_vec()),
        ("not_unit.b3d", {
            let at = sound.at("vertices") + 12;
            let mut bytes = sound.to_vec();
            bytes[at..at + 12].copy_from_slice(&[0_u8; 12]);
            let second = at + 40;
            bytes[second..second + 4].copy_from_slice(&2_f32.to_le_bytes());
            let rotation = sound.at("keys") + 16;
            bytes[rotation..rotation + 16].fill(0);
            bytes
        }),
        ("not_a_number.b3d", sound.clone().set("vertices", f32::NAN.to_le_bytes()).to_vec()),
        ("bytes_behind.b3d", sound.clone().raw("left over").to_vec()),
        (
            "two_of_each.b3d",
            scene([node(
                "n",
                [
                    mesh(-1, [vertices(3, 0, 0, 0), vertices(3, 0, 0, 0)]),
                    one_triangle(),
                    bone(&[]),
                    bone(&[]),
                    animation(1, 1.0),
                    animation(1, 1.0),
                ],
            )])
            .to_vec(),
        ),
        ("weights_without_mesh.b3d", scene([node("n", [bone(&[(0, 1.0)])])]).to_vec()),
        (
            "two_roots.b3d",
            scene([
                textures(&[]),
                textures(&[]),
                brushes(&[]),
                brushes(&[]),
                node("n", [node("below", [])]),
                node("m", []),
                node("o", []),
            ])
            .to_vec(),
        ),
        (
            "odd_materials.b3d",
            sound
                .clone()
                .set("texture_flags", 0x401_u32.to_le_bytes())
                .set("texture_blend", 6_i32.to_le_bytes())
                .set("brush_color", 1.5_f32.to_le_bytes())
                .set("brush_blend", 9_i32.to_le_bytes())
                .set("brush_fx", 0x140_u32.to_le_bytes())
                .to_vec(),
        ),
        ("odd_colors.b3d", {
            let part = mesh(-1, [vertices(3, 2, 0, 0), triangles(-1, &[[0, 1, 2]])]);
            let bytes = scene([node("n", [part])]);
            bytes.poke("vertices", 12, (-0.25_f32).to_le_bytes()).to_vec()
        }),
        (
            "odd_flags.b3d",
            scene([node(
                "n",
                [
                    mesh(-1, [vertices(3, 0, 0, 0), triangles(-1, &[[0, 1, 2]])]),
                    keys(0, [4]),
                    keys(0xf8, [5]),
                    keys(0x11, [6]),
                ],
            )])
            .set("vertex_flags", 0x84_u32.to_le_bytes())
            .to_vec(),
        ),
        (
            "odd_animation.b3d",
            sound
                .clone()
                .set("animation", 1_i32.to_le_bytes())
                .poke("animation", 4, (-2_i32).to_le_bytes())
                .poke("animation", 8, (-1_f32).to_le_bytes())
                .to_vec(),
        ),
        ("odd_weights.b3d", sound.clone().poke("weights", 4, 1.5_f32.to_le_bytes()).to_vec()),
        (
            "bone_without_animation.b3d",
            scene([node(
                "n",
                [
                    one_triangle(),
                    node("arm", [bone(&[(0, 1.0)]), node("hand", [bone(&[])])]),
                    node("leg", [bone(&[]), animation(1, 1.0)]),
                ],
            )])
            .to_vec(),
        ),
        ("cut_sequence.b3d", scene([node("n", [chunk(b"SEQS", Bytes::new().cstr("walk").i32s([1, 2]))])]).to_vec()),
        ("newer_minor.b3d", chunk(b"BB3D", Bytes::new().i32(2)).to_vec()),
        ("newer.b3d", chunk(b"BB3D", Bytes::new().i32(100)).to_vec()),
        ("only_a_signature.b3d", b"BB3D".to_vec()),
        ("no_signature.b3d", b"BB3E\x04\0\0\0\x01\0\0\0".to_vec()),
    ]
}

/// The deepest chain of nodes in this many bytes, built from the front, because nesting parts would take quadratic
/// time.
pub fn nested_by_size(size: usize) -> Vec<u8> {
    const LEVEL: usize = 8 + 1 + 40;
    let mut bytes = Bytes::new().raw(b"BB3D").u32((size - 8) as u32).i32(1);
    while size - bytes.len() >= LEVEL {
        let left = (size - bytes.len() - 8) as u32;
        bytes = bytes.raw(b"NODE").u32(left).u8(0).f32s([0.0; 3]).f32s([1.0; 3]).f32s([1.0, 0.0, 0.0, 0.0]);
    }
    let rest = size - bytes.len();
    bytes.raw(vec![0; rest]).to_vec()
}
