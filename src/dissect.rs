//! A file from its first byte to its last: each told by the field or array that it belongs to.

mod overview;

use std::fmt::Write;
use std::ops::ControlFlow;

use crate::base::error::Error;
use crate::base::named::named;
use crate::base::span::Span;
use crate::base::text::ByteStr;
use crate::budget::Budget;
use crate::bytes::{Column, Packing, Table};
use crate::inspect::selector::push;
use crate::inspect::{Inspect, Selector, bound_of};
use crate::outline::{Outline, Part, StoredField, Text, Type, Value, Visitor};
use crate::summary::Problems;

pub use overview::{Sink, overview};

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
    /// Where it lies in the data unpacked from the part around, if no byte of the file is its own.
    pub unpacked: Option<Span>,
    /// What it is made of, in the words of the schema.
    pub type_name: String,
    /// What the rows of an array are made of, where its bytes are these rows; else empty.
    pub columns: Vec<Column>,
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

/// Dissects the asset as [`dissect`] does, until the sink breaks off.
pub fn dissect_until(asset: &dyn Inspect, bytes: u64, sink: Sink<'_>) {
    let (path, around, unread, unpacked) = Default::default();
    let mut tiler = Tiler { sink, bytes, at: 0, depth: 0, path, around, unread, unpacked, is_done: false };
    let bound = bound_of(asset);
    asset.dissect(&mut Outline::within(&bound, &mut tiler));
    tiler.skip_to(bytes, "after the last part");
}

/// Tells the bytes of a file that does not open: its signature and version where they are known, and the rest as one gap
/// with the reason.
pub fn dissect_unread(bytes: &[u8], reason: &Error, sink: Sink<'_>) {
    let (path, around, unread, unpacked) = Default::default();
    let size = bytes.len() as u64;
    let mut tiler = Tiler { sink, bytes: size, at: 0, depth: 0, path, around, unread, unpacked, is_done: false };
    let signature = bytes.first_chunk::<4>().filter(|start| start.iter().all(u8::is_ascii_graphic));
    if let Some((start, version)) = signature.zip(reason.version()) {
        let field = |name, offset, kind| StoredField { name, kind, span: Span { offset, bytes: 4 }, framing: false };
        let text = Text::Bytes(ByteStr::new(start));
        tiler.stored(&field("signature", 0, Type::Times(&Type::Number("u8", 1), 4)), Value::Text(text));
        let is_there = |at: &u64| cut(bytes, *at).is_some_and(|found| u32::from_le_bytes(found) == version);
        if let Some(at) = [4, 8].iter().find(|at| is_there(at)) {
            tiler.stored(&field("version", *at, Type::Number("u32", 4)), version.into());
        }
    }
    tiler.skip_to(size, &reason.message());
}

/// Four bytes from this place on.
fn cut(bytes: &[u8], at: u64) -> Option<[u8; 4]> {
    bytes.get(usize::try_from(at).ok()?..)?.first_chunk().copied()
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
    /// Where the data lies that it is unpacked from, if it is: of the record of a map, the entry of its table.
    pub unpacked: Option<Unpacked>,
}

/// The place of something in data that has to be unpacked.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unpacked {
    /// The selector of the part that is packed.
    pub from: String,
    /// The name of that part.
    pub name: String,
    /// Where the part lies in the file.
    pub span: Span,
    /// The place in what it unpacks to.
    pub place: Span,
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
        ways.push(Way { inside: format!("{text}/"), text, selector: way, ..Way::default() });
    }
    let mut packed: Vec<(usize, Unpacked)> = Vec::new();
    dissect(asset, bytes, &mut |line| {
        packed.truncate(packed.partition_point(|(depth, _)| *depth < line.depth));
        if let (LineKind::Part, Some(span)) = (line.kind, line.span) {
            let (from, name) = (line.selector.to_owned(), line.note.clone());
            packed.push((line.depth, Unpacked { from, name, span, place: Span::default() }));
        }
        for way in &mut ways {
            way.look(line, packed.last().map(|(_, part)| part));
        }
    });
    // Arrays whose bytes lie among those of others have no line in a dissection.
    if let Some(first) = ways.first_mut().filter(|way| way.span.or(way.parts).is_none() && way.unpacked.is_none()) {
        first.known |= first.selector.find(asset, &mut |table| {
            first.span = Some(table.storage().span()).filter(|span| span.bytes > 0);
        });
        if !first.known {
            first.row(asset);
        }
    }
    let is_numbered = sought.numbered(asset).is_some_and(|all| ways.first().is_some_and(|way| way.selector == all));
    let place = ways.iter().position(|way| way.known)?;
    let Way { selector, span, parts, unpacked, .. } = ways.into_iter().nth(place)?;
    Some(Located { selector, is_exact: is_numbered && place == 0, span: span.or(parts), unpacked })
}

