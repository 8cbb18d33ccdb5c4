//! Runs scans over the inputs, and counts their results.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use meshpeek::Format;
use meshpeek::scan::{Found, Progress, Record, Scan, Sighting, Unit};
use meshpeek::summary::Severity;

use crate::args::{Common, Inputs};
use crate::failure::{Failure, status};
use crate::notes::Notes;
use crate::output_file::OutputFile;
use crate::paths::Paths;
use crate::remote::{is_url, openable};
use crate::visible::shown;
use crate::{interrupt, map, progress, report};

pub(crate) fn scan(inputs: &Inputs, common: &Common) -> Result<Scan, Failure> {
    let mut scan = scan_whole(&inputs.paths, inputs.jobs, common)?;
    scan.archives = !inputs.no_archives;
    scan.formats = Format::ALL.iter().copied().filter(|f| inputs.formats.iter().any(|name| name == f.name())).collect();
    scan.selection.globs.clone_from(&inputs.globs);
    inputs.walk.apply(&mut scan.selection);
    Ok(scan)
}

/// Creates a scan over these files and folders, with the settings shared by all verbs. Returns an error if one of them is
/// a URL and the program cannot open URLs.
pub(crate) fn scan_whole(paths: &[PathBuf], jobs: Option<NonZeroUsize>, common: &Common) -> Result<Scan, Failure> {
    paths.iter().try_for_each(|path| openable(path).map(drop))?;
    let mut scan = Scan::new(paths);
    scan.access = map::access(common);
    scan.read_ahead = !common.no_read_ahead;
    scan.limits = common.limits.limits();
    scan.jobs = jobs.map(NonZeroUsize::get);
    #[cfg(feature = "remote")]
    {
        common.remote.ends_with(&scan.progress);
        scan.stores = Some(common.remote.stores());
        if has_urls(paths) {
            // Each job waits for its requests most of the time.
            scan.jobs = scan.jobs.or(Some(common.remote_args.requests.into()));
        }
    }
    common.results.scans(&scan.progress);
    // The output file is not an input.
    scan.selection.except = common.output_file.as_ref().map(|file| file.ids.clone()).unwrap_or_default();
    Ok(scan)
}

/// Returns true if a walk over these paths costs requests.
fn has_urls(paths: &[PathBuf]) -> bool {
    paths.iter().any(|path| is_url(path))
}

/// Runs a function over everything that a scan finds, with a callback for other results. Returns its result, and counts
/// of what could not be read. Ctrl-C ends the program meanwhile, because half an answer is useless.
pub(crate) fn whole<T>(
    scan: &Scan,
    common: &Common,
    find: impl FnOnce(&mut (dyn FnMut(Found) + Send)) -> meshpeek::Result<T>,
) -> Result<(T, u64), Failure> {
    let notes = Notes::new(common);
    let mut unreadable = 0;
    let mut handle = |found| match found {
        Found::Unreadable(error) => {
            unreadable += 1;
            notes.error(error);
        }
        Found::PassedOver { path, .. } => passed_over(notes, &path),
        _ => {}
    };
    let found = progress::beside(scan, true, notes, || Ok(find(&mut handle)?))?;
    Ok((found, unreadable))
}

fn passed_over(notes: Notes, path: &Path) {
    notes.say(format_args!("{}: skipped, because results are written to it", shown(path)));
}

#[derive(Clone, Copy, Default)]
pub(crate) struct Tally {
    pub(crate) assets: u64,
    pub(crate) damaged: u64,
    /// Records of files that are not assets.
    pub(crate) other: u64,
    files: u64,
    pub(crate) unreadable: u64,
    pub(crate) interrupted: bool,
}

