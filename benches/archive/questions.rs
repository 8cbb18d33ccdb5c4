//! The rows of the bench, and the archives that they need.

use std::io::Result;
use std::path::Path;

use super::assets::{self, Asset};
use super::floor;
use super::measure;
use super::programs::{alone, before, other, verb};
use super::rows::{Row, Rows};
use super::storage::{self, Archive, Folder};

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
    dense(&rows, &place)?;
    of_a_mod(&rows, &place)?;
    small(&rows, &place)?;
    million(&rows, &place)?;
    zip(&rows, &place)?;
    nested(&rows, &place)?;
    files(&rows, &place)?;
    editable(&rows, &place)?;
    textures(&rows, &place)?;
    one(&rows, &place)?;
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

fn dense(rows: &Rows, place: &Place) -> Result<()> {
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

fn of_a_mod(rows: &Rows, place: &Place) -> Result<()> {
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

fn small(rows: &Rows, place: &Place) -> Result<()> {
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

fn million(rows: &Rows, place: &Place) -> Result<()> {
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

/// A quarter of the size, because it is packed anew for each member.
fn zip(rows: &Rows, place: &Place) -> Result<()> {
    if !rows.has("zip") {
        return Ok(());
    }
    let path = place.folder.path("assets.zip");
    storage::write_zip(&path, &assets::dense(), place.mib << 18)?;
    let test = || other("7z", &["t", "-mmt=1"], &path);
    let unzip = || other("unzip", &["-tqq"], &path);
    let [scan, verify, info] = ["scan", "verify", "info"].map(|verb| move |path: &Path| alone_or_verb(verb, path));
    let row = Row::new("zip: verify", "`7z t -mmt=1`").at_most(1.0);
    rows.peer(&row, || verify(&path), test, "p7zip-full");
    rows.peer(&Row::new("zip: verify", "`unzip -t`").at_most(1.0), || verify(&path), unzip, "unzip");
    rows.peer(&Row::new("zip: scan", "`7z t -mmt=1`"), || scan(&path), test, "p7zip-full");
    rows.peer(&Row::new("zip: scan", "`unzip -t`"), || scan(&path), unzip, "unzip");
    let list = || other("7z", &["l"], &path);
    rows.peer(&Row::new("zip: info", "`7z l`"), || info(&path), list, "p7zip-full");
    rows.peer(&Row::new("zip: info", "`unzip -l`"), || info(&path), || other("unzip", &["-l"], &path), "unzip");
    rows.jobs(&Row::new("zip: verify of deflated members, two jobs", "one").at_most(0.55), &["verify"], &path);
    let header = || alone(&["scan", "--depth", "header"], &path);
    rows.programs(&Row::new("zip: scan --depth header", "scan"), header, || scan(&path));
    std::fs::remove_file(&path)
}

fn alone_or_verb(word: &str, path: &Path) -> std::process::Command {
    if word == "info" { verb(&[word], path) } else { alone(&[word], path) }
}

fn nested(rows: &Rows, place: &Place) -> Result<()> {
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

/// A quarter of the size.
fn files(rows: &Rows, place: &Place) -> Result<()> {
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

fn editable(rows: &Rows, place: &Place) -> Result<()> {
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

fn textures(rows: &Rows, place: &Place) -> Result<()> {
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

fn one(rows: &Rows, place: &Place) -> Result<()> {
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
