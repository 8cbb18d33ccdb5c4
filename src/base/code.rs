//! Stable codes for kinds of problems, for programs to compare.

use crate::base::word_enum::word_enum;

word_enum! {
    /// The kind of a [`Problem`](crate::summary::Problem), for programs: a class, optionally followed by a dot and a
    /// more specific name, such as `damaged.truncated`. Classes are stable. More specific names may be added.
    #[derive(PartialOrd, Ord)]
    #[non_exhaustive]
    pub enum Code {
        /// Bytes that do not follow the format.
        Damaged = "damaged",
        /// A checksum that does not match its bytes.
        Checksum = "damaged.checksum",
        /// Parts that overlap.
        Overlap = "damaged.overlap",
        /// An index, count or offset that is out of range.
        Range = "damaged.range",
        /// A signature that does not fit its key or its archive.
        Signature = "damaged.signature",
        /// A binary file that a program saved as text.
        SavedAsText = "damaged.text",
        /// Fewer bytes than expected.
        Truncated = "damaged.truncated",
        /// A version or kind that this crate does not read.
        Unsupported = "unsupported",
        /// Data that only the owner of a key can read.
        Encrypted = "encrypted",
        /// More than this crate reads, whatever the caller allows. The codes below name the caller's
        /// [`Limits`](crate::Limits) by their fields.
        Limit = "limit",
        /// More than [`Limits::archive_depth`](crate::Limits::archive_depth).
        ArchiveDepthLimit = "limit.archive_depth",
        /// More than [`Limits::archive_members`](crate::Limits::archive_members).
        ArchiveMembersLimit = "limit.archive_members",
        /// More than [`Limits::decoded_bytes`](crate::Limits::decoded_bytes).
        DecodedBytesLimit = "limit.decoded_bytes",
        /// More than [`Limits::depth`](crate::Limits::depth).
        DepthLimit = "limit.depth",
        /// More memory than the system has.
        MemoryLimit = "limit.memory",
        /// More than [`Limits::output`](crate::Limits::output).
        OutputLimit = "limit.output",
        /// More than [`Limits::problems`](crate::Limits::problems).
        ProblemsLimit = "limit.problems",
        /// More than [`Limits::reference_bytes`](crate::Limits::reference_bytes).
        ReferenceBytesLimit = "limit.reference_bytes",
        /// More than [`Limits::work`](crate::Limits::work).
        WorkLimit = "limit.work",
        /// A file that cannot be read.
        Io = "io",
        /// A file that was changed while it was read, or since it was planned.
        Changed = "io.changed",
        /// An answer that needs bytes which are not [at hand](crate::ranges).
        Incomplete = "io.incomplete",
        /// A file, folder or member that does not exist.
        NotFound = "io.not_found",
        /// Work that the caller stopped.
        Cancelled = "cancelled",
        /// Readable, but almost certainly a mistake.
        Suspicious = "suspicious",
        /// A boolean byte that is neither 0 nor 1.
        Bool = "suspicious.bool",
        /// Something repeated that should occur once.
        Duplicate = "suspicious.duplicate",
        /// One part of a pair is empty and the other is not.
        OddEmpty = "suspicious.empty",
        /// A signature whose key is not among the files.
        Key = "suspicious.key",
        /// A name that refers to something absent.
        Missing = "suspicious.missing",
        /// A name that differs from the one stored first.
        Name = "suspicious.name",
        /// A number that is infinite or NaN.
        NotFinite = "suspicious.not_finite",
        /// A normal or rotation whose length is not 1.
        NotUnit = "suspicious.not_unit",
        /// Normals that do not face the same way as their triangles.
        Normals = "suspicious.normals",
        /// Parts in the wrong order.
        Order = "suspicious.order",
        /// A number out of its meaningful range, although it is not used as an index.
        OddRange = "suspicious.range",
        /// A mistake in a config as text.
        Syntax = "suspicious.syntax",
        /// A signature that could not be compared with an archive.
        Uncompared = "suspicious.uncompared",
        /// A number to which the format assigns no meaning.
        UnknownCode = "suspicious.unknown_code",
        /// An archive without a signature, although others beside it have one.
        Unsigned = "suspicious.unsigned",
        /// Weights with the wrong sum.
        Weights = "suspicious.weights",
        /// Bytes after the end that belong to nothing.
        Trailing = "suspicious.trailing",
        /// Found by lint only: a color texture that is named as one with alpha, and has none.
        Alpha = "lint.alpha",
        /// Found by lint only: an animation that moves bones which the skeleton does not have.
        Bones = "lint.bones",
        /// Found by lint only: a component of the geometry that is not closed.
        Closed = "lint.closed",
        /// Found by lint only: faces of the geometry without a component.
        Components = "lint.components",
        /// Found by lint only: a component of the geometry that is not convex.
        Convex = "lint.convex",
        /// Found by lint only: keys outside of the animation's frames.
        Frames = "lint.frames",
        /// Found by lint only: a coarse LOD with more faces than a finer one.
        LodOrder = "lint.lod_order",
        /// Found by lint only: two LODs of one resolution.
        LodTwice = "lint.lod_twice",
        /// Found by lint only: a geometry without a mass.
        Mass = "lint.mass",
        /// Found by lint only: a texture that is larger than the game reads.
        Size = "lint.size",
        /// Found by lint only: an index that does not say of textures what their files say.
        Stale = "lint.stale",
        /// Found by lint only: more surfaces than brushes.
        Surfaces = "lint.surfaces",
        /// Found by lint only: a material with more transforms of coordinates than the game reads.
        Texgens = "lint.texgens",
        /// Found by lint only: vertices that no bone moves, in a mesh with bones.
        Unweighted = "lint.unweighted",
        /// Not an asset: an empty file.
        Empty = "other.empty",
        /// Not an asset: a Git LFS pointer.
        LfsPointer = "other.lfs",
        /// Not an asset: a symbolic link in an archive.
        Link = "other.link",
        /// Not an asset: text.
        Text = "other.text",
        /// Not an asset: unrecognized data.
        Unknown = "other.unknown",
    }
}

