//! Describes a binary config in words.

use std::io::{Result, Write};

use meshpeek::rap::{Class, Config, Entry};

use super::{FAINT, heading, in_line, list, mentioned, nonzero};

pub(super) fn write(config: &Config<'_>, out: &mut impl Write) -> Result<()> {
    heading(out, "Classes")?;
    list(out, config.classes(), |out, step| match step {
        Ok(step) => {
            let class = step.class;
            let name = if step.depth == 0 { "root".to_owned() } else { mentioned(class.name) };
            let parent = if class.parent.is_empty() { String::new() } else { format!(": {}", mentioned(class.parent)) };
            let indent = step.depth * 2;
            let contents = contents(&class);
            let contents = if contents.is_empty() { String::new() } else { format!("  {FAINT}{contents}{FAINT:#}") };
            writeln!(out, "  {:indent$}{name}{parent}{contents}", "")
        }
        Err(error) => writeln!(out, "  {}", error.message()),
    })
}

/// The counts of entries that are not 0.
fn contents(class: &Class<'_>) -> String {
    let count = |is: fn(&Entry<'_>) -> bool| class.entries().filter(is).count();
    in_line(nonzero([
        (count(|entry| matches!(entry, Entry::Class(_))), "classes"),
        (count(|entry| matches!(entry, Entry::Value(_))), "values"),
        (count(|entry| matches!(entry, Entry::Array(_))), "arrays"),
        (count(|entry| matches!(entry, Entry::Append(_))), "appended arrays"),
        (count(|entry| matches!(entry, Entry::Extern(_))), "external classes"),
        (count(|entry| matches!(entry, Entry::Delete(_))), "deleted classes"),
    ]))
}
