//! Validation of archive member names as safe relative paths.

use crate::base::error::{Error, Result};
use crate::base::text::ByteStr;

/// Names of Windows devices, with or without an extension.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];

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
        let mut path = String::with_capacity(self.len());
        self.each_part(|part| {
            if !path.is_empty() {
                path.push('/');
            }
            path.push_str(part);
        })?;
        Ok(path)
    }

    /// Checks that the name is a [safe relative path](Self::to_relative_path).
    ///
    /// # Errors
    /// Returns the errors of that function.
    #[cfg(any(feature = "pbo", feature = "zip"))]
    pub(crate) fn check_relative_path(&self) -> Result<()> {
        self.each_part(|_| {})
    }

    fn each_part(&self, mut sink: impl FnMut(&str)) -> Result<()> {
        let name = self.to_text().ok_or_else(|| Error::malformed("name is not UTF-8"))?;
        if name.starts_with(['/', '\\']) {
            return Err(Error::malformed("name starts at a root"));
        }
        let mut is_empty = true;
        for part in name.split(['/', '\\']).filter(|part| !part.is_empty()) {
            if let Some(fault) = fault(part) {
                return Err(Error::malformed(fault));
            }
            is_empty = false;
            sink(part);
        }
        if is_empty { Err(Error::malformed("name is empty")) } else { Ok(()) }
    }
}

/// Returns the reason why one part of a path is not safe.
fn fault(part: &str) -> Option<&'static str> {
    // Most names have only these characters.
    let is_plain = part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
    if part == "." || part == ".." {
        Some("name leads out of its folder")
    } else if !is_plain && part.contains(char::is_control) {
        Some("name with control characters")
    } else if !is_plain && part.contains([':', '<', '>', '"', '|', '?', '*']) {
        Some("name with a drive or characters some systems forbid")
    } else if part.ends_with(['.', ' ']) {
        Some("name with a dot or blank at the end")
    } else if is_device(part) {
        Some("name of a device")
    } else {
        None
    }
}

fn is_device(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or(part).trim_end();
    let numbered = || {
        let (word, number) = stem.split_at_checked(3)?;
        let mut digits = number.chars();
        let digit = digits.next()?;
        let is_word = ["com", "lpt"].iter().any(|name| word.eq_ignore_ascii_case(name));
        Some(is_word && digits.next().is_none() && (digit.is_ascii_digit() || "¹²³".contains(digit)))
    };
    DEVICES.iter().any(|name| stem.eq_ignore_ascii_case(name)) || numbered() == Some(true)
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
    fn what_could_leave_the_folder_or_change_its_name_is_refused() {
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
        }
    }
}
