//! Formats records as a table that uses the available width. No word or number is split, and nothing is left out.
//!
//! A row is a file, its format, its size and its counts, which continue on further lines if they do not fit. The lines
//! below a row report problems. Members have a heading with the address of their archive. Files have a heading with
//! their folder, if their paths are too long for a column.

use std::io::{ErrorKind, Result, Write as _};

use meshpeek::address::MemberPath;
use meshpeek::scan::Record;
use meshpeek::summary::Problem;
use unicode_width::UnicodeWidthStr;

use crate::limits::with_flag;
use crate::output::Output;
use crate::report::{self, HEADING, escape};
use crate::sorted::Sorted;
use crate::wrap::{HANG, held, width, wrapped};

/// The gap between two columns.
const GAP: usize = 2;
/// The preferred minimum widths of the columns of names and of counts.
const LEAST_NAME: usize = 20;
const LEAST_COUNTS: usize = 20;
/// The indentation of lines below a heading.
const INDENT: usize = 2;

/// The rows of a table, until their widths are known.
pub(super) struct Table {
    rows: Sorted,
    out: Output,
}

/// A row, as it waits to be written: its texts, each after its length.
struct Row<'r> {
    /// The address of the archive or the folder, up to the name in it.
    heading: &'r str,
    name: &'r str,
    format: &'r str,
    bytes: &'r str,
    counts: &'r str,
    /// Empty without a problem.
    problem: &'r str,
}

/// Makes the row of a record.
fn row_of(record: &Record) -> Vec<u8> {
    let summary = &record.summary;
    let mut heading = String::new();
    let mut name = escape(&record.path_name().text).into_owned();
    if let Some(member) = &record.member {
        let member = escape(&member.text);
        let (archive, own) = MemberPath::new(&member).split_last();
        heading = MemberPath::join_text(&MemberPath::join_text(&name, archive), Some(""));
        name = own.to_owned();
    }
    let format = match (summary.format, summary.version) {
        (None, _) => "-".to_owned(),
        (Some(format), None) => format.to_string(),
        (Some(format), Some(version)) => format!("{format} {version}"),
    };
    let bytes = report::grouped(summary.bytes);
    let problem = worst(&summary.problems).unwrap_or_default();
    let mut row = Vec::new();
    for text in [heading, name, format, bytes, report::contents(record), problem] {
        row.extend((text.len() as u64).to_le_bytes());
        row.extend(text.as_bytes());
    }
    row
}

impl<'r> Row<'r> {
    fn read(row: &'r [u8]) -> Result<Self> {
        match Self::parse(row) {
            Some(row) => Ok(row),
            None => Err(ErrorKind::InvalidData.into()),
        }
    }

    fn parse(row: &'r [u8]) -> Option<Self> {
        let (heading, rest) = text(row)?;
        let (name, rest) = text(rest)?;
        let (format, rest) = text(rest)?;
        let (bytes, rest) = text(rest)?;
        let (counts, rest) = text(rest)?;
        let (problem, _) = text(rest)?;
        Some(Self { heading, name, format, bytes, counts, problem })
    }

    /// Moves the folder of a file into the heading.
    fn split_path(&mut self) {
        if self.heading.is_empty()
            && let Some(separator) = self.name.rfind(std::path::is_separator)
        {
            // Separators have one byte.
            let (folder, name) = self.name.split_at(separator + 1);
            self.heading = folder;
            self.name = name;
        }
    }

    fn indent(&self) -> usize {
        if self.heading.is_empty() { 0 } else { INDENT }
    }
}

/// The next text of a row, and what is after it.
fn text(row: &[u8]) -> Option<(&str, &[u8])> {
    let (length, rest) = row.split_first_chunk()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    let (text, rest) = rest.split_at_checked(length)?;
    Some((str::from_utf8(text).ok()?, rest))
}

/// The first of the worst problems, and the number of other problems.
fn worst(problems: &[Problem]) -> Option<String> {
    let severity = problems.iter().map(|problem| problem.severity).max()?;
    let first = problems.iter().find(|problem| problem.severity == severity)?;
    let more = match problems.len() - 1 {
        0 => String::new(),
        further => format!(" {}", held(&format!("({} more)", report::grouped(further as u64)))),
    };
    let style = report::style(severity);
    let message = with_flag(&first.message, first.code);
    Some(format!("{style}{severity}{style:#}: {}{more}", escape(&message)))
}

