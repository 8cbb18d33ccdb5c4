//! MLOD: the faces of each LOD by texture and material.

use std::collections::HashMap;
use std::iter::zip;
use std::sync::Arc;

use super::fans::fans;
use super::material::{Alpha, Material, Texture};
use super::matrix::Matrix;
use super::primitive::{Cache, Corner, Corners, Place, Primitive, Primitives, Shape, cached, one};
use super::values;
use super::values::Values;
use crate::base::error::Result;
use crate::base::format::Format;
use crate::base::impl_fmt::impl_fmt;
use crate::base::text::ByteStr;
use crate::bytes::{Strided, Vec2, Vec3};
use crate::formats::mlod::{FaceFields, Lod, Model, Tag};

pub(super) fn primitives<'a>(model: Model<'a>) -> impl Iterator<Item = Result<Primitive<'a>>> + Send + 'a {
    model.lods().enumerate().flat_map(|(index, lod)| match lod {
        Ok(lod) => of_lod(index, lod),
        Err(error) => one(error),
    })
}

fn of_lod<'a>(index: usize, lod: Lod<'a>) -> Primitives<'a> {
    let place = Place { lod: Some((index, lod.resolution)), ..Place::new("", index, 0) };
    let looks = looks(&lod);
    let shared = Arc::new(Shared { lod, normals: Cache::new() });
    Box::new(looks.into_iter().enumerate().map(move |(part, look)| {
        let place = Place { part, visible: !look.is_proxy, ..place };
        let faces = Faces { shared: shared.clone(), look: Arc::new(look) };
        Ok(Primitive::new(place, Matrix::to_common(Format::Mlod), faces))
    }))
}

/// A LOD, and its normals once they are used.
struct Shared<'a> {
    lod: Lod<'a>,
    normals: Cache<Values<'a, Vec3>>,
}

/// The faces of one texture and material, each with the number of its first corner among all corners of the LOD.
#[derive(Debug)]
struct Look<'a> {
    texture: ByteStr<'a>,
    material: ByteStr<'a>,
    /// True for the faces that mark the place of another model.
    is_proxy: bool,
    faces: Vec<(&'a FaceFields, u32)>,
}

/// In the order of first use.
fn looks<'a>(lod: &Lod<'a>) -> Vec<Look<'a>> {
    let mut looks: Vec<Look<'a>> = Vec::new();
    // Keys are copies, because the hash of bytes in a map may change.
    let mut known: HashMap<(Vec<u8>, Vec<u8>, bool), usize> = HashMap::new();
    let proxies = proxies(lod);
    let mut corner = 0_u32;
    for (index, face) in lod.faces.iter().enumerate() {
        let is_proxy = proxies.get(index).copied().unwrap_or_default();
        let key = (face.texture.as_bytes().to_vec(), face.material.as_bytes().to_vec(), is_proxy);
        let place = *known.entry(key).or_insert(looks.len());
        if place == looks.len() {
            looks.push(Look { texture: face.texture, material: face.material, is_proxy, faces: Vec::new() });
        }
        if let Some(look) = looks.get_mut(place) {
            look.faces.push((face.fields, corner));
        }
        corner = corner.saturating_add(u32::try_from(face.corners().len()).unwrap_or(4));
    }
    looks
}

/// For each face, true if it belongs to a proxy. Empty if there are none.
fn proxies(lod: &Lod<'_>) -> Vec<bool> {
    let mut faces = Vec::new();
    for tag in lod.tags.iter() {
        if tag.proxy().is_none() {
            continue;
        }
        // A byte for each point, then one for each face.
        let selected = tag.data.as_bytes().get(lod.points.len()..).unwrap_or_default();
        faces.resize(lod.faces.len(), false);
        for (face, selected) in zip(&mut faces, selected) {
            *face |= *selected != 0;
        }
    }
    faces
}

struct Faces<'a> {
    shared: Arc<Shared<'a>>,
    look: Arc<Look<'a>>,
}

