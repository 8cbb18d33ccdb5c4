//! Ballance maps of every version, deflated and stored.

use std::collections::BTreeSet;
use std::sync::Mutex;

use super::bytes::Bytes;
use super::files::Files;
use super::zip::{Entry, zip};

pub struct Object {
    pub name: &'static str,
    pub component: bool,
    pub hidden: bool,
    pub matrix: [f32; 16],
    pub groups: &'static [&'static str],
    pub mesh: u32,
}

pub struct Mesh {
    pub name: &'static str,
    pub positions: Vec<[f32; 3]>,
    pub uvs: Vec<[f32; 2]>,
    pub normals: Vec<[f32; 3]>,
    /// Corners of position, texture coordinate and normal; a material.
    pub faces: Vec<([[u32; 3]; 3], Option<u32>)>,
}

pub struct Material {
    pub name: &'static str,
    pub colors: [f32; 12],
    pub power: f32,
    pub switches: [bool; 4],
    pub texture: Option<u32>,
}

pub struct Texture {
    pub name: &'static str,
    pub file_name: &'static str,
    pub external: bool,
}

pub struct Map {
    pub version: u32,
    /// Materials without switches in version 14.
    pub short_materials: bool,
    pub objects: Vec<Object>,
    pub meshes: Vec<Mesh>,
    pub materials: Vec<Material>,
    pub textures: Vec<Texture>,
    pub images: Vec<(&'static str, &'static [u8])>,
}

pub const IDENTITY: [f32; 16] = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];

pub fn utf32(bytes: Bytes, text: &str) -> Bytes {
    let bytes = bytes.u32(text.chars().count() as u32);
    text.chars().fold(bytes, |bytes, c| bytes.u32(c.into()))
}

/// A mark for a field of a record. Created once, and kept in a static so that leak checkers can find it.
fn mark(list: &str, index: usize, field: &str) -> &'static str {
    static MARKS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mark = format!("{list}{index}.{field}");
    let mut marks = MARKS.lock().unwrap();
    marks.get(mark.as_str()).copied().unwrap_or_else(|| {
        let mark = mark.leak();
        marks.insert(mark);
        mark
    })
}

