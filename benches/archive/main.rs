//! The whole program on temporary archives and folders, compared with the least that it has to do (its floor), with other
//! programs, with an older build, and two jobs with one.
//!
//! `cargo bench -p meshpeek-cli --bench archive`; words after `--` select rows by the word before their colon.
//! `benches/README.md` says what the rows and the variables are.

#[cfg(unix)]
#[path = "../dense/mod.rs"]
mod dense;
#[cfg(unix)]
#[path = "../../tests/it/writer/mod.rs"]
mod writer;

#[cfg(unix)]
mod assets;
#[cfg(unix)]
mod describe;
#[cfg(unix)]
mod floor;
#[cfg(unix)]
mod measure;
#[cfg(unix)]
mod programs;
#[cfg(unix)]
mod questions;
#[cfg(unix)]
mod rows;
#[cfg(unix)]
mod storage;
#[cfg(unix)]
mod streams;

#[cfg(unix)]
fn main() {
    let mut arguments = std::env::args().skip(1).filter(|word| !word.starts_with("--bench")).peekable();
    if arguments.next_if(|word| word == measure::LAUNCH).is_some() {
        return measure::launch(arguments);
    }
    // Cargo runs benches in the folder of their package.
    std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).expect("the folder of the workspace");
    if arguments.next_if(|word| word == "describe").is_some() {
        return describe::all();
    }
    questions::ask(arguments.collect()).expect("room in the folder for temporary files");
}

#[cfg(not(unix))]
fn main() {
    println!("the bench needs the clocks of Unix");
}
