//! The tree of a file, line by line: numbers for the page's list, and each line as JSON.

use std::ops::{ControlFlow, Range};

use meshpeek::Asset;
use meshpeek::container::{Container, Form, Member};
use meshpeek::dissect::{Line, LineKind, dissect_unread, dissect_until};
use meshpeek::inspect::{Inspect, Span, Value};
use meshpeek::json::Row;
use meshpeek::view::{Column, Scalar};

use crate::Result;
use crate::node::Node;

/// The most bytes of JSON that are kept for one file. Later lines are left out.
const MOST: usize = 128 << 20;

/// The bytes of a header in a zip archive that are read at first, besides the name, and those of a descriptor.
const HEADER: u64 = 30 + 64;
const DESCRIPTOR: u64 = 16;
/// Packed members of a PBO up to this size are decoded for the tree of a large archive.
const MOST_PACKED: u64 = 16 << 20;

#[derive(Default)]
pub(crate) struct Lines {
    pub(crate) depths: Vec<u32>,
    pub(crate) offsets: Vec<f64>,
    pub(crate) bytes: Vec<f64>,
    pub(crate) kinds: Vec<u8>,
    pub(crate) types: Vec<u8>,
    /// The JSON of each line. Each has memory of its own: one long text would be copied while it grows, and then needs
    /// three times its length.
    rows: Vec<Box<str>>,
    row_bytes: usize,
    is_cut: bool,
}

impl Lines {
    pub(crate) fn of(node: &Node) -> Result<Self> {
        if let Some(error) = node.error()
            && let Some(bytes) = node.in_memory()
        {
            let mut lines = Self::default();
            dissect_unread(bytes, error, &mut |line| lines.add(line));
            return Ok(lines);
        }
        if let Some(error) = node.error() {
            let mut lines = Self::default();
            dissect_unread(node.beginning(), error, &mut |line| lines.add_up_to(node.size(), line));
            return Ok(lines);
        }
        if node.is_in_ranges() && Self::needs_little(node)? {
            return node.ask_here(Self::of_asset);
        }
        node.ask(Self::of_asset)
    }

    fn of_asset(asset: &Asset<'_>) -> Result<Self> {
        let mut lines = Self::default();
        dissect_until(asset, asset.size(), &mut |line| lines.add(line));
        Ok(lines)
    }

    /// Reads the ranges that the tree of a large archive needs. Returns true if the rest is not to be read: the
    /// streams of packed members. The tree then has the sizes that the archive claims.
    fn needs_little(node: &Node) -> Result<bool> {
        let members = node.ask(|asset| Ok(Members::of(asset)))?;
        node.fetch(&members.headers)?;
        let is_little = members.packed_bytes > MOST_PACKED;
        if is_little {
            // Reads what follows the members.
            node.ask(|asset| {
                if let Asset::Pbo(archive) = asset {
                    archive.tail()?;
                }
                Ok(())
            })?;
        }
        Ok(is_little)
    }

    /// Adds a line of a file of which only the beginning was read. The last line ends where the file does.
    fn add_up_to(&mut self, size: u64, line: &Line<'_>) -> ControlFlow<()> {
        let Some(span) = line.span else { return self.add(line) };
        let mut whole = Line::default();
        whole.name = line.name;
        whole.selector = line.selector;
        whole.kind = line.kind;
        whole.note = line.note.clone();
        whole.span = Some(Span::new(span.offset, size.saturating_sub(span.offset)));
        self.add(&whole)
    }

