//! LODka3D: the face groups of each mesh, repeated for each proxy.

use std::collections::HashMap;
use std::sync::Arc;

use super::cut::ToTheCut;
use super::material::{Alpha, Material, Role, Texture, rgb};
use super::matrix::{Matrix, Transform};
use super::primitive::{Cache, Corner, Corners, Morph, Place, Primitive, Primitives, Shape, cached, one};
use super::values;
use super::values::Values;
use super::weights::{Influence, Weights};
use crate::base::error::{Context, Result};
use crate::base::format::Format;
use crate::base::impl_fmt::impl_fmt;
use crate::bytes::{Strided, Vec2, Vec3};
use crate::formats::lodka::{self, FaceGroup, FaceMode, Indices, LodModel, MappingMode, Mesh, Model, ProxySet, wire};
use crate::outline::Text;

pub(super) fn primitives<'a>(model: Model<'a>) -> impl Iterator<Item = Result<Primitive<'a>>> + Send + 'a {
    model.parts().flat_map(of_model)
}

fn of_model<'a>(part: Result<LodModel<'a>>) -> Primitives<'a> {
    let part = match part {
        Ok(part) => part,
        Err(error) => return one(error),
    };
    let shared = Arc::new(Shared { part, materials: Cache::new(), meshes: Cache::new() });
    let mut sets = SetWalk { shared: shared.clone(), proxies: 0 };
    let meshes = part.views::<Mesh<'a>>().enumerate().flat_map(move |(number, mesh)| match mesh {
        Ok(mesh) => of_mesh(shared.clone(), place(&part, number, &mesh), Matrix::to_common(Format::Lodka), mesh),
        Err(error) => one(error),
    });
    let proxies = part.views::<ProxySet<'a>>().flat_map(move |set| sets.of_set(set));
    let cut = part.chunk.whole().within_item("models", part.index).err();
    Box::new(ToTheCut::new(meshes.chain(proxies), cut))
}

fn place<'a>(part: &LodModel<'a>, number: usize, mesh: &Mesh<'a>) -> Place<'a> {
    Place { model: part.index, visible: mesh.visible.is_set(), ..Place::new(mesh.name, number, 0) }
}

fn of_mesh<'a>(shared: Arc<Shared<'a>>, place: Place<'a>, world: Matrix, mesh: Mesh<'a>) -> Primitives<'a> {
    let uvs = Arc::new([Cache::new(), Cache::new()]);
    Box::new(mesh.face_groups.enumerate().map(move |(part, group)| {
        let group = group.within_item("meshes", place.mesh)?;
        let place = Place { part, visible: place.visible && group.visible.is_set(), ..place };
        let shape = Group { shared: shared.clone(), mesh, number: place.mesh, group, uvs: uvs.clone() };
        Ok(Primitive::new(place, world, shape))
    }))
}

/// A walk over the sets of proxies of a model.
struct SetWalk<'a> {
    shared: Arc<Shared<'a>>,
    /// The number of proxies so far.
    proxies: usize,
}

impl<'a> SetWalk<'a> {
    /// Returns the primitives of the meshes that the next set of proxies repeats.
    fn of_set(&mut self, set: Result<ProxySet<'a>>) -> Primitives<'a> {
        let set = match set {
            Ok(set) => set,
            Err(error) => return one(error),
        };
        let mut walk = ProxyWalk { shared: self.shared.clone(), first: self.proxies, worlds: Vec::new() };
        self.proxies = self.proxies.saturating_add(set.proxies.len());
        let mut names = set.names.iter();
        Box::new(set.proxies.iter().flat_map(move |proxy| walk.of_proxy(&proxy, names.next().map(Into::into))))
    }
}

/// A walk over the proxies of a set.
struct ProxyWalk<'a> {
    shared: Arc<Shared<'a>>,
    /// The number of its first proxy among those of the model.
    first: usize,
    /// The matrices of the proxies so far.
    worlds: Vec<Matrix>,
}

