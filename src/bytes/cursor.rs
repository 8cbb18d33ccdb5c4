//! Bounded reading with absolute offsets.

use super::array::{Element, LeArray};
pub(crate) use super::wire::Wire;
use crate::base::error::{Error, Result};
use crate::base::impl_fmt::impl_fmt;
use crate::base::span::Span;
use crate::base::text::{ByteStr, Utf32Str};

/// A position in a part of a file. It only moves forward, and never past the end of the part.
///
/// Every read is checked against the bytes left. An error contains the absolute offset of the read. A failed read does
/// not move the cursor.
///
/// ```
/// use meshpeek::view::Cursor;
/// let mut cursor = Cursor::new(b"\x02\0\0\0hi\0");
/// assert_eq!(cursor.u32()?, 2);
/// assert_eq!(cursor.cstr()?, "hi");
/// assert_eq!(cursor.u8().unwrap_err().to_string(), "at 0x7: needs 1 byte, 0 left");
/// # Ok::<(), meshpeek::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Cursor<'a> {
    rest: &'a [u8],
    offset: u64,
}

impl<'a> Cursor<'a> {
    /// Creates a cursor at the start of a whole asset.
    pub fn new(data: &'a [u8]) -> Self {
        Self { rest: data, offset: 0 }
    }

    /// Creates a cursor at the start of a part that begins at `offset` of its asset.
    pub fn with_offset(data: &'a [u8], offset: u64) -> Self {
        Self { rest: data, offset }
    }

    /// Returns the offset of the next read, counted from the start of the asset.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the bytes left in this part.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Returns the number of bytes left in this part.
    pub fn left(&self) -> u64 {
        self.rest.len() as u64
    }

    /// Returns true if no bytes are left.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Returns the location of the bytes that were read since the cursor was at `start`.
    #[inline(always)]
    pub(crate) fn since(&self, start: u64) -> Span {
        Span { offset: start, bytes: self.offset.wrapping_sub(start) }
    }

    /// Returns the part from here up to where this later cursor is.
    #[inline(always)]
    pub(crate) fn up_to(self, later: Self) -> Self {
        let bytes = later.offset.wrapping_sub(self.offset);
        let rest = usize::try_from(bytes).ok().and_then(|bytes| self.rest.get(..bytes)).unwrap_or(self.rest);
        Self { rest, ..self }
    }

    /// Creates a [`Malformed`](crate::ErrorKind::Malformed) error at this offset.
    #[cold]
    pub fn error(&self, message: impl Into<std::borrow::Cow<'static, str>>) -> Error {
        Error::malformed(message).at(self.offset)
    }

    /// Moves the offset. It cannot overflow, because the bytes are part of an asset whose size fits in a `u64`.
    #[inline]
    fn advance(&mut self, bytes: u64) {
        self.offset = self.offset.wrapping_add(bytes);
    }

    /// Returns the error of a read that needs this many bytes.
    // Takes a copy, as `unclosed` does: a reference would keep the cursor of every caller in memory.
    #[cold]
    fn too_short(self, needed: u64) -> Error {
        Error::truncated(needed, self.left()).at(self.offset)
    }

    /// Reads the next `count` bytes.
    ///
    /// # Errors
    /// Returns [`Truncated`](crate::ErrorKind::Truncated) if fewer are left.
    #[inline]
    pub fn bytes(&mut self, count: u64) -> Result<&'a [u8]> {
        let split = usize::try_from(count).ok().and_then(|count| self.rest.split_at_checked(count));
        let (taken, rest) = split.ok_or_else(|| self.too_short(count))?;
        self.rest = rest;
        self.advance(count);
        Ok(taken)
    }

    /// Returns a cursor over the next `count` bytes, and moves this one after them.
    ///
    /// # Errors
    /// Returns [`Truncated`](crate::ErrorKind::Truncated) if fewer are left.
    #[inline]
    pub fn split(&mut self, count: u64) -> Result<Cursor<'a>> {
        let offset = self.offset;
        Ok(Cursor { rest: self.bytes(count)?, offset })
    }

    /// Skips `count` bytes.
    ///
    /// # Errors
    /// Returns [`Truncated`](crate::ErrorKind::Truncated) if fewer are left.
    #[inline]
    pub fn skip(&mut self, count: u64) -> Result<()> {
        self.bytes(count).map(drop)
    }

    /// Reads one record in place.
    ///
    /// # Errors
    /// Returns [`Truncated`](crate::ErrorKind::Truncated) if fewer bytes are left than it takes.
    #[inline]
    pub fn read<T: Wire>(&mut self) -> Result<&'a T> {
        let (record, rest) = T::ref_from_prefix(self.rest).map_err(|_| self.too_short(size_of::<T>() as u64))?;
        self.rest = rest;
        self.advance(size_of::<T>() as u64);
        Ok(record)
    }

    /// Reads `count` elements in place. The claimed count is checked against the bytes left, in 64-bit arithmetic.
    ///
    /// # Errors
    /// Returns [`Truncated`](crate::ErrorKind::Truncated) if fewer bytes are left than they take.
    #[inline]
    pub fn array<T: Element>(&mut self, count: u64) -> Result<LeArray<'a, T>> {
        let offset = self.offset;
        let bytes = self.bytes(count.saturating_mul(size_of::<T>() as u64))?;
        LeArray::new(bytes, offset)
    }

    /// Returns the error for a text without a NUL.
    #[cold]
    fn unclosed(self) -> Error {
        self.error("text without its closing NUL")
    }

    /// Reads the bytes up to the next NUL, and skips the NUL.
    ///
    /// # Errors
    /// Returns [`Malformed`](crate::ErrorKind::Malformed) if this part has no further NUL.
    #[inline]
    pub fn cstr(&mut self) -> Result<ByteStr<'a>> {
        self.text_to(nul(self.rest)).ok_or_else(|| self.unclosed())
    }

    /// Like [`cstr`](Self::cstr), and faster for texts of more than 24 bytes.
    #[inline]
    pub(crate) fn long_cstr(&mut self) -> Result<ByteStr<'a>> {
        self.text_to(memchr::memchr(0, self.rest)).ok_or_else(|| self.unclosed())
    }

    /// Reads the bytes up to the next NUL and skips the NUL, or returns `None` if this part has no further NUL.
    #[inline]
    pub(crate) fn closed_text(&mut self) -> Option<ByteStr<'a>> {
        self.text_to(nul(self.rest))
    }

    /// Reads the bytes up to the NUL at this position, and skips the NUL. Returns `None` if there is no position.
    #[inline]
    fn text_to(&mut self, nul: Option<usize>) -> Option<ByteStr<'a>> {
        let (text, [_, rest @ ..]) = self.rest.split_at_checked(nul?)? else { return None };
        self.rest = rest;
        self.advance((text.len() as u64).wrapping_add(1));
        Some(ByteStr::new(text))
    }

    /// Reads a count and that many UTF-32 code points in place.
    ///
    /// # Errors
    /// Returns [`Truncated`](crate::ErrorKind::Truncated) if fewer bytes are left than they take.
    pub fn utf32(&mut self) -> Result<Utf32Str<'a>> {
        let mut ahead = *self;
        let count = ahead.u32()?;
        let units = ahead.array(count.into())?;
        *self = ahead;
        Ok(Utf32Str::new(units.as_slice()))
    }
}

