//! What resolving a reference gives: its state, and the files that it means.

use std::sync::Arc;

use crate::base::word_enum::word_enum;

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
    /// The oddity of a file that was found.
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

/// The most addresses that [`Link::targets`](super::Link::targets) gives.
pub const MOST_TARGETS: usize = 100;

/// The most addresses that [`Link::elsewhere`](super::Link::elsewhere) gives.
pub const MOST_ELSEWHERE: usize = 3;

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
