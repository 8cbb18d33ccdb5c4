//! A writer of LODka3D models, and the files it makes for `corpus/lodka`.

use super::bytes::Bytes;

/// A chunk around a body, which keeps its marks.
pub fn chunk(tag: &[u8; 4], count: i32, body: Bytes) -> Bytes {
    Bytes::new().raw(tag).i32(body.len() as i32).i32(count).part(&body)
}

/// A chunk that contains and counts chunks.
pub fn list(tag: &[u8; 4], parts: impl IntoIterator<Item = Bytes>) -> Bytes {
    let (count, body) = parts.into_iter().fold((0, Bytes::new()), |(n, all), part| (n + 1, all.part(&part)));
    chunk(tag, count, body)
}

/// A whole file of one model.
pub fn file(parts: impl IntoIterator<Item = Bytes>) -> Bytes {
    Bytes::new().raw("LODka3D1").part(&list(b"LOD1", parts))
}

/// A length and a text.
pub fn text(text: impl AsRef<[u8]>) -> Bytes {
    Bytes::new().i32(text.as_ref().len() as i32).raw(text)
}

fn i16s(values: &[i16]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// Floats that all differ: eighths, starting at a number.
fn eighths(from: u32, count: u32) -> Bytes {
    Bytes::new().f32s((from..from + count).map(|i| i as f32 / 8.0))
}

pub fn info(bytes: &[u8]) -> Bytes {
    chunk(b"INF1", 1, Bytes::new().raw(bytes))
}

/// Bones in a chain: each is the parent of the next.
pub fn skeleton(count: i16) -> Bytes {
    let bone = |all: Bytes, id: i16| {
        let all = if id == 1 { all.mark("second_bone") } else { all };
        all.raw(i16s(&[id, id - 1])).part(&text(format!("b{id}")))
    };
    chunk(b"SKL1", count.into(), (0..count).fold(Bytes::new().mark("skeleton_kind").u8(1), bone))
}

pub fn animation(name: &str, frames: i32, bones: u32) -> Bytes {
    let own = Bytes::new().mark("animation_kind").u8(1).mark("interval").i32(40).mark("play_mode").u8(2);
    let keys = if bones == 0 { Bytes::new() } else { eighths(0, frames as u32 * bones * 6) };
    chunk(b"ANM1", frames, own.part(&text(name)).mark("keys").part(&keys))
}

/// Materials of a layout: names, names of textures.
pub fn materials(kind: u8, list: &[(&[u8], &[u8])]) -> Bytes {
    let own = Bytes::new().mark("materials_kind").u8(kind);
    if kind == 0 {
        return self::list(b"MAL1", [chunk(b"MAT1", 0, own)]);
    }
    let record = |all: Bytes, (name, textures): &(&[u8], &[u8])| {
        let all = all.part(&text(name)).part(&text(textures));
        let options = Bytes::new()
            .mark("material_options")
            .part(&eighths(0, 20))
            .mark("shininess")
            .u8(128)
            .f32s([1.0, 1.25, 0.5]);
        let options = options.mark("blending").raw([5, 8, 3, 2, 11, 1, 0]);
        match kind {
            1 => all,
            2 => all.part(&options),
            _ => all.part(&options).mark("mapping").u8(7),
        }
    };
    let count = list.len() as i32;
    let own = list.iter().fold(own.mark("material_count").i32(count), record);
    self::list(b"MAL1", [chunk(b"MAT1", count, own)])
}

pub fn texture(material: &str, name: &str, reserve: usize, data: &[u8]) -> Bytes {
    let options = 20 + material.len() + name.len() + reserve;
    Bytes::new()
        .mark("option_size")
        .i32(options as i32)
        .mark("data_size")
        .i32(data.len() as i32)
        .mark("option_type")
        .i32(0)
        .part(&text(material))
        .part(&text(name))
        .raw(vec![0xee; reserve])
        .raw(data)
}

pub fn textures(textures: &[Bytes]) -> Bytes {
    let own = textures.iter().fold(Bytes::new().mark("textures_kind").u8(0), |all, texture| all.part(texture));
    list(b"TXTL", [chunk(b"TXTR", textures.len() as i32, own)])
}

pub fn bump(reserve: usize) -> Bytes {
    let names = text("stone").part(&text("leaf")).part(&text(""));
    let own = Bytes::new().u8(1).part(&names).f32s([0.75, 0.25]).raw(vec![0xdd; reserve]);
    Bytes::new().mark("shader_size").i32(own.len() as i32).mark("shader").part(&own)
}

pub fn opaque_shader(kind: u8, data: &[u8]) -> Bytes {
    Bytes::new().i32(1 + data.len() as i32).u8(kind).raw(data)
}

pub fn shaders(shaders: &[Bytes]) -> Bytes {
    let own = shaders.iter().fold(Bytes::new().mark("shaders_kind").u8(1), |all, shader| all.part(shader));
    list(b"SHDL", [chunk(b"SHDR", shaders.len() as i32, own)])
}

/// A face group. Its indices cycle through the arrays.
#[derive(Clone, Copy)]
pub struct Group {
    pub kind: i32,
    pub triangles: u32,
    /// Vertex indices after those of the triangles.
    pub extra: u32,
    pub smoothing: bool,
    pub normals: bool,
    pub uvs: bool,
    /// True if it names its materials.
    pub named: bool,
}

impl Group {
    pub const fn new(kind: i32, triangles: u32) -> Self {
        Self { kind, triangles, extra: 0, smoothing: kind == 2, normals: false, uvs: false, named: false }
    }
}

#[derive(Clone)]
pub struct Mesh {
    pub name: &'static str,
    pub mode: u8,
    pub vertices: u32,
    pub normals: u32,
    pub uvs: Vec<u32>,
    /// Each count before its own array, as in the description.
    pub uv_counts_apart: bool,
    pub bone_count: u32,
    pub bone_ids: u32,
    /// The maximum, and bone numbers with the bit that ends a list.
    pub weights: Option<(i32, Vec<(u16, bool)>)>,
    pub groups: Vec<Group>,
}

impl Default for Mesh {
    fn default() -> Self {
        Self {
            name: "mesh",
            mode: 3,
            vertices: 3,
            normals: 0,
            uvs: vec![0],
            uv_counts_apart: false,
            bone_count: 0,
            bone_ids: 0,
            weights: None,
            groups: vec![Group::new(2, 1)],
        }
    }
}

/// This many indices into an array of this length, in the resulting width.
fn indices(count: u32, target: u32, spare: u32) -> Bytes {
    let index = |i: u32| if target == 0 { 0 } else { (target - 1).wrapping_sub(i % target) };
    let own = Bytes::new().i32(count as i32);
    (0..count).map(index).fold(own.mark("first_index"), |all, index| match target + spare {
        0..=256 => all.u8(index as u8),
        257..=65536 => all.raw((index as u16).to_le_bytes()),
        _ => all.u32(index),
    })
}

impl Mesh {
    pub fn chunk(&self) -> Bytes {
        chunk(b"MSH1", self.groups.len() as i32, self.body())
    }

    fn body(&self) -> Bytes {
        let own = text(self.name).u8(0).mark("mesh_mode").u8(self.mode).u8(1).mark("vertex_count");
        let own = own.i32(self.vertices as i32).mark("positions").part(&eighths(0, self.vertices * 3));
        let own = own.mark("normal_count").i32(self.normals as i32).part(&eighths(1, self.normals * 3));
        let own = if self.mode == 3 { own.mark("uv_sets").u8(self.uvs.len() as u8) } else { own };
        let counts = |all: Bytes| self.uvs.iter().fold(all, |all, &count| all.i32(count as i32));
        let own = own.mark("uv_count");
        let own = match self.uv_counts_apart {
            false => self.uvs.iter().fold(counts(own), |all, &count| all.part(&eighths(2, count * 2))),
            true => self.uvs.iter().fold(own, |all, &count| all.i32(count as i32).part(&eighths(2, count * 2))),
        };
        let own = own.mark("bone_id_count").i32(self.bone_ids as i32).mark("bone_ids");
        let ids = (0..self.bone_ids).map(|i| i % self.bone_count.max(1));
        let own = ids.fold(own, |all, id| match self.bone_count {
            0..=254 => all.u8(id as u8),
            _ => all.raw((id as u16).to_le_bytes()),
        });
        let own = match &self.weights {
            None => own.mark("weight_kind").i32(0),
            Some((cap, records)) => {
                let own = own.mark("weight_kind").i32(1).mark("bones_per_vertex").i32(*cap);
                let own = own.mark("weight_count").i32(records.len() as i32).mark("weights");
                records.iter().enumerate().fold(own, |all, (i, &(bone, closes))| {
                    let all = match self.bone_count {
                        0..=127 => all.u8(bone as u8 | if closes { 0x80 } else { 0 }),
                        _ => all.raw((bone | if closes { 0x8000 } else { 0 }).to_le_bytes()),
                    };
                    all.f32(1.0 / (i + 1) as f32)
                })
            }
        };
        let own = own.mark("face_group_count").i32(self.groups.len() as i32);
        self.groups.iter().fold(own, |all, group| all.part(&self.group(group)))
    }

    fn group(&self, group: &Group) -> Bytes {
        let corners = group.triangles * 3;
        let spare = u32::from(group.kind == 1);
        let spare_uv = u32::from(group.kind == 1 && self.mode == 2);
        let some = |yes: bool| if yes { corners } else { 0 };
        let own = Bytes::new().mark("face_kind").i32(group.kind).mark("face_mode").u8(0);
        let own = own.part(&text("group")).mark("face_visible").u8(1);
        let names = if group.named { ["stone", "leaf"] } else { ["", ""] };
        let own = own.mark("material_lengths");
        let own = names.iter().zip(&self.uvs).fold(own, |all, (name, _)| all.i32(name.len() as i32));
        let own = names.iter().zip(&self.uvs).fold(own, |all, (name, _)| all.raw(name));
        let own = own
            .mark("vertex_index_count")
            .part(&indices(corners + group.extra, self.vertices, spare))
            .mark("smoothing_count");
        let own = match (group.kind, group.smoothing) {
            (1, _) => own,
            (_, false) => own.i32(0),
            (_, true) => own.i32(group.triangles as i32).i32s((0..group.triangles).map(|i| 1 << (i % 31))),
        };
        let own = own.mark("normal_index_count").part(&indices(some(group.normals), self.normals, spare));
        let all: Vec<_> = self.uvs.iter().map(|&count| indices(some(group.uvs), count, spare_uv).to_vec()).collect();
        let own = all.iter().fold(own.mark("uv_index_count"), |own, bytes| own.raw(&bytes[..4]));
        all.iter().fold(own, |own, bytes| own.raw(&bytes[4..]))
    }
}

pub fn meshes(meshes: &[Mesh]) -> Bytes {
    list(b"MSL1", meshes.iter().map(Mesh::chunk))
}

/// A collection of morph animations: names, bone names, animations with their frame counts.
pub struct Morph {
    pub names: [&'static str; 2],
    pub parent: i32,
    pub bones: &'static [&'static str],
    pub animations: &'static [(&'static str, i32)],
}

