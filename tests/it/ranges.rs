//! Assets with only some ranges available: missing ranges are named, and adding them leads to the answer for the whole
//! file.

use std::cell::RefCell;
use std::io;
use std::ops::Range;
use std::path::Path;

use meshpeek::container::Container;
use meshpeek::dissect::dissect;
use meshpeek::json::Row;
use meshpeek::odol::Model;
use meshpeek::ranges::{Ranges, ReadAt, Section};
use meshpeek::scan::{Record, Scan, Subject};
use meshpeek::{Asset, Budget, Error, ErrorKind, FileMap, Inspect, Limits, Result, pbo, zip};

use crate::writer;
use crate::writer::odol::{Lod, Model as OdolWriter};
use crate::writer::pbo::{Tail, Writer};
use crate::writer::zip::{Entry, zip};

/// Data from headers, including members.
fn header(asset: &Asset<'_>) -> Result<String> {
    let mut answer = format!("{:?}", asset.summarize_header());
    if let Some(container) = Container::of(asset) {
        for member in container.members() {
            answer += &match member {
                Ok(member) => {
                    format!("\n{} {} {}", member.name(), member.stored_byte_len(), member.decoded_byte_len_hint())
                }
                Err(error) => passed_on(error)?,
            };
        }
        answer += &format!("{:?}", container.overlapping());
    }
    Ok(answer)
}

/// Data from the content: the positions of LODs, the content of members.
fn content(asset: &Asset<'_>) -> Result<String> {
    let mut answer = header(asset)?;
    if let Asset::Odol(model) = asset {
        for lod in (0..model.lod_count()).filter_map(|index| model.lod(index).transpose()) {
            let positions = lod.and_then(|lod| lod.positions()?.decode().map(|positions| format!("{positions:?}")));
            answer += &positions.or_else(passed_on)?;
        }
    }
    for member in Container::of(asset).into_iter().flat_map(|container| container.members()).map_while(Result::ok) {
        let decoded = member.decode(&Budget::unlimited(&Limits::default()));
        answer += &decoded.map(|content| format!("{:?}", &*content)).or_else(passed_on)?;
    }
    Ok(answer)
}

/// The text of an error, except for missing bytes, which is not an answer.
fn passed_on(error: Error) -> Result<String> {
    if error.incomplete().is_some() { Err(error) } else { Ok(error.to_string()) }
}

type Ask = fn(&Asset<'_>) -> Result<String>;

fn of_whole(bytes: &[u8], ask: Ask) -> String {
    Asset::parse(bytes).and_then(|asset| ask(&asset)).unwrap_or_else(|error| error.to_string())
}

/// Starts with this many bytes, and adds exactly the requested ranges.
fn of_ranges(bytes: &[u8], length: usize, ask: Ask) -> String {
    let mut ranges = Ranges::new(bytes.len() as u64);
    ranges.add(0, &bytes[..length]);
    let limits = Limits::default();
    ranges
        .load(bytes, |ranges| Asset::parse_ranges(ranges, &limits).and_then(|asset| ask(&asset)))
        .unwrap_or_else(|error| error.to_string())
}

fn with_ranges() -> impl Iterator<Item = (String, Vec<u8>)> {
    writer::corpus().into_iter().filter(|(name, _)| [".p3d", ".pbo", ".zip"].iter().any(|end| name.ends_with(end)))
}

#[test]
fn content_is_found_by_range_too() {
    for (name, bytes) in with_ranges() {
        let whole = of_whole(&bytes, content);
        for length in [0, 1, bytes.len() / 2, bytes.len()] {
            assert_eq!(of_ranges(&bytes, length, content), whole, "{name}: {length}");
        }
    }
}

#[test]
fn lines_and_record_of_an_archive_take_its_directory_alone() {
    let content = vec![7; 3 << 20];
    let size = u32::try_from(content.len()).unwrap().to_le_bytes();
    let bytes = [&b"a.txt\0"[..], &[0; 16], &size, &[0; 21], &content, b"\0", &[9; 20]].concat();
    let (limits, scan, path) = (Limits::default(), Scan::new([""; 0]), Path::new("a.pbo"));
    let text = |record: &Record| serde_json::to_string(record).unwrap();
    let lines = |asset: &Asset<'_>| {
        let mut lines = Vec::new();
        dissect(asset, bytes.len() as u64, &mut |line| lines.push(serde_json::to_string(&Row(line)).unwrap()));
        lines
    };
    let mut ranges = Ranges::new(bytes.len() as u64);
    let answer = ranges.load(&bytes, |ranges| {
        let asset = Asset::parse_ranges(ranges, &limits)?;
        Ok((text(&scan.record(path, Subject::Ranges(&asset))), lines(&asset)))
    });
    assert!(ranges.held() < 100_000, "{} bytes", ranges.held());
    assert_eq!(answer.unwrap(), (text(&scan.record(path, &bytes)), lines(&Asset::parse(&bytes).unwrap())));
}

