//! Reads a config that is text.

use std::borrow::Cow;

use crate::base::amount::Amount;
use crate::base::text::ByteStr;
use crate::formats::rap::names::{by_extension, by_key, kind_of, kind_of_key};
use crate::summary::ReferenceKind;

/// Reads a config from start to end, in time linear in its bytes and in constant memory.
///
/// ```
/// use meshpeek::rap::text::{Reader, Way};
/// let text = b"class Stage1 {\n  texture = \"a\\b_co.paa\";\n};";
/// let ask = Reader::new(text).find_map(|event| event.ask()).unwrap();
/// assert_eq!((ask.line, ask.column, &*ask.name), (2, 13, &b"a\\b_co.paa"[..]));
/// assert_eq!(ask.way, Way::Path);
/// ```
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    data: &'a [u8],
    /// The offset of what is read next, with its line and the offset of the start of that line.
    at: usize,
    line: Amount<u32>,
    line_start: usize,
    /// The line and column of the next event.
    start: (u32, u32),
    /// The key and the depth of the current array.
    array: Option<(ByteStr<'a>, usize)>,
    /// True if a parenthesis was never closed. From then on, parentheses end with their line.
    is_open_ended: bool,
    /// What the last step skipped.
    skipped: Option<Skipped<'a>>,
}

