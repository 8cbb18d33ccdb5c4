//! `meshpeek schema`: the records of a format.

use std::io::{Result, Write};
use std::process::ExitCode;

use meshpeek::Format;
use meshpeek::json::FieldRow;
use meshpeek::schema::{Schema, Type, records};

use crate::args::{Common, LineFormat, format_parser};
use crate::failure::{Failure, Outcome};
use crate::output::Output;
use crate::report::list::FAINT;
use crate::report::{HEADING, count};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The format [default: all]
    #[arg(value_name = "TYPE", value_parser = format_parser())]
    of: Option<String>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: LineFormat,
}

pub(crate) fn run(args: &Args, common: &Common) -> Outcome {
    let mut formats = Vec::new();
    for &format in Format::ALL {
        let is_asked = match &args.of {
            Some(name) => name == format.name(),
            None => true,
        };
        if is_asked && !records(format).is_empty() {
            formats.push(format);
        }
    }
    if let Some(name) = &args.of
        && formats.is_empty()
    {
        return Err(Failure::Message(format!("the records of {name} are not documented yet")));
    }
    let mut out = Output::of(common, args.format == LineFormat::Text)?;
    for format in formats {
        for record in records(format) {
            match args.format {
                LineFormat::Text => text(format, record, &mut out)?,
                LineFormat::Ndjson => {
                    for field in record.fields {
                        out.json_line(&FieldRow::new(format, record, field))?;
                    }
                }
            }
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn text(format: Format, record: &Schema, out: &mut Output) -> Result<()> {
    let bytes = size(record.byte_len(), record.min());
    writeln!(out, "{HEADING}{} {}{HEADING:#}  {bytes}", format.name(), record.name)?;
    writeln!(out, "  {}", record.doc.trim())?;
    for field in record.fields {
        write!(out, "  {:<24} {:<20} {}", field.name, field.spec.unwrap_or("-"), field.kind)?;
        if !matches!(field.kind, Type::Derived(_)) {
            write!(out, ", {}", size(field.kind.byte_len(), field.kind.min()))?;
        }
        if let Some(gate) = field.gate {
            write!(out, ", if {gate}")?;
        }
        writeln!(out, "\n      {FAINT}{}{FAINT:#}", field.doc.trim())?;
        let values = field.values();
        if !values.is_empty() {
            writeln!(out, "      {FAINT}Values: {values}.{FAINT:#}")?;
        }
    }
    writeln!(out)
}

fn size(bytes: Option<u64>, least: u64) -> String {
    match bytes {
        Some(bytes) => count(bytes, "bytes"),
        None => count(least, "bytes") + " or more",
    }
}
