//! Streams that say whether they are complete, and scans that continue from one.

use std::path::Path;

use serde_json::Value as Json;

use crate::support::program::{Folder, code, lines, program, run, stderr, stdout};
use crate::writer::pbo::{Tail, Writer};
use crate::writer::zip::{Entry, zip};
use crate::writer::{b3d, mlod};

fn addon(names: &[&str]) -> Vec<u8> {
    let writer = Writer::new().product(&[(b"prefix", b"x\\y")]);
    let scene = b3d::sound().to_vec();
    names.iter().fold(writer, |writer, name| writer.stored(name.as_bytes(), &scene)).finish(Tail::Sha1)
}

fn tree(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.file("in/a.pbo", addon(&["one.b3d", "two.b3d"]));
    folder.file("in/b.pbo", addon(&["three.b3d"]));
    folder.file("in/deep/model.p3d", mlod::sound().to_vec());
    folder.file("in/scene.b3d", b3d::sound().to_vec());
    folder.file("in/broken.b3d", b"BB3D");
    folder.file("in/text.txt", "nothing");
    folder
}

fn scan(folder: &Folder, more: &[&str]) -> Vec<u8> {
    let input = folder.0.join("in");
    let args = [&["scan", input.to_str().unwrap(), "--events", "--digests", "--sort", "path"], more].concat();
    let output = run(args);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    output.stdout
}

/// Checks that a scan that continues from this stream equals a fresh scan. Returns the number of new records.
fn new_records(folder: &Folder, old: &[u8]) -> usize {
    let fresh = scan(folder, &[]);
    let old = folder.file("old.ndjson", old);
    let since = scan(folder, &["--since", old.to_str().unwrap()]);
    assert!(since == fresh, "{}\n\n{}", String::from_utf8_lossy(&since), String::from_utf8_lossy(&fresh));
    // Copied records have a mark that no scan writes.
    let marked = String::from_utf8(std::fs::read(&old).unwrap()).unwrap().replace("\"path\":", "\"path\" :");
    std::fs::write(&old, marked).unwrap();
    let since = scan(folder, &["--since", old.to_str().unwrap()]);
    String::from_utf8(since).unwrap().lines().filter(|line| line.starts_with("{\"path\":")).count()
}

fn touch(path: &Path) {
    let file = std::fs::File::options().append(true).open(path).unwrap();
    file.set_modified(std::time::SystemTime::now() + std::time::Duration::from_secs(5)).unwrap();
}

#[test]
fn a_scan_continues_where_another_ended() {
    let folder = tree("since");
    let old = scan(&folder, &[]);
    assert_eq!(new_records(&folder, &old), 0);
    touch(&folder.0.join("in/a.pbo"));
    assert_eq!(new_records(&folder, &old), 3);
    folder.file("in/b.pbo", addon(&["three.b3d", "four.b3d", "five.b3d"]));
    assert_eq!(new_records(&folder, &old), 3 + 4);
    folder.file("in/new.b3d", b3d::sound().to_vec());
    assert_eq!(new_records(&folder, &old), 3 + 4 + 1);
    std::fs::remove_file(folder.0.join("in/scene.b3d")).unwrap();
    assert_eq!(new_records(&folder, &old), 3 + 4 + 1);
    // Another file in its place, with the same size and time.
    let path = folder.0.join("in/broken.b3d");
    let time = path.metadata().unwrap().modified().unwrap();
    let other = folder.file("other", b"BB3\0");
    std::fs::File::options().append(true).open(&other).unwrap().set_modified(time).unwrap();
    std::fs::rename(&other, &path).unwrap();
    if cfg!(unix) {
        assert_eq!(new_records(&folder, &old), 3 + 4 + 1 + 1);
    }
}

