//! Validation of archive member names as safe relative paths.

use std::fmt::Write;

use crate::base::error::{Error, Result};
use crate::base::text::ByteStr;

/// Names of Windows devices, with or without an extension.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];

/// Characters that Windows reserves.
const FORBIDDEN: [char; 7] = [':', '<', '>', '"', '|', '?', '*'];

impl ByteStr<'_> {
    /// Returns the name as a relative path with `/` separators. Both slashes separate parts; empty parts are dropped.
    ///
    /// ```
    /// use meshpeek::view::ByteStr;
    /// assert_eq!(ByteStr::from(r"data\model.p3d").to_relative_path()?, "data/model.p3d");
    /// assert!(ByteStr::from(r"..\model.p3d").to_relative_path().is_err());
    /// # Ok::<(), meshpeek::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if writing to this path on some system could leave the folder, reach a device or change the
    /// name. This covers roots, drives, `.` and `..`, control characters and characters reserved by Windows, Windows
    /// device names, and spaces or dots at the end of a part. Also returns an error for names that are not UTF-8 or
    /// have no parts.
    pub fn to_relative_path(&self) -> Result<String> {
        let name = self.relative_name()?;
        let mut path = String::with_capacity(name.len());
        for part in parts(&name) {
            if !path.is_empty() {
                path.push('/');
            }
            path.push_str(part);
        }
        Ok(path)
    }

    /// Returns a path below some folder for any name: [this path](Self::to_relative_path) if there is one, else a
    /// similar one. Characters that are not allowed are written as `%` and two hexadecimal digits per byte. Parts that
    /// are too long for most systems are shortened, and of a long path only the last part is kept. Different names may
    /// give the same path.
    ///
    /// ```
    /// use meshpeek::view::ByteStr;
    /// assert_eq!(ByteStr::from(r"..\model.p3d").to_escaped_path(), ".%2E/model.p3d");
    /// assert_eq!(ByteStr::from("C:/aux.txt").to_escaped_path(), "C%3A/%61ux.txt");
    /// ```
    pub fn to_escaped_path(&self) -> String {
        // A copy, because another process may change mapped bytes.
        let name = self.as_bytes().to_vec();
        let mut parts = Vec::new();
        for part in name.split(|byte| matches!(byte, b'/' | b'\\')) {
            if !part.is_empty() {
                parts.push(escaped(part));
            }
        }
        let mut path = parts.join("/");
        if path.len() > LONGEST_PATH {
            path = path.rsplit('/').next().unwrap_or_default().to_owned();
        }
        if path.is_empty() { "unnamed".to_owned() } else { path }
    }

    /// Checks that the name is a [safe relative path](Self::to_relative_path).
    ///
    /// # Errors
    /// Returns the errors of that function.
    pub(crate) fn check_relative_path(&self) -> Result<()> {
        self.relative_name().map(drop)
    }

    /// Returns the name if it is a safe relative path.
    fn relative_name(&self) -> Result<String> {
        let name = self.to_text().ok_or_else(|| Error::malformed("name is not UTF-8"))?;
        if name.starts_with(['/', '\\']) {
            return Err(Error::malformed("name starts at a root"));
        }
        let mut is_empty = true;
        for part in parts(&name) {
            if let Some(fault) = fault(part) {
                return Err(Error::malformed(fault));
            }
            is_empty = false;
        }
        if is_empty { Err(Error::malformed("name is empty")) } else { Ok(name) }
    }
}

/// Returns the parts of a path, without empty ones.
fn parts(name: &str) -> impl Iterator<Item = &str> {
    name.split(['/', '\\']).filter(|part| !part.is_empty())
}

/// The maximum bytes of a part, with room for a number. Most systems allow 255.
const LONGEST_PART: usize = 200;
/// The maximum bytes of a whole path.
const LONGEST_PATH: usize = 1000;

/// Returns a safe part of a path that is similar to this one.
fn escaped(part: &[u8]) -> String {
    let mut text = String::with_capacity(part.len());
    for chunk in part.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c.is_control() || FORBIDDEN.contains(&c) {
                true => escape(c.encode_utf8(&mut [0; 4]).as_bytes(), &mut text),
                false => text.push(c),
            }
        }
        escape(chunk.invalid(), &mut text);
    }
    let mut text = shortened(text);
    if text.ends_with(['.', ' '])
        && let Some(last) = text.pop()
    {
        escape(last.encode_utf8(&mut [0; 4]).as_bytes(), &mut text);
    }
    if is_device(&text) {
        // With its first character escaped, it is no longer the name of a device.
        let mut first = String::new();
        let rest = text.split_off(1);
        escape(text.as_bytes(), &mut first);
        text = first + &rest;
    }
    text
}

/// Writes each byte as `%` and two hexadecimal digits.
fn escape(bytes: &[u8], out: &mut String) {
    for byte in bytes {
        // Writing to a String cannot fail.
        let _ = write!(out, "%{byte:02X}");
    }
}

