//! A file from its first byte to its last: each told by the field or array that it belongs to.

use std::fmt::Write;
use std::ops::ControlFlow;

use crate::error::Error;
use crate::inspect::selector::push;
use crate::inspect::{Bound, Inspect, Outline, Part, Selector, Span, StoredField, Text, Value, Visitor, title};
use crate::named::named;
use crate::view::{Packing, Table};

named! {
    /// What a [`Line`] is.
    #[non_exhaustive]
    pub enum LineKind {
        /// Something with fields, arrays and parts of its own.
        Part = "part",
        /// One value.
        Field = "field",
        /// Elements in a row, or a compressed stream of them.
        Array = "array",
        /// Bytes that no field covers.
        Gap = "gap",
    }
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
///
/// Ends with a problem where there is more to tell than the [work](crate::Limits::work) that the asset's limits allow for
/// its bytes.
pub fn dissect(asset: &dyn Inspect, bytes: u64, sink: &mut dyn FnMut(&Line<'_>)) {
    dissect_until(asset, bytes, &mut |line| {
        sink(line);
        ControlFlow::Continue(())
    });
}

/// The same until the sink breaks off.
pub fn dissect_until(asset: &dyn Inspect, bytes: u64, sink: &mut dyn FnMut(&Line<'_>) -> ControlFlow<()>) {
    let (path, around, unread) = Default::default();
    let mut tiler = Tiler { sink, bytes, at: 0, depth: 0, path, around, unread, is_done: false };
    let bound = Bound::of(asset);
    asset.dissect(&mut Outline::within(&bound, &mut tiler));
    tiler.skip_to(bytes, "after the last part");
}

/// What a selector leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Located {
    /// The selector of what was found: numbers only.
    pub selector: Selector,
    /// Whether that is what was sought, and not only the nearest around it.
    pub is_exact: bool,
    /// Where it lies; `None` where no byte is its own.
    pub span: Option<Span>,
}

/// The part, array or field that a selector leads to; failing that, the nearest that is around it. `None` where nothing
/// is.
///
/// Dissects the whole asset.
pub fn locate(asset: &dyn Inspect, bytes: u64, sought: &Selector) -> Option<Located> {
    let numbered = sought.numbered(asset).or_else(|| {
        let mut around = sought.around();
        while let Some(shorter) = &around {
            if let Some(numbered) = shorter.numbered(asset) {
                return Some(numbered);
            }
            around = shorter.around();
        }
        None
    });
    let mut next = numbered;
    let mut ways = Vec::new();
    while let Some(way) = next {
        next = way.around();
        let text = way.to_string();
        ways.push(Way { inside: format!("{text}/"), text, selector: way, known: false, span: None, parts: None });
    }
    dissect(asset, bytes, &mut |line| {
        for way in &mut ways {
            way.look(line);
        }
    });
    // Arrays whose bytes lie among those of others have no line in a dissection.
    if let Some(first) = ways.first_mut().filter(|way| way.span.or(way.parts).is_none()) {
        first.known |= first.selector.find(asset, &mut |table| {
            first.span = Some(table.storage().span()).filter(|span| span.bytes > 0);
        });
    }
    let is_numbered = sought.numbered(asset).is_some_and(|all| ways.first().is_some_and(|way| way.selector == all));
    let place = ways.iter().position(|way| way.known)?;
    let Way { selector, span, parts, .. } = ways.into_iter().nth(place)?;
    Some(Located { selector, is_exact: is_numbered && place == 0, span: span.or(parts) })
}

/// A selector that may lead somewhere.
struct Way {
    selector: Selector,
    text: String,
    /// What the selectors of all that is inside begin with.
    inside: String,
    known: bool,
    span: Option<Span>,
    /// From the first to the last byte of what is inside.
    parts: Option<Span>,
}

impl Way {
    fn look(&mut self, line: &Line<'_>) {
        let end = |span: Span| span.offset.saturating_add(span.bytes);
        if line.selector == self.text {
            self.known = true;
            self.span = match (self.span, line.span) {
                // The count of an array goes by its name.
                (Some(count), Some(array)) if end(count) == array.offset => {
                    Some(Span { bytes: count.bytes.saturating_add(array.bytes), ..count })
                }
                // One that stands elsewhere is not what is sought.
                (_, Some(array)) if line.kind == LineKind::Array => Some(array),
                (known, told) => known.or(told),
            };
        } else if line.selector.starts_with(&self.inside) {
            self.known = true;
            let Some(span) = line.span else { return };
            let all = self.parts.unwrap_or(span);
            let (first, last) = (all.offset.min(span.offset), end(all).max(end(span)));
            self.parts = Some(Span { offset: first, bytes: last.saturating_sub(first) });
        }
    }
}

/// Follows a dissection and fills what it leaves out with gaps.
struct Tiler<'s> {
    sink: &'s mut dyn FnMut(&Line<'_>) -> ControlFlow<()>,
    bytes: u64,
    /// Everything before this byte has been told.
    at: u64,
    depth: usize,
    path: String,
    around: Vec<Around>,
    /// The path of what cannot be read, where that was told last.
    unread: Option<String>,
    /// Whether nobody wants more.
    is_done: bool,
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
            let unread = self.unread.take();
            let note = if unread.is_some() { "cannot be read" } else { note };
            let selector = unread.unwrap_or_default();
            let gap = Line { kind: LineKind::Gap, span, note: note.to_owned(), name: "gap", ..blank() };
            self.tell(&Line { depth: self.depth, selector: &selector, ..gap });
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

    fn tell(&mut self, line: &Line<'_>) {
        if !self.is_done {
            self.is_done = (self.sink)(line).is_break();
        }
    }

    fn line(&mut self, name: &str, index: Option<usize>, line: Line<'_>) {
        self.unread = None;
        let before = self.path.len();
        push(&mut self.path, name, index);
        let path = std::mem::take(&mut self.path);
        self.tell(&Line { depth: self.depth, selector: &path, name: &title(name, index), ..line });
        self.path = path;
        self.path.truncate(before);
    }
}