impl<'a> ProxyWalk<'a> {
    /// Returns the primitives of the mesh that the next proxy repeats.
    fn of_proxy(&mut self, proxy: &wire::Proxy, name: Option<Text<'a>>) -> Primitives<'a> {
        let node = self.first.saturating_add(self.worlds.len());
        let mut parent = Matrix::IDENTITY;
        if let Ok(index) = usize::try_from(proxy.parent.get())
            && let Some(world) = self.worlds.get(index)
        {
            parent = *world;
        }
        let world = parent.after(&transform(proxy).to_matrix());
        self.worlds.push(world);
        let Ok(number) = usize::try_from(proxy.mesh.get()) else { return Box::new(std::iter::empty()) };
        let mesh = match self.shared.mesh(number) {
            Ok(Some(mesh)) => mesh,
            Ok(None) => return Box::new(std::iter::empty()),
            Err(error) => return Box::new(std::iter::once(Err(error))),
        };
        let mut place = place(&self.shared.part, number, &mesh);
        if let Some(name) = name {
            place.name = name;
        }
        place.node = Some(node);
        place.visible = place.visible && proxy.visible.is_set();
        of_mesh(self.shared.clone(), place, world, mesh)
    }
}

/// Returns the place of a proxy relative to its parent.
pub(crate) fn transform(proxy: &wire::Proxy) -> Transform {
    Transform {
        translation: proxy.position.to_array(),
        rotation: proxy.rotation.to_array(),
        scale: proxy.scale.to_array(),
    }
}

/// Data for many primitives, read once on first use.
struct Shared<'a> {
    part: LodModel<'a>,
    /// By name, as face groups refer to them.
    materials: Cache<HashMap<Vec<u8>, lodka::Material<'a>>>,
    meshes: Cache<Vec<Option<Mesh<'a>>>>,
}

impl<'a> Shared<'a> {
    fn mesh(&self, index: usize) -> Result<Option<Mesh<'a>>> {
        let all = cached(&self.meshes, || Ok(self.part.views::<Mesh<'a>>().map(Result::ok).collect()))?;
        Ok(all.get(index).copied().flatten())
    }

    fn material(&self, name: &[u8]) -> Result<Option<lodka::Material<'a>>> {
        Ok(cached(&self.materials, || self.read_materials())?.get(name).copied())
    }

    fn read_materials(&self) -> Result<HashMap<Vec<u8>, lodka::Material<'a>>> {
        let mut all = HashMap::new();
        let Some(list) = self.part.first::<lodka::MaterialList<'a>>()? else { return Ok(all) };
        for material in list.materials {
            let material = material.within("materials")?;
            all.entry(material.name.as_bytes().to_vec()).or_insert(material);
        }
        Ok(all)
    }
}

struct Group<'a> {
    shared: Arc<Shared<'a>>,
    mesh: Mesh<'a>,
    /// The number of the mesh.
    number: usize,
    group: FaceGroup<'a>,
    /// The texture coordinates of the mesh, turned.
    uvs: Arc<[Cache<Values<'a, Vec2>>; 2]>,
}

impl_fmt!([] Debug for Group<'_>, |group| "Group({} triangles)", group.group.triangle_count());

impl<'a> Shape<'a> for Group<'a> {
    fn positions(&self) -> Result<Values<'a, Vec3>> {
        Ok(self.mesh.positions.into())
    }

    fn normals(&self) -> Result<Option<Values<'a, Vec3>>> {
        let normals = self.mesh.normals;
        Ok(if normals.is_empty() { None } else { Some(normals.into()) })
    }

    fn uv_sets(&self) -> Result<usize> {
        Ok(self.mesh.uvs.len())
    }

    /// In OpenGL, v grows upwards.
    fn uvs(&self, set: usize) -> Result<Option<Values<'a, Vec2>>> {
        let (Some(uvs), Some(cache)) = (self.mesh.uvs.get(set), self.uvs.get(set)) else { return Ok(None) };
        Ok(Some(cached(cache, || Ok(uvs.iter().map(turned).collect()))?.clone()))
    }

    fn is_indexed_by_corner(&self) -> bool {
        true
    }

    /// OpenGL draws counterclockwise triangles.
    fn corners(&self) -> Corners<'a> {
        let group = self.group;
        Box::new((0..group.triangle_count()).filter_map(move |index| {
            let [a, b, c] = places(group.mode, index)?;
            Some(Ok([corner(&group, a)?, corner(&group, b)?, corner(&group, c)?]))
        }))
    }

    fn weights(&self) -> Result<Option<Weights>> {
        let Mesh { bone_ids, weights, positions, .. } = self.mesh;
        let vertices = positions.len();
        if let Some(weights) = weights {
            let influences = || {
                weights.vertices().enumerate().flat_map(|(vertex, list)| {
                    list.iter().map(move |one| (vertex, Influence { joint: one.bone.into(), weight: one.weight }))
                })
            };
            return Ok(Some(Weights::new(vertices, influences)));
        }
        if bone_ids.is_empty() {
            return Ok(None);
        }
        let influences = || bone_ids.iter().map(|joint| Influence { joint, weight: 1.0 }).enumerate();
        Ok(Some(Weights::new(vertices, influences)))
    }

    fn morphs(&self) -> Result<Vec<Morph<'a>>> {
        let mut frames = Vec::new();
        let Some(all) = self.shared.part.first::<lodka::MorphMeshes<'a>>()? else { return Ok(frames) };
        let count = self.mesh.positions.len();
        let stride = size_of::<Vec3>();
        // Without vertices, the file's size does not bound the number of frames.
        let Some(size @ 1..) = count.checked_mul(stride) else { return Ok(frames) };
        for morph in all.meshes() {
            let is_own = usize::try_from(morph.record.mesh.get()) == Ok(self.number)
                && usize::try_from(morph.record.vertices.get()) == Ok(count);
            if !is_own {
                continue;
            }
            let mut offset = morph.vertices.offset();
            for frame in morph.vertices.as_bytes().chunks_exact(size) {
                let positions = Strided::within(frame, offset, stride, 0).into();
                frames.push(Morph { name: morph.collection_name.into(), positions });
                offset = offset.saturating_add(frame.len() as u64);
            }
        }
        Ok(frames)
    }

    fn material(&self) -> Result<Option<Material<'a>>> {
        let Some(name) = self.group.materials.get(0) else { return Ok(None) };
        let Some(material) = self.shared.material(name.as_bytes())? else {
            return Ok(if name.is_empty() { None } else { Some(Material::new(name)) });
        };
        let mut facts = facts(&material);
        // The second set is for the image of another material, such as a light map.
        if let Some(second) = self.group.materials.get(1)
            && let Some(second) = self.shared.material(second.as_bytes())?
            && let Some(texture) = self::facts(&second).textures.into_iter().next()
        {
            facts.add(Texture { uv_set: 1, role: Role::Lightmap, ..texture });
        }
        Ok(Some(facts))
    }
}

