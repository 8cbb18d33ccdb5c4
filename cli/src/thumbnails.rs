//! `scan --thumbnails`: draws each model while a scan has it open.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use meshpeek::address::MemberPath;
use meshpeek::answers::refs;
use meshpeek::export::{Canvas, Edges, Picture, View, picture_on};
use meshpeek::scan::{Record, Scan, Sighting};
use meshpeek::summary::Class;
use meshpeek::{Asset, Budget};
use sha2::{Digest, Sha256};
use tempfile::Builder;

use crate::args::{ScanArgs, ThumbnailNames};
use crate::export::{Around, Images, by_name_alone, is_drawn};
use crate::failure::{Failure, text_of};
use crate::notes::Notes;
use crate::output_file::{of_any_length, without_path};
use crate::report;
use crate::results::Results;

/// Draws pictures into a folder.
pub(crate) struct Thumbnails {
    folder: PathBuf,
    side: u32,
    names: ThumbnailNames,
    sheet: Option<PathBuf>,
    around: Around<'static>,
    /// The amount that may be written.
    results: Results,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The names of pictures drawn or being drawn, in lower case.
    begun: HashSet<String>,
    /// The contact sheet.
    sheet: Sheet,
    drawn: u64,
    /// The number of pictures that show almost nothing.
    poor: u64,
    /// The number of pictures with see-through triangles in the order of the file.
    unsorted: u64,
    /// The number of images that were found by their file names alone.
    by_name_alone: u64,
    /// The number of images that are there and not in the picture of a model, counted for each model, and what is wrong with
    /// the first.
    lost_images: u64,
    first_lost: Option<String>,
    /// The number of images that are not there, counted for each model.
    missing_images: u64,
    /// The number of models with more images than are searched for.
    crowded: u64,
    /// The number of pictures that lack parts of their models, because these cannot be read.
    incomplete: u64,
    /// The number of models without triangles.
    empty: u64,
    /// The number of models that the limits exclude.
    too_large: u64,
    /// The number of models that cannot be read.
    damaged: u64,
    /// The number of pictures that could not be written, and the error of the first.
    unwritten: u64,
    failure: Option<meshpeek::Error>,
    /// Canvases to reuse for the next pictures, one per thread.
    canvases: Vec<Canvas>,
}

impl State {
    /// Counts the images of a model that are not in its picture.
    fn add_images(&mut self, images: &Images<'_, '_>) {
        self.by_name_alone += images.by_name_alone();
        self.missing_images += images.missing().len() as u64;
        self.lost_images += images.lost().len() as u64;
        self.crowded += u64::from(images.most_searched().is_some());
        if self.first_lost.is_none()
            && let Some((name, why)) = images.lost().first_key_value()
        {
            self.first_lost = Some(format!("{}: {why}", report::escape(name)));
        }
    }

    /// Returns how many pictures there are, how many of them lack something, and how many models have none.
    fn counts(&self) -> String {
        let mut said = report::count(self.drawn, "pictures");
        for (pictures, flaw) in [
            (self.incomplete, "incomplete: some parts cannot be read"),
            (self.poor, "nearly black or empty"),
            (self.unsorted, "with too many see-through triangles to sort"),
        ] {
            if pictures > 0 {
                said += &format!(", {} {flaw}", report::grouped(pictures));
            }
        }
        for (models, why) in [
            (self.crowded, "with more images than are searched for"),
            (self.empty, "without triangles"),
            (self.too_large, "too large for the limits"),
            (self.damaged, "too damaged to draw"),
        ] {
            if models > 0 {
                said += &format!(", {} {why}", report::count(models, "models"));
            }
        }
        said
    }

    /// Counts a picture that is written, and its flaws.
    fn add(&mut self, picture: &Picture) {
        self.drawn += 1;
        if picture.flaw.is_some() {
            self.poor += 1;
        }
        if picture.unreadable > 0 {
            self.incomplete += 1;
        }
        if picture.unsorted > 0 {
            self.unsorted += 1;
        }
    }

