//! Any bytes as whatever they start like: every question is asked, every array read, and what must hold is asserted.

use std::ops::ControlFlow;

use meshpeek::inspect::{Inspect, Outline, Part, Value, Visitor};
use meshpeek::summary::{Problems, Severity};
use meshpeek::view::{Packing, Table};
use meshpeek::{Asset, Budget, Limits};

/// The most bytes read of one table: a file of a few bytes may stand for billions of equal rows.
const ENOUGH: u64 = 1 << 22;

pub fn run(data: &[u8]) {
    // A fuzzer's machine is small, and its patience too.
    let limits = Limits { decoded_bytes: 1 << 26, ..Limits::default() };
    if let Ok(asset) = Asset::parse_with(data, &limits) {
        walk(&*asset, data, &limits);
    }
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
    let mut reader = Reader { size: data.len() as u64, sum: 0, depth: 0, derived: 0, failed: false };
    asset.outline(&mut Outline::new(&mut reader));
    assert_eq!(reader.depth, 0);
    assert!(damaged(&problems) || !reader.failed, "verify finds nothing, and yet something cannot be read");
    let mut sum = reader.sum;
    asset.layout(&mut |region| {
        assert!(region.offset <= data.len() as u64, "{region:?} starts outside");
        sum = sum.wrapping_mul(31).wrapping_add(region.offset ^ region.bytes);
    });
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

struct Reader {
    size: u64,
    sum: u64,
    depth: usize,
    derived: usize,
    failed: bool,
}

impl Reader {
    fn add(&mut self, value: u64) {
        self.sum = self.sum.wrapping_mul(0x0000_0100_0000_01b3).wrapping_add(value);
    }
}

impl Visitor for Reader {
    fn open(&mut self, part: &Part) -> bool {
        self.depth += 1;
        assert!(self.depth < 16, "an outline stays flat");
        if let Some(span) = part.span {
            let end = span.offset.checked_add(span.bytes);
            assert!(end.is_some_and(|end| end <= self.size), "{part:?} lies outside {} bytes", self.size);
        }
        true
    }

    fn close(&mut self) {
        self.depth -= 1;
    }

    fn field(&mut self, name: &'static str, value: Value<'_>) {
        self.add(name.len() as u64);
        match value {
            Value::Bool(value) => self.add(value.into()),
            Value::Uint(value) => self.add(value),
            Value::Int(value) | Value::Coded(value, _) => self.add(value as u64),
            Value::Float(value) => self.add(value.to_bits().into()),
            Value::Floats(values) => values.iter().for_each(|value| self.add(value.to_bits().into())),
            Value::Text(name) => self.add(name.text.len() as u64),
            Value::Opaque(span) => assert!(span.offset.saturating_add(span.bytes) <= self.size),
            _ => {}
        }
    }

    fn array(&mut self, name: &'static str, _: Option<usize>, table: &dyn Table) {
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
        let row = table.columns().iter().map(|column| column.scalar.size()).sum::<usize>() as u64;
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
