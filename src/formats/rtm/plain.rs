//! Plain files: RTM_0101, with or without RTM_MDAT before it.

use nom::Parser as _;
use nom::bytes::complete::tag;
use nom::error::context;
use zerocopy::little_endian::F32;
use zerocopy::{FromBytes, IntoBytes};

use super::file::File;
use super::text::{Names, PlainProperty};
use super::wire::{BonePose, FixedName, Matrix, MetadataHeader, PlainHeader};
use crate::base::amount::Amount;
use crate::base::error::{Context, Error, Result};
use crate::base::limits::Limits;
use crate::base::text::ByteStr;
use crate::bytes::Strided;
use crate::bytes::parser::{in_place, is_ahead};
use crate::ranges::Data;
use crate::record::List;
use crate::record::parser::{array, cond, count, le_f32};

/// Returns the header if it is that of the only known version, 0101.
fn check_header(header: &PlainHeader) -> Result<&PlainHeader> {
    match &*header.magic {
        b"RTM_0101" => Ok(header),
        [b'R', b'T', b'M', b'_', version @ ..] => {
            Err(Error::unsupported(format!("plain RTM of version {}", ByteStr::new(version))))
        }
        _ => Err(Error::malformed("RTM_0101 is missing")),
    }
}

/// A plain animation, borrowed from its bytes.
#[derive(Clone, Copy, Debug)]
pub struct Plain<'a> {
    /// The start of RTM_MDAT as stored.
    pub metadata: Option<&'a MetadataHeader>,
    /// The properties in RTM_MDAT.
    pub properties: Option<List<'a, PlainProperty<'a>>>,
    /// The header as stored.
    pub header: &'a PlainHeader,
    /// The offset of the header: after RTM_MDAT, if the file has it.
    pub header_offset: u64,
    /// The names of the bones.
    pub bones: Names<'a>,
    pub(super) file: File<'a>,
}

impl<'a> Plain<'a> {
    /// Opens a plain file: reads up to the names of the bones, but no frame.
    pub(super) fn open(data: Data<'a>, limits: &Limits) -> Result<Self> {
        data.read(0, |cursor| {
            let has_metadata = is_ahead(*cursor, tag("RTM_MDAT"));
            let metadata = cond(has_metadata, in_place::<MetadataHeader>());
            let metadata = cursor.parse(context("metadata", metadata))?;
            let property_count = match metadata {
                Some(header) => header.properties.get(),
                None => 0,
            };
            let properties = cond(has_metadata, count(PlainProperty::parser(), property_count));
            let properties = cursor.parse(context("properties", properties))?;
            let header_offset = cursor.offset();
            let header = cursor.parse(context("header", in_place()).map_res(check_header))?;
            let bones = context("bones", array(header.bones.get())).map(Names::Fixed);
            let bones = cursor.parse(bones)?;
            let file = File { data, body: cursor.offset(), limits: *limits };
            Ok(Self { metadata, properties, header, header_offset, bones, file })
        })
    }

    /// Returns the time of each frame, 0 at the first, 1 at the last.
    ///
    /// # Errors
    /// Returns an error if the frames are cut short.
    pub fn times(&self) -> Result<Strided<'a, F32>> {
        let records = self.file.rest().bytes(self.frame_bytes()).within("frames")?;
        let stride = usize::try_from(self.stride()).unwrap_or(usize::MAX);
        Strided::new(records, self.file.body, stride, 0)
    }

    /// Returns the frame at `index`, in O(1) time.
    ///
    /// # Errors
    /// Returns an error if it is cut short.
    pub fn frame(&self, index: usize) -> Result<Option<PlainFrame<'a>>> {
        if index >= self.header.frames.get() as usize {
            return Ok(None);
        }
        self.frame_at(index).within_item("frames", index).map(Some)
    }

    /// Returns the frame at `index`, which the header claims: a time, then a name and a matrix for each bone.
    fn frame_at(&self, index: usize) -> Result<PlainFrame<'a>> {
        let mut cursor = self.file.rest();
        cursor.skip(self.stride().saturating_mul(index as u64))?;
        let offset = cursor.offset();
        let time = cursor.parse(le_f32())?;
        let bytes = cursor.bytes(self.stride().saturating_sub(size_of::<F32>() as u64))?;
        let bones = <[BonePose]>::ref_from_bytes(bytes).map_err(|_| cursor.error("bones do not divide"))?;
        Ok(PlainFrame { offset, time, bones })
    }

    /// Returns an iterator over the frames. It ends after the first error.
    pub fn frames(&self) -> impl Iterator<Item = Result<PlainFrame<'a>>> + use<'a> {
        let plain = *self;
        let mut broken = false;
        let frames = (0..self.header.frames.get() as usize).map_while(move |index| plain.frame(index).transpose());
        // Returns the first error, and then ends.
        frames.take_while(move |frame| !std::mem::replace(&mut broken, frame.is_err()))
    }

    /// Returns the distance from one frame to the next, in bytes.
    pub fn stride(&self) -> u64 {
        let bones = Amount(u64::from(self.header.bones.get()));
        (bones * size_of::<BonePose>() as u64 + size_of::<F32>() as u64).0
    }

    /// Returns the bytes after the last frame, which are not part of the animation; none in all known files.
    pub fn trailing(&self) -> &'a [u8] {
        let mut cursor = self.file.rest();
        match cursor.skip(self.frame_bytes()) {
            Ok(()) => cursor.rest(),
            Err(_) => &[],
        }
    }

    /// Returns the offset of the first frame.
    pub fn frames_offset(&self) -> u64 {
        self.file.body
    }

    /// Returns the size of all frames that the header claims.
    pub(super) fn frame_bytes(&self) -> u64 {
        self.stride().saturating_mul(self.header.frames.get().into())
    }
}

/// One frame of a plain file.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct PlainFrame<'a> {
    /// The offset of the frame.
    pub offset: u64,
    /// The time of the frame.
    pub time: f32,
    /// Name and matrix of every bone.
    pub bones: &'a [BonePose],
}

impl<'a> PlainFrame<'a> {
    /// Returns the matrix of each bone, in bone order.
    pub fn matrices(&self) -> Strided<'a, Matrix> {
        let stride = size_of::<BonePose>();
        let column = size_of::<FixedName>();
        Strided::within(self.bones.as_bytes(), self.offset.saturating_add(size_of::<F32>() as u64), stride, column)
    }

    /// Returns an iterator over the names of the bones, which each frame repeats.
    pub fn names(&self) -> impl Iterator<Item = ByteStr<'a>> + Clone + use<'a> {
        self.bones.iter().map(|bone| bone.name.text())
    }

    /// Returns name and matrix of the bone at `index`.
    pub fn bone(&self, index: usize) -> Option<&'a BonePose> {
        self.bones.get(index)
    }

    /// Returns the number of bytes it takes, including its time.
    pub fn bytes(&self) -> u64 {
        (self.bones.as_bytes().len() as u64).saturating_add(size_of::<F32>() as u64)
    }
}
