//! Draws a model without perspective, in the space of [`geometry`](crate::geometry).

use std::collections::HashMap;
use std::fmt::{self, Display};
use std::io::Write;

use glam::{Affine3A, Mat3A, Mat4, Vec2, Vec3, Vec3A, Vec4, vec3a};

pub use super::raster::Canvas;

use super::image::{Images, Pixels, write_png};
use super::raster::{Color, Seen, Vertex};
use super::{CORNER_WORK, Lod, chosen, finite, material};
use crate::asset::Asset;
use crate::base::error::{Error, ErrorKind, Result};
use crate::base::text::Name;
use crate::budget::{Budget, Reservation as Room};
use crate::bytes;
use crate::geometry::{Alpha, Corner, Influence, Material, Matrix, Primitive, UvTransform, Values, Weights};

/// The cost of a pixel in bytes of work, and the memory of a primitive.
const PIXEL_WORK: u64 = 4;
const PRIMITIVE_BYTES: u64 = 768;
/// The memory of a bone with its matrices.
const BONE_BYTES: u64 = 512;
/// How many triangles are kept after the first use.
const MOST_KEPT: usize = 1 << 15;
/// The largest side of a texture. Larger images are scaled down.
const MOST_TEXELS: u32 = 1024;
/// The largest side of a picture.
const MOST_SIZE: u32 = 8192;
const BACKGROUND: Color = [236, 238, 240, 0];
/// The direction of the light, from above and to the left of the eye, in the axes of the picture.
const LIGHT: Vec3A = vec3a(-0.35, 0.55, 0.76);
const UNKNOWN: Vec4 = Vec4::new(0.72, 0.72, 0.7, 1.0);
/// The color of a wireframe.
const WIRE: Color = [40, 44, 52, 255];

/// What to draw, and how.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct View<'v> {
    /// Width and height in pixels, at most 8192.
    pub size: u32,
    /// The direction from the model to the eye. The default is from the front, a little from the left and from above.
    pub eye: [f32; 3],
    /// The time of an animation in seconds. `None`: at rest.
    pub time: Option<f32>,
    /// The name of the animation, in any case. `None`: the first.
    pub clip: Option<&'v str>,
    /// Which level of detail.
    pub lod: Lod,
    /// True for a background without color.
    pub transparent: bool,
    /// True for the edges of triangles alone.
    pub wireframe: bool,
    /// How edges are smoothed.
    pub edges: Edges,
    /// The image of surfaces that name none: a name to ask [`Images`] for.
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
    side: u32,
    pixels: Vec<Color>,
    is_transparent: bool,
    /// The number of parts that cannot be read.
    pub unreadable: u64,
    /// Why it shows little.
    pub flaw: Option<Flaw>,
}

/// Why a picture shows little.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Flaw {
    /// It is nearly black.
    Dark,
    /// It is as bright as the background.
    Faint,
    /// Nothing is visible.
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
    /// Its width and height.
    pub fn side(&self) -> u32 {
        self.side
    }

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
    let side = view.size.clamp(1, MOST_SIZE);
    let (parts, mut unreadable) = chosen(asset, view.lod, room, PRIMITIVE_BYTES)?;
    let part = |primitive| Part { primitive, triangles: None, has_wrong_normals: false };
    let mut parts: Vec<Part<'_>> = parts.into_iter().map(part).collect();
    let posed = Posed::new(asset, view, room)?;
    let vertices = parts.iter().map(|part| part.primitive.vertex_count().unwrap_or(0)).max().unwrap_or(0) as u64;
    let is_fine = view.edges == Edges::Sampled && side <= 1024;
    let width = (side as usize).saturating_mul(if is_fine { 2 } else { 1 });
    // Positions and light of a mesh, and their decoded source; the canvas, the picture, and the data for its edges.
    let pixels = Canvas::bytes(width).saturating_add(u64::from(side).saturating_mul(side.into()).saturating_mul(8));
    room.kept(vertices.saturating_mul(60).saturating_add(pixels))?;
    room.keep((MOST_KEPT as u64).saturating_mul(size_of::<[Corner; 3]>() as u64))?;
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
    canvas.clear(width, if view.transparent { [0; 4] } else { BACKGROUND });
    let mut scene = Scene { canvas, frame, images, skins: HashMap::new(), view, room };
    each(&mut parts, |part| {
        mesh.place(&part.primitive, &posed, room)?;
        mesh.light(&part.primitive, room)?;
        scene.draw(part, &mesh)
    })?;
    let seen = canvas.seen(BACKGROUND);
    let mut pixels = match view.edges {
        Edges::Sampled if is_fine => canvas.halved(),
        Edges::Sampled => canvas.picture(),
        Edges::Smoothed => canvas.smoothed(),
    };
    if view.transparent {
        // Pixels at the edges are mixed with black.
        for [red, green, blue, opacity] in pixels.iter_mut().filter(|pixel| pixel[3] > 0) {
            for part in [red, green, blue] {
                let full = u32::from(*part).saturating_mul(255).checked_div(u32::from(*opacity)).unwrap_or(0);
                *part = u8::try_from(full).unwrap_or(u8::MAX);
            }
        }
    }
    Ok(Picture { side, pixels, is_transparent: view.transparent, unreadable, flaw: Flaw::of(&seen) })
}

