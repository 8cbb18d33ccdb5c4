//! The results of verbs as tables of Parquet or Arrow, in a program with the feature `parquet`. In one without it, no value
//! has the type of a table, and asking for one is an error.

#[cfg(not(feature = "parquet"))]
mod absent;
#[cfg(feature = "parquet")]
mod written;

#[cfg(not(feature = "parquet"))]
pub(crate) use self::absent::{OldTables, Table, Tables};
#[cfg(feature = "parquet")]
pub(crate) use self::written::{OldTables, Table, Tables};
