//! The parts, fields and arrays of an asset, whatever its format, and who visits them.

mod schema;
mod sink;

pub use schema::{FieldInfo, Rule, Schema, Type};
pub use sink::{Silent, Sink};

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;

use crate::base::error::{Error, Result};
use crate::base::limits::Limits;
use crate::base::span::Span;
#[cfg(feature = "lodka")]
use crate::base::text::AnsiStr;
use crate::base::text::{ByteStr, Name, Utf32Str};
use crate::budget::Budget;
use crate::bytes::Table;
use crate::bytes::batch::to_the_end;

/// A field with its place in the file.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct StoredField {
    /// Its name.
    pub name: &'static str,
    /// What it is made of.
    pub kind: Type,
    /// Where it lies.
    pub span: Span,
    /// Whether it only holds the file together: signatures, counts and lengths, which outlines tell otherwise.
    pub framing: bool,
}

/// A part of an asset in its outline: an object, or an item of a list.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Part<'a> {
    /// Its name, or that of its list.
    pub name: &'static str,
    /// Its place in its list, counted from 0.
    pub index: Option<usize>,
    /// Its own name in the file, where it has one; several may share one.
    pub label: Option<Text<'a>>,
    /// The name that reports show, where it is another: `Visual 1` of a LOD labelled `1`.
    pub title: Option<&'a str>,
    /// Where it lies, where it lies in one piece.
    pub span: Option<Span>,
    /// Whether selectors start anew with it, though it lies in others.
    pub root: bool,
}

impl<'a> Part<'a> {
    /// A part that is there once.
    pub fn one(name: &'static str) -> Self {
        Self { name, index: None, label: None, title: None, span: None, root: false }
    }

    /// Item `index` of the list `name`.
    pub fn item(name: &'static str, index: usize) -> Self {
        Self { index: Some(index), ..Self::one(name) }
    }

    /// The same with its own name in the file.
    #[must_use]
    pub fn labelled(self, label: impl Into<Text<'a>>) -> Self {
        Self { label: Some(label.into()), ..self }
    }

    /// The same with the name that reports show.
    #[must_use]
    pub fn titled(self, title: &'a str) -> Self {
        Self { title: Some(title), ..self }
    }

    /// The same as one that selectors start with, wherever it lies.
    #[must_use]
    pub fn rooted(self) -> Self {
        Self { root: true, ..self }
    }

    /// The same with its place in the file.
    #[must_use]
    pub fn spanning(self, offset: u64, bytes: u64) -> Self {
        Self { span: Some(Span { offset, bytes }), ..self }
    }
}

/// A text as it is stored, borrowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Text<'a> {
    /// Bytes of an encoding that the file does not tell.
    Bytes(ByteStr<'a>),
    /// UTF-32 code points.
    Utf32(Utf32Str<'a>),
    /// Bytes in the code page of their writer, which the file does not tell but the format makes likely.
    #[cfg(feature = "lodka")]
    Ansi(AnsiStr<'a>),
}

impl Text<'_> {
    /// Whether it has no character.
    pub fn is_empty(&self) -> bool {
        self.stored_byte_len() == 0
    }

    /// The number of bytes that the text takes in the file.
    pub fn stored_byte_len(&self) -> usize {
        self.as_bytes().len()
    }

    /// The bytes as stored: of UTF-32 four for each code point, little-endian.
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Bytes(text) => text.as_bytes(),
            Self::Utf32(text) => text.as_bytes(),
            #[cfg(feature = "lodka")]
            Self::Ansi(text) => text.as_bytes(),
        }
    }

    /// The bytes as stored, those that are not UTF-8 written as `\xNN`, where the text is shown in another reading of
    /// them. Allocates.
    pub fn to_raw(&self) -> Option<String> {
        match self {
            #[cfg(feature = "lodka")]
            Self::Ansi(text) => {
                let (raw, lossy) = text.to_text_or_lossy();
                lossy.then_some(raw)
            }
            _ => None,
        }
    }

    /// Its beginning, if it takes more than so many bytes. Cuts between characters where there are any.
    #[must_use]
    pub fn cut(self, most_bytes: usize) -> Self {
        match self {
            Self::Bytes(text) => match text.as_bytes().split_at_checked(most_bytes) {
                None => self,
                Some((head, behind)) => {
                    // Up to three bytes that go on with a character begun before.
                    let inside = behind.first().is_some_and(|byte| byte & 0xc0 == 0x80);
                    let start = head.iter().rev().take(4).position(|byte| byte & 0xc0 != 0x80).filter(|_| inside);
                    let end = start.map_or(head.len(), |start| head.len().saturating_sub(start).saturating_sub(1));
                    Self::Bytes(ByteStr::new(head.get(..end).unwrap_or(head)))
                }
            },
            Self::Utf32(text) => match text.as_units().get(..most_bytes.checked_div(4).unwrap_or(0)) {
                Some(head) => Self::Utf32(Utf32Str::new(head)),
                None => self,
            },
            #[cfg(feature = "lodka")]
            Self::Ansi(text) => match Text::Bytes(text.into()).cut(most_bytes) {
                Self::Bytes(text) => Self::Ansi(AnsiStr::new(text.as_bytes())),
                other => other,
            },
        }
    }
}

