//! Arrays that are worked out from stored ones, row by row, for whoever takes any [`Table`].

use std::ops::ControlFlow;

use zerocopy::FromBytes;

use super::animation::Axes;
use super::face::Faces;
use super::vertex::{Encoding, Normals, Tangents, UvSet};
use super::wire::{PackedTangents, PackedUv, PackedVector};
use crate::error::Result;
use crate::view::batch::Batch;
use crate::view::{Column, Element, Packing, Scalar, Storage, Table};

/// Takes in rows.
pub(super) type Sink<'s> = dyn FnMut(&[u8]) -> ControlFlow<()> + 's;

/// Rows made by a function when they are read.
pub(super) struct Derived<F> {
    rows: u64,
    columns: &'static [Column],
    /// What they are made from.
    storage: Storage,
    make: F,
}

impl<F: Fn(&mut Batch<'_>) -> Result<()>> Table for Derived<F> {
    fn rows(&self) -> u64 {
        self.rows
    }

    fn columns(&self) -> Vec<Column> {
        self.columns.to_vec()
    }

    fn storage(&self) -> Storage {
        Storage { packing: Packing::Derived, ..self.storage }
    }

    fn read(&self, sink: &mut Sink<'_>) -> Result<()> {
        let mut batch = Batch::new(sink);
        let made = (self.make)(&mut batch);
        let _ = batch.flush();
        made
    }
}

impl Batch<'_> {
    /// Each element of an array as a row of floats.
    fn convert<T: Element, const N: usize>(&mut self, array: &dyn Table, row: impl Fn(&T) -> [f32; N]) -> Result<()> {
        array.read(&mut |bytes| {
            let mut elements = <[T]>::ref_from_bytes(bytes).unwrap_or_default().iter();
            elements.try_for_each(|element| self.push(row(element).map(f32::to_le_bytes).as_flattened()))
        })
    }
}

const fn float(name: &'static str) -> Column {
    Column::new(name, Scalar::F32)
}

const fn index(name: &'static str) -> Column {
    Column::new(name, Scalar::I32)
}

/// Texture coordinates as numbers.
pub(super) fn coordinates<'s>(set: &'s UvSet<'_>) -> impl Table + use<'s> {
    let stored = set.stored.as_table();
    Derived {
        rows: stored.rows(),
        columns: const { &[float("u"), float("v")] },
        storage: stored.storage(),
        make: |batch: &mut Batch<'_>| match &set.stored {
            Encoding::Packed(array) => batch.convert(array, |&packed: &PackedUv| set.scale(packed)),
            Encoding::Float(array) => array.read(&mut |rows| batch.push(rows)),
        },
    }
}

/// Normals as numbers, pointing into the body.
pub(super) fn normal_vectors<'s>(normals: &'s Normals<'_>) -> impl Table + use<'s> {
    let stored = normals.as_table();
    Derived {
        rows: stored.rows(),
        columns: const { &[float("x"), float("y"), float("z")] },
        storage: stored.storage(),
        make: |batch: &mut Batch<'_>| match normals {
            Encoding::Packed(array) => batch.convert(array, |normal: &PackedVector| normal.to_array()),
            Encoding::Float(array) => array.read(&mut |rows| batch.push(rows)),
        },
    }
}

/// Tangents as numbers, of the sign of the normals.
pub(super) fn tangent_vectors<'s>(tangents: &'s Tangents<'_>) -> impl Table + use<'s> {
    let stored = tangents.as_table();
    Derived {
        rows: stored.rows(),
        columns: const { &[float("s_x"), float("s_y"), float("s_z"), float("t_x"), float("t_y"), float("t_z")] },
        storage: stored.storage(),
        make: |batch: &mut Batch<'_>| match tangents {
            Encoding::Packed(array) => batch.convert(array, |pair: &PackedTangents| {
                let ([a, b, c], [d, e, f]) = (pair.s.to_array(), pair.t.to_array());
                [a, b, c, d, e, f]
            }),
            Encoding::Float(array) => array.read(&mut |rows| batch.push(rows)),
        },
    }
}

fn face_storage(faces: &Faces<'_>) -> Storage {
    Storage { offset: faces.offset(), bytes: faces.byte_len(), packing: Packing::Derived }
}

/// Faces as four point numbers each; -1 where a face has fewer corners.
pub(super) fn corners<'s>(faces: &'s Faces<'_>) -> impl Table + use<'s> {
    Derived {
        rows: faces.len() as u64,
        columns: const { &[index("a"), index("b"), index("c"), index("d")] },
        storage: face_storage(faces),
        make: |batch: &mut Batch<'_>| {
            for face in faces.iter() {
                let mut row = [-1; 4];
                for (place, corner) in row.iter_mut().zip(face?.corners.iter()) {
                    *place = corner.cast_signed();
                }
                if batch.push(row.map(i32::to_le_bytes).as_flattened()).is_break() {
                    break;
                }
            }
            Ok(())
        },
    }
}

/// The point numbers of all corners of all faces, one behind the other, without the numbers of corners.
pub(super) fn indices<'s>(faces: &'s Faces<'_>) -> impl Table + use<'s> {
    Derived {
        rows: faces.corner_count(),
        columns: match faces.is_wide() {
            false => const { &[Column::new("point", Scalar::U16)] },
            true => const { &[Column::new("point", Scalar::U32)] },
        },
        storage: face_storage(faces),
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

/// Bones and axes of all animations in one LOD; not-a-number where there is no axis.
pub(super) fn axes<'s>(axes: &'s Axes<'_>, animations: u64) -> impl Table + use<'s> {
    Derived {
        rows: animations,
        columns: const { &[index("bone"), float("x"), float("y"), float("z"), float("to_x"), float("to_y"), float("to_z")] },
        storage: Storage { offset: axes.offset(), bytes: axes.byte_len(), packing: Packing::Derived },
        make: |batch: &mut Batch<'_>| {
            for axis in axes.iter() {
                let [[x, y, z], [to_x, to_y, to_z]] =
                    [axis.position, axis.direction].map(|vector| vector.unwrap_or([f32::NAN; 3]).map(f32::to_le_bytes));
                let row = [axis.bone.to_le_bytes(), x, y, z, to_x, to_y, to_z];
                if batch.push(row.as_flattened()).is_break() {
                    break;
                }
            }
            Ok(())
        },
    }
}
