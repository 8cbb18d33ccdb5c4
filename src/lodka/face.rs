//! Face groups: triangles of one material.

use zerocopy::little_endian::U32;

use super::codes::{FaceMode, Flag};
use super::fields::{Text, count, known_number};
use super::indices::Indices;
use crate::error::{Context, Result};
use crate::view::record::{Form, Read, Stored, Type};
use crate::view::{ByteStr, Cursor, LeArray};

/// How long the arrays are that a mesh's face groups point into: the width of an index follows from that.
#[derive(Clone, Copy, Debug)]
pub struct Targets {
    pub(crate) vertices: usize,
    pub(crate) normals: usize,
    pub(crate) uvs: [Option<usize>; 2],
    pub(crate) mode: u8,
}

/// Triangles that share their materials.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct FaceGroup<'a> {
    /// The layout (`FaceType`): 2, or the older 1 without smoothing.
    pub kind: i32,
    /// How indices form triangles (`FaceMode`).
    pub mode: FaceMode,
    /// Its name.
    pub name: ByteStr<'a>,
    /// Whether it is drawn.
    pub visible: Flag,
    materials: [Option<ByteStr<'a>>; 2],
    /// Which vertex each corner has (`VertexIndex`).
    pub vertex_indices: Indices<'a>,
    /// For each triangle a mask of the 32 smoothing groups it is in (`SmoothData`), or none at all; `None` in layout 1.
    pub smoothing: Option<LeArray<'a, U32>>,
    /// Which normal each corner has (`NormalIndex`), or none at all.
    pub normal_indices: Indices<'a>,
    uv_indices: [Option<Indices<'a>>; 2],
}

impl<'a> FaceGroup<'a> {
    /// The name of the material for a set of texture coordinates (`FaceMatName`); `None` past the last set.
    pub fn material(&self, set: usize) -> Option<ByteStr<'a>> {
        *self.materials.get(set)?
    }

    /// Which texture coordinates of a set each corner has (`TxCrdsInd`), or none at all; `None` past the last set.
    pub fn uv_indices(&self, set: usize) -> Option<Indices<'a>> {
        *self.uv_indices.get(set)?
    }

    /// How many triangles the vertex indices form.
    pub fn triangle_count(&self) -> usize {
        let corners = self.vertex_indices.len();
        match self.mode.name() {
            Some("strip" | "fan") => corners.saturating_sub(2),
            Some("quads") => corners.div_euclid(4).saturating_mul(2),
            _ => corners.div_euclid(3),
        }
    }
}

impl Stored for FaceGroup<'_> {
    const TYPE: Type = Type::Varying("face group", 0);
}

impl<'a> Read<'a, Targets> for FaceGroup<'a> {
    fn read(cursor: &mut Cursor<'a>, targets: Targets) -> Result<Self> {
        let kind = known_number(cursor, &[1, 2]).within("kind")?;
        let spare = usize::from(kind == 1);
        let spare_uv = usize::from(kind == 1 && targets.mode == 2);
        let mode = FaceMode(cursor.u8().within("mode")?);
        let name = Text::read(cursor, ()).map(Text::into_value).within("name")?;
        let visible = Flag(cursor.u8().within("visible")?);
        let materials = each_set(cursor, &targets, |cursor, length, _| cursor.take(length)).within("materials")?;
        let vertices = count(cursor).within("vertex_indices")?;
        let vertex_indices = Indices::read(cursor, vertices, targets.vertices, spare).within("vertex_indices")?;
        let smoothing = (kind == 2).then(|| count(cursor).and_then(|count| cursor.array(count)));
        let smoothing = smoothing.transpose().within("smoothing")?;
        let normals = count(cursor).within("normal_indices")?;
        let normal_indices = Indices::read(cursor, normals, targets.normals, spare).within("normal_indices")?;
        let uv_indices =
            each_set(cursor, &targets, |cursor, count, target| Indices::read(cursor, count, target, spare_uv));
        Ok(Self {
            kind,
            mode,
            name,
            visible,
            materials: materials.map(|name| name.map(ByteStr::new)),
            vertex_indices,
            smoothing,
            normal_indices,
            uv_indices: uv_indices.within("uv_indices")?,
        })
    }
}

/// Something for each set of texture coordinates: first all counts, then all contents.
fn each_set<'a, T>(
    cursor: &mut Cursor<'a>,
    targets: &Targets,
    mut read: impl FnMut(&mut Cursor<'a>, u64, usize) -> Result<T>,
) -> Result<[Option<T>; 2]> {
    let [first, second] = targets.uvs;
    let mut counts = |target: Option<usize>| target.map(|target| Ok((count(cursor)?, target))).transpose();
    let counts: [Result<Option<(u64, usize)>>; 2] = [counts(first), counts(second)];
    let mut content =
        |found: Option<(u64, usize)>| found.map(|(count, target)| read(cursor, count, target)).transpose();
    let [first, second] = counts;
    Ok([content(first?)?, content(second?)?])
}
