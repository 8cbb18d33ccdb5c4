//! `meshpeek info`: one file in full.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use meshpeek::scan::{Depth, Record, Scan};
use meshpeek::{Asset, Format};
use serde_json::Value as Json;

use crate::args::Common;
use crate::output::{Failure, Outcome, Output};
use crate::source::Source;
use crate::{detail, report};

pub(crate) fn run(path: &Path, json: bool, digests: bool, common: &Common) -> Outcome {
    let source = Source::open(path, common)?;
    let opened = source.member(common)?;
    let mut scan = Scan::new([path]);
    scan.depth = Depth::Summary;
    scan.digests = digests;
    let Some(record) = scan.record_of(&source.address.file, &opened) else {
        return Err(Failure::Told(format!("{}: starts like no known format", path.display())));
    };
    let content = opened.content;
    let asset = content.as_ref().ok().map(|content| Asset::parse(content));
    let asset = asset.and_then(Result::ok);
    let mut out = Output::text(common)?;
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

fn write_json(record: &Record, asset: Option<&Asset<'_>>, out: &mut Output) -> Result<(), Failure> {
    let mut document = serde_json::to_value(record)?;
    if let Json::Object(map) = &mut document {
        map.insert("title".to_owned(), Format::title(record.summary.format).into());
        map.insert("detail".to_owned(), asset.map_or(Json::Null, |asset| detail::of(&**asset)));
    }
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)?;
    Ok(())
}
