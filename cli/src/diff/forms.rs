//! The forms of differences: all of them, the files that differ, or their number in each part.

use std::io::Write;
use std::sync::{Arc, OnceLock};

use meshpeek::diff::{Change, Difference};
use serde::{Serialize, Serializer};
use serde_json::json;
use unicode_width::UnicodeWidthStr;

use super::args::{Args, DiffFormat};
use super::layout::layout;
use super::name::{name_of_file, text};
use super::stats::{Stat, Stats};
use crate::args::Common;
use crate::failure::Failure;
use crate::forms::{End, Form, InTable, JsonArray, JsonLines, OneTable};
use crate::output::Output;
use crate::report::{HEADING, count, escape};
use crate::tables::{Table, Tables};
use crate::visible::shown;
use crate::wrap::width;

pub(super) type DiffForm = Box<dyn for<'d> Form<&'d Difference>>;
type StatForm = Box<dyn for<'s> Form<&'s Stat>>;
type FileForm = Box<dyn for<'d> Form<ChangedFile<'d>>>;

/// The counts in words, which a form of numbers leaves here at the end. They are said after everything is checked.
pub(super) type Said = Arc<OnceLock<String>>;

/// Chooses a form.
pub(super) fn form_of(args: &Args, said: &Said, common: &Common) -> Result<DiffForm, Failure> {
    if (args.stat || args.brief) && matches!(args.format, DiffFormat::Parquet | DiffFormat::Arrow) {
        return Err("--stat and --brief have no table: use --format text, ndjson or json".into());
    }
    let out = Output::of(common, args.format == DiffFormat::Text)?;
    if args.brief {
        return Ok(Box::new(Brief::new(args, out)));
    }
    let is_terminal = out.is_terminal && args.format == DiffFormat::Text;
    let width = if is_terminal { Some(width(true)) } else { None };
    if args.stat {
        return Ok(Box::new(Counted::new(args.format, out, width, said.clone())));
    }
    if let Some(tables) = Tables::of(Table::Diff, &args.format, None, common)? {
        return Ok(Box::new(OneTable(tables)));
    }
    let lines = Lines { heading: String::new(), width };
    Ok(match args.format {
        DiffFormat::Ndjson => Box::new(JsonLines(out)),
        DiffFormat::Json => Box::new(JsonArray::new(out)),
        _ if is_terminal && !args.full => Box::new(Screen::new(out, lines, said.clone())),
        _ => Box::new(All { out, lines }),
    })
}

impl InTable for &Difference {
    fn add_to(self, tables: &Tables) -> Result<(), Failure> {
        tables.difference(self)
    }
}

/// Makes the lines of differences, below the names of their files.
struct Lines {
    /// The file and member of the last lines.
    heading: String,
    /// The width of a terminal.
    width: Option<usize>,
}

impl Lines {
    fn of(&mut self, difference: &Difference) -> Vec<String> {
        let mut lines = Vec::new();
        let file = name_of_file(difference);
        let is_inside = !difference.place.is_empty() && !file.is_empty();
        if is_inside && file != self.heading {
            lines.push(format!("{HEADING}{}{HEADING:#}", escape(&file)));
            self.heading = file;
        }
        lines.extend(layout(difference, if is_inside { "  " } else { "" }, self.width));
        lines
    }
}

/// Every difference as text.
struct All {
    out: Output,
    lines: Lines,
}

