//! Finds out what was signed: RSA with the public key.

use num_bigint::BigUint;

use super::wire::Key;
use crate::base::code::Code;
use crate::base::error::{Error, Result};
use crate::budget::Budget;

/// The maximum number of bits of a key that signatures are checked with. Bohemia's tools make keys of 1,024.
pub const MOST_BITS: u32 = 2048;

/// The bytes between the padding and the digest: the end of the padding, and the DER form of "this is a SHA-1".
const DIGEST_INFO: [u8; 16] = *b"\x00\x30\x21\x30\x09\x06\x05\x2b\x0e\x03\x02\x1a\x05\x00\x04\x14";

impl Key<'_> {
    /// Returns the SHA-1 for which this key made the signature, or `None` if no use of this key makes it. The signature
    /// is a number with the least byte first.
    ///
    /// # Errors
    /// Returns an error if the key has more than [`MOST_BITS`], or if the budget does not allow the work.
    pub fn recover(&self, signature: &[u8], budget: &Budget) -> Result<Option<[u8; 20]>> {
        let bytes = self.modulus.len() as u64;
        if self.header.bits.get() > MOST_BITS {
            return Err(Error::limit("bits of a key", MOST_BITS, Code::Limit));
        }
        let modulus = BigUint::from_bytes_le(self.modulus.as_bytes());
        let signature_number = BigUint::from_bytes_le(signature);
        let is_whole = u64::from(self.header.bits.get()) == bytes.saturating_mul(8);
        let is_number_of_key = is_whole && signature.len() as u64 == bytes && signature_number < modulus;
        // Only odd numbers are moduli of RSA.
        if !is_number_of_key || !modulus.bit(0) {
            return Ok(None);
        }
        // An exponent of 32 bits takes up to 64 products of such numbers.
        budget.charge_work(bytes.saturating_mul(bytes))?;
        let exponent = BigUint::from(self.header.exponent.get());
        let padded = signature_number.modpow(&exponent, &modulus).to_bytes_be();
        Ok(digest_in(&padded, self.modulus.len()))
    }
}

/// Returns the digest in a padded number of this many bytes: 00 01, bytes of all ones, [`DIGEST_INFO`], the digest. The
/// number has no zeros before its first byte. Everything but the digest must be as here, so nothing is skipped.
fn digest_in(padded: &[u8], bytes: usize) -> Option<[u8; 20]> {
    let (rest, digest) = padded.split_last_chunk::<20>()?;
    let padding = rest.strip_suffix(&DIGEST_INFO)?;
    let ones = padding.strip_prefix(&[1])?;
    let is_whole = padded.len().checked_add(1) == Some(bytes);
    // PKCS #1 wants at least 8.
    let is_padding = ones.len() >= 8 && ones.iter().all(|byte| *byte == 0xff);
    if !is_whole || !is_padding {
        return None;
    }
    Some(*digest)
}
