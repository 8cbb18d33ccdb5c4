//! One difference, and where it is.

use std::sync::Arc;

use super::fact::Fact;
use crate::base::text::Name;
use crate::base::word_enum::word_enum;

word_enum! {
    /// The kind of a difference between the first asset and the second.
    #[non_exhaustive]
    pub enum Change {
        /// Only the first has it.
        Removed = "removed",
        /// Only the second has it.
        Added = "added",
        /// Both have it, with different content.
        Changed = "changed",
        /// Both have it, in different places.
        Moved = "moved",
        /// Both have it, and neither can be read, for the same reason. Whether they differ is unknown.
        Unread = "unread",
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

/// The file and member being compared.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    pub(super) path: Option<Arc<Name>>,
    pub(super) member: Option<Arc<Name>>,
}

impl Place {
    pub(super) fn difference(&self, change: Change, place: String) -> Difference {
        let Self { path, member } = self.clone();
        Difference { change, path, member, place, to: None, label: None, values: None, rows: None }
    }
}
