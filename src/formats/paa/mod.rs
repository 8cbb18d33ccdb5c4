//! PAA: Arma textures, `.paa` and `.pac`.
//!
//! ```text
//! u16 kind; tags: "GGAT", name, u32 length, data; u16 palette colors: blue, green, red
//! mips, the largest first: u16 width, u16 height, u24 length, data
//! u16 0, u16 0, u16 0
//! ```
//!
//! The DXT kinds store blocks of 4 x 4 pixels ([`bc`]), raw or as one LZO stream. All others store pixels row by row, as
//! one LZSS stream. Rows are stored from the top, pixels from the left. A texture has no space of its own.
//!
//! Files without a kind have a palette and indices into it, packed by RLE or LZSS. These are known from the source of an
//! engine only. No file of this kind, of DXT2 or of DXT4 is available.
//!
//! Each mip says how long it is: opening one reads nothing of those before it but their sides, and decodes nothing.

pub mod bc;
mod mip;
mod picture;
mod summary;
mod tag;
mod verify;
pub mod wire;

pub use mip::{Data, Layout, Mip, Mips, Pixels, Sides};
pub use picture::{Alpha, Picture};
pub use tag::{Tag, TagData, TagName};
pub use wire::{Color, EndMark, Kind, PaletteColor, Source, Swizzle, U24};

use crate::base::error::{Error, Result};
use crate::base::limits::Limits;
use crate::bytes::{Cursor, LeArray};
use crate::outline::{Outline, Schema, Sink, Type};
use crate::record::{Fixed, Framing, List, Read, Stored, form, record, walk_field};

/// The records of a file.
pub(crate) const SCHEMA: &[&Schema] =
    &[Header::SCHEMA, Tag::SCHEMA, Color::SCHEMA, Swizzle::SCHEMA, PaletteColor::SCHEMA, Mip::SCHEMA, EndMark::SCHEMA];

record! {
    /// What stands before the mips.
    Header<'a>(has_kind: bool) {
        /// How pixels are stored. Files without it have a palette.
        kind: Kind where has_kind,
        /// Named data.
        tags: List<'a, Tag<'a>> as tag::Tags<'a>,
        /// The colors that indices are into; none for all other kinds of pixels.
        palette: LeArray<'a, PaletteColor> as Palette<'a>,
    }
}

/// The most colors of a palette: as many as an index can name.
const MOST_COLORS: u16 = 256;

/// A count of two bytes, then the colors.
struct Palette<'a>(LeArray<'a, PaletteColor>);

impl Stored for Palette<'_> {
    const TYPE: Type = Type::Array(<PaletteColor as crate::bytes::Element>::COLUMNS, 2);

    fn describe_at(&self, name: &'static str, _: crate::base::span::Span, out: &mut Outline<'_>) {
        if !self.0.is_empty() {
            out.array(name, &self.0);
        }
    }
}

impl<'a> Read<'a> for Palette<'a> {
    fn walk(cursor: &mut Cursor<'a>, (): (), name: &'static str, sink: &mut impl Sink) -> Result<Self> {
        let start = *cursor;
        let count = Framing::<u16>::walk(cursor, (), name, sink)?.0;
        if count > MOST_COLORS {
            return Err(start.error(format!("{count} colors, at most {MOST_COLORS}")));
        }
        walk_field(cursor, name, sink, |cursor| cursor.array(count.into()).map(Self))
    }
}

form!(['a] Palette<'a> => LeArray<'a, PaletteColor>);

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
    data: &'a [u8],
    has_kind: bool,
    header: Header<'a>,
    mips: Mips<'a>,
}

impl<'a> Texture<'a> {
    /// Opens a texture: reads up to the first mip. Takes time linear in the tags.
    ///
    /// # Errors
    /// Returns an error if there is neither a known kind nor a palette, or if the bytes end before the first mip.
    pub fn parse(data: &'a [u8]) -> Result<Self> {
        Self::parse_with(data, &Limits::default())
    }

    /// Opens a texture like [`parse`](Self::parse), with the given limits.
    ///
    /// # Errors
    /// Returns the errors of [`parse`](Self::parse).
    pub fn parse_with(data: &'a [u8], limits: &Limits) -> Result<Self> {
        let word = Cursor::new(data).u16()?;
        let has_kind = word != 0 && Kind(word).name().is_some();
        if !has_kind && !data.starts_with(tag::SIGNATURE) && !(1..=MOST_COLORS).contains(&word) {
            return Err(Error::malformed(format!("starts with {word:#x}, neither a kind nor a palette")).at(0));
        }
        let mut cursor = Cursor::new(data);
        let start = cursor;
        let header = Header::read(&mut cursor, has_kind)?;
        if !has_kind && header.palette.is_empty() {
            return Err(start.error("neither a kind nor a palette"));
        }
        let kind = header.kind.unwrap_or(Kind::P8);
        let mips = Mips::new(cursor, Layout { kind, palette: header.palette, limits: *limits });
        Ok(Self { data, has_kind, header, mips })
    }

    /// Returns how pixels are stored.
    pub fn kind(&self) -> Kind {
        self.mips.layout().kind
    }

    /// Returns the tags in file order.
    pub fn tags(&self) -> List<'a, Tag<'a>> {
        self.header.tags
    }

    /// Returns the colors that indices are into; none for all other kinds of pixels.
    pub fn palette(&self) -> LeArray<'a, PaletteColor> {
        self.header.palette
    }

    /// Returns the mips, the largest first. Ends after the first error.
    pub fn mips(&self) -> Mips<'a> {
        self.mips
    }
}
