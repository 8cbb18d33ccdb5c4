//! Zip archives as containers, and their contents: slices, sizes and budgets must agree.

use meshpeek::container::{Container, Form, Member};
use meshpeek::zip::{Archive, Directory};
use meshpeek::{Asset, Budget, Limits};

use crate::recipe::Recipe;
use crate::writer::zip::crc32;

/// The maximum number of decoded bytes for each byte of an archive.
const RATIO: u32 = 100;
/// The number of bytes added to an archive's size for this bound.
const SMALL: u64 = 2 << 20;

/// Bytes that do not start like an archive are choices: how to build and damage one.
pub fn run(data: &[u8]) {
    if data.starts_with(b"PK") {
        return check(data);
    }
    let mut recipe = Recipe::sound(data);
    let mut made = recipe.zip(2);
    match Archive::parse(&made.bytes) {
        Ok(archive) => made.assert_sound(&Asset::Zip(archive)),
        Err(error) => assert!(error.message().contains("two zip end records"), "{error}"),
    }
    recipe.bend(&mut made.bytes);
    check(&made.bytes);
}

fn check(data: &[u8]) {
    crate::any::run(data);
    let limits = Limits::default().with_decoded_bytes(1 << 20).with_archive_members(2_000).with_work(RATIO);
    let Ok(archive) = Archive::parse_with(data, &limits) else { return };
    let directory = Directory::find_any(data).expect("a directory that an archive has");
    assert_eq!((directory.start, directory.is_lost()), (archive.directory.start, archive.directory.is_lost()));
    assert!(archive.directory.start <= archive.directory.end_offset);
    for member in archive.members().map_while(Result::ok).take(20) {
        let found = archive.find(member.name().as_bytes()).unwrap().unwrap();
        assert!(found.index <= member.index && found.name().len() == member.name().len());
        if let Ok(bytes) = member.stored_bytes() {
            let end = bytes.as_ptr_range().end as usize - data.as_ptr() as usize;
            assert!(end as u64 <= directory.start, "{} runs into the directory", member.name());
        }
    }
    assert!(!matches!(archive.find(b"\0 of no such name"), Ok(Some(_))));
    let budget = Budget::new(data.len() as u64, &limits);
    let decoded = decode(data, &Asset::Zip(archive), limits.archive_depth, &limits, &budget);
    assert!(decoded <= u64::from(RATIO) * (data.len() as u64 + SMALL), "{decoded} bytes out of {}", data.len());
}

/// Decodes the contents of an archive, including archives in it. Returns the total decoded size.
fn decode(data: &[u8], asset: &Asset<'_>, depth: u32, limits: &Limits, budget: &Budget) -> u64 {
    let Some(container) = Container::of(asset).filter(|_| depth > 0) else { return 0 };
    let mut decoded = 0;
    for (index, member) in container.members().map_while(Result::ok).enumerate() {
        assert!(index < 2_000);
        let content = member.decode(budget);
        match (member.form(), member.borrowed()) {
            (Form::InPlace, Ok(Some(bytes))) => {
                assert_eq!(bytes.len() as u64, member.decoded_byte_len_hint());
                assert_eq!(content.as_deref().ok(), Some(bytes).filter(|_| content.is_ok()));
                content.iter().for_each(|content| has_its_sum(&member, content));
                assert!(data.as_ptr_range().contains(&bytes.as_ptr()) || bytes.is_empty());
            }
            (Form::Packed(_), Ok(None)) => {
                let Ok(content) = &content else { continue };
                // The header of a PBO may claim a size other than the stream's.
                let size = match &member {
                    Member::Pbo(packed) => packed.decoded_byte_len().expect("what decodes has a length"),
                    _ => member.decoded_byte_len_hint(),
                };
                assert_eq!(content.len() as u64, size);
                decoded += content.len() as u64;
                has_its_sum(&member, content);
            }
            (Form::Encrypted | Form::Unknown, Ok(None)) => assert!(content.is_err()),
            (form, borrowed) => assert!(borrowed.is_err(), "{form:?}"),
        }
        if let Ok(content) = content
            && let Ok(inner) = Asset::parse_with(&content, limits)
        {
            decoded += decode(&content, &inner, depth - 1, limits, budget);
        }
    }
    decoded
}

/// Decoded content has the CRC-32 in the directory, which is computed again here.
fn has_its_sum(member: &Member<'_>, content: &[u8]) {
    if let Member::Zip(member) = member {
        assert_eq!(crc32(content), member.entry.header.crc32.get(), "{} is reported as sound", member.name());
    }
}
