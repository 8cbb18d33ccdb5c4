//! Selectors: the path of an array through an asset's outline.
//!
//! ```text
//! meshes/0/positions                  item 0 of the list, counted from 0
//! nodes/@Arm_Left/keys/0/records      the first item with this name
//! nodes/@Arm_Left#2/keys/0/records    the third item with this name
//! ```
//!
//! The path of a problem is a selector too: `meshes[0].triangles[1]` means `meshes/0/triangles/1`. An item can also be
//! selected by the name that reports show instead of the name in the file: `lods/@Visual 1` selects `lods/@1`.
//!
//! Digits are always an index, even if an item has that name. In a name, `/`, control characters, bytes that are not
//! UTF-8, a `#` before digits at the end of the name, and a backslash before `x` are written `\xNN`. Listed selectors
//! use indices only.

use std::collections::HashSet;
use std::fmt::{self, Write};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::ControlFlow;
use std::str::FromStr;

use super::{Inspect, bound_of, outline_within_limits};
use crate::base::error::{Error, Result};
use crate::bytes::{Packing, Table};
use crate::outline::{Outline, Part, Text, Visitor};

/// The path of an array through an asset's outline.
///
/// ```
/// use meshpeek::inspect::Selector;
/// # let bytes = b"BB3D\x04\0\0\0\x01\0\0\0";
/// let asset = meshpeek::Asset::parse(bytes)?;
/// let selector: Selector = "meshes/@tree/positions".parse()?;
/// let found = selector.find(&asset, &mut |table| println!("{} rows", table.rows()));
/// assert!(!found);
/// # Ok::<(), meshpeek::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selector {
    steps: Vec<Step>,
}

/// A part, or, as the last step of a selector, an array.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Step {
    name: String,
    item: Option<Item>,
}

/// An item of a list, by index or by name.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Item {
    Number(usize),
    /// A name, and the number of earlier items with the same name.
    Name(Vec<u8>, usize),
}

impl Selector {
    /// Passes the selected array to `take`. Returns true if the asset has it. Visits only the parts on the path to it.
    /// If none of these has the array, visits a whole [dissection](Inspect::dissect), which has the tables that
    /// outlines split.
    pub fn find(&self, asset: &dyn Inspect, take: &mut dyn FnMut(&dyn Table)) -> bool {
        let mut finder = Finder { way: Way::new(&self.steps), found: false, take };
        outline_within_limits(asset, &mut finder);
        if finder.found {
            return true;
        }
        let Some(sought) = self.numbered(asset).map(|selector| selector.to_string()) else { return false };
        let mut found = false;
        dissected(asset, &mut |selector, table| {
            found |= selector == sought;
            if found {
                take(table);
            }
            found
        });
        found
    }

    /// Returns the selector with indices instead of names, or `None` if no item has one of the names. Visits only the
    /// parts on the path.
    pub fn numbered(&self, asset: &dyn Inspect) -> Option<Self> {
        let named = self.steps.iter().rposition(|step| matches!(step.item, Some(Item::Name(..))));
        let Some(steps) = named.and_then(|last| self.steps.get(..=last)) else { return Some(self.clone()) };
        let numbers = |tell: &dyn Fn(&mut Outline<'_>)| {
            let mut numberer = Numberer { way: Way::new(steps), numbers: Vec::new() };
            let bound = bound_of(asset);
            tell(&mut Outline::within(&bound, &mut numberer));
            (numberer.numbers.len() == steps.len()).then_some(numberer.numbers)
        };
        // Lists that an outline leaves out, such as the entries of a header, have names only in a dissection.
        let numbers = numbers(&|out| asset.outline(out)).or_else(|| numbers(&|out| asset.dissect(out)))?;
        let mut numbered = self.clone();
        for (step, number) in numbered.steps.iter_mut().zip(numbers) {
            step.item = number.map(Item::Number);
        }
        Some(numbered)
    }

    /// Splits the selector of an item into list and index. A row is selected by its index after the array.
    pub fn row(&self) -> Option<(Self, usize)> {
        let mut array = self.clone();
        match array.steps.last_mut()?.item.take()? {
            Item::Number(number) => Some((array, number)),
            Item::Name(..) => None,
        }
    }

