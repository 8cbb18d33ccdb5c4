//! Checks animations, and counts their blocks on the way.

use std::fmt;
use std::iter::zip;

use half::f16;

use super::wire::{BonePose, Matrix, Transform};
use super::{Binarised, FlaggedBlock, Motion, Plain};
use crate::base::code::Code;
use crate::base::error::Error;
use crate::base::impl_fmt::impl_fmt;
use crate::base::place::{Locate, Root};
use crate::base::text::ByteStr;
use crate::blocks::Decoded;
use crate::bytes::{Element, Table};
use crate::check::{self, Check, Finite, Length, Numbers, Rows, Unit, rules};
use crate::inspect::Inspect as _;
use crate::summary::{Blocks, Problems};

/// One pass over the frames. If `deep` is set, it also decodes and checks every number.
pub(super) struct Survey<'p> {
    problems: &'p mut Problems,
    deep: bool,
    blocks: Blocks,
}

impl<'p> Survey<'p> {
    /// Starts a pass. Problems go to `problems`.
    pub(super) fn new(deep: bool, problems: &'p mut Problems) -> Self {
        Self { problems, deep, blocks: Blocks::default() }
    }

    /// Surveys an animation. Returns how many arrays are raw and packed, and their sizes.
    pub(super) fn run(mut self, motion: &Motion<'_>) -> Blocks {
        match motion {
            Motion::Binarised(motion) => self.binarised(motion),
            Motion::Plain(motion) => self.plain(motion),
        }
        if self.deep {
            let about = (motion.size(), motion.about().1);
            check::fields(about, false, self.problems, |out| motion.dissect(out));
        }
        self.blocks
    }

    /// Walks times and frames up to the first that cannot be read, and checks the numbers in a deep survey.
    fn binarised(&mut self, motion: &Binarised<'_>) {
        let Some((times, frames)) = self.problems.ok(motion.body()) else { return };
        if let Some(decoded) = self.array(&times, Root.field("times")) {
            self.times(decoded.iter().map(|time| time.get()), &times.block);
        }
        let mut translations = Check::new(FiniteHalves);
        let mut rotations = Check::new(Unit::Quaternion);
        let mut all = frames.iter();
        // If a frame cannot be read, the end of the last is unknown.
        let mut whole = true;
        for (index, frame) in all.by_ref().enumerate() {
            let Some(frame) = self.problems.ok(frame) else {
                whole = false;
                break;
            };
            let Some(transforms) = self.array(&frame, Root.item("frames", index)) else { continue };
            translations.list(("frames", index), &frame.block, transforms.iter().map(Transform::halves));
            rotations.list(("frames", index), &frame.block, transforms.iter().map(Transform::length));
        }
        translations.report("translations", self.problems, Root.field("frames"));
        rotations.report("quaternions", self.problems, Root.field("frames"));
        if whole {
            self.trailing(all.cursor().offset(), all.cursor().rest());
        }
    }

