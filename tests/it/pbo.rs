//! PBO archives, own and real ones.

use meshpeek::pbo::{Archive, TailKind};
use meshpeek::summary::{Problems, Severity};
use meshpeek::{Asset, Format, Inspect, Limits};

use crate::corpus::{files, outside_file};
use crate::writer::pbo::{Tail, Writer, corpus, hostile};

#[path = "../../fuzz/src/pbo.rs"]
pub mod fuzz;

fn problems(archive: &Archive<'_>) -> Vec<(Severity, String)> {
    let mut problems = Problems::new(&Limits::default());
    archive.verify(&mut problems);
    problems.into_vec().into_iter().map(|problem| (problem.severity, problem.message.into_owned())).collect()
}

#[test]
fn real_archives_have_the_right_checksum_and_nothing_odd() {
    for (file, members, prefix, first, last) in [
        ("ace_ai.pbo", 26, Some(r"z\ace\addons\ai"), "$PBOPREFIX$.backup", "XEH_preStart.sqfc"),
        ("exported_mission.VR.pbo", 9, None, "description.ext", "script_macros.hpp"),
        ("hemtt_photoshoot.pbo", 3, Some(r"x\hemtt\addons\photoshoot"), "chroma.rvmat", "script_component.hpp"),
    ] {
        let Some(bytes) = outside_file(&format!("pbo/{file}")) else { continue };
        assert_eq!(Format::sniff(&bytes), Some(Format::Pbo));
        let archive = Archive::parse(&bytes).unwrap();
        assert_eq!(archive.checksum_holds().unwrap(), Some(true), "{file}");
        assert_eq!(problems(&archive), []);
        assert_eq!(archive.summarize().counts.get("members"), Some(archive.members().count() as u64));
        assert_eq!(archive.members().count(), members, "{file}");
        assert_eq!(archive.prefix().map(|prefix| prefix.to_string()), prefix.map(str::to_owned));
        let names: Vec<_> = archive.members().map(|member| member.unwrap().name().to_string()).collect();
        assert_eq!((names[0].as_str(), names[members - 1].as_str()), (first, last));
        for member in archive.members().map(Result::unwrap) {
            assert_eq!(member.borrowed().unwrap().unwrap().len() as u64, member.stored_size());
            assert_eq!(archive.find(member.name().as_bytes()).unwrap().unwrap().index(), member.index());
        }
        // One changed byte anywhere before the tail breaks the checksum.
        let mut bytes = bytes.clone();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        assert_eq!(Archive::parse(&bytes).unwrap().checksum_holds().unwrap(), Some(false));
    }
}

#[test]
fn odd_archives_show_what_they_were_made_for() {
    use Severity::{Error, Warning};
    assert!(corpus().iter().all(|(_, bytes)| Format::sniff(bytes) == Some(Format::Pbo)));
    for (file, bytes) in hostile() {
        assert_eq!(Format::sniff(&bytes), Some(Format::Pbo), "{file}");
        let archive = Archive::parse(&bytes).unwrap();
        let found = problems(&archive);
        let expected: &[(Severity, &str)] = match file {
            "unknown_method.pbo" => &[(Warning, "members[0]: unknown method 0x12345678")],
            "names.pbo" => &[
                (Warning, "members[1]: the same name as member 0"),
                (Warning, "members[2]: name with control characters"),
                (Warning, "members[3]: name leads out of its folder"),
                (Warning, "members[4]: name with a drive or characters that not every system takes"),
                (Warning, "members[5]: name starts at a root"),
                (Warning, "members[6]: name of a device"),
                (Warning, "members[7]: name with a dot or blank at the end"),
                (Warning, "members[9]: name is not UTF-8"),
            ],
            "products.pbo" => &[
                (Warning, "header: product entry that is not the first"),
                (Warning, "header: product entry that is not the first"),
            ],
            "beyond.pbo" => &[
                (Error, "members[1]: needs 2147483648 bytes, 2 left"),
                (Error, "members[2]: starts behind the end of the archive"),
            ],
            "end_with_size.pbo" => &[(Warning, "header: ended by an entry without a name, but with a size")],
            "bad_streams.pbo" => &[
                (Error, "members[0]: LZSS checksum is 0x0, of the decoded bytes 0x126"),
                (Error, "members[1]: LZSS stream of 8 bytes in 9"),
                (Error, "members[2]: 8 bytes cannot hold 4294967295 packed ones"),
            ],
            "bad_sha1.pbo" => &[(Error, "tail: SHA-1 is not that of the archive")],
            "cut.pbo" => &[(Error, "members[1]: needs 20 bytes, 17 left")],
            "long_tail.pbo" => &[(Warning, "tail: 64 bytes of no known form behind the members")],
            _ => panic!("{file} is not expected"),
        };
        let expected: Vec<_> = expected.iter().map(|&(severity, message)| (severity, message.to_owned())).collect();
        assert_eq!(found, expected, "{file}");
    }
}

#[test]
fn what_was_packed_comes_back() {
    let plain: Vec<u8> = (0..5000_u32).map(|i| (i * i / 7 % 251) as u8).collect();
    let bytes = Writer::new().packed(b"p", &plain).stored(b"s", &plain).finish(Tail::Sha1);
    let archive = Archive::parse(&bytes).unwrap();
    for name in [b"p", b"s"] {
        assert_eq!(*archive.find(name).unwrap().unwrap().decode().unwrap(), plain);
    }
    assert!(matches!(archive.tail().unwrap().kind(), TailKind::Sha1(_)));
}

#[test]
fn other_files_are_not_taken_for_archives() {
    // A tar starts with a name padded with zeros, then numbers in ASCII.
    let tar = |name: &str| [name.as_bytes(), &vec![0; 100 - name.len()], b"0000644\x000001750\0", &[0; 400]].concat();
    let others: [&[u8]; 9] = [
        b"",
        b"\0",
        b"text",
        b"text\0",
        &[0; 64],
        &tar("folder/file.txt"),
        &tar(&"n".repeat(85)),
        b"MLOD\x01\x01\0\0\x01\0\0\0P3DM\x1c\0\0\0\0\x01\0\0\x08\0\0\0",
        b"%PDF-1.7\n%\xb5\xb5\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01",
    ];
    for other in others {
        assert_ne!(Format::sniff(other), Some(Format::Pbo), "{other:?}");
        if Format::sniff(other).is_none() {
            assert!(Asset::parse(other).is_err());
        }
    }
    // The first bytes of an archive are enough.
    let bytes = &corpus()[1].1;
    assert_eq!(Format::sniff(&bytes[..40]), Some(Format::Pbo));
    for (path, bytes) in files() {
        let is_pbo = path.extension().is_some_and(|extension| extension == "pbo");
        assert_eq!(Format::sniff(&bytes) == Some(Format::Pbo), is_pbo, "{}", path.display());
    }
}

#[test]
fn damaged_archives_are_read_without_harm() {
    for (_, bytes) in corpus().into_iter().chain(hostile()) {
        for cut in 0..bytes.len() {
            fuzz::run(&bytes[..cut]);
        }
        for place in 0..bytes.len().min(400) {
            for value in [0, 1, 0x7f, 0xff] {
                let mut bytes = bytes.clone();
                bytes[place] = value;
                fuzz::run(&bytes);
            }
        }
    }
}
