//! Resolves references: finds the file that each asset means when it names another file.
//!
//! Arma's models (odol, mlod) name files of the game's virtual file system. In it, a member of a PBO is below the
//! archive's prefix, or below the archive's own name if there is no prefix. A loose file has the path that it would
//! have on a P drive: its path below each given folder, and below the prefix that a file such as `$PBOPREFIX$` gives to
//! the nearest enclosing folder. If no enclosing folder has such a file, it is below the names of its addon (the
//! outermost folder with a `config.cpp` or `config.bin`) and of the given folder. A zip is a folder of loose files.
//! Case, kind of slash and a leading slash are ignored. A proxy may omit its `.p3d`.
//!
//! For b3d, bmx and lodka, only the last component of a name counts. The file is in the model's own folder, and in the
//! same archive if the model is in one.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, DefaultHasher, Hasher, RandomState};
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::prefix::{Prefixes, below, folded, text};
use super::{Found, Record, Scan, Sighting};
use crate::asset::Asset;
use crate::asset::address::Names;
use crate::asset::container::Container;
use crate::base::error::{Error, Result};
use crate::base::format::Format;
use crate::base::limits::flag;
use crate::base::named::named;
use crate::base::shown::shown;
use crate::base::text::{ByteStr, Name};
use crate::summary::{Reference, ReferenceKind};

named! {
    /// The result of resolving a reference.
    #[non_exhaustive]
    pub enum State {
        /// One file matches, or the name has a prefix that the caller assumes the game to have.
        Found = "found",
        /// No file has this name.
        Missing = "missing",
        /// The reference does not name a file: the game computes it, as with `#(argb,8,8,3)color(1,1,1,1)`.
        Procedural = "procedural",
        /// Several files have this name.
        Ambiguous = "ambiguous",
    }
}

/// The most addresses that a [`Link`] names.
pub const MOST_TARGETS: usize = 100;

/// One resolved reference of one asset.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Link<'l> {
    /// The file of the asset that contains the reference.
    pub path: &'l Path,
    /// The asset's path inside the archive, if it is in one.
    pub member: Option<&'l Name>,
    /// The reference.
    pub reference: &'l Reference,
    /// The result of resolving it.
    pub state: State,
    /// [Addresses](crate::address) of the files it may mean, the first [`MOST_TARGETS`]. Empty if the name has an
    /// assumed prefix.
    pub targets: Vec<Name>,
    /// The number of further files it may mean.
    pub more: usize,
}

impl Serialize for Link<'_> {
    /// Writes `{path, member, kind, name, state, target}`. If the state is ambiguous, `target` is null and `targets`
    /// lists the files. `more` counts further ones.
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let Self { path, member, reference, state, targets, more } = self;
        let path = Name::from(ByteStr::new(path.as_os_str().as_encoded_bytes()));
        let texts: Vec<&str> = targets.iter().map(|target| target.text.as_str()).collect();
        let names = [&path, &reference.name].into_iter().chain(*member).chain(targets);
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("path", &path.text)?;
        map.serialize_entry("member", &member.as_ref().map(|member| &member.text))?;
        if names.into_iter().any(|name| name.lossy) {
            map.serialize_entry("lossy", &true)?;
        }
        map.serialize_entry("kind", &reference.kind)?;
        map.serialize_entry("name", &reference.name.text)?;
        map.serialize_entry("state", state.name())?;
        map.serialize_entry("target", &texts.first().filter(|_| *state == State::Found))?;
        if *state == State::Ambiguous {
            map.serialize_entry("targets", &texts)?;
        }
        if *more > 0 {
            map.serialize_entry("more", more)?;
        }
        map.end()
    }
}