/// What is not an event, but matters for macros and for the binary form.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Skipped<'a> {
    /// What follows `#define`.
    Define(&'a [u8]),
    /// What follows `#undef`.
    Undefine(&'a [u8]),
    /// The condition after `#if`, `#ifdef` or `#ifndef`, of which both branches are read.
    Condition(&'a [u8]),
    /// A name instead of an entry.
    Word(&'a [u8]),
    /// `{` of an array in an array.
    ArrayStart,
    /// `}` of an array.
    ArrayEnd,
    /// `;` after an array. It ends all arrays, even if braces are missing.
    ArraysEnd,
    /// Something that is no entry, or a part of an event that is lost. Says what.
    Lost(&'static str),
    /// What is between the braces of an `enum`.
    Enum(&'a [u8]),
}

/// A step of a reader.
#[derive(Debug)]
pub(crate) enum Step<'a> {
    /// An event.
    Event(Event<'a>),
    /// Something else, with its line and column.
    Skipped(Skipped<'a>, (u32, u32)),
}

/// An element of a config.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Event<'a> {
    /// The line, counted from 1.
    pub line: u32,
    /// The column in bytes, counted from 1.
    pub column: u32,
    /// The kind of event.
    pub kind: EventKind<'a>,
}

/// The kind of an [`Event`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum EventKind<'a> {
    /// `class Name {` or `class Name: Parent {`.
    Class {
        /// The name.
        name: ByteStr<'a>,
        /// The name of the class that it inherits from.
        parent: Option<ByteStr<'a>>,
    },
    /// `}` of a class.
    End,
    /// `class Name;`.
    Extern(ByteStr<'a>),
    /// `delete Name;`.
    Delete(ByteStr<'a>),
    /// `key = value;`.
    Value(ByteStr<'a>, Scalar<'a>),
    /// `key[] = {` or `key[] += {`. The second field is true for the latter.
    Array(ByteStr<'a>, bool),
    /// An item of the array with this key, at any depth.
    Item(ByteStr<'a>, Scalar<'a>),
    /// `#include "path"`.
    Include(ByteStr<'a>),
    /// A macro instead of an entry.
    Call(ByteStr<'a>),
}

/// A value as written.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Scalar<'a> {
    /// The text, without quotes.
    pub text: Cow<'a, [u8]>,
    /// True if it was in quotes.
    pub is_quoted: bool,
}

/// A file that a config names.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Ask<'a> {
    /// The line, counted from 1.
    pub line: u32,
    /// The column in bytes, counted from 1.
    pub column: u32,
    /// The kind of file.
    pub kind: ReferenceKind,
    /// The name as written, including macros.
    pub name: Cow<'a, [u8]>,
    /// How the name leads to the file.
    pub way: Way,
}

/// How the name of an [`Ask`] leads to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Way {
    /// The name is a path from the virtual root.
    Path,
    /// A path that a macro builds.
    Built {
        /// The sibling addon that the path starts in; `None` for the addon of the config, if the path is below it.
        addon: Option<Vec<u8>>,
        /// True if the path starts in an addon, false if it starts in the virtual root.
        is_below: bool,
        /// The path.
        path: Vec<u8>,
    },
    /// The name is a path from the folder of the config, or from the virtual root if it starts with a separator.
    Include,
    /// The name depends on a macro that is not known.
    Unresolved,
}

/// Returns true if a text is a config, or consists of directives for one. Examines the first 64 KiB, and tells configs
/// from other languages by their declarations.
#[cfg(feature = "scan")]
pub fn is_config(text: &[u8]) -> bool {
    crate::formats::rap::looks::is_config(text, crate::formats::rap::looks::Least::Entry)
}

impl<'a> Reader<'a> {
    /// Starts to read a text. A text that is not a config, such as a script, has no events.
    pub fn new(data: &'a [u8]) -> Self {
        // A byte order mark is not part of the text.
        let at = if data.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        let mut reader = Self {
            data,
            at,
            line: Amount(1),
            line_start: 0,
            start: (1, 1),
            array: None,
            is_open_ended: false,
            skipped: None,
        };
        if !reader.starts_like_config() {
            reader.at = data.len();
        }
        reader
    }

    /// Returns true if the text is empty or starts with a directive, an entry of a config, or a macro call.
    fn starts_like_config(&self) -> bool {
        let mut ahead = self.clone();
        ahead.skip_blank();
        match ahead.peek() {
            None | Some(b'#') => true,
            Some(_) => {
                let word = ahead.word();
                ahead.skip_blank();
                ["class", "enum", "delete"].into_iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
                    || word.contains(&b'(')
                    || !word.is_empty() && matches!(ahead.peek(), Some(b'=' | b'['))
            }
        }
    }

    /// Marks the start of the next event.
    fn mark(&mut self) {
        let column = Amount(self.at) - self.line_start + 1;
        self.start = (self.line.0, u32::try_from(column.0).unwrap_or(u32::MAX));
    }

    /// Returns the text that is not read yet.
    fn rest(&self) -> &'a [u8] {
        self.data.get(self.at..).unwrap_or_default()
    }

    /// Returns the next byte without taking it, or `None` at the end.
    fn peek(&self) -> Option<u8> {
        self.rest().first().copied()
    }

    /// Skips bytes, and counts the lines.
    fn skip(&mut self, bytes: usize) {
        let end = self.at.saturating_add(bytes).min(self.data.len());
        let passed = self.data.get(self.at..end).unwrap_or_default();
        for place in memchr::memchr_iter(b'\n', passed) {
            self.line += 1;
            self.line_start = (Amount(self.at) + place + 1).0;
        }
        self.at = end;
    }

    /// Skips these bytes if the text continues with them. Returns true if it does.
    fn accept(&mut self, bytes: &[u8]) -> bool {
        let is_next = self.rest().starts_with(bytes);
        if is_next {
            self.skip(bytes.len());
        }
        is_next
    }

    /// Takes the bytes before the first byte that matches.
    fn until(&mut self, is_end: impl Fn(u8) -> bool) -> &'a [u8] {
        let rest = self.rest();
        let length = rest.iter().position(|&byte| is_end(byte)).unwrap_or(rest.len());
        self.skip(length);
        rest.get(..length).unwrap_or_default()
    }

    /// Takes the bytes before the end of the line.
    fn rest_of_line(&mut self) -> &'a [u8] {
        self.until(|byte| byte == b'\n')
    }

    /// Skips blanks and tabs, but no line break.
    fn skip_spaces(&mut self) {
        self.until(|byte| !matches!(byte, b' ' | b'\t'));
    }

    /// Skips white space and comments.
    fn skip_blank(&mut self) {
        loop {
            self.until(|byte| !byte.is_ascii_whitespace());
            if self.accept(b"//") {
                self.rest_of_line();
            } else if self.accept(b"/*") {
                let rest = self.rest();
                match memchr::memmem::find(rest, b"*/") {
                    Some(end) => self.skip(end.saturating_add(2)),
                    None => self.skip(rest.len()),
                }
            } else {
                return;
            }
        }
    }

    /// Takes bytes up to one that matches outside parentheses, or to a comment. Returns them without white space at the
    /// end.
    fn run(&mut self, is_end: impl Fn(u8) -> bool) -> &'a [u8] {
        let start = self.at;
        loop {
            self.until(|byte| is_end(byte) || matches!(byte, b'(' | b'/'));
            match self.peek() {
                Some(b'(') => self.parentheses(),
                Some(b'/') if !matches!(self.rest(), [_, b'/' | b'*', ..]) => self.skip(1),
                _ => break,
            }
        }
        self.data.get(start..self.at).unwrap_or_default().trim_ascii_end()
    }

    /// Takes a name, with the arguments of a macro call; empty if there is none.
    fn word(&mut self) -> &'a [u8] {
        self.run(|byte| byte.is_ascii_whitespace() || b"{};=:[],\"".contains(&byte))
    }

    /// Skips from a parenthesis to the one that closes it, or to the end of the line if there is none.
    fn parentheses(&mut self) {
        let rest = self.rest();
        let mut depth = Amount(0_usize);
        let mut is_text = false;
        let mut end = None;
        for (place, byte) in rest.iter().enumerate() {
            match byte {
                b'"' => is_text = !is_text,
                // A text never continues on the next line.
                b'\n' if self.is_open_ended => break,
                b'\n' => is_text = false,
                b'(' if !is_text => depth += 1,
                b')' if !is_text => {
                    depth -= 1;
                    if depth.0 == 0 {
                        end = Some(place.saturating_add(1));
                        break;
                    }
                }
                _ => {}
            }
        }
        match end {
            Some(end) => self.skip(end),
            None => {
                self.is_open_ended = true;
                self.skip(memchr::memchr(b'\n', rest).unwrap_or(rest.len()));
            }
        }
    }

    /// Takes a quoted text and the texts joined to it with `\n`. A text without a closing quote ends with the line.
    fn quoted(&mut self) -> Cow<'a, [u8]> {
        let mut whole: Cow<'a, [u8]> = Cow::Borrowed(b"");
        loop {
            self.skip(1);
            let part = self.until(|byte| matches!(byte, b'"' | b'\n'));
            if whole.is_empty() {
                whole = part.into()
            } else {
                whole.to_mut().extend_from_slice(part)
            }
            if !self.accept(b"\"") {
                self.skipped = Some(Skipped::Lost("a text without a closing quote ends with its line"));
                break;
            }
            // Two quotes stand for one.
            if self.peek() == Some(b'"') {
                whole.to_mut().push(b'"');
                continue;
            }
            // `"a" \n "b"` is one text of two lines.
            let mut ahead = self.clone();
            ahead.skip_spaces();
            if !ahead.accept(b"\\n") {
                break;
            }
            ahead.skip_blank();
            if ahead.peek() != Some(b'"') {
                break;
            }
            *self = ahead;
            whole.to_mut().push(b'\n');
        }
        whole
    }

    /// Takes a value: a quoted text, or bytes up to the end of the entry, of the item in an array, or of the line.
    fn scalar(&mut self) -> Scalar<'a> {
        if self.peek() == Some(b'"') {
            return Scalar { text: self.quoted(), is_quoted: true };
        }
        let ends: &[u8] = if self.array.is_some() { b";},{\n" } else { b";}\n" };
        let text = self.run(|byte| ends.contains(&byte));
        Scalar { text: text.into(), is_quoted: false }
    }

    /// Takes a directive, which starts with `#`, and the lines that continue it. Returns the path if it is an include.
    /// Keeps a definition or condition in `skipped`.
    fn directive(&mut self) -> Option<ByteStr<'a>> {
        self.skip(1);
        self.skip_spaces();
        let word = self.until(|byte| !byte.is_ascii_alphanumeric() && byte != b'_');
        if word == b"include" {
            let line = self.rest_of_line().trim_ascii_start();
            self.skipped = Some(Skipped::Lost("an #include without a path"));
            let (open, path) = line.split_first()?;
            let close = if *open == b'<' { b'>' } else { b'"' };
            let end = memchr::memchr(close, path)?;
            self.skipped = None;
            return path.get(..end).map(ByteStr::new);
        }
        let start = self.at;
        loop {
            let line = self.rest_of_line().trim_ascii_end();
            let goes_on = line.last() == Some(&b'\\') && self.accept(b"\n");
            if !goes_on {
                break;
            }
        }
        let rest = self.data.get(start..self.at).unwrap_or_default();
        self.skipped = match word {
            b"define" => Some(Skipped::Define(rest)),
            b"undef" => Some(Skipped::Undefine(rest)),
            b"if" | b"ifdef" | b"ifndef" => Some(Skipped::Condition(rest)),
            _ => None,
        };
        None
    }

    /// Reads on. Returns `None` if this produced no event. The caller skips one byte if this skips none, so arms for a
    /// single byte skip nothing.
    fn step(&mut self) -> Option<EventKind<'a>> {
        match (self.peek()?, self.array) {
            // `#(` starts the name of a texture that the game generates.
            (b'#', _) if !self.rest().starts_with(b"#(") => self.directive().map(EventKind::Include),
            // A nested array begins.
            (b'{', Some((key, depth))) => {
                self.array = Some((key, depth.saturating_add(1)));
                self.skipped = Some(Skipped::ArrayStart);
                None
            }
            (b'}', Some((key, depth))) => {
                let around = depth.saturating_sub(1);
                self.array = if around > 0 { Some((key, around)) } else { None };
                self.skipped = Some(Skipped::ArrayEnd);
                None
            }
            (b';', Some(_)) => {
                self.array = None;
                self.skipped = Some(Skipped::ArraysEnd);
                None
            }
            (b'}', None) => Some(EventKind::End),
            (b',', Some(_)) | (b';' | b',' | b'{' | b'=' | b':' | b'[' | b']', None) => None,
            (_, Some((key, _))) => Some(EventKind::Item(key, self.scalar())),
            // A text that belongs to no entry.
            (b'"', None) => {
                self.quoted();
                self.skipped = Some(Skipped::Lost("a text that belongs to no entry"));
                None
            }
            (_, None) => self.entry(),
        }
    }

    /// Reads an entry of a class, up to its value or the body of a class. Returns `None` for an enum and for what is not
    /// an entry; an enum and a name alone are kept in `skipped`.
    fn entry(&mut self) -> Option<EventKind<'a>> {
        let word = ByteStr::new(self.word());
        self.skip_blank();
        match self.peek() {
            Some(b'[') => {
                self.until(|byte| b"=;{}\n".contains(&byte));
                // `+=`
                let is_append = self.data.get(..self.at).is_some_and(|before| before.ends_with(b"+"));
                let is_removal = self.data.get(..self.at).is_some_and(|before| before.ends_with(b"-"));
                if !self.accept(b"=") {
                    return None;
                }
                self.skip_blank();
                if self.peek() != Some(b'{') {
                    self.skipped = Some(Skipped::Lost("an array without braces is kept as a value"));
                }
                if is_removal {
                    self.skipped = Some(Skipped::Lost("-= is read as ="));
                }
                self.value(word, is_append)
            }
            Some(b'=') => {
                self.skip(1);
                self.skip_blank();
                self.value(word, false)
            }
            _ if is_word(word, b"class") => Some(self.class()),
            _ if is_word(word, b"delete") => Some(EventKind::Delete(ByteStr::new(self.word()))),
            _ if is_word(word, b"enum") => {
                // The binary form has no name of an enum.
                self.word();
                self.skip_blank();
                if self.accept(b"{") {
                    self.skipped = Some(Skipped::Enum(self.constants()));
                }
                None
            }
            _ if word.as_bytes().contains(&b'(') => Some(EventKind::Call(word)),
            _ => {
                self.skipped = Some(Skipped::Word(word.as_bytes()));
                None
            }
        }
    }

    /// Takes what is between the braces of an enum, and its last brace. A brace in a comment is none.
    fn constants(&mut self) -> &'a [u8] {
        let start = self.at;
        self.skip_blank();
        while !matches!(self.peek(), None | Some(b'}')) {
            self.skip(1);
            self.skip_blank();
        }
        let constants = self.data.get(start..self.at).unwrap_or_default();
        self.accept(b"}");
        constants
    }

    /// Reads what follows the word `class`, up to the `{` of its body. Without a body, it is the name of a class
    /// elsewhere.
    fn class(&mut self) -> EventKind<'a> {
        let name = ByteStr::new(self.word());
        self.skip_blank();
        let mut parent = None;
        if self.accept(b":") {
            self.skip_blank();
            parent = Some(ByteStr::new(self.word()));
        }
        self.skip_blank();
        if self.accept(b"{") {
            return EventKind::Class { name, parent };
        }
        if parent.is_some() {
            self.skipped = Some(Skipped::Lost("a class without a body inherits from no other"));
        }
        EventKind::Extern(name)
    }

    /// Reads the value after `=`. Of an array, reads only its `{`; `is_append` is true after `+=`.
    fn value(&mut self, key: ByteStr<'a>, is_append: bool) -> Option<EventKind<'a>> {
        if self.accept(b"{") {
            self.array = Some((key, 1));
            return Some(EventKind::Array(key, is_append));
        }
        self.mark();
        Some(EventKind::Value(key, self.scalar()))
    }
}

