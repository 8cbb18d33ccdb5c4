//! Zip archives compared with the crate `zip`: if both read an archive, it has the same files with the same bytes.

use std::collections::{HashMap, HashSet};
use std::io::{Cursor, Read};

use meshpeek::zip::{CentralEntry, Directory};
use meshpeek::zip::{Archive, Member};
use zip::ZipArchive;

use crate::peers::quietly;
use crate::recipe::Recipe;

/// Members that claim more are not decoded.
const MOST: u64 = 1 << 20;

/// Bytes that do not start like an archive are choices: how to build and damage one.
pub fn run(data: &[u8]) {
    if data.starts_with(b"PK") {
        return check(data);
    }
    let mut recipe = Recipe::sound(data);
    let mut made = recipe.zip(1);
    recipe.bend(&mut made.bytes);
    check(&made.bytes);
}

/// The signature of the record at the end of an archive.
const END: &[u8] = b"PK\x05\x06";

fn check(data: &[u8]) {
    let theirs = quietly(|| ZipArchive::new(Cursor::new(data)).ok()).flatten();
    let (Some(mut theirs), Ok(ours), Ok(directory)) = (theirs, Archive::parse(data), Directory::find_any(data)) else {
        return;
    };
    let Ok(entries) = directory.entries().collect::<Result<Vec<_>, _>>() else { return };
    // The crate may take the end record of a stored archive for that of the archive around it.
    if theirs.central_directory_start() < directory.start {
        return;
    }
    let names: HashSet<_> = entries.iter().map(|entry| entry.name.as_bytes()).collect();
    // The crate keeps one of several files with one name, and believes the count. `zip_lies` has the other lies.
    let is_counted = directory.entry_count == Some(entries.len() as u64);
    if names.len() < entries.len() || !is_counted || directory.is_lost() {
        return;
    }
    // It may take an end record in the comment for that of the archive.
    let ends = data.windows(END.len()).filter(|part| *part == END).count();
    if theirs.is_empty() && ends > 1 {
        return;
    }
    assert_eq!(entries.len(), theirs.len(), "entries");
    let members: HashMap<_, _> =
        ours.members().flatten().map(|member| (member.name().as_bytes().as_ptr(), member)).collect();
    for (index, entry) in entries.iter().enumerate() {
        let Some(Ok(there)) = quietly(|| theirs.by_index_raw(index).map(|file| Facts::new(&file))) else { continue };
        let here = Facts::from(entry);
        // The crate counts from the first byte, even if other bytes precede the archive.
        assert_eq!(Facts { header: here.header + directory.prefix, ..here }, there);
        let Some(member) = members.get(&entry.name.as_bytes().as_ptr()) else { continue };
        if entry.unpacked_bytes < MOST {
            same_bytes(member, &mut theirs, index, directory.start);
        }
    }
}

fn same_bytes(member: &Member<'_>, theirs: &mut ZipArchive<Cursor<&[u8]>>, index: usize, directory: u64) {
    let read = quietly(|| {
        let mut bytes = Vec::new();
        theirs.by_index(index).ok()?.take(MOST + 1).read_to_end(&mut bytes).ok().map(|_| bytes)
    });
    match (member.decode(), read.flatten()) {
        (Ok(ours), Some(theirs)) => assert!(*ours == theirs, "{} holds other bytes", member.name()),
        (Ok(_), None) => panic!("{} is read here alone", member.name()),
        // It checks the checksum but not the size, reads on over the directory, and reads an empty file without its
        // header.
        (Err(error), Some(theirs)) => {
            let has_claimed_size = theirs.len() as u64 == member.decoded_byte_len_hint();
            let local = member.local();
            let is_before = local.is_ok_and(|local| local.data_offset + member.stored_byte_len() <= directory);
            assert!(!has_claimed_size || !is_before, "{} is read there alone: {error}", member.name());
        }
        (Err(_), None) => {}
    }
}

#[derive(Debug, PartialEq)]
struct Facts {
    name: Vec<u8>,
    crc32: u32,
    packed: u64,
    unpacked: u64,
    header: u64,
}

impl Facts {
    fn new(file: &zip::read::ZipFile<'_, Cursor<&[u8]>>) -> Self {
        Self {
            name: file.name_raw().to_vec(),
            crc32: file.crc32(),
            packed: file.compressed_size(),
            unpacked: file.size(),
            header: file.header_start(),
        }
    }
}

impl From<&CentralEntry<'_>> for Facts {
    fn from(entry: &CentralEntry<'_>) -> Self {
        Self {
            name: entry.name.as_bytes().to_vec(),
            crc32: entry.header.crc32.get(),
            packed: entry.packed_bytes,
            unpacked: entry.unpacked_bytes,
            header: entry.header_offset,
        }
    }
}
