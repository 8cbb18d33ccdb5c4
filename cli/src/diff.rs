//! `meshpeek diff`: differences between two models, archives or folders.

mod archive;
mod git;
mod tree;

use std::collections::HashMap;
use std::io::Write;
use std::iter::zip;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anstyle::{AnsiColor, Style};
use clap::ValueEnum;
use meshpeek::address::{Content, MemberPath};
use meshpeek::answers::folders::{Folders, Reading};
use meshpeek::diff::{Change, Difference, Fact, Options, Row, Rows, compare};
use meshpeek::inspect::Value;
use meshpeek::scan::Selection;
use meshpeek::summary::Name;
use serde::Serialize;
use serde_json::{Value as Json, json};
use unicode_width::UnicodeWidthStr;

use crate::args::Common;
use crate::config::Readable;
use crate::failure::{Failure, Outcome, text_of};
use crate::map;
use crate::notes::Notes;
use crate::output::Output;
use crate::report::{HEADING, count, escape, grouped};
use crate::source::Source;
use crate::table_args;
use crate::tables::{Table, Tables};
use crate::value::Short;
use crate::visible::shown;
use crate::wrap::width;
use archive::Members;
use tree::{Folder, Missing, Side};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The first file, member or folder; `git:REV:PATH` is one in a git repository
    pub(crate) a: PathBuf,
    /// The second; an archive is compared with a folder member by file
    pub(crate) b: PathBuf,
    /// Output format: text, JSON lines, one JSON array, or a table
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: DiffFormat,
    /// Treat numbers with a fraction as equal if they differ by no more than X
    #[arg(long, value_name = "X", default_value_t = 0.0, value_parser = tolerance)]
    tolerance: f64,
    /// Print one line per part or file; the default on a terminal if the differences exceed a screen
    #[arg(long, conflicts_with = "full")]
    stat: bool,
    /// Print only which files differ, one per line; `-q` is for messages
    #[arg(long, conflicts_with_all = ["full", "stat"])]
    brief: bool,
    /// Print every difference, on a terminal too
    #[arg(long)]
    full: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiffFormat {
    Text,
    Ndjson,
    Json,
    #[value(hide = !table_args::ARE_BUILT_IN)]
    Parquet,
    #[value(hide = !table_args::ARE_BUILT_IN)]
    Arrow,
}

fn tolerance(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && number >= 0.0 => Ok(number),
        _ => Err("expected a number, 0 or more, such as 0.001".to_owned()),
    }
}

pub(crate) fn run(args: &Args, common: &Common) -> Outcome {
    let options = Options::default().with_tolerance(args.tolerance);
    // Files of a repository exist until the end.
    let (sides, _folder) = tree::sides([&args.a, &args.b], &common.limits.limits())?;
    match sides.each_ref().map(Side::is_folder) {
        [true, true] => folders(args, sides, common, &options),
        [false, false] => files(args, sides, common, &options),
        [is_folder, _] => with_archive(args, sides, is_folder, common, &options),
    }
}

/// Compares an archive and a folder: members with files.
fn with_archive(args: &Args, sides: [Side; 2], is_first: bool, common: &Common, options: &Options) -> Outcome {
    let (folder, other) = if is_first { (&args.a, &args.b) } else { (&args.b, &args.a) };
    let [a, b] = sides;
    let (folder_side, side) = if is_first { (a, b) } else { (b, a) };
    let given = match &folder_side {
        Side::Given(path) => Some(path.clone()),
        _ => None,
    };
    let temporary = Folder::new()?;
    let source = side.source(other, common)?;
    let Some(Members { tree, errors }) = archive::members(&source, given.as_deref(), &temporary, common)? else {
        let folder = shown(folder);
        let other = shown(other);
        return Err(Failure::Message(format!("{folder} is a folder, {other} is neither a folder nor an archive")));
    };
    source.unchanged()?;
    for error in &errors {
        Notes::new(common).error(text_of(error));
    }
    let sides = if is_first { [folder_side, Side::Tree(tree)] } else { [Side::Tree(tree), folder_side] };
    let status = folders(args, sides, common, options)?;
    Ok(if errors.is_empty() { status } else { ExitCode::from(2) })
}