    /// Returns the selector of the enclosing part, or `None` at the top level. The enclosing part of an item is the
    /// part that contains its list.
    pub fn around(&self) -> Option<Self> {
        let (_, around) = self.steps.split_last()?;
        (!around.is_empty()).then(|| Self { steps: around.to_vec() })
    }
}

/// Passes every array with its selector to `take`, in the order of the outline. Arrays that only a
/// [dissection](Inspect::dissect) has follow.
pub fn each(asset: &dyn Inspect, take: &mut dyn FnMut(&str, &dyn Table)) {
    each_until(asset, &mut |selector, table| {
        take(selector, table);
        ControlFlow::Continue(())
    });
}

/// Like [`each`], until `take` breaks.
pub fn each_until(asset: &dyn Inspect, take: &mut dyn FnMut(&str, &dyn Table) -> ControlFlow<()>) {
    let mut known = HashSet::new();
    let mut is_over = false;
    let mut is_new = |selector: &str| {
        let mut hasher = DefaultHasher::new();
        selector.hash(&mut hasher);
        known.insert(hasher.finish())
    };
    let mut of_outline = |selector: &str, table: &dyn Table| {
        is_new(selector);
        is_over = is_over || take(selector, table).is_break();
        is_over
    };
    outline_within_limits(asset, &mut Lister::new(false, &mut of_outline));
    if !is_over {
        dissected(asset, &mut |selector, table| is_new(selector) && take(selector, table).is_break());
    }
}

/// Passes the arrays of a dissection to `take` until it returns true.
fn dissected(asset: &dyn Inspect, take: &mut dyn FnMut(&str, &dyn Table) -> bool) {
    let (bound, bytes) = (bound_of(asset), asset.size());
    // One value may claim to fill any number of rows. An outline checks it against the other arrays.
    let is_bounded = |table: &dyn Table| table.storage().packing != Packing::Fill || table.rows() <= bytes;
    let mut take = |selector: &str, table: &dyn Table| is_bounded(table) && take(selector, table);
    asset.dissect(&mut Outline::within(&bound, &mut Lister::new(true, &mut take)));
}

/// Returns the selector of the array most similar to this text, if any is similar. Ignores selectors that differ only
/// in indices, because they select other data.
pub fn nearest(asset: &dyn Inspect, selector: &str) -> Option<String> {
    let mut best: Option<(usize, String)> = None;
    each(asset, &mut |known, _| {
        if is_item_beside(known, selector) {
            return;
        }
        let same = |(a, b): &(u8, u8)| a == b;
        let ahead = known.bytes().zip(selector.bytes()).take_while(same).count();
        let behind = known.bytes().rev().zip(selector.bytes().rev()).take_while(same).count();
        let shared = ahead.saturating_add(behind);
        if best.as_ref().is_none_or(|(most, _)| shared > *most) {
            best = Some((shared, known.to_owned()));
        }
    });
    best.filter(|(shared, _)| *shared >= 3).map(|(_, known)| known)
}

/// Returns true if the asset has an array with this selector except for the indices.
pub fn is_of_others(asset: &dyn Inspect, selector: &str) -> bool {
    let mut found = false;
    each(asset, &mut |known, _| found |= is_item_beside(known, selector));
    found
}

/// Returns true if two selectors are equal or differ only in indices.
fn is_item_beside(one: &str, other: &str) -> bool {
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let (mut one, mut other) = (one.split('/'), other.split('/').flat_map(words));
    loop {
        match (one.next(), other.next()) {
            (None, None) => return true,
            (Some(a), Some(b)) if a == b || is_number(a) && is_number(b) => {}
            _ => return false,
        }
    }
}

impl FromStr for Selector {
    type Err = Error;

    /// # Errors
    /// Fails if a step is empty, an item does not follow a list, an index is too large, or `\x` is not followed by two
    /// hexadecimal digits.
    fn from_str(text: &str) -> Result<Self> {
        let mut steps: Vec<Step> = Vec::new();
        for word in text.split('/').flat_map(words) {
            let item = Item::parse(word)?;
            match steps.last_mut() {
                Some(Step { item: free @ None, .. }) if item.is_some() => *free = item,
                _ if item.is_some() => {
                    return Err(Error::malformed(format!("{word} in a selector follows no name of a list")));
                }
                _ if word.is_empty() => return Err(Error::malformed("an empty step in a selector")),
                _ => steps.push(Step { name: word.to_owned(), item: None }),
            }
        }
        Ok(Self { steps })
    }
}

