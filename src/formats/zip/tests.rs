//! Hand-written archives, each with one oddity.

use super::*;
use crate::base::error::ErrorKind;
use crate::base::error::Result;
use crate::base::limits::Limits;
use crate::inspect::Inspect;
use crate::summary::{Problems, Severity};

/// `meshpeek` 40 times, deflated.
const PEEKS: &[u8] = &[0xcb, 0x4d, 0x2d, 0xce, 0x28, 0x48, 0x4d, 0xcd, 0xce, 0x1d, 0xa5, 0xc9, 0xa2, 0x01];
const PEEKS_SIZE: u32 = 320;

/// One file, as both its headers describe it.
#[derive(Clone, Default)]
pub(crate) struct File<'a> {
    pub(crate) name: &'a [u8],
    pub(crate) flags: u16,
    pub(crate) method: u16,
    pub(crate) crc32: u32,
    pub(crate) size: u32,
    pub(crate) data: &'a [u8],
    /// The wrong offset for the directory.
    pub(crate) offset: Option<u32>,
    pub(crate) packed: Option<u32>,
}

pub(crate) fn stored<'a>(name: &'a [u8], data: &'a [u8]) -> File<'a> {
    let mut crc = flate2::Crc::new();
    crc.update(data);
    File { name, crc32: crc.sum(), size: data.len() as u32, data, ..File::default() }
}

pub(crate) fn deflated(name: &[u8]) -> File<'_> {
    let mut crc = flate2::Crc::new();
    crc.update(&b"meshpeek".repeat(40));
    File { name, method: 8, crc32: crc.sum(), size: PEEKS_SIZE, data: PEEKS, ..File::default() }
}

fn header(file: &File<'_>) -> Vec<u8> {
    let packed = file.packed.unwrap_or(file.data.len() as u32);
    let mut bytes = [file.flags.to_le_bytes(), file.method.to_le_bytes(), [0; 2], [0; 2]].concat();
    bytes.extend([file.crc32, packed, file.size].iter().flat_map(|n| n.to_le_bytes()));
    bytes.extend([file.name.len() as u16, 0].iter().flat_map(|n| n.to_le_bytes()));
    bytes
}

pub(crate) fn zip(files: &[File<'_>]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for file in files {
        let offset = file.offset.unwrap_or(bytes.len() as u32);
        bytes.extend([&b"PK\x03\x04\x14\0"[..], &header(file), file.name, file.data].concat());
        directory.extend(
            [&b"PK\x01\x02\x14\0\x14\0"[..], &header(file), &[0; 10], &offset.to_le_bytes(), file.name].concat(),
        );
    }
    let (start, size, count) = (bytes.len() as u32, directory.len() as u32, files.len() as u16);
    bytes.extend(directory);
    bytes.extend([&b"PK\x05\x06\0\0\0\0"[..], &count.to_le_bytes(), &count.to_le_bytes()].concat());
    bytes.extend([&size.to_le_bytes()[..], &start.to_le_bytes(), &[0; 2]].concat());
    bytes
}

pub(crate) fn members<'a>(archive: &Archive<'a>) -> Vec<Member<'a>> {
    archive.members().collect::<Result<_>>().unwrap()
}

pub(crate) fn verify(bytes: &[u8]) -> Vec<String> {
    let mut problems = Problems::new(&Limits::default());
    Archive::parse(bytes).unwrap().verify(&mut problems);
    let line = |problem: crate::summary::Problem| {
        let sign = if problem.severity == Severity::Error { "!" } else { "?" };
        format!("{sign} {}", problem.message)
    };
    problems.into_vec().into_iter().map(line).collect()
}

