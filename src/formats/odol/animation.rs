//! Bone animations, which are driven by values in the game such as the angle of a rotor.

use std::ops::Range;

use nom::Parser as _;
use zerocopy::little_endian::U32;

use super::codes::{Addressing, AnimationKind};
use super::version::Version;
use crate::base::error::{Context as _, Error, ErrorKind, Result};
use crate::base::span::Span;
use crate::base::text::ByteStr;
use crate::bytes::Table;
use crate::bytes::array::columns;
use crate::bytes::batch::{Batch, Derived};
use crate::bytes::{Cursor, LeArray};
use crate::outline::{Outline, Part, Sink, Type};
use crate::record::list::Item;
use crate::record::parser::{
    cond, count, counted_array, framing, le_bool, le_f32, le_i32, le_u32, length_count, of, text_to_nul, times, verify,
};
use crate::record::{List, Read, Stored, grammar, walk_part};

grammar! {
    /// All animations, and for each LOD the bones that they move.
    Animations<'a>(version: Version) {
        /// True if there are animations; otherwise nothing follows.
        #[label("AnimsExist")] has_animations: bool = framing(le_bool()),
        /// Number of animations.
        #[label("nAnimationClasses")] animation_count: Option<u32> =
            cond(has_animations, verify(framing(le_u32()), |count| at_most(*count, MAX_ANIMATIONS, "animations"))),
        /// The animations. Other parts refer to them by index.
        #[label("AnimationClasses")] animations: List<'a, Animation<'a>, Version> =
            count(Animation::parser(version), animation_count.unwrap_or(0)),
        /// Number of LODs in the next two lists; -1 without animations.
        #[label("NoOfResolutions")] animated_lods: Option<i32> = cond(has_animations, framing(le_i32())),
        /// For each LOD, for each bone of the skeleton, the animations that move it.
        #[label("Bones2Anims")]
        bone_animations: List<'a, BoneAnimations<'a>> = count(BoneAnimations::parser(), lods(animated_lods)),
        /// For each LOD, for each animation, the bone that it moves and the axis.
        #[label("Anims2Bones")]
        animation_axes: AnimationAxes<'a> = count(of(Kinds::of(&animations)), lods(animated_lods)),
    }
}

grammar! {
    /// The animations of all bones in one LOD.
    BoneAnimations<'a> {
        /// For each bone of the skeleton, the animations that move it.
        #[label("NoOfBones, Bone2AnimClassLists, NoOfAnimClasses, AnimationClassIndex")]
        bones: List<'a, LeArray<'a, U32>> = length_count(le_u32(), counted_array()),
    }
}

grammar! {
    /// One animation: a class of the author's `CfgModels`.
    Animation<'a>(version: Version) named name {
        /// The kind of movement.
        #[label("AnimTransformType")] kind: AnimationKind = verify(le_u32().map(AnimationKind), check_kind),
        /// Its name.
        #[label("AnimClassName")] name: ByteStr<'a> = text_to_nul(),
        /// The value that drives it.
        #[label("AnimSource")] source: ByteStr<'a> = text_to_nul(),
        /// Start and end of the movement: the first of two pairs. Readers differ on the order of the pairs: the
        /// document has the driving value first. The pairs are equal in all known files.
        #[label("MinMaxValue")] phase: [f32; 2] = times(le_f32()),
        /// Start and end of the driving value: the second pair.
        #[label("MinMaxPhase")] value: [f32; 2] = times(le_f32()),
        /// Length and start of a period.
        period: Option<[f32; 2]> = cond(version >= 56, times(le_f32())),
        /// How driving values out of range are handled.
        #[label("sourceAddress")] addressing: Addressing = le_u32().map(Addressing),
        /// Start and end of a rotation around an axis, in radians.
        #[label("angle")] angles: Option<[f32; 2]> = cond(kind.0 <= 3, times(le_f32())),
        /// Start and end of a movement along an axis, in meters.
        #[label("offset")] offsets: Option<[f32; 2]> = cond((4..=7).contains(&kind.0), times(le_f32())),
        /// A point of the axis of a direct movement.
        #[label("axisPos")] axis_position: Option<[f32; 3]> = cond(kind.0 == 8, times(le_f32())),
        /// The direction of that axis.
        #[label("axisDir")] axis_direction: Option<[f32; 3]> = cond(kind.0 == 8, times(le_f32())),
        /// Rotation around it, in radians.
        #[label("angle")] angle: Option<f32> = cond(kind.0 == 8, le_f32()),
        /// Movement along it, in meters.
        #[label("axisOffset")] axis_offset: Option<f32> = cond(kind.0 == 8, le_f32()),
        /// Hidden from this phase on.
        #[label("hideValue")] hide_value: Option<f32> = cond(kind.0 == 9, le_f32()),
        /// Hidden up to this phase (unhideValue).
        unhide_value: Option<f32> = cond(kind.0 == 9 && version >= 55, le_f32()),
    }
    // If the pairs differ, their order matters.
    also |animation, out| out.field("pairs_differ", animation.phase != animation.value)
}

