//! What to look at, and what a scan of it came to.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;

use meshpeek::scan::{Found, Progress, Record, Scan, Selection};
use meshpeek::{Access, ErrorKind, FileMap, Format};

use crate::args::{Common, Inputs};
use crate::notes::{Notes, shown};
use crate::output::Failure;
use crate::output_file::OutputFile;
use crate::paths::Paths;
use crate::{interrupt, map, progress, report};

/// A scan over what the arguments name.
pub(crate) fn scan(inputs: &Inputs, common: &Common) -> Scan {
    let mut scan = Scan::new(&inputs.paths);
    scan.access = access(common);
    scan.limits = common.limits.limits();
    scan.archives = !inputs.no_archives;
    scan.jobs = inputs.jobs.map(NonZeroUsize::get);
    scan.formats = Format::ALL.iter().copied().filter(|f| inputs.formats.iter().any(|name| name == f.name())).collect();
    scan.selection = Selection {
        hidden: inputs.hidden,
        ignored: inputs.no_ignore,
        globs: inputs.globs.clone(),
        folder_depth: inputs.folder_depth,
        follow: inputs.follow,
        except: common.output_file.as_ref().map(|file| file.ids.clone()).unwrap_or_default(),
    };
    scan
}

/// What a scan came to.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) assets: u64,
    files: u64,
    unreadable: u64,
    /// Files that were named and are no assets.
    unknown: u64,
    interrupted: bool,
}

/// Hands over each asset, and tells of the rest, until the results cannot be written any more.
pub(crate) fn each_asset(
    scan: &Scan,
    inputs: &Inputs,
    common: &Common,
    mut each: impl FnMut(&Record) -> Result<(), Failure> + Send,
) -> Result<Tally, Failure> {
    let notes = Notes::new(common);
    let list = inputs.paths_from.as_deref().map(|list| Paths::read(list, inputs.null, scan.progress.clone()));
    let list = list.transpose()?;
    let mut tally = Tally::default();
    let mut failure = None;
    let mut kept = Vec::new();
    let found = |found| {
        match found {
            Found::Asset(record) => {
                tally.assets += 1;
                if inputs.sort.is_some() {
                    kept.push(record);
                } else if let Err(error) = each(&record) {
                    failure = Some(error);
                }
            }
            Found::NoAsset { path, named } => {
                tally.unknown += u64::from(named);
                let note = format!("{}: {}", shown(&path), ErrorKind::Unrecognized);
                if named { notes.say(note) } else { notes.detail(note) }
            }
            Found::Unreadable(error) => {
                tally.unreadable += 1;
                notes.error(error);
            }
            Found::PassedOver { path, named: false } => {
                notes.say(format_args!("{}: the file to write to, passed over", shown(&path)));
            }
            Found::PassedOver { path, named: true } => {
                failure = Some(OutputFile::is_input(common.output.as_deref().unwrap_or(&path), &path));
            }
            _ => {}
        }
        if failure.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    interrupt::ends_scan(&scan.progress);
    // How much is to come cannot be told of a list that is still being read.
    let interrupted = progress::beside(scan, list.is_none(), notes, || {
        match list {
            None => scan.run(found)?,
            Some(list) => scan.run_over(inputs.paths.iter().cloned().map(Ok).chain(list), found)?,
        }
        Ok(scan.progress.is_stopped())
    })?;
    interrupt::ends_the_program();
    if let Some(failure) = failure {
        return Err(failure);
    }
    // An archive's own record has no member and so comes first.
    kept.sort_by_cached_key(|record| (record.path.clone(), record.member.as_ref().map(|name| name.text.clone())));
    for record in kept {
        each(&record)?;
    }
    tally.interrupted = interrupted;
    tally.files = scan.progress.files();
    if tally.files == 0 && tally.unreadable == 0 && !interrupted {
        hint(scan, notes);
    }
    Ok(tally)
}

/// Says why nothing was looked at, where that may be a surprise.
fn hint(scan: &Scan, notes: Notes) {
    let mut all = scan.clone();
    // The scan is over, and its own is stopped.
    all.progress = Progress::default();
    all.selection.hidden = true;
    all.selection.ignored = true;
    if let Ok((files @ 1.., _)) = all.measure() {
        let (files, are) = (report::count(files, "file"), if files == 1 { "is" } else { "are" });
        notes.say(format_args!(
            "{files} {are} hidden or left out by an ignore file; --hidden and --no-ignore take such files in"
        ));
    }
}

impl Tally {
    /// 0 where everything was read, 1 where something was not, 2 where nothing could be.
    pub(crate) fn looked_at(&self) -> ExitCode {
        self.status(self.files, self.unreadable)
    }

    /// The same where a file that was named has to be an asset.
    pub(crate) fn verified(&self) -> ExitCode {
        self.status(self.files.saturating_sub(self.unknown), self.unreadable + self.unknown)
    }

    fn status(&self, done: u64, undone: u64) -> ExitCode {
        match (done, undone) {
            _ if self.interrupted => ExitCode::from(interrupt::STATUS),
            (_, 0) => ExitCode::SUCCESS,
            (0, _) => ExitCode::from(2),
            _ => ExitCode::from(1),
        }
    }
}

/// The bytes of one file.
pub(crate) fn open(path: &Path, common: &Common) -> Result<FileMap, Failure> {
    Ok(FileMap::open_with(path, access(common), &common.limits.limits())?)
}

/// Says so if the file was changed while results were made of it.
pub(crate) fn unchanged(file: &FileMap, path: &Path) -> Result<(), Failure> {
    Ok(file.unchanged().map_err(|error| error.in_file(path))?)
}

fn access(common: &Common) -> Access {
    if common.no_mmap { Access::READ } else { map::access() }
}
