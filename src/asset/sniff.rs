//! Recognizing the format of bytes.

use std::path::Path;

use zerocopy::FromBytes as _;
use zerocopy::little_endian::U32;

use crate::base::error::{Error, Result};
use crate::base::format::Format;
use crate::bytes::Cursor;
use crate::bytes::parser::cstr;
use crate::formats::zip_directory::{
    Directory, EndRecord, LocalEntry, LocalHeader, METHODS, Signed as _, first_entry, has_end_record,
};
use crate::ranges::Data;

impl Format {
    /// Returns the format that these bytes start like, independent of the file's name. The first 8 bytes are enough,
    /// except for a texture without tags (11 bytes), a PBO without a product entry (up to 64 KiB), and a zip (all
    /// bytes, because only the directory at the end shows whether it is a Ballance map). A PBO without a product entry
    /// is not recognized if its first member is empty and older than 1987.
    pub fn sniff(head: &[u8]) -> Option<Self> {
        // All bytes are available, so there are no errors about missing ones.
        Self::sniff_in(Data::Whole(head)).unwrap_or(None)
    }

    #[inline]
    pub(crate) fn sniff_in(data: Data<'_>) -> Result<Option<Self>> {
        let head = data.from(0);
        let mut format = Self::starting(head);
        // The first bytes may be in several buffers, or missing.
        if format.is_none() && (head.len() as u64) < data.size().min(MAGIC_BYTES) {
            format = Self::starting(data.first()?);
        }
        match format {
            Some(Self::Zip) => sniff_zip(data),
            Some(_) => Ok(format),
            None => sniff_further(data),
        }
    }

    /// Returns the format of a file with this name: the one that its bytes start like. PBO archives and textures with a
    /// palette have no signature. So if the bytes are not recognized, a file whose name ends in `.pbo` only needs one
    /// plausible PBO entry, a file whose name ends in `.paa` or `.pac` only a picture, with or without a palette, and a
    /// file whose name ends in `.zip` only an end record. A program that ends with a zip archive is a zip archive, too.
    pub fn of_file(path: &Path, data: &[u8]) -> Option<Self> {
        Self::of_file_in(path, Data::Whole(data)).unwrap_or(None)
    }

    /// Returns the format of a file. Only its beginning must be available, and the directory if it is a zip.
    pub(crate) fn of_file_in(path: &Path, data: Data<'_>) -> Result<Option<Self>> {
        let format = Self::sniff_in(data)?;
        if format.is_some() {
            return Ok(format);
        }
        let named = Self::from_extension(path);
        let may_be_named = match named {
            Some(Self::Pbo) => may_be_pbo(data.head(LONGEST_HEAD as u64)?, data.size()),
            Some(Self::Paa) => may_be_paa(data)?,
            Some(Self::Zip) => Self::starting(data.first()?) == Some(Self::Zip) || has_end_record(data)?,
            _ => false,
        };
        if may_be_named {
            return Ok(named);
        }
        let is_archive = is_program(data.first()?) && ends_with_archive(data)?;
        Ok(if is_archive { Some(Self::Zip) } else { None })
    }
}

