//! `meshpeek hex`: bytes next to the fields they belong to.

mod rows;

use std::fmt::Write as _;
use std::io::Write;
use std::iter::zip;
use std::ops::{ControlFlow, Range};
use std::path::PathBuf;
use std::process::ExitCode;

use meshpeek::Asset;
use meshpeek::dissect::{Line, LineKind};
use meshpeek::inspect::{Selector, Span};
use meshpeek::view::{Packing, Table};
use unicode_width::UnicodeWidthStr;

use self::rows::{Rows, characters};
use crate::args::Common;
use crate::dump::{self, OneRow};
use crate::failure::{Failure, Outcome};
use crate::notes::Notes;
use crate::output::Output;
use crate::place::{Opened, bytes, lines, place_of, status};
use crate::report::list::FAINT;
use crate::report::{HEADING, escape};
use crate::source::Source;
use crate::tree::fields::{place, style};
use crate::value::InWords;
use crate::visible::shown;
use crate::wrap::{held, width, wrapped};

/// Bytes per row.
const ROW: u64 = 16;
/// Longer leaves are truncated to half of this, unless a selector or range requests them.
const MOST_ROWS: u64 = 8;
/// The limit for a file that does not open.
const MOST_PLAIN_ROWS: u64 = 64;
/// From this width on, bytes are separated and shown with their characters.
const WIDE: usize = 120;
/// The width of the offset of a row.
const PLACE: usize = 10;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// File or member, such as `mod.pbo!/tree.p3d`; `-` is standard input
    pub(crate) file: PathBuf,
    /// Only this part, array or field, in full: such as `meshes/0` or `nodes/@arm`
    selector: Option<String>,
    /// Show what this byte belongs to, from the field up to the file; separate several by commas
    #[arg(long, value_name = "OFFSET", value_delimiter = ',', conflicts_with_all = ["selector", "range"])]
    at: Vec<String>,
    /// Only the bytes from A up to, not including, B, in full; either may be left out
    #[arg(long, value_name = "A..B", value_parser = range)]
    range: Option<Range<u64>>,
}

/// Parses a decimal number, or a hexadecimal one after `0x`.
fn offset(text: &str) -> Result<u64, String> {
    let number = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    number.map_err(|_| "expected a decimal number, or a hexadecimal one such as 0x2c".to_owned())
}

fn range(text: &str) -> Result<Range<u64>, String> {
    let (first, end) = text.split_once("..").ok_or("expected A..B, such as 0x10..0x20")?;
    let first = if first.is_empty() { 0 } else { offset(first)? };
    let end = if end.is_empty() { u64::MAX } else { offset(end)? };
    if first < end { Ok(first..end) } else { Err("the range ends before it starts".to_owned()) }
}

