//! `meshpeek refs`: each reference and what it resolves to.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use meshpeek::scan::refs::{self, Link, State};
use meshpeek::summary::Name;
use meshpeek::view::ByteStr;

use crate::args::{Common, ScanFormat};
use crate::failure::{Failure, Outcome};
use crate::notes::Notes;
use crate::output::Output;
use crate::wrap::{HANG, held};
use crate::{input, interrupt, report};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Files and folders that belong together: archives, models and loose files
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Show only references whose file is missing
    #[arg(long)]
    missing: bool,
    /// Count names below this prefix, such as `ca`, as found: the game itself has them
    #[arg(long, value_name = "PREFIX")]
    assume: Vec<String>,
    /// Output format [default: `table` on a terminal, else `ndjson`]
    #[arg(long, value_name = "FORMAT")]
    format: Option<ScanFormat>,
    /// Files to read at once, at most 256 [default: the number of cores]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
}

pub(crate) fn run(args: &Args, common: &Common) -> Outcome {
    let mut scan = input::scan_whole(&args.paths, args.jobs, common);
    // A texture that git ignores is still a texture.
    scan.selection.ignored = true;
    let (links, unreadable) = input::whole(&scan, common, |other| refs::resolve(&scan, &args.assume, other))?;
    let Some(links) = links else { return Ok(ExitCode::from(interrupt::STATUS)) };
    let wanted = links.iter().filter(|link| !args.missing || link.state == State::Missing);
    write(wanted, args.format, common)?;
    let count = |state| links.iter().filter(|link| link.state == state).count();
    Notes::new(common).say(format_args!(
        "{}: {} found, {} missing, {} procedural, {} ambiguous",
        report::count(links.len() as u64, "reference"),
        count(State::Found),
        count(State::Missing),
        count(State::Procedural),
        count(State::Ambiguous)
    ));
    Ok(match (unreadable, scan.progress.assets()) {
        (1.., 0) => ExitCode::from(2),
        (1.., _) => ExitCode::from(1),
        _ if count(State::Missing) > 0 => ExitCode::from(1),
        _ => ExitCode::SUCCESS,
    })
}

fn write<'l>(
    links: impl Iterator<Item = &'l Link>,
    format: Option<ScanFormat>,
    common: &Common,
) -> Result<(), Failure> {
    let out = Output::text(common)?;
    match format.unwrap_or(if out.is_terminal() { ScanFormat::Table } else { ScanFormat::Ndjson }) {
        ScanFormat::Table => table(links, out),
        ScanFormat::Ndjson => {
            let mut out = Output::data(common)?;
            for link in links {
                out.json_line(link)?;
            }
            Ok(out.flush()?)
        }
        ScanFormat::Csv => {
            let mut csv = csv::Writer::from_writer(Output::data(common)?);
            csv.write_record(["path", "member", "kind", "name", "state", "target"])?;
            for link in links {
                let path = text(link);
                let member = link.member.as_ref().map_or("", |member| &member.text);
                let targets: Vec<&str> = link.targets.iter().map(|target| target.text.as_str()).collect();
                let (kind, name) = (link.reference.kind.name(), &link.reference.name.text);
                csv.write_record([&path, member, kind, name, link.state.name(), &targets.join(" | ")])?;
            }
            Ok(csv.flush()?)
        }
    }
}

fn text(link: &Link) -> String {
    ByteStr::new(link.path.as_os_str().as_encoded_bytes()).to_text_lossy()
}

/// An arrow and the address of what a name resolves to.
fn target_text(target: &Name) -> String {
    let address = match target.text.rsplit_once("!/") {
        Some((archive, member)) => report::address(archive, Some(member)),
        None => report::address(&target.text, None),
    };
    held("->  ") + &address
}

/// The references of each asset below its name.
fn table<'l>(links: impl Iterator<Item = &'l Link>, mut out: Output) -> Result<(), Failure> {
    let mut last = None;
    for link in links {
        let asset = Some((&link.path, &link.member));
        if last != asset {
            let member = link.member.as_ref().map(|member| member.text.as_str());
            writeln!(out, "{}", report::address(&text(link), member))?;
            last = asset;
        }
        let style = match link.state {
            State::Missing => Style::new().bold().fg_color(Some(AnsiColor::Red.into())),
            State::Ambiguous => Style::new().bold().fg_color(Some(AnsiColor::Yellow.into())),
            _ => Style::new(),
        };
        let (kind, name) = (link.reference.kind.name(), held(&report::escape(&link.reference.name.text)));
        write!(out, "  {style}{:<10}{style:#}  {kind:<8}  {name}", link.state)?;
        match link.targets.as_slice() {
            [] => writeln!(out)?,
            [target] => writeln!(out, "  {}", target_text(target))?,
            targets => {
                writeln!(out)?;
                for target in targets {
                    writeln!(out, "  {HANG}{:<10}  {:<8}  {}", "", "", target_text(target))?;
                }
            }
        }
    }
    Ok(out.flush()?)
}
