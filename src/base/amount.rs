//! Counts, sizes and offsets whose operators saturate.

use std::num::Saturating;
use std::ops::{Add, AddAssign, Mul, Sub, SubAssign};

/// A count, size or offset whose operators saturate, as in `(Amount(offset) + 30 + packed_bytes).0`.
///
/// Files claim sizes of any value, so arithmetic on them must not overflow. [`Saturating`] of the standard library
/// saturates too, but takes no plain numbers on the right of `+`, `-` and `*`, which makes sums of several terms hard to
/// read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Amount<T>(pub(crate) T);

impl<T> Add<T> for Amount<T>
where
    Saturating<T>: Add<Output = Saturating<T>>,
{
    type Output = Self;

    #[inline]
    fn add(self, other: T) -> Self {
        Self((Saturating(self.0) + Saturating(other)).0)
    }
}

impl<T> Sub<T> for Amount<T>
where
    Saturating<T>: Sub<Output = Saturating<T>>,
{
    type Output = Self;

    #[inline]
    fn sub(self, other: T) -> Self {
        Self((Saturating(self.0) - Saturating(other)).0)
    }
}

impl<T> Mul<T> for Amount<T>
where
    Saturating<T>: Mul<Output = Saturating<T>>,
{
    type Output = Self;

    #[inline]
    fn mul(self, other: T) -> Self {
        Self((Saturating(self.0) * Saturating(other)).0)
    }
}

/// Adds the product of a count and a size to a sum, as in `Amount(offset) + Amount(count) * 12`.
impl<T> Add for Amount<T>
where
    Self: Add<T, Output = Self>,
{
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        self + other.0
    }
}

impl<T> AddAssign<T> for Amount<T>
where
    T: Copy,
    Self: Add<T, Output = Self>,
{
    #[inline]
    fn add_assign(&mut self, other: T) {
        *self = *self + other;
    }
}

impl<T> SubAssign<T> for Amount<T>
where
    T: Copy,
    Self: Sub<T, Output = Self>,
{
    #[inline]
    fn sub_assign(&mut self, other: T) {
        *self = *self - other;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_operator_saturates_at_both_ends() {
        assert_eq!((Amount(u64::MAX - 1) + 1 + 1).0, u64::MAX);
        assert_eq!((Amount(3_u32) - 4 + 2).0, 2);
        assert_eq!((Amount(u64::MAX) * 2 - 1).0, u64::MAX - 1);
        assert_eq!((Amount(2_usize) * 3 + Amount(4) * 5).0, 26);
        let mut amount = Amount(250_u8);
        amount += 9;
        assert_eq!(amount, Amount(255));
        amount -= 255;
        amount -= 1;
        assert_eq!(amount, Amount(0));
    }
}
