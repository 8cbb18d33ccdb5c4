//! Blitz3D: each TRIS of each mesh.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use super::{
    Alpha, Corner, Corners, Influence, Material, Matrix, Place, Primitive, Primitives, Role, Shape, Texture, Transform,
    UvTransform, Values, Weights, one,
};
use crate::base::error::{Context, Result};
use crate::base::impl_fmt::impl_fmt;
use crate::bytes::{Color, LeArray, Vec2, Vec3};
use crate::formats::b3d::{self, Brush, Mesh, Node, Scene, Triangles, rotation_xyzw, wire};

pub(super) fn primitives<'a>(scene: Scene<'a>) -> impl Iterator<Item = Result<Primitive<'a>>> + Send + 'a {
    let (brushes, textures, bones) = Default::default();
    let shared = Arc::new(Shared { scene, brushes, textures, bones });
    let mut above: Vec<Matrix> = Vec::new();
    let mut meshes = 0_usize;
    scene.nodes().flat_map(move |node| {
        let node = match node {
            Ok(node) => node,
            Err(error) => return one(error),
        };
        above.truncate(node.depth as usize);
        let local = local(&node).to_matrix();
        let world = above.last().unwrap_or(&Matrix::MIRROR).after(&local);
        above.push(world);
        let (shared, first) = (shared.clone(), meshes);
        let all: Vec<Result<Mesh<'a>>> = node.meshes().collect();
        meshes = meshes.saturating_add(all.len());
        Box::new(all.into_iter().enumerate().flat_map(move |(index, mesh)| {
            let (shared, number) = (shared.clone(), first.saturating_add(index));
            let mesh = mesh.within_item("nodes", node.index);
            mesh.map_or_else(one, |mesh| of_mesh(shared, node, world, number, mesh))
        }))
    })
}

fn of_mesh<'a>(
    shared: Arc<Shared<'a>>,
    node: Node<'a>,
    world: Matrix,
    number: usize,
    mesh: Mesh<'a>,
) -> Primitives<'a> {
    Box::new(mesh.triangles().enumerate().map(move |(part, triangles)| {
        let triangles = triangles.within("mesh").within_item("nodes", node.index)?;
        let place = Place { node: Some(node.index), ..Place::new(node.name, number, part) };
        Ok(Primitive::new(place, world, Tris { shared: shared.clone(), node: node.index, mesh, triangles }))
    }))
}

/// Returns the transform of a node relative to its parent, in the file's own space.
pub(crate) fn local(node: &Node<'_>) -> Transform {
    Transform { translation: node.position(), rotation: rotation_xyzw(node.rotation()), scale: node.scale() }
}

/// A bone's node, and the weights of the vertices it moves.
type Bone<'a> = (u32, LeArray<'a, wire::Weight>);

/// Data for many primitives, read once on first use.
struct Shared<'a> {
    scene: Scene<'a>,
    brushes: OnceLock<Vec<Option<Brush<'a>>>>,
    textures: OnceLock<Vec<Option<b3d::Texture<'a>>>>,
    /// The weights of each bone with the index of its node, by the offset of the mesh that it moves.
    bones: OnceLock<HashMap<u64, Vec<Bone<'a>>>>,
}

impl<'a> Shared<'a> {
    fn brush(&self, index: usize) -> Option<Brush<'a>> {
        let all = self.brushes.get_or_init(|| self.scene.brushes().map(Result::ok).collect());
        *all.get(index)?
    }

    fn texture(&self, index: usize) -> Option<b3d::Texture<'a>> {
        let all = self.textures.get_or_init(|| self.scene.textures().map(Result::ok).collect());
        *all.get(index)?
    }

    fn bones(&self, mesh: &Mesh<'a>) -> &[Bone<'a>] {
        let read = || {
            let mut bones: HashMap<u64, Vec<Bone<'a>>> = HashMap::new();
            for node in self.scene.nodes().flatten() {
                for bone in node.bones().flatten() {
                    if let (Some(mesh), Ok(joint)) = (bone.mesh, u32::try_from(node.index)) {
                        bones.entry(mesh.chunk.offset()).or_default().push((joint, bone.weights));
                    }
                }
            }
            bones
        };
        self.bones.get_or_init(read).get(&mesh.chunk.offset()).map_or(&[], Vec::as_slice)
    }
}

struct Tris<'a> {
    shared: Arc<Shared<'a>>,
    node: usize,
    mesh: Mesh<'a>,
    triangles: Triangles<'a>,
}

impl_fmt!([] Debug for Tris<'_>, |tris| "Tris({} triangles of node {})", tris.triangles.indices.len(), tris.node);

impl<'a> Tris<'a> {
    fn vertices(&self) -> Result<b3d::Vertices<'a>> {
        self.mesh.vertices().within("mesh").within_item("nodes", self.node)
    }
}

