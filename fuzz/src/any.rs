//! Any bytes as whatever they start like: every question is asked, every array read, and what must hold is asserted.

use std::collections::HashSet;
use std::ops::ControlFlow;

use meshpeek::dissect::{LineKind, dissect};
use meshpeek::inspect::{Inspect, Outline, Part, RegionKind, Text, Value, Visitor};
use meshpeek::summary::{Problems, Severity};
use meshpeek::view::{Packing, Table};
use meshpeek::{Asset, Budget, Limits};

/// The most bytes read of one table: a file of a few bytes may stand for billions of equal rows.
const ENOUGH: u64 = 1 << 22;

pub fn run(data: &[u8]) {
    // A fuzzer's machine is small, and its patience too.
    let limits = Limits { decoded_bytes: 1 << 26, ..Limits::default() };
    if let Ok(asset) = Asset::parse_with(data, &limits) {
        walk(&asset, data, &limits);
        dissect_whole(&asset, data.len() as u64);
    }
}

/// Every byte of a file has a name, and no byte two.
fn dissect_whole(asset: &Asset<'_>, size: u64) {
    let mut reached = 0;
    dissect(asset, size, &mut |line| {
        let Some(span) = line.span.filter(|_| line.kind != LineKind::Part) else { return };
        assert_eq!(span.offset, reached, "{line:?}");
        assert!(span.bytes > 0, "{line:?}");
        reached += span.bytes;
    });
    assert_eq!(reached, size);
}

/// Asks an asset everything; returns a checksum over all that it told, so that nothing can be left out unseen.
pub fn walk(asset: &dyn Inspect, data: &[u8], limits: &Limits) -> u64 {
    let summary = asset.summarize();
    assert_eq!(summary.bytes, data.len() as u64);
    let names: Vec<&str> = summary.counts.iter().map(|(name, _)| name).collect();
    assert_eq!(names, summary.format.count_names());
    for problem in &summary.problems {
        assert!(problem.offset.is_none_or(|offset| offset <= summary.bytes), "{problem:?} lies outside");
    }
    let mut problems = Problems::new(limits);
    asset.verify(&mut problems);
    let problems = problems.into_vec();
    for problem in &problems {
        assert!(problem.offset.is_none_or(|offset| offset <= summary.bytes), "{problem:?} lies outside");
    }
    let damaged = |problems: &[_]| problems.iter().any(|p: &meshpeek::summary::Problem| p.severity == Severity::Error);
    assert!(damaged(&problems) || !damaged(&summary.problems), "verify misses {:?}", summary.problems);
    let parts = vec![Names::default()];
    let mut reader = Reader { size: data.len() as u64, sum: 0, parts, derived: 0, failed: false, holes: false };
    asset.outline(&mut Outline::new(&mut reader));
    assert_eq!(reader.parts.len(), 1);
    assert!(reader.failed || !reader.holes, "a list with holes, and yet nothing that cannot be read");
    assert!(damaged(&problems) || !reader.failed, "verify finds nothing, and yet something cannot be read");
    let mut sum = reader.sum;
    let mut rows = Vec::new();
    asset.layout(&mut |region| {
        assert!(region.offset <= data.len() as u64, "{region:?} starts outside");
        sum = sum.wrapping_mul(31).wrapping_add(region.offset ^ region.bytes);
        if !matches!(region.kind, RegionKind::Unpacked | RegionKind::Problem) {
            rows.push((region.depth, region.offset, region.offset.saturating_add(region.bytes)));
        }
    });
    in_order_and_whole(&rows, data.len() as u64);
    for name in asset.digest_names() {
        let mut bytes = 0_u64;
        let read =
            asset.digest(name, &Budget::unlimited(limits), &mut |piece| bytes = bytes.wrapping_add(piece.len() as u64));
        assert!(read.is_ok() || damaged(&problems), "verify finds nothing, and yet {name} fails: {read:?}");
        sum = sum.wrapping_mul(31).wrapping_add(bytes);
    }
    assert_eq!(summary, asset.summarize(), "a second look differs");
    sum
}

