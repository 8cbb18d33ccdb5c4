//! Models of Arma: a fence, a box, a character, a building, an animal, and a character without its views.

use super::super::writer::odol::{Array, Lod, Model, Selection, material};
use super::random::Random;

/// What a LOD is for, which decides what it stores.
#[derive(Clone, Copy, PartialEq)]
enum Use {
    /// Seen: most points differ, and some are repeated at seams.
    View,
    /// Casts shadows: faces share no points, so that each point is there several times.
    Shadow,
    /// For collisions and hits: few points, without texture coordinates.
    Solid,
}

/// What a LOD has.
#[derive(Clone, Copy)]
struct Shape {
    purpose: Use,
    resolution: f32,
    points: u16,
    faces: u16,
    selections: u16,
    /// The points of each selection; without them, it has sections.
    selected: u16,
    /// True if its selections have weights.
    is_weighted: bool,
}

const fn shape(purpose: Use, resolution: f32, [points, faces]: [u16; 2], [selections, selected]: [u16; 2]) -> Shape {
    Shape { purpose, resolution, points, faces, selections, selected, is_weighted: false }
}

/// One whose selections have weights.
const fn skin(purpose: Use, resolution: f32, sizes: [u16; 2], selections: [u16; 2]) -> Shape {
    Shape { is_weighted: true, ..shape(purpose, resolution, sizes, selections) }
}

const FENCE: &[Shape] = &[
    shape(Use::Shadow, 1.0, [3680, 1190], [0, 0]),
    shape(Use::Solid, 2.0, [104, 28], [0, 0]),
    shape(Use::Shadow, 10_000.0, [144, 192], [0, 0]),
    shape(Use::Solid, 1e13, [12, 12], [1, 12]),
    shape(Use::Solid, 1e15, [1, 0], [0, 0]),
    shape(Use::Solid, 6e15, [122, 48], [0, 0]),
];
const BOX: &[Shape] = &[shape(Use::Solid, 1e13, [8, 6], [9, 2])];
const BUILDING: &[Shape] = &[
    shape(Use::View, 1.0, [2494, 2758], [0, 0]),
    shape(Use::View, 2.0, [1458, 1336], [0, 0]),
    shape(Use::View, 3.0, [654, 542], [0, 0]),
    shape(Use::View, 4.0, [96, 74], [0, 0]),
    shape(Use::Shadow, 10_000.0, [198, 264], [0, 0]),
    shape(Use::Shadow, 10_010.0, [24, 32], [0, 0]),
    shape(Use::Solid, 1e13, [19, 23], [1, 19]),
    shape(Use::Solid, 6e15, [19, 23], [1, 19]),
    shape(Use::Solid, 7e15, [19, 23], [1, 19]),
    shape(Use::Solid, 1e15, [184, 66], [0, 0]),
    shape(Use::Solid, 4e15, [20, 8], [0, 0]),
];
const ANIMAL: &[Shape] = &[
    skin(Use::View, 1.0, [1777, 2652], [31, 100]),
    skin(Use::View, 2.0, [1107, 1356], [31, 78]),
    skin(Use::View, 3.0, [584, 680], [31, 43]),
    skin(Use::View, 4.0, [354, 376], [31, 27]),
    skin(Use::Shadow, 10_000.0, [2064, 2752], [31, 155]),
    skin(Use::Shadow, 10_010.0, [1128, 1504], [31, 88]),
    shape(Use::Solid, 1e13, [34, 48], [35, 2]),
    shape(Use::Solid, 1e15, [4, 0], [4, 1]),
    shape(Use::Solid, 2e15, [1, 0], [0, 0]),
    shape(Use::Solid, 7e15, [184, 184], [28, 8]),
    skin(Use::Shadow, 11_000.0, [2009, 688], [31, 150]),
    skin(Use::Shadow, 11_010.0, [1097, 376], [31, 85]),
];
const CHARACTER: &[Shape] = &[
    shape(Use::View, 1.0, [5599, 9065], [87, 0]),
    shape(Use::View, 2.0, [2951, 4390], [85, 0]),
    shape(Use::View, 3.0, [1553, 2143], [85, 0]),
    shape(Use::View, 4.0, [887, 1096], [83, 0]),
    shape(Use::View, 1100.0, [2974, 4533], [80, 0]),
    shape(Use::Shadow, 10_000.0, [4527, 6015], [88, 0]),
    shape(Use::Shadow, 10_010.0, [801, 1053], [36, 0]),
    shape(Use::Solid, 1e13, [42, 54], [44, 2]),
    shape(Use::Solid, 1e15, [53, 6], [58, 2]),
    shape(Use::Solid, 2e15, [1, 0], [0, 0]),
    shape(Use::Solid, 4e15, [12, 0], [18, 1]),
    shape(Use::Solid, 7e15, [148, 224], [34, 9]),
    shape(Use::Shadow, 11_000.0, [4436, 1509], [88, 0]),
    shape(Use::Shadow, 11_010.0, [786, 267], [36, 0]),
];
const PASSENGER: &[Shape] = &[
    shape(Use::Solid, 1000.0, [0, 0], [0, 0]),
    shape(Use::View, 1200.0, [6206, 5920], [76, 0]),
    shape(Use::Solid, 1100.0, [0, 0], [0, 0]),
    shape(Use::Solid, 1e13, [42, 54], [44, 2]),
    shape(Use::Solid, 1e15, [39, 2], [47, 1]),
    shape(Use::Solid, 2e15, [1, 0], [0, 0]),
    shape(Use::Solid, 4e15, [13, 0], [17, 1]),
    shape(Use::Solid, 7e15, [148, 224], [34, 9]),
    shape(Use::Solid, 6e15, [0, 0], [0, 0]),
];

