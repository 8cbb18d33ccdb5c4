//! The folder that members are extracted into. Nothing is written outside it.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::fs::{File, Metadata};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use meshpeek::Budget;
use meshpeek::container::Member;
use meshpeek::scan::FileId;
use meshpeek::view::Decoded;
use tempfile::NamedTempFile;

use crate::args::Common;
use crate::failure::{Failure, without_name};
use crate::output_file;
use crate::visible::shown;

/// The cost of a file in addition to its bytes and name, so that empty ones count too.
const OF_A_FILE: u64 = 256;
const PIECE: usize = 1 << 16;
const OTHER_CONTENT: &str = "exists with other content; --force overwrites it";
const OWN: &str = "is the file of another member: the system takes both names for one";

pub(super) struct Folder<'c> {
    path: &'c Path,
    /// The absolute path. Otherwise the system is asked for the current folder for each member.
    absolute: PathBuf,
    force: bool,
    common: &'c Common,
    /// Files that are read, which `--force` does not overwrite.
    inputs: Vec<FileId>,
    hash: RandomState,
    /// The paths in use, by their hashes in lower case.
    used: HashMap<u64, Used>,
    /// Hashes of the files of the members so far. Nothing replaces them, whatever names the system takes for equal.
    own: HashSet<u64>,
    /// Hashes of the paths of the folders that are known to be there and to be no links.
    there: HashSet<u64>,
    /// The bytes of a member that are written next.
    piece: Vec<u8>,
}

/// A path in use.
struct Used {
    kind: Use,
    /// The next number to try for this name.
    next: u32,
    /// The number of the folder of this name, if the name itself is that of a file.
    folder: Option<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    File,
    Folder,
}

impl Used {
    fn new(kind: Use) -> Self {
        Self { kind, next: 2, folder: None }
    }
}

/// The result of writing a member.
pub(super) enum Done {
    Written,
    /// The file exists with the content of the member.
    Exists,
    /// The reason why this member cannot be written. Others may be.
    Lost(String),
}

impl<'c> Folder<'c> {
    pub(super) fn new(path: &'c Path, force: bool, inputs: Vec<FileId>, common: &'c Common) -> Self {
        let absolute = match std::path::absolute(path) {
            Ok(absolute) => absolute,
            Err(_) => path.to_owned(),
        };
        Self {
            path,
            absolute,
            force,
            common,
            inputs,
            hash: RandomState::new(),
            used: HashMap::new(),
            own: HashSet::new(),
            there: HashSet::new(),
            piece: Vec::new(),
        }
    }

    /// Returns the path with a number at each part that another file, or a folder, already has in any case.
    pub(super) fn free(&mut self, path: &str) -> String {
        let mut free = String::with_capacity(path.len());
        let mut parts = path.split('/').peekable();
        while let Some(part) = parts.next() {
            if !free.is_empty() {
                free.push('/');
            }
            let wanted = if parts.peek().is_some() { Use::Folder } else { Use::File };
            let part = self.free_part(&free, part, wanted);
            free.push_str(&part);
        }
        free
    }

    fn free_part(&mut self, above: &str, part: &str, wanted: Use) -> String {
        let first = self.key(above, part);
        let Some(used) = self.used.get(&first) else {
            self.used.insert(first, Used::new(wanted));
            return part.to_owned();
        };
        if wanted == Use::Folder {
            match (used.kind, used.folder) {
                (Use::Folder, _) => return part.to_owned(),
                // Other files of this folder are there.
                (Use::File, Some(number)) => return numbered(part, number),
                (Use::File, None) => {}
            }
        }
        let mut number = used.next;
        let candidate = loop {
            let candidate = numbered(part, number);
            let key = self.key(above, &candidate);
            if let Entry::Vacant(free) = self.used.entry(key) {
                free.insert(Used::new(wanted));
                break candidate;
            }
            number = number.saturating_add(1);
        };
        if let Some(used) = self.used.get_mut(&first) {
            used.next = number.saturating_add(1);
            if wanted == Use::Folder {
                used.folder = Some(number);
            }
        }
        candidate
    }

