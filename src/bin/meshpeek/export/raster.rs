//! Triangles made pixels: one after the other, the nearest seen.

use std::ops::Range;

/// A corner as the picture has it.
#[derive(Clone, Copy, Default)]
pub(super) struct Vertex {
    /// To the right, down and towards the eye, in pixels.
    pub(super) place: [f32; 3],
    /// Red, green and blue as they are lit, and opacity.
    pub(super) color: [f32; 4],
    pub(super) uv: [f32; 2],
}

/// Twice the area of a triangle in pixels, negative where its front is seen: rows count downwards.
pub(super) fn size([a, b, c]: &[[f32; 3]; 3]) -> f32 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// A number for each corner, mixed by shares.
fn mix<const N: usize>(corners: [[f32; N]; 3], [a, b, c]: [f32; 3]) -> [f32; N] {
    std::array::from_fn(|part| corners[0][part] * a + corners[1][part] * b + corners[2][part] * c)
}

/// So many steps further.
fn further<const N: usize>(start: [f32; N], step: [f32; N], times: f32) -> [f32; N] {
    std::array::from_fn(|part| start[part] + step[part] * times)
}

/// The next whole number above, 0 at least: a cast where a call of `ceil` would take most of a small triangle's time.
fn up(number: f32) -> usize {
    let below = number as usize;
    below.saturating_add(usize::from(number > below as f32))
}

