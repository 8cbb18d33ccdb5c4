//! Archives whose records say something that their bytes do not hold.

use crate::base::limits::Limits;
use std::path::Path;

use super::tests::{File, deflated, members, stored, verify, zip};
use super::*;
use crate::base::error::ErrorKind;
use crate::base::format::Format;
use crate::budget::Budget;
use crate::inspect::Inspect as _;

/// The offset of the end record of an archive without a comment.
fn end_of(bytes: &[u8]) -> usize {
    bytes.len() - 22
}

fn three() -> Vec<u8> {
    zip(&[stored(b"a", b"12345678"), deflated(b"b"), stored(b"c", b"abc")])
}

/// The archive with these bytes at an offset.
fn with(bytes: &[u8], offset: usize, new: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[offset..offset + new.len()].copy_from_slice(new);
    bytes
}

fn names(bytes: &[u8]) -> String {
    let archive = Archive::parse(bytes).unwrap();
    let names: Vec<String> = members(&archive).iter().map(|member| member.name().to_string()).collect();
    names.join(" ")
}

/// The offset of the entry with this index in the directory.
fn entry_of(bytes: &[u8], index: usize) -> usize {
    memchr::memmem::find_iter(bytes, b"PK\x01\x02").nth(index).unwrap()
}

#[test]
fn every_entry_is_listed_whatever_the_count() {
    let bytes = three();
    let end = end_of(&bytes);
    for (count, said) in [(2_u16, 2), (0, 0), (4, 4), (60_000, 60_000)] {
        let count = count.to_le_bytes();
        let bytes = with(&with(&bytes, end + 8, &count), end + 10, &count);
        assert_eq!(names(&bytes), "a b c");
        assert_eq!(verify(&bytes), [format!("! the end record says {said} entries, the directory holds 3")]);
    }
    let bytes = with(&bytes, end + 8, &[2]);
    assert_eq!(names(&bytes), "a b c");
    assert_eq!(verify(&bytes), ["! the end record says 2 entries on this disk, the directory holds 3"]);
}

#[test]
fn a_count_modulo_65536_is_a_warning() {
    let names: Vec<Vec<u8>> = (0..65_538).map(|number| format!("{number:x}").into_bytes()).collect();
    let files: Vec<File<'_>> = names.iter().map(|name| stored(name, b"")).collect();
    let bytes = zip(&files);
    let archive = Archive::parse(&bytes).unwrap();
    assert_eq!(archive.members().count(), 65_538);
    let summary = archive.summarize();
    assert_eq!(summary.counts.get("members"), Some(65_538));
    let problems: Vec<&str> = summary.problems.iter().map(|problem| &*problem.message).collect();
    assert_eq!(problems, ["the end record says 2 entries, the directory holds 65538"]);
    assert_eq!(summary.problems[0].severity, crate::summary::Severity::Warning);
}

#[test]
fn a_wrong_size_or_offset_of_the_directory_is_found_by_the_entries() {
    let bytes = three();
    let end = end_of(&bytes);
    let directory = entry_of(&bytes, 0) as u32;
    let size = end as u32 - directory;
    // The second is the size without the first entry.
    for wrong in [0, size - 47, size + 10, size - 1, u32::MAX] {
        let bytes = with(&bytes, end + 12, &wrong.to_le_bytes());
        assert_eq!(names(&bytes), "a b c", "{wrong}");
        assert_eq!(verify(&bytes), [format!("! the end record says a directory of {wrong} bytes, it has {size}")]);
    }
    for wrong in [0, directory - 20, directory + 47, u32::MAX] {
        let bytes = with(&bytes, end + 16, &wrong.to_le_bytes());
        assert_eq!(names(&bytes), "a b c", "{wrong}");
        let message = "! the end record says that the directory is at";
        assert_eq!(verify(&bytes), [format!("{message} {wrong:#x}, it is at {directory:#x}")]);
    }
    // Both are wrong, so the entries before the end record show where the directory is.
    let both = with(&[&b"junk"[..], &bytes].concat(), 4 + end + 12, &[3, 0, 0, 0, 5, 0, 0, 0]);
    assert_eq!((names(&both), verify(&both).len()), ("a b c".to_owned(), 2));
    // There is no directory, so the headers before the files are read.
    let bytes = with(&bytes, entry_of(&bytes, 0), &vec![0; size as usize]);
    assert_eq!(names(&bytes), "a b c");
    let lost = verify(&bytes);
    assert!(lost.len() == 1 && lost[0].ends_with("read by the headers before its files"), "{lost:?}");
}

