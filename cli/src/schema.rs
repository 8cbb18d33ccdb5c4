//! `meshpeek schema`: the records of a format.

use std::io::Write;
use std::process::ExitCode;

use meshpeek::Format;
use meshpeek::schema::{FieldInfo, records};
use serde::Serialize;

use crate::args::{Common, LineFormat, format_parser};
use crate::failure::{Failure, Outcome};
use crate::output::Output;
use crate::report::{FAINT, HEADING};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The format [default: all]
    #[arg(value_name = "TYPE", value_parser = format_parser())]
    of: Option<String>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: LineFormat,
}

/// A number with a meaning.
#[derive(Serialize)]
struct Code {
    number: i64,
    name: &'static str,
}

/// A field of a record.
#[derive(Serialize)]
struct Row<'r> {
    format: &'static str,
    record: &'r str,
    field: &'r str,
    document: Option<&'r str>,
    r#type: String,
    bytes: Option<u64>,
    gate: Option<&'r str>,
    rule: Option<String>,
    codes: Vec<Code>,
    doc: &'r str,
}

pub(crate) fn run(args: &Args, common: &Common) -> Outcome {
    let asked = |format: &&Format| args.of.as_ref().is_none_or(|name| name == format.name());
    let formats: Vec<Format> =
        Format::ALL.iter().filter(asked).copied().filter(|&format| !records(format).is_empty()).collect();
    if let Some(name) = args.of.as_ref().filter(|_| formats.is_empty()) {
        return Err(Failure::Told(format!("the records of {name} are not documented yet")));
    }
    let mut out = args.format.output(common)?;
    for format in formats {
        match args.format {
            LineFormat::Text => text(format, &mut out)?,
            LineFormat::Ndjson => ndjson(format, &mut out)?,
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn ndjson(format: Format, out: &mut Output) -> Result<(), Failure> {
    for record in records(format) {
        for &FieldInfo { name, spec, kind, gate, rule, codes, doc, .. } in record.fields {
            let (r#type, bytes) = (kind.to_string(), kind.byte_len());
            let (format, record) = (format.name(), record.name);
            let rule = Some(rule.to_string()).filter(|rule| !rule.is_empty());
            let codes = codes.iter().map(|&(number, name)| Code { number, name }).collect();
            let row =
                Row { format, record, field: name, document: spec, r#type, bytes, gate, rule, codes, doc: doc.trim() };
            out.json_line(&row)?;
        }
    }
    Ok(())
}

fn text(format: Format, out: &mut Output) -> Result<(), Failure> {
    for record in records(format) {
        let bytes = size(record.byte_len(), record.min());
        writeln!(out, "{HEADING}{} {}{HEADING:#}  {bytes}", format.name(), record.name)?;
        writeln!(out, "  {}", record.doc.trim())?;
        for field in record.fields {
            let bytes = size(field.kind.byte_len(), field.kind.min());
            write!(out, "  {:<24} {:<20} {}, {bytes}", field.name, field.spec.unwrap_or("-"), field.kind)?;
            if let Some(gate) = field.gate {
                write!(out, ", if {gate}")?;
            }
            writeln!(out, "\n      {FAINT}{}{FAINT:#}", field.doc.trim())?;
            let values = field.values();
            if !values.is_empty() {
                writeln!(out, "      {FAINT}Values: {values}.{FAINT:#}")?;
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

fn size(bytes: Option<u64>, least: u64) -> String {
    match bytes {
        Some(1) => "1 byte".to_owned(),
        Some(bytes) => format!("{bytes} bytes"),
        None if least == 1 => "1 byte or more".to_owned(),
        None => format!("{least} bytes or more"),
    }
}
