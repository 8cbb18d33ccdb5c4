//! Where results go, and how a program ends.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::process::ExitCode;

use anstream::{AutoStream, ColorChoice};

use crate::args::{Color, Common};

/// What a verb ends with.
pub(crate) type Outcome = Result<ExitCode, Failure>;

/// Nothing could be done.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Said in these words.
    Told(String),
    /// The reader of the results has left, which is no failure of ours.
    ClosedPipe,
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe { Self::ClosedPipe } else { Self::Told(error.to_string()) }
    }
}

impl From<meshpeek::Error> for Failure {
    fn from(error: meshpeek::Error) -> Self {
        Self::Told(error.to_string())
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self::from(io::Error::from(error))
    }
}

impl From<csv::Error> for Failure {
    fn from(error: csv::Error) -> Self {
        match error.into_kind() {
            csv::ErrorKind::Io(error) => error.into(),
            other => Self::Told(format!("{other:?}")),
        }
    }
}

/// The stream for results: buffered, with colours only where they are wanted.
pub(crate) struct Output {
    stream: BufWriter<Box<dyn Write + Send>>,
    terminal: bool,
}

impl Output {
    /// A stream for text, from which colours are taken out where they are not wanted.
    pub(crate) fn text(common: &Common) -> Result<Self, Failure> {
        match file(common)? {
            Some(file) => Ok(Self::new(AutoStream::new(file, ColorChoice::Never), false)),
            None => {
                let stdout = io::stdout();
                let terminal = stdout.is_terminal();
                Ok(Self::new(AutoStream::new(stdout, choice(common.color)), terminal))
            }
        }
    }

    /// A stream for data, which passes as it is.
    pub(crate) fn data(common: &Common) -> Result<Self, Failure> {
        match file(common)? {
            Some(file) => Ok(Self::new(file, false)),
            None => {
                let stdout = io::stdout();
                let terminal = stdout.is_terminal();
                Ok(Self::new(stdout, terminal))
            }
        }
    }

    fn new(stream: impl Write + Send + 'static, terminal: bool) -> Self {
        Self { stream: BufWriter::with_capacity(1 << 16, Box::new(stream)), terminal }
    }

    /// Whether a person reads along.
    pub(crate) fn is_terminal(&self) -> bool {
        self.terminal
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

fn file(common: &Common) -> Result<Option<File>, Failure> {
    let Some(path) = &common.output else { return Ok(None) };
    let file = File::create(path).map_err(|error| Failure::Told(format!("{}: {error}", path.display())))?;
    Ok(Some(file))
}

fn choice(color: Color) -> ColorChoice {
    match color {
        Color::Auto => ColorChoice::Auto,
        Color::Always => ColorChoice::Always,
        Color::Never => ColorChoice::Never,
    }
}

/// What people read beside the results.
#[derive(Clone, Copy)]
pub(crate) struct Notes {
    quiet: bool,
    verbose: bool,
}

impl Notes {
    pub(crate) fn new(common: &Common) -> Self {
        Self { quiet: common.quiet, verbose: common.verbose }
    }

    pub(crate) fn is_quiet(self) -> bool {
        self.quiet
    }

    /// Something that went wrong; said even when quiet.
    pub(crate) fn error(self, message: impl std::fmt::Display) {
        // A closed standard error leaves nobody to tell.
        let _ = writeln!(io::stderr(), "meshpeek: {message}");
    }

    /// What a person would want to know.
    pub(crate) fn say(self, message: impl std::fmt::Display) {
        if !self.quiet {
            let _ = writeln!(io::stderr(), "{message}");
        }
    }

    /// What only a curious person would.
    pub(crate) fn detail(self, message: impl std::fmt::Display) {
        if self.verbose {
            self.say(message);
        }
    }
}
