//! Checks models, and collects the facts of a summary on the way.

use std::collections::{HashMap, HashSet};
use std::iter::zip;

mod lod;
mod tally;
mod vertices;

use super::header::Facts;
use super::{Animations, Bone, Lod, Model, ModelInfo, Skeleton};
use crate::base::amount::Amount;
use crate::base::code::Code;
use crate::base::error::{Context as _, Error};
use crate::base::place::{Locate, Root};
use crate::base::span::Span;
use crate::blocks::{Block, Decoded};
use crate::bytes::{Element, Table as _};
use crate::check::{
    self, AtMost, Below, Broken, Check, Faults, Finite, Index, IndexOrNone, Numbers, Repeated, Rows, Rule,
};
use crate::formats::resolution::VisualLods;
use crate::inspect::{Depth, Inspect as _};
use crate::summary::{Blocks, Problems, References};

/// Returns the numbers of one LOD that are summed over all: vertices, faces, triangles, sections, selections, materials,
/// textures, proxies, properties.
pub(super) fn counted(lod: &Lod<'_>) -> [u64; 9] {
    [
        lod.point_count.into(),
        lod.faces.len() as u64,
        lod.faces.triangle_count(),
        lod.sections.len() as u64,
        lod.selections.len() as u64,
        lod.materials.len() as u64,
        lod.textures.len() as u64,
        lod.proxies.len() as u64,
        lod.properties.len() as u64,
    ]
}

/// One pass over a model. Depending on the depth, it reads only the header, all structures, or every element of every
/// array too.
pub(super) struct Survey<'s, 'a> {
    model: &'s Model<'a>,
    /// True if every element of every array is read too.
    deep: bool,
    pub(super) problems: &'s mut Problems,
    /// The sums of what [`counted`] returns.
    pub(super) counted: [u64; 9],
    /// The visual LODs of those that were read.
    pub(super) visual: VisualLods,
    pub(super) references: References,
    pub(super) blocks: Blocks,
    /// True if every LOD was read.
    pub(super) is_whole: bool,
}

/// Returns the offset of the name of a bone's parent. It follows the bone's own name and its NUL.
fn parent_offset(bone: &Bone<'_>, offset: u64) -> u64 {
    (Amount(offset) + bone.name.len() as u64 + 1).0
}

impl<'s, 'a> Survey<'s, 'a> {
    /// Surveys a model at this depth. Problems go to `problems`; the fields have the facts.
    pub(super) fn of(model: &'s Model<'a>, depth: Depth, problems: &'s mut Problems) -> Self {
        let references = References::new(&model.layout.limits);
        let deep = depth == Depth::Verify;
        let is_whole = depth != Depth::Header;
        let mut survey = Self {
            model,
            deep,
            problems,
            counted: [0; 9],
            visual: VisualLods::default(),
            references,
            blocks: Blocks::default(),
            is_whole,
        };
        survey.header();
        if depth != Depth::Header {
            survey.lods();
        }
        // After the walk over all fields, which decodes the masses ahead.
        if let Some(info) = &model.header.info {
            survey.block(&info.masses, Root.field("info").field("masses"));
        }
        survey
    }

    /// Surveys all LODs, and in a deep survey the bytes between them and the rules of all fields; then the data after
    /// them.
    fn lods(&mut self) {
        for entry in self.model.lods() {
            match self.model.walk_lod(entry.index) {
                Ok(Some((lod, tally))) => self.lod(&entry, &lod, tally),
                // The header is cut short before it: already reported.
                Ok(None) => {}
                Err(error) => {
                    self.is_whole = false;
                    self.problems.error(&error);
                }
            }
        }
        if self.deep {
            if !self.model.version().is_flashpoint() {
                self.places();
            }
            let about = (self.model.byte_len(), &self.model.layout.limits);
            check::fields(about, false, self.problems, |out| self.model.outline(out));
        }
        self.trailer();
    }

    /// Warns about bytes between the header and the LODs, or between LODs.
    ///
    /// Not reported: LODs that are not ordered from the highest to the lowest resolution. The models of armake are not,
    /// and the game loads them.
    fn places(&mut self) {
        let mut entries: Vec<_> = self.model.lods().collect();
        entries.sort_by_key(|entry| entry.start);
        let mut end = self.model.header.end;
        for entry in &entries {
            if !self.model.contains(entry) {
                continue;
            }
            let gap = u64::from(entry.start).saturating_sub(end);
            if gap > 0 {
                let message = format!("{gap} bytes before it belong to nothing");
                self.problems.warning(&Error::malformed(message).at(end).within_item("lods", entry.index));
            }
            end = end.max(entry.end.into());
        }
    }

