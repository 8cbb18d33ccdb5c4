//! Compares two assets by their outlines.
//!
//! Items of lists are matched before they are compared: first those with equal content, then those with the same label,
//! then similar ones between the same neighbors. A number that refers to an item of a list, such as a node's parent or
//! a section's texture, is compared by the item it refers to; `rules.rs` lists such numbers. So an inserted item does
//! not make later ones differ. Arrays are compared decoded, and each once, however many ways there are to read it.
//! Offsets and stored sizes are not compared, because both change with everything before them.

mod align;
mod comparison;
mod lists;
mod members;
mod rows;
mod rules;
mod tree;
mod wire;

use std::path::Path;
use std::sync::Arc;

use comparison::{Comparison, Place};
pub(crate) use members::{Paired, pair_paths};
use tree::Tree;

use crate::asset::Asset;
use crate::base::error::Result;
use crate::base::format::Format;
use crate::base::text::Name;
use crate::base::word_enum::word_enum;
use crate::budget::{Budget, Held};
use crate::inspect::Inspect;
use crate::outline::Value;
use crate::ranges::Data;

word_enum! {
    /// The kind of a difference between the first asset and the second.
    pub enum Change {
        /// Only the first has it.
        Removed = "removed",
        /// Only the second has it.
        Added = "added",
        /// Both have it, with different content.
        Changed = "changed",
        /// Both have it, in different places.
        Moved = "moved",
    }
}

/// One difference.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Difference {
    /// The kind of difference.
    pub change: Change,
    /// The file that contains it, below the compared folders.
    pub path: Option<Arc<Name>>,
    /// The member that contains it, if archives are compared.
    pub member: Option<Arc<Name>>,
    /// The selector of the part, field or array in the first asset, or in the second if only that has it. Empty for the
    /// asset as a whole.
    pub place: String,
    /// The place in the second asset of something moved. For a whole file or member, its name there.
    pub to: Option<String>,
    /// The label of the part, or of the part that contains it.
    pub label: Option<Arc<Name>>,
    /// The value of a field in the first asset and in the second. For a part that moved to another parent, its parents.
    pub values: Option<[Fact; 2]>,
    /// The differences between the rows of an array.
    pub rows: Option<Rows>,
}

impl Difference {
    /// The difference of a file as a whole.
    pub(crate) fn of_file(change: Change, path: Option<Arc<Name>>) -> Self {
        Place { path, member: None }.difference(change, String::new())
    }
}

/// Options of a comparison.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// Floating-point numbers within this distance count as equal.
    pub tolerance: f64,
}

impl Options {
    /// Sets the [tolerance](Self::tolerance).
    #[must_use]
    pub fn with_tolerance(self, tolerance: f64) -> Self {
        Self { tolerance, ..self }
    }

    fn is_near(&self, a: f32, b: f32) -> bool {
        let is_near = || (f64::from(a) - f64::from(b)).abs() <= self.tolerance || a.is_nan() && b.is_nan();
        a == b || a.to_bits() == b.to_bits() || self.tolerance > 0.0 && is_near()
    }
}

/// The owned value of a field.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Fact {
    /// Any value except a text.
    Value(Value<'static>),
    /// A text.
    Text(Name),
    /// Several texts.
    Texts(Vec<Name>),
}

impl Fact {
    pub(crate) const ABSENT: Self = Self::Value(Value::Absent);

    fn of(value: Value<'_>) -> Self {
        Self::Value(match value {
            Value::Absent => Value::Absent,
            Value::Bool(value) => Value::Bool(value),
            Value::Uint(value) => Value::Uint(value),
            Value::Int(value) => Value::Int(value),
            Value::Float(value) => Value::Float(value),
            Value::Floats(values) => Value::Floats(values.into_owned().into()),
            Value::Ints(values) => Value::Ints(values.into_owned().into()),
            Value::Text(text) => return Self::Text(text.into()),
            Value::Texts(texts) => return Self::Texts(texts.into_iter().map(Into::into).collect()),
            Value::Coded(value, meaning) => Value::Coded(value, meaning),
            Value::Opaque(span) => Value::Opaque(span),
        })
    }

    /// Returns true if both are equal, or within the tolerance of the options.
    fn is_same(&self, other: &Self, options: &Options) -> bool {
        // NaN counts as equal to NaN.
        let is_near = |a: f32, b: f32| options.is_near(a, b) || a.is_nan() && b.is_nan();
        match (self, other) {
            (Self::Value(Value::Float(a)), Self::Value(Value::Float(b))) => is_near(*a, *b),
            (Self::Value(Value::Floats(a)), Self::Value(Value::Floats(b))) => {
                a.len() == b.len() && a.iter().zip(&**b).all(|(a, b)| is_near(*a, *b))
            }
            _ => self == other || self.number().is_some_and(|number| other.number() == Some(number)),
        }
    }

