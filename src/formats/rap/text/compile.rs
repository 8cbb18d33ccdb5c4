//! Compiles a config that is text into its binary form.

use super::literal::{Literal, plain, put_text, whole};
use super::reader::{Event, EventKind, Reader, Scalar, Skipped, Step};
use crate::base::amount::Amount;
use crate::base::error::{Error, Result};
use crate::base::text::ByteStr;
use crate::budget::{Budget, Reservation};
use crate::formats::rap::codes::{EntryKind, ValueType};
use crate::formats::rap::config::{ENUMS_MIN, ROOT};
use crate::formats::rap::depth::MOST_DEPTH;
use crate::formats::rap::macros::{Define, Macros, body_of};
use crate::formats::rap::write_text::is_name;
use crate::outline::Text;

/// The memory of a class, beside its entries and names.
const CLASS_BYTES: u64 = 256;
/// The memory of an array, beside its items.
const ARRAY_BYTES: u64 = 8;
/// How many things that are not read are described, and how much of their text.
const MOST_UNREAD: usize = 20;
const MOST_SHOWN: usize = 80;
/// The bytes after the entries of a class: the address after its inner classes.
const CLASS_END: usize = 4;

/// The binary form of a config that is text, as [`to_binary`] makes it.
#[derive(Debug)]
pub struct Binary<'b> {
    bytes: Vec<u8>,
    unread: Vec<String>,
    /// The memory of both.
    _room: Reservation<'b>,
}

impl Binary<'_> {
    /// Returns the bytes, which [`Config::parse`](crate::rap::Config::parse) reads. Their offsets are not those of the text.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns what the bytes lack or have as written, such as an include or a macro without a definition, each with its
    /// line. After 20 of them, the last one counts the rest.
    pub fn unread(&self) -> &[String] {
        &self.unread
    }
}

/// Compiles a text to the binary form. Decodes: uses time and memory in proportion to the text.
///
/// Classes lie depth first, as in files of the games' own packer. A value that is not in quotes is a whole number, a float,
/// `__EVAL(...)`, or else a text. A whole number that does not fit 32 bits has 64. The macros of the text itself are
/// expanded in names and values. There is no other preprocessor: [`Binary::unread`] lists includes, which are not followed,
/// conditions, of which both branches are compiled, macros that remain as text, and what is missing or too many, such as a
/// brace.
///
/// ```
/// use meshpeek::rap::{Config, Entry, Value, text};
/// use meshpeek::{Budget, Limits};
/// let text = b"#define HEAVY 40\nclass Stone { mass = HEAVY; };";
/// let budget = Budget::new(text.len() as u64, &Limits::default());
/// let binary = text::to_binary(text, &budget)?;
/// let config = Config::parse(binary.bytes())?;
/// let stone = config.classes().nth(1).unwrap()?.class;
/// let Some(Entry::Value(mass)) = stone.entries().next() else { panic!("no value") };
/// assert_eq!(mass.value, Value::Int(40));
/// # Ok::<(), meshpeek::Error>(())
/// ```
///
/// # Errors
/// Returns an error with the offset in the text for what the binary form cannot hold: a byte 0, classes or arrays deeper
/// than 64, more than 4 GiB. Returns an error for a text that is not a config, and if the text exceeds the budget.
pub fn to_binary<'b>(text: &[u8], budget: &'b Budget) -> Result<Binary<'b>> {
    let room = Reservation::new(budget);
    room.charge_work(text.len() as u64)?;
    if let Some(zero) = memchr::memchr(0, text) {
        return Err(Error::malformed("a byte 0, which no text of a config has").at(zero as u64));
    }
    let defines = definitions(text, &room)?;
    let mut compiler = Compiler {
        room: &room,
        macros: Macros::default(),
        defines: &defines,
        bodies: vec![Body::default()],
        open: vec![0],
        arrays: Vec::new(),
        enums: Vec::new(),
        unread: Unread::default(),
    };
    let mut reader = Reader::new(text);
    // The reader refuses other texts as a whole.
    if !text.is_empty() && reader.offset() == text.len() as u64 {
        return Err(Error::unsupported("not a config"));
    }
    while let Some(step) = reader.next_step() {
        let offset = reader.offset();
        match step {
            Step::Event(event) => {
                if let Some(part) = reader.lost() {
                    compiler.unread.add(event.line, format_args!("{part}"));
                }
                compiler.event(event)
            }
            Step::Skipped(skipped, (line, _)) => compiler.skipped(skipped, line),
        }
        .map_err(|error| error.at(offset))?;
    }
    compiler.end_all()?;
    let bytes = compiler.bytes()?;
    let unread = compiler.unread.into_vec();
    Ok(Binary { bytes, unread, _room: room })
}