#[test]
fn an_interrupted_stream_is_believed_as_far_as_it_can_be() {
    let folder = tree("interrupted");
    let old = String::from_utf8(scan(&folder, &[])).unwrap();
    let all: Vec<&str> = old.lines().collect();
    let records = all.len() - 1;
    for cut in 0..old.len() {
        if cut % 97 == 0 {
            continues_from(&folder, &old.as_bytes()[..cut]);
        }
    }
    // Without its end, loose files are known, archives are not.
    let headless = all[..records].join("\n") + "\n";
    assert_eq!(new_records(&folder, headless.as_bytes()), 3 + 2);
    // A stream that says that it was interrupted, and one that continues after its end.
    let interrupted = headless.clone()
        + "{\"event\":\"interrupted\"}\n"
        + &all[records].replace("\"whole\":true", "\"whole\":false")
        + "\n";
    assert_eq!(new_records(&folder, interrupted.as_bytes()), 3 + 2);
    assert_eq!(new_records(&folder, (old.clone() + all[0]).as_bytes()), 3 + 2);
    // A stream from a scan with other options.
    let input = folder.0.join("in");
    let other = run(["scan", input.to_str().unwrap(), "--events"]);
    assert_eq!(new_records(&folder, &other.stdout), records);
}

#[test]
fn archives_of_a_stream_without_an_end_are_read_again() {
    let scene = b3d::sound().to_vec();
    let packed = zip(&[Entry::deflated("one.b3d", &scene), Entry::stored("two.b3d", &scene)], b"").to_vec();
    for (name, archive) in [("a.pbo", addon(&["one.b3d", "two.b3d"])), ("a.zip", packed)] {
        let folder = Folder::new("since-archives");
        folder.file(&format!("in/{name}"), archive);
        folder.file("in/b.b3d", &scene);
        let whole = String::from_utf8(scan(&folder, &[])).unwrap();
        assert_eq!(new_records(&folder, whole.as_bytes()), 0, "{name}");
        let lines: Vec<&str> = whole.lines().collect();
        let headless = lines[..lines.len() - 1].join("\n") + "\n";
        assert_eq!(lines.len(), 5, "{whole}");
        assert_eq!(new_records(&folder, headless.as_bytes()), 3, "{name}");
    }
}

fn continues_from(folder: &Folder, old: &[u8]) {
    let old = folder.file("old.ndjson", old);
    assert!(scan(folder, &["--since", old.to_str().unwrap()]) == scan(folder, &[]));
}

/// A stream that ends with a path that cannot be read.
fn output_with_digests(input: &Path) -> Vec<u8> {
    let output = run(["scan", input.to_str().unwrap(), "no/such/file", "--events", "--digests", "--sort", "path"]);
    assert_eq!(code(&output), 1);
    output.stdout
}

#[test]
fn events_close_a_stream_and_name_paths_without_records() {
    let folder = tree("events");
    let input = folder.0.join("in");
    let output = run(["scan", input.to_str().unwrap(), "no/such/file", "--events"]);
    assert_eq!(code(&output), 1);
    let lines_of_scan = lines(&output);
    let events: Vec<&Json> = lines_of_scan.iter().filter(|line| !line["event"].is_null()).collect();
    assert_eq!((&events[0]["event"], &events[0]["path"]), (&"unreadable".into(), &"no/such/file".into()));
    let end = lines_of_scan.last().unwrap();
    assert_eq!((&end["event"], &end["whole"], &end["unreadable"]), (&"end".into(), &false.into(), &1.into()));
    assert_eq!((&end["assets"], &end["damaged"]), (&(lines_of_scan.len() - 2).into(), &1.into()));
    assert!(lines(&run(["scan", input.to_str().unwrap()])).iter().all(|line| line["event"].is_null()));
    // Files that could not be read do not prevent continuing from the others, including archives.
    assert_eq!(new_records(&folder, &output_with_digests(&input)), 0);
    let table = run(["scan", "corpus/b3d", "--events", "--format", "csv"]);
    assert_eq!((code(&table), stdout(&table).as_str()), (2, ""));
}

