//! Finds assets that are present more than once.

mod group;
mod grouped;
mod sort;

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use sha2::{Digest, Sha256};

use self::group::Each;
pub use self::group::{Copy, Duplicate, Duplicates, Group, Sameness};
use self::grouped::{Candidate, Groups, add, add_unread};
pub use self::sort::Sort;
use self::sort::{InMemory, Room};
use super::replaced::replaces_asset;
use crate::asset::address::MemberPath;
use crate::asset::container::Container;
use crate::base::error::{Error, Result};
use crate::base::format::Format;
use crate::diff::fingerprint;
use crate::scan::target::is_archive;
use crate::scan::{Found, Input, Record, Scan, Sighting};
use crate::summary::{Counts, Severity};

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
        let bytes = if is_model { None } else { Some(summary.bytes) };
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
    /// The files that were reported as unreadable.
    unreadable: HashSet<PathBuf>,
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
        if let Some(first) = first.take() {
            self.want(first);
        }
        self.want(file);
        Ok(())
    }

    /// Notes the file of an error that is reported.
    fn note(&mut self, found: &Found, room: &Room<'_>) -> Result<()> {
        if let Found::Unreadable(error) = found
            && let Some(path) = error.path()
        {
            room.take(path.as_os_str().len())?;
            self.unreadable.insert(path.to_owned());
        }
        Ok(())
    }

    /// Returns true if the file of this error was not reported.
    fn is_new(&self, error: &Error) -> bool {
        error.path().is_none_or(|path| !self.unreadable.contains(path))
    }

    fn want(&mut self, file: usize) {
        if let Some(file) = self.files.get_mut(file) {
            file.is_wanted = true;
        }
    }

    /// The index of a file.
    fn file(&mut self, path: &Path, room: &Room<'_>) -> Result<usize> {
        let last = self.files.len().saturating_sub(1);
        // Those of one archive are adjacent, or nearly so.
        if let Some(file) = self.files.last()
            && file.path.as_os_str() == path.as_os_str()
        {
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
        matches!(self.alike.get(&self.hash.hash_one(&outside)), Some(None))
    }
}

/// The content of an asset, as the second scan reads it.
enum Content {
    /// It is an archive, whose members are compared instead.
    Archive,
    /// The SHA-256 of its content.
    Digest([u8; 32]),
    Unread,
}

/// SHA-256 of the bytes, and the content.
type Digests = ([u8; 32], Content);

/// The content of different files, in each format that its name gives it.
type Contents = HashMap<([u8; 32], Format), [u8; 32]>;

/// The most files whose content is remembered. That of further ones is read again for each copy.
const MOST_CONTENTS: usize = 1 << 17;

/// Finds groups of equal assets among those in the scan. Groups of equal bytes come first, then groups of equal content
/// in different bytes, each sorted by their first copy. All other results of the scan are passed to `other`. Assets that
/// could not all be read are listed: others may have the same content.
///
/// Scans twice. The first scan collects formats and counts. The second reads the files in which two assets agree in
/// these: it reads every byte, and decodes every array of one of several equal files. The
/// [progress](Scan::progress) counts each file and asset once, and bytes from 0 again in the second scan.
///
/// # Errors
/// Returns an error under the conditions of [`Scan::run`]. Returns [`Limit`](crate::ErrorKind::Limit) if the names and
/// digests of the assets take more than the bytes of the files plus
/// [`Limits::decoded_bytes`](crate::Limits::decoded_bytes). [`find_with`] keeps most of them elsewhere.
pub fn find(scan: &Scan, other: impl FnMut(Found) + Send) -> Result<Duplicates> {
    let room = Room::new(scan);
    let mut found = Duplicates::default();
    let mut each = |duplicate: Duplicate| {
        match duplicate {
            Duplicate::Group { group, .. } => found.groups.push(group),
            Duplicate::Copy(copy) => {
                room.take(names_len(&copy))?;
                if let Some(group) = found.groups.last_mut() {
                    group.copies.push(copy);
                }
            }
            Duplicate::Unread(copy) => {
                room.take(names_len(&copy))?;
                found.unread.push(copy);
            }
        }
        Ok(())
    };
    run(scan, &room, [&mut InMemory::new(&room), &mut InMemory::new(&room)], other, &mut each)?;
    Ok(found)
}

