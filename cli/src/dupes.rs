//! `meshpeek dupes`: duplicate assets.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use meshpeek::scan::dupes::{self, Group, Sameness};
use meshpeek::summary::Name;

use crate::args::{Common, ReportFormat};
use crate::failure::{Failure, Outcome, status};
use crate::notes::Notes;
use crate::output::Output;
#[cfg(feature = "parquet")]
use crate::tables::{Table, Tables};
use crate::wrap::HANG;
use crate::{input, report};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Files and folders
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: ReportFormat,
    /// Files to read at once, at most 256 [default: the number of cores]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
}

pub(crate) fn run(args: &Args, common: &Common) -> Outcome {
    let scan = input::scan_whole(&args.paths, args.jobs, common)?;
    let (groups, unreadable) = input::whole(&scan, common, |other| dupes::find(&scan, other))?;
    write(&groups, args.format, common)?;
    let of = |same| groups.iter().filter(|group| group.same == same).count() as u64;
    let spare = groups.iter().filter(|group| group.same == Sameness::File);
    let spare: u64 = spare.map(|group| group.copies.iter().skip(1).map(|copy| copy.bytes).sum::<u64>()).sum();
    Notes::new(common).say(format_args!(
        "{} with the same bytes ({} could be saved), {} with the same content in different bytes",
        report::count(of(Sameness::File), "groups"),
        report::count(spare, "bytes"),
        report::count(of(Sameness::Content), "groups"),
    ));
    Ok(status(scan.progress.files(), unreadable))
}

fn write(groups: &[Group], format: ReportFormat, common: &Common) -> Result<(), Failure> {
    #[cfg(feature = "parquet")]
    if let Some(tables) = Tables::of(Table::Dupes, &format, common)? {
        groups.iter().enumerate().try_for_each(|(index, group)| tables.add(|rows| rows.group(index, group)))?;
        return tables.finish(false);
    }
    let is_text = format == ReportFormat::Text;
    let mut out = Output::of(common, is_text)?;
    for (index, group) in groups.iter().enumerate() {
        if is_text { text(group, index == 0, &mut out)? } else { out.json_line(group)? }
    }
    Ok(out.flush()?)
}

fn text(group: &Group, is_first: bool, out: &mut Output) -> std::io::Result<()> {
    let Group { same, format, copies, .. } = group;
    if !is_first {
        writeln!(out)?;
    }
    let what = match same {
        Sameness::File => "the same bytes",
        Sameness::Content => "the same content in different bytes",
    };
    writeln!(out, "{} {format}, {what}", copies.len())?;
    for copy in copies {
        let address = report::address(&Name::from(copy.path.as_path()).text, copy.member.as_deref());
        writeln!(out, "  {HANG}{:>12}  {address}", report::grouped(copy.bytes))?;
    }
    Ok(())
}
