//! The options of `diff`.

use std::path::PathBuf;

use clap::ValueEnum;

use crate::table_args;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The first file, member or folder; `git:REV:PATH` is one in a git repository
    pub(crate) a: PathBuf,
    /// The second; an archive is compared with a folder member by file
    pub(crate) b: PathBuf,
    /// Output format: text, JSON lines, one JSON array, or a table
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(super) format: DiffFormat,
    /// Treat numbers with a fraction as equal if they differ by no more than X
    #[arg(long, value_name = "X", default_value_t = 0.0, value_parser = tolerance)]
    pub(super) tolerance: f64,
    /// Print one line per part or file; the default on a terminal if the differences exceed a screen
    #[arg(long, conflicts_with = "full")]
    pub(super) stat: bool,
    /// Print only which files differ, one per line; `-q` is for messages
    #[arg(long, conflicts_with_all = ["full", "stat"])]
    pub(super) brief: bool,
    /// Print every difference, on a terminal too
    #[arg(long)]
    pub(super) full: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiffFormat {
    Text,
    Ndjson,
    Json,
    #[value(hide = !table_args::ARE_BUILT_IN)]
    Parquet,
    #[value(hide = !table_args::ARE_BUILT_IN)]
    Arrow,
}

pub(super) fn tolerance(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && number >= 0.0 => Ok(number),
        _ => Err("expected a number, 0 or more, such as 0.001".to_owned()),
    }
}