/// The effect of each bone at the time of the picture, by model. Empty at rest.
struct Posed(HashMap<usize, Vec<Matrix>>);

impl Posed {
    fn new(asset: &Asset<'_>, view: &View<'_>, room: &Room<'_>) -> Result<Self> {
        let mut all = HashMap::new();
        let Some(time) = view.time else { return Ok(Self(all)) };
        let mut has_clip = false;
        for rig in asset.rigs() {
            let Ok(rig) = rig else { continue };
            room.kept(BONE_BYTES.saturating_mul(rig.bones().len() as u64))?;
            let is_wanted = |name: String| view.clip.is_none_or(|wanted| name.eq_ignore_ascii_case(wanted));
            let mut clips = rig.clips().filter_map(Result::ok);
            let Some(clip) = clips.find(|clip| is_wanted(Name::from(clip.name).text)) else { continue };
            has_clip = true;
            if let Some(skins) = clip.pose_at(time)?.skin(&rig.rest()) {
                all.insert(rig.model(), skins);
            }
        }
        match view.clip {
            Some(name) if !has_clip => Err(Error::unsupported(format!("no animation is called {name}"))),
            _ => Ok(Self(all)),
        }
    }

    /// What moves the vertices of a primitive; `None` if nothing does.
    fn of<'p>(&'p self, primitive: &Primitive<'_>) -> Result<Option<Moves<'p>>> {
        let place = primitive.place();
        let Some(bones) = self.0.get(&place.model) else { return Ok(None) };
        // Nodes of Blitz3D are bones, too.
        let home = place.node.filter(|_| primitive.are_normals_smoothed()).and_then(|node| bones.get(node));
        Ok(Some(Moves { bones, home, weights: primitive.to_weights()? }))
    }
}

struct Moves<'p> {
    bones: &'p [Matrix],
    /// What moves vertices without bones.
    home: Option<&'p Matrix>,
    weights: Option<Weights>,
}

impl Moves<'_> {
    fn of(&self, vertex: usize) -> Mat4 {
        let four = self.weights.as_ref().map(|weights| weights.strongest(vertex));
        let mut sum = Mat4::ZERO;
        for Influence { joint, weight } in four.into_iter().flatten().filter(|one| one.weight > 0.0) {
            let bone = self.bones.get(joint as usize).unwrap_or(&Matrix::IDENTITY);
            sum = sum.add_mat4(&bone.glam().mul_scalar(weight));
        }
        if sum == Mat4::ZERO { self.home.unwrap_or(&Matrix::IDENTITY).glam() } else { sum }
    }
}

/// Iterates over the parts. Returns how many cannot be read.
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

