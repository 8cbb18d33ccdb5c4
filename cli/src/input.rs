//! Runs scans over the inputs, and counts their results.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use meshpeek::Format;
use meshpeek::scan::{Found, Input, LeftOut, Progress, Record, Scan, Sighting, Unit};
use meshpeek::summary::Severity;

use crate::args::{Common, Inputs};
use crate::failure::{Failure, status, text_of};
use crate::notes::Notes;
use crate::output_file::OutputFile;
use crate::paths::Paths;
use crate::remote::{is_url, openable};
use crate::visible::shown;
use crate::{interrupt, map, progress, report};

pub(crate) fn scan(inputs: &Inputs, common: &Common) -> Result<Scan, Failure> {
    let mut scan = scan_whole(&inputs.paths, inputs.jobs, common)?;
    scan.archives = !inputs.no_archives;
    for &format in Format::ALL {
        if inputs.formats.iter().any(|name| name == format.name()) {
            scan.formats.push(format);
        }
    }
    scan.selection.globs.clone_from(&inputs.globs);
    inputs.walk.apply(&mut scan.selection);
    Ok(scan)
}

/// Creates a scan over these files and folders, with the settings shared by all verbs. Returns an error if one of them is
/// a URL and the program cannot open URLs.
pub(crate) fn scan_whole(paths: &[PathBuf], jobs: Option<NonZeroUsize>, common: &Common) -> Result<Scan, Failure> {
    for path in paths {
        openable(path)?;
    }
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
    if let Some(file) = &common.output_file {
        scan.selection.except.clone_from(&file.ids);
    }
    Ok(scan)
}

/// Returns true if a walk over these paths costs requests.
fn has_urls(paths: &[PathBuf]) -> bool {
    paths.iter().any(|path| is_url(path))
}

/// Calls `find` once, which runs the scan. It passes results that are no part of its answer, such as errors, to its
/// argument. Returns the answer, and the number of files and folders that cannot be read. Half an answer is useless, so
/// Ctrl-C ends the program meanwhile: [`interrupt::ends_scan`] is not called.
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
            notes.error(text_of(&error));
        }
        Found::Excluded { path, .. } => passed_over(notes, &path),
        _ => {}
    };
    let found = progress::beside(scan, true, notes, || Ok(find(&mut handle)?))?;
    say_left_out(scan.progress.left_out(), notes);
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
    /// The members of archives that cannot be read, such as encrypted ones.
    pub(crate) unread_members: u64,
}

/// Passes on each result, an asset with the result of `view`, which runs on the thread that has the asset open. Reports
/// those that deserve a message. Stops when results can no longer be written.
pub(crate) fn each_result<T: Send>(
    scan: &Scan,
    inputs: &Inputs,
    common: &Common,
    view: impl Fn(&Sighting<'_, '_>) -> T + Sync,
    each: impl FnMut(Found, Option<T>) -> Result<(), Failure> + Send,
) -> Result<Tally, Failure> {
    let notes = Notes::new(common);
    let mut list = None;
    if let Some(path) = &inputs.paths_from {
        list = Some(Paths::read(path, inputs.null, scan.progress.clone())?);
    }
    let mut units = None;
    if let Some(path) = &inputs.units_from {
        units = Some(self::units(path, scan)?);
    }
    let formats = scan.formats.as_slice();
    let mut handler =
        Handler { common, formats, notes, each, tally: Tally::default(), has_results: false, failure: None };
    let found = |found: Found, seen: Option<T>| handler.take(found, seen);
    interrupt::ends_scan(&scan.progress);
    // The total is unknown while a list is still being read.
    let interrupted =
        progress::beside(scan, list.is_none() && units.is_none() && !has_urls(&inputs.paths), notes, || {
            match (units, list) {
                (Some(mut units), _) => scan.run(Input::Units(&mut units), view, found)?,
                (None, None) => scan.run(Input::Paths, view, found)?,
                (None, Some(list)) => {
                    let list = list.map(|path| openable(path?));
                    let mut paths = inputs.paths.iter().cloned().map(Ok).chain(list);
                    scan.run(Input::List(&mut paths), view, found)?;
                }
            }
            Ok(scan.progress.is_stopped())
        })?;
    interrupt::ends_the_program();
    let Handler { mut tally, has_results, failure, .. } = handler;
    if let Some(failure) = failure {
        return Err(failure);
    }
    tally.interrupted = interrupted;
    tally.files = scan.progress.files();
    if !has_results && tally.unreadable == 0 && !interrupted {
        explain_no_results(scan, inputs, tally.files, notes);
    } else {
        say_left_out(scan.progress.left_out(), notes);
    }
    Ok(tally)
}

/// Says what a scan left out of its folders.
pub(crate) fn say_left_out(left_out: LeftOut, notes: Notes) {
    let mut said = Vec::new();
    match left_out.hidden_or_ignored {
        0 => {}
        1 => said.push("1 hidden or ignored file or folder".to_owned()),
        number => said.push(format!("{} hidden or ignored files and folders", report::grouped(number))),
    }
    if left_out.links > 0 {
        said.push(report::count(left_out.links, "links"));
    }
    if left_out.folders_too_deep > 0 {
        said.push(format!("{} below --folder-depth", report::count(left_out.folders_too_deep, "folders")));
    }
    if !said.is_empty() {
        notes.say(format_args!("left out: {}", said.join(", ")));
    }
}

