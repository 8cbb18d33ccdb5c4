//! What a LOD keeps for each of its points: spec sections 8 and 9.

use zerocopy::little_endian::{F32, U32};

use super::flashpoint;
use super::list::{Context, Item, List, condensed, packed};
use super::wire::{BoneRef, FloatTangents, Neighbors, PackedTangents, PackedUv, PackedVector};
use crate::error::{Context as _, Error, Result};
use crate::view::{Block, Cursor, Filled, Table, Vec2, Vec3};

/// An array that is packed from version 45 on and floats before.
#[derive(Clone, Copy, Debug)]
pub enum Encoding<P, F> {
    /// From version 45 on.
    Packed(P),
    /// Up to version 44.
    Float(F),
}

impl<P: Table, F: Table> Encoding<P, F> {
    /// The array as stored.
    pub fn as_table(&self) -> &dyn Table {
        match self {
            Self::Packed(array) => array,
            Self::Float(array) => array,
        }
    }

    /// How many elements.
    pub fn count(&self) -> u64 {
        self.as_table().rows()
    }
}

/// Normals: their sign is told at [`PackedVector::to_array`].
pub type Normals<'a> = Encoding<Filled<'a, PackedVector>, Filled<'a, Vec3>>;
/// Pairs of tangents, of the sign of [`Normals`].
pub type Tangents<'a> = Encoding<Block<'a, PackedTangents>, Block<'a, FloatTangents>>;

/// What a LOD keeps for each of its points, array behind array.
///
/// Finding an array means walking the compressed ones before it; nothing is decoded. Each array has as many elements
/// as there are positions; tangents, bone references and neighbours may be missing, with a count of 0. A count that
/// differs is an error of that array alone, told by [`check_count`](Self::check_count).
#[derive(Clone, Copy, Debug)]
pub struct VertexTable<'a> {
    /// The bytes of the whole table by its own word, these four included; not in version 7. From version 68 on the two
    /// fields after the arrays do not count.
    pub size_hint: Option<u32>,
    /// Point flags, from version 50 on; before, [they are the LOD's](super::Lod::point_flags).
    pub point_flags: Option<Filled<'a, U32>>,
    /// The first set of texture coordinates.
    pub uvs: UvSet<'a>,
    /// How many sets there are, by the file's word; 0 is meant as 1. Not in version 7.
    pub uv_count_hint: Option<u32>,
    /// The other sets of texture coordinates.
    pub more_uvs: List<'a, UvSet<'a>, Context>,
    /// Where the points are, in metres, relative to the model's
    /// [`bounding_center`](super::ModelInfo::bounding_center).
    pub positions: Block<'a, Vec3>,
    /// One for each point. As decoded they point into the body.
    pub normals: Normals<'a>,
    /// The directions of u and v at each point.
    pub tangents: Tangents<'a>,
    /// The bones that move each point.
    pub bone_refs: Block<'a, BoneRef>,
    /// In shadow volumes, the points beside each point.
    pub neighbors: Block<'a, Neighbors>,
    /// Of unknown use, from version 67 on; 0 in every file met.
    pub unknown: Option<u32>,
    /// Of unknown use, from version 68 on; 1 in every file met.
    pub last_byte: Option<u8>,
    /// Where the last array ends, and the bytes between there and the end of the LOD: none in a sound file.
    pub(super) rest: Cursor<'a>,
}

/// The arrays up to the positions.
pub(super) struct Front<'a> {
    size_hint: u32,
    point_flags: Option<Filled<'a, U32>>,
    uvs: UvSet<'a>,
    uv_count_hint: u32,
    more_uvs: List<'a, UvSet<'a>, Context>,
    pub(super) positions: Block<'a, Vec3>,
}

impl<'a> Front<'a> {
    pub(super) fn read(c: &mut Cursor<'a>, context: Context) -> Result<Self> {
        let size_hint = c.u32()?;
        let has_flags = context.version.has_point_count();
        let point_flags = has_flags.then(|| condensed(c, context).within("point_flags")).transpose()?;
        let uvs = UvSet::read(c, context).within_item("uvs", 0)?;
        let uv_count_hint = c.u32()?;
        let more_uvs = List::read_items(c, uv_count_hint.saturating_sub(1), "more_uvs", context)?;
        let positions = packed(c, context).within("positions")?;
        Ok(Self { size_hint, point_flags, uvs, uv_count_hint, more_uvs, positions })
    }
}

impl<'a> VertexTable<'a> {
    pub(super) fn read(c: &mut Cursor<'a>, context: Context) -> Result<Self> {
        if context.version.is_flashpoint() {
            return flashpoint::read_vertices(c, context);
        }
        let Front { size_hint, point_flags, uvs, uv_count_hint, more_uvs, positions } = Front::read(c, context)?;
        let is_packed = context.version.has_packed_vectors();
        let normals = match is_packed {
            true => condensed(c, context).map(Encoding::Packed),
            false => condensed(c, context).map(Encoding::Float),
        };
        let normals = normals.within("normals")?;
        let tangents = match is_packed {
            true => packed(c, context).map(Encoding::Packed),
            false => packed(c, context).map(Encoding::Float),
        };
        let tangents = tangents.within("tangents")?;
        let bone_refs = packed(c, context).within("bone_refs")?;
        let neighbors = packed(c, context).within("neighbors")?;
        let unknown = context.version.has_collimators().then(|| c.u32()).transpose()?;
        let last_byte = context.version.has_last_byte().then(|| c.u8()).transpose()?;
        let rest = *c;
        Ok(Self {
            size_hint: Some(size_hint),
            point_flags,
            uvs,
            uv_count_hint: Some(uv_count_hint),
            more_uvs,
            positions,
            normals,
            tangents,
            bone_refs,
            neighbors,
            unknown,
            last_byte,
            rest,
        })
    }

