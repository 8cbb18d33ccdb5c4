//! Hand-written archives, each with one oddity.

use super::*;
use crate::base::error::ErrorKind;
use crate::base::error::Result;
use crate::base::limits::Limits;
use crate::bytes::{Packing, Table};
use crate::inspect::Inspect;
use crate::outline::to_bytes;
use crate::summary::{Problems, Severity};
use sha1::{Digest, Sha1};

/// "P3D   P3D   \xe9" as a stream, checksum included; both have 13 bytes.
const STREAM: &[u8] = b"\x27P3D\x64\0\x06\x03\xe9\x37\x03\0\0";
const CPRS: u32 = 0x4370_7273;
const ENCR: u32 = 0x456e_6372;
const VERS: u32 = 0x5665_7273;

/// name, method, original size, reserved, timestamp, data size.
fn entry(name: &[u8], method: u32, original: u32, timestamp: u32, size: u32) -> Vec<u8> {
    let mut bytes = [name, b"\0"].concat();
    for number in [method, original, 0, timestamp, size] {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    bytes
}

fn stored(name: &[u8], size: u32) -> Vec<u8> {
    entry(name, 0, 0, 0, size)
}

fn product(pairs: &[(&str, &str)]) -> Vec<u8> {
    let mut bytes = entry(b"", VERS, 0, 0, 0);
    for (key, value) in pairs {
        bytes.extend_from_slice(format!("{key}\0{value}\0").as_bytes());
    }
    [bytes, vec![0]].concat()
}

fn end() -> Vec<u8> {
    stored(b"", 0)
}

fn with_tail(mut bytes: Vec<u8>) -> Vec<u8> {
    let sum = Sha1::digest(&bytes);
    bytes.push(0);
    bytes.extend_from_slice(&sum);
    bytes
}

fn verify(archive: &Archive<'_>) -> Vec<(Severity, Option<u64>, String)> {
    let mut problems = Problems::new(&Limits::default());
    archive.verify(&mut problems);
    problems.into_vec().into_iter().map(|p| (p.severity, p.offset, p.message.into_owned())).collect()
}

fn warning(offset: u64, message: &str) -> (Severity, Option<u64>, String) {
    (Severity::Warning, Some(offset), message.to_owned())
}

fn error(offset: u64, message: &str) -> (Severity, Option<u64>, String) {
    (Severity::Error, Some(offset), message.to_owned())
}

fn members<'a>(archive: &Archive<'a>) -> Vec<Member<'a>> {
    archive.members().collect::<Result<_>>().unwrap()
}

#[test]
fn offsets_of_members_are_sums_of_the_sizes_before_them() {
    let header = [
        product(&[("prefix", r"z\a"), ("Version", "1"), ("version", "2")]), // 22 + 11 + 10 + 10 = 53 bytes
        stored(b"a.txt", 3),                                                // 26
        stored(b"empty", 0),                                                // 26
        entry(b"b.bin", CPRS, 13, 1_600_000_000, 13),                       // 26
        end(),                                                              // 21
    ]
    .concat();
    let bytes = with_tail([&header[..], b"abc", STREAM].concat());
    let archive = Archive::parse(&bytes).unwrap();
    assert_eq!((header.len(), archive.data_offset, archive.member_count), (152, 152, 3));
    assert_eq!(archive.prefix().unwrap(), r"z\a");
    assert_eq!(archive.property("VERSION").unwrap(), "1");
    let keys: Vec<_> = archive.spanned_properties().map(|(p, span)| (p.key, span.offset)).collect();
    assert_eq!(keys, [("prefix", 21), ("Version", 32), ("version", 42)].map(|(key, at)| (key.into(), at)));

    let all = members(&archive);
    assert_eq!(
        all.iter().map(|m| (m.offset, m.stored_byte_len())).collect::<Vec<_>>(),
        [(152, 3), (155, 0), (155, 13)]
    );
    assert_eq!(all.iter().map(|m| m.entry.offset).collect::<Vec<_>>(), [53, 79, 105]);
    assert_eq!(all[0].entry.byte_len(), 26);
    assert_eq!((all[0].timestamp(), all[2].timestamp()), (None, Some(1_600_000_000)));
    // In place: the archive's own bytes.
    assert!(std::ptr::eq(all[0].borrowed().unwrap().unwrap(), &bytes[152..155]));
    assert!(matches!(all[0].decode().unwrap(), std::borrow::Cow::Borrowed(b"abc")));
    assert_eq!(all[1].borrowed().unwrap(), Some(&b""[..]));
    assert_eq!((all[2].borrowed().unwrap(), all[2].decoded_byte_len_hint()), (None, 13));
    assert_eq!(&*all[2].decode().unwrap(), b"P3D   P3D   \xe9");
    assert_eq!(all[2].stored_bytes().unwrap(), STREAM);

    let tail = archive.tail().unwrap();
    assert_eq!((tail.offset, tail.kind().name(), tail.bytes.len()), (168, "sha1", 21));
    assert_eq!(archive.checksum_holds().unwrap(), Some(true));
    assert_eq!(verify(&archive), []);

    let summary = archive.summarize();
    assert_eq!(summary.counts.get("members"), Some(3));
    let blocks = summary.blocks;
    assert_eq!((blocks.stored, blocks.packed, blocks.packed_bytes, blocks.unpacked_bytes), (1, 1, 13, 13));
}

