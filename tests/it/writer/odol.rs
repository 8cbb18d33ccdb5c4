//! A writer of ODOL models in every supported version, and the files it makes for `corpus/odol`.

use super::bytes::Bytes;
use super::lzss;

/// An array that may be a single value.
#[derive(Clone)]
pub enum Array<T> {
    Fill(T, u32),
    Each(Vec<T>),
}

impl<T: Clone> Array<T> {
    /// Each value stored.
    fn each(&self) -> Vec<T> {
        match self {
            Self::Fill(value, count) => vec![value.clone(); *count as usize],
            Self::Each(all) => all.clone(),
        }
    }
}

#[derive(Clone)]
pub struct Model {
    pub version: u32,
    /// The VBS dialect: thermal fields in every version, no pivots.
    pub vbs: bool,
    /// The DayZ dialect from 53 on: version 52 with additional fields.
    pub dayz: bool,
    /// Bones and their parents; empty for no skeleton.
    pub bones: Vec<(&'static str, &'static str)>,
    pub masses: Vec<f32>,
    pub animated: bool,
    /// The claimed number of bones in the animations of each LOD, if it differs.
    pub animated_bones: Option<u32>,
    /// The claimed number of LODs with animations, if it differs.
    pub animated_lods: Option<usize>,
    pub lods: Vec<Lod>,
}

#[derive(Clone)]
pub struct Lod {
    pub resolution: f32,
    /// True if it has a face default.
    pub has_default: bool,
    pub proxies: Vec<[i32; 4]>,
    pub items: Vec<u32>,
    pub bone_links: Vec<Vec<u32>>,
    pub flags: Array<u32>,
    pub textures: Vec<&'static str>,
    pub materials: Vec<Bytes>,
    pub edges: [Vec<u16>; 2],
    pub faces: Vec<Vec<u16>>,
    /// Number of faces, texture and material; -1 for one that has only a name.
    pub sections: Vec<(usize, i16, i32)>,
    pub material_name: &'static str,
    pub selections: Vec<Selection>,
    pub properties: Vec<(&'static str, &'static str)>,
    pub frames: Vec<Vec<[f32; 3]>>,
    /// Four numbers after each frame, as in the document.
    pub long_frames: bool,
    pub uvs: Vec<Array<[i16; 2]>>,
    pub uv_count: Option<u32>,
    pub positions: Vec<[f32; 3]>,
    pub normals: Array<[i32; 3]>,
    pub tangents: Vec<[[i32; 3]; 2]>,
    pub bone_refs: Vec<[(u8, u8); 2]>,
    pub neighbors: Vec<[u16; 2]>,
}

#[derive(Clone, Default)]
pub struct Selection {
    pub name: &'static str,
    pub faces: Vec<u16>,
    pub sections: Vec<i32>,
    pub vertices: Vec<u16>,
    pub weights: Vec<u8>,
}

/// Stores an array in the form of this version.
#[derive(Clone, Copy)]
struct Form(u32);

impl Form {
    fn block(self, out: Bytes, bytes: Vec<u8>) -> Bytes {
        let lzo = |bytes: &[u8]| lzo1x::compress(bytes, lzo1x::CompressLevel::new(9));
        match bytes.len() {
            0 => out,
            // A flag decides, not the size: an array that compression does not shorten stays raw.
            size if self.0 >= 64 => match Some(lzo(&bytes)).filter(|stream| size >= 256 && stream.len() < size) {
                Some(stream) => out.mark("block_flag").u8(2).raw(stream),
                None => out.mark("block_flag").u8(0).raw(bytes),
            },
            1..1024 => out.raw(bytes),
            _ if self.0 < 44 => out.raw(lzss::pack(&bytes)),
            _ => out.raw(lzo(&bytes)),
        }
    }

    fn packed<T>(self, out: Bytes, all: &[T], each: impl Fn(&T) -> Vec<u8>) -> Bytes {
        self.block(out.u32(all.len() as u32), all.iter().flat_map(each).collect())
    }

    fn condensed<T>(self, out: Bytes, all: &Array<T>, each: impl Fn(&T) -> Vec<u8>) -> Bytes {
        match all {
            Array::Fill(value, count) => out.mark("fill").u32(*count).u8(1).raw(each(value)),
            Array::Each(all) => self.block(out.u32(all.len() as u32).u8(0), all.iter().flat_map(each).collect()),
        }
    }

    /// Point or face numbers.
    fn indices(self, all: impl IntoIterator<Item = u16>) -> Vec<u8> {
        match self.0 >= 69 {
            false => u16s(all),
            true => all.into_iter().flat_map(|n| u32::from(n).to_le_bytes()).collect(),
        }
    }

    fn vector(self, [x, y, z]: [i32; 3]) -> Vec<u8> {
        if self.0 < 45 {
            return floats([x, y, z].map(|axis| -axis as f32 / 511.0));
        }
        let bits = |axis: i32| axis as u32 & 0x3ff;
        (bits(x) | bits(y) << 10 | bits(z) << 20).to_le_bytes().to_vec()
    }

    /// The size of a corner in the game's memory.
    fn unit(self) -> usize {
        if self.0 >= 69 { 4 } else { 2 }
    }

    /// A texture coordinate as two floats.
    fn coordinate(self, [u, v]: [i16; 2]) -> [f32; 2] {
        let scale = |raw: i16, min: f32, max: f32| min + (f32::from(raw) + 32767.0) / 65534.0 * (max - min);
        [scale(u, 0.0, 1.0), scale(v, -1.0, 3.0)]
    }

    fn uvs(self, out: Bytes, set: &Array<[i16; 2]>) -> Bytes {
        let bounds = [0.0_f32, -1.0, 1.0, 3.0];
        if self.0 < 45 {
            return self.condensed(out, set, |&uv| floats(self.coordinate(uv)));
        }
        self.condensed(out.f32s(bounds), set, |[u, v]| [u.to_le_bytes(), v.to_le_bytes()].concat())
    }
}

fn floats(values: impl IntoIterator<Item = f32>) -> Vec<u8> {
    values.into_iter().flat_map(f32::to_le_bytes).collect()
}

fn u16s(values: impl IntoIterator<Item = u16>) -> Vec<u8> {
    values.into_iter().flat_map(u16::to_le_bytes).collect()
}

