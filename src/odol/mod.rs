//! Binarised models of Arma, `.p3d` with the signature `ODOL`, versions 40 to 52.
//!
//! A model is a header, facts about the whole ([`ModelInfo`]), animations and a table of levels of detail, each with a
//! start and an end. [`Model::parse`] reads so far and no further. A [`Lod`] is read when it is asked for: a row of
//! lists (proxies, textures, materials, sections, selections ...), then the [`VertexTable`] with everything that is
//! kept for each point, which stays unread until it is asked for in turn.
//!
//! Arrays come in three forms. Some are always in place ([`LeArray`]). Others are compressed from 1024 bytes on,
//! into a stream whose length is written nowhere ([`Block`](crate::view::Block)): what follows is found by walking
//! the stream, without output. Others again may be one value for all elements ([`Filled`](crate::view::Filled)).
//! Which codec it is, and which fields there are, is a matter of the [`Version`].
//!
//! Coordinates are metres, y up, left-handed, and relative to
//! [`bounding_center`](ModelInfo::bounding_center).
//!
//! ```no_run
//! use meshpeek::odol::Model;
//! let file = meshpeek::FileMap::open("house.p3d")?;
//! let model = Model::parse(&file)?;
//! for entry in model.lods() {
//!     println!("{}: {} bytes", entry.resolution, entry.bytes());
//! }
//! if let Some(lod) = model.lod(0).transpose()? {
//!     for point in lod.positions()?.decode()?.iter() {
//!         println!("{:?}", model.info().to_model_space(point.to_array()));
//!     }
//! }
//! # Ok::<(), meshpeek::Error>(())
//! ```

mod animation;
mod codes;
mod face;
mod info;
mod list;
mod lod;
mod material;
mod outline;
mod part;
mod skeleton;
mod summary;
mod table;
mod verify;
mod version;
mod vertex;
mod wire;

use std::fmt;

use zerocopy::little_endian::{F32, U32};

pub use crate::resolution::Resolution;
pub use animation::{Animation, Animations, Axes, Axis, Kinds, Motion};
pub use codes::{
    Addressing, AnimationKind, Filter, FogMode, MainLight, MapType, PixelShader, ShadowSource, UvSource, VertexShader,
};
pub use face::{Face, FaceIter, Faces, Section};
pub use info::{ModelInfo, SpecialLods};
pub use list::{Context, Item, List, ListIter};
pub use lod::Lod;
pub use material::{Material, Stage, StageForm};
pub use part::{Frame, Property, Proxy, Selection};
pub use skeleton::{Bone, Skeleton};
pub use version::Version;
pub use vertex::{Encoding, Normals, Tangents, UvBounds, UvSet, VertexTable};
pub use wire::{
    BoneRef, BoneWeight, FaceDefault, FaceDefaultMore, FloatTangents, Neighbor, Neighbors, PackedTangents, PackedUv,
    PackedVector, StageTransform, Transform,
};

use crate::error::{Context as _, Error, ErrorKind, Result};
use crate::inspect::Span;
use crate::limits::Limits;
use crate::view::{Cursor, LeArray};
use info::Maker;
use list::MaterialForm;

/// An opened model, borrowed from its bytes.
#[derive(Clone, Copy)]
pub struct Model<'a> {
    data: &'a [u8],
    context: Context,
    info: ModelInfo<'a>,
    info_span: Span,
    animations: Option<Animations<'a>>,
    resolutions: LeArray<'a, F32>,
    starts: LeArray<'a, U32>,
    ends: LeArray<'a, U32>,
    use_defaults: LeArray<'a, u8>,
    face_defaults: Cursor<'a>,
    /// Where the face defaults end: no LOD lies before.
    header_end: u64,
}

impl fmt::Debug for Model<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Model(version {}, {} LODs, {} bytes)", self.version(), self.lod_count(), self.bytes())
    }
}

/// What the tables tell of one LOD.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LodEntry {
    /// Its place in the tables.
    pub index: usize,
    /// What it is for.
    pub resolution: Resolution,
    /// Its first byte, counted from the start of the file.
    pub start: u32,
    /// The byte behind its last, counted from the start of the file.
    pub end: u32,
    /// How it is drawn before it is read; `None` where the game is to read it at once (useDefault).
    pub face_default: Option<FaceDefault>,
    /// More of that, from version 51 on.
    pub face_default_more: Option<FaceDefaultMore>,
}

impl LodEntry {
    /// The bytes it takes; 0 where its end lies before its start.
    pub fn bytes(&self) -> u32 {
        self.end.saturating_sub(self.start)
    }
}