fn files(args: &Args, sides: [Side; 2], common: &Common, options: &Options) -> Outcome {
    let [a, b] = &sides;
    let source_a = a.source(&args.a, common)?;
    let source_b = b.source(&args.b, common)?;
    let content_a = source_a.content(common)?;
    let content_b = source_b.content(common)?;
    let readable_a = Readable::of(&source_a, &content_a, common)?;
    let readable_b = Readable::of(&source_b, &content_b, common)?;
    let mut page = Page::new(args, common)?;
    let compared = compare(
        compared_side(&source_a, &content_a, &readable_a),
        compared_side(&source_b, &content_b, &readable_b),
        options,
        &mut |difference| {
            let _ = page.add(&difference);
        },
    );
    page.finish()?;
    if let Err(error) = compared {
        // Identify the failing file by the address given for it.
        readable_a.asset(&source_a, &content_a)?;
        readable_b.asset(&source_b, &content_b)?;
        return Err(error.into());
    }
    source_a.unchanged()?;
    source_b.unchanged()?;
    let status = page.status(common);
    // What is not read may differ.
    Ok(if readable_a.is_whole() && readable_b.is_whole() { status } else { ExitCode::from(2) })
}

fn compared_side<'s>(
    source: &'s Source<'_>,
    content: &'s Content<'_>,
    readable: &'s Readable<'_>,
) -> meshpeek::diff::Side<'s> {
    meshpeek::diff::Side { file: &source.name, data: readable.bytes(), budget: content.budget() }
}

fn folders(args: &Args, sides: [Side; 2], common: &Common, options: &Options) -> Outcome {
    let notes = Notes::new(common);
    let mut except = Vec::new();
    if let Some(file) = &common.output_file {
        except.clone_from(&file.ids);
    }
    // Include files that git ignores.
    let selection = Selection { ignored: true, except, ..Selection::default() };
    let mut failures = 0_u64;
    let mut failed = |error: meshpeek::Error| {
        failures += 1;
        notes.error(text_of(&error));
    };
    let [a, b] = sides;
    let a = a.list(&selection, &mut failed);
    let b = b.list(&selection, &mut failed);
    let mut is_missing = false;
    for (side, missing) in [(&args.a, &a.missing), (&args.b, &b.missing)] {
        if let Some(message) = missing.message() {
            notes.error(format_args!("{}: {message}", shown(side)));
            is_missing = true;
        }
    }
    let folders = Folders::new([a.files, b.files]);
    common.results.read(folders.bytes());
    let mut page = Page::new(args, common)?;
    let reading = Reading { access: map::access(common), limits: common.limits.limits() };
    let mut unknown = 0_u64;
    let mut each = |difference: Difference| {
        if is_unknown(&difference, &a.missing, &b.missing) {
            unknown += 1;
            return ControlFlow::Continue(());
        }
        page.add(&difference)
    };
    folders.compare(&reading, options, &mut each, &mut failed);
    page.finish()?;
    if unknown > 0 {
        let files = count(unknown, "files");
        notes.error(format_args!("{files} not compared: their folders on the other side cannot be read"));
    }
    let status = page.status(common);
    if failures > 0 || is_missing { Ok(ExitCode::from(2)) } else { Ok(status) }
}

/// Returns true for a file that the other side may have, in a folder that is missing or cannot be listed.
fn is_unknown(difference: &Difference, missing_a: &Missing, missing_b: &Missing) -> bool {
    let is_whole_file = difference.place.is_empty() && difference.member.is_none();
    if !is_whole_file {
        return false;
    }
    let path = text(difference.path.as_ref()).unwrap_or_default();
    match difference.change {
        Change::Removed => missing_b.may_have(path),
        Change::Added => missing_a.may_have(path),
        Change::Changed | Change::Moved => false,
    }
}

