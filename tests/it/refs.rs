//! Resolving the references of a generated mod.

mod configs;
mod generated;
mod images;
mod roots;
#[cfg(unix)]
mod table;
mod unread;

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Mutex;

use meshpeek::Asset;
use meshpeek::answers::refs;
use meshpeek::scan::{Found, Input, Scan, Sighting};
use serde_json::Value as Json;

use crate::support::files::{blessing, root};
use crate::support::program::{Folder, code, lines, run, stderr, stdout, with_slashes};
use crate::writer::pbo::{Tail, Writer};
use crate::writer::zip::{Entry, zip};
use crate::writer::{addons, b3d, bmx, lodka, mlod, rap};

fn model(textures: &[&str], material: &str, proxy: &str) -> Vec<u8> {
    let faces: Vec<_> = textures.iter().map(|texture| mlod::face(&[0, 1, 2], texture, material)).collect();
    mlod::model(&[mlod::lod(4, &faces, &[mlod::tag(&format!("proxy:{proxy}.001"), &[0; 7])], 1.0)]).to_vec()
}

fn pbo(prefix: &str, members: &[(&str, &[u8])]) -> Vec<u8> {
    let writer = Writer::new().product(&[(b"prefix", prefix.as_bytes())]);
    members.iter().fold(writer, |writer, (name, data)| writer.stored(name.as_bytes(), data)).finish(Tail::Sha1)
}