impl<'a> Reader<'a> {
    /// Returns the part of the last event that is lost, if one is.
    pub(crate) fn lost(&self) -> Option<&'static str> {
        match self.skipped {
            Some(Skipped::Lost(part)) => Some(part),
            _ => None,
        }
    }

    /// Returns the offset of what is read next.
    pub(crate) fn offset(&self) -> u64 {
        self.at as u64
    }

    /// Reads on, up to an event or something that matters for macros.
    pub(crate) fn next_step(&mut self) -> Option<Step<'a>> {
        loop {
            self.skip_blank();
            let before = self.at;
            if before >= self.data.len() {
                return None;
            }
            self.mark();
            self.skipped = None;
            let kind = self.step();
            if self.at == before {
                self.skip(1);
            }
            if let Some(kind) = kind {
                let (line, column) = self.start;
                return Some(Step::Event(Event { line, column, kind }));
            }
            if let Some(skipped) = self.skipped {
                return Some(Step::Skipped(skipped, self.start));
            }
        }
    }
}

impl<'a> Iterator for Reader<'a> {
    type Item = Event<'a>;

    fn next(&mut self) -> Option<Event<'a>> {
        loop {
            if let Step::Event(event) = self.next_step()? {
                return Some(event);
            }
        }
    }
}

impl<'a> Event<'a> {
    /// Returns the file that this event names, if it names one.
    pub fn ask(self) -> Option<Ask<'a>> {
        let Self { line, column, kind } = self;
        let (kind, name, way) = match kind {
            EventKind::Value(key, value) | EventKind::Item(key, value) => value.ask(key.as_bytes())?,
            EventKind::Include(path) => (ReferenceKind::Include, path.as_bytes().into(), Way::Include),
            EventKind::Call(call) => (argument_kind(call.as_bytes())?, call.as_bytes().into(), Way::Unresolved),
            _ => return None,
        };
        Some(Ask { line, column, kind, name, way })
    }
}

