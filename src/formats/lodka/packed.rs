//! Records that may have the gap that the description's offset column implies.

use std::borrow::Cow;

use crate::base::error::Result;
use crate::bytes::shapes::shapes;
use crate::bytes::{Cursor, Element, LeArray, to_native};
use crate::outline::{Sink, Type};
use crate::record::{Read, Stored};

shapes! {
    /// Records in place, packed like those of every other chunk, or with the gap that the description's offset column
    /// implies. The variant is the one that ends exactly at the chunk's size. Records are returned without the gap.
    pub enum Records<'a, T, W> of T where [T: Element + From<&'a W>, W: Element] {
        /// Fields one after another.
        Packed(T) = |record| *record,
        /// With the gap. No such file is known.
        Wide(W) = |record| T::from(record),
    }
}

impl<'a, T: Element + From<&'a W>, W: Element> Records<'a, T, W> {
    /// Returns all records as native numbers. Borrows them if they have no gap and are aligned and the machine is
    /// little-endian; otherwise copies them.
    pub fn to_native(&self) -> Cow<'a, [T::Native]> {
        match self {
            Self::Packed(array) => array.to_native(),
            Self::Wide(_) => to_native(&self.iter().collect::<Vec<_>>()).into_owned().into(),
        }
    }

    /// Returns true if the records have the gap.
    pub fn is_wide(&self) -> bool {
        matches!(self, Self::Wide(_))
    }
}

impl<T: Element, W: Element> Stored for Records<'_, T, W> {
    const TYPE: Type = LeArray::<T>::GIVEN;
}

/// Reads as many records as the context says. The second part of it is true if they have the gap.
impl<'a, T: Element + From<&'a W>, W: Element> Read<'a, (u64, bool)> for Records<'a, T, W> {
    fn walk(cursor: &mut Cursor<'a>, layout: (u64, bool), name: &'static str, sink: &mut impl Sink) -> Result<Self> {
        let (count, is_wide) = layout;
        let records = match is_wide {
            false => cursor.array(count).map(Self::Packed)?,
            true => cursor.array(count).map(Self::Wide)?,
        };
        sink.describe(|out| out.array(name, records.as_table()));
        Ok(records)
    }
}

impl<T, W> crate::base::sealed::Sealed for Records<'_, T, W> {}