#[test]
fn stored_files_are_slices_and_deflated_ones_inflate() {
    let bytes =
        zip(&[stored(b"folder/", b""), stored(b"folder/a.txt", b"abc"), deflated(b"b\\c.txt"), stored(b"\\", b"")]);
    let archive = Archive::parse(&bytes).unwrap();
    let all = members(&archive);
    assert_eq!(
        all.iter().map(|m| (m.index, m.name().to_string())).collect::<Vec<_>>(),
        [(0, "folder/a.txt".to_owned()), (1, "b\\c.txt".to_owned())]
    );
    let at = bytes.windows(3).position(|window| window == b"abc").unwrap();
    assert!(std::ptr::eq(all[0].borrowed().unwrap().unwrap(), &bytes[at..at + 3]));
    assert_eq!(&*all[0].decode().unwrap(), b"abc");
    assert_eq!((all[1].borrowed().unwrap(), all[1].decoded_byte_len_hint(), all[1].stored_byte_len()), (None, 320, 14));
    assert_eq!(*all[1].decode().unwrap(), b"meshpeek".repeat(40));
    assert_eq!(all[1].stored_bytes().unwrap(), PEEKS);
    let summary = archive.summarize();
    assert_eq!((summary.counts.get("members"), summary.problems.len()), (Some(2), 0));
    let blocks = summary.blocks;
    assert_eq!((blocks.stored, blocks.packed, blocks.packed_bytes, blocks.unpacked_bytes), (1, 1, 14, 320));
    assert_eq!(verify(&bytes), [""; 0]);
    // Bytes before the archive shift it as a whole.
    let shifted = [&b"#!/bin/sh\n"[..], &bytes].concat();
    let archive = Archive::parse(&shifted).unwrap();
    assert_eq!(archive.directory.prefix, 10);
    assert_eq!(members(&archive)[0].stored_bytes().unwrap(), b"abc");
    assert_eq!(verify(&shifted), [""; 0]);
    // The rest of an archive within an archive whose own end is cut off.
    let inner = zip(&[stored(b"inner.zip", &bytes)]);
    let cut = &inner[..30 + 9 + bytes.len()];
    assert_eq!(verify(cut), ["? 39 bytes of another archive before it"]);
}

#[test]
fn duplicates_are_listed_and_reported() {
    let bytes = zip(&[stored(b"a", b"1"), stored(b"a", b"2")]);
    let archive = Archive::parse(&bytes).unwrap();
    assert_eq!(members(&archive).iter().map(|m| m.stored_bytes().unwrap()).collect::<Vec<_>>(), [b"1", b"2"]);
    assert_eq!(verify(&bytes), ["? members[1]: a: the same name as member 0"]);
}

#[test]
fn encrypted_and_unknown_members_are_named_in_errors() {
    let encrypted = File { flags: 1, ..stored(b"e", b"???") };
    let bytes =
        zip(&[encrypted, File { method: 98, ..stored(b"z", b"????") }, File { method: 77, ..stored(b"?", b"") }]);
    let archive = Archive::parse(&bytes).unwrap();
    let all = members(&archive);
    let errors: Vec<_> = all.iter().map(|member| member.decode().unwrap_err()).collect();
    assert!(matches!(errors[0].kind(), ErrorKind::Encrypted(_)));
    assert!(errors[1..].iter().all(|error| matches!(error.kind(), ErrorKind::Unsupported(_))));
    assert_eq!(errors[0].message(), "members[0]: e: encrypted");
    assert_eq!(errors[1].message(), "members[1]: z: packed in a way that is not read: ppmd");
    assert_eq!(errors[2].message(), "members[2]: ?: packed in a way that is not read: method 77");
    assert!(all.iter().all(|member| member.borrowed().unwrap().is_none()));
    assert_eq!(all[0].stored_bytes().unwrap(), b"???");
    assert_eq!(verify(&bytes), ["? members[2]: ?: name with a drive or characters some systems forbid"]);
}

