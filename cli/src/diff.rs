//! `meshpeek diff`: differences between two models, archives or folders.

mod archive;
mod git;
mod tree;

use std::collections::HashMap;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anstyle::{AnsiColor, Style};
use clap::ValueEnum;
use meshpeek::diff::{Change, Difference, Fact, Options, Row, Rows, compare};
use meshpeek::inspect::Value;
use meshpeek::scan::Selection;
use meshpeek::scan::folders::{Folders, Reading};
use meshpeek::summary::Name;
use serde::Serialize;
use serde_json::{Value as Json, json};
use unicode_width::UnicodeWidthStr;

use crate::args::Common;
use crate::failure::{Failure, Outcome};
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
use tree::{Folder, Side};

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
    let number = text.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| "expected a number, 0 or more, such as 0.001".to_owned())
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
        let (folder, other) = (shown(folder), shown(other));
        return Err(Failure::Message(format!("{folder} is a folder, {other} is neither a folder nor an archive")));
    };
    source.unchanged()?;
    for error in &errors {
        Notes::new(common).error(error);
    }
    let sides = if is_first { [folder_side, Side::Tree(tree)] } else { [Side::Tree(tree), folder_side] };
    let status = folders(args, sides, common, options)?;
    Ok(if errors.is_empty() { status } else { ExitCode::from(2) })
}

fn files(args: &Args, sides: [Side; 2], common: &Common, options: &Options) -> Outcome {
    let [a, b] = &sides;
    let sources = [a.source(&args.a, common)?, b.source(&args.b, common)?];
    let [a, b] = [sources[0].content(common)?, sources[1].content(common)?];
    let mut page = Page::new(args, common)?;
    let [one, two] = [(&sources[0], &a), (&sources[1], &b)].map(|(source, content)| meshpeek::diff::Side {
        file: &source.name,
        data: content,
        budget: content.budget(),
    });
    let failed = compare(one, two, options, &mut |difference| {
        let _ = page.add(&difference);
    });
    page.finish()?;
    if let Err(error) = failed {
        // Identify the failing file by the address given for it.
        for (source, content) in sources.iter().zip([&a, &b]) {
            source.asset(content)?;
        }
        return Err(error.into());
    }
    sources.iter().try_for_each(Source::unchanged)?;
    Ok(page.status(common))
}

