//! Finds assets that are present more than once.

mod grouped;
mod sort;

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::Serializer;
use sha2::{Digest, Sha256};

use self::grouped::{Candidate, Groups, add};
pub use self::sort::Sort;
use self::sort::{InMemory, Room};
use super::walk::is_archive;
use super::{Found, Record, Scan, Sighting};
use crate::asset::container::Container;
use crate::base::error::Result;
use crate::base::format::Format;
use crate::base::text::Name;
use crate::base::word_enum::word_enum;
use crate::diff::fingerprint;
use crate::summary::Counts;

word_enum! {
    /// The property that the assets of a group share.
    #[derive(PartialOrd, Ord)]
    pub enum Sameness {
        /// Every byte.
        File = "file",
        /// Everything that their format describes, with arrays decoded: every field, name and array, but not where and
        /// how they are stored. See [`fingerprint`].
        Content = "content",
    }
}

/// One asset of a group.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Copy {
    /// The file.
    #[serde(serialize_with = "as_text")]
    pub path: PathBuf,
    /// The path inside the archive, if it is in one.
    pub member: Option<String>,
    /// True if bytes of these names are not UTF-8.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub lossy: bool,
    /// The size of the asset.
    pub bytes: u64,
}

/// A group of equal assets.
#[derive(Clone, Debug, serde::Serialize)]
#[non_exhaustive]
pub struct Group {
    /// The property that they share.
    pub same: Sameness,
    /// Their format.
    pub format: Format,
    /// SHA-256 of the common bytes or content, in lower-case hexadecimal.
    pub digest: String,
    /// The locations of the assets, sorted by [path and member](super::add_sort_key); at least two. In a group of equal
    /// content, at least two differ in their bytes.
    pub copies: Vec<Copy>,
}

fn as_text<S: Serializer>(path: &Path, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.serialize_str(&Name::from(path).text)
}

/// A part of the answer of [`find_with`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Duplicate {
    /// A group begins. Its copies follow, each as a [`Copy`](Self::Copy).
    Group {
        /// The group, without copies.
        group: Group,
        /// The number of copies that follow.
        copies: u64,
    },
    /// The next copy of the group.
    Copy(Copy),
}

/// The properties that two assets must share before their content is compared.
#[derive(Hash)]
struct Outside<'r> {
    format: Format,
    version: Option<u32>,
    counts: &'r Counts,
    /// The size, for assets without counts.
    bytes: Option<u64>,
}

/// A hash of these properties. Two assets with one hash by chance are compared for nothing.
type Alike = u64;

impl<'r> Outside<'r> {
    /// Returns `None` for data that is not in a known format.
    fn of(record: &'r Record) -> Option<Self> {
        let summary = &record.summary;
        let is_known = summary.counts.iter().any(|(_, count)| count.is_some());
        let format = summary.format?;
        let is_model = is_known && !is_archive(summary.format);
        let bytes = (!is_model).then_some(summary.bytes);
        Some(Self { format, version: summary.version, counts: &summary.counts, bytes })
    }
}

/// The assets that have something in common with another, by what the first scan says about them.
#[derive(Default)]
struct Seen {
    hash: RandomState,
    /// The first file with these properties, until there is a second asset.
    alike: HashMap<Alike, Option<usize>>,
    files: Vec<File>,
    by_path: HashMap<u64, usize>,
}

struct File {
    path: PathBuf,
    /// True if one of its assets is like another.
    is_wanted: bool,
}

impl Seen {
    fn add(&mut self, record: &Record, room: &Room<'_>) -> Result<()> {
        let Some(outside) = Outside::of(record) else { return Ok(()) };
        let alike = self.hash.hash_one(&outside);
        let file = self.file(&record.path, room)?;
        let Some(first) = self.alike.get_mut(&alike) else {
            room.take(0)?;
            self.alike.insert(alike, Some(file));
            return Ok(());
        };
        for file in first.take().into_iter().chain([file]) {
            if let Some(file) = self.files.get_mut(file) {
                file.is_wanted = true;
            }
        }
        Ok(())
    }

