//! ODOL: each section of each LOD.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::cut::ToTheCut;
use super::fans::fans;
use super::material::{Alpha, Material, Texture, rgb};
use super::matrix::Matrix;
use super::primitive::{Cache, Corner, Corners, Place, Primitive, Primitives, Shape, TakeTriangle, cached, one};
use super::values;
use super::values::Values;
use super::weights::{Influence, Weights};
use crate::base::error::{Context, Error, Result};
use crate::base::format::Format;
use crate::base::impl_fmt::impl_fmt;
use crate::base::text::ByteStr;
use crate::blocks::Block;
use crate::bytes::{Element, Table, Vec2, Vec3};
use crate::formats::odol::{
    self, Encoding, Face, FaceIter, Indices, Lod, Model, Section, Tangents, UvSet, VertexTable,
};

/// How often the sections of a LOD may cover all of its faces. In real files each face is in one section.
const MOST_TURNS: usize = 64;

/// Flags of a section: it is hidden, either itself or because another model takes its place; its images are clamped
/// along u and v.
const HIDDEN: u32 = 1 << 22 | 1 << 28;
const CLAMPED_U: u32 = 1 << 14;
const CLAMPED_V: u32 = 1 << 15;

/// The primitives of all LODs, one LOD after the other.
pub(super) fn primitives<'a>(model: &Model<'a>) -> impl Iterator<Item = Result<Primitive<'a>>> + Send + use<'a> {
    let model = *model;
    // Positions are stored relative to this. If it cannot be read, neither can the LODs.
    let mut center = [0.0; 3];
    if let Ok(info) = model.info() {
        center = info.bounding_center;
    }
    let world = Matrix::to_common(Format::Odol).after(&Matrix::translation(center));
    let readable = (0..model.lod_count()).flat_map(move |index| of_lod(&model, index, world));
    // The table of LODs may be after the cut.
    ToTheCut::new(readable, model.whole().err())
}

fn of_lod<'a>(model: &Model<'a>, index: usize, world: Matrix) -> Primitives<'a> {
    let lod = match model.lod(index) {
        Ok(Some(lod)) => lod,
        // The model has no such LOD.
        Ok(None) => return Box::new(std::iter::empty()),
        Err(error) => return one(error),
    };
    // A LOD that can be read has an entry; NaN is the resolution of none.
    let mut resolution = f32::NAN;
    if let Some(entry) = model.lod_entry(index) {
        resolution = entry.resolution.0;
    }
    let place = Place { lod: Some((index, resolution)), ..Place::new("", index, 0) };
    let shared = Arc::new(Shared { lod, index, table: Cache::new(), arrays: Arrays::default() });
    Parts { shared, place, world }.primitives()
}

/// A LOD whose faces are primitives, part by part.
struct Parts<'a> {
    shared: Arc<Shared<'a>>,
    place: Place<'a>,
    world: Matrix,
}

impl<'a> Parts<'a> {
    fn primitives(self) -> Primitives<'a> {
        let lod = self.shared.lod;
        if !lod.faces.has_units() {
            return Box::new(Runs { faces: lod.faces.iter() }.enumerate().map(move |(part, run)| {
                let run = run.within_item("lods", self.place.mesh)?;
                Ok(self.primitive(part, run.faces, run.count, Look::Texture(run.texture)))
            }));
        }
        if !lod.sections.is_empty() {
            let mut walk = SectionWalk::new(self);
            return Box::new(
                lod.sections.iter().enumerate().map_while(move |(part, section)| walk.next(part, section)),
            );
        }
        if lod.faces.is_empty() {
            return Box::new(std::iter::empty());
        }
        let whole = self.primitive(0, lod.faces.iter(), lod.faces.len(), Look::Texture(-1));
        Box::new(std::iter::once(Ok(whole)))
    }

    fn primitive(&self, part: usize, faces: FaceIter<'a>, count: usize, look: Look<'a>) -> Primitive<'a> {
        let place = Place { part, ..self.place };
        Primitive::new(place, self.world, Faces { shared: self.shared.clone(), faces, count, look })
    }
}

/// A walk over the sections of a LOD.
struct SectionWalk<'a> {
    parts: Parts<'a>,
    /// Sections that only an editor draws, in the place of another model.
    placeholders: BTreeSet<usize>,
    /// The faces after the last section, and the index of the first of them.
    faces: FaceIter<'a>,
    at: usize,
    /// The end of the last section, an offset in the game's memory.
    end: u32,
    /// The number of faces passed so far.
    steps: usize,
    is_broken: bool,
}

