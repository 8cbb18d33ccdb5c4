//! Compares signatures with the archives beside them, and finds archives without a signature.

use std::collections::{HashMap, HashSet, VecDeque};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::SystemTime;

use meshpeek::bisign::{Key, KeyFile};
use meshpeek::pbo::Archive;
use meshpeek::scan::{Record, Scan, Sighting};
use meshpeek::signatures::{self, Digests, Fit, Part};
use meshpeek::source::Access;
use meshpeek::summary::{Code, Problem};
use meshpeek::view::ByteStr;
use meshpeek::{Asset, Budget, Error, FileMap, Format, Limits};

use crate::args::{Common, Inputs};
use crate::failure::message_of;
use crate::lock::lock;
use crate::map;
use crate::remote::is_url;

/// The ending of signatures, in lower case.
const ENDING: &str = ".bisign";
/// The ending of archives, in lower case.
const ARCHIVE: &str = ".pbo";
/// The ending of keys, in lower case.
const KEY: &str = ".bikey";
/// The most archives and signatures in one folder that are kept to find files in any case.
const MOST_NAMES: usize = 100_000;
/// The most folders whose names are kept: files may come from several in turn.
const MOST_FOLDERS: usize = 64;
/// The most names that are kept of all folders together.
const MOST_NAMES_KEPT: usize = 2 * MOST_NAMES;
/// The most archives whose digests are kept.
const MOST_DIGESTS: usize = 64;
/// The most records that wait for the keys of the run.
const MOST_WAITING: usize = 20_000;
/// The most bytes of the texts in them.
const MOST_WAITING_BYTES: usize = 8 << 20;
/// The bytes that show whether a file is a signature.
const HEAD: u64 = 4096;

/// The archives and keys that signatures are compared with.
pub(super) struct Signatures {
    access: Access,
    limits: Limits,
    /// Hashes keys with a secret of this run.
    hash: RandomState,
    /// The folders listed last, the latest at the end.
    listed: Mutex<VecDeque<(PathBuf, Arc<Listing>)>>,
    /// The archives hashed last, the latest at the end. An archive may have many signatures, and is hashed once.
    hashed: Mutex<VecDeque<(Hashed, Digested)>>,
}

/// An archive as it was when it was hashed, for signatures of one version.
#[derive(PartialEq)]
struct Hashed {
    path: PathBuf,
    version: u32,
    byte_len: u64,
    modified: Option<SystemTime>,
}

/// The digests of an archive, or why there are none. A thread that asks while another makes them waits for them.
type Digested = Arc<OnceLock<meshpeek::Result<Digests>>>;

/// The result of comparing an asset.
#[derive(Default)]
pub(super) struct Compared {
    pub(super) problems: Vec<Problem>,
    pub(super) key: Option<KeyUse>,
}

/// The key of an asset.
pub(super) struct KeyUse {
    key_hash: u64,
    name_hash: u64,
    /// Its name as a message shows it, if the asset is a signature.
    signer: Option<String>,
}

impl Signatures {
    pub(super) fn new(common: &Common) -> Self {
        Self {
            access: map::access(common),
            limits: common.limits.limits(),
            hash: RandomState::new(),
            listed: Mutex::default(),
            hashed: Mutex::default(),
        }
    }

    /// Compares a signature with the archive beside it, or finds out whether an archive has a signature.
    pub(super) fn check(&self, seen: &Sighting<'_, '_>) -> Compared {
        let mut compared = Compared::default();
        match seen.asset {
            Some(Asset::Bisign(file)) => {
                let is_signature = file.format() == Format::Bisign;
                compared.key = Some(self.key_use(&file.key(), is_signature));
                if is_signature {
                    compared.problems.extend(if is_local(seen) {
                        self.compare(file, &seen.record.path, seen.budget)
                    } else {
                        Some(uncompared("only files beside each other are compared".to_owned()))
                    });
                }
            }
            Some(Asset::Pbo(_)) if !seen.is_continued && is_local(seen) => {
                compared.problems.extend(self.unsigned(&seen.record.path));
            }
            _ => {}
        }
        compared
    }