/// How much farther back faces count, so that of two faces in one place the front is seen.
const BEHIND: f32 = 0.25;

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

    /// The pixels whose middles a triangle may cover: columns, rows; `None` where there are none.
    fn reach(&self, places: &[[f32; 3]; 3]) -> Option<[Range<usize>; 2]> {
        let range = |axis: usize| {
            let [a, b, c] = places.map(|place| place[axis]);
            // What is no number gives an empty range.
            let [least, most] = [a.min(b).min(c), a.max(b).max(c)];
            up(least - 0.5)..((most + 0.5).max(0.0) as usize).min(self.side)
        };
        let both = [range(0), range(1)];
        both.iter().all(|range| !range.is_empty()).then_some(both)
    }

    /// How many pixels a triangle of these corners may cover.
    pub(super) fn area(&self, places: &[[f32; 3]; 3]) -> u64 {
        self.reach(places).map_or(0, |[columns, rows]| (columns.len() * rows.len()) as u64)
    }

    /// Draws a triangle; `shade` gives what is seen of its color and texture coordinates at a point, or nothing where it is
    /// seen through.
    pub(super) fn triangle(&mut self, triangle: &[Vertex; 3], shade: impl Fn([f32; 4], [f32; 2]) -> Option<[u8; 3]>) {
        let places = triangle.map(|vertex| vertex.place);
        let size = size(&places);
        let Some([columns, rows]) = self.reach(&places).filter(|_| size != 0.0 && size.is_finite()) else { return };
        let behind = if size < 0.0 { 0.0 } else { BEHIND };
        let depths = places.map(|[_, _, depth]| [depth - behind]);
        let (colors, uvs) = (triangle.map(|vertex| vertex.color), triangle.map(|vertex| vertex.uv));
        // The shares of the corners in a point grow evenly along a row: where they start, and by how much.
        let edges = [1, 2, 0].map(|from| {
            let ([x, y, _], [next_x, next_y, _]) = (places[from], places[(from + 1) % 3]);
            let (along, step) = ((next_x - x) / size, (y - next_y) / size);
            (move |column: f32, row: f32| (row - y) * along + (column - x) * step, step)
        });
        let steps = [edges[0].1, edges[1].1, edges[2].1];
        let (depth_step, color_step, uv_step) = (mix(depths, steps), mix(colors, steps), mix(uvs, steps));
        let left = columns.start as f32 + 0.5;
        for row in rows {
            let shares = [0, 1, 2].map(|corner| edges[corner].0(left, row as f32 + 0.5));
            // Columns between which no share is negative.
            let (mut least, mut most) = (0.0_f32, columns.len() as f32 - 1.0);
            for (share, step) in shares.into_iter().zip(steps) {
                if step > 0.0 {
                    least = least.max(-share / step);
                } else if step < 0.0 {
                    most = most.min(-share / step);
                } else if share < 0.0 {
                    most = -1.0;
                }
            }
            if least > most {
                continue;
            }
            let (depth, color, uv) = (mix(depths, shares), mix(colors, shares), mix(uvs, shares));
            for column in up(least)..most as usize + 1 {
                let pixel = row * self.side + columns.start + column;
                let [depth] = further(depth, depth_step, column as f32);
                if depth <= self.depths[pixel] {
                    continue;
                }
                let at = column as f32;
                if let Some(color) = shade(further(color, color_step, at), further(uv, uv_step, at)) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_is_seen_and_of_two_sides_in_one_place_the_front() {
        let mut canvas = Canvas::new(4, [9; 3]);
        let corner = |x: f32, y: f32, z: f32| Vertex { place: [x, y, z], ..Vertex::default() };
        let [a, b, c] = [corner(0.0, 0.0, 1.0), corner(0.0, 8.0, 1.0), corner(8.0, 0.0, 1.0)];
        assert!(size(&[a, b, c].map(|vertex| vertex.place)) < 0.0);
        let at = |z: f32| [a, c, b].map(|vertex| Vertex { place: [vertex.place[0], vertex.place[1], z], ..vertex });
        canvas.triangle(&[a, b, c], |_, _| Some([1; 3]));
        canvas.triangle(&at(0.5), |_, _| Some([2; 3]));
        canvas.triangle(&at(1.0), |_, _| Some([2; 3]));
        assert_eq!(canvas.shrunk(4), [1; 3]);
        canvas.triangle(&at(2.0), |_, _| None);
        assert_eq!(canvas.shrunk(4), [1; 3]);
        canvas.triangle(&at(2.0), |_, _| Some([2; 3]));
        assert_eq!(canvas.shrunk(4), [2; 3]);
    }

    #[test]
    fn what_corners_have_is_mixed_between_them() {
        let mut canvas = Canvas::new(4, [0; 3]);
        let corner = |x: f32, y: f32| Vertex { place: [x, y, 0.0], color: [x / 8.0, y / 8.0, 0.0, 1.0], uv: [y, x] };
        let triangle = [corner(0.0, 0.0), corner(0.0, 8.0), corner(8.0, 0.0)];
        canvas.triangle(&triangle, |[red, green, ..], [u, v]| {
            Some([red * 16.0, green * 16.0, u + v].map(|x| (x + 0.25) as u8))
        });
        let picture = canvas.shrunk(1);
        let pixel = |x: usize, y: usize| &picture[(y * 4 + x) * 3..][..3];
        assert_eq!((pixel(0, 0), pixel(3, 0), pixel(1, 2)), (&[1, 1, 1][..], &[7, 1, 4][..], &[3, 5, 4][..]));
    }

    #[test]
    fn a_triangle_covers_the_middles_that_lie_in_it() {
        let mut canvas = Canvas::new(4, [0; 3]);
        let corner = |x: f32, y: f32| Vertex { place: [x, y, 0.0], ..Vertex::default() };
        canvas.triangle(&[corner(0.4, 0.4), corner(0.4, 3.2), corner(3.2, 0.4)], |_, _| Some([1; 3]));
        let picture: Vec<u8> = canvas.shrunk(1).into_iter().step_by(3).collect();
        assert_eq!(picture, [1, 1, 1, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn what_is_no_number_is_not_drawn() {
        let mut canvas = Canvas::new(2, [9; 3]);
        for place in [[f32::NAN; 3], [f32::INFINITY; 3], [-1e30, 1e30, 0.0]] {
            let corner = |x: f32| Vertex { place: [x, x * 2.0, 0.0], ..Vertex::default() };
            let triangle = [corner(0.0), corner(1.0), Vertex { place, ..Vertex::default() }];
            assert!(canvas.area(&triangle.map(|vertex| vertex.place)) <= 4);
            canvas.triangle(&triangle, |_, _| None);
        }
        assert_eq!(canvas.shrunk(1), [9; 12]);
    }
}
