//! Two models, two archives: exactly the differences are reported.

use std::path::Path;

use meshpeek::diff::{Options, Side, compare};
use meshpeek::summary::Code;
use meshpeek::{Budget, Limits};
use serde_json::Value as Json;

use crate::support::program::{Folder, code, lines, program, run, stderr, stdout};
#[cfg(unix)]
use crate::support::pty::stdout_on_terminal;
use crate::writer::b3d::{
    self, Texture, animation, bone, brushes, keys, mesh, node, scene, textures, triangles, vertices,
};
use crate::writer::bytes::Bytes;
use crate::writer::odol::{Array, Lod, Model, whole};
use crate::writer::pbo::{Tail, Writer};
use crate::writer::zip::{Entry, zip};
use crate::writer::{mlod, rtm};

/// The differences, one line each: change, member, place, values.
fn differences(a: &[u8], b: &[u8]) -> Vec<String> {
    differences_with(a, b, &[])
}

/// The differences with further arguments.
fn differences_with(a: &[u8], b: &[u8], arguments: &[&str]) -> Vec<String> {
    let crc = crate::writer::zip::crc32;
    let folder = Folder::new(&format!("diff-{:x}-{:x}", crc(a), crc(&[b, arguments.concat().as_bytes()].concat())));
    let (a, b) = (folder.file("a", a), folder.file("b", b));
    differences_of(&[&["diff", a.to_str().unwrap(), b.to_str().unwrap(), "--format", "ndjson"], arguments].concat())
}

fn slashes(path: &str) -> String {
    path.replace(std::path::MAIN_SEPARATOR, "/")
}

fn differences_of(arguments: &[&str]) -> Vec<String> {
    let output = run(arguments);
    let found = lines(&output);
    assert_eq!(code(&output), i32::from(!found.is_empty()), "{}", stderr(&output));
    let line = |difference: &Json| {
        let mut line = difference["change"].as_str().unwrap().to_owned();
        line += &difference["path"].as_str().map(|path| format!(" {}:", slashes(path))).unwrap_or_default();
        line += &difference["member"].as_str().map(|member| format!(" {member}")).unwrap_or_default();
        line += &format!(" {}", difference["place"].as_str().unwrap());
        line += &difference["to"].as_str().map(|to| format!(" to {}", slashes(to))).unwrap_or_default();
        if !difference["a"].is_null() || !difference["b"].is_null() {
            line += &format!(" {} -> {}", difference["a"], difference["b"]);
        }
        if let Some(rows) = difference["rows"].as_object() {
            line += &format!(" {} -> {}, {} differ", rows["a"], rows["b"], rows["differing"]);
            if let Some(first) = rows["first"].as_object() {
                line += &format!(", {}: {} -> {}", first["row"], first["a"], first["b"]);
            }
        }
        line
    };
    found.iter().map(line).collect()
}

fn models() -> Vec<Lod> {
    (1..=5_u16).map(|number| Lod::strip(f32::from(number), 5 + number)).collect()
}

fn odol(lods: Vec<Lod>) -> Vec<u8> {
    Model::new(50, lods).to_vec()
}

#[test]
fn equal_models_have_no_differences() {
    assert_eq!(differences(&odol(models()), &odol(models())), Vec::<String>::new());
    let folder = Folder::new("same");
    let file = folder.file("x", odol(models()));
    let output = run(["diff", file.to_str().unwrap(), file.to_str().unwrap()]);
    assert_eq!((code(&output), stdout(&output).as_str()), (0, ""));
}

#[test]
fn one_vertex() {
    let model = mlod::model(&[mlod::lod(4, &[mlod::face(&[0, 1, 2], "", "")], &[], 1.0)]);
    let at = model.at("first_point") + 16 * 2 + 4;
    let mut moved = model.to_vec();
    moved[at..at + 4].copy_from_slice(&0.75_f32.to_le_bytes());
    let found = differences(&model.to_vec(), &moved);
    let [line] = &found[..] else { panic!("{found:?}") };
    assert!(line.starts_with("changed lods/0/points 4 -> 4, 1 differ, 2: [2,0.5,-0.25"), "{line}");
}

#[test]
fn one_texture_name() {
    let model = |texture: &str| {
        let faces = [mlod::face(&[0, 1, 2], "a.paa", "m.rvmat"), mlod::face(&[0, 2, 3], texture, "m.rvmat")];
        mlod::model(&[mlod::lod(4, &faces, &[], 1.0)]).to_vec()
    };
    assert_eq!(
        differences(&model("b.paa"), &model("longer.paa")),
        ["changed lods/0/textures/1 \"b.paa\" -> \"longer.paa\""]
    );
    let lod = |name: &'static str| {
        let mut lod = Lod::strip(1.0, 5);
        lod.textures = vec![name, "z.paa"];
        odol(vec![lod, Lod::strip(2.0, 5)])
    };
    assert_eq!(
        differences(&lod("a.paa"), &lod("other_co.paa")),
        [r#"changed lods/0/textures/0 "a.paa" -> "other_co.paa""#]
    );
}

#[test]
fn one_lod() {
    let mut fewer = models();
    fewer.remove(2);
    let found = differences(&odol(models()), &odol(fewer));
    assert!(found.contains(&"removed lods/2".to_owned()), "{found:#?}");
    // The table of resolutions and the number of LODs change too; no other LOD does.
    assert!(found.iter().all(|line| !line.contains("lods/") || line == "removed lods/2"), "{found:#?}");
    let mut more = models();
    more.insert(1, Lod::strip(1.5, 7));
    let found = differences(&odol(models()), &odol(more));
    assert!(found.contains(&"added lods/1".to_owned()), "{found:#?}");
    assert!(found.iter().all(|line| !line.contains("lods/") || line == "added lods/1"), "{found:#?}");
}

#[test]
fn one_property() {
    let model = |value: &'static str| {
        let mut lod = Lod::strip(1.0, 5);
        lod.properties = vec![("class", "house"), ("autocenter", value)];
        odol(vec![lod])
    };
    let found = differences(&model("0"), &model("10"));
    let [line] = &found[..] else { panic!("{found:#?}") };
    assert!(line.starts_with("changed lods/0/properties") && line.ends_with("\"0\" -> \"10\""), "{line}");
}

