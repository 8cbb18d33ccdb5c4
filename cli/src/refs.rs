//! `meshpeek refs`: each reference and the result of resolving it.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anstyle::Style;
use meshpeek::address::{Address, MemberPath};
use meshpeek::answers::refs::{self, Link, State};
use meshpeek::scan::Found;
use meshpeek::summary::{Name, Severity};

use crate::annotations::{Annotations, Finding, Place, Service};
use crate::args::{Common, LinkFormat, folder_parser};
use crate::failure::{Failure, Outcome, status};
use crate::forms::{End, Form, InTable, JsonLines, OneTable, RowSink as _};
use crate::notes::Notes;
use crate::output::Output;
use crate::tables::{Table, Tables};
use crate::visible::shown;
use crate::wrap::held;
use crate::{input, report};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Files and folders that belong together: archives, models and loose files
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Show only references whose file is missing, and what could not be read
    #[arg(long)]
    missing: bool,
    /// Show only textures that a material names and that an ODOL model's copy of the material does not have
    #[arg(long, conflicts_with = "missing")]
    stale: bool,
    /// List instead the textures, materials, models, animations and sounds that nothing names
    #[arg(long, conflicts_with_all = ["missing", "stale"])]
    unused: bool,
    /// Count names below this prefix, such as `ca`, as found: the game itself has them
    #[arg(long, value_name = "PREFIX")]
    assume: Vec<String>,
    /// Prefix of a folder or archive, instead of that in its file
    #[arg(long, value_name = "NAME=FOLDER", value_parser = prefix)]
    prefix: Vec<(String, PathBuf)>,
    /// Folder with images: a texture that is found nowhere else is the one with its name that is anywhere below it
    #[arg(long, value_name = "DIR", value_parser = folder_parser())]
    textures: Option<PathBuf>,
    /// Output format; `sarif` and `github` have only what is wrong [default: `table` on a terminal, else `ndjson`]
    #[arg(long, value_name = "FORMAT")]
    format: Option<LinkFormat>,
    /// Files to read at once, at most 256 [default: the number of cores]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
}

/// Reads `NAME=FOLDER`.
fn prefix(text: &str) -> Result<(String, PathBuf), String> {
    let (name, folder) = text.split_once('=').ok_or("expected NAME=FOLDER, such as my\\addon=source/addon")?;
    let folder = PathBuf::from(folder);
    if !folder.exists() {
        return Err(format!("{} does not exist", folder.display()));
    }
    Ok((name.to_owned(), folder))
}

pub(crate) fn run(args: &Args, common: &Common) -> Outcome {
    let mut scan = input::scan_whole(&args.paths, args.jobs, common)?;
    // Include textures that git ignores.
    scan.selection.ignored = true;
    let notes = Notes::new(common);
    let mut rules = refs::Rules::default();
    rules.assumed.clone_from(&args.assume);
    rules.prefixes.clone_from(&args.prefix);
    rules.copies = args.stale;
    rules.textures.clone_from(&args.textures);
    rules.above = true;
    let (links, unreadable) = input::whole(&scan, common, |other| {
        refs::resolve_by(&scan, &rules, |found| {
            if let Found::NoAsset(path) = &found
                && args.paths.contains(path)
            {
                notes.say(format_args!("{}: neither an asset nor a config, so it names no files", shown(path)));
            }
            other(found);
        })
    })?;
    let mut counts = Counts::default();
    let wrong = if args.unused {
        let unused = list_unused(args, links, &mut counts, common)?;
        counts.report_unused(unused, notes);
        0
    } else {
        list(args, links, unreadable == 0, &mut counts, common)?;
        counts.report(args.stale, notes);
        if args.stale { counts.all() } else { counts.of(State::Missing) }
    };
    let is_wrong = wrong > 0 || counts.of(State::Unread) > 0;
    Ok(if unreadable == 0 && is_wrong { ExitCode::from(1) } else { status(scan.progress.files(), unreadable) })
}

/// Lists the references, or the stale copies. `is_whole` is false if something could not be read.
fn list(args: &Args, links: refs::Links, is_whole: bool, counts: &mut Counts, common: &Common) -> Result<(), Failure> {
    let mut form = form_of(args, common)?;
    let mut written = Ok(());
    let each = |link: &Link<'_>| {
        counts.add(link);
        if !args.missing || matches!(link.state, State::Missing | State::Unread) {
            written = form.add(link);
        }
        if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let resolved = if args.stale { links.each_stale(each) } else { links.each(each) };
    written?;
    resolved?;
    form.finish(End { is_whole, counts: &counts.in_words(args.stale), ..End::default() })
}

