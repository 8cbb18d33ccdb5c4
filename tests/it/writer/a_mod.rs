//! A mod in two versions: three addons, folders of loose files, and an archive.

use super::b3d::{self, Texture, animation, bone, brushes, keys, mesh, node, scene, sequence, textures};
use super::bytes::Bytes;
use super::pbo::{Tail, Writer};
use super::rap::{class, file, root, value};
use super::zip::{Entry, zip};
use super::{mlod, odol, paa, rtm};

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

fn texture(side: u16) -> Vec<u8> {
    paa::Texture::chain(paa::DXT1, [side, side], 4).to_vec()
}

fn house(is_new: bool) -> Vec<u8> {
    let wall = |points: &[u32]| mlod::face(points, r"my\village\data\wall_co.paa", r"my\village\data\wall.rvmat");
    let roof = mlod::face(&[1, 2, 3], if is_new { r"my\village\data\roof_co.paa" } else { "" }, "");
    let doors = [mlod::tag("door", &[1, 1, 0, 0, 1, 0, 0]), mlod::tag("roof", &[0, 1, 1, 1, 0, 0, 1])];
    mlod::model(&[mlod::lod(4, &[wall(&[0, 1, 2]), wall(&[0, 2, 3]), roof], &doors, 1.0)]).to_vec()
}

fn crate_model() -> Vec<u8> {
    let lod = odol::Lod { textures: vec!["", r"my\props\data\crate_co.paa"], ..odol::Lod::strip(1.0, 8) };
    odol::Model::new(54, vec![lod]).to_vec()
}

fn soldier(is_new: bool) -> Vec<u8> {
    let mut lod = odol::Lod::strip(1.0, 24);
    lod.textures = vec!["", r"my\props\data\crate_co.paa"];
    if is_new {
        lod.positions[3][1] += 0.5;
        lod.positions[7][1] += 0.5;
    }
    let mut model = odol::Model::new(54, vec![lod, odol::Lod::strip(2.0, 6)]);
    model.bones = vec![("hip", ""), ("spine", "hip"), ("arm_left", "spine"), ("leg_left", "hip")];
    model.to_vec()
}

fn walk() -> Vec<u8> {
    let mut walk = rtm::motion(0, 3, 4, rtm::NONE);
    walk.bones = ["Hip", "Spine", "arm_lft", "weapon"].map(|name| name.as_bytes().to_vec()).to_vec();
    walk.plain().to_vec()
}

/// A tree whose branches sway, with two textures.
fn oak(is_new: bool) -> Vec<u8> {
    let list = [Texture { name: b"bark.bmp", flags: 1, blend: 2 }, Texture { name: b"leaf.png", flags: 4, blend: 2 }];
    let crown = mesh(1, [b3d::vertices(4, 0, 1, 2), b3d::triangles(1, &[[0, 1, 2], [1, 2, 3]])]);
    let branch = |name: &str| node(name, [bone(&[(0, 1.0)]), keys(4, [0, 10, 20])]);
    let frames = animation(20, if is_new { 30.0 } else { 24.0 });
    let mut parts = vec![crown, frames, sequence("sway", 0, 10), branch("branch")];
    parts.extend(is_new.then(|| branch("twig")));
    scene([textures(&list), brushes(&[(b"bark", &[0]), (b"leaf", &[1])]), node("oak", parts)]).to_vec()
}

fn birch() -> Vec<u8> {
    let trunk = mesh(0, [b3d::vertices(3, 0, 1, 2), b3d::triangles(0, &[[0, 1, 2]])]);
    let list = [Texture { name: b"birch_bark.png", flags: 1, blend: 2 }];
    scene([textures(&list), brushes(&[(b"bark", &[0])]), node("birch", [trunk])]).to_vec()
}

/// The paths below `mod` and the contents of the first or the second version.
pub fn files(is_new: bool) -> Vec<(&'static str, Vec<u8>)> {
    let mut village = vec![
        ("config.cpp", CONFIG.into()),
        ("house.p3d", house(is_new)),
        (r"data\wall.rvmat", WALL.into()),
        (r"data\wall_co.paa", texture(64)),
        ("crate.p3d", crate_model()),
    ];
    village.extend(is_new.then(|| (r"data\roof_co.paa", texture(32))));
    let vehicle = [value("model", r"my\props\crate"), value("picture", r"my\props\data\crate_ca.paa")];
    let config = file(&root([class("CfgVehicles", "", [class("Crate", "", vehicle)])]), &[]).to_vec();
    let props = [
        ("config.bin", config),
        ("crate.p3d", crate_model()),
        (r"data\crate_co.paa", texture(16)),
        (r"data\dirt_mc.paa", texture(8)),
    ];
    let units = [("soldier.p3d", soldier(is_new)), ("crate.p3d", crate_model())];
    let cut = oak(true);
    let release = zip(&[Entry::deflated("readme.txt", b"Put the addons into a folder @my.\n")], b"").to_vec();
    let saved = Bytes::new().raw(b"SAVE").u32(2).raw(b"\x05Tree!").f32s([1.0, 0.5]).raw([0; 7]).to_vec();
    let mut files = vec![
        ("addons/village.pbo", addon(r"my\village", &village)),
        ("addons/props.pbo", addon(r"my\props", &props)),
        ("addons/units.pbo", addon(r"my\units", &units)),
        ("anims/walk.rtm", walk()),
        ("release.zip", release),
        ("saves/trees.sav", saved),
        ("textures/leaf.png", b"stands for an image\n".to_vec()),
        ("trees/bark.bmp", b"stands for an image, too\n".to_vec()),
        ("trees/cut.b3d", cut[..cut.len() / 2].to_vec()),
        ("trees/oak.b3d", oak(is_new)),
        (if is_new { "trees/young/birch.b3d" } else { "trees/birch.b3d" }, birch()),
    ];
    files.extend((!is_new).then(|| ("textures/old.tga", b"not used any more\n".to_vec())));
    files
}
