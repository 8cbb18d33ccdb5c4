//! MAN1 and MMD1: morph animations, after Quake III's models.

use super::chunk::Node;
use super::fields::{cursor_over, dissected, known, not_negative, total};
use super::packed::{Records, packed};
use super::text::text;
use super::wire::{
    MorphAnimation, MorphBone, MorphCollider, MorphMatrix, MorphMeshRecord, MorphRecord, WideMorphRecord,
};
use crate::base::amount::Amount;
use crate::base::error::{Context, Result};
use crate::base::text::AnsiStr;
use crate::bytes::{Cursor, LeArray, Vec3};
use crate::record::grammar;
use crate::record::parser::{array, framing, le_i32, verify};

grammar! {
    /// Collections of morph animations (MAN1): six tables, each for all collections together.
    /// [`collections`](Self::collections) splits them.
    MorphCollections<'a>(node: Node<'a>) {
        /// The layout: 0.
        #[label("MorphCollType")] kind: i32 = verify(le_i32(), known(&[0])),
        /// True if the records have the gap that the description's offset column implies.
        let wide_records: bool = node.as_described;
        /// The counts of each collection.
        records: Records<'a, MorphRecord, WideMorphRecord> = packed(node.count(), wide_records),
        /// The bones of all collections.
        bones: LeArray<'a, MorphBone> = dissected(array(sum(&records, |record| record.bones.get())?)),
        /// The animations of all collections.
        animations: LeArray<'a, MorphAnimation> = dissected(array(sum(&records, |record| record.animations.get())?)),
        /// The concatenated names of all collections, and of their colliders, bones and animations.
        #[label("MCAllNames")] names: AnsiStr<'a> = framing(text(all_names_len(&records, &bones, &animations)?)),
        /// Transforms of the bones, ordered by collection, bone, animation, frame.
        #[label("MCMatRotPos")]
        matrices: LeArray<'a, MorphMatrix> = dissected(array(matrix_total(&records, &animations)?)),
        /// Bounds of the collections, ordered by collection, animation, frame.
        colliders: LeArray<'a, MorphCollider> = dissected(array(frame_total(&animations)?)),
    }
}

type MorphRecords<'a> = Records<'a, MorphRecord, WideMorphRecord>;

/// Returns the sum of a count or length over all records.
fn sum(records: &MorphRecords<'_>, field: fn(&MorphRecord) -> i32) -> Result<u64> {
    total(records.iter().map(|record| field(&record)), records.offset(), "records")
}

/// Returns the number of bytes of all names: those of collections, colliders, bones and animations.
fn all_names_len(
    records: &MorphRecords<'_>,
    bones: &LeArray<'_, MorphBone>,
    animations: &LeArray<'_, MorphAnimation>,
) -> Result<u64> {
    let collections = sum(records, |record| record.name_len.get())?;
    let colliders = sum(records, |record| record.collider_name_len.get())?;
    let bones = bone_names_len(bones)?;
    let animations = animation_names_len(animations)?;
    Ok((Amount(collections) + colliders + bones + animations).0)
}

/// Returns the number of bytes of the names of these bones.
fn bone_names_len(bones: &LeArray<'_, MorphBone>) -> Result<u64> {
    total(bones.iter().map(|bone| bone.name_len.get()), bones.offset(), "bones")
}

/// Returns the number of bytes of the names of these animations.
fn animation_names_len(animations: &LeArray<'_, MorphAnimation>) -> Result<u64> {
    total(animations.iter().map(|animation| animation.name_len.get()), animations.offset(), "animations")
}

/// Returns the number of frames of these animations together.
fn frame_total(animations: &LeArray<'_, MorphAnimation>) -> Result<u64> {
    total(animations.iter().map(|animation| animation.frames.get()), animations.offset(), "animations")
}

/// Returns the number of matrices: for each collection, one for each of its bones in each of its frames.
fn matrix_total(records: &MorphRecords<'_>, animations: &LeArray<'_, MorphAnimation>) -> Result<u64> {
    // An error has the offset of the whole table, not of the animations of one collection.
    frame_total(animations)?;
    let mut left = cursor_over(*animations);
    let mut sum = Amount(0);
    for record in records.iter() {
        let own = left.array::<MorphAnimation>(not_negative(record.animations.get())?)?;
        let bones = Amount(not_negative(record.bones.get())?);
        sum = sum + bones * frame_total(&own)?;
    }
    Ok(sum.0)
}

impl<'a> MorphCollections<'a> {
    /// Returns an iterator over the collections, each with its part of every table. Getting to the last one means
    /// walking the others.
    pub(crate) fn collections(&self) -> impl Iterator<Item = MorphCollection<'a>> + use<'a> {
        let mut tables = Tables {
            bones: cursor_over(self.bones),
            animations: cursor_over(self.animations),
            names: Cursor::new(self.names.as_bytes()),
            matrices: cursor_over(self.matrices),
            colliders: cursor_over(self.colliders),
        };
        // The tables were read with the sums of these counts, so each has enough for every record.
        self.records.iter().map_while(move |record| tables.split_off(record).ok())
    }
}

/// The parts of the tables that belong to the collections not yet split off.
struct Tables<'a> {
    bones: Cursor<'a>,
    animations: Cursor<'a>,
    names: Cursor<'a>,
    matrices: Cursor<'a>,
    colliders: Cursor<'a>,
}

