//! A writer of MLOD models.

use super::bytes::Bytes;

/// A face: its points, each with a normal and a texture coordinate derived from it; two names.
pub fn face(points: &[u32], texture: &str, material: &str) -> Bytes {
    let mut bytes = Bytes::new().u32(points.len() as u32);
    for corner in 0..4 {
        // The fourth corner of a triangle has no meaning.
        let point = points.get(corner).copied().unwrap_or(0xcdcd_cdcd);
        bytes = bytes.u32(point).u32(point % 2).f32(corner as f32 / 4.0).f32(1.0);
    }
    bytes.mark("face_flags").u32(0x200).cstr(texture).cstr(material)
}

pub fn tag(name: &str, data: &[u8]) -> Bytes {
    Bytes::new().u8(1).cstr(name).mark("tag_size").u32(data.len() as u32).raw(data)
}

/// A text in `count` bytes.
fn fixed(text: &str, count: usize) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(count, 0);
    bytes
}

/// Like [`face`], in the older form.
pub fn old_face(points: &[u32], texture: &str) -> Bytes {
    // Without the two names, which are empty.
    let fields = face(points, "", "").to_vec();
    Bytes::new().mark("first_texture").raw(fixed(texture, 32)).raw(&fields[..fields.len() - 2])
}

/// Like [`tag`], in the older form.
pub fn old_tag(name: &str, data: &[u8]) -> Bytes {
    Bytes::new().raw(fixed(name, 64)).mark("tag_size").u32(data.len() as u32).raw(data)
}

/// Like [`lod`], in the older form.
pub fn old_lod(points: u32, faces: &[Bytes], tags: &[Bytes], resolution: f32) -> Bytes {
    lod_of(b"SP3X", 153, points, faces, &[tags, &[old_tag("#EndOfFile#", b"")]].concat(), resolution)
}

/// A LOD of some points on a line and two normals.
pub fn lod(points: u32, faces: &[Bytes], tags: &[Bytes], resolution: f32) -> Bytes {
    lod_of(b"P3DM", 256, points, faces, &[tags, &[tag("#EndOfFile#", b"")]].concat(), resolution)
}

fn lod_of(kind: &[u8; 4], version: u32, points: u32, faces: &[Bytes], tags: &[Bytes], resolution: f32) -> Bytes {
    let mut bytes = Bytes::new().mark("lod").raw(kind).mark("header_size").u32(28).mark("lod_version").u32(version);
    bytes = bytes.mark("points").u32(points).u32(2).mark("faces").u32(faces.len() as u32).u32(0);
    bytes = bytes.mark("first_point");
    for point in 0..points {
        bytes = bytes.f32s([point as f32, 0.5, -0.25]).u32(0x0300_0000 * (point % 2));
    }
    bytes = bytes.f32s([0.0, -1.0, 0.0]).f32s([0.0, 0.0, 1.0]).mark("first_face");
    bytes = faces.iter().fold(bytes, Bytes::part).mark("tags").raw(b"TAGG");
    bytes = tags.iter().fold(bytes, Bytes::part);
    bytes.mark("resolution").f32(resolution)
}

pub fn model(lods: &[Bytes]) -> Bytes {
    let header = Bytes::new().raw(b"MLOD").mark("version").u32(257).mark("lods").u32(lods.len() as u32);
    lods.iter().fold(header, Bytes::part)
}

/// Tags of all kinds, in one of the forms.
fn tags(tag: fn(&str, &[u8]) -> Bytes) -> [Bytes; 6] {
    let property = [&b"class\0"[..], &[0; 58], b"house\0", &[0; 58]].concat();
    [
        tag("#SharpEdges#", &[0, 0, 0, 0, 1, 0, 0, 0]),
        tag("#Property#", &property),
        tag("camo", &[1, 0, 0, 1, 1, 0, 0]),
        tag(r"proxy:\own\gunner.001", &[0, 1, 1, 1, 0, 0, 0]),
        tag(r"proxy:\own\gunner.002", &[0; 7]),
        tag("#UVSet#", &[0; 4]),
    ]
}

/// Triangles and quads with and without names, tags of all kinds; and an empty LOD.
pub fn sound() -> Bytes {
    let faces = [
        face(&[0, 1, 2], r"own\data\a_co.paa", r"own\data\a.rvmat"),
        face(&[0, 1, 2, 3], "", ""),
        face(&[3, 2, 1], r"own\data\b_co.paa", r"own\data\a.rvmat"),
    ];
    model(&[lod(4, &faces, &tags(tag), 1.0), lod(0, &[], &[], 1e15)])
}

/// The model of [`sound`] in the older form, without its materials.
pub fn old_sound() -> Bytes {
    let faces = [
        old_face(&[0, 1, 2], r"own\data\a_co.paa"),
        old_face(&[0, 1, 2, 3], ""),
        old_face(&[3, 2, 1], r"own\data\b_co.paa"),
    ];
    model(&[old_lod(4, &faces, &tags(old_tag), 1.0), old_lod(0, &[], &[], 1e15)])
}

/// Files for `corpus/mlod`.
pub fn corpus() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        // Every list filled; two proxies of one model.
        ("everything.p3d", sound().to_vec()),
        // The same in the older form; both forms in one model.
        ("older.p3d", old_sound().to_vec()),
        ("mixed.p3d", model(&[lod(1, &[], &[], 1.0), old_lod(1, &[], &[old_tag("a", &[1])], 2.0)]).to_vec()),
        // No LODs.
        ("empty.p3d", model(&[]).to_vec()),
    ]
}

/// Damaged models for `corpus/hostile`.
pub fn hostile() -> Vec<(&'static str, Vec<u8>)> {
    let sound = sound();
    let max = u32::MAX.to_le_bytes();
    let set = |name, value: u32| sound.clone().set(name, value.to_le_bytes()).to_vec();
    let one = |face: Bytes| model(&[lod(4, &[face], &[], 1.0)]);
    vec![
        ("mlod_older.p3d", set("version", 256)),
        // More LODs, points and faces than there are bytes.
        ("mlod_lods.p3d", sound.clone().set("lods", max).to_vec()),
        ("mlod_points.p3d", one(face(&[0, 1, 2], "", "")).set("points", max).to_vec()),
        ("mlod_faces.p3d", one(face(&[0, 1, 2], "", "")).set("faces", max).to_vec()),
        ("mlod_tag_size.p3d", sound.clone().set("tag_size", max).to_vec()),
        ("mlod_no_tags.p3d", one(face(&[0, 1, 2], "", "")).set("tags", b"TAGX").to_vec()),
        ("mlod_lod_version.p3d", set("lod_version", 257)),
        // A point that does not exist; five corners.
        ("mlod_point.p3d", one(face(&[0, 1, 4], "", "")).to_vec()),
        ("mlod_corners.p3d", one(face(&[0, 1, 2], "", "")).set("first_face", 5_u32.to_le_bytes()).to_vec()),
        ("mlod_not_a_number.p3d", set("first_point", f32::NAN.to_bits())),
        ("mlod_bytes_behind.p3d", sound.clone().raw("left over").to_vec()),
        ("mlod_older_version.p3d", old_sound().set("lod_version", 256_u32.to_le_bytes()).to_vec()),
        ("mlod_older_faces.p3d", old_sound().set("faces", max).to_vec()),
        ("mlod_older_cut.p3d", old_sound().to_vec()[..old_sound().at("first_texture") + 20].to_vec()),
        ("mlod_cut.p3d", sound.to_vec()[..sound.at("tags") + 20].to_vec()),
    ]
}
