//! Draws the triangles of a part.

use std::collections::HashMap;

use glam::{Vec3A, Vec4};

use super::camera::Frame;
use super::light::brightness;
use super::look::{Look, Skin, texel};
use super::mesh::{Mesh, Smooth};
use super::raster::{Canvas, Color, Reach, Vertex};
use super::{MOST_KEPT, Part, Room, View};
use crate::base::error::Result;
use crate::base::text::Name;
use crate::bytes;
use crate::export::{CORNER_WORK, Images, Pixels, material};
use crate::geometry::{Corner, Material, Texture, UvTransform, Values};

/// The cost of a pixel in bytes of work.
const PIXEL_WORK: u64 = 4;
/// The largest side of a texture. Larger images are scaled down.
const MOST_TEXELS: u32 = 1024;
/// The color of a wireframe.
const WIRE: Color = [40, 44, 52, 255];

/// How much nearer a surface counts that is blended, so that one on another surface is visible.
const NEARER: f32 = 0.5;

pub(super) struct Scene<'s> {
    canvas: &'s mut Canvas,
    frame: Frame,
    images: &'s mut dyn Images,
    /// Indices of images by name, and whether black is transparent.
    known: HashMap<(String, bool), Option<usize>>,
    skins: Vec<Skin>,
    surfaces: Vec<Surface>,
    /// Triangles to blend when everything solid is drawn.
    blended: Vec<Blended>,
    /// The number of those that are too many to be sorted.
    unsorted: u64,
    view: &'s View<'s>,
    room: &'s Room<'s>,
}

/// The appearance of a part.
struct Surface {
    look: Look,
    skin: Option<usize>,
}

struct Blended {
    surface: usize,
    /// Towards the eye.
    depth: f32,
    triangle: [Vertex; 3],
}

impl<'s> Scene<'s> {
    pub(super) fn new(
        canvas: &'s mut Canvas,
        frame: Frame,
        images: &'s mut dyn Images,
        view: &'s View<'s>,
        room: &'s Room<'s>,
    ) -> Self {
        let (skins, surfaces, blended) = (Vec::new(), Vec::new(), Vec::new());
        Self { canvas, frame, images, known: HashMap::new(), skins, surfaces, blended, unsorted: 0, view, room }
    }

    pub(super) fn draw(&mut self, part: &Part<'_>, mesh: &Mesh) -> Result<()> {
        if self.view.wireframe {
            return self.draw_edges(part, mesh);
        }
        let primitive = &part.primitive;
        let (frame, room) = (self.frame, self.room);
        let material = material(primitive, self.view.texture).ok().flatten();
        let texture = material.as_ref().and_then(Material::base);
        let mut skin = texture.and_then(|texture| self.skin(texture));
        let set = texture.map_or(0, |texture| texture.uv_set);
        let uvs = skin.and_then(|_| primitive.uvs(set).ok().flatten());
        let has_colors = material.as_ref().is_some_and(|material| material.vertex_colors);
        let colors = if has_colors { primitive.colors().ok().flatten() } else { None };
        let image = skin.and_then(|skin| self.skins.get(skin));
        let look = Look::of(material.as_ref(), image, uvs.is_some(), colors.is_some());
        if !look.has_skin() {
            skin = None;
        }
        let transform = texture.map_or(UvTransform::IDENTITY, |texture| texture.transform);
        let values = Corners { look, colors, uvs, set, transform };
        let pixels = skin.and_then(|skin| self.skins.get(skin)).map(|skin| &skin.pixels);
        let (canvas, blended, unsorted) = (&mut *self.canvas, &mut self.blended, &mut self.unsorted);
        let surface = self.surfaces.len();
        if look.is_see_through() {
            room.hold(size_of::<Surface>() as u64)?;
            self.surfaces.push(Surface { look, skin });
        }
        let smooth = Smooth::new(part, mesh, room)?;
        part.each_triangle(room, |corners| {
            let places = corners.map(|corner| frame.place(mesh.point(&corner)));
            let Some(reach) = canvas.reach(places) else { return Ok(()) };
            let area = reach.area().saturating_mul(PIXEL_WORK);
            room.work(area)?;
            let normals = normals_of(part, mesh, smooth.as_ref(), &corners);
            let triangle = values.triangle(&corners, places, normals);
            draw_solid(canvas, &reach, &triangle, &look, pixels);
            if !look.is_see_through() {
                return Ok(());
            }
            if blended.len() >= MOST_KEPT {
                *unsorted = unsorted.saturating_add(1);
                room.work(area)?;
                blend(canvas, &reach, &triangle, &look, pixels);
                return Ok(());
            }
            room.hold(size_of::<Blended>() as u64)?;
            let depth = places.iter().map(|place| place.z).sum();
            blended.push(Blended { surface, depth, triangle });
            Ok(())
        })
    }

    /// Draws the triangles that show what is behind them, the farthest first.
    pub(super) fn blend(&mut self) -> Result<()> {
        self.room.work((self.blended.len() as u64).saturating_mul(CORNER_WORK))?;
        self.blended.sort_by(|a, b| a.depth.total_cmp(&b.depth));
        for Blended { surface, triangle, .. } in &self.blended {
            let Some(reach) = self.canvas.reach(triangle.map(|vertex| vertex.place)) else { continue };
            let Some(Surface { look, skin }) = self.surfaces.get(*surface) else { continue };
            self.room.work(reach.area().saturating_mul(PIXEL_WORK))?;
            let skin = skin.and_then(|skin| self.skins.get(skin));
            blend(self.canvas, &reach, triangle, look, skin.map(|skin| &skin.pixels));
        }
        Ok(())
    }

