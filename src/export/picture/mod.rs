//! Draws a model without perspective, in the space of [`geometry`](crate::geometry).

mod camera;
mod flaw;
mod light;
mod look;
mod mesh;
mod part;
mod posed;
mod raster;
mod scene;
mod view;

use std::io::Write;

pub use flaw::Flaw;
pub use light::{AMBIENT, GROUND, LIGHTS, Light};
pub use look::hides_little;
pub use raster::Canvas;
pub use view::{Edges, View};

use self::camera::Bounds;
use self::mesh::Mesh;
use self::part::{MOST_KEPT, Part};
use self::posed::Posed;
use self::raster::Color;
use self::scene::Scene;
use super::chosen::chosen;
use super::cost::CORNER_WORK;
use super::image::{Images, MOST_SIDE, write_png};
use crate::asset::Asset;
use crate::base::error::{Error, Result};
use crate::base::format::Format;
use crate::budget::{Budget, Reservation as Room};
use crate::geometry::Corner;

/// A finished square picture.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Picture {
    /// Its width and height.
    pub side: u32,
    pixels: Vec<Color>,
    is_transparent: bool,
    /// The number of parts that cannot be read.
    pub unreadable: u64,
    /// The number of see-through triangles that are not sorted because there are too many. They are drawn in the order of
    /// the file, so some may cover triangles in front of them.
    pub unsorted: u64,
    /// The reason why it shows little.
    pub flaw: Option<Flaw>,
}

impl Picture {
    /// Red, green, blue and opacity of each pixel, rows from the top.
    pub fn to_rgba(&self) -> Vec<u8> {
        if self.is_transparent {
            return self.pixels.as_flattened().to_vec();
        }
        self.pixels.iter().flat_map(|[red, green, blue, _]| [*red, *green, *blue, 255]).collect()
    }

    /// Writes it as a PNG file.
    ///
    /// # Errors
    /// Returns the errors of the writer.
    pub fn write_png(&self, out: impl Write) -> Result<()> {
        let size = [self.side; 2];
        if self.is_transparent {
            return write_png(out, size, png::ColorType::Rgba, self.pixels.as_flattened());
        }
        let rgb: Vec<u8> = self.pixels.iter().flat_map(|[red, green, blue, _]| [*red, *green, *blue]).collect();
        write_png(out, size, png::ColorType::Rgb, &rgb)
    }
}

/// Draws an asset.
///
/// # Errors
/// Returns an error if it has no triangles that can be read or no such animation, or if drawing exceeds the budget.
pub fn picture(asset: &Asset<'_>, view: &View<'_>, images: &mut dyn Images, budget: &Budget) -> Result<Picture> {
    picture_on(&mut Canvas::default(), asset, view, images, budget)
}

/// Draws an asset on a new or used canvas.
///
/// # Errors
/// Returns the errors of [`picture`].
pub fn picture_on(
    canvas: &mut Canvas,
    asset: &Asset<'_>,
    view: &View<'_>,
    images: &mut dyn Images,
    budget: &Budget,
) -> Result<Picture> {
    let room = &Room::new(budget);
    let side = view.size.clamp(1, MOST_SIDE);
    let chosen = chosen(asset, view.lod, room)?;
    let mut unreadable = chosen.unreadable;
    let mut parts: Vec<Part<'_>> = chosen.primitives.into_iter().map(Part::new).collect();
    let posed = Posed::new(asset, view, room)?;
    let vertices = parts.iter().map(|part| part.primitive.vertex_count().unwrap_or(0)).max().unwrap_or(0) as u64;
    let is_fine = view.edges == Edges::Sampled && side <= 1024;
    let width = (side as usize).saturating_mul(if is_fine { 2 } else { 1 });
    // Positions and normals of a mesh, and their decoded source; the canvas, the picture, and the data for its edges.
    let pixels = Canvas::bytes(width).saturating_add(u64::from(side).saturating_mul(side.into()).saturating_mul(8));
    room.charge_and_hold(vertices.saturating_mul(72).saturating_add(pixels))?;
    room.hold((MOST_KEPT as u64).saturating_mul(size_of::<[Corner; 3]>() as u64))?;
    let mut mesh = Mesh::new(view.eye);
    let mut survey = Survey { format: asset.format(), room, bounds: Bounds::NONE, free: MOST_KEPT };
    for part in &mut parts {
        if !could_be_read(survey.add(part, &mut mesh, &posed))? {
            unreadable = unreadable.saturating_add(1);
        }
    }
    let Some(frame) = survey.bounds.frame(width) else {
        return Err(match unreadable {
            0 => Error::unsupported("nothing to draw: no triangles"),
            1 => Error::malformed("nothing to draw: 1 part cannot be read"),
            parts => Error::malformed(format!("nothing to draw: {parts} parts cannot be read")),
        });
    };
    let [red, green, blue] = GROUND;
    canvas.clear(width, if view.transparent { [0; 4] } else { [red, green, blue, 0] });
    let mut scene = Scene::new(canvas, frame, images, view, room);
    for part in &parts {
        // Parts that cannot be read were counted above.
        could_be_read(draw(part, &mut mesh, &posed, &mut scene, room))?;
    }
    scene.blend()?;
    let unsorted = scene.unsorted();
    let is_dark_itself = scene.has_dark_image();
    let mut flaw = canvas.flaw(GROUND);
    // A dark image shows what the file has.
    if flaw == Some(Flaw::Dark) && is_dark_itself {
        flaw = None;
    }
    let mut pixels = match view.edges {
        Edges::Sampled if is_fine => canvas.halved(),
        Edges::Sampled => canvas.picture(),
        Edges::Smoothed => canvas.smoothed(),
    };
    if view.transparent {
        divide_by_opacity(&mut pixels);
    }
    Ok(Picture { side, pixels, is_transparent: view.transparent, unreadable, unsorted, flaw })
}

