//! Duplicate assets.

use meshpeek::answers::dupes;
use meshpeek::scan::Scan;
use serde_json::Value as Json;

use crate::support::files::root;
use crate::support::program::{Folder, code, lines, run, stderr, stdout, with_slashes};
use crate::writer::b3d;
use crate::writer::odol::{Array, whole};
use crate::writer::zip::{Entry, zip};

/// The copies of each group: the property that they share, then path and member below the folder.
fn groups(found: &[Json], root: &str) -> Vec<(String, Vec<String>)> {
    let place = |copy: &Json| {
        let path = with_slashes(copy["path"].as_str().unwrap().strip_prefix(root).unwrap());
        let path = path.trim_start_matches('/').to_owned();
        copy["member"].as_str().map_or(path.clone(), |member| format!("{path}!/{member}"))
    };
    let group = |group: &Json| {
        let copies = group["copies"].as_array().unwrap().iter().map(place).collect();
        (group["same"].as_str().unwrap().to_owned(), copies)
    };
    let (unread, found): (Vec<&Json>, Vec<&Json>) = found.iter().partition(|line| line["same"] == "unread");
    let groups =
        found.into_iter().map(group).chain(unread.into_iter().map(|asset| ("unread".to_owned(), vec![place(asset)])));
    groups.collect()
}

#[test]
fn the_copies_in_the_corpus_are_found() {
    let output = run(["dupes", "corpus/zip", "--format", "ndjson"]);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    let mut found = groups(&lines(&output), "corpus/zip");
    // An encrypted member, and one that is packed in a way that is not read. Others like them may have no record.
    let unread = found.split_off(found.len() - 3);
    let places: Vec<&str> = unread.iter().flat_map(|(_, places)| places).map(String::as_str).collect();
    assert_eq!(places, ["locked.zip", "locked.zip!/later.b3d", "locked.zip!/secret.b3d"]);
    assert!(unread.iter().all(|(same, _)| same == "unread"));
    let has = |places: &[&str]| found.iter().any(|(same, copies)| same == "file" && copies == places);
    assert!(has(&["addons.zip!/a.pbo", "addons.zip!/b.pbo"]), "{found:#?}");
    assert!(
        has(&[
            "addons.zip!/a.pbo!/data\\scene.b3d",
            "addons.zip!/b.pbo!/data\\scene.b3d",
            "assets.zip!/models/scene.b3d",
            "nested.zip!/2.zip!/1.zip!/scene.b3d"
        ]),
        "{found:#?}"
    );
    assert!(found.iter().all(|(same, copies)| same == "file" && copies.len() > 1));
    let text = stdout(&run(["dupes", "corpus/zip"]));
    assert!(text.starts_with("2 pbo, the same bytes\n"), "{text}");
}

#[test]
fn files_that_are_read_twice_count_once() {
    let scan = Scan::new(["zip", "b3d"].map(|folder| root().join("corpus").join(folder)));
    assert!(!dupes::find(&scan, |_| ()).unwrap().groups.is_empty());
    assert_eq!((scan.progress.files(), scan.progress.bytes()), scan.measure().unwrap());
}

#[test]
fn models_that_differ_in_uvs_are_not_the_same() {
    // Positions and indices are the same in all of them.
    let scene = |u: f32, name: &[u8], tail: &[u8]| {
        let vertices = [0.0, 0.0, 0.0, u, 0.5, 1.0, 0.0, 0.0, 1.0, 0.5, 0.0, 1.0, 0.0, 0.5, 1.0];
        let vertices = crate::writer::bytes::Bytes::new().u32(0).u32(1).u32(2).f32s(vertices);
        let mesh = b3d::mesh(-1, [b3d::chunk(b"VRTS", vertices), b3d::triangles(-1, &[[0, 1, 2]])]);
        [b3d::scene([b3d::node(name, [mesh])]).to_vec(), tail.to_vec()].concat()
    };
    let folder = Folder::new("uvs");
    folder.file("a.b3d", scene(0.25, b"n", b""));
    folder.file("b.b3d", scene(0.75, b"n", b""));
    folder.file("c.b3d", scene(0.25, b"other name", b""));
    folder.file("deeper/copy.b3d", scene(0.25, b"n", b""));
    let root = folder.0.to_str().unwrap();
    let digests = lines(&run(["scan", "--digests", root, "--sort", "path"]));
    assert_eq!(digests[0]["digests"]["positions"], digests[1]["digests"]["positions"]);
    let found = groups(&lines(&run(["dupes", root, "--format", "ndjson"])), root);
    assert_eq!(found, [("file".to_owned(), vec!["a.b3d".to_owned(), "deeper/copy.b3d".to_owned()])]);
}

