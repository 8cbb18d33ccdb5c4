//! Draws a model: seen from the front, a little from its left and from above, without perspective, in the space of
//! `meshpeek::geometry`.

use std::collections::HashMap;
use std::fmt::{self, Display};
use std::io::Cursor;

use glam::{Affine3A, Mat3A, Mat4, Vec2, Vec3A, Vec4, vec3a};
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder, ImageFormat, ImageReader};
use meshpeek::geometry::{Alpha, Corner, Material, Primitive, Values};
use meshpeek::summary::Name;
use meshpeek::view;
use meshpeek::{Asset, Error, Format, Result};

use super::images::Images;
use super::raster::{Canvas, Color, Seen, Vertex};
use super::room::{CORNER_WORK, Room};
use super::texture;

/// The cost of a pixel and of a primitive in bytes of work, and the memory of a primitive.
const PIXEL_WORK: u64 = 4;
const PRIMITIVE_WORK: u64 = 1024;
const PRIMITIVE_BYTES: u64 = 768;
/// How many triangles are kept after the first use.
const MOST_KEPT: usize = 1 << 15;
/// The largest side of a texture. Larger images are scaled down.
const MOST_TEXELS: u32 = 1024;
/// The largest side of an image that is decoded.
const MOST_SIDE: u32 = 8192;
const BACKGROUND: Color = [236, 238, 240, 0];
/// The direction of the light, from above and to the left of the eye, in the axes of the picture.
const LIGHT: Vec3A = vec3a(-0.35, 0.55, 0.76);
const UNKNOWN: Vec4 = Vec4::new(0.72, 0.72, 0.7, 1.0);

/// A finished square picture.
pub(crate) struct Picture {
    side: u32,
    rgb: Vec<[u8; 3]>,
    /// The number of parts that cannot be read.
    pub(crate) unreadable: u64,
    pub(crate) flaw: Option<Flaw>,
}

/// Why a picture shows little.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flaw {
    Dark,
    Faint,
    Empty,
}

/// A picture below this is nearly black: the mean brightness of the visible pixels, up to 255.
const DARK: u64 = 40;

impl Flaw {
    fn of(seen: &Seen) -> Option<Self> {
        match seen {
            Seen { pixels: 0, .. } => Some(Self::Empty),
            // Too little to notice.
            Seen { pixels, distinct, .. } if distinct.saturating_mul(50) < *pixels => Some(Self::Faint),
            Seen { pixels, brightness, .. } if *brightness < pixels.saturating_mul(DARK) => Some(Self::Dark),
            _ => None,
        }
    }
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
    pub(crate) fn to_png(&self) -> Result<Vec<u8>> {
        let mut png = Vec::new();
        let encoder = PngEncoder::new_with_quality(&mut png, CompressionType::Fast, FilterType::Paeth);
        let written = encoder.write_image(self.rgb.as_flattened(), self.side, self.side, ExtendedColorType::Rgb8);
        written.map_err(|error| Error::from(std::io::Error::other(error)))?;
        Ok(png)
    }
}

/// How the edges of a picture are smoothed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edges {
    /// Each pixel is the mean of four, up to a side of 1024.
    Sampled,
    /// Pixels at the background are mixed with their neighbors, which takes half the time.
    Smoothed,
}

