//! Rasterizes triangles one by one with a depth buffer.

use std::iter::zip;
use std::ops::Range;

use glam::{Vec2, Vec3A, Vec4, vec2};

use super::flaw::Flaw;
use crate::base::amount::Amount;

/// A corner in the coordinates of the picture.
#[derive(Clone, Copy, Default)]
pub(super) struct Vertex {
    /// To the right, down and towards the eye, in pixels.
    pub(super) place: Vec3A,
    /// Red, green and blue after lighting, and opacity.
    pub(super) color: Vec4,
    pub(super) uv: Vec2,
}

impl Vertex {
    /// Returns its depth and texture coordinates, as if it were this much nearer.
    #[inline]
    fn depth_and_uv(&self, nearer: f32) -> Vec4 {
        Vec4::new(self.place.z + nearer, self.uv.x, self.uv.y, 0.0)
    }
}

/// Rounds up, with a minimum of 0. A cast, because calling `ceil` would take most of a small triangle's time.
#[allow(clippy::cast_possible_truncation, reason = "the cast saturates")]
fn up(number: f32) -> usize {
    let below = number as u32;
    below.saturating_add(u32::from(number > below as f32)) as usize
}

/// Rounds down, with a minimum of 0.
#[allow(clippy::cast_possible_truncation, reason = "the cast saturates")]
fn down(number: f32) -> usize {
    number as u32 as usize
}

/// The depth offset of back faces, so that the front is visible if two faces coincide.
const BEHIND: f32 = 0.25;

/// Red, green, blue, each multiplied by the opacity; and the opacity, which is 0 for the ground.
pub(super) type Color = [u8; 4];

/// Pixels with their depth. It can be reused for the next picture.
#[derive(Debug, Default)]
pub struct Canvas {
    side: usize,
    colors: Vec<Color>,
    depths: Vec<f32>,
}

/// A color with a smaller difference is hardly distinguishable from the background.
const DISTINCT: u8 = 24;
/// A picture with a lower mean brightness of its covered pixels, up to 255, is nearly black.
const DARK: u64 = 40;

/// The range of pixels that a triangle may cover.
pub(super) struct Reach {
    columns: Range<usize>,
    rows: Range<usize>,
    /// Twice the area of the triangle in pixels. Negative if its front is visible, because rows count downwards.
    size: f32,
}

impl Reach {
    /// Returns the number of its pixels.
    pub(super) fn area(&self) -> u64 {
        (self.columns.len() as u64).saturating_mul(self.rows.len() as u64)
    }
}

/// The edges of a triangle.
struct Outline {
    /// From the uppermost corner to the lowest.
    long: Edge,
    /// The edges above and below the corner between these.
    short: [Edge; 2],
    /// Where the second of the short edges starts.
    middle: f32,
}

impl Outline {
    fn of(mut corners: [Vec2; 3]) -> Self {
        corners.sort_unstable_by(|a, b| a.y.total_cmp(&b.y));
        let [top, middle, bottom] = corners;
        Self { long: Edge::of(top, bottom), short: [Edge::of(top, middle), Edge::of(middle, bottom)], middle: middle.y }
    }

    /// The left and right side of a row. A pixel belongs to the triangle if its middle is on the left side or right of it,
    /// but not on the right side; so a middle on an edge is in one of the two triangles there.
    fn sides(&self, y: f32) -> [f32; 2] {
        let [upper, lower] = &self.short;
        let short = if y < self.middle { upper } else { lower };
        let (one, other) = (self.long.at(y), short.at(y));
        if one < other { [one, other] } else { [other, one] }
    }
}

/// An edge from its upper to its lower end, so that it is computed alike for both triangles that share it.
struct Edge {
    top: Vec2,
    /// How far it goes to the right from row to row.
    slope: f32,
}

impl Edge {
    fn of(top: Vec2, bottom: Vec2) -> Self {
        let along = bottom - top;
        Self { top, slope: along.x / along.y }
    }

