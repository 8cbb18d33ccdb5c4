//! Compares two assets by their outlines.
//!
//! Items of lists are matched before they are compared: first those with equal content, then those with the same label,
//! then similar ones between the same neighbors. A number that refers to an item of a list, such as a node's parent or
//! a section's texture, is compared by the item it refers to; `rules.rs` lists such numbers. So an inserted item does
//! not make later ones differ. Arrays are compared decoded, and each once, however many ways there are to read it.
//! Offsets and stored sizes are not compared, because both change with everything before them.

mod align;
mod comparison;
mod difference;
mod fact;
mod lists;
mod members;
mod options;
mod rows;
mod rules;
mod side;
mod tree;
mod wire;

use std::sync::Arc;

use comparison::Comparison;
use difference::Place;
pub use difference::{Change, Difference, Row, Rows};
pub use fact::Fact;
pub(crate) use members::{Paired, pair_paths};
pub use options::Options;
pub use side::Side;
use tree::Tree;

use crate::base::error::Result;
use crate::base::text::Name;
use crate::budget::Budget;
use crate::inspect::Inspect;

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
/// let (a, b) = (Side::new(file, a, &budget), Side::new(file, b, &budget));
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
    let (one, held_one) = a.open_named()?;
    let (two, held_two) = b.open_named()?;
    let budgets = [held_one.budget(), held_two.budget()];
    Comparison::new(Place::default(), options, sink).assets([&one, &two], budgets, 0)
}

/// Like [`compare`], for two files below folders, which need not be assets. What is no asset is compared by its bytes.
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

/// SHA-256 of everything in an asset's outline, with arrays decoded. It is equal for two assets that differ only in
/// where and how their bytes are stored. Decodes everything and keeps nothing.
///
/// # Errors
/// Returns the first error of data that cannot be read, and an error if the budget or a limit is exceeded.
pub fn fingerprint(asset: &dyn Inspect, budget: &Budget) -> Result<[u8; 32]> {
    Tree::of(asset, false, false, budget).map(|tree| tree.digest)
}
