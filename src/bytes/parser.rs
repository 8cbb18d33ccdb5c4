//! Integration with nom: a cursor is an input, the crate's error is a parser error, and each read function is a parser.

use nom::error::{ContextError, ErrorKind, FromExternalError, ParseError};
use nom::{
    AsBytes, Compare, CompareResult, Complete, Emit, FindSubstring, IResult, Input, Mode, Needed, Offset, OutputM,
    OutputMode, PResult, Parser,
};

use super::cursor::{Cursor, Wire};
use crate::base::error::{Context as _, Error, Result};
use crate::base::text::ByteStr;

impl<'a> Cursor<'a> {
    /// Runs a parser at the cursor and moves the cursor after the consumed bytes. A parser that needs more bytes than
    /// are left fails.
    ///
    /// # Errors
    /// Returns the error of the parser.
    #[inline(always)]
    pub fn parse<O>(&mut self, mut parser: impl Parser<Self, Output = O, Error = Error>) -> Result<O> {
        self.run(&mut parser)
    }

    /// Runs a parser like [`parse`](Self::parse), but by reference, so that the caller can use it again.
    #[inline(always)]
    pub(crate) fn run<P: Parser<Self, Error = Error>>(&mut self, parser: &mut P) -> Result<P::Output> {
        // What `parse_complete` does, which the compiler does not always inline.
        match parser.process::<OutputM<Emit, Emit, Complete>>(*self) {
            Ok((rest, output)) => {
                *self = rest;
                Ok(output)
            }
            Err(nom::Err::Error(error) | nom::Err::Failure(error)) => Err(error),
            Err(nom::Err::Incomplete(needed)) => Err(incomplete(*self, needed)),
        }
    }
}

/// Converts a read function to a parser. It consumes nothing if the function fails.
///
/// ```
/// use meshpeek::nom::{Parser, multi::many0};
/// use meshpeek::{grammar::reading, view::Cursor};
/// let mut cursor = Cursor::new(b"\x01\0\x02\0\x03");
/// assert_eq!(cursor.parse(many0(reading(|cursor| cursor.u16())))?, [1, 2]);
/// assert_eq!(cursor.offset(), 4);
/// # Ok::<(), meshpeek::Error>(())
/// ```
#[inline(always)]
pub fn reading<'a, O, F: FnMut(&mut Cursor<'a>) -> Result<O>>(read: F) -> Reading<F> {
    Reading(read)
}

/// A parser made by [`reading`]. A struct, because the compiler does not always inline what nom makes of a function.
#[derive(Clone, Copy, Debug)]
pub struct Reading<F>(pub(crate) F);

impl<'a, O, F: FnMut(&mut Cursor<'a>) -> Result<O>> Parser<Cursor<'a>> for Reading<F> {
    type Output = O;
    type Error = Error;

    #[inline(always)]
    fn process<M: OutputMode>(&mut self, mut input: Cursor<'a>) -> PResult<M, Cursor<'a>, O, Error> {
        let result = (self.0)(&mut input);
        outcome::<M, O>(input, result)
    }
}

/// Converts the result of a read to what nom expects of a parser. `rest` is the cursor after the read.
#[inline(always)]
pub(crate) fn outcome<M: OutputMode, O>(rest: Cursor<'_>, result: Result<O>) -> PResult<M, Cursor<'_>, O, Error> {
    match result {
        Ok(output) => Ok((rest, M::Output::bind(|| output))),
        Err(error) => Err(nom::Err::Error(M::Error::bind(|| error))),
    }
}

/// A function that [`reading`] makes a parser of.
pub trait ReadFn<'a, O>: FnMut(&mut Cursor<'a>) -> Result<O> {}
impl<'a, O, F: FnMut(&mut Cursor<'a>) -> Result<O>> ReadFn<'a, O> for F {}

/// Returns true if the parser fits what is at the cursor. Allocates no error if it does not.
pub(crate) fn is_ahead<'a>(cursor: Cursor<'a>, mut parser: impl Parser<Cursor<'a>, Error = ()>) -> bool {
    parser.parse_complete(cursor).is_ok()
}

/// Returns a parser of one record in place.
#[inline(always)]
pub fn in_place<'a, T: Wire>() -> Reading<impl ReadFn<'a, &'a T> + Copy> {
    reading(|cursor: &mut Cursor<'a>| cursor.read::<T>())
}

/// Parses a text up to the next NUL, and consumes the NUL.
///
/// # Errors
/// Returns [`Malformed`](crate::ErrorKind::Malformed) if the input has no NUL.
#[inline]
pub fn cstr<'a, E: ParseError<Cursor<'a>>>(mut input: Cursor<'a>) -> IResult<Cursor<'a>, ByteStr<'a>, E> {
    match input.closed_text() {
        Some(text) => Ok((input, text)),
        None => Err(nom::Err::Error(E::from_char(input, '\0'))),
    }
}

