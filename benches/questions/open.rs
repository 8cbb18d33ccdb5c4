//! Opening: the cost of recognizing a file.

use std::path::PathBuf;

use meshpeek::Asset;

use super::harness::{Examiner, contender, measure};
use super::material::{files, open};

pub fn ask(examiner: &mut dyn Examiner) {
    examiner.question("any: from a path, open and read the header, up to 256 KiB", |question| {
        let all = [("b3d", "b3d"), ("bmx", "bmx"), ("lodka", "lod"), ("rtm", "rtm"), ("odol", "p3d")];
        let mut paths: Vec<PathBuf> = all.iter().flat_map(|(folder, end)| files(folder, end)).collect();
        paths.retain(|path| path.metadata().is_ok_and(|metadata| metadata.len() <= 256 << 10));
        question.compare(vec![
            contender("meshpeek: Asset::parse", || {
                paths.iter().map(|path| u64::from(Asset::parse(&open(path)).is_ok())).sum()
            }),
            measure("fs::read", || paths.iter().map(|path| std::fs::read(path).expect("a file").len() as u64).sum())
                .at_most(1.5),
        ]);
    });
}