#[test]
fn the_same_content_stored_otherwise_is_found() {
    let model = |normals| {
        let mut model = whole(50, 12);
        model.lods[0].normals = normals;
        model.to_vec()
    };
    let folder = Folder::new("content");
    folder.file("fill.p3d", model(Array::Fill([0, 0, 511], 12)));
    folder.file("each.p3d", model(Array::Each(vec![[0, 0, 511]; 12])));
    folder.file("other.p3d", model(Array::Each(vec![[0, 511, 0]; 12])));
    folder.file("broken.p3d", b"ODOL");
    folder.file("broken too.p3d", b"ODOL");
    let root = folder.0.to_str().unwrap();
    let found = groups(&lines(&run(["dupes", root, "--format", "ndjson"])), root);
    let group = |same: &str, copies: &[&str]| (same.to_owned(), copies.iter().map(|copy| copy.to_string()).collect());
    let expected = [
        group("file", &["broken too.p3d", "broken.p3d"]),
        group("content", &["each.p3d", "fill.p3d"]),
        group("unread", &["broken too.p3d"]),
        group("unread", &["broken.p3d"]),
    ];
    assert_eq!(found, expected);
}

/// Assets that could not all be read may have copies that are not found: each is listed once, after all groups.
#[test]
fn what_could_not_all_be_read_is_listed_and_fails() {
    let folder = Folder::new("dupes-unread");
    let deep = |corner: u16| {
        let mut model = whole(50, 12);
        let faces = &mut model.lods[0].faces;
        // A header does not show this face.
        faces[2] = vec![0; 5];
        *faces.last_mut().unwrap().last_mut().unwrap() = corner;
        model.to_vec()
    };
    assert_ne!(deep(1), deep(2));
    let lfs = "version https://git-lfs.github.com/spec/v1\noid sha256:aa\nsize 12\n";
    folder.file("cut.p3d", &deep(1)[..400]);
    folder.file("deep one.p3d", deep(1));
    folder.file("deep two.p3d", deep(2));
    folder.file("lfs.p3d", lfs);
    folder.file("in.zip", zip(&[Entry::stored("x.b3d", b"BB3D\x09\0\0\0\x01\0\0\0")], b"").to_vec());
    let text = folder.file("readme.txt", "not an asset");
    // Another program's.
    folder.file("save.lod", "text");
    folder.file("whole.p3d", whole(50, 12).to_vec());
    let root = folder.0.to_str().unwrap();
    let output = run(["dupes", root, root, text.to_str().unwrap(), "--format", "ndjson"]);
    assert_eq!(code(&output), 1);
    let said = stderr(&output);
    assert!(said.ends_with("different bytes; not all read: 5 assets\n"), "{said}");
    let unread = ["cut.p3d", "deep one.p3d", "deep two.p3d", "in.zip!/x.b3d", "lfs.p3d"];
    let found = lines(&output);
    assert_eq!(groups(&found, root), unread.map(|path| ("unread".to_owned(), vec![path.to_owned()])));
    assert_eq!(found[4]["bytes"], lfs.len());
    let text = stdout(&run(["dupes", root]));
    let (heading, rows) = text.split_once('\n').unwrap();
    assert_eq!(heading, "not all read, others may have the same content");
    assert!(rows.lines().count() == 5 && rows.lines().all(|row| row.starts_with("  ")), "{text}");
    let found = dupes::find(&Scan::new([root]), |_| ()).unwrap();
    assert!(found.groups.is_empty());
    assert_eq!(found.unread.len(), 5);
}

