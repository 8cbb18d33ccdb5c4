//! Dissects a file from its first byte to its last: every byte is assigned to a field, an array or a gap.

mod line;
mod overview;

use std::ops::ControlFlow;

use crate::base::amount::Amount;
use crate::base::error::Error;
use crate::base::span::Span;
use crate::base::text::ByteStr;
use crate::budget::Budget;
use crate::bytes::{Packing, Table};
use crate::inspect::selector::Path;
use crate::inspect::{Inspect, Selector, bound_of};
use crate::outline::{
    Field, FieldValue, Outline, Part, PartArray, StoredAt, Text, Type, Value, Visitor, Wants, rows_of,
};
use crate::summary::Problems;

pub use line::{Line, LineKind};
pub use overview::{Sink, overview};

/// Passes a file of `bytes` bytes to `sink` line by line, in file order. The fields, arrays and gaps that have bytes
/// cover every byte of the file exactly once.
///
/// Ends with a problem if the work exceeds the limit that [`Limits::work`](crate::Limits::work) sets for a file of this
/// size.
pub fn dissect(asset: &dyn Inspect, bytes: u64, sink: &mut dyn FnMut(&Line<'_>)) {
    dissect_until(asset, bytes, &mut |line| {
        sink(line);
        ControlFlow::Continue(())
    });
}

/// Dissects the asset like [`dissect`], until the sink returns `Break`.
pub fn dissect_until(asset: &dyn Inspect, bytes: u64, sink: Sink<'_>) {
    let mut tiler = Tiler::new(bytes, sink);
    asset.dissect(&mut Outline::within(&bound_of(asset), &mut tiler));
    tiler.skip_to(bytes, "after the last part");
}

/// Dissects a file that fails to open: the signature and the version if they are known, and the rest as one gap with
/// the reason as its note.
pub fn dissect_unread(bytes: &[u8], reason: &Error, sink: Sink<'_>) {
    let size = bytes.len() as u64;
    let mut tiler = Tiler::new(size, sink);
    if let Some(start) = bytes.first_chunk::<4>()
        && start.iter().all(u8::is_ascii_graphic)
        && let Some(version) = reason.version()
    {
        let mut out = Outline::new(&mut tiler);
        out.stored("signature", four_bytes(0, Type::Times(&Type::Number("u8", 1), 4)), ByteStr::new(start));
        // Formats store the version after the signature, or after one more number.
        for at in [4, 8] {
            if bytes.get(at..).is_some_and(|rest| rest.starts_with(&version.to_le_bytes())) {
                out.stored("version", four_bytes(at as u64, Type::Number("u32", 4)), version);
                break;
            }
        }
    }
    tiler.skip_to(size, &reason.message());
}

/// Returns the place of a field of four bytes.
fn four_bytes(offset: u64, kind: Type) -> StoredAt {
    StoredAt::new(kind, Span { offset, bytes: 4 })
}

/// The part, array or field that a selector leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Located {
    /// The selector of the line found, with indices instead of names.
    pub selector: Selector,
    /// True if this is the thing selected, false if it is only its nearest ancestor.
    pub is_exact: bool,
    /// Its range in the file. `None` if it has no bytes in the file.
    pub span: Option<Span>,
    /// If it is stored in packed data: the packed part, and the position after unpacking.
    pub unpacked: Option<Unpacked>,
}

/// A position inside packed data.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unpacked {
    /// The selector of the packed part.
    pub from: String,
    /// The name of that part.
    pub name: String,
    /// The range of that part in the file.
    pub span: Span,
    /// The range in the unpacked data.
    pub place: Span,
}