impl Args {
    /// Returns the form to write. Without `--format`, a terminal gets a table and everything else lines of JSON.
    fn format_for(&self, out: &Output) -> LinkFormat {
        match self.format {
            Some(format) => format,
            None if out.is_terminal => LinkFormat::Table,
            None => LinkFormat::Ndjson,
        }
    }
}

/// Lists the files that nothing names. Returns their number.
fn list_unused(args: &Args, links: refs::Links, counts: &mut Counts, common: &Common) -> Result<u64, Failure> {
    let text = Output::text(common)?;
    let mut form: UnusedForm = match args.format_for(&text) {
        LinkFormat::Table => Box::new(UnusedText(text)),
        LinkFormat::Ndjson => Box::new(JsonLines(Output::data(common)?)),
        _ => return Err("--unused is written as `table` or `ndjson`".into()),
    };
    let mut number = 0;
    let mut written = Ok(());
    links.each_unused(
        |link| counts.add(link),
        |unused| {
            number += 1;
            written = form.add(unused);
            if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        },
    )?;
    written?;
    form.finish(End::default())?;
    Ok(number)
}

type UnusedForm = Box<dyn for<'u, 'n> Form<&'u refs::Unused<'n>>>;

/// The files that nothing names, for people.
struct UnusedText(Output);

impl Form<&refs::Unused<'_>> for UnusedText {
    fn add(&mut self, unused: &refs::Unused<'_>) -> Result<(), Failure> {
        let mut bytes = String::new();
        if let Some(number) = unused.bytes {
            bytes = report::count(number, "bytes");
        }
        Ok(writeln!(self.0, "{}  {}", whole(unused.path, unused.member.as_ref()), held(&bytes))?)
    }

    fn finish(mut self: Box<Self>, _: End<'_>) -> Result<(), Failure> {
        Ok(self.0.flush()?)
    }
}

/// The number of references by state, and what missing names have in common.
#[derive(Default)]
struct Counts {
    by_state: HashMap<State, u64>,
    odd: BTreeMap<&'static str, u64>,
    /// The missing names by their first part, in lower case.
    missing: BTreeMap<String, Group>,
}

/// Missing names with one first part.
struct Group {
    /// The first part as written first.
    first: String,
    names: u64,
    /// The folders or archives below which all of them exist without the first part.
    folders: Vec<String>,
}

impl Counts {
    fn add(&mut self, link: &Link<'_>) {
        *self.by_state.entry(link.state).or_default() += 1;
        if let Some(odd) = link.odd {
            *self.odd.entry(odd.name()).or_default() += 1;
        }
        if link.state == State::Missing {
            self.add_missing(link);
        }
    }

    fn add_missing(&mut self, link: &Link<'_>) {
        /// The most groups, and the longest first part.
        const MOST_GROUPS: usize = 10_000;
        const LONGEST_PART: usize = 100;
        let Some(reference) = link.reference else { return };
        let name = reference.name.text.trim_start_matches(['\\', '/']).replace('/', "\\");
        let Some((first, rest)) = name.split_once('\\') else { return };
        let is_odd = first.contains(['(', ':', '.']) || first.len() > LONGEST_PART;
        if is_odd || self.missing.len() >= MOST_GROUPS {
            return;
        }
        let folders = folders_with(link, &rest.to_ascii_lowercase());
        let group = self.missing.entry(first.to_ascii_lowercase()).or_insert_with(|| Group {
            first: first.to_owned(),
            names: 0,
            folders: folders.clone(),
        });
        group.names += 1;
        group.folders.retain(|folder| folders.contains(folder));
    }

    fn of(&self, state: State) -> u64 {
        self.by_state.get(&state).copied().unwrap_or(0)
    }

    /// The number of references, without what could not be read.
    fn all(&self) -> u64 {
        self.by_state.values().sum::<u64>() - self.of(State::Unread)
    }

    /// How many files could not all be read, for the end of a line.
    fn unread(&self) -> String {
        match self.of(State::Unread) {
            0 => String::new(),
            some => format!("; not all read: {}", report::count(some, "files")),
        }
    }