/// Returns a parser of `count` bytes.
#[inline(always)]
pub fn bytes<'a>(count: u64) -> Reading<impl ReadFn<'a, &'a [u8]>> {
    reading(move |cursor: &mut Cursor<'a>| cursor.bytes(count))
}

/// Returns a parser of a part of `count` bytes, as a cursor.
#[inline(always)]
pub(crate) fn part<'a>(count: u64) -> Reading<impl ReadFn<'a, Cursor<'a>>> {
    reading(move |cursor: &mut Cursor<'a>| cursor.split(count))
}

/// Returns a parser of all that is left.
#[inline(always)]
pub(crate) fn rest<'a>() -> Reading<impl ReadFn<'a, Cursor<'a>>> {
    reading(|cursor: &mut Cursor<'a>| cursor.split(cursor.left()))
}

/// Returns a parser of a part of `count` bytes, or of all that are left if there are fewer.
#[inline(always)]
pub(crate) fn up_to<'a>(count: u64) -> Reading<impl ReadFn<'a, Cursor<'a>>> {
    reading(move |cursor: &mut Cursor<'a>| cursor.split(count.min(cursor.left())))
}

/// Converts nom's request for more bytes to an error.
#[cold]
fn incomplete(input: Cursor<'_>, needed: Needed) -> Error {
    let more = match needed {
        Needed::Unknown => 1,
        Needed::Size(more) => more.get() as u64,
    };
    Error::truncated(input.left().saturating_add(more), input.left()).at(input.offset())
}

/// A position after the end is clamped to the end.
impl<'a> Input for Cursor<'a> {
    type Item = u8;
    type Iter = std::iter::Copied<std::slice::Iter<'a, u8>>;
    type IterIndices = std::iter::Enumerate<Self::Iter>;

    #[inline]
    fn input_len(&self) -> usize {
        self.rest().len()
    }

    #[inline]
    fn take(&self, index: usize) -> Self {
        self.take_split(index).1
    }

    #[inline]
    fn take_from(&self, index: usize) -> Self {
        self.take_split(index).0
    }

    /// Returns the rest first, and then the bytes before it.
    #[inline]
    fn take_split(&self, index: usize) -> (Self, Self) {
        let mut rest = *self;
        let taken = rest.split((index as u64).min(self.left())).unwrap_or(*self);
        (rest, taken)
    }

    #[inline]
    fn position<P: Fn(u8) -> bool>(&self, predicate: P) -> Option<usize> {
        self.rest().iter().position(|&byte| predicate(byte))
    }

    #[inline]
    fn iter_elements(&self) -> Self::Iter {
        self.rest().iter().copied()
    }

    #[inline]
    fn iter_indices(&self) -> Self::IterIndices {
        self.iter_elements().enumerate()
    }

    #[inline]
    fn slice_index(&self, count: usize) -> Result<usize, Needed> {
        self.rest().slice_index(count)
    }
}

impl Offset for Cursor<'_> {
    fn offset(&self, second: &Self) -> usize {
        usize::try_from(Cursor::offset(second).saturating_sub(Cursor::offset(self))).unwrap_or(usize::MAX)
    }
}

impl AsBytes for Cursor<'_> {
    fn as_bytes(&self) -> &[u8] {
        self.rest()
    }
}

impl<'a, T> Compare<T> for Cursor<'a>
where
    &'a [u8]: Compare<T>,
{
    #[inline]
    fn compare(&self, other: T) -> CompareResult {
        self.rest().compare(other)
    }

    #[inline]
    fn compare_no_case(&self, other: T) -> CompareResult {
        self.rest().compare_no_case(other)
    }
}

impl<'a, T> FindSubstring<T> for Cursor<'a>
where
    &'a [u8]: FindSubstring<T>,
{
    fn find_substring(&self, sought: T) -> Option<usize> {
        self.rest().find_substring(sought)
    }
}

/// Errors have the offset of the input.
impl ParseError<Cursor<'_>> for Error {
    #[cold]
    fn from_error_kind(input: Cursor<'_>, kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::Eof => Self::truncated(input.left().saturating_add(1), input.left()).at(input.offset()),
            ErrorKind::Tag => input.error("expected bytes are missing"),
            kind => input.error(format!("does not fit the format ({})", kind.description())),
        }
    }

    fn append(_: Cursor<'_>, _: ErrorKind, other: Self) -> Self {
        other
    }

    #[cold]
    fn from_char(input: Cursor<'_>, sought: char) -> Self {
        match sought {
            '\0' => input.error("text without its closing NUL"),
            _ => input.error(format!("expected {sought:?}")),
        }
    }

    /// If two alternatives fail, returns the error at the higher offset.
    fn or(self, other: Self) -> Self {
        if self.offset() > other.offset() { self } else { other }
    }
}