    fn at(&self, y: f32) -> f32 {
        self.top.x + (y - self.top.y) * self.slope
    }
}

/// How values change over a triangle. Barycentric coordinates are linear along rows and columns, and so are all
/// interpolated values.
struct Slopes {
    /// The change of the barycentric coordinates from column to column.
    step: Vec2,
    /// The change from row to row.
    next: Vec2,
    /// From the first corner to the middle of the first pixel.
    from: Vec2,
}

impl Slopes {
    #[inline]
    fn of(reach: &Reach, [a, b, c]: &[Vertex; 3]) -> Self {
        let ab = b.place - a.place;
        let ac = c.place - a.place;
        let share = reach.size.recip();
        let first = vec2(reach.columns.start as f32, reach.rows.start as f32);
        Self {
            step: vec2(ac.y, -ab.y) * share,
            next: vec2(-ac.x, ab.x) * share,
            from: first + 0.5 - a.place.truncate(),
        }
    }

    /// Returns the values between those of the corners.
    #[inline]
    fn plane(&self, a: Vec4, b: Vec4, c: Vec4) -> Plane {
        let ab = b - a;
        let ac = c - a;
        let step = ab * self.step.x + ac * self.step.y;
        let next = ab * self.next.x + ac * self.next.y;
        Plane { value: a + step * self.from.x + next * self.from.y, step, next }
    }
}

/// Values that are linear over a triangle.
struct Plane {
    /// In the first column of a row.
    value: Vec4,
    /// The change from column to column.
    step: Vec4,
    /// The change from row to row.
    next: Vec4,
}

impl Plane {
    #[inline]
    fn at(&self, column: f32) -> Vec4 {
        self.value + self.step * column
    }
}

impl Canvas {
    /// Resizes it to a square of pixels of one color.
    pub(super) fn clear(&mut self, side: usize, color: Color) {
        self.side = side;
        self.colors.clear();
        self.colors.resize(side.saturating_mul(side), color);
        self.depths.clear();
        self.depths.resize(side.saturating_mul(side), f32::NEG_INFINITY);
    }

    /// Returns the memory for this number of pixels per side.
    pub(super) fn bytes(side: usize) -> u64 {
        (side as u64).saturating_mul(side as u64).saturating_mul(size_of::<(Color, f32)>() as u64)
    }

    /// Returns the range of a triangle. Returns `None` if it covers nothing.
    pub(super) fn reach(&self, [a, b, c]: [Vec3A; 3]) -> Option<Reach> {
        let least = a.min(b).min(c) - 0.5;
        let most = a.max(b).max(c) - 0.5;
        let columns = up(least.x)..up(most.x).min(self.side);
        let rows = up(least.y)..up(most.y).min(self.side);
        let size = (b - a).truncate().perp_dot((c - a).truncate());
        let is_seen = !columns.is_empty() && !rows.is_empty() && size != 0.0 && size.is_finite();
        if is_seen { Some(Reach { columns, rows, size }) } else { None }
    }

