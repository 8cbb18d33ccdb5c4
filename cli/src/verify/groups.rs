//! Problems grouped by code, for a person who reads them.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{Result, Write};

use meshpeek::scan::Record;
use meshpeek::summary::{Code, Problem, Severity};

use crate::explain::Explanation;
use crate::report;
use crate::wrap::HANG;

/// The problems of a scan: errors first, then by code. Keeps one example of each.
#[derive(Default)]
pub(super) struct Groups(BTreeMap<(Reverse<Severity>, Code), Group>);

struct Group {
    problems: u64,
    assets: u64,
    /// The address of an asset, and a problem of it: those of the first address.
    example: (String, Problem),
}

impl Groups {
    /// Adds the problems of one asset.
    pub(super) fn add(&mut self, record: &Record, problems: &[Cow<'_, Problem>]) {
        let place = report::place(record);
        let mut seen = Vec::new();
        for problem in problems {
            let problem = problem.as_ref();
            let kind = (Reverse(problem.severity), problem.code);
            let group = self.0.entry(kind).or_insert_with(|| Group {
                problems: 0,
                assets: 0,
                example: (place.clone(), problem.clone()),
            });
            group.problems += 1;
            if !seen.contains(&kind) {
                seen.push(kind);
                group.assets += 1;
                if place < group.example.0 {
                    group.example = (place.clone(), problem.clone());
                }
            }
        }
    }

    /// Writes an entry for each code.
    pub(super) fn write(&self, out: &mut impl Write) -> Result<()> {
        let mut is_shortened = false;
        for ((Reverse(severity), code), group) in &self.0 {
            let style = report::style(*severity);
            let count = report::count(group.problems, if *severity == Severity::Error { "errors" } else { "warnings" });
            let assets = report::count(group.assets, "assets");
            let explanation = Explanation::of(*code);
            writeln!(out, "{style}{code}{style:#}  {count} in {assets}")?;
            writeln!(out, "  {}", explanation.means)?;
            writeln!(out, "  to repair{HANG}  {}", explanation.repair)?;
            let (place, problem) = &group.example;
            let label = if group.problems > 1 { "the first" } else { "" };
            is_shortened |= group.problems > 1;
            writeln!(out, "  {label:9}{HANG}  {place}: {}", report::problem(problem))?;
        }
        if is_shortened {
            writeln!(out, "-v lists all problems; meshpeek explain CODE says more of a code.")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshpeek::scan::Scan;
    use std::path::Path;

    fn record(path: &str, problems: &[(Severity, Code, &str)]) -> Record {
        let mut record = Scan::new([""]).record(Path::new(path), b"");
        record.summary.problems.clear();
        for (severity, code, message) in problems {
            let error = meshpeek::Error::malformed(message.to_string()).at(16).coded(*code);
            let problem = match severity {
                Severity::Error => Problem::error(&error),
                Severity::Warning => Problem::warning(&error),
            };
            record.summary.problems.push(problem);
        }
        record
    }

    #[test]
    fn errors_come_first_and_the_first_address_is_the_example() {
        let records = [
            record("b.b3d", &[(Severity::Warning, Code::Weights, "odd"), (Severity::Error, Code::Range, "b")]),
            record("a.b3d", &[(Severity::Error, Code::Range, "a"), (Severity::Error, Code::Range, "a again")]),
        ];
        let written = |order: [usize; 2]| {
            let mut groups = Groups::default();
            for index in order {
                groups.add(
                    &records[index],
                    &records[index].summary.problems.iter().map(Cow::Borrowed).collect::<Vec<_>>(),
                );
            }
            let mut out = Vec::new();
            groups.write(&mut out).unwrap();
            anstream::adapter::strip_str(std::str::from_utf8(&out).unwrap()).to_string().replace(HANG, "")
        };
        let text = written([0, 1]);
        assert_eq!(text, written([1, 0]));
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("damaged.range  3 errors in 2 assets"));
        assert_eq!(lines.nth(2), Some("  the first  a.b3d: error at 0x10: a"));
        assert_eq!(lines.next(), Some("suspicious.weights  1 warning in 1 asset"));
        assert_eq!(lines.nth(2), Some("             b.b3d: warning at 0x10: odd"));
        assert!(lines.next().is_some_and(|line| line.starts_with("-v lists all")));
    }
}
