//! Addresses: the location that a scan prints leads back to the asset it was printed for.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use meshpeek::Budget;
use meshpeek::address::{Address, open_member};
use meshpeek::scan::{Found, Record, Scan, Subject};
use meshpeek::{Access, Inspect, Limits};
use serde_json::Value as Json;

use crate::support::files::{outside, root};
use crate::support::program::{Folder, code, lines, program, run, stderr, stdout};
use crate::writer::pbo::{Tail, Writer};
use crate::writer::zip::{Entry, zip};

fn records(scan: &Scan) -> Vec<Record> {
    let mut records = Vec::new();
    for found in scan.iter().unwrap() {
        if let Found::Asset(record) = found {
            records.push(*record);
        }
    }
    records
}

/// The record without the parts that depend on the time of the file and the options of the scan.
fn facts(record: &Record) -> Json {
    let mut record = record.clone();
    record.stamp = None;
    serde_json::to_value(record).unwrap()
}

fn address(record: &Record) -> String {
    let path = record.path.to_str().unwrap();
    record.member.as_ref().map_or_else(|| path.to_owned(), |member| format!("{path}!/{}", member.text))
}

/// Files of every kind in nested archives, twice under the same names.
fn twice() -> Vec<u8> {
    let tree: Vec<_> =
        crate::support::scans::tree().into_iter().filter(|(_, bytes)| bytes.len() < 4096).step_by(20).collect();
    let twice: Vec<_> = tree.iter().chain(&tree).cloned().collect();
    let pbo = crate::support::scans::packed_into_pbo(&twice);
    zip(&[Entry::deflated("all.pbo", &pbo), Entry::stored("all.pbo", &pbo)], b"").to_vec()
}

/// The project's archives and those of other people.
fn archives() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = ["pbo", "zip", "hostile"].map(|name| root().join("corpus").join(name)).into();
    folders.extend(outside().into_iter().flat_map(|folder| [folder.join("pbo"), folder.join("wild")]));
    folders
}

#[test]
fn every_address_that_a_scan_gives_opens_the_same_asset() {
    let folder = Folder::new("twice");
    let all = folder.file("twice.zip", twice());
    let mut scan = Scan::new(archives().into_iter().chain([all]));
    scan.digests = true;
    let limits = Limits::default();
    let mut members = 0;
    for record in records(&scan) {
        let text = address(&record);
        let address = Address::parse(&text);
        let file = address.open(Access::READ, &limits).unwrap();
        let budget = Budget::new(file.len() as u64, &limits);
        let opened = open_member(&address.file, &file, address.member.as_deref(), &budget).unwrap();
        let again = scan.record(&address.file, Subject::Opened(&opened));
        assert_eq!(facts(&again), facts(&record), "{text}");
        members += usize::from(record.member.is_some());
        // A scan of the address alone gives the same record.
        let mut alone = Scan::new([&text]);
        (alone.archives, alone.digests) = (false, true);
        let [alone] = &records(&alone)[..] else { panic!("{text} is not one asset") };
        assert_eq!(facts(alone), facts(&record), "{text}");
    }
    assert!(members > 50, "{members}");
}

