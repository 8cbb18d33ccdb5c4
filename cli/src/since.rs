//! `scan --events` and `scan --since`: a stream of records that says whether it is whole, and another that goes on
//! from it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use meshpeek::scan::{Known, Scan};
use meshpeek::{Error, ErrorKind, FileMap};
use serde::Deserialize;
use serde_json::json;

use crate::args::Common;
use crate::failure::Failure;
use crate::input::{self, Tally};
use crate::output::Output;

/// The line of a file that cannot be read.
pub(crate) fn unreadable(error: &Error, given: &[PathBuf]) -> serde_json::Value {
    let is_gone = matches!(error.kind(), ErrorKind::Io(error) if error.kind() == std::io::ErrorKind::NotFound);
    // A path that was given and is not there was never met.
    let was_given = error.path().is_none_or(|path| given.iter().any(|given| given == path));
    let event = if is_gone && !was_given { "vanished" } else { "unreadable" };
    let path = error.path().map(|path| meshpeek::view::ByteStr::new(path.as_os_str().as_encoded_bytes()));
    json!({ "event": event, "path": path.map(|path| path.to_text_lossy()), "message": error.message() })
}

/// The last lines of a stream.
pub(crate) fn finish(scan: &Scan, tally: &Tally, out: &mut Output) -> Result<(), Failure> {
    if tally.interrupted {
        writeln!(out, "{}", json!({ "event": "interrupted" }))?;
    }
    let (files, bytes) = (scan.progress.files(), scan.progress.bytes());
    let end = json!({
        "event": "end",
        "whole": !tally.interrupted && tally.unreadable == 0,
        "files": files,
        "bytes": bytes,
        "assets": tally.assets,
        "damaged": tally.damaged,
        "other": tally.other,
        "unreadable": tally.unreadable,
    });
    Ok(writeln!(out, "{end}")?)
}

/// An earlier stream.
pub(crate) struct Old {
    bytes: FileMap,
    files: HashMap<PathBuf, File>,
}

/// What it says of one file.
#[derive(Default)]
struct File {
    /// The records' lines by member, the file's own first.
    lines: Vec<(Option<String>, Range<usize>)>,
    stamp: Option<String>,
    counts: Tally,
    is_archive: bool,
    /// Whether it cannot be told whose records these are.
    is_unclear: bool,
}

/// What matters of a line.
#[derive(Deserialize)]
struct Head<'l> {
    #[serde(borrow)]
    path: Option<Cow<'l, str>>,
    member: Option<String>,
    format: Option<Cow<'l, str>>,
    stamp: Option<String>,
    #[serde(default)]
    lossy: bool,
    #[serde(default)]
    problems: Vec<Fault<'l>>,
    event: Option<Cow<'l, str>>,
}

#[derive(Deserialize)]
struct Fault<'l> {
    #[serde(borrow)]
    severity: Cow<'l, str>,
    #[serde(borrow)]
    code: Cow<'l, str>,
}

impl Old {
    /// Reads the stream; where it breaks off, what it says of archives is not believed to be all.
    pub(crate) fn open(path: &Path, common: &Common) -> Result<Self, Failure> {
        let bytes = FileMap::open_with(path, input::access(common), &common.limits.limits())?;
        let mut files: HashMap<PathBuf, File> = HashMap::new();
        let (mut is_whole, mut was_interrupted) = (false, false);
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', &bytes) {
            let line = start..end + 1;
            start = end + 1;
            let head = bytes.get(line.clone()).and_then(|line| serde_json::from_slice::<Head<'_>>(line).ok());
            let event = head.as_ref().and_then(|head| head.event.as_deref());
            was_interrupted |= event == Some("interrupted");
            // Also if a path could not be read: that has no records here, and all others are whole.
            is_whole = event == Some("end") && !was_interrupted;
            let Some(Head { path: Some(path), member, format, stamp, lossy, problems, event: None, .. }) = head else {
                continue;
            };
            let file = files.entry(PathBuf::from(path.as_ref())).or_default();
            file.is_unclear |= lossy && path.contains("\\x");
            let is_asset = !problems.iter().any(|problem| problem.code.starts_with("other"));
            file.counts.assets += u64::from(is_asset);
            file.counts.other += u64::from(!is_asset);
            file.counts.damaged += u64::from(problems.iter().any(|problem| problem.severity == "error"));
            if member.is_none() {
                file.is_unclear |= file.stamp.is_some();
                file.stamp = stamp;
                file.is_archive = format.is_some_and(|format| matches!(format.as_ref(), "pbo" | "zip"));
            }
            file.lines.push((member, line));
        }
        is_whole &= start == bytes.len();
        files.retain(|_, file| !file.is_unclear && (is_whole || !file.is_archive));
        files.values_mut().for_each(|file| file.lines.sort_by(|(a, _), (b, _)| a.cmp(b)));
        Ok(Self { bytes, files })
    }

    /// The files whose records are all there.
    pub(crate) fn known(&self) -> Arc<Known> {
        let mut known = Known::default();
        for (path, file) in &self.files {
            if let Some(stamp) = &file.stamp {
                known.add(path.clone(), stamp.clone());
            }
        }
        Arc::new(known)
    }

    /// Writes the records of a file once more, and counts them.
    pub(crate) fn copy(&self, path: &Path, out: &mut Output) -> Result<Tally, Failure> {
        let Some(file) = self.files.get(path) else { return Ok(Tally::default()) };
        for (_, line) in &file.lines {
            out.write_all(self.bytes.get(line.clone()).unwrap_or_default())?;
        }
        Ok(file.counts)
    }
}
