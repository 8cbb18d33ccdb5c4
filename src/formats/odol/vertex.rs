//! Per-vertex data of a LOD.

use std::iter::zip;

use nom::error::context;
use zerocopy::little_endian::U32;

use super::array::{Layout, check_count};
use super::wire::{BoneRef, FloatTangents, Neighbors, PackedTangents, PackedUv, PackedVector, UvBounds};
use zerocopy::FromBytes as _;

use crate::base::error::{Context as _, Result};
use crate::blocks::{Block, Filled};
use crate::bytes::array::columns;
use crate::bytes::batch::{Batch, Derived};
use crate::bytes::{Column, Element};
use crate::bytes::{Cursor, Table, Vec2, Vec3};
use crate::outline::{Outline, Part, Sink, Type};
use crate::record::parser::{Grammar as _, cond, in_place, inline, le_u8, le_u32};
use crate::record::{Fixed as _, List, Read, Stored, grammar, walk_part};

/// An array that is packed from version 45 on, and floats before.
#[derive(Clone, Copy, Debug)]
pub enum Encoding<P, F> {
    /// From version 45 on.
    Packed(P),
    /// Up to version 44.
    Float(F),
}

impl<P: Stored, F: Stored> Stored for Encoding<P, F> {
    const TYPE: Type = Type::Either(&P::TYPE, &F::TYPE);
}

impl<'a, P: Read<'a, Layout>, F: Read<'a, Layout>> Read<'a, Layout> for Encoding<P, F> {
    #[inline]
    fn walk(cursor: &mut Cursor<'a>, layout: Layout, name: &'static str, sink: &mut impl Sink) -> Result<Self> {
        match layout.version.has_packed_vectors() {
            true => P::walk(cursor, layout, name, sink).map(Self::Packed),
            false => F::walk(cursor, layout, name, sink).map(Self::Float),
        }
    }
}

impl<P: Table, F: Table> Encoding<P, F> {
    /// Returns the array as stored.
    pub fn as_table(&self) -> &dyn Table {
        match self {
            Self::Packed(array) => array,
            Self::Float(array) => array,
        }
    }

    /// Returns the number of elements.
    pub fn count(&self) -> u64 {
        self.as_table().rows()
    }
}

/// Normals. [`PackedVector::to_array`] documents their sign.
pub type Normals<'a> = Encoding<Filled<'a, PackedVector>, Filled<'a, Vec3>>;
/// Pairs of tangents, with the sign of [`Normals`].
pub type Tangents<'a> = Encoding<Block<'a, PackedTangents>, Block<'a, FloatTangents>>;

grammar! {
    /// Per-vertex data of a LOD, one array after another.
    ///
    /// To find an array, the compressed ones before it are walked; nothing is decoded. Each array has as many elements
    /// as there are positions; tangents, bone references and neighbors may be missing, with a count of 0. A different
    /// count is an error of that array alone, which `check_count` returns.
    VertexTable<'a>(layout: Layout) {
        /// Claimed size of the whole table, including these four bytes; not in version 7. From version 68 on, the two
        /// fields after the arrays do not count.
        #[label("sizeOfVertexTable")] vertex_table_bytes: Option<u32> = cond(layout.version >= 40, le_u32()),
        /// Point flags; before version 50 they are in the LOD.
        #[label("LodPointFlags")]
        point_flags: Option<Filled<'a, U32>> = cond(layout.version >= 50, Filled::parser(layout)),
        /// The sets of texture coordinates.
        #[label("DefaultUVset, nUVs, UVSets")] uvs: UvSets<'a> = UvSets::parser(layout),
        /// Positions of the points, in meters, relative to the model's `bounding_center`.
        #[label("NoOfPoints, LodPoints")] positions: Block<'a, Vec3> = Block::parser(layout),
        /// Normal of each point. From version 45 on three signed numbers of 10 bits, x in the lowest; times -1/511 they are
        /// a vector that points into the body.
        #[label("nNormals, LodNormals")] normals: Normals<'a> = Normals::parser(layout),
        /// The directions of u and v at each point, stored as the normals are.
        #[label("nMinMax, MinMax")] tangents: Tangents<'a> = Tangents::parser(layout),
        /// The bones that move each point.
        #[label("nProperties, VertProperties")] bone_refs: Block<'a, BoneRef> = Block::parser(layout),
        /// In shadow volumes, the neighbors of each point.
        #[label("Count, UnknownVtxStructs")] neighbors: Block<'a, Neighbors> = Block::parser(layout),
        /// Unknown; 0 in all known files.
        unknown: Option<u32> = cond(layout.version >= 67, le_u32()),
        /// Unknown; 1 in all known files.
        last_byte: Option<u8> = cond(layout.version >= 68, le_u8()),
    }
    also |table, out| {
        if layout.points.is_some_and(|points| check_count(table.normals.as_table(), points).is_ok()) {
            out.array("normal_vectors", &normal_vectors(&table.normals));
        }
        out.array("tangent_vectors", &tangent_vectors(&table.tangents));
    }
}

