//! The record of one asset in an index.

use std::iter::zip;
use std::path::PathBuf;
use std::time::SystemTime;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use sha2::{Digest, Sha256};

use crate::asset::address::MemberPath;
use crate::asset::stored::{Stored, date};
use crate::base::stop;
use crate::base::text::Name;
use crate::budget::Budget;
use crate::inspect::Inspect;
#[cfg(feature = "json")]
use crate::json::Document;
use crate::summary::{Problem, Summary};

/// One asset: its location, its facts and its problems.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Record {
    /// The file, as given or as found below a given folder.
    pub path: PathBuf,
    /// The path inside the archive, if it is in one. Nested archives are joined by `!/`.
    pub member: Option<Name>,
    /// Its facts.
    pub summary: Summary,
    /// The digests that identify its content, if requested.
    pub digests: Option<Digests>,
    /// How the archive stores it, if it is a member.
    pub stored: Option<Stored>,
    /// The virtual root of a PBO archive.
    pub prefix: Option<Name>,
    /// A text that changes with the file and with the options of the scan; only for files that a scan opened. Equal
    /// stamps of one path mean equal records. A stamp has no other meaning.
    pub stamp: Option<String>,
    /// The time of the last change: of the file, from the file system before it was read, or of the member, from its
    /// archive. Not part of the record as JSON.
    pub modified: Option<SystemTime>,
}

#[cfg(feature = "json")]
impl<W: std::io::Write, F: serde_json::ser::Formatter + Clone> Document<W, F> {
    /// Writes the entries of a record.
    ///
    /// # Errors
    /// Returns the errors of the writer.
    pub fn record(&mut self, record: &Record) -> std::io::Result<()> {
        let Err(error) = record.serialize_entries(self) else { return Ok(()) };
        match self.failure.take() {
            Some(failure) => Err(failure),
            None => Err(error.into()),
        }
    }
}

impl Record {
    /// Returns the path as text.
    pub fn path_name(&self) -> Name {
        self.path.as_path().into()
    }

    /// Returns the [address](crate::address) of the asset as text: the path, and the member after `!/`.
    pub fn address(&self) -> String {
        let member = self.member.as_ref().map(|member| member.text.as_str());
        MemberPath::join_text(&self.path_name().text, member)
    }

    /// Returns [`modified`](Self::modified) as text in UTC with microseconds, as `2020-09-13T12:26:40.250000Z`. Returns
    /// `None` if it is unknown.
    pub fn modified_text(&self) -> Option<String> {
        time_text(self.modified?)
    }

    /// Returns true if path, member or prefix have bytes that are not UTF-8. They are escaped in the text.
    pub fn is_lossy(&self) -> bool {
        let is_lossy = self.path.to_str().is_none();
        is_lossy || self.member.iter().chain(&self.prefix).any(|name| name.lossy)
    }
}

/// Returns a time as text in UTC with microseconds, as `2020-09-13T12:26:40.250000Z`.
pub fn time_text(time: SystemTime) -> Option<String> {
    let micros = match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_micros()).ok()?,
        Err(before) => i64::try_from(before.duration().as_micros()).ok()?.saturating_neg(),
    };
    Some(format!("{}.{:06}Z", date(micros.div_euclid(1_000_000)), micros.rem_euclid(1_000_000)))
}

/// SHA-256 of the asset's own bytes (`file`) and of each byte stream that identifies its content. `None` if a stream
/// cannot be read. An asset that cannot be opened has `file` alone.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Digests(Vec<(&'static str, Option<String>)>);

