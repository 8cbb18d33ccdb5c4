//! What can be wrong with a model, and the facts that fall out of looking.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

mod vertices;

use super::header::Facts;
use super::vertex::check_count;
use super::{
    Animations, IndexBlock, Indices, Lod, LodEntry, Material, Model, ModelInfo, Section, Selection, Skeleton, Trailer,
};
use crate::budget::Decoded;
use crate::check::{self, AtMost, Below, Broken, Check, Finite, Index, IndexOrNone, Numbers, Rule};
use crate::error::{Context as _, Error, Result};
use crate::inspect::{Depth, Outline, Span, StoredField, Value, Visitor};
use crate::summary::{Blocks, Code, Problems, Reference, ReferenceKind, References};
use crate::view::record::{Read as _, Record as _, Stored};
use crate::view::{Block, ByteStr, Element, Table};

/// Sums over all LODs.
#[derive(Default)]
pub(super) struct Counted {
    pub(super) vertices: u64,
    pub(super) faces: u64,
    pub(super) sections: u64,
    pub(super) selections: u64,
    pub(super) materials: u64,
    pub(super) textures: u64,
    pub(super) proxies: u64,
    pub(super) properties: u64,
}

/// One look: at the header, at the structure of everything, or at every element of every array too.
pub(super) struct Survey<'s, 'a> {
    model: &'s Model<'a>,
    depth: Depth,
    deep: bool,
    problems: &'s mut Problems,
    counted: Counted,
    references: References,
    blocks: Blocks,
    /// Whether every LOD was read.
    is_whole: bool,
}

/// What parts of one LOD are checked against.
struct Sizes {
    lod: usize,
    points: u64,
    faces: u64,
    sections: u64,
    selections: u64,
    /// Bones of the LOD.
    bones: u64,
    /// Bones of the skeleton.
    skeleton: u64,
}

/// Says of an error in which LOD it is.
fn lod_error(sizes: &Sizes, error: Error) -> Error {
    error.within_item("lods", sizes.lod)
}

impl<'s, 'a> Survey<'s, 'a> {
    pub(super) fn new(model: &'s Model<'a>, depth: Depth, problems: &'s mut Problems) -> Self {
        let (counted, blocks) = Default::default();
        let references = References::new(&model.layout.limits);
        let deep = depth == Depth::Verify;
        Self { model, depth, deep, problems, counted, references, blocks, is_whole: true }
    }

    /// What it counted, and whether every LOD was read for it.
    pub(super) fn run(mut self) -> (Counted, Vec<Reference>, Blocks, bool) {
        self.header();
        if self.depth == Depth::Header {
            self.is_whole = false;
        } else {
            self.lods();
        }
        (self.counted, self.references.into_vec(self.problems), self.blocks, self.is_whole)
    }

    fn lods(&mut self) {
        for entry in self.model.lods() {
            match self.model.lod(entry.index) {
                Ok(Some(lod)) => self.lod(&entry, &lod),
                Ok(None) => {}
                Err(error) => {
                    self.is_whole = false;
                    self.problems.error(&error);
                }
            }
        }
        self.trailer();
    }

    fn header(&mut self) {
        if let Err(error) = self.model.whole() {
            self.is_whole = false;
            self.problems.error(&error);
        }
        if let Some(info) = self.model.header.info() {
            self.info(info);
        }
        if let Some(animations) = self.model.animations().filter(|_| self.deep) {
            self.animations(animations);
        }
    }

    /// What follows the LODs: no LOD depends on it.
    fn trailer(&mut self) {
        let Some(rest) = self.model.behind_lods() else { return };
        let mut rest = match rest {
            Ok(rest) => rest,
            Err(error) => return self.problems.warning(&error),
        };
        let has_shapes = self.model.has_trailer(rest);
        let read = has_shapes.map(|has_shapes| Trailer::read(&mut rest, has_shapes).within("trailer"));
        if let Some(Err(error)) = &read {
            self.problems.warning(error);
        } else if !rest.is_empty() {
            let place = if read.is_some() { "the trailer" } else { "the last LOD" };
            let bytes = if rest.left() == 1 { "byte" } else { "bytes" };
            self.problems.warning(&rest.error(format!("{} {bytes} after {place}", rest.left())));
        }
    }

