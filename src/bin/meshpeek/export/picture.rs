//! A picture of a model, as a fact about it: seen from the front, a little from its left and from above, without
//! perspective, in the space of `meshpeek::geometry`.

use std::collections::HashMap;
use std::io::Cursor;

use glam::Vec3;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder, ImageFormat, ImageReader};
use meshpeek::geometry::{Alpha, Corner, Material, Primitive, Values};
use meshpeek::summary::Name;
use meshpeek::view::{Color, Vec2};
use meshpeek::{Asset, Error, Result};

use super::images::Images;
use super::raster::{Canvas, Vertex, size};
use super::room::{CORNER_WORK, Room};

/// What looking at a pixel costs, in bytes of work; what a primitive does, and the memory that it takes.
const PIXEL_WORK: u64 = 4;
const PRIMITIVE_WORK: u64 = 1024;
const PRIMITIVE_BYTES: u64 = 512;
/// The largest side of an image that is drawn with; larger ones are made smaller.
const MOST_TEXELS: u32 = 1024;
/// The largest side of an image that is decoded.
const MOST_SIDE: u32 = 8192;
const BACKGROUND: [u8; 3] = [236, 238, 240];
/// From where light comes, above and to the left of the eye: along the axes of the picture.
const LIGHT: [f32; 3] = [-0.35, 0.55, 0.76];
const UNKNOWN: [f32; 4] = [0.72, 0.72, 0.7, 1.0];

/// A finished picture, as wide as high.
pub(crate) struct Picture {
    side: u32,
    rgb: Vec<u8>,
}

impl Picture {
    pub(crate) fn to_png(&self) -> Result<Vec<u8>> {
        let mut png = Vec::new();
        let encoder = PngEncoder::new_with_quality(&mut png, CompressionType::Fast, FilterType::Adaptive);
        let written = encoder.write_image(&self.rgb, self.side, self.side, ExtendedColorType::Rgb8);
        written.map_err(|error| Error::from(std::io::Error::other(error)))?;
        Ok(png)
    }
}

/// Draws an asset.
///
/// # Errors
/// Where it has no triangles, or drawing costs more than the budget has.
pub(crate) fn draw(asset: &Asset<'_>, side: u32, images: &mut Images<'_>, room: &Room<'_>) -> Result<Picture> {
    let chosen = chosen(asset, room)?;
    let vertices = chosen.iter().map(|primitive| primitive.vertex_count().unwrap_or(0)).max().unwrap_or(0) as u64;
    let fine = if side <= 1024 { 2 } else { 1 };
    let width = side as usize * fine;
    // Places and normals of a mesh, and what they are decoded from.
    room.kept(vertices.saturating_mul(36).saturating_add(Canvas::bytes(width)))?;
    let mut frame = Frame::default();
    let mut points = Points::default();
    each(&chosen, |primitive| {
        points.of(primitive, room)?;
        each_triangle(primitive, room, |corners| {
            for corner in corners {
                frame.take(points.get(&corner));
            }
            Ok(())
        })
    })?;
    let frame = frame.sound().ok_or_else(|| Error::unsupported("nothing to draw: no triangles"))?;
    let mut scene = Scene { canvas: Canvas::new(width, BACKGROUND), frame, images, skins: HashMap::new(), room };
    each(&chosen, |primitive| {
        points.of(primitive, room)?;
        scene.draw(primitive, &points)
    })?;
    Ok(Picture { side, rgb: scene.canvas.shrunk(fine) })
}

/// The primitives that are drawn: those that the file does not hide, where there are any, and of these the ones of the
/// finest LOD that is for the eye, else of the first.
fn chosen<'a>(asset: &'a Asset<'_>, room: &Room<'_>) -> Result<Vec<Primitive<'a>>> {
    let mut best: Option<(bool, f32, Option<usize>)> = None;
    let mut chosen: Vec<Primitive<'a>> = Vec::new();
    for primitive in asset.primitives() {
        room.work(PRIMITIVE_WORK)?;
        let Ok(primitive) = primitive else { continue };
        let place = primitive.place();
        let rank = place.lod.map_or(0.0, |(_, resolution)| match resolution {
            0.0..1000.0 => resolution,
            _ => f32::INFINITY,
        });
        let lod = (!place.visible, rank, place.lod.map(|(index, _)| index));
        match best {
            Some(best) if best == lod => {}
            Some((is_hidden, rank, _)) if (is_hidden, rank) <= (lod.0, lod.1) => continue,
            _ => {
                room.give(PRIMITIVE_BYTES * chosen.len() as u64);
                chosen.clear();
                best = Some(lod);
            }
        }
        room.keep(PRIMITIVE_BYTES)?;
        chosen.push(primitive);
    }
    Ok(chosen)
}

