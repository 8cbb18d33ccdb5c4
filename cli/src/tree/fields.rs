//! Shows a file field by field.

use std::fmt::Write as _;
use std::io::{Result, Write};
use std::ops::ControlFlow;

use anstyle::{AnsiColor, Style};
use meshpeek::dissect::{Line, LineKind, Sink, overview};
use meshpeek::inspect::{Selector, Span};
use meshpeek::json::Row;
use meshpeek::summary::Severity;

use super::Args;
use crate::args::LineFormat;
use crate::output::Output;
use crate::report::{self, FAINT, HEADING, escape};
use crate::value::InWords;
use crate::wrap::HANG;

/// Deeper lines keep this indentation and state their depth.
const DEEPEST_INDENT: usize = 40;

/// The source of a file's lines.
pub(crate) type Lines<'l> = &'l dyn Fn(Sink<'_>);

pub(crate) fn style(kind: LineKind) -> Style {
    match kind {
        LineKind::Part => HEADING,
        LineKind::Array => Style::new().fg_color(Some(AnsiColor::Cyan.into())),
        LineKind::Gap => FAINT,
        _ => Style::new(),
    }
}

/// The offset and size of a line, before its text.
pub(crate) fn place(span: Option<Span>, text: &str) -> String {
    match span {
        Some(Span { offset, bytes }) => format!("{offset:#010x}  {bytes:>10}  {text}"),
        None => format!("{:24}{text}", ""),
    }
}

/// Follows lines, and determines which are inside the target of a selector.
pub(crate) struct Within {
    selector: Option<String>,
    /// The depth of the target, from its start to its end.
    depth: Option<usize>,
}

impl Within {
    pub(crate) fn new(only: Option<&Selector>) -> Self {
        Self { selector: only.map(Selector::to_string), depth: None }
    }

    pub(crate) fn holds(&mut self, line: &Line<'_>) -> bool {
        let Some(selector) = &self.selector else { return true };
        if self.depth.is_some_and(|depth| line.depth <= depth) {
            self.depth = None;
        }
        if line.selector == selector {
            self.depth = Some(line.depth);
        }
        // Parts that are not contiguous have no line of their own.
        self.depth.is_some() || line.selector.strip_prefix(selector).is_some_and(|rest| rest.starts_with('/'))
    }
}

/// Writes the lines within the target of a selector: every field, or an overview of them.
pub(super) fn write(
    lines: Lines<'_>,
    args: &Args,
    is_full: bool,
    within: Option<&Selector>,
    mut runs: Runs,
    out: &mut Output,
) -> Result<()> {
    let Args { depth, only, format, .. } = args;
    let mut written = match format {
        LineFormat::Text => {
            writeln!(out, "{:>10}  {:>10}  {}", "offset", "bytes", if is_full { "field" } else { "part" })
        }
        LineFormat::Ndjson => Ok(()),
    };
    let wanted = |sink: Sink<'_>| {
        let mut within = Within::new(within);
        lines(&mut |line| if within.holds(line) { sink(line) } else { ControlFlow::Continue(()) });
    };
    let mut first = None;
    let sink: Sink<'_> = &mut |line| {
        let level = line.depth.saturating_sub(*first.get_or_insert(line.depth));
        let is_wanted = only.is_empty() || only.iter().any(|kind| kind == line.kind.name());
        if written.is_ok() && is_wanted && depth.is_none_or(|depth| level < depth.get()) {
            written = match format {
                LineFormat::Text => runs.add(key(line), text(line), out),
                LineFormat::Ndjson => out.json_line(&Row(line)),
            };
        }
        if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    if is_full {
        wanted(sink)
    } else {
        overview(&wanted, sink)
    }
    written?;
    runs.end(out)
}

/// The longest group of lines whose repetitions are left out.
const LONGEST_GROUP: usize = 4;

/// Leaves out lines that repeat the lines before them: one, or a group of a few.
pub(crate) struct Runs {
    is_on: bool,
    /// The keys of the last lines that were written.
    recent: Vec<String>,
    /// The number of lines in the group that repeats; 0 without one.
    group: usize,
    /// The lines that repeat it so far.
    count: usize,
    /// The first of them.
    held: Vec<String>,
}