grammar! {
    /// The bone and axis of an animation in one LOD.
    crate Axis(has_axis: bool) {
        /// The bone of the skeleton that it moves; -1 if the LOD has none for it.
        #[label("SkeletonBoneNameIndex")] bone: i32,
        /// A point of the axis.
        #[label("axisPos")] position: Option<[f32; 3]> = cond(has_axis && bone != -1, times(le_f32())),
        /// Its direction.
        #[label("axisDir")] direction: Option<[f32; 3]> = cond(has_axis && bone != -1, times(le_f32())),
    }
}

/// For each LOD, the bone of each animation.
pub type AnimationAxes<'a> = List<'a, Axes<'a>, Kinds>;

/// The movement of a bone by an animation.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Motion {
    /// A rotation around an axis, from one angle to another in radians.
    Rotation([f32; 2]),
    /// A movement along an axis, from one offset to another in meters.
    Translation([f32; 2]),
    /// A rotation around and a movement along an axis that the animation stores itself.
    Direct {
        /// A point of the axis.
        position: [f32; 3],
        /// Its direction.
        direction: [f32; 3],
        /// The angle in radians.
        angle: f32,
        /// The offset in meters.
        offset: f32,
    },
    /// Hides the bone's faces.
    Hide {
        /// Hidden from this phase on.
        from: f32,
        /// Hidden up to this phase; from version 55 on.
        to: Option<f32>,
    },
}

impl Animation<'_> {
    /// Returns the movement.
    pub fn motion(&self) -> Motion {
        if let Some(angles) = self.angles {
            return Motion::Rotation(angles);
        }
        if let Some(offsets) = self.offsets {
            return Motion::Translation(offsets);
        }
        if let (Some(position), Some(direction), Some(angle), Some(offset)) =
            (self.axis_position, self.axis_direction, self.angle, self.axis_offset)
        {
            return Motion::Direct { position, direction, angle, offset };
        }
        // Unknown kinds are rejected on reading, so this is hiding.
        Motion::Hide { from: self.hide_value.unwrap_or_default(), to: self.unhide_value }
    }
}

/// Rejects animations of an unknown kind: their length, and so the start of what follows, is unknown too.
fn check_kind(kind: &AnimationKind) -> Result<()> {
    match kind.name() {
        Some(_) => Ok(()),
        None => Err(Error::malformed(format!("animation of kind {}, whose length is unknown", kind.0))),
    }
}

/// The maximum number of animations. Real models have a few dozen.
const MAX_ANIMATIONS: u32 = 2048;

/// Returns an error if a count exceeds a limit that no flag of the program raises. `what` is the counted quantity, in
/// the plural.
pub(super) fn at_most(count: u32, limit: u32, what: &'static str) -> Result<()> {
    match count <= limit {
        true => Ok(()),
        false => Err(Error::new(ErrorKind::Limit { what, limit: limit.into() })),
    }
}

/// Returns the number of LODs in a list from its stored count, or 0 if the count is absent or negative: without
/// animations it is -1.
fn lods(count: Option<i32>) -> u32 {
    u32::try_from(count.unwrap_or(0)).unwrap_or(0)
}

/// The bones and axes of all animations in one LOD, in the order of the animations.
#[derive(Clone, Copy, Debug)]
pub struct Axes<'a> {
    items: Cursor<'a>,
    kinds: Kinds,
}

impl<'a> Axes<'a> {
    /// Returns an iterator over the axes.
    pub fn iter(&self) -> impl Iterator<Item = Axis> + use<'a> {
        self.spanned().map(|(axis, _)| axis)
    }

    /// Returns an iterator over the axes with their locations.
    pub fn spanned(&self) -> impl Iterator<Item = (Axis, Span)> + use<'a> {
        SpannedAxes { indices: 0..self.kinds.count, axes: *self }
    }

    /// Returns their offset, counted from the start of the file.
    pub fn offset(&self) -> u64 {
        self.items.offset()
    }

    /// Returns the number of bytes that they take.
    pub fn byte_len(&self) -> u64 {
        self.items.left()
    }
}

