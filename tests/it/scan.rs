//! Archives in scans: the results for members equal those for loose files.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

use meshpeek::scan::{Depth, Found, Input, Record, Scan};
use meshpeek::summary::Severity;
use meshpeek::{Format, Limits};
use serde_json::Value as Json;

use crate::support::scans::{TempFile, packed_into_pbo, scanned, tree};
use crate::writer::pbo::{Tail, Writer};
use crate::writer::zip::{Entry, zip};

/// The result for each member, by its path inside.
fn by_member(records: &[Record]) -> BTreeMap<String, Json> {
    let facts = |record: &Record| {
        let mut json = serde_json::to_value(record).unwrap();
        let facts = json.as_object_mut().unwrap();
        facts.remove("path");
        facts.remove("member");
        facts.remove("address");
        facts.remove("lossy");
        facts.remove("stored");
        json
    };
    let named = |record: &Record| Some((record.member.as_ref()?.text.clone(), facts(record)));
    records.iter().filter_map(named).collect()
}

fn packed_into_zip(tree: &[(String, Vec<u8>)]) -> Vec<u8> {
    let entry = |(index, (name, bytes)): (usize, &(String, Vec<u8>))| {
        if index % 2 == 0 { Entry::deflated(name, bytes) } else { Entry::stored(name, bytes) }
    };
    let entries: Vec<Entry> = tree.iter().enumerate().map(entry).collect();
    zip(&entries, b"").to_vec()
}

#[test]
fn a_tree_reads_the_same_in_every_archive() {
    let tree = tree();
    let direct: BTreeMap<String, Json> = tree
        .iter()
        .filter_map(|(name, bytes)| {
            let mut scan = Scan::new([name]);
            scan.digests = true;
            let mut record = scan.record(Path::new(name), bytes);
            if !record.summary.is_asset() && Format::from_extension(Path::new(name)).is_none() {
                return None;
            }
            record.member = Some(meshpeek::view::ByteStr::from(name.as_str()).into());
            by_member(&[record]).pop_first()
        })
        .collect();
    assert!(direct.len() > 50);
    let pbo = packed_into_pbo(&tree);
    let zip_of_all = packed_into_zip(&tree);
    let nested =
        zip(&[Entry::deflated("inner.pbo", &pbo), Entry::stored("again/inner.zip", &zip_of_all)], b"").to_vec();

    let file = TempFile::new("tree.pbo", &pbo);
    assert_eq!(by_member(&scanned(&file.0, |_| {})), direct);
    let file = TempFile::new("tree.zip", &zip_of_all);
    assert_eq!(by_member(&scanned(&file.0, |scan| scan.jobs = Some(1))), direct);
    let file = TempFile::new("nested.zip", &nested);
    let inside = by_member(&scanned(&file.0, |_| {}));
    for archive in ["inner.pbo", "again/inner.zip"] {
        assert!(inside.contains_key(archive));
        let within = |(name, facts): (&String, &Json)| {
            Some((name.strip_prefix(archive)?.strip_prefix("!/")?.to_owned(), facts.clone()))
        };
        assert_eq!(inside.iter().filter_map(within).collect::<BTreeMap<_, _>>(), direct, "in {archive}");
    }
}

#[test]
fn an_archive_comes_before_its_members_and_can_be_left_closed() {
    let scene = crate::writer::b3d::sound().to_vec();
    let pbo = Writer::new().stored(b"a.b3d", &scene).stored(b"readme.txt", b"hello").finish(Tail::Sha1);
    let file = TempFile::new("order.pbo", &pbo);
    let records = scanned(&file.0, |_| {});
    let members: Vec<Option<&str>> = records.iter().map(|r| r.member.as_ref().map(|name| name.text.as_str())).collect();
    assert_eq!(members, [None, Some("a.b3d")]);
    assert_eq!(records[0].summary.counts.get("members"), Some(2));
    assert_eq!(scanned(&file.0, |scan| scan.archives = false).len(), 1);
    let only: Vec<_> = scanned(&file.0, |scan| scan.formats = vec![Format::B3d]);
    assert_eq!(only.len(), 1);
}

#[test]
fn a_bad_member_is_one_record_and_the_scan_continues() {
    let scene = crate::writer::b3d::sound().to_vec();
    let mut damaged = Entry::deflated("broken.b3d", &scene);
    damaged.data[5] ^= 0x55;
    let bytes = zip(
        &[
            damaged,
            Entry::stored("no.b3d", b"no\0scene"),
            Entry::stored("text.b3d", b"no scene"),
            Entry::deflated("good.b3d", &scene),
        ],
        b"",
    );
    let file = TempFile::new("bad.zip", &bytes.to_vec());
    let inside = by_member(&scanned(&file.0, |_| {}));
    assert_eq!(inside.keys().collect::<Vec<_>>(), ["broken.b3d", "good.b3d", "no.b3d", "text.b3d"]);
    assert_eq!(inside["broken.b3d"]["problems"].as_array().unwrap().len(), 1);
    for (name, code) in [("no.b3d", "other.unknown"), ("text.b3d", "other.text")] {
        let record = &inside[name];
        let problem = &record["problems"][0];
        assert_eq!(
            (&record["format"], &problem["severity"], &problem["code"]),
            (&Json::Null, &"warning".into(), &code.into())
        );
    }
    assert_eq!(inside["good.b3d"]["problems"], Json::Array(Vec::new()));
}