    fn info(&mut self, info: &ModelInfo<'a>) {
        let masses = self.block(&info.masses);
        self.problems.ok(masses.within("masses").within("info"));
        for (name, bound) in [("bbox_min", info.bbox_min), ("bbox_max", info.bbox_max)] {
            if !bound.iter().all(|number| number.is_finite()) {
                let place = |error: Error| error.within(name).within("info");
                check::one(Finite, Numbers(bound), self.place_of(name), self.problems, place);
            }
        }
        let lods = Index(self.model.lod_count() as u64);
        // A negative one stands for none.
        for (name, lod) in info.special_lods.iter().filter(|(_, lod)| *lod >= 0 && !lods.holds(i64::from(*lod))) {
            let place = |error: Error| error.within(name).within("special_lods").within("info");
            check::one(Index(lods.0), lod.into(), self.place_of(name), self.problems, place);
        }
        if self.deep {
            let place = |error: Error| error.within("info");
            self.code("map_type", &info.map_type, place);
            if let Some(source) = &info.shadow_source {
                self.code("shadow_source", source, place);
            }
            if let Some(skeleton) = &info.skeleton {
                self.skeleton(skeleton);
            }
        }
    }

    /// Where a field of the facts lies.
    fn place_of(&self, name: &str) -> u64 {
        let header = &self.model.header;
        let mut cursor = self.model.data.cursor(header.facts_span.offset);
        let mut place = FieldPlace { name, found: None };
        let _ = Facts::tell_fields(&mut cursor, header.lods(self.model.layout), &mut Outline::new(&mut place));
        place.found.unwrap_or(header.facts_span.offset)
    }

    /// Tells of a code without a meaning.
    fn code(&mut self, name: &'static str, code: &impl Stored, place: impl Fn(Error) -> Error) {
        if let Some(number) = code.unknown_code() {
            let error = Error::malformed(format!("{number} has no meaning")).coded(Code::UnknownCode);
            self.problems.warning(&place(error.within(name)));
        }
    }

    /// Tells of a number that is zero in every file of a game.
    fn zero(&mut self, number: Option<u32>, offset: u64, place: impl Fn(Error) -> Error) {
        if let Some(number @ 1..) = number.filter(|_| self.deep) {
            let error = Error::malformed(format!("{number}, where all games write 0")).at(offset);
            self.problems.warning(&place(error));
        }
    }

    fn skeleton(&mut self, skeleton: &Skeleton<'a>) {
        let mut parents = Check::new(Broken::new(Code::Name, "not the name of a bone"));
        let names: HashSet<_> = skeleton.bones.iter().map(|bone| bone.name).collect();
        for (bone, Span { offset, .. }) in skeleton.bones.spanned() {
            parents.look(offset, bone.parent, bone.parent.is_empty() || names.contains(&bone.parent));
        }
        let place = |error: Error| error.within("bones").within("skeleton").within("info");
        parents.tell("parents", self.problems, place);
    }

    fn bone_count(&self) -> u64 {
        self.model.header.info().map_or(0, |info| info.bone_count() as u64)
    }

    fn animations(&mut self, animations: &Animations<'a>) {
        let (count, bones) = (animations.animations.len() as u64, self.bone_count());
        let lods = self.model.lod_count();
        if animations.bone_animations.len() != lods && count > 0 {
            let message = format!("animations of {} LODs in a model of {lods}", animations.bone_animations.len());
            let offset = animations.bone_animations.offset();
            self.problems.warning(&Error::malformed(message).at(offset).within("bone_animations"));
        }
        for (number, (animation, Span { offset, .. })) in animations.animations.spanned().enumerate() {
            let place = |error: Error| error.at(offset).within_item("animations", number);
            self.code("addressing", &animation.addressing, place);
        }
        for (lod, (of_bones, Span { offset, .. })) in animations.bone_animations.spanned().enumerate() {
            let place = |error: Error| error.within("bones").within_item("bone_animations", lod);
            if of_bones.bones.len() as u64 != bones {
                let message = format!("animations of {} bones for a skeleton of {bones}", of_bones.bones.len());
                self.problems.warning(&place(Error::malformed(message).at(offset)));
            }
            let mut check = Check::new(Below(count));
            for (bone, list) in of_bones.bones.iter().enumerate() {
                check.list(("bones", bone), &list, list.iter().map(|index| index.get().into()));
            }
            check.tell("animations", self.problems, place);
        }
        for (lod, axes) in animations.animation_axes.iter().enumerate() {
            let mut check = Check::new(IndexOrNone(bones));
            axes.iter().for_each(|axis| check.next(axes.offset(), axis.bone.into()));
            check.tell("bones", self.problems, |error| error.within_item("animation_axes", lod));
        }
    }

