//! References of Luanti mods: models and textures that Lua texts name.

use std::path::Path;

use serde_json::Value as Json;

use crate::seeds::LUA;
use crate::support::mutate::{Random, Source};
use crate::support::program::{Folder, code, lines, run, stderr, stdout, with_slashes};
use crate::writer::b3d;
use crate::writer::zip::{Entry, zip};

#[path = "../../fuzz/src/lua.rs"]
pub mod fuzz;

/// A model that names a texture which only its author has.
fn model(texture: &'static str) -> Vec<u8> {
    let texture = b3d::Texture { name: texture.as_bytes(), flags: 1, blend: 2 };
    b3d::scene([b3d::textures(&[texture])]).to_vec()
}

const COW: &str = r#"-- A mob: mesh = "no.b3d"
api.register("animals:cow", {
	mesh = "animals_cow.b3d",
	textures = {
		{"animals_cow.png^animals_spots.png"},
		{"animals_gone.png^[colorize:#ff0000:90"},
		{"animals_hide.png", "animals_bare", "blank.png"},
	},
	child_textures = {"animals_Cow.png", "default_grass.png", "shared.png"},
	wield_image = "outside.png",
	child_mesh = "animals_calf.b3d",
})
"#;

const API: &str = r#"function api.register(name, def)
	core.register_entity(name, {
		mesh = "api_" .. def.kind .. ".b3d",
		textures = def.textures,
		tiles = {"api_" .. name .. ".png"},
	})
end
"#;

/// Two mods: one names its model, the other builds names.
fn files() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("animals/init.lua", b"dofile(path .. \"/mobs/cow.lua\")\n".to_vec()),
        ("animals/mobs/cow.lua", COW.into()),
        ("animals/models/animals_cow.b3d", model(r"C:\art\skin.png")),
        ("animals/models/animals_calf.b3d", model(r"C:\art\Calf_Skin.png")),
        ("animals/textures/Calf_Skin.png", b"x".to_vec()),
        ("animals/models/animals_other.b3d", model("nowhere.png")),
        ("animals/textures/animals_cow.png", b"x".to_vec()),
        ("animals/textures/sub/animals_cow.png", b"x".to_vec()),
        ("animals/textures/sub/animals_spots.png", b"x".to_vec()),
        ("animals/textures/animals_hide.jpg", b"x".to_vec()),
        ("animals/textures/animals_bare.png", b"x".to_vec()),
        ("animals/textures/shared.png", b"x".to_vec()),
        ("animals/outside.png", b"x".to_vec()),
        ("api/init.lua", API.into()),
        ("api/models/api_cat.b3d", model("fur.png")),
        ("api/textures/shared.png", b"x".to_vec()),
    ]
}

/// The path, name, state and targets of each row, without the folder around them.
fn rows(links: &[Json], around: &str) -> Vec<String> {
    let around = with_slashes(around);
    let short = |text: &Json| with_slashes(text.as_str().unwrap()).strip_prefix(&around).unwrap().to_owned();
    let row = |link: &Json| {
        let targets = match (&link["target"], &link["targets"], &link["elsewhere"]) {
            (Json::Null, Json::Array(list), _) | (Json::Null, _, Json::Array(list)) => {
                list.iter().map(short).collect::<Vec<_>>().join(" ")
            }
            (Json::Null, ..) => String::new(),
            (target, ..) => short(target),
        };
        let path = match &link["member"] {
            Json::String(member) => member.clone(),
            _ => short(&link["path"]),
        };
        let (name, state) = (link["name"].as_str().unwrap(), link["state"].as_str().unwrap());
        format!("{path}: {} {name} {state} {targets}", link["kind"].as_str().unwrap()).trim_end().to_owned()
    };
    links.iter().map(row).collect()
}

