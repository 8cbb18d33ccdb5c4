//! Describes a binary config in words.

use std::io::{Result, Write};

use meshpeek::rap::{Class, Config, Entry, Step};

use super::list::{FAINT, heading, list};
use super::text::{in_line, mentioned, nonzero};
use crate::failure::message_of;

pub(super) fn write(config: &Config<'_>, out: &mut impl Write) -> Result<()> {
    heading(out, "Classes")?;
    list(out, config.classes(), class)
}

fn class(out: &mut impl Write, step: meshpeek::Result<Step<'_>>) -> Result<()> {
    let Step { class, depth, .. } = match step {
        Ok(step) => step,
        Err(error) => return writeln!(out, "  {}", message_of(&error)),
    };
    let name = if depth == 0 { "root".to_owned() } else { mentioned(class.name) };
    let parent = if class.parent.is_empty() { String::new() } else { format!(": {}", mentioned(class.parent)) };
    let contents = contents(&class);
    let contents = if contents.is_empty() { String::new() } else { format!("  {FAINT}{contents}{FAINT:#}") };
    writeln!(out, "  {:1$}{name}{parent}{contents}", "", depth * 2)
}

/// How many entries of each kind it has, without the kinds that it lacks.
fn contents(class: &Class<'_>) -> String {
    let mut classes = 0;
    let mut values = 0;
    let mut arrays = 0;
    let mut appended = 0;
    let mut external = 0;
    let mut deleted = 0;
    for entry in class.entries() {
        match entry {
            Entry::Class(_) => classes += 1,
            Entry::Value(_) => values += 1,
            Entry::Array(_) => arrays += 1,
            Entry::Append(_) => appended += 1,
            Entry::Extern(_) => external += 1,
            Entry::Delete(_) => deleted += 1,
            _ => {}
        }
    }
    in_line(&nonzero(&[
        (classes, "classes"),
        (values, "values"),
        (arrays, "arrays"),
        (appended, "appended arrays"),
        (external, "external classes"),
        (deleted, "deleted classes"),
    ]))
}