#[test]
fn each_claim_is_checked() {
    let fault = |file: File<'_>| {
        let bytes = zip(&[file]);
        let archive = Archive::parse(&bytes).unwrap();
        let error = members(&archive)[0].decode().unwrap_err();
        assert_eq!(error.offset(), Some(archive.directory.start));
        assert_eq!(verify(&bytes).len(), 1, "{error}");
        error.message()
    };
    let good = || deflated(b"d");
    assert_eq!(fault(File { crc32: 1, ..good() }), "members[0]: d: CRC-32 is addb8405, the directory says 00000001");
    assert_eq!(
        fault(File { crc32: 1, ..stored(b"s", b"abc") }),
        "members[0]: s: CRC-32 is 352441c2, the directory says 00000001"
    );
    assert_eq!(fault(File { size: 319, ..good() }), "members[0]: d: inflates to more than the 319 bytes claimed");
    assert_eq!(fault(File { size: 321, ..good() }), "members[0]: d: inflates to 320 bytes of 321 claimed");
    assert_eq!(fault(File { size: u32::MAX, ..good() }), "members[0]: d: 14 bytes cannot inflate to 4294967295");
    assert!(fault(File { data: &PEEKS[..9], ..good() }).starts_with("members[0]: d: ends inside its stream"));
    assert!(fault(File { data: &[7; 14], ..good() }).starts_with("members[0]: d: does not inflate"));
    assert_eq!(fault(File { size: 4, ..stored(b"s", b"abc") }), "members[0]: s: stored, but of 3 bytes and of 4");
    let beyond = File { packed: Some(999), ..good() };
    assert_eq!(fault(beyond), "members[0]: d: 999 bytes at 0x1f run into the directory");
    let outside = File { offset: Some(u32::MAX - 1), ..good() };
    assert_eq!(fault(outside), "members[0]: d: its header at 0xfffffffe: needs 30 bytes, 0 left");
    assert_eq!(fault(File { offset: Some(1), ..good() }), "members[0]: d: its header at 0x1: no LocalHeader");
}

#[test]
fn bytes_after_a_stream_are_reported() {
    let data = [PEEKS, b"!!"].concat();
    let bytes = zip(&[File { data: &data, ..deflated(b"d") }]);
    assert_eq!(*members(&Archive::parse(&bytes).unwrap())[0].decode().unwrap(), b"meshpeek".repeat(40));
    assert_eq!(verify(&bytes), ["? members[0]: d: 2 bytes after the end of its stream"]);
}

#[test]
fn limits_stop_before_memory_is_taken() {
    let bytes = zip(&[deflated(b"d"), deflated(b"e")]);
    let decode = |limits: Limits| members(&Archive::parse_with(&bytes, &limits).unwrap())[0].decode().unwrap_err();
    let limit = |error: &crate::Error| match error.kind() {
        ErrorKind::Limit { what, limit, .. } => (*what, *limit),
        _ => panic!("{error}"),
    };
    let error = decode(Limits::default().with_decoded_bytes(319));
    assert_eq!(limit(&error), ("decoded bytes in a block", 319));
    let limits = Limits::default().with_archive_members(1);
    let archive = Archive::parse_with(&bytes, &limits).unwrap();
    let listed: Vec<_> = archive.members().collect();
    assert_eq!(limit(listed[1].as_ref().unwrap_err()), ("members in an archive", 1));
    assert_eq!((listed.len(), archive.summarize().counts.get("members")), (2, None));
}

#[test]
fn members_that_share_bytes_are_reported_and_not_unpacked() {
    let bytes = zip(&[deflated(b"a"), File { offset: Some(0), ..deflated(b"a") }]);
    let before = crate::codec::activity().inflations;
    assert_eq!(
        verify(&bytes),
        ["? members[1]: a: the same name as member 0", "! members[1]: a: shares bytes with members[0]"]
    );
    assert_eq!(crate::codec::activity().inflations - before, 1);
    let other = zip(&[deflated(b"a"), File { offset: Some(0), ..deflated(b"b") }]);
    assert_eq!(verify(&other), ["! members[1]: b: shares bytes with members[0]"]);
    let problems = Archive::parse(&other).unwrap().summarize().problems;
    assert_eq!(problems.iter().map(|problem| problem.code.name()).collect::<Vec<_>>(), ["damaged.overlap"]);
    // Members in an order other than the directory's do not overlap either.
    let turned = zip(&[
        File { offset: Some(39), ..stored(b"a", b"12345678") },
        File { offset: Some(0), ..stored(b"b", b"12345678") },
    ]);
    assert!(Archive::parse(&turned).unwrap().overlapping().is_empty());
}

