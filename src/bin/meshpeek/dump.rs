//! `meshpeek dump`: one array, out of any format, into any of four.

mod rows;

use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;

use meshpeek::Asset;
use meshpeek::inspect::{Selector, selector};
use meshpeek::view::Table;

use crate::args::{Common, DumpFormat};
use crate::notes::shown;
use crate::output::{Failure, Outcome, Output};
use crate::source::Source;

pub(crate) fn run(path: &Path, selector: Option<&str>, format: DumpFormat, common: &Common) -> Outcome {
    let source = Source::open(path, common)?;
    let content = source.content(common)?;
    let asset = source.asset(&content)?;
    match selector {
        None => list(&asset, common)?,
        Some(text) => {
            let mut written = None;
            let selector = text.parse::<Selector>();
            if let Ok(selector) = &selector {
                selector.find(&asset, &mut |table| written = Some(write(table, format, common)));
            }
            match written {
                Some(written) => written?,
                None => {
                    return Err(Failure::Told(format!("{}: {}", shown(path), missing(&asset, text, selector.err()))));
                }
            }
        }
    }
    source.unchanged()?;
    Ok(ExitCode::SUCCESS)
}

/// Why there is nothing to dump, and what may have been meant.
fn missing(asset: &Asset<'_>, text: &str, error: Option<meshpeek::Error>) -> String {
    let reason = error.map_or_else(|| format!("no array {text}"), |error| error.message());
    let hint = by_name(asset, text).or_else(|| selector::nearest(asset, text));
    let hint = hint.map(|hint| format!("; did you mean {hint}?")).unwrap_or_default();
    format!("{reason}{hint} (items go by numbers from 0 or by @name; without a selector, all arrays are listed)")
}

/// The selector with `@` before one of its steps, if that leads to an array.
fn by_name(asset: &Asset<'_>, text: &str) -> Option<String> {
    let steps = text.match_indices('/').take(8).map(|(place, _)| format!("{}@{}", &text[..=place], &text[place + 1..]));
    let mut leading = steps.filter(|name| name.parse::<Selector>().is_ok_and(|name| name.find(asset, &mut |_| {})));
    leading.next()
}

fn list(asset: &Asset<'_>, common: &Common) -> Result<(), Failure> {
    let mut out = Output::text(common)?;
    let mut written = writeln!(out, "{:<40} {:>10}  {:<9} columns", "selector", "rows", "stored");
    selector::each(asset, &mut |selector, table| {
        if written.is_ok() {
            let columns: Vec<&str> = table.columns().iter().map(|column| column.name).collect();
            let (rows, stored) = (table.rows(), table.storage().packing.name());
            written = writeln!(out, "{selector:<40} {rows:>10}  {stored:<9} {}", columns.join(" "));
        }
    });
    written?;
    Ok(out.flush()?)
}

fn write(table: &dyn Table, format: DumpFormat, common: &Common) -> Result<(), Failure> {
    let mut out = Output::data(common)?;
    // How many rows are decoded is bounded where that is done.
    let row: u64 = table.columns().iter().map(|column| column.scalar.byte_len() as u64).sum();
    common.results.read(table.rows().saturating_mul(row));
    match format {
        DumpFormat::Csv => rows::csv(table, &mut out)?,
        DumpFormat::Ndjson => rows::ndjson(table, &mut out)?,
        DumpFormat::Npy => {
            if out.is_terminal() {
                return Err(Failure::Told("npy is no text for a terminal: redirect it, or name a file with -o".into()));
            }
            rows::npy(table, &mut out)?;
        }
        DumpFormat::Raw => {
            if out.is_terminal() {
                return Err(Failure::Told("raw bytes are no text for a terminal: redirect them, or use -o".into()));
            }
            raw(table, &mut out)?;
        }
    }
    Ok(out.flush()?)
}

/// Writes the table's rows as they are. By copies: a system call that is handed mapped bytes fails where those were cut
/// off meanwhile, and the failure would be told as one of writing.
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

/// Runs over the table's rows in batches; the first failure ends it.
fn batches(table: &dyn Table, mut each: impl FnMut(&[u8]) -> Result<(), Failure>) -> Result<(), Failure> {
    let mut failure = None;
    let read = table.read(&mut |rows| match each(rows) {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => {
            failure = Some(error);
            ControlFlow::Break(())
        }
    });
    // Rows that cannot be written end it before those that cannot be read.
    failure.map_or(Ok(read?), Err)
}