/// Returns the format of bytes that start with no signature.
fn sniff_further(data: Data<'_>) -> Result<Option<Format>> {
    // A text without a NUL must not be read to its end only to find that out.
    let head = data.from(0);
    let head = head.get(..LONGEST_HEAD).unwrap_or(head);
    let is_all = head.len() as u64 == data.size().min(LONGEST_HEAD as u64);
    // An ODOL file compressed as a whole: flags that start with four literals.
    if let [flags, b'O', b'D', b'O', b'L', ..] = head
        && flags & 15 == 15
    {
        return Ok(Some(Format::Odol));
    }
    if starts_like_paa(head) {
        // Without tags, the picture after the first one also counts.
        let has_tag = head.starts_with(TAG) || head.get(2..).is_some_and(|rest| rest.starts_with(TAG));
        let is_sure = is_all || has_tag || starts_like_paa(data.head(LONGEST_HEAD as u64)?);
        return Ok(if is_sure { Some(Format::Paa) } else { None });
    }
    let key = starts_like_key(head);
    if let Plausible::Yes = key {
        // The number of bits follows, which may be in another buffer.
        return Ok(Some(key_or_signature(data.head(LONGEST_NAME as u64)?, data.size())));
    }
    match starts_like_pbo(head) {
        Plausible::Yes => Ok(Some(Format::Pbo)),
        // The head ends in the middle, so the rest may decide.
        Plausible::No if matches!(key, Plausible::SoFar(_)) && !is_all => {
            data.head(LONGEST_NAME as u64)?;
            sniff_further(data)
        }
        Plausible::No => Ok(None),
        Plausible::SoFar(is_pbo) if is_all => Ok(if is_pbo { Some(Format::Pbo) } else { None }),
        // The head ends in the middle, so the rest may decide.
        Plausible::SoFar(is_pbo) => {
            // Most files that are not archives have no NUL, and no plausible name is so long.
            let is_one_name = !is_pbo && head.len() < LONGEST_NAME;
            data.head(if is_one_name { LONGEST_NAME } else { LONGEST_HEAD } as u64)?;
            sniff_further(data)
        }
    }
}

/// Returns the format of bytes that start like a zip: a Ballance map if it has an `index.bm`. If there is no directory, the
/// first entry decides, and whether it is plausible.
fn sniff_zip(data: Data<'_>) -> Result<Option<Format>> {
    const TABLES: [&str; 5] = ["index.bm", "object.bm", "mesh.bm", "material.bm", "texture.bm"];
    match Directory::find_in(data) {
        Err(error) if error.incomplete().is_some() => return Err(error),
        Ok(directory) => {
            let is_map = directory.entries().flatten().any(|entry| entry.name == "index.bm");
            return Ok(Some(if is_map { Format::Bmx } else { Format::Zip }));
        }
        Err(_) => {}
    }
    let head = data.first()?;
    if head.starts_with(&EndRecord::SIGNATURE) {
        return Ok(Some(Format::Zip));
    }
    let start = if head.starts_with(&LocalHeader::SIGNATURE) { 0 } else { 4 };
    let first = match data.read(start, |cursor| first_entry(cursor.rest())) {
        Err(error) if error.incomplete().is_some() => return Err(error),
        Ok(entry) if is_plausible(&entry) => entry,
        _ if has_directory(data)? => return Ok(Some(Format::Zip)),
        _ => return Ok(None),
    };
    let is_map = TABLES.iter().any(|table| first.name == *table);
    Ok(Some(if is_map { Format::Bmx } else { Format::Zip }))
}

/// Returns true if a header may be that of a file in a zip. The signature alone may be by chance.
fn is_plausible(entry: &LocalEntry<'_>) -> bool {
    /// Ten times the latest version of the format, and more.
    const LATEST: u16 = 100;
    let has_method = METHODS.contains(&entry.header.method.get());
    let name = entry.name.as_bytes();
    let is_name = !name.is_empty() && name.len() < LONGEST_NAME && !name.iter().any(u8::is_ascii_control);
    has_method && is_name && entry.header.version_needed.get() & 0xff <= LATEST
}

/// Returns true if there is a directory, of zip64 too, although there is no plausible file at the start.
fn has_directory(data: Data<'_>) -> Result<bool> {
    match Directory::find_any_in(data) {
        Err(error) if error.incomplete().is_some() => Err(error),
        Err(_) => Ok(false),
        Ok(directory) => Ok(!directory.is_lost()),
    }
}

/// Returns true if these bytes start like a program: for Windows, for Linux, or a script.
fn is_program(head: &[u8]) -> bool {
    head.starts_with(b"MZ") || head.starts_with(b"\x7fELF") || head.starts_with(b"#!")
}

