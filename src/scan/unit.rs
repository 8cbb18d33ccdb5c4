//! A piece of a divided scan.

use std::ops::Range;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::base::text::Name;

/// How units recognize that a file has changed since the [plan](super::Scan::plan).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnitsBy {
    /// By its size and the time of its last change.
    #[default]
    Time,
    /// By its size, for copies that do not keep times. A change that keeps the size is not detected.
    Size,
    /// By its SHA-256, for copies that do not keep times. The plan reads each file, and a scan reads it once more for each
    /// unit that opens it.
    Digest,
}

/// A piece of work that belongs to a unit: a file, or some members of an archive. All pieces together are the whole
/// scan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Wire", try_from = "Wire")]
#[non_exhaustive]
pub struct Unit {
    /// The number of the unit; several pieces may share one.
    pub unit: u64,
    /// The file, as given or as found below a given folder.
    pub path: PathBuf,
    /// The first and the last member, counted from 0, if an archive is divided. The piece that starts with the first
    /// member includes the archive's own record.
    pub range: Option<(u64, u64)>,
    /// The stored bytes to process.
    pub bytes: u64,
    /// A text that changes with the file, in the way that the [plan](super::Scan::units_by) chose. `None` if it is not a regular
    /// file.
    pub stamp: Option<String>,
    /// True if the caller named this exact file and its name does not end like an asset's. It has a record
    /// nevertheless.
    pub named: bool,
}

/// A unit as one JSON object.
#[derive(Serialize, Deserialize)]
struct Wire {
    unit: u64,
    path: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    lossy: bool,
    first: Option<u64>,
    last: Option<u64>,
    bytes: u64,
    stamp: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    named: bool,
}

impl From<Unit> for Wire {
    fn from(Unit { unit, path, range, bytes, stamp, named }: Unit) -> Self {
        let Name { text: path, lossy } = path.as_path().into();
        let (first, last) = range.unzip();
        Self { unit, path, lossy, first, last, bytes, stamp, named }
    }
}

impl TryFrom<Wire> for Unit {
    type Error = &'static str;

    fn try_from(
        Wire { unit, path, lossy, first, last, bytes, stamp, named }: Wire,
    ) -> std::result::Result<Self, Self::Error> {
        let path = if lossy { unescaped(&path) } else { path.into() };
        let range = match (first, last) {
            (None, None) => None,
            (Some(first), Some(last)) if first <= last => Some((first, last)),
            _ => return Err("a unit needs both of first and last, in this order, or neither"),
        };
        Ok(Self { unit, path, range, bytes, stamp, named })
    }
}

/// Decodes a path in which bytes that are not UTF-8 were written as `\xNN`.
fn unescaped(text: &str) -> PathBuf {
    let mut parts = text.split("\\x");
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let byte = part.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok()).filter(|byte| *byte >= 0x80);
        match byte {
            Some(byte) => bytes.push(byte),
            None => bytes.extend_from_slice(b"\\x"),
        }
        let rest = if byte.is_some() { part.get(2..).unwrap_or_default() } else { part };
        bytes.extend_from_slice(rest.as_bytes());
    }
    #[cfg(unix)]
    return <std::ffi::OsString as std::os::unix::ffi::OsStringExt>::from_vec(bytes).into();
    #[cfg(not(unix))]
    return String::from_utf8_lossy(&bytes).into_owned().into();
}

impl Unit {
    /// Returns the range of members of the archive.
    pub(super) fn members(&self) -> Range<usize> {
        let place = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        self.range.map_or(0..usize::MAX, |(first, last)| place(first)..place(last.saturating_add(1)))
    }
}
