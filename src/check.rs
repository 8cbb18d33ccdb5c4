//! Rules for the elements of an array, and one form of message: how many are wrong, out of how many, and the first.
//!
//! ```text
//! lods[2].faces: 1,024 of 3,000 point numbers are not below 512; the first is 70000 at index 5
//! ```
//!
//! An array is walked once, and only counted. The first wrong element is searched for only if there is one. Each array
//! produces at most one message, and only if the list of problems has room for it.
//!
//! # Tolerance for unit vectors
//!
//! The available files of real writers, and models that another program converted from two of them, contain lengths
//! that differ from 1 by at most
//!
//! | kind | files | count | max. deviation |
//! | --- | --- | --- | --- |
//! | quaternions of BMTR | 10 | 55,378 | 0.0005 |
//! | rotations of B3D, nodes and keys | 11 | 10,517 | 0.000001 |
//! | normals and tangents of ODOL, packed | 22 | 197,578 | 0.0020 |
//! | normals of ODOL, floats | 7 | 24,936 | 0.0013 |
//! | normals of ODOL 71 from another program's own writer | 1 | 526 | 0.0039 |
//! | normals of MLOD | 1 | 68 | 0.000001 |
//! | normals of Ballance maps | 1 | 18 | 0.000001 |
//!
//! So [`UNIT`] is more than twice the deviation of the least precise writer. 948 of the packed vectors of ODOL are
//! zero, in models that games display. A direction may therefore be zero. A quaternion of zeros is not a rotation.
//!
//! Not checked: normals of B3D, because the writers of 129 of 506 real files scale them. Normals and rotations of
//! LODka3D, because 838 of 847 available normals are far from 1, and no known reader rejects them. The matrices of
//! plain animations, which may scale.

mod facing;
mod faults;
mod fields;
mod repeated;
mod rule;
mod words;

use std::borrow::Cow;
use std::fmt::Display;
use std::marker::PhantomData;

pub(crate) use crate::base::error::Segment;
pub(crate) use facing::Facing;
pub(crate) use faults::{Alike, Faults};
pub(crate) use fields::{fields, offset_of_field};
pub(crate) use repeated::Repeated;
pub(crate) use rule::{AtMost, Below, Finite, Index, IndexOrNone, Length, Numbers, Rule, Unit, UnitRange, rules};
pub(crate) use words::grouped;
use words::severity;

use crate::base::amount::Amount;
use crate::base::code::Code;
use crate::base::error::Error;
use crate::base::place::Locate;
use crate::base::stop;
use crate::bytes::{Packing, Table};
use crate::summary::Problems;

/// The elements to check before the switch that ends long work is checked again.
pub(crate) const PIECE: usize = stop::PIECE / 8;

/// Checks the elements of one array, or of several that are reported together.
#[must_use]
pub(crate) struct Check<R: Rule> {
    rule: R,
    /// The number of elements so far.
    of: u64,
    /// The number of those that break the rule.
    broken: u64,
    /// The first of these.
    first: Option<(Element, R::Value)>,
}

/// The position of an element.
#[derive(Clone, Copy)]
struct Element {
    /// The inner list, if there are several.
    list: Option<(&'static str, usize)>,
    index: u64,
    offset: u64,
}

/// Returns the index and the value of the first of these elements that breaks the rule. They are counted from `start`.
fn first_broken<R: Rule>(rule: &R, start: u64, values: impl Iterator<Item = R::Value>) -> Option<(u64, R::Value)> {
    (start..).zip(values).find(|(_, value)| !rule.holds(*value))
}

impl<R: Rule> Check<R> {
    /// Creates a check of no elements yet.
    pub(crate) fn new(rule: R) -> Self {
        Self { rule, of: 0, broken: 0, first: None }
    }

    /// Checks one array.
    #[inline]
    pub(crate) fn array(mut self, rows: impl Into<Rows>, values: impl Iterator<Item = R::Value> + Clone) -> Self {
        self.add(None, rows.into(), values);
        self
    }

