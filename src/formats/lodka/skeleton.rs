//! SKL1 and ANM1: bones and their animations.

use nom::Parser as _;

use super::chunk::Node;
use super::codes::PlayMode;
use super::fields::{frame_of, known};
use super::text::text_with_length;
use super::wire::Key;
use crate::base::error::{Error, Result};
use crate::base::text::AnsiStr;
use crate::bytes::LeArray;
use crate::record::grammar;
use crate::record::list::Entries;
use crate::record::parser::{array, le_u8, rest_count, success, verify};

grammar! {
    /// The skeleton of a model (SKL1).
    Skeleton<'a>(node: Node<'a>) {
        /// The layout: 1, or 0, which has the same fields.
        #[label("SkelType")] kind: u8 = verify(le_u8(), known(&[0, 1])),
        /// Number of bones.
        #[label("BonesCnt")] let bone_count: u64 = node.count();
        /// The bones in list order. Keys have the same order, and meshes refer to bones by their index in it. Records
        /// vary in length; getting to the last one means reading the others.
        bones: Entries<'a, Bone<'a>> = rest_count("bones", Bone::parser(), bone_count),
    }
    also |skeleton, out| skeleton.bones.describe_from(0, out)
}

grammar! {
    /// A bone.
    Bone<'a> named name {
        /// The id by which other bones and colliders refer to it.
        #[rule(Least(0))]
        #[label("BoneID")] id: i16,
        /// The id of its parent, -1 at the root.
        #[label("BoneParentID")] parent: i16,
        /// Its name.
        #[label("BoneNameLength, BoneName")] name: AnsiStr<'a> = text_with_length(),
    }
}

grammar! {
    /// A skeletal animation (ANM1).
    Animation<'a>(node: Node<'a>) named name {
        /// The layout: 1.
        #[label("AnimType")] kind: u8 = verify(le_u8(), known(&[1])),
        /// Milliseconds per frame.
        #[rule(Least(0))]
        #[label("AnimInterval")] interval: i32,
        /// How it plays.
        #[label("AnimMode")] mode: PlayMode = le_u8().map(PlayMode),
        /// Its name.
        #[label("AnimNameLength, AnimName")] name: AnsiStr<'a> = text_with_length(),
        /// Claimed number of frames: not bounded by the chunk's size if there is no bone.
        #[label("Count")] let frame_count: u32 = u32::try_from(node.count()).unwrap_or(u32::MAX);
        /// Number of bones in each frame.
        #[label("BonesCnt")]
        bone_count: u32 = verify(success(node.bones_hint.unwrap_or(0)), move |_| require_skeleton(&node)),
        /// All keys, ordered by frame and then by bone in list order.
        #[label("BonesRotPos")] keys: LeArray<'a, Key> = array(node.count().saturating_mul(bone_count.into())),
    }
    also |animation, out| out.field("duration", animation.duration())
}

/// Returns an error if no skeleton precedes the chunk.
fn require_skeleton(node: &Node<'_>) -> Result<()> {
    if node.bones_hint.is_none() {
        return Err(Error::malformed("no skeleton (SKL1) before this animation").at(node.chunk.offset()));
    }
    Ok(())
}

impl<'a> Animation<'a> {
    /// Returns a bone's key in a frame, or `None` if there is no such bone or frame. `bone` is its index in the list.
    pub(crate) fn key(&self, frame: usize, bone: usize) -> Option<&'a Key> {
        self.frame(frame)?.get(bone)
    }

    /// Returns all bones' keys in a frame, or `None` if there is no such frame. Empty if there is no bone.
    pub(crate) fn frame(&self, frame: usize) -> Option<&'a [Key]> {
        frame_of(self.keys, frame, (self.frame_count as usize, self.bone_count as usize))
    }

    /// Returns the length in milliseconds: one interval for each frame.
    pub(crate) fn duration(&self) -> i64 {
        i64::from(self.interval).saturating_mul(self.frame_count.into())
    }
}