/// Three archives with prefixes, one without, loose files, one of them below a prefix; scenes with and without
/// textures.
fn a_mod() -> Folder {
    let folder = Folder::new("mod");
    let textures = [
        r"my\b\data\wood_co.paa",
        r"\MY/A/data\own.PAA",
        r"my\c\gone.paa",
        "#(argb,8,8,3)color(1,1,1,1)",
        r"my\b\twice.paa",
        r"ca\data\env.paa",
        r"cat\data\env.paa",
        r"plain\in_plain.paa",
        r"loose\by_path.paa",
        r"my\src\deep\below.paa",
    ];
    let main = model(&textures, r"my\b\data\wood.rvmat", r"\my\c\gunner");
    folder.file("addons/a.pbo", pbo(r"my\a", &[("model.p3d", &main), (r"data\own.paa", b"own")]));
    let b: [(&str, &[u8]); 3] = [("data/Wood_co.paa", b"wood"), (r"data\wood.rvmat", b"class"), ("twice.paa", b"2")];
    folder.file("addons/b.pbo", pbo(r"\my\b\", &b));
    folder.file("addons/c.pbo", pbo(r"my\c", &[("gunner.p3d", &mlod::model(&[]).to_vec())]));
    folder.file("addons/plain.pbo", Writer::new().product(&[]).stored(b"in_plain.paa", b"x").finish(Tail::Sha1));
    folder.file("loose/by_path.paa", b"x");
    folder.file("b_source/$PBOPREFIX$", "my\\b\r\n");
    folder.file("b_source/twice.paa", b"2");
    folder.file("other/$PREFIX$", "// of a tool\nprefix = \"my\\src\";\n");
    folder.file("other/deep/below.paa", b"x");
    // Blitz3D looks next to the model, whatever folder the name has.
    let scene = b3d::scene([b3d::textures(&[
        b3d::Texture { name: b"C:\\art\\Skin.png", flags: 1, blend: 2 },
        b3d::Texture { name: b"gone.png", flags: 1, blend: 2 },
    ])]);
    let scene = scene.to_vec();
    folder.file("scenes/scene.b3d", &scene);
    folder.file("scenes/SKIN.PNG", b"x");
    let packed = zip(
        &[
            Entry::stored("in/scene.b3d", &scene),
            Entry::stored("in/skin.png", b"x"),
            Entry::stored("in/skin.png", b"y"),
            Entry::stored("gone.png", b"x"),
        ],
        b"",
    );
    folder.file("scenes/packed.zip", packed.to_vec());
    folder
}

#[test]
fn given_files_have_the_links_of_a_scan_and_need_no_file_system() {
    let folder = a_mod();
    let mut scan = Scan::new([&folder.0]);
    scan.selection.ignored = true;
    let json = |links: refs::Links| {
        let mut lines = Vec::new();
        let each = |link: &refs::Link<'_>| {
            lines.push(serde_json::to_value(link).unwrap());
            ControlFlow::Continue(())
        };
        links.each(each).unwrap();
        lines
    };
    let expected = json(refs::resolve(&scan, &["ca\\".to_owned()], |_| {}).unwrap());
    let files = Mutex::new(refs::Files::new(&scan, &["ca\\".to_owned()]));
    let add = |record, data: &[u8], asset: Option<&Asset<'_>>| files.lock().unwrap().add(record, data, asset).unwrap();
    let mut others = Vec::new();
    let view = |seen: &Sighting<'_, '_>| add(seen.record.clone(), seen.data, seen.asset);
    let other = |found: Found, _| {
        others.extend(if let Found::NoAsset(path) = found { Some(path) } else { None });
        ControlFlow::Continue(())
    };
    scan.run(Input::Paths, view, other).unwrap();
    for path in others {
        let data = std::fs::read(&path).unwrap();
        add(scan.record(&path, &data), &data, None);
    }
    let mut files = files.into_inner().unwrap();
    drop(folder);
    files.add_path("elsewhere.paa".into()).unwrap();
    assert_eq!(json(files.links().unwrap()), expected);
    assert!(expected.len() > 10);
}

#[test]
fn loose_files_are_below_their_prefix_or_the_name_of_their_folder() {
    let folder = Folder::new("prefixes");
    let textures = [
        r"ugc\gear\data\keys.paa",
        r"marked\data\mark.paa",
        r"texted\data\text.paa",
        r"nameless\data\own.paa",
        r"bare\data\addon.paa",
        r"given\free\loose.paa",
        r"wrong\data\own.paa",
    ];
    let model = model(&textures, "", r"ugc\gear\model");
    folder.file("given/gear_src/$PBOPREFIX$", "product=dayz ugc;\r\nversion=1;\r\nprefix=UGC\\gear;\r\n");
    folder.file("given/gear_src/model.p3d", &model);
    folder.file("given/gear_src/data/keys.paa", "x");
    folder.file("given/marked_src/$PBOPREFIX$", "\u{feff}marked\r\n");
    folder.file("given/marked_src/data/mark.paa", "x");
    folder.file("given/text_src/$PREFIX$.txt", "prefix=texted\n");
    folder.file("given/text_src/data/text.paa", "x");
    folder.file("given/deep/Nameless/$PBOPREFIX$", "product=dayz ugc;\r\n");
    folder.file("given/deep/Nameless/data/own.paa", "x");
    folder.file("given/deep/bare/config.cpp", "class CfgPatches {};");
    folder.file("given/deep/bare/data/config.cpp", "class CfgVehicles {};");
    folder.file("given/deep/bare/data/addon.paa", "x");
    folder.file("given/free/loose.paa", "x");
    let links = lines(&run(["refs", folder.0.join("given").to_str().unwrap()]));
    let found: Vec<(&str, &str)> =
        links.iter().map(|link| (link["name"].as_str().unwrap(), link["state"].as_str().unwrap())).collect();
    let states = ["found", "found", "found", "found", "found", "found", "missing"];
    let mut expected: Vec<_> = textures.into_iter().zip(states).collect();
    expected.push((r"ugc\gear\model", "found"));
    assert_eq!(found, expected);
}

/// The result for each reference: state, and the last part of the target.
fn short_links(folder: &Folder, links: &[Json]) -> Vec<(String, String, Vec<String>)> {
    let root = with_slashes(&format!("{}/", folder.0.display()));
    let short = |text: &Json| with_slashes(text.as_str().unwrap()).strip_prefix(&root).unwrap().to_owned();
    links
        .iter()
        .map(|link| {
            let targets = match (&link["target"], &link["targets"]) {
                (Json::Null, Json::Array(list)) => list.iter().map(short).collect(),
                (Json::Null, _) => Vec::new(),
                (target, _) => vec![short(target)],
            };
            (link["name"].as_str().unwrap().to_owned(), link["state"].as_str().unwrap().to_owned(), targets)
        })
        .collect()
}

#[test]
fn a_written_mod_is_answered_in_full() {
    let folder = a_mod();
    let root = folder.0.to_str().unwrap();
    let output = run(["refs", root, "--assume", "ca\\"]);
    assert_eq!(code(&output), 1);
    let links = lines(&output);
    let expected: [(&str, &str, &[&str]); 16] = [
        (r"my\b\data\wood_co.paa", "found", &["addons/b.pbo!/data/Wood_co.paa"]),
        (r"my\b\data\wood.rvmat", "found", &[r"addons/b.pbo!/data\wood.rvmat"]),
        (r"\MY/A/data\own.PAA", "found", &[r"addons/a.pbo!/data\own.paa"]),
        (r"my\c\gone.paa", "missing", &[]),
        ("#(argb,8,8,3)color(1,1,1,1)", "procedural", &[]),
        (r"my\b\twice.paa", "ambiguous", &["addons/b.pbo!/twice.paa", "b_source/twice.paa"]),
        (r"ca\data\env.paa", "found", &[]),
        (r"cat\data\env.paa", "missing", &[]),
        (r"plain\in_plain.paa", "found", &["addons/plain.pbo!/in_plain.paa"]),
        (r"loose\by_path.paa", "found", &["loose/by_path.paa"]),
        (r"my\src\deep\below.paa", "found", &["other/deep/below.paa"]),
        (r"\my\c\gunner", "found", &["addons/c.pbo!/gunner.p3d"]),
        ("C:\\art\\Skin.png", "ambiguous", &["scenes/packed.zip!/in/skin.png", "scenes/packed.zip!/in/skin.png#1"]),
        ("gone.png", "missing", &[]),
        ("C:\\art\\Skin.png", "found", &["scenes/SKIN.PNG"]),
        ("gone.png", "missing", &[]),
    ];
    let expected: Vec<_> = expected
        .iter()
        .map(|(name, state, targets)| {
            (name.to_string(), state.to_string(), targets.iter().map(|t| t.to_string()).collect())
        })
        .collect();
    assert_eq!(short_links(&folder, &links), expected);
    assert_eq!((&links[1]["kind"], &links[11]["kind"]), (&"material".into(), &"proxy".into()));
    assert_eq!((&links[0]["member"], &links[12]["member"]), (&"model.p3d".into(), &"in/scene.b3d".into()));
    assert!(
        stderr(&output).contains("16 references: 9 found, 4 missing, 1 procedural, 2 ambiguous"),
        "{}",
        stderr(&output)
    );
    // Each target is an address.
    for target in links.iter().filter_map(|link| link["target"].as_str()) {
        assert_eq!(code(&run(["cat", target])), 0, "{target}");
    }
}

#[test]
fn missing_files_alone_and_other_ways_to_write_them() {
    let folder = a_mod();
    let root = folder.0.to_str().unwrap();
    let missing = run(["refs", "--missing", root, "--assume", "CA", "--assume", "cat/"]);
    let names: Vec<Json> = lines(&missing).iter().map(|link| link["name"].clone()).collect();
    assert_eq!((code(&missing), names), (1, vec![r"my\c\gone.paa".into(), "gone.png".into(), "gone.png".into()]));
    let table = stdout(&run(["refs", root, "--format", "table"]));
    assert!(
        table
            .replace("addons\\a", "addons/a")
            .contains("addons/a.pbo!/model.p3d\n  found       texture   my\\b\\data\\wood_co.paa\n      -> "),
        "{table}"
    );
    let output = run(["refs", root, "--format", "csv", "-q"]);
    let mut csv = csv::Reader::from_reader(&output.stdout[..]);
    assert_eq!(
        csv.headers().unwrap(),
        &["path", "member", "kind", "name", "state", "target", "via", "line", "column", "elsewhere", "reason", "note"]
            [..]
    );
    let rows: Vec<_> = csv.records().map(Result::unwrap).collect();
    assert_eq!((rows.len(), &rows[3][4]), (16, "missing"));
    // A path given twice is not a second file; archives alone are enough.
    let addons = folder.0.join("addons");
    let twice = run(["refs", root, addons.to_str().unwrap()]);
    let again: Vec<_> = lines(&twice).into_iter().filter(|link| link["name"] == r"my\b\data\wood_co.paa").collect();
    assert!(again.iter().all(|link| link["state"] == "found"), "{again:?}");
    let whole = run(["refs", folder.0.join("addons/c.pbo").to_str().unwrap()]);
    assert_eq!((code(&whole), stdout(&whole).as_str()), (0, ""));
    assert_eq!(code(&run(["refs", "no/such/folder"])), 2);
}

/// A folder that is assumed to exist ends at a folder name's end.
#[test]
fn an_assumed_folder_is_no_beginning_of_another_name() {
    let folder = a_mod();
    let root = folder.0.to_str().unwrap();
    let missing = |assumed: &[&str]| {
        let assumed = assumed.iter().flat_map(|prefix| ["--assume", *prefix]);
        let output = run(["refs", "--missing", root].into_iter().chain(assumed));
        lines(&output).iter().map(|link| link["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let (with_both, with_one) = (missing(&["ca", "cat"]), missing(&["ca"]));
    let cats: Vec<_> = with_one.iter().filter(|name| !with_both.contains(name)).collect();
    assert!(!cats.is_empty() && cats.iter().all(|name| name.to_lowercase().starts_with("cat\\")), "{with_one:?}");
}

/// The mod of `corpus/addons`, which GUIDE.md shows, too.
#[test]
fn references_are_followed_through_configs_and_materials() {
    let folder = root().join("corpus/addons");
    for (name, bytes) in addons::files() {
        let path = folder.join(name);
        if blessing() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &bytes).unwrap();
        }
        assert!(std::fs::read(&path).is_ok_and(|stored| stored == bytes), "{name} is not what its writer makes");
    }
    let output = run(["refs", "corpus/addons"]);
    let links = lines(&output);
    let text = |value: &Json| value.as_str().map_or("", |text| text.trim_start_matches("corpus/addons/")).to_owned();
    let seen: Vec<_> = links
        .iter()
        .map(|link| {
            let place = link["line"].as_u64().map_or(String::new(), |line| format!("{line}:{}", link["column"]));
            let [path, via, kind] = ["path", "via", "kind"].map(|key| text(&link[key]));
            let [name, state, target] = ["name", "state", "target"].map(|key| text(&link[key]));
            [path, via, place, kind, name, state, target].join(" | ")
        })
        .collect();
    let expected = [
        r"main/config.cpp |  | 1:1 | include | script_component.hpp | missing | ",
        r"main/config.cpp |  | 5:1 | include | CfgVehicles.hpp | found | main/CfgVehicles.hpp",
        r"main/config.cpp | main/CfgVehicles.hpp | 4:17 | model | QPATHTOF(house.p3d) | found | main/house.p3d",
        r"main/config.cpp | main/CfgVehicles.hpp | 5:16 | texture | \my\main\data\house_co.tga | found | main/data/house_co.paa",
        r"main/config.cpp | main/CfgVehicles.hpp | 6:19 | texture | ICON(house.paa) | unresolved | ",
        r"main/config.cpp | main/CfgVehicles.hpp | 8:39 | texture | QPATHTOF(data\house_co.paa) | found | main/data/house_co.paa",
        r"main/config.cpp | main/CfgVehicles.hpp | 8:68 | texture | #(argb,8,8,3)color(1,1,1,1) | procedural | ",
        r"main/config.cpp | main/CfgVehicles.hpp | 9:41 | material | QPATHTOEF(props,data\metal.rvmat) | found | props/data/metal.rvmat",
        r"main/config.cpp | props/data/metal.rvmat |  | texture | my\props\data\metal_nohq.paa | found | props/data/metal_nohq.paa",
        r"main/config.cpp |  | 7:29 | file | \my\main\data\door.ogg | missing | ",
        r"main/house.p3d |  |  | texture | my\main\data\house_co.paa | found | main/data/house_co.paa",
        r"main/house.p3d |  |  | material | my\main\data\house.rvmat | found | main/data/house.rvmat",
        r"main/house.p3d | main/data/house.rvmat | 1:15 | surface | my\main\data\wood.bisurf | found | main/data/wood.bisurf",
        r"main/house.p3d | main/data/house.rvmat | 2:26 | texture | my\main\data\house_nohq.paa | missing | ",
        r"main/house.p3d | main/data/house.rvmat | 3:26 | texture | #(argb,8,8,3)color(0.5,0.5,0.5,1,DT) | procedural | ",
        r"props/config.bin |  |  | model | my\props\crate | found | props/crate.p3d",
        r"props/config.bin |  |  | material | my\props\data\metal.rvmat | found | props/data/metal.rvmat",
        r"props/config.bin |  |  | texture | my\props\data\gone.paa | missing | ",
    ];
    let (main, rest) = seen.split_at(expected.len());
    assert_eq!(main, expected);
    // The ODOL model has copies of the material's textures, and so names them itself.
    assert!(rest.iter().all(|link| link.starts_with("props/crate.p3d | ")), "{rest:#?}");
    let through: Vec<_> = rest.iter().filter(|link| link.contains("| shared/kind9.rvmat |  |")).collect();
    assert_eq!(
        through,
        [
            r"props/crate.p3d | shared/kind9.rvmat |  | texture | data\stage0_9.paa | found | shared/stage0_9.paa",
            r"props/crate.p3d | shared/kind9.rvmat |  | texture | data\new_nohq.paa | missing | ",
        ]
    );
    assert_eq!(code(&output), 1);
    let stale = run(["refs", "--stale", "corpus/addons"]);
    let names: Vec<_> =
        lines(&stale).iter().map(|link| (text(&link["path"]), text(&link["name"]), text(&link["via"]))).collect();
    let expected = ("props/crate.p3d".to_owned(), r"data\new_nohq.paa".to_owned(), "shared/kind9.rvmat".to_owned());
    assert_eq!((code(&stale), names), (1, vec![expected]));
    assert!(stderr(&stale).contains("1 stale copy"), "{}", stderr(&stale));
}

/// Members of a PBO, one of them packed in a zip; names with and without its prefix.
#[test]
fn configs_in_archives_are_read() {
    let folder = Folder::new("packed_configs");
    let config = r#"#include "inner\a.hpp"
class CfgVehicles { class A { model = QPATHTOF(a.p3d); texture = QPATHTOEF(other,b.paa); }; };"#;
    let members: [(&str, &[u8]); 4] = [
        ("config.cpp", config.as_bytes()),
        (r"inner\A.hpp", br#"#include "..\inner\b.hpp""#),
        ("inner\\b.hpp", b"#include \"a.hpp\"\n#include \"\\z\\my\\config.cpp\"\nicon = \"z\\my\\a.png\";"),
        ("a.paa", b"x"),
    ];
    folder.file("my.pbo", pbo(r"z\my", &members));
    folder.file("other.pbo", pbo(r"z\other", &[("b.paa", b"x")]));
    let nested = zip(
        &[Entry::stored("my.pbo", &pbo(r"z\zipped", &[("config.cpp", b"model = QPATHTOF(c.p3d);"), ("c.p3d", b"")]))],
        b"",
    );
    folder.file("nested.zip", nested.to_vec());
    let output = run(["refs", folder.0.to_str().unwrap()]);
    let seen: Vec<_> = lines(&output)
        .iter()
        .map(|link| {
            let short = |key: &str| link[key].as_str().map_or("-", |text| text.rsplit('/').next().unwrap()).to_owned();
            [short("member"), short("name"), short("state"), short("target"), short("via")].join(" ")
        })
        .collect();
    let expected = [
        r"config.cpp inner\a.hpp found inner\A.hpp -",
        r"config.cpp ..\inner\b.hpp found inner\b.hpp inner\A.hpp",
        r"config.cpp a.hpp found inner\A.hpp inner\b.hpp",
        r"config.cpp \z\my\config.cpp found config.cpp inner\b.hpp",
        r"config.cpp z\my\a.png found a.paa inner\b.hpp",
        r"config.cpp QPATHTOF(a.p3d) missing - -",
        r"config.cpp QPATHTOEF(other,b.paa) found b.paa -",
        r"config.cpp QPATHTOF(c.p3d) found c.p3d -",
        "c.p3d - unread - -",
    ];
    assert_eq!(seen, expected);
}

/// Each reference of a material is listed once, whatever number of models has the material.
#[test]
fn a_material_of_many_models_costs_no_product() {
    let folder = Folder::new("many_materials");
    let textures: Vec<String> = (0..500).map(|index| format!("my\\{index}.paa")).collect();
    let textures: Vec<&str> = textures.iter().map(String::as_str).collect();
    let material = rap::file(&rap::material(&textures, ""), &[]).to_vec();
    let models: Vec<(String, Vec<u8>)> =
        (0..500).map(|index| (format!("{index}.p3d"), model(&["my\\0.paa"], "my\\a.rvmat", ""))).collect();
    let members = models.iter().map(|(name, bytes)| (name.as_str(), &bytes[..]));
    let members: Vec<(&str, &[u8])> = members.chain([("a.rvmat", &material[..]), ("0.paa", b"x")]).collect();
    folder.file("my.pbo", pbo("my", &members));
    let links = lines(&run(["refs", folder.0.to_str().unwrap()]));
    let via = links.iter().filter(|link| link["via"].is_string()).count();
    assert_eq!((links.len() - via, via), (1_000, 500));
}

#[test]
fn a_text_with_a_million_names_is_cut_at_the_limit() {
    let folder = Folder::new("million");
    let names: String = (0..1_000_000).map(|index| format!("\"{index}.paa\",")).collect();
    folder.file("config.cpp", format!("a[] = {{{names}}};"));
    let output = run(["refs", folder.0.to_str().unwrap(), "--format", "csv"]);
    assert!(stderr(&output).contains("bytes of references"), "{}", stderr(&output));
    assert!(stdout(&output).lines().count() < 70_000);
}

#[test]
fn files_with_the_name_of_a_missing_one_are_listed() {
    let folder = Folder::new("elsewhere");
    let textures = [r"my\gone\Wood.tga", r"my\many\all.paa", r"my\none\none.paa"];
    folder.file("a/house.p3d", model(&textures, "", r"my\gone\gunner"));
    folder.file("b/WOOD.paa", b"x");
    let gunner = mlod::model(&[]).to_vec();
    let members: [(&str, &[u8]); 3] = [(r"x\all.paa", b"1"), (r"x\ALL.paa", b"2"), (r"y\gunner.p3d", &gunner)];
    folder.file("b/z.pbo", pbo("other", &members));
    folder.file("b/y.zip", zip(&[Entry::stored("all.paa", b"1"), Entry::stored("all.paa", b"2")], b"").to_vec());
    folder.file("c/all.paa", b"x");
    let scene = b3d::scene([b3d::textures(&[b3d::Texture { name: b"D:\\all.paa", flags: 1, blend: 2 }])]).to_vec();
    folder.file("d/scene.b3d", scene);
    let refs = |arguments: &[&str]| {
        crate::support::program::program().current_dir(&folder.0).arg("refs").args(arguments).output().unwrap()
    };
    let links = lines(&refs(&["."]));
    let place = |place: &Json| with_slashes(place.as_str().unwrap());
    let elsewhere = |link: &Json| link["elsewhere"].as_array().map(|list| list.iter().map(place).collect::<Vec<_>>());
    let found: Vec<(&str, Json, &Json)> =
        links.iter().map(|link| (link["name"].as_str().unwrap(), elsewhere(link).into(), &link["more"])).collect();
    let first = serde_json::json!(["./c/all.paa", "./b/y.zip!/all.paa", "./b/y.zip!/all.paa#1"]);
    let (wood, gunner) = (serde_json::json!(["./b/WOOD.paa"]), serde_json::json!([r"./b/z.pbo!/y\gunner.p3d"]));
    let expected = [
        (r"my\gone\Wood.tga", wood, &Json::Null),
        (r"my\many\all.paa", first.clone(), &2.into()),
        (r"my\none\none.paa", Json::Null, &Json::Null),
        (r"my\gone\gunner", gunner, &Json::Null),
        (r"D:\all.paa", first, &2.into()),
    ];
    assert_eq!(found, expected);
    // A folder that is given twice has each file once.
    assert_eq!(lines(&refs(&[".", "./c"])), links);
    let portable = |text: String| text.replace(r".\b\", "./b/").replace(r".\c\", "./c/");
    let text = portable(stdout(&refs(&[".", "--format", "table"])));
    assert!(text.contains("Wood.tga\n      a file of that name is in ./b/WOOD.paa\n"), "{text}");
    assert!(text.contains("all.paa\n") && text.contains("  a file of that name is in ./c/all.paa\n"), "{text}");
    assert!(text.contains("and 2 more\n"), "{text}");
    let csv = portable(stdout(&refs(&[".", "--format", "csv"])));
    assert!(csv.contains(",./c/all.paa | ./b/y.zip!/all.paa | ./b/y.zip!/all.paa#1 | 2 more,,\n"), "{csv}");
}

/// The status of texts is that of assets: 2 only if nothing could be read.
#[cfg(unix)]
#[test]
fn texts_beside_an_unreadable_file_are_done() {
    let folder = Folder::new("unreadable");
    folder.file("a.rvmat", "texture = \"#(argb,8,8,3)color(1,1,1,1)\";");
    let (text, none) = (folder.0.join("a.rvmat"), folder.0.join("none.rvmat"));
    let output = run([Path::new("refs"), &text, &none]);
    assert_eq!((code(&output), lines(&output).len()), (1, 2), "{}", stderr(&output));
    assert_eq!(code(&run([Path::new("refs"), &none])), 2);
}

/// Listing costs work for each member, before a scan looks at it.
#[test]
fn a_list_of_members_is_charged() {
    let folder = Folder::new("listed");
    let archive = (0..60_000).fold(Writer::new(), |all, index| all.stored(format!("{index:05}").as_bytes(), b""));
    let path = folder.file("many.pbo", archive.finish(Tail::Sha1));
    let output = run([Path::new("refs"), &path, Path::new("--max-work"), Path::new("1")]);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    assert!(stderr(&output).contains("--max-work raises it"), "{}", stderr(&output));
    assert_eq!(code(&run([Path::new("refs"), &path])), 0);
}

/// Maps of Ballance and models of LODka3D may hold the images that they name.
#[test]
fn images_inside_a_model_are_found_there() {
    for (path, inside, outside) in [
        ("corpus/bmx/full.bmx", &["我的地板.png"][..], &["Floor_Top_Flat.bmp"][..]),
        ("corpus/lodka/everything.lod", &["stone.bmp", "leaf.png"], &["light.bmp"]),
    ] {
        let mut found: Vec<String> = Vec::new();
        let mut missing = Vec::new();
        for link in lines(&run(["refs", path])) {
            let name = link["name"].as_str().unwrap().to_owned();
            match link["target"].as_str() {
                Some(target) => {
                    assert_eq!((target, &link["state"]), (path, &"found".into()), "{link}");
                    found.push(name);
                }
                None => missing.push(name),
            }
        }
        assert_eq!(
            (found, missing),
            (
                inside.iter().map(|name| (*name).to_owned()).collect(),
                outside.iter().map(|name| (*name).to_owned()).collect()
            ),
            "{path}"
        );
    }
}

/// An image of a Ballance map is inside if the map says so and has it; in a model of LODka3D, if it has bytes.
#[test]
fn an_image_is_inside_a_model_only_if_it_is_there() {
    let folder = Folder::new("refs-inside");
    let map = |is_external: bool, entry: Option<&'static str>| {
        let mut map = bmx::full(14);
        map.textures = vec![bmx::Texture { name: "t", file_name: "wood.bmp", external: is_external }];
        map.materials.truncate(1);
        map.materials[0].texture = Some(0);
        map.images = entry.map(|name| (name, &b"BM"[..])).into_iter().collect();
        map.packed()
    };
    let model = |bytes: &[u8]| {
        let materials = lodka::materials(1, &[(b"m", b"wood.bmp")]);
        lodka::file([materials, lodka::textures(&[lodka::texture("m", "wood.bmp", 0, bytes)])]).to_vec()
    };
    for (name, bytes, is_inside) in [
        ("inside.bmx", map(false, Some("Texture/wood.bmp")), true),
        ("letters.bmx", map(false, Some("texture/WOOD.BMP")), true),
        ("other.bmx", map(false, Some("Texture/stone.bmp")), false),
        ("beside.bmx", map(false, Some("wood.bmp")), false),
        ("without.bmx", map(false, None), false),
        ("external.bmx", map(true, Some("Texture/wood.bmp")), false),
        ("inside.lod", model(b"BM"), true),
        ("without.lod", model(b""), false),
    ] {
        let path = folder.file(name, bytes);
        let links = lines(&run([Path::new("refs"), &path]));
        let states: Vec<_> = links.iter().map(|link| link["state"].as_str().unwrap()).collect();
        assert_eq!(states, [if is_inside { "found" } else { "missing" }], "{name}: {links:?}");
    }
}

/// The state of the only reference in this file, by rule.
fn expected_state(is_in_game: bool, name: &str, assumed: &str, files: usize) -> refs::State {
    let parts = |path: &str| path.split('\\').map(str::to_owned).collect::<Vec<_>>();
    let is_assumed = !assumed.is_empty() && parts(name).starts_with(&parts(assumed));
    match files {
        1 => refs::State::Found,
        2.. => refs::State::Ambiguous,
        // Only names in the game's file system may be computed by the game, or be there without a file.
        0 if is_in_game && name.starts_with("#(") => refs::State::Procedural,
        0 if is_in_game && is_assumed => refs::State::Found,
        0 => refs::State::Missing,
    }
}

#[test]
fn states_follow_from_the_files_the_name_and_the_prefixes() {
    for name in ["x.paa", r"ca\x.paa", r"ca\y\x.paa", "#(x).paa", r"#(argb,8,8,3)color(1,1,1,1)"] {
        for assumed in ["", "c", "ca", "cat", r"ca\y", r"ca\x.paa", "x.paa", "#(x).paa"] {
            for is_in_game in [false, true] {
                for files in 0..3 {
                    let texture = b3d::Texture { name: name.as_bytes(), flags: 1, blend: 2 };
                    let (path, bytes) = match is_in_game {
                        true => ("mod/m.p3d", model(&[name], "", "")),
                        false => ("mod/m.b3d", b3d::scene([b3d::textures(&[texture])]).to_vec()),
                    };
                    let scan = Scan::new(["mod"]);
                    let assumed_prefixes: Vec<String> =
                        Some(assumed.to_owned()).into_iter().filter(|prefix| !prefix.is_empty()).collect();
                    let mut all = refs::Files::new(&scan, &assumed_prefixes);
                    let asset = Asset::parse(&bytes).unwrap();
                    all.add(scan.record(Path::new(path), &bytes), &bytes, Some(&asset)).unwrap();
                    let stored = if is_in_game { name } else { name.rsplit('\\').next().unwrap() }.replace('\\', "/");
                    // Two files whose names differ in case.
                    let spellings = [stored.clone(), stored.to_uppercase()];
                    for spelling in &spellings[..files] {
                        all.add_path(format!("mod/{spelling}").into()).unwrap();
                    }
                    let mut seen = Vec::new();
                    let each = |link: &refs::Link<'_>| {
                        let targets: Vec<String> = link.targets().map(|target| target.text).collect();
                        seen.push((link.reference.unwrap().name.text.clone(), link.state, targets));
                        ControlFlow::Continue(())
                    };
                    all.links().unwrap().each(each).unwrap();
                    let mut targets: Vec<String> =
                        spellings[..files].iter().map(|spelling| format!("mod/{spelling}")).collect();
                    targets.sort();
                    let state = expected_state(is_in_game, name, assumed, files);
                    seen.retain(|(seen, ..)| seen == name);
                    assert_eq!(seen, [(name.to_owned(), state, targets)], "{is_in_game} {assumed:?}");
                }
            }
        }
    }
}

/// This text in UTF-16.
fn utf_16(text: &str, is_big: bool, has_mark: bool) -> Vec<u8> {
    let units = has_mark.then_some(0xfeff).into_iter().chain(text.encode_utf16());
    units.flat_map(|unit: u16| if is_big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
}

#[test]
fn texts_in_utf_16_have_the_references_of_those_in_utf_8() {
    let config = "class CfgVehicles {\n  class A { model = \"my\\a.p3d\"; };\n};\n#include \"b.hpp\"\n";
    let included = "class B { icon = \"my\\b.paa\"; }; // \u{5730}\u{1f600}\n";
    let material = "class Stage1 {\n  texture = \"my\\c_nohq.paa\";\n};\n";
    let links = |write: &dyn Fn(&str) -> Vec<u8>| {
        let folder = Folder::new("utf16");
        folder.file("my/config.cpp", write(config));
        folder.file("my/b.hpp", write(included));
        folder.file("my/c.rvmat", write(material));
        let mut program = crate::support::program::program();
        let output = program.current_dir(&folder.0).args(["refs", "my"]).output().unwrap();
        (lines(&output), code(&output), stderr(&output))
    };
    let (expected, status, _) = links(&|text| text.as_bytes().to_vec());
    assert_eq!((expected.len(), status), (4, 1));
    for is_big in [false, true] {
        for has_mark in [false, true] {
            let (seen, status, notes) = links(&|text| utf_16(text, is_big, has_mark));
            assert_eq!((&seen, status), (&expected, 1), "{is_big} {has_mark} {notes}");
            // What is read of a cut text stays.
            let (mut seen, status, notes) = links(&|text| [&utf_16(text, is_big, has_mark)[..], b"x"].concat());
            let unread = seen.split_off(expected.len());
            assert!(unread.len() == 3 && unread.iter().all(|link| link["state"] == "unread"), "{unread:?}");
            assert_eq!((&seen, status), (&expected, 1), "{is_big} {has_mark} {notes}");
            assert_eq!(notes.matches("text in UTF-16 with an odd number of bytes").count(), 3, "{notes}");
        }
    }
}

/// The files of a mod are one, in whatever order and spelling its paths are given.
#[test]
fn files_that_several_paths_lead_to_are_found_once() {
    let folder = Folder::new("refs-overlap");
    let textures = [r"my\in_pbo.paa", r"my\loose.paa", r"my\in_zip.paa", r"gone\all.paa", r"my\none.paa"];
    folder.file("m/model.p3d", model(&textures, "", r"my\gunner"));
    folder.file("m/addons/a.pbo", pbo("my", &[("in_pbo.paa", b"x"), ("gunner.p3d", &mlod::model(&[]).to_vec())]));
    folder.file("m/source/$PBOPREFIX$", "my");
    folder.file("m/source/loose.paa", b"x");
    folder.file("m/other/all.paa", b"x");
    let inner = pbo("my", &[("in_zip.paa", b"x")]);
    folder.file("m/addons/z.zip", zip(&[Entry::stored("inner.pbo", &inner)], b"").to_vec());
    #[cfg(unix)]
    std::os::unix::fs::symlink("m", folder.0.join("link")).unwrap();
    let states = |paths: &[&str]| {
        let mut refs = crate::support::program::program();
        let output = refs.current_dir(&folder.0).args(["refs", "-q"]).args(paths).output().unwrap();
        let mut found: Vec<(String, String, usize)> = Vec::new();
        for link in lines(&output) {
            let text = |key: &str| link[key].as_str().unwrap().to_owned();
            found.push((text("name"), text("state"), link["elsewhere"].as_array().map_or(0, Vec::len)));
            assert!(link["more"].is_null(), "{paths:?}: {link}");
        }
        found.sort();
        // An asset that two paths name differently is two askers.
        found.dedup();
        found
    };
    let once = states(&["m"]);
    let expected = [
        (r"gone\all.paa", "missing", 1),
        (r"my\gunner", "found", 0),
        (r"my\in_pbo.paa", "found", 0),
        (r"my\in_zip.paa", "found", 0),
        (r"my\loose.paa", "found", 0),
        (r"my\none.paa", "missing", 0),
    ];
    assert_eq!(once, expected.map(|(name, state, elsewhere)| (name.to_owned(), state.to_owned(), elsewhere)));
    for second in ["m", "m/", "m/addons", "m/addons/a.pbo", "m/addons/z.zip", "m/source", "m/other", "m/other/all.paa"]
    {
        assert_eq!(states(&["m", second]), once, "m {second}");
        assert_eq!(states(&[second, "m"]), once, "{second} m");
    }
    // In another spelling, too, though files elsewhere are listed by their paths.
    let without = |found: &[(String, String, usize)]| -> Vec<(String, String)> {
        found.iter().map(|(name, state, _)| (name.clone(), state.clone())).collect()
    };
    for second in [
        "./m",
        "m/.",
        "m/addons/..",
        "./m/addons",
        "./m/addons/z.zip",
        "m/other/../source",
        "./m/other/all.paa",
        #[cfg(unix)]
        "link",
        #[cfg(unix)]
        "link/addons/z.zip",
        #[cfg(unix)]
        "link/other/all.paa",
    ] {
        assert_eq!(without(&states(&["m", second])), without(&once), "m {second}");
        assert_eq!(without(&states(&[second, "m"])), without(&once), "{second} m");
    }
}
