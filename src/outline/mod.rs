//! Outlines: the parts, fields and arrays of an asset of any format, passed to a [`Visitor`].

mod numbers;
mod schema;
mod sink;

pub(crate) use numbers::{Numbers, next};
pub(crate) use schema::rows_of;
pub use schema::{FieldInfo, Rule, Schema, Type};
pub use sink::{Silent, Sink};

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;

use crate::base::error::{Error, Result};
use crate::base::limits::Limits;
use crate::base::span::Span;
pub use crate::base::text::Text;
use crate::base::text::{AnsiStr, ByteStr, Utf32Str};
use crate::budget::Budget;
#[cfg(any(feature = "rtm", feature = "scan"))]
use crate::bytes::Scalar;
use crate::bytes::Table;
use crate::bytes::batch::to_the_end;

/// A field with its location in the file.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct StoredField {
    /// The field's name.
    pub name: &'static str,
    /// The type of the field.
    pub kind: Type,
    /// The field's byte range.
    pub span: Span,
    /// True for signatures, counts and lengths, whose information an outline shows in other ways.
    pub framing: bool,
}

/// A part of an asset in its outline: a single object, or an item of a list.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Part<'a> {
    /// The name of the part, or of the list that it is an item of.
    pub name: &'static str,
    /// The index in the list, starting at 0.
    pub index: Option<usize>,
    /// The part's name in the file, if it has one. Several parts may share one.
    pub label: Option<Text<'a>>,
    /// The name to show in reports if it differs from the label, such as `Visual 1` for a LOD labelled `1`.
    pub title: Option<&'a str>,
    /// The byte range, if the part is contiguous.
    pub span: Option<Span>,
    /// True if selectors start at this part, even though it is inside other parts.
    pub root: bool,
}

impl<'a> Part<'a> {
    /// Creates a part that exists once.
    pub fn one(name: &'static str) -> Self {
        Self { name, index: None, label: None, title: None, span: None, root: false }
    }

    /// Creates item `index` of the list `name`.
    pub fn item(name: &'static str, index: usize) -> Self {
        Self { index: Some(index), ..Self::one(name) }
    }

    /// Sets the part's name in the file.
    #[must_use]
    pub fn labelled(self, label: impl Into<Text<'a>>) -> Self {
        Self { label: Some(label.into()), ..self }
    }

    /// Sets the name to show in reports.
    #[must_use]
    pub fn titled(self, title: &'a str) -> Self {
        Self { title: Some(title), ..self }
    }

    /// Makes selectors start at this part, wherever it is.
    #[must_use]
    pub fn rooted(self) -> Self {
        Self { root: true, ..self }
    }

    /// Sets the byte range.
    #[must_use]
    pub fn spanning(self, offset: u64, bytes: u64) -> Self {
        Self { span: Some(Span { offset, bytes }), ..self }
    }
}

/// The value of a field.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value<'a> {
    /// The format has the field, but this file does not.
    Absent,
    /// A boolean.
    Bool(bool),
    /// An unsigned number.
    Uint(u64),
    /// A signed number.
    Int(i64),
    /// A floating-point number.
    Float(f32),
    /// A vector, quaternion, color or matrix.
    Floats(Cow<'a, [f32]>),
    /// Several integers.
    Ints(Cow<'a, [i64]>),
    /// A text.
    Text(Text<'a>),
    /// Several texts.
    Texts(Vec<Text<'a>>),
    /// A number, and its meaning if the format defines one for it.
    Coded(i64, Option<Cow<'static, str>>),
    /// Bytes of a structure that the format does not specify, given by their location.
    Opaque(Span),
}

/// Displays the value on one line: numbers separated by spaces, texts quoted with control characters escaped.
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
            Self::Texts(texts) => {
                let texts: Vec<_> = texts.iter().map(|text| format!("\"{text}\"")).collect();
                f.write_str(&texts.join(", "))
            }
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

impl Value<'static> {
    /// Creates the number of this kind that these bytes are, in little-endian order.
    #[cfg(any(feature = "rtm", feature = "scan"))]
    pub fn number(scalar: Scalar, bytes: &[u8]) -> Self {
        let mut wide = [0; 8];
        for (wide, byte) in std::iter::zip(&mut wide, bytes) {
            *wide = *byte;
        }
        let [a, b, c, d, ..] = wide;
        match scalar {
            Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => Self::Uint(u64::from_le_bytes(wide)),
            Scalar::I8 => Self::Int(i8::from_le_bytes([a]).into()),
            Scalar::I16 => Self::Int(i16::from_le_bytes([a, b]).into()),
            Scalar::I32 => Self::Int(i32::from_le_bytes([a, b, c, d]).into()),
            Scalar::F16 => Self::Float(half::f16::from_le_bytes([a, b]).to_f32()),
            Scalar::F32 => Self::Float(f32::from_le_bytes([a, b, c, d])),
        }
    }
}

macro_rules! value_from {
    ($($variant:ident: $($source:ty),*;)*) => {$($(
        impl<'a> From<$source> for Value<'a> {
            fn from(value: $source) -> Self {
                Self::$variant(value.into())
            }
        }
    )*)*};
}

value_from! {
    Bool: bool;
    Uint: u8, u16, u32, u64;
    Int: i8, i16, i32, i64;
    Float: f32;
    Text: ByteStr<'a>, Utf32Str<'a>, AnsiStr<'a>, &'a str;
    Floats: Vec<f32>;
    Ints: Vec<i64>;
}

impl From<usize> for Value<'_> {
    fn from(value: usize) -> Self {
        Self::Uint(value as u64)
    }
}

impl<const N: usize> From<[f32; N]> for Value<'_> {
    fn from(values: [f32; N]) -> Self {
        Self::Floats(values.to_vec().into())
    }
}

impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        match value {
            Some(value) => value.into(),
            None => Self::Absent,
        }
    }
}