/// Returns true if a program ends with an archive that has entries.
fn ends_with_archive(data: Data<'_>) -> Result<bool> {
    match Directory::find_any_in(data) {
        Err(error) if error.incomplete().is_some() => Err(error),
        Err(_) => Ok(false),
        Ok(directory) => Ok(directory.entry_count.is_some() && directory.entries().next().is_some()),
    }
}

/// Returns true if these bytes start like a texture: with a kind of pixels and a tag, or without a palette and with raw
/// blocks whose sides and length agree. The kind alone is not enough, because other files may start with its two bytes.
fn starts_like_paa(head: &[u8]) -> bool {
    if head.starts_with(TAG) {
        return head.get(4..8).is_some_and(|name| name.iter().all(u8::is_ascii_uppercase));
    }
    let Some((kind, rest)) = head.split_first_chunk() else { return false };
    let kind = u16::from_le_bytes(*kind);
    if is_paa_kind(kind) && rest.starts_with(TAG) {
        return true;
    }
    // The length of a compressed stream proves nothing.
    let is_raw = head.get(5).is_some_and(|wide| wide >> 7 == 0);
    kind > 0xff00 && is_raw && is_bare_paa(head)
}

fn is_paa_kind(kind: u16) -> bool {
    matches!(kind, 0x1555 | 0x4444 | 0x8080 | 0x8888 | 0xff01..=0xff05)
}

/// Returns true if these bytes start with a kind of pixels, no palette, and a picture.
fn is_bare_paa(head: &[u8]) -> bool {
    let Some(([a, b, 0, 0], rest)) = head.split_first_chunk() else { return false };
    let kind = u16::from_le_bytes([*a, *b]);
    is_paa_kind(kind) && is_picture(kind, rest)
}

/// Returns true if these bytes start with a picture of a texture. If the bytes reach far enough, also checks that a
/// picture with half the width and height, or the end, follows.
fn is_picture(kind: u16, head: &[u8]) -> bool {
    let Some((&[w, wide, h, high, a, b, c], rest)) = head.split_first_chunk() else { return false };
    let word = u16::from_le_bytes([w, wide]);
    let width = word & 0x7fff;
    let is_packed = word >> 15 == 1;
    let height = u16::from_le_bytes([h, high]);
    let stored = u64::from(u32::from_le_bytes([a, b, c, 0]));
    let is_blocks = kind >= 0xff00;
    let [wide, high] = [width, height].map(|side| u64::from(if is_blocks { side.div_ceil(4) } else { side }));
    let each = match kind {
        0xff01 => 8,
        0xff02.. => 16,
        0x8888 => 4,
        _ => 2,
    };
    let need = wide.saturating_mul(high).saturating_mul(each);
    let fits = match (is_blocks, is_packed) {
        // True for all of the thousands of such files that are known.
        (true, _) if !width.is_power_of_two() || !height.is_power_of_two() => false,
        (true, false) => stored == need,
        (true, true) => stored < need && need <= stored.saturating_mul(255),
        (false, true) => false,
        (false, false) => stored <= need.saturating_add(need / 8).saturating_add(5) && need <= stored.saturating_mul(9),
    };
    need > 0 && height <= 0x7fff && fits && is_followed(rest, stored, [width, height])
}

/// Returns true if after this many bytes of a picture, one with half its sides follows, or the end; or if the bytes do
/// not reach so far.
fn is_followed(rest: &[u8], stored: u64, [width, height]: [u16; 2]) -> bool {
    let Ok(stored) = usize::try_from(stored) else { return true };
    let Some(after) = rest.get(stored..) else { return true };
    let Some(&[w, wide, h, high]) = after.first_chunk() else { return true };
    let next_width = u16::from_le_bytes([w, wide]) & 0x7fff;
    let next_height = u16::from_le_bytes([h, high]);
    let is_end = next_width == 0 && next_height == 0;
    is_end || (next_width == (width / 2).max(1) && next_height == (height / 2).max(1))
}

