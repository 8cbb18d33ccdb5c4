//! Materials of Arma as binary configs.

use crate::base::code::Code;
use crate::base::error::Error;
use crate::formats::rap::{Config, Entry};
use crate::summary::Problems;

/// The transforms of coordinates that a material may have: `TexGen0` to `TexGen7`.
pub(super) const MOST_TEXGENS: usize = 8;

/// Counts the classes `TexGen0` and so on of a material.
pub(super) fn check(config: &Config<'_>, problems: &mut Problems) {
    // What cannot be read was reported before.
    let Some(Ok(root)) = config.classes().next() else { return };
    let mut texgens = 0_usize;
    for entry in root.class.entries() {
        let Entry::Class(class) = entry else { continue };
        let word = class.name.as_bytes().get(..6).unwrap_or_default();
        texgens = texgens.saturating_add(word.eq_ignore_ascii_case(b"texgen").into());
    }
    if texgens > MOST_TEXGENS {
        let message = format!("{texgens} classes TexGen, the games read {MOST_TEXGENS}");
        problems.warning(&Error::malformed(message).coded(Code::Texgens).at(root.class.offset()));
    }
}