pub(crate) fn run(args: &Args, common: &Common) -> Outcome {
    let source = Source::open(&args.file, common)?;
    let content = source.content(common)?;
    let asset = source.asset(&content);
    let mut wanted = Wanted { range: args.range.clone().unwrap_or(0..u64::MAX), in_full: args.range.is_some() };
    // A row of a packed array has no bytes of its own to dump: its values are shown.
    if let (Some(text), Ok(asset)) = (&args.selector, &asset)
        && let Some(shown) = packed_row(asset, text)
    {
        let mut out = Output::text(common)?;
        out.write_all(shown?.as_bytes())?;
        out.flush()?;
        source.unchanged()?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(text) = &args.selector {
        let size = content.len() as u64;
        if let Err(message) = wanted.narrow(&asset, size, text, common) {
            return Err(Failure::at(&args.file, message));
        }
    }
    let mut out = Output::text(common)?;
    if !args.at.is_empty() {
        let unshown = show_all(args, &asset, &content, &mut out)?;
        out.flush()?;
        source.unchanged()?;
        for message in &unshown {
            Notes::new(common).error(message);
        }
        return Ok(match unshown.len() {
            0 => status(&asset, common),
            all if all == args.at.len() => ExitCode::from(2),
            _ => ExitCode::from(1),
        });
    }
    if let Some(range) = &args.range
        && let Err(message) = checked(range.start, &content)
    {
        return Err(Failure::at(&args.file, message));
    }
    let width = width(out.is_terminal);
    let is_plain = asset.is_err();
    let rows = Rows::new(width >= WIDE);
    let mut dump = Dump {
        content: &content,
        wanted,
        is_plain,
        width,
        around: vec![],
        heading: String::new(),
        rows,
        text: String::new(),
    };
    let mut written = Ok(());
    lines(&asset, &content, &mut |line| {
        written = dump.line(line, &mut out);
        if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    written?;
    out.flush()?;
    source.unchanged()?;
    Ok(status(&asset, common))
}

/// The bytes to show.
struct Wanted {
    range: Range<u64>,
    /// True if all rows are written, however many there are.
    in_full: bool,
}

impl Wanted {
    /// Keeps only the bytes of the part, array or field with this selector.
    fn narrow(&mut self, asset: &Opened<'_>, size: u64, selector: &str, common: &Common) -> Result<(), String> {
        let place = place_of(asset, size, selector)?;
        place.explain(common);
        // A note says that this is not quite what was asked for.
        self.in_full |= place.note.is_none();
        let Some(Span { offset, bytes, .. }) = place.span else {
            return Err(format!("{selector} has no bytes of its own"));
        };
        let end = offset.saturating_add(bytes);
        self.range = self.range.start.max(offset)..self.range.end.min(end);
        if self.range.is_empty() {
            return Err(format!("{selector} is at {offset:#x}..{end:#x}, outside the range"));
        }
        Ok(())
    }
}

/// Returns the offset of a byte, or an error if there is no such byte.
fn checked(at: u64, content: &[u8]) -> Result<u64, String> {
    let size = content.len() as u64;
    if at < size { Ok(at) } else { Err(format!("no byte at {at}: it has {size}")) }
}

/// Shows what the bytes of `--at` belong to. Returns a message for each that is not there.
fn show_all(args: &Args, asset: &Opened<'_>, content: &[u8], out: &mut Output) -> Result<Vec<String>, Failure> {
    let mut is_first = true;
    let mut wrong = Vec::new();
    for text in &args.at {
        match offset(text).and_then(|at| checked(at, content)) {
            Ok(at) => {
                if !is_first {
                    writeln!(out)?;
                }
                is_first = false;
                show_at(asset, content, at, out)?;
            }
            Err(message) => wrong.push(format!("{}: {message}", shown(&args.file))),
        }
    }
    Ok(wrong)
}

/// The values of a row that has no bytes of its own, because its array is packed, and the place of the array. `None` for any
/// other selector.
fn packed_row(asset: &Asset<'_>, text: &str) -> Option<Result<String, Failure>> {
    let (array, index) = text.parse::<Selector>().ok()?.row()?;
    let mut shown = None;
    // The search by place that follows reports what cannot be read.
    let _ = array.find(asset, &mut |table| {
        if is_packed(table) && (index as u64) < table.rows() {
            shown = Some(decoded_row(&array, table, index));
        }
    });
    shown
}

fn is_packed(table: &dyn Table) -> bool {
    !matches!(table.storage().packing, Packing::InPlace | Packing::Strided | Packing::Fill | Packing::Derived)
}

fn decoded_row(array: &Selector, table: &dyn Table, index: usize) -> Result<String, Failure> {
    let storage = table.storage();
    let columns = table.columns();
    let mut values = Vec::new();
    OneRow { table, index }.read(&mut |row| {
        values = dump::rows::texts(&columns, row);
        ControlFlow::Break(())
    })?;
    let mut cells = Vec::new();
    for (column, value) in zip(&columns, values) {
        cells.push(format!("{} {value}", column.name));
    }
    let span = Span::new(storage.offset, storage.bytes);
    let all = format!("{HEADING}{array}{HEADING:#}  {} rows, {}", table.rows(), storage.packing.name());
    let row = format!("row {index} is decoded: {}", cells.join(", "));
    Ok(format!("{}\n{}\n", place(Some(span), &all), place(None, &row)))
}

/// Shows the parts around this byte: the leaf, the enclosing parts from the innermost out, the file.
fn show_at(asset: &Opened<'_>, content: &[u8], at: u64, out: &mut Output) -> std::io::Result<()> {
    let mut search = Search { content, at, around: Vec::new(), rows: Vec::new() };
    lines(asset, content, &mut |line| search.line(line));
    for row in &search.rows {
        writeln!(out, "{row}")?;
    }
    let title = match asset {
        Ok(asset) => format!("{} file", asset.format().name()),
        Err(_) => "file".to_owned(),
    };
    let whole = Span::new(0, content.len() as u64);
    writeln!(out, "{}", place(Some(whole), &title))
}

/// Searches the lines for the leaf with a byte.
struct Search<'c> {
    content: &'c [u8],
    at: u64,
    /// The parts that enclose the current line.
    around: Vec<Part>,
    /// The leaf and the parts around it, once it is found.
    rows: Vec<String>,
}

struct Part {
    depth: usize,
    span: Option<Span>,
    text: String,
}

impl Search<'_> {
    fn line(&mut self, line: &Line<'_>) -> ControlFlow<()> {
        self.around.truncate(self.around.partition_point(|part| part.depth < line.depth));
        let style = style(line.kind);
        if line.kind == LineKind::Part {
            let text = format!("{style}{}{style:#}{}", escape(line.selector), label(line));
            self.around.push(Part { depth: line.depth, span: line.span, text });
            return ControlFlow::Continue(());
        }
        let Some(span) = line.span else { return ControlFlow::Continue(()) };
        if !self.is_in(span) {
            return ControlFlow::Continue(());
        }
        let inside = match cell(line, self.content, self.at) {
            Some(cell) => format!("  ({cell})"),
            None if span.bytes > 1 => format!("  (byte {} of it)", self.at - span.offset),
            None => String::new(),
        };
        self.rows.push(place(Some(span), &format!("{style}{}{style:#}{inside}", described(line))));
        for part in self.around.iter().rev() {
            // A part without a place of its own is around what it contains.
            if part.span.is_none_or(|span| self.is_in(span)) {
                self.rows.push(place(part.span, &part.text));
            }
        }
        ControlFlow::Break(())
    }

    fn is_in(&self, span: Span) -> bool {
        span.offset <= self.at && self.at - span.offset < span.bytes
    }
}

/// The label of a part, in quotes.
fn label(line: &Line<'_>) -> String {
    if line.note.is_empty() {
        return String::new();
    }
    format!("  \"{}\"", escape(&line.note))
}

/// Row, column, type and value of the array number that contains this byte.
fn cell(line: &Line<'_>, content: &[u8], at: u64) -> Option<String> {
    let row_bytes = dump::rows::row_size(&line.columns);
    let start = usize::try_from(line.span?.offset).ok()?;
    let inside = usize::try_from(at).ok()?.checked_sub(start)?;
    let row = inside.checked_div(row_bytes)?;
    let mut left = inside.checked_rem(row_bytes)?;
    let first = start + row * row_bytes;
    let values = dump::rows::texts(&line.columns, content.get(first..first + row_bytes)?);
    for (column, value) in zip(&line.columns, values) {
        match left.checked_sub(column.scalar.byte_len()) {
            Some(rest) => left = rest,
            None => return Some(format!("row {row}, {}: {} {value}", column.name, column.scalar.name())),
        }
    }
    None
}

/// Selector, type, value and note.
fn described(line: &Line<'_>) -> String {
    let mut text = String::new();
    let name = if line.selector.is_empty() { line.name } else { line.selector };
    add_described(&mut text, name, line);
    text
}

/// Adds this name, type, value and note.
fn add_described(text: &mut String, name: &str, line: &Line<'_>) {
    text.push_str(&escape(name));
    if !line.type_name.is_empty() {
        text.push(' ');
        text.push_str(&escape(&line.type_name));
    }
    if let Some(value) = &line.value {
        // Writing to a String cannot fail.
        let _ = write!(text, " {}", InWords(value));
    }
    if !line.note.is_empty() {
        text.push(' ');
        text.push_str(&escape(&line.note));
    }
}

struct Dump<'c> {
    content: &'c [u8],
    wanted: Wanted,
    /// True if the meaning of the bytes is unknown.
    is_plain: bool,
    width: usize,
    /// The enclosing parts, by depth, selector and name.
    around: Vec<(usize, String)>,
    /// The last heading that was written.
    heading: String,
    rows: Rows,
    /// The words of a line. All lines use the same memory: files have millions of them.
    text: String,
}

