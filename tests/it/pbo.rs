//! PBO archives, the project's own and real ones.

use meshpeek::pbo::{Archive, TailKind};
use meshpeek::summary::{Problems, Severity};
use meshpeek::{Asset, Format, Inspect, Limits};

use crate::support::files::{files, outside_file};
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
            assert_eq!(member.borrowed().unwrap().unwrap().len() as u64, member.stored_byte_len());
            assert_eq!(archive.find(member.name().as_bytes()).unwrap().unwrap().index, member.index);
        }
        // One changed byte anywhere before the tail breaks the checksum.
        let mut bytes = bytes.clone();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        assert_eq!(Archive::parse(&bytes).unwrap().checksum_holds().unwrap(), Some(false));
    }
}

#[test]
fn each_odd_archive_has_its_problems() {
    use Severity::{Error, Warning};
    assert!(corpus().iter().all(|(_, bytes)| Format::sniff(bytes) == Some(Format::Pbo)));
    for (file, bytes) in hostile() {
        assert_eq!(Format::sniff(&bytes), Some(Format::Pbo), "{file}");
        let archive = Archive::parse(&bytes).unwrap();
        let found = problems(&archive);
        let expected: &[(Severity, &str)] = match file {
            "unknown_method.pbo" => &[(Warning, "members[0]: future.bin: unknown method 0x12345678")],
            "names.pbo" => &[
                (Warning, "members[1]: SCRIPT.sqf: the same name as member 0"),
                (Warning, "members[2]: \\u{1}\\u{2}\\u{7f}\\t: name with control characters"),
                (Warning, "members[3]: ..\\..\\up.sqf: name leads out of its folder"),
                (Warning, "members[4]: C:\\drive.sqf: name with a drive or characters some systems forbid"),
                (Warning, "members[5]: \\root.sqf: name starts at a root"),
                (Warning, "members[6]: aux.sqf: name of a device"),
                (Warning, "members[7]: dots. .: name with a dot or blank at the end"),
                (Warning, "members[9]: \\xec\\xe8\\xf0.sqf: name is not UTF-8"),
            ],
            "products.pbo" => &[
                (Warning, "header: product entry that is not the first"),
                (Warning, "header: product entry that is not the first"),
            ],
            "beyond.pbo" => &[(
                Error,
                "2 of 3 members are truncated or lost, 2,147,483,647 bytes missing at the end; the first is b.txt at index 1",
            )],
            "end_with_size.pbo" => &[(Warning, "header: ended by an entry without a name, but with a size")],
            "bad_streams.pbo" => &[
                (Warning, "members[2]: claim: its entry claims 4294967295 bytes, its stream holds 3"),
                (Error, "members[0]: LZSS checksum is 0x0, of the decoded bytes 0x126"),
                (Error, "members[1]: LZSS stream of 8 bytes in 9"),
            ],
            "bad_sha1.pbo" => &[(Error, "tail: SHA-1 is not that of the archive")],
            "cut.pbo" => &[(Error, "members[1].fields: needs 20 bytes, 17 left")],
            "long_tail.pbo" => &[(Warning, "tail: 64 bytes of no known form after the members")],
            _ => panic!("{file} is not expected"),
        };
        let expected: Vec<_> = expected.iter().map(|&(severity, message)| (severity, message.to_owned())).collect();
        assert_eq!(found, expected, "{file}");
    }
}