    /// Calls `draw` for each pixel of a triangle that nothing drawn before hides, with its color, texture coordinates, and
    /// the color there. Returns true from `draw` if it hides what is behind it. The triangle is drawn as if it were this
    /// much nearer. Triangles that share an edge share no pixel, and none between them is missed.
    pub(super) fn fill(
        &mut self,
        reach: &Reach,
        triangle: &[Vertex; 3],
        nearer: f32,
        draw: impl Fn(Vec4, Vec2, &mut Color) -> bool,
    ) {
        let outline = Outline::of(triangle.map(|vertex| vertex.place.truncate()));
        let columns = reach.columns.clone();
        let slopes = Slopes::of(reach, triangle);
        let nearer = if reach.size < 0.0 { nearer } else { nearer - BEHIND };
        let [a, b, c] = triangle;
        let mut color = slopes.plane(a.color, b.color, c.color);
        // The depth, and the texture coordinates.
        let mut place = slopes.plane(a.depth_and_uv(nearer), b.depth_and_uv(nearer), c.depth_and_uv(nearer));
        for row in reach.rows.clone() {
            let [left, right] = outline.sides(row as f32 + 0.5);
            let first = up(left - 0.5).saturating_sub(columns.start);
            let end = up(right - 0.5).min(columns.end).saturating_sub(columns.start);
            let covered = first..end;
            if let Some((colors, depths)) = self.pixels(row, columns.start, covered.clone()) {
                let mut depth = place.value.x + place.step.x * covered.start as f32;
                for (column, (seen, nearest)) in zip(covered, zip(colors, depths)) {
                    if depth > *nearest {
                        let column = column as f32;
                        let [_, u, v, _] = place.at(column).to_array();
                        if draw(color.at(column), vec2(u, v), seen) {
                            *nearest = depth;
                        }
                    }
                    depth += place.step.x;
                }
            }
            color.value += color.next;
            place.value += place.next;
        }
    }

    /// Returns the pixels of a row in a range of columns after the first.
    fn pixels(&mut self, row: usize, first: usize, columns: Range<usize>) -> Option<(&mut [Color], &mut [f32])> {
        let start = row.checked_mul(self.side)?.checked_add(first)?;
        let range = start.checked_add(columns.start)?..start.checked_add(columns.end)?;
        let colors = self.colors.get_mut(range.clone())?;
        let depths = self.depths.get_mut(range)?;
        if colors.is_empty() { None } else { Some((colors, depths)) }
    }

    /// Draws a line, which covers other pixels of equal depth. Returns the number of its steps.
    pub(super) fn line(&mut self, a: Vec3A, b: Vec3A, color: Color) -> u64 {
        let along = b - a;
        let steps = along.truncate().abs().max_element().min(self.side as f32 * 2.0);
        if !steps.is_finite() || !a.is_finite() {
            return 0;
        }
        let steps = up(steps).max(1);
        for step in 0..=steps {
            let at = a + along * (step as f32 / steps as f32);
            let row = down(at.y);
            let column = down(at.x);
            if at.truncate().min_element() >= 0.0
                && column < self.side
                && let Some((colors, depths)) = self.pixels(row, column, 0..1)
                && let ([seen], [nearest]) = (colors, depths)
                && at.z + 1.0 >= *nearest
            {
                *seen = color;
                *nearest = at.z;
            }
        }
        steps as u64
    }

    /// Returns the reason why the picture shows little on this ground.
    pub(super) fn flaw(&self, [red, green, blue]: [u8; 3]) -> Option<Flaw> {
        let mut pixels = 0_u64;
        let mut brightness = 0_u64;
        let mut distinct = 0_u64;
        for [r, g, b, opacity] in &self.colors {
            if *opacity > 0 {
                pixels = pixels.saturating_add(1);
                let apart = red.abs_diff(*r).max(green.abs_diff(*g)).max(blue.abs_diff(*b));
                distinct = distinct.saturating_add(u64::from(apart > DISTINCT));
                // The weights of the colors in perceived brightness.
                let [r, g, b] = [*r, *g, *b].map(|part| Amount(u64::from(part)));
                let weighted = r * 299 + g * 587 + b * 114;
                brightness = brightness.saturating_add(weighted.0 / 1000);
            }
        }
        match pixels {
            0 => Some(Flaw::Empty),
            // Too little to notice.
            _ if distinct.saturating_mul(50) < pixels => Some(Flaw::Faint),
            _ if brightness < pixels.saturating_mul(DARK) => Some(Flaw::Dark),
            _ => None,
        }
    }

    /// Returns the picture without smoothing.
    pub(super) fn picture(&self) -> Vec<Color> {
        self.colors.clone()
    }

