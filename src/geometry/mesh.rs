//! Primitives as plain arrays, for graphics cards and game engines.

use std::collections::HashMap;

use glam::Vec3;

use super::primitive::{Corner, Primitive};
use super::values::Values;
use super::weld::Welded;
use crate::base::error::Result;
use crate::budget::{Budget, Reservation};
use crate::bytes;

/// The memory of a vertex with all its arrays, except sets of texture coordinates.
const VERTEX_BYTES: u64 = 64;

/// A primitive as plain arrays in the common [space](super). All arrays have one element per vertex. Arrays for which
/// the file has no data are empty.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Mesh {
    /// Positions.
    pub positions: Vec<[f32; 3]>,
    /// Normals of length 1, smoothed where the [engine does so](Primitive::are_normals_smoothed).
    pub normals: Vec<[f32; 3]>,
    /// Sets of texture coordinates, with v growing downwards.
    pub uvs: Vec<Vec<[f32; 2]>>,
    /// Colors as stored; [`linear`](super::linear) converts them.
    pub colors: Vec<[f32; 4]>,
    /// The four strongest joints, as indices of [bones](crate::pose::Rig::bones).
    pub joints: Vec<[u32; 4]>,
    /// The weights of these joints, which sum to 1; all 0 if no joint moves the vertex.
    pub weights: Vec<[f32; 4]>,
    /// Three vertices per triangle, counterclockwise as seen from its front.
    pub indices: Vec<u32>,
    /// How many triangles were left out because the file has no position for one of their corners.
    pub left_out: u64,
}

impl Primitive<'_> {
    /// Returns all arrays in the common space, in new memory, ready for upload. The budget bounds memory and work.
    ///
    /// ```
    /// use meshpeek::{Asset, Budget, Limits};
    /// # let bytes = std::fs::read("corpus/b3d/everything.b3d").unwrap();
    /// let asset = Asset::parse(&bytes)?;
    /// let budget = Budget::new(bytes.len() as u64, &Limits::default());
    /// for primitive in asset.primitives() {
    ///     let mesh = primitive?.to_mesh(&budget)?;
    ///     println!("{} vertices, {} triangles", mesh.positions.len(), mesh.indices.len() / 3);
    /// }
    /// # Ok::<(), meshpeek::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if an array cannot be read or decoded, or exceeds the budget.
    pub fn to_mesh(&self, budget: &Budget) -> Result<Mesh> {
        self.mesh(budget, true)
    }

    /// Like [`to_mesh`](Self::to_mesh), but with no colors, joints and weights, and at most one set of texture
    /// coordinates. This reads and decodes less.
    ///
    /// # Errors
    /// Returns the errors of [`to_mesh`](Self::to_mesh).
    pub fn to_plain_mesh(&self, budget: &Budget) -> Result<Mesh> {
        self.mesh(budget, false)
    }

    fn mesh(&self, budget: &Budget, is_whole: bool) -> Result<Mesh> {
        let room = Reservation::new(budget);
        let welded = self.to_welded(|bytes| room.charge_and_hold(bytes))?;
        let corners = &welded.corners;
        let world = self.world_matrix;
        let sets = self.uv_sets()?.min(if is_whole { usize::MAX } else { 1 });
        let size = VERTEX_BYTES.saturating_add((sets as u64).saturating_mul(8));
        room.charge_and_hold(size.saturating_mul(corners.len() as u64))?;
        let stored = self.positions()?;
        // Every corner has a position.
        let positions = stored.gather(corners.iter().map(|corner| corner.position), |point| world.point(point));
        let normals = match self.normals()? {
            Some(normals) => normals.gather(corners.iter().map(|corner| corner.normal), world.normals()),
            None if self.are_normals_smoothed() => {
                room.charge_and_hold(VERTEX_BYTES.saturating_mul(corners.len() as u64))?;
                self.smoothed(&stored, &welded)
            }
            None => Vec::new(),
        };
        let mut mesh = Mesh { positions, normals, ..Mesh::default() };
        for set in 0..sets {
            let Some(stored) = self.uvs(set)? else { break };
            mesh.uvs.push(stored.gather(corners.iter().map(|corner| corner.uv(set)), |uv| uv));
        }
        if is_whole {
            self.add_colors_and_weights(&mut mesh, corners)?;
        }
        mesh.indices = welded.triangles.into_flattened();
        mesh.left_out = welded.left_out;
        Ok(mesh)
    }

    /// Returns the normals that the engine computes for a mesh that has none.
    fn smoothed(&self, stored: &Values<'_, bytes::Vec3>, welded: &Welded) -> Vec<[f32; 3]> {
        // In the space of the mesh, as the engine does. There, triangles may be clockwise.
        let points = stored.gather(welded.corners.iter().map(|corner| corner.position), |point| point);
        let sign = if self.world_matrix.mirrors() { -1.0 } else { 1.0 };
        let turn = self.world_matrix.normals();
        let mut normals = smooth_normals(&points, &welded.triangles);
        for normal in &mut normals {
            let [x, y, z] = *normal;
            *normal = turn([x * sign, y * sign, z * sign]);
        }
        normals
    }

    fn add_colors_and_weights(&self, mesh: &mut Mesh, corners: &[Corner]) -> Result<()> {
        if let Some(colors) = self.colors()? {
            mesh.colors.reserve_exact(corners.len());
            for corner in corners {
                mesh.colors.push(colors.array(corner.position as usize).unwrap_or([1.0; 4]));
            }
        }
        if let Some(weights) = self.to_weights()? {
            mesh.joints.reserve_exact(corners.len());
            mesh.weights.reserve_exact(corners.len());
            for corner in corners {
                let strongest = weights.strongest(corner.position as usize);
                mesh.joints.push(strongest.map(|one| one.joint));
                mesh.weights.push(strongest.map(|one| one.weight));
            }
        }
        Ok(())
    }
}

/// Returns smooth normals as Blitz3D computes them for a mesh that has none: at each position, the sum of the unit
/// normals of the triangles around it. A vertex that no triangle with an area uses gets the normal 0. Triangles are
/// counterclockwise as seen from their front; those with missing vertices are ignored.
pub fn smooth_normals(positions: &[[f32; 3]], triangles: &[[u32; 3]]) -> Vec<[f32; 3]> {
    let mut sums: HashMap<[u32; 3], Vec3> = HashMap::new();
    for &[a, b, c] in triangles {
        let Some(a) = positions.get(a as usize) else { continue };
        let Some(b) = positions.get(b as usize) else { continue };
        let Some(c) = positions.get(c as usize) else { continue };
        let from = Vec3::from(*a);
        let normal = (Vec3::from(*b) - from).cross(Vec3::from(*c) - from).normalize_or_zero();
        for point in [a, b, c] {
            *sums.entry(key(point)).or_default() += normal;
        }
    }
    let mut normals = Vec::with_capacity(positions.len());
    for point in positions {
        normals.push(match sums.get(&key(point)) {
            Some(sum) => sum.normalize_or_zero().to_array(),
            None => [0.0; 3],
        });
    }
    normals
}

/// Returns the bits of a position. Adding 0 makes -0 equal to 0.
#[inline]
fn key([x, y, z]: &[f32; 3]) -> [u32; 3] {
    [x + 0.0, y + 0.0, z + 0.0].map(f32::to_bits)
}