impl Form<&Difference> for All {
    fn add(&mut self, difference: &Difference) -> Result<(), Failure> {
        for line in self.lines.of(difference) {
            writeln!(self.out, "{line}")?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>, _: End<'_>) -> Result<(), Failure> {
        Ok(self.out.flush()?)
    }
}

/// Every difference as text if they fit on a screen, else their numbers.
struct Screen {
    out: Output,
    lines: Lines,
    /// Lines held back until it is known that they fit. `None` once they do not.
    held: Option<Vec<String>>,
    /// The number of lines that fit.
    most: usize,
    stats: Stats,
    said: Said,
}

impl Screen {
    fn new(out: Output, lines: Lines, said: Said) -> Self {
        let rows = match terminal_size::terminal_size_of(std::io::stdout()) {
            Some((_, rows)) => usize::from(rows.0),
            None => 24,
        };
        // One row is for the next prompt.
        Self { out, lines, held: Some(Vec::new()), most: rows.saturating_sub(1), stats: Stats::default(), said }
    }
}

impl Form<&Difference> for Screen {
    fn add(&mut self, difference: &Difference) -> Result<(), Failure> {
        self.stats.add(difference);
        if let Some(held) = &mut self.held {
            held.extend(self.lines.of(difference));
            if held.len() > self.most {
                self.held = None;
            }
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>, end: End<'_>) -> Result<(), Failure> {
        let Some(held) = self.held else {
            let mut counted = Counted::new(DiffFormat::Text, self.out, self.lines.width, self.said);
            counted.stats = self.stats;
            return Box::new(counted).finish(end);
        };
        for line in held {
            writeln!(self.out, "{line}")?;
        }
        Ok(self.out.flush()?)
    }
}

/// The number of differences in each part, or in each file.
struct Counted {
    stats: Stats,
    rows: StatForm,
    /// True if a person reads them on a terminal.
    is_terminal: bool,
    said: Said,
}

impl Counted {
    /// Creates the form for `--stat`, with lines of this width on a terminal.
    fn new(format: DiffFormat, out: Output, width: Option<usize>, said: Said) -> Self {
        let rows: StatForm = match format {
            DiffFormat::Ndjson => Box::new(JsonLines(out)),
            DiffFormat::Json => Box::new(JsonArray::new(out)),
            _ => Box::new(StatText { out, width, rows: Vec::new() }),
        };
        Self { stats: Stats::default(), rows, is_terminal: width.is_some(), said }
    }
}

impl Form<&Difference> for Counted {
    fn add(&mut self, difference: &Difference) -> Result<(), Failure> {
        self.stats.add(difference);
        Ok(())
    }

    fn finish(mut self: Box<Self>, end: End<'_>) -> Result<(), Failure> {
        for stat in &self.stats.list {
            self.rows.add(stat)?;
        }
        self.rows.finish(end)?;
        let differences = count(self.stats.differences(), "differences");
        let parts = count(self.stats.list.len() as u64, "parts");
        let all = if self.is_terminal { "; --full shows them" } else { "" };
        self.said.get_or_init(|| format!("{differences} in {parts}{all}"));
        Ok(())
    }
}

/// The numbers as text, in a column.
struct StatText {
    out: Output,
    width: Option<usize>,
    /// The names of parts, and their numbers in words.
    rows: Vec<(String, String)>,
}

impl StatText {
    /// The width of the column of names. A name that leaves no room for the numbers on its line does not push those of
    /// the others aside.
    fn name_column(&self) -> usize {
        /// The width of the longest numbers in words.
        const NUMBERS: usize = 32;
        let mut widest = usize::MAX;
        if let Some(width) = self.width {
            widest = width.saturating_sub(NUMBERS);
        }
        let mut column = 0;
        for (name, _) in &self.rows {
            let width = name.width();
            if width <= widest {
                column = column.max(width);
            }
        }
        column
    }
}

impl Form<&Stat> for StatText {
    fn add(&mut self, stat: &Stat) -> Result<(), Failure> {
        self.rows.push((stat.name(), stat.counts_in_words()));
        Ok(())
    }

    fn finish(mut self: Box<Self>, _: End<'_>) -> Result<(), Failure> {
        let column = self.name_column();
        for (name, counts) in &self.rows {
            let gap = column.saturating_sub(name.width());
            writeln!(self.out, "{name}{:gap$}  {counts}", "")?;
        }
        Ok(self.out.flush()?)
    }
}

/// A file that differs.
struct ChangedFile<'d> {
    difference: &'d Difference,
    /// Its path and member in one. Empty for the only file of a side.
    name: &'d str,
}

impl ChangedFile<'_> {
    /// How the file itself changed. A difference inside of it makes it `changed`.
    fn change(&self) -> Change {
        if self.difference.place.is_empty() { self.difference.change } else { Change::Changed }
    }
}

impl Serialize for ChangedFile<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Difference { path, member, to, .. } = self.difference;
        let path = text(path.as_ref());
        let member = text(member.as_ref());
        json!({ "change": self.change().name(), "path": path, "member": member, "to": to }).serialize(serializer)
    }
}

/// Each file that differs. Further differences inside of the same file are left out.
struct Brief {
    rows: FileForm,
    /// The name that was written last.
    last: Option<String>,
}

impl Brief {
    fn new(args: &Args, out: Output) -> Self {
        let rows: FileForm = match args.format {
            DiffFormat::Ndjson => Box::new(JsonLines(out)),
            DiffFormat::Json => Box::new(JsonArray::new(out)),
            _ => Box::new(BriefText { out, both: format!("{} and {}", shown(&args.a), shown(&args.b)) }),
        };
        Self { rows, last: None }
    }
}

