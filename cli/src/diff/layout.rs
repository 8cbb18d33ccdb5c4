//! Differences as lines of text.

use std::iter::zip;

use anstyle::{AnsiColor, Style};
use meshpeek::diff::{Change, Difference, Fact, Row, Rows};
use meshpeek::inspect::Value;
use serde_json::Value as Json;
use unicode_width::UnicodeWidthStr;

use super::name::name_of_file;
use crate::report::{escape, grouped};
use crate::value::Short;

/// Formats a value for a line of text.
fn word(fact: &Fact) -> String {
    let text = match fact {
        Fact::Texts(names) => in_brackets(names.iter().map(|name| Json::from(name.text.as_str()).to_string())),
        Fact::Value(Value::Float(value)) => Short(*value).to_string(),
        Fact::Value(Value::Floats(values)) => in_brackets(values.iter().map(|value| Short(*value).to_string())),
        Fact::Value(Value::Ints(values)) => in_brackets(values.iter().map(i64::to_string)),
        Fact::Value(Value::Absent) => "none".to_owned(),
        fact => serde_json::to_string(fact).unwrap_or_default(),
    };
    escape(&text).into_owned()
}

fn in_brackets(items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    format!("[{}]", items.join(", "))
}

/// The lines of a difference: one if it fits, else its subject and the details below it.
pub(super) fn layout(difference: &Difference, indent: &str, width: Option<usize>) -> Vec<String> {
    let Difference { change, place, to, label, .. } = difference;
    let color = match change {
        Change::Removed | Change::Unread => AnsiColor::Red,
        Change::Added => AnsiColor::Green,
        _ => AnsiColor::Yellow,
    };
    let style = Style::new().fg_color(Some(color.into()));
    let mut subject = if place.is_empty() { escape(&name_of_file(difference)).into_owned() } else { place.clone() };
    if let Some(label) = label
        && !label.text.is_empty()
    {
        subject += &format!(" ({})", escape(&label.text));
    }
    let mut details = Vec::new();
    if let Some(to) = to {
        details.push(format!("-> {}", escape(to)));
    }
    details.extend(said(difference));
    let start = format!("{indent}{style}{:<7}{style:#}  ", change.name());
    let margin = indent.len() + 9;
    let mut line = subject.clone();
    for detail in &details {
        line += "  ";
        line += detail;
    }
    let width = match width {
        Some(width) if margin + line.width() > width => width,
        _ => return vec![format!("{start}{line}")],
    };
    let mut lines = vec![format!("{start}{subject}")];
    for detail in details {
        lines.extend(wrapped(&detail, margin, width));
    }
    lines
}

/// Wraps a text to lines of this width, unless a word is longer. Breaks after commas if possible, else between words.
fn wrapped(text: &str, margin: usize, width: usize) -> Vec<String> {
    let mut pieces = Vec::new();
    for piece in text.split_inclusive(", ") {
        if fits(piece, margin, width) {
            pieces.push(piece);
        } else {
            pieces.extend(piece.split_inclusive(' '));
        }
    }
    let mut lines: Vec<String> = Vec::new();
    for piece in pieces {
        match lines.last_mut() {
            Some(line) if fits(&format!("{line}{piece}"), margin, width) => line.push_str(piece),
            _ => lines.push(piece.to_owned()),
        }
    }
    lines.iter().map(|line| format!("{:margin$}{}", "", line.trim_end())).collect()
}

fn fits(text: &str, margin: usize, width: usize) -> bool {
    margin + text.trim_end().width() <= width
}

fn said(difference: &Difference) -> Vec<String> {
    let mut said = Vec::new();
    if let Some([a, b]) = &difference.values {
        said.push(match difference.change {
            Change::Removed => word(a),
            Change::Added => word(b),
            Change::Unread => word(a),
            Change::Moved if word(a) == word(b) => word(a),
            Change::Changed if difference.place == "bytes" && word(a) == word(b) => format!("{} each", word(a)),
            _ => format!("{} -> {}", word(a), word(b)),
        });
    }
    if let Some(rows) = &difference.rows {
        add_rows(rows, &mut said);
    }
    said
}

