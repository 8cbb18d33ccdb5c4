//! Resolves references: finds the file that each asset means when it names another file.
//!
//! Arma's models (odol, mlod) name files of the game's virtual file system. In it, a member of a PBO is below the
//! archive's prefix, or below the archive's own name if there is no prefix. A loose file has the path that it would
//! have on a P drive: its path below each given folder, and below the prefix that a file such as `$PBOPREFIX$` gives to
//! the nearest enclosing folder. If no enclosing folder has such a file, it is below the names of its addon (the
//! outermost folder with a `config.cpp` or `config.bin`) and of the given folder. A zip is a folder of loose files.
//! Case, kind of slash and a leading slash are ignored. A proxy or model may omit its `.p3d`. A `.tga` or `.png` stands
//! for the `.paa` of the same name.
//!
//! Configs name files in the same way: binary ones (rap) and text (`.rvmat`, `.bisurf`, `config.cpp`, `.cfg`). A found
//! material is followed: its own references come after it, [`via`](Link::via) the material. So are the `.hpp` and `.cpp`
//! files that a config includes. Each is listed once, for the first that asks for it. Materials that nothing asks for
//! come last.
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

use super::configs::{Ask, Copies, Home, asks, instead_of, is_config, is_included, is_material};
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
use crate::formats::rap::text::Way;
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
        /// The name depends on a macro whose definition is not known.
        Unresolved = "unresolved",
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
    /// The [address](crate::address) of the material or included config that contains the reference, if it is not the
    /// asset itself.
    pub via: Option<&'l Name>,
    /// The line and column in a text config, counted from 1.
    pub place: Option<(u32, u32)>,
}

impl Serialize for Link<'_> {
    /// Writes `{path, member, kind, name, state, target, via}`, and `line` and `column` for a text config. If the state
    /// is ambiguous, `target` is null and `targets` lists the files. `more` counts further ones.
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let Self { path, member, reference, state, targets, more, via, place } = self;
        let path = Name::from(ByteStr::new(path.as_os_str().as_encoded_bytes()));
        let texts: Vec<&str> = targets.iter().map(|target| target.text.as_str()).collect();
        let names = [&path, &reference.name].into_iter().chain(*member).chain(*via).chain(targets);
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
        map.serialize_entry("via", &via.map(|via| &via.text))?;
        if let Some((line, column)) = place {
            map.serialize_entry("line", line)?;
            map.serialize_entry("column", column)?;
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
pub fn resolve<'s>(scan: &'s Scan, assumed: &[String], other: impl FnMut(Found) + Send) -> Result<Links<'s>> {
    resolve_as(scan, assumed, false, other)
}

/// Like [`resolve`], and keeps the textures that ODOL models copied from materials, for [`Links::each_stale`].
///
/// # Errors
/// Returns an error under the conditions of [`resolve`].
pub fn resolve_copies<'s>(scan: &'s Scan, assumed: &[String], other: impl FnMut(Found) + Send) -> Result<Links<'s>> {
    resolve_as(scan, assumed, true, other)
}

