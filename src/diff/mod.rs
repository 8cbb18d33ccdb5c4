//! What differs between two assets, told by their outlines: no format is known here.
//!
//! Items of lists are matched before they are compared: what is the same in both, then what has the same label, then
//! what stands between the same neighbors and is alike. So an item put into the middle makes no later one differ, except
//! where the file itself names its items by number. Arrays are compared decoded. Left out is where something lies and
//! how many bytes it takes there: both change with everything before them.

mod align;
mod comparison;
mod rows;
mod tree;

use std::path::Path;

use comparison::Comparison;
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
        /// Both have the same items, in another order.
        Moved = "moved",
    }
}

/// One thing that differs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Difference {
    /// What happened to it.
    pub change: Change,
    /// The member that it is in, where archives are compared.
    pub member: Option<Name>,
    /// The part, field or array, as selectors name it in the first asset; in the second, where only that has it. Empty
    /// for the asset as a whole.
    pub place: String,
    /// The label of the part that it is or is in.
    pub label: Option<Name>,
    /// The value of a field in the first asset, and in the second.
    pub values: Option<[Fact; 2]>,
    /// How the rows of an array differ.
    pub rows: Option<Rows>,
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

    /// As they are told: what is no number is the same as itself.
    fn is_same(&self, other: &Self) -> bool {
        format!("{self:?}") == format!("{other:?}")
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
    fn open(self) -> Result<(Asset<'s>, Held)> {
        let opened = Asset::open_within(Format::of_file(self.file, self.data), self.data, self.budget);
        opened.map_err(|error| error.in_file(self.file))
    }
}

/// How the rows of an array differ.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Rows {
    /// How many the first asset has, and the second.
    pub counts: [u64; 2],
    /// How many are not the same, of those that both have; `None` where they were not looked into.
    pub differing: Option<u64>,
    /// The first of these, with its numbers in both.
    pub first: Option<(u64, [Vec<String>; 2])>,
}

/// Tells what differs between two assets, and in archives between their members: in the order of the first, then what
/// only the second has. Decodes what is compressed and takes memory for both outlines; of arrays, one at a time.
///
/// ```
/// # let (a, b) = (b"BB3D\x04\0\0\0\x01\0\0\0", b"BB3D\x04\0\0\0\x02\0\0\0");
/// use std::path::Path;
/// use meshpeek::diff::{Side, compare};
/// use meshpeek::{Budget, Limits};
/// let budget = Budget::new(a.len() as u64, &Limits::default());
/// let file = Path::new("scene.b3d");
/// let mut told = Vec::new();
/// let (a, b) = (Side { file, data: a, budget: &budget }, Side { file, data: b, budget: &budget });
/// compare(a, b, &mut |difference| told.push(difference.place))?;
/// assert_eq!(told, ["version"]);
/// # Ok::<(), meshpeek::Error>(())
/// ```
///
/// # Errors
/// Where one of them does not open, a list of members breaks off, or a budget or limit is exceeded.
pub fn compare(a: Side<'_>, b: Side<'_>, sink: &mut dyn FnMut(Difference)) -> Result<()> {
    if a.data == b.data {
        return Ok(());
    }
    let ((one, held_one), (two, held_two)) = (a.open()?, b.open()?);
    let budgets = [held_one.budget(), held_two.budget()];
    Comparison::new(budgets, sink).assets(&one, &two, 0)
}

/// SHA-256 of everything that an asset's outline tells, arrays decoded: the same for two assets that differ only in where
/// and how their bytes are stored. Decodes everything; keeps nothing.
///
/// # Errors
/// Where the budget or a limit is exceeded. What else cannot be read counts as what is said of it.
pub fn fingerprint(asset: &dyn Inspect, budget: &Budget) -> Result<[u8; 32]> {
    Tree::of(asset, false, false, budget).map(|tree| tree.digest)
}
