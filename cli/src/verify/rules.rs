//! Which warnings are left out, and which count as errors: by `--allow`, and by `meshpeek.toml`.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use meshpeek::address::nearest;
use meshpeek::summary::{Code, Problem, Severity};
use meshpeek::view::ByteStr;
use toml::{Table, Value};

use crate::failure::Failure;
use crate::visible::shown;

/// The file that is read from the working folder.
const NAME: &str = "meshpeek.toml";
/// The largest file that is read, in bytes.
const LARGEST: u64 = 64 << 10;
/// The keys of the file.
const KEYS: [&str; 2] = ["allow", "deny"];

/// A code, or a class that stands for its codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rule(&'static str);

impl Rule {
    /// Every code and class.
    fn names() -> impl Iterator<Item = &'static str> {
        Code::ALL.iter().flat_map(|code| [code.name(), code.class().name()])
    }

    /// Reads a code or class.
    fn of(text: &str) -> Result<Self, String> {
        match Self::names().find(|name| *name == text) {
            Some(name) => Ok(Self(name)),
            None => Err(format!("no such code{}; `meshpeek explain` lists all", similar(text, Self::names()))),
        }
    }

    /// Reads a code or class of warnings that may be left out.
    pub(super) fn allowed(text: &str) -> Result<Self, String> {
        let rule = Self::of(text)?;
        let (class, _) = rule.0.split_once('.').unwrap_or((rule.0, ""));
        match class {
            "suspicious" | "lint" => Ok(rule),
            _ => Err("only `suspicious`, `lint` and the codes below them can be allowed".to_owned()),
        }
    }
}

/// Says which of these names are similar to a text.
fn similar(text: &str, names: impl Iterator<Item = &'static str>) -> String {
    let mut found = Vec::new();
    for name in nearest(names.map(ByteStr::from), text.as_bytes()) {
        let name = format!("`{name}`");
        if !found.contains(&name) {
            found.push(name);
        }
    }
    if found.is_empty() { String::new() } else { format!("; similar: {}", found.join(", ")) }
}

/// What becomes of a problem.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Listed,
    /// Listed as an error, although it is a warning.
    Denied,
    AllowedByFlag,
    AllowedByFile,
}

/// The rules of one run.
pub(super) struct Rules {
    flags: Vec<Rule>,
    /// The file of `allow` and `deny`.
    pub(super) file: PathBuf,
    allow: Vec<Rule>,
    deny: Vec<Rule>,
}

impl Rules {
    /// Reads the rules of this file. Without one, those of the working folder, if it has some.
    pub(super) fn read(flags: Vec<Rule>, config: Option<&Path>) -> Result<Self, Failure> {
        let file = config.unwrap_or(Path::new(NAME)).to_owned();
        let mut rules = Self { flags, file, allow: Vec::new(), deny: Vec::new() };
        match fs::metadata(&rules.file) {
            Err(error) if config.is_none() && error.kind() == ErrorKind::NotFound => return Ok(rules),
            Err(error) => return Err(Failure::io(&rules.file, error)),
            Ok(metadata) if !metadata.is_file() => return Err(Failure::at(&rules.file, "not a file")),
            Ok(_) => {}
        }
        let text = text_of(&rules.file)?;
        match rules.parse(&text) {
            Ok(()) => Ok(rules),
            Err(message) => Err(Failure::at(&rules.file, message)),
        }
    }

    fn parse(&mut self, text: &str) -> Result<(), String> {
        let table: Table = match text.parse() {
            Ok(table) => table,
            Err(error) => return Err(at_line(&error, text)),
        };
        for (key, value) in &table {
            match key.as_str() {
                "allow" => self.allow = list(key, value, Rule::allowed)?,
                "deny" => self.deny = list(key, value, Rule::of)?,
                other => {
                    let similar = similar(other, KEYS.into_iter());
                    return Err(format!("no key is called {:?}{similar}; its keys are `allow` and `deny`", other));
                }
            }
        }
        match self.allow.iter().find(|rule| self.deny.contains(rule)) {
            Some(both) => Err(format!("`{}` is both allowed and denied", both.0)),
            None => Ok(()),
        }
    }

    /// What becomes of a problem: a flag counts more than the file, and a code more than its class.
    pub(super) fn judge(&self, problem: &Problem) -> Verdict {
        if problem.severity == Severity::Error {
            return Verdict::Listed;
        }
        for name in [problem.code.name(), problem.code.class().name()] {
            if self.flags.contains(&Rule(name)) {
                return Verdict::AllowedByFlag;
            }
        }
        for name in [problem.code.name(), problem.code.class().name()] {
            if self.allow.contains(&Rule(name)) {
                return Verdict::AllowedByFile;
            }
            if self.deny.contains(&Rule(name)) {
                return Verdict::Denied;
            }
        }
        Verdict::Listed
    }

    /// The name of the file, for messages.
    pub(super) fn file_name(&self) -> String {
        shown(&self.file).to_string()
    }
}

/// Reads the file, within its limit.
fn text_of(path: &Path) -> Result<String, Failure> {
    let bytes = match beginning(path) {
        Ok(bytes) => bytes,
        Err(error) => return Err(Failure::io(path, error)),
    };
    if bytes.len() as u64 > LARGEST {
        return Err(Failure::at(path, format_args!("larger than {LARGEST} bytes, the limit for a file of rules")));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(_) => Err(Failure::at(path, "not UTF-8")),
    }
}

/// Reads a file up to the first byte beyond the limit.
fn beginning(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The message of an error in TOML, with its line.
fn at_line(error: &toml::de::Error, text: &str) -> String {
    if let Some(span) = error.span()
        && let Some(before) = text.get(..span.start)
    {
        return format!("line {}: {}", before.matches('\n').count() + 1, error.message());
    }
    error.message().to_owned()
}

/// Reads a list of codes.
fn list(key: &str, value: &Value, read: fn(&str) -> Result<Rule, String>) -> Result<Vec<Rule>, String> {
    let Value::Array(items) = value else {
        return Err(format!("`{key}` is not a list of codes, such as [\"suspicious.normals\"]"));
    };
    let mut rules = Vec::new();
    for item in items {
        let Value::String(text) = item else { return Err(format!("`{key}` contains something that is no text")) };
        match read(text) {
            Ok(rule) => rules.push(rule),
            Err(message) => return Err(format!("{text:?} in `{key}`: {message}")),
        }
    }
    Ok(rules)
}