/// Draws an asset, on a new or used canvas.
///
/// # Errors
/// Returns an error if it has no triangles, or if drawing exceeds the budget.
pub(crate) fn draw(
    asset: &Asset<'_>,
    (side, edges): (u32, Edges),
    canvas: &mut Canvas,
    images: &mut Images<'_>,
    room: &Room<'_>,
) -> Result<Picture> {
    let (mut parts, mut unreadable) = chosen(asset, room)?;
    let vertices = parts.iter().map(|part| part.primitive.vertex_count().unwrap_or(0)).max().unwrap_or(0) as u64;
    let is_fine = edges == Edges::Sampled && side <= 1024;
    let width = side as usize * if is_fine { 2 } else { 1 };
    // Positions and light of a mesh, and their decoded source; the canvas, the picture, and the data for its edges.
    let pixels = Canvas::bytes(width).saturating_add(u64::from(side) * u64::from(side) * 5);
    room.kept(vertices.saturating_mul(44).saturating_add(pixels))?;
    room.keep((MOST_KEPT * size_of::<[Corner; 3]>()) as u64)?;
    let mut mesh = Mesh::default();
    let (mut bounds, mut free) = (Bounds::NONE, MOST_KEPT);
    unreadable += each(&mut parts, |part| {
        mesh.place(&part.primitive, room)?;
        let (mut triangles, mut count) = (Vec::new(), 0_u64);
        part.each_triangle(room, |corners| {
            count += 1;
            corners.iter().for_each(|corner| bounds.take(mesh.point(corner)));
            if triangles.len() < free {
                triangles.push(corners);
            }
            Ok(())
        })?;
        if triangles.len() < free {
            free -= triangles.len();
            part.triangles = Some(triangles);
        }
        // In Arma's formats, triangles would be decoded again for each part of a mesh.
        if !matches!(asset, Asset::Odol(_) | Asset::Mlod(_)) {
            room.work(count.saturating_mul(CORNER_WORK))?;
            part.has_wrong_normals = part.primitive.has_wrong_normals().unwrap_or(false);
        }
        Ok(())
    })?;
    let frame = bounds.frame(width).ok_or_else(|| Error::unsupported("nothing to draw: no triangles"))?;
    canvas.clear(width, BACKGROUND);
    let mut scene = Scene { canvas, frame, images, skins: HashMap::new(), room };
    each(&mut parts, |part| {
        mesh.place(&part.primitive, room)?;
        mesh.light(&part.primitive, room)?;
        scene.draw(part, &mesh)
    })?;
    let seen = canvas.seen(BACKGROUND);
    let rgb = match edges {
        Edges::Sampled if is_fine => canvas.halved(),
        Edges::Sampled => canvas.picture(),
        Edges::Smoothed => canvas.smoothed(),
    };
    Ok(Picture { side, rgb, unreadable, flaw: Flaw::of(&seen) })
}