impl Dump<'_> {
    fn line(&mut self, line: &Line<'_>, out: &mut Output) -> std::io::Result<()> {
        self.around.truncate(self.around.partition_point(|(depth, _)| *depth < line.depth));
        if line.kind == LineKind::Part {
            self.around.push((line.depth, format!("{}{}", escape(line.selector), label(line))));
            return Ok(());
        }
        let Some(span) = line.span else { return Ok(()) };
        let first = span.offset.max(self.wanted.range.start);
        let end = (span.offset + span.bytes).min(self.wanted.range.end);
        if first >= end {
            return Ok(());
        }
        self.head(out)?;
        if self.is_plain && line.kind == LineKind::Gap {
            return self.unknown(first..end, out);
        }
        let mut text = std::mem::take(&mut self.text);
        text.clear();
        add_described(&mut text, line.name, line);
        let written = self.known(first..end, line.kind, &text, out);
        self.text = text;
        written
    }

    /// Writes bytes of an unknown meaning beside their characters.
    fn unknown(&mut self, range: Range<u64>, out: &mut Output) -> std::io::Result<()> {
        let shown = self.end_of_shown(&range);
        let mut at = range.start;
        while at < shown {
            let next = (at + ROW).min(shown);
            let bytes = bytes(self.content, at..next);
            // A wide row has them anyway.
            let text = if self.is_wide() { String::new() } else { characters(bytes) };
            self.rows.write(at, bytes, style(LineKind::Gap), &text, out)?;
            at = next;
        }
        rest(shown..range.end, out)
    }

    /// Writes rows of bytes with what they are at their right, or below them if a line of it is too wide for that.
    fn known(&mut self, range: Range<u64>, kind: LineKind, about: &str, out: &mut Output) -> std::io::Result<()> {
        let room = self.width.saturating_sub(self.text_column());
        let beside = wrapped(about, Some(room));
        let fits = beside.lines().all(|line| line.len() <= room || line.width() <= room);
        // If it does not fit, the rows have nothing at their right.
        let mut lines = if fits { beside.lines() } else { "".lines() };
        let shown = self.end_of_shown(&range);
        let mut at = range.start;
        while at < shown {
            let next = (at + ROW).min(shown);
            let line = lines.next().unwrap_or_default();
            self.rows.write(at, bytes(self.content, at..next), style(kind), line, out)?;
            at = next;
        }
        for line in lines {
            writeln!(out, "{:1$}{line}", "", self.text_column())?;
        }
        if !fits {
            for line in wrapped(about, Some(self.width.saturating_sub(PLACE))).lines() {
                writeln!(out, "{:PLACE$}{}", "", held(line))?;
            }
        }
        rest(shown..range.end, out)
    }

    /// Where the rows of these bytes end: before the end of the bytes if there are too many.
    fn end_of_shown(&self, range: &Range<u64>) -> u64 {
        let rows = (range.end - range.start).div_ceil(ROW);
        let most = if self.is_plain { MOST_PLAIN_ROWS } else { MOST_ROWS };
        if self.wanted.in_full || rows <= most { range.end } else { range.start + most / 2 * ROW }
    }

    /// The column of the words next to the bytes.
    fn text_column(&self) -> usize {
        PLACE + self.rows.width() + 2
    }

    fn is_wide(&self) -> bool {
        self.width >= WIDE
    }

    /// Writes the enclosing part as a heading, if it has changed.
    fn head(&mut self, out: &mut Output) -> std::io::Result<()> {
        let heading = match self.around.last() {
            Some((_, text)) => text.as_str(),
            None => "",
        };
        if self.heading != heading {
            heading.clone_into(&mut self.heading);
            let shown = if heading.is_empty() { "(file)" } else { heading };
            out.write_all(format!("{HEADING}{}{HEADING:#}\n", held(shown)).as_bytes())?;
        }
        Ok(())
    }
}

/// Says which bytes are left out.
fn rest(range: Range<u64>, out: &mut Output) -> std::io::Result<()> {
    let Range { start, end } = range;
    if start == end {
        return Ok(());
    }
    let bytes = end - start;
    writeln!(out, "{:PLACE$}{FAINT}{bytes} more bytes; --range {start:#x}..{end:#x} shows them{FAINT:#}", "")
}