    /// Checks the header: its end, the facts, and in a deep survey the resolutions and animations.
    fn header(&mut self) {
        if let Err(error) = self.model.whole() {
            self.is_whole = false;
            self.problems.error(&error);
        }
        if let Some(info) = &self.model.header.info {
            self.info(info);
        }
        if !self.deep {
            return;
        }
        if let Some(resolutions) = self.model.header.resolutions {
            let numbers = resolutions.iter().map(|resolution| Numbers([resolution.get()]));
            let check = Check::new(Finite).array(&resolutions, numbers);
            check.report("resolutions", self.problems, Root.field("resolutions"));
        }
        if let Some(animations) = self.model.animations() {
            self.animations(animations);
        }
    }

    /// Checks the data after the LODs. Errors are warnings, because no LOD depends on it.
    fn trailer(&mut self) {
        match self.model.trailer_and_rest() {
            Ok(Some((trailer, rest))) if !rest.is_empty() => {
                let place = if trailer.is_some() { "the trailer" } else { "the last LOD" };
                self.problems.warning(&Error::trailing(rest.left(), place).at(rest.offset()));
            }
            Ok(_) => {}
            Err(error) => self.problems.warning(&error),
        }
    }

    /// Checks the indices of LODs, the inverses and the skeleton in the facts about the model.
    fn info(&mut self, info: &ModelInfo<'a>) {
        let lods = self.model.lod_count() as u64;
        let place = Root.field("info");
        for (name, lod) in info.special_lods.iter() {
            // A negative index means none.
            if lod >= 0 {
                self.fact(Index(lods), lod.into(), name, place.field("special_lods").field(name));
            }
        }
        if !self.deep {
            return;
        }
        if let Some(first) = info.min_shadow {
            self.fact(AtMost(lods), first.into(), "min_shadow", place.field("min_shadow"));
        }
        for (name, value, inverse) in
            [("inverse_mass", info.mass, info.inverse_mass), ("inverse_armor", info.armor, info.inverse_armor)]
        {
            // A product within a thousandth of 1 counts as 1.
            let product = value * inverse;
            if value != 0.0 && product.is_finite() && (product - 1.0).abs() > 1e-3 {
                let rule = Broken::new(Code::OddRange, format!("not 1 / {value}"));
                self.fact(rule, inverse, name, place.field(name));
            }
        }
        if let Some(skeleton) = &info.skeleton {
            self.skeleton(skeleton);
        }
    }

    /// Checks a field of the facts. Looks up its offset only if the value breaks the rule.
    fn fact<R: Rule>(&mut self, rule: R, value: R::Value, name: &str, place: impl Locate) {
        if rule.holds(value) {
            return;
        }
        let header = &self.model.header;
        let start = self.model.data.cursor(header.facts_span.offset);
        let offset = check::offset_of_field::<Facts<'_>, _>(name, start, header.lods_context(self.model.layout));
        check::one(rule, value, offset.unwrap_or(start.offset()), self.problems, place);
    }

    /// Checks that each parent is a bone, that no bone has the name of an earlier one, and that no bone is its own
    /// ancestor.
    fn skeleton(&mut self, skeleton: &Skeleton<'a>) {
        let mut parents = Check::new(Broken::new(Code::Name, "not the name of a bone"));
        let mut names = HashMap::with_capacity(skeleton.bones.len());
        for (index, bone) in skeleton.bones.iter().enumerate() {
            names.insert(bone.name, index);
        }
        let mut twice = Repeated::find(
            skeleton.bones.len(),
            skeleton.bones.iter().map(|bone| bone.name).enumerate(),
            self.problems,
        );
        let mut again = Check::new(Broken::new(Code::Duplicate, "there twice"));
        for (index, (bone, Span { offset, .. })) in skeleton.bones.spanned().enumerate() {
            let parent = parent_offset(&bone, offset);
            parents.look(parent, bone.parent, bone.parent.is_empty() || names.contains_key(&bone.parent));
            again.look(offset, bone.name, twice.first_of(index).is_none());
        }
        let place = Root.field("info").field("skeleton");
        parents.report("parents", self.problems, place.field("bones"));
        again.report("names", self.problems, place.field("bones"));
        // The index of each bone's parent.
        let above: Vec<_> = skeleton.bones.iter().map(|bone| names.get(&bone.parent).copied()).collect();
        if let Some(index) = check::ring(above.len(), self.problems, |index| *above.get(index)?)
            && let Some((bone, span)) = skeleton.bones.spanned().nth(index)
        {
            let error = Error::malformed(format!("{} leads back to the bone itself", bone.parent));
            let error = error.at(parent_offset(&bone, span.offset));
            self.problems.warning(&place.item("bones", index).field("parent").locate(error));
        }
    }

    /// Returns the number of bones in the skeleton, or 0 if the facts were not read.
    fn bone_count(&self) -> u64 {
        match &self.model.header.info {
            Some(info) => info.bone_count() as u64,
            None => 0,
        }
    }

