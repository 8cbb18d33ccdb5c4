//! Three addons of a mod as loose files, each with another kind of prefix file.

use super::rap::{Entry, class, file, material, root, texts, value};
use super::{mlod, odol};

const CONFIG: &str = r##"#include "script_component.hpp"
class CfgPatches {
    class my_main { requiredAddons[] = {}; };
};
#include "CfgVehicles.hpp"
class CfgSounds {
    class Door { sound[] = {"\my\main\data\door.ogg", 1, 1}; };
};
"##;

const VEHICLES: &str = r##"class CfgVehicles {
    class Base;
    class House: Base {
        model = QPATHTOF(house.p3d);
        icon = "\my\main\data\house_co.tga";
        picture = ICON(house.paa);
        hiddenSelections[] = {"camo"};
        hiddenSelectionsTextures[] = {QPATHTOF(data\house_co.paa), "#(argb,8,8,3)color(1,1,1,1)"};
        hiddenSelectionsMaterials[] += {QPATHTOEF(props,data\metal.rvmat)};
    };
};
"##;

const MATERIAL: &str = r##"surfaceInfo = "my\main\data\wood.bisurf";
class Stage1 { texture = "my\main\data\house_nohq.paa"; };
class Stage2 { texture = "#(argb,8,8,3)color(0.5,0.5,0.5,1,DT)"; };
"##;

/// Paths below the folder of the mod, and contents.
pub fn files() -> Vec<(&'static str, Vec<u8>)> {
    let face = mlod::face(&[0, 1, 2], r"my\main\data\house_co.paa", r"my\main\data\house.rvmat");
    let house = mlod::model(&[mlod::lod(3, &[face], &[], 1.0)]);
    let lod = odol::Lod { materials: vec![odol::material(9, 2, false)], ..odol::Lod::strip(1.0, 5) };
    let vehicle = [
        value("model", r"my\props\crate"),
        Entry::Array("hiddenSelectionsMaterials".to_owned(), texts(&[r"my\props\data\metal.rvmat"])),
        value("picture", r"my\props\data\gone.paa"),
    ];
    let config = root([class("CfgVehicles", "", [class("Crate", "", vehicle)])]);
    let binary = |config| file(config, &[]).to_vec();
    vec![
        ("main/$PBOPREFIX$", b"my\\main\r\n".to_vec()),
        ("main/config.cpp", CONFIG.into()),
        ("main/CfgVehicles.hpp", VEHICLES.into()),
        ("main/house.p3d", house.to_vec()),
        ("main/data/house.rvmat", MATERIAL.into()),
        ("main/data/house_co.paa", b"stands for a texture\n".to_vec()),
        ("main/data/wood.bisurf", b"density = 700;\n".to_vec()),
        ("props/$PREFIX$.txt", b"product=dayz ugc;\nprefix=my\\props;\n".to_vec()),
        ("props/config.bin", binary(&config)),
        ("props/crate.p3d", odol::Model::new(50, vec![lod]).to_vec()),
        ("props/data/metal.rvmat", binary(&material(&[r"my\props\data\metal_nohq.paa"], ""))),
        ("props/data/metal_nohq.paa", b"stands for a texture\n".to_vec()),
        ("shared/pboprefix.txt", b"// written by a tool\nprefix=\"data\"\n".to_vec()),
        ("shared/kind9.rvmat", binary(&material(&[r"data\stage0_9.paa", r"data\new_nohq.paa"], ""))),
        ("shared/stage0_9.paa", b"stands for a texture\n".to_vec()),
    ]
}
