//! What an indexer keeps of one asset: owned, small, the same for every format.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::error::Error;
use crate::format::Format;
use crate::limits::Limits;
use crate::view::{ByteStr, Packing, Storage, Utf32Str};

/// The facts of one asset. Absent knowledge is `None`, never 0.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Summary {
    /// Its format.
    pub format: Format,
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
    pub fn new(format: Format, bytes: u64) -> Self {
        Self {
            format,
            version: None,
            bytes,
            counts: Counts::absent(format),
            bounds: None,
            references: Vec::new(),
            blocks: Blocks::default(),
            problems: Vec::new(),
        }
    }

    /// The summary of an asset that cannot be opened: the error is its one problem.
    pub fn unreadable(format: Format, bytes: u64, error: &Error) -> Self {
        Self { problems: vec![Problem::error(error)], ..Self::new(format, bytes) }
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
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, Option<u64>)> + '_ {
        self.0.iter().copied()
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

/// A text from a file, for people and indexes: UTF-8, each invalid byte as `\xNN`, each invalid code point as
/// `\u{NNNN}`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Name {
    /// The text.
    pub text: String,
    /// Whether something had to be written in one of these ways.
    pub lossy: bool,
}

impl From<ByteStr<'_>> for Name {
    fn from(text: ByteStr<'_>) -> Self {
        Self { lossy: text.to_str().is_none(), text: text.to_str_lossy().into_owned() }
    }
}

impl From<Utf32Str<'_>> for Name {
    /// Each number that is no character is written as `\u{d800}`.
    fn from(text: Utf32Str<'_>) -> Self {
        Self { lossy: text.chars().any(|c| c.is_err()), text: text.to_text_lossy() }
    }
}

/// What kind of file a [`Reference`] asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum ReferenceKind {
    /// An image.
    Texture,
    /// A material file, `.rvmat`.
    Material,
    /// A surface file, `.bisurf`.
    Surface,
    /// Another model.
    Proxy,
}

impl ReferenceKind {
    /// The word for it in records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Texture => "texture",
            Self::Material => "material",
            Self::Surface => "surface",
            Self::Proxy => "proxy",
        }
    }
}

/// Another file that an asset asks for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reference {
    /// What kind of file.
    pub kind: ReferenceKind,
    /// Its name as stored.
    pub name: Name,
}

/// Collects references: empty names are left out, repeated ones too.
#[derive(Debug, Default)]
pub struct References {
    list: Vec<Reference>,
    seen: HashSet<Reference>,
}

impl References {
    /// Adds a reference, unless its name is empty or it is there already.
    pub fn add(&mut self, kind: ReferenceKind, name: impl Into<Name>) {
        let reference = Reference { kind, name: name.into() };
        if !reference.name.text.is_empty() && !self.seen.contains(&reference) {
            self.seen.insert(reference.clone());
            self.list.push(reference);
        }
    }

    /// All of them, in order of first use.
    pub fn into_vec(self) -> Vec<Reference> {
        self.list
    }
}

/// The compressible blocks met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
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
            Packing::InPlace if storage.bytes > 0 => self.stored = self.stored.saturating_add(1),
            Packing::Lzo | Packing::Lzss | Packing::Deflate => {
                self.packed = self.packed.saturating_add(1);
                self.packed_bytes = self.packed_bytes.saturating_add(storage.bytes);
                self.unpacked_bytes = self.unpacked_bytes.saturating_add(unpacked_bytes);
            }
            _ => {}
        }
    }
}

/// How bad a [`Problem`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "lowercase"))]
pub enum Severity {
    /// Legal to read but surely not meant.
    Warning,
    /// Bytes that cannot be read as the format says, or an index, count or size that points outside.
    Error,
}

/// Something that is wrong with an asset.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Problem {
    /// How bad it is.
    pub severity: Severity,
    /// Where it starts, counted from the start of the asset; `None` where no place applies.
    pub offset: Option<u64>,
    /// What it is, and in which part.
    pub message: Cow<'static, str>,
}

