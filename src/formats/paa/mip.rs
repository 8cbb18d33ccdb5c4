//! Mips: the image in several sizes.

use std::iter::FusedIterator;
use std::ops::ControlFlow;

use nom::Parser as _;
use nom::bytes::complete::tag;

use super::bc::{bc1, bc2, bc3, narrow, to_eight_bits};
use super::wire::{Kind, PaletteColor, U24};
use crate::base::amount::Amount;
use crate::base::code::Code;
use crate::base::error::{Context as _, Error, Result};
use crate::base::limits::Limits;
use crate::base::span::Span;
use crate::blocks::Block;
use crate::bytes::array::columns;
use crate::bytes::batch::{RowSink, to_the_end};
use crate::bytes::parser::{is_ahead, part};
use crate::bytes::{Column, Cursor, LeArray, Packing, Storage, Table};
use crate::codec::Codec;
use crate::outline::{Outline, Sink, Type};
use crate::ranges;
use crate::record::parser::{Grammar, by_value, framing, le_u16, parsers};
use crate::record::{Stored, grammar, plain};

/// The maximum number of mips in a file: the number of offsets.
pub(super) const MOST_MIPS: usize = 16;
/// The bit of the width that marks LZO.
const LZO: u16 = 1 << 15;
/// The width and height that are stored before the real ones if the indices are an LZSS stream.
const LZSS_MARK: [u16; 2] = [1234, 8765];
/// The bytes before the pixels of a mip: marks, sides and length.
const LONGEST_HEAD: u64 = 4 + 4 + 3;
/// The sides that end the mips.
const NO_SIDES: [u8; 4] = [0; 4];

/// The properties that all mips of a texture share.
#[derive(Clone, Copy, Debug)]
pub struct Layout<'a> {
    pub(super) kind: Kind,
    pub(super) palette: LeArray<'a, PaletteColor>,
    pub(super) limits: Limits,
}

grammar! {
    /// The image in one size.
    Mip<'a>(layout: Layout<'a>) {
        /// Its width and height in pixels.
        sides: Sides = sides(layout.kind),
        /// Number of bytes of its pixels.
        byte_len: U24 = framing(by_value()),
        /// Its pixels: blocks of 4 x 4 for the DXT kinds, otherwise rows of pixels.
        data: Pixels<'a> = part(byte_len.get().into()).map(move |stored| Pixels { layout, sides, stored }),
    }
    also |mip, out| if mip.data.block().is_ok() {
        out.array("pixels", &mip.data);
    }
}

/// The width and height of a mip in pixels, and their marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sides {
    /// The width.
    pub width: u16,
    /// The height.
    pub height: u16,
    /// True if bit 15 of the stored width is set. It marks LZO.
    pub is_marked: bool,
    /// True if the sides 1234 and 8765 are stored before the real ones. They mark LZSS instead of RLE for palette
    /// indices. Known only from the source of an engine.
    pub has_mark: bool,
}

/// A width, described without the bit that marks LZO.
struct Width(u16);

plain! {
    Width: Number("u16", 2) => |width| width.0 & !LZO;
}

impl Stored for Sides {
    const TYPE: Type = Type::Varying("u16 width with bit 15 for LZO, u16 height", 4);
}

/// A parser of [`Sides`]. Only those of palette indices may have marks before them.
struct SidesOf(Kind);

/// Returns a parser of the sides of a mip with pixels of this kind.
fn sides(kind: Kind) -> SidesOf {
    SidesOf(kind)
}