    fn add_undrawn(&mut self, why: Undrawn) {
        match why {
            Undrawn::Empty => self.empty += 1,
            Undrawn::TooLarge => self.too_large += 1,
            Undrawn::Damaged => self.damaged += 1,
            Undrawn::Stopped => {}
        }
    }
}

/// Why a model has no picture.
enum Undrawn {
    Empty,
    TooLarge,
    Damaged,
    /// The scan was ended.
    Stopped,
}

impl From<meshpeek::Error> for Undrawn {
    fn from(error: meshpeek::Error) -> Self {
        match error.code().class() {
            Class::Limit => Self::TooLarge,
            Class::Unsupported => Self::Empty,
            Class::Cancelled => Self::Stopped,
            _ => Self::Damaged,
        }
    }
}

impl Thumbnails {
    pub(crate) fn new(folder: &Path, args: &ScanArgs, scan: &Scan, results: &Results) -> Result<Self, Failure> {
        std::fs::create_dir_all(folder).map_err(|error| Failure::io(folder, error))?;
        Ok(Self {
            folder: folder.to_owned(),
            side: args.thumbnail_size,
            names: args.thumbnail_names,
            sheet: args.contact_sheet.clone(),
            around: Around::scanned(scan, args.textures.as_deref()),
            results: results.clone(),
            state: Mutex::default(),
        })
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Draws an asset if possible. Called by many threads at once.
    pub(crate) fn draw(&self, seen: &Sighting<'_, '_>) {
        let Some(asset) = seen.asset else { return };
        if !is_drawn(asset.format()) {
            return;
        }
        let name = match self.names {
            ThumbnailNames::Path => Some(by_path(seen)),
            ThumbnailNames::Digest => digest(seen),
        };
        let Some(name) = name else {
            self.state().too_large += 1;
            return;
        };
        let Some(name) = self.unique(name, seen) else { return };
        let path = self.folder.join(name.clone() + ".png");
        if self.names == ThumbnailNames::Digest && self.sheet.is_none() && path.exists() {
            self.state().drawn += 1;
            return;
        }
        let (picture, png) = match self.png(asset, seen) {
            Ok(drawn) => drawn,
            Err(why) => {
                self.state().add_undrawn(why);
                return;
            }
        };
        let written = self.write(&path, &png);
        let mut state = self.state();
        match written {
            Ok(()) => {
                state.add(&picture);
                if self.sheet.is_some() {
                    state.sheet.add(name, &picture);
                }
            }
            Err(error) => {
                state.unwritten += 1;
                state.failure.get_or_insert(meshpeek::Error::from(error).in_file(&path));
            }
        }
    }

    /// Reserves the name of a picture. Adds a digest to one that is taken, also if only in another case, which some file
    /// systems do not distinguish. `None` if names are digests: the same picture is drawn already.
    fn unique(&self, mut name: String, seen: &Sighting<'_, '_>) -> Option<String> {
        if self.state().begun.insert(name.to_lowercase()) {
            return Some(name);
        }
        if self.names == ThumbnailNames::Digest {
            return None;
        }
        let digest = digest(seen).unwrap_or_default();
        name.push('-');
        name.push_str(digest.get(..16).unwrap_or_default());
        self.state().begun.insert(name.to_lowercase());
        Some(name)
    }

    /// Draws an asset. Returns the picture, and its bytes as PNG, if it can be drawn and paid.
    fn png(&self, asset: &Asset<'_>, seen: &Sighting<'_, '_>) -> Result<(Picture, Vec<u8>), Undrawn> {
        let picture = self.picture(asset, seen)?;
        let mut png = Vec::new();
        picture.write_png(&mut png)?;
        // One file does not spend the whole run's output, nor that of its own records.
        if !pays(seen.budget, png.len() as u64) {
            return Err(Undrawn::TooLarge);
        }
        Ok((picture, png))
    }

    /// Draws an asset, and counts the flaws of its picture.
    fn picture(&self, asset: &Asset<'_>, seen: &Sighting<'_, '_>) -> meshpeek::Result<Picture> {
        let Record { path: file, member, .. } = seen.record;
        let model = refs::Model::new(file, member.as_ref(), asset.format());
        let mut images = Images::seen(asset, model, &self.around);
        let mut canvas = self.state().canvases.pop().unwrap_or_default();
        let mut view = View::default();
        view.size = self.side;
        view.edges = Edges::Smoothed;
        let drawn = picture_on(&mut canvas, asset, &view, &mut images, seen.budget);
        let mut state = self.state();
        state.canvases.push(canvas);
        state.add_images(&images);
        drawn
    }

    fn write(&self, path: &Path, png: &[u8]) -> io::Result<()> {
        let folder = path.parent().unwrap_or(&self.folder);
        self.results.take(png.len() as u64)?;
        std::fs::create_dir_all(folder)?;
        let mut builder = Builder::new();
        builder.prefix(".meshpeek-");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let mut file = builder.tempfile_in(of_any_length(folder)).map_err(without_path)?;
        file.write_all(png)?;
        file.persist(of_any_length(path)).map_err(|error| error.error)?;
        Ok(())
    }

    /// Reports how many were drawn. Returns the number of pictures that could not be written or may lack images.
    ///
    /// # Errors
    /// Returns an error if the contact sheet could not be written.
    pub(crate) fn finish(self, notes: Notes) -> Result<u64, Failure> {
        let mut failed = 0;
        if let Some(error) = self.around.failure() {
            notes.error(format_args!("not all images are found: {}", text_of(error)));
            failed = 1;
        }
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(first) = &state.first_lost {
            let images = report::count(state.lost_images, "images");
            notes.say(format_args!("{images} missing from pictures; the first: {first}"));
        }
        if state.missing_images > 0 {
            notes.say(format_args!("{} not available", report::count(state.missing_images, "images")));
        }
        if let Some(path) = &self.sheet {
            state.sheet.write(path).map_err(|error| Failure::io(path, error))?;
            if state.sheet.cells.len() == MOST_CELLS {
                notes.say(format_args!("the contact sheet has the first {MOST_CELLS} pictures alone"));
            }
        }
        notes.say(state.counts());
        if let Some(note) = by_name_alone(state.by_name_alone) {
            notes.say(note);
        }
        if let Some(failure) = state.failure {
            let pictures = report::count(state.unwritten, "pictures");
            notes.error(format_args!("{pictures} not drawn; the first: {failure}"));
        }
        Ok(state.unwritten + failed)
    }
}

/// Charges for a picture if that leaves the rest of the budget intact.
fn pays(budget: &Budget, bytes: u64) -> bool {
    budget.can_afford(0, bytes, 0) && budget.charge_output(bytes).is_ok()
}

/// Pictures on a contact sheet.
const MOST_CELLS: usize = 4096;
/// Up to this many are as wide as the pictures, with a maximum.
const MOST_LARGE: usize = 64;
const LARGE: u32 = 256;
/// The width and height of more pictures.
const SMALL: u32 = 64;

/// A contact sheet: square pictures by name, all of one size.
#[derive(Default)]
struct Sheet {
    side: u32,
    cells: BTreeMap<String, image::RgbImage>,
}

impl Sheet {
    fn add(&mut self, name: String, picture: &Picture) {
        if self.cells.len() >= MOST_CELLS {
            return;
        }
        let side = picture.side;
        let Some(image) = image::RgbaImage::from_raw(side, side, picture.to_rgba()) else { return };
        let large = shrunk(image::DynamicImage::from(image).into_rgb8(), LARGE);
        self.side = if self.cells.len() < MOST_LARGE { large.width() } else { large.width().min(SMALL) };
        if self.cells.len() == MOST_LARGE {
            for cell in self.cells.values_mut() {
                *cell = shrunk(std::mem::take(cell), SMALL);
            }
        }
        self.cells.insert(name, shrunk(large, self.side));
    }

