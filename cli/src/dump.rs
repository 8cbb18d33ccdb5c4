//! `meshpeek dump`: one array of any format, as CSV, NDJSON, NPY or raw bytes.

pub(crate) mod rows;

use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;

use meshpeek::Asset;
use meshpeek::dissect::{LineKind, dissect, unread};
use meshpeek::inspect::{Selector, selector};
use meshpeek::view::{Column, Storage, Table};

use crate::args::{Common, DumpFormat};
use crate::config::Readable;
use crate::failure::message_of;
use crate::failure::{Failure, Outcome};
use crate::notes::Notes;
use crate::output::Output;
use crate::output_file::ending;
use crate::place::{Place, bytes, find, first_error};
use crate::similar::similar;
use crate::source::Source;
use crate::tree::fields::{Runs, Within, without_numbers};
use crate::value::InWords;
use crate::wrap::held;

pub(crate) fn run(path: &Path, selector: Option<&str>, format: DumpFormat, common: &Common) -> Outcome {
    let source = Source::open(path, common)?;
    let content = source.content(common)?;
    let readable = Readable::of(&source, &content, common)?;
    let asset = readable.asset(&source, &content)?;
    match selector {
        None => list(&asset, "", common)?,
        Some(text) => Request { path, text, format, common }.answer(&asset, readable.bytes())?,
    }
    source.unchanged()?;
    Ok(readable.status())
}

/// A part of a file, as the user names it.
struct Request<'r> {
    path: &'r Path,
    text: &'r str,
    format: DumpFormat,
    common: &'r Common,
}

impl Request<'_> {
    fn answer(&self, asset: &Asset<'_>, content: &[u8]) -> Result<(), Failure> {
        let size = content.len() as u64;
        let mut error = None;
        match self.text.parse::<Selector>() {
            Ok(selector) => {
                if let Some(written) = self.write_array(asset, &selector) {
                    return written;
                }
                if selector::exists_at_other_indices(asset, self.text)
                    && let Some(reason) = unread(asset, size, &selector)
                {
                    return Err(Failure::at(self.path, format!("{} cannot be decoded: {reason}", self.text)));
                }
            }
            Err(wrong) => error = Some(wrong),
        }
        let Ok(place) = find(asset, size, self.text) else {
            return Err(Failure::at(self.path, missing(asset, self.text, error)));
        };
        place.explain(self.common);
        inside(asset, content, &place, self.format, self.common)
    }

    /// Writes the array or row with this selector. Returns `None` if it is neither.
    fn write_array(&self, asset: &Asset<'_>, selector: &Selector) -> Option<Result<(), Failure>> {
        let mut written = None;
        // An array that is not found is explained by `unread`, or by `missing` with the first error of the file.
        let _ = selector.find(asset, &mut |table| written = Some(write(table, self.format, self.common)));
        if written.is_some() {
            return written;
        }
        let (array, index) = selector.row()?;
        // So is a row.
        let _ = array.find(asset, &mut |table| {
            if (index as u64) < table.rows() {
                written = Some(write(&OneRow { table, index }, self.format, self.common));
            }
        });
        written
    }
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
    let only = match &place.selector {
        Some(selector) => selector.to_string(),
        None => String::new(),
    };
    let mut has_arrays = false;
    selector::each(asset, &mut |selector, _| has_arrays |= is_inside(selector, &only));
    if has_arrays {
        return list(asset, &only, common);
    }
    let mut out = Output::data(common)?;
    let fields = fields(asset, content.len() as u64, place);
    match (format, place.span) {
        (DumpFormat::Csv, _) => {
            let mut csv = csv::Writer::from_writer(&mut out);
            csv.write_record(["field", "value"])?;
            for (field, value) in &fields {
                csv.write_record([field, value])?;
            }
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

/// The selectors of the fields of a part, and their values in words.
fn fields(asset: &Asset<'_>, size: u64, place: &Place) -> Vec<(String, String)> {
    let mut fields = Vec::new();
    let mut within = Within::new(place.selector.as_ref());
    dissect(asset, size, &mut |line| {
        if within.holds(line) && line.kind == LineKind::Field {
            let value = match &line.value {
                Some(value) => InWords(value).to_string(),
                None => line.note.clone(),
            };
            fields.push((line.selector.to_owned(), value));
        }
    });
    fields
}

/// The error if there is nothing to dump, with a suggestion.
fn missing(asset: &Asset<'_>, text: &str, error: Option<meshpeek::Error>) -> String {
    let mut reason = match error {
        Some(error) => message_of(&error),
        None => format!("no array {text}"),
    };
    if let Some(similar) = similar(asset, text) {
        reason += &format!("; nearest: {similar}");
    }
    reason += " (items have numbers from 0, or @name; `dump FILE` lists all arrays)";
    if let Some(problem) = first_error(asset) {
        reason += &format!("; the file has errors: {problem}");
    }
    reason
}

/// Returns true if this selector leads to a part of `only`, or of the file if that is empty.
fn is_inside(selector: &str, only: &str) -> bool {
    match selector.strip_prefix(only) {
        Some(rest) => only.is_empty() || rest.starts_with('/'),
        None => false,
    }
}

/// Lists the arrays inside `only`.
fn list(asset: &Asset<'_>, only: &str, common: &Common) -> Result<(), Failure> {
    if let Some(ending) = common.output.as_deref().and_then(ending) {
        return Err(Failure::Message(format!("the list of arrays is plain text; name one of them to write .{ending}")));
    }
    let mut out = Output::text(common)?;
    let mut written = writeln!(out, "{:<40} {:>10}  {:<9} columns", "selector", "rows", "stored");
    let mut runs = Runs::new(!common.verbose);
    let mut is_empty = true;
    selector::each(asset, &mut |selector, table| {
        if written.is_ok() && is_inside(selector, only) {
            is_empty = false;
            let columns: Vec<&str> = table.columns().iter().map(|column| column.name).collect();
            let rows = table.rows();
            let stored = table.storage().packing.name();
            let line = format!("{:<40} {rows:>10}  {stored:<9} {}\n", held(selector), columns.join(" "));
            // Only empty arrays are left out.
            let key = if rows == 0 { without_numbers(&line) } else { String::new() };
            written = runs.add(&key, &line, &mut out);
        }
    });
    written?;
    runs.end(&mut out)?;
    out.flush()?;
    if is_empty {
        Notes::new(common).say("no arrays; `meshpeek tree --fields` shows the fields");
    }
    if let Some(problem) = first_error(asset) {
        Notes::new(common).say(format_args!("the file has errors, so arrays may be missing: {problem}"));
    }
    Ok(())
}

fn write(table: &dyn Table, format: DumpFormat, common: &Common) -> Result<(), Failure> {
    let mut out = Output::data(common)?;
    // Rows come in pieces, so they may be more than fit in memory.
    let decoded = table.rows().saturating_mul(rows::row_size(&table.columns()) as u64);
    common.results.read(decoded.min(common.limits.limits().decoded_bytes));
    match format {
        DumpFormat::Csv => rows::csv(table, &mut out)?,
        DumpFormat::Ndjson => rows::ndjson(table, &mut out)?,
        DumpFormat::Npy if out.is_terminal => return Err("npy is binary: redirect it or use -o".into()),
        DumpFormat::Npy => rows::npy(table, &mut out)?,
        DumpFormat::Raw if out.is_terminal => return Err("raw bytes are binary: redirect them or use -o".into()),
        DumpFormat::Raw => rows::raw(table, &mut out)?,
    }
    Ok(out.flush()?)
}
