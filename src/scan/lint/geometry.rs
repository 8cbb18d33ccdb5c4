//! The shape of a geometry LOD: whether its components are closed and convex.

use std::collections::HashMap;
use std::iter::zip;

/// How far a point may be outside of the plane of a face, as a part of the component's size.
const TOLERANCE: f64 = 0.01;

type Point = [f64; 3];

/// The faces of a LOD. Points at the same position are one point, because binarised models split them.
#[derive(Default)]
pub(super) struct Body {
    positions: Vec<Point>,
    /// For each stored point, its place in `positions`.
    points: Vec<u32>,
    faces: Vec<Face>,
}

/// A triangle or quad: three or four different points.
#[derive(Clone, Copy, Default)]
struct Face {
    corners: [u32; 4],
    count: usize,
}

impl Face {
    fn corners(&self) -> &[u32] {
        self.corners.get(..self.count).unwrap_or_default()
    }

    /// The edges, from each corner to the next.
    fn edges(&self) -> impl Iterator<Item = (u32, u32)> {
        let corners = self.corners();
        let next = corners.iter().cycle().skip(1);
        zip(corners, next).map(|(from, to)| (*from.min(to), *from.max(to)))
    }
}

/// The bytes that a point or a face of a [`Body`] takes at most, with the maps that are made of them.
pub(super) const BYTES: u64 = 640;
/// The cost of looking at a face, in bytes of [work](crate::Budget::charge_work).
pub(super) const WORK: u64 = 256;

/// What is wrong with a component.
#[derive(Default)]
pub(super) struct Faults {
    pub(super) edges: u64,
    /// The edges that belong to one face only.
    pub(super) open: u64,
    /// How far a point is outside of the plane of a face, in meters, if that is beyond the tolerance.
    pub(super) outside: Option<f64>,
}

impl Body {
    pub(super) fn new(positions: impl Iterator<Item = [f32; 3]>) -> Self {
        let mut body = Self::default();
        let mut known = HashMap::new();
        for position in positions {
            // Adding 0 makes one number of 0 and -0.
            let key = position.map(|number| (number + 0.0).to_bits());
            let new = u32::try_from(body.positions.len()).unwrap_or(u32::MAX);
            let place = *known.entry(key).or_insert(new);
            if place == new {
                body.positions.push(position.map(f64::from));
            }
            body.points.push(place);
        }
        body
    }

    /// Adds a face with these points. Faces that are no triangles or quads have no edges.
    pub(super) fn add(&mut self, points: impl Iterator<Item = u32>) {
        let mut face = Face::default();
        for point in points {
            let Some(&place) = self.points.get(point as usize) else { continue };
            if face.corners().contains(&place) {
                continue;
            }
            let Some(corner) = face.corners.get_mut(face.count) else { continue };
            *corner = place;
            face.count = face.count.saturating_add(1);
        }
        if face.count < 3 {
            face.count = 0;
        }
        self.faces.push(face);
    }

    pub(super) fn face_count(&self) -> usize {
        self.faces.len()
    }

    /// Looks at the component that consists of these faces.
    pub(super) fn faults(&self, faces: &[usize]) -> Faults {
        let faces: Vec<&Face> = faces.iter().filter_map(|face| self.faces.get(*face)).collect();
        let mut faults = Faults::default();
        let mut sides: HashMap<(u32, u32), Vec<usize>> = HashMap::new();
        for (index, face) in faces.iter().enumerate() {
            for edge in face.edges() {
                sides.entry(edge).or_default().push(index);
            }
        }
        faults.edges = sides.len() as u64;
        faults.open = sides.values().filter(|sides| sides.len() == 1).count() as u64;
        if faults.open > 0 {
            return faults;
        }
        let Some(extent) = self.extent(&faces) else { return faults };
        let allowed = extent.size * TOLERANCE;
        for sides in sides.values() {
            // Where more than two faces meet, each is compared with the first.
            let Some((first, others)) = sides.split_first() else { continue };
            for other in others {
                for (face, neighbor) in [(first, other), (other, first)] {
                    let (Some(face), Some(neighbor)) = (faces.get(*face), faces.get(*neighbor)) else { continue };
                    let outside = self.outside(face, neighbor, &extent);
                    if outside > allowed && faults.outside.is_none_or(|before| before < outside) {
                        faults.outside = Some(outside);
                    }
                }
            }
        }
        faults
    }

    fn corner(&self, corner: u32) -> Point {
        self.positions.get(corner as usize).copied().unwrap_or_default()
    }

    fn extent(&self, faces: &[&Face]) -> Option<Extent> {
        let mut min = [f64::INFINITY; 3];
        let mut max = [f64::NEG_INFINITY; 3];
        let mut sum = [0.0; 3];
        let mut count = 0.0;
        for face in faces {
            for corner in face.corners() {
                let point = self.corner(*corner);
                for (number, least) in zip(point, &mut min) {
                    *least = least.min(number);
                }
                for (number, most) in zip(point, &mut max) {
                    *most = most.max(number);
                }
                for (number, sum) in zip(point, &mut sum) {
                    *sum += number;
                }
                count += 1.0;
            }
        }
        let size = length(difference(max, min));
        if !size.is_finite() || size == 0.0 {
            return None;
        }
        Some(Extent { center: sum.map(|sum| sum / count), size })
    }

    /// Returns how far the neighbor reaches out of the plane of the face, on the side where the center is not. Returns 0
    /// for faces that are too thin to have a plane, and for those through the center, as in flat components.
    fn outside(&self, face: &Face, neighbor: &Face, extent: &Extent) -> f64 {
        let [first, second, third, fourth] = face.corners.map(|corner| self.corner(corner));
        let across = if face.count == 4 { difference(fourth, second) } else { difference(third, second) };
        let along = difference(third, first);
        let normal = cross(along, across);
        let plane = Plane { point: first, normal, area: length(normal) };
        let least = extent.size * extent.size * TOLERANCE * TOLERANCE;
        if plane.area.is_nan() || plane.area <= least {
            return 0.0;
        }
        let center = plane.height(extent.center);
        if center.abs() <= extent.size * TOLERANCE {
            return 0.0;
        }
        let mut outside: f64 = 0.0;
        for corner in neighbor.corners() {
            outside = outside.max(-plane.height(self.corner(*corner)) * center.signum());
        }
        // The corners of a quad need not be in one plane.
        let mut own: f64 = 0.0;
        for corner in face.corners() {
            own = own.max(plane.height(self.corner(*corner)).abs());
        }
        outside - own
    }
}

struct Extent {
    center: Point,
    /// The diagonal.
    size: f64,
}

/// The plane of a face.
struct Plane {
    point: Point,
    normal: Point,
    /// The length of the normal.
    area: f64,
}

impl Plane {
    /// The signed distance of a point.
    fn height(&self, point: Point) -> f64 {
        dot(self.normal, difference(point, self.point)) / self.area
    }
}

fn difference(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn length(a: Point) -> f64 {
    dot(a, a).sqrt()
}
