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
        let (hash, used, own, there) = Default::default();
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        Self { path, absolute, force, common, inputs, hash, used, own, there, piece: Vec::new() }
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
        let size = member.decoded_byte_len_hint();
        let may_exist = |old: &Metadata| !self.force && old.is_file() && old.len() == size;
        let refused = |path: &Path, what: &str| Ok(Done::Lost(format!("{}: {what}", shown(path))));
        if let Some(old) = &old {
            let (time, known) = (member.modified(), old.modified().ok());
            match old {
                old if old.is_file() && self.is_own(&target) => return refused(&target, OWN),
                old if may_exist(old) && time.is_some() && known == time => {
                    self.remember(&target);
                    return Ok(Done::Exists);
                }
                old if may_exist(old) && time.is_none() => {}
                _ if old.is_dir() => return refused(&target, "is a folder"),
                _ if !self.force => return refused(&target, OTHER_CONTENT),
                _ if self.is_input(&target) => return refused(&target, "is an input"),
                _ => {}
            }
        }
        // Bytes that the archive claims are charged once they are there.
        let decoded = member.decode(budget).and_then(|content| {
            budget.work(content.len() as u64)?;
            Ok(content)
        });
        let content = match decoded {
            Ok(content) => content,
            Err(error) => return Ok(Done::Lost(without_name(&error, member.name()))),
        };
        if old.is_some() && !self.force {
            return match is_same(&target, &content) {
                Ok(true) => {
                    self.remember(&target);
                    Ok(Done::Exists)
                }
                Ok(false) => refused(&target, OTHER_CONTENT),
                Err(error) => lost(&target, error),
            };
        }
        let new = match output_file::beside(&self.absolute.join(path), None) {
            Ok(new) => new,
            Err(error) => return lost(&target, error),
        };
        let new_path = new.path().to_owned();
        output_file::begin(&new_path);
        let filled = self.fill(new.as_file(), path, &target, &content).and_then(|()| unchanged());
        if let Some(time) = member.modified() {
            // Not every file system keeps every time.
            let _ = new.as_file().set_modified(time);
        }
        let place = output_file::of_any_length(&target);
        let done = filled.map(|()| match self.force {
            true => new.persist(place),
            false => new.persist_noclobber(place),
        });
        output_file::end(&new_path);
        match done? {
            Ok(_) => {
                self.remember(&target);
                Ok(Done::Written)
            }
            Err(error) => lost(&target, error.error),
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
        FileId::of(target).is_ok_and(|id| self.own.contains(&self.hash.hash_one(id)))
    }

    fn is_input(&self, target: &Path) -> bool {
        FileId::of(target).is_ok_and(|id| self.inputs.contains(&id))
    }
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
