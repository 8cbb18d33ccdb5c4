//! MAN1 and MMD1: morph animations, after Quake III's models.

use super::chunk::{Kind, Node, View};
use super::fields::{end, header_count, known_number, not_negative, total};
use super::packed::Records;
use super::wire::{
    MorphAnimation, MorphBone, MorphCollider, MorphMatrix, MorphMeshRecord, MorphRecord, WideMorphRecord,
};
use crate::error::{Context, Error, Result};
use crate::view::{ByteStr, Cursor, Element, LeArray, Vec3};

/// Collections of morph animations (MAN1). Six tables, each of them for all collections together;
/// [`collections`](Self::collections) cuts them.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct MorphCollections<'a> {
    /// The layout (`MorphCollType`): 0.
    pub kind: i32,
    /// What each collection has.
    pub records: Records<'a, MorphRecord, WideMorphRecord>,
    /// The bones of all collections.
    pub bones: LeArray<'a, MorphBone>,
    /// The animations of all collections.
    pub animations: LeArray<'a, MorphAnimation>,
    names: Cursor<'a>,
    /// The bones' places: collection, in it bone, in it animation, in it frame.
    pub matrices: LeArray<'a, MorphMatrix>,
    /// The collections' bounds: collection, in it animation, in it frame.
    pub colliders: LeArray<'a, MorphCollider>,
}

impl<'a> MorphCollections<'a> {
    /// The collections in order, each with its part of every table. The way to the last one leads over all.
    pub fn collections(&self) -> impl Iterator<Item = MorphCollection<'a>> + use<'a> {
        let mut left = Tables {
            bones: at(self.bones),
            animations: at(self.animations),
            names: self.names,
            matrices: at(self.matrices),
            colliders: at(self.colliders),
        };
        self.records.iter().map_while(move |record| left.collection(record).ok())
    }

    fn read_as(mut cursor: Cursor<'a>, count: u64, wide: bool) -> Result<Self> {
        let kind = known_number(&mut cursor, &[0]).within("kind")?;
        let records_at = cursor.offset();
        let records = match wide {
            false => cursor.array(count).map(Records::Packed),
            true => cursor.array(count).map(Records::Wide),
        };
        let records = records.within("records")?;
        let sum = |field: fn(&MorphRecord) -> i32| {
            total(records.iter().map(|record| field(&record))).map_err(|error| error.at(records_at)).within("records")
        };
        let own_names =
            sum(|record| record.name_len.get())?.saturating_add(sum(|record| record.collider_name_len.get())?);
        let bones = cursor.array::<MorphBone>(sum(|record| record.bones.get())?).within("bones")?;
        let animations = cursor.array::<MorphAnimation>(sum(|record| record.animations.get())?).within("animations")?;
        let bone_names = total(bones.iter().map(|bone| bone.name_len.get()))
            .map_err(|error| error.at(bones.offset()))
            .within("bones")?;
        let sum = |field: fn(&MorphAnimation) -> i32| {
            total(animations.iter().map(field)).map_err(|error| error.at(animations.offset())).within("animations")
        };
        let names = own_names.saturating_add(bone_names).saturating_add(sum(|animation| animation.name_len.get())?);
        let names = cursor.split(names).within("names")?;
        let frames = sum(|animation| animation.frames.get())?;
        let mut first = 0_usize;
        let mut matrices = 0_u64;
        for record in records.iter() {
            // Not negative, and as many in all as the table has: the sums above have shown it.
            let own = usize::try_from(record.animations.get()).unwrap_or(0);
            let own_frames = total(animations.iter().skip(first).take(own).map(|animation| animation.frames.get()))?;
            first = first.saturating_add(own);
            let own_bones = not_negative(record.bones.get())?;
            matrices = matrices.saturating_add(own_bones.saturating_mul(own_frames));
        }
        let matrices = cursor.array(matrices).within("matrices")?;
        let colliders = cursor.array(frames).within("colliders")?;
        end(&cursor)?;
        Ok(Self { kind, records, bones, animations, names, matrices, colliders })
    }
}

impl<'a> View<'a> for MorphCollections<'a> {
    const KIND: Kind = Kind::MorphCollections;

    /// Adds up the counts and lengths of all records; tries the wide records where packed ones do not come out.
    fn read(node: &Node<'a>) -> Result<Self> {
        let (body, count) = (node.body()?, header_count(node)?);
        Self::read_as(body, count, false).or_else(|error| Self::read_as(body, count, true).map_err(|_| error))
    }
}

fn at<T: Element>(table: LeArray<'_, T>) -> Cursor<'_> {
    Cursor::with_offset(table.as_bytes(), table.offset())
}

/// What is left of the tables while collections are cut off.
struct Tables<'a> {
    bones: Cursor<'a>,
    animations: Cursor<'a>,
    names: Cursor<'a>,
    matrices: Cursor<'a>,
    colliders: Cursor<'a>,
}

impl<'a> Tables<'a> {
    fn collection(&mut self, record: MorphRecord) -> Result<MorphCollection<'a>> {
        let bones = self.bones.array::<MorphBone>(not_negative(record.bones.get())?)?;
        let animations = self.animations.array::<MorphAnimation>(not_negative(record.animations.get())?)?;
        let frame_count = total(animations.iter().map(|animation| animation.frames.get()))?;
        Ok(MorphCollection {
            name: self.name(record.name_len.get())?,
            collider_name: self.name(record.collider_name_len.get())?,
            bone_names: self.names.split(total(bones.iter().map(|bone| bone.name_len.get()))?)?,
            animation_names: self.names.split(total(animations.iter().map(|animation| animation.name_len.get()))?)?,
            matrices: self.matrices.array(frame_count.saturating_mul(bones.len() as u64))?,
            colliders: self.colliders.array(frame_count)?,
            record,
            bones,
            animations,
            frame_count,
        })
    }

    fn name(&mut self, length: i32) -> Result<ByteStr<'a>> {
        Ok(ByteStr::new(self.names.take(not_negative(length)?)?))
    }
}

