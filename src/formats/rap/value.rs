//! Values, and arrays of them.

use nom::combinator::peek;
use nom::{IResult, Parser as _};

use super::codes::ValueType;
use super::depth::MOST_DEPTH;
use crate::base::amount::Amount;
use crate::base::error::{Context as _, Error, Result};
use crate::base::span::Span;
use crate::base::text::ByteStr;
use crate::bytes::Cursor;
use crate::bytes::parser::bytes;
use crate::outline::{Outline, Part, StoredAt, Type, Value as Shown};
use crate::record::parser::{le_f32, le_i32, le_i64, le_u8, text_to_nul};
use crate::record::{Framing, Stored, plain};

/// A count stored in 7 bits per byte, low bits first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number(pub u32);

plain! {
    Number: Varying("count", 1) => |number| number.0;
}

/// Parses a [`Number`]. The highest bit of each byte says whether another follows.
pub(super) fn number(input: Cursor<'_>) -> IResult<Cursor<'_>, Number, Error> {
    let mut rest = input;
    let mut number = 0_u64;
    for shift in [0, 7, 14, 21, 28] {
        let byte = rest.parse(le_u8())?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            let Ok(number) = u32::try_from(number) else { return Err(input.error("count above 32 bits").into()) };
            return Ok((rest, Number(number)));
        }
    }
    Err(input.error("count of more than 5 bytes").into())
}

/// A value of a class, or an item of an array.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value<'a> {
    /// A text.
    Text(ByteStr<'a>),
    /// A floating-point number.
    Float(f32),
    /// A whole number.
    Int(i32),
    /// An expression that the game evaluates.
    Expression(ByteStr<'a>),
    /// A whole number of 64 bits. Not seen in real files.
    Long(i64),
    /// A nested array and its number of items. The items follow, one level deeper.
    Array(u32),
}

impl<'a> Value<'a> {
    /// Returns the text, if it is one.
    pub fn text(&self) -> Option<ByteStr<'a>> {
        match self {
            Self::Text(text) => Some(*text),
            _ => None,
        }
    }
}

impl Stored for Value<'_> {
    const TYPE: Type = Type::Varying("value", 1);

    fn value(&self) -> Option<Shown<'_>> {
        Some(match self {
            Self::Text(text) | Self::Expression(text) => (*text).into(),
            Self::Float(number) => (*number).into(),
            Self::Int(number) => (*number).into(),
            Self::Long(number) => (*number).into(),
            Self::Array(count) => (*count).into(),
        })
    }
}

/// Returns a parser of a value of this type.
pub(super) fn value<'a>(kind: ValueType) -> impl Fn(Cursor<'a>) -> IResult<Cursor<'a>, Value<'a>, Error> {
    move |input| match kind.0 {
        0 => text_to_nul().map(Value::Text).parse(input),
        1 => le_f32().map(Value::Float).parse(input),
        2 => le_i32().map(Value::Int).parse(input),
        3 => count.map(Value::Array).parse(input),
        4 => text_to_nul().map(Value::Expression).parse(input),
        6 => le_i64().map(Value::Long).parse(input),
        other => Err(input.error(format!("value of unknown type {other}")).into()),
    }
}

/// Parses the count of an array, and checks that the items can fit. Each takes at least two bytes.
fn count(input: Cursor<'_>) -> IResult<Cursor<'_>, u32, Error> {
    let (input, Number(count)) = number(input)?;
    peek(bytes(u64::from(count).saturating_mul(2))).parse(input)?;
    Ok((input, count))
}

/// The items of an array, including those of nested arrays.
#[derive(Clone, Copy, Debug)]
pub struct Array<'a> {
    items: Cursor<'a>,
    count: u32,
}

impl<'a> Array<'a> {
    /// Returns the number of items, without those of nested arrays.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Returns true if it has no items.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns an iterator over all items in order. The items of a nested array follow it.
    pub fn items(&self) -> Items<'a> {
        Items::new(self.items, self.count)
    }
}

