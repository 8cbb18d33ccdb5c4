//! Archives: where every member is.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use meshpeek::pbo::Archive;

use super::harness::{Examiner, contender, measure};
use super::material::open;
use super::writer::pbo::{Tail, Writer};

const MEMBERS: u64 = 20_000;
const MEMBER_BYTES: u32 = 107_000;

/// An archive of 2 GiB, all of it a hole but for the header; gone when dropped.
struct Sparse(PathBuf);

impl Sparse {
    fn new() -> Self {
        let path = std::env::temp_dir().join(format!("meshpeek-table-{}.pbo", std::process::id()));
        let entry = |writer: Writer, index| {
            let name = format!("data\\models\\house_{index:05}.p3d");
            writer.entry(name.as_bytes(), [0, 0, 0, 1_600_000_000, MEMBER_BYTES], b"")
        };
        let header = (0..MEMBERS).fold(Writer::new(), entry).finish(Tail::Bytes(b""));
        std::fs::write(&path, &header).expect("a place for files");
        let file = File::options().write(true).open(&path).expect("the file");
        file.set_len(header.len() as u64 + MEMBERS * u64::from(MEMBER_BYTES)).expect("room for a hole");
        Self(path)
    }
}

impl Drop for Sparse {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

pub fn ask(examiner: &mut dyn Examiner) {
    examiner.question("pbo: from a path, where each of 20,000 members in 2 GiB is", |question| {
        let archive = Sparse::new();
        let file = open(&archive.0);
        let members = Archive::parse(&file).expect("an archive").members();
        let known: Vec<u64> = members.map(|member| member.expect("a member").offset()).collect();
        assert_eq!(known.len() as u64, MEMBERS);
        question.compare(vec![
            contender("meshpeek: Archive::parse, members", || {
                let file = open(&archive.0);
                let archive = Archive::parse(&file).expect("an archive");
                archive.members().map(|member| member.expect("a member").offset()).sum()
            }),
            measure("pread of 512 bytes a member", || {
                let file = File::open(&archive.0).expect("the file");
                let mut bytes = [0; 512];
                known.iter().for_each(|&place| file.read_exact_at(&mut bytes, place).expect("its bytes"));
                known.len() as u64
            })
            .at_most(0.15),
        ]);
    });
}