impl<'a> Tables<'a> {
    /// Splits off the part of every table that belongs to the next collection, which has this record.
    fn split_off(&mut self, record: MorphRecord) -> Result<MorphCollection<'a>> {
        let bones = self.bones.array(not_negative(record.bones.get())?)?;
        let animations = self.animations.array(not_negative(record.animations.get())?)?;
        let frame_count = frame_total(&animations)?;
        Ok(MorphCollection {
            // The names are stored in this order.
            name: next_name(&mut self.names, record.name_len.get())?,
            collider_name: next_name(&mut self.names, record.collider_name_len.get())?,
            bone_names: self.names.split(bone_names_len(&bones)?)?,
            animation_names: self.names.split(animation_names_len(&animations)?)?,
            matrices: self.matrices.array(frame_count.saturating_mul(bones.len() as u64))?,
            colliders: self.colliders.array(frame_count)?,
            record,
            bones,
            animations,
            frame_count,
        })
    }
}

/// One collection of morph animations.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub(crate) struct MorphCollection<'a> {
    /// Its counts and its parent.
    pub record: MorphRecord,
    /// Its name.
    pub name: AnsiStr<'a>,
    /// Its collider's name.
    pub collider_name: AnsiStr<'a>,
    /// Its bones.
    pub bones: LeArray<'a, MorphBone>,
    bone_names: Cursor<'a>,
    /// Its animations.
    pub animations: LeArray<'a, MorphAnimation>,
    animation_names: Cursor<'a>,
    /// The total number of frames of its animations.
    pub frame_count: u64,
    /// Transforms of its bones, ordered by bone, animation, frame.
    pub matrices: LeArray<'a, MorphMatrix>,
    /// Its bounds, ordered by animation, frame.
    pub colliders: LeArray<'a, MorphCollider>,
}

impl<'a> MorphCollection<'a> {
    /// Returns an iterator over the bones' names.
    pub(crate) fn bone_names(&self) -> impl Iterator<Item = AnsiStr<'a>> + use<'a> {
        let mut names = self.bone_names;
        self.bones.iter().map_while(move |bone| next_name(&mut names, bone.name_len.get()).ok())
    }

    /// Returns an iterator over the animations' names.
    pub(crate) fn animation_names(&self) -> impl Iterator<Item = AnsiStr<'a>> + use<'a> {
        let mut names = self.animation_names;
        self.animations.iter().map_while(move |animation| next_name(&mut names, animation.name_len.get()).ok())
    }
}

/// Reads the next of concatenated names, which has this length.
fn next_name<'a>(names: &mut Cursor<'a>, length: i32) -> Result<AnsiStr<'a>> {
    names.bytes(not_negative(length)?).map(AnsiStr::new)
}

grammar! {
    /// Meshes with morphed vertices (MMD1).
    MorphMeshes<'a>(node: Node<'a>) {
        /// The layout: 0.
        #[label("MorphCollType")] kind: i32 = verify(le_i32(), known(&[0])),
        /// The counts of each morphed mesh.
        records: LeArray<'a, MorphMeshRecord> = array(node.count()),
        /// The concatenated names of all meshes, and of the collections that move them.
        #[label("MMAllNames")] names: AnsiStr<'a> = framing(text(mesh_names_len(&records)?)),
        /// The number of vertices in all frames together, according to the file.
        #[label("MMVertexCount")] vertex_count: i32,
        /// Vertices, ordered by mesh, frame, vertex.
        #[label("MMVertex")] vertices: LeArray<'a, Vec3> = dissected(array(vertex_total(&records)?)),
    }
}

/// Returns the number of bytes of all names: those of the meshes and of their collections.
fn mesh_names_len(records: &LeArray<'_, MorphMeshRecord>) -> Result<u64> {
    let meshes = total(records.iter().map(|record| record.name_len.get()), records.offset(), "records")?;
    let lengths = records.iter().map(|record| record.collection_name_len.get());
    let collections = total(lengths, records.offset(), "records")?;
    Ok(meshes.saturating_add(collections))
}

/// Returns the number of vertices of all meshes, in all their frames.
fn vertex_total(records: &LeArray<'_, MorphMeshRecord>) -> Result<u64> {
    let mut sum = Amount(0);
    for record in records.iter() {
        let vertices = vertices_of(record).map_err(|error| error.at(records.offset())).within("records")?;
        sum += vertices;
    }
    Ok(sum.0)
}

/// Returns the number of vertices of a mesh, in all its frames.
fn vertices_of(record: &MorphMeshRecord) -> Result<u64> {
    Ok(not_negative(record.frames.get())?.saturating_mul(not_negative(record.vertices.get())?))
}

impl<'a> MorphMeshes<'a> {
    /// Returns an iterator over the morphed meshes. Getting to the last one means walking the others.
    pub(crate) fn meshes(&self) -> impl Iterator<Item = MorphMesh<'a>> + use<'a> {
        let mut names = Cursor::new(self.names.as_bytes());
        let mut vertices = cursor_over(self.vertices);
        // They were read with the sums of these counts, so there are enough for every record.
        self.records.iter().map_while(move |record| {
            Some(MorphMesh {
                record,
                name: next_name(&mut names, record.name_len.get()).ok()?,
                collection_name: next_name(&mut names, record.collection_name_len.get()).ok()?,
                vertices: vertices.array(vertices_of(record).ok()?).ok()?,
            })
        })
    }
}

/// A mesh with morphed vertices.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub(crate) struct MorphMesh<'a> {
    /// Its counts and its target mesh.
    pub record: &'a MorphMeshRecord,
    /// The mesh's name.
    pub name: AnsiStr<'a>,
    /// The name of the collection that moves it.
    pub collection_name: AnsiStr<'a>,
    /// Vertices, ordered by frame, vertex.
    pub vertices: LeArray<'a, Vec3>,
}
