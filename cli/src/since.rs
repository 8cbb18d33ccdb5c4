//! `scan --events` and `scan --since`: a stream of records that reports whether it is complete, and a later one that
//! reuses its records.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use meshpeek::scan::{Known, Scan};
use meshpeek::summary::{Code, Name};
use meshpeek::{Access, Error, FileMap, Format};
use serde::Deserialize;
use serde_json::json;

use crate::args::Common;
use crate::failure::Failure;
use crate::input::Tally;
use crate::notes::Notes;
use crate::visible::shown;

/// The line of a file that cannot be read: `vanished` if the scan had found it, otherwise `unreadable`.
pub(crate) fn unreadable(error: &Error, named: &[PathBuf]) -> serde_json::Value {
    let is_gone = error.code() == Code::NotFound;
    // A path that the user named was not found by the scan.
    let was_found = error.path().is_some_and(|path| !named.iter().any(|named| named == path));
    let event = if is_gone && was_found { "vanished" } else { "unreadable" };
    let path = error.path().map(|path| Name::from(path).text);
    json!({ "event": event, "path": path, "message": error.message() })
}

/// Returns the last lines of a stream, with the requests, the bytes fetched and the bytes of the files if URLs were read.
pub(crate) fn last_events(scan: &Scan, tally: &Tally, remote: Option<[u64; 3]>) -> String {
    let mut lines = String::new();
    if tally.interrupted {
        lines = format!("{}\n", json!({ "event": "interrupted" }));
    }
    let files = scan.progress.files();
    let bytes = scan.progress.bytes();
    let left_out = scan.progress.left_out();
    let mut end = json!({
        "event": "end",
        "whole": !tally.interrupted && tally.unreadable == 0,
        "files": files,
        "bytes": bytes,
        "assets": tally.assets,
        "damaged": tally.damaged,
        "other": tally.other,
        "unreadable": tally.unreadable,
        "unread_members": tally.unread_members,
        "hidden_or_ignored": left_out.hidden_or_ignored,
        "links": left_out.links,
        "folders_too_deep": left_out.folders_too_deep,
    });
    if let Some([requests, fetched, present]) = remote {
        end["requests"] = requests.into();
        end["fetched"] = fetched.into();
        end["present"] = present.into();
    }
    lines + &format!("{end}\n")
}

/// A copy of an earlier stream, because its file may be the one being written.
pub(crate) struct Old {
    bytes: FileMap,
    files: HashMap<PathBuf, File>,
}

/// The lines about one file.
#[derive(Default)]
struct File {
    /// The records' lines by member. The file's own line comes first.
    lines: Vec<(Option<String>, Range<usize>)>,
    stamp: Option<String>,
    counts: Tally,
    is_archive: bool,
    /// True if the owner of these records is unclear.
    is_unclear: bool,
}

/// A line: an event, or the relevant fields of a record, with their required types.
#[derive(Deserialize)]
struct Line<'l> {
    #[serde(borrow)]
    event: Option<Cow<'l, str>>,
    assets: Option<u64>,
    #[serde(default)]
    other: u64,
    path: Option<Cow<'l, str>>,
    member: Option<String>,
    format: Option<Cow<'l, str>>,
    stamp: Option<String>,
    #[serde(default)]
    lossy: bool,
    bytes: Option<u64>,
    counts: Option<HashMap<Cow<'l, str>, Option<u64>>>,
    #[serde(default)]
    unchecked: HashMap<Cow<'l, str>, u64>,
    problems: Option<Vec<Fault<'l>>>,
}

#[derive(Deserialize)]
struct Fault<'l> {
    #[serde(borrow)]
    severity: Cow<'l, str>,
    #[serde(borrow)]
    code: Cow<'l, str>,
}

/// Parses a line, including its end. Returns the reason if it is not a line of a stream.
fn parse(bytes: &[u8]) -> Result<Line<'_>, String> {
    let bytes = bytes.strip_suffix(b"\n").ok_or("it breaks off")?;
    // Not every JSON reader checks the texts that it skips.
    let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
    let line: Line<'_> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if line.event.is_some() {
        return Ok(line);
    }
    if line.is_record() { Ok(line) } else { Err("neither a record nor an event".to_owned()) }
}

impl Line<'_> {
    fn is_record(&self) -> bool {
        let Some(problems) = &self.problems else { return false };
        if let Some(format) = &self.format
            && !Format::ALL.iter().any(|known| known.name() == format.as_ref())
        {
            return false;
        }
        let is_whole = self.path.is_some() && self.bytes.is_some() && self.counts.is_some();
        is_whole && problems.iter().all(|fault| matches!(fault.severity.as_ref(), "error" | "warning"))
    }
}

