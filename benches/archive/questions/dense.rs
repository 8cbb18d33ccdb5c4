//! The densest files, in a PBO.

use std::io::Result;

use super::Place;
use crate::assets;
use crate::floor;
use crate::measure;
use crate::programs::alone;
use crate::rows::{Row, Rows};
use crate::storage::Archive;

pub fn dense(rows: &Rows, place: &Place) -> Result<()> {
    if !["dense", "since", "sha-1"].iter().any(|word| rows.has(word)) {
        return Ok(());
    }
    let assets = assets::dense();
    let archive = Archive::write(place.folder.path("assets.pbo"), &assets, place.mib << 20)?;
    eprintln!("dense: {}", archive.describe());
    let path = &archive.path;
    let cost = |words: &[&str]| measure::cpu(&mut alone(words, path));
    let floor = || floor::walk(&archive);
    rows.row(&Row::new("dense: scan", "its floor").at_most(1.5), || cost(&["scan"]), floor);
    rows.row(
        &Row::new("dense: scan --digests", "its floor with digests").at_most(1.2),
        || cost(&["scan", "--digests"]),
        || floor::digests(&archive),
    );
    rows.row(&Row::new("dense: verify", "its floor with decoding"), || cost(&["verify"]), || floor::decode(&archive));
    rows.row(
        &Row::new("dense: scan --depth header", "touching each page"),
        || cost(&["scan", "--depth", "header"]),
        || floor::touch(&archive),
    );
    rows.jobs(&Row::new("dense: scan, two jobs", "one"), &["scan"], path);
    rows.jobs(&Row::new("dense: verify, two jobs", "one"), &["verify"], path);
    if rows.has("since") {
        let old = place.folder.path("old.ndjson");
        let old = old.to_str().expect("a folder for temporary files whose name is text");
        measure::cpu(&mut alone(&["scan", "--events", "-o", old], path));
        rows.row(
            &Row::new("since: scan --since of what has not changed", "touching each page"),
            || cost(&["scan", "--events", "--since", old]),
            || floor::touch(&archive),
        );
    }
    if rows.has("sha-1") {
        archive.append_sha1()?;
        let row = Row::new("sha-1: verify of a pbo with a checksum, two jobs", "one").at_most(0.55);
        rows.jobs(&row, &["verify"], path);
    }
    std::fs::remove_file(path)
}
