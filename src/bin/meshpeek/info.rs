//! `meshpeek info`: one file in full.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use meshpeek::format::NoAsset;
use meshpeek::scan::{Depth, Record, Scan};
use meshpeek::{Asset, Format};

use crate::args::Common;
use crate::output::{Failure, Outcome, Output};
use crate::{detail, input, report};

pub(crate) fn run(path: &Path, json: bool, common: &Common) -> Outcome {
    let file = input::open(path, common)?;
    let mut scan = Scan::new([path]);
    scan.depth = Depth::Summary;
    scan.limits = common.limits.limits();
    let Some(record) = scan.record(path, &file) else {
        return Err(Failure::Told(format!("{}: {}", path.display(), no_asset(path, &file))));
    };
    let asset = Asset::parse_file(path, &file, &scan.limits);
    let mut out = if json { Output::data(common)? } else { Output::text(common)? };
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

/// What a file is that is no asset.
fn no_asset(path: &Path, data: &[u8]) -> String {
    match NoAsset::of(data) {
        NoAsset::Text if Format::from_extension(path) == Some(Format::Bmx) => {
            "no asset: looks like text, perhaps BlitzMax source".to_owned()
        }
        NoAsset::Text => "no asset: looks like text".to_owned(),
        other => other.error().to_string(),
    }
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