/// The most LODs in a file. The numbers of the special ones have 8 bits with sign; real files have up to 15.
const MOST_LODS: u32 = 1024;

impl<'a> Model<'a> {
    /// Opens a model: reads header and tables, and no LOD.
    ///
    /// # Errors
    /// [`Unsupported`](ErrorKind::Unsupported) for other versions and relatives of the format; where header and tables
    /// cannot be read.
    pub fn parse(data: &'a [u8]) -> Result<Self> {
        Self::parse_with(data, &Limits::default())
    }

    /// The same within other limits.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub fn parse_with(data: &'a [u8], limits: &Limits) -> Result<Self> {
        let mut cursor = Cursor::new(data);
        check_signature(&mut cursor)?;
        let offset = cursor.offset();
        let version = Version::new(cursor.u32()?).map_err(|error| error.at(offset))?;
        let context = Context { version, limits: *limits, materials: MaterialForm::Common };
        let arma = Self::read(data, cursor, context, Maker::Arma);
        if version.may_be_vbs() && !arma.as_ref().is_ok_and(Self::tables_fit) {
            let vbs = Self::read(data, cursor, context, Maker::Vbs);
            if vbs.as_ref().is_ok_and(Self::tables_fit) {
                return vbs;
            }
        }
        arma
    }

    fn read(data: &'a [u8], mut cursor: Cursor<'a>, context: Context, maker: Maker) -> Result<Self> {
        let c = &mut cursor;
        let offset = c.offset();
        let count = c.u32().within("lod_count")?;
        if count > MOST_LODS {
            return Err(Error::new(ErrorKind::Limit { what: "LODs", limit: MOST_LODS.into(), flag: None }).at(offset));
        }
        let resolutions = c.array(count.into()).within("resolutions")?;
        let start = c.offset();
        let info = ModelInfo::read(c, context, maker).within("info")?;
        let info_span = Span { offset: start, bytes: c.offset().saturating_sub(start) };
        let has_animations = c.u8().within("animations")? != 0;
        let animations = has_animations.then(|| Animations::read(c).within("animations")).transpose()?;
        let starts = c.array(count.into()).within("starts")?;
        let ends = c.array(count.into()).within("ends")?;
        let use_defaults: LeArray<'a, u8> = c.array(count.into()).within("use_defaults")?;
        let given = use_defaults.iter().filter(|&&flag| flag == 0).count() as u64;
        let bytes = given.saturating_mul(face_default_bytes(context.version));
        let face_defaults = c.split(bytes).within("face_defaults")?;
        let header_end = c.offset();
        Ok(Self {
            data,
            context,
            info,
            info_span,
            animations,
            resolutions,
            starts,
            ends,
            use_defaults,
            face_defaults,
            header_end,
        })
    }

    /// Whether every LOD lies behind the header and inside the file.
    fn tables_fit(&self) -> bool {
        self.starts.iter().zip(self.ends).all(|(start, end)| self.contains(start.get(), end.get()))
    }

    /// Whether a LOD may lie there.
    fn contains(&self, start: u32, end: u32) -> bool {
        u64::from(start) >= self.header_end && start <= end && u64::from(end) <= self.data.len() as u64
    }

    /// The file's version.
    pub fn version(&self) -> Version {
        self.context.version
    }

    /// The file's size.
    pub fn bytes(&self) -> u64 {
        self.data.len() as u64
    }

    /// Facts about the whole model.
    pub fn info(&self) -> &ModelInfo<'a> {
        &self.info
    }

    /// Movements of bones, where it has any.
    pub fn animations(&self) -> Option<&Animations<'a>> {
        self.animations.as_ref()
    }

    /// How many LODs there are.
    pub fn lod_count(&self) -> usize {
        self.resolutions.len()
    }

    /// The LODs' resolutions as stored.
    pub fn resolutions(&self) -> LeArray<'a, F32> {
        self.resolutions
    }

    /// Where the LODs start, as stored.
    pub fn starts(&self) -> LeArray<'a, U32> {
        self.starts
    }

    /// Where the LODs end, as stored.
    pub fn ends(&self) -> LeArray<'a, U32> {
        self.ends
    }

    /// For each LOD, not zero where it has no face default.
    pub fn use_defaults(&self) -> LeArray<'a, u8> {
        self.use_defaults
    }

    /// What the tables tell of all LODs. The tables have an order of their own: by resolution, while the file has the
    /// finest LODs last.
    pub fn lods(&self) -> impl Iterator<Item = LodEntry> + use<'_, 'a> {
        (0..self.lod_count()).map_while(|index| self.lod_entry(index))
    }

    /// What the tables tell of the LOD at `index`; `None` behind the last.
    pub fn lod_entry(&self, index: usize) -> Option<LodEntry> {
        let resolution = Resolution(self.resolutions.get(index)?.get());
        let (face_default, face_default_more) = self.face_default(index).unzip();
        Some(LodEntry {
            index,
            resolution,
            start: self.starts.get(index)?.get(),
            end: self.ends.get(index)?.get(),
            face_default,
            face_default_more: face_default_more.flatten(),
        })
    }

    /// A LOD's own face default: only those without the flag have one.
    fn face_default(&self, index: usize) -> Option<(FaceDefault, Option<FaceDefaultMore>)> {
        let (before, flags) = self.use_defaults.as_slice().split_at_checked(index)?;
        if *flags.first()? != 0 {
            return None;
        }
        let place = before.iter().filter(|&&flag| flag == 0).count() as u64;
        let mut cursor = self.face_defaults;
        cursor.skip(place.saturating_mul(face_default_bytes(self.version()))).ok()?;
        let default = *cursor.read().ok()?;
        let more = self.version().has_face_area().then(|| cursor.read().copied().ok()).flatten();
        Some((default, more))
    }

    /// Reads the LOD at `index`, up to its vertex table; `None` behind the last.
    ///
    /// # Errors
    /// Where its range lies outside the file or runs into another LOD, or something in it cannot be read.
    pub fn lod(&self, index: usize) -> Option<Result<Lod<'a>>> {
        let entry = self.lod_entry(index)?;
        Some(self.read_lod(&entry).within_item("lods", index))
    }

    fn read_lod(&self, entry: &LodEntry) -> Result<Lod<'a>> {
        let LodEntry { index, start, end, .. } = *entry;
        let told_at = |table: LeArray<'_, U32>| table.offset().saturating_add(4_u64.saturating_mul(index as u64));
        let at = |table, message: &'static str| Err(Error::malformed(message).at(told_at(table)));
        if u64::from(start) < self.header_end {
            return at(self.starts, "starts inside the header");
        } else if end < start {
            return at(self.ends, "ends before it starts");
        } else if u64::from(end) > self.bytes() {
            return at(self.ends, "ends behind the file");
        }
        let ranges = self.starts.iter().zip(self.ends).map(|(start, end)| (start.get(), end.get()));
        let mut others = ranges.enumerate().filter(|&(_, (start, end))| self.contains(start, end));
        if let Some((other, _)) = others.find(|&(other, range)| runs_into((start, end), index, range, other)) {
            let message = format!("range {start:#x} to {end:#x} runs into that of lods[{other}]");
            return Err(Error::malformed(message).at(told_at(self.ends)));
        }
        let mut body = Cursor::new(self.data);
        body.skip(start.into())?;
        let body = body.split(entry.bytes().into())?;
        let lod = Lod::read(body, self.context);
        if !lod.as_ref().is_ok_and(Lod::fits) {
            // Readers differ on some kinds of materials: what ends where the tables say is right.
            let other = Lod::read(body, Context { materials: MaterialForm::Other, ..self.context });
            if other.as_ref().is_ok_and(Lod::fits) {
                return other;
            }
        }
        lod
    }
}