    /// Returns the picture at half size: four pixels become one.
    pub(super) fn halved(&self) -> Vec<Color> {
        let half = self.side / 2;
        let mut picture = vec![[0; 4]; half.saturating_mul(half)];
        let two_rows = self.colors.chunks_exact(self.side.saturating_mul(2).max(1));
        for (rows, line) in zip(two_rows, picture.chunks_exact_mut(half.max(1))) {
            let (upper, lower) = rows.split_at(self.side);
            let squares = zip(upper.as_chunks().0, lower.as_chunks().0);
            for (([a, b], [c, d]), pixel) in zip(squares, line) {
                *pixel = mean([*a, *b, *c, *d]);
            }
        }
        picture
    }

    /// Returns the picture with smoothed edges against the background.
    pub(super) fn smoothed(&self) -> Vec<Color> {
        let mut picture = self.picture();
        for place in memchr::memchr_iter(1, &self.outlines()) {
            // The first row has no outlines.
            let at = place.saturating_add(self.side);
            if let Some(pixel) = picture.get_mut(at)
                && let Some(smoothed) = self.mixed_with_neighbors(at)
            {
                *pixel = smoothed;
            }
        }
        picture
    }

    /// Returns 1 for each pixel beside which the background starts or ends, else 0. Leaves out the first and last row.
    fn outlines(&self) -> Vec<u8> {
        let side = self.side;
        let seen: Vec<u8> = self.colors.iter().map(|[.., opacity]| u8::from(*opacity > 0)).collect();
        let Some(inner) = seen.len().checked_sub(side.saturating_mul(2)) else { return Vec::new() };
        let mut outlines = vec![0; inner];
        let own = seen.get(side..).unwrap_or_default();
        // Above, left, right and below.
        for start in [0, side.saturating_sub(1), side.saturating_add(1), side.saturating_mul(2)] {
            let neighbors = seen.get(start..).unwrap_or_default();
            for (outline, (own, neighbor)) in zip(&mut outlines, zip(own, neighbors)) {
                *outline |= own ^ neighbor;
            }
        }
        outlines
    }

    /// Returns the color of a pixel, half of which is that of its neighbors. Returns `None` if it lacks one.
    fn mixed_with_neighbors(&self, at: usize) -> Option<Color> {
        let own = *self.colors.get(at)?;
        let above = *self.colors.get(at.checked_sub(self.side)?)?;
        let left = *self.colors.get(at.checked_sub(1)?)?;
        let right = *self.colors.get(at.checked_add(1)?)?;
        let below = *self.colors.get(at.checked_add(self.side)?)?;
        Some(mean([own, own, own, own, above, left, right, below]))
    }
}

/// Returns the mean of a power of two of colors, up to 8.
fn mean<const N: usize>(colors: [Color; N]) -> Color {
    let even = mean_of_alternate(&colors, 0);
    let odd = mean_of_alternate(&colors, 8);
    (even | (odd << 8)).to_le_bytes()
}

/// Returns the mean of every other byte of colors, shifted by this number of bits. So each sum has room.
#[inline]
fn mean_of_alternate<const N: usize>(colors: &[Color; N], shift: u32) -> u32 {
    let sum: u32 = colors.iter().map(|color| (u32::from_le_bytes(*color) >> shift) & 0xff_00ff).sum();
    (sum >> N.trailing_zeros()) & 0xff_00ff
}

#[cfg(test)]
mod tests {
    use glam::vec3a;

    use super::*;

    fn corner(x: f32, y: f32, z: f32) -> Vertex {
        Vertex { place: vec3a(x, y, z), ..Vertex::default() }
    }

    impl Canvas {
        fn square(side: usize, color: Color) -> Self {
            let mut canvas = Self::default();
            canvas.clear(side, color);
            canvas
        }

        fn draw(&mut self, triangle: &[Vertex; 3], shade: impl Fn(Vec4, Vec2) -> Option<Color>) {
            if let Some(reach) = self.reach(triangle.map(|vertex| vertex.place)) {
                self.fill(&reach, triangle, 0.0, |color, uv, seen| match shade(color, uv) {
                    Some(color) => {
                        *seen = color;
                        true
                    }
                    None => false,
                });
            }
        }
    }