impl Old {
    /// Reads the stream. Its lines are claims. If a line is invalid, if the stream breaks off, or if its number of
    /// records does not match, its records of archives are not trusted to be complete.
    pub(crate) fn open(path: &Path, common: &Common) -> Result<Self, Failure> {
        let size = match path.metadata() {
            Ok(metadata) if metadata.is_file() => metadata.len(),
            _ => 0,
        };
        let bytes = FileMap::open_with(path, Access::READ, &common.limits.limits())?;
        if (bytes.len() as u64) < size {
            warn(path, "was cut short while it was read", common);
        }
        let mut files: HashMap<PathBuf, File> = HashMap::new();
        let mut end = None;
        let mut records = 0_u64;
        let mut was_interrupted = false;
        let mut unreadable = 0_u64;
        let mut first_unreadable = String::new();
        let mut start = 0;
        for (number, piece) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
            let place = start..start + piece.len();
            start = place.end;
            end = None;
            match parse(piece) {
                Ok(Line { event: Some(event), assets, other, .. }) => {
                    was_interrupted |= event == "interrupted";
                    // A path that could not be read changes nothing: it has no records here, and all others are complete.
                    if event == "end"
                        && !was_interrupted
                        && let Some(assets) = assets
                    {
                        end = Some(assets.saturating_add(other));
                    }
                }
                Ok(record) => {
                    records += 1;
                    add(&mut files, record, place);
                }
                Err(reason) => {
                    if unreadable == 0 {
                        first_unreadable = format!("line {} cannot be read: {reason}", number + 1);
                    }
                    unreadable += 1;
                }
            }
        }
        let is_whole = unreadable == 0 && end == Some(records);
        match (unreadable, end) {
            (0, Some(end)) if end != records => {
                warn(path, &format!("has {records} records and says otherwise"), common);
            }
            (0, _) => {}
            (1, _) => warn(path, &first_unreadable, common),
            (count, _) => warn(path, &format!("{first_unreadable}; nor can {} further ones", count - 1), common),
        }
        files.retain(|_, file| !file.is_unclear && (is_whole || !file.is_archive));
        for file in files.values_mut() {
            file.lines.sort_by(|(a, _), (b, _)| a.cmp(b));
        }
        Ok(Self { bytes, files })
    }

    /// The files whose records are complete.
    pub(crate) fn known(&self) -> Arc<Known> {
        let mut known = Known::default();
        for (path, file) in &self.files {
            if let Some(stamp) = &file.stamp {
                known.add(path.clone(), stamp.clone());
            }
        }
        Arc::new(known)
    }

    /// The lines of the records of a file, each with its member.
    pub(crate) fn lines(&self, path: &Path) -> impl Iterator<Item = (Option<&str>, &[u8])> {
        let lines = match self.files.get(path) {
            Some(file) => file.lines.as_slice(),
            None => &[],
        };
        lines.iter().map(|(member, line)| (member.as_deref(), self.bytes.get(line.clone()).unwrap_or_default()))
    }

    /// The counts of the records of a file.
    pub(crate) fn counts(&self, path: &Path) -> Tally {
        match self.files.get(path) {
            Some(file) => file.counts,
            None => Tally::default(),
        }
    }
}

fn warn(path: &Path, message: &str, common: &Common) {
    Notes::new(common).error(format_args!("{}: {message}; what is missing is looked at anew", shown(path)));
}

/// Adds a line of the earlier run to the file that it is about.
fn add(files: &mut HashMap<PathBuf, File>, record: Line<'_>, place: Range<usize>) {
    let Line { path, member, format, stamp, lossy, problems, unchecked, .. } = record;
    let path = path.unwrap_or_default();
    let problems = problems.unwrap_or_default();
    let file = files.entry(PathBuf::from(path.as_ref())).or_default();
    // An escaped path may stand for several files.
    file.is_unclear |= lossy && path.contains("\\x");
    let is_asset = !problems.iter().any(|problem| problem.code.starts_with("other"));
    file.counts.assets += u64::from(is_asset);
    file.counts.other += u64::from(!is_asset);
    file.counts.damaged += u64::from(problems.iter().any(|problem| problem.severity == "error"));
    for count in unchecked.into_values() {
        file.counts.unread_members = file.counts.unread_members.saturating_add(count);
    }
    if member.is_none() {
        // Of two records, it is not known which is the file's.
        file.is_unclear |= file.stamp.is_some();
        file.stamp = stamp;
        file.is_archive = format.is_some_and(|format| matches!(format.as_ref(), "pbo" | "zip"));
    }
    file.lines.push((member, place));
}
