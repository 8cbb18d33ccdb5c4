//! Shows a file field by field.

use std::fmt::Write as _;
use std::io::{Result, Write};
use std::ops::ControlFlow;

use anstyle::{AnsiColor, Style};
use meshpeek::dissect::{Line, LineKind, Sink, overview};
use meshpeek::inspect::{Selector, Span};
use meshpeek::json::Row;
use meshpeek::summary::Severity;

use super::args::Args;
use crate::args::LineFormat;
use crate::limits::with_flag;
use crate::output::Output;
use crate::report::list::FAINT;
use crate::report::{self, HEADING, escape};
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
    let mut line = String::new();
    add_place(&mut line, span);
    line.push_str(text);
    line
}

/// Adds the offset and size of a line, before its text.
fn add_place(line: &mut String, span: Option<Span>) {
    // Writing to a String cannot fail.
    let _ = match span {
        Some(Span { offset, bytes, .. }) => write!(line, "{offset:#010x}  {bytes:>10}  "),
        None => write!(line, "{:24}", ""),
    };
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
        if let Some(depth) = self.depth
            && line.depth <= depth
        {
            self.depth = None;
        }
        if line.selector == selector {
            self.depth = Some(line.depth);
        }
        if self.depth.is_some() {
            return true;
        }
        // Parts that are not contiguous have no line of their own.
        match line.selector.strip_prefix(selector) {
            Some(rest) => rest.starts_with('/'),
            None => false,
        }
    }
}

/// The lines of problems.
#[derive(Clone, Copy, Default)]
pub(super) struct ProblemLines {
    pub(super) shown: u64,
    /// Those that the arguments exclude.
    pub(super) hidden: u64,
}

/// Writes the lines within the target of a selector: every field, or an overview of them. Counts the lines of problems.
pub(super) fn write(
    lines: Lines<'_>,
    args: &Args,
    is_full: bool,
    within: Option<&Selector>,
    runs: Runs,
    out: &mut Output,
) -> Result<ProblemLines> {
    if args.format == LineFormat::Text {
        writeln!(out, "{:>10}  {:>10}  {}", "offset", "bytes", if is_full { "field" } else { "part" })?;
    }
    let mut writer = Writer {
        args,
        runs,
        out,
        top: None,
        words: Words::default(),
        problems: ProblemLines::default(),
        written: Ok(()),
    };
    let wanted = |sink: Sink<'_>| {
        let mut within = Within::new(within);
        lines(&mut |line| if within.holds(line) { sink(line) } else { ControlFlow::Continue(()) });
    };
    if is_full {
        wanted(&mut |line| writer.line(line))
    } else {
        overview(&wanted, &mut |line| writer.line(line))
    }
    writer.written?;
    writer.runs.end(writer.out)?;
    Ok(writer.problems)
}

/// Writes lines until that fails.
struct Writer<'w> {
    args: &'w Args,
    runs: Runs,
    out: &'w mut Output,
    /// The depth of the first line.
    top: Option<usize>,
    words: Words,
    problems: ProblemLines,
    written: Result<()>,
}

