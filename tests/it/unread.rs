//! What could not be read is said, whatever is asked and whatever is left out.

use std::path::Path;
use std::process::Output;

use crate::support::program::{Folder, code, lines, program, stderr};
use crate::writer::b3d;
use crate::writer::bytes::Bytes;
use crate::writer::pbo::{Tail, Writer};
use crate::writer::zip::{Entry, zip};

/// A scene with a texture.
fn scene() -> Vec<u8> {
    b3d::sound().to_vec()
}

fn meshpeek(verb: &str, path: &Path, flags: &[&str]) -> Output {
    program().arg(verb).arg(path).args(flags).output().unwrap()
}

fn encrypted(name: &str, bytes: &[u8]) -> Entry {
    Entry::stored(name, bytes).both(|header| header.flags |= 1)
}

/// A member whose bytes do not have the checksum in its headers.
fn with_wrong_checksum(name: &str, bytes: &[u8]) -> Entry {
    Entry::deflated(name, bytes).both(|header| header.crc32 ^= 1)
}

/// Members of the requested kind may be missing from archives that could not all be read.
#[test]
fn a_filter_does_not_hide_archives_that_could_not_be_read() {
    let folder = Folder::new("unread-filters");
    let sound = Writer::new().stored(b"a.b3d", &scene()).finish(Tail::Sha1);
    folder.file("in/cut header.pbo", &sound[..30]);
    folder.file("in/pointer.zip", "version https://git-lfs.github.com/spec/v1\noid sha256:aa\nsize 12\n");
    folder.file("in/encrypted.zip", zip(&[encrypted("a", &scene())], b"").to_vec());
    folder.file("in/sound.pbo", &sound);
    folder.file("in/cut.b3d", &scene()[..20]);
    let input = folder.0.join("in");
    let found = |flags: &[&str]| {
        let output = meshpeek("scan", &input, &[flags, &["--sort", "path"]].concat());
        let mut paths = Vec::new();
        for line in lines(&output) {
            let path = Path::new(line["path"].as_str().unwrap()).strip_prefix(&input).unwrap().display().to_string();
            paths.push(format!("{path} {}", line["member"].as_str().unwrap_or("-")));
        }
        paths
    };
    let archives = ["cut header.pbo -", "encrypted.zip -", "pointer.zip -"];
    assert_eq!(found(&["--type", "lodka"]), archives);
    // The names of members show that no pattern selects them.
    assert_eq!(found(&["-g", "*.lod"]), [archives[0], archives[2]]);
    assert_eq!(
        found(&["--type", "b3d"]),
        [archives[0], "cut header.pbo a.b3d", "cut.b3d -", archives[1], archives[2], "sound.pbo a.b3d"]
    );
    for (flags, unchecked) in [(["--type", "lodka"], ", 1 member not checked: encrypted"), (["-g", "*.lod"], "")] {
        let output = meshpeek("verify", &input, &flags);
        assert_eq!(code(&output), 1, "{flags:?}");
        let said = format!("1 error, 1 warning, 1 not an asset{unchecked}\n");
        assert!(stderr(&output).ends_with(&said), "{}", stderr(&output));
    }
    // Names that promise another format, and archives that are not looked into.
    assert_eq!(found(&["--type", "lodka", "-g", "*.b3d"]), [archives[0], archives[2]]);
    assert!(found(&["--type", "lodka", "--no-archives"]).is_empty());
}

/// A member with a wrong checksum is not read, and one of an unknown kind may name files, too.
#[test]
fn members_that_are_not_read_may_name_files() {
    let folder = Folder::new("unread-members");
    let archives = [
        ("checksum", with_wrong_checksum("a.b3d", &scene()), "a.b3d"),
        ("inside", with_wrong_checksum("a.pbo", &Writer::new().stored(b"a.b3d", &scene()).finish(Tail::Sha1)), "a.pbo"),
        ("encrypted", encrypted("a", &scene()), ""),
    ];
    for (name, entry, member) in archives {
        let path = folder.file(&format!("{name}.zip"), zip(&[entry], b"").to_vec());
        let output = meshpeek("refs", &path, &["--format", "ndjson"]);
        let found = lines(&output);
        assert_eq!((code(&output), found.len()), (1, 1), "{name}: {found:?}");
        assert_eq!((found[0]["state"].as_str(), found[0]["member"].as_str().unwrap_or("")), (Some("unread"), member));
        for flags in [["--unused"], ["--stale"]] {
            let output = meshpeek("refs", &path, &flags);
            assert_eq!(code(&output), 1, "{name} {flags:?}");
            assert!(stderr(&output).contains("not all read: 1 file"), "{name} {flags:?}: {}", stderr(&output));
        }
        let output = meshpeek("dupes", &path, &[]);
        assert_eq!(code(&output), 1, "{name}");
        assert!(stderr(&output).contains("not all read: 1 asset\n"), "{name}: {}", stderr(&output));
    }
}

