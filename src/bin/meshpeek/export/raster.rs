//! Triangles made pixels: one after the other, the nearest seen.

/// A corner as the picture has it.
#[derive(Clone, Copy, Default)]
pub(super) struct Vertex {
    /// To the right and down in pixels, and towards the eye.
    pub(super) place: [f32; 3],
    /// To the right, up and towards the eye.
    pub(super) normal: [f32; 3],
    pub(super) uv: [f32; 2],
    pub(super) color: [f32; 4],
}

/// Pixels, and how near what is seen in each of them is.
pub(super) struct Canvas {
    side: usize,
    colors: Vec<[u8; 3]>,
    depths: Vec<f32>,
}

impl Canvas {
    /// A square of pixels of one color.
    pub(super) fn new(side: usize, color: [u8; 3]) -> Self {
        let pixels = side * side;
        Self { side, colors: vec![color; pixels], depths: vec![f32::NEG_INFINITY; pixels] }
    }

    /// How many pixels there are in a row.
    pub(super) fn side(&self) -> usize {
        self.side
    }

    /// The bytes that so many pixels take.
    pub(super) fn bytes(side: usize) -> u64 {
        (side * side * 7) as u64
    }

    /// The pixels that a triangle may touch: columns, rows; `None` where there are none.
    fn reach(&self, triangle: &[Vertex; 3]) -> Option<[std::ops::Range<usize>; 2]> {
        let range = |axis: usize| {
            let all = triangle.map(|vertex| vertex.place[axis]);
            let (least, most) = (all.into_iter().fold(f32::INFINITY, f32::min), all.into_iter().fold(0.0, f32::max));
            // What is no number gives an empty range.
            let last = self.side as f32;
            let start = least.clamp(0.0, last).floor() as usize;
            start..(most.clamp(0.0, last).ceil() as usize).min(self.side)
        };
        let both = [range(0), range(1)];
        both.iter().all(|range| !range.is_empty()).then_some(both)
    }

    /// How many pixels a triangle may touch.
    pub(super) fn area(&self, triangle: &[Vertex; 3]) -> u64 {
        self.reach(triangle).map_or(0, |[columns, rows]| (columns.len() * rows.len()) as u64)
    }

    /// Draws a triangle; `shade` gives the color of a point of it, or nothing where it is seen through. It is told the
    /// corners' values mixed, and whether the front is seen.
    pub(super) fn triangle(&mut self, triangle: &[Vertex; 3], shade: impl Fn(&Vertex, bool) -> Option<[u8; 3]>) {
        let [a, b, c] = triangle.map(|vertex| vertex.place);
        let size = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        let Some([columns, rows]) = self.reach(triangle).filter(|_| size != 0.0 && size.is_finite()) else { return };
        // Rows count downwards, so that what goes counterclockwise has a negative area.
        let is_front = size < 0.0;
        let edge = |from: [f32; 3], to: [f32; 3], x: f32, y: f32| {
            ((to[0] - from[0]) * (y - from[1]) - (to[1] - from[1]) * (x - from[0])) / size
        };
        for row in rows {
            for column in columns.clone() {
                let (x, y) = (column as f32 + 0.5, row as f32 + 0.5);
                let shares = [edge(b, c, x, y), edge(c, a, x, y), edge(a, b, x, y)];
                if shares.iter().any(|share| *share < 0.0) {
                    continue;
                }
                let depth = shares[0] * a[2] + shares[1] * b[2] + shares[2] * c[2];
                let pixel = row * self.side + column;
                if depth <= self.depths[pixel] {
                    continue;
                }
                if let Some(color) = shade(&mix(triangle, shares), is_front) {
                    (self.colors[pixel], self.depths[pixel]) = (color, depth);
                }
            }
        }
    }

    /// The picture, with so many pixels in a row and column made one.
    pub(super) fn shrunk(&self, by: usize) -> Vec<u8> {
        let side = self.side / by;
        let mut bytes = Vec::with_capacity(side * side * 3);
        for row in 0..side {
            for column in 0..side {
                let mut sums = [0_u32; 3];
                for y in row * by..(row + 1) * by {
                    for color in &self.colors[y * self.side + column * by..][..by] {
                        sums.iter_mut().zip(color).for_each(|(sum, part)| *sum += u32::from(*part));
                    }
                }
                bytes.extend(sums.map(|sum| (sum / (by * by) as u32) as u8));
            }
        }
        bytes
    }
}

fn mix(triangle: &[Vertex; 3], shares: [f32; 3]) -> Vertex {
    let mut mixed = Vertex::default();
    for (vertex, share) in triangle.iter().zip(shares) {
        let add = |sum: &mut [f32], part: &[f32]| sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += part * share);
        add(&mut mixed.place, &vertex.place);
        add(&mut mixed.normal, &vertex.normal);
        add(&mut mixed.uv, &vertex.uv);
        add(&mut mixed.color, &vertex.color);
    }
    mixed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_is_seen_and_sides_are_told_apart() {
        let mut canvas = Canvas::new(4, [9; 3]);
        let corner = |x: f32, y: f32, z: f32| Vertex { place: [x, y, z], ..Vertex::default() };
        let low = [corner(0.0, 0.0, 1.0), corner(0.0, 8.0, 1.0), corner(8.0, 0.0, 1.0)];
        let sides = |_: &Vertex, is_front: bool| Some(if is_front { [1; 3] } else { [2; 3] });
        canvas.triangle(&low, sides);
        let [a, b, c] = low.map(|vertex| Vertex { place: [vertex.place[0], vertex.place[1], 0.5], ..vertex });
        canvas.triangle(&[a, c, b], sides);
        assert_eq!(canvas.shrunk(4), [1; 3]);
        canvas.triangle(
            &[a, c, b].map(|vertex| Vertex { place: [vertex.place[0], vertex.place[1], 2.0], ..vertex }),
            sides,
        );
        assert_eq!(canvas.shrunk(4), [2; 3]);
    }

    #[test]
    fn what_is_no_number_is_not_drawn() {
        let mut canvas = Canvas::new(2, [9; 3]);
        for place in [[f32::NAN; 3], [f32::INFINITY; 3], [-1e30, 1e30, 0.0]] {
            let corner = |x: f32| Vertex { place: [x, x * 2.0, 0.0], ..Vertex::default() };
            let triangle = [corner(0.0), corner(1.0), Vertex { place, ..Vertex::default() }];
            assert!(canvas.area(&triangle) <= 4);
            canvas.triangle(&triangle, |_, _| None);
        }
        assert_eq!(canvas.shrunk(1), [9; 12]);
    }
}