    fn in_words(&self, is_stale: bool) -> String {
        let unread = self.unread();
        if is_stale {
            return format!("{}{unread}", report::count(self.all(), "stale copies"));
        }
        let mut unresolved = String::new();
        if self.of(State::Unresolved) > 0 {
            unresolved = format!(", {} unresolved", report::grouped(self.of(State::Unresolved)));
        }
        let all = report::count(self.all(), "references");
        let found = report::grouped(self.of(State::Found));
        let missing = report::grouped(self.of(State::Missing));
        let procedural = report::grouped(self.of(State::Procedural));
        let ambiguous = report::grouped(self.of(State::Ambiguous));
        format!(
            "{all}: {found} found, {missing} missing, {procedural} procedural, {ambiguous} ambiguous{unresolved}{unread}"
        )
    }

    fn report(&self, is_stale: bool, notes: Notes) {
        notes.say(self.in_words(is_stale));
        if is_stale {
            return;
        }
        let mut odd = Vec::new();
        for (name, count) in &self.odd {
            odd.push(format!("{} {name}", report::grouped(*count)));
        }
        if !odd.is_empty() {
            notes.say(format_args!("found, but: {}", odd.join(", ")));
        }
        self.report_missing(notes);
    }

    /// Says what missing names begin with, and which prefix may be missing.
    fn report_missing(&self, notes: Notes) {
        /// The most groups that are listed.
        const MOST_LISTED: usize = 10;
        let mut groups: Vec<&Group> = self.missing.values().collect();
        groups.sort_by_key(|group| std::cmp::Reverse(group.names));
        if groups.iter().map(|group| group.names).sum::<u64>() < 2 {
            return;
        }
        let mut parts = Vec::new();
        for group in groups.iter().take(MOST_LISTED) {
            parts.push(format!("{} {}\\", report::grouped(group.names), report::escape(&group.first)));
        }
        if groups.len() > MOST_LISTED {
            parts.push(format!("{} more", report::grouped((groups.len() - MOST_LISTED) as u64)));
        }
        notes.say(format_args!("missing by first part: {}", parts.join(", ")));
        for group in groups.iter().take(MOST_LISTED) {
            let Some(folder) = group.folders.first() else { continue };
            let first = report::escape(&group.first);
            let folder = report::escape(folder);
            notes.say(format_args!(
                "{} with {first}\\ exist below {folder}: is its prefix missing? Try --prefix {first}={folder}",
                report::count(group.names, "names"),
            ));
        }
    }

    fn report_unused(&self, unused: u64, notes: Notes) {
        let unread = self.unread();
        notes.say(format_args!("{} that nothing names{unread}", report::count(unused, "files")));
        if self.of(State::Unresolved) > 0 {
            let names = report::count(self.of(State::Unresolved), "names");
            notes.say(format_args!("{names} could not be resolved and may mean some of them"));
        }
    }
}

/// The folders or archives in which a missing file is, without the first part of its name.
fn folders_with(link: &Link<'_>, rest: &str) -> Vec<String> {
    let mut folders = Vec::new();
    for file in link.elsewhere() {
        let folded = file.text.to_ascii_lowercase().replace('/', "\\");
        let stem = match rest.rsplit_once('.') {
            Some((stem, _)) => stem,
            None => rest,
        };
        let Some(start) = folded.rfind(stem) else { continue };
        let is_end = folded.get(start + stem.len()..).is_some_and(|end| !end.contains('\\'));
        if let Some(before) = file.text.get(..start)
            && before.ends_with(['\\', '/'])
            && is_end
        {
            let folder = before.trim_end_matches(['\\', '/']);
            folders.push(folder.strip_suffix('!').unwrap_or(folder).to_owned());
        }
    }
    folders
}

type LinkForm = Box<dyn for<'l, 'n> Form<&'l Link<'n>>>;

/// Chooses a form.
fn form_of(args: &Args, common: &Common) -> Result<LinkForm, Failure> {
    if let Some(format) = &args.format
        && let Some(tables) = Tables::of(Table::Refs, format, None, common)?
    {
        return Ok(Box::new(OneTable(tables)));
    }
    let out = Output::text(common)?;
    let service = match args.format_for(&out) {
        LinkFormat::Table => return Ok(Box::new(ReferenceSheets { out, sheet: Sheet::default() })),
        LinkFormat::Csv => {
            let mut csv = csv::Writer::from_writer(Output::data(common)?);
            csv.write_record(COLUMNS.split(','))?;
            return Ok(Box::new(Csv(csv)));
        }
        LinkFormat::Sarif => Service::Sarif,
        LinkFormat::Github => Service::Github,
        _ => return Ok(Box::new(LinkLines(Output::data(common)?))),
    };
    let annotations = Annotations::new(Output::data(common)?, service)?;
    Ok(Box::new(AnnotatedReferences { annotations, is_stale: args.stale }))
}

