//! A picture of a model, as a fact about it: seen from the front, a little from its left and from above, without
//! perspective, in the space of `meshpeek::geometry`.

use std::collections::HashMap;
use std::io::Cursor;

use glam::Vec3;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder, ImageFormat, ImageReader};
use meshpeek::geometry::{Alpha, Corner, Material, Place, Primitive, Values};
use meshpeek::summary::Name;
use meshpeek::view::{Color, Vec2};
use meshpeek::{Asset, Budget, Error, Result};

use super::images::Images;
use super::raster::{Canvas, Vertex};

/// What making a vertex or triangle costs, in bytes of work, and what looking at a pixel does.
const CORNER_WORK: u64 = 64;
const PIXEL_WORK: u64 = 4;
/// The largest side of an image that is drawn with; larger ones are made smaller.
const MOST_TEXELS: u32 = 1024;
/// The largest side of an image that is decoded.
const MOST_SIDE: u32 = 8192;
const BACKGROUND: [u8; 3] = [236, 238, 240];
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
pub(crate) fn draw(asset: &Asset<'_>, side: u32, images: &mut Images<'_>, budget: &Budget) -> Result<Picture> {
    let chosen = Chosen::of(asset, budget)?;
    let fine = if side <= 1024 { 2 } else { 1 };
    let width = side as usize * fine;
    // Places and normals of a mesh, and what they are decoded from.
    let held = budget.take(chosen.vertices.saturating_mul(36).saturating_add(Canvas::bytes(width)))?;
    let budget = held.budget();
    let mut frame = Frame::default();
    let mut points = Points::default();
    chosen.each(asset, |primitive| {
        points.of(primitive, budget)?;
        each_triangle(primitive, budget, |corners| {
            for corner in corners {
                frame.take(points.get(&corner));
            }
            Ok(())
        })
    })?;
    let frame = frame.sound().ok_or_else(|| Error::unsupported("nothing to draw: no triangles"))?;
    let mut scene = Scene { canvas: Canvas::new(width, BACKGROUND), frame, images, skins: HashMap::new(), budget };
    chosen.each(asset, |primitive| {
        points.of(primitive, budget)?;
        scene.draw(primitive, &points)
    })?;
    Ok(Picture { side, rgb: scene.canvas.shrunk(fine) })
}

/// Which primitives are drawn: of the LODs that are for the eye the finest, else the first with faces; what the file hides
/// only where it hides all.
#[derive(Default)]
struct Chosen {
    lod: Option<usize>,
    hidden: bool,
    /// The most that a mesh has.
    vertices: u64,
}

impl Chosen {
    fn of(asset: &Asset<'_>, budget: &Budget) -> Result<Self> {
        let mut best: Option<(f32, usize)> = None;
        let mut seen = false;
        for primitive in asset.primitives() {
            budget.work(CORNER_WORK)?;
            let Ok(primitive) = primitive else { continue };
            let place = primitive.place();
            seen |= place.visible;
            if let Some((index, resolution)) = place.lod {
                let rank = if (0.0..1000.0).contains(&resolution) { resolution } else { f32::INFINITY };
                if best.is_none_or(|(other, _)| rank < other) {
                    best = Some((rank, index));
                }
            }
        }
        let mut chosen = Self { lod: best.map(|(_, index)| index), hidden: !seen, vertices: 0 };
        let mut most = 0;
        chosen.each(asset, |primitive| {
            most = most.max(primitive.vertex_count().unwrap_or(0) as u64);
            Ok(())
        })?;
        chosen.vertices = most;
        Ok(chosen)
    }

    fn takes(&self, place: &Place<'_>) -> bool {
        place.lod.map(|(index, _)| index) == self.lod && (place.visible || self.hidden)
    }

    fn each(&self, asset: &Asset<'_>, mut each: impl FnMut(&Primitive<'_>) -> Result<()>) -> Result<()> {
        let all = asset.primitives().flatten().filter(|primitive| self.takes(primitive.place()));
        for primitive in all {
            match each(&primitive) {
                // One part that cannot be read does not hide the others.
                Err(error)
                    if !matches!(error.kind(), meshpeek::ErrorKind::Limit { .. } | meshpeek::ErrorKind::Io(_)) => {}
                other => other?,
            }
        }
        Ok(())
    }
}

