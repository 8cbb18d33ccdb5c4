//! An archive as a side of a comparison with a folder.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use meshpeek::address::{MemberPath, Names};
use meshpeek::answers::folders::Files;
use meshpeek::container::{Container, Member};
use meshpeek::summary::Name;
use meshpeek::{Budget, Error};
use sha2::{Digest as _, Sha256};

use super::tree::{Folder, Missing, Tree};
use crate::args::Common;
use crate::failure::Failure;
use crate::source::Source;

/// The members of an archive as files of a folder, and what cannot be read of their list.
pub(super) struct Members {
    pub(super) tree: Tree,
    pub(super) errors: Vec<Error>,
}

/// Writes the members of an archive to a temporary folder, except those that are equal to a file of `other`, the folder on
/// the other side. `None` if the source is no archive.
pub(super) fn members(
    source: &Source<'_>,
    other: Option<&Path>,
    folder: &Folder,
    common: &Common,
) -> Result<Option<Members>, Failure> {
    let content = source.content(common)?;
    let Ok(asset) = source.asset(&content) else { return Ok(None) };
    let Some(container) = Container::of(&asset) else { return Ok(None) };
    let mut files = Files::with_prefix(MemberPath::join_text(&Name::from(source.text).text, Some("")));
    let mut errors = Vec::new();
    let mut names = Names::of(&container);
    let mut contents = Contents { other, folder, common, known: HashMap::new() };
    for member in container.members() {
        let member = match counted(member, content.budget()) {
            Ok(member) => member,
            // The list cannot be read beyond this.
            Err(error) => {
                errors.push(error.in_file(source.text));
                break;
            }
        };
        let mut name = names.next(member.name());
        name.text = name.text.replace('\\', "/");
        // A folder, and what folders are compared without.
        if name.text.ends_with('/') || member.is_link() {
            continue;
        }
        let file = match member.decode(content.budget()) {
            Ok(bytes) => Ok(contents.file(&member, &bytes)?),
            Err(error) => Err(error),
        };
        files.push(name, file);
    }
    if let Some(error) = container.list_error() {
        errors.push(error.in_file(source.text));
    }
    Ok(Some(Members { tree: Tree { files, missing: Missing::default() }, errors }))
}

fn counted<'a>(member: meshpeek::Result<Member<'a>>, budget: &Budget) -> meshpeek::Result<Member<'a>> {
    let member = member?;
    budget.charge_members(1)?;
    Ok(member)
}

/// Files with the contents of members.
struct Contents<'c> {
    other: Option<&'c Path>,
    folder: &'c Folder,
    common: &'c Common,
    /// The files in the folder, by the SHA-256 of their bytes: there may be a million members with the same ones.
    known: HashMap<[u8; 32], PathBuf>,
}

impl Contents<'_> {
    /// Returns a file with these bytes of a member. Writes it, unless there is one.
    fn file(&mut self, member: &Member<'_>, bytes: &[u8]) -> Result<PathBuf, Failure> {
        if let Some(same) = self.same(member, bytes) {
            return Ok(same);
        }
        let digest = Sha256::digest(bytes).into();
        if let Some(known) = self.known.get(&digest) {
            return Ok(known.clone());
        }
        self.common.space.take(bytes.len() as u64)?;
        let path = self.folder.path().join(self.known.len().to_string());
        if let Err(error) = std::fs::write(&path, bytes) {
            return Err(Failure::io(&path, error));
        }
        self.known.insert(digest, path.clone());
        Ok(path)
    }

    /// The file of this name on the other side, if it has the same bytes.
    fn same(&self, member: &Member<'_>, bytes: &[u8]) -> Option<PathBuf> {
        // No name of a member leads out of the folder.
        let below = member.name().to_relative_path().ok()?;
        let same = self.other?.join(below);
        let status = same.symlink_metadata().ok()?;
        if !status.is_file() || status.len() != bytes.len() as u64 {
            return None;
        }
        let read = std::fs::read(&same).ok()?;
        if read == bytes { Some(same) } else { None }
    }
}