pub fn morphs(list: &[Morph], wide: bool) -> Bytes {
    let record = |all: Bytes, morph: &Morph| {
        let lengths = morph.names.map(|name| name.len() as i32);
        let all = all.i32s(lengths).i32(morph.bones.len() as i32).i32(morph.animations.len() as i32);
        let all = if wide { all.i32(0x55) } else { all };
        all.mark("morph_parent").i32s([morph.parent, 0]).mark("morph_proxy").i32(-1)
    };
    let own = list.iter().fold(Bytes::new().mark("morphs_kind").i32(0).mark("morph_records"), record);
    let own = own.mark("morph_bones");
    let bones = list.iter().flat_map(|morph| morph.bones.iter().enumerate());
    let own = bones.fold(own, |all, (i, name)| all.i32(name.len() as i32).i32(i as i32 - 1));
    let animations = list.iter().flat_map(|morph| morph.animations).collect::<Vec<_>>();
    let own = animations.iter().fold(own.mark("morph_animations"), |all, (name, frames)| {
        all.i32(name.len() as i32).u8(6).i32(25).i32(*frames)
    });
    let own = list.iter().fold(own, |all, morph| {
        let animations = morph.animations.iter().map(|(name, _)| name);
        morph.names.iter().chain(morph.bones).chain(animations).fold(all, |all, name| all.raw(name))
    });
    let frames = |morph: &Morph| morph.animations.iter().map(|(_, frames)| *frames as u32).sum::<u32>();
    let matrices = list.iter().map(|morph| morph.bones.len() as u32 * frames(morph)).sum::<u32>();
    let own = own.part(&eighths(0, matrices * 12)).part(&eighths(5, list.iter().map(frames).sum::<u32>() * 10));
    chunk(b"MAN1", list.len() as i32, own)
}

