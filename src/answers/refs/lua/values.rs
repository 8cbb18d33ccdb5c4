//! Reads the values of keys, and texts that stand alone.

use super::frame::{Around, Frame, ItemKey, Part, joined, open_frame};
use super::lexer::{Kind, Lexer, Start, Token};
use super::words::{IMAGES, MODELS, extension_is_in, is_bare, is_file_name, is_of_engine, is_separator, kind_of};
use crate::base::amount::Amount;
use crate::base::error::Error;
use crate::base::text::ByteStr;
use crate::formats::rap::text::Way;
use crate::summary::{ReferenceKind, References};

/// The most levels of brackets in a value. Lua itself reads no more.
pub(super) const MOST_DEPTH: usize = 200;
/// The most bytes of code that stand for a name.
pub(super) const MOST_CODE: usize = 200;

/// The references of a text, as far as it is read.
pub(super) struct Values<'a> {
    data: &'a [u8],
    pub(super) lexer: Lexer<'a>,
    /// The token that was looked at ahead.
    next: Option<Token<'a>>,
    /// The end of the last token that was taken.
    end: usize,
    pub(super) references: References,
    pub(super) ways: Vec<((u32, u32), Way)>,
}

impl<'a> Values<'a> {
    pub(super) fn of(data: &'a [u8], references: References) -> Self {
        Self { data, lexer: Lexer::new(data), next: None, end: 0, references, ways: Vec::new() }
    }

    /// Reads the whole text. Returns an error if the brackets of a value are too deep.
    pub(super) fn read(&mut self) -> Result<(), Error> {
        let is_of_engine = is_of_engine(self.data);
        let mut key = None;
        let mut is_joined = false;
        while let Some(token) = self.take() {
            let was_joined = std::mem::replace(&mut is_joined, false);
            match token.kind {
                Kind::Name(name) => key = kind_of(name),
                Kind::Assign => {
                    if let Some(kind) = key.take() {
                        self.value(kind)?;
                    }
                }
                // The end of `["key"]`.
                Kind::Mark(b']') => {}
                Kind::Concat | Kind::Compare => {
                    is_joined = true;
                    key = None;
                }
                Kind::Text(text) => {
                    key = kind_of(&text);
                    let ahead = self.peek();
                    if was_joined || matches!(ahead, Some(Kind::Concat | Kind::Compare | Kind::Mark(b']'))) {
                        continue;
                    }
                    if extension_is_in(&text, &["b3d"]) {
                        self.literal(ReferenceKind::Model, &text, token.start.place, [true; 2]);
                    } else if is_of_engine {
                        self.literal(ReferenceKind::Texture, &text, token.start.place, [true; 2]);
                    }
                }
                _ => key = None,
            }
        }
        Ok(())
    }

