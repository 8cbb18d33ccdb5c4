//! A texture, and the fields before its mips.

use nom::Parser as _;
use nom::branch::alt;
use nom::bytes::complete::tag as nom_tag;
use nom::combinator::{peek, recognize, verify};
use nom::number::complete::le_u16 as nom_u16;

use super::mip::{Layout, Mip, Mips};
use super::tag::{self, Tag};
use super::wire::{Color, EndMark, Kind, PaletteColor, Swizzle};
use crate::base::error::{Error, Result};
use crate::base::limits::Limits;
use crate::bytes::parser::is_ahead;
use crate::bytes::{Cursor, LeArray};
use crate::outline::Schema;
use crate::record::parser::{Grammar, array, cond, counted, described, le_u16};
use crate::record::{Fixed, List, grammar};
use crate::{ranges, record};

/// The records of a file.
pub(crate) const SCHEMA: &[&Schema] =
    &[Header::SCHEMA, Tag::SCHEMA, Color::SCHEMA, Swizzle::SCHEMA, PaletteColor::SCHEMA, Mip::SCHEMA, EndMark::SCHEMA];

grammar! {
    /// The header and tags before the mips.
    crate Header<'a>(has_kind: bool) {
        /// The pixel format. Files without it have a palette.
        kind: Option<Kind> = cond(has_kind, le_u16().map(Kind)),
        /// Named data.
        tags: List<'a, Tag<'a>> = tag::tags(),
        /// The colors that indices refer to; empty for all other kinds of pixels.
        palette: LeArray<'a, PaletteColor> = counted(record::parser::verify(le_u16(), check_colors), palette),
    }
}

/// The maximum number of colors in a palette, because indices have one byte.
const MOST_COLORS: u16 = 256;

/// Checks that a palette has no more colors than indices can refer to.
fn check_colors(count: &u16) -> Result<()> {
    match count {
        0..=MOST_COLORS => Ok(()),
        _ => Err(Error::malformed(format!("{count} colors, at most {MOST_COLORS}"))),
    }
}

/// Returns a parser of a palette of this many colors. Outlines omit an empty one.
fn palette<'a>(count: u64) -> impl Grammar<'a, Output = LeArray<'a, PaletteColor>> {
    described(array(count), |colors: &LeArray<'_, PaletteColor>, name, _, out| {
        if !colors.is_empty() {
            out.array(name, colors);
        }
    })
}

/// An Arma texture, borrowed from its bytes.
///
/// ```
/// # let bytes = b"\x01\xff\0\0\x04\0\x04\0\x08\0\0\0\xf8\0\0\0\0\0\0\0\0\0\0\0\0";
/// use meshpeek::paa::Texture;
/// let texture = Texture::parse(bytes)?;
/// for mip in texture.mips() {
///     let mip = mip?;
///     println!("{} x {}, {}", mip.width(), mip.height(), mip.block()?.packing());
/// }
/// let largest = texture.mips().next().expect("a mip")?;
/// assert_eq!(largest.to_rgba8()?[..4], [255, 0, 0, 255]);
/// # Ok::<(), meshpeek::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Texture<'a> {
    pub(super) data: ranges::Data<'a>,
    pub(super) header: Header<'a>,
    /// The offset of the first mip.
    pub(super) mips: u64,
    pub(super) layout: Layout<'a>,
}

impl<'a> Texture<'a> {
    /// Opens a texture: reads up to the first mip. Takes time linear in the tags.
    ///
    /// # Errors
    /// Returns an error if there is neither a known kind nor a palette, or if the bytes end before the first mip.
    pub fn parse(data: &'a [u8]) -> Result<Self> {
        Self::open(ranges::Data::Whole(data), &Limits::default())
    }

    /// Opens a texture like [`parse`](Self::parse), with these limits. Possibly only ranges of the file are available.
    pub(crate) fn open(data: ranges::Data<'a>, limits: &Limits) -> Result<Self> {
        // The first mip is directly after the header.
        let (header, mips) = data.read(0, |cursor| Ok((Self::read(cursor)?, cursor.offset())))?;
        let kind = header.kind.unwrap_or(Kind::P8);
        let layout = Layout { kind, palette: header.palette, limits: *limits };
        Ok(Self { data, header, mips, layout })
    }

    /// Reads the header, which ends at the first mip. A file starts with the number of a known kind, or with the tags
    /// and the palette of a file without one.
    fn read(cursor: &mut Cursor<'a>) -> Result<Header<'a>> {
        let start = *cursor;
        let word = cursor.parse(peek(le_u16()))?;
        // Kind 0 is that of a file without a type word.
        let has_kind = is_ahead(*cursor, verify(nom_u16, |&word| word != 0 && Kind(word).name().is_some()));
        let tags = recognize(nom_tag(&tag::SIGNATURE[..]));
        let palette = recognize(verify(nom_u16, |word| (1..=MOST_COLORS).contains(word)));
        // Without a kind, the tags or the number of colors in the palette come first.
        if !has_kind && !is_ahead(*cursor, alt((tags, palette))) {
            return Err(start.error(format!("starts with {word:#x}, neither a kind nor a palette")));
        }
        let header = cursor.parse(Header::parser(has_kind))?;
        if !has_kind && header.palette.is_empty() {
            return Err(start.error("neither a kind nor a palette"));
        }
        Ok(header)
    }

    /// Returns the pixel format.
    pub fn kind(&self) -> Kind {
        self.layout.kind
    }

    /// Returns the tags in file order.
    pub fn tags(&self) -> List<'a, Tag<'a>> {
        self.header.tags
    }

    /// Returns the colors that indices refer to; empty for all other kinds of pixels.
    pub fn palette(&self) -> LeArray<'a, PaletteColor> {
        self.header.palette
    }

    /// Returns the mips, the largest first. Ends after the first error.
    pub fn mips(&self) -> Mips<'a> {
        Mips::new(self.data.rest(self.mips), self.layout)
    }
}
