//! `meshpeek dupes`: what is there more than once.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use meshpeek::scan::dupes::{self, Group, Sameness};

use crate::args::{Common, LineFormat};
use crate::notes::{Notes, shown};
use crate::output::{Outcome, Output};
use crate::{input, report};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Files and folders
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// How to write the groups
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: LineFormat,
    /// Work on so many files at once; as many as there are cores by default
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
}

pub(crate) fn run(args: &Args, common: &Common) -> Outcome {
    let scan = input::scan_whole(&args.paths, args.jobs, common);
    let (groups, unreadable) = input::whole(&scan, common, |other| dupes::find(&scan, other))?;
    let mut out = args.format.output(common)?;
    for (index, group) in groups.iter().enumerate() {
        match args.format {
            LineFormat::Text => text(group, index == 0, &mut out)?,
            LineFormat::Ndjson => out.json_line(group)?,
        }
    }
    out.flush()?;
    let of = |same| groups.iter().filter(|group| group.same == same).count() as u64;
    let spare = groups.iter().filter(|group| group.same == Sameness::File);
    let spare: u64 = spare.map(|group| group.copies.iter().skip(1).map(|copy| copy.bytes).sum::<u64>()).sum();
    Notes::new(common).say(format_args!(
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
        writeln!(out, "  {:>12}  {}{}", report::grouped(copy.bytes), shown(&copy.path), report::escape(&member))?;
    }
    Ok(())
}
