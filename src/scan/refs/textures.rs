//! Finds the images of models by the rules of references, to draw them.

use std::borrow::Cow;
use std::hash::BuildHasher as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::asker::Asker;
use super::configs::{Ask, Home, instead_of};
use super::cost::Cost;
use super::index::{Index, find};
use super::keys::{address, after, key, last};
use super::link::State;
use super::lua::is_lua;
use super::media::Media;
use super::prefix::{folded, text};
use super::seen::Seen;
use super::{GivenPaths, Rules, add_names_above, add_textures, collect};
use crate::asset::address::{Address, join};
use crate::base::error::{Error, Result};
use crate::base::format::Format;
use crate::base::impl_fmt::impl_fmt;
use crate::base::text::{ByteStr, Name};
use crate::inspect::Depth;
use crate::scan::{Found, Scan};
use crate::summary::{Reference, ReferenceKind};

/// A model whose textures are looked for.
#[derive(Clone, Copy, Debug)]
pub struct Model<'m> {
    /// Its file, as in a [record](crate::scan::Record).
    pub path: &'m Path,
    /// Its path in the archive, as in a record.
    pub member: Option<&'m Name>,
    /// Its format, which decides what its names mean.
    pub format: Format,
}

/// The file that a texture of a model means.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Image {
    /// The file, or the one around the member.
    pub path: PathBuf,
    /// The path inside the archive, if it is in one.
    pub member: Option<Name>,
    /// [`Found`](State::Found); [`Ambiguous`](State::Ambiguous) for the first of several files; [`Missing`](State::Missing)
    /// for a file that has only the name. It is next to the model or in its archive, and nothing gives the model a place
    /// in the game.
    pub state: State,
}

/// Finds the files that textures of models mean, as [`resolve_by`](super::resolve_by) does. Needs only names: reads the
/// directories of archives and Lua texts, when the first texture is looked for, and no models.
///
/// ```
/// use std::path::Path;
/// use meshpeek::{Format, address::Address, scan::Scan};
/// use meshpeek::scan::refs::{Model, Rules, Textures};
/// use meshpeek::summary::Name;
/// let address = Address::parse("corpus/addons/main/house.p3d");
/// let mut textures = Textures::of_file(&Scan::new([""; 0]), &Rules::default(), &address, None);
/// let house = Model { path: &address.file, member: None, format: Format::Mlod };
/// let name = Name { text: r"\my\main\data\HOUSE_co.tga".to_owned(), lossy: false };
/// let image = textures.find(house, &name)?.ok_or("no such file")?;
/// assert!(image.path.ends_with("main/data/house_co.paa"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Textures<'d> {
    scan: Scan,
    rules: Rules,
    /// The bytes of the archive around the model.
    data: Option<&'d [u8]>,
    /// What is searched, one after the other.
    stages: Vec<Stage>,
    /// The first error of what is searched.
    unreadable: Option<Error>,
}

/// A place to search.
struct Stage {
    place: Place,
    index: Option<Result<Box<Index<'static>>>>,
}

enum Place {
    /// All paths of the scan.
    Scan,
    /// The surroundings of a loose file.
    File(PathBuf),
    /// An archive and those in it.
    Archive(Address),
}

/// The archives, and what decides about textures in Luanti.
const ARCHIVES_AND_LUA: [&str; 3] = ["*.pbo", "*.zip", "*.lua"];

impl<'d> Textures<'d> {
    /// Searches all paths of a scan, for the models that it finds.
    pub fn of_scan(scan: &Scan, rules: &Rules) -> Self {
        Self::new(scan, rules, None, [Place::Scan])
    }

