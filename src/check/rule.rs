//! The rules for elements.

use std::borrow::Cow;
use std::fmt::{self, Display};

use crate::base::code::Code;

/// The maximum deviation of a unit vector's length from 1.
pub(crate) const UNIT: f32 = 0.01;

/// The tolerance for weights outside 0 to 1. In 10 of 28 real files, normalized weights reach 1.0000001.
pub(crate) const ROUNDING: f32 = 1e-5;

/// A rule for each element of an array.
pub(crate) trait Rule {
    /// An element as shown in the message.
    type Value: Copy + Display;

    /// Returns the stable code of the problem. A code that starts with `damaged` is an error, any other a warning.
    fn code(&self) -> Code;

    /// Returns true if an element follows the rule.
    fn holds(&self, value: Self::Value) -> bool;

    /// Describes the elements that break the rule: "not below 512".
    fn words(&self) -> Cow<'static, str>;
}

/// Declares rules: their bounds, the condition for an element, and the words for an element that breaks the rule.
macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident $(<$life:lifetime>)? $(<$n:ident>)? $(($bound:ty))? of $value:ty = $code:expr,
        |$rule:pat_param, $element:pat_param| $holds:expr, $words:expr;)*) => {$(
        $(#[$doc])*
        pub(crate) struct $name $(<$life>)? $(<const $n: usize>)? $((pub(crate) $bound))?;

        #[allow(unused_variables)]
        impl $(<$life>)? $(<const $n: usize>)? $crate::check::Rule for $name $(<$life>)? $(<$n>)? {
            type Value = $value;

            fn code(&self) -> $crate::base::code::Code {
                $code
            }

            #[inline]
            fn holds(&self, value: $value) -> bool {
                let ($rule, $element) = (self, value);
                $holds
            }

            fn words(&self) -> std::borrow::Cow<'static, str> {
                let $rule = self;
                $words.into()
            }
        }
    )*};
}
pub(crate) use rules;

/// Describes indices that are not among those from `first` to the last of a list of this length, which is `if_empty`
/// for an empty list.
fn up_to_last(first: i64, count: u64, if_empty: &str) -> String {
    match count.checked_sub(1) {
        Some(last) => format!("not from {first} to {last}"),
        None => if_empty.to_owned(),
    }
}

rules! {
    /// An index into a list of this length.
    Below(u64) of u64 = Code::Range, |Self(count), number| number < *count, format!("not below {count}");

    /// A signed index into a list of this length.
    // A negative number becomes larger than any count.
    Index(u64) of i64 = Code::Range, |Self(count), number| number.cast_unsigned() < *count,
        up_to_last(0, *count, "not in an empty list");

    /// A signed index into a list of this length, or -1 for none.
    IndexOrNone(u64) of i64 = Code::Range, |Self(count), number| number == -1 || Index(*count).holds(number),
        up_to_last(-1, *count, "not -1");

    /// An end index, at most the number of items.
    AtMost(u64) of u64 = Code::Range, |Self(count), end| end <= *count, format!("above {count}");

    /// Numbers that are neither infinite nor NaN.
    // Without a branch for each number.
    Finite<N> of Numbers<N> = Code::NotFinite,
        |_, Numbers(numbers)| numbers.into_iter().fold(true, |all, number| all & number.is_finite()), "not finite";

    /// Numbers from 0 to 1, within [rounding](ROUNDING). Numbers that are not finite are reported elsewhere.
    UnitRange<N> of Numbers<N> = Code::OddRange, |_, Numbers(numbers)| {
        let is_inside = |number: f32| (-ROUNDING..=1.0 + ROUNDING).contains(&number) | !number.is_finite();
        numbers.into_iter().fold(true, |all, number| all & is_inside(number))
    }, "not from 0 to 1";
}

/// The numbers of one element.
#[derive(Clone, Copy)]
pub(crate) struct Numbers<const N: usize>(pub(crate) [f32; N]);

impl<const N: usize> Display for Numbers<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [number] = self.0.as_slice() {
            return number.fmt(f);
        }
        for (index, number) in self.0.iter().enumerate() {
            write!(f, "{}{number}", if index == 0 { "(" } else { ", " })?;
        }
        f.write_str(")")
    }
}

/// The length of a vector.
#[derive(Clone, Copy)]
pub(crate) struct Length {
    square: f32,
}

impl Length {
    /// Creates the length of the vector with these numbers.
    #[inline]
    pub(crate) fn of(numbers: impl AsRef<[f32]>) -> Self {
        Self { square: numbers.as_ref().iter().map(|number| number * number).sum() }
    }

    /// Creates the length of a vector of integers, in which the integer `unit` represents 1.
    #[inline]
    pub(crate) fn in_units<const N: usize>(numbers: [i16; N], unit: i16) -> Self {
        let one = 1.0 / f32::from(unit);
        Self::of(numbers.map(|number| f32::from(number) * one))
    }
}

impl Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "of length {:.3}", f64::from(self.square).sqrt())
    }
}

/// Vectors of length 1. A length that is NaN is reported elsewhere.
pub(crate) enum Unit {
    /// A direction. It may be zero for none.
    Direction,
    /// A rotation.
    Quaternion,
}

impl Rule for Unit {
    type Value = Length;

    fn code(&self) -> Code {
        Code::NotUnit
    }

    #[inline]
    fn holds(&self, Length { square }: Length) -> bool {
        const LEAST: f32 = (1.0 - UNIT) * (1.0 - UNIT);
        const MOST: f32 = (1.0 + UNIT) * (1.0 + UNIT);
        let is_none = matches!(self, Self::Direction) & (square == 0.0);
        (LEAST..=MOST).contains(&square) | square.is_nan() | is_none
    }

    fn words(&self) -> Cow<'static, str> {
        "not unit".into()
    }
}
