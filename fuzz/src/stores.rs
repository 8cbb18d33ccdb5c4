//! Archives and other files of a store, and by ranges: the records are those of the whole file.

use std::io;
use std::ops::{ControlFlow, Range};
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use meshpeek::ranges::Ranges;
use meshpeek::scan::stores::{Listed, Stored, Stores};
use meshpeek::scan::{Depth, Found, Input, Scan};
use meshpeek::summary::Class;
use meshpeek::{Format, Result};

use crate::recipe::Recipe;

/// The maximum size of a file.
const LARGEST: usize = 1 << 16;
const PATH: &str = "store://bucket/file";

/// Bytes that do not start like an archive are choices: how to build and damage one.
pub fn run(data: &[u8]) {
    if data.len() > LARGEST {
        return;
    }
    check(data);
    if !matches!(Format::sniff(data), Some(Format::Zip | Format::Pbo)) {
        let mut recipe = Recipe::odd(data);
        let mut made = if recipe.byte() & 1 == 0 { recipe.zip(4) } else { recipe.pbo(4) };
        recipe.bend(&mut made.bytes);
        check(&made.bytes);
    }
}

fn check(data: &[u8]) {
    for depth in [Depth::Header, Depth::Summary] {
        let path = Path::new(PATH);
        let mut scan = Scan::new([PATH]);
        (scan.depth, scan.jobs, scan.beginnings) = (depth, Some(1), true);
        let Some(whole) = records(&scan, Input::Bytes { path, data }) else { continue };
        let ranges = Ranges::new(data.len() as u64).with_first_read(1 + data.len() as u64 % 97);
        if let Some(by_ranges) = records(&scan, Input::Ranges { path, ranges, source: &data }) {
            assert_eq!(by_ranges, whole, "{depth:?}: by ranges");
        }
        scan.stores = Some(Arc::new(Memory(data.to_vec())));
        if let Some(stored) = records(&scan, Input::Paths) {
            assert_eq!(stored, whole, "{depth:?}: of a store");
        }
    }
}

/// Returns the records of assets in the order of their texts, or `None` if a limit was reached: of a store, and by ranges,
/// it may count otherwise.
fn records(scan: &Scan, input: Input<'_>) -> Option<Vec<String>> {
    let mut all = Vec::new();
    let mut is_limited = false;
    let found = |found, _| {
        match found {
            Found::Asset(record) if record.summary.format.is_some() => {
                is_limited |= record.summary.problems.iter().any(|problem| problem.code.class() == Class::Limit);
                all.push(serde_json::to_string(&record).expect("a record"));
            }
            Found::Unreadable(error) => panic!("{error}"),
            _ => {}
        }
        ControlFlow::Continue(())
    };
    scan.run(input, |_| (), found).expect("a scan of one file");
    all.sort();
    if is_limited { None } else { Some(all) }
}

/// A store of one file.
#[derive(Debug)]
struct Memory(Vec<u8>);

impl Stores for Memory {
    fn has(&self, path: &Path) -> bool {
        path == Path::new(PATH)
    }

    fn list<'s>(&'s self, path: &Path) -> Result<Box<dyn Iterator<Item = Result<Listed>> + Send + 's>> {
        Ok(Box::new(std::iter::once(Ok(Listed::new(path.to_owned(), false)))))
    }

    fn open(&self, _: &Path) -> Result<Box<dyn Stored + '_>> {
        Ok(Box::new(File(&self.0)))
    }
}

struct File<'m>(&'m [u8]);

impl Stored for File<'_> {
    fn byte_len(&self) -> u64 {
        self.0.len() as u64
    }

    fn stamp(&self) -> Option<String> {
        None
    }

    fn modified(&self) -> Option<SystemTime> {
        None
    }

    fn read(&self, ranges: &[Range<u64>]) -> io::Result<Vec<Vec<u8>>> {
        let mut reached = 0;
        let mut all = Vec::new();
        for range in ranges {
            assert!(range.start >= reached && range.start < range.end, "{ranges:?}");
            reached = range.end;
            let bytes = self.0.get(range.start as usize..range.end as usize);
            all.push(bytes.unwrap_or_else(|| panic!("{range:?} of {}", self.0.len())).to_vec());
        }
        Ok(all)
    }
}
