//! Files without an archive, editable models, textures, and a single file.

use std::io::Result;

use super::Place;
use crate::assets::{self, Asset};
use crate::floor;
use crate::measure;
use crate::programs::{alone, other, verb};
use crate::rows::{Row, Rows};
use crate::storage::{self, Archive};

/// A quarter of the size.
pub fn files(rows: &Rows, place: &Place) -> Result<()> {
    if !rows.has("files") {
        return Ok(());
    }
    let folder = place.folder.path("files");
    storage::write_files(&folder, &assets::dense(), place.mib << 18)?;
    let cost = |words: &[&str]| measure::cpu(&mut alone(words, &folder));
    let reading = || floor::calls(&folder);
    let hashing = || floor::hashed_files(&folder) * 2.0;
    let digests = Row::new("files: scan --digests", "reading them and SHA-256 of them, twice").at_most(2.0);
    rows.row(&Row::new("files: scan of the assets as files", "reading them"), || cost(&["scan"]), reading);
    rows.row(&digests, || cost(&["scan", "--digests"]), hashing);
    rows.row(&Row::new("files: verify", "reading them"), || cost(&["verify"]), reading);
    std::fs::remove_dir_all(&folder)
}

pub fn editable(rows: &Rows, place: &Place) -> Result<()> {
    if !rows.has("mlod") {
        return Ok(());
    }
    let assets = [Asset { name: "model.p3d".to_owned(), bytes: assets::editable_model() }];
    let archive = Archive::write(place.folder.path("mlod.pbo"), &assets, place.mib << 18)?;
    rows.row(
        &Row::new("mlod: scan of a pbo of editable models", "touching each page"),
        || measure::cpu(&mut alone(&["scan"], &archive.path)),
        || floor::touch(&archive),
    );
    std::fs::remove_file(&archive.path)
}

pub fn textures(rows: &Rows, place: &Place) -> Result<()> {
    if !rows.has("textures") {
        return Ok(());
    }
    let assets = assets::assets(&["paa"]);
    let bytes: usize = assets.iter().map(|asset| asset.bytes.len()).sum();
    let size = 10_000 * bytes / assets.len();
    let archive = Archive::write(place.folder.path("textures.pbo"), &assets, size as u64)?;
    rows.row(
        &Row::new("textures: scan of a pbo of 10,000 textures", "touching each page"),
        || measure::cpu(&mut alone(&["scan"], &archive.path)),
        || floor::touch(&archive),
    );
    std::fs::remove_file(&archive.path)
}

pub fn one(rows: &Rows, place: &Place) -> Result<()> {
    if !rows.has("one") {
        return Ok(());
    }
    let scenes = assets::assets(&["b3d"]).into_iter();
    let largest = scenes.max_by_key(|scene| scene.bytes.len()).expect("a scene");
    let path = place.folder.path("scene.b3d");
    std::fs::write(&path, &largest.bytes)?;
    let row = Row::new("one: info of a scene", "`assimp info`");
    rows.peer(&row, || verb(&["info"], &path), || other("assimp", &["info"], &path), "assimp-utils");
    std::fs::remove_file(&path)
}
