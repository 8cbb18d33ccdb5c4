//! Headings and lists of a report.

use std::io::{Result, Write};

use anstyle::Style;

use super::text::grouped;

pub(crate) const HEADING: Style = Style::new().bold();
pub(crate) const FAINT: Style = Style::new().dimmed();

/// Longer lists are truncated and marked; `--json` has everything.
pub(super) const LONGEST_LIST: usize = 400;

pub(super) fn heading(out: &mut impl Write, text: &str) -> Result<()> {
    writeln!(out, "\n{HEADING}{text}{HEADING:#}")
}

/// Writes a heading and the items below it. Writes nothing if there are none.
pub(super) fn section<W: Write, T>(
    out: &mut W,
    title: &str,
    items: impl IntoIterator<Item = T>,
    line: impl FnMut(&mut W, T) -> Result<()>,
) -> Result<()> {
    let mut items = items.into_iter().peekable();
    if items.peek().is_none() {
        return Ok(());
    }
    heading(out, title)?;
    list(out, items, line)
}

/// Writes the items, up to a readable number.
pub(super) fn list<W: Write, T>(
    out: &mut W,
    mut items: impl Iterator<Item = T>,
    mut line: impl FnMut(&mut W, T) -> Result<()>,
) -> Result<()> {
    for item in items.by_ref().take(LONGEST_LIST) {
        line(out, item)?;
    }
    more(out, items.count())
}

/// Writes how much of a list is not shown.
pub(super) fn more(out: &mut impl Write, hidden: usize) -> Result<()> {
    if hidden == 0 {
        return Ok(());
    }
    writeln!(out, "  {FAINT}... and {} more; --json has all{FAINT:#}", grouped(hidden as u64))
}

/// Writes how much of a list is not shown. If the list is not complete, there may be more.
pub(super) fn rest(out: &mut impl Write, hidden: usize, is_complete: bool) -> Result<()> {
    if is_complete || hidden == 0 {
        return more(out, hidden);
    }
    writeln!(out, "  {FAINT}... and at least {} more{FAINT:#}", grouped(hidden as u64))
}

/// Writes why a report is not complete, if it is not.
pub(super) fn incomplete(out: &mut impl Write, missing: Option<String>) -> Result<()> {
    let Some(missing) = missing else { return Ok(()) };
    writeln!(out, "\n  not all is shown: {missing}")
}