impl<'a> SectionWalk<'a> {
    fn new(parts: Parts<'a>) -> Self {
        let lod = parts.shared.lod;
        let mut placeholders = BTreeSet::new();
        for proxy in lod.proxies.iter() {
            if let Some(section) = proxy.section
                && let Ok(section) = usize::try_from(section)
            {
                placeholders.insert(section);
            }
        }
        Self { parts, placeholders, faces: lod.faces.iter(), at: 0, end: 0, steps: 0, is_broken: false }
    }

    /// Returns the primitive of the next section. If one section cannot be found, later ones cannot be found either.
    fn next(&mut self, part: usize, section: Section<'a>) -> Option<Result<Primitive<'a>>> {
        if self.is_broken {
            return None;
        }
        let primitive = self.primitive(part, section);
        self.is_broken = primitive.is_err();
        Some(primitive.within("sections").within_item("lods", self.parts.place.mesh))
    }

    fn primitive(&mut self, part: usize, section: Section<'a>) -> Result<Primitive<'a>> {
        let lod = self.parts.shared.lod;
        if section.start < self.end {
            self.faces = lod.faces.iter();
            self.at = 0;
        }
        if self.steps > lod.faces.len().saturating_mul(MOST_TURNS) {
            return Err(Error::malformed("sections that go over the same faces again and again"));
        }
        let first = self.faces.seek(section.start)?;
        let own = self.faces.clone();
        let last = self.faces.seek(section.end)?;
        self.steps = self.steps.saturating_add(last.saturating_sub(self.at));
        self.at = last;
        self.end = section.end;
        let visible = section.flags & HIDDEN == 0 && !self.placeholders.contains(&part);
        let mut primitive = self.parts.primitive(part, own, last.saturating_sub(first), Look::Section(section));
        primitive.place.visible = visible;
        Ok(primitive)
    }
}

/// Runs of consecutive faces with one texture, version 7's equivalent of sections.
struct Runs<'a> {
    faces: FaceIter<'a>,
}

struct Run<'a> {
    /// Starts with the faces of the run.
    faces: FaceIter<'a>,
    count: usize,
    texture: i16,
}

impl<'a> Iterator for Runs<'a> {
    type Item = Result<Run<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        let faces = self.faces.clone();
        let texture = match self.faces.next()? {
            Ok(face) => texture_of(&face),
            Err(error) => return Some(Err(error)),
        };
        let mut count = 1_usize;
        let mut ahead = self.faces.clone();
        while let Some(Ok(face)) = ahead.next()
            && texture_of(&face) == texture
        {
            count = count.saturating_add(1);
            self.faces = ahead.clone();
        }
        Some(Ok(Run { faces, count, texture }))
    }
}

fn texture_of(face: &Face<'_>) -> i16 {
    face.texture.unwrap_or(-1)
}

/// A LOD and its table of vertices, read once on first use.
struct Shared<'a> {
    lod: Lod<'a>,
    index: usize,
    table: Cache<VertexTable<'a>>,
    arrays: Arrays<'a>,
}

/// The decoded arrays of a LOD, each decoded once for all of its sections.
#[derive(Default)]
struct Arrays<'a> {
    positions: Cache<Values<'a, Vec3>>,
    normals: Cache<Option<Values<'a, Vec3>>>,
    tangents: Cache<Option<[Values<'a, Vec3>; 2]>>,
    uvs: [Cache<Option<Values<'a, Vec2>>>; 2],
}

impl<'a> Shared<'a> {
    fn table(&self) -> Result<&VertexTable<'a>> {
        cached(&self.table, || self.lod.vertex_table().within_item("lods", self.index))
    }
}

/// The source of a section's material.
enum Look<'a> {
    Section(Section<'a>),
    Texture(i16),
}

struct Faces<'a> {
    shared: Arc<Shared<'a>>,
    faces: FaceIter<'a>,
    count: usize,
    look: Look<'a>,
}

