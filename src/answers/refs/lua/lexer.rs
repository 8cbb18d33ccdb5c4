//! The tokens of Lua texts: those of all versions from 5.1 to 5.4.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter, memmem};

use crate::base::amount::Amount;
use crate::base::error::Error;

#[derive(Clone, Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind<'a>,
    pub(super) start: Start,
}

/// Where a token starts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Start {
    pub(super) offset: usize,
    /// The line and column in bytes, counted from 1.
    pub(super) place: (u32, u32),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind<'a> {
    /// A name or keyword.
    Name(&'a [u8]),
    /// A quoted text or one in long brackets, without its quotes and escapes.
    Text(Cow<'a, [u8]>),
    Number,
    /// `..`
    Concat,
    /// `=`
    Assign,
    /// `==`, `~=`, `<`, `<=`, `>`, `>=`
    Compare,
    /// An operator on numbers.
    Operator,
    /// `(`, `)`, `{`, `}`, `[`, `]`, `,`, `;`, `.`, `:`
    Mark(u8),
    /// Other symbols, such as `...` and `::`.
    Other,
}

#[derive(Clone, Debug)]
pub(super) struct Lexer<'a> {
    data: &'a [u8],
    at: usize,
    line: Amount<u32>,
    line_start: usize,
    /// The first part that is not Lua.
    pub(super) cut: Option<Error>,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(data: &'a [u8]) -> Self {
        let mut lexer = Self { data, at: 0, line: Amount(1), line_start: 0, cut: None };
        lexer.accept(b"\xef\xbb\xbf");
        // The first line may name the program that runs the text.
        if lexer.rest().starts_with(b"#") {
            lexer.skip_line();
        }
        lexer
    }

    /// The end of the last token.
    pub(super) fn offset(&self) -> usize {
        self.at
    }

    fn rest(&self) -> &'a [u8] {
        self.data.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.rest().first().copied()
    }

    /// Skips bytes, and counts the lines.
    fn skip(&mut self, bytes: usize) -> &'a [u8] {
        let end = self.at.saturating_add(bytes).min(self.data.len());
        let passed = self.data.get(self.at..end).unwrap_or_default();
        for place in memchr_iter(b'\n', passed) {
            self.line += 1;
            self.line_start = (Amount(self.at) + place + 1).0;
        }
        self.at = end;
        passed
    }

    fn accept(&mut self, bytes: &[u8]) -> bool {
        let is_next = self.rest().starts_with(bytes);
        if is_next {
            self.skip(bytes.len());
        }
        is_next
    }

    /// Takes the bytes of a kind.
    fn take_while(&mut self, is_in: fn(&u8) -> bool) -> &'a [u8] {
        self.take_up_to(usize::MAX, is_in)
    }

    /// Takes the bytes of a kind, up to this number.
    fn take_up_to(&mut self, most: usize, is_in: fn(&u8) -> bool) -> &'a [u8] {
        let mut length = Amount(0);
        for byte in self.rest() {
            if length.0 == most || !is_in(byte) {
                break;
            }
            length += 1;
        }
        self.skip(length.0)
    }

    fn skip_line(&mut self) {
        let rest = self.rest();
        self.skip(memchr(b'\n', rest).unwrap_or(rest.len()));
    }

    fn skip_blank(&mut self) {
        loop {
            self.take_while(is_blank);
            let start = self.at;
            if !self.accept(b"--") {
                return;
            }
            if self.long_bracket(start, "a comment without its end").is_none() {
                self.skip_line();
            }
        }
    }

    /// Takes `[[..]]`, or with any number of `=` between the brackets, if the text continues with it.
    fn long_bracket(&mut self, start: usize, unclosed: &'static str) -> Option<&'a [u8]> {
        let after = self.rest().strip_prefix(b"[")?;
        let level = after.iter().position(|&byte| byte != b'=')?;
        let text = after.get(level..)?.strip_prefix(b"[")?;
        let mut close = after.get(..level)?.to_vec();
        close.insert(0, b']');
        close.push(b']');
        self.skip(close.len());
        let Some(end) = memmem::find(text, &close) else {
            self.fail(unclosed, start);
            self.skip(text.len());
            return Some(text);
        };
        self.skip(end.saturating_add(close.len()));
        let text = text.get(..end)?;
        // A line break at the start is not part of it.
        let text = text.strip_prefix(b"\r").unwrap_or(text);
        Some(text.strip_prefix(b"\n").unwrap_or(text))
    }

    fn fail(&mut self, what: &'static str, at: usize) {
        if self.cut.is_none() {
            self.cut = Some(Error::malformed(what).at(at as u64));
        }
    }

    /// Takes a text in quotes. One without its end ends with the line.
    fn quoted(&mut self, quote: u8) -> Cow<'a, [u8]> {
        let start = self.at;
        self.skip(1);
        let mut text: Cow<'a, [u8]> = Cow::Borrowed(b"");
        loop {
            let rest = self.rest();
            let part = self.skip(memchr::memchr3(quote, b'\\', b'\n', rest).unwrap_or(rest.len()));
            if text.is_empty() {
                text = part.into();
            } else {
                text.to_mut().extend_from_slice(part);
            }
            match self.peek() {
                Some(b'\\') => self.escape(text.to_mut()),
                Some(byte) if byte == quote => {
                    self.skip(1);
                    return text;
                }
                _ => {
                    self.fail("a text without its closing quote", start);
                    return text;
                }
            }
        }
    }

    /// Takes an escape, and adds what it stands for.
    fn escape(&mut self, text: &mut Vec<u8>) {
        self.skip(1);
        let Some(byte) = self.peek() else { return };
        match byte {
            b'0'..=b'9' => {
                let digits = self.take_up_to(3, u8::is_ascii_digit);
                text.push(number(digits, 10).to_le_bytes()[0]);
            }
            b'x' => {
                self.skip(1);
                let digits = self.take_up_to(2, u8::is_ascii_hexdigit);
                text.push(number(digits, 16).to_le_bytes()[0]);
            }
            b'u' => {
                self.skip(1);
                self.accept(b"{");
                let digits = self.take_while(u8::is_ascii_hexdigit);
                self.accept(b"}");
                let letter = char::from_u32(number(digits, 16)).unwrap_or(char::REPLACEMENT_CHARACTER);
                text.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
            }
            b'z' => {
                self.skip(1);
                self.take_while(is_blank);
            }
            b'\r' | b'\n' => {
                self.accept(b"\r");
                self.accept(b"\n");
                text.push(b'\n');
            }
            _ => {
                self.skip(1);
                text.push(escaped(byte));
            }
        }
    }

    fn number(&mut self) {
        loop {
            let part = self.take_while(is_word);
            let is_exponent = matches!(part.last(), Some(b'e' | b'E' | b'p' | b'P'));
            let is_fraction = self.peek() == Some(b'.') && !self.rest().starts_with(b"..");
            let is_sign = is_exponent && matches!(self.peek(), Some(b'+' | b'-'));
            if !is_fraction && !is_sign {
                return;
            }
            self.skip(1);
        }
    }

    fn symbol(&mut self) -> Kind<'a> {
        const SYMBOLS: [(&[u8], Kind<'static>); 20] = [
            (b"...", Kind::Other),
            (b"..", Kind::Concat),
            (b"::", Kind::Other),
            (b"==", Kind::Compare),
            (b"~=", Kind::Compare),
            (b"<=", Kind::Compare),
            (b">=", Kind::Compare),
            (b"=", Kind::Assign),
            (b"<", Kind::Compare),
            (b">", Kind::Compare),
            (b"+", Kind::Operator),
            (b"-", Kind::Operator),
            (b"*", Kind::Operator),
            (b"/", Kind::Operator),
            (b"%", Kind::Operator),
            (b"^", Kind::Operator),
            (b"#", Kind::Operator),
            (b"&", Kind::Operator),
            (b"|", Kind::Operator),
            (b"~", Kind::Operator),
        ];
        for (symbol, kind) in SYMBOLS {
            if self.accept(symbol) {
                return kind;
            }
        }
        match self.skip(1) {
            [mark @ (b'(' | b')' | b'{' | b'}' | b'[' | b']' | b',' | b';' | b'.' | b':')] => Kind::Mark(*mark),
            _ => Kind::Other,
        }
    }
}

