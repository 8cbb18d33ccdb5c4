//! The names of an address, joined by `!/`. Only this file joins and splits them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::base::text::Name;

/// Names joined by `!/`: each after the first is that of a member of the archive before it. The first is a file in an
/// address, and a member in the path of a member.
///
/// ```
/// use meshpeek::address::MemberPath;
/// let path = MemberPath::new("mods.zip!/a.pbo!/tree.p3d");
/// assert_eq!(path.names().collect::<Vec<_>>(), ["mods.zip", "a.pbo", "tree.p3d"]);
/// assert_eq!(path.split_last(), (Some("mods.zip!/a.pbo"), "tree.p3d"));
/// assert_eq!(path.inside("mods.zip"), Some("a.pbo!/tree.p3d"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemberPath<'p>(&'p str);

impl<'p> MemberPath<'p> {
    /// The text between two names.
    pub const SEPARATOR: &'static str = "!/";

    /// Views this text as names.
    pub const fn new(text: &'p str) -> Self {
        Self(text)
    }

    /// Returns the names, the outermost first.
    pub fn names(self) -> impl Iterator<Item = &'p str> {
        self.0.split(Self::SEPARATOR)
    }

    /// Splits off the last name. Returns `None` as the first part if there is one name.
    pub fn split_last(self) -> (Option<&'p str>, &'p str) {
        match self.0.rsplit_once(Self::SEPARATOR) {
            Some((archive, name)) => (Some(archive), name),
            None => (None, self.0),
        }
    }

    /// Returns the names after those of an archive, or `None` if this is not inside it.
    pub fn inside(self, archive: &str) -> Option<&'p str> {
        self.0.strip_prefix(archive)?.strip_prefix(Self::SEPARATOR)
    }

    /// Returns the path of a member: its name after the path of the archive that it is in, if that is a member itself.
    pub fn join(archive: Option<&Name>, name: Name) -> Name {
        let Some(archive) = archive else { return name };
        Name { text: Self::join_text(&archive.text, Some(&name.text)), lossy: archive.lossy || name.lossy }
    }

    /// Returns the address of a member, or of a file if there is none, as text.
    ///
    /// ```
    /// # use meshpeek::address::MemberPath;
    /// assert_eq!(MemberPath::join_text("mods.zip", Some("a.pbo!/tree.p3d")), "mods.zip!/a.pbo!/tree.p3d");
    /// assert_eq!(MemberPath::join_text("tree.p3d", None), "tree.p3d");
    /// ```
    pub fn join_text(file: &str, member: Option<&str>) -> String {
        match member {
            Some(member) => format!("{file}{}{member}", Self::SEPARATOR),
            None => file.to_owned(),
        }
    }

    /// Returns the address of a file, or of a member in it, as text.
    pub fn address(file: &Path, member: Option<&Name>) -> String {
        let file = file.to_string_lossy();
        match member {
            Some(member) => Self::join_text(&file, Some(&member.text)),
            None => file.into_owned(),
        }
    }

    /// Returns the innermost name of an address, whose extension indicates a format: that of the file if there is no
    /// member.
    ///
    /// ```
    /// # use std::path::Path;
    /// # use meshpeek::{address::MemberPath, summary::Name};
    /// let member = Name::new("b.pbo!/tree.p3d#1".to_owned());
    /// assert_eq!(MemberPath::own_name(Path::new("a.zip"), Some(&member)), Path::new("b.pbo!/tree.p3d"));
    /// ```
    pub fn own_name<'n>(file: &'n Path, member: Option<&'n Name>) -> &'n Path {
        match member {
            Some(member) => Path::new(unnumbered(&member.text)),
            None => file,
        }
    }

    /// Returns the address of a member as a path. That of the file keeps its bytes.
    ///
    /// ```
    /// # use std::path::Path;
    /// # use meshpeek::address::MemberPath;
    /// assert_eq!(MemberPath::join_path("mods.zip", "a.pbo"), Path::new("mods.zip!/a.pbo"));
    /// ```
    pub fn join_path(file: impl Into<OsString>, member: &str) -> PathBuf {
        let mut path = file.into();
        path.push(Self::SEPARATOR);
        path.push(member);
        path.into()
    }
}

/// Splits a name that ends in `#` and a number.
pub(super) fn numbered(name: &[u8]) -> Option<(&[u8], u64)> {
    let mark = memchr::memrchr(b'#', name)?;
    let base = name.get(..mark)?;
    let digits = name.get(mark.saturating_add(1)..)?;
    // `parse` also takes a sign.
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let number = std::str::from_utf8(digits).ok()?.parse().ok()?;
    Some((base, number))
}

/// Returns a member's path without the number of its last name. Only an address adds `#` and a number.
pub fn unnumbered(name: &str) -> &str {
    let Some((base, _)) = numbered(name.as_bytes()) else { return name };
    name.get(..base.len()).unwrap_or(name)
}

/// The text between two names, as bytes.
pub(super) const SEAM: &[u8] = MemberPath::SEPARATOR.as_bytes();

/// Returns the places of all separators.
pub(super) fn seams(bytes: &[u8]) -> impl Iterator<Item = usize> {
    memchr::memmem::find_iter(bytes, SEAM)
}

/// Returns true if a name contains what separates names. Addresses spell it differently.
pub(crate) fn has_seam(name: &[u8]) -> bool {
    memchr::memmem::find(name, SEAM).is_some()
}

/// Returns a name as addresses spell it, if that differs.
pub(super) fn respelled(name: &str) -> Option<String> {
    if has_seam(name.as_bytes()) { Some(name.replace(MemberPath::SEPARATOR, "!\\x2f")) } else { None }
}
