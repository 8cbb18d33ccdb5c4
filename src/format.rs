//! Which format some bytes are in.

use std::fmt;
use std::path::Path;

use crate::error::{Error, ErrorKind, Result};
use crate::named::named;
use crate::ranges::Data;
use crate::summary::Code;
use crate::view::Cursor;
use crate::view::parser::cstr;
use crate::view::zip::{Directory, first_entry};

pub use crate::registry::Format;

impl Format {
    /// The format that these bytes start like; the file's name plays no part. The first 8 bytes tell every format but two:
    /// of a PBO without a product entry the first 64 KiB do, and of a zip, which begins like any other, all bytes are
    /// needed, since the directory at its end tells whether it is a map. A PBO without a product entry whose first member
    /// is empty and from before 1987 is not known by its bytes.
    pub fn sniff(head: &[u8]) -> Option<Self> {
        // Of what is here whole, nothing is missing.
        Self::sniff_in(Data::Whole(head)).unwrap_or(None)
    }

    #[inline]
    pub(crate) fn sniff_in(data: Data<'_>) -> Result<Option<Self>> {
        match Self::starting(data.from(0)) {
            Some(Self::Zip) => sniff_zip(data).map(Some),
            None => sniff_further(data),
            format => Ok(format),
        }
    }

    /// The format of a file of this name: what its bytes start like. Where that is nothing, a name that ends in `.pbo` is
    /// believed, since those archives have no magic; not of a text.
    pub fn of_file(path: &Path, data: &[u8]) -> Option<Self> {
        Self::sniff(data).or_else(|| {
            let pbo = Self::from_extension(path).filter(|&format| format == Self::Pbo);
            pbo.filter(|_| NoAsset::of(data) == NoAsset::Unknown)
        })
    }

    /// The format that files of this name are usually in: what a file with damaged first bytes was meant to be.
    pub fn from_extension(path: &Path) -> Option<Self> {
        Self::ending(&path.extension()?.to_str()?.to_ascii_lowercase())
    }
}

/// The format of bytes that start with no magic.
fn sniff_further(data: Data<'_>) -> Result<Option<Format>> {
    // A text without a NUL must not be read to its end to learn that it is none.
    let head = data.from(0);
    let head = head.get(..LONGEST_HEAD).unwrap_or(head);
    let least = data.size().min(MAGIC_BYTES);
    if (head.len() as u64) < least {
        data.get(0..data.size().min(1 << 12))?;
    }
    Ok(match head {
        // Packed as a whole: flags that begin with four literals.
        [flags, b'O', b'D', b'O', b'L', ..] if flags & 15 == 15 => Some(Format::Odol),
        _ => match starts_like_pbo(head) {
            Plausible::Yes => Some(Format::Pbo),
            Plausible::No => None,
            // Where it is cut in the middle, the rest may tell.
            Plausible::SoFar(is_pbo) => {
                data.get(0..data.size().min(LONGEST_HEAD as u64))?;
                is_pbo.then_some(Format::Pbo)
            }
        },
    })
}

/// A map is a zip with an `index.bm`. One whose directory is damaged still shows by its first entry what it was.
fn sniff_zip(data: Data<'_>) -> Result<Format> {
    const TABLES: [&str; 5] = ["index.bm", "object.bm", "mesh.bm", "material.bm", "texture.bm"];
    let is_map = match Directory::find_in(data) {
        Err(error) if error.incomplete().is_some() => return Err(error),
        Ok(directory) => directory.entries().flatten().any(|entry| entry.name == "index.bm"),
        Err(_) => match data.read(0, |cursor| first_entry(cursor.rest())) {
            Err(error) if error.incomplete().is_some() => return Err(error),
            entry => entry.is_ok_and(|entry| TABLES.iter().any(|table| entry.name == *table)),
        },
    };
    Ok(if is_map { Format::Bmx } else { Format::Zip })
}

