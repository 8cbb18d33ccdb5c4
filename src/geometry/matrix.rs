//! Matrices and transforms in the common space of geometry and poses.

use glam::{Mat3A, Mat4, Quat, Vec3, Vec3A};

/// A matrix that maps column vectors. It is stored column by column, as in glTF and most graphics APIs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Matrix(pub [[f32; 4]; 4]);

impl Matrix {
    /// The identity matrix.
    pub const IDENTITY: Self =
        Self([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]);

    /// Creates a matrix from three rows of a rotation and one of a position, for row vectors.
    pub(crate) fn from_rows([x, y, z, position]: [[f32; 3]; 4]) -> Self {
        Self([column(x, 0.0), column(y, 0.0), column(z, 0.0), column(position, 1.0)])
    }

    pub(crate) fn translation(by: [f32; 3]) -> Self {
        Self::of(Mat4::from_translation(by.into()))
    }

    /// Transforms a position.
    pub fn point(&self, position: [f32; 3]) -> [f32; 3] {
        self.glam().transform_point3(position.into()).to_array()
    }

    /// Transforms a direction. The result is not normalized.
    pub fn direction(&self, direction: [f32; 3]) -> [f32; 3] {
        self.glam().transform_vector3(direction.into()).to_array()
    }

    /// Transforms a normal to length 1, or length 0 if there is none. Inverts the matrix; for many normals, use
    /// [`normals`](Self::normals).
    pub fn normal(&self, normal: [f32; 3]) -> [f32; 3] {
        self.normals()(normal)
    }

    /// Returns a function that transforms normals, with a single inversion of the matrix.
    pub fn normals(&self) -> impl Fn([f32; 3]) -> [f32; 3] + Copy + use<> {
        let inverse = Mat3A::from_mat4(self.glam()).inverse().transpose();
        // If the matrix flattens space, no normal is certain to be right.
        let map = if inverse.is_finite() { inverse } else { Mat3A::from_mat4(self.glam()) };
        move |normal| map.mul_vec3a(Vec3A::from(normal)).normalize_or_zero().to_array()
    }

    /// The product of this matrix and another, which is applied first.
    #[must_use]
    pub fn after(&self, first: &Self) -> Self {
        Self::of(self.glam().mul_mat4(&first.glam()))
    }

    /// Returns the inverse matrix. Returns `None` if the matrix flattens space or has numbers that are not finite.
    pub fn inverse(&self) -> Option<Self> {
        let inverse = self.glam().inverse();
        if inverse.is_finite() { Some(Self::of(inverse)) } else { None }
    }

    /// Returns true if it turns a left hand into a right one.
    pub fn mirrors(&self) -> bool {
        self.glam().determinant() < 0.0
    }

    pub(crate) fn glam(&self) -> Mat4 {
        Mat4::from_cols_array_2d(&self.0)
    }

    pub(crate) fn of(matrix: Mat4) -> Self {
        Self(matrix.to_cols_array_2d())
    }
}

fn column([a, b, c]: [f32; 3], last: f32) -> [f32; 4] {
    [a, b, c, last]
}

/// A transform: scale, then rotation, then translation.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Transform {
    /// The translation.
    pub translation: [f32; 3],
    /// The rotation: x, y, z, w of a quaternion with `v' = q v q*`. Converted to our space, but not normalized.
    pub rotation: [f32; 4],
    /// The scale.
    pub scale: [f32; 3],
}

impl Transform {
    /// The identity transform.
    pub const IDENTITY: Self = Self { translation: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0], scale: [1.0; 3] };

    /// Converts it to a matrix.
    pub fn to_matrix(&self) -> Matrix {
        let scale = Vec3::from(self.scale);
        let translation = Vec3::from(self.translation);
        Matrix::of(Mat4::from_scale_rotation_translation(scale, Quat::from_array(self.rotation), translation))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normals_stay_upright_where_space_is_stretched_and_mirrored() {
        let matrix = Matrix([[-2.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]);
        assert!(matrix.mirrors());
        let normal = matrix.normal([0.6, 0.8, 0.0]);
        let along = matrix.direction([0.8, -0.6, 0.0]);
        assert!((normal[0] * along[0] + normal[1] * along[1]).abs() < 1e-6 && normal[0] < 0.0);
        assert!(Matrix([[0.0; 4]; 4]).inverse().is_none());
    }
}