    /// The index of a file.
    fn file(&mut self, path: &Path, room: &Room<'_>) -> Result<usize> {
        let last = self.files.len().saturating_sub(1);
        // Those of one archive are adjacent, or nearly so.
        if self.files.last().is_some_and(|file| file.path.as_os_str() == path.as_os_str()) {
            return Ok(last);
        }
        let key = self.hash.hash_one(path.as_os_str());
        if let Some(file) = self.by_path.get(&key) {
            return Ok(*file);
        }
        room.take(path.as_os_str().len())?;
        let file = self.files.len();
        self.by_path.insert(key, file);
        self.files.push(File { path: path.to_owned(), is_wanted: false });
        Ok(file)
    }

    fn has_alike(&self, record: &Record) -> bool {
        let Some(outside) = Outside::of(record) else { return false };
        self.alike.get(&self.hash.hash_one(&outside)).is_some_and(Option::is_none)
    }
}

/// SHA-256 of the bytes, and of the content if that could be read.
type Digests = ([u8; 32], Option<[u8; 32]>);

/// The content of different files, in each format that its name gives it.
type Contents = HashMap<([u8; 32], Format), [u8; 32]>;

/// The most files whose content is remembered. That of further ones is read again for each copy.
const MOST_CONTENTS: usize = 1 << 17;

/// Finds groups of equal assets among those in the scan. Groups of equal bytes come first, then groups of equal content
/// in different bytes, each sorted by their first copy. All other results of the scan are passed to `other`.
///
/// Scans twice. The first scan collects formats and counts. The second reads the files in which two assets agree in
/// these: it reads every byte, and decodes every array of one of several equal files. The
/// [progress](Scan::progress) counts each file and asset once, and bytes from 0 again in the second scan.
///
/// # Errors
/// Returns an error under the conditions of [`Scan::run`]. Returns [`Limit`](crate::ErrorKind::Limit) if the names and
/// digests of the assets take more than the bytes of the files plus
/// [`Limits::decoded_bytes`](crate::Limits::decoded_bytes). [`find_with`] keeps most of them elsewhere.
pub fn find(scan: &Scan, other: impl FnMut(Found) + Send) -> Result<Vec<Group>> {
    let room = Room::new(scan);
    let mut groups: Vec<Group> = Vec::new();
    let mut each = |duplicate: Duplicate| {
        match duplicate {
            Duplicate::Group { group, .. } => groups.push(group),
            Duplicate::Copy(copy) => {
                room.take(copy.path.as_os_str().len().saturating_add(copy.member.as_ref().map_or(0, String::len)))?;
                if let Some(group) = groups.last_mut() {
                    group.copies.push(copy);
                }
            }
        }
        Ok(())
    };
    run(scan, &room, [&mut InMemory::new(&room), &mut InMemory::new(&room)], other, &mut each)?;
    Ok(groups)
}

/// Like [`find`], and passes the groups to `each` one by one. The names and digests of the assets are kept in `sorts`,
/// which are empty. Memory is taken for the paths of files, and a few bytes for each asset of a different kind.
///
/// # Errors
/// Returns an error under the conditions of [`find`], and the errors of `sorts` and `each`.
pub fn find_with(
    scan: &Scan,
    sorts: [&mut dyn Sort; 2],
    other: impl FnMut(Found) + Send,
    mut each: impl FnMut(Duplicate) -> Result<()>,
) -> Result<()> {
    run(scan, &Room::new(scan), sorts, other, &mut each)
}