/// The axes of the picture: right, up, and towards the eye.
fn axes(eye: [f32; 3]) -> Mat3A {
    let eye = Vec3A::from(finite(eye, [0.0; 3])).normalize_or(Vec3A::Z);
    let right = Vec3A::Y.cross(eye).normalize_or(Vec3A::X);
    Mat3A::from_cols(right, eye.cross(right), eye)
}

/// The vertices of a mesh in the axes of the picture, kept for consecutive primitives of one mesh.
struct Mesh {
    axes: Mat3A,
    of: Option<(usize, usize, Option<usize>)>,
    /// Along the axes of the picture.
    points: Vec<Vec3A>,
    /// The brightness at each normal; NaN for one without a direction.
    lights: Option<Vec<f32>>,
    /// For each vertex what moves it, if it is not at rest.
    moves: Option<Vec<Mat4>>,
}

impl Mesh {
    fn new(eye: [f32; 3]) -> Self {
        Self { axes: axes(eye), of: None, points: Vec::new(), lights: None, moves: None }
    }

    fn place(&mut self, primitive: &Primitive<'_>, posed: &Posed, room: &Room<'_>) -> Result<()> {
        let place = primitive.place();
        let key = (place.model, place.mesh, place.node);
        if self.of == Some(key) {
            return Ok(());
        }
        self.of = None;
        self.points.clear();
        (self.lights, self.moves) = (None, None);
        let count = primitive.vertex_count()?;
        room.work((count as u64).saturating_mul(CORNER_WORK))?;
        let eye = Mat4::from_mat3a(self.axes.transpose());
        let world = primitive.world_matrix().glam();
        let positions = primitive.positions()?;
        match posed.of(primitive)? {
            None => {
                let to_eye = Affine3A::from_mat4(eye * world);
                self.points.extend(positions.iter().map(|point| to_eye.transform_point3a(point.to_array().into())));
            }
            Some(moves) => {
                room.kept((count as u64).saturating_mul(size_of::<Mat4>() as u64))?;
                let all: Vec<Mat4> = (0..count).map(|vertex| moves.of(vertex)).collect();
                let to_eye = |(point, moved): (&bytes::Vec3, &Mat4)| {
                    let point = world.transform_point3(point.to_array().into());
                    Vec3A::from(eye.transform_point3(moved.transform_point3(point)))
                };
                self.points.extend(positions.iter().zip(&all).map(to_eye));
                self.moves = Some(all);
            }
        }
        self.of = Some(key);
        Ok(())
    }

