//! `meshpeek info`: one file in full.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use meshpeek::Asset;
use meshpeek::scan::{Depth, Record, Scan};

use crate::args::Common;
use crate::output::{Failure, Outcome, Output};
use crate::{detail, input, report};

pub(crate) fn run(path: &Path, json: bool, common: &Common) -> Outcome {
    let file = input::open(path, common)?;
    let mut scan = Scan::new([path]);
    scan.depth = Depth::Summary;
    let Some(record) = scan.record(path, &file) else {
        return Err(Failure::Told(format!("{}: starts like no known format", path.display())));
    };
    let asset = Asset::parse(&file);
    let mut out = Output::text(common)?;
    if json {
        write_json(&record, asset.as_ref().ok(), &mut out)?;
    } else {
        report::header(&record, &mut out)?;
        if let Ok(asset) = &asset {
            report::body(asset, &mut out)?;
        }
        report::problems(&record, &mut out)?;
    }
    out.flush()?;
    input::unchanged(&file, path)?;
    // A file that does not open has been described by its one problem, but nothing could be done with it.
    Ok(if asset.is_err() { ExitCode::from(2) } else { ExitCode::SUCCESS })
}

fn write_json(record: &Record, asset: Option<&Asset<'_>>, out: &mut Output) -> Result<(), Failure> {
    let mut document = detail::Document::new(&mut *out)?;
    document.record(record)?;
    document.entry("title", record.summary.format.title())?;
    match asset {
        Some(asset) => document.outline("detail", &**asset)?,
        None => document.entry("detail", &())?,
    }
    document.finish()?;
    Ok(writeln!(out)?)
}
