//! `meshpeek scan`: one record for each asset.

use std::io::Write;

use comfy_table::{Cell, CellAlignment, ColumnConstraint, ContentArrangement, Table, Width};
use meshpeek::Format;
use meshpeek::scan::Record;
use meshpeek::summary::Severity;

use crate::args::{Common, Inputs, ScanFormat, Stream};
use crate::input::Told;
use crate::output::{Failure, Notes, Outcome, Output};
use crate::since::{self, Old};
use crate::{input, report};

pub(crate) fn run(
    inputs: &Inputs,
    format: Option<ScanFormat>,
    digests: bool,
    stream: &Stream,
    common: &Common,
) -> Outcome {
    let mut scan = input::scan(inputs, common)?;
    scan.digests = digests;
    let old = stream.since.as_deref().map(Old::open).transpose()?;
    scan.known = old.as_ref().map(Old::known);
    let notes = Notes::new(common);
    let out = Output::text(common)?;
    let is_stream = stream.events || old.is_some();
    if is_stream && !matches!(format, None | Some(ScanFormat::Ndjson)) {
        return Err(Failure::Told("--events and --since are for --format ndjson".to_owned()));
    }
    let format = format.unwrap_or(if is_stream {
        ScanFormat::Ndjson
    } else if out.is_terminal() {
        ScanFormat::Table
    } else {
        ScanFormat::Ndjson
    });
    let mut writer = Writer::new(format, out)?;
    let mut damaged = 0_u64;
    let mut copied = 0;
    let mut tally = input::each_told(&scan, inputs.sort, notes, |told| match told {
        Told::Record(record) => {
            damaged += u64::from(record.summary.problems.iter().any(|problem| problem.severity == Severity::Error));
            writer.record(record)
        }
        Told::Unchanged(path) => {
            let Some((old, out)) = old.as_ref().zip(writer.stream()) else { return Ok(()) };
            let (records, faults) = old.copy(path, out)?;
            (copied, damaged) = (copied + records, damaged + faults);
            Ok(())
        }
        Told::Unreadable(error) => match writer.stream() {
            Some(out) if stream.events => Ok(writeln!(out, "{}", since::unreadable(error, &inputs.paths))?),
            _ => Ok(()),
        },
    })?;
    tally.assets += copied;
    if let Some(out) = writer.stream().filter(|_| stream.events) {
        since::finish(&scan, &tally, damaged, out)?;
    }
    writer.finish()?;
    let progress = &scan.progress;
    notes.say(format_args!(
        "{} in {}, {}, {damaged} damaged",
        report::count(tally.assets, "asset"),
        report::count(progress.files(), "file"),
        report::count(progress.bytes(), "byte")
    ));
    Ok(tally.exit_code())
}

enum Writer {
    Table(Box<Table>, Output),
    Ndjson(Output),
    Csv(Box<csv::Writer<Output>>),
}

impl Writer {
    fn new(format: ScanFormat, out: Output) -> Result<Self, Failure> {
        Ok(match format {
            ScanFormat::Table => {
                let mut table = Table::new();
                table.load_style(comfy_table::presets::NOTHING);
                table.set_content_arrangement(ContentArrangement::Dynamic);
                // Below this width, columns would be torn into single letters; a narrow terminal wraps the lines instead.
                let width = if out.is_terminal() { table.width().unwrap_or(0) } else { 140 };
                table.set_width(width.max(110));
                table.set_header(["file", "format", "version", "bytes", "contents", "problems"]);
                for (index, width) in [(0, 40), (4, 40), (5, 16)] {
                    if let Some(column) = table.column_mut(index) {
                        column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(width)));
                    }
                }
                Self::Table(Box::new(table), out)
            }
            ScanFormat::Ndjson => Self::Ndjson(out),
            ScanFormat::Csv => {
                let mut csv = csv::Writer::from_writer(out);
                csv.write_record(csv_header())?;
                Self::Csv(Box::new(csv))
            }
        })
    }

    fn record(&mut self, record: &Record) -> Result<(), Failure> {
        let summary = &record.summary;
        match self {
            Self::Table(table, _) => {
                let problems = match summary.problems.as_slice() {
                    [] => String::new(),
                    [one] => report::escape(&one.message),
                    [first, rest @ ..] => format!("{} (and {} more)", report::escape(&first.message), rest.len()),
                };
                table.add_row([
                    Cell::new(report::place(record)),
                    Cell::new(summary.format),
                    Cell::new(summary.version.map(|v| v.to_string()).unwrap_or_default())
                        .set_alignment(CellAlignment::Right),
                    Cell::new(report::grouped(summary.bytes)).set_alignment(CellAlignment::Right),
                    Cell::new(report::contents(record)),
                    Cell::new(problems),
                ]);
            }
            Self::Ndjson(out) => {
                serde_json::to_writer(&mut *out, record)?;
                writeln!(out)?;
            }
            Self::Csv(csv) => csv.write_record(csv_row(record))?,
        }
        Ok(())
    }

    /// Where lines that are no records can go.
    fn stream(&mut self) -> Option<&mut Output> {
        match self {
            Self::Ndjson(out) => Some(out),
            _ => None,
        }
    }

    fn finish(self) -> Result<(), Failure> {
        match self {
            Self::Table(table, mut out) => {
                writeln!(out, "{}", table.trim_fmt())?;
                out.flush()?;
            }
            Self::Ndjson(mut out) => out.flush()?,
            Self::Csv(mut csv) => csv.flush()?,
        }
        Ok(())
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

const FRONT: [&str; 5] = ["path", "member", "format", "version", "bytes"];
const DIGESTS: [&str; 7] = ["positions", "indices", "uvs", "normals", "faces", "times", "transforms"];

fn csv_header() -> Vec<String> {
    let mut header: Vec<String> = FRONT.into_iter().chain(count_columns()).map(str::to_owned).collect();
    header.extend(["references".to_owned(), "errors".to_owned(), "warnings".to_owned(), "first_problem".to_owned()]);
    header.extend(DIGESTS.iter().map(|name| format!("sha256_{name}")));
    header
}

fn csv_row(record: &Record) -> Vec<String> {
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
    row.push(summary.problems.first().map(|problem| problem.message.to_string()).unwrap_or_default());
    let digest = |name: &str| record.digests.as_ref()?.iter().find(|(known, _)| *known == name)?.1.map(str::to_owned);
    row.extend(DIGESTS.iter().map(|name| digest(name).unwrap_or_default()));
    row
}