/// Records the ranges that are read.
struct Counting<R>(R, RefCell<Vec<Range<u64>>>);

impl<R> Counting<R> {
    fn new(source: R) -> Self {
        Self(source, RefCell::default())
    }

    fn read(&self) -> Vec<Range<u64>> {
        self.1.take()
    }
}

impl<R: ReadAt> ReadAt for Counting<R> {
    fn byte_len(&self) -> io::Result<u64> {
        self.0.byte_len()
    }

    fn read_at(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
        self.1.borrow_mut().push(range.clone());
        self.0.read_at(range)
    }
}

fn sum(read: &[Range<u64>]) -> u64 {
    read.iter().map(|range| range.end - range.start).sum()
}

#[test]
fn a_lod_takes_its_own_range_and_the_header() {
    let lods = (0..5).map(|lod| Lod::strip(lod as f32, 8000)).collect();
    let bytes = OdolWriter::new(73, lods).to_vec();
    assert!(bytes.len() > 800_000);
    let limits = Limits::default();
    let source = Counting::new(bytes.as_slice().to_vec());
    let mut ranges = Ranges::new(source.byte_len().unwrap());
    let entry = |ranges: &Ranges| Ok(Model::parse_ranges(ranges, &limits)?.lod_entry(2).unwrap());
    let entry = ranges.load(&source, entry).unwrap();
    let read = source.read();
    assert!(read.len() == 1 && sum(&read) <= 4096, "{read:?}");
    let count = |ranges: &Ranges| {
        let model = Model::parse_ranges(ranges, &limits)?;
        Ok(model.lod(2)?.unwrap().positions()?.decode()?.len())
    };
    assert_eq!(ranges.load(&source, count).unwrap(), 8000);
    let own = u64::from(entry.start).max(4096)..u64::from(entry.end);
    assert_eq!(source.read(), vec![own]);
    // Missing ranges are named, and reported as missing by a deeper survey.
    let model = Model::parse_ranges(&ranges, &limits).unwrap();
    let other = model.lod_entry(0).unwrap();
    let error = model.lod(0).unwrap_err();
    assert_eq!(error.incomplete(), Some(u64::from(other.start)..u64::from(other.end)));
    assert!(model.summarize_header().problems.is_empty());
    assert!(model.summarize().problems.iter().any(|problem| problem.message.contains("needs the bytes from")));
    assert_eq!(model.summarize().counts.get("vertices"), None);
}

#[test]
fn a_member_takes_its_own_bytes_and_the_directory() {
    let limits = Limits::default();
    let filler = vec![7; 3_000_000];
    let archive = Writer::new().product(&[(b"prefix", b"a")]).stored(b"filler.bin", &filler);
    let archive = archive.packed(b"p.txt", &[b'x'; 2000]).stored(b"s.txt", b"stored").finish(Tail::Sha1);
    let source = Counting::new(archive);
    let mut ranges = Ranges::new(source.byte_len().unwrap());
    for (name, size) in [("p.txt", 2000), ("S.TXT", 6)] {
        let length = |ranges: &Ranges| {
            let archive = pbo::Archive::parse_ranges(ranges, &limits)?;
            Ok(archive.find(name.as_bytes())?.unwrap().decode()?.len())
        };
        assert_eq!(ranges.load(&source, length).unwrap(), size);
    }
    let read = source.read();
    assert!(sum(&read) < 8192, "{read:?}");

    let entries = [Entry::stored("filler.bin", &filler), Entry::deflated("d.txt", &[b'x'; 2000])];
    let source = Counting::new(zip(&entries, b"").to_vec());
    let mut ranges = Ranges::new(source.byte_len().unwrap());
    let length = |ranges: &Ranges| {
        let archive = zip::Archive::parse_ranges(ranges, &limits)?;
        Ok(archive.find(b"d.txt")?.unwrap().decode()?.len())
    };
    assert_eq!(ranges.load(&source, length).unwrap(), 2000);
    assert!(sum(&source.read()) < 80_000);
}

