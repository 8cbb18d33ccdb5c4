//! Checks a level of detail, except its vertex table.

use std::fmt;
use std::iter::zip;

use super::tally::Tally;
use super::{Survey, counted};
use crate::base::amount::Amount;
use crate::base::code::Code;
use crate::base::error::{Context as _, Error, Result};
use crate::base::impl_fmt::impl_fmt;
use crate::base::place::{Locate, Root};
use crate::base::span::Span;
use crate::blocks::Block;
use crate::bytes::Element;
use crate::check::{self, AtMost, Below, Broken, Check, Faults, Finite, Index, IndexOrNone, Numbers, Rows, rules};
use crate::formats::odol::array::check_count;
use crate::formats::odol::{FaceDefault, IndexBlock, Indices, Lod, LodEntry, Material, Section, Selection, Stage};
use crate::summary::{ReferenceKind, References};

impl<'a> Survey<'_, 'a> {
    /// Adds a LOD to the facts, and checks its parts.
    pub(super) fn lod(&mut self, entry: &LodEntry, lod: &Lod<'a>, tally: Tally) {
        let index = entry.index;
        for (sum, count) in zip(&mut self.counted, counted(lod)) {
            *sum = sum.saturating_add(count);
        }
        self.visual.add(entry.resolution, lod.faces.triangle_count());
        refer(&mut self.references, lod);
        // A LOD of version 7 is read without a tally.
        let is_counted = !self.deep && !tally.has_uneven && !self.model.version().is_flashpoint();
        if is_counted {
            self.blocks.add_all(tally.blocks);
        } else {
            self.blocks_of(lod, index);
        }
        if self.deep {
            self.proxies(lod, index);
            self.bones(lod, index);
            self.frames(lod, index);
            self.materials(lod, index);
            self.faces(lod, index);
        }
        self.face_default(entry, lod);
        match lod.vertex_table_and_rest() {
            Ok((table, rest)) => self.vertices(lod, &table, rest, index),
            Err(error) => self.problems.error(&error.within_item("lods", index)),
        }
    }

    /// Adds the blocks outside the vertex table to the facts, and checks them.
    fn blocks_of(&mut self, lod: &Lod<'a>, index: usize) {
        if let Some(flags) = lod.point_flags
            && let Some(block) = flags.block()
        {
            self.block(&block, Root.item("lods", index).field("point_flags"));
        }
        self.point_maps(lod, index);
        for (number, selection) in lod.selections.iter().enumerate() {
            self.selection(&selection, number, lod, index);
        }
    }

    /// Checks the maps from points of the edited model to vertices and back.
    fn point_maps(&mut self, lod: &Lod<'a>, index: usize) {
        let place = Root.item("lods", index);
        self.indices(&lod.point_to_vertex, lod.point_count.into(), "indices", place.field("point_to_vertex"));
        let vertices = lod.point_to_vertex.count();
        self.indices(&lod.vertex_to_point, vertices, "indices", place.field("vertex_to_point"));
    }

    /// Checks what the selection with this number refers to, and that there are as many weights as vertices, or none.
    /// The points that a LOD counts are its vertices.
    fn selection(&mut self, selection: &Selection<'a>, number: usize, lod: &Lod<'a>, index: usize) {
        let place = Root.item("lods", index).item("selections", number);
        self.indices(&selection.faces, lod.faces.len() as u64, "face numbers", place.field("faces"));
        if let Some(weights) = selection.face_weights {
            self.block(&weights, place.field("face_weights"));
        }
        if let Some(offsets) = selection.face_offsets {
            self.block(&offsets, place.field("face_offsets"));
        }
        if let Some(numbers) = self.block(&selection.sections, place.field("sections")) {
            let sections = Index(lod.sections.len() as u64);
            let check =
                Check::new(sections).array(&selection.sections, numbers.iter().map(|number| number.get().into()));
            check.report("section numbers", self.problems, place.field("sections"));
        }
        self.indices(&selection.vertices, lod.point_count.into(), "point numbers", place.field("vertices"));
        self.block(&selection.weights, place.field("weights"));
        if selection.weights.count() > 0 {
            let even = check_count(&selection.weights, selection.vertices.count());
            self.problems.ok_in(place.field("weights"), even);
        }
    }

    /// Adds a block of indices of either width to the facts. In a deep survey, checks that they are below this count.
    fn indices(&mut self, block: &IndexBlock<'a>, count: u64, what: &str, place: impl Locate + Copy) {
        match block {
            Indices::U16(block) => self.indices_of(block, count, what, place),
            Indices::U32(block) => self.indices_of(block, count, what, place),
        }
    }

    /// Does the work of [`indices`](Self::indices) for one width.
    fn indices_of<T: Element + Copy + Into<u64>>(
        &mut self,
        block: &Block<'a, T>,
        count: u64,
        what: &str,
        place: impl Locate + Copy,
    ) {
        if let Some(indices) = self.block(block, place) {
            let check = Check::new(Below(count)).array(block, indices.iter().map(|index| (*index).into()));
            check.report(what, self.problems, place);
        }
    }

    /// Checks what the proxies refer to.
    fn proxies(&mut self, lod: &Lod<'a>, index: usize) {
        let skeleton = self.bone_count();
        let mut selections = Check::new(IndexOrNone(lod.selections.len() as u64));
        let mut sections = Check::new(IndexOrNone(lod.sections.len() as u64));
        let mut bones = Check::new(IndexOrNone(skeleton));
        for (proxy, Span { offset, bytes }) in lod.proxies.spanned() {
            // The last fields are sequence, selection, bone and section; in version 7, sequence and selection.
            let end = offset.saturating_add(bytes);
            let from_selection = if proxy.section.is_some() { 3 } else { 1 };
            selections.next(words_before(end, from_selection), proxy.selection.into());
            sections.next(words_before(end, 1), proxy.section.unwrap_or(-1).into());
            bones.next(words_before(end, 2), proxy.bone.unwrap_or(-1).into());
        }
        let place = Root.item("lods", index).field("proxies");
        selections.report("selections", self.problems, place);
        sections.report("sections", self.problems, place);
        bones.report("bones", self.problems, place);
    }

    /// Checks the bones of the LOD and their links.
    fn bones(&mut self, lod: &Lod<'a>, index: usize) {
        let numbers = lod.bones.iter().map(|bone| bone.get().into());
        let check = Check::new(Below(self.bone_count())).array(&lod.bones, numbers);
        check.report("bones", self.problems, Root.item("lods", index).field("bones"));
        self.bone_links(lod, index);
    }

    /// Checks the positions of the frames.
    fn frames(&mut self, lod: &Lod<'a>, index: usize) {
        let mut odd_frames = Faults::default();
        for (number, (frame, Span { offset, .. })) in lod.frames.spanned().enumerate() {
            let place = Root.item("lods", index).item("frames", number).field("positions");
            if frame.positions.len() as u64 != u64::from(lod.point_count) {
                let path = [("lods", Some(index)), ("frames", Some(number)), ("positions", None)];
                // The count follows the time.
                let offset = offset.saturating_add(4);
                let message = format_args!("{} positions for {} points", frame.positions.len(), lod.point_count);
                odd_frames.add(Code::Suspicious, &path, offset, message);
            }
            let numbers = frame.positions.iter().map(|position| Numbers(position.to_array()));
            Check::new(Finite).array(&frame.positions, numbers).report("positions", self.problems, place);
        }
        odd_frames.report(self.problems);
    }

    /// Checks the transforms of the materials, and the indices of their stages.
    fn materials(&mut self, lod: &Lod<'a>, index: usize) {
        let mut odd_transforms = Faults::default();
        for (number, material) in lod.materials.iter().enumerate() {
            let place = Root.item("lods", index).item("materials", number);
            self.transforms(&material, place.field("transforms"));
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
                let message = format_args!("{count} transforms for {stages} stages");
                odd_transforms.add(Code::Suspicious, &path, offset, message);
            }
            let mut transforms = StageTransforms::new(&material);
            for (stage, Span { offset, .. }) in material.stages.spanned() {
                transforms.look(&stage, offset);
            }
            if let Some(stage) = material.thermal_stage {
                // It follows the transforms.
                let end = material.transforms.offset().saturating_add(material.transforms.as_bytes().len() as u64);
                transforms.look(&stage, end);
            }
            transforms.below.report("transforms", self.problems, place);
            transforms.most.report("transforms", self.problems, place);
        }
        odd_transforms.report(self.problems);
    }

    /// Checks that the links from the skeleton to the LOD's bones match the links back.
    fn bone_links(&mut self, lod: &Lod<'a>, index: usize) {
        let place = Root.item("lods", index).field("bone_links");
        if lod.bone_links.is_empty() {
            return;
        }
        let bones = lod.bones.len() as u64;
        let skeleton = self.bone_count();
        if lod.bone_links.len() as u64 != skeleton {
            let message = format!("{} bone links for {skeleton} bones", lod.bone_links.len());
            self.problems.error(&place.locate(Error::malformed(message).at(lod.bone_links.offset())));
        }
        let mut inside = Check::new(Below(bones));
        let mut back = Check::new(Broken::new(Code::Suspicious, "not to a place of their bone"));
        let mut met = Amount(0);
        for (number, links) in lod.bone_links.iter().enumerate() {
            inside.list(("bone_links", number), &links, links.iter().map(|link| link.get().into()));
            met += links.len() as u64;
            for link in links.iter() {
                let leads_back = match lod.bones.get(link.get() as usize) {
                    Some(bone) => u64::from(bone.get()) == number as u64 || u64::from(bone.get()) >= skeleton,
                    // A link out of range was reported above.
                    None => true,
                };
                back.look(links.offset(), link.get(), leads_back);
            }
        }
        inside.report("bones", self.problems, place);
        back.report("links", self.problems, place);
        if met.0 != bones {
            let message = format!("{} links to {bones} bones", met.0);
            self.problems.warning(&place.locate(Error::malformed(message).at(lod.bone_links.offset())));
        }
    }

    /// Checks the texture-coordinate transforms of a material.
    fn transforms(&mut self, material: &Material<'a>, place: impl Locate + Copy) {
        let made = &material.transforms;
        let rows = Rows::from(made);
        let numbers = made.iter().map(|made| Numbers(made.transform.to_array()));
        // The source of the coordinates is the first field.
        let check = Check::new(Finite).array(rows.into(4), numbers);
        check.report("transforms", self.problems, place);
        let mut sources = Check::new(Broken::new(Code::UnknownCode, "without a meaning"));
        for (index, transform) in zip(0.., made.iter()) {
            let source = transform.uv_source();
            sources.look(rows.offset_of(index), source.0, source.name().is_some());
        }
        sources.report("sources of coordinates", self.problems, place);
    }

    /// Checks the corners of the faces, and the sections: what they refer to, and that they divide the faces without
    /// gaps.
    fn faces(&mut self, lod: &Lod<'a>, index: usize) {
        let place = Root.item("lods", index);
        let bounds = match lod.faces.sound_bounds(lod.point_count.into()) {
            Some(bounds) => bounds,
            None => match self.bounds_of_each(lod, index) {
                Ok(bounds) => bounds,
                Err(error) => return self.problems.error(&place.locate(error)),
            },
        };
        let mut textures = Check::new(IndexOrNone(lod.textures.len() as u64));
        let mut materials = Check::new(IndexOrNone(lod.materials.len() as u64));
        let mut bones = Check::new(AtMost(lod.bones.len() as u64));
        let mut starts = Check::new(Broken::new(Code::Order, "not where the one before ends"));
        let mut ranges = Check::new(WholeFaces(&bounds));
        let mut areas = Check::new(Finite);
        let mut end = 0;
        for (number, (section, Span { offset, .. })) in lod.sections.spanned().enumerate() {
            let Section { start, texture, material, min_bone, bone_count, .. } = section;
            // Fields of 4 bytes come first: three in version 7, later five.
            let texture_place = if lod.faces.has_units() { 5 } else { 3 };
            textures.next(words_after(offset, texture_place), texture.into());
            if let Some(list) = section.area_over_texture {
                areas.list(("sections", number), &list, list.iter().map(|area| Numbers([area.get()])));
            }
            if !lod.faces.has_units() {
                // In version 7, the unit of ranges and the meaning of the material number are unknown.
                continue;
            }
            // The texture takes two bytes; the flags follow it.
            materials.next(words_after(offset, 6).saturating_add(2), material.unwrap_or(-1).into());
            bones.next(
                words_after(offset, 3),
                u64::from(min_bone.unwrap_or(0)).saturating_add(bone_count.unwrap_or(0).into()),
            );
            starts.look(offset, Start { at: start, expected: end }, start == end);
            end = section.end;
            ranges.next(words_after(offset, 1), MemoryRange { start, end });
        }
        let place = place.field("sections");
        textures.report("textures", self.problems, place);
        materials.report("materials", self.problems, place);
        bones.report("last bones", self.problems, place);
        starts.report("sections", self.problems, place);
        ranges.report("sections", self.problems, place);
        areas.report("areas", self.problems, place);
        if end != lod.faces.memory_byte_len() && !lod.sections.is_empty() && lod.faces.has_units() {
            let message = format!("sections end at {end}, faces at {}", lod.faces.memory_byte_len());
            self.problems.warning(&place.locate(Error::malformed(message).at(lod.sections.offset())));
        }
    }

    /// Returns the start of each face in the game's memory and the end of the last. Reports corners out of range.
    ///
    /// # Errors
    /// Returns the error of a face that cannot be read.
    fn bounds_of_each(&mut self, lod: &Lod<'a>, index: usize) -> Result<Vec<u32>> {
        let mut bounds = vec![0];
        let mut end = Amount(0);
        let mut points = Check::new(Below(lod.point_count.into()));
        let mut broken = Ok(());
        let mut offset = lod.faces.offset();
        for (number, face) in lod.faces.iter().enumerate() {
            match face {
                Ok(face) => {
                    let corners = face.corners.iter().map(u64::from);
                    let bytes = face.corners.as_bytes().len();
                    let count = face.corners.len();
                    // Flags (4), texture (2) and number of corners (1) come before the corners.
                    let first = offset.saturating_add(if face.flags.is_some() { 7 } else { 1 });
                    points.list(("faces", number), Rows::new(first, bytes.checked_div(count).unwrap_or(0)), corners);
                    offset = first.saturating_add(bytes as u64);
                    end += face.memory_byte_len();
                    bounds.push(end.0);
                }
                Err(error) => broken = Err(error),
            }
        }
        points.report("point numbers", self.problems, Root.item("lods", index).field("faces"));
        broken?;
        Ok(bounds)
    }

    /// Checks that the face default in the tables matches the LOD.
    fn face_default(&mut self, entry: &LodEntry, lod: &Lod<'_>) {
        let Some((number, default, Span { offset, .. })) = self.model.header.face_default(entry.index) else { return };
        // Each field, its value in the face default, and its value in the LOD.
        let claims: [(&'static str, i64, i64); 6] = [
            ("faces", default.faces.into(), i64::try_from(lod.faces.len()).unwrap_or(i64::MAX)),
            ("color", default.color.into(), lod.color.into()),
            ("special", default.special.into(), lod.special.cast_signed().into()),
            ("or_hints", default.or_hints.into(), lod.or_hints.into()),
            ("has_skeleton", default.has_skeleton.into(), u8::from(!lod.bones.is_empty()).into()),
            ("points", default.points.unwrap_or(lod.point_count).into(), lod.point_count.into()),
        ];
        // The number of faces is checked at every depth.
        let checked = if self.deep { claims.len() } else { 1 };
        for (name, claimed, is) in claims.into_iter().take(checked) {
            if claimed != is {
                self.warn_of_claim(number, offset, name, format_args!("{claimed}, the LOD has {is}"));
            }
        }
        // NaN in some files of the game.
        if self.deep
            && let (Some(claimed), Some(is)) = (default.face_area, lod.face_area)
            && claimed != is
            && !claimed.is_nan()
        {
            self.warn_of_claim(number, offset, "face_area", format_args!("{claimed}, the LOD has {is}"));
        }
    }

    /// Warns about what a field claims. `number` is the index of its face default, which starts at `offset`.
    fn warn_of_claim(&mut self, number: usize, offset: u64, name: &'static str, message: fmt::Arguments<'_>) {
        let record = self.model.data.cursor(offset);
        let field = check::offset_of_field::<FaceDefault, _>(name, record, self.model.version());
        let error = Error::malformed(message.to_string()).at(field.unwrap_or(offset));
        self.problems.warning(&error.within(name).within_item("face_defaults", number));
    }
}

