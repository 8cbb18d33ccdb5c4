//! A model's answers to [`Inspect`].

use std::collections::HashMap;
use std::ops::ControlFlow;

use super::{Face, Lod, Model, Resolution};
use crate::error::{Context, Error, Result};
use crate::format::Format;
use crate::inspect::{self, Inspect, Outline, Part, Region, Span};
use crate::summary::{Counts, Problems, ReferenceKind, References, Summary};
use crate::view::array::gather;
use crate::view::{ByteStr, Column, Packing, Scalar, Storage, Table, Vec3};

impl Inspect for Model<'_> {
    /// One walk over all LODs, faces included.
    fn summarize(&self) -> Summary {
        let mut problems = Problems::new(&self.limits);
        let summary = self.survey(false, &mut problems);
        Summary { problems: problems.into_vec(), ..summary }
    }

    fn verify(&self, problems: &mut Problems) {
        self.survey(true, problems);
    }

    fn outline(&self, out: &mut Outline<'_>) {
        out.field("version", self.version());
        out.field("lod_count", self.lod_count);
        for (index, lod) in self.lods().enumerate() {
            if let Some(lod) = out.ok(lod) {
                let name = Resolution(lod.resolution()).to_string();
                let part = Part::item("lods", index).labelled(name.as_str());
                out.part(part.spanning(lod.offset(), lod.bytes()), |out| lod.outline(&name, out));
            }
        }
    }

    fn size(&self) -> u64 {
        self.data.len() as u64
    }

    /// The outline's parts, and the faces, each of which has names behind it.
    fn regions(&self, sink: &mut dyn FnMut(Region<'_>)) {
        for (index, lod) in self.lods().enumerate() {
            match lod {
                Ok(lod) => lod.regions(index, sink),
                Err(error) => sink(Region::problem(0, &error, self.lods.offset())),
            }
        }
    }

    fn digest_names(&self) -> &'static [&'static str] {
        &[]
    }

    fn digest(&self, name: &str, _: &mut dyn FnMut(&[u8])) -> Result<()> {
        Err(Error::unsupported(format!("MLOD models have no digest `{name}`")))
    }
}

impl Model<'_> {
    /// The summary but for its problems, which are added to the others; on request of every index and number too.
    fn survey(&self, deep: bool, problems: &mut Problems) -> Summary {
        let mut references = References::default();
        let (mut vertices, mut faces) = (0_u64, 0_u64);
        let mut end = self.lods.offset();
        let mut whole = true;
        for (index, lod) in self.lods().enumerate() {
            let Some(lod) = problems.ok(lod) else {
                whole = false;
                break;
            };
            vertices = vertices.saturating_add(lod.points().len() as u64);
            faces = faces.saturating_add(lod.face_count().into());
            end = lod.offset().saturating_add(lod.bytes());
            for face in lod.faces() {
                references.add(ReferenceKind::Texture, face.texture);
                references.add(ReferenceKind::Material, face.material);
            }
            for proxy in lod.tags().filter_map(|tag| tag.proxy()) {
                references.add(ReferenceKind::Proxy, proxy);
            }
            if deep {
                lod.check(index, problems);
            }
        }
        let mut summary = Summary::new(Format::Mlod, self.data.len() as u64);
        if whole {
            let lods = self.lod_count.into();
            summary.counts = Counts::known([("lods", lods), ("vertices", vertices), ("faces", faces)]);
            let behind = summary.bytes.saturating_sub(end);
            if behind > 0 {
                problems.warning(&Error::malformed(format!("{behind} bytes behind the last LOD")).at(end));
            }
        }
        Summary { version: Some(self.version()), references: references.into_vec(), ..summary }
    }
}

