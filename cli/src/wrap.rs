//! Long lines, wrapped between words.
//!
//! Text for [`Output::text`](crate::output::Output::text) may contain three marks, which are never printed. They are
//! noncharacters of Unicode, so they do not occur in text.

use std::borrow::Cow;

use meshpeek::address::MemberPath;
use textwrap::core::{Word, display_width};
use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};

/// A non-breaking space.
const HELD: char = '\u{fdd0}';
/// A possible line break without a space.
const BREAK: char = '\u{fdd1}';
/// The column, minus two, at which the lines after the first start. Otherwise they start four columns after the first
/// word.
pub(crate) const HANG: char = '\u{fdd2}';

/// The first byte of each mark in UTF-8. Few letters start with it.
const FIRST_OF_MARK: u8 = 0xef;

/// The width if neither a terminal nor COLUMNS sets one.
const USUAL_WIDTH: usize = 100;
/// The minimum width.
const LEAST_WIDTH: usize = 40;

/// The width to use: that of the terminal, that of COLUMNS, or the default.
pub(crate) fn width(terminal: bool) -> usize {
    let mut width = None;
    if terminal {
        width = width_of_terminal();
    }
    if width.is_none() {
        width = width_of_variable();
    }
    width.unwrap_or(USUAL_WIDTH).max(LEAST_WIDTH)
}

fn width_of_terminal() -> Option<usize> {
    let (width, _) = terminal_size::terminal_size_of(std::io::stdout())?;
    // Some terminals do not know their width.
    if width.0 == 0 { None } else { Some(width.0.into()) }
}

fn width_of_variable() -> Option<usize> {
    std::env::var("COLUMNS").ok()?.parse().ok()
}

/// A name that line breaks do not split, so that it can be copied.
pub(crate) fn held(name: &str) -> String {
    name.replace(' ', "\u{fdd0}")
}

/// The address of a member. A line may break after its archive, but nowhere else.
pub(crate) fn held_address(archive: &str, member: &str) -> String {
    MemberPath::join_text(&held(archive), Some(&format!("{BREAK}{}", held(member))))
}

/// The line without marks, wrapped if it is wider than this.
pub(crate) fn wrapped(line: &str, width: Option<usize>) -> Cow<'_, str> {
    let width = match width {
        // No character is wider than its bytes are many.
        Some(width) if line.len() > width && display_width(line) > width => width,
        _ => return without_marks(line),
    };
    let mut rest = line.trim_start_matches(' ');
    let mut first = line.strip_suffix(rest).unwrap_or_default();
    let mut hang = first.len().saturating_add(4);
    if let Some((before, after)) = line.split_once(HANG) {
        first = before;
        rest = after;
        hang = display_width(first).saturating_add(2);
    }
    // Less if a word after the first needs the room.
    let widest = words(rest).skip(1).map(|word| display_width(&word)).max().unwrap_or(0);
    let hang = " ".repeat(hang.min(width / 2).min(width.saturating_sub(widest)));
    let options = Options::new(width)
        .initial_indent(first)
        .subsequent_indent(&hang)
        .break_words(false)
        .word_separator(WordSeparator::Custom(words))
        .word_splitter(WordSplitter::NoHyphenation)
        .wrap_algorithm(WrapAlgorithm::FirstFit);
    Cow::Owned(without_marks(&textwrap::wrap(rest, options).join("\n")).into_owned())
}

fn words(line: &str) -> Box<dyn Iterator<Item = Word<'_>> + '_> {
    Box::new(Words { rest: line })
}

/// Words with the spaces after them.
struct Words<'l> {
    rest: &'l str,
}

impl<'l> Iterator for Words<'l> {
    type Item = Word<'l>;

    fn next(&mut self) -> Option<Word<'l>> {
        let mut chars = self.rest.char_indices().peekable();
        let mut end = self.rest.len();
        while let Some((_, c)) = chars.next() {
            let Some(&(place, after)) = chars.peek() else { break };
            let is_last_space = c == ' ' && after != ' ';
            if c == BREAK || is_last_space {
                end = place;
                break;
            }
        }
        let (word, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest;
        if word.is_empty() { None } else { Some(Word::from(word)) }
    }
}

fn without_marks(line: &str) -> Cow<'_, str> {
    if memchr::memchr(FIRST_OF_MARK, line.as_bytes()).is_none() {
        return Cow::Borrowed(line);
    }
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = memchr::memchr(FIRST_OF_MARK, rest.as_bytes()) {
        let (before, after) = rest.split_at(at);
        text.push_str(before);
        let mut letters = after.chars();
        match letters.next() {
            Some(HANG | BREAK) | None => {}
            Some(HELD) => text.push(' '),
            // Some other letter that starts with this byte.
            Some(letter) => text.push(letter),
        }
        rest = letters.as_str();
    }
    text.push_str(rest);
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words_and_nowhere_else() {
        let wrapped = |line: &str| wrapped(line, Some(20)).into_owned();
        assert_eq!(wrapped("  as wide as there is"), "  as wide as there\n      is");
        assert_eq!(wrapped("just as wide as this"), "just as wide as this");
        let name = held("a name of four words");
        assert_eq!(wrapped(&format!("  texture {name}, two")), "  texture\na name of four words,\ntwo");
        assert_eq!(wrapped(&format!("0x10  {HANG}field value value")), "0x10  field value\n        value");
        let address = held_address("a folder/archive.pbo", "data\\a model.p3d");
        assert_eq!(wrapped(&address), "a folder/archive.pbo!/\n    data\\a model.p3d");
        assert_eq!(wrapped("      averylongwordthatfitsnowhere"), "      averylongwordthatfitsnowhere");
        assert_eq!(wrapped(&format!("0x10 {HANG}field {name}")), "0x10 field\na name of four words");
        // Colors take no width.
        let bold = "\x1b[1mjust\x1b[0m as wide as this";
        assert_eq!(wrapped(bold), bold);
    }

    #[test]
    fn marks_are_gone_where_nothing_is_wrapped_too() {
        let line = format!("{HANG}{}", held_address("a b", "c d"));
        assert_eq!(wrapped(&line, None), "a b!/c d");
        assert_eq!(wrapped(&line, Some(80)), "a b!/c d");
    }
}
