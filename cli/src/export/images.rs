//! Finds the images that a model uses: those that the user names, in the model, by the prefix of the folder around it, next
//! to its file, in its archive, or below a given folder.

use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use meshpeek::address::{Address, open_checked_member};
use meshpeek::budget::Reservation as Room;
use meshpeek::container::Container;
use meshpeek::export::{Embedded, Pixels, base_name, is_embeddable};
use meshpeek::geometry::Texture;
use meshpeek::inspect::Text;
use meshpeek::scan::refs::Covering;
use meshpeek::summary::Name;
use meshpeek::{Access, Asset, Budget, Error, FileMap, Limits};

use super::decode::{TooLarge, decode};
use super::texture;
use crate::args::Common;
use crate::notes::Notes;

/// The most images to search for. Real models have dozens.
const MOST_IMAGES: usize = 1000;
/// The cost of comparing the name of an image, in bytes of work.
const LOOK_WORK: u64 = 64;
/// The most files of a folder to examine for a name in another case.
const MOST_ENTRIES: usize = 10_000;
/// The most files and folders to examine below a folder of images.
const MOST_BELOW: usize = 500_000;

/// The images that a user names.
#[derive(Default)]
pub(crate) struct Given {
    /// A folder with images, searched with everything below it.
    pub(crate) folder: Option<PathBuf>,
    /// Names in the model, and their files.
    pub(crate) files: Vec<(String, PathBuf)>,
}

/// Finds images, each once.
pub(crate) struct Images<'a> {
    asset: &'a Asset<'a>,
    around: Around<'a>,
    given: Given,
    limits: Limits,
    /// Reports images that are left out.
    notes: Option<Notes>,
    found: HashMap<String, Option<Bytes>>,
    /// The folder around the model that has a prefix file, once looked for.
    covering: Option<Option<Covering>>,
    /// The files next to the model, by lower-case name. Read when an image is not found by its exact name.
    beside: Option<HashMap<String, PathBuf>>,
    /// The files below the given folder, by lower-case name. Read when an image is not found elsewhere.
    below: Option<HashMap<String, Vec<PathBuf>>>,
    /// The members of the archive around the model, by lower-case name. Read when an image is not next to the model.
    members: Option<HashMap<String, Vec<String>>>,
}

type Bytes = Box<dyn AsRef<[u8]>>;

/// The surroundings of the model.
pub(crate) enum Around<'a> {
    Nothing,
    Folder(PathBuf),
    Archive(Inside<'a>),
}

/// The place of a model in an archive.
#[derive(Clone, Copy)]
pub(crate) struct Inside<'a> {
    pub(crate) file: &'a Path,
    /// The bytes of the file.
    pub(crate) outer: &'a [u8],
    /// The path of the model in it.
    pub(crate) member: &'a [u8],
    /// What pays for finding other members, if not the budget of the picture.
    pub(crate) budget: Option<&'a Budget>,
}

impl Around<'_> {
    /// The folder of a file.
    pub(crate) fn of_file(file: &Path) -> Self {
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Self::Folder(folder.to_owned())
    }
}

impl meshpeek::export::Images for Images<'_> {
    fn file(&mut self, texture: &Texture<'_>, room: &Room<'_>) -> Option<&[u8]> {
        self.find(texture, room).filter(|bytes| is_embeddable(bytes))
    }

    fn pixels(&mut self, texture: &Texture<'_>, most: u32, room: &Room<'_>) -> Option<Pixels> {
        let name = Name::from(texture.name).text;
        match decode(self.find(texture, room)?, &name, most, room) {
            Ok(pixels) => pixels,
            Err(TooLarge) => {
                self.leave_out(&name);
                None
            }
        }
    }

    fn left_out(&mut self, name: &str) {
        self.leave_out(name);
    }
}

impl<'a> Images<'a> {
    /// Creates a finder for the asset at an address.
    pub(crate) fn of(
        asset: &'a Asset<'a>,
        address: &'a Address,
        outer: &'a [u8],
        given: Given,
        common: &Common,
    ) -> Self {
        let around = match &address.member {
            Some(member) => Around::Archive(Inside { file: &address.file, outer, member, budget: None }),
            None if address.is_stdin() => Around::Nothing,
            None => Around::of_file(&address.file),
        };
        Self::new(asset, around, given, common.limits.limits(), Some(Notes::new(common)))
    }

    /// Creates a finder for an asset that a scan has open.
    pub(crate) fn seen(asset: &'a Asset<'a>, around: Around<'a>, limits: &Limits) -> Self {
        Self::new(asset, around, Given::default(), *limits, None)
    }

