//! A binary config, and its header.

use nom::Parser as _;
use nom::error::context;

use super::wire::{ArrayEntry, ClassEntry, ClassHead, Enum, FileHeader, NamedEntry, ValueEntry};
use crate::base::error::{Error, Result};
use crate::base::limits::Limits;
use crate::base::text::ByteStr;
use crate::bytes::Cursor;
use crate::bytes::parser::in_place;
use crate::outline::Schema;
use crate::ranges::Data;
use crate::record::{Fixed, List};

/// The records of a file.
pub(crate) const SCHEMA: &[&Schema] = &[
    FileHeader::SCHEMA,
    ClassHead::SCHEMA,
    ClassEntry::SCHEMA,
    ValueEntry::SCHEMA,
    ArrayEntry::SCHEMA,
    NamedEntry::SCHEMA,
    Enum::SCHEMA,
];

/// The only known version.
const VERSION: u32 = 8;
/// The offset of the root class.
pub(super) const ROOT: u64 = size_of::<FileHeader>() as u64;
/// The size of the count of enums.
pub(super) const ENUMS_MIN: u64 = 4;

/// Returns the header if it is that of a known version. The errors are at the field that is wrong: the signature is at
/// offset 0, `zero` at 4, the version at 8.
fn check_header(header: &FileHeader) -> Result<&FileHeader> {
    match (&*header.signature, header.zero.get(), header.version.get()) {
        (b"\0raP", 0, VERSION) => Ok(header),
        (b"\0raP", 0, version) => {
            Err(Error::unsupported(format!("raP of version {version}, only {VERSION} is known")).at(8))
        }
        (b"\0raP", version @ 2..=4, _) => {
            let message = format!("raP of Operation Flashpoint (version {version}), only version {VERSION} is read");
            Err(Error::unsupported(message).at(4))
        }
        (b"\0raP", other, _) => Err(Error::malformed(format!("{other} after the signature, not 0")).at(4)),
        (other, ..) => Err(Error::malformed(format!("starts with \"{}\", not \"\\0raP\"", ByteStr::new(other)))),
    }
}

/// A binary config, borrowed from its bytes.
///
/// ```
/// # let bytes = b"\0raP\0\0\0\0\x08\0\0\0\x1e\0\0\0\0\x01\x01\0name\0x\0\x1e\0\0\0\0\0\0\0";
/// use meshpeek::rap::{Config, Entry};
/// let config = Config::parse(bytes)?;
/// for step in config.classes() {
///     let class = step?.class;
///     for entry in class.entries() {
///         if let Entry::Value(value) = entry {
///             println!("{} = {:?}", value.name, value.value);
///         }
///     }
/// }
/// # Ok::<(), meshpeek::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Config<'a> {
    pub(super) data: Data<'a>,
    pub(super) header: &'a FileHeader,
    pub(super) limits: Limits,
}

impl<'a> Config<'a> {
    /// Reads the header.
    ///
    /// # Errors
    /// Returns an error if it is not that of a binary config of version 8.
    pub fn parse(data: &'a [u8]) -> Result<Self> {
        Self::open(Data::Whole(data), &Limits::default())
    }

    /// Opens a config as [`parse`](Self::parse) does, from data of which parts may be missing.
    pub(crate) fn open(data: Data<'a>, limits: &Limits) -> Result<Self> {
        let header = Cursor::new(data.head(ROOT)?).parse(context("header", in_place()).map_res(check_header))?;
        Ok(Self { data, header, limits: *limits })
    }

    /// Returns the version: 8.
    pub fn version(&self) -> u32 {
        VERSION
    }

    /// Returns the constants after the classes. No file with any is known.
    ///
    /// # Errors
    /// Returns an error if they are outside the file. The classes can be read all the same.
    pub fn enums(&self) -> Result<List<'a, Enum<'a>>> {
        self.spanned_enums().map(|(enums, _)| enums)
    }

    /// Returns a cursor at this address, over the rest of the file.
    pub(super) fn at(&self, address: u64) -> Cursor<'a> {
        Cursor::with_offset(self.data.rest(address).rest(), address)
    }
}
