//! Streams for results.

use std::io::{self, BufWriter, IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};
use meshpeek::answers::refs::Link;
use meshpeek::scan::Record;
use serde::Serialize;

use crate::args::Common;
use crate::failure::Failure;
use crate::output_file::OutputFile;
use crate::results::Results;
use crate::visible::{Visible, shown};
use crate::wrap::{width, wrapped};

const BUFFER: usize = 1 << 16;

/// The line of a record, formatted on the thread that found the record. One thread writes; all threads format.
pub(crate) struct Line(pub(crate) Result<Vec<u8>, Failure>);

impl Line {
    /// The line, if lines are `wanted`.
    pub(crate) fn of(record: &Record, wanted: bool) -> Option<Self> {
        if wanted { Some(Self::new(record)) } else { None }
    }

    fn new(record: &Record) -> Self {
        let mut line = Vec::with_capacity(LINE);
        if let Err(error) = record.write_json(&mut line) {
            return Self(Err(error.into()));
        }
        line.push(b'\n');
        Self(Ok(line))
    }

    /// The bytes of the line of a record, which may be formatted already.
    pub(crate) fn bytes(record: &Record, line: Option<Self>) -> Result<Vec<u8>, Failure> {
        match line {
            Some(line) => line.0,
            None => Self::new(record).0,
        }
    }
}

/// The size of most lines.
const LINE: usize = 1 << 10;

/// The line of a value, in a buffer that is empty.
pub(crate) fn json_line(value: &impl Serialize, mut line: Vec<u8>) -> io::Result<Vec<u8>> {
    serde_json::to_writer(&mut line, value)?;
    line.push(b'\n');
    Ok(line)
}

type Stream = Box<dyn Write + Send>;

/// The stream for results. It is buffered, and its errors contain its name.
pub(crate) struct Output {
    stream: BufWriter<Stream>,
    /// A line of JSON under construction: it comes in very many pieces.
    line: Vec<u8>,
    name: String,
    /// True if a person reads the output.
    pub(crate) is_terminal: bool,
    /// The last line of text while it is incomplete; `None` for data.
    text: Option<Vec<u8>>,
    width: Option<usize>,
    /// The amount that may be written.
    results: Results,
    /// True if the memory of mapped files is never written, so that large pieces need not be copied.
    pub(crate) is_own: bool,
}

impl Output {
    /// Creates a stream for text. Our own colors are removed if they are not wanted. Content from files is escaped
    /// before. On a terminal, long lines are wrapped.
    pub(crate) fn text(common: &Common) -> Result<Self, Failure> {
        Self::of(common, true)
    }

    /// Creates a stream for data, which is written unchanged. On a terminal, control characters are escaped.
    pub(crate) fn data(common: &Common) -> Result<Self, Failure> {
        Self::of(common, false)
    }

    /// Creates a stream for text or data, to the file of `-o` or to standard output.
    pub(crate) fn of(common: &Common, is_text: bool) -> Result<Self, Failure> {
        if let Some(target) = &common.output_file
            && let Some(out) = Self::to_file(target, is_text, &common.results)?
        {
            return Ok(out);
        }
        let stdout = io::stdout();
        let is_terminal = stdout.is_terminal();
        let stream: Stream = match color(common, &stdout) {
            _ if !is_text && is_terminal => Box::new(Visible::new(stdout)),
            _ if !is_text => Box::new(stdout),
            ColorChoice::Never => without_colors(stdout),
            color => Box::new(AutoStream::new(stdout, color)),
        };
        Ok(Self::over(stream, "standard output".to_owned(), is_terminal, is_text, &common.results))
    }

    /// Creates a stream for text or data into this file. `None` if it is standard output.
    pub(crate) fn to_file(target: &OutputFile, is_text: bool, results: &Results) -> Result<Option<Self>, Failure> {
        let Some(file) = target.stream()? else { return Ok(None) };
        let is_terminal = file.is_terminal();
        let stream: Stream = if is_text { without_colors(file) } else { Box::new(file) };
        Ok(Some(Self::over(stream, shown(&target.path), is_terminal, is_text, results)))
    }