parsers! { ['a] SidesOf => Sides; }

impl<'a> Grammar<'a> for SidesOf {
    const TYPE: Type = Sides::TYPE;

    /// Reads the sides, after their mark if there is one. Describes each number as a field of its own.
    fn walk(&mut self, cursor: &mut Cursor<'a>, _: &'static str, sink: &mut impl Sink) -> Result<Sides> {
        let mark = LZSS_MARK.map(u16::to_le_bytes);
        let has_mark = self.0 == Kind::P8 && is_ahead(*cursor, tag(mark.as_flattened()));
        if has_mark {
            framing(le_u16()).walk(cursor, "mark_width", sink)?;
            framing(le_u16()).walk(cursor, "mark_height", sink)?;
        }
        let Width(word) = le_u16().map(Width).walk(cursor, "width", sink)?;
        let height = le_u16().walk(cursor, "height", sink)?;
        Ok(Sides { width: word & !LZO, height, is_marked: word & LZO != 0, has_mark })
    }
}

impl Kind {
    /// Palette indices. Such files have no type word.
    pub const P8: Self = Self(0);
    /// One bit of alpha, five bits each of red, green and blue.
    pub const ARGB1555: Self = Self(0x1555);
    /// Four bits for each channel.
    pub const ARGB4444: Self = Self(0x4444);
    /// Gray and alpha, eight bits each.
    pub const AI88: Self = Self(0x8080);
    /// Eight bits for each channel.
    pub const ARGB8888: Self = Self(0x8888);
    /// BC1 blocks.
    pub const DXT1: Self = Self(0xff01);
    /// BC2 blocks, colors multiplied by alpha.
    pub const DXT2: Self = Self(0xff02);
    /// BC2 blocks.
    pub const DXT3: Self = Self(0xff03);
    /// BC3 blocks, colors multiplied by alpha.
    pub const DXT4: Self = Self(0xff04);
    /// BC3 blocks.
    pub const DXT5: Self = Self(0xff05);

    /// Returns true if pixels are stored in blocks of 4 x 4.
    pub const fn is_blocks(self) -> bool {
        matches!(self, Self::DXT1 | Self::DXT2 | Self::DXT3 | Self::DXT4 | Self::DXT5)
    }

    /// Returns the decoded size of an image in bytes. An incomplete block at the edge counts as a whole one.
    pub const fn byte_len(self, width: u16, height: u16) -> u64 {
        let (across, down) = match self.is_blocks() {
            true => (width.div_ceil(4) as u64, height.div_ceil(4) as u64),
            false => (width as u64, height as u64),
        };
        // The bytes of each block or pixel.
        let each = match self {
            Self::DXT1 => 8,
            Self::DXT2 | Self::DXT3 | Self::DXT4 | Self::DXT5 => 16,
            Self::ARGB8888 => 4,
            Self::P8 => 1,
            _ => 2,
        };
        // Both sides are below 2^16.
        across.saturating_mul(down).saturating_mul(each)
    }
}

/// The pixels of a mip. As a table, they are RGBA, row by row from the top, decoded on access.
#[derive(Clone, Copy, Debug)]
pub struct Pixels<'a> {
    layout: Layout<'a>,
    sides: Sides,
    stored: Cursor<'a>,
}

impl Stored for Pixels<'_> {
    const TYPE: Type = Type::Array(columns!["value" U8], 0);

    /// Pixels that do not match the sides are described as stored, with a problem.
    fn describe_at(&self, name: &'static str, _: Span, out: &mut Outline<'_>) {
        if let Some(block) = out.ok(self.block()) {
            return out.array(name, &block);
        }
        if let Ok(bytes) = LeArray::<u8>::new(self.stored.rest(), self.stored.offset())
            && !bytes.is_empty()
        {
            out.array(name, &bytes);
        }
    }
}

impl<'a> Pixels<'a> {
    /// Returns the way in which the pixels are compressed. It depends on their kind and on the marks of the sides.
    fn codec(&self) -> Codec {
        let kind = self.layout.kind;
        if kind.is_blocks() {
            return if self.sides.is_marked { Codec::Lzo } else { Codec::Raw };
        }
        if kind == Kind::P8 && !self.sides.has_mark {
            return Codec::Rle;
        }
        Codec::LzssSigned
    }

