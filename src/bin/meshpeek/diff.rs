//! `meshpeek diff`: what differs between two models or two archives.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use clap::ValueEnum;
use meshpeek::diff::{Change, Difference, Fact, Rows, Side, compare};
use meshpeek::inspect::Value;
use meshpeek::summary::Name;
use serde_json::{Map, Value as Json, json};

use crate::args::Common;
use crate::output::{Failure, Outcome, Output};
use crate::report::{escape, grouped};
use crate::source::Source;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The first file or member
    pub(crate) a: PathBuf,
    /// The second file or member
    pub(crate) b: PathBuf,
    /// Output format: a line of text or JSON per difference, or one JSON array
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: DiffFormat,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiffFormat {
    Text,
    Ndjson,
    Json,
}

pub(crate) fn run(args: &Args, common: &Common) -> Outcome {
    let sources = [Source::open(&args.a, common)?, Source::open(&args.b, common)?];
    let [a, b] = [sources[0].content(common)?, sources[1].content(common)?];
    let mut out = if args.format == DiffFormat::Text { Output::text(common)? } else { Output::data(common)? };
    let mut written = Ok(());
    let mut told = 0_u64;
    let [one, two] = [(&sources[0], &a), (&sources[1], &b)].map(|(source, content)| Side {
        file: &source.name,
        data: content,
        budget: content.budget(),
    });
    let failed = compare(one, two, &mut |difference| {
        if written.is_ok() {
            written = write(&difference, args.format, told == 0, &mut out);
        }
        told += 1;
    });
    written?;
    if args.format == DiffFormat::Json {
        writeln!(out, "{}", if told == 0 { "[]" } else { "\n]" })?;
    }
    out.flush()?;
    failed?;
    sources.iter().try_for_each(Source::unchanged)?;
    Ok(ExitCode::from(u8::from(told > 0)))
}

fn write(difference: &Difference, format: DiffFormat, is_first: bool, out: &mut Output) -> Result<(), Failure> {
    match format {
        DiffFormat::Text => Ok(text(difference, out)?),
        DiffFormat::Ndjson => Ok(out.json_line(&json(difference))?),
        DiffFormat::Json => {
            write!(out, "{}", if is_first { "[\n  " } else { ",\n  " })?;
            Ok(serde_json::to_writer(out, &json(difference))?)
        }
    }
}

fn json(difference: &Difference) -> Json {
    let Difference { change, member, place, label, values, rows, .. } = difference;
    let text = |name: &Option<Name>| name.as_ref().map(|name| name.text.clone());
    let mut map = Map::new();
    map.insert("change".to_owned(), change.name().into());
    map.insert("member".to_owned(), text(member).into());
    map.insert("place".to_owned(), place.as_str().into());
    map.insert("label".to_owned(), text(label).into());
    let [a, b] = values.clone().map_or([Json::Null, Json::Null], |values| values.map(|fact| to_json(&fact)));
    map.insert("a".to_owned(), a);
    map.insert("b".to_owned(), b);
    map.insert("rows".to_owned(), rows.as_ref().map_or(Json::Null, rows_json));
    map.into()
}

fn to_json(fact: &Fact) -> Json {
    match fact {
        Fact::Text(name) => name.text.as_str().into(),
        Fact::Texts(names) => names.iter().map(|name| name.text.as_str()).collect(),
        Fact::Value(Value::Bool(value)) => (*value).into(),
        Fact::Value(Value::Uint(value)) => (*value).into(),
        Fact::Value(Value::Int(value) | Value::Coded(value, _)) => (*value).into(),
        Fact::Value(Value::Float(value)) => float(*value),
        Fact::Value(Value::Floats(values)) => values.iter().copied().map(float).collect(),
        Fact::Value(Value::Ints(values)) => values.iter().copied().collect(),
        Fact::Value(Value::Opaque(span)) => json!({ "offset": span.offset, "bytes": span.bytes }),
        _ => Json::Null,
    }
}

/// The shortest decimal that means this number; JSON has none for the others, so those are text.
fn float(value: f32) -> Json {
    let text = value.to_string();
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => number.into(),
        _ => text.into(),
    }
}

fn rows_json(rows: &Rows) -> Json {
    let first = rows.first.as_ref().map(|(row, numbers)| {
        let number =
            |text: &String| text.parse::<serde_json::Number>().map_or_else(|_| text.as_str().into(), Json::from);
        let [a, b] = numbers.each_ref().map(|row| row.iter().map(number).collect::<Json>());
        json!({ "row": row, "a": a, "b": b })
    });
    json!({ "a": rows.counts[0], "b": rows.counts[1], "differing": rows.differing, "first": first })
}

fn text(difference: &Difference, out: &mut Output) -> std::io::Result<()> {
    let Difference { change, member, place, label, values, rows, .. } = difference;
    let color = match change {
        Change::Removed => AnsiColor::Red,
        Change::Added => AnsiColor::Green,
        Change::Changed | Change::Moved => AnsiColor::Yellow,
    };
    let style = Style::new().fg_color(Some(color.into()));
    write!(out, "{style}{:<7}{style:#}", change.name())?;
    if let Some(member) = member {
        write!(out, "  {}", escape(&member.text))?;
    }
    if !place.is_empty() {
        write!(out, "  {place}")?;
    }
    if let Some(label) = label.as_ref().filter(|label| !label.text.is_empty()) {
        write!(out, " ({})", escape(&label.text))?;
    }
    if let Some([a, b]) = values {
        let word = |fact: &Fact| escape(&to_json(fact).to_string());
        match change {
            Change::Removed => write!(out, "  {}", word(a))?,
            Change::Added => write!(out, "  {}", word(b))?,
            _ => write!(out, "  {} -> {}", word(a), word(b))?,
        }
    }
    if let Some(Rows { counts: [a, b], differing, first, .. }) = rows {
        if a != b {
            write!(out, "  {} -> {} rows", grouped(*a), grouped(*b))?;
        }
        match (differing, first) {
            (Some(number), Some((row, [one, two]))) => {
                let (number, of) = (grouped(*number), grouped(*a.min(b)));
                write!(out, "  {number} of {of} rows differ, first {row}: {} -> {}", one.join(" "), two.join(" "))?;
            }
            (Some(_), _) => write!(out, "  the first {} are the same", grouped(*a.min(b)))?,
            (None, _) if a == b => write!(out, "  {} rows", grouped(*a))?,
            (None, _) => {}
        }
    }
    writeln!(out)
}
