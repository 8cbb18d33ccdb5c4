//! Finds assets that are present more than once.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::Serializer;
use sha2::{Digest, Sha256};

use super::record::hex;
use super::walk::is_archive;
use super::{Found, Record, Scan, Sighting};
use crate::asset::container::Container;
use crate::base::error::Result;
use crate::base::format::Format;
use crate::base::text::Name;
use crate::base::word_enum::word_enum;
use crate::diff::fingerprint;
use crate::summary::Counts;

word_enum! {
    /// The property that the assets of a group share.
    #[derive(PartialOrd, Ord)]
    pub enum Sameness {
        /// Every byte.
        File = "file",
        /// Everything that their format describes, with arrays decoded: every field, name and array, but not where and
        /// how they are stored. See [`fingerprint`].
        Content = "content",
    }
}

/// One asset of a group.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[non_exhaustive]
pub struct Copy {
    /// The file.
    #[serde(serialize_with = "as_text")]
    pub path: PathBuf,
    /// The path inside the archive, if it is in one.
    pub member: Option<String>,
    /// True if bytes of these names are not UTF-8.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub lossy: bool,
    /// The size of the asset.
    pub bytes: u64,
}

/// A group of equal assets.
#[derive(Clone, Debug, serde::Serialize)]
#[non_exhaustive]
pub struct Group {
    /// The property that they share.
    pub same: Sameness,
    /// Their format.
    pub format: Format,
    /// SHA-256 of the common bytes or content, in lower-case hexadecimal.
    pub digest: String,
    /// The locations of the assets, sorted by path; at least two. In a group of equal content, at least two differ in
    /// their bytes.
    pub copies: Vec<Copy>,
}

fn as_text<S: Serializer>(path: &Path, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.serialize_str(&Name::from(path).text)
}

/// The properties that two assets must share before their content is compared.
#[derive(PartialEq, Eq, Hash)]
struct Outside {
    format: Format,
    version: Option<u32>,
    counts: Counts,
    /// The size, for assets without counts.
    bytes: Option<u64>,
}

impl Outside {
    /// Returns `None` for data that is not in a known format.
    fn of(record: &Record) -> Option<Self> {
        let summary = &record.summary;
        let is_known = summary.counts.iter().any(|(_, count)| count.is_some());
        let format = summary.format?;
        let is_model = is_known && !is_archive(summary.format);
        let bytes = (!is_model).then_some(summary.bytes);
        Some(Self { format, version: summary.version, counts: summary.counts.clone(), bytes })
    }
}

/// SHA-256 of the bytes, and of the content if that could be read.
type Digests = ([u8; 32], Option<[u8; 32]>);

/// The content of each different file, in each format that its name gives it.
type Contents = HashMap<([u8; 32], Format), [u8; 32]>;

/// Finds groups of equal assets among those in the scan. Groups of equal bytes come first, then groups of equal content
/// in different bytes. All other results of the scan are passed to `other`.
///
/// Scans twice. The first scan collects formats and counts. The second reads the files in which two assets agree in
/// these: it reads every byte, and decodes every array of one of several equal files. Takes memory for each asset. The
/// [progress](Scan::progress) counts each file and asset once, and bytes from 0 again in the second scan.
///
/// # Errors
/// Returns an error under the conditions of [`Scan::run`].
pub fn find(scan: &Scan, mut other: impl FnMut(Found) + Send) -> Result<Vec<Group>> {
    // The number of such assets, and their files.
    let mut alike: HashMap<Outside, (u64, Vec<PathBuf>)> = HashMap::new();
    scan.run(|found| {
        match found {
            Found::Asset(record) => {
                let Some(outside) = Outside::of(&record) else { return ControlFlow::Continue(()) };
                let (count, paths) = alike.entry(outside).or_default();
                *count = count.saturating_add(1);
                // Those of one archive are adjacent, or nearly so.
                if paths.last() != Some(&record.path) {
                    paths.push(record.path);
                }
            }
            found => other(found),
        }
        ControlFlow::Continue(())
    })?;
    alike.retain(|_, (count, _)| *count > 1);
    let paths: HashSet<&PathBuf> = alike.values().flat_map(|(_, paths)| paths).collect();
    let bytes = scan.progress.bytes();
    let progress = scan.progress.again();
    let again = Scan { paths: paths.into_iter().cloned().collect(), progress, ..scan.clone() };
    let contents: Mutex<Contents> = Mutex::default();
    let contents = || contents.lock().unwrap_or_else(PoisonError::into_inner);
    let digests = |seen: &Sighting<'_, '_>| -> Option<Digests> {
        Outside::of(seen.record).is_some_and(|outside| alike.contains_key(&outside)).then(|| {
            let file = Sha256::digest(seen.data).into();
            let asset = seen.asset.filter(|asset| Container::of(asset).is_none());
            let content = asset.and_then(|asset| {
                let known = contents().get(&(file, asset.format())).copied();
                known.or_else(|| {
                    let content = fingerprint(asset, seen.budget).ok()?;
                    contents().insert((file, asset.format()), content);
                    Some(content)
                })
            });
            (file, content)
        })
    };
    let mut found: Vec<Candidate> = Vec::new();
    again.run_with(digests, |asset, digests| {
        if let (Found::Asset(record), Some(digests)) = (asset, digests.flatten())
            && let Some(format) = record.summary.format
        {
            let copy = Copy {
                lossy: record.path_name().lossy || record.member.as_ref().is_some_and(|member| member.lossy),
                member: record.member.map(|member| member.text),
                path: record.path,
                bytes: record.summary.bytes,
            };
            found.push((copy, format, digests));
        }
        ControlFlow::Continue(())
    })?;
    if !scan.progress.is_stopped() {
        scan.progress.set_bytes(bytes);
    }
    Ok(groups(&found))
}

type Candidate = (Copy, Format, Digests);

fn groups(found: &[Candidate]) -> Vec<Group> {
    let by = |digest: fn(&Candidate) -> Option<[u8; 32]>| {
        let mut alike: HashMap<[u8; 32], Vec<&Candidate>> = HashMap::new();
        for candidate in found {
            if let Some(digest) = digest(candidate) {
                alike.entry(digest).or_default().push(candidate);
            }
        }
        alike
    };
    let several =
        |copies: &[&Candidate]| copies.windows(2).any(|pair| matches!(pair, [(.., a), (.., b)] if a.0 != b.0));
    let contents = by(|(.., (_, content))| *content).into_iter().filter(|(_, copies)| several(copies));
    let contents = contents.filter_map(|(digest, copies)| group(Sameness::Content, digest, copies));
    let files = by(|(.., (file, _))| Some(*file)).into_iter();
    let files = files.filter_map(|(digest, copies)| group(Sameness::File, digest, copies));
    let mut groups: Vec<Group> = contents.chain(files).collect();
    groups.sort_by(|a, b| (a.same, &a.copies).cmp(&(b.same, &b.copies)));
    groups
}

/// Returns `None` if there is only one, such as a file that two of the scan's paths lead to.
fn group(same: Sameness, digest: [u8; 32], mut copies: Vec<&Candidate>) -> Option<Group> {
    copies.sort_by(|(a, ..), (b, ..)| a.cmp(b));
    copies.dedup_by(|(a, ..), (b, ..)| a == b);
    let &(_, format, _) = copies.first().filter(|_| copies.len() > 1)?;
    Some(Group {
        same,
        format: *format,
        digest: hex(&digest),
        copies: copies.into_iter().map(|(copy, ..)| copy.clone()).collect(),
    })
}