/// Morphed meshes: frames, vertices, mesh; the mesh's name, the collection's.
pub fn morph_meshes(list: &[([i32; 3], [&str; 2])]) -> Bytes {
    let own = Bytes::new().mark("morph_meshes_kind").i32(0).mark("morph_mesh");
    let own = list.iter().fold(own, |all, (own, names)| all.i32s(*own).i32s(names.map(|name| name.len() as i32)));
    let own = list.iter().flat_map(|(_, names)| names).fold(own.mark("morph_mesh_names"), |all, name| all.raw(name));
    let total: u32 = list.iter().map(|([frames, vertices, _], _)| (frames * vertices) as u32).sum();
    chunk(b"MMD1", list.len() as i32, own.mark("vertex_total").i32(total as i32).part(&eighths(0, total * 3)))
}

/// Two bodies, three geoms, one joint of every kind.
pub fn physics(version: i32) -> Bytes {
    let (bodies, geoms) = ("torso\r\nhead", "box\r\n\r\nplane\r\n");
    let own = Bytes::new().mark("physics_kind").u8(1).mark("physics_counts");
    let own = own.i32s([bodies.len() as i32, geoms.len() as i32, 3, 2, 3, 8]);
    let own = own.raw(bodies).raw(geoms).mark("mesh_links").i32s([0, 1, 0]);
    let own = (0..2_u8).fold(own.mark("bodies"), |all, i| {
        let all = all.u8(i + 1).part(&eighths(i.into(), 10)).i32(2).f32s([10.0, 0.5, 7.0]);
        all.raw([1, 1, 0, 1, 0]).f32s([0.01, 0.02, 3.0]).i32(10)
    });
    let own = [(9, -1, [0, 0]), (7, 0, [1, 2]), (6, 1, [0, 3])].into_iter().fold(
        own.mark("geoms"),
        |all, (kind, body, [first, count])| {
            let all = all.u8(kind).i32(body).part(&eighths(0, 10)).i32(1).f32s([1.0, 2.0]);
            all.mark("last_geom_links").i32s([first, count]).f32(5.0).u8(1)
        },
    );
    let own = (0..8).fold(own.mark("joints"), |all, kind| {
        all.u8(kind).i32s([0, if kind == 0 { -1 } else { 1 }]).part(&eighths(kind.into(), 8 + 3 + 12))
    });
    chunk(b"PHS1", version, own)
}