impl Runs {
    pub(crate) fn new(is_on: bool) -> Self {
        Self { is_on, recent: Vec::new(), group: 0, count: 0, held: Vec::new() }
    }

    /// Adds a line. Lines with the same key are equal but for their numbers; one with an empty key is always written.
    pub(crate) fn add(&mut self, key: String, line: String, out: &mut Output) -> Result<()> {
        if !self.is_on {
            return out.write_all(line.as_bytes());
        }
        if self.group > 0 && self.repeats(self.group, &key) {
            return self.hold(line);
        }
        self.end(out)?;
        if let Some(group) = (1..=LONGEST_GROUP).find(|&group| self.repeats(group, &key)) {
            self.group = group;
            return self.hold(line);
        }
        self.remember(key);
        out.write_all(line.as_bytes())
    }

    /// True if a line with this key continues the repetition of the last lines.
    fn repeats(&self, group: usize, key: &str) -> bool {
        let Some(start) = self.recent.len().checked_sub(group) else { return false };
        let place = start + self.count % group;
        !key.is_empty() && self.recent.get(place).is_some_and(|known| known == key)
    }

    fn hold(&mut self, line: String) -> Result<()> {
        self.count += 1;
        if self.held.len() <= 2 * self.group {
            self.held.push(line);
        }
        Ok(())
    }

    fn remember(&mut self, key: String) {
        if self.recent.len() == LONGEST_GROUP {
            self.recent.remove(0);
        }
        self.recent.push(key);
    }

    /// Writes how many lines were left out, or the lines themselves if they are few.
    pub(crate) fn end(&mut self, out: &mut Output) -> Result<()> {
        let held = std::mem::take(&mut self.held);
        let count = std::mem::take(&mut self.count);
        let group = std::mem::take(&mut self.group);
        if count == 0 {
            return Ok(());
        }
        self.recent.clear();
        if count == held.len() {
            return held.iter().try_for_each(|line| out.write_all(line.as_bytes()));
        }
        let like = if group == 1 { "like this".to_owned() } else { format!("like these {group}") };
        writeln!(out, "{:24}{FAINT}... and {} {like}; -v lists all{FAINT:#}", "", report::count(count as u64, "lines"))
    }
}

/// A text with each number replaced, so that items of a list are equal.
pub(crate) fn without_numbers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        if !letter.is_ascii_digit() {
            out.push(letter);
        } else if !out.ends_with('#') {
            out.push('#');
        }
    }
    out
}

/// What equal lines have in common: all but their offset and the number of the item.
fn key(line: &Line<'_>) -> String {
    if line.kind == LineKind::Part {
        return String::new();
    }
    let name = line.name.split('[').next().unwrap_or_default();
    let value = line.value.as_ref().map_or_else(String::new, |value| InWords(value).to_string());
    let bytes = line.span.map_or(0, |span| span.bytes);
    format!("{} {name} {bytes} {} {value} {}", line.depth, line.type_name, line.note)
}

fn text(line: &Line<'_>) -> String {
    // Writing to a String cannot fail.
    let mut all = place(line.span, "");
    let indent = 2 * line.depth.min(DEEPEST_INDENT);
    let deep = if line.depth > DEEPEST_INDENT { format!("[{}] ", line.depth) } else { String::new() };
    let name = escape(line.name);
    let style = match (line.kind, line.name, &*line.note) {
        (_, "problem", _) => report::style(Severity::Error),
        // They are a warning where the format has no place for them.
        (LineKind::Gap, _, "after the last part") => report::style(Severity::Warning),
        (kind, ..) => style(kind),
    };
    let _ = write!(all, "{:indent$}{deep}{HANG}{style}{name}{style:#}", "");
    let value = line.value.as_ref().map_or_else(String::new, |value| InWords(value).to_string());
    for (style, text) in [(FAINT, escape(&line.type_name)), (Style::new(), value), (Style::new(), escape(&line.note))] {
        if !text.is_empty() {
            let _ = write!(all, "  {style}{text}{style:#}");
        }
    }
    all.push('\n');
    all
}
