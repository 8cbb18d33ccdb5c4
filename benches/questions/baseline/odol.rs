//! The usual way to read a binarised Arma model: the whole file into memory, every part of it into a `String` or a
//! `Vec`, every stream expanded, in file order. Versions 45 to 52, without animations.
//!
//! Each face has its own `Vec`, as in the known readers. In other respects it does less than they do: it checks only
//! the bounds of slices, expands streams directly into the `Vec` that keeps them, and keeps packed vectors, coordinates
//! and bone references as stored.

// The data is kept and dropped again; hardly any of it is used.
#![allow(dead_code)]

use bytemuck::Pod;

/// Expands the LZO stream at the start of the bytes until the output is full. Returns the number of bytes it took.
pub type Expand<'e> = dyn FnMut(&[u8], &mut [u8]) -> usize + 'e;

type Vec3 = [f32; 3];
type Transform = [f32; 12];
type FaceDefault = ([u32; 4], u8, Option<(u32, f32)>);
type Texts = (String, String);

pub struct Model {
    resolutions: Vec<f32>,
    info: Info,
    face_defaults: Vec<FaceDefault>,
    pub lods: Vec<Lod>,
}

struct Info {
    /// Up to the centre of mass, with the visual box from version 52 on.
    numbers: Vec<u32>,
    flags: [u8; 4],
    thermal: [f32; 6],
    shadow: (u8, i32, u8, Option<f32>, u8),
    skeleton: Option<(String, u8, Vec<Texts>, String)>,
    map_type: u8,
    masses: Vec<f32>,
    mass_and_armor: [f32; 4],
    special_lods: [i8; 12],
    blending: (u32, u8),
    class_and_damage: Texts,
    rest: (u8, u32),
}

pub struct Lod {
    proxies: Vec<(String, Transform, [i32; 4])>,
    items: Vec<u32>,
    bone_links: Vec<Vec<u32>>,
    point_count: Option<u32>,
    face_area: Option<f32>,
    hints: [u32; 2],
    bounds: [f32; 10],
    textures: Vec<String>,
    materials: Vec<Material>,
    edges: [Vec<u16>; 2],
    pub faces: Vec<Vec<u16>>,
    sections: Vec<Section>,
    selections: Vec<Selection>,
    properties: Vec<Texts>,
    frames: Vec<(f32, Vec<Vec3>)>,
    colors_and_special: [u32; 3],
    simple_bone_refs: u8,
    pub point_flags: Vec<u32>,
    pub uvs: Vec<([f32; 4], Vec<[i16; 2]>)>,
    pub positions: Vec<Vec3>,
    pub normals: Vec<u32>,
    pub tangents: Vec<[u32; 2]>,
    pub bone_refs: Vec<[u32; 3]>,
    pub neighbors: Vec<[u32; 8]>,
}

struct Material {
    name: String,
    kind: u32,
    colors_and_power: [f32; 25],
    codes: [u32; 4],
    surface: Option<String>,
    render_flags: Option<[u32; 2]>,
    stages: Vec<Stage>,
    transforms: Vec<(u32, Transform)>,
}

struct Stage {
    own_transform: Option<(u32, Transform)>,
    filter: u32,
    texture: String,
    transform: Option<u32>,
    environment: Option<u8>,
}

struct Section {
    numbers: [u32; 5],
    texture: i16,
    flags_and_material: (u32, i32),
    material_name: Option<String>,
    area_over_texture: Vec<f32>,
}

struct Selection {
    name: String,
    faces: Vec<u16>,
    is_sectional: (u32, u8),
    sections: Vec<i32>,
    vertices: Vec<u16>,
    weights: Vec<u8>,
}

struct Reader<'f, 'e> {
    rest: &'f [u8],
    version: u32,
    expand: &'e mut Expand<'e>,
}

