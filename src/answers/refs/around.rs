//! The files around the given paths: next to them, and in the folders above.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::collect::{Other, collect};
use super::given::GivenPaths;
use super::included::add_included;
use super::index::Index;
use super::prefix::Above;
use crate::base::error::Result;
use crate::base::format::Format;
use crate::scan::Scan;
use crate::scan::target::is_archive;

/// Adds the files of the folders above the given paths that have a prefix file, and reads the texts among them.
pub(super) fn add_above(scan: &Scan, index: &mut Index, copies: bool, other: &mut Other<'_>) -> Result<()> {
    let given = GivenPaths::of(scan, &index.hash);
    let folders = add_names_above(scan, index, &given)?;
    for folder in &folders {
        let mut around = scan.clone();
        around.paths = vec![folder.clone()];
        around.archives = false;
        around.selection.globs = MATERIALS_AND_TEXTS.map(str::to_owned).to_vec();
        index.is_around = true;
        let added = collect(&around, index, copies, other, Some(&given));
        index.is_around = false;
        added?;
    }
    add_included(scan, index, &given, &folders, copies, other)
}

/// Adds the names of the files around the given paths: those next to a given file, and those of the folders above that have
/// a prefix file. Returns these folders.
pub(super) fn add_names_above(scan: &Scan, index: &mut Index, given: &GivenPaths) -> Result<Vec<PathBuf>> {
    index.given_loose = index.loose.len();
    let mut known: Vec<PathBuf> = Vec::new();
    let mut listed: HashSet<&Path> = HashSet::new();
    for path in &scan.paths {
        #[cfg(feature = "stores")]
        if let Some(stores) = &scan.stores
            && stores.has(path)
        {
            continue;
        }
        let is_model = path.is_file() && !is_archive(Format::from_extension(path));
        if is_model
            && let Some(folder) = path.parent()
            && listed.insert(folder)
        {
            add_beside(scan, folder, index, given)?;
        }
        let is_stdin = path.as_os_str() == "-";
        if is_stdin {
            continue;
        }
        let Some(Above { folder, inner, prefix }) = Above::of(path) else { continue };
        index.above.push((inner, prefix));
        if known.contains(&folder) {
            continue;
        }
        let mut around = scan.clone();
        around.paths = vec![folder.clone()];
        around.archives = false;
        known.push(folder);
        for target in around.walk(around.paths()) {
            if let Ok(target) = target
                && given.is_new(&target.path)
            {
                index.add_path(target.path)?;
            }
        }
    }
    Ok(known)
}

/// Adds the names of the files of a folder, but not of those below it.
fn add_beside(scan: &Scan, folder: &Path, index: &mut Index, given: &GivenPaths) -> Result<()> {
    let here = Path::new(".");
    let is_here = folder.as_os_str().is_empty();
    let mut around = scan.clone();
    around.paths = vec![if is_here { here.into() } else { folder.into() }];
    around.selection.folder_depth = Some(1);
    around.archives = false;
    for target in around.walk(around.paths()) {
        let Ok(target) = target else { continue };
        let mut path = target.path;
        if is_here && let Ok(short) = path.strip_prefix(here) {
            path = short.into();
        }
        if given.is_new(&path) {
            index.add_path(path)?;
        }
    }
    Ok(())
}

/// What is read in the folder around a given path.
const MATERIALS_AND_TEXTS: [&str; 7] = ["*.rvmat", "*.bisurf", "*.hpp", "*.cpp", "*.h", "*.inc", "*.ext"];
