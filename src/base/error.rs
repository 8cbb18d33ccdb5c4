//! Errors, with the byte offset, the part of the asset and the file.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::base::code::Code;
use crate::base::format::Format;
use crate::base::impl_fmt::impl_fmt;
use crate::base::no_asset::NoAsset;
use crate::base::sealed::Sealed;
use crate::base::text::ByteStr;

/// The result type of every fallible function in this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error with its location.
///
/// It is one pointer wide, so a `Result` adds no cost to the success path. Its text reads
/// `model.p3d: lods[3].vertices at 0x1a2f4: needs 24 bytes, 7 left`. Each of the three leading parts is omitted if it
/// is unknown. For an asset that does not open, the format follows the file name.
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    kind: ErrorKind,
    offset: Option<u64>,
    /// Innermost part first.
    place: Vec<Segment>,
    /// If the error is in a table unpacked from the asset: the table, and the offset in it.
    table: Option<(&'static str, u64)>,
    path: Option<PathBuf>,
    /// More detail than the kind gives.
    code: Option<Code>,
    version: Option<u32>,
    /// The format that the asset was opened as.
    format: Option<Format>,
    /// All missing ranges, if more than that of the kind are known.
    missing: Vec<Range<u64>>,
}

/// A part of a path, with its index in a list. Without a name, the item is in the list named by the next outer part.
pub(crate) type Segment = (&'static str, Option<usize>);

/// The kinds of [`Error`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// More bytes are needed than remain in the enclosing part.
    Truncated {
        /// The number of bytes that the next field or array takes.
        needed: u64,
        /// The number of bytes available.
        left: u64,
    },
    /// The bytes are readable but break a rule of the format.
    Malformed(Cow<'static, str>),
    /// A known variant of a format that this crate does not read: another version, another container.
    Unsupported(Cow<'static, str>),
    /// Data that only the owner of a key can read.
    Encrypted(Cow<'static, str>),
    /// The bytes do not start like any known format. The value describes what they look like instead.
    Unrecognized(NoAsset),
    /// A part is larger or deeper than the caller's [`Limits`](crate::Limits) allow. The [code](Error::code) names the
    /// limit, if the caller can set it.
    Limit {
        /// The limited quantity, in the plural.
        what: &'static str,
        /// The maximum allowed.
        limit: u64,
    },
    /// The answer needs bytes that are not [available](crate::ranges). Add them and ask again.
    Incomplete {
        /// The first byte and the end (exclusive), counted from the start of the file.
        range: Range<u64>,
    },
    /// The caller stopped the work.
    Cancelled,
    /// An error from the operating system.
    Io(Arc<io::Error>),
}

impl Error {
    /// Creates an error of this kind, without a location.
    #[cold]
    pub fn new(kind: ErrorKind) -> Self {
        Self(Box::new(Inner {
            kind,
            offset: None,
            place: Vec::new(),
            table: None,
            path: None,
            code: None,
            version: None,
            format: None,
            missing: Vec::new(),
        }))
    }

    /// Creates an [`Incomplete`](ErrorKind::Incomplete) error for these missing ranges. The range of its kind is the
    /// first of them.
    #[cold]
    pub(crate) fn lacking(missing: Vec<Range<u64>>) -> Self {
        let mut error = Self::new(ErrorKind::Incomplete { range: missing.first().cloned().unwrap_or_default() });
        error.0.missing = missing;
        error
    }

    /// Creates a [`Malformed`](ErrorKind::Malformed) error.
    #[cold]
    pub fn malformed(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Malformed(message.into()))
    }

    /// Creates an [`Unsupported`](ErrorKind::Unsupported) error.
    #[cold]
    pub fn unsupported(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Unsupported(message.into()))
    }

    /// Creates an [`Encrypted`](ErrorKind::Encrypted) error.
    #[cold]
    pub fn encrypted(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Encrypted(message.into()))
    }

    /// Creates a [`Limit`](ErrorKind::Limit) error. The code names the limit, such as
    /// [`Code::DecodedBytesLimit`]; that of a limit which nobody can set is [`Code::Limit`].
    #[cold]
    pub fn limit(what: &'static str, limit: impl Into<u64>, code: Code) -> Self {
        Self::new(ErrorKind::Limit { what, limit: limit.into() }).coded(code)
    }

    /// Creates the error for a file that was changed.
    #[cfg(any(feature = "mmap", feature = "scan"))]
    #[cold]
    pub(crate) fn changed(message: &'static str) -> Self {
        Self::from(io::Error::other(message)).coded(Code::Changed)
    }

    /// Creates the error for memory that the system does not have.
    #[cold]
    pub(crate) fn out_of_memory() -> Self {
        Self::from(io::Error::from(io::ErrorKind::OutOfMemory))
    }

    /// Creates a [`Truncated`](ErrorKind::Truncated) error.
    #[cold]
    pub fn truncated(needed: u64, left: u64) -> Self {
        Self::new(ErrorKind::Truncated { needed, left })
    }

    /// The error for bytes that follow `after` and belong to nothing. It is reported as a warning, because everything
    /// else is readable.
    #[cold]
    pub(crate) fn trailing(bytes: u64, after: &str) -> Self {
        let noun = if bytes == 1 { "byte" } else { "bytes" };
        Self::malformed(format!("{bytes} {noun} after {after}")).coded(Code::Trailing)
    }

    /// Sets the offset, counted from the start of the asset, unless it is already known.
    #[must_use]
    pub fn at(mut self, offset: u64) -> Self {
        self.0.offset.get_or_insert(offset);
        self
    }

    /// Sets the file, unless it is already known.
    #[must_use]
    pub fn in_file(mut self, path: &Path) -> Self {
        self.0.path.get_or_insert_with(|| path.to_owned());
        self
    }

    /// Sets a code that is more specific than the [kind](Self::kind).
    #[must_use]
    pub fn coded(mut self, code: Code) -> Self {
        self.0.code = Some(code);
        self
    }

    /// Sets the version of the asset, if it was read before the error, unless it is already known.
    #[must_use]
    pub fn of_version(mut self, version: u32) -> Self {
        self.0.version.get_or_insert(version);
        self
    }

    /// Sets the format of the asset, unless it is already known.
    #[must_use]
    pub fn of_format(mut self, format: Format) -> Self {
        self.0.format.get_or_insert(format);
        self
    }

    /// Marks the current offset as relative to this unpacked table, which starts at `offset` in the asset. Does nothing
    /// if the error is already in a table.
    #[must_use]
    pub(crate) fn in_table(mut self, table: &'static str, offset: Option<u64>) -> Self {
        if self.0.table.is_none() {
            self.0.table = Some((table, self.0.offset.unwrap_or(0)));
            self.0.offset = offset;
        }
        self
    }

    /// Returns true if the error says that the work or the output of a [budget](crate::budget) is spent, or that the
    /// caller stopped the work. All later charges then fail the same way.
    pub(crate) fn is_spent(&self) -> bool {
        matches!(self.code(), Code::WorkLimit | Code::OutputLimit | Code::Cancelled)
    }

    /// Returns true if the caller stopped the work.
    pub(crate) fn is_cancelled(&self) -> bool {
        matches!(self.kind(), ErrorKind::Cancelled)
    }

    /// Returns true if the cause lies outside of the file's bytes: a limit, the system, or a caller who stopped the work.
    /// Such an error says nothing about whether the bytes are sound.
    pub(crate) fn is_from_outside(&self) -> bool {
        matches!(self.kind(), ErrorKind::Limit { .. } | ErrorKind::Io(_) | ErrorKind::Cancelled)
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Returns the stable code of the error, for programs to compare.
    pub fn code(&self) -> Code {
        self.0.code.unwrap_or(match &self.0.kind {
            ErrorKind::Truncated { .. } => Code::Truncated,
            ErrorKind::Malformed(_) => Code::Damaged,
            ErrorKind::Unrecognized(found) => found.code(),
            ErrorKind::Unsupported(_) => Code::Unsupported,
            ErrorKind::Encrypted(_) => Code::Encrypted,
            ErrorKind::Limit { .. } => Code::Limit,
            ErrorKind::Incomplete { .. } => Code::Incomplete,
            ErrorKind::Cancelled => Code::Cancelled,
            ErrorKind::Io(error) => match error.kind() {
                // A path that leads through a file, such as `model.b3d/x`, does not exist.
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Code::NotFound,
                io::ErrorKind::OutOfMemory => Code::MemoryLimit,
                _ => Code::Io,
            },
        })
    }

    /// Returns the first missing range if the error is [`Incomplete`](ErrorKind::Incomplete).
    pub fn incomplete(&self) -> Option<Range<u64>> {
        match &self.0.kind {
            ErrorKind::Incomplete { range } => Some(range.clone()),
            _ => None,
        }
    }

    /// Returns all ranges that are known to be missing if the error is [`Incomplete`](ErrorKind::Incomplete), else none.
    /// They ascend and do not overlap. Errors from [`Ranges::ask`](crate::ranges::Ranges::ask) know of several.
    pub fn incomplete_ranges(&self) -> &[Range<u64>] {
        match &self.0.kind {
            ErrorKind::Incomplete { .. } if !self.0.missing.is_empty() => &self.0.missing,
            ErrorKind::Incomplete { range } => std::slice::from_ref(range),
            _ => &[],
        }
    }

    /// Returns the version of the asset, if it was read before the error.
    pub fn version(&self) -> Option<u32> {
        self.0.version
    }

    /// Returns the format that was tried, if the asset did not open.
    pub fn format(&self) -> Option<Format> {
        self.0.format
    }

    /// Returns the offset of the error, counted from the start of the asset.
    pub fn offset(&self) -> Option<u64> {
        self.0.offset
    }

    /// Returns the file, if known.
    pub fn path(&self) -> Option<&Path> {
        self.0.path.as_deref()
    }

    /// Returns the first list of the location, such as `lods` of `lods[3].faces`, or `None` if it starts with a field.
    pub(crate) fn first_list(&self) -> Option<&'static str> {
        // The outermost segment is the last.
        match self.0.place.last() {
            Some((list, Some(_))) => Some(list),
            _ => None,
        }
    }

    /// Returns the part of the asset, such as `lods[3].vertices`, or an empty string if it is unknown. For a table that
    /// had to be unpacked, the offset in it follows: `meshes[3].faces (mesh.bm+0x4c)`.
    pub fn location(&self) -> String {
        let mut out = String::new();
        for (name, index) in self.0.place.iter().rev() {
            if !out.is_empty() && !name.is_empty() {
                out.push('.');
            }
            out.push_str(name);
            if let Some(index) = index {
                out.push_str(&format!("[{index}]"));
            }
        }
        match self.0.table {
            Some((table, offset)) if out.is_empty() => out = format!("{table}+{offset:#x}"),
            Some((table, offset)) => out.push_str(&format!(" ({table}+{offset:#x})")),
            None => {}
        }
        out
    }

    /// Returns the text without file and offset: location and cause, for lists with separate columns for the rest.
    pub fn message(&self) -> String {
        let location = self.location();
        if location.is_empty() { self.0.kind.to_string() } else { format!("{location}: {}", self.0.kind) }
    }
}

