//! The rows of the bench, and the archives that they need.

mod dense;
mod mods;
mod others;
mod small;
mod zips;

use std::io::Result;

use crate::rows::Rows;
use crate::storage::Folder;

/// The bytes of the archives, and the folder that they are in.
struct Place {
    folder: Folder,
    mib: u64,
}

/// Measures the rows that start with these words, or all.
pub fn ask(words: Vec<String>) -> Result<()> {
    let place = Place { folder: Folder::new()?, mib: number("MESHPEEK_BENCH_MIB", 512) };
    let rounds = number("MESHPEEK_BENCH_ROUNDS", 5);
    eprintln!("{} MiB in the largest archives, {rounds} rounds; {}", place.mib, load());
    let rows = Rows::new(words, rounds as usize);
    dense::dense(&rows, &place)?;
    mods::of_a_mod(&rows, &place)?;
    small::small(&rows, &place)?;
    small::million(&rows, &place)?;
    zips::zip(&rows, &place)?;
    zips::nested(&rows, &place)?;
    others::files(&rows, &place)?;
    others::editable(&rows, &place)?;
    others::textures(&rows, &place)?;
    others::one(&rows, &place)?;
    eprintln!("{}", load());
    Ok(())
}

fn number(variable: &str, usual: u64) -> u64 {
    std::env::var(variable).ok().map_or(usual, |text| text.parse().expect("a number"))
}

/// How busy the machine is. Programs that run beside the bench change its figures.
fn load() -> String {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(0, Into::into);
    format!("load {} on {cores} cores", load.split(' ').next().unwrap_or_default())
}
