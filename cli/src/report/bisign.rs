//! Describes a key or a signature in words.

use std::io::{Result, Write};

use meshpeek::bisign::{Key, KeyFile};

use super::list::{FAINT, heading};
use super::text::{count, grouped, or_unnamed};

/// The bytes of a modulus that are shown, enough to tell keys apart.
const SHOWN: usize = 8;

pub(super) fn write(file: &KeyFile<'_>, out: &mut impl Write) -> Result<()> {
    let key = file.key();
    heading(out, "Key")?;
    let bits = count(key.header.bits.get().into(), "bits");
    let exponent = grouped(key.header.exponent.get().into());
    let facts = format!("{bits}, exponent {exponent}, modulus {}", beginning(&key));
    writeln!(out, "  {}  {FAINT}{facts}{FAINT:#}", or_unnamed(key.name))
}

/// The beginning of the modulus as it is usually written, with the highest byte first.
fn beginning(key: &Key<'_>) -> String {
    let mut digits = String::new();
    for byte in key.modulus.as_bytes().iter().rev().take(SHOWN) {
        digits += &format!("{byte:02x}");
    }
    if key.modulus.len() > SHOWN {
        digits += "...";
    }
    digits
}