/// Returns the definitions of macros, and the ends of definitions, in the order of the text. A line that defines nothing
/// is `None`.
fn definitions(text: &[u8], room: &Reservation<'_>) -> Result<Vec<Option<Define>>> {
    let mut defines = Vec::new();
    let mut reader = Reader::new(text);
    while let Some(step) = reader.next_step() {
        let define = match step {
            Step::Skipped(Skipped::Define(text), _) => Define::parse(text),
            Step::Skipped(Skipped::Undefine(text), _) => Some(Define::undefine(text)),
            _ => continue,
        };
        room.hold(CLASS_BYTES)?;
        if let Some(define) = &define {
            room.hold(define.byte_len() as u64)?;
        }
        defines.push(define);
    }
    Ok(defines)
}

/// A class, without the addresses of its inner classes.
#[derive(Debug, Default)]
struct Body {
    parent: Vec<u8>,
    entries: Entries,
    /// The inner classes, in the order of the text.
    inner: Vec<Inner>,
    /// The number of bodies before the first one after this class and its inner classes.
    end: usize,
}

/// An entry that is a class.
#[derive(Debug)]
struct Inner {
    /// Where the address of its body belongs in the entries around it.
    place: usize,
    /// The index of its body.
    body: usize,
}

/// Entries of a class or items of an array, as stored.
#[derive(Debug, Default)]
struct Entries {
    count: u32,
    bytes: Vec<u8>,
}

/// An array that is open.
struct Open {
    items: Entries,
    /// The kind of entry of an array in a class, and its name; `None` for an array in an array.
    entry: Option<(EntryKind, Vec<u8>)>,
}

/// A config in progress.
struct Compiler<'c, 'b> {
    room: &'c Reservation<'b>,
    /// The macros that are defined at this place, and the definitions that follow.
    macros: Macros<'c>,
    defines: &'c [Option<Define>],
    /// All classes in the order of the text, which is that of the file. The root class is first.
    bodies: Vec<Body>,
    /// The classes that are open, the root class first. It is never closed.
    open: Vec<usize>,
    /// The arrays that are open, the outermost first.
    arrays: Vec<Open>,
    enums: Vec<(Vec<u8>, u32)>,
    unread: Unread,
}

impl Compiler<'_, '_> {
    /// Compiles an event.
    fn event(&mut self, event: Event<'_>) -> Result<()> {
        let line = event.line;
        match event.kind {
            EventKind::Class { name, parent } => self.class(name, parent, line),
            EventKind::End => {
                self.end(line);
                Ok(())
            }
            EventKind::Extern(name) => self.named(EntryKind(3), name, line),
            EventKind::Delete(name) => self.named(EntryKind(4), name, line),
            EventKind::Value(key, value) => self.value(key, &value, line),
            EventKind::Array(key, is_append) => {
                let name = self.name(key, line)?;
                let kind = EntryKind(if is_append { 5 } else { 2 });
                self.start_array(Some((kind, name)))
            }
            EventKind::Item(_, value) => self.item(&value, line),
            EventKind::Include(path) => {
                self.unread.add(line, format_args!("#include \"{}\" is not followed", shown(path.as_bytes())));
                Ok(())
            }
            EventKind::Call(call) => {
                self.unread.add(line, format_args!("{} may stand for entries", shown(call.as_bytes())));
                Ok(())
            }
        }
    }

    /// Compiles what is not an event.
    fn skipped(&mut self, skipped: Skipped<'_>, line: u32) -> Result<()> {
        match skipped {
            Skipped::Define(_) | Skipped::Undefine(_) => self.define(),
            Skipped::Condition(condition) => {
                let condition = shown(condition.trim_ascii());
                self.unread.add(line, format_args!("both branches of the condition {condition} are read"));
            }
            Skipped::Word(word) => {
                if !word.is_empty() {
                    self.unread.add(line, format_args!("{} may stand for entries", shown(word)));
                }
            }
            Skipped::ArrayStart => self.start_array(None)?,
            Skipped::ArrayEnd => self.end_array()?,
            Skipped::ArraysEnd => {
                self.unread.add(line, format_args!("an array ends without its braces"));
                self.end_arrays()?;
            }
            Skipped::Lost(part) => self.unread.add(line, format_args!("{part}")),
            Skipped::Enum(constants) => self.constants(constants, line)?,
        }
        Ok(())
    }

