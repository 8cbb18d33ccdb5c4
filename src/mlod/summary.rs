//! A model's answers to [`Inspect`].

use std::collections::HashMap;
use std::ops::ControlFlow;

use super::{Lod, Model, Resolution};
use crate::budget::Budget;
use crate::check::{self, Below, Broken, Check, Finite, Length, Numbers, Unit};
use crate::error::{Context, Error, Result};
use crate::format::Format;
use crate::inspect::{self, Inspect, Outline, Part, Region, Span};
use crate::summary::{Code, Counts, Problems, ReferenceKind, References, Summary};
use crate::view::array::gather;
use crate::view::{ByteStr, Column, Packing, Scalar, Storage, Table};

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

    fn digest(&self, name: &str, _: &Budget, _: &mut dyn FnMut(&[u8])) -> Result<()> {
        Err(Error::unsupported(format!("MLOD models have no digest `{name}`")))
    }
}

impl Model<'_> {
    /// The summary but for its problems, which are added to the others; on request of every index and number too.
    fn survey(&self, deep: bool, problems: &mut Problems) -> Summary {
        let mut references = References::new(&self.limits);
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
                problems.warning(&Error::malformed(format!("{behind} bytes after the last LOD")).at(end));
            }
        }
        Summary { version: Some(self.version()), references: references.into_vec(problems), ..summary }
    }
}

impl Lod<'_> {
    /// Tells of indices that point outside, and of numbers that are none.
    fn check(&self, lod: usize, problems: &mut Problems) {
        let place = |error: Error| error.within_item("lods", lod);
        let end = self.offset().saturating_add(self.bytes());
        check::one(Finite, Numbers([self.resolution()]), end.saturating_sub(4), problems, |error| {
            place(error.within("resolution"))
        });
        let (points, normals) = (self.points(), self.normals());
        let positions = points.iter().map(|point| Numbers(point.position.to_array()));
        let check = Check::new(Finite).array(&points, positions);
        check.tell("positions", problems, |error| place(error.within("points")));
        let check = Check::new(Finite).array(&normals, normals.iter().map(|normal| Numbers(normal.to_array())));
        check.tell("vectors", problems, |error| place(error.within("normals")));
        let check = Check::new(Unit::Direction).array(&normals, normals.iter().map(|n| Length::of(n.to_array())));
        check.tell("vectors", problems, |error| place(error.within("normals")));
        let mut corner_counts = Check::new(Broken::new(Code::Range, "neither 3 nor 4"));
        let mut point_numbers = Check::new(Below(points.len() as u64));
        let mut normal_numbers = Check::new(Below(normals.len() as u64));
        for (index, face) in self.faces().enumerate() {
            let (count, corners, list) = (face.fields.corner_count.get(), face.corners(), ("faces", index));
            let is_face = (3..=4).contains(&count);
            corner_counts.look(face.offset, count, is_face);
            // What stands in corners that are none means nothing.
            let corners = if is_face { corners.iter() } else { [].iter() };
            point_numbers.list(list, face.offset, corners.clone().map(|corner| corner.point.get().into()));
            normal_numbers.list(list, face.offset, corners.map(|corner| corner.normal.get().into()));
        }
        corner_counts.tell("numbers of corners", problems, |error| place(error.within("faces")));
        point_numbers.tell("point numbers", problems, |error| place(error.within("faces")));
        normal_numbers.tell("normal numbers", problems, |error| place(error.within("faces")));
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
    /// By copies: of bytes in a map the hash may change.
    known: HashMap<Vec<u8>, u32>,
}

impl<'a> Unique<'a> {
    fn index(&mut self, text: ByteStr<'a>) -> u32 {
        // A face takes 74 bytes, so there are fewer of them than numbers.
        let next = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        if let Some(&known) = self.known.get(text.as_bytes()) {
            return known;
        }
        self.list.push(text);
        self.known.insert(text.as_bytes().to_vec(), next);
        next
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
