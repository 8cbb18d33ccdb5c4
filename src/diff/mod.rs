//! What differs between two assets, by their outlines.
//!
//! Items of lists are matched before they are compared: what is the same in both, then what has the same label, then
//! what stands between the same neighbors and is alike. Numbers that name an item of a list, such as a node's parent or a
//! section's texture, are compared by the item that they mean; `rules.rs` says which those are. So an item put into
//! the middle makes no later one differ. Arrays are compared decoded, and each once, however many ways there are to read
//! it. Left out is where something lies and how many bytes it takes there: both change with everything before them.

mod align;
mod comparison;
mod lists;
mod members;
mod rows;
mod rules;
mod tree;

use std::path::Path;
use std::sync::Arc;

use comparison::{Comparison, Place};
pub(crate) use members::{Paired, pair_paths};
use tree::Tree;

use crate::asset::Asset;
use crate::base::error::Result;
use crate::base::format::Format;
use crate::base::named::named;
use crate::base::text::Name;
use crate::budget::{Budget, Held};
use crate::inspect::Inspect;
use crate::outline::Value;

named! {
    /// What happened from the first asset to the second.
    pub enum Change {
        /// Only the first has it.
        Removed = "removed",
        /// Only the second has it.
        Added = "added",
        /// Both have it, and it is not the same.
        Changed = "changed",
        /// Both have it, in another place.
        Moved = "moved",
    }
}

/// One thing that differs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Difference {
    /// What happened to it.
    pub change: Change,
    /// The file that it is in, below the folders that are compared.
    pub path: Option<Arc<Name>>,
    /// The member that it is in, where archives are compared.
    pub member: Option<Arc<Name>>,
    /// The part, field or array, as selectors name it in the first asset; in the second, where only that has it. Empty
    /// for the asset as a whole.
    pub place: String,
    /// Of what is moved, its place in the second asset; of a whole file or member, its name there.
    pub to: Option<String>,
    /// The label of the part that it is or is in.
    pub label: Option<Arc<Name>>,
    /// The value of a field in the first asset, and in the second; of a part that hangs on another one, what it hangs on.
    pub values: Option<[Fact; 2]>,
    /// How the rows of an array differ.
    pub rows: Option<Rows>,
}

impl Difference {
    /// What happened to a file as a whole.
    pub(crate) fn of_file(change: Change, path: Option<Arc<Name>>) -> Self {
        Place { path, member: None }.difference(change, String::new())
    }
}

/// How closely assets are compared.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// Numbers with a fraction that are no farther from each other are the same.
    pub tolerance: f64,
}

impl Options {
    /// With this [tolerance](Self::tolerance).
    #[must_use]
    pub fn with_tolerance(self, tolerance: f64) -> Self {
        Self { tolerance, ..self }
    }

    fn is_near(&self, a: f32, b: f32) -> bool {
        let is_near = || (f64::from(a) - f64::from(b)).abs() <= self.tolerance || a.is_nan() && b.is_nan();
        a == b || a.to_bits() == b.to_bits() || self.tolerance > 0.0 && is_near()
    }
}

/// The value of a field, kept.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Fact {
    /// Any but a text.
    Value(Value<'static>),
    /// A text.
    Text(Name),
    /// Several texts.
    Texts(Vec<Name>),
}