/// Returns the position of the first NUL. Most names of parts are shorter than three words, which takes fewer instructions
/// than a call of `memchr`.
#[inline]
fn nul(bytes: &[u8]) -> Option<usize> {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    let (words, _) = bytes.as_chunks::<8>();
    let mut before = 0_usize;
    for word in words.iter().take(3) {
        let word = u64::from_le_bytes(*word);
        // The lowest bit that is set is in the first byte of zero. A borrow may set bits only above it.
        let zeros = word.wrapping_sub(ONES) & !word & (ONES << 7);
        if zeros != 0 {
            return Some(before.wrapping_add((zeros.trailing_zeros() / 8) as usize));
        }
        before = before.wrapping_add(8);
    }
    memchr::memchr(0, bytes.get(before..)?).map(|end| before.wrapping_add(end))
}

/// Implements a read function for each of these number types.
macro_rules! numbers {
    ($($name:ident $stored:ident),*) => {$(
        #[inline]
        pub fn $name(&mut self) -> Result<$name> {
            Ok(self.read::<zerocopy::little_endian::$stored>()?.get())
        }
    )*};
}

/// Fixed-width little-endian numbers. All of these fail only with [`Truncated`](crate::ErrorKind::Truncated).
#[allow(missing_docs, clippy::missing_errors_doc)]
impl Cursor<'_> {
    #[inline]
    pub fn u8(&mut self) -> Result<u8> {
        self.read::<u8>().copied()
    }

    numbers! { u16 U16, i16 I16, u32 U32, u64 U64, i32 I32, f32 F32 }
}

impl_fmt!([] Debug for Cursor<'_>, |cursor| "Cursor({:#x}, {} left)", cursor.offset, cursor.rest.len());

#[cfg(test)]
mod tests {
    use super::*;
    use zerocopy::little_endian::U32;

    #[test]
    fn a_failed_read_moves_nothing_and_says_where() {
        let mut cursor = Cursor::with_offset(&[1, 0, 0, 0, 7, 7], 0x100);
        assert_eq!(cursor.u32().unwrap(), 1);
        let error = cursor.u32().unwrap_err();
        assert_eq!(error.to_string(), "at 0x104: needs 4 bytes, 2 left");
        assert_eq!(cursor.bytes(2).unwrap(), [7, 7]);
        assert!(cursor.is_empty());
    }

    #[test]
    fn texts_of_any_length_end_at_their_first_nul() {
        for filler in [1, 0x7f, 0x80, 0x81, 0xff] {
            for len in 0..60 {
                for after in [&[0][..], &[0, 1], &[0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1], &[0, 0x80, 0, 0, 0, 0, 0, 0, 0]] {
                    let text = vec![filler; len];
                    let bytes = [&vec![filler; len][..], after].concat();
                    for read in [Cursor::cstr, Cursor::long_cstr] {
                        let mut cursor = Cursor::new(&bytes);
                        assert_eq!(read(&mut cursor).unwrap().as_bytes(), text);
                        assert_eq!((cursor.offset(), cursor.rest()), (len as u64 + 1, &after[1..]));
                        assert!(read(&mut Cursor::new(&text)).is_err());
                    }
                }
            }
        }
    }

    #[test]
    fn counts_are_claims() {
        let mut cursor = Cursor::new(&[0; 16]);
        assert!(cursor.array::<U32>(u64::MAX).is_err());
        assert!(cursor.array::<U32>(5).is_err());
        assert_eq!(cursor.array::<U32>(4).unwrap().len(), 4);
    }
}