    #[test]
    fn the_nearest_is_seen_and_of_two_sides_in_one_place_the_front() {
        let mut canvas = Canvas::square(2, [9; 4]);
        let [a, b, c] = [corner(0.0, 0.0, 1.0), corner(0.0, 8.0, 1.0), corner(8.0, 0.0, 1.0)];
        assert!(canvas.reach([a, b, c].map(|vertex| vertex.place)).unwrap().size < 0.0);
        let at = |z: f32| [a, c, b].map(|vertex| Vertex { place: vec3a(vertex.place.x, vertex.place.y, z), ..vertex });
        canvas.draw(&[a, b, c], |_, _| Some([1; 4]));
        canvas.draw(&at(0.5), |_, _| Some([2; 4]));
        canvas.draw(&at(1.0), |_, _| Some([2; 4]));
        assert_eq!(canvas.colors, [[1; 4]; 4]);
        canvas.draw(&at(2.0), |_, _| None);
        assert_eq!(canvas.colors, [[1; 4]; 4]);
        canvas.draw(&at(2.0), |_, _| Some([2; 4]));
        assert_eq!(canvas.colors, [[2; 4]; 4]);
    }

    #[test]
    fn values_of_corners_are_interpolated() {
        let mut canvas = Canvas::square(4, [0; 4]);
        let corner = |x: f32, y: f32| Vertex {
            color: Vec4::new(x / 8.0, y / 8.0, 0.0, 1.0),
            uv: Vec2::new(y, x),
            ..corner(x, y, 0.0)
        };
        let triangle = [corner(0.0, 0.0), corner(0.0, 8.0), corner(8.0, 0.0)];
        canvas.draw(&triangle, |color, uv| {
            Some([color.x * 16.0, color.y * 16.0, uv.x + uv.y, 0.0].map(|x| (x + 0.25) as u8))
        });
        let picture = canvas.picture();
        let pixel = |x: usize, y: usize| picture[y * 4 + x];
        assert_eq!((pixel(0, 0), pixel(3, 0), pixel(1, 2)), ([1, 1, 1, 0], [7, 1, 4, 0], [3, 5, 4, 0]));
    }

    #[test]
    fn a_triangle_covers_the_pixels_whose_centers_are_inside() {
        let mut canvas = Canvas::square(4, [0; 4]);
        canvas.draw(&[corner(0.4, 0.4, 0.0), corner(0.4, 3.2, 0.0), corner(3.2, 0.4, 0.0)], |_, _| Some([4; 4]));
        let all = |color: &Color| *color == [4; 4];
        let covered: Vec<bool> = canvas.colors.iter().map(all).collect();
        assert_eq!(
            covered.chunks(4).map(|row| row.iter().filter(|one| **one).count()).collect::<Vec<_>>(),
            [3, 2, 1, 0]
        );
        assert_eq!(canvas.halved(), [4, 1, 1, 0].map(|part| [part; 4]));
    }

    /// How often each pixel is drawn.
    fn counts(side: usize, triangles: &[[[f32; 2]; 3]]) -> Vec<u8> {
        let mut canvas = Canvas::square(side, [0; 4]);
        for triangle in triangles {
            let triangle = triangle.map(|[x, y]| corner(x, y, 0.0));
            let Some(reach) = canvas.reach(triangle.map(|vertex| vertex.place)) else { continue };
            canvas.fill(&reach, &triangle, 0.0, |_, _, seen| {
                seen[0] += 1;
                false
            });
        }
        canvas.colors.iter().map(|color| color[0]).collect()
    }