    /// Checks the two lists that relate animations and bones: their lengths, their indices, and that they agree.
    fn animations(&mut self, animations: &Animations<'a>) {
        let count = animations.animations.len() as u64;
        let bones = self.bone_count();
        let lods = self.model.lod_count();
        if animations.bone_animations.len() != lods && count > 0 {
            let message = format!("animations of {} LODs in a model of {lods}", animations.bone_animations.len());
            let offset = animations.bone_animations.offset();
            self.problems.warning(&Error::malformed(message).at(offset).within("bone_animations"));
        }
        for (lod, (of_bones, Span { offset, .. })) in animations.bone_animations.spanned().enumerate() {
            let place = Root.item("bone_animations", lod).field("bones");
            if of_bones.bones.len() as u64 != bones {
                let message = format!("animations of {} bones for a skeleton of {bones}", of_bones.bones.len());
                self.problems.warning(&place.locate(Error::malformed(message).at(offset)));
            }
            let mut check = Check::new(Below(count));
            for (bone, list) in of_bones.bones.iter().enumerate() {
                check.list(("bones", bone), &list, list.iter().map(|index| index.get().into()));
            }
            check.report("animations", self.problems, place);
        }
        for (lod, axes) in animations.animation_axes.iter().enumerate() {
            let place = Root.item("animation_axes", lod);
            let mut check = Check::new(IndexOrNone(bones));
            let mut numbers = Check::new(Finite);
            for (axis, Span { offset, .. }) in axes.spanned() {
                check.next(offset, axis.bone.into());
                let ([x, y, z], [to_x, to_y, to_z]) = axis.position.zip(axis.direction).unwrap_or_default();
                // The bone is the first field.
                numbers.next(offset.saturating_add(4), Numbers([x, y, z, to_x, to_y, to_z]));
            }
            check.report("bones", self.problems, place);
            numbers.report("axes", self.problems, place);
        }
        self.both_ways(animations);
    }

    /// Checks that the list of animations for each bone and the bone of each animation agree.
    fn both_ways(&mut self, animations: &Animations<'a>) {
        let mut wrong = Faults::default();
        for (lod, (of_bones, axes)) in zip(&animations.bone_animations, &animations.animation_axes).enumerate() {
            let pair_count: usize = of_bones.bones.iter().map(|list| list.len()).sum();
            // Reserves 32 bytes of memory for each pair in `listed`.
            let held = self.problems.budget().hold((pair_count as u64).saturating_mul(32));
            let Some(_held) = self.problems.ok(held) else { return };
            // The bone that each animation moves.
            let moved: Vec<i32> = axes.iter().map(|axis| axis.bone).collect();
            let lists_known =
                of_bones.bones.iter().all(|list| list.iter().all(|index| (index.get() as usize) < moved.len()));
            let bones = of_bones.bones.len();
            if !lists_known || moved.iter().any(|bone| usize::try_from(*bone).is_ok_and(|bone| bone >= bones)) {
                // Already reported by the caller.
                continue;
            }
            // Pairs of a bone and an animation that the bone lists.
            let mut listed = HashSet::new();
            for (bone, list) in of_bones.bones.iter().enumerate() {
                for (index, animation) in list.iter().enumerate() {
                    let animation = animation.get();
                    listed.insert((bone, animation));
                    if let Some(moves) = moved.get(animation as usize)
                        && usize::try_from(*moves) != Ok(bone)
                    {
                        let path = [("bone_animations", Some(lod)), ("bones", Some(bone))];
                        let offset = Rows::from(&list).offset_of(index as u64);
                        let message =
                            format_args!("animation {animation} does not move bone {bone} in animation_axes[{lod}]");
                        wrong.add(Code::Suspicious, &path, offset, message);
                    }
                }
            }
            for (animation, (axis, Span { offset, .. })) in zip(0_u32.., axes.spanned()) {
                if let Ok(bone) = usize::try_from(axis.bone)
                    && !listed.contains(&(bone, animation))
                {
                    let row = usize::try_from(animation).ok();
                    let path = [("animation_axes", Some(lod)), ("animations", row), ("bone", None)];
                    let message = format_args!("bone {bone} does not list the animation in bone_animations[{lod}]");
                    wrong.add(Code::Suspicious, &path, offset, message);
                }
            }
        }
        wrong.report(self.problems);
    }

    /// Adds a block to the facts. In a deep survey, decodes it or reports why it cannot be decoded.
    fn block<'b, T: Element>(&mut self, block: &Block<'b, T>, place: impl Locate) -> Option<Decoded<'b, T>> {
        self.blocks.add(block.storage(), block.decoded_byte_len());
        if !self.deep {
            return None;
        }
        let decoded = self.problems.budget().decode(block);
        self.problems.ok_in(place, decoded)
    }
}
