//! Options that verbs share, as the command line has them.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use meshpeek::Format;

use crate::limits::LimitArgs;
use crate::output_file::OutputFile;

#[derive(Args)]
pub(crate) struct Common {
    /// Write results to this file instead of standard output; it is replaced when they are whole
    ///
    /// It is replaced at the end, by a file written beside it, and stays as it is where nothing could be done or the
    /// program is interrupted. Never an input: that is refused, links to one too. Pipes and devices are written straight.
    #[arg(short, long, global = true, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[arg(skip)]
    pub(crate) output_file: Option<OutputFile>,
    /// When to use color; the variable NO_COLOR turns `auto` off
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
    /// Say nothing on standard error but errors
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// Say more on standard error
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
    /// Read files into memory instead of mapping them
    #[arg(long, global = true)]
    pub(crate) no_mmap: bool,
    /// Do not ask the system for the members of an archive that are looked at next
    ///
    /// That is done only once a scan had to wait for its disk, and helps where each reading waits long.
    #[arg(long, global = true)]
    pub(crate) no_read_ahead: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

/// What `scan` writes.
#[derive(Args)]
pub(crate) struct ScanArgs {
    /// How to write the records; `table` on a terminal, else `ndjson`
    ///
    /// A table is as wide as its terminal; elsewhere as the variable COLUMNS says, or 100.
    ///
    #[cfg_attr(
        feature = "parquet",
        doc = "`-o FILE.parquet` means `parquet`; `-o FOLDER/` writes four tables there: assets, members, parts, arrays."
    )]
    #[cfg_attr(not(feature = "parquet"), doc = "This build writes no Parquet: it was made without that feature.")]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<RecordFormat>,
    /// Add SHA-256 digests of each asset's bytes and decoded content
    #[arg(long)]
    pub(crate) digests: bool,
    /// How closely to look at each asset
    #[arg(long, value_name = "DEPTH", default_value = "summary")]
    pub(crate) depth: ScanDepth,
    /// In CSV, put an apostrophe before cells that a spreadsheet would take for formulas
    ///
    /// Those that begin with = + - @ tab or carriage return. Such cells are then no longer the names themselves.
    #[arg(long)]
    pub(crate) csv_safe: bool,
    /// Draw a picture of each model into this folder, named by the SHA-256 of the model's bytes
    ///
    /// One for each model of different bytes; a picture that is there already stays. Images that a model asks for are
    /// looked for in it and beside its file, not in archives around it.
    #[arg(long, value_name = "DIR")]
    pub(crate) thumbnails: Option<PathBuf>,
    /// Width and height of those pictures, in pixels
    #[arg(long, value_name = "PIXELS", default_value_t = 128, value_parser = clap::value_parser!(u32).range(1..=4096), requires = "thumbnails")]
    pub(crate) thumbnail_size: u32,
}

#[derive(Args)]
pub(crate) struct Stream {
    /// Add lines for what is no asset's record, and a last one with totals that says whether the stream is whole
    #[arg(long)]
    pub(crate) events: bool,
    /// Pass over files that are as they were when this stream was written, and copy their records from it; archives only
    /// where its last line says that it is whole, as one of --events does
    #[arg(long, value_name = "OLD")]
    pub(crate) since: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct Inputs {
    /// Files and folders, the latter with all below them; addresses of members; `-` is standard input
    #[arg(value_name = "PATH", required_unless_present_any = ["paths_from", "units_from"])]
    pub(crate) paths: Vec<PathBuf>,
    /// Do the units in this file, as `plan` writes them; `-` is standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["paths", "paths_from"])]
    pub(crate) units_from: Option<PathBuf>,
    /// Read further paths from this file, one a line; `-` is standard input
    ///
    /// Each is looked at as soon as it is read.
    #[arg(long, value_name = "FILE")]
    pub(crate) paths_from: Option<PathBuf>,
    /// Paths in that file end with NUL, not with a line
    #[arg(short = '0', long = "null", requires = "paths_from")]
    pub(crate) null: bool,
    /// Work on so many files at once, 256 at most; as many as there are cores by default
    #[arg(short, long, value_name = "N")]
    pub(crate) jobs: Option<std::num::NonZeroUsize>,
    /// List archives, but nothing inside them
    #[arg(long)]
    pub(crate) no_archives: bool,
    /// Only assets of these formats
    #[arg(long = "type", value_name = "FORMAT", value_delimiter = ',', value_parser = format_parser())]
    pub(crate) formats: Vec<String>,
    /// Only files whose path fits this pattern, in any case; with `!` in front, only those that do not
    ///
    /// Patterns are those of .gitignore, the last that fits counts, and a path that is named itself is always looked at.
    /// Archives (.pbo, .zip, .pk3) are opened all the same, and the patterns hold for their members, each archive being
    /// the folder that they lie in; `!*.pbo` leaves them closed.
    #[arg(short, long = "glob", value_name = "GLOB")]
    pub(crate) globs: Vec<String>,
    /// Go so many folders deep at most
    #[arg(long, value_name = "N")]
    pub(crate) folder_depth: Option<usize>,
    /// Follow symbolic links in folders; one that is named itself is always followed
    #[arg(short = 'L', long)]
    pub(crate) follow: bool,
    /// Look at hidden files and folders too
    #[arg(long)]
    pub(crate) hidden: bool,
    /// Look at files too that .gitignore, .ignore and their like leave out
    #[arg(long)]
    pub(crate) no_ignore: bool,
    /// Collect everything first and put it in order
    ///
    /// Without it, records come as they are found, and a table has the order of the arguments, in each that of the paths.
    #[arg(long, value_name = "KEY")]
    pub(crate) sort: Option<SortKey>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SortKey {
    Path,
}

pub(crate) fn format_parser() -> clap::builder::PossibleValuesParser {
    Format::ALL.iter().map(|format| format.name()).collect::<Vec<_>>().into()
}

/// How `scan` writes records.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RecordFormat {
    Table,
    Ndjson,
    Csv,
    #[cfg(feature = "parquet")]
    Parquet,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScanFormat {
    Table,
    Ndjson,
    Csv,
}

/// How closely a scan looks.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScanDepth {
    /// Headers and tables alone, as fast as files open: what they leave open is null or empty
    Header,
    /// All that can be told without decoding
    Summary,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LineFormat {
    Text,
    Ndjson,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DumpFormat {
    Csv,
    Ndjson,
    Npy,
    Raw,
}
