//! Writes a binary config as text.

use std::io::{self, Write};

use super::class::{Entries, Entry};
use super::config::Config;
use super::value::{Array, Value};
use super::walk::Step;
use crate::base::amount::Amount;
use crate::base::error::{Context as _, Error, Result};
use crate::base::text::ByteStr;
use crate::budget::Budget;

/// A decimal that every reader rounds to infinity, because it is above the largest float.
const INFINITY: &str = "1000000000000000000000000000000000000000.0";

impl Config<'_> {
    /// Writes the config as text, which the tools of the game compile again. Writes many small pieces, so `out` should
    /// be buffered. Uses memory in proportion to the depth of the classes, and charges the budget for the bodies and the
    /// indentation of entries.
    ///
    /// The text has all entries in stored order and their values:
    /// - Names, texts and expressions have the stored bytes, in any encoding. In a text, `"` is doubled, and a line
    ///   break is `" \n "`.
    /// - A float is the shortest decimal with a point that reads as the same bits. It has no exponent, because some packers
    ///   read one as text. Infinity is 1 with 39 zeros.
    /// - An expression is `__EVAL(...)`.
    /// - A whole number of 64 bits that fits 32 bits is read as one of 32 bits, because text has no types.
    /// - The constants are an `enum` after the classes.
    ///
    /// ```
    /// # let bytes = b"\0raP\0\0\0\0\x08\0\0\0\x1e\0\0\0\0\x01\x01\0name\0x\0\x1e\0\0\0\0\0\0\0";
    /// use meshpeek::rap::Config;
    /// use meshpeek::{Budget, Limits};
    /// let config = Config::parse(bytes)?;
    /// let mut text = Vec::new();
    /// config.write_text(&mut text, &Budget::new(bytes.len() as u64, &Limits::default()))?;
    /// assert_eq!(text, b"name = \"x\";\n");
    /// # Ok::<(), meshpeek::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error at the first class or list of constants that cannot be read, after the text before it. Returns
    /// [`Unsupported`](crate::ErrorKind::Unsupported), also after the text before it, for what no text can express: a
    /// name that is empty or has other characters than names have, a float that is not a number (NaN), an expression
    /// with unbalanced parentheses or a comment, a root class that inherits. Returns the errors of `out` and of [`Budget::charge_work`].
    pub fn write_text(&self, mut out: impl Write, budget: &Budget) -> Result<()> {
        let mut text = Text { out: &mut out, budget, open: Vec::new() };
        for step in self.classes() {
            text.begin(&step?)?;
            // Ends at the entry of the class that is the next step.
            text.entries()?;
        }
        text.enums(self)
    }
}

/// A class of which entries are left to write.
struct Open<'a> {
    /// The index of the class.
    class: usize,
    /// The entries that are left.
    entries: Entries<'a>,
    /// The index of the next entry.
    next: Amount<usize>,
}

/// A text in progress.
struct Text<'w, 'a> {
    out: &'w mut dyn Write,
    budget: &'w Budget,
    /// The classes around the next entry, the root class first. The walk limits their depth.
    open: Vec<Open<'a>>,
}