    fn lod(&mut self, entry: &LodEntry, lod: &Lod<'a>) {
        let index = entry.index;
        let sizes = Sizes {
            lod: index,
            points: lod.point_count.into(),
            faces: lod.faces.len() as u64,
            sections: lod.sections.len() as u64,
            selections: lod.selections.len() as u64,
            bones: lod.bones.len() as u64,
            skeleton: self.bone_count(),
        };
        self.count(lod);
        for proxy in &lod.proxies {
            self.reference(ReferenceKind::Proxy, proxy.model);
        }
        for texture in &lod.textures {
            self.reference(ReferenceKind::Texture, texture);
        }
        for material in &lod.materials {
            self.material(&material);
        }
        for section in &lod.sections {
            if let Some(name) = section.material_name {
                self.reference(ReferenceKind::Material, name);
            }
        }
        if let Some(flags) = lod.point_flags.and_then(|flags| flags.block()) {
            let decoded = self.block(&flags);
            self.problems.ok(decoded.within("point_flags").within_item("lods", index));
        }
        self.point_maps(lod, &sizes);
        for (number, selection) in lod.selections.iter().enumerate() {
            self.selection(&selection, number, &sizes);
        }
        if self.deep {
            self.parts(lod, &sizes);
            self.faces(lod, &sizes);
        }
        self.face_default(entry, lod);
        match lod.vertex_table_and_rest() {
            Ok((table, rest)) => self.vertices(lod, &table, rest, &sizes),
            Err(error) => self.problems.error(&error.within_item("lods", index)),
        }
    }

    fn count(&mut self, lod: &Lod<'_>) {
        let add = |sum: &mut u64, more: usize| *sum = sum.saturating_add(more as u64);
        let counted = &mut self.counted;
        counted.vertices = counted.vertices.saturating_add(lod.point_count.into());
        add(&mut counted.faces, lod.faces.len());
        add(&mut counted.sections, lod.sections.len());
        add(&mut counted.selections, lod.selections.len());
        add(&mut counted.materials, lod.materials.len());
        add(&mut counted.textures, lod.textures.len());
        add(&mut counted.proxies, lod.proxies.len());
        add(&mut counted.properties, lod.properties.len());
    }

    /// Paths are those of the game's virtual root, with a backslash in front or without.
    fn reference(&mut self, kind: ReferenceKind, name: ByteStr<'_>) {
        self.references.add_rooted(kind, name, b"\\");
    }

    fn material(&mut self, material: &Material<'_>) {
        self.reference(ReferenceKind::Material, material.name);
        if let Some(surface) = material.surface {
            self.reference(ReferenceKind::Surface, surface);
        }
        for stage in material.all_stages() {
            self.reference(ReferenceKind::Texture, stage.texture);
        }
    }

    fn point_maps(&mut self, lod: &Lod<'a>, sizes: &Sizes) {
        for (name, block, bound) in [
            ("point_to_vertex", lod.point_to_vertex, sizes.points),
            ("vertex_to_point", lod.vertex_to_point, lod.point_to_vertex.count()),
        ] {
            let place = |error: Error| error.within(name).within_item("lods", sizes.lod);
            self.indices(&block, Below(bound), "indices", place);
        }
    }

    fn selection(&mut self, selection: &Selection<'a>, number: usize, sizes: &Sizes) {
        let place = |error: Error| error.within_item("selections", number).within_item("lods", sizes.lod);
        let (faces, sections, points) = (Below(sizes.faces), Index(sizes.sections), Below(sizes.points));
        self.indices(&selection.faces, faces, "face numbers", |error| place(error.within("faces")));
        for (name, decoded) in [
            ("face_weights", selection.face_weights.map(|block| self.block(&block).map(drop))),
            ("face_offsets", selection.face_offsets.map(|block| self.block(&block).map(drop))),
        ] {
            self.problems.ok(decoded.transpose().within(name).map_err(place));
        }
        let storage = selection.faces.storage();
        let zero = storage.offset.saturating_add(storage.bytes);
        self.zero(selection.unknown, zero, |error| place(error.within("unknown")));
        self.numbers(
            &selection.sections,
            sections,
            |section| section.get().into(),
            "section numbers",
            |error| place(error.within("sections")),
        );
        self.indices(&selection.vertices, points, "point numbers", |error| place(error.within("vertices")));
        let weights = self.block(&selection.weights).within("weights").map_err(place);
        self.problems.ok(weights);
        if selection.weights.count() > 0 {
            let even = check_count(&selection.weights, selection.vertices.count());
            self.problems.ok(even.within("weights").map_err(place));
        }
    }

