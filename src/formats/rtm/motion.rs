//! An animation of either form.

use super::binarised::{Binarised, Texts};
use super::file::File;
use super::plain::Plain;
use super::text::{Names, PlainProperty, Property};
use super::{frames, wire};
use crate::base::error::Result;
use crate::base::format::Format;
use crate::base::limits::Limits;
use crate::outline::Schema;
use crate::ranges::Data;
use crate::record::Fixed;

/// The records of the binarised form.
pub(crate) const BINARISED: &[&Schema] = &[
    wire::BinarisedHeader::SCHEMA,
    Texts::SCHEMA,
    Property::SCHEMA,
    frames::TIMES,
    frames::FRAME,
    wire::Transform::SCHEMA,
];

/// The records of the plain form.
pub(crate) const PLAIN: &[&Schema] = &[
    wire::MetadataHeader::SCHEMA,
    PlainProperty::SCHEMA,
    wire::PlainHeader::SCHEMA,
    wire::FixedName::SCHEMA,
    wire::BonePose::SCHEMA,
    wire::Matrix::SCHEMA,
];

/// An animation of either form, borrowed from its bytes.
///
/// ```
/// # let bytes = b"BMTR\x03\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\x01\0\0\0\x01\0\0\0pelvis\0\
/// #     \x01\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\x40\0\0\0\0\0\0";
/// use meshpeek::rtm::Motion;
/// let motion = Motion::parse(bytes)?;
/// for name in motion.bones().iter() {
///     println!("{name}");
/// }
/// if let Motion::Binarised(binarised) = &motion {
///     if let Some(frame) = binarised.frames()?.get(0)? {
///         for transform in &*frame.block.decode()? {
///             println!("{:?} {:?}", transform.rotation(), transform.translation());
///         }
///     }
/// }
/// # Ok::<(), meshpeek::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Motion<'a> {
    /// BMTR.
    Binarised(Binarised<'a>),
    /// RTM_0101.
    Plain(Plain<'a>),
}

impl<'a> Motion<'a> {
    /// Opens an animation: reads up to its frames. Linear in the names and properties.
    ///
    /// # Errors
    /// Returns an error if the bytes are in neither form, end before the frames, or have two different bone counts.
    pub fn parse(data: &'a [u8]) -> Result<Self> {
        Self::open(Data::Whole(data), &Limits::default())
    }

    /// Opens an animation as [`parse`](Self::parse) does, from data of which parts may be missing. The first four bytes
    /// decide on the form.
    pub(crate) fn open(data: Data<'a>, limits: &Limits) -> Result<Self> {
        if data.head(4)? == b"RTM_" {
            Plain::open(data, limits).map(Self::Plain)
        } else {
            Binarised::open(data, limits).map(Self::Binarised)
        }
    }

    /// Returns the format of its form.
    pub fn format(&self) -> Format {
        match self {
            Self::Binarised(_) => Format::Bmtr,
            Self::Plain(_) => Format::Rtm,
        }
    }

    /// Returns the version: 3 to 5, or 101 for the plain form.
    pub fn version(&self) -> u32 {
        match self {
            Self::Binarised(motion) => motion.header.version.get(),
            Self::Plain(_) => 101,
        }
    }

    /// Returns the number of frames that the header claims.
    pub fn frame_count(&self) -> usize {
        let count = match self {
            Self::Binarised(motion) => motion.header.frames,
            Self::Plain(motion) => motion.header.frames,
        };
        count.get() as usize
    }

    /// Returns the movement of the animated body in one cycle: x, y, z in meters.
    pub fn displacement(&self) -> [f32; 3] {
        match self {
            Self::Binarised(motion) => motion.header.displacement.to_array(),
            Self::Plain(motion) => motion.header.displacement.to_array(),
        }
    }

    /// Returns the names of the bones.
    pub fn bones(&self) -> Names<'a> {
        match self {
            Self::Binarised(motion) => Names::Closed(motion.texts.bones),
            Self::Plain(motion) => motion.bones,
        }
    }

    /// Returns the number of properties.
    pub fn property_count(&self) -> usize {
        match self {
            Self::Binarised(motion) => motion.texts.properties.map_or(0, |list| list.len()),
            Self::Plain(motion) => motion.properties.map_or(0, |list| list.len()),
        }
    }

    /// Returns the time of each frame, 0 at the first, 1 at the last, in new memory.
    ///
    /// # Errors
    /// Returns an error if they cannot be read or decoded.
    pub fn to_times(&self) -> Result<Vec<f32>> {
        Ok(match self {
            Self::Binarised(motion) => motion.times()?.block.decode()?.iter().map(|time| time.get()).collect(),
            Self::Plain(motion) => motion.times()?.iter().map(|time| time.get()).collect(),
        })
    }

    /// Returns the time of the last frame, or `None` without frames. It is the only length of the animation in the
    /// file, and is 1 in most real files; a single pose may have another. Decodes packed times.
    ///
    /// # Errors
    /// Returns the errors of [`to_times`](Self::to_times).
    pub fn last_time(&self) -> Result<Option<f32>> {
        Ok(match self {
            Self::Binarised(motion) => motion.times()?.block.decode()?.last().copied(),
            Self::Plain(motion) => motion.times()?.iter().next_back().copied(),
        }
        .map(|time| time.get()))
    }

    /// Returns the file, and where its frames start.
    pub(super) fn file(&self) -> &File<'a> {
        match self {
            Self::Binarised(motion) => &motion.file,
            Self::Plain(motion) => &motion.file,
        }
    }
}