/// The bytes of the path and the member.
fn names_len(copy: &Copy) -> usize {
    let path = copy.path.as_os_str().len();
    match &copy.member {
        Some(member) => path.saturating_add(member.len()),
        None => path,
    }
}

/// Like [`find`], and passes the groups to `each` one by one, then the assets that could not all be read. The names and
/// digests of the assets are kept in `sorts`, which are empty. Memory is taken for the paths of files, and a few bytes for
/// each asset of a different kind.
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
    each: &mut Each<'_>,
) -> Result<()> {
    let [by_digest, by_place] = sorts;
    let mut seen = Seen::default();
    let mut failed = Ok(());
    scan.run(
        Input::Paths,
        |_| (),
        |found, _| {
            match found {
                Found::Asset(record) => {
                    failed = seen.add(&record, room);
                    if failed.is_ok() && is_unread(&record) {
                        failed = add_unread(copy_of(*record), by_digest);
                    }
                }
                found => {
                    failed = seen.note(&found, room);
                    other(found);
                }
            }
            if failed.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        },
    )?;
    failed?;
    candidates(scan, &seen, by_digest, &mut other)?;
    drop(seen);
    Groups::default().find(by_digest, by_place)?;
    grouped::each(by_place, each)
}

/// Reads the assets that are like others, and adds their digests. Passes to `other` what has become unreadable meanwhile.
fn candidates(scan: &Scan, seen: &Seen, sort: &mut dyn Sort, other: &mut (dyn FnMut(Found) + Send)) -> Result<()> {
    let bytes = scan.progress.bytes();
    let progress = scan.progress.again();
    let mut again = Scan { progress, ..scan.clone() };
    again.paths.clear();
    for file in &seen.files {
        if file.is_wanted {
            again.paths.push(file.path.clone());
        }
    }
    let reader = Reader { seen, contents: Mutex::default() };
    let mut failed = Ok(());
    again.run(
        Input::Paths,
        |sighting| reader.digests(sighting),
        |found, digests| {
            match found {
                Found::Asset(record) => {
                    if let Some((file, content)) = digests.flatten() {
                        failed = add_asset(*record, file, content, sort);
                    }
                }
                Found::Unreadable(error) if seen.is_new(&error) => other(Found::Unreadable(error)),
                _ => {}
            }
            if failed.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        },
    )?;
    failed?;
    if !scan.progress.is_stopped() {
        scan.progress.set_bytes(bytes);
    }
    Ok(())
}

/// Adds an asset that was read again.
fn add_asset(record: Record, file: [u8; 32], content: Content, sort: &mut dyn Sort) -> Result<()> {
    let is_unread = is_unread(&record) || matches!(content, Content::Unread);
    let format = record.summary.format;
    let candidate = Candidate { copy: copy_of(record), format, file };
    let digest = match content {
        Content::Digest(digest) => Some(digest),
        Content::Archive | Content::Unread => None,
    };
    add(&candidate, digest, sort)?;
    // It may also be known from the first scan. An asset that is added twice is listed once.
    if is_unread {
        add_unread(candidate.copy, sort)?;
    }
    Ok(())
}

/// Returns true if the asset could not be read, or only in part.
fn is_unread(record: &Record) -> bool {
    let summary = &record.summary;
    if summary.unchecked.total() > 0 {
        return true;
    }
    let promised = Format::from_extension(MemberPath::own_name(&record.path, record.member.as_ref()));
    for problem in &summary.problems {
        if problem.severity == Severity::Error || replaces_asset(problem.code, promised) {
            return true;
        }
    }
    false
}

fn copy_of(record: Record) -> Copy {
    let mut copy =
        Copy { lossy: record.path_name().lossy, member: None, path: record.path, bytes: record.summary.bytes };
    if let Some(member) = record.member {
        copy.lossy |= member.lossy;
        copy.member = Some(member.text);
    }
    copy
}

/// Reads the digests of the assets that are like others.
struct Reader<'s> {
    seen: &'s Seen,
    contents: Mutex<Contents>,
}