    /// See [`Mip::block`].
    fn block(&self) -> Result<Block<'a, u8>> {
        let Self { layout: Layout { kind, limits, .. }, sides: Sides { width, height, .. }, stored } = *self;
        if width == 0 || height == 0 {
            return Err(stored.error(format!("{width} x {height} pixels")));
        }
        // The width cannot be larger, because its highest bit is a mark.
        if height > i16::MAX.cast_unsigned() {
            return Err(stored.error(format!("{height} pixels high, at most {}", i16::MAX)));
        }
        let decoded_len = kind.byte_len(width, height);
        let codec = self.codec();
        if codec == Codec::Raw && decoded_len != stored.left() {
            let message = format!("{} bytes for {width} x {height} pixels, which take {decoded_len}", stored.left());
            return Err(stored.error(message));
        }
        let block = Block::exactly(stored, decoded_len, codec, &limits)?;
        block.check_claim()?;
        Ok(block)
    }

    /// Converts the decoded block to RGBA, and passes each row to `sink`, until it breaks.
    ///
    /// # Errors
    /// Returns an error if an index is not in the palette.
    pub(super) fn each_row(&self, decoded: &[u8], sink: &mut RowSink<'_>) -> Result<()> {
        let Self { layout: Layout { kind, palette, .. }, sides, stored } = *self;
        let width = usize::from(sides.width);
        // If the sink breaks, nothing is left to do.
        let _ = match kind {
            Kind::DXT1 => blocks(decoded, sides, bc1, sink),
            Kind::DXT2 | Kind::DXT3 => blocks(decoded, sides, bc2, sink),
            Kind::DXT4 | Kind::DXT5 => blocks(decoded, sides, bc3, sink),
            Kind::P8 => {
                if let Some(index) = decoded.iter().find(|&&index| usize::from(index) >= palette.len()) {
                    return Err(stored.error(format!("pixel {index} in a palette of {} colors", palette.len())));
                }
                plain(decoded, width, |&[index]| palette.get(index.into()).map(opaque).unwrap_or_default(), sink)
            }
            Kind::AI88 => plain(decoded, width, |&[gray, alpha]| [gray, gray, gray, alpha], sink),
            Kind::ARGB1555 => plain(decoded, width, argb1555, sink),
            Kind::ARGB8888 => plain(decoded, width, |&[blue, green, red, alpha]| [red, green, blue, alpha], sink),
            // ARGB4444. A file has no other kind.
            _ => plain(decoded, width, argb4444, sink),
        };
        Ok(())
    }
}

impl<'a> Mip<'a> {
    /// Returns the width in pixels.
    pub fn width(&self) -> u16 {
        self.sides.width
    }

    /// Returns the height in pixels.
    pub fn height(&self) -> u16 {
        self.sides.height
    }

    /// Returns the stored bytes, still compressed.
    pub fn stored_bytes(&self) -> LeArray<'a, u8> {
        LeArray::new(self.data.stored.rest(), self.data.stored.offset()).unwrap_or_default()
    }

    /// Returns the pixels as the texture's [`Kind`] stores them: in place, or one stream that is decoded on access.
    ///
    /// # Errors
    /// Returns an error if a side is 0 or too large, or if the stored bytes cannot hold this number of pixels.
    pub fn block(&self) -> Result<Block<'a, u8>> {
        self.data.block()
    }

    /// Returns the pixels as RGBA, decoded on access. The channels are as stored; see [`Swizzle`](super::Swizzle).
    pub fn pixels(&self) -> Pixels<'a> {
        self.data
    }

    /// Decodes the pixels to RGBA, in rows from the top. Interpolated colors and alphas are rounded to the nearest
    /// number.
    ///
    /// # Errors
    /// Returns the errors of [`block`](Self::block). Returns an error if the pixels exceed [`Limits::decoded_bytes`],
    /// do not decode, or have an index that is not in the palette.
    pub fn to_rgba8(&self) -> Result<Vec<u8>> {
        let pixels = self.pixels();
        let limit = self.data.layout.limits.decoded_bytes;
        let offset = self.data.stored.offset();
        let block = self.block()?;
        // Four channels of one byte for each pixel.
        let bytes = pixels.rows().saturating_mul(4);
        if bytes > limit {
            return Err(Error::limit("decoded bytes in a picture", limit, Code::DecodedBytesLimit).at(offset));
        }
        let mut out = Vec::new();
        let is_reserved = usize::try_from(bytes).is_ok_and(|bytes| out.try_reserve_exact(bytes).is_ok());
        if !is_reserved {
            return Err(Error::out_of_memory().at(offset));
        }
        pixels.each_row(&block.decode()?, &mut to_the_end(|row: &[u8]| out.extend_from_slice(row)))?;
        Ok(out)
    }
}