#[test]
fn a_missing_product_entry_and_missing_members_are_usual() {
    let bytes = [stored(b"mission.sqm", 2), end(), b"hi".to_vec()].concat();
    let archive = Archive::parse(&bytes).unwrap();
    assert_eq!((archive.prefix(), archive.properties().count()), (None, 0));
    assert_eq!(archive.tail().unwrap().kind(), TailKind::None);
    assert_eq!((archive.checksum_holds().unwrap(), verify(&archive)), (None, vec![]));
    let bytes = [product(&[]), end()].concat();
    let archive = Archive::parse(&bytes).unwrap();
    assert_eq!((archive.member_count, archive.members().count(), verify(&archive)), (0, 0, vec![]));
}

#[test]
fn tails_are_known_by_their_length() {
    let bytes = [stored(b"a", 1), end(), b"a".to_vec()].concat();
    for (tail, name) in
        [(vec![], "none"), (vec![0, 1, 2, 3, 4], "short"), (vec![0; 20], "unknown"), (vec![7], "unknown")]
    {
        let bytes = [bytes.clone(), tail.clone()].concat();
        let archive = Archive::parse(&bytes).unwrap();
        assert_eq!(archive.tail().unwrap().kind().name(), name);
        assert_eq!(archive.checksum_holds().unwrap(), None);
        let expected = format!("tail: {} bytes of no known form after the members", tail.len());
        assert_eq!(verify(&archive), if name == "unknown" { vec![warning(44, &expected)] } else { vec![] });
    }
    let mut bytes = with_tail(bytes);
    bytes[43] ^= 1; // the member's byte
    let archive = Archive::parse(&bytes).unwrap();
    assert_eq!(archive.checksum_holds().unwrap(), Some(false));
    assert_eq!(verify(&archive), [error(44, "tail: SHA-1 is not that of the archive")]);
    assert_eq!(archive.summarize().problems, []);
    bytes.push(0);
    assert_eq!(Archive::parse(&bytes).unwrap().tail().unwrap().kind(), TailKind::Unknown);
}

#[test]
fn look_up_gives_the_first_and_knows_no_case() {
    let bytes = [stored(b"A\\b.txt", 1), stored(b"a\\B.TXT", 2), stored(b"c", 1), end(), b"1223".to_vec()].concat();
    let archive = Archive::parse(&bytes).unwrap();
    let found = archive.find(b"a/b.TXT").unwrap().unwrap();
    assert_eq!((found.index, found.stored_bytes().unwrap()), (0, &b"1"[..]));
    assert_eq!(archive.find(b"C").unwrap().unwrap().stored_bytes().unwrap(), b"3");
    assert!(archive.find(b"d").unwrap().is_none());
    assert_eq!(archive.summarize().problems, []);
    assert_eq!(verify(&archive), [warning(28, "members[1]: a\\B.TXT: the same name as member 0")]);
}