pub fn parse<'e>(file: &[u8], expand: &'e mut Expand<'e>) -> Model {
    let version = u32::from_le_bytes(file[4..8].try_into().expect("four bytes"));
    let mut r = Reader { rest: &file[8..], version, expand };
    let count: u32 = r.get();
    let resolutions = r.array(count);
    let info = r.info();
    assert_eq!(r.get::<u8>(), 0, "no animations");
    let [starts, ends]: [Vec<u32>; 2] = [r.array(count), r.array(count)];
    let use_defaults: Vec<u8> = r.array(count);
    let more = version >= 51;
    let default = |r: &mut Reader<'_, 'e>| (r.get(), r.get(), more.then(|| (r.get(), r.get())));
    let face_defaults = use_defaults.iter().filter(|&&flag| flag == 0).map(|_| default(&mut r)).collect();
    let mut lods = Vec::new();
    for (start, end) in starts.into_iter().zip(ends) {
        r.rest = &file[start as usize..end as usize];
        lods.push(r.lod());
    }
    Model { resolutions, info, face_defaults, lods }
}

impl Model {
    /// Returns the number of elements and bytes of the arrays of the vertex tables.
    pub fn vertex_data(&self) -> (u64, u64) {
        fn size<T>(array: &[T]) -> (u64, u64) {
            (array.len() as u64, size_of_val(array) as u64)
        }
        let of_lod = |lod: &Lod| {
            let Lod { point_flags, uvs, positions, normals, tangents, bone_refs, neighbors, .. } = lod;
            let arrays = [size(point_flags), size(positions), size(normals), size(tangents), size(bone_refs)];
            arrays.into_iter().chain([size(neighbors)]).chain(uvs.iter().map(|(_, uvs)| size(uvs))).collect::<Vec<_>>()
        };
        self.lods.iter().flat_map(of_lod).fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1))
    }
}

