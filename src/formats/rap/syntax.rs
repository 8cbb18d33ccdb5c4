//! Mistakes in configs as text: a missing `;`, a text or class that does not end.
//!
//! Macros may stand for anything, so only what no macro can explain is reported.

use crate::base::amount::Amount;
use crate::base::code::Code;
use crate::base::error::Error;
use crate::summary::Problems;

/// The depth of classes beyond which the end is not checked.
const MOST_DEPTH: usize = 64;

/// Reports the mistakes of a config, each with its line and column.
pub(crate) fn check(text: &[u8], problems: &mut Problems) {
    let mut check = Check {
        text,
        at: 0,
        line: Amount(1),
        line_start: 0,
        open: Vec::new(),
        is_sure: true,
        is_sound: true,
        before: Before::Nothing,
        problems,
    };
    while check.at < text.len() {
        check.step();
    }
    check.end();
}

/// A place in the text.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Place {
    /// The offset in bytes.
    at: usize,
    /// The line, counted from 1.
    line: u32,
    /// The column in bytes, counted from 1.
    column: usize,
}

/// The last thing read that a `;` may have to follow. The places are its end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    /// `=` of a value.
    Equals,
    /// A text or number after `=`.
    Value(Place),
    /// `}`.
    Brace(Place),
}

/// The check in progress.
struct Check<'a, 'p> {
    text: &'a [u8],
    /// The offset of what is read next, with its line and the offset of the start of that line.
    at: usize,
    line: Amount<u32>,
    line_start: usize,
    /// The places of the braces that are open.
    open: Vec<Place>,
    /// False if macros or conditions may open or close braces.
    is_sure: bool,
    /// False if a text does not end, so that what follows has no meaning.
    is_sound: bool,
    before: Before,
    problems: &'p mut Problems,
}

/// Returns true for a byte that a name may have.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Returns true for a byte that a number may have.
fn is_in_number(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b'-' | b'+' | b'.')
}

