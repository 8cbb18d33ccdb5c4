//! MSH1: meshes.

use super::chunk::Node;
use super::codes::Flag;
use super::face::{FaceGroup, Targets};
use super::fields::{Counted, Length, known};
use super::indices::{BoneIds, Indices, Width};
use super::sets::{PerSet, Sets};
use super::weight::{WeightLayout, Weights};
use crate::base::error::{Error, Result};
use crate::base::text::AnsiStr;
use crate::bytes::{LeArray, Vec2, Vec3};
use crate::record::list::{All, Entries};
use crate::record::{Known, Read, record};

/// The context for reading a mesh.
#[derive(Clone, Copy, Debug)]
pub struct MeshLayout {
    /// The number of bones in the model.
    bones: u32,
    uv_counts_apart: bool,
}

impl MeshLayout {
    /// Creates the context for a mesh in a model of `bones` bones. The counts of texture coordinates are before both
    /// arrays, or [apart](Mesh::uv_counts_apart).
    pub fn new(bones: u32, uv_counts_apart: bool) -> Self {
        Self { bones, uv_counts_apart }
    }

    fn uvs(&self, count: Option<u8>) -> PerSet<()> {
        PerSet { sets: [Some(()), (count == Some(2)).then_some(())], apart: self.uv_counts_apart }
    }
}

record! {
    /// A mesh (MSH1).
    Mesh<'a>(layout: MeshLayout) named name {
        /// Its name.
        name: AnsiStr<'a> = "MeshNameLen, MeshName",
        /// True if it moves with the skeleton; writers leave it unset on skinned meshes too.
        has_skeleton: Flag = "isSkeletonExists",
        /// The layout: 3, or the older 2.
        mode: u8 = "MeshMode" => known(&[2, 3]),
        /// True if it is drawn.
        visible: Flag = "isMeshVisible",
        /// The vertices, in model units.
        positions: LeArray<'a, Vec3> as Counted<'a, Vec3> = "MeshVertexCnt, MeshPointsPos",
        /// The normals, which faces refer to by index; often empty.
        normals: LeArray<'a, Vec3> as Counted<'a, Vec3> = "MeshNormalsCnt, MeshNormals",
        /// Number of sets of texture coordinates: 1 or 2; in the older layout always 1.
        uv_set_count: u8 = "MeshTextureNumber" where mode == 3 => known(&[1, 2]),
        /// True if the count of each set of texture coordinates is directly before its array, as the description says.
        /// Otherwise both counts are before both arrays. Determined by which reading ends exactly at the chunk's end;
        /// no file with separate counts is known.
        uv_counts_apart: bool as Known<bool> [layout.uv_counts_apart],
        /// The sets of texture coordinates.
        uvs: Sets<LeArray<'a, Vec2>> = "MeshTxCrdCnt, MeshTxCrd" [layout.uvs(uv_set_count)],
        /// Number of bones in the model.
        bone_count: u32 as Known<u32> = "BonesCnt" [layout.bones],
        /// The bone of each vertex, as an index into the skeleton's list; empty if there are no bones. u8, or u16 from
        /// 255 bones on.
        bone_ids: Indices<'a> as BoneIds<'a> = "PntBnAssocCnt, PntBnAssoc" [Width::of_bones(bone_count)],
        /// 1 if each vertex has several bones.
        weight_kind: i32 = "PntBnWeightType" => known(&[0, 1]),
        /// Maximum number of bones of a vertex.
        bones_per_vertex: i32 = "BonesPerVertix" where weight_kind == 1 => |most| some_bones(*most),
        /// Weights of several bones for each vertex; wide records in files with 128 bones or more.
        weights: Weights<'a> = "BonesWeigthArLen, BonesWeigthArray" [WeightLayout::new(bone_count, bones_per_vertex)]
            where weight_kind == 1,
        /// Number of face groups.
        face_group_count: u64 as Length = "FaceGroupsCnt",
        /// The face groups in order. They vary in length; getting to the last one means reading the others.
        face_groups: Entries<'a, FaceGroup<'a>, Targets> [All("face_groups", face_group_count,
            Targets::new(positions.len(), normals.len(), uvs.map(|set| set.len()), mode))],
    }
    also |mesh, out| mesh.face_groups.describe_from(0, out)
}

fn some_bones(most: i32) -> Result<()> {
    if most > 0 { Ok(()) } else { Err(Error::malformed("fewer than 1 bone a vertex")) }
}

impl Mesh<'_> {
    /// Returns the context with which it was read.
    pub(super) fn layout(&self) -> MeshLayout {
        MeshLayout { bones: self.bone_count, uv_counts_apart: self.uv_counts_apart }
    }

    fn ends_well(&self) -> bool {
        self.face_groups.clone().all(|group| group.is_ok())
    }
}

/// Reads a mesh. If it has two sets of texture coordinates, walks the face groups to find out which of the two layouts
/// fits.
pub(super) fn read<'a>(node: &Node<'a>) -> Result<Mesh<'a>> {
    let body = node.body()?;
    let read = |uv_counts_apart| {
        let layout = MeshLayout { bones: node.bones.unwrap_or(0), uv_counts_apart };
        <Mesh<'a> as Read<'a, MeshLayout>>::read(&mut body.clone(), layout)
    };
    let mesh = read(false);
    let is_plain = |mesh: &Mesh<'_>| mesh.uvs.len() == 1 || mesh.ends_well();
    match mesh.as_ref().is_ok_and(is_plain) {
        true => mesh,
        false => read(true).ok().filter(Mesh::ends_well).map_or(mesh, Ok),
    }
}