impl NoAsset {
    /// Returns the error for opening this data as an asset.
    pub fn error(self) -> Error {
        Error::new(ErrorKind::Unrecognized(self))
    }
}

/// An error does not change after its creation.
impl std::panic::UnwindSafe for Error {}
impl std::panic::RefUnwindSafe for Error {}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.0.path {
            write!(f, "{}: ", ByteStr::new(path.as_os_str().as_encoded_bytes()))?;
        }
        if let Some(format) = self.0.format {
            write!(f, "{}: ", format.title())?;
        }
        let location = self.location();
        match (location.is_empty(), self.0.offset) {
            (true, None) => {}
            (true, Some(offset)) => write!(f, "at {offset:#x}: ")?,
            (false, None) => write!(f, "{location}: ")?,
            (false, Some(offset)) => write!(f, "{location} at {offset:#x}: ")?,
        }
        self.0.kind.fmt(f)
    }
}

impl_fmt!([] Debug for Error, |error| "Error({error})");

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated { needed: 1, left } => write!(f, "needs 1 byte, {left} left"),
            Self::Truncated { needed, left } => write!(f, "needs {needed} bytes, {left} left"),
            Self::Malformed(message) | Self::Unsupported(message) | Self::Encrypted(message) => f.write_str(message),
            Self::Unrecognized(found) => f.write_str(found.message()),
            Self::Limit { what, limit } => {
                write!(f, "more than {limit} {what}")?;
                const MIB: u64 = 1 << 20;
                if what.contains("bytes") && *limit >= MIB && limit.is_multiple_of(MIB) {
                    write!(f, " ({} MiB)", limit / MIB)?;
                }
                f.write_str(", the limit set for reading")
            }
            Self::Incomplete { range } => write!(f, "needs the bytes from {:#x} to {:#x}", range.start, range.end),
            Self::Cancelled => f.write_str("cancelled"),
            Self::Io(error) => error.fmt(f),
        }
    }
}

