//! The implementation of [`Inspect`] for MLOD models.

use super::{Lod, Model, Resolution};
use crate::base::amount::Amount;
use crate::base::code::Code;
use crate::base::error::Error;
use crate::base::format::Format;
use crate::base::limits::Limits;
use crate::base::place::{Locate, Root};
use crate::base::text::ByteStr;
use crate::check::{self, Below, Broken, Check, Finite, Length, Numbers, Unit};
use crate::formats::resolution::VisualLods;
use crate::inspect::{Depth, Inspect};
use crate::outline::{Outline, Part};
use crate::record::{Fixed, describe_fields};
use crate::summary::{Counts, Problems, ReferenceKind, References, Summary};

impl Inspect for Model<'_> {
    fn about(&self) -> (Format, &Limits, u64) {
        (Format::Mlod, &self.limits, self.data.size())
    }

    fn is_torn(&self) -> bool {
        self.data.is_torn()
    }

    /// Summarizes with one walk over all LODs and their faces. Reads no LOD if only headers are wanted.
    fn survey(&self, depth: Depth, problems: &mut Problems) -> Summary {
        let reads_lods = depth != Depth::Header;
        let mut references = References::new(&self.limits);
        let mut vertices = Amount(0);
        let mut faces = Amount(0);
        let mut triangles = Amount(0);
        let mut visual = VisualLods::default();
        let mut end = super::LODS;
        let mut is_whole = true;
        let lods = if reads_lods { Some(self.lods().spanned()) } else { None };
        for (index, (lod, span)) in lods.into_iter().flatten().enumerate() {
            let Some(lod) = problems.ok(lod) else {
                is_whole = false;
                break;
            };
            vertices += lod.points.len() as u64;
            faces += lod.faces.len() as u64;
            end = span.offset.saturating_add(span.bytes);
            // Neighbouring faces mostly have the same names, and comparing is cheaper than hashing.
            let (mut last_texture, mut last_material) = Default::default();
            let mut own_triangles = Amount(0);
            for face in &lod.faces {
                own_triangles += face.triangle_count();
                add_changed(ReferenceKind::Texture, face.texture, &mut last_texture, &mut references);
                add_changed(ReferenceKind::Material, face.material, &mut last_material, &mut references);
            }
            triangles += own_triangles.0;
            visual.add(Resolution(lod.resolution), own_triangles.0);
            for proxy in lod.tags.iter().filter_map(|tag| tag.proxy()) {
                references.add(ReferenceKind::Proxy, proxy);
            }
            if depth == Depth::Verify {
                lod.check(index, end, problems);
            }
        }
        let mut summary = Summary { version: Some(self.version()), ..Summary::new(Format::Mlod, self.data.size()) };
        // Later LODs cannot be found after one that cannot be read.
        if is_whole {
            let lods = self.lod_count() as u64;
            summary.counts = Counts::known([
                ("lods", Some(lods)),
                ("visual_lods", if reads_lods { Some(visual.count.0) } else { None }),
                ("vertices", if reads_lods { Some(vertices.0) } else { None }),
                ("faces", if reads_lods { Some(faces.0) } else { None }),
                ("triangles", if reads_lods { Some(triangles.0) } else { None }),
                ("visual_triangles", visual.triangles()),
            ]);
            let after = summary.bytes.saturating_sub(end);
            if reads_lods && after > 0 {
                problems.warning(&Error::trailing(after, "the last LOD").at(end));
            }
        }
        Summary { references: references.into_vec(problems), ..summary }
    }

    fn outline(&self, out: &mut Outline<'_>) {
        self.header.describe_fields(0, out);
        out.list("lods");
        for (index, (cursor, span, lod)) in self.lods().located().enumerate() {
            // Later LODs cannot be found.
            let Some(lod) = out.ok(lod) else { return };
            let purpose = Resolution(lod.resolution);
            let name = purpose.to_string();
            let title = purpose.title();
            let part = Part::item("lods", index).labelled(name.as_str()).titled(&title);
            out.part(part.spanning(span.offset, span.bytes), |out| {
                out.field("name", name.as_str());
                out.field("is_visual", purpose.is_visual());
                describe_fields::<Lod<'_>, _>(cursor, (), out);
            });
        }
    }
}

/// Adds a name, unless it is the same as the one before.
fn add_changed<'a>(kind: ReferenceKind, name: ByteStr<'a>, before: &mut ByteStr<'a>, references: &mut References) {
    if name != *before {
        references.add(kind, name);
        *before = name;
    }
}

impl Lod<'_> {
    /// Reports indices out of range, numbers that are not finite, normals that are not of length 1, and faces that are
    /// neither triangles nor quads. The LOD has this index in the file and ends at the offset `end`.
    fn check(&self, lod_index: usize, end: u64, problems: &mut Problems) {
        let place = Root.item("lods", lod_index);
        let resolution = Numbers([self.resolution]);
        // The resolution is the last field.
        let resolution_offset = end.saturating_sub(size_of::<f32>() as u64);
        check::one(Finite, resolution, resolution_offset, problems, place.field("resolution"));
        let points = self.points;
        let normals = self.normals;
        let positions = points.iter().map(|point| Numbers(point.position.to_array()));
        let check = Check::new(Finite).array(&points, positions);
        check.report("positions", problems, place.field("points"));
        let check = Check::new(Finite).array(&normals, normals.iter().map(|normal| Numbers(normal.to_array())));
        check.report("vectors", problems, place.field("normals"));
        let check = Check::new(Unit::Direction).array(&normals, normals.iter().map(|n| Length::of(n.to_array())));
        check.report("vectors", problems, place.field("normals"));
        let mut corner_counts = Check::new(Broken::new(Code::Range, "neither 3 nor 4"));
        let mut point_numbers = Check::new(Below(points.len() as u64));
        let mut normal_numbers = Check::new(Below(normals.len() as u64));
        let mut uvs = Check::new(Finite);
        for (index, (face, span)) in self.faces.spanned().enumerate() {
            let count = face.fields.corner_count.get();
            let list = ("faces", index);
            let is_face = (3..=4).contains(&count);
            corner_counts.look(span.offset, count, is_face);
            // Corners of a face with a wrong count have no meaning.
            let corners = if is_face { face.corners().iter() } else { [].iter() };
            point_numbers.list(list, span.offset, corners.clone().map(|corner| corner.point.get().into()));
            normal_numbers.list(list, span.offset, corners.clone().map(|corner| corner.normal.get().into()));
            uvs.list(list, span.offset, corners.map(|corner| Numbers([corner.u.get(), corner.v.get()])));
        }
        let faces = place.field("faces");
        corner_counts.report("numbers of corners", problems, faces);
        point_numbers.report("point numbers", problems, faces);
        normal_numbers.report("normal numbers", problems, faces);
        uvs.report("UVs", problems, faces);
    }
}
