//! Draws a model without perspective, in the space of [`geometry`](crate::geometry).

mod camera;
mod light;
mod look;
mod mesh;
mod posed;
mod raster;
mod scene;

use std::fmt::{self, Display};
use std::io::Write;

pub use light::{AMBIENT, GROUND, LIGHTS, Light};
pub use look::hides_little;
pub use raster::Canvas;

use self::camera::Bounds;
use self::mesh::Mesh;
use self::posed::Posed;
use self::raster::Color;
use self::scene::Scene;
use super::image::{Images, MOST_SIDE, write_png};
use super::{CORNER_WORK, Lod, chosen};
use crate::asset::Asset;
use crate::base::error::{Error, ErrorKind, Result};
use crate::budget::{Budget, Reservation as Room};
use crate::geometry::{Corner, Primitive};

/// How many triangles are kept after the first use.
const MOST_KEPT: usize = 1 << 15;

/// The options of a picture.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct View<'v> {
    /// Width and height in pixels, at most 8192.
    pub size: u32,
    /// The direction from the model to the eye. The default is from the front, a little from the left and from above.
    pub eye: [f32; 3],
    /// The time of an animation in seconds. `None`: the rest pose.
    pub time: Option<f32>,
    /// The name of the animation, ignoring case. `None`: the first.
    pub clip: Option<&'v str>,
    /// The level of detail.
    pub lod: Lod,
    /// True for a transparent background.
    pub transparent: bool,
    /// True to draw only the edges of triangles.
    pub wireframe: bool,
    /// How edges are smoothed.
    pub edges: Edges,
    /// The image for surfaces that name none, as a name for [`Images`].
    pub texture: Option<&'v str>,
}

impl Default for View<'_> {
    fn default() -> Self {
        Self {
            size: 512,
            eye: [0.55, 0.42, 1.0],
            time: None,
            clip: None,
            lod: Lod::Finest,
            transparent: false,
            wireframe: false,
            edges: Edges::Sampled,
            texture: None,
        }
    }
}

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

/// The reason why a picture shows little.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Flaw {
    /// It is nearly black, though the images on the model are not.
    Dark,
    /// It is as bright as the background.
    Faint,
    /// Nothing is visible.
    Empty,
}

impl Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Dark => "the picture is nearly black",
            Self::Faint => "the picture is nearly empty: the model is as bright as the background",
            Self::Empty => "the picture is empty: all triangles are see-through or have no area",
        })
    }
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

/// How the edges of a picture are smoothed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Edges {
    /// Each pixel is the mean of four, up to a side of 1024.
    #[default]
    Sampled,
    /// Pixels at the background are mixed with their neighbors, which takes half the time.
    Smoothed,
}

/// Draws an asset.
///
/// # Errors
/// Returns an error if it has no triangles or no such animation, or if drawing exceeds the budget.
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
    let (parts, mut unreadable) = chosen(asset, view.lod, room)?;
    let part = |primitive| Part { primitive, triangles: None, has_wrong_normals: false };
    let mut parts: Vec<Part<'_>> = parts.into_iter().map(part).collect();
    let posed = Posed::new(asset, view, room)?;
    let vertices = parts.iter().map(|part| part.primitive.vertex_count().unwrap_or(0)).max().unwrap_or(0) as u64;
    let is_fine = view.edges == Edges::Sampled && side <= 1024;
    let width = (side as usize).saturating_mul(if is_fine { 2 } else { 1 });
    // Positions and normals of a mesh, and their decoded source; the canvas, the picture, and the data for its edges.
    let pixels = Canvas::bytes(width).saturating_add(u64::from(side).saturating_mul(side.into()).saturating_mul(8));
    room.take(vertices.saturating_mul(72).saturating_add(pixels))?;
    room.hold((MOST_KEPT as u64).saturating_mul(size_of::<[Corner; 3]>() as u64))?;
    let mut mesh = Mesh::new(view.eye);
    let (mut bounds, mut free) = (Bounds::NONE, MOST_KEPT);
    let lost = each(&mut parts, |part| {
        mesh.place(&part.primitive, &posed, room)?;
        let (mut triangles, mut count) = (Vec::new(), 0_u64);
        part.each_triangle(room, |corners| {
            count = count.saturating_add(1);
            corners.iter().for_each(|corner| bounds.take(mesh.point(corner)));
            if triangles.len() < free {
                triangles.push(corners);
            }
            Ok(())
        })?;
        if triangles.len() < free {
            free = free.saturating_sub(triangles.len());
            part.triangles = Some(triangles);
        }
        // In Arma's formats, triangles would be decoded again for each part of a mesh.
        if !matches!(asset.format().name(), "odol" | "mlod") {
            room.work(count.saturating_mul(CORNER_WORK))?;
            part.has_wrong_normals = part.primitive.has_wrong_normals().unwrap_or(false);
        }
        Ok(())
    })?;
    unreadable = unreadable.saturating_add(lost);
    let frame = bounds.frame(width).ok_or_else(|| Error::unsupported("nothing to draw: no triangles"))?;
    let [red, green, blue] = GROUND;
    canvas.clear(width, if view.transparent { [0; 4] } else { [red, green, blue, 0] });
    let mut scene = Scene::new(canvas, frame, images, view, room);
    each(&mut parts, |part| {
        mesh.place(&part.primitive, &posed, room)?;
        mesh.turn(&part.primitive, room)?;
        scene.draw(part, &mesh)
    })?;
    scene.blend()?;
    let (is_dark_itself, unsorted) = (scene.has_dark_image(), scene.unsorted());
    // A dark image shows what the file has.
    let flaw = canvas.flaw(GROUND).filter(|flaw| *flaw != Flaw::Dark || !is_dark_itself);
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

/// Calls `each` with each part. Returns the number of parts that cannot be read.
fn each<'a>(parts: &mut [Part<'a>], mut each: impl FnMut(&mut Part<'a>) -> Result<()>) -> Result<u64> {
    let mut unreadable = 0_u64;
    for part in parts {
        match each(part) {
            // A part that cannot be read does not hide the others.
            Err(error) if !matches!(error.kind(), ErrorKind::Limit { .. } | ErrorKind::Io(_)) => {
                unreadable = unreadable.saturating_add(1);
            }
            other => other?,
        }
    }
    Ok(unreadable)
}

/// A part of the drawing: one primitive.
struct Part<'a> {
    primitive: Primitive<'a>,
    /// Its triangles, if they are kept.
    triangles: Option<Vec<[Corner; 3]>>,
    /// If true, it is lit by the direction of its triangles instead.
    has_wrong_normals: bool,
}

impl Part<'_> {
    fn each_triangle(&self, room: &Room<'_>, mut each: impl FnMut([Corner; 3]) -> Result<()>) -> Result<()> {
        if let Some(triangles) = &self.triangles {
            return triangles.iter().try_for_each(|corners| each(*corners));
        }
        for corners in self.primitive.corners() {
            room.work(CORNER_WORK)?;
            each(corners?)?;
        }
        Ok(())
    }
}
