//! A reference and the files that it means.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::elsewhere::MOST_ELSEWHERE;
use super::index::Index;
use super::keys::address;
use super::unread::Unread;
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
        /// The reference does not name a file: the game computes it, as with `#(argb,8,8,3)color(1,1,1,1)`, or Lua code
        /// gives other textures to the model.
        Procedural = "procedural",
        /// Several files have this name.
        Ambiguous = "ambiguous",
        /// The name depends on a macro whose definition is not known, or on Lua code.
        Unresolved = "unresolved",
        /// The references of an asset, text or archive could not all be read. There is no name.
        Unread = "unread",
    }
}

word_enum! {
    /// How a file was found.
    #[non_exhaustive]
    pub enum Reason {
        /// By its path in the game, below the prefix of its archive or folder.
        Prefix = "prefix",
        /// In the folder or archive of the asset or text that names it, or inside this asset.
        Beside = "beside",
        /// Several files have this path, and one of them is below the same prefix as the asset or text that names it.
        OwnRoot = "own root",
        /// By the last part of its name.
        FileName = "file name",
        /// By its name among the media of Luanti mods, as Lua code names it.
        Lua = "lua",
    }
}

word_enum! {
    /// What is odd about a file that was found.
    #[non_exhaustive]
    pub enum Odd {
        /// A pointer that Git LFS stores in place of the file.
        LfsPointer = "Git LFS pointer",
        /// It has no bytes.
        Empty = "empty",
        /// It cannot be read in full: it is cut, for example.
        Damaged = "damaged",
    }
}

/// The most addresses that [`Link::targets`] gives.
pub const MOST_TARGETS: usize = 100;

/// One resolved reference of one asset.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Link<'l> {
    /// The file of the asset that contains the reference.
    pub path: &'l Path,
    /// The asset's path inside the archive, if it is in one.
    pub member: Option<&'l Name>,
    /// The reference. `None` if the state is [`Unread`](State::Unread).
    pub reference: Option<&'l Reference>,
    /// The result of resolving it.
    pub state: State,
    /// How the file was found. `None` if there is none.
    pub reason: Option<Reason>,
    /// What is odd about the file, if one was found.
    pub odd: Option<Odd>,
    /// Why the name could not be resolved or the asset not be read, or what else there is to say.
    pub note: Option<Cow<'l, str>>,
    /// The number of further files it may mean, or that have its name.
    pub more: usize,
    /// The [address](crate::address) of the material or included config that contains the reference, if it is not the
    /// asset itself.
    pub via: Option<&'l Name>,
    /// The line and column in a text, counted from 1.
    pub place: Option<(u32, u32)>,
    pub(super) meant: Meant,
    pub(super) index: &'l Index,
}

/// The files that a reference means, or that have its name. Their addresses are made on demand: there may be thousands
/// of references to one file with a long address.
#[derive(Clone, Debug)]
pub(super) enum Meant {
    /// The asset itself, for an image inside it.
    Own,
    /// These files.
    Files(Arc<[usize]>),
    /// None. These files have its name in other places.
    Elsewhere(Arc<[usize]>),
}

/// The result of resolving a reference.
#[derive(Debug)]
pub(super) struct Resolved {
    pub(super) state: State,
    pub(super) meant: Meant,
    pub(super) reason: Option<Reason>,
    pub(super) odd: Option<Odd>,
    pub(super) note: Option<String>,
}

impl Resolved {
    pub(super) fn new(state: State, meant: Meant) -> Self {
        Self { state, meant, reason: None, odd: None, note: None }
    }
}

impl Meant {
    /// The first files that it may mean.
    pub(super) fn files(&self) -> impl Iterator<Item = usize> {
        let files: &[usize] = if let Self::Files(files) = self { files } else { &[] };
        files.iter().copied().take(MOST_TARGETS)
    }

    /// The number of files that are not named.
    pub(super) fn more(&self) -> usize {
        match self {
            Self::Own => 0,
            Self::Files(files) => files.len().saturating_sub(MOST_TARGETS),
            Self::Elsewhere(files) => files.len().saturating_sub(MOST_ELSEWHERE),
        }
    }
}

