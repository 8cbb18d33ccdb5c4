//! `meshpeek dump`: one array, out of any format, into any of four.

mod rows;
mod select;

use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;

use meshpeek::Asset;
use meshpeek::view::Table;

use crate::args::{Common, DumpFormat};
use crate::output::{Failure, Outcome, Output};
use crate::source::Source;

pub(crate) fn run(path: &Path, selector: Option<&str>, format: DumpFormat, common: &Common) -> Outcome {
    let source = Source::open(path, common)?;
    let content = source.content(common)?;
    let asset = Asset::parse(&content).map_err(|error| error.in_file(path))?;
    match selector {
        None => list(&asset, common)?,
        Some(selector) => {
            let mut written = None;
            select::find(&*asset, selector, &mut |table| written = Some(write(table, format, common)));
            match written {
                Some(written) => written?,
                None => {
                    let hint = select::nearest(&*asset, selector);
                    let hint = hint.map(|hint| format!("; did you mean {hint}?")).unwrap_or_default();
                    return Err(Failure::Told(format!(
                        "{}: no array {selector}{hint} (without a selector, all are listed)",
                        path.display()
                    )));
                }
            }
        }
    }
    source.unchanged()?;
    Ok(ExitCode::SUCCESS)
}

fn list(asset: &Asset<'_>, common: &Common) -> Result<(), Failure> {
    let mut out = Output::text(common)?;
    let mut written = writeln!(out, "{:<40} {:>10}  {:<9} columns", "selector", "rows", "stored");
    select::each(&**asset, &mut |selector, table| {
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
            batches(table, |rows| Ok(out.write_all(rows)?))?;
        }
    }
    Ok(out.flush()?)
}

/// Runs over the table's rows in batches; the first failure ends it.
fn batches(table: &dyn Table, mut each: impl FnMut(&[u8]) -> Result<(), Failure>) -> Result<(), Failure> {
    let mut failure = None;
    table.read(&mut |rows| match each(rows) {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => {
            failure = Some(error);
            ControlFlow::Break(())
        }
    })?;
    failure.map_or(Ok(()), Err)
}