impl_fmt!([] Debug for Faces<'_>, |faces| "Faces({} of lods[{}])", faces.count, faces.shared.index);

impl<'a> Faces<'a> {
    /// Adds the LOD to the location of an array's error.
    fn within<T>(&self, name: &'static str, result: Result<T>) -> Result<T> {
        result.within(name).within("vertex_table").within_item("lods", self.shared.index)
    }

    /// Returns false if an array is empty. Returns an error unless it has one element per vertex.
    fn has(&self, name: &'static str, array: &dyn Table) -> Result<bool> {
        if array.rows() == 0 {
            return Ok(false);
        }
        self.within(name, self.shared.table()?.check_count(array))?;
        Ok(true)
    }

    fn decode_normals(&self) -> Result<Option<Values<'a, Vec3>>> {
        let normals = self.shared.table()?.normals;
        if !self.has("normals", normals.as_table())? {
            return Ok(None);
        }
        let outward = self.within("normals", normals.decode_outward())?;
        Ok(Some(outward.into_iter().map(values::vec3).collect()))
    }

    fn decode_tangents(&self) -> Result<Option<[Values<'a, Vec3>; 2]>> {
        let tangents = self.shared.table()?.tangents;
        if !self.has("tangents", tangents.as_table())? {
            return Ok(None);
        }
        Ok(Some(self.within("tangents", directions(&tangents))?))
    }

    fn decode_uvs(&self, set: &UvSet<'a>) -> Result<Option<Values<'a, Vec2>>> {
        if !self.has("uvs", set.stored.as_table())? {
            return Ok(None);
        }
        Ok(Some(self.within("uvs", coordinates(set))?))
    }

    /// The corners of its faces and their number.
    fn faces(&self) -> impl Iterator<Item = Result<([u32; 4], usize)>> + Send + use<'a> {
        let index = self.shared.index;
        self.faces.clone().take(self.count).map(move |face| {
            let face = face.within_item("lods", index)?;
            Ok(match face.corners {
                Indices::U16(narrow) => four(narrow),
                Indices::U32(wide) => four(wide),
            })
        })
    }

    /// Returns the material of a section, if it is in the file.
    fn stored_material(&self, section: &Section<'a>) -> Option<odol::Material<'a>> {
        let index = usize::try_from(section.material?).ok()?;
        self.shared.lod.materials.get(index)
    }

    /// Returns the texture and its number, unless its name is empty.
    fn texture(&self) -> Option<(usize, ByteStr<'a>)> {
        let index = match &self.look {
            Look::Section(section) => section.texture,
            Look::Texture(texture) => *texture,
        };
        let index = usize::try_from(index).ok()?;
        let name = self.shared.lod.textures.get(index)?;
        if name.is_empty() { None } else { Some((index, name)) }
    }
}

fn in_place_or_decoded<'a, T: Element>(block: &Block<'a, T>) -> Result<Values<'a, T>> {
    match block.borrowed() {
        Some(array) => Ok(array.into()),
        None => Ok(Values::Made(block.decode()?.into_owned().into())),
    }
}

fn coordinates<'a>(set: &UvSet<'a>) -> Result<Values<'a, Vec2>> {
    if let Encoding::Float(filled) = &set.stored
        && let Some(block) = filled.block()
    {
        return in_place_or_decoded(&block);
    }
    Ok(set.decode()?.into_iter().map(values::vec2).collect())
}

/// The engine draws triangles that are clockwise in its left-handed space. The mirror makes them counterclockwise.
fn counterclockwise([a, b, c]: [u32; 3]) -> [Corner; 3] {
    [a, c, b].map(Corner::vertex)
}

/// Returns the point numbers of a face, and their count.
#[inline]
fn four<T: Copy + Into<u32>>(points: &[T]) -> ([u32; 4], usize) {
    let four = match *points {
        [a, b, c] => [a.into(), b.into(), c.into(), u32::MAX],
        [a, b, c, d, ..] => [a.into(), b.into(), c.into(), d.into()],
        // No triangle.
        _ => [u32::MAX; 4],
    };
    (four, points.len())
}

/// Returns the directions of u and of v. Unlike normals, tangents have the sign that the engine gives them.
fn directions<'a>(tangents: &Tangents<'a>) -> Result<[Values<'a, Vec3>; 2]> {
    let decoded = tangents.decode()?;
    let mut along_u = Vec::with_capacity(decoded.len());
    let mut along_v = Vec::with_capacity(decoded.len());
    for [u, v] in decoded {
        along_u.push(values::vec3(u));
        along_v.push(values::vec3(v));
    }
    Ok([Values::Made(along_u.into()), Values::Made(along_v.into())])
}

