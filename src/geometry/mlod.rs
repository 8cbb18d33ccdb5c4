//! MLOD: the faces of each LOD by texture and material.

use std::collections::HashMap;
use std::sync::Arc;

use super::{
    Alpha, Cache, Corner, Corners, Material, Matrix, Place, Primitive, Primitives, Shape, Texture, Values, cached,
    fans, one, values,
};
use crate::base::error::Result;
use crate::base::impl_fmt::impl_fmt;
use crate::base::text::ByteStr;
use crate::bytes::{Strided, Vec2, Vec3};
use crate::formats::mlod::{FaceFields, Lod, Model};

pub(super) fn primitives<'a>(model: Model<'a>) -> impl Iterator<Item = Result<Primitive<'a>>> + Send + 'a {
    model.lods().enumerate().flat_map(|(index, lod)| lod.map_or_else(one, |lod| of_lod(index, lod)))
}

fn of_lod<'a>(index: usize, lod: Lod<'a>) -> Primitives<'a> {
    let place = Place { lod: Some((index, lod.resolution)), ..Place::new("", index, 0) };
    let looks = looks(&lod);
    let shared = Arc::new(Shared { lod, normals: Cache::new() });
    Box::new(looks.into_iter().enumerate().map(move |(part, look)| {
        let place = Place { part, visible: !look.is_proxy, ..place };
        let faces = Faces { shared: shared.clone(), look: Arc::new(look) };
        Ok(Primitive::new(place, Matrix::TURNED_MIRROR, faces))
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
        let is_proxy = proxies.get(index).is_some_and(|proxy| *proxy);
        let key = (face.texture.as_bytes().to_vec(), face.material.as_bytes().to_vec(), is_proxy);
        let index = *known.entry(key).or_insert_with(|| {
            looks.push(Look { texture: face.texture, material: face.material, is_proxy, faces: Vec::new() });
            looks.len().saturating_sub(1)
        });
        if let Some(look) = looks.get_mut(index) {
            look.faces.push((face.fields, corner));
        }
        corner = corner.saturating_add(u32::try_from(face.corners().len()).unwrap_or(4));
    }
    looks
}

/// For each face, true if it belongs to a proxy. Empty if there are none.
fn proxies(lod: &Lod<'_>) -> Vec<bool> {
    let mut faces = Vec::new();
    for tag in lod.tags.iter().filter(|tag| tag.proxy().is_some()) {
        // A byte for each point, then one for each face.
        let selected = tag.data.as_bytes().get(lod.points.len()..).unwrap_or_default();
        faces.resize(lod.faces.len(), false);
        faces.iter_mut().zip(selected).for_each(|(face, selected)| *face |= *selected != 0);
    }
    faces
}

struct Faces<'a> {
    shared: Arc<Shared<'a>>,
    look: Arc<Look<'a>>,
}

impl_fmt!([] Debug for Faces<'_>, |faces| "Faces({} of {:?})", faces.look.faces.len(), faces.look.texture);

impl<'a> Faces<'a> {
    /// Returns the sets of texture coordinates after the first one, which is in the faces themselves. Each set is its
    /// number followed by eight bytes for each corner of the LOD.
    fn more_uvs(&self) -> impl Iterator<Item = &'a [u8]> + '_ {
        let sets = self.shared.lod.tags.iter().filter(|tag| tag.name == "#UVSet#").map(|tag| tag.data.as_bytes());
        sets.filter_map(|data| data.split_at_checked(4)).filter(|(number, _)| *number != [0; 4]).map(|(_, uvs)| uvs)
    }
}

impl<'a> Shape<'a> for Faces<'a> {
    fn positions(&self) -> Result<Values<'a, Vec3>> {
        let points = self.shared.lod.points;
        let stride = size_of::<crate::formats::mlod::Point>();
        Ok(Strided::within(points.as_bytes(), points.offset(), stride, 0).into())
    }

    /// Stored normals point into the body.
    fn normals(&self) -> Result<Option<Values<'a, Vec3>>> {
        let outward = |normal: &Vec3| values::vec3(normal.to_array().map(|axis| 0.0 - axis));
        let normals = || Ok(self.shared.lod.normals.iter().map(outward).collect());
        Ok(Some(cached(&self.shared.normals, normals)?.clone()))
    }

    fn uv_sets(&self) -> Result<usize> {
        Ok(self.more_uvs().count().saturating_add(1))
    }

    /// Four for each face, used or not.
    fn uvs(&self, set: usize) -> Result<Option<Values<'a, Vec2>>> {
        let faces = self.look.faces.iter();
        let Some(set) = set.checked_sub(1) else {
            let corners = faces.flat_map(|(face, _)| face.corners.iter());
            return Ok(Some(corners.map(|at| values::vec2([at.u.get(), at.v.get()])).collect()));
        };
        let Some(uvs) = self.more_uvs().nth(set) else { return Ok(None) };
        let float = |at: usize| Some(f32::from_le_bytes(*uvs.get(at..)?.first_chunk()?));
        let uv = |corner: u32| {
            let at = (corner as usize).checked_mul(8)?;
            Some([float(at)?, float(at.checked_add(4)?)?])
        };
        let corners = faces.flat_map(|&(_, first)| (0..4).map(move |corner| first.saturating_add(corner)));
        Ok(Some(corners.map(|corner| values::vec2(uv(corner).unwrap_or_default())).collect()))
    }

    fn is_indexed_by_corner(&self) -> bool {
        true
    }

    /// By their coordinates, the triangles that the tools draw are counterclockwise in their left-handed space. So they
    /// are clockwise in ours before the mirror.
    fn corners(&self) -> Corners<'a> {
        let look = self.look.clone();
        let corners = (0..look.faces.len()).map(move |face| {
            let fields = look.faces.get(face).map(|&(fields, _)| fields);
            let count = fields.map_or(0, |fields| usize::try_from(fields.corner_count.get()).map_or(4, |n| n.min(4)));
            let first = u32::try_from(face.saturating_mul(4)).unwrap_or(u32::MAX);
            let corner = |at: u32| {
                let stored = fields.and_then(|fields| fields.corners.get(at as usize));
                let [position, normal] = stored.map_or([u32::MAX; 2], |one| [one.point.get(), one.normal.get()]);
                Corner { position, normal, uvs: [first.saturating_add(at); 2] }
            };
            Ok(([0, 1, 2, 3].map(corner), count))
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
