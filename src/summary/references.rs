//! The other files that an asset refers to.

use std::collections::HashMap;
use std::hash::BuildHasher;

use super::Problems;
use crate::base::code::Code;
use crate::base::error::Error;
use crate::base::limits::Limits;
use crate::base::text::{Name, Text};
use crate::base::word_enum::word_enum;

word_enum! {
    /// The kind of file that a [`Reference`] names.
    #[non_exhaustive]
    pub enum ReferenceKind {
        /// An image.
        Texture = "texture",
        /// A material file, `.rvmat`.
        Material = "material",
        /// A surface file, `.bisurf`.
        Surface = "surface",
        /// Another model, placed in this one.
        Proxy = "proxy",
        /// A model that a config names.
        Model = "model",
        /// A file that a text config includes.
        Include = "include",
        /// Any other file that a config names, such as a sound.
        File = "file",
    }
}

/// Another file that an asset refers to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Reference {
    /// The kind of file.
    pub kind: ReferenceKind,
    /// The name as stored.
    pub name: Name,
}

#[cfg(feature = "serde")]
impl serde::Serialize for Reference {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct as _;
        let mut fields = serializer.serialize_struct("Reference", if self.name.lossy { 3 } else { 2 })?;
        fields.serialize_field("kind", &self.kind)?;
        fields.serialize_field("name", &self.name.text)?;
        if self.name.lossy {
            fields.serialize_field("lossy", &true)?;
        }
        fields.end()
    }
}

/// Collects references. Omits empty names, repeated names, and those beyond [`Limits::reference_bytes`].
#[derive(Debug)]
pub struct References {
    list: Vec<Reference>,
    /// The kinds seen for each name, by its hash, one bit for each kind. A repeated name costs no memory.
    seen: HashMap<u64, u8>,
    /// The maximum bytes of the names.
    limit: u64,
    /// The bytes of it that are left. `None` once it is exceeded.
    left: Option<u64>,
}

impl References {
    /// Creates an empty list.
    pub fn new(limits: &Limits) -> Self {
        let limit = limits.reference_bytes;
        Self { list: Vec::new(), seen: HashMap::new(), limit, left: Some(limit) }
    }

    /// Adds a reference, unless its name is empty or already in the list. Returns true if it was added.
    pub fn add<'t>(&mut self, kind: ReferenceKind, name: impl Into<Text<'t>>) -> bool {
        self.add_rooted(kind, name, b"")
    }

    /// Adds a reference for which a leading `root` makes no difference: names with and without it are one reference,
    /// listed as the first. Returns true if it was added.
    pub fn add_rooted<'t>(&mut self, kind: ReferenceKind, name: impl Into<Text<'t>>, root: &[u8]) -> bool {
        let name = name.into();
        let stored = name.as_bytes();
        let stored = stored.strip_prefix(root).unwrap_or(stored);
        let Some(left) = self.left else { return false };
        if stored.is_empty() {
            return false;
        }
        // A name is added once for each kind.
        let bit = 1 << kind as u8;
        let seen = self.seen.entry(self.seen.hasher().hash_one(stored)).or_default();
        if *seen & bit != 0 {
            return false;
        }
        *seen |= bit;
        let name = Name::from(name);
        /// Counted for each name, in addition to its text.
        const NAME_BYTES: u64 = 64;
        self.left = left.checked_sub((name.text.len() as u64).saturating_add(NAME_BYTES));
        if self.left.is_some() {
            self.list.push(Reference { kind, name });
        }
        self.left.is_some()
    }

    /// Returns the error if the references exceed the limit.
    pub(crate) fn limit_error(&self) -> Option<Error> {
        if self.left.is_some() {
            return None;
        }
        Some(Error::limit("bytes of references", self.limit, Code::ReferenceBytesLimit))
    }

    /// Returns all references, in order of first use. Adds a problem if they exceed the limit.
    pub fn into_vec(self, problems: &mut Problems) -> Vec<Reference> {
        if let Some(error) = self.limit_error() {
            problems.error(&error);
        }
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::code::Code;
    use crate::base::text::ByteStr;

    #[test]
    fn references_keep_their_first_place() {
        let limits = Limits::default().with_reference_bytes(3 * 69);
        let mut references = References::new(&limits);
        for name in ["b.png", "", "a.png", "b.png"] {
            references.add(ReferenceKind::Texture, ByteStr::from(name));
        }
        references.add(ReferenceKind::Material, ByteStr::from("b.png"));
        // There is no room for a fourth.
        references.add(ReferenceKind::Proxy, ByteStr::from("c.p3d"));
        let mut problems = Problems::new(&limits);
        let names: Vec<String> = references.into_vec(&mut problems).into_iter().map(|r| r.name.text).collect();
        assert_eq!(names, ["b.png", "a.png", "b.png"]);
        assert_eq!(problems.into_vec()[0].code, Code::ReferenceBytesLimit);
    }
}
