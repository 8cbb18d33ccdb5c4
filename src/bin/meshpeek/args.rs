//! The words of the command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use meshpeek::Format;
use meshpeek::address::Address;

use crate::examples;
use crate::limits::LimitArgs;
use crate::output::{Failure, Output};
use crate::output_file::OutputFile;
use crate::results::Results;

/// Looks into 3D game assets without loading them.
///
/// Results go to standard output, everything else to standard error. Exit status: 0 done; 1 done, but `verify` found an
/// error or some path could not be read; 2 wrong usage, or nothing could be done; 130 interrupted.
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
    /// Write results to this file instead of standard output; it is replaced when they are whole
    ///
    /// It is replaced at the end, by a file written beside it, and stays as it is where nothing could be done or the
    /// program is interrupted. Never an input: that is refused, links to one too. Pipes and devices are written straight.
    #[arg(short, long, global = true, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[arg(skip)]
    pub(crate) output_file: Option<OutputFile>,
    /// What may be written there.
    #[arg(skip)]
    pub(crate) results: Results,
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

#[derive(Subcommand)]
pub(crate) enum Verb {
    /// Show one file in full
    #[command(after_help = examples::INFO)]
    Info {
        /// The file, or the address of a member, such as `mod.pbo!/tree.p3d`; `-` is standard input
        file: PathBuf,
        /// As JSON: the record and, under `detail`, every field
        #[arg(long)]
        json: bool,
        /// Add SHA-256 digests of its bytes and decoded content
        #[arg(long, requires = "json")]
        digests: bool,
    },
    /// List every asset in files and folders, one record each
    #[command(after_help = examples::SCAN)]
    Scan {
        #[command(flatten)]
        inputs: Inputs,
        #[command(flatten)]
        format: ScanArgs,
        #[command(flatten)]
        stream: Stream,
    },
    /// Cut what a scan would do into units of work, for many processes or machines
    #[command(after_help = examples::PLAN)]
    Plan(crate::plan::Args),
    /// Decode everything, check every index and bound, and tell each problem
    #[command(after_help = examples::VERIFY)]
    Verify {
        #[command(flatten)]
        inputs: Inputs,
        /// How to write what is found: a line for each problem, or the records
        #[arg(long, value_name = "FORMAT", default_value = "text")]
        format: LineFormat,
        /// Count a warning as an error
        #[arg(long)]
        strict: bool,
    },
    /// Show how one file is built: its parts with their offsets and sizes
    #[command(after_help = examples::TREE)]
    Tree(crate::tree::Args),
    /// Show bytes beside the fields that they belong to
    #[command(after_help = examples::HEX)]
    Hex(crate::hex::Args),
    /// List the records of a format: their fields, types and what these mean
    #[command(after_help = examples::SCHEMA)]
    Schema(crate::schema::Args),
    /// Write out one array; without a selector, list them
    #[command(after_help = examples::DUMP)]
    Dump {
        /// The file, or the address of a member, such as `mod.pbo!/tree.p3d`; `-` is standard input
        file: PathBuf,
        /// Which array, such as `meshes/0/positions`
        selector: Option<String>,
        /// How to write it
        #[arg(long, value_name = "FORMAT", default_value = "csv")]
        format: DumpFormat,
    },
    /// Write the content of a file or a member of an archive as it is
    #[command(after_help = examples::CAT)]
    Cat {
        /// The file, or the address of a member, such as `mod.pbo!/config.cpp`
        file: PathBuf,
    },
    /// Write a model as binary glTF (`-o NAME.glb`) or draw it (`-o NAME.png`)
    #[command(after_help = examples::EXPORT)]
    Export(crate::export::Args),
    /// List each reference to another file, and which file that is among those below the paths
    #[command(after_help = examples::REFS)]
    Refs(crate::refs::Args),
    /// Tell what differs between two models or two archives; exit status 0 nothing, 1 something, 2 trouble
    #[command(after_help = examples::DIFF)]
    Diff(crate::diff::Args),
    /// List assets that are there more than once
    #[command(after_help = examples::DUPES)]
    Dupes(crate::dupes::Args),
    /// Write a completion script for a shell, to be sourced from its start-up file
    #[command(after_help = examples::COMPLETIONS)]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write the manual page
    #[command(after_help = examples::MAN)]
    Man,
}

impl Verb {
    /// The files and folders named to be read, which the results are not written onto.
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
            Self::Schema(_) | Self::Completions { .. } | Self::Man => Vec::new(),
        };
        paths.into_iter().map(|path| Address::parse(path).file).collect()
    }
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
    /// Only files whose path fits this pattern; with `!` in front, only those that do not
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
