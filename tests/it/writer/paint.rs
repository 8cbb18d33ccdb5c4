//! Images that are drawn by code, and their files.

use super::bytes::Bytes;
use super::paa::{self, Mip};
use super::zip::{crc32, deflate};

/// Square images of red, green, blue and opacity.
#[derive(Clone)]
pub struct Image {
    pub side: usize,
    pub pixels: Vec<[u8; 4]>,
}

/// A number between 0 and 1 for a place, without any order.
fn grain(x: usize, y: usize) -> f32 {
    let mut hash = (x as u32).wrapping_mul(0x9e37_79b1) ^ (y as u32).wrapping_mul(0x85eb_ca77);
    hash = (hash ^ (hash >> 15)).wrapping_mul(0x2c1b_3c6d);
    hash = (hash ^ (hash >> 12)).wrapping_mul(0x297a_2d39);
    (hash >> 16) as f32 / 65535.0
}

/// Few levels of brightness, so that images stay small.
fn shade([red, green, blue]: [u8; 3], light: f32) -> [u8; 4] {
    let light = (light * 24.0).round() / 24.0;
    let part = |part: u8| (f32::from(part) * light).clamp(0.0, 255.0) as u8;
    [part(red), part(green), part(blue), 255]
}

impl Image {
    pub fn new(side: usize, color: impl Fn(usize, usize) -> [u8; 4]) -> Self {
        Self { side, pixels: (0..side * side).map(|at| color(at % side, at / side)).collect() }
    }

    /// Boards from the left to the right.
    pub fn boards(side: usize, color: [u8; 3], height: usize) -> Self {
        Self::new(side, |x, y| {
            let board = y / height;
            let seam = if y.is_multiple_of(height) || (x + board * 29).is_multiple_of(side) { 0.55 } else { 1.0 };
            let streak = 0.86 + 0.16 * grain((x + board * 17) / 9, y) + 0.1 * grain(board, 77);
            shade(color, streak * seam)
        })
    }

    pub fn bark(side: usize, color: [u8; 3]) -> Self {
        Self::new(side, |x, y| {
            let ridge = grain((x + y / 11) / 3, y / 14);
            shade(color, 0.6 + 0.45 * ridge + 0.1 * grain(x, y / 2))
        })
    }

    /// Leaves with nothing between them.
    pub fn leaves(side: usize, color: [u8; 3]) -> Self {
        let mut image = Self::new(side, |_, _| [color[0] / 2, color[1] / 2, color[2] / 2, 0]);
        for leaf in 0..44 {
            let (angle, reach) = (grain(leaf, 1) * 6.3, grain(leaf, 2).sqrt() * 0.37);
            let middle = [0.5 + angle.cos() * reach, 0.5 + angle.sin() * reach].map(|at| at * side as f32);
            let (tilt, light) = (grain(leaf, 3) * 3.2, 0.65 + 0.6 * grain(leaf, 4));
            let size = side as f32 * (0.06 + 0.05 * grain(leaf, 5));
            for y in 0..side {
                for x in 0..side {
                    let [across, down] = [x as f32 - middle[0], y as f32 - middle[1]];
                    let along = (across * tilt.cos() + down * tilt.sin()) / size;
                    let beside = (down * tilt.cos() - across * tilt.sin()) / size * 2.0;
                    if along * along + beside * beside < 1.0 {
                        let vein = if beside.abs() < 0.16 { 1.2 } else { 1.0 };
                        image.pixels[y * side + x] = shade(color, light * vein);
                    }
                }
            }
        }
        image
    }

    /// A crate's side: boards in a frame with a brace.
    pub fn chest(side: usize) -> Self {
        let boards = Self::boards(side, [176, 128, 76], side / 6);
        let (edge, width) = (side / 8, side as i32 / 9);
        Self::new(side, |x, y| {
            let near = x.min(y).min(side - 1 - x).min(side - 1 - y);
            let off = (x as i32 - (side - 1 - y) as i32).abs();
            let is_nail = near > edge / 3 && near < edge * 2 / 3 && (x % 14) < 2 && (y % 14) < 2;
            match () {
                () if is_nail => [70, 66, 62, 255],
                () if near < edge => shade([148, 100, 54], 0.85 + 0.25 * grain(x / 5, y)),
                () if near == edge || off == width => shade([148, 100, 54], 0.5),
                () if off < width => shade([160, 112, 62], 0.85 + 0.25 * grain((x + y) / 3, (y + side - x) / 5)),
                () => boards.pixels[y * side + x],
            }
        })
    }

    pub fn bricks(side: usize, color: [u8; 3], height: usize) -> Self {
        Self::new(side, |x, y| {
            let row = y / height;
            let across = x + if row.is_multiple_of(2) { 0 } else { height };
            if y.is_multiple_of(height) || across.is_multiple_of(height * 2) {
                return shade([190, 184, 172], 1.0);
            }
            let brick = 0.8 + 0.3 * grain(across / (height * 2) % (side / height / 2), row);
            shade(color, brick + 0.08 * grain(x, y))
        })
    }