impl Fact {
    const ABSENT: Self = Self::Value(Value::Absent);

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
            Value::Coded(value, meaning) => Value::Coded(value, meaning),
            Value::Opaque(span) => Value::Opaque(span),
        })
    }

    /// Whether both are the same, or as near as the options say.
    fn is_same(&self, other: &Self, options: Option<&Options>) -> bool {
        let exact = Options::default();
        let options = options.unwrap_or(&exact);
        // What is no number is the same as itself.
        let is_near = |a: f32, b: f32| options.is_near(a, b) || a.is_nan() && b.is_nan();
        let (one, two) = match (self, other) {
            (Self::Text(a), Self::Text(b)) => return a == b,
            (Self::Texts(a), Self::Texts(b)) => return a == b,
            (Self::Value(a), Self::Value(b)) => (a, b),
            _ => return false,
        };
        match (one, two) {
            (Value::Absent, Value::Absent) => true,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Float(a), Value::Float(b)) => is_near(*a, *b),
            (Value::Floats(a), Value::Floats(b)) => {
                a.len() == b.len() && a.iter().zip(&**b).all(|(a, b)| is_near(*a, *b))
            }
            (Value::Ints(a), Value::Ints(b)) => a == b,
            (Value::Uint(a), Value::Uint(b)) => a == b,
            _ => self.number().is_some_and(|number| other.number() == Some(number)),
        }
    }

    /// The whole number that it is.
    fn number(&self) -> Option<i64> {
        match self {
            Self::Value(Value::Uint(number)) => i64::try_from(*number).ok(),
            Self::Value(Value::Int(number) | Value::Coded(number, _)) => Some(*number),
            _ => None,
        }
    }
}

/// One of two assets to compare.
#[derive(Clone, Copy, Debug)]
pub struct Side<'s> {
    /// Its file, which tells of PBO archives what their bytes may not.
    pub file: &'s Path,
    /// Its bytes.
    pub data: &'s [u8],
    /// What comparing it may cost.
    pub budget: &'s Budget,
}

impl<'s> Side<'s> {
    fn open(&self) -> Result<(Asset<'s>, Held)> {
        Asset::open_within(Format::of_file(self.file, self.data), self.data, self.budget)
    }
}

/// How the rows of an array differ.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Rows {
    /// How many the first asset has, and the second.
    pub counts: [u64; 2],
    /// The names of the columns in both. Rows of other columns are not looked into.
    pub columns: [Vec<&'static str>; 2],
    /// How many are not the same, of those that both have; `None` where they were not looked into.
    pub differing: Option<u64>,
    /// The columns in which they are not the same.
    pub differing_columns: Vec<&'static str>,
    /// The largest distance of two numbers with a fraction that are not the same.
    pub largest: Option<f32>,
    /// The first row that is not the same.
    pub first: Option<Row>,
}

/// A row that differs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Row {
    /// Its number in both assets.
    pub rows: [u64; 2],
    /// The item that it is for, where each row is for one of a list.
    pub label: Option<String>,
    /// Its numbers in both; where these name items, what they name.
    pub values: [Vec<Fact>; 2],
}

/// Hands over what differs between two assets, and in archives between their members: in the order of the first, then
/// what only the second has. Decodes what is compressed and takes memory for both outlines.
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
/// Where one of them does not open, a list of members breaks off, or a budget or limit is exceeded.
pub fn compare<'s>(a: Side<'s>, b: Side<'s>, options: &Options, sink: &mut dyn FnMut(Difference)) -> Result<()> {
    if a.data == b.data {
        return Ok(());
    }
    let open = |side: Side<'s>| side.open().map_err(|error| error.in_file(side.file));
    let ((one, held_one), (two, held_two)) = (open(a)?, open(b)?);
    let budgets = [held_one.budget(), held_two.budget()];
    Comparison::new(Place::default(), options, sink).assets([&one, &two], budgets, 0)
}

/// The same of two files below folders, which need not be assets: these differ in their bytes.
pub(crate) fn compare_files(
    [a, b]: [Side<'_>; 2],
    path: Arc<Name>,
    options: &Options,
    sink: &mut dyn FnMut(Difference),
) -> Result<()> {
    if a.data == b.data {
        return Ok(());
    }
    Comparison::new(Place { path: Some(path), member: None }, options, sink).contents([a, b], 0)
}

/// SHA-256 of everything that an asset's outline tells, arrays decoded: the same for two assets that differ only in where
/// and how their bytes are stored. Decodes everything; keeps nothing.
///
/// # Errors
/// Where the budget or a limit is exceeded. What else cannot be read counts as what is said of it.
pub fn fingerprint(asset: &dyn Inspect, budget: &Budget) -> Result<[u8; 32]> {
    Tree::of(asset, false, false, budget).map(|tree| tree.digest)
}
