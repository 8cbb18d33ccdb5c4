//! Binarised models of Operation Flashpoint, Arma, DayZ and VBS: `.p3d` with the signature `ODOL`, versions 7, 40 to 75
//! and 10040 to 10043.
//!
//! The games' tools make a binarised model from the model that its author edits (MLOD). The developers of Arma, VBS and
//! DayZ number their versions separately, in lines. The column `evidence` names the data that confirms the reader:
//! "none, by its neighbors" means that no file does, and the layout follows from the versions before and after.
//!
//! | version | line | game | evidence |
//! | --- | --- | --- | --- |
//! | 7 | Arma | Operation Flashpoint, Arma: Cold War Assault | the engine's source, one test file |
//! | 28-39 | Arma | between Flashpoint and Arma | not read |
//! | 40 | Arma | Arma: Armed Assault | files of the game |
//! | 41-43 | Arma | Arma: Armed Assault, Arma 2 | files of other writers |
//! | 40-43 | Vbs | VBS | files of other writers |
//! | 44-47 | Arma | Arma 2 | files of other writers |
//! | 48-49 | Arma | Arma 2 | files of the game |
//! | 50 | Arma | Arma 2: Operation Arrowhead, Arma 3 | files of the game |
//! | 51-52 | Arma | Arma 2: Operation Arrowhead, Take On Helicopters | files of other writers |
//! | 53 | DayZ | DayZ, 2020 to 2026 | files of the game |
//! | 54 | DayZ | DayZ, since 2024 | files of the game |
//! | 55 | DayZ | DayZ, since 2026 | files of the game |
//! | 53-57 | Arma | Arma 3 before its alpha | none, by its neighbors |
//! | 58-59 | Arma | Arma 3, 2013 to 2014 | files of the game |
//! | 60-67 | Arma | Arma 3 | none, by its neighbors |
//! | 68 | Arma | Arma 3, 2015 to 2016 | files of the game |
//! | 69-70 | Arma | Arma 3 | none, by its neighbors |
//! | 71 | Arma | Arma 3, by armake | files of other writers |
//! | 72 | Arma | Arma 3 | none, by its neighbors |
//! | 73 | Arma | Arma 3, 2019 to 2025 | files of the game |
//! | 74 | Arma | Arma 3 | none, by its neighbors |
//! | 75 | Arma | Arma 3, since 2025 | files of the game |
//! | 10040-10043 | Arma | VBS | files of other writers |
//! | 10040-10043 | Vbs | VBS | files of other writers |
//!
//! Versions 40 to 43, 53 to 55 and 10040 to 10043 exist in two lines. Of versions 53 to 55, meshpeek takes the line whose
//! header ends where the first LOD (level of detail) starts; of the others, the line in which the header can be read and
//! all LODs are inside the file. If neither fits, it takes the one that comes first in the table.
//!
//! The rest of this page is about version 40 and later. In version 7 the LODs come first, and are
//! [walked](Model::parse) to find the data after them.
//!
//! A model consists of a header, facts about the whole model ([`ModelInfo`]), animations, a table with the start and
//! end of each LOD, and the LODs. [`Model::parse`] reads everything but the LODs. A [`Lod`] is read on request: first
//! several lists (proxies, textures, materials, sections, selections ...), then the [`VertexTable`] with all per-vertex
//! data, which in turn is read only on request.
//!
//! There are three kinds of arrays:
//!
//! - An [`LeArray`] is always in place.
//! - A [`Block`](crate::view::Block) is compressed if it has 1024 bytes or more; from version 64 on, a flag decides.
//!   The length of the compressed stream is not stored: the stream is walked to find the data after it, without decoding
//!   it.
//! - A [`Filled`](crate::view::Filled) array may be a single value for all elements.
//!
//! The [`Version`] determines the codec, the fields that are present, and the width of [point numbers](Indices). Cooked
//! (precomputed) shapes for physics may follow the last LOD ([`Trailer`]).
//!
//! | space | |
//! | --- | --- |
//! | axes | x right, y up, z forward; relative to [`bounding_center`](ModelInfo::bounding_center) |
//! | handedness | left |
//! | front faces | clockwise as seen: `(b - a) x (c - a)` of the corners a, b, c points out of the body |
//! | normals | stored pointing into the body; [`Normals`] decodes them as stored or outward |
//! | V | down from the top |
//! | quaternions | none |
//! | matrices | three rows for the axes x, y, z, then the position; for row vectors |
//! | units | meters, radians |
//!
//! ```no_run
//! use meshpeek::odol::Model;
//! let file = meshpeek::FileMap::open("house.p3d")?;
//! let model = Model::parse(&file)?;
//! for entry in model.lods() {
//!     println!("{}: {} bytes", entry.resolution, entry.byte_len());
//! }
//! if let Some(lod) = model.lod(0)? {
//!     for point in lod.positions()?.decode()?.iter() {
//!         println!("{:?}", model.info()?.to_model_space(point.to_array()));
//!     }
//! }
//! # Ok::<(), meshpeek::Error>(())
//! ```