/// Splits a step as problems write it, such as `faces[3].corners`. Any other step is returned unchanged.
fn words(word: &str) -> Vec<&str> {
    let is_name = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let mut words = Vec::new();
    for part in word.split('.') {
        match part.strip_suffix(']').and_then(|part| part.split_once('[')) {
            Some((name, number)) if is_name(name) && is_name(number) && !number.is_empty() => {
                words.extend([name, number].into_iter().filter(|word| !word.is_empty()));
            }
            None if is_name(part) && !part.is_empty() => words.push(part),
            _ => return vec![word],
        }
    }
    words
}

impl Item {
    /// Parses an index or a name. Returns `None` if the word is the name of a part or an array.
    fn parse(word: &str) -> Result<Option<Self>> {
        let is_number = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        let number = |word: &str| {
            word.parse().map_err(|_| Error::malformed(format!("{word} in a selector is no number of an item")))
        };
        let Some(name) = word.strip_prefix('@') else {
            return if is_number(word) { number(word).map(|number| Some(Self::Number(number))) } else { Ok(None) };
        };
        let (name, namesake) = match name.rsplit_once('#') {
            Some((name, digits)) if is_number(digits) => (name, number(digits)?),
            _ => (name, 0),
        };
        Ok(Some(Self::Name(unescape(name)?, namesake)))
    }
}

fn unescape(name: &str) -> Result<Vec<u8>> {
    let mut parts = name.split("\\x");
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let (byte, rest) = part
            .split_at_checked(2)
            .filter(|(digits, _)| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
            .and_then(|(digits, rest)| Some((u8::from_str_radix(digits, 16).ok()?, rest)))
            .ok_or_else(|| Error::malformed(format!("\\x in the name {name} of a selector takes two digits")))?;
        bytes.push(byte);
        bytes.extend_from_slice(rest.as_bytes());
    }
    Ok(bytes)
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, Step { name, item }) in self.steps.iter().enumerate() {
            write!(f, "{}{name}", if index > 0 { "/" } else { "" })?;
            match item {
                None => {}
                Some(Item::Number(number)) => write!(f, "/{number}")?,
                Some(Item::Name(bytes, namesake)) => {
                    f.write_str("/@")?;
                    escape(bytes, f)?;
                    if *namesake > 0 {
                        write!(f, "#{namesake}")?;
                    }
                }
            }
        }
        Ok(())
    }
}

fn escape(name: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let number_sign = name.len().checked_sub(digits).and_then(|end| end.checked_sub(1)).filter(|_| digits > 0);
    let mut place = 0_usize;
    for chunk in name.utf8_chunks() {
        let mut chars = chunk.valid().chars().peekable();
        while let Some(c) = chars.next() {
            let opens = c == '\\' && chars.peek() == Some(&'x') || c == '#' && number_sign == Some(place);
            place = place.saturating_add(c.len_utf8());
            if c == '/' || c.is_control() || opens {
                let mut buffer = [0; 4];
                c.encode_utf8(&mut buffer).bytes().try_for_each(|byte| write!(f, "\\x{byte:02x}"))?;
            } else {
                f.write_char(c)?;
            }
        }
        place = place.saturating_add(chunk.invalid().len());
        chunk.invalid().iter().try_for_each(|byte| write!(f, "\\x{byte:02x}"))?;
    }
    Ok(())
}

/// The progress of a visit along a selector.
struct Way<'s> {
    steps: &'s [Step],
    /// The number of steps matched by the open parts.
    met: usize,
    /// The number of items with the wanted name passed so far.
    namesakes: usize,
    /// True once the last matching part has ended, so that nothing more can match.
    passed: bool,
}

impl<'s> Way<'s> {
    fn new(steps: &'s [Step]) -> Self {
        Self { steps, met: 0, namesakes: 0, passed: false }
    }

    fn is_at_last(&self) -> bool {
        self.met.saturating_add(1) == self.steps.len()
    }

