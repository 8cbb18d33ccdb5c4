//! Makes data safe to show on a terminal.

use std::io::{self, Write};
use std::path::Path;

use meshpeek::view::ByteStr;

/// Escapes characters that a terminal would act on, and passes on the rest.
pub(crate) struct Visible<W> {
    inner: W,
    /// The start of a character whose remaining bytes have not arrived.
    begun: Vec<u8>,
}

impl<W: Write> Visible<W> {
    pub(crate) fn new(inner: W) -> Self {
        Self { inner, begun: Vec::new() }
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        for line in bytes.split_inclusive(|&byte| byte == b'\n') {
            let text = line.strip_suffix(b"\n");
            write!(self.inner, "{}", ByteStr::new(text.unwrap_or(line)))?;
            if text.is_some() {
                self.inner.write_all(b"\n")?;
            }
        }
        Ok(())
    }
}

impl<W: Write> Write for Visible<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut text = std::mem::take(&mut self.begun);
        text.extend_from_slice(bytes);
        let end = text.utf8_chunks().last().map_or(&[][..], |chunk| chunk.invalid());
        let begun = if is_begun(end) { end.len() } else { 0 };
        self.begun = text.split_off(text.len() - begun);
        self.put(&text)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let begun = std::mem::take(&mut self.begun);
        self.put(&begun)?;
        self.inner.flush()
    }
}

/// Returns true if these bytes are an incomplete character.
fn is_begun(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

/// A path for people: all its bytes, with control characters escaped.
pub(crate) fn shown(path: &Path) -> String {
    ByteStr::new(path.as_os_str().as_encoded_bytes()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped_across_writes() {
        let data = "a\x1b[2J\u{9b}31m\u{202e}\n板\u{7f}\t\n".as_bytes();
        for length in 1..data.len() {
            let mut out = Visible::new(Vec::new());
            for part in data.chunks(length) {
                out.write_all(part).unwrap();
            }
            out.write_all(b"\xff.\xe6\x9d").unwrap();
            out.flush().unwrap();
            let text = String::from_utf8(out.inner).unwrap();
            assert_eq!(text, "a\\u{1b}[2J\\u{9b}31m\\u{202e}\n板\\u{7f}\\t\n\\xff.\\xe6\\x9d", "by {length}");
        }
    }
}