/// Escapes what could move a terminal's cursor, as its two kinds do.
impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(text) => text.fmt(f),
            Self::Utf32(text) => text.fmt(f),
            #[cfg(feature = "lodka")]
            Self::Ansi(text) => text.fmt(f),
        }
    }
}

impl<'a> From<ByteStr<'a>> for Text<'a> {
    fn from(text: ByteStr<'a>) -> Self {
        Self::Bytes(text)
    }
}

impl<'a> From<Utf32Str<'a>> for Text<'a> {
    fn from(text: Utf32Str<'a>) -> Self {
        Self::Utf32(text)
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Self::Bytes(text.into())
    }
}

impl From<Text<'_>> for Name {
    fn from(text: Text<'_>) -> Self {
        match text {
            Text::Bytes(text) => text.into(),
            Text::Utf32(text) => text.into(),
            #[cfg(feature = "lodka")]
            Text::Ansi(text) => text.into(),
        }
    }
}

/// The value of a field.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Value<'a> {
    /// The format has the field, the file does not.
    Absent,
    /// Yes or no.
    Bool(bool),
    /// A number that cannot be negative.
    Uint(u64),
    /// A number that can be negative.
    Int(i64),
    /// One measure.
    Float(f32),
    /// A vector, quaternion, color or matrix.
    Floats(Cow<'a, [f32]>),
    /// A few numbers.
    Ints(Cow<'a, [i64]>),
    /// A text.
    Text(Text<'a>),
    /// A number with the meaning that the format gives it, where it gives one.
    Coded(i64, Option<Cow<'static, str>>),
    /// Bytes of a form that the format leaves open; told by their place.
    Opaque(Span),
}

/// Shows the value in one line: numbers separated by spaces, a text in quotes with control characters escaped.
impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent => f.write_str("absent"),
            Self::Bool(value) => value.fmt(f),
            Self::Uint(value) => value.fmt(f),
            Self::Int(value) | Self::Coded(value, None) => value.fmt(f),
            Self::Coded(value, Some(meaning)) => write!(f, "{value} {meaning}"),
            Self::Float(value) => value.fmt(f),
            Self::Floats(values) => each(values.iter(), f),
            Self::Ints(values) => each(values.iter(), f),
            Self::Text(text) => write!(f, "\"{text}\""),
            Self::Opaque(span) => write!(f, "{} bytes at {:#x}", span.bytes, span.offset),
        }
    }
}

fn each(values: impl Iterator<Item = impl fmt::Display>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (index, value) in values.enumerate() {
        write!(f, "{}{value}", if index > 0 { " " } else { "" })?;
    }
    Ok(())
}

macro_rules! value_from {
    ($($source:ty => |$value:ident| $result:expr;)*) => {$(
        impl<'a> From<$source> for Value<'a> {
            fn from($value: $source) -> Self {
                $result
            }
        }
    )*};
}

value_from! {
    bool => |value| Self::Bool(value);
    u8 => |value| Self::Uint(value.into());
    u16 => |value| Self::Uint(value.into());
    u32 => |value| Self::Uint(value.into());
    u64 => |value| Self::Uint(value);
    usize => |value| Self::Uint(value as u64);
    i8 => |value| Self::Int(value.into());
    i16 => |value| Self::Int(value.into());
    i32 => |value| Self::Int(value.into());
    i64 => |value| Self::Int(value);
    f32 => |value| Self::Float(value);
    ByteStr<'a> => |value| Self::Text(value.into());
    Utf32Str<'a> => |value| Self::Text(value.into());
    &'a str => |value| Self::Text(value.into());
    Vec<f32> => |value| Self::Floats(value.into());
    Vec<i64> => |value| Self::Ints(value.into());
}