impl Table for Pixels<'_> {
    /// Returns the number of pixels: each is a row of the table.
    fn rows(&self) -> u64 {
        u64::from(self.sides.width).saturating_mul(self.sides.height.into())
    }

    fn columns(&self) -> Vec<Column> {
        columns![U8: "red", "green", "blue", "alpha"].to_vec()
    }

    /// Returns where the stored pixels are. The rows are made from them.
    fn storage(&self) -> Storage {
        Storage { offset: self.stored.offset(), bytes: self.stored.left(), packing: Packing::Derived }
    }

    /// Returns the height and the width.
    fn picture(&self) -> Option<[u64; 2]> {
        Some([self.sides.height, self.sides.width].map(u64::from))
    }

    /// Returns the size of the decoded block from which the pixels are made.
    fn read_memory(&self) -> u64 {
        match self.block() {
            Ok(block) if block.borrowed().is_none() => block.decoded_byte_len(),
            _ => 0,
        }
    }

    fn read(&self, sink: &mut RowSink<'_>) -> Result<()> {
        self.each_row(&self.block()?.decode()?, sink)
    }
}

/// Decodes one row of blocks at a time, which gives four rows of pixels, and passes each row of pixels to `sink`. A
/// block takes `N` bytes. Pixels of blocks at the edge that are outside the sides are dropped.
fn blocks<const N: usize>(
    stored: &[u8],
    Sides { width, height, .. }: Sides,
    decode: impl Fn(&[u8; N]) -> super::bc::Block,
    sink: &mut RowSink<'_>,
) -> ControlFlow<()> {
    let across = usize::from(width).div_ceil(4);
    // The bytes of a row of pixels of whole blocks: 4 pixels of 4 bytes for each.
    let pitch = across.saturating_mul(16);
    let mut strip = vec![0; pitch.saturating_mul(4)];
    // The rows of pixels left.
    let mut left = usize::from(height);
    let (all, _) = stored.as_chunks::<N>();
    for row in all.chunks_exact(across.max(1)) {
        let (top, bottom) = strip.split_at_mut(pitch.saturating_mul(2));
        let ((first, second), (third, fourth)) = (top.split_at_mut(pitch), bottom.split_at_mut(pitch));
        // The place of each block in the four rows.
        let places = [first, second, third, fourth].map(|row| row.as_chunks_mut::<16>().0);
        let [first, second, third, fourth] = places;
        for ((((block, a), b), c), d) in row.iter().zip(first).zip(second).zip(third).zip(fourth) {
            let pixels = decode(block);
            let (rows, _) = pixels.as_flattened().as_chunks::<16>();
            if let [first, second, third, fourth] = rows {
                (*a, *b, *c, *d) = (*first, *second, *third, *fourth);
            }
        }
        for row in strip.chunks_exact(pitch.max(1)).take(left) {
            sink(row.get(..usize::from(width).saturating_mul(4)).unwrap_or(row))?;
        }
        left = left.saturating_sub(4);
    }
    ControlFlow::Continue(())
}

/// Converts pixels of `N` bytes, and passes each row to `sink`.
fn plain<const N: usize>(
    stored: &[u8],
    width: usize,
    convert: impl Fn(&[u8; N]) -> [u8; 4],
    sink: &mut RowSink<'_>,
) -> ControlFlow<()> {
    let mut out = vec![[0; 4]; width];
    for row in stored.as_chunks::<N>().0.chunks_exact(width.max(1)) {
        for (pixel, stored) in out.iter_mut().zip(row) {
            *pixel = convert(stored);
        }
        sink(out.as_flattened())?;
    }
    ControlFlow::Continue(())
}

/// Converts a color of the palette to RGBA.
fn opaque(color: &PaletteColor) -> [u8; 4] {
    [color.red, color.green, color.blue, 255]
}

/// Converts a pixel of four bits for each channel, with alpha at the top, to RGBA.
fn argb4444(stored: &[u8; 2]) -> [u8; 4] {
    let word = u64::from(u16::from_le_bytes(*stored));
    // 15 * 17 is 255.
    [word >> 8, word >> 4, word, word >> 12].map(|channel| narrow((channel & 15).wrapping_mul(17)))
}

