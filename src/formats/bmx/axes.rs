//! Conversion between the axes of maps and those of 3ds Max and Blender.
//!
//! Maps are left-handed with Y up and V downwards from 0; the two programs are right-handed with Z up and V upwards. So
//! the conversion swaps Y and Z in points and normals, negates V, and reverses the corners of a triangle.
//!
//! ```
//! use meshpeek::bmx::axes;
//! assert_eq!(axes::turn_point([1.0, 2.0, 3.0]), [1.0, 3.0, 2.0]);
//! assert_eq!(axes::turn_uv([0.25, -0.5]), [0.25, 0.5]);
//! assert_eq!(axes::turn_corners(["a", "b", "c"]), ["c", "b", "a"]);
//! ```
//!
//! Matrices are the four rows of `world_matrix`, as an outline has them, for row vectors with the translation last. Their
//! conversions are those of the document's two tables (`WORLD_MATRIX`).

/// Swaps Y and Z of a point or normal. Works in both directions.
pub fn turn_point([x, y, z]: [f32; 3]) -> [f32; 3] {
    [x, z, y]
}

/// Negates V of a texture coordinate. Works in both directions.
pub fn turn_uv([u, v]: [f32; 2]) -> [f32; 2] {
    [u, -v]
}

/// Reverses the corners of a triangle, so that its front stays the same. Works in both directions.
pub fn turn_corners<T>([a, b, c]: [T; 3]) -> [T; 3] {
    [c, b, a]
}

/// Swaps Y and Z of a matrix in both spaces: rows 1 and 2, and columns 1 and 2, counted from 0.
fn turn([x, y, z, w]: [[f32; 4]; 4]) -> [[f32; 4]; 4] {
    [x, z, y, w].map(|[x, y, z, w]| [x, z, y, w])
}

fn transpose([a, b, c, d]: [[f32; 4]; 4]) -> [[f32; 4]; 4] {
    let ([a0, a1, a2, a3], [b0, b1, b2, b3], [c0, c1, c2, c3], [d0, d1, d2, d3]) = (a, b, c, d);
    [[a0, b0, c0, d0], [a1, b1, c1, d1], [a2, b2, c2, d2], [a3, b3, c3, d3]]
}

/// Converts a matrix to that of 3ds Max: four rows of three, for row vectors in its axes, with the translation last.
///
/// ```
/// use meshpeek::bmx::axes::{from_max, to_max};
/// let rows = [[1.0, 2.0, 3.0, 0.0], [4.0, 5.0, 6.0, 0.0], [7.0, 8.0, 9.0, 0.0], [10.0, 11.0, 12.0, 1.0]];
/// let max = to_max(rows);
/// assert_eq!(max, [[1.0, 3.0, 2.0], [7.0, 9.0, 8.0], [4.0, 6.0, 5.0], [10.0, 12.0, 11.0]]);
/// assert_eq!(from_max(max), rows);
/// ```
pub fn to_max(rows: [[f32; 4]; 4]) -> [[f32; 3]; 4] {
    turn(rows).map(|[x, y, z, _]| [x, y, z])
}

/// Converts a matrix from that of 3ds Max. The last column becomes 0, 0, 0, 1.
pub fn from_max([x, y, z, w]: [[f32; 3]; 4]) -> [[f32; 4]; 4] {
    turn([[x[0], x[1], x[2], 0.0], [y[0], y[1], y[2], 0.0], [z[0], z[1], z[2], 0.0], [w[0], w[1], w[2], 1.0]])
}

/// Converts a matrix to that of Blender: for column vectors in its axes, with the translation in the last column. This
/// is the transpose of the document's table.
///
/// ```
/// use meshpeek::bmx::axes::{from_blender, to_blender};
/// let rows = [[1.0, 2.0, 3.0, 0.0], [4.0, 5.0, 6.0, 0.0], [7.0, 8.0, 9.0, 0.0], [10.0, 11.0, 12.0, 1.0]];
/// let blender = to_blender(rows);
/// assert_eq!(blender[0], [1.0, 7.0, 4.0, 10.0]);
/// assert_eq!(blender[3], [0.0, 0.0, 0.0, 1.0]);
/// assert_eq!(from_blender(blender), rows);
/// ```
pub fn to_blender(rows: [[f32; 4]; 4]) -> [[f32; 4]; 4] {
    transpose(turn(rows))
}

/// Converts a matrix from that of Blender.
pub fn from_blender(rows: [[f32; 4]; 4]) -> [[f32; 4]; 4] {
    turn(transpose(rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turned_points_meet_turned_matrices() {
        let rows = [[0.0, 2.0, 0.0, 0.0], [0.0, 0.0, -1.0, 0.0], [3.0, 0.0, 0.0, 0.0], [10.0, 20.0, 30.0, 1.0]];
        let [x, y, z] = [1.0_f32, 5.0, 7.0];
        let [a, b, c, d] = rows;
        let there = [0, 1, 2].map(|i: usize| x * a[i] + y * b[i] + z * c[i] + d[i]);
        let [bx, by, bz] = turn_point([x, y, z]);
        let [r, s, t, _] = to_blender(rows);
        assert_eq!([r, s, t].map(|row| row[0] * bx + row[1] * by + row[2] * bz + row[3]), turn_point(there));
        let [r, s, t, w] = to_max(rows);
        assert_eq!([0, 1, 2].map(|i: usize| bx * r[i] + by * s[i] + bz * t[i] + w[i]), turn_point(there));
    }
}
