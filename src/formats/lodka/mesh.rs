//! MSH1: meshes.

use super::chunk::{Node, either};
use super::codes::Flag;
use super::face::{FaceGroup, Targets};
use super::fields::{Counted, Length, known};
use super::indices::{BoneIds, Indices, Width};
use super::sets::{PerSet, Sets};
use super::weight::Weights;
use crate::base::error::{Error, Result};
use crate::base::text::AnsiStr;
use crate::bytes::{LeArray, Vec2, Vec3};
use crate::record::list::{All, Entries};
use crate::record::{Known, record};

record! {
    /// A mesh (MSH1).
    Mesh<'a>(node: Node<'a>) named name {
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
        uv_counts_apart: bool as Known<bool> [node.as_described],
        /// The sets of texture coordinates.
        uvs: Sets<LeArray<'a, Vec2>> = "MeshTxCrdCnt, MeshTxCrd" [uv_sets(uv_set_count, uv_counts_apart)],
        /// Number of bones in the model.
        bone_count: u32 as Known<u32> = "BonesCnt" [node.bones_hint.unwrap_or(0)],
        /// The bone of each vertex, as an index into the skeleton's list; empty if there are no bones. u8, or u16 from
        /// 255 bones on.
        bone_ids: Indices<'a> as BoneIds<'a> = "PntBnAssocCnt, PntBnAssoc" [Width::of_bones(bone_count)],
        /// 1 if each vertex has several bones.
        weight_kind: i32 = "PntBnWeightType" => known(&[0, 1]),
        /// Maximum number of bones of a vertex.
        bones_per_vertex: i32 = "BonesPerVertix" where weight_kind == 1 => |most| some_bones(*most),
        /// Weights of several bones for each vertex; wide records in files with 128 bones or more.
        weights: Weights<'a> = "BonesWeigthArLen, BonesWeigthArray" [(bone_count, bones_per_vertex.map_or(1, i32::unsigned_abs))]
            where weight_kind == 1,
        /// Number of face groups.
        face_group_count: u64 as Length = "FaceGroupsCnt",
        /// The face groups in order. They vary in length; getting to the last one means reading the others.
        face_groups: Entries<'a, FaceGroup<'a>, Targets> [All("face_groups", face_group_count,
            Targets::new(positions.len(), normals.len(), uvs.map(|set| set.len()), mode))],
    }
    also |mesh, out| mesh.face_groups.describe_from(0, out)
}

fn uv_sets(count: Option<u8>, apart: bool) -> PerSet<()> {
    PerSet { sets: [Some(()), (count == Some(2)).then_some(())], apart }
}

fn some_bones(most: i32) -> Result<()> {
    if most > 0 { Ok(()) } else { Err(Error::malformed("fewer than 1 bone a vertex")) }
}

/// Reads a mesh. If it has two sets of texture coordinates, walks the face groups to find out which of the two layouts
/// fits.
pub(super) fn read<'a>(node: &Node<'a>) -> Result<Mesh<'a>> {
    either(node, |mesh: &Mesh<'_>| mesh.uvs.len() == 1 || { mesh.face_groups }.all(|group| group.is_ok()))
}