    /// Follows the next definition.
    fn define(&mut self) {
        let Some((define, rest)) = self.defines.split_first() else { return };
        self.defines = rest;
        if let Some(define) = define {
            self.macros.add(define);
        }
    }

    /// Returns the innermost class that is open.
    fn body(&mut self) -> &mut Body {
        let innermost = self.open.last().copied().unwrap_or_default();
        // The root class is always there.
        #[allow(clippy::indexing_slicing)]
        &mut self.bodies[innermost]
    }

    /// Adds an entry: its kind, these bytes, and its name.
    fn entry(&mut self, kind: EntryKind, head: &[u8], name: &[u8]) -> Result<&mut Vec<u8>> {
        self.room.hold(2_u64.saturating_add(head.len() as u64).saturating_add(name.len() as u64))?;
        let entries = &mut self.body().entries;
        entries.count = entries.count.saturating_add(1);
        entries.bytes.push(kind.0);
        entries.bytes.extend_from_slice(head);
        put_text(name, &mut entries.bytes);
        Ok(&mut entries.bytes)
    }

    /// Opens a class.
    fn class(&mut self, name: ByteStr<'_>, parent: Option<ByteStr<'_>>, line: u32) -> Result<()> {
        if self.open.len() > MOST_DEPTH {
            return Err(Error::malformed(format!("classes in classes deeper than {MOST_DEPTH}")));
        }
        self.room.hold(CLASS_BYTES)?;
        let name = self.name(name, line)?;
        let mut class = Body::default();
        if let Some(parent) = parent {
            class.parent = self.name(parent, line)?;
        }
        let body = self.bodies.len();
        let entries = self.entry(EntryKind(0), &[], &name)?;
        let place = entries.len();
        entries.extend_from_slice(&[0; 4]);
        self.body().inner.push(Inner { place, body });
        self.bodies.push(class);
        self.open.push(body);
        Ok(())
    }

    /// Closes the innermost class.
    fn end(&mut self, line: u32) {
        if self.open.len() == 1 {
            self.unread.add(line, format_args!("a brace that closes nothing"));
            return;
        }
        let end = self.bodies.len();
        self.body().end = end;
        self.open.pop();
    }

    /// Closes what is open at the end of the text.
    fn end_all(&mut self) -> Result<()> {
        if !self.arrays.is_empty() {
            self.unread.add_last("the text ends in an array");
            self.end_arrays()?;
        }
        if self.open.len() > 1 {
            self.unread.add_last("the text ends in a class");
        }
        Ok(())
    }

    /// Compiles the name of a class that is elsewhere, or is deleted.
    fn named(&mut self, kind: EntryKind, name: ByteStr<'_>, line: u32) -> Result<()> {
        let name = self.name(name, line)?;
        self.entry(kind, &[], &name)?;
        Ok(())
    }

    /// Compiles `name = value;`.
    fn value(&mut self, name: ByteStr<'_>, value: &Scalar<'_>, line: u32) -> Result<()> {
        let name = self.name(name, line)?;
        let value = self.literal(value, line)?;
        let bytes = value.bytes();
        self.room.hold(bytes.len() as u64)?;
        self.entry(EntryKind(1), &[value.kind().0], &name)?.extend_from_slice(&bytes);
        Ok(())
    }

    /// Compiles an item of an array.
    fn item(&mut self, value: &Scalar<'_>, line: u32) -> Result<()> {
        let value = self.literal(value, line)?;
        let bytes = value.bytes();
        self.room.hold(1_u64.saturating_add(bytes.len() as u64))?;
        self.put_item(value.kind(), &bytes);
        Ok(())
    }

    /// Puts an item, whose memory is held, into the innermost array. The reader has items only inside of one.
    fn put_item(&mut self, kind: ValueType, bytes: &[u8]) {
        if let Some(Open { items, .. }) = self.arrays.last_mut() {
            items.count = items.count.saturating_add(1);
            items.bytes.push(kind.0);
            items.bytes.extend_from_slice(bytes);
        }
    }

    /// Opens an array: an entry of a class, or an item of the innermost array.
    fn start_array(&mut self, entry: Option<(EntryKind, Vec<u8>)>) -> Result<()> {
        if self.arrays.len() >= MOST_DEPTH {
            return Err(Error::malformed(format!("arrays in arrays deeper than {MOST_DEPTH}")));
        }
        self.arrays.push(Open { items: Entries::default(), entry });
        Ok(())
    }

