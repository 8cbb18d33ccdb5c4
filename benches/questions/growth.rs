//! How the cost grows with the work: the same, for ten and for a hundred times as many members of an archive.

use meshpeek::pbo::Archive;

use super::archive::Temporary;
use super::harness::{Contender, Examiner, measure};
use super::material::{map, open_by};
use super::writer::pbo::{Tail, Writer};

/// The most first, so that the others' ratios tell how many times more it costs.
const SIZES: [(u32, &str); 3] = [(100_000, "100,000 members"), (10_000, "10,000 members"), (1_000, "1,000 members")];

/// Archives of small scenes, of these sizes.
fn archives() -> Vec<Temporary> {
    let scene = super::writer::b3d::corpus().into_iter().find(|(name, _)| *name == "triangle.b3d").expect("a scene").1;
    let of_size = |(members, _)| {
        let entry = |writer: Writer, index| writer.stored(format!("data\\scene_{index:06}.b3d").as_bytes(), &scene);
        Temporary::new(&(0..members).fold(Writer::new(), entry).finish(Tail::Bytes(b"")))
    };
    SIZES.map(of_size).into()
}

/// The work for each size; ten times the members may cost ten times as much and a quarter more.
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
        question.compare(growing(&archives, |archive| {
            // Mapped, as the larger ones are anyway.
            let file = open_by(map(), archive.path());
            let archive = Archive::parse(&file).expect("an archive");
            archive.members().map(|member| member.expect("a member").offset()).sum()
        }));
    });
    #[cfg(feature = "scan")]
    examiner.question("growth: scan of a pbo to NDJSON, one job", |question| {
        let archives = archives();
        question.compare(growing(&archives, |archive| super::scan::to_ndjson(archive.path(), 1, false)));
    });
}