    #[test]
    fn a_blended_quad_has_one_color_though_its_diagonal_passes_through_the_centers_of_pixels() {
        for [left, top, right, bottom] in
            [[0.5, 0.5, 6.5, 6.5], [0.0, 0.0, 8.0, 8.0], [1.5, 0.5, 7.5, 3.5], [0.5, 1.0, 3.5, 7.0]]
        {
            let [a, b, c, d] = [[left, top], [right, top], [right, bottom], [left, bottom]];
            let expected: Vec<u8> = (0..64)
                .map(|at| {
                    let (x, y) = ((at % 8) as f32 + 0.5, (at / 8) as f32 + 0.5);
                    u8::from(x >= left && x < right && y >= top && y < bottom)
                })
                .collect();
            // Both diagonals, and each triangle from either side.
            for [one, other] in [[[a, b, c], [a, c, d]], [[a, b, d], [b, c, d]]] {
                for triangles in [[one, other], [[one[1], one[0], one[2]], other], [other, [one[2], one[1], one[0]]]] {
                    assert_eq!(counts(8, &triangles), expected, "{triangles:?}");
                }
            }
        }
    }

    /// A net of triangles whose corners are on the centers, edges and corners of pixels, and elsewhere.
    #[test]
    fn triangles_of_a_net_share_no_pixel_and_miss_none() {
        const STEPS: [f32; 5] = [0.0, 0.5, 0.25, 1.0, 0.33];
        for shift in 0..25 {
            let point = |column: usize, row: usize| {
                let inner = |at: usize, by: usize| {
                    let is_edge = at == 0 || at == 8;
                    at as f32 * 2.0 + if is_edge { 0.0 } else { STEPS[by % 5] }
                };
                [inner(column, column + 2 * row + shift), inner(row, 3 * column + row + shift / 5)]
            };
            let mut triangles = Vec::new();
            for row in 0..8 {
                for column in 0..8 {
                    let [a, b] = [point(column, row), point(column + 1, row)];
                    let [d, c] = [point(column, row + 1), point(column + 1, row + 1)];
                    triangles.extend(if (row + column) % 2 == 0 {
                        [[a, b, c], [d, a, c]]
                    } else {
                        [[b, d, a], [b, c, d]]
                    });
                }
            }
            assert_eq!(counts(16, &triangles), [1; 256], "{shift}");
        }
    }

    #[test]
    fn steps_at_outlines_are_smoothed() {
        let mut canvas = Canvas::square(6, [0; 4]);
        canvas.draw(&[corner(0.0, 0.0, 0.0), corner(0.0, 12.0, 0.0), corner(12.0, 0.0, 0.0)], |_, _| Some([80; 4]));
        assert_eq!(canvas.smoothed(), canvas.picture());
        let mut canvas = Canvas::square(6, [0; 4]);
        canvas.draw(&[corner(0.0, 0.0, 0.0), corner(0.0, 5.1, 0.0), corner(5.1, 0.0, 0.0)], |_, _| Some([80; 4]));
        let (sharp, smooth) = (canvas.picture(), canvas.smoothed());
        let line = |picture: &[Color]| [1, 2, 3, 4].map(|column| picture[2 * 6 + column][0]);
        assert_eq!((line(&sharp), line(&smooth)), ([80, 80, 0, 0], [80, 60, 20, 0]));
    }

    #[test]
    fn nan_and_infinite_corners_are_not_drawn() {
        let mut canvas = Canvas::square(2, [9; 4]);
        for z in [0.0, f32::NAN] {
            for x in [f32::NAN, f32::INFINITY, -1e30, 1e30] {
                let triangle = [corner(0.0, 0.0, z), corner(1.0, 2.0, 0.0), corner(x, x, 0.0)];
                assert!(canvas.reach(triangle.map(|vertex| vertex.place)).is_none_or(|reach| reach.area() <= 4));
                canvas.draw(&triangle, |_, _| None);
            }
        }
        canvas.draw(&[corner(0.0, 0.0, f32::NAN), corner(0.0, 8.0, 0.0), corner(8.0, 0.0, 0.0)], |_, _| Some([1; 4]));
        assert_eq!(canvas.colors, [[9; 4]; 4]);
    }
}