    /// Closes the innermost array, if one is open.
    fn end_array(&mut self) -> Result<()> {
        let Some(Open { items, entry }) = self.arrays.pop() else { return Ok(()) };
        let mut bytes = Vec::new();
        put_number(items.count, &mut bytes);
        bytes.extend_from_slice(&items.bytes);
        let Some((kind, name)) = entry else {
            // The memory of its items is held already.
            self.room.hold(ARRAY_BYTES)?;
            self.put_item(ValueType::ARRAY, &bytes);
            return Ok(());
        };
        // `+=` has a flag that is 1 in all known files.
        let flag: &[u8] = if kind.0 == 5 { &[1, 0, 0, 0] } else { &[] };
        self.entry(kind, flag, &name)?.extend_from_slice(&bytes);
        Ok(())
    }

    /// Closes all arrays.
    fn end_arrays(&mut self) -> Result<()> {
        while !self.arrays.is_empty() {
            self.end_array()?;
        }
        Ok(())
    }

    /// Compiles what is between the braces of an `enum`. A constant without a value is one above the one before it.
    fn constants(&mut self, text: &[u8], line: u32) -> Result<()> {
        let mut next = 0_u32;
        for constant in body_of(text).split(|&byte| byte == b',') {
            let constant = constant.trim_ascii();
            if constant.is_empty() {
                continue;
            }
            let mut name = constant;
            if let Some(equals) = memchr::memchr(b'=', constant) {
                let (before, value) = constant.split_at(equals);
                name = before.trim_ascii();
                match number_of_32_bits(value.get(1..).unwrap_or_default().trim_ascii()) {
                    Some(value) => next = value,
                    None => {
                        let name = shown(name);
                        self.unread.add(line, format_args!("the value of {name} is no number of 32 bits"));
                    }
                }
            }
            if !is_name(ByteStr::new(name)) {
                self.unread.add(line, format_args!("{} is no name", shown(name)));
                continue;
            }
            self.room.hold(CLASS_BYTES.saturating_add(name.len() as u64))?;
            self.enums.push((name.to_vec(), next));
            next = next.wrapping_add(1);
        }
        Ok(())
    }

    /// Returns a name with its macros expanded.
    fn name(&mut self, written: ByteStr<'_>, line: u32) -> Result<Vec<u8>> {
        let written = written.as_bytes();
        let mut name = written.to_vec();
        if let Some(expanded) = self.expanded(written)? {
            name = expanded;
        }
        if name.is_empty() {
            self.unread.add(line, format_args!("an entry or a parent without a name"));
        } else if !is_name(ByteStr::new(&name)) {
            self.unread.add(line, format_args!("{} is kept as a name", shown(written)));
            name = written.to_vec();
        }
        self.room.hold(name.len() as u64)?;
        Ok(name)
    }

    /// Returns a text with its macros expanded, or `None` if it has none that can be.
    fn expanded(&self, written: &[u8]) -> Result<Option<Vec<u8>>> {
        if self.macros.is_empty() {
            return Ok(None);
        }
        let expansion = self.macros.expand(written, self.room.budget().limits())?;
        self.room.charge_work(expansion.work)?;
        if !expansion.is_changed || expansion.failure.is_some() {
            return Ok(None);
        }
        Ok(Some(expansion.text.trim_ascii().to_vec()))
    }

    /// Returns what a value means, with its macros expanded.
    fn literal(&mut self, value: &Scalar<'_>, line: u32) -> Result<Literal> {
        if value.is_quoted {
            return Ok(Literal::Text(value.text.to_vec()));
        }
        let written = &*value.text;
        match plain(written) {
            Some(Literal::Expression(inner)) => {
                let expanded = self.expanded(&inner)?;
                return Ok(Literal::Expression(expanded.unwrap_or(inner)));
            }
            Some(number) => return Ok(number),
            None => {}
        }
        let expanded = self.expanded(written)?;
        if let Some(literal) = meaning(expanded.as_deref().unwrap_or(written)) {
            return Ok(literal);
        }
        // A macro without a definition, or one that stands for several items or for more than a value.
        self.unread.add(line, format_args!("{} is kept as text", shown(written)));
        Ok(Literal::Text(written.to_vec()))
    }