impl Table {
    pub(super) fn new(rows: Sorted, out: Output) -> Self {
        Self { rows, out }
    }

    pub(super) fn add_record(&mut self, record: &Record) -> Result<()> {
        if !self.rows.wants(record) {
            return Ok(());
        }
        self.rows.push(record, &row_of(record))
    }

    /// Writes all rows in order.
    pub(super) fn write(self) -> Result<()> {
        let Self { mut rows, mut out } = self;
        let width = width(out.is_terminal);
        let mut widest = Widest::new();
        let mut widest_if_split = Widest::new();
        while let Some(row) = rows.next()? {
            let mut row = Row::read(row)?;
            widest.add(&row);
            row.split_path();
            widest_if_split.add(&row);
        }
        let mut columns = Columns::of(&widest, width);
        let is_split = columns.is_cut;
        if is_split {
            columns = Columns::of(&widest_if_split, width);
        }
        let format = format!("{:<1$}", "format", columns.format);
        let file = format!("{:<1$}", "file", columns.name);
        let line = format!("{file}  {format}  {:>1$}", "bytes", columns.bytes);
        // If counts have lines of their own, there may be no space for their title.
        let contents = if line.width() + "  contents".width() <= width { "  contents" } else { "" };
        writeln!(out, "{HEADING}{line}{contents}{HEADING:#}")?;
        let mut heading = String::new();
        rows.rewind();
        while let Some(row) = rows.next()? {
            let mut row = Row::read(row)?;
            if is_split {
                row.split_path();
            }
            if row.heading != heading {
                row.heading.clone_into(&mut heading);
                if !heading.is_empty() {
                    writeln!(out, "{HEADING}{}{HEADING:#}", held(&heading))?;
                }
            }
            columns.row(&row, &mut out)?;
            if !row.problem.is_empty() {
                let indent = row.indent() + INDENT;
                writeln!(out, "{}", wrapped(&format!("{:indent$}{}", "", row.problem), Some(width)))?;
            }
        }
        out.flush()
    }
}

/// The largest widths of texts in a column.
struct Widest {
    name: usize,
    format: usize,
    bytes: usize,
}

impl Widest {
    fn new() -> Self {
        Self { name: "file".width(), format: "format".width(), bytes: "bytes".width() }
    }

    fn add(&mut self, row: &Row<'_>) {
        self.name = self.name.max(row.indent() + row.name.width());
        self.format = self.format.max(row.format.width());
        self.bytes = self.bytes.max(row.bytes.width());
    }
}

struct Columns {
    width: usize,
    name: usize,
    format: usize,
    bytes: usize,
    /// True if some name is wider than its column.
    is_cut: bool,
}

impl Columns {
    fn of(widest: &Widest, width: usize) -> Self {
        let Widest { name: widest, format, bytes } = *widest;
        let room = width.saturating_sub(format + bytes + 2 * GAP);
        // In a narrow table, counts have lines of their own.
        let name = widest.min(room.saturating_sub(LEAST_COUNTS + GAP).max(room.min(LEAST_NAME))).max("file".width());
        Self { width, name, format, bytes, is_cut: widest > name }
    }

    fn row(&self, row: &Row<'_>, out: &mut Output) -> Result<()> {
        let mut line = format!("{:1$}{2}", "", row.indent(), held(row.name));
        // A name that is wider than the column has a line of its own.
        if line.width() > self.name {
            writeln!(out, "{line}")?;
            line.clear();
        }
        let pad = self.name.saturating_sub(line.width());
        let Self { format, bytes, .. } = *self;
        line += &format!("{:pad$}  {:<format$}  {:>bytes$}", "", row.format, row.bytes);
        if row.counts.is_empty() {
            return writeln!(out, "{line}");
        }
        if line.width() + GAP + row.counts.width() <= self.width {
            return writeln!(out, "{line}  {}", row.counts);
        }
        let further = format!("{:1$}{HANG}{2}", "", row.indent() + 2 * INDENT, row.counts);
        writeln!(out, "{line}\n{}", wrapped(&further, Some(self.width)))
    }
}
