//! What can be wrong with an animation, and the blocks that are met on the way.

use super::wire::Transform;
use super::{Array, Binarised, Motion, Plain};
use crate::budget::Decoded;
use crate::error::{Context, Error};
use crate::summary::{Blocks, Problems};
use crate::view::{Element, Table};

/// One pass over the frames: always their structure, on request every number too.
pub(super) struct Survey<'p> {
    problems: &'p mut Problems,
    deep: bool,
    blocks: Blocks,
}

impl<'p> Survey<'p> {
    pub(super) fn new(deep: bool, problems: &'p mut Problems) -> Self {
        Self { problems, deep, blocks: Blocks::default() }
    }

    pub(super) fn run(mut self, motion: &Motion<'_>) -> Blocks {
        match motion {
            Motion::Binarised(motion) => self.binarised(motion),
            Motion::Plain(motion) => self.plain(motion),
        }
        self.blocks
    }

    fn binarised(&mut self, motion: &Binarised<'_>) {
        let Some((times, frames)) = self.problems.ok(motion.body()) else { return };
        if let Some(decoded) = self.array(&times, |error| error.within("times")) {
            self.times(decoded.iter().map(|time| time.get()), times.block.offset());
        }
        let mut all = frames.iter();
        for (index, frame) in all.by_ref().enumerate() {
            let Some(frame) = self.problems.ok(frame) else { return };
            let place = |error: Error| error.within_item("frames", index);
            let Some(transforms) = self.array(&frame, place) else { continue };
            let finite = |transform: &Transform| transform.translation().iter().all(|number| number.is_finite());
            if let Some(bone) = transforms.iter().position(|transform| !finite(transform)) {
                let error = Error::malformed(format!("translation of bone {bone} is not finite"));
                self.problems.warning(&place(error.at(frame.block.offset())));
            }
            if self.problems.is_full() {
                return;
            }
        }
        self.trailing(all.cursor().offset(), all.cursor().rest());
    }

    /// Counts an array, and decodes it if all is to be looked at.
    fn array<'a, T: Element>(
        &mut self,
        array: &Array<'a, T>,
        place: impl Fn(Error) -> Error,
    ) -> Option<Decoded<'a, T>> {
        self.blocks.add(array.block.storage(), array.block.unpacked_bytes());
        if let Some(flag @ (1 | 3..)) = array.flag {
            let error = Error::malformed(format!("flag of a packed array is {flag}, not 2"));
            self.problems.warning(&place(error.at(array.block.offset().saturating_sub(1))));
        }
        if !self.deep {
            return None;
        }
        let decoded = self.problems.budget().decode(&array.block);
        self.problems.ok(decoded.map_err(place))
    }

    fn plain(&mut self, motion: &Plain<'_>) {
        let Some(times) = self.problems.ok(motion.times()) else { return };
        self.trailing(motion.rest().offset().saturating_add(motion.frame_bytes()), motion.trailing());
        if !self.deep {
            return;
        }
        self.times(times.iter().map(|time| time.get()), times.offset());
        for (index, frame) in motion.frames().enumerate() {
            let Some(frame) = self.problems.ok(frame) else { return };
            let mut warn = |message: String| {
                self.problems.warning(&Error::malformed(message).at(frame.offset).within_item("frames", index));
            };
            if let Some(bone) = frame.names().zip(motion.bones().iter()).position(|(here, header)| here != header) {
                warn(format!("name of bone {bone} is not that of the header"));
            }
            let finite = |row: [f32; 3]| row.iter().all(|number| number.is_finite());
            let odd = frame.matrices().iter().position(|matrix| !matrix.to_rows().into_iter().all(finite));
            if let Some(bone) = odd {
                warn(format!("matrix of bone {bone} is not finite"));
            }
            if self.problems.is_full() {
                return;
            }
        }
    }

    fn times(&mut self, times: impl Iterator<Item = f32> + Clone, offset: u64) {
        let message = if !times.clone().all(f32::is_finite) {
            "a time is not finite"
        } else if !times.is_sorted() {
            "times do not ascend"
        } else {
            return;
        };
        self.problems.warning(&Error::malformed(message).at(offset).within("times"));
    }

    fn trailing(&mut self, offset: u64, rest: &[u8]) {
        if !rest.is_empty() {
            let message = format!("{} bytes behind the last frame", rest.len());
            self.problems.warning(&Error::malformed(message).at(offset));
        }
    }
}
