//! Keys and signatures of Arma's addons: `.bikey` and `.bisign`.
//!
//! ```text
//! text name, u32 size of the key
//! 06 02 00 00, u32 0x2400, "RSA1", u32 bits, u32 exponent, modulus         a public key as Windows stores it
//! a .bisign continues:
//! u32 size, signature; u32 version 2 or 3; u32 size, signature; u32 size, signature
//! ```
//!
//! A `.bikey` is a public key, and nothing else. A `.bisign` lies beside a PBO archive. It repeats the key, and has
//! three signatures of the archive with it: RSA with the padding of PKCS #1 v1.5 and SHA-1. Numbers are little-endian.
//! Neither has a coordinate space.
//!
//! This module reads both, and checks that signatures are made with their key.
//! [`signatures`](../signatures/index.html) compares them with an archive. Nothing here signs.

mod recover;
mod summary;
mod wire;

pub use recover::MOST_BITS;
pub use wire::{Key, KeyHeader, Signature};

use crate::base::error::{Context as _, Error, Result};
use crate::base::format::Format;
use crate::base::limits::Limits;
use crate::outline::Schema;
use crate::ranges::Data;
use crate::record::{Fixed, Read as _};

/// The records of a key.
pub(crate) const KEY: &[&Schema] = &[Key::SCHEMA, KeyHeader::SCHEMA];
/// The records of a signature.
pub(crate) const SIGNATURE: &[&Schema] = &[Key::SCHEMA, KeyHeader::SCHEMA, Signature::SCHEMA];

/// After a key, fewer bytes than the size of a signature are left over, and no signature.
const LEAST: u64 = 4;

/// A key, or a signature with its key, borrowed from its bytes.
///
/// ```
/// # let bytes = [&b"me\0\x16\0\0\0\x06\x02\0\0\0\x24\0\0RSA1\x10\0\0\0\x01\0\x01\0"[..], &[0xf1, 0xff]].concat();
/// use meshpeek::bisign::KeyFile;
/// let file = KeyFile::parse(&bytes)?;
/// println!("{}: {} bits", file.key().name, file.key().header.bits);
/// if let Some(signature) = file.signature()? {
///     println!("signature of version {}", signature.version);
/// }
/// # Ok::<(), meshpeek::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct KeyFile<'a> {
    data: Data<'a>,
    limits: Limits,
    key: Key<'a>,
    /// The offset of the byte after the key.
    key_end: u64,
}

impl<'a> KeyFile<'a> {
    /// Reads the key.
    ///
    /// # Errors
    /// Returns an error if it is no public key for RSA, or exceeds the end of the file.
    pub fn parse(data: &'a [u8]) -> Result<Self> {
        Self::open(Data::Whole(data), &Limits::default())
    }

    /// Opens a file like [`parse`](Self::parse), with these limits. Possibly only ranges of the file are available.
    pub(crate) fn open(data: Data<'a>, limits: &Limits) -> Result<Self> {
        let mut key_end = 0;
        let key = data.read(0, |cursor| {
            let key = Key::read(cursor, ())?;
            key_end = cursor.offset();
            Ok(key)
        });
        let key = key.within("key")?;
        if !key.header.is_known() {
            return Err(Error::unsupported("not a public key for RSA").at(key.header_offset()));
        }
        Ok(Self { data, limits: *limits, key, key_end })
    }

    /// Returns [`Format::Bisign`] if anything follows the key, otherwise [`Format::Bikey`].
    pub fn format(&self) -> Format {
        let after = self.data.size().saturating_sub(self.key_end);
        if after < LEAST { Format::Bikey } else { Format::Bisign }
    }

    /// Returns the key.
    pub fn key(&self) -> Key<'a> {
        self.key
    }

    /// Returns the signatures, or `None` if the file is only a key.
    ///
    /// # Errors
    /// Returns an error if they exceed the end of the file.
    pub fn signature(&self) -> Result<Option<Signature<'a>>> {
        Ok(self.signature_and_end()?.map(|(signature, _)| signature))
    }

    /// Returns the signatures, and the offset after them.
    fn signature_and_end(&self) -> Result<Option<(Signature<'a>, u64)>> {
        if self.format() == Format::Bikey {
            return Ok(None);
        }
        let mut end = 0;
        let signature = self.data.read(self.key_end, |cursor| {
            let signature = Signature::read(cursor, ())?;
            end = cursor.offset();
            Ok(signature)
        });
        Ok(Some((signature?, end)))
    }
}

impl Key<'_> {
    /// Returns the offset of `header`: after the name, its NUL, and `key_size`.
    fn header_offset(&self) -> u64 {
        (self.name.len() as u64).saturating_add(1 + 4)
    }
}