/// Reads the positions of a [`VertexTable`], but no array after them.
pub(super) fn positions<'a>(cursor: &mut Cursor<'a>, layout: Layout) -> Result<Block<'a, Vec3>> {
    cursor.parse(context("vertex_table_bytes", le_u32()))?;
    if layout.version.has_point_count() {
        cursor.parse(context("point_flags", Filled::<U32>::parser(layout)))?;
    }
    cursor.parse(context("uvs", UvSets::parser(layout)))?;
    cursor.parse(context("positions", Block::parser(layout)))
}

impl<'a> VertexTable<'a> {
    /// Returns an iterator over all sets of texture coordinates in order.
    pub fn uv_sets(&self) -> impl Iterator<Item = UvSet<'a>> + use<'a> {
        self.uvs.iter()
    }

    /// Returns the number of points.
    pub fn point_count(&self) -> u64 {
        self.positions.count()
    }

    /// Checks that an array has an element for each point. No stored bytes confirm the count of a fill, so check it
    /// before you iterate over the elements.
    ///
    /// # Errors
    /// Returns [`Malformed`](crate::ErrorKind::Malformed) if the counts differ.
    pub fn check_count(&self, array: &dyn Table) -> Result<()> {
        check_count(array, self.point_count())
    }
}

grammar! {
    /// A set of texture coordinates.
    UvSet<'a>(layout: Layout) {
        /// The range of packed coordinates.
        bounds: Option<&'a UvBounds> = cond(layout.version >= 45, inline(in_place())),
        /// The coordinates as stored: packed from version 45 on.
        #[label("LodUV, nVertices, DefaultFill, UV")]
        stored: Encoding<Filled<'a, PackedUv>, Filled<'a, Vec2>> = Encoding::parser(layout),
    }
}

/// The sets of texture coordinates of a LOD: at least one.
#[derive(Clone, Copy, Debug)]
pub struct UvSets<'a> {
    /// The first set, which is always present.
    pub first: UvSet<'a>,
    /// The claimed number of sets; 0 means 1. Not in version 7.
    pub count: Option<u32>,
    /// The other sets.
    pub(super) more: List<'a, UvSet<'a>, Layout>,
}

impl<'a> UvSets<'a> {
    /// Returns an iterator over all sets in order.
    pub fn iter(&self) -> impl Iterator<Item = UvSet<'a>> + use<'a> {
        std::iter::once(self.first).chain(self.more.iter())
    }
}

impl Stored for UvSets<'_> {
    const TYPE: Type = Type::List(&Type::Record(UvSet::SCHEMA), 9);
}

impl<'a> Read<'a, Layout> for UvSets<'a> {
    fn walk(cursor: &mut Cursor<'a>, layout: Layout, name: &'static str, sink: &mut impl Sink) -> Result<Self> {
        let start = *cursor;
        // The count of all sets follows the first.
        let first = UvSet::read(cursor, layout).within_index(0)?;
        let count = cursor.parse(le_u32())?;
        let more = List::numbered(cursor, 1, count.saturating_sub(1), layout)?;
        let sets = Self { first, count: Some(count), more };
        if let Some(mut out) = sink.outline() {
            if out.dissects() {
                let again = sets.describe_each(start, layout, name, &mut out);
                out.ok(again);
            } else {
                sets.describe(start.offset(), layout, name, &mut out);
            }
        }
        Ok(sets)
    }
}

impl<'a> UvSets<'a> {
    /// Describes them as arrays: each set as stored, then as floats, then the bounds of packed sets. `start` is the
    /// offset of the first set.
    fn describe(&self, start: u64, layout: Layout, name: &'static str, out: &mut Outline<'_>) {
        out.field("uv_count", self.count);
        // A mismatched count could claim any number of rows.
        let points = layout.points.unwrap_or(0);
        for (index, set) in self.iter().enumerate() {
            if out.ok(check_count(set.stored.as_table(), points)).is_some() {
                out.array_item(name, index, set.stored.as_table());
            }
        }
        for (index, set) in self.iter().enumerate() {
            if check_count(set.stored.as_table(), points).is_ok() {
                out.array_item("uv_coordinates", index, &coordinates(&set));
            }
        }
        let starts = std::iter::once(start).chain(self.more.spanned().map(|(_, span)| span.offset));
        for (index, (set, offset)) in zip(self.iter(), starts).enumerate() {
            if let Some(bounds) = set.bounds {
                let part = Part::item("uv_bounds", index).spanning(offset, size_of::<UvBounds>() as u64);
                out.part(part, |out| bounds.describe_fields(offset, out));
            }
        }
    }

