//! Corners made vertices.

use std::collections::HashMap;

use super::{Corner, Primitive};
use crate::base::error::Result;

/// What a triangle takes in a list that grows by doubling, and a vertex there and in a map.
const TRIANGLE_BYTES: u64 = 24;
const VERTEX_BYTES: u64 = 96;

/// The triangles of a primitive over vertices of their own: each corner that is unlike the others is a vertex once, and
/// what no triangle uses is none.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Welded {
    /// For each vertex which position, normal and texture coordinate it has.
    pub corners: Vec<Corner>,
    /// The triangles, as places among the vertices.
    pub triangles: Vec<[u32; 3]>,
    /// How many triangles were left out, because the file has no position for one of their corners.
    pub left_out: u64,
}

impl Primitive<'_> {
    /// The triangles with one number for each corner, as graphics cards want them, in new memory. `afford` is told behind
    /// each triangle how many bytes it took, and may end it: a count in a file is a claim.
    ///
    /// # Errors
    /// What `afford` gives; where positions or triangles cannot be read.
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
