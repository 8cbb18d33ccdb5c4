//! A mod in two versions: three addons, folders of loose files, and an archive.

use std::sync::OnceLock;

use super::b3d::{self, animation, scene, sequence};
use super::bytes::Bytes;
use super::paint::Image;
use super::pbo::{Tail, Writer};
use super::rap::{class, file, root, value};
use super::shapes::{ALL, Point, Rect, Shape, add, times, unit};
use super::zip::{Entry, zip};
use super::{bmx, lodka, mlod, odol, rtm};

const CONFIG: &str = r#"class CfgPatches { class my_village { requiredAddons[] = {"my_props"}; }; };
class CfgVehicles {
    class House { model = "\my\village\house.p3d"; };
    class Shed { model = "\my\village\shed.p3d"; };
};
"#;

const WALL: &str = r#"class Stage1 { texture = "my\village\data\wall_nohq.paa"; };
class Stage2 { texture = "my\props\data\dirt_mc.paa"; };
"#;

fn addon(prefix: &str, members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let writer = Writer::new().product(&[(b"prefix", prefix.as_bytes())]);
    members.iter().fold(writer, |writer, (name, bytes)| writer.stored(name.as_bytes(), bytes)).finish(Tail::Sha1)
}

/// The four walls, the roof with the chimney, and the door.
fn house_shape() -> Shape {
    const FRONT: Rect = [0.0, 0.0, 1.0, 0.5];
    const SIDE: Rect = [0.0, 0.5, 0.5, 1.0];
    const STONES: Rect = [0.5, 0.5, 1.0, 1.0];
    let mut house = Shape::default();
    let wall = |from: [f32; 2], to: [f32; 2]| {
        [[from[0], 0.0, from[1]], [to[0], 0.0, to[1]], [to[0], 3.0, to[1]], [from[0], 3.0, from[1]]]
    };
    house.quad(wall([-3.5, 3.0], [3.5, 3.0]), FRONT);
    house.quad(wall([3.5, -3.0], [-3.5, -3.0]), FRONT);
    for x in [-3.5, 3.5_f32] {
        let [near, far] = [x.signum() * 3.0, x.signum() * -3.0];
        house.quad(wall([x, near], [x, 0.0]), SIDE);
        house.quad(wall([x, 0.0], [x, far]), SIDE);
        house.triangle([[x, 3.0, near], [x, 3.0, far], [x, 5.2, 0.0]], [[0.52, 0.98], [0.98, 0.98], [0.75, 0.6]]);
    }
    house.part(1).cuboid([0.0, 0.0, 3.0], [1.54, 2.28, 0.16], [0.39, 0.12, 0.61, 0.5], [0.52, 0.96, 0.56, 0.98]);
    house.cuboid([0.0, 0.0, 3.4], [2.0, 0.16, 0.8], STONES, STONES);
    house.part(2).cuboid([1.9, 3.6, -0.9], [0.8, 2.3, 0.8], STONES, STONES);
    house.image(1);
    for z in [1.0, -1.0_f32] {
        let [left, right] = [-3.9 * z, 3.9 * z];
        let [eaves, ridge] = [[2.7, 3.4 * z], [5.25, 0.0]];
        let above =
            [[left, eaves[0], eaves[1]], [right, eaves[0], eaves[1]], [right, ridge[0], 0.0], [left, ridge[0], 0.0]];
        let [a, b, c, d] = above.map(|[x, y, z]| [x, y - 0.06, z]);
        house.quad(above, [0.0, 0.0, 3.0, 2.0]);
        house.quad([b, a, d, c], [0.0, 0.0, 3.0, 2.0]);
    }
    house
}

fn house(is_new: bool) -> Vec<u8> {
    let roof = if is_new { r"my\village\data\roof_co.paa" } else { "" };
    let names = [[r"my\village\data\wall_co.paa", r"my\village\data\wall.rvmat"], [roof, ""]];
    mlod::model(&[house_shape().mlod(1.0, &names, &["walls", "door", "roof"])]).to_vec()
}