/// Receives an outline.
///
/// Names are unique within a part: no two of its fields, child parts and arrays share one. The exception is the items
/// of a list, which follow each other and are numbered from 0. Every method except [`problem`](Self::problem) has a
/// default, and most defaults ignore their input. `problem` is required, so that problems are not lost by accident.
#[allow(unused_variables, reason = "defaults ignore their input")]
pub trait Visitor {
    /// Starts a part. Returns true to visit its contents; only then [`close`](Self::close) follows.
    fn open(&mut self, part: &Part<'_>) -> bool {
        true
    }

    /// Ends the part opened last.
    fn close(&mut self) {}

    /// Starts a list. If none of its parts or arrays follow, it is empty.
    fn list(&mut self, name: &'static str) {}

    /// Receives a field of the part opened last that the file does not store: it follows from others.
    fn field(&mut self, name: &'static str, value: Value<'_>) {}

    /// Receives a field of several texts. Their number is only known after the last.
    fn texts<'t>(&mut self, name: &'static str, texts: &mut dyn Iterator<Item = Text<'t>>) {}

    /// Receives a field of the part opened last that is stored in the file. By default, it is passed to
    /// [`field`](Self::field), or ignored if it is [framing](StoredField::framing).
    fn stored(&mut self, field: &StoredField, value: Value<'_>) {
        if !field.framing {
            self.field(field.name, value);
        }
    }

    /// Receives a stored field of several texts.
    fn stored_texts<'t>(&mut self, field: &StoredField, texts: &mut dyn Iterator<Item = Text<'t>>) {
        self.texts(field.name, texts);
    }

    /// Announces that the next item is not stored directly in the file. It is at this location in the data unpacked
    /// from the surrounding part, whatever location the item itself has.
    fn unpacked(&mut self, span: Span) {}

    /// Announces a rule that the next field must follow.
    fn rule(&mut self, rule: Rule) {}

    /// Returns true if the visitor uses only fields. Arrays that cost a walk over compressed data may then be left out.
    fn skips_arrays(&self) -> bool {
        false
    }

    /// Returns true if the visitor takes each stored field of lists that other visitors get as one array.
    fn dissects(&self) -> bool {
        false
    }

    /// Returns true if the visitor needs no further input.
    fn is_done(&self) -> bool {
        false
    }

    /// Receives an array of the part opened last. The index distinguishes several arrays with that name.
    fn array(&mut self, name: &'static str, index: Option<usize>, table: &dyn Table) {}

    /// Receives an error in the part opened last.
    fn problem(&mut self, error: &Error);
}

/// Passes an outline to a [`Visitor`], with matching open and close calls.
pub struct Outline<'v> {
    visitor: &'v mut dyn Visitor,
    /// `None` if the outline has no size bound.
    bound: Option<&'v Bound>,
}

/// Bounds the outline of one asset in proportion to the asset's size, because a few bytes can describe any number of
/// records.
pub(crate) struct Bound {
    budget: Budget,
    is_met: Cell<bool>,
    /// The error to report once the bound is exceeded.
    unreported: Cell<Option<Error>>,
}

/// The cost of a part, field or array, in bytes of [work](Budget::work).
const ITEM_WORK: u64 = 256;
/// The cost of each text of a list.
const TEXT_WORK: u64 = 32;

impl Bound {
    /// Creates the bound for an asset of this size.
    pub(crate) fn new(bytes: u64, limits: &Limits) -> Self {
        Self { budget: Budget::new(bytes, limits), is_met: Cell::new(false), unreported: Cell::new(None) }
    }

    /// Charges for this work. Returns false if the bound is exceeded.
    fn pay(&self, work: u64) -> bool {
        if !self.is_met.get()
            && let Err(error) = self.budget.work(work)
        {
            self.is_met.set(true);
            self.unreported.set(Some(error));
        }
        !self.is_met.get()
    }
}

impl<'v> Outline<'v> {
    /// Creates an outline for this visitor.
    pub fn new(visitor: &'v mut dyn Visitor) -> Self {
        Self { visitor, bound: None }
    }

    /// Creates an outline that ends with a problem if it exceeds the bound.
    pub(crate) fn within(bound: &'v Bound, visitor: &'v mut dyn Visitor) -> Self {
        Self { visitor, bound: Some(bound) }
    }

