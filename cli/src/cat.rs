//! `meshpeek cat`: the content of a member.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use meshpeek::address::{Content, MemberPath};
use meshpeek::summary::{Code, Name};
use meshpeek::{Error, Format};

use crate::args::Common;
use crate::config;
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
    if Format::sniff(content) == Some(Format::Rap) {
        return config::write_text(path, content, out);
    }
    if !config::is_text(content) {
        return Err(Failure::at(path, "not a binary config"));
    }
    out.write_all(content)?;
    Ok(())
}

/// The failure of a member that cannot be read, or whose content is not what its archive says.
fn lost(error: &Error, member: Option<Name>) -> Failure {
    let mut text = text_of(error);
    if let Some(member) = member {
        // The rest of the path are the archives that it is in.
        let (_, name) = MemberPath::new(&member.text).split_last();
        text = without_name(error, name);
    }
    if error.code() == Code::Checksum { Failure::Wrong(text) } else { Failure::Message(text) }
}

fn is_text(content: &[u8]) -> bool {
    let is_safe = |c: char| !c.is_control() || matches!(c, '\t' | '\n' | '\r');
    std::str::from_utf8(content).is_ok_and(|text| text.chars().all(is_safe))
}
