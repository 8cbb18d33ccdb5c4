//! Groups assets by their digests: sorts them by digest, then the groups by their first copy.

use std::path::{Path, PathBuf};

use super::group::{Copy, Duplicate, Each, Group, Sameness};
use super::sort::Sort;
use crate::base::error::{Error, Result};
use crate::base::format::Format;
use crate::scan::hex;
use crate::scan::order::{SortKey, add_sort_key};

type Digest = [u8; 32];

/// An asset that is like another, or that could not all be read.
pub(super) struct Candidate {
    pub(super) copy: Copy,
    /// The format. `None` in rows of assets that could not all be read, whose digest is zeros.
    pub(super) format: Option<Format>,
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
        Some(Self { copy, format: format_of(format), file: *file })
    }
}

/// The bytes after the place: the digest, the format, whether names are lossy, the size.
const FACTS: usize = 32 + 1 + 1 + 8;

/// The digest of the bytes of the asset in this row.
fn file_of(row: &[u8]) -> Option<&Digest> {
    row.last_chunk::<FACTS>()?.first_chunk()
}

/// The sort key of the place in this row.
fn place_of(row: &[u8]) -> Option<&[u8]> {
    let after = SortKey::read(row)?.rest;
    row.strip_suffix(after)
}

/// Returns true if both rows are about the asset at one place. On Windows, paths may differ in their separators.
fn is_same_copy(row: &[u8], other: &[u8]) -> bool {
    row == other || cfg!(windows) && !other.is_empty() && place_of(row) == place_of(other)
}

