//! Nested archives that contain models and other data with a large decoded size: every scan stays within the budget.

use std::collections::HashSet;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;

use meshpeek::address::open_member;
use meshpeek::scan::{Depth, Found, Input, Record, Scan};
use meshpeek::summary::Class;
use meshpeek::{Budget, Format, Limits, codec};

use crate::memory::usage_of;
use crate::recipe::Recipe;

/// The memory that a scan needs besides decoded data and results.
const SMALL: u64 = 4 << 20;

/// Bytes that do not start like an archive are choices: how to build and damage one, and its limits.
pub fn run(data: &[u8]) {
    if matches!(Format::sniff(data), Some(Format::Zip | Format::Pbo)) {
        return check(data, &Limits::default().with_work(1).with_output(1).with_decoded_bytes(1 << 20));
    }
    let mut recipe = Recipe::odd(data);
    let limits = limits(&mut recipe);
    let mut made = if recipe.byte() & 1 == 0 { recipe.zip(4) } else { recipe.pbo(4) };
    recipe.bend(&mut made.bytes);
    check(&made.bytes, &limits);
}

/// From limits that reject nearly everything to limits that accept everything that is built.
fn limits(recipe: &mut Recipe<'_>) -> Limits {
    let mut below = |most: u32| u32::from(recipe.byte()) % most;
    Limits::default()
        .with_work(below(8))
        .with_output(below(4))
        .with_decoded_bytes(1 << (8 + below(16)))
        .with_archive_members(1 << below(16))
        .with_archive_depth(below(6))
        .with_reference_bytes(1 << below(20))
        .with_problems(1 << below(10))
}

fn check(data: &[u8], limits: &Limits) {
    leaves_room(data.len() as u64, limits);
    let file = File::new(data);
    let scanned = scan(&file, data, Depth::Summary, limits);
    let verified = scan(&file, data, Depth::Verify, limits);
    let spent = |records: &[Record]| {
        let mut problems = records.iter().flat_map(|record| &record.summary.problems);
        problems.any(|problem| problem.code.class() == Class::Limit)
    };
    if !spent(&scanned) && !spent(&verified) {
        assert!(scanned.iter().map(place).eq(verified.iter().map(place)), "verify looks into other members");
        // Names lead back to their members. Tried only for small archives.
        for record in verified.iter().take(4) {
            let Some(member) = &record.member else { continue };
            let budget = Budget::new(data.len() as u64, &Limits::default());
            let opened = open_member(&file.0, data, Some(member.text.as_bytes()), &budget);
            let opened = opened.unwrap_or_else(|error| panic!("{} leads nowhere: {error}", member.text));
            assert_eq!(opened.bytes, record.summary.bytes, "{} leads elsewhere", member.text);
            assert_eq!(opened.member.map(|member| member.text), Some(member.text.clone()));
        }
    }
}

/// Memory held by an archive reduces the memory for data decoded in it.
fn leaves_room(size: u64, limits: &Limits) {
    let budget = Budget::new(size, limits);
    assert!(budget.hold(limits.decoded_bytes + 1).is_err(), "more than may be decoded at once");
    if let Ok(held) = budget.hold(size % (limits.decoded_bytes + 1)) {
        let inside = held.budget().limits().decoded_bytes;
        assert_eq!(inside, limits.decoded_bytes - size % (limits.decoded_bytes + 1), "room beside what is held");
        assert!(held.budget().hold(inside + 1).is_err(), "more than what is around leaves");
    }
}

fn place(record: &Record) -> (Option<&str>, Option<Format>) {
    (record.member.as_ref().map(|member| member.text.as_str()), record.summary.format)
}

/// Scans within the limits, and counts in a way that is independent of the budget.
fn scan(file: &File, data: &[u8], depth: Depth, limits: &Limits) -> Vec<Record> {
    let mut scan = Scan::new([&file.0]);
    (scan.depth, scan.digests, scan.limits) = (depth, depth == Depth::Verify, *limits);
    // On this thread, so that its memory and its decoding are counted.
    scan.jobs = Some(1);
    let (mut records, mut text) = (Vec::new(), Count(0));
    let before = codec::activity().bytes;
    let ((), usage) = usage_of(|| {
        let result = scan.run(
            Input::Paths,
            |_| (),
            |found, _| {
                if let Found::Asset(record) = found {
                    serde_json::to_writer(&mut text, &*record).expect("a record");
                    records.push(*record);
                }
                ControlFlow::Continue(())
            },
        );
        result.expect("a scan of a file that is there");
    });
    let (size, decoded) = (data.len() as u64, codec::activity().bytes - before);
    let whole = |small: u64, factor: u32| (size + small) * u64::from(factor);
    // Data that an asset decodes for itself is charged after it is opened, so it may exceed the budget once.
    let work = whole(2 << 20, limits.work) + limits.decoded_bytes;
    assert!(decoded <= work, "{decoded} bytes decoded, {work} were allowed: {limits:?}");
    let output = whole(1 << 20, limits.output);
    // The file's own record is always reported.
    assert!(text.0 <= output + output / 3 + (64 << 10), "{} bytes written, {output} were allowed: {limits:?}", text.0);
    let members = records.iter().filter(|record| record.member.is_some()).count();
    assert!(members <= limits.archive_members as usize, "{members} members: {limits:?}");
    let kept = 3 * text.0;
    let most = limits.decoded_bytes + 2 * size + kept + SMALL;
    assert!(usage.peak as u64 <= most, "{usage:?}, {most} bytes were allowed: {limits:?}");
    let names: HashSet<_> = records.iter().map(|record| record.member.as_ref().map(|member| &member.text)).collect();
    assert_eq!(names.len(), records.len(), "two records of one name");
    records
}

struct Count(u64);

impl Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A file that a scan can open. It is removed afterwards.
struct File(PathBuf);

impl File {
    fn new(bytes: &[u8]) -> Self {
        let name = format!("meshpeek-nested-{}-{:?}", std::process::id(), std::thread::current().id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, bytes).expect("room for a file");
        Self(path)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