/// Treats `context` as the name of a part, as [`within`](crate::error::Context::within) does.
impl ContextError<Cursor<'_>> for Error {
    fn add_context(_: Cursor<'_>, part: &'static str, other: Self) -> Self {
        other.within(part)
    }
}

/// Gives an error without an offset the offset of the input.
impl<E: Into<Error>> FromExternalError<Cursor<'_>, E> for Error {
    fn from_external_error(input: Cursor<'_>, _: ErrorKind, error: E) -> Self {
        error.into().at(input.offset())
    }
}

/// Makes `?` work in parsers, as a recoverable error.
impl From<Error> for nom::Err<Error> {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

#[cfg(test)]
mod tests {
    use nom::branch::alt;
    use nom::bytes::complete::{tag, take, take_until};
    use nom::combinator::{cond, recognize};
    use nom::error::context;
    use nom::multi::{length_count, many0};
    use nom::number::complete::{le_u16, le_u32, u8};
    use zerocopy::little_endian::U32;

    use super::*;

    fn run<'a, O>(bytes: &'a [u8], parser: impl Parser<Cursor<'a>, Output = O, Error = Error>) -> Result<(O, u64)> {
        let mut cursor = Cursor::with_offset(bytes, 0x20);
        let output = cursor.parse(parser);
        if output.is_err() {
            assert_eq!((cursor.offset(), cursor.rest()), (0x20, bytes));
        }
        Ok((output?, cursor.offset()))
    }

    #[test]
    fn parsers_of_nom_read_from_a_cursor() {
        let parser = (tag("AB"), le_u32, take_until(&b"\xff"[..]), recognize((u8, u8)));
        let ((tag, number, text, both), end) = run(b"AB\x01\0\0\0xyz\xff\x07.", parser).unwrap();
        assert_eq!(
            (tag.rest(), number, text.rest(), both.rest(), end),
            (&b"AB"[..], 1, &b"xyz"[..], &b"\xff\x07"[..], 0x2b)
        );
        assert_eq!((text.offset(), both.offset()), (0x26, 0x29));
        assert_eq!(run(b"\x02a\0bc\0d", length_count(u8, cstr)).unwrap(), (vec!["a".into(), "bc".into()], 0x26));
        assert_eq!(run(b"\x01\0\x02\0\x03", many0(le_u16)).unwrap(), (vec![1, 2], 0x24));
        assert_eq!(run(b"\x01", (cond(false, u8), cond(true, u8))).unwrap(), ((None, Some(1)), 0x21));
    }

    #[test]
    fn errors_carry_the_offset_of_their_input() {
        fn message<'a, O>(bytes: &'a [u8], parser: impl Parser<Cursor<'a>, Output = O, Error = Error>) -> String {
            run(bytes, parser).map(drop).unwrap_err().to_string()
        }
        assert_eq!(message(b"name\0\x01\0", (cstr, in_place::<U32>())), "at 0x25: needs 4 bytes, 2 left");
        assert_eq!(message(b"name", (u8, cstr)), "at 0x21: text without its closing NUL");
        assert_eq!(message(b"name", (u8, context("magic", tag("am!")))), "magic at 0x21: expected bytes are missing");
        assert_eq!(message(b"name", (bytes(2), bytes(3))), "at 0x22: needs 3 bytes, 2 left");
        assert_eq!(message(b"name", take(9_usize)), "at 0x20: needs 5 bytes, 4 left");
        assert_eq!(message(b"\x05", nom::number::streaming::le_u32), "at 0x20: needs 4 bytes, 1 left");
        let odd = |number| if number == 1 { Ok(()) } else { Err(Error::malformed("odd")) };
        assert_eq!(message(b"\x01\x02", (u8.map_res(odd), u8.map_res(odd))), "at 0x21: odd");
        // The error of the alternative that got further is returned.
        assert_eq!(
            message(b"abx", alt(((tag("ab"), tag("c")), (tag("a"), tag("c"))))),
            "at 0x22: expected bytes are missing"
        );
    }

    #[test]
    fn positions_past_the_end_are_the_end() {
        let cursor = Cursor::with_offset(b"ab", 0x10);
        let (rest, all) = cursor.take_split(usize::MAX);
        assert_eq!((rest.rest(), rest.offset(), all.rest(), all.offset()), (&b""[..], 0x12, &b"ab"[..], 0x10));
        assert_eq!((Input::take(&cursor, 3).rest(), cursor.take_from(3).rest()), (&b"ab"[..], &b""[..]));
        assert_eq!((Offset::offset(&cursor, &rest), Offset::offset(&rest, &cursor)), (2, 0));
    }
}
