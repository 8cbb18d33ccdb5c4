//! Movements of bones that the game drives by values such as the turn of a rotor: spec section 5.

use nom::Parser;
use nom::combinator::cond;
use nom::number::complete::{le_f32, le_u32};
use zerocopy::little_endian::U32;

use super::codes::{Addressing, AnimationKind};
use super::list::{Item, List};
use super::version::Version;
use crate::error::{Context as _, Error, ErrorKind, Result};
use crate::view::text::cstr;
use crate::view::{ByteStr, Cursor, LeArray, Vec3};

/// All animations, and for each LOD which bone takes part in which.
#[derive(Clone, Copy, Debug)]
pub struct Animations<'a> {
    /// The animations. Other parts name them by their place here.
    pub list: List<'a, Animation<'a>, Version>,
    /// For each LOD, for each bone of the skeleton, the animations that move it.
    pub by_bone: List<'a, List<'a, LeArray<'a, U32>>>,
    /// For each LOD, for each animation, the bone that it moves and around what.
    pub axes: List<'a, Axes<'a>, Kinds>,
}

/// One animation: a class of the author's `CfgModels`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Animation<'a> {
    /// What it does with its bone.
    pub kind: AnimationKind,
    /// Its name.
    pub name: ByteStr<'a>,
    /// The value that drives it.
    pub source: ByteStr<'a>,
    /// Ends of the movement, told by the first of two pairs. Readers differ on which pair is which.
    pub phase: [f32; 2],
    /// Ends of the driving value, told by the second pair.
    pub value: [f32; 2],
    /// Length and start of a period, from version 56 on.
    pub period: Option<[f32; 2]>,
    /// What becomes of driving values outside.
    pub addressing: Addressing,
    /// How far it moves.
    pub motion: Motion,
}

/// How far an animation moves its bone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Motion {
    /// Around an axis, from one angle to another, in radians.
    Rotation([f32; 2]),
    /// Along an axis, from one offset to another.
    Translation([f32; 2]),
    /// Around and along an axis of its own.
    Direct {
        /// A point of the axis.
        position: [f32; 3],
        /// Its direction.
        direction: [f32; 3],
        /// In radians.
        angle: f32,
        /// In metres.
        offset: f32,
    },
    /// Out of sight.
    Hide {
        /// From this phase on.
        from: f32,
        /// Up to this phase, from version 55 on (unhideValue).
        to: Option<f32>,
    },
}

/// What an animation is about in one LOD.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    /// The bone of the skeleton that it moves; -1 where the LOD has none for it.
    pub bone: i32,
    /// A point of the axis and its direction; `None` without a bone, and for the kinds `direct` and `hide`.
    pub axis: Option<[[f32; 3]; 2]>,
}

/// What each animation is about in one LOD, in the order of the animations.
#[derive(Clone, Copy, Debug)]
pub struct Axes<'a> {
    items: Cursor<'a>,
    kinds: Kinds,
}

impl<'a> Axes<'a> {
    /// The animations in order.
    pub fn iter(&self) -> impl Iterator<Item = Axis> + use<'a> {
        let Self { mut items, kinds } = *self;
        (0..kinds.count).map_while(move |index| kinds.read_axis(&mut items, index).ok())
    }

    /// Where they lie, counted from the start of the file.
    pub fn offset(&self) -> u64 {
        self.items.offset()
    }

    /// The bytes they take.
    pub fn bytes(&self) -> u64 {
        self.items.left()
    }
}

impl<'a> Item<'a, Kinds> for Axes<'a> {
    // Without animations there is nothing; the list is then no longer than the one before it, which took bytes.
    const LEAST: u64 = 0;

    fn read(cursor: &mut Cursor<'a>, kinds: Kinds) -> Result<Self> {
        let mut start = *cursor;
        for index in 0..kinds.count {
            kinds.read_axis(cursor, index).within_item("animations", index as usize)?;
        }
        let items = start.split(cursor.offset().saturating_sub(start.offset()))?;
        Ok(Self { items, kinds })
    }
}

/// The most animations; real models have a few dozen.
const MOST: u32 = 2048;

/// Which animations have an axis in each LOD: one bit for each, so that finding the axes of a LOD does not read the
/// animations again.
#[derive(Clone, Copy, Debug)]
pub struct Kinds {
    count: u32,
    with_axis: [u64; MOST as usize / 64],
}

impl Kinds {
    fn of<'a>(list: &List<'a, Animation<'a>, Version>, offset: u64) -> Result<Self> {
        let count = u32::try_from(list.len()).unwrap_or(u32::MAX);
        if count > MOST {
            return Err(Error::new(ErrorKind::Limit { what: "animations", limit: MOST.into(), flag: None }).at(offset));
        }
        let mut with_axis = [0; MOST as usize / 64];
        for (index, animation) in list.iter().enumerate() {
            let has_axis = matches!(animation.motion, Motion::Rotation(_) | Motion::Translation(_));
            if let Some(word) = with_axis.get_mut(index / 64) {
                *word |= u64::from(has_axis) << (index % 64);
            }
        }
        Ok(Self { count, with_axis })
    }

    fn read_axis(&self, cursor: &mut Cursor<'_>, index: u32) -> Result<Axis> {
        let bone = cursor.i32()?;
        let word = self.with_axis.get(index as usize / 64).copied().unwrap_or(0);
        let has_axis = bone != -1 && (word >> (index % 64)) & 1 == 1;
        let axis = has_axis.then(|| cursor.read::<[Vec3; 2]>()).transpose()?;
        Ok(Axis { bone, axis: axis.map(|pair| pair.map(|vector| vector.to_array())) })
    }
}

impl<'a> Animations<'a> {
    pub(super) fn read(cursor: &mut Cursor<'a>, version: Version) -> Result<Self> {
        let offset = cursor.offset();
        let list = List::read(cursor, "animations", version)?;
        let kinds = Kinds::of(&list, offset)?;
        // Without animations -1 stands for no LOD.
        let lods = u32::try_from(cursor.i32()?).unwrap_or(0);
        let by_bone = List::read_items(cursor, lods, "bones_to_animations", ())?;
        let axes = List::read_items(cursor, lods, "animations_to_bones", kinds)?;
        Ok(Self { list, by_bone, axes })
    }
}

impl<'a> Item<'a, Version> for Animation<'a> {
    const LEAST: u64 = 30;

    fn read(cursor: &mut Cursor<'a>, version: Version) -> Result<Self> {
        let offset = cursor.offset();
        let pair = || (le_f32, le_f32).map(<[f32; 2]>::from);
        let vector = || (le_f32, le_f32, le_f32).map(<[f32; 3]>::from);
        let (kind, name, source, phase, value, period, addressing) =
            cursor.parse((le_u32, cstr, cstr, pair(), pair(), cond(version.has_period(), pair()), le_u32))?;
        let motion = match kind {
            0..=3 => cursor.parse(pair().map(Motion::Rotation))?,
            4..=7 => cursor.parse(pair().map(Motion::Translation))?,
            8 => {
                let (position, direction, angle, offset) = cursor.parse((vector(), vector(), le_f32, le_f32))?;
                Motion::Direct { position, direction, angle, offset }
            }
            9 => cursor
                .parse((le_f32, cond(version.has_hide_end(), le_f32)).map(|(from, to)| Motion::Hide { from, to }))?,
            _ => return Err(Error::malformed(format!("animation of kind {kind}, whose length is unknown")).at(offset)),
        };
        let (kind, addressing) = (AnimationKind(kind), Addressing(addressing));
        Ok(Self { kind, name, source, phase, value, period, addressing, motion })
    }
}
