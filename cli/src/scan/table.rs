//! Records as a table that is as wide as there is room: no line longer, no word and no number broken.
//!
//! A row is a file, its format, its size, and as many of its counts as fit; a line below it says what is wrong. Where room
//! is short, paths lose folders from their middle, then counts go, the least telling first, then whole columns.

use std::collections::HashMap;
use std::io::{Result, Write};
use std::path::{Path, PathBuf};

use anstyle::Style;
use meshpeek::scan::Record;
use meshpeek::summary::{Problem, Severity};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::args::Inputs;
use crate::report;

/// Where nobody says how much room there is.
const USUAL_WIDTH: usize = 100;
/// Narrower is not attempted.
const LEAST_WIDTH: usize = 40;
/// Between two columns.
const GAP: usize = 2;
/// What a path and what counts should have before other columns are cut for them.
const LEAST_PATH: usize = 12;
const LEAST_COUNTS: usize = 20;

const HEADING: Style = Style::new().bold();

/// What tells most of an asset, first; counts not named here come after these, in their own order.
const TELLING: [&str; 9] =
    ["members", "vertices", "triangles", "faces", "frames", "lods", "meshes", "objects", "bones"];

/// How wide to write: what the terminal has, what COLUMNS says, or the usual.
pub(crate) fn width(terminal: bool) -> usize {
    let of_terminal = || Some(usize::from(terminal_size::terminal_size_of(std::io::stdout())?.0.0));
    let of_variable = || std::env::var("COLUMNS").ok()?.parse().ok();
    let width = terminal.then(of_terminal).flatten().filter(|&width| width > 0).or_else(of_variable);
    width.unwrap_or(USUAL_WIDTH).max(LEAST_WIDTH)
}

/// The rows so far.
pub(super) struct Table<'i> {
    /// The place of each argument.
    order: HashMap<&'i Path, usize>,
    rows: Vec<Row>,
}

struct Row {
    /// The argument that led to it, its path, its member.
    key: (usize, PathBuf, Option<String>),
    place: String,
    format: String,
    bytes: String,
    /// Each with its rank among what tells most.
    counts: Vec<(usize, String)>,
    problem: Option<Line>,
}

/// What is said of a row's problems.
struct Line {
    severity: Severity,
    message: String,
    further: usize,
}

impl Row {
    fn new(key: (usize, PathBuf, Option<String>), record: &Record) -> Self {
        let summary = &record.summary;
        let version = summary.version.map(|version| format!(" {version}")).unwrap_or_default();
        let rank = |name| TELLING.iter().position(|telling| *telling == name).unwrap_or(TELLING.len());
        Self {
            key,
            place: report::place(record),
            format: summary.format.map_or_else(|| "-".to_owned(), |format| format!("{format}{version}")),
            bytes: report::grouped(summary.bytes),
            counts: report::counts(record).map(|(name, count)| (rank(name), count)).collect(),
            problem: worst(&summary.problems),
        }
    }

    /// As many counts as fit, the most telling ones, in their own order.
    fn contents(&self, width: usize) -> String {
        let mut ranked: Vec<usize> = (0..self.counts.len()).collect();
        ranked.sort_by_key(|&index| self.counts[index].0);
        for kept in (1..=ranked.len()).rev() {
            let mut indices = ranked[..kept].to_vec();
            indices.sort_unstable();
            let counts: Vec<&str> = indices.iter().map(|&index| self.counts[index].1.as_str()).collect();
            let end = if kept < ranked.len() { ", …" } else { "" };
            let text = counts.join(", ") + end;
            if text.width() <= width {
                return text;
            }
        }
        String::new()
    }
}

/// The first of the worst problems, and how many there are beside it.
fn worst(problems: &[Problem]) -> Option<Line> {
    let severity = problems.iter().map(|problem| problem.severity).max()?;
    let first = problems.iter().find(|problem| problem.severity == severity)?;
    Some(Line { severity, message: report::escape(&first.message), further: problems.len() - 1 })
}

impl<'i> Table<'i> {
    pub(super) fn new(inputs: &'i Inputs) -> Self {
        let order = inputs.paths.iter().enumerate().map(|(index, path)| (path.as_path(), index)).collect();
        Self { order: if inputs.sort.is_some() { HashMap::new() } else { order }, rows: Vec::new() }
    }

    pub(super) fn add(&mut self, record: &Record) {
        let argument = record.path.ancestors().find_map(|path| self.order.get(path)).copied().unwrap_or(usize::MAX);
        let key = (argument, record.path.clone(), record.member.as_ref().map(|member| member.text.clone()));
        self.rows.push(Row::new(key, record));
    }

    /// All rows in the order of the walk, in lines that are no wider than this.
    pub(super) fn write(mut self, width: usize, out: &mut impl Write) -> Result<()> {
        self.rows.sort_by(|a, b| a.key.cmp(&b.key));
        let columns = Columns::of(&self.rows, width);
        columns.line(out, HEADING, "file", "format", "bytes", "contents")?;
        for row in &self.rows {
            let contents = row.contents(columns.contents);
            columns.line(out, Style::new(), &shorten(&row.place, columns.place), &row.format, &row.bytes, &contents)?;
            if let Some(problem) = &row.problem {
                problem.write(width, out)?;
            }
        }
        Ok(())
    }
}