/// Returns the part, array or field that a selector leads to. If there is none, returns its nearest existing ancestor.
/// `None` if no ancestor exists either.
///
/// Dissects the whole asset.
pub fn locate(asset: &dyn Inspect, bytes: u64, sought: &Selector) -> Option<Located> {
    // What no item is called, and everything inside it, is left out.
    let mut left_out = 0_usize;
    let mut numbered = None;
    for selector in sought.and_around() {
        numbered = selector.numbered(asset);
        if numbered.is_some() {
            break;
        }
        left_out = left_out.saturating_add(1);
    }
    let numbered = numbered?;
    let mut ways: Vec<Way> = numbered.and_around().map(Way::new).collect();
    // The parts around the line that have bytes in the file, each with its depth, innermost last. What is packed in one of
    // them gets its place from `look`.
    let mut around: Vec<(usize, Unpacked)> = Vec::new();
    dissect(asset, bytes, &mut |line| {
        around.truncate(around.partition_point(|(depth, _)| *depth < line.depth));
        if let (LineKind::Part, Some(span)) = (line.kind, line.span) {
            let from = line.selector.to_owned();
            let name = line.note.clone();
            around.push((line.depth, Unpacked { from, name, span, place: Span::default() }));
        }
        for way in &mut ways {
            way.look(line, around.last().map(|(_, part)| part));
        }
    });
    // An array interleaved with other arrays has no line with bytes in a dissection.
    if let Some(first) = ways.first_mut()
        && !first.has_place()
    {
        first.array(asset);
        if !first.known {
            // The selector may end in a row of the array.
            first.row(asset);
        }
    }
    let place = ways.iter().position(|way| way.known)?;
    let Way { selector, span, inside, unpacked, is_part, .. } = ways.into_iter().nth(place)?;
    let span = match span {
        Some(span) => Some(whole(span, inside, is_part)),
        // Without a line of its own that has bytes, it is where everything inside it is.
        None => inside,
    };
    Some(Located { selector, is_exact: left_out == 0 && place == 0, span, unpacked })
}

/// Returns the range of a selection with one of its own, and of everything inside it. The count of a list has the name of
/// the list: together with the items if they follow it, else the items alone.
fn whole(own: Span, parts: Option<Span>, is_part: bool) -> Span {
    match parts {
        Some(items) if !is_part && own.end() == items.offset => {
            Span { bytes: own.bytes.saturating_add(items.bytes), ..own }
        }
        Some(items) if !is_part => items,
        _ => own,
    }
}

/// Explains why a selector leads to nothing that can be read: returns the first problem in its nearest existing
/// ancestor. `None` if that part has no problem.
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
    for (distance, part) in selector.and_around().enumerate() {
        let text = part.to_string();
        if let Some((_, note)) = problems.iter().find(|(path, _)| inside(path, &text).is_some()) {
            let is_it = is_exact && distance == 0;
            return Some(if is_it { note.clone() } else { format!("{text} is damaged: {note}") });
        }
    }
    None
}

/// Returns the rest of a path that leads to this part or into it.
fn inside<'p>(path: &'p str, part: &str) -> Option<&'p str> {
    let rest = path.strip_prefix(part)?;
    if rest.is_empty() || rest.starts_with('/') { Some(rest) } else { None }
}

/// Returns the offset in the file, if known, and the message of the problem at path `sought`.
///
/// [Verifies](Inspect::verify) the whole asset of `bytes` bytes within its [budget](Budget).
pub fn problem_at(asset: &dyn Inspect, bytes: u64, sought: &Selector) -> Option<(Option<u64>, String)> {
    let mut problems = Problems::within(Budget::new(bytes, &asset.limits()));
    asset.verify(&mut problems);
    let found = problems.into_vec().into_iter().find(|problem| leads_to(sought, &problem.message))?;
    Some((found.offset, found.message.into_owned()))
}

/// Returns true if the path before a problem's message leads to the sought part.
fn leads_to(sought: &Selector, message: &str) -> bool {
    let Some((mut path, _)) = message.split_once(": ") else { return false };
    // The text in parentheses after the path is a position in an unpacked table.
    if let Some((before, _)) = path.split_once(" (") {
        path = before;
    }
    path.parse().is_ok_and(|path: Selector| path == *sought)
}

/// A candidate on the path to the selection: the selection itself or one of its ancestors.
#[derive(Default)]
struct Way {
    selector: Selector,
    /// The selector as text.
    text: String,
    /// True once a line, an array or a row was found for it.
    known: bool,
    /// The range of its own lines.
    span: Option<Span>,
    /// The range from the first byte to the last byte of everything inside it.
    inside: Option<Span>,
    unpacked: Option<Unpacked>,
    /// True if a part has this name, and not only fields and arrays.
    is_part: bool,
}

impl Way {
    /// Creates a candidate of which nothing was found yet.
    fn new(selector: Selector) -> Self {
        Self { text: selector.to_string(), selector, ..Self::default() }
    }

    /// Returns true if its location in the file is known.
    fn has_place(&self) -> bool {
        self.span.is_some() || self.inside.is_some() || self.unpacked.is_some()
    }

    /// Locates the array that the selector leads to.
    fn array(&mut self, asset: &dyn Inspect) {
        let found = self.selector.find(asset, &mut |table| self.span = span_of(table));
        // Like a missing array, one that cannot be read has no location.
        self.known |= found.unwrap_or(false);
    }