/// Whether these bytes start like a PBO archive, which has no magic: with a product entry, or with entries of members
/// that are so plausible that hardly anything else is meant.
fn starts_like_pbo(head: &[u8]) -> Plausible {
    /// "Cprs" and "Encr".
    const PACKED: u32 = 0x4370_7273;
    const ENCRYPTED: u32 = 0x456e_6372;
    /// In 1987, before there was any such archive.
    const OLDEST: u32 = 1 << 29;
    if head.starts_with(b"\0sreV") {
        return Plausible::Yes;
    }
    let mut rest = head;
    // Enough to be sure, few enough to be quick.
    for index in 0..64 {
        let Ok((behind, name)) = cstr::<()>(Cursor::new(rest)) else {
            let is_name = rest.len() < LONGEST_NAME;
            return if is_name { Plausible::SoFar(index > 0) } else { Plausible::No };
        };
        if name.len() >= LONGEST_NAME {
            return Plausible::No;
        }
        let Some((fields, behind)) = behind.rest().split_first_chunk::<20>() else {
            return Plausible::SoFar(index > 0);
        };
        let mut numbers = [0_u32; 5];
        for (number, bytes) in numbers.iter_mut().zip(fields.chunks_exact(4)) {
            *number = bytes.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte));
        }
        let [method, original_size, reserved, timestamp, size] = numbers;
        if name.is_empty() {
            // Flashpoint's own missions give the end the method of the members before it.
            let is_end = [original_size, reserved, timestamp, size] == [0; 4] && matches!(method, 0 | PACKED);
            return if index > 0 && is_end { Plausible::Yes } else { Plausible::No };
        }
        let sizes_fit = match method {
            0 => original_size == 0 || original_size == size,
            PACKED | ENCRYPTED => true,
            _ => false,
        };
        let is_plain = |&byte: &u8| matches!(byte, b' '..=b'~') && !b"\"<>|?*:".contains(&byte);
        let is_plausible = sizes_fit
            && reserved == 0
            && size <= i32::MAX as u32
            && name.as_bytes().iter().all(is_plain)
            // Zeros behind a name are more often padding than a member, also around a number that is no time.
            && (index > 0 || size > 0 || timestamp >= OLDEST);
        if !is_plausible {
            return Plausible::No;
        }
        rest = behind;
    }
    Plausible::Yes
}

/// Whether bytes are in a format.
enum Plausible {
    Yes,
    No,
    /// They end before that is sure; what it is taken for if they are all.
    SoFar(bool),
}

/// The longest name that is taken for one.
const LONGEST_NAME: usize = 4096;
/// How many bytes of a file tell whether it is a PBO.
const LONGEST_HEAD: usize = 1 << 16;
/// How many tell of every other format what it is, or that it has to be a PBO.
const MAGIC_BYTES: u64 = 8;

named! {
    /// What bytes are that start like no format.
    #[non_exhaustive]
    pub enum NoAsset {
        /// No byte at all.
        Empty = "empty",
        /// What Git leaves in the place of a file that it keeps elsewhere.
        LfsPointer = "lfs",
        /// A text in whatever encoding. `.bmx` is the name of BlitzMax programs too.
        Text = "text",
        /// Anything else.
        Unknown = "unknown",
    }
}

impl NoAsset {
    /// What these bytes are, of which [`Format::sniff`] knows no format. Looks at the first 4 KiB.
    pub fn of(data: &[u8]) -> Self {
        let head = data.get(..4096).unwrap_or(data);
        match head {
            [] => Self::Empty,
            _ if head.starts_with(b"version https://git-lfs.github.com/spec/v1") => Self::LfsPointer,
            _ if is_text(head) => Self::Text,
            _ => Self::Unknown,
        }
    }

    /// The same as an error.
    pub fn error(self) -> Error {
        match self {
            Self::Empty => Error::malformed("empty").coded(Code::Empty),
            Self::LfsPointer => {
                Error::unsupported("Git LFS pointer: the file itself is not here").coded(Code::LfsPointer)
            }
            Self::Text | Self::Unknown => Error::new(ErrorKind::Unrecognized),
        }
    }
}

/// Whether a text begins like this: no control characters but those that set lines and columns apart.
fn is_text(head: &[u8]) -> bool {
    let is_utf8 = || match String::from_utf8(head.to_vec()) {
        Ok(_) => true,
        // The last character may be cut.
        Err(error) => error.utf8_error().error_len().is_none(),
    };
    let is_plain = |&byte: &u8| byte >= b' ' && byte != 0x7f || matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b);
    let is_utf16 = head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff");
    // A few bytes of a damaged file may look like a text of any other encoding.
    let is_long = head.len() >= 64;
    let is_start_of_asset = Format::STARTS.iter().any(|start| start.starts_with(head));
    !is_start_of_asset && (is_utf16 && is_long || head.iter().all(is_plain) && (is_long || is_utf8()))
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
