//! `meshpeek tree`: shows the structure of one file.

pub(crate) mod fields;

use std::io::Write;
use std::path::PathBuf;

use anstyle::Style;
use meshpeek::Asset;
use meshpeek::inspect::{Inspect, Region, RegionKind};
use meshpeek::summary::Severity;

use fields::DEEPEST_INDENT;

use crate::args::{Common, LineFormat};
use crate::failure::{Failure, Outcome};
use crate::output::Output;
use crate::place::{Sink, lines, place_of, status};
use crate::report::{FAINT, escape, severity};
use crate::source::Source;
use crate::visible::shown;
use crate::wrap::HANG;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// File or member, such as `mod.pbo!/tree.p3d`; `-` is standard input
    pub(crate) file: PathBuf,
    /// Only this part, array or field, such as `meshes/0` or `nodes/@arm`
    selector: Option<String>,
    /// Show every field, with its type and value
    #[arg(long)]
    fields: bool,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: LineFormat,
}

pub(crate) fn run(args: &Args, common: &Common) -> Outcome {
    let source = Source::open(&args.file, common)?;
    let content = source.content(common)?;
    let asset = source.asset(&content);
    let size = content.len() as u64;
    let mut only = None;
    if let Some(text) = &args.selector {
        let found = place_of(&asset, size, text);
        let place = found.map_err(|message| Failure::Told(format!("{}: {message}", shown(&args.file))))?;
        place.explain(common);
        only = place.selector;
    }
    let mut out = args.format.output(common)?;
    let lines = |sink: Sink<'_>| lines(&asset, &content, sink);
    match (args.format, &asset, &only) {
        (LineFormat::Text, Ok(asset), None) if !args.fields => parts(asset, &mut out)?,
        (format, asset, only) => fields::write(&lines, format, args.fields || asset.is_err(), only.as_ref(), &mut out)?,
    }
    out.flush()?;
    source.unchanged()?;
    Ok(status(&asset, common))
}

fn parts(asset: &Asset<'_>, out: &mut Output) -> std::io::Result<()> {
    let mut written = writeln!(out, "{:>10}  {:>10}  part", "offset", "bytes");
    asset.layout(&mut |region: Region<'_>| {
        if written.is_ok() {
            written = line(out, &region, asset.size());
        }
    });
    written
}

fn line(out: &mut Output, region: &Region<'_>, size: u64) -> std::io::Result<()> {
    let Region { depth, kind, name, note, offset, bytes, .. } = region;
    // Bytes after the last part of a file are a warning, if the format has no place for them.
    let style = match kind {
        RegionKind::Problem => severity(Severity::Error).1,
        RegionKind::Gap if *depth == 0 && offset + bytes == size => severity(Severity::Warning).1,
        RegionKind::Gap => FAINT,
        _ => Style::new(),
    };
    let indent = 2 * depth.min(&DEEPEST_INDENT);
    write!(out, "{offset:#010x}  ")?;
    match kind {
        RegionKind::Problem => write!(out, "{:10}", "")?,
        _ => write!(out, "{bytes:>10}")?,
    }
    write!(out, "  {:indent$}{HANG}", "")?;
    if *depth > DEEPEST_INDENT {
        write!(out, "[{depth}] ")?;
    }
    write!(out, "{style}{}{style:#}", escape(name))?;
    match kind {
        RegionKind::Problem => writeln!(out, ": {}", escape(note)),
        _ if note.is_empty() => writeln!(out),
        _ => writeln!(out, "  {}", escape(note)),
    }
}
