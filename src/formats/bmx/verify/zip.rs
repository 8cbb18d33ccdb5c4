//! Checks the zip around a map: compares the directory with the headers before the data, and the data with both.

use std::collections::{BTreeSet, HashSet};

use crate::base::code::Code;
use crate::base::error::Error;
use crate::base::place::Root;
use crate::check::{Broken, Check, Faults};
use crate::formats::bmx::archive::{Archive, path};
use crate::formats::bmx::table::TableId;
use crate::formats::bmx::{Entry, Map};
use crate::formats::zip_directory::{CentralEntry, LocalEntry};
use crate::summary::{Problems, Severity};

/// Bit of the flags: the data is encrypted.
const ENCRYPTED: u16 = 1 << 0;
/// Bit of the flags: sizes and CRC-32 follow the data.
const SIZES_FOLLOW: u16 = 1 << 3;
/// Bit of the flags: the name is UTF-8.
const UTF8: u16 = 1 << 11;

/// Reports what is wrong with the zip of a map: bytes around it, its directory, and each entry.
pub(super) fn archive(map: &Map<'_>, archive: &Archive<'_>, problems: &mut Problems) {
    let directory = &archive.directory;
    if directory.prefix > 0 {
        problems.warning(&Error::malformed(format!("{} bytes before the zip", directory.prefix)).at(0));
    }
    let end = directory.archive_end();
    if map.bytes > end {
        let after = map.bytes.saturating_sub(end);
        problems.warning(&Error::trailing(after, "the zip").at(end));
    }
    names(map, archive, problems);
    // Overlapping entries are reported and not decompressed, so that the work stays in proportion to the file.
    let mut reached = 0;
    let mut overlaps = Faults::default();
    let mut uncompressed = Faults::default();
    for entry in archive.in_file_order() {
        let Some(local) = problems.ok(entry.local()) else { continue };
        if entry.header_offset() < reached {
            let path = [("entries", Some(entry.index))];
            let name = entry.name();
            let message = format_args!("{name}: overlaps the entry before it");
            overlaps.add(Code::Overlap, &path, entry.header_offset(), message);
            continue;
        }
        reached = local.data_offset.saturating_add(entry.stored_byte_len());
        headers(&entry, &local, problems);
        data(map, &entry, &mut uncompressed, problems);
    }
    overlaps.report(problems);
    uncompressed.report(problems);
}

/// Checks each entry of the directory by itself and against the other entries.
fn names(map: &Map<'_>, archive: &Archive<'_>, problems: &mut Problems) {
    // Without a readable version, the names are checked as those of the newest.
    let version = map.version().unwrap_or(14);
    let mut paths: HashSet<Vec<u8>> = HashSet::new();
    let mut lower_paths: HashSet<Vec<u8>> = HashSet::new();
    let mut marks = Check::new(Broken::new(Code::Suspicious, "not marked as UTF-8, which strict readers refuse"));
    let mut entries = archive.directory.entries();
    for entry in entries.by_ref().flatten() {
        let path = path(entry.name).into_owned();
        let is_new_in_lower_case = lower_paths.insert(path.to_ascii_lowercase());
        if !paths.insert(path.clone()) {
            report(&entry, Severity::Error, "two entries of this name", problems);
        } else if !is_new_in_lower_case {
            report(&entry, Severity::Warning, "differs from another name only in case", problems);
        }
        if leads_outside(&path) {
            let message = "leads out of the folder that it would be unpacked to";
            report(&entry, Severity::Error, message, problems);
        }
        if path.contains(&0) {
            report(&entry, Severity::Warning, "name with a NUL in it", problems);
        }
        let is_text = entry.name.to_text().is_some();
        if !is_text {
            report(&entry, Severity::Warning, "name that is not UTF-8", problems);
        }
        // Up to version 13, ASCII names do not need the mark. A name that is not text was reported above.
        let is_marked = entry.header.flags.get() & UTF8 != 0 || version <= 13 && path.is_ascii();
        marks.look(entry.offset, entry.name, is_marked || !is_text);
        if is_zip64(&entry) {
            report(&entry, Severity::Warning, "zip64 sizes, which maps must not use", problems);
        }
    }
    marks.report("names of entries", problems, Root);
    images(map, archive, problems);
    archive.directory.check(Some(&entries), problems);
}

/// Reports an entry of the directory.
fn report(entry: &CentralEntry<'_>, severity: Severity, message: &str, problems: &mut Problems) {
    problems.report_at(severity, Root, entry.offset, format_args!("{}: {message}", entry.name));
}

