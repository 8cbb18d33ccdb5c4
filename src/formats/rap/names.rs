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
    let extension = text.get(dot.saturating_add(1)..)?;
    let mut lower = [0; LONGEST];
    let lower = lower.get_mut(..extension.len())?;
    lower.copy_from_slice(extension);
    lower.make_ascii_lowercase();
    match &*lower {
        b"paa" | b"pac" | b"tga" | b"png" | b"jpg" | b"jpeg" => Some(ReferenceKind::Texture),
        b"rvmat" => Some(ReferenceKind::Material),
        b"bisurf" => Some(ReferenceKind::Surface),
        b"p3d" => Some(ReferenceKind::Model),
        // Animations, sounds and videos.
        b"rtm" | b"wss" | b"wav" | b"ogg" | b"lip" | b"ogv" | b"bikb" => Some(ReferenceKind::File),
        // Scripts, terrains and lists of texts.
        b"sqf" | b"sqs" | b"fsm" | b"wrp" | b"xml" | b"html" | b"emat" | b"edds" | b"csv" => Some(ReferenceKind::File),
        _ => None,
    }
}

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
