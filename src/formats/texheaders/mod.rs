//! 0DHT: an index of an addon's textures, `texHeaders.bin`.
//!
//! ```text
//! "0DHT", u32 1, u32 textures
//! each texture: colors, flags, u32 mips, u32 kind, text path, u32 purpose
//!               u32 mips, each: u16 width, u16 height, u16 0, u8 kind, u8 3, u32 address
//!               u32 size of the texture's file
//! ```
//!
//! The tools of Arma write it beside `config.bin`. It tells kind, sizes and addresses of the mips of each texture, so
//! that a reader need not open the texture. Nothing is compressed. An index has no coordinate space.
//!
//! Paths are relative to the folder of the index. They are not [references](crate::summary::Reference): an index lists
//! what was there when it was written, and does not ask for it. Of 1,980 textures that real files list, 105 are not
//! there. As references, these would be reported as missing, and every other texture would count as used.

mod summary;
mod verify;
// Some records have no name outside of the crate.
#[allow(unreachable_pub)]
mod wire;

use wire::FileHeader;
pub use wire::{Color, Kind, Mip, Purpose, Texture};

use nom::Parser as _;
use nom::error::context;

use crate::base::error::{Context as _, Error, Result};
use crate::base::limits::Limits;
use crate::base::text::ByteStr;
use crate::bytes::Cursor;
use crate::bytes::parser::in_place;
use crate::outline::Schema;
use crate::ranges::Data;
use crate::record::Fixed;
use crate::record::list::Entries;

/// The records of a file.
pub(crate) const SCHEMA: &[&Schema] = &[FileHeader::SCHEMA, Texture::SCHEMA, Color::SCHEMA, Mip::SCHEMA];

/// The only known version.
const VERSION: u32 = 1;
/// The offset of the first texture.
const TEXTURES: u64 = size_of::<FileHeader>() as u64;
/// The offset of the number of textures.
const TEXTURE_COUNT: u64 = 8;

/// Returns the header if it is that of an index of the known version.
fn known(header: &FileHeader) -> Result<&FileHeader> {
    match (&*header.signature, header.version.get()) {
        (b"0DHT", VERSION) => Ok(header),
        (b"0DHT", version) => {
            Err(Error::unsupported(format!("texture index of version {version}, only {VERSION} is known")).at(4))
        }
        (other, _) => Err(Error::malformed(format!("starts with \"{}\", not \"0DHT\"", ByteStr::new(other)))),
    }
}

/// An index of textures, borrowed from its bytes.
///
/// ```
/// # let bytes = b"0DHT\x01\0\0\0\0\0\0\0";
/// use meshpeek::texheaders::Index;
/// let index = Index::parse(bytes)?;
/// for texture in index.textures() {
///     let texture = texture?;
///     println!("{}: {} mips, {} bytes", texture.path, texture.mips.len(), texture.file_size);
/// }
/// # Ok::<(), meshpeek::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Index<'a> {
    data: Data<'a>,
    header: &'a FileHeader,
    limits: Limits,
}

impl<'a> Index<'a> {
    /// Reads the header.
    ///
    /// # Errors
    /// Returns an error if it is not that of an index of version 1.
    pub fn parse(data: &'a [u8]) -> Result<Self> {
        Self::open(Data::Whole(data), &Limits::default())
    }

    /// Opens an index like [`parse`](Self::parse), with these limits. Possibly only ranges of the file are available.
    pub(crate) fn open(data: Data<'a>, limits: &Limits) -> Result<Self> {
        let mut cursor = Cursor::new(data.head(TEXTURES)?);
        let header = cursor.parse(context("header", in_place()).map_res(known))?;
        Ok(Self { data, header, limits: *limits })
    }

    /// Returns its version: 1.
    pub fn version(&self) -> u32 {
        VERSION
    }

    /// Returns the number of textures that the header claims.
    pub fn texture_count(&self) -> usize {
        self.header.texture_count.get() as usize
    }

    /// Returns an iterator over its textures in file order. It ends after the first error, because later textures
    /// cannot be found.
    pub fn textures(&self) -> Entries<'a, Texture<'a>> {
        Entries::new("textures", self.data.rest(TEXTURES), self.texture_count() as u64, ())
    }

    /// Returns an error if the file is too small for the number of textures that the header claims.
    fn check_count(&self) -> Result<()> {
        let count = self.texture_count() as u64;
        let least = count.saturating_mul(const { Texture::SCHEMA.min() });
        let left = self.data.size().saturating_sub(TEXTURES);
        if least > left {
            return Err(Error::truncated(least, left).at(TEXTURE_COUNT).within("texture_count"));
        }
        Ok(())
    }
}