    /// Rows of round tiles.
    pub fn tiles(side: usize, color: [u8; 3]) -> Self {
        let (width, height) = (side / 8, side / 8);
        Self::new(side, |x, y| {
            let row = y / height;
            let across = x + if row.is_multiple_of(2) { 0 } else { width / 2 };
            let (from, down) = (across % width, y % height);
            let bow = (from as f32 / width as f32 - 0.5).powi(2) * 4.0;
            let shadow = if down as f32 > height as f32 * (0.95 - 0.4 * bow) { 0.55 } else { 1.0 };
            shade(color, (0.8 + 0.3 * grain(across / width % 8, row)) * (1.0 - 0.25 * bow) * shadow)
        })
    }

    /// The walls of a house. Above: the front with a door and two windows. Below: a side with a window, and bricks.
    pub fn walls(side: usize) -> Self {
        let stones = Self::bricks(side, [170, 92, 70], 6);
        let half = side as f32 / 2.0;
        Self::new(side, |x, y| {
            let is_front = y < side / 2;
            // From the left and from below, in heights of the wall.
            let [across, up] = [x as f32 / half, 1.0 - (y as f32 % half) / half];
            if !is_front && across > 1.0 {
                return stones.pixels[y * side + x];
            }
            let plaster = shade([232, 222, 200], 0.93 + 0.08 * grain(x / 2, y / 2));
            let frame = shade([240, 240, 236], 1.0);
            let inside = |left: f32, right: f32, below: f32, above: f32| {
                across > left && across < right && up > below && up < above
            };
            let window = |left: f32| {
                if !inside(left, left + 0.36, 0.4, 0.8) {
                    return None;
                }
                let is_pane =
                    inside(left + 0.04, left + 0.16, 0.44, 0.76) || inside(left + 0.2, left + 0.32, 0.44, 0.76);
                Some(if is_pane {
                    shade([92, 128, 156], 0.75 + 0.5 * (up - 0.4) + 0.3 * (across - left))
                } else {
                    frame
                })
            };
            if up < 0.16 && !(is_front && inside(0.78, 1.22, 0.0, 1.0)) {
                return stones.pixels[y * side + x];
            }
            if is_front && inside(0.78, 1.22, 0.0, 0.76) {
                let is_edge = !inside(0.82, 1.18, 0.0, 0.72);
                let is_knob = inside(1.1, 1.14, 0.34, 0.39);
                let board = if ((across * 50.0) as usize).is_multiple_of(6) { 0.7 } else { 1.0 };
                return match () {
                    () if is_edge => frame,
                    () if is_knob => [220, 190, 90, 255],
                    () => shade([88, 116, 78], board * (0.9 + 0.15 * grain(x, y / 8))),
                };
            }
            let windows: &[f32] = if is_front { &[0.2, 1.44] } else { &[0.32] };
            windows.iter().find_map(|&left| window(left)).unwrap_or(plaster)
        })
    }

    /// The clothes of a soldier. A quarter each: spots, skin, leather, metal.
    pub fn clothes(side: usize) -> Self {
        Self::new(side, |x, y| match (x < side / 2, y < side / 2) {
            (true, true) => {
                let spot = grain(x / 5, y / 4) + 0.6 * grain(x.div_ceil(3), y / 3 + 40);
                let color = [[106, 112, 68], [70, 82, 48], [134, 126, 88]][(spot * 1.8) as usize % 3];
                shade(color, 0.95 + 0.1 * grain(x, y))
            }
            (false, true) => {
                // A face: eyes and a mouth.
                let [across, down] = [(x - side / 2) * 16 / (side / 2), y * 16 / (side / 2)];
                match (across, down) {
                    (4 | 5 | 10 | 11, 6 | 7) => [50, 40, 36, 255],
                    (6..=9, 12) => [150, 84, 74, 255],
                    _ => shade([222, 176, 142], 0.95 + 0.07 * grain(x, y)),
                }
            }
            (true, false) => shade([84, 58, 40], 0.85 + 0.3 * grain(x / 2, y / 2)),
            (false, false) => shade([70, 74, 78], 0.8 + 0.25 * grain(x, y / 6)),
        })
    }

    /// Squares of stone with a dark edge.
    pub fn slabs(side: usize) -> Self {
        Self::new(side, |x, y| {
            let near = x.min(y).min(side - 1 - x).min(side - 1 - y);
            let light = if near < 2 { 0.5 } else { 0.9 + 0.14 * grain(x / 3, y / 3) };
            shade(if near < side / 8 { [206, 152, 82] } else { [178, 184, 190] }, light)
        })
    }

    /// Stripes from the top to the bottom.
    pub fn stripes(side: usize, colors: [[u8; 3]; 2]) -> Self {
        Self::new(side, |x, y| shade(colors[x * 4 / side % 2], 0.95 + 0.06 * grain(x / 3, y / 5)))
    }

