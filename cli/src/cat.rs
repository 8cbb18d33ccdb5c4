//! `meshpeek cat`: the content of a member.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use meshpeek::summary::Code;

use crate::args::Common;
use crate::failure::{Failure, Outcome};
use crate::output::Output;
use crate::source::Source;

pub(crate) fn run(path: &Path, common: &Common) -> Outcome {
    let source = Source::open(path, common)?;
    let content = match source.checked(common)? {
        Ok(content) => content,
        // The content is not what its archive says, so nothing of it is written.
        Err(error) if error.code() == Code::Checksum => return Err(Failure::Wrong(error.to_string())),
        Err(error) => return Err(error.into()),
    };
    let mut out = Output::data(common)?;
    if out.is_terminal && !is_text(&content) {
        return Err("the content is binary: redirect it or use -o".into());
    }
    out.write_all(&content)?;
    out.flush()?;
    source.unchanged()?;
    Ok(ExitCode::SUCCESS)
}

fn is_text(content: &[u8]) -> bool {
    let is_safe = |c: char| !c.is_control() || matches!(c, '\t' | '\n' | '\r');
    std::str::from_utf8(content).is_ok_and(|text| text.chars().all(is_safe))
}
