//! What the command line says about tables.

use clap::ValueEnum;
use clap::builder::PossibleValuesParser;

use crate::limits;

/// False in a program without tables, which hides their flags and formats.
pub(crate) const ARE_BUILT_IN: bool = cfg!(feature = "parquet");

/// The error of a program without tables.
pub(crate) const NO_TABLES: &str = "this build writes no tables: it was made without the feature parquet";

/// The names of the tables that a scan can write.
pub(crate) const NAMES: [&str; 8] = ["assets", "members", "parts", "arrays", "lods", "problems", "files", "geometry"];

pub(crate) fn table_parser() -> PossibleValuesParser {
    NAMES.into()
}

/// How tables are divided into files.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Partition {
    /// Into files of about this many bytes.
    Bytes(u64),
    /// By the format of assets.
    Format,
}

impl Partition {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        if text == "format" { Ok(Self::Format) } else { limits::size(text).map(Self::Bytes) }
    }
}

/// Returns true for the formats of tables.
pub(crate) fn is_table(format: &impl ValueEnum) -> bool {
    format.to_possible_value().is_some_and(|value| matches!(value.get_name(), "parquet" | "arrow"))
}
