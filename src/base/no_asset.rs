//! Bytes that are not an asset.

use crate::base::code::Code;
use crate::base::format::Format;
use crate::base::word_enum::word_enum;

word_enum! {
    /// The kind of data that matches no format.
    #[non_exhaustive]
    pub enum NoAsset {
        /// No bytes.
        Empty = "empty",
        /// A pointer file that Git LFS stores in place of the real file.
        LfsPointer = "lfs",
        /// Text in any encoding. BlitzMax programs also use the extension `.bmx`.
        Text = "text",
        /// A config of Arma as text. Its references are read.
        Config = "config",
        /// A tar archive, which this crate does not read.
        Tar = "tar",
        /// A 7z archive, which this crate does not read.
        SevenZip = "7z",
        /// A RAR archive, which this crate does not read.
        Rar = "rar",
        /// An image: PNG, JPEG, BMP, GIF or DDS.
        Image = "image",
        /// A sound: Ogg, WAV, MP3 or FLAC.
        Sound = "sound",
        /// Anything else.
        Unknown = "unknown",
    }
}

impl NoAsset {
    /// The number of bytes that are examined.
    pub(crate) const HEAD: u64 = 4096;

    /// Classifies bytes that [`Format::sniff`] does not recognize. Examines the first 4 KiB.
    pub fn of(data: &[u8]) -> Self {
        let head = data.get(..4096).unwrap_or(data);
        match head {
            [] => Self::Empty,
            _ if Self::is_lfs_pointer(head) => Self::LfsPointer,
            _ if head.starts_with(b"7z\xbc\xaf\x27\x1c") => Self::SevenZip,
            _ if head.starts_with(b"Rar!\x1a\x07") => Self::Rar,
            // A tar archive starts with the header of its first file, which has its signature at this offset.
            _ if head.get(257..262) == Some(b"ustar") => Self::Tar,
            _ if is_image(head) => Self::Image,
            _ if is_sound(head) => Self::Sound,
            _ if is_text(head) => Self::Text,
            _ => Self::Unknown,
        }
    }

    /// Returns true if a file with these bytes is a pointer of Git LFS.
    pub(crate) fn is_lfs_pointer(data: &[u8]) -> bool {
        data.starts_with(b"version https://git-lfs.github.com/spec/v1")
    }

    /// Returns the code of the single problem in its record.
    pub fn code(self) -> Code {
        match self {
            Self::Empty => Code::Empty,
            Self::LfsPointer => Code::LfsPointer,
            Self::Text | Self::Config => Code::Text,
            Self::Tar | Self::SevenZip | Self::Rar => Code::Unknown,
            Self::Image | Self::Sound | Self::Unknown => Code::Unknown,
        }
    }

    /// Returns the message of the single problem in its record.
    pub fn message(self) -> &'static str {
        match self {
            Self::Empty => "not an asset; the file is empty",
            Self::LfsPointer => "not an asset; a Git LFS pointer, whose file is stored elsewhere",
            Self::Text => "not an asset; looks like text",
            Self::Config => "not an asset; a config as text, of which the names of files are read",
            Self::Tar => "not an asset; a tar archive, which is not read: extract it first",
            Self::SevenZip => "not an asset; a 7z archive, which is not read: extract it first",
            Self::Rar => "not an asset; a RAR archive, which is not read: extract it first",
            Self::Image => "not an asset; an image",
            Self::Sound => "not an asset; a sound",
            Self::Unknown => "not an asset; unrecognized format",
        }
    }
}

/// Returns true for the start of an image in the formats that models of games use.
fn is_image(head: &[u8]) -> bool {
    // The size in a BMP header is often wrong; the two reserved fields after it are 0.
    let is_bmp = head.starts_with(b"BM") && head.get(6..10) == Some(&[0; 4]);
    let starts: [&[u8]; 5] = [b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"DDS \x7c\0\0\0", b"GIF87a", b"GIF89a"];
    is_bmp || starts_with_one_of(head, &starts)
}

/// Returns true for the start of a sound.
fn is_sound(head: &[u8]) -> bool {
    let is_wav = head.starts_with(b"RIFF") && head.get(8..12) == Some(b"WAVE");
    let starts: [&[u8]; 3] = [b"OggS", b"ID3", b"fLaC"];
    is_wav || starts_with_one_of(head, &starts)
}

/// Returns true if the head starts with one of these signatures.
fn starts_with_one_of(head: &[u8], starts: &[&[u8]]) -> bool {
    starts.iter().any(|start| head.starts_with(start))
}

/// Returns true if the bytes look like the start of a text: they begin with the byte order mark of UTF-16, or have no
/// control characters except whitespace and escape.
fn is_text(head: &[u8]) -> bool {
    // A file that ends inside the signature of a format is not a text.
    if Format::STARTS.iter().any(|start| start.starts_with(head)) {
        return false;
    }
    // A few bytes of a damaged file may look like text in another encoding.
    let is_long = head.len() >= 64;
    let is_utf16 = head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff");
    if is_utf16 && is_long {
        return true;
    }
    head.iter().all(is_plain) && (is_long || is_utf8(head))
}

/// Returns true unless the byte is a control character other than whitespace and escape (0x1b).
fn is_plain(byte: &u8) -> bool {
    *byte >= b' ' && *byte != 0x7f || matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b)
}

/// Returns true if the bytes are UTF-8, of which the last character may be cut.
fn is_utf8(head: &[u8]) -> bool {
    // A copy, because another process may change mapped bytes.
    match String::from_utf8(head.to_vec()) {
        Ok(_) => true,
        Err(error) => error.utf8_error().error_len().is_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_and_sounds_are_recognized_by_their_first_bytes() {
        for (head, kind) in [
            (&b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"[..], NoAsset::Image),
            (b"\xff\xd8\xff\xe0\0\x10JFIF", NoAsset::Image),
            (b"BM\x36\0\x0c\0\0\0\0\0\x36\0\0\0", NoAsset::Image),
            (b"DDS \x7c\0\0\0\x07\x10\0\0", NoAsset::Image),
            (b"GIF89a\x01\0\x01\0", NoAsset::Image),
            (b"OggS\0\x02\0\0", NoAsset::Sound),
            (b"RIFF\x24\0\0\0WAVEfmt ", NoAsset::Sound),
            (b"ID3\x03\0\0", NoAsset::Sound),
            (b"fLaC\0\0\0\x22", NoAsset::Sound),
            (b"RIFF\x24\0\0\0AVI LIST", NoAsset::Unknown),
            (b"BMW is a maker of cars.", NoAsset::Text),
        ] {
            assert_eq!(NoAsset::of(head), kind, "{head:?}");
        }
    }
}