/// The place of a format in the list of all. The largest number stands for an unknown format.
fn code(format: Option<Format>) -> u8 {
    match Format::ALL.iter().position(|known| Some(*known) == format) {
        Some(place) => u8::try_from(place).unwrap_or(u8::MAX),
        None => u8::MAX,
    }
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

/// The key of assets that could not all be read. They sort after all groups.
const UNREAD: u8 = 2;

/// Adds an asset that could not all be read.
pub(super) fn add_unread(copy: Copy, sort: &mut dyn Sort) -> Result<()> {
    let candidate = Candidate { copy, format: None, file: [0; 32] };
    sort.push(&[UNREAD], &candidate.to_row())
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
    /// row about the group, and assets that could not all be read at the end.
    pub(super) fn find(mut self, by_digest: &mut dyn Sort, by_place: &mut dyn Sort) -> Result<()> {
        while let Some((key, row)) = by_digest.next()? {
            if key != self.key {
                self.end(by_place)?;
                self.begin(key, row);
            } else if is_same_copy(row, &self.last) {
                // Two of the scan's paths lead to this asset.
                continue;
            }
            set(&mut self.last, row);
            if key == [UNREAD] {
                by_place.push(key, row)?;
                continue;
            }
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
        Some([&[*same], place_of(&self.first)?, digest].concat())
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

/// Passes on the groups with their copies, then the assets that could not all be read.
pub(super) fn each(by_place: &mut dyn Sort, each: &mut Each<'_>) -> Result<()> {
    // The key of the current group, and its number of copies until its first one is read.
    let mut group = Vec::new();
    let mut copies = None;
    while let Some((key, row)) = by_place.next()? {
        if key == [UNREAD] {
            let Candidate { copy, .. } = Candidate::read(row).ok_or_else(foreign)?;
            each(Duplicate::Unread(copy))?;
            continue;
        }
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
            let format = format.ok_or_else(foreign)?;
            each(Duplicate::Group { group: Group { same, format, digest, copies: Vec::new() }, copies })?;
        }
        each(Duplicate::Copy(copy))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::sort::{InMemory, Room};
    use super::*;
    use crate::scan::Scan;

    fn candidate(path: &str, member: Option<&str>, file: u8) -> Candidate {
        let copy = Copy { path: path.into(), member: member.map(str::to_owned), lossy: false, bytes: 5 };
        Candidate { copy, format: Some(Format::ALL[0]), file: [file; 32] }
    }

    #[test]
    fn every_fact_of_a_candidate_comes_back() {
        for path in ["", "a", "a/b", "a\0b", "é"] {
            for member in [None, Some(""), Some("x"), Some("x\0\u{1}!/y")] {
                for (bytes, lossy) in [(0, false), (1, true), (256, false), (u64::MAX, true)] {
                    for format in Format::ALL.iter().copied().map(Some).chain([None]) {
                        let mut candidate = candidate(path, member, 7);
                        candidate.file[31] = bytes as u8;
                        candidate.format = format;
                        (candidate.copy.bytes, candidate.copy.lossy) = (bytes, lossy);
                        let row = candidate.to_row();
                        assert_eq!(file_of(&row), Some(&candidate.file));
                        let read = Candidate::read(&row).unwrap();
                        assert_eq!((&read.copy, read.format, read.file), (&candidate.copy, format, candidate.file));
                        // A row that is cut is not one.
                        for cut in 1..row.len().min(50) {
                            let found = Candidate::read(&row[..row.len() - cut]);
                            assert!(
                                found.is_none_or(|found| found.copy != candidate.copy),
                                "{path:?} {member:?} {cut}"
                            );
                        }
                    }
                }
            }
        }
        assert!(Candidate::read(b"").is_none());
    }

    type Found = (Sameness, u8, Vec<(String, Option<String>)>);

    /// The groups of assets that are given so often, in any order.
    fn groups(assets: &[(Candidate, Option<Digest>, usize)]) -> Vec<Found> {
        let scan = Scan::new(["x"]);
        let room = Room::new(&scan);
        let (mut by_digest, mut by_place) = (InMemory::new(&room), InMemory::new(&room));
        for (candidate, content, times) in assets.iter().rev() {
            for _ in 0..*times {
                add(candidate, *content, &mut by_digest).unwrap();
            }
        }
        Groups::default().find(&mut by_digest, &mut by_place).unwrap();
        let mut found: Vec<Found> = Vec::new();
        let mut counts = Vec::new();
        each(&mut by_place, &mut |duplicate| {
            match duplicate {
                Duplicate::Group { group, copies } => {
                    found.push((group.same, u8::from_str_radix(&group.digest[..2], 16).unwrap(), Vec::new()));
                    counts.push(copies);
                }
                Duplicate::Copy(copy) => {
                    found.last_mut().unwrap().2.push((copy.path.to_str().unwrap().to_owned(), copy.member));
                }
                Duplicate::Unread(copy) => panic!("{copy:?}"),
            }
            Ok(())
        })
        .unwrap();
        assert_eq!(found.iter().map(|(_, _, copies)| copies.len() as u64).collect::<Vec<_>>(), counts);
        found
    }

    /// The rule for all lists of four assets: of equal bytes there are two, of equal content two with different bytes.
    #[test]
    fn groups_of_every_small_list_follow_from_the_rule() {
        let places = [("a", None), ("a", Some("x")), ("a.b", None), ("b", Some("x"))];
        for number in 0..81 * 27 {
            let files = [1, 3, 9, 27].map(|step| (number / step % 3) as u8);
            // The content of each of three files: none, or one of two.
            let contents = [81, 243, 729].map(|step| (number / step % 3) as u8);
            let content_of = |file: u8| Some(contents[usize::from(file)]).filter(|content| *content > 0);
            let mut assets = Vec::new();
            for (at, (&(path, member), file)) in places.iter().zip(files).enumerate() {
                let content = content_of(file).map(|content| [content + 100; 32]);
                // Several paths of a scan may lead to one.
                assets.push((candidate(path, member, file), content, [1, 3, 2, 1][(at + number) % 4]));
            }
            let mut expected: Vec<Found> = Vec::new();
            for same in [Sameness::File, Sameness::Content] {
                let digest = |at: usize| match same {
                    Sameness::File => Some(files[at]),
                    Sameness::Content => content_of(files[at]).map(|content| content + 100),
                };
                for first in 0..4 {
                    let all: Vec<usize> = (0..4).filter(|&at| digest(at) == digest(first)).collect();
                    let is_one = same == Sameness::Content && all.iter().all(|&at| files[at] == files[first]);
                    if let Some(digest) = digest(first)
                        && all[0] == first
                        && all.len() > 1
                        && !is_one
                    {
                        let name = |at: usize| (places[at].0.to_owned(), places[at].1.map(str::to_owned));
                        expected.push((same, digest, all.iter().map(|&at| name(at)).collect()));
                    }
                }
            }
            assert_eq!(groups(&assets), expected, "{files:?} {contents:?}");
        }
    }
}