fn each_triangle(
    primitive: &Primitive<'_>,
    budget: &Budget,
    mut each: impl FnMut([Corner; 3]) -> Result<()>,
) -> Result<()> {
    for corners in primitive.corners() {
        budget.work(CORNER_WORK)?;
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
    fn of(&mut self, primitive: &Primitive<'_>, budget: &Budget) -> Result<()> {
        let place = primitive.place();
        let key = (place.model, place.mesh, place.node);
        if self.of == Some(key) {
            return Ok(());
        }
        (self.of, self.list) = (None, Vec::new());
        budget.work((primitive.vertex_count()? as u64).saturating_mul(CORNER_WORK))?;
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
        [width / 2.0 + (x - middle[0]) * scale, width / 2.0 - (y - middle[1]) * scale, z]
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

struct Scene<'s, 'i, 'b> {
    canvas: Canvas,
    frame: Frame,
    images: &'s mut Images<'i>,
    skins: HashMap<String, Option<Skin>>,
    budget: &'b Budget,
}

impl Scene<'_, '_, '_> {
    fn draw(&mut self, primitive: &Primitive<'_>, points: &Points) -> Result<()> {
        let material = primitive.material().ok().flatten();
        let texture = material.as_ref().and_then(|material| material.textures.first());
        let key = texture.map(|texture| Name::from(texture.name).text);
        if let (Some(texture), Some(key)) = (texture, &key)
            && !self.skins.contains_key(key)
        {
            let bytes = self.images.find(texture, self.budget);
            let skin = bytes.and_then(|bytes| decode(bytes, key, self.budget));
            self.skins.insert(key.clone(), skin);
        }
        let skin = key.and_then(|key| self.skins.get(&key)?.as_ref());
        let normals = primitive.normals().ok().flatten();
        let set = texture.map_or(0, |texture| texture.uv_set);
        let uvs = skin.and_then(|_| primitive.uvs(set).ok().flatten());
        let colors = primitive.colors().ok().flatten();
        let colors = colors.filter(|_| material.as_ref().is_some_and(|material| material.vertex_colors));
        let look = Look::of(material.as_ref(), skin, uvs.is_some());
        let turn = primitive.world_matrix().normals();
        let [right, up, eye] = axes();
        let width = self.canvas.side() as f32;
        let (frame, budget, canvas) = (self.frame, self.budget, &mut self.canvas);
        each_triangle(primitive, budget, |corners| {
            let places = corners.map(|corner| points.get(&corner));
            let flat = || {
                let [a, b, c] = places.map(Vec3::from);
                (b - a).cross(c - a).normalize_or_zero().to_array()
            };
            let vertex = |corner: &Corner, place: [f32; 3]| {
                let stored = normals.as_ref().and_then(|all| all.array(corner.normal as usize));
                let normal = stored.map(|stored| Vec3::from(turn(stored))).filter(|normal| *normal != Vec3::ZERO);
                Vertex {
                    place: frame.place(place, width),
                    normal: normal.map_or_else(flat, |normal| [normal.dot(right), normal.dot(up), normal.dot(eye)]),
                    uv: uv_of(&uvs, corner, set),
                    color: color_of(&colors, corner).unwrap_or(look.color),
                }
            };
            let [a, b, c] = corners;
            let triangle = [vertex(&a, places[0]), vertex(&b, places[1]), vertex(&c, places[2])];
            budget.work(canvas.area(&triangle).saturating_mul(PIXEL_WORK))?;
            canvas.triangle(&triangle, |point, is_front| look.shade(point, is_front));
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

    /// Front faces by their normals, from a light above and to the left of the eye; back faces, which nobody is meant to
    /// see, darker.
    fn shade(&self, point: &Vertex, is_front: bool) -> Option<[u8; 3]> {
        let texel = self.skin.map_or([1.0; 4], |skin| skin.at(point.uv, self.clamped));
        let [r, g, b, a] = [0, 1, 2, 3].map(|part| point.color[part] * texel[part]);
        if a < self.seen_from {
            return None;
        }
        let light = Vec3::new(-0.35, 0.55, 0.76);
        let normal = Vec3::from(point.normal).normalize_or_zero() * if is_front { 1.0 } else { -1.0 };
        let lit = if self.unlit { 1.0 } else { 0.32 + 0.68 * normal.dot(light).max(0.0) };
        let lit = if is_front || self.two_sided { lit } else { lit * 0.45 };
        Some([r, g, b].map(|part| (part * lit * 255.0).clamp(0.0, 255.0) as u8))
    }
}

/// The width and height of an image of a kind that is known by its first bytes.
pub(super) fn dimensions(bytes: &[u8]) -> Option<(u32, u32)> {
    ImageReader::new(Cursor::new(bytes)).with_guessed_format().ok()?.into_dimensions().ok()
}

/// The image, made smaller where it is large; `None` where it cannot be had within the limits.
fn decode(bytes: &[u8], name: &str, budget: &Budget) -> Option<Skin> {
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
    let _held = budget.take(bytes).ok()?;
    let mut reader = reader()?;
    let mut limits = image::Limits::default();
    limits.max_alloc = Some(bytes.saturating_add(1 << 20));
    reader.limits(limits);
    let mut image = reader.decode().ok()?;
    if width > MOST_TEXELS || height > MOST_TEXELS {
        image = image.thumbnail(MOST_TEXELS, MOST_TEXELS);
    }
    let image = image.into_rgba8();
    Some(Skin { size: [image.width() as usize, image.height() as usize], rgba: image.into_raw() })
}
