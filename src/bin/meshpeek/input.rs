//! What to look at: paths from arguments, files and standard input.

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};

use meshpeek::scan::Scan;
use meshpeek::{Access, FileMap, Limits};

use crate::args::{Common, Inputs};
use crate::output::Failure;

/// A scan over what the arguments name.
pub(crate) fn scan(inputs: &Inputs, common: &Common) -> Result<Scan, Failure> {
    let mut paths = inputs.paths.clone();
    if let Some(list) = &inputs.paths_from {
        paths.extend(paths_from(list, inputs.null)?);
    }
    let mut scan = Scan::new(paths);
    scan.access = access(common);
    Ok(scan)
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
