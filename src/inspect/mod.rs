//! What every format can be asked, whichever it is.
//!
//! A format answers five questions ([`Inspect`]). The widest is [`outline`](Inspect::outline): it tells a [`Visitor`]
//! every part, field and array of the asset, from which a program makes a JSON document, a list of arrays to dump or a
//! check that everything can be read, knowing no format.

pub mod array;
mod layout;
pub mod selector;
mod sink;

pub use array::Array;
#[cfg(any(feature = "b3d", feature = "bmx", feature = "mlod", feature = "pbo", feature = "zip"))]
pub(crate) use layout::brief;
#[cfg(any(feature = "b3d", feature = "mlod"))]
pub(crate) use layout::rows;
pub(crate) use layout::title;
#[cfg(any(feature = "bmx", feature = "zip"))]
pub(crate) use layout::zip_directory;
pub use layout::{Region, RegionKind, outlined};
pub use selector::Selector;
pub use sink::{Silent, Sink};

use std::borrow::Cow;
use std::fmt;

use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::limits::Limits;
use crate::named::named;
use crate::sealed::Sealed;
use crate::summary::{Name, Problems, Summary};
use crate::view::batch::to_the_end;
use crate::view::record::Type;
use crate::view::{ByteStr, Table, Utf32Str};

named! {
    /// How closely an asset is looked at. Each depth finds what those before it find.
    #[derive(PartialOrd, Ord, Default)]
    #[non_exhaustive]
    pub enum Depth {
        /// What its header and tables alone tell: a count that they leave open is absent, references and blocks are those
        /// that were met there. Touches the fewest pages.
        ///
        /// | format | counts | reads |
        /// | --- | --- | --- |
        /// | b3d | textures, brushes; the references | TEXS, BRUS and the headers of the chunks beside them |
        /// | bmx | objects, meshes, materials, textures | `index.bm`, which it unpacks; the zip's directory |
        /// | lodka | models, animations, meshes, light schemes, collider sets | the headers of the chunks |
        /// | odol | LODs, bones, animations; the bounds | the header; of version 7 all LODs, behind which it lies |
        /// | bmtr, rtm | all | up to the first frame |
        /// | mlod | LODs | the header |
        /// | pbo, zip | all, and the blocks | the directory |
        Header = "header",
        /// What can be told without decoding: every record is read once, and a compressed stream walked where only that finds
        /// its end. Linear in the file for b3d, lodka, odol, mlod and both kinds of rtm, in the directory for pbo and zip; of a
        /// Ballance map the tables are inflated, and kept.
        #[default]
        Summary = "summary",
        /// Every block decoded, one at a time, and every index checked: linear in what the file unpacks to.
        Verify = "verify",
    }
}

impl Depth {
    /// Every depth, the shallowest first.
    pub const ALL: &[Self] = &[Self::Header, Self::Summary, Self::Verify];
}

/// An opened asset of any format.
pub trait Inspect: Sealed + Send + Sync {
    /// Its format, the limits that it was opened with and its size in bytes.
    fn about(&self) -> (Format, &Limits, u64);

    /// Its format.
    fn format(&self) -> Format {
        self.about().0
    }

    /// The limits that it was opened with.
    fn limits(&self) -> Limits {
        *self.about().1
    }

    /// How many bytes the asset has.
    fn size(&self) -> u64 {
        self.about().2
    }

    /// Looks at it so closely: the facts, without problems, and beside them what is wrong, as far as the
    /// [budget](Problems::budget) goes. Allocates for the answer; [`Depth::Verify`] for each block that it decodes, one
    /// after the other. Linear in what the depth reads.
    fn survey(&self, depth: Depth, problems: &mut Problems) -> Summary;

    /// The facts that its header and tables tell, at the cost of [`Depth::Header`].
    fn summarize_header(&self) -> Summary {
        summary(self, Depth::Header)
    }

    /// The facts that can be had without decoding anything, at the cost of [`Depth::Summary`]. What is counted is told by
    /// [`Format::count_names`].
    fn summarize(&self) -> Summary {
        summary(self, Depth::Summary)
    }

    /// Decodes every block and checks every index and bound, at the cost of [`Depth::Verify`]. Adds what it finds, everything in
    /// [`summarize`](Self::summarize)'s problems included.
    fn verify(&self, problems: &mut Problems) {
        self.survey(Depth::Verify, problems);
    }