/// Reports images that no texture names.
fn images(map: &Map<'_>, archive: &Archive<'_>, problems: &mut Problems) {
    let mut unnamed: BTreeSet<String> = archive.entries().filter_map(|entry| image(&entry)).collect();
    if unnamed.is_empty() {
        return;
    }
    let Ok(textures) = map.textures() else { return };
    for texture in textures.walk() {
        // If a texture cannot be read, any image may be the one it names.
        let Ok(texture) = texture else { return };
        if let Some(name) = texture.file_name.to_text() {
            unnamed.remove(&name);
        }
    }
    for entry in archive.entries() {
        if let Some(name) = image(&entry)
            && unnamed.contains(&name)
        {
            let error = entry.error("an image of no texture").at(entry.central.offset);
            problems.warning(&error.coded(Code::Missing));
        }
    }
}

/// Returns the name of an image below `Texture/` if it is UTF-8, as names of textures are.
fn image(entry: &Entry<'_>) -> Option<String> {
    let name = String::from_utf8(entry.path().strip_prefix(b"Texture/")?.to_vec()).ok()?;
    if name.is_empty() { None } else { Some(name) }
}

/// Returns true if a path with `/` as separator is absolute, starts with a drive letter, or has a part `..`.
fn leads_outside(path: &[u8]) -> bool {
    path.starts_with(b"/") || path.get(1) == Some(&b':') || path.split(|&byte| byte == b'/').any(|part| part == b"..")
}

/// Returns true if an entry has the extra field of zip64, or a number that zip64 stores there.
fn is_zip64(entry: &CentralEntry<'_>) -> bool {
    const ZIP64_FIELD: u16 = 1;
    let header = entry.header;
    let mut extra = entry.extra;
    let mut has_field = false;
    // Each extra field is an id, a size and its data.
    while let [id_low, id_high, size_low, size_high, rest @ ..] = extra {
        has_field |= u16::from_le_bytes([*id_low, *id_high]) == ZIP64_FIELD;
        let size = u16::from_le_bytes([*size_low, *size_high]);
        extra = rest.get(size.into()..).unwrap_or_default();
    }
    // A number that zip64 stores in the extra field has all bits set here.
    has_field || [header.packed_bytes, header.unpacked_bytes, header.header_offset].contains(&u32::MAX.into())
}

/// Compares the header before the data with the directory, which all other code uses.
fn headers(entry: &Entry<'_>, local: &LocalEntry<'_>, problems: &mut Problems) {
    let here = local.header;
    let there = entry.central.header;
    if local.name != entry.name() {
        differs("name", entry, problems);
    }
    if here.method != there.method {
        differs("method", entry, problems);
    }
    if here.flags.get() & ENCRYPTED != there.flags.get() & ENCRYPTED {
        differs("encryption", entry, problems);
    }
    let may_be_zero = here.flags.get() & SIZES_FOLLOW != 0;
    for (what, here, there) in [
        ("CRC-32", here.crc32.get(), there.crc32.get()),
        ("packed size", here.packed_bytes.get(), there.packed_bytes.get()),
        ("unpacked size", here.unpacked_bytes.get(), there.unpacked_bytes.get()),
    ] {
        if here != there && !(may_be_zero && here == 0) {
            differs(what, entry, problems);
        }
    }
}

/// Reports that this field of the header before the data differs from the directory.
fn differs(what: &str, entry: &Entry<'_>, problems: &mut Problems) {
    problems.report(Severity::Error, || {
        let message = format!("another {what} in the header before its data than in the directory");
        entry.error(message).at(entry.header_offset())
    });
}

/// Checks the data of an entry: that it decompresses, its CRC-32, and that nothing follows its stream. Entries of a map
/// that are not compressed go to `uncompressed`.
fn data(map: &Map<'_>, entry: &Entry<'_>, uncompressed: &mut Faults, problems: &mut Problems) {
    let table = TableId::VARIANTS.iter().copied().find(|id| entry.name() == id.name());
    let trailing = match (entry.borrowed(), table) {
        // An unreadable table was already reported.
        (Err(_), Some(_)) => return,
        (Err(error), None) => return problems.error(&error),
        (Ok(Some(stored)), table) => {
            problems.ok(entry.check_crc(stored));
            let is_of_map = table.is_some() || entry.path().starts_with(b"Texture/");
            if is_of_map && !stored.is_empty() {
                let path = [("entries", Some(entry.index))];
                let name = entry.name();
                let message = format_args!("{name}: stored, though maps are to be deflated");
                uncompressed.add(Code::Suspicious, &path, entry.central.offset, message);
            }
            return;
        }
        // The map keeps the decompressed table.
        (Ok(None), Some(table)) => map.source.trailing(table),
        (Ok(None), None) => {
            let held = problems.budget().charge_and_hold(entry.inflated_bytes());
            let Some(_held) = problems.ok(held) else { return };
            problems.ok(entry.inflate::<u8>()).map(|unpacked| unpacked.trailing)
        }
    };
    if let Some(trailing @ 1..) = trailing {
        let message = format!("{trailing} bytes after the end of its DEFLATE stream");
        problems.warning(&entry.error(message).at(entry.header_offset()).coded(Code::Trailing));
    }
}
