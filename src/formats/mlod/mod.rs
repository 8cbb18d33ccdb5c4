//! MLOD: editable Arma models, before they are binarised to ODOL.
//!
//! ```text
//! "MLOD", u32 257, u32 LODs
//! each LOD: "P3DM", u32 28, u32 256, u32 points, normals, faces, flags
//!           points, normals, faces with two names each
//!           "TAGG", tags up to "#EndOfFile#", f32 resolution
//! ```
//!
//! A LOD of the older form starts with "SP3X", 28, 153. Its faces have one name, in 32 bytes before their other fields; the
//! names of its tags take 64 bytes.
//!
//! | space | |
//! | --- | --- |
//! | axes | x right, y up, z forward |
//! | handedness | left |
//! | front faces | counterclockwise; normals of visual LODs point into the body |
//! | V | down from the top |
//! | quaternions | none |
//! | matrices | none |
//! | units | meters |
//!
//! Nothing is compressed. LODs do not store their length, so each one is walked to find the next.

mod lod;
mod names;
mod summary;
#[cfg(test)]
mod tests;
// Some records have no name outside of the crate.
#[allow(unreachable_pub)]
mod wire;

pub use crate::formats::resolution::Resolution;
pub use lod::{Face, Form, Lod, Tag};
use wire::FileHeader;
pub use wire::{Corner, FaceFields, FirstTexture, LodHeader, NativePoint, Point, ShortName};

use nom::Parser as _;
use nom::error::context;

use crate::base::error::{Error, Result};
use crate::base::limits::Limits;
use crate::base::text::ByteStr;
use crate::bytes::Cursor;
use crate::bytes::parser::in_place;
use crate::outline::Schema;
use crate::ranges::Data;
use crate::record::Fixed;
use crate::record::list::Entries;

/// The records of a file.
pub(crate) const SCHEMA: &[&Schema] = &[
    FileHeader::SCHEMA,
    Lod::SCHEMA,
    LodHeader::SCHEMA,
    Point::SCHEMA,
    Face::SCHEMA,
    FirstTexture::SCHEMA,
    FaceFields::SCHEMA,
    Corner::SCHEMA,
    Tag::SCHEMA,
];

/// The only known version.
const VERSION: u32 = 257;
/// The offset of the first LOD.
const LODS: u64 = size_of::<FileHeader>() as u64;

/// Returns the header if it is that of an MLOD model of the known version.
fn known(header: &FileHeader) -> Result<&FileHeader> {
    match (&*header.signature, header.version.get()) {
        (b"MLOD", VERSION) => Ok(header),
        (b"MLOD", version) => {
            Err(Error::unsupported(format!("MLOD of version {version}, only {VERSION} is known")).at(4))
        }
        (other, _) => Err(Error::malformed(format!("starts with \"{}\", not \"MLOD\"", ByteStr::new(other)))),
    }
}

/// An MLOD model, borrowed from its bytes.
///
/// ```
/// # let bytes = b"MLOD\x01\x01\0\0\0\0\0\0";
/// use meshpeek::mlod::Model;
/// let model = Model::parse(bytes)?;
/// for lod in model.lods() {
///     let lod = lod?;
///     println!("LOD {}: {} faces", lod.resolution, lod.faces.len());
/// }
/// # Ok::<(), meshpeek::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Model<'a> {
    data: Data<'a>,
    header: &'a FileHeader,
    limits: Limits,
}

impl<'a> Model<'a> {
    /// Reads the header.
    ///
    /// # Errors
    /// Returns an error if it is not that of an MLOD model of version 257.
    pub fn parse(data: &'a [u8]) -> Result<Self> {
        Self::open(Data::Whole(data), &Limits::default())
    }

    /// Opens a model like [`parse`](Self::parse), with these limits. Possibly only ranges of the file are available.
    pub(crate) fn open(data: Data<'a>, limits: &Limits) -> Result<Self> {
        let mut cursor = Cursor::new(data.head(LODS)?);
        let header = cursor.parse(context("header", in_place()).map_res(known))?;
        Ok(Self { data, header, limits: *limits })
    }

    /// Returns its version: 257.
    pub fn version(&self) -> u32 {
        VERSION
    }

    /// Returns the number of LODs that the header claims.
    pub fn lod_count(&self) -> usize {
        self.header.lod_count.get() as usize
    }

    /// Returns an iterator over its LODs in file order. It ends after the first error, because later LODs cannot be
    /// found.
    pub fn lods(&self) -> Entries<'a, Lod<'a>> {
        Entries::new("lods", self.data.rest(LODS), self.lod_count() as u64, ())
    }
}
