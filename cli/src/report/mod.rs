//! Describes the content of a file in words.

mod archive;
mod b3d;
mod bisign;
mod bmx;
mod items;
pub(crate) mod list;
mod lodka;
mod lods;
mod mlod;
mod odol;
mod paa;
mod rap;
mod rtm;
mod texheaders;
mod text;

use std::io::{Result, Write};

use anstyle::{AnsiColor, Style};
use meshpeek::Asset;
use meshpeek::container::Container;
use meshpeek::format::NoAsset;
use meshpeek::scan::Record;
use meshpeek::summary::{Problem, Reference, ReferenceKind, Severity};

pub(crate) use self::list::HEADING;
use self::list::section;
pub(crate) use self::text::{address, count, escape, grouped};
use self::text::{in_line, numbers, shown};
use crate::limits::with_flag;

/// Shown if the format is unknown.
const NO_FORMAT: &str = "no known format";

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
        Asset::Bisign(file) => bisign::write(file, out),
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