    /// Returns true if the part matches the next step.
    fn meets(&mut self, part: &Part<'_>) -> bool {
        let (Some(step), false) = (self.steps.get(self.met), self.passed) else { return false };
        if step.name != part.name {
            return false;
        }
        match (&step.item, part.index) {
            (None, None) => true,
            (Some(Item::Number(number)), Some(index)) => *number == index,
            (Some(Item::Name(bytes, namesake)), Some(_)) if is_called(part, bytes) => {
                let before = self.namesakes;
                self.namesakes = before.saturating_add(1);
                before == *namesake
            }
            _ => false,
        }
    }

    /// Starts the part that matched the next step.
    fn enter(&mut self) {
        self.met = self.met.saturating_add(1);
        self.namesakes = 0;
    }
}

struct Finder<'s> {
    way: Way<'s>,
    found: bool,
    take: &'s mut dyn FnMut(&dyn Table),
}

/// Finds the index of each part on the path, up to the last step with a name.
struct Numberer<'s> {
    way: Way<'s>,
    numbers: Vec<Option<usize>>,
}

impl Visitor for Numberer<'_> {
    fn open(&mut self, part: &Part<'_>) -> bool {
        let is_last = self.way.is_at_last();
        if !self.way.meets(part) {
            return false;
        }
        self.numbers.push(part.index);
        self.way.enter();
        self.way.passed = is_last;
        !is_last
    }

    fn close(&mut self) {
        self.way.passed = true;
    }

    fn dissects(&self) -> bool {
        true
    }

    fn problem(&mut self, _: &Error) {}
}

fn is_called(part: &Part<'_>, name: &[u8]) -> bool {
    let is_label = part.label.is_some_and(|label| match label {
        Text::Bytes(text) => text.as_bytes() == name,
        Text::Utf32(text) => std::str::from_utf8(name).is_ok_and(|name| text == *name),
        #[cfg(feature = "lodka")]
        Text::Ansi(text) => text.as_bytes() == name || text.decode().as_bytes() == name,
    });
    is_label || part.title.is_some_and(|title| title.as_bytes() == name)
}

impl Visitor for Finder<'_> {
    fn open(&mut self, part: &Part<'_>) -> bool {
        let meets = !self.way.is_at_last() && self.way.meets(part);
        if meets {
            self.way.enter();
        }
        meets
    }

    fn close(&mut self) {
        self.way.passed = true;
    }

    fn array(&mut self, name: &'static str, index: Option<usize>, table: &dyn Table) {
        if self.way.is_at_last() && self.way.meets(&Part { index, ..Part::one(name) }) {
            (self.way.passed, self.found) = (true, true);
            (self.take)(table);
        }
    }

    fn problem(&mut self, _: &Error) {}
}

/// The selector of the current position in an outline.
#[derive(Debug, Default)]
pub struct Path {
    text: String,
    /// The length of the text before each open part.
    lengths: Vec<usize>,
}

impl Path {
    /// Starts a part.
    pub fn open(&mut self, part: &Part<'_>) {
        self.lengths.push(self.text.len());
        push(&mut self.text, part.name, part.index);
    }

    /// Ends the part opened last.
    pub fn close(&mut self) {
        self.text.truncate(self.lengths.pop().unwrap_or(0));
    }

    /// Returns the selector of the part opened last; empty outside all parts.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Calls `run` with the selector of an array in the part opened last.
    pub fn with<T>(&mut self, name: &str, index: Option<usize>, run: impl FnOnce(&str) -> T) -> T {
        let length = self.text.len();
        push(&mut self.text, name, index);
        let done = run(&self.text);
        self.text.truncate(length);
        done
    }
}

/// Appends a step to the text of a selector.
pub(crate) fn push(path: &mut String, name: &str, index: Option<usize>) {
    if !path.is_empty() {
        path.push('/');
    }
    path.push_str(name);
    if let Some(index) = index {
        // Writing to a String cannot fail.
        let _ = write!(path, "/{index}");
    }
}

struct Lister<'s> {
    dissects: bool,
    path: Path,
    /// The paths of the parts around those at which selectors start.
    around: Vec<(usize, Path)>,
    depth: usize,
    take: &'s mut dyn FnMut(&str, &dyn Table) -> bool,
    is_done: bool,
}