    /// Adds a block of numbers to the facts; when looking deep, holds them to a rule.
    fn numbers<T: Element, R: Rule>(
        &mut self,
        block: &Block<'a, T>,
        rule: R,
        number: impl Fn(&T) -> R::Value + Clone,
        what: &str,
        place: impl Fn(Error) -> Error,
    ) {
        let decoded = self.block(block).map_err(&place);
        if let Some(numbers) = self.problems.ok(decoded).flatten() {
            Check::new(rule).array(block, numbers.iter().map(number)).tell(what, self.problems, place);
        }
    }

    /// The same of numbers of either width.
    fn indices(&mut self, block: &IndexBlock<'a>, rule: Below, what: &str, place: impl Fn(Error) -> Error) {
        match block {
            Indices::U16(block) => self.numbers(block, rule, |index| index.get().into(), what, place),
            Indices::U32(block) => self.numbers(block, rule, |index| index.get().into(), what, place),
        }
    }

    /// Indices between the lists of a LOD.
    fn parts(&mut self, lod: &Lod<'a>, sizes: &Sizes) {
        let place = |error: Error| error.within_item("lods", sizes.lod);
        let mut selections = Check::new(IndexOrNone(sizes.selections));
        let mut sections = Check::new(IndexOrNone(sizes.sections));
        let mut bones = Check::new(IndexOrNone(sizes.skeleton));
        for (proxy, Span { offset, .. }) in lod.proxies.spanned() {
            selections.next(offset, proxy.selection.into());
            sections.next(offset, proxy.section.unwrap_or(-1).into());
            bones.next(offset, proxy.bone.unwrap_or(-1).into());
        }
        selections.tell("selections", self.problems, |error| place(error.within("proxies")));
        sections.tell("sections", self.problems, |error| place(error.within("proxies")));
        bones.tell("bones", self.problems, |error| place(error.within("proxies")));
        let check = Check::new(Below(sizes.skeleton)).array(&lod.bones, lod.bones.iter().map(|bone| bone.get().into()));
        check.tell("bones", self.problems, |error| place(error.within("bones")));
        self.bone_links(lod, sizes);
        for (number, (frame, Span { offset, .. })) in lod.frames.spanned().enumerate() {
            let place = |error: Error| place(error.within("positions").within_item("frames", number));
            if frame.positions.len() as u64 != sizes.points {
                let message = format!("{} positions for {} points", frame.positions.len(), sizes.points);
                self.problems.warning(&place(Error::malformed(message).at(offset)));
            }
            let numbers = frame.positions.iter().map(|position| Numbers(position.to_array()));
            Check::new(Finite).array(&frame.positions, numbers).tell("positions", self.problems, place);
        }
        for (number, (material, Span { offset, .. })) in lod.materials.spanned().enumerate() {
            self.codes(&material, |error| place(error.at(offset).within_item("materials", number)));
            let count = material.transforms.len() as u64;
            if material.kind == 8 && count == 0 {
                // Some writers of this kind leave the transforms out.
                continue;
            }
            let stages = material.stages.len() as u64;
            if matches!(material.kind, 9..=11) && count != stages {
                let error = Error::malformed(format!("{count} transforms for {stages} stages")).at(offset);
                self.problems.warning(&place(error.within("transforms").within_item("materials", number)));
            }
            let mut check = Check::new(Below(count));
            for transform in material.all_stages().filter_map(|stage| stage.transform) {
                check.next(offset, transform.into());
            }
            check.tell("transforms", self.problems, |error| place(error.within_item("materials", number)));
        }
    }