/// Selects the primitives to draw: the visible ones, if there are any, and of these the ones of the finest visual LOD,
/// else of the first LOD. Also returns how many parts cannot be read.
fn chosen<'a>(asset: &'a Asset<'_>, room: &Room<'_>) -> Result<(Vec<Part<'a>>, u64)> {
    let mut best: Option<(bool, f32, Option<usize>)> = None;
    let (mut chosen, mut unreadable): (Vec<Part<'a>>, _) = (Vec::new(), 0);
    for primitive in asset.primitives() {
        room.work(PRIMITIVE_WORK)?;
        let Ok(primitive) = primitive else {
            unreadable += 1;
            continue;
        };
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
        chosen.push(Part { primitive, triangles: None, has_wrong_normals: false });
    }
    Ok((chosen, unreadable))
}

/// Iterates over the parts. Returns how many cannot be read.
fn each<'a>(parts: &mut [Part<'a>], mut each: impl FnMut(&mut Part<'a>) -> Result<()>) -> Result<u64> {
    let mut unreadable = 0;
    for part in parts {
        match each(part) {
            // A part that cannot be read does not hide the others.
            Err(error) if !matches!(error.kind(), meshpeek::ErrorKind::Limit { .. } | meshpeek::ErrorKind::Io(_)) => {
                unreadable += 1;
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

/// The axes of the picture: right, up, and towards the eye.
fn axes() -> Mat3A {
    let eye = vec3a(0.55, 0.42, 1.0).normalize();
    let right = Vec3A::Y.cross(eye).normalize();
    Mat3A::from_cols(right, eye.cross(right), eye)
}

/// The vertices of a mesh in the axes of the picture, kept for consecutive primitives of one mesh.
#[derive(Default)]
struct Mesh {
    of: Option<(usize, usize, Option<usize>)>,
    /// Along the axes of the picture.
    points: Vec<Vec3A>,
    /// The brightness at each normal; NaN for one without a direction.
    lights: Option<Vec<f32>>,
}

impl Mesh {
    fn place(&mut self, primitive: &Primitive<'_>, room: &Room<'_>) -> Result<()> {
        let place = primitive.place();
        let key = (place.model, place.mesh, place.node);
        if self.of == Some(key) {
            return Ok(());
        }
        *self = Self::default();
        room.work((primitive.vertex_count()? as u64).saturating_mul(CORNER_WORK))?;
        let to_eye = Mat4::from_mat3a(axes().transpose()) * Mat4::from_cols_array_2d(&primitive.world_matrix().0);
        let to_eye = Affine3A::from_mat4(to_eye);
        let positions = primitive.positions()?;
        self.points.extend(positions.iter().map(|point| to_eye.transform_point3a(point.to_array().into())));
        self.of = Some(key);
        Ok(())
    }

    fn light(&mut self, primitive: &Primitive<'_>, room: &Room<'_>) -> Result<()> {
        if self.lights.is_none() {
            let normals = primitive.normals().ok().flatten();
            let count = normals.as_ref().map_or(0, Values::len);
            room.work((count as u64).saturating_mul(CORNER_WORK))?;
            let (turn, light) = (primitive.world_matrix().normals(), axes() * LIGHT);
            let of = |normal: &view::Vec3| {
                let normal = Vec3A::from(turn(normal.to_array()));
                if normal == Vec3A::ZERO { f32::NAN } else { normal.dot(light) }
            };
            self.lights = Some(normals.iter().flat_map(Values::iter).map(of).collect());
        }
        Ok(())
    }

    fn point(&self, corner: &Corner) -> Vec3A {
        self.points.get(corner.position as usize).copied().unwrap_or(Vec3A::NAN)
    }

    fn lit(&self, corner: &Corner) -> Option<f32> {
        self.lights.as_ref()?.get(corner.normal as usize).copied().filter(|light| !light.is_nan())
    }
}

/// The bounds of the visible points.
struct Bounds {
    least: Vec3A,
    most: Vec3A,
}

impl Bounds {
    const NONE: Self = Self { least: Vec3A::INFINITY, most: Vec3A::NEG_INFINITY };

    fn take(&mut self, point: Vec3A) {
        if point.is_finite() {
            self.least = self.least.min(point);
            self.most = self.most.max(point);
        }
    }

    /// The frame for a picture. `None` if there are no points.
    fn frame(&self, width: usize) -> Option<Frame> {
        let (width, size) = (width as f32, self.most - self.least);
        let scale = width * 0.92 / size.x.max(size.y).max(f32::MIN_POSITIVE);
        let (scale, middle) = (vec3a(scale, -scale, scale), (self.least + size / 2.0).with_z(0.0));
        (self.least.x <= self.most.x).then(|| Frame { scale, middle, center: vec3a(width / 2.0, width / 2.0, 0.0) })
    }
}

/// The mapping from points to the picture.
#[derive(Clone, Copy)]
struct Frame {
    middle: Vec3A,
    scale: Vec3A,
    center: Vec3A,
}

impl Frame {
    fn place(&self, point: Vec3A) -> Vec3A {
        (point - self.middle) * self.scale + self.center
    }
}

/// A decoded texture.
struct Skin {
    size: [usize; 2],
    rgba: Vec<u8>,
}

impl Skin {
    fn at(&self, uv: Vec2, clamped: [bool; 2]) -> Vec4 {
        let texel = |axis: usize| {
            let (at, size) = (uv[axis], self.size[axis]);
            let at = if clamped[axis] { at.clamp(0.0, 1.0) } else { at - at.floor() };
            ((at * size as f32) as usize).min(size - 1)
        };
        let place = (texel(1) * self.size[0] + texel(0)) * 4;
        let texel = self.rgba.get(place..place + 4).and_then(<[u8]>::first_chunk).unwrap_or(&[255; 4]);
        Vec4::from(texel.map(f32::from)) / 255.0
    }
}

struct Scene<'s, 'i> {
    canvas: &'s mut Canvas,
    frame: Frame,
    images: &'s mut Images<'i>,
    skins: HashMap<String, Option<Skin>>,
    room: &'s Room<'s>,
}

impl Scene<'_, '_> {
    fn draw(&mut self, part: &Part<'_>, mesh: &Mesh) -> Result<()> {
        let primitive = &part.primitive;
        let material = primitive.material().ok().flatten();
        let texture = material.as_ref().and_then(|material| material.textures.first());
        let key = texture.map(|texture| Name::from(texture.name).text);
        if let (Some(texture), Some(key)) = (texture, &key)
            && !self.skins.contains_key(key)
        {
            let bytes = self.images.find(texture, self.room);
            let skin = bytes.map_or(Ok(None), |bytes| decode(bytes, key, self.room));
            let skin = skin.unwrap_or_else(|TooLarge| {
                self.images.leave_out(key);
                None
            });
            self.skins.insert(key.clone(), skin);
        }
        let skin = key.and_then(|key| self.skins.get(&key)?.as_ref());
        let set = texture.map_or(0, |texture| texture.uv_set);
        let uvs = skin.and_then(|_| primitive.uvs(set).ok().flatten());
        let colors = primitive.colors().ok().flatten();
        let colors = colors.filter(|_| material.as_ref().is_some_and(|material| material.vertex_colors));
        let look = Look::of(material.as_ref(), skin, uvs.is_some());
        let (frame, room, canvas) = (self.frame, self.room, &mut self.canvas);
        part.each_triangle(room, |corners| {
            let places = corners.map(|corner| frame.place(mesh.point(&corner)));
            let Some(reach) = canvas.reach(places) else { return Ok(()) };
            room.work(reach.area().saturating_mul(PIXEL_WORK))?;
            let flat = || {
                let [a, b, c] = corners.map(|corner| mesh.point(&corner));
                (b - a).cross(c - a).normalize_or_zero().dot(LIGHT)
            };
            let triangle = [0, 1, 2].map(|index| {
                let (corner, place) = (&corners[index], places[index]);
                let stored = mesh.lit(corner).filter(|_| !part.has_wrong_normals);
                let lit = look.lit(stored.unwrap_or_else(flat), reach.is_front());
                let color = color_of(&colors, corner).map_or(look.color, |color| look.shown(color))
                    * Vec4::new(lit, lit, lit, 1.0);
                Vertex { place, color, uv: uv_of(&uvs, corner, set) }
            });
            match look.skin {
                None => canvas.fill(reach, &triangle, |color, _| look.seen(color)),
                Some(skin) => {
                    canvas.fill(reach, &triangle, |color, uv| look.seen(color * skin.at(uv, look.clamped)));
                }
            }
            Ok(())
        })
    }
}

fn uv_of(uvs: &Option<Values<'_, view::Vec2>>, corner: &Corner, set: usize) -> Vec2 {
    uvs.as_ref().and_then(|all| all.array(corner.uv(set) as usize)).unwrap_or_default().into()
}

fn color_of(colors: &Option<Values<'_, view::Color>>, corner: &Corner) -> Option<Vec4> {
    colors.as_ref()?.array(corner.position as usize).map(Vec4::from)
}

/// How a surface is drawn.
#[derive(Default)]
struct Look<'s> {
    color: Vec4,
    skin: Option<&'s Skin>,
    clamped: [bool; 2],
    /// Colors with less opacity are invisible.
    seen_from: f32,
    two_sided: bool,
    unlit: bool,
}

impl<'s> Look<'s> {
    fn of(material: Option<&Material<'_>>, skin: Option<&'s Skin>, has_uvs: bool) -> Self {
        let Some(material) = material else {
            return Self { color: UNKNOWN, ..Self::default() };
        };
        let skin = skin.filter(|_| has_uvs);
        let seen_from = match material.alpha {
            Alpha::Opaque => 0.0,
            Alpha::Mask(from) => from.min(0.9),
            _ => 0.1,
        };
        let clamped = material.textures.first().map_or([false; 2], |texture| texture.clamped);
        // An untextured surface without light would be one flat color.
        let unlit = material.unlit && skin.is_some();
        let look = Self { skin, clamped, seen_from, two_sided: material.two_sided, unlit, ..Self::default() };
        Self { color: look.shown(material.color.into()), ..look }
    }

    /// The color to show for a color of the file. The content of a missing image is unknown, and an unlit white surface
    /// would show little of the shape.
    fn shown(&self, color: Vec4) -> Vec4 {
        if self.skin.is_none() && color.truncate().min_element() > 0.9 { UNKNOWN.with_w(color.w) } else { color }
    }

    /// The brightness of a surface at this angle to the light. Back faces, which are not meant to be seen, are darker.
    fn lit(&self, towards: f32, is_front: bool) -> f32 {
        let towards = if is_front { towards } else { -towards };
        let lit = if self.unlit { 1.0 } else { 0.32 + 0.68 * towards.max(0.0) };
        if is_front || self.two_sided { lit } else { lit * 0.45 }
    }

    /// The visible color, or nothing if it is not opaque enough.
    fn seen(&self, color: Vec4) -> Option<Color> {
        // The cast saturates at 0 and 255.
        let [red, green, blue] = (color.truncate() * 255.0).to_array().map(|part| part as u8);
        (color.w >= self.seen_from).then_some([red, green, blue, 0])
    }
}

/// The width and height of an image whose kind is recognised by its first bytes.
pub(super) fn dimensions(bytes: &[u8]) -> Option<(u32, u32)> {
    ImageReader::new(Cursor::new(bytes)).with_guessed_format().ok()?.into_dimensions().ok()
}

/// Reports that an image is too large.
struct TooLarge;

/// Decodes the image and scales it down if it is large. `None` if it does not decode.
fn decode(bytes: &[u8], name: &str, room: &Room<'_>) -> Result<Option<Skin>, TooLarge> {
    if Format::sniff(bytes) == Some(Format::Paa) {
        let picture = texture::to_picture(bytes, MOST_TEXELS, room);
        return Ok(
            picture.map(|picture| Skin { size: [picture.width, picture.height].map(usize::from), rgba: picture.rgba })
        );
    }
    let reader = || {
        let mut reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format().ok()?;
        // This kind has no signature.
        if reader.format().is_none() && name.to_ascii_lowercase().ends_with(".tga") {
            reader.set_format(ImageFormat::Tga);
        }
        Some(reader)
    };
    let dimensions = reader().and_then(|reader| reader.into_dimensions().ok());
    let Some((width, height)) = dimensions.filter(|&(width, height)| width > 0 && height > 0) else { return Ok(None) };
    // Counts the decoded form, and four bytes per pixel. Decoding and scaling a pixel costs six bytes of work.
    let (pixels, smaller) = (u64::from(width) * u64::from(height), u64::from(MOST_TEXELS).pow(2) * 4);
    let (work, bytes) = (pixels.saturating_mul(6), pixels.saturating_mul(12));
    if width > MOST_SIDE || height > MOST_SIDE || !room.affords(work, 0, bytes.saturating_add(smaller)) {
        return Err(TooLarge);
    }
    if room.work(work).and_then(|()| room.keep(bytes)).is_err() {
        return Ok(None);
    }
    let Some(mut reader) = reader() else { return Ok(None) };
    let mut limits = image::Limits::default();
    limits.max_alloc = Some(bytes.saturating_add(1 << 20));
    reader.limits(limits);
    let image = reader.decode().ok().map(|image| {
        let is_large = width > MOST_TEXELS || height > MOST_TEXELS;
        if is_large { image.thumbnail(MOST_TEXELS, MOST_TEXELS) } else { image }.into_rgba8()
    });
    room.give(bytes);
    let Some(image) = image.filter(|image| room.keep(image.len() as u64).is_ok()) else { return Ok(None) };
    Ok(Some(Skin { size: [image.width() as usize, image.height() as usize], rgba: image.into_raw() }))
}
