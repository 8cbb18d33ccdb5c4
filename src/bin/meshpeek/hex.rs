//! `meshpeek hex`: bytes beside the fields that they belong to.

use std::fmt::Write as _;
use std::io::Write;
use std::ops::{ControlFlow, Range};
use std::path::PathBuf;
use std::process::ExitCode;

use meshpeek::Asset;
use meshpeek::dissect::{Line, LineKind, Located, dissect_until, locate};
use meshpeek::inspect::{Selector, Span};

use crate::args::Common;
use crate::notes::shown;
use crate::output::{Failure, Outcome, Output};
use crate::report::{FAINT, HEADING, escape};
use crate::scan::table::{cut, width};
use crate::source::Source;
use crate::tree::fields::style;
use crate::value::InWords;

/// Bytes in a row.
const ROW: u64 = 16;
/// Longer leaves are cut to the half of this, where nobody asked for them.
const MOST_ROWS: u64 = 8;
/// From this width on, bytes stand apart and have their characters beside them.
const WIDE: usize = 120;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The file, or the address of a member, such as `mod.pbo!/tree.p3d`; `-` is standard input
    pub(crate) file: PathBuf,
    /// Only this part, array or field, in full, such as `meshes/0` or `nodes/@arm`
    selector: Option<String>,
    /// Tell what is at this byte, from the field or array up to the file; several with commas between them
    #[arg(long, value_name = "OFFSET", value_parser = offset, value_delimiter = ',', conflicts_with_all = ["selector", "range"])]
    at: Vec<u64>,
    /// Only these bytes, in full: from A up to, not including, B; either may be left out
    #[arg(long, value_name = "A..B", value_parser = range)]
    range: Option<Range<u64>>,
}

/// A decimal number, or a hexadecimal one behind `0x`.
fn offset(text: &str) -> Result<u64, String> {
    let number = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    number.map_err(|_| format!("{text} is neither a decimal number nor 0x and a hexadecimal one"))
}

fn range(text: &str) -> Result<Range<u64>, String> {
    let (first, end) = text.split_once("..").ok_or("two offsets with .. between them are wanted")?;
    let first = if first.is_empty() { 0 } else { offset(first)? };
    let end = if end.is_empty() { u64::MAX } else { offset(end)? };
    if first < end { Ok(first..end) } else { Err("it ends before it starts".to_owned()) }
}

