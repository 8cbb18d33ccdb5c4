//! An archive, and the walk over its header.

use std::cell::Cell;

use super::entry::{Entries, EntryKind, HeaderEntry, Property};
use super::wire::{Fields, Sha1Tail, ShortTail};
use crate::base::amount::Amount;
use crate::base::error::{Context, Error, Result};
use crate::base::limits::Limits;
use crate::base::span::Span;
use crate::base::stop;
use crate::base::text::ByteStr;
use crate::bytes::Cursor;
use crate::outline::Schema;
use crate::ranges::Data;
use crate::record::Fixed;

/// The records of an archive.
pub(crate) const SCHEMA: &[&Schema] =
    &[HeaderEntry::SCHEMA, Fields::SCHEMA, Property::SCHEMA, Sha1Tail::SCHEMA, ShortTail::SCHEMA];

/// A PBO archive, borrowed from its bytes.
///
/// ```
/// # let bytes = &[&b"a.txt\0"[..], &[0; 16], &[2, 0, 0, 0], &[0; 21], b"hi"].concat();
/// use meshpeek::pbo::Archive;
/// let archive = Archive::parse(bytes)?;
/// for member in archive.members() {
///     let member = member?;
///     println!("{} at {:#x}: {} bytes", member.name(), member.offset, member.stored_byte_len());
/// }
/// let text = archive.find(b"A.TXT")?.expect("the only member").decode()?;
/// assert_eq!(&*text, b"hi");
/// # Ok::<(), meshpeek::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Archive<'a> {
    pub(super) data: Data<'a>,
    pub(super) limits: Limits,
    /// The offset of the first member's bytes, after the header, or the end of the file if the header does not end before
    /// it.
    pub data_offset: u64,
    /// The end of the last member's bytes: the sum of the header and all claimed sizes. May be outside the file.
    pub(super) data_end: u64,
    /// The number of members in the header.
    pub member_count: usize,
    /// True if the header ends correctly.
    pub(super) whole: bool,
}

/// After how many members a walk looks whether it must end.
const MEMBERS_A_LOOK: usize = 1 << 10;

/// The result of one walk over the entries.
#[derive(Default)]
struct Header {
    /// The offset after the last entry that was read.
    end: u64,
    /// True if the entry that ends the header was read.
    whole: bool,
    member_count: Amount<usize>,
    /// The claimed bytes of all members.
    sum: Amount<u64>,
}

impl Header {
    /// Walks the entries from the cursor to the end of the header. Also returns the error that ends the walk early.
    fn read(cursor: Cursor<'_>) -> (Self, Option<Error>) {
        let mut entries = Entries::new(cursor);
        let mut header = Self::default();
        let mut broken = None;
        for entry in entries.by_ref() {
            match entry {
                Ok(entry) if entry.kind() == EntryKind::Member => {
                    if header.member_count.0 % MEMBERS_A_LOOK == 0 && stop::is_set() {
                        return (header, Some(stop::error()));
                    }
                    header.member_count += 1;
                    header.sum += entry.fields().data_size.get().into();
                }
                Ok(_) => {}
                Err(error) => broken = Some(error),
            }
        }
        // The entries end after the one that ends the header, or after the first error.
        header.whole = broken.is_none();
        header.end = entries.offset();
        (header, broken)
    }

    /// Returns 1.5 times the likely length of the whole header in a file of this size, if its first entries are these. Their
    /// members are a share of the file, and they are likely to be the same share of the header.
    fn expected(&self, size: u64) -> u64 {
        let [end, sum, size] = [self.end, self.sum.0, size].map(u128::from);
        let whole = end.saturating_mul(size).checked_div(sum.saturating_add(end)).unwrap_or(0);
        whole.saturating_mul(3).wrapping_shr(1).try_into().unwrap_or(u64::MAX)
    }
}

impl<'a> Archive<'a> {
    /// Finds the start of the members. Walks the header once and allocates nothing.
    ///
    /// # Errors
    /// Returns an error if the first entry cannot be read. An error later in the header is reported by
    /// [`members`](Self::members).
    pub fn parse(data: &'a [u8]) -> Result<Self> {
        Self::open(Data::Whole(data), &Limits::default())
    }

    /// Opens an archive as [`parse`](Self::parse) does, from data of which parts may be missing.
    ///
    /// # Errors
    /// Also returns an error if bytes of the header are not available.
    pub(crate) fn open(data: Data<'a>, limits: &Limits) -> Result<Self> {
        let mut header = Header::default();
        // The likely length of the header, updated whenever the bytes that are available end inside it.
        let expected = Cell::new(0);
        let read = data.read_expecting(0, &expected, |cursor| {
            let error;
            (header, error) = Header::read(*cursor);
            let Some(error) = error else { return Ok(()) };
            expected.set(header.expected(data.size()));
            Err(error)
        });
        match read {
            Err(error) if error.incomplete().is_some() || error.is_cancelled() => return Err(error),
            // Not even the first entry was read.
            Err(error) if header.end == 0 => return Err(error.within("header")),
            // `members` returns a later error.
            _ => {}
        }
        let Header { end, whole, member_count, sum } = header;
        let data_offset = if whole { end } else { data.size() };
        let data_end = (sum + data_offset).0;
        Ok(Self { data, limits: *limits, data_offset, data_end, member_count: member_count.0, whole })
    }

    /// Returns an iterator over all entries of the header.
    pub fn entries(&self) -> Entries<'a> {
        Entries::new(self.data.cursor(0))
    }

    /// Returns an iterator over all properties, including repeated keys and those of product entries after the first.
    pub fn properties(&self) -> impl Iterator<Item = Property<'a>> + use<'a> {
        self.spanned_properties().map(|(property, _)| property)
    }

    /// Returns an iterator over all properties with their locations.
    pub(super) fn spanned_properties(&self) -> impl Iterator<Item = (Property<'a>, Span)> + use<'a> {
        self.entries().map_while(Result::ok).filter_map(|entry| entry.properties()).flat_map(|list| list.spanned())
    }

    /// Returns the first property with this key, ignoring case. Linear in the header.
    pub fn property(&self, key: &str) -> Option<ByteStr<'a>> {
        let mut properties = self.properties();
        let found = properties.find(|property| property.key.as_bytes().eq_ignore_ascii_case(key.as_bytes()))?;
        Some(found.value)
    }

    /// Returns the folder in the game's virtual file system that contains the members, such as `z\ace\addons\ai`.
    /// Without it, games use the archive's own name.
    pub fn prefix(&self) -> Option<ByteStr<'a>> {
        self.property("prefix")
    }
}