impl<'l> Link<'l> {
    pub(super) fn unread(unread: &'l Unread, index: &'l Index) -> Self {
        Self {
            path: &unread.path,
            member: unread.member.as_ref(),
            reference: None,
            state: State::Unread,
            reason: None,
            odd: None,
            note: Some(unread.note.as_str().into()),
            more: 0,
            via: None,
            place: None,
            meant: Meant::Files([].into()),
            index,
        }
    }

    /// Makes the [addresses](crate::address) of the files it may mean, the first [`MOST_TARGETS`]: of the asset itself
    /// for an image inside it. None if the name has an assumed prefix. Ends early at the limit that
    /// [`Links::each`](super::Links::each) reports.
    pub fn targets(&self) -> impl Iterator<Item = Name> {
        let mut own = None;
        if let Meant::Own = self.meant {
            let address = address(self.path, self.member);
            if self.index.cost.name(address.text.len()) {
                own = Some(address);
            }
        }
        own.into_iter().chain(self.meant.files().map_while(|file| self.index.target(file)))
    }

    /// If it is missing, makes the addresses of files with its name in other places, the first [`MOST_ELSEWHERE`]. Ends
    /// early at the limit that [`Links::each`](super::Links::each) reports.
    pub fn elsewhere(&self) -> impl Iterator<Item = Name> {
        self.files_elsewhere().map_while(|file| self.index.target(file))
    }

    fn files_elsewhere(&self) -> impl Iterator<Item = usize> {
        let files: &[usize] = if let Meant::Elsewhere(files) = &self.meant { files } else { &[] };
        files.iter().copied().take(MOST_ELSEWHERE)
    }

    /// Returns true if a name in it has bytes that are not UTF-8. They are escaped in the text.
    pub fn is_lossy(&self) -> bool {
        let mut names = self.reference.iter().map(|reference| &reference.name).chain(self.member).chain(self.via);
        let mut files = self.meant.files().chain(self.files_elsewhere());
        Name::from(self.path).lossy || names.any(|name| name.lossy) || files.any(|file| self.index.is_lossy(file))
    }

    /// Returns [`note`](Self::note) and [`odd`](Self::odd) as one text.
    pub fn note_text(&self) -> Option<Cow<'_, str>> {
        match (self.odd, &self.note) {
            (Some(odd), Some(note)) => Some(format!("{odd}; {note}").into()),
            (Some(odd), None) => Some(odd.name().into()),
            (None, note) => note.as_deref().map(Cow::Borrowed),
        }
    }

    /// Makes the address of the file that it means, if it is exactly one that the scan found.
    pub fn target(&self) -> Option<Name> {
        if self.state == State::Found { self.targets().next() } else { None }
    }
}

fn texts(names: impl Iterator<Item = Name>) -> Vec<String> {
    names.map(|name| name.text).collect()
}

impl Serialize for Link<'_> {
    /// Writes `{path, member, kind, name, state, target, via, reason, note}`, and `line` and `column` for a text. If the state
    /// is ambiguous, `target` is null and `targets` lists the files. If it is missing, `elsewhere` lists files with this
    /// name in other places. `more` counts further ones.
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let Self { member, reference, state, more, via, reason, place, .. } = self;
        let path = Name::from(self.path);
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("path", &path.text)?;
        map.serialize_entry("member", &member.as_ref().map(|member| &member.text))?;
        if self.is_lossy() {
            map.serialize_entry("lossy", &true)?;
        }
        map.serialize_entry("kind", &reference.map(|reference| reference.kind))?;
        map.serialize_entry("name", &reference.map(|reference| &reference.name.text))?;
        map.serialize_entry("state", state.name())?;
        map.serialize_entry("target", &self.target().map(|target| target.text))?;
        if *state == State::Ambiguous {
            map.serialize_entry("targets", &texts(self.targets()))?;
        }
        let elsewhere = texts(self.elsewhere());
        if !elsewhere.is_empty() {
            map.serialize_entry("elsewhere", &elsewhere)?;
        }
        if *more > 0 {
            map.serialize_entry("more", more)?;
        }
        map.serialize_entry("via", &via.map(|via| &via.text))?;
        map.serialize_entry("reason", &reason.map(Reason::name))?;
        map.serialize_entry("note", &self.note_text())?;
        if let Some((line, column)) = place {
            map.serialize_entry("line", line)?;
            map.serialize_entry("column", column)?;
        }
        map.end()
    }
}
