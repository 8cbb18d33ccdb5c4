//! Names in files that look like paths, with every verb: only files named in the arguments are written.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::support::program::{Folder, program};
use crate::writer::pbo::{Tail, Writer};
use crate::writer::zip::{Entry, zip};

const NAMES: [&[u8]; 4] = [b"..\\..\\evil.b3d", b"../../evil.b3d", b"/evil.b3d", b"C:\\evil.b3d"];

/// All files of a folder, with their bytes.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.insert(path.clone(), Vec::new());
            all.extend(files(&path));
        } else {
            all.insert(path.clone(), std::fs::read(&path).unwrap());
        }
    }
    all
}

#[test]
fn names_in_files_lead_to_no_other_folder() {
    let folder = Folder::new("places");
    let model = crate::writer::b3d::corpus().into_iter().find(|(name, _)| *name == "everything.b3d").unwrap().1;
    let entries: Vec<Entry> = NAMES.iter().map(|name| Entry::deflated(name, &model)).collect();
    folder.file("a/b/in/names.zip", zip(&entries, b"").to_vec());
    let writer = NAMES.iter().fold(Writer::new(), |writer, name| writer.stored(name, &model));
    folder.file("a/b/in/names.pbo", writer.finish(Tail::Sha1));
    let work = folder.0.join("a/b/work");
    std::fs::create_dir(&work).unwrap();
    let before = files(&folder.0);

    let verbs: [&[&str]; 17] = [
        &["scan", "../in", "--digests"],
        &["scan", "../in", "-o", "out.ndjson"],
        &["scan", "../in", "--thumbnails", "pictures"],
        &["plan", "../in"],
        &["verify", "../in"],
        &["info", "../in/names.zip"],
        &["tree", "--fields", "../in/names.pbo"],
        &["hex", "../in/names.pbo"],
        &["dump", "../in/names.pbo", "members/0/content", "--format", "raw"],
        &["cat", "../in/names.zip!/../../evil.b3d"],
        &["cat", "../in/names.pbo!/..\\..\\evil.b3d"],
        &["extract", "../in/names.zip", "-o", "zip"],
        &["extract", "../in/names.pbo", "-o", "pbo"],
        &["refs", "../in"],
        &["dupes", "../in"],
        &["diff", "../in/names.zip", "../in/names.pbo"],
        &["export", "../in/names.zip!//evil.b3d", "-o", "out.glb"],
    ];
    for verb in verbs {
        let output = program().current_dir(&work).args(verb).output().unwrap();
        assert!(matches!(output.status.code(), Some(0 | 1)), "{verb:?}: {output:?}");
    }

    let after = files(&folder.0);
    let named = |path: &Path| {
        ["out.ndjson", "pictures", "out.glb", "zip", "pbo"].iter().any(|name| path.starts_with(work.join(name)))
    };
    let others: Vec<_> =
        after.iter().filter(|(path, bytes)| before.get(*path) != Some(*bytes) && !named(path)).collect();
    assert!(others.is_empty(), "{:?}", others.iter().map(|(path, _)| path).collect::<Vec<_>>());
    assert!(before.keys().all(|path| after.contains_key(path)));
    let made = |name: &str| work.join(name).metadata().is_ok_and(|made| made.is_dir() || made.len() > 0);
    assert!(made("out.ndjson") && made("out.glb") && made("pictures"));
    // Pictures are below their folder, whatever the names of their models are.
    for picture in crate::support::files::below(&work.join("pictures")) {
        let name = picture.strip_prefix(work.join("pictures")).unwrap().to_str().unwrap().to_owned();
        assert!(name.ends_with(".png") && !name.contains(".."), "{name}");
    }
}
