//! `meshpeek plan`: a scan in pieces.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;

use meshpeek::Error;
use meshpeek::address::Address;
use meshpeek::scan::{Scan, Selection};

use crate::args::Common;
use crate::notes::Notes;
use crate::output::{Failure, Outcome, Output};
use crate::{input, interrupt, limits, report};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Files and folders, the latter with all below them; addresses of members
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// About so many bytes to a unit; members and files that are larger make one each
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = limits::size)]
    unit: u64,
    /// List archives, but nothing inside them
    #[arg(long)]
    no_archives: bool,
    /// Go so many folders deep at most
    #[arg(long, value_name = "N")]
    folder_depth: Option<usize>,
    /// Follow symbolic links in folders; one that is named itself is always followed
    #[arg(short = 'L', long)]
    follow: bool,
    /// Look at hidden files and folders too
    #[arg(long)]
    hidden: bool,
    /// Look at files too that .gitignore, .ignore and their like leave out
    #[arg(long)]
    no_ignore: bool,
}

pub(crate) fn run(args: &Args, common: &Common) -> Outcome {
    if args.paths.iter().any(|path| Address::parse(path).is_stdin()) {
        return Err(Failure::Told("standard input cannot be cut into units, as it can be read only once".to_owned()));
    }
    let notes = Notes::new(common);
    let mut scan = input::scan_whole(&args.paths, None, common);
    scan.archives = !args.no_archives;
    let except = std::mem::take(&mut scan.selection.except);
    let (hidden, ignored, folder_depth, follow) = (args.hidden, args.no_ignore, args.folder_depth, args.follow);
    scan.selection = Selection { hidden, ignored, folder_depth, follow, except, ..Selection::default() };
    let mut out = Output::data(common)?;
    let totals = write(&scan, args.unit, notes, &mut out)?;
    out.flush()?;
    let Totals { pieces, units, bytes, unreadable } = totals;
    let (units, bytes) = (report::count(units, "unit"), report::count(bytes, "byte"));
    notes.say(format_args!("{units} of {}, {bytes}", report::count(pieces, "piece")));
    Ok(match unreadable {
        _ if scan.progress.is_stopped() => ExitCode::from(interrupt::STATUS),
        0 => ExitCode::SUCCESS,
        all if all == pieces => ExitCode::from(2),
        _ => ExitCode::from(1),
    })
}

#[derive(Default)]
struct Totals {
    pieces: u64,
    units: u64,
    bytes: u64,
    unreadable: u64,
}

/// Writes each piece of a unit as a line. What cannot be read is one too, for the scan to tell of, but is told here as well.
fn write(scan: &Scan, unit_bytes: u64, notes: Notes, out: &mut Output) -> Result<Totals, Failure> {
    let mut totals = Totals::default();
    let mut written = Ok(());
    interrupt::ends_scan(&scan.progress);
    scan.plan(unit_bytes, |unit| {
        totals.pieces += 1;
        totals.units = unit.unit + 1;
        totals.bytes = totals.bytes.saturating_add(unit.bytes);
        if unit.stamp.is_none()
            && let Err(error) = Address::parse(&unit.path).file.metadata()
        {
            totals.unreadable += 1;
            notes.error(Error::from(error).in_file(&unit.path));
        }
        written = out.json_line(&unit).map_err(Failure::from);
        if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    interrupt::ends_the_program();
    written.map(|()| totals)
}