#[test]
fn names_are_kept_and_odd_ones_flagged() {
    let names: [&[u8]; 7] = [b"..\\up", b"C:\\x", b"\x01\x02", b"con.txt", b"dot.", b"\xff", b"\\root"];
    let bytes = [names.map(|name| stored(name, 0)).concat(), end()].concat();
    let archive = Archive::parse(&bytes).unwrap();
    let all = members(&archive);
    assert_eq!(all.iter().map(|m| m.name().as_bytes()).collect::<Vec<_>>(), names);
    assert!(all.iter().all(|m| m.name().to_relative_path().is_err()));
    let problems = archive.summarize().problems;
    assert_eq!(problems.len(), 7);
    assert!(problems.iter().all(|p| p.severity == Severity::Warning), "{problems:?}");
    assert_eq!(problems[0].message, "members[0]: ..\\up: name leads out of its folder");
}

#[test]
fn a_member_beyond_the_file_is_reported_and_listing_continues() {
    let bytes = [stored(b"a", 2), stored(b"b", u32::MAX), stored(b"c", 1), end(), b"aab".to_vec()].concat();
    let archive = Archive::parse(&bytes).unwrap();
    let all = members(&archive);
    assert_eq!(all[0].stored_bytes().unwrap(), b"aa");
    assert_eq!(all[1].stored_bytes().unwrap_err().to_string(), "members[1] at 0x16: needs 4294967295 bytes, 1 left");
    assert_eq!(all[2].offset, 89 + u64::from(u32::MAX));
    assert!(all[2].stored_bytes().is_err() && all[2].decode().is_err() && all[2].borrowed().is_err());
    assert_eq!(archive.tail().unwrap_err().to_string(), "at 0x57: needs 4294967298 bytes, 3 left");
    let message =
        "2 of 3 members are truncated or lost, 4,294,967,295 bytes missing at the end; the first is b at index 1";
    assert_eq!(verify(&archive), [error(90, message)]);
    assert_eq!(archive.summarize().problems.len(), 1);
    assert_eq!(archive.summarize().counts.get("members"), Some(3));
}

#[test]
fn sums_do_not_wrap() {
    let bytes = [vec![stored(b"a", u32::MAX); 5].concat(), end()].concat();
    let archive = Archive::parse(&bytes).unwrap();
    assert_eq!(members(&archive)[4].offset, bytes.len() as u64 + 4 * u64::from(u32::MAX));
    assert!(archive.checksum_holds().is_err());
}

#[test]
fn encrypted_and_unknown_members_are_bytes_only() {
    let odd = [entry(b"e", ENCR, 9, 0, 2), entry(b"u", 77, 0, 0, 1), entry(b"v", VERS, 0, 0, 1)].concat();
    let bytes = [odd, end(), b"eeuv".to_vec()].concat();
    let archive = Archive::parse(&bytes).unwrap();
    let all = members(&archive);
    let faults: Vec<_> = all.iter().map(|m| m.decode().unwrap_err()).collect();
    assert!(matches!(faults[0].kind(), ErrorKind::Encrypted(_)));
    assert!(faults[1..].iter().all(|e| matches!(e.kind(), ErrorKind::Unsupported(_))));
    assert_eq!(faults[0].to_string(), "members[0] at 0x57: encrypted member");
    assert_eq!(faults[1].to_string(), "members[1] at 0x59: member packed with unknown method 0x0000004d");
    assert_eq!(all.iter().map(|m| m.stored_bytes().unwrap()).collect::<Vec<_>>(), [&b"ee"[..], b"u", b"v"]);
    assert!(all.iter().all(|m| m.borrowed().unwrap().is_none()));
    assert_eq!(to_bytes(&all[0].content(), &Limits::default()).unwrap(), b"ee");
    assert_eq!(verify(&archive), [warning(22, "members[1]: u: unknown method 0x0000004d (first of 2 such members)")]);
}