/// Finds every reference of every asset in the scan, and the files among the scan's results that it may mean. `assumed`
/// are prefixes of names that the game itself has, such as `ca\` or `a3\`. All other results of the scan are passed to
/// `other`.
///
/// ```
/// use std::ops::ControlFlow;
/// use meshpeek::scan::{Scan, refs};
/// let mut missing = 0;
/// refs::resolve(&Scan::new(["corpus/zip"]), &["ca\\".to_owned()], |_| {})?.each(|link| {
///     missing += u64::from(link.state == refs::State::Missing);
///     ControlFlow::Continue(())
/// });
/// assert!(missing > 0);
/// # Ok::<(), meshpeek::Error>(())
/// ```
///
/// # Errors
/// Returns an error under the conditions of [`Scan::run`]. Returns [`Limit`](crate::ErrorKind::Limit) if the names take
/// more than the bytes of the files plus [`Limits::decoded_bytes`](crate::Limits::decoded_bytes).
pub fn resolve<'s>(scan: &'s Scan, assumed: &[String], mut other: impl FnMut(Found) + Send) -> Result<Links<'s>> {
    let mut index = Index::new(scan, assumed);
    let (hash, mut failed) = (index.hash.clone(), Ok(()));
    scan.run_with(
        |seen| Listing::of(seen, &hash),
        |found, listing| {
            failed = index.add(found, listing.flatten(), &mut other);
            if failed.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        },
    )?;
    failed?;
    let mut askers = std::mem::take(&mut index.askers);
    // Without references, no files need to be found.
    if !askers.is_empty() {
        index.add_loose(&scan.paths)?;
        index.sort();
        askers.sort_by(Asker::order);
    }
    Ok(Links { index, askers })
}

/// References, and the names of the files that they may mean. Each name is kept once, with some 60 bytes of overhead.
pub struct Links<'s> {
    index: Index<'s>,
    askers: Vec<Asker>,
}

impl Links<'_> {
    /// Passes each resolved reference to the callback, sorted by path and member, until the callback breaks.
    pub fn each(mut self, mut each: impl FnMut(&Link<'_>) -> ControlFlow<()>) {
        for asker in &self.askers {
            let beside = self.index.beside(asker);
            for reference in &asker.references {
                if each(&self.index.link(asker, &beside, reference)).is_break() {
                    return;
                }
            }
        }
    }
}

shown!([] Debug for Links<'_>, |links| "Links({} files)", links.index.files.len());

/// An asset with references.
struct Asker {
    path: Arc<Path>,
    member: Option<Name>,
    /// True if its names are those of the game's file system.
    in_game: bool,
    references: Vec<Reference>,
}

impl Asker {
    fn order(&self, other: &Self) -> Ordering {
        let by_path = if Arc::ptr_eq(&self.path, &other.path) { Ordering::Equal } else { self.path.cmp(&other.path) };
        by_path.then_with(|| self.member().cmp(&other.member()))
    }

    fn member(&self) -> Option<&str> {
        self.member.as_ref().map(|name| name.text.as_str())
    }
}

/// A name as it is looked up: the hash of the folded text. Without the key, nobody can construct two texts of one hash,
/// and a random collision is too rare to matter.
type Key = u64;

fn key(hash: &RandomState, folded: &str) -> Key {
    after(&hash.build_hasher(), folded)
}

/// The key of the text so far plus this text after it.
fn after(begun: &DefaultHasher, folded: &str) -> Key {
    let mut hasher = begun.clone();
    // Hash without the length or an end mark, so that a text in two parts has the key of the whole.
    hasher.write(folded.as_bytes());
    hasher.finish()
}

/// The contents of an archive.
struct Listing {
    /// The names by which addresses distinguish its members, concatenated.
    texts: String,
    members: Vec<Listed>,
    /// Why the list is incomplete.
    cut: Option<Error>,
}

struct Listed {
    /// The end of its name.
    end: usize,
    lossy: bool,
    in_game: Key,
    in_archive: Key,
}

/// The cost of listing a member, in bytes of [work](crate::Budget::work), in addition to its name.
const LISTED_WORK: u64 = 64;

impl Listing {
    fn of(seen: &Sighting<'_, '_>, hash: &RandomState) -> Option<Self> {
        let asset = seen.asset?;
        let container = Container::of(asset)?;
        let mut root = hash.build_hasher();
        root.write(root_of(asset, seen.record).as_bytes());
        let mut names = Names::of(&container);
        let mut listing = Self { texts: String::new(), members: Vec::new(), cut: None };
        for member in container.members().map_while(Result::ok) {
            let name = member.name();
            if let Err(error) = seen.budget.work(LISTED_WORK.saturating_add(name.len() as u64)) {
                listing.cut = Some(error);
                break;
            }
            let (path, own) = (folded(&Name::from(name).text), names.next(name));
            listing.texts.push_str(&own.text);
            let (end, lossy) = (listing.texts.len(), own.lossy);
            let (in_game, in_archive) = (after(&root, &path), key(hash, &path));
            listing.members.push(Listed { end, lossy, in_game, in_archive });
        }
        Some(listing)
    }
}

/// The prefix of the names of an archive's members in the game's file system.
fn root_of(asset: &Asset<'_>, record: &Record) -> String {
    let root = match asset {
        Asset::Pbo(archive) => match archive.prefix().map(Name::from) {
            Some(prefix) => folded(&prefix.text),
            None => {
                let name = record.member.as_ref().map_or_else(|| text(&record.path), |member| member.text.clone());
                stem(&folded(&name)).to_owned()
            }
        },
        _ => String::new(),
    };
    below(&root, "")
}

/// Every file, by the names that references may use for it.
struct Index<'s> {
    scan: &'s Scan,
    hash: RandomState,
    assumed: Vec<String>,
    askers: Vec<Asker>,
    /// The files that are not in an archive.
    loose: Vec<PathBuf>,
    archives: Vec<Archive>,
    /// The archives' indices by the keys of their addresses.
    by_address: HashMap<Key, usize>,
    /// The names of the files below, concatenated.
    texts: String,
    files: Vec<File>,
    /// By the path in the game's file system; sorted at the end.
    in_game: Vec<(Key, usize)>,
    /// By container or folder, and the path in it; sorted at the end.
    in_place: Vec<(Key, usize)>,
    /// The different files of one key, in order, by the start of their range.
    distinct: HashMap<(bool, usize), Arc<[usize]>>,
    /// The bytes that all of this takes.
    taken: u64,
}