/// A header takes 31 bytes with its name, and the data 8.
#[test]
fn of_members_at_one_place_the_one_that_the_header_names_is_kept() {
    for (place, named) in [(0, Some(0)), (39, Some(1)), (78, Some(2)), (117, None)] {
        let file = |name| File { offset: Some(place), ..stored(name, b"12345678") };
        let other = stored(b"d", b"12345678");
        let bytes = zip(&[file(b"a"), file(b"b"), file(b"c"), other]);
        let archive = Archive::parse(&bytes).unwrap();
        // Where the header names none of the three, its own member keeps the bytes.
        let kept = named.unwrap_or(3);
        let mut expected = vec![0, 1, 2];
        expected.retain(|&index| index != kept);
        assert_eq!(archive.overlapping(), expected, "{place}");
    }
}

#[test]
fn claims_of_many_members_end_at_once() {
    let mut bytes = zip(&[stored(b"a", b"1")]);
    let end = bytes.len() - 22;
    bytes[end + 8..end + 12].copy_from_slice(&[0x60, 0xea, 0x60, 0xea]); // 60,000 twice
    // The count is a claim; the directory has one entry.
    assert_eq!(members(&Archive::parse(&bytes).unwrap()).len(), 1);
    assert_eq!(verify(&bytes), ["! the end record says 60000 entries, the directory holds 1"]);
    // Without its end, it is read by its local headers.
    assert!(Archive::parse(&bytes[..end]).unwrap().directory.is_lost());
    assert!(Archive::parse(b"PK\x05\x06").is_err());
    let empty = zip(&[]);
    assert_eq!(Archive::parse(&empty).unwrap().summarize().counts.get("members"), Some(0));
}

#[test]
fn every_method_with_every_flag_is_read_or_refused_by_name() {
    let names = [
        (0, "stored"),
        (1, "shrunk"),
        (6, "imploded"),
        (8, "deflated"),
        (9, "deflate64"),
        (12, "bzip2"),
        (14, "lzma"),
        (93, "zstd"),
        (95, "xz"),
        (98, "ppmd"),
        (99, "aes"),
    ];
    for method in (0..=100).chain([255, 256, 264, 0x8000, u16::MAX]) {
        for flags in [0, 1, 0xfffe & !(1 << 3), !(1 << 3)].into_iter().chain((0..16).map(|bit| 1 << bit)) {
            let file = if method == 8 { deflated(b"a") } else { stored(b"a", b"abc") };
            let bytes = zip(&[File { method, flags, ..file }]);
            let archive = Archive::parse(&bytes).unwrap();
            let member = members(&archive)[0];
            let name = names.iter().find(|(known, _)| *known == method).map(|(_, name)| *name);
            let said = name.map_or(format!("method {method}"), str::to_owned);
            assert_eq!(member.method().to_string(), said, "{method}");
            let is_encrypted = flags % 2 == 1 || method == 99;
            let found = member.decode().map(std::borrow::Cow::into_owned).map_err(|error| error.message());
            let refused = format!("members[0]: a: packed in a way that is not read: {said}");
            let expected = match method {
                _ if is_encrypted => Err("members[0]: a: encrypted".to_owned()),
                0 => Ok(b"abc".to_vec()),
                8 => Ok(b"meshpeek".repeat(40)),
                // Three bytes are no stream of another method.
                9 | 12 | 14 | 93 | 95 if cfg!(feature = "methods") => {
                    assert!(found.is_err(), "method {method}");
                    found.clone()
                }
                _ => Err(refused),
            };
            assert_eq!(found, expected, "method {method}, flags {flags:#x}");
            assert_eq!(member.is_encrypted(), is_encrypted, "flags {flags:#x}");
            let is_in_place = method == 0 && !is_encrypted;
            assert_eq!(member.borrowed().unwrap().is_some(), is_in_place, "method {method}, flags {flags:#x}");
        }
    }
}