    fn key_use(&self, key: &Key<'_>, is_signature: bool) -> KeyUse {
        let key_hash = self.hash.hash_one((key.modulus.as_bytes(), key.header.exponent.get()));
        let name_hash = self.hash.hash_one(key.name.as_bytes());
        let mut signer = None;
        // Messages name the keys of signatures alone.
        if is_signature {
            signer = Some(key.name.to_string());
        }
        KeyUse { key_hash, name_hash, signer }
    }

    /// Returns why a signature does not fit the archive beside it, or why that cannot be said.
    fn compare(&self, file: &KeyFile<'_>, path: &Path, budget: &Budget) -> Option<Problem> {
        let listing = match self.listing(path) {
            Ok(listing) => listing,
            Err(error) => return Some(uncompared(format!("the folder cannot be listed: {error}"))),
        };
        let Some(archive) = listing.archive_of(path.file_name().unwrap_or_default()) else {
            return Some(uncompared(match listing.is_cut {
                true => too_many(),
                false => format!("no archive beside it has the beginning of its name: {}", shown_name(path)),
            }));
        };
        let archive = &archive.path;
        let archive_name = shown_name(archive);
        match self.fit(file, archive, budget) {
            Ok(Fit::Fits) => None,
            Ok(Fit::Differs(part)) => {
                let changed = match part {
                    Part::Archive => "the archive was changed after it was signed, or is another",
                    Part::Names => "the digest of names and prefix is another",
                    _ => "the digest of the content is another",
                };
                let error = Error::malformed(format!("does not fit {archive_name}: {changed}"));
                Some(Problem::error(&error.coded(Code::Signature)))
            }
            // The asset's own problems say so.
            Ok(Fit::NotOfKey(_)) => None,
            Ok(Fit::Unsure(part, what)) => Some(uncompared(format!(
                "the bytes of {archive_name} are as they were signed, but its digest of {part} differs; programs \
                 make it in different ways for {what}"
            ))),
            Ok(_) => Some(uncompared(format!("{archive_name} cannot be compared"))),
            Err(error) => Some(uncompared(format!("{archive_name} cannot be compared: {}", message_of(&error)))),
        }
    }

    /// Compares a signature with an archive, which is hashed once for all of its signatures.
    fn fit(&self, signature: &KeyFile<'_>, archive: &Path, budget: &Budget) -> meshpeek::Result<Fit> {
        let metadata = fs::metadata(archive).map_err(|error| Error::from(error).in_file(archive))?;
        let modified = metadata.modified().ok();
        signatures::compare_with(signature, budget, |version| {
            let hashed = Hashed { path: archive.to_owned(), version, byte_len: metadata.len(), modified };
            let digests = self.place_of_digests(hashed);
            digests.get_or_init(|| self.digests(archive, version, budget)).clone()
        })
    }

    /// Returns where the digests of an archive are kept, or will be.
    fn place_of_digests(&self, archive: Hashed) -> Digested {
        let mut hashed = lock(&self.hashed);
        if let Some((_, digested)) = hashed.iter().find(|(kept, _)| *kept == archive) {
            return Arc::clone(digested);
        }
        if hashed.len() == MOST_DIGESTS {
            hashed.pop_front();
        }
        let digested = Digested::default();
        hashed.push_back((archive, Arc::clone(&digested)));
        digested
    }

    fn digests(&self, archive: &Path, version: u32, budget: &Budget) -> meshpeek::Result<Digests> {
        let bytes = FileMap::open_with(archive, self.access, &self.limits)?;
        budget.add_bytes(bytes.len() as u64);
        let digests = Digests::of(&Archive::parse_with(&bytes, &self.limits)?, version, budget)?;
        bytes.unchanged()?;
        Ok(digests)
    }

    /// Returns a problem if an archive has no signature, although others beside it have one.
    fn unsigned(&self, path: &Path) -> Option<Problem> {
        // If the folder cannot be listed, nothing is known about signatures.
        let listing = self.listing(path).ok()?;
        if !listing.is_any_signed {
            return None;
        }
        let mut other = None;
        for signature in listing.signatures_of(path.file_name().unwrap_or_default()) {
            if is_signature(signature) {
                return None;
            }
            other = Some(shown_name(signature));
        }
        let message = match other {
            Some(name) => format!("no signature: {name} is none"),
            None if listing.is_cut => return Some(uncompared(too_many())),
            None => "no signature, although other archives beside it have one".to_owned(),
        };
        Some(Problem::warning(&Error::malformed(message).coded(Code::Unsigned)))
    }

