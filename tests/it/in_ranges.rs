//! The records of files and archives of which only some ranges are read.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::io;
use std::ops::{ControlFlow, Range};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use meshpeek::address::{open_member, open_member_ranges};
use meshpeek::container::Container;
use meshpeek::ranges::{Ranges, ReadAt};
use meshpeek::rap::Config;
use meshpeek::scan::{Depth, Found, Input, Record, Scan};
use meshpeek::summary::Problems;
use meshpeek::visit::{visit, visit_ranges};
use meshpeek::{Asset, Budget, Inspect, Limits, OwnedAsset};

use crate::writer;
use crate::writer::mlod;
use crate::writer::odol::{Lod, Model as OdolWriter};
use crate::writer::pbo::{Tail, Writer};
use crate::writer::rtm;
use crate::writer::zip::{Entry, zip};

fn at(depth: Depth) -> Scan {
    let mut scan = Scan::new([""; 0]);
    (scan.depth, scan.jobs, scan.beginnings) = (depth, Some(1), true);
    scan
}

fn line(record: &Record) -> String {
    serde_json::to_string(record).unwrap()
}

/// The records of a scan of the whole file.
fn of_whole(scan: &Scan, path: &Path, bytes: &[u8]) -> Vec<String> {
    let mut lines = Vec::new();
    let found = |found, _| {
        if let Found::Asset(record) = found {
            lines.push(line(&record));
        }
        ControlFlow::Continue(())
    };
    scan.run(Input::Bytes { path, data: bytes }, |_| (), found).unwrap();
    lines
}

/// The records by ranges.
fn of_ranges(scan: &Scan, path: &Path, ranges: Ranges, source: &impl ReadAt) -> Vec<String> {
    let mut lines = Vec::new();
    let found = |found, _| {
        let Found::Asset(record) = found else { panic!("{found:?}") };
        lines.push(line(&record));
        ControlFlow::Continue(())
    };
    scan.run(Input::Ranges { path, ranges, source }, |_| (), found).unwrap();
    lines
}

/// Counts requests and bytes.
struct Counting<'a> {
    bytes: &'a [u8],
    read: RefCell<Vec<Range<u64>>>,
}

impl<'a> Counting<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, read: RefCell::default() }
    }

    fn counted(&self) -> (usize, u64) {
        let read = self.read.take();
        (read.len(), read.iter().map(|range| range.end - range.start).sum())
    }
}

impl ReadAt for Counting<'_> {
    fn byte_len(&self) -> io::Result<u64> {
        self.bytes.byte_len()
    }

    fn read_at(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
        self.read.borrow_mut().push(range.clone());
        self.bytes.read_at(range)
    }
}

/// Files whose deflated members have wrong checksums or sizes: without all of their bytes, that is not seen.
fn has_damaged_streams(path: &str) -> bool {
    path.starts_with("hostile/") && path.ends_with(".zip")
}

#[test]
fn records_by_ranges_are_those_of_the_whole_file() {
    let (mut files, mut records) = (0, 0);
    for (name, bytes) in writer::corpus() {
        for depth in [Depth::Header, Depth::Summary, Depth::Verify] {
            let (scan, path) = (at(depth), Path::new(&name));
            for first in [1, 100, 4096] {
                let ranges = Ranges::new(bytes.len() as u64).with_first_read(first);
                let source = Counting::new(&bytes);
                let (ours, theirs) = (of_ranges(&scan, path, ranges, &source), of_whole(&scan, path, &bytes));
                if has_damaged_streams(&name) {
                    let members = |lines: &[String]| lines.len();
                    assert_eq!(members(&ours), members(&theirs), "{name} {depth:?} {first}");
                } else {
                    assert_eq!(ours, theirs, "{name} {depth:?} {first}");
                }
                assert!(source.counted().1 <= bytes.len() as u64, "{name}");
                records += theirs.len();
            }
        }
        files += 1;
    }
    assert!(files > 200 && records > 2000, "{files} {records}");
}

/// Digests need all bytes, and get them.
#[test]
fn digests_by_ranges_are_those_of_the_whole_file() {
    for (name, bytes) in writer::corpus().into_iter().filter(|(name, _)| name.starts_with("pbo/")) {
        let (mut scan, path) = (at(Depth::Summary), Path::new(&name));
        scan.digests = true;
        let ours = of_ranges(&scan, path, Ranges::new(bytes.len() as u64), &bytes.as_slice());
        assert_eq!(ours, of_whole(&scan, path, &bytes), "{name}");
    }
}