fn run(
    scan: &Scan,
    room: &Room<'_>,
    sorts: [&mut dyn Sort; 2],
    mut other: impl FnMut(Found) + Send,
    each: &mut dyn FnMut(Duplicate) -> Result<()>,
) -> Result<()> {
    let [by_digest, by_place] = sorts;
    let mut seen = Seen::default();
    let mut failed = Ok(());
    scan.run(|found| {
        match found {
            Found::Asset(record) => failed = seen.add(&record, room),
            found => other(found),
        }
        if failed.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    failed?;
    candidates(scan, &seen, by_digest)?;
    drop(seen);
    Groups::default().find(by_digest, by_place)?;
    grouped::each(by_place, each)
}

/// Reads the assets that are like others, and adds their digests.
fn candidates(scan: &Scan, seen: &Seen, sort: &mut dyn Sort) -> Result<()> {
    let bytes = scan.progress.bytes();
    let progress = scan.progress.again();
    let wanted = seen.files.iter().filter(|file| file.is_wanted);
    let again = Scan { paths: wanted.map(|file| file.path.clone()).collect(), progress, ..scan.clone() };
    let contents: Mutex<Contents> = Mutex::default();
    let contents = || contents.lock().unwrap_or_else(PoisonError::into_inner);
    let digests = |sighting: &Sighting<'_, '_>| -> Option<Digests> {
        if !seen.has_alike(sighting.record) {
            return None;
        }
        let file = Sha256::digest(sighting.data).into();
        let Some(asset) = sighting.asset.filter(|asset| Container::of(asset).is_none()) else {
            return Some((file, None));
        };
        let place = (file, asset.format());
        if let Some(known) = contents().get(&place) {
            return Some((file, Some(*known)));
        }
        let content = fingerprint(asset, sighting.budget).ok();
        if let Some(content) = content {
            let mut contents = contents();
            if contents.len() < MOST_CONTENTS {
                contents.insert(place, content);
            }
        }
        Some((file, content))
    };
    let mut failed = Ok(());
    again.run_with(digests, |asset, digests| {
        if let (Found::Asset(record), Some((file, content))) = (asset, digests.flatten())
            && let Some(format) = record.summary.format
        {
            let copy = Copy {
                lossy: record.path_name().lossy || record.member.as_ref().is_some_and(|member| member.lossy),
                member: record.member.map(|member| member.text),
                path: record.path,
                bytes: record.summary.bytes,
            };
            failed = add(&Candidate { copy, format, file }, content, sort);
        }
        if failed.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    failed?;
    if !scan.progress.is_stopped() {
        scan.progress.set_bytes(bytes);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Records of every format, version, size and number.
    fn records() -> Vec<Record> {
        let scan = Scan::new(["x"]);
        let mut all = Vec::new();
        let formats = [None].into_iter().chain(Format::ALL.iter().copied().map(Some));
        for format in
            formats.filter(|format| format.is_none() || is_archive(*format) || *format == Some(Format::ALL[0]))
        {
            for version in [None, Some(1)] {
                for counts in [None, Some(1), Some(2)] {
                    for bytes in [5, 6] {
                        let mut record = scan.record(&PathBuf::from(format!("{}", all.len())), &[]);
                        (record.summary.format, record.summary.version) = (format, version);
                        record.summary.counts = Counts::known([("triangles", counts), ("members", None)]);
                        record.summary.bytes = bytes;
                        all.push(record);
                    }
                }
            }
        }
        all
    }

    /// Two assets may be equal if nothing that the first scan says of them differs. Sizes of models may: they may store
    /// the same otherwise.
    fn may_be_equal(a: &Record, b: &Record) -> bool {
        let [a, b] = [&a.summary, &b.summary];
        let is_model = a.counts.get("triangles").is_some() && !is_archive(a.format);
        a.format.is_some()
            && a.format == b.format
            && a.version == b.version
            && a.counts == b.counts
            && (is_model || a.bytes == b.bytes)
    }

    #[test]
    fn assets_that_differ_in_what_is_known_are_not_read_again() {
        let records = records();
        assert!(records.len() >= 36);
        let scan = Scan::new(["x"]);
        for a in &records {
            let mut alone = Seen::default();
            alone.add(a, &Room::new(&scan)).unwrap();
            assert!(!alone.has_alike(a) && alone.files.iter().all(|file| !file.is_wanted));
            for b in &records {
                let mut seen = Seen::default();
                let room = Room::new(&scan);
                seen.add(a, &room).unwrap();
                seen.add(b, &room).unwrap();
                let expected = may_be_equal(a, b);
                assert_eq!(seen.has_alike(a) || seen.has_alike(b), expected, "{:?} {:?}", a.summary, b.summary);
                assert_eq!(seen.has_alike(a), seen.has_alike(b));
                let wanted = seen.files.iter().filter(|file| file.is_wanted).count();
                let files = if a.path == b.path { 1 } else { 2 };
                assert_eq!(wanted, if expected { files } else { 0 }, "{:?} {:?}", a.summary, b.summary);
                // A third one is alike if it is like one of them.
                let third = &records[7];
                seen.add(third, &room).unwrap();
                let expected = may_be_equal(a, third) || may_be_equal(b, third);
                assert_eq!(seen.has_alike(third), expected, "{:?} {:?}", a.summary, b.summary);
            }
        }
    }
}