    /// Searches for the model at this address: in its archive, then in all archives of its file; for a loose file, in its
    /// folder and in the one that a prefix file gives a prefix. The scan has the options, and its paths do not matter.
    /// `data` are the bytes of the file around the model. Without them, it is opened again. Nothing is around standard
    /// input.
    pub fn of_file(scan: &Scan, rules: &Rules, model: &Address, data: Option<&'d [u8]>) -> Self {
        let file = model.file.clone();
        let Some(member) = &model.member else {
            let place = if model.is_stdin() { None } else { Some(Place::File(file)) };
            return Self::new(scan, rules, None, place);
        };
        let seam = memchr::memmem::rfind(member, b"!/");
        let inner = seam.and_then(|seam| member.get(..seam)).map(<[u8]>::to_vec);
        let mut places = Vec::new();
        if inner.is_some() {
            places.push(Place::Archive(Address { file: file.clone(), member: inner }));
        }
        places.push(Place::Archive(Address { file, member: None }));
        Self::new(scan, rules, data, places)
    }

    fn new(scan: &Scan, rules: &Rules, data: Option<&'d [u8]>, places: impl IntoIterator<Item = Place>) -> Self {
        let mut names = scan.clone();
        names.selection.globs.clear();
        names.selection.ignored = true;
        names.selection.except.clear();
        names.depth = Depth::Header;
        (names.archives, names.digests, names.beginnings) = (true, false, false);
        names.formats.clear();
        names.known = None;
        names.progress = scan.progress.beside();
        #[cfg(feature = "stores")]
        if let Some(stores) = names.stores.take() {
            names.paths.retain(|path| !stores.has(path));
        }
        let stages = places.into_iter().map(|place| Stage { place, index: None }).collect();
        Self { scan: names, rules: rules.clone(), data, stages, unreadable: None }
    }

    /// Finds the file of a texture. `None` if there is none, or the texture is not a file.
    ///
    /// # Errors
    /// Returns an error if the names take more than [`Limits::decoded_bytes`](crate::Limits::decoded_bytes) plus the bytes
    /// of the archives, or if the paths that are looked up exceed [`Limits::work`](crate::Limits::work), as in
    /// [`Links::each`](super::Links::each).
    pub fn find(&mut self, model: Model<'_>, texture: &Name) -> Result<Option<Image>> {
        for stage in 0..self.stages.len() {
            let is_last = stage.saturating_add(1) == self.stages.len();
            let Some(index) = self.index(stage, is_last)? else { break };
            let image = index.image(model, texture, is_last)?;
            if image.is_some() {
                return Ok(image);
            }
        }
        Ok(None)
    }

    /// Returns the first error of a file or archive whose names could not be read, once.
    pub fn take_unreadable(&mut self) -> Option<Error> {
        self.unreadable.take()
    }

    /// The index of a place, made once.
    fn index(&mut self, stage: usize, is_last: bool) -> Result<Option<&mut Index<'static>>> {
        let is_made = self.stages.get(stage).is_some_and(|stage| stage.index.is_some());
        if !is_made {
            let made = self.make(stage, is_last).map(Box::new);
            if let Some(stage) = self.stages.get_mut(stage) {
                stage.index = Some(made);
            }
        }
        match self.stages.get_mut(stage).and_then(|stage| stage.index.as_mut()) {
            Some(Ok(index)) => Ok(Some(index)),
            Some(Err(error)) => Err(error.clone()),
            None => Ok(None),
        }
    }

    fn make(&mut self, stage: usize, is_last: bool) -> Result<Index<'static>> {
        let Some(Stage { place, .. }) = self.stages.get(stage) else {
            return Ok(Index::over(Cow::Owned(self.scan.clone()), &[]));
        };
        let mut scan = self.scan.clone();
        match place {
            Place::Scan => {}
            Place::File(file) => scan.paths = vec![file.clone()],
            Place::Archive(address) => scan.paths = vec![address.file.clone()],
        }
        scan.paths.retain(|path| path.as_os_str() != "-");
        let mut index = Index::over(Cow::Owned(scan.clone()), &self.rules.assumed);
        index.add_prefixes(&self.rules);
        let mut unreadable = None;
        let mut other = |found: Found| {
            if let Found::Unreadable(error) = found {
                unreadable.get_or_insert(error);
            }
        };
        match place {
            Place::Scan => {
                add_names(&scan, &mut index)?;
                read(&scan, &mut index, &mut other)?;
            }
            Place::File(file) => {
                index.add_path(file.clone())?;
                add_beside(&scan, file, &mut index)?;
            }
            Place::Archive(address) => match self.data {
                Some(data) => read_in(&scan, address, data, &mut index, &mut other)?,
                None => {
                    let mut inside = scan.clone();
                    inside.paths = vec![path_of(address)];
                    read(&inside, &mut index, &mut other)?;
                }
            },
        }
        let given = GivenPaths::of(&scan, &index.hash);
        add_names_above(&scan, &mut index, &given)?;
        if is_last {
            add_textures(&scan, &mut index, &self.rules, &mut other);
        }
        if let Some(error) = unreadable {
            self.unreadable.get_or_insert(error);
        }
        index.ready()?;
        Ok(index)
    }
}

