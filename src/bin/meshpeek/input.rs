//! What to look at: paths from arguments, files and standard input, and the assets found there.

use std::ffi::OsString;
use std::io::Read;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use meshpeek::scan::{Found, Record, Scan, Selection};
use meshpeek::{Access, FileMap, Format};

use crate::args::{Common, Inputs, SortKey};
use crate::output::{Failure, Notes};
use crate::progress;

/// A scan over what the arguments name.
pub(crate) fn scan(inputs: &Inputs, common: &Common) -> Result<Scan, Failure> {
    let mut paths = inputs.paths.clone();
    if let Some(list) = &inputs.paths_from {
        paths.extend(paths_from(list, inputs.null)?);
    }
    let mut scan = Scan::new(paths);
    scan.access = access(common);
    scan.archives = !inputs.no_archives;
    scan.jobs = inputs.jobs.map(NonZeroUsize::get);
    scan.formats = Format::ALL.iter().copied().filter(|f| inputs.formats.iter().any(|name| name == f.name())).collect();
    scan.selection = Selection {
        hidden: inputs.hidden,
        ignored: inputs.no_ignore,
        globs: inputs.globs.clone(),
        max_depth: inputs.max_depth,
    };
    Ok(scan)
}

/// What a scan met.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) assets: u64,
    pub(crate) unreadable: u64,
    pub(crate) interrupted: bool,
}

/// What a scan hands over.
pub(crate) enum Told<'t> {
    Record(&'t Record),
    /// A file whose records an earlier scan gave.
    Unchanged(&'t Path),
    Unreadable(&'t meshpeek::Error),
}

enum Kept {
    Record(Box<Record>),
    Unchanged(PathBuf),
}

impl Kept {
    fn place(&self) -> (PathBuf, Option<String>) {
        match self {
            Self::Record(record) => (record.path.clone(), record.member.as_ref().map(|name| name.text.clone())),
            Self::Unchanged(path) => (path.clone(), None),
        }
    }

    fn told(&self) -> Told<'_> {
        match self {
            Self::Record(record) => Told::Record(record),
            Self::Unchanged(path) => Told::Unchanged(path),
        }
    }
}

/// Hands over each asset, and tells of the rest, until the results cannot be written any more.
pub(crate) fn each_asset(
    scan: &Scan,
    sort: Option<SortKey>,
    notes: Notes,
    mut each: impl FnMut(&Record) -> Result<(), Failure> + Send,
) -> Result<Tally, Failure> {
    each_told(scan, sort, notes, |told| match told {
        Told::Record(record) => each(record),
        _ => Ok(()),
    })
}

/// The same with all that is worth a line.
pub(crate) fn each_told(
    scan: &Scan,
    sort: Option<SortKey>,
    notes: Notes,
    mut each: impl FnMut(Told<'_>) -> Result<(), Failure> + Send,
) -> Result<Tally, Failure> {
    let mut tally = Tally::default();
    let mut failure = None;
    let mut kept = Vec::new();
    let run = |found| {
        let found = match found {
            Found::Asset(record) => {
                tally.assets += 1;
                Ok(Kept::Record(record))
            }
            Found::Unchanged(path) => Ok(Kept::Unchanged(path)),
            other => Err(other),
        };
        let written = match found {
            Ok(found) if sort.is_some() => {
                kept.push(found);
                Ok(())
            }
            Ok(found) => each(found.told()),
            Err(Found::Unreadable(error)) => {
                tally.unreadable += 1;
                let written = each(Told::Unreadable(&error));
                notes.error(error);
                written
            }
            Err(Found::NoAsset { path, named }) => {
                let note = format!("{}: no asset of a known format", path.display());
                if named {
                    notes.say(note)
                } else {
                    notes.detail(note)
                }
                Ok(())
            }
            Err(_) => Ok(()),
        };
        match written {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failure = Some(error);
                ControlFlow::Break(())
            }
        }
    };
    let interrupted = progress::beside(scan, notes, || {
        scan.run(run)?;
        Ok(scan.progress.is_stopped())
    })?;
    if let Some(failure) = failure {
        return Err(failure);
    }
    // An archive's own record has no member and so comes first.
    kept.sort_by_cached_key(Kept::place);
    for found in kept {
        each(found.told())?;
    }
    tally.interrupted = interrupted;
    Ok(tally)
}

impl Tally {
    /// 0 where everything was read, 1 where something was not, 2 where nothing could be.
    pub(crate) fn exit_code(&self) -> ExitCode {
        match (self.unreadable, self.assets) {
            _ if self.interrupted => ExitCode::from(1),
            (0, _) => ExitCode::SUCCESS,
            (_, 0) => ExitCode::from(2),
            _ => ExitCode::from(1),
        }
    }
}

/// Says so if the file was changed while results were made of it.
pub(crate) fn unchanged(file: &FileMap, path: &Path) -> Result<(), Failure> {
    Ok(file.unchanged().map_err(|error| error.in_file(path))?)
}

pub(crate) fn access(common: &Common) -> Access {
    if common.no_mmap { Access::Read } else { Access::Auto }
}

fn paths_from(list: &Path, null: bool) -> Result<Vec<PathBuf>, Failure> {
    let mut bytes = Vec::new();
    if list == Path::new("-") {
        std::io::stdin().read_to_end(&mut bytes)?;
    } else {
        bytes = std::fs::read(list).map_err(|error| Failure::Told(format!("{}: {error}", list.display())))?;
    }
    let end = if null { b'\0' } else { b'\n' };
    let lines = bytes.split(|&byte| byte == end);
    let lines = lines.map(|line| if null { line } else { line.strip_suffix(b"\r").unwrap_or(line) });
    lines.filter(|line| !line.is_empty()).map(to_path).collect()
}

#[cfg(unix)]
fn to_path(bytes: &[u8]) -> Result<PathBuf, Failure> {
    use std::os::unix::ffi::OsStringExt;
    Ok(OsString::from_vec(bytes.to_vec()).into())
}

#[cfg(not(unix))]
fn to_path(bytes: &[u8]) -> Result<PathBuf, Failure> {
    let text = String::from_utf8(bytes.to_vec()).map_err(|_| Failure::Told("a path is not UTF-8".to_owned()))?;
    Ok(OsString::from(text).into())
}