pub fn light_scheme(name: &str) -> Bytes {
    let light = |all: Bytes, i: u8| {
        let all = all.mark("last_light").raw([i & 1, i % 3]).part(&eighths(i.into(), 18));
        all.f32s([if i.is_multiple_of(3) { 45.0 } else { 180.0 }, 2.0, 1.0, 0.5, 0.25])
    };
    chunk(b"LIG1", 8, (0..8).fold(text(name), light))
}

pub fn proxies(mesh: i32, wide: bool) -> Bytes {
    let names = ["", "leaf", "leaf two"];
    let own = Bytes::new().mark("proxy_count").i32(names.len() as i32).mark("proxy_name_lengths");
    let own = own.i32s(names.map(|name| name.len() as i32)).raw(names.concat());
    let own = [[-1, -1], [0, 0], [1, 1]].into_iter().fold(own, |all, [parent, source]: [i16; 2]| {
        let all = all.mark("last_proxy").raw(i16s(&[parent]));
        let all = if wide { all.raw([0x55, 0x66]) } else { all };
        all.raw(i16s(&[source, -1, -1, -1, 0])).part(&eighths(0, 10)).raw([1, 0])
    });
    chunk(b"PXI1", mesh, own)
}

pub fn colliders(name: &str, bones: &[i16]) -> Bytes {
    let own = bones.iter().fold(text(name).mark("collider_name_lengths"), |all, _| all.i32(3));
    let own = bones.iter().fold(own, |all, _| all.raw("hit")).mark("colliders");
    let own = bones.iter().enumerate().fold(own, |all, (i, bone)| {
        let all = all.raw(i16s(&[*bone])).u8(i as u8 % 4).part(&eighths(0, 16)).i32(-7).f32(0.5).u8(1);
        all.part(&eighths(9, 12))
    });
    chunk(b"COL1", bones.len() as i32, own)
}

