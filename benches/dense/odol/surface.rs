//! The points of a LOD.

use super::Random;
use super::shapes::Use;

/// A point, as the faces that share it see it.
#[derive(Clone, Copy)]
pub struct Point {
    pub position: [f32; 3],
    pub normal: [i32; 3],
    pub uv: [i16; 2],
}

/// The points of a LOD, in the order in which its faces use them.
pub fn surface(purpose: Use, count: u16, random: &mut Random) -> Vec<Point> {
    let repeated = if purpose == Use::Shadow { &SHADOW } else { &VIEW };
    let mut points: Vec<Point> = Vec::new();
    for number in 0..count {
        let mut point = Point { position: place(number, random), normal: direction(random), uv: coordinate(random) };
        for axis in &mut point.position {
            if random.chance(repeated.rounded) {
                *axis = (*axis * 1024.0).round() / 1024.0;
            }
        }
        if number > 0 {
            let back = 1 + random.below(u32::from(number).min(repeated.within));
            point = point.repeating(points[usize::from(number) - back as usize], repeated, random);
        }
        points.push(point);
    }
    points
}

impl Point {
    /// Repeats an earlier point or a part of it, as at seams, in mirrored halves, and in planes.
    fn repeating(mut self, old: Self, repeated: &Repeated, random: &mut Random) -> Self {
        let kind = random.below(100);
        if kind < repeated.point {
            self.position = old.position;
        } else if kind < repeated.point + repeated.pair {
            let [x, y, z] = old.position;
            self.position = [-x, y, z];
        } else if kind < repeated.point + repeated.pair + repeated.axis {
            let axis = random.below(3) as usize;
            self.position[axis] = old.position[axis];
        }
        if random.chance(repeated.normal) {
            self.normal = old.normal;
        }
        if random.chance(repeated.uv) {
            self.uv = old.uv;
        }
        self
    }
}

fn coordinate(random: &mut Random) -> [i16; 2] {
    [random.below(65_535), random.below(65_535)].map(|axis| (axis as i32 - 32_767) as i16)
}

/// How many of a hundred points repeat an earlier one.
struct Repeated {
    /// Its whole position, two of the axes, one of them.
    point: u32,
    pair: u32,
    axis: u32,
    /// Axes with few bits.
    rounded: u32,
    normal: u32,
    uv: u32,
    /// The most points between both.
    within: u32,
}

const VIEW: Repeated = Repeated { point: 17, pair: 11, axis: 23, rounded: 23, normal: 13, uv: 13, within: 300 };
const SHADOW: Repeated = Repeated { point: 76, pair: 3, axis: 3, rounded: 5, normal: 52, uv: 0, within: 300 };

/// A place on a bumpy surface.
fn place(number: u16, random: &mut Random) -> [f32; 3] {
    let turn = f32::from(number) * 0.37;
    let height = f32::from(number % 977) / 400.0;
    let radius = 0.5 + 0.1 * (5.0 * height).sin() + 0.02 * random.float();
    [radius * turn.cos(), height + 0.01 * random.float(), radius * turn.sin()]
}

/// A vector of length 511.
pub fn direction(random: &mut Random) -> [i32; 3] {
    let vector = [random.float(), random.float(), random.float()];
    let length = vector.iter().map(|axis| axis * axis).sum::<f32>().sqrt().max(0.01);
    vector.map(|axis| (axis / length * 511.0).round() as i32)
}
