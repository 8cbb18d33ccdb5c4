//! Configs and materials of Arma, binary and as text.

use super::super::writer::rap::{Class, Entry, Value, as_text, class, file, material, root, text, value};

pub fn files() -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    // The stages of materials, half of them as text.
    for (number, stages) in [0, 0, 1, 2, 2, 2, 2, 2, 3, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7].into_iter().enumerate() {
        let textures: Vec<String> = (0..stages).map(|stage| texture(number, stage)).collect();
        let textures: Vec<&str> = textures.iter().map(String::as_str).collect();
        let material = material(&textures, "");
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

/// Half of the textures of materials with many are made by the game.
fn texture(number: usize, stage: usize) -> String {
    if stage > 2 && stage % 2 == 1 {
        return "#(argb,8,8,3)color(0.5,0.5,0.5,1,DT)".to_owned();
    }
    format!("mod\\data\\part_{number}_{stage}_nohq.paa")
}

fn stored(config: &Class, is_text: bool) -> Vec<u8> {
    if is_text { as_text(config).into_bytes() } else { file(config, &[]).to_vec() }
}

/// Weapons with a model, some with a picture.
fn config(classes: usize) -> Class {
    let mut weapons = vec![Entry::Extern("Rifle".to_owned())];
    for number in 0..classes {
        weapons.push(weapon(number));
    }
    let patch = class("Mod_Weapons", "", [Entry::Value("requiredVersion".to_owned(), Value::Float(0.1))]);
    root([class("CfgPatches", "", [patch]), class("CfgWeapons", "", weapons)])
}

fn weapon(number: usize) -> Entry {
    let numbers = |name: &str, count| Entry::Array(name.to_owned(), (0..count).map(Value::Int).collect());
    let mut own = vec![
        Entry::Value("scope".to_owned(), Value::Int(2)),
        value("displayName", "Rifle"),
        value("descriptionShort", "A rifle with a long barrel, which is heavy and exact."),
        Entry::Value("dispersion".to_owned(), Value::Float(0.0013)),
        Entry::Value("reloadTime".to_owned(), Value::Float(0.08)),
        Entry::Array("magazines".to_owned(), vec![text("Magazine_30"), text("Magazine_20")]),
        Entry::Array("hiddenSelections".to_owned(), vec![text("camo_1"), text("camo_2")]),
        numbers("modes", 4),
        numbers("handAnimation", 6),
        value("model", &format!("\\mod\\weapons\\rifle_{number}.p3d")),
    ];
    if number.is_multiple_of(3) {
        own.push(value("picture", &format!("\\mod\\weapons\\rifle_{number}_ca.paa")));
    }
    class(&format!("Rifle_{number}"), "Rifle", own)
}