impl InTable for &Link<'_> {
    fn add_to(self, tables: &Tables) -> Result<(), Failure> {
        tables.link(self)
    }
}

/// Lines of JSON. There may be millions, so the library writes them itself.
struct LinkLines(Output);

impl Form<&Link<'_>> for LinkLines {
    fn add(&mut self, link: &Link<'_>) -> Result<(), Failure> {
        Ok(self.0.link_line(link)?)
    }

    fn finish(mut self: Box<Self>, _: End<'_>) -> Result<(), Failure> {
        Ok(self.0.flush()?)
    }
}

/// The references of each asset below its address.
struct ReferenceSheets {
    out: Output,
    sheet: Sheet,
}

impl Form<&Link<'_>> for ReferenceSheets {
    fn add(&mut self, link: &Link<'_>) -> Result<(), Failure> {
        Ok(self.sheet.add(link, &mut self.out)?)
    }

    fn finish(mut self: Box<Self>, _: End<'_>) -> Result<(), Failure> {
        self.sheet.write(&mut self.out)?;
        Ok(self.out.flush()?)
    }
}

/// Missing files and stale copies, and assets that are not all read, as annotations.
struct AnnotatedReferences {
    annotations: Annotations,
    is_stale: bool,
}

impl Form<&Link<'_>> for AnnotatedReferences {
    fn add(&mut self, link: &Link<'_>) -> Result<(), Failure> {
        if let Some(line) = annotation(link, self.annotations.service, self.is_stale)? {
            self.annotations.put(&line)?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>, end: End<'_>) -> Result<(), Failure> {
        Ok(self.annotations.finish(end.is_whole, end.counts)?)
    }
}

/// The columns of CSV.
const COLUMNS: &str = "path,member,kind,name,state,target,via,line,column,elsewhere,reason,note";

struct Csv(csv::Writer<Output>);

impl Form<&Link<'_>> for Csv {
    fn add(&mut self, link: &Link<'_>) -> Result<(), Failure> {
        let path = Name::from(link.path).text;
        let member = text(link.member);
        let mut kind = "";
        let mut name = "";
        if let Some(reference) = link.reference {
            kind = reference.kind.name();
            name = &reference.name.text;
        }
        let mut line = String::new();
        let mut column = String::new();
        if let Some((of_line, of_column)) = link.place {
            line = of_line.to_string();
            column = of_column.to_string();
        }
        let via = text(link.via);
        let state = link.state.name();
        let target = cell(link.targets(), link.more);
        let elsewhere = cell(link.elsewhere(), link.more);
        let reason = match link.reason {
            Some(reason) => reason.name(),
            None => "",
        };
        let note = link.note_text().unwrap_or_default();
        Ok(self.0.write_record([
            &path, member, kind, name, state, &target, via, &line, &column, &elsewhere, reason, &note,
        ])?)
    }

    fn finish(mut self: Box<Self>, _: End<'_>) -> Result<(), Failure> {
        Ok(self.0.flush()?)
    }
}

fn text(name: Option<&Name>) -> &str {
    match name {
        Some(name) => &name.text,
        None => "",
    }
}

/// The cell of files, and of the number of further ones.
fn cell(files: impl Iterator<Item = Name>, more: usize) -> String {
    let mut cell: Vec<String> = files.map(|file| file.text).collect();
    if more > 0 && !cell.is_empty() {
        cell.push(format!("{more} more"));
    }
    cell.join(" | ")
}

