//! The verbs of the command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use meshpeek::address::Address;

use crate::args::{Common, DumpFormat, Inputs, ScanArgs};
use crate::failure::Failure;
use crate::{examples, globbed, table_args};

/// The version, its commit in a checkout, and the features that not every build has.
const VERSION: &str = match (table_args::ARE_BUILT_IN, cfg!(feature = "remote")) {
    (true, true) => concat!(env!("MESHPEEK_VERSION"), " (parquet, remote)"),
    (true, false) => concat!(env!("MESHPEEK_VERSION"), " (parquet)"),
    (false, true) => concat!(env!("MESHPEEK_VERSION"), " (remote)"),
    (false, false) => env!("MESHPEEK_VERSION"),
};

/// Inspect 3D game assets without loading them
#[derive(Parser)]
#[command(name = "meshpeek", version = VERSION, max_term_width = 100, after_help = examples::ALL)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) verb: Verb,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Subcommand)]
pub(crate) enum Verb {
    /// Show files or archives in full, or the values of some keys
    #[command(aliases = ["inspect", "view"], after_help = examples::INFO)]
    Info(crate::info::Args),
    /// List every file of folders and member of archives
    #[command(aliases = ["list"], after_help = examples::LS)]
    Ls(crate::ls::Args),
    /// Write one record per asset in files, folders and archives
    #[command(after_help = examples::SCAN)]
    Scan {
        #[command(flatten)]
        inputs: Inputs,
        #[command(flatten)]
        format: ScanArgs,
    },
    /// Split a scan into units of work for several processes
    #[command(after_help = examples::PLAN)]
    Plan(crate::plan::Args),
    /// Decode everything, check every index and report each problem
    #[command(aliases = ["check", "validate"], after_help = examples::VERIFY)]
    Verify(crate::verify::Args),
    /// Say what the code of a problem means and how to repair it
    #[command(after_help = examples::EXPLAIN)]
    Explain(crate::explain::Args),
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
    /// Write the content of archive members as it is
    #[command(after_help = examples::CAT)]
    Cat(crate::cat::Args),
    /// Write members of archives, or whole ones, as files into a folder
    #[command(aliases = ["unpack"], after_help = examples::EXTRACT)]
    Extract(crate::extract::Args),
    /// Write a model as glTF, OBJ or PLY, or draw it
    #[command(after_help = examples::EXPORT)]
    Export(crate::export::Args),
    /// List references to other files and what they resolve to
    #[command(after_help = examples::REFS)]
    Refs(crate::refs::Args),
    /// Show whether an animation fits the bones of models
    #[command(after_help = examples::FIT)]
    Fit(crate::fit::Args),
    /// Show what differs between two models, archives or folders
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
    /// Replaces patterns for members, such as `mod.pbo!/*.p3d`, by the members that match. Returns false if other members
    /// may match.
    pub(crate) fn expand(&mut self, common: &Common) -> Result<bool, Failure> {
        match self {
            Self::Info(args) => globbed::expand(&mut args.files, common),
            Self::Ls(args) => globbed::expand(&mut args.paths, common),
            Self::Cat(args) => globbed::expand(&mut args.files, common),
            Self::Scan { inputs, .. } | Self::Verify(crate::verify::Args { inputs, .. }) => {
                globbed::expand(&mut inputs.paths, common)
            }
            Self::Dump { file, .. } => globbed::expand_one(file, common),
            Self::Tree(args) => globbed::expand_one(&mut args.file, common),
            Self::Hex(args) => globbed::expand_one(&mut args.file, common),
            Self::Export(args) => globbed::expand_one(&mut args.file, common),
            _ => Ok(true),
        }
    }

    /// The files and folders to read, which results must not overwrite.
    pub(crate) fn inputs(&self) -> Vec<PathBuf> {
        let paths: Vec<&PathBuf> = match self {
            Self::Info(args) => args.files.iter().collect(),
            Self::Dump { file, .. } => vec![file],
            Self::Cat(args) => args.files.iter().collect(),
            Self::Ls(args) => args.paths.iter().collect(),
            Self::Tree(args) => vec![&args.file],
            Self::Hex(args) => vec![&args.file],
            Self::Extract(args) => args.addresses.iter().collect(),
            Self::Export(args) => args.inputs(),
            Self::Scan { inputs, .. } | Self::Verify(crate::verify::Args { inputs, .. }) => {
                inputs.paths.iter().chain(&inputs.paths_from).chain(&inputs.units_from).collect()
            }
            Self::Plan(args) => args.paths.iter().collect(),
            Self::Refs(args) => args.paths.iter().collect(),
            Self::Fit(args) => [&args.motion].into_iter().chain(&args.models).collect(),
            Self::Diff(args) => vec![&args.a, &args.b],
            Self::Dupes(args) => args.paths.iter().collect(),
            Self::Explain(_) | Self::Schema(_) | Self::Completions { .. } | Self::Man | Self::Limits => Vec::new(),
        };
        paths.into_iter().map(|path| Address::parse(path).file).collect()
    }
}