    /// Returns the names in the folder of a file.
    fn listing(&self, file: &Path) -> io::Result<Arc<Listing>> {
        let folder = match file.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let mut listed = lock(&self.listed);
        if let Some(place) = listed.iter().position(|(path, _)| path == folder)
            && let Some(found) = listed.remove(place)
        {
            let listing = Arc::clone(&found.1);
            listed.push_back(found);
            return Ok(listing);
        }
        let listing = Arc::new(Listing::of(folder)?);
        listed.push_back((folder.to_owned(), Arc::clone(&listing)));
        let mut kept: usize = listed.iter().map(|(_, listing)| listing.len).sum();
        while listed.len() > MOST_FOLDERS || kept > MOST_NAMES_KEPT {
            let Some((_, oldest)) = listed.pop_front() else { break };
            kept = kept.saturating_sub(oldest.len);
        }
        Ok(listing)
    }
}

/// The archives and signatures in a folder.
struct Listing {
    /// In the order of their paths.
    archives: Vec<Signable>,
    /// The places of archives by their name, as it is and in lower case. If names differ only in case, the name in lower
    /// case stands for the archive with that very name, or for the first.
    places: HashMap<String, usize>,
    /// The places of archives by their name, if it is not Unicode.
    raw_places: HashMap<OsString, usize>,
    /// True if an archive has a signature.
    is_any_signed: bool,
    /// True if there are more files than may be kept.
    is_cut: bool,
    /// The number of files.
    len: usize,
}

/// An archive with its signatures.
struct Signable {
    path: PathBuf,
    signatures: Vec<PathBuf>,
}

impl Listing {
    fn of(folder: &Path) -> io::Result<Self> {
        let mut listing = Self {
            archives: Vec::new(),
            places: HashMap::new(),
            raw_places: HashMap::new(),
            is_any_signed: false,
            is_cut: false,
            len: 0,
        };
        let mut signatures = Vec::new();
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let path = entry.path();
            let name = lower_name(&path);
            if !name.ends_with(ENDING) && !name.ends_with(ARCHIVE) {
                continue;
            }
            if listing.len == MOST_NAMES {
                listing.is_cut = true;
                break;
            }
            listing.len += 1;
            if name.ends_with(ENDING) {
                signatures.push(path);
            } else if entry.file_type().is_ok_and(|kind| kind.is_file() || kind.is_symlink() && path.is_file()) {
                // A pipe would wait.
                listing.archives.push(Signable { path, signatures: Vec::new() });
            }
        }
        listing.archives.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        signatures.sort_unstable();
        for (place, archive) in listing.archives.iter().enumerate() {
            let name = archive.path.file_name().unwrap_or_default();
            match name.to_str() {
                Some(name) => drop(listing.places.insert(name.to_owned(), place)),
                None => drop(listing.raw_places.insert(name.to_owned(), place)),
            }
        }
        for (place, archive) in listing.archives.iter().enumerate() {
            listing.places.entry(lower_name(&archive.path)).or_insert(place);
        }
        for signature in signatures {
            let place = listing.place_of(signature.file_name().unwrap_or_default());
            if let Some(archive) = place.and_then(|place| listing.archives.get_mut(place)) {
                archive.signatures.push(signature);
                listing.is_any_signed = true;
            }
        }
        Ok(listing)
    }

    /// Returns the archive that a signature of this name is for. Between the name of the archive and the ending stands
    /// the name of the key, which may have dots: `mod.pbo.me_1.2.bisign` is for `mod.pbo`. Of several archives, the one
    /// with the longest name has the signature.
    fn archive_of(&self, signature: &OsStr) -> Option<&Signable> {
        self.archives.get(self.place_of(signature)?)
    }

    fn place_of(&self, signature: &OsStr) -> Option<usize> {
        let exact = signature.to_string_lossy();
        let lower = exact.to_lowercase();
        let (mut exact, mut lower) = (&*exact, lower.as_str());
        // Both have the same dots.
        while let (Some((exact_before, _)), Some((lower_before, _))) = (exact.rsplit_once('.'), lower.rsplit_once('.'))
        {
            (exact, lower) = (exact_before, lower_before);
            if lower.ends_with(ARCHIVE)
                && let Some(place) = self.places.get(exact).or_else(|| self.places.get(lower))
            {
                return Some(*place);
            }
        }
        None
    }

    /// Returns the signatures of an archive of this name.
    fn signatures_of(&self, archive: &OsStr) -> &[PathBuf] {
        let by_name = archive.to_str().and_then(|name| self.places.get(name)).or_else(|| self.raw_places.get(archive));
        // Where names in any case are one file, the name may be written in another way than in the folder.
        let place = by_name.or_else(|| self.places.get(&archive.to_string_lossy().to_lowercase()));
        place.and_then(|place| self.archives.get(*place)).map_or(&[], |archive| &archive.signatures)
    }
}