/// A wrong checksum hides nothing, at any depth, and the ways to a member agree.
#[test]
fn members_with_wrong_checksums_are_those_of_the_whole_file() {
    let model = writer::b3d::sound().to_vec();
    let wrong = |name: &str, bytes: &[u8]| Entry::stored(name, bytes).both(|header| header.crc32 ^= 1);
    let inner = zip(&[wrong("x.b3d", &model), Entry::stored("y.b3d", &model)], b"").to_vec();
    let bytes = zip(&[wrong("inner.zip", &inner), wrong("z.b3d", &model)], b"").to_vec();
    let (mut scan, path) = (at(Depth::Summary), Path::new("a.zip"));
    scan.digests = true;
    let whole = of_whole(&scan, path, &bytes);
    assert_eq!(whole.len(), 5);
    assert_eq!(whole.iter().filter(|line| line.contains("damaged.checksum")).count(), 3, "{whole:#?}");
    for first in [1, 100, 4096] {
        let ranges = Ranges::new(bytes.len() as u64).with_first_read(first);
        assert_eq!(of_ranges(&scan, path, ranges, &bytes.as_slice()), whole, "{first}");
    }
}

#[test]
fn the_header_of_a_config_is_enough_in_every_layout() {
    let config = writer::rap::everything();
    for bytes in [writer::rap::file(&config, &[]).to_vec(), writer::rap::breadth_first(&config).to_vec()] {
        let source = Counting::new(&bytes);
        let mut ranges = Ranges::new(bytes.len() as u64).with_first_read(16);
        let limits = Limits::default();
        let summary = ranges.load(&source, |ranges| Ok(Config::parse_ranges(ranges, &limits)?.summarize_header()));
        assert_eq!(summary.unwrap().problems, []);
        assert_eq!(source.counted(), (1, 16));
    }
}

#[test]
fn a_visit_of_ranges_equals_a_visit_of_bytes() {
    let limits = Limits::default();
    for (name, bytes) in writer::corpus().into_iter().filter(|(name, _)| !has_damaged_streams(name)) {
        let shown = |visited: &meshpeek::visit::Visited<'_>| match visited.asset {
            Ok(asset) => format!("{:?} {:?}", visited.member, asset.summarize_header()),
            Err(error) => format!("{:?} {error}", visited.member),
        };
        let mut whole = Vec::new();
        let _ = visit(&bytes, &limits, &mut |visited| {
            whole.push(shown(&visited));
            ControlFlow::Continue(())
        });
        let ours = Ranges::new(bytes.len() as u64).with_first_read(64).load(bytes.as_slice(), |ranges| {
            let mut ours = Vec::new();
            let _ = visit_ranges(ranges, &limits, &mut |visited| {
                ours.push(shown(&visited));
                ControlFlow::Continue(())
            });
            Ok(ours)
        });
        assert_eq!(ours.unwrap(), whole, "{name}");
    }
}

/// Returns models and animations of about this many bytes each, and scripts.
fn members(count: usize, bytes: usize) -> Vec<(String, Vec<u8>)> {
    let points = (bytes / 40).clamp(16, 30_000) as u16;
    let odol = OdolWriter::new(73, vec![Lod::strip(0.0, points), Lod::strip(1.0, points)]).to_vec();
    let mlod = mlod::model(&[mlod::lod((bytes / 16) as u32, &[], &[], 1.0)]).to_vec();
    let frames = bytes / 14 / 40;
    let bmtr = rtm::motion(5, frames, 40, rtm::NONE).binarised().to_vec();
    let plain = rtm::motion(3, frames / 4, 40, rtm::NONE).plain().to_vec();
    let script = b"_unit = _this select 0;\n// a comment\n".repeat(20);
    let all = [("p3d", odol), ("p3d", mlod), ("rtm", bmtr), ("rtm", plain), ("sqf", script)];
    (0..count).map(|index| (format!("data\\member_{index}.{}", all[index % 5].0), all[index % 5].1.clone())).collect()
}