impl<'a> Text<'_, 'a> {
    /// Writes the first line of a class. An empty class has no other line.
    fn begin(&mut self, step: &Step<'a>) -> Result<()> {
        let class = &step.class;
        self.budget.charge_work(class.byte_len())?;
        let is_root = step.outer.is_none();
        if !class.parent.is_empty() && (is_root || !is_name(class.parent)) {
            let message = if is_root { "a root class that inherits" } else { "a name with such characters" };
            let error = inexpressible(message).at(class.offset());
            return Err(error.within("parent").within_item("classes", step.index));
        }
        if !is_root {
            self.indent()?;
            self.put(&[b"class ", class.name.as_bytes()])?;
            if !class.parent.is_empty() {
                self.put(&[b": ", class.parent.as_bytes()])?;
            }
            self.put(&[if class.is_empty() { b" {};\n" } else { b" {\n" }])?;
        }
        if is_root || !class.is_empty() {
            self.open.push(Open { class: step.index, entries: class.entries(), next: Amount(0) });
        }
        Ok(())
    }

    /// Writes the entries up to the next inner class, and the ends of the classes before it.
    fn entries(&mut self) -> Result<()> {
        while let Some(around) = self.open.last_mut() {
            let offset = around.entries.offset();
            let Some(entry) = around.entries.next() else {
                self.open.pop();
                self.end()?;
                continue;
            };
            let index = around.next.0;
            around.next += 1;
            check(&entry, offset).within_item("entries", index).within_item("classes", around.class)?;
            if matches!(entry, Entry::Class(_)) {
                return Ok(());
            }
            self.budget.charge_work(self.open.len() as u64)?;
            self.entry(&entry)?;
        }
        Ok(())
    }

    /// Writes the last line of the class that was removed from `open` just now. The root class has none.
    fn end(&mut self) -> io::Result<()> {
        if self.open.is_empty() {
            return Ok(());
        }
        self.indent()?;
        self.put(&[b"};\n"])
    }

    /// Writes an entry that is not an inner class.
    fn entry(&mut self, entry: &Entry<'_>) -> io::Result<()> {
        self.indent()?;
        match entry {
            Entry::Class(_) => return Ok(()),
            Entry::Value(entry) => {
                self.put(&[entry.name.as_bytes(), b" = "])?;
                self.value(&entry.value)?;
            }
            Entry::Array(entry) => {
                self.put(&[entry.name.as_bytes(), b"[] = "])?;
                self.array(&entry.items)?;
            }
            Entry::Append(entry) => {
                self.put(&[entry.name.as_bytes(), b"[] += "])?;
                self.array(&entry.items)?;
            }
            Entry::Extern(entry) => self.put(&[b"class ", entry.name.as_bytes()])?,
            Entry::Delete(entry) => self.put(&[b"delete ", entry.name.as_bytes()])?,
        }
        self.put(&[b";\n"])
    }

    /// Writes an array with its nested arrays.
    fn array(&mut self, array: &Array<'_>) -> io::Result<()> {
        self.put(&[b"{"])?;
        // The number of nested arrays that are open.
        let mut depth = Amount(0);
        let mut is_first = true;
        for item in array.items() {
            while depth.0 > item.depth {
                self.put(&[b"}"])?;
                depth -= 1;
                is_first = false;
            }
            if !is_first {
                self.put(&[b", "])?;
            }
            is_first = false;
            if let Value::Array(_) = item.value {
                // Its items follow, one level deeper.
                self.put(&[b"{"])?;
                depth += 1;
                is_first = true;
            } else {
                self.value(&item.value)?;
            }
        }
        for _ in 0..=depth.0 {
            self.put(&[b"}"])?;
        }
        Ok(())
    }

    /// Writes a value. Arrays are written by [`array`](Self::array).
    fn value(&mut self, value: &Value<'_>) -> io::Result<()> {
        match value {
            Value::Text(text) => self.quoted(text.as_bytes()),
            Value::Float(number) if number.is_infinite() => {
                let sign = if *number < 0.0 { "-" } else { "" };
                write!(self.out, "{sign}{INFINITY}")
            }
            // The display form has no exponent, and a point only if there are digits after it.
            Value::Float(number) => write!(self.out, "{number}{}", if number.fract() == 0.0 { ".0" } else { "" }),
            Value::Int(number) => write!(self.out, "{number}"),
            Value::Long(number) => write!(self.out, "{number}"),
            Value::Expression(text) => self.put(&[b"__EVAL(", text.as_bytes(), b")"]),
            Value::Array(_) => Ok(()),
        }
    }

    /// Writes a text in quotes.
    fn quoted(&mut self, text: &[u8]) -> io::Result<()> {
        self.put(&[b"\""])?;
        let mut rest = text;
        while let Some(place) = memchr::memchr2(b'"', b'\n', rest) {
            let (before, after) = rest.split_at(place);
            let is_quote = after.starts_with(b"\"");
            self.put(&[before, if is_quote { b"\"\"" } else { b"\" \\n \"" }])?;
            rest = after.get(1..).unwrap_or_default();
        }
        self.put(&[rest, b"\""])
    }

    /// Writes the constants after the classes, if there are any.
    fn enums(&mut self, config: &Config<'_>) -> Result<()> {
        let (enums, span) = config.spanned_enums()?;
        self.budget.charge_work(span.bytes)?;
        for (index, one) in enums.iter().enumerate() {
            if !is_name(one.name) {
                let error = inexpressible("a name with such characters").at(span.offset);
                return Err(error.within("name").within_item("enums", index));
            }
            self.put(&[if index == 0 { b"enum {\n\t" } else { b",\n\t" }, one.name.as_bytes()])?;
            write!(self.out, " = {}", one.value)?;
        }
        if !enums.is_empty() {
            self.put(&[b"\n};\n"])?;
        }
        Ok(())
    }

    /// Writes the indentation of a line in the innermost open class. What is in the root class has none.
    fn indent(&mut self) -> io::Result<()> {
        for _ in 1..self.open.len() {
            self.put(&[b"\t"])?;
        }
        Ok(())
    }

    /// Writes these pieces.
    fn put(&mut self, pieces: &[&[u8]]) -> io::Result<()> {
        for piece in pieces {
            self.out.write_all(piece)?;
        }
        Ok(())
    }
}