impl Line {
    fn write(&self, width: usize, out: &mut impl Write) -> Result<()> {
        let (word, style) = report::severity(self.severity);
        let more = match self.further {
            0 => String::new(),
            further => format!(" ({} more)", report::grouped(further as u64)),
        };
        let room = width.saturating_sub("  ".width() + word.width() + ": ".width() + more.width());
        writeln!(out, "  {style}{word}{style:#}: {}{more}", cut(&self.message, room))
    }
}

/// How wide each column is; 0 where there is no room for it.
struct Columns {
    place: usize,
    format: usize,
    bytes: usize,
    contents: usize,
}

impl Columns {
    fn of(rows: &[Row], width: usize) -> Self {
        let widest = |header: &str, of: &dyn Fn(&Row) -> usize| rows.iter().map(of).fold(header.width(), usize::max);
        let place = widest("file", &|row| row.place.width());
        let mut format = widest("format", &|row| row.format.width());
        let mut bytes = widest("bytes", &|row| row.bytes.width());
        let mut contents = widest("contents", &|row| row.contents(usize::MAX).width());
        let room = |columns: &[usize]| {
            let taken: usize = columns.iter().filter(|&&column| column > 0).map(|column| column + GAP).sum();
            width.saturating_sub(taken)
        };
        // From the least telling on.
        if room(&[format, bytes, contents.min(LEAST_COUNTS)]) < place.min(LEAST_PATH) {
            contents = 0;
        }
        if room(&[format, bytes, contents]) < place.min(LEAST_PATH) && contents == 0 {
            bytes = 0;
        }
        if room(&[format, bytes, contents]) < place.min(LEAST_PATH) && contents == 0 {
            format = 0;
        }
        let left = room(&[format, bytes]);
        if contents > 0 {
            // What both ask for is shared evenly, but for what one of them does not need.
            let half = left.saturating_sub(GAP) / 2;
            let wanted = place.min(half.max(left.saturating_sub(GAP + contents))).max(place.min(LEAST_PATH));
            let wanted = wanted.min(left.saturating_sub(GAP + contents.min(LEAST_COUNTS)));
            Self { place: wanted, format, bytes, contents: left.saturating_sub(GAP + wanted) }
        } else {
            Self { place: place.min(left), format, bytes, contents }
        }
    }

    fn line(
        &self,
        out: &mut impl Write,
        style: Style,
        place: &str,
        format: &str,
        bytes: &str,
        contents: &str,
    ) -> Result<()> {
        let mut line = padded(place, self.place);
        if self.format > 0 {
            line += &format!("{:GAP$}{}", "", padded(format, self.format));
        }
        if self.bytes > 0 {
            line += &format!("{:GAP$}{bytes:>width$}", "", width = self.bytes);
        }
        if self.contents > 0 {
            line += &format!("{:GAP$}{contents}", "");
        }
        writeln!(out, "{style}{}{style:#}", line.trim_end())
    }
}

fn padded(text: &str, width: usize) -> String {
    format!("{text}{:1$}", "", width.saturating_sub(text.width()))
}

/// A path without some of the folders in its middle: `corpus/…/model.p3d`. The name of the file stays, and loses its own
/// middle only where it alone is too wide.
fn shorten(path: &str, width: usize) -> String {
    if path.width() <= width {
        return path.to_owned();
    }
    let parts: Vec<&str> = path.split_inclusive(['/', '\\']).collect();
    let (mut front, mut back) = (0, parts.len().saturating_sub(1));
    let shown = |front: usize, back: usize| format!("{}…/{}", parts[..front].concat(), parts[back..].concat());
    if shown(front, back).width() > width {
        return without_middle(parts.last().copied().unwrap_or_default(), width);
    }
    // From both ends in turn, for as long as it fits.
    loop {
        let before = (front, back);
        if front + 1 < back && shown(front + 1, back).width() <= width {
            front += 1;
        }
        if front + 1 < back && shown(front, back - 1).width() <= width {
            back -= 1;
        }
        if before == (front, back) {
            return shown(front, back);
        }
    }
}

/// The start and the end of a name, the end being a little longer: it tells what kind of file it is.
fn without_middle(name: &str, width: usize) -> String {
    if name.width() <= width {
        return name.to_owned();
    }
    let room = width.saturating_sub(1);
    let start = prefix(name.chars(), room / 2);
    let end = prefix(name.chars().rev(), room - room / 2);
    format!("{start}…{}", end.chars().rev().collect::<String>())
}

/// The first characters that fit.
fn prefix(chars: impl Iterator<Item = char>, width: usize) -> String {
    let mut taken = 0;
    let fits = |c: &char| {
        taken += c.width().unwrap_or(0);
        taken <= width
    };
    chars.take_while(fits).collect()
}

/// The first words that fit, and a mark where there were more.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut out = String::new();
    for word in text.split_inclusive(' ') {
        if out.width() + word.width() + 1 > width {
            break;
        }
        out += word;
    }
    out.truncate(out.trim_end_matches([' ', ',', ':']).len());
    out.push_str(if out.is_empty() { "…" } else { " …" });
    out
}
