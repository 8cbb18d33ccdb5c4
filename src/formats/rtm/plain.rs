//! Plain files: RTM_0101, with or without RTM_MDAT before it.

use nom::Parser as _;
use nom::error::context;
use zerocopy::little_endian::F32;
use zerocopy::{FromBytes, IntoBytes};

use super::text::{Names, PlainProperty};
use super::wire::{BonePose, FixedName, Matrix, MetadataHeader, PlainHeader};
use crate::base::error::{Context, Error, Result};
use crate::base::limits::Limits;
use crate::base::text::ByteStr;
use crate::bytes::parser::in_place;
use crate::bytes::{Cursor, Strided};
use crate::record::Read;
use crate::record::list::{Count, List};

fn known(header: &PlainHeader) -> Result<&PlainHeader> {
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
    metadata: Option<&'a MetadataHeader>,
    properties: Option<List<'a, PlainProperty<'a>>>,
    header: &'a PlainHeader,
    header_offset: u64,
    bones: Names<'a>,
    /// From the first frame on.
    body: Cursor<'a>,
    limits: Limits,
}

impl<'a> Plain<'a> {
    /// Opens a plain file: reads up to the names of the bones, no frame.
    ///
    /// # Errors
    /// Where the bytes start neither with RTM_0101 nor with RTM_MDAT and that, or end before the first frame.
    pub fn parse(data: &'a [u8], limits: &Limits) -> Result<Self> {
        let mut cursor = Cursor::new(data);
        let (mut metadata, mut properties) = (None, None);
        if data.starts_with(b"RTM_MDAT") {
            let header: &MetadataHeader = cursor.parse(context("metadata", in_place()))?;
            metadata = Some(header);
            let list = List::<PlainProperty<'_>>::parser(Count(header.properties.get(), ()));
            properties = Some(cursor.parse(context("properties", list))?);
        }
        let header_offset = cursor.offset();
        let header = cursor.parse(context("header", in_place()).map_res(known))?;
        let bones = Names::Fixed(cursor.array::<FixedName>(header.bones.get().into()).within("bones")?);
        Ok(Self { metadata, properties, header, header_offset, bones, body: cursor, limits: *limits })
    }

    /// The header as stored.
    pub fn header(&self) -> &'a PlainHeader {
        self.header
    }

    /// Where the header starts: behind RTM_MDAT, where the file has that.
    pub fn header_offset(&self) -> u64 {
        self.header_offset
    }

    /// The start of RTM_MDAT as stored.
    pub fn metadata(&self) -> Option<&'a MetadataHeader> {
        self.metadata
    }

    /// The properties in RTM_MDAT.
    pub fn properties(&self) -> Option<List<'a, PlainProperty<'a>>> {
        self.properties
    }

    /// The names of the bones.
    pub fn bones(&self) -> Names<'a> {
        self.bones
    }

    /// When each frame stands, 0 at the first, 1 at the last.
    ///
    /// # Errors
    /// Where the frames are not all there.
    pub fn times(&self) -> Result<Strided<'a, F32>> {
        let mut cursor = self.body;
        let records = cursor.bytes(self.frame_bytes()).within("frames")?;
        let stride = usize::try_from(self.stride()).unwrap_or(usize::MAX);
        Strided::new(records, self.body.offset(), stride, 0)
    }

    /// The frame at `index`. O(1).
    ///
    /// # Errors
    /// Where it is not all there.
    pub fn frame(&self, index: usize) -> Result<Option<PlainFrame<'a>>> {
        if index >= self.header.frames.get() as usize {
            return Ok(None);
        }
        self.frame_at(index).within_item("frames", index).map(Some)
    }

    fn frame_at(&self, index: usize) -> Result<PlainFrame<'a>> {
        let mut cursor = self.body;
        cursor.skip(self.stride().saturating_mul(index as u64))?;
        let offset = cursor.offset();
        let time = cursor.f32()?;
        let bytes = cursor.bytes(self.stride().saturating_sub(size_of::<F32>() as u64))?;
        let bones = <[BonePose]>::ref_from_bytes(bytes).map_err(|_| cursor.error("bones do not divide"))?;
        Ok(PlainFrame { offset, time, bones })
    }

    /// The frames in order; ends after the first error.
    pub fn frames(&self) -> impl Iterator<Item = Result<PlainFrame<'a>>> + use<'a> {
        let (plain, mut broken) = (*self, false);
        (0..self.header.frames.get() as usize).map_while(move |index| {
            let frame = if broken { None } else { plain.frame(index).transpose() };
            broken |= matches!(frame, Some(Err(_)));
            frame
        })
    }

    /// The bytes from one frame to the next.
    pub fn stride(&self) -> u64 {
        let bones = u64::from(self.header.bones.get());
        bones.saturating_mul(size_of::<BonePose>() as u64).saturating_add(size_of::<F32>() as u64)
    }

    /// The bytes behind the last frame, which belong to nothing; none in all files seen.
    pub fn trailing(&self) -> &'a [u8] {
        let mut cursor = self.body;
        match cursor.skip(self.frame_bytes()) {
            Ok(()) => cursor.rest(),
            Err(_) => &[],
        }
    }

    /// Where the first frame starts.
    pub fn frames_offset(&self) -> u64 {
        self.body.offset()
    }

    /// From the first frame to the end of the file.
    pub(super) fn rest(&self) -> Cursor<'a> {
        self.body
    }

    /// The bytes of all frames, by the header's word.
    pub(super) fn frame_bytes(&self) -> u64 {
        self.stride().saturating_mul(self.header.frames.get().into())
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }
}

/// One frame of a plain file.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct PlainFrame<'a> {
    /// Where it starts.
    pub offset: u64,
    /// When it stands.
    pub time: f32,
    bones: &'a [BonePose],
}

impl<'a> PlainFrame<'a> {
    /// The matrix of each bone, in the order of the bones.
    pub fn matrices(&self) -> Strided<'a, Matrix> {
        let (stride, column) = (size_of::<BonePose>(), size_of::<FixedName>());
        Strided::within(self.bones.as_bytes(), self.offset.saturating_add(size_of::<F32>() as u64), stride, column)
    }

    /// The names of the bones, which each frame repeats.
    pub fn names(&self) -> impl Iterator<Item = ByteStr<'a>> + Clone + use<'a> {
        self.bones.iter().map(|bone| bone.name.text())
    }

    /// Name and matrix of every bone.
    pub fn poses(&self) -> &'a [BonePose] {
        self.bones
    }

    /// Name and matrix of the bone at `index`.
    pub fn bone(&self, index: usize) -> Option<&'a BonePose> {
        self.bones.get(index)
    }

    /// The bytes it takes, its time included.
    pub fn bytes(&self) -> u64 {
        (self.bones.as_bytes().len() as u64).saturating_add(size_of::<F32>() as u64)
    }
}
