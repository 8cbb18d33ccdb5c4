//! Indices of different widths.

use zerocopy::little_endian::{U16, U32};

use crate::base::span::Span;
use crate::bytes::Cursor;
use crate::bytes::parser::reading;
use crate::bytes::shapes::shapes;
use crate::outline::{Outline, Type};
use crate::record::Stored;
use crate::record::parser::{Grammar, array, described, stored_as};

shapes! {
    /// Indices in place, of 1, 2 or 4 bytes each; read as `u32`.
    pub(crate) enum Indices<'a> of u32 {
        /// One byte each.
        U8(u8) = |index| (*index).into(),
        /// Two bytes each.
        U16(U16) = |index| index.get().into(),
        /// Four bytes each.
        U32(U32) = |index| index.get(),
    }
}

/// The width of stored indices.
#[derive(Clone, Copy, Debug)]
pub(super) enum Width {
    U8,
    U16,
    U32,
}

impl Width {
    /// Returns the width of indices into an array of `target` elements. If `spare` is set, the highest index of a width
    /// is reserved, as in face groups of the older layout.
    pub(super) fn of(target: usize, spare: bool) -> Self {
        match target.saturating_add(spare.into()) {
            0..=0x100 => Self::U8,
            0x101..=0x1_0000 => Self::U16,
            _ => Self::U32,
        }
    }

    /// Returns the width of indices of `count` bones. Two bytes are used from 255 bones on, although one could number
    /// 256.
    pub(super) fn of_bones(count: u32) -> Self {
        if count < 255 { Self::U8 } else { Self::U16 }
    }
}

impl Stored for Indices<'_> {
    const TYPE: Type = Type::List(&Type::Varying("u8|u16|u32", 1), 0);

    fn describe_at(&self, name: &'static str, _: Span, out: &mut Outline<'_>) {
        out.array(name, self);
    }
}

/// Returns a parser of this many indices of this width.
pub(super) fn indices<'a>(count: u64, width: Width) -> impl Grammar<'a, Output = Indices<'a>> {
    reading(move |cursor: &mut Cursor<'a>| match width {
        Width::U8 => array(count).read(cursor).map(Indices::U8),
        Width::U16 => array(count).read(cursor).map(Indices::U16),
        Width::U32 => array(count).read(cursor).map(Indices::U32),
    })
}

/// The stored form of bone numbers, which have at most two bytes.
enum BoneIds {}

impl Stored for BoneIds {
    const TYPE: Type = Type::List(&Type::Varying("u8|u16", 1), 0);
}

/// Returns a parser of this many indices of bones, described as an array whose type allows only one or two bytes each.
pub(super) fn bone_ids<'a>(count: u64, width: Width) -> impl Grammar<'a, Output = Indices<'a>> {
    described(stored_as::<BoneIds, _>(indices(count, width)), |ids, name, span, out| ids.describe_at(name, span, out))
}

impl crate::base::sealed::Sealed for Indices<'_> {}

#[cfg(test)]
mod tests {
    use super::Indices;
    use crate::bytes::LeArray;

    #[test]
    fn from_both_ends_and_exact_in_number() {
        let indices = Indices::U8(LeArray::new(&[5, 6, 7, 8], 0).unwrap());
        let mut all = indices.iter();
        assert_eq!((all.len(), all.next(), all.next_back(), all.len()), (4, Some(5), Some(8), 2));
        assert_eq!((all.nth(1), all.len(), all.next_back()), (Some(7), 0, None));
    }
}