impl Digests {
    /// Reads all of `data`, and decodes the asset's streams if necessary, all `bytes` of each. Adds a problem for each
    /// stream that cannot be read. If the budget does not allow all digests, there are none.
    pub(super) fn of(
        data: &[u8],
        asset: &dyn Inspect,
        budget: &Budget,
        bytes: u64,
        problems: &mut Vec<Problem>,
    ) -> Self {
        let mut digests = Self::of_file(Some(data), budget);
        let names = asset.digest_names();
        let mut hashes = vec![Sha256::new(); names.len()];
        let mut sink = |place: usize, bytes: &[u8]| {
            if let Some(hash) = hashes.get_mut(place) {
                // A digest that was stopped is not handed over.
                let _ = stop::in_pieces(bytes, |piece| hash.update(piece));
            }
        };
        let read = match budget.charge_work(bytes.saturating_mul(names.len() as u64)) {
            Ok(()) => asset.digests(names, budget, &mut sink),
            Err(error) => vec![Err(error); names.len()],
        };
        for (&name, (read, hash)) in zip(names, zip(read, hashes)) {
            let mut digest = None;
            match read {
                Ok(()) => digest = Some(hex(hash.finalize().as_slice())),
                Err(error) => {
                    let problem = Problem::error(&error);
                    if !problems.contains(&problem) {
                        problems.push(problem);
                    }
                }
            }
            digests.0.push((name, digest));
        }
        digests
    }

    /// The digests of something that does not open, or whose bytes are not available.
    pub(super) fn of_file(data: Option<&[u8]>, budget: &Budget) -> Self {
        let mut digest = None;
        if let Some(data) = data
            && budget.charge_work(data.len() as u64).is_ok()
        {
            digest = sha256(data).ok();
        }
        Self(vec![("file", digest)])
    }

    /// Returns an iterator over names and lower-case hexadecimal digests, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, Option<&str>)> {
        self.0.iter().map(|(name, digest)| (*name, digest.as_deref()))
    }
}

/// Returns the digest of bytes, unless the scan is stopped meanwhile.
pub(super) fn sha256(data: &[u8]) -> crate::base::error::Result<String> {
    let mut hash = Sha256::new();
    stop::in_pieces(data, |piece| hash.update(piece))?;
    Ok(hex(hash.finalize().as_slice()))
}

/// Formats a digest in lower-case hexadecimal.
pub(crate) fn hex(digest: &[u8]) -> String {
    let mut text = String::with_capacity(digest.len().saturating_mul(2));
    for byte in digest {
        for half in [byte >> 4, byte & 15] {
            text.push(char::from_digit(half.into(), 16).unwrap_or_default());
        }
    }
    text
}

impl Serialize for Digests {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl Record {
    /// Writes its entries into a map that may have others.
    ///
    /// # Errors
    /// Returns the errors of the map.
    pub fn serialize_entries<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let Summary { format, version, bytes, counts, bounds, references, blocks, texture, unchecked, problems } =
            &self.summary;
        map.serialize_entry("path", &self.path_name().text)?;
        map.serialize_entry("member", &self.member.as_ref().map(|member| &member.text))?;
        map.serialize_entry("address", &self.address())?;
        if self.is_lossy() {
            map.serialize_entry("lossy", &true)?;
        }
        map.serialize_entry("format", format)?;
        map.serialize_entry("version", version)?;
        map.serialize_entry("bytes", bytes)?;
        map.serialize_entry("counts", counts)?;
        map.serialize_entry("bounds", bounds)?;
        map.serialize_entry("references", references)?;
        map.serialize_entry("blocks", blocks)?;
        if !unchecked.is_empty() {
            map.serialize_entry("unchecked", unchecked)?;
        }
        map.serialize_entry("problems", problems)?;
        if let Some(digests) = &self.digests {
            map.serialize_entry("digests", digests)?;
        }
        map.serialize_entry("stored", &self.stored)?;
        map.serialize_entry("prefix", &self.prefix.as_ref().map(|prefix| &prefix.text))?;
        map.serialize_entry("texture", texture)?;
        if let Some(stamp) = &self.stamp {
            map.serialize_entry("stamp", stamp)?;
        }
        Ok(())
    }
}

impl Serialize for Record {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.serialize_entries(&mut map)?;
        map.end()
    }
}