impl_fmt!([] Debug for Faces<'_>, |faces| "Faces({} of {:?})", faces.look.faces.len(), faces.look.texture);

impl<'a> Faces<'a> {
    /// Returns the sets of texture coordinates after the first one, which is in the faces themselves.
    fn more_uvs(&self) -> impl Iterator<Item = &'a [u8]> + '_ {
        self.shared.lod.tags.iter().filter_map(uvs_of)
    }
}

#[inline]
fn outward(normal: &Vec3) -> Vec3 {
    let [x, y, z] = normal.to_array();
    values::vec3([0.0 - x, 0.0 - y, 0.0 - z])
}

/// Returns the texture coordinates in a tag, unless they are those of the first set. A set is its number followed by
/// eight bytes for each corner of the LOD.
fn uvs_of<'a>(tag: Tag<'a>) -> Option<&'a [u8]> {
    if tag.name != "#UVSet#" {
        return None;
    }
    let (number, uvs) = tag.data.as_bytes().split_at_checked(4)?;
    if *number == [0; 4] { None } else { Some(uvs) }
}

/// Returns the texture coordinates of a corner.
#[inline]
fn uv_at(uvs: &[u8], corner: u32) -> Option<[f32; 2]> {
    let start = (corner as usize).checked_mul(8)?;
    let (u, rest) = uvs.get(start..)?.split_first_chunk()?;
    let (v, _) = rest.split_first_chunk()?;
    Some([f32::from_le_bytes(*u), f32::from_le_bytes(*v)])
}

/// Returns the corners of a face, and how many of them apply. `first` is the number of its first texture coordinates.
#[inline]
fn corners_of(face: &FaceFields, first: u32) -> ([Corner; 4], usize) {
    let count = match usize::try_from(face.corner_count.get()) {
        Ok(count) => count.min(4),
        Err(_) => 4,
    };
    let mut corners = [Corner::vertex(u32::MAX); 4];
    let mut next = first;
    for (corner, stored) in zip(&mut corners, &face.corners) {
        *corner = Corner { position: stored.point.get(), normal: stored.normal.get(), uvs: [next; 2] };
        next = next.saturating_add(1);
    }
    (corners, count)
}

impl<'a> Shape<'a> for Faces<'a> {
    fn positions(&self) -> Result<Values<'a, Vec3>> {
        let points = self.shared.lod.points;
        let stride = size_of::<crate::formats::mlod::Point>();
        Ok(Strided::within(points.as_bytes(), points.offset(), stride, 0).into())
    }

    /// Stored normals point into the body.
    fn normals(&self) -> Result<Option<Values<'a, Vec3>>> {
        let normals = || Ok(self.shared.lod.normals.iter().map(outward).collect());
        Ok(Some(cached(&self.shared.normals, normals)?.clone()))
    }

    fn uv_sets(&self) -> Result<usize> {
        Ok(self.more_uvs().count().saturating_add(1))
    }

    /// Four for each face, used or not.
    fn uvs(&self, set: usize) -> Result<Option<Values<'a, Vec2>>> {
        let faces = &self.look.faces;
        let mut list = Vec::with_capacity(faces.len().saturating_mul(4));
        let Some(further) = set.checked_sub(1) else {
            for (face, _) in faces {
                for corner in &face.corners {
                    list.push(values::vec2([corner.u.get(), corner.v.get()]));
                }
            }
            return Ok(Some(Values::Made(list.into())));
        };
        let Some(uvs) = self.more_uvs().nth(further) else { return Ok(None) };
        for &(_, first) in faces {
            for corner in 0..4 {
                let uv = uv_at(uvs, first.saturating_add(corner));
                list.push(values::vec2(uv.unwrap_or_default()));
            }
        }
        Ok(Some(Values::Made(list.into())))
    }

    fn is_indexed_by_corner(&self) -> bool {
        true
    }

    /// By their coordinates, the triangles that the tools draw are counterclockwise in their left-handed space. So they
    /// are clockwise in ours before the mirror.
    fn corners(&self) -> Corners<'a> {
        let look = self.look.clone();
        let corners = (0..look.faces.len()).filter_map(move |place| {
            let (face, _) = look.faces.get(place)?;
            let first = u32::try_from(place.saturating_mul(4)).unwrap_or(u32::MAX);
            Some(Ok(corners_of(face, first)))
        });
        Box::new(fans(corners))
    }

    fn material(&self) -> Result<Option<Material<'a>>> {
        let Look { texture, material, .. } = &*self.look;
        if texture.is_empty() && material.is_empty() {
            return Ok(None);
        }
        let mut facts = Material { alpha: Alpha::Image, ..Material::new(*material) };
        if !texture.is_empty() {
            facts.add(Texture::new(*texture));
        }
        Ok(Some(facts))
    }
}