#[test]
fn a_stored_archive_in_an_archive_is_a_source_of_its_own() {
    let limits = Limits::default();
    let inner = Writer::new().stored(b"deep.txt", b"found").finish(Tail::Sha1);
    let outer = Writer::new().stored(b"a.bin", &[1; 100_000]).stored(b"inner.pbo", &inner).finish(Tail::Sha1);
    let file = std::env::temp_dir().join(format!("meshpeek-ranges-{}", std::process::id()));
    std::fs::write(&file, &outer).unwrap();
    let source = std::fs::File::open(&file).unwrap();
    let mut ranges = Ranges::new(source.byte_len().unwrap());
    let place = |ranges: &Ranges| {
        let member = pbo::Archive::parse_ranges(ranges, &limits)?.find(b"inner.pbo")?.unwrap();
        Ok(member.offset..member.offset + member.stored_byte_len())
    };
    let inside = Section::new(&source, ranges.load(&source, place).unwrap());
    let mut ranges = Ranges::new(inside.byte_len().unwrap());
    let text = |ranges: &Ranges| {
        let archive = pbo::Archive::parse_ranges(ranges, &limits)?;
        Ok(archive.find(b"deep.txt")?.unwrap().decode()?.to_vec())
    };
    assert_eq!(ranges.load(&inside, text).unwrap(), b"found");
    assert_eq!(FileMap::open(&file).unwrap().read_at(5..9).unwrap(), outer[5..9]);
    std::fs::remove_file(&file).unwrap();
    assert!(matches!(ranges.get(3..3 + (1 << 40)).unwrap_err().kind(), ErrorKind::Truncated { .. }));
}

