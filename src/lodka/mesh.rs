//! MSH1: meshes.

use super::chunk::{Kind, Node, View};
use super::codes::Flag;
use super::face::{FaceGroup, Targets};
use super::fields::{Text, count, known_byte};
use super::indices::Indices;
use super::weight::Weights;
use crate::error::{Context, Result};
use crate::view::list::Entries;
use crate::view::record::{Form, Read};
use crate::view::{ByteStr, Cursor, LeArray, Vec2, Vec3};

/// A mesh (MSH1).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Mesh<'a> {
    /// Its name.
    pub name: ByteStr<'a>,
    /// Whether it moves with the skeleton (`isSkeletonExists`); writers leave it unset on skinned meshes too.
    pub has_skeleton: Flag,
    /// The layout (`MeshMode`): 3, or the older 2.
    pub mode: u8,
    /// Whether it is drawn.
    pub visible: Flag,
    /// The vertices (`MeshPointsPos`), in model units.
    pub positions: LeArray<'a, Vec3>,
    /// The normals that faces point to; often none.
    pub normals: LeArray<'a, Vec3>,
    uvs: [Option<LeArray<'a, Vec2>>; 2],
    /// One bone for each vertex, by position in the list (`PntBnAssoc`); empty where there is none. Wide from 255
    /// bones on.
    pub bone_ids: Indices<'a>,
    /// Several bones for each vertex (`BonesWeigthArray`).
    pub weights: Option<Weights<'a>>,
    /// How many face groups.
    pub face_group_count: u64,
    /// How many bones the model has.
    pub bone_count: u32,
    /// Whether each texture coordinate count stands right before its array, as the description words it, and not
    /// before both arrays. Told from where the mesh ends; no such file was ever seen.
    pub uv_counts_apart: bool,
    groups: Cursor<'a>,
}

impl<'a> Mesh<'a> {
    /// How many sets of texture coordinates (`MeshTextureNumber`): 1 or 2.
    pub fn uv_set_count(&self) -> usize {
        self.uvs.iter().flatten().count()
    }

    /// A set of texture coordinates (`MeshTxCrd`); `None` past the last set.
    pub fn uvs(&self, set: usize) -> Option<LeArray<'a, Vec2>> {
        *self.uvs.get(set)?
    }

    /// The face groups in order. Each has another length, so the way to the last one leads over all.
    pub fn face_groups(&self) -> Entries<'a, FaceGroup<'a>, Targets> {
        let targets = Targets {
            vertices: self.positions.len(),
            normals: self.normals.len(),
            uvs: self.uvs.map(|set| set.map(|set| set.len())),
            mode: self.mode,
        };
        Entries::all("face_groups", self.groups, self.face_group_count, targets)
    }

    fn read_as(mut cursor: Cursor<'a>, bone_count: u32, uv_counts_apart: bool) -> Result<Self> {
        let cursor = &mut cursor;
        let name = Text::read(cursor, ()).map(Text::into_value).within("name")?;
        let has_skeleton = Flag(cursor.u8().within("has_skeleton")?);
        let mode = known_byte(cursor, &[2, 3]).within("mode")?;
        let visible = Flag(cursor.u8().within("visible")?);
        let positions = counted(cursor).within("positions")?;
        let normals = counted(cursor).within("normals")?;
        let sets = if mode == 3 { known_byte(cursor, &[1, 2]).within("uv_set_count")? } else { 1 };
        let uvs = match (sets, uv_counts_apart) {
            (1, _) => [Some(counted(cursor).within_item("uvs", 0)?), None],
            (_, false) => {
                let counts = [count(cursor).within_item("uvs", 0)?, count(cursor).within_item("uvs", 1)?];
                let [first, second] = counts.map(|count| cursor.array(count));
                [Some(first.within_item("uvs", 0)?), Some(second.within_item("uvs", 1)?)]
            }
            (_, true) => {
                let first = counted(cursor).within_item("uvs", 0)?;
                [Some(first), Some(counted(cursor).within_item("uvs", 1)?)]
            }
        };
        let bone_ids = count(cursor).and_then(|count| match bone_count {
            0..255 => cursor.array(count).map(Indices::U8),
            _ => cursor.array(count).map(Indices::U16),
        });
        let bone_ids = bone_ids.within("bone_ids")?;
        let weights = Weights::read(cursor, bone_count).within("weights")?;
        let face_group_count = count(cursor).within("face_groups")?;
        Ok(Self {
            name,
            has_skeleton,
            mode,
            visible,
            positions,
            normals,
            uvs,
            bone_ids,
            weights,
            face_group_count,
            bone_count,
            uv_counts_apart,
            groups: *cursor,
        })
    }

    fn ends_well(&self) -> bool {
        self.face_groups().all(|group| group.is_ok())
    }
}

/// A count and that many elements.
fn counted<'a, T: crate::view::Element>(cursor: &mut Cursor<'a>) -> Result<LeArray<'a, T>> {
    let count = count(cursor)?;
    cursor.array(count)
}

impl<'a> View<'a> for Mesh<'a> {
    const KIND: Kind = Kind::Mesh;

    /// Walks the face groups only where there are two sets of texture coordinates, to tell the two readings apart.
    fn read(node: &Node<'a>) -> Result<Self> {
        let body = node.body()?;
        let bones = node.bones.unwrap_or(0);
        let mesh = Self::read_as(body, bones, false);
        match &mesh {
            Ok(mesh) if mesh.uv_set_count() == 1 || mesh.ends_well() => {}
            _ => {
                if let Ok(apart) = Self::read_as(body, bones, true)
                    && apart.ends_well()
                {
                    return Ok(apart);
                }
            }
        }
        mesh
    }
}
