//! PBO archives: offsets, slices and sizes must agree.

use meshpeek::pbo::{Archive, EntryKind};
use meshpeek::{Asset, Format, Limits};

use crate::recipe::Recipe;

/// Bytes that do not start like an archive are choices: how to build and damage one.
pub fn run(data: &[u8]) {
    if Format::sniff(data) == Some(Format::Pbo) {
        return check(data);
    }
    let mut recipe = Recipe::sound(data);
    let mut made = recipe.pbo(2);
    made.assert_sound(&Asset::Pbo(Archive::parse(&made.bytes).unwrap()));
    recipe.bend(&mut made.bytes);
    check(&made.bytes);
}

fn check(data: &[u8]) {
    crate::any::run(data);
    let limits = Limits::default().with_decoded_bytes(1 << 20).with_archive_members(2_000);
    let Ok(archive) = Archive::parse_with(data, &limits) else { return };
    let mut offset = archive.data_offset;
    assert!(offset <= data.len() as u64);
    let mut at = 0;
    for entry in archive.entries().map_while(Result::ok) {
        assert_eq!(entry.offset, at);
        assert_eq!(entry.name().is_empty(), entry.kind() != EntryKind::Member);
        at += entry.byte_len();
    }
    for (index, member) in archive.members().map_while(Result::ok).enumerate() {
        assert_eq!((member.index, member.offset), (index, offset));
        offset += member.stored_byte_len();
        assert_eq!(member.stored_bytes().is_ok(), offset <= data.len() as u64);
        if let Ok(Some(bytes)) = member.borrowed() {
            assert!(std::ptr::eq(bytes, member.stored_bytes().unwrap()));
        }
        if let Ok(content) = member.decode() {
            assert_eq!(content.len() as u64, member.decoded_byte_len().unwrap());
        }
        if let Ok(path) = member.name().to_relative_path() {
            assert!(path.split('/').all(|part| !part.is_empty() && part != ".." && !part.contains(['\\', ':', '\0'])));
        }
        assert!(std::ptr::eq(member.entry.fields(), member.fields()) && member.entry.name() == member.name());
        if index < 20 {
            let found = archive.find(member.name().as_bytes()).unwrap().unwrap();
            assert!(found.index <= index);
        }
    }
    assert!(archive.find(b"\0").is_err() || archive.find(b"\0").is_ok_and(|found| found.is_none()));
    assert!(archive.members().map_while(Result::ok).count() <= archive.member_count);
    if let Ok(tail) = archive.tail() {
        assert_eq!(tail.offset + tail.bytes.len() as u64, data.len() as u64);
    }
    assert_eq!(archive.checksum_holds().is_ok(), archive.tail().is_ok());
}