/// Questions that cannot fail give no answer with holes either: summaries, verdicts and dissections.
#[test]
fn no_question_gives_a_part_of_an_answer() {
    type Question = fn(&Asset<'_>) -> String;
    let questions: [(&str, Question); 5] = [
        ("header", |asset| format!("{:?}", asset.summarize_header())),
        ("summary", |asset| format!("{:?}", asset.summarize())),
        ("verify", |asset| {
            let mut problems = meshpeek::summary::Problems::new(&Limits::default());
            asset.verify(&mut problems);
            format!("{:?}", problems.into_vec())
        }),
        ("dissection", |asset| {
            let mut lines = String::new();
            dissect(asset, asset.size(), &mut |line| lines += &format!("{line:?}\n"));
            lines
        }),
        ("digests", |asset| {
            let mut text = String::new();
            for name in asset.digest_names() {
                let budget = Budget::unlimited(&Limits::default());
                let mut bytes = 0;
                let result = asset.digest(name, &budget, &mut |some| bytes += some.len());
                text += &format!("{name} {bytes} {result:?}\n");
            }
            text
        }),
    ];
    let limits = Limits::default();
    let mut holes = 0;
    for (name, bytes) in with_ranges() {
        let Ok(asset) = Asset::parse(&bytes) else { continue };
        for (asked, question) in questions {
            let whole = question(&asset);
            let ask = |ranges: &Ranges| Ok(question(&Asset::parse_ranges(ranges, &limits)?));
            for length in [0, bytes.len() / 2, bytes.len().saturating_sub(1)] {
                let mut ranges = Ranges::new(bytes.len() as u64);
                ranges.add(0, &bytes[..length]);
                match ranges.ask(ask) {
                    Ok(answer) => assert_eq!(answer, whole, "{asked} of {name}, {length} bytes"),
                    Err(error) => {
                        assert!(error.incomplete().is_some(), "{asked} of {name}, {length} bytes: {error}");
                        holes += 1;
                    }
                }
                assert_eq!(ranges.load(&bytes, ask).unwrap(), whole, "{asked} of {name}, {length} bytes");
            }
        }
    }
    assert!(holes > 500, "{holes}");
}

/// Bytes that one question lacked do not affect the next.
#[test]
fn a_question_that_needs_no_more_is_answered() {
    let bytes = OdolWriter::new(73, vec![Lod::strip(0.0, 3000), Lod::strip(1.0, 3000)]).to_vec();
    let limits = Limits::default();
    let mut ranges = Ranges::new(bytes.len() as u64);
    ranges.load(&bytes, |ranges| Ok(Model::parse_ranges(ranges, &limits)?.summarize_header())).unwrap();
    let header = |ranges: &Ranges| Ok(Model::parse_ranges(ranges, &limits)?.summarize_header());
    let summary = |ranges: &Ranges| Ok(Model::parse_ranges(ranges, &limits)?.summarize());
    assert!(ranges.ask(summary).unwrap_err().incomplete().is_some());
    assert!(ranges.clone().ask(header).is_ok() && ranges.ask(header).is_ok());
    // All missing ranges are returned at once.
    let asked = std::cell::Cell::new(0);
    let count = |ranges: &Ranges| {
        asked.set(asked.get() + 1);
        summary(ranges)
    };
    ranges.load(&bytes, count).unwrap();
    assert_eq!(asked.get(), 2);
}

/// Concurrent reads of one file do not disturb each other.
#[test]
fn threads_read_one_file_at_different_places() {
    let file = std::env::temp_dir().join(format!("meshpeek-read-at-{}", std::process::id()));
    let bytes: Vec<u8> = (0..1_u32 << 18).flat_map(u32::to_le_bytes).collect();
    std::fs::write(&file, &bytes).unwrap();
    let source = std::fs::File::open(&file).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4_u64 {
            let (source, bytes) = (&source, &bytes);
            scope.spawn(move || {
                for step in 0..5000 {
                    let start = (step * 7919 + thread * 104_729) % (1 << 19);
                    let read = source.read_at(start..start + 1000).unwrap();
                    assert_eq!(read, bytes[start as usize..][..1000]);
                }
            });
        }
    });
    assert!(source.read_at(bytes.len() as u64..bytes.len() as u64 + 1).is_err());
    std::fs::remove_file(&file).unwrap();
}

/// Two questions about one asset lack the same bytes.
#[test]
fn an_asset_that_lacks_bytes_lacks_them_in_every_question() {
    let limits = Limits::default();
    let mut holes = 0;
    for (name, bytes) in writer::corpus() {
        for eighths in 0..8 {
            let mut ranges = Ranges::new(bytes.len() as u64);
            ranges.add(0, &bytes[..bytes.len() * eighths / 8]);
            // The directory of an archive is at its end.
            let end = bytes.len() * 7 / 8;
            ranges.add(end as u64, &bytes[end..]);
            let Ok(asset) = Asset::parse_ranges(&ranges, &limits) else { continue };
            let answer = || ranges.ask(|_| Ok(asset.summarize())).map_err(|error| error.incomplete().is_some());
            let first = answer();
            assert_eq!(first, answer(), "{name}, {eighths} eighths");
            holes += usize::from(first == Err(true));
        }
    }
    assert!(holes > 20, "{holes}");
}

/// A descriptor after the bytes of a member that is not available is missing, and not absent.
#[test]
fn a_descriptor_that_is_not_available_is_missing() {
    // The end record is searched for in the bytes before the end: they are those of another member.
    let first = Entry::deflated("a.txt", &[b'a'; 100]).with_descriptor();
    let bytes = zip(&[first, Entry::stored("b.txt", &[b'b'; 200_000])], b"").to_vec();
    let signature = bytes.windows(4).position(|four| four == b"PK\x07\x08").unwrap();
    let mut ranges = Ranges::new(bytes.len() as u64);
    ranges.add(0, &bytes[..signature]);
    ranges.add(signature as u64 + 24, &bytes[signature + 24..]);
    let limits = Limits::default();
    let asset = Asset::parse_ranges(&ranges, &limits).unwrap();
    let mut lines = String::new();
    dissect(&asset, asset.size(), &mut |line| lines += &format!("{line:?}\n"));
    assert!(lines.contains("needs the bytes"), "{lines}");
}