#[test]
fn a_stream_counts_more_than_the_size_that_its_entry_claims() {
    let Some(bytes) = outside_file("wild/fow_functions.pbo") else { return };
    let archive = Archive::parse(&bytes).unwrap();
    let packed: Vec<_> = archive.members().map(Result::unwrap).filter(|m| m.borrowed().unwrap().is_none()).collect();
    assert_eq!(packed.len(), 131);
    let misled = packed.iter().filter(|member| {
        let content = member.decode().unwrap();
        assert_eq!(content.len() as u64, member.decoded_byte_len().unwrap());
        let wrong = content.len() as u64 != member.decoded_byte_len_hint();
        assert!(!wrong || member.decoded_byte_len_hint() == member.stored_byte_len() * 3 / 2, "{}", member.name());
        wrong
    });
    assert_eq!(misled.count(), 19);
    let found = problems(&archive);
    assert!(found.iter().all(|(severity, _)| *severity == Severity::Warning), "{found:?}");
    let claims: Vec<&String> =
        found.iter().map(|(_, message)| message).filter(|message| message.contains("its entry claims")).collect();
    assert!(claims.len() == 1 && claims[0].ends_with(" (first of 19 such members)"), "{claims:?}");
    // The others are names that are invalid for files.
    assert_eq!(found.iter().filter(|(_, message)| message.contains(": name with ")).count(), found.len() - 1);
    // Checks that need decoding are left to `verify`.
    let before = meshpeek::codec::activity();
    assert!(archive.summarize().problems.iter().all(|problem| !problem.message.contains("claims")));
    assert_eq!(meshpeek::codec::activity(), before);
}

#[test]
fn a_stream_longer_than_claimed_is_paid_for() {
    use meshpeek::budget::Budget;
    use meshpeek::container::Container;
    let plain = vec![b'a'; 5000];
    let stream = crate::writer::lzss::pack(&plain);
    let bytes = Writer::new().entry(b"a", [0x4370_7273, 1, 0, 0, stream.len() as u32], &stream).finish(Tail::Sha1);
    let asset = Asset::parse(&bytes).unwrap();
    let member = Container::of(&asset).unwrap().members().next().unwrap().unwrap();
    assert_eq!(*member.decode(&Budget::new(5, &Limits::default())).unwrap(), plain);
    assert!(member.decode(&Budget::new(5, &Limits::default().with_work(0))).is_err());
}

#[test]
fn missing_bytes_are_reported_once() {
    let data = [b'x'; 100];
    let names: Vec<String> = (0..120).map(|index| format!("data\\{index}.txt")).collect();
    let writer = names.iter().fold(Writer::new(), |writer, name| writer.stored(name.as_bytes(), &data));
    let whole = writer.finish(Tail::Sha1);
    // 21 bytes of the tail, and 34 and a half members.
    let cut = &whole[..whole.len() - 21 - 3450];
    let archive = Archive::parse(cut).unwrap();
    let message = "35 of 120 members are truncated or lost, 3,450 bytes missing at the end; the first is data\\85.txt at index 85";
    assert_eq!(problems(&archive), [(Severity::Error, message.to_owned())]);
    let found = archive.summarize().problems;
    assert_eq!((found.len(), found[0].offset), (1, Some(cut.len() as u64)));
    // Only the tail is lost, which nothing indicates.
    assert_eq!(problems(&Archive::parse(&whole[..whole.len() - 21]).unwrap()), []);
}

#[test]
fn an_end_with_the_method_of_the_members_is_usual() {
    let bytes = Writer::new().packed(b"mission.sqm", b"version=12;").entry(b"", [0x4370_7273, 0, 0, 0, 0], b"");
    let bytes = bytes.finish_without_end(Tail::Bytes(b""));
    assert_eq!(Format::sniff(&bytes), Some(Format::Pbo));
    let Some(bytes) = outside_file("wild/mission_fixture.Intro.pbo") else { return };
    assert_eq!(Format::sniff(&bytes), Some(Format::Pbo));
    let Ok(Asset::Pbo(archive)) = Asset::parse(&bytes) else { panic!("no archive") };
    let names: Vec<_> = archive.members().map(|member| member.unwrap().name().to_string()).collect();
    assert_eq!(names, ["briefing.html", "description.ext", "mission.sqm"]);
    assert_eq!(problems(&archive), []);
    assert!(archive.members().all(|member| member.unwrap().decode().is_ok()));
}

