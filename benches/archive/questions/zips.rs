//! Zips, and an archive in one.

use std::io::Result;

use super::Place;
use crate::assets::{self, Asset};
use crate::programs::{alone, other, verb};
use crate::rows::{Row, Rows};
use crate::storage::{self, Archive};

/// A quarter of the size, because it is packed anew for each member.
pub fn zip(rows: &Rows, place: &Place) -> Result<()> {
    if !rows.has("zip") {
        return Ok(());
    }
    let path = place.folder.path("assets.zip");
    storage::write_zip(&path, &assets::dense(), place.mib << 18)?;
    let test = || other("7z", &["t", "-mmt=1"], &path);
    let unzip = || other("unzip", &["-tqq"], &path);
    let scan = || alone(&["scan"], &path);
    let verify = || alone(&["verify"], &path);
    let info = || verb(&["info"], &path);
    let row = Row::new("zip: verify", "`7z t -mmt=1`").at_most(1.0);
    rows.peer(&row, verify, test, "p7zip-full");
    rows.peer(&Row::new("zip: verify", "`unzip -t`").at_most(1.0), verify, unzip, "unzip");
    rows.peer(&Row::new("zip: scan", "`7z t -mmt=1`"), scan, test, "p7zip-full");
    rows.peer(&Row::new("zip: scan", "`unzip -t`"), scan, unzip, "unzip");
    let list = || other("7z", &["l"], &path);
    rows.peer(&Row::new("zip: info", "`7z l`"), info, list, "p7zip-full");
    rows.peer(&Row::new("zip: info", "`unzip -l`"), info, || other("unzip", &["-l"], &path), "unzip");
    rows.jobs(&Row::new("zip: verify of deflated members, two jobs", "one").at_most(0.55), &["verify"], &path);
    let header = || alone(&["scan", "--depth", "header"], &path);
    rows.programs(&Row::new("zip: scan --depth header", "scan"), header, scan);
    std::fs::remove_file(&path)
}

pub fn nested(rows: &Rows, place: &Place) -> Result<()> {
    if !rows.has("nested") {
        return Ok(());
    }
    let assets = assets::dense();
    let inner = Archive::write(place.folder.path("inner.pbo"), &assets, place.mib << 17)?;
    let packed = Asset { name: "inner.pbo".to_owned(), bytes: std::fs::read(&inner.path)? };
    std::fs::remove_file(&inner.path)?;
    let path = place.folder.path("nested.zip");
    storage::write_zip(&path, &[packed], 1)?;
    rows.jobs(&Row::new("nested: scan of a deflated pbo in a zip, two jobs", "one").at_most(0.75), &["scan"], &path);
    let test = || other("7z", &["t", "-mmt=1"], &path);
    rows.peer(&Row::new("nested: scan", "`7z t -mmt=1`"), || alone(&["scan"], &path), test, "p7zip-full");
    std::fs::remove_file(&path)
}
