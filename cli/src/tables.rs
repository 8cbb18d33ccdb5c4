//! The results of verbs as tables of Parquet or Arrow, in a program with the feature `parquet`. In one without it, no value
//! has the type of a table, and asking for one is an error.

#[cfg(not(feature = "parquet"))]
mod absent;
#[cfg(feature = "parquet")]
mod written;

use clap::ValueEnum;

#[cfg(not(feature = "parquet"))]
pub(crate) use self::absent::{OldTables, Partition, Table, Tables, table_parser};
#[cfg(feature = "parquet")]
pub(crate) use self::written::{OldTables, Partition, Table, Tables, table_parser};

/// False in a program without tables.
pub(crate) const ARE_BUILT_IN: bool = cfg!(feature = "parquet");

/// The error of a program without tables.
pub(crate) const NO_TABLES: &str = "this build writes no tables: it was made without the feature parquet";

/// Returns true for the formats of tables.
pub(crate) fn is_table(format: &impl ValueEnum) -> bool {
    format.to_possible_value().is_some_and(|value| matches!(value.get_name(), "parquet" | "arrow"))
}