/// Returns true if a file called `.paa` or `.pac` starts with a picture, or with a palette and a picture whose length can
/// hold an index for each pixel.
fn may_be_paa(data: Data<'_>) -> Result<bool> {
    // Without a picture at the start, the bytes after it do not matter.
    let is_bare = is_bare_paa(data.first()?) && is_bare_paa(data.head(data.size())?);
    let head = data.head(2 + 3 * MOST_COLORS + 4 + 4 + 3)?;
    Ok(is_bare || starts_with_palette(head, data.size()).unwrap_or(false))
}

/// Returns true if a file of this size starts with a palette and a picture. Returns an error if the head is too short.
fn starts_with_palette(head: &[u8], size: u64) -> Result<bool> {
    let mut cursor = Cursor::new(head);
    let colors = u64::from(cursor.u16()?);
    cursor.skip(colors.min(MOST_COLORS).saturating_mul(3))?;
    let mut sides = [cursor.u16()?, cursor.u16()?];
    if sides == [1234, 8765] {
        sides = [cursor.u16()?, cursor.u16()?];
    }
    let &[a, b, c] = cursor.read::<[u8; 3]>()?;
    let stored = u64::from(u32::from_le_bytes([a, b, c, 0]));
    let is_inside = stored <= size.saturating_sub(cursor.offset());
    let [width, height] = sides.map(u64::from);
    let pixels = width.saturating_mul(height);
    let fits = pixels > 0 && pixels <= stored.saturating_mul(64);
    Ok((1..=MOST_COLORS).contains(&colors) && is_inside && fits)
}

/// Checks if these bytes start like a key of Arma, which has no signature: with a name, and the constants of a public key
/// after it.
fn starts_like_key(head: &[u8]) -> Plausible {
    let Ok((after_name, name)) = cstr::<()>(Cursor::new(head)) else {
        return if may_name_key(head) { Plausible::SoFar(false) } else { Plausible::No };
    };
    if !may_name_key(name.as_bytes()) {
        return Plausible::No;
    }
    let constants = after_name.rest().get(SIZE_OF_KEY..).unwrap_or_default();
    if constants.starts_with(KEY) {
        return Plausible::Yes;
    }
    // The head may end among the constants.
    if KEY.starts_with(constants) { Plausible::SoFar(false) } else { Plausible::No }
}

/// Returns true for the name of a key, or the start of one.
fn may_name_key(name: &[u8]) -> bool {
    name.len() <= LONGEST_KEY_NAME && !name.iter().any(u8::is_ascii_control)
}

/// Returns the format of a file of this size that starts with a key: a signature has more bytes than the key.
fn key_or_signature(head: &[u8], size: u64) -> Format {
    /// After a key, fewer bytes than the size of a signature are left over, and no signature.
    const LEAST: u64 = 4;
    let mut cursor = Cursor::new(head);
    let Ok(end) = end_of_key(&mut cursor) else { return Format::Bikey };
    if size < end.saturating_add(LEAST) { Format::Bikey } else { Format::Bisign }
}

/// Returns the end of the key at the cursor: after its name, size, constants, number of bits, exponent and modulus.
fn end_of_key(cursor: &mut Cursor<'_>) -> Result<u64> {
    cursor.cstr()?;
    cursor.skip((SIZE_OF_KEY as u64).saturating_add(KEY.len() as u64))?;
    let bits = cursor.u32()?;
    Ok(cursor.offset().saturating_add(4).saturating_add((bits / 8).into()))
}