const EXPECTED: [&str; 18] = [
    "animals/mobs/cow.lua: model animals_cow.b3d found animals/models/animals_cow.b3d",
    "animals/mobs/cow.lua: texture animals_cow.png found animals/textures/animals_cow.png",
    "animals/mobs/cow.lua: texture animals_spots.png found animals/textures/sub/animals_spots.png",
    "animals/mobs/cow.lua: texture animals_gone.png missing",
    "animals/mobs/cow.lua: texture animals_hide.png found animals/textures/animals_hide.jpg",
    "animals/mobs/cow.lua: texture animals_bare found animals/textures/animals_bare.png",
    // The engine itself has this one.
    "animals/mobs/cow.lua: texture blank.png found",
    // The engine does not ignore case.
    "animals/mobs/cow.lua: texture animals_Cow.png missing \
     animals/textures/animals_cow.png animals/textures/sub/animals_cow.png",
    "animals/mobs/cow.lua: texture default_grass.png found",
    "animals/mobs/cow.lua: texture shared.png ambiguous animals/textures/shared.png api/textures/shared.png",
    // It is in no folder that the engine reads.
    "animals/mobs/cow.lua: texture outside.png missing animals/outside.png",
    "animals/mobs/cow.lua: model animals_calf.b3d found animals/models/animals_calf.b3d",
    r"animals/models/animals_calf.b3d: texture C:\art\Calf_Skin.png found animals/textures/Calf_Skin.png",
    // Lua gives this model its textures, and the next one none.
    r"animals/models/animals_cow.b3d: texture C:\art\skin.png procedural",
    "animals/models/animals_other.b3d: texture nowhere.png missing",
    r#"api/init.lua: model "api_" .. def.kind .. ".b3d" unresolved"#,
    r#"api/init.lua: texture "api_" .. name .. ".png" unresolved"#,
    "api/models/api_cat.b3d: texture fur.png unresolved",
];

#[test]
fn names_in_lua_are_those_of_media_of_all_mods() {
    let folder = Folder::new("luanti");
    let mut members = Vec::new();
    for (name, bytes) in files() {
        folder.file(&format!("mods/{name}"), &bytes);
        members.push(Entry::stored(name.as_bytes(), &bytes));
    }
    folder.file("packed/mods.zip", zip(&members, b"").to_vec());
    let mut expected = EXPECTED.to_vec();
    expected.sort_unstable();
    let check = |path: &Path, around: String| {
        let output = run(["refs", path.to_str().unwrap(), "--assume", "default"]);
        let mut found = rows(&lines(&output), &around);
        found.sort_unstable();
        assert_eq!(found, expected, "{}", stderr(&output));
        assert_eq!(code(&output), 1);
        let counts = "18 references: 9 found, 4 missing, 1 procedural, 1 ambiguous, 3 unresolved";
        assert!(stderr(&output).contains(counts), "{}", stderr(&output));
    };
    let mods = folder.0.join("mods");
    check(&mods, format!("{}/", mods.display()));
    let archive = folder.0.join("packed/mods.zip");
    check(&archive, format!("{}!/", archive.display()));
    // Places are those in the Lua text.
    let links = lines(&run(["refs", mods.to_str().unwrap()]));
    let spots = links.iter().find(|link| link["name"] == "animals_spots.png").unwrap();
    assert_eq!((&spots["line"], &spots["column"]), (&5.into(), &4.into()));
    let grass = links.iter().find(|link| link["name"] == "default_grass.png").unwrap();
    assert_eq!(grass["state"], "missing");
}

#[test]
fn lua_that_cannot_be_read_is_said() {
    let folder = Folder::new("luanti-cut");
    folder.file("mod/textures/a.png", "x");
    folder.file("mod/init.lua", "textures = {\"a.png\"}\nx = \"no end\n");
    let output = run(["refs", folder.0.to_str().unwrap()]);
    let found: Vec<_> = lines(&output).iter().map(|row| row["state"].to_string()).collect();
    assert_eq!((code(&output), found.as_slice()), (1, ["\"found\"".to_owned(), "\"unread\"".to_owned()].as_slice()));
    assert!(stdout(&output).contains("a text without its closing quote"), "{}", stderr(&output));
    folder.file("mod/init.lua", "textures = {\"a.png\"}\n");
    assert_eq!(code(&run(["refs", folder.0.to_str().unwrap()])), 0);
}