    /// Returns the whole file.
    fn bytes(&mut self) -> Result<Vec<u8>> {
        let addresses = self.addresses()?;
        // The addresses are one for each body, and the end of the last body.
        let end = addresses.last().copied().unwrap_or_default();
        let mut file = Vec::new();
        self.room.hold(u64::from(end))?;
        file.extend_from_slice(b"\0raP\0\0\0\0\x08\0\0\0");
        file.extend_from_slice(&end.to_le_bytes());
        let address = |body: usize| addresses.get(body).copied().unwrap_or(end).to_le_bytes();
        let all = self.bodies.len();
        for mut body in std::mem::take(&mut self.bodies) {
            for inner in &body.inner {
                let after = Amount(inner.place) + 4;
                if let Some(stored) = body.entries.bytes.get_mut(inner.place..after.0) {
                    stored.copy_from_slice(&address(inner.body));
                }
            }
            put_text(&body.parent, &mut file);
            put_number(body.entries.count, &mut file);
            file.extend_from_slice(&body.entries.bytes);
            // A class that the text does not close ends with the text, as the root class does.
            file.extend_from_slice(&address(if body.end == 0 { all } else { body.end }));
        }
        let count = u32::try_from(self.enums.len()).unwrap_or(u32::MAX);
        file.extend_from_slice(&count.to_le_bytes());
        for (name, value) in &self.enums {
            self.room.hold(ENUMS_MIN.saturating_add(name.len() as u64))?;
            put_text(name, &mut file);
            file.extend_from_slice(&value.to_le_bytes());
        }
        Ok(file)
    }

    /// Returns the address of each body, and of the end of the last.
    fn addresses(&self) -> Result<Vec<u32>> {
        let mut addresses = Vec::new();
        let mut next = Amount(ROOT);
        for body in &self.bodies {
            addresses.push(address(next)?);
            let mut count = Vec::new();
            put_number(body.entries.count, &mut count);
            let rest = Amount(body.parent.len()) + 1 + count.len() + body.entries.bytes.len() + CLASS_END;
            next += rest.0 as u64;
        }
        addresses.push(address(next)?);
        Ok(addresses)
    }
}

/// Returns an offset as an address.
fn address(offset: Amount<u64>) -> Result<u32> {
    let Ok(address) = u32::try_from(offset.0) else {
        return Err(Error::unsupported("a config whose binary form has more than 4 GiB"));
    };
    Ok(address)
}

/// Returns the whole number that a text is, if it fits 32 bits, with or without a sign. It is stored without one.
fn number_of_32_bits(text: &[u8]) -> Option<u32> {
    let number = whole(text)?;
    if let Ok(number) = u32::try_from(number) {
        return Some(number);
    }
    let signed = i32::try_from(number).ok()?;
    Some(signed.cast_unsigned())
}

/// Returns what a text without macros means, or `None` if it is more than one value.
fn meaning(text: &[u8]) -> Option<Literal> {
    if let Some(literal) = plain(text) {
        return Some(literal);
    }
    if !text.starts_with(b"\"") {
        let is_more = text.iter().any(|byte| b"\",;{}()".contains(byte));
        return if is_more { None } else { Some(Literal::Text(text.to_vec())) };
    }
    // The reader knows the forms of quoted texts.
    let entry = [b"x = ", text, b";"].concat();
    let mut reader = Reader::new(&entry);
    let Some(Event { kind: EventKind::Value(_, value), .. }) = reader.next() else { return None };
    let is_all = reader.lost().is_none() && reader.next_step().is_none();
    if is_all { Some(Literal::Text(value.text.into_owned())) } else { None }
}

/// Returns a text for a message, or its start.
fn shown(text: &[u8]) -> Text<'_> {
    Text::Bytes(ByteStr::new(text)).cut(MOST_SHOWN)
}

/// Puts a [`Number`](crate::rap::Number): 7 bits per byte, low bits first.
fn put_number(number: u32, out: &mut Vec<u8>) {
    let mut rest = number;
    while rest >= 0x80 {
        out.push((rest & 0x7f) as u8 | 0x80);
        rest >>= 7;
    }
    out.push((rest & 0x7f) as u8);
}

/// The parts of the text that the binary form lacks or has as written.
#[derive(Debug, Default)]
struct Unread {
    list: Vec<String>,
    /// How many more there are.
    more: Amount<usize>,
}

