//! Arma animations: the locations and the content of their frames.

use std::hint::black_box;
use std::path::PathBuf;

use meshpeek::rtm::{Binarised, Motion};

use super::harness::{Examiner, contender, measure};
use super::material::{files, open};

fn binarised(bytes: &[u8]) -> Binarised<'_> {
    match Motion::parse(bytes).expect("an animation") {
        Motion::Binarised(motion) => motion,
        _ => unreachable!("sorted out before"),
    }
}

fn binarised_files() -> Vec<PathBuf> {
    let mut paths = files("rtm", "rtm");
    paths.retain(|path| matches!(Motion::parse(&open(path)), Ok(Motion::Binarised(_))));
    paths
}

pub fn ask(examiner: &mut dyn Examiner) {
    examiner.question("rtm: from a path, where every frame is", |question| {
        let paths = binarised_files();
        question.compare(vec![
            contender("meshpeek: to_table", || {
                let frames = |file: &[u8]| binarised(file).frames()?.to_table().map(|table| table.len());
                paths.iter().map(|path| frames(&open(path)).expect("frames") as u64).sum()
            }),
            measure("fs::read", || paths.iter().map(|path| std::fs::read(path).expect("a file").len() as u64).sum())
                .at_most(1.3),
        ]);
    });
    examiner.question("rtm: every transform to f32", |question| {
        let contents: Vec<_> = binarised_files().iter().map(|path| std::fs::read(path).expect("a file")).collect();
        question.compare(vec![
            contender("meshpeek: decode, rotation and translation", || {
                let mut sum = 0;
                for file in &contents {
                    let frames = binarised(file).frames().expect("frames");
                    let mut floats: Vec<([f32; 4], [f32; 3])> = Vec::new();
                    for frame in frames.iter() {
                        let transforms = frame.expect("a frame").block.decode().expect("a sound block");
                        floats.extend(transforms.iter().map(|one| (one.rotation(), one.translation())));
                    }
                    sum += floats.len() as u64;
                }
                sum
            }),
            measure("memcpy of the file", || contents.iter().map(|file| black_box(file.clone()).len() as u64).sum())
                .at_most(10.0),
        ]);
    });
}
