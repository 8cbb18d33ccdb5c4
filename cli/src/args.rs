//! Options shared by several verbs.

use std::path::PathBuf;

use clap::builder::{PathBufValueParser, PossibleValuesParser, TypedValueParser};
use clap::{Args, ColorChoice, ValueEnum};
use meshpeek::Format;
use meshpeek::scan::{Depth, Selection};

use crate::condition::Condition;
use crate::keys::{self, is_count};
use crate::limits::LimitArgs;
use crate::notes::Notes;
use crate::output_file::OutputFile;
#[cfg(feature = "remote")]
use crate::remote::{Remote, RemoteArgs};
use crate::results::Results;
use crate::table_args::{self, Partition};
use crate::temporary::Space;

#[derive(Args)]
pub(crate) struct Common {
    /// Write results to FILE, which is replaced once everything is written; its ending chooses the format. If
    /// there are several, FILE is a folder. An input file, or a link to one, is refused
    #[arg(short, long, global = true, value_name = "FILE", display_order = 901)]
    pub(crate) output: Option<PathBuf>,
    #[arg(skip)]
    pub(crate) output_file: Option<OutputFile>,
    /// The amount that may be written there.
    #[arg(skip)]
    pub(crate) results: Results,
    /// The amount that may be written to temporary files.
    #[arg(skip)]
    pub(crate) space: Space,
    /// When to use color; the variable NO_COLOR turns `auto` off
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", display_order = 902)]
    pub(crate) color: ColorChoice,
    /// Print only errors to standard error
    #[arg(short, long, global = true, display_order = 903)]
    pub(crate) quiet: bool,
    /// Print more: to standard error, and of `info`, `tree` and `dump` what is left out
    #[arg(short, long, global = true, conflicts_with = "quiet", display_order = 904)]
    pub(crate) verbose: bool,
    /// Read names in zips that carry no encoding as this one, such as cp866 or cp936
    #[cfg(feature = "names")]
    #[arg(long, global = true, hide = true, value_name = "ENCODING")]
    pub(crate) names: Option<String>,
    /// Read files into memory instead of mapping them
    #[arg(long, global = true, hide = true)]
    pub(crate) no_mmap: bool,
    /// Do not prefetch members of an archive; a scan does so once it has waited for its disk
    #[arg(long, global = true, hide = true)]
    pub(crate) no_read_ahead: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[cfg(feature = "remote")]
    #[command(flatten)]
    pub(crate) remote_args: RemoteArgs,
    /// The files of URLs.
    #[cfg(feature = "remote")]
    #[arg(skip)]
    pub(crate) remote: Remote,
}

impl Common {
    /// Returns the requests, the bytes fetched and the bytes of all files opened by their URLs, if there were requests.
    pub(crate) fn requests(&self) -> Option<[u64; 3]> {
        #[cfg(feature = "remote")]
        let counts = self.remote.counts();
        #[cfg(not(feature = "remote"))]
        let counts = None;
        counts
    }
}

impl Notes {
    pub(crate) fn new(common: &Common) -> Self {
        Self { quiet: common.quiet, verbose: common.verbose }
    }
}