/// Checks if these bytes start like a PBO archive, which has no signature: with a product entry, or with very plausible
/// entries of members.
fn starts_like_pbo(head: &[u8]) -> Plausible {
    /// "Cprs" and "Encr".
    const PACKED: u32 = 0x4370_7273;
    const ENCRYPTED: u32 = 0x456e_6372;
    /// The year 1987, before the first such archive.
    const OLDEST: u32 = 1 << 29;
    if head.starts_with(b"\0sreV") {
        return Plausible::Yes;
    }
    let mut rest = head;
    // Enough to be certain, and few enough to be fast.
    for index in 0..64 {
        let Ok((after, name)) = cstr::<()>(Cursor::new(rest)) else {
            // The first line of a text shows that it is no name. Only after an entry does the end of the file matter.
            let is_name = rest.len() < LONGEST_NAME && (index > 0 || rest.iter().all(is_letter_of_name));
            return if is_name { Plausible::SoFar(index > 0) } else { Plausible::No };
        };
        if name.len() >= LONGEST_NAME {
            return Plausible::No;
        }
        let Ok((fields, after)) = <[U32; 5]>::ref_from_prefix(after.rest()) else {
            return Plausible::SoFar(index > 0);
        };
        let [method, original_size, reserved, timestamp, size] = fields.map(U32::get);
        if name.is_empty() {
            // The missions of Operation Flashpoint end with the method of their members.
            let is_end = [original_size, reserved, timestamp, size] == [0; 4] && matches!(method, 0 | PACKED);
            return if index > 0 && is_end { Plausible::Yes } else { Plausible::No };
        }
        let sizes_fit = match method {
            0 => original_size == 0 || original_size == size,
            PACKED | ENCRYPTED => true,
            _ => false,
        };
        let is_plausible = sizes_fit
            && reserved == 0
            && size <= i32::MAX as u32
            && name.as_bytes().iter().all(is_letter_of_name)
            // Zeros after a name are more likely padding than a member, even around a number that is not a time.
            && (index > 0 || size > 0 || timestamp >= OLDEST);
        if !is_plausible {
            return Plausible::No;
        }
        rest = after;
    }
    Plausible::Yes
}

/// Returns true for the letters of the names in nearly all archives.
fn is_letter_of_name(byte: &u8) -> bool {
    matches!(byte, b' '..=b'~') && !b"\"<>|?*:".contains(byte)
}

/// Returns true if these bytes of a file called `.pbo` start with a header entry with a known method, which nearly no
/// other bytes do. Without a member, they must not be longer than an empty archive with its checksum.
fn may_be_pbo(head: &[u8], size: u64) -> bool {
    const METHODS: [&[u8; 4]; 4] = [b"\0\0\0\0", b"sreV", b"srpC", b"rcnE"];
    const EMPTY_ARCHIVE: u64 = 21 + 21;
    let Ok((fields, name)) = cstr::<()>(Cursor::new(head)) else { return false };
    let is_entry = fields.left() >= 20 && METHODS.iter().any(|method| fields.rest().starts_with(*method));
    is_entry && name.len() < LONGEST_NAME && (!name.is_empty() || size <= EMPTY_ARCHIVE)
}

/// The result of a check for a format.
enum Plausible {
    Yes,
    No,
    /// The bytes end before the check is certain. The value is the result if there are no more bytes.
    SoFar(bool),
}

/// The start of a texture's tag.
const TAG: &[u8] = b"GGAT";
/// The maximum number of colors in a palette.
const MOST_COLORS: u64 = 256;
/// The constants of a public key: what it is, its algorithm and its mark.
const KEY: &[u8] = b"\x06\x02\0\0\0\x24\0\0RSA1";
/// Between the name of a key and its constants, four bytes have the size of the key.
const SIZE_OF_KEY: usize = 4;
/// The maximum length of a plausible name of a key. Files have at most 255.
const LONGEST_KEY_NAME: usize = 512;
/// The maximum length of a plausible name.
const LONGEST_NAME: usize = 4096;
/// The number of bytes that show whether a file is a PBO.
const LONGEST_HEAD: usize = 1 << 16;
/// With this many bytes, any other format is recognized or excluded; only PBO may need more.
const MAGIC_BYTES: u64 = 11;

/// Reads a [`name`](Format::name).
///
/// # Errors
/// Returns an [`Unsupported`](crate::ErrorKind::Unsupported) error for any other word.
impl std::str::FromStr for Format {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        for format in Self::ALL {
            if format.name() == name {
                return Ok(*format);
            }
        }
        Err(Error::unsupported(format!("no format is called {name:?}")))
    }
}
