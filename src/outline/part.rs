//! The parts of an outline, their fields and arrays.

use super::schema::{Rule, Type};
use super::value::Value;
use crate::base::span::Span;
use crate::base::text::Text;
use crate::bytes::{Packing, Table};

/// A field of a part.
#[non_exhaustive]
pub struct Field<'a> {
    /// The field's name.
    pub name: &'static str,
    /// The field's value.
    pub value: FieldValue<'a>,
    /// Where and as what the file stores it. `None` if it follows from other fields.
    pub stored: Option<StoredAt>,
    /// Its range in the data unpacked from the surrounding part, if it is not stored directly in the file.
    pub unpacked: Option<Span>,
    /// The rule that the value must follow.
    pub rule: Rule,
    /// True if its bytes belong to fields or arrays that came before.
    pub repeats: bool,
}

/// The value of a field, or its texts.
#[non_exhaustive]
pub enum FieldValue<'a> {
    /// One value.
    One(Value<'a>),
    /// Several texts. Their number is only known after the last.
    Texts(&'a mut dyn Iterator<Item = Text<'a>>),
}

/// Where and as what a field is stored.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct StoredAt {
    /// The type of the field.
    pub kind: Type,
    /// The field's byte range.
    pub span: Span,
    /// True for signatures, counts and lengths, whose information an outline shows in other ways.
    pub framing: bool,
}

impl StoredAt {
    /// Creates the place of a field that outlines show.
    pub(crate) fn new(kind: Type, span: Span) -> Self {
        Self { kind, span, framing: false }
    }

    /// Creates the place of a signature, a count or a length.
    pub(crate) fn framing(kind: Type, span: Span) -> Self {
        Self { kind, span, framing: true }
    }
}

impl<'a> Field<'a> {
    /// Creates a field that follows from others.
    pub(crate) fn derived(name: &'static str, value: FieldValue<'a>) -> Self {
        Self { name, value, stored: None, unpacked: None, rule: Rule::Sound, repeats: false }
    }

    /// Returns true if it has no bytes of its own: it follows from other fields, or repeats their bytes.
    pub fn is_derived(&self) -> bool {
        self.repeats || self.stored.is_none()
    }

    /// Returns true for a signature, a count or a length, whose information an outline shows in other ways.
    pub fn is_framing(&self) -> bool {
        self.stored.is_some_and(|stored| stored.framing)
    }
}

/// An array of a part.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct PartArray<'a> {
    /// The name of the array.
    pub name: &'static str,
    /// Distinguishes several arrays with that name.
    pub index: Option<usize>,
    /// Its range in the data unpacked from the surrounding part, if it is not stored directly in the file.
    pub unpacked: Option<Span>,
    /// Its rows.
    pub table: &'a dyn Table,
    /// True if its bytes belong to fields or arrays that came before.
    pub repeats: bool,
}

impl PartArray<'_> {
    /// Returns true if it has no bytes of its own in a [dissection](crate::Inspect::dissect): it is made from other
    /// fields and arrays, is a column of their records, or repeats their bytes. In an outline that does not dissect,
    /// such an array may be the only one that shows these bytes.
    pub fn is_derived(&self) -> bool {
        self.repeats || matches!(self.table.storage().packing, Packing::Derived | Packing::Strided)
    }
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
    /// Its range in the data unpacked from the surrounding part, if it is not stored directly in the file.
    pub unpacked: Option<Span>,
    /// True if selectors start at this part, even though it is inside other parts.
    pub root: bool,
}

impl<'a> Part<'a> {
    /// Creates a part that exists once.
    pub fn one(name: &'static str) -> Self {
        Self { name, index: None, label: None, title: None, span: None, unpacked: None, root: false }
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
