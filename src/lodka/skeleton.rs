//! SKL1 and ANM1: bones and how they move.

use zerocopy::little_endian::I16;

use super::chunk::{Entries, Entry, Kind, Node, View};
use super::codes::PlayMode;
use super::fields::{end, header_count, known, string};
use super::wire::Key;
use crate::error::{Context, Error, Result};
use crate::view::{ByteStr, Cursor, LeArray};

/// The skeleton of a model (SKL1).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Skeleton<'a> {
    /// The layout (`SkelType`): 1, or 0 which reads the same.
    pub kind: u8,
    /// How many bones (`BonesCnt`).
    pub bone_count: u64,
    bones: Cursor<'a>,
}

impl<'a> Skeleton<'a> {
    /// The bones in list order, which is the order of keys and of bone numbers in meshes. Each has another length, so
    /// the way to the last one leads over all.
    pub fn bones(&self) -> Entries<'a, Bone<'a>> {
        Entries::new(self.bones, self.bone_count, ())
    }
}

impl<'a> View<'a> for Skeleton<'a> {
    const KIND: Kind = Kind::Skeleton;

    fn read(node: &Node<'a>) -> Result<Self> {
        let mut cursor = node.body()?;
        let kind = known(&mut cursor, &[0, 1]).within("kind")?;
        Ok(Self { kind, bone_count: header_count(node)?, bones: cursor })
    }
}

/// A bone.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Bone<'a> {
    /// What other bones and colliders call it (`BoneID`), 0 to 32767.
    pub id: i16,
    /// The id of its parent (`BoneParentID`), -1 at the root.
    pub parent: i16,
    /// Its name.
    pub name: ByteStr<'a>,
}

impl<'a> Entry<'a> for Bone<'a> {
    type Context = ();
    const LIST: &'static str = "bones";

    fn read(cursor: &mut Cursor<'a>, (): ()) -> Result<Self> {
        let [id, parent] = *cursor.read::<[I16; 2]>()?;
        Ok(Self { id: id.get(), parent: parent.get(), name: string(cursor).within("name")? })
    }
}

/// A skeletal animation (ANM1).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Animation<'a> {
    /// The layout (`AnimType`): 1.
    pub kind: u8,
    /// Milliseconds a frame (`AnimInterval`).
    pub interval: i32,
    /// How it plays (`AnimMode`).
    pub mode: PlayMode,
    /// Its name.
    pub name: ByteStr<'a>,
    /// How many frames, as the file counts them: not bounded by its size where there is no bone.
    pub frame_count: u32,
    /// How many bones each frame has.
    pub bone_count: u32,
    /// All keys (`BonesRotPos`): frame by frame, in each the bones in list order.
    pub keys: LeArray<'a, Key>,
}

impl<'a> Animation<'a> {
    /// A bone's key in a frame; `bone` is its position in the list.
    pub fn key(&self, frame: usize, bone: usize) -> Option<&'a Key> {
        self.frame(frame)?.get(bone)
    }

    /// All bones' keys in a frame; empty where there is no bone.
    pub fn frame(&self, frame: usize) -> Option<&'a [Key]> {
        if frame >= self.frame_count as usize {
            return None;
        }
        let bones = self.bone_count as usize;
        let start = frame.checked_mul(bones)?;
        self.keys.as_slice().get(start..start.checked_add(bones)?)
    }

    /// Its length in milliseconds, one interval a frame.
    pub fn duration(&self) -> i64 {
        i64::from(self.interval).saturating_mul(self.frame_count.into())
    }
}

impl<'a> View<'a> for Animation<'a> {
    const KIND: Kind = Kind::Animation;

    fn read(node: &Node<'a>) -> Result<Self> {
        let mut cursor = node.body()?;
        let bone_count = node
            .bones
            .ok_or_else(|| Error::malformed("no skeleton (SKL1) before this animation").at(node.chunk.offset()))?;
        let frame_count = header_count(node)?;
        let kind = known(&mut cursor, &[1]).within("kind")?;
        let interval = cursor.i32().within("interval")?;
        let mode = PlayMode(cursor.u8().within("mode")?);
        let name = string(&mut cursor).within("name")?;
        let keys = cursor.array(frame_count.saturating_mul(bone_count.into())).within("keys")?;
        end(&cursor)?;
        let frame_count = u32::try_from(frame_count).unwrap_or(u32::MAX);
        Ok(Self { kind, interval, mode, name, frame_count, bone_count, keys })
    }
}