/// The text of a path or member.
fn text(name: Option<&Arc<Name>>) -> Option<&str> {
    Some(&name?.text)
}

/// The output, written as it comes or once its length is known.
struct Page {
    out: Output,
    format: DiffFormat,
    differences: u64,
    written: Result<(), Failure>,
    /// The file and member of the last lines.
    heading: String,
    /// The width of a terminal.
    width: Option<usize>,
    /// Lines held back until it is known that they fit on the screen.
    screen: Option<Vec<String>>,
    /// The number of lines that fit.
    rows: usize,
    /// True if only numbers of differences are written.
    is_stat: bool,
    /// Both sides, if only the files that differ are written.
    brief: Option<String>,
    stats: Stats,
    tables: Option<Arc<Tables>>,
}

impl Page {
    fn new(args: &Args, common: &Common) -> Result<Self, Failure> {
        let is_text = args.format == DiffFormat::Text;
        if (args.stat || args.brief) && matches!(args.format, DiffFormat::Parquet | DiffFormat::Arrow) {
            return Err("--stat and --brief have no table: use --format text, ndjson or json".into());
        }
        let out = Output::of(common, is_text)?;
        let is_terminal = out.is_terminal && is_text;
        let rows = match terminal_size::terminal_size_of(std::io::stdout()) {
            Some((_, rows)) => usize::from(rows.0),
            None => 24,
        };
        let holds_back = is_terminal && !args.full && !args.stat && !args.brief;
        let mut brief = None;
        if args.brief {
            brief = Some(format!("{} and {}", shown(&args.a), shown(&args.b)));
        }
        Ok(Self {
            format: args.format,
            differences: 0,
            written: Ok(()),
            heading: String::new(),
            width: if is_terminal { Some(width(true)) } else { None },
            screen: if holds_back { Some(Vec::new()) } else { None },
            // One row is for the next prompt.
            rows: rows.saturating_sub(1),
            is_stat: args.stat,
            brief,
            stats: Stats::default(),
            out,
            tables: Tables::of(Table::Diff, &args.format, None, common)?,
        })
    }