#[test]
fn a_false_claim_takes_no_other_file_with_it() {
    for packed in [2_147_483_647, 300] {
        let first = File { packed: Some(packed), size: packed, ..stored(b"a", b"12345678") };
        let bytes = zip(&[first, stored(b"b", b"abc"), stored(b"c", b"abd")]);
        let archive = Archive::parse(&bytes).unwrap();
        assert_eq!(archive.overlapping(), [0; 0], "{packed}");
        let found = members(&archive);
        assert_eq!((&*found[1].decode().unwrap(), &*found[2].decode().unwrap()), (&b"abc"[..], &b"abd"[..]));
        assert_eq!(verify(&bytes), [format!("! members[0]: a: {packed} bytes at 0x1f run into the directory")]);
        // No limit is spent for bytes that do not exist.
        let budget = Budget::new(bytes.len() as u64, &Limits::default().with_work(1));
        let error = found[0].pay(&budget).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Malformed(_)), "{error}");
    }
    // A claim that reaches over the header of another file.
    let first = File { packed: Some(40), size: 40, ..stored(b"a", b"12345678") };
    let bytes = zip(&[first, stored(b"b", b"abc"), stored(b"c", b"abd")]);
    assert_eq!(Archive::parse(&bytes).unwrap().overlapping(), [0]);
    assert_eq!(verify(&bytes), ["! members[0]: a: its 40 bytes reach over the header of members[1]"]);
    // An offset into another file without a header there.
    let bytes = zip(&[stored(b"a", b"12345678"), File { offset: Some(31), ..stored(b"b", b"abc") }]);
    assert_eq!(Archive::parse(&bytes).unwrap().overlapping(), [1]);
}

#[test]
fn archives_are_found_by_their_end() {
    let bytes = three();
    let of = |name: &str, bytes: &[u8]| Format::of_file(Path::new(name), bytes);
    let prefixes: [&[u8]; 6] = [b"MZ\x90\0\x03", b"\x7fELF\x02", b"#!/bin/sh\n", b"junk", b"PK\x07\x08", b"PK00"];
    for prefix in prefixes {
        let bytes = [prefix, &bytes].concat();
        assert_eq!(of("a.zip", &bytes), Some(Format::Zip), "{prefix:?}");
        assert_eq!((names(&bytes), verify(&bytes).len()), ("a b c".to_owned(), 0), "{prefix:?}");
    }
    assert_eq!(of("setup.exe", &[b"MZ\x90\0\x03", &bytes[..]].concat()), Some(Format::Zip));
    assert_eq!(of("setup.exe", b"MZ\x90\0\x03PK\x05\x06 and so on"), None);
    assert_eq!(of("a.bin", &[b"junk", &bytes[..]].concat()), None);
    // Damaged first bytes.
    let damaged = with(&bytes, 0, b"XXXX");
    assert_eq!((of("a.zip", &damaged), names(&damaged)), (Some(Format::Zip), "a b c".to_owned()));
    // The first part of an archive on several disks has no end.
    let first = [b"PK\x07\x08", &bytes[..entry_of(&bytes, 0)]].concat();
    assert_eq!((of("a.z01", &first), names(&first)), (Some(Format::Zip), "a b c".to_owned()));
    assert!(verify(&first)[0].contains("the first part of an archive on several disks"), "{:?}", verify(&first));
}

#[test]
fn bytes_that_merely_start_like_a_zip_are_none() {
    let sniff = |bytes: &[u8]| Format::of_file(Path::new("a.bin"), bytes);
    assert_eq!(sniff(b"PK\x03\x04 is how a zip starts, and this is none, although it is long enough"), None);
    assert_eq!(sniff(&three()[..40]), Some(Format::Zip));
    // With the name of a zip it is a damaged one.
    let named = Format::of_file(Path::new("a.zip"), b"PK\x03\x04 is how a zip starts, and this is none");
    assert_eq!(named, Some(Format::Zip));
    let inner = stored(b"inner.bin", b"PK\x03\x04 is how a zip starts, and this is none, although it is long enough");
    assert_eq!(verify(&zip(&[inner])), [""; 0]);
}