/// The options that select what `scan` writes.
#[derive(Args)]
pub(crate) struct ScanArgs {
    /// Output format [default: `table` on a terminal, else `ndjson`]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<RecordFormat>,
    /// Tables to write, as Parquet or Arrow [default: assets; to a folder, all but geometry]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = table_args::table_parser(), hide = !table_args::ARE_BUILT_IN)]
    pub(crate) tables: Vec<String>,
    /// Divide tables into files of this size, or by `format`
    #[arg(long, value_name = "BY", value_parser = Partition::parse, hide = !table_args::ARE_BUILT_IN)]
    pub(crate) partition: Option<Partition>,
    /// Add SHA-256 digests of each asset's bytes and decoded content
    #[arg(long)]
    pub(crate) digests: bool,
    /// How much to read: headers and tables alone, or all that needs no decoding
    #[arg(long, value_name = "DEPTH", default_value = "summary", value_parser = depth_parser())]
    pub(crate) depth: Depth,
    /// In CSV, mark as text what a spreadsheet takes for formulas
    #[arg(long)]
    pub(crate) csv_safe: bool,
    /// Write only these keys of each record, such as `path,bytes,triangles`; only as CSV or NDJSON
    #[arg(long, value_name = "KEYS", value_delimiter = ',', value_parser = keys::checked, conflicts_with_all = ["csv_safe", "events", "since"])]
    pub(crate) columns: Vec<String>,
    /// Write only records for which this holds, such as `triangles > 10000 and format = odol`
    #[arg(long = "where", value_name = "CONDITION", value_parser = Condition::parse, conflicts_with_all = ["events", "since"])]
    pub(crate) condition: Option<Box<Condition>>,
    /// Write only the first N records of this order
    #[arg(long, value_name = "N", requires = "sort")]
    pub(crate) top: Option<usize>,
    /// Also write a record for each file that is no asset
    #[arg(long)]
    pub(crate) others: bool,
    /// Draw each model into this folder, named by its path
    #[arg(long, value_name = "DIR")]
    pub(crate) thumbnails: Option<PathBuf>,
    /// Width and height of these pictures
    #[arg(long, value_name = "PIXELS", default_value_t = 128, value_parser = clap::value_parser!(u32).range(1..=4096), requires = "thumbnails")]
    pub(crate) thumbnail_size: u32,
    /// Name them by path, or by the SHA-256 of the model, so that equal models are drawn once
    #[arg(long, value_name = "NAMES", default_value = "path", requires = "thumbnails")]
    pub(crate) thumbnail_names: ThumbnailNames,
    /// Also write all into one PNG file, up to 256 pixels wide each
    #[arg(long, value_name = "FILE", requires = "thumbnails")]
    pub(crate) contact_sheet: Option<PathBuf>,
    /// Search images below this folder too
    #[arg(long, value_name = "DIR", requires = "thumbnails", value_parser = folder_parser())]
    pub(crate) textures: Option<PathBuf>,
    /// Add event lines; the last has totals and says if all is whole
    #[arg(long)]
    pub(crate) events: bool,
    /// Copy the records of unchanged files from OLD: an older stream, table or folder of tables. Of a stream, those of
    /// archives only if it ends with `"whole":true`
    #[arg(long, value_name = "OLD")]
    pub(crate) since: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ThumbnailNames {
    Path,
    Digest,
}

#[derive(Args)]
pub(crate) struct Inputs {
    /// Files, folders with everything below them, and members; `-` is standard input
    #[arg(value_name = "PATH", required_unless_present_any = ["paths_from", "units_from"])]
    pub(crate) paths: Vec<PathBuf>,
    /// Scan the units in this file, as `plan` writes them; `-` is standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["paths", "paths_from"])]
    pub(crate) units_from: Option<PathBuf>,
    /// Read more paths from this file, one per line; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) paths_from: Option<PathBuf>,
    /// Paths in that file end with NUL instead of a newline
    #[arg(short = '0', long = "null", requires = "paths_from")]
    pub(crate) null: bool,
    /// Files to read at once, at most 256 [default: the number of cores]
    #[arg(short, long, value_name = "N")]
    pub(crate) jobs: Option<std::num::NonZeroUsize>,
    /// Do not look inside archives
    #[arg(long)]
    pub(crate) no_archives: bool,
    /// Only assets of these formats, and archives that could not all be read
    #[arg(long = "type", value_name = "FORMAT", value_delimiter = ',', value_parser = format_parser())]
    pub(crate) formats: Vec<String>,
    /// Only paths that match this pattern, in any case, written as in .gitignore; with `!` in front, only those that do not
    #[arg(short, long = "glob", value_name = "GLOB")]
    pub(crate) globs: Vec<String>,
    #[command(flatten)]
    pub(crate) walk: Walk,
    /// Collect all records first and sort them by `path`, `bytes` or a count such as `triangles`; `-KEY` sorts downwards
    #[arg(long, value_name = "KEY", allow_hyphen_values = true, value_parser = SortKey::parse)]
    pub(crate) sort: Option<SortKey>,
}

#[derive(Args)]
pub(crate) struct Walk {
    /// Descend at most N folders
    #[arg(long, value_name = "N")]
    folder_depth: Option<usize>,
    /// Follow symbolic links inside folders
    #[arg(short = 'L', long)]
    follow: bool,
    /// Include hidden files and folders
    #[arg(long)]
    hidden: bool,
    /// Include files that .gitignore, .ignore and similar files exclude
    #[arg(long)]
    no_ignore: bool,
}

impl Walk {
    pub(crate) fn apply(&self, selection: &mut Selection) {
        selection.folder_depth = self.folder_depth;
        selection.follow = self.follow;
        selection.hidden = self.hidden;
        selection.ignored = self.no_ignore;
    }
}

#[derive(Clone, PartialEq, Eq)]
pub(crate) struct SortKey {
    /// `path`, `bytes` or the name of a count; for `ls` also `time`.
    pub(crate) name: String,
    pub(crate) is_downwards: bool,
}

impl SortKey {
    /// The keys of files and members that `ls` lists.
    pub(crate) fn of_files(text: &str) -> Result<Self, String> {
        let name = text.strip_prefix('-').unwrap_or(text);
        if !matches!(name, "path" | "bytes" | "time") {
            return Err("expected path, bytes or time, with `-` in front to sort downwards".to_owned());
        }
        Ok(Self { name: name.to_owned(), is_downwards: text.starts_with('-') })
    }