/// The bones of a character.
const BONES: usize = 132;
/// Those that move the points of a LOD.
const ITEMS: u16 = 66;

/// Models of this version of the format: up to 43 with LZSS, later with LZO.
pub fn files(version: u32) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    let models = [
        ("fence", FENCE, false),
        ("box", BOX, false),
        ("building", BUILDING, false),
        ("animal", ANIMAL, false),
        ("character", CHARACTER, true),
        ("passenger", PASSENGER, true),
    ];
    for (seed, (name, shapes, has_bones)) in (1..).zip(models) {
        let mut random = Random::new(seed);
        let lods = shapes.iter().map(|shape| lod(shape, has_bones, &mut random)).collect();
        let mut model = Model::new(version, lods);
        if has_bones {
            model.bones = (0..BONES).map(|bone| (numbered("bone", bone), "")).collect();
        }
        files.push((format!("{name}.p3d"), model.to_vec()));
    }
    files
}

/// Names that live as long as the program, which is short.
fn numbered(word: &str, number: usize) -> &'static str {
    format!("{word}_{number:03}").leak()
}

fn lod(shape: &Shape, has_bones: bool, random: &mut Random) -> Lod {
    let Shape { purpose, resolution, points, faces, .. } = *shape;
    let surface = surface(purpose, points, random);
    let is_view = purpose == Use::View && points > 0;
    let mut lod = Lod {
        flags: Array::Fill(0x3f, points.into()),
        uvs: vec![Array::Fill([-32767, -32767], points.into())],
        normals: Array::Each(surface.iter().map(|point| point.normal).collect()),
        positions: surface.iter().map(|point| point.position).collect(),
        faces: self::faces(points, faces, random),
        ..Lod::empty(resolution)
    };
    if is_view {
        lod.uvs = vec![Array::Each(surface.iter().map(|point| point.uv).collect())];
        lod.tangents = if has_bones { tangents(points, random) } else { Vec::new() };
    }
    if has_bones {
        lod.items = (0..ITEMS.into()).map(|item| item * 2).collect();
        lod.bone_links =
            (0..BONES as u32).map(|bone| if bone % 2 == 0 { vec![bone / 2] } else { Vec::new() }).collect();
        lod.properties = vec![("autocenter", "0"), ("map", "hide")];
        if purpose != Use::Solid || points > 100 {
            lod.bone_refs = bone_refs(purpose, points, random);
        }
        if purpose == Use::Shadow && resolution < 11_000.0 {
            lod.neighbors = neighbors(points, random);
        }
    }
    add_sections(&mut lod, if has_bones && is_view { 10 } else { 1 });
    lod.selections = selections(shape, lod.sections.len(), random);
    lod
}

