//! Where results go, and how a program ends.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use anstream::{AutoStream, ColorChoice};
use meshpeek::scan::Record;
use serde::Serialize;

use crate::args::{Color, Common};
use crate::notes::shown;
#[cfg(feature = "parquet")]
use crate::output_file::OutputFile;
use crate::results::Results;
use crate::visible::Visible;

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

impl Failure {
    /// What the operating system says of this file.
    pub(crate) fn io(path: &Path, error: io::Error) -> Self {
        Self::from(meshpeek::Error::from(error).in_file(path))
    }
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

const BUFFER: usize = 1 << 16;

/// The line of a record, made where the record is found: one thread writes, all make lines.
pub(crate) struct Line(io::Result<Vec<u8>>);

impl Line {
    /// The line, if lines are `wanted`.
    pub(crate) fn of(record: &Record, wanted: bool) -> Option<Self> {
        wanted.then(|| Self(json_line(record, Vec::with_capacity(LINE))))
    }
}

/// What most lines fit into.
const LINE: usize = 1 << 10;

fn json_line(value: &impl Serialize, mut line: Vec<u8>) -> io::Result<Vec<u8>> {
    serde_json::to_writer(&mut line, value)?;
    line.push(b'\n');
    Ok(line)
}

/// The stream for results: buffered, and named in its errors.
pub(crate) struct Output {
    stream: BufWriter<Box<dyn Write + Send>>,
    /// A line of JSON while it is put together: it comes in very many pieces.
    line: Vec<u8>,
    name: String,
    terminal: bool,
    /// What may be written.
    results: Results,
}

impl Output {
    /// A stream for text, from which our own colors are taken out where they are not wanted. What goes into it from
    /// files is escaped before.
    pub(crate) fn text(common: &Common) -> Result<Self, Failure> {
        Self::new(
            common,
            |file| Box::new(AutoStream::new(file, ColorChoice::Never)),
            |stdout| Box::new(AutoStream::new(stdout, choice(common.color))),
        )
    }

    /// A stream for data, which passes as it is; on a terminal, which would act on them, control characters are escaped.
    pub(crate) fn data(common: &Common) -> Result<Self, Failure> {
        Self::new(
            common,
            |file| Box::new(file),
            |stdout| if stdout.is_terminal() { Box::new(Visible::new(stdout)) } else { Box::new(stdout) },
        )
    }

    /// A stream for data into this file.
    #[cfg(feature = "parquet")]
    pub(crate) fn to_file(target: &OutputFile, common: &Common) -> Result<Self, Failure> {
        let file: Box<dyn Write + Send> = match target.stream()? {
            Some(file) => Box::new(file),
            None => Box::new(io::stdout()),
        };
        let (stream, name, results) = (buffered(file), shown(target.path()), common.results.clone());
        Ok(Self { stream, line: Vec::new(), name, terminal: false, results })
    }

    fn new(
        common: &Common,
        to_file: impl FnOnce(File) -> Box<dyn Write + Send>,
        to_stdout: impl FnOnce(io::Stdout) -> Box<dyn Write + Send>,
    ) -> Result<Self, Failure> {
        if let Some(target) = &common.output_file
            && let Some(file) = target.stream()?
        {
            let terminal = file.is_terminal();
            let (stream, name) = (buffered(to_file(file)), shown(target.path()));
            return Ok(Self { stream, line: Vec::new(), name, terminal, results: common.results.clone() });
        }
        let stdout = io::stdout();
        let terminal = stdout.is_terminal();
        let (stream, name) = (buffered(to_stdout(stdout)), "standard output".to_owned());
        Ok(Self { stream, line: Vec::new(), name, terminal, results: common.results.clone() })
    }

    /// Whether a person reads along.
    pub(crate) fn is_terminal(&self) -> bool {
        self.terminal
    }

    /// Writes the line of a record, be it made already.
    pub(crate) fn line_of(&mut self, record: &Record, line: Option<Line>) -> io::Result<()> {
        match line {
            Some(Line(line)) => self.write_all(&line?),
            None => self.json_line(record),
        }
    }

    /// Writes a line of JSON.
    pub(crate) fn json_line(&mut self, value: &impl Serialize) -> io::Result<()> {
        let mut line = std::mem::take(&mut self.line);
        line.clear();
        let line = json_line(value, line)?;
        let written = self.write_all(&line);
        self.line = line;
        written
    }

    fn named(&self, error: io::Error) -> io::Error {
        io::Error::new(error.kind(), format!("{}: {error}", self.name))
    }
}

fn buffered(stream: Box<dyn Write + Send>) -> BufWriter<Box<dyn Write + Send>> {
    BufWriter::with_capacity(BUFFER, stream)
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // So few that they pass through the buffer: given the memory of a mapped file that another process has cut
        // short, the system would refuse to write, where a copy meets the guard.
        let part = bytes.get(..BUFFER / 2).unwrap_or(bytes);
        self.results.take(part.len() as u64).map_err(|error| self.named(error))?;
        self.stream.write(part).map_err(|error| self.named(error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush().map_err(|error| self.named(error))
    }
}

fn choice(color: Color) -> ColorChoice {
    match color {
        Color::Auto => ColorChoice::Auto,
        Color::Always => ColorChoice::Always,
        Color::Never => ColorChoice::Never,
    }
}
