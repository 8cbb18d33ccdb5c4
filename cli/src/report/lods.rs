//! The LODs of an Arma model as a table.

use std::io::{Result, Write};
use std::iter::zip;

use meshpeek::view::ByteStr;

use super::list::{FAINT, LONGEST_LIST, heading, more};
use super::text::{grouped, numbers, or_unnamed};
use crate::wrap::held;

/// A LOD: its facts, or why they cannot be read.
pub(super) struct Row {
    pub(super) name: String,
    /// Triangles, vertices, sections and bytes, where they are known.
    pub(super) facts: std::result::Result<[Option<u64>; 4], String>,
}

/// The LOD whose selections are points that configs and scripts name.
pub(super) const MEMORY: &str = "Memory";
/// The most points of a selection to show.
const MOST_POINTS: usize = 4;
/// Selections of more vertices are counted, and not read.
pub(super) const MOST_VERTICES: u64 = 64;

/// The coordinates of a named selection, as stored.
pub(super) fn point(out: &mut impl Write, name: ByteStr<'_>, points: &[[f32; 3]]) -> Result<()> {
    let shown: Vec<String> = points.iter().take(MOST_POINTS).map(|point| held(&numbers(point))).collect();
    let rest = points.len().saturating_sub(MOST_POINTS);
    let more = if rest > 0 { format!(", ... and {rest} more") } else { String::new() };
    writeln!(out, "  {}  {FAINT}{}{more}{FAINT:#}", or_unnamed(name), shown.join(", "))
}

const TITLES: [&str; 4] = ["triangles", "vertices", "sections", "bytes"];

pub(super) fn table(mut rows: impl Iterator<Item = Row>, out: &mut impl Write) -> Result<()> {
    let shown: Vec<Row> = rows.by_ref().take(LONGEST_LIST).collect();
    heading(out, "LODs")?;
    let mut widths = TITLES.map(str::len);
    for row in &shown {
        let Ok(facts) = &row.facts else { continue };
        for (width, fact) in zip(&mut widths, facts) {
            *width = number(*fact).len().max(*width);
        }
    }
    let index = shown.len().saturating_sub(1).to_string().len();
    let name = shown.iter().map(|row| row.name.chars().count()).max().unwrap_or(0);
    let mut titles = String::new();
    for (title, width) in zip(TITLES, widths) {
        titles += &format!("  {title:>width$}");
    }
    writeln!(out, "  {FAINT}{:index$}  {:name$}{titles}{FAINT:#}", "", "")?;
    for (place, row) in shown.iter().enumerate() {
        write!(out, "  {place:>index$}  {:name$}", or_unnamed(row.name.as_str()))?;
        match &row.facts {
            Ok(facts) => {
                for (fact, width) in zip(facts, widths) {
                    write!(out, "  {:>width$}", number(*fact))?;
                }
                writeln!(out)?;
            }
            Err(message) => writeln!(out, "  {message}")?,
        }
    }
    more(out, rows.count())
}

fn number(fact: Option<u64>) -> String {
    match fact {
        Some(number) => grouped(number),
        None => "-".to_owned(),
    }
}