/// Files after the cut have no header from which they could be listed.
#[test]
fn a_zip_without_its_directory_may_lack_files() {
    let folder = Folder::new("unread-directory");
    let archive = |second: &[u8]| {
        let whole = zip(&[Entry::stored("a.b3d", &scene()), Entry::stored("b.b3d", second)], b"").to_vec();
        let second = memchr::memmem::find(&whole[4..], b"PK\x03\x04").unwrap();
        // In the middle of the header of the second file.
        whole[..second + 24].to_vec()
    };
    let [a, b] = [("a.zip", &b"one"[..]), ("b.zip", b"other")].map(|(name, second)| folder.file(name, archive(second)));
    let said = |output: &Output| stderr(output).contains("zip archive without an end record");
    let listed = meshpeek("ls", &a, &[]);
    assert!(code(&listed) == 1 && said(&listed), "{}", stderr(&listed));
    let target = folder.0.join("out");
    let extracted = meshpeek("extract", &a, &["-o", target.to_str().unwrap()]);
    assert!(code(&extracted) == 1 && said(&extracted), "{}", stderr(&extracted));
    assert_eq!(std::fs::read(target.join("a.b3d")).unwrap(), scene());
    let diff = program().arg("diff").args([&a, &b]).args(["--format", "ndjson"]).output().unwrap();
    let found = lines(&diff);
    assert_eq!((code(&diff), found.len()), (2, 1), "{found:?}");
    assert_eq!((&found[0]["change"], &found[0]["place"]), (&"unread".into(), &"problems".into()));
    let sound = folder.file("sound.zip", zip(&[Entry::stored("a.b3d", &scene())], b"").to_vec());
    let diff = program().arg("diff").args([&a, &sound]).args(["--format", "ndjson"]).output().unwrap();
    let found = lines(&diff);
    assert_eq!((code(&diff), found.len()), (1, 1), "{found:?}");
    assert_eq!((&found[0]["change"], &found[0]["b"]), (&"changed".into(), &serde_json::Value::Null));
}

#[test]
fn bones_of_a_cut_scene_may_be_missing() {
    let folder = Folder::new("unread-bones");
    let mut bytes = scene();
    let sound = folder.file("whole.b3d", &bytes);
    // A further node, of which 8 bytes are there.
    let len = (bytes.len() as u32 + 100).to_le_bytes();
    bytes[4..8].copy_from_slice(&len);
    bytes.extend(b"NODE\x64\0\0\0");
    let cut = folder.file("cut.b3d", &bytes);
    for (motion, model, is_whole) in [(&sound, &sound, true), (&cut, &sound, false), (&sound, &cut, false)] {
        let output = program().arg("fit").args([motion, model]).output().unwrap();
        let said = stderr(&output);
        assert_eq!(said.contains("cut, bones or keys may be missing"), !is_whole, "{said}");
        assert_eq!(code(&output), if is_whole { 0 } else { 1 }, "{said}");
    }
}

/// A picture lacks what `verify` finds, as a model for another program does.
#[test]
fn a_picture_of_a_damaged_model_is_reported() {
    let folder = Folder::new("unread-picture");
    let scene = |last: i32| {
        let mut vertices = Bytes::new().u32(0).u32(0).u32(0);
        for position in [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]] {
            vertices = vertices.f32s(position);
        }
        let triangles = b3d::triangles(-1, &[[0, 1, 2], [0, 1, last]]);
        b3d::scene([b3d::node("n", [b3d::mesh(-1, [b3d::chunk(b"VRTS", vertices), triangles])])]).to_vec()
    };
    for (name, last, status) in [("sound", 2, 0), ("damaged", 9, 1)] {
        let path = folder.file(&format!("{name}.b3d"), scene(last));
        for extension in ["png", "glb"] {
            let target = folder.0.join(format!("{name}.{extension}"));
            let output = meshpeek("export", &path, &["-o", target.to_str().unwrap()]);
            assert_eq!(code(&output), status, "{name}.{extension}: {}", stderr(&output));
            assert!(target.is_file());
        }
    }
}
