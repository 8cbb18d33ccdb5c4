//! Where files are looked for, what is odd about those that are found, and what nothing names.

use serde_json::Value as Json;

use super::{model, pbo};
use crate::support::program::{Folder, code, lines, program, run, stderr, stdout, with_slashes};
use crate::writer::mlod;

/// The output of `refs` in this folder.
fn refs(folder: &Folder, arguments: &[&str]) -> std::process::Output {
    program().current_dir(&folder.0).arg("refs").args(arguments).output().unwrap()
}

/// Each link as `name state target reason note`.
fn rows(links: &[Json]) -> Vec<String> {
    let text = |value: &Json| with_slashes(value.as_str().unwrap_or("-"));
    let row = |link: &Json| {
        let [state, target, reason, note] = ["state", "target", "reason", "note"].map(|key| text(&link[key]));
        format!("{} {state} {target} {reason} {note}", link["name"].as_str().unwrap_or("-"))
    };
    links.iter().map(row).collect()
}

#[test]
fn of_two_roots_with_one_prefix_the_own_one_is_meant() {
    let folder = Folder::new("refs-same-prefix");
    let config = "#include \"b.hpp\"\nclass CfgPatches { icon = \"x\\my\\a.paa\"; };\n";
    for root in ["addons/a", "old/a"] {
        folder.file(&format!("{root}/$PBOPREFIX$"), "x\\my");
        folder.file(&format!("{root}/config.cpp"), config);
        folder.file(&format!("{root}/b.hpp"), "class X { icon = \"\\x\\my\\c.paa\"; };");
        folder.file(&format!("{root}/a.paa"), "x");
        folder.file(&format!("{root}/c.paa"), "x");
    }
    folder.file("addons/b/$PBOPREFIX$", "x\\other");
    folder.file("addons/b/config.cpp", "class CfgPatches { icon = \"x\\my\\a.paa\"; };");
    let links = lines(&refs(&folder, &["-q", "."]));
    let expected = [
        "b.hpp found ./addons/a/b.hpp beside same prefix as ./old/a",
        r"\x\my\c.paa found ./addons/a/c.paa own root -",
        r"x\my\a.paa found ./addons/a/a.paa own root -",
        // It could be either.
        r"x\my\a.paa ambiguous - - -",
        "b.hpp found ./old/a/b.hpp beside -",
        r"\x\my\c.paa found ./old/a/c.paa own root -",
        r"x\my\a.paa found ./old/a/a.paa own root -",
    ];
    assert_eq!(rows(&links), expected);
    // Of two given folders, the own one is meant.
    let links = lines(&refs(&folder, &["-q", "addons", "old"]));
    assert_eq!(rows(&links)[3], r"x\my\a.paa found addons/a/a.paa own root -");
    // So in archives.
    let members: [(&str, &[u8]); 3] = [("config.cpp", config.as_bytes()), ("b.hpp", b"class X {};"), ("a.paa", b"x")];
    let archives = Folder::new("refs-same-prefix-pbo");
    archives.file("new.pbo", pbo("x\\my", &members));
    archives.file("old.pbo", pbo("x\\my", &members));
    let expected = [
        "b.hpp found ./new.pbo!/b.hpp beside same prefix as ./old.pbo",
        r"x\my\a.paa found ./new.pbo!/a.paa own root -",
        "b.hpp found ./old.pbo!/b.hpp beside -",
        r"x\my\a.paa found ./old.pbo!/a.paa own root -",
    ];
    assert_eq!(rows(&lines(&refs(&archives, &["-q", "."]))), expected);
}

/// An archive that is given twice has its own members still, not those of the archive after it.
#[test]
fn an_archive_given_twice_has_its_own_members() {
    let folder = Folder::new("refs-given-twice");
    let config = b"class CfgPatches { icon = \"x\\my\\a.paa\"; };";
    for name in ["a.pbo", "b.pbo"] {
        folder.file(name, pbo("x\\my", &[("config.cpp", config), ("a.paa", b"x")]));
    }
    let [own, other] = ["a", "b"].map(|name| format!(r"x\my\a.paa found {name}.pbo!/a.paa own root"));
    for given in [&["a.pbo", "a.pbo", "b.pbo"][..], &["a.pbo", "b.pbo", "a.pbo"]] {
        let mut found = rows(&lines(&refs(&folder, &[&["-q"], given].concat())));
        found.sort();
        assert_eq!(found.len(), 3, "{given:?}");
        // The first that names it also says that the other archive has the same prefix.
        for (row, expected) in found.iter().zip([&own, &own, &other]) {
            assert!(row.starts_with(expected), "{given:?} {row}");
        }
    }
}

