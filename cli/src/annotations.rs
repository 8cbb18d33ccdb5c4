//! Findings where authors look: SARIF, which code scanning reads, and annotations of GitHub's workflows.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{Result, Write};
use std::path::Path;

use meshpeek::summary::{Code, Name, Severity};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use crate::explain::Explanation;
use crate::failure::Failure;
use crate::forms::RowSink;
use crate::output::Output;

/// The service that shows annotations.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Service {
    Sarif,
    Github,
}

/// Something that an author of files wants to know.
pub(crate) struct Finding<'a> {
    /// The code of the problem, or `refs.missing` and the like.
    pub(crate) rule: &'a str,
    pub(crate) severity: Severity,
    pub(crate) path: &'a Path,
    pub(crate) member: Option<&'a str>,
    pub(crate) place: Place,
    pub(crate) message: Cow<'a, str>,
}

/// Where in the file or member it is.
#[derive(Clone, Copy)]
pub(crate) enum Place {
    Whole,
    Offset(u64),
    Line(u32, u32),
}

impl Finding<'_> {
    /// Returns a line for this service.
    pub(crate) fn line(&self, service: Service) -> Result<Vec<u8>> {
        match service {
            Service::Github => Ok(self.github().into_bytes()),
            Service::Sarif => {
                let mut line = serde_json::to_vec(&self.sarif())?;
                line.push(b'\n');
                Ok(line)
            }
        }
    }

    /// The message, with the member and the offset. Viewers of code scanning show nothing else of a member, and names may
    /// be long, so they stand here alone.
    fn full_message(&self) -> String {
        let mut message = String::new();
        if let Some(member) = self.member {
            let _ = write!(message, "{member}: ");
        }
        if let Place::Offset(offset) = self.place {
            let _ = write!(message, "at {offset:#x}: ");
        }
        message + &self.message
    }

    /// `::error file=a.p3d,title=damaged.range::at 0x10: ...`
    fn github(&self) -> String {
        let level = self.severity.name();
        let file = property(&file_name(self.path));
        let mut lines = String::new();
        if let (Place::Line(line, column), None) = (self.place, self.member) {
            let _ = write!(lines, ",line={line},col={column}");
        }
        let title = property(self.rule);
        let message = data(&self.full_message());
        format!("::{level} file={file}{lines},title={title}::{message}\n")
    }

    fn sarif(&self) -> Value {
        let mut physical = json!({ "artifactLocation": { "uri": uri(self.path) } });
        // A region is one of the file, not of a member.
        let region = match self.place {
            _ if self.member.is_some() => None,
            Place::Whole => None,
            Place::Offset(offset) => Some(json!({ "byteOffset": offset, "byteLength": 0 })),
            Place::Line(line, column) => Some(json!({ "startLine": line, "startColumn": column })),
        };
        if let (Some(region), Some(physical)) = (region, physical.as_object_mut()) {
            physical.insert("region".to_owned(), region);
        }
        json!({
            "ruleId": self.rule,
            "level": self.severity.name(),
            "message": { "text": self.full_message() },
            "locations": [{ "physicalLocation": physical }],
        })
    }
}

/// Writes findings for this service.
pub(crate) struct Annotations {
    out: Output,
    pub(crate) service: Service,
    findings: u64,
}

impl Annotations {
    pub(crate) fn new(mut out: Output, service: Service) -> std::result::Result<Self, Failure> {
        if service == Service::Sarif {
            out.write_all(&head()?)?;
        }
        Ok(Self { out, service, findings: 0 })
    }

    /// Writes the end, with the counts in words: they say what was not checked. `is_whole` is false if something could
    /// not be read.
    pub(crate) fn finish(mut self, is_whole: bool, counts: &str) -> Result<()> {
        match self.service {
            Service::Github => writeln!(self.out, "::notice title=meshpeek::{}", data(counts))?,
            Service::Sarif => {
                let notes = json!([{ "level": "note", "message": { "text": counts } }]);
                let end = json!([{ "executionSuccessful": is_whole, "toolExecutionNotifications": notes }]);
                writeln!(self.out, "],\"invocations\":{end}}}]}}")?;
            }
        }
        self.out.flush()
    }
}

impl RowSink for Annotations {
    /// Writes lines of findings.
    fn put(&mut self, lines: &[u8]) -> Result<()> {
        for line in lines.split_inclusive(|&byte| byte == b'\n') {
            if self.service == Service::Sarif && self.findings > 0 {
                self.out.write_all(b",")?;
            }
            self.out.write_all(line)?;
            self.findings += 1;
        }
        Ok(())
    }
}

/// The start of a SARIF document, up to its results.
fn head() -> Result<Vec<u8>> {
    let mut rules = Vec::new();
    for &code in Code::ALL {
        let explanation = Explanation::of(code);
        rules.push(json!({
            "id": code.name(),
            "shortDescription": { "text": explanation.means },
            "help": { "text": explanation.repair },
        }));
    }
    let stale = "A model was made before its material got this texture.";
    let of_refs = [
        ("refs.stale", stale, "Binarise the model again."),
        ("refs.missing", "A file that an asset names does not exist.", "Add the file, or correct the name."),
        ("refs.unread", "References of a file could not all be read.", "See what `meshpeek verify` says of the file."),
    ];
    let unreadable = ("unreadable", "A path could not be read.", "See the message of the system.");
    for (id, means, repair) in of_refs.into_iter().chain([unreadable]) {
        rules.push(json!({ "id": id, "shortDescription": { "text": means }, "help": { "text": repair } }));
    }
    let driver = json!({
        "name": "meshpeek",
        "version": env!("CARGO_PKG_VERSION"),
        "informationUri": env!("CARGO_PKG_REPOSITORY"),
        "rules": rules,
    });
    let start = "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":";
    let mut head = start.as_bytes().to_vec();
    serde_json::to_writer(&mut head, &driver)?;
    head.extend_from_slice(b"},\"results\":[\n");
    Ok(head)
}

/// The path with slashes.
fn file_name(path: &Path) -> String {
    Name::from(path).text.replace(std::path::MAIN_SEPARATOR, "/")
}

/// The characters of a URI's path that are escaped: all but letters, digits and these.
const PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~');

fn uri(path: &Path) -> String {
    let name = file_name(path);
    let encoded = utf8_percent_encode(name.trim_start_matches("./"), PATH);
    match (path.is_absolute(), name.starts_with('/')) {
        (true, true) => format!("file://{encoded}"),
        (true, false) => format!("file:///{encoded}"),
        (false, _) => encoded.to_string(),
    }
}

/// Escapes the message of a workflow command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a property of a workflow command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
