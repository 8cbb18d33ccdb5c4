//! LODka3D: the face groups of each mesh, repeated for each proxy.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use super::{
    Alpha, Cache, Corner, Corners, Influence, Material, Matrix, Morph, Place, Primitive, Primitives, Role, Shape,
    Texture, Transform, Values, Weights, cached, one, values,
};
use crate::base::error::{Context, Result};
use crate::base::impl_fmt::impl_fmt;
use crate::bytes::{Strided, Vec2, Vec3};
use crate::formats::lodka::{self, FaceGroup, FaceMode, Indices, LodModel, Mesh, Model, ProxySet, wire};

pub(super) fn primitives<'a>(model: Model<'a>) -> impl Iterator<Item = Result<Primitive<'a>>> + Send + 'a {
    model.parts().flat_map(|part| part.map_or_else(one, of_model))
}

fn of_model<'a>(part: LodModel<'a>) -> Primitives<'a> {
    let shared = Arc::new(Shared { part, materials: Cache::new(), meshes: OnceLock::new() });
    let of_proxies = shared.clone();
    let meshes = part.meshes().enumerate().flat_map(move |(number, mesh)| {
        mesh.map_or_else(one, |mesh| of_mesh(shared.clone(), place(&part, number, &mesh), Matrix::IDENTITY, mesh))
    });
    let mut first = 0_usize;
    let proxies = part.views::<ProxySet<'a>>().flat_map(move |set| {
        set.map_or_else(one, |set| {
            let node = first;
            first = first.saturating_add(set.proxies.len());
            of_set(of_proxies.clone(), node, set)
        })
    });
    Box::new(meshes.chain(proxies))
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