    fn key(&self, above: &str, part: &str) -> u64 {
        self.hash.hash_one(format!("{above}{part}").to_lowercase())
    }

    /// Writes a member to this path below the folder, unless it is there already.
    ///
    /// # Errors
    /// Returns an error if no member can be written: the disk is full, too much was written, or `unchanged` says that
    /// the archive has changed.
    pub(super) fn write(
        &mut self,
        path: &str,
        member: &Member<'_>,
        budget: &Budget,
        unchanged: impl Fn() -> Result<(), Failure>,
    ) -> Result<Done, Failure> {
        let target = match self.folder_of(path) {
            Ok(target) => target,
            Err((path, error)) => return lost(&path, error),
        };
        let old = match target.symlink_metadata() {
            Ok(old) => Some(old),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return lost(&target, error),
        };
        if let Some(old) = &old
            && let Some(done) = self.keeps(old, &target, member)
        {
            return Ok(done);
        }
        let content = match decoded(member, budget) {
            Ok(content) => content,
            Err(error) => return Ok(Done::Lost(without_name(&error, member.name()))),
        };
        if old.is_some() && !self.force {
            return match is_same(&target, &content) {
                Ok(true) => {
                    self.remember(&target);
                    Ok(Done::Exists)
                }
                Ok(false) => Ok(refused(&target, OTHER_CONTENT)),
                Err(error) => lost(&target, error),
            };
        }
        let new = match output_file::beside(&self.absolute.join(path), None) {
            Ok(new) => new,
            Err(error) => return lost(&target, error),
        };
        let new_path = new.path().to_owned();
        output_file::remove_if_interrupted(&new_path);
        let mut filled = self.fill(new.as_file(), path, &target, &content);
        if filled.is_ok() {
            filled = unchanged();
        }
        if let Some(time) = member.modified() {
            // Not every file system keeps every time.
            let _ = new.as_file().set_modified(time);
        }
        let done = match filled {
            Ok(()) => self.put(new, &target),
            Err(failure) => {
                // It is deleted while a signal would still delete it.
                drop(new);
                Err(failure)
            }
        };
        output_file::end(&new_path);
        done
    }

    /// Returns the result for a member whose path is in use, unless only its content tells or its file is replaced.
    fn keeps(&mut self, old: &Metadata, target: &Path, member: &Member<'_>) -> Option<Done> {
        if old.is_file() && self.is_own(target) {
            return Some(refused(target, OWN));
        }
        let may_be_same = !self.force && old.is_file() && old.len() == member.decoded_byte_len_hint();
        if may_be_same {
            let time = member.modified()?;
            if let Ok(known) = old.modified()
                && known == time
            {
                self.remember(target);
                return Some(Done::Exists);
            }
        }
        if old.is_dir() {
            return Some(refused(target, "is a folder"));
        }
        if !self.force {
            return Some(refused(target, OTHER_CONTENT));
        }
        if self.is_input(target) {
            return Some(refused(target, "is an input"));
        }
        None
    }

    /// Gives a file that is written its name.
    fn put(&mut self, new: NamedTempFile, target: &Path) -> Result<Done, Failure> {
        let place = output_file::of_any_length(target);
        let put = if self.force { new.persist(place) } else { new.persist_noclobber(place) };
        match put {
            Ok(_) => {
                self.remember(target);
                Ok(Done::Written)
            }
            Err(error) => lost(target, error.error),
        }
    }

    /// Writes the content of the member at this path into its new file.
    fn fill(&mut self, mut file: &File, path: &str, target: &Path, content: &[u8]) -> Result<(), Failure> {
        let results = &self.common.results;
        results.take(path.len() as u64 + OF_A_FILE)?;
        for piece in content.chunks(PIECE) {
            results.take(piece.len() as u64).map_err(|error| Failure::at(target, error))?;
            // If the system were given the memory of a mapped file that another process has truncated, it would refuse
            // to write; a copy is protected by the guard.
            self.piece.clear();
            self.piece.extend_from_slice(piece);
            file.write_all(&self.piece).map_err(|error| Failure::at(target, error))?;
        }
        Ok(())
    }

