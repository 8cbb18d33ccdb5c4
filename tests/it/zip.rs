//! Tests of zip archives, and of containers in general.

use std::time::{Duration, Instant};

use meshpeek::container::{Container, Form};
use meshpeek::summary::Problems;
use meshpeek::view::Packing;
use meshpeek::{Asset, Budget, ErrorKind, Format, Inspect, Limits};

use crate::memory::usage_of;
use crate::support::mutate::Random;
use crate::writer::archives::{corpus, hostile, nested, quilt, zip64};
use crate::writer::bytes::Bytes;
use crate::writer::zip::{Entry, zip};

#[path = "../../fuzz/src/zip.rs"]
pub mod fuzz;
#[path = "../../fuzz/src/zip_lies.rs"]
mod lies;

/// Members that are looked into are inflated for that alone, and so are checked; others are inflated for the check.
#[test]
fn a_verification_inflates_each_member_once() {
    use std::ops::ControlFlow;

    let scene = crate::writer::b3d::scene([crate::writer::b3d::node(
        "one",
        [crate::writer::b3d::mesh(-1, [crate::writer::b3d::vertices(5_000, 0, 0, 0)])],
    )])
    .to_vec();
    let text = vec![b'x'; 300_000];
    let mut damaged = Entry::deflated("damaged.b3d", &scene);
    damaged = damaged.both(|header| header.crc32 = 7);
    let entries = [Entry::deflated("a.b3d", &scene), Entry::deflated("b.txt", &text), damaged];
    let archive = zip(&entries, b"").to_vec();
    let mut scan = meshpeek::scan::Scan::new([""; 0]);
    (scan.depth, scan.jobs) = (meshpeek::Depth::Verify, Some(1));
    let before = meshpeek::codec::activity();
    let mut records = Vec::new();
    let input = meshpeek::scan::Input::Bytes { path: std::path::Path::new("x.zip"), data: &archive };
    let found = |found, _| {
        if let meshpeek::scan::Found::Asset(record) = found {
            records.push(*record);
        }
        ControlFlow::Continue(())
    };
    scan.run(input, |_| (), found).unwrap();
    let bytes = meshpeek::codec::activity().bytes - before.bytes;
    // The damaged scene is read again, for the message; the beginnings of members show their formats.
    let once = (scene.len() * 3 + text.len()) as u64;
    assert!(bytes >= once && bytes < once + 10_000, "{bytes}, {once}");
    let names: Vec<_> = records.iter().map(|record| record.member.as_ref().map(|name| name.text.as_str())).collect();
    assert_eq!(names, [None, Some("a.b3d"), Some("damaged.b3d")]);
    let faults: Vec<_> = records.iter().map(|record| record.summary.problems.len()).collect();
    assert_eq!(faults, [1, 0, 1]);
    assert!(records[0].summary.problems[0].message.contains("damaged.b3d: CRC-32 is"), "{:?}", records[0]);
}

/// Every asset in the bytes, as `outer!/inner: format`, with archives opened down to a depth.
fn contents(data: &[u8], path: &str, depth: u32, budget: &Budget, found: &mut Vec<String>) {
    let Ok(asset) = Asset::parse(data) else { return };
    found.push(format!("{path}: {}", asset.format()));
    let Some(container) = Container::of(&asset).filter(|_| depth > 0) else { return };
    for member in container.members().map(Result::unwrap) {
        let Ok(content) = member.decode(budget) else { continue };
        contents(&content, &format!("{path}!/{}", member.name()), depth - 1, budget, found);
    }
}

fn all(data: &[u8]) -> Vec<String> {
    let limits = Limits::default();
    let mut found = Vec::new();
    contents(data, "", limits.archive_depth, &Budget::new(data.len() as u64, &limits), &mut found);
    found
}

fn file(name: &str) -> Vec<u8> {
    corpus().into_iter().find(|(known, _)| *known == name).unwrap().1
}