impl Unread {
    /// Adds one at this line.
    fn add(&mut self, line: u32, what: std::fmt::Arguments<'_>) {
        if self.list.len() < MOST_UNREAD {
            self.list.push(format!("line {line}: {what}"));
        } else {
            self.more += 1;
        }
    }

    /// Adds one at the end of the text.
    fn add_last(&mut self, what: &str) {
        if self.list.len() < MOST_UNREAD {
            self.list.push(what.to_owned());
        } else {
            self.more += 1;
        }
    }

    /// Returns the descriptions, the last of which counts the rest.
    fn into_vec(mut self) -> Vec<String> {
        if self.more.0 > 0 {
            self.list.push(format!("and {} more", self.more.0));
        }
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twenty_parts_are_listed_and_the_others_counted() {
        for count in [0, 1, 19, 20, 21, 22, 100] {
            for is_at_end in [false, true] {
                let mut unread = Unread::default();
                for number in 0..count {
                    if is_at_end && number + 1 == count {
                        unread.add_last("what 99");
                    } else {
                        unread.add(number, format_args!("what {number}"));
                    }
                }
                let mut expected: Vec<String> =
                    (0..count).map(|number| format!("line {number}: what {number}")).collect();
                if is_at_end && let Some(last) = expected.last_mut() {
                    *last = "what 99".to_owned();
                }
                if count > 20 {
                    expected.truncate(20);
                    expected.push(format!("and {} more", count - 20));
                }
                assert_eq!(unread.into_vec(), expected, "{count} {is_at_end}");
            }
        }
    }

    #[test]
    fn a_number_is_stored_in_seven_bits_per_byte_with_the_low_ones_first() {
        for bits in 0..=32_u32 {
            for number in [(1_u64 << bits) - 1, 1 << bits, (1 << bits) + 1] {
                let Ok(number) = u32::try_from(number) else { continue };
                let mut bytes = Vec::new();
                put_number(number, &mut bytes);
                let length = (32 - number.leading_zeros()).div_ceil(7).max(1);
                assert_eq!(bytes.len(), length as usize, "{number}");
                let sum = bytes.iter().rev().fold(0_u64, |sum, byte| sum << 7 | u64::from(byte & 0x7f));
                assert_eq!(sum, u64::from(number));
                let (last, before) = bytes.split_last().unwrap();
                assert!(*last < 0x80 && before.iter().all(|byte| *byte >= 0x80), "{number}");
            }
        }
    }

    #[test]
    fn a_constant_has_any_number_of_32_bits_with_or_without_a_sign() {
        for around in [0, i64::from(i32::MIN), i64::from(i32::MAX), i64::from(u32::MAX), i64::MIN + 2, i64::MAX - 2] {
            for number in around - 2..=around + 2 {
                let is_held = number >= i64::from(i32::MIN) && number <= i64::from(u32::MAX);
                let expected = if is_held { Some(number as u32) } else { None };
                assert_eq!(number_of_32_bits(number.to_string().as_bytes()), expected, "{number}");
                if number >= 0 {
                    assert_eq!(number_of_32_bits(format!("0x{number:x}").as_bytes()), expected, "{number:#x}");
                }
            }
        }
        for text in ["", "1.0", "A", "1 2", "--1"] {
            assert_eq!(number_of_32_bits(text.as_bytes()), None, "{text}");
        }
    }

    /// What a macro expands to is one value, or else the macro stays as it is written.
    #[test]
    fn a_text_without_macros_is_one_value_or_none() {
        for (text, expected) in [
            ("1", Some((2, "\u{1}\0\0\0"))),
            ("a word", Some((0, "a word\0"))),
            ("", Some((0, "\0"))),
            ("__EVAL(1)", Some((4, "1\0"))),
            ("\"a\"", Some((0, "a\0"))),
            ("\"\"", Some((0, "\0"))),
            ("\"a\"\"b\"", Some((0, "a\"b\0"))),
            ("\"a\" \\n \"b\"", Some((0, "a\nb\0"))),
            ("\"a", None),
            ("\"a\" b", None),
            ("\"a\", \"b\"", None),
            ("\"a\"; x = 1", None),
            ("a, b", None),
            ("a; b", None),
            ("{1}", None),
            ("F(x)", None),
            ("a \"b\"", None),
        ] {
            let found = meaning(text.as_bytes()).map(|literal| (literal.kind().0, literal.bytes()));
            assert_eq!(found, expected.map(|(kind, bytes)| (kind, bytes.as_bytes().to_vec())), "{text}");
        }
    }
}