fn crate_model() -> Vec<u8> {
    let mut shape = Shape::default();
    shape.image(1).cuboid([0.0; 3], [1.0; 3], ALL, ALL);
    odol::Model::new(54, vec![shape.odol(1.0, &["", r"my\props\data\crate_co.paa"])]).to_vec()
}

fn soldier_shape(helmet: f32) -> Shape {
    const SPOTS: Rect = [0.02, 0.02, 0.48, 0.48];
    const FACE: Rect = [0.5, 0.0, 1.0, 0.5];
    const SKIN: Rect = [0.52, 0.02, 0.6, 0.1];
    const LEATHER: Rect = [0.02, 0.52, 0.48, 0.98];
    const METAL: Rect = [0.52, 0.52, 0.98, 0.98];
    let mut man = Shape { image: 1, ..Shape::default() };
    man.part(1).cuboid([0.0, 0.9, 0.0], [0.52, 0.6, 0.28], SPOTS, SPOTS);
    man.cuboid([0.0, 0.86, 0.0], [0.54, 0.08, 0.3], LEATHER, LEATHER);
    man.cuboid([0.0, 1.0, -0.24], [0.4, 0.46, 0.2], LEATHER, SPOTS);
    man.cuboid([0.0, 1.5, 0.0], [0.14, 0.06, 0.14], SKIN, SKIN);
    man.cuboid([0.0, 1.54, 0.0], [0.27, 0.27, 0.27], FACE, SKIN);
    man.cuboid([0.0, 1.74, 0.0], [0.34, helmet, 0.34], SPOTS, SPOTS);
    man.cuboid([0.1, 1.05, 0.3], [0.9, 0.09, 0.06], METAL, METAL);
    man.cuboid([-0.1, 0.92, 0.3], [0.07, 0.14, 0.05], METAL, METAL);
    for side in [-1.0, 1.0_f32] {
        man.part(2).cuboid([side * 0.34, 1.02, 0.0], [0.15, 0.46, 0.17], SPOTS, SPOTS);
        man.cuboid([side * 0.32, 1.0, 0.17], [0.13, 0.13, 0.34], SKIN, SPOTS);
        man.part(3).cuboid([side * 0.14, 0.1, 0.0], [0.2, 0.78, 0.22], SPOTS, SPOTS);
        man.cuboid([side * 0.14, 0.0, 0.05], [0.21, 0.14, 0.36], LEATHER, LEATHER);
    }
    man
}

fn soldier(is_new: bool) -> Vec<u8> {
    let textures = ["", r"my\units\data\uniform_co.paa"];
    let lod = soldier_shape(if is_new { 0.18 } else { 0.14 }).odol(1.0, &textures);
    let mut far = Shape { image: 1, ..Shape::default() };
    far.cuboid([0.0; 3], [0.6, 1.9, 0.3], [0.02, 0.02, 0.48, 0.48], [0.02, 0.02, 0.48, 0.48]);
    let mut model = odol::Model::new(54, vec![lod, far.odol(2.0, &textures)]);
    model.bones = vec![("hip", ""), ("spine", "hip"), ("arm_left", "spine"), ("leg_left", "hip")];
    model.to_vec()
}

fn walk() -> Vec<u8> {
    let mut walk = rtm::motion(0, 3, 4, rtm::NONE);
    walk.bones = ["Hip", "Spine", "arm_lft", "weapon"].map(|name| name.as_bytes().to_vec()).to_vec();
    walk.plain().to_vec()
}