impl<'s> Lister<'s> {
    fn new(dissects: bool, take: &'s mut dyn FnMut(&str, &dyn Table) -> bool) -> Self {
        Self { dissects, path: Path::default(), around: Vec::new(), depth: 0, take, is_done: false }
    }
}

impl Visitor for Lister<'_> {
    fn open(&mut self, part: &Part<'_>) -> bool {
        if self.is_done {
            return false;
        }
        if self.dissects && part.root {
            self.around.push((self.depth, std::mem::take(&mut self.path)));
        }
        self.depth = self.depth.saturating_add(1);
        self.path.open(part);
        true
    }

    fn close(&mut self) {
        self.path.close();
        self.depth = self.depth.saturating_sub(1);
        if let Some((_, around)) = self.around.pop_if(|(depth, _)| *depth == self.depth) {
            self.path = around;
        }
    }

    fn dissects(&self) -> bool {
        self.dissects
    }

    fn is_done(&self) -> bool {
        self.is_done
    }

    fn array(&mut self, name: &'static str, index: Option<usize>, table: &dyn Table) {
        if !self.is_done {
            self.is_done = self.path.with(name, index, |selector| (self.take)(selector, table));
        }
    }

    fn problem(&mut self, _: &Error) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(bytes: &[u8], namesake: usize) -> Selector {
        let step = |name: &str, item| Step { name: name.to_owned(), item };
        Selector { steps: vec![step("nodes", Some(Item::Name(bytes.to_vec(), namesake))), step("weights", None)] }
    }

    #[test]
    fn every_name_comes_back_from_its_text() {
        for (bytes, namesake, text) in [
            (&b"Arm_Left"[..], 0, "nodes/@Arm_Left/weights"),
            (b"12", 0, "nodes/@12/weights"),
            (b"", 3, "nodes/@#3/weights"),
            (b"a/b", 0, "nodes/@a\\x2fb/weights"),
            (b"a\\b", 0, "nodes/@a\\b/weights"),
            (b"\\x41", 1, "nodes/@\\x5cx41#1/weights"),
            (b"part#2", 0, "nodes/@part\\x232/weights"),
            (b"#", 0, "nodes/@#/weights"),
            (b"#1#", 0, "nodes/@#1#/weights"),
            (b"\xcf\n\x7f", 0, "nodes/@\\xcf\\x0a\\x7f/weights"),
            ("板\u{85}".as_bytes(), 0, "nodes/@板\\xc2\\x85/weights"),
        ] {
            let selector = name(bytes, namesake);
            assert_eq!(selector.to_string(), text);
            assert_eq!(text.parse::<Selector>().unwrap(), selector, "{text}");
        }
        // Escapes are allowed where none are needed.
        assert_eq!("nodes/@\\x41rm/weights".parse::<Selector>().unwrap(), name(b"Arm", 0));
    }

    #[test]
    fn paths_of_problems_are_selectors() {
        for (path, text) in [
            ("meshes[0].triangles[12].brush_id", "meshes/0/triangles/12/brush_id"),
            ("lods[3].vertices", "lods/3/vertices"),
            ("uvs[1]", "uvs/1"),
            ("nodes/2/keys[1].flags", "nodes/2/keys/1/flags"),
            ("nodes/@a.b[1]/weights", "nodes/@a.b[1]/weights"),
        ] {
            assert_eq!(path.parse::<Selector>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn numbers_are_numbers_and_nonsense_is_told() {
        let selector: Selector = "lods/1/uvs/0".parse().unwrap();
        let steps: Vec<_> = selector.steps.iter().map(|step| (step.name.as_str(), step.item.clone())).collect();
        assert_eq!(steps, [("lods", Some(Item::Number(1))), ("uvs", Some(Item::Number(0)))]);
        for (text, reason) in [
            ("", "an empty step"),
            ("lods//faces", "an empty step"),
            ("lods/1/", "an empty step"),
            ("1/faces", "1 in a selector follows no name"),
            ("lods/1/2/faces", "2 in a selector follows no name"),
            ("lods/@a/@b/faces", "@b in a selector follows no name"),
            ("lods/99999999999999999999/faces", "is no number of an item"),
            ("lods/@\\x4/faces", "takes two digits"),
        ] {
            let error = text.parse::<Selector>().unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}