/// A bitmap of one pixel.
pub fn bitmap() -> Vec<u8> {
    let header = Bytes::new().raw("BM").i32s([58, 0, 54, 40, 1, 1]).raw([1, 0, 24, 0]).i32s([0, 4, 0, 0, 0, 0]);
    header.raw([1, 2, 3, 0]).to_vec()
}

pub fn screenshot(name: &str) -> Bytes {
    let data = bitmap();
    let own = Bytes::new().mark("screenshot_kind").i32(0).part(&text(name)).mark("screenshot_size");
    chunk(b"IMG1", 1, own.i32(data.len() as i32).raw(data))
}

/// A mesh with several bones for each vertex: lists of 2, 3 (ended only by the maximum) and 1 records.
pub fn weighted(bone_count: u32) -> Mesh {
    let top = bone_count as u16 - 1;
    let records = vec![(0, false), (1, true), (1, false), (0, false), (top, false), (top, true)];
    Mesh { name: "weighted", bone_count, weights: Some((3, records)), ..Mesh::default() }
}

fn rigid(bone_count: u32) -> Mesh {
    Mesh { name: "rigid", bone_count, vertices: 4, bone_ids: 4, normals: 2, ..Mesh::default() }
}

fn two_sets() -> Mesh {
    let full = Group { normals: true, uvs: true, named: true, ..Group::new(2, 2) };
    Mesh {
        name: "two sets",
        normals: 3,
        uvs: vec![4, 5],
        groups: vec![full, Group { smoothing: false, ..full }],
        ..Mesh::default()
    }
}

/// Every kind of chunk.
pub fn everything() -> Vec<Bytes> {
    let collections = [
        Morph { names: ["body", "hull"], parent: -1, bones: &["hip", "knee"], animations: &[("walk", 2), ("", 1)] },
        Morph { names: ["hat", ""], parent: 0, bones: &["brim"], animations: &[("nod", 3)] },
    ];
    vec![
        info(b"made for tests"),
        materials(3, &[(b"stone", b"stone.bmp:light.bmp"), (b"leaf", b"leaf.png")]),
        textures(&[
            texture("stone", "stone.bmp", 0, &bitmap()),
            texture("leaf", "leaf.png", 7, b"\x89PNG\r\n\x1a\n"),
            texture("", "", 0, b""),
        ]),
        shaders(&[bump(0), opaque_shader(9, b"anything"), bump(5), opaque_shader(2, b"")]),
        skeleton(3),
        meshes(&[rigid(3), weighted(3), two_sets(), Mesh { vertices: 0, groups: vec![], ..Mesh::default() }]),
        morphs(&collections, false),
        morph_meshes(&[([3, 4, 0], ["rigid", "body"]), ([3, 3, 1], ["weighted", "hat"])]),
        physics(2),
        list(b"ANS1", [animation("run", 2, 3), animation("", 0, 3), animation("jump", 1, 3)]),
        list(b"LGS1", [light_scheme("day"), light_scheme("night")]),
        list(b"PXL1", [proxies(3, false)]),
        list(b"CLL1", [colliders("hits", &[0, 2, 1, 1]), colliders("none", &[])]),
        screenshot("front"),
    ]
}

/// A mesh whose arrays all have one length, at which indices become wider.
fn sized((mode, kind, size): (u8, i32, u32)) -> Mesh {
    let groups = vec![Group { normals: true, uvs: true, ..Group::new(kind, 2) }];
    Mesh { mode, vertices: size, normals: size, uvs: vec![size], groups, ..Mesh::default() }
}

