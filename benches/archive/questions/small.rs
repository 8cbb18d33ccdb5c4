//! Many small files, and many small members.

use std::io::Result;

use super::Place;
use crate::assets;
use crate::floor;
use crate::measure;
use crate::programs::{alone, before, verb};
use crate::rows::{Row, Rows};
use crate::storage;

pub fn small(rows: &Rows, place: &Place) -> Result<()> {
    if !rows.has("small") {
        return Ok(());
    }
    let folder = place.folder.path("small");
    storage::write_small(&folder, &assets::scene())?;
    let cost = |words: &[&str]| measure::cpu(&mut alone(words, &folder));
    rows.row(
        &Row::new("small: scan of 100,000 files", "the bare system calls").at_most(1.5),
        || cost(&["scan"]),
        || floor::calls(&folder),
    );
    rows.row(
        &Row::new("small: scan --digests of them", "the same and SHA-256"),
        || cost(&["scan", "--digests"]),
        || floor::hashed_files(&folder),
    );
    std::fs::remove_dir_all(&folder)
}

pub fn million(rows: &Rows, place: &Place) -> Result<()> {
    if !rows.has("million") {
        return Ok(());
    }
    let path = place.folder.path("million.pbo");
    let scene = assets::scene();
    let members: Vec<_> = (0..1_000_000).map(|number| (format!("{number}.b3d"), &scene[..])).collect();
    storage::write_pbo(&path, &members)?;
    drop(members);
    eprintln!("million: scenes of {} bytes, {:.0} MB in all", scene.len(), path.metadata()?.len() as f64 / 1e6);
    let scan = || alone(&["scan"], &path);
    let row = Row::new("million: scan of a pbo of a million small scenes", "MESHPEEK_BEFORE").at_most(0.8);
    match before(&["scan"], &path) {
        Some(_) => rows.programs(&row, scan, || before(&["scan"], &path).expect("the older program")),
        None => rows.skip(&row, "MESHPEEK_BEFORE names no older program"),
    }
    rows.programs(&Row::new("million: refs", "scan").at_most(1.5), || alone(&["refs"], &path), scan);
    rows.peak(
        &Row::new("million: refs, peak of memory with the mapped archive", "").at_most(1000.0),
        &alone(&["refs"], &path),
    );
    rows.peak(&Row::new("million: scan, peak of memory with the mapped archive", ""), &scan());
    let digests = || alone(&["scan", "--digests"], &path);
    rows.programs(&Row::new("million: dupes", "scan --digests").at_most(2.0), || alone(&["dupes"], &path), digests);
    let csv = || alone(&["scan", "--format", "csv"], &path);
    rows.programs(&Row::new("million: scan --format csv", "scan").at_most(2.0), csv, scan);
    rows.programs(&Row::new("million: info", "scan").at_most(2.0), || verb(&["info"], &path), scan);
    rows.programs(&Row::new("million: info --json", "scan").at_most(2.0), || verb(&["info", "--json"], &path), scan);
    let tree = || verb(&["tree", "--fields", "--format", "ndjson"], &path);
    rows.programs(&Row::new("million: tree --fields", "scan").at_most(2.0), tree, scan);
    rows.jobs(&Row::new("million: scan, two jobs", "one").at_most(0.55), &["scan"], &path);
    std::fs::remove_file(&path)
}
