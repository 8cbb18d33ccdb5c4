//! Describes the content of a file in words.

mod archive;
mod b3d;
mod bmx;
mod lodka;
mod lods;
mod mlod;
mod odol;
mod paa;
mod rap;
mod rtm;
mod texheaders;

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{Result, Write};

use anstyle::{AnsiColor, Style};
use meshpeek::Asset;
use meshpeek::address::{join_text, split_last};
use meshpeek::container::Container;
use meshpeek::format::NoAsset;
use meshpeek::inspect::Text;
use meshpeek::scan::Record;
use meshpeek::summary::{Problem, Reference, ReferenceKind, Severity};
use meshpeek::view::ByteStr;

use crate::limits::with_flag;
use crate::value::Short;
use crate::wrap::{held, held_address};

pub(crate) const HEADING: Style = Style::new().bold();
pub(crate) const FAINT: Style = Style::new().dimmed();

/// Shown if the format is unknown.
const NO_FORMAT: &str = "no known format";

/// Longer lists are truncated and marked; `--json` has everything.
const LONGEST_LIST: usize = 400;

/// The most names in one line.
const LONGEST_LINE: usize = 40;

/// The most bytes of a name to show; the second limit is for a name that many lines share.
const LONGEST_NAME: usize = 4_000;
const LONGEST_MENTION: usize = 200;

/// Writes the format, size and content.
pub(crate) fn header(record: &Record, out: &mut impl Write) -> Result<()> {
    let summary = &record.summary;
    writeln!(out, "{HEADING}{}{HEADING:#}", place(record))?;
    let format = match summary.format {
        Some(format) => format.title(),
        None if is_config(record) => "Arma config as text",
        None => NO_FORMAT,
    };
    write!(out, "  {format}")?;
    if let Some(version) = summary.version {
        write!(out, ", version {version}")?;
    }
    writeln!(out, ", {}", count(summary.bytes, "bytes"))?;
    let contents = contents(record);
    if !contents.is_empty() {
        writeln!(out, "  {contents}")?;
    }
    if let Some(bounds) = summary.bounds {
        writeln!(out, "  from {} to {}", numbers(&bounds.min), numbers(&bounds.max))?;
    }
    let blocks = summary.blocks;
    if blocks.packed > 0 {
        let packed = grouped(blocks.packed_bytes);
        let unpacked = grouped(blocks.unpacked_bytes);
        writeln!(out, "  {} compressed: {packed} bytes for {unpacked}", count(blocks.packed, "blocks"))?;
    }
    Ok(())
}

/// Writes the files that an asset asks for.
pub(crate) fn references(record: &Record, out: &mut impl Write) -> Result<()> {
    let summary = &record.summary;
    for (kind, title) in [
        (ReferenceKind::Texture, "textures"),
        (ReferenceKind::Material, "materials"),
        (ReferenceKind::Surface, "surfaces"),
        (ReferenceKind::Proxy, "proxies"),
        (ReferenceKind::Model, "models"),
        (ReferenceKind::File, "other files"),
        (ReferenceKind::Include, "included texts"),
    ] {
        let names = summary.references.iter().filter(|reference| reference.kind == kind);
        section(out, &format!("Needs {title}"), names, reference)?;
    }
    Ok(())
}

fn reference(out: &mut impl Write, reference: &Reference) -> Result<()> {
    writeln!(out, "  {}", shown(reference.name.text.as_str()))
}

/// Returns true for a config as text, whose names of files were read.
pub(crate) fn is_config(record: &Record) -> bool {
    record.summary.problems.iter().any(|problem| problem.message == NoAsset::Config.message())
}

/// Writes what matters most of a model: its levels of detail.
pub(crate) fn first(asset: &Asset<'_>, out: &mut impl Write) -> Result<()> {
    match asset {
        Asset::Mlod(model) => mlod::table(model, out),
        Asset::Odol(model) => odol::table(model, out),
        _ => Ok(()),
    }
}