    /// Describes each set as a part, and the count after the first, by reading them again from `start`.
    fn describe_each(
        &self,
        mut start: Cursor<'a>,
        layout: Layout,
        name: &'static str,
        out: &mut Outline<'_>,
    ) -> Result<()> {
        walk_part::<UvSet<'_>, _, _>(&mut start, layout, Part::item(name, 0), out)?;
        le_u32().walk(&mut start, "uv_count", out)?;
        for index in 0..self.more.len() {
            walk_part::<UvSet<'_>, _, _>(&mut start, layout, Part::item(name, index.saturating_add(1)), out)?;
        }
        Ok(())
    }
}

impl<'a> UvSet<'a> {
    /// Returns the number of coordinates.
    pub fn count(&self) -> u64 {
        self.stored.count()
    }

    /// Returns the coordinates as floats.
    ///
    /// # Errors
    /// Returns an error if they do not decode, or exceed [`Limits::decoded_bytes`](crate::Limits::decoded_bytes).
    pub fn decode(&self) -> Result<Vec<[f32; 2]>> {
        Ok(match &self.stored {
            Encoding::Packed(array) => array.decode()?.iter().map(|&packed| self.scale(packed)).collect(),
            Encoding::Float(array) => array.decode()?.iter().map(Vec2::to_array).collect(),
        })
    }

    /// Converts a packed coordinate of this set to floats.
    pub fn scale(&self, packed: PackedUv) -> [f32; 2] {
        // Every set of packed coordinates has bounds, so the default is never used.
        match self.bounds {
            Some(bounds) => bounds.scale(packed),
            None => [f32::NAN; 2],
        }
    }
}

impl<'a> Normals<'a> {
    /// Returns the normals as floats, pointing **into** the body.
    ///
    /// # Errors
    /// Returns an error if they do not decode, or exceed [`Limits::decoded_bytes`](crate::Limits::decoded_bytes).
    pub fn decode(&self) -> Result<Vec<[f32; 3]>> {
        Ok(match self {
            Self::Packed(array) => array.decode()?.iter().map(|normal| normal.to_array()).collect(),
            Self::Float(array) => array.decode()?.iter().map(Vec3::to_array).collect(),
        })
    }

    /// Returns the normals as floats, pointing out of the body.
    ///
    /// # Errors
    /// Returns the errors of [`decode`](Self::decode).
    pub fn decode_outward(&self) -> Result<Vec<[f32; 3]>> {
        let mut normals = self.decode()?;
        for axis in normals.as_flattened_mut() {
            *axis = -*axis;
        }
        Ok(normals)
    }
}

impl<'a> Tangents<'a> {
    /// Returns the tangents as floats, along u and along v, with the sign of [`Normals::decode`].
    ///
    /// # Errors
    /// Returns the errors of [`Normals::decode`].
    pub fn decode(&self) -> Result<Vec<[[f32; 3]; 2]>> {
        Ok(match self {
            Self::Packed(array) => array.decode()?.iter().map(|pair| [pair.s.to_array(), pair.t.to_array()]).collect(),
            Self::Float(array) => array.decode()?.iter().map(|pair| [pair.s.to_array(), pair.t.to_array()]).collect(),
        })
    }
}

/// Returns vectors as rows of `N` floats. `row` converts a packed vector to a row; vectors stored as floats are rows
/// already.
fn floats<'s, P: Table, F: Table, T: Element, const N: usize>(
    vectors: &'s Encoding<P, F>,
    columns: &'static [Column],
    row: impl Fn(&T) -> [f32; N] + 's,
) -> impl Table {
    let stored = vectors.as_table();
    let make = move |batch: &mut Batch<'_>| match vectors {
        Encoding::Packed(array) => array.read(&mut |bytes| {
            let mut elements = <[T]>::ref_from_bytes(bytes).unwrap_or_default().iter();
            elements.try_for_each(|element| batch.push(row(element).map(f32::to_le_bytes).as_flattened()))
        }),
        Encoding::Float(array) => array.read(&mut |rows| batch.push(rows)),
    };
    Derived { rows: stored.rows(), columns, from: stored.storage().span(), make }
}

/// Returns texture coordinates as floats.
pub(super) fn coordinates<'s>(set: &'s UvSet<'_>) -> impl Table + use<'s> {
    floats(&set.stored, columns![F32: "u", "v"], |&packed: &PackedUv| set.scale(packed))
}

/// Returns normals as floats, pointing into the body.
pub(super) fn normal_vectors<'s>(normals: &'s Normals<'_>) -> impl Table + use<'s> {
    floats(normals, columns![F32: "x", "y", "z"], |normal: &PackedVector| normal.to_array())
}

/// Returns tangents as floats, with the sign of the normals.
fn tangent_vectors<'s>(tangents: &'s Tangents<'_>) -> impl Table + use<'s> {
    floats(tangents, columns![F32: "s_x", "s_y", "s_z", "t_x", "t_y", "t_z"], |pair: &PackedTangents| {
        let ([a, b, c], [d, e, f]) = (pair.s.to_array(), pair.t.to_array());
        [a, b, c, d, e, f]
    })
}