/// Rows of depth, start and end: those in one part are in order, and those without rows inside leave no byte out.
fn in_order_and_whole(rows: &[(usize, u64, u64)], size: u64) {
    let mut last: Vec<u64> = Vec::new();
    let mut leaves = Vec::new();
    for (index, &(depth, start, end)) in rows.iter().enumerate() {
        assert!(depth <= last.len(), "a row in no row");
        last.truncate(depth + 1);
        match last.get_mut(depth) {
            Some(before) => {
                assert!(*before <= start, "{start:#x} behind {before:#x}");
                *before = start;
            }
            None => last.push(start),
        }
        if rows.get(index + 1).is_none_or(|(next, ..)| *next <= depth) {
            leaves.push((start, end));
        }
    }
    leaves.sort();
    let reached = leaves.iter().fold(0, |reached, &(start, end)| {
        assert!(start <= reached, "no leaf has the bytes from {reached:#x} to {start:#x}");
        reached.max(end)
    });
    assert!(reached >= size, "no leaf has the bytes behind {reached:#x}");
}

struct Reader {
    size: u64,
    sum: u64,
    /// The names in each part around the place told of.
    parts: Vec<Names>,
    derived: usize,
    failed: bool,
    holes: bool,
}

#[derive(Default)]
struct Names {
    seen: HashSet<&'static str>,
    /// The list being told, and what its next item should be.
    list: Option<(&'static str, usize)>,
}

impl Reader {
    /// Names do not meet in a part, and a list is told in one go.
    fn named(&mut self, name: &'static str, index: Option<usize>) {
        let names = self.parts.last_mut().unwrap();
        let next = names.list.filter(|(list, _)| index.is_some() && *list == name).map(|(_, next)| next);
        if next.is_none() {
            assert!(names.seen.insert(name), "{name} is told twice, or in pieces");
        }
        names.list = index.map(|index| (name, index + 1));
        if let Some(index) = index {
            assert!(index >= next.unwrap_or(0), "{name}/{index} is told late");
            self.holes |= index != next.unwrap_or(0);
        }
    }

    fn add(&mut self, value: u64) {
        self.sum = self.sum.wrapping_mul(0x0000_0100_0000_01b3).wrapping_add(value);
    }
}

impl Visitor for Reader {
    fn open(&mut self, part: &Part<'_>) -> bool {
        self.named(part.name, part.index);
        self.parts.push(Names::default());
        assert!(self.parts.len() < 16, "an outline stays flat");
        if let Some(span) = part.span {
            let end = span.offset.checked_add(span.bytes);
            assert!(end.is_some_and(|end| end <= self.size), "{part:?} lies outside {} bytes", self.size);
        }
        true
    }

    fn close(&mut self) {
        self.parts.pop();
    }

    fn field(&mut self, name: &'static str, value: Value<'_>) {
        self.named(name, None);
        self.add(name.len() as u64);
        match value {
            Value::Bool(value) => self.add(value.into()),
            Value::Uint(value) => self.add(value),
            Value::Int(value) | Value::Coded(value, _) => self.add(value as u64),
            Value::Float(value) => self.add(value.to_bits().into()),
            Value::Floats(values) => values.iter().for_each(|value| self.add(value.to_bits().into())),
            Value::Text(text) => self.add(text.stored_byte_len() as u64),
            Value::Opaque(span) => assert!(span.offset.saturating_add(span.bytes) <= self.size),
            _ => {}
        }
    }

    fn texts<'t>(&mut self, name: &'static str, texts: &mut dyn Iterator<Item = Text<'t>>) {
        self.named(name, None);
        texts.for_each(|text| self.add(text.stored_byte_len() as u64));
    }

    fn array(&mut self, name: &'static str, index: Option<usize>, table: &dyn Table) {
        self.named(name, index);
        let storage = table.storage();
        if storage.packing == Packing::Derived {
            // Each may cost as much as the whole file: a few stand for all.
            self.derived += 1;
            if self.derived > 2 {
                return;
            }
        }
        if !matches!(storage.packing, Packing::Derived | Packing::Deflate) {
            let end = storage.offset.checked_add(storage.bytes);
            assert!(end.is_some_and(|end| end <= self.size), "{name}: {storage:?} lies outside {} bytes", self.size);
        }
        let row = table.columns().iter().map(|column| column.scalar.byte_len()).sum::<usize>() as u64;
        let mut read = 0_u64;
        let result = table.read(&mut |rows| {
            assert!(row == 0 || (rows.len() as u64).is_multiple_of(row), "{name}: a batch of half rows");
            read += rows.len() as u64;
            if read > ENOUGH { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        match result {
            Ok(()) => assert!(read > ENOUGH || read == table.rows() * row, "{name}: {read} bytes of {}", table.rows()),
            Err(_) => self.failed = true,
        }
        self.add(read);
    }

    fn problem(&mut self, _: &meshpeek::Error) {
        self.failed = true;
    }
}
