//! Archives: the location and the kind of every member.

use std::fs::File;
use std::os::unix::fs::FileExt;

use meshpeek::pbo::Archive;
use meshpeek::{Asset, FileMap};

use super::archive::Temporary;
use super::harness::{Contender, Examiner, contender, measure};

fn places(file: &FileMap) -> Vec<u64> {
    let archive = Archive::parse(file).expect("an archive");
    archive.members().map(|member| member.expect("a member").offset).collect()
}

/// The cost of reading the start of each member with system calls.
fn preads(archive: &Temporary) -> Contender<'_> {
    let known = places(&archive.open());
    let members = known.len() as u64;
    let read = move || {
        let file = File::open(archive.path()).expect("the file");
        let mut bytes = [0; 512];
        known.iter().map(|&place| file.read_at(&mut bytes, place).expect("its bytes") as u64).sum()
    };
    measure("pread of 512 bytes a member", read).items(members)
}

/// The header facts of an asset.
fn facts(bytes: &[u8]) -> u64 {
    match Asset::parse(bytes).expect("an asset") {
        Asset::B3d(scene) => scene.version() as u64,
        Asset::Odol(model) => u64::from(model.version().stored()) + model.lod_count() as u64,
        Asset::Rtm(motion) => u64::from(motion.version()) + motion.frame_count() as u64,
        Asset::Lodka(model) => model.as_bytes().len() as u64,
        other => panic!("none was put in: {other:?}"),
    }
}

fn of_all(file: &FileMap) -> u64 {
    let archive = Archive::parse(file).expect("an archive");
    let facts = archive.members().map(|member| {
        let member = member.expect("a member");
        facts(member.borrowed().expect("its bytes").expect("stored as it is"))
    });
    facts.sum()
}

pub fn ask(examiner: &mut dyn Examiner) {
    examiner.question("pbo: from a path, where each of 20,000 members in 2 GiB is", |question| {
        let archive = Temporary::of_holes(20_000, 107_000);
        let members = places(&archive.open()).len() as u64;
        question.compare(vec![
            contender("meshpeek: Archive::parse, members", || {
                let file = archive.open();
                let archive = Archive::parse(&file).expect("an archive");
                archive.members().map(|member| member.expect("a member").offset).sum()
            })
            .items(members),
            preads(&archive).at_most(0.15),
        ]);
    });
    examiner.question("pbo: warm, header facts of every member, real assets in 150 MB", |question| {
        let archive = Temporary::of_assets(150 << 20);
        let members = places(&archive.open()).len() as u64;
        let kept = archive.open();
        question.compare(vec![
            contender("meshpeek: Archive::parse, Asset::parse, archive kept open", || of_all(&kept)).items(members),
            preads(&archive).at_most(1.3),
        ]);
    });
    examiner.question("pbo: the same, archive opened each time", |question| {
        let archive = Temporary::of_assets(150 << 20);
        let members = places(&archive.open()).len() as u64;
        question.compare(vec![
            contender("meshpeek: FileMap::open_with, and so on", || of_all(&archive.open())).items(members),
            preads(&archive),
        ]);
    });
}
