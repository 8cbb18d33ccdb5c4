//! Blitz3D: each TRIS of each mesh.

use std::collections::HashMap;
use std::sync::Arc;

use zerocopy::little_endian::I32;

use super::cut::ToTheCut;
use super::material::{Alpha, Material, Role, Texture, UvTransform};
use super::matrix::{Matrix, Transform};
use super::primitive::{Cache, Corner, Corners, Place, Primitive, Primitives, Shape, cached, one};
use super::values::Values;
use super::weights::{Influence, Weights};
use crate::base::error::{Context, Result};
use crate::base::format::Format;
use crate::base::impl_fmt::impl_fmt;
use crate::bytes::{Color, LeArray, Vec2, Vec3};
use crate::formats::b3d::{self, Brush, Mesh, Node, Scene, Triangles, rotation_xyzw, wire};

pub(super) fn primitives<'a>(scene: Scene<'a>) -> impl Iterator<Item = Result<Primitive<'a>>> + Send + 'a {
    let mut walk = Walk { shared: Arc::new(Shared::new(scene)), above: Vec::new(), meshes: 0 };
    let readable = scene.nodes().flat_map(move |node| walk.of_node(node));
    ToTheCut::new(readable, scene.cut())
}

/// A walk over the nodes of a scene.
struct Walk<'a> {
    shared: Arc<Shared<'a>>,
    /// The matrices of the nodes around the next one.
    above: Vec<Matrix>,
    /// The number of meshes so far.
    meshes: usize,
}

impl<'a> Walk<'a> {
    /// Returns the primitives of the next node.
    fn of_node(&mut self, node: Result<Node<'a>>) -> Primitives<'a> {
        let node = match node {
            Ok(node) => node,
            Err(error) => return one(error),
        };
        self.above.truncate(node.depth as usize);
        let local = local(&node).to_matrix();
        let world = self.above.last().unwrap_or(&Matrix::to_common(Format::B3d)).after(&local);
        self.above.push(world);
        let meshes: Vec<Result<Mesh<'a>>> = node.meshes().collect();
        let first = self.meshes;
        self.meshes = first.saturating_add(meshes.len());
        let shared = self.shared.clone();
        Box::new(
            meshes
                .into_iter()
                .enumerate()
                .flat_map(move |(index, mesh)| of_mesh(shared.clone(), node, world, first.saturating_add(index), mesh)),
        )
    }
}

fn of_mesh<'a>(
    shared: Arc<Shared<'a>>,
    node: Node<'a>,
    world: Matrix,
    number: usize,
    mesh: Result<Mesh<'a>>,
) -> Primitives<'a> {
    let mesh = match mesh.within_item("nodes", node.index) {
        Ok(mesh) => mesh,
        Err(error) => return one(error),
    };
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
    brushes: Cache<Vec<Option<Brush<'a>>>>,
    textures: Cache<Vec<Option<b3d::Texture<'a>>>>,
    /// The weights of each bone with the index of its node, by the offset of the mesh that it moves.
    bones: Cache<HashMap<u64, Vec<Bone<'a>>>>,
}

impl<'a> Shared<'a> {
    fn new(scene: Scene<'a>) -> Self {
        Self { scene, brushes: Cache::new(), textures: Cache::new(), bones: Cache::new() }
    }