/// Sheets of leaves around the middle of a crown.
fn crown(tree: &mut Shape, middle: Point, reach: Point, size: f32, count: usize) {
    for leaf in 0..count {
        let turn = leaf as f32 * 2.399_963;
        let height = 1.0 - 2.0 * (leaf as f32 + 0.5) / count as f32;
        let across = (1.0 - height * height).sqrt();
        let out = [turn.cos() * across, height, turn.sin() * across];
        let at = [out[0] * reach[0], out[1] * reach[1], out[2] * reach[2]];
        // Each sheet leans another way.
        let tilt = (leaf % 5) as f32 * 0.5 - 1.0;
        let right = unit([-out[2] - tilt * 0.3, tilt * 0.4, out[0]]);
        let up = unit([-out[0] * out[1], across + 0.2, -out[2] * out[1]]);
        tree.leaf(add(middle, at), [times(right, size), times(up, size)], add(out, [0.0, 0.35, 0.0]));
    }
}

/// The images of a scene, and a brush for each of the same number. Leaves are visible where they are opaque, and from
/// both sides.
fn images_of(names: &[&str]) -> [Bytes; 2] {
    let (mut images, mut brushes) = (Bytes::new(), Bytes::new().i32(1));
    for (number, name) in (0..).zip(names) {
        let is_leaf = name.starts_with("leaf");
        images = images.cstr(name).u32(if is_leaf { 1 | 4 } else { 1 }).i32(2).f32s([0.0, 0.0, 1.0, 1.0, 0.0]);
        brushes = brushes.cstr(name.split('.').next().unwrap()).f32s([1.0; 4]).f32(0.0);
        brushes = brushes.i32(1).u32(if is_leaf { 16 } else { 0 }).i32(number);
    }
    [b3d::chunk(b"TEXS", images), b3d::chunk(b"BRUS", brushes)]
}

fn node(name: &str, at: Point, parts: impl IntoIterator<Item = Bytes>) -> Bytes {
    let own = Bytes::new().cstr(name).f32s(at).f32s([1.0; 3]).f32s([1.0, 0.0, 0.0, 0.0]);
    b3d::chunk(b"NODE", b3d::join(own, parts))
}

/// Turns around z: frames, and half of the angle in each.
fn turns(keys: &[(i32, f32)]) -> Bytes {
    let record = |all: Bytes, (frame, angle): &(i32, f32)| all.i32(*frame).f32s([angle.cos(), 0.0, 0.0, angle.sin()]);
    b3d::chunk(b"KEYS", keys.iter().fold(Bytes::new().u32(4), record))
}

/// A tree whose branches sway, with two textures.
fn oak(is_new: bool) -> Vec<u8> {
    let mut tree = Shape::default();
    tree.tube([[0.0, 0.0, 0.0], [0.0, 0.35, 0.0]], [0.46, 0.27], 8, [2.0, 0.4]);
    tree.tube([[0.0, 0.35, 0.0], [0.05, 2.3, 0.0]], [0.27, 0.19], 8, [2.0, 2.0]);
    for to in [[1.1, 3.1, 0.4], [-1.0, 3.3, 0.5], [0.1, 3.4, -1.1], [0.2, 3.6, 0.5]] {
        tree.tube([[0.05, 2.1, 0.0], to], [0.14, 0.05], 5, [1.0, 1.5]);
    }
    tree.image(1).part(1);
    crown(&mut tree, [0.0, 3.5, 0.0], [1.35, 1.0, 1.35], 0.75, 26);
    crown(&mut tree, [0.0, 3.55, 0.0], [0.8, 0.6, 0.8], 0.8, 10);
    let leaves = tree.vertices_of(1);
    let branch = |name: &str| {
        let weights: Vec<(i32, f32)> = leaves.iter().map(|&vertex| (vertex.into(), 0.5)).collect();
        // A little to one side and to the other.
        let sway = turns(&[(0, 0.0), (5, 0.03), (10, 0.0), (15, -0.03), (20, 0.0)]);
        node(name, [0.0; 3], [b3d::bone(&weights), sway])
    };
    let frames = animation(20, if is_new { 30.0 } else { 24.0 });
    let mut parts = vec![tree.b3d(), frames, sequence("sway", 0, 10), branch("branch")];
    parts.extend(is_new.then(|| branch("twig")));
    let [images, brushes] = images_of(&["bark.bmp", "leaf.png"]);
    scene([images, brushes, node("oak", [0.0; 3], parts)]).to_vec()
}