/// Of two files with one path, the one in the innermost given folder around a text is meant, in whatever order these are.
#[test]
fn of_given_folders_inside_each_other_the_inner_one_is_meant() {
    let folder = Folder::new("refs-given-inside");
    for root in ["mods/new/a", "mods/old/a"] {
        folder.file(&format!("{root}/$PBOPREFIX$"), "x\\my");
        folder.file(&format!("{root}/a.paa"), "x");
    }
    folder.file("mods/new/b/$PBOPREFIX$", "x\\other");
    folder.file("mods/new/b/config.cpp", "class CfgPatches { icon = \"x\\my\\a.paa\"; };");
    let found = r"x\my\a.paa found mods/new/a/a.paa own root -";
    let either = r"x\my\a.paa ambiguous - - -";
    for (given, expected) in [
        (&["mods"][..], either),
        (&["mods", "mods/new"], found),
        (&["mods/new", "mods"], found),
        (&["mods/new", "mods", "mods/old"], found),
        // This folder has neither.
        (&["mods", "mods/new/b"], either),
    ] {
        let mut links = rows(&lines(&refs(&folder, &[&["-q"], given].concat())));
        // A text that is given by two paths is there twice.
        links.dedup();
        assert_eq!(links, [expected], "{given:?}");
    }
}

#[test]
fn odd_files_are_found_and_counted() {
    let folder = Folder::new("refs-odd");
    let lfs = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 275185\n";
    let textures = [r"my\lfs.paa", r"my\empty.paa", r"my\cut.paa", r"my\good.paa"];
    let mut configs = String::from("a[] = {\"my\\lfs.ogg\",\"my\\empty.ogg\",\"my\\good.ogg\"};\n");
    configs += "class A {};";
    let good = std::fs::read(crate::support::files::root().join("corpus/paa/dxt1.paa")).unwrap();
    let members: [(&str, &[u8]); 9] = [
        ("m.p3d", &model(&textures, "", "")),
        ("config.cpp", configs.as_bytes()),
        ("lfs.paa", lfs),
        ("empty.paa", b""),
        ("cut.paa", &good[..good.len() / 2]),
        ("good.paa", &good),
        ("lfs.ogg", lfs),
        ("empty.ogg", b""),
        ("good.ogg", b"a sound"),
    ];
    for (name, data) in members {
        folder.file(&format!("loose/my/{name}"), data);
    }
    folder.file("packed/my.pbo", pbo("my", &members));
    for place in ["loose", "packed"] {
        let output = refs(&folder, &[place]);
        let links = lines(&output);
        let notes: Vec<(String, String)> = links
            .iter()
            .map(|link| {
                assert_eq!(link["state"], "found", "{link}");
                let text = |key: &str| link[key].as_str().unwrap_or_default().to_owned();
                (text("name"), text("note"))
            })
            .collect();
        let mut expected = [
            (r"my\lfs.ogg", "Git LFS pointer"),
            (r"my\empty.ogg", "empty"),
            (r"my\good.ogg", ""),
            (r"my\lfs.paa", "Git LFS pointer"),
            (r"my\empty.paa", "empty"),
            (r"my\cut.paa", "damaged"),
            (r"my\good.paa", ""),
        ]
        .map(|(name, note)| (name.to_owned(), note.to_owned()));
        expected[..].sort();
        let mut sorted = notes.clone();
        sorted.sort();
        assert_eq!(sorted, expected, "{place}");
        assert_eq!(code(&output), 0, "{place}");
        let summary = "found, but: 2 Git LFS pointer, 1 damaged, 2 empty";
        assert!(stderr(&output).contains(summary), "{}", stderr(&output));
    }
}

