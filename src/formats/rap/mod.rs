//! raP: Arma configs in binary form, such as `config.bin`, `mission.sqm` and `.rvmat`, and their text form.
//!
//! ```text
//! "\0raP", u32 0, u32 8, u32 address of the enums
//! body of the root class, then the bodies of the classes in it, depth first
//!     text parent, count, entries: classes (by address), values, arrays, ...; u32 address after the class
//! u32 count, enums: text name, u32 value
//! ```
//!
//! A config has no coordinate space: it describes materials and the classes of the game.
//!
//! [`Config`] reads the binary form in place. [`text`] finds references in the text form. A file with any extension may
//! have either form; only the first four bytes distinguish them. Binary configs of Operation Flashpoint store classes
//! in another way and are rejected.

mod class;
#[cfg(feature = "scan")]
pub(crate) mod looks;
#[cfg(feature = "scan")]
pub(crate) mod macros;
pub(crate) mod names;
mod order;
mod summary;
#[cfg(feature = "scan")]
pub(crate) mod syntax;
pub mod text;
mod value;
mod walk;
mod wire;

pub use class::{Class, Entries, Entry};
pub use names::kind_of;
pub use value::{Array, Item, Items, Number, Value};
pub use walk::{Step, Walk};
pub use wire::{ArrayEntry, ClassEntry, ClassHead, EntryKind, Enum, FileHeader, NamedEntry, ValueEntry, ValueType};

use nom::Parser as _;
use nom::error::context;

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
/// The maximum depth of nested classes, and of nested arrays. Real files have up to 9 and 4.
const MOST_DEPTH: usize = 64;
/// The offset of the root class.
const ROOT: u64 = size_of::<FileHeader>() as u64;
/// The size of the count of enums.
const ENUMS_MIN: u64 = 4;

fn known(header: &FileHeader) -> Result<&FileHeader> {
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
    data: Data<'a>,
    header: &'a FileHeader,
    limits: Limits,
}

impl<'a> Config<'a> {
    /// Reads the header.
    ///
    /// # Errors
    /// Returns an error if it is not that of a binary config of version 8.
    pub fn parse(data: &'a [u8]) -> Result<Self> {
        Self::open(Data::Whole(data), &Limits::default())
    }

    pub(crate) fn open(data: Data<'a>, limits: &Limits) -> Result<Self> {
        let header = Cursor::new(data.head(ROOT)?).parse(context("header", in_place()).map_res(known))?;
        Ok(Self { data, header, limits: *limits })
    }

    /// Returns the version: 8.
    pub fn version(&self) -> u32 {
        VERSION
    }

    /// Returns a walk over all classes, each before its inner classes. The root class is first.
    pub fn classes(&self) -> Walk<'a> {
        Walk::new(*self)
    }

    /// Returns the constants after the classes. No file with any is known.
    ///
    /// # Errors
    /// Returns an error if they are outside the file. The classes can be read all the same.
    pub fn enums(&self) -> Result<List<'a, Enum<'a>>> {
        self.spanned_enums().map(|(enums, _)| enums)
    }

    fn at(&self, address: u64) -> Cursor<'a> {
        Cursor::with_offset(self.data.rest(address).rest(), address)
    }
}