impl<'a> Scalar<'a> {
    /// Returns the file that this value of the key names: its kind, its name as written, and how that leads to the
    /// file. Returns `None` if it names none.
    fn ask(self, key: &[u8]) -> Option<(ReferenceKind, Cow<'a, [u8]>, Way)> {
        let text = &*self.text;
        if self.is_quoted {
            return Some((kind_of(key, text)?, self.text, Way::Path));
        }
        // `QUOTE` only puts its argument into quotes.
        let mut inner = text;
        while let Some((b"QUOTE", quoted)) = call(inner) {
            inner = quoted;
        }
        let (kind, way) = match call(inner) {
            Some((b"PATHTOF" | b"QPATHTOF" | b"QPATHTO_R", path)) => {
                (kind_of_path(key, path)?, built(None, true, path))
            }
            Some((b"QPATHTOEF", arguments)) => {
                let (addon, path) = arguments.split_at_checked(memchr::memchr(b',', arguments)?)?;
                let path = path.get(1..)?.trim_ascii();
                (kind_of_path(key, path)?, built(Some(addon.trim_ascii()), true, path))
            }
            // Another macro names a file if one of its arguments or the key does.
            Some(_) => match argument_kind(inner) {
                Some(kind) => (kind, Way::Unresolved),
                None => (kind_of_key(key)?, Way::Unresolved),
            },
            // The remainder of a quoted text is a plain path.
            None if inner.len() < text.len() => (kind_of(key, inner)?, built(None, false, inner)),
            // A value without quotes. Numbers name no file; a word without a separator may be a macro.
            None => match by_extension(inner) {
                Some(kind) => (kind, Way::Path),
                None if is_number(inner) || inner.is_empty() => return None,
                None if inner.contains(&b'\\') => (by_key(key, inner)?, Way::Path),
                None => (by_key(key, inner)?, Way::Unresolved),
            },
        };
        Some((kind, self.text, way))
    }
}

