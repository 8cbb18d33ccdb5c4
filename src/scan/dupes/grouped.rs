//! Groups assets by their digests: sorts them by digest, then the groups by their first copy.

use std::path::{Path, PathBuf};

use super::{Copy, Duplicate, Group, Sameness, Sort};
use crate::base::error::{Error, Result};
use crate::base::format::Format;
use crate::scan::order::add_sort_key;
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
    fn to_row(&self) -> Vec<u8> {
        let Self { copy, format, file } = self;
        let mut row = file.to_vec();
        row.push(code(*format));
        row.push(copy.lossy.into());
        row.extend(copy.bytes.to_le_bytes());
        let path = bytes_of(&copy.path);
        row.extend((path.len() as u64).to_le_bytes());
        row.extend(path);
        if let Some(member) = &copy.member {
            row.push(1);
            row.extend(member.as_bytes());
        }
        row
    }

    fn read(row: &[u8]) -> Option<Self> {
        let (file, rest) = row.split_first_chunk()?;
        let (&[format, lossy], rest) = rest.split_first_chunk()?;
        let (bytes, rest) = rest.split_first_chunk()?;
        let (path, rest) = rest.split_first_chunk()?;
        let (path, rest) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*path)).ok()?)?;
        let member = match rest {
            [] => None,
            [_, member @ ..] => Some(String::from_utf8(member.to_vec()).ok()?),
        };
        let (path, lossy, bytes) = (path_of(path), lossy != 0, u64::from_le_bytes(*bytes));
        Some(Self { copy: Copy { path, member, lossy, bytes }, format: format_of(format)?, file: *file })
    }
}

/// The place of a format in the list of all.
fn code(format: Format) -> u8 {
    let place = Format::ALL.iter().position(|known| *known == format);
    place.and_then(|place| u8::try_from(place).ok()).unwrap_or(u8::MAX)
}

fn format_of(code: u8) -> Option<Format> {
    Format::ALL.get(usize::from(code)).copied()
}

#[cfg(unix)]
fn bytes_of(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

#[cfg(unix)]
fn path_of(bytes: &[u8]) -> PathBuf {
    <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes).into()
}

#[cfg(windows)]
fn bytes_of(path: &Path) -> Vec<u8> {
    std::os::windows::ffi::OsStrExt::encode_wide(path.as_os_str()).flat_map(u16::to_le_bytes).collect()
}

#[cfg(windows)]
fn path_of(bytes: &[u8]) -> PathBuf {
    let (units, _) = bytes.as_chunks();
    let units: Vec<u16> = units.iter().map(|unit| u16::from_le_bytes(*unit)).collect();
    <std::ffi::OsString as std::os::windows::ffi::OsStringExt>::from_wide(&units).into()
}