#[inline]
fn turned(uv: &Vec2) -> Vec2 {
    values::vec2([uv.x.get(), 1.0 - uv.y.get()])
}

/// Returns the places of a triangle's corners among the indices of a group.
#[inline]
fn places(mode: FaceMode, index: usize) -> Option<[usize; 3]> {
    Some(match mode {
        FaceMode::STRIP if index & 1 == 1 => [index.checked_add(1)?, index, index.checked_add(2)?],
        FaceMode::STRIP => [index, index.checked_add(1)?, index.checked_add(2)?],
        FaceMode::FAN => [0, index.checked_add(1)?, index.checked_add(2)?],
        FaceMode::QUADS => {
            let first = (index >> 1).checked_mul(4)?;
            let second = first.checked_add(1)?.checked_add(index & 1)?;
            [first, second, second.checked_add(1)?]
        }
        _ => {
            let first = index.checked_mul(3)?;
            [first, first.checked_add(1)?, first.checked_add(2)?]
        }
    })
}

/// Returns the corner at a place among the indices of a group.
#[inline]
fn corner(group: &FaceGroup<'_>, at: usize) -> Option<Corner> {
    let position = group.vertex_indices.get(at)?;
    let normal = index_or(Some(group.normal_indices), at, position);
    let uv = index_or(group.uv_indices.get(0), at, position);
    let second_uv = index_or(group.uv_indices.get(1), at, position);
    Some(Corner { position, normal, uvs: [uv, second_uv] })
}

/// A group without separate indices for normals or coordinates uses those of the positions.
#[inline]
fn index_or(indices: Option<Indices<'_>>, at: usize, position: u32) -> u32 {
    let Some(indices) = indices else { return position };
    indices.get(at).unwrap_or(position)
}

fn facts<'a>(material: &lodka::Material<'a>) -> Material<'a> {
    let mut facts = Material::new(material.name);
    let mut clamped = [false; 2];
    let mut has_images = true;
    // Sphere and cube maps.
    let is_reflected = matches!(material.mapping_mode, Some(MappingMode(3..=7)));
    let role = if is_reflected { Role::Environment } else { Role::Base };
    if let Some(options) = material.options {
        facts.color = options.diffuse.to_array();
        facts.emissive = rgb(options.emission);
        facts.specular = rgb(options.specular);
        facts.shininess = (f32::from(options.shininess) / 128.0).min(1.0);
        facts.alpha = match options.blending_mode.0 {
            1 => Alpha::Blend,
            2 => Alpha::Add,
            3 => Alpha::Mask(0.5),
            4 => Alpha::Mask(1.0),
            5 => Alpha::Multiply,
            _ => Alpha::Opaque,
        };
        let wrap = options.texture_wrap.0;
        clamped = [matches!(wrap, 1 | 2), matches!(wrap, 1 | 3)];
        has_images = options.texture_enabled.is_set();
    }
    for name in material.texture_files() {
        if has_images && !name.is_empty() {
            facts.add(Texture { clamped, role, ..Texture::new(name) });
        }
    }
    facts
}
