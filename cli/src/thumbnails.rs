//! `scan --thumbnails`: draws each model while a scan has it open.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use meshpeek::scan::{Scan, Sighting};
use meshpeek::{Budget, Limits};
use sha2::{Digest, Sha256};
use tempfile::Builder;

use crate::args::ScanArgs;
use crate::export::{Canvas, Edges, Images, Room, is_drawn, picture};
use crate::failure::Failure;
use crate::notes::Notes;
use crate::report;
use crate::results::Results;

/// Draws pictures into a folder.
pub(crate) struct Thumbnails {
    folder: PathBuf,
    side: u32,
    limits: Limits,
    /// The amount that may be written.
    results: Results,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Models drawn or being drawn, by digest.
    begun: HashSet<[u8; 32]>,
    drawn: u64,
    /// The number of pictures that show almost nothing.
    poor: u64,
    /// The number of models that could not be drawn, and the reason for the first.
    undrawn: u64,
    /// Canvases to reuse for the next pictures, one per thread.
    canvases: Vec<Canvas>,
    failure: Option<Failure>,
}

impl Thumbnails {
    pub(crate) fn new(folder: &Path, args: &ScanArgs, scan: &Scan, results: &Results) -> Result<Self, Failure> {
        std::fs::create_dir_all(folder).map_err(|error| Failure::io(folder, error))?;
        let (folder, side, results) = (folder.to_owned(), args.thumbnail_size, results.clone());
        Ok(Self { folder, side, limits: scan.limits, results, state: Mutex::default() })
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Draws an asset if possible. Called by many threads at once.
    pub(crate) fn draw(&self, seen: &Sighting<'_, '_>) {
        let Some(asset) = seen.asset.filter(|asset| is_drawn(asset.format())) else { return };
        // Hashing reads every byte.
        let mut digest = Sha256::new();
        let is_read = seen
            .data
            .chunks(1 << 20)
            .try_for_each(|piece| seen.budget.work(piece.len() as u64).map(|()| digest.update(piece)));
        if is_read.is_err() {
            self.state().undrawn += 1;
            return;
        }
        let digest: [u8; 32] = digest.finalize().into();
        if !self.state().begun.insert(digest) {
            return;
        }
        let path = self.folder.join(name(&digest));
        if path.exists() {
            self.state().drawn += 1;
            return;
        }
        let file = seen.record.member.is_none().then_some(seen.record.path.as_path());
        let mut images = Images::seen(asset, file, &self.limits);
        let room = Room::new(seen.budget);
        let mut canvas = self.state().canvases.pop().unwrap_or_default();
        let picture = picture::draw(asset, (self.side, Edges::Smoothed), &mut canvas, &mut images, &room);
        self.state().canvases.push(canvas);
        if picture.as_ref().is_ok_and(|picture| picture.flaw.is_some()) {
            self.state().poor += 1;
        }
        match picture.and_then(|picture| picture.to_png()) {
            Err(_) => self.state().undrawn += 1,
            // One file does not spend the whole run's output, nor that of its own records.
            Ok(png) if !pays(seen.budget, png.len() as u64) => self.state().undrawn += 1,
            Ok(png) => match self.write(&path, &png) {
                Ok(()) => self.state().drawn += 1,
                Err(error) => {
                    self.state().failure.get_or_insert_with(|| Failure::io(&path, error));
                }
            },
        }
    }

    fn write(&self, path: &Path, png: &[u8]) -> std::io::Result<()> {
        self.results.take(png.len() as u64)?;
        let mut builder = Builder::new();
        builder.prefix(".meshpeek-");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let mut file = builder.tempfile_in(&self.folder)?;
        file.write_all(png)?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    }

    /// Reports how many were drawn.
    ///
    /// # Errors
    /// Returns an error if a picture could not be written.
    pub(crate) fn finish(self, notes: Notes) -> Result<(), Failure> {
        let State { drawn, poor, undrawn, failure, .. } =
            self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let without =
            if undrawn > 0 { format!(", {undrawn} models without triangles or too large") } else { String::new() };
        let poor = if poor > 0 { format!(", {poor} nearly black or empty") } else { String::new() };
        notes.say(format_args!("{}{poor}{without}", report::count(drawn, "picture")));
        failure.map_or(Ok(()), Err)
    }
}

/// Charges for a picture if that leaves the rest of the budget intact.
fn pays(budget: &Budget, bytes: u64) -> bool {
    budget.affords(0, bytes, 0) && budget.output(bytes).is_ok()
}

fn name(digest: &[u8; 32]) -> String {
    let mut name = String::with_capacity(68);
    for byte in digest {
        let _ = write!(name, "{byte:02x}");
    }
    name + ".png"
}
