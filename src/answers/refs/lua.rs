//! Models and textures that the Lua texts of Luanti mods name.
//!
//! Literal texts are read under the keys of definitions: `mesh = "x.b3d"`, `textures = {"a.png^b.png"}`. In a text that
//! calls the engine, so are those that stand alone, such as arguments. What code builds from variables is listed as code,
//! [unresolved](super::State::Unresolved).

mod lexer;

use std::borrow::Cow;
use std::path::Path;

use self::lexer::{Kind, Lexer, Start, Token};
use super::configs::Ask;
use crate::base::amount::Amount;
use crate::base::error::Error;
use crate::base::limits::Limits;
use crate::base::text::ByteStr;
use crate::formats::rap::text::Way;
use crate::scan::config_names::extension_in;
use crate::summary::{Problems, ReferenceKind, References};

/// The most bytes of a Lua text.
pub(super) const MOST_BYTES: usize = 16 << 20;
/// The most levels of brackets in a value. Lua itself reads no more.
const MOST_DEPTH: usize = 200;
/// The most texts that are joined with `..`, the rest is code. Lua itself joins some 250.
const MOST_PARTS: usize = 1000;
/// The most bytes of code that stand for a name.
const MOST_CODE: usize = 200;

/// The extensions of images and models that the engine reads, as it compares them.
pub(super) const IMAGES: [&str; 5] = ["png", "jpg", "tga", "bmp", "jpeg"];
const MODELS: [&str; 5] = ["b3d", "obj", "x", "gltf", "glb"];

/// Returns true for names of Lua texts.
pub(super) fn is_lua(name: &Path) -> bool {
    extension_in(name, &["lua"])
}

/// Returns the references of a Lua text, each once, and the error if some are not read.
pub(super) fn asks(data: &[u8], limits: &Limits) -> (Vec<Ask>, Option<Error>) {
    if data.len() > MOST_BYTES {
        let message = format!("a Lua text of more than {MOST_BYTES} bytes, which is not read");
        return (Vec::new(), Some(Error::unsupported(message)));
    }
    let references = References::new(limits);
    let mut values = Values { data, lexer: Lexer::new(data), next: None, end: 0, references, ways: Vec::new() };
    let deep = values.read().err();
    let Values { lexer, references, ways, .. } = values;
    let cut = deep.or(lexer.cut).or(references.limit_error());
    let list = references.into_vec(&mut Problems::new(limits));
    let mut asks = Vec::with_capacity(list.len());
    for (reference, (place, way)) in std::iter::zip(list, ways) {
        asks.push(Ask { place: Some(place), way, ..Ask::of(reference) });
    }
    (asks, cut)
}

/// The kind of files that a key names: `mesh`, `textures`, and longer ones such as `child_textures` or `wield_image`.
fn kind_of(key: &[u8]) -> Option<ReferenceKind> {
    let last = key.rsplit(|&byte| byte == b'_').next().unwrap_or_default();
    let is_alone = last.len() == key.len();
    match last {
        b"mesh" | b"meshes" => Some(ReferenceKind::Model),
        b"texture" | b"textures" | b"tiles" | b"palette" => Some(ReferenceKind::Texture),
        b"image" | b"overlay" if !is_alone => Some(ReferenceKind::Texture),
        _ => None,
    }
}

fn extension_is_in(name: &[u8], known: &[&str]) -> bool {
    let Some(dot) = memchr::memrchr(b'.', name) else { return false };
    let extension = name.get(dot.saturating_add(1)..).unwrap_or_default();
    dot > 0 && known.iter().any(|known| extension == known.as_bytes())
}

/// Returns true for bytes that separate names in a texture: `a.png^[combine:8x8:0,0=b.png`, `(a.png^b.png)^c.png`.
fn is_separator(byte: &u8) -> bool {
    b"^()[]:={}&\\".contains(byte)
}