impl Lod<'_> {
    /// Tells each index that points outside, and numbers that are none.
    fn check(&self, lod: usize, problems: &mut Problems) {
        if !self.resolution().is_finite() {
            let end = self.offset().saturating_add(self.bytes());
            let error = Error::malformed(format!("resolution is {}", self.resolution())).at(end.saturating_sub(4));
            problems.warning(&error.within_item("lods", lod));
        }
        let points = self.points().iter().position(|point| !is_finite(point.position));
        let normals = self.normals().iter().position(|&normal| !is_finite(normal));
        let (first_point, first_normal) = (self.points().offset(), self.normals().offset());
        for (list, index, offset, size) in [("points", points, first_point, 16), ("normals", normals, first_normal, 12)]
        {
            if let Some(index) = index {
                let offset = offset.saturating_add((index as u64).saturating_mul(size));
                let error = Error::malformed("not a finite number").at(offset).within_item(list, index);
                problems.warning(&error.within_item("lods", lod));
            }
        }
        for (index, face) in self.faces().enumerate() {
            if let Err(error) = self.check_face(&face) {
                problems.error(&error.at(face.offset).within_item("faces", index).within_item("lods", lod));
            }
        }
    }

    fn check_face(&self, face: &Face<'_>) -> Result<()> {
        let count = face.fields.corner_count.get();
        if !(3..=4).contains(&count) {
            return Err(Error::malformed(format!("{count} corners, a face has 3 or 4")));
        }
        let (points, normals) = (self.points().len() as u64, self.normals().len() as u64);
        for corner in face.corners() {
            for (name, index, len) in [("point", corner.point, points), ("normal", corner.normal, normals)] {
                if u64::from(index.get()) >= len {
                    return Err(Error::malformed(format!("{name} {index} of {len}")));
                }
            }
        }
        Ok(())
    }

    fn regions(&self, index: usize, sink: &mut dyn FnMut(Region<'_>)) {
        let mut tell = |depth, name: String, note: String, offset, bytes| {
            sink(Region::part(depth, name, note, Span { offset, bytes }));
        };
        let note = Resolution(self.resolution()).to_string();
        tell(0, format!("lods[{index}]"), note, self.offset(), self.bytes());
        let (points, normals, faces) = (self.points(), self.normals(), self.faces());
        for (name, table) in [("points", &points as &dyn Table), ("normals", &normals), ("faces", &faces)] {
            let Storage { offset, bytes, .. } = table.storage();
            tell(1, name.to_owned(), inspect::rows(table.rows()), offset, bytes);
        }
        for (index, tag) in self.tags().enumerate() {
            tell(1, format!("tags[{index}]"), inspect::brief(tag.name), tag.offset, tag.bytes());
        }
    }

    fn outline(&self, name: &str, out: &mut Outline<'_>) {
        out.field("name", name);
        out.field("resolution", self.resolution());
        out.field("is_visual", Resolution(self.resolution()).is_visual());
        out.field("header_size", self.header().header_size.get());
        out.field("version", self.header().version.get());
        out.field("flags", self.header().flags.get());
        out.array("points", &self.points());
        out.array("normals", &self.normals());
        out.array("faces", &self.faces());
        let names = FaceNames::new(self);
        out.texts("textures", names.textures.iter().copied());
        out.texts("materials", names.materials.iter().copied());
        out.array("face_names", &names);
        for (index, tag) in self.tags().enumerate() {
            out.part(Part::item("tags", index).labelled(tag.name).spanning(tag.offset, tag.bytes()), |out| {
                out.field("active", tag.active);
                out.field("name", tag.name);
                out.array("data", &tag.data);
            });
        }
    }
}

fn is_finite(vector: Vec3) -> bool {
    vector.to_array().iter().all(|number| number.is_finite())
}

/// Which of the LOD's textures and materials each face has.
struct FaceNames<'a> {
    lod: Lod<'a>,
    textures: Vec<ByteStr<'a>>,
    materials: Vec<ByteStr<'a>>,
    rows: Vec<[u8; 8]>,
}

impl<'a> FaceNames<'a> {
    fn new(lod: &Lod<'a>) -> Self {
        let (mut textures, mut materials) = (Unique::default(), Unique::default());
        let mut rows = Vec::new();
        for face in lod.faces() {
            let row = [textures.index(face.texture), materials.index(face.material)];
            rows.push(bytemuck::cast(row.map(u32::to_le_bytes)));
        }
        Self { lod: *lod, textures: textures.list, materials: materials.list, rows }
    }
}

/// Texts in order of first use, each once.
#[derive(Default)]
struct Unique<'a> {
    list: Vec<ByteStr<'a>>,
    known: HashMap<ByteStr<'a>, u32>,
}

impl<'a> Unique<'a> {
    fn index(&mut self, text: ByteStr<'a>) -> u32 {
        // A face takes 74 bytes, so there are fewer of them than numbers.
        let next = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        *self.known.entry(text).or_insert_with(|| {
            self.list.push(text);
            next
        })
    }
}

impl Table for FaceNames<'_> {
    fn rows(&self) -> u64 {
        self.rows.len() as u64
    }

    fn columns(&self) -> Vec<Column> {
        vec![Column::new("texture", Scalar::U32), Column::new("material", Scalar::U32)]
    }

    fn storage(&self) -> Storage {
        Storage { packing: Packing::Derived, ..self.lod.faces().storage() }
    }

    fn read(&self, sink: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Result<()> {
        gather(self.rows.iter().map(<[u8; 8]>::as_slice), sink);
        Ok(())
    }
}
