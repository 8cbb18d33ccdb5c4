//! A reference and the files that it means.

use std::path::Path;

use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::base::text::Name;
use crate::base::word_enum::word_enum;
use crate::summary::Reference;

word_enum! {
    /// The result of resolving a reference.
    #[non_exhaustive]
    pub enum State {
        /// One file matches, or the name has a prefix that the caller assumes the game to have.
        Found = "found",
        /// No file has this name.
        Missing = "missing",
        /// The reference does not name a file: the game computes it, as with `#(argb,8,8,3)color(1,1,1,1)`.
        Procedural = "procedural",
        /// Several files have this name.
        Ambiguous = "ambiguous",
        /// The name depends on a macro whose definition is not known.
        Unresolved = "unresolved",
    }
}

/// The most addresses that a [`Link`] names.
pub const MOST_TARGETS: usize = 100;

/// One resolved reference of one asset.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Link<'l> {
    /// The file of the asset that contains the reference.
    pub path: &'l Path,
    /// The asset's path inside the archive, if it is in one.
    pub member: Option<&'l Name>,
    /// The reference.
    pub reference: &'l Reference,
    /// The result of resolving it.
    pub state: State,
    /// [Addresses](crate::address) of the files it may mean, the first [`MOST_TARGETS`]: of the asset itself for an
    /// image inside it. Empty if the name has an assumed prefix.
    pub targets: Vec<Name>,
    /// If it is missing, addresses of files with its name in other places, the first
    /// [`MOST_ELSEWHERE`](super::MOST_ELSEWHERE).
    pub elsewhere: Vec<Name>,
    /// The number of further files it may mean, or that have its name.
    pub more: usize,
    /// The [address](crate::address) of the material or included config that contains the reference, if it is not the
    /// asset itself.
    pub via: Option<&'l Name>,
    /// The line and column in a text config, counted from 1.
    pub place: Option<(u32, u32)>,
}

impl<'l> Link<'l> {
    /// Returns true if a name in it has bytes that are not UTF-8. They are escaped in the text.
    pub fn is_lossy(&self) -> bool {
        let Self { member, reference, targets, elsewhere, via, .. } = self;
        let names = targets.iter().chain(elsewhere).chain(*member).chain(*via).chain([&reference.name]);
        Name::from(self.path).lossy || names.into_iter().any(|name| name.lossy)
    }

    /// Returns the address of the file that it means, if it is exactly one that the scan found.
    pub fn target(&self) -> Option<&Name> {
        self.targets.first().filter(|_| self.state == State::Found)
    }
}

fn texts(names: &[Name]) -> Vec<&str> {
    names.iter().map(|name| name.text.as_str()).collect()
}

impl Serialize for Link<'_> {
    /// Writes `{path, member, kind, name, state, target, via}`, and `line` and `column` for a text config. If the state
    /// is ambiguous, `target` is null and `targets` lists the files. If it is missing, `elsewhere` lists files with this
    /// name in other places. `more` counts further ones.
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let Self { path, member, reference, state, targets, elsewhere, more, via, place } = self;
        let path = Name::from(*path);
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("path", &path.text)?;
        map.serialize_entry("member", &member.as_ref().map(|member| &member.text))?;
        if self.is_lossy() {
            map.serialize_entry("lossy", &true)?;
        }
        map.serialize_entry("kind", &reference.kind)?;
        map.serialize_entry("name", &reference.name.text)?;
        map.serialize_entry("state", state.name())?;
        map.serialize_entry("target", &self.target().map(|target| &target.text))?;
        if *state == State::Ambiguous {
            map.serialize_entry("targets", &texts(targets))?;
        }
        if !elsewhere.is_empty() {
            map.serialize_entry("elsewhere", &texts(elsewhere))?;
        }
        if *more > 0 {
            map.serialize_entry("more", more)?;
        }
        map.serialize_entry("via", &via.map(|via| &via.text))?;
        if let Some((line, column)) = place {
            map.serialize_entry("line", line)?;
            map.serialize_entry("column", column)?;
        }
        map.end()
    }
}
