//! Welds corners into vertices.

use std::collections::HashMap;

use super::{Corner, Primitive};
use crate::base::error::Result;

/// The memory of a triangle in a list that grows by doubling, and of a vertex in a list and in a map.
const TRIANGLE_BYTES: u64 = 24;
const VERTEX_BYTES: u64 = 96;

/// The triangles of a primitive with their own vertices. Each distinct corner is one vertex. Corners that no triangle
/// uses are left out.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Welded {
    /// For each vertex, the indices of its position, normal and texture coordinates.
    pub corners: Vec<Corner>,
    /// The triangles, as indices of vertices.
    pub triangles: Vec<[u32; 3]>,
    /// How many triangles were left out because the file has no position for one of their corners.
    pub left_out: u64,
}

impl Primitive<'_> {
    /// Returns the triangles with one index per corner, as graphics cards need them, in new memory. `afford` is called
    /// after each triangle with the number of bytes it took. It may return an error to stop: a count in a file is a
    /// claim.
    ///
    /// # Errors
    /// Returns the error of `afford`, or an error if positions or triangles cannot be read.
    pub fn to_welded(&self, mut afford: impl FnMut(u64) -> Result<()>) -> Result<Welded> {
        let positions = self.vertex_count()?;
        let mut welded = Welded::default();
        let mut known: HashMap<Corner, u32> = HashMap::new();
        for corners in self.corners() {
            let corners = corners?;
            if corners.iter().any(|corner| corner.position as usize >= positions) {
                welded.left_out = welded.left_out.saturating_add(1);
                afford(0)?;
                continue;
            }
            let before = welded.corners.len();
            welded.triangles.push(corners.map(|corner| {
                *known.entry(corner).or_insert_with(|| {
                    let next = u32::try_from(welded.corners.len()).unwrap_or(u32::MAX);
                    welded.corners.push(corner);
                    next
                })
            }));
            let new = welded.corners.len().saturating_sub(before);
            afford(TRIANGLE_BYTES.saturating_add(VERTEX_BYTES.saturating_mul(new as u64)))?;
        }
        Ok(welded)
    }
}