#[test]
fn assets_are_found_in_archives_in_archives() {
    assert_eq!(all(&file("assets.zip")), [": zip", "!/models/scene.b3d: b3d", "!/models\\model.p3d: mlod"]);
    assert_eq!(
        all(&file("addons.zip")),
        [
            ": zip",
            "!/a.pbo: pbo",
            "!/a.pbo!/data\\scene.b3d: b3d",
            "!/a.pbo!/model.p3d: mlod",
            "!/b.pbo: pbo",
            "!/b.pbo!/data\\scene.b3d: b3d",
            "!/b.pbo!/model.p3d: mlod"
        ]
    );
    assert_eq!(
        all(&file("nested.zip")),
        [": zip", "!/2.zip: zip", "!/2.zip!/1.zip: zip", "!/2.zip!/1.zip!/scene.b3d: b3d"]
    );
    // The limit has the same effect as in a scan: as deep as allowed, and no deeper.
    assert_eq!(all(&nested(30)).len(), 1 + Limits::default().archive_depth as usize);
}

#[test]
fn forms_are_known_and_slices_borrowed() {
    let bytes = file("assets.zip");
    let asset = Asset::parse(&bytes).unwrap();
    let members: Vec<_> = Container::of(&asset).unwrap().members().map(Result::unwrap).collect();
    let forms: Vec<_> = members.iter().map(|member| member.form()).collect();
    assert_eq!(forms, [Form::InPlace, Form::Packed(Packing::Deflate), Form::Packed(Packing::Deflate)]);
    let nothing = Budget::new(0, &Limits::default().with_work(0));
    assert!(members[0].view(&nothing).unwrap().starts_with(b"BB3D"));
    // Its checksum takes work.
    assert!(members[0].decode(&nothing).is_err());
    let error = members[1].decode(&nothing).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Limit { limit: 0, .. }), "{error}");
    let bytes = file("locked.zip");
    let asset = Asset::parse(&bytes).unwrap();
    let members: Vec<_> = Container::of(&asset).unwrap().members().map(Result::unwrap).collect();
    assert_eq!([members[0].form(), members[1].form()], [Form::Encrypted, Form::Unknown]);
    assert!(members.iter().all(|member| member.borrowed().unwrap().is_none()));
    // A map is an asset, although it is a zip.
    let map = crate::writer::bmx::corpus().swap_remove(0).1;
    assert!(Container::of(&Asset::parse(&map).unwrap()).is_none());
}

#[test]
fn members_that_share_bytes_cost_no_more_than_honest_ones() {
    let bytes = quilt(20_000, 1_000_000);
    let limits = Limits::default();
    let asset = Asset::parse(&bytes).unwrap();
    let budget = Budget::new(bytes.len() as u64, &limits.with_work(10));
    let started = Instant::now();
    let decoded: usize = Container::of(&asset)
        .unwrap()
        .members()
        .map(|member| member.unwrap().decode(&budget).map_or(0, |content| content.len()))
        .sum();
    assert!(decoded > 0 && decoded <= 10 * (bytes.len() + (2 << 20)), "{decoded}");
    let mut problems = meshpeek::summary::Problems::new(&limits);
    let before = meshpeek::codec::activity().inflations;
    asset.verify(&mut problems);
    assert_eq!(meshpeek::codec::activity().inflations - before, 1);
    assert!(started.elapsed() < Duration::from_secs(20));
}

#[test]
fn listing_allocates_nothing() {
    let list = |count: usize| {
        let entries = vec![Entry::stored("some/member.b3d", b"bytes"); count];
        let bytes = zip(&entries, b"").to_vec();
        usage_of(|| {
            let asset = Asset::parse(&bytes).unwrap();
            let members = Container::of(&asset).unwrap().members();
            members.map(|member| member.unwrap().borrowed().unwrap().unwrap().len()).sum::<usize>()
        })
    };
    let (few, many) = (list(2), list(60_000));
    assert_eq!((few.0, many.0), (10, 300_000));
    assert_eq!((few.1.total, many.1.total), (0, 0));
}

