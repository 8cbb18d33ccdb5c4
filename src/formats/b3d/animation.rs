//! Animations: the KEYS and ANIM chunks.

use std::collections::BTreeMap;
use std::iter::zip;

use zerocopy::little_endian::I32;

use super::wire::{AnimationFields, ChunkHeader};
use crate::base::error::Result;
use crate::base::text::ByteStr;
use crate::bytes::chunk::Chunk;
use crate::bytes::{Column, Quat, Scalar, Strided, Vec3};
use crate::outline::{FieldInfo, Rule, Schema, Type};
use crate::record::parser::{all_consuming, in_place, interleaved, text_to_nul};
use crate::record::{Interleaved, Layout, Read as _, Stored as _, grammar};

/// The start of an animation in the node tree, and its length (ANIM).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Animation {
    /// Unused by the spec; 0 in all known files.
    pub flags: i32,
    /// The length that the writer gives. Keys before and after it are normal.
    pub frames: i32,
    /// Frames per second; 0 in some files. Blitz3D itself never uses it.
    pub fps: f32,
}

impl Animation {
    /// Parses an ANIM chunk. Bytes after its three fields are an error.
    pub(super) fn parse(chunk: &Chunk<'_, ChunkHeader>) -> Result<Self> {
        let mut cursor = chunk.whole()?;
        let fields = cursor.parse(in_place::<AnimationFields>())?;
        if !cursor.is_empty() {
            return Err(cursor.error(format!("{} bytes after an animation's three fields", cursor.left())));
        }
        Ok(Self { flags: fields.flags.get(), frames: fields.frames.get(), fps: fields.fps.get() })
    }

    /// Returns its length in seconds, or `None` if the rate is not above 0 or the length is not finite.
    pub fn seconds(&self) -> Option<f32> {
        let seconds = self.frames as f32 / self.fps;
        if self.fps > 0.0 && seconds.is_finite() { Some(seconds) } else { None }
    }
}

grammar! {
    /// A named range of frames (SEQS), which some writers add. Not in the spec.
    Sequence<'a> named name {
        /// Its name as stored.
        name: ByteStr<'a> = text_to_nul(),
        /// The first frame.
        first_frame: i32,
        /// The last frame.
        last_frame: i32,
        /// 0 in all known files.
        reserved: i32,
    }
}

impl<'a> Sequence<'a> {
    /// Parses a SEQS chunk. Bytes after its fields are an error.
    pub(super) fn parse(chunk: &Chunk<'a, ChunkHeader>) -> Result<Self> {
        chunk.whole()?.parse(all_consuming(Self::parser()))
    }
}

grammar! {
    /// One list of animation keys of a node (KEYS): columns over one array of records.
    ///
    /// A node may have several, such as one for positions and one for rotations over the same frames.
    /// [`Node::to_tracks`](super::Node::to_tracks) merges them.
    Keys<'a> {
        /// The columns of the keys as stored: 1 positions, 2 scales, 4 rotations. Other bits have no meaning and no
        /// bytes.
        #[rule(Range(1, 7))]
        #[label("flags")] flags: u32,
        /// The keys: a frame and the value of each column in it.
        #[label("frame")] records: Interleaved<'a, KeyLayout> = interleaved(KeyLayout(flags)),
    }
}

/// The stored form of a key.
pub(super) const KEY: &Schema = &Schema {
    name: "Key",
    doc: " One key: an element of `records` in `Keys`.",
    fields: &[
        FieldInfo::column("frame", "frame", i32::TYPE, " Number of the frame. The first frame of real files is 1."),
        FieldInfo::column("position", "position", Vec3::TYPE, " Position in this frame, relative to the parent node.")
            .when("flags & 1 != 0"),
        FieldInfo::column("scale", "scale", Vec3::TYPE, " Scale in this frame.").when("flags & 2 != 0"),
        FieldInfo::column("rotation", "rotation", Quat::TYPE, " Rotation in this frame, the real part first.")
            .when("flags & 4 != 0")
            .ruled(Rule::Unit),
    ],
};

/// The columns that keys have, as the bits of `flags`. A key is its frame, which takes 4 bytes, then its position and
/// its scale, 12 bytes each, then its rotation, 16 bytes. Columns without a bit take no bytes.
#[derive(Clone, Copy, Debug)]
pub struct KeyLayout(u32);

/// The bits of the columns.
const POSITIONS: u32 = 1;
const SCALES: u32 = 2;
const ROTATIONS: u32 = 4;