#[test]
fn a_visit_without_threads_meets_the_assets_of_a_scan() {
    let folder = Folder::new("visit");
    let all = folder.file("twice.zip", twice());
    let mut scanned: Vec<_> =
        records(&Scan::new([&all])).into_iter().map(|r| (r.member.map(|m| m.text), r.summary)).collect();
    scanned.sort_by(|(a, _), (b, _)| a.cmp(b));
    let mut visited = Vec::new();
    let bytes = std::fs::read(&all).unwrap();
    let done = meshpeek::visit::visit(&bytes, &Limits::default(), &mut |found| {
        let member = found.member.map(|name| name.text.clone());
        visited.push((member, found.asset.map(|asset| asset.summarize()).map_err(|error| error.message())));
        ControlFlow::Continue(())
    });
    assert!(done.is_continue());
    visited.sort_by(|(a, _), (b, _)| a.cmp(b));
    assert_eq!(visited.len(), scanned.len());
    for ((name, visited), (other, scanned)) in visited.iter().zip(&scanned) {
        assert_eq!(name, other);
        match visited {
            Ok(summary) => assert_eq!(summary, scanned),
            Err(error) => assert_eq!(error, &scanned.problems[0].message),
        }
    }
    let mut met = 0;
    let stopped = meshpeek::visit::visit(&bytes, &Limits::default(), &mut |_| {
        met += 1;
        if met == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert!(stopped.is_break() && met == 3);
}

/// The members before the end of a budget are opened, and each member after it is reported.
#[test]
fn a_visit_opens_assets_until_its_work_is_spent() {
    let scene = crate::writer::b3d::sound().to_vec();
    let writer = (0..5000).fold(Writer::new(), |writer, i| writer.stored(format!("{i}.b3d").as_bytes(), &scene));
    let bytes = writer.finish(Tail::Sha1);
    let visited = |limits: &Limits| {
        let (mut opened, mut failed) = (0, 0);
        let _ = meshpeek::visit::visit(&bytes, limits, &mut |found| {
            match found.asset {
                Ok(_) => opened += 1,
                Err(_) => failed += 1,
            }
            ControlFlow::Continue(())
        });
        (opened, failed)
    };
    assert_eq!(visited(&Limits::default()), (5001, 0));
    let (opened, failed) = visited(&Limits::default().with_work(1));
    assert!(opened > 100 && failed > 100 && opened + failed == 5001, "{opened} opened, {failed} not");
    // The archive itself, and the error that says what is left out.
    assert_eq!(visited(&Limits::default().with_archive_members(10)), (11, 1));
}

#[test]
fn the_program_takes_addresses_for_files() {
    let mut seen = 0;
    for record in lines(&run(["scan", "corpus/zip", "corpus/pbo", "--digests"])) {
        let Some(member) = record["member"].as_str() else { continue };
        let address = format!("{}!/{member}", record["path"].as_str().unwrap());
        let output = run(["info", "--json", "--digests", &address]);
        let info: Json = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", stderr(&output)));
        for key in ["path", "member", "format", "counts", "digests", "references", "bytes", "problems"] {
            assert_eq!(info[key], record[key], "{address}: {key}");
        }
        assert_eq!(code(&output) == 0, record["counts"].as_object().unwrap().values().any(|count| !count.is_null()));
        seen += 1;
    }
    assert!(seen > 10, "{seen}");
    let tree = run(["tree", "corpus/zip/addons.zip!/A.PBO!/data/scene.b3d"]);
    assert_eq!(code(&tree), 0, "{}", stderr(&tree));
    assert!(stdout(&tree).contains("BB3D") || stdout(&tree).contains("NODE"), "{}", stdout(&tree));
    let dump = run(["dump", "corpus/zip/nested.zip!/2.zip!/1.zip!/scene.b3d", "meshes/0/positions"]);
    assert_eq!(code(&dump), 0, "{}", stderr(&dump));
    assert_eq!(stdout(&dump).lines().count(), 5);
    let verify = run(["verify", "corpus/zip/addons.zip!/b.pbo"]);
    assert_eq!((code(&verify), stdout(&verify).as_str()), (0, ""));
    assert!(stderr(&verify).contains("3 assets"), "{}", stderr(&verify));
    let scan = lines(&run(["scan", "corpus/zip/addons.zip!/b.pbo", "--sort", "path"]));
    let members: Vec<&str> = scan.iter().map(|record| record["member"].as_str().unwrap()).collect();
    assert_eq!(members, ["b.pbo", "b.pbo!/data\\scene.b3d", "b.pbo!/model.p3d"]);
    assert!(scan.iter().all(|record| record["path"] == "corpus/zip/addons.zip"));
}

#[test]
fn a_name_that_is_not_there_gives_the_nearest() {
    let output = run(["info", "corpus/zip/addons.zip!/a.pbo!/data/scen.b3d"]);
    assert_eq!((code(&output), stdout(&output).as_str()), (2, ""));
    let errors = stderr(&output);
    assert!(errors.contains("no member data/scen.b3d; nearest: data\\scene.b3d"), "{errors}");
    let output = run(["scan", "corpus/zip/addons.zip!/c.pbo"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("nearest: a.pbo, b.pbo"), "{}", stderr(&output));
    let output = run(["info", "corpus/zip/nowhere.zip!/x"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("corpus/zip/nowhere.zip"), "{}", stderr(&output));
}

#[test]
fn cat_writes_members_as_they_are() {
    let whole = run(["cat", "corpus/zip/addons.zip!/b.pbo"]);
    assert_eq!(whole.stdout, run(["cat", "corpus/zip/addons.zip!/a.pbo"]).stdout);
    let folder = Folder::new("cat");
    let copy = folder.0.join("b.pbo");
    assert_eq!(code(&run(["cat", "corpus/zip/addons.zip!/b.pbo", "-o", copy.to_str().unwrap()])), 0);
    assert_eq!(std::fs::read(&copy).unwrap(), whole.stdout);
    assert_eq!(stdout(&run(["cat", "corpus/zip/assets.zip!/README.txt"])), "nothing to see");
    // A name that is not UTF-8 can be used as it was printed.
    let bytes = Writer::new().product(&[]).stored(b"\xec\xe8\xf0.txt", b"peace").stored(b"a", b"1").stored(b"a", b"2");
    let archive = folder.file("odd.pbo", bytes.finish(Tail::Sha1));
    let member = |name: &str| format!("{}!/{name}", archive.display());
    assert_eq!(stdout(&run(["cat", &member("\\xec\\xe8\\xf0.txt")])), "peace");
    let first = run(["cat", &member("a")]);
    assert_eq!((stdout(&first).as_str(), stdout(&run(["cat", &member("a#1")])).as_str()), ("1", "2"));
    assert!(stderr(&first).contains("2 members have this name; #0 to #1 select one"), "{}", stderr(&first));
    assert_eq!(code(&run(["cat", "corpus/zip/locked.zip!/secret.b3d"])), 2);
}

#[test]
fn standard_input_is_a_file_too() {
    let fed = |args: &[&str], bytes: &[u8]| {
        let mut child =
            program().args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(bytes).unwrap();
        child.wait_with_output().unwrap()
    };
    let archive = std::fs::read(root().join("corpus/zip/addons.zip")).unwrap();
    let records = lines(&fed(&["scan", "-", "--sort", "path"], &archive));
    assert_eq!(records.len(), lines(&run(["scan", "corpus/zip/addons.zip"])).len());
    assert!(records.iter().all(|record| record["path"] == "-"));
    let info = fed(&["info", "--json", "--", "-!/a.pbo!/model.p3d"], &archive);
    let record: Json = serde_json::from_slice(&info.stdout).unwrap();
    assert_eq!((&record["format"], &record["member"]), (&"mlod".into(), &"a.pbo!/model.p3d".into()));
    assert_eq!(fed(&["cat", "-"], b"any bytes").stdout, b"any bytes");
}

#[test]
fn the_file_system_says_which_part_is_the_file() {
    let folder = Folder::new("seams");
    let scene = crate::writer::b3d::sound().to_vec();
    let inner = zip(&[Entry::stored("scene.b3d", &scene)], b"").to_vec();
    let odd = folder.file("odd!/inner.zip", &inner);
    let text = format!("{}!/SCENE.b3d", odd.display());
    let parsed = Address::parse(&text);
    assert_eq!((parsed.file.as_path(), parsed.member.as_deref()), (odd.as_path(), Some(&b"SCENE.b3d"[..])));
    assert_eq!(Address::parse(odd.parent().unwrap()).member, None);
    assert_eq!(run(["cat", &text]).stdout, scene);
    let nowhere = Address::parse("no.zip!/a.zip!/b");
    assert_eq!((nowhere.file.as_path(), nowhere.member.as_deref()), (Path::new("no.zip"), Some(&b"a.zip!/b"[..])));
}

/// One of several members of a name is the first, or that of a number.
#[test]
fn members_of_one_name_are_counted_and_numbered() {
    let folder = Folder::new("alike");
    for count in 1..5 {
        let mut writer = Writer::new().stored(b"other", b"x");
        for number in 0..count {
            writer = writer.stored(b"a", number.to_string().as_bytes());
        }
        let archive = folder.file("x.pbo", writer.finish(Tail::Sha1));
        let cat = |name: &str| run(["cat", &format!("{}!/{name}", archive.display())]);
        let first = cat("A");
        let said = format!("{count} members have this name; #0 to #{} select one\n", count - 1);
        assert_eq!((code(&first), stdout(&first)), (0, "0".to_owned()), "{count}");
        assert_eq!(stderr(&first).ends_with(&said), count > 1, "{count}: {}", stderr(&first));
        assert_eq!(stderr(&first).is_empty(), count == 1, "{count}: {}", stderr(&first));
        for number in 0..count + 2 {
            let found = cat(&format!("a#{number}"));
            let is_there = number < count;
            assert_eq!(code(&found), if is_there { 0 } else { 2 }, "{number} of {count}");
            assert_eq!(stdout(&found), if is_there { number.to_string() } else { String::new() }, "{number}");
        }
    }
}
