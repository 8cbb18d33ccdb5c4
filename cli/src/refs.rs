//! `meshpeek refs`: each reference and the result of resolving it.

use std::collections::HashMap;
use std::io::Write;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;

use anstyle::Style;
use meshpeek::scan::refs::{self, Link, State};
use meshpeek::summary::{Name, Severity};

use crate::args::{Common, RecordFormat};
use crate::failure::{Failure, Outcome, status};
use crate::notes::Notes;
use crate::output::Output;
#[cfg(feature = "parquet")]
use crate::tables::{Table, Tables};
use crate::wrap::{HANG, held};
use crate::{input, report};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Files and folders that belong together: archives, models and loose files
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Show only references whose file is missing
    #[arg(long)]
    missing: bool,
    /// Show only textures that a material names and that an ODOL model's copy of the material does not have
    #[arg(long, conflicts_with = "missing")]
    stale: bool,
    /// Count names below this prefix, such as `ca`, as found: the game itself has them
    #[arg(long, value_name = "PREFIX")]
    assume: Vec<String>,
    /// Output format [default: `table` on a terminal, else `ndjson`]
    #[arg(long, value_name = "FORMAT")]
    format: Option<RecordFormat>,
    /// Files to read at once, at most 256 [default: the number of cores]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
}

pub(crate) fn run(args: &Args, common: &Common) -> Outcome {
    let mut scan = input::scan_whole(&args.paths, args.jobs, common)?;
    // Include textures that git ignores.
    scan.selection.ignored = true;
    let (links, unreadable) = input::whole(&scan, common, |other| match args.stale {
        true => refs::resolve_copies(&scan, &args.assume, other),
        false => refs::resolve(&scan, &args.assume, other),
    })?;
    let mut writer = Writer::new(args.format, common)?;
    let (mut counts, mut written) = (HashMap::<State, u64>::new(), Ok(()));
    let each = |link: &Link<'_>| {
        *counts.entry(link.state).or_default() += 1;
        if !args.missing || link.state == State::Missing {
            written = writer.write(link);
        }
        if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let resolved = if args.stale { links.each_stale(each) } else { links.each(each) };
    written?;
    resolved?;
    writer.finish()?;
    let count = |state| counts.get(&state).copied().unwrap_or(0);
    let all: u64 = counts.values().sum();
    let notes = Notes::new(common);
    if args.stale {
        notes.say(format_args!("{}", report::count(all, "stale copies")));
    } else {
        let unresolved = match count(State::Unresolved) {
            0 => String::new(),
            some => format!(", {some} unresolved"),
        };
        notes.say(format_args!(
            "{}: {} found, {} missing, {} procedural, {} ambiguous{unresolved}",
            report::count(all, "references"),
            count(State::Found),
            count(State::Missing),
            count(State::Procedural),
            count(State::Ambiguous)
        ));
    }
    let wrong = if args.stale { all } else { count(State::Missing) };
    Ok(if unreadable == 0 && wrong > 0 { ExitCode::from(1) } else { status(scan.progress.files(), unreadable) })
}

/// Writes each link as it comes.
enum Writer {
    /// With the asset of the last reference.
    Table(Output, Option<(PathBuf, Option<Name>)>),
    Ndjson(Output),
    Csv(Box<csv::Writer<Output>>),
    #[cfg(feature = "parquet")]
    Tables(std::sync::Arc<Tables>),
}

impl Writer {
    fn new(format: Option<RecordFormat>, common: &Common) -> Result<Self, Failure> {
        #[cfg(feature = "parquet")]
        if let Some(format) = &format
            && let Some(tables) = Tables::of(Table::Refs, format, None, common)?
        {
            return Ok(Self::Tables(tables));
        }
        let out = Output::text(common)?;
        Ok(match format.unwrap_or(if out.is_terminal { RecordFormat::Table } else { RecordFormat::Ndjson }) {
            RecordFormat::Table => Self::Table(out, None),
            RecordFormat::Csv => {
                let mut csv = csv::Writer::from_writer(Output::data(common)?);
                csv.write_record("path,member,kind,name,state,target,via,line,column,elsewhere".split(','))?;
                Self::Csv(Box::new(csv))
            }
            _ => Self::Ndjson(Output::data(common)?),
        })
    }