#[test]
fn names_that_exist_without_their_first_part_hint_at_a_prefix() {
    let folder = Folder::new("refs-no-prefix");
    let textures = [r"\ArmaFPV\data\a.paa", r"armafpv\data\b.paa", r"a3\data\c.paa"];
    folder.file("mods/fpv/model.p3d", model(&textures, "", ""));
    folder.file("mods/fpv/data/a.paa", "x");
    folder.file("mods/fpv/data/b.paa", "x");
    let output = refs(&folder, &["mods"]);
    assert_eq!(code(&output), 1);
    let notes = stderr(&output);
    assert!(notes.contains("missing by first part: 2 ArmaFPV\\, 1 a3\\\n"), "{notes}");
    let hint = "2 names with ArmaFPV\\ exist below mods/fpv: is its prefix missing? Try --prefix ArmaFPV=mods/fpv\n";
    assert!(with_slashes(&notes).contains(&with_slashes(hint)), "{notes}");
    for prefix in ["ArmaFPV=mods/fpv", "armafpv=./mods/fpv/", "ArmaFPV=mods/../mods/fpv"] {
        let output = refs(&folder, &["-q", "--prefix", prefix, "mods"]);
        let states: Vec<Json> = lines(&output).iter().map(|link| link["state"].clone()).collect();
        assert_eq!(states, ["found", "found", "missing"], "{prefix}");
    }
    folder.file("mods/b.pbo", pbo("wrong", &[("x.paa", b"x")]));
    folder.file("mods/n.p3d", model(&[r"right\x.paa"], "", ""));
    assert_eq!(code(&refs(&folder, &["-q", "mods/n.p3d", "mods/b.pbo"])), 1);
    assert_eq!(code(&refs(&folder, &["-q", "--prefix", "right=mods/b.pbo", "mods/n.p3d", "mods/b.pbo"])), 0);
    for wrong in ["x", "x=mods/none"] {
        assert_eq!(code(&refs(&folder, &["--prefix", wrong, "mods"])), 2, "{wrong}");
    }
}

#[test]
fn a_prefix_is_suggested_only_if_it_leads_to_every_name() {
    let names = [r"own\data\a.paa", r"own\data\b.paa", r"own\data\c.paa"];
    for absent in 0..8 {
        let folder = Folder::new("refs-hints");
        folder.file("mods/fpv/model.p3d", model(&names, "", ""));
        folder.file("mods/fpv/data/other.paa", "x");
        for (bit, name) in ["a", "b", "c"].iter().enumerate() {
            if absent >> bit & 1 == 0 {
                folder.file(&format!("mods/fpv/data/{name}.paa"), "x");
            }
        }
        let notes = stderr(&refs(&folder, &["mods"]));
        assert!(notes.contains("missing by first part: 3 own\\\n"), "{notes}");
        assert_eq!(notes.contains("Try --prefix own="), absent == 0, "{absent:03b}: {notes}");
    }
}

#[test]
fn textures_that_are_nowhere_else_are_found_by_their_names() {
    let folder = Folder::new("refs-textures");
    let textures = [r"my\in\a_co.tga", r"my\b.paa", r"my\c.paa", r"my\own.paa", r"my\gone.paa"];
    folder.file("m/$PBOPREFIX$", "my");
    folder.file("m/model.p3d", model(&textures, "", r"my\part"));
    folder.file("m/own.paa", "x");
    for name in ["x/A_co.paa", "deep/down/in/a_co.paa", "b.paa", "a/a/c.paa", "z/c.paa", "own.paa", "part.p3d"] {
        folder.file(&format!("images/{name}"), "x");
    }
    let links = lines(&refs(&folder, &["-q", "--textures", "images", "m"]));
    let expected = [
        r"my\in\a_co.tga found images/deep/down/in/a_co.paa file name -",
        r"my\b.paa found images/b.paa file name -",
        // Both have only the name in common with the path, and this one has fewer folders.
        r"my\c.paa found images/z/c.paa file name -",
        r"my\own.paa found m/own.paa prefix -",
        r"my\gone.paa missing - - -",
        r"my\part missing - - -",
    ];
    assert_eq!(rows(&links), expected);
    assert_eq!(code(&refs(&folder, &["-q", "--textures", "none", "m"])), 2);
}

