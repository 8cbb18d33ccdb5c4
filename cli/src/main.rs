//! The program `meshpeek`: the library for terminals and pipelines.

#![deny(unsafe_code)]
// `clippy.toml` has the threshold.
#![cfg_attr(not(test), deny(clippy::too_many_lines))]

mod annotations;
mod args;
mod bones;
mod cat;
mod command;
mod complete;
mod condition;
mod config;
mod diff;
mod dump;
mod dupes;
mod examples;
mod explain;
mod export;
mod extract;
mod failure;
mod fit;
mod forms;
mod globbed;
mod hex;
mod info;
mod input;
mod interrupt;
mod keys;
mod limits;
mod lock;
mod ls;
mod manual;
mod map;
mod notes;
mod output;
mod output_file;
mod paths;
mod place;
mod plan;
mod progress;
mod refs;
mod remote;
mod report;
mod results;
mod scan;
mod schema;
mod similar;
mod since;
mod sorted;
mod source;
mod table_args;
mod tables;
mod temporary;
mod thumbnails;
mod tree;
mod value;
mod verbs;
mod verify;
mod visible;
mod wrap;

use std::process::ExitCode;

use args::Common;
use failure::{Failure, Outcome};
use notes::Notes;
use output_file::OutputFile;
use verbs::{Cli, Verb};

fn main() -> ExitCode {
    if let Some(code) = complete::answer() {
        return code;
    }
    let Cli { mut verb, mut common } = match command::parse() {
        Ok(cli) => cli,
        Err(failure) => return failed(failure, Notes::default()),
    };
    let notes = Notes::new(&common);
    common.results.limit(common.limits.limits().output);
    common.space.limit(common.limits.temporary);
    #[cfg(feature = "remote")]
    common.remote.set(&common.remote_args, notes);
    interrupt::listen(notes);
    // If it fails, files are read.
    if let Err(error) = meshpeek::source::guard_maps() {
        notes.detail(error);
    }
    keep_freed_memory();
    match run(&mut verb, &mut common, notes) {
        Ok(code) => code,
        Err(failure) => failed(failure, notes),
    }
}

/// Makes the C library of Linux reuse freed memory, instead of returning it to the system and having it cleared again
/// for the next array. Once a block of this size was freed, it keeps blocks up to this size, twice as much in all.
fn keep_freed_memory() {
    drop(std::hint::black_box(Vec::<u8>::with_capacity(4 << 20)));
}

fn failed(failure: Failure, notes: Notes) -> ExitCode {
    match failure {
        Failure::ClosedPipe => ExitCode::SUCCESS,
        Failure::Message(message) => {
            notes.error(message);
            ExitCode::from(2)
        }
        Failure::Wrong(message) => {
            notes.error(message);
            ExitCode::from(1)
        }
    }
}

fn run(verb: &mut Verb, common: &mut Common, notes: Notes) -> Outcome {
    #[cfg(feature = "names")]
    if let Some(names) = &common.names {
        meshpeek::zip::read_names_as(names)?;
    }
    let are_patterns_complete = verb.expand(common)?;
    let verb = &*verb;
    if let Some(path) = &common.output {
        if remote::is_url(path) {
            return Err(Failure::at(path, "results are written to this machine only"));
        }
        let is_file = match verb {
            Verb::Scan { .. } => !output_file::is_folder(path),
            Verb::Extract(_) => false,
            _ => true,
        };
        if is_file {
            common.output_file = Some(OutputFile::open(path, &verb.inputs())?);
        }
    }
    let code = match verb {
        Verb::Info(args) => info::run(args, common),
        Verb::Ls(args) => ls::run(args, common),
        Verb::Scan { inputs, format } => scan::run(inputs, format, common),
        Verb::Plan(args) => plan::run(args, common),
        Verb::Verify(args) => verify::run(args, common),
        Verb::Explain(args) => explain::run(args, common),
        Verb::Tree(args) => tree::run(args, common),
        Verb::Hex(args) => hex::run(args, common),
        Verb::Schema(args) => schema::run(args, common),
        Verb::Dump { file, selector, format } => dump::run(file, selector.as_deref(), *format, common),
        Verb::Cat(args) => cat::run(args, common),
        Verb::Extract(args) => extract::run(args, common),
        Verb::Export(args) => export::run(args, common),
        Verb::Refs(args) => refs::run(args, common),
        Verb::Fit(args) => fit::run(args, common),
        Verb::Diff(args) => diff::run(args, common),
        Verb::Dupes(args) => dupes::run(args, common),
        Verb::Completions { shell } => manual::completions(*shell, common),
        Verb::Man => manual::page(common),
        Verb::Limits => command::limits(common),
    }?;
    let output = common.output_file.take();
    if code == ExitCode::from(interrupt::STATUS) {
        return Ok(interrupt::status(notes, output.as_ref()));
    }
    // If nothing could be done, there is nothing to keep. `diff` has compared the rest.
    let is_empty = code == ExitCode::from(2) && !matches!(verb, Verb::Diff(_));
    if let Some(output) = output
        && !is_empty
    {
        output.finish()?;
    }
    if !are_patterns_complete && code == ExitCode::SUCCESS {
        return Ok(ExitCode::from(1));
    }
    Ok(code)
}