    fn take(&mut self) -> Option<Token<'a>> {
        let token = match self.next.take() {
            Some(token) => token,
            None => self.lexer.next()?,
        };
        // The lexer is at the end of this token until the next one is looked at.
        self.end = self.lexer.offset();
        Some(token)
    }

    fn peek(&mut self) -> Option<&Kind<'a>> {
        if self.next.is_none() {
            self.next = self.lexer.next();
        }
        Some(&self.next.as_ref()?.kind)
    }

    /// Reads the value of a key, up to the token that ends it.
    fn value(&mut self, kind: ReferenceKind) -> Result<(), Error> {
        let mut frames = vec![Frame::new(Around::Value, true)];
        while let (Some(ahead), Some(frame)) = (self.peek(), frames.last_mut())
            && !frame.ends_before(ahead)
            && let Some(token) = self.take()
        {
            let start = token.start;
            match token.kind {
                Kind::Name(b"function") if frame.around == Around::Value => {
                    frame.add(Part::Code { is_key: false }, start);
                    break;
                }
                Kind::Name(word) => self.name(kind, word, start, frame),
                Kind::Text(_) if frame.is_after_part => frame.set_code(false),
                Kind::Text(text) => frame.add(Part::Text(text, start.place), start),
                Kind::Number => frame.add(Part::Other, start),
                Kind::Other => frame.add(Part::Code { is_key: false }, start),
                Kind::Concat => frame.is_after_part = false,
                Kind::Compare => {
                    frame.is_condition = true;
                    frame.is_after_part = false;
                }
                Kind::Operator => {
                    frame.is_number = true;
                    frame.is_after_part = false;
                }
                Kind::Assign => {
                    // The key of an item is in brackets.
                    frame.reset();
                    frame.key = ItemKey::Other;
                }
                Kind::Mark(open @ (b'(' | b'{' | b'[')) => {
                    if frames.len() > MOST_DEPTH {
                        let message = format!("more than {MOST_DEPTH} levels of brackets, which Lua does not read");
                        return Err(Error::malformed(message).at(start.offset as u64));
                    }
                    open_frame(open, start, &mut frames);
                }
                Kind::Mark(b')' | b'}' | b']') => self.close(kind, start.offset, &mut frames),
                Kind::Mark(b',' | b';') => {
                    self.finish(kind, frame, start.offset);
                    frame.key = ItemKey::None;
                }
                Kind::Mark(_) => {
                    // A field or method of what precedes it.
                    if let Some(Kind::Name(name)) = self.peek() {
                        let is_key = kind_of(name).is_some();
                        self.take();
                        frame.set_code(is_key);
                    }
                }
            }
        }
        let end = self.end;
        while let Some(mut frame) = frames.pop() {
            self.finish(kind, &mut frame, end);
        }
        Ok(())
    }

    /// Takes a name or keyword in a value.
    fn name(&mut self, kind: ReferenceKind, word: &'a [u8], start: Start, frame: &mut Frame<'a>) {
        match word {
            b"and" => drop(frame.reset()),
            b"or" => {
                self.finish(kind, frame, start.offset);
                frame.is_choice = true;
            }
            b"not" => frame.is_condition = true,
            b"nil" | b"true" | b"false" => frame.add(Part::Other, start),
            b"function" => {
                self.skip_function();
                frame.add(Part::Code { is_key: false }, start);
            }
            _ if frame.around == Around::Table && !frame.is_after_part && self.peek() == Some(&Kind::Assign) => {
                self.take();
                let is_named = matches!(word, b"name" | b"image") || kind_of(word) == Some(kind);
                frame.key = if is_named { ItemKey::Named } else { ItemKey::Other };
            }
            _ => frame.add(Part::Code { is_key: kind_of(word).is_some() }, start),
        }
    }

    /// Skips to the `end` of a function.
    fn skip_function(&mut self) {
        let mut depth = Amount(1_usize);
        while depth.0 > 0
            && let Some(token) = self.take()
        {
            match token.kind {
                Kind::Name(b"function" | b"if" | b"do" | b"repeat") => depth += 1,
                Kind::Name(b"end" | b"until") => depth -= 1,
                _ => {}
            }
        }
    }

    fn close(&mut self, kind: ReferenceKind, end: usize, frames: &mut Vec<Frame<'a>>) {
        let Some(mut inner) = frames.pop() else { return };
        let is_one = inner.around == Around::Group && !inner.is_condition && !inner.is_choice;
        if is_one && inner.parts.iter().all(Part::is_text) {
            // The text of a group may go on after it.
            let (text, place) = joined(&inner.parts);
            if let Some(place) = place
                && let Some(outer) = frames.last_mut()
                && let Some(group) = outer.parts.last_mut()
            {
                *group = Part::Text(text.into(), place);
            }
            return;
        }
        self.finish(kind, &mut inner, end);
    }

    /// Lists the names of the expression that ends here.
    fn finish(&mut self, kind: ReferenceKind, frame: &mut Frame<'a>, end: usize) {
        let is_left_out = frame.is_condition || frame.around == Around::Code;
        let is_number = frame.is_number;
        let parts = frame.reset();
        if is_left_out {
            return;
        }
        if parts.iter().all(Part::is_text) {
            let (text, place) = joined(&parts);
            let Some(place) = place else { return };
            self.literal(kind, &text, place, [true; 2]);
            let is_item = frame.around == Around::Table && frame.key == ItemKey::None && frame.has_names;
            if is_item && kind == ReferenceKind::Texture && is_bare(&text) {
                self.add(kind, &text, place, Way::Path);
            }
            return;
        }
        let mut has_text = false;
        for (index, part) in parts.iter().enumerate() {
            if let Part::Text(text, place) = part {
                has_text = true;
                self.literal(kind, text, *place, [index == 0, index.saturating_add(1) == parts.len()]);
            }
        }
        let is_code = match parts.as_slice() {
            [Part::Code { is_key }] => !is_key && !is_number,
            [_] => false,
            _ => has_text || !is_number,
        };
        if is_code && frame.may_name() {
            self.code(kind, frame.start, end);
        }
    }

    /// Lists the names in a text. Code precedes or follows it on the sides that are not whole.
    fn literal(&mut self, kind: ReferenceKind, text: &[u8], place: (u32, u32), [is_start, is_end]: [bool; 2]) {
        if kind == ReferenceKind::Model {
            if is_start && is_end && extension_is_in(text, &MODELS) && is_file_name(text) {
                self.add(kind, text, place, Way::Path);
            }
            return;
        }
        let mut next = Amount(0);
        for piece in text.split(is_separator) {
            let is_first = next.0 == 0;
            next = next + piece.len() + 1;
            let is_last = next.0 > text.len();
            let is_whole = (!is_first || is_start) && (!is_last || is_end);
            if is_whole && extension_is_in(piece, &IMAGES) && is_file_name(piece) {
                // A pattern for names, or the end of names.
                let is_part = piece.contains(&b'%') || piece.starts_with(b"_");
                let way = if is_part { Way::Unresolved } else { Way::Path };
                self.add(kind, piece, place, way);
            }
        }
    }

    /// Lists code that stands for a name.
    fn code(&mut self, kind: ReferenceKind, start: Start, end: usize) {
        let code = self.data.get(start.offset..end).unwrap_or_default().trim_ascii();
        let shown = code.get(..MOST_CODE).unwrap_or(code);
        let words: Vec<&[u8]> = shown.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
        let mut text = words.join(&b' ');
        if shown.len() < code.len() {
            text.extend_from_slice(b" ...");
        }
        self.add(kind, &text, start.place, Way::Unresolved);
    }

    fn add(&mut self, kind: ReferenceKind, name: &[u8], place: (u32, u32), way: Way) {
        if self.references.add(kind, ByteStr::new(name)) {
            self.ways.push((place, way));
        }
    }
}
