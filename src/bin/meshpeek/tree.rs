//! `meshpeek tree`: how one file is built.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use anstyle::Style;
use meshpeek::inspect::{Region, RegionKind};
use meshpeek::summary::Severity;

use crate::args::Common;
use crate::output::{Outcome, Output};
use crate::report::{FAINT, escape, severity};
use crate::source::Source;

/// Deeper lines stay at this indentation and say their depth.
const DEEPEST_INDENT: usize = 40;

pub(crate) fn run(path: &Path, common: &Common) -> Outcome {
    let source = Source::open(path, common)?;
    let content = source.content(common)?;
    let asset = source.asset(&content)?;
    let mut out = Output::text(common)?;
    let mut written = writeln!(out, "{:>10}  {:>10}  part", "offset", "bytes");
    asset.layout(&mut |region: Region<'_>| {
        if written.is_ok() {
            written = line(&mut out, &region, asset.size());
        }
    });
    written?;
    out.flush()?;
    source.unchanged()?;
    Ok(ExitCode::SUCCESS)
}

fn line(out: &mut Output, region: &Region<'_>, size: u64) -> std::io::Result<()> {
    let Region { depth, kind, name, note, offset, bytes } = region;
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
