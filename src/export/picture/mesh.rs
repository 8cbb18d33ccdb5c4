//! The vertices and normals of a mesh in the axes of a picture.

use std::collections::HashMap;
use std::iter::zip;

use glam::{Affine3A, Mat3A, Mat4, Vec3, Vec3A};

use super::camera::axes;
use super::part::Part;
use super::posed::Posed;
use crate::base::error::Result;
use crate::budget::Reservation as Room;
use crate::export::cost::CORNER_WORK;
use crate::geometry::{Corner, Primitive, Values};

/// The vertices of a mesh in the axes of the picture, kept for consecutive primitives of one mesh.
pub(super) struct Mesh {
    axes: Mat3A,
    of: Option<(usize, usize, Option<usize>)>,
    /// Along the axes of the picture.
    points: Vec<Vec3A>,
    /// Along the axes of the picture; zero for one without a direction.
    normals: Option<Vec<Vec3A>>,
    /// The movement of each vertex, if the mesh is not at rest.
    moves: Option<Vec<Mat4>>,
}

impl Mesh {
    pub(super) fn new(eye: [f32; 3]) -> Self {
        Self { axes: axes(eye), of: None, points: Vec::new(), normals: None, moves: None }
    }

    /// Moves the vertices of a primitive's mesh to where the picture shows them, unless they are there already.
    pub(super) fn place(&mut self, primitive: &Primitive<'_>, posed: &Posed, room: &Room<'_>) -> Result<()> {
        let place = primitive.place;
        let key = (place.model, place.mesh, place.node);
        if self.of == Some(key) {
            return Ok(());
        }
        self.of = None;
        self.points.clear();
        self.normals = None;
        self.moves = None;
        let count = primitive.vertex_count()?;
        room.charge_work((count as u64).saturating_mul(CORNER_WORK))?;
        let eye = Mat4::from_mat3a(self.axes.transpose());
        let world = primitive.world_matrix.glam();
        let positions = primitive.positions()?;
        match posed.of(primitive)? {
            None => {
                let to_eye = Affine3A::from_mat4(eye * world);
                self.points.extend(positions.iter().map(|point| to_eye.transform_point3a(point.to_array().into())));
            }
            Some(moves) => {
                room.charge_and_hold((count as u64).saturating_mul(size_of::<Mat4>() as u64))?;
                let all: Vec<Mat4> = (0..count).map(|vertex| moves.of(vertex)).collect();
                for (point, moved) in zip(positions.iter(), &all) {
                    let point = moved.transform_point3(world.transform_point3(point.to_array().into()));
                    self.points.push(eye.transform_point3(point).into());
                }
                self.moves = Some(all);
            }
        }
        self.of = Some(key);
        Ok(())
    }

    /// Turns the normals like the vertices, which were placed before.
    pub(super) fn turn(&mut self, primitive: &Primitive<'_>, room: &Room<'_>) -> Result<()> {
        if self.normals.is_some() {
            return Ok(());
        }
        let mut stored = primitive.normals().unwrap_or(None);
        if self.moves.is_some() && primitive.is_indexed_by_corner() {
            // Normals of corners do not belong to the vertices that move.
            stored = None;
        }
        let count = stored.as_ref().map_or(0, Values::len);
        room.charge_work((count as u64).saturating_mul(CORNER_WORK))?;
        let turn = primitive.world_matrix.normals();
        let to_eye = self.axes.transpose();
        let mut normals = Vec::with_capacity(count);
        if let Some(stored) = &stored {
            for (index, normal) in stored.iter().enumerate() {
                let mut normal = Vec3::from(turn(normal.to_array()));
                if let Some(moves) = &self.moves
                    && let Some(moved) = moves.get(index)
                {
                    normal = moved.transform_vector3(normal).normalize_or_zero();
                }
                normals.push(to_eye * Vec3A::from(normal));
            }
        }
        self.normals = Some(normals);
        Ok(())
    }

    pub(super) fn point(&self, corner: &Corner) -> Vec3A {
        self.points.get(corner.position as usize).copied().unwrap_or(Vec3A::NAN)
    }

    pub(super) fn normal(&self, corner: &Corner) -> Option<Vec3A> {
        let normal = *self.normals.as_ref()?.get(corner.normal as usize)?;
        if normal != Vec3A::ZERO && normal.is_finite() { Some(normal) } else { None }
    }
}

/// Normals by position, for a mesh that has none but whose engine computes them. See
/// [`smooth_normals`](crate::geometry::smooth_normals).
pub(super) struct Smooth(HashMap<[u32; 3], Vec3A>);

impl Smooth {
    pub(super) fn new(part: &Part<'_>, mesh: &Mesh, room: &Room<'_>) -> Result<Option<Self>> {
        let has_normals = mesh.normals.as_ref().is_some_and(|normals| !normals.is_empty());
        if has_normals || !part.primitive.are_normals_smoothed() {
            return Ok(None);
        }
        let mut sums: HashMap<[u32; 3], Vec3A> = HashMap::new();
        let mut triangles = part.triangles(room);
        while let Some(corners) = triangles.next()? {
            let before = sums.len();
            let [a, b, c] = corners.map(|corner| mesh.point(&corner));
            let normal = (b - a).cross(c - a).normalize_or_zero();
            for point in [a, b, c] {
                *sums.entry(Self::key(point)).or_default() += normal;
            }
            room.charge_and_hold((sums.len().saturating_sub(before) as u64).saturating_mul(64))?;
        }
        for sum in sums.values_mut() {
            *sum = sum.normalize_or_zero();
        }
        Ok(Some(Self(sums)))
    }

    /// Adding 0 makes -0 equal to 0.
    fn key(point: Vec3A) -> [u32; 3] {
        (point + 0.0).to_array().map(f32::to_bits)
    }

    pub(super) fn normal(&self, point: Vec3A) -> Option<Vec3A> {
        let normal = *self.0.get(&Self::key(point))?;
        if normal != Vec3A::ZERO { Some(normal) } else { None }
    }
}
