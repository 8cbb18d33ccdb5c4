//! Opens the files around models that their textures mean: those that `refs` finds.

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use meshpeek::address::{self, Address, MemberPath, open_member_if};
use meshpeek::answers::refs::{Image, Model, Rules, State, Textures};
use meshpeek::budget::Reservation as Room;
use meshpeek::container::Container;
use meshpeek::geometry::Texture;
use meshpeek::scan::Scan;
use meshpeek::summary::Name;
use meshpeek::{Access, Asset, Budget, Error, FileMap, Limits};

use super::decode::Unusable;
use crate::lock::lock;

/// The cost of looking at a member of an archive, in bytes of work, in addition to its name.
const LOOK_WORK: u64 = 64;
/// The most archives that are open at once.
const MOST_OPEN: usize = 4;

/// The bytes of an image file.
pub(super) type Bytes = Box<dyn AsRef<[u8]>>;

/// Finds and opens the files around models. Threads share it.
pub(crate) struct Around<'a> {
    textures: Mutex<Textures<'a>>,
    /// Finds textures of models that are not below the paths of the scan, by their folders or archives.
    others: Mutex<Vec<(PathBuf, Textures<'a>)>>,
    scan: Scan,
    rules: Rules,
    /// The paths of the scan; `None` for a single model.
    roots: Option<Vec<PathBuf>>,
    /// The file around a single model, and its bytes.
    own: Option<(&'a Path, &'a [u8])>,
    access: Access,
    limits: Limits,
    open: Mutex<Open<'a>>,
    failure: OnceLock<Error>,
}

/// The archives that images are read from.
#[derive(Default)]
struct Open<'a> {
    /// Those that are open, the one used last at the end.
    archives: Vec<Opened<'a>>,
    /// The work that remains for the images in each file.
    budgets: HashMap<PathBuf, Budget>,
}

struct Opened<'a> {
    path: PathBuf,
    /// The path of the archive inside the file, if it is in one.
    inner: Option<String>,
    archive: Arc<Archive<'a>>,
}

impl<'a> Open<'a> {
    fn archive(&mut self, path: &Path, inner: Option<&str>) -> Option<Arc<Archive<'a>>> {
        let place = self.archives.iter().position(|open| open.path == path && open.inner.as_deref() == inner)?;
        let opened = self.archives.remove(place);
        let archive = opened.archive.clone();
        self.archives.push(opened);
        Some(archive)
    }

    fn keep(&mut self, opened: Opened<'a>) {
        if self.archives.len() >= MOST_OPEN {
            self.archives.remove(0);
        }
        self.archives.push(opened);
    }
}

struct Archive<'a> {
    name: PathBuf,
    bytes: Whole<'a>,
    range: Range<usize>,
    /// The cost of finding a member.
    cost: u64,
}

#[derive(Clone)]
enum Whole<'a> {
    Own(&'a [u8]),
    File(Arc<FileMap>),
    Decoded(Arc<Vec<u8>>),
}

impl Whole<'_> {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Own(bytes) => bytes,
            Self::File(file) => file,
            Self::Decoded(bytes) => bytes,
        }
    }
}

impl Archive<'_> {
    fn data(&self) -> &[u8] {
        self.bytes.bytes().get(self.range.clone()).unwrap_or_default()
    }
}

impl<'a> Around<'a> {
    /// Finds what is around the models that a scan finds.
    pub(crate) fn scanned(scan: &Scan, textures: Option<&Path>) -> Self {
        let rules = rules(textures);
        let found = Textures::of_scan(scan, &rules);
        Self::new(scan, rules, found)
    }

    /// Finds what is around the model at an address, in the file with these bytes.
    pub(crate) fn of_model(scan: &Scan, textures: Option<&Path>, address: &'a Address, outer: &'a [u8]) -> Self {
        let rules = rules(textures);
        let found = Textures::of_file(scan, &rules, address, Some(outer));
        let own = Some((address.file.as_path(), outer));
        Self { own, roots: None, ..Self::new(scan, rules, found) }
    }

    fn new(scan: &Scan, rules: Rules, textures: Textures<'a>) -> Self {
        Self {
            textures: Mutex::new(textures),
            others: Mutex::default(),
            rules,
            roots: Some(scan.named().to_vec()),
            own: None,
            access: scan.access,
            limits: scan.limits,
            scan: scan.clone(),
            open: Mutex::default(),
            failure: OnceLock::new(),
        }
    }

    /// Returns why images were not found, if something could not be read.
    pub(crate) fn failure(&self) -> Option<&Error> {
        if let Some(error) = lock(&self.textures).take_unreadable() {
            self.failure.get_or_init(|| error);
        }
        self.failure.get()
    }

