//! ODOL: each section of each LOD.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{
    Alpha, Cache, Corner, Corners, Influence, Material, Matrix, Place, Primitive, Primitives, Shape, Texture, Values,
    Weights, cached, each_of_fan, fans, one, values,
};
use crate::base::error::{Context, Error, Result};
use crate::base::impl_fmt::impl_fmt;
use crate::blocks::Block;
use crate::bytes::{Element, Table, Vec2, Vec3};
use crate::formats::odol::{Encoding, Face, FaceIter, Indices, Lod, Model, Section, Tangents, UvSet, VertexTable};

/// How often the sections of a LOD may cover all of its faces. In real files each face is in one section.
const MOST_TURNS: usize = 64;

/// Flags of a section: it is hidden, either itself or because another model takes its place; its images are clamped
/// along u and v.
const HIDDEN: u32 = 1 << 22 | 1 << 28;
const CLAMPED: [u32; 2] = [1 << 14, 1 << 15];

pub(super) fn primitives<'a>(model: &Model<'a>) -> impl Iterator<Item = Result<Primitive<'a>>> + Send + use<'a> {
    let model = *model;
    let center = model.info().map_or([0.0; 3], |info| info.bounding_center);
    let world = Matrix::TURNED_MIRROR.after(&Matrix::translation(center));
    (0..model.lod_count()).flat_map(move |index| match model.lod(index) {
        Ok(Some(lod)) => {
            let resolution = model.lod_entry(index).map_or(f32::NAN, |entry| entry.resolution.0);
            let place = Place { lod: Some((index, resolution)), ..Place::new("", index, 0) };
            of_lod(Arc::new(Shared { lod, index, table: Cache::new(), arrays: Arrays::default() }), place, world)
        }
        Err(error) => one(error),
        Ok(None) => Box::new(std::iter::empty()),
    })
}

fn of_lod<'a>(shared: Arc<Shared<'a>>, place: Place<'a>, world: Matrix) -> Primitives<'a> {
    let lod = shared.lod;
    let new = move |part, faces, count, look| {
        let place = Place { part, ..place };
        Primitive::new(place, world, Faces { shared: shared.clone(), faces, count, look })
    };
    if !lod.faces.has_units() {
        return Box::new(runs(lod.faces.iter()).enumerate().map(move |(part, run)| {
            let (faces, count, texture) = run.within_item("lods", place.mesh)?;
            Ok(new(part, faces, count, Look::Texture(texture)))
        }));
    }
    if lod.sections.is_empty() {
        let all = (!lod.faces.is_empty()).then(|| new(0, lod.faces.iter(), lod.faces.len(), Look::Texture(-1)));
        return Box::new(all.into_iter().map(Ok));
    }
    let (mut faces, mut at, mut end, mut steps) = (lod.faces.iter(), 0_usize, 0_u32, 0_usize);
    let most = lod.faces.len().saturating_mul(MOST_TURNS);
    // Sections that only an editor draws, in the place of another model.
    let placeholders: BTreeSet<usize> =
        lod.proxies.iter().filter_map(|proxy| usize::try_from(proxy.section?).ok()).collect();
    let sections = lod.sections.iter().enumerate().map(move |(part, section)| {
        let units = section.start..section.end;
        if units.start < end {
            (faces, at) = (lod.faces.iter(), 0);
        }
        if steps > most {
            return Err(Error::malformed("sections that go over the same faces again and again"));
        }
        let first = faces.seek(units.start)?;
        let own = faces.clone();
        let last = faces.seek(units.end)?;
        steps = steps.saturating_add(last.saturating_sub(at));
        (at, end) = (last, units.end);
        let mut primitive = new(part, own, last.saturating_sub(first), Look::Section(section));
        primitive.place.visible = section.flags & HIDDEN == 0 && !placeholders.contains(&part);
        Ok(primitive)
    });
    // If one section cannot be found, later ones cannot be found either.
    let mut broken = false;
    Box::new(
        sections
            .take_while(move |section| !std::mem::replace(&mut broken, section.is_err()))
            .map(move |section| section.within("sections").within_item("lods", place.mesh)),
    )
}