/// Every way to give the same files more than once.
#[test]
fn assets_that_several_paths_lead_to_are_one_copy() {
    let folder = Folder::new("dupes-overlap");
    let scene = |name: &str| b3d::scene([b3d::node(name, [])]).to_vec();
    let archive = |names: &[&str]| {
        let entries: Vec<Entry> = names.iter().map(|name| Entry::stored(name, &scene(name))).collect();
        zip(&entries, b"").to_vec()
    };
    let alone = Entry::stored("deep/one.b3d", &scene("alone"));
    folder.file("a/sub/alone.zip", zip(&[alone, Entry::stored("b.zip", &archive(&["b.b3d"]))], b"").to_vec());
    folder.file("a/sub/alone.b3d", scene("only here"));
    folder.file("a/sub/twice.b3d", scene("twice"));
    folder.file("a/twice.b3d", scene("twice"));
    folder.file("a/in.zip", archive(&["in.b3d", "x.b3d"]));
    folder.file("a/sub/in.b3d", scene("in.b3d"));
    let find = |paths: &[&str]| {
        let mut dupes = crate::support::program::program();
        let output =
            dupes.current_dir(&folder.0).args(["dupes", "-q", "--format", "ndjson"]).args(paths).output().unwrap();
        assert_eq!(code(&output), 0, "{paths:?}: {}", stderr(&output));
        lines(&output)
    };
    let once = find(&["a"]);
    let copies = |same: &str, copies: &[&str]| (same.to_owned(), copies.iter().map(|copy| copy.to_string()).collect());
    assert_eq!(
        groups(&once, "a"),
        [copies("file", &["in.zip!/in.b3d", "sub/in.b3d"]), copies("file", &["sub/twice.b3d", "twice.b3d"])]
    );
    for paths in [
        &["a", "a"][..],
        &["a", "a", "a"],
        &["a", "a/"],
        &["a", "a/sub"],
        &["a/sub", "a"],
        &["a", "a/sub", "a/sub/"],
        &["a", "a/twice.b3d"],
        &["a/twice.b3d", "a", "a/twice.b3d"],
        &["a", "a/in.zip"],
        &["a/in.zip", "a/in.zip", "a"],
        &["a", "a/sub/alone.zip", "a/sub/alone.zip"],
    ] {
        let found = find(paths);
        assert_eq!(groups(&found, "a"), groups(&once, "a"), "{paths:?}");
        // On Windows, paths keep the separators of the argument.
        assert!(cfg!(windows) || found == once, "{paths:?}: {found:?}");
    }
    // Nothing is a copy of itself.
    for paths in [
        ["a/sub/alone.zip", "a/sub/alone.zip"],
        ["a/sub/alone.b3d", "a/sub/alone.b3d"],
        ["a/in.zip", "a/in.zip"],
        ["a/sub", "a/sub/twice.b3d"],
        ["a/sub", "a/sub"],
    ] {
        assert!(find(&paths).is_empty(), "{paths:?}");
    }
}

#[test]
fn files_that_git_ignores_are_compared() {
    let folder = Folder::new("dupes-ignored");
    for name in ["a.b3d", "b.b3d"] {
        folder.file(name, b3d::sound().to_vec());
    }
    folder.file(".ignore", "b.b3d\n");
    let root = folder.0.to_str().unwrap();
    let found = groups(&lines(&run(["dupes", root, "--format", "ndjson"])), root);
    assert_eq!(found, [("file".to_owned(), vec!["a.b3d".to_owned(), "b.b3d".to_owned()])]);
}