struct Archive {
    path: Arc<Path>,
    member: Option<Name>,
    address: Name,
    /// The identity of the file, and the path in it, once computed.
    identity: Option<Key>,
}

struct File {
    /// The archive; `None` for a loose file, whose name is its path.
    archive: Option<usize>,
    text: Range<usize>,
    lossy: bool,
}

/// The location in which an asset looks for files next to it.
struct Beside {
    place: Key,
    /// The folder in it.
    folder: DefaultHasher,
}

impl<'s> Index<'s> {
    fn new(scan: &'s Scan, assumed: &[String]) -> Self {
        Self {
            scan,
            hash: RandomState::new(),
            assumed: assumed.iter().map(|prefix| folded(prefix)).collect(),
            askers: Vec::new(),
            loose: Vec::new(),
            archives: Vec::new(),
            by_address: HashMap::new(),
            texts: String::new(),
            files: Vec::new(),
            in_game: Vec::new(),
            in_place: Vec::new(),
            distinct: HashMap::new(),
            taken: 0,
        }
    }

    /// Takes memory for a text and its entry.
    fn take(&mut self, bytes: usize) -> Result<()> {
        const BESIDE: u64 = 64;
        self.taken = self.taken.saturating_add(bytes as u64).saturating_add(BESIDE);
        let most = self.scan.limits.decoded_bytes.saturating_add(self.scan.progress.opened_bytes());
        if self.taken > most {
            return Err(Error::limit("bytes of names of files, members and references", most, flag::DECODED));
        }
        Ok(())
    }

    fn add(&mut self, found: Found, listing: Option<Listing>, other: &mut impl FnMut(Found)) -> Result<()> {
        match found {
            Found::Asset(record) => {
                let Record { path, member, summary, .. } = *record;
                if member.is_none() {
                    self.add_path(path.clone())?;
                }
                let path = match self.askers.last().map(|asker| &asker.path) {
                    Some(last) if **last == *path => last.clone(),
                    _ => path.into(),
                };
                if let Some(mut listing) = listing {
                    if let Some(error) = listing.cut.take() {
                        other(Found::Unreadable(error.in_file(&path)));
                    }
                    self.add_archive(path.clone(), member.clone(), &listing)?;
                }
                if !summary.references.is_empty() {
                    self.take(member.as_ref().map_or(0, |name| name.text.len()))?;
                    summary.references.iter().try_for_each(|reference| self.take(reference.name.text.len()))?;
                    let in_game = matches!(summary.format, Some(Format::Odol | Format::Mlod));
                    self.askers.push(Asker { path, member, in_game, references: summary.references });
                }
            }
            Found::NoAsset(path) => {
                self.add_path(path.clone())?;
                other(Found::NoAsset(path));
            }
            found => other(found),
        }
        Ok(())
    }

    fn add_path(&mut self, path: PathBuf) -> Result<()> {
        self.take(path.as_os_str().len())?;
        self.loose.push(path);
        Ok(())
    }

