//! `meshpeek tree`: how one file is built.

pub(crate) mod fields;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anstyle::Style;
use meshpeek::Asset;
use meshpeek::inspect::{Inspect, Region, RegionKind};
use meshpeek::summary::Severity;

use crate::args::{Common, LineFormat};
use crate::hex::find;
use crate::notes::shown;
use crate::output::{Failure, Outcome, Output};
use crate::report::{FAINT, escape, severity};
use crate::source::Source;

/// Deeper lines stay at this indentation and say their depth.
pub(crate) const DEEPEST_INDENT: usize = 40;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The file, or the address of a member, such as `mod.pbo!/tree.p3d`; `-` is standard input
    pub(crate) file: PathBuf,
    /// Only this part, array or field and what is inside it, such as `meshes/0` or `nodes/@arm`
    selector: Option<String>,
    /// Show every field, with its type and value
    #[arg(long)]
    fields: bool,
    /// How to write it: for people, or one JSON object a line, of which those with bytes that are no parts tile the file
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: LineFormat,
}

pub(crate) fn run(args: &Args, common: &Common) -> Outcome {
    let source = Source::open(&args.file, common)?;
    let content = source.content(common)?;
    let asset = source.asset(&content)?;
    let size = content.len() as u64;
    let only = match &args.selector {
        Some(text) => {
            let found = find(&asset, size, text);
            Some(found.map_err(|message| Failure::Told(format!("{}: {message}", shown(&args.file))))?.selector)
        }
        None => None,
    };
    let mut out = args.format.output(common)?;
    match (args.format, args.fields, only) {
        (LineFormat::Text, false, None) => parts(&asset, &mut out)?,
        (format, fields, only) => fields::write(&asset, size, format, fields, only.as_ref(), &mut out)?,
    }
    out.flush()?;
    source.unchanged()?;
    Ok(ExitCode::SUCCESS)
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
    // What follows the last part of a file is told as a warning where the format has no place for it.
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
    write!(out, "  {:indent$}", "")?;
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