/// Restores the full color of see-through pixels. Those at the edges are mixed with black.
fn divide_by_opacity(pixels: &mut [Color]) {
    for [red, green, blue, opacity] in pixels {
        if *opacity == 0 {
            continue;
        }
        for part in [red, green, blue] {
            let full = u32::from(*part).saturating_mul(255).checked_div(u32::from(*opacity)).unwrap_or(0);
            *part = u8::try_from(full).unwrap_or(u8::MAX);
        }
    }
}

/// Returns false for a part that cannot be read. It does not hide the others, unlike a limit or an error of the system.
fn could_be_read(result: Result<()>) -> Result<bool> {
    match result {
        Ok(()) => Ok(true),
        Err(error) if error.is_from_outside() => Err(error),
        Err(_) => Ok(false),
    }
}

/// The first pass over the parts, which finds the bounds of the model.
struct Survey<'r> {
    format: Format,
    room: &'r Room<'r>,
    bounds: Bounds,
    /// How many more triangles may be kept for the second pass.
    free: usize,
}

impl Survey<'_> {
    fn add(&mut self, part: &mut Part<'_>, mesh: &mut Mesh, posed: &Posed) -> Result<()> {
        mesh.place(&part.primitive, posed, self.room)?;
        let mut kept = Vec::new();
        let count = self.cover(part, mesh, &mut kept)?;
        if kept.len() < self.free {
            self.free = self.free.saturating_sub(kept.len());
            part.kept = Some(kept);
        }
        // In Arma's formats, triangles would be decoded again for each part of a mesh.
        if !matches!(self.format.name(), "odol" | "mlod") {
            self.room.charge_work(count.saturating_mul(CORNER_WORK))?;
            part.has_wrong_normals = part.primitive.has_wrong_normals().unwrap_or(false);
        }
        Ok(())
    }

    /// Extends the bounds to the triangles of a part, and keeps as many as are free. Returns their number.
    fn cover(&mut self, part: &Part<'_>, mesh: &Mesh, kept: &mut Vec<[Corner; 3]>) -> Result<u64> {
        let mut count = 0_u64;
        let mut triangles = part.triangles(self.room);
        while let Some(corners) = triangles.next()? {
            count = count.saturating_add(1);
            for corner in &corners {
                self.bounds.take(mesh.point(corner));
            }
            if kept.len() < self.free {
                kept.push(corners);
            }
        }
        Ok(count)
    }
}

/// Draws a part in the second pass.
fn draw(part: &Part<'_>, mesh: &mut Mesh, posed: &Posed, scene: &mut Scene<'_>, room: &Room<'_>) -> Result<()> {
    mesh.place(&part.primitive, posed, room)?;
    mesh.turn(&part.primitive, room)?;
    scene.draw(part, mesh)
}