    fn add_archive(&mut self, path: Arc<Path>, member: Option<Name>, listing: &Listing) -> Result<()> {
        let address = address(&path, member.as_ref());
        let (place, archive) = (key(&self.hash, &address.text), self.archives.len());
        // An archive that is given twice is kept once.
        if self.by_address.insert(place, archive).is_some() {
            return Ok(());
        }
        self.take(address.text.len().saturating_mul(2))?;
        self.archives.push(Archive { path, member, address, identity: None });
        let mut start = 0;
        for &Listed { end, lossy, in_game, in_archive } in &listing.members {
            let name = listing.texts.get(start..end).unwrap_or_default();
            let file = self.add_file(Some(archive), name, lossy)?;
            self.in_game.push((in_game, file));
            self.in_place.push((self.hash.hash_one((place, in_archive)), file));
            start = end;
        }
        Ok(())
    }

    fn add_file(&mut self, archive: Option<usize>, name: &str, lossy: bool) -> Result<usize> {
        self.take(name.len())?;
        let (file, start) = (self.files.len(), self.texts.len());
        self.texts.push_str(name);
        self.files.push(File { archive, text: start..self.texts.len(), lossy });
        Ok(file)
    }

    fn add_loose(&mut self, roots: &[PathBuf]) -> Result<()> {
        let files = std::mem::take(&mut self.loose);
        let prefixes = Prefixes::of(&files, roots);
        let roots: HashSet<&Path> = roots.iter().map(PathBuf::as_path).collect();
        for path in &files {
            let Some((folder, name)) = path.parent().zip(path.file_name()) else { continue };
            let name = folded(&Name::from(ByteStr::new(name.as_encoded_bytes())).text);
            let address = address(path, None);
            let file = self.add_file(None, &address.text, address.lossy)?;
            let (place, in_folder) = (key(&self.hash, &text(folder)), key(&self.hash, &name));
            self.in_place.push((self.hash.hash_one((place, in_folder)), file));
            let relative = |folder: &Path| Some(folded(&text(path.strip_prefix(folder).ok()?)));
            for root in path.ancestors().filter(|folder| roots.contains(folder)) {
                // A file that was named itself is at the root.
                let in_game = relative(root).map(|path| if path.is_empty() { name.clone() } else { path });
                self.in_game.extend(in_game.map(|path| (key(&self.hash, &path), file)));
            }
            for in_game in prefixes.paths_of(path) {
                self.in_game.push((key(&self.hash, &in_game), file));
            }
        }
        Ok(())
    }

    /// Prepares for lookups.
    fn sort(&mut self) {
        for list in [&mut self.in_game, &mut self.in_place] {
            list.sort_unstable();
            list.dedup();
        }
    }

    fn beside(&self, asker: &Asker) -> Beside {
        let (place, folder) = match &asker.member {
            None => (text(asker.path.parent().unwrap_or(Path::new(""))), String::new()),
            Some(member) => {
                let (around, own) = match member.text.rsplit_once("!/") {
                    Some((outer, own)) => (format!("{}!/{outer}", text(&asker.path)), own),
                    None => (text(&asker.path), member.text.as_str()),
                };
                let own = folded(own);
                (around, own.strip_suffix(last(&own)).unwrap_or_default().to_owned())
            }
        };
        let mut hasher = self.hash.build_hasher();
        hasher.write(folder.as_bytes());
        Beside { place: key(&self.hash, &place), folder: hasher }
    }

    fn link<'l>(&mut self, asker: &'l Asker, beside: &Beside, reference: &'l Reference) -> Link<'l> {
        let (name, in_game) = (&reference.name.text, asker.in_game);
        let path = folded(name);
        let files = match in_game {
            true => self.find_in_game(&path, reference.kind),
            false => {
                let in_folder = after(&beside.folder, last(&path));
                find(&self.in_place, self.hash.hash_one((beside.place, in_folder)))
            }
        };
        let files = self.distinct(in_game, files);
        let state = match files.len() {
            1 => State::Found,
            0 if in_game && name.starts_with("#(") => State::Procedural,
            0 if in_game && self.is_assumed(&path) => State::Found,
            0 => State::Missing,
            _ => State::Ambiguous,
        };
        let targets: Vec<Name> = files.iter().take(MOST_TARGETS).filter_map(|&file| self.target(file)).collect();
        let more = files.len().saturating_sub(targets.len());
        Link { path: &asker.path, member: asker.member.as_ref(), reference, state, targets, more }
    }