fn birch() -> Vec<u8> {
    let mut tree = Shape::default();
    tree.tube([[0.0, 0.0, 0.0], [0.1, 3.6, 0.0]], [0.13, 0.06], 7, [1.0, 3.0]);
    tree.image(1);
    crown(&mut tree, [0.08, 3.1, 0.0], [0.6, 1.2, 0.6], 0.5, 22);
    let [images, brushes] = images_of(&["birch_bark.png", "leaf.png"]);
    scene([images, brushes, node("birch", [0.0; 3], [tree.b3d()])]).to_vec()
}

/// A mill whose blades turn.
fn mill() -> Vec<u8> {
    let mut tower = Shape::default();
    tower.tube([[0.0, 0.0, 0.0], [0.0, 4.4, 0.0]], [1.5, 1.05], 12, [4.0, 3.0]);
    tower.image(1).cuboid([0.0, 0.0, 1.42], [0.8, 1.7, 0.16], [0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.2, 1.0]);
    tower.cuboid([0.0, 2.5, 1.24], [0.6, 0.6, 0.16], ALL, ALL);
    tower.tube([[0.0, 4.3, 0.0], [0.0, 4.45, 0.0]], [1.35, 1.35], 12, [6.0, 0.5]);
    tower.tube([[0.0, 4.45, 0.0], [0.0, 5.9, 0.0]], [1.35, 0.02], 12, [6.0, 2.0]);
    tower.tube([[0.0, 4.3, 0.9], [0.0, 4.3, 1.75]], [0.12, 0.12], 6, [1.0, 1.0]);
    let mut blades = Shape::default();
    for quarter in 0..4 {
        let (sin, cos) = (quarter as f32 * std::f32::consts::FRAC_PI_2 + 0.4).sin_cos();
        let at = |x: f32, y: f32, z: f32| [x * cos - y * sin, x * sin + y * cos, z];
        blades.image(1).tube([at(0.0, 0.0, 0.0), at(0.0, 2.9, 0.0)], [0.07, 0.04], 5, [1.0, 3.0]);
        let cloth = [at(0.06, 0.6, 0.02), at(0.75, 0.6, 0.1), at(0.75, 2.8, 0.1), at(0.06, 2.8, 0.02)];
        blades.image(2).quad(cloth, ALL);
        let [a, b, c, d] = cloth.map(|[x, y, z]| [x, y, z - 0.02]);
        blades.quad([b, a, d, c], ALL);
    }
    let full = [0.0, 0.25, 0.5, 0.75, 1.0_f32].map(|part| ((part * 40.0) as i32, part * std::f32::consts::PI));
    let blades = node("blades", [0.0, 4.3, 1.7], [blades.b3d(), turns(&full)]);
    let mill = node("mill", [0.0; 3], [tower.b3d(), animation(40, 10.0), blades]);
    let [images, brushes] = images_of(&["stone.png", "wood.png", "cloth.png"]);
    scene([images, brushes, mill]).to_vec()
}

