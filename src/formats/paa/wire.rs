//! Records exactly as stored.

use zerocopy::little_endian::U16;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::record::codes::codes;
use crate::record::{Framing, plain, wire};

wire! {
    /// A color of a tag.
    Color = 4 {
        /// Blue.
        blue: u8,
        /// Green.
        green: u8,
        /// Red.
        red: u8,
        /// Alpha.
        alpha: u8,
    }

    /// A color of the palette. Its alpha is 255.
    PaletteColor = 3 rows {
        /// Blue.
        blue: u8,
        /// Green.
        green: u8,
        /// Red.
        red: u8,
    }

    /// The source of each stored channel.
    Swizzle = 4 {
        /// The source of the stored alpha.
        alpha: Source,
        /// The source of the stored red.
        red: Source,
        /// The source of the stored green.
        green: Source,
        /// The source of the stored blue.
        blue: Source,
    }

    /// The end of the mips.
    EndMark = 6 {
        /// Zero, where a mip has its width.
        width: Framing<U16>,
        /// Zero, as the height of a mip.
        height: Framing<U16>,
        /// Zero. Games do not read it.
        unread: Framing<U16>,
    }
}

codes! {
    /// The pixel format: the type word of a file. 0 means a file without one, whose pixels are indices into a palette.
    Kind(u16) {
        0 "P8", 0x1555 "ARGB1555", 0x4444 "ARGB4444", 0x8080 "AI88", 0x8888 "ARGB8888",
        0xff01 "DXT1", 0xff02 "DXT2", 0xff03 "DXT3", 0xff04 "DXT4", 0xff05 "DXT5",
    }

    /// A channel of the source image, unchanged or inverted, or a constant.
    Source(u8) in place {
        0 "alpha", 1 "red", 2 "green", 3 "blue",
        4 "inverted alpha", 5 "inverted red", 6 "inverted green", 7 "inverted blue",
        8 "255", 9 "0",
    }
}

/// A number of three bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, KnownLayout, Immutable, Unaligned)]
#[repr(transparent)]
pub struct U24(pub [u8; 3]);

impl U24 {
    /// Returns the number.
    pub fn get(self) -> u32 {
        let [low, middle, high] = self.0;
        u32::from_le_bytes([low, middle, high, 0])
    }
}

plain! {
    U24: Number("u24", 3) => |value| value.get();
}
