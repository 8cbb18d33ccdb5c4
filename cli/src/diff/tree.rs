//! Trees and files of a git repository as sides of a comparison.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use meshpeek::answers::folders::Files;
use meshpeek::scan::Selection;
use meshpeek::summary::Name;
use meshpeek::view::ByteStr;
use meshpeek::{Error, Limits};
use tempfile::TempDir;

use super::git::{Head, Id, Kind, Objects, resolve};
use crate::args::Common;
use crate::failure::Failure;
use crate::output_file;
use crate::report::{count, grouped};
use crate::source::Source;
use crate::visible::shown;

/// All files of a tree may have this many times the size that one may have.
const MOST_FILES: u64 = 16;
/// The memory for a file of a list, in addition to its path.
const OF_A_FILE: u64 = 96;
/// The memory for a file that is compared, in addition to its path.
const OF_A_COMPARED_FILE: u64 = 256;
/// Missing objects that a message names.
const NAMED: usize = 3;

/// One side of a comparison.
pub(super) enum Side {
    /// A file or folder outside of a repository.
    Given(PathBuf),
    /// A file of a repository, written to this path.
    File(PathBuf),
    Tree(Tree),
}

impl Side {
    pub(super) fn is_folder(&self) -> bool {
        match self {
            Self::Given(path) => path.is_dir(),
            Self::File(_) => false,
            Self::Tree(_) => true,
        }
    }

    /// Opens a side that is a file. Messages call it by the text given for it.
    pub(super) fn source<'p>(&'p self, text: &'p Path, common: &Common) -> Result<Source<'p>, Failure> {
        match self {
            Self::File(path) => Ok(Source::open(path, common)?.named(text)),
            Self::Given(_) | Self::Tree(_) => Source::open(text, common),
        }
    }

    /// Lists the files of a side that is a folder.
    pub(super) fn list(self, selection: &Selection, errors: &mut dyn FnMut(Error)) -> Tree {
        match self {
            Self::Given(path) | Self::File(path) => {
                let mut missing = Missing::default();
                let files = Files::list(&path, selection, &mut |error| {
                    missing.add_unlisted(&path, &error);
                    errors(error);
                });
                Tree { files, missing }
            }
            Self::Tree(tree) => tree,
        }
    }
}

/// A folder, which may be of a repository.
pub(super) struct Tree {
    pub(super) files: Files,
    pub(super) missing: Missing,
}

/// The objects of a tree that git does not have, and the folders that cannot be listed.
#[derive(Default)]
pub(super) struct Missing {
    objects: HashSet<Id>,
    /// The paths of the first.
    paths: Vec<String>,
    /// The paths of folders, as they are compared.
    folders: HashSet<String>,
}

impl Missing {
    fn add(&mut self, item: &Item) {
        if self.objects.insert(item.id) && self.paths.len() < NAMED {
            self.paths.push(ByteStr::new(&item.path).to_string());
        }
        if item.kind == Listed::MissingFolder {
            self.folders.insert(folded(&Name::from(ByteStr::new(&item.path)).text));
        }
    }

    /// Adds the folder below `root` that an error is about.
    fn add_unlisted(&mut self, root: &Path, error: &Error) {
        let mut below = Path::new("");
        if let Some(path) = error.path()
            && let Ok(path) = path.strip_prefix(root)
        {
            below = path;
        }
        self.folders.insert(folded(&Name::from(below).text));
    }

    /// A message about the missing objects, if there are any.
    pub(super) fn message(&self) -> Option<String> {
        if self.objects.is_empty() {
            return None;
        }
        let objects = count(self.objects.len() as u64, "objects");
        let more = if self.objects.len() > self.paths.len() { ", ..." } else { "" };
        Some(format!("git does not have {objects} of this tree (a partial clone?): {}{more}", self.paths.join(", ")))
    }

    /// Returns true if a file is in a folder of which it is not known which files it has.
    pub(super) fn may_have(&self, path: &str) -> bool {
        if self.folders.is_empty() {
            return false;
        }
        if self.folders.contains("") {
            return true;
        }
        let path = folded(path);
        path.match_indices('/').any(|(slash, _)| self.folders.contains(&path[..slash]))
    }
}

/// Paths are paired without their case.
fn folded(path: &str) -> String {
    path.to_ascii_lowercase().replace('\\', "/")
}