/// The annotation for a missing file or an unread asset, where the name stands. Of stale copies, each has one.
fn annotation(link: &Link<'_>, service: Service, is_stale: bool) -> io::Result<Option<Vec<u8>>> {
    let rule = match link.state {
        State::Unread => "refs.unread",
        _ if is_stale => "refs.stale",
        State::Missing => "refs.missing",
        _ => return Ok(None),
    };
    let note = link.note_text();
    let message = match link.reference {
        Some(reference) if is_stale => {
            format!("texture {} of the material is not in the model's copy", reference.name.text)
        }
        Some(reference) => format!("{} {} is missing", reference.kind.name(), reference.name.text),
        None => format!("not all references are read: {}", note.unwrap_or_default()),
    };
    // The text that contains the name, if that is not the asset.
    let via;
    let mut path = link.path;
    let mut member = None;
    if let Some(text) = link.via {
        via = Address::parse(Path::new(&text.text));
        path = &via.file;
        member = via.member.as_deref().map(String::from_utf8_lossy);
    } else if let Some(name) = link.member {
        member = Some(name.text.as_str().into());
    }
    let place = match link.place {
        Some((line, column)) => Place::Line(line, column),
        None => Place::Whole,
    };
    let severity = Severity::Error;
    let finding = Finding { rule, severity, path, member: member.as_deref(), place, message: message.into() };
    Ok(Some(finding.line(service)?))
}

/// The references of one asset, as text.
#[derive(Default)]
struct Sheet {
    path: PathBuf,
    member: Option<Name>,
    rows: Vec<Row>,
    /// The indices of the rows by all that they say, except the places of the name.
    known: HashMap<u64, usize>,
    hash: RandomState,
}

/// A reference of an asset: the line with its name, and a line for each further fact.
struct Row {
    first: String,
    /// The texts that contain the name.
    places: Vec<String>,
    facts: Vec<String>,
}

impl Sheet {
    /// Adds a reference. A name that the asset asks for through several texts has one row.
    fn add(&mut self, link: &Link<'_>, out: &mut Output) -> io::Result<()> {
        /// The most rows that wait for others of the same name.
        const MOST_ROWS: usize = 10_000;
        let is_same = self.path == link.path && self.member.as_ref() == link.member;
        if !is_same || self.rows.len() >= MOST_ROWS {
            self.write(out)?;
            self.path = link.path.to_owned();
            self.member = link.member.cloned();
        }
        let mut row = Row::of(link);
        let key = self.hash.hash_one((&row.first, &row.facts));
        if let Some(&index) = self.known.get(&key)
            && let Some(known) = self.rows.get_mut(index)
        {
            known.places.append(&mut row.places);
        } else {
            self.known.insert(key, self.rows.len());
            self.rows.push(row);
        }
        Ok(())
    }

    /// Writes the rows below the address of the asset.
    fn write(&mut self, out: &mut Output) -> io::Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        writeln!(out, "{}", whole(&self.path, self.member.as_ref()))?;
        for row in self.rows.drain(..) {
            writeln!(out, "  {}", row.first)?;
            for fact in row.places.iter().chain(&row.facts) {
                writeln!(out, "      {}", held(fact))?;
            }
        }
        self.known.clear();
        Ok(())
    }
}

impl Row {
    fn of(link: &Link<'_>) -> Self {
        let style = match link.state {
            State::Missing | State::Unread => report::style(Severity::Error),
            State::Ambiguous => report::style(Severity::Warning),
            _ => Style::new(),
        };
        let mut first = format!("{style}{}{style:#}", link.state);
        if let Some(reference) = link.reference {
            let padding = " ".repeat(10_usize.saturating_sub(link.state.name().len()));
            let name = report::escape(&reference.name.text);
            first += &held(&format!("{padding}  {:<8}  {name}", reference.kind.name()));
        }
        let mut row = Self { first, places: Vec::new(), facts: Vec::new() };
        match (link.via, link.place) {
            (Some(via), Some((line, column))) => {
                row.places.push(format!("via {}:{line}:{column}", report::escape(&via.text)));
            }
            (Some(via), None) => row.places.push(format!("via {}", report::escape(&via.text))),
            (None, Some((line, column))) => row.places.push(format!("at {line}:{column}")),
            (None, None) => {}
        }
        for file in link.targets() {
            row.facts.push(format!("-> {}", report::escape(&file.text)));
        }
        for file in link.elsewhere() {
            row.facts.push(format!("a file of that name is in {}", report::escape(&file.text)));
        }
        if link.more > 0 {
            row.facts.push(format!("and {} more", report::grouped(link.more as u64)));
        }
        if let Some(note) = link.note_text() {
            row.facts.push(report::escape(&note).into_owned());
        }
        row
    }
}

/// The address of an asset, which a line break does not split.
fn whole(path: &Path, member: Option<&Name>) -> String {
    let file = Name::from(path).text;
    held(&report::escape(&MemberPath::join_text(&file, member.map(|member| &*member.text))))
}