    /// Returns true if the visitor takes no further input. Long lists stop then.
    pub fn is_done(&self) -> bool {
        self.bound.is_some_and(|bound| bound.is_met.get()) || self.visitor.is_done()
    }

    /// Charges for one item. Returns false if the bound is exceeded.
    fn pay(&mut self) -> bool {
        let Some(bound) = self.bound else { return true };
        let is_paid = bound.pay(ITEM_WORK);
        self.report_bound();
        is_paid
    }

    /// Reports, once, that the bound is exceeded.
    fn report_bound(&mut self) {
        if let Some(bound) = self.bound
            && let Some(error) = bound.unreported.take()
        {
            self.visitor.problem(&error);
        }
    }

    /// Starts a list. Its parts or arrays follow, if it has any.
    pub fn list(&mut self, name: &'static str) {
        self.visitor.list(name);
    }

    /// Adds a field that follows from others.
    pub fn field<'a>(&mut self, name: &'static str, value: impl Into<Value<'a>>) {
        if self.pay() {
            self.visitor.field(name, value.into());
        }
    }

    /// Adds a field of several texts.
    pub fn texts<'t>(&mut self, name: &'static str, texts: impl IntoIterator<Item = impl Into<Text<'t>>>) {
        if self.pay() {
            let mut texts = paid(self.bound, texts);
            self.visitor.texts(name, &mut texts);
            self.report_bound();
        }
    }

    /// Adds a number and its meaning.
    pub fn coded(&mut self, name: &'static str, raw: impl Into<i64>, meaning: Option<impl Into<Cow<'static, str>>>) {
        self.field(name, Value::Coded(raw.into(), meaning.map(Into::into)));
    }

    /// Adds a field with its location in the file.
    pub fn stored<'a>(&mut self, field: &StoredField, value: impl Into<Value<'a>>) {
        if self.pay() {
            self.visitor.stored(field, value.into());
        }
    }

    /// Adds a field of several texts with its location in the file.
    pub fn stored_texts<'t>(&mut self, field: &StoredField, texts: impl IntoIterator<Item = impl Into<Text<'t>>>) {
        if self.pay() {
            let mut texts = paid(self.bound, texts);
            self.visitor.stored_texts(field, &mut texts);
            self.report_bound();
        }
    }

    /// Sets the location of the next item in the data unpacked from the surrounding part.
    pub fn unpacked(&mut self, span: Span) {
        self.visitor.unpacked(span);
    }

    /// Returns true if the visitor [skips arrays](Visitor::skips_arrays).
    pub(crate) fn skips_arrays(&self) -> bool {
        self.visitor.skips_arrays()
    }

    /// Returns true if the visitor [dissects](Visitor::dissects).
    pub fn dissects(&self) -> bool {
        self.visitor.dissects()
    }

    /// Adds an array.
    pub fn array(&mut self, name: &'static str, table: &dyn Table) {
        if self.pay() {
            self.visitor.array(name, None, table);
        }
    }

    /// Adds one of several arrays with the same name.
    pub fn array_item(&mut self, name: &'static str, index: usize, table: &dyn Table) {
        if self.pay() {
            self.visitor.array(name, Some(index), table);
        }
    }

    /// Adds a part. `inside` adds its contents, and is only called if the visitor wants them.
    pub fn part(&mut self, part: Part<'_>, inside: impl FnOnce(&mut Outline<'_>)) {
        if self.open(&part) {
            inside(self);
            self.close();
        }
    }

    /// Starts a part. Returns true if the visitor wants its contents; only then [`close`](Self::close) must follow. Use
    /// this for parts that nest too deep for recursion.
    pub(crate) fn open(&mut self, part: &Part<'_>) -> bool {
        self.pay() && self.visitor.open(part)
    }

    /// Ends the part opened last.
    pub(crate) fn close(&mut self) {
        self.visitor.close();
    }

    /// Reports an error in the part opened last.
    pub fn problem(&mut self, error: &Error) {
        if self.pay() {
            self.visitor.problem(error);
        }
    }

    /// Returns the value, or reports the error and returns `None`.
    pub fn ok<T>(&mut self, result: Result<T>) -> Option<T> {
        result.inspect_err(|error| self.problem(error)).ok()
    }
}

/// Passes on texts until the bound is exceeded.
fn paid<'t>(
    bound: Option<&Bound>,
    texts: impl IntoIterator<Item = impl Into<Text<'t>>>,
) -> impl Iterator<Item = Text<'t>> {
    let is_paid = move |_: &Text<'t>| bound.is_none_or(|bound| bound.pay(TEXT_WORK));
    texts.into_iter().map(Into::into).take_while(is_paid)
}

/// Returns all rows of a table as one buffer. Use this for small tables, or if the whole table is needed in memory.
///
/// # Errors
/// Returns the errors of [`Table::read`].
pub fn to_bytes(table: &dyn Table) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    table.read(&mut to_the_end(|rows| bytes.extend_from_slice(rows)))?;
    Ok(bytes)
}
