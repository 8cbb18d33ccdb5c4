//! Configs of Arma, as text and in binary form.

use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use meshpeek::address::Content;
use meshpeek::format::NoAsset;
use meshpeek::rap::Config;
use meshpeek::rap::text::{self, Binary};
use meshpeek::{Asset, ErrorKind, Format};

use crate::args::Common;
use crate::failure::Failure;
use crate::notes::Notes;
use crate::source::Source;
use crate::visible::shown;

/// Returns true for a config that is text.
pub(crate) fn is_text(content: &[u8]) -> bool {
    Format::sniff(content).is_none() && NoAsset::of(content) == NoAsset::Text && text::is_config(content)
}

/// Writes a binary config as text. The text before an error is written, too.
pub(crate) fn write_text(path: &Path, content: &Content<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    let config = Config::parse_with(content, content.budget().limits()).map_err(|error| error.in_file(path))?;
    let mut out = BufWriter::new(out);
    let written = config.write_text(&mut out, content.budget());
    let flushed = out.flush();
    if let Err(error) = written {
        let is_of_output = matches!(error.kind(), ErrorKind::Io(_));
        // The output names itself.
        return Err(if is_of_output { error.into() } else { error.in_file(path).into() });
    }
    Ok(flushed?)
}

/// Bytes that open as an asset: the content of a file, or the binary form of a config that is text.
pub(crate) enum Readable<'c> {
    Stored(&'c [u8]),
    Compiled(Binary<'c>),
}

impl<'c> Readable<'c> {
    /// Compiles the content if it is a config that is text. Reports what is not read of it.
    pub(crate) fn of(source: &Source<'_>, content: &'c Content<'_>, common: &Common) -> Result<Self, Failure> {
        if !is_text(content) {
            return Ok(Self::Stored(content));
        }
        let compiled = text::to_binary(content, content.budget()).map_err(|error| error.in_file(source.text))?;
        let file = shown(source.text);
        for part in compiled.unread() {
            Notes::new(common).error(format_args!("{file}: {part}"));
        }
        Ok(Self::Compiled(compiled))
    }

    /// Says that offsets are not those of the file, if they are not.
    pub(crate) fn say_of_offsets(&self, source: &Source<'_>, common: &Common) {
        if let Self::Compiled(_) = self {
            let file = shown(source.text);
            Notes::new(common).say(format_args!("{file}: offsets are those of the config in binary form"));
        }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Stored(content) => content,
            Self::Compiled(binary) => binary.bytes(),
        }
    }

    pub(crate) fn asset(&self, source: &Source<'_>, content: &'c Content<'_>) -> meshpeek::Result<Asset<'_>> {
        match self {
            Self::Stored(_) => source.asset(content),
            Self::Compiled(binary) => Asset::parse_with(binary.bytes(), content.budget().limits()),
        }
    }

    /// What is not read of a config that is text; `None` for another file.
    pub(crate) fn unread(&self) -> Option<&[String]> {
        match self {
            Self::Stored(_) => None,
            Self::Compiled(binary) => Some(binary.unread()),
        }
    }

    /// Returns true if all of the file is read.
    pub(crate) fn is_whole(&self) -> bool {
        self.unread().unwrap_or_default().is_empty()
    }

    /// The status of a verb that has shown all that is read.
    pub(crate) fn status(&self) -> ExitCode {
        if self.is_whole() { ExitCode::SUCCESS } else { ExitCode::from(1) }
    }
}
