//! Scans of archives to NDJSON like in the program, with the output discarded.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;

use meshpeek::scan::{Found, Input, Scan};

use super::archive::Temporary;
use super::harness::{Examiner, contender};
use super::material::map;

/// The bytes of all lines.
pub fn to_ndjson(path: &Path, jobs: usize, digests: bool) -> u64 {
    let mut scan = Scan::new([path]);
    (scan.jobs, scan.digests, scan.access) = (Some(jobs), digests, map());
    let (mut line, mut bytes) = (Vec::new(), 0);
    let scanned = scan.run(
        Input::Paths,
        |_| (),
        |found, _| {
            let Found::Asset(record) = found else { panic!("all are assets: {found:?}") };
            line.clear();
            serde_json::to_writer(&mut line, &record).expect("a record");
            std::io::sink().write_all(&line).expect("a sink");
            bytes += line.len() as u64;
            ControlFlow::Continue(())
        },
    );
    scanned.expect("a scan");
    bytes
}

pub fn ask(examiner: &mut dyn Examiner) {
    examiner.question("scan: a pbo of 32 MB to NDJSON with digests, which decode, two jobs", |question| {
        let archive = Temporary::of_assets(32 << 20);
        question.compare(vec![
            contender("meshpeek: two jobs", || to_ndjson(archive.path(), 2, true)).in_threads(),
            contender("meshpeek: one job", || to_ndjson(archive.path(), 1, true)).in_threads().at_most(0.55),
        ]);
    });
}
