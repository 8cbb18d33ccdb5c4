//! `meshpeek dupes`: what is there more than once.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;
use meshpeek::scan::dupes::{self, Group, Sameness};
use meshpeek::scan::{Found, Scan};

use crate::args::Common;
use crate::output::{Notes, Outcome, Output};
use crate::{input, progress, report};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Files and folders
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// How to write the groups
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: DupesFormat,
    /// Work on so many files at once; as many as there are cores by default
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DupesFormat {
    Text,
    Ndjson,
}

pub(crate) fn run(args: &Args, common: &Common) -> Outcome {
    let mut scan = Scan::new(&args.paths);
    scan.access = input::access(common);
    scan.jobs = args.jobs.map(NonZeroUsize::get);
    let notes = Notes::new(common);
    let mut unreadable = 0_u64;
    let (groups, interrupted) = progress::beside(&scan, notes, || {
        let groups = dupes::find(&scan, |found| {
            if let Found::Unreadable(error) = found {
                unreadable += 1;
                notes.error(error);
            }
        })?;
        Ok((groups, scan.progress.is_stopped()))
    })?;
    if interrupted {
        return Ok(ExitCode::from(130));
    }
    let mut out = if args.format == DupesFormat::Text { Output::text(common)? } else { Output::data(common)? };
    for (index, group) in groups.iter().enumerate() {
        match args.format {
            DupesFormat::Text => text(group, index == 0, &mut out)?,
            DupesFormat::Ndjson => {
                serde_json::to_writer(&mut out, group)?;
                writeln!(out)?;
            }
        }
    }
    out.flush()?;
    let of = |same| groups.iter().filter(|group| group.same == same).count() as u64;
    let spare = groups.iter().filter(|group| group.same == Sameness::File);
    let spare: u64 = spare.map(|group| group.copies.iter().skip(1).map(|copy| copy.bytes).sum::<u64>()).sum();
    notes.say(format_args!(
        "{} of the same bytes, {} more than once; {} of the same content in other bytes",
        report::count(of(Sameness::File), "group"),
        report::count(spare, "byte"),
        report::count(of(Sameness::Content), "group"),
    ));
    Ok(match (unreadable, scan.progress.files()) {
        (0, _) => ExitCode::SUCCESS,
        (_, 0) => ExitCode::from(2),
        _ => ExitCode::from(1),
    })
}

fn text(group: &Group, is_first: bool, out: &mut Output) -> std::io::Result<()> {
    let Group { same, format, copies, .. } = group;
    if !is_first {
        writeln!(out)?;
    }
    let what = match same {
        Sameness::File => "the same bytes",
        Sameness::Content => "the same content in other bytes",
    };
    writeln!(out, "{} {format}, {what}", copies.len())?;
    for copy in copies {
        let member = copy.member.as_ref().map(|member| format!("!/{member}")).unwrap_or_default();
        let path = meshpeek::view::ByteStr::new(copy.path.as_os_str().as_encoded_bytes()).to_str_lossy();
        writeln!(out, "  {:>12}  {}", report::grouped(copy.bytes), report::escape(&format!("{path}{member}")))?;
    }
    Ok(())
}