    /// The way from the skeleton to the bones of a LOD, which is that back.
    fn bone_links(&mut self, lod: &Lod<'a>, sizes: &Sizes) {
        let place = |error: Error| lod_error(sizes, error.within("bone_links"));
        if lod.bone_links.is_empty() {
            return;
        }
        if lod.bone_links.len() as u64 != sizes.skeleton {
            let message = format!("{} bone links for {} bones", lod.bone_links.len(), sizes.skeleton);
            self.problems.error(&place(Error::malformed(message).at(lod.bone_links.offset())));
        }
        let mut inside = Check::new(Below(sizes.bones));
        let mut back = Check::new(Broken::new(Code::Suspicious, "not to a place of their bone"));
        let mut met = 0_u64;
        for (number, links) in lod.bone_links.iter().enumerate() {
            inside.list(("bone_links", number), &links, links.iter().map(|link| link.get().into()));
            met = met.saturating_add(links.len() as u64);
            for link in links.iter() {
                // One that points nowhere is told of above.
                let bone = lod.bones.get(link.get() as usize);
                back.look(links.offset(), link.get(), bone.is_none_or(|bone| bone.get() as usize == number));
            }
        }
        inside.tell("bones", self.problems, place);
        back.tell("links", self.problems, place);
        if met != sizes.bones {
            let message = format!("{met} links to {} bones", sizes.bones);
            self.problems.warning(&place(Error::malformed(message).at(lod.bone_links.offset())));
        }
    }

    /// Codes of a material that have no meaning.
    fn codes(&mut self, material: &Material<'a>, place: impl Fn(Error) -> Error) {
        self.code("pixel_shader", &material.pixel_shader, &place);
        self.code("vertex_shader", &material.vertex_shader, &place);
        self.code("main_light", &material.main_light, &place);
        self.code("fog_mode", &material.fog_mode, &place);
        for (number, stage) in material.stages.iter().enumerate() {
            self.code("filter", &stage.filter, |error| place(error.within_item("stages", number)));
        }
        if let Some(stage) = material.thermal_stage {
            self.code("filter", &stage.filter, |error| place(error.within("thermal_stage")));
        }
        let mut sources = Check::new(Broken::new(Code::UnknownCode, "without a meaning"));
        for transform in material.transforms.iter() {
            let source = transform.uv_source();
            sources.look(material.transforms.offset(), source.0, source.name().is_some());
        }
        sources.tell("sources of coordinates", self.problems, |error| place(error.within("transforms")));
    }

    fn faces(&mut self, lod: &Lod<'a>, sizes: &Sizes) {
        let place = |error: Error| error.within_item("lods", sizes.lod);
        self.zero(lod.faces.unknown().map(u32::from), lod.faces.offset().saturating_sub(2), |error| {
            place(error.within("unknown").within("face_block"))
        });
        let bounds = match lod.faces.sound_bounds(sizes.points) {
            Some(bounds) => bounds,
            None => match self.bounds_of_each(lod, sizes) {
                Ok(bounds) => bounds,
                Err(error) => return self.problems.error(&place(error)),
            },
        };
        let mut textures = Check::new(IndexOrNone(lod.textures.len() as u64));
        let mut materials = Check::new(IndexOrNone(lod.materials.len() as u64));
        let mut bones = Check::new(AtMost(sizes.bones));
        let mut starts = Check::new(Broken::new(Code::Order, "not where the one before ends"));
        let mut ranges = Check::new(WholeFaces(&bounds));
        let mut end = 0;
        for (section, Span { offset, .. }) in lod.sections.spanned() {
            let Section { start, texture, material, min_bone, bone_count, .. } = section;
            textures.next(offset, texture.into());
            if !lod.faces.has_units() {
                // Neither what sections of version 7 count in nor what they call a material is known.
                continue;
            }
            materials.next(offset, material.unwrap_or(-1).into());
            bones.next(offset, u64::from(min_bone.unwrap_or(0)).saturating_add(bone_count.unwrap_or(0).into()));
            starts.look(offset, Start { at: start, expected: end }, start == end);
            end = section.end;
            ranges.next(offset, MemoryRange { start, end });
        }
        let place = |error: Error| place(error.within("sections"));
        textures.tell("textures", self.problems, place);
        materials.tell("materials", self.problems, place);
        bones.tell("last bones", self.problems, place);
        starts.tell("sections", self.problems, place);
        ranges.tell("sections", self.problems, place);
        if end != lod.faces.memory_byte_len() && !lod.sections.is_empty() && lod.faces.has_units() {
            let message = format!("sections end at {end}, faces at {}", lod.faces.memory_byte_len());
            self.problems.warning(&place(Error::malformed(message).at(lod.sections.offset())));
        }
    }

