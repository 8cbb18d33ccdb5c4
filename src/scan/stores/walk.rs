//! Finds the files below a URL.

use std::path::{Path, PathBuf};

use super::store::{Listed, Stores};
use crate::asset::address::Address;
use crate::base::error::Result;
use crate::base::format::Format;
use crate::scan::globs::Globs;
use crate::scan::selection::Selection;
use crate::scan::target::{Target, Targets, Use, is_archive};

impl Selection {
    /// Returns the file of this address, or all files below it.
    pub(in crate::scan) fn walk_store<'w>(
        &'w self,
        root: PathBuf,
        archives: bool,
        stores: &'w dyn Stores,
    ) -> Result<Targets<'w>> {
        if Address::parse(&root).member.is_some() {
            let target = Target { path: root, named: true, use_as: Use::Whole, unit: None };
            return Ok(Box::new(std::iter::once(Ok(target))));
        }
        let (globs, exclusions) = (Globs::new(&root, &self.globs)?, Globs::exclusions(&root, &self.globs)?);
        let listed = stores.list(&root).map_err(|error| error.in_file(&root))?;
        Ok(Box::new(listed.filter_map(move |listed| {
            let Listed { path, named } = match listed {
                Ok(listed) => listed,
                Err(error) => return Some(Err(error.in_file(&root))),
            };
            let below = parts_below(&root, &path);
            let is_hidden = below.iter().any(|part| part.starts_with(b"."));
            let use_as = match named {
                true => Use::Whole,
                false if !self.hidden && is_hidden => return None,
                false if self.folder_depth.is_some_and(|most| below.len() > most) => return None,
                false if globs.take(&path) => Use::Whole,
                false if archives && is_archive(Format::from_extension(&path)) && exclusions.take(&path) => Use::Inside,
                false => return None,
            };
            Some(Ok(Target { path, named, use_as, unit: None }))
        })))
    }
}

/// The parts of the address of a file below that of a folder. On every system a slash ends a part, and a backslash is a
/// letter of it.
fn parts_below<'p>(folder: &Path, file: &'p Path) -> Vec<&'p [u8]> {
    let file = file.as_os_str().as_encoded_bytes();
    let below = file.strip_prefix(folder.as_os_str().as_encoded_bytes()).unwrap_or(file);
    below.split(|byte| *byte == b'/').filter(|part| !part.is_empty()).collect()
}
