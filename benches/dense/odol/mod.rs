//! Models of Arma: a fence, a box, a character, a building, an animal, and a character without its views.

mod shapes;
mod surface;

use super::super::writer::odol::{Array, Lod, Model, Selection, material};
use super::random::Random;
use shapes::{ANIMAL, BOX, BUILDING, CHARACTER, FENCE, PASSENGER, Shape, Use};
use surface::{direction, surface};

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
    let vertices = surface(purpose, points, random);
    let is_view = purpose == Use::View && points > 0;
    let mut lod = Lod {
        flags: Array::Fill(0x3f, points.into()),
        uvs: vec![Array::Fill([-32767, -32767], points.into())],
        normals: Array::Each(vertices.iter().map(|point| point.normal).collect()),
        positions: vertices.iter().map(|point| point.position).collect(),
        faces: self::faces(points, faces, random),
        ..Lod::empty(resolution)
    };
    if is_view {
        lod.uvs = vec![Array::Each(vertices.iter().map(|point| point.uv).collect())];
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
