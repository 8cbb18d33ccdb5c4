//! `meshpeek verify`: lists every problem on its own line, or on a terminal grouped by code.

mod bones;
mod groups;
mod rules;
mod signed;
mod stale;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use meshpeek::address::MemberPath;
use meshpeek::format::NoAsset;
use meshpeek::scan::{Depth, Found, Record, Sighting};
use meshpeek::summary::{Problem, Severity};
use meshpeek::{Asset, Error, Format};

use self::groups::Groups;
use self::rules::{Rule, Rules, Verdict};
use self::signed::{KeyUse, Keys, Signatures};
use crate::annotations::{Annotations, Finding, Place, Service};
use crate::args::{Common, Inputs, ProblemFormat};
use crate::failure::message_of;
use crate::failure::{Failure, Outcome};
use crate::forms::{End, Form, InTable, OneTable, RecordRows, RowSink as _};
use crate::limits::with_flag;
use crate::notes::Notes;
use crate::output::{Line, Output};
use crate::sorted::Sorted;
use crate::tables::{Table, Tables};
use crate::{input, report};

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    /// Output format: text, the records, a SARIF document, annotations of a workflow, or a table of problems
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: ProblemFormat,
    /// Count a warning as an error
    #[arg(long)]
    strict: bool,
    /// Check also what models, textures and animations need in their games
    #[arg(long)]
    lint: bool,
    /// Count warnings with this code, such as `suspicious.normals`, but do not list them; `suspicious` and `lint` allow all
    #[arg(long, value_name = "CODE", value_delimiter = ',', value_parser = Rule::allowed)]
    allow: Vec<Rule>,
    /// The file with `allow` and `deny` [default: meshpeek.toml in the working folder, if there is one]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, common: &Common) -> Outcome {
    let rules = Rules::read(args.allow.clone(), args.config.as_deref())?;
    let mut scan = input::scan(&args.inputs, common)?;
    scan.depth = Depth::Verify;
    scan.lint = args.lint;
    let notes = Notes::new(common);
    let mut verification = Verification {
        rules,
        form: form_of(args, common)?,
        counts: Counts::default(),
        reported: Reported::default(),
        keys: Keys::new(&args.inputs, &scan),
    };
    let signatures = Signatures::new(common);
    let is_lines = args.format == ProblemFormat::Ndjson;
    let view = |seen: &Sighting<'_, '_>| Viewed::of(seen, &signatures, args.lint, is_lines);
    let tally = input::each_result(&scan, &args.inputs, common, view, |found, viewed| verification.add(found, viewed))?;
    verification.finish(tally.interrupted || tally.unreadable > 0)?;
    let Verification { rules, form, counts, .. } = verification;
    let said = format!("{}, {}", report::count(tally.assets, "assets"), counts.with(&rules, &tally.rest()));
    let is_whole = tally.unreadable == 0 && !tally.interrupted;
    form.finish(End { is_whole, counts: &said, ..End::default() })?;
    notes.say(said);
    let status = tally.status();
    let is_wrong = counts.errors > 0 || args.strict && counts.is_any_doubtful();
    Ok(if is_wrong && status == ExitCode::SUCCESS { ExitCode::from(1) } else { status })
}

/// Judges, counts and reports the problems of one asset after the other.
struct Verification {
    rules: Rules,
    form: Box<dyn for<'j> Form<Judged<'j>>>,
    counts: Counts,
    reported: Reported,
    keys: Keys<Viewed>,
}

impl Verification {
    fn add(&mut self, found: Found, viewed: Option<Viewed>) -> Result<(), Failure> {
        let record = match found {
            Found::Asset(record) => record,
            Found::Unreadable(error) => return self.form.unreadable(&error),
            _ => return Ok(()),
        };
        let mut viewed = viewed.unwrap_or_default();
        let key = viewed.key.take();
        match self.keys.take(key, record, viewed) {
            Some((record, viewed)) => self.add_record(record, viewed),
            None => Ok(()),
        }
    }

    /// Adds the signatures that waited for keys. `is_cut` is true if not everything was read.
    fn finish(&mut self, is_cut: bool) -> Result<(), Failure> {
        for (problem, record, mut viewed) in self.keys.finish(is_cut) {
            if let Some(problem) = problem {
                viewed.problems.push(problem);
                // It lacks the problem.
                viewed.line = None;
            }
            self.add_record(record, viewed)?;
        }
        self.counts.unasked = self.keys.unasked;
        Ok(())
    }