    /// The file that a texture of a model means.
    pub(super) fn find(&self, model: Model<'_>, texture: &Texture<'_>) -> Option<Image> {
        let name = Name::from(texture.name);
        let found = if self.is_known(model.path) {
            lock(&self.textures).find(model, &name)
        } else {
            self.find_apart(model, &name)
        };
        match found {
            Ok(image) => image,
            Err(error) => {
                self.failure.get_or_init(|| error);
                None
            }
        }
    }

    /// Returns true if a file is below the paths of the scan, or is the single model.
    fn is_known(&self, file: &Path) -> bool {
        let Some(roots) = &self.roots else { return true };
        roots.iter().any(|root| file == root || file.starts_with(root) && root.is_dir())
    }

    /// The image of a texture of a model that is not below the paths of the scan: its path came after the scan began, or
    /// it is a named member of an archive. Looks in its archive or folder.
    fn find_apart(&self, model: Model<'_>, name: &Name) -> meshpeek::Result<Option<Image>> {
        /// The most folders and archives whose names are kept.
        const MOST_KEPT: usize = 8;
        let member = model.member.map(|member| member.text.clone().into_bytes());
        let place = match &member {
            Some(_) => model.path,
            None => model.path.parent().unwrap_or(model.path),
        };
        let mut others = lock(&self.others);
        if !others.iter().any(|(known, _)| known == place) {
            let address = Address::new(model.path.into(), member);
            if others.len() >= MOST_KEPT {
                others.remove(0);
            }
            others.push((place.into(), Textures::of_file(&self.scan, &self.rules, &address, None)));
        }
        match others.iter_mut().find(|(known, _)| known == place) {
            Some((_, textures)) => textures.find(model, name),
            None => Ok(None),
        }
    }

    /// Reads the file that a texture means.
    pub(super) fn read(&self, image: &Image, room: &Room<'_>) -> Result<Bytes, Unusable> {
        match &image.member {
            None => self.read_file(&image.path, room),
            Some(member) => self.read_member(&image.path, &member.text, room),
        }
    }

    /// Reads a loose file.
    pub(super) fn read_file(&self, path: &Path, room: &Room<'_>) -> Result<Bytes, Unusable> {
        // A file of size 0 is otherwise read as a stream of unknown length, for which there is never enough memory.
        if path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() == 0) {
            return Ok(Box::new([]));
        }
        let mut is_too_large = false;
        // Always copy: decoders do not support bytes that change.
        let file = FileMap::open_if(path, Access::READ, &self.limits, |bytes| {
            // Its own bytes count as read, so the budget always covers them.
            is_too_large = !room.can_afford(0, 0, bytes);
            if is_too_large {
                return Err(too_large());
            }
            room.budget().add_bytes(bytes);
            room.charge_and_hold(bytes)
        });
        if is_too_large {
            return Err(Unusable::TooLarge);
        }
        match file {
            Ok(file) => Ok(Box::new(file)),
            Err(error) => Err(Unusable::of(&error, Unusable::Unreadable)),
        }
    }

    fn read_member(&self, path: &Path, member: &str, room: &Room<'_>) -> Result<Bytes, Unusable> {
        let (around, own) = MemberPath::new(member).split_last();
        let Some(archive) = self.archive(path, around.map(str::to_owned)) else { return Err(Unusable::Unreadable) };
        let Some(budget) = lock(&self.open).budgets.get(path).cloned() else { return Err(Unusable::Unreadable) };
        if !budget.can_afford(archive.cost, 0, 0) || budget.charge_work(archive.cost).is_err() {
            return Err(Unusable::TooLarge);
        }
        let data = archive.data();
        let mut cost = MemberCost { room, budget: &budget, knows_archive: false, twice: 0, is_too_large: false };
        // It counts the whole archive for each member, so it has a budget of its own.
        let alone = Budget::new(data.len() as u64, &self.limits);
        let opened = open_member_if(&archive.name, data, Some(own.as_bytes()), &alone, &mut |bytes| cost.take(bytes));
        let copy = copy_of(opened);
        room.give(cost.twice / 2);
        if cost.is_too_large {
            return Err(Unusable::TooLarge);
        }
        match copy {
            Ok(bytes) => Ok(Box::new(bytes)),
            Err(error) => Err(Unusable::of(&error, Unusable::Unreadable)),
        }
    }

    /// The archive in this file, or the file itself. It stays open for other images.
    fn archive(&self, path: &Path, around: Option<String>) -> Option<Arc<Archive<'a>>> {
        if let Some(archive) = lock(&self.open).archive(path, around.as_deref()) {
            return Some(archive);
        }
        let archive = Arc::new(match &around {
            None => self.open_file(path)?,
            Some(inner) => self.open_inner(path, inner)?,
        });
        lock(&self.open).keep(Opened { path: path.into(), inner: around, archive: archive.clone() });
        Some(archive)
    }

    fn open_file(&self, path: &Path) -> Option<Archive<'a>> {
        let bytes = match self.own {
            Some((own, bytes)) if own == path => Whole::Own(bytes),
            _ => Whole::File(Arc::new(FileMap::open_with(path, self.access, &self.limits).ok()?)),
        };
        let size = bytes.bytes().len();
        let full = Budget::new(size as u64, &self.limits);
        let budget = lock(&self.open).budgets.entry(path.into()).or_insert(full).clone();
        let cost = cost(path, bytes.bytes(), &budget)?;
        Some(Archive { name: path.into(), range: 0..size, bytes, cost })
    }

    fn open_inner(&self, path: &Path, inner: &str) -> Option<Archive<'a>> {
        let outer = self.archive(path, None)?;
        let budget = lock(&self.open).budgets.get(path).cloned()?;
        budget.charge_work(outer.cost).ok()?;
        let whole = outer.data();
        let alone = Budget::new(whole.len() as u64, &self.limits);
        let opened = open_member_if(path, whole, Some(inner.as_bytes()), &alone, &mut |_| Ok(())).ok()?;
        let name = match &opened.member {
            Some(member) => PathBuf::from(&member.text),
            None => path.into(),
        };
        let content = opened.content.ok()?;
        let cost = cost(&name, &content, &budget)?;
        if content.is_borrowed() {
            let start = content.as_ptr().addr().checked_sub(whole.as_ptr().addr())?;
            let range = start..start.checked_add(content.len())?;
            return Some(Archive { name, range, bytes: outer.bytes.clone(), cost });
        }
        budget.charge_work(content.len() as u64).ok()?;
        let bytes = content.to_vec();
        Some(Archive { name, range: 0..bytes.len(), bytes: Whole::Decoded(Arc::new(bytes)), cost })
    }
}