    fn add(&mut self, difference: &Difference) -> ControlFlow<()> {
        let is_first = self.differences == 0;
        self.differences += 1;
        if self.is_stat || self.screen.is_some() {
            self.stats.add(difference);
        }
        if !self.is_stat && self.written.is_ok() {
            self.written = self.write(difference, is_first);
        }
        // Of two files, the first difference says it all.
        let is_enough = self.brief.is_some() && difference.path.is_none() && difference.member.is_none();
        if self.written.is_ok() && !is_enough { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    /// Writes the file of a difference, once. Of two files that are compared, `both` is their names.
    fn write_file(&mut self, difference: &Difference, both: &str, is_first: bool) -> Result<(), Failure> {
        let file = name_of_file(difference);
        // The file itself is there on one side alone, or under another name.
        let is_of_file = difference.place.is_empty();
        // Before the first file, the heading is empty, which is the name of the only file, too.
        if !is_of_file && !is_first && self.heading == file {
            return Ok(());
        }
        let change = if is_of_file { difference.change } else { Change::Changed };
        let path = text(difference.path.as_ref());
        let member = text(difference.member.as_ref());
        let row = json!({ "change": change.name(), "path": path, "member": member, "to": difference.to });
        match self.format {
            DiffFormat::Ndjson => self.out.json_line(&row)?,
            DiffFormat::Json => json_item(&row, is_first, &mut self.out)?,
            // Two files are compared, not folders or archives.
            _ if file.is_empty() => writeln!(self.out, "{both} differ")?,
            _ => {
                let mut to = String::new();
                if let Some(name) = &difference.to {
                    to = format!("  -> {}", escape(name));
                }
                writeln!(self.out, "{:<7}  {}{to}", change.name(), escape(&file))?;
            }
        }
        self.heading = file;
        Ok(())
    }

    fn write(&mut self, difference: &Difference, is_first: bool) -> Result<(), Failure> {
        if let Some(both) = self.brief.clone() {
            return self.write_file(difference, &both, is_first);
        }
        match self.format {
            DiffFormat::Text => self.text(difference),
            DiffFormat::Ndjson => Ok(self.out.json_line(difference)?),
            DiffFormat::Json => json_item(difference, is_first, &mut self.out),
            DiffFormat::Parquet | DiffFormat::Arrow => match &self.tables {
                Some(tables) => tables.difference(difference),
                None => Ok(()),
            },
        }
    }

    fn text(&mut self, difference: &Difference) -> Result<(), Failure> {
        let mut lines = Vec::new();
        let place = name_of_file(difference);
        let is_inside = !difference.place.is_empty() && !place.is_empty();
        if is_inside && place != self.heading {
            lines.push(format!("{HEADING}{}{HEADING:#}", escape(&place)));
            self.heading = place;
        }
        lines.extend(layout(difference, if is_inside { "  " } else { "" }, self.width));
        let Some(screen) = &mut self.screen else {
            for line in lines {
                writeln!(self.out, "{line}")?;
            }
            return Ok(());
        };
        screen.extend(lines);
        if screen.len() > self.rows {
            self.screen = None;
            self.is_stat = true;
        }
        Ok(())
    }

    /// Writes the remaining output.
    fn finish(&mut self) -> Result<(), Failure> {
        std::mem::replace(&mut self.written, Ok(()))?;
        if let Some(screen) = self.screen.take() {
            for line in screen {
                writeln!(self.out, "{line}")?;
            }
        }
        if self.is_stat {
            self.stats.write(self.format, &mut self.out, self.width)?;
        }
        if let Some(tables) = self.tables.take() {
            return tables.finish(false);
        }
        if self.format == DiffFormat::Json {
            let is_empty = if self.is_stat { self.stats.list.is_empty() } else { self.differences == 0 };
            writeln!(self.out, "{}", if is_empty { "[]" } else { "\n]" })?;
        }
        Ok(self.out.flush()?)
    }

    fn status(&self, common: &Common) -> ExitCode {
        if self.is_stat {
            let parts = self.stats.list.len() as u64;
            let all = if self.width.is_some() { "; --full shows them" } else { "" };
            let differences = count(self.differences, "differences");
            Notes::new(common).say(format_args!("{differences} in {}{all}", count(parts, "parts")));
        }
        ExitCode::from(u8::from(self.differences > 0))
    }
}

fn json_item(item: &impl Serialize, is_first: bool, out: &mut Output) -> Result<(), Failure> {
    write!(out, "{}", if is_first { "[\n  " } else { ",\n  " })?;
    Ok(serde_json::to_writer(out, item)?)
}

/// The width of the column of names. A name that leaves no room for the numbers on its line does not push those of the
/// others aside.
fn name_column(names: &[String], line_width: Option<usize>) -> usize {
    /// The width of the longest numbers in words.
    const NUMBERS: usize = 32;
    let mut widest = usize::MAX;
    if let Some(line_width) = line_width {
        widest = line_width.saturating_sub(NUMBERS);
    }
    let mut column = 0;
    for name in names {
        let width = name.width();
        if width <= widest {
            column = column.max(width);
        }
    }
    column
}

/// The path and member of a difference.
fn name_of_file(difference: &Difference) -> String {
    match (&difference.path, &difference.member) {
        (Some(path), member) => MemberPath::join_text(&path.text, text(member.as_ref())),
        (None, Some(member)) => member.text.clone(),
        (None, None) => String::new(),
    }
}

/// The number of differences in each part, or in each file.
#[derive(Default)]
struct Stats {
    list: Vec<Stat>,
    places: HashMap<String, usize>,
}

struct Stat {
    path: Option<Arc<Name>>,
    member: Option<Arc<Name>>,
    /// The path and member in one.
    file: String,
    place: String,
    label: Option<String>,
    counts: [u64; 4],
}

const CHANGES: [Change; 4] = [Change::Removed, Change::Added, Change::Changed, Change::Moved];

impl Stats {
    fn add(&mut self, difference: &Difference) {
        let file = name_of_file(difference);
        let mut steps = difference.place.splitn(3, '/');
        let mut part = steps.next().unwrap_or_default().to_owned();
        let mut has_index = false;
        if let Some(step) = steps.next()
            && step.bytes().all(|byte| byte.is_ascii_digit())
        {
            part = format!("{part}/{step}");
            has_index = true;
        }
        let place = if file.is_empty() { part } else { String::new() };
        let Some(stat) = self.stat_of(difference, file, place) else { return };
        // The label belongs to this part if nothing else is in between.
        let inside = difference.place.get(stat.place.len()..).unwrap_or_default();
        let is_of_part = has_index && stat.file.is_empty() && inside.matches('/').count() <= 1;
        if let Some(label) = &difference.label
            && stat.label.is_none()
            && is_of_part
        {
            stat.label = Some(label.text.clone());
        }
        for (count, change) in zip(&mut stat.counts, CHANGES) {
            *count += u64::from(change == difference.change);
        }
    }

    /// The counts of a file, or of a part if there is only one file.
    fn stat_of(&mut self, difference: &Difference, file: String, place: String) -> Option<&mut Stat> {
        let key = if file.is_empty() { &place } else { &file };
        let index = match self.places.get(key) {
            Some(&index) => index,
            None => {
                let index = self.list.len();
                self.places.insert(key.clone(), index);
                let path = difference.path.clone();
                let member = difference.member.clone();
                self.list.push(Stat { path, member, file, place, label: None, counts: [0; 4] });
                index
            }
        };
        self.list.get_mut(index)
    }

    /// Writes the numbers of all parts or files, on lines of this width if it is known.
    fn write(&self, format: DiffFormat, out: &mut Output, width: Option<usize>) -> Result<(), Failure> {
        let names: Vec<String> = self.list.iter().map(Stat::name).collect();
        let column = name_column(&names, width);
        for (index, (stat, name)) in zip(&self.list, &names).enumerate() {
            match format {
                DiffFormat::Ndjson => out.json_line(&stat.json())?,
                DiffFormat::Json => json_item(&stat.json(), index == 0, out)?,
                // Their tables have the differences themselves.
                DiffFormat::Parquet | DiffFormat::Arrow => {}
                DiffFormat::Text => {
                    let gap = column.saturating_sub(name.width());
                    writeln!(out, "{name}{:gap$}  {}", "", stat.counts_in_words())?;
                }
            }
        }
        Ok(())
    }
}

impl Stat {
    fn name(&self) -> String {
        if !self.file.is_empty() {
            return escape(&self.file).into_owned();
        }
        let mut name = self.place.clone();
        if let Some(label) = &self.label
            && !label.is_empty()
        {
            name += &format!(" ({})", escape(label));
        }
        name
    }

    fn counts_in_words(&self) -> String {
        let mut words = Vec::new();
        for (count, change) in zip(self.counts, CHANGES) {
            if count > 0 {
                words.push(format!("{} {}", grouped(count), change.name()));
            }
        }
        words.join(", ")
    }

    fn json(&self) -> Json {
        let Self { place, label, counts: [removed, added, changed, moved], .. } = self;
        let path = text(self.path.as_ref());
        let member = text(self.member.as_ref());
        json!({
            "path": path, "member": member, "place": place, "label": label,
            "removed": removed, "added": added, "changed": changed, "moved": moved,
        })
    }
}

/// Formats a value for a line of text.
fn word(fact: &Fact) -> String {
    let text = match fact {
        Fact::Texts(names) => in_brackets(names.iter().map(|name| Json::from(name.text.as_str()).to_string())),
        Fact::Value(Value::Float(value)) => Short(*value).to_string(),
        Fact::Value(Value::Floats(values)) => in_brackets(values.iter().map(|value| Short(*value).to_string())),
        Fact::Value(Value::Ints(values)) => in_brackets(values.iter().map(i64::to_string)),
        Fact::Value(Value::Absent) => "none".to_owned(),
        fact => serde_json::to_string(fact).unwrap_or_default(),
    };
    escape(&text).into_owned()
}

fn in_brackets(items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    format!("[{}]", items.join(", "))
}

/// The lines of a difference: one if it fits, else its subject and the details below it.
fn layout(difference: &Difference, indent: &str, width: Option<usize>) -> Vec<String> {
    let Difference { change, place, to, label, .. } = difference;
    let color = match change {
        Change::Removed => AnsiColor::Red,
        Change::Added => AnsiColor::Green,
        Change::Changed | Change::Moved => AnsiColor::Yellow,
    };
    let style = Style::new().fg_color(Some(color.into()));
    let mut subject = if place.is_empty() { escape(&name_of_file(difference)).into_owned() } else { place.clone() };
    if let Some(label) = label
        && !label.text.is_empty()
    {
        subject += &format!(" ({})", escape(&label.text));
    }
    let mut details = Vec::new();
    if let Some(to) = to {
        details.push(format!("-> {}", escape(to)));
    }
    details.extend(said(difference));
    let start = format!("{indent}{style}{:<7}{style:#}  ", change.name());
    let margin = indent.len() + 9;
    let mut line = subject.clone();
    for detail in &details {
        line += "  ";
        line += detail;
    }
    let width = match width {
        Some(width) if margin + line.width() > width => width,
        _ => return vec![format!("{start}{line}")],
    };
    let mut lines = vec![format!("{start}{subject}")];
    for detail in details {
        lines.extend(wrapped(&detail, margin, width));
    }
    lines
}

/// Wraps a text to lines of this width, unless a word is longer. Breaks after commas if possible, else between words.
fn wrapped(text: &str, margin: usize, width: usize) -> Vec<String> {
    let mut pieces = Vec::new();
    for piece in text.split_inclusive(", ") {
        if fits(piece, margin, width) {
            pieces.push(piece);
        } else {
            pieces.extend(piece.split_inclusive(' '));
        }
    }
    let mut lines: Vec<String> = Vec::new();
    for piece in pieces {
        match lines.last_mut() {
            Some(line) if fits(&format!("{line}{piece}"), margin, width) => line.push_str(piece),
            _ => lines.push(piece.to_owned()),
        }
    }
    lines.iter().map(|line| format!("{:margin$}{}", "", line.trim_end())).collect()
}

fn fits(text: &str, margin: usize, width: usize) -> bool {
    margin + text.trim_end().width() <= width
}

fn said(difference: &Difference) -> Vec<String> {
    let mut said = Vec::new();
    if let Some([a, b]) = &difference.values {
        said.push(match difference.change {
            Change::Removed => word(a),
            Change::Added => word(b),
            Change::Moved if word(a) == word(b) => word(a),
            Change::Changed if difference.place == "bytes" && word(a) == word(b) => format!("{} each", word(a)),
            _ => format!("{} -> {}", word(a), word(b)),
        });
    }
    if let Some(rows) = &difference.rows {
        add_rows(rows, &mut said);
    }
    said
}

fn add_rows(rows: &Rows, said: &mut Vec<String>) {
    let Rows { counts: [a, b], columns, differing, differing_columns, first, .. } = rows;
    if a != b {
        said.push(format!("{} -> {} rows", grouped(*a), grouped(*b)));
    }
    match (differing, first) {
        (Some(number), Some(row)) => {
            let number = grouped(*number);
            let of = grouped(*a.min(b));
            said.push(format!("{number} of {of} rows differ in {}", differing_columns.join(" ")));
            said.push(first_row(rows, row));
        }
        (Some(_), _) => said.push(format!("the first {} are the same", grouped(*a.min(b)))),
        (None, _) if columns[0] != columns[1] => {
            said.push(format!("columns {} -> {}", columns[0].join(" "), columns[1].join(" ")));
        }
        (None, _) if a == b => said.push(format!("{} rows", grouped(*a))),
        (None, _) => {}
    }
}

/// The cells that differ in the first row that does.
fn first_row(rows: &Rows, row: &Row) -> String {
    let Row { rows: [index, _], label, values: [one, two], .. } = row;
    let mut cells = Vec::new();
    for (column, (a, b)) in zip(&rows.columns[0], zip(one, two)) {
        if !rows.differing_columns.contains(column) {
            continue;
        }
        let a = word(a);
        let b = word(b);
        if a != b {
            cells.push(format!("{column} {a} -> {b}"));
        }
    }
    let mut row = format!("row {index}");
    if let Some(label) = label {
        row += &format!(" ({})", escape(label));
    }
    format!("{row}: {}", cells.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshpeek::{Budget, Limits};

    const CHANGES: [Change; 4] = [Change::Removed, Change::Added, Change::Changed, Change::Moved];

    fn name(text: &str) -> Option<Arc<Name>> {
        if text.is_empty() { None } else { Some(Arc::new(Name::from(std::path::Path::new(text)))) }
    }

    /// A difference of this kind at this place.
    fn difference(change: Change, path: &str, member: &str, place: &str) -> Difference {
        // An archive without members, and one with an empty member.
        let end = vec![0; 21];
        let one = [&b"a"[..], &end, &end].concat();
        let budget = Budget::new(100, &Limits::default());
        let file = std::path::Path::new("x.pbo");
        let side = |data| meshpeek::diff::Side { file, data, budget: &budget };
        let mut found = None;
        compare(side(&end), side(&one), &Options::default(), &mut |difference| found = Some(difference)).unwrap();
        let mut found = found.unwrap();
        found.change = change;
        (found.path, found.member) = (name(path), name(member));
        found.place = place.to_owned();
        (found.to, found.label, found.values, found.rows) = (None, None, None, None);
        found
    }

    #[test]
    fn a_tolerance_is_a_number_from_0_on() {
        for (text, expected) in [
            ("0", Some(0.0)),
            ("-0", Some(0.0)),
            ("0.001", Some(0.001)),
            ("1e3", Some(1000.0)),
            ("-0.001", None),
            ("inf", None),
            ("-inf", None),
            ("NaN", None),
            ("1e400", None),
            ("", None),
            ("1,5", None),
        ] {
            assert_eq!(tolerance(text).ok(), expected, "{text:?}");
        }
    }

    #[test]
    fn each_change_says_its_values() {
        let facts = [
            (Fact::Value(Value::Absent), "none"),
            (Fact::Value(Value::Float(0.1)), "0.1"),
            (Fact::Text(Name::from(std::path::Path::new("a b"))), "\"a b\""),
            (
                Fact::Texts(vec![Name::from(std::path::Path::new("a")), Name::from(std::path::Path::new("b"))]),
                "[\"a\", \"b\"]",
            ),
            (Fact::Texts(Vec::new()), "[]"),
        ];
        for (a, word_a) in &facts {
            for (b, word_b) in &facts {
                for change in CHANGES {
                    for place in ["bytes", "lods/0"] {
                        let mut difference = difference(change, "", "", place);
                        difference.values = Some([a.clone(), b.clone()]);
                        let expected = match change.name() {
                            "removed" => (*word_a).to_owned(),
                            "added" => (*word_b).to_owned(),
                            "moved" if word_a == word_b => (*word_a).to_owned(),
                            "changed" if word_a == word_b && place == "bytes" => format!("{word_a} each"),
                            _ => format!("{word_a} -> {word_b}"),
                        };
                        assert_eq!(said(&difference), [expected], "{change:?} at {place}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_difference_takes_one_line_if_it_fits() {
        let text = |lines: Vec<String>| -> Vec<String> {
            lines.iter().map(|line| anstream::adapter::strip_str(line).to_string()).collect()
        };
        let mut difference = difference(Change::Changed, "", "", "lods/0/name");
        difference.label = name("abc");
        difference.values = Some([Fact::Value(Value::Absent), Fact::Text(Name::from(std::path::Path::new("x, y, z")))]);
        let whole = "changed  lods/0/name (abc)  none -> \"x, y, z\"";
        for indent in ["", "  "] {
            let whole = format!("{indent}{whole}");
            for width in 0..whole.len() + 3 {
                let lines = text(layout(&difference, indent, Some(width)));
                if width >= whole.len() {
                    assert_eq!(lines, [whole.as_str()], "{width}");
                    continue;
                }
                assert_eq!(lines[0], format!("{indent}changed  lods/0/name (abc)"), "{width}");
                let margin = " ".repeat(indent.len() + 9);
                let details: Vec<&str> = lines[1..].iter().map(|line| line.strip_prefix(&margin).unwrap()).collect();
                assert_eq!(details.join(" "), "none -> \"x, y, z\"", "{width}");
                for (number, line) in lines[1..].iter().enumerate() {
                    assert!(line.len() <= width || !line.trim_start().contains(' '), "{width}: {line:?}");
                    // Another piece would not fit.
                    if let Some(next) = details.get(number + 1) {
                        let piece = next.split_inclusive(", ").next().unwrap().trim_end();
                        assert!(line.len() + 1 + piece.len() > width, "{width}: {line:?}");
                    }
                }
            }
            assert_eq!(text(layout(&difference, indent, None)), [whole.as_str()]);
        }
    }

    #[test]
    fn differences_are_counted_by_part_or_by_file() {
        let mut stats = Stats::default();
        let mut expected: Vec<(&str, &str, [u64; 4])> = Vec::new();
        for (path, member, place, file, part) in [
            ("", "", "lods/0/points", "", "lods/0"),
            ("", "", "lods/0/points/3", "", "lods/0"),
            ("", "", "lods/1", "", "lods/1"),
            ("", "", "lods", "", "lods"),
            ("", "", "name/x/y", "", "name"),
            ("", "", "", "", ""),
            ("a.p3d", "", "lods/0/points", "a.p3d", ""),
            ("a.p3d", "", "", "a.p3d", ""),
            ("a.pbo", "m.p3d", "lods/0", "a.pbo!/m.p3d", ""),
            ("", "m.p3d", "lods/0", "m.p3d", ""),
        ] {
            for (number, change) in CHANGES.into_iter().enumerate() {
                for _ in 0..=number {
                    stats.add(&difference(change, path, member, place));
                }
            }
            match expected.iter_mut().find(|(known, of, _)| (*known, *of) == (file, part)) {
                Some((.., counts)) => *counts = counts.map(|count| count * 2),
                None => expected.push((file, part, [1, 2, 3, 4])),
            }
        }
        let found: Vec<_> =
            stats.list.iter().map(|stat| (stat.file.as_str(), stat.place.as_str(), stat.counts)).collect();
        assert_eq!(found, expected);
        for stat in &stats.list {
            let [removed, added, changed, moved] = stat.counts;
            let words = format!("{removed} removed, {added} added, {changed} changed, {moved} moved");
            assert_eq!(stat.counts_in_words(), words);
        }
    }

    /// The label of a part is that of a difference of it or of what is directly in it.
    #[test]
    fn a_part_has_the_label_of_its_own_fields() {
        for (path, place, is_of_part) in [
            ("", "lods/0", true),
            ("", "lods/0/name", true),
            ("", "lods/0/selections/3", false),
            ("", "lods", false),
            ("", "lods/name", false),
            ("a.p3d", "lods/0", false),
        ] {
            for label in ["", "first", "with\nline"] {
                let mut stats = Stats::default();
                let mut first = difference(Change::Changed, path, "", place);
                first.label = Some(Arc::new(Name::from(std::path::Path::new(label))));
                stats.add(&first);
                first.label = name("second");
                stats.add(&first);
                let expected = if is_of_part { Some(label) } else { None };
                assert_eq!(stats.list[0].label.as_deref(), expected, "{path} {place}");
            }
        }
    }
}
