//! Names of bones, metadata and properties.

use nom::Parser as _;

use super::wire::FixedName;
use crate::base::span::Span;
use crate::base::text::ByteStr;
use crate::bytes::LeArray;
use crate::bytes::parser::bytes;
use crate::outline::Type;
use crate::record::codes::codes;
use crate::record::parser::{Grammar, le_i32, le_u8, stored_as, text_to_nul};
use crate::record::{List, Stored, grammar};

/// Consecutive names.
#[derive(Clone, Copy, Debug)]
pub enum Names<'a> {
    /// NUL-terminated.
    Closed(List<'a, ByteStr<'a>>),
    /// In fields of 32 bytes.
    Fixed(LeArray<'a, FixedName>),
}

impl<'a> Names<'a> {
    /// Returns the number of names.
    pub fn len(&self) -> usize {
        match self {
            Self::Closed(texts) => texts.len(),
            Self::Fixed(fields) => fields.len(),
        }
    }

    /// Returns true if there are no names.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns an iterator over all names.
    pub fn iter(&self) -> impl Iterator<Item = ByteStr<'a>> + Clone + use<'a> {
        // One of the two is empty.
        let (closed, fixed) = match self {
            Self::Closed(texts) => (Some(texts.iter()), LeArray::default()),
            Self::Fixed(fields) => (None, *fields),
        };
        closed.into_iter().flatten().chain(fixed.iter().map(FixedName::text))
    }

    /// Returns an iterator over all names with their locations, which include the NUL or are the whole field.
    pub(super) fn spanned(&self) -> impl Iterator<Item = (ByteStr<'a>, Span)> + use<'a> {
        let is_fixed = matches!(self, Self::Fixed(_));
        // `next` is the offset of the next name.
        self.iter().scan(self.offset(), move |next, name| {
            let closed_bytes = (name.len() as u64).saturating_add(1);
            let bytes = if is_fixed { size_of::<FixedName>() as u64 } else { closed_bytes };
            let offset = *next;
            *next = offset.saturating_add(bytes);
            Some((name, Span { offset, bytes }))
        })
    }

    /// Returns the name at `index`. Skips those before it if they vary in length.
    pub fn get(&self, index: usize) -> Option<ByteStr<'a>> {
        match self {
            Self::Closed(texts) => texts.get(index),
            Self::Fixed(fields) => Some(fields.get(index)?.text()),
        }
    }

    /// Returns the offset of the first name.
    pub fn offset(&self) -> u64 {
        match self {
            Self::Closed(texts) => texts.offset(),
            Self::Fixed(fields) => fields.offset(),
        }
    }

    /// Returns the size of all names, including NULs.
    pub fn byte_len(&self) -> u64 {
        match self {
            Self::Closed(texts) => texts.byte_len(),
            Self::Fixed(fields) => fields.as_bytes().len() as u64,
        }
    }
}

codes! {
    /// The kind of a property in BMTR files: -1 if it follows from the name.
    PropertyId(i32) { -1 "none", 0 "StepSound" }
}

grammar! {
    /// An event in an animation at a given phase, such as a sound.
    Property<'a> named name {
        /// Kind of property.
        #[label("default")] id: PropertyId = le_i32().map(PropertyId),
        /// Its name, such as `StepSound`.
        #[label("name")] name: ByteStr<'a> = text_to_nul(),
        /// Its time: 0 at the first frame, 1 at the end.
        #[rule(Range(0, 1))]
        #[label("frame_time")] phase: f32,
        /// Its value; often empty.
        #[label("value")] value: ByteStr<'a> = text_to_nul(),
    }
}

grammar! {
    /// A [`Property`] of a plain file.
    PlainProperty<'a> named name {
        /// Its time: 0 at the first frame, 1 at the end.
        #[rule(Range(0, 1))]
        phase: f32,
        /// Its name, such as `StepSound`.
        name: ByteStr<'a> = short_text(),
        /// Its value; often empty.
        value: ByteStr<'a> = short_text(),
    }
}

/// The stored form of a text after its length in one byte.
enum ShortText {}

impl Stored for ShortText {
    const TYPE: Type = Type::Varying("text with u8 length", 1);
}

/// Returns a parser of a text after its length in one byte.
fn short_text<'a>() -> impl Grammar<'a, Output = ByteStr<'a>> {
    stored_as::<ShortText, _>(le_u8().flat_map(|length| bytes(length.into())).map(ByteStr::new))
}