impl Model {
    pub fn new(version: u32, lods: Vec<Lod>) -> Self {
        Self {
            version,
            vbs: false,
            dayz: false,
            bones: Vec::new(),
            masses: Vec::new(),
            animated: false,
            animated_bones: None,
            animated_lods: None,
            lods,
        }
    }

    /// The version of the Arma line that determines the fields.
    fn layout(&self) -> u32 {
        if self.dayz { 52 } else { self.version % 10_000 }
    }

    pub fn to_vec(&self) -> Vec<u8> {
        self.bytes().to_vec()
    }

    /// Returns the file, with the marks of its last LOD.
    pub fn bytes(&self) -> Bytes {
        let (count, layout) = (self.lods.len() as u32, self.layout());
        let mut out = Bytes::new().raw("ODOL").mark("version").u32(self.version);
        if layout >= 75 {
            out = out.mark("encryption").u32(0).u32(0);
        }
        if layout >= 59 {
            out = out.u32(107_410);
        }
        if layout >= 58 {
            out = out.cstr("flash\\muzzle");
        }
        out = out.mark("lod_count").u32(count);
        if layout == 7 {
            return self.flashpoint(out);
        }
        out = out.f32s(self.lods.iter().map(|lod| lod.resolution));
        out = self.info(out);
        out = out.mark("has_animations").u8(self.animated.into());
        if self.animated {
            out = self.animations(out);
        }
        let blank = vec![0; 4 * self.lods.len()];
        out = out.mark("starts").raw(&blank).mark("ends").raw(&blank);
        out = out.raw(self.lods.iter().map(|lod| u8::from(!lod.has_default)).collect::<Vec<_>>());
        for lod in self.lods.iter().filter(|lod| lod.has_default) {
            out = out.mark("face_default").u32(lod.faces.len() as u32).u32(0xff80_4020).i32(1).u32(7);
            out = out.u8(u8::from(!lod.items.is_empty()));
            if self.layout() >= 51 {
                out = out.u32(lod.positions.len() as u32).f32(2.5);
            }
        }
        // Bodies are ordered from the highest resolution to the lowest.
        let mut order: Vec<usize> = (0..self.lods.len()).collect();
        order.sort_by(|&a, &b| self.lods[b].resolution.total_cmp(&self.lods[a].resolution));
        let (mut starts, mut ends) = (blank.clone(), blank);
        for index in order {
            starts[4 * index..][..4].copy_from_slice(&(out.len() as u32).to_le_bytes());
            out = out.part(&self.lods[index].bytes(self.layout()));
            ends[4 * index..][..4].copy_from_slice(&(out.len() as u32).to_le_bytes());
        }
        self.trailer(out.set("starts", starts).set("ends", ends).mark("trailer"))
    }

