//! Welds corners into vertices.

use std::collections::HashMap;

use super::primitive::{Corner, Primitive};
use crate::base::amount::Amount;
use crate::base::error::Result;

/// The memory of a triangle in a list that grows by doubling, and of a vertex in a list and in a map.
const TRIANGLE_BYTES: u64 = 24;
const VERTEX_BYTES: u64 = 96;
/// The memory of a position in the list of positions, while it is copied to a longer one.
const PLACE_BYTES: u64 = 8;
/// The most triangles that lists have room for before they are found.
const MOST_LIKELY: usize = 1 << 14;
/// This much is paid for at once.
const STEP: u64 = 4096;

/// The vertices so far, found by their positions. Most positions have few vertices, which takes a fraction of the time
/// of a map.
#[derive(Default)]
struct Known {
    /// True if a position can have several vertices.
    by_corner: bool,
    /// The newest vertex of each position.
    first: Vec<u32>,
    /// The vertex before each vertex at the same position.
    before: Vec<u32>,
    /// The vertices of positions that have many.
    rest: HashMap<Corner, u32>,
}

/// No vertex.
const NONE: u32 = u32::MAX;
/// The most vertices of one position outside the map.
const MOST: usize = 8;
/// Positions from this one on are in the map only.
const MOST_PLACES: u32 = 1 << 20;

impl Known {
    /// Returns the vertex of this corner, which may be new.
    #[inline]
    fn vertex(&mut self, corner: Corner, corners: &mut Vec<Corner>) -> u32 {
        let newest = self.first.get(corner.position as usize).copied().unwrap_or(NONE);
        let is_it = newest != NONE && (!self.by_corner || corners.get(newest as usize) == Some(&corner));
        if is_it { newest } else { self.other_vertex(corner, corners) }
    }

    fn other_vertex(&mut self, corner: Corner, corners: &mut Vec<Corner>) -> u32 {
        if corner.position < MOST_PLACES {
            let place = corner.position as usize;
            if place >= self.first.len() {
                // As many as the list would have room for.
                self.first.resize(place.saturating_add(1).next_power_of_two(), NONE);
            }
            let Some(first) = self.first.get_mut(place) else { return NONE };
            let mut vertex = *first;
            for _ in 0..MOST {
                if vertex == NONE {
                    *first = add_vertex(corner, *first, corners, &mut self.before);
                    return *first;
                }
                if corners.get(vertex as usize) == Some(&corner) {
                    return vertex;
                }
                vertex = self.before.get(vertex as usize).copied().unwrap_or(NONE);
            }
        }
        *self.rest.entry(corner).or_insert_with(|| add_vertex(corner, NONE, corners, &mut self.before))
    }
}

/// Adds a vertex after the `previous` one at its position. Returns its number.
fn add_vertex(corner: Corner, previous: u32, corners: &mut Vec<Corner>, before: &mut Vec<u32>) -> u32 {
    let next = u32::try_from(corners.len()).unwrap_or(NONE);
    corners.push(corner);
    before.push(previous);
    next
}

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
    /// Returns the triangles with one index per corner, as graphics cards need them, in new memory. `check` is called
    /// after every few triangles with the number of bytes they took. It may return an error to stop: a count in a file
    /// is a claim.
    ///
    /// # Errors
    /// Returns the error of `check`, or an error if positions or triangles cannot be read.
    pub fn to_welded(&self, mut check: impl FnMut(u64) -> Result<()>) -> Result<Welded> {
        let mut welding = Welding {
            positions: self.vertex_count()?,
            known: Known { by_corner: self.is_indexed_by_corner(), ..Known::default() },
            welded: Welded::default(),
            due: Amount(0),
        };
        let likely = self.shape.likely_triangles().min(MOST_LIKELY);
        welding.welded.triangles.reserve(likely);
        welding.welded.corners.reserve(likely);
        self.shape.each_triangle(&mut |corners| match welding.add(corners) {
            Some(bytes) => check(bytes),
            None => Ok(()),
        })?;
        check(welding.due.0)?;
        Ok(welding.welded)
    }
}

struct Welding {
    /// The number of positions.
    positions: usize,
    known: Known,
    welded: Welded,
    /// The bytes that are not paid for.
    due: Amount<u64>,
}

impl Welding {
    /// Adds a triangle. Returns the bytes to pay for now.
    #[inline]
    fn add(&mut self, corners: [Corner; 3]) -> Option<u64> {
        let welded = &mut self.welded;
        if corners.iter().any(|corner| corner.position as usize >= self.positions) {
            welded.left_out = welded.left_out.saturating_add(1);
            // No bytes, but a chance to stop.
            return Some(0);
        }
        let before = welded.corners.len();
        let reach = self.known.first.len();
        welded.triangles.push(corners.map(|corner| self.known.vertex(corner, &mut welded.corners)));
        let new = welded.corners.len().saturating_sub(before);
        let vertices = VERTEX_BYTES.saturating_mul(new as u64);
        let places = (self.known.first.len().saturating_sub(reach) as u64).saturating_mul(PLACE_BYTES);
        self.due = self.due + TRIANGLE_BYTES + vertices + places;
        if self.due.0 < STEP {
            return None;
        }
        Some(std::mem::take(&mut self.due).0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Many corners at few positions, and positions beyond the list.
    #[test]
    fn each_corner_is_one_vertex() {
        let corner = |number: u32| Corner { position: number % 3, normal: number / 3 % 40, uvs: [number % 2; 2] };
        let far = |number: u32| Corner { position: MOST_PLACES - 2 + number % 5, ..corner(number) };
        let (mut corners, mut expected) = (Vec::new(), HashMap::new());
        let mut known = Known { by_corner: true, ..Known::default() };
        for number in (0..1000).chain(0..1000) {
            for corner in [corner(number), far(number)] {
                let next = expected.len() as u32;
                assert_eq!(known.vertex(corner, &mut corners), *expected.entry(corner).or_insert(next));
            }
        }
        assert_eq!(corners.len(), expected.len());
        assert!(known.rest.len() > 100 && known.first.len() <= MOST_PLACES as usize);
    }
}
