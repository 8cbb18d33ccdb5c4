//! What can be wrong with a model, and the facts that fall out of looking: spec section 12.

use std::borrow::Cow;

mod vertices;

use super::vertex::check_count;
use super::{Animations, Decoded, IndexBlock, Indices, Lod, LodEntry, Material, Model, ModelInfo, Selection};
use crate::error::{Context as _, Error, Result};
use crate::inspect::Span;
use crate::summary::{Blocks, Problems, ReferenceKind, References};
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

/// One look at everything: always at the structure, on request at every element of every array too.
pub(super) struct Survey<'s, 'a> {
    model: &'s Model<'a>,
    deep: bool,
    problems: &'s mut Problems,
    pub(super) counted: Counted,
    pub(super) references: References,
    pub(super) blocks: Blocks,
    /// Whether every LOD could be read.
    pub(super) is_whole: bool,
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
    pub(super) fn new(model: &'s Model<'a>, deep: bool, problems: &'s mut Problems) -> Self {
        let (counted, references, blocks) = Default::default();
        Self { model, deep, problems, counted, references, blocks, is_whole: true }
    }

    pub(super) fn run(mut self) -> Self {
        self.header();
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
        self
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
        if !info.has_box() {
            let error = Error::malformed("box with a bound that is no number").at(info.span.offset);
            self.problems.warning(&error.within("info"));
        }
        let lods = self.model.lod_count() as u64;
        for (offset, (name, lod)) in (info.special_lods.offset..).zip(info.special_lods.iter()) {
            if u64::try_from(lod).is_ok_and(|lod| lod >= lods) {
                self.outside("LOD", lod.into(), lods, offset, |error| error.within(name).within("info"));
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
            for list in &of_bones {
                for index in list {
                    self.index("animation", index.get().into(), count, list.offset(), |error| {
                        error.within_item("bones_to_animations", lod)
                    });
                }
            }
        }
        for (lod, axes) in animations.axes.iter().enumerate() {
            for axis in axes.iter() {
                self.optional("bone", axis.bone.into(), bones, axes.offset(), |error| {
                    error.within_item("animations_to_bones", lod)
                });
            }
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
            self.tell(&sizes, decoded.within("point_flags"));
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
        let place = |error: Error, name| error.within(name).within_item("lods", sizes.lod);
        for (name, block, bound) in [
            ("point_to_vertex", lod.point_to_vertex, sizes.points),
            ("vertex_to_point", lod.vertex_to_point, lod.point_to_vertex.count()),
        ] {
            let elements = self.indices(&block).map_err(|error| place(error, name));
            for element in self.problems.ok(elements).flatten().iter().flat_map(|elements| elements.iter()) {
                self.index("element", element.into(), bound, block.offset(), |error| place(error, name));
            }
        }
    }

    fn selection(&mut self, selection: &Selection<'a>, number: usize, sizes: &Sizes) {
        let place = |error: Error| error.within_item("selections", number).within_item("lods", sizes.lod);
        let faces = self.indices(&selection.faces).map_err(place);
        for face in self.problems.ok(faces).flatten().iter().flat_map(|faces| faces.iter()) {
            self.index("face", face.into(), sizes.faces, selection.faces.offset(), place);
        }
        if let Some(details) = &selection.face_details {
            let weights = self.block(&details.weights).map_err(place);
            self.problems.ok(weights);
            let offsets = self.block(&details.offsets).map_err(place);
            self.problems.ok(offsets);
        }
        let sections = self.block(&selection.sections).map_err(place);
        for section in self.problems.ok(sections).flatten().iter().flat_map(|sections| sections.iter()) {
            self.index("section", section.get().into(), sizes.sections, selection.sections.offset(), place);
        }
        let vertices = self.indices(&selection.vertices).map_err(place);
        for vertex in self.problems.ok(vertices).flatten().iter().flat_map(|vertices| vertices.iter()) {
            self.index("point", vertex.into(), sizes.points, selection.vertices.offset(), place);
        }
        let weights = self.block(&selection.weights).map_err(place);
        self.problems.ok(weights);
        if selection.weights.count() > 0 {
            let even = check_count(&selection.weights, selection.vertices.count());
            self.problems.ok(even.within("weights").map_err(place));
        }
    }

    /// Indices between the lists of a LOD.
    fn parts(&mut self, lod: &Lod<'a>, sizes: &Sizes) {
        let place = |list, number| move |error: Error| error.within_item(list, number).within_item("lods", sizes.lod);
        for (number, (proxy, Span { offset, .. })) in lod.proxies.placed().enumerate() {
            let place = place("proxies", number);
            self.optional("selection", proxy.selection.into(), sizes.selections, offset, place);
            self.optional("section", proxy.section.into(), sizes.sections, offset, place);
            self.optional("bone", proxy.bone.into(), sizes.bones, offset, place);
        }
        for (number, bone) in lod.items.iter().enumerate() {
            self.index("bone", bone.get().into(), sizes.bones, lod.items.offset(), place("items", number));
        }
        if !lod.bone_links.is_empty() && lod.bone_links.len() as u64 != sizes.bones {
            let message = format!("{} bone links for {} bones", lod.bone_links.len(), sizes.bones);
            let error = Error::malformed(message).at(lod.bone_links.offset());
            self.problems.error(&error.within_item("lods", sizes.lod));
        }
        for (number, links) in lod.bone_links.iter().enumerate() {
            for item in links {
                let place = place("bone_links", number);
                self.index("item", item.get().into(), sizes.items, links.offset(), place);
            }
        }
        for (number, (material, Span { offset, .. })) in lod.materials.placed().enumerate() {
            let transforms = material.transforms.len() as u64;
            if material.kind == 8 && transforms == 0 {
                // Some writers of this kind leave the transforms out.
                continue;
            }
            for transform in material.all_stages().filter_map(|stage| stage.transform) {
                self.index("transform", transform.into(), transforms, offset, place("materials", number));
            }
        }
    }

    fn faces(&mut self, lod: &Lod<'a>, sizes: &Sizes) {
        let place = |error: Error| error.within_item("lods", sizes.lod);
        // Where each face begins in the game's memory, and where the last ends.
        let mut edges = vec![0];
        for (number, face) in lod.faces.iter().enumerate() {
            let Some(face) = self.problems.ok(face.map_err(place)) else { return };
            for corner in face.corners.iter() {
                self.index("point", corner.into(), sizes.points, lod.faces.offset(), |error| {
                    place(error.within_item("faces", number))
                });
            }
            edges.extend(edges.last().map(|start: &u32| start.saturating_add(face.memory_bytes())));
        }
        let (textures, materials) = (lod.textures.len() as u64, lod.materials.len() as u64);
        let mut end = 0;
        for (number, (section, Span { offset, .. })) in lod.sections.placed().enumerate() {
            let place = |error: Error| place(error.within_item("sections", number));
            self.optional("texture", section.texture().into(), textures, offset, place);
            if !lod.faces.has_units() {
                // Neither what sections of version 7 count in nor what they call a material is known.
                continue;
            }
            self.optional("material", section.material().into(), materials, offset, place);
            let last = u64::from(section.min_bone()).saturating_add(section.bone_count().into());
            if last > sizes.items {
                self.outside("item", last.cast_signed(), sizes.items, offset, place);
            }
            let units = section.units();
            if units.start != end {
                let message = format!("faces from {} on, where {end} was expected", units.start);
                self.problems.warning(&place(Error::malformed(message).at(offset)));
            }
            end = units.end;
            let is_edge = |unit: u32| edges.binary_search(&unit).is_ok();
            if !is_edge(units.start) || !is_edge(units.end) || units.end < units.start {
                let message = format!("faces from {} to {}, where none begin", units.start, units.end);
                self.problems.error(&place(Error::malformed(message).at(offset)));
            }
        }
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
    fn block<'b, T: Element>(&mut self, block: &Block<'b, T>) -> Result<Option<Cow<'b, [T]>>> {
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
        self.deep.then(|| block.decode()).transpose()
    }

    /// The same of numbers of either width.
    fn indices<'b>(&mut self, block: &IndexBlock<'b>) -> Result<Option<Decoded<'b>>> {
        Ok(match block {
            Indices::U16(block) => self.block(block)?.map(Indices::U16),
            Indices::U32(block) => self.block(block)?.map(Indices::U32),
        })
    }

    /// Checks an index that may be -1 for none.
    fn optional(&mut self, what: &str, index: i64, count: u64, offset: u64, place: impl FnOnce(Error) -> Error) {
        if index != -1 {
            self.index(what, index, count, offset, place);
        }
    }

    fn index(&mut self, what: &str, index: i64, count: u64, offset: u64, place: impl FnOnce(Error) -> Error) {
        if u64::try_from(index).is_ok_and(|index| index < count) {
            return;
        }
        self.outside(what, index, count, offset, place);
    }

    #[cold]
    fn outside(&mut self, what: &str, index: i64, count: u64, offset: u64, place: impl FnOnce(Error) -> Error) {
        self.problems.error(&place(Error::malformed(format!("{what} {index} of {count}")).at(offset)));
    }
}
