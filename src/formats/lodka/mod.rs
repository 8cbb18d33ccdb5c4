//! LODka3D models, `.lod`.
//!
//! A file is eight signature bytes and then chunks: a tag, a size, a count and a body of that size. A LOD1 chunk is a
//! model; some files have several. Its contents are in place, packed and unaligned: skeleton (SKL1), animations (ANS1 >
//! ANM1), materials (MAL1 > MAT1), embedded textures (TXTL > TXTR), shaders (SHDL > SHDR), meshes (MSL1 > MSH1), morph
//! animations (MAN1, MMD1), physics (PHS1), lights (LGS1 > LIG1), proxies (PXL1 > PXI1), colliders (CLL1 > COL1), a
//! screenshot (IMG1) and user data (INF1). Other chunks are skipped, and listed in the outline.
//!
//! [`Model`] is the file. Its records have no types of their own here: [`outline`](crate::Inspect::outline) passes their
//! fields and arrays to a [visitor](crate::inspect::Visitor), [`geometry`](crate::geometry) has the meshes in the common
//! space, and [`pose`](crate::pose) the bones and animations. Names are bytes in a code page that the file does not specify
//! ([`AnsiStr`]): for display they are decoded as UTF-8 or windows-1251.
//!
//! | space | |
//! | --- | --- |
//! | axes | x right, y up, z backward, as in OpenGL |
//! | handedness | right |
//! | front faces | counterclockwise |
//! | V | up from the bottom |
//! | quaternions | x, y, z, w; keys of bones are Euler angles in radians, about x first, then y, then z |
//! | matrices | morphs: three rows of a rotation, then a position; colliders: sixteen numbers as stored |
//! | units | those of the model |
//!
//! The description does not define the axes. Handedness and up direction are those of GLScene, for which the author's
//! loader is written; the order of corners is that of the real models.
//!
//! The format's description leaves some layouts open. If a file does not fit the reading of the author's own loader,
//! the description's reading is tried (`uv_counts_apart` of a mesh, `wide_records` of morphs and proxies), and reported as
//! a warning if it fits.
// Only geometry, exports and scans read some of the records.
#![cfg_attr(not(all(feature = "export", feature = "scan")), allow(dead_code, unused_imports))]

mod check;
mod chunk;
// Fields of records read in place, which are `pub` as those are.
#[allow(unreachable_pub)]
mod codes;
mod content;
mod embedded;
mod face;
mod fields;
mod indices;
#[cfg(feature = "fuzzing")]
pub(crate) mod invariants;
mod kind;
mod known;
mod material;
mod mesh;
mod morph;
mod outline;
mod packed;
mod physics;
mod scenery;
mod sets;
mod skeleton;
mod summary;
mod text;
mod verify;
mod weight;
// Some records have no name outside of the crate.
#[allow(unreachable_pub)]
pub(crate) mod wire;

pub(crate) use chunk::{Chunk, Chunks, LodModel, Node, Nodes, View};
pub(crate) use codes::{FaceMode, MappingMode};
pub(crate) use embedded::{Bump, Info, Screenshot, Shader, ShaderList, Texture, TextureList, TextureRecord};
pub(crate) use face::FaceGroup;
pub(crate) use indices::Indices;
pub(crate) use kind::Kind;
pub(crate) use material::{Material, MaterialList};
pub(crate) use mesh::Mesh;
pub(crate) use morph::{MorphCollection, MorphCollections, MorphMesh, MorphMeshes};
pub(crate) use physics::Physics;
pub(crate) use scenery::{ColliderSet, LightScheme, ProxySet};
pub(crate) use skeleton::{Animation, Bone, Skeleton};
pub(crate) use weight::{WeightRecords, Weights};

use crate::base::error::{Error, Result};
use crate::base::limits::Limits;
pub use crate::base::text::{AnsiStr, to_cp1251, to_text};
use crate::bytes::Cursor;
use crate::outline::Schema;
use crate::ranges::Data;
use crate::record::Fixed;
use crate::record::parser::le_u8;

/// The records of a file that are described in one piece.
pub(crate) const SCHEMA: &[&Schema] = &[
    wire::ChunkHeader::SCHEMA,
    Info::SCHEMA,
    Skeleton::SCHEMA,
    Bone::SCHEMA,
    Animation::SCHEMA,
    wire::Key::SCHEMA,
    MaterialList::SCHEMA,
    Material::SCHEMA,
    wire::MaterialOptions::SCHEMA,
    TextureList::SCHEMA,
    Texture::SCHEMA,
    ShaderList::SCHEMA,
    Shader::SCHEMA,
    Bump::SCHEMA,
    Mesh::SCHEMA,
    wire::NarrowWeight::SCHEMA,
    wire::WideWeight::SCHEMA,
    FaceGroup::SCHEMA,
    MorphCollections::SCHEMA,
    wire::MorphRecord::SCHEMA,
    wire::MorphBone::SCHEMA,
    wire::MorphAnimation::SCHEMA,
    wire::MorphMatrix::SCHEMA,
    wire::MorphCollider::SCHEMA,
    MorphMeshes::SCHEMA,
    wire::MorphMeshRecord::SCHEMA,
    Physics::SCHEMA,
    wire::Body::SCHEMA,
    wire::Geom::SCHEMA,
    wire::Joint::SCHEMA,
    LightScheme::SCHEMA,
    wire::Light::SCHEMA,
    ProxySet::SCHEMA,
    wire::Proxy::SCHEMA,
    ColliderSet::SCHEMA,
    wire::Collider::SCHEMA,
    Screenshot::SCHEMA,
];