/// The temporary folder of files that git wrote, or of members. They are named by their ids or numbers, and not by anything in
/// the repository or archive.
pub(super) struct Folder(TempDir);

impl Folder {
    pub(super) fn new() -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("meshpeek-").tempdir()?;
        output_file::remove_if_interrupted(folder.path());
        Ok(Self(folder))
    }

    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        output_file::end(self.0.path());
    }
}

/// An object of the repository.
struct Object {
    /// The revision and path.
    name: String,
    id: Id,
    /// `None` for a file.
    items: Option<Vec<Item>>,
}

/// A file of a tree.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Item {
    path: Vec<u8>,
    id: Id,
    kind: Listed,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Listed {
    File,
    MissingFolder,
}

/// The sides of a comparison, where files of `git:REV:PATH` are written to a folder. Of two trees, only those that differ
/// are.
pub(super) fn sides(paths: [&Path; 2], limits: &Limits) -> Result<([Side; 2], Option<Folder>), Failure> {
    let [path_a, path_b] = paths;
    let name_a = revision(path_a);
    let name_b = revision(path_b);
    if name_a.is_none() && name_b.is_none() {
        return Ok((paths.map(|path| Side::Given(path.to_owned())), None));
    }
    let [text_a, text_b] = &paths.map(shown);
    let mut trees = Trees { objects: Objects::start()?, known: HashMap::new(), room: limits.decoded_bytes, limits };
    let mut a = trees.find(name_a).map_err(|error| error.of(text_a))?;
    let mut b = trees.find(name_b).map_err(|error| error.of(text_b))?;
    if let Some(Object { items: Some(a), .. }) = &mut a
        && let Some(Object { items: Some(b), .. }) = &mut b
    {
        [*a, *b] = differing(std::mem::take(a), std::mem::take(b));
    }
    let Trees { objects, .. } = trees;
    let folder = Folder::new()?;
    let mut writer = Writer { objects, folder: folder.0.path(), limits, room: limits.decoded_bytes };
    let a = writer.side(path_a, a).map_err(|error| error.of(text_a))?;
    let b = writer.side(path_b, b).map_err(|error| error.of(text_b))?;
    Ok(([a, b], Some(folder)))
}

/// The revision and path in `git:REV:PATH`, unless a file has this name.
fn revision(side: &Path) -> Option<String> {
    let name = side.to_str()?.strip_prefix("git:")?;
    if side.exists() {
        return None;
    }
    Some(if colon(name).is_some() { name.to_owned() } else { format!("{name}:") })
}

/// The place of the `:` between revision and path. Those in braces belong to the revision. A `}` that closes none may be
/// in the name of a branch.
fn colon(name: &str) -> Option<usize> {
    let mut depth = 0_u64;
    for (place, byte) in name.bytes().enumerate() {
        match byte {
            b'{' => depth = depth.saturating_add(1),
            b'}' => depth = depth.saturating_sub(1),
            b':' if depth == 0 => return Some(place),
            _ => {}
        }
    }
    None
}

/// The items of two sorted lists that are not in both.
fn differing(a: Vec<Item>, b: Vec<Item>) -> [Vec<Item>; 2] {
    let mut only_a = Vec::new();
    let mut only_b = Vec::new();
    let mut a = a.into_iter().peekable();
    let mut b = b.into_iter().peekable();
    while let (Some(one), Some(two)) = (a.peek(), b.peek()) {
        match one.cmp(two) {
            std::cmp::Ordering::Less => only_a.extend(a.next()),
            std::cmp::Ordering::Greater => only_b.extend(b.next()),
            std::cmp::Ordering::Equal => {
                a.next();
                b.next();
            }
        }
    }
    only_a.extend(a);
    only_b.extend(b);
    [only_a, only_b]
}

/// A message about a side, without its name.
struct Fault(String);

impl Fault {
    fn of(self, text: &str) -> Failure {
        Failure::Message(format!("{text}: {}", self.0))
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self(error.to_string())
    }
}

impl From<String> for Fault {
    fn from(message: String) -> Self {
        Self(message)
    }
}

/// The trees read so far.
struct Trees<'l> {
    objects: Objects,
    known: HashMap<Id, Known>,
    /// The bytes that trees and lists may still take.
    room: u64,
    limits: &'l Limits,
}

