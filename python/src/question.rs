//! The questions of tasks: a scan, or another verb.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use meshpeek::Budget;
use meshpeek::address::{Address, open_member};
use meshpeek::diff::{self, Difference, Side};
use meshpeek::scan::folders::{Folders, Reading};
use meshpeek::scan::refs::State;
use meshpeek::scan::{Found, Scan as Kernel, Selection, Unit, dupes, refs};
use meshpeek_tables::Table;
use pyo3::prelude::*;

use crate::options::wrong;

/// The question of a task.
pub(crate) enum Question {
    /// A table of a scan.
    Scan(Table, Option<Vec<Unit>>),
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
        Ok(match keywords.question.as_str() {
            "refs" => {
                let named = keywords.prefixes.iter().map(|(_, path)| path).chain(&keywords.textures);
                for path in named {
                    if !path.exists() {
                        return Err(wrong(format!("{} does not exist", path.display())));
                    }
                }
                let rules = refs::Rules {
                    assumed: keywords.assume,
                    prefixes: keywords.prefixes,
                    textures: keywords.textures,
                    copies: keywords.stale,
                    above: true,
                };
                Self::Refs { rules, missing: keywords.missing }
            }
            "dupes" => Self::Dupes,
            "diff" => {
                let sides: [PathBuf; 2] = keywords.sides.try_into().map_err(|_| wrong("diff compares two sides"))?;
                if !(keywords.tolerance.is_finite() && keywords.tolerance >= 0.0) {
                    return Err(wrong("tolerance is a number, 0 or more"));
                }
                Self::Diff { sides, tolerance: keywords.tolerance }
            }
            _ => {
                let known = tables;
                let table = known().find(|known| known.name() == keywords.table);
                let table = table.ok_or_else(|| {
                    let names: Vec<&str> = known().map(|table| table.name()).collect();
                    wrong(format!("no table {}; there are {}", keywords.table, names.join(", ")))
                })?;
                let units = keywords.units.as_deref().map(serde_json::from_str::<Vec<Unit>>).transpose();
                Self::Scan(*table, units.map_err(|error| wrong(format!("not a unit: {error}")))?)
            }
        })
    }

    pub(crate) fn table(&self) -> Table {
        match self {
            Self::Scan(table, _) => *table,
            Self::Refs { .. } => Table::Refs,
            Self::Dupes => Table::Dupes,
            Self::Diff { .. } => Table::Diff,
        }
    }

    pub(crate) fn units(&self) -> Option<&Vec<Unit>> {
        match self {
            Self::Scan(_, units) => units.as_ref(),
            _ => None,
        }
    }
}

type Batches<'b, F> = &'b meshpeek_tables::Batches<F>;

/// Adds all references to the batches.
pub(crate) fn refs<F>(
    kernel: &Kernel,
    rules: &refs::Rules,
    missing: bool,
    batches: Batches<'_, F>,
    other: impl FnMut(Found) + Send,
) -> Result<(), meshpeek::Error>
where
    F: Fn(Table, meshpeek_tables::arrow_array::RecordBatch) -> meshpeek::Result<ControlFlow<()>>,
{
    let mut kernel = kernel.clone();
    // Textures are often files that git ignores.
    kernel.selection.ignored = true;
    let links = refs::resolve_by(&kernel, rules, other)?;
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

/// Adds all groups of equal assets to the batches.
pub(crate) fn dupes<F>(
    kernel: &Kernel,
    batches: Batches<'_, F>,
    other: impl FnMut(Found) + Send,
) -> Result<(), meshpeek::Error>
where
    F: Fn(Table, meshpeek_tables::arrow_array::RecordBatch) -> meshpeek::Result<ControlFlow<()>>,
{
    let groups = dupes::find(kernel, other)?;
    let _ = groups.iter().enumerate().try_for_each(|(number, group)| batches.group(number, group));
    Ok(())
}

/// Passes on all differences between two files, or between two folders. Of folders, files that cannot be compared are
/// passed to `failed`; of files, the first error is returned.
pub(crate) fn diff(
    kernel: &Kernel,
    sides: &[PathBuf; 2],
    tolerance: f64,
    each: &mut dyn FnMut(&Difference) -> ControlFlow<()>,
    failed: &mut dyn FnMut(meshpeek::Error),
) -> Result<(), meshpeek::Error> {
    let options = diff::Options::default().with_tolerance(tolerance);
    let paths = sides.each_ref().map(PathBuf::as_path);
    match paths.map(Path::is_dir) {
        [true, true] => {
            let selection = Selection { ignored: true, ..Selection::default() };
            let folders = Folders::list(paths, &selection, failed);
            let reading = Reading { access: kernel.access, limits: kernel.limits };
            folders.compare(&reading, &options, &mut |difference| each(&difference), failed);
            Ok(())
        }
        [false, false] => {
            let [a, b] = paths.map(Address::parse);
            let open = |address: &Address| address.open(kernel.access, &kernel.limits);
            let files = [open(&a)?, open(&b)?];
            let budgets = files.each_ref().map(|file| Budget::new(file.len() as u64, &kernel.limits));
            let content = |address: &Address, side: usize| {
                let opened = open_member(&address.file, &files[side], address.member.as_deref(), &budgets[side]);
                opened.and_then(|opened| opened.content).map_err(|error| error.in_file(paths[side]))
            };
            let (one, two) = (content(&a, 0)?, content(&b, 1)?);
            let (name_a, name_b) = (a.name(), b.name());
            let one = Side { file: &name_a, data: &one, budget: one.budget() };
            let two = Side { file: &name_b, data: &two, budget: two.budget() };
            diff::compare(one, two, &options, &mut |difference| {
                let _ = each(&difference);
            })
        }
        [is_folder, _] => {
            let [folder, other] = if is_folder { paths } else { [paths[1], paths[0]] };
            let text = format!("{} is a folder, {} is not", folder.display(), other.display());
            Err(meshpeek::Error::unsupported(text))
        }
    }
}

/// The tables that a scan can give.
pub(crate) fn tables() -> impl Iterator<Item = &'static Table> {
    Table::OF_SCAN.iter().chain(&[Table::Geometry])
}
