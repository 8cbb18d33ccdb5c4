//! Records that the description's offset column stretches.

use std::borrow::Cow;

use crate::error::Result;
use crate::inspect::Outline;
use crate::view::by_index::{ByIndex, Indexed};
use crate::view::record::{Read, Stored, Type};
use crate::view::shapes::same_table;
use crate::view::{Cursor, Element, LeArray, Table, to_native};

/// What it takes to read a chunk with such records: what its header counts, and whether they have the gap.
#[derive(Clone, Copy, Debug)]
pub struct Layout<T> {
    pub(super) header: T,
    pub(super) is_wide: bool,
}

impl<T: Copy> Layout<T> {
    /// Tries the records with the gap where those without do not come out.
    pub(super) fn either<V>(header: T, read: impl Fn(Self) -> Result<V>) -> Result<V> {
        let read = |is_wide| read(Self { header, is_wide });
        read(false).or_else(|error| read(true).map_err(|_| error))
    }

    /// What it takes to read so many of them.
    pub(super) fn records(&self, count: u64) -> Layout<u64> {
        Layout { header: count, is_wide: self.is_wide }
    }
}

/// Records in place, packed as every other chunk is, or with the gap that the description's offset column leaves: told
/// from which of the two comes out exactly at the chunk's size.
#[derive(Clone, Copy, Debug)]
pub enum Records<'a, T, W> {
    /// Field behind field.
    Packed(LeArray<'a, T>),
    /// With the gap. No such file was ever seen.
    Wide(LeArray<'a, W>),
}

impl<'a, T: Element, W: Element> Records<'a, T, W>
where
    T: From<&'a W>,
{
    /// The record at `index`, without the bytes of a gap.
    pub fn get(&self, index: usize) -> Option<T> {
        match self {
            Self::Packed(array) => array.get(index).copied(),
            Self::Wide(array) => array.get(index).map(T::from),
        }
    }

    /// All records in order.
    pub fn iter(&self) -> ByIndex<Self> {
        ByIndex::new(*self, self.len())
    }

    /// All records as the machine's own numbers: for free where they lie aligned and without a gap and the machine is
    /// little-endian, else copied.
    pub fn to_native(&self) -> Cow<'a, [T::Native]> {
        match self {
            Self::Packed(array) => array.to_native(),
            Self::Wide(_) => to_native(&self.iter().collect::<Vec<_>>()).into_owned().into(),
        }
    }

    /// How many.
    pub fn len(&self) -> usize {
        match self {
            Self::Packed(array) => array.len(),
            Self::Wide(array) => array.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the records have the gap.
    pub fn is_wide(&self) -> bool {
        matches!(self, Self::Wide(_))
    }

    /// As an array of whatever format.
    pub fn as_table(&self) -> &dyn Table {
        match self {
            Self::Packed(array) => array,
            Self::Wide(array) => array,
        }
    }
}

impl<'a, T: Element + From<&'a W>, W: Element> Indexed for Records<'a, T, W> {
    type Item = T;

    fn item(&self, index: usize) -> Option<T> {
        self.get(index)
    }
}

same_table!(['a, T: Element + From<&'a W>, W: Element] Records<'a, T, W>);

impl<T: Element, W: Element> Stored for Records<'_, T, W> {
    const TYPE: Type = LeArray::<T>::GIVEN;
}

/// So many.
impl<'a, T: Element + From<&'a W>, W: Element> Read<'a, Layout<u64>> for Records<'a, T, W> {
    fn read(cursor: &mut Cursor<'a>, layout: Layout<u64>) -> Result<Self> {
        match layout.is_wide {
            false => cursor.array(layout.header).map(Self::Packed),
            true => cursor.array(layout.header).map(Self::Wide),
        }
    }

    fn tell(cursor: &mut Cursor<'a>, layout: Layout<u64>, name: &'static str, out: &mut Outline<'_>) -> Result<Self> {
        let records = <Self as Read<'_, _>>::read(cursor, layout)?;
        out.array(name, records.as_table());
        Ok(records)
    }
}