#[test]
fn how_arrays_are_stored_is_no_difference_of_their_content() {
    let model = |normals| {
        let mut model = whole(50, 12);
        model.lods[0].normals = normals;
        model.to_vec()
    };
    let (one, each) = (model(Array::Fill([0, 0, 511], 12)), model(Array::Each(vec![[0, 0, 511]; 12])));
    assert_ne!(one, each);
    assert_eq!(differences(&one, &each), Vec::<String>::new());
}

/// Two versions of one model: data that only one of them stores is reported once.
#[test]
fn versions_of_one_model() {
    let model = |version| {
        let mut lod = Lod::strip(1.0, 12);
        lod.has_default = true;
        Model::new(version, vec![lod]).to_vec()
    };
    let found = differences(&model(50), &model(52));
    assert!(found.iter().any(|line| line.starts_with("changed lods/0/face_area null -> ")), "{found:#?}");
    assert!(!found.iter().any(|line| line.contains("face_default/face_area")), "{found:#?}");
    let found = differences(&model(44), &model(47));
    assert!(found.iter().all(|line| !line.contains("uv_bounds") && !line.contains("lods/0/uvs")), "{found:#?}");
}

#[test]
fn archives_member_by_member() {
    let model = |x: f32| mlod::model(&[mlod::lod(4, &[], &[], 1.0)]).set("first_point", x.to_le_bytes()).to_vec();
    let pbo = |version: &[u8], members: &[(&[u8], &[u8])]| {
        let writer = Writer::new().product(&[(b"prefix", b"x\\y"), (b"version", version)]);
        members.iter().fold(writer, |writer, (name, data)| writer.stored(name, data)).finish(Tail::Sha1)
    };
    let a = pbo(b"1", &[(b"gone.txt", b"1"), (b"same.txt", b"2"), (b"Model.p3d", &model(0.0)), (b"text", b"abc")]);
    let b = pbo(b"2", &[(b"same.txt", b"2"), (b"model.P3D", &model(9.0)), (b"text", b"abcd"), (b"new.txt", b"1")]);
    let expected = |around: &str| {
        [
            format!(
                "changed{} properties/1/value \"1\" -> \"2\"",
                around.strip_suffix("!/").map_or(String::new(), |own| format!(" {own}"))
            ),
            format!("removed {around}gone.txt "),
            format!("changed {around}Model.p3d lods/0/points 4 -> 4, 1 differ, 0: [0,0.5,-0.25,0] -> [9,0.5,-0.25,0]"),
            format!("changed {around}text bytes 3 -> 4"),
            format!("added {around}new.txt "),
        ]
    };
    assert_eq!(differences(&a, &b), expected(""));
    // The same content, packed differently, in an archive.
    let zipped = |inner: &[u8], stored| {
        let entry = if stored { Entry::stored("in.pbo", inner) } else { Entry::deflated("in.pbo", inner) };
        zip(&[entry, Entry::stored("beside", b"x")], b"").to_vec()
    };
    assert_eq!(differences(&zipped(&a, true), &zipped(&b, false)), expected("in.pbo!/"));
    assert_eq!(differences(&zipped(&a, true), &zipped(&a, false)), Vec::<String>::new());
}

#[test]
fn archives_are_compared_as_deep_as_the_limit_allows() {
    let nested = |data: &[u8], levels: u32| {
        (0..levels)
            .fold(data.to_vec(), |inner, level| zip(&[Entry::stored(format!("{level}.zip"), &inner)], b"").to_vec())
    };
    for levels in 1..=3 {
        let [a, b] = [&b"abc"[..], b"abcd"].map(|data| nested(data, levels));
        for limit in 0..=4 {
            let limits = Limits::default().with_archive_depth(limit);
            let [of_a, of_b] = [&a, &b].map(|data| Budget::new(data.len() as u64, &limits));
            let side = |data, budget| Side::new(Path::new("x.zip"), data, budget);
            let mut found = 0;
            let compared = compare(side(&a, &of_a), side(&b, &of_b), &Options::default(), &mut |_| found += 1);
            if levels <= limit {
                compared.unwrap();
                assert_eq!(found, 1, "{levels} levels, {limit}");
            } else {
                assert_eq!(compared.unwrap_err().code(), Code::ArchiveDepthLimit, "{levels} levels, {limit}");
            }
        }
    }
}

#[test]
fn errors_and_other_spellings() {
    let folder = Folder::new("trouble");
    let (a, b) = (folder.file("a.p3d", odol(models())), folder.file("b.b3d", crate::writer::b3d::sound().to_vec()));
    let (a, b) = (a.to_str().unwrap(), b.to_str().unwrap());
    assert_eq!(code(&run(["diff", a, "no/such/file"])), 2);
    assert_eq!(code(&run(["diff", a, "Cargo.toml"])), 2);
    let output = run(["diff", a, b, "--format", "json"]);
    let differences: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((code(&output), &differences[0]["place"], &differences[0]["b"]), (1, &"format".into(), &"b3d".into()));
    let output = run(["diff", a, a, "--format", "json"]);
    assert_eq!((code(&output), stdout(&output).trim()), (0, "[]"));
    let output = run(["diff", "corpus/zip/addons.zip!/a.pbo!/model.p3d", a]);
    assert_eq!((code(&output), stdout(&output).trim()), (1, "changed  format  \"mlod\" -> \"odol\""));
}

/// A scene with these nodes next to a body, each with a bone; the skeleton is a child of "hip".
fn skeleton(extra: &[&str], bones: &[&str]) -> Vec<u8> {
    let part = |name: &str| node(name, [bone(&[(0, 1.0)]), keys(5, [1, 2])]);
    let body = mesh(1, [vertices(4, 1, 1, 2), triangles(-1, &[[0, 1, 2], [1, 2, 3]])]);
    let list = |names: &[&str]| names.iter().map(|name| part(name)).collect::<Vec<Bytes>>();
    let hip = node("hip", [list(bones), vec![node("tail", [part("tip")])]].concat());
    scene([
        textures(&[
            Texture { name: b"skin.png", flags: 9, blend: 2 },
            Texture { name: b"eye.png", flags: 9, blend: 2 },
        ]),
        brushes(&[(b"eye", &[1]), (b"skin", &[0])]),
        node("root", [list(extra), vec![body, animation(2, 25.0), hip]].concat()),
    ])
    .to_vec()
}