impl<const N: usize> From<[f32; N]> for Value<'_> {
    fn from(values: [f32; N]) -> Self {
        Self::Floats(values.to_vec().into())
    }
}

impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Absent, Into::into)
    }
}

/// Takes in an outline.
///
/// What is told of one part goes by names: no two of its fields, parts and arrays share one, apart from the items of a
/// list, which are told one behind the other, numbered from 0. What a visitor has no method for it passes over, but for
/// problems: these nobody should miss unawares.
pub trait Visitor {
    /// A part begins; whether to tell what is inside. Only if so, [`close`](Self::close) follows.
    fn open(&mut self, part: &Part<'_>) -> bool {
        let _ = part;
        true
    }

    /// The part opened last ends.
    fn close(&mut self) {}

    /// A field of the part opened last.
    fn field(&mut self, name: &'static str, value: Value<'_>) {
        let _ = (name, value);
    }

    /// A field of several texts; how many is only known behind the last.
    fn texts<'t>(&mut self, name: &'static str, texts: &mut dyn Iterator<Item = Text<'t>>) {
        let _ = (name, texts);
    }

    /// A field of the part opened last that lies in the file as such. Where this is not overridden, it is told as any
    /// other, or not at all where it is [framing](StoredField::framing).
    fn stored(&mut self, field: &StoredField, value: Value<'_>) {
        if !field.framing {
            self.field(field.name, value);
        }
    }

    /// The same of several texts.
    fn stored_texts<'t>(&mut self, field: &StoredField, texts: &mut dyn Iterator<Item = Text<'t>>) {
        self.texts(field.name, texts);
    }

    /// What is told next has no bytes of its own: it lies here in the data unpacked from the part around.
    fn unpacked(&mut self, span: Span) {
        let _ = span;
    }

    /// The field that follows is held to this rule.
    fn rule(&mut self, rule: Rule) {
        let _ = rule;
    }

    /// Whether it wants fields only: arrays that cost a walk over compressed data may be left out.
    fn skips_arrays(&self) -> bool {
        false
    }

    /// Whether it wants each stored field of lists that others are told as one array.
    fn dissects(&self) -> bool {
        false
    }

    /// Whether it wants nothing more.
    fn is_done(&self) -> bool {
        false
    }

    /// An array of the part opened last; with an index, one of several of that name.
    fn array(&mut self, name: &'static str, index: Option<usize>, table: &dyn Table) {
        let _ = (name, index, table);
    }

    /// Something of the part opened last cannot be read.
    fn problem(&mut self, error: &Error);
}

/// Tells a [`Visitor`] what there is; keeps opening and closing in step.
pub struct Outline<'v> {
    visitor: &'v mut dyn Visitor,
    /// `None` where nothing is counted.
    bound: Option<&'v Bound>,
}

/// How much may be told of one asset, which is in proportion to its bytes: a few of them may stand for any number of
/// records.
pub(crate) struct Bound {
    budget: Budget,
    is_met: Cell<bool>,
    /// What has not been told of that.
    untold: Cell<Option<Error>>,
}

/// What it costs to tell a part, field or array, in bytes of [work](Budget::work).
const TELLING: u64 = 256;
/// The same of each text of a list.
const TELLING_A_TEXT: u64 = 32;

impl Bound {
    /// The bound of an asset of this size.
    pub(crate) fn new(bytes: u64, limits: &Limits) -> Self {
        Self { budget: Budget::new(bytes, limits), is_met: Cell::new(false), untold: Cell::new(None) }
    }

    /// Whether so much may still be told.
    fn pay(&self, work: u64) -> bool {
        if !self.is_met.get()
            && let Err(error) = self.budget.work(work)
        {
            self.is_met.set(true);
            self.untold.set(Some(error));
        }
        !self.is_met.get()
    }
}

impl<'v> Outline<'v> {
    /// An outline for this visitor.
    pub fn new(visitor: &'v mut dyn Visitor) -> Self {
        Self { visitor, bound: None }
    }

    /// The same as long as the bound allows; then a problem, and nothing more.
    pub(crate) fn within(bound: &'v Bound, visitor: &'v mut dyn Visitor) -> Self {
        Self { visitor, bound: Some(bound) }
    }

    /// Whether nothing more will be told: long lists end there.
    pub fn is_done(&self) -> bool {
        self.bound.is_some_and(|bound| bound.is_met.get()) || self.visitor.is_done()
    }

    /// Pays for one thing to tell; whether there is enough.
    fn pay(&mut self) -> bool {
        let is_paid = self.bound.is_none_or(|bound| bound.pay(TELLING));
        self.tell_bound();
        is_paid
    }