#[test]
fn damaged_archives_are_read_without_harm() {
    for (name, bytes) in corpus().into_iter().chain(hostile()) {
        assert_eq!(Format::sniff(&bytes), Some(Format::Zip), "{name}");
        let tail = bytes.len().saturating_sub(200);
        for place in (0..bytes.len().min(60)).chain(tail..bytes.len()) {
            for value in [0, 1, 0x7f, 0xff] {
                let mut bytes = bytes.clone();
                bytes[place] = value;
                fuzz::run(&bytes);
            }
        }
    }
}

#[test]
fn random_archives_return_their_content() {
    let mut random = Random(0x6a09_e667_f3bc_c908);
    for _ in 0..300 {
        let noise: Vec<u8> = (0..random.below(2000)).map(|_| random.next() as u8).collect();
        fuzz::run(&noise);
        crate::pbo::fuzz::run(&noise);
    }
}

#[test]
fn archives_with_one_lie_are_listed_and_the_lie_is_named() {
    let mut random = Random(0x510e_527f_ade6_82d1);
    for _ in 0..2_000 {
        let choices: Vec<u8> = (0..400).map(|_| (random.next() >> 24) as u8).collect();
        lies::run(&choices);
    }
}

#[test]
fn zip64_archives_are_read_like_others() {
    for before in [&b""[..], b"#!/bin/sh\n"] {
        let bytes = zip64(before);
        let archive = meshpeek::zip::Archive::parse(&bytes).unwrap();
        let members: Vec<_> = archive.members().map(Result::unwrap).collect();
        let scene = crate::writer::b3d::sound().to_vec();
        assert_eq!(
            members.iter().map(|member| member.name().to_string()).collect::<Vec<_>>(),
            ["scene.b3d", "again/scene.b3d"]
        );
        assert!(members.iter().all(|member| *member.decode().unwrap() == scene));
        assert_eq!(archive.find(b"AGAIN\\scene.B3D").unwrap().unwrap().index, 1);
        if before.is_empty() {
            assert_eq!(all(&bytes), [": zip", "!/scene.b3d: b3d", "!/again/scene.b3d: b3d"]);
            let asset = Asset::parse(&bytes).unwrap();
            assert_eq!((asset.summarize().problems.len(), asset.summarize().counts.get("members")), (0, Some(2)));
        }
    }
}

#[test]
fn damaged_zip64_records_are_reported() {
    let sound = zip64(b"");
    let error = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = sound.clone();
        change(&mut bytes);
        let archive = meshpeek::zip::Archive::parse(&bytes).unwrap();
        assert_eq!(archive.members().filter(Result::is_ok).count(), 2);
        let problems = archive.summarize().problems;
        problems.iter().map(|problem| problem.message.to_string()).collect::<Vec<_>>().join("; ")
    };
    let (record, locator) = (sound.len() - 22 - 20 - 56, sound.len() - 22 - 20);
    // Without the record, the headers before the files are read.
    assert!(error(&|b| b[record] = 0).contains("leads to no record: read by the headers"), "no record");
    assert!(error(&|b| b[record + 24..record + 40].fill(0xff)).contains("entries, the directory holds 2"));
    assert!(error(&|b| b[record + 40..record + 48].fill(0xff)).contains("says a directory of"));
    assert!(error(&|b| b[record + 16] = 1).contains("says that this is disk 1"));
    // The location can be wrong, as with bytes before the archive.
    let mut bytes = sound.clone();
    bytes[locator + 8..locator + 16].fill(0xff);
    assert_eq!(all(&bytes).len(), 3);
}

