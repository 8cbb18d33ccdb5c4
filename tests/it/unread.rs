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

/// Members beyond the end of a list may match a pattern, too.
#[test]
fn patterns_say_what_they_could_not_search() {
    let folder = Folder::new("unread-patterns");
    let whole = zip(&[Entry::stored("a.txt", b"one"), Entry::stored("b.txt", b"two")], b"").to_vec();
    let second = memchr::memmem::find(&whole[4..], b"PK\x03\x04").unwrap();
    let cut = &whole[..second + 24];
    let cut_archive = folder.file("cut.zip", cut);
    let inner = zip(&[Entry::stored("c.txt", b"three")], b"").to_vec();
    let nested = [Entry::stored("cut.zip", cut), Entry::stored("inner.zip", &inner), encrypted("closed.zip", &inner)];
    let nested_archive = folder.file("nested.zip", zip(&nested, b"").to_vec());
    let with = |archive: &Path, pattern: &str| format!("{}!/{pattern}", archive.display());
    let run = |verb: &str, address: &str| program().arg(verb).arg(address).output().unwrap();
    for (address, expected, unsearched) in [
        (with(&cut_archive, "*.txt"), "one", 1),
        (with(&nested_archive, "*.zip!/*.txt"), "onethree", 2),
        (with(&nested_archive, "inner.zip!/*.txt"), "three", 0),
    ] {
        let output = run("cat", &address);
        let said = stderr(&output);
        assert_eq!(code(&output), i32::from(unsearched > 0), "{address}: {said}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{address}");
        assert_eq!(said.matches("; other members may match\n").count(), unsearched, "{address}: {said}");
    }
    // One that is found, where others may be.
    let output = run("hex", &with(&cut_archive, "*.txt"));
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    // None is found, but there may be one.
    for (archive, pattern) in
        [(&cut_archive, "*.none"), (&nested_archive, "cut.zip!/c.*"), (&nested_archive, "c*.zip!/c.txt")]
    {
        let output = run("cat", &with(archive, pattern));
        assert_eq!(code(&output), 2);
        assert!(stderr(&output).contains("; other members may match\n"), "{pattern}: {}", stderr(&output));
    }
}

/// Numbers and lines of a damaged file do not show that others are missing.
#[test]
fn errors_that_a_choice_hides_are_counted() {
    let folder = Folder::new("unread-hidden-errors");
    let bytes = scene();
    let cut = folder.file("cut.b3d", &bytes[..bytes.len() - 8]);
    let sound = folder.file("sound.b3d", bytes);
    let hint = "so values may be incomplete; info lists them\n";
    for (path, keys, is_said) in [
        (&cut, "name,vertices", true),
        (&cut, "name,problems", false),
        (&cut, "errors", false),
        (&sound, "name,vertices", false),
    ] {
        let output = meshpeek("info", path, &["--select", keys]);
        assert_eq!((code(&output), stderr(&output).ends_with(hint)), (0, is_said), "{keys}: {}", stderr(&output));
    }
    let shown = |flags: &[&str]| stderr(&meshpeek("tree", &cut, flags));
    assert_eq!(shown(&["--fields"]), "");
    let hidden = shown(&["--only", "array"]);
    assert!(hidden.ends_with("not shown; verify lists them\n"), "{hidden}");
    assert_eq!(shown(&["--depth", "1"]), hidden);
    // Errors of no field are those of the file.
    for (file, cause) in [("bmx_claims.bmx", "cannot inflate"), ("mesh_without_vertices.b3d", "without a VRTS chunk")] {
        let path = Path::new("corpus/hostile").join(file);
        let said = stderr(&meshpeek("tree", &path, &[]));
        assert!(said.contains("the file has errors that no line shows: ") && said.contains(cause), "{file}: {said}");
    }
    assert_eq!(stderr(&meshpeek("tree", &sound, &["--only", "array"])), "");
}

/// Files with equal content may differ in how they store it.
#[test]
fn equal_content_in_different_bytes_is_said() {
    let folder = Folder::new("unread-bytes");
    let sound = Writer::new().stored(b"a.b3d", &scene()).finish(Tail::Sha1);
    let a = folder.file("a.pbo", &sound);
    let copy = folder.file("copy.pbo", &sound);
    let longer = folder.file("longer.pbo", [&sound[..], b"more"].concat());
    for (other, said) in [(&copy, ""), (&longer, "the same content in different bytes\n")] {
        let output = program().arg("diff").args([&a, other]).output().unwrap();
        assert_eq!((code(&output), stderr(&output).as_str()), (0, said));
        assert!(output.stdout.is_empty());
    }
}

