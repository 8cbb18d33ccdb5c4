//! Groups assets by their digests: sorts them by digest, then the groups by their first copy.

use std::path::{Path, PathBuf};

use super::{Copy, Duplicate, Group, Sameness, Sort};
use crate::base::error::{Error, Result};
use crate::base::format::Format;
use crate::scan::order::{SortKey, add_sort_key};
use crate::scan::record::hex;

type Digest = [u8; 32];

/// An asset that is like another.
pub(super) struct Candidate {
    pub(super) copy: Copy,
    pub(super) format: Format,
    /// SHA-256 of its bytes.
    pub(super) file: Digest,
}

impl Candidate {
    /// A row that begins with the place of the asset, so that rows sort by it.
    fn to_row(&self) -> Vec<u8> {
        let Self { copy, format, file } = self;
        let mut row = Vec::new();
        add_sort_key(&mut row, &copy.path, copy.member.as_deref());
        add_spelling(&mut row, &copy.path);
        row.extend(file);
        row.push(code(*format));
        row.push(copy.lossy.into());
        row.extend(copy.bytes.to_le_bytes());
        row
    }

    fn read(row: &[u8]) -> Option<Self> {
        let SortKey { path, member, rest } = SortKey::read(row)?;
        let (spelling, facts) = rest.split_last_chunk::<FACTS>()?;
        let (file, rest) = facts.split_first_chunk()?;
        let (&[format, lossy], rest) = rest.split_first_chunk()?;
        let bytes = u64::from_le_bytes(*rest.first_chunk()?);
        let copy = Copy { path: to_path(path, spelling), member, lossy: lossy != 0, bytes };
        Some(Self { copy, format: format_of(format)?, file: *file })
    }
}

/// The bytes after the place: the digest, the format, whether names are lossy, the size.
const FACTS: usize = 32 + 1 + 1 + 8;

/// The digest of the bytes of the asset in this row.
fn file_of(row: &[u8]) -> Option<&Digest> {
    row.last_chunk::<FACTS>()?.first_chunk()
}

/// The place of a format in the list of all.
fn code(format: Format) -> u8 {
    let place = Format::ALL.iter().position(|known| *known == format);
    place.and_then(|place| u8::try_from(place).ok()).unwrap_or(u8::MAX)
}

fn format_of(code: u8) -> Option<Format> {
    Format::ALL.get(usize::from(code)).copied()
}

/// Adds what the sort key of a path does not tell: on Windows, its separators.
#[cfg(windows)]
fn add_spelling(row: &mut Vec<u8>, path: &Path) {
    row.extend(std::os::windows::ffi::OsStrExt::encode_wide(path.as_os_str()).flat_map(u16::to_le_bytes));
}

#[cfg(not(windows))]
fn add_spelling(_: &mut Vec<u8>, _: &Path) {}

#[cfg(unix)]
fn to_path(bytes: Vec<u8>, _: &[u8]) -> PathBuf {
    <std::ffi::OsString as std::os::unix::ffi::OsStringExt>::from_vec(bytes).into()
}

#[cfg(windows)]
fn to_path(_: Vec<u8>, spelling: &[u8]) -> PathBuf {
    let (units, _) = spelling.as_chunks();
    let units: Vec<u16> = units.iter().map(|unit| u16::from_le_bytes(*unit)).collect();
    <std::ffi::OsString as std::os::windows::ffi::OsStringExt>::from_wide(&units).into()
}

#[cfg(not(any(unix, windows)))]
fn to_path(bytes: Vec<u8>, _: &[u8]) -> PathBuf {
    String::from_utf8_lossy(&bytes).into_owned().into()
}

/// The error for rows that are not those that were added.
fn foreign() -> Error {
    std::io::Error::new(std::io::ErrorKind::InvalidData, "a sort gives rows that were not added").into()
}

/// Adds an asset by its digests.
pub(super) fn add(candidate: &Candidate, content: Option<Digest>, sort: &mut dyn Sort) -> Result<()> {
    let row = candidate.to_row();
    let digests = [(Sameness::File, Some(candidate.file)), (Sameness::Content, content)];
    for (same, digest) in digests {
        if let Some(digest) = digest {
            let mut key = vec![u8::from(same == Sameness::Content)];
            key.extend(digest);
            sort.push(&key, &row)?;
        }
    }
    Ok(())
}