const POINTER: &[u8] = b"version https://git-lfs.github.com/spec/v1\n\
    oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n";

#[test]
fn other_files_have_no_format() {
    let source = b"' a BlitzMax program, not a map\nStrict\nImport BRL.Basic\nPrint \"hello\"\n";
    let russian = b"\xef\xf0\xe8\xe2\xe5\xf2 ".repeat(20);
    let utf16: Vec<u8> = "\u{feff}Strict\r\n".repeat(9).encode_utf16().flat_map(u16::to_le_bytes).collect();
    let cut = &"\u{44f}".repeat(3000).into_bytes()[..4097];
    for extension in ["bmx", "lod", "p3d", "rtm", "zip", "b3d", "pbo"] {
        let scan = Scan::new([Path::new("x")]);
        let record = |bytes: &[u8]| scan.record(Path::new(&format!("x.{extension}")), bytes);
        let code = |bytes: &[u8]| {
            let summary = record(bytes).summary;
            assert!(summary.format.is_none() && !summary.is_asset(), "{extension}: {bytes:?}");
            assert_eq!((summary.bytes, summary.counts.iter().count()), (bytes.len() as u64, 0));
            let [problem] = &summary.problems[..] else { panic!("{:?}", summary.problems) };
            assert_eq!((problem.severity, problem.offset), (Severity::Warning, None));
            problem.code.name()
        };
        for text in [&source[..], &russian, &utf16, cut, b"x", b"\t\r\n"] {
            assert_eq!(code(text), "other.text", "{extension}: {text:?}");
        }
        assert_eq!(code(POINTER), "other.lfs");
        assert_eq!(code(b""), "other.empty");
        // Noise, a few bytes of a damaged file, or the first of a valid one.
        let noise: Vec<u8> = (0..100_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        for bytes in [&noise[..], b"\xf1\xf2\xf3", b"text\0", b"BB", b"LODka", &[0; 500]] {
            assert_eq!(code(bytes), "other.unknown", "{extension}: {bytes:?}");
        }
        // Bytes that start like an asset are one, however few there are, and in any version.
        for (start, format) in [(&b"ODOL"[..], Format::Odol), (b"ODOL\xff\0\0\0", Format::Odol), (b"BB3D", Format::B3d)]
        {
            let summary = record(start).summary;
            assert_eq!((summary.format, summary.is_asset()), (Some(format), true));
            assert!(summary.problems.iter().any(|problem| problem.severity == Severity::Error));
        }
    }
    let Some(bytes) = crate::support::files::outside_file("wild/blitzmax_source.bmx") else { return };
    let summary = Scan::new([Path::new("x")]).record(Path::new("blitzmax_source.bmx"), &bytes).summary;
    assert_eq!((summary.format, summary.problems[0].code.name()), (None, "other.text"));
}

#[test]
fn members_that_only_point_to_files_are_reported() {
    let bytes = zip(
        &[Entry::stored("a.p3d", POINTER), Entry::deflated("b.bmx", b"Strict\n"), Entry::stored("c.rtm", b"")],
        b"",
    );
    let file = TempFile::new("pointers.zip", &bytes.to_vec());
    let records = scanned(&file.0, |_| {});
    let found: Vec<_> = records[1..].iter().map(|r| (r.summary.format, r.summary.problems[0].code.name())).collect();
    assert_eq!(found, [(None, "other.lfs"), (None, "other.text"), (None, "other.empty")]);
}

#[test]
fn archives_inside_each_other_end_at_the_limit() {
    let file = TempFile::new("levels.zip", &crate::writer::archives::nested(12));
    let records = scanned(&file.0, |scan| scan.depth = Depth::Verify);
    let limit = Limits::default().archive_depth as usize;
    assert_eq!(records.len(), limit + 1);
    let last = &records[limit].summary.problems;
    assert!(last.iter().any(|problem| problem.message.contains("archives inside each other")), "{last:?}");
}

#[test]
fn a_scan_ends_when_its_caller_has_enough() {
    let scene = crate::writer::b3d::sound().to_vec();
    let writer = (0..500).fold(Writer::new(), |writer, i| writer.stored(format!("{i}.b3d").as_bytes(), &scene));
    let file = TempFile::new("enough.pbo", &writer.finish(Tail::Sha1));
    let mut seen = 0;
    let scan = Scan::new([&file.0]);
    scan.run(
        Input::Paths,
        |_| (),
        |_, _| {
            seen += 1;
            if seen == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        },
    )
    .unwrap();
    assert_eq!(seen, 3);
    assert!(scan.progress.is_stopped());
}

/// Taking no more results ends the scan, and so does dropping the iterator.
#[test]
fn an_iterator_has_the_results_of_a_run_and_ends_with_it() {
    let scene = crate::writer::b3d::sound().to_vec();
    let writer = (0..500).fold(Writer::new(), |writer, i| writer.stored(format!("{i}.b3d").as_bytes(), &scene));
    let file = TempFile::new("iterated.pbo", &writer.finish(Tail::Sha1));
    let mut scan = Scan::new([file.0.as_path(), Path::new("no such file")]);
    scan.jobs = Some(1);
    let mut of_run = Vec::new();
    scan.run(
        Input::Paths,
        |_| (),
        |found, _| {
            of_run.push(format!("{found:?}"));
            ControlFlow::Continue(())
        },
    )
    .unwrap();
    assert_eq!(of_run.len(), 502);
    let mut found = scan.iter().unwrap();
    for expected in of_run {
        assert_eq!(format!("{:?}", found.next().unwrap()), expected);
    }
    assert!(found.next().is_none() && found.next().is_none() && !scan.progress.is_stopped());
    drop(found);
    assert!(!scan.progress.is_stopped(), "the scan was at its end");
    let some: Vec<_> = scan.iter().unwrap().take(3).collect();
    assert!(some.len() == 3 && scan.progress.is_stopped());
    // Twice 501, and few more than three.
    assert!(scan.progress.assets() < 1_100, "{}", scan.progress.assets());
    scan.selection.globs = vec!["[".to_owned()];
    assert!(scan.iter().unwrap_err().to_string().contains("not a pattern for paths"));
}

/// Results from the members wait for the archive's own record, which has the result of its checksum.
#[test]
fn a_checksum_is_taken_beside_the_members_and_reported_before_them() {
    let scene = crate::writer::b3d::sound().to_vec();
    let inner = (0..50).fold(Writer::new(), |writer, i| writer.stored(format!("{i}.b3d").as_bytes(), &scene));
    let inner = inner.finish(Tail::Sha1);
    let some = |writer, from: u32| {
        (from..from + 300).fold(writer, |writer: Writer, i| writer.stored(format!("{i}.b3d").as_bytes(), &scene))
    };
    let writer = some(Writer::new(), 0).stored(b"large.txt", &[b'a'; 3 << 20]).packed(b"packed.b3d", &scene);
    let writer = some(writer, 300).stored(b"inner.pbo", &inner);
    let sound = some(writer, 600).finish(Tail::Sha1);
    let mut broken = sound.clone();
    *broken.last_mut().unwrap() ^= 1;
    for (bytes, problems) in [(sound, 0), (broken, 1)] {
        let file = TempFile::new("late.pbo", &bytes);
        let records_with = |jobs| {
            let mut scan = Scan::new([&file.0]);
            (scan.jobs, scan.depth) = (Some(jobs), Depth::Verify);
            let mut records = Vec::new();
            for found in scan.iter().unwrap() {
                if let Found::Asset(record) = found {
                    records.push(serde_json::to_string(&record).unwrap());
                }
            }
            let first: Json = serde_json::from_str(&records[0]).unwrap();
            assert!(first["member"].is_null());
            assert_eq!(first["problems"].as_array().unwrap().len(), problems, "{jobs}: {first}");
            records[1..].sort();
            records
        };
        let alone = records_with(1);
        assert_eq!(alone.len(), 1 + 900 + 1 + 1 + 50);
        for jobs in [2, 3, 8] {
            assert_eq!(records_with(jobs), alone, "{jobs}");
        }
    }
}

/// Each stream is walked once for record and digests, and decoded once for verification, which also finds its end.
#[test]
fn streams_are_gone_over_once() {
    for file in ["odol/v75_lzo.p3d", "odol/v47_lzo.p3d", "odol/v43_lzss.p3d"] {
        let bytes = std::fs::read(crate::support::files::root().join("corpus").join(file)).unwrap();
        let work = |change: fn(&mut Scan)| {
            let mut scan = Scan::new([""; 0]);
            scan.jobs = Some(1);
            change(&mut scan);
            let before = meshpeek::codec::activity();
            let mut packed = 0;
            let found = |found, _| {
                if let Found::Asset(record) = found {
                    packed = record.summary.blocks.packed;
                }
                ControlFlow::Continue(())
            };
            scan.run(Input::Bytes { path: Path::new(file), data: &bytes }, |_| (), found).unwrap();
            let after = meshpeek::codec::activity();
            (packed, after.walks - before.walks, after.decodes - before.decodes)
        };
        let (packed, walks, decodes) = work(|scan| scan.depth = Depth::Verify);
        assert!(packed > 2, "{file}");
        // Except for the masses, which are in the header that was read before.
        assert!(walks <= 1, "{file}: {walks}");
        assert_eq!(decodes, packed, "{file}");
        let (_, walks, decodes) = work(|scan| scan.digests = true);
        assert_eq!((walks, decodes > 0), (packed, true), "{file}");
        // If little work is left, nothing is decoded ahead.
        let (_, walks, decodes) = work(|scan| (scan.depth, scan.limits.work) = (Depth::Verify, 16));
        // Verification reads the header again for its fields, and walks the masses in it.
        assert!((packed..=packed + 1).contains(&walks), "{file}: {walks}");
        assert_eq!(decodes, packed, "{file}");
    }
}