    /// Counts an array, and warns about an unusual flag. In a deep survey, returns its elements.
    fn array<'a, T: Element>(&mut self, array: &FlaggedBlock<'a, T>, place: impl Locate) -> Option<Decoded<'a, T>> {
        self.blocks.add(array.block.storage(), array.block.decoded_byte_len());
        if let Some(flag @ (1 | 3..)) = array.flag {
            let error = Error::malformed(format!("flag of a packed array is {flag}, not 2"));
            self.problems.warning(&place.locate(error.at(array.block.offset().saturating_sub(1))));
        }
        if !self.deep {
            return None;
        }
        let decoded = self.problems.budget().decode(&array.block);
        self.problems.ok_in(place, decoded)
    }

    /// Checks that the frames are inside the file and end it. In a deep survey, also checks times, names and matrices.
    /// A plain file has no blocks to count.
    fn plain(&mut self, motion: &Plain<'_>) {
        let Some(times) = self.problems.ok(motion.times()) else { return };
        self.trailing(motion.frames_offset().saturating_add(motion.frame_bytes()), motion.trailing());
        if !self.deep {
            return;
        }
        self.times(times.iter().map(|time| time.get()), &times);
        let mut names = Check::new(SameName(std::marker::PhantomData));
        let mut matrices = Check::new(Finite::<12>);
        for (index, frame) in motion.frames().enumerate() {
            let Some(frame) = self.problems.ok(frame) else { break };
            let list = ("frames", index);
            let pairs = zip(frame.names(), motion.bones.iter()).map(|(here, header)| Names { here, header });
            // Each frame starts with its time, and each name is followed by a matrix.
            names.list(list, Rows::new(frame.offset.saturating_add(4), size_of::<BonePose>()), pairs);
            matrices.list(list, &frame.matrices(), frame.matrices().iter().map(numbers_of));
        }
        names.report("names", self.problems, Root.field("frames"));
        matrices.report("matrices", self.problems, Root.field("frames"));
    }

    /// Checks that times are finite and ascend, and that the first of several is 0. `rows` is where they are stored.
    fn times(&mut self, times: impl Iterator<Item = f32> + Clone, rows: impl Into<Rows> + Copy) {
        let place = Root.field("times");
        let check = Check::new(Finite).array(rows, times.clone().map(|time| Numbers([time])));
        check.report("times", self.problems, place);
        if times.clone().all(f32::is_finite) && !times.clone().is_sorted() {
            let error = Error::malformed("times do not ascend").at(rows.into().offset_of(0));
            self.problems.warning(&place.locate(error));
        }
        // The last time need not be 1: a real file ends at 0.994. A single pose may have any time.
        let is_motion = times.clone().nth(1).is_some();
        if let Some(first) = times.clone().next()
            && is_motion
            && first.is_finite()
            && first != 0.0
        {
            let error = Error::malformed(format!("the first is {first}, not 0")).at(rows.into().offset_of(0));
            self.problems.warning(&place.locate(error));
        }
    }

    /// Warns about bytes after the last frame, which are at this offset.
    fn trailing(&mut self, offset: u64, rest: &[u8]) {
        if !rest.is_empty() {
            self.problems.warning(&Error::trailing(rest.len() as u64, "the last frame").at(offset));
        }
    }
}

/// Returns the twelve numbers of a matrix, to check them.
fn numbers_of(matrix: &Matrix) -> Numbers<12> {
    Numbers(zerocopy::transmute!(matrix.to_rows()))
}

impl Transform {
    /// Returns the translation, to check it without a conversion to floats.
    fn halves(&self) -> Halves {
        Halves(self.translation.map(|half| half.get()))
    }

    /// Returns the length of the quaternion, whose parts are in 1/16384.
    #[inline]
    fn length(&self) -> Length {
        Length::in_units(self.rotation.map(|part| part.get()), 16384)
    }
}

/// A translation as stored.
#[derive(Clone, Copy)]
pub(crate) struct Halves([u16; 3]);

impl fmt::Display for Halves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Numbers(self.0.map(|half| f16::from_bits(half).to_f32())).fmt(f)
    }
}

rules! {
    /// [`Finite`] for half floats, checked by their bits: an exponent of all ones means infinite or NaN.
    FiniteHalves of Halves = Code::NotFinite, |_, Halves(halves)| {
        // The bits of the exponent.
        const EXPONENT: u16 = 0x7c00;
        halves.into_iter().fold(true, |all, half| all & (half & EXPONENT != EXPONENT))
    }, "not finite";
}

/// A bone's name in a frame, and in the header.
#[derive(Clone, Copy)]
pub(crate) struct Names<'a> {
    here: ByteStr<'a>,
    header: ByteStr<'a>,
}

impl_fmt!([] Display for Names<'_>, |names| "{:?} for {:?}", names.here, names.header);

rules! {
    /// The names of bones in a frame are those in the header.
    SameName<'a>(std::marker::PhantomData<&'a ()>) of Names<'a> = Code::Name,
        |_, names| names.here == names.header, "other than in the header";
}