    /// Where each face begins in the game's memory, and where the last ends; tells of corners at no point.
    fn bounds_of_each(&mut self, lod: &Lod<'a>, sizes: &Sizes) -> Result<Vec<u32>> {
        let mut bounds = vec![0];
        let mut points = Check::new(Below(sizes.points));
        let mut broken = Ok(());
        for (number, face) in lod.faces.iter().enumerate() {
            match face {
                Ok(face) => {
                    let corners = face.corners.iter().map(u64::from);
                    points.list(("faces", number), lod.faces.offset(), corners);
                    bounds.extend(bounds.last().map(|start: &u32| start.saturating_add(face.memory_byte_len())));
                }
                Err(error) => broken = Err(error),
            }
        }
        points.tell("point numbers", self.problems, |error| lod_error(sizes, error.within("faces")));
        broken.map(|()| bounds)
    }

    /// What the tables repeat of a LOD.
    fn face_default(&mut self, entry: &LodEntry, lod: &Lod<'_>) {
        let Some((number, default, Span { offset, .. })) = self.model.header.face_default(entry.index) else { return };
        let mut same = |name: &'static str, told: i64, is: i64| {
            if told != is {
                let error = Error::malformed(format!("{told}, the LOD has {is}")).at(offset);
                self.problems.warning(&error.within(name).within_item("face_defaults", number));
            }
        };
        same("faces", default.faces.into(), i64::try_from(lod.faces.len()).unwrap_or(i64::MAX));
        if !self.deep {
            return;
        }
        same("color", default.color.into(), lod.color.into());
        same("special", default.special.into(), lod.special.cast_signed().into());
        same("or_hints", default.or_hints.into(), lod.or_hints.into());
        same("has_skeleton", default.has_skeleton.into(), u8::from(!lod.bones.is_empty()).into());
        same("points", default.points.unwrap_or(lod.point_count).into(), lod.point_count.into());
        // No number in some files of the game.
        let areas = default.face_area.zip(lod.face_area).filter(|(told, is)| told != is && !told.is_nan());
        if let Some((told, is)) = areas {
            same("face_area", told.to_bits().into(), is.to_bits().into());
        }
    }

    /// Adds a block to the facts; decodes it when looking deep.
    fn block<'b, T: Element>(&mut self, block: &Block<'b, T>) -> Result<Option<Decoded<'b, T>>> {
        self.blocks.add(block.storage(), block.decoded_byte_len());
        self.deep.then(|| self.problems.budget().decode(block)).transpose()
    }
}

/// Looks for the place of a field.
struct FieldPlace<'n> {
    name: &'n str,
    found: Option<u64>,
}

impl Visitor for FieldPlace<'_> {
    fn stored(&mut self, field: &StoredField, _: Value<'_>) {
        if field.name == self.name {
            self.found = self.found.or(Some(field.span.offset));
        }
    }

    fn problem(&mut self, _: &Error) {}
}

/// Where a section starts, in bytes of the game's memory, and where it is expected to.
#[derive(Clone, Copy)]
struct Start {
    at: u32,
    expected: u32,
}

impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} instead of {}", self.at, self.expected)
    }
}

/// The faces of a section, in bytes of the game's memory.
#[derive(Clone, Copy)]
struct MemoryRange {
    start: u32,
    end: u32,
}

impl fmt::Display for MemoryRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} to {}", self.start, self.end)
    }
}

/// A section begins and ends where faces do: at one of these places.
struct WholeFaces<'e>(&'e [u32]);

impl Rule for WholeFaces<'_> {
    type Value = MemoryRange;

    fn code(&self) -> Code {
        Code::Range
    }

    fn holds(&self, MemoryRange { start, end }: MemoryRange) -> bool {
        let is_bound = |byte: u32| self.0.binary_search(&byte).is_ok();
        is_bound(start) && is_bound(end) && start <= end
    }

    fn words(&self) -> Cow<'static, str> {
        "not of whole faces".into()
    }
}
