//! What could not be read is never taken for found.

use serde_json::Value as Json;

use super::{model, pbo};
use crate::support::program::{Folder, code, lines, run, stderr, stdout};
use crate::writer::rap;

/// The rows of what could not all be read: the path below the folder, the member and the note.
fn unread(folder: &Folder, links: &[Json]) -> Vec<(String, String)> {
    let mut rows = Vec::new();
    for link in links.iter().filter(|link| link["state"] == "unread") {
        assert_eq!((&link["kind"], &link["name"], &link["target"]), (&Json::Null, &Json::Null, &Json::Null));
        assert!(link["note"].as_str().is_some_and(|note| !note.is_empty()), "{link}");
        let path = std::path::Path::new(link["path"].as_str().unwrap()).strip_prefix(&folder.0).unwrap();
        rows.push((path.to_str().unwrap().replace('\\', "/"), link["member"].as_str().unwrap_or_default().to_owned()));
    }
    rows
}

#[test]
fn what_cannot_be_read_is_a_row_and_status_1() {
    let folder = Folder::new("refs-unread");
    let whole = model(&[r"my\a.paa"], "", "");
    let material = rap::file(&rap::material(&[r"my\a.paa"], ""), &[]).to_vec();
    let lfs = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 275185\n";
    folder.file("cut.p3d", &whole[..whole.len() / 2]);
    folder.file("cut.rvmat", &material[..material.len() - 9]);
    folder.file("lfs.p3d", lfs);
    folder.file("lfs.rvmat", lfs);
    folder.file("none.pbo", b"not an archive");
    folder.file("old.p3d", b"SP3X\x01\0\0\0");
    folder.file("packed.pbo", pbo("my", &[("cut.p3d", &whole[..40]), ("whole.p3d", &whole), ("a.paa", b"x")]));
    // These name no other files, or nothing at all.
    folder.file("cut.paa", b"\x01\xff");
    folder.file("lfs.ogg", lfs);
    folder.file("notes.txt", b"text");
    folder.file("empty.hpp", b"");
    folder.file("program.bmx", b"Graphics 640, 480\nPrint \"a BlitzMax program\"\nRepeat\nUntil KeyHit(KEY_ESCAPE)\n");
    let root = folder.0.to_str().unwrap();
    let expected: Vec<(String, String)> = [
        ("cut.p3d", ""),
        ("cut.rvmat", ""),
        ("lfs.p3d", ""),
        ("lfs.rvmat", ""),
        ("none.pbo", ""),
        ("old.p3d", ""),
        ("packed.pbo", "cut.p3d"),
    ]
    .map(|(path, member)| (path.to_owned(), member.to_owned()))
    .to_vec();
    for flags in [&["refs", root][..], &["refs", "--missing", root]] {
        let output = run(flags.iter().copied());
        assert_eq!(unread(&folder, &lines(&output)), expected);
        assert_eq!(code(&output), 1);
        assert!(stderr(&output).contains("; not all read: 7 files"), "{}", stderr(&output));
    }
    for (path, _) in &expected {
        if path == "packed.pbo" {
            continue;
        }
        let alone = run(["refs", "--missing", folder.0.join(path).to_str().unwrap()]);
        assert_eq!((code(&alone), unread(&folder, &lines(&alone)).len()), (1, 1), "{path}: {}", stderr(&alone));
        let table = run(["refs", "--format", "table", folder.0.join(path).to_str().unwrap()]);
        assert!(stdout(&table).contains("\n  unread"), "{}", stdout(&table));
        let csv = run(["refs", "--format", "csv", folder.0.join(path).to_str().unwrap()]);
        assert!(stdout(&csv).contains(",,,,unread,"), "{}", stdout(&csv));
        let stale = run(["refs", "--stale", folder.0.join(path).to_str().unwrap()]);
        assert_eq!((code(&stale), lines(&stale).len()), (1, 1), "{path}");
    }
    // All else is read.
    for path in ["cut.paa", "lfs.ogg", "notes.txt", "empty.hpp", "program.bmx"] {
        let alone = run(["refs", folder.0.join(path).to_str().unwrap()]);
        assert_eq!((code(&alone), stdout(&alone).as_str()), (0, ""), "{path}");
    }
}