/// The assets of one digest, of which the first and the last are known.
#[derive(Default)]
pub(super) struct Groups {
    /// The property that they share, and the digest.
    key: Vec<u8>,
    first: Vec<u8>,
    last: Vec<u8>,
    /// The property, the place of the first copy and the digest, once there are two copies.
    place: Vec<u8>,
    copies: u64,
    /// True if two of them differ in their bytes.
    differs: bool,
}

/// How the rows begin that are read in the order of places: those about groups, then those of their copies.
const GROUP: u8 = 0;
const COPY: u8 = 1;

impl Groups {
    /// Reads assets in the order of their digests. Adds those of a group in the order of the group's first copy, after a
    /// row about the group.
    pub(super) fn find(mut self, by_digest: &mut dyn Sort, by_place: &mut dyn Sort) -> Result<()> {
        while let Some((key, row)) = by_digest.next()? {
            if key != self.key {
                self.end(by_place)?;
                self.begin(key, row);
            } else if row == self.last {
                // Two of the scan's paths lead to this asset.
                continue;
            }
            set(&mut self.last, row);
            self.copies = self.copies.saturating_add(1);
            self.differs |= file_of(row) != file_of(&self.first);
            if self.copies == 2 {
                self.place = self.place().ok_or_else(foreign)?;
                add_as(COPY, &self.place, &self.first, by_place)?;
            }
            if self.copies > 1 {
                add_as(COPY, &self.place, &self.last, by_place)?;
            }
        }
        self.end(by_place)
    }

    fn begin(&mut self, key: &[u8], row: &[u8]) {
        set(&mut self.key, key);
        set(&mut self.first, row);
        self.last.clear();
        self.copies = 0;
        self.differs = false;
    }

    fn place(&self) -> Option<Vec<u8>> {
        let (same, digest) = self.key.split_first()?;
        let after = SortKey::read(&self.first)?.rest;
        let place = self.first.strip_suffix(after)?;
        Some([&[*same], place, digest].concat())
    }

    /// Adds the row about this group, if it is one. Copies without this row are left out.
    fn end(&self, by_place: &mut dyn Sort) -> Result<()> {
        let is_group = self.copies > 1 && (self.key.first() == Some(&0) || self.differs);
        if is_group { add_as(GROUP, &self.place, &self.copies.to_le_bytes(), by_place) } else { Ok(()) }
    }
}

fn add_as(kind: u8, place: &[u8], row: &[u8], by_place: &mut dyn Sort) -> Result<()> {
    by_place.push(place, &[&[kind], row].concat())
}

fn set(bytes: &mut Vec<u8>, to: &[u8]) {
    bytes.clear();
    bytes.extend_from_slice(to);
}

/// Passes on the groups and their copies.
pub(super) fn each(by_place: &mut dyn Sort, each: &mut dyn FnMut(Duplicate) -> Result<()>) -> Result<()> {
    // The key of the current group, and its number of copies until its first one is read.
    let mut group = Vec::new();
    let mut copies = None;
    while let Some((key, row)) = by_place.next()? {
        let (kind, row) = row.split_first().ok_or_else(foreign)?;
        if *kind == GROUP {
            set(&mut group, key);
            copies = Some(u64::from_le_bytes(*row.first_chunk().ok_or_else(foreign)?));
            continue;
        }
        if key != group {
            continue;
        }
        let Candidate { copy, format, .. } = Candidate::read(row).ok_or_else(foreign)?;
        if let Some(copies) = copies.take() {
            let same = if key.first() == Some(&0) { Sameness::File } else { Sameness::Content };
            let digest = hex(key.last_chunk::<32>().ok_or_else(foreign)?);
            each(Duplicate::Group { group: Group { same, format, digest, copies: Vec::new() }, copies })?;
        }
        each(Duplicate::Copy(copy))?;
    }
    Ok(())
}