/// A member opened by ranges is the member opened in all bytes, and a model in it takes its header alone.
#[test]
fn members_at_any_depth_open_by_ranges() {
    let limits = Limits::default();
    let model = OdolWriter::new(73, vec![Lod::strip(0.0, 9000)]).to_vec();
    let scene: Vec<u8> = writer::corpus().into_iter().find(|(name, _)| name == "b3d/everything.b3d").unwrap().1;
    let inner = Writer::new().stored(b"filler", &[1; 50_000]).stored(b"a.p3d", &model).packed(b"b.b3d", &scene);
    let inner = inner.finish(Tail::Sha1);
    let entries = [Entry::stored("s.pbo", &inner), Entry::deflated("d.pbo", &inner), Entry::deflated("d.b3d", &scene)];
    let archive = zip(&entries, b"").to_vec();
    let path = Path::new("all.zip");
    let summary = |asset: &Asset<'_>| format!("{:?}", asset.summarize_header());
    for (address, most) in [
        ("s.pbo!/a.p3d", 90_000),
        ("s.pbo!/b.b3d", 90_000),
        ("d.pbo!/a.p3d", u64::MAX),
        ("d.pbo!/b.b3d", u64::MAX),
        ("D.B3D", 90_000),
        ("s.pbo", 90_000),
        ("d.pbo", 90_000),
    ] {
        let budget = Budget::new(archive.len() as u64, &limits);
        let whole = open_member(path, &archive, Some(address.as_bytes()), &budget).unwrap();
        let content = whole.content.unwrap();
        let theirs = (summary(&Asset::parse(&content).unwrap()), whole.bytes, whole.member, whole.stored, whole.depth);
        let source = Counting::new(&archive);
        let mut ranges = Ranges::new(archive.len() as u64);
        let opened = |ranges: &Ranges| {
            let budget = Budget::new(ranges.byte_len(), &limits);
            let opened = open_member_ranges(path, ranges, Some(address.as_bytes()), &budget)?;
            let asset = opened.content?;
            let answer = summary(&Asset::parse_ranges(&asset, &limits)?);
            Ok((answer, opened.bytes, opened.member, opened.stored, opened.depth))
        };
        assert_eq!(ranges.load(&source, opened).unwrap(), theirs, "{address}");
        let (_, read) = source.counted();
        assert!(read <= most, "{address}: {read}");
    }
    for wrong in ["none", "s.pbo!/none", "d.b3d!/x", "s.pbo!/filler!/x"] {
        let budget = || Budget::new(archive.len() as u64, &limits);
        let theirs = open_member(path, &archive, Some(wrong.as_bytes()), &budget()).unwrap_err().to_string();
        let ask = |ranges: &Ranges| open_member_ranges(path, ranges, Some(wrong.as_bytes()), &budget()).map(drop);
        let ours = Ranges::new(archive.len() as u64).load(archive.as_slice(), ask).unwrap_err().to_string();
        assert_eq!(ours, theirs);
    }
}

/// An asset that owns its ranges asks them, and opens again with more of them.
#[test]
fn an_owned_asset_keeps_its_ranges() {
    let (limits, scene) = (Limits::default(), crate::writer::mlod::sound().to_vec());
    let mut ranges = Ranges::new(scene.len() as u64);
    assert!(OwnedAsset::parse_ranges(ranges.clone(), &limits).unwrap_err().incomplete().is_some());
    ranges.add(0, &scene[..12]);
    let kept = OwnedAsset::parse_ranges(ranges, &limits).unwrap();
    let header = std::thread::spawn({
        let kept = kept.clone();
        move || kept.asset().summarize_header()
    });
    let whole = Asset::parse(&scene).unwrap();
    assert_eq!(header.join().unwrap(), whole.summarize_header());
    let error = kept.bytes().ask(|_| Ok(kept.asset().summarize())).unwrap_err();
    let mut more = kept.bytes().clone();
    for range in error.incomplete_ranges() {
        more.add(range.start, &scene[range.start as usize..range.end as usize]);
    }
    assert_eq!(OwnedAsset::parse_ranges(more, &limits).unwrap().asset().summarize(), whole.summarize());
}