#[test]
fn a_prefix_file_above_a_path_covers_it() {
    let folder = Folder::new("refs-above");
    folder.file("addon/$PBOPREFIX$", "my\\addon");
    folder.file("addon/models/house.p3d", model(&[r"my\addon\data\a.paa"], r"my\addon\data\a.rvmat", ""));
    folder.file("addon/data/a.paa", "x");
    folder.file("addon/data/a.rvmat", "class Stage1 { texture = \"my\\addon\\data\\gone.paa\"; };");
    folder.file("addon/data/unasked.rvmat", "class Stage1 { texture = \"my\\addon\\data\\other.paa\"; };");
    folder.file("addon/config.cpp", "class A { icon = \"my\\addon\\gone_icon.paa\"; };");
    let expected = [
        (r"my\addon\data\a.paa", "found"),
        (r"my\addon\data\a.rvmat", "found"),
        (r"my\addon\data\gone.paa", "missing"),
    ];
    let whole = folder.0.join("addon/models/house.p3d");
    for (place, path) in [
        ("", "addon/models/house.p3d"),
        ("", "addon/models"),
        ("addon", "models/house.p3d"),
        ("addon/models", "house.p3d"),
        ("addon/models", "."),
        ("", whole.to_str().unwrap()),
    ] {
        let output = program().current_dir(folder.0.join(place)).args(["refs", "-q", path]).output().unwrap();
        let links = lines(&output);
        let seen: Vec<(&str, &str)> =
            links.iter().map(|link| (link["name"].as_str().unwrap(), link["state"].as_str().unwrap())).collect();
        assert_eq!(seen, expected, "{place} {path}");
    }
}

#[test]
fn files_that_nothing_names_are_listed() {
    let folder = Folder::new("refs-unused");
    let main = model(&[r"my\used.paa"], r"my\used.rvmat", r"my\part");
    folder.file("m/$PBOPREFIX$", "my");
    folder.file("m/config.cpp", "class A { model = \"my\\main.p3d\"; sound[] = {\"my\\used.ogg\"}; };");
    folder.file("m/main.p3d", &main);
    folder.file("m/part.p3d", mlod::model(&[]).to_vec());
    folder.file("m/used.rvmat", "class Stage1 { texture = \"my\\in_material.tga\"; };");
    for name in ["used.paa", "used.ogg", "in_material.paa", "spare.paa", "spare.ogg", "spare.txt", "config_spare.hpp"] {
        folder.file(&format!("m/{name}"), "x");
    }
    folder.file("b.pbo", pbo("b", &[("spare.rvmat", b"class A {};"), (r"d\spare.p3d", &main)]));
    let output = refs(&folder, &["--unused", "."]);
    let rows: Vec<(String, Json, Json)> = lines(&output)
        .iter()
        .map(|row| (with_slashes(row["path"].as_str().unwrap()), row["member"].clone(), row["bytes"].clone()))
        .collect();
    let expected = [
        ("./b.pbo".to_owned(), r"d\spare.p3d".into(), main.len().into()),
        ("./b.pbo".to_owned(), "spare.rvmat".into(), 11.into()),
        ("./m/spare.ogg".to_owned(), Json::Null, 1.into()),
        ("./m/spare.paa".to_owned(), Json::Null, 1.into()),
    ];
    assert_eq!(rows, expected);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stderr(&output).contains("4 files that nothing names"), "{}", stderr(&output));
    let table = stdout(&refs(&folder, &["--unused", "--format", "table", "m", "m/spare.paa"])).to_owned();
    assert_eq!(with_slashes(&table), "m/spare.ogg  1 byte\nm/spare.paa  1 byte\n");
    // What could not be read may name them.
    folder.file("m/cut.p3d", &main[..main.len() / 2]);
    let output = refs(&folder, &["--unused", "m"]);
    assert_eq!(code(&output), 1);
    assert!(stderr(&output).contains("; not all read: 1 file"), "{}", stderr(&output));
    // Of the folder around a path, only what was passed is listed.
    folder.file("m/sounds/loose.ogg", "x");
    let rows = lines(&refs(&folder, &["--unused", "m/sounds"]));
    assert_eq!((rows.len(), &rows[0]["path"].as_str().unwrap().ends_with("loose.ogg")), (1, &true), "{rows:?}");
    // Nothing names anything.
    let bare = Folder::new("refs-unused-bare");
    bare.file("a.paa", "x");
    assert_eq!(lines(&run(["refs", "--unused", bare.0.to_str().unwrap()])).len(), 1);
}

