//! The files of a mod, in a PBO.

use std::io::Result;

use super::Place;
use crate::assets;
use crate::floor;
use crate::measure;
use crate::programs::alone;
use crate::rows::{Row, Rows};
use crate::storage::Archive;

pub fn of_a_mod(rows: &Rows, place: &Place) -> Result<()> {
    if !rows.has("mod") {
        return Ok(());
    }
    let assets = assets::of_a_mod();
    let archive = Archive::write(place.folder.path("mod.pbo"), &assets, place.mib << 20)?;
    eprintln!("mod: {}", archive.describe());
    let path = &archive.path;
    let cost = |words: &[&str]| measure::cpu(&mut alone(words, path));
    rows.row(&Row::new("mod: scan", "its floor").at_most(1.5), || cost(&["scan"]), || floor::walk(&archive));
    rows.row(&Row::new("mod: verify", "its floor with decoding"), || cost(&["verify"]), || floor::decode(&archive));
    rows.row(&Row::new("mod: refs", "scan").at_most(2.0), || cost(&["refs"]), || cost(&["scan"]));
    std::fs::remove_file(path)
}
