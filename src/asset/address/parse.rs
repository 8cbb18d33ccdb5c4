//! An address as text: a file, and names in it.

use std::ffi::OsStr;
#[cfg(feature = "scan")]
use std::fs::Metadata;
use std::io;
use std::path::PathBuf;

use super::member_path::unnumbered;
use super::member_path::{MemberPath, SEAM, seams};
use crate::base::error::Result;
use crate::base::limits::Limits;
use crate::base::text::ByteStr;
use crate::source::{Access, FileMap};
#[cfg(feature = "scan")]
use crate::source::{Patience, read_standard_input};

/// A file, and the path through the archives in it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Address {
    /// The file. `-` is standard input.
    pub file: PathBuf,
    /// Names joined by `!/`, or `None` for the file itself.
    pub member: Option<Vec<u8>>,
}

impl Address {
    /// Creates the address of a file, or of a member of it.
    pub const fn new(file: PathBuf, member: Option<Vec<u8>>) -> Self {
        Self { file, member }
    }

    /// Splits an address into file and member. If `!/` could be part of the file's own path, the file system decides:
    /// the longest prefix that is a file is the file.
    ///
    /// ```
    /// # use meshpeek::address::Address;
    /// let address = Address::parse("corpus/zip/addons.zip!/a.pbo!/model.p3d");
    /// assert_eq!(address.member.as_deref(), Some(&b"a.pbo!/model.p3d"[..]));
    /// assert_eq!(Address::parse("corpus/zip").member, None);
    /// ```
    pub fn parse(text: impl AsRef<OsStr>) -> Self {
        let text = text.as_ref();
        let whole = Self { file: text.into(), member: None };
        let bytes = text.as_encoded_bytes();
        let mut seams = seams(bytes);
        let Some(first) = seams.next() else { return whole };
        if whole.file.as_os_str() != "-" && whole.file.exists() {
            return whole;
        }
        // If no prefix is a file, a message should name the shortest.
        let mut address = Self::cut(bytes, first);
        for seam in seams {
            let longer = Self::cut(bytes, seam);
            let is_file = longer.file.metadata().is_ok_and(|metadata| !metadata.is_dir());
            if is_file {
                address = longer;
            }
        }
        address
    }

    /// Splits an address at the `!/` at this place.
    fn cut(address: &[u8], seam: usize) -> Self {
        let file = address.get(..seam).unwrap_or_default();
        let member = address.get(seam.saturating_add(SEAM.len())..).unwrap_or_default();
        Self { file: to_path(file), member: Some(member.to_vec()) }
    }

    /// Opens the file, or reads standard input if it is `-`. The limits do not bound the size of a regular file. A
    /// service that gets addresses from others should use [`FileMap::open_if`] instead, and never read standard input.
    ///
    /// # Errors
    /// Returns the errors of [`FileMap::open_with`] and [`FileMap::from_reader`].
    pub fn open(&self, access: Access, limits: &Limits) -> Result<FileMap> {
        if self.is_stdin() {
            return FileMap::from_reader(io::stdin().lock(), limits).map_err(|error| error.in_file(&self.file));
        }
        FileMap::open_with(&self.file, access, limits)
    }

    /// Also returns the metadata from before the file was read. Waits for a pipe that was `named`, until `is_over`.
    #[cfg(feature = "scan")]
    pub(crate) fn open_with_metadata(
        &self,
        access: Access,
        limits: &Limits,
        named: bool,
        is_over: &dyn Fn() -> bool,
    ) -> Result<(FileMap, Option<Metadata>)> {
        if named && self.is_stdin() {
            let patience = Patience { most: None, is_over };
            let bytes =
                read_standard_input(limits.decoded_bytes, patience).map_err(|error| error.in_file(&self.file))?;
            return Ok((bytes.into(), None));
        }
        let patience = if named { Some(Patience { is_over, ..Patience::NAMED }) } else { None };
        let (file, metadata) = FileMap::open_with_metadata(&self.file, access, limits, patience)?;
        Ok((file, Some(metadata)))
    }

    /// Returns the name of the target, without a number. Its extension hints at the format.
    pub fn name(&self) -> PathBuf {
        match &self.member {
            Some(member) => unnumbered(&ByteStr::new(member).to_text_lossy()).into(),
            None => self.file.clone(),
        }
    }

    /// Returns the address as one path.
    pub fn to_path(&self) -> PathBuf {
        match &self.member {
            Some(member) => MemberPath::join_path(&self.file, &ByteStr::new(member).to_text_lossy()),
            None => self.file.clone(),
        }
    }

    /// Returns the address of the archive that the member is in, if that is a member itself.
    #[cfg(feature = "scan")]
    pub(crate) fn archive(&self) -> Option<Self> {
        let member = self.member.as_ref()?;
        let end = seams(member).last()?;
        Some(Self { file: self.file.clone(), member: Some(member.get(..end)?.to_vec()) })
    }

    /// Returns true if the file is standard input.
    pub fn is_stdin(&self) -> bool {
        self.file.as_os_str() == "-"
    }
}

#[cfg(unix)]
fn to_path(bytes: &[u8]) -> PathBuf {
    <OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes).into()
}

#[cfg(not(unix))]
fn to_path(bytes: &[u8]) -> PathBuf {
    String::from_utf8_lossy(bytes).into_owned().into()
}
