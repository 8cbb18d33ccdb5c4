//! The words for what is wrong, which programs compare.

use crate::base::named::named;

named! {
    /// What kind of trouble a [`Problem`](crate::summary::Problem) is, for programs: a word, and behind a dot a closer one, such as
    /// `damaged.truncated`. Words stay; closer ones may be added.
    #[derive(PartialOrd, Ord)]
    #[non_exhaustive]
    pub enum Code {
        /// Bytes that cannot be read as the format says.
        Damaged = "damaged",
        /// A checksum that is not that of its bytes.
        Checksum = "damaged.checksum",
        /// Parts that share bytes.
        Overlap = "damaged.overlap",
        /// An index, count or offset that points outside.
        Range = "damaged.range",
        /// Fewer bytes than there should be.
        Truncated = "damaged.truncated",
        /// Another version or kind than is read.
        Unsupported = "unsupported",
        /// What only the owner of a key can read.
        Encrypted = "encrypted",
        /// More than the caller's [`Limits`](crate::Limits) allow.
        Limit = "limit",
        /// Legal to read but surely not meant.
        Suspicious = "suspicious",
        /// A byte for yes or no that is neither 0 nor 1.
        Bool = "suspicious.bool",
        /// What should be there once.
        Duplicate = "suspicious.duplicate",
        /// A part of a pair that is empty alone.
        OddEmpty = "suspicious.empty",
        /// A name of nothing that is there.
        Missing = "suspicious.missing",
        /// A name other than where it stands first.
        Name = "suspicious.name",
        /// A number that is infinite or none.
        NotFinite = "suspicious.not_finite",
        /// A normal or rotation whose length is not 1.
        NotUnit = "suspicious.not_unit",
        /// Normals that do not face as their triangles do.
        Normals = "suspicious.normals",
        /// Parts in another order than they should be.
        Order = "suspicious.order",
        /// A number that means nothing in its place, though nothing is looked up by it.
        OddRange = "suspicious.range",
        /// A number to which the format gives no meaning.
        UnknownCode = "suspicious.unknown_code",
        /// Weights with another sum than they should have.
        Weights = "suspicious.weights",
        /// Bytes behind the end that belong to nothing.
        Trailing = "suspicious.trailing",
        /// Not an asset: no byte at all.
        Empty = "other.empty",
        /// Not an asset: a Git LFS pointer.
        LfsPointer = "other.lfs",
        /// Not an asset: text.
        Text = "other.text",
        /// Not an asset: anything else.
        Unknown = "other.unknown",
    }
}

impl Code {
    /// Its first word: `damaged`, `unsupported`, `encrypted`, `limit`, `suspicious` or `other`.
    pub fn class(self) -> &'static str {
        let name = self.name();
        name.split_once('.').map_or(name, |(class, _)| class)
    }
}
