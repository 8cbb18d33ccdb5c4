//! The words and names of the engine.

use crate::summary::ReferenceKind;

/// The extensions of images and models that the engine reads, as it compares them.
pub(crate) const IMAGES: [&str; 5] = ["png", "jpg", "tga", "bmp", "jpeg"];
pub(super) const MODELS: [&str; 5] = ["b3d", "obj", "x", "gltf", "glb"];

/// The kind of files that a key names: `mesh`, `textures`, and longer ones such as `child_textures` or `wield_image`.
pub(super) fn kind_of(key: &[u8]) -> Option<ReferenceKind> {
    let last = key.rsplit(|&byte| byte == b'_').next().unwrap_or_default();
    let is_alone = last.len() == key.len();
    match last {
        b"mesh" | b"meshes" => Some(ReferenceKind::Model),
        b"texture" | b"textures" | b"tiles" | b"palette" => Some(ReferenceKind::Texture),
        b"image" | b"overlay" if !is_alone => Some(ReferenceKind::Texture),
        _ => None,
    }
}

pub(super) fn extension_is_in(name: &[u8], known: &[&str]) -> bool {
    let Some(dot) = memchr::memrchr(b'.', name) else { return false };
    let extension = name.get(dot.saturating_add(1)..).unwrap_or_default();
    dot > 0 && known.iter().any(|known| extension == known.as_bytes())
}

/// Returns true for bytes that separate names in a texture: `a.png^[combine:8x8:0,0=b.png`, `(a.png^b.png)^c.png`.
pub(super) fn is_separator(byte: &u8) -> bool {
    b"^()[]:={}&\\".contains(byte)
}

/// Returns true for the name of a file, or a pattern for such names. A path and what a form shows are none.
pub(super) fn is_file_name(name: &[u8]) -> bool {
    name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_.- %".contains(byte) || !byte.is_ascii())
}

/// Returns true for texts that call the engine.
pub(super) fn is_of_engine(data: &[u8]) -> bool {
    for global in [&b"minetest."[..], b"core."] {
        for place in memchr::memmem::find_iter(data, global) {
            let before = data.get(..place).unwrap_or_default();
            if !ends_with_name(before) {
                return true;
            }
        }
    }
    false
}

/// Returns true if this code ends with a name or a dot, so that a word after it belongs to the name.
pub(super) fn ends_with_name(code: &[u8]) -> bool {
    let Some(last) = code.last() else { return false };
    last.is_ascii_alphanumeric() || b"_.".contains(last)
}

/// Returns true for a name that may lack its extension.
pub(super) fn is_bare(text: &[u8]) -> bool {
    text.iter().any(u8::is_ascii_alphabetic)
        && text.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// Returns true for keywords that no value contains, outside functions.
pub(super) fn is_statement(word: &[u8]) -> bool {
    const WORDS: [&str; 15] = [
        "break", "do", "else", "elseif", "end", "for", "goto", "if", "in", "local", "repeat", "return", "then",
        "until", "while",
    ];
    WORDS.iter().any(|known| word == known.as_bytes())
}