    fn parse(text: &str) -> Result<Self, String> {
        let name = text.strip_prefix('-').unwrap_or(text);
        if !(matches!(name, "path" | "bytes" | "width" | "height") || is_count(name)) {
            let hint = keys::nearest(name);
            return Err(format!(
                "expected path, bytes, width, height or a count, with `-` in front to sort downwards{hint}"
            ));
        }
        Ok(Self { name: name.to_owned(), is_downwards: text.starts_with('-') })
    }
}

fn depth_parser() -> impl TypedValueParser<Value = Depth> {
    let depths = PossibleValuesParser::from([Depth::Header, Depth::Summary].map(Depth::name));
    depths.map(|name| if name == Depth::Header.name() { Depth::Header } else { Depth::Summary })
}

/// A folder to search. Refuses one that cannot be listed, before the work starts.
pub(crate) fn folder_parser() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|folder| match std::fs::read_dir(&folder) {
        Ok(_) => Ok(folder),
        Err(error) => Err(error),
    })
}

pub(crate) fn format_parser() -> PossibleValuesParser {
    Format::ALL.iter().map(|format| format.name()).collect::<Vec<_>>().into()
}

/// How `scan` writes records.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RecordFormat {
    Table,
    Ndjson,
    Csv,
    #[value(hide = !table_args::ARE_BUILT_IN)]
    Parquet,
    #[value(hide = !table_args::ARE_BUILT_IN)]
    Arrow,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    Text,
    Ndjson,
    #[value(hide = !table_args::ARE_BUILT_IN)]
    Parquet,
    #[value(hide = !table_args::ARE_BUILT_IN)]
    Arrow,
}

/// How `verify` writes problems.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProblemFormat {
    Text,
    Ndjson,
    Sarif,
    Github,
    #[value(hide = !table_args::ARE_BUILT_IN)]
    Parquet,
    #[value(hide = !table_args::ARE_BUILT_IN)]
    Arrow,
}

/// How `refs` writes references.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LinkFormat {
    Table,
    Ndjson,
    Csv,
    Sarif,
    Github,
    #[value(hide = !table_args::ARE_BUILT_IN)]
    Parquet,
    #[value(hide = !table_args::ARE_BUILT_IN)]
    Arrow,
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
