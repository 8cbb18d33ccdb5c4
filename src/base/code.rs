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
        /// A binary file that a program saved as text.
        SavedAsText = "damaged.text",
        /// Fewer bytes than expected.
        Truncated = "damaged.truncated",
        /// A version or kind that this crate does not read.
        Unsupported = "unsupported",
        /// Data that only the owner of a key can read.
        Encrypted = "encrypted",
        /// More than the caller's [`Limits`](crate::Limits) allow.
        Limit = "limit",
        /// Readable, but almost certainly a mistake.
        Suspicious = "suspicious",
        /// A boolean byte that is neither 0 nor 1.
        Bool = "suspicious.bool",
        /// Something repeated that should occur once.
        Duplicate = "suspicious.duplicate",
        /// One part of a pair is empty and the other is not.
        OddEmpty = "suspicious.empty",
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
        /// A number to which the format assigns no meaning.
        UnknownCode = "suspicious.unknown_code",
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

impl Code {
    /// Every code, each class with its more specific codes.
    pub const ALL: &[Self] = Self::VARIANTS;

    /// Returns the class: `damaged`, `unsupported`, `encrypted`, `limit`, `suspicious`, `lint` or
    /// `other`.
    pub fn class(self) -> &'static str {
        let name = self.name();
        match name.split_once('.') {
            Some((class, _)) => class,
            None => name,
        }
    }
}