pub fn corpus() -> super::files::Files {
    let several = [b"LOD1"; 4].iter().zip(0..).fold(Bytes::new().raw("LODka3D1"), |all, (tag, kind)| {
        // Long enough that no two models end at the same offset.
        let meshes = meshes(&[Mesh { vertices: 40 + u32::from(kind), ..Mesh::default() }]);
        all.part(&list(tag, [materials(kind, &[(b"stone", b"t.bmp")]), meshes]))
    });
    vec![
        // The smallest model with something to see.
        ("triangle.lod", file([meshes(&[Mesh::default()])]).to_vec()),
        // Every chunk, with each of its variants that can occur in one model.
        ("everything.lod", file(everything()).to_vec()),
        // Several models, each with another layout of materials.
        ("several_models.lod", several.to_vec()),
        // The older mesh layout: one set of texture coordinates, face groups without smoothing.
        (
            "mode_2.lod",
            file([
                skeleton(2),
                meshes(&[
                    Mesh {
                        mode: 2,
                        groups: vec![Group::new(1, 1), Group { normals: true, uvs: true, ..Group::new(1, 2) }],
                        normals: 3,
                        uvs: vec![3],
                        ..Mesh::default()
                    },
                    Mesh { mode: 2, groups: vec![Group::new(2, 1)], ..weighted(2) },
                ]),
            ])
            .to_vec(),
        ),
        // Index widths around 256 elements: both kinds of face groups, both mesh layouts.
        (
            "index_widths.lod",
            file([meshes(&[(2, 1, 255), (2, 1, 256), (3, 1, 256), (3, 2, 256), (3, 2, 257)].map(sized))]).to_vec(),
        ),
        // 7-bit, 15-bit, and again 15-bit bone numbers, bone ids of one and two bytes.
        ("bones_127.lod", file([skeleton(127), meshes(&[weighted(127), rigid(127)])]).to_vec()),
        ("bones_128.lod", file([skeleton(128), meshes(&[weighted(128), rigid(128)])]).to_vec()),
        ("bones_254.lod", file([skeleton(254), meshes(&[weighted(254), rigid(254)])]).to_vec()),
        ("bones_255.lod", file([skeleton(255), meshes(&[weighted(255), rigid(255)])]).to_vec()),
        // Names in windows-1251, with its undefined byte; empty ones; drive letters before colons.
        (
            "names.lod",
            file([
                info(b"\xcc\xee\xe4\xe5\xeb\xfc \x98"),
                materials(
                    1,
                    &[
                        (b"\xea\xe0\xec\xe5\xed\xfc", b"C:\\\xf2\xe5\xea\xf1\xf2\xf3\xf0\xfb\\a.bmp:D:/b.bmp"),
                        (b"", b""),
                        (b"x", b":second.bmp"),
                    ],
                ),
                list(b"LGS1", [light_scheme("")]),
            ])
            .to_vec(),
        ),
        // Unknown chunks everywhere, some with unprintable tags and meaningless counts.
        (
            "unknown_chunks.lod",
            file([
                chunk(b"\0\x01\xff\n", -5, Bytes::new().raw([0; 40])),
                list(b"MSL1", [Mesh::default().chunk(), chunk(b"msh1", i32::MAX, Bytes::new())]),
                chunk(b"XYZ1", 0, Bytes::new()),
            ])
            .part(&chunk(b"TAIL", 1, Bytes::new().raw("beside")))
            .to_vec(),
        ),
        // Empty lists.
        (
            "empty_lists.lod",
            file([
                info(b""),
                skeleton(0),
                materials(1, &[]),
                textures(&[]),
                shaders(&[]),
                list(b"MSL1", []),
                morphs(&[], false),
                morph_meshes(&[]),
                list(b"ANS1", [animation("still", 0, 0)]),
                list(b"LGS1", []),
                list(b"PXL1", []),
                list(b"CLL1", [colliders("none", &[])]),
            ])
            .to_vec(),
        ),
        // An empty model.
        ("empty.lod", file([]).to_vec()),
    ]
}

