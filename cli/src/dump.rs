//! `meshpeek dump`: one array of any format, as CSV, NDJSON, NPY or raw bytes.

pub(crate) mod rows;

use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;

use meshpeek::Asset;
use meshpeek::dissect::{LineKind, dissect, unread};
use meshpeek::inspect::{Selector, selector};
use meshpeek::view::{Column, Storage, Table};

use crate::args::{Common, DumpFormat};
use crate::failure::{Failure, Outcome};
use crate::output::Output;
use crate::output_file::ending;
use crate::place::{Place, bytes, find};
use crate::similar::similar;
use crate::source::Source;
use crate::tree::fields::{Runs, Within, without_numbers};
use crate::value::InWords;
use crate::wrap::held;

pub(crate) fn run(path: &Path, selector: Option<&str>, format: DumpFormat, common: &Common) -> Outcome {
    let source = Source::open(path, common)?;
    let content = source.content(common)?;
    let asset = source.asset(&content)?;
    match selector {
        None => list(&asset, &|_| true, common)?,
        Some(text) => {
            let mut written = None;
            let selector = text.parse::<Selector>();
            if let Ok(selector) = &selector {
                selector.find(&asset, &mut |table| written = Some(write(table, format, common)));
                if let Some((array, index)) = selector.row().filter(|_| written.is_none()) {
                    array.find(&asset, &mut |table| {
                        let row = OneRow { table, index };
                        written = ((index as u64) < table.rows()).then(|| write(&row, format, common));
                    });
                }
            }
            match written {
                Some(written) => written?,
                None => {
                    let size = content.len() as u64;
                    let of_others = selector.as_ref().ok().filter(|_| selector::is_of_others(&asset, text));
                    let failure = |reason: String| Failure::at(path, reason);
                    if let Some(reason) = of_others.and_then(|selector| unread(&asset, size, selector)) {
                        return Err(failure(format!("{text} cannot be decoded: {reason}")));
                    }
                    let place = find(&asset, size, text).map_err(|_| failure(missing(&asset, text, selector.err())))?;
                    place.explain(common);
                    inside(&asset, &content, &place, format, common)?;
                }
            }
        }
    }
    source.unchanged()?;
    Ok(ExitCode::SUCCESS)
}

/// A row of an array.
pub(crate) struct OneRow<'t> {
    pub(crate) table: &'t dyn Table,
    pub(crate) index: usize,
}

impl Table for OneRow<'_> {
    fn rows(&self) -> u64 {
        1
    }

    fn columns(&self) -> Vec<Column> {
        self.table.columns()
    }

    fn storage(&self) -> Storage {
        self.table.storage()
    }

    fn read(&self, sink: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> meshpeek::Result<()> {
        let size = rows::row_size(&self.columns());
        let mut before = self.index.saturating_mul(size);
        self.table.read(&mut |rows| match rows.get(before..before.saturating_add(size)) {
            Some(row) => {
                let _ = sink(row);
                ControlFlow::Break(())
            }
            None => {
                before = before.saturating_sub(rows.len());
                ControlFlow::Continue(())
            }
        })
    }
}

/// The arrays of a part, or its fields if it has no arrays.
fn inside(
    asset: &Asset<'_>,
    content: &[u8],
    place: &Place,
    format: DumpFormat,
    common: &Common,
) -> Result<(), Failure> {
    let only = place.selector.as_ref().map(Selector::to_string).unwrap_or_default();
    let is_inside = |selector: &str| {
        selector.strip_prefix(only.as_str()).is_some_and(|rest| only.is_empty() || rest.starts_with('/'))
    };
    let mut has_arrays = false;
    selector::each(asset, &mut |selector, _| has_arrays |= is_inside(selector));
    if has_arrays {
        return list(asset, &is_inside, common);
    }
    let mut out = Output::data(common)?;
    let mut fields = Vec::new();
    let mut within = Within::new(place.selector.as_ref());
    dissect(asset, content.len() as u64, &mut |line| {
        if within.holds(line) && line.kind == LineKind::Field {
            let value = line.value.as_ref().map_or_else(|| line.note.clone(), |value| InWords(value).to_string());
            fields.push((line.selector.to_owned(), value));
        }
    });
    match (format, place.span) {
        (DumpFormat::Csv, _) => {
            let mut csv = csv::Writer::from_writer(&mut out);
            csv.write_record(["field", "value"])?;
            fields.iter().try_for_each(|(field, value)| csv.write_record([field, value]))?;
            csv.flush()?;
        }
        (DumpFormat::Ndjson, _) => {
            for (field, value) in &fields {
                out.json_line(&serde_json::json!({ "field": field, "value": value }))?;
            }
        }
        (DumpFormat::Raw, Some(span)) if !out.is_terminal => {
            out.write_all(bytes(content, span.offset..span.offset.saturating_add(span.bytes)))?;
        }
        _ => return Err(Failure::Message(format!("{only} is not an array: use csv or ndjson"))),
    }
    Ok(out.flush()?)
}

