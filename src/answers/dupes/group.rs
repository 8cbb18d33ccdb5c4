//! A group of equal assets.

use std::path::{Path, PathBuf};

use serde::Serializer;

use crate::base::error::Result;
use crate::base::format::Format;
use crate::base::text::Name;
use crate::base::word_enum::word_enum;
#[cfg(doc)]
use crate::diff::fingerprint;

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
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
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
    /// The locations of the assets, sorted by [path and member](crate::scan::add_sort_key); at least two. In a group of
    /// equal content, at least two differ in their bytes.
    pub copies: Vec<Copy>,
}

fn as_text<S: Serializer>(path: &Path, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.serialize_str(&Name::from(path).text)
}

/// A part of the answer of [`find_with`](super::find_with).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Duplicate {
    /// A group begins. Its copies follow, each as a [`Copy`](Self::Copy).
    Group {
        /// The group, without copies.
        group: Group,
        /// The number of copies that follow.
        copies: u64,
    },
    /// The next copy of the group.
    Copy(Copy),
    /// An asset that could not all be read, so that another may have the same content. Its bytes are compared if its
    /// format is known. These assets follow the last group, sorted by [path and member](crate::scan::add_sort_key).
    Unread(Copy),
}

/// The answer of [`find`](super::find).
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Duplicates {
    /// The groups of equal assets.
    pub groups: Vec<Group>,
    /// The assets that could not all be read. See [`Duplicate::Unread`].
    pub unread: Vec<Copy>,
}

/// The callback for the parts of the answer.
pub(super) type Each<'e> = dyn FnMut(Duplicate) -> Result<()> + 'e;