    fn info(&self, out: Bytes) -> Bytes {
        let layout = self.layout();
        let mut out = out.u32(1).f32s([5.0, 4.0]).u32(0).u32(0).u32(7).f32s([0.1, 0.2, 0.3]);
        // Colours, density, box.
        out = out.u32(0xff80_4020).u32(0xff10_2030).f32(-10.0).mark("box").f32s([-4.0; 3]).f32s([4.0; 3]);
        if layout >= 70 {
            out = out.f32(0.75);
        }
        if layout >= 71 {
            out = out.f32(1.25);
        }
        if layout >= 52 {
            out = out.f32s([-3.0; 3]).f32s([3.0; 3]);
        }
        // Bounding centre, geometry centre, centre of mass, inverse inertia.
        out = out.f32s([1.0, 2.0, 3.0]).f32s([0.5; 3]).f32s([0.25; 3]);
        out = out.f32s([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]).raw([1, 0, 1, 1]);
        if layout >= 73 {
            out = out.u8(1);
        }
        if self.dayz {
            out = out.u8(1).f32(1.0);
        }
        if layout >= 42 || self.vbs {
            out = out.f32s([60.0, 900.0, 150.0, 5.0]);
        }
        if layout >= 43 || self.vbs {
            out = out.f32s([0.5, 37.0]);
        }
        if layout >= 40 {
            out = out.u8(0).mark("shadow_source").i32(4).u8(1);
        }
        if layout >= 48 {
            out = out.f32(f32::MAX);
        }
        out = out.u8(self.animated.into());
        if layout >= 40 && self.bones.is_empty() {
            out = out.cstr("");
        } else if layout >= 40 {
            out = out.cstr("Skeleton").u8(0).mark("bone_count").u32(self.bones.len() as u32);
            out = self.bones.iter().fold(out, |out, (bone, parent)| out.cstr(bone).cstr(parent));
            if layout > 40 && !self.vbs {
                out = out.cstr("pivots");
            }
        }
        out = out.mark("map_type").u8(4).mark("masses");
        out = Form(layout).packed(out, &self.masses, |mass| mass.to_le_bytes().to_vec());
        out = out.f32s([500.0, 0.002, 10.0, 0.1]);
        if layout >= 72 {
            out = out.f32(0.5);
        }
        // Memory and geometry.
        let first = if self.lods.is_empty() { 0xff } else { 0 };
        out = out.mark("special_lods").u8(0xff).u8(first);
        // The simple geometry; the physics geometry; DayZ's additional one.
        let more = [layout >= 53, layout >= 54, self.dayz && self.version >= 54];
        out = out.raw(vec![0xff; more.into_iter().filter(|&is_there| is_there).count()]);
        // Fire, view, pilot, gunner, commander, cargo, contact, roadway, paths, hit points.
        out = out.raw([first, first, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
        if layout == 7 {
            return out;
        }
        out = out.u32(self.lods.len() as u32).u8(1).cstr("house").cstr("building").u8(0).u32(0);
        if layout >= 57 {
            out = out.i32s((0..3 * self.lods.len() as i32).map(|number| number - 1));
        }
        if self.dayz && self.version >= 55 { out.u8(0) } else { out }
    }

    /// LODs first, one after another.
    fn flashpoint(&self, mut out: Bytes) -> Bytes {
        for lod in &self.lods {
            out = out.mark("lod").part(&lod.flashpoint());
        }
        out = out.mark("resolutions").f32s(self.lods.iter().map(|lod| lod.resolution));
        self.info(out.mark("info"))
    }

    /// Cooked shapes and buoyancy.
    fn trailer(&self, out: Bytes) -> Bytes {
        let shapes = |out: Bytes, counts: [u32; 2]| {
            let out = (0..counts[0]).fold(out.mark("shapes").u32(0x0401_0100).u32(counts[0]), |out, number| {
                out.mark("shape").u32(8 + number).raw("NXS\u{1}CVXM").raw(vec![7; number as usize])
            });
            (0..counts[1]).fold(out.u32(0x0401_0100).u32(counts[1]), |out, number| {
                out.u32(4).raw("NXS\u{1}").i32(number as i32 - 1)
            })
        };
        match self.layout() {
            ..58 => out,
            // The first version with shapes is not known: files of either form are accepted.
            58 | 60 | 64 => out.mark("buoyancy").i32(0),
            59 | 62 | 66 => Self::buoyancy(out),
            _ => {
                let out = Self::buoyancy(shapes(out, [2, 3]));
                shapes(out.f32s([0.0, 0.0, 0.0, 1.0, 0.0, 1.0]), [2, 3])
            }
        }
    }

    /// Buoyancy of kind 2, without the box.
    fn buoyancy(out: Bytes) -> Bytes {
        let out = out.mark("buoyancy").i32(2).mark("grid").i32s([2, 1, 3]).f32s([0.5; 3]).f32(0.25);
        out.i32s([1, 8]).f32s((0..6 * 5).map(|i| i as f32)).f32(3.5)
    }

    /// One animation of each kind, the first without a bone.
    fn animations(&self, out: Bytes) -> Bytes {
        let mut out = out.mark("animation_count").u32(10);
        for kind in 0..10 {
            out = out.mark("animation_kind").u32(kind).cstr(format!("animation {kind}")).cstr("rotor");
            out = out.f32s([0.0, 1.0, -1.0, 1.0]);
            if self.layout() >= 56 {
                out = out.f32s([2.0, 0.5]);
            }
            out = out.mark("addressing").u32(kind % 3);
            out = match kind {
                0..=3 => out.f32s([0.0, 1.5]),
                4..=7 => out.f32s([0.0, 0.25]),
                8 => out.f32s([1.0, 2.0, 3.0]).f32s([0.0, 1.0, 0.0]).f32(0.5).f32(0.125),
                _ if self.layout() >= 55 => out.f32s([0.75, -1.0]),
                _ => out.f32(0.75),
            };
        }
        let animated = self.animated_lods.unwrap_or(self.lods.len());
        out = out.mark("animated_lods").i32(animated as i32);
        for _ in 0..animated {
            let bones = self.animated_bones.unwrap_or(self.bones.len() as u32);
            out = out.u32(bones);
            for bone in 0..bones {
                // The inverse of the table below: the kinds of animation of each bone.
                let moved = (1..10).filter(|kind| kind % self.bones.len() as u32 == bone);
                out = out.mark("bone_animation").u32(moved.clone().count() as u32);
                out = moved.fold(out, |out, kind| out.u32(kind));
            }
        }
        for _ in 0..animated {
            for kind in 0..10 {
                let bone = if kind == 0 { -1 } else { kind % self.bones.len() as i32 };
                out = out.mark("animation_bone").i32(bone);
                if bone != -1 && kind < 8 {
                    out = out.f32s([0.5, 0.25, 0.125]).f32s([0.0, 0.0, 1.0]);
                }
            }
        }
        out
    }
}

impl Lod {
    /// An empty LOD.
    pub fn empty(resolution: f32) -> Self {
        Self {
            resolution,
            has_default: false,
            proxies: Vec::new(),
            items: Vec::new(),
            bone_links: Vec::new(),
            flags: Array::Each(Vec::new()),
            textures: Vec::new(),
            materials: Vec::new(),
            edges: Default::default(),
            faces: Vec::new(),
            sections: Vec::new(),
            material_name: "data\\by_name.rvmat",
            selections: Vec::new(),
            properties: Vec::new(),
            frames: Vec::new(),
            long_frames: false,
            uvs: vec![Array::Each(Vec::new())],
            uv_count: None,
            positions: Vec::new(),
            normals: Array::Each(Vec::new()),
            tangents: Vec::new(),
            bone_refs: Vec::new(),
            neighbors: Vec::new(),
        }
    }

    /// A strip of points, of alternating triangles and quads, in one section.
    pub fn strip(resolution: f32, points: u16) -> Self {
        let face = |i: u16| if i.is_multiple_of(2) { vec![i, i + 1, i + 2] } else { vec![i, i + 1, i + 2, i - 1] };
        let faces: Vec<Vec<u16>> = (0..points.saturating_sub(2)).map(face).collect();
        Self {
            has_default: true,
            flags: Array::Fill(0x3f, points.into()),
            textures: vec!["", "data\\wall_co.paa"],
            sections: vec![(faces.len(), 1, -1)],
            faces,
            uvs: vec![Array::Each((0..points).map(|i| [(i.wrapping_mul(977) as i16).max(-32767), -32767]).collect())],
            positions: (0..points).map(|i| [f32::from(i % 2), f32::from(i) / 256.0, 0.5]).collect(),
            normals: Array::Fill([0, 0, 511], points.into()),
            ..Self::empty(resolution)
        }
    }

    fn bytes(&self, layout: u32) -> Bytes {
        let form = Form(layout);
        let mut out = Bytes::new().mark("proxies").u32(self.proxies.len() as u32);
        for (number, links) in self.proxies.iter().enumerate() {
            out = proxy(out, number).mark("proxy").i32s(*links);
        }
        out = out.u32(self.items.len() as u32).mark("items");
        out = self.items.iter().fold(out, |out, &item| out.u32(item));
        out = out.u32(self.bone_links.len() as u32);
        for links in &self.bone_links {
            out = links.iter().fold(out.u32(links.len() as u32).mark("bone_link"), |out, &link| out.u32(link));
        }
        out = out.mark("points");
        out = if layout >= 50 { out.u32(self.positions.len() as u32) } else { self.flags(out, form) };
        if layout >= 51 {
            out = out.f32(2.5);
        }
        // Hints, box, centre, radius.
        out = out.u32(7).u32(0x0fff_ff00).f32s([-4.0; 3]).f32s([4.0; 3]).f32s([0.0; 3]).f32(6.0);
        out = out.mark("textures").u32(self.textures.len() as u32);
        out = self.textures.iter().fold(out, |out, name| out.cstr(name));
        out = out.mark("materials").u32(self.materials.len() as u32);
        out = self.materials.iter().fold(out, |out, material| out.part(material));
        for (mark, edges) in ["point_to_vertex", "vertex_to_point"].into_iter().zip(&self.edges) {
            out = form.packed(out.mark(mark), edges, |&edge| form.indices([edge]));
        }
        let memory: usize = self.faces.iter().map(|face| form.unit() * (1 + face.len())).sum();
        out = out
            .mark("face_count")
            .u32(self.faces.len() as u32)
            .mark("face_memory")
            .u32(memory as u32)
            .mark("face_zero")
            .raw([0, 0]);
        out = out.mark("faces");
        for face in &self.faces {
            out = out.u8(face.len() as u8).raw(form.indices(face.iter().copied()));
        }
        out = self.sections(out, form);
        out = out.mark("selections").u32(self.selections.len() as u32);
        for selection in &self.selections {
            out = form.packed(out.cstr(selection.name).mark("selection"), &selection.faces, |&n| form.indices([n]));
            out = out.mark("selection_zero").u32(0).u8(u8::from(!selection.sections.is_empty()));
            out = form.packed(out.mark("selection_sections"), &selection.sections, |n| n.to_le_bytes().to_vec());
            out = form.packed(out.mark("selection_vertices"), &selection.vertices, |&n| form.indices([n]));
            out = form.packed(out.mark("selection_weights"), &selection.weights, |&weight| vec![weight]);
        }
        out = out.u32(self.properties.len() as u32);
        out = self.properties.iter().fold(out, |out, (name, value)| out.cstr(name).cstr(value));
        out = self.frames(out).u32(0xff10_2030).u32(0xff80_4020).u32(1).u8(1);
        let table = self.vertex_table(layout);
        out = out.mark("table_size").u32(4 + table.len() as u32).part(&table);
        if layout >= 67 {
            out = out.mark("after_table").u32(0);
        }
        if layout >= 68 { out.u8(1) } else { out }
    }

    /// In version 7.
    fn flashpoint(&self) -> Bytes {
        let form = Form(7);
        let (flags, uvs, normals) = (self.flags.each(), self.uvs[0].each(), self.normals.each());
        let mut out = form.packed(Bytes::new().mark("point_flags"), &flags, |flags| flags.to_le_bytes().to_vec());
        out = form.packed(out.mark("uvs"), &uvs, |&uv| floats(form.coordinate(uv)));
        out = out.mark("positions").u32(self.positions.len() as u32).f32s(self.positions.iter().flatten().copied());
        out = out
            .mark("normals")
            .u32(normals.len() as u32)
            .raw(normals.iter().flat_map(|&n| form.vector(n)).collect::<Vec<_>>());
        out = out.u32(7).u32(0x0fff_ff00).f32s([-4.0; 3]).f32s([4.0; 3]).f32s([0.0; 3]).f32(6.0);
        out = out.mark("textures").u32(self.textures.len() as u32);
        out = self.textures.iter().fold(out, |out, name| out.cstr(name));
        for (mark, edges) in ["point_to_vertex", "vertex_to_point"].into_iter().zip(&self.edges) {
            out = form.packed(out.mark(mark), edges, |edge| edge.to_le_bytes().to_vec());
        }
        out = out.mark("face_count").u32(self.faces.len() as u32).u32(0).mark("faces");
        for face in &self.faces {
            out = out.u32(0x20).raw((-1_i16).to_le_bytes()).u8(face.len() as u8).raw(u16s(face.iter().copied()));
        }
        out = out.mark("sections").u32(self.sections.len() as u32);
        for (index, (_, texture, material)) in self.sections.iter().enumerate() {
            let units = index as u32 * 20;
            out = out.mark("section").u32(units).u32(units + 20).i32(*material).raw(texture.to_le_bytes()).u32(0x20);
        }
        out = out.mark("selections").u32(self.selections.len() as u32);
        for selection in &self.selections {
            out =
                form.packed(out.cstr(selection.name).mark("selection"), &selection.faces, |n| n.to_le_bytes().to_vec());
            out = form.packed(out, &selection.faces, |_| vec![255]);
            out = form.packed(out, &selection.faces, |&face| (u32::from(face) * 20).to_le_bytes().to_vec());
            out = out.u8(u8::from(!selection.sections.is_empty()));
            out = form.packed(out, &selection.sections, |n| n.to_le_bytes().to_vec());
            out = form.packed(out.mark("selection_vertices"), &selection.vertices, |n| n.to_le_bytes().to_vec());
            out = form.packed(out.mark("selection_weights"), &selection.weights, |&weight| vec![weight]);
        }
        out = out.u32(self.properties.len() as u32);
        out = self.properties.iter().fold(out, |out, (name, value)| out.cstr(name).cstr(value));
        out = self.frames(out).u32(0xff10_2030).u32(0xff80_4020).u32(1);
        out = out.mark("proxies").u32(self.proxies.len() as u32);
        for (number, [sequence, selection, ..]) in self.proxies.iter().enumerate() {
            out = proxy(out, number).i32s([*sequence, *selection]);
        }
        out
    }

    fn frames(&self, out: Bytes) -> Bytes {
        let mut out = out.mark("frames").u32(self.frames.len() as u32);
        for (number, frame) in self.frames.iter().enumerate() {
            out = out.f32(number as f32 / 2.0).u32(frame.len() as u32).f32s(frame.iter().flatten().copied());
            if self.long_frames {
                out = out.f32s([0.5; 4]);
            }
        }
        out
    }

    fn sections(&self, out: Bytes, form: Form) -> Bytes {
        let mut out = out.mark("sections").u32(self.sections.len() as u32);
        let mut faces = self.faces.iter();
        let mut unit = 0;
        for (index, (count, texture, material)) in self.sections.iter().enumerate() {
            let start = unit;
            unit += faces.by_ref().take(*count).map(|face| (form.unit() * (1 + face.len())) as u32).sum::<u32>();
            out = out.mark("section").u32(start).u32(unit).u32(0).u32(self.items.len() as u32).u32(9);
            out = out
                .mark("section_texture")
                .raw(texture.to_le_bytes())
                .u32(0x20)
                .mark("section_material")
                .i32(*material);
            if *material == -1 {
                out = out.cstr(self.material_name);
            }
            out = out.u32(2).f32s([0.5, -1000.0]);
            if form.0 >= 67 {
                // Every other one has a collimator.
                out = if index % 2 == 0 { out.i32(0) } else { out.i32(1).raw([9; 44]) };
            }
        }
        out
    }

    fn flags(&self, out: Bytes, form: Form) -> Bytes {
        form.condensed(out.mark("point_flags"), &self.flags, |flags| flags.to_le_bytes().to_vec())
    }

    fn vertex_table(&self, layout: u32) -> Bytes {
        let form = Form(layout);
        let mut out = Bytes::new();
        if layout >= 50 {
            out = self.flags(out, form);
        }
        out = form.uvs(out.mark("uvs"), &self.uvs[0]);
        out = out.mark("uv_count").u32(self.uv_count.unwrap_or(self.uvs.len() as u32));
        out = self.uvs[1..].iter().fold(out, |out, set| form.uvs(out, set));
        out = form.packed(out.mark("positions"), &self.positions, |&position| floats(position));
        out = form.condensed(out.mark("normals"), &self.normals, |&normal| form.vector(normal));
        out = form.packed(out.mark("tangents"), &self.tangents, |[s, t]| [form.vector(*s), form.vector(*t)].concat());
        out = form.packed(out.mark("bone_refs"), &self.bone_refs, bone_ref);
        form.packed(out.mark("neighbors"), &self.neighbors, |points| {
            let one = |point: u16| [u16s([point, 0xcdcd]), bone_ref(&[(0, 255), (0, 0)])].concat();
            [one(points[0]), one(points[1])].concat()
        })
    }
}

/// The start of a proxy.
fn proxy(out: Bytes, number: usize) -> Bytes {
    let out = out.cstr(format!("\\data\\proxy{number}"));
    out.f32s([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 4.0, 5.0, 6.0])
}

/// Two valid pairs, and leftover bytes in the other two.
fn bone_ref(pairs: &[(u8, u8); 2]) -> Vec<u8> {
    let [(item_0, weight_0), (item_1, weight_1)] = *pairs;
    let count = if weight_1 == 0 { 1 } else { 2 };
    [&[count, 0, 0, 0, item_0, weight_0, item_1, weight_1][..], &[0xcd; 4]].concat()
}

/// A material of any kind with this many stages; for the kinds on which readers differ, in the form that fewer readers
/// use.
pub fn material(kind: u32, stages: u32, is_other_form: bool) -> Bytes {
    // Up to kind 11 there are as many transforms as stages.
    write_material(kind, stages, if kind > 11 { 1 } else { stages }, is_other_form)
}

/// A material with another number of transforms.
pub fn material_of(kind: u32, stages: u32, transforms: u32) -> Bytes {
    write_material(kind, stages, transforms, false)
}

fn write_material(kind: u32, stages: u32, transforms: u32, is_other_form: bool) -> Bytes {
    let mut out = Bytes::new().cstr(format!("data\\kind{kind}.rvmat")).mark("material_kind").u32(kind);
    out = out.f32s((0..20).map(|i| i as f32 / 16.0));
    if kind >= 16 {
        out = out.f32s([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.3, 0.99]);
    }
    out = out.f32s((20..24).map(|i| i as f32 / 16.0)).f32(20.0);
    if kind >= 16 {
        out = out.f32s([0.0, 0.0, 1.0, 1.0, 1.0, 1.0]);
    }
    if kind >= 20 {
        out = out.f32s([0.0, 0.0]).i32(-1).f32s([30.0, 45.0, 0.0]).i32(-1).f32s([0.0, 1.0, 0.0, 0.0, 0.0]);
    }
    out = out.mark("codes").u32(102).u32(23).u32(1).u32(1);
    if kind == 3 {
        out = out.u8(1);
    }
    if kind >= 6 {
        out = out.cstr("data\\wall.bisurf");
    }
    if kind >= 4 {
        out = out.u32(1).u32(0x80);
    }
    if kind <= 6 {
        return out;
    }
    out = out.mark("stage_count").u32(stages);
    if kind > 8 {
        out = out.mark("transform_count").u32(transforms);
    }
    let transform =
        |out: Bytes| out.mark("uv_source").u32(5).f32s([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.5, 0.25, 0.0]);
    let stage = |out: Bytes, number: u32, is_last: bool| {
        let mut out = out.mark("filter").u32(3).cstr(format!("data\\stage{number}_{kind}.paa"));
        if kind >= 8 {
            out = out.mark("stage_transform").u32(0);
        }
        if kind >= 11 && (is_last || !is_other_form) {
            out = out.u8(1);
        }
        out
    };
    for number in 0..stages {
        if kind == 7 && !is_other_form {
            out = transform(out);
        }
        out = stage(out, number, false);
    }
    match kind {
        8 if !is_other_form => out = (0..stages).fold(out, |out, _| transform(out)),
        9.. => out = (0..transforms).fold(out, |out, _| transform(out)),
        _ => {}
    }
    if kind >= 10 { stage(out, stages, true) } else { out }
}

/// Bones of a small skeleton.
pub const BONES: [(&str, &str); 3] = [("body", ""), ("door", "body"), ("handle", "door")];

/// A LOD with something of everything. From 300 points on, every array that can be compressed is.
pub fn everything(resolution: f32, points: u16) -> Lod {
    let strip = Lod::strip(resolution, points);
    let faces = strip.faces.len();
    let all: Vec<u16> = (0..points).collect();
    // 2, 3 and 6 times 73 give a vector of length 511, in any order and with any sign.
    let vector = |i: u16| {
        let mut axes = [146, -219, 438];
        axes.rotate_left(usize::from(i % 3));
        std::array::from_fn(|axis| if i >> axis & 4 == 0 { axes[axis] } else { -axes[axis] })
    };
    Lod {
        proxies: vec![[1, 0, -1, 0], [2, 1, 2, 1]],
        items: vec![0, 2, 1, 2],
        bone_links: vec![vec![0], vec![2], vec![1, 3]],
        flags: Array::Each(all.iter().map(|&i| u32::from(i) << 20 | 0x3f).collect()),
        materials: vec![material(9, 2, false), material(11, 1, false)],
        edges: [all.clone(), all.clone()],
        sections: vec![(faces / 2, 0, 0), (faces - faces / 2, -1, -1)],
        selections: vec![
            Selection {
                name: "all",
                faces: (0..faces as u16).rev().collect(),
                sections: [0, 1].repeat(usize::from(points) / 2),
                vertices: all.clone(),
                weights: all.iter().map(|&i| i as u8).collect(),
            },
            Selection { name: "proxy:\\data\\proxy1.1", vertices: vec![0, 1, 2], ..Selection::default() },
        ],
        properties: vec![("class", "house"), ("map ", "house")],
        frames: vec![strip.positions.clone(), strip.positions.clone()],
        uvs: vec![
            strip.uvs[0].clone(),
            Array::Fill([-32767, 32767], points.into()),
            Array::Each(all.iter().map(|&i| [32767, i as i16]).collect()),
        ],
        normals: Array::Each(all.iter().map(|&i| vector(i)).collect()),
        tangents: all.iter().map(|&i| [vector(i), vector(i + 7)]).collect(),
        bone_refs: all
            .iter()
            .map(|&i| if i.is_multiple_of(2) { [(1, 255), (0, 0)] } else { [(0, 200), (3, 55)] })
            .collect(),
        neighbors: all.iter().map(|&i| [i, points - 1 - i]).collect(),
        ..strip
    }
}

/// A model with a skeleton, animations of all kinds and a LOD with everything.
pub fn whole(version: u32, points: u16) -> Model {
    let lods = vec![everything(1.0, points), Lod::empty(1e15), Lod::strip(1e13, 4)];
    let mut model = Model::new(version, lods);
    model.bones = BONES.to_vec();
    model.masses = vec![2.5; points.into()];
    model.animated = true;
    model.lods[1].has_default = true;
    model
}

fn one(version: u32, lod: Lod) -> Vec<u8> {
    Model::new(version, vec![lod]).to_vec()
}

fn with_materials(materials: Vec<Bytes>) -> Lod {
    Lod { materials, ..Lod::strip(1.0, 5) }
}

pub fn corpus() -> super::files::Files {
    let vbs = |version| Model { vbs: true, ..whole(version, 12) }.to_vec();
    let dayz = |version| {
        let mut model = Model { dayz: true, ..whole(version, 12) };
        let kind = if version == 53 { 16 } else { 20 };
        model.lods[0].materials = vec![material(kind, 2, false), material(kind, 0, false)];
        model.to_vec()
    };
    let mut of_all_kinds = with_materials((3..=11).map(|kind| material(kind, kind % 3 + 1, false)).collect());
    of_all_kinds.sections = vec![(1, -1, 8), (1, 0, 0), (1, 1, -1)];
    vec![
        // Oldest: LZSS, float vectors, no thermal fields, no pivots.
        ("v40_lzss.p3d", whole(40, 300).to_vec()),
        // Pivots, but no thermal fields yet.
        ("v41.p3d", whole(41, 12).to_vec()),
        // The first four thermal fields.
        ("v42.p3d", whole(42, 12).to_vec()),
        // The last with LZSS; all thermal fields. Every array that can be compressed is.
        ("v43_lzss.p3d", whole(43, 1100).to_vec()),
        // VBS with a plain number: thermal fields and no pivots, recognized by the layout.
        ("v43_vbs.p3d", vbs(43)),
        ("v40_vbs.p3d", vbs(40)),
        // VBS with its own number.
        ("v10043_vbs.p3d", vbs(10_043)),
        // LZO, still with float vectors.
        ("v44_lzo_floats.p3d", whole(44, 1100).to_vec()),
        // Packed coordinates and vectors.
        ("v45.p3d", whole(45, 12).to_vec()),
        ("v46.p3d", whole(46, 12).to_vec()),
        // Every array that can be compressed is an LZO stream.
        ("v47_lzo.p3d", whole(47, 1100).to_vec()),
        // A count of 0 coordinate sets, which means 1.
        ("v47_no_uv_count.p3d", one(47, Lod { uv_count: Some(0), ..Lod::strip(1.0, 5) })),
        // Shadow offset.
        ("v48.p3d", whole(48, 12).to_vec()),
        ("v49.p3d", whole(49, 12).to_vec()),
        // Point count first, flags in the vertex table.
        ("v50_lzo.p3d", whole(50, 1100).to_vec()),
        // Face areas, longer face defaults.
        ("v51.p3d", whole(51, 12).to_vec()),
        // The visual box.
        ("v52_lzo.p3d", whole(52, 1100).to_vec()),
        // Flashpoint: LODs first, no table; every array that can be compressed is.
        ("v7.p3d", whole(7, 12).to_vec()),
        ("v7_lzss.p3d", whole(7, 300).to_vec()),
        // DayZ's own: two more fields; one more LOD index; one more byte. Its materials.
        ("v53_dayz.p3d", dayz(53)),
        ("v54_dayz.p3d", dayz(54)),
        ("v55_dayz.p3d", dayz(55)),
        // Arma's: one more LOD index, and another; an end of hiding; periods; LODs for shadows.
        ("v53.p3d", whole(53, 12).to_vec()),
        ("v54.p3d", whole(54, 12).to_vec()),
        ("v55.p3d", whole(55, 12).to_vec()),
        ("v56.p3d", whole(56, 12).to_vec()),
        ("v57.p3d", whole(57, 12).to_vec()),
        // Muzzle flash and a kind of buoyancy; app id.
        ("v58.p3d", whole(58, 12).to_vec()),
        ("v59_lzo.p3d", whole(59, 1100).to_vec()),
        ("v63.p3d", whole(63, 12).to_vec()),
        // Flags before blocks.
        ("v64_lzo.p3d", whole(64, 1100).to_vec()),
        ("v66.p3d", whole(66, 12).to_vec()),
        // Collimators; a last byte and cooked shapes; wide indices.
        ("v67.p3d", whole(67, 12).to_vec()),
        ("v68_lzo.p3d", whole(68, 1100).to_vec()),
        ("v69_lzo.p3d", whole(69, 1100).to_vec()),
        // One more field each in the facts about the model.
        ("v70.p3d", whole(70, 12).to_vec()),
        ("v71.p3d", whole(71, 12).to_vec()),
        ("v72.p3d", whole(72, 12).to_vec()),
        ("v73.p3d", whole(73, 12).to_vec()),
        ("v74.p3d", whole(74, 12).to_vec()),
        // Words that are 0 because it is not encrypted.
        ("v75_lzo.p3d", whole(75, 1100).to_vec()),
        // Faces of two corners, narrow and wide.
        ("lines.p3d", one(50, lines())),
        ("lines_wide.p3d", one(73, lines())),
        // No LODs, nothing else.
        ("no_lods.p3d", Model::new(50, Vec::new()).to_vec()),
        // LODs for every purpose, without points.
        ("purposes.p3d", Model::new(50, PURPOSES.map(Lod::empty).to_vec()).to_vec()),
        // Materials of the kinds 3 to 11.
        ("material_kinds.p3d", one(50, of_all_kinds)),
        // Kind 11 with its extra byte only in the last stage.
        ("kind_11_other_form.p3d", one(50, with_materials(vec![material(11, 2, true)]))),
        // Kinds 7 and 8 without transforms.
        ("kinds_7_8_other_form.p3d", one(50, with_materials(vec![material(7, 2, true), material(8, 2, true)]))),
        // Names that are not UTF-8 or contain control characters.
        (
            "names.p3d",
            one(50, Lod { textures: vec!["\u{1}\u{1b}[2J", "d\u{e4}ta\\caf\u{e9}.paa"], ..Lod::strip(1.0, 5) }),
        ),
        // All triangles, so that units are even, and 1020 bytes of positions: the maximum that stays in place.
        ("edge_of_packing.p3d", edge_of_packing()),
    ]
}

/// Every resolution with a meaning, and some without.
const PURPOSES: [f32; 36] = [
    0.0, 0.5, 1000.0, 1100.0, 1200.0, 1203.0, 10_000.0, 10_010.0, 11_000.0, 20_000.0, 1e13, 2e13, 3e13, 4e13, 1e15,
    2e15, 3e15, 4e15, 5e15, 6e15, 7e15, 8e15, 9e15, 1e16, 1.1e16, 1.2e16, 1.3e16, 1.4e16, 1.5e16, 1.6e16, 1.7e16,
    1.8e16, 1.9e16, 2e16, 2.1e16, 3e16,
];

/// A strip in which every other face is a line.
pub fn lines() -> Lod {
    let mut lod = Lod::strip(1.0, 9);
    lod.faces.iter_mut().step_by(2).for_each(|face| face.truncate(2));
    lod
}

/// Arrays of 1020 bytes stay raw, those of 1024 are streams.
fn edge_of_packing() -> Vec<u8> {
    let lod = |points| {
        let strip = Lod::strip(f32::from(points), points);
        Lod { faces: strip.faces.into_iter().map(|face| face[..3].to_vec()).collect(), ..strip }
    };
    Model::new(50, vec![lod(85), lod(86), lod(255), lod(256)]).to_vec()
}

pub fn hostile() -> super::files::Files {
    let whole = |points| whole(50, points).bytes();
    let strip = || Model::new(50, vec![Lod::strip(1.0, 5)]).bytes();
    let later = |version| self::whole(version, 12).bytes();
    let at = |bytes: &Bytes, mark: &str| bytes.at(mark) as u32;
    let two = || Model::new(50, vec![Lod::strip(1.0, 5), Lod::strip(2.0, 5)]).bytes();
    let pair = |bytes: &Bytes, mark: &str| {
        let (at, all) = (bytes.at(mark), bytes.to_vec());
        [0, 4].map(|i| u32::from_le_bytes(all[at + i..][..4].try_into().unwrap()))
    };
    let words = |words: [u32; 2]| words.map(u32::to_le_bytes).concat();
    let overlapping = {
        let bytes = two();
        let ([a, b], [_, end]) = (pair(&bytes, "starts"), pair(&bytes, "ends"));
        // The second LOD is first in the file: made one byte longer, it overlaps the first.
        bytes.set("ends", words([pair(&two(), "ends")[0], end + 1])).set("starts", words([a, b]))
    };
    let backwards = {
        let bytes = two();
        let [a, b] = pair(&bytes, "starts");
        bytes.set("ends", words([a - 1, a])).set("starts", words([a, b]))
    };
    let same = {
        let bytes = two();
        let ([a, _], [end, _]) = (pair(&bytes, "starts"), pair(&bytes, "ends"));
        bytes.set("starts", words([a, a])).set("ends", words([end, end]))
    };
    let cut = {
        let mut bytes = whole(1100).to_vec();
        bytes.truncate(bytes.len() - 9);
        bytes
    };
    let mut stream = whole(1100);
    let broken = stream.at("positions") + 40;
    let mut broken_stream = stream.to_vec();
    broken_stream[broken..broken + 8].fill(0xff);
    stream = stream.set("positions", 4_000_000_000_u32.to_le_bytes());
    let files: Vec<(&'static str, Bytes)> = vec![
        // Versions that are known by name only.
        ("v76.p3d", strip().set("version", 76_u32.to_le_bytes())),
        ("v39.p3d", strip().set("version", 39_u32.to_le_bytes())),
        ("v6.p3d", strip().set("version", 6_u32.to_le_bytes())),
        ("v10044_vbs.p3d", strip().set("version", 10_044_u32.to_le_bytes())),
        // Unsupported.
        ("encrypted.p3d", later(75).set("encryption", 1_u32.to_le_bytes())),
        // Blocks that are neither raw nor packed, materials of an unknown kind.
        ("block_flag.p3d", later(73).set("block_flag", [1])),
        ("material_kind.p3d", later(73).set("material_kind", 13_u32.to_le_bytes())),
        // A trailer that is cut short, has an unknown kind, claims too much; bytes after it, and after the last LOD.
        ("trailer_kind.p3d", later(73).set("buoyancy", 1_i32.to_le_bytes())),
        ("trailer_grid.p3d", later(73).set("grid", [0xff; 4])),
        ("trailer_shape.p3d", later(73).set("shape", [0xff; 4])),
        ("after_trailer.p3d", later(73).raw([0])),
        ("after_lods.p3d", strip().raw([0])),
        // Version 7 with more LODs than the game reads, with a face of five corners in the first.
        ("v7_many_lods.p3d", later(7).set("lod_count", 33_u32.to_le_bytes())),
        ("v7_face.p3d", later(7).poke("faces", 6, [5])),
        // Counts that are impossible for a file of this size.
        ("many_lods.p3d", strip().set("lod_count", u32::MAX.to_le_bytes())),
        ("many_bones.p3d", whole(12).set("bone_count", u32::MAX.to_le_bytes())),
        ("many_animations.p3d", whole(12).set("animation_count", 2049_u32.to_le_bytes())),
        ("many_positions.p3d", stream),
        ("many_materials.p3d", whole(12).set("materials", 0x0100_0000_u32.to_le_bytes())),
        ("many_selections.p3d", strip().set("selections", u32::MAX.to_le_bytes())),
        // A fill for four billion points.
        ("endless_fill.p3d", strip().set("fill", u32::MAX.to_le_bytes())),
        // An animation whose length is unknown.
        ("animation_kind.p3d", whole(12).set("animation_kind", 10_u32.to_le_bytes())),
        ("animation_bone.p3d", whole(12).set("animation_bone", 3_u32.to_le_bytes())),
        ("bone_animation.p3d", whole(12).set("bone_animation", [3, 0, 0, 0, 10, 0, 0, 0])),
        // Ranges of LODs.
        ("range_overlaps.p3d", overlapping),
        ("range_backwards.p3d", backwards),
        ("range_twice.p3d", same),
        ("range_in_header.p3d", strip().set("starts", 12_u32.to_le_bytes())),
        ("range_outside.p3d", strip().set("ends", u32::MAX.to_le_bytes())),
        // Faces: with two corners, of another size than claimed, with points that do not exist.
        ("two_corners.p3d", strip().set("faces", [2])),
        ("face_memory.p3d", {
            let bytes = strip();
            bytes.set("face_memory", 30_u32.to_le_bytes())
        }),
        ("face_point.p3d", strip().set("faces", [3, 5, 0])),
        ("section_off_edge.p3d", strip().set("section", 2_u32.to_le_bytes())),
        ("section_texture.p3d", strip().set("section_texture", 2_i16.to_le_bytes())),
        ("section_material.p3d", everything_with(|lod| lod.sections[0].2 = 7)),
        // Lists that refer to items that do not exist.
        ("proxy_selection.p3d", edged(12, "proxy", 4, 2)),
        ("item_bone.p3d", edged(12, "items", 0, 3)),
        ("bone_link.p3d", edged(12, "bone_link", 0, 4)),
        ("selection_weights.p3d", everything_with(|lod| lod.selections[1].weights = vec![1, 2])),
        ("selection_face.p3d", everything_with(|lod| lod.selections[1].faces = vec![999])),
        ("selection_vertex.p3d", everything_with(|lod| lod.selections[1].vertices = vec![12])),
        ("selection_section.p3d", everything_with(|lod| lod.selections[1].sections = vec![2])),
        (
            "stage_transform.p3d",
            everything_with(|lod| {
                lod.materials = vec![material(10, 1, false).set("stage_transform", 1_u32.to_le_bytes())];
                lod.sections.iter_mut().for_each(|section| section.2 = 0);
            }),
        ),
        // An invalid box.
        ("box.p3d", strip().set("box", f32::NAN.to_le_bytes())),
        ("special_lod.p3d", strip().set("special_lods", [1])),
        // Too few elements for each point, or references to items that do not exist.
        ("too_few_normals.p3d", everything_with(|lod| lod.normals = Array::Fill([0, 0, 511], 11))),
        ("too_few_uvs.p3d", everything_with(|lod| lod.uvs[1] = Array::Fill([0, 0], 13))),
        ("too_few_bone_refs.p3d", everything_with(|lod| lod.bone_refs.truncate(11))),
        ("bone_ref_item.p3d", everything_with(|lod| lod.bone_refs[3] = [(4, 255), (0, 0)])),
        ("bone_ref_sum.p3d", everything_with(|lod| lod.bone_refs[3] = [(0, 254), (0, 0)])),
        ("neighbor.p3d", everything_with(|lod| lod.neighbors[3] = [12, 0])),
        // Normals and tangents far from unit length, such a fill, and a zero one, which is usual.
        (
            "odd_normals.p3d",
            everything_with(|lod| {
                lod.normals = Array::Each((0..12).map(|i| [0, 0, [0, 511, 250][i % 3]]).collect());
                lod.tangents[5] = [[0, 511, 0], [0, 300, 0]];
            }),
        ),
        ("odd_fill.p3d", everything_with(|lod| lod.normals = Array::Fill([0, 255, 0], 12))),
        // Two positions that are not finite.
        (
            "odd_positions.p3d",
            everything_with(|lod| {
                lod.positions[3][1] = f32::NAN;
                lod.positions[7][0] = f32::INFINITY;
            }),
        ),
        // A vertex table with a wrong claimed size.
        ("table_size.p3d", {
            let bytes = strip();
            let size = bytes.len() as u32 - at(&bytes, "table_size");
            bytes.set("table_size", (size - 4).to_le_bytes())
        }),
    ];
    let mut files: super::files::Files = files.into_iter().map(|(name, bytes)| (name, bytes.to_vec())).collect();
    // The last LOD is cut short; an invalid stream; bytes of another format, or packed as a whole.
    files.push(("cut.p3d", cut));
    files.push(("broken_stream.p3d", broken_stream));
    files.push(("packed_whole.p3d", [b"\x3fODOL\x32\0".to_vec(), vec![0; 40]].concat()));
    files
}

/// A small model of everything with one LOD changed.
fn everything_with(change: impl FnOnce(&mut Lod)) -> Bytes {
    let mut model = whole(50, 12);
    change(&mut model.lods[0]);
    model.bytes()
}

/// A model with a number set at a distance from a mark.
fn edged(points: u16, mark: &str, distance: usize, value: u32) -> Bytes {
    let bytes = whole(50, points).bytes();
    let mut all = bytes.to_vec();
    let at = bytes.at(mark) + distance;
    all[at..at + 4].copy_from_slice(&value.to_le_bytes());
    Bytes::new().raw(all)
}