    /// Checks one of several lists.
    #[inline]
    pub(crate) fn list(
        &mut self,
        list: (&'static str, usize),
        rows: impl Into<Rows>,
        values: impl Iterator<Item = R::Value> + Clone,
    ) {
        self.add(Some(list), rows.into(), values);
    }

    /// Checks the next element, which is at this offset.
    #[inline]
    pub(crate) fn next(&mut self, offset: u64, value: R::Value) {
        if !self.rule.holds(value) {
            self.broken = self.broken.wrapping_add(1);
            let index = self.of;
            self.first.get_or_insert((Element { list: None, index, offset }, value));
        }
        self.skip();
    }

    /// Skips an element that follows the rule.
    #[inline]
    pub(crate) fn skip(&mut self) {
        self.of = self.of.wrapping_add(1);
    }

    /// Checks the elements of one list. They are only counted; the first that breaks the rule is looked for if there is
    /// one.
    #[inline]
    fn add(&mut self, list: Option<(&'static str, usize)>, rows: Rows, values: impl Iterator<Item = R::Value> + Clone) {
        let rule = &self.rule;
        let mut left = values;
        let mut of = 0_u64;
        loop {
            let piece = left.clone();
            // The elements of this piece, and those of them that break the rule.
            let (some, broken) = left.by_ref().take(PIECE).fold((0_usize, 0_u64), |(some, broken), value| {
                (some.wrapping_add(1), broken.wrapping_add(u64::from(!rule.holds(value))))
            });
            if broken > 0 && self.first.is_none() {
                self.first = first_broken(rule, of, piece)
                    .map(|(index, value)| (Element { list, index, offset: rows.offset_of(index) }, value));
            }
            of = of.wrapping_add(some as u64);
            self.broken = self.broken.wrapping_add(broken);
            // If the switch is set, nobody reads the results.
            if some < PIECE || stop::is_set() {
                break;
            }
        }
        self.of = self.of.wrapping_add(of);
    }

    /// Adds the problem, if there is one. `what` names the elements in the plural. `place` is the part around them.
    #[inline]
    pub(crate) fn report(self, what: &str, problems: &mut Problems, place: impl Locate) {
        if self.broken > 0 && problems.keeps_another(severity(self.rule.code())) {
            let error = place.locate(self.error(what));
            problems.add(severity(error.code()), &error);
        }
    }

    /// Creates the error of the elements that break the rule.
    #[cold]
    fn error(&self, what: &str) -> Error {
        let first = self.first.as_ref().map(|(element, value)| (*element, value as &dyn Display));
        error(&self.rule.words(), self.broken, self.of, what, first).coded(self.rule.code())
    }
}

/// Creates the error: `broken` elements out of `of` are as the words describe. `what` names the elements; it is empty
/// for a single value. `first` is the first of them, with its value.
fn error(words: &str, broken: u64, of: u64, what: &str, first: Option<(Element, &dyn Display)>) -> Error {
    let is_one = broken == 1;
    let broken = grouped(broken);
    let of = grouped(of);
    let Some((Element { list, index, offset }, value)) = first else {
        return Error::malformed(format!("{broken} of {of} {what} are {words}"));
    };
    if what.is_empty() {
        return Error::malformed(format!("{value} is {words}")).at(offset);
    }
    let (verb, first) = if is_one { ("is", ": ") } else { ("are", "; the first is ") };
    let list = match list {
        Some((list, number)) => format!(" of {list}[{number}]"),
        None => String::new(),
    };
    Error::malformed(format!("{broken} of {of} {what} {verb} {words}{first}{value} at index {index}{list}")).at(offset)
}

/// Returns the first item that is among its own parents, if the parents of some items form a ring. Linear in the items.
/// `parent` returns the index of an item's parent.
pub(crate) fn ring(count: usize, problems: &mut Problems, parent: impl Fn(usize) -> Option<usize>) -> Option<usize> {
    let held = problems.budget().hold((count as u64).saturating_mul(size_of::<usize>() as u64));
    let _held = problems.ok(held)?;
    // The number of the walk that first reached each item, or 0.
    let mut walks = vec![0_usize; count];
    for start in 0..count {
        let walk = start.saturating_add(1);
        let mut item = Some(start);
        while let Some(index) = item
            && let Some(seen) = walks.get_mut(index)
        {
            match *seen {
                0 => *seen = walk,
                before if before == walk => return Some(index),
                // An earlier walk has come by, and found no ring from here on.
                _ => break,
            }
            item = parent(index);
        }
    }
    None
}

/// Reports a single value that breaks a rule.
#[inline]
pub(crate) fn one<R: Rule>(rule: R, value: R::Value, offset: u64, problems: &mut Problems, place: impl Locate) {
    let mut check = Check::new(rule);
    check.next(offset, value);
    check.report("", problems, place);
}

/// The offsets of an array's rows.
#[derive(Clone, Copy)]
pub(crate) struct Rows {
    offset: u64,
    /// The distance between rows, or 0 if they are compressed or differ in length.
    step: u64,
}

impl Rows {
    /// Creates rows at equal distances.
    pub(crate) fn new(offset: u64, step: usize) -> Self {
        Self { offset, step: step as u64 }
    }

    /// Returns rows of this many bytes, several of which make up each row. Their offsets stay unknown if these are.
    pub(crate) fn each(self, bytes: usize) -> Self {
        Self { step: if self.step == 0 { 0 } else { bytes as u64 }, ..self }
    }

    /// Returns the same rows from this many bytes into each. Offsets that are unknown stay so.
    pub(crate) fn into(self, bytes: usize) -> Self {
        Self { offset: self.offset.saturating_add(if self.step == 0 { 0 } else { bytes as u64 }), ..self }
    }

    /// Returns the offset of the row at this index, or that of the array if the rows' offsets are unknown.
    pub(crate) fn offset_of(self, index: u64) -> u64 {
        (Amount(self.step) * index + self.offset).0
    }
}

impl From<u64> for Rows {
    /// Only the start is known.
    fn from(offset: u64) -> Self {
        Self { offset, step: 0 }
    }
}

impl<T: Table + ?Sized> From<&T> for Rows {
    fn from(table: &T) -> Self {
        let storage = table.storage();
        let step = match storage.packing {
            Packing::InPlace | Packing::Strided => table.in_place().map_or(0, |rows| rows.stride),
            _ => 0,
        };
        Self::new(storage.offset, step)
    }
}

/// Elements that the caller found to break its own rule. Pass only those to the check, and [skip](Check::skip) the
/// rest.
pub(crate) struct Broken<V> {
    code: Code,
    words: Cow<'static, str>,
    value: PhantomData<V>,
}

impl<V> Broken<V> {
    /// Creates the rule. The code and the words are those of elements that break it.
    pub(crate) fn new(code: Code, words: impl Into<Cow<'static, str>>) -> Self {
        Self { code, words: words.into(), value: PhantomData }
    }
}

impl<V: Copy + Display> Rule for Broken<V> {
    type Value = V;

    fn code(&self) -> Code {
        self.code
    }

    /// The check gets only elements that break the rule.
    fn holds(&self, _: V) -> bool {
        false
    }

    fn words(&self) -> Cow<'static, str> {
        self.words.clone()
    }
}

impl<V: Copy + Display> Check<Broken<V>> {
    /// Counts the next element, which is at this offset. `holds` is true if it follows the caller's rule.
    pub(crate) fn look(&mut self, offset: u64, value: V, holds: bool) {
        if holds { self.skip() } else { self.next(offset, value) }
    }
}

/// Returns true if all `f32` numbers in these bytes are finite. Compares the exponents of many numbers at a time: all
/// bits of an exponent are set only in numbers that are infinite or NaN.
pub(crate) fn are_finite(floats: &[u8]) -> bool {
    const EXPONENT: u32 = 0x7f80_0000;
    let mut are_finite = true;
    for bits in floats.as_chunks().0 {
        are_finite &= u32::from_le_bytes(*bits) & EXPONENT != EXPONENT;
    }
    are_finite
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::limits::Limits;
    use crate::base::place::Root;
    use crate::summary::Severity;

    fn problems_of(report: impl FnOnce(&mut Problems)) -> Vec<(Severity, Option<u64>, String)> {
        let mut problems = Problems::new(&Limits::default());
        report(&mut problems);
        problems.into_vec().into_iter().map(|p| (p.severity, p.offset, p.message.into_owned())).collect()
    }

    #[test]
    fn one_message_says_how_many_and_the_first() {
        let values: Vec<u64> = (0..3000).map(|index| if (5..1029).contains(&index) { 70_000 } else { 7 }).collect();
        let found = problems_of(|problems| {
            let check = Check::new(Below(512)).array(Rows::new(0x10, 2), values.iter().copied());
            check.report("indices", problems, Root.item("lods", 2).field("faces"));
        });
        let message = "lods[2].faces: 1,024 of 3,000 indices are not below 512; the first is 70000 at index 5";
        assert_eq!(found, [(Severity::Error, Some(0x1a), message.to_owned())]);
    }

    #[test]
    fn one_of_several_and_one_alone_have_shorter_messages() {
        let found = problems_of(|problems| {
            let check = Check::new(IndexOrNone(4)).array(9, [-1, 3, -2].into_iter());
            check.report("parents", problems, Root);
            one(Index(4), -1, 7, problems, Root.field("parent"));
            one(Index(4), 3, 7, problems, Root);
        });
        let expected = [
            (Severity::Error, Some(7), "parent: -1 is not from 0 to 3".to_owned()),
            (Severity::Error, Some(9), "1 of 3 parents is not from -1 to 3: -2 at index 2".to_owned()),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn several_lists_are_reported_as_one() {
        let found = problems_of(|problems| {
            let mut check = Check::new(Below(2));
            check.list(("links", 0), 1, [0, 1].into_iter());
            check.list(("links", 1), Rows::new(5, 4), [1, 2, 3].into_iter());
            check.list(("links", 2), 17, [4].into_iter());
            check.report("items", problems, Root);
        });
        let message = "3 of 6 items are not below 2; the first is 2 at index 1 of links[1]";
        assert_eq!(found, [(Severity::Error, Some(9), message.to_owned())]);
    }

    #[test]
    fn numbers_are_finite_or_reported() {
        let values = [[1.0, 2.0], [f32::NAN, 0.5], [0.0, f32::INFINITY]];
        let found = problems_of(|problems| {
            let check = Check::new(Finite).array(0, values.into_iter().map(Numbers));
            check.report("vectors", problems, Root);
            one(Finite, Numbers([f32::NEG_INFINITY]), 8, problems, Root.field("time"));
        });
        let expected = [
            (
                Severity::Warning,
                Some(0),
                "2 of 3 vectors are not finite; the first is (NaN, 0.5) at index 1".to_owned(),
            ),
            (Severity::Warning, Some(8), "time: -inf is not finite".to_owned()),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn lengths_are_one_within_a_hundredth() {
        let holds = |rule: Unit, x: f32| rule.holds(Length::of([0.0, x, 0.0]));
        for x in [0.991, 1.0, -1.009, f32::NAN] {
            assert!(holds(Unit::Direction, x) && holds(Unit::Quaternion, x), "{x}");
        }
        for x in [0.98, 1.02, 1e-10, f32::MAX, f32::INFINITY] {
            assert!(!holds(Unit::Direction, x) && !holds(Unit::Quaternion, x), "{x}");
        }
        assert!(holds(Unit::Direction, 0.0) && !holds(Unit::Quaternion, 0.0));
        let found = problems_of(|problems| {
            let lengths = [[1.0, 0.0], [0.0, 0.0], [3.0, 4.0]].into_iter().map(Length::of);
            Check::new(Unit::Quaternion).array(0, lengths).report("rotations", problems, Root);
        });
        assert_eq!(found[0].2, "2 of 3 rotations are not unit; the first is of length 0.000 at index 1");
    }

    #[test]
    fn a_set_switch_ends_the_check_of_a_large_array() {
        let seen = std::cell::Cell::new(0_usize);
        let values = (0..10 * PIECE as u64).inspect(|_| seen.set(seen.get() + 1));
        let until = stop::Until::new(std::sync::Arc::new(true.into()));
        let _ = Check::new(Below(u64::MAX)).array(0, values.clone());
        assert_eq!(seen.replace(0), PIECE);
        drop(until);
        let _ = Check::new(Below(u64::MAX)).array(0, values);
        assert_eq!(seen.get(), 10 * PIECE);
    }

    /// A place that counts the errors in it.
    struct Counting<'c>(&'c std::cell::Cell<u32>);

    impl Locate for Counting<'_> {
        fn locate(&self, error: Error) -> Error {
            self.0.set(self.0.get() + 1);
            error
        }
    }

    #[test]
    fn a_message_is_made_only_if_it_is_kept() {
        let mut problems = Problems::new(&Limits::default().with_problems(1));
        let located = std::cell::Cell::new(0);
        for _ in 0..3 {
            one(Below(0), 1, 0, &mut problems, Counting(&located));
        }
        assert_eq!(located.get(), 1);
        assert_eq!(problems.into_vec().len(), 2);
    }

    #[test]
    fn thousands_are_set_apart() {
        let grouped: Vec<String> = [0, 999, 1000, 12_345, 1_234_567].into_iter().map(grouped).collect();
        assert_eq!(grouped, ["0", "999", "1,000", "12,345", "1,234,567"]);
    }
}