/// A point, as the faces that share it see it.
#[derive(Clone, Copy)]
struct Point {
    position: [f32; 3],
    normal: [i32; 3],
    uv: [i16; 2],
}

/// The points of a LOD, in the order in which its faces use them.
fn surface(purpose: Use, count: u16, random: &mut Random) -> Vec<Point> {
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
fn direction(random: &mut Random) -> [i32; 3] {
    let vector = [random.float(), random.float(), random.float()];
    let length = vector.iter().map(|axis| axis * axis).sum::<f32>().sqrt().max(0.01);
    vector.map(|axis| (axis / length * 511.0).round() as i32)
}

fn tangents(points: u16, random: &mut Random) -> Vec<[[i32; 3]; 2]> {
    (0..points).map(|_| [direction(random), direction(random)]).collect()
}

/// Triangles of nearby points, and a few quads.
fn faces(points: u16, faces: u16, random: &mut Random) -> Vec<Vec<u16>> {
    let mut all = Vec::new();
    for face in 0..u32::from(faces) {
        let corners = if random.chance(8) { 4 } else { 3 };
        let first = face * u32::from(points) / u32::from(faces);
        let step = if points > 60 { 1 + random.below(12) } else { 1 };
        all.push((0..corners).map(|corner| ((first + corner * step) % u32::from(points)) as u16).collect());
    }
    all
}

/// Nearby points belong to the same bones.
fn bone_refs(purpose: Use, points: u16, random: &mut Random) -> Vec<[(u8, u8); 2]> {
    let mut all: Vec<[(u8, u8); 2]> = Vec::new();
    let repeats = if purpose == Use::View { 45 } else { 60 };
    for number in 0..usize::from(points) {
        let item = (number * 60 / usize::from(points)) as u8;
        if number > 20 && random.chance(repeats) {
            all.push(all[number - 1 - random.below(20) as usize]);
        } else if random.chance(55) {
            all.push([(item, 255), (0, 0)]);
        } else {
            let weight = 1 + random.below(254) as u8;
            all.push([(item, 255 - weight), (item + random.below(6) as u8, weight)]);
        }
    }
    all
}

/// Both are points of the same face.
fn neighbors(points: u16, random: &mut Random) -> Vec<[u16; 2]> {
    let near = |point: u16, random: &mut Random| point.saturating_add(random.below(9) as u16).min(points - 1);
    (0..points).map(|point| [near(point, random), near(point, random)]).collect()
}

/// Splits the faces, each part with a texture and a material.
fn add_sections(lod: &mut Lod, count: usize) {
    if lod.faces.is_empty() {
        return;
    }
    let is_view = lod.tangents.len() + lod.uvs.len() > 1;
    lod.textures = if is_view { vec!["", "mod\\data\\body_co.paa"] } else { vec![""] };
    if is_view {
        lod.materials = vec![material(9, 2, false), material(11, 2, false)];
    }
    let (texture, material) = if is_view { (1, 0) } else { (0, -1) };
    let each = lod.faces.len() / count;
    lod.sections = vec![(each, texture, material); count - 1];
    lod.sections.push((lod.faces.len() - each * (count - 1), texture, material));
}

fn selections(shape: &Shape, sections: usize, random: &mut Random) -> Vec<Selection> {
    let Shape { points, faces, selections, selected, is_weighted, .. } = *shape;
    let mut all = Vec::new();
    for number in 0..usize::from(selections) {
        let mut selection = Selection { name: numbered("selection", number), ..Selection::default() };
        if selected == 0 && number < 16 {
            selection.sections = vec![(number % sections) as i32];
        }
        // Most of a character's small LODs are empty: they only have names.
        if selected > 2 || is_weighted || selected > 0 && number % 3 == 0 {
            let size = 1 + random.below(2 * u32::from(selected) - 1) as u16;
            selection.vertices = run(size.min(points), points, random);
            selection.faces = run(size.min(faces), faces, random);
        }
        if is_weighted {
            selection.weights = selection.vertices.iter().map(|_| 1 + random.below(255) as u8).collect();
        }
        all.push(selection);
    }
    all
}

/// Consecutive numbers below this one.
fn run(size: u16, end: u16, random: &mut Random) -> Vec<u16> {
    let first = random.below(u32::from(end - size) + 1) as u16;
    (first..first + size).collect()
}