#[test]
fn an_archive_without_its_end_is_read_by_its_headers() {
    let scene = crate::writer::b3d::sound().to_vec();
    let entries = [
        Entry::stored("folder/", b""),
        Entry::stored("folder/one.b3d", &scene),
        Entry::deflated("two.b3d", &scene).with_descriptor(),
        // A nested archive, whose headers are not its own.
        Entry::stored("inner.zip", &zip(&[Entry::stored("three.b3d", &scene)], b"").to_vec()),
        Entry::deflated("four.b3d", &scene),
    ];
    let whole = zip(&entries, b"");
    let bytes = whole.to_vec();
    let found = |cut: usize| {
        let archive = meshpeek::zip::Archive::parse(&bytes[..cut]).unwrap();
        let names = archive.members().map(Result::unwrap).map(|member| member.name().to_string()).collect::<Vec<_>>();
        let readable = archive.members().map(Result::unwrap).filter(|member| member.decode().is_ok()).count();
        let summary = Asset::parse(&bytes[..cut]).unwrap().summarize();
        assert!(summary.problems.iter().any(|p| p.message.contains("without an end record")), "{:?}", summary.problems);
        (names.join(" "), readable)
    };
    let all = "folder/one.b3d two.b3d inner.zip four.b3d".to_owned();
    assert_eq!(found(whole.at("end")), (all.clone(), 4));
    assert_eq!(found(whole.at("directory") + 60), (all.clone(), 4));
    assert_eq!(found(whole.at("directory")), (all.clone(), 4));
    assert_eq!(found(whole.at("directory") - 1), (all, 3));
    // Wherever it is cut, the result is an answer or an error. The first file is available as soon as its header is.
    for cut in 0..whole.at("end") {
        if let Ok(archive) = meshpeek::zip::Archive::parse(&bytes[..cut]) {
            assert!(
                archive.members().flatten().all(|member| member.decode().is_err() || member.local().is_ok()),
                "{cut}"
            );
        }
    }
}

/// The record after a file's data has four forms, each of which is dissected to its end.
#[test]
fn descriptors_of_every_form_are_described_whole() {
    let signature: &[u8] = b"PK\x07\x08";
    for (start, size_bytes) in [(signature, 4), (signature, 8), (b"", 4), (b"", 8)] {
        let mut first = Entry::deflated("a.txt", b"some text").with_descriptor();
        let mut after = Bytes::new().raw(start).u32(first.central.crc32);
        for size in [first.central.packed, first.central.unpacked] {
            after = after.raw(&u64::from(size).to_le_bytes()[..size_bytes]);
        }
        first.after = after.to_vec();
        let folder = crate::support::program::Folder::new("zip-descriptors");
        folder.file("x.zip", zip(&[first, Entry::stored("b.txt", b"x")], b"").to_vec());
        let path = folder.0.join("x.zip");
        let tree = crate::support::program::stdout(&crate::support::program::run([
            "tree",
            "--fields",
            path.to_str().unwrap(),
        ]));
        let mut lines = tree.lines().skip_while(|line| !line.ends_with("descriptor"));
        let bytes = start.len() + 4 + 2 * size_bytes;
        let words: Vec<&str> = lines.next().unwrap().split_whitespace().collect();
        assert_eq!(words[1..], [bytes.to_string().as_str(), "descriptor"], "{tree}");
        let mut fields = Vec::new();
        for line in lines.take_while(|line| line.starts_with("0x")) {
            let words: Vec<&str> = line.split_whitespace().skip(2).collect();
            if words[0] == "packed_bytes" || words[0] == "unpacked_bytes" {
                fields.push(words.join(" "));
            }
            if words[0] == "unpacked_bytes" {
                break;
            }
        }
        let number = if size_bytes == 8 { "u64" } else { "u32" };
        assert_eq!(fields, [format!("packed_bytes {number} 11"), format!("unpacked_bytes {number} 9")], "{tree}");
        assert!(!tree.contains("gap"), "{tree}");
        assert_eq!(Asset::parse(&std::fs::read(&path).unwrap()).unwrap().summarize().problems.len(), 0);
    }
}