impl Problem {
    /// An error as a problem.
    pub fn error(error: &Error) -> Self {
        Self { severity: Severity::Error, offset: error.offset(), message: error.message().into() }
    }

    /// An error as a problem that does not keep anything from being read.
    pub fn warning(error: &Error) -> Self {
        Self { severity: Severity::Warning, ..Self::error(error) }
    }
}

/// Collects problems up to a limit, and counts the rest.
#[derive(Debug)]
pub struct Problems {
    list: Vec<Problem>,
    limit: usize,
    beyond: u64,
}

impl Problems {
    /// None so far.
    pub fn new(limits: &Limits) -> Self {
        Self { list: Vec::new(), limit: limits.problems as usize, beyond: 0 }
    }

    /// Adds a problem of severity `error`.
    pub fn error(&mut self, error: &Error) {
        self.add(|| Problem::error(error));
    }

    /// Adds a problem of severity `warning`.
    pub fn warning(&mut self, error: &Error) {
        self.add(|| Problem::warning(error));
    }

    /// Takes the value, or adds the error and goes on without.
    #[inline(always)]
    pub fn ok<T>(&mut self, result: Result<T, Error>) -> Option<T> {
        result.map_err(|error| self.error(&error)).ok()
    }

    /// Whether the limit is reached, so that looking for more only costs time.
    pub fn is_full(&self) -> bool {
        self.list.len() >= self.limit
    }

    fn add(&mut self, problem: impl FnOnce() -> Problem) {
        if self.is_full() {
            self.beyond = self.beyond.saturating_add(1);
        } else {
            self.list.push(problem());
        }
    }

    /// All of them, in order of their offsets. Where the limit cut the list, a last problem says how many are missing.
    pub fn into_vec(mut self) -> Vec<Problem> {
        self.list.sort_by_key(|problem| problem.offset);
        if self.beyond > 0 {
            let message = format!("{} further problems, beyond the limit for one asset", self.beyond);
            self.list.push(Problem { severity: Severity::Error, offset: None, message: message.into() });
        }
        self.list
    }
}

#[cfg(feature = "serde")]
mod serialize {
    use serde::ser::{Serialize, SerializeMap, SerializeStruct, Serializer};

    use super::{Counts, Reference};
    use crate::format::Format;

    impl Serialize for Format {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_str(self.name())
        }
    }

    impl Serialize for Counts {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut map = serializer.serialize_map(Some(self.0.len()))?;
            for (name, count) in self.iter() {
                map.serialize_entry(name, &count)?;
            }
            map.end()
        }
    }

    impl Serialize for Reference {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut fields = serializer.serialize_struct("Reference", if self.name.lossy { 3 } else { 2 })?;
            fields.serialize_field("kind", &self.kind)?;
            fields.serialize_field("name", &self.name.text)?;
            if self.name.lossy {
                fields.serialize_field("lossy", &true)?;
            }
            fields.end()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_keep_their_first_place() {
        let mut references = References::default();
        for name in ["b.png", "", "a.png", "b.png"] {
            references.add(ReferenceKind::Texture, ByteStr::from(name));
        }
        references.add(ReferenceKind::Material, ByteStr::from("b.png"));
        let names: Vec<String> = references.into_vec().into_iter().map(|r| r.name.text).collect();
        assert_eq!(names, ["b.png", "a.png", "b.png"]);
    }

    #[test]
    fn problems_beyond_the_limit_are_counted() {
        let mut problems = Problems::new(&Limits { problems: 2, ..Limits::default() });
        for offset in [9, 5, 1] {
            problems.error(&Error::malformed("odd").at(offset));
        }
        let list = problems.into_vec();
        assert_eq!(list.iter().map(|p| p.offset).collect::<Vec<_>>(), [Some(5), Some(9), None]);
        assert_eq!(list[2].message, "1 further problems, beyond the limit for one asset");
    }
}