#[cfg(not(any(unix, windows)))]
fn bytes_of(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

#[cfg(not(any(unix, windows)))]
fn path_of(bytes: &[u8]) -> PathBuf {
    String::from_utf8_lossy(bytes).into_owned().into()
}

/// The error for rows that are not those that were added.
fn foreign() -> Error {
    std::io::Error::new(std::io::ErrorKind::InvalidData, "a sort gives rows that were not added").into()
}

/// How groups begin: with the property and the digest that their assets share.
const START: usize = 33;

fn start(same: Sameness, digest: &Digest) -> Vec<u8> {
    let mut key = vec![u8::from(same == Sameness::Content)];
    key.extend(digest);
    key
}

/// Adds an asset by its digests.
pub(super) fn add(candidate: &Candidate, content: Option<Digest>, sort: &mut dyn Sort) -> Result<()> {
    let row = candidate.to_row();
    let digests = [(Sameness::File, Some(candidate.file)), (Sameness::Content, content)];
    for (same, digest) in digests {
        if let Some(digest) = digest {
            let mut key = start(same, &digest);
            add_sort_key(&mut key, &candidate.copy.path, candidate.copy.member.as_deref());
            sort.push(&key, &row)?;
        }
    }
    Ok(())
}

/// The group that is being read, and the last of its assets.
#[derive(Default)]
pub(super) struct Groups {
    /// The key and the row of its first asset.
    first: (Vec<u8>, Vec<u8>),
    last: (Vec<u8>, Vec<u8>),
    copies: u64,
    /// True if two of its assets differ in their bytes.
    differs: bool,
}

impl Groups {
    /// Reads assets in the order of their digests. Adds those of a group in the order of the group's first copy, after a
    /// row about the group.
    pub(super) fn find(mut self, by_digest: &mut dyn Sort, by_place: &mut dyn Sort) -> Result<()> {
        while let Some((key, row)) = by_digest.next()? {
            let is_same = self.copies > 0 && key.get(..START) == self.first.0.get(..START);
            if !is_same {
                self.end(by_place)?;
                set(&mut self.first, key, row);
                self.copies = 0;
                self.differs = false;
            } else if (self.last.0.as_slice(), self.last.1.as_slice()) == (key, row) {
                // Two of the scan's paths lead to this asset.
                continue;
            }
            set(&mut self.last, key, row);
            self.copies = self.copies.saturating_add(1);
            self.differs |= file_of(row) != file_of(&self.first.1);
            if self.copies == 2 {
                self.put(&self.first, by_place)?;
            }
            if self.copies > 1 {
                self.put(&self.last, by_place)?;
            }
        }
        self.end(by_place)
    }

    /// The key of the group: its property, its first copy, its digest.
    fn key(&self) -> Option<Vec<u8>> {
        let (start, place) = self.first.0.split_at_checked(START)?;
        let (same, digest) = start.split_first()?;
        Some([&[*same], place, digest].concat())
    }

    /// Adds an asset of this group.
    fn put(&self, (key, row): &(Vec<u8>, Vec<u8>), by_place: &mut dyn Sort) -> Result<()> {
        let mut place = self.key().ok_or_else(foreign)?;
        place.extend(key.get(START..).unwrap_or_default());
        by_place.push(&place, row)
    }

    /// Adds the row about this group, if it is one. Assets without this row are left out.
    fn end(&self, by_place: &mut dyn Sort) -> Result<()> {
        let is_group = match self.first.0.first() {
            Some(0) => true,
            _ => self.differs,
        };
        if self.copies < 2 || !is_group {
            return Ok(());
        }
        by_place.push(&self.key().ok_or_else(foreign)?, &self.copies.to_le_bytes())
    }
}

fn set(pair: &mut (Vec<u8>, Vec<u8>), key: &[u8], row: &[u8]) {
    pair.0.clear();
    pair.0.extend_from_slice(key);
    pair.1.clear();
    pair.1.extend_from_slice(row);
}

fn file_of(row: &[u8]) -> Option<&Digest> {
    row.first_chunk()
}

/// Passes on the groups and their copies.
pub(super) fn each(by_place: &mut dyn Sort, each: &mut dyn FnMut(Duplicate) -> Result<()>) -> Result<()> {
    // The key of the current group, and its number of copies until its first one is read.
    let (mut group, mut copies) = (Vec::new(), None);
    while let Some((key, row)) = by_place.next()? {
        if let Ok(count) = row.try_into() {
            group = key.to_vec();
            copies = Some(u64::from_le_bytes(count));
            continue;
        }
        if group.is_empty() || !key.starts_with(&group) {
            continue;
        }
        let Candidate { copy, format, .. } = Candidate::read(row).ok_or_else(foreign)?;
        if let Some(copies) = copies.take() {
            let same = if group.first() == Some(&0) { Sameness::File } else { Sameness::Content };
            let digest = hex(group.last_chunk::<32>().ok_or_else(foreign)?);
            each(Duplicate::Group { group: Group { same, format, digest, copies: Vec::new() }, copies })?;
        }
        each(Duplicate::Copy(copy))?;
    }
    Ok(())
}
