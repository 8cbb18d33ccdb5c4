//! Chunks: a tag, a size and a body of that size, one after another.

use std::fmt;
use std::marker::PhantomData;

use nom::Parser;

use super::cursor::{Cursor, Wire};
use super::parser::{in_place, reading, up_to};
use crate::base::error::{Error, Result};
use crate::base::impl_fmt::impl_fmt;
use crate::base::sealed::Sealed;
use crate::base::stop;
use crate::base::text::ByteStr;

/// The four bytes that identify the type of a chunk.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tag(pub [u8; 4]);

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        ByteStr::new(&self.0).fmt(f)
    }
}

impl fmt::Debug for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The bytes before a chunk's body.
pub trait Header: Sealed + Wire {
    /// Returns the type of the chunk.
    fn tag(&self) -> Tag;

    /// Returns the body size that the header claims.
    fn byte_len_hint(&self) -> u32;
}

/// One chunk in place. Its body ends with the surrounding part, even if the header claims more.
#[derive(Clone, Copy)]
pub struct Chunk<'a, H> {
    header: &'a H,
    body: Cursor<'a>,
}

impl<'a, H: Header> Chunk<'a, H> {
    /// Reads the chunk at the cursor and moves the cursor after it. Returns `None` at the end of the part.
    ///
    /// # Errors
    /// Returns [`Truncated`](crate::ErrorKind::Truncated) if fewer bytes are left than a header takes. Returns an error
    /// if the work on this thread was stopped meanwhile.
    pub fn next(cursor: &mut Cursor<'a>) -> Result<Option<Self>> {
        let start = cursor.offset();
        if cursor.is_empty() {
            return Ok(None);
        }
        let chunk = Self::read(cursor)?;
        if stop::is_due(start, cursor.offset()) && stop::is_set() {
            return Err(stop::error());
        }
        Ok(Some(chunk))
    }

    /// Creates the chunk of this header, whose body is at the cursor and ends with the claimed size, or with the part.
    pub(crate) fn of(header: &'a H, mut part: Cursor<'a>) -> Self {
        let bytes = u64::from(header.byte_len_hint()).min(part.left());
        let body = part.split(bytes).unwrap_or(part);
        Self { header, body }
    }

    /// Parses a header, and a body of the size that it claims, or as much of it as the part has.
    #[inline]
    fn read(cursor: &mut Cursor<'a>) -> Result<Self> {
        let header = cursor.parse(in_place::<H>())?;
        let body = cursor.parse(up_to(header.byte_len_hint().into()))?;
        Ok(Self { header, body })
    }

    /// Returns a parser of one chunk. It fails at the end of the part. [`whole`](Self::whole) checks that the chunk is
    /// complete.
    pub fn parser() -> impl Parser<Cursor<'a>, Output = Self, Error = Error> {
        reading(Self::read)
    }

    /// Returns the type of the chunk.
    pub fn tag(&self) -> Tag {
        self.header.tag()
    }

    /// Returns the header as stored.
    pub fn header(&self) -> &'a H {
        self.header
    }

    /// Returns the offset of the header.
    pub fn offset(&self) -> u64 {
        self.body.offset().saturating_sub(size_of::<H>() as u64)
    }

    /// Returns the size of the header and the available body together.
    pub fn byte_len(&self) -> u64 {
        self.body.left().saturating_add(size_of::<H>() as u64)
    }

    /// Returns a cursor at the start of the body, which may be cut short.
    pub fn body(&self) -> Cursor<'a> {
        self.body
    }

    /// Returns the number of claimed bytes that are outside the surrounding part.
    pub fn missing(&self) -> u64 {
        u64::from(self.header.byte_len_hint()).saturating_sub(self.body.left())
    }

    /// Returns a cursor at the start of the body if it is complete.
    ///
    /// # Errors
    /// Returns [`Truncated`](crate::ErrorKind::Truncated) if the header claims more than the surrounding part has.
    pub fn whole(&self) -> Result<Cursor<'a>> {
        if self.missing() > 0 {
            return Err(
                Error::truncated(u64::from(self.header.byte_len_hint()), self.body.left()).at(self.body.offset())
            );
        }
        Ok(self.body)
    }
}

impl_fmt!([H: Header] Debug for Chunk<'_, H>,
    |chunk| "{}({:#x}, {} bytes)", chunk.tag(), chunk.offset(), chunk.byte_len());

/// An iterator over the chunks of one part in file order. It ends after the first error.
#[derive(Clone, Debug)]
pub struct Chunks<'a, H> {
    cursor: Cursor<'a>,
    header: PhantomData<H>,
}

impl<'a, H: Header> Chunks<'a, H> {
    /// Creates an iterator over the chunks from the cursor to the end of its part.
    pub fn new(cursor: Cursor<'a>) -> Self {
        Self { cursor, header: PhantomData }
    }
}

impl<'a, H: Header> Iterator for Chunks<'a, H> {
    type Item = Result<Chunk<'a, H>>;

    fn next(&mut self) -> Option<Self::Item> {
        let chunk = Chunk::next(&mut self.cursor);
        if chunk.is_err() {
            self.cursor = Cursor::with_offset(&[], self.cursor.offset());
        }
        chunk.transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zerocopy::little_endian::U32;
    use zerocopy::{FromBytes, Immutable, KnownLayout, Unaligned};

    #[derive(Clone, Copy, FromBytes, KnownLayout, Immutable, Unaligned)]
    #[repr(C)]
    struct Plain {
        tag: [u8; 4],
        size: U32,
    }

    impl crate::base::sealed::Sealed for Plain {}

    impl Header for Plain {
        fn tag(&self) -> Tag {
            Tag(self.tag)
        }

        fn byte_len_hint(&self) -> u32 {
            self.size.get()
        }
    }

    fn chunks(bytes: &[u8]) -> Chunks<'_, Plain> {
        Chunks::new(Cursor::with_offset(bytes, 0x10))
    }

    #[test]
    fn a_chunk_longer_than_its_parent_is_cut_and_says_so() {
        let mut all = chunks(b"ONE \x02\0\0\0abTWO \xff\xff\xff\xffxyz");
        let one = all.next().unwrap().unwrap();
        assert_eq!((one.tag(), one.offset(), one.byte_len(), one.missing()), (Tag(*b"ONE "), 0x10, 10, 0));
        assert_eq!(one.whole().unwrap().rest(), b"ab");
        let two = all.next().unwrap().unwrap();
        assert_eq!(two.body().rest(), b"xyz");
        assert_eq!(two.whole().unwrap_err().to_string(), "at 0x22: needs 4294967295 bytes, 3 left");
        assert!(all.next().is_none());
    }

    #[test]
    fn a_few_bytes_left_are_one_error_and_then_the_end() {
        let mut all = chunks(b"ONE \0\0\0\0junk");
        assert!(all.next().unwrap().is_ok());
        assert_eq!(all.next().unwrap().unwrap_err().offset(), Some(0x18));
        assert!(all.next().is_none());
    }
}