    fn add_record(&mut self, mut record: Box<Record>, viewed: Viewed) -> Result<(), Failure> {
        let Viewed { problems, absent, line, .. } = viewed;
        self.counts.absent += absent;
        record.summary.problems.extend(problems);
        let mut shown = Vec::new();
        for problem in self.reported.new_of(&record) {
            let verdict = self.rules.judge(problem);
            self.counts.add(problem, verdict);
            match verdict {
                Verdict::Listed => shown.push(Cow::Borrowed(problem)),
                Verdict::Denied => {
                    let mut denied = problem.clone();
                    denied.severity = Severity::Error;
                    shown.push(Cow::Owned(denied));
                }
                Verdict::AllowedByFlag | Verdict::AllowedByFile => {}
            }
        }
        self.counts.add_unchecked(&record);
        self.form.add(Judged { record: &record, problems: &shown, line })
    }
}

/// What is made of an asset while it is open.
#[derive(Default)]
struct Viewed {
    /// What does not fit the files beside it: a signature, the bones of an animation, the textures of an index.
    problems: Vec<Problem>,
    /// The key of a key or signature.
    key: Option<KeyUse>,
    /// The number of textures in an index that are not there, and so are not compared.
    absent: u64,
    /// The record as a line, if lines are wanted.
    line: Option<Line>,
}

impl Viewed {
    fn of(seen: &Sighting<'_, '_>, signatures: &Signatures, lints: bool, is_lines: bool) -> Self {
        let compared = signatures.check(seen);
        let mut viewed = Self { problems: compared.problems, key: compared.key, ..Self::default() };
        if lints {
            viewed.problems.extend(bones::check(seen));
            let compared = stale::check(seen);
            viewed.problems.extend(compared.problems);
            viewed.absent = compared.absent;
        }
        // Signatures wait for keys. Their lines are made after that, and take no memory meanwhile.
        if matches!(seen.asset, Some(Asset::Bisign(_))) {
            return viewed;
        }
        if viewed.problems.is_empty() {
            viewed.line = Line::of(seen.record, is_lines);
            return viewed;
        }
        let mut record = seen.record.clone();
        record.summary.problems.extend(viewed.problems.clone());
        viewed.line = Line::of(&record, is_lines);
        viewed
    }
}

/// What was found.
#[derive(Default)]
struct Counts {
    errors: u64,
    warnings: u64,
    /// The errors that are warnings which the file denies.
    denied: u64,
    allowed: u64,
    allowed_by_file: u64,
    /// The members that were not checked, by their method.
    unchecked: BTreeMap<String, u64>,
    /// The textures in indices that are not there, and so were not compared.
    absent: u64,
    /// The signatures whose keys were not looked for.
    unasked: u64,
}

impl Counts {
    fn add(&mut self, problem: &Problem, verdict: Verdict) {
        match (verdict, problem.severity) {
            (Verdict::AllowedByFlag, _) => self.allowed += 1,
            (Verdict::AllowedByFile, _) => self.allowed_by_file += 1,
            (Verdict::Listed, Severity::Error) => self.errors += 1,
            (Verdict::Listed, Severity::Warning) => self.warnings += 1,
            (Verdict::Denied, _) => {
                self.errors += 1;
                self.denied += 1;
            }
        }
    }

    fn add_unchecked(&mut self, record: &Record) {
        for (method, count) in record.summary.unchecked.iter() {
            *self.unchecked.entry(method.to_owned()).or_default() += count;
        }
    }

    /// Returns true if there are warnings, or something was not checked.
    fn is_any_doubtful(&self) -> bool {
        self.warnings > 0 || self.unasked > 0 || !self.unchecked.is_empty()
    }

    /// The counts in words, with this text between problems and members.
    fn with(&self, rules: &Rules, rest: &str) -> String {
        let mut text = report::count(self.errors, "errors");
        if self.denied > 0 {
            text += &format!(" ({} denied by {})", report::grouped(self.denied), rules.file_name());
        }
        text += &format!(", {}", report::count(self.warnings, "warnings"));
        if self.allowed > 0 {
            text += &format!(", {} allowed by --allow", report::grouped(self.allowed));
        }
        if self.allowed_by_file > 0 {
            text += &format!(", {} allowed by {}", report::grouped(self.allowed_by_file), rules.file_name());
        }
        if self.absent > 0 {
            text += &format!(", {} not there", report::count(self.absent, "listed textures"));
        }
        if self.unasked > 0 {
            text += &format!(", keys of {} not looked for", report::count(self.unasked, "signatures"));
        }
        text + rest + &not_checked(&self.unchecked)
    }
}

/// An asset, with those of its problems that are listed.
struct Judged<'j> {
    record: &'j Record,
    problems: &'j [Cow<'j, Problem>],
    /// The line of the record, if it is made already.
    line: Option<Line>,
}