/// One of the paths that lead to a file may be the one that a reference means.
#[cfg(unix)]
#[test]
fn a_file_given_by_two_paths_is_unused_only_if_nothing_means_either() {
    let folder = Folder::new("refs-unused-twice");
    // Without a prefix file, the name of the given folder is the first part of the path in the game.
    for (name, path) in [("a", r"a\used.paa"), ("b", r"b\used_too.paa")] {
        folder.file(&format!("real/{name}/description.ext"), format!("class A {{ icon = \"\\{path}\"; }};"));
    }
    for name in ["used.paa", "used_too.paa", "spare.paa"] {
        folder.file(&format!("real/{name}"), "x");
    }
    for name in ["a", "b"] {
        std::os::unix::fs::symlink("real", folder.0.join(name)).unwrap();
    }
    for (paths, expected) in [
        (&["a"][..], &["spare.paa", "used_too.paa"][..]),
        (&["b"], &["spare.paa", "used.paa"]),
        (&["a", "b"], &["spare.paa"]),
        (&["b", "a"], &["spare.paa"]),
        (&["a", "b", "real"], &["spare.paa"]),
        (&["real"], &["spare.paa", "used.paa", "used_too.paa"]),
    ] {
        let output = refs(&folder, &[&["-q", "--unused"], paths].concat());
        let mut found = Vec::new();
        for row in lines(&output) {
            found.push(row["path"].as_str().unwrap().rsplit('/').next().unwrap().to_owned());
        }
        assert_eq!(found, expected, "{paths:?}: {}", stderr(&output));
    }
}

/// A pointer has at most 1,024 bytes, and a file of no bytes is empty.
#[test]
fn files_of_every_size_are_odd_as_their_bytes_say() {
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 275185\n";
    let mut config = String::from("class CfgPatches {};\nsounds[] = {");
    let mut files = Vec::new();
    for size in [0, 1, pointer.len(), 200, 1023, 1024, 1025, 5000] {
        for (kind, begins) in [("pointer", pointer), ("other", "a sound")] {
            let mut content = begins.as_bytes().to_vec();
            content.resize(size, b'\n');
            let name = format!("{kind}{size}.ogg");
            config += &format!("\"my\\{name}\",");
            let note = match (kind, size) {
                (_, 0) => "empty",
                ("pointer", 1..=1024) if size >= pointer.len() => "Git LFS pointer",
                _ => "-",
            };
            files.push((name, content, note));
        }
    }
    config += "\"x\"};\n";
    let folder = Folder::new("refs-odd-sizes");
    let mut members: Vec<(&str, &[u8])> = vec![("config.cpp", config.as_bytes())];
    for (name, content, _) in &files {
        members.push((name, content));
    }
    for (name, content) in &members {
        folder.file(&format!("loose/my/{name}"), content);
    }
    folder.file("packed/my.pbo", pbo("my", &members));
    for place in ["loose", "packed"] {
        let links = lines(&refs(&folder, &["-q", place]));
        for (name, content, note) in &files {
            let link = links.iter().find(|link| link["name"] == format!(r"my\{name}")).unwrap();
            assert_eq!(link["state"], "found", "{link}");
            assert_eq!(link["note"].as_str().unwrap_or("-"), *note, "{place}, {} bytes: {link}", content.len());
        }
    }
}

#[test]
fn a_file_given_by_two_paths_is_elsewhere_once() {
    let folder = Folder::new("refs-elsewhere-once");
    folder.file("m/a.p3d", model(&["x\\gone\\t.paa"], "", ""));
    folder.file("m/b/t.paa", "x");
    for paths in [&["m"][..], &["m", "./m"], &["./m", "m"]] {
        let mut links = lines(&refs(&folder, paths));
        links.retain(|link| link["kind"] == "texture");
        for link in &links {
            assert_eq!(link["state"], "missing");
            assert_eq!(link["elsewhere"].as_array().map(Vec::len), Some(1), "{paths:?} {link}");
            assert!(link.get("more").is_none(), "{paths:?} {link}");
        }
        assert_eq!(links.len(), paths.len());
    }
}

#[test]
fn the_files_next_to_a_given_model_are_known() {
    let root = crate::support::files::root();
    let all = program().current_dir(root).args(["refs", "-q", "corpus/mod/buildings"]).output().unwrap();
    let one = program().current_dir(root).args(["refs", "-q", "corpus/mod/buildings/mill.b3d"]).output().unwrap();
    assert_eq!(code(&one), 0, "{}", stderr(&one));
    let mut expected = lines(&all);
    expected.retain(|link| link["path"].as_str().unwrap().ends_with("mill.b3d"));
    assert_eq!(lines(&one), expected);
    assert_eq!(lines(&one)[0]["state"], "found");
}