fn add_rows(rows: &Rows, said: &mut Vec<String>) {
    let Rows { counts: [a, b], columns, differing, differing_columns, first, .. } = rows;
    if a != b {
        said.push(format!("{} -> {} rows", grouped(*a), grouped(*b)));
    }
    match (differing, first) {
        (Some(number), Some(row)) => {
            let number = grouped(*number);
            let of = grouped(*a.min(b));
            said.push(format!("{number} of {of} rows differ in {}", differing_columns.join(" ")));
            said.push(first_row(rows, row));
        }
        (Some(_), _) => said.push(format!("the first {} are the same", grouped(*a.min(b)))),
        (None, _) if columns[0] != columns[1] => {
            said.push(format!("columns {} -> {}", columns[0].join(" "), columns[1].join(" ")));
        }
        (None, _) if a == b => said.push(format!("{} rows", grouped(*a))),
        (None, _) => {}
    }
}

/// The cells that differ in the first row that does.
fn first_row(rows: &Rows, row: &Row) -> String {
    let Row { rows: [index, _], label, values: [one, two], .. } = row;
    let mut cells = Vec::new();
    for (column, (a, b)) in zip(&rows.columns[0], zip(one, two)) {
        if !rows.differing_columns.contains(column) {
            continue;
        }
        let a = word(a);
        let b = word(b);
        if a != b {
            cells.push(format!("{column} {a} -> {b}"));
        }
    }
    let mut row = format!("row {index}");
    if let Some(label) = label {
        row += &format!(" ({})", escape(label));
    }
    format!("{row}: {}", cells.join(", "))
}

#[cfg(test)]
mod tests {
    use super::super::difference_for_tests::{CHANGES, difference, name};
    use super::*;
    use meshpeek::summary::Name;

    #[test]
    fn each_change_says_its_values() {
        let facts = [
            (Fact::Value(Value::Absent), "none"),
            (Fact::Value(Value::Float(0.1)), "0.1"),
            (Fact::Text(Name::from(std::path::Path::new("a b"))), "\"a b\""),
            (
                Fact::Texts(vec![Name::from(std::path::Path::new("a")), Name::from(std::path::Path::new("b"))]),
                "[\"a\", \"b\"]",
            ),
            (Fact::Texts(Vec::new()), "[]"),
        ];
        for (a, word_a) in &facts {
            for (b, word_b) in &facts {
                for change in CHANGES {
                    for place in ["bytes", "lods/0"] {
                        let mut difference = difference(change, "", "", place);
                        difference.values = Some([a.clone(), b.clone()]);
                        let expected = match change.name() {
                            "removed" => (*word_a).to_owned(),
                            "added" => (*word_b).to_owned(),
                            "unread" => (*word_a).to_owned(),
                            "moved" if word_a == word_b => (*word_a).to_owned(),
                            "changed" if word_a == word_b && place == "bytes" => format!("{word_a} each"),
                            _ => format!("{word_a} -> {word_b}"),
                        };
                        assert_eq!(said(&difference), [expected], "{change:?} at {place}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_difference_takes_one_line_if_it_fits() {
        let text = |lines: Vec<String>| -> Vec<String> {
            lines.iter().map(|line| anstream::adapter::strip_str(line).to_string()).collect()
        };
        let mut difference = difference(Change::Changed, "", "", "lods/0/name");
        difference.label = name("abc");
        difference.values = Some([Fact::Value(Value::Absent), Fact::Text(Name::from(std::path::Path::new("x, y, z")))]);
        let whole = "changed  lods/0/name (abc)  none -> \"x, y, z\"";
        for indent in ["", "  "] {
            let whole = format!("{indent}{whole}");
            for width in 0..whole.len() + 3 {
                let lines = text(layout(&difference, indent, Some(width)));
                if width >= whole.len() {
                    assert_eq!(lines, [whole.as_str()], "{width}");
                    continue;
                }
                assert_eq!(lines[0], format!("{indent}changed  lods/0/name (abc)"), "{width}");
                let margin = " ".repeat(indent.len() + 9);
                let details: Vec<&str> = lines[1..].iter().map(|line| line.strip_prefix(&margin).unwrap()).collect();
                assert_eq!(details.join(" "), "none -> \"x, y, z\"", "{width}");
                for (number, line) in lines[1..].iter().enumerate() {
                    assert!(line.len() <= width || !line.trim_start().contains(' '), "{width}: {line:?}");
                    // Another piece would not fit.
                    if let Some(next) = details.get(number + 1) {
                        let piece = next.split_inclusive(", ").next().unwrap().trim_end();
                        assert!(line.len() + 1 + piece.len() > width, "{width}: {line:?}");
                    }
                }
            }
            assert_eq!(text(layout(&difference, indent, None)), [whole.as_str()]);
        }
    }
}