    /// Tells every part, field and array, in the order of the file where it has one.
    fn outline(&self, out: &mut Outline<'_>);

    /// The same in the order of the file and nested as the file is, counts and signatures included, so that every byte
    /// has a name. For a visitor that [dissects](Visitor::dissects).
    fn dissect(&self, out: &mut Outline<'_>) {
        self.outline(out);
    }

    /// Tells where everything lies: each part before what is inside it, in the order of the file, and what lies between.
    ///
    /// What has no row inside it is a leaf, and the leaves cover every byte. Of absurdly many rows (over half a million
    /// inside one part) the order is that of [`regions`](Self::regions).
    fn layout(&self, sink: &mut dyn FnMut(Region<'_>)) {
        let mut layout = layout::Layout::new(self.size(), sink);
        self.regions(&mut |region| layout.add(region));
        layout.finish();
    }

    /// Tells the rows of a layout without gaps, parts before what is inside them, in whatever order is at hand.
    ///
    /// Where a format does not say otherwise, these are the parts and arrays of its outline.
    fn regions(&self, sink: &mut dyn FnMut(Region<'_>)) {
        outlined(&|out| self.outline(out), sink);
    }

    /// The names of the byte streams that identify the asset's content.
    fn digest_names(&self) -> &'static [&'static str] {
        &[]
    }

    /// Hands out the byte stream of one of the [`digest_names`](Self::digest_names): decoded, little-endian, in order.
    ///
    /// # Errors
    /// Where a part of it cannot be read or decoded, the budget does not allow it, or the name is none of them.
    fn digest(&self, name: &str, budget: &Budget, sink: &mut dyn FnMut(&[u8])) -> Result<()> {
        let _ = (budget, sink);
        Err(no_digest(self.format(), name))
    }

    /// Hands out several of these streams, each in its order, the sink being told its place among the names: what they
    /// have in common is read once. How each ended.
    fn digests(&self, names: &[&str], budget: &Budget, sink: &mut dyn FnMut(usize, &[u8])) -> Vec<Result<()>> {
        let digest = |(place, name): (usize, &&str)| self.digest(name, budget, &mut |bytes| sink(place, bytes));
        names.iter().enumerate().map(digest).collect()
    }

    /// The bytes that it decodes for itself when they are first asked for, and keeps: the tables of a map. 0 for all
    /// other formats.
    fn kept_bytes(&self) -> u64 {
        0
    }
}

/// The error of a digest that the format does not have.
#[cold]
pub(crate) fn no_digest(format: Format, name: &str) -> Error {
    Error::unsupported(format!("{format} has no digest `{name}`"))
}

fn summary<A: Inspect + ?Sized>(asset: &A, depth: Depth) -> Summary {
    let mut problems = Problems::new(&asset.limits());
    let summary = asset.survey(depth, &mut problems);
    Summary { problems: problems.into_vec(), ..summary }
}

/// A range of bytes, counted from the start of the asset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Span {
    /// The first byte.
    pub offset: u64,
    /// How many.
    pub bytes: u64,
}

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
    /// Where it lies, where it lies in one piece.
    pub span: Option<Span>,
    /// Whether selectors start anew with it, though it lies in others.
    pub root: bool,
}

impl<'a> Part<'a> {
    /// A part that is there once.
    pub fn one(name: &'static str) -> Self {
        Self { name, index: None, label: None, span: None, root: false }
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
    Ansi(crate::lodka::AnsiStr<'a>),
}

impl Text<'_> {
    /// Whether it has no character.
    pub fn is_empty(&self) -> bool {
        self.stored_byte_len() == 0
    }

    /// The bytes it takes where it is stored.
    pub fn stored_byte_len(&self) -> usize {
        match self {
            Self::Bytes(text) => text.len(),
            Self::Utf32(text) => text.as_bytes().len(),
            #[cfg(feature = "lodka")]
            Self::Ansi(text) => text.len(),
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
                Self::Bytes(text) => Self::Ansi(crate::lodka::AnsiStr::new(text.as_bytes())),
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

    /// Whether it wants each stored field of lists that others are told as one array.
    fn dissects(&self) -> bool {
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
}

impl<'v> Outline<'v> {
    /// An outline for this visitor.
    pub fn new(visitor: &'v mut dyn Visitor) -> Self {
        Self { visitor }
    }

    /// A field.
    pub fn field<'a>(&mut self, name: &'static str, value: impl Into<Value<'a>>) {
        self.visitor.field(name, value.into());
    }

    /// A field of several texts.
    pub fn texts<'t>(&mut self, name: &'static str, texts: impl IntoIterator<Item = impl Into<Text<'t>>>) {
        self.visitor.texts(name, &mut texts.into_iter().map(Into::into));
    }

    /// A number and what it means.
    pub fn coded(&mut self, name: &'static str, raw: impl Into<i64>, meaning: Option<impl Into<Cow<'static, str>>>) {
        self.visitor.field(name, Value::Coded(raw.into(), meaning.map(Into::into)));
    }

    /// A field with its place in the file.
    pub fn stored<'a>(&mut self, field: &StoredField, value: impl Into<Value<'a>>) {
        self.visitor.stored(field, value.into());
    }

    /// A field of several texts with its place in the file.
    pub fn stored_texts<'t>(&mut self, field: &StoredField, texts: impl IntoIterator<Item = impl Into<Text<'t>>>) {
        self.visitor.stored_texts(field, &mut texts.into_iter().map(Into::into));
    }

    /// Whether the visitor [dissects](Visitor::dissects).
    pub fn dissects(&self) -> bool {
        self.visitor.dissects()
    }

    /// An array.
    pub fn array(&mut self, name: &'static str, table: &dyn Table) {
        self.visitor.array(name, None, table);
    }

    /// One of several arrays of the same name.
    pub fn array_item(&mut self, name: &'static str, index: usize, table: &dyn Table) {
        self.visitor.array(name, Some(index), table);
    }

    /// A part and what is inside it, which is only worked out if the visitor wants it.
    pub fn part(&mut self, part: Part<'_>, inside: impl FnOnce(&mut Outline<'_>)) {
        if self.open(&part) {
            inside(&mut Outline { visitor: self.visitor });
            self.close();
        }
    }

    /// A part begins; whether the visitor wants what is inside. Only if so, [`close`](Self::close) follows. For parts
    /// that nest deeper than calls should.
    pub(crate) fn open(&mut self, part: &Part<'_>) -> bool {
        self.visitor.open(part)
    }

    /// The part opened last ends.
    pub(crate) fn close(&mut self) {
        self.visitor.close();
    }

    /// Something here cannot be read.
    pub fn problem(&mut self, error: &Error) {
        self.visitor.problem(error);
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

/// All rows of a table as one piece: for tables that are small, or that somebody wants whole.
///
/// # Errors
/// As [`Table::read`].
pub fn to_bytes(table: &dyn Table) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    table.read(&mut to_the_end(|rows| bytes.extend_from_slice(rows)))?;
    Ok(bytes)
}