    pub fn png(&self, has_alpha: bool) -> Vec<u8> {
        let mut rows = Vec::new();
        for row in self.pixels.chunks(self.side) {
            rows.push(0);
            rows.extend(row.iter().flat_map(|pixel| &pixel[..if has_alpha { 4 } else { 3 }]));
        }
        let (low, high) = rows.iter().fold((1_u32, 0_u32), |(low, high), &byte| {
            let low = (low + u32::from(byte)) % 65521;
            (low, (high + low) % 65521)
        });
        let stream = [&[0x78, 0x9c][..], &deflate(&rows), &(high << 16 | low).to_be_bytes()].concat();
        let side = (self.side as u32).to_be_bytes();
        let header = [&side[..], &side, &[8, if has_alpha { 6 } else { 2 }, 0, 0, 0]].concat();
        let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
        for (name, data) in [(b"IHDR", header), (b"IDAT", stream), (b"IEND", Vec::new())] {
            let body = [&name[..], &data].concat();
            png.extend((data.len() as u32).to_be_bytes());
            png.extend(&body);
            png.extend(crc32(&body).to_be_bytes());
        }
        png
    }

    pub fn bmp(&self) -> Vec<u8> {
        let (side, size) = (self.side as u32, (self.side * self.side * 3) as u32);
        let out = Bytes::new().raw("BM").u32(54 + size).u32(0).u32(54).u32(40).u32(side).u32(side);
        let out = out.raw([1, 0, 24, 0]).u32(0).u32(size).u32(2835).u32(2835).u32(0).u32(0);
        let rows = self.pixels.chunks(self.side).rev().flatten();
        out.raw(rows.flat_map(|[red, green, blue, _]| [*blue, *green, *red]).collect::<Vec<u8>>()).to_vec()
    }

    /// A texture of Arma without transparency, with mips down to a side of 4.
    pub fn paa(&self) -> Vec<u8> {
        let mut mips = Vec::new();
        let mut image = self.clone();
        while image.side >= 4 {
            mips.push(Mip { sides: [image.side as u16; 2], is_marked: false, data: image.dxt1() });
            image = image.half();
        }
        let [red, green, blue, _] = image.pixels[0];
        let tags = vec![("AVGC", vec![blue, green, red, 255]), ("MAXC", vec![255; 4])];
        paa::Texture { kind: paa::DXT1, tags, palette: Vec::new(), mips }.to_vec()
    }

    fn half(&self) -> Self {
        Self::new(self.side / 2, |x, y| {
            let at = |right: usize, down: usize| self.pixels[(y * 2 + down) * self.side + x * 2 + right];
            let all = [at(0, 0), at(1, 0), at(0, 1), at(1, 1)];
            [0, 1, 2, 3].map(|part| (all.iter().map(|pixel| u32::from(pixel[part])).sum::<u32>() / 4) as u8)
        })
    }

    /// Blocks of 4 x 4 pixels: the darkest and the brightest color, and which of them or of two between them a pixel has.
    fn dxt1(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for (top, left) in
            (0..self.side / 4).flat_map(|row| (0..self.side / 4).map(move |column| (row * 4, column * 4)))
        {
            let block: Vec<[u8; 4]> =
                (0..16).map(|at| self.pixels[(top + at / 4) * self.side + left + at % 4]).collect();
            let light = |pixel: &&[u8; 4]| u32::from(pixel[0]) * 3 + u32::from(pixel[1]) * 6 + u32::from(pixel[2]);
            let ends = [block.iter().max_by_key(light).unwrap(), block.iter().min_by_key(light).unwrap()];
            let ends = ends.map(|&[red, green, blue, _]| {
                u16::from(red >> 3) << 11 | u16::from(green >> 2) << 5 | u16::from(blue >> 3)
            });
            // The larger number is first, or the block has a color without opacity.
            let [first, second] = [ends[0].max(ends[1]), ends[0].min(ends[1])];
            let [a, b] = [first, second]
                .map(|color| [color >> 11 << 3, (color >> 5 & 63) << 2, (color & 31) << 3].map(i32::from));
            let mixed = |of: i32| [0, 1, 2].map(|part| (a[part] * (3 - of) + b[part] * of) / 3);
            let colors = [a, b, mixed(1), mixed(2)];
            let mut bits = 0_u32;
            for (at, pixel) in block.iter().enumerate() {
                let apart = |index: &usize| -> i32 {
                    (0..3).map(|part| (colors[*index][part] - i32::from(pixel[part])).pow(2)).sum()
                };
                let nearest = (0..4).min_by_key(apart).unwrap();
                bits |= (if first == second { 0 } else { nearest as u32 }) << (at * 2);
            }
            out.extend(first.to_le_bytes());
            out.extend(second.to_le_bytes());
            out.extend(bits.to_le_bytes());
        }
        out
    }
}
