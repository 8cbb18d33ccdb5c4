//! MSH1: meshes.

use nom::Parser as _;

use super::chunk::{Node, as_described, whole};
use super::codes::Flag;
use super::face::{FaceGroup, Targets};
use super::fields::{known, length};
use super::indices::{Indices, Width, bone_ids};
use super::sets::{PerSet, Sets, per_set};
use super::text::text_with_length;
use super::weight::{Weights, weights};
use crate::base::error::{Error, Result};
use crate::base::text::AnsiStr;
use crate::bytes::{LeArray, Vec2, Vec3};
use crate::record::grammar;
use crate::record::list::Entries;
use crate::record::parser::{array, cond, counted, le_i32, le_u8, length_array, rest_count, verify};

grammar! {
    /// A mesh (MSH1).
    Mesh<'a>(node: Node<'a>) named name {
        /// Its name.
        #[label("MeshNameLen, MeshName")] name: AnsiStr<'a> = text_with_length(),
        /// True if it moves with the skeleton; writers leave it unset on skinned meshes too.
        #[label("isSkeletonExists")] has_skeleton: Flag = le_u8().map(Flag),
        /// The layout: 3, or the older 2.
        #[label("MeshMode")] mode: u8 = verify(le_u8(), known(&[2, 3])),
        /// True if it is drawn.
        #[label("isMeshVisible")] visible: Flag = le_u8().map(Flag),
        /// The vertices, in model units.
        #[label("MeshVertexCnt, MeshPointsPos")] positions: LeArray<'a, Vec3> = length_array(length()),
        /// The normals, which faces refer to by index; often empty.
        #[label("MeshNormalsCnt, MeshNormals")] normals: LeArray<'a, Vec3> = length_array(length()),
        /// Number of sets of texture coordinates: 1 or 2; in the older layout always 1.
        #[label("MeshTextureNumber")] uv_set_count: Option<u8> = cond(mode == 3, verify(le_u8(), known(&[1, 2]))),
        /// True if the count of each set of texture coordinates is directly before its array, as the description says.
        /// Otherwise both counts are before both arrays. Determined by which reading ends exactly at the chunk's end;
        /// no file with separate counts is known.
        let uv_counts_apart: bool = node.as_described;
        /// The sets of texture coordinates.
        #[label("MeshTxCrdCnt, MeshTxCrd")]
        uvs: Sets<LeArray<'a, Vec2>> = per_set(uv_sets(uv_set_count, uv_counts_apart), |count, ()| array(count)),
        /// Number of bones in the model.
        #[label("BonesCnt")] let bone_count: u32 = node.bones_hint.unwrap_or(0);
        /// The bone of each vertex, as an index into the skeleton's list; empty if there are no bones. u8, or u16 from
        /// 255 bones on.
        #[label("PntBnAssocCnt, PntBnAssoc")]
        bone_ids: Indices<'a> = counted(length(), move |count| bone_ids(count, Width::of_bones(bone_count))),
        /// 1 if each vertex has several bones.
        #[label("PntBnWeightType")] weight_kind: i32 = verify(le_i32(), known(&[0, 1])),
        /// Maximum number of bones of a vertex.
        #[label("BonesPerVertix")]
        bones_per_vertex: Option<i32> = cond(weight_kind == 1, verify(le_i32(), |most| some_bones(*most))),
        /// Weights of several bones for each vertex; wide records in files with 128 bones or more.
        #[label("BonesWeigthArLen, BonesWeigthArray")] weights: Option<Weights<'a>> = cond(
            weight_kind == 1,
            counted(length(), move |count| weights(count, bone_count, bones_per_vertex.map_or(1, i32::unsigned_abs)))
        ),
        /// Number of face groups.
        #[label("FaceGroupsCnt")] face_group_count: u64 = length(),
        /// The face groups in order. They vary in length; getting to the last one means reading the others.
        face_groups: Entries<'a, FaceGroup<'a>, Targets> = rest_count(
            "face_groups",
            FaceGroup::parser(Targets::new(positions.len(), normals.len(), uvs.map(|set| set.len()), mode)),
            face_group_count
        ),
    }
    also |mesh, out| mesh.face_groups.describe_from(0, out)
}

/// Returns which sets of texture coordinates to read: two if `count` is 2, and otherwise one. `apart` is true if their
/// counts are apart.
fn uv_sets(count: Option<u8>, apart: bool) -> PerSet<()> {
    let second = if count == Some(2) { Some(()) } else { None };
    PerSet { sets: [Some(()), second], apart }
}

/// Checks the maximum number of bones of a vertex.
fn some_bones(most: i32) -> Result<()> {
    if most > 0 { Ok(()) } else { Err(Error::malformed("fewer than 1 bone a vertex")) }
}

/// Reads a mesh. If it has two sets of texture coordinates, walks the face groups to find out which of the two layouts
/// fits. If neither does, returns the result of the author's own layout.
pub(super) fn read<'a>(node: &Node<'a>) -> Result<Mesh<'a>> {
    let as_loaded = whole(node);
    if let Ok(mesh) = &as_loaded
        && fits(mesh)
    {
        return as_loaded;
    }
    match as_described(node) {
        Ok(mesh) if fits(&mesh) => Ok(mesh),
        _ => as_loaded,
    }
}

/// Returns true if all face groups of the mesh can be read, or if it has one set of texture coordinates, for which both
/// layouts are the same.
fn fits(mesh: &Mesh<'_>) -> bool {
    if mesh.uvs.len() == 1 {
        return true;
    }
    let mut face_groups = mesh.face_groups;
    face_groups.all(|group| group.is_ok())
}