/// Copies the content of a member.
///
/// # Errors
/// Returns an error if it cannot be read, or has another checksum than its archive says.
fn copy_of(opened: meshpeek::Result<address::Opened<address::Content<'_>>>) -> meshpeek::Result<Vec<u8>> {
    let content = opened?.content?;
    content.check()?;
    Ok(content.to_vec())
}

/// The cost of reading one member of an archive.
struct MemberCost<'c> {
    room: &'c Room<'c>,
    /// The work that remains for the archive's file.
    budget: &'c Budget,
    /// True once the size of the archive has come.
    knows_archive: bool,
    /// The bytes of the content and of a copy.
    twice: u64,
    is_too_large: bool,
}

impl MemberCost<'_> {
    /// Takes what a size costs, before as many bytes are read.
    fn take(&mut self, bytes: u64) -> meshpeek::Result<()> {
        // First comes the size of the archive, which is not read as a whole.
        if !self.knows_archive {
            self.knows_archive = true;
            return Ok(());
        }
        self.twice = bytes.saturating_mul(2);
        self.is_too_large = !self.room.can_afford(0, 0, self.twice) || !self.budget.can_afford(self.twice, 0, 0);
        if self.is_too_large {
            return Err(too_large());
        }
        self.budget.charge_work(self.twice)?;
        self.room.budget().add_bytes(bytes);
        self.room.charge_and_hold(self.twice)
    }
}

fn rules(textures: Option<&Path>) -> Rules {
    let mut rules = Rules::default();
    rules.textures = textures.map(Path::to_owned);
    rules
}

/// The cost of finding a member of an archive.
fn cost(name: &Path, data: &[u8], budget: &Budget) -> Option<u64> {
    let asset = Asset::parse_file(name, data, budget.limits()).ok()?;
    let mut cost = 0_u64;
    for member in Container::of(&asset)?.members() {
        let Ok(member) = member else { break };
        let look = LOOK_WORK.saturating_add(member.name().len() as u64);
        budget.charge_work(look).ok()?;
        cost = cost.saturating_add(look);
    }
    Some(cost)
}

/// Returns true if the game does not find this image, although it is next to the model.
pub(super) fn is_substitute(image: &Image) -> bool {
    image.state == State::Missing
}

