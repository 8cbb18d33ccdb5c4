//! Small parts of a LOD: spec section 6, rows 1 and 13 to 15.

use nom::Parser;
use nom::number::complete::le_i32;
use zerocopy::little_endian::{I32, U32};

use super::index::IndexBlock;
use super::list::{Context, Item, packed, plain};
use super::version::Version;
use super::wire::Transform;
use crate::error::{Context as _, Result};
use crate::view::cursor::record;
use crate::view::text::cstr;
use crate::view::{Block, ByteStr, Cursor, LeArray, Vec3};

/// A place where another model is to be put.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proxy<'a> {
    /// The model, without its ending.
    pub model: ByteStr<'a>,
    /// Where and how it stands.
    pub transform: &'a Transform,
    /// Its number among the proxies of this model file (proxySequenceId).
    pub sequence: i32,
    /// Which of the LOD's selections marks it.
    pub selection: i32,
    /// The bone of the skeleton that moves it; -1 for none, as in version 7.
    pub bone: i32,
    /// Which of the LOD's sections shows it while editing; -1 for none, as in version 7.
    pub section: i32,
}

impl<'a> Item<'a, Version> for Proxy<'a> {
    const LEAST: u64 = 57;

    fn read(cursor: &mut Cursor<'a>, version: Version) -> Result<Self> {
        if version.is_flashpoint() {
            let fields = (cstr, record::<Transform>, le_i32, le_i32);
            return cursor.parse(fields.map(|(model, transform, sequence, selection)| Self {
                model,
                transform,
                sequence,
                selection,
                bone: -1,
                section: -1,
            }));
        }
        let fields = (cstr, record::<Transform>, le_i32, le_i32, le_i32, le_i32);
        cursor.parse(fields.map(|(model, transform, sequence, selection, bone, section)| Self {
            model,
            transform,
            sequence,
            selection,
            bone,
            section,
        }))
    }
}

/// Faces and vertices that have a name.
#[derive(Clone, Copy, Debug)]
pub struct Selection<'a> {
    /// Its name.
    pub name: ByteStr<'a>,
    /// Numbers of the faces in it.
    pub faces: IndexBlock<'a>,
    /// What else is told of these faces; in version 7.
    pub face_details: Option<FaceDetails<'a>>,
    /// Zero in every file met; from version 40 on.
    pub unknown: Option<u32>,
    /// Whether it consists of whole sections, so that their look can be changed.
    pub is_sectional: bool,
    /// Numbers of those sections.
    pub sections: Block<'a, I32>,
    /// Numbers of the vertices in it, not always in order.
    pub vertices: IndexBlock<'a>,
    /// How much each of these vertices belongs to it, in 255ths; empty where all do wholly.
    pub weights: Block<'a, u8>,
}

/// What version 7 tells of the faces of a [`Selection`].
#[derive(Clone, Copy, Debug)]
pub struct FaceDetails<'a> {
    /// How much each face belongs to it.
    pub weights: Block<'a, u8>,
    /// Where each face lies in the game's memory.
    pub offsets: Block<'a, U32>,
}

impl<'a> FaceDetails<'a> {
    #[inline(never)]
    fn read(cursor: &mut Cursor<'a>, context: Context) -> Result<Self> {
        Ok(Self {
            weights: packed(cursor, context).within("face_weights")?,
            offsets: packed(cursor, context).within("face_offsets")?,
        })
    }
}

impl<'a> Item<'a, Context> for Selection<'a> {
    const LEAST: u64 = 22;

    fn read(cursor: &mut Cursor<'a>, context: Context) -> Result<Self> {
        let old = context.version.is_flashpoint();
        Ok(Self {
            name: cursor.cstr()?,
            faces: IndexBlock::read(cursor, context).within("faces")?,
            face_details: old.then(|| FaceDetails::read(cursor, context)).transpose()?,
            unknown: (!old).then(|| cursor.u32()).transpose()?,
            is_sectional: cursor.u8()? != 0,
            sections: packed(cursor, context).within("sections")?,
            vertices: IndexBlock::read(cursor, context).within("vertices")?,
            weights: packed(cursor, context).within("weights")?,
        })
    }
}

/// A setting by the author, such as `class` = `house`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Property<'a> {
    /// Its name; some end in blanks.
    pub name: ByteStr<'a>,
    /// Its value, always a text.
    pub value: ByteStr<'a>,
}

impl<'a> Item<'a> for Property<'a> {
    const LEAST: u64 = 2;

    fn read(cursor: &mut Cursor<'a>, (): ()) -> Result<Self> {
        cursor.parse((cstr, cstr).map(|(name, value)| Self { name, value }))
    }
}

/// All points at one moment of a movement.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// When.
    pub time: f32,
    /// Where the points are then; never compressed.
    pub positions: LeArray<'a, Vec3>,
}

impl<'a> Item<'a> for Frame<'a> {
    const LEAST: u64 = 8;

    fn read(cursor: &mut Cursor<'a>, (): ()) -> Result<Self> {
        Ok(Self { time: cursor.f32()?, positions: plain(cursor)? })
    }
}