/// Counts and reports the results of a scan, and passes them on.
struct Handler<'h, E> {
    common: &'h Common,
    /// The formats of `--type`; all if it is empty.
    formats: &'h [Format],
    notes: Notes,
    each: E,
    tally: Tally,
    has_results: bool,
    /// Why results can no longer be written.
    failure: Option<Failure>,
}

impl<E> Handler<'_, E> {
    /// Returns true for what was asked for, and not for an archive of another format that could not all be read.
    fn is_result(&self, found: &Found) -> bool {
        match found {
            Found::Asset(record) => {
                self.formats.is_empty() || record.summary.format.is_some_and(|format| self.formats.contains(&format))
            }
            Found::Unchanged(_) => true,
            _ => false,
        }
    }

    fn take<T>(&mut self, found: Found, seen: Option<T>) -> ControlFlow<()>
    where
        E: FnMut(Found, Option<T>) -> Result<(), Failure>,
    {
        self.has_results |= self.is_result(&found);
        self.tally.take(&found, self.notes);
        let written = match found {
            Found::Excluded { path, named: true } => {
                let output = self.common.output.as_deref().unwrap_or(&path);
                Err(OutputFile::is_input(output, &path))
            }
            found => (self.each)(found, seen),
        };
        match written {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.failure = Some(error);
                ControlFlow::Break(())
            }
        }
    }
}

/// Says why a scan of this many files found nothing, if that may surprise the user.
fn explain_no_results(scan: &Scan, inputs: &Inputs, files: u64, notes: Notes) {
    let mut left_out = scan.progress.left_out();
    if files == 0 && !has_urls(&inputs.paths) && hint(scan, notes) {
        left_out.hidden_or_ignored = 0;
    }
    say_left_out(left_out, notes);
    if let Some(filters) = filters(inputs) {
        notes.say(format_args!("no asset matches {filters}"));
    }
}

/// The units in this file, one per line.
fn units(list: &Path, scan: &Scan) -> Result<impl Iterator<Item = meshpeek::Result<Unit>> + Send + use<>, Failure> {
    let name = list.to_owned();
    let lines = Paths::read(list, false, scan.progress.clone())?;
    Ok(lines.map(move |line| unit(&line?, &name)))
}

/// Reads a line of a list of units.
fn unit(line: &Path, list: &Path) -> meshpeek::Result<Unit> {
    let unit: Unit = match serde_json::from_slice(line.as_os_str().as_encoded_bytes()) {
        Ok(unit) => unit,
        Err(error) => return Err(meshpeek::Error::malformed(format!("not a unit: {error}")).in_file(list)),
    };
    openable(&unit.path)?;
    Ok(unit)
}

/// Says how to include files that are hidden or ignored, where there are no others. Returns false if there are none.
fn hint(scan: &Scan, notes: Notes) -> bool {
    let mut all = scan.clone();
    // The scan is over, and its own progress is stopped.
    all.progress = Progress::default();
    all.selection.hidden = true;
    all.selection.ignored = true;
    let Ok((files @ 1.., _)) = all.measure() else { return false };
    let are = if files == 1 { "is" } else { "are" };
    let files = report::count(files, "files");
    notes.say(format_args!(
        "{files} {are} hidden or excluded by an ignore file; use --hidden and --no-ignore to include them"
    ));
    true
}

/// The options that choose assets by name or format, if there are any.
fn filters(inputs: &Inputs) -> Option<&'static str> {
    match (inputs.globs.is_empty(), inputs.formats.is_empty()) {
        (true, true) => None,
        (false, true) => Some("-g"),
        (true, false) => Some("--type"),
        (false, false) => Some("-g and --type"),
    }
}

impl Tally {
    /// Counts a result, and reports it if it deserves a message.
    fn take(&mut self, found: &Found, notes: Notes) {
        match found {
            Found::Asset(record) => self.add(record),
            Found::Unreadable(error) => {
                self.unreadable += 1;
                notes.error(text_of(error));
            }
            Found::NoAsset(path) => notes.detail(format_args!("{}: not an asset", shown(path))),
            Found::Excluded { path, named: false } => passed_over(notes, path),
            _ => {}
        }
    }

    fn add(&mut self, record: &Record) {
        let is_asset = record.summary.is_asset();
        self.assets += u64::from(is_asset);
        self.other += u64::from(!is_asset);
        self.damaged += u64::from(record.summary.problems.iter().any(|problem| problem.severity == Severity::Error));
        self.unread_members += record.summary.unchecked.total();
    }

    /// Adds the counts of an earlier scan.
    pub(crate) fn add_copied(&mut self, copied: Self) {
        self.assets += copied.assets;
        self.other += copied.other;
        self.damaged += copied.damaged;
        self.unread_members = self.unread_members.saturating_add(copied.unread_members);
    }

    /// The counts of other and unreadable files, for the end of a summary line. Empty if there are none.
    pub(crate) fn rest(&self) -> String {
        let other = if self.other == 1 { "not an asset" } else { "not assets" };
        let mut rest = String::new();
        for (number, words) in [(self.other, other), (self.unreadable, "unreadable")] {
            if number > 0 {
                rest += &format!(", {} {words}", report::grouped(number));
            }
        }
        rest
    }

    /// 0 if everything was read, 1 if something was not, 2 if nothing was.
    pub(crate) fn status(&self) -> ExitCode {
        if self.interrupted { ExitCode::from(interrupt::STATUS) } else { status(self.files, self.unreadable) }
    }
}
