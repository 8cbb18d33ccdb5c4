//! What can be wrong with a model, and the facts that fall out of looking: spec section 12.

use std::fmt;

mod vertices;

use super::vertex::check_count;
use super::{Animations, IndexBlock, Indices, Lod, LodEntry, Material, Model, ModelInfo, Selection};
use crate::budget::Decoded;
use crate::check::{self, AtMost, Below, Broken, Check, Finite, Index, IndexOrNone, Numbers, Rule};
use crate::error::{Context as _, Error, Result};
use crate::inspect::{Depth, Span};
use crate::summary::{Blocks, Code, Problems, Reference, ReferenceKind, References};
use crate::view::{Block, Element, Packing};

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
    items: u64,
    bones: u64,
}

impl<'s, 'a> Survey<'s, 'a> {
    pub(super) fn new(model: &'s Model<'a>, depth: Depth, problems: &'s mut Problems) -> Self {
        let (counted, blocks) = Default::default();
        let references = References::new(&model.context.limits);
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
            match self.model.lod(entry.index).transpose() {
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
        if let Some(info) = &self.model.header.info {
            self.info(info);
        }
        if let Some(animations) = self.model.animations().filter(|_| self.deep) {
            self.animations(animations);
        }
    }

    /// What follows the LODs: no LOD depends on it.
    fn trailer(&mut self) {
        let Some((trailer, result, rest)) = self.model.read_trailer() else { return };
        if let Err(error) = &result {
            self.problems.warning(error);
        } else if !rest.is_empty() {
            let place = if trailer.is_some() { "the trailer" } else { "the last LOD" };
            let bytes = if rest.left() == 1 { "byte" } else { "bytes" };
            self.problems.warning(&rest.error(format!("{} {bytes} after {place}", rest.left())));
        }
    }

    fn info(&mut self, info: &ModelInfo<'a>) {
        let masses = self.block(&info.masses);
        self.problems.ok(masses.within("masses").within("info"));
        let ends = [info.bbox_min, info.bbox_max].into_iter().map(Numbers);
        let check = Check::new(Finite).array(info.span.offset, ends);
        check.tell("corners of the box", self.problems, |error| error.within("info"));
        let lods = self.model.lod_count() as u64;
        for (offset, (name, lod)) in (info.special_lods.offset..).zip(info.special_lods.iter()) {
            // A negative one stands for none.
            if lod >= 0 {
                check::one(Index(lods), lod.into(), offset, self.problems, |error| error.within(name).within("info"));
            }
        }
    }

    fn bone_count(&self) -> u64 {
        self.model.header.info.map_or(0, |info| info.bone_count() as u64)
    }

    fn animations(&mut self, animations: &Animations<'a>) {
        let (count, bones) = (animations.list.len() as u64, self.bone_count());
        let lods = self.model.lod_count();
        if animations.by_bone.len() != lods && count > 0 {
            let message = format!("animations of {} LODs in a model of {lods}", animations.by_bone.len());
            self.problems.warning(&Error::malformed(message).at(animations.by_bone.offset()));
        }
        for (lod, of_bones) in animations.by_bone.iter().enumerate() {
            let mut check = Check::new(Below(count));
            for (bone, list) in of_bones.iter().enumerate() {
                check.list(("bones", bone), &list, list.iter().map(|index| index.get().into()));
            }
            check.tell("animations", self.problems, |error| error.within_item("bones_to_animations", lod));
        }
        for (lod, axes) in animations.axes.iter().enumerate() {
            let mut check = Check::new(IndexOrNone(bones));
            axes.iter().for_each(|axis| check.next(axes.offset(), axis.bone.into()));
            check.tell("bones", self.problems, |error| error.within_item("animations_to_bones", lod));
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
            items: lod.items.len() as u64,
            bones: self.bone_count(),
        };
        self.count(lod);
        for proxy in &lod.proxies {
            self.references.add(ReferenceKind::Proxy, proxy.model);
        }
        for texture in &lod.textures {
            self.references.add(ReferenceKind::Texture, texture);
        }
        for material in &lod.materials {
            self.material(&material);
        }
        for section in &lod.sections {
            if let Some(name) = section.material_name {
                self.references.add(ReferenceKind::Material, name);
            }
        }
        if let Some(flags) = lod.point_flags.and_then(|flags| flags.block()) {
            let decoded = self.block(&flags);
            self.problems.ok(decoded.within("point_flags").within_item("lods", index));
        }
        self.edges(lod, &sizes);
        for (number, selection) in lod.selections.iter().enumerate() {
            self.selection(&selection, number, &sizes);
        }
        if self.deep {
            self.parts(lod, &sizes);
            self.faces(lod, &sizes);
        }
        self.face_default(entry, lod);
        match lod.vertex_table() {
            Ok(table) => self.vertices(lod, &table, &sizes),
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

    fn material(&mut self, material: &Material<'_>) {
        self.references.add(ReferenceKind::Material, material.name);
        if let Some(surface) = material.surface {
            self.references.add(ReferenceKind::Surface, surface);
        }
        for stage in material.all_stages() {
            self.references.add(ReferenceKind::Texture, stage.texture);
        }
    }

    fn edges(&mut self, lod: &Lod<'a>, sizes: &Sizes) {
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
        if let Some(details) = &selection.face_details {
            let weights = self.block(&details.weights).within("face_weights").map_err(place);
            self.problems.ok(weights);
            let offsets = self.block(&details.offsets).within("face_offsets").map_err(place);
            self.problems.ok(offsets);
        }
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
        let mut bones = Check::new(IndexOrNone(sizes.bones));
        for (proxy, Span { offset, .. }) in lod.proxies.placed() {
            selections.next(offset, proxy.selection.into());
            sections.next(offset, proxy.section.into());
            bones.next(offset, proxy.bone.into());
        }
        selections.tell("selections", self.problems, |error| place(error.within("proxies")));
        sections.tell("sections", self.problems, |error| place(error.within("proxies")));
        bones.tell("bones", self.problems, |error| place(error.within("proxies")));
        let items = lod.items.iter().map(|bone| bone.get().into());
        let check = Check::new(Below(sizes.bones)).array(&lod.items, items);
        check.tell("bones", self.problems, |error| place(error.within("items")));
        if !lod.bone_links.is_empty() && lod.bone_links.len() as u64 != sizes.bones {
            let message = format!("{} bone links for {} bones", lod.bone_links.len(), sizes.bones);
            let error = Error::malformed(message).at(lod.bone_links.offset());
            self.problems.error(&error.within_item("lods", sizes.lod));
        }
        let mut check = Check::new(Below(sizes.items));
        for (number, links) in lod.bone_links.iter().enumerate() {
            check.list(("bone_links", number), &links, links.iter().map(|item| item.get().into()));
        }
        check.tell("items", self.problems, |error| place(error.within("bone_links")));
        for (number, (material, Span { offset, .. })) in lod.materials.placed().enumerate() {
            let count = material.transforms.len() as u64;
            if material.kind == 8 && count == 0 {
                // Some writers of this kind leave the transforms out.
                continue;
            }
            let mut check = Check::new(Below(count));
            for transform in material.all_stages().filter_map(|stage| stage.transform) {
                check.next(offset, transform.into());
            }
            check.tell("transforms", self.problems, |error| place(error.within_item("materials", number)));
        }
    }

    fn faces(&mut self, lod: &Lod<'a>, sizes: &Sizes) {
        let place = |error: Error| error.within_item("lods", sizes.lod);
        // Where each face begins in the game's memory, and where the last ends.
        let mut edges = vec![0];
        let mut points = Check::new(Below(sizes.points));
        let mut broken = None;
        for (number, face) in lod.faces.iter().enumerate() {
            match face {
                Ok(face) => {
                    let corners = face.corners.iter().map(u64::from);
                    points.list(("faces", number), lod.faces.offset(), corners);
                    edges.extend(edges.last().map(|start: &u32| start.saturating_add(face.memory_bytes())));
                }
                Err(error) => broken = Some(error),
            }
        }
        points.tell("point numbers", self.problems, |error| place(error.within("faces")));
        if let Some(error) = broken {
            return self.problems.error(&place(error));
        }
        let mut textures = Check::new(IndexOrNone(lod.textures.len() as u64));
        let mut materials = Check::new(IndexOrNone(lod.materials.len() as u64));
        let mut items = Check::new(AtMost(sizes.items));
        let mut starts = Check::new(Broken::new(Code::Order, "not where the one before ends"));
        let mut ranges = Check::new(WholeFaces(&edges));
        let mut end = 0;
        for (section, Span { offset, .. }) in lod.sections.placed() {
            textures.next(offset, section.texture().into());
            if !lod.faces.has_units() {
                // Neither what sections of version 7 count in nor what they call a material is known.
                continue;
            }
            materials.next(offset, section.material().into());
            items.next(offset, u64::from(section.min_bone()).saturating_add(section.bone_count().into()));
            let units = section.units();
            starts.look(offset, Start { at: units.start, expected: end }, units.start == end);
            ranges.next(offset, Units { start: units.start, end: units.end });
            end = units.end;
        }
        let place = |error: Error| place(error.within("sections"));
        textures.tell("textures", self.problems, place);
        materials.tell("materials", self.problems, place);
        items.tell("last items", self.problems, place);
        starts.tell("sections", self.problems, place);
        ranges.tell("sections", self.problems, place);
        if end != lod.faces.memory_bytes && !lod.sections.is_empty() && lod.faces.has_units() {
            let message = format!("sections end at {end}, faces at {}", lod.faces.memory_bytes);
            self.problems.warning(&place(Error::malformed(message).at(lod.sections.offset())));
        }
    }

    fn face_default(&mut self, entry: &LodEntry, lod: &Lod<'_>) {
        let faces = lod.faces.len();
        if let Some(default) = entry.face_default.filter(|default| default.faces.get() as usize != faces) {
            let message = format!("face default of {} faces for {faces}", default.faces);
            let offset = self.model.header.face_defaults.map_or(0, |defaults| defaults.offset());
            let error = Error::malformed(message).at(offset);
            self.problems.warning(&error.within_item("lods", entry.index));
        }
    }

    /// Adds a block to the facts; decodes it when looking deep.
    fn block<'b, T: Element>(&mut self, block: &Block<'b, T>) -> Result<Option<Decoded<'b, T>>> {
        let blocks = &mut self.blocks;
        let add = |sum: &mut u64, more: u64| *sum = sum.saturating_add(more);
        match block.packing() {
            Packing::InPlace => add(&mut blocks.stored, u64::from(block.count() > 0)),
            _ => {
                add(&mut blocks.packed, 1);
                add(&mut blocks.packed_bytes, block.stored_bytes());
                add(&mut blocks.unpacked_bytes, block.unpacked_bytes());
            }
        }
        self.deep.then(|| self.problems.budget().decode(block)).transpose()
    }
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
struct Units {
    start: u32,
    end: u32,
}

impl fmt::Display for Units {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} to {}", self.start, self.end)
    }
}

/// A section begins and ends where faces do: at one of these places.
struct WholeFaces<'e>(&'e [u32]);

impl Rule for WholeFaces<'_> {
    type Value = Units;

    fn code(&self) -> Code {
        Code::Range
    }

    fn holds(&self, Units { start, end }: Units) -> bool {
        let is_edge = |unit: u32| self.0.binary_search(&unit).is_ok();
        is_edge(start) && is_edge(end) && start <= end
    }
}

impl fmt::Display for WholeFaces<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not of whole faces")
    }
}
