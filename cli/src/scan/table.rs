//! Formats records as a table that uses the available width. No word or number is split, and nothing is left out.
//!
//! A row is a file, its format, its size and its counts, which continue on further lines if they do not fit. The lines
//! below a row report problems. Members have a heading with the address of their archive. Files have a heading with
//! their folder, if their paths are too long for a column.

use std::collections::HashMap;
use std::io::{Result, Write};
use std::path::{Path, PathBuf};

use meshpeek::scan::Record;
use meshpeek::summary::Problem;
use unicode_width::UnicodeWidthStr;

use crate::args::Inputs;
use crate::report::{self, HEADING, escape};
use crate::wrap::{HANG, held, wrapped};

/// The gap between two columns.
const GAP: usize = 2;
/// The preferred minimum widths of the columns of names and of counts.
const LEAST_NAME: usize = 20;
const LEAST_COUNTS: usize = 20;
/// The indentation of lines below a heading.
const INDENT: usize = 2;

/// The arguments, which determine the order of results.
pub(crate) struct Order<'i>(HashMap<&'i Path, usize>);

/// The sort key of a record: the argument that led to it, its path, its member.
pub(crate) type Key = (usize, PathBuf, Option<String>);

impl<'i> Order<'i> {
    pub(crate) fn new(inputs: &'i Inputs) -> Self {
        let paths = inputs.paths.iter().enumerate().filter(|_| inputs.sort.is_none());
        Self(paths.map(|(index, path)| (path.as_path(), index)).collect())
    }

    pub(crate) fn key(&self, record: &Record) -> Key {
        let argument = record.path.ancestors().find_map(|path| self.0.get(path)).copied().unwrap_or(usize::MAX);
        (argument, record.path.clone(), record.member.as_ref().map(|member| member.text.clone()))
    }
}

pub(super) struct Table<'i> {
    order: Order<'i>,
    /// True if rows come in the order to write.
    is_sorted: bool,
    rows: Vec<Row>,
}

struct Row {
    key: Key,
    /// The address of the archive or the folder, up to the name in it.
    heading: String,
    name: String,
    format: String,
    bytes: String,
    counts: String,
    problem: Option<String>,
}

impl Row {
    fn new(key: Key, record: &Record) -> Self {
        let summary = &record.summary;
        let path = escape(&record.path_name().text);
        let (heading, name) = match record.member.as_ref().map(|member| escape(&member.text)) {
            None => (String::new(), path),
            Some(member) => match member.rsplit_once("!/") {
                Some((archive, member)) => (format!("{path}!/{archive}!/"), member.to_owned()),
                None => (format!("{path}!/"), member),
            },
        };
        let version = summary.version.map(|version| format!(" {version}")).unwrap_or_default();
        Self {
            key,
            heading,
            name,
            format: summary.format.map_or_else(|| "-".to_owned(), |format| format!("{format}{version}")),
            bytes: report::grouped(summary.bytes),
            counts: report::contents(record),
            problem: worst(&summary.problems),
        }
    }

    /// Moves the folder of a file into the heading.
    fn split_path(&mut self) {
        if self.heading.is_empty()
            && let Some(end) = self.name.rfind(std::path::is_separator)
        {
            self.heading = self.name.drain(..=end).collect();
        }
    }

    fn indent(&self) -> usize {
        if self.heading.is_empty() { 0 } else { INDENT }
    }
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
    Some(format!("{style}{severity}{style:#}: {}{more}", escape(&first.message)))
}

impl<'i> Table<'i> {
    pub(super) fn new(inputs: &'i Inputs) -> Self {
        Self { order: Order::new(inputs), is_sorted: inputs.sort.is_some(), rows: Vec::new() }
    }

    pub(super) fn add(&mut self, record: &Record) {
        self.rows.push(Row::new(self.order.key(record), record));
    }

    /// Writes all rows in the order of the walk, or of `--sort`.
    pub(super) fn write(mut self, width: usize, out: &mut impl Write) -> Result<()> {
        if !self.is_sorted {
            self.rows.sort_by(|a, b| a.key.cmp(&b.key));
        }
        let mut columns = Columns::of(&self.rows, width);
        if columns.is_cut {
            self.rows.iter_mut().for_each(Row::split_path);
            columns = Columns::of(&self.rows, width);
        }
        let format = format!("{:<1$}", "format", columns.format);
        let file = format!("{:<1$}", "file", columns.name);
        let line = format!("{file}  {format}  {:>1$}", "bytes", columns.bytes);
        // If counts have lines of their own, there may be no space for their title.
        let contents = if line.width() + "  contents".width() <= width { "  contents" } else { "" };
        writeln!(out, "{HEADING}{line}{contents}{HEADING:#}")?;
        let mut heading = "";
        for row in &self.rows {
            if row.heading != heading {
                heading = &row.heading;
                if !heading.is_empty() {
                    writeln!(out, "{HEADING}{}{HEADING:#}", held(heading))?;
                }
            }
            columns.row(row, out)?;
            if let Some(problem) = &row.problem {
                let indent = row.indent() + INDENT;
                writeln!(out, "{}", wrapped(&format!("{:indent$}{problem}", ""), Some(width)))?;
            }
        }
        Ok(())
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
    fn of(rows: &[Row], width: usize) -> Self {
        let widest = |header: &str, of: &dyn Fn(&Row) -> usize| rows.iter().map(of).fold(header.width(), usize::max);
        let format = widest("format", &|row| row.format.width());
        let bytes = widest("bytes", &|row| row.bytes.width());
        let widest = widest("file", &|row| row.indent() + row.name.width());
        let room = width.saturating_sub(format + bytes + 2 * GAP);
        // In a narrow table, counts have lines of their own.
        let name = widest.min(room.saturating_sub(LEAST_COUNTS + GAP).max(room.min(LEAST_NAME))).max("file".width());
        Self { width, name, format, bytes, is_cut: widest > name }
    }

    fn row(&self, row: &Row, out: &mut impl Write) -> Result<()> {
        let mut line = format!("{:1$}{2}", "", row.indent(), held(&row.name));
        // A name that is wider than the column has a line of its own.
        if line.width() > self.name {
            writeln!(out, "{line}")?;
            line.clear();
        }
        let (pad, format, bytes) = (self.name.saturating_sub(line.width()), self.format, self.bytes);
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
