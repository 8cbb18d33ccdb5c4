//! Macros of configs as text: definitions, and what a use expands to.
//!
//! As in Arma, arguments are expanded before they are put in, `#name` puts an argument into quotes, `##` joins what is
//! around it, and nothing in quotes is expanded.

use std::collections::HashMap;

use crate::base::amount::Amount;
use crate::base::code::Code;
use crate::base::error::{Error, Result};
use crate::base::limits::Limits;

/// The maximum depth of macros inside each other. Real configs have up to 9.
const MOST_DEPTH: usize = 64;
/// The maximum number of parameters.
const MOST_PARAMETERS: usize = 64;

/// Macros that are understood without a definition.
const BUILT_IN: [&[u8]; 5] = [b"PATHTOF", b"QPATHTOF", b"QPATHTO_R", b"QPATHTOEF", b"QUOTE"];

/// A line that defines a macro, or ends its definition.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Define {
    name: Box<[u8]>,
    meaning: Meaning,
}

/// The text that takes the place of a name after its definition.
#[derive(Debug, PartialEq, Eq)]
enum Meaning {
    /// The body of a macro without parameters.
    Object(Box<[u8]>),
    /// A macro that is called with arguments.
    Function { parameters: Vec<Box<[u8]>>, body: Box<[u8]> },
    /// The name alone: its definition ends (`#undef`).
    Nothing,
}

impl Define {
    /// Reads what follows `#define`. Returns `None` if it has no name, or its parameters do not end.
    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        let text = text.trim_ascii_start();
        let (name, rest) = text.split_at(name_len(text));
        if name.is_empty() {
            return None;
        }
        let Some(inner) = rest.strip_prefix(b"(") else {
            return Some(Self { name: name.into(), meaning: Meaning::Object(body_of(rest)) });
        };
        // A `(` directly after the name starts the parameters.
        let (list, body) = inner.split_at_checked(memchr::memchr(b')', inner)?)?;
        let mut parameters = Vec::new();
        for parameter in list.split(|&byte| byte == b',').take(MOST_PARAMETERS) {
            parameters.push(parameter.trim_ascii().into());
        }
        let body = body_of(body.get(1..).unwrap_or_default());
        Some(Self { name: name.into(), meaning: Meaning::Function { parameters, body } })
    }

    /// Reads what follows `#undef`.
    pub(crate) fn undefine(text: &[u8]) -> Self {
        Self { name: text.trim_ascii().into(), meaning: Meaning::Nothing }
    }

    /// Returns the memory that its texts take.
    pub(crate) fn byte_len(&self) -> usize {
        let rest = match &self.meaning {
            Meaning::Object(body) => body.len(),
            Meaning::Function { parameters, body } => {
                let names = parameters.iter().map(|name| name.len().saturating_add(size_of::<Box<[u8]>>()));
                names.fold(body.len(), usize::saturating_add)
            }
            Meaning::Nothing => 0,
        };
        self.name.len().saturating_add(rest)
    }
}

/// Returns a body without its comments, and on one line.
pub(crate) fn body_of(text: &[u8]) -> Box<[u8]> {
    let mut body = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let dropped = match rest {
            [b'/', b'/', ..] => memchr::memchr(b'\n', rest).unwrap_or(rest.len()),
            [b'/', b'*', ..] => memchr::memmem::find(rest, b"*/").map_or(rest.len(), |end| end.saturating_add(2)),
            // The body continues on the next line.
            [b'\\', b'\n', ..] => 2,
            [b'\\', b'\r', b'\n', ..] => 3,
            _ => 0,
        };
        if dropped > 0 {
            rest = rest.get(dropped..).unwrap_or_default();
            continue;
        }
        // Comments in quotes are not comments.
        let kept = if rest.starts_with(b"\"") { quoted_len(rest) } else { 1 };
        let (piece, after) = rest.split_at_checked(kept).unwrap_or((rest, &[]));
        body.extend_from_slice(piece);
        rest = after;
    }
    body.trim_ascii().into()
}

