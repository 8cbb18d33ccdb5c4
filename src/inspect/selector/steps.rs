//! A selector, its steps, and their spelling.

use std::fmt::{self, Write as _};
use std::str::FromStr;

use crate::base::amount::Amount;
use crate::base::error::{Error, Result};

/// The path of an array through an asset's outline.
///
/// ```
/// use meshpeek::inspect::Selector;
/// # let bytes = b"BB3D\x04\0\0\0\x01\0\0\0";
/// let asset = meshpeek::Asset::parse(bytes)?;
/// let selector: Selector = "meshes/@tree/positions".parse()?;
/// let found = selector.find(&asset, &mut |table| println!("{} rows", table.rows()))?;
/// assert!(!found);
/// # Ok::<(), meshpeek::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selector {
    pub(super) steps: Vec<Step>,
}

/// A part, or, as the last step of a selector, an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) name: String,
    pub(super) item: Option<Item>,
}

/// An item of a list, by index or by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Item {
    Number(usize),
    /// A name, and the number of earlier items with the same name.
    Name(Vec<u8>, usize),
}

impl Selector {
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
        match self.steps.split_last()? {
            (_, []) => None,
            (_, around) => Some(Self { steps: around.to_vec() }),
        }
    }

    /// Returns an iterator over this selector and those of the parts around it, from the inside out.
    pub(crate) fn and_around(&self) -> impl Iterator<Item = Self> + use<> {
        std::iter::successors(Some(self.clone()), Self::around)
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
                // An item completes the step of its list.
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
pub(super) fn words(word: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for part in word.split('.') {
        let item = match part.strip_suffix(']') {
            Some(part) => part.split_once('['),
            None => None,
        };
        match item {
            Some((name, number)) if is_name(name) && is_name(number) && !number.is_empty() => {
                if !name.is_empty() {
                    words.push(name);
                }
                words.push(number);
            }
            None if is_name(part) && !part.is_empty() => words.push(part),
            _ => return vec![word],
        }
    }
    words
}

/// Returns true if there are only letters, digits and underscores.
fn is_name(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Returns true for an index: one or more digits.
pub(super) fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Parses an index. Returns an error if it is too large.
fn number(word: &str) -> Result<usize> {
    word.parse().map_err(|_| Error::malformed(format!("{word} in a selector is no number of an item")))
}

impl Item {
    /// Parses an index or a name. Returns `None` if the word is the name of a part or an array.
    fn parse(word: &str) -> Result<Option<Self>> {
        if is_number(word) {
            return Ok(Some(Self::Number(number(word)?)));
        }
        let Some(name) = word.strip_prefix('@') else { return Ok(None) };
        let (name, namesake) = match name.rsplit_once('#') {
            Some((name, digits)) if is_number(digits) => (name, number(digits)?),
            _ => (name, 0),
        };
        Ok(Some(Self::Name(unescape(name)?, namesake)))
    }
}

/// Returns the bytes of a name, in which `\xNN` stands for the byte with these hexadecimal digits.
fn unescape(name: &str) -> Result<Vec<u8>> {
    let mut parts = name.split("\\x");
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let Some((byte, rest)) = hex_byte(part) else {
            return Err(Error::malformed(format!("\\x in the name {name} of a selector takes two digits")));
        };
        bytes.push(byte);
        bytes.extend_from_slice(rest.as_bytes());
    }
    Ok(bytes)
}

/// Takes the byte that two hexadecimal digits at the start of a text mean.
fn hex_byte(text: &str) -> Option<(u8, &str)> {
    let (digits, rest) = text.split_at_checked(2)?;
    // `from_str_radix` takes a sign too.
    if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    Some((u8::from_str_radix(digits, 16).ok()?, rest))
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

/// Writes a name so that [`unescape`] and [`Item::parse`] return it: slashes, control characters, invalid bytes, and
/// what would read as an escape or as the number of an item are written as `\xNN`.
fn escape(name: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    // The place of the number sign in a name such as `part#2`, which would read as an item.
    let number_sign = if digits > 0 { name.len().checked_sub(digits.saturating_add(1)) } else { None };
    let mut place = Amount(0);
    for chunk in name.utf8_chunks() {
        let mut chars = chunk.valid().chars().peekable();
        while let Some(c) = chars.next() {
            let opens = c == '\\' && chars.peek() == Some(&'x') || c == '#' && number_sign == Some(place.0);
            place += c.len_utf8();
            if c == '/' || c.is_control() || opens {
                escape_bytes(c.encode_utf8(&mut [0; 4]).as_bytes(), f)?;
            } else {
                f.write_char(c)?;
            }
        }
        place += chunk.invalid().len();
        escape_bytes(chunk.invalid(), f)?;
    }
    Ok(())
}

/// Writes each byte as `\xNN`.
fn escape_bytes(bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for byte in bytes {
        write!(f, "\\x{byte:02x}")?;
    }
    Ok(())
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
    fn numbers_select_items_and_nonsense_is_an_error() {
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
