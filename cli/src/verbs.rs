//! The verbs of the command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use meshpeek::address::Address;

use crate::args::{Common, DumpFormat, Inputs, LineFormat, ScanArgs, Stream};
use crate::examples;

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
    /// Show what differs between two models, archives or folders; exit status 0 nothing, 1 something, 2 trouble
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
