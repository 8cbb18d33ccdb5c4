//! Long lines, wrapped between words.
//!
//! Text that [`Output::text`](crate::output::Output::text) takes may hold three marks, which never reach the reader. They
//! are noncharacters of Unicode, so no text means anything by them.

use textwrap::core::{Word, display_width};
use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};

/// A space at which no line breaks.
const HELD: char = '\u{fdd0}';
/// A place without a space at which a line may break.
const BREAK: char = '\u{fdd1}';
/// The column, less two, at which the lines after the first start; else it is four after the first word's.
pub(crate) const HANG: char = '\u{fdd2}';

/// A name that no line break splits, so that it can be copied.
pub(crate) fn held(name: &str) -> String {
    name.replace(' ', "\u{fdd0}")
}

/// The address of a member: a line may break after its archive, but nowhere else.
pub(crate) fn held_address(archive: &str, member: &str) -> String {
    format!("{}!/{BREAK}{}", held(archive), held(member))
}

/// The line without marks; wrapped where it is wider than this.
pub(crate) fn wrapped(line: &str, width: Option<usize>) -> String {
    let width = width.filter(|&width| display_width(line) > width);
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
    if line.is_ascii() {
        return line.to_owned();
    }
    line.chars().filter(|c| ![BREAK, HANG].contains(c)).map(|c| if c == HELD { ' ' } else { c }).collect()
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
        // Colors take no room.
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