/// Returns true if a word is the known one, in any case.
fn is_word(word: ByteStr<'_>, known: &[u8]) -> bool {
    word.as_bytes().eq_ignore_ascii_case(known)
}

/// Returns the kind of file that a path in a macro call names: by its extension, otherwise by the key.
fn kind_of_path(key: &[u8], path: &[u8]) -> Option<ReferenceKind> {
    by_extension(path).or_else(|| by_key(key, path))
}

/// Returns the way to a path that a macro builds. The parameters are the fields of [`Way::Built`].
fn built(addon: Option<&[u8]>, is_below: bool, path: &[u8]) -> Way {
    Way::Built { addon: addon.map(<[u8]>::to_vec), is_below, path: path.to_vec() }
}

/// Returns the name of a macro call and the text in its parentheses, or `None` if the text is not a single call.
fn call(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let (name, arguments) = text.split_at_checked(memchr::memchr(b'(', text)?)?;
    let is_name = !name.is_empty() && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let arguments = arguments.strip_prefix(b"(")?.strip_suffix(b")")?;
    if is_name { Some((name, arguments.trim_ascii())) } else { None }
}

/// Returns the kind of the first file among the arguments of a macro.
fn argument_kind(call: &[u8]) -> Option<ReferenceKind> {
    call.split(|byte| b"(),\"".contains(byte)).find_map(|argument| by_extension(argument.trim_ascii()))
}

