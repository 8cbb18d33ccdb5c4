//! Assets that are there more than once.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Mutex;

use serde::ser::{Serialize, SerializeMap, Serializer};
use sha2::{Digest, Sha256};

use super::record::hex;
use super::{Found, Record, Scan, Sighting};
use crate::asset::container::Container;
use crate::base::error::Result;
use crate::base::format::Format;
use crate::base::named::named;
use crate::base::text::{ByteStr, Name};
use crate::diff::fingerprint;
use crate::summary::Counts;

named! {
    /// In what the assets of a group are the same.
    #[derive(PartialOrd, Ord)]
    pub enum Sameness {
        /// In every byte.
        File = "file",
        /// In everything that their format tells, arrays decoded: every field, name and array, but not where and how they
        /// are stored. See [`fingerprint`].
        Content = "content",
    }
}

/// One of a group.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Copy {
    /// The file.
    pub path: PathBuf,
    /// The path inside the archive, where it lies in one.
    pub member: Option<String>,
    /// Whether bytes of these names are not UTF-8.
    pub lossy: bool,
    /// Its size.
    pub bytes: u64,
}

/// Assets that are the same.
#[derive(Clone, Debug, serde::Serialize)]
#[non_exhaustive]
pub struct Group {
    /// In what.
    pub same: Sameness,
    /// Their format.
    pub format: Format,
    /// SHA-256 of what is the same, in lower-case hexadecimal.
    pub digest: String,
    /// Where they are, in the order of paths; at least two. In a group of the same content, at least two differ in
    /// their bytes.
    pub copies: Vec<Copy>,
}

impl Serialize for Copy {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let path = Name::from(ByteStr::new(self.path.as_os_str().as_encoded_bytes()));
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("path", &path.text)?;
        map.serialize_entry("member", &self.member)?;
        if self.lossy {
            map.serialize_entry("lossy", &true)?;
        }
        map.serialize_entry("bytes", &self.bytes)?;
        map.end()
    }
}

/// What two assets must share to be worth a closer look.
#[derive(PartialEq, Eq, Hash)]
struct Outside {
    format: Format,
    version: Option<u32>,
    counts: Counts,
    /// Of what has no counts, the size.
    bytes: Option<u64>,
}

impl Outside {
    /// `None` for what is in no format.
    fn of(record: &Record) -> Option<Self> {
        let summary = &record.summary;
        let is_known = summary.counts.iter().any(|(_, count)| count.is_some());
        let format = summary.format?;
        let is_model = is_known && !matches!(format, Format::Pbo | Format::Zip);
        let bytes = (!is_model).then_some(summary.bytes);
        Some(Self { format, version: summary.version, counts: summary.counts.clone(), bytes })
    }
}

/// SHA-256 of the bytes, and of the content where that could be read.
type Digests = ([u8; 32], Option<[u8; 32]>);

/// Groups of assets that are there more than once among those the scan finds: first those of the same bytes, then those
/// of the same content in other bytes. What else it comes upon is passed on.
///
/// Scans twice: the first time for formats and counts, the second time the files in which two assets agree in these; of
/// these every byte is read and every array decoded. Takes memory for each asset.
///
/// # Errors
/// As [`Scan::run`].
pub fn find(scan: &Scan, mut other: impl FnMut(Found) + Send) -> Result<Vec<Group>> {
    // How many there are, and in which files.
    let mut alike: HashMap<Outside, (u64, Vec<PathBuf>)> = HashMap::new();
    scan.run(|found| {
        match found {
            Found::Asset(record) => {
                let Some(outside) = Outside::of(&record) else { return ControlFlow::Continue(()) };
                let (count, paths) = alike.entry(outside).or_default();
                *count = count.saturating_add(1);
                // Those of one archive follow each other, or nearly so.
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
    let again = Scan { paths: paths.into_iter().cloned().collect(), ..scan.clone() };
    let digests = |seen: &Sighting<'_, '_>| -> Option<Digests> {
        Outside::of(seen.record).is_some_and(|outside| alike.contains_key(&outside)).then(|| {
            let asset = seen.asset.filter(|asset| Container::of(asset).is_none());
            let content = asset.and_then(|asset| fingerprint(asset, seen.budget).ok());
            (Sha256::digest(seen.data).into(), content)
        })
    };
    let found: Mutex<Vec<(Copy, Format, Digests)>> = Mutex::default();
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
            if let Ok(mut found) = found.lock() {
                found.push((copy, format, digests));
            }
        }
        ControlFlow::Continue(())
    })?;
    let mut found = found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    found.sort_by(|(a, ..), (b, ..)| a.cmp(b));
    found.dedup_by(|(a, ..), (b, ..)| a == b);
    Ok(groups(&found))
}

fn groups(found: &[(Copy, Format, Digests)]) -> Vec<Group> {
    let mut by_file: HashMap<[u8; 32], Vec<usize>> = HashMap::new();
    let mut by_content: HashMap<[u8; 32], Vec<usize>> = HashMap::new();
    for (index, (_, _, (file, content))) in found.iter().enumerate() {
        by_file.entry(*file).or_default().push(index);
        if let Some(content) = content {
            by_content.entry(*content).or_default().push(index);
        }
    }
    by_file.retain(|_, copies| copies.len() > 1);
    by_content.retain(|_, copies| {
        let files = copies.iter().filter_map(|&index| found.get(index)).map(|(_, _, (file, _))| file);
        files.collect::<HashSet<_>>().len() > 1
    });
    let group = |same: Sameness, (digest, copies): ([u8; 32], Vec<usize>)| {
        let copies: Vec<&(Copy, Format, Digests)> = copies.iter().filter_map(|&index| found.get(index)).collect();
        let &(_, format, _) = copies.first().copied()?;
        let digest = hex(&digest);
        Some(Group { same, format, digest, copies: copies.into_iter().map(|(copy, ..)| copy.clone()).collect() })
    };
    let files = by_file.into_iter().filter_map(|entry| group(Sameness::File, entry));
    let contents = by_content.into_iter().filter_map(|entry| group(Sameness::Content, entry));
    let mut groups: Vec<Group> = files.chain(contents).collect();
    groups.sort_by(|a, b| (a.same, &a.copies).cmp(&(b.same, &b.copies)));
    groups
}
