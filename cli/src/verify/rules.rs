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

    /// Reads the text of the file. Each list that it has replaces the one before.
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
                    let hint = similar(other, KEYS.into_iter());
                    return Err(format!("no key is called {:?}{hint}; its keys are `allow` and `deny`", other));
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

#[cfg(test)]
mod tests {
    use super::*;
    use meshpeek::Error;

    #[test]
    fn a_flag_counts_more_than_the_file_and_a_code_more_than_its_class() {
        // Where the code and its class are: nowhere, allowed or denied.
        let lists = [None, Some(true), Some(false)];
        for &code in Code::ALL {
            let names = [Rule(code.name()), Rule(code.class().name())];
            for flagged in 0..4 {
                for of_code in lists {
                    for of_class in lists {
                        if names[0] == names[1] && of_code != of_class {
                            continue;
                        }
                        let mut rules =
                            Rules { flags: Vec::new(), file: PathBuf::new(), allow: Vec::new(), deny: Vec::new() };
                        for (number, name) in names.iter().enumerate() {
                            if flagged >> number & 1 != 0 {
                                rules.flags.push(*name);
                            }
                        }
                        for (name, is_allowed) in names.into_iter().zip([of_code, of_class]) {
                            match is_allowed {
                                Some(true) => rules.allow.push(name),
                                Some(false) => rules.deny.push(name),
                                None => {}
                            }
                        }
                        let error = Error::malformed("why").coded(code);
                        let mut problem = Problem::error(&error);
                        assert!(rules.judge(&problem) == Verdict::Listed, "{code:?}");
                        problem.severity = Severity::Warning;
                        let expected = match (flagged, of_code.or(of_class)) {
                            (1.., _) => Verdict::AllowedByFlag,
                            (_, Some(true)) => Verdict::AllowedByFile,
                            (_, Some(false)) => Verdict::Denied,
                            (_, None) => Verdict::Listed,
                        };
                        let case = format!("{code:?} {flagged:b} {of_code:?} {of_class:?}");
                        assert!(rules.judge(&problem) == expected, "{case}");
                    }
                }
            }
        }
    }

    #[test]
    fn only_warnings_are_allowed_and_any_code_is_denied() {
        for name in Rule::names().chain(["", "nothing", "suspicious.", "suspicious.nothing", "Lint", " lint"]) {
            let is_known = Code::ALL.iter().any(|code| code.name() == name || code.class().name() == name);
            let is_warning = is_known && (name.starts_with("suspicious") || name.starts_with("lint"));
            assert_eq!(Rule::of(name).is_ok(), is_known, "{name}");
            assert_eq!(Rule::allowed(name).is_ok(), is_warning, "{name}");
            for (key, is_read) in [("allow", is_warning), ("deny", is_known), ("alow", false)] {
                let mut rules = Rules { flags: Vec::new(), file: PathBuf::new(), allow: Vec::new(), deny: Vec::new() };
                assert_eq!(rules.parse(&format!("{key} = [{name:?}]")).is_ok(), is_read, "{key} {name}");
                assert_eq!(
                    (rules.allow.len(), rules.deny.len()),
                    match (key, is_read) {
                        ("allow", true) => (1, 0),
                        ("deny", true) => (0, 1),
                        _ => (0, 0),
                    }
                );
                assert!(rules.parse(&format!("{key} = {name:?}")).is_err(), "{key} {name}");
            }
            let both = format!("allow = [{name:?}]\ndeny = [{name:?}]");
            let mut rules = Rules { flags: Vec::new(), file: PathBuf::new(), allow: Vec::new(), deny: Vec::new() };
            assert!(rules.parse(&both).is_err(), "{name}");
        }
    }

    #[test]
    fn a_file_of_rules_has_at_most_64_kib() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rules.toml");
        for (length, is_read) in [(0, true), (65_535, true), (65_536, true), (65_537, false), (100_000, false)] {
            fs::write(&path, " ".repeat(length)).unwrap();
            assert_eq!(Rules::read(Vec::new(), Some(&path)).is_ok(), is_read, "{length}");
        }
        fs::write(&path, b"# \xff").unwrap();
        assert!(Rules::read(Vec::new(), Some(&path)).is_err());
        assert!(Rules::read(Vec::new(), Some(folder.path())).is_err());
        assert!(Rules::read(Vec::new(), Some(&folder.path().join("none"))).is_err());
    }
}