fn folders(args: &Args, sides: [Side; 2], common: &Common, options: &Options) -> Outcome {
    let notes = Notes::new(common);
    let except = common.output_file.as_ref().map(|file| file.ids.clone()).unwrap_or_default();
    // Include files that git ignores.
    let selection = Selection { ignored: true, except, ..Selection::default() };
    let mut failures = 0_u64;
    let mut failed = |error: meshpeek::Error| {
        failures += 1;
        notes.error(error);
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
        // The other side may have it, in a folder that is missing or cannot be listed.
        let path = difference.path.as_ref().map_or("", |path| &path.text);
        let is_unknown = match difference.change {
            Change::Removed => b.missing.may_have(path),
            Change::Added => a.missing.may_have(path),
            Change::Changed | Change::Moved => false,
        };
        if is_unknown && difference.place.is_empty() && difference.member.is_none() {
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
        let rows = terminal_size::terminal_size_of(std::io::stdout()).map_or(24, |(_, rows)| usize::from(rows.0));
        Ok(Self {
            format: args.format,
            differences: 0,
            written: Ok(()),
            heading: String::new(),
            width: is_terminal.then(|| width(true)),
            screen: (is_terminal && !args.full && !args.stat && !args.brief).then(Vec::new),
            // One row is for the next prompt.
            rows: rows.saturating_sub(1),
            is_stat: args.stat,
            brief: args.brief.then(|| [&args.a, &args.b].map(|side| shown(side)).join(" and ")),
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

    /// Writes the file of a difference, once.
    fn name(&mut self, difference: &Difference, both: &str, is_first: bool) -> Result<(), Failure> {
        let file = whole(difference);
        let is_known = if difference.place.is_empty() { false } else { self.heading == file };
        if is_known && !is_first {
            return Ok(());
        }
        let change = if difference.place.is_empty() { difference.change } else { Change::Changed };
        let [path, member] = [&difference.path, &difference.member].map(|name| name.as_ref().map(|name| &name.text));
        let row = json!({ "change": change.name(), "path": path, "member": member, "to": difference.to });
        match self.format {
            DiffFormat::Ndjson => self.out.json_line(&row)?,
            DiffFormat::Json => json_item(&row, is_first, &mut self.out)?,
            _ if file.is_empty() => writeln!(self.out, "{both} differ")?,
            _ => {
                let to = difference.to.as_ref().map(|to| format!("  -> {}", escape(to))).unwrap_or_default();
                writeln!(self.out, "{:<7}  {}{to}", change.name(), escape(&file))?;
            }
        }
        self.heading = file;
        Ok(())
    }

    fn write(&mut self, difference: &Difference, is_first: bool) -> Result<(), Failure> {
        if let Some(both) = self.brief.clone() {
            return self.name(difference, &both, is_first);
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
        let place = whole(difference);
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
            (self.screen, self.is_stat) = (None, true);
        }
        Ok(())
    }

    /// Writes the remaining output.
    fn finish(&mut self) -> Result<(), Failure> {
        std::mem::replace(&mut self.written, Ok(()))?;
        for line in self.screen.take().into_iter().flatten() {
            writeln!(self.out, "{line}")?;
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

/// The path and member of a difference.
fn whole(difference: &Difference) -> String {
    let names = [&difference.path, &difference.member].into_iter().flatten();
    names.map(|name| name.text.as_str()).collect::<Vec<_>>().join("!/")
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
        let file = whole(difference);
        let mut steps = difference.place.splitn(3, '/');
        let name = steps.next().unwrap_or_default();
        let index = steps.next().filter(|step| step.bytes().all(|byte| byte.is_ascii_digit()));
        let part = index.map_or_else(|| name.to_owned(), |index| format!("{name}/{index}"));
        let place = if file.is_empty() { part } else { String::new() };
        let key = if file.is_empty() { &place } else { &file };
        let at = match self.places.get(key) {
            Some(&at) => at,
            None => {
                let at = self.list.len();
                self.places.insert(key.clone(), at);
                let (path, member) = (difference.path.clone(), difference.member.clone());
                self.list.push(Stat { path, member, file, place, label: None, counts: [0; 4] });
                at
            }
        };
        let Some(stat) = self.list.get_mut(at) else { return };
        // The label belongs to this part if nothing else is in between.
        let inside = difference.place.get(stat.place.len()..).unwrap_or_default();
        if stat.label.is_none() && index.is_some() && stat.file.is_empty() && inside.matches('/').count() <= 1 {
            stat.label = difference.label.as_ref().map(|label| label.text.clone());
        }
        for (count, change) in stat.counts.iter_mut().zip(CHANGES) {
            *count += u64::from(change == difference.change);
        }
    }

    fn write(&self, format: DiffFormat, out: &mut Output, width: Option<usize>) -> Result<(), Failure> {
        let names: Vec<String> = self.list.iter().map(Stat::name).collect();
        let most = width.map_or(usize::MAX, |width| width.saturating_sub(32));
        let widths = names.iter().map(|name| name.width()).filter(|&width| width <= most);
        let column = widths.max().unwrap_or(0);
        for (index, (stat, name)) in self.list.iter().zip(&names).enumerate() {
            match format {
                DiffFormat::Ndjson => out.json_line(&stat.json())?,
                DiffFormat::Json => json_item(&stat.json(), index == 0, out)?,
                DiffFormat::Parquet | DiffFormat::Arrow => {}
                DiffFormat::Text => {
                    let counts = stat.counts.iter().zip(CHANGES).filter(|(count, _)| **count > 0);
                    let counts: Vec<String> =
                        counts.map(|(number, change)| format!("{} {}", grouped(*number), change.name())).collect();
                    let gap = column.saturating_sub(name.width());
                    writeln!(out, "{name}{:gap$}  {}", "", counts.join(", "))?;
                }
            }
        }
        Ok(())
    }
}

impl Stat {
    fn name(&self) -> String {
        let label = self.label.as_ref().filter(|label| !label.is_empty());
        let label = label.map(|label| format!(" ({})", escape(label))).unwrap_or_default();
        if self.file.is_empty() { format!("{}{label}", self.place) } else { escape(&self.file) }
    }

    fn json(&self) -> Json {
        let Self { place, label, counts: [removed, added, changed, moved], .. } = self;
        let [path, member] = [&self.path, &self.member].map(|name| name.as_ref().map(|name| &name.text));
        json!({
            "path": path, "member": member, "place": place, "label": label,
            "removed": removed, "added": added, "changed": changed, "moved": moved,
        })
    }
}

/// Formats a value for a line of text.
fn word(fact: &Fact) -> String {
    let list = |items: &mut dyn Iterator<Item = String>| format!("[{}]", items.collect::<Vec<_>>().join(", "));
    let text = match fact {
        Fact::Texts(names) => list(&mut names.iter().map(|name| Json::from(name.text.as_str()).to_string())),
        Fact::Value(Value::Float(value)) => Short(*value).to_string(),
        Fact::Value(Value::Floats(values)) => list(&mut values.iter().map(|value| Short(*value).to_string())),
        Fact::Value(Value::Ints(values)) => list(&mut values.iter().map(i64::to_string)),
        Fact::Value(Value::Absent) => "none".to_owned(),
        fact => serde_json::to_string(fact).unwrap_or_default(),
    };
    escape(&text)
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
    let mut subject = if place.is_empty() { escape(&whole(difference)) } else { place.clone() };
    if let Some(label) = label.as_ref().filter(|label| !label.text.is_empty()) {
        subject += &format!(" ({})", escape(&label.text));
    }
    let mut details: Vec<String> = to.iter().map(|to| format!("-> {}", escape(to))).collect();
    details.extend(said(difference));
    let start = format!("{indent}{style}{:<7}{style:#}  ", change.name());
    let margin = indent.len() + 9;
    let line: Vec<&str> = std::iter::once(&subject).chain(&details).map(String::as_str).collect();
    let line = line.join("  ");
    let Some(width) = width.filter(|&width| margin + line.width() > width) else {
        return vec![format!("{start}{line}")];
    };
    let mut lines = vec![format!("{start}{subject}")];
    for detail in details {
        lines.extend(wrapped(&detail, margin, width));
    }
    lines
}

/// Wraps a text to lines of this width, unless a word is longer. Breaks after commas if possible, else between words.
fn wrapped(text: &str, margin: usize, width: usize) -> Vec<String> {
    let fits = |text: &str| margin + text.trim_end().width() <= width;
    let pieces = text.split_inclusive(", ").flat_map(|piece| {
        let words: Vec<&str> = if fits(piece) { vec![piece] } else { piece.split_inclusive(' ').collect() };
        words
    });
    let mut lines: Vec<String> = Vec::new();
    for piece in pieces {
        match lines.last_mut().filter(|line| fits(&format!("{line}{piece}"))) {
            Some(line) => line.push_str(piece),
            None => lines.push(piece.to_owned()),
        }
    }
    lines.iter().map(|line| format!("{:margin$}{}", "", line.trim_end())).collect()
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
    let Some(Rows { counts: [a, b], columns, differing, differing_columns, first, .. }) = &difference.rows else {
        return said;
    };
    if a != b {
        said.push(format!("{} -> {} rows", grouped(*a), grouped(*b)));
    }
    match (differing, first) {
        (Some(number), Some(Row { rows: [row, _], label, values: [one, two], .. })) => {
            let (number, of) = (grouped(*number), grouped(*a.min(b)));
            said.push(format!("{number} of {of} rows differ in {}", differing_columns.join(" ")));
            let cells = columns[0].iter().zip(one.iter().zip(two));
            let cells = cells.filter(|(column, _)| differing_columns.contains(column));
            let cells = cells.map(|(column, (a, b))| (column, word(a), word(b))).filter(|(_, a, b)| a != b);
            let cells: Vec<String> = cells.map(|(column, a, b)| format!("{column} {a} -> {b}")).collect();
            let label = label.as_ref().map(|label| format!(" ({})", escape(label))).unwrap_or_default();
            said.push(format!("row {row}{label}: {}", cells.join(", ")));
        }
        (Some(_), _) => said.push(format!("the first {} are the same", grouped(*a.min(b)))),
        (None, _) if columns[0] != columns[1] => {
            said.push(format!("columns {} -> {}", columns[0].join(" "), columns[1].join(" ")));
        }
        (None, _) if a == b => said.push(format!("{} rows", grouped(*a))),
        (None, _) => {}
    }
    said
}
