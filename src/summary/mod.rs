//! Facts about one asset for an index: owned, small, and the same type for every format.

mod problems;
mod references;
#[cfg(feature = "scan")]
mod saved_as_text;
mod side_by_side;

use std::collections::BTreeMap;

pub use problems::{Problem, Problems, Severity};
pub use references::{Reference, ReferenceKind, References};
pub(crate) use side_by_side::side_by_side;

pub use crate::base::code::{Class, Code};
pub use crate::base::text::Name;

use crate::base::error::{Error, ErrorKind};
use crate::base::format::Format;
use crate::bytes::{Packing, Storage};

/// The facts of one asset. An unknown fact is `None`, never 0.
///
/// With the feature `serde` it serializes with the keys that a `scan::Record` has.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Summary {
    /// The format, by content. `None` if the bytes match no format or cannot be decoded.
    pub format: Option<Format>,
    /// The version as stored.
    pub version: Option<u32>,
    /// The size.
    pub bytes: u64,
    /// Counts as stored, including empty names and empty lists.
    pub counts: Counts,
    /// The box around the model, in the file's own space and units: as stored in ODOL; in a Blitz3D scene, of all
    /// vertices through their nodes, if all can be read. `None` for other formats, and at
    /// [`Depth::Header`](crate::Depth::Header) of a scene.
    pub bounds: Option<Bounds>,
    /// The other files that the asset refers to, each once, in order of first use.
    pub references: Vec<Reference>,
    /// The compressible blocks.
    pub blocks: Blocks,
    /// The kind and size of a texture.
    pub texture: Option<Texture>,
    /// The members of an archive whose content cannot be read, by method. Not counted at
    /// [`Depth::Header`](crate::Depth::Header).
    pub unchecked: Unchecked,
    /// The problems.
    pub problems: Vec<Problem>,
}

impl Summary {
    /// Creates a summary with only format and size known: no counts and no problems.
    pub fn new(format: impl Into<Option<Format>>, bytes: u64) -> Self {
        let format = format.into();
        Self {
            format,
            version: None,
            bytes,
            counts: format.map_or_else(Counts::default, Counts::absent),
            bounds: None,
            references: Vec::new(),
            blocks: Blocks::default(),
            texture: None,
            unchecked: Unchecked::default(),
            problems: Vec::new(),
        }
    }

    /// Creates the summary of an asset that cannot be opened. The error is its single problem, a warning if it says
    /// that this is not an asset. The version is known if the error contains it.
    pub fn unreadable(format: impl Into<Option<Format>>, bytes: u64, error: &Error) -> Self {
        let is_other = matches!(error.kind(), ErrorKind::Unrecognized(_)) || error.code().class() == Class::Other;
        let problem = if is_other { Problem::warning(error) } else { Problem::error(error) };
        Self { version: error.version(), problems: vec![problem], ..Self::new(format, bytes) }
    }

    /// Returns true for an asset, even a damaged one. Returns false for text, Git LFS pointers, empty files and
    /// unrecognized bytes. Their single problem says which.
    pub fn is_asset(&self) -> bool {
        self.problems.iter().all(|problem| problem.code.class() != Class::Other)
    }
}

/// Named counts in a fixed order. A count is `None` if unknown.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Counts(Vec<(&'static str, Option<u64>)>);

impl Counts {
    /// Returns the counts of this format, all unknown.
    pub fn absent(format: Format) -> Self {
        Self(format.count_names().iter().map(|&name| (name, None)).collect())
    }

