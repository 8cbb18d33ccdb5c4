//! Configs and materials of Arma, binary and as text.

use super::super::writer::rap::{Class, Entry, Value, as_text, class, file, material, root, text, value};

pub fn files() -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    // The stages of materials, half of them as text.
    for (number, stages) in [0, 0, 1, 2, 2, 2, 2, 2, 3, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7].into_iter().enumerate() {
        let textures: Vec<String> =
            (0..stages).map(|stage| format!("mod\\data\\part_{number}_{stage}_nohq.paa")).collect();
        let textures: Vec<&str> = textures.iter().map(String::as_str).collect();
        let material = material(&textures, "mod\\data\\wood.bisurf");
        files.push((format!("{number:02}_part.rvmat"), stored(&material, number % 2 == 0)));
    }
    // The classes of configs, of about 350 bytes each.
    for (number, (classes, is_text)) in
        [(0, false), (1, false), (5, false), (6, true), (9, true), (15, false), (80, false), (142, false)]
            .into_iter()
            .enumerate()
    {
        let extension = if is_text { "cpp" } else { "bin" };
        files.push((format!("{number:02}_config.{extension}"), stored(&config(classes), is_text)));
    }
    files
}

fn stored(config: &Class, is_text: bool) -> Vec<u8> {
    if is_text { as_text(config).into_bytes() } else { file(config, &[]).to_vec() }
}

/// Weapons with models, pictures and sounds.
fn config(classes: usize) -> Class {
    let weapon = |number: usize| {
        let path = |end: &str| format!("\\mod\\weapons\\rifle_{number}{end}");
        let texts = |names: [String; 2]| names.iter().map(|name| text(name)).collect();
        let own = [
            Entry::Value("scope".to_owned(), Value::Int(2)),
            value("displayName", "Rifle"),
            value("model", &path(".p3d")),
            value("picture", &path("_ca.paa")),
            Entry::Value("dispersion".to_owned(), Value::Float(0.0013)),
            Entry::Array("magazines".to_owned(), vec![text("Magazine_30"), text("Magazine_20")]),
            Entry::Array("hiddenSelectionsTextures".to_owned(), texts([path("_co.paa"), path("_sight_co.paa")])),
            Entry::Array("sound".to_owned(), vec![text(&path("")), Value::Float(3.16), Value::Int(1), Value::Int(800)]),
        ];
        class(&format!("Rifle_{number}"), "Rifle", own)
    };
    let mut weapons = vec![Entry::Extern("Rifle".to_owned())];
    weapons.extend((0..classes).map(weapon));
    let patch = class("Mod_Weapons", "", [Entry::Value("requiredVersion".to_owned(), Value::Float(0.1))]);
    root([class("CfgPatches", "", [patch]), class("CfgWeapons", "", weapons)])
}
