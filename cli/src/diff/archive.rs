//! An archive as a side of a comparison with a folder.

use std::path::{Path, PathBuf};

use meshpeek::address::Names;
use meshpeek::container::{Container, Member};
use meshpeek::scan::folders::Files;
use meshpeek::summary::Name;
use meshpeek::{Budget, Error};

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
    let mut files = Files::with_prefix(format!("{}!/", Name::from(source.text).text));
    let mut errors = Vec::new();
    let mut names = Names::of(&container);
    for (index, member) in container.members().enumerate() {
        let member = match member.and_then(|member| content.budget().members(1).map(|()| member)) {
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
        let written = Written { member: &member, budget: content.budget(), index };
        let file = written.write(&name, other, folder, common)?;
        files.push(name, file);
    }
    Ok(Some(Members { tree: Tree { files, missing: Missing::default() }, errors }))
}

/// A member that becomes a file.
struct Written<'m, 'a> {
    member: &'m Member<'a>,
    budget: &'m Budget,
    index: usize,
}

impl Written<'_, '_> {
    /// Returns a file with the bytes of the member, or the error of the member.
    fn write(
        &self,
        name: &Name,
        other: Option<&Path>,
        folder: &Folder,
        common: &Common,
    ) -> Result<meshpeek::Result<PathBuf>, Failure> {
        let bytes = match self.member.decode(self.budget) {
            Ok(bytes) => bytes,
            Err(error) => return Ok(Err(error)),
        };
        // No name of a member leads out of the folder.
        if let (Some(other), Ok(below)) = (other, self.member.name().to_relative_path()) {
            let same = other.join(below);
            let has_size = same.symlink_metadata().is_ok_and(|file| file.is_file() && file.len() == bytes.len() as u64);
            if has_size && !name.lossy && std::fs::read(&same).is_ok_and(|file| *file == *bytes) {
                return Ok(Ok(same));
            }
        }
        common.space.take(bytes.len() as u64)?;
        let path = folder.path().join(self.index.to_string());
        std::fs::write(&path, &*bytes).map_err(|error| Failure::io(&path, error))?;
        Ok(Ok(path))
    }
}