/// Returns true if an asset is a whole file on this machine, so that other files may be beside it.
fn is_local(seen: &Sighting<'_, '_>) -> bool {
    seen.record.member.is_none() && seen.record.path.is_file()
}

/// Returns the bytes of the path, the member's name and the problems of a record.
fn text_bytes(record: &Record) -> usize {
    let mut bytes = record.path.as_os_str().len();
    if let Some(member) = &record.member {
        bytes = bytes.saturating_add(member.text.len());
    }
    for problem in &record.summary.problems {
        bytes = bytes.saturating_add(problem.message.len());
    }
    bytes
}

/// Returns the name of a file in lower case.
fn lower_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().to_lowercase()
}

/// Returns the name of a file as a message shows it.
fn shown_name(path: &Path) -> String {
    ByteStr::from(&*path.file_name().unwrap_or_default().to_string_lossy()).to_string()
}

/// Why nothing is known about the other files in a folder.
fn too_many() -> String {
    format!("the folder has more than {MOST_NAMES} archives and signatures")
}

/// Returns true if a file starts like a signature, whether or not it is sound.
fn is_signature(path: &Path) -> bool {
    if !path.is_file() {
        return false;
    }
    let Ok(file) = File::open(path) else { return false };
    let mut head = Vec::new();
    file.take(HEAD).read_to_end(&mut head).is_ok() && Format::sniff(&head) == Some(Format::Bisign)
}

/// A signature that cannot be compared.
fn uncompared(why: String) -> Problem {
    Problem::warning(&Error::malformed(format!("not compared with an archive: {why}")).coded(Code::Uncompared))
}

/// The keys of a run, and the signatures that wait for them: keys may come after the signatures.
pub(super) struct Keys<T> {
    /// False if the run leaves out files, so that a missing key means nothing.
    is_whole: bool,
    /// The folders of the run.
    folders: Vec<PathBuf>,
    /// Finds the files of keys below these folders, also those that the run leaves out.
    all: Scan,
    /// The number of files of keys below these folders that were read.
    read: u64,
    given: HashSet<u64>,
    names: HashSet<u64>,
    waiting: Vec<(KeyUse, Box<Record>, T)>,
    /// The bytes of the texts in the records that wait.
    waiting_bytes: usize,
    /// The number of signatures whose keys are not looked for.
    pub(super) unasked: u64,
}

impl<T> Keys<T> {
    pub(super) fn new(inputs: &Inputs, scan: &Scan) -> Self {
        let is_whole = inputs.formats.is_empty()
            && inputs.globs.is_empty()
            && inputs.units_from.is_none()
            && !inputs.no_archives
            && scan.selection.folder_depth.is_none();
        let mut folders = inputs.paths.clone();
        folders.retain(|path| !is_url(path) && path.is_dir());
        let mut all = Scan::new(&folders);
        all.archives = false;
        all.selection = scan.selection.clone();
        all.selection.globs = vec![format!("*{KEY}")];
        all.selection.hidden = true;
        all.selection.ignored = true;
        Self {
            is_whole,
            folders,
            all,
            read: 0,
            given: HashSet::new(),
            names: HashSet::new(),
            waiting: Vec::new(),
            waiting_bytes: 0,
            unasked: 0,
        }
    }