/// The valid file in which single fields are damaged.
pub fn sound() -> Bytes {
    file(everything())
}

/// Returns the offset of a chunk with this tag, the first or a later one.
pub fn find(bytes: &[u8], tag: &[u8; 4], nth: usize) -> usize {
    bytes.windows(4).enumerate().filter(|(_, window)| window == tag).nth(nth).unwrap().0
}

/// Returns the same bytes with a number of the first chunk with this tag changed: its size at 4, its count at 8.
pub fn with_header(mut bytes: Vec<u8>, tag: &[u8; 4], at: usize, value: i32) -> Vec<u8> {
    let start = find(&bytes, tag, 0) + at;
    bytes[start..start + 4].copy_from_slice(&value.to_le_bytes());
    bytes
}

/// Damaged files for `corpus/hostile`.
pub fn hostile() -> super::files::Files {
    let sound = sound();
    let set = |name: &str, value: i32| sound.clone().set(name, value.to_le_bytes()).to_vec();
    let set_u8 = |name: &str, value: u8| sound.clone().set(name, [value]).to_vec();
    let header = |tag: &[u8; 4], at, value| with_header(sound.to_vec(), tag, at, value);
    let mut apart = Mesh { uv_counts_apart: true, ..two_sets() };
    apart.groups.iter_mut().for_each(|group| group.named = false);
    let collection = || Morph { names: ["a", "b"], parent: -1, bones: &["c"], animations: &[("d", 1)] };
    vec![
        // The two layouts on which the description and the author's loader differ, in the description's form.
        ("uv_counts_apart.lod", file([meshes(&[apart])]).to_vec()),
        ("wide_morphs.lod", file([meshes(&[]), morphs(&[collection(), collection()], true)]).to_vec()),
        (
            "wide_proxies.lod",
            file([
                meshes(&[Mesh { vertices: 0, groups: vec![], ..Mesh::default() }, Mesh::default()]),
                list(b"PXL1", [proxies(0, true)]),
            ])
            .to_vec(),
        ),
        // Counts of elements that take no bytes.
        ("frames_of_no_bone.lod", file([skeleton(0), list(b"ANS1", [animation("a", i32::MAX, 0)])]).to_vec()),
        (
            "frames_of_no_vertex.lod",
            file([
                meshes(&[Mesh::default()]),
                morph_meshes(&[([i32::MAX, 0, 0], ["mesh", ""]), ([0, i32::MAX, 0], ["mesh", ""])]),
            ])
            .to_vec(),
        ),
        ("negative_size.lod", header(b"MSH1", 4, -1)),
        ("child_past_parent.lod", header(b"ANM1", 4, 1 << 20)),
        ("bytes_left_in_parent.lod", header(b"CLL1", 4, 5)),
        ("negative_vertices.lod", set("vertex_count", -3)),
        ("huge_vertices.lod", set("vertex_count", i32::MAX)),
        ("names_past_the_chunk.lod", set("proxy_name_lengths", i32::MAX)),
        ("mesh_mode.lod", set_u8("mesh_mode", 4)),
        ("face_kind.lod", set("face_kind", 3)),
        ("weight_kind.lod", set("weight_kind", 2)),
        (
            "no_bones_per_vertex.lod",
            file([skeleton(2), meshes(&[weighted(2)])]).set("bones_per_vertex", 0_i32.to_le_bytes()).to_vec(),
        ),
        ("enum_out_of_range.lod", set_u8("blending", 6)),
        ("index_out_of_range.lod", set_u8("first_index", 200)),
        ("seven_lights.lod", header(b"LIG1", 8, 7)),
        ("animation_without_skeleton.lod", file([list(b"ANS1", [animation("a", 1, 1)])]).to_vec()),
        ("physics_of_version_3.lod", header(b"PHS1", 8, 3)),
        ("count_unlike_contents.lod", header(b"LOD1", 8, 99)),
        ("first_chunk.lod", Bytes::new().raw("LODka3D1").part(&info(b"")).to_vec()),
        ("version_2.lod", b"LODka3D2LOD1\0\0\0\0\0\0\0\0".to_vec()),
        ("only_a_signature.lod", b"LODka3D1".to_vec()),
    ]
}