/// `Display` already includes the text of the system error, so `source` returns the cause of that error.
impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0.kind {
            ErrorKind::Io(error) => error.source(),
            _ => None,
        }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::new(ErrorKind::Io(Arc::new(error)))
    }
}

/// Names the part in which an error occurred. Costs nothing if there is no error.
pub trait Context: Sealed + Sized {
    /// Adds the name and the index of the part in which the error occurred.
    #[doc(hidden)]
    #[must_use]
    fn within_segment(self, name: &'static str, index: Option<usize>) -> Self;

    /// Adds the part in which the error occurred.
    #[must_use]
    fn within(self, part: &'static str) -> Self {
        self.within_segment(part, None)
    }

    /// Adds the list item in which the error occurred, counted from 0.
    #[must_use]
    fn within_item(self, list: &'static str, index: usize) -> Self {
        self.within_segment(list, Some(index))
    }

    /// Adds the item in which the error occurred, counted from 0. The enclosing part names the list.
    #[must_use]
    fn within_index(self, index: usize) -> Self {
        self.within_segment("", Some(index))
    }
}

impl Sealed for Error {}

impl Context for Error {
    // Not inlined: the many places that name a part of the path stay small.
    #[cold]
    #[inline(never)]
    fn within_segment(mut self, name: &'static str, index: Option<usize>) -> Self {
        self.0.place.push((name, index));
        self
    }
}

impl<T> Sealed for Result<T> {}

impl<T> Context for Result<T> {
    fn within_segment(self, name: &'static str, index: Option<usize>) -> Self {
        self.map_err(|error| error.within_segment(name, index))
    }
}

const _: () = assert!(size_of::<Error>() == size_of::<usize>());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_names_file_place_offset_and_cause() {
        let error = Error::truncated(24, 7)
            .at(0x1a2f4)
            .within("vertices")
            .within_item("lods", 3)
            .in_file(Path::new("model.p3d"));
        assert_eq!(error.to_string(), "model.p3d: lods[3].vertices at 0x1a2f4: needs 24 bytes, 7 left");
        assert_eq!(error.message(), "lods[3].vertices: needs 24 bytes, 7 left");
        assert_eq!(error.offset(), Some(0x1a2f4));
    }

