//! `meshpeek cat`: the content of a member.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use meshpeek::Error;
use meshpeek::address::split_last;
use meshpeek::summary::{Code, Name};

use crate::args::Common;
use crate::failure::{Failure, Outcome, status, text_of, without_name};
use crate::notes::Notes;
use crate::output::Output;
use crate::source::Source;

pub(crate) fn run(paths: &[PathBuf], common: &Common) -> Outcome {
    let mut out = Output::data(common)?;
    if let [path] = paths {
        write(path, &mut out, common)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut done = 0;
    let mut failed = 0;
    for path in paths {
        match write(path, &mut out, common) {
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
fn write(path: &Path, out: &mut Output, common: &Common) -> Result<(), Failure> {
    let source = Source::open(path, common)?;
    let (content, member) = source.checked_member(common)?;
    let content = match content {
        Ok(content) => content,
        Err(error) => return Err(lost(&error, member)),
    };
    if out.is_terminal && !is_text(&content) {
        return Err("the content is binary: redirect it or use -o".into());
    }
    out.write_all(&content)?;
    out.flush()?;
    source.unchanged()
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
