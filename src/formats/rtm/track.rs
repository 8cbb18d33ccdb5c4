//! One bone through all frames.

use super::motion::Motion;
use crate::base::error::Result;
use crate::bytes::array::{columns, row_byte_len};
use crate::bytes::batch::RowSink;
use crate::bytes::{Column, Packing, Storage, Table};

/// One bone through all frames: for each its time, then rotation and translation (binarised) or matrix (plain), all as
/// floats.
///
/// Not stored in one piece: reading it decodes the times and each packed frame.
#[derive(Clone, Copy, Debug)]
pub struct Track<'a> {
    motion: Motion<'a>,
    bone: usize,
}

impl<'a> Motion<'a> {
    /// Returns one bone through all frames, or `None` after the last bone.
    pub fn track(&self, bone: usize) -> Option<Track<'a>> {
        if bone < self.bones().len() { Some(Track::new(*self, bone)) } else { None }
    }
}

impl<'a> Track<'a> {
    /// Creates the track of the bone at this index.
    fn new(motion: Motion<'a>, bone: usize) -> Self {
        Self { motion, bone }
    }

    /// Returns the bytes of the times and of each frame when they are decoded; 0 for those that are in place. All frames
    /// have the same number of transforms.
    fn decoded(&self) -> [u64; 2] {
        let Motion::Binarised(motion) = self.motion else { return [0; 2] };
        // What cannot be found is not decoded either.
        let Ok((times, frames)) = motion.body() else { return [0; 2] };
        let Some(Ok(frame)) = frames.iter().next() else { return [0; 2] };
        let times = if times.block.borrowed().is_some() { 0 } else { times.block.decoded_byte_len() };
        let frame = if frame.block.borrowed().is_some() { 0 } else { frame.block.decoded_byte_len() };
        [times, frame]
    }
}

impl Table for Track<'_> {
    fn rows(&self) -> u64 {
        self.motion.frame_count() as u64
    }

    fn columns(&self) -> Vec<Column> {
        match self.motion {
            Motion::Binarised(_) => columns![F32: "time", "qx", "qy", "qz", "qw", "tx", "ty", "tz"],
            Motion::Plain(_) => {
                columns![F32: "time", "m00", "m01", "m02", "m10", "m11", "m12", "m20", "m21", "m22", "x", "y", "z"]
            }
        }
        .to_vec()
    }

    fn storage(&self) -> Storage {
        let file = self.motion.file();
        let bytes = file.data.size().saturating_sub(file.body);
        Storage { offset: file.body, bytes, packing: Packing::Derived }
    }

    /// Returns the memory of the decoded times and of one decoded frame.
    fn read_memory(&self) -> u64 {
        let [times, frame] = self.decoded();
        times.saturating_add(frame)
    }

    /// Returns the bytes of all rows, and of all frames that are decoded for them.
    fn read_work(&self) -> u64 {
        let row = row_byte_len(&self.columns()) as u64;
        let [times, frame] = self.decoded();
        self.rows().saturating_mul(row.saturating_add(frame)).saturating_add(times)
    }

    fn read(&self, sink: &mut RowSink<'_>) -> Result<()> {
        match self.motion {
            Motion::Binarised(motion) => {
                let (times, frames) = motion.body()?;
                let times = times.block.decode()?;
                for (frame, time) in frames.iter().zip(&*times) {
                    let transforms = frame?.block.decode()?;
                    let Some(transform) = transforms.get(self.bone) else { break };
                    let ([x, y, z, w], [tx, ty, tz]) = (transform.rotation(), transform.translation());
                    if sink(&row(time.get(), &[x, y, z, w, tx, ty, tz])).is_break() {
                        break;
                    }
                }
            }
            Motion::Plain(motion) => {
                for frame in motion.frames() {
                    let frame = frame?;
                    let Some(bone) = frame.bone(self.bone) else { break };
                    if sink(&row(frame.time, bone.matrix.to_rows().as_flattened())).is_break() {
                        break;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Returns the bytes of a row: a time and the numbers at that time.
fn row(time: f32, numbers: &[f32]) -> Vec<u8> {
    // At most 13 numbers of four bytes.
    let mut row = Vec::with_capacity(64);
    for number in [time].iter().chain(numbers) {
        row.extend_from_slice(&number.to_le_bytes());
    }
    row
}