/// Returns true for the name of a file, or a pattern for such names. A path and what a form shows are none.
fn is_file_name(name: &[u8]) -> bool {
    name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_.- %".contains(byte) || !byte.is_ascii())
}

/// Returns true for texts that call the engine.
fn is_of_engine(data: &[u8]) -> bool {
    for global in [&b"minetest."[..], b"core."] {
        for place in memchr::memmem::find_iter(data, global) {
            let before = data.get(..place).unwrap_or_default();
            if !ends_with_name(before) {
                return true;
            }
        }
    }
    false
}

/// Returns true if this code ends with a name or a dot, so that a word after it belongs to the name.
fn ends_with_name(code: &[u8]) -> bool {
    let Some(last) = code.last() else { return false };
    last.is_ascii_alphanumeric() || b"_.".contains(last)
}

/// Returns true for a name that may lack its extension.
fn is_bare(text: &[u8]) -> bool {
    text.iter().any(u8::is_ascii_alphabetic)
        && text.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// Returns true for keywords that no value contains, outside functions.
fn is_statement(word: &[u8]) -> bool {
    const WORDS: [&str; 15] = [
        "break", "do", "else", "elseif", "end", "for", "goto", "if", "in", "local", "repeat", "return", "then",
        "until", "while",
    ];
    WORDS.iter().any(|known| word == known.as_bytes())
}

/// Part of an expression whose parts are joined with `..`.
#[derive(Clone, Debug)]
enum Part<'a> {
    Text(Cow<'a, [u8]>, (u32, u32)),
    /// Code. True if it ends with a key that is read where it is set.
    Code {
        is_key: bool,
    },
    /// A table, a number, or a group whose names are listed.
    Other,
}

impl Part<'_> {
    fn is_text(&self) -> bool {
        matches!(self, Self::Text(..))
    }
}

/// Returns the text that the texts among the parts make, and the place of the first.
fn joined(parts: &[Part<'_>]) -> (Vec<u8>, Option<(u32, u32)>) {
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
enum Around {
    /// None: the value of the key.
    Value,
    Table,
    Group,
    /// Arguments and indices: what they hold is not the value.
    Code,
}

/// The key of an item of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ItemKey {
    None,
    /// One that names files, such as `name`.
    Named,
    Other,
}

/// What stands in one pair of brackets.
#[derive(Debug)]
struct Frame<'a> {
    around: Around,
    /// False if code in it stands for something else than a name.
    has_names: bool,
    /// The parts of the current expression, and where it starts.
    parts: Vec<Part<'a>>,
    start: Start,
    key: ItemKey,
    /// True if the last token ended a part.
    is_after_part: bool,
    /// True if the expression is a condition.
    is_condition: bool,
    /// True if the expression calculates.
    is_number: bool,
    /// True if the brackets hold several alternatives.
    is_choice: bool,
}