/// Whether another LOD begins inside this one. Of two that begin at one byte the longer one is to blame, of two equal
/// ones the later: then no byte is ever read as part of two LODs, and one wrong end hides one LOD only.
fn runs_into((start, end): (u32, u32), index: usize, other: (u32, u32), other_index: usize) -> bool {
    let further = (end, index) > (other.1, other_index);
    other.0 < end && (start < other.0 || start == other.0 && further)
}

fn face_default_bytes(version: Version) -> u64 {
    let more = if version.has_face_area() { size_of::<FaceDefaultMore>() } else { 0 };
    size_of::<FaceDefault>().saturating_add(more) as u64
}

fn check_signature(cursor: &mut Cursor<'_>) -> Result<()> {
    match cursor.rest() {
        [b'O', b'D', b'O', b'L', ..] => return cursor.skip(4),
        [b'M', b'L', b'O', b'D', ..] => Err(Error::unsupported("MLOD, a model as edited, which is another format")),
        // Four literals behind the first flags.
        [flags, b'O', b'D', b'O', b'L', ..] if flags & 15 == 15 => {
            Err(Error::unsupported("ODOL model that is LZSS-packed as a whole"))
        }
        _ => Err(Error::new(ErrorKind::Unrecognized)),
    }
    .map_err(|error| error.at(0))
}
