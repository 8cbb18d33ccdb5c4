//! The sections of the program's `info -v`, as lines.

use meshpeek::{Asset, Error};
use serde::Serialize;

use crate::{Result, report};

/// The most lines of all sections. The report has a few hundred for each list.
const MOST_LINES: usize = 100_000;

#[derive(Serialize)]
pub(crate) struct Section {
    title: String,
    lines: Vec<String>,
}

pub(crate) fn of(asset: &Asset<'_>) -> Result<Vec<Section>> {
    let mut text = Vec::new();
    report::first(asset, &mut text).map_err(Error::from)?;
    report::body(asset, true, &mut text).map_err(Error::from)?;
    Ok(split(&String::from_utf8_lossy(&text), MOST_LINES))
}

/// Splits a report at its headings. The last line says how many lines after the first `most` are not there.
fn split(text: &str, most: usize) -> Vec<Section> {
    let heading = report::HEADING.to_string();
    let mut sections: Vec<Section> = Vec::new();
    let mut lines = text.lines();
    for line in lines.by_ref().take(most) {
        if line.is_empty() {
            continue;
        }
        if line.starts_with(&heading) {
            sections.push(Section { title: without_styles(line), lines: Vec::new() });
        } else if let Some(section) = sections.last_mut() {
            section.lines.push(without_styles(line));
        }
    }
    let left_out = lines.filter(|line| !line.is_empty()).count();
    if left_out > 0
        && let Some(section) = sections.last_mut()
    {
        // The words with which the report itself cuts a list.
        let left_out = report::grouped(left_out as u64);
        section.lines.push(format!("  ... and {left_out} more; --json has all"));
    }
    sections
}

/// The line without the escapes of its styles. Texts from files have no such escapes.
fn without_styles(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        text.push_str(before);
        rest = match after.split_once('m') {
            Some((_, after)) => after,
            None => "",
        };
    }
    text.push_str(rest);
    text
}