/// Passes on each result, an asset with the result of `view`, which runs on the thread that has the asset open. Reports
/// those that deserve a message. Stops when results can no longer be written.
pub(crate) fn each_result<T: Send>(
    scan: &Scan,
    inputs: &Inputs,
    common: &Common,
    view: impl Fn(&Sighting<'_, '_>) -> T + Sync,
    mut each: impl FnMut(Found, Option<T>) -> Result<(), Failure> + Send,
) -> Result<Tally, Failure> {
    let notes = Notes::new(common);
    let list = inputs.paths_from.as_deref().map(|list| Paths::read(list, inputs.null, scan.progress.clone()));
    let list = list.transpose()?;
    let units = inputs.units_from.as_deref().map(|list| units(list, scan)).transpose()?;
    let mut tally = Tally::default();
    let mut failure = None;
    let found = |found: Found, seen: Option<T>| {
        match &found {
            Found::Asset(record) => tally.add(record),
            Found::Unreadable(error) => {
                tally.unreadable += 1;
                notes.error(error);
            }
            Found::NoAsset(path) => notes.detail(format_args!("{}: not an asset", shown(path))),
            Found::PassedOver { path, named: false } => passed_over(notes, path),
            _ => {}
        }
        let written = match found {
            Found::PassedOver { path, named: true } => {
                Err(OutputFile::is_input(common.output.as_deref().unwrap_or(&path), &path))
            }
            found => each(found, seen),
        };
        match written {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failure = Some(error);
                ControlFlow::Break(())
            }
        }
    };
    interrupt::ends_scan(&scan.progress);
    // The total is unknown while a list is still being read.
    let interrupted =
        progress::beside(scan, list.is_none() && units.is_none() && !has_urls(&inputs.paths), notes, || {
            match (units, list) {
                (Some(units), _) => scan.run_units(units, view, found)?,
                (None, None) => scan.run_with(view, found)?,
                (None, Some(list)) => {
                    let list = list.map(|path| path.and_then(openable));
                    scan.run_over_with(inputs.paths.iter().cloned().map(Ok).chain(list), view, found)?;
                }
            }
            Ok(scan.progress.is_stopped())
        })?;
    interrupt::ends_the_program();
    if let Some(failure) = failure {
        return Err(failure);
    }
    tally.interrupted = interrupted;
    tally.files = scan.progress.files();
    if tally.files == 0 && tally.unreadable == 0 && !interrupted && !has_urls(&inputs.paths) {
        hint(scan, notes);
    }
    Ok(tally)
}

/// The units in this file, one per line.
fn units(list: &Path, scan: &Scan) -> Result<impl Iterator<Item = meshpeek::Result<Unit>> + Send + use<>, Failure> {
    let name = list.to_owned();
    let unit = move |line: PathBuf| {
        let unit: Unit = serde_json::from_slice(line.as_os_str().as_encoded_bytes())
            .map_err(|error| meshpeek::Error::malformed(format!("not a unit: {error}")).in_file(&name))?;
        openable(&unit.path)?;
        Ok(unit)
    };
    Ok(Paths::read(list, false, scan.progress.clone())?.map(move |line| line.and_then(&unit)))
}

/// Explains why nothing was scanned, if that may surprise the user.
fn hint(scan: &Scan, notes: Notes) {
    let mut all = scan.clone();
    // The scan is over, and its own progress is stopped.
    all.progress = Progress::default();
    all.selection.hidden = true;
    all.selection.ignored = true;
    if let Ok((files @ 1.., _)) = all.measure() {
        let (files, are) = (report::count(files, "files"), if files == 1 { "is" } else { "are" });
        notes.say(format_args!(
            "{files} {are} hidden or excluded by an ignore file; use --hidden and --no-ignore to include them"
        ));
    }
}

impl Tally {
    fn add(&mut self, record: &Record) {
        let is_asset = record.summary.is_asset();
        self.assets += u64::from(is_asset);
        self.other += u64::from(!is_asset);
        self.damaged += u64::from(record.summary.problems.iter().any(|problem| problem.severity == Severity::Error));
    }

    /// Adds the counts of an earlier scan.
    pub(crate) fn add_copied(&mut self, copied: Self) {
        self.assets += copied.assets;
        self.other += copied.other;
        self.damaged += copied.damaged;
    }

    /// The counts of other and unreadable files, for the end of a summary line. Empty if there are none.
    pub(crate) fn rest(&self) -> String {
        let other = if self.other == 1 { "not an asset" } else { "not assets" };
        let parts = [(self.other, other), (self.unreadable, "unreadable")];
        let parts = parts.into_iter().filter(|(number, _)| *number > 0);
        parts.map(|(number, words)| format!(", {} {words}", report::grouped(number))).collect()
    }

    /// 0 if everything was read, 1 if something was not, 2 if nothing was.
    pub(crate) fn status(&self) -> ExitCode {
        if self.interrupted { ExitCode::from(interrupt::STATUS) } else { status(self.files, self.unreadable) }
    }
}
