//! Expressions in brackets, as far as they are read.

use std::borrow::Cow;

use super::lexer::{Kind, Start};
use super::words::is_statement;

/// The most texts that are joined with `..`, the rest is code. Lua itself joins some 250.
pub(super) const MOST_PARTS: usize = 1000;

/// Part of an expression whose parts are joined with `..`.
#[derive(Clone, Debug)]
pub(super) enum Part<'a> {
    Text(Cow<'a, [u8]>, (u32, u32)),
    /// Code. True if it ends with a key that is read where it is set.
    Code {
        is_key: bool,
    },
    /// A table, a number, or a group whose names are listed.
    Other,
}

impl Part<'_> {
    pub(super) fn is_text(&self) -> bool {
        matches!(self, Self::Text(..))
    }
}

/// Returns the text that the texts among the parts make, and the place of the first.
pub(super) fn joined(parts: &[Part<'_>]) -> (Vec<u8>, Option<(u32, u32)>) {
    let mut whole = Vec::new();
    let mut first = None;
    for part in parts {
        if let Part::Text(text, place) = part {
            whole.extend_from_slice(text);
            first.get_or_insert(*place);
        }
    }
    (whole, first)
}

/// The brackets around an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Around {
    /// None: the value of the key.
    Value,
    Table,
    Group,
    /// Arguments and indices: what they hold is not the value.
    Code,
}

/// The key of an item of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ItemKey {
    None,
    /// One that names files, such as `name`.
    Named,
    Other,
}

/// What stands in one pair of brackets.
#[derive(Debug)]
pub(super) struct Frame<'a> {
    pub(super) around: Around,
    /// False if code in it stands for something else than a name.
    pub(super) has_names: bool,
    /// The parts of the current expression, and where it starts.
    pub(super) parts: Vec<Part<'a>>,
    pub(super) start: Start,
    pub(super) key: ItemKey,
    /// True if the last token ended a part.
    pub(super) is_after_part: bool,
    /// True if the expression is a condition.
    pub(super) is_condition: bool,
    /// True if the expression calculates.
    pub(super) is_number: bool,
    /// True if the brackets hold several alternatives.
    pub(super) is_choice: bool,
}

impl<'a> Frame<'a> {
    pub(super) fn new(around: Around, has_names: bool) -> Self {
        Self {
            around,
            has_names,
            parts: Vec::new(),
            start: Start::default(),
            key: ItemKey::None,
            is_after_part: false,
            is_condition: false,
            is_number: false,
            is_choice: false,
        }
    }

    pub(super) fn add(&mut self, part: Part<'a>, start: Start) {
        if self.parts.is_empty() {
            self.start = start;
        }
        if self.parts.len() < MOST_PARTS {
            self.parts.push(part);
        } else {
            self.set_code(false);
        }
        self.is_after_part = true;
    }

    /// Makes code of the last part: it is called or indexed.
    pub(super) fn set_code(&mut self, is_key: bool) {
        if let Some(last) = self.parts.last_mut() {
            *last = Part::Code { is_key };
        }
    }

    /// Returns true if code in the current expression stands for a name.
    pub(super) fn may_name(&self) -> bool {
        self.has_names && self.key != ItemKey::Other
    }

    /// Begins the next expression of the same item.
    pub(super) fn reset(&mut self) -> Vec<Part<'a>> {
        self.is_after_part = false;
        self.is_condition = false;
        self.is_number = false;
        std::mem::take(&mut self.parts)
    }

    /// Returns true if this token is not part of the value.
    pub(super) fn ends_before(&self, ahead: &Kind<'_>) -> bool {
        let is_outermost = self.around == Around::Value;
        match ahead {
            Kind::Name(word) if is_statement(word) => true,
            // The next statement begins.
            Kind::Name(word) => is_outermost && self.is_after_part && !matches!(*word, b"and" | b"or"),
            Kind::Mark(b')' | b'}' | b']' | b',' | b';') | Kind::Assign => is_outermost,
            _ => false,
        }
    }
}

pub(super) fn open_frame(open: u8, start: Start, frames: &mut Vec<Frame<'_>>) {
    let Some(frame) = frames.last_mut() else { return };
    let has_names = frame.may_name() && frame.around != Around::Code;
    let mut around = match open {
        b'{' => Around::Table,
        b'(' => Around::Group,
        _ => Around::Code,
    };
    if frame.is_after_part {
        // What is called or indexed is code.
        around = Around::Code;
        let is_key = open == b'[' && matches!(frame.parts.last(), Some(Part::Code { is_key: true }));
        frame.set_code(is_key);
    } else {
        frame.add(Part::Other, start);
    }
    frames.push(Frame::new(around, has_names));
}