fn each(chosen: &[Primitive<'_>], mut each: impl FnMut(&Primitive<'_>) -> Result<()>) -> Result<()> {
    for primitive in chosen {
        match each(primitive) {
            // One part that cannot be read does not hide the others.
            Err(error) if !matches!(error.kind(), meshpeek::ErrorKind::Limit { .. } | meshpeek::ErrorKind::Io(_)) => {}
            other => other?,
        }
    }
    Ok(())
}

fn each_triangle(
    primitive: &Primitive<'_>,
    room: &Room<'_>,
    mut each: impl FnMut([Corner; 3]) -> Result<()>,
) -> Result<()> {
    for corners in primitive.corners() {
        room.work(CORNER_WORK)?;
        each(corners?)?;
    }
    Ok(())
}

/// The axes of the picture: to the right, up, and towards the eye.
fn axes() -> [Vec3; 3] {
    let eye = Vec3::new(0.55, 0.42, 1.0).normalize();
    let right = Vec3::Y.cross(eye).normalize();
    [right, eye.cross(right), eye]
}

/// The places of a mesh's vertices along those axes, kept while primitives of one mesh follow each other.
#[derive(Default)]
struct Points {
    of: Option<(usize, usize, Option<usize>)>,
    list: Vec<[f32; 3]>,
}

impl Points {
    fn of(&mut self, primitive: &Primitive<'_>, room: &Room<'_>) -> Result<()> {
        let place = primitive.place();
        let key = (place.model, place.mesh, place.node);
        if self.of == Some(key) {
            return Ok(());
        }
        (self.of, self.list) = (None, Vec::new());
        room.work((primitive.vertex_count()? as u64).saturating_mul(CORNER_WORK))?;
        let (positions, world) = (primitive.positions()?, primitive.world_matrix());
        let [right, up, eye] = axes();
        self.list.extend((0..positions.len()).map(|vertex| {
            let point = Vec3::from(world.point(positions.array(vertex).unwrap_or([f32::NAN; 3])));
            [point.dot(right), point.dot(up), point.dot(eye)]
        }));
        self.of = Some(key);
        Ok(())
    }

    fn get(&self, corner: &Corner) -> [f32; 3] {
        self.list.get(corner.position as usize).copied().unwrap_or([f32::NAN; 3])
    }
}

/// What is to be seen, and how it comes into the picture.
#[derive(Clone, Copy)]
struct Frame {
    least: [f32; 2],
    most: [f32; 2],
}

impl Default for Frame {
    fn default() -> Self {
        Self { least: [f32::INFINITY; 2], most: [f32::NEG_INFINITY; 2] }
    }
}

impl Frame {
    fn take(&mut self, [x, y, z]: [f32; 3]) {
        if x.is_finite() && y.is_finite() && z.is_finite() {
            for (axis, at) in [x, y].into_iter().enumerate() {
                self.least[axis] = self.least[axis].min(at);
                self.most[axis] = self.most[axis].max(at);
            }
        }
    }

    /// Where something was taken.
    fn sound(self) -> Option<Self> {
        (self.least[0] <= self.most[0]).then_some(self)
    }

    fn place(&self, [x, y, z]: [f32; 3], width: f32) -> [f32; 3] {
        let [wide, high] = [0, 1].map(|axis| self.most[axis] - self.least[axis]);
        let middle = [0, 1].map(|axis| self.least[axis] + (self.most[axis] - self.least[axis]) / 2.0);
        let scale = width * 0.92 / wide.max(high).max(f32::MIN_POSITIVE);
        [width / 2.0 + (x - middle[0]) * scale, width / 2.0 - (y - middle[1]) * scale, z * scale]
    }
}

