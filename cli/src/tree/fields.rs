//! Shows a file field by field.

use std::io::{Result, Write};
use std::ops::ControlFlow;

use anstyle::{AnsiColor, Style};
use meshpeek::dissect::{Line, LineKind, Sink, overview};
use meshpeek::inspect::{Selector, Value};
use meshpeek::json::LONGEST_TEXT;
use meshpeek::summary::Severity;
use serde::Serialize;

use crate::args::LineFormat;
use crate::output::Output;
use crate::report::{FAINT, HEADING, escape, severity};
use crate::value::{AsJson, InWords};
use crate::wrap::HANG;

/// Deeper lines keep this indentation and state their depth.
const DEEPEST_INDENT: usize = 40;

/// A line as a JSON object.
#[derive(Serialize)]
struct Row<'l> {
    depth: usize,
    selector: Option<&'l str>,
    name: &'l str,
    kind: LineKind,
    offset: Option<u64>,
    bytes: Option<u64>,
    r#type: Option<&'l str>,
    value: Option<AsJson<'l>>,
    note: Option<&'l str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    lossy: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    raw: Option<String>,
}

/// The source of a file's lines.
pub(crate) type Lines<'l> = &'l dyn Fn(Sink<'_>);

/// The style for lines of a kind.
pub(crate) fn style(kind: LineKind) -> Style {
    match kind {
        LineKind::Part => HEADING,
        LineKind::Array => Style::new().fg_color(Some(AnsiColor::Cyan.into())),
        LineKind::Gap => FAINT,
        _ => Style::new(),
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

/// Writes every line, or only those in the target of the selector. Without fields, an overview of them.
pub(super) fn write(
    lines: Lines<'_>,
    format: LineFormat,
    fields: bool,
    only: Option<&Selector>,
    out: &mut Output,
) -> Result<()> {
    let mut written = match format {
        LineFormat::Text => {
            writeln!(out, "{:>10}  {:>10}  {}", "offset", "bytes", if fields { "field" } else { "part" })
        }
        LineFormat::Ndjson => Ok(()),
    };
    let wanted = |sink: Sink<'_>| {
        let mut within = Within::new(only);
        lines(&mut |line| if within.holds(line) { sink(line) } else { ControlFlow::Continue(()) });
    };
    let sink: Sink<'_> = &mut |line| {
        if written.is_ok() {
            written = write_line(line, format, out);
        }
        if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    if fields {
        wanted(sink)
    } else {
        overview(&wanted, sink)
    }
    written
}

fn write_line(line: &Line<'_>, format: LineFormat, out: &mut Output) -> Result<()> {
    match format {
        LineFormat::Text => text(line, out),
        LineFormat::Ndjson => ndjson(line, out),
    }
}

fn ndjson(line: &Line<'_>, out: &mut Output) -> Result<()> {
    let given = |text| Some(text).filter(|text: &&str| !text.is_empty());
    let meaning = match &line.value {
        Some(Value::Coded(_, Some(meaning))) => &**meaning,
        _ => &line.note,
    };
    let value = line.value.as_ref().map(AsJson);
    let row = Row {
        depth: line.depth,
        selector: given(line.selector),
        name: line.name,
        kind: line.kind,
        offset: line.span.map(|span| span.offset),
        bytes: line.span.map(|span| span.bytes),
        r#type: given(&line.type_name),
        lossy: value.as_ref().is_some_and(AsJson::is_lossy),
        raw: match &line.value {
            Some(Value::Text(text)) => text.cut(LONGEST_TEXT).to_raw(),
            _ => None,
        },
        value,
        note: given(meaning),
    };
    out.json_line(&row)
}

fn text(line: &Line<'_>, out: &mut Output) -> Result<()> {
    match line.span {
        Some(span) => write!(out, "{:#010x}  {:>10}  ", span.offset, span.bytes)?,
        None => write!(out, "{:24}", "")?,
    }
    let indent = 2 * line.depth.min(DEEPEST_INDENT);
    let deep = if line.depth > DEEPEST_INDENT { format!("[{}] ", line.depth) } else { String::new() };
    let name = escape(line.name);
    let style = match (line.kind, line.name, &*line.note) {
        (_, "problem", _) => severity(Severity::Error).1,
        // They are a warning where the format has no place for them.
        (LineKind::Gap, _, "after the last part") => severity(Severity::Warning).1,
        (kind, ..) => style(kind),
    };
    write!(out, "{:indent$}{deep}{HANG}{style}{name}{style:#}", "")?;
    let value = line.value.as_ref().map_or_else(String::new, |value| InWords(value).to_string());
    for (style, text) in [(FAINT, escape(&line.type_name)), (Style::new(), value), (Style::new(), escape(&line.note))] {
        if !text.is_empty() {
            write!(out, "  {style}{text}{style:#}")?;
        }
    }
    writeln!(out)
}