// Records and the contexts for reading them are public, even if they cannot be named from outside.
#[allow(unreachable_pub)]
mod animation;
#[allow(unreachable_pub)]
mod array;
mod codes;
#[allow(unreachable_pub)]
mod face;
#[allow(unreachable_pub)]
mod flashpoint;
#[allow(unreachable_pub)]
mod header;
mod index;
mod info;
mod lod;
#[allow(unreachable_pub)]
mod material;
mod outline;
mod part;
mod skeleton;
mod summary;
mod table;
mod trailer;
mod verify;
mod version;
mod vertex;
mod wire;

use nom::error::context;
use zerocopy::little_endian::{F32, U32};

pub use crate::formats::resolution::Resolution;
pub use animation::{Animation, AnimationAxes, Animations, Axes, Axis, BoneAnimations, Kinds, Motion};
pub use array::Layout;
pub use codes::{
    Addressing, AnimationKind, Filter, FogMode, MainLight, MapType, PixelShader, RenderFlags, ShadowSource, UvSource,
    VertexShader,
};
pub use face::{Face, FaceIter, Faces, Section, Sections};
pub use flashpoint::FlashpointLod;
pub use header::{FaceDefault, Facts, Start, Tables};
pub use index::{Corners, Decoded, IndexBlock, Indices};
pub use info::{Lods, ModelInfo, SpecialLods};
pub use lod::{Arrays, Lod};
pub use material::{Material, Materials, Stage, StageForm, Stages};
pub use part::{Frame, Frames, Property, Proxies, Proxy, Selection, Selections};
pub use skeleton::{Bone, Skeleton};
pub use trailer::{Buoyancy, HasBone, PhysxVersion, Shape, Shapes, Trailer};
pub use version::{Dialect, Evidence, Version};
pub use vertex::{Encoding, Normals, Tangents, UvSet, UvSets, VertexTable};
pub use wire::{
    BoneRef, BoneWeight, BuoyancySphere, BuoyancyStart, Collimator, FloatTangents, LastConstants, Neighbor, Neighbors,
    PackedTangents, PackedUv, PackedVector, StageTransform, Transform, UvBounds,
};

use crate::base::code::Code;
use crate::base::error::{Context as _, Error, Result};
use crate::base::impl_fmt::impl_fmt;
use crate::base::limits::Limits;
use crate::base::no_asset::NoAsset;
use crate::bytes::{Cursor, LeArray};
use crate::outline::{Schema, Silent, Sink};
use crate::ranges::{Data, missing};
use crate::record::Fixed;
use crate::record::parser::le_u32;
use array::Reading;
use header::Header;

