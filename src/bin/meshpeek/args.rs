//! The words of the command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use meshpeek::Format;
use meshpeek::address::Address;

use crate::examples;
use crate::limits::LimitArgs;
use crate::output::{Failure, Output};
use crate::output_file::OutputFile;

/// Inspect 3D game assets without loading them
#[derive(Parser)]
#[command(name = "meshpeek", version, max_term_width = 100, after_help = examples::ALL)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) verb: Verb,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Args)]
pub(crate) struct Common {
    /// Write results to FILE, which is replaced once everything is written; its ending chooses the format. An input
    /// file, or a link to one, is refused
    #[arg(short, long, global = true, value_name = "FILE", display_order = 901)]
    pub(crate) output: Option<PathBuf>,
    #[arg(skip)]
    pub(crate) output_file: Option<OutputFile>,
    /// When to use color; the variable NO_COLOR turns `auto` off
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", display_order = 902)]
    pub(crate) color: Color,
    /// Print only errors to standard error
    #[arg(short, long, global = true, display_order = 903)]
    pub(crate) quiet: bool,
    /// Print more to standard error
    #[arg(short, long, global = true, conflicts_with = "quiet", display_order = 904)]
    pub(crate) verbose: bool,
    /// Read files into memory instead of mapping them
    #[arg(long, global = true, hide = true)]
    pub(crate) no_mmap: bool,
    /// Do not prefetch members of an archive; a scan does so once it has waited for its disk
    #[arg(long, global = true, hide = true)]
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

#[derive(Subcommand)]
pub(crate) enum Verb {
    /// Show one file or archive in full
    #[command(after_help = examples::INFO)]
    Info {
        /// File or member, such as `mod.pbo!/tree.p3d`; `-` is standard input
        file: PathBuf,
        /// Write JSON: the record and, under `detail`, every field
        #[arg(long)]
        json: bool,
        /// Add SHA-256 digests of its bytes and decoded content; only in JSON
        #[arg(long)]
        digests: bool,
    },
    /// Write one record per asset in files, folders and archives
    #[command(after_help = examples::SCAN)]
    Scan {
        #[command(flatten)]
        inputs: Inputs,
        #[command(flatten)]
        format: ScanArgs,
        #[command(flatten)]
        stream: Stream,
    },
    /// Split a scan into units of work for several processes
    #[command(after_help = examples::PLAN)]
    Plan(crate::plan::Args),
    /// Decode everything, check every index and report each problem
    #[command(after_help = examples::VERIFY)]
    Verify {
        #[command(flatten)]
        inputs: Inputs,
        /// Output format: a line per problem, or the records
        #[arg(long, value_name = "FORMAT", default_value = "text")]
        format: LineFormat,
        /// Count a warning as an error
        #[arg(long)]
        strict: bool,
    },
    /// Show the parts of a file, or every field, with offset and size
    #[command(after_help = examples::TREE)]
    Tree(crate::tree::Args),
    /// Show bytes next to the fields they belong to
    #[command(after_help = examples::HEX)]
    Hex(crate::hex::Args),
    /// List the records of a format: fields, types and meanings
    #[command(after_help = examples::SCHEMA)]
    Schema(crate::schema::Args),
    /// Write one array as CSV, NDJSON, NPY or raw bytes, or list them
    #[command(after_help = examples::DUMP)]
    Dump {
        /// File or member, such as `mod.pbo!/tree.p3d`; `-` is standard input
        file: PathBuf,
        /// The array, such as `meshes/0/positions`; without one, all arrays are listed
        selector: Option<String>,
        /// Output format
        #[arg(long, value_name = "FORMAT", default_value = "csv")]
        format: DumpFormat,
    },
    /// Write the content of an archive member as it is
    #[command(after_help = examples::CAT)]
    Cat {
        /// Member, such as `mod.pbo!/config.cpp`, or file
        file: PathBuf,
    },
    /// Write a model as glTF (not Arma models) or draw it (all models)
    #[command(after_help = examples::EXPORT)]
    Export(crate::export::Args),
    /// List references to other files and what they resolve to
    #[command(after_help = examples::REFS)]
    Refs(crate::refs::Args),
    /// Show what differs between two models or two archives
    #[command(after_help = examples::DIFF)]
    Diff(crate::diff::Args),
    /// Find duplicate assets
    #[command(after_help = examples::DUPES)]
    Dupes(crate::dupes::Args),
    /// Write a completion script for a shell
    #[command(after_help = examples::COMPLETIONS)]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write the manual page
    #[command(after_help = examples::MAN)]
    Man,
    /// Explain the limits and how files are read; also `help limits`
    #[command(after_help = examples::LIMITS, override_usage = "meshpeek <VERB> [OPTIONS]")]
    Limits,
}

impl Verb {
    /// The files and folders to read, which results must not overwrite.
    pub(crate) fn inputs(&self) -> Vec<PathBuf> {
        let paths: Vec<&PathBuf> = match self {
            Self::Info { file, .. } | Self::Dump { file, .. } | Self::Cat { file } => vec![file],
            Self::Tree(args) => vec![&args.file],
            Self::Hex(args) => vec![&args.file],
            Self::Export(args) => vec![&args.file],
            Self::Scan { inputs, .. } | Self::Verify { inputs, .. } => {
                inputs.paths.iter().chain(&inputs.paths_from).chain(&inputs.units_from).collect()
            }
            Self::Plan(args) => args.paths.iter().collect(),
            Self::Refs(args) => args.paths.iter().collect(),
            Self::Diff(args) => vec![&args.a, &args.b],
            Self::Dupes(args) => args.paths.iter().collect(),
            Self::Schema(_) | Self::Completions { .. } | Self::Man | Self::Limits => Vec::new(),
        };
        paths.into_iter().map(|path| Address::parse(path).file).collect()
    }
}

/// What `scan` writes.
#[derive(Args)]
pub(crate) struct ScanArgs {
    /// Output format [default: `table` on a terminal, else `ndjson`]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<RecordFormat>,
    /// Add SHA-256 digests of each asset's bytes and decoded content
    #[arg(long)]
    pub(crate) digests: bool,
    /// How much to read: headers and tables alone, or all that needs no decoding
    #[arg(long, value_name = "DEPTH", default_value = "summary")]
    pub(crate) depth: ScanDepth,
    /// In CSV, put an apostrophe before cells that a spreadsheet would take for formulas
    #[arg(long)]
    pub(crate) csv_safe: bool,
    /// Draw each model into this folder, named by the SHA-256 of its bytes
    #[arg(long, value_name = "DIR")]
    pub(crate) thumbnails: Option<PathBuf>,
    /// Width and height of these pictures
    #[arg(long, value_name = "PIXELS", default_value_t = 128, value_parser = clap::value_parser!(u32).range(1..=4096), requires = "thumbnails")]
    pub(crate) thumbnail_size: u32,
}

#[derive(Args)]
pub(crate) struct Stream {
    /// Add event lines; the last has totals and says whether the stream is whole
    #[arg(long)]
    pub(crate) events: bool,
    /// Copy the records of unchanged files from OLD; those of archives only if OLD ends with `"whole":true`
    #[arg(long, value_name = "OLD")]
    pub(crate) since: Option<PathBuf>,
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
    /// Only assets of these formats
    #[arg(long = "type", value_name = "FORMAT", value_delimiter = ',', value_parser = format_parser())]
    pub(crate) formats: Vec<String>,
    /// Only paths that match this pattern, written as in .gitignore; with `!` in front, only those that do not
    #[arg(short, long = "glob", value_name = "GLOB")]
    pub(crate) globs: Vec<String>,
    /// Descend at most N folders
    #[arg(long, value_name = "N")]
    pub(crate) folder_depth: Option<usize>,
    /// Follow symbolic links inside folders
    #[arg(short = 'L', long)]
    pub(crate) follow: bool,
    /// Include hidden files and folders
    #[arg(long)]
    pub(crate) hidden: bool,
    /// Include files that .gitignore, .ignore and similar files exclude
    #[arg(long)]
    pub(crate) no_ignore: bool,
    /// Collect all records first and sort them
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

/// How much a scan reads.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScanDepth {
    Header,
    Summary,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LineFormat {
    Text,
    Ndjson,
}

impl LineFormat {
    /// The stream for it.
    pub(crate) fn output(self, common: &Common) -> Result<Output, Failure> {
        match self {
            Self::Text => Output::text(common),
            Self::Ndjson => Output::data(common),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DumpFormat {
    Csv,
    Ndjson,
    Npy,
    Raw,
}