/// The axes that are left, with their locations.
struct SpannedAxes<'a> {
    indices: Range<u32>,
    axes: Axes<'a>,
}

impl Iterator for SpannedAxes<'_> {
    type Item = (Axis, Span);

    fn next(&mut self) -> Option<(Axis, Span)> {
        let has_axis = self.axes.kinds.has_axis(self.indices.next()?);
        let start = self.axes.items.offset();
        let axis = Axis::read(&mut self.axes.items, has_axis).ok()?;
        Some((axis, self.axes.items.since(start)))
    }
}

impl Stored for Axes<'_> {
    // Without animations this list is empty. Its length is then at most that of the list before it, whose items take
    // bytes.
    const TYPE: Type = Type::List(&Type::Record(Axis::SCHEMA), 0);
}

impl<'a> Read<'a, Kinds> for Axes<'a> {
    fn walk(cursor: &mut Cursor<'a>, kinds: Kinds, _: &'static str, _: &mut impl Sink) -> Result<Self> {
        let start = *cursor;
        // Checks the axes and finds their end. `spanned` reads them again.
        for index in 0..kinds.count {
            Axis::read(cursor, kinds.has_axis(index)).within_item("animations", index as usize)?;
        }
        Ok(Self { items: start.up_to(*cursor), kinds })
    }
}

/// An array for each LOD. A dissection shows each axis.
impl<'a> Item<'a, Kinds> for Axes<'a> {
    fn describe_items(list: &List<'a, Self, Kinds>, name: &'static str, out: &mut Outline<'_>) {
        out.list(name);
        for (lod, axes) in list.iter().enumerate() {
            if !out.dissects() {
                out.array_item(name, lod, &axes_table(&axes, axes.kinds.count.into()));
                continue;
            }
            out.part(Part::item(name, lod).spanning(axes.offset(), axes.byte_len()), |out| {
                let mut items = axes.items;
                for index in 0..axes.kinds.count {
                    let part = Part::item("animations", index as usize);
                    let axis = walk_part::<Axis, _, _>(&mut items, axes.kinds.has_axis(index), part, out);
                    // Does not happen: the same axes were read when the list was.
                    if axis.is_err() {
                        break;
                    }
                }
            });
        }
    }
}

/// The animations that have an axis, one bit for each, so that reading the axes of a LOD does not read the animations
/// again.
#[derive(Clone, Copy, Debug)]
pub struct Kinds {
    count: u32,
    with_axis: [u64; MAX_ANIMATIONS as usize / 64],
}

impl Kinds {
    /// Sets the bit of each animation that has an axis.
    pub fn of<'a>(animations: &List<'a, Animation<'a>, Version>) -> Self {
        let mut with_axis = [0; MAX_ANIMATIONS as usize / 64];
        for (index, Animation { kind, .. }) in animations.iter().enumerate() {
            if let Some(word) = with_axis.get_mut(index / 64) {
                // Kinds 0 to 7 are the rotations and translations.
                *word |= u64::from(kind.0 < 8) << (index % 64);
            }
        }
        Self { count: u32::try_from(animations.len()).unwrap_or(u32::MAX), with_axis }
    }

    /// Returns true if the animation at `index` has an axis in each LOD; false if there is no such animation.
    fn has_axis(&self, index: u32) -> bool {
        let word = self.with_axis.get(index as usize / 64).copied().unwrap_or(0);
        (word >> (index % 64)) & 1 == 1
    }
}

/// Returns the bones and axes of all animations in one LOD as a table of one row per animation: the bone, a point of
/// the axis and its direction. The coordinates are NaN if there is no axis.
fn axes_table<'s>(axes: &'s Axes<'_>, animations: u64) -> impl Table + use<'s> {
    Derived {
        rows: animations,
        columns: columns!["bone" I32, "x" F32, "y" F32, "z" F32, "to_x" F32, "to_y" F32, "to_z" F32],
        from: Span { offset: axes.offset(), bytes: axes.byte_len() },
        make: |batch: &mut Batch<'_>| {
            batch.extend(axes.iter().map(|axis| {
                let [[x, y, z], [to_x, to_y, to_z]] =
                    [axis.position, axis.direction].map(|vector| vector.unwrap_or([f32::NAN; 3]).map(f32::to_le_bytes));
                // Seven columns of four bytes.
                Ok(bytemuck::cast::<_, [u8; 28]>([axis.bone.to_le_bytes(), x, y, z, to_x, to_y, to_z]))
            }))
        },
    }
}