#[test]
fn a_locator_that_leads_nowhere_is_ignored() {
    let name = b"n\x50K\x06\x07aaaaaaaaaaaaaaaa";
    let bytes = zip(&[stored(b"a", b"1"), stored(name, b"2")]);
    assert_eq!(Archive::parse(&bytes).unwrap().members().count(), 2);
    assert!(verify(&bytes).iter().all(|line| !line.contains("zip64")), "{:?}", verify(&bytes));
}

#[test]
fn archives_on_several_disks_are_named_and_others_are_read() {
    let bytes = three();
    let end = end_of(&bytes);
    for offset in [4, 6] {
        let marked = with(&bytes, end + offset, &[1]);
        assert_eq!(names(&marked), "a b c");
        assert_eq!(verify(&marked).len(), 1);
        assert!(verify(&marked)[0].contains("disk 1, but the archive is in one piece"), "{:?}", verify(&marked));
    }
    // The last of three parts has the directory alone.
    let directory = entry_of(&bytes, 0);
    let last = with(&bytes[directory..], end - directory + 4, &[2, 0, 2]);
    let last = with(&last, end - directory + 16, &[0; 4]);
    let error = Archive::parse(&last).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Unsupported(_)));
    assert!(error.message().contains("on several disks, of which this is part 3, the last"), "{error}");
    assert_eq!(Format::of_file(Path::new("a.zip"), &last), Some(Format::Zip));
}

#[test]
fn a_cut_comment_keeps_the_directory() {
    let mut bytes = three();
    let end = end_of(&bytes);
    bytes[end + 20] = 5;
    bytes.extend(b"four");
    assert_eq!(names(&bytes), "a b c");
    assert_eq!(verify(&bytes), ["! the end record says a comment of 5 bytes, 4 are left"]);
}

#[test]
fn a_comment_with_an_end_record_is_sound_unless_that_leads_to_a_directory() {
    let mut bytes = three();
    let end = end_of(&bytes);
    bytes[end + 20] = 22;
    let fake = b"PK\x05\x06\0\0\0\0\x01\0\x01\0\x10\0\0\0\x20\0\0\0\0\0";
    let harmless = [&bytes[..], fake].concat();
    assert_eq!(names(&harmless), "a b c");
    assert_eq!(verify(&harmless), ["? the comment holds another end record"]);
    let real = bytes[end..end + 20].to_vec();
    let two = [&bytes[..], &real, &[0; 2]].concat();
    assert!(Archive::parse(&two).unwrap_err().to_string().contains("two zip end records fit"));
}

#[test]
fn a_stored_archive_with_its_size_behind_it_stays_one_file() {
    let inner = three();
    let mut file = File { flags: 8, packed: Some(0), size: 0, ..stored(b"inner.zip", &inner) };
    let crc = file.crc32;
    file.crc32 = 0;
    let data =
        [&inner[..], b"PK\x07\x08", &crc.to_le_bytes(), &[(inner.len() as u32).to_le_bytes(); 2].concat()].concat();
    file.data = &data;
    let bytes = zip(&[file, stored(b"after", b"1")]);
    // Without the directory.
    let cut = &bytes[..entry_of(&bytes, 3)];
    assert_eq!(names(cut), "inner.zip after");
    let archive = Archive::parse(cut).unwrap();
    assert_eq!(*members(&archive)[0].decode().unwrap(), inner);
}

#[test]
fn each_contradiction_of_a_header_has_its_own_message() {
    let bytes = three();
    says_with('!', &bytes, 30, b"x", "the name x, the directory a");
    says_with('!', &bytes, 8, &[8], "method deflated, the directory stored");
    says_with('!', &bytes, 6, &[1], "flags 0x0001, the directory 0x0000");
    says_with('?', &bytes, 7, &[8], "flags 0x0800, the directory 0x0000");
    says_with('!', &bytes, 18, &[9], "a packed size of 9, the directory 8");
    says_with('!', &bytes, 22, &[9], "an unpacked size of 9, the directory 8");
    let crc = u32::from_le_bytes(bytes[14..18].try_into().unwrap());
    let message = format!("CRC-32 {:08x}, the directory {crc:08x}", crc ^ 1);
    says_with('!', &bytes, 14, &(crc ^ 1).to_le_bytes(), &message);
}