    /// Returns its value as a whole number.
    fn number(&self) -> Option<i64> {
        match self {
            Self::Value(Value::Uint(number)) => i64::try_from(*number).ok(),
            Self::Value(Value::Int(number) | Value::Coded(number, _)) => Some(*number),
            _ => None,
        }
    }
}

/// One of the two assets to compare.
#[derive(Clone, Copy, Debug)]
pub struct Side<'s> {
    /// Its file. The name describes PBO archives whose bytes may not.
    pub file: &'s Path,
    /// Its bytes.
    pub data: &'s [u8],
    /// The budget for comparing it.
    pub budget: &'s Budget,
}

impl<'s> Side<'s> {
    fn open(&self) -> Result<(Asset<'s>, Held)> {
        Asset::open_within(Format::of_file(self.file, self.data), Data::Whole(self.data), self.budget)
    }
}

/// The differences between the rows of an array.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Rows {
    /// The numbers of rows in the first asset and in the second.
    pub counts: [u64; 2],
    /// The names of the columns in both. If the columns differ, rows are not compared.
    pub columns: [Vec<&'static str>; 2],
    /// How many of the rows that both have differ; `None` if they were not compared.
    pub differing: Option<u64>,
    /// The columns that differ.
    pub differing_columns: Vec<&'static str>,
    /// The largest distance between two differing floating-point numbers.
    pub largest: Option<f32>,
    /// The first row that differs.
    pub first: Option<Row>,
}

/// A row that differs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Row {
    /// Its index in both assets.
    pub rows: [u64; 2],
    /// The item that it describes, if each row describes one item of a list.
    pub label: Option<String>,
    /// Its numbers in both. Numbers that refer to items are replaced by the items.
    pub values: [Vec<Fact>; 2],
}

/// Passes each difference between two assets to `sink`, including those between members of archives. They are in the
/// order of the first asset, followed by everything found only in the second. Decodes compressed data and takes memory
/// for both outlines.
///
/// ```
/// # let (a, b) = (b"BB3D\x04\0\0\0\x01\0\0\0", b"BB3D\x04\0\0\0\x02\0\0\0");
/// use std::path::Path;
/// use meshpeek::diff::{Options, Side, compare};
/// use meshpeek::{Budget, Limits};
/// let budget = Budget::new(a.len() as u64, &Limits::default());
/// let file = Path::new("scene.b3d");
/// let mut places = Vec::new();
/// let (a, b) = (Side { file, data: a, budget: &budget }, Side { file, data: b, budget: &budget });
/// compare(a, b, &Options::default(), &mut |difference| places.push(difference.place))?;
/// assert_eq!(places, ["version"]);
/// # Ok::<(), meshpeek::Error>(())
/// ```
///
/// # Errors
/// Returns an error if one of them does not open, if a list of members breaks off, or if a budget or limit is exceeded.
pub fn compare<'s>(a: Side<'s>, b: Side<'s>, options: &Options, sink: &mut dyn FnMut(Difference)) -> Result<()> {
    if a.data == b.data {
        return Ok(());
    }
    let open = |side: Side<'s>| side.open().map_err(|error| error.in_file(side.file));
    let ((one, held_one), (two, held_two)) = (open(a)?, open(b)?);
    let budgets = [held_one.budget(), held_two.budget()];
    Comparison { place: Place::default(), options, sink }.assets([&one, &two], budgets, 0)
}

/// Like [`compare`], for two files below folders, which need not be assets. Other files are compared by their bytes.
pub(crate) fn compare_files(
    [a, b]: [Side<'_>; 2],
    path: Arc<Name>,
    options: &Options,
    sink: &mut dyn FnMut(Difference),
) -> Result<()> {
    if a.data == b.data {
        return Ok(());
    }
    Comparison { place: Place { path: Some(path), member: None }, options, sink }.contents([a, b], 0)
}

/// SHA-256 of everything in an asset's outline, with arrays decoded. It is equal for two assets that differ only in
/// where and how their bytes are stored. Decodes everything and keeps nothing.
///
/// # Errors
/// Returns an error if the budget or a limit is exceeded. For other data that cannot be read, the error is hashed
/// instead.
pub fn fingerprint(asset: &dyn Inspect, budget: &Budget) -> Result<[u8; 32]> {
    Tree::of(asset, false, false, budget).map(|tree| tree.digest)
}