/// Writes the content of the format beyond the record; long lists only if they are asked for.
pub(crate) fn body(asset: &Asset<'_>, is_long: bool, out: &mut impl Write) -> Result<()> {
    match asset {
        Asset::B3d(scene) => b3d::write(scene, out),
        Asset::Bmx(map) => bmx::write(map, out),
        Asset::Lodka(model) => lodka::write(model, out),
        Asset::Mlod(model) => mlod::write(model, is_long, out),
        Asset::Odol(model) => odol::write(model, is_long, out),
        Asset::Paa(texture) => paa::write(texture, out),
        Asset::Pbo(archive) => archive::pbo(archive, out),
        Asset::Rap(config) => rap::write(config, out),
        Asset::Rtm(motion) => rtm::write(motion, out),
        Asset::TexHeaders(index) => texheaders::write(index, out),
        Asset::Zip(archive) => archive::members(&Container::Zip(*archive), out),
        _ => Ok(()),
    }
}

pub(crate) fn problems(record: &Record, out: &mut impl Write) -> Result<()> {
    section(out, "Problems", &record.summary.problems, |out, problem| writeln!(out, "  {}", self::problem(problem)))
}

/// Severity, offset and message, as in `error at 0x10: the count is wrong`.
pub(crate) fn problem(problem: &Problem) -> String {
    let word = problem.severity;
    let style = style(problem.severity);
    let text = with_flag(&problem.message, problem.code);
    let message = escape(&text);
    match problem.offset {
        Some(offset) => format!("{style}{word}{style:#} at {offset:#x}: {message}"),
        None => format!("{style}{word}{style:#}: {message}"),
    }
}

/// The counts that are not 0, as in `1 mesh, 168 vertices`.
pub(crate) fn contents(record: &Record) -> String {
    let mut counts = Vec::new();
    for (name, number) in record.summary.counts.iter() {
        if let Some(number) = number
            && number > 0
        {
            counts.push(count(number, name));
        }
    }
    in_line(&counts)
}

/// The style of the word for a severity.
pub(crate) fn style(severity: Severity) -> Style {
    let color = match severity {
        Severity::Error => AnsiColor::Red,
        Severity::Warning => AnsiColor::Yellow,
    };
    Style::new().bold().fg_color(Some(color.into()))
}

/// File and member, as in `mod.pbo!/tree.p3d`.
pub(crate) fn place(record: &Record) -> String {
    address(&record.path_name().text, record.member.as_ref().map(|member| member.text.as_str()))
}

/// The address of a file or member, safe to show on a terminal. A line break does not split it.
pub(crate) fn address(path: &str, member: Option<&str>) -> String {
    let joined = join_text(path, member);
    let whole = escape(&joined);
    match split_last(&whole) {
        (Some(archive), member) => held_address(archive, member),
        (None, _) => held(&whole),
    }
}

/// A text from a file, safe to show on a terminal.
pub(crate) fn escape(text: &str) -> Cow<'_, str> {
    // Most texts have nothing to escape.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~') && byte != b'\\') {
        return Cow::Borrowed(text);
    }
    Cow::Owned(ByteStr::from(text).to_string())
}

/// A name from a file, safe to show on a terminal. A very long one is truncated.
fn shown<'t>(name: impl Into<Text<'t>>) -> String {
    let name = name.into();
    let bytes = name.stored_byte_len();
    if bytes <= LONGEST_NAME {
        return held(&name.to_string());
    }
    let beginning = held(&name.cut(LONGEST_NAME).to_string());
    format!("{beginning}... ({} in all)", count(bytes as u64, "bytes"))
}

/// A name in a list; an empty one is marked.
fn or_unnamed<'t>(name: impl Into<Text<'t>>) -> String {
    let name = name.into();
    if name.is_empty() { "(no name)".to_owned() } else { shown(name) }
}

