//! The codecs of blocks.

use crate::base::word_enum::word_enum;
use crate::bytes::Packing;

word_enum! {
    /// How the elements of a block are stored.
    #[derive(PartialOrd, Ord)]
    #[non_exhaustive]
    pub enum Codec {
        /// Uncompressed.
        Raw = "raw",
        /// One LZO1X stream.
        Lzo = "lzo",
        /// One LZSS stream with its checksum.
        Lzss = "lzss",
        /// One LZSS stream whose checksum may sum the bytes as signed numbers.
        LzssSigned = "lzss_signed",
        /// One stream of literal and repeated bytes.
        Rle = "rle",
    }
}

impl Codec {
    /// Returns the corresponding [`Packing`].
    pub const fn packing(self) -> Packing {
        match self {
            Self::Raw => Packing::InPlace,
            Self::Lzo => Packing::Lzo,
            Self::Lzss | Self::LzssSigned => Packing::Lzss,
            Self::Rle => Packing::Rle,
        }
    }
}