    /// Creates these counts, all known or each an `Option`.
    pub fn known<const N: usize>(counts: [(&'static str, impl Into<Option<u64>>); N]) -> Self {
        Self(counts.into_iter().map(|(name, count)| (name, count.into())).collect())
    }

    /// Returns the count with this name, if known.
    pub fn get(&self, name: &str) -> Option<u64> {
        self.iter().find(|(known, _)| *known == name)?.1
    }

    /// Returns an iterator over names and counts in order.
    pub fn iter(&self) -> std::iter::Copied<std::slice::Iter<'_, (&'static str, Option<u64>)>> {
        self.0.iter().copied()
    }
}

/// Declares the counts of a survey, in the order of [`Counts`]. Counts marked `inside` are known only if the survey
/// examined the parts.
macro_rules! counted {
    (@known $inside:ident) => { true };
    (@known $inside:ident inside) => { $inside };
    ($($name:ident $($mark:ident)?),* $(,)?) => {
        /// The counts of a survey.
        #[derive(Default)]
        pub(super) struct Counted {
            $(pub(super) $name: $crate::base::amount::Amount<u64>,)*
        }

        impl Counted {
            /// Returns the counts as far as they are known.
            pub(super) fn counts(&self, inside: bool) -> $crate::summary::Counts {
                $crate::summary::Counts::known([$((
                    stringify!($name),
                    $crate::summary::counted!(@known inside $($mark)?).then_some(self.$name.0),
                )),*])
            }
        }
    };
}
pub(crate) use counted;

impl FromIterator<(&'static str, Option<u64>)> for Counts {
    fn from_iter<I: IntoIterator<Item = (&'static str, Option<u64>)>>(counts: I) -> Self {
        Self(counts.into_iter().collect())
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Counts {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

/// The number of members of an archive that cannot be read, by their method, or `encrypted`.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Unchecked(BTreeMap<String, u64>);

impl Unchecked {
    /// Counts a member that is packed with this method.
    pub(crate) fn add(&mut self, method: String) {
        let count = self.0.entry(method).or_default();
        *count = count.saturating_add(1);
    }

    /// Returns the number of all such members.
    pub fn total(&self) -> u64 {
        self.0.values().sum()
    }

    /// Returns true if no such member was counted.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns an iterator over methods and numbers of members.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.0.iter().map(|(method, count)| (method.as_str(), *count))
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Unchecked {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

/// An axis-aligned box, in the space of the file.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Bounds {
    /// The corner with the smallest coordinates.
    pub min: [f32; 3],
    /// The corner with the largest coordinates.
    pub max: [f32; 3],
}

/// The kind and size of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Texture {
    /// The kind of its pixels, such as `DXT5`.
    pub kind: &'static str,
    /// The width of its largest image.
    pub width: u32,
    /// The height of its largest image.
    pub height: u32,
}

/// Statistics of the compressible blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Blocks {
    /// The number of blocks stored uncompressed, without empty ones.
    pub stored: u64,
    /// The number of compressed blocks.
    pub packed: u64,
    /// The bytes of the compressed blocks in the file.
    pub packed_bytes: u64,
    /// The bytes of the compressed blocks when decoded.
    pub unpacked_bytes: u64,
}

impl Blocks {
    /// Adds a block with this storage and this size when decoded.
    pub fn add(&mut self, storage: Storage, unpacked_bytes: u64) {
        match storage.packing {
            Packing::InPlace => self.count(false, storage.bytes, unpacked_bytes),
            packing if packing.is_stream() => self.count(true, storage.bytes, unpacked_bytes),
            // Not a block: a column of records, one value for all elements, or computed.
            _ => {}
        }
    }

    /// Adds all of these blocks.
    #[cfg_attr(not(feature = "odol"), allow(dead_code, reason = "only blocks of ODOL are counted in parts"))]
    pub(crate) fn add_all(&mut self, other: Self) {
        let Self { stored, packed, packed_bytes, unpacked_bytes } = other;
        self.stored = self.stored.saturating_add(stored);
        self.packed = self.packed.saturating_add(packed);
        self.packed_bytes = self.packed_bytes.saturating_add(packed_bytes);
        self.unpacked_bytes = self.unpacked_bytes.saturating_add(unpacked_bytes);
    }

    /// Adds a block with this size in the file and this size when decoded.
    pub(crate) fn count(&mut self, is_packed: bool, bytes: u64, unpacked_bytes: u64) {
        if is_packed {
            self.packed = self.packed.saturating_add(1);
            self.packed_bytes = self.packed_bytes.saturating_add(bytes);
            self.unpacked_bytes = self.unpacked_bytes.saturating_add(unpacked_bytes);
        } else {
            self.stored = self.stored.saturating_add((bytes > 0).into());
        }
    }
}
