//! Common fields of chunks: counts, texts, layout codes, tables of names.

use std::fmt;

use nom::Parser as _;
use nom::error::context;
use zerocopy::little_endian::I32;

use crate::base::amount::Amount;
use crate::base::error::{Context, Error, Result};
use crate::base::span::Span;
use crate::base::text::AnsiStr;
use crate::bytes::parser::bytes;
use crate::bytes::{Cursor, Element, LeArray};
use crate::outline::{Outline, Part, Sink, StoredAt, Type};
use crate::record::parser::{Grammar, array, described, le_i32, map_res, parsers, stored_as};
use crate::record::{Fixed, Stored};

/// Returns a parser of a length or count, which is stored signed and must not be negative.
#[inline(always)]
pub(super) fn length<'a>() -> impl Grammar<'a, Output = u64> + Copy {
    stored_as::<i32, _>(map_res(le_i32(), not_negative))
}

/// Converts a count or length, which must not be negative.
pub(crate) fn not_negative(count: i32) -> Result<u64> {
    u64::try_from(count).map_err(|_| Error::malformed(format!("{count} is negative")))
}

/// See [`dissected`].
pub(super) struct Dissected<P>(P);

/// Returns a parser of a field that only a dissection shows in this place. An outline shows it with the items to which
/// it belongs.
pub(super) fn dissected<P>(parser: P) -> Dissected<P> {
    Dissected(parser)
}

parsers! { ['a, P: Grammar<'a>] Dissected<P> => P::Output; }

impl<'a, P: Grammar<'a>> Grammar<'a> for Dissected<P> {
    const TYPE: Type = P::TYPE;

    /// Reads the field, and describes it to a dissection only.
    fn walk(&mut self, cursor: &mut Cursor<'a>, name: &'static str, sink: &mut impl Sink) -> Result<P::Output> {
        let dissects = sink.outline().is_some_and(|out| out.dissects());
        if dissects { self.0.walk(cursor, name, sink) } else { self.0.read(cursor) }
    }
}

/// Concatenated names, split by a table of their lengths.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Names<'a> {
    lengths: LeArray<'a, I32>,
    bytes: &'a [u8],
}

impl Stored for Names<'_> {
    const TYPE: Type = Type::List(&AnsiStr::TYPE, 0);
}

/// Returns a parser of this many lengths, then of the concatenated names.
pub(super) fn names<'a>(count: u64) -> impl Grammar<'a, Output = Names<'a>> {
    let parse = move |input| {
        let (input, lengths) = context("lengths", array::<I32>(count)).parse(input)?;
        let sum = total(lengths.iter().map(|length| length.get()), lengths.offset(), "lengths")?;
        let (input, bytes) = bytes(sum).parse(input)?;
        Ok((input, Names { lengths, bytes }))
    };
    described(parse, describe_names)
}

/// Describes names, which take this span, with their lengths: the lengths as an array, and all names as one text that
/// only a dissection shows.
fn describe_names(names: &Names<'_>, name: &'static str, span: Span, out: &mut Outline<'_>) {
    out.array(name, &names.lengths);
    let bytes = names.bytes.len() as u64;
    let text_span = Span { offset: span.end().saturating_sub(bytes), bytes };
    out.stored(name, StoredAt::framing(AnsiStr::TYPE, text_span), AnsiStr::new(names.bytes));
}

impl<'a> Names<'a> {
    /// Returns an iterator over the names.
    pub(crate) fn iter(&self) -> NameIter<'a> {
        NameIter { lengths: self.lengths.iter(), bytes: self.bytes }
    }
}

/// An iterator over [`Names`].
#[derive(Clone, Debug)]
pub(crate) struct NameIter<'a> {
    lengths: std::slice::Iter<'a, I32>,
    /// The remaining bytes: the sum of the remaining lengths.
    bytes: &'a [u8],
}

impl<'a> Iterator for NameIter<'a> {
    type Item = AnsiStr<'a>;

    fn next(&mut self) -> Option<AnsiStr<'a>> {
        let length = usize::try_from(self.lengths.next()?.get()).ok()?;
        let (name, after) = self.bytes.split_at_checked(length)?;
        self.bytes = after;
        Some(AnsiStr::new(name))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.lengths.size_hint()
    }
}

/// Returns a cursor over the bytes of an array.
pub(super) fn cursor_over<T: Element>(array: LeArray<'_, T>) -> Cursor<'_> {
    Cursor::with_offset(array.as_bytes(), array.offset())
}

/// Returns the items of the frame at `frame`, or `None` if there are not more than `frame` of the `frames`. `all` has
/// the items of all frames, `len` for each.
pub(super) fn frame_of<'a, T: Element>(
    all: LeArray<'a, T>,
    frame: usize,
    (frames, len): (usize, usize),
) -> Option<&'a [T]> {
    if frame >= frames {
        return None;
    }
    let start = frame.checked_mul(len)?;
    all.as_slice().get(start..start.checked_add(len)?)
}

/// Returns the sum of lengths or counts, none of which may be negative. An error names the table that they are in, and
/// has its offset.
pub(crate) fn total(lengths: impl Iterator<Item = i32>, offset: u64, table: &'static str) -> Result<u64> {
    let mut sum = Amount(0);
    for length in lengths {
        let length = not_negative(length).map_err(|error| error.at(offset)).within(table)?;
        sum += length;
    }
    Ok(sum.0)
}

/// Describes the records of a table: in an outline as the array `array`, and always one by one in the list `list`, with
/// their names. There may be fewer names than records.
pub(super) fn records<'a, T: Element + Fixed>(
    (array, list): (&'static str, &'static str),
    table: LeArray<'_, T>,
    mut names: impl Iterator<Item = AnsiStr<'a>>,
    out: &mut Outline<'_>,
) {
    // In a dissection the array would claim the bytes of the records below.
    if !out.dissects() {
        out.array(array, &table);
    }
    out.list(list);
    for (index, record) in table.iter().enumerate() {
        let bytes = size_of::<T>() as u64;
        let offset = (Amount(bytes) * index as u64 + table.offset()).0;
        let name = names.next();
        let part = Part { label: name.map(Into::into), ..Part::item(list, index).spanning(offset, bytes) };
        out.part(part, |out| {
            if let Some(name) = name {
                out.field("name", name);
            }
            record.describe_fields(offset, out);
        });
    }
}

/// Returns a check that the number of a layout is one of these.
pub(crate) fn known<T: PartialEq + fmt::Display>(kinds: &[T]) -> impl Fn(&T) -> Result<()> {
    |kind| {
        if kinds.contains(kind) { Ok(()) } else { Err(Error::malformed(format!("{kind} is no known layout"))) }
    }
}