/// Texts in one line.
fn joined<'t>(texts: &mut dyn Iterator<Item = Text<'t>>) -> String {
    let mut all = String::new();
    for (index, text) in texts.enumerate() {
        // Writing to a String cannot fail.
        let _ = write!(all, "{}{text}", if index > 0 { ", " } else { "" });
    }
    all
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

    fn is_done(&self) -> bool {
        self.is_done
    }

    fn open(&mut self, part: &Part<'_>) -> bool {
        if self.is_done {
            return false;
        }
        if let Some(span) = part.span {
            self.skip_to(span.offset, "");
        }
        let path = part.root.then(|| std::mem::take(&mut self.path));
        let note = part.label.map(|label| label.to_string()).unwrap_or_default();
        self.line(part.name, part.index, Line { kind: LineKind::Part, span: part.span, note, ..blank() });
        let end = part.span.map(|span| span.offset.saturating_add(span.bytes));
        self.around.push(Around { path, length: self.path.len(), end });
        push(&mut self.path, part.name, part.index);
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
        let storage = table.storage();
        let span = match storage.packing {
            // Their bytes belong to the records or arrays that they are made from.
            Packing::Derived | Packing::Strided => None,
            _ => self.take(storage.span()),
        };
        let columns: Vec<_> =
            table.columns().iter().map(|column| format!("{} {}", column.name, column.scalar.name())).collect();
        let (type_name, note) =
            (format!("{{{}}}[]", columns.join(", ")), format!("{} rows, {}", table.rows(), storage.packing.name()));
        self.line(name, index, Line { kind: LineKind::Array, span, type_name, note, ..blank() });
    }

    fn problem(&mut self, error: &Error) {
        // A place in an item is counted from the file, any other from the part around.
        let place = error.location();
        let is_whole = self.path.is_empty()
            || place.split_once(['.', '[']).is_some_and(|(list, _)| place.as_bytes().get(list.len()) == Some(&b'['));
        let path = place.parse::<Selector>().map(|selector| selector.to_string()).unwrap_or_default();
        let path = if is_whole { path } else { format!("{}/{path}", self.path) };
        let problem = Line { kind: LineKind::Field, name: "problem", note: error.message(), ..blank() };
        self.tell(&Line { depth: self.depth, selector: &path, ..problem });
        self.unread = Some(path);
    }
}