/// Returns an error if text cannot express the entry at this offset. The body of an inner class is not checked.
fn check(entry: &Entry<'_>, offset: u64) -> Result<()> {
    if !is_name(entry.name()) {
        return Err(inexpressible("a name with such characters").at(offset).within("name"));
    }
    if let Entry::Value(entry) = entry {
        check_value(&entry.value).map_err(|error| error.at(offset)).within("value")?;
    }
    if let Some(array) = entry.array() {
        for (index, item) in array.items().enumerate() {
            check_value(&item.value).map_err(|error| error.at(item.offset)).within_item("items", index)?;
        }
    }
    Ok(())
}

/// Returns an error if text cannot express the value.
fn check_value(value: &Value<'_>) -> Result<()> {
    match value {
        Value::Float(number) if number.is_nan() => Err(inexpressible("a float that is not a number")),
        Value::Expression(text) if !is_balanced(text.as_bytes()) => {
            Err(inexpressible("an expression with unbalanced parentheses or quotes"))
        }
        _ => Ok(()),
    }
}

/// Returns the error for something that text cannot express.
#[cold]
fn inexpressible(what: &str) -> Error {
    Error::unsupported(format!("{what}, which config text cannot express"))
}

/// Returns true if a reader of text takes these bytes for one name. Real names have letters, digits and underscores;
/// bytes that separate nothing are accepted, too.
pub(super) fn is_name(name: ByteStr<'_>) -> bool {
    let is_separator = |byte: &u8| *byte <= b' ' || b"{}()[];:=,\"#/".contains(byte);
    // Readers skip a byte order mark at the start of a text.
    let is_marked = name.as_bytes().starts_with(b"\xef\xbb\xbf");
    !name.is_empty() && !is_marked && !name.as_bytes().iter().any(is_separator)
}

/// Returns true if a reader finds the end of an expression in parentheses where it is: the parentheses inside are
/// balanced, but for those in quotes, the quotes end on their line, and no comment begins.
fn is_balanced(expression: &[u8]) -> bool {
    let mut depth = 0_usize;
    let mut is_text = false;
    let mut before = b'\n';
    for byte in expression {
        // The preprocessor takes these for a comment and for a line of its own.
        let is_comment = before == b'/' && matches!(byte, b'/' | b'*');
        if !is_text && (is_comment || *byte == b'#') {
            return false;
        }
        before = *byte;
        match byte {
            b'"' => is_text = !is_text,
            b'\n' if is_text => return false,
            b'(' if !is_text => depth = depth.saturating_add(1),
            b')' if !is_text => {
                let Some(fewer) = depth.checked_sub(1) else { return false };
                depth = fewer;
            }
            _ => {}
        }
    }
    depth == 0 && !is_text
}

#[cfg(test)]
mod tests {
    use super::is_balanced;

    #[test]
    fn expressions_end_where_a_reader_finds_their_end() {
        for sound in ["", "1 + 2", "(a) * ((b))", "\"(\"", "\"// /* #\"", "a / b", "a / /b", "f(\")\")"] {
            assert!(is_balanced(sound.as_bytes()), "{sound}");
        }
        for wrong in ["(", ")", ")(", "\"", "\"a\nb\"", "a // b", "a /* b */", "#define A", "1\n#endif", "(\")\""] {
            assert!(!is_balanced(wrong.as_bytes()), "{wrong}");
        }
    }
}