/// Bytes that are no stream are those of a stored member, unless reading them ended early.
#[test]
fn a_member_whose_decoding_is_stopped_is_an_error() {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use crate::base::stop::Until;

    // Literals: eight bytes of each nine, so that the stream is too short for the claimed size.
    let data = vec![0xff; 200_000];
    let size = 200_000;
    let bytes = [entry(b"x", CPRS, size, 0, size), stored(b"", 0), data.clone()].concat();
    let archive = Archive::parse(&bytes).unwrap();
    let member = archive.members().next().unwrap().unwrap();
    assert_eq!(*member.decode().unwrap(), data);
    let stopped = Until::new(Arc::new(AtomicBool::new(true)));
    assert!(matches!(member.decode().unwrap_err().kind(), ErrorKind::Cancelled));
    drop(stopped);
    assert_eq!(*member.decode().unwrap(), data);
}

#[test]
fn a_packed_member_that_is_no_stream_is_stored_or_an_error() {
    let archive_of =
        |original: u32, data: &[u8]| [entry(b"p", CPRS, original, 0, data.len() as u32), end(), data.to_vec()].concat();
    let decode = |bytes: &[u8]| {
        let archive = Archive::parse(bytes).unwrap();
        let member = members(&archive)[0];
        assert_eq!(member.content().storage().packing, Packing::Lzss);
        member.decode().map(|content| content.into_owned()).map_err(|error| error.to_string())
    };
    assert_eq!(decode(&archive_of(13, STREAM)).unwrap(), b"P3D   P3D   \xe9");
    // Equal sizes, not a stream: treated as stored.
    assert_eq!(decode(&archive_of(3, b"raw")).unwrap(), b"raw");
    // Equal sizes, wrong checksum: also treated as stored.
    let mut changed = STREAM.to_vec();
    changed[1] = b'Q';
    assert_eq!(decode(&archive_of(13, &changed)).unwrap(), changed);
    // Other sizes: errors, with their offset.
    assert_eq!(decode(&archive_of(12, b"raw")).unwrap_err(), "members[0] at 0x2e: needs 1 byte, 0 left");
    let more = [STREAM, b"x"].concat();
    assert_eq!(decode(&archive_of(13, &more)).unwrap_err(), "members[0] at 0x2b: LZSS stream of 13 bytes in 14");
    // The size differs from the stream's own, which its checksum confirms.
    for claim in [0, 4, 12, 19, 117, u32::MAX] {
        let bytes = archive_of(claim, STREAM);
        assert_eq!(decode(&bytes).unwrap(), b"P3D   P3D   \xe9", "{claim}");
        let archive = Archive::parse(&bytes).unwrap();
        assert_eq!(members(&archive)[0].decoded_byte_len().unwrap(), 13);
        assert_eq!(archive.summarize().problems, []);
        let message = format!("members[0]: p: its entry claims {claim} bytes, its stream holds 13");
        assert_eq!(verify(&archive), [warning(0, &message)]);
    }
    // Without a correct checksum, its own end proves nothing.
    let error = decode(&archive_of(12, &changed)).unwrap_err();
    assert_eq!(error, "members[0] at 0x2b: LZSS stream of 12 bytes in 13");
    // A limit is never circumvented.
    let limits = Limits::default().with_decoded_bytes(12);
    let bytes = archive_of(13, STREAM);
    let member = members(&Archive::parse_with(&bytes, &limits).unwrap())[0];
    assert!(matches!(member.decode().unwrap_err().kind(), ErrorKind::Limit { limit: 12, .. }));
    let bytes = archive_of(3, STREAM);
    let member = members(&Archive::parse_with(&bytes, &limits).unwrap())[0];
    assert!(matches!(member.decode().unwrap_err().kind(), ErrorKind::Limit { limit: 12, .. }));
}

#[test]
fn later_products_are_read_and_flagged() {
    let bytes = [
        product(&[("prefix", "a")]), // 22 + 9 = 31
        stored(b"x", 1),             // 22
        product(&[("prefix", "b")]), // 31
        entry(b"", VERS, 0, 0, 5),   // 21, the size is ignored
        vec![0],                     // no properties
        stored(b"y", 1),
        end(),
        b"xy".to_vec(),
    ]
    .concat();
    let archive = Archive::parse(&bytes).unwrap();
    let prefixes: Vec<_> = archive.properties().map(|p| p.value).collect();
    assert_eq!(prefixes, ["a", "b"]);
    assert_eq!(archive.prefix().unwrap(), "a");
    assert_eq!(members(&archive)[1].stored_bytes().unwrap(), b"y");
    let later = "header: product entry that is not the first";
    assert_eq!(verify(&archive), [warning(53, later), warning(84, later)]);
    let bytes = [entry(b"", VERS, 0, 9, 0), vec![0], end()].concat();
    assert_eq!(verify(&Archive::parse(&bytes).unwrap()), [warning(0, "header: product entry with sizes")]);
}

