//! `meshpeek info`: one file in full.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use meshpeek::format::NoAsset;
use meshpeek::scan::{Depth, Record, Scan};
use meshpeek::{Asset, Format, json};

use crate::args::Common;
use crate::command::ending;
use crate::notes::shown;
use crate::output::{Failure, Outcome, Output};
use crate::report;
use crate::source::Source;

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
    let Some(record) = scan.record_of(&source.address.file, &opened) else {
        return Err(match opened.content {
            Ok(content) => Failure::Told(format!("{}: {}", shown(path), no_asset(&source.name, &content))),
            Err(error) => error.in_file(path).into(),
        });
    };
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
    // A file that does not open has been described by its one problem, but nothing could be done with it.
    Ok(if asset.is_none() { ExitCode::from(2) } else { ExitCode::SUCCESS })
}

/// What a file is that is no asset.
fn no_asset(path: &Path, data: &[u8]) -> String {
    match NoAsset::of(data) {
        NoAsset::Text if Format::from_extension(path) == Some(Format::Bmx) => {
            "not an asset; looks like text, perhaps BlitzMax source".to_owned()
        }
        NoAsset::Text => "not an asset; looks like text".to_owned(),
        other => other.error().to_string(),
    }
}

fn write_json(record: &Record, asset: Option<&Asset<'_>>, out: &mut Output) -> Result<(), Failure> {
    let mut document = json::Document::new(&mut *out)?;
    document.record(record)?;
    document.entry("title", record.summary.format.title())?;
    match asset {
        Some(asset) => document.outline("detail", asset)?,
        None => document.entry("detail", &())?,
    }
    document.finish()?;
    Ok(writeln!(out)?)
}
