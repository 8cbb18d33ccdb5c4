//! Finds texts in a config that name files.

use crate::summary::ReferenceKind;

/// Returns the kind of file that a text names under this key, or `None` if it does not name one. A text names a file if
/// it ends in a known extension. Under `model`, `texture`, `surfaceInfo`, `hiddenSelectionsTextures` and
/// `hiddenSelectionsMaterials`, every text names a file.
pub fn kind_of(key: &[u8], text: &[u8]) -> Option<ReferenceKind> {
    if text.is_empty() {
        return None;
    }
    if text.starts_with(b"#(") {
        return Some(ReferenceKind::Texture);
    }
    by_extension(text).or_else(|| by_key(key))
}

pub(super) fn by_extension(text: &[u8]) -> Option<ReferenceKind> {
    const LONGEST: usize = 6;
    let dot = memchr::memrchr(b'.', text)?;
    let extension = text.get(dot.saturating_add(1)..).filter(|extension| extension.len() <= LONGEST)?;
    let is = |known: &str| extension.eq_ignore_ascii_case(known.as_bytes());
    let is_in = |known: &[&str]| known.iter().any(|known| is(known));
    match () {
        () if is_in(&["paa", "pac", "tga", "png", "jpg", "jpeg"]) => Some(ReferenceKind::Texture),
        () if is("rvmat") => Some(ReferenceKind::Material),
        () if is("bisurf") => Some(ReferenceKind::Surface),
        () if is("p3d") => Some(ReferenceKind::Model),
        () if is_in(OTHERS) => Some(ReferenceKind::File),
        () => None,
    }
}

/// Extensions of animations, sounds, videos, scripts, terrains and lists of texts.
const OTHERS: &[&str] = &[
    "rtm", "wss", "wav", "ogg", "lip", "ogv", "bikb", "sqf", "sqs", "fsm", "wrp", "xml", "html", "emat", "edds", "csv",
];

pub(super) fn by_key(key: &[u8]) -> Option<ReferenceKind> {
    const KEYS: [(&str, ReferenceKind); 5] = [
        ("model", ReferenceKind::Model),
        ("texture", ReferenceKind::Texture),
        ("surfaceInfo", ReferenceKind::Surface),
        ("hiddenSelectionsTextures", ReferenceKind::Texture),
        ("hiddenSelectionsMaterials", ReferenceKind::Material),
    ];
    KEYS.iter().find(|(known, _)| key.eq_ignore_ascii_case(known.as_bytes())).map(|(_, kind)| *kind)
}