/// Checks that header depth takes few bytes and requests. Returns the size of the file, the bytes and the requests per
/// asset.
fn frugal(path: &str, bytes: &[u8], most_bytes: f64, most_requests: f64) {
    let scan = at(Depth::Header);
    let source = Counting::new(bytes);
    let ours = of_ranges(&scan, Path::new(path), Ranges::new(bytes.len() as u64), &source);
    let (requests, read) = source.counted();
    assert_eq!(ours, of_whole(&scan, Path::new(path), bytes));
    let (share, each) = (read as f64 / bytes.len() as f64, requests as f64 / ours.len() as f64);
    println!(
        "{path}: {} bytes, {} records; {read} read ({:.2} %), {requests} requests ({each:.3} per asset)",
        bytes.len(),
        ours.len(),
        share * 100.0
    );
    assert!(share <= most_bytes && each <= most_requests, "{path}: {share} {each}");
}

fn pbo(members: &[(String, Vec<u8>)]) -> Vec<u8> {
    let archive = Writer::new().product(&[(b"prefix", b"big")]);
    members.iter().fold(archive, |archive, (name, data)| archive.stored(name.as_bytes(), data)).finish(Tail::Sha1)
}

#[test]
fn header_depth_of_an_archive_takes_few_bytes_and_requests() {
    let members = members(if crate::support::files::full() { 1200 } else { 60 }, 220_000);
    let archive = pbo(&members);
    frugal("big.pbo", &archive, 0.03, 1.2);
    let nested = zip(&[Entry::stored("readme.txt", b"hello"), Entry::stored("a/big.pbo", &archive)], b"").to_vec();
    frugal("nested.zip", &nested, 0.03, 1.25);
    drop((archive, nested));
    let stored: Vec<_> = members.iter().map(|(name, data)| Entry::stored(name, data)).collect();
    frugal("stored.zip", &zip(&stored, b"").to_vec(), 0.05, 1.3);
    let deflated: Vec<_> = members.iter().take(60).map(|(name, data)| Entry::deflated(name, data)).collect();
    let bytes = zip(&deflated, b"").to_vec();
    let source = Counting::new(&bytes);
    let ours = of_ranges(&at(Depth::Header), Path::new("d.zip"), Ranges::new(bytes.len() as u64), &source);
    assert_eq!(ours, of_whole(&at(Depth::Header), Path::new("d.zip"), &bytes));
    println!("deflated.zip: {} bytes, {} records, {:?} read", bytes.len(), ours.len(), source.counted());
}

/// Members come in batches of 256. None is left out or comes twice, and the file itself comes once.
#[test]
fn archives_of_any_number_of_members_have_all_their_records() {
    let model = writer::b3d::one_triangle();
    let model = writer::b3d::scene([writer::b3d::node("n", [model])]).to_vec();
    for count in [0, 1, 255, 256, 257, 511, 512, 513, 1000] {
        let members: Vec<_> = (0..count).map(|index| (format!("{index}.b3d"), model.clone())).collect();
        let archive = pbo(&members);
        for depth in [Depth::Header, Depth::Summary] {
            let (scan, path) = (at(depth), Path::new("a.pbo"));
            let ours = of_ranges(&scan, path, Ranges::new(archive.len() as u64), &archive.as_slice());
            assert_eq!(ours.len(), 1 + count, "{depth:?}");
            assert_eq!(ours, of_whole(&scan, path, &archive), "{count} {depth:?}");
        }
    }
}

/// A source that is read from several times in one round counts as one.
struct Rounds<'a>(&'a [u8], Cell<usize>);

impl meshpeek::ranges::Fetch for Rounds<'_> {
    type Bytes = Vec<u8>;

    async fn fetch(&self, ranges: &[Range<u64>]) -> io::Result<Vec<Vec<u8>>> {
        self.1.set(self.1.get() + 1);
        ranges.iter().map(|range| self.0.read_at(range.clone())).collect()
    }
}

#[test]
fn the_directory_of_many_members_takes_three_rounds() {
    let names: Vec<_> =
        (0..1670).map(|index| format!("addons\\some_folder\\data\\texture_{index:04}_co.paa")).collect();
    let archive =
        names.iter().fold(Writer::new().product(&[]), |archive, name| archive.stored(name.as_bytes(), &[7; 2000]));
    let archive = archive.finish(Tail::Sha1);
    let source = Rounds(&archive, Cell::new(0));
    let limits = Limits::default();
    let mut ranges = Ranges::new(archive.len() as u64);
    let count = meshpeek::ranges::load_async(&mut ranges, &source, |ranges| {
        let asset = Asset::parse_ranges(ranges, &limits)?;
        Ok(Container::of(&asset).unwrap().members().count())
    });
    assert_eq!(futures_ready(count).unwrap(), 1670);
    println!("{} rounds, {} bytes held", source.1.get(), ranges.held());
    assert!(source.1.get() <= 3, "{}", source.1.get());
}

