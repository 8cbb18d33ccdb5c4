//! The other files that an asset asks for.

use std::collections::HashMap;
use std::hash::BuildHasher;

use super::Problems;
use crate::base::error::Error;
use crate::base::limits::{Limits, flag};
use crate::base::named::named;
use crate::base::text::{Name, StoredText};

named! {
    /// What kind of file a [`Reference`] asks for.
    #[non_exhaustive]
    pub enum ReferenceKind {
        /// An image.
        Texture = "texture",
        /// A material file, `.rvmat`.
        Material = "material",
        /// A surface file, `.bisurf`.
        Surface = "surface",
        /// Another model.
        Proxy = "proxy",
    }
}

/// Another file that an asset asks for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Reference {
    /// What kind of file.
    pub kind: ReferenceKind,
    /// Its name as stored.
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

/// Collects references: empty names are left out, repeated ones too, and those beyond
/// [`Limits::reference_bytes`].
#[derive(Debug)]
pub struct References {
    list: Vec<Reference>,
    /// Of each name, by its hash, the kinds, a bit for each. A name that was met before costs no memory.
    seen: HashMap<u64, u8>,
    limit: u64,
    left: Option<u64>,
}

impl References {
    /// None so far.
    pub fn new(limits: &Limits) -> Self {
        let limit = limits.reference_bytes;
        Self { list: Vec::new(), seen: HashMap::new(), limit, left: Some(limit) }
    }

    /// Adds a reference, unless its name is empty or it is there already.
    pub fn add(&mut self, kind: ReferenceKind, name: impl StoredText) {
        self.add_rooted(kind, name, b"");
    }

    /// The same where a name means no other file with this in front: both are one, told as the first.
    pub fn add_rooted(&mut self, kind: ReferenceKind, name: impl StoredText, root: &[u8]) {
        let stored = name.stored();
        let stored = stored.strip_prefix(root).unwrap_or(stored);
        let Some(left) = self.left.filter(|_| !stored.is_empty()) else { return };
        let bit = 1 << kind as u8;
        let seen = self.seen.entry(self.seen.hasher().hash_one(stored)).or_default();
        if *seen & bit != 0 {
            return;
        }
        *seen |= bit;
        let name: Name = name.into();
        self.left = left.checked_sub((name.text.len() as u64).saturating_add(64));
        if self.left.is_some() {
            self.list.push(Reference { kind, name });
        }
    }

    /// All of them, in order of first use. That there are more than fit is a problem.
    pub fn into_vec(self, problems: &mut Problems) -> Vec<Reference> {
        if self.left.is_none() {
            problems.error(&Error::limit("bytes of references", self.limit, flag::REFERENCES));
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
        let limits = Limits { reference_bytes: 3 * 69, ..Limits::default() };
        let mut references = References::new(&limits);
        for name in ["b.png", "", "a.png", "b.png"] {
            references.add(ReferenceKind::Texture, ByteStr::from(name));
        }
        references.add(ReferenceKind::Material, ByteStr::from("b.png"));
        // There is room for no fourth.
        references.add(ReferenceKind::Proxy, ByteStr::from("c.p3d"));
        let mut problems = Problems::new(&limits);
        let names: Vec<String> = references.into_vec(&mut problems).into_iter().map(|r| r.name.text).collect();
        assert_eq!(names, ["b.png", "a.png", "b.png"]);
        assert_eq!(problems.into_vec()[0].code, Code::Limit);
    }
}