    /// Locates the row of an array that the selector ends in.
    fn row(&mut self, asset: &dyn Inspect) {
        let Some((array, index)) = self.selector.row() else { return };
        // Like a missing row, one that cannot be read has no location.
        let _ = array.find(asset, &mut |table| {
            let storage = table.storage();
            let index = index as u64;
            if index >= table.rows() {
                return;
            }
            self.known = true;
            let bytes = storage.bytes.checked_div(table.rows()).unwrap_or(0);
            self.span = match storage.packing {
                Packing::InPlace => Some(Span { offset: (Amount(bytes) * index + storage.offset).0, bytes }),
                // A row of a packed or interleaved array has no separate range, so the range is that of the whole
                // array.
                _ => span_of(table),
            };
        });
    }

    /// Takes the location from a line that is this thing, or that is inside it. `packed` is the innermost part around
    /// the line that has bytes in the file.
    fn look(&mut self, line: &Line<'_>, packed: Option<&Unpacked>) {
        let Some(rest) = inside(line.selector, &self.text) else { return };
        self.known = true;
        if let Some(place) = line.unpacked
            && let Some(packed) = packed
            && self.unpacked.is_none()
        {
            self.unpacked = Some(Unpacked { place, ..packed.clone() });
        }
        if rest.is_empty() {
            self.is_part |= line.kind == LineKind::Part;
            self.span = match (self.span, line.span) {
                // The count of an array has the name of the array.
                (Some(count), Some(array)) if count.end() == array.offset => {
                    Some(Span { bytes: count.bytes.saturating_add(array.bytes), ..count })
                }
                // An array that does not directly follow its count is itself the selection.
                (_, Some(array)) if line.kind == LineKind::Array => Some(array),
                (known, found) => known.or(found),
            };
        } else if let Some(span) = line.span {
            let all = self.inside.unwrap_or(span);
            let first = all.offset.min(span.offset);
            let last = all.end().max(span.end());
            self.inside = Some(Span { offset: first, bytes: last.saturating_sub(first) });
        }
    }
}

/// Returns the range of a table, unless it has no bytes.
fn span_of(table: &dyn Table) -> Option<Span> {
    let span = table.storage().span();
    if span.bytes > 0 { Some(span) } else { None }
}

/// Follows a dissection and fills uncovered bytes with gaps.
struct Tiler<'s> {
    sink: Sink<'s>,
    bytes: u64,
    /// Every byte before this one has a line.
    at: u64,
    path: Path,
    /// The end of the range of each open part.
    ends: Vec<Option<u64>>,
    /// The path of the last problem, until the next line.
    unread: Option<String>,
    /// True once the sink has returned `Break`.
    is_done: bool,
}

impl<'s> Tiler<'s> {
    /// Creates a tiler for a file of `bytes` bytes, none of which has a line yet.
    fn new(bytes: u64, sink: Sink<'s>) -> Self {
        Self { sink, bytes, at: 0, path: Path::default(), ends: Vec::new(), unread: None, is_done: false }
    }

    /// Emits a gap for the bytes before `offset` that have no line yet.
    fn skip_to(&mut self, offset: u64, note: &str) {
        let offset = offset.min(self.bytes);
        if offset <= self.at {
            return;
        }
        let span = Some(Span { offset: self.at, bytes: offset.saturating_sub(self.at) });
        self.at = offset;
        let unread = self.unread.take();
        let note = if unread.is_some() { "cannot be read" } else { note };
        let selector = unread.unwrap_or_default();
        let gap = Line { kind: LineKind::Gap, span, note: note.to_owned(), name: "gap", ..Line::default() };
        self.emit(&Line { depth: self.ends.len(), selector: &selector, ..gap });
    }

    /// Claims the range for a leaf, after a gap for the bytes before it. Returns the part that no earlier line covers,
    /// `None` if there is none.
    fn take(&mut self, span: Span) -> Option<Span> {
        let end = span.end().min(self.bytes);
        if span.bytes == 0 || end <= self.at {
            return None;
        }
        self.skip_to(span.offset, "");
        let offset = self.at.max(span.offset);
        self.at = end;
        Some(Span { offset, bytes: end.saturating_sub(offset) })
    }

    /// Passes a line to the sink, unless it wants no more.
    fn emit(&mut self, line: &Line<'_>) {
        if !self.is_done {
            self.is_done = (self.sink)(line).is_break();
        }
    }

    /// Emits the line of something in the part opened last.
    fn line(&mut self, name: &'static str, index: Option<usize>, line: Line<'_>) {
        let thing = Part { index, ..Part::one(name) };
        self.path.open(&thing);
        self.line_of(&thing, line);
        self.path.close();
    }

