//! `meshpeek cat`: the content of a member.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use meshpeek::address::{Content, split_last};
use meshpeek::format::NoAsset;
use meshpeek::rap::{Config, text};
use meshpeek::summary::{Code, Name};
use meshpeek::{Error, ErrorKind, Format};

use crate::args::Common;
use crate::failure::{Failure, Outcome, status, text_of, without_name};
use crate::notes::Notes;
use crate::output::Output;
use crate::source::Source;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Members, such as `mod.pbo!/config.cpp` or `mod.pbo!/*.hpp`, or files
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Write binary configs (raP) as text
    #[arg(long)]
    text: bool,
}

pub(crate) fn run(args: &Args, common: &Common) -> Outcome {
    let mut out = Output::data(common)?;
    if let [path] = &*args.files {
        write(path, args, &mut out, common)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut done = 0;
    let mut failed = 0;
    for path in &args.files {
        match write(path, args, &mut out, common) {
            Ok(()) => done += 1,
            Err(Failure::Message(message) | Failure::Wrong(message)) => {
                Notes::new(common).error(message);
                failed += 1;
            }
            Err(closed) => return Err(closed),
        }
    }
    Ok(status(done, failed))
}

/// Writes a member or file.
fn write(path: &Path, args: &Args, out: &mut Output, common: &Common) -> Result<(), Failure> {
    let source = Source::open(path, common)?;
    let (content, member) = source.checked_member(common)?;
    let content = match content {
        Ok(content) => content,
        Err(error) => return Err(lost(&error, member)),
    };
    if args.text {
        write_config(path, &content, out)?;
    } else if out.is_terminal && !is_text(&content) {
        return Err("the content is binary: redirect it or use -o".into());
    } else {
        out.write_all(&content)?;
    }
    out.flush()?;
    source.unchanged()
}

/// Writes a binary config as text, and a config that is text as it is.
fn write_config(path: &Path, content: &Content<'_>, out: &mut Output) -> Result<(), Failure> {
    if Format::sniff(content) != Some(Format::Rap) {
        if !is_config_text(content) {
            return Err(Failure::at(path, "not a binary config"));
        }
        out.write_all(content)?;
        return Ok(());
    }
    let config = Config::parse_with(content, content.budget().limits()).map_err(|error| error.in_file(path))?;
    let mut out = BufWriter::new(out);
    let written = config.write_text(&mut out, content.budget());
    // The text before an error is written, too.
    let flushed = out.flush();
    if let Err(error) = written {
        let is_of_output = matches!(error.kind(), ErrorKind::Io(_));
        // The output names itself.
        return Err(if is_of_output { error.into() } else { error.in_file(path).into() });
    }
    Ok(flushed?)
}

/// Returns true for a config that is text already.
fn is_config_text(content: &[u8]) -> bool {
    Format::sniff(content).is_none() && NoAsset::of(content) == NoAsset::Text && text::is_config(content)
}

/// The failure of a member that cannot be read, or whose content is not what its archive says.
fn lost(error: &Error, member: Option<Name>) -> Failure {
    let mut text = text_of(error);
    if let Some(member) = member {
        // The rest of the path are the archives that it is in.
        let (_, name) = split_last(&member.text);
        text = without_name(error, name);
    }
    if error.code() == Code::Checksum { Failure::Wrong(text) } else { Failure::Message(text) }
}

fn is_text(content: &[u8]) -> bool {
    let is_safe = |c: char| !c.is_control() || matches!(c, '\t' | '\n' | '\r');
    std::str::from_utf8(content).is_ok_and(|text| text.chars().all(is_safe))
}
