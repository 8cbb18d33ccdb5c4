//! Texts and numbers of a report, safe to show on a terminal.

use std::borrow::Cow;
use std::fmt::Display;

use meshpeek::address::MemberPath;
use meshpeek::inspect::Text;
use meshpeek::view::ByteStr;

use crate::value::Short;
use crate::wrap::{held, held_address};

/// The most names in one line.
pub(super) const LONGEST_LINE: usize = 40;

/// The most bytes of a name to show; the second limit is for a name that many lines share.
const LONGEST_NAME: usize = 4_000;
const LONGEST_MENTION: usize = 200;

/// The address of a file or member, safe to show on a terminal. A line break does not split it.
pub(crate) fn address(path: &str, member: Option<&str>) -> String {
    let joined = MemberPath::join_text(path, member);
    let whole = escape(&joined);
    match MemberPath::new(&whole).split_last() {
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
pub(super) fn shown<'t>(name: impl Into<Text<'t>>) -> String {
    let name = name.into();
    let bytes = name.stored_byte_len();
    if bytes <= LONGEST_NAME {
        return held(&name.to_string());
    }
    let beginning = held(&name.cut(LONGEST_NAME).to_string());
    format!("{beginning}... ({} in all)", count(bytes as u64, "bytes"))
}

/// A name in a list; an empty one is marked.
pub(super) fn or_unnamed<'t>(name: impl Into<Text<'t>>) -> String {
    let name = name.into();
    if name.is_empty() { "(no name)".to_owned() } else { shown(name) }
}

/// A name that many lines mention, truncated earlier.
pub(super) fn mentioned<'t>(name: impl Into<Text<'t>>) -> String {
    let name = name.into();
    let dots = if name.stored_byte_len() > LONGEST_MENTION { "..." } else { "" };
    held(&format!("{}{dots}", name.cut(LONGEST_MENTION)))
}

/// The name of the item that a line refers to, as [`mentioned`] writes it, or the index if no item has it.
pub(super) fn link(what: &str, index: impl Display, name: Option<&str>) -> String {
    match name {
        Some(name) => format!("{what} {name}"),
        None => format!("{what} {index}, which is missing"),
    }
}

/// Numbers with their nouns. A line break does not split them.
pub(super) fn in_line(counts: &[String]) -> String {
    let counts: Vec<String> = counts.iter().map(|count| held(count)).collect();
    counts.join(", ")
}

/// The first of some words in one line, and the number of further ones, of which `hidden` are not among the words.
pub(super) fn joined(words: impl IntoIterator<Item = String>, hidden: u64) -> String {
    let mut words = words.into_iter();
    let mut first: Vec<String> = words.by_ref().take(LONGEST_LINE).collect();
    let hidden = hidden + words.count() as u64;
    if hidden > 0 {
        first.push(format!("... and {} more", grouped(hidden)));
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
pub(super) fn nonzero(counts: &[(usize, &str)]) -> Vec<String> {
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

/// A few numbers: `1 2.5 -3`.
pub(super) fn numbers(values: &[f32]) -> String {
    let values: Vec<String> = values.iter().map(|&value| Short(value).to_string()).collect();
    values.join(" ")
}