    fn add(&mut self, line: &Line<'_>) -> ControlFlow<()> {
        if self.row_bytes > MOST {
            self.is_cut = true;
            return ControlFlow::Break(());
        }
        let Ok(row) = serde_json::to_string(&Row(line)) else {
            self.is_cut = true;
            return ControlFlow::Break(());
        };
        self.row_bytes = self.row_bytes.saturating_add(row.len());
        self.rows.push(row.into_boxed_str());
        self.depths.push(u32::try_from(line.depth).unwrap_or(u32::MAX));
        match line.span {
            Some(span) => {
                self.offsets.push(span.offset as f64);
                self.bytes.push(span.bytes as f64);
            }
            None => {
                self.offsets.push(-1.0);
                self.bytes.push(0.0);
            }
        }
        self.kinds.push(kind_of(line));
        self.types.push(value_kind_of(line));
        ControlFlow::Continue(())
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// A line as JSON.
    pub(crate) fn row(&self, line: usize) -> &str {
        match self.rows.get(line) {
            Some(row) => row,
            None => "null",
        }
    }

    /// The line of this selector, else the first inside it.
    pub(crate) fn find(&self, selector: &str) -> Option<usize> {
        let wanted = serde_json::to_string(selector).ok()?;
        let wanted = wanted.trim_matches('"');
        let exact = (0..self.len()).find(|line| self.has_selector(*line, wanted, '"'));
        if exact.is_some() {
            return exact;
        }
        (0..self.len()).find(|line| self.has_selector(*line, wanted, '/'))
    }

    /// Returns true if the selector of a line is this text, followed by this character in the JSON.
    fn has_selector(&self, line: usize, wanted: &str, next: char) -> bool {
        let Some((_, selector)) = self.row(line).split_once("\"selector\":\"") else { return false };
        let Some(rest) = selector.strip_prefix(wanted) else { return false };
        rest.starts_with(next)
    }
}

/// The number of a line's kind: part, field, array, gap or problem.
fn kind_of(line: &Line<'_>) -> u8 {
    if line.name == "problem" {
        return 4;
    }
    match line.kind {
        LineKind::Part => 0,
        LineKind::Field => 1,
        LineKind::Array => 2,
        _ => 3,
    }
}

/// The number of the kind of a line's values, by which the page colors bytes: none, whole numbers, floats, text, other
/// values, several kinds.
fn value_kind_of(line: &Line<'_>) -> u8 {
    if matches!(line.kind, LineKind::Array) {
        return kind_of_columns(&line.columns);
    }
    match &line.value {
        Some(Value::Float(_) | Value::Floats(_)) => 2,
        Some(Value::Text(_) | Value::Texts(_)) => 3,
        Some(_) if is_number(&line.type_name) => 1,
        Some(_) => 4,
        None => 0,
    }
}

/// Returns true for the type of a whole number, or of several.
fn is_number(type_name: &str) -> bool {
    ["u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64"].iter().any(|name| type_name.starts_with(name))
}

fn kind_of_columns(columns: &[Column]) -> u8 {
    let mut floats = 0;
    for column in columns {
        if matches!(column.scalar, Scalar::F16 | Scalar::F32) {
            floats += 1;
        }
    }
    match floats {
        0 if columns.is_empty() => 4,
        0 => 1,
        all if all == columns.len() => 2,
        _ => 5,
    }
}

/// The members of a large archive, as far as its tree needs them.
#[derive(Default)]
struct Members {
    /// The ranges with the headers of the members of a zip archive.
    headers: Vec<Range<u64>>,
    /// The bytes of the packed members of a PBO.
    packed_bytes: u64,
}

impl Members {
    /// Returns the members before the first unreadable one.
    fn of(asset: &Asset<'_>) -> Self {
        let mut members = Self::default();
        let Some(container) = Container::of(asset) else { return members };
        for member in container.members() {
            let Ok(member) = member else { break };
            if let Member::Zip(member) = member {
                let start = member.header_offset().min(asset.size());
                // The descriptor of the member before it, its own header, names and extra fields.
                let bytes = HEADER.saturating_add(member.name().len() as u64);
                let end = start.saturating_add(bytes).min(asset.size());
                members.headers.push(start.saturating_sub(DESCRIPTOR)..end);
            } else if member.form() != Form::InPlace {
                members.packed_bytes = members.packed_bytes.saturating_add(member.stored_byte_len());
            }
        }
        members
    }
}
