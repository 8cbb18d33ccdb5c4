//! What every format can be asked, whichever it is.
//!
//! A format answers five questions ([`Inspect`]). The widest is [`outline`](Inspect::outline): it tells a [`Visitor`]
//! every part, field and array of the asset, from which a program makes a JSON document, a list of arrays to dump or a
//! check that everything can be read, knowing no format.

use std::borrow::Cow;
use std::ops::ControlFlow;

use crate::error::{Error, Result};
use crate::summary::{Name, Problems, Summary};
use crate::view::{ByteStr, Packing, Storage, Table, Utf32Str};

/// An opened asset of any format.
pub trait Inspect {
    /// The facts that can be had without decoding anything. Allocates for the answer only.
    fn summarize(&self) -> Summary;

    /// Decodes every block and checks every index and bound; adds what it finds, everything in
    /// [`summarize`](Self::summarize)'s problems included.
    fn verify(&self, problems: &mut Problems);

    /// Tells every part, field and array, in the order of the file where it has one.
    fn outline(&self, out: &mut Outline<'_>);

    /// Tells where the structure lies in the file, each part before the parts inside it.
    ///
    /// Where a format does not say otherwise, these are the parts and arrays of its outline.
    fn layout(&self, sink: &mut dyn FnMut(Region<'_>)) {
        self.outline(&mut Outline::new(&mut LayoutVisitor { depth: 0, sink }));
    }

    /// The names of the byte streams that identify the asset's content.
    fn digest_names(&self) -> &'static [&'static str];

    /// Hands out the byte stream of one of the [`digest_names`](Self::digest_names): decoded, little-endian, in order.
    ///
    /// # Errors
    /// Where a part of it cannot be read or decoded, or the name is none of them.
    fn digest(&self, name: &str, sink: &mut dyn FnMut(&[u8])) -> Result<()>;
}

/// One line of a [layout](Inspect::layout).
#[derive(Clone, Debug)]
pub struct Region<'a> {
    /// How many parts it lies in.
    pub depth: usize,
    /// What it is: a chunk's tag, or the name of a part or array.
    pub name: Cow<'a, str>,
    /// What more can be said of it in a few words; often empty.
    pub note: Cow<'a, str>,
    /// Its first byte, counted from the start of the asset.
    pub offset: u64,
    /// How many bytes it takes.
    pub bytes: u64,
}

/// A range of bytes, counted from the start of the asset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// The first byte.
    pub offset: u64,
    /// How many.
    pub bytes: u64,
}

/// A part of an asset in its outline: an object, or an item of a list.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its name, or that of its list.
    pub name: &'static str,
    /// Its place in its list, counted from 0.
    pub index: Option<usize>,
    /// Its own name in the file, where it has one; several may share one.
    pub label: Option<Name>,
    /// Where it lies, where it lies in one piece.
    pub span: Option<Span>,
}

impl Part {
    /// A part that is there once.
    pub fn one(name: &'static str) -> Self {
        Self { name, index: None, label: None, span: None }
    }

    /// Item `index` of the list `name`.
    pub fn item(name: &'static str, index: usize) -> Self {
        Self { index: Some(index), ..Self::one(name) }
    }

    /// The same with its own name in the file.
    #[must_use]
    pub fn labelled(self, label: impl Into<Name>) -> Self {
        Self { label: Some(label.into()), ..self }
    }

    /// The same with its place in the file.
    #[must_use]
    pub fn spanning(self, offset: u64, bytes: u64) -> Self {
        Self { span: Some(Span { offset, bytes }), ..self }
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
    /// A vector, quaternion, colour or matrix.
    Floats(Cow<'a, [f32]>),
    /// A few numbers.
    Ints(Cow<'a, [i64]>),
    /// A text.
    Text(Name),
    /// Several texts.
    Texts(Vec<Name>),
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
    ByteStr<'_> => |value| Self::Text(value.into());
    Utf32Str<'_> => |value| Self::Text(value.into());
    &str => |value| Self::Text(ByteStr::from(value).into());
    Name => |value| Self::Text(value);
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
pub trait Visitor {
    /// A part begins; whether to tell what is inside. Only if so, [`close`](Self::close) follows.
    fn open(&mut self, part: &Part) -> bool;

    /// The part opened last ends.
    fn close(&mut self);

    /// A field of the part opened last.
    fn field(&mut self, name: &'static str, value: Value<'_>);

    /// An array of the part opened last; with an index, one of several of that name.
    fn array(&mut self, name: &'static str, index: Option<usize>, table: &dyn Table);

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

    /// A number and what it means.
    pub fn coded(&mut self, name: &'static str, raw: impl Into<i64>, meaning: Option<impl Into<Cow<'static, str>>>) {
        self.visitor.field(name, Value::Coded(raw.into(), meaning.map(Into::into)));
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
    pub fn part(&mut self, part: Part, inside: impl FnOnce(&mut Outline<'_>)) {
        if self.visitor.open(&part) {
            inside(&mut Outline { visitor: self.visitor });
            self.visitor.close();
        }
    }

    /// Something here cannot be read.
    pub fn problem(&mut self, error: &Error) {
        self.visitor.problem(error);
    }

    /// Takes the value, or tells the error and goes on without.
    pub fn ok<T>(&mut self, result: Result<T>) -> Option<T> {
        result.map_err(|error| self.problem(&error)).ok()
    }
}

/// Makes a layout of an outline: every part and array that says where it lies.
struct LayoutVisitor<'s> {
    depth: usize,
    sink: &'s mut dyn FnMut(Region<'_>),
}

impl LayoutVisitor<'_> {
    fn tell(&mut self, name: &str, index: Option<usize>, note: &str, span: Span) {
        let name = match index {
            Some(index) => Cow::from(format!("{name}[{index}]")),
            None => Cow::from(name),
        };
        let Span { offset, bytes } = span;
        (self.sink)(Region { depth: self.depth, name, note: note.into(), offset, bytes });
    }
}

impl Visitor for LayoutVisitor<'_> {
    fn open(&mut self, part: &Part) -> bool {
        if let Some(span) = part.span {
            let note = part.label.as_ref().map_or("", |label| label.text.as_str());
            self.tell(part.name, part.index, note, span);
        }
        self.depth = self.depth.saturating_add(1);
        true
    }

    fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    fn field(&mut self, _: &'static str, _: Value<'_>) {}

    fn array(&mut self, name: &'static str, index: Option<usize>, table: &dyn Table) {
        let Storage { offset, bytes, packing } = table.storage();
        if packing == Packing::Derived {
            return;
        }
        let note = format!("{} rows, {}", table.rows(), packing.name());
        self.tell(name, index, &note, Span { offset, bytes });
    }

    fn problem(&mut self, _: &Error) {}
}

/// All rows of a table as one piece: for tables that are small, or that somebody wants whole.
///
/// # Errors
/// As [`Table::read`].
pub fn to_bytes(table: &dyn Table) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    table.read(&mut |rows| {
        bytes.extend_from_slice(rows);
        ControlFlow::Continue(())
    })?;
    Ok(bytes)
}
