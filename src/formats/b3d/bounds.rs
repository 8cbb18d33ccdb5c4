//! The box around a scene.

use std::iter::zip;

use crate::base::stop;
use crate::bytes::{Strided, Vec3};
use crate::check::PIECE;
use crate::summary::Bounds;

/// A matrix for column vectors, rows first. Each row ends in a part of the translation.
type Matrix = [[f32; 4]; 3];

/// The matrix that changes nothing.
const IDENTITY: Matrix = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];

/// Returns the matrix that applies `first`, and then `matrix`.
fn after(matrix: &Matrix, first: &Matrix) -> Matrix {
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

/// A number for each of the three axes, and one that is not used: four are computed at once.
type Lanes = [f32; 4];

/// The box around the vertices of a scene, while it is walked.
#[derive(Debug, Default)]
pub(super) struct SceneBox {
    around: Around,
    /// For each open node, the matrix from its space to that of the scene.
    to_scene: Vec<Matrix>,
}

impl SceneBox {
    /// Enters a node with this matrix to the space around it.
    pub(super) fn enter(&mut self, to_parent: &Matrix) {
        self.to_scene.push(after(self.to_scene(), to_parent));
    }

    /// Leaves the innermost node.
    pub(super) fn leave(&mut self) {
        self.to_scene.pop();
    }

    /// Extends the box to positions in the innermost node.
    pub(super) fn add(&mut self, positions: &Strided<'_, Vec3>) {
        let columns = Columns::of(self.to_scene());
        self.around.add(positions, &columns);
    }

    /// Records that some vertices cannot be read. The box is then unknown.
    pub(super) fn mark_incomplete(&mut self) {
        self.around.is_partial = true;
    }

    /// Returns the box. Returns `None` if there are no vertices, if some are missing, or if one is infinitely far away.
    pub(super) fn bounds(&self) -> Option<Bounds> {
        self.around.bounds()
    }

    fn to_scene(&self) -> &Matrix {
        self.to_scene.last().unwrap_or(&IDENTITY)
    }
}

/// The box around the vertices so far, in the file's left-handed space.
#[derive(Clone, Copy, Debug)]
struct Around {
    min: Lanes,
    max: Lanes,
    /// True if vertices are missing from it.
    is_partial: bool,
}

impl Default for Around {
    /// No vertices.
    fn default() -> Self {
        Self { min: [f32::INFINITY; 4], max: [f32::NEG_INFINITY; 4], is_partial: false }
    }
}

/// The images of the axes and of the origin.
struct Columns {
    x: Lanes,
    y: Lanes,
    z: Lanes,
    origin: Lanes,
}

impl Columns {
    fn of([[a, b, c, d], [e, f, g, h], [i, j, k, l]]: &Matrix) -> Self {
        Self { x: [*a, *e, *i, 0.0], y: [*b, *f, *j, 0.0], z: [*c, *g, *k, 0.0], origin: [*d, *h, *l, 0.0] }
    }

    #[inline(always)]
    fn apply(&self, [x, y, z]: [f32; 3]) -> Lanes {
        let mut place = self.x.map(|axis| axis * x);
        for (sum, axis) in zip(&mut place, self.y) {
            *sum += axis * y;
        }
        for (sum, axis) in zip(&mut place, self.z) {
            *sum += axis * z;
        }
        for (sum, origin) in zip(&mut place, self.origin) {
            *sum += origin;
        }
        place
    }
}

impl Around {
    /// Extends it to positions, which these columns map to the space of the scene.
    // If it is inlined, the compiler knows that the fourth lane is 0, and no longer computes four lanes at once.
    #[inline(never)]
    fn add(&mut self, positions: &Strided<'_, Vec3>, columns: &Columns) {
        let mut extended = *self;
        for (index, position) in positions.iter().enumerate() {
            // Long work may have to end, and then the other positions are missing.
            if index % PIECE == 0 && stop::is_set() {
                self.is_partial = true;
                return;
            }
            extended.extend(columns.apply(position.to_array()));
        }
        *self = extended;
    }

    /// Extends it to a vertex. NaN changes neither end.
    #[inline(always)]
    fn extend(&mut self, place: Lanes) {
        for (min, number) in zip(&mut self.min, place) {
            *min = if number < *min { number } else { *min };
        }
        for (max, number) in zip(&mut self.max, place) {
            *max = if number > *max { number } else { *max };
        }
    }

    fn bounds(self) -> Option<Bounds> {
        if self.is_partial {
            return None;
        }
        let [min @ .., _] = self.min;
        let [max @ .., _] = self.max;
        // Without vertices, both corners are still infinite.
        let is_finite = min.iter().chain(&max).all(|number| number.is_finite());
        if is_finite { Some(Bounds { min, max }) } else { None }
    }
}