impl Reader<'_> {
    fn digests(&self, sighting: &Sighting<'_, '_>) -> Option<Digests> {
        if !self.seen.has_alike(sighting.record) {
            return None;
        }
        let file = Sha256::digest(sighting.data).into();
        let Some(asset) = sighting.asset else { return Some((file, Content::Unread)) };
        if Container::of(asset).is_some() {
            return Some((file, Content::Archive));
        }
        let place = (file, asset.format());
        if let Some(known) = self.contents().get(&place) {
            return Some((file, Content::Digest(*known)));
        }
        let Ok(content) = fingerprint(asset, sighting.budget) else { return Some((file, Content::Unread)) };
        let mut contents = self.contents();
        if contents.len() < MOST_CONTENTS {
            contents.insert(place, content);
        }
        Some((file, Content::Digest(content)))
    }

    fn contents(&self) -> MutexGuard<'_, Contents> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
                        let mut record = scan.record(&PathBuf::from(format!("{}", all.len())), b"");
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

    #[test]
    fn a_file_that_becomes_unreadable_after_the_first_scan_is_reported_once() {
        let folder = std::env::temp_dir().join(format!("meshpeek-dupes-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        let paths = ["a.b3d", "b.b3d", "none.b3d"].map(|name| folder.join(name));
        let [a, b, _] = &paths;
        for path in [a, b] {
            std::fs::write(path, b"BB3D\x04\0\0\0\x01\0\0\0").unwrap();
        }
        let mut scan = Scan::new(&paths);
        scan.jobs = Some(1);
        let mut unreadable = Vec::new();
        let groups = find(&scan, |found| {
            let Found::Unreadable(error) = found else { return };
            unreadable.push(error.path().unwrap().to_owned());
            // The first scan reads the file that does not exist last.
            let _ = std::fs::remove_file(b);
        });
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(groups.unwrap().groups.len(), 0);
        assert_eq!(unreadable, [folder.join("none.b3d"), b.clone()]);
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

    #[test]
    fn a_file_is_kept_once_for_all_its_assets_and_takes_its_path() {
        let paths = ["a", "long/b", "c"];
        for number in 0..3_usize.pow(5) {
            let scan = Scan::new(["x"]);
            let room = Room::new(&scan);
            let mut seen = Seen::default();
            let mut expected: Vec<&str> = Vec::new();
            for step in 0..5 {
                let path = paths[number / 3_usize.pow(step) % 3];
                let file = seen.file(Path::new(path), &room).unwrap();
                if !expected.contains(&path) {
                    expected.push(path);
                }
                assert_eq!(expected[file], path);
                assert_eq!(seen.files[file].path, Path::new(path));
            }
            assert_eq!(seen.files.len(), expected.len());
            // One byte too few for the last of them.
            let bytes: u64 = expected.iter().map(|path| path.len() as u64 + 64).sum();
            for (most, is_enough) in [(bytes, true), (bytes - 1, false)] {
                let mut scan = Scan::new(["x"]);
                scan.limits.decoded_bytes = most;
                let (room, mut seen) = (Room::new(&scan), Seen::default());
                let results: Vec<bool> =
                    expected.iter().map(|path| seen.file(Path::new(path), &room).is_ok()).collect();
                assert_eq!(results.last(), Some(&is_enough));
                assert!(results[..results.len() - 1].iter().all(|is_ok| *is_ok));
            }
        }
    }

    #[test]
    fn a_copy_is_lossy_if_its_path_or_its_member_is() {
        use crate::base::text::Name;
        let scan = Scan::new(["x"]);
        let mut paths = vec![(PathBuf::from("a"), false)];
        #[cfg(unix)]
        paths.push((<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"a\xff").into(), true));
        for (path, is_lossy) in paths {
            for member in [None, Some(false), Some(true)] {
                let mut record = scan.record(&path, b"12345");
                record.member = member.map(|lossy| Name { text: "in".to_owned(), lossy });
                let copy = copy_of(record);
                assert_eq!(copy.lossy, is_lossy || member == Some(true), "{path:?} {member:?}");
                assert_eq!((&copy.path, copy.member.as_deref(), copy.bytes), (&path, member.map(|_| "in"), 5));
            }
        }
    }
}