impl<'a> Frame<'a> {
    fn new(around: Around, has_names: bool) -> Self {
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

    fn add(&mut self, part: Part<'a>, start: Start) {
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
    fn set_code(&mut self, is_key: bool) {
        if let Some(last) = self.parts.last_mut() {
            *last = Part::Code { is_key };
        }
    }

    /// Returns true if code in the current expression stands for a name.
    fn may_name(&self) -> bool {
        self.has_names && self.key != ItemKey::Other
    }

    /// Begins the next expression of the same item.
    fn reset(&mut self) -> Vec<Part<'a>> {
        self.is_after_part = false;
        self.is_condition = false;
        self.is_number = false;
        std::mem::take(&mut self.parts)
    }

    /// Returns true if this token is not part of the value.
    fn ends_before(&self, ahead: &Kind<'_>) -> bool {
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

struct Values<'a> {
    data: &'a [u8],
    lexer: Lexer<'a>,
    /// The token that was looked at ahead.
    next: Option<Token<'a>>,
    /// The end of the last token that was taken.
    end: usize,
    references: References,
    ways: Vec<((u32, u32), Way)>,
}

impl<'a> Values<'a> {
    fn read(&mut self) -> Result<(), Error> {
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

fn open_frame(open: u8, start: Start, frames: &mut Vec<Frame<'_>>) {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Each reference as its kind, name and way, such as `t a.png` or `m? def.model`.
    fn read(lua: &str) -> Vec<String> {
        let (asks, cut) = asks(lua.as_bytes(), &Limits::default());
        assert!(cut.is_none(), "{lua}: {cut:?}");
        let row = |ask: &Ask| {
            let kind = if ask.reference.kind == ReferenceKind::Model { "m" } else { "t" };
            let mark = if ask.way == Way::Path { "" } else { "?" };
            format!("{kind}{mark} {}", ask.reference.name.text)
        };
        asks.iter().map(row).collect()
    }

    #[test]
    fn names_are_the_literal_texts_of_models_and_textures() {
        for (lua, expected) in [
            (r#"mesh = "x.b3d""#, &["m x.b3d"][..]),
            (
                r#"{mesh = 'x.obj', textures = {"a.png", [[b.jpg]]; "c.tga"}}"#,
                &["m x.obj", "t a.png", "t b.jpg", "t c.tga"],
            ),
            (r#"["mesh"] = "x.b3d", ['textures'] = {"a.png"}"#, &["m x.b3d", "t a.png"]),
            (r#"def.textures = {{"a.png"}, {"b.png", "a.png"}}"#, &["t a.png", "t b.png"]),
            (
                r#"male_textures = {"a.png"}, wield_image = "b.png" overlay_tiles = {"", "c.png"}"#,
                &["t a.png", "t b.png", "t c.png"],
            ),
            (
                r#"tiles = {{name = "a.png", animation = {type = "vertical_frames", length = n}}, "b.png"}"#,
                &["t a.png", "t b.png"],
            ),
            (r#"tiles = {{image = "a.png", color = c, backface_culling = not x}}"#, &["t a.png"]),
            ("local textures = {\"a.png\"}\nlocal x = \"no.png\"\nfoo(\"no.png\")", &["t a.png"]),
            ("textures = {\n\t-- \"no.png\",\n\t\"a.png\", --[[ \"no.png\" ]]\n}", &["t a.png"]),
            (
                r#"textures = {}, mesh = nil, tiles = {"", 7}, texture = false, image = "no.png", overlay = "no.png""#,
                &[],
            ),
            (r#"textures = {"default:stone"}, mesh = "", texture = "", description = "no.png""#, &[]),
            (r#"textures == {"no.png"}, mesh ~= "no.b3d", texture = "sub/no.png""#, &[]),
            (
                r#"player_api.register_model("character.b3d", {textures = {"character.png"}})"#,
                &["m character.b3d", "t character.png"],
            ),
            (r#"if mesh == "no.b3d" or x .. "no.b3d" == y then"#, &[]),
            (r#"tiles = {"stone", "a_b", x = "no"}, texture = "no""#, &["t stone", "t a_b"]),
        ] {
            assert_eq!(read(lua), expected, "{lua}");
        }
    }

    #[test]
    fn texts_that_stand_alone_are_names_in_code_for_the_engine() {
        let code = r#"register("x", {"a.png", 'b.png^c.png'}, "d.jpg", t["no.png"], path .. "no.png", "no.png" .. x,
            "image[0,0;1,1;no.png]", y == "no.png", "sub/no.png", "e_%d.png", x:gsub(".png", "_f.png")); t["no.png"] = 1"#;
        let expected = ["t a.png", "t b.png", "t c.png", "t d.jpg", "t? e_%d.png", "t? _f.png"];
        for global in ["minetest.after", "core.after"] {
            assert_eq!(read(&format!("{global}(1, f)\n{code}")), expected);
        }
        for other in ["", "score.add(1)\n", "my.core.add(1)\n", "core = {}\n"] {
            assert!(read(&format!("{other}{code}")).is_empty(), "{other}");
        }
    }

    #[test]
    fn modifiers_are_split_into_names() {
        for (texture, expected) in [
            ("a.png^b.png", &["a.png", "b.png"][..]),
            ("a.png^[colorize:#ff0000:120", &["a.png"]),
            ("(a.png^[multiply:red)^(b.png^[opacity:9)", &["a.png", "b.png"]),
            ("[combine:16x16:0,0=a.png:8,8=b.png", &["a.png", "b.png"]),
            (r"[combine:16x16:0,0=a.png\\^[colorize\\:red", &["a.png"]),
            ("[inventorycube{a.png{b.png&c.png{d.png", &["a.png", "b.png", "c.png", "d.png"]),
            ("a.png^[mask:b.png^[transformR90", &["a.png", "b.png"]),
            ("a.png^[lowpart:50:b.png", &["a.png", "b.png"]),
            ("[png:iVBORw0KGgo+/=", &[]),
            ("blank.png^[crack:1:0", &["blank.png"]),
            ("a.b.png^.png^png", &["a.b.png"]),
        ] {
            let expected: Vec<String> = expected.iter().map(|name| format!("t {name}")).collect();
            assert_eq!(read(&format!("texture = \"{texture}\"")), expected, "{texture}");
        }
    }

    #[test]
    fn names_that_code_builds_are_unresolved() {
        for (lua, expected) in [
            (r#"textures = {"mobs_" .. name .. ".png"}"#, &[r#"t? "mobs_" .. name .. ".png""#][..]),
            (r#"mesh = "mobs_" .. name .. ".b3d""#, &[r#"m? "mobs_" .. name .. ".b3d""#]),
            // Whole names beside what is built.
            (r#"texture = "a.png^" .. over"#, &["t a.png", r#"t? "a.png^" .. over"#]),
            (r#"texture = base .. "_x.png^b.png""#, &["t b.png", r#"t? base .. "_x.png^b.png""#]),
            (r#"texture = base .. ".png^b.png^c.p" .. x"#, &["t b.png", r#"t? base .. ".png^b.png^c.p" .. x"#]),
            // Texts that are joined are one text.
            ("texture = \"a.png\" ..\n\t\"^b.png\" .. ('^c' .. '.png')", &["t a.png", "t b.png", "t c.png"]),
            // Choices list each text.
            (r#"texture = x and "a.png" or y == "no.png" and "b.png" or "c.png""#, &["t a.png", "t b.png", "t c.png"]),
            (r#"texture = (x and "a" or "b") .. ".png""#, &[r#"t? (x and "a" or "b") .. ".png""#]),
            (r#"mesh = name or "a.b3d""#, &["m? name", "m a.b3d"]),
            // A key that is set elsewhere is read there.
            ("mesh = def.mesh, textures = textures, tiles = self.tiles[1], texture = def.textures[i]", &[]),
            ("mesh = def.model, textures = {skin}", &["m? def.model", "t? skin"]),
            (r#"texture = get("no.png"), tiles = t["no.png"]"#, &[r#"t? get("no.png")"#, r#"t? t["no.png"]"#]),
            (r#"texture = ("a_%s.png"):format(x)"#, &[r#"t? ("a_%s.png"):format(x)"#]),
            (r#"textures = {"a_%d.png"}"#, &["t? a_%d.png"]),
            ("texture = function(self) return {texture = \"a.png\"} end", &["t? function", "t a.png"]),
            (
                "textures = {f(function() if x then return \"no.png\" end end), \"a.png\"}",
                &["t? f(function() if x then return \"no.png\" end end)", "t a.png"],
            ),
            (r#"texture = "a_" .. i + 1 .. ".png""#, &[r#"t? "a_" .. i + 1 .. ".png""#]),
            ("texture = i + 1, textures = {#list}, tiles = {...}", &["t? ..."]),
            ("texture = x\ny = \"no.png\"", &["t? x"]),
            ("texture = x\nlocal y = \"no.png\"", &["t? x"]),
        ] {
            assert_eq!(read(lua), expected, "{lua}");
        }
        let long = format!("mesh = {}y", "x .. ".repeat(100));
        let [row] = &read(&long)[..] else { panic!("{long}") };
        assert!(row.len() < MOST_CODE + 10 && row.ends_with(" ..."), "{row}");
    }

    #[test]
    fn places_are_those_of_the_texts() {
        let lua = b"x = {\n  mesh = \"x.b3d\",\n  textures = {\"a.png^b.png\",\n\tname .. 'c'},\n}";
        let (asks, _) = asks(lua, &Limits::default());
        let places: Vec<_> = asks.iter().map(|ask| (ask.reference.name.text.as_str(), ask.place.unwrap())).collect();
        assert_eq!(places, [("x.b3d", (2, 10)), ("a.png", (3, 15)), ("b.png", (3, 15)), ("name .. 'c'", (4, 2))]);
    }

    #[test]
    fn depth_bytes_and_references_are_limited() {
        let nested = |depth: usize| format!("textures = {}\"a.png\"{}", "{".repeat(depth), "}".repeat(depth));
        assert_eq!(read(&nested(MOST_DEPTH)), ["t a.png"]);
        for depth in [MOST_DEPTH + 1, 100_000] {
            let error = asks(nested(depth).as_bytes(), &Limits::default()).1.unwrap().to_string();
            assert!(error.contains("more than 200 levels of brackets"), "{error}");
        }
        // Brackets outside values do not count.
        assert_eq!(read(&format!("{}textures = {{\"a.png\"}}", "{".repeat(100_000))), ["t a.png"]);
        for (parts, is_code) in [(MOST_PARTS, false), (MOST_PARTS + 1, true)] {
            let rows = read(&format!("texture = 'a.png^' ..{} '^b.png'", " '' ..".repeat(parts - 2)));
            assert_eq!((rows.len(), rows[1].starts_with("t?")), (2, is_code), "{rows:?}");
        }
        let large = vec![b' '; MOST_BYTES + 1];
        assert!(asks(&large, &Limits::default()).1.unwrap().to_string().contains("more than 16777216 bytes"));
        assert!(asks(&large[1..], &Limits::default()).1.is_none());
        let many: String = (0..100).map(|index| format!("texture = '{index}.png' ")).collect();
        let limits = Limits { reference_bytes: 1_000, ..Limits::default() };
        let (asks, cut) = asks(many.as_bytes(), &limits);
        assert!(asks.len() < 20 && cut.unwrap().to_string().contains("bytes of references"));
    }

    #[test]
    fn what_is_not_lua_is_an_error_and_the_rest_is_read() {
        let (asks, cut) = asks(b"texture = \"a.png\nmesh = \"x.b3d\"", &Limits::default());
        assert!(cut.unwrap().to_string().contains("a text without its closing quote"));
        assert_eq!(asks.iter().filter(|ask| ask.reference.kind == ReferenceKind::Model).count(), 1);
    }
    #[test]
    fn a_text_of_several_parts_has_the_place_of_the_first() {
        for gap in [" ", "\n", " --x\n  "] {
            for (parts, is_path) in [
                (&["\"a\"", "\".png\""][..], true),
                (&["'a'", "[[b]]", "'.png'"], true),
                (&["\"a\"", "n", "\".png\""], false),
            ] {
                let lua = format!("x = 1\n  tiles = {{{}}}", parts.join(&format!("{gap}..{gap}")));
                let (asks, _) = asks(lua.as_bytes(), &Limits::default());
                assert_eq!(asks.len(), 1, "{lua}");
                assert_eq!((asks[0].place, asks[0].way == Way::Path), (Some((2, 12)), is_path), "{lua}");
            }
        }
    }
}