impl<'a> Shape<'a> for Faces<'a> {
    fn positions(&self) -> Result<Values<'a, Vec3>> {
        let block = self.shared.table()?.positions;
        cached(&self.shared.arrays.positions, || self.within("positions", in_place_or_decoded(&block))).cloned()
    }

    fn vertex_count(&self) -> Result<usize> {
        Ok(usize::try_from(self.shared.table()?.point_count()).unwrap_or(usize::MAX))
    }

    fn normals(&self) -> Result<Option<Values<'a, Vec3>>> {
        cached(&self.shared.arrays.normals, || self.decode_normals()).cloned()
    }

    fn tangents(&self) -> Result<Option<[Values<'a, Vec3>; 2]>> {
        cached(&self.shared.arrays.tangents, || self.decode_tangents()).cloned()
    }

    fn uv_sets(&self) -> Result<usize> {
        Ok(self.shared.table()?.uv_sets().filter(|set| set.count() > 0).count())
    }

    fn uvs(&self, set: usize) -> Result<Option<Values<'a, Vec2>>> {
        let cache = self.shared.arrays.uvs.get(set);
        let Some(set) = self.shared.table()?.uv_sets().nth(set) else { return Ok(None) };
        match cache {
            Some(cache) => cached(cache, || self.decode_uvs(&set)).cloned(),
            None => self.decode_uvs(&set),
        }
    }

    fn corners(&self) -> Corners<'a> {
        Box::new(fans(self.faces()).map(|triangle| Ok(counterclockwise(triangle?))))
    }

    fn each_triangle(&self, take: TakeTriangle<'_>) -> Result<()> {
        for face in self.faces() {
            let ([a, b, c, d], count) = face?;
            if count > 2 {
                take(counterclockwise([a, b, c]))?;
            }
            if count > 3 {
                take(counterclockwise([a, c, d]))?;
            }
        }
        Ok(())
    }

    fn likely_triangles(&self) -> usize {
        self.count
    }

    fn weights(&self) -> Result<Option<Weights>> {
        let refs = self.shared.table()?.bone_refs;
        if !self.has("bone_refs", &refs)? {
            return Ok(None);
        }
        let bones = self.shared.lod.bones;
        let refs = self.within("bone_refs", refs.decode())?;
        let influences = || {
            refs.iter().enumerate().flat_map(|(vertex, one)| {
                one.weights().iter().filter_map(move |pair| {
                    let joint = bones.get(pair.bone.into())?.get();
                    Some((vertex, Influence { joint, weight: f32::from(pair.weight) / 255.0 }))
                })
            })
        };
        Ok(Some(Weights::new(refs.len(), influences)))
    }

    fn material(&self) -> Result<Option<Material<'a>>> {
        let mut stored = None;
        let mut name = None;
        let mut flags = 0;
        if let Look::Section(section) = &self.look {
            stored = self.stored_material(section);
            name = section.material_name;
            flags = section.flags;
        }
        if let Some(stored) = &stored {
            name = Some(stored.name);
        }
        let name = name.unwrap_or_default();
        let texture = self.texture();
        if name.is_empty() && texture.is_none() {
            return Ok(None);
        }
        let two_sided = flags & 0x20 != 0;
        let mut facts = Material { two_sided, alpha: Alpha::Image, ..Material::new(name) };
        if let Some(material) = stored {
            facts.color = material.diffuse.to_array();
            facts.emissive = rgb(material.emissive);
            facts.specular = rgb(material.specular);
            // The exponent of the highlight. Glass has values of 200 and more.
            facts.shininess = (material.specular_power / 200.0).clamp(0.0, 1.0);
            if let Some(flags) = material.render_flags {
                facts.alpha = alpha(flags.0);
            }
        }
        if let Some((index, name)) = texture {
            let clamped = [flags & CLAMPED_U != 0, flags & CLAMPED_V != 0];
            facts.add(Texture { index: Some(index), clamped, ..Texture::new(name) });
        }
        Ok(Some(facts))
    }
}

/// Returns how a material with these render flags blends.
fn alpha(flags: u32) -> Alpha {
    match flags {
        _ if flags & 1 << 8 != 0 => Alpha::Mask(64.0 / 255.0),
        _ if flags & 1 << 7 != 0 => Alpha::Mask(0.5),
        _ if flags & 1 << 6 != 0 => Alpha::Add,
        _ => Alpha::Image,
    }
}