    fn light(&mut self, primitive: &Primitive<'_>, room: &Room<'_>) -> Result<()> {
        if self.lights.is_none() {
            let normals = primitive.normals().ok().flatten();
            // Those of corners are not those of the vertices that move.
            let normals = normals.filter(|_| self.moves.is_none() || !primitive.is_indexed_by_corner());
            let count = normals.as_ref().map_or(0, Values::len);
            room.work((count as u64).saturating_mul(CORNER_WORK))?;
            let (turn, light) = (primitive.world_matrix().normals(), self.axes * LIGHT);
            let of = |(index, normal): (usize, &bytes::Vec3)| {
                let normal = Vec3::from(turn(normal.to_array()));
                let moved = self.moves.as_ref().and_then(|moves| moves.get(index));
                let normal = moved.map_or(normal, |moved| moved.transform_vector3(normal).normalize_or_zero());
                if normal == Vec3::ZERO { f32::NAN } else { Vec3A::from(normal).dot(light) }
            };
            self.lights = Some(normals.iter().flat_map(Values::iter).enumerate().map(of).collect());
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

/// Normals by position, for a mesh that has none but whose engine computes them. See
/// [`smooth_normals`](crate::geometry::smooth_normals).
struct Smooth(HashMap<[u32; 3], Vec3A>);

impl Smooth {
    fn new(part: &Part<'_>, mesh: &Mesh, room: &Room<'_>) -> Result<Option<Self>> {
        if !part.primitive.are_normals_smoothed() || mesh.lights.as_ref().is_some_and(|lights| !lights.is_empty()) {
            return Ok(None);
        }
        let mut sums: HashMap<[u32; 3], Vec3A> = HashMap::new();
        part.each_triangle(room, |corners| {
            let before = sums.len();
            let [a, b, c] = corners.map(|corner| mesh.point(&corner));
            let normal = (b - a).cross(c - a).normalize_or_zero();
            for point in [a, b, c] {
                *sums.entry(Self::key(point)).or_default() += normal;
            }
            room.kept((sums.len().saturating_sub(before) as u64).saturating_mul(64))
        })?;
        sums.values_mut().for_each(|sum| *sum = sum.normalize_or_zero());
        Ok(Some(Self(sums)))
    }

    /// Adding 0 makes -0 equal to 0.
    fn key(point: Vec3A) -> [u32; 3] {
        (point + 0.0).to_array().map(f32::to_bits)
    }

    fn lit(&self, point: Vec3A) -> Option<f32> {
        self.0.get(&Self::key(point)).filter(|normal| **normal != Vec3A::ZERO).map(|normal| normal.dot(LIGHT))
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

/// The color of a texture at some coordinates.
fn texel(pixels: &Pixels, uv: Vec2, clamped: [bool; 2]) -> Vec4 {
    #[allow(clippy::cast_possible_truncation, reason = "the cast saturates")]
    let along = |at: f32, size: u32, clamped: bool| {
        let at = if clamped { at.clamp(0.0, 1.0) } else { at - at.floor() };
        ((at * size as f32) as u32).min(size.saturating_sub(1)) as usize
    };
    let ([width, height], [clamp_u, clamp_v]) = (pixels.size, clamped);
    let row = along(uv.y, height, clamp_v).saturating_mul(width as usize);
    let at = row.saturating_add(along(uv.x, width, clamp_u));
    let texel = pixels.rgba.as_chunks().0.get(at).unwrap_or(&[255; 4]);
    Vec4::from(texel.map(f32::from)) / 255.0
}

struct Scene<'s> {
    canvas: &'s mut Canvas,
    frame: Frame,
    images: &'s mut dyn Images,
    /// By name, and whether black is see-through.
    skins: HashMap<(String, bool), Option<Pixels>>,
    view: &'s View<'s>,
    room: &'s Room<'s>,
}

impl Scene<'_> {
    fn draw(&mut self, part: &Part<'_>, mesh: &Mesh) -> Result<()> {
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
        let key = texture.map(|texture| (Name::from(texture.name).text, texture.is_black_clear));
        if let (Some(texture), Some(key)) = (texture, &key)
            && !self.skins.contains_key(key)
        {
            let mut skin = self.images.pixels(texture, MOST_TEXELS, room);
            if let Some(skin) = skin.as_mut().filter(|_| texture.is_black_clear) {
                skin.clear_black();
            }
            let skin = skin.filter(|skin| room.keep(skin.rgba.len() as u64).is_ok());
            self.skins.insert(key.clone(), skin);
        }
        let skin = key.and_then(|key| self.skins.get(&key)?.as_ref());
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

/// How a surface is drawn.
#[derive(Default)]
struct Look<'s> {
    color: Vec4,
    skin: Option<&'s Pixels>,
    clamped: [bool; 2],
    /// Colors with less opacity are invisible.
    seen_from: f32,
    two_sided: bool,
    unlit: bool,
}

impl<'s> Look<'s> {
    fn of(material: Option<&Material<'_>>, skin: Option<&'s Pixels>, has_uvs: bool) -> Self {
        let Some(material) = material else {
            return Self { color: UNKNOWN, ..Self::default() };
        };
        let skin = skin.filter(|_| has_uvs);
        let seen_from = match material.alpha {
            Alpha::Opaque => 0.0,
            Alpha::Mask(from) => from.min(0.9),
            _ => 0.1,
        };
        let clamped = material.base().map_or([false; 2], |texture| texture.clamped);
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
        #[allow(clippy::cast_possible_truncation, reason = "the cast saturates at 0 and 255")]
        let [red, green, blue] = (color.truncate() * 255.0).to_array().map(|part| part as u8);
        (color.w >= self.seen_from).then_some([red, green, blue, 255])
    }
}