impl<'a> Iterator for Lexer<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        self.skip_blank();
        let start = self.at;
        let column = Amount(start) - self.line_start + 1;
        let place = (self.line.0, u32::try_from(column.0).unwrap_or(u32::MAX));
        let kind = match self.peek()? {
            quote @ (b'"' | b'\'') => Kind::Text(self.quoted(quote)),
            b'[' => match self.long_bracket(start, "a text without its closing bracket") {
                Some(text) => Kind::Text(text.into()),
                None => self.symbol(),
            },
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => Kind::Name(self.take_while(is_word)),
            b'0'..=b'9' => {
                self.number();
                Kind::Number
            }
            b'.' if matches!(self.rest(), [_, b'0'..=b'9', ..]) => {
                self.number();
                Kind::Number
            }
            _ => self.symbol(),
        };
        Some(Token { kind, start: Start { offset: start, place } })
    }
}

/// Returns the byte for which an escape of one letter or mark stands.
fn escaped(byte: u8) -> u8 {
    match byte {
        b'a' => 7,
        b'b' => 8,
        b't' => 9,
        b'n' => 10,
        b'v' => 11,
        b'f' => 12,
        b'r' => 13,
        mark => mark,
    }
}

fn is_blank(byte: &u8) -> bool {
    byte.is_ascii_whitespace() || *byte == 0x0b
}