    /// Takes a signature that has to wait, and returns anything else.
    pub(super) fn take(&mut self, key: Option<KeyUse>, record: Box<Record>, with: T) -> Option<(Box<Record>, T)> {
        let Some(key) = key else { return Some((record, with)) };
        if key.signer.is_none() {
            self.given.insert(key.key_hash);
            self.names.insert(key.name_hash);
            let is_below = self.folders.iter().any(|folder| record.path.starts_with(folder));
            self.read += u64::from(is_below && record.member.is_none() && lower_name(&record.path).ends_with(KEY));
            return Some((record, with));
        }
        let bytes = self.waiting_bytes.saturating_add(text_bytes(&record));
        if !self.is_whole || self.waiting.len() == MOST_WAITING || bytes > MOST_WAITING_BYTES {
            self.unasked += 1;
            return Some((record, with));
        }
        self.waiting_bytes = bytes;
        self.waiting.push((key, record, with));
        None
    }

    /// Returns the signatures that waited, each with a problem if its key is missing. `is_cut` is true if the run was
    /// interrupted or could not read a file: the key may be in what was not read.
    pub(super) fn finish(&mut self, is_cut: bool) -> Vec<(Option<Problem>, Box<Record>, T)> {
        let mut finished = Vec::new();
        for (key, record, with) in std::mem::take(&mut self.waiting) {
            finished.push((self.missing(&key), record, with));
        }
        if finished.iter().all(|(problem, ..)| problem.is_none()) {
            return finished;
        }
        // Looking for files of keys that were not read takes a walk over all folders.
        if is_cut || self.leaves_out_keys() {
            for (problem, ..) in &mut finished {
                self.unasked += u64::from(problem.take().is_some());
            }
        }
        finished
    }

    /// Returns true if there are more files of keys than were read: hidden, ignored or damaged ones.
    fn leaves_out_keys(&self) -> bool {
        self.all.measure().is_ok_and(|(files, _)| files > self.read)
    }