    /// Tells, once, that the bound was met.
    fn tell_bound(&mut self) {
        if let Some(error) = self.bound.and_then(|bound| bound.untold.take()) {
            self.visitor.problem(&error);
        }
    }

    /// A field.
    pub fn field<'a>(&mut self, name: &'static str, value: impl Into<Value<'a>>) {
        if self.pay() {
            self.visitor.field(name, value.into());
        }
    }

    /// A field of several texts.
    pub fn texts<'t>(&mut self, name: &'static str, texts: impl IntoIterator<Item = impl Into<Text<'t>>>) {
        if self.pay() {
            let mut texts = paid(self.bound, texts);
            self.visitor.texts(name, &mut texts);
            self.tell_bound();
        }
    }

    /// A number and what it means.
    pub fn coded(&mut self, name: &'static str, raw: impl Into<i64>, meaning: Option<impl Into<Cow<'static, str>>>) {
        if self.pay() {
            self.visitor.field(name, Value::Coded(raw.into(), meaning.map(Into::into)));
        }
    }

    /// A field with its place in the file.
    pub fn stored<'a>(&mut self, field: &StoredField, value: impl Into<Value<'a>>) {
        if self.pay() {
            self.visitor.stored(field, value.into());
        }
    }

    /// A field of several texts with its place in the file.
    pub fn stored_texts<'t>(&mut self, field: &StoredField, texts: impl IntoIterator<Item = impl Into<Text<'t>>>) {
        if self.pay() {
            let mut texts = paid(self.bound, texts);
            self.visitor.stored_texts(field, &mut texts);
            self.tell_bound();
        }
    }

    /// The place of what is told next in the data unpacked from the part around.
    pub fn unpacked(&mut self, span: Span) {
        self.visitor.unpacked(span);
    }

    /// Holds the field that follows to a rule.
    pub(crate) fn rule(&mut self, rule: Rule) {
        if rule != Rule::Sound {
            self.visitor.rule(rule);
        }
    }

    /// Whether the visitor [wants no arrays](Visitor::skips_arrays).
    pub(crate) fn skips_arrays(&self) -> bool {
        self.visitor.skips_arrays()
    }

    /// Whether the visitor [dissects](Visitor::dissects).
    pub fn dissects(&self) -> bool {
        self.visitor.dissects()
    }

    /// An array.
    pub fn array(&mut self, name: &'static str, table: &dyn Table) {
        if self.pay() {
            self.visitor.array(name, None, table);
        }
    }

    /// One of several arrays of the same name.
    pub fn array_item(&mut self, name: &'static str, index: usize, table: &dyn Table) {
        if self.pay() {
            self.visitor.array(name, Some(index), table);
        }
    }

    /// A part and what is inside it, which is only worked out if the visitor wants it.
    pub fn part(&mut self, part: Part<'_>, inside: impl FnOnce(&mut Outline<'_>)) {
        if self.open(&part) {
            inside(&mut Outline { visitor: self.visitor, bound: self.bound });
            self.close();
        }
    }

    /// A part begins; whether the visitor wants what is inside. Only if so, [`close`](Self::close) follows. For parts
    /// that nest deeper than calls should.
    pub(crate) fn open(&mut self, part: &Part<'_>) -> bool {
        self.pay() && self.visitor.open(part)
    }

    /// The part opened last ends.
    pub(crate) fn close(&mut self) {
        self.visitor.close();
    }

    /// Something here cannot be read.
    pub fn problem(&mut self, error: &Error) {
        if self.pay() {
            self.visitor.problem(error);
        }
    }

    /// Takes the value, or tells the error and goes on without.
    pub fn ok<T>(&mut self, result: Result<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.problem(&error);
                None
            }
        }
    }
}

/// As many texts as there is enough for.
fn paid<'t>(
    bound: Option<&Bound>,
    texts: impl IntoIterator<Item = impl Into<Text<'t>>>,
) -> impl Iterator<Item = Text<'t>> {
    let is_paid = move |_: &Text<'t>| bound.is_none_or(|bound| bound.pay(TELLING_A_TEXT));
    texts.into_iter().map(Into::into).take_while(is_paid)
}

/// All rows of a table as one piece: for tables that are small, or that somebody wants whole.
///
/// # Errors
/// As [`Table::read`].
pub fn to_bytes(table: &dyn Table) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    table.read(&mut to_the_end(|rows| bytes.extend_from_slice(rows)))?;
    Ok(bytes)
}