impl Writer<'_> {
    fn line(&mut self, line: &Line<'_>) -> ControlFlow<()> {
        let top = *self.top.get_or_insert(line.depth);
        let is_wanted = self.is_wanted(line, line.depth.saturating_sub(top));
        if line.problem.is_some() {
            let count = if is_wanted { &mut self.problems.shown } else { &mut self.problems.hidden };
            *count += 1;
        }
        if is_wanted {
            self.written = match self.args.format {
                LineFormat::Text => self.text(line),
                LineFormat::Ndjson => self.out.json_line(&Row(line)),
            };
        }
        if self.written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    fn text(&mut self, line: &Line<'_>) -> Result<()> {
        self.words.set(line);
        self.runs.add(&self.words.key, &self.words.text, self.out)
    }

    fn is_wanted(&self, line: &Line<'_>, level: usize) -> bool {
        if let Some(depth) = self.args.depth
            && level >= depth.get()
        {
            return false;
        }
        self.args.only.is_empty() || self.args.only.iter().any(|kind| kind == line.kind.name())
    }
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
    pub(crate) fn add(&mut self, key: &str, line: &str, out: &mut Output) -> Result<()> {
        if !self.is_on {
            return out.write_all(line.as_bytes());
        }
        if self.group > 0 && self.repeats(self.group, key) {
            self.hold(line);
            return Ok(());
        }
        self.end(out)?;
        if let Some(group) = (1..=LONGEST_GROUP).find(|&group| self.repeats(group, key)) {
            self.group = group;
            self.hold(line);
            return Ok(());
        }
        self.remember(key);
        out.write_all(line.as_bytes())
    }

    /// True if a line with this key continues the repetition of the last lines.
    fn repeats(&self, group: usize, key: &str) -> bool {
        let Some(start) = self.recent.len().checked_sub(group) else { return false };
        let place = start + self.count % group;
        match self.recent.get(place) {
            Some(known) => !key.is_empty() && known == key,
            None => false,
        }
    }

    fn hold(&mut self, line: &str) {
        self.count += 1;
        if self.held.len() <= 2 * self.group {
            self.held.push(line.to_owned());
        }
    }

    fn remember(&mut self, key: &str) {
        // The oldest key lends its memory: most lines are remembered.
        let mut place = match self.recent.len() {
            LONGEST_GROUP => self.recent.remove(0),
            _ => String::new(),
        };
        key.clone_into(&mut place);
        self.recent.push(place);
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
            for line in &held {
                out.write_all(line.as_bytes())?;
            }
            return Ok(());
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

/// The words of a line. All lines use the same memory: files have millions of them.
#[derive(Default)]
struct Words {
    /// The words that equal lines share: all but their offset and the number of the item. Empty for a part.
    key: String,
    /// The line itself.
    text: String,
    /// The value of the field.
    value: String,
}

impl Words {
    /// Replaces the words by those of this line.
    fn set(&mut self, line: &Line<'_>) {
        self.value.clear();
        if let Some(value) = &line.value {
            // Writing to a String cannot fail.
            let _ = write!(self.value, "{}", InWords(value));
        }
        self.set_key(line);
        self.set_text(line);
    }

    fn set_key(&mut self, line: &Line<'_>) {
        self.key.clear();
        if line.kind == LineKind::Part {
            return;
        }
        let name = line.name.split('[').next().unwrap_or_default();
        let bytes = match line.span {
            Some(span) => span.bytes,
            None => 0,
        };
        // Writing to a String cannot fail.
        let _ = write!(self.key, "{} {bytes}", line.depth);
        for part in [name, &line.type_name, &self.value, &line.note] {
            self.key.push(' ');
            self.key.push_str(part);
        }
    }

    fn set_text(&mut self, line: &Line<'_>) {
        self.text.clear();
        add_place(&mut self.text, line.span);
        // Writing to a String cannot fail.
        let _ = write!(self.text, "{:1$}", "", 2 * line.depth.min(DEEPEST_INDENT));
        if line.depth > DEEPEST_INDENT {
            let _ = write!(self.text, "[{}] ", line.depth);
        }
        self.text.push(HANG);
        add_styled(&mut self.text, style_of(line), &escape(line.name));
        add_column(&mut self.text, FAINT, &escape(&line.type_name));
        add_column(&mut self.text, Style::new(), &self.value);
        match line.problem {
            Some(code) => add_column(&mut self.text, Style::new(), &escape(&with_flag(&line.note, code))),
            None => add_column(&mut self.text, Style::new(), &escape(&line.note)),
        }
        self.text.push('\n');
    }
}

/// Adds a text in this style after two spaces, but nothing if it is empty.
fn add_column(line: &mut String, style: Style, text: &str) {
    if !text.is_empty() {
        line.push_str("  ");
        add_styled(line, style, text);
    }
}

/// Adds a text in this style.
fn add_styled(line: &mut String, style: Style, text: &str) {
    if style.is_plain() {
        line.push_str(text);
    } else {
        // Writing to a String cannot fail.
        let _ = write!(line, "{style}{text}{style:#}");
    }
}

/// The style of the name of a line.
fn style_of(line: &Line<'_>) -> Style {
    match (line.kind, line.name, &*line.note) {
        (_, "problem", _) => report::style(Severity::Error),
        // They are a warning where the format has no place for them.
        (LineKind::Gap, _, "after the last part") => report::style(Severity::Warning),
        (kind, ..) => style(kind),
    }
}
