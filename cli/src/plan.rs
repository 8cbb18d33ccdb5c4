//! `meshpeek plan`: divides a scan into units of work.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use meshpeek::Error;
use meshpeek::address::Address;
use meshpeek::scan::{Scan, UnitsBy};

use crate::args::{Common, Walk};
use crate::failure::{Outcome, status, text_of};
use crate::notes::Notes;
use crate::output::Output;
use crate::{input, interrupt, limits, report};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Files, folders with everything below them, and members
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Size of a unit, about; a larger file or member is a unit of its own
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = limits::size)]
    unit: u64,
    /// How a scan of the units recognizes files that have changed: by size and time, or, for copies that do not keep times,
    /// by size alone or by SHA-256, which reads every file
    #[arg(long, value_name = "BY", default_value = "time", value_parser = by_parser())]
    by: UnitsBy,
    /// Do not look inside archives
    #[arg(long)]
    no_archives: bool,
    #[command(flatten)]
    walk: Walk,
}

fn by_parser() -> impl TypedValueParser<Value = UnitsBy> {
    PossibleValuesParser::from(["time", "size", "digest"]).map(|name| match name.as_str() {
        "size" => UnitsBy::Size,
        "digest" => UnitsBy::Digest,
        _ => UnitsBy::Time,
    })
}

pub(crate) fn run(args: &Args, common: &Common) -> Outcome {
    if args.paths.iter().any(|path| Address::parse(path).is_stdin()) {
        return Err("standard input can be read only once, so it cannot be split into units".into());
    }
    let notes = Notes::new(common);
    let mut scan = input::scan_whole(&args.paths, None, common)?;
    scan.archives = !args.no_archives;
    scan.units_by = args.by;
    args.walk.apply(&mut scan.selection);
    let mut out = Output::data(common)?;
    let mut pieces = 0;
    let mut units = 0;
    let mut bytes = 0_u64;
    let mut failed = 0;
    let mut written = Ok(());
    interrupt::ends_scan(&scan.progress);
    // Each piece of a unit is a line. A path that cannot be read is a piece too, and is also reported here.
    scan.plan(args.unit, |unit| {
        pieces += 1;
        units = unit.unit + 1;
        bytes = bytes.saturating_add(unit.bytes);
        let file = Address::parse(&unit.path).file;
        if unit.stamp.is_none()
            && let Some(error) = unreadable(&scan, &file)
        {
            failed += 1;
            notes.error(text_of(&error.in_file(&unit.path)));
        }
        written = out.json_line(&unit);
        if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    interrupt::ends_the_program();
    written?;
    out.flush()?;
    notes.say(format_args!(
        "{} with {}, {}",
        report::count(units, "units"),
        report::count(pieces, "pieces"),
        report::count(bytes, "bytes")
    ));
    input::say_left_out(scan.progress.left_out(), notes);
    let is_stopped = scan.progress.is_stopped();
    Ok(if is_stopped { ExitCode::from(interrupt::STATUS) } else { status(pieces - failed, failed) })
}

/// Returns the error of opening a file or a folder.
fn unreadable(scan: &Scan, file: &Path) -> Option<Error> {
    #[cfg(feature = "remote")]
    if let Some(stores) = &scan.stores
        && stores.has(file)
    {
        return stores.open(file).err();
    }
    #[cfg(not(feature = "remote"))]
    let _ = scan;
    match file.metadata() {
        Ok(metadata) if metadata.is_dir() => file.read_dir().err().map(Error::from),
        Ok(_) => None,
        Err(error) => Some(error.into()),
    }
}
