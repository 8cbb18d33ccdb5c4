//! The implementation of [`Inspect`] for keys and signatures.

use super::{Key, KeyFile, Signature};
use crate::base::code::Code;
use crate::base::error::{Context as _, Error};
use crate::base::format::Format;
use crate::base::limits::Limits;
use crate::check;
use crate::inspect::{Depth, Inspect};
use crate::outline::Outline;
use crate::record::describe_fields;
use crate::summary::{Counts, Problems, Summary};

/// The offset of `bits` in a key's header.
const BITS: u64 = 12;
/// The offset of `exponent` in a key's header.
const EXPONENT: u64 = 16;

impl Inspect for KeyFile<'_> {
    fn about(&self) -> (Format, &Limits, u64) {
        (KeyFile::format(self), &self.limits, self.data.size())
    }

    fn is_torn(&self) -> bool {
        self.data.is_torn()
    }

    /// Summarizes by reading everything. Only at [`Depth::Verify`], signatures are checked with the key.
    fn survey(&self, depth: Depth, problems: &mut Problems) -> Summary {
        let mut summary = Summary::new(self.format(), self.data.size());
        summary.counts = Counts::known([("bits", Some(u64::from(self.key.header.bits.get())))]);
        let is_sound = depth == Depth::Verify && self.check_key(problems);
        let mut end = self.key_end;
        match problems.ok(self.signature_and_end()) {
            Some(None) => {}
            Some(Some((signature, after))) => {
                summary.version = Some(signature.version);
                end = after;
                if is_sound {
                    self.check_signature(&signature, problems);
                }
            }
            // What follows it is unknown.
            None => return summary,
        }
        if depth == Depth::Verify {
            check::fields((self.data.size(), &self.limits), false, problems, |out| self.outline(out));
        }
        let after = self.data.size().saturating_sub(end);
        if after > 0 {
            let last = if self.format() == Format::Bikey { "the key" } else { "the third signature" };
            problems.warning(&Error::trailing(after, last).at(end));
        }
        summary
    }

    fn outline(&self, out: &mut Outline<'_>) {
        describe_fields::<Key<'_>, _>(self.data.cursor(0), (), out);
        if self.format() == Format::Bisign {
            describe_fields::<Signature<'_>, _>(self.data.cursor(self.key_end), (), out);
        }
    }
}

impl KeyFile<'_> {
    /// Checks the key. Returns true if signatures can be checked with it.
    fn check_key(&self, problems: &mut Problems) -> bool {
        let header = self.key.header_offset();
        let bits = self.key.header.bits.get();
        let bytes = self.key.modulus.as_bytes();
        let size = (bytes.len() as u64).saturating_add(20);
        let mut is_sound = true;
        if u64::from(self.key.key_size) != size {
            let message = format!("{}, but the key has {size} bytes", self.key.key_size);
            problems.error(&Error::malformed(message).at(header.saturating_sub(4)).within("key_size"));
        }
        if !bits.is_multiple_of(8) {
            let error = Error::malformed(format!("{bits}, not a multiple of 8"));
            problems.error(&error.at(header.saturating_add(BITS)).within("bits"));
            is_sound = false;
        }
        let exponent = self.key.header.exponent.get();
        if exponent.is_multiple_of(2) {
            let error = Error::malformed(format!("{exponent} is even, so it is no exponent of RSA"));
            problems.error(&error.at(header.saturating_add(EXPONENT)).within("exponent"));
            is_sound = false;
        }
        // The least byte is the first.
        let fault = match (bytes.first(), bytes.last()) {
            (Some(least), Some(_)) if least.is_multiple_of(2) => Some("even, so it is no modulus of RSA".to_owned()),
            (Some(_), Some(highest)) if *highest < 0x80 => Some(format!("shorter than {bits} bits")),
            (Some(_), Some(_)) => None,
            _ => Some("empty".to_owned()),
        };
        if let Some(fault) = fault {
            problems.error(&Error::malformed(fault).at(self.key.modulus.offset()).within("modulus"));
            is_sound = false;
        }
        is_sound
    }

    /// Checks that each signature is made with the key.
    fn check_signature(&self, signature: &Signature<'_>, problems: &mut Problems) {
        let parts = [("first", signature.first), ("second", signature.second), ("third", signature.third)];
        for (name, number) in parts {
            let budget = problems.budget();
            let recovered = match self.key.recover(number.as_bytes(), budget) {
                Ok(recovered) => recovered,
                // It would be the same for the others.
                Err(error) => return problems.error(&error.at(number.offset()).within(name)),
            };
            if recovered.is_none() {
                let error = Error::malformed("not made with the key of this file").coded(Code::Signature);
                problems.error(&error.at(number.offset()).within(name));
            }
        }
    }
}