impl Form<&Difference> for Brief {
    fn add(&mut self, difference: &Difference) -> Result<(), Failure> {
        // No difference is known. The status and a message say that something was not compared.
        if difference.change == Change::Unread {
            return Ok(());
        }
        let name = name_of_file(difference);
        let is_inside = !difference.place.is_empty();
        if is_inside && self.last.as_ref() == Some(&name) {
            return Ok(());
        }
        self.rows.add(ChangedFile { difference, name: &name })?;
        self.last = Some(name);
        Ok(())
    }

    fn finish(self: Box<Self>, end: End<'_>) -> Result<(), Failure> {
        self.rows.finish(end)
    }
}

struct BriefText {
    out: Output,
    /// The names of both sides.
    both: String,
}

impl Form<ChangedFile<'_>> for BriefText {
    fn add(&mut self, file: ChangedFile<'_>) -> Result<(), Failure> {
        // Two files are compared, not folders or archives.
        if file.name.is_empty() {
            return Ok(writeln!(self.out, "{} differ", self.both)?);
        }
        let mut to = String::new();
        if let Some(name) = &file.difference.to {
            to = format!("  -> {}", escape(name));
        }
        Ok(writeln!(self.out, "{:<7}  {}{to}", file.change().name(), escape(file.name))?)
    }

    fn finish(mut self: Box<Self>, _: End<'_>) -> Result<(), Failure> {
        Ok(self.out.flush()?)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use clap::Parser;

    use super::super::difference_for_tests::{CHANGES, difference};
    use super::*;
    use crate::output_file::OutputFile;
    use crate::verbs::{Cli, Verb};

    fn parsed(arguments: &[&str]) -> Option<(Args, Common)> {
        let cli = Cli::try_parse_from([&["meshpeek", "diff", "a", "b"], arguments].concat()).ok()?;
        match cli.verb {
            Verb::Diff(args) => Some((args, cli.common)),
            _ => None,
        }
    }

    /// What is written to an output by a form.
    fn written(make: impl FnOnce(Output) -> DiffForm, differences: &[Difference]) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let (_, mut common) = parsed(&[]).unwrap();
        common.output_file = Some(OutputFile::open(&path, &[]).unwrap());
        let mut form = make(Output::of(&common, true).unwrap());
        for difference in differences {
            form.add(difference).unwrap();
        }
        form.finish(End::default()).unwrap();
        common.output_file.take().unwrap().finish().unwrap();
        std::fs::read_to_string(path).unwrap()
    }

    /// Differences inside of files, and of files themselves.
    fn several() -> Vec<Difference> {
        let mut all = Vec::new();
        for (file, member) in [("a", ""), ("b", ""), ("a", ""), ("a", "m"), ("a", "n"), ("", "m"), ("", "")] {
            for place in ["p", "q/0", "", "p"] {
                all.extend(CHANGES.map(|change| difference(change, file, member, place)));
            }
        }
        all
    }

    #[test]
    fn lines_of_a_file_are_below_its_name() {
        let mut lines = Lines { heading: String::new(), width: None };
        let mut last = String::new();
        for difference in several() {
            let found: Vec<String> =
                lines.of(&difference).iter().map(|line| anstream::adapter::strip_str(line).to_string()).collect();
            let file = name_of_file(&difference);
            let change = format!("{:<7}", difference.change.name());
            let expected = match (file.is_empty(), difference.place.as_str()) {
                // Of the only file.
                (true, place) => vec![format!("{change}  {place}")],
                // A file itself needs no heading.
                (false, "") => vec![format!("{change}  {file}")],
                (false, place) if file == last => vec![format!("  {change}  {place}")],
                (false, place) => vec![file.clone(), format!("  {change}  {place}")],
            };
            if !file.is_empty() && !difference.place.is_empty() {
                last = file;
            }
            assert_eq!(found, expected);
        }
    }

    /// The changes and names that `--brief` passes on.
    struct Collected(Arc<Mutex<Vec<(String, String)>>>);

    impl Form<ChangedFile<'_>> for Collected {
        fn add(&mut self, file: ChangedFile<'_>) -> Result<(), Failure> {
            let row = (file.change().name().to_owned(), file.name.to_owned());
            self.0.lock().unwrap().push(row);
            Ok(())
        }

        fn finish(self: Box<Self>, _: End<'_>) -> Result<(), Failure> {
            Ok(())
        }
    }

    /// Whatever is inside of a file makes it changed, once.
    #[test]
    fn a_brief_form_has_each_file_once_and_every_change_of_a_file_itself() {
        let rows = Arc::new(Mutex::new(Vec::new()));
        let mut brief = Brief { rows: Box::new(Collected(rows.clone())), last: None };
        let mut expected: Vec<(String, String)> = Vec::new();
        for difference in several() {
            brief.add(&difference).unwrap();
            if difference.change == Change::Unread {
                continue;
            }
            let file = name_of_file(&difference);
            if difference.place.is_empty() {
                expected.push((difference.change.name().to_owned(), file));
            } else if expected.last().is_none_or(|(_, last)| *last != file) {
                expected.push(("changed".to_owned(), file));
            }
        }
        assert_eq!(*rows.lock().unwrap(), expected);
        let (args, _) = parsed(&["--brief"]).unwrap();
        let mut moved = difference(Change::Moved, "a", "m", "");
        moved.to = Some("c\nd".to_owned());
        let files = [difference(Change::Added, "a", "", ""), moved, difference(Change::Removed, "", "", "p")];
        let text = written(|out| Box::new(Brief::new(&args, out)), &files);
        assert_eq!(text, "added    a\nmoved    a!/m  -> c\\nd\na and b differ\n");
    }

    /// One line more than the screen has room for, and there are numbers instead.
    #[test]
    fn differences_are_shown_as_long_as_they_fit_on_the_screen() {
        let all: Vec<Difference> =
            (0..6).map(|number| difference(Change::Added, "", "", &format!("lods/{number}"))).collect();
        for most in 0..8 {
            for count in 0..=all.len() {
                let said = Said::default();
                let screen = |out| -> DiffForm {
                    let lines = Lines { heading: String::new(), width: None };
                    let mut screen = Screen::new(out, lines, said.clone());
                    screen.most = most;
                    Box::new(screen)
                };
                let text = written(screen, &all[..count]);
                let is_whole = count <= most;
                let line = |number| match is_whole {
                    true => format!("added    lods/{number}\n"),
                    false => format!("lods/{number}  1 added\n"),
                };
                assert_eq!(text, (0..count).map(line).collect::<String>(), "{count} in {most}");
                let counts = format!("{count} differences in {count} parts");
                let counts = if count == 1 { "1 difference in 1 part".to_owned() } else { counts };
                assert_eq!(said.get(), if is_whole { None } else { Some(&counts) }, "{count} in {most}");
            }
        }
    }

    /// 32 columns are for the numbers.
    #[test]
    fn names_of_parts_take_the_width_that_the_numbers_leave() {
        for width in [None, Some(0), Some(32), Some(40), Some(80)] {
            let widest = width.map_or(usize::MAX, |width: usize| width.saturating_sub(32));
            for lengths in [&[][..], &[0], &[3, 8, 5], &[8, 9, 7], &[48, 49, 1], &[100]] {
                let (_, common) = parsed(&[]).unwrap();
                let rows = lengths.iter().map(|&length| ("é".repeat(length), String::new())).collect();
                let text = StatText { out: Output::of(&common, true).unwrap(), width, rows };
                let expected = lengths.iter().copied().filter(|&length| length <= widest).max().unwrap_or(0);
                assert_eq!(text.name_column(), expected, "{lengths:?} in {width:?}");
            }
        }
    }

    #[test]
    fn numbers_and_names_of_files_have_no_table() {
        for format in ["text", "ndjson", "json", "parquet", "arrow"] {
            for flags in [&[][..], &["--stat"], &["--brief"], &["--full"]] {
                let Some((args, common)) = parsed(&[flags, &["--format", format]].concat()) else {
                    panic!("{flags:?} {format}");
                };
                let is_table = ["parquet", "arrow"].contains(&format);
                let is_refused = is_table && matches!(flags, ["--stat" | "--brief"]);
                if is_table && !is_refused {
                    continue;
                }
                let said = match form_of(&args, &Said::default(), &common) {
                    Err(Failure::Message(said)) => said,
                    _ => String::new(),
                };
                assert_eq!(said.starts_with("--stat and --brief have no table"), is_refused, "{flags:?} {format}");
            }
        }
        for pair in [["--stat", "--full"], ["--brief", "--full"], ["--brief", "--stat"]] {
            let [one, other] = pair;
            assert!(parsed(&[one, other]).is_none() && parsed(&[other, one]).is_none(), "{pair:?}");
        }
    }
}