/// Returns true for a text that is a number.
fn is_number(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok_and(|text| text.parse::<f64>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Beginnings, and whether the text is a config. What follows them is an entry.
    const BEGINNINGS: [(&str, bool); 24] = [
        ("", true),
        ("#define X 1\n", true),
        ("#include \"a.hpp\"\n", true),
        ("class A {};", true),
        ("CLASS A;", true),
        ("Enum {X};", true),
        ("delete A;", true),
        ("DELETE A;", true),
        ("x=1;", true),
        ("x = 1;", true),
        ("x[] = {};", true),
        ("x[]+={};", true),
        ("x /* = */ = 1;", true),
        ("F(x)", true),
        ("F(x", true),
        ("x;", false),
        ("x y = 1;", false),
        ("classes A {};", false),
        ("= 1;", false),
        ("[1];", false),
        ("{};", false),
        ("\"x\" = 1;", false),
        (": = 1;", false),
        ("<x>", false),
    ];

    #[test]
    fn a_text_is_read_if_it_starts_like_a_config() {
        for mark in ["", "\u{feff}"] {
            for blank in ["", " \t\r\n", "// x = 1\n", "/* x; */", "// x\n/*\n*/ // y\n"] {
                for (beginning, is_config) in BEGINNINGS {
                    let text = format!("{mark}{blank}{beginning}\nlast = 2;\n");
                    let is_read = Reader::new(text.as_bytes()).next().is_some();
                    assert_eq!(is_read, is_config, "{text:?}");
                }
            }
        }
        // Without an entry there is nothing to read.
        for text in ["", " ", "// x", "/* x", "\u{feff}", "#", "x"] {
            assert!(Reader::new(text.as_bytes()).next().is_none(), "{text:?}");
        }
    }

    #[test]
    fn every_operator_of_an_array_is_read() {
        for gap in ["", " ", "\t"] {
            for (operator, is_append, lost) in [("=", false, false), ("+=", true, false), ("-=", false, true)] {
                let text = format!("x[{gap}]{gap}{operator}{gap}{{1}};");
                let mut reader = Reader::new(text.as_bytes());
                let event = reader.next().unwrap();
                assert_eq!(event.kind, EventKind::Array(ByteStr::new(b"x"), is_append), "{text}");
                assert_eq!(reader.lost().is_some(), lost, "{text}");
                let Some(Event { kind: EventKind::Item(key, item), .. }) = reader.next() else { panic!("{text}") };
                assert_eq!((key.as_bytes(), &*item.text), (&b"x"[..], &b"1"[..]), "{text}");
                assert!(reader.next().is_none());
                // Without braces it is a value.
                let text = format!("x[{gap}]{gap}{operator}{gap}1;");
                let mut reader = Reader::new(text.as_bytes());
                let Some(Event { kind: EventKind::Value(_, value), .. }) = reader.next() else { panic!("{text}") };
                assert_eq!(&*value.text, b"1", "{text}");
                assert!(reader.lost().is_some(), "{text}");
            }
        }
    }

    #[test]
    fn directives_are_known_by_their_word_in_lower_case() {
        for (word, expected) in [
            ("define", "define"),
            ("undef", "undefine"),
            ("if", "condition"),
            ("ifdef", "condition"),
            ("ifndef", "condition"),
            ("else", ""),
            ("endif", ""),
            ("pragma", ""),
            ("Define", ""),
            ("defined", ""),
            ("IFDEF", ""),
        ] {
            for start in ["#", "# ", "#\t"] {
                for rest in ["", " X", " X \\\n Y", " X \\\r\n Y"] {
                    let text = format!("{start}{word}{rest}\nx = 1;");
                    let mut reader = Reader::new(text.as_bytes());
                    let step = reader.next_step();
                    let (found, kept) = match step {
                        Some(Step::Skipped(Skipped::Define(kept), _)) => ("define", kept),
                        Some(Step::Skipped(Skipped::Undefine(kept), _)) => ("undefine", kept),
                        Some(Step::Skipped(Skipped::Condition(kept), _)) => ("condition", kept),
                        // The entry after it.
                        Some(Step::Event(event)) => {
                            assert_eq!(expected, "", "{text:?}");
                            let line = if rest.contains('\\') { 3 } else { 2 };
                            assert_eq!((event.line, event.column), (line, 5), "{text:?}");
                            continue;
                        }
                        other => panic!("{text:?}: {other:?}"),
                    };
                    assert_eq!((found, kept), (expected, rest.as_bytes()), "{text:?}");
                }
            }
        }
    }

    /// Each step of a text, as one line with its place.
    fn steps(text: &str) -> Vec<String> {
        let mut reader = Reader::new(text.as_bytes());
        let mut steps = Vec::new();
        while let Some(step) = reader.next_step() {
            let (what, (line, column)) = match step {
                Step::Event(Event { line, column, kind }) => (
                    match kind {
                        EventKind::Class { name, parent: None } => format!("class {name}"),
                        EventKind::Class { name, parent: Some(parent) } => format!("class {name} of {parent}"),
                        EventKind::End => "end".to_owned(),
                        EventKind::Extern(name) => format!("extern {name}"),
                        EventKind::Delete(name) => format!("delete {name}"),
                        EventKind::Value(key, value) => format!("{key} = {}", ByteStr::new(&value.text)),
                        EventKind::Array(key, is_append) => format!("{key}[] {is_append}"),
                        EventKind::Item(key, value) => format!("{key}[] {}", ByteStr::new(&value.text)),
                        EventKind::Include(path) => format!("include {path}"),
                        EventKind::Call(call) => format!("call {call}"),
                    },
                    (line, column),
                ),
                Step::Skipped(skipped, place) => (
                    match skipped {
                        Skipped::Word(word) => format!("word {}", ByteStr::new(word)),
                        Skipped::ArrayStart => "{".to_owned(),
                        Skipped::ArrayEnd => "}".to_owned(),
                        Skipped::ArraysEnd => ";".to_owned(),
                        Skipped::Enum(constants) => format!("enum {}", ByteStr::new(constants).to_string().trim()),
                        Skipped::Lost(_) => "lost".to_owned(),
                        other => format!("{other:?}"),
                    },
                    place,
                ),
            };
            let lost = if reader.lost().is_some() && what != "lost" { " lost" } else { "" };
            steps.push(format!("{line}:{column} {what}{lost}"));
        }
        steps
    }

    #[test]
    fn each_form_of_an_entry_has_its_step_and_the_place_of_its_start() {
        for (text, expected) in [
            ("  class A {", &["1:3 class A"][..]),
            ("class A\n:B\n{\n};", &["1:1 class A of B", "4:1 end"]),
            ("class A: B;", &["1:1 extern A lost"]),
            ("class A;;", &["1:1 extern A"]),
            ("Delete A; a=1;", &["1:1 delete A", "1:13 a = 1"]),
            ("a =\n  1;", &["2:3 a = 1"]),
            ("a = 1 }", &["1:5 a = 1", "1:7 end"]),
            ("a[] = { 1, \"2\" };", &["1:1 a[] false", "1:9 a[] 1", "1:12 a[] 2", "1:16 }"]),
            (
                "a[] += {{1}, 2};b=3;",
                &["1:1 a[] true", "1:9 {", "1:10 a[] 1", "1:11 }", "1:14 a[] 2", "1:15 }", "1:19 b = 3"],
            ),
            // All levels end, and what follows are entries again.
            ("a[] = {{1; b = 2;", &["1:1 a[] false", "1:8 {", "1:9 a[] 1", "1:10 ;", "1:16 b = 2"]),
            ("a[] = 1;", &["1:7 a = 1 lost"]),
            ("enum X { A, /* } */ B } a = 1;", &["1:1 enum A, /* } */ B", "1:29 a = 1"]),
            ("enum X; a = 1;", &["1:13 a = 1"]),
            ("a = 1; NAME\nb = 2;", &["1:5 a = 1", "1:8 word NAME", "2:5 b = 2"]),
            ("F(a, b) b = 2;", &["1:1 call F(a, b)", "1:13 b = 2"]),
            (
                "#include <a>\n#include \"b\" c\n# include d\na = 1;",
                &["1:1 include a", "2:1 include b", "3:1 lost", "4:5 a = 1"],
            ),
            ("a = \"b\" \"c\"; d = 1;", &["1:5 a = b", "1:9 lost", "1:18 d = 1"]),
            ("a = \"b\nc = 1;", &["1:5 a = b lost", "2:5 c = 1"]),
            ("a = #(x,1)y(2); b = 1;", &["1:5 a = #(x,1)y(2)", "1:21 b = 1"]),
        ] {
            assert_eq!(steps(text), expected, "{text}");
            // Lines of comments count.
            let later: Vec<String> = expected
                .iter()
                .map(|step| {
                    let (line, rest) = step.split_once(':').unwrap();
                    format!("{}:{rest}", line.parse::<u32>().unwrap() + 2)
                })
                .collect();
            assert_eq!(steps(&format!("/* a = 1;\n*/// {{\n{text}")), later, "{text}");
        }
    }
}
