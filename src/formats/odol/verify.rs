//! What can be wrong with a model, and the facts that fall out of looking.

use std::collections::HashSet;

mod lod;
mod vertices;

use super::header::Facts;
use super::{Animations, Model, ModelInfo, Skeleton, Trailer};
use crate::base::code::Code;
use crate::base::error::{Context as _, Error};
use crate::base::span::Span;
use crate::blocks::{Block, Decoded};
use crate::bytes::{Element, Table as _};
use crate::check::{self, Below, Broken, Check, Finite, Index, IndexOrNone, Numbers, Rule as _};
use crate::inspect::Depth;
use crate::outline::{Outline, StoredField, Value, Visitor};
use crate::record::{Read as _, Record as _, Stored};
use crate::summary::{Blocks, Problems, Reference, References};

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
            self.problems.warning(&Error::trailing(rest.left(), place).at(rest.offset()));
        }
    }

    fn info(&mut self, info: &ModelInfo<'a>) {
        self.block(&info.masses, |error| error.within("masses").within("info"));
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
            self.info_code("map_type", &info.map_type);
            if let Some(source) = &info.shadow_source {
                self.info_code("shadow_source", source);
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
        let _ = Facts::walk_fields(&mut cursor, header.lods(self.model.layout), &mut Outline::new(&mut place));
        place.found.unwrap_or(header.facts_span.offset)
    }

    fn info_code(&mut self, name: &'static str, code: &impl Stored) {
        if code.unknown_code().is_some() {
            let offset = self.place_of(name);
            self.code(name, code, |error| error.at(offset).within("info"));
        }
    }

    /// Tells of a code without a meaning.
    fn code(&mut self, name: &'static str, code: &impl Stored, place: impl Fn(Error) -> Error) {
        if let Some(number) = code.unknown_code() {
            let error = Error::malformed(format!("{number} is unknown")).coded(Code::UnknownCode);
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

    /// Adds a block to the facts; decodes it when looking deep, or tells why it cannot.
    fn block<'b, T: Element>(
        &mut self,
        block: &Block<'b, T>,
        place: impl FnOnce(Error) -> Error,
    ) -> Option<Decoded<'b, T>> {
        self.blocks.add(block.storage(), block.decoded_byte_len());
        let decoded = self.deep.then(|| self.problems.budget().decode(block))?;
        self.problems.ok(decoded.map_err(place))
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