impl KeyLayout {
    /// Returns true if keys have the column of this bit.
    fn has(self, column: u32) -> bool {
        self.0 & column != 0
    }

    /// Returns the byte of a key at which its rotation starts. If it has none, the key ends there.
    fn rotation_column(self) -> usize {
        match (self.has(POSITIONS), self.has(SCALES)) {
            (false, false) => 4,
            (true, false) | (false, true) => 16,
            (true, true) => 28,
        }
    }
}

impl crate::base::sealed::Sealed for KeyLayout {}

impl Layout for KeyLayout {
    const TYPE: Type = Type::List(&Type::Record(KEY), 0);

    fn stride(&self) -> usize {
        let rotation_bytes = if self.has(ROTATIONS) { 16 } else { 0 };
        self.rotation_column().saturating_add(rotation_bytes)
    }

    fn columns(&self) -> Vec<Column> {
        const POSITION: [&str; 3] = ["position_x", "position_y", "position_z"];
        const SCALE: [&str; 3] = ["scale_x", "scale_y", "scale_z"];
        const ROTATION: [&str; 4] = ["rotation_w", "rotation_x", "rotation_y", "rotation_z"];
        let mut names = Vec::new();
        if self.has(POSITIONS) {
            names.extend(POSITION);
        }
        if self.has(SCALES) {
            names.extend(SCALE);
        }
        if self.has(ROTATIONS) {
            names.extend(ROTATION);
        }
        let mut columns = vec![Column::new("frame", Scalar::I32)];
        columns.extend(names.into_iter().map(|name| Column::new(name, Scalar::F32)));
        columns
    }
}

impl<'a> Keys<'a> {
    /// Parses a KEYS chunk, which must be complete.
    #[inline(always)]
    pub(super) fn parse(chunk: &Chunk<'a, ChunkHeader>) -> Result<Self> {
        Self::read(&mut chunk.whole()?, ())
    }

    /// Returns the number of keys.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Returns true if there are no keys.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Returns the frame of each key. Real files start at 1. Bones may have keys at different frames than their
    /// neighbors.
    pub fn frames(&self) -> Strided<'a, I32> {
        self.records.column(0)
    }

    /// Returns positions relative to the parent node, if the keys have them.
    pub fn positions(&self) -> Option<Strided<'a, Vec3>> {
        // Positions come right after the frame.
        if self.records.layout().has(POSITIONS) { Some(self.records.column(4)) } else { None }
    }

    /// Returns scales, if the keys have them.
    pub fn scales(&self) -> Option<Strided<'a, Vec3>> {
        let layout = self.records.layout();
        if !layout.has(SCALES) {
            return None;
        }
        let start = if layout.has(POSITIONS) { 16 } else { 4 };
        Some(self.records.column(start))
    }

    /// Returns rotations as stored, if the keys have them; see [`rotation_xyzw`](super::rotation_xyzw) for their
    /// convention.
    pub fn rotations(&self) -> Option<Strided<'a, Quat>> {
        let layout = self.records.layout();
        if layout.has(ROTATIONS) { Some(self.records.column(layout.rotation_column())) } else { None }
    }
}

/// The merged keys of one node: each part of its transform by frame.
///
/// If several keys have the same frame and part, the last in the file counts, as in Blitz3D. Between two frames the
/// game interpolates positions and scales linearly, and rotations spherically along the shorter arc. Before the first
/// and after the last frame it holds their values. `Clip` of the feature `geometry` does the same.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Tracks {
    /// Positions relative to the parent node.
    pub positions: BTreeMap<i32, [f32; 3]>,
    /// Scales.
    pub scales: BTreeMap<i32, [f32; 3]>,
    /// Rotations as stored: w, x, y, z.
    pub rotations: BTreeMap<i32, [f32; 4]>,
}

impl Tracks {
    /// Adds these keys. They replace values that the same frames already have.
    pub(super) fn add(&mut self, keys: &Keys<'_>) {
        let frames = keys.frames();
        let frames = frames.iter().map(|frame| frame.get());
        if let Some(positions) = keys.positions() {
            self.positions.extend(zip(frames.clone(), positions.iter().map(Vec3::to_array)));
        }
        if let Some(scales) = keys.scales() {
            self.scales.extend(zip(frames.clone(), scales.iter().map(Vec3::to_array)));
        }
        if let Some(rotations) = keys.rotations() {
            self.rotations.extend(zip(frames, rotations.iter().map(Quat::to_array)));
        }
    }
}
