//! Checks the zip around a map: compares the directory with the headers before the data, and the data with both.

use std::collections::{BTreeSet, HashMap};

use crate::base::code::Code;
use crate::base::error::Error;
use crate::check::{Broken, Check, Faults};
use crate::formats::bmx::archive::{Archive, path};
use crate::formats::bmx::table::TableId;
use crate::formats::bmx::{Entry, Map};
use crate::formats::zip_directory::{CentralEntry, LocalEntry};
use crate::summary::{Problems, Severity};

/// Bit of the flags: sizes and CRC-32 follow the data.
const SIZES_FOLLOW: u16 = 1 << 3;
/// Bit of the flags: the name is UTF-8.
const UTF8: u16 = 1 << 11;

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
    let (mut overlaps, mut stored) = (Faults::default(), Faults::default());
    for entry in archive.in_file_order() {
        let Some(local) = problems.ok(entry.local()) else { continue };
        if entry.header_offset() < reached {
            let place = ([("entries", Some(entry.index))], entry.header_offset());
            let message = || format!("{}: overlaps the entry before it", entry.name());
            overlaps.add(Code::Overlap, (&place.0, place.1), message);
            continue;
        }
        reached = local.data_offset.saturating_add(entry.stored_byte_len());
        headers(&entry, &local, problems);
        data(map, &entry, &mut stored, problems);
    }
    overlaps.report(problems);
    stored.report(problems);
}

/// Checks each entry of the directory by itself and against the other entries.
fn names(map: &Map<'_>, archive: &Archive<'_>, problems: &mut Problems) {
    let version = map.version().unwrap_or(14);
    let mut seen: HashMap<Vec<u8>, Vec<u8>> = HashMap::new();
    let mut marks = Check::new(Broken::new(Code::Suspicious, "not marked as UTF-8, which strict readers refuse"));
    let mut entries = archive.directory.entries();
    for entry in entries.by_ref().flatten() {
        let mut report = |severity, message: &str| {
            let error = || Error::malformed(format!("{}: {message}", entry.name)).at(entry.offset);
            problems.report(severity, error);
        };
        let path = path(entry.name).into_owned();
        match seen.insert(path.to_ascii_lowercase(), path.clone()) {
            Some(other) if other == path => report(Severity::Error, "two entries of this name"),
            Some(_) => report(Severity::Warning, "differs from another name only in case"),
            None => {}
        }
        if leads_outside(&path) {
            report(Severity::Error, "leads out of the folder that it would be unpacked to");
        }
        if path.contains(&0) {
            report(Severity::Warning, "name with a NUL in it");
        }
        let is_text = entry.name.to_text().is_some();
        if !is_text {
            report(Severity::Warning, "name that is not UTF-8");
        }
        let is_marked = entry.header.flags.get() & UTF8 != 0 || version <= 13 && path.is_ascii();
        marks.look(entry.offset, entry.name, is_marked || !is_text);
        if is_zip64(&entry) {
            report(Severity::Warning, "zip64 sizes, which maps must not use");
        }
    }
    marks.report("names of entries", problems, |error| error);
    images(map, archive, problems);
    archive.directory.check(Some(&entries), problems);
}

/// Reports images that no texture names.
fn images(map: &Map<'_>, archive: &Archive<'_>, problems: &mut Problems) {
    let mut unnamed: BTreeSet<String> = archive.entries().filter_map(|entry| image(&entry)).collect();
    let Some(textures) = map.textures().ok().filter(|_| !unnamed.is_empty()) else { return };
    for texture in textures.walk() {
        // If a texture cannot be read, any image may be the one it names.
        let Ok(texture) = texture else { return };
        if let Some(name) = texture.file_name.to_text() {
            unnamed.remove(&name);
        }
    }
    for entry in archive.entries().filter(|entry| image(entry).is_some_and(|name| unnamed.contains(&name))) {
        problems.report(Severity::Warning, || {
            entry.error("an image of no texture").at(entry.central.offset).coded(Code::Missing)
        });
    }
}

/// Returns the name of an image below `Texture/` if it is UTF-8, as names of textures are.
fn image(entry: &Entry<'_>) -> Option<String> {
    let name = String::from_utf8(entry.path().strip_prefix(b"Texture/")?.to_vec()).ok()?;
    (!name.is_empty()).then_some(name)
}

fn leads_outside(path: &[u8]) -> bool {
    path.starts_with(b"/") || path.get(1) == Some(&b':') || path.split(|&byte| byte == b'/').any(|part| part == b"..")
}

fn is_zip64(entry: &CentralEntry<'_>) -> bool {
    let header = entry.header;
    let mut extra = entry.extra;
    let mut has_field = false;
    while let [id_low, id_high, low, high, rest @ ..] = extra {
        has_field |= [*id_low, *id_high] == [1, 0];
        extra = rest.get(u16::from_le_bytes([*low, *high]).into()..).unwrap_or_default();
    }
    has_field || [header.packed_bytes, header.unpacked_bytes, header.header_offset].iter().any(|n| n.get() == u32::MAX)
}

/// Compares the header before the data with the directory, which all other code uses.
fn headers(entry: &Entry<'_>, local: &LocalEntry<'_>, problems: &mut Problems) {
    let (one, other) = (local.header, entry.central.header);
    let follow = one.flags.get() & SIZES_FOLLOW != 0;
    let same = |one: u32, other: u32| one == other || (follow && one == 0);
    let differ = [
        ("name", local.name == entry.name()),
        ("method", one.method == other.method),
        ("encryption", one.flags.get() & 1 == other.flags.get() & 1),
        ("CRC-32", same(one.crc32.get(), other.crc32.get())),
        ("packed size", same(one.packed_bytes.get(), other.packed_bytes.get())),
        ("unpacked size", same(one.unpacked_bytes.get(), other.unpacked_bytes.get())),
    ];
    for (what, _) in differ.iter().filter(|(_, agree)| !agree) {
        let message = || format!("another {what} in the header before its data than in the directory");
        problems.report(Severity::Error, || entry.error(message()).at(entry.header_offset()));
    }
}

fn data(map: &Map<'_>, entry: &Entry<'_>, odd: &mut Faults, problems: &mut Problems) {
    let trailing = match (entry.borrowed(), TableId::ALL.into_iter().find(|id| entry.name() == id.name())) {
        // An unreadable table was already reported.
        (Err(_), Some(_)) => return,
        (Err(error), None) => return problems.error(&error),
        (Ok(Some(stored)), table) => {
            problems.ok(entry.check_crc(stored));
            let is_of_map = table.is_some() || entry.path().starts_with(b"Texture/");
            if is_of_map && !stored.is_empty() {
                let place = ([("entries", Some(entry.index))], entry.central.offset);
                let message = || format!("{}: stored, though maps are to be deflated", entry.name());
                odd.add(Code::Suspicious, (&place.0, place.1), message);
            }
            return;
        }
        // The map keeps the decompressed table.
        (Ok(None), Some(table)) => map.source.trailing(table),
        (Ok(None), None) => {
            let held = problems.budget().take(entry.inflated_bytes());
            let Some(_held) = problems.ok(held) else { return };
            problems.ok(entry.inflate::<u8>()).map(|unpacked| unpacked.trailing)
        }
    };
    if let Some(trailing) = trailing.filter(|&trailing| trailing > 0) {
        let message = || format!("{trailing} bytes after the end of its DEFLATE stream");
        let error = || entry.error(message()).at(entry.header_offset()).coded(Code::Trailing);
        problems.report(Severity::Warning, error);
    }
}
