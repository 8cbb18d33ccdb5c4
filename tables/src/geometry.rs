//! Converts the triangles of models to rows.

use std::ops::ControlFlow;
use std::sync::Arc;

use arrow_array::{ArrayRef, FixedSizeListArray, Float32Array, Int32Array};
use arrow_schema::{ArrowError, DataType, Field};

use super::cells::{Column, Ends, Flag, Float, Int, Long, OrNull, Rows, Text, clamped, columns, item};
use super::plain::{Key, index};
use meshpeek::geometry::{Mesh, Place, Primitive};
use meshpeek::summary::Name;
use meshpeek::{Asset, Budget, Error, Result};

/// A column of lists of points with N coordinates.
#[derive(Default)]
pub(super) struct Points<const N: usize> {
    numbers: Vec<f32>,
    ends: Ends,
}

impl<const N: usize> Points<N> {
    const WIDTH: i32 = if N == 2 { 2 } else { 3 };
}

impl<const N: usize> Column for Points<N> {
    type Cell<'c> = &'c [[f32; N]];

    fn data_type() -> DataType {
        DataType::List(item(DataType::FixedSizeList(item(DataType::Float32), Self::WIDTH)))
    }

    fn put(&mut self, cell: Option<&[[f32; N]]>) {
        self.numbers.extend_from_slice(cell.unwrap_or_default().as_flattened());
        self.ends.add(self.numbers.len().checked_div(N).unwrap_or(0));
    }

    fn take(&mut self) -> std::result::Result<ArrayRef, ArrowError> {
        let numbers = Arc::new(Float32Array::from(renewed(&mut self.numbers)));
        let points = FixedSizeListArray::try_new(item(DataType::Float32), Self::WIDTH, numbers, None)?;
        self.ends.take(Arc::new(points))
    }

    fn size(&self) -> (usize, usize) {
        (self.ends.len(), self.numbers.len().saturating_mul(size_of::<f32>()))
    }
}

/// Takes the numbers of a batch. The next one is likely to be as long.
fn renewed<T>(numbers: &mut Vec<T>) -> Vec<T> {
    let next = Vec::with_capacity(numbers.len().saturating_add(numbers.len() / 4));
    std::mem::replace(numbers, next)
}

/// A column of lists of triangles.
#[derive(Default)]
pub(super) struct Triangles {
    corners: Vec<i32>,
    ends: Ends,
}

impl Column for Triangles {
    type Cell<'c> = &'c [u32];

    fn data_type() -> DataType {
        DataType::List(item(DataType::FixedSizeList(item(DataType::Int32), 3)))
    }

    fn put(&mut self, cell: Option<&[u32]>) {
        let corner = |corner: &u32| i32::try_from(*corner).unwrap_or(i32::MAX);
        self.corners.extend(cell.unwrap_or_default().iter().map(corner));
        self.ends.add(self.corners.len() / 3);
    }

    fn take(&mut self) -> std::result::Result<ArrayRef, ArrowError> {
        let corners = Arc::new(Int32Array::from(renewed(&mut self.corners)));
        self.ends.take(Arc::new(FixedSizeListArray::try_new(item(DataType::Int32), 3, corners, None)?))
    }

    fn size(&self) -> (usize, usize) {
        (self.ends.len(), self.corners.len().saturating_mul(size_of::<i32>()))
    }
}

/// The triangles of one material in one mesh, at one place.
pub(super) struct GeometryRow<'g> {
    key: Key<'g>,
    index: usize,
    /// Its place, and the name there as text.
    place: Option<(Place<'g>, String)>,
    material: Option<String>,
    texture: Option<String>,
    mesh: Mesh,
    problem: Option<String>,
}

columns! {
    /// The triangles of models.
    Geometry of row: &'r GeometryRow<'r> {
        path: Text = &row.key.path.text,
        member: OrNull<Text> = row.key.member(),
        primitive: Int = index(row.index),
        name: OrNull<Text> = row.place.as_ref().map(|(_, name)| &**name),
        lod: OrNull<Int> = row.place.as_ref().and_then(|(place, _)| place.lod).map(|(lod, _)| index(lod)),
        resolution: OrNull<Float> = row.place.as_ref().and_then(|(place, _)| place.lod).map(|(_, resolution)| resolution),
        model: OrNull<Int> = row.place.as_ref().map(|(place, _)| index(place.model)),
        node: OrNull<Int> = row.place.as_ref().and_then(|(place, _)| place.node).map(index),
        mesh: OrNull<Int> = row.place.as_ref().map(|(place, _)| index(place.mesh)),
        visible: OrNull<Flag> = row.place.as_ref().map(|(place, _)| place.visible),
        material: OrNull<Text> = row.material.as_deref(),
        texture: OrNull<Text> = row.texture.as_deref(),
        positions: Points<3> = &row.mesh.positions,
        normals: Points<3> = &row.mesh.normals,
        uvs: Points<2> = row.mesh.uvs.first().map_or(&[], |uvs| uvs.as_slice()),
        triangles: Triangles = &row.mesh.indices,
        left_out: Long = clamped(row.mesh.left_out),
        problem: OrNull<Text> = row.problem.as_deref(),
    }
}

/// The size of a row in the results, without its texts and arrays.
const ROW_BYTES: u64 = 256;

/// Emits the primitives of an asset. Ends if the budget is spent, with a row that says so.
pub(super) fn emit(
    asset: &Asset<'_>,
    key: Key<'_>,
    budget: &Budget,
    take: &mut dyn FnMut(&GeometryRow<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    for (index, primitive) in asset.primitives().enumerate() {
        let mesh = Mesh::default();
        let mut row = GeometryRow { key, index, place: None, material: None, texture: None, mesh, problem: None };
        let filled = primitive.and_then(|primitive| row.fill(&primitive, budget));
        row.problem = filled.as_ref().err().map(Error::message);
        take(&row)?;
        if budget.output(0).is_err()
            || filled.is_err_and(|error| matches!(error.kind(), meshpeek::ErrorKind::Limit { .. }))
        {
            break;
        }
    }
    ControlFlow::Continue(())
}

impl<'g> GeometryRow<'g> {
    fn fill(&mut self, primitive: &Primitive<'g>, budget: &Budget) -> Result<()> {
        let place = primitive.place;
        let name = Name::from(place.name).text;
        budget.output(ROW_BYTES.saturating_add(name.len() as u64))?;
        self.place = Some((place, name));
        if let Some(material) = primitive.material()? {
            self.texture = material.base().map(|texture| Name::from(texture.name).text);
            self.material = Some(Name::from(material.name).text);
        }
        let texts = [&self.texture, &self.material].into_iter().flatten().map(String::len).sum::<usize>();
        budget.output(texts as u64)?;
        let mesh = primitive.to_plain_mesh(budget)?;
        let points = mesh.positions.len().saturating_add(mesh.normals.len()).saturating_add(mesh.indices.len());
        budget.output((points as u64).saturating_mul(12))?;
        self.mesh = mesh;
        Ok(())
    }
}