#[test]
fn an_entry_without_a_name_ends_the_header() {
    let bytes = [stored(b"a", 1), stored(b"", 9), b"a".to_vec()].concat();
    let archive = Archive::parse(&bytes).unwrap();
    assert_eq!(members(&archive)[0].stored_bytes().unwrap(), b"a");
    let message = "header: ended by an entry without a name, but with a size";
    assert_eq!(verify(&archive), [warning(22, message)]);
    let bytes = [stored(b"a", 1), entry(b"", CPRS, 0, 0, 0), b"a".to_vec()].concat();
    assert_eq!(verify(&Archive::parse(&bytes).unwrap()), []);
    let bytes = [stored(b"a", 1), entry(b"", ENCR, 0, 0, 0), b"a".to_vec()].concat();
    let archive = Archive::parse(&bytes).unwrap();
    assert_eq!(verify(&archive), [warning(22, "header: end is not all zero")]);
}

#[test]
fn a_truncated_header_lists_its_whole_entries() {
    let whole = [product(&[("k", "v")]), stored(b"a", 1), stored(b"b", 1), end(), b"ab".to_vec()].concat();
    let header = whole.len() - 2;
    for cut in 0..header {
        let Ok(archive) = Archive::parse(&whole[..cut]) else {
            assert!(cut < 26, "{cut}");
            continue;
        };
        let listed: Vec<_> = archive.members().collect();
        let (broken, good) = listed.split_last().unwrap();
        assert_eq!(good.len(), archive.member_count);
        assert!(good.iter().all(|member| member.as_ref().unwrap().stored_bytes().is_err()));
        assert!(broken.as_ref().unwrap_err().offset().is_some_and(|offset| offset <= cut as u64));
        let summary = archive.summarize();
        assert_eq!((summary.counts.get("members"), summary.problems.len()), (None, 1), "{cut}");
        assert!(archive.find(b"nothing").is_err());
    }
    let error = Archive::parse(&whole[..10]).unwrap_err();
    assert_eq!(error.to_string(), "header.fields at 0x1: needs 20 bytes, 9 left");
    assert_eq!(Archive::parse(b"abc").unwrap_err().to_string(), "header.name at 0x0: text without its closing NUL");
    assert!(Archive::parse(b"").is_err());
    let error = Archive::parse(&whole[..24]).unwrap_err();
    assert_eq!(error.to_string(), "header.properties.value at 0x17: text without its closing NUL");
}

#[test]
fn names_have_a_limit() {
    let bytes = [stored(b"a", 0), stored(&[b'x'; 4097], 0), end()].concat();
    let archive = Archive::parse(&bytes).unwrap();
    let last = archive.members().last().unwrap().unwrap_err();
    assert_eq!(last.to_string(), "members[1].name at 0x16: name of more than 4096 bytes");
    let bytes = [stored(&[b'x'; 4096], 0), end()].concat();
    assert_eq!(Archive::parse(&bytes).unwrap().member_count, 1);
}

#[test]
fn listing_stops_at_the_limit() {
    let bytes = [vec![stored(b"a", 0); 4].concat(), end()].concat();
    for (archive_members, listed) in [(3, 4), (4, 4), (5, 4)] {
        let limits = Limits::default().with_archive_members(archive_members);
        let archive = Archive::parse_with(&bytes, &limits).unwrap();
        let all: Vec<_> = archive.members().collect();
        assert_eq!((all.len(), all.last().unwrap().is_err()), (listed, archive_members == 3));
        assert_eq!(archive.member_count, 4);
    }
}

