//! `meshpeek info`: one file in full.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use meshpeek::scan::{Depth, Record, Scan};
use meshpeek::{Asset, Format, json};

use crate::args::Common;
use crate::command::ending;
use crate::failure::{Failure, Outcome};
use crate::output::Output;
use crate::report;
use crate::source::Source;
use crate::visible::shown;

pub(crate) fn run(path: &Path, json: bool, digests: bool, common: &Common) -> Outcome {
    let json = json || common.output.as_deref().and_then(ending) == Some("json");
    if digests && !json {
        return Err(Failure::Told("--digests needs --json or -o NAME.json".to_owned()));
    }
    let source = Source::open(path, common)?;
    let opened = source.member(common)?;
    let mut scan = Scan::new([path]);
    scan.depth = Depth::Summary;
    scan.limits = common.limits.limits();
    scan.digests = digests;
    let record = scan.record_of(&source.address.file, &opened);
    if let Some(problem) = record.summary.problems.first().filter(|_| !json && !record.summary.is_asset()) {
        return Err(Failure::Told(format!("{}: {}", shown(path), problem.message)));
    }
    let asset = opened.content.as_ref().ok().and_then(|content| source.asset(content).ok());
    let mut out = if json { Output::data(common)? } else { Output::text(common)? };
    if json {
        write_json(&record, asset.as_ref(), &mut out)?;
    } else {
        report::header(&record, &mut out)?;
        if let Some(asset) = &asset {
            report::body(asset, &mut out)?;
        }
        report::problems(&record, &mut out)?;
    }
    out.flush()?;
    source.unchanged()?;
    // The problem of a file that does not open was reported, but nothing else could be done.
    Ok(if asset.is_none() { ExitCode::from(2) } else { ExitCode::SUCCESS })
}

fn write_json(record: &Record, asset: Option<&Asset<'_>>, out: &mut Output) -> Result<(), Failure> {
    let mut document = json::Document::new(&mut *out)?;
    document.record(record)?;
    document.entry("title", &record.summary.format.map(Format::title))?;
    match asset {
        Some(asset) => document.outline("detail", asset)?,
        None => document.entry("detail", &())?,
    }
    document.finish()?;
    Ok(writeln!(out)?)
}
