//! The questions of tasks: a scan, or another verb.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use meshpeek::address::{Address, Content, open_member};
use meshpeek::answers::folders::{Folders, Reading};
use meshpeek::answers::refs::State;
use meshpeek::answers::{dupes, refs};
use meshpeek::diff::{self, Side};
use meshpeek::scan::{Scan as Kernel, Selection, Unit};
use meshpeek::{Budget, Error};
use meshpeek_tables::Table;
use pyo3::prelude::*;

use crate::failure::{Batches, Failure};
use crate::options::wrong;

/// The question of a task.
pub(crate) enum Question {
    /// A table of a scan.
    Scan { table: Table, units: Option<Vec<Unit>> },
    /// The references of all assets.
    Refs { rules: refs::Rules, missing: bool },
    /// The assets that occur more than once.
    Dupes,
    /// The differences between two files or folders.
    Diff { sides: [PathBuf; 2], tolerance: f64 },
}

/// The keywords of the verbs.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Keywords {
    question: String,
    table: String,
    units: Option<String>,
    assume: Vec<String>,
    missing: bool,
    stale: bool,
    prefixes: Vec<(String, PathBuf)>,
    textures: Option<PathBuf>,
    sides: Vec<PathBuf>,
    tolerance: f64,
}

impl Question {
    pub(crate) fn new(keywords: Keywords) -> PyResult<Self> {
        match keywords.question.as_str() {
            "refs" => Self::refs(keywords),
            "dupes" => Ok(Self::Dupes),
            "diff" => Self::diff(keywords),
            _ => Self::scan(&keywords),
        }
    }

    fn refs(keywords: Keywords) -> PyResult<Self> {
        let prefixes = keywords.prefixes.iter().map(|(_, path)| path);
        for path in prefixes.chain(&keywords.textures) {
            if !path.exists() {
                return Err(wrong(format!("{} does not exist", path.display())));
            }
        }
        let mut rules = refs::Rules::default();
        rules.assumed = keywords.assume;
        rules.prefixes = keywords.prefixes;
        rules.textures = keywords.textures;
        rules.copies = keywords.stale;
        rules.above = true;
        Ok(Self::Refs { rules, missing: keywords.missing })
    }

    fn diff(keywords: Keywords) -> PyResult<Self> {
        let Ok(sides) = <[PathBuf; 2]>::try_from(keywords.sides) else {
            return Err(wrong("diff compares two sides"));
        };
        if !(keywords.tolerance.is_finite() && keywords.tolerance >= 0.0) {
            return Err(wrong("tolerance is a number, 0 or more"));
        }
        Ok(Self::Diff { sides, tolerance: keywords.tolerance })
    }

    fn scan(keywords: &Keywords) -> PyResult<Self> {
        let Some(table) = tables().find(|table| table.name() == keywords.table) else {
            let names: Vec<&str> = tables().map(|table| table.name()).collect();
            return Err(wrong(format!("no table {}; there are {}", keywords.table, names.join(", "))));
        };
        let mut units = None;
        if let Some(json) = &keywords.units {
            match serde_json::from_str(json) {
                Ok(list) => units = Some(list),
                Err(error) => return Err(wrong(format!("not a unit: {error}"))),
            }
        }
        Ok(Self::Scan { table: *table, units })
    }

    pub(crate) fn table(&self) -> Table {
        match self {
            Self::Scan { table, .. } => *table,
            Self::Refs { .. } => Table::Refs,
            Self::Dupes => Table::Dupes,
            Self::Diff { .. } => Table::Diff,
        }
    }

    pub(crate) fn units(&self) -> Option<&Vec<Unit>> {
        match self {
            Self::Scan { units, .. } => units.as_ref(),
            _ => None,
        }
    }
}