    /// Returns the number of see-through triangles that were drawn in the order of the file.
    pub(super) fn unsorted(&self) -> u64 {
        self.unsorted
    }

    /// Returns true if an image on the model is dark in any light.
    pub(super) fn has_dark_image(&self) -> bool {
        self.skins.iter().any(|skin| skin.is_dark)
    }

    fn draw_edges(&mut self, part: &Part<'_>, mesh: &Mesh) -> Result<()> {
        let (frame, room) = (self.frame, self.room);
        part.each_triangle(room, |corners| {
            let [a, b, c] = corners.map(|corner| frame.place(mesh.point(&corner)));
            for (from, to) in [(a, b), (b, c), (c, a)] {
                let steps = self.canvas.line(from, to, WIRE);
                room.work(steps.saturating_mul(PIXEL_WORK))?;
            }
            Ok(())
        })
    }

    /// Returns the index of the image of a texture. Loads it on first use.
    fn skin(&mut self, texture: &Texture<'_>) -> Option<usize> {
        let key = (Name::from(texture.name).text, texture.is_black_clear);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let loaded = self.load(texture);
        let index = loaded.map(|skin| {
            self.skins.push(skin);
            self.skins.len().saturating_sub(1)
        });
        self.known.insert(key, index);
        index
    }

    fn load(&mut self, texture: &Texture<'_>) -> Option<Skin> {
        let mut pixels = self.images.pixels(texture, MOST_TEXELS, self.room)?;
        if texture.is_black_clear {
            pixels.clear_black();
        }
        self.room.take(pixels.rgba.len() as u64).ok()?;
        Some(Skin::new(pixels))
    }
}

/// The values at the corners of a part.
struct Corners<'c> {
    look: Look,
    colors: Option<Values<'c, bytes::Color>>,
    uvs: Option<Values<'c, bytes::Vec2>>,
    /// The set of texture coordinates.
    set: usize,
    transform: UvTransform,
}

impl Corners<'_> {
    fn triangle(&self, [a, b, c]: &[Corner; 3], [p, q, r]: [Vec3A; 3], [l, m, n]: [Vec3A; 3]) -> [Vertex; 3] {
        [self.vertex(a, p, l), self.vertex(b, q, m), self.vertex(c, r, n)]
    }

    fn vertex(&self, corner: &Corner, place: Vec3A, normal: Vec3A) -> Vertex {
        let uv = self.uvs.as_ref().and_then(|uvs| uvs.array(corner.uv(self.set) as usize)).unwrap_or_default();
        Vertex { place, color: self.color(corner, normal), uv: self.transform.apply(uv).into() }
    }

    /// The color of a corner in the light.
    fn color(&self, corner: &Corner, normal: Vec3A) -> Vec4 {
        let stored = self.colors.as_ref().and_then(|colors| colors.array(corner.position as usize));
        let color = match stored {
            Some(stored) => self.look.shown(stored.into()),
            None => self.look.color,
        };
        let lit = if self.look.is_unlit() { 1.0 } else { brightness(normal) };
        color * Vec4::new(lit, lit, lit, 1.0)
    }
}

/// Returns the normals of the corners, on the side of the triangle that the eye sees.
fn normals_of(part: &Part<'_>, mesh: &Mesh, smooth: Option<&Smooth>, corners: &[Corner; 3]) -> [Vec3A; 3] {
    let [a, b, c] = corners.map(|corner| mesh.point(&corner));
    let mut flat = (b - a).cross(c - a).normalize_or_zero();
    if flat.z < 0.0 {
        flat = -flat;
    }
    let mut normals = [flat; 3];
    for (normal, corner) in normals.iter_mut().zip(corners) {
        let stored = if part.has_wrong_normals { None } else { mesh.normal(corner) };
        let given = stored.or_else(|| smooth?.normal(mesh.point(corner)));
        *normal = given.unwrap_or(flat);
    }
    if normals.iter().sum::<Vec3A>().dot(flat) < 0.0 {
        normals = normals.map(|normal| -normal);
    }
    normals
}

/// Draws the pixels of a triangle that hide what is behind them.
fn draw_solid(canvas: &mut Canvas, reach: &Reach, triangle: &[Vertex; 3], look: &Look, skin: Option<&Pixels>) {
    let put = |color: Vec4, seen: &mut Color| {
        let Some(color) = look.solid(color) else { return false };
        *seen = color;
        true
    };
    match skin {
        None => canvas.fill(reach, triangle, 0.0, |color, _, seen| put(color, seen)),
        Some(skin) => {
            canvas.fill(reach, triangle, 0.0, |color, uv, seen| put(color * texel(skin, uv, look.clamped), seen));
        }
    }
}

/// Draws the other pixels of a triangle over what is behind them.
fn blend(canvas: &mut Canvas, reach: &Reach, triangle: &[Vertex; 3], look: &Look, skin: Option<&Pixels>) {
    canvas.fill(reach, triangle, NEARER, |color, uv, seen| {
        let texel = skin.map_or(Vec4::ONE, |skin| texel(skin, uv, look.clamped));
        look.blend(color * texel, seen);
        false
    });
}