    #[test]
    fn a_place_in_a_table_is_shown_with_the_place_in_the_file() {
        let error = Error::truncated(24, 7).at(0x4c).in_table("mesh.bm", Some(0x123)).within_item("meshes", 3);
        assert_eq!(error.to_string(), "meshes[3] (mesh.bm+0x4c) at 0x123: needs 24 bytes, 7 left");
        assert_eq!(error.clone().to_string(), error.to_string());
        assert_eq!(Error::malformed("odd").in_table("mesh.bm", None).message(), "mesh.bm+0x0: odd");
    }

    #[test]
    fn the_innermost_offset_and_file_stay() {
        let error = Error::malformed("odd").at(5).at(9).in_file(Path::new("a")).in_file(Path::new("b"));
        assert_eq!(error.to_string(), "a: at 0x5: odd");
        assert_eq!(Error::from(io::Error::other("gone")).to_string(), "gone");
    }

    #[test]
    fn errors_of_the_system_have_codes() {
        for (kind, code) in [
            (io::ErrorKind::NotFound, Code::NotFound),
            (io::ErrorKind::NotADirectory, Code::NotFound),
            (io::ErrorKind::OutOfMemory, Code::MemoryLimit),
            (io::ErrorKind::PermissionDenied, Code::Io),
        ] {
            assert_eq!(Error::from(io::Error::from(kind)).code(), code);
        }
    }

    #[test]
    fn a_report_of_causes_names_each_once() {
        let inner = io::Error::new(io::ErrorKind::NotFound, "no disk");
        let error = Error::from(io::Error::other(inner)).in_file(Path::new("a"));
        let mut report = error.to_string();
        let mut source = std::error::Error::source(&error);
        while let Some(cause) = source {
            report += &format!("; {cause}");
            source = cause.source();
        }
        assert_eq!(report.matches("no disk").count(), 1, "{report}");
    }
}
