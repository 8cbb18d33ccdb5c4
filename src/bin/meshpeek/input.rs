//! What to look at: paths from arguments, files and standard input, and the assets found there.

use std::ffi::OsString;
use std::io::Read;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use meshpeek::scan::{Found, Record, Scan};
use meshpeek::{Access, FileMap, Limits};

use crate::args::{Common, Inputs};
use crate::output::{Failure, Notes};

/// A scan over what the arguments name.
pub(crate) fn scan(inputs: &Inputs, common: &Common) -> Result<Scan, Failure> {
    let mut paths = inputs.paths.clone();
    if let Some(list) = &inputs.paths_from {
        paths.extend(paths_from(list, inputs.null)?);
    }
    let mut scan = Scan::new(paths);
    scan.access = access(common);
    scan.jobs = inputs.jobs.map(NonZeroUsize::get);
    Ok(scan)
}

/// What a scan met beside the assets it handed over.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) assets: u64,
    pub(crate) unreadable: u64,
}

/// Hands over each asset, and tells of the rest, until the results cannot be written any more.
pub(crate) fn each_asset(
    scan: &Scan,
    notes: Notes,
    mut each: impl FnMut(&Record) -> Result<(), Failure> + Send,
) -> Result<Tally, Failure> {
    let mut tally = Tally::default();
    let mut failure = None;
    scan.run(|found| {
        match found {
            Found::Asset(record) => {
                tally.assets += 1;
                if let Err(error) = each(&record) {
                    failure = Some(error);
                    return ControlFlow::Break(());
                }
            }
            Found::NoAsset(path) => notes.say(format_args!("{}: no asset of a known format", path.display())),
            Found::Unreadable(error) => {
                tally.unreadable += 1;
                notes.error(error);
            }
            _ => {}
        }
        ControlFlow::Continue(())
    })?;
    failure.map_or(Ok(tally), Err)
}

impl Tally {
    /// 0 where everything was read, 1 where something could not be, 2 where nothing could.
    pub(crate) fn exit_code(&self) -> ExitCode {
        match (self.unreadable, self.assets) {
            (0, _) => ExitCode::SUCCESS,
            (_, 0) => ExitCode::from(2),
            _ => ExitCode::from(1),
        }
    }
}

/// The bytes of one file.
pub(crate) fn open(path: &Path, common: &Common) -> Result<FileMap, Failure> {
    Ok(FileMap::open_with(path, access(common), &Limits::default())?)
}

fn access(common: &Common) -> Access {
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