    /// All sets of texture coordinates, the first first.
    pub fn uv_sets(&self) -> impl Iterator<Item = UvSet<'a>> + use<'a> {
        std::iter::once(self.uvs).chain(self.more_uvs.iter())
    }

    /// How many points there are.
    pub fn point_count(&self) -> u64 {
        self.positions.count()
    }

    /// Whether an array has an element for each point. The count of a fill is borne out by no bytes: compare it before
    /// going over the elements.
    ///
    /// # Errors
    /// [`Malformed`](crate::ErrorKind::Malformed) where it does not.
    pub fn check_count(&self, array: &dyn Table) -> Result<()> {
        check_count(array, self.point_count())
    }
}

/// Whether an array has so many elements.
pub(super) fn check_count(array: &dyn Table, points: u64) -> Result<()> {
    if array.rows() == points {
        return Ok(());
    }
    let message = format!("{} elements for {points} points", array.rows());
    Err(Error::malformed(message).at(array.storage().offset))
}

/// A set of texture coordinates.
#[derive(Clone, Copy, Debug)]
pub struct UvSet<'a> {
    /// What the packed coordinates lie between, from version 45 on.
    pub bounds: Option<UvBounds>,
    /// The coordinates as stored.
    pub stored: Encoding<Filled<'a, PackedUv>, Filled<'a, Vec2>>,
}

/// The smallest and largest coordinates of a set, as u and v.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UvBounds {
    /// What -32767 stands for.
    pub min: [f32; 2],
    /// What 32767 stands for.
    pub max: [f32; 2],
}

impl UvBounds {
    /// The coordinate that a packed one stands for: `min + (packed + 32767) / 65534 * (max - min)`. Bounds that are no
    /// numbers or the wrong way round are taken as they are.
    ///
    /// ```
    /// use meshpeek::odol::{PackedUv, UvBounds};
    /// let bounds = UvBounds { min: [0.0, 1.0], max: [1.0, 3.0] };
    /// let center = PackedUv { u: 0.into(), v: 0.into() };
    /// assert_eq!(bounds.scale(center), [0.5, 2.0]);
    /// ```
    pub fn scale(&self, packed: PackedUv) -> [f32; 2] {
        let one = |packed: i16, min: f32, max: f32| min + (f32::from(packed) + 32767.0) / 65534.0 * (max - min);
        let ([min_u, min_v], [max_u, max_v]) = (self.min, self.max);
        [one(packed.u.get(), min_u, max_u), one(packed.v.get(), min_v, max_v)]
    }
}

impl<'a> UvSet<'a> {
    /// How many coordinates.
    pub fn count(&self) -> u64 {
        self.stored.count()
    }

    /// The coordinates as numbers.
    ///
    /// # Errors
    /// Where they do not decode, or are more than [`Limits::decoded_bytes`](crate::Limits::decoded_bytes) allow.
    pub fn decode(&self) -> Result<Vec<[f32; 2]>> {
        Ok(match &self.stored {
            Encoding::Packed(array) => array.decode()?.iter().map(|&packed| self.scale(packed)).collect(),
            Encoding::Float(array) => array.decode()?.iter().map(Vec2::to_array).collect(),
        })
    }

    /// The coordinate that a packed one of this set stands for.
    pub fn scale(&self, packed: PackedUv) -> [f32; 2] {
        // Every set of packed coordinates has bounds.
        self.bounds.map_or([f32::NAN; 2], |bounds| bounds.scale(packed))
    }
}

impl<'a> Item<'a, Context> for UvSet<'a> {
    const LEAST: u64 = 5;

    fn read(cursor: &mut Cursor<'a>, context: Context) -> Result<Self> {
        if !context.version.has_packed_vectors() {
            return Ok(Self { bounds: None, stored: Encoding::Float(condensed(cursor, context)?) });
        }
        let [min, max] = cursor.read::<[[F32; 2]; 2]>()?.map(|pair| pair.map(F32::get));
        let stored = Encoding::Packed(condensed(cursor, context)?);
        Ok(Self { bounds: Some(UvBounds { min, max }), stored })
    }
}

impl<'a> Normals<'a> {
    /// The normals as numbers, pointing **into** the body.
    ///
    /// # Errors
    /// Where they do not decode, or are more than [`Limits::decoded_bytes`](crate::Limits::decoded_bytes) allow.
    pub fn decode(&self) -> Result<Vec<[f32; 3]>> {
        Ok(match self {
            Self::Packed(array) => array.decode()?.iter().map(|normal| normal.to_array()).collect(),
            Self::Float(array) => array.decode()?.iter().map(Vec3::to_array).collect(),
        })
    }

    /// The normals as numbers, pointing out of the body.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    pub fn decode_outward(&self) -> Result<Vec<[f32; 3]>> {
        let mut normals = self.decode()?;
        normals.iter_mut().flatten().for_each(|axis| *axis = -*axis);
        Ok(normals)
    }
}

impl<'a> Tangents<'a> {
    /// The tangents as numbers, along u and along v, with the sign of [`Normals::decode`].
    ///
    /// # Errors
    /// As [`Normals::decode`].
    pub fn decode(&self) -> Result<Vec<[[f32; 3]; 2]>> {
        Ok(match self {
            Self::Packed(array) => array.decode()?.iter().map(|pair| [pair.s.to_array(), pair.t.to_array()]).collect(),
            Self::Float(array) => array.decode()?.iter().map(|pair| [pair.s.to_array(), pair.t.to_array()]).collect(),
        })
    }
}