fn is_word(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'_'
}

/// The number that digits stand for, or the largest.
fn number(digits: &[u8], radix: u32) -> u32 {
    let mut number = 0_u32;
    for &digit in digits {
        let digit = char::from(digit).to_digit(radix).unwrap_or_default();
        number = number.saturating_mul(radix).saturating_add(digit);
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(lua: &str) -> Vec<String> {
        let texts = Lexer::new(lua.as_bytes()).filter_map(|token| match token.kind {
            Kind::Text(text) => Some(String::from_utf8_lossy(&text).into_owned()),
            _ => None,
        });
        texts.collect()
    }

    #[test]
    fn texts_stand_for_what_lua_reads() {
        for (lua, expected) in [
            (r#""a" 'b' [[c]] [==[d]]]==]"#, &["a", "b", "c", "d]]"][..]),
            (r#""it's" 'say "x"'"#, &["it's", "say \"x\""]),
            (
                r#""\65\066B\x43\u{44}\z  
                E""#,
                &["ABBCDE"],
            ),
            ("\"a\\\nb\" \"\\\\^[x\\:\"", &["a\nb", "\\^[x:"]),
            ("\"\\n\\t\\\"\\'\"", &["\n\t\"'"]),
            ("[[\nfirst]] [[\r\nsecond]]", &["first", "second"]),
            ("-- \"no\"\n\"yes\" --[[ \"no\" \n]] \"yes\" --[==[ ]] \"no\" ]==] \"yes\" --[=x \"no\"", &["yes"; 3]),
            ("#!/usr/bin/lua \"no\"\n\"yes\"", &["yes"]),
            ("\u{feff}\"yes\"", &["yes"]),
            ("t[1] t[ [[x]] ] a[=[y]=]", &["x", "y"]),
            ("1..'x' 0x1p-3 1e+5 .5 3.-- 'no'\n'y'", &["x", "y"]),
        ] {
            assert_eq!(texts(lua), expected, "{lua}");
        }
    }

    #[test]
    fn what_has_no_end_is_an_error_with_its_place() {
        for (lua, message) in [
            ("x = \"a\ny = 'b'", "a text without its closing quote"),
            ("x = 'a\\", "a text without its closing quote"),
            ("xxx [[a", "a text without its closing bracket"),
            ("xxx --[[a", "a comment without its end"),
        ] {
            let mut lexer = Lexer::new(lua.as_bytes());
            assert!(lexer.by_ref().count() <= 6);
            let error = lexer.cut.unwrap().to_string();
            assert!(error.contains(message) && error.contains('4'), "{lua}: {error}");
        }
        assert_eq!(texts("x = \"a\ny = 'b'"), ["a", "b"]);
    }

    #[test]
    fn places_count_lines_and_bytes() {
        let lua = "a = [[\n\n]] -- x\n  \"b\" --[[\n]] 'c'";
        let places: Vec<(u32, u32)> = Lexer::new(lua.as_bytes()).map(|token| token.start.place).collect();
        assert_eq!(places, [(1, 1), (1, 3), (1, 5), (4, 3), (5, 4)]);
    }
}
