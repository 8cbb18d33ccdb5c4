//! Draws the triangles of a part.

use std::collections::HashMap;

use glam::{Vec2, Vec3A, Vec4};

use super::camera::Frame;
use super::look::{Look, texel};
use super::mesh::{LIGHT, Mesh, Smooth};
use super::raster::{Canvas, Color, Vertex};
use super::{Part, Room, View};
use crate::base::error::Result;
use crate::base::text::Name;
use crate::bytes;
use crate::export::{Images, Pixels, material};
use crate::geometry::{Corner, Material, UvTransform, Values};

/// The cost of a pixel in bytes of work.
const PIXEL_WORK: u64 = 4;
/// The largest side of a texture. Larger images are scaled down.
const MOST_TEXELS: u32 = 1024;
/// The color of a wireframe.
const WIRE: Color = [40, 44, 52, 255];

pub(super) struct Scene<'s> {
    pub(super) canvas: &'s mut Canvas,
    pub(super) frame: Frame,
    pub(super) images: &'s mut dyn Images,
    /// By name, and whether black is transparent.
    pub(super) skins: HashMap<(String, bool), Option<Pixels>>,
    pub(super) view: &'s View<'s>,
    pub(super) room: &'s Room<'s>,
}

impl Scene<'_> {
    pub(super) fn draw(&mut self, part: &Part<'_>, mesh: &Mesh) -> Result<()> {
        let primitive = &part.primitive;
        let (frame, room) = (self.frame, self.room);
        if self.view.wireframe {
            return part.each_triangle(room, |corners| {
                let [a, b, c] = corners.map(|corner| frame.place(mesh.point(&corner)));
                [(a, b), (b, c), (c, a)].into_iter().try_for_each(|(from, to)| {
                    let steps = self.canvas.line(from, to, WIRE);
                    room.work(steps.saturating_mul(PIXEL_WORK))
                })
            });
        }
        let material = material(primitive, self.view.texture).ok().flatten();
        let texture = material.as_ref().and_then(Material::base);
        let skin = texture.and_then(|texture| {
            let load = || {
                let mut skin = self.images.pixels(texture, MOST_TEXELS, room)?;
                if texture.is_black_clear {
                    skin.clear_black();
                }
                room.hold(skin.rgba.len() as u64).is_ok().then_some(skin)
            };
            let key = (Name::from(texture.name).text, texture.is_black_clear);
            self.skins.entry(key).or_insert_with(load).as_ref()
        });
        let set = texture.map_or(0, |texture| texture.uv_set);
        let transform = texture.map_or(UvTransform::IDENTITY, |texture| texture.transform);
        let uvs = skin.and_then(|_| primitive.uvs(set).ok().flatten());
        let colors = primitive.colors().ok().flatten();
        let colors = colors.filter(|_| material.as_ref().is_some_and(|material| material.vertex_colors));
        let look = Look::of(material.as_ref(), skin, uvs.is_some());
        let smooth = Smooth::new(part, mesh, room)?;
        let canvas = &mut self.canvas;
        part.each_triangle(room, |corners| {
            let points = corners.map(|corner| mesh.point(&corner));
            let places = points.map(|point| frame.place(point));
            let Some(reach) = canvas.reach(places) else { return Ok(()) };
            room.work(reach.area().saturating_mul(PIXEL_WORK))?;
            let flat = || {
                let [a, b, c] = points;
                (b - a).cross(c - a).normalize_or_zero().dot(LIGHT)
            };
            let is_front = reach.is_front();
            let vertex = |(corner, point): (Corner, Vec3A)| {
                let stored = mesh.lit(&corner).filter(|_| !part.has_wrong_normals);
                let stored = stored.or_else(|| smooth.as_ref()?.lit(point));
                let lit = look.lit(stored.unwrap_or_else(flat), is_front);
                let color = color_of(&colors, &corner).map_or(look.color, |color| look.shown(color))
                    * Vec4::new(lit, lit, lit, 1.0);
                let uv = transform.apply(uv_of(&uvs, &corner, set).to_array());
                Vertex { place: frame.place(point), color, uv: uv.into() }
            };
            let [a, b, c] = corners;
            let [p, q, r] = points;
            let triangle = [(a, p), (b, q), (c, r)].map(vertex);
            match look.skin {
                None => canvas.fill(reach, &triangle, |color, _| look.seen(color)),
                Some(skin) => {
                    canvas.fill(reach, &triangle, |color, uv| look.seen(color * texel(skin, uv, look.clamped)));
                }
            }
            Ok(())
        })
    }
}

fn uv_of(uvs: &Option<Values<'_, bytes::Vec2>>, corner: &Corner, set: usize) -> Vec2 {
    uvs.as_ref().and_then(|all| all.array(corner.uv(set) as usize)).unwrap_or_default().into()
}

fn color_of(colors: &Option<Values<'_, bytes::Color>>, corner: &Corner) -> Option<Vec4> {
    colors.as_ref()?.array(corner.position as usize).map(Vec4::from)
}
