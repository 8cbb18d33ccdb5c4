//! The box around a scene.

use std::iter::zip;

use crate::base::stop;
use crate::bytes::{Strided, Vec3};
use crate::check::PIECE;
use crate::summary::Bounds;

/// A matrix for column vectors, rows first. Each row ends in a part of the translation.
pub(super) type Matrix = [[f32; 4]; 3];

/// The matrix that changes nothing.
pub(super) const IDENTITY: Matrix = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];

/// Returns the matrix that applies `first`, and then `matrix`.
pub(super) fn after(matrix: &Matrix, first: &Matrix) -> Matrix {
    let [x, y, z] = first;
    // Each row of the product is the sum of the rows of `first`, weighted by a row of `matrix`. The translation of
    // `matrix` is added to the last column.
    matrix.map(|[a, b, c, d]| {
        let weighted = |x, y, z| a * x + b * y + c * z;
        [
            weighted(x[0], y[0], z[0]),
            weighted(x[1], y[1], z[1]),
            weighted(x[2], y[2], z[2]),
            weighted(x[3], y[3], z[3]) + d,
        ]
    })
}

/// The ends of the box along one axis.
#[derive(Clone, Copy, Debug)]
struct Extent {
    min: f32,
    max: f32,
}

impl Extent {
    /// No vertices.
    const NOTHING: Self = Self { min: f32::INFINITY, max: f32::NEG_INFINITY };

    /// Extends it to a number. NaN changes neither end.
    #[inline(always)]
    fn add(&mut self, number: f32) {
        if number < self.min {
            self.min = number;
        }
        if number > self.max {
            self.max = number;
        }
    }
}

/// The box around the vertices so far, in the file's left-handed space.
#[derive(Clone, Copy, Debug)]
pub(super) struct Around {
    extents: [Extent; 3],
    /// True if vertices are missing from it.
    is_partial: bool,
}

impl Default for Around {
    /// No vertices.
    fn default() -> Self {
        Self { extents: [Extent::NOTHING; 3], is_partial: false }
    }
}

impl Around {
    /// Extends it to the positions of one mesh, which `to_scene` maps to the space of the scene.
    pub(super) fn add(&mut self, positions: &Strided<'_, Vec3>, to_scene: &Matrix) {
        for (index, position) in positions.iter().enumerate() {
            // Long work may have to end, and then the other positions are missing.
            if index % PIECE == 0 && stop::is_set() {
                self.is_partial = true;
                return;
            }
            let [x, y, z] = position.to_array();
            for (extent, [a, b, c, d]) in zip(&mut self.extents, to_scene) {
                extent.add(a * x + b * y + c * z + d);
            }
        }
    }

    /// Records that some vertices cannot be read. The box is then unknown.
    pub(super) fn leave_out(&mut self) {
        self.is_partial = true;
    }

    /// Returns the box. Returns `None` if there are no vertices, if some are missing, or if one is infinitely far away.
    pub(super) fn bounds(self) -> Option<Bounds> {
        if self.is_partial {
            return None;
        }
        let min = self.extents.map(|extent| extent.min);
        let max = self.extents.map(|extent| extent.max);
        // Without vertices, both corners are still infinite.
        let is_finite = min.iter().chain(&max).all(|number| number.is_finite());
        if is_finite { Some(Bounds { min, max }) } else { None }
    }
}