    fn write(&mut self, link: &Link<'_>) -> Result<(), Failure> {
        match self {
            Self::Table(out, asset) => {
                let is_same =
                    asset.as_ref().is_some_and(|(path, member)| *path == link.path && member.as_ref() == link.member);
                if !is_same {
                    *asset = Some((link.path.to_owned(), link.member.cloned()));
                }
                Ok(row(link, is_same, out)?)
            }
            Self::Ndjson(out) => Ok(out.json_line(link)?),
            #[cfg(feature = "parquet")]
            Self::Tables(tables) => tables.add(|rows| rows.link(link)),
            Self::Csv(csv) => {
                let path = Name::from(link.path).text;
                let member = link.member.map_or("", |member| &member.text);
                let more = (link.more > 0).then(|| format!("{} more", link.more));
                let list = |mut files: Vec<String>| {
                    files.extend(more.clone().filter(|_| !files.is_empty()));
                    files.join(" | ")
                };
                let (kind, name) = (link.reference.kind.name(), &link.reference.name.text);
                let (line, column) = link.place.map(|(line, column)| (line.to_string(), column.to_string())).unzip();
                let (line, column) = (line.unwrap_or_default(), column.unwrap_or_default());
                let (via, state) = (link.via.map_or("", |via| &via.text), link.state.name());
                let target = list(link.targets().map(|file| file.text).collect());
                let elsewhere = list(link.elsewhere().map(|file| file.text).collect());
                Ok(csv.write_record([&path, member, kind, name, state, &target, via, &line, &column, &elsewhere])?)
            }
        }
    }

    fn finish(self) -> Result<(), Failure> {
        match self {
            Self::Table(mut out, _) | Self::Ndjson(mut out) => Ok(out.flush()?),
            Self::Csv(mut csv) => Ok(csv.flush()?),
            #[cfg(feature = "parquet")]
            Self::Tables(tables) => tables.finish(false),
        }
    }
}

/// A file that the name resolves to, or one that has the name elsewhere.
fn file_text(link: &Link<'_>, file: &Name) -> String {
    let before = if link.state == State::Missing { "a file of that name is in ".to_owned() } else { held("->  ") };
    before + &report::address(&file.text, None)
}

/// Writes a reference, below the name of its asset if the asset is new.
fn row(link: &Link<'_>, is_same: bool, out: &mut Output) -> std::io::Result<()> {
    if !is_same {
        writeln!(
            out,
            "{}",
            report::address(&Name::from(link.path).text, link.member.map(|member| member.text.as_str()))
        )?;
    }
    let style = match link.state {
        State::Missing => report::style(Severity::Error),
        State::Ambiguous => report::style(Severity::Warning),
        _ => Style::new(),
    };
    let (kind, name) = (link.reference.kind.name(), held(&report::escape(&link.reference.name.text)));
    write!(out, "  {style}{:<10}{style:#}  {kind:<8}  {name}", link.state)?;
    let place = link.place.map(|(line, column)| format!("{line}:{column}"));
    match (link.via, place) {
        (Some(via), place) => {
            let place = place.map(|place| format!(":{place}")).unwrap_or_default();
            write!(out, "  via {}{place}", report::address(&via.text, None))?;
        }
        (None, Some(place)) => write!(out, "  at {place}")?,
        (None, None) => {}
    }
    let files: Vec<String> = link.targets().chain(link.elsewhere()).map(|file| file_text(link, &file)).collect();
    if let ([file], 0) = (files.as_slice(), link.more) {
        return writeln!(out, "  {file}");
    }
    writeln!(out)?;
    for file in files {
        writeln!(out, "  {HANG}{:<10}  {:<8}  {file}", "", "")?;
    }
    if link.more > 0 {
        writeln!(out, "  {:<10}  {:<8}      and {} more", "", "", report::grouped(link.more as u64))?;
    }
    Ok(())
}
