//! LODka3D models.

use meshpeek::{Inspect, lodka};

use super::harness::{Examiner, contender, measure};
use super::material::{files, open};

pub fn ask(examiner: &mut dyn Examiner) {
    examiner.question("lodka: from a path, all chunks and counts", |question| {
        let paths = files("lodka", "lod");
        question.compare(vec![
            contender("meshpeek: Model::parse, summarize", || {
                let counts = |file: &[u8]| lodka::Model::parse(file).expect("a model").summarize().counts;
                paths.iter().map(|path| counts(&open(path)).iter().filter_map(|(_, count)| count).sum::<u64>()).sum()
            }),
            measure("fs::read", || paths.iter().map(|path| std::fs::read(path).expect("a file").len() as u64).sum()),
        ]);
    });
}