impl<'a> Shape<'a> for Tris<'a> {
    fn positions(&self) -> Result<Values<'a, Vec3>> {
        Ok(self.vertices()?.positions().into())
    }

    fn normals(&self) -> Result<Option<Values<'a, Vec3>>> {
        Ok(self.vertices()?.normals().map(Into::into))
    }

    fn uv_sets(&self) -> Result<usize> {
        let vertices = self.vertices()?;
        Ok(if vertices.set_size() < 2 { 0 } else { vertices.sets() })
    }

    fn uvs(&self, set: usize) -> Result<Option<Values<'a, Vec2>>> {
        Ok(self.vertices()?.tex_coords(set).and_then(|set| set.uv()).map(Into::into))
    }

    /// `Surface::updateNormals` of Blitz3D.
    fn are_normals_smoothed(&self) -> bool {
        true
    }

    fn colors(&self) -> Result<Option<Values<'a, Color>>> {
        Ok(self.vertices()?.colors().map(Into::into))
    }

    /// Blitz3D draws triangles that are clockwise in its left-handed space. The mirror makes them counterclockwise.
    fn corners(&self) -> Corners<'a> {
        let corner = |vertex: i32| Corner::vertex(u32::try_from(vertex).unwrap_or(u32::MAX));
        Box::new(self.triangles.indices.into_iter().map(move |triangle| {
            let [a, b, c] = triangle.vertices.map(|vertex| corner(vertex.get()));
            Ok([a, c, b])
        }))
    }

    fn weights(&self) -> Result<Option<Weights>> {
        let bones = self.shared.bones(&self.mesh);
        // Some exporters write a BONE for every node, even if no vertex is bound to one.
        if !bones.iter().any(|(_, weights)| weights.iter().any(|one| one.weight.get() > 0.0)) {
            return Ok(None);
        }
        let influences = || {
            bones.iter().flat_map(|&(joint, weights)| {
                weights.iter().map(move |one| {
                    let vertex = usize::try_from(one.vertex.get()).unwrap_or(usize::MAX);
                    (vertex, Influence { joint, weight: one.weight.get() })
                })
            })
        };
        Ok(Some(Weights::new(self.vertices()?.len(), influences)))
    }

    fn material(&self) -> Result<Option<Material<'a>>> {
        let brush = self.triangles.brush().and_then(|index| self.shared.brush(index));
        Ok(brush.map(|brush| {
            let textures = brush.textures().filter_map(|index| Some((index, self.shared.texture(index)?)));
            material(&brush, textures)
        }))
    }
}

fn material<'a>(brush: &Brush<'a>, textures: impl Iterator<Item = (usize, b3d::Texture<'a>)>) -> Material<'a> {
    let (fx, shininess) = (brush.fx.0, brush.shininess);
    let mut material = Material {
        color: brush.color,
        specular: [shininess; 3],
        shininess,
        two_sided: fx & 16 != 0,
        unlit: fx & 1 != 0,
        vertex_colors: fx & 2 != 0,
        ..Material::new(brush.name)
    };
    for (index, texture) in textures {
        let flags = texture.flags.0;
        material.add(Texture {
            role: match flags {
                _ if flags & (64 | 128) != 0 => Role::Environment,
                _ if texture.flags.uses_second_uv_set() => Role::Lightmap,
                _ => Role::Base,
            },
            uv_set: usize::from(texture.flags.uses_second_uv_set()),
            transform: UvTransform { offset: texture.position, scale: texture.scale, rotation: texture.rotation },
            clamped: [flags & 16 != 0, flags & 32 != 0],
            is_black_clear: flags & 4 != 0,
            index: Some(index),
            ..Texture::new(texture.name)
        });
        // Blitz3D blends for a texture with opacity, but not for one whose black is transparent.
        if flags & (2 | 4) == 2 {
            material.alpha = Alpha::Blend;
        }
    }
    let [.., opacity] = brush.color;
    let is_masked = material.textures.first().is_some_and(|texture| texture.is_black_clear);
    material.alpha = match brush.blend.0 {
        2 => Alpha::Multiply,
        3 => Alpha::Add,
        // Without a blend mode, opacity of textures counts only if there is one.
        0 if material.textures.len() > 1 && opacity >= 1.0 && fx & 32 == 0 => Alpha::Opaque,
        _ if opacity < 1.0 || fx & 32 != 0 => Alpha::Blend,
        _ => material.alpha,
    };
    if is_masked && material.alpha == Alpha::Opaque {
        material.alpha = Alpha::Mask(0.5);
    }
    material
}