#[test]
fn numbers_of_nodes_mean_nodes() {
    let old = skeleton(&[], &["leg", "arm"]);
    // Every node, and everything that refers to it, has another number.
    assert_eq!(differences(&old, &skeleton(&["new"], &["leg", "arm"])), ["added nodes/1", "added bones/0"]);
    assert_eq!(differences(&skeleton(&["new"], &["leg", "arm"]), &old), ["removed nodes/1", "removed bones/0"]);
    let renamed = differences(&old, &skeleton(&[], &["leg", "wing"]));
    assert_eq!(renamed, [r#"changed nodes/3/name "arm" -> "wing""#]);
}

#[test]
fn numbers_of_textures_and_brushes_mean_these() {
    let scene = |names: &[&'static [u8]], list: &[(&[u8], &[i32])], brush: i32| {
        let images: Vec<Texture> = names.iter().map(|name| Texture { name, flags: 1, blend: 2 }).collect();
        scene([textures(&images), brushes(list), node("n", [mesh(brush, [vertices(3, 0, 0, 0)])])]).to_vec()
    };
    let old = scene(&[b"a.png", b"b.png"], &[(b"one", &[0]), (b"two", &[1])], 1);
    let new = scene(&[b"new.png", b"a.png", b"b.png"], &[(b"x", &[0]), (b"one", &[1]), (b"two", &[2])], 2);
    assert_eq!(differences(&old, &new), ["added textures/0", "added brushes/0"]);
    let other = scene(&[b"a.png", b"b.png"], &[(b"one", &[0]), (b"two", &[0])], 0);
    assert_eq!(
        differences(&old, &other),
        [r#"changed brushes/1/texture_ids ["b.png"] -> ["a.png"]"#, r#"changed meshes/0/brush_id "two" -> "one""#]
    );
}

#[test]
fn the_same_numbers_may_mean_others() {
    let scene = |names: [&'static [u8]; 2]| {
        let images = names.map(|name| Texture { name, flags: 1, blend: 2 });
        scene([textures(&images), brushes(&[(b"skin", &[0])]), node("n", [])]).to_vec()
    };
    assert_eq!(
        differences(&scene([b"a.png", b"b.png"]), &scene([b"b.png", b"a.png"])),
        [
            "moved textures/0 to textures/1".to_owned(),
            r#"changed brushes/0/texture_ids ["a.png"] -> ["b.png"]"#.to_owned()
        ]
    );
}

#[test]
fn a_moved_item_is_reported_once_with_both_places() {
    let old = skeleton(&[], &["leg", "arm", "head"]);
    assert_eq!(differences(&old, &skeleton(&[], &["arm", "head", "leg"])), ["moved nodes/2 to nodes/4"]);
    // A bone with all its descendants has another parent.
    let scene = |under_a: bool| {
        let hand = || node("hand", [node("finger", [bone(&[(0, 1.0)])])]);
        let arms = [node("a", under_a.then(hand)), node("b", (!under_a).then(hand))];
        scene([node("root", arms)]).to_vec()
    };
    assert_eq!(differences(&scene(true), &scene(false)), [r#"moved nodes/2 to nodes/3 "a" -> "b""#]);
    // Texts.
    let lod = |textures: [&'static str; 3], texture| {
        let mut lod = Lod::strip(1.0, 5);
        lod.textures = textures.to_vec();
        lod.sections[0].1 = texture;
        odol(vec![lod])
    };
    assert_eq!(
        differences(&lod(["a.paa", "b.paa", "c.paa"], 0), &lod(["b.paa", "c.paa", "a.paa"], 2)),
        [r#"moved lods/0/textures/0 to lods/0/textures/2 "a.paa" -> "a.paa""#]
    );
}

#[test]
fn numbers_of_lods_and_sections_textures_mean_these() {
    let mut more = models();
    more.insert(0, Lod::strip(0.5, 7));
    // The geometry and two others refer to the previous first one.
    let more = Model::new(50, more).bytes().set("special_lods", [0xff, 1, 1, 1]).to_vec();
    assert_eq!(differences(&odol(models()), &more), ["added lods/0"]);
    let lod = |textures: &[&'static str], texture| {
        let mut lod = Lod::strip(1.0, 5);
        lod.textures = textures.to_vec();
        lod.sections[0].1 = texture;
        odol(vec![lod])
    };
    let old = lod(&["a.paa", "b.paa"], 1);
    let added = lod(&["new.paa", "a.paa", "b.paa"], 2);
    assert_eq!(differences(&old, &added), [r#"added lods/0/textures/0 null -> "new.paa""#]);
    let other = lod(&["a.paa", "b.paa"], 0);
    assert_eq!(differences(&old, &other), [r#"changed lods/0/sections/0/texture "b.paa" -> "a.paa""#]);
}

#[test]
fn columns_with_numbers_of_textures_mean_these() {
    let model = |first: &[&str]| {
        let faces = [mlod::face(&[0, 1, 2], "a.paa", "m.rvmat"), mlod::face(&[0, 2, 3], "b.paa", "m.rvmat")];
        let first = first.iter().map(|texture| mlod::face(&[0, 1, 3], texture, "m.rvmat"));
        let faces: Vec<_> = first.chain(faces).collect();
        mlod::model(&[mlod::lod(4, &faces, &[], 1.0)]).to_vec()
    };
    let found = differences(&model(&["x.paa"]), &model(&["y.paa"]));
    assert_eq!(found, [r#"changed lods/0/textures/0 "x.paa" -> "y.paa""#]);
    let found = differences(&model(&["a.paa"]), &model(&["b.paa"]));
    let names = found.iter().find(|line| line.contains("face_names")).unwrap();
    assert!(names.ends_with(r#"1 differ, 0: ["a.paa","m.rvmat"] -> ["b.paa","m.rvmat"]"#), "{names}");
}

#[test]
fn rows_of_bones_are_compared_by_bone() {
    let old = rtm::motion(5, 3, 4, rtm::NONE);
    let mut new = old.clone();
    new.bones.insert(1, b"new".to_vec());
    for frame in &mut new.frames {
        let row = frame[0];
        frame.insert(1, row);
    }
    assert_eq!(differences(&old.binarised().to_vec(), &new.binarised().to_vec()), ["added bones/1"]);
    let mut turned = old.clone();
    turned.frames[2][3][0] += 1;
    let found = differences(&old.binarised().to_vec(), &turned.binarised().to_vec());
    let [line] = &found[..] else { panic!("{found:#?}") };
    assert!(line.starts_with("changed frames/2/transforms 4 -> 4, 1 differ, 3: ["), "{line}");
}

#[test]
fn an_array_is_reported_once_with_its_columns() {
    let old = b3d::sound();
    let at = old.at("vertices") + 4;
    let mut new = old.to_vec();
    new[at..at + 4].copy_from_slice(&(-7.5e-17_f32).to_le_bytes());
    let folder = Folder::new("once");
    let (a, b) = (folder.file("a.b3d", old.to_vec()), folder.file("b.b3d", new));
    let (a, b) = (a.to_str().unwrap(), b.to_str().unwrap());
    let output = run(["diff", a, b, "--format", "ndjson"]);
    let found = lines(&output);
    let [line] = &found[..] else { panic!("{found:#?}") };
    assert_eq!(
        (&line["place"], &line["rows"]["columns"]),
        (&"meshes/0/positions".into(), &serde_json::json!(["x", "y", "z"]))
    );
    assert_eq!(
        (&line["rows"]["differing_columns"], &line["rows"]["largest"]),
        (&serde_json::json!(["y"]), &0.125.into())
    );
    // Numbers have one notation.
    assert_eq!(line["rows"]["first"]["b"][1].to_string(), "-7.5e-17");
    let expected = "changed  meshes/0/positions (body)  1 of 4 rows differ in y  row 0: y 0.125 -> -7.5e-17";
    assert_eq!(stdout(&run(["diff", a, b])).trim(), expected);
}

#[test]
fn how_far_numbers_may_be_from_each_other() {
    let old = b3d::sound();
    let at = old.at("vertices") + 4;
    let mut new = old.to_vec();
    new[at..at + 4].copy_from_slice(&0.126_f32.to_le_bytes());
    assert_eq!(differences_with(&old.to_vec(), &new, &["--tolerance", "0.002"]), Vec::<String>::new());
    assert_eq!(differences_with(&old.to_vec(), &new, &["--tolerance", "0.0005"]).len(), 1);
    let lod = |x: f32| {
        let mut lod = Lod::strip(1.0, 5);
        lod.positions[1][0] = x;
        odol(vec![lod])
    };
    let found = differences_with(&lod(0.25), &lod(0.2500001), &["--tolerance", "1e-6"]);
    assert_eq!(found, Vec::<String>::new());
    for wrong in ["-1", "x", "inf", "nan"] {
        assert_eq!(code(&run(["diff", "README.md", "README.md", &format!("--tolerance={wrong}")])), 2, "{wrong}");
    }
}

#[test]
fn the_file_that_is_no_asset_is_named() {
    let folder = Folder::new("named");
    let (text, scene) = (folder.file("t.txt", "just text"), folder.file("x.b3d", b3d::sound().to_vec()));
    let (text, scene) = (text.to_str().unwrap(), scene.to_str().unwrap());
    for order in [[text, scene], [scene, text]] {
        let output = run(["diff", order[0], order[1]]);
        assert_eq!((code(&output), stdout(&output).as_str()), (2, ""));
        assert!(stderr(&output).contains("t.txt: "), "{}", stderr(&output));
        assert!(!stderr(&output).contains("x.b3d"), "{}", stderr(&output));
    }
}

#[test]
fn folders_file_by_file() {
    let folder = Folder::new("folders");
    let model = |x: f32| mlod::model(&[mlod::lod(4, &[], &[], 1.0)]).set("first_point", x.to_le_bytes()).to_vec();
    let archive = |x: f32| zip(&[Entry::stored("in.p3d", &model(x))], b"").to_vec();
    for (side, x) in [("a", 0.0), ("b", 9.0)] {
        std::fs::create_dir_all(folder.0.join(side).join("Data")).unwrap();
        folder.file(&format!("{side}/same.p3d"), model(1.0));
        folder.file(&format!("{side}/mod.zip"), archive(x));
    }
    folder.file("a/Data/Tree.p3d", model(0.0));
    folder.file("b/Data/tree.P3D", model(9.0));
    folder.file("a/notes.txt", "abc");
    folder.file("b/notes.txt", "abcd");
    folder.file("a/gone.txt", "1");
    folder.file("b/new.txt", "22");
    folder.file("a/old name.txt", "the same ".repeat(9));
    folder.file("b/Data/new name.txt", "the same ".repeat(9));
    let [a, b] = ["a", "b"].map(|side| folder.0.join(side).to_str().unwrap().to_owned());
    let point = "lods/0/points 4 -> 4, 1 differ, 0: [0,0.5,-0.25,0] -> [9,0.5,-0.25,0]";
    assert_eq!(
        differences_of(&["diff", &a, &b, "--format", "ndjson"]),
        [
            format!("changed Data/Tree.p3d: {point}"),
            "removed gone.txt: ".to_owned(),
            format!("changed mod.zip: in.p3d {point}"),
            "changed notes.txt: bytes 3 -> 4".to_owned(),
            "moved old name.txt:  to Data/new name.txt".to_owned(),
            "added new.txt: ".to_owned(),
        ]
    );
    assert_eq!(code(&run(["diff", &a, &a])), 0);
    let text = slashes(&stdout(&run(["diff", &a, &b])));
    assert!(text.starts_with("Data/Tree.p3d\n  changed  lods/0/points (1)  1 of 4 rows differ in x"), "{text}");
    assert!(text.contains("\nmod.zip!/in.p3d\n  changed  lods/0/points"), "{text}");
    assert!(text.contains("\nmoved    old name.txt  -> Data/new name.txt\n"), "{text}");
    let stat = slashes(&stdout(&run(["diff", &a, &b, "--stat"])));
    assert!(stat.starts_with("Data/Tree.p3d    1 changed\ngone.txt         1 removed\n"), "{stat}");
    let mixed = run(["diff", &a, "README.md"]);
    assert_eq!(
        (code(&mixed), stderr(&mixed).contains("README.md is neither a folder nor an archive")),
        (2, true),
        "{}",
        stderr(&mixed)
    );
}

/// On one side the paths of two folders and a file are too long for the system, which stops root too.
#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_read_in_a_folder_is_named_and_its_files_are_not_called_added() {
    let folder = Folder::new("unlisted");
    let model = |x: f32| mlod::model(&[mlod::lod(4, &[], &[], 1.0)]).set("first_point", x.to_le_bytes()).to_vec();
    let names = ["one", "two", "model.p3d"].map(|name| "_".repeat(150) + name);
    let [one, two, file] = &names;
    for (side, x) in [("a", 0.0), ("b", 9.0)] {
        let mut deep = folder.0.join(side);
        while deep.as_os_str().len() + 1 < 3750 {
            deep.push("d".repeat(200.min(3750 - 1 - deep.as_os_str().len())));
        }
        for inner in [one, two] {
            std::fs::create_dir_all(deep.join(inner)).unwrap();
            std::fs::write(deep.join(inner).join("in.p3d"), model(x)).unwrap();
        }
        std::fs::write(deep.join(file), model(x)).unwrap();
        folder.file(&format!("{side}/top.p3d"), model(x));
    }
    folder.file("b/new.txt", "22");
    let long = folder.0.join("a".repeat(250));
    std::fs::rename(folder.0.join("a"), &long).unwrap();
    let [a, b] = [long, folder.0.join("b")].map(|side| side.to_str().unwrap().to_owned());
    for (sides, new) in [([&a, &b], "added"), ([&b, &a], "removed")] {
        let output = run(["diff", "--brief", sides[0], sides[1]]);
        assert_eq!(code(&output), 2);
        let text = stdout(&output);
        let mut listed: Vec<&str> = text.lines().collect();
        listed.sort_unstable();
        let mut expected = [format!("{new:<7}  new.txt"), "changed  top.p3d".to_owned()];
        expected.sort_unstable();
        assert_eq!(listed, expected);
        let said = stderr(&output);
        for name in &names {
            let of_name = said.lines().filter(|line| line.contains(name.as_str()));
            assert_eq!(of_name.count(), 1, "{said}");
        }
        assert!(said.ends_with("2 files not compared: their folders on the other side cannot be read\n"), "{said}");
    }
}

/// Zip programs write entries for folders too. A folder compared with its archive has no such file.
#[test]
fn a_folder_equals_its_archive_with_entries_for_folders() {
    let folder = Folder::new("diff-folder-entries");
    folder.file("in/data/a.txt", b"a");
    folder.file("in/data/deep/b.txt", b"b");
    let entries = [
        Entry::stored("data/", b""),
        Entry::stored("data/a.txt", b"a"),
        Entry::stored("data/deep/", b""),
        Entry::deflated("data/deep/b.txt", b"b"),
        Entry::stored("data/empty/", b""),
    ];
    let archive = folder.file("in.zip", zip(&entries, b"").to_vec());
    let loose = folder.0.join("in");
    for sides in [[&loose, &archive], [&archive, &loose]] {
        let output = run(["diff", sides[0].to_str().unwrap(), sides[1].to_str().unwrap()]);
        assert!(code(&output) == 0 && stdout(&output).is_empty(), "{} {}", stdout(&output), stderr(&output));
    }
}

#[test]
fn members_of_other_names() {
    let archive = |names: [&str; 2]| {
        zip(&names.map(|name| Entry::deflated(name, name.len().to_string().repeat(40).as_bytes())), b"").to_vec()
    };
    assert_eq!(differences(&archive(["aa", "bbb"]), &archive(["aa", "ccc"])), ["moved bbb  to ccc"]);
}

#[cfg(unix)]
#[test]
fn one_line_for_each_part() {
    let folder = Folder::new("stat");
    let of = |move_by: f32| {
        let mut lods = models();
        for lod in &mut lods[1..] {
            lod.positions[0][0] += move_by;
            lod.positions[1][1] += move_by;
        }
        odol(lods)
    };
    let (a, b) = (folder.file("a.p3d", of(0.0)), folder.file("b.p3d", of(1.0)));
    let (a, b) = (a.to_str().unwrap(), b.to_str().unwrap());
    let output = run(["diff", a, b, "--stat"]);
    let text = stdout(&output);
    assert!(text.contains("lods/1 (2)  1 changed\nlods/2 (3)  1 changed\n"), "{text}");
    assert_eq!(code(&output), 1);
    assert_eq!(stderr(&output).trim(), "4 differences in 4 parts", "{}", stderr(&output));
    let found = lines(&run(["diff", a, b, "--stat", "--format", "ndjson"]));
    assert_eq!(
        (&found[0]["place"], &found[0]["label"], &found[0]["changed"]),
        (&"lods/1".into(), &"2".into(), &1.into())
    );
    // A terminal of 50 rows shows the differences of four parts, but not those of sixty.
    let on_terminal = |a: &str, b: &str, arguments: &[&str]| {
        let mut command = program();
        command.args(["diff", a, b, "--color", "never"]).args(arguments);
        stdout_on_terminal(command, 80)
    };
    let text = on_terminal(a, b, &[]);
    assert!(text.contains("rows differ"), "{text}");
    let many = |x: f32| {
        odol(
            (0..60_u16)
                .map(|number| {
                    let mut lod = Lod::strip(f32::from(number + 1), 5);
                    lod.positions[0][0] = x;
                    lod
                })
                .collect(),
        )
    };
    let (a, b) = (folder.file("c.p3d", many(0.25)), folder.file("d.p3d", many(0.5)));
    let (a, b) = (a.to_str().unwrap(), b.to_str().unwrap());
    let text = on_terminal(a, b, &[]);
    assert!(!text.contains("rows differ") && text.contains("lods/59 (60)"), "{text}");
    assert!(on_terminal(a, b, &["--full"]).contains("rows differ"));
    assert!(stdout(&run(["diff", a, b])).contains("rows differ"));
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn the_output_stays_in_proportion() {
    let name = "n".repeat(60_000);
    let model = |x: f32| {
        let nodes = (0..4_000).map(|number| node(format!("node {number}"), [keys(1, [x as i32])]));
        scene([node("root", nodes)]).to_vec()
    };
    let archive = |x| zip(&[Entry::deflated(&name, &model(x))], b"").to_vec();
    let folder = Folder::new("proportion");
    let (a, b) = (folder.file("a.zip", archive(1.0)), folder.file("b.zip", archive(2.0)));
    let (a, b) = (a.to_str().unwrap(), b.to_str().unwrap());
    let most = 64 * (std::fs::metadata(a).unwrap().len() + (1 << 20));
    let output = run(["diff", a, b, "--format", "ndjson"]);
    assert_eq!(code(&output), 2);
    assert!((output.stdout.len() as u64) < most, "{}", output.stdout.len());
    assert!(stderr(&output).contains("--max-output"), "{}", stderr(&output));
    // In the text output, the name occurs once.
    let output = run(["diff", a, b]);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    assert!(output.stdout.len() < 1 << 20, "{}", output.stdout.len());
}

/// Members that share their bytes are read as often as they are listed, to find those that moved.
#[test]
fn digests_of_members_are_charged() {
    let folder = Folder::new("digests");
    let archive = |start: &str| {
        let shared = Entry::stored(format!("{start}0"), &vec![b'x'; 1_000_000]);
        crate::writer::archives::sharing(100, shared, start)
    };
    let (a, b) = (folder.file("a.zip", archive("a")), folder.file("b.zip", archive("b")));
    let (a, b) = (a.to_str().unwrap(), b.to_str().unwrap());
    let output = run(["diff", a, b, "--max-work", "8"]);
    assert_eq!(code(&output), 2, "{}", stdout(&output));
    assert!(stderr(&output).contains("--max-work raises it"), "{}", stderr(&output));
    assert_eq!(stdout(&run(["diff", a, b])).lines().filter(|line| line.starts_with("moved ")).count(), 100);
}

/// What is said of arrays of different lengths holds in both directions.
#[test]
fn rows_that_both_arrays_have_are_counted() {
    let of = |count: u32, first: f32| {
        let mut vertices = vertices(count, 0, 0, 0);
        let at = vertices.at("vertices");
        let mut bytes = vertices.to_vec();
        bytes[at..at + 4].copy_from_slice(&first.to_le_bytes());
        vertices = Bytes::new().raw(bytes);
        scene([node("a", [mesh(-1, [vertices, triangles(-1, &[[0, 1, 2]])])])]).to_vec()
    };
    let folder = Folder::new("diff-rows");
    for a in 3..7 {
        for b in 3..7 {
            for is_same in [true, false] {
                let (one, other) = (of(a, 0.0), of(b, if is_same { 0.0 } else { 0.5 }));
                let (one, other) = (folder.file("a.b3d", one), folder.file("b.b3d", other));
                let text = stdout(&run(["diff", one.to_str().unwrap(), other.to_str().unwrap()]));
                let least = a.min(b);
                let mut said = Vec::new();
                if a != b {
                    said.push(format!("{a} -> {b} rows"));
                }
                match is_same {
                    true if a != b => said.push(format!("the first {least} are the same")),
                    true => {}
                    false => said.push(format!("1 of {least} rows differ in x  row 0: x 0 -> 0.5")),
                }
                let line = format!("changed  meshes/0/positions (a)  {}", said.join("  "));
                let found: Vec<&str> = text.lines().filter(|line| line.contains("positions")).map(str::trim).collect();
                assert_eq!(found, if said.is_empty() { vec![] } else { vec![line.as_str()] }, "{a} {b}: {text}");
            }
        }
    }
}

/// Of a folder and an archive, files are compared: a link on either side is as if it were not there.
#[cfg(unix)]
#[test]
fn links_of_folders_and_archives_are_not_compared() {
    let folder = Folder::new("diff-links");
    // The text of a link in an archive is its target.
    let target = "kept.txt";
    let kinds = ["nothing", "file", "link"];
    for on_disk in kinds {
        for in_archive in kinds {
            let loose = folder.0.join(format!("{on_disk}-{in_archive}"));
            folder.file(&format!("{on_disk}-{in_archive}/kept.txt"), b"kept");
            match on_disk {
                "file" => std::fs::write(loose.join("odd.txt"), target).unwrap(),
                "link" => std::os::unix::fs::symlink(target, loose.join("odd.txt")).unwrap(),
                _ => {}
            }
            let mut entries = vec![Entry::stored("kept.txt", b"kept")];
            if in_archive != "nothing" {
                entries.insert(0, Entry::stored("odd.txt", target.as_bytes()));
            }
            let made = zip(&entries, b"");
            let entry = made.at("directory");
            let mut bytes = made.to_vec();
            if in_archive == "link" {
                // Made by Unix, and of its kind of a link.
                bytes[entry + 5] = 3;
                bytes[entry + 38..entry + 42].copy_from_slice(&(0o120_777_u32 << 16).to_le_bytes());
            }
            let archive = folder.file(&format!("{on_disk}-{in_archive}.zip"), bytes);
            let (loose, archive) = (loose.to_str().unwrap(), archive.to_str().unwrap());
            for (sides, only_on_disk, only_in_archive) in
                [([loose, archive], "removed", "added"), ([archive, loose], "added", "removed")]
            {
                let expected = match (on_disk == "file", in_archive == "file") {
                    (true, false) => vec![format!("{only_on_disk} odd.txt")],
                    (false, true) => vec![format!("{only_in_archive} odd.txt")],
                    _ => Vec::new(),
                };
                let output = run(["diff", "--format", "ndjson", sides[0], sides[1]]);
                let mut found = Vec::new();
                for line in lines(&output) {
                    found.push(format!("{} {}", line["change"].as_str().unwrap(), line["path"].as_str().unwrap()));
                }
                assert_eq!(found, expected, "{on_disk} on disk, {in_archive} in the archive: {}", stderr(&output));
            }
        }
    }
}

/// The files of a folder and the members of an archive.
type Sides = (&'static [(&'static str, &'static str)], &'static [(&'static str, &'static str)]);

/// The changes from the folder to the archive, as of two folders.
const LOOSE_AND_PACKED: [(Sides, &[&str]); 15] = [
    ((&[("x", "one")], &[("x", "one")]), &[]),
    ((&[("x", "one")], &[("x", "two")]), &["changed x"]),
    ((&[("x", "ones")], &[("x", "one")]), &["changed x"]),
    ((&[("x", "")], &[("x", "one")]), &["changed x"]),
    ((&[("x", "one")], &[("x", "")]), &["changed x"]),
    ((&[("x", "")], &[("x", "")]), &[]),
    ((&[], &[("x", "one")]), &["added x"]),
    ((&[("x", "one")], &[]), &["removed x"]),
    // Members with the same bytes, and files with those of another member.
    ((&[("x", "two"), ("y", "two")], &[("x", "one"), ("y", "one")]), &["changed x", "changed y"]),
    ((&[("x", "one"), ("y", "two")], &[("x", "two"), ("y", "one")]), &["changed x", "changed y"]),
    ((&[], &[("x", "one"), ("y", "one")]), &["added x", "added y"]),
    ((&[("d/x", "one")], &[("d/x", "one")]), &[]),
    ((&[("x", "one")], &[("d/x", "one")]), &["moved x to d/x"]),
    ((&[("d/x", "one")], &[("D/X", "one")]), &[]),
    ((&[("d/x", "one")], &[("D/X", "two")]), &["changed d/x"]),
];

#[test]
fn members_are_compared_with_files_as_files_are() {
    let text = |content: &str| content.repeat(50).into_bytes();
    for ((loose, packed), expected) in LOOSE_AND_PACKED {
        let folder = Folder::new("diff-packed");
        for (name, content) in loose.iter().chain(&[("same", "same")]) {
            folder.file(&format!("loose/{name}"), text(content));
        }
        let members: Vec<_> =
            packed.iter().chain(&[("same", "same")]).map(|(name, text_)| (*name, text(text_))).collect();
        let mut pbo = Writer::new();
        for (name, content) in &members {
            let name = name.replace('/', "\\").into_bytes();
            pbo = if content.is_empty() { pbo.stored(&name, content) } else { pbo.packed(&name, content) };
        }
        let stored: Vec<_> = members.iter().map(|(name, content)| Entry::stored(name, content)).collect();
        let deflated: Vec<_> = members.iter().map(|(name, content)| Entry::deflated(name, content)).collect();
        let outer = zip(&[Entry::stored("in.zip", &zip(&stored, b"").to_vec())], b"");
        folder.file("stored.zip", zip(&stored, b"").to_vec());
        folder.file("deflated.zip", zip(&deflated, b"").to_vec());
        folder.file("packed.pbo", pbo.finish(Tail::Sha1));
        folder.file("outer.zip", outer.to_vec());
        for archive in ["stored.zip", "deflated.zip", "packed.pbo", "outer.zip!/in.zip"] {
            for is_reversed in [false, true] {
                let sides = if is_reversed { [archive, "loose"] } else { ["loose", archive] };
                let mut diff = program();
                let output = diff.current_dir(&folder.0).args(["diff", "--format", "ndjson"]).args(sides).output();
                let output = output.unwrap();
                let mut found = Vec::new();
                for line in lines(&output) {
                    let path = slashes(line["path"].as_str().unwrap()).to_lowercase();
                    let to = line["to"].as_str().map_or_else(String::new, |to| format!(" to {}", slashes(to)));
                    found.push(format!("{} {path}{to}", line["change"].as_str().unwrap()));
                }
                let mut expected: Vec<String> = expected.iter().map(|change| (*change).to_owned()).collect();
                if is_reversed {
                    expected = expected.into_iter().map(|change| reversed(&change)).collect();
                }
                let name = format!("{loose:?} {packed:?} in {sides:?}: {}", stderr(&output));
                assert_eq!(found, expected, "{name}");
                assert_eq!(code(&output), i32::from(!expected.is_empty()), "{name}");
            }
        }
    }
}

/// A change from the second side to the first.
fn reversed(change: &str) -> String {
    match change.split(' ').collect::<Vec<_>>()[..] {
        ["added", path] => format!("removed {path}"),
        ["removed", path] => format!("added {path}"),
        ["moved", path, "to", to] => format!("moved {to} to {path}"),
        _ => change.to_owned(),
    }
}

/// The columns are those of all rows that differ, the cells those of the first one.
#[test]
fn every_combination_of_columns_that_differ_is_named() {
    let names = ["x", "y", "z"];
    let of = |changes: &[(usize, usize)]| {
        let vertices = vertices(4, 0, 0, 0);
        let at = vertices.at("vertices");
        let mut bytes = vertices.to_vec();
        bytes[at..at + 48].fill(0);
        for (row, columns) in changes {
            for column in (0..3).filter(|column| columns >> column & 1 == 1) {
                let at = at + 12 * row + 4 * column;
                bytes[at..at + 4].copy_from_slice(&((row + column + 1) as f32).to_le_bytes());
            }
        }
        scene([node("a", [mesh(-1, [Bytes::new().raw(bytes), triangles(-1, &[[0, 1, 2]])])])]).to_vec()
    };
    let folder = Folder::new("diff-columns");
    let before = folder.file("a.b3d", of(&[]));
    for first in 1..8 {
        for second in 0..8 {
            for row in [0, 2] {
                let after = folder.file("b.b3d", of(&[(row, first), (3, second)]));
                let text = stdout(&run(["diff", before.to_str().unwrap(), after.to_str().unwrap()]));
                let has = |columns: usize, column: usize| columns >> column & 1 == 1;
                let named: Vec<&str> = (0..3).filter(|&at| has(first | second, at)).map(|at| names[at]).collect();
                let cells: Vec<String> = (0..3)
                    .filter(|&at| has(first, at))
                    .map(|at| format!("{} 0 -> {}", names[at], row + at + 1))
                    .collect();
                let count = 1 + usize::from(second > 0);
                let (named, cells) = (named.join(" "), cells.join(", "));
                let line =
                    format!("changed  meshes/0/positions (a)  {count} of 4 rows differ in {named}  row {row}: {cells}");
                let found: Vec<&str> = text.lines().filter(|line| line.contains("positions")).map(str::trim).collect();
                assert_eq!(found, [line.as_str()], "{first} {second} {row}");
            }
        }
    }
}

/// Members are written to temporary files unless a file of their name is the same, and equal ones once.
#[test]
fn members_that_differ_from_files_take_temporary_space_once() {
    let folder = Folder::new("diff-space");
    let [one, two, three] = [1_u8, 2, 3].map(|byte| vec![byte; 1000]);
    for (number, (loose, packed, expected)) in [
        (vec![("a", &one), ("b", &two)], vec![("a", &one), ("b", &two)], 0),
        (vec![("a", &one)], vec![("a", &one), ("b", &two)], 1000),
        (vec![("a", &one)], vec![("a", &two)], 1000),
        (vec![("a", &one), ("b", &one)], vec![("a", &two), ("b", &two)], 1000),
        (vec![("a", &one), ("b", &one)], vec![("a", &two), ("b", &three)], 2000),
        (vec![("b", &one)], vec![("a", &one)], 1000),
    ]
    .into_iter()
    .enumerate()
    {
        for (name, content) in loose {
            folder.file(&format!("{number}/{name}"), content);
        }
        let entries: Vec<Entry> = packed.iter().map(|(name, content)| Entry::deflated(name, content)).collect();
        folder.file(&format!("{number}.zip"), zip(&entries, b"").to_vec());
        let (loose, packed) = (number.to_string(), format!("{number}.zip"));
        for sides in [[&loose, &packed], [&packed, &loose]] {
            for most in [0, expected.max(1) - 1, expected, expected + 1] {
                let mut diff = program();
                diff.current_dir(&folder.0).args(["diff", "--max-temporary", &most.to_string()]).args(sides);
                let output = diff.output().unwrap();
                let said = format!("more than {most} bytes of temporary files");
                let is_short = most < expected;
                assert_eq!(stderr(&output).contains(&said), is_short, "{sides:?} {most}: {}", stderr(&output));
                assert_eq!(code(&output) == 2, is_short, "{sides:?} {most}: {}", stderr(&output));
            }
        }
    }
}

/// What the list of an archive has beyond the limit is not compared, and that is said.
#[test]
fn archives_beside_folders_are_listed_up_to_the_limit() {
    let folder = Folder::new("diff-listed");
    let names = ["a", "b", "c"];
    for name in names {
        folder.file(&format!("loose/{name}"), name);
    }
    folder.file("in.zip", zip(&names.map(|name| Entry::stored(name, name.as_bytes())), b"").to_vec());
    for most in 0..5 {
        for sides in [["loose", "in.zip"], ["in.zip", "loose"]] {
            let mut diff = program();
            diff.current_dir(&folder.0).args(["diff", "--max-archive-members", &most.to_string()]).args(sides);
            let output = diff.output().unwrap();
            let said = stderr(&output);
            assert_eq!(code(&output), if most < 3 { 2 } else { 0 }, "{sides:?} {most}: {said}");
            assert_eq!(said.contains("--max-archive-members raises it"), most < 3, "{sides:?} {most}: {said}");
        }
    }
}

/// A model of 12 points whose faces from the third on cannot be read, with this corner in the last of them.
fn unread_faces(corner: u16) -> Vec<u8> {
    let mut model = whole(50, 12);
    let faces = &mut model.lods[0].faces;
    faces[2] = vec![0; 5];
    *faces.last_mut().unwrap().last_mut().unwrap() = corner;
    model.to_vec()
}

#[test]
fn what_is_unreadable_for_the_same_reason_is_not_the_same() {
    let folder = Folder::new("unread");
    let (a, b) = (unread_faces(1), unread_faces(2));
    assert_ne!(a, b);
    folder.file("a/m.p3d", &a);
    folder.file("b/m.p3d", &b);
    let [a, b] = ["a", "b"].map(|side| folder.0.join(side));
    let diff = |is_file: bool, flags: &[&str]| {
        let [a, b] = [&a, &b].map(|side| if is_file { side.join("m.p3d") } else { side.clone() });
        program().arg("diff").args([a, b]).args(flags).output().unwrap()
    };
    for (is_file, changes) in [(true, &["unread"][..]), (false, &["unread", "changed"])] {
        let output = diff(is_file, &["--format", "ndjson"]);
        let found = lines(&output);
        assert_eq!(code(&output), 2, "{}", stderr(&output));
        assert!(stderr(&output).contains("1 part not compared: unreadable on both sides"), "{}", stderr(&output));
        let kinds: Vec<&str> = found.iter().map(|line| line["change"].as_str().unwrap()).collect();
        assert_eq!(kinds, changes);
        assert_eq!(found[0]["place"], "lods/0/problems");
        assert!(!found[0]["a"].is_null() && found[0]["a"] == found[0]["b"], "{found:?}");
        let stat = lines(&diff(is_file, &["--format", "ndjson", "--stat"]));
        assert_eq!((&stat[0]["unread"], &stat[0]["changed"]), (&1.into(), &(changes.len() - 1).into()));
    }
    // No difference between the files is known.
    let brief = diff(true, &["--brief"]);
    assert_eq!((code(&brief), stdout(&brief).as_str()), (2, ""));
    let brief = diff(false, &["--brief"]);
    assert_eq!((code(&brief), stdout(&brief).as_str()), (2, "changed  m.p3d\n"));
    // The same bytes are the same content.
    let [a, b] = ["a.p3d", "b.p3d"].map(|name| folder.file(name, unread_faces(1)));
    assert_eq!(code(&program().arg("diff").args([a, b]).output().unwrap()), 0);
}

/// Members that do not decode are equal only if the same bytes are stored for them.
#[test]
fn members_that_do_not_decode_are_compared_as_they_are_stored() {
    let archive = |packed: &[u8]| {
        let fields = [0x4370_7273, 100, 0, 0, packed.len() as u32];
        Writer::new()
            .entry(b"a.txt", fields, packed)
            .entry(b"b.txt", [0, 0, 0, 0, 1], &packed[3..4])
            .finish(Tail::Bytes(b""))
    };
    let folder = Folder::new("unread-members");
    let [a, same, other] = [("a", b"\0\0\0\x01"), ("same", b"\0\0\0\x01"), ("other", b"\0\0\0\x02")]
        .map(|(name, packed)| folder.file(&format!("{name}.pbo"), archive(packed)));
    let diff = |b: &Path| program().arg("diff").args([&*a, b]).args(["--format", "ndjson"]).output().unwrap();
    assert_eq!(code(&diff(&same)), 0);
    let output = diff(&other);
    let found: Vec<(Json, Json)> =
        lines(&output).iter().map(|line| (line["change"].clone(), line["member"].clone())).collect();
    let expected = [("unread", "a.txt"), ("changed", "b.txt")];
    assert_eq!(found, expected.map(|(change, member)| (change.into(), member.into())));
    assert_eq!(code(&output), 2);
}

/// The stored bytes of this member are equal on both sides, but only one side has the right checksum.
#[test]
fn a_member_that_one_side_cannot_read_differs() {
    let archive = |wrong: u32| {
        let entry = Entry::deflated("a.txt", b"some text").both(|header| header.crc32 ^= wrong);
        zip(&[entry], b"").to_vec()
    };
    assert!(differences(&archive(0), &archive(0)).is_empty());
    for (a, b) in [(0, 1), (1, 0), (1, 2)] {
        let found = differences(&archive(a), &archive(b));
        assert!(found.len() == 1 && found[0].starts_with("changed a.txt problems"), "{found:?}");
    }
}