fn well() -> Vec<u8> {
    let mut well = Shape::default();
    well.tube([[0.0, 0.0, 0.0], [0.0, 0.9, 0.0]], [0.9, 0.85], 12, [4.0, 1.0]);
    well.tube([[0.0, 0.9, 0.0], [0.0, 0.1, 0.0]], [0.62, 0.62], 12, [3.0, 1.0]);
    well.tube([[0.0, 0.9, 0.0], [0.0, 0.91, 0.0]], [0.85, 0.62], 12, [4.0, 0.2]);
    well.image(1);
    for x in [-0.8, 0.8] {
        well.cuboid([x, 0.0, 0.0], [0.16, 2.3, 0.16], [0.0, 0.0, 0.2, 1.0], [0.0, 0.0, 0.2, 1.0]);
    }
    well.tube([[-0.9, 1.7, 0.0], [0.9, 1.7, 0.0]], [0.1, 0.1], 6, [1.0, 2.0]);
    well.tube([[0.0, 1.0, 0.0], [0.0, 1.35, 0.0]], [0.18, 0.24], 8, [2.0, 0.5]);
    well.tube([[0.0, 1.35, 0.0], [0.0, 1.7, 0.0]], [0.02, 0.02], 4, [1.0, 1.0]);
    for z in [1.0, -1.0_f32] {
        let x = 1.2 * z;
        let above = [[-x, 2.05, 0.95 * z], [x, 2.05, 0.95 * z], [x, 2.75, 0.0], [-x, 2.75, 0.0]];
        let [a, b, c, d] = above.map(|[x, y, z]| [x, y - 0.05, z]);
        well.quad(above, [0.0, 0.0, 2.0, 1.0]);
        well.quad([b, a, d, c], [0.0, 0.0, 2.0, 1.0]);
    }
    let [images, brushes] = images_of(&["stone.png", "wood.png"]);
    scene([images, brushes, node("well", [0.0; 3], [well.b3d()])]).to_vec()
}

/// A boat with a mast and a sail.
fn boat() -> Vec<u8> {
    let mut boat = Shape::default();
    // From the stern to the bow: the place, half the width, the height of the keel and of the edge.
    const RIBS: [[f32; 4]; 7] = [
        [-2.3, 0.3, 0.7, 1.35],
        [-1.7, 0.62, 0.2, 1.05],
        [-0.8, 0.82, 0.0, 0.9],
        [0.2, 0.86, 0.0, 0.88],
        [1.2, 0.7, 0.05, 0.98],
        [2.0, 0.36, 0.3, 1.25],
        [2.6, 0.04, 0.9, 1.7],
    ];
    let rib = |[z, wide, keel, edge]: [f32; 4]| {
        let side = keel + (edge - keel) * 0.35;
        [[wide, edge, z], [wide * 0.78, side, z], [0.0, keel, z], [-wide * 0.78, side, z], [-wide, edge, z]]
    };
    for pair in RIBS.windows(2) {
        let [back, front] = [rib(pair[0]), rib(pair[1])];
        let [from, to] = [pair[0][0] / 2.0, pair[1][0] / 2.0];
        for strake in 0..4 {
            let [top, bottom] = [strake as f32 / 2.0, (strake + 1) as f32 / 2.0];
            let outside = [front[strake + 1], back[strake + 1], back[strake], front[strake]];
            boat.quad(outside, [to, top, from, bottom]);
            let inner =
                [back, front].map(|rib| [strake, strake + 1].map(|at| [rib[at][0] * 0.94, rib[at][1], rib[at][2]]));
            boat.quad([inner[0][1], inner[1][1], inner[1][0], inner[0][0]], [from, top, to, bottom]);
        }
        let deck = |[z, wide, ..]: [f32; 4], side: f32| [side * wide * 0.86, 0.55, z];
        if pair[1][0] < 2.1 && pair[0][0] > -2.0 {
            let [a, b] = [pair[0], pair[1]];
            boat.quad(
                [deck(a, -1.0), deck(a, 1.0), deck(b, 1.0), deck(b, -1.0)].map(|[x, y, z]| [x, y, z]),
                [0.0, from, 1.0, to],
            );
        }
    }
    for z in [-1.2, -0.4, 1.0] {
        boat.cuboid([0.0, 0.7, z], [1.45, 0.08, 0.26], ALL, ALL);
    }
    boat.tube([[0.0, 0.1, 0.3], [0.0, 4.3, 0.3]], [0.09, 0.06], 6, [1.0, 4.0]);
    boat.tube([[-1.5, 3.9, 0.36], [1.5, 3.9, 0.36]], [0.06, 0.06], 5, [1.0, 2.0]);
    boat.image(1);
    let at = |x: f32, row: usize| {
        let down = row as f32 / 6.0;
        let bulge = (down * std::f32::consts::PI).sin() * 0.55;
        [x * (1.0 + 0.06 * down), 3.88 - 2.5 * down, 0.4 + bulge]
    };
    for row in 0..6 {
        let [top, bottom] = [row as f32 / 6.0, (row + 1) as f32 / 6.0];
        let front = [at(-1.4, row + 1), at(1.4, row + 1), at(1.4, row), at(-1.4, row)];
        boat.quad(front, [0.0, top, 1.0, bottom]);
        let [a, b, c, d] = front.map(|[x, y, z]| [x, y, z - 0.02]);
        boat.quad([b, a, d, c], [1.0, top, 0.0, bottom]);
    }
    let white = [1.0_f32; 4];
    let options = Bytes::new().f32s([white, white, [0.0; 4], [0.0; 4], [0.0; 4]].into_iter().flatten());
    let options = options.u8(0).f32s([1.0, 1.0, 0.125]).raw([0, 0, 1, 0, 0, 1, 1, 0]);
    let names = [("wood", "wood.png"), ("sail", "sail.png")];
    let materials = names.iter().fold(Bytes::new().u8(3).i32(2), |all, (name, image)| {
        all.part(&lodka::text(name)).part(&lodka::text(image)).part(&options)
    });
    let materials = lodka::list(b"MAL1", [lodka::chunk(b"MAT1", 2, materials)]);
    let meshes = lodka::list(b"MSL1", [boat.lodka("boat", &["wood", "sail"])]);
    lodka::file([materials, meshes]).to_vec()
}