    /// Writes all cells in the order of their names, in rows.
    fn write(&self, path: &Path) -> std::io::Result<()> {
        let side = self.side.max(1);
        let columns = (self.cells.len() as f64).sqrt().ceil().max(1.0) as u32;
        let rows = (self.cells.len() as u32).div_ceil(columns).max(1);
        let mut sheet = image::RgbImage::from_pixel(columns * side, rows * side, image::Rgb([255; 3]));
        for (index, cell) in std::iter::zip(0_u32.., self.cells.values()) {
            let x = index % columns * side;
            let y = index / columns * side;
            image::imageops::replace(&mut sheet, cell, x.into(), y.into());
        }
        sheet.save_with_format(path, image::ImageFormat::Png).map_err(std::io::Error::other)
    }
}

/// A square picture of at most this width.
fn shrunk(picture: image::RgbImage, most: u32) -> image::RgbImage {
    if picture.width() <= most { picture } else { image::imageops::thumbnail(&picture, most, most) }
}

/// The path of an asset as a path below the folder of pictures, without the extension that all pictures have.
fn by_path(seen: &Sighting<'_, '_>) -> String {
    /// The most folders and the name. A path of more ends early; pictures of one name are numbered.
    const MOST_PARTS: usize = 64;
    let address = MemberPath::address(&seen.record.path, seen.record.member.as_ref());
    let mut parts: Vec<String> = Vec::new();
    for part in address.split(['/', '\\']) {
        if !part.is_empty() && part != "." && parts.len() < MOST_PARTS {
            parts.push(safe(part));
        }
    }
    let Some(name) = parts.pop() else { return String::new() };
    for folder in &mut parts {
        // No folder has the name of a picture.
        if folder.to_ascii_lowercase().ends_with(".png") {
            folder.push('_');
        }
    }
    parts.push(name);
    parts.join("/")
}

/// A part of a path as a name that every system allows.
fn safe(part: &str) -> String {
    let mut safe = String::new();
    for c in part.chars().take(120) {
        safe.push(if c.is_control() || ":*?\"<>|".contains(c) { '_' } else { c });
    }
    // No way out of the folder.
    if safe.chars().all(|c| c == '.') { safe.replace('.', "_") } else { safe }
}

/// The SHA-256 of the asset's bytes in hexadecimal. `None` if the budget does not cover reading them.
fn digest(seen: &Sighting<'_, '_>) -> Option<String> {
    let mut digest = Sha256::new();
    for piece in seen.data.chunks(1 << 20) {
        seen.budget.charge_work(piece.len() as u64).ok()?;
        digest.update(piece);
    }
    let mut text = String::with_capacity(64);
    for byte in digest.finalize() {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use meshpeek::Limits;

    use super::*;

    #[test]
    fn a_contact_sheet_is_the_smallest_near_square_in_the_order_of_names() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sheet.png");
        let color = |place: u32| [place as u8 * 20, 7, 255 - place as u8];
        const CELL: u32 = 5;
        for count in 0..=10_u32 {
            let mut sheet = Sheet { side: CELL, ..Sheet::default() };
            // Added in another order.
            for place in (0..count).rev() {
                sheet
                    .cells
                    .insert(format!("{place:02}"), image::RgbImage::from_pixel(CELL, CELL, image::Rgb(color(place))));
            }
            sheet.write(&path).unwrap();
            let sheet = image::open(&path).unwrap().into_rgb8();
            let columns = (1..).find(|side| side * side >= count).unwrap();
            let rows = (1..).find(|rows| rows * columns >= count).unwrap();
            let expected = if count == 0 { [CELL; 2] } else { [columns * CELL, rows * CELL] };
            assert_eq!([sheet.width(), sheet.height()], expected, "{count}");
            for (x, y, pixel) in sheet.enumerate_pixels() {
                let place = y / CELL * columns + x / CELL;
                let expected = if place < count { color(place) } else { [255; 3] };
                assert_eq!(pixel.0, expected, "{count}: {x} {y}");
            }
        }
    }

    /// `SECURITY.md`: a picture leaves the rest of the budget of its file for others.
    #[test]
    fn a_picture_is_paid_up_to_what_is_left() {
        let limits = Limits::default().with_output(1);
        let most = 1 << 20;
        for (bytes, is_paid) in [(0, true), (most - 1, true), (most, true), (most + 1, false)] {
            let budget = Budget::new(0, &limits);
            assert_eq!(pays(&budget, bytes), is_paid, "{bytes}");
            // What is not paid is not taken.
            assert_eq!(pays(&budget, most), !is_paid || bytes == 0, "{bytes}");
        }
    }
}