/// A path with bytes that are not UTF-8 has the text of another path, so that its records may belong to both.
#[cfg(target_os = "linux")]
#[test]
fn records_of_paths_without_a_text_of_their_own_are_made_again() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let folder = Folder::new("since-lossy");
    folder.file("in/scene.b3d", b3d::sound().to_vec());
    // The path of an archive is clear, whatever the names of its members.
    let member = Writer::new().stored(b"\xff.b3d", &b3d::sound().to_vec()).finish(Tail::Sha1);
    folder.file("in/a.pbo", member);
    assert_eq!(new_records(&folder, &scan(&folder, &[])), 0);
    let path = folder.0.join("in").join(OsStr::from_bytes(b"\xff.b3d"));
    std::fs::write(path, b3d::sound().to_vec()).unwrap();
    assert_eq!(new_records(&folder, &scan(&folder, &[])), 1);
    folder.file("in/\\xff.b3d", b"BB3D");
    assert_eq!(new_records(&folder, &scan(&folder, &[])), 2);
}

#[test]
fn records_say_how_members_are_stored() {
    let folder = tree("stored");
    let pbo = folder.file(
        "c.pbo",
        Writer::new().product(&[(b"prefix", b"x\\y")]).packed(b"a.p3d", &mlod::sound().to_vec()).finish(Tail::Sha1),
    );
    let lines_of_scan = lines(&run(["scan", pbo.to_str().unwrap(), "--digests", "--sort", "path"]));
    assert_eq!((&lines_of_scan[0]["prefix"], &lines_of_scan[0]["stored"]), (&"x\\y".into(), &Json::Null));
    let stored = &lines_of_scan[1]["stored"];
    assert_eq!((&stored["method"], &stored["time"]), (&"lzss".into(), &"2020-09-13T12:26:40Z".into()));
    let whole = std::fs::read(&pbo).unwrap();
    let (offset, bytes) = (stored["offset"].as_u64().unwrap() as usize, stored["bytes"].as_u64().unwrap() as usize);
    assert_eq!(whole.len(), offset + bytes + 21);
    // `file` is the digest of these exact bytes.
    let cat = run(["cat", &format!("{}!/a.p3d", pbo.display())]).stdout;
    assert_eq!(lines_of_scan[1]["digests"]["file"], digest(&cat));
    assert_eq!(lines_of_scan[0]["digests"]["file"], digest(&whole));
    assert!(lines_of_scan[0]["stamp"].is_string() && lines_of_scan[1]["stamp"].is_null());
    let broken = lines(&run(["scan", folder.0.join("in/broken.b3d").to_str().unwrap(), "--digests"]));
    assert_eq!(broken[0]["digests"]["file"], digest(b"BB3D"));
    let zip = lines(&run(["scan", "corpus/zip/assets.zip", "--sort", "path"]));
    assert_eq!((&zip[1]["stored"]["method"], &zip[1]["stored"]["time"]), (&"stored".into(), &Json::Null));
}

fn digest(bytes: &[u8]) -> String {
    use sha2::{Digest, Sha256};
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Members that cannot be read are counted in the archive's record, at the end of the scan, and when records are copied.
#[test]
fn members_that_cannot_be_read_are_counted_whatever_their_names() {
    let folder = Folder::new("since-unread-members");
    let locked = |name| Entry::stored(name, b"BB3D\x04\0\0\0\x01\0\0\0").both(|header| header.flags |= 1);
    let other = Entry::stored("c", b"...").both(|header| header.method = 98);
    folder.file("in/x.zip", zip(&[locked("no extension"), locked("b.b3d"), other], b"").to_vec());
    let input = folder.0.join("in");
    let old = folder.0.join("old.ndjson");
    let scan = |flags: &[&str]| program().arg("scan").arg(&input).args(flags).output().unwrap();
    let first = scan(&["--events"]);
    std::fs::write(&old, &first.stdout).unwrap();
    let again = scan(&["--events", "--since", old.to_str().unwrap()]);
    for output in [first, again] {
        assert_eq!(code(&output), 0);
        assert!(stderr(&output).contains(", 3 members not read\n"), "{}", stderr(&output));
        let lines = lines(&output);
        assert_eq!(lines[0]["unchecked"], serde_json::json!({"encrypted": 2, "ppmd": 1}), "{lines:?}");
        assert_eq!(lines.last().unwrap()["unread_members"], 3);
    }
    let header = scan(&["--depth", "header"]);
    assert!(lines(&header)[0]["unchecked"].is_null());
}