/// Adds the references of a LOD. Paths start at the game's virtual root, with or without a leading backslash.
fn refer(references: &mut References, lod: &Lod<'_>) {
    const ROOT: &[u8] = b"\\";
    for proxy in &lod.proxies {
        references.add_rooted(ReferenceKind::Proxy, proxy.model, ROOT);
    }
    for texture in &lod.textures {
        references.add_rooted(ReferenceKind::Texture, texture, ROOT);
    }
    for material in &lod.materials {
        references.add_rooted(ReferenceKind::Material, material.name, ROOT);
        if let Some(surface) = material.surface {
            references.add_rooted(ReferenceKind::Surface, surface, ROOT);
        }
        for stage in material.all_stages() {
            references.add_rooted(ReferenceKind::Texture, stage.texture, ROOT);
        }
    }
    for section in &lod.sections {
        if let Some(name) = section.material_name {
            references.add_rooted(ReferenceKind::Material, name, ROOT);
        }
    }
}

/// The checks of the transforms that the stages of a material name.
struct StageTransforms {
    below: Check<Below>,
    most: Check<AtMost>,
    /// From DayZ on, an index may be equal to the count, as in one real file.
    may_be_count: bool,
}

impl StageTransforms {
    /// Creates the checks for the stages of this material.
    fn new(material: &Material<'_>) -> Self {
        let count = material.transforms.len() as u64;
        Self { below: Check::new(Below(count)), most: Check::new(AtMost(count)), may_be_count: material.kind >= 16 }
    }

    /// Checks the transform that a stage at this offset names. Does nothing if stages of this kind name none.
    fn look(&mut self, stage: &Stage<'_>, offset: u64) {
        let Some(transform) = stage.transform else { return };
        // The index follows the filter (4 bytes) and the texture with its NUL.
        let offset = (Amount(offset) + stage.texture.len() as u64 + 5).0;
        if self.may_be_count {
            self.most.next(offset, transform.into());
        } else {
            self.below.next(offset, transform.into());
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

/// Returns the offset this many fields of 4 bytes after another.
fn words_after(offset: u64, fields: u64) -> u64 {
    (Amount(fields) * 4 + offset).0
}

/// Returns the offset this many fields of 4 bytes before another.
fn words_before(offset: u64, fields: u64) -> u64 {
    offset.saturating_sub(fields.saturating_mul(4))
}