impl<'a> Check<'a, '_> {
    /// Returns the text that is not read yet.
    fn rest(&self) -> &'a [u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Returns the current place.
    fn place(&self) -> Place {
        Place { at: self.at, line: self.line.0, column: (Amount(self.at) - self.line_start + 1).0 }
    }

    /// Skips bytes, and counts the lines.
    fn skip(&mut self, bytes: usize) {
        let end = self.at.saturating_add(bytes).min(self.text.len());
        for place in memchr::memchr_iter(b'\n', self.text.get(self.at..end).unwrap_or_default()) {
            self.line += 1;
            self.line_start = (Amount(self.at) + place + 1).0;
        }
        self.at = end;
    }

    /// Reports a mistake at this place.
    fn warn(&mut self, place: Place, message: &str) {
        let message = format!("line {}, column {}: {message}", place.line, place.column);
        self.problems.warning(&Error::malformed(message).coded(Code::Syntax).at(place.at as u64));
    }

    /// Reads what comes next: a comment, a text, a word, or a single byte.
    fn step(&mut self) {
        let rest = self.rest();
        let Some(&first) = rest.first() else { return };
        match first {
            _ if first.is_ascii_whitespace() => self.skip(1),
            b'/' if rest.starts_with(b"//") => self.skip(memchr::memchr(b'\n', rest).unwrap_or(rest.len())),
            b'/' if rest.starts_with(b"/*") => {
                let end = memchr::memmem::find(rest, b"*/").map_or(rest.len(), |end| end.saturating_add(2));
                self.skip(end);
            }
            b'#' => self.directive(),
            b'"' => self.quoted(),
            b'{' => {
                self.before = Before::Nothing;
                if self.open.len() < MOST_DEPTH {
                    self.open.push(self.place());
                } else {
                    self.is_sure = false;
                }
                self.skip(1);
            }
            b'}' => self.close(),
            b'=' => {
                self.before = Before::Equals;
                self.skip(1);
            }
            b'(' => self.parentheses(),
            b'-' | b'+' | b'.' if self.before == Before::Equals => self.number(),
            _ if first.is_ascii_digit() && self.before == Before::Equals => self.number(),
            _ if is_word(first) => self.word(),
            _ => {
                self.before = Before::Nothing;
                self.skip(1);
            }
        }
    }

    /// Skips a line of the preprocessor, and those that continue it.
    fn directive(&mut self) {
        let mut end = Amount(0_usize);
        let rest = self.rest();
        loop {
            let line = rest.get(end.0..).unwrap_or_default();
            let length = memchr::memchr(b'\n', line).unwrap_or(line.len());
            let text = line.get(..length).unwrap_or_default().trim_ascii_end();
            end = end + length + 1;
            if !text.ends_with(b"\\") || end.0 >= rest.len() {
                break;
            }
        }
        let text = rest.get(..end.0.min(rest.len())).unwrap_or_default();
        let is_plain = [&b"#include"[..], b"#undef"].iter().any(|word| text.starts_with(word));
        // Conditions choose between braces, and macros may contain them.
        if !is_plain
            && (text.starts_with(b"#if") || text.starts_with(b"#else") || text.contains(&b'{') || text.contains(&b'}'))
        {
            self.is_sure = false;
        }
        self.skip(text.len());
    }

    /// Skips a text in quotes. Two quotes inside stand for one. A text that does not end on its line is reported, and
    /// ends the check.
    fn quoted(&mut self) {
        let start = self.place();
        let rest = self.rest();
        let mut end = Amount(1_usize);
        loop {
            let inside = rest.get(end.0..).unwrap_or_default();
            match memchr::memchr2(b'"', b'\n', inside) {
                Some(place) if inside.get(place) == Some(&b'"') => {
                    end = end + place + 1;
                    if rest.get(end.0) != Some(&b'"') {
                        break;
                    }
                    end += 1;
                }
                _ => {
                    if self.is_sound {
                        self.warn(start, "a text does not end on its line");
                    }
                    self.is_sound = false;
                    self.skip(rest.len());
                    return;
                }
            }
        }
        // Several texts in a row are one value.
        let is_value = matches!(self.before, Before::Equals | Before::Value(_));
        self.skip(end.0);
        self.before = if is_value { Before::Value(self.place()) } else { Before::Nothing };
    }

    /// Skips a number, which is a value.
    fn number(&mut self) {
        let rest = self.rest();
        let end = rest.iter().position(|byte| !is_in_number(*byte)).unwrap_or(rest.len());
        self.skip(end);
        self.before = Before::Value(self.place());
    }

    /// Skips what macros take in parentheses. If they do not close, skips all of the text; nothing more is reported.
    fn parentheses(&mut self) {
        let rest = self.rest();
        let mut depth = Amount(0_u32);
        let mut end = rest.len();
        for (place, byte) in rest.iter().enumerate() {
            match byte {
                b'(' => depth += 1,
                b')' => depth -= 1,
                _ => continue,
            }
            if depth.0 == 0 {
                end = place.saturating_add(1);
                break;
            }
        }
        if depth.0 > 0 {
            self.is_sound = false;
        }
        self.before = Before::Nothing;
        // A macro may stand for anything.
        self.is_sure = false;
        self.skip(end);
    }

    /// Reads a `}`. Reports it if no brace is open, and a `;` that is missing before it.
    fn close(&mut self) {
        let place = self.place();
        self.missing();
        if self.open.pop().is_none() && self.is_sure && self.is_sound {
            // Only the first is reported, because it may be one too many or a `{` too few.
            self.is_sure = false;
            self.warn(place, "} closes nothing");
        }
        self.skip(1);
        self.before = Before::Brace(self.place());
    }

    /// Reports the `;` that is missing between what was read last and this place, if they are on different lines. After
    /// a brace, it is missing only if an entry starts here.
    fn missing(&mut self) {
        match self.before {
            Before::Value(place) if place.line < self.line.0 => self.warn(place, "; is missing after a value"),
            Before::Brace(place) if place.line < self.line.0 && self.is_entry() => {
                self.warn(place, "; is missing after }");
            }
            _ => {}
        }
        self.before = Before::Nothing;
    }

    /// Returns true if an entry starts here: `class name`, `name =` or `name[]`.
    fn is_entry(&self) -> bool {
        let rest = self.rest();
        let end = rest.iter().position(|byte| !is_word(*byte)).unwrap_or(rest.len());
        let (word, after) = rest.split_at_checked(end).unwrap_or_default();
        let next = after.trim_ascii_start();
        match next.first() {
            Some(b'=') => !next.starts_with(b"=="),
            Some(b'[') => next.get(1..).unwrap_or_default().trim_ascii_start().starts_with(b"]"),
            Some(&byte) => word.eq_ignore_ascii_case(b"class") && is_word(byte) && after.len() > next.len(),
            None => false,
        }
    }

    /// Reads a name. Reports a `;` that is missing before it if it starts an entry.
    fn word(&mut self) {
        if matches!(self.before, Before::Value(_) | Before::Brace(_)) && self.is_entry() {
            self.missing();
        }
        let rest = self.rest();
        let end = rest.iter().position(|byte| !is_word(*byte)).unwrap_or(rest.len());
        // A name in a value may be a macro.
        self.before = Before::Nothing;
        self.skip(end);
    }

    /// Reports a brace that is still open at the end of the text.
    fn end(&mut self) {
        if let Some(&place) = self.open.last()
            && self.is_sure
            && self.is_sound
        {
            self.warn(place, "the file ends before the } of this {");
        }
    }
}