impl<'f> Reader<'f, '_> {
    fn take(&mut self, count: usize) -> &'f [u8] {
        let (taken, rest) = self.rest.split_at(count);
        self.rest = rest;
        taken
    }

    fn get<T: Pod>(&mut self) -> T {
        bytemuck::pod_read_unaligned(self.take(size_of::<T>()))
    }

    fn text(&mut self) -> String {
        let end = self.rest.iter().position(|&byte| byte == 0).expect("a closing NUL");
        String::from_utf8_lossy(&self.take(end + 1)[..end]).into_owned()
    }

    fn texts(&mut self) -> Texts {
        (self.text(), self.text())
    }

    fn times<T>(&mut self, count: u32, mut item: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..count).map(|_| item(self)).collect()
    }

    fn list<T>(&mut self, item: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let count = self.get();
        self.times(count, item)
    }

    fn array<T: Pod>(&mut self, count: u32) -> Vec<T> {
        let mut array = vec![T::zeroed(); count as usize];
        bytemuck::cast_slice_mut(&mut array).copy_from_slice(self.take(size_of::<T>() * count as usize));
        array
    }

    fn plain<T: Pod>(&mut self) -> Vec<T> {
        let count = self.get();
        self.array(count)
    }

    fn block<T: Pod>(&mut self, count: u32) -> Vec<T> {
        if size_of::<T>() * (count as usize) < 1024 {
            return self.array(count);
        }
        let mut array = vec![T::zeroed(); count as usize];
        let taken = (self.expand)(self.rest, bytemuck::cast_slice_mut(&mut array));
        self.take(taken);
        array
    }

    fn packed<T: Pod>(&mut self) -> Vec<T> {
        let count = self.get();
        self.block(count)
    }

    fn condensed<T: Pod>(&mut self) -> Vec<T> {
        let count = self.get();
        if self.get::<u8>() == 0 { self.block(count) } else { vec![self.get(); count as usize] }
    }

    fn info(&mut self) -> Info {
        let words = if self.version >= 52 { 42 } else { 36 };
        Info {
            numbers: self.array(words),
            flags: self.get(),
            thermal: self.get(),
            shadow: (self.get(), self.get(), self.get(), (self.version >= 48).then(|| self.get()), self.get()),
            skeleton: match self.text() {
                name if name.is_empty() => None,
                name => Some((name, self.get(), self.list(Self::texts), self.text())),
            },
            map_type: self.get(),
            masses: self.packed(),
            mass_and_armor: self.get(),
            special_lods: self.get(),
            blending: (self.get(), self.get()),
            class_and_damage: self.texts(),
            rest: (self.get(), self.get()),
        }
    }

    fn lod(&mut self) -> Lod {
        let (in_table, has_area) = (self.version >= 50, self.version >= 51);
        let mut lod = Lod {
            proxies: self.list(|r| (r.text(), r.get(), r.get())),
            items: self.plain(),
            bone_links: self.list(Self::plain),
            point_count: in_table.then(|| self.get()),
            point_flags: if in_table { Vec::new() } else { self.condensed() },
            face_area: has_area.then(|| self.get()),
            hints: self.get(),
            bounds: self.get(),
            textures: self.list(Self::text),
            materials: self.list(Self::material),
            edges: [self.packed(), self.packed()],
            faces: self.faces(),
            sections: self.list(Self::section),
            selections: self.list(|r| Selection {
                name: r.text(),
                faces: r.packed(),
                is_sectional: (r.get(), r.get()),
                sections: r.packed(),
                vertices: r.packed(),
                weights: r.packed(),
            }),
            properties: self.list(Self::texts),
            frames: self.list(|r| (r.get(), r.plain())),
            colors_and_special: self.get(),
            simple_bone_refs: self.get(),
            uvs: Vec::new(),
            positions: Vec::new(),
            normals: Vec::new(),
            tangents: Vec::new(),
            bone_refs: Vec::new(),
            neighbors: Vec::new(),
        };
        let _table_bytes: u32 = self.get();
        if in_table {
            lod.point_flags = self.condensed();
        }
        lod.uvs = vec![(self.get(), self.condensed())];
        let sets: u32 = self.get();
        lod.uvs.extend(self.times(sets.saturating_sub(1), |r| (r.get(), r.condensed())));
        (lod.positions, lod.normals, lod.tangents) = (self.packed(), self.condensed(), self.packed());
        (lod.bone_refs, lod.neighbors) = (self.packed(), self.packed());
        lod
    }

    fn faces(&mut self) -> Vec<Vec<u16>> {
        let count = self.get();
        let _memory_bytes_and_zero = self.take(6);
        self.times(count, |r| {
            let corners: u8 = r.get();
            r.array(corners.into())
        })
    }

    fn section(&mut self) -> Section {
        let (numbers, texture, flags_and_material) = (self.get(), self.get(), (self.get(), self.get()));
        let material_name = (flags_and_material.1 == -1).then(|| self.text());
        Section { numbers, texture, flags_and_material, material_name, area_over_texture: self.plain() }
    }

    fn material(&mut self) -> Material {
        let (name, kind) = (self.text(), self.get());
        let (colors_and_power, codes) = (self.get(), self.get());
        if kind == 3 {
            self.get::<u8>();
        }
        let surface = (kind >= 6).then(|| self.text());
        let render_flags = (kind >= 4).then(|| self.get());
        let stage_count = if kind > 6 { self.get() } else { 0 };
        let transform_count = if kind > 8 {
            self.get()
        } else if kind == 8 {
            stage_count
        } else {
            0
        };
        let mut stages = self.times(stage_count, |r| r.stage(kind));
        let transforms = self.times(transform_count, |r| (r.get(), r.get()));
        if kind >= 10 {
            stages.push(self.stage(kind));
        }
        Material { name, kind, colors_and_power, codes, surface, render_flags, stages, transforms }
    }

    fn stage(&mut self, kind: u32) -> Stage {
        Stage {
            own_transform: (kind == 7).then(|| (self.get(), self.get())),
            filter: self.get(),
            texture: self.text(),
            transform: (kind >= 8).then(|| self.get()),
            environment: (kind >= 11).then(|| self.get()),
        }
    }
}