/// Chooses a form. Programs get rows as they are found, unless they ask for an order. People read them in the order of
/// paths.
fn form_of(args: &Args, common: &Common) -> Result<Box<dyn for<'j> Form<Judged<'j>>>, Failure> {
    let if_asked = || Sorted::if_asked(&args.inputs, None, common);
    if let Some(tables) = Tables::of(Table::Problems, &args.format, if_asked(), common)? {
        return Ok(Box::new(OneTable(tables)));
    }
    let by_path = Some(Sorted::new(&args.inputs, None, common));
    let out = Output::of(common, args.format == ProblemFormat::Text)?;
    let service = match args.format {
        ProblemFormat::Sarif => Service::Sarif,
        ProblemFormat::Github => Service::Github,
        ProblemFormat::Text if out.is_terminal && !common.verbose => {
            return Ok(Box::new(Grouped { out, groups: Groups::default() }));
        }
        ProblemFormat::Text => return Ok(Box::new(Text(RecordRows::new(out, by_path)))),
        _ => return Ok(Box::new(Records(RecordRows::new(out, if_asked())))),
    };
    Ok(Box::new(AnnotatedProblems(RecordRows::new(Annotations::new(out, service)?, by_path))))
}

impl InTable for Judged<'_> {
    fn add_to(self, tables: &Tables) -> Result<(), Failure> {
        tables.record(self.record)
    }
}

/// The records themselves, as lines of JSON.
struct Records(RecordRows<Output>);

impl Form<Judged<'_>> for Records {
    fn add(&mut self, Judged { record, line, .. }: Judged<'_>) -> Result<(), Failure> {
        Ok(self.0.add(record, &Line::bytes(record, line)?)?)
    }

    fn finish(self: Box<Self>, _: End<'_>) -> Result<(), Failure> {
        self.0.end()
    }
}

/// Each problem on a line.
struct Text(RecordRows<Output>);

impl Form<Judged<'_>> for Text {
    fn add(&mut self, Judged { record, problems, .. }: Judged<'_>) -> Result<(), Failure> {
        if problems.is_empty() {
            return Ok(());
        }
        let lines = text(record, problems, self.0.out.is_terminal);
        Ok(self.0.add(record, lines.as_bytes())?)
    }

    fn finish(self: Box<Self>, _: End<'_>) -> Result<(), Failure> {
        self.0.end()
    }
}

/// Problems by their code, on a terminal without `--verbose`.
struct Grouped {
    out: Output,
    groups: Groups,
}

impl Form<Judged<'_>> for Grouped {
    fn add(&mut self, Judged { record, problems, .. }: Judged<'_>) -> Result<(), Failure> {
        self.groups.add(record, problems);
        Ok(())
    }

    fn finish(mut self: Box<Self>, _: End<'_>) -> Result<(), Failure> {
        self.groups.write(&mut self.out)?;
        Ok(self.out.flush()?)
    }
}

/// Each problem as an annotation.
struct AnnotatedProblems(RecordRows<Annotations>);

impl Form<Judged<'_>> for AnnotatedProblems {
    fn add(&mut self, Judged { record, problems, .. }: Judged<'_>) -> Result<(), Failure> {
        if problems.is_empty() {
            return Ok(());
        }
        let lines = annotated(record, problems, self.0.out.service)?;
        Ok(self.0.add(record, &lines)?)
    }

    fn unreadable(&mut self, error: &Error) -> Result<(), Failure> {
        let finding = Finding {
            rule: "unreadable",
            severity: Severity::Error,
            path: error.path().unwrap_or(Path::new("")),
            member: None,
            place: Place::Whole,
            message: message_of(error).into(),
        };
        let annotations = &mut self.0.out;
        Ok(annotations.put(&finding.line(annotations.service)?)?)
    }

    fn finish(self: Box<Self>, end: End<'_>) -> Result<(), Failure> {
        Ok(self.0.finish()?.finish(end.is_whole, end.counts)?)
    }
}

/// The problems of an asset as annotations.
fn annotated(record: &Record, problems: &[Cow<'_, Problem>], service: Service) -> io::Result<Vec<u8>> {
    let mut lines = Vec::new();
    for problem in problems {
        let finding = Finding {
            rule: problem.code.name(),
            severity: problem.severity,
            path: &record.path,
            member: record.member.as_ref().map(|member| member.text.as_str()),
            place: match problem.offset {
                Some(offset) => Place::Offset(offset),
                None => Place::Whole,
            },
            message: with_flag(&problem.message, problem.code).into(),
        };
        lines.append(&mut finding.line(service)?);
    }
    Ok(lines)
}

/// The problems that archives report about their members. A member's own record repeats them, but one fact is one line.
#[derive(Default)]
struct Reported {
    hash: RandomState,
    of_archives: HashSet<u64>,
}

impl Reported {
    /// Returns the problems of a record, without those that the archive around it has reported.
    fn new_of<'r>(&mut self, record: &'r Record) -> Vec<&'r Problem> {
        let member = record.member.as_ref().map(|member| member.text.as_str());
        let around = member.map(|member| MemberPath::new(member).split_last().0);
        let mut new = Vec::new();
        for problem in &record.summary.problems {
            let facts = (problem.offset, &problem.message);
            let mut is_known = false;
            if let Some(around) = around {
                is_known = self.of_archives.contains(&self.hash.hash_one((&record.path, around, facts)));
            }
            let is_config = problem.message == NoAsset::Config.message();
            if is_known || is_config {
                continue;
            }
            new.push(problem);
            if matches!(record.summary.format, Some(Format::Zip | Format::Pbo)) {
                self.of_archives.insert(self.hash.hash_one((&record.path, member, facts)));
            }
        }
        new
    }
}

