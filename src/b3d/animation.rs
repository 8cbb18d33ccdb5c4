//! Movement: the KEYS and ANIM chunks.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use zerocopy::little_endian::I32;

use super::wire::{AnimationFields, ChunkHeader};
use crate::error::{Context, Result};
use crate::view::chunk::Chunk;
use crate::view::{Column, Element, Packing, Quat, Scalar, Storage, Strided, Table, Vec3};

/// Where an animation starts in the tree, and how long it is (ANIM).
#[derive(Clone, Copy, Debug)]
pub struct Animation {
    /// Unused by the spec; 0 in all files seen.
    pub flags: i32,
    /// The length as its writer saw it. Keys before and beyond it are normal.
    pub frames: i32,
    /// Frames a second; 0 in some files. Blitz3D itself never uses it.
    pub fps: f32,
}

impl Animation {
    pub(super) fn parse(chunk: &Chunk<'_, ChunkHeader>) -> Result<Self> {
        let mut cursor = chunk.whole()?;
        let fields = cursor.read::<AnimationFields>()?;
        if !cursor.is_empty() {
            return Err(cursor.error(format!("{} bytes behind an animation's three fields", cursor.left())));
        }
        Ok(Self { flags: fields.flags.get(), frames: fields.frames.get(), fps: fields.fps.get() })
    }

    /// Its length in seconds, where frames and rate make one.
    pub fn seconds(&self) -> Option<f32> {
        let seconds = self.frames as f32 / self.fps;
        (self.fps > 0.0 && seconds.is_finite()).then_some(seconds)
    }
}

/// One list of animation keys of a node (KEYS): columns over one array of records.
///
/// A node may have several, such as one for positions and one for rotations over the same frames.
/// [`Node::to_tracks`](super::Node::to_tracks) puts them together.
#[derive(Clone, Copy, Debug)]
pub struct Keys<'a> {
    flags: u32,
    records: &'a [u8],
    offset: u64,
    stride: usize,
}

impl<'a> Keys<'a> {
    pub(super) fn parse(chunk: &Chunk<'a, ChunkHeader>) -> Result<Self> {
        let mut cursor = chunk.whole()?;
        let flags = cursor.u32().within("flags")?;
        let mut keys = Self { flags, records: cursor.rest(), offset: cursor.offset(), stride: 0 };
        keys.stride = keys.rotation_column().saturating_add(if keys.has_rotations() { 16 } else { 0 });
        // One check makes every later column sound.
        Strided::<I32>::new(keys.records, keys.offset, keys.stride, 0)?;
        Ok(keys)
    }

    /// Which columns there are, as stored: 1 positions, 2 scales, 4 rotations. Other bits have no meaning and no bytes.
    pub fn flags(&self) -> u32 {
        self.flags
    }

    /// How many keys.
    pub fn len(&self) -> usize {
        self.frames().len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// The frame of each key. Real files begin at 1; bones may have keys at other frames than their neighbours.
    pub fn frames(&self) -> Strided<'a, I32> {
        self.column(0)
    }

    /// Positions relative to the node above, where the keys have them.
    pub fn positions(&self) -> Option<Strided<'a, Vec3>> {
        self.has_positions().then(|| self.column(4))
    }

    /// Scales, where the keys have them.
    pub fn scales(&self) -> Option<Strided<'a, Vec3>> {
        self.has_scales().then(|| self.column(if self.has_positions() { 16 } else { 4 }))
    }

    /// Rotations as stored, where the keys have them; see [`rotation_xyzw`](super::rotation_xyzw) for their convention.
    pub fn rotations(&self) -> Option<Strided<'a, Quat>> {
        self.has_rotations().then(|| self.column(self.rotation_column()))
    }

    fn has_positions(&self) -> bool {
        self.flags & 1 != 0
    }

    fn has_scales(&self) -> bool {
        self.flags & 2 != 0
    }

    fn has_rotations(&self) -> bool {
        self.flags & 4 != 0
    }

    fn rotation_column(&self) -> usize {
        match (self.has_positions(), self.has_scales()) {
            (false, false) => 4,
            (true, true) => 28,
            _ => 16,
        }
    }

    fn column<T: Element>(&self, column: usize) -> Strided<'a, T> {
        Strided::within(self.records, self.offset, self.stride, column)
    }
}

impl Table for Keys<'_> {
    fn rows(&self) -> u64 {
        self.len() as u64
    }

    fn columns(&self) -> Vec<Column> {
        const POSITION: [&str; 3] = ["position_x", "position_y", "position_z"];
        const SCALE: [&str; 3] = ["scale_x", "scale_y", "scale_z"];
        const ROTATION: [&str; 4] = ["rotation_w", "rotation_x", "rotation_y", "rotation_z"];
        let parts: [(bool, &[&'static str]); 3] =
            [(self.has_positions(), &POSITION), (self.has_scales(), &SCALE), (self.has_rotations(), &ROTATION)];
        let floats = parts.into_iter().filter(|(there, _)| *there).flat_map(|(_, names)| names);
        std::iter::once(Column::new("frame", Scalar::I32))
            .chain(floats.map(|name| Column::new(name, Scalar::F32)))
            .collect()
    }

    fn storage(&self) -> Storage {
        Storage { offset: self.offset, bytes: self.records.len() as u64, packing: Packing::InPlace }
    }

    fn read(&self, sink: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Result<()> {
        let _ = sink(self.records);
        Ok(())
    }
}

/// The keys of one node put together: each part of its transform by frame.
///
/// Where several keys name one frame and part, the last in the file counts, as in Blitz3D.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tracks {
    /// Positions relative to the node above.
    pub positions: BTreeMap<i32, [f32; 3]>,
    /// Scales.
    pub scales: BTreeMap<i32, [f32; 3]>,
    /// Rotations as stored: w, x, y, z.
    pub rotations: BTreeMap<i32, [f32; 4]>,
}

impl Tracks {
    pub(super) fn add(&mut self, keys: &Keys<'_>) {
        let frames = || keys.frames().iter().map(|frame| frame.get());
        if let Some(positions) = keys.positions() {
            self.positions.extend(frames().zip(positions.iter().map(Vec3::to_array)));
        }
        if let Some(scales) = keys.scales() {
            self.scales.extend(frames().zip(scales.iter().map(Vec3::to_array)));
        }
        if let Some(rotations) = keys.rotations() {
            self.rotations.extend(frames().zip(rotations.iter().map(Quat::to_array)));
        }
    }
}