/// The error if there is nothing to dump, with a suggestion.
fn missing(asset: &Asset<'_>, text: &str, error: Option<meshpeek::Error>) -> String {
    let reason = error.map_or_else(|| format!("no array {text}"), |error| error.message());
    let hint = similar(asset, text).map(|hint| format!("; nearest: {hint}")).unwrap_or_default();
    format!("{reason}{hint} (items have numbers from 0, or @name; `dump FILE` lists all arrays)")
}

fn list(asset: &Asset<'_>, is_wanted: &dyn Fn(&str) -> bool, common: &Common) -> Result<(), Failure> {
    if let Some(ending) = common.output.as_deref().and_then(ending) {
        return Err(Failure::Message(format!("the list of arrays is plain text; name one of them to write .{ending}")));
    }
    let mut out = Output::text(common)?;
    let mut written = writeln!(out, "{:<40} {:>10}  {:<9} columns", "selector", "rows", "stored");
    let mut runs = Runs::new(!common.verbose);
    selector::each(asset, &mut |selector, table| {
        if written.is_ok() && is_wanted(selector) {
            let columns: Vec<&str> = table.columns().iter().map(|column| column.name).collect();
            let (rows, stored) = (table.rows(), table.storage().packing.name());
            let line = format!("{:<40} {rows:>10}  {stored:<9} {}\n", held(selector), columns.join(" "));
            // Only empty arrays are left out.
            let key = if rows == 0 { without_numbers(&line) } else { String::new() };
            written = runs.add(key, line, &mut out);
        }
    });
    written?;
    runs.end(&mut out)?;
    Ok(out.flush()?)
}

fn write(table: &dyn Table, format: DumpFormat, common: &Common) -> Result<(), Failure> {
    let mut out = Output::data(common)?;
    // Decoded rows are bounded where they are decoded.
    common.results.read(table.rows().saturating_mul(rows::row_size(&table.columns()) as u64));
    match format {
        DumpFormat::Csv => rows::csv(table, &mut out)?,
        DumpFormat::Ndjson => rows::ndjson(table, &mut out)?,
        DumpFormat::Npy if out.is_terminal => return Err("npy is binary: redirect it or use -o".into()),
        DumpFormat::Npy => rows::npy(table, &mut out)?,
        DumpFormat::Raw if out.is_terminal => return Err("raw bytes are binary: redirect them or use -o".into()),
        DumpFormat::Raw => raw(table, &mut out)?,
    }
    Ok(out.flush()?)
}

/// Writes the table's rows unchanged. The rows are copied first: a system call on mapped bytes fails if they were
/// truncated meanwhile, and the failure would look like an error of writing.
fn raw(table: &dyn Table, out: &mut Output) -> Result<(), Failure> {
    let mut copy = Vec::new();
    batches(table, |rows| {
        for part in rows.chunks(1 << 15) {
            copy.clear();
            copy.extend_from_slice(part);
            out.write_all(&copy)?;
        }
        Ok(())
    })
}

/// Iterates over the table's rows in batches. The first failure ends it.
fn batches(table: &dyn Table, mut each: impl FnMut(&[u8]) -> Result<(), Failure>) -> Result<(), Failure> {
    let mut failure = None;
    let read = table.read(&mut |rows| match each(rows) {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => {
            failure = Some(error);
            ControlFlow::Break(())
        }
    });
    // An error of writing takes precedence over an error of reading.
    failure.map_or(Ok(read?), Err)
}