/// Removes characters before the extension until the text is short enough.
fn shortened(text: String) -> String {
    if text.len() <= LONGEST_PART {
        return text;
    }
    const LONGEST_EXTENSION: usize = 16;
    let mut dot = text.rfind('.').unwrap_or(text.len());
    if text.len().saturating_sub(dot) > LONGEST_EXTENSION {
        dot = text.len();
    }
    let (stem, extension) = text.split_at(dot);
    let mut end = LONGEST_PART.saturating_sub(extension.len());
    while !stem.is_char_boundary(end) {
        end = end.saturating_sub(1);
    }
    stem.get(..end).unwrap_or_default().to_owned() + extension
}

/// Returns the reason why one part of a path is not safe.
fn fault(part: &str) -> Option<&'static str> {
    // Most names have only these characters.
    let is_plain = part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
    if part == "." || part == ".." {
        Some("name leads out of its folder")
    } else if !is_plain && part.contains(char::is_control) {
        Some("name with control characters")
    } else if !is_plain && part.contains(FORBIDDEN) {
        Some("name with a drive or characters some systems forbid")
    } else if part.ends_with(['.', ' ']) {
        Some("name with a dot or blank at the end")
    } else if is_device(part) {
        Some("name of a device")
    } else {
        None
    }
}

/// Returns true if Windows takes a file of this name for a device, whatever its extension.
fn is_device(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or(part).trim_end();
    if DEVICES.iter().any(|name| stem.eq_ignore_ascii_case(name)) {
        return true;
    }
    // `COM0` to `LPT9`, also with a superscript digit.
    let Some((word, number)) = stem.split_at_checked(3) else { return false };
    let is_word = word.eq_ignore_ascii_case("com") || word.eq_ignore_ascii_case("lpt");
    let mut digits = number.chars();
    let (Some(digit), None) = (digits.next(), digits.next()) else { return false };
    is_word && (digit.is_ascii_digit() || "¹²³".contains(digit))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(name: &[u8]) -> Result<String, String> {
        ByteStr::new(name).to_relative_path().map_err(|error| error.to_string())
    }

    #[test]
    fn both_slashes_part_and_empty_parts_fall_away() {
        assert_eq!(path(br"a\b//c\.hidden").unwrap(), "a/b/c/.hidden");
        assert_eq!(path("имя.p3d".as_bytes()).unwrap(), "имя.p3d");
        assert_eq!(path(b"console.txt").unwrap(), "console.txt");
        assert_eq!(path(b"com10.txt").unwrap(), "com10.txt");
    }

    #[test]
    fn paths_that_leave_the_folder_or_change_their_name_are_refused() {
        for (name, fault) in [
            (&b"..\\a"[..], "name leads out of its folder"),
            (b"a/./b", "name leads out of its folder"),
            (b"\\a", "name starts at a root"),
            (b"/a", "name starts at a root"),
            (b"//server/share", "name starts at a root"),
            (b"C:\\a", "name with a drive or characters some systems forbid"),
            (b"a:stream", "name with a drive or characters some systems forbid"),
            (b"a?", "name with a drive or characters some systems forbid"),
            (b"a\0b", "name with control characters"),
            (b"a\x7f", "name with control characters"),
            (b"a.\\b", "name with a dot or blank at the end"),
            (b"a ", "name with a dot or blank at the end"),
            (b"x\\AUX", "name of a device"),
            (b"nul.txt", "name of a device"),
            (b"nul .txt", "name of a device"),
            (b"Com1.p3d", "name of a device"),
            ("LPT².x".as_bytes(), "name of a device"),
            (b"\xff", "name is not UTF-8"),
            (b"", "name is empty"),
        ] {
            assert_eq!(path(name), Err(fault.to_owned()), "{:?}", ByteStr::new(name));
            let escaped = ByteStr::new(name).to_escaped_path();
            assert_eq!(path(escaped.as_bytes()), Ok(escaped.clone()), "{:?}", ByteStr::new(name));
        }
    }

    #[test]
    fn any_name_has_a_path() {
        let long = "é".repeat(150);
        for (name, expected) in [
            (&br"a\b//c.p3d"[..], "a/b/c.p3d".to_owned()),
            (b"../../etc/passwd", ".%2E/.%2E/etc/passwd".to_owned()),
            (br"\\server\share", "server/share".to_owned()),
            (b"./a. /b\0\xff", "%2E/a.%20/b%00%FF".to_owned()),
            (b"nul .txt", "%6Eul .txt".to_owned()),
            (b"//", "unnamed".to_owned()),
            (format!("{long}.p3d").as_bytes(), "é".repeat(98) + ".p3d"),
            (long.as_bytes(), "é".repeat(100)),
            (format!("{}last", "folder/".repeat(150)).as_bytes(), "last".to_owned()),
        ] {
            let escaped = ByteStr::new(name).to_escaped_path();
            assert_eq!(escaped, expected);
            assert_eq!(path(escaped.as_bytes()), Ok(expected));
        }
        // A space or a dot may remain where a name is cut.
        let cut = format!("{} {}", "a".repeat(199), "b".repeat(60));
        assert_eq!(ByteStr::from(cut.as_str()).to_escaped_path(), "a".repeat(199) + "%20");
    }
}
