//! Records exactly as stored.

use zerocopy::little_endian::{U16, U32};

use crate::base::text::ByteStr;
use crate::bytes::LeArray;
use crate::record::parser::{array, in_place, inline, le_u32, length_array, text_to_nul};
use crate::record::{Framing, grammar, wire};

wire! {
    /// The fixed part of a public key, as Windows stores it: `PUBLICKEYSTRUC`, then `RSAPUBKEY`.
    KeyHeader = 20 {
        /// 6: a public key.
        #[label("bType")] kind: u8,
        /// 2.
        #[label("bVersion")] blob_version: u8,
        /// 0.
        #[label("reserved")] reserved: U16,
        /// 0x2400: an RSA key to sign with.
        #[label("aiKeyAlg")] algorithm: U32,
        /// `RSA1`.
        #[label("magic")] magic: Framing<[u8; 4]>,
        /// Number of bits of the modulus. 1,024 in keys of Bohemia's tools.
        #[label("bitlen")] bits: U32,
        /// The public exponent: 65,537 in nearly all keys.
        #[rule(Least(3))]
        #[label("pubexp")] exponent: U32,
    }
}

grammar! {
    /// A public key: all of a `.bikey`, and the beginning of a `.bisign`.
    Key<'a> named name {
        /// The name of the key, which its maker chose.
        name: ByteStr<'a> = text_to_nul(),
        /// Number of bytes from `kind` to the end of `modulus`: 20, and an eighth of `bits`.
        key_size: u32,
        /// The fixed part of the key.
        header: &'a KeyHeader = inline(in_place()),
        /// The modulus, with the least byte first.
        modulus: LeArray<'a, u8> = array(header.bits.get() / 8),
    }
}

grammar! {
    /// The signatures of an archive, after the key. Each is a number as long as the modulus, with the least byte first.
    Signature<'a> {
        /// The signature of the SHA-1 of all bytes of the archive before its tail.
        first: LeArray<'a, u8> = length_array(le_u32()),
        /// 2 or 3: which members count for the third signature.
        #[rule(OneOf(&[2, 3]))]
        version: u32,
        /// The signature of the first SHA-1, the names of the members and the prefix.
        second: LeArray<'a, u8> = length_array(le_u32()),
        /// The signature of the content of some members, the names of the members and the prefix.
        third: LeArray<'a, u8> = length_array(le_u32()),
    }
}

impl KeyHeader {
    /// Returns true if all constants are those of a public key.
    pub(super) fn is_known(&self) -> bool {
        let kinds = self.kind == 6 && self.blob_version == 2 && self.reserved.get() == 0;
        kinds && self.algorithm.get() == 0x2400 && *self.magic == *b"RSA1"
    }
}