/// The records of a model.
pub(crate) const SCHEMA: &[&Schema] = &[
    header::Start::SCHEMA,
    header::Facts::SCHEMA,
    ModelInfo::SCHEMA,
    Skeleton::SCHEMA,
    Bone::SCHEMA,
    SpecialLods::SCHEMA,
    Animations::SCHEMA,
    Animation::SCHEMA,
    BoneAnimations::SCHEMA,
    Axis::SCHEMA,
    header::Tables::SCHEMA,
    FaceDefault::SCHEMA,
    Lod::SCHEMA,
    Proxy::SCHEMA,
    Transform::SCHEMA,
    Material::SCHEMA,
    Stage::SCHEMA,
    StageTransform::SCHEMA,
    face::FaceHead::SCHEMA,
    face::FACE,
    Section::SCHEMA,
    Collimator::SCHEMA,
    Selection::SCHEMA,
    Property::SCHEMA,
    Frame::SCHEMA,
    VertexTable::SCHEMA,
    UvSet::SCHEMA,
    UvBounds::SCHEMA,
    PackedUv::SCHEMA,
    PackedTangents::SCHEMA,
    FloatTangents::SCHEMA,
    BoneRef::SCHEMA,
    BoneWeight::SCHEMA,
    Neighbors::SCHEMA,
    Neighbor::SCHEMA,
    Trailer::SCHEMA,
    Shapes::SCHEMA,
    Shape::SCHEMA,
    Buoyancy::SCHEMA,
    BuoyancyStart::SCHEMA,
    BuoyancySphere::SCHEMA,
    flashpoint::FlashpointLod::SCHEMA,
];

/// An opened model, borrowed from its bytes.
///
/// If the header is cut short or encrypted, this contains the part that can be read. [`whole`](Self::whole) checks for
/// that.
#[derive(Clone, Copy)]
pub struct Model<'a> {
    data: Data<'a>,
    layout: Layout,
    header: Header<'a>,
}

impl_fmt!([] Debug for Model<'_>,
    |model| "Model(version {}, {} LODs, {} bytes)", model.version(), model.lod_count(), model.byte_len());

/// The table entries of one LOD.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct LodEntry {
    /// The index in the tables.
    pub index: usize,
    /// The purpose of the LOD. NaN if a file of version 7 ends before it.
    pub resolution: Resolution,
    /// The offset of the first byte, counted from the start of the file.
    pub start: u32,
    /// The end (exclusive), counted from the start of the file.
    pub end: u32,
}

impl LodEntry {
    /// Returns the size in bytes, or 0 if the end is before the start.
    pub fn byte_len(&self) -> u64 {
        self.end.saturating_sub(self.start).into()
    }

    /// Returns true if another LOD starts inside this one, which is then invalid. Of two that start at one byte, the
    /// longer is invalid; of two equal ones, the one with the higher index. So no byte is read as part of two LODs, and
    /// a wrong end hides only one LOD.
    fn runs_into(&self, other: &Self) -> bool {
        let is_invalid_of_two = (self.end, self.index) > (other.end, other.index);
        other.start < self.end && (self.start < other.start || self.start == other.start && is_invalid_of_two)
    }
}

impl<'a> Model<'a> {
    /// Opens a model: reads the header and tables, but no LOD. Version 7 has no tables, so all LODs are walked.
    ///
    /// A header that is cut short is not an error if the version could be read: see [`whole`](Self::whole).
    ///
    /// # Errors
    /// Returns [`Unsupported`](crate::ErrorKind::Unsupported) for other versions and related formats, and an error if
    /// there is no version.
    pub fn parse(data: &'a [u8]) -> Result<Self> {
        Self::open(Data::Whole(data), &Limits::default())
    }

    /// Opens a model as [`parse`](Self::parse) does, from data of which parts may be missing. If the header does not
    /// fit the likelier dialect of its version number, tries the other dialect; if neither fits, keeps the likelier.
    ///
    /// # Errors
    /// Also returns an error if bytes of the header are not available.
    pub(crate) fn open(data: Data<'a>, limits: &Limits) -> Result<Self> {
        let stored = data.read(0, |cursor| {
            if !cursor.rest().starts_with(b"ODOL") {
                return Err(no_signature(cursor.rest()).at(0));
            }
            cursor.skip(4)?;
            cursor.parse(le_u32())
        })?;
        // The version follows the signature.
        let likely = Version::new(stored).map_err(|error| error.at(4))?;
        let layout = Layout::new(likely, limits);
        let mut model = Self { data, layout, header: Header::default() };
        // Passes on errors about missing bytes only. `whole` returns the others.
        missing(model.read_header())?;
        if model.fits() {
            return Ok(model);
        }
        if let Some(version) = likely.other_dialect() {
            let mut other = Self { data, layout: Layout { version, ..layout }, header: Header::default() };
            missing(other.read_header())?;
            if other.fits() {
                return Ok(other);
            }
        }
        Ok(model)
    }