    fn missing(&self, used: &KeyUse) -> Option<Problem> {
        if self.given.contains(&used.key_hash) {
            return None;
        }
        let name = used.signer.as_deref().unwrap_or_default();
        let message = if self.names.contains(&used.name_hash) {
            format!("the key {name} among the files is another than the one that made it")
        } else {
            format!("its key {name} (.bikey) is not among the files")
        };
        Some(Problem::warning(&Error::malformed(message).coded(Code::Key)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with these files, all empty.
    fn folder(names: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in names {
            fs::write(folder.path().join(name), "").unwrap();
        }
        folder
    }

    #[test]
    fn a_signature_is_for_the_archive_with_the_longest_name_at_its_beginning() {
        let archives = ["a.pbo", "a.pbo.b.pbo", "c.d.PBO", ".pbo", "pbo"];
        let signatures = [
            ("a.pbo.me.bisign", Some("a.pbo")),
            ("A.PBO.You.BiSign", Some("a.pbo")),
            ("a.pbo.bisign", Some("a.pbo")),
            ("a.pbo.me_1.2.x.bisign", Some("a.pbo")),
            ("a.pbo.b.pbo.me.bisign", Some("a.pbo.b.pbo")),
            ("a.pbo.b.pbo2.bisign", Some("a.pbo")),
            ("a.pbo.c.pbo.me.bisign", Some("a.pbo")),
            ("c.d.pbo.me.bisign", Some("c.d.PBO")),
            ("x.pbo.me.bisign", None),
            ("a.pbox.me.bisign", None),
            ("xa.pbo.me.bisign", None),
            ("a.me.bisign", None),
            ("me.bisign", None),
            (".pbo.me.bisign", Some(".pbo")),
            ("pbo.me.bisign", None),
        ];
        let folder = folder(&archives);
        for (signature, _) in signatures {
            fs::write(folder.path().join(signature), "").unwrap();
        }
        fs::create_dir(folder.path().join("x.pbo")).unwrap();
        let listing = Listing::of(folder.path()).unwrap();
        let name_of = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
        for (signature, archive) in signatures {
            let found = listing.archive_of(OsStr::new(signature)).map(|archive| name_of(&archive.path));
            assert_eq!(found.as_deref(), archive, "{signature}");
        }
        assert!(listing.is_any_signed && !listing.is_cut);
        for archive in archives {
            let mut expected: Vec<&str> =
                signatures.iter().filter(|(_, of)| *of == Some(archive)).map(|(signature, _)| *signature).collect();
            expected.sort_unstable();
            for spelled in [archive.to_owned(), archive.to_uppercase(), archive.to_lowercase()] {
                let found: Vec<String> =
                    listing.signatures_of(OsStr::new(&spelled)).iter().map(|path| name_of(path)).collect();
                assert_eq!(found, expected, "{spelled}");
            }
        }
    }

    /// Where names in another case are other files.
    #[cfg(target_os = "linux")]
    #[test]
    fn of_archives_whose_names_differ_in_case_the_one_with_that_very_name_is_meant() {
        let folder = folder(&["a.pbo", "A.pbo", "b.PBO", "B.pbo"]);
        let listing = Listing::of(folder.path()).unwrap();
        for (signature, archive) in [
            ("a.pbo.x.bisign", "a.pbo"),
            ("A.pbo.x.bisign", "A.pbo"),
            // In no case of an archive: the one in lower case, or else the first.
            ("A.PBO.x.bisign", "a.pbo"),
            ("b.PBO.x.bisign", "b.PBO"),
            ("B.pbo.x.bisign", "B.pbo"),
            ("b.pbo.x.bisign", "B.pbo"),
        ] {
            let found = listing.archive_of(OsStr::new(signature)).unwrap();
            assert_eq!(found.path, folder.path().join(archive), "{signature}");
        }
    }

    fn keys(is_whole: bool, folder: &Path) -> Keys<u32> {
        let mut all = Scan::new([folder]);
        all.selection.globs = vec![format!("*{KEY}")];
        Keys {
            is_whole,
            folders: vec![folder.to_owned()],
            all,
            read: 0,
            given: HashSet::new(),
            names: HashSet::new(),
            waiting: Vec::new(),
            waiting_bytes: 0,
            unasked: 0,
        }
    }

    fn record(path: &Path) -> Box<Record> {
        Box::new(Scan::new([""]).record(path, b""))
    }

    #[test]
    fn a_missing_key_is_said_if_every_file_of_a_key_was_read() {
        let folder = folder(&["one.bikey", "two.bikey", "me.bisign"]);
        let signature = || KeyUse { key_hash: 7, name_hash: 8, signer: Some("me".to_owned()) };
        // The keys that were read, as key and name.
        for read in [&[][..], &[(1, 2), (3, 4)], &[(1, 8), (3, 4)], &[(7, 8), (3, 4)], &[(3, 4)], &[(7, 2)]] {
            for is_whole in [false, true] {
                for is_cut in [false, true] {
                    for is_late in [false, true] {
                        let mut keys = keys(is_whole, folder.path());
                        let ask = |keys: &mut Keys<u32>| {
                            let taken = keys.take(Some(signature()), record(Path::new("me.bisign")), 5);
                            assert_eq!(taken.is_some(), !is_whole);
                        };
                        if !is_late {
                            ask(&mut keys);
                        }
                        for (number, &(key, name)) in read.iter().enumerate() {
                            let path = folder.path().join(["one.bikey", "two.BIKEY"][number]);
                            let given = Some(KeyUse { key_hash: key, name_hash: name, signer: None });
                            assert!(keys.take(given, record(&path), 0).is_some());
                        }
                        // A key elsewhere, or in an archive, does not make up for one that was not read.
                        let other = Some(KeyUse { key_hash: 10, name_hash: 11, signer: None });
                        assert!(keys.take(other, record(Path::new("else/x.bikey")), 0).is_some());
                        if is_late {
                            ask(&mut keys);
                        }
                        let finished = keys.finish(is_cut);
                        let case = format!("{read:?} {is_whole} {is_cut} {is_late}");
                        if !is_whole {
                            assert_eq!((finished.len(), keys.unasked), (0, 1), "{case}");
                            continue;
                        }
                        let is_there = read.iter().any(|(key, _)| *key == 7);
                        let is_known = !is_cut && read.len() == 2;
                        let expected = match read.iter().any(|(_, name)| *name == 8) {
                            _ if is_there || !is_known => None,
                            true => Some("the key me among the files is another than the one that made it"),
                            false => Some("its key me (.bikey) is not among the files"),
                        };
                        assert_eq!(finished.len(), 1, "{case}");
                        let (problem, record, with) = &finished[0];
                        assert_eq!(problem.as_ref().map(|problem| &*problem.message), expected, "{case}");
                        assert_eq!((record.path.as_path(), *with), (Path::new("me.bisign"), 5));
                        assert_eq!(keys.unasked, u64::from(!is_there && !is_known), "{case}");
                    }
                }
            }
        }
    }

    #[test]
    fn as_many_signatures_as_the_limit_wait() {
        let mut keys = keys(true, Path::new("none"));
        for number in 0..MOST_WAITING + 2 {
            let signature = KeyUse { key_hash: 1, name_hash: 2, signer: Some(String::new()) };
            let taken = keys.take(Some(signature), record(Path::new("a.bisign")), 0);
            assert_eq!(taken.is_some(), number >= MOST_WAITING, "{number}");
        }
        assert_eq!(keys.unasked, 2);
        // What has no key never waits.
        assert!(keys.take(None, record(Path::new("a.p3d")), 0).is_some());
    }

    #[test]
    fn signatures_wait_up_to_the_bytes_of_their_texts() {
        let mut keys = keys(true, Path::new("none"));
        let path = "a".repeat(MOST_WAITING_BYTES / 9 + 1);
        let signature = || Some(KeyUse { key_hash: 1, name_hash: 2, signer: Some(String::new()) });
        for number in 0..10 {
            let taken = keys.take(signature(), record(Path::new(&path)), 0);
            assert_eq!(taken.is_some(), number >= 8, "{number}");
        }
        assert_eq!(keys.unasked, 2);
        // A small one has room still.
        assert!(keys.take(signature(), record(Path::new("a")), 0).is_none());
    }

    #[test]
    fn the_folders_that_were_listed_last_are_kept() {
        let root = tempfile::tempdir().unwrap();
        let signatures = Signatures {
            access: Access::default(),
            limits: Limits::default(),
            hash: RandomState::new(),
            listed: Mutex::default(),
            hashed: Mutex::default(),
        };
        let path = |number: usize| root.path().join(format!("{number}")).join("a.pbo");
        for number in 0..=MOST_FOLDERS {
            fs::create_dir(root.path().join(format!("{number}"))).unwrap();
        }
        let is_kept = |number: usize| {
            let folder = root.path().join(format!("{number}"));
            lock(&signatures.listed).iter().any(|(kept, _)| *kept == folder)
        };
        for number in 0..MOST_FOLDERS {
            signatures.listing(&path(number)).unwrap();
        }
        assert!(is_kept(0));
        // The first is asked for again, so the second goes.
        signatures.listing(&path(0)).unwrap();
        signatures.listing(&path(MOST_FOLDERS)).unwrap();
        for number in 0..=MOST_FOLDERS {
            assert_eq!(is_kept(number), number != 1, "{number}");
        }
    }

    #[test]
    fn digests_are_kept_for_one_version_of_one_archive_as_it_was() {
        let signatures = Signatures {
            access: Access::default(),
            limits: Limits::default(),
            hash: RandomState::new(),
            listed: Mutex::default(),
            hashed: Mutex::default(),
        };
        let now = SystemTime::now();
        let hashed = |path: &str, version, byte_len, modified| {
            signatures.place_of_digests(Hashed { path: path.into(), version, byte_len, modified })
        };
        let first = hashed("a", 2, 10, Some(now));
        assert!(Arc::ptr_eq(&first, &hashed("a", 2, 10, Some(now))));
        let later = now + std::time::Duration::from_secs(1);
        for other in [
            hashed("b", 2, 10, Some(now)),
            hashed("a", 3, 10, Some(now)),
            hashed("a", 2, 11, Some(now)),
            hashed("a", 2, 10, Some(later)),
            hashed("a", 2, 10, None),
        ] {
            assert!(!Arc::ptr_eq(&first, &other));
        }
        // Six are kept; further ones up to the limit leave the first.
        for number in 6..MOST_DIGESTS {
            hashed(&format!("{number}"), 2, 10, None);
        }
        assert!(Arc::ptr_eq(&first, &hashed("a", 2, 10, Some(now))));
        hashed("last", 2, 10, None);
        assert!(!Arc::ptr_eq(&first, &hashed("a", 2, 10, Some(now))));
        assert_eq!(lock(&signatures.hashed).len(), MOST_DIGESTS);
    }
}