/// An image as it is drawn with.
struct Skin {
    size: [usize; 2],
    rgba: Vec<u8>,
}

impl Skin {
    fn at(&self, uv: [f32; 2], clamped: [bool; 2]) -> [f32; 4] {
        let texel = |axis: usize| {
            let (at, size) = (uv[axis], self.size[axis]);
            let at = if clamped[axis] { at.clamp(0.0, 1.0) } else { at - at.floor() };
            ((at * size as f32) as usize).min(size - 1)
        };
        let place = (texel(1) * self.size[0] + texel(0)) * 4;
        let texel = self.rgba.get(place..place + 4).unwrap_or(&[255; 4]);
        [0, 1, 2, 3].map(|part| f32::from(texel[part]) / 255.0)
    }
}

struct Scene<'s, 'i> {
    canvas: Canvas,
    frame: Frame,
    images: &'s mut Images<'i>,
    skins: HashMap<String, Option<Skin>>,
    room: &'s Room<'s>,
}

impl Scene<'_, '_> {
    fn draw(&mut self, primitive: &Primitive<'_>, points: &Points) -> Result<()> {
        let material = primitive.material().ok().flatten();
        let texture = material.as_ref().and_then(|material| material.textures.first());
        let key = texture.map(|texture| Name::from(texture.name).text);
        if let (Some(texture), Some(key)) = (texture, &key)
            && !self.skins.contains_key(key)
        {
            let bytes = self.images.find(texture, self.room);
            let skin = bytes.and_then(|bytes| decode(bytes, key, self.room));
            self.skins.insert(key.clone(), skin);
        }
        let skin = key.and_then(|key| self.skins.get(&key)?.as_ref());
        let normals = primitive.normals().ok().flatten();
        // Some formats make them anew for each primitive.
        let made = normals.as_ref().filter(|all| all.borrowed().is_none()).map_or(0, |all| all.len() as u64);
        self.room.work(made.saturating_mul(CORNER_WORK))?;
        let set = texture.map_or(0, |texture| texture.uv_set);
        let uvs = skin.and_then(|_| primitive.uvs(set).ok().flatten());
        let colors = primitive.colors().ok().flatten();
        let colors = colors.filter(|_| material.as_ref().is_some_and(|material| material.vertex_colors));
        let look = Look::of(material.as_ref(), skin, uvs.is_some());
        let turn = primitive.world_matrix().normals();
        let [right, up, eye] = axes();
        let [x, y, z] = LIGHT;
        let light = right * x + up * y + eye * z;
        let width = self.canvas.side() as f32;
        let (frame, room, canvas) = (self.frame, self.room, &mut self.canvas);
        each_triangle(primitive, room, |corners| {
            let points = corners.map(|corner| points.get(&corner));
            let places = points.map(|point| frame.place(point, width));
            let area = canvas.area(&places);
            if area == 0 {
                return Ok(());
            }
            room.work(area.saturating_mul(PIXEL_WORK))?;
            let is_front = size(&places) < 0.0;
            let flat = || {
                let [a, b, c] = points.map(Vec3::from);
                let [x, y, z] = (b - a).cross(c - a).normalize_or_zero().to_array();
                right * x + up * y + eye * z
            };
            let triangle = [0, 1, 2].map(|index| {
                let (corner, place) = (&corners[index], places[index]);
                let stored = normals.as_ref().and_then(|all| all.array(corner.normal as usize));
                let normal = stored.map(|stored| Vec3::from(turn(stored))).filter(|normal| *normal != Vec3::ZERO);
                let lit = look.lit(normal.unwrap_or_else(flat).dot(light), is_front);
                let [r, g, b, a] = color_of(&colors, corner).unwrap_or(look.color);
                Vertex { place, color: [r * lit, g * lit, b * lit, a], uv: uv_of(&uvs, corner, set) }
            });
            match look.skin {
                None => canvas.triangle(&triangle, |color, _| look.seen(color)),
                Some(skin) => canvas.triangle(&triangle, |color, uv| {
                    let texel = skin.at(uv, look.clamped);
                    look.seen([0, 1, 2, 3].map(|part| color[part] * texel[part]))
                }),
            }
            Ok(())
        })
    }
}