    fn new(asset: &'a Asset<'a>, around: Around<'a>, given: Given, limits: Limits, notes: Option<Notes>) -> Self {
        Self {
            asset,
            around,
            given,
            limits,
            notes,
            found: HashMap::new(),
            covering: None,
            beside: None,
            below: None,
            members: None,
        }
    }

    /// Reports that an image is left out because it is too large.
    fn leave_out(&self, name: &str) {
        if let Some(notes) = self.notes {
            notes.say(format_args!("{name}: image left out: too large for the limits set for reading"));
        }
    }

    /// The bytes of an image, unchanged. `None` if it is not available, or exceeds the limits.
    fn find(&mut self, texture: &Texture<'_>, room: &Room<'_>) -> Option<&[u8]> {
        let name = Name::from(texture.name).text;
        if !self.found.contains_key(&name) {
            if self.found.len() >= MOST_IMAGES {
                return None;
            }
            let bytes = self.given(&name, room);
            let bytes = bytes.or_else(|| self.inside(texture, room).map(|bytes| Box::new(bytes) as Bytes));
            let bytes = bytes.or_else(|| self.outside(&name, room));
            let bytes = bytes.or_else(|| self.outside(&texture::stored_name(&name)?, room));
            self.found.insert(name.clone(), bytes);
        }
        Some(self.found.get(&name)?.as_ref()?.as_ref().as_ref())
    }

    /// The file that the user gives for a name: the whole name as stored, or its last component.
    fn given(&self, name: &str, room: &Room<'_>) -> Option<Bytes> {
        let is_same = |given: &str| given.eq_ignore_ascii_case(name) || given.eq_ignore_ascii_case(base_name(name));
        let (_, path) = self.given.files.iter().find(|(given, _)| is_same(given))?;
        self.open(path, name, room)
    }

    /// Reads a file, unless it is too large.
    fn open(&self, path: &Path, name: &str, room: &Room<'_>) -> Option<Bytes> {
        let mut is_too_large = false;
        // Always copy: decoders do not support bytes that change.
        let file = FileMap::open_checked(path, Access::READ, &self.limits, |bytes| {
            // Its own bytes count as read, so the budget always covers them.
            is_too_large = !room.affords(0, 0, bytes);
            if is_too_large {
                return Err(too_large());
            }
            room.budget().add_bytes(bytes);
            room.kept(bytes)
        });
        if is_too_large {
            self.leave_out(name);
        }
        file.ok().map(|file| Box::new(file) as Bytes)
    }

    fn inside(&self, texture: &Texture<'_>, room: &Room<'_>) -> Option<Vec<u8>> {
        let found = Embedded::new(self.asset).find(texture, room);
        if found.is_err() {
            self.leave_out(&Name::from(texture.name).text);
        }
        found.ok().flatten()
    }

    /// The file of this name: the one with this path below the folder that has the prefix, else by its last component.
    fn outside(&mut self, full_name: &str, room: &Room<'_>) -> Option<Bytes> {
        let name = base_name(full_name);
        if name.is_empty() || name == "." || name == ".." {
            return None;
        }
        if let Some(path) = self.by_prefix(full_name) {
            return self.open(&path, full_name, room);
        }
        let near = match &self.around {
            Around::Nothing => None,
            Around::Folder(folder) => {
                let path = folder.join(name);
                let path = if path.is_file() { Some(path) } else { self.same_but_for_case(name) };
                path.and_then(|path| self.open(&path, full_name, room))
            }
            Around::Archive(..) => self.member(full_name, room),
        };
        near.or_else(|| {
            let path = self.below(full_name)?;
            self.open(&path, full_name, room)
        })
    }

    /// The file that the game means, as `refs` finds it.
    fn by_prefix(&mut self, name: &str) -> Option<PathBuf> {
        let Around::Folder(folder) = &self.around else { return None };
        if !matches!(self.asset, Asset::Odol(_) | Asset::Mlod(_)) {
            return None;
        }
        self.covering.get_or_insert_with(|| Covering::of(folder)).as_ref()?.find(name)
    }