/// An item of an [`Array`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Item<'a> {
    /// The number of nested arrays that contain it.
    pub depth: usize,
    /// The value.
    pub value: Value<'a>,
    kind: ValueType,
    /// The offset of the type.
    pub(super) offset: u64,
    /// The number of bytes of type and value, without the items of a nested array.
    bytes: u64,
}

/// An iterator over the items of an [`Array`].
#[derive(Clone, Debug)]
pub struct Items<'a> {
    cursor: Cursor<'a>,
    /// The number of items left in each array that contains the next item.
    left: [u32; MOST_DEPTH],
    /// The number of nested arrays that contain the next item.
    depth: usize,
}

impl<'a> Items<'a> {
    /// Creates an iterator over the `count` items at the cursor, and those of the arrays nested in them.
    fn new(cursor: Cursor<'a>, count: u32) -> Self {
        let mut left = [0; MOST_DEPTH];
        left[0] = count;
        Self { cursor, left, depth: 0 }
    }

    /// Reads the next item. Returns `None` after the last.
    fn step(&mut self) -> Result<Option<Item<'a>>> {
        // Takes one from the innermost array that has items left, and leaves those that have none.
        let depth = loop {
            let Some(left) = self.left.get_mut(self.depth) else { return Ok(None) };
            if let Some(fewer) = left.checked_sub(1) {
                *left = fewer;
                break self.depth;
            }
            let Some(outer) = self.depth.checked_sub(1) else { return Ok(None) };
            self.depth = outer;
        };
        let offset = self.cursor.offset();
        let kind = self.cursor.parse(le_u8().map(ValueType))?;
        let value = self.cursor.parse(value(kind))?;
        if let Value::Array(count) = value {
            self.depth = depth.saturating_add(1);
            let Some(left) = self.left.get_mut(self.depth) else {
                return Err(Error::malformed(format!("arrays in arrays deeper than {MOST_DEPTH}")).at(offset));
            };
            *left = count;
        }
        Ok(Some(Item { depth, value, kind, offset, bytes: self.cursor.offset().saturating_sub(offset) }))
    }
}

impl<'a> Iterator for Items<'a> {
    type Item = Item<'a>;

    /// All items were read before, with the array, so none fails here.
    fn next(&mut self) -> Option<Item<'a>> {
        self.step().ok().flatten()
    }
}

/// Parses a count and the items, each with its type.
pub(super) fn array(input: Cursor<'_>) -> IResult<Cursor<'_>, Array<'_>, Error> {
    let (start, count) = count(input)?;
    let mut items = Items::new(start, count);
    let mut index = Amount(0);
    while items.step().within_index(index.0)?.is_some() {
        index += 1;
    }
    Ok((items.cursor, Array { items: start.up_to(items.cursor), count }))
}

impl Stored for Array<'_> {
    const TYPE: Type = Type::List(&Value::TYPE, 1);

    fn describe_at(&self, _: &'static str, span: Span, out: &mut Outline<'_>) {
        let bytes = self.items.offset().saturating_sub(span.offset);
        Framing(Number(self.count)).describe_at("count", Span { bytes, ..span }, out);
        // The items of nested arrays are in the same list, because the file can nest arrays to any depth.
        out.list("items");
        for (index, item) in self.items().enumerate() {
            if out.is_done() {
                break;
            }
            out.part(Part::item("items", index).spanning(item.offset, item.bytes), |out| item.describe(out));
        }
    }
}

impl Item<'_> {
    /// Describes it: its depth in nested arrays, its type and its value.
    fn describe(&self, out: &mut Outline<'_>) {
        if self.depth > 0 {
            out.field("depth", self.depth);
        }
        self.kind.describe_at("value_type", Span { offset: self.offset, bytes: 1 }, out);
        let span = Span { offset: self.offset.saturating_add(1), bytes: self.bytes.saturating_sub(1) };
        match self.value {
            // Its items follow in the same list, one level deeper.
            Value::Array(count) => {
                out.stored("count", StoredAt::framing(Number::TYPE, span), count);
            }
            value => value.describe_at("value", span, out),
        }
    }
}