impl_fmt!(['d] Debug for Textures<'d>, |textures| "Textures({} places)", textures.stages.len());

/// The address as a path of a scan.
fn path_of(address: &Address) -> PathBuf {
    let Some(member) = &address.member else { return address.file.clone() };
    let mut path = address.file.clone().into_os_string();
    path.push("!/");
    path.push(&*ByteStr::new(member).to_text_lossy());
    path.into()
}

/// Adds the names of all files below the paths of the scan.
fn add_names(scan: &Scan, index: &mut Index<'_>) -> Result<()> {
    for target in scan.walk(scan.paths()) {
        let Ok(target) = target else { continue };
        // An address in an archive is no file.
        if !target.named || target.path.is_file() {
            index.add_path(target.path)?;
        }
    }
    Ok(())
}

/// Adds the names of the files next to a file.
fn add_beside(scan: &Scan, file: &Path, index: &mut Index<'_>) -> Result<()> {
    let Some(folder) = file.parent() else { return Ok(()) };
    let here = Path::new(".");
    let mut around = scan.clone();
    around.paths = vec![if folder.as_os_str().is_empty() { here.into() } else { folder.into() }];
    around.selection.folder_depth = Some(1);
    around.archives = false;
    for target in around.walk(around.paths()) {
        let Ok(target) = target else { continue };
        let path = match target.path.strip_prefix(here) {
            Ok(path) if folder.as_os_str().is_empty() => path.into(),
            _ => target.path,
        };
        if path != *file {
            index.add_path(path)?;
        }
    }
    Ok(())
}

/// A scan of archives and Lua texts alone.
fn of_archives(scan: &Scan) -> Scan {
    let mut archives = scan.clone();
    archives.selection.globs = ARCHIVES_AND_LUA.map(str::to_owned).to_vec();
    archives
}

/// Reads the archives and Lua texts of a scan.
fn read(scan: &Scan, index: &mut Index<'_>, other: &mut (impl FnMut(Found) + Send)) -> Result<()> {
    let mut archives = of_archives(scan);
    // Named models are not needed.
    archives.paths.retain(|path| {
        let format = Format::from_extension(path);
        !path.is_file() || matches!(format, None | Some(Format::Pbo | Format::Zip))
    });
    index.is_around = true;
    let read = collect(&archives, index, false, other, |_| true);
    index.is_around = false;
    read
}

/// Reads the archive at an address in the file with these bytes, and all in it.
fn read_in(
    scan: &Scan,
    archive: &Address,
    data: &[u8],
    index: &mut Index<'_>,
    other: &mut (impl FnMut(Found) + Send),
) -> Result<()> {
    let archives = of_archives(scan);
    let hash = index.hash.clone();
    let mut failed = Ok(());
    index.is_around = true;
    let result = archives.run_in_showing(
        (archive, data),
        is_lua,
        |seen| Seen::of(seen, false, &hash),
        |found, seen| {
            failed = index.add(found, seen.flatten(), other);
            if failed.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        },
    );
    index.is_around = false;
    result.and(failed)
}

impl Index<'_> {
    /// Prepares for lookups.
    fn ready(&mut self) -> Result<()> {
        let mut askers = std::mem::take(&mut self.askers);
        self.cost = Cost::new(self.loose.len() as u64, self.scan.progress.opened_bytes(), &self.scan.limits);
        self.add_files(&mut askers)?;
        self.media = Media::of(&askers, &self.hash);
        Ok(())
    }

    /// Finds the file of a texture. If it `may_substitute`, a file that has only the name is better than none.
    fn image(&mut self, model: Model<'_>, texture: &Name, may_substitute: bool) -> Result<Option<Image>> {
        let asker = self.asker_of(model);
        let ask = Ask::of(Reference { kind: ReferenceKind::Texture, name: texture.clone() });
        let resolved = self.resolve(&asker, &ask, None)?;
        let file = match resolved.state {
            State::Missing if may_substitute => self.near(&asker, &folded(&texture.text))?,
            _ => resolved.meant.files().next(),
        };
        let Some(number) = file else { return Ok(None) };
        let (Some(path), Some(file)) = (self.path_of(number), self.files.get(number)) else { return Ok(None) };
        let member = self.archive_of(file).map(|archive| {
            join(archive.member.as_ref(), Name { text: self.text_of(file).to_owned(), lossy: file.lossy })
        });
        Ok(Some(Image { path: path.to_owned(), member, state: resolved.state }))
    }

    fn asker_of(&self, model: Model<'_>) -> Asker {
        Asker {
            path: model.path.into(),
            member: model.member.cloned(),
            in_game: matches!(model.format, Format::Odol | Format::Mlod),
            is_followed: false,
            is_target: false,
            is_included: false,
            asks: Vec::new(),
            defines: Vec::new(),
            root: self.root_of_loose(model.path),
            around: OnceLock::new(),
            cut: None,
            home: Home::default(),
            copies: None,
            inside: Vec::new(),
            beside: OnceLock::new(),
        }
    }

    /// The number of the root that a loose file is below.
    fn root_of_loose(&self, path: &Path) -> Option<usize> {
        let (folder, name) = path.parent().zip(path.file_name())?;
        let name = folded(&text(Path::new(name)));
        let place = (key(&self.hash, &text(folder)), key(&self.hash, &name));
        let entries = find(&self.in_place, self.hash.hash_one(place));
        let own = address(path, None).text;
        let entries = self.in_place.get(entries).unwrap_or_default();
        let file =
            entries.iter().filter_map(|(_, file)| self.files.get(*file)).find(|file| self.text_of(file) == own)?;
        Some(file.root)
    }

    /// Returns true if the names in a model are paths below prefixes that files or the user give.
    fn has_prefix(&self, asker: &Asker) -> bool {
        let Some(root) = self.find_root_around(asker) else { return false };
        if let Some(archive) = self.archives.get(root) {
            return !archive.root.is_empty();
        }
        let root = root.checked_sub(self.archives.len()).and_then(|root| self.roots.get(root));
        root.is_some_and(|root| root.has_prefix)
    }

    /// The file of a name that is next to a model or elsewhere in its archive, unless the model is below a prefix.
    fn near(&mut self, asker: &Asker, path: &str) -> Result<Option<usize>> {
        /// The most files of one name that are compared.
        const MOST_SAME: usize = 10_000;
        if path.is_empty() || asker.in_game && self.has_prefix(asker) {
            return Ok(None);
        }
        let other = instead_of(path, ReferenceKind::Texture);
        let names: Vec<&str> = [Some(path), other.as_deref()].into_iter().flatten().collect();
        let beside = self.beside(asker);
        for name in &names {
            self.cost.compare(name.len())?;
            let entries = find(&self.in_place, self.hash.hash_one((beside.place, after(&beside.folder, last(name)))));
            if let Some(&file) = self.distinct(false, entries).first() {
                return Ok(Some(file));
            }
        }
        let Some(archive) = self.find_root_around(asker).filter(|_| asker.member.is_some()) else { return Ok(None) };
        for name in names {
            let entries = self.elsewhere(name, ReferenceKind::Surface);
            let same = self.by_name.as_ref().and_then(|list| list.get(entries)).unwrap_or_default();
            let same: Vec<usize> = same.iter().map(|(_, file)| *file).take(MOST_SAME).collect();
            self.cost.compare(same.len().saturating_mul(name.len()))?;
            let own = same.into_iter().filter(|&file| self.root_of(file) == archive);
            if let Some(file) = self.nearest(own, name) {
                return Ok(Some(file));
            }
        }
        Ok(None)
    }
}
