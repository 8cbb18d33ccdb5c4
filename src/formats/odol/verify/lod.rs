//! Checks a level of detail, except its vertex table.

use std::fmt::Display;

use zerocopy::little_endian::I32;

use super::{Survey, counted};
use crate::base::code::Code;
use crate::base::error::{Context as _, Error, Result};
use crate::base::impl_fmt::impl_fmt;
use crate::base::span::Span;
use crate::base::text::ByteStr;
use crate::blocks::Block;
use crate::bytes::Element;
use crate::check::{
    self, AtMost, Below, Broken, Check, Faults, Finite, Index, IndexOrNone, Numbers, Rows, Rule, rules,
};
use crate::formats::odol::vertex::check_count;
use crate::formats::odol::{FaceDefault, IndexBlock, Indices, Lod, LodEntry, Material, Section, Selection, Stage};
use crate::record::describe_fields;
use crate::summary::ReferenceKind;

impl<'a> Survey<'_, 'a> {
    pub(super) fn lod(&mut self, entry: &LodEntry, lod: &Lod<'a>) {
        let index = entry.index;
        for (sum, count) in self.counted.iter_mut().zip(counted(lod)) {
            *sum = sum.saturating_add(count);
        }
        self.visual.add(entry.resolution, lod.faces.triangle_count());
        self.refer(lod);
        if let Some(flags) = lod.point_flags.and_then(|flags| flags.block()) {
            self.block(&flags, &|error| error.within("point_flags").within_item("lods", index));
        }
        self.point_maps(lod, index);
        for (number, selection) in lod.selections.iter().enumerate() {
            self.selection(&selection, number, lod, index);
        }
        if self.deep {
            self.parts(lod, index);
            self.faces(lod, index);
        }
        self.face_default(entry, lod);
        match lod.vertex_table_and_rest() {
            Ok((table, rest)) => self.vertices(lod, &table, rest, index),
            Err(error) => self.problems.error(&error.within_item("lods", index)),
        }
    }

    /// Adds the references of a LOD. Paths start at the game's virtual root, with or without a leading backslash.
    fn refer(&mut self, lod: &Lod<'_>) {
        let mut add = |kind, name: ByteStr<'_>| {
            self.references.add_rooted(kind, name, b"\\");
        };
        lod.proxies.iter().for_each(|proxy| add(ReferenceKind::Proxy, proxy.model));
        lod.textures.iter().for_each(|texture| add(ReferenceKind::Texture, texture));
        for material in &lod.materials {
            add(ReferenceKind::Material, material.name);
            material.surface.into_iter().for_each(|surface| add(ReferenceKind::Surface, surface));
            material.all_stages().for_each(|stage| add(ReferenceKind::Texture, stage.texture));
        }
        let names = lod.sections.iter().filter_map(|section| section.material_name);
        names.for_each(|name| add(ReferenceKind::Material, name));
    }

    fn point_maps(&mut self, lod: &Lod<'a>, index: usize) {
        for (name, block, bound) in [
            ("point_to_vertex", lod.point_to_vertex, lod.point_count.into()),
            ("vertex_to_point", lod.vertex_to_point, lod.point_to_vertex.count()),
        ] {
            let place = |error: Error| error.within(name).within_item("lods", index);
            self.indices(&block, Below(bound), "indices", &place);
        }
    }

    fn selection(&mut self, selection: &Selection<'a>, number: usize, lod: &Lod<'a>, index: usize) {
        let place = |error: Error| error.within_item("selections", number).within_item("lods", index);
        let (faces, points) = (Below(lod.faces.len() as u64), Below(lod.point_count.into()));
        let sections = Index(lod.sections.len() as u64);
        self.indices(&selection.faces, faces, "face numbers", &|error| place(error.within("faces")));
        if let Some(weights) = selection.face_weights {
            self.block(&weights, &|error| place(error.within("face_weights")));
        }
        if let Some(offsets) = selection.face_offsets {
            self.block(&offsets, &|error| place(error.within("face_offsets")));
        }
        let section = |section: &I32| section.get().into();
        self.numbers(&selection.sections, sections, section, "section numbers", &|error| {
            place(error.within("sections"))
        });
        self.indices(&selection.vertices, points, "point numbers", &|error| place(error.within("vertices")));
        self.block(&selection.weights, &|error| place(error.within("weights")));
        if selection.weights.count() > 0 {
            let even = check_count(&selection.weights, selection.vertices.count());
            self.problems.ok(even.within("weights").map_err(place));
        }
    }

    /// Adds a block of numbers to the facts. In a deep survey, checks them against a rule.
    fn numbers<T: Element, R: Rule>(
        &mut self,
        block: &Block<'a, T>,
        rule: R,
        number: impl Fn(&T) -> R::Value + Clone,
        what: &str,
        place: &dyn Fn(Error) -> Error,
    ) {
        if let Some(numbers) = self.block(block, place) {
            Check::new(rule).array(block, numbers.iter().map(number)).report(what, self.problems, place);
        }
    }

    /// Adds a block of indices of either width to the facts. In a deep survey, checks them.
    fn indices(&mut self, block: &IndexBlock<'a>, rule: Below, what: &str, place: &dyn Fn(Error) -> Error) {
        match block {
            Indices::U16(block) => self.numbers(block, rule, |index| index.get().into(), what, place),
            Indices::U32(block) => self.numbers(block, rule, |index| index.get().into(), what, place),
        }
    }

    /// Checks the indices between the lists of a LOD.
    fn parts(&mut self, lod: &Lod<'a>, index: usize) {
        let place = |error: Error| error.within_item("lods", index);
        let skeleton = self.bone_count();
        let mut selections = Check::new(IndexOrNone(lod.selections.len() as u64));
        let mut sections = Check::new(IndexOrNone(lod.sections.len() as u64));
        let mut bones = Check::new(IndexOrNone(skeleton));
        for (proxy, Span { offset, bytes }) in lod.proxies.spanned() {
            // The last fields are sequence, selection, bone and section; in version 7, sequence and selection.
            let last = |number: u64| offset.saturating_add(bytes).saturating_sub(number.saturating_mul(4));
            let rest = if proxy.section.is_some() { 3 } else { 1 };
            selections.next(last(rest), proxy.selection.into());
            sections.next(last(1), proxy.section.unwrap_or(-1).into());
            bones.next(last(2), proxy.bone.unwrap_or(-1).into());
        }
        selections.report("selections", self.problems, |error| place(error.within("proxies")));
        sections.report("sections", self.problems, |error| place(error.within("proxies")));
        bones.report("bones", self.problems, |error| place(error.within("proxies")));
        let check = Check::new(Below(skeleton)).array(&lod.bones, lod.bones.iter().map(|bone| bone.get().into()));
        check.report("bones", self.problems, |error| place(error.within("bones")));
        self.bone_links(lod, index);
        let mut odd_frames = Faults::default();
        for (number, (frame, Span { offset, .. })) in lod.frames.spanned().enumerate() {
            let place = |error: Error| place(error.within("positions").within_item("frames", number));
            if frame.positions.len() as u64 != u64::from(lod.point_count) {
                let path = [("lods", Some(index)), ("frames", Some(number)), ("positions", None)];
                // The count follows the time.
                odd_frames.add(Code::Suspicious, (&path, offset.saturating_add(4)), || {
                    format!("{} positions for {} points", frame.positions.len(), lod.point_count)
                });
            }
            let numbers = frame.positions.iter().map(|position| Numbers(position.to_array()));
            Check::new(Finite).array(&frame.positions, numbers).report("positions", self.problems, place);
        }
        odd_frames.report(self.problems);
        let mut odd_transforms = Faults::default();
        for (number, material) in lod.materials.iter().enumerate() {
            self.transforms(&material, |error| place(error.within_item("materials", number)));
            let count = material.transforms.len() as u64;
            if material.kind == 8 && count == 0 {
                // Some writers of this kind omit the transforms.
                continue;
            }
            let stages = material.stages.len() as u64;
            if matches!(material.kind, 9..=11) && count != stages {
                let path = [("lods", Some(index)), ("materials", Some(number)), ("transform_count", None)];
                // The count is the last field before the stages.
                let offset = material.stages.offset().saturating_sub(4);
                odd_transforms
                    .add(Code::Suspicious, (&path, offset), || format!("{count} transforms for {stages} stages"));
            }
            let place = |error: Error| place(error.within_item("materials", number));
            // The index follows the filter and the texture.
            let number = |stage: Stage<'_>, offset: u64| {
                let before = (stage.texture.len() as u64).saturating_add(5);
                Some((offset.saturating_add(before), u64::from(stage.transform?)))
            };
            let numbers = material.stages.spanned().filter_map(|(stage, span)| number(stage, span.offset));
            let end = material.transforms.offset().saturating_add(material.transforms.as_bytes().len() as u64);
            let thermal = material.thermal_stage.and_then(|stage| number(stage, end));
            // From DayZ on, an index may be equal to the count, as in one real file.
            let (mut below, mut most) = (Check::new(Below(count)), Check::new(AtMost(count)));
            for (offset, transform) in numbers.chain(thermal) {
                match material.kind {
                    ..16 => below.next(offset, transform),
                    16.. => most.next(offset, transform),
                }
            }
            below.report("transforms", self.problems, place);
            most.report("transforms", self.problems, place);
        }
        odd_transforms.report(self.problems);
    }

    /// Checks that the links from the skeleton to the LOD's bones match the links back.
    fn bone_links(&mut self, lod: &Lod<'a>, index: usize) {
        let place = |error: Error| error.within("bone_links").within_item("lods", index);
        if lod.bone_links.is_empty() {
            return;
        }
        let (bones, skeleton) = (lod.bones.len() as u64, self.bone_count());
        if lod.bone_links.len() as u64 != skeleton {
            let message = format!("{} bone links for {skeleton} bones", lod.bone_links.len());
            self.problems.error(&place(Error::malformed(message).at(lod.bone_links.offset())));
        }
        let mut inside = Check::new(Below(bones));
        let mut back = Check::new(Broken::new(Code::Suspicious, "not to a place of their bone"));
        let mut met = 0_u64;
        for (number, links) in lod.bone_links.iter().enumerate() {
            inside.list(("bone_links", number), &links, links.iter().map(|link| link.get().into()));
            met = met.saturating_add(links.len() as u64);
            for link in links.iter() {
                // A link out of range was reported above.
                let bone = lod.bones.get(link.get() as usize);
                let leads_back = |bone: u64| bone == number as u64 || bone >= skeleton;
                back.look(links.offset(), link.get(), bone.is_none_or(|bone| leads_back(bone.get().into())));
            }
        }
        inside.report("bones", self.problems, place);
        back.report("links", self.problems, place);
        if met != bones {
            let message = format!("{met} links to {bones} bones");
            self.problems.warning(&place(Error::malformed(message).at(lod.bone_links.offset())));
        }
    }

    /// Checks the texture-coordinate transforms of a material.
    fn transforms(&mut self, material: &Material<'a>, place: impl Fn(Error) -> Error) {
        let made = &material.transforms;
        let rows = Rows::from(made);
        let numbers = made.iter().map(|made| Numbers(made.transform.to_array()));
        // The source of the coordinates is the first field.
        let check = Check::new(Finite).array(rows.into(4), numbers);
        check.report("transforms", self.problems, |error| place(error.within("transforms")));
        let mut sources = Check::new(Broken::new(Code::UnknownCode, "without a meaning"));
        for (index, transform) in (0..).zip(made.iter()) {
            let source = transform.uv_source();
            sources.look(rows.offset_of(index), source.0, source.name().is_some());
        }
        sources.report("sources of coordinates", self.problems, |error| place(error.within("transforms")));
    }

    fn faces(&mut self, lod: &Lod<'a>, index: usize) {
        let place = |error: Error| error.within_item("lods", index);
        let bounds = match lod.faces.sound_bounds(lod.point_count.into()) {
            Some(bounds) => bounds,
            None => match self.bounds_of_each(lod, index) {
                Ok(bounds) => bounds,
                Err(error) => return self.problems.error(&place(error)),
            },
        };
        let mut textures = Check::new(IndexOrNone(lod.textures.len() as u64));
        let mut materials = Check::new(IndexOrNone(lod.materials.len() as u64));
        let mut bones = Check::new(AtMost(lod.bones.len() as u64));
        let mut starts = Check::new(Broken::new(Code::Order, "not where the one before ends"));
        let mut ranges = Check::new(WholeFaces(&bounds));
        let mut areas = Check::new(Finite);
        let mut end = 0;
        for (index, (section, Span { offset, .. })) in lod.sections.spanned().enumerate() {
            let Section { start, texture, material, min_bone, bone_count, .. } = section;
            // Fields of 4 bytes come first: three in version 7, later five.
            let number = |place: u64| offset.saturating_add(place.saturating_mul(4));
            textures.next(number(if lod.faces.has_units() { 5 } else { 3 }), texture.into());
            if let Some(list) = section.area_over_texture {
                areas.list(("sections", index), &list, list.iter().map(|area| Numbers([area.get()])));
            }
            if !lod.faces.has_units() {
                // In version 7, the unit of ranges and the meaning of the material number are unknown.
                continue;
            }
            materials.next(number(6).saturating_add(2), material.unwrap_or(-1).into());
            bones.next(number(3), u64::from(min_bone.unwrap_or(0)).saturating_add(bone_count.unwrap_or(0).into()));
            starts.look(offset, Start { at: start, expected: end }, start == end);
            end = section.end;
            ranges.next(number(1), MemoryRange { start, end });
        }
        let place = |error: Error| place(error.within("sections"));
        textures.report("textures", self.problems, place);
        materials.report("materials", self.problems, place);
        bones.report("last bones", self.problems, place);
        starts.report("sections", self.problems, place);
        ranges.report("sections", self.problems, place);
        areas.report("areas", self.problems, place);
        if end != lod.faces.memory_byte_len() && !lod.sections.is_empty() && lod.faces.has_units() {
            let message = format!("sections end at {end}, faces at {}", lod.faces.memory_byte_len());
            self.problems.warning(&place(Error::malformed(message).at(lod.sections.offset())));
        }
    }

    /// Returns the start of each face in the game's memory and the end of the last. Reports corners out of range.
    fn bounds_of_each(&mut self, lod: &Lod<'a>, index: usize) -> Result<Vec<u32>> {
        let mut bounds = vec![0];
        let mut points = Check::new(Below(lod.point_count.into()));
        let mut broken = Ok(());
        let mut offset = lod.faces.offset();
        for (number, face) in lod.faces.iter().enumerate() {
            match face {
                Ok(face) => {
                    let corners = face.corners.iter().map(u64::from);
                    let (bytes, count) = (face.corners.as_bytes().len(), face.corners.len());
                    let first = offset.saturating_add(if face.flags.is_some() { 7 } else { 1 });
                    points.list(("faces", number), Rows::new(first, bytes.checked_div(count).unwrap_or(0)), corners);
                    offset = first.saturating_add(bytes as u64);
                    bounds.extend(bounds.last().map(|start: &u32| start.saturating_add(face.memory_byte_len())));
                }
                Err(error) => broken = Err(error),
            }
        }
        points.report("point numbers", self.problems, |error| error.within("faces").within_item("lods", index));
        broken.map(|()| bounds)
    }

    /// Checks that the face default in the tables matches the LOD.
    fn face_default(&mut self, entry: &LodEntry, lod: &Lod<'_>) {
        let Some((number, default, Span { offset, .. })) = self.model.header.face_default(entry.index) else { return };
        let (data, version) = (self.model.data, self.model.version());
        let deep = self.deep;
        let mut differs = |name: &'static str, claimed: &dyn Display, is: &dyn Display| {
            let found =
                check::place_of(name, |out| describe_fields::<FaceDefault, _>(data.cursor(offset), version, out));
            let error = Error::malformed(format!("{claimed}, the LOD has {is}")).at(found.unwrap_or(offset));
            self.problems.warning(&error.within(name).within_item("face_defaults", number));
        };
        let mut same = |name, claimed: i64, is: i64| {
            if claimed != is {
                differs(name, &claimed, &is);
            }
        };
        same("faces", default.faces.into(), i64::try_from(lod.faces.len()).unwrap_or(i64::MAX));
        if !deep {
            return;
        }
        same("color", default.color.into(), lod.color.into());
        same("special", default.special.into(), lod.special.cast_signed().into());
        same("or_hints", default.or_hints.into(), lod.or_hints.into());
        same("has_skeleton", default.has_skeleton.into(), u8::from(!lod.bones.is_empty()).into());
        same("points", default.points.unwrap_or(lod.point_count).into(), lod.point_count.into());
        // NaN in some files of the game.
        let areas = default.face_area.zip(lod.face_area).filter(|(claimed, is)| claimed != is && !claimed.is_nan());
        if let Some((claimed, is)) = areas {
            differs("face_area", &claimed, &is);
        }
    }
}

/// The start of a section in bytes of the game's memory, and the expected start.
#[derive(Clone, Copy)]
struct Start {
    at: u32,
    expected: u32,
}

impl_fmt!([] Display for Start, |start| "{} instead of {}", start.at, start.expected);

/// The range of a section's faces, in bytes of the game's memory.
#[derive(Clone, Copy)]
pub(crate) struct MemoryRange {
    start: u32,
    end: u32,
}

impl_fmt!([] Display for MemoryRange, |range| "{} to {}", range.start, range.end);

rules! {
    /// A section starts and ends at the bounds of faces.
    WholeFaces<'e>(&'e [u32]) of MemoryRange = Code::Range, |Self(bounds), MemoryRange { start, end }| {
        let is_bound = |byte: u32| bounds.binary_search(&byte).is_ok();
        is_bound(start) && is_bound(end) && start <= end
    }, "not of whole faces";
}