/// Returns the length of the name at the start; 0 if there is none.
fn name_len(text: &[u8]) -> usize {
    if text.first().is_some_and(u8::is_ascii_digit) { 0 } else { word_len(text) }
}

/// Returns the length of the letters, digits and underscores at the start.
fn word_len(text: &[u8]) -> usize {
    text.iter().position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_').unwrap_or(text.len())
}

/// Returns the length of the number at the start, with letters after it, such as `3d`; 0 if there is none.
fn number_len(text: &[u8]) -> usize {
    if text.first().is_some_and(u8::is_ascii_digit) { word_len(text) } else { 0 }
}

/// Returns the length of the quoted text at the start, with its quotes; all of `text` if the closing one is missing.
fn quoted_len(text: &[u8]) -> usize {
    let inner = text.get(1..).unwrap_or_default();
    memchr::memchr(b'"', inner).map_or(text.len(), |end| end.saturating_add(2))
}

/// Reads the arguments of a call from its `(` on. Returns them, and the number of bytes up to and including the `)`.
/// Returns `None` if it does not close.
fn arguments(text: &[u8]) -> Option<(Vec<&[u8]>, usize)> {
    let mut list = Vec::new();
    let mut depth = Amount(0_usize);
    let mut start = 1_usize;
    let mut at = Amount(0_usize);
    while let Some(byte) = text.get(at.0) {
        match byte {
            b'"' => {
                at += quoted_len(text.get(at.0..)?);
                continue;
            }
            b'(' => depth += 1,
            b')' => {
                depth -= 1;
                if depth.0 == 0 {
                    list.push(text.get(start..at.0)?.trim_ascii());
                    return Some((list, (at + 1).0));
                }
            }
            b',' if depth.0 == 1 => {
                list.push(text.get(start..at.0)?.trim_ascii());
                start = (at + 1).0;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// The macros that are defined at one place.
#[derive(Debug, Default)]
pub(crate) struct Macros<'d> {
    by_name: HashMap<&'d [u8], &'d Define>,
}

/// What a use of macros expands to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Expansion {
    pub(crate) text: Vec<u8>,
    /// True if a macro was replaced.
    pub(crate) is_changed: bool,
    /// Why the first call could not be expanded.
    pub(crate) failure: Option<String>,
    /// The bytes that were examined.
    pub(crate) work: u64,
}

impl<'d> Macros<'d> {
    /// Follows a definition: adds the macro, in place of an earlier one of the name, or removes it (`#undef`).
    pub(crate) fn add(&mut self, define: &'d Define) {
        match &define.meaning {
            Meaning::Nothing => self.by_name.remove(&*define.name),
            Meaning::Object(_) | Meaning::Function { .. } => self.by_name.insert(&define.name, define),
        };
    }

    /// Returns true if no macro is defined.
    pub(crate) fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }

    /// Expands a text.
    ///
    /// # Errors
    /// Returns [`Limit`](crate::ErrorKind::Limit) if macros are too deep inside each other, or the text becomes too long.
    pub(crate) fn expand(&self, text: &[u8], limits: &Limits) -> Result<Expansion> {
        let mut run =
            Run { macros: self, limits, active: Vec::new(), depth: Amount(0), expansion: Expansion::default() };
        let mut out = Vec::new();
        run.expand(text, &mut out)?;
        Ok(Expansion { text: out, ..run.expansion })
    }
}

/// An expansion in progress.
struct Run<'r, 'd> {
    macros: &'r Macros<'d>,
    limits: &'r Limits,
    /// The macros whose bodies are being expanded. None is expanded inside itself.
    active: Vec<&'d [u8]>,
    /// The number of bodies and arguments that are being expanded inside each other.
    depth: Amount<usize>,
    /// The result so far, without its text.
    expansion: Expansion,
}

impl<'d> Run<'_, 'd> {
    /// Counts bytes as examined. Returns an error if they exceed the limit in total.
    fn charge(&mut self, bytes: usize) -> Result<()> {
        self.expansion.work = self.expansion.work.saturating_add(bytes as u64);
        let most = self.limits.reference_bytes;
        if self.expansion.work > most {
            return Err(Error::limit("bytes of expanded macros", most, Code::ReferenceBytesLimit));
        }
        Ok(())
    }

    /// Appends the expansion of a text to `out`. Texts in quotes and numbers are not expanded.
    fn expand(&mut self, text: &[u8], out: &mut Vec<u8>) -> Result<()> {
        self.charge(text.len())?;
        let mut rest = text;
        while !rest.is_empty() {
            let name = name_len(rest);
            if name > 0 {
                let taken = self.name(rest, name, out)?;
                rest = rest.get(taken..).unwrap_or_default();
                continue;
            }
            let taken = match rest.first() {
                Some(b'"') => quoted_len(rest),
                _ => number_len(rest).max(1),
            };
            let (piece, after) = rest.split_at_checked(taken).unwrap_or((rest, &[]));
            out.extend_from_slice(piece);
            rest = after;
        }
        Ok(())
    }

    /// Appends the expansion of the name at the start of `text`, which has this length. Returns the number of bytes
    /// that it and its arguments take. A name that is no macro, or one without its arguments, is appended unchanged.
    fn name(&mut self, text: &[u8], length: usize, out: &mut Vec<u8>) -> Result<usize> {
        let (name, after) = text.split_at_checked(length).unwrap_or((text, &[]));
        let is_call = after.starts_with(b"(");
        let known = self.macros.by_name.get(name).copied().filter(|known| !self.active.contains(&&*known.name));
        let Some(define) = known else {
            if is_call && !BUILT_IN.contains(&name) {
                self.fail(|| format!("the macro {} is not defined", String::from_utf8_lossy(name)));
            }
            out.extend_from_slice(name);
            return Ok(length);
        };
        match &define.meaning {
            Meaning::Object(body) => {
                // Without parameters, this only joins what is around `##`.
                let body = self.filled(&[], &[], body)?;
                self.inner(define, &body, out)?;
                Ok(length)
            }
            Meaning::Function { parameters, body } => {
                let found = if is_call { arguments(after) } else { None };
                let Some((given, taken)) = found else {
                    out.extend_from_slice(name);
                    return Ok(length);
                };
                if given.len() != parameters.len() {
                    let (wanted, got) = (parameters.len(), given.len());
                    let name = String::from_utf8_lossy(name);
                    // Missing arguments are empty, further ones are ignored.
                    self.fail(|| format!("the macro {name} takes {wanted} arguments, not {got}"));
                }
                let mut values = Vec::new();
                for argument in given.iter().take(MOST_PARAMETERS) {
                    let mut value = Vec::new();
                    self.deeper(|run| run.expand(argument, &mut value))?;
                    values.push(value);
                }
                let text = self.filled(parameters, &values, body)?;
                self.inner(define, &text, out)?;
                Ok(length.saturating_add(taken))
            }
            Meaning::Nothing => Ok(length),
        }
    }

    /// Keeps the reason why a call could not be expanded, unless an earlier call has one.
    fn fail(&mut self, failure: impl FnOnce() -> String) {
        self.expansion.failure.get_or_insert_with(failure);
    }

    /// Appends the expansion of the text that a macro stands for. In it, the macro itself is not expanded.
    fn inner(&mut self, define: &'d Define, text: &[u8], out: &mut Vec<u8>) -> Result<()> {
        self.expansion.is_changed = true;
        let before = self.active.len();
        self.active.push(&define.name);
        let expanded = self.deeper(|run| run.expand(text, out));
        self.active.truncate(before);
        expanded
    }

    /// Calls `expand` one level deeper. Returns an error if that is too deep.
    fn deeper(&mut self, expand: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let allowed = self.limits.depth as usize;
        let (most, code) = match allowed < MOST_DEPTH {
            true => (allowed, Code::DepthLimit),
            // No caller can raise this one.
            false => (MOST_DEPTH, Code::Limit),
        };
        self.depth += 1;
        if self.depth.0 > most {
            return Err(Error::limit("macros inside each other", most as u64, code));
        }
        let expanded = expand(self);
        self.depth -= 1;
        expanded
    }

    /// Returns a body with these values in place of its parameters, in quotes after `#`, and without `##`.
    fn filled(&mut self, parameters: &[Box<[u8]>], values: &[Vec<u8>], body: &[u8]) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        let mut rest = body;
        while !rest.is_empty() {
            if let Some(after) = rest.strip_prefix(b"##") {
                rest = after;
                continue;
            }
            let named = rest.strip_prefix(b"#").unwrap_or(rest);
            let is_quoting = named.len() < rest.len();
            let (name, after) = named.split_at(name_len(named));
            if !name.is_empty()
                && let Some(place) = parameters.iter().position(|parameter| **parameter == *name)
            {
                let value = values.get(place).map(Vec::as_slice).unwrap_or_default();
                self.charge(value.len())?;
                if is_quoting {
                    out.push(b'"');
                    out.extend_from_slice(value);
                    out.push(b'"');
                } else {
                    out.extend_from_slice(value);
                }
                rest = after;
                continue;
            }
            let taken = match rest.first() {
                Some(b'"') => quoted_len(rest),
                _ => name_len(rest).max(number_len(rest)).max(1),
            };
            let (piece, after) = rest.split_at_checked(taken).unwrap_or((rest, &[]));
            out.extend_from_slice(piece);
            rest = after;
        }
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn defines(text: &str) -> Vec<Define> {
        text.lines().filter_map(|line| Define::parse(line.as_bytes())).collect()
    }

    fn expand(defined: &str, text: &str) -> (String, Option<String>) {
        let defines = defines(defined);
        let mut macros = Macros::default();
        defines.iter().for_each(|define| macros.add(define));
        let expansion = macros.expand(text.as_bytes(), &Limits::default()).unwrap();
        (String::from_utf8(expansion.text).unwrap(), expansion.failure)
    }

    /// Those of CBA, which most mods include.
    const CBA: &str = "PREFIX my
COMPONENT main
MAINPREFIX z
SUBPREFIX addons
QUOTE(var1) #var1
DOUBLES(var1,var2) ##var1##_##var2
ADDON DOUBLES(PREFIX,COMPONENT)
PATHTOF_SYS(var1,var2,var3) \\MAINPREFIX\\##var1\\SUBPREFIX\\##var2\\##var3
PATHTOF(var1) PATHTOF_SYS(PREFIX,COMPONENT,var1)
PATHTOEF(var1,var2) PATHTOF_SYS(PREFIX,var1,var2)
QPATHTOF(var1) QUOTE(PATHTOF(var1))
QPATHTOEF(var1,var2) QUOTE(PATHTOEF(var1,var2))
ICON(name) QPATHTOF(ui\\##name##_ca.paa) // a comment
LOOP LOOP x
EMPTY
STRING(x) \"x\" x
TWO(a,b) class a { model = b; }";

    #[test]
    fn macros_of_real_mods_expand_to_their_paths() {
        for (text, expected) in [
            ("ADDON", "my_main"),
            (r"QPATHTOF(data\a.paa)", r#""\z\my\addons\main\data\a.paa""#),
            (r"QPATHTOEF(other, b.paa)", r#""\z\my\addons\other\b.paa""#),
            ("ICON(house)", r#""\z\my\addons\main\ui\house_ca.paa""#),
            (r#"QUOTE(ICON("a,(b"))"#, r#"""\z\my\addons\main\ui\"a,(b"_ca.paa"""#),
            ("LOOP", "LOOP x"),
            ("a EMPTY b", "a  b"),
            ("STRING(PREFIX)", r#""x" my"#),
            (r#""PREFIX" PREFIX 3PREFIX"#, r#""PREFIX" my 3PREFIX"#),
            ("TWO(A, QPATHTOF(b.p3d))", r#"class A { model = "\z\my\addons\main\b.p3d"; }"#),
        ] {
            assert_eq!(expand(CBA, text), (expected.to_owned(), None), "{text}");
        }
    }

    #[test]
    fn a_call_that_cannot_be_expanded_is_named() {
        for (text, expanded, failure) in [
            ("QPATHTOOF(a.paa)", "QPATHTOOF(a.paa)", "the macro QPATHTOOF is not defined"),
            ("QUOTE(GONE(a))", r#""GONE(a)""#, "the macro GONE is not defined"),
            ("DOUBLES(a)", "a_", "the macro DOUBLES takes 2 arguments, not 1"),
        ] {
            assert_eq!(expand(CBA, text), (expanded.to_owned(), Some(failure.to_owned())), "{text}");
        }
        // A name without parentheses is not a call.
        assert_eq!(expand(CBA, "QUOTE"), ("QUOTE".to_owned(), None));
        assert_eq!(expand(CBA, "QUOTE(a"), ("QUOTE(a".to_owned(), None));
    }

    #[test]
    fn a_definition_ends_with_undef_and_may_go_over_several_lines() {
        let first = Define::parse(b" A(x) class x { \\\n  model = \"a\\b.p3d\"; /* a\n b */ \\\r\n};").unwrap();
        let second = Define::undefine(b" A \r");
        let mut macros = Macros::default();
        macros.add(&first);
        let expanded = macros.expand(b"A(y)", &Limits::default()).unwrap();
        assert_eq!(String::from_utf8(expanded.text).unwrap(), "class y {   model = \"a\\b.p3d\";  };");
        macros.add(&second);
        assert!(!macros.expand(b"A(y)", &Limits::default()).unwrap().is_changed);
    }

    #[test]
    fn depth_and_length_are_limited_by_name() {
        let deep: String = (0..100).map(|number| format!("D{number} D{}\n", number + 1)).collect();
        let wide: String = (1..100).map(|number| format!("W{number}(x) W{0}(x)W{0}(x)\n", number - 1)).collect();
        let wide = format!("W0(x) xx\n{wide}");
        for (defined, text, what, code) in [
            (deep.as_str(), "D0", "macros inside each other", Code::Limit),
            (&wide, "W50(abc)", "bytes of expanded macros", Code::ReferenceBytesLimit),
        ] {
            let defines = defines(defined);
            let mut macros = Macros::default();
            defines.iter().for_each(|define| macros.add(define));
            let error = macros.expand(text.as_bytes(), &Limits::default()).unwrap_err();
            assert!(error.to_string().contains(what) && error.code() == code, "{error}");
        }
        assert_eq!(expand(&deep, "D60").0, "D100");
    }

    #[test]
    fn no_text_makes_a_macro_panic() {
        let pieces = ["A", "B(", "(", ")", ",", "\"", "#", "##", "\\", "\n", "x", " ", "3"];
        let mut texts = vec![String::new()];
        for _ in 0..4 {
            let longer: Vec<String> =
                texts.iter().flat_map(|text| pieces.map(|piece| format!("{text}{piece}"))).collect();
            texts = longer;
        }
        for text in &texts {
            let defines = [Define::parse(format!("B{text}").as_bytes()), Define::parse(format!("A {text}").as_bytes())];
            let mut macros = Macros::default();
            defines.iter().flatten().for_each(|define| macros.add(define));
            let expanded = macros.expand(b"A B(x,A) B(\"", &Limits::default()).unwrap();
            assert!(expanded.text.len() < 10_000, "{text:?}");
        }
    }
}
