//! The program `meshpeek`: the library's answers on a terminal and in pipelines.

mod args;
mod cat;
mod detail;
mod diff;
mod dump;
mod dupes;
mod info;
mod input;
mod manual;
mod output;
mod progress;
mod refs;
mod report;
mod scan;
mod since;
mod source;
mod tree;
mod verify;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Verb};
use output::{Failure, Notes, Outcome};

fn main() -> ExitCode {
    let Cli { verb, common } = Cli::parse();
    let notes = Notes::new(&common);
    // Where it fails, files are read.
    if let Err(error) = meshpeek::source::guard_maps() {
        notes.detail(error);
    }
    let outcome: Outcome = match &verb {
        Verb::Info { file, json, digests } => info::run(file, *json, *digests, &common),
        Verb::Scan { inputs, format, digests, stream } => scan::run(inputs, *format, *digests, stream, &common),
        Verb::Verify { inputs, format, strict } => verify::run(inputs, *format, *strict, &common),
        Verb::Tree { file } => tree::run(file, &common),
        Verb::Dump { file, selector, format } => dump::run(file, selector.as_deref(), *format, &common),
        Verb::Cat { file } => cat::run(file, &common),
        Verb::Refs(args) => refs::run(args, &common),
        Verb::Diff(args) => diff::run(args, &common),
        Verb::Dupes(args) => dupes::run(args, &common),
        Verb::Completions { shell } => manual::completions(*shell, &common),
        Verb::Man => manual::page(&common),
    };
    match outcome {
        Ok(code) => code,
        Err(Failure::ClosedPipe) => ExitCode::SUCCESS,
        Err(Failure::Told(message)) => {
            notes.error(message);
            ExitCode::from(2)
        }
    }
}
