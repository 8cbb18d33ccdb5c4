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
    let dot = memchr::memrchr(b'.', text)?;
    let extension = text.get(dot.saturating_add(1)..)?;
    if extension.len() > LONGEST_EXTENSION {
        return None;
    }
    for (kind, known) in EXTENSIONS {
        if known.iter().any(|known| extension.eq_ignore_ascii_case(known.as_bytes())) {
            return Some(*kind);
        }
    }
    None
}

const LONGEST_EXTENSION: usize = 6;

const EXTENSIONS: &[(ReferenceKind, &[&str])] = &[
    (ReferenceKind::Texture, &["paa", "pac", "tga", "png", "jpg", "jpeg"]),
    (ReferenceKind::Material, &["rvmat"]),
    (ReferenceKind::Surface, &["bisurf"]),
    (ReferenceKind::Model, &["p3d"]),
    (ReferenceKind::File, OTHERS),
];

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
    let (_, kind) = KEYS.iter().find(|(known, _)| key.eq_ignore_ascii_case(known.as_bytes()))?;
    Some(*kind)
}