/// The five tables in the order of the specification. Marks: `object0.mesh`, `mesh1.faces`, `entry3.offset` and so on.
pub type Tables = [(&'static str, Bytes); 5];

impl Map {
    fn flag(&self, bytes: Bytes, flag: bool) -> Bytes {
        if self.version == 10 { bytes.u32(flag.into()) } else { bytes.u8(flag.into()) }
    }

    pub fn tables(&self) -> Tables {
        let mut index = Bytes::new().mark("version").u32(self.version);
        let mut entry = 0..;
        let mut indexed = |name: &str, kind: u8, offset: usize| {
            let number = entry.next().unwrap();
            let mut bytes = std::mem::take(&mut index).mark(mark("entry", number, "name"));
            bytes = utf32(bytes, name).mark(mark("entry", number, "type"));
            bytes = if self.version == 10 { bytes.u32(kind.into()) } else { bytes.u8(kind) };
            index = bytes.mark(mark("entry", number, "offset")).raw((offset as u64).to_le_bytes());
        };
        let mut objects = Bytes::new();
        for (i, object) in self.objects.iter().enumerate() {
            indexed(object.name, 0, objects.len());
            objects = self.flag(objects.mark(mark("object", i, "component")), object.component);
            if (11..=13).contains(&self.version) {
                objects = objects.u8(0);
            }
            if self.version > 10 {
                objects = objects.mark(mark("object", i, "hidden")).u8(object.hidden.into());
            }
            objects = objects.mark(mark("object", i, "matrix")).f32s(object.matrix);
            if self.version > 12 {
                objects = objects.mark(mark("object", i, "groups")).u32(object.groups.len() as u32);
                objects = object.groups.iter().fold(objects, |bytes, group| utf32(bytes, group));
            }
            objects = objects.mark(mark("object", i, "mesh")).u32(object.mesh);
        }
        let mut meshes = Bytes::new();
        for (i, mesh) in self.meshes.iter().enumerate() {
            indexed(mesh.name, 1, meshes.len());
            meshes = meshes.mark(mark("mesh", i, "positions")).u32(mesh.positions.len() as u32);
            meshes = meshes.f32s(mesh.positions.iter().copied().flatten());
            meshes = meshes.mark(mark("mesh", i, "uvs")).u32(mesh.uvs.len() as u32);
            meshes = meshes.f32s(mesh.uvs.iter().copied().flatten());
            meshes = meshes.mark(mark("mesh", i, "normals")).u32(mesh.normals.len() as u32);
            meshes = meshes.f32s(mesh.normals.iter().copied().flatten());
            meshes = meshes.mark(mark("mesh", i, "faces")).u32(mesh.faces.len() as u32);
            for (corners, material) in &mesh.faces {
                meshes = corners.iter().flatten().fold(meshes, |bytes, index| bytes.u32(*index));
                meshes = self.flag(meshes, material.is_some()).u32(material.unwrap_or(0));
            }
        }
        let mut materials = Bytes::new();
        for (i, material) in self.materials.iter().enumerate() {
            indexed(material.name, 2, materials.len());
            let colors = if self.version == 10 { 9 } else { 12 };
            materials = materials.mark(mark("material", i, "ambient")).f32s(material.colors.into_iter().take(colors));
            if self.version > 10 {
                materials = materials.f32(material.power);
            }
            if self.version == 14 && !self.short_materials {
                materials = materials.mark(mark("material", i, "switches")).raw(material.switches.map(u8::from));
            }
            materials = self.flag(materials, material.texture.is_some());
            materials = materials.mark(mark("material", i, "texture")).u32(material.texture.unwrap_or(0));
        }
        let mut textures = Bytes::new();
        for (i, texture) in self.textures.iter().enumerate() {
            indexed(texture.name, 3, textures.len());
            textures = utf32(textures.mark(mark("texture", i, "file_name")), texture.file_name);
            textures = self.flag(textures.mark(mark("texture", i, "external")), texture.external);
        }
        [
            ("index.bm", index),
            ("object.bm", objects),
            ("mesh.bm", meshes),
            ("material.bm", materials),
            ("texture.bm", textures),
        ]
    }

    pub fn entries(&self, tables: &Tables, pack: fn(&str, &[u8]) -> Entry) -> Vec<Entry> {
        let tables = tables.iter().map(|(name, bytes)| pack(name, &bytes.to_vec()));
        tables.chain(self.images.iter().map(|(name, bytes)| pack(name, bytes))).collect()
    }

    pub fn packed(&self) -> Vec<u8> {
        zip(&self.entries(&self.tables(), |name, bytes| Entry::deflated(name, bytes)), COMMENT).to_vec()
    }
}

pub const COMMENT: &[u8] = b"Use BM Spec 1.4";

/// A map with everything: groups, a hidden object, a component, faces with and without material, a mesh without faces,
/// lists of different lengths, switches, external and embedded textures, two textures with one image, names with
/// characters outside ASCII and outside the BMP, and an empty one.
pub fn full(version: u32) -> Map {
    let moved = [0.5, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 10.0, 20.0, 30.0, 1.0];
    let object = |name, mesh, groups| Object { name, component: false, hidden: false, matrix: moved, groups, mesh };
    Map {
        version,
        short_materials: false,
        objects: vec![
            object("A01_Floor_😀_01", 0, &["Phys_Floors", "Sound_HitID_01", "自定义组"]),
            Object { hidden: true, ..object("隐藏的物体", 1, &[]) },
            Object { component: true, matrix: IDENTITY, ..object("P_Modul_18_01", 14, &["P_Modul_18", "Sector_01"]) },
            object("", 0, &["Phys_Floors", "Phys_Floors", ""]),
            object("Empty", 2, &[]),
        ],
        meshes: vec![
            Mesh {
                name: "Quad",
                positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.5, 2.0], [0.0, 0.5, 2.0]],
                uvs: vec![[0.0, -0.0], [1.0, 0.0], [1.0, -1.0], [0.0, -1.0], [7.0, 7.0]],
                normals: vec![[0.0, 1.0, 0.0]],
                faces: vec![([[2, 2, 0], [1, 1, 0], [0, 0, 0]], Some(1)), ([[3, 3, 0], [2, 2, 0], [0, 4, 0]], None)],
            },
            Mesh {
                name: "四面体",
                positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
                uvs: vec![[0.0, 0.0]],
                normals: vec![[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
                faces: [[1, 2, 0], [2, 3, 0], [3, 1, 0], [2, 1, 3]].map(|c| (c.map(|v| [v, 0, v % 2]), Some(0))).into(),
            },
            Mesh { name: "Nothing", positions: vec![], uvs: vec![], normals: vec![], faces: vec![] },
        ],
        materials: vec![
            Material {
                name: "地板材质",
                colors: [0.1, 0.2, 0.3, 0.5, 0.25, 0.125, 0.3, 0.3, 0.3, 0.4, 0.4, 0.4],
                power: 12.5,
                switches: [true, true, false, true],
                texture: Some(1),
            },
            Material { name: "Bare", colors: [1.0; 12], power: 0.0, switches: [false; 4], texture: None },
        ],
        textures: vec![
            Texture { name: "Floor_Top_Flat.bmp", file_name: "Floor_Top_Flat.bmp", external: true },
            Texture { name: "我的地板.png", file_name: "我的地板.png", external: false },
            Texture { name: "again", file_name: "我的地板.png", external: false },
        ],
        images: vec![("Texture/我的地板.png", b"\x89PNG\r\n\x1a\n, or so it says; so it says, or so")],
    }
}

pub fn corpus() -> Files {
    let map = full(14);
    let tables = map.tables();
    let described = map.entries(&tables, |name, bytes| Entry::deflated(name, bytes).with_descriptor());
    let mut backslash = map.entries(&tables, |name, bytes| Entry::deflated(name.replace('/', "\\"), bytes));
    backslash.reverse();
    backslash.insert(0, Entry::deflated("Texture/", b""));
    let empty =
        Map { objects: vec![], meshes: vec![], materials: vec![], textures: vec![], images: vec![], ..full(14) };
    vec![
        // Every field of version 14.
        ("full.bmx", map.packed()),
        // Sizes after the data, which the specification does not forbid.
        ("descriptors.bmx", zip(&described, b"").to_vec()),
        // `\` in names, a folder entry, index.bm not first.
        ("backslash.bmx", zip(&backslash, COMMENT).to_vec()),
        // Materials of 57 bytes in version 14.
        ("alpha_2022.bmx", Map { short_materials: true, ..full(14) }.packed()),
        // Only a version.
        ("empty.bmx", empty.packed()),
        // The older versions.
        ("v10.bmx", full(10).packed()),
        ("v11.bmx", full(11).packed()),
        ("v12.bmx", full(12).packed()),
        ("v13.bmx", full(13).packed()),
    ]
}

pub fn hostile() -> Files {
    let map = full(14);
    let tables = map.tables();
    let entries = map.entries(&tables, |name, bytes| Entry::deflated(name, bytes));
    let mut bomb = entries.clone();
    bomb[2] = Entry::deflated("mesh.bm", &vec![0; 4 << 20]).both(|header| header.unpacked = 4096);
    let mut claims = entries.clone();
    claims[2] = entries[2].clone().both(|header| header.unpacked = 0x7fff_ffff);
    let mut quilt = entries.clone();
    quilt.extend((0..40).map(|i| {
        let header_offset = Some(0);
        Entry { header_offset, ..Entry { data: vec![], ..Entry::deflated(format!("x{i}"), &tables[0].1.to_vec()) } }
    }));
    let mut shared = map.tables();
    for entry in ["entry1.offset", "entry2.offset", "entry3.offset"] {
        shared[0].1 = shared[0].1.clone().set(entry, 0_u64.to_le_bytes());
    }
    let stored = map.entries(&tables, |name, bytes| Entry::stored(name, bytes));
    vec![
        // All of it stored, so that it is read in place, against the specification.
        ("bmx_stored.bmx", zip(&stored, COMMENT).to_vec()),
        // A table that inflates to a thousand times its claimed size.
        ("bmx_bomb.bmx", zip(&bomb, COMMENT).to_vec()),
        // A table that claims 2 GB from a few bytes.
        ("bmx_claims.bmx", zip(&claims, COMMENT).to_vec()),
        // Forty entries that share the same data.
        ("bmx_quilt.bmx", zip(&quilt, COMMENT).to_vec()),
        // Objects that all have the same offset.
        ("bmx_shared.bmx", zip(&map.entries(&shared, |name, bytes| Entry::deflated(name, bytes)), COMMENT).to_vec()),
    ]
}