/// Files that a walk passes over are counted by every verb, at the end of a stream, too.
#[test]
fn what_is_left_out_of_folders_is_counted() {
    let folder = Folder::new("unread-left-out");
    for name in ["in/a.b3d", "in/.hidden.b3d", "in/.hidden/b.b3d", "in/ignored.b3d", "in/deep/c.b3d"] {
        folder.file(name, scene());
    }
    folder.file("in/.ignore", "ignored.b3d\n");
    let input = folder.0.join("in");
    for (verb, flags, expected) in [
        ("scan", &[][..], "left out: 3 hidden or ignored files and folders\n"),
        ("verify", &[], "left out: 3 hidden or ignored files and folders\n"),
        ("plan", &[], "left out: 3 hidden or ignored files and folders\n"),
        ("refs", &[], "left out: 2 hidden or ignored files and folders\n"),
        ("dupes", &[], "left out: 2 hidden or ignored files and folders\n"),
        ("scan", &["--hidden"], "left out: 1 hidden or ignored file or folder\n"),
        ("scan", &["--hidden", "--no-ignore"], ""),
        (
            "scan",
            &["--folder-depth", "1"],
            "left out: 3 hidden or ignored files and folders, 1 folder below --folder-depth\n",
        ),
        // A folder may contain what matches.
        ("verify", &["-g", "a.*"], "left out: 1 hidden or ignored file or folder\n"),
        ("scan", &["--type", "lodka"], "left out: 3 hidden or ignored files and folders\n"),
    ] {
        let said = stderr(&meshpeek(verb, &input, flags));
        let is_right = if expected.is_empty() { !said.contains("left out") } else { said.contains(expected) };
        assert!(is_right, "{verb} {flags:?}: {said}");
        assert_eq!(stderr(&meshpeek(verb, &input, &[flags, &["-q"]].concat())), "", "{verb} {flags:?}");
    }
    // Without any file, only what explains that is said.
    for (flags, expected) in
        [(&["--folder-depth", "0"][..], "left out: 1 folder below --folder-depth\n"), (&[], "left out: 1 link\n")]
    {
        let folder = folder.0.join(if flags.is_empty() { "links" } else { "in" });
        std::fs::create_dir_all(&folder).unwrap();
        if flags.is_empty() {
            #[cfg(unix)]
            std::os::unix::fs::symlink("../in", folder.join("link")).unwrap();
            #[cfg(not(unix))]
            continue;
        }
        let said = stderr(&meshpeek("scan", &folder, flags));
        assert!(said.starts_with(expected), "{flags:?}: {said}");
    }
    let output = meshpeek("scan", &input, &["--events", "--folder-depth", "1"]);
    let end = lines(&output).pop().unwrap();
    let counts = ["hidden_or_ignored", "links", "folders_too_deep"].map(|key| end[key].as_u64().unwrap());
    assert_eq!((&end["event"], counts), (&"end".into(), [3, 0, 1]));
}

/// An image in an archive may be there and not readable.
#[test]
fn an_encrypted_image_is_not_called_missing() {
    let folder = Folder::new("unread-image");
    let image = crate::support::models::red(8);
    let entries =
        [Entry::stored("m.b3d", &crate::support::models::with_images(&[b"a.png"])), encrypted("a.png", &image)];
    let archive = folder.file("a.zip", zip(&entries, b"").to_vec());
    for extension in ["png", "glb"] {
        let target = folder.0.join(format!("m.{extension}"));
        let address = format!("{}!/m.b3d", archive.display());
        let output = program().args(["export", &address, "-o", target.to_str().unwrap()]).output().unwrap();
        let said = stderr(&output);
        assert!(code(&output) == 1 && said.contains("1 image cannot be read: a.png\n"), "{said}");
        assert!(!said.contains("not available"), "{said}");
    }
}

/// The head of an image does not show that the rest is sound.
#[test]
fn a_damaged_image_is_not_embedded() {
    let folder = Folder::new("unread-embedded");
    let model = folder.file("m.b3d", crate::support::models::with_images(&[b"a.png"]));
    let image = crate::support::models::red(64);
    let mut flipped = image.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 0xff;
    for (name, bytes, status) in
        [("sound", &image[..], 0), ("cut", &image[..image.len() - 20], 1), ("flipped", &flipped, 1)]
    {
        folder.file("a.png", bytes);
        let target = folder.0.join("m.glb");
        let output = meshpeek("export", &model, &["-o", target.to_str().unwrap()]);
        let said = stderr(&output);
        assert_eq!(
            (code(&output), said.contains("1 image cannot be decoded: a.png\n")),
            (status, status == 1),
            "{name}: {said}"
        );
        let embedded = memchr::memmem::find(&std::fs::read(&target).unwrap(), &bytes[..40]).is_some();
        assert_eq!(embedded, status == 0, "{name}");
    }
}

/// Models without a picture, and pictures without a part of their models, are counted by why.
#[test]
fn thumbnails_say_what_they_lack() {
    let folder = Folder::new("unread-thumbnails");
    let triangle = || b3d::node("n", [b3d::one_triangle()]);
    let whole = b3d::scene([triangle(), triangle()]).to_vec();
    folder.file("in/whole.b3d", &whole);
    folder.file("in/cut.b3d", &whole[..whole.len() - 20]);
    folder.file("in/empty.b3d", b3d::scene([b3d::node("n", [])]).to_vec());
    let single = b3d::scene([triangle()]).to_vec();
    folder.file("in/damaged.b3d", &single[..single.len() - 20]);
    let output = meshpeek("scan", &folder.0.join("in"), &["--thumbnails", folder.0.join("out").to_str().unwrap()]);
    let said = stderr(&output);
    assert!(said.contains("2 pictures, 1 incomplete: some parts cannot be read, "), "{said}");
    assert!(said.contains(", 1 model without triangles, 1 model too damaged to draw\n"), "{said}");
    let small = folder.0.join("small");
    let flags = ["--thumbnails", small.to_str().unwrap(), "--max-decoded", "100K"];
    let said = stderr(&meshpeek("scan", &folder.0.join("in"), &flags));
    assert!(said.contains(" models too large for the limits"), "{said}");
}
