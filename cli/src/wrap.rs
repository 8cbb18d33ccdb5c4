//! Long lines, wrapped between words.
//!
//! Text for [`Output::text`](crate::output::Output::text) may contain three marks, which are never printed. They are
//! noncharacters of Unicode, so they do not occur in text.

use textwrap::core::{Word, display_width};
use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};

/// A non-breaking space.
const HELD: char = '\u{fdd0}';
/// A possible line break without a space.
const BREAK: char = '\u{fdd1}';
/// The column, minus two, at which the lines after the first start. Otherwise they start four columns after the first
/// word.
pub(crate) const HANG: char = '\u{fdd2}';

/// The width if neither a terminal nor COLUMNS sets one.
const USUAL_WIDTH: usize = 100;
/// The minimum width.
const LEAST_WIDTH: usize = 40;

/// The width to use: that of the terminal, that of COLUMNS, or the default.
pub(crate) fn width(terminal: bool) -> usize {
    let of_terminal = || Some(usize::from(terminal_size::terminal_size_of(std::io::stdout())?.0.0));
    let of_variable = || std::env::var("COLUMNS").ok()?.parse().ok();
    let width = terminal.then(of_terminal).flatten().filter(|&width| width > 0).or_else(of_variable);
    width.unwrap_or(USUAL_WIDTH).max(LEAST_WIDTH)
}

/// A name that line breaks do not split, so that it can be copied.
pub(crate) fn held(name: &str) -> String {
    name.replace(' ', "\u{fdd0}")
}

/// The address of a member. A line may break after its archive, but nowhere else.
pub(crate) fn held_address(archive: &str, member: &str) -> String {
    format!("{}!/{BREAK}{}", held(archive), held(member))
}

/// The line without marks, wrapped if it is wider than this.
pub(crate) fn wrapped(line: &str, width: Option<usize>) -> String {
    // No character is wider than its bytes are many.
    let width = width.filter(|&width| line.len() > width && display_width(line) > width);
    let Some(width) = width else { return without_marks(line) };
    let (first, rest, hang) = match line.split_once(HANG) {
        Some((first, rest)) => (first, rest, display_width(first).saturating_add(2)),
        None => {
            let rest = line.trim_start_matches(' ');
            let first = line.strip_suffix(rest).unwrap_or_default();
            (first, rest, first.len().saturating_add(4))
        }
    };
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
    without_marks(&textwrap::wrap(rest, options).join("\n"))
}

/// Words with the spaces after them.
fn words(mut line: &str) -> Box<dyn Iterator<Item = Word<'_>> + '_> {
    Box::new(std::iter::from_fn(move || {
        let mut chars = line.char_indices().peekable();
        let mut end = line.len();
        while let Some((_, c)) = chars.next() {
            let Some(&(next, after)) = chars.peek() else { break };
            if c == BREAK || c == ' ' && after != ' ' {
                end = next;
                break;
            }
        }
        let (word, rest) = line.split_at_checked(end)?;
        line = rest;
        (!word.is_empty()).then(|| Word::from(word))
    }))
}

fn without_marks(line: &str) -> String {
    let mut text = line.to_owned();
    // Lines are many and marks are few: each search is one for a byte.
    for (mark, instead) in [(HANG, ""), (HELD, " "), (BREAK, "")] {
        if text.contains(mark) {
            text = text.replace(mark, instead);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words_and_nowhere_else() {
        let wrapped = |line: &str| wrapped(line, Some(20));
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