/// How many members were not checked: `, 3 members not checked: 2 bzip2, 1 encrypted`.
fn not_checked(unchecked: &BTreeMap<String, u64>) -> String {
    if unchecked.is_empty() {
        return String::new();
    }
    let all: u64 = unchecked.values().sum();
    let mut methods = Vec::new();
    for (method, count) in unchecked {
        match unchecked.len() {
            1 => methods.push(method.clone()),
            _ => methods.push(format!("{} {method}", report::grouped(*count))),
        }
    }
    format!(", {} not checked: {}", report::count(all, "members"), methods.join(", "))
}

/// The problems of an asset, with its address before each line, or once above all.
fn text(record: &Record, problems: &[Cow<'_, Problem>], above: bool) -> String {
    let place = report::place(record);
    let mut text = String::new();
    let mut before = format!("{place}: ");
    if above {
        text = format!("{place}\n");
        before = "  ".to_owned();
    }
    for problem in problems {
        text += &format!("{before}{}\n", report::problem(problem));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(folder: &Path) -> Rules {
        let file = folder.join("rules.toml");
        std::fs::write(&file, "").unwrap();
        Rules::read(Vec::new(), Some(&file)).unwrap_or_else(|_| panic!("an empty file has no rules"))
    }

    #[test]
    fn each_verdict_and_severity_has_its_counts() {
        use Verdict::{AllowedByFile, AllowedByFlag, Denied, Listed};
        for severity in [Severity::Warning, Severity::Error] {
            for (verdict, expected) in [
                (Listed, if severity == Severity::Error { [1, 0, 0, 0, 0] } else { [0, 1, 0, 0, 0] }),
                (Denied, [1, 0, 1, 0, 0]),
                (AllowedByFlag, [0, 0, 0, 1, 0]),
                (AllowedByFile, [0, 0, 0, 0, 1]),
            ] {
                let mut problem = Problem::error(&meshpeek::Error::malformed("why"));
                problem.severity = severity;
                let mut counts = Counts::default();
                counts.add(&problem, verdict);
                let found = [counts.errors, counts.warnings, counts.denied, counts.allowed, counts.allowed_by_file];
                assert_eq!(found, expected, "{severity:?}");
            }
        }
    }

    #[test]
    fn every_count_is_said_and_some_make_the_result_doubtful() {
        let folder = tempfile::tempdir().unwrap();
        let rules = rules(folder.path());
        let file = rules.file_name();
        for present in 0..1 << 7 {
            let of = |number: u64| if present >> number & 1 != 0 { number + 2 } else { 0 };
            let mut counts = Counts {
                warnings: of(0),
                denied: of(1),
                errors: of(1),
                allowed: of(2),
                allowed_by_file: of(3),
                absent: of(4),
                unasked: of(5),
                ..Counts::default()
            };
            if of(6) > 0 {
                counts.unchecked.insert("lzma".to_owned(), of(6));
            }
            let mut expected = if of(1) > 0 { format!("3 errors (3 denied by {file})") } else { "0 errors".to_owned() };
            expected += if of(0) > 0 { ", 2 warnings" } else { ", 0 warnings" };
            for (number, words) in [
                (2, "4 allowed by --allow".to_owned()),
                (3, format!("5 allowed by {file}")),
                (4, "6 listed textures not there".to_owned()),
                (5, "keys of 7 signatures not looked for".to_owned()),
            ] {
                if of(number) > 0 {
                    expected += &format!(", {words}");
                }
            }
            let found = counts.with(&rules, " in 1 asset");
            let start = format!("{expected} in 1 asset");
            assert!(found.starts_with(&start), "{found:?} for {start:?}");
            assert_eq!(found.len() > start.len(), of(6) > 0, "{found:?}");
            assert_eq!(counts.is_any_doubtful(), of(0) + of(5) + of(6) > 0, "{present:b}");
        }
    }
}