    /// Reads the header as far as possible. Returns the error that ends it early.
    fn read_header(&mut self) -> Result<()> {
        let header = &mut self.header;
        let layout = self.layout;
        self.data.read(0, |cursor| header.read(cursor, layout))
    }

    /// Returns true if the header was almost certainly read in the right dialect.
    fn fits(&self) -> bool {
        if !self.header.is_whole || !self.lods().all(|entry| self.contains(&entry)) {
            return false;
        }
        // Headers of DayZ and Arma end where the first LOD starts. A reading that is off by a few bytes may
        // resynchronize at the end of a text, so the code before the first text is checked too.
        !self.version().has_lzo() || self.ends_at_first_lod() && self.has_known_shadow_source()
    }

    /// Returns true if the header ends where the first LOD in the file starts, or if there are no LODs.
    fn ends_at_first_lod(&self) -> bool {
        match self.lods().map(|entry| entry.start).min() {
            Some(first) => u64::from(first) == self.header.end,
            None => true,
        }
    }

    /// Returns true if the source of the shadow buffer was read and is a known code.
    fn has_known_shadow_source(&self) -> bool {
        let Some(info) = &self.header.info else { return false };
        info.shadow_source.is_some_and(|source| source.name().is_some())
    }

    /// Returns true if a LOD can be at this location: after the header and inside the file.
    fn contains(&self, &LodEntry { start, end, .. }: &LodEntry) -> bool {
        u64::from(start) >= self.header.end && start <= end && u64::from(end) <= self.data.size()
    }

    /// Checks that the header was read to its end. If not, reads it again to return the error.
    ///
    /// # Errors
    /// Returns [`Encrypted`](crate::ErrorKind::Encrypted) if the header says so, otherwise the error in the header,
    /// with its offset.
    pub fn whole(&self) -> Result<()> {
        if self.header.is_whole {
            return Ok(());
        }
        let mut again = Self { header: Header::default(), ..*self };
        again.read_header().map_err(|error| error.of_version(self.version().stored()))
    }

    /// Returns the file's version. [`Version::evidence`] says how well its layout is confirmed.
    pub fn version(&self) -> Version {
        self.layout.version
    }

    /// Returns the file's size.
    pub fn byte_len(&self) -> u64 {
        self.data.size()
    }

