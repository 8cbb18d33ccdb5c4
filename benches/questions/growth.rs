//! How the cost grows with the work: the same question for ten and for a hundred times as many members of an archive.

use meshpeek::pbo::Archive;

use super::archive::Temporary;
use super::harness::{Contender, Examiner, measure};
use super::material::{map, open_by};
use super::writer::pbo::{Tail, Writer};

/// The largest first, so that the others' ratios say how many times more it costs.
const SIZES: [(u32, &str); 3] = [(100_000, "100,000 members"), (10_000, "10,000 members"), (1_000, "1,000 members")];

/// A small scene.
pub fn scene() -> Vec<u8> {
    let mut corpus = super::writer::b3d::corpus().into_iter();
    corpus.find(|(name, _)| *name == "triangle.b3d").expect("a scene").1
}

/// Archives of small scenes, of these sizes.
fn archives() -> Vec<Temporary> {
    let scene = scene();
    SIZES.map(|(members, _)| archive(members, &scene, Tail::Bytes(b""))).into()
}

/// An archive of this many scenes.
pub fn archive(members: u32, scene: &[u8], tail: Tail<'_>) -> Temporary {
    let entry = |writer: Writer, index| writer.stored(format!("data\\scene_{index:06}.b3d").as_bytes(), scene);
    Temporary::new(&(0..members).fold(Writer::new(), entry).finish(tail))
}

/// The locations of all members; mapped, as larger archives are anyway.
pub fn places(archive: &Temporary) -> u64 {
    let file = open_by(map(), archive.path());
    let archive = Archive::parse(&file).expect("an archive");
    archive.members().map(|member| member.expect("a member").offset).sum()
}

/// The work for each size; ten times the members may cost up to twelve and a half times as much.
fn growing<'w>(archives: &'w [Temporary], work: impl Fn(&'w Temporary) -> u64 + Copy + 'w) -> Vec<Contender<'w>> {
    let sized = |(archive, (members, name)): (&'w Temporary, (u32, &'static str))| {
        let row = measure(name, move || work(archive)).items(members.into());
        if members == SIZES[0].0 { row } else { row.at_most(1.25 * f64::from(SIZES[0].0 / members)) }
    };
    archives.iter().zip(SIZES).map(sized).collect()
}

pub fn ask(examiner: &mut dyn Examiner) {
    examiner.question("growth: the index of a pbo", |question| {
        let archives = archives();
        question.compare(growing(&archives, places));
    });
    #[cfg(feature = "scan")]
    examiner.question("growth: scan of a pbo to NDJSON, one job", |question| {
        let archives = archives();
        question.compare(growing(&archives, |archive| super::scan::to_ndjson(archive.path(), 1, false)));
    });
}