    /// Emits the line of the part to which the path leads.
    fn line_of(&mut self, part: &Part<'_>, line: Line<'_>) {
        self.unread = None;
        let depth = self.ends.len();
        // Taken out, because `emit` borrows all of this.
        let path = std::mem::take(&mut self.path);
        self.emit(&Line { depth, selector: path.as_str(), name: &title(part.name, part.index), ..line });
        self.path = path;
    }
}

/// Returns the name of a thing in its part: `name`, or `name[0]` for an item.
fn title(name: &str, index: Option<usize>) -> String {
    match index {
        Some(index) => format!("{name}[{index}]"),
        None => name.to_owned(),
    }
}

/// The most texts that the value of one field has.
const MOST_TEXTS: usize = 4096;

/// Returns the line of a field of several texts. If there are too many, the note has their number.
fn texts_line<'t>(texts: &mut dyn Iterator<Item = Text<'t>>) -> Line<'t> {
    let value: Vec<_> = texts.take(MOST_TEXTS).collect();
    let more = texts.count();
    let all = value.len().saturating_add(more);
    let note = if more > 0 { format!("the first {MOST_TEXTS} of {all}") } else { String::new() };
    Line { kind: LineKind::Field, value: Some(Value::Texts(value)), note, ..Line::default() }
}

/// The type of a field that follows from others.
const DERIVED: &str = "derived";

impl Visitor for Tiler<'_> {
    fn wants(&self) -> Wants {
        Wants { dissection: true, more: !self.is_done, ..Wants::default() }
    }

    fn open(&mut self, part: &Part<'_>) -> bool {
        if self.is_done {
            return false;
        }
        if let Some(span) = part.span {
            self.skip_to(span.offset, "");
        }
        let note = part.label.map(|label| label.to_string()).unwrap_or_default();
        self.path.open(part);
        let Part { span, unpacked, .. } = *part;
        self.line_of(part, Line { kind: LineKind::Part, span, unpacked, note, ..Line::default() });
        self.ends.push(part.span.map(Span::end));
        true
    }

    fn close(&mut self) {
        if let Some(Some(end)) = self.ends.last() {
            self.skip_to(*end, "");
        }
        self.ends.pop();
        self.path.close();
    }

    fn field(&mut self, field: Field<'_>) {
        let mut span = None;
        let mut type_name = DERIVED.to_owned();
        if let Some(stored) = field.stored {
            type_name = stored.kind.to_string();
            if field.unpacked.is_none() {
                span = self.take(stored.span);
            }
        } else if let FieldValue::One(Value::Absent) = field.value {
            // A field that the file lacks does not follow from others.
            type_name.clear();
        }
        let line = match field.value {
            FieldValue::One(value) => Line { kind: LineKind::Field, value: Some(value), ..Line::default() },
            FieldValue::Texts(texts) => texts_line(texts),
        };
        self.line(field.name, None, Line { span, type_name, unpacked: field.unpacked, ..line });
    }

    fn array(&mut self, array: &PartArray<'_>) {
        let PartArray { name, index, unpacked, table, .. } = *array;
        let storage = table.storage();
        let span = match storage.packing {
            // Their bytes belong to the records or arrays that they are made from.
            Packing::Derived | Packing::Strided => None,
            _ if unpacked.is_some() => None,
            _ => self.take(storage.span()),
        };
        let mut columns = table.columns();
        let type_name = rows_of(&columns);
        let note = format!("{} rows, {}", table.rows(), storage.packing.name());
        // An array that shares its bytes with earlier lines has no whole rows left.
        if storage.packing != Packing::InPlace || span != Some(storage.span()) {
            columns.clear();
        }
        let line = Line { kind: LineKind::Array, span, unpacked, type_name, columns, note, ..Line::default() };
        self.line(name, index, line);
    }

    fn problem(&mut self, error: &Error) {
        // A location that starts with an item is relative to the file, any other to the enclosing part.
        let mut path = match error.location().parse::<Selector>() {
            Ok(selector) => selector.to_string(),
            Err(_) => String::new(),
        };
        if error.first_list().is_none() && !self.path.as_str().is_empty() {
            path = format!("{}/{path}", self.path.as_str());
        }
        self.emit(&Line {
            depth: self.ends.len(),
            selector: &path,
            kind: LineKind::Field,
            name: "problem",
            note: error.message(),
            problem: Some(error.code()),
            ..Line::default()
        });
        self.unread = Some(path);
    }
}
