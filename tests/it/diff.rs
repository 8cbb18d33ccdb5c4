//! Two models, two archives: exactly what differs is told.

use serde_json::Value as Json;

use crate::cli::{Folder, code, lines, run, stderr, stdout};
use crate::writer::mlod;
use crate::writer::odol::{Array, Lod, Model, whole};
use crate::writer::pbo::{Tail, Writer};
use crate::writer::zip::{Entry, zip};

/// What is told, a line each: change, member, place, values.
fn told(a: &[u8], b: &[u8]) -> Vec<String> {
    let folder = Folder::new(&format!("diff-{:x}", crate::writer::zip::crc32(b)));
    let (a, b) = (folder.file("a", a), folder.file("b", b));
    let output = run(["diff", a.to_str().unwrap(), b.to_str().unwrap(), "--format", "ndjson"]);
    let found = lines(&output);
    assert_eq!(code(&output), i32::from(!found.is_empty()), "{}", stderr(&output));
    let line = |told: &Json| {
        let mut line = told["change"].as_str().unwrap().to_owned();
        line += &told["member"].as_str().map(|member| format!(" {member}")).unwrap_or_default();
        line += &format!(" {}", told["place"].as_str().unwrap());
        if !told["a"].is_null() || !told["b"].is_null() {
            line += &format!(" {} -> {}", told["a"], told["b"]);
        }
        if let Some(rows) = told["rows"].as_object() {
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
fn the_same_is_the_same() {
    assert_eq!(told(&odol(models()), &odol(models())), Vec::<String>::new());
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
    let found = told(&model.to_vec(), &moved);
    let [line] = &found[..] else { panic!("{found:?}") };
    assert!(line.starts_with("changed lods/0/points 4 -> 4, 1 differ, 2: [2,0.5,-0.25"), "{line}");
}

#[test]
fn one_texture_name() {
    let model = |texture: &str| {
        let faces = [mlod::face(&[0, 1, 2], "a.paa", "m.rvmat"), mlod::face(&[0, 2, 3], texture, "m.rvmat")];
        mlod::model(&[mlod::lod(4, &faces, &[], 1.0)]).to_vec()
    };
    assert_eq!(told(&model("b.paa"), &model("longer.paa")), ["changed lods/0/textures/1 \"b.paa\" -> \"longer.paa\""]);
    let lod = |name: &'static str| {
        let mut lod = Lod::strip(1.0, 5);
        lod.textures = vec![name, "z.paa"];
        odol(vec![lod, Lod::strip(2.0, 5)])
    };
    assert_eq!(told(&lod("a.paa"), &lod("other_co.paa")), [r#"changed lods/0/textures/0 "a.paa" -> "other_co.paa""#]);
}

#[test]
fn one_lod() {
    let mut fewer = models();
    fewer.remove(2);
    let found = told(&odol(models()), &odol(fewer));
    assert!(found.contains(&"removed lods/2".to_owned()), "{found:#?}");
    // The table of resolutions and the number of LODs change with it; no other LOD does.
    assert!(found.iter().all(|line| !line.contains("lods/") || line == "removed lods/2"), "{found:#?}");
    let mut more = models();
    more.insert(1, Lod::strip(1.5, 7));
    let found = told(&odol(models()), &odol(more));
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
    let found = told(&model("0"), &model("10"));
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
    assert_eq!(told(&one, &each), Vec::<String>::new());
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
    assert_eq!(told(&a, &b), expected(""));
    // The same, packed otherwise, in an archive.
    let zipped = |inner: &[u8], stored| {
        let entry = if stored { Entry::stored("in.pbo", inner) } else { Entry::deflated("in.pbo", inner) };
        zip(&[entry, Entry::stored("beside", b"x")], b"").to_vec()
    };
    assert_eq!(told(&zipped(&a, true), &zipped(&b, false)), expected("in.pbo!/"));
    assert_eq!(told(&zipped(&a, true), &zipped(&a, false)), Vec::<String>::new());
}

#[test]
fn trouble_and_other_ways_to_write() {
    let folder = Folder::new("trouble");
    let (a, b) = (folder.file("a.p3d", odol(models())), folder.file("b.b3d", crate::writer::b3d::sound().to_vec()));
    let (a, b) = (a.to_str().unwrap(), b.to_str().unwrap());
    assert_eq!(code(&run(["diff", a, "no/such/file"])), 2);
    assert_eq!(code(&run(["diff", a, "Cargo.toml"])), 2);
    let output = run(["diff", a, b, "--format", "json"]);
    let told: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((code(&output), &told[0]["place"], &told[0]["b"]), (1, &"format".into(), &"b3d".into()));
    let output = run(["diff", a, a, "--format", "json"]);
    assert_eq!((code(&output), stdout(&output).trim()), (0, "[]"));
    let output = run(["diff", "corpus/zip/addons.zip!/a.pbo!/model.p3d", a]);
    assert_eq!((code(&output), stdout(&output).trim()), (1, "changed  format  \"mlod\" -> \"odol\""));
}