/// A name makes a member. Without one, the method `Vers` makes a product, any other the end.
#[test]
fn every_method_with_and_without_a_name_makes_its_kind_of_entry() {
    let names = [(0, "stored"), (CPRS, "lzss"), (ENCR, "encrypted"), (VERS, "product")];
    let near = [0, CPRS, ENCR, VERS].into_iter().flat_map(|known: u32| (0..32).map(move |bit| known ^ 1 << bit));
    for method in [0, CPRS, ENCR, VERS, CPRS.swap_bytes(), ENCR.swap_bytes(), VERS.swap_bytes()].into_iter().chain(near)
    {
        let name = names.iter().find(|(known, _)| *known == method).map(|(_, name)| *name);
        let packed = if method == CPRS { STREAM } else { b"abc" };
        let original = if method == CPRS { 13 } else { 0 };
        let bytes = [entry(b"a", method, original, 0, packed.len() as u32), end(), packed.to_vec()].concat();
        let archive = Archive::parse(&bytes).unwrap();
        let all = members(&archive);
        assert_eq!((all.len(), all[0].method().name()), (1, name), "{method:#x}");
        let decoded = all[0].decode().map(std::borrow::Cow::into_owned);
        let is_right = match (method, &decoded) {
            (0, Ok(content)) => content == b"abc",
            (CPRS, Ok(content)) => content == b"P3D   P3D   \xe9",
            (ENCR, Err(error)) => matches!(error.kind(), ErrorKind::Encrypted(_)),
            (0 | CPRS | ENCR, _) => false,
            (_, found) => found.as_ref().is_err_and(|error| matches!(error.kind(), ErrorKind::Unsupported(_))),
        };
        assert!(is_right, "{method:#x}: {decoded:?}");
        assert_eq!(all[0].borrowed().unwrap().is_some(), method == 0, "{method:#x}");
        assert_eq!(all[0].stored_bytes().unwrap(), packed, "{method:#x}");
        // The same without a name, before a member that is one only if the entry was not the end.
        let bytes = [entry(b"", method, 0, 0, 0), b"\0".to_vec(), stored(b"b", 0), end()].concat();
        let kinds: Vec<_> = Archive::parse(&bytes).unwrap().entries().map(|entry| entry.unwrap().kind()).collect();
        let expected = match method {
            VERS => vec![EntryKind::Product, EntryKind::Member, EntryKind::End],
            _ => vec![EntryKind::End],
        };
        assert_eq!(kinds, expected, "{method:#x}");
    }
}

#[test]
fn a_stored_member_with_another_original_size_is_reported() {
    let of = |data: &[u8]| {
        let bytes = [entry(b"m", 0, 26, 0, data.len() as u32), end(), data.to_vec()].concat();
        verify(&Archive::parse(&bytes).unwrap())
    };
    let says = "members[0]: m: stored, but its entry claims an original size of 26";
    assert_eq!(
        of(b"\xffAAAAAAAA\0\x08\x0f\x9a\x06\0\0"),
        [warning(0, &format!("{says}, and its bytes are an LZSS stream of that size"))]
    );
    assert_eq!(of(b"no stream at all"), [warning(0, says)]);
    assert_eq!(of(b"twenty-six bytes of a text"), []);
}

#[test]
fn an_odd_prefix_is_reported() {
    let of = |prefix: &str| {
        let bytes = [product(&[("version", "1"), ("Prefix", prefix)]), end()].concat();
        let lines = verify(&Archive::parse(&bytes).unwrap());
        lines.into_iter().map(|(_, _, message)| message).collect::<Vec<_>>()
    };
    let expected = |fault: &str, prefix: &str| format!("properties[1]: prefix with {fault}: {prefix}");
    assert_eq!(of("z\\mod\r\n"), [expected("a line break", "z\\mod\\r\\n")]);
    assert_eq!(of("z/mod"), [expected("a / instead of a \\", "z/mod")]);
    assert_eq!(of("\\z"), [expected("a leading \\", "\\z")]);
    assert_eq!(of("z\\"), [expected("a \\ at its end", "z\\")]);
    assert_eq!(of("z\\mod"), [""; 0]);
}