fn resolve_as<'s>(
    scan: &'s Scan,
    assumed: &[String],
    copies: bool,
    mut other: impl FnMut(Found) + Send,
) -> Result<Links<'s>> {
    let mut index = Index::new(scan, assumed);
    let (hash, mut failed) = (index.hash.clone(), Ok(()));
    scan.run_showing(
        is_config,
        |seen| Seen::of(seen, copies, &hash),
        |found, seen| {
            failed = index.add(found, seen.unwrap_or_default(), &mut other);
            if failed.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        },
    )?;
    failed?;
    let mut askers = std::mem::take(&mut index.askers);
    // Without references, no files need to be found.
    if !askers.is_empty() {
        index.add_loose(&scan.paths, &mut askers)?;
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
        let followed = self.followed();
        let mut seen = vec![false; self.askers.len()];
        for is_followed in [false, true] {
            for (root, asker) in self.askers.iter().enumerate() {
                let is_next = asker.is_followed == is_followed && !asker.is_included;
                if !is_next || std::mem::replace(seen.get_mut(root).unwrap_or(&mut false), true) {
                    continue;
                }
                // The assets and configs that lead to the reference, the next reference of each, and their addresses.
                let mut around = vec![(root, 0_usize, None)];
                while let Some((current, next, via)) = around.last_mut() {
                    let Some(inner) = self.askers.get(*current) else { return };
                    let Some(ask) = inner.asks.get(*next) else {
                        around.pop();
                        continue;
                    };
                    *next = next.saturating_add(1);
                    let (path, member) = (&*asker.path, asker.member.as_ref());
                    let link = Link { path, member, via: via.as_ref(), ..self.index.link(inner, ask) };
                    if each(&link).is_break() {
                        return;
                    }
                    if !matches!(ask.reference.kind, ReferenceKind::Material | ReferenceKind::Include) {
                        continue;
                    }
                    for target in link.targets {
                        let Some(&inner) = followed.get(&key(&self.index.hash, &target.text)) else { continue };
                        if !std::mem::replace(seen.get_mut(inner).unwrap_or(&mut false), true) {
                            around.push((inner, 0, Some(target)));
                        }
                    }
                }
            }
        }
    }

    /// Passes each texture of a material to the callback that an ODOL model with a copy of this material does not
    /// have in the copy, until the callback breaks. Needs [`resolve_copies`].
    pub fn each_stale(mut self, mut each: impl FnMut(&Link<'_>) -> ControlFlow<()>) {
        /// The most textures of a material to compare. Real ones have up to 9.
        const MOST_STAGES: usize = 64;
        let followed = self.followed();
        let hash = self.index.hash.clone();
        for asker in &self.askers {
            let Some(copies) = &asker.copies else { continue };
            for ask in asker.asks.iter().filter(|ask| ask.reference.kind == ReferenceKind::Material) {
                let material = self.index.link(asker, ask);
                let [via] = material.targets.as_slice() else { continue };
                let Some(inner) = followed.get(&key(&hash, &via.text)).and_then(|&inner| self.askers.get(inner)) else {
                    continue;
                };
                let textures = inner.asks.iter().filter(|ask| ask.reference.kind == ReferenceKind::Texture);
                for texture in textures.take(MOST_STAGES) {
                    let (material, name) = (&ask.reference.name.text, &texture.reference.name.text);
                    if copies.lacks(material, name, |text| key(&hash, text)) {
                        let link = self.index.link(inner, texture);
                        let (path, member) = (&*asker.path, asker.member.as_ref());
                        if each(&Link { path, member, via: Some(via), ..link }).is_break() {
                            return;
                        }
                    }
                }
            }
        }
    }

    /// The materials and included texts, by the keys of their addresses.
    fn followed(&self) -> HashMap<Key, usize> {
        let followed = self.askers.iter().enumerate().filter(|(_, asker)| asker.is_followed);
        followed
            .map(|(index, asker)| (key(&self.index.hash, &address(&asker.path, asker.member.as_ref()).text), index))
            .collect()
    }
}

