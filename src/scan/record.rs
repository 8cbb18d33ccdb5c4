//! One asset's line in an index.

use std::path::PathBuf;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use sha2::{Digest, Sha256};

use crate::budget::Budget;
use crate::inspect::Inspect;
use crate::summary::{Name, Problem, Summary};
use crate::view::ByteStr;

/// One asset: where it was found, what it is, what is wrong with it.
#[derive(Clone, Debug)]
pub struct Record {
    /// The file, as given or as found below a given folder.
    pub path: PathBuf,
    /// The path inside the archive, where it lies in one; nested archives are joined by `!/`.
    pub member: Option<Name>,
    /// Its facts.
    pub summary: Summary,
    /// What identifies its content, where that was asked for.
    pub digests: Option<Digests>,
}

impl Record {
    /// The path as text.
    pub fn path_name(&self) -> Name {
        ByteStr::new(self.path.as_os_str().as_encoded_bytes()).into()
    }
}

/// SHA-256 over each of the byte streams that identify an asset; `None` where one cannot be read, empty where the asset
/// cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Digests(Vec<(&'static str, Option<String>)>);

impl Digests {
    /// Reads, and where it must be decodes, the asset's streams, all its `bytes` for each. Adds a problem for each that
    /// cannot be had.
    pub(super) fn of(asset: &dyn Inspect, budget: &Budget, bytes: u64, problems: &mut Vec<Problem>) -> Self {
        let mut digest = |name: &'static str| {
            let mut hash = Sha256::new();
            let read = budget.work(bytes).and_then(|()| asset.digest(name, budget, &mut |bytes| hash.update(bytes)));
            match read {
                Ok(()) => Some(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()),
                Err(error) => {
                    let problem = Problem::error(&error);
                    if !problems.contains(&problem) {
                        problems.push(problem);
                    }
                    None
                }
            }
        };
        Self(asset.digest_names().iter().map(|&name| (name, digest(name))).collect())
    }

    /// Names and lower-case hexadecimal digests in order.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, Option<&str>)> {
        self.0.iter().map(|(name, digest)| (*name, digest.as_deref()))
    }
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
    /// Those of the map.
    pub fn serialize_entries<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let Summary { format, version, bytes, counts, bounds, references, blocks, problems } = &self.summary;
        let path = self.path_name();
        map.serialize_entry("path", &path.text)?;
        map.serialize_entry("member", &self.member.as_ref().map(|member| &member.text))?;
        if path.lossy || self.member.as_ref().is_some_and(|member| member.lossy) {
            map.serialize_entry("lossy", &true)?;
        }
        map.serialize_entry("format", format)?;
        map.serialize_entry("version", version)?;
        map.serialize_entry("bytes", bytes)?;
        map.serialize_entry("counts", counts)?;
        map.serialize_entry("bounds", bounds)?;
        map.serialize_entry("references", references)?;
        map.serialize_entry("blocks", blocks)?;
        map.serialize_entry("problems", problems)?;
        if let Some(digests) = &self.digests {
            map.serialize_entry("digests", digests)?;
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
