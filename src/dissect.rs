//! A file from its first byte to its last: each told by the field or array that it belongs to.

use std::fmt::Write as _;

use crate::error::Error;
use crate::inspect::{Inspect, Outline, Part, Span, StoredField, Text, Value, Visitor};
use crate::view::{Packing, Storage, Table};

/// What a [`Line`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum LineKind {
    /// Something with fields, arrays and parts of its own.
    Part,
    /// One value.
    Field,
    /// Elements in a row, or a compressed stream of them.
    Array,
    /// Bytes that no field covers.
    Gap,
}

/// A part, a field, an array or a gap.
#[derive(Debug)]
pub struct Line<'l> {
    /// How many parts it lies in.
    pub depth: usize,
    /// The way to it: its name behind those of the parts around it.
    pub selector: &'l str,
    /// Its name, and its place in its list in brackets.
    pub name: &'l str,
    /// What it is.
    pub kind: LineKind,
    /// Where it lies; `None` where it does not lie in one piece, or where another line has its bytes.
    pub span: Option<Span>,
    /// What it is made of, in the words of the schema.
    pub type_name: String,
    /// The value of a field.
    pub value: Option<Value<'l>>,
    /// What more can be said in a few words; often empty.
    pub note: String,
}

/// Tells a file of so many bytes line by line, in the order of the file: the fields, arrays and gaps with bytes lie one
/// behind the other, none twice and none left out.
pub fn dissect(asset: &dyn Inspect, bytes: u64, sink: &mut dyn FnMut(&Line<'_>)) {
    let mut tiler = Tiler { sink, bytes, at: 0, depth: 0, path: String::new(), around: Vec::new() };
    asset.dissect(&mut Outline::new(&mut tiler));
    tiler.skip_to(bytes, "behind the last part");
}

/// Follows a dissection and fills what it leaves out with gaps.
struct Tiler<'s> {
    sink: &'s mut dyn FnMut(&Line<'_>),
    bytes: u64,
    /// Everything before this byte has been told.
    at: u64,
    depth: usize,
    path: String,
    around: Vec<Around>,
}

/// A part around the place told of.
struct Around {
    /// The path before it, where it started another.
    path: Option<String>,
    /// How long the path was that it added to.
    length: usize,
    /// Where it ends.
    end: Option<u64>,
}

impl Tiler<'_> {
    /// Tells what lies before this byte and was not told as a gap.
    fn skip_to(&mut self, offset: u64, note: &str) {
        let offset = offset.min(self.bytes);
        if let Some(bytes) = offset.checked_sub(self.at).filter(|&bytes| bytes > 0) {
            let span = Some(Span { offset: self.at, bytes });
            self.at = offset;
            self.line("gap", None, Line { kind: LineKind::Gap, span, note: note.to_owned(), ..blank() });
        }
    }

    /// The bytes of a leaf, those before it told; `None` where others have had them.
    fn take(&mut self, span: Span) -> Option<Span> {
        let end = span.offset.saturating_add(span.bytes).min(self.bytes);
        if span.bytes == 0 || end <= self.at {
            return None;
        }
        self.skip_to(span.offset, "");
        let offset = self.at.max(span.offset);
        self.at = end;
        Some(Span { offset, bytes: end.saturating_sub(offset) })
    }

    fn line(&mut self, name: &str, index: Option<usize>, line: Line<'_>) {
        let before = self.path.len();
        let label = self.push(name, index);
        let selector = if line.kind == LineKind::Gap { "" } else { &self.path };
        (self.sink)(&Line { depth: self.depth, selector, name: &label, ..line });
        self.path.truncate(before);
    }

    /// Adds a step to the path; the same step as a label.
    fn push(&mut self, name: &str, index: Option<usize>) -> String {
        if !self.path.is_empty() {
            self.path.push('/');
        }
        self.path.push_str(name);
        match index {
            Some(index) => {
                // Writing to a String cannot fail.
                let _ = write!(self.path, "/{index}");
                format!("{name}[{index}]")
            }
            None => name.to_owned(),
        }
    }
}

/// Texts in one line.
fn joined<'t>(texts: &mut dyn Iterator<Item = Text<'t>>) -> String {
    let texts: Vec<_> = texts.map(|text| text.to_string()).collect();
    texts.join(", ")
}

/// A line of nothing, for those who name the rest.
fn blank<'l>() -> Line<'l> {
    Line {
        depth: 0,
        selector: "",
        name: "",
        kind: LineKind::Part,
        span: None,
        type_name: String::new(),
        value: None,
        note: String::new(),
    }
}

impl Visitor for Tiler<'_> {
    fn dissects(&self) -> bool {
        true
    }

    fn open(&mut self, part: &Part<'_>) -> bool {
        if let Some(span) = part.span {
            self.skip_to(span.offset, "");
        }
        let path = part.root.then(|| std::mem::take(&mut self.path));
        let note = part.label.map(|label| label.to_string()).unwrap_or_default();
        self.line(part.name, part.index, Line { kind: LineKind::Part, span: part.span, note, ..blank() });
        let end = part.span.map(|span| span.offset.saturating_add(span.bytes));
        self.around.push(Around { path, length: self.path.len(), end });
        self.push(part.name, part.index);
        self.depth = self.depth.saturating_add(1);
        true
    }

    fn close(&mut self) {
        let Some(Around { path, length, end }) = self.around.pop() else { return };
        if let Some(end) = end {
            self.skip_to(end, "");
        }
        self.path.truncate(length);
        if let Some(path) = path {
            self.path = path;
        }
        self.depth = self.depth.saturating_sub(1);
    }

    fn field(&mut self, name: &'static str, value: Value<'_>) {
        self.line(name, None, Line { kind: LineKind::Field, value: Some(value), ..blank() });
    }

    fn stored(&mut self, field: &StoredField, value: Value<'_>) {
        let span = self.take(field.span);
        let (type_name, value) = (field.kind.to_string(), Some(value));
        self.line(field.name, None, Line { kind: LineKind::Field, span, type_name, value, ..blank() });
    }

    fn texts<'t>(&mut self, name: &'static str, texts: &mut dyn Iterator<Item = Text<'t>>) {
        self.line(name, None, Line { kind: LineKind::Field, note: joined(texts), ..blank() });
    }

    fn stored_texts<'t>(&mut self, field: &StoredField, texts: &mut dyn Iterator<Item = Text<'t>>) {
        let (span, note) = (self.take(field.span), joined(texts));
        self.line(
            field.name,
            None,
            Line { kind: LineKind::Field, span, type_name: field.kind.to_string(), note, ..blank() },
        );
    }

    fn array(&mut self, name: &'static str, index: Option<usize>, table: &dyn Table) {
        let Storage { offset, bytes, packing } = table.storage();
        let span = match packing {
            // Their bytes belong to the records or arrays that they are made from.
            Packing::Derived | Packing::Strided => None,
            _ => self.take(Span { offset, bytes }),
        };
        let columns: Vec<_> =
            table.columns().iter().map(|column| format!("{} {}", column.name, column.scalar.name())).collect();
        let (type_name, note) =
            (format!("{{{}}}[]", columns.join(", ")), format!("{} rows, {}", table.rows(), packing.name()));
        self.line(name, index, Line { kind: LineKind::Array, span, type_name, note, ..blank() });
    }

    fn problem(&mut self, error: &Error) {
        self.line("problem", None, Line { kind: LineKind::Field, note: error.message(), ..blank() });
    }
}