shown!([] Debug for Links<'_>, |links| "Links({} files)", links.index.files.len());

/// An asset with references.
struct Asker {
    path: Arc<Path>,
    member: Option<Name>,
    /// True if its names are those of the game's file system.
    in_game: bool,
    /// True if its references come after that of an asset or config that asks for it.
    is_followed: bool,
    /// True if it means nothing by itself.
    is_included: bool,
    asks: Vec<Ask>,
    /// Its location in the game, for macros and includes.
    home: Home,
    copies: Option<Copies>,
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
pub(super) type Key = u64;

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

/// What is needed of an asset or text while it is open.
#[derive(Default)]
struct Seen {
    listing: Option<Listing>,
    /// The references of a text.
    asks: Vec<Ask>,
    copies: Option<Copies>,
    /// Why something is incomplete.
    cut: Option<Error>,
}

impl Seen {
    fn of(seen: &Sighting<'_, '_>, copies: bool, hash: &RandomState) -> Self {
        let Some(asset) = seen.asset else {
            // Only texts and damaged assets have none.
            if seen.record.summary.format.is_some()
                || !is_config(name_of(&seen.record.path, seen.record.member.as_ref()))
            {
                return Self::default();
            }
            return match read_text(seen) {
                Ok((asks, cut)) => Self { asks, cut, ..Self::default() },
                Err(error) => Self { cut: Some(error), ..Self::default() },
            };
        };
        // A model's materials are read a second time.
        let is_wanted = copies && seen.budget.work(seen.data.len() as u64).is_ok();
        let copies = if is_wanted { Copies::of(asset, |text| key(hash, text)) } else { None };
        Self { listing: Listing::of(seen, hash), copies, ..Self::default() }
    }
}

/// The references of a text, within the budget of its file.
fn read_text(seen: &Sighting<'_, '_>) -> Result<(Vec<Ask>, Option<Error>)> {
    /// The most bytes that references take per byte of a text: the shortest has four.
    const NAMES_PER_BYTE: u64 = 32;
    let (bytes, limits) = (seen.data.len() as u64, seen.budget.limits());
    seen.budget.work(bytes)?;
    let _held = seen.budget.hold(bytes.saturating_mul(NAMES_PER_BYTE).min(limits.reference_bytes.saturating_mul(2)))?;
    Ok(asks(seen.data, limits))
}

/// The innermost name.
fn name_of<'n>(path: &'n Path, member: Option<&'n Name>) -> &'n Path {
    member.map_or(path, |member| Path::new(crate::asset::address::unnumbered(&member.text)))
}

/// The contents of an archive.
struct Listing {
    /// The names by which addresses distinguish its members, concatenated.
    texts: String,
    members: Vec<Listed>,
    /// The prefix of their names in the game.
    root: String,
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
        let prefix = root_of(asset, seen.record);
        let mut root = hash.build_hasher();
        root.write(below(&prefix, "").as_bytes());
        let mut names = Names::of(&container);
        let mut listing = Self { texts: String::new(), members: Vec::new(), root: prefix, cut: None };
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
    match asset {
        Asset::Pbo(archive) => match archive.prefix().map(Name::from) {
            Some(prefix) => folded(&prefix.text),
            None => {
                let name = record.member.as_ref().map_or_else(|| text(&record.path), |member| member.text.clone());
                stem(&folded(&name)).to_owned()
            }
        },
        _ => String::new(),
    }
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
    /// The prefix of its members' names in the game.
    root: String,
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

    fn add(&mut self, found: Found, seen: Seen, other: &mut impl FnMut(Found)) -> Result<()> {
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
                let Seen { mut listing, mut asks, copies, cut } = seen;
                let list_cut = listing.as_mut().and_then(|listing| listing.cut.take());
                for error in cut.into_iter().chain(list_cut) {
                    other(Found::Unreadable(error.in_file(&path)));
                }
                if let Some(listing) = listing {
                    self.add_archive(path.clone(), member.clone(), listing)?;
                }
                asks.extend(summary.references.into_iter().map(Ask::of));
                if !asks.is_empty() {
                    self.take(member.as_ref().map_or(0, |name| name.text.len()))?;
                    // The path that a macro builds is part of its name.
                    asks.iter().try_for_each(|ask| self.take(ask.reference.name.text.len().saturating_mul(2)))?;
                    self.take(copies.as_ref().map_or(0, |copies| copies.0.len().saturating_mul(16)))?;
                    let name = name_of(&path, member.as_ref());
                    let is_included = is_included(name);
                    let in_game =
                        matches!(summary.format, Some(Format::Odol | Format::Mlod | Format::Rap)) || is_config(name);
                    let is_followed = is_included || is_material(name);
                    let home = Home::default();
                    self.askers.push(Asker { path, member, in_game, is_followed, is_included, asks, home, copies });
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

    fn add_archive(&mut self, path: Arc<Path>, member: Option<Name>, listing: Listing) -> Result<()> {
        let address = address(&path, member.as_ref());
        let (place, archive) = (key(&self.hash, &address.text), self.archives.len());
        // An archive that is given twice is kept once.
        if self.by_address.insert(place, archive).is_some() {
            return Ok(());
        }
        self.take(address.text.len().saturating_mul(2))?;
        self.take(listing.root.len())?;
        self.archives.push(Archive { path, member, address, root: listing.root, identity: None });
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

    /// The location of an asker in the game.
    fn home(&self, asker: &Asker, prefixes: &Prefixes<'_>) -> Home {
        let Some(member) = &asker.member else {
            let (root, path) = prefixes.roots_of(&asker.path).into_iter().next().unwrap_or_default();
            return Home { root, path };
        };
        let (outer, own) =
            member.text.rsplit_once("!/").map_or((None, &*member.text), |(outer, own)| (Some(outer), own));
        let outer = outer.map(|outer| Name { text: outer.to_owned(), lossy: member.lossy });
        let archive = key(&self.hash, &address(&asker.path, outer.as_ref()).text);
        let archive = self.by_address.get(&archive).and_then(|&archive| self.archives.get(archive));
        let root = archive.map(|archive| archive.root.clone()).unwrap_or_default();
        let path = below(&root, &folded(crate::asset::address::unnumbered(own)));
        // In a zip, the addon is the config's own folder.
        let folder = || path.rsplit_once('\\').map_or("", |(folder, _)| folder).to_owned();
        let root = if root.is_empty() { folder() } else { root };
        Home { root, path }
    }

    fn add_file(&mut self, archive: Option<usize>, name: &str, lossy: bool) -> Result<usize> {
        self.take(name.len())?;
        let (file, start) = (self.files.len(), self.texts.len());
        self.texts.push_str(name);
        self.files.push(File { archive, text: start..self.texts.len(), lossy });
        Ok(file)
    }

    fn add_loose(&mut self, roots: &[PathBuf], askers: &mut [Asker]) -> Result<()> {
        let files = std::mem::take(&mut self.loose);
        let prefixes = Prefixes::of(&files, roots);
        for asker in askers.iter_mut().filter(|asker| asker.asks.iter().any(|ask| ask.way != Way::Path)) {
            asker.home = self.home(asker, &prefixes);
            self.take(asker.home.path.len().saturating_add(asker.home.root.len()))?;
        }
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

    fn link<'l>(&mut self, asker: &'l Asker, ask: &'l Ask) -> Link<'l> {
        let (reference, in_game) = (&ask.reference, asker.in_game);
        let name = &reference.name.text;
        let path = asker.home.resolve(&ask.way, name);
        let files = match &path {
            None => 0..0,
            Some(path) if in_game => self.find_in_game(path, reference.kind),
            Some(path) => {
                let beside = self.beside(asker);
                let in_folder = after(&beside.folder, last(path));
                find(&self.in_place, self.hash.hash_one((beside.place, in_folder)))
            }
        };
        let files = self.distinct(in_game, files);
        let state = match (files.len(), &path) {
            (1, _) => State::Found,
            (0, None) => State::Unresolved,
            (0, _) if in_game && name.starts_with("#(") => State::Procedural,
            (0, Some(path)) if in_game && self.is_assumed(path) => State::Found,
            (0, _) => State::Missing,
            _ => State::Ambiguous,
        };
        let targets: Vec<Name> = files.iter().take(MOST_TARGETS).filter_map(|&file| self.target(file)).collect();
        let more = files.len().saturating_sub(targets.len());
        let (member, place) = (asker.member.as_ref(), ask.place);
        Link { path: &asker.path, member, reference, state, targets, more, via: None, place }
    }

    /// The range of matches in the list of paths in the game.
    fn find_in_game(&self, path: &str, kind: ReferenceKind) -> Range<usize> {
        match find(&self.in_game, key(&self.hash, path)) {
            found if found.is_empty() => {
                instead_of(path, kind).map_or(found, |other| find(&self.in_game, key(&self.hash, &other)))
            }
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