/// The last word of a key says what its value names. Some words say so only after another.
#[test]
fn every_key_names_its_kind_of_file() {
    let folder = Folder::new("luanti-keys");
    let words = [
        ("mesh", Some("model"), true),
        ("meshes", Some("model"), true),
        ("texture", Some("texture"), true),
        ("textures", Some("texture"), true),
        ("tiles", Some("texture"), true),
        ("palette", Some("texture"), true),
        ("image", Some("texture"), false),
        ("overlay", Some("texture"), false),
        ("images", None, true),
        ("palettes", None, true),
        ("tile", None, true),
        ("Mesh", None, true),
        ("submesh", None, true),
        ("name", None, true),
    ];
    let (mut text, mut expected) = (String::new(), Vec::new());
    for (word, kind, may_be_alone) in words {
        for before in ["", "wield_", "a_b_", "_"] {
            let (key, number) = (format!("{before}{word}"), expected.len());
            let ending = if kind == Some("model") { "obj" } else { "png" };
            text += &format!("{key} = \"f{number}.{ending}\"\n");
            let kind = kind.filter(|_| may_be_alone || !before.is_empty());
            expected.push((key, kind.map(|kind| format!("{kind} f{number}.{ending}"))));
        }
    }
    folder.file("mod/init.lua", text);
    let links = lines(&run(["refs", folder.0.to_str().unwrap()]));
    let found: Vec<String> = links
        .iter()
        .map(|link| format!("{} {}", link["kind"].as_str().unwrap(), link["name"].as_str().unwrap()))
        .collect();
    for (key, reference) in &expected {
        let Some(reference) = reference else { continue };
        assert!(found.contains(reference), "{key}: {found:?}");
    }
    assert_eq!(found.len(), expected.iter().filter(|(_, reference)| reference.is_some()).count(), "{found:?}");
}

/// Paths and names without an extension are those of other programs.
#[test]
fn lua_of_other_programs_has_no_references() {
    let folder = Folder::new("lua");
    folder.file("conf.lua", "mesh = 'models/x.obj' image = 'a.png' texture = load('b.png') or nil\nicon = \"c.png\"");
    let output = run(["refs", "--missing", folder.0.to_str().unwrap()]);
    assert_eq!((code(&output), stdout(&output).as_str()), (0, ""), "{}", stderr(&output));
}

/// Many files of one name, and many spellings of it, are looked at within the limit.
#[test]
fn lookups_of_media_are_charged() {
    let folder = Folder::new("luanti-many");
    for index in 0..300 {
        folder.file(&format!("m{index}/textures/aaaaaaaaaaaaa.png"), "x");
    }
    let spelled = |number: u32| -> String {
        (0..13).map(|bit| if number >> bit & 1 == 1 { 'A' } else { 'a' }).collect::<String>() + ".png"
    };
    let names: Vec<String> = (0..1 << 13).map(|number| format!("\"{}\"", spelled(number))).collect();
    folder.file("m/init.lua", format!("textures = {{{}}}", names.join(", ")));
    let output = run(["refs", "-q", folder.0.to_str().unwrap(), "--max-work", "1"]);
    assert!(code(&output) != 0 && stderr(&output).contains("bytes of paths looked up"), "{}", stderr(&output));
    let all = run(["refs", folder.0.to_str().unwrap()]);
    assert!(stderr(&all).contains("0 found, 8,191 missing, 0 procedural, 1 ambiguous"), "{}", stderr(&all));
}

#[test]
fn mutated_lua_is_read_without_harm() {
    let sources: Vec<Source> = [LUA, COW, API].map(|text| Source::new(text.as_bytes().to_vec())).into();
    for source in [LUA, COW, API] {
        for end in 0..=source.len() {
            fuzz::run(&source.as_bytes()[..end]);
        }
    }
    let mut random = Random(0x6c75_6100);
    for _ in 0..10_000 {
        let (a, b) = (random.below(sources.len()), random.below(sources.len()));
        fuzz::run(&sources[a].mutated(&sources[b], &mut random));
    }
}