/// A file with one model, or several independent ones.
///
/// ```
/// # let bytes = b"LODka3D1LOD1\x0e\0\0\0\x01\0\0\0INF1\x02\0\0\0\x01\0\0\0hi";
/// use meshpeek::Inspect;
/// use meshpeek::lodka::Model;
/// let model = Model::parse(bytes)?;
/// println!("{} meshes", model.summarize().counts.get("meshes").unwrap_or(0));
/// # assert_eq!(model.summarize().counts.get("models"), Some(1));
/// # Ok::<(), meshpeek::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Model<'a> {
    data: Data<'a>,
    limits: Limits,
}

/// The offset of the first chunk, after the signature and the version.
const CHUNKS: u64 = 8;

impl<'a> Model<'a> {
    /// The signature without its last byte, which is the version digit.
    pub(crate) const SIGNATURE: &'static [u8] = b"LODka3D";

    /// Opens a file. Reads the signature and the first chunk's header.
    ///
    /// # Errors
    /// Returns an error if the signature or the first chunk's tag is wrong, and
    /// [`Unsupported`](crate::ErrorKind::Unsupported) for another version.
    pub fn parse(data: &'a [u8]) -> Result<Self> {
        Self::open(Data::Whole(data), &Limits::default())
    }

    /// Opens a file like [`parse`](Self::parse), with these limits. Possibly only ranges of the file are available.
    pub(crate) fn open(data: Data<'a>, limits: &Limits) -> Result<Self> {
        let mut cursor = Cursor::new(data.head(CHUNKS.saturating_add(size_of::<wire::ChunkHeader>() as u64))?);
        if cursor.bytes(Self::SIGNATURE.len() as u64)? != Self::SIGNATURE {
            return Err(Error::malformed("does not start with LODka3D1").at(0));
        }
        let digit_offset = cursor.offset();
        let digit = cursor.parse(le_u8())?;
        if digit != b'1' {
            let message = format!("LODka3D model of version {}, not 1", digit.escape_ascii());
            return Err(Error::unsupported(message).at(digit_offset));
        }
        let first = Chunk::next(&mut cursor.clone())?;
        match first.map(|chunk| chunk.tag()) {
            Some(tag) if tag.0 == *b"LOD1" => Ok(Self { data, limits: *limits }),
            Some(tag) => Err(cursor.error(format!("first chunk is {tag}, not LOD1"))),
            None => Err(cursor.error("no chunk after the signature")),
        }
    }

    /// Returns all bytes of the file, as far as they are available.
    pub fn as_bytes(&self) -> &'a [u8] {
        self.data.rest(0).rest()
    }

    /// Returns a cursor from the first chunk to the end of the file, as far as the bytes are available.
    fn chunks(&self) -> Cursor<'a> {
        self.data.rest(CHUNKS)
    }

    /// Returns the same walk as [`nodes`](Self::nodes). Of a file in ranges, it reads only the headers of chunks, and
    /// the bodies of its nodes are empty.
    fn nodes_by_headers(&self) -> Nodes<'a> {
        match self.data {
            Data::Whole(_) => self.nodes(),
            Data::Parts(_) => Nodes::headers_only(self.data, CHUNKS),
        }
    }

    /// Returns the offset in the file of a text that was read from the model, and so lies in the file's bytes.
    fn offset_of(&self, text: AnsiStr<'a>) -> u64 {
        text.as_bytes().as_ptr().addr().saturating_sub(self.data.from(0).as_ptr().addr()) as u64
    }

    /// Returns the models in file order (LOD1), without the chunks beside them. Ends after the first error.
    pub(crate) fn parts(&self) -> impl Iterator<Item = Result<LodModel<'a>>> + use<'a> {
        let parts = Chunks::new(self.chunks()).filter(|chunk| match chunk {
            Ok(chunk) => chunk.tag().0 == *b"LOD1",
            // The error is returned.
            Err(_) => true,
        });
        parts.enumerate().map(|(index, chunk)| Ok(LodModel { chunk: chunk?, index }))
    }

    /// Returns a walk over all chunks of the file, including unknown ones.
    pub(crate) fn nodes(&self) -> Nodes<'a> {
        Nodes::file(self.chunks())
    }

    /// Reads all chunks of one kind in the file. One that cannot be read does not hide the others.
    pub(crate) fn views<T: View<'a>>(&self) -> impl Iterator<Item = Result<T>> + use<'a, T> {
        chunk::views(self.nodes())
    }
}
