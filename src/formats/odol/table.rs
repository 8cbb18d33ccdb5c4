//! Arrays computed from stored ones row by row, for use as a [`Table`].

use std::iter::zip;
use std::ops::ControlFlow;

use zerocopy::FromBytes;

use super::animation::Axes;
use super::face::Faces;
use super::vertex::{Encoding, Normals, Tangents, UvSet};
use super::wire::{PackedTangents, PackedUv, PackedVector};
use crate::base::span::Span;
use crate::bytes::array::columns;
use crate::bytes::batch::{Batch, Derived};
use crate::bytes::{Column, Element, Table};

/// A receiver of rows.
pub(super) type Sink<'s> = dyn FnMut(&[u8]) -> ControlFlow<()> + 's;

/// Returns vectors as rows of floats. `row` converts a packed one.
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
pub(super) fn tangent_vectors<'s>(tangents: &'s Tangents<'_>) -> impl Table + use<'s> {
    floats(tangents, columns![F32: "s_x", "s_y", "s_z", "t_x", "t_y", "t_z"], |pair: &PackedTangents| {
        let ([a, b, c], [d, e, f]) = (pair.s.to_array(), pair.t.to_array());
        [a, b, c, d, e, f]
    })
}

/// Returns faces as four point numbers each; -1 if a face has fewer corners.
pub(super) fn corners<'s>(faces: &'s Faces<'_>) -> impl Table + use<'s> {
    Derived {
        rows: faces.len() as u64,
        columns: columns![I32: "a", "b", "c", "d"],
        from: Span { offset: faces.offset(), bytes: faces.byte_len() },
        make: |batch: &mut Batch<'_>| {
            batch.extend(faces.iter().map(|face| {
                let mut row = [-1; 4];
                for (place, corner) in zip(&mut row, face?.corners.iter()) {
                    *place = corner.cast_signed();
                }
                Ok(bytemuck::cast::<_, [u8; 16]>(row.map(i32::to_le_bytes)))
            }))
        },
    }
}

/// Returns the point numbers of the corners of all faces one after another, without the numbers of corners.
pub(super) fn indices<'s>(faces: &'s Faces<'_>) -> impl Table + use<'s> {
    Derived {
        rows: faces.corner_count(),
        columns: match faces.is_wide() {
            false => columns!["point" U16],
            true => columns!["point" U32],
        },
        from: Span { offset: faces.offset(), bytes: faces.byte_len() },
        make: |batch: &mut Batch<'_>| {
            for face in faces.iter() {
                if batch.push(face?.corners.as_bytes()).is_break() {
                    break;
                }
            }
            Ok(())
        },
    }
}

/// Returns the bones and axes of all animations in one LOD; NaN if there is no axis.
pub(super) fn axes<'s>(axes: &'s Axes<'_>, animations: u64) -> impl Table + use<'s> {
    Derived {
        rows: animations,
        columns: columns!["bone" I32, "x" F32, "y" F32, "z" F32, "to_x" F32, "to_y" F32, "to_z" F32],
        from: Span { offset: axes.offset(), bytes: axes.byte_len() },
        make: |batch: &mut Batch<'_>| {
            batch.extend(axes.iter().map(|axis| {
                let [[x, y, z], [to_x, to_y, to_z]] =
                    [axis.position, axis.direction].map(|vector| vector.unwrap_or([f32::NAN; 3]).map(f32::to_le_bytes));
                Ok(bytemuck::cast::<_, [u8; 28]>([axis.bone.to_le_bytes(), x, y, z, to_x, to_y, to_z]))
            }))
        },
    }
}