#[test]
fn headers_without_sizes_are_walked_in_time() {
    let mut entry = Entry::deflated("x", b"").with_descriptor();
    (entry.data, entry.after) = (b"PK PK PK PK PK".to_vec(), Vec::new());
    let one = zip(&[entry], b"");
    let header = one.to_vec()[..one.at("directory")].to_vec();
    let bytes = header.repeat(40_000);
    let started = Instant::now();
    let archive = meshpeek::zip::Archive::parse(&bytes).unwrap();
    assert_eq!(archive.members().count(), 40_000);
    assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
}

#[test]
fn directories_are_read_as_the_crate_zip_reads_them() {
    let mut compared = 0;
    for (name, bytes) in crate::writer::corpus() {
        let sound = !name.starts_with("hostile") && [".zip", ".bmx"].iter().any(|end| name.ends_with(end));
        let Some(mut theirs) = sound.then(|| ::zip::ZipArchive::new(std::io::Cursor::new(&bytes)).unwrap()) else {
            continue;
        };
        let ours = meshpeek::zip::Directory::find(&bytes).unwrap();
        assert_eq!(ours.entry_count, Some(theirs.len() as u64), "{name}");
        for (index, entry) in ours.entries().enumerate() {
            let (entry, expected) = (entry.unwrap(), theirs.by_index_raw(index).unwrap());
            let here = (entry.name.as_bytes(), entry.header_offset, entry.packed_bytes, entry.unpacked_bytes);
            assert_eq!(
                here,
                (expected.name_raw(), expected.header_start(), expected.compressed_size(), expected.size()),
                "{name}"
            );
            assert_eq!(entry.header.crc32.get(), expected.crc32(), "{name}");
            let local = ours.local(entry.header_offset).unwrap();
            assert_eq!(Some(local.data_offset), expected.data_start(), "{name}");
            compared += 1;
        }
    }
    assert!(compared > 20);
}

/// Writers on Unix and on macOS store the kind of a file in the upper half of its attributes.
#[test]
fn links_are_those_of_every_system_with_kinds_of_files() {
    let made = zip(&[Entry::stored("link", b"target")], b"");
    let entry = made.at("directory");
    for system in 0..=u8::MAX {
        for kind in 0..16_u32 {
            let mut bytes = made.to_vec();
            bytes[entry + 5] = system;
            bytes[entry + 38..entry + 42].copy_from_slice(&((kind << 12 | 0o777) << 16).to_le_bytes());
            let asset = Asset::parse(&bytes).unwrap();
            let member = Container::of(&asset).unwrap().members().next().unwrap().unwrap();
            // 3 is Unix, 19 is macOS.
            let expected = (system == 3 || system == 19) && kind == 0o12;
            assert_eq!(member.is_link(), expected, "system {system}, kind {kind:o}");
        }
    }
}

#[test]
fn tables_without_an_index_are_reported_whichever_they_are() {
    let tables = ["object.bm", "mesh.bm", "material.bm", "texture.bm"];
    for subset in 0..16 {
        let is_there = |table: &usize| subset >> table & 1 == 1;
        let mut entries = vec![Entry::stored("other.bm", b"")];
        // Their order in the archive does not matter.
        for at in (0..4).filter(is_there).rev() {
            entries.push(Entry::stored(tables[at], b""));
        }
        let bytes = zip(&entries, b"").to_vec();
        let mut problems = Problems::new(&Limits::default());
        Asset::parse(&bytes).unwrap().verify(&mut problems);
        let messages: Vec<_> = problems.into_vec().into_iter().map(|problem| problem.message.into_owned()).collect();
        let first = (0..4).find(is_there).map(|at| tables[at]);
        let said = first.map(|table| format!("{table} without index.bm: a Ballance map that cannot be read"));
        assert_eq!(messages, Vec::from_iter(said), "{subset:b}");
    }
}