/// A name that many lines mention, truncated earlier.
fn mentioned<'t>(name: impl Into<Text<'t>>) -> String {
    let name = name.into();
    let dots = if name.stored_byte_len() > LONGEST_MENTION { "..." } else { "" };
    held(&format!("{}{dots}", name.cut(LONGEST_MENTION)))
}

/// What a line refers to: the name of it, or its index if there is none of that index.
fn link<'t>(what: &str, index: impl Display, name: Option<impl Into<Text<'t>>>) -> String {
    match name {
        Some(name) => format!("{what} {}", mentioned(name)),
        None => format!("{what} {index}, which is missing"),
    }
}

/// Numbers with their nouns. A line break does not split them.
fn in_line(counts: &[String]) -> String {
    let counts: Vec<String> = counts.iter().map(|count| held(count)).collect();
    counts.join(", ")
}

/// The first of some words in one line, and the number of further ones.
fn joined(words: impl IntoIterator<Item = String>) -> String {
    let mut words = words.into_iter();
    let mut first: Vec<String> = words.by_ref().take(LONGEST_LINE).collect();
    let hidden = words.count();
    if hidden > 0 {
        first.push(format!("... and {} more", grouped(hidden as u64)));
    }
    first.join(", ")
}

/// The ends of plural nouns and of their singulars.
const SINGULARS: [(&str, &str); 5] = [("ies", "y"), ("tices", "tex"), ("shes", "sh"), ("sses", "ss"), ("s", "")];

/// A number with a plural noun, which becomes singular if needed: `1 mesh` of `meshes`.
pub(crate) fn count(number: u64, nouns: &str) -> String {
    let noun = if number == 1 { singular(nouns) } else { nouns.to_owned() };
    format!("{} {}", grouped(number), noun.replace('_', " "))
}

fn singular(nouns: &str) -> String {
    for (many, one) in SINGULARS {
        if let Some(stem) = nouns.strip_suffix(many) {
            return format!("{stem}{one}");
        }
    }
    nouns.to_owned()
}

/// The numbers that are not 0, with their nouns.
fn nonzero(counts: &[(usize, &str)]) -> Vec<String> {
    let mut nonzero = Vec::new();
    for &(number, nouns) in counts {
        if number > 0 {
            nonzero.push(count(number as u64, nouns));
        }
    }
    nonzero
}

/// Digits in groups of three: `1,234,567`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

fn heading(out: &mut impl Write, text: &str) -> Result<()> {
    writeln!(out, "\n{HEADING}{text}{HEADING:#}")
}

/// Writes a heading and the items below it. Writes nothing if there are none.
fn section<W: Write, T>(
    out: &mut W,
    title: &str,
    items: impl IntoIterator<Item = T>,
    line: impl FnMut(&mut W, T) -> Result<()>,
) -> Result<()> {
    let mut items = items.into_iter().peekable();
    if items.peek().is_none() {
        return Ok(());
    }
    heading(out, title)?;
    list(out, items, line)
}

/// Writes the items, up to a readable number.
fn list<W: Write, T>(
    out: &mut W,
    mut items: impl Iterator<Item = T>,
    mut line: impl FnMut(&mut W, T) -> Result<()>,
) -> Result<()> {
    for item in items.by_ref().take(LONGEST_LIST) {
        line(out, item)?;
    }
    more(out, items.count())
}

/// Writes how much of a list is not shown.
fn more(out: &mut impl Write, hidden: usize) -> Result<()> {
    if hidden == 0 {
        return Ok(());
    }
    writeln!(out, "  {FAINT}... and {} more; --json has all{FAINT:#}", grouped(hidden as u64))
}

/// A few numbers: `1 2.5 -3`.
fn numbers(values: &[f32]) -> String {
    let values: Vec<String> = values.iter().map(|&value| Short(value).to_string()).collect();
    values.join(" ")
}