    /// Creates the folders that lead to a path. A link among them is an error.
    fn folder_of(&mut self, path: &str) -> Result<PathBuf, (PathBuf, io::Error)> {
        let Some((folder, _)) = path.rsplit_once('/') else { return Ok(self.path.join(path)) };
        let folder = self.hash.hash_one(folder);
        if self.there.contains(&folder) {
            return Ok(self.path.join(path));
        }
        let target = self.create_folders(path)?;
        self.there.insert(folder);
        Ok(target)
    }

    fn create_folders(&self, path: &str) -> Result<PathBuf, (PathBuf, io::Error)> {
        let mut target = self.path.to_owned();
        let mut parts = path.split('/').peekable();
        while let Some(part) = parts.next() {
            target.push(part);
            if parts.peek().is_none() {
                break;
            }
            let made = match std::fs::create_dir(&target) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => match target.symlink_metadata() {
                    Ok(there) if there.is_dir() => Ok(()),
                    Ok(there) if there.is_symlink() => Err(io::Error::other("is a link, which is not followed")),
                    Ok(_) => Err(io::Error::other("is not a folder")),
                    Err(error) => Err(error),
                },
                made => made,
            };
            if let Err(error) = made {
                return Err((target, error));
            }
        }
        Ok(target)
    }

    fn remember(&mut self, target: &Path) {
        if let Ok(id) = FileId::of(target) {
            self.own.insert(self.hash.hash_one(id));
        }
    }

    fn is_own(&self, target: &Path) -> bool {
        match FileId::of(target) {
            Ok(id) => self.own.contains(&self.hash.hash_one(id)),
            Err(_) => false,
        }
    }

    fn is_input(&self, target: &Path) -> bool {
        match FileId::of(target) {
            Ok(id) => self.inputs.contains(&id),
            Err(_) => false,
        }
    }
}

fn decoded<'m>(member: &Member<'m>, budget: &Budget) -> meshpeek::Result<Decoded<'m, u8>> {
    let content = member.decode(budget)?;
    // Bytes that the archive claims are charged once they are there.
    budget.charge_work(content.len() as u64)?;
    Ok(content)
}

fn refused(path: &Path, why: &str) -> Done {
    Done::Lost(format!("{}: {why}", shown(path)))
}

/// The error for one member, or for all if the disk is full.
fn lost(path: &Path, error: io::Error) -> Result<Done, Failure> {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Err(Failure::io(path, error)),
        ErrorKind::AlreadyExists => Ok(Done::Lost(format!("{}: {OTHER_CONTENT}", shown(path)))),
        _ => Ok(Done::Lost(format!("{}: {error}", shown(path)))),
    }
}

/// `config.cpp` with the number 2 is `config (2).cpp`.
fn numbered(part: &str, number: u32) -> String {
    let (stem, ending) = match part.rfind('.') {
        Some(dot) if dot > 0 => part.split_at(dot),
        _ => (part, ""),
    };
    format!("{stem} ({number}){ending}")
}

/// Returns true if a file has this content. Reads it piece by piece.
fn is_same(path: &Path, content: &[u8]) -> io::Result<bool> {
    let mut file = std::fs::File::open(path)?;
    let mut piece = vec![0; 1 << 16];
    for part in content.chunks(piece.len()) {
        let piece = &mut piece[..part.len()];
        match file.read_exact(piece) {
            Ok(()) if piece == part => {}
            Ok(()) => return Ok(false),
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(false),
            Err(error) => return Err(error),
        }
    }
    Ok(file.read(&mut [0])? == 0)
}

#[cfg(test)]
mod tests;