    /// The member of this name: next to the model, else elsewhere in its archive, the nearest first.
    fn member(&mut self, full_name: &str, room: &Room<'_>) -> Option<Bytes> {
        let Around::Archive(inside) = self.around else { return None };
        let Inside { file, outer, member, .. } = inside;
        let budget = inside.budget.unwrap_or(room.budget());
        let slash = member.iter().rposition(|&byte| byte == b'/' || byte == b'\\');
        let folder = &member[..slash.map_or(0, |slash| slash + 1)];
        let is_too_large = Cell::new(false);
        let open = |path: &[u8]| {
            let mut check = |bytes: u64| {
                is_too_large.set(!room.affords(bytes.saturating_mul(2), 0, bytes.saturating_mul(2)));
                if is_too_large.get() { Err(too_large()) } else { Ok(()) }
            };
            let opened = open_checked_member(file, outer, Some(path), budget, &mut check);
            let content = opened.and_then(|opened| opened.content).ok()?;
            content.check().ok()?;
            room.kept(content.len() as u64).ok()?;
            Some(Box::new(content.to_vec()) as Bytes)
        };
        let name = base_name(full_name);
        let mut found = open(&[folder, name.as_bytes()].concat());
        if found.is_none() && !is_too_large.get() {
            let all = self.members.get_or_insert_with(|| members(inside, budget, room).unwrap_or_default());
            let same = all.get(&name.to_lowercase());
            let nearest = same.and_then(|same| same.iter().min_by_key(|path| far(path, full_name)));
            found = nearest.and_then(|path| open(path.as_bytes()));
        }
        if is_too_large.get() {
            self.leave_out(full_name);
        }
        found
    }

    fn same_but_for_case(&mut self, name: &str) -> Option<PathBuf> {
        let Around::Folder(folder) = &self.around else { return None };
        let beside = self.beside.get_or_insert_with(|| {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().take(MOST_ENTRIES);
            entries.filter_map(|entry| Some((entry.file_name().to_str()?.to_lowercase(), entry.path()))).collect()
        });
        beside.get(&name.to_lowercase()).filter(|path| path.is_file()).cloned()
    }

    /// The file of this name below the given folder, in any case: the one whose folders are most like those of the name,
    /// then the one with the fewest folders.
    fn below(&mut self, full_name: &str) -> Option<PathBuf> {
        let folder = self.given.folder.as_ref()?;
        let below = self.below.get_or_insert_with(|| below(folder));
        let all = below.get(&base_name(full_name).to_lowercase())?;
        all.iter().min_by_key(|path| far(&path.to_string_lossy(), full_name)).cloned()
    }
}

/// Returns a key that sorts paths by their distance from a name, the nearest first: most equal last components in any
/// case, then fewest components.
fn far(path: &str, name: &str) -> (Reverse<usize>, usize, String) {
    let parts = |text: &str| text.to_lowercase().split(['/', '\\']).rev().map(str::to_owned).collect::<Vec<_>>();
    let (of_path, of_name) = (parts(path), parts(name));
    let same = of_path.iter().zip(&of_name).take_while(|(a, b)| a == b).count();
    (Reverse(same), of_path.len(), path.to_owned())
}

/// The files below a folder, by lower-case name. Links are not followed.
fn below(folder: &Path) -> HashMap<String, Vec<PathBuf>> {
    let mut all: HashMap<String, Vec<PathBuf>> = HashMap::new();
    let (mut folders, mut seen) = (vec![folder.to_owned()], 0);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            seen += 1;
            if seen > MOST_BELOW {
                return all;
            }
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(kind) if kind.is_file() => {
                    if let Some(name) = entry.file_name().to_str() {
                        all.entry(name.to_lowercase()).or_default().push(entry.path());
                    }
                }
                _ => {}
            }
        }
    }
    all
}

/// The members of the innermost archive around a member, as addresses in the file, by lower-case name.
fn members(
    Inside { file, outer, member, .. }: Inside<'_>,
    budget: &Budget,
    room: &Room<'_>,
) -> meshpeek::Result<HashMap<String, Vec<String>>> {
    let seam = member.windows(2).rposition(|two| two == b"!/");
    let around = seam.map(|seam| &member[..seam]);
    let opened = open_checked_member(file, outer, around, budget, &mut |_| Ok(()))?;
    let (content, prefix) = (opened.content?, around.map(String::from_utf8_lossy));
    let name = opened.member.map_or_else(|| file.to_owned(), |name| name.text.into());
    let asset = Asset::parse_file(&name, &content, content.budget().limits())?;
    let mut all: HashMap<String, Vec<String>> = HashMap::new();
    for member in Container::of(&asset).into_iter().flat_map(|archive| archive.members()) {
        let Ok(member) = member else { break };
        let text = Name::from(Text::from(member.name())).text;
        room.kept(LOOK_WORK + 2 * text.len() as u64)?;
        let path = prefix.as_ref().map_or_else(|| text.clone(), |prefix| format!("{prefix}!/{text}"));
        all.entry(base_name(&text).to_lowercase()).or_default().push(path);
    }
    Ok(all)
}

fn too_large() -> Error {
    Error::unsupported("too large an image")
}