fn says_with(sign: char, bytes: &[u8], offset: usize, new: &[u8], expected: &str) {
    let lines = verify(&with(bytes, offset, new));
    assert_eq!(lines, [format!("{sign} members[0]: a: the header before its bytes says {expected}")], "{offset}");
}

#[test]
fn a_claim_may_end_where_the_directory_starts_and_no_later() {
    let files = [stored(b"a", b"12345678"), stored(b"b", b"abc"), stored(b"c", b"abd")];
    let directory = entry_of(&zip(&files), 0) as u32;
    for (more, expected) in [(-1, &[0][..]), (0, &[0]), (1, &[]), (2, &[])] {
        // Its header takes 30 bytes, with what the claim says of its name.
        let claim = (directory - 30).wrapping_add_signed(more);
        let first = File { packed: Some(claim), size: claim, ..files[0].clone() };
        let bytes = zip(&[first, files[1].clone(), files[2].clone()]);
        assert_eq!(Archive::parse(&bytes).unwrap().overlapping(), expected, "{more}");
    }
}

/// Returns the files that give way, as the first two that share bytes say, again and again.
fn giving_way(ends: [usize; 3], starts: [usize; 3], has_header: [bool; 3]) -> Vec<usize> {
    let mut left = vec![0, 1, 2];
    let mut gone = Vec::new();
    while let Some(place) = (1..left.len()).find(|&place| starts[left[place]] < ends[left[place - 1]]) {
        // The header of the later one shows that the claim over it is false.
        gone.push(left.remove(if has_header[left[place]] { place - 1 } else { place }));
    }
    gone.sort_unstable();
    gone
}

#[test]
fn of_files_that_share_bytes_those_without_a_header_give_way() {
    // Each takes 31 bytes and its content.
    let files = [stored(b"a", b"12345678"), stored(b"b", b"abcd"), stored(b"c", b"ab")];
    let starts = [0, 39, 74];
    for first in [8, 9, 10, 44, 45, 46] {
        for second in [4, 5, 6] {
            for headers in 0..8 {
                let has_header = [0, 1, 2].map(|file| headers >> file & 1 != 0);
                let claims = [first, second, 2];
                let mut claimed = files.clone();
                for (file, claim) in claimed.iter_mut().zip(claims) {
                    file.packed = Some(claim);
                }
                let mut bytes = zip(&claimed);
                for (start, is_sound) in starts.into_iter().zip(has_header) {
                    bytes[start + 30] = if is_sound { bytes[start + 30] } else { b'x' };
                }
                let ends = [0, 1, 2].map(|file| starts[file] + 30 + claims[file] as usize);
                let expected = giving_way(ends, starts, has_header);
                assert_eq!(Archive::parse(&bytes).unwrap().overlapping(), expected, "{claims:?} {has_header:?}");
            }
        }
    }
    // Of two at one place, the one that the header there names is kept, or else the first.
    for (header, expected) in [(b"a", 1), (b"b", 0), (b"x", 1)] {
        let bytes = zip(&[stored(b"a", b"1"), File { offset: Some(0), ..stored(b"b", b"2") }]);
        assert_eq!(Archive::parse(&with(&bytes, 30, header)).unwrap().overlapping(), [expected], "{header:?}");
    }
}

#[test]
fn a_wrong_checksum_of_a_member_has_its_code_and_its_entry() {
    let bytes = zip(&[stored(b"a", b"1"), stored(b"b", b"12345678"), deflated(b"c")]);
    let archive = Archive::parse(&bytes).unwrap();
    for member in members(&archive) {
        let content = member.decode().unwrap();
        let checksum = member.checksum();
        assert!(checksum.check(&content).is_ok());
        for wrong in [&[&content[..], b"x"].concat()[..], &content[1..], b""] {
            let error = checksum.check(wrong).unwrap_err();
            assert_eq!(error.code(), crate::base::code::Code::Checksum);
            assert_eq!(error.offset(), Some(entry_of(&bytes, member.index) as u64));
            assert!(error.to_string().contains(&format!("members[{}]", member.index)), "{error}");
        }
    }
}
