//! The parts of an outline, and its stored fields.

use super::schema::Type;
use crate::base::span::Span;
use crate::base::text::Text;

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