#[test]
fn a_name_that_ends_in_pbo_is_believed() {
    use std::path::Path;
    // An ambiguous oddity: a reserved field that is not zero.
    let bytes = Writer::new().entry(b"a.txt", [0, 0, 7, 0, 2], b"hi").finish(Tail::Sha1);
    assert_eq!(Format::sniff(&bytes), None);
    assert!(Asset::parse(&bytes).is_err());
    let limits = Limits::default();
    let asset = Asset::parse_file(Path::new("x.PBO"), &bytes, &limits).unwrap();
    assert_eq!(asset.summarize().counts.get("members"), Some(1));
    assert!(Asset::parse_file(Path::new("x.bin"), &bytes, &limits).is_err());
    assert!(Asset::parse_file(Path::new("x.pbo"), b"class CfgPatches {};", &limits).is_err());
    assert!(Asset::parse_file(Path::new("x.pbo"), b"", &limits).is_err());
    // The first bytes of the content take precedence.
    let scene = crate::writer::b3d::sound().to_vec();
    assert!(matches!(Asset::parse_file(Path::new("x.pbo"), &scene, &limits), Ok(Asset::B3d(_))));
    let file = crate::support::scans::TempFile::new("odd.pbo", &bytes);
    let records = crate::support::scans::scanned(&file.0, |_| {});
    assert_eq!(
        (records.len(), records[0].summary.format, records[0].summary.problems.len()),
        (1, Some(Format::Pbo), 0)
    );
}

#[test]
fn other_files_are_not_sniffed_as_archives() {
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = move || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    };
    let words = [
        "class ",
        "entry",
        "\r\n",
        "\n",
        "= ",
        "0x00",
        "{ };",
        "Print ",
        "\t",
        "version https",
        ".p3d",
        "srpC",
        "\u{e9}",
        "Vers",
    ];
    for length in 0..400 {
        let text: String = (0..length).map(|_| words[next() as usize % words.len()]).collect();
        assert_eq!(Format::sniff(text.as_bytes()), None, "{text}");
        let bytes: Vec<u8> = (0..length * 8).map(|_| next() as u8).collect();
        assert_eq!(Format::sniff(&bytes), None);
        // Strings from a program's tables, separated by zeros.
        let table: Vec<u8> = text.bytes().map(|byte| if byte == b' ' || byte == b'\n' { 0 } else { byte }).collect();
        assert_eq!(Format::sniff(&table), None, "{text:?}");
    }
    // From a program: an empty member dated the eleventh day of 1970.
    assert_eq!(Format::sniff(&[&b"D\0"[..], &[0; 14], &[14], &[0; 60]].concat()), None);
    let program = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    let own = ["Cargo.toml", "Cargo.lock", "README.md", "src/lib.rs", "corpus/records.ndjson"];
    let own = own.map(|name| std::fs::read(crate::support::files::root().join(name)).unwrap());
    assert!(own.iter().all(|file| Format::sniff(file).is_none()));
    // Any position of the program, as the start of a file: each build has others. One may look like a member of a PBO,
    // and one that starts with the magic of another format is recognized as that format.
    let members = program.chunks(40_961).filter(|piece| Format::sniff(piece) == Some(Format::Pbo)).count();
    assert!(members < 3, "{members}");
}

#[test]
fn packed_members_decode_to_their_content() {
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

#[test]
fn the_same_problem_of_many_members_is_reported_once() {
    let names = (0..17).map(|number| format!("a{number}?.sqf"));
    let archive = names.fold(Writer::new(), |archive, name| archive.stored(name.as_bytes(), b"x"));
    let bytes =
        archive.stored(b"sound.sqf", b"y").stored(b"sound.sqf", b"y").stored(b"sound.sqf", b"z").finish(Tail::Sha1);
    let mut found = problems(&Archive::parse(&bytes).unwrap());
    found.sort_by(|a, b| a.1.cmp(&b.1));
    let expected = [
        "members[0]: a0?.sqf: name with a drive or characters some systems forbid (first of 17 such members)",
        "members[18]: sound.sqf: the same name as member 17 (first of 2 such members)",
    ];
    assert_eq!(found, expected.map(|message| (Severity::Warning, message.to_owned())));
}
