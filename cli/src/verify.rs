//! `meshpeek verify`: lists every problem on its own line.

use std::collections::{BTreeMap, HashSet};
use std::hash::{BuildHasher as _, RandomState};
use std::io::Write;
use std::process::ExitCode;

use meshpeek::Format;
use meshpeek::format::NoAsset;
use meshpeek::scan::{Depth, Found, Record, Sighting};
use meshpeek::summary::{Problem, Severity};

use crate::args::{Common, Inputs, ReportFormat};
use crate::failure::Outcome;
use crate::notes::Notes;
use crate::output::{Line, Output};
use crate::sorted::Sorted;
#[cfg(feature = "parquet")]
use crate::tables::{Table, Tables};
use crate::{input, report};

pub(crate) fn run(inputs: &Inputs, format: ReportFormat, strict: bool, common: &Common) -> Outcome {
    let mut scan = input::scan(inputs, common)?;
    scan.depth = Depth::Verify;
    let notes = Notes::new(common);
    #[cfg(feature = "parquet")]
    let tables = Tables::of(Table::Problems, &format, Sorted::if_asked(inputs, None, common), common)?;
    let mut out = Output::of(common, format == ReportFormat::Text)?;
    let (mut errors, mut warnings) = (0_u64, 0_u64);
    let mut reported = Reported::default();
    let mut unchecked: BTreeMap<String, u64> = BTreeMap::new();
    let is_lines = format == ReportFormat::Ndjson;
    let mut sorted = match format {
        ReportFormat::Text => Some(Sorted::new(inputs, None, common)),
        _ => Sorted::if_asked(inputs, None, common),
    };
    let view = |seen: &Sighting<'_, '_>| Line::of(seen.record, is_lines);
    let tally = input::each_result(&scan, inputs, None, common, view, |found, line| {
        #[cfg(feature = "parquet")]
        if let (Found::Unreadable(error), Some(tables)) = (&found, &tables) {
            return tables.unreadable(error);
        }
        let Found::Asset(record) = found else { return Ok(()) };
        #[cfg(feature = "parquet")]
        if let Some(tables) = &tables {
            tables.record(&record)?;
        }
        for (method, count) in record.summary.unchecked.iter() {
            *unchecked.entry(method.to_owned()).or_default() += count;
        }
        let shown = reported.new_of(&record);
        for problem in &shown {
            match problem.severity {
                Severity::Error => errors += 1,
                Severity::Warning => warnings += 1,
            }
        }
        let row = match format {
            ReportFormat::Ndjson => Line::bytes(&record, line)?,
            ReportFormat::Text if !shown.is_empty() => text(&record, &shown, out.is_terminal).into_bytes(),
            _ => return Ok(()),
        };
        match &mut sorted {
            Some(sorted) => sorted.push(&record, &row)?,
            None => out.write_all(&row)?,
        }
        Ok(())
    })?;
    if let Some(mut sorted) = sorted {
        while let Some(row) = sorted.next()? {
            out.write_all(row)?;
        }
    }
    out.flush()?;
    #[cfg(feature = "parquet")]
    if let Some(tables) = tables {
        tables.finish(false)?;
    }
    notes.say(format_args!(
        "{}, {}, {}{}{}",
        report::count(tally.assets, "assets"),
        report::count(errors, "errors"),
        report::count(warnings, "warnings"),
        tally.rest(),
        not_checked(&unchecked)
    ));
    let found = errors > 0 || strict && (warnings > 0 || !unchecked.is_empty());
    let status = tally.status();
    Ok(if found && status == ExitCode::SUCCESS { ExitCode::from(1) } else { status })
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
        let around = member.map(|member| member.rsplit_once("!/").map(|(around, _)| around));
        let mut new = Vec::new();
        for problem in &record.summary.problems {
            let facts = (problem.offset, &problem.message);
            let is_known = around
                .is_some_and(|around| self.of_archives.contains(&self.hash.hash_one((&record.path, around, facts))));
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
fn text(record: &Record, problems: &[&Problem], above: bool) -> String {
    let place = report::place(record);
    let (mut text, before) = if above { (place + "\n", "  ".to_owned()) } else { (String::new(), place + ": ") };
    for problem in problems {
        text += &format!("{before}{}\n", report::problem(problem));
    }
    text
}