pub(crate) fn run(args: &Args, common: &Common) -> Outcome {
    let source = Source::open(&args.file, common)?;
    let content = source.content(common)?;
    let asset = source.asset(&content)?;
    let told = |message: String| Failure::Told(format!("{}: {message}", shown(&args.file)));
    let size = content.len() as u64;
    let mut wanted = args.range.clone().unwrap_or(0..u64::MAX);
    if let Some(text) = &args.selector {
        let no_bytes = || format!("{text} has no bytes of its own");
        let Span { offset, bytes } =
            find(&asset, size, text).and_then(|it| it.span.ok_or_else(no_bytes)).map_err(told)?;
        let end = offset.saturating_add(bytes);
        wanted = wanted.start.max(offset)..wanted.end.min(end);
        if wanted.is_empty() {
            return Err(told(format!("{text} lies at {offset:#x}..{end:#x}, outside the range")));
        }
    }
    let asked = args.at.iter().copied().chain(args.range.as_ref().map(|range| range.start));
    if let Some(first) = asked.max().filter(|&first| first >= size) {
        return Err(told(format!("no byte at {first}: it has {size}")));
    }
    let mut out = Output::text(common)?;
    match &args.at[..] {
        all @ [_, ..] => {
            for (index, &at) in all.iter().enumerate() {
                if index > 0 {
                    writeln!(out)?;
                }
                tell_at(&asset, size, at, &mut out)?;
            }
        }
        [] => {
            let in_full = args.range.is_some() || args.selector.is_some();
            let width = width(out.is_terminal());
            let mut dump = Dump { content: &content, wanted, in_full, width, around: vec![], heading: String::new() };
            let mut written = Ok(());
            dissect_until(&asset, size, &mut |line| {
                written = dump.line(line, &mut out);
                if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
            written?;
        }
    }
    out.flush()?;
    source.unchanged()?;
    Ok(ExitCode::SUCCESS)
}

/// What a selector leads to.
pub(crate) fn find(asset: &Asset<'_>, size: u64, text: &str) -> Result<Located, String> {
    let selector = text.parse::<Selector>().map_err(|error| error.message())?;
    match locate(asset, size, &selector) {
        Some(located) if located.is_exact => Ok(located),
        Some(Located { selector, .. }) => Err(format!("{text} is no part, array or field; {selector} is")),
        None => Err(format!("{text} is no part, array or field (tree --fields lists them)")),
    }
}

/// What is at this byte: the leaf, the parts around it from the innermost, the file.
fn tell_at(asset: &Asset<'_>, size: u64, at: u64, out: &mut Output) -> std::io::Result<()> {
    let holds = |span: Span| span.offset <= at && at - span.offset < span.bytes;
    let (mut around, mut told): (Vec<(usize, Option<Span>, String)>, _) = (vec![], Vec::new());
    dissect_until(asset, size, &mut |line| {
        around.truncate(around.partition_point(|(depth, ..)| *depth < line.depth));
        if line.kind == LineKind::Part {
            let label = if line.note.is_empty() { String::new() } else { format!("  \"{}\"", escape(&line.note)) };
            let style = style(LineKind::Part);
            around.push((line.depth, line.span, format!("{style}{}{style:#}{label}", escape(line.selector))));
        } else if let Some(span) = line.span.filter(|&span| holds(span)) {
            let inside = if span.bytes > 1 { format!("  (byte {} of it)", at - span.offset) } else { String::new() };
            let style = style(line.kind);
            told.push(place(Some(span), &format!("{style}{}{style:#}{inside}", described(line, true))));
            let parts = around.iter().rev().filter(|(_, span, _)| span.is_none_or(holds));
            told.extend(parts.map(|(_, span, text)| place(*span, text)));
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    });
    told.push(place(Some(Span { offset: 0, bytes: size }), &format!("{} file", asset.format())));
    told.iter().try_for_each(|line| writeln!(out, "{line}"))
}

fn place(span: Option<Span>, text: &str) -> String {
    match span {
        Some(Span { offset, bytes }) => format!("{offset:#010x}  {bytes:>10}  {text}"),
        None => format!("{:24}{text}", ""),
    }
}

/// Name or selector, type, value and note.
fn described(line: &Line<'_>, in_full: bool) -> String {
    let name = if in_full && !line.selector.is_empty() { line.selector } else { line.name };
    let mut text = escape(name);
    // Writing to a String cannot fail.
    if !line.type_name.is_empty() {
        let _ = write!(text, " {}", escape(&line.type_name));
    }
    if let Some(value) = &line.value {
        let _ = write!(text, " {}", InWords(value));
    }
    if !line.note.is_empty() {
        let _ = write!(text, " {}", escape(&line.note));
    }
    text
}

/// A dump being written.
struct Dump<'c> {
    content: &'c [u8],
    wanted: Range<u64>,
    in_full: bool,
    width: usize,
    /// The parts around the place, by depth, selector and name.
    around: Vec<(usize, String)>,
    /// The last of them that was written.
    heading: String,
}

impl Dump<'_> {
    fn line(&mut self, line: &Line<'_>, out: &mut Output) -> std::io::Result<()> {
        self.around.truncate(self.around.partition_point(|(depth, _)| *depth < line.depth));
        if line.kind == LineKind::Part {
            let label = if line.note.is_empty() { String::new() } else { format!("  \"{}\"", escape(&line.note)) };
            self.around.push((line.depth, format!("{}{label}", escape(line.selector))));
            return Ok(());
        }
        let Some(span) = line.span else { return Ok(()) };
        let (first, end) = (span.offset.max(self.wanted.start), (span.offset + span.bytes).min(self.wanted.end));
        if first >= end {
            return Ok(());
        }
        self.head(out)?;
        let rows = (end - first).div_ceil(ROW);
        let shown = if self.in_full || rows <= MOST_ROWS { end } else { first + MOST_ROWS / 2 * ROW };
        let mut text = described(line, false);
        let mut at = first;
        while at < shown {
            let next = (at + ROW).min(shown);
            self.row(at..next, line.kind, &text, out)?;
            text.clear();
            at = next;
        }
        if shown < end {
            let rest = format!("{} more bytes; --range {shown:#x}..{end:#x} shows them", end - shown);
            writeln!(out, "{:10}{FAINT}{}{FAINT:#}", "", cut(&rest, self.width.saturating_sub(10)))?;
        }
        Ok(())
    }

    /// Names the part that what follows is in, where it is another than before.
    fn head(&mut self, out: &mut Output) -> std::io::Result<()> {
        let heading = self.around.last().map_or("", |(_, text)| text);
        if self.heading != heading {
            heading.clone_into(&mut self.heading);
            let shown = if heading.is_empty() { "(file)" } else { heading };
            writeln!(out, "{HEADING}{}{HEADING:#}", cut(shown, self.width))?;
        }
        Ok(())
    }

    fn row(&self, range: Range<u64>, kind: LineKind, text: &str, out: &mut Output) -> std::io::Result<()> {
        let place = |offset| usize::try_from(offset).unwrap_or(usize::MAX);
        let bytes = self.content.get(place(range.start)..place(range.end)).unwrap_or_default();
        let wide = self.width >= WIDE;
        let mut line = String::new();
        for (index, byte) in bytes.iter().enumerate() {
            let apart = if index > 0 && (wide || index % 4 == 0) { " " } else { "" };
            // Writing to a String cannot fail.
            let _ = write!(line, "{apart}{byte:02x}");
        }
        let mut before = 10;
        if wide {
            let _ = write!(line, "{:1$}", "", 49_usize.saturating_sub(line.len()));
            line.extend(bytes.iter().map(|&byte| if matches!(byte, b' '..=b'~') { char::from(byte) } else { '.' }));
            line = format!("{line:<65}");
            before += 65;
        } else {
            line = format!("{line:<35}");
            before += 35;
        }
        let (style, offset) = (style(kind), range.start);
        let text = cut(text, self.width.saturating_sub(before + 2));
        if text.is_empty() {
            return writeln!(out, "{offset:08x}  {style}{}{style:#}", line.trim_end());
        }
        writeln!(out, "{offset:08x}  {style}{line}{style:#}  {text}")
    }
}
