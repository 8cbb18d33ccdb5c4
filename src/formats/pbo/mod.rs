//! PBO archives, as Bohemia's games since Operation Flashpoint load them.
//!
//! ```text
//! entries of the header, one of them a product with properties
//! entry without a name: the end
//! bytes of all members, back to back in header order
//! tail: nothing, or 00 and a checksum
//! ```
//!
//! There is no magic, no alignment and no table of offsets: a member lies where the sizes before it add up to. Nearly
//! all members are stored as they are, so a mapped archive hands them out in place.
//!
//! Games load archives that were made to confuse readers: names twice or with control characters, sizes beyond the
//! file, products in the middle. All of it is listed here; [`verify`](crate::Inspect::verify) says what is odd.

mod entry;
mod member;
mod summary;
mod tail;
#[cfg(test)]
mod tests;
mod wire;

pub use entry::{Entries, Entry, EntryKind, HeaderEntry, Properties, Property};
pub use member::{Member, Members};
#[cfg_attr(not(feature = "scan"), allow(unused_imports))]
pub(crate) use tail::Checksum;
pub use tail::{Tail, TailKind};
pub use wire::{Fields, Hex, Method, Sha1Tail, ShortTail, Timestamp};

use crate::base::error::{Context, Result};
use crate::base::limits::Limits;
use crate::base::span::Span;
use crate::base::text::{ByteStr, is_same_name};
use crate::outline::Schema;
use crate::ranges::{Data, Ranges};
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
///     println!("{} at {:#x}: {} bytes", member.name(), member.offset(), member.stored_byte_len());
/// }
/// let text = archive.find(b"A.TXT")?.expect("the only member").decode()?;
/// assert_eq!(&*text, b"hi");
/// # Ok::<(), meshpeek::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Archive<'a> {
    data: Data<'a>,
    limits: Limits,
    /// Where the first member starts; the end of the file where the header does not end before.
    data_offset: u64,
    data_end: u64,
    member_count: usize,
    /// Whether the header ends as it should.
    whole: bool,
}

impl<'a> Archive<'a> {
    /// Finds where the members start. Walks the header once and allocates nothing.
    ///
    /// # Errors
    /// Where not even the first entry can be read. A header that breaks off later is told by
    /// [`members`](Self::members).
    pub fn parse(data: &'a [u8]) -> Result<Self> {
        Self::parse_with(data, &Limits::default())
    }

    /// The same within other limits.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub fn parse_with(data: &'a [u8], limits: &Limits) -> Result<Self> {
        Self::open(Data::Whole(data), limits)
    }

    /// The same of [ranges](crate::ranges): takes the header, which it does not know the size of before it has read it.
    ///
    /// # Errors
    /// As [`parse`](Self::parse); [`Incomplete`](crate::ErrorKind::Incomplete) where the header is not all here.
    pub fn parse_ranges(ranges: &'a Ranges, limits: &Limits) -> Result<Self> {
        Self::open(Data::Parts(ranges), limits)
    }

    fn open(data: Data<'a>, limits: &Limits) -> Result<Self> {
        let mut entries = Entries::new(data.cursor(0));
        let (mut member_count, mut sum) = (0_usize, 0_u64);
        let mut whole = false;
        while let Some(entry) = entries.next() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => match data.read(0, |_| Err::<(), _>(error)) {
                    Err(error) if error.incomplete().is_some() => return Err(error),
                    Err(error) if entries.offset() == 0 => return Err(error.within("header")),
                    _ => break,
                },
            };
            match entry.kind() {
                EntryKind::Member => {
                    member_count = member_count.saturating_add(1);
                    sum = sum.saturating_add(entry.fields().data_size.get().into());
                }
                EntryKind::End => whole = true,
                EntryKind::Product => {}
            }
        }
        let data_offset = if whole { entries.offset() } else { data.size() };
        let data_end = data_offset.saturating_add(sum);
        Ok(Self { data, limits: *limits, data_offset, data_end, member_count, whole })
    }

    /// All entries of the header in order.
    pub fn entries(&self) -> Entries<'a> {
        Entries::new(self.data.cursor(0))
    }

    /// All properties in order, repeated keys included; those of a product entry that is not the first, too.
    pub fn properties(&self) -> impl Iterator<Item = Property<'a>> + use<'a> {
        self.entries().map_while(Result::ok).flat_map(|entry| entry.properties())
    }

    /// The same with the place of each.
    fn spanned_properties(&self) -> impl Iterator<Item = (Property<'a>, Span)> + use<'a> {
        self.entries().map_while(Result::ok).flat_map(|entry| entry.properties().spanned())
    }

    /// The first property of this key, in any case. Linear in the header.
    pub fn property(&self, key: &str) -> Option<ByteStr<'a>> {
        let same = |property: &Property<'_>| property.key.as_bytes().eq_ignore_ascii_case(key.as_bytes());
        self.properties().find(same).map(|property| property.value)
    }

    /// The folder in the game's virtual file system that holds the members, such as `z\ace\addons\ai`. Without it that
    /// is the archive's own name.
    pub fn prefix(&self) -> Option<ByteStr<'a>> {
        self.property("prefix")
    }

    /// All members in header order, duplicates included, up to [`Limits::archive_members`].
    pub fn members(&self) -> Members<'a> {
        Members::new(self)
    }

    /// How many members the header lists.
    pub fn member_count(&self) -> usize {
        self.member_count
    }

    /// The first member of this name; either slash stands for both, and case plays no part. Which of several members of
    /// one name a game takes is not settled. Linear in the header: names are not always sorted.
    ///
    /// # Errors
    /// Where there is none before the header breaks off.
    pub fn find(&self, name: &[u8]) -> Result<Option<Member<'a>>> {
        let mut members = self.members();
        members.find(|found| found.as_ref().map_or(true, |it| is_same_name(it.name().as_bytes(), name))).transpose()
    }

    /// Where the first member's bytes start: behind the header.
    pub fn data_offset(&self) -> u64 {
        self.data_offset
    }
}