#[derive(Clone)]
enum Known {
    Missing,
    /// Not all trees in it are counted.
    Begun(Rc<[u8]>),
    Counted(Rc<[u8]>, Extent),
}

/// How long the list of a tree is.
#[derive(Clone, Copy, Default)]
struct Extent {
    /// Files, links and folders.
    entries: u64,
    /// Items of the list.
    items: u64,
    /// Their memory.
    bytes: u64,
}

impl Trees<'_> {
    /// Finds an object by its name.
    fn find(&mut self, name: Option<String>) -> Result<Option<Object>, Fault> {
        let Some(name) = name else { return Ok(None) };
        let Some(id) = resolve(&name)? else { return Err(Fault(absence(&name)?)) };
        let Some(head) = Objects::start()?.ask(id)? else {
            return Err(Fault(format!("git does not have this object, {id} (a partial clone, or a submodule?)")));
        };
        let items = match head.kind {
            Kind::Blob => None,
            Kind::Tree => Some(self.list(id)?),
            Kind::Other => return Err(Fault("neither a file nor a folder".to_owned())),
        };
        Ok(Some(Object { name, id, items }))
    }

    /// The files of a tree, without links and submodules, in the order of their paths.
    fn list(&mut self, root: Id) -> Result<Vec<Item>, Fault> {
        let extent = self.count(root)?;
        let most = self.limits.archive_members;
        if extent.entries > most.into() {
            return Err(Fault(format!(
                "has {} files and folders, more than the limit of {}; --max-archive-members raises it",
                grouped(extent.entries),
                grouped(most.into())
            )));
        }
        self.take(extent.bytes)?;
        let mut items = Vec::new();
        let mut path: Vec<u8> = Vec::new();
        // Trees that are listed in part, with the number of their bytes that are, and the length of their path.
        let mut open = vec![(root, 0, 0)];
        while let Some((id, place, length)) = open.pop() {
            path.truncate(length);
            let Some(Known::Counted(tree, _)) = self.known.get(&id) else { continue };
            let Some((entry, place)) = entry(tree, place, id.len())? else { continue };
            open.push((id, place, length));
            path.extend_from_slice(entry.name);
            match (entry.kind, self.known.get(&entry.id)) {
                (EntryKind::Tree, Some(Known::Missing)) => {
                    items.push(Item { path: path.clone(), id: entry.id, kind: Listed::MissingFolder });
                }
                (EntryKind::Tree, _) => {
                    path.push(b'/');
                    open.push((entry.id, 0, path.len()));
                }
                (EntryKind::File, _) => items.push(Item { path: path.clone(), id: entry.id, kind: Listed::File }),
                (EntryKind::Other, _) => {}
            }
        }
        items.sort_unstable();
        Ok(items)
    }

    /// Counts the files of a tree. Trees that occur often are read once.
    fn count(&mut self, root: Id) -> Result<Extent, Fault> {
        let mut open = vec![root];
        while let Some(&id) = open.last() {
            let tree = match self.known.get(&id) {
                Some(Known::Missing | Known::Counted(..)) => {
                    open.pop();
                    continue;
                }
                Some(Known::Begun(tree)) => tree.clone(),
                None => match self.read(id)? {
                    None => {
                        self.known.insert(id, Known::Missing);
                        continue;
                    }
                    Some(tree) => {
                        self.known.insert(id, Known::Begun(tree.clone()));
                        self.open_inner(&tree, id, &mut open)?;
                        continue;
                    }
                },
            };
            let extent = self.extent(&tree, id)?;
            self.known.insert(id, Known::Counted(tree, extent));
        }
        match self.known.get(&root) {
            Some(Known::Counted(_, extent)) => Ok(*extent),
            _ => Err(Fault(format!("git does not have this tree, {root} (a partial clone?)"))),
        }
    }

    /// Adds the trees in a tree that are not counted.
    fn open_inner(&self, tree: &[u8], id: Id, open: &mut Vec<Id>) -> Result<(), Fault> {
        let mut place = 0;
        while let Some((entry, next)) = entry(tree, place, id.len())? {
            place = next;
            if entry.kind != EntryKind::Tree {
                continue;
            }
            match self.known.get(&entry.id) {
                // Git does not compare content with its id.
                Some(Known::Begun(_)) => return Err(Fault(format!("the tree {} contains itself", entry.id))),
                Some(_) => {}
                None => open.push(entry.id),
            }
        }
        Ok(())
    }

    /// Counts a tree whose trees are counted.
    fn extent(&self, tree: &[u8], id: Id) -> Result<Extent, Fault> {
        let mut all = Extent::default();
        let mut place = 0;
        while let Some((entry, next)) = entry(tree, place, id.len())? {
            place = next;
            let length = entry.name.len() as u64;
            let inner = match (entry.kind, self.known.get(&entry.id)) {
                (EntryKind::Other, _) => Extent::default(),
                (EntryKind::Tree, Some(Known::Counted(_, extent))) => {
                    let folder = length.saturating_add(1).saturating_mul(extent.items);
                    Extent { bytes: extent.bytes.saturating_add(folder), ..*extent }
                }
                _ => Extent { entries: 0, items: 1, bytes: length.saturating_add(OF_A_FILE) },
            };
            all.entries = all.entries.saturating_add(1).saturating_add(inner.entries);
            all.items = all.items.saturating_add(inner.items);
            all.bytes = all.bytes.saturating_add(inner.bytes);
        }
        Ok(all)
    }

    /// Reads a tree, unless git does not have it.
    fn read(&mut self, id: Id) -> Result<Option<Rc<[u8]>>, Fault> {
        let Some(head) = self.objects.ask(id)? else { return Ok(None) };
        if head.kind != Kind::Tree {
            return Err(Fault(format!("{id} is not a tree")));
        }
        self.take(head.bytes.saturating_add(OF_A_FILE))?;
        Ok(Some(self.objects.read(id, head)?.into()))
    }

    fn take(&mut self, bytes: u64) -> Result<(), Fault> {
        self.room = self.room.checked_sub(bytes).ok_or_else(|| too_long(self.limits))?;
        Ok(())
    }
}