fn uv_of(uvs: &Option<Values<'_, Vec2>>, corner: &Corner, set: usize) -> [f32; 2] {
    uvs.as_ref().and_then(|all| all.array(corner.uv(set) as usize)).unwrap_or_default()
}

fn color_of(colors: &Option<Values<'_, Color>>, corner: &Corner) -> Option<[f32; 4]> {
    colors.as_ref()?.array(corner.position as usize)
}

/// How a surface is drawn.
struct Look<'s> {
    color: [f32; 4],
    skin: Option<&'s Skin>,
    clamped: [bool; 2],
    /// What is less opaque is not seen.
    seen_from: f32,
    two_sided: bool,
    unlit: bool,
}

impl<'s> Look<'s> {
    fn of(material: Option<&Material<'_>>, skin: Option<&'s Skin>, has_uvs: bool) -> Self {
        let Some(material) = material else {
            return Self {
                color: UNKNOWN,
                skin: None,
                clamped: [false; 2],
                seen_from: 0.0,
                two_sided: false,
                unlit: false,
            };
        };
        let skin = skin.filter(|_| has_uvs);
        // What a missing image would have shown is not known; without it white would tell little of the form.
        let color = match (skin, material.color) {
            (None, [r, g, b, a]) if r.min(g).min(b) > 0.9 => [UNKNOWN[0], UNKNOWN[1], UNKNOWN[2], a],
            (_, color) => color,
        };
        let seen_from = match material.alpha {
            Alpha::Opaque => 0.0,
            Alpha::Mask(from) => from.min(0.9),
            _ => 0.1,
        };
        let clamped = material.textures.first().map_or([false; 2], |texture| texture.clamped);
        Self { color, skin, clamped, seen_from, two_sided: material.two_sided, unlit: material.unlit }
    }

    /// How bright a surface is that is turned so far towards the light. Back faces, which nobody is meant to see, are
    /// darker.
    fn lit(&self, towards: f32, is_front: bool) -> f32 {
        let towards = if is_front { towards } else { -towards };
        let lit = if self.unlit { 1.0 } else { 0.32 + 0.68 * towards.max(0.0) };
        if is_front || self.two_sided { lit } else { lit * 0.45 }
    }

    /// What is seen of a color; nothing where it is too little opaque.
    fn seen(&self, [r, g, b, a]: [f32; 4]) -> Option<[u8; 3]> {
        // The cast ends at 0 and 255.
        (a >= self.seen_from).then(|| [r, g, b].map(|part| (part * 255.0) as u8))
    }
}

/// The width and height of an image of a kind that is known by its first bytes.
pub(super) fn dimensions(bytes: &[u8]) -> Option<(u32, u32)> {
    ImageReader::new(Cursor::new(bytes)).with_guessed_format().ok()?.into_dimensions().ok()
}

/// The image, made smaller where it is large; `None` where it cannot be had within the limits.
fn decode(bytes: &[u8], name: &str, room: &Room<'_>) -> Option<Skin> {
    let reader = || {
        let mut reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format().ok()?;
        // This kind has no first bytes of its own.
        if reader.format().is_none() && name.to_ascii_lowercase().ends_with(".tga") {
            reader.set_format(ImageFormat::Tga);
        }
        Some(reader)
    };
    let (width, height) = reader()?.into_dimensions().ok()?;
    if width == 0 || height == 0 || width > MOST_SIDE || height > MOST_SIDE {
        return None;
    }
    // As it is decoded, and as four bytes a pixel.
    let bytes = u64::from(width) * u64::from(height) * 12;
    room.kept(bytes).ok()?;
    let mut reader = reader()?;
    let mut limits = image::Limits::default();
    limits.max_alloc = Some(bytes.saturating_add(1 << 20));
    reader.limits(limits);
    let image = reader.decode().ok().map(|image| {
        let is_large = width > MOST_TEXELS || height > MOST_TEXELS;
        if is_large { image.thumbnail(MOST_TEXELS, MOST_TEXELS) } else { image }.into_rgba8()
    });
    room.give(bytes);
    let image = image?;
    room.keep(image.len() as u64).ok()?;
    Some(Skin { size: [image.width() as usize, image.height() as usize], rgba: image.into_raw() })
}