/// Returns runs of consecutive faces with one texture, version 7's equivalent of sections: an iterator that starts with
/// them, their number and their texture.
fn runs<'a>(mut faces: FaceIter<'a>) -> impl Iterator<Item = Result<(FaceIter<'a>, usize, i16)>> + Send {
    let texture = |face: Face<'a>| face.texture.unwrap_or(-1);
    std::iter::from_fn(move || {
        let start = faces.clone();
        let first = match faces.next()? {
            Ok(face) => texture(face),
            Err(error) => return Some(Err(error)),
        };
        let (mut count, mut ahead) = (1_usize, faces.clone());
        while let Some(Ok(face)) = ahead.next()
            && texture(face) == first
        {
            count = count.saturating_add(1);
            faces = ahead.clone();
        }
        Some(Ok((start, count, first)))
    })
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

    /// Like `within`, for an array with one element per vertex. `None` if it is empty.
    fn checked<T>(
        &self,
        name: &'static str,
        array: &dyn Table,
        decode: impl FnOnce() -> Result<T>,
    ) -> Result<Option<T>> {
        if array.rows() == 0 {
            return Ok(None);
        }
        let counted = self.shared.table()?.check_count(array);
        self.within(name, counted.and_then(|()| decode()).map(Some))
    }

    /// The corners of its faces and their number.
    fn faces(&self) -> impl Iterator<Item = Result<([u32; 4], usize)>> + Send + use<'a> {
        let index = self.shared.index;
        self.faces.clone().take(self.count).map(move |face| {
            let face = face.within_item("lods", index)?;
            Ok(match face.corners {
                Indices::U16(narrow) => four(narrow, |point| point.get().into()),
                Indices::U32(wide) => four(wide, |point| point.get()),
            })
        })
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
fn four<T>(points: &[T], number: impl Fn(&T) -> u32) -> ([u32; 4], usize) {
    (std::array::from_fn(|corner| points.get(corner).map_or(u32::MAX, &number)), points.len())
}

/// Returns the directions of u and of v. Unlike normals, tangents have the sign that the engine gives them.
fn directions<'a>(tangents: &Tangents<'a>) -> Result<[Values<'a, Vec3>; 2]> {
    let (s, t): (Vec<_>, Vec<_>) =
        tangents.decode()?.into_iter().map(|[s, t]| (values::vec3(s), values::vec3(t))).unzip();
    Ok([s, t].map(|list| Values::Made(list.into())))
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
        let normals = self.shared.table()?.normals;
        let outward = || Ok(normals.decode_outward()?.into_iter().map(values::vec3).collect());
        cached(&self.shared.arrays.normals, || self.checked("normals", normals.as_table(), outward)).cloned()
    }

    fn tangents(&self) -> Result<Option<[Values<'a, Vec3>; 2]>> {
        let tangents = self.shared.table()?.tangents;
        let decode = || self.checked("tangents", tangents.as_table(), || directions(&tangents));
        cached(&self.shared.arrays.tangents, decode).cloned()
    }

    fn uv_sets(&self) -> Result<usize> {
        Ok(self.shared.table()?.uv_sets().filter(|set| set.count() > 0).count())
    }

    fn uvs(&self, set: usize) -> Result<Option<Values<'a, Vec2>>> {
        let cache = self.shared.arrays.uvs.get(set);
        let Some(set) = self.shared.table()?.uv_sets().nth(set) else { return Ok(None) };
        let decode = || self.checked("uvs", set.stored.as_table(), || coordinates(&set));
        cache.map_or_else(decode, |cache| cached(cache, decode).cloned())
    }

    fn corners(&self) -> Corners<'a> {
        Box::new(fans(self.faces()).map(|triangle| Ok(counterclockwise(triangle?))))
    }

    fn each_triangle(&self, take: &mut dyn FnMut([Corner; 3]) -> Result<()>) -> Result<()> {
        self.faces().try_for_each(|face| each_of_fan(face?, |triangle| take(counterclockwise(triangle))))
    }

    fn likely_triangles(&self) -> usize {
        self.count
    }

    fn weights(&self) -> Result<Option<Weights>> {
        let (refs, items) = (self.shared.table()?.bone_refs, self.shared.lod.bones);
        self.checked("bone_refs", &refs, || {
            let refs = refs.decode()?;
            let influences = || {
                refs.iter().enumerate().flat_map(|(vertex, one)| {
                    one.weights().iter().filter_map(move |pair| {
                        let joint = items.get(pair.bone.into())?.get();
                        Some((vertex, Influence { joint, weight: f32::from(pair.weight) / 255.0 }))
                    })
                })
            };
            Ok(Weights::new(refs.len(), influences))
        })
    }

    fn material(&self) -> Result<Option<Material<'a>>> {
        let lod = &self.shared.lod;
        let (texture, stored, name, flags) = match &self.look {
            Look::Section(section) => {
                let stored = section.material.and_then(|index| lod.materials.get(usize::try_from(index).ok()?));
                (section.texture, stored, section.material_name, section.flags)
            }
            Look::Texture(texture) => (*texture, None, None, 0),
        };
        let texture = usize::try_from(texture).ok().and_then(|index| Some((index, lod.textures.get(index)?)));
        let name = stored.as_ref().map(|material| material.name).or(name).filter(|name| !name.is_empty());
        let texture = texture.filter(|(_, name)| !name.is_empty());
        if name.is_none() && texture.is_none() {
            return Ok(None);
        }
        let two_sided = flags & 0x20 != 0;
        let mut facts = Material { two_sided, alpha: Alpha::Image, ..Material::new(name.unwrap_or_default()) };
        if let Some(material) = stored {
            let rgb = |color: crate::bytes::Color| color.to_array().first_chunk().copied().unwrap_or_default();
            facts.color = material.diffuse.to_array();
            facts.emissive = rgb(material.emissive);
            facts.specular = rgb(material.specular);
            // The exponent of the highlight. Glass has values of 200 and more.
            facts.shininess = (material.specular_power / 200.0).clamp(0.0, 1.0);
            facts.alpha = match material.render_flags.map_or(0, |flags| flags.0) {
                flags if flags & 1 << 8 != 0 => Alpha::Mask(64.0 / 255.0),
                flags if flags & 1 << 7 != 0 => Alpha::Mask(0.5),
                flags if flags & 1 << 6 != 0 => Alpha::Add,
                _ => Alpha::Image,
            };
        }
        let clamped = CLAMPED.map(|flag| flags & flag != 0);
        let texture = texture.map(|(index, name)| Texture { index: Some(index), clamped, ..Texture::new(name) });
        texture.into_iter().for_each(|texture| facts.add(texture));
        Ok(Some(facts))
    }
}
