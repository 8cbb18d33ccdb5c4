//! Records as rows of CSV.

use meshpeek::Format;
use meshpeek::scan::Record;
use meshpeek::summary::Severity;

use crate::output::{Failure, Output};

const FRONT: [&str; 5] = ["path", "member", "format", "version", "bytes"];
const DIGESTS: [&str; 7] = ["positions", "indices", "uvs", "normals", "faces", "times", "transforms"];

/// Writes the header, then a row for each record.
pub(super) struct Writer {
    rows: csv::Writer<Output>,
    /// Whether cells that a spreadsheet would calculate are marked as text.
    safe: bool,
}

impl Writer {
    pub(super) fn new(out: Output, safe: bool) -> Result<Self, Failure> {
        let mut rows = csv::Writer::from_writer(out);
        rows.write_record(header())?;
        Ok(Self { rows, safe })
    }

    pub(super) fn write(&mut self, record: &Record) -> Result<(), Failure> {
        let mut row = row(record);
        if self.safe {
            row.iter_mut().for_each(defuse);
        }
        Ok(self.rows.write_record(row)?)
    }

    pub(super) fn finish(mut self) -> Result<(), Failure> {
        Ok(self.rows.flush()?)
    }
}

/// With an apostrophe in front, spreadsheets take a cell for a text.
fn defuse(cell: &mut String) {
    if cell.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        cell.insert(0, '\'');
    }
}

/// One column for each count of any format.
fn count_columns() -> Vec<&'static str> {
    let mut names: Vec<&str> = Vec::new();
    for &name in Format::ALL.iter().flat_map(|format| format.count_names()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn header() -> Vec<String> {
    let mut header: Vec<String> = FRONT.into_iter().chain(count_columns()).map(str::to_owned).collect();
    header.extend(["references", "errors", "warnings", "first_code", "first_problem"].map(str::to_owned));
    header.extend(DIGESTS.iter().map(|name| format!("sha256_{name}")));
    header
}

fn row(record: &Record) -> Vec<String> {
    let summary = &record.summary;
    let or_empty = |number: Option<u64>| number.map(|number| number.to_string()).unwrap_or_default();
    let of = |severity| summary.problems.iter().filter(|problem| problem.severity == severity).count().to_string();
    let mut row = vec![
        record.path_name().text,
        record.member.as_ref().map(|member| member.text.clone()).unwrap_or_default(),
        summary.format.to_string(),
        or_empty(summary.version.map(u64::from)),
        summary.bytes.to_string(),
    ];
    row.extend(count_columns().into_iter().map(|name| or_empty(summary.counts.get(name))));
    row.push(summary.references.len().to_string());
    row.extend([of(Severity::Error), of(Severity::Warning)]);
    let first = summary.problems.first();
    row.push(first.map(|problem| problem.code.to_string()).unwrap_or_default());
    row.push(first.map(|problem| problem.message.to_string()).unwrap_or_default());
    let digest = |name: &str| record.digests.as_ref()?.iter().find(|(known, _)| *known == name)?.1.map(str::to_owned);
    row.extend(DIGESTS.iter().map(|name| digest(name).unwrap_or_default()));
    row
}