/// Why a selector leads to nothing that can be read: the first trouble in the nearest part around it that is there. `None`
/// where that part is sound.
///
/// Dissects the whole asset.
pub fn unread(asset: &dyn Inspect, bytes: u64, sought: &Selector) -> Option<String> {
    let Located { selector, is_exact, .. } = locate(asset, bytes, sought)?;
    let mut problems = Vec::new();
    dissect(asset, bytes, &mut |line| {
        if line.name == "problem" {
            problems.push((line.selector.to_owned(), line.note.clone()));
        }
    });
    let (mut way, mut is_it) = (Some(selector), is_exact);
    while let Some(part) = way {
        let text = part.to_string();
        let is_inside =
            |path: &str| path.strip_prefix(&text).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        if let Some((_, note)) = problems.iter().find(|(path, _)| is_inside(path)) {
            return Some(if is_it { note.clone() } else { format!("{text} is damaged: {note}") });
        }
        (way, is_it) = (part.around(), false);
    }
    None
}

/// The problem of which this is the path: its place in the file, and its message.
///
/// [Verifies](Inspect::verify) the whole asset of so many bytes, as far as their [budget](Budget) goes.
pub fn problem_at(asset: &dyn Inspect, bytes: u64, sought: &Selector) -> Option<(Option<u64>, String)> {
    let mut problems = Problems::within(Budget::new(bytes, &asset.limits()));
    asset.verify(&mut problems);
    let leads_there = |message: &str| {
        let path = message.split_once(": ").map_or("", |(path, _)| path);
        // What follows the path is the place in an unpacked table.
        let path = path.split_once(" (").map_or(path, |(path, _)| path);
        path.parse::<Selector>().is_ok_and(|path| path == *sought)
    };
    let found = problems.into_vec().into_iter().find(|problem| leads_there(&problem.message))?;
    Some((found.offset, found.message.into_owned()))
}

/// A selector that may lead somewhere.
#[derive(Default)]
struct Way {
    selector: Selector,
    text: String,
    /// What the selectors of all that is inside begin with.
    inside: String,
    known: bool,
    span: Option<Span>,
    /// From the first to the last byte of what is inside.
    parts: Option<Span>,
    unpacked: Option<Unpacked>,
}

impl Way {
    /// The row of an array.
    fn row(&mut self, asset: &dyn Inspect) {
        let Some((array, index)) = self.selector.row() else { return };
        array.find(asset, &mut |table| {
            let (storage, index) = (table.storage(), index as u64);
            if index >= table.rows() {
                return;
            }
            self.known = true;
            let bytes = storage.bytes.checked_div(table.rows()).unwrap_or(0);
            self.span = match storage.packing {
                Packing::InPlace => {
                    Some(Span { offset: storage.offset.saturating_add(bytes.saturating_mul(index)), bytes })
                }
                // Its bytes are not known without reading the others.
                _ => Some(storage.span()).filter(|span| span.bytes > 0),
            };
        });
    }

    fn look(&mut self, line: &Line<'_>, packed: Option<&Unpacked>) {
        let end = |span: Span| span.offset.saturating_add(span.bytes);
        let is_inside = || line.selector.starts_with(&self.inside);
        if let Some((place, packed)) = line.unpacked.zip(packed)
            && self.unpacked.is_none()
            && (line.selector == self.text || is_inside())
        {
            self.unpacked = Some(Unpacked { place, ..packed.clone() });
        }
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
    sink: Sink<'s>,
    bytes: u64,
    /// Everything before this byte has been told.
    at: u64,
    depth: usize,
    path: String,
    around: Vec<Around>,
    /// The path of what cannot be read, where that was told last.
    unread: Option<String>,
    /// Where the next line lies in what is unpacked.
    unpacked: Option<Span>,
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
        let (depth, unpacked) = (self.depth, self.unpacked.take());
        let path = std::mem::take(&mut self.path);
        self.tell(&Line { depth, unpacked, selector: &path, name: &title(name, index), ..line });
        self.path = path;
        self.path.truncate(before);
    }
}

/// `name`, `name[0]`.
fn title(name: &str, index: Option<usize>) -> String {
    index.map_or_else(|| name.to_owned(), |index| format!("{name}[{index}]"))
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
        unpacked: None,
        type_name: String::new(),
        columns: Vec::new(),
        value: None,
        note: String::new(),
    }
}

impl Visitor for Tiler<'_> {
    fn unpacked(&mut self, span: Span) {
        self.unpacked = Some(span);
    }

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
        let mut columns = table.columns();
        let names: Vec<_> = columns.iter().map(|column| format!("{} {}", column.name, column.scalar.name())).collect();
        let (type_name, note) =
            (format!("{{{}}}[]", names.join(", ")), format!("{} rows, {}", table.rows(), storage.packing.name()));
        // Where others have had a part of the bytes, they are no whole rows.
        if storage.packing != Packing::InPlace || span != Some(storage.span()) {
            columns.clear();
        }
        self.line(name, index, Line { kind: LineKind::Array, span, type_name, columns, note, ..blank() });
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
