//! Draws the triangles of a part.

use std::collections::HashMap;
use std::iter::zip;

use glam::{Vec3A, Vec4};

use super::camera::Frame;
use super::light::brightness;
use super::look::{Look, Skin, texel};
use super::mesh::{Mesh, Smooth};
use super::part::{MOST_KEPT, Part};
use super::raster::{Canvas, Color, Reach, Vertex};
use super::view::View;
use crate::base::error::Result;
use crate::base::text::Name;
use crate::budget::Reservation as Room;
use crate::bytes;
use crate::export::chosen::material;
use crate::export::cost::CORNER_WORK;
use crate::export::image::{Images, Pixels};
use crate::geometry::{Corner, Texture, UvTransform, Values};

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
        Self {
            canvas,
            frame,
            images,
            known: HashMap::new(),
            skins: Vec::new(),
            surfaces: Vec::new(),
            blended: Vec::new(),
            unsorted: 0,
            view,
            room,
        }
    }

    pub(super) fn draw(&mut self, part: &Part<'_>, mesh: &Mesh) -> Result<()> {
        if self.view.wireframe {
            return self.draw_edges(part, mesh);
        }
        let primitive = &part.primitive;
        let material = material(primitive, self.view.texture).unwrap_or(None);
        let mut skin = None;
        let mut values = Corners::default();
        if let Some(material) = &material {
            if let Some(texture) = material.base() {
                skin = self.skin(texture);
                values.set = texture.uv_set;
                values.transform = texture.transform;
            }
            if skin.is_some() {
                values.uvs = primitive.uvs(values.set).unwrap_or(None);
            }
            if material.vertex_colors {
                values.colors = primitive.colors().unwrap_or(None);
            }
        }
        let image = skin_at(&self.skins, skin);
        let look = Look::of(material.as_ref(), image, values.uvs.is_some(), values.colors.is_some());
        values.look = look;
        if !look.has_skin() {
            skin = None;
        }
        let surface = self.surfaces.len();
        if look.is_see_through() {
            self.room.hold(size_of::<Surface>() as u64)?;
            self.surfaces.push(Surface { look, skin });
        }
        self.draw_triangles(part, mesh, &values, surface, skin)
    }

    /// Draws the triangles of a part. Keeps those that show what is behind them, for this surface.
    fn draw_triangles(
        &mut self,
        part: &Part<'_>,
        mesh: &Mesh,
        values: &Corners<'_>,
        surface: usize,
        skin: Option<usize>,
    ) -> Result<()> {
        let frame = self.frame;
        let room = self.room;
        let look = values.look;
        let pixels = skin_at(&self.skins, skin).map(|skin| &skin.pixels);
        let smooth = Smooth::new(part, mesh, room)?;
        let mut triangles = part.triangles(room);
        while let Some(corners) = triangles.next()? {
            let places = corners.map(|corner| frame.place(mesh.point(&corner)));
            let Some(reach) = self.canvas.reach(places) else { continue };
            let area = reach.area().saturating_mul(PIXEL_WORK);
            room.charge_work(area)?;
            let normals = normals_of(part, mesh, smooth.as_ref(), &corners);
            let triangle = values.triangle(&corners, places, normals);
            // Draws its opaque pixels. All others are blended after everything that is solid.
            draw_solid(self.canvas, &reach, &triangle, &look, pixels);
            if !look.is_see_through() {
                continue;
            }
            // Too many to keep and sort: the others are blended in the order of the file.
            if self.blended.len() >= MOST_KEPT {
                self.unsorted = self.unsorted.saturating_add(1);
                room.charge_work(area)?;
                blend(self.canvas, &reach, &triangle, &look, pixels);
                continue;
            }
            room.hold(size_of::<Blended>() as u64)?;
            let depth = places.iter().map(|place| place.z).sum();
            self.blended.push(Blended { surface, depth, triangle });
        }
        Ok(())
    }

    /// Draws the triangles that show what is behind them, the farthest first.
    pub(super) fn blend(&mut self) -> Result<()> {
        self.room.charge_work((self.blended.len() as u64).saturating_mul(CORNER_WORK))?;
        self.blended.sort_by(|a, b| a.depth.total_cmp(&b.depth));
        for Blended { surface, triangle, .. } in &self.blended {
            let Some(reach) = self.canvas.reach(triangle.map(|vertex| vertex.place)) else { continue };
            let Some(Surface { look, skin }) = self.surfaces.get(*surface) else { continue };
            self.room.charge_work(reach.area().saturating_mul(PIXEL_WORK))?;
            let pixels = skin_at(&self.skins, *skin).map(|skin| &skin.pixels);
            blend(self.canvas, &reach, triangle, look, pixels);
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

    /// Draws the edges of the triangles of a part.
    fn draw_edges(&mut self, part: &Part<'_>, mesh: &Mesh) -> Result<()> {
        let frame = self.frame;
        let mut triangles = part.triangles(self.room);
        while let Some(corners) = triangles.next()? {
            let [a, b, c] = corners.map(|corner| frame.place(mesh.point(&corner)));
            for (from, to) in [(a, b), (b, c), (c, a)] {
                let pixels = self.canvas.line(from, to, WIRE);
                self.room.charge_work(pixels.saturating_mul(PIXEL_WORK))?;
            }
        }
        Ok(())
    }

    /// Returns the index of the image of a texture. Loads it on first use.
    fn skin(&mut self, texture: &Texture<'_>) -> Option<usize> {
        let key = (Name::from(texture.name).text, texture.is_black_clear);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let mut index = None;
        if let Some(skin) = self.load(texture) {
            index = Some(self.skins.len());
            self.skins.push(skin);
        }
        self.known.insert(key, index);
        index
    }

    fn load(&mut self, texture: &Texture<'_>) -> Option<Skin> {
        let mut pixels = self.images.pixels(texture, MOST_TEXELS, self.room)?;
        if texture.is_black_clear {
            pixels.clear_black();
        }
        if self.room.charge_and_hold(pixels.rgba.len() as u64).is_err() {
            self.images.left_out(&Name::from(texture.name).text);
            return None;
        }
        Some(Skin::new(pixels))
    }
}

fn skin_at(skins: &[Skin], index: Option<usize>) -> Option<&Skin> {
    skins.get(index?)
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

impl Default for Corners<'_> {
    fn default() -> Self {
        Self { look: Look::default(), colors: None, uvs: None, set: 0, transform: UvTransform::IDENTITY }
    }
}

impl Corners<'_> {
    fn triangle(&self, [a, b, c]: &[Corner; 3], [p, q, r]: [Vec3A; 3], [l, m, n]: [Vec3A; 3]) -> [Vertex; 3] {
        [self.vertex(a, p, l), self.vertex(b, q, m), self.vertex(c, r, n)]
    }

    fn vertex(&self, corner: &Corner, place: Vec3A, normal: Vec3A) -> Vertex {
        let mut uv = [0.0; 2];
        if let Some(uvs) = &self.uvs
            && let Some(stored) = uvs.array(corner.uv(self.set) as usize)
        {
            uv = stored;
        }
        Vertex { place, color: self.color(corner, normal), uv: self.transform.apply(uv).into() }
    }

    /// The color of a corner in the light.
    fn color(&self, corner: &Corner, normal: Vec3A) -> Vec4 {
        let mut color = self.look.color;
        if let Some(colors) = &self.colors
            && let Some(stored) = colors.array(corner.position as usize)
        {
            color = self.look.shown(stored.into());
        }
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
    for (normal, corner) in zip(&mut normals, corners) {
        if !part.has_wrong_normals
            && let Some(stored) = mesh.normal(corner)
        {
            *normal = stored;
        } else if let Some(smooth) = smooth
            && let Some(smoothed) = smooth.normal(mesh.point(corner))
        {
            *normal = smoothed;
        }
    }
    if normals.iter().sum::<Vec3A>().dot(flat) < 0.0 {
        normals = normals.map(|normal| -normal);
    }
    normals
}

/// Draws the pixels of a triangle that hide what is behind them.
fn draw_solid(canvas: &mut Canvas, reach: &Reach, triangle: &[Vertex; 3], look: &Look, skin: Option<&Pixels>) {
    match skin {
        None => canvas.fill(reach, triangle, 0.0, |color, _, seen| put(look.solid(color), seen)),
        Some(skin) => canvas
            .fill(reach, triangle, 0.0, |color, uv, seen| put(look.solid(color * texel(skin, uv, look.clamped)), seen)),
    }
}

/// Draws a pixel if there is a color for it. Returns true if there is.
#[inline]
fn put(color: Option<Color>, seen: &mut Color) -> bool {
    let Some(color) = color else { return false };
    *seen = color;
    true
}

/// Draws the other pixels of a triangle over what is behind them.
fn blend(canvas: &mut Canvas, reach: &Reach, triangle: &[Vertex; 3], look: &Look, skin: Option<&Pixels>) {
    canvas.fill(reach, triangle, NEARER, |color, uv, seen| {
        let texel = skin.map_or(Vec4::ONE, |skin| texel(skin, uv, look.clamped));
        look.blend(color * texel, seen);
        false
    });
}