    /// The range of matches in the list of paths in the game.
    fn find_in_game(&self, path: &str, kind: ReferenceKind) -> Range<usize> {
        let mut begun = self.hash.build_hasher();
        begun.write(path.as_bytes());
        match find(&self.in_game, begun.finish()) {
            found if found.is_empty() && kind == ReferenceKind::Proxy => find(&self.in_game, after(&begun, ".p3d")),
            found => found,
        }
    }

    fn is_assumed(&self, name: &str) -> bool {
        self.assumed.iter().any(|prefix| {
            let behind = name.strip_prefix(prefix.as_str());
            behind.is_some_and(|behind| behind.is_empty() || prefix.ends_with('\\') || behind.starts_with('\\'))
        })
    }

    /// The files of a range, by their addresses. A file given by several paths is kept once. Computed once for all
    /// callers.
    fn distinct(&mut self, in_game: bool, range: Range<usize>) -> Arc<[usize]> {
        let list = if in_game { &self.in_game } else { &self.in_place };
        let files = list.get(range.clone()).unwrap_or_default().iter().map(|(_, file)| *file);
        if range.len() < 2 {
            return files.collect();
        }
        if let Some(known) = self.distinct.get(&(in_game, range.start)) {
            return known.clone();
        }
        let mut all: Vec<usize> = files.collect();
        let mut seen: HashSet<Key> = HashSet::new();
        all.retain(|&file| self.identity(file).is_none_or(|identity| seen.insert(identity)));
        all.sort_by(|&a, &b| self.order(a, b));
        let all: Arc<[usize]> = all.into();
        self.distinct.insert((in_game, range.start), all.clone());
        all
    }

    fn text_of(&self, file: &File) -> &str {
        self.texts.get(file.text.clone()).unwrap_or_default()
    }

    /// A key that is equal for one file, whichever path it was given by.
    fn identity(&mut self, file: usize) -> Option<Key> {
        let file = self.files.get(file)?;
        let name = self.texts.get(file.text.clone())?;
        let hash = &self.hash;
        let canonical = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.into());
        let Some(archive) = file.archive else { return Some(hash.hash_one(canonical(Path::new(name)))) };
        let Archive { path, member, identity, .. } = self.archives.get_mut(archive)?;
        let member = member.as_ref().map(|member| &member.text);
        let archive = *identity.get_or_insert_with(|| hash.hash_one((canonical(path), member)));
        Some(hash.hash_one((archive, name)))
    }

    /// Compares two addresses.
    fn order(&self, a: usize, b: usize) -> Ordering {
        let (Some(a), Some(b)) = (self.files.get(a), self.files.get(b)) else { return Ordering::Equal };
        if a.archive == b.archive {
            return self.text_of(a).cmp(self.text_of(b));
        }
        let whole = |file| {
            let archive = self.archive_of(file).map(|archive| [archive.address.text.as_str(), "!/"]);
            archive.into_iter().flatten().chain([self.text_of(file)]).flat_map(str::bytes)
        };
        whole(a).cmp(whole(b))
    }

    fn archive_of(&self, file: &File) -> Option<&Archive> {
        self.archives.get(file.archive?)
    }

    fn target(&self, file: usize) -> Option<Name> {
        let file = self.files.get(file)?;
        let name = Name { text: self.text_of(file).to_owned(), lossy: file.lossy };
        Some(crate::asset::address::join(self.archive_of(file).map(|archive| &archive.address), name))
    }
}

/// The range of entries with this key.
fn find(list: &[(Key, usize)], key: Key) -> Range<usize> {
    let start = list.partition_point(|(known, _)| *known < key);
    let count = list.get(start..).unwrap_or_default().partition_point(|(known, _)| *known == key);
    start..start.saturating_add(count)
}

fn address(path: &Path, member: Option<&Name>) -> Name {
    let file = Name::from(ByteStr::new(path.as_os_str().as_encoded_bytes()));
    member.map_or(file.clone(), |member| crate::asset::address::join(Some(&file), member.clone()))
}

/// The last component of a folded path.
fn last(path: &str) -> &str {
    path.rsplit('\\').next().unwrap_or_default()
}

/// The last component without its extension.
fn stem(path: &str) -> &str {
    let last = last(path);
    last.rsplit_once('.').map_or(last, |(stem, _)| stem)
}