/// A piece of a map: a floor, a slope, and a ball.
fn map() -> Vec<u8> {
    static IMAGES: OnceLock<[Vec<u8>; 2]> = OnceLock::new();
    let [floor_image, wood_image] =
        IMAGES.get_or_init(|| [Image::slabs(64), Image::boards(64, [190, 120, 66], 8)].map(|image| image.png(false)));
    let mut floor = Shape::default();
    for (x, z) in [(0.0, 0.0), (0.0, 1.0), (0.0, 2.0), (1.0, 0.0), (2.0, 0.0)] {
        floor.cuboid([x * 2.0 - 2.0, 0.0, z * 2.0 - 2.0], [2.0, 0.5, 2.0], [0.0, 0.0, 1.0, 0.25], ALL);
    }
    // The slope goes up to the back.
    let [low, high] = [0.5, 1.7];
    floor.quad([[1.0, low, -3.0], [3.0, low, -3.0], [3.0, high, -6.0], [1.0, high, -6.0]], [0.0, 0.0, 1.0, 1.5]);
    floor.quad([[3.0, 0.0, -3.0], [3.0, 0.0, -6.0], [3.0, high, -6.0], [3.0, low, -3.0]], [0.0, 0.0, 1.0, 0.5]);
    floor.quad([[1.0, 0.0, -6.0], [1.0, 0.0, -3.0], [1.0, low, -3.0], [1.0, high, -6.0]], [0.0, 0.0, 1.0, 0.5]);
    floor.cuboid([2.0, 0.0, -7.0], [2.0, high, 2.0], [0.0, 0.0, 1.0, 0.85], ALL);
    let mut ball = Shape { image: 1, ..Shape::default() };
    ball.ball([-2.0, 1.2, 2.0], 0.7, 16);
    let material = |name, texture| bmx::Material {
        name,
        colors: [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        power: 0.0,
        switches: [false; 4],
        texture: Some(texture),
    };
    let texture = |name| bmx::Texture { name, file_name: name, external: false };
    let object =
        |name, groups, mesh| bmx::Object { name, component: false, hidden: false, matrix: bmx::IDENTITY, groups, mesh };
    bmx::Map {
        version: 14,
        short_materials: false,
        objects: vec![object("A01_Floor_01", &["Phys_Floors"][..], 0), object("Ball_Wood", &[][..], 1)],
        meshes: vec![floor.bmx("floor"), ball.bmx("ball")],
        materials: vec![material("floor", 0), material("wood", 1)],
        textures: vec![texture("floor.png"), texture("wood.png")],
        images: vec![("Texture/floor.png", floor_image), ("Texture/wood.png", wood_image)],
    }
    .packed()
}

/// The paths below `mod` and the contents of the first or the second version.
pub fn files(is_new: bool) -> Vec<(&'static str, Vec<u8>)> {
    let dirt = Image::bark(16, [120, 100, 80]).paa();
    let mut village = vec![
        ("config.cpp", CONFIG.into()),
        ("house.p3d", house(is_new)),
        (r"data\wall.rvmat", WALL.into()),
        (r"data\wall_co.paa", Image::walls(128).paa()),
        ("crate.p3d", crate_model()),
    ];
    village.extend(is_new.then(|| (r"data\roof_co.paa", Image::tiles(64, [176, 82, 58]).paa())));
    let vehicle = [value("model", r"my\props\crate"), value("picture", r"my\props\data\crate_ca.paa")];
    let config = file(&root([class("CfgVehicles", "", [class("Crate", "", vehicle)])]), &[]).to_vec();
    let props = [
        ("config.bin", config),
        ("crate.p3d", crate_model()),
        (r"data\crate_co.paa", Image::chest(64).paa()),
        (r"data\dirt_mc.paa", dirt),
    ];
    let units = [
        ("soldier.p3d", soldier(is_new)),
        ("crate.p3d", crate_model()),
        (r"data\uniform_co.paa", Image::clothes(64).paa()),
    ];
    let cut = oak(true);
    let release = zip(&[Entry::deflated("readme.txt", b"Put the addons into a folder @my.\n")], b"").to_vec();
    let saved = Bytes::new().raw(b"SAVE").u32(2).raw(b"\x05Tree!").f32s([1.0, 0.5]).raw([0; 7]).to_vec();
    let sail = Image::stripes(64, [[226, 220, 204], [178, 54, 46]]);
    let mut files = vec![
        ("addons/village.pbo", addon(r"my\village", &village)),
        ("addons/props.pbo", addon(r"my\props", &props)),
        ("addons/units.pbo", addon(r"my\units", &units)),
        ("anims/walk.rtm", walk()),
        ("boats/boat.lod", boat()),
        ("boats/sail.png", sail.png(false)),
        ("boats/wood.png", Image::boards(64, [150, 104, 62], 8).png(false)),
        ("buildings/cloth.png", Image::stripes(64, [[232, 224, 204], [214, 204, 180]]).png(false)),
        ("buildings/mill.b3d", mill()),
        ("buildings/stone.png", Image::bricks(64, [150, 144, 134], 8).png(false)),
        ("buildings/well.b3d", well()),
        ("buildings/wood.png", Image::boards(64, [146, 98, 58], 8).png(false)),
        ("maps/slope.bmx", map()),
        ("release.zip", release),
        ("saves/trees.sav", saved),
        ("trees/bark.bmp", Image::bark(64, [128, 98, 70]).bmp()),
        ("trees/cut.b3d", cut[..cut.len() / 2].to_vec()),
        ("trees/leaf.png", Image::leaves(64, [92, 132, 50]).png(true)),
        ("trees/oak.b3d", oak(is_new)),
        (if is_new { "trees/young/birch.b3d" } else { "trees/birch.b3d" }, birch()),
    ];
    files.extend((!is_new).then(|| ("trees/old.tga", b"not used any more\n".to_vec())));
    files
}