    fn brush(&self, index: usize) -> Result<Option<Brush<'a>>> {
        let all = cached(&self.brushes, || Ok(self.scene.brushes().map(Result::ok).collect()))?;
        Ok(all.get(index).copied().flatten())
    }

    fn texture(&self, index: usize) -> Result<Option<b3d::Texture<'a>>> {
        let all = cached(&self.textures, || Ok(self.scene.textures().map(Result::ok).collect()))?;
        Ok(all.get(index).copied().flatten())
    }

    /// Returns the bones that move the vertices of a mesh.
    fn bones(&self, mesh: &Mesh<'a>) -> Result<&[Bone<'a>]> {
        let by_mesh = cached(&self.bones, || Ok(bones_by_mesh(self.scene)))?;
        Ok(match by_mesh.get(&mesh.chunk.offset()) {
            Some(bones) => bones,
            None => &[],
        })
    }

    fn material(&self, brush: &Brush<'a>) -> Result<Material<'a>> {
        let fx = brush.fx.0;
        let mut material = Material {
            color: brush.color,
            specular: [brush.shininess; 3],
            shininess: brush.shininess,
            two_sided: fx & 16 != 0,
            unlit: fx & 1 != 0,
            vertex_colors: fx & 2 != 0,
            ..Material::new(brush.name)
        };
        for index in brush.textures() {
            let Some(stored) = self.texture(index)? else { continue };
            material.add(texture(index, &stored));
            // Blitz3D blends for a texture with opacity, but not for one whose black is transparent.
            if stored.flags.0 & (2 | 4) == 2 {
                material.alpha = Alpha::Blend;
            }
        }
        let [.., opacity] = brush.color;
        let is_masked = matches!(material.textures.first(), Some(texture) if texture.is_black_clear);
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
        Ok(material)
    }
}

/// Returns the bones of a scene by the offsets of the meshes that they move.
fn bones_by_mesh<'a>(scene: Scene<'a>) -> HashMap<u64, Vec<Bone<'a>>> {
    let mut bones: HashMap<u64, Vec<Bone<'a>>> = HashMap::new();
    for node in scene.nodes().flatten() {
        for bone in node.bones().flatten() {
            if let (Some(mesh), Ok(joint)) = (bone.mesh, u32::try_from(node.index)) {
                bones.entry(mesh.chunk.offset()).or_default().push((joint, bone.weights));
            }
        }
    }
    bones
}

fn texture<'a>(index: usize, stored: &b3d::Texture<'a>) -> Texture<'a> {
    let flags = stored.flags.0;
    let has_second_set = stored.flags.uses_second_uv_set();
    Texture {
        role: match flags {
            _ if flags & (64 | 128) != 0 => Role::Environment,
            _ if has_second_set => Role::Lightmap,
            _ => Role::Base,
        },
        uv_set: usize::from(has_second_set),
        transform: UvTransform { offset: stored.position, scale: stored.scale, rotation: stored.rotation },
        clamped: [flags & 16 != 0, flags & 32 != 0],
        is_black_clear: flags & 4 != 0,
        index: Some(index),
        ..Texture::new(stored.name)
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
        let Some(set) = self.vertices()?.tex_coords(set) else { return Ok(None) };
        Ok(set.uv().map(Into::into))
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
        Box::new(self.triangles.indices.into_iter().map(|triangle| {
            let [a, b, c] = triangle.vertices.map(corner);
            Ok([a, c, b])
        }))
    }

    fn weights(&self) -> Result<Option<Weights>> {
        let bones = self.shared.bones(&self.mesh)?;
        // Some exporters write a BONE for every node, even if no vertex is bound to one.
        if !bones.iter().any(is_bound) {
            return Ok(None);
        }
        let influences = || bones.iter().flat_map(|&(joint, list)| list.iter().map(move |one| influence(joint, one)));
        Ok(Some(Weights::new(self.vertices()?.len(), influences)))
    }

    fn material(&self) -> Result<Option<Material<'a>>> {
        let Some(index) = self.triangles.brush() else { return Ok(None) };
        let Some(brush) = self.shared.brush(index)? else { return Ok(None) };
        self.shared.material(&brush).map(Some)
    }
}

#[inline]
fn corner(vertex: I32) -> Corner {
    Corner::vertex(u32::try_from(vertex.get()).unwrap_or(u32::MAX))
}

/// Returns true if a bone moves a vertex.
fn is_bound((_, weights): &Bone<'_>) -> bool {
    weights.iter().any(|one| one.weight.get() > 0.0)
}

/// Returns the vertex that a bone moves, and how strongly.
#[inline]
fn influence(joint: u32, stored: &wire::Weight) -> (usize, Influence) {
    let vertex = usize::try_from(stored.vertex.get()).unwrap_or(usize::MAX);
    (vertex, Influence { joint, weight: stored.weight.get() })
}