word_enum! {
    /// The class of a [`Code`]. Programs may match all of them: a new one would be a new major version.
    pub enum Class {
        /// Bytes that do not follow the format.
        Damaged = "damaged",
        /// A version or kind that this crate does not read.
        Unsupported = "unsupported",
        /// Data that only the owner of a key can read.
        Encrypted = "encrypted",
        /// More than a limit allows.
        Limit = "limit",
        /// A file that is missing, was changed, or cannot be read.
        Io = "io",
        /// Work that the caller stopped.
        Cancelled = "cancelled",
        /// Readable, but almost certainly a mistake.
        Suspicious = "suspicious",
        /// Found by lint only.
        Lint = "lint",
        /// Not an asset.
        Other = "other",
    }
}

impl Code {
    /// Every code, each class with its more specific codes.
    pub const ALL: &[Self] = Self::VARIANTS;

    /// Returns the class, which is the first word of the name.
    pub fn class(self) -> Class {
        match self {
            Self::Damaged | Self::Checksum | Self::Overlap | Self::Range => Class::Damaged,
            Self::SavedAsText | Self::Signature | Self::Truncated => Class::Damaged,
            Self::Unsupported => Class::Unsupported,
            Self::Encrypted => Class::Encrypted,
            Self::Limit | Self::ArchiveDepthLimit | Self::ArchiveMembersLimit | Self::DecodedBytesLimit => Class::Limit,
            Self::DepthLimit | Self::MemoryLimit | Self::OutputLimit | Self::ProblemsLimit => Class::Limit,
            Self::ReferenceBytesLimit | Self::WorkLimit => Class::Limit,
            Self::Io | Self::Changed | Self::Incomplete | Self::NotFound => Class::Io,
            Self::Cancelled => Class::Cancelled,
            Self::Suspicious | Self::Bool | Self::Duplicate | Self::OddEmpty | Self::Missing => Class::Suspicious,
            Self::Name | Self::NotFinite | Self::NotUnit | Self::Normals | Self::Order => Class::Suspicious,
            Self::OddRange | Self::Syntax | Self::UnknownCode | Self::Weights | Self::Trailing => Class::Suspicious,
            Self::Key | Self::Uncompared | Self::Unsigned => Class::Suspicious,
            Self::Alpha | Self::Bones | Self::Closed | Self::Components | Self::Convex | Self::Frames => Class::Lint,
            Self::LodOrder | Self::LodTwice | Self::Mass | Self::Size | Self::Stale | Self::Surfaces => Class::Lint,
            Self::Texgens | Self::Unweighted => Class::Lint,
            Self::Empty | Self::LfsPointer | Self::Link | Self::Text | Self::Unknown => Class::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Code;

    #[test]
    fn the_class_is_the_first_word() {
        for code in Code::ALL {
            assert_eq!(code.name().split('.').next(), Some(code.class().name()));
        }
    }
}