    fn over(stream: Stream, name: String, is_terminal: bool, is_text: bool, results: &Results) -> Self {
        Self {
            stream: BufWriter::with_capacity(BUFFER, stream),
            line: Vec::new(),
            name,
            is_terminal,
            text: if is_text { Some(Vec::new()) } else { None },
            width: if is_text && is_terminal { Some(width(true)) } else { None },
            results: results.clone(),
            is_own: false,
        }
    }

    pub(crate) fn json_line(&mut self, value: &impl Serialize) -> io::Result<()> {
        let mut line = std::mem::take(&mut self.line);
        line.clear();
        let line = json_line(value, line)?;
        let written = self.write_all(&line);
        self.line = line;
        written
    }

    /// Writes a reference, of which there may be millions.
    pub(crate) fn link_line(&mut self, link: &Link<'_>) -> io::Result<()> {
        let mut line = std::mem::take(&mut self.line);
        line.clear();
        link.write_json(&mut line);
        line.push(b'\n');
        let written = self.write_all(&line);
        self.line = line;
        written
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.text {
            Some(line) => {
                put_text(&mut self.stream, line, bytes, self.width)?;
                Ok(bytes.len())
            }
            None => self.stream.write(bytes),
        }
    }

    /// Writes the last line of text, although it is incomplete, and what is in the buffer.
    fn put_rest(&mut self) -> io::Result<()> {
        if let Some(line) = &mut self.text {
            let line = std::mem::take(line);
            self.stream.write_all(wrapped(&String::from_utf8_lossy(&line), self.width).as_bytes())?;
        }
        self.stream.flush()
    }

    fn named(&self, error: io::Error) -> io::Error {
        io::Error::new(error.kind(), format!("{}: {error}", self.name))
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Small pieces pass through the buffer. If the system were given the memory of a mapped file that another
        // process has truncated, it would refuse to write; a copy is protected by the guard.
        let part = match bytes.get(..BUFFER / 2) {
            Some(part) if !self.is_own => part,
            _ => bytes,
        };
        self.results.take(part.len() as u64).map_err(|error| self.named(error))?;
        self.put(part).map_err(|error| self.named(error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.put_rest().map_err(|error| self.named(error))
    }
}

/// Writes the complete lines of `line` followed by these bytes, and keeps the rest.
fn put_text(stream: &mut impl Write, line: &mut Vec<u8>, bytes: &[u8], width: Option<usize>) -> io::Result<()> {
    // Without wrapping, only the marks change, and pieces need not wait for the end of their line.
    if width.is_none() && line.is_empty() {
        // The marks are not ASCII.
        if bytes.is_ascii() {
            return stream.write_all(bytes);
        }
        if let Ok(text) = str::from_utf8(bytes) {
            return stream.write_all(wrapped(text, None).as_bytes());
        }
    }
    for part in bytes.split_inclusive(|&byte| byte == b'\n') {
        line.extend_from_slice(part);
        if let Some(text) = line.strip_suffix(b"\n") {
            writeln!(stream, "{}", wrapped(&String::from_utf8_lossy(text), width))?;
            line.clear();
        }
    }
    Ok(())
}

/// A stream that takes colors out of the text.
fn without_colors(stream: impl Write + Send + 'static) -> Stream {
    Box::new(Plain { in_color: false, stream: BufWriter::with_capacity(BUFFER, Box::new(stream)) })
}

/// Writes the pieces between colors, which are small, through a buffer. The only control sequences in the text are our
/// own colors, from an escape character to an `m`.
struct Plain {
    in_color: bool,
    stream: BufWriter<Stream>,
}

impl Write for Plain {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut rest = bytes;
        while !rest.is_empty() {
            let end = memchr::memchr(if self.in_color { b'm' } else { 0x1b }, rest);
            let (piece, after) = rest.split_at(end.unwrap_or(rest.len()));
            if !self.in_color {
                self.stream.write_all(piece)?;
            }
            self.in_color ^= end.is_some();
            rest = after.get(1..).unwrap_or_default();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

fn color(common: &Common, stdout: &io::Stdout) -> ColorChoice {
    match common.color {
        clap::ColorChoice::Auto => AutoStream::choice(stdout),
        clap::ColorChoice::Always => ColorChoice::Always,
        clap::ColorChoice::Never => ColorChoice::Never,
    }
}