/// Adds all references to the batches, or those that are missing, or with `copies` those whose copies differ.
pub(crate) fn refs(
    kernel: &Kernel,
    rules: &refs::Rules,
    missing: bool,
    batches: &Batches<'_>,
    failure: &mut Failure,
) -> Result<(), Error> {
    let mut kernel = kernel.clone();
    // Textures are often files that git ignores.
    kernel.selection.ignored = true;
    let links = refs::resolve_by(&kernel, rules, |found| failure.keep_of(found))?;
    // With `copies`, only the stale ones are asked for.
    if rules.copies {
        return links.each_stale(|link| batches.link(link));
    }
    links.each(|link| {
        if missing && !matches!(link.state, State::Missing | State::Unread) {
            return ControlFlow::Continue(());
        }
        batches.link(link)
    })
}

/// Adds all groups of equal assets to the batches, then the assets that could not all be read.
pub(crate) fn dupes(kernel: &Kernel, batches: &Batches<'_>, failure: &mut Failure) -> Result<(), Error> {
    let mut kernel = kernel.clone();
    // Copies are often files that git ignores.
    kernel.selection.ignored = true;
    let found = dupes::find(&kernel, |found| failure.keep_of(found))?;
    for (number, group) in found.groups.iter().enumerate() {
        if batches.group(number, group).is_break() {
            return Ok(());
        }
    }
    for copy in &found.unread {
        if batches.unread_copy(copy).is_break() {
            break;
        }
    }
    Ok(())
}

/// Adds all differences between two files, or between two folders, to the batches. Of folders, files that cannot be
/// compared are failures; of files, the first error is returned.
pub(crate) fn diff(
    kernel: &Kernel,
    sides: &[PathBuf; 2],
    tolerance: f64,
    batches: &Batches<'_>,
    failure: &mut Failure,
) -> Result<(), Error> {
    let options = diff::Options::default().with_tolerance(tolerance);
    let paths = sides.each_ref().map(PathBuf::as_path);
    match paths.map(Path::is_dir) {
        [true, true] => {
            compare_folders(kernel, paths, &options, batches, failure);
            Ok(())
        }
        [false, false] => compare_files(kernel, paths, &options, batches),
        [is_folder, _] => {
            let [folder, other] = if is_folder { paths } else { [paths[1], paths[0]] };
            let text = format!("{} is a folder, {} is not", folder.display(), other.display());
            Err(Error::unsupported(text))
        }
    }
}

fn compare_folders(
    kernel: &Kernel,
    paths: [&Path; 2],
    options: &diff::Options,
    batches: &Batches<'_>,
    failure: &mut Failure,
) {
    let mut selection = Selection::default();
    selection.ignored = true;
    let reading = Reading::new(kernel.access, kernel.limits);
    let failed = &mut |error| failure.keep(error);
    let folders = Folders::list(paths, &selection, failed);
    folders.compare(&reading, options, &mut |difference| batches.difference(&difference), failed);
}

fn compare_files(
    kernel: &Kernel,
    paths: [&Path; 2],
    options: &diff::Options,
    batches: &Batches<'_>,
) -> Result<(), Error> {
    let [a, b] = paths.map(Address::parse);
    let file_a = a.open(kernel.access, &kernel.limits)?;
    let file_b = b.open(kernel.access, &kernel.limits)?;
    let budget_a = Budget::new(file_a.len() as u64, &kernel.limits);
    let budget_b = Budget::new(file_b.len() as u64, &kernel.limits);
    let content_a = content(&a, &file_a, &budget_a).map_err(|error| error.in_file(paths[0]))?;
    let content_b = content(&b, &file_b, &budget_b).map_err(|error| error.in_file(paths[1]))?;
    let name_a = a.name();
    let name_b = b.name();
    let side_a = Side::new(&name_a, &content_a, content_a.budget());
    let side_b = Side::new(&name_b, &content_b, content_b.budget());
    diff::compare(side_a, side_b, options, &mut |difference| {
        let _ = batches.difference(&difference);
    })
}

/// The bytes of the target of an address in this file.
fn content<'f>(address: &Address, file: &'f [u8], budget: &Budget) -> Result<Content<'f>, Error> {
    open_member(&address.file, file, address.member.as_deref(), budget)?.content
}

/// The tables that a scan can give.
pub(crate) fn tables() -> impl Iterator<Item = &'static Table> {
    Table::OF_SCAN.iter().chain(&[Table::Geometry])
}