/// Returns the primitives of the meshes that a set of proxies repeats. The first proxy of the set is proxy `first` of
/// the model.
fn of_set<'a>(shared: Arc<Shared<'a>>, first: usize, set: ProxySet<'a>) -> Primitives<'a> {
    let mut worlds: Vec<Matrix> = Vec::new();
    let mut names = set.names.iter();
    Box::new(set.proxies.iter().enumerate().flat_map(move |(index, proxy)| {
        let name = names.next();
        let parent = usize::try_from(proxy.parent.get()).ok().and_then(|parent| worlds.get(parent).copied());
        let world = parent.unwrap_or(Matrix::IDENTITY).after(&transform(&proxy).to_matrix());
        worlds.push(world);
        let number = usize::try_from(proxy.mesh.get()).ok();
        let shown = number.and_then(|number| Some((number, shared.mesh(number)?)));
        let Some((number, mesh)) = shown else { return Box::new(std::iter::empty()) as Primitives<'a> };
        let own = place(&shared.part, number, &mesh);
        let place = Place {
            name: name.map_or(own.name, Into::into),
            node: Some(first.saturating_add(index)),
            visible: own.visible && proxy.visible.is_set(),
            ..own
        };
        of_mesh(shared.clone(), place, world, mesh)
    }))
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
    meshes: OnceLock<Vec<Option<Mesh<'a>>>>,
}

impl<'a> Shared<'a> {
    fn mesh(&self, index: usize) -> Option<Mesh<'a>> {
        *self.meshes.get_or_init(|| self.part.meshes().map(Result::ok).collect()).get(index)?
    }

    fn material(&self, name: &[u8]) -> Result<Option<lodka::Material<'a>>> {
        let read = || {
            let mut all = HashMap::new();
            for material in self.part.materials()?.into_iter().flat_map(|list| list.materials) {
                let material = material.within("materials")?;
                all.entry(material.name.as_bytes().to_vec()).or_insert(material);
            }
            Ok(all)
        };
        Ok(cached(&self.materials, read)?.get(name).copied())
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
        Ok(Some(self.mesh.normals).filter(|normals| !normals.is_empty()).map(Into::into))
    }

    fn uv_sets(&self) -> Result<usize> {
        Ok(self.mesh.uvs.len())
    }

    /// In OpenGL, v grows upwards.
    fn uvs(&self, set: usize) -> Result<Option<Values<'a, Vec2>>> {
        let turned = |uv: &Vec2| values::vec2([uv.x.get(), 1.0 - uv.y.get()]);
        let (Some(uvs), Some(cache)) = (self.mesh.uvs.get(set), self.uvs.get(set)) else { return Ok(None) };
        Ok(Some(cached(cache, || Ok(uvs.iter().map(turned).collect()))?.clone()))
    }

    fn is_indexed_by_corner(&self) -> bool {
        true
    }

    /// OpenGL draws counterclockwise triangles.
    fn corners(&self) -> Corners<'a> {
        let group = self.group;
        let corner = move |at: usize| {
            let position = group.vertex_indices.get(at)?;
            // A group without separate indices for normals or coordinates uses those of the positions.
            let other = |indices: Option<Indices<'a>>| indices.and_then(|all| all.get(at)).unwrap_or(position);
            let uvs = [0, 1].map(|set| other(group.uv_indices.get(set)));
            Some(Corner { position, normal: other(Some(group.normal_indices)), uvs })
        };
        let mode = group.mode;
        Box::new((0..group.triangle_count()).filter_map(move |index| {
            let places = match mode {
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
            };
            let [a, b, c] = places.map(corner);
            Some(Ok([a?, b?, c?]))
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
        let influences = || bone_ids.iter().map(|joint| Influence { joint, weight: 1.0 }).enumerate();
        Ok((!bone_ids.is_empty()).then(|| Weights::new(vertices, influences)))
    }

    fn morphs(&self) -> Result<Vec<Morph<'a>>> {
        let Some(all) = self.shared.part.morph_meshes()? else { return Ok(Vec::new()) };
        let count = self.mesh.positions.len();
        let own = all.meshes().filter(|morph| {
            usize::try_from(morph.record.mesh.get()) == Ok(self.number)
                && usize::try_from(morph.record.vertices.get()) == Ok(count)
        });
        let stride = size_of::<Vec3>();
        let frames = own.flat_map(|morph| {
            let (bytes, offset) = (morph.vertices.as_bytes(), morph.vertices.offset());
            // Without vertices, the file's size does not bound the number of frames.
            let chunks = count.checked_mul(stride).filter(|size| *size > 0).map(|size| bytes.chunks_exact(size));
            chunks.into_iter().flatten().scan(offset, move |at, frame| {
                let values = Strided::within(frame, *at, stride, 0).into();
                *at = at.saturating_add(frame.len() as u64);
                Some(Morph { name: morph.collection_name.into(), positions: values })
            })
        });
        Ok(frames.collect())
    }

    fn material(&self) -> Result<Option<Material<'a>>> {
        let Some(name) = self.group.materials.get(0) else { return Ok(None) };
        let Some(material) = self.shared.material(name.as_bytes())? else {
            return Ok((!name.is_empty()).then(|| Material::new(name)));
        };
        let mut facts = facts(&material);
        // The second set is for the image of another material, such as a light map.
        if let Some(second) = self.group.materials.get(1)
            && let Some(second) = self.shared.material(second.as_bytes())?
        {
            let images = self::facts(&second).textures.into_iter().take(1);
            images.for_each(|texture| facts.add(Texture { uv_set: 1, role: Role::Lightmap, ..texture }));
        }
        Ok(Some(facts))
    }
}

fn facts<'a>(material: &lodka::Material<'a>) -> Material<'a> {
    let mut facts = Material::new(material.name);
    let mut clamped = [false; 2];
    let mut has_images = true;
    // Sphere and cube maps.
    let is_reflected = material.mapping_mode.is_some_and(|mode| (3..=7).contains(&mode.0));
    let role = if is_reflected { Role::Environment } else { Role::Base };
    if let Some(options) = material.options {
        let rgb = |color: &crate::bytes::Color| color.to_array().first_chunk().copied().unwrap_or_default();
        facts.color = options.diffuse.to_array();
        facts.emissive = rgb(&options.emission);
        facts.specular = rgb(&options.specular);
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
    let images = material.texture_files().into_iter().filter(|name| has_images && !name.is_empty());
    images.for_each(|name| facts.add(Texture { clamped, role, ..Texture::new(name) }));
    facts
}
