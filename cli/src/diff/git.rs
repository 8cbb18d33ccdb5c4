//! Objects of a git repository, read by the installed `git`. Nothing that the repository names is started or contacted.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use meshpeek::view::ByteStr;

/// The commands below start a program only to fetch what a partial clone lacks, and these variables prevent that. The
/// configuration of the repository does not override them.
const ENVIRONMENT: [(&str, &str); 5] = [
    // Since git 2.45.
    ("GIT_NO_LAZY_FETCH", "1"),
    // For older versions. The list of protocols has no names; Windows has no empty variables.
    ("GIT_ALLOW_PROTOCOL", ":"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    // An id stands for the content that it was made of.
    ("GIT_NO_REPLACE_OBJECTS", "1"),
];

/// In addition: programs that git starts for other commands, and protocols that the repository leaves open.
const OPTIONS: [&str; 7] =
    ["--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "protocol.allow=never"];

/// The most bytes of a line that git writes.
const LONGEST_LINE: u64 = 1024;

fn command(arguments: &[&str]) -> Command {
    let mut git = Command::new("git");
    git.args(OPTIONS).args(arguments).envs(ENVIRONMENT);
    git
}

fn not_run(error: io::Error) -> io::Error {
    io::Error::other(format!("git cannot be run: {error}"))
}

/// The id of an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Id {
    bytes: [u8; 32],
    /// 20 for SHA-1, 32 for SHA-256.
    length: u8,
}

impl Id {
    pub(super) fn new(raw: &[u8]) -> Option<Self> {
        let mut id = Self { bytes: [0; 32], length: u8::try_from(raw.len()).ok()? };
        id.bytes.get_mut(..raw.len())?.copy_from_slice(raw);
        Some(id)
    }

    fn parse(text: &str) -> Option<Self> {
        let mut raw = Vec::with_capacity(32);
        for digits in text.as_bytes().chunks(2) {
            if digits.len() != 2 {
                return None;
            }
            let digits = std::str::from_utf8(digits).ok()?;
            raw.push(u8::from_str_radix(digits, 16).ok()?);
        }
        if matches!(raw.len(), 20 | 32) { Self::new(&raw) } else { None }
    }

    /// The bytes of an id in this repository.
    pub(super) fn len(self) -> usize {
        self.length.into()
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in self.bytes.iter().take(self.len()) {
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

/// Returns the id that a name such as `HEAD:mod` stands for, or `None` if git knows none. The object may be missing.
pub(super) fn resolve(name: &str) -> io::Result<Option<Id>> {
    let mut git = command(&["rev-parse", "--verify", "--quiet", "--end-of-options", name]);
    let found = git.stdin(Stdio::null()).output().map_err(not_run)?;
    let text = String::from_utf8_lossy(&found.stdout);
    match found.status.code() {
        Some(0) => Ok(Id::parse(text.trim())),
        Some(1) => Ok(None),
        _ => {
            // No repository, or one that git refuses.
            let reason = found.stderr.split(|byte| *byte == b'\n').next().unwrap_or_default();
            Err(io::Error::other(format!("git cannot read the repository: {}", ByteStr::new(reason))))
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Blob,
    Tree,
    Other,
}

/// The kind and size of an object.
#[derive(Clone, Copy)]
pub(super) struct Head {
    pub(super) kind: Kind,
    pub(super) bytes: u64,
}

/// A running git that gives objects one after the other.
pub(super) struct Objects {
    git: Child,
    asked: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Objects {
    pub(super) fn start() -> io::Result<Self> {
        let mut git = command(&["cat-file", "--batch"]);
        let mut git =
            git.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().map_err(not_run)?;
        match (git.stdin.take(), git.stdout.take()) {
            (Some(asked), Some(answers)) => Ok(Self { git, asked, answers: BufReader::new(answers) }),
            _ => Err(io::Error::other("git has no pipes")),
        }
    }

    /// Asks for an object, whose content must then be read. `None` if git does not have it.
    pub(super) fn ask(&mut self, id: Id) -> io::Result<Option<Head>> {
        // A closed pipe here is not that of a reader of results.
        if writeln!(self.asked, "{id}").is_err() {
            return Err(ended(id));
        }
        let mut line = String::new();
        (&mut self.answers).take(LONGEST_LINE).read_line(&mut line)?;
        let mut words = line.split_whitespace();
        match [words.next(), words.next(), words.next()] {
            [Some(_), Some("missing"), None] => Ok(None),
            [Some(_), Some(kind), Some(bytes)] => {
                let kind = match kind {
                    "blob" => Kind::Blob,
                    "tree" => Kind::Tree,
                    _ => Kind::Other,
                };
                let bytes = bytes.parse().map_err(|_| ended(id))?;
                Ok(Some(Head { kind, bytes }))
            }
            _ => Err(ended(id)),
        }
    }

    /// Reads the content of the object that was asked for.
    pub(super) fn read(&mut self, id: Id, head: Head) -> io::Result<Vec<u8>> {
        let mut content = Vec::new();
        (&mut self.answers).take(head.bytes).read_to_end(&mut content)?;
        self.end(id, head, content.len() as u64)?;
        Ok(content)
    }

    /// Writes the content of the object that was asked for.
    pub(super) fn copy(&mut self, id: Id, head: Head, to: &mut File) -> io::Result<()> {
        let copied = io::copy(&mut (&mut self.answers).take(head.bytes), to)?;
        self.end(id, head, copied)
    }

    fn end(&mut self, id: Id, head: Head, read: u64) -> io::Result<()> {
        // A line feed follows.
        let is_whole = read == head.bytes && self.answers.read_exact(&mut [0]).is_ok();
        if is_whole { Ok(()) } else { Err(ended(id)) }
    }
}

impl Drop for Objects {
    fn drop(&mut self) {
        // It may still be writing an object.
        let _ = self.git.kill();
        let _ = self.git.wait();
    }
}

/// Versions of git before 2.45 end at the first object that a partial clone lacks.
fn ended(id: Id) -> io::Error {
    io::Error::other(format!("git cannot read the object {id} (partial clones need git 2.45 or later)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_both_kinds_are_read_and_written() {
        let bytes: Vec<u8> = (0..=255).collect();
        for length in 0..70 {
            let raw = &bytes[128 - length..128];
            let text: String = raw.iter().map(|byte| format!("{byte:02x}")).collect();
            let found = Id::parse(&text);
            assert_eq!(found.is_some(), length == 20 || length == 32, "{length}");
            if let Some(id) = found {
                assert!(id == Id::new(raw).unwrap() && id.len() == length && id.to_string() == text, "{text}");
                assert!(Id::parse(&text.to_uppercase()) == Some(id));
                // One digit less or more, or none.
                for other in [&text[1..], &format!("{text}0"), &format!("g{}", &text[1..]), &format!("é{}", &text[2..])]
                {
                    assert!(Id::parse(other).is_none(), "{other}");
                }
            }
        }
        // An id of one kind is never one of the other, with the same bytes at its start.
        assert!(Id::new(&[0; 20]) != Id::new(&[0; 32]));
        assert!(Id::new(&[0; 33]).is_none());
    }
}