/// Converts a pixel of one bit of alpha at the top and five bits for each color to RGBA.
fn argb1555(stored: &[u8; 2]) -> [u8; 4] {
    let word = u16::from_le_bytes(*stored);
    let [red, green, blue] = [word >> 10, word >> 5, word].map(|channel| to_eight_bits(u32::from(channel & 31), 31));
    [red, green, blue, if word >> 15 == 1 { 255 } else { 0 }]
}

/// An iterator over the mips of a texture, the largest first. It ends at the end mark or after an error.
#[derive(Clone, Copy, Debug)]
pub struct Mips<'a> {
    cursor: Cursor<'a>,
    layout: Layout<'a>,
    /// The index of the next one; `None` after the last.
    next: Option<usize>,
}

impl<'a> Mips<'a> {
    /// Creates an iterator over the mips from the cursor on.
    pub(super) fn new(cursor: Cursor<'a>, layout: Layout<'a>) -> Self {
        Self { cursor, layout, next: Some(0) }
    }

    /// Returns the offset of the next mip in the file. After the last mip, this is the offset of the end mark.
    pub fn offset(&self) -> u64 {
        self.cursor.offset()
    }

    /// Returns a cursor at [`offset`](Self::offset), with the bytes from there to the end of the file.
    pub(super) fn rest(&self) -> Cursor<'a> {
        self.cursor
    }
}

impl<'a> Iterator for Mips<'a> {
    type Item = Result<Mip<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        // Stays `None` at the end mark and after an error.
        let index = self.next.take()?;
        if is_ahead(self.cursor, tag(&NO_SIDES[..])) {
            return None;
        }
        let mip = match index {
            MOST_MIPS.. => Err(self.cursor.error(format!("more than {MOST_MIPS} mips"))),
            _ => self.cursor.parse(Mip::parser(self.layout)),
        };
        let mip = mip.within_item("mips", index);
        if mip.is_ok() {
            self.next = Some(index.saturating_add(1));
        }
        Some(mip)
    }
}

impl FusedIterator for Mips<'_> {}

/// Returns the number of mips from this offset on that [`Mips`] can read. Of a file in ranges, needs the sides and
/// length of each mip, but not its pixels.
pub(super) fn count(data: ranges::Data<'_>, mut offset: u64, layout: Layout<'_>) -> u64 {
    if let ranges::Data::Whole(_) = data {
        return Mips::new(data.rest(offset), layout).flatten().count() as u64;
    }
    let mut count = Amount(0);
    while count.0 < MOST_MIPS as u64
        && let Some(end) = end_of_mip(data, offset, layout.kind)
    {
        offset = end;
        count += 1;
    }
    count.0
}

/// Returns the sides of the mip at this offset, or `None` if there is none. Needs no pixels.
pub(super) fn sides_at(data: ranges::Data<'_>, offset: u64, kind: Kind) -> Option<Sides> {
    Some(head(data, offset, kind)?.sides)
}

/// Returns the offset after the mip at this offset, or `None` if there is none or the file ends before.
fn end_of_mip(data: ranges::Data<'_>, offset: u64, kind: Kind) -> Option<u64> {
    let Head { pixels, byte_len, .. } = head(data, offset, kind)?;
    let end = pixels.saturating_add(byte_len.get().into());
    if end <= data.size() { Some(end) } else { None }
}

/// The sizes that are stored before the pixels of a mip.
struct Head {
    sides: Sides,
    /// The number of bytes of the pixels.
    byte_len: U24,
    /// The offset of the pixels.
    pixels: u64,
}

/// Reads the sides and length of the mip at this offset. Returns `None` at the end of the mips, and if bytes are
/// missing.
fn head(data: ranges::Data<'_>, offset: u64, kind: Kind) -> Option<Head> {
    let end = data.size().min(offset.saturating_add(LONGEST_HEAD));
    // `data` records which bytes are missing, so that the caller can get them.
    let mut cursor = Cursor::with_offset(data.ahead(offset..end).ok()?, offset);
    if is_ahead(cursor, tag(&NO_SIDES[..])) {
        return None;
    }
    let (sides, byte_len) = cursor.parse((sides(kind), by_value::<U24>())).ok()?;
    Some(Head { sides, byte_len, pixels: cursor.offset() })
}
