//! What an indexer keeps of one asset: owned, small, the same for every format.

mod problems;
mod references;

#[cfg(feature = "zip")]
pub(crate) use problems::side_by_side;
pub use problems::{Problem, Problems, Severity};
pub use references::{Reference, ReferenceKind, References};

pub use crate::base::code::Code;
pub use crate::base::text::{Name, StoredText};

use crate::base::error::{Error, ErrorKind};
use crate::base::format::Format;
use crate::bytes::{Packing, Storage};

/// The facts of one asset. Absent knowledge is `None`, never 0.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Summary {
    /// Its format, by its bytes; `None` if they are in none or cannot be decoded.
    pub format: Option<Format>,
    /// Its version as stored.
    pub version: Option<u32>,
    /// Its size.
    pub bytes: u64,
    /// How many of what, as stored: empty names and empty lists included.
    pub counts: Counts,
    /// The box around it, as stored, where the format has one.
    pub bounds: Option<Bounds>,
    /// The other files that it asks for, in order of first use, each once.
    pub references: Vec<Reference>,
    /// Its compressible blocks.
    pub blocks: Blocks,
    /// What is wrong with it.
    pub problems: Vec<Problem>,
}

impl Summary {
    /// Nothing known but format and size: every count absent, no problem so far.
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
            problems: Vec::new(),
        }
    }

    /// The summary of what cannot be opened: the error is its one problem, a warning if it says that this is not an asset.
    /// Its version is known where the error keeps it.
    pub fn unreadable(format: impl Into<Option<Format>>, bytes: u64, error: &Error) -> Self {
        let problem = match error.kind() {
            ErrorKind::Unrecognized(_) => Problem::warning(error),
            _ => Problem::error(error),
        };
        Self { version: error.version(), problems: vec![problem], ..Self::new(format, bytes) }
    }

    /// Whether it is of an asset, be it a damaged one. Text, Git LFS pointers, empty files and unknown bytes are none; their
    /// one problem says so.
    pub fn is_asset(&self) -> bool {
        self.problems.iter().all(|problem| problem.code.class() != "other")
    }
}

/// Named counts in a fixed order; `None` where a count is not known.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Counts(Vec<(&'static str, Option<u64>)>);

impl Counts {
    /// The counts of this format, none of them known.
    pub fn absent(format: Format) -> Self {
        Self(format.count_names().iter().map(|&name| (name, None)).collect())
    }

    /// These counts, all known or each an `Option`.
    pub fn known<const N: usize>(counts: [(&'static str, impl Into<Option<u64>>); N]) -> Self {
        Self(counts.into_iter().map(|(name, count)| (name, count.into())).collect())
    }

    /// These counts, some of them perhaps unknown.
    pub fn new<const N: usize>(counts: [(&'static str, Option<u64>); N]) -> Self {
        Self(counts.into())
    }

    /// The count of this name, if it is known.
    pub fn get(&self, name: &str) -> Option<u64> {
        self.iter().find(|(known, _)| *known == name)?.1
    }

    /// Names and counts in order.
    pub fn iter(&self) -> std::iter::Copied<std::slice::Iter<'_, (&'static str, Option<u64>)>> {
        self.0.iter().copied()
    }
}

/// Describes what a survey counts, in the order of [`Counts`], and with `inside` what is only known where it looked into
/// parts.
macro_rules! counted {
    (@known $inside:ident) => { true };
    (@known $inside:ident inside) => { $inside };
    ($($name:ident $($mark:ident)?),* $(,)?) => {
        /// What a survey counted.
        #[derive(Default)]
        pub(super) struct Counted {
            $(pub(super) $name: u64,)*
        }

        impl Counted {
            /// The counts, as far as they are known.
            pub(super) fn counts(&self, inside: bool) -> $crate::summary::Counts {
                $crate::summary::Counts::new([$((
                    stringify!($name),
                    $crate::summary::counted!(@known inside $($mark)?).then_some(self.$name),
                )),*])
            }
        }
    };
}
pub(crate) use counted;

#[cfg(feature = "serde")]
impl serde::Serialize for Counts {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

/// An axis-aligned box, as stored.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Bounds {
    /// The corner with the smallest coordinates.
    pub min: [f32; 3],
    /// The corner with the largest coordinates.
    pub max: [f32; 3],
}

/// The compressible blocks met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Blocks {
    /// How many are stored raw, empty ones not counted.
    pub stored: u64,
    /// How many are compressed.
    pub packed: u64,
    /// Bytes of the compressed ones in the file.
    pub packed_bytes: u64,
    /// Bytes of the compressed ones when decoded.
    pub unpacked_bytes: u64,
}

impl Blocks {
    /// Adds a block that is stored so and has so many bytes when decoded.
    pub fn add(&mut self, storage: Storage, unpacked_bytes: u64) {
        match storage.packing {
            Packing::InPlace => self.count(false, storage.bytes, unpacked_bytes),
            Packing::Lzo | Packing::Lzss | Packing::Deflate => self.count(true, storage.bytes, unpacked_bytes),
            _ => {}
        }
    }

    /// Adds a block of so many bytes in the file, and so many when decoded.
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
