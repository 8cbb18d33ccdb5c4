//! Records that may have the gap that the description's offset column implies.

use crate::base::span::Span;
use crate::bytes::parser::reading;
use crate::bytes::shapes::shapes;
use crate::bytes::{Cursor, Element};
use crate::outline::{Outline, Type};
use crate::record::Stored;
use crate::record::parser::{Grammar, array};

shapes! {
    /// Records in place, packed like those of every other chunk, or with the gap that the description's offset column
    /// implies. The variant is the one that ends exactly at the chunk's size. Records are returned without the gap.
    pub(crate) enum Records<'a, T, W> of T where [T: Element + From<&'a W>, W: Element] {
        /// Fields one after another.
        Packed(T) = |record| *record,
        /// With the gap. No such file is known.
        Wide(W) = |record| T::from(record),
    }
}

impl<'a, T: Element + From<&'a W>, W: Element> Stored for Records<'a, T, W> {
    const TYPE: Type = Type::Array(T::COLUMNS, 0);

    /// Describes the records as one array, without the gap.
    fn describe_at(&self, name: &'static str, _: Span, out: &mut Outline<'_>) {
        out.array(name, self.as_table());
    }
}

/// Returns a parser of this many records, with the gap or without.
pub(super) fn packed<'a, T, W>(count: u64, is_wide: bool) -> impl Grammar<'a, Output = Records<'a, T, W>>
where
    T: Element + From<&'a W>,
    W: Element,
{
    reading(move |cursor: &mut Cursor<'a>| match is_wide {
        false => array(count).read(cursor).map(Records::Packed),
        true => array(count).read(cursor).map(Records::Wide),
    })
}

impl<T, W> crate::base::sealed::Sealed for Records<'_, T, W> {}