#[test]
fn entries_after_the_end_of_the_header_are_reported() {
    let bytes = [stored(b"a", 1), end(), stored(b"b", 1), stored(b"c", 1), end(), b"abc".to_vec()].concat();
    let lines = verify(&Archive::parse(&bytes).unwrap());
    let message = "header: 2 entries after the end of the header, which are not read; the first is b";
    assert!(lines.contains(&error(43, message)), "{lines:?}");
    // A member that holds such bytes is sound.
    let inner = [stored(b"b", 1), end()].concat();
    let bytes = [stored(b"a", inner.len() as u32), end(), inner].concat();
    assert_eq!(verify(&Archive::parse(&bytes).unwrap()), []);
}

/// All prefixes of up to four letters that matter, against the words of the rule.
#[test]
fn every_fault_of_a_prefix_is_reported() {
    let letters = ["a", "/", "\\", "\r", "\n"];
    let mut prefixes = vec![String::new()];
    let mut start = 0;
    for _ in 0..4 {
        let end = prefixes.len();
        for at in start..end {
            prefixes.extend(letters.map(|letter| prefixes[at].clone() + letter));
        }
        start = end;
    }
    for prefix in prefixes {
        let mut expected = Vec::new();
        if prefix.contains('\r') || prefix.contains('\n') {
            expected.push("a line break");
        }
        if prefix.contains('/') {
            expected.push("a / instead of a \\");
        }
        if prefix.starts_with('\\') {
            expected.push("a leading \\");
        }
        if prefix.ends_with('\\') {
            expected.push("a \\ at its end");
        }
        // Only the first prefix counts.
        let bytes = [product(&[("version", "/"), ("PREFIX", &prefix), ("prefix", "\\/\n\\")]), end()].concat();
        let lines = verify(&Archive::parse(&bytes).unwrap());
        let said =
            |message: &str| message.strip_prefix("properties[1]: prefix with ")?.split(": ").next().map(str::to_owned);
        let found: Vec<Option<String>> = lines.iter().map(|(_, _, message)| said(message)).collect();
        assert_eq!(found, expected.iter().map(|fault| Some((*fault).to_owned())).collect::<Vec<_>>(), "{prefix:?}");
    }
}

/// Lost entries are reported if, with them, all sizes lead to the end or to a tail of a known length.
#[test]
fn lost_entries_lead_to_the_end_or_to_a_tail() {
    for tail in 0..=40 {
        let lost = [stored(b"b", 1), stored(b"c", 2), end()].concat();
        let bytes = [stored(b"a", 1), end(), lost, b"abcc".to_vec(), vec![0; tail]].concat();
        let lines = verify(&Archive::parse(&bytes).unwrap());
        let is_said = lines.iter().any(|(_, _, message)| message.contains("2 entries after the end of the header"));
        assert_eq!(is_said, tail == 0 || tail == 5 || tail == 21, "{tail}: {lines:?}");
    }
}

#[test]
fn every_number_of_the_last_entry_is_0_but_its_method() {
    const NOT_ZERO: &str = "end is not all zero";
    const WITH_SIZE: &str = "ended by an entry without a name, but with a size";
    for method in [0, CPRS, VERS + 1, ENCR] {
        for numbers in 0..16_u32 {
            let [original, reserved, timestamp, size] = [0, 1, 2, 3].map(|bit| numbers >> bit & 1);
            let mut bytes = [product(&[]), stored(b"a", 1)].concat();
            bytes.push(0);
            for number in [method, original, reserved, timestamp, size] {
                bytes.extend(number.to_le_bytes());
            }
            bytes.push(b'x');
            let archive = Archive::parse(&bytes).unwrap();
            let messages: Vec<String> =
                archive.summarize().problems.into_iter().map(|problem| problem.message.into_owned()).collect();
            let of_end: Vec<&String> =
                messages.iter().filter(|message| message.contains(NOT_ZERO) || message.contains(WITH_SIZE)).collect();
            let expected = match (method, numbers) {
                _ if size == 1 => Some(WITH_SIZE),
                (0 | CPRS, 0) => None,
                _ => Some(NOT_ZERO),
            };
            assert_eq!(of_end.len(), usize::from(expected.is_some()), "{method:x} {numbers:04b}: {messages:?}");
            assert!(expected.is_none_or(|expected| of_end[0].contains(expected)), "{method:x} {numbers:04b}");
        }
    }
}