fn too_large() -> Error {
    Error::unsupported("too large an image")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_scan_are_its_paths_and_what_is_below_its_folders() {
        let place = tempfile::tempdir().unwrap();
        let path = |name: &str| place.path().join(name);
        std::fs::create_dir_all(path("f/deep")).unwrap();
        std::fs::write(path("m.p3d"), "").unwrap();
        let roots = ["f", "m.p3d", "none"].map(path);
        let around = Around::scanned(&Scan::new(roots), None);
        for (name, expected) in [
            ("f", true),
            ("f/x", true),
            ("f/deep/x", true),
            ("m.p3d", true),
            // Files that are gone since, and folders that came.
            ("none", true),
            ("none/x", false),
            ("m.p3d/x", false),
            ("fx", false),
            ("g/x", false),
            ("x", false),
        ] {
            assert_eq!(around.is_known(&path(name)), expected, "{name}");
        }
        // A single model is around itself.
        let alone = Around { roots: None, ..Around::scanned(&Scan::new([""; 0]), None) };
        assert!(alone.is_known(&path("x")));
    }

    /// A PBO with empty members of these names.
    fn pbo(names: &[&str]) -> Vec<u8> {
        let mut pbo = Vec::new();
        for name in names.iter().chain(&[""]) {
            pbo.extend(name.bytes());
            pbo.extend([0; 21]);
        }
        pbo
    }

    #[test]
    fn finding_a_member_costs_64_and_its_name_for_each() {
        let all = ["a", "bb.png", "c", "dir\\ddd.p3d"];
        for count in 1..=all.len() {
            let names = &all[..count];
            let bytes = pbo(names);
            let limits = Limits::default();
            let budget = Budget::new(bytes.len() as u64, &limits);
            let expected: usize = names.iter().map(|name| 64 + name.len()).sum();
            assert_eq!(cost(Path::new("x.pbo"), &bytes, &budget), Some(expected as u64), "{names:?}");
        }
        let budget = Budget::new(0, &Limits::default());
        let bytes = b"BB3D\x04\0\0\0\x01\0\0\0";
        assert_eq!(cost(Path::new("x.b3d"), bytes, &budget), None);
        assert_eq!(cost(Path::new("x.txt"), b"text", &budget), None);
    }

    /// The content of a member and a copy of it are held. The archive, whose size comes first, is not.
    #[test]
    fn a_member_may_be_half_as_large_as_the_memory() {
        for decoded_bytes in [0, 1, 999, 1000, 1001] {
            let limits = Limits::default().with_decoded_bytes(decoded_bytes);
            for member in [0, 1, 499, 500, 501, 2000] {
                let (around, budget) = (Budget::new(1 << 20, &limits), Budget::new(1 << 20, &limits));
                let room = Room::new(&around);
                let mut cost =
                    MemberCost { room: &room, budget: &budget, knows_archive: false, twice: 0, is_too_large: false };
                assert!(cost.take(1 << 40).is_ok() && !cost.is_too_large);
                let taken = cost.take(member).is_ok();
                let is_enough = 2 * member <= decoded_bytes;
                assert_eq!((taken, cost.is_too_large), (is_enough, !is_enough), "{member} in {decoded_bytes}");
                assert_eq!(cost.twice, 2 * member);
            }
        }
    }

    /// Of more archives, those that were used last stay open.
    #[test]
    fn four_archives_are_open_at_once() {
        let places: Vec<(PathBuf, Option<&str>)> = ["a", "b", "c"]
            .into_iter()
            .flat_map(|path| [(path.into(), None), (path.into(), Some("x")), (path.into(), Some("y"))])
            .collect();
        let mut open = Open::default();
        // The last used ones, the newest at the end.
        let mut expected: Vec<usize> = Vec::new();
        for step in 0..200 {
            let number = step * step % 23 % places.len();
            let (path, inner) = &places[number];
            let found = open.archive(path, *inner);
            assert_eq!(found.is_some(), expected.contains(&number), "{step}");
            if let Some(found) = found {
                assert_eq!(found.cost, number as u64, "{step}");
                expected.retain(|known| *known != number);
            } else {
                let archive =
                    Arc::new(Archive { name: path.clone(), bytes: Whole::Own(b""), range: 0..0, cost: number as u64 });
                open.keep(Opened { path: path.clone(), inner: inner.map(str::to_owned), archive });
            }
            expected.push(number);
            if expected.len() > 4 {
                expected.remove(0);
            }
            let kept: Vec<usize> = open.archives.iter().map(|opened| opened.archive.cost as usize).collect();
            assert_eq!(kept, expected, "{step}");
        }
    }
}
