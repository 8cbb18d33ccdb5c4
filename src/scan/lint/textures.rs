//! Textures of Arma: their size, and their alpha.

use std::path::Path;

use crate::base::code::Code;
use crate::base::error::{Error, Result};
use crate::base::place::{Locate as _, Root};
use crate::formats::paa::{Kind, Mip, Texture};
use crate::summary::Problems;

/// The longest side that the games read.
const LONGEST_SIDE: u16 = 4096;

pub(super) fn check(texture: &Texture<'_>, name: &Path, problems: &mut Problems) {
    let mut mips = texture.mips();
    let offset = mips.offset();
    // What cannot be read was reported before.
    let Some(Ok(mip)) = mips.next() else { return };
    let place = Root.item("mips", 0);
    if mip.width().max(mip.height()) > LONGEST_SIDE {
        let message = format!("{} x {}, the longest side is {LONGEST_SIDE}", mip.width(), mip.height());
        problems.warning(&place.locate(Error::malformed(message).coded(Code::Size).at(offset)));
    }
    if !promises_alpha(name) {
        return;
    }
    match is_opaque(texture, &mip, problems) {
        Ok(true) => {
            let message = "named _ca, and every pixel is opaque";
            problems.warning(&place.locate(Error::malformed(message).coded(Code::Alpha).at(offset)));
        }
        Ok(false) => {}
        Err(error) => problems.error(&place.locate(error)),
    }
}

/// Returns true for names such as `glass_ca.paa`: color with alpha.
fn promises_alpha(name: &Path) -> bool {
    let Some(stem) = name.file_stem() else { return false };
    let Some(stem) = stem.to_str() else { return false };
    match stem.as_bytes().last_chunk::<3>() {
        Some(ending) => ending.eq_ignore_ascii_case(b"_ca"),
        None => false,
    }
}

fn is_opaque(texture: &Texture<'_>, mip: &Mip<'_>, problems: &Problems) -> Result<bool> {
    // An alpha of another source is rare, and then the stored one says nothing.
    if texture.swizzle().is_some() || texture.kind() == Kind::P8 {
        return Ok(false);
    }
    let pixels = u64::from(mip.width()).saturating_mul(mip.height().into());
    let bytes = pixels.saturating_mul(4);
    problems.budget().charge_work(bytes)?;
    let _held = problems.budget().hold(bytes)?;
    // Pixels that cannot be read were reported before.
    let Ok(rgba) = mip.to_rgba8() else { return Ok(false) };
    Ok(rgba.as_chunks::<4>().0.iter().all(|pixel| pixel[3] == u8::MAX))
}