/// The output of a future that never waits.
fn futures_ready<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match future.as_mut().poll(&mut context) {
        std::task::Poll::Ready(output) => output,
        std::task::Poll::Pending => panic!("waits"),
    }
}

/// The answer to a survey at this depth, and the list of members.
fn survey(asset: &Asset<'_>, depth: Depth) -> String {
    let mut problems = Problems::new(&Limits::default());
    let mut answer = format!("{:?}", asset.survey(depth, &mut problems));
    answer += &format!(" {:?}", problems.into_vec());
    if let Some(container) = Container::of(asset) {
        for member in container.members() {
            answer += &member.map_or_else(
                |error| error.to_string(),
                |member| format!("\n{} {}", member.name(), member.decoded_byte_len_hint()),
            );
        }
        answer += &format!("{:?}", container.overlapping());
    }
    answer
}

/// The answer of all bytes, however they are available at first. Returns true if some were missing.
fn leads_to(whole: &str, bytes: &[u8], depth: Depth, mut ranges: Ranges, about: &str) -> bool {
    let limits = Limits::default();
    let question = |ranges: &Ranges| match Asset::parse_ranges(ranges, &limits) {
        Ok(asset) => Ok(survey(&asset, depth)),
        Err(error) if error.incomplete().is_some() => Err(error),
        Err(error) => Ok(error.to_string()),
    };
    let error = match ranges.ask(question) {
        Ok(answer) => {
            assert_eq!(answer, whole, "{depth:?} {about}");
            return false;
        }
        Err(error) => error,
    };
    let missing = error.incomplete_ranges();
    assert!(!missing.is_empty(), "{depth:?} {about}: {error}");
    assert!(missing.iter().all(|range| range.start < range.end && range.end <= bytes.len() as u64));
    assert!(missing.is_sorted_by_key(|range| range.start));
    assert!(missing.iter().all(|range| ranges.get(range.start..range.start + 1).is_err()));
    assert_eq!(ranges.load(bytes, question).unwrap(), whole, "{depth:?} {about}");
    true
}

/// At every length of the beginning (of large files, at 20,000), and with random ranges: an answer is that of the whole file, and what is missing
/// leads to it.
#[test]
fn any_available_ranges_lead_to_the_answer_of_the_whole() {
    let is_full = crate::support::files::full();
    let files = writer::corpus();
    let next = AtomicUsize::new(0);
    let asked = Mutex::new(BTreeMap::<(Depth, bool), u64>::new());
    let work = || {
        while let Some((name, bytes)) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            let size = bytes.len();
            let mut seed = size as u64;
            let mut random = |below: usize| {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (seed >> 33) as usize % below.max(1)
            };
            for &depth in Depth::ALL {
                let whole = Asset::parse(bytes).map(|asset| survey(&asset, depth));
                let whole = whole.unwrap_or_else(|error| error.to_string());
                let check = |ranges: Ranges, about: &str| {
                    let lacked = leads_to(&whole, bytes, depth, ranges, about);
                    *asked.lock().unwrap().entry((depth, lacked)).or_default() += 1;
                };
                let few = 0..size.min(if is_full { 0 } else { 20 });
                let step = (size / if is_full { 20_000 } else { 12 }).max(1);
                for length in few.chain((0..=size).step_by(step)) {
                    let mut ranges = Ranges::new(size as u64).with_first_read(1 + length as u64 % 300);
                    ranges.add(0, &bytes[..length]);
                    check(ranges, &format!("{name}, {length} bytes"));
                }
                for round in 0..if is_full { 50 } else { 3 } {
                    let mut ranges = Ranges::new(size as u64).with_first_read(1 + random(500) as u64);
                    for _ in 0..random(12) {
                        let start = random(size);
                        let end = start + random(size - start + 1);
                        ranges.add(start as u64, &bytes[start..end]);
                    }
                    check(ranges, &format!("{name}, round {round}"));
                }
            }
        }
    };
    std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(work))));
    let asked = asked.into_inner().unwrap();
    println!("{asked:?}");
    assert!(asked.len() == 6 && asked.values().all(|&count| count > 300), "{asked:?}");
}