/// One collection of morph animations.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct MorphCollection<'a> {
    /// Its counts and what it hangs on.
    pub record: MorphRecord,
    /// Its name.
    pub name: ByteStr<'a>,
    /// Its collider's name.
    pub collider_name: ByteStr<'a>,
    /// Its bones.
    pub bones: LeArray<'a, MorphBone>,
    bone_names: Cursor<'a>,
    /// Its animations.
    pub animations: LeArray<'a, MorphAnimation>,
    animation_names: Cursor<'a>,
    /// How many frames its animations have together.
    pub frame_count: u64,
    /// Its bones' places: bone, in it animation, in it frame.
    pub matrices: LeArray<'a, MorphMatrix>,
    /// Its bounds: animation, in it frame.
    pub colliders: LeArray<'a, MorphCollider>,
}

impl<'a> MorphCollection<'a> {
    /// The bones' names in order.
    pub fn bone_names(&self) -> impl Iterator<Item = ByteStr<'a>> + use<'a> {
        let mut names = self.bone_names;
        self.bones.iter().map_while(move |bone| next_name(&mut names, bone.name_len.get()))
    }

    /// The animations' names in order.
    pub fn animation_names(&self) -> impl Iterator<Item = ByteStr<'a>> + use<'a> {
        let mut names = self.animation_names;
        self.animations.iter().map_while(move |animation| next_name(&mut names, animation.name_len.get()))
    }

    /// A bone's place in a frame, the frames of all animations counted through.
    pub fn matrix(&self, bone: usize, frame: usize) -> Option<&'a MorphMatrix> {
        let frames = usize::try_from(self.frame_count).ok().filter(|&frames| frame < frames)?;
        self.matrices.get(bone.checked_mul(frames)?.checked_add(frame)?)
    }
}

fn next_name<'a>(names: &mut Cursor<'a>, length: i32) -> Option<ByteStr<'a>> {
    names.take(not_negative(length).ok()?).ok().map(ByteStr::new)
}

/// Meshes with morphed vertices (MMD1).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct MorphMeshes<'a> {
    /// The layout (`MorphCollType`): 0.
    pub kind: i32,
    /// What each morphed mesh has.
    pub records: LeArray<'a, MorphMeshRecord>,
    names: Cursor<'a>,
    /// How many vertices there are in all frames together, by the file's own word (`MMVertexCount`).
    pub vertex_count_hint: i32,
    /// Where that number lies.
    pub(crate) vertex_count_at: u64,
    /// The vertices: mesh, in it frame, in it vertex.
    pub vertices: LeArray<'a, Vec3>,
}

impl<'a> MorphMeshes<'a> {
    /// The morphed meshes in order. The way to the last one leads over all.
    pub fn meshes(&self) -> impl Iterator<Item = MorphMesh<'a>> + use<'a> {
        let (mut names, mut vertices) = (self.names, at(self.vertices));
        self.records.iter().map_while(move |record| {
            Some(MorphMesh {
                record,
                name: next_name(&mut names, record.name_len.get())?,
                collection_name: next_name(&mut names, record.collection_name_len.get())?,
                vertices: vertices.array(vertex_total(record).ok()?).ok()?,
            })
        })
    }
}

fn vertex_total(record: &MorphMeshRecord) -> Result<u64> {
    Ok(not_negative(record.frames.get())?.saturating_mul(not_negative(record.vertices.get())?))
}

impl<'a> View<'a> for MorphMeshes<'a> {
    const KIND: Kind = Kind::MorphMeshes;

    /// Adds up the counts and lengths of all records.
    fn read(node: &Node<'a>) -> Result<Self> {
        let mut cursor = node.body()?;
        let kind = known_number(&mut cursor, &[0]).within("kind")?;
        let records = cursor.array::<MorphMeshRecord>(header_count(node)?).within("records")?;
        let add = |sum: u64, length: Result<u64>| Ok(sum.saturating_add(length?));
        let placed = |error: Error| error.at(records.offset()).within("records");
        let lengths = records.iter().flat_map(|record| [record.name_len.get(), record.collection_name_len.get()]);
        let names = cursor.split(total(lengths).map_err(placed)?).within("names")?;
        let vertex_count_at = cursor.offset();
        let vertex_count_hint = cursor.i32().within("vertex_count")?;
        let vertices = records.iter().map(vertex_total).try_fold(0, add).map_err(placed)?;
        let vertices = cursor.array(vertices).within("vertices")?;
        end(&cursor)?;
        Ok(Self { kind, records, names, vertex_count_hint, vertex_count_at, vertices })
    }
}

/// A mesh with morphed vertices.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct MorphMesh<'a> {
    /// Its counts and the mesh that it is for.
    pub record: &'a MorphMeshRecord,
    /// The mesh's name.
    pub name: ByteStr<'a>,
    /// The name of the collection that moves it.
    pub collection_name: ByteStr<'a>,
    /// The vertices: frame, in it vertex.
    pub vertices: LeArray<'a, Vec3>,
}

impl<'a> MorphMesh<'a> {
    /// All vertices in a frame; empty where the mesh has none.
    pub fn frame(&self, frame: usize) -> Option<&'a [Vec3]> {
        if frame >= usize::try_from(self.record.frames.get()).ok()? {
            return None;
        }
        let vertices = usize::try_from(self.record.vertices.get()).ok()?;
        let start = frame.checked_mul(vertices)?;
        self.vertices.as_slice().get(start..start.checked_add(vertices)?)
    }
}
