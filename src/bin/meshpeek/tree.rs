//! `meshpeek tree`: how one file is built.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use meshpeek::Asset;
use meshpeek::inspect::Region;

use crate::args::Common;
use crate::output::{Outcome, Output};
use crate::source::Source;

/// Deeper lines stay at this indentation and say their depth.
const DEEPEST_INDENT: usize = 40;

pub(crate) fn run(path: &Path, common: &Common) -> Outcome {
    let source = Source::open(path, common)?;
    let content = source.content(common)?;
    let asset = Asset::parse(&content).map_err(|error| error.in_file(path))?;
    let mut out = Output::text(common)?;
    let mut written = writeln!(out, "{:>10}  {:>10}  part", "offset", "bytes");
    asset.layout(&mut |region: Region<'_>| {
        if written.is_ok() {
            written = line(&mut out, &region);
        }
    });
    written?;
    out.flush()?;
    source.unchanged()?;
    Ok(ExitCode::SUCCESS)
}

fn line(out: &mut Output, region: &Region<'_>) -> std::io::Result<()> {
    let Region { depth, name, note, offset, bytes } = region;
    let indent = 2 * depth.min(&DEEPEST_INDENT);
    write!(out, "{offset:#010x}  {bytes:>10}  {:indent$}", "")?;
    if *depth > DEEPEST_INDENT {
        write!(out, "[{depth}] ")?;
    }
    write!(out, "{name}")?;
    if !note.is_empty() {
        write!(out, "  {}", meshpeek::view::ByteStr::from(&**note))?;
    }
    writeln!(out)
}