fn too_long(limits: &Limits) -> Fault {
    Fault(format!(
        "the list of its files takes more than {} bytes, the limit for decoded data; --max-decoded raises it",
        grouped(limits.decoded_bytes)
    ))
}

/// Explains why there is no object of this name.
fn absence(name: &str) -> Result<String, Fault> {
    let (revision, path) = name.split_at(colon(name).unwrap_or(name.len()));
    let mut above = path.get(1..).unwrap_or_default().trim_end_matches('/');
    while !above.is_empty() {
        above = match above.rsplit_once('/') {
            Some((above, _)) => above,
            None => "",
        };
        let Some(id) = resolve(&format!("{revision}:{above}"))? else { continue };
        return Ok(match Objects::start()?.ask(id)? {
            Some(_) => "this revision has no such path".to_owned(),
            None => format!("git does not have the folder {} (a partial clone?)", ByteStr::from(above)),
        });
    }
    let Some(id) = resolve(revision)? else {
        return Ok(
            "git does not know this revision, or does not have its commits (a shallow or partial clone?)".to_owned()
        );
    };
    Ok(match Objects::start()?.ask(id)? {
        Some(Head { kind: Kind::Other, .. }) => {
            "git does not have the files of this revision (a partial clone?)".to_owned()
        }
        Some(_) => "this revision has no such path".to_owned(),
        None => format!("git does not have the commit {id} (a partial clone?)"),
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum EntryKind {
    File,
    Tree,
    /// A link or a submodule.
    Other,
}

/// An entry of a tree: its mode, a space, its name, a zero, and an id.
struct Entry<'t> {
    kind: EntryKind,
    name: &'t [u8],
    id: Id,
}

/// Returns the entry at this place of a tree, and where the next one starts.
fn entry(tree: &[u8], place: usize, id_length: usize) -> Result<Option<(Entry<'_>, usize)>, Fault> {
    let rest = tree.get(place..).unwrap_or_default();
    if rest.is_empty() {
        return Ok(None);
    }
    let Some(zero) = rest.iter().position(|byte| *byte == 0) else { return Err(damaged()) };
    let (text, after) = rest.split_at(zero);
    let Some(space) = text.iter().position(|byte| *byte == b' ') else { return Err(damaged()) };
    let (mode, name) = text.split_at(space);
    let kind = match mode {
        b"40000" | b"040000" => EntryKind::Tree,
        mode if mode.starts_with(b"100") => EntryKind::File,
        _ => EntryKind::Other,
    };
    let Some(id) = after.get(1..=id_length).and_then(Id::new) else { return Err(damaged()) };
    let name = name.get(1..).unwrap_or_default();
    let next = place.saturating_add(zero).saturating_add(1).saturating_add(id_length);
    Ok(Some((Entry { kind, name, id }, next)))
}

fn damaged() -> Fault {
    Fault("git has a damaged tree".to_owned())
}

/// Writes files of a repository to the temporary folder.
struct Writer<'w> {
    objects: Objects,
    folder: &'w Path,
    limits: &'w Limits,
    /// The bytes that the files in lists may still take.
    room: u64,
}

impl Writer<'_> {
    /// Writes the files of an object. Any other side stays where it is.
    fn side(&mut self, path: &Path, object: Option<Object>) -> Result<Side, Fault> {
        let Some(object) = object else { return Ok(Side::Given(path.to_owned())) };
        // All files of a tree, each of those that are the same.
        let mut left = self.limits.decoded_bytes.saturating_mul(MOST_FILES);
        let Some(items) = object.items else {
            return match self.write(object.id, &mut left)? {
                Some(path) => Ok(Side::File(path)),
                None => Err(Fault(format!("git does not have this file, {} (a partial clone?)", object.id))),
            };
        };
        let slash = if object.name.ends_with([':', '/']) { "" } else { "/" };
        let mut files = Files::with_prefix(format!("git:{}{slash}", object.name));
        let mut missing = Missing::default();
        for item in items {
            let memory = (item.path.len() as u64).saturating_mul(2).saturating_add(OF_A_COMPARED_FILE);
            self.room = self.room.checked_sub(memory).ok_or_else(|| too_long(self.limits))?;
            if item.kind == Listed::MissingFolder {
                missing.add(&item);
                continue;
            }
            let content = match self.write(item.id, &mut left)? {
                Some(content) => Ok(content),
                None => {
                    missing.add(&item);
                    Err(Error::malformed("git does not have this object (a partial clone?)"))
                }
            };
            files.push(Name::from(ByteStr::new(&item.path)), content);
        }
        Ok(Side::Tree(Tree { files, missing }))
    }

    /// Writes a file, unless it is there. `None` if git does not have it.
    fn write(&mut self, id: Id, left: &mut u64) -> Result<Option<PathBuf>, Fault> {
        let path = self.folder.join(id.to_string());
        if let Ok(metadata) = path.metadata() {
            self.charge(metadata.len(), left)?;
            return Ok(Some(path));
        }
        let Some(head) = self.objects.ask(id)? else { return Ok(None) };
        if head.kind != Kind::Blob {
            return Err(Fault(format!("{id} is not a file")));
        }
        self.charge(head.bytes, left)?;
        self.objects.copy(id, head, &mut File::create_new(&path)?)?;
        Ok(Some(path))
    }

    fn charge(&self, bytes: u64, left: &mut u64) -> Result<(), Fault> {
        match left.checked_sub(bytes) {
            Some(rest) if bytes <= self.limits.decoded_bytes => *left = rest,
            _ => return Err(Fault("larger than the limits allow; --max-decoded raises them".to_owned())),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every text of these letters up to a length.
    fn texts(letters: &[char], longest: usize) -> Vec<String> {
        let mut all = vec![String::new()];
        let mut first = 0;
        for _ in 0..longest {
            let end = all.len();
            for index in first..end {
                for letter in letters {
                    let longer = format!("{}{letter}", all[index]);
                    all.push(longer);
                }
            }
            first = end;
        }
        all
    }

    /// The rule in another way: braces that close are taken out, from the inside, until none is open.
    fn has_open_brace(text: &str) -> bool {
        let mut text = text.to_owned();
        while let Some((before, _)) = text.split_once('}') {
            let end = before.len();
            match before.rfind('{') {
                Some(start) => text.replace_range(start..=end, ""),
                None => text.replace_range(end..=end, ""),
            }
        }
        text.contains('{')
    }

    #[test]
    fn a_colon_outside_of_braces_ends_the_revision() {
        for text in texts(&['{', '}', ':', 'a'], 6) {
            let mut colons = text.match_indices(':').map(|(place, _)| place);
            assert_eq!(colon(&text), colons.find(|&place| !has_open_brace(&text[..place])), "{text}");
            // Without a path it is the whole tree.
            let name = if colon(&text).is_some() { text.clone() } else { format!("{text}:") };
            assert_eq!(revision(Path::new(&format!("git:{text}"))), Some(name), "{text}");
            for other in [text.clone(), format!("GIT:{text}"), format!("git{text}x"), format!("./git:{text}")] {
                let is_of_git = other.starts_with("git:");
                assert_eq!(revision(Path::new(&other)).is_some(), is_of_git, "{other}");
            }
        }
    }

    fn id(number: u8) -> Id {
        Id::new(&[number; 20]).unwrap()
    }

    fn item(path: &str, number: u8, kind: Listed) -> Item {
        Item { path: path.as_bytes().to_vec(), id: id(number), kind }
    }

    #[test]
    fn items_of_one_list_alone_are_those_that_differ() {
        let all = [("a", 1), ("a", 2), ("b", 1), ("b/c", 1), ("c", 3)];
        let list = |chosen: usize| {
            let chosen = all.iter().enumerate().filter(move |(at, _)| chosen >> at & 1 == 1).map(|(_, one)| *one);
            chosen.collect::<Vec<_>>()
        };
        let items = |list: &[(&str, u8)]| {
            let mut items: Vec<Item> = list.iter().map(|(path, number)| item(path, *number, Listed::File)).collect();
            items.sort();
            items
        };
        for a in (0..32).map(list) {
            for b in (0..32).map(list) {
                let [only_a, only_b] = differing(items(&a), items(&b));
                let without = |list: &[(&'static str, u8)], other: &[(&str, u8)]| -> Vec<_> {
                    list.iter().copied().filter(|one| !other.contains(one)).collect()
                };
                assert!(only_a == items(&without(&a, &b)) && only_b == items(&without(&b, &a)), "{a:?} {b:?}");
            }
        }
        // A folder that git does not have is not a file with its id.
        let [a, b] = [Listed::File, Listed::MissingFolder].map(|kind| vec![item("a", 1, kind)]);
        assert_eq!(differing(a, b).map(|list| list.len()), [1, 1]);
    }

    #[test]
    fn files_in_missing_folders_are_those_below_them_in_any_case_and_with_any_slash() {
        let paths = texts(&['a', 'B', '/', '\\'], 4);
        let parts = |path: &str| path.split(['/', '\\']).map(str::to_ascii_lowercase).collect::<Vec<_>>();
        for folders in [&[][..], &["a"], &["A"], &["b/A"], &["a", "aa/b"], &["a\\B"], &["é"]] {
            let mut missing = Missing::default();
            for (number, folder) in (0..).zip(folders) {
                missing.add(&item(folder, number, Listed::MissingFolder));
                // A missing file is no folder of others.
                missing.add(&item("bb", 100, Listed::File));
            }
            for path in paths.iter().map(String::as_str).chain(["é/a", "É/a", "é", "éa/b"]) {
                let path_parts = parts(path);
                let is_in = |folder: &&str| {
                    let above = parts(folder);
                    path_parts.len() > above.len() && path_parts.starts_with(&above)
                };
                assert_eq!(missing.may_have(path), folders.iter().any(is_in), "{path} in {folders:?}");
            }
        }
    }

    #[test]
    fn files_below_a_folder_that_cannot_be_listed_are_not_known() {
        let all = &["x", "a", "a/x", "A/B/x"][..];
        for root in ["r", "r/s", "."] {
            for (unlisted, known, unknown) in [
                (Some(""), &[][..], all),
                (Some("/a"), &["x", "a", "b/a/x"], &["a/x", "A/x", "a/b/x"]),
                (Some("/a/b"), &["x", "a/x", "a/b", "b/x"], &["a/b/x", "A/B/c/x"]),
                // An error about another path, or about none, may be about any file.
                (Some("-other/a"), &[], all),
                (None, &[], all),
            ] {
                let mut error = Error::malformed("not listed");
                if let Some(path) = unlisted {
                    error = error.in_file(Path::new(&format!("{root}{path}")));
                }
                let mut missing = Missing::default();
                missing.add_unlisted(Path::new(root), &error);
                for (paths, expected) in [(known, false), (unknown, true)] {
                    for path in paths {
                        assert_eq!(missing.may_have(path), expected, "{path} without {unlisted:?} of {root}");
                    }
                }
            }
        }
    }

    /// A whole file alone, which the other side may have, and not of the side that has it.
    #[test]
    fn files_of_one_side_are_unknown_if_the_other_may_have_them() {
        use super::super::difference_for_tests::{CHANGES, difference};
        use super::super::is_unknown;
        let of = |folders: &[&str]| {
            let mut missing = Missing::default();
            for folder in folders {
                missing.add(&item(folder, 1, Listed::MissingFolder));
            }
            missing
        };
        for folders_a in [&[][..], &["a"], &["b"], &["a", "b"]] {
            for folders_b in [&[][..], &["a"], &["b"]] {
                for change in CHANGES {
                    for path in ["a/x", "A/y/x", "b/x", "a", "x"] {
                        let folder = path.to_lowercase().chars().next().map(String::from).unwrap();
                        let is_in = |folders: &[&str]| path.contains('/') && folders.contains(&folder.as_str());
                        let other = match change.name() {
                            "removed" => is_in(folders_b),
                            "added" => is_in(folders_a),
                            _ => false,
                        };
                        for (member, place, is_whole) in [("", "", true), ("m", "", false), ("", "bytes", false)] {
                            let found =
                                is_unknown(&difference(change, path, member, place), &of(folders_a), &of(folders_b));
                            let case = format!("{change:?} {path} {member} {place}: {folders_a:?} {folders_b:?}");
                            assert_eq!(found, other && is_whole, "{case}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_message_counts_objects_once_and_names_the_first() {
        let said = |objects: &str, paths: &str| {
            Some(format!("git does not have {objects} of this tree (a partial clone?): {paths}"))
        };
        let mut missing = Missing::default();
        assert_eq!(missing.message(), None);
        for (number, expected) in [
            (1, said("1 object", "f1")),
            (1, said("1 object", "f1")),
            (2, said("2 objects", "f1, f2")),
            (1, said("2 objects", "f1, f2")),
            (3, said("3 objects", "f1, f2, f3")),
            (4, said("4 objects", "f1, f2, f3, ...")),
            (5, said("5 objects", "f1, f2, f3, ...")),
            (5, said("5 objects", "f1, f2, f3, ...")),
        ] {
            for kind in [Listed::File, Listed::MissingFolder] {
                missing.add(&item(&format!("f{number}"), number, kind));
                assert_eq!(missing.message(), expected);
            }
        }
    }

    /// What is compared of an entry with this mode.
    const MODES: [(&str, EntryKind); 8] = [
        ("100644", EntryKind::File),
        ("100755", EntryKind::File),
        // Of old versions of git.
        ("100664", EntryKind::File),
        ("40000", EntryKind::Tree),
        ("040000", EntryKind::Tree),
        ("120000", EntryKind::Other),
        ("160000", EntryKind::Other),
        ("0", EntryKind::Other),
    ];

    #[test]
    fn trees_with_ids_of_both_kinds_are_read_to_their_end_or_are_damaged() {
        for length in [20, 32] {
            let mut tree = Vec::new();
            let mut ends = vec![0];
            for (number, (mode, _)) in (1..).zip(MODES) {
                tree.extend(format!("{mode} name {number}\0").bytes());
                tree.extend(vec![number; length]);
                ends.push(tree.len());
            }
            for cut in 0..=tree.len() {
                let part = &tree[..cut];
                let mut place = 0;
                let mut count = 0;
                let is_whole = loop {
                    match entry(part, place, length) {
                        Ok(None) => break true,
                        Err(Fault(said)) => {
                            assert_eq!(said, "git has a damaged tree");
                            break false;
                        }
                        Ok(Some((entry, next))) => {
                            let expected = (MODES[count].1, format!("name {}", count + 1));
                            assert!(entry.kind == expected.0 && entry.name == expected.1.as_bytes(), "{count}");
                            assert!(entry.id == Id::new(&vec![count as u8 + 1; length]).unwrap(), "{count}");
                            count += 1;
                            place = next;
                        }
                    }
                };
                assert_eq!(is_whole, ends.contains(&cut), "{cut} of {ends:?}");
                assert_eq!(count, ends.iter().filter(|&&end| end <= cut).count() - 1, "{cut} of {ends:?}");
            }
        }
    }
}