    /// Returns the record at the start of the file, or `None` if the file ends inside it or is encrypted.
    pub fn start(&self) -> Option<&Start<'a>> {
        self.header.start.as_ref()
    }

    /// Returns facts about the whole model.
    ///
    /// # Errors
    /// Returns the error of [`whole`](Self::whole) if the header is cut short before the end of these facts.
    pub fn info(&self) -> Result<&ModelInfo<'a>> {
        let Some(info) = &self.header.info else {
            self.whole()?;
            return Err(Error::malformed("header without facts"));
        };
        Ok(info)
    }

    /// Returns the bone animations, if there are any.
    pub fn animations(&self) -> Option<&Animations<'a>> {
        self.header.animations.as_ref().filter(|animations| animations.has_animations)
    }

    /// Returns the number of LODs that the header claims.
    pub fn lod_count(&self) -> usize {
        self.header.lod_count().unwrap_or(0) as usize
    }

    /// Returns the LODs' resolutions as stored.
    pub fn resolutions(&self) -> LeArray<'a, F32> {
        self.header.resolutions.unwrap_or_default()
    }

    /// Returns the LODs' start offsets as stored. Empty in version 7.
    pub fn starts(&self) -> LeArray<'a, U32> {
        self.header.tables.map(|tables| tables.lod_starts).unwrap_or_default()
    }

    /// Returns the LODs' end offsets as stored. Empty in version 7.
    pub fn ends(&self) -> LeArray<'a, U32> {
        self.header.tables.map(|tables| tables.lod_ends).unwrap_or_default()
    }

    /// Returns a value for each LOD: zero if the LOD has a [face default](Self::face_default), otherwise not zero.
    /// Empty in version 7.
    pub fn use_defaults(&self) -> LeArray<'a, u8> {
        self.header.tables.map(|tables| tables.use_defaults).unwrap_or_default()
    }

    /// Returns an iterator over the table entries of all LODs. The tables are sorted by resolution, while the file has
    /// the finest LODs last.
    #[inline]
    pub fn lods(&self) -> impl Iterator<Item = LodEntry> + use<'_, 'a> {
        (0..self.lod_count()).map_while(|index| self.lod_entry(index))
    }

    /// Returns the table entry of the LOD at `index`, or `None` if it is out of range or the header is cut short before
    /// it.
    #[inline]
    pub fn lod_entry(&self, index: usize) -> Option<LodEntry> {
        let (start, end) = self.header.range(index)?;
        let resolution = Resolution(self.resolutions().get(index).map_or(f32::NAN, |resolution| resolution.get()));
        Some(LodEntry { index, resolution, start, end })
    }

    /// Returns what the game draws before it has loaded the LOD at `index`, or `None` if it must load the LOD at once
    /// (`useDefault`). Takes O(index) time.
    pub fn face_default(&self, index: usize) -> Option<FaceDefault> {
        let (_, default, _) = self.header.face_default(index)?;
        Some(default)
    }

    /// Reads the LOD at `index`, up to its vertex table. Returns `None` if the index is out of range or the header is
    /// cut short before it.
    ///
    /// # Errors
    /// Returns an error if its range is outside the file or overlaps another LOD, or if a field is invalid.
    pub fn lod(&self, index: usize) -> Result<Option<Lod<'a>>> {
        let Some((lod, Silent)) = self.walk_lod(index)? else { return Ok(None) };
        Ok(Some(lod))
    }

    /// Reads the LOD at `index`, and returns it with a sink that was there for its whole walk.
    fn walk_lod<S: Sink + Default>(&self, index: usize) -> Result<Option<(Lod<'a>, S)>> {
        let Some(entry) = self.lod_entry(index) else { return Ok(None) };
        let body = self.lod_body(&entry).within_item("lods", index)?;
        let walked = self.read_lod(body).within_item("lods", index)?;
        Ok(Some(walked))
    }

    /// Returns the bytes of a LOD.
    ///
    /// # Errors
    /// Returns an error if its range is not after the header and inside the file, or if another LOD starts inside it.
    fn lod_body(&self, entry: &LodEntry) -> Result<Cursor<'a>> {
        let LodEntry { index, start, end, .. } = *entry;
        // The tables have four bytes for each LOD.
        let in_table = 4_u64.saturating_mul(index as u64);
        if u64::from(start) < self.header.end {
            let offset = self.starts().offset().saturating_add(in_table);
            return Err(Error::malformed("starts inside the header").at(offset));
        }
        let end_offset = self.ends().offset().saturating_add(in_table);
        if end < start {
            return Err(Error::malformed("ends before it starts").at(end_offset));
        }
        if u64::from(end) > self.byte_len() {
            return Err(Error::malformed("ends after the file").coded(Code::Truncated).at(end_offset));
        }
        if let Some(other) = self.lods().find(|other| self.contains(other) && entry.runs_into(other)) {
            let message = format!("range {start:#x} to {end:#x} runs into that of lods[{}]", other.index);
            return Err(Error::malformed(message).at(end_offset));
        }
        Ok(Cursor::with_offset(self.data.get(start.into()..end.into())?, start.into()))
    }

    /// Reads the LOD that fills `body` in the first reading that fits, or in the common one if none does.
    fn read_lod<S: Sink + Default>(&self, body: Cursor<'a>) -> Result<(Lod<'a>, S)> {
        let common = self.read_lod_as(body, Reading::Common);
        if let Ok((lod, _)) = &common
            && lod.fits()
        {
            return common;
        }
        // Where readers differ, the correct reading is the one that ends at the end given in the tables.
        for reading in [Reading::OtherMaterials, Reading::LongFrames] {
            if let Ok((lod, sink)) = self.read_lod_as(body, reading)
                && lod.fits()
            {
                return Ok((lod, sink));
            }
        }
        common
    }

    /// Reads the LOD that fills `body` in this reading.
    fn read_lod_as<S: Sink + Default>(&self, mut body: Cursor<'a>, reading: Reading) -> Result<(Lod<'a>, S)> {
        let mut sink = S::default();
        let lod = Lod::of(&mut body, Layout { reading, ..self.layout }, &mut sink)?;
        Ok((lod, sink))
    }

    /// Returns the trailer after the LODs, from version 58 on.
    ///
    /// # Errors
    /// Returns an error if it cannot be read, or if its bytes are not [available](crate::ranges).
    pub fn trailer(&self) -> Result<Option<Trailer<'a>>> {
        let Some((trailer, _)) = self.trailer_and_rest()? else { return Ok(None) };
        Ok(trailer)
    }

    /// Returns the trailer, and the data after it, or after the LODs if there is none. Returns `None` if their location
    /// is unknown.
    fn trailer_and_rest(&self) -> Result<Option<(Option<Trailer<'a>>, Cursor<'a>)>> {
        let Some(mut rest) = self.after_lods().transpose()? else { return Ok(None) };
        let mut trailer = None;
        if let Some(has_shapes) = self.trailer_has_shapes(rest) {
            trailer = Some(rest.parse(context("trailer", Trailer::parser(has_shapes)))?);
        }
        Ok(Some((trailer, rest)))
    }

    /// Returns the data after the LODs; in version 7, the facts. Returns `None` if their location is unknown.
    ///
    /// # Errors
    /// Returns an error if its bytes are not available.
    fn after_lods(&self) -> Option<Result<Cursor<'a>>> {
        if !self.header.is_whole {
            return None;
        }
        let end = if self.version().is_flashpoint() { self.header.facts_span.end() } else { self.end_of_lods()? };
        Some(self.data.get(end..self.byte_len()).map(|bytes| Cursor::with_offset(bytes, end)))
    }

    /// Returns the end of the last LOD, or `None` if a LOD cannot be where the tables say.
    fn end_of_lods(&self) -> Option<u64> {
        let mut end = self.header.end;
        for entry in self.lods() {
            if !self.contains(&entry) {
                return None;
            }
            end = end.max(entry.end.into());
        }
        Some(end)
    }

    /// Returns whether the trailer has cooked shapes, or `None` if there is no trailer. Other readers disagree about
    /// the version that introduced the trailer, and the one that added the shapes.
    fn trailer_has_shapes(&self, rest: Cursor<'_>) -> Option<bool> {
        let version = self.version();
        // Without shapes and buoyancy, a trailer is the four bytes of the kind of buoyancy.
        let is_kind_only = rest.left() == 4;
        let is_there = version.has_buoyancy() || version.has_simple_geometry() && is_kind_only;
        if !is_there {
            return None;
        }
        if version.has_shapes() || !version.may_have_shapes() || is_kind_only {
            return Some(version.has_shapes());
        }
        // Either is possible. The one that reads the file to its end is right.
        for has_shapes in [true, false] {
            let mut end = rest;
            if end.parse(Trailer::parser(has_shapes)).is_ok() && end.is_empty() {
                return Some(has_shapes);
            }
        }
        // Neither does. The bytes are read as the longer trailer.
        Some(true)
    }
}

/// Returns the error for a file that does not start with `ODOL`. It names MLOD models, and models packed as a whole.
fn no_signature(head: &[u8]) -> Error {
    match head {
        [b'M', b'L', b'O', b'D', ..] => Error::unsupported("MLOD, a model as edited, which is another format"),
        // An LZSS stream starts with a byte of flags: four set bits announce the literals `ODOL`.
        [flags, b'O', b'D', b'O', b'L', ..] if flags & 15 == 15 => {
            Error::unsupported("ODOL model that is LZSS-packed as a whole")
        }
        _ => NoAsset::of(head).error(),
    }
}
