//! Converts the triangles of models to rows.

use std::ops::ControlFlow;
use std::sync::Arc;

use arrow_array::{ArrayRef, FixedSizeListArray, Float32Array, Int32Array};
use arrow_schema::{ArrowError, DataType, Field};

use super::AddRow;
use super::cells::{Column, Ends, Flag, Float, Int, Long, OrNull, Rows, Size, Text, clamped, columns, item};
use super::plain::{Key, index};
use meshpeek::geometry::{Alpha, Mesh, Place, Primitive};
use meshpeek::summary::{Class, Name};
use meshpeek::{Asset, Budget, Result};

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

    fn size(&self) -> Size {
        Size { rows: self.ends.len(), bytes: self.numbers.len().saturating_mul(size_of::<f32>()) }
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
        let corners = cell.unwrap_or_default().iter();
        self.corners.extend(corners.map(|corner| i32::try_from(*corner).unwrap_or(i32::MAX)));
        self.ends.add(self.corners.len() / 3);
    }

    fn take(&mut self) -> std::result::Result<ArrayRef, ArrowError> {
        let corners = Arc::new(Int32Array::from(renewed(&mut self.corners)));
        self.ends.take(Arc::new(FixedSizeListArray::try_new(item(DataType::Int32), 3, corners, None)?))
    }

    fn size(&self) -> Size {
        Size { rows: self.ends.len(), bytes: self.corners.len().saturating_mul(size_of::<i32>()) }
    }
}

/// The triangles of one material in one mesh, at one place.
pub(super) struct GeometryRow<'g> {
    key: Key<'g>,
    index: usize,
    place: Option<Place<'g>>,
    /// The name of its place.
    name: Option<String>,
    lod_name: Option<String>,
    material: Option<String>,
    texture: Option<String>,
    alpha: Option<Alpha>,
    mesh: Mesh,
    problem: Option<String>,
}

columns! {
    /// The triangles of models.
    Geometry of row: &'r GeometryRow<'r> {
        path: Text = &row.key.path.text,
        member: OrNull<Text> = row.key.member(),
        primitive: Int = index(row.index),
        name: OrNull<Text> = row.name.as_deref(),
        lod: OrNull<Int> = row.lod(),
        resolution: OrNull<Float> = row.resolution(),
        lod_name: OrNull<Text> = row.lod_name.as_deref(),
        visual: OrNull<Flag> = row.is_visual(),
        model: OrNull<Int> = row.model(),
        node: OrNull<Int> = row.node(),
        mesh: OrNull<Int> = row.mesh_index(),
        visible: OrNull<Flag> = row.is_visible(),
        material: OrNull<Text> = row.material.as_deref(),
        texture: OrNull<Text> = row.texture.as_deref(),
        alpha: OrNull<Text> = row.alpha.map(Alpha::name),
        alpha_cutoff: OrNull<Float> = row.alpha_cutoff(),
        positions: Points<3> = &row.mesh.positions,
        normals: Points<3> = &row.mesh.normals,
        uvs: Points<2> = row.uvs(),
        triangles: Triangles = &row.mesh.indices,
        left_out: Long = clamped(row.mesh.left_out),
        problem: OrNull<Text> = row.problem.as_deref(),
    }
}

/// The size of a row in the results, without its texts and arrays.
const ROW_BYTES: u64 = 256;

/// Adds the primitives of an asset. Ends if the budget is spent, with a row that says so.
pub(super) fn add_primitives(
    asset: &Asset<'_>,
    key: Key<'_>,
    budget: &Budget,
    batches: &impl AddRow,
) -> ControlFlow<()> {
    for (index, primitive) in asset.primitives().enumerate() {
        let mut row = GeometryRow {
            key,
            index,
            place: None,
            name: None,
            lod_name: None,
            material: None,
            texture: None,
            alpha: None,
            mesh: Mesh::default(),
            problem: None,
        };
        let mut is_limit = false;
        if let Err(error) = row.fill(primitive, budget) {
            row.problem = Some(error.message());
            is_limit = matches!(error.code().class(), Class::Limit | Class::Cancelled);
        }
        batches.add::<Geometry>(&row)?;
        // The row itself may have spent the budget.
        if is_limit || budget.charge_output(0).is_err() {
            break;
        }
    }
    ControlFlow::Continue(())
}

impl<'g> GeometryRow<'g> {
    fn lod(&self) -> Option<i32> {
        let (lod, _) = self.place?.lod?;
        Some(index(lod))
    }

    fn resolution(&self) -> Option<f32> {
        let (_, resolution) = self.place?.lod?;
        Some(resolution)
    }

    fn is_visual(&self) -> Option<bool> {
        Some(self.place?.is_visual())
    }

    fn model(&self) -> Option<i32> {
        Some(index(self.place?.model))
    }

    fn node(&self) -> Option<i32> {
        Some(index(self.place?.node?))
    }

    fn mesh_index(&self) -> Option<i32> {
        Some(index(self.place?.mesh))
    }

    fn is_visible(&self) -> Option<bool> {
        Some(self.place?.visible)
    }

    /// The opacity from which on masked triangles are visible.
    fn alpha_cutoff(&self) -> Option<f32> {
        match self.alpha {
            Some(Alpha::Mask(least)) => Some(least),
            _ => None,
        }
    }

    /// The first set of texture coordinates.
    fn uvs(&self) -> &[[f32; 2]] {
        match self.mesh.uvs.first() {
            Some(uvs) => uvs,
            None => &[],
        }
    }

    fn fill(&mut self, primitive: Result<Primitive<'g>>, budget: &Budget) -> Result<()> {
        let primitive = primitive?;
        let name = Name::from(primitive.place.name).text;
        budget.charge_output(ROW_BYTES.saturating_add(name.len() as u64))?;
        self.place = Some(primitive.place);
        self.lod_name = primitive.place.lod_name();
        self.name = Some(name);
        if let Some(material) = primitive.material()? {
            self.texture = material.base().map(|texture| Name::from(texture.name).text);
            self.material = Some(Name::from(material.name).text);
            self.alpha = Some(material.alpha);
        }
        let texts = [&self.texture, &self.material].into_iter().flatten().map(String::len).sum::<usize>();
        budget.charge_output(texts as u64)?;
        let mesh = primitive.to_plain_mesh(budget)?;
        let points = mesh.positions.len().saturating_add(mesh.normals.len()).saturating_add(mesh.indices.len());
        budget.charge_output((points as u64).saturating_mul(12))?;
        self.mesh = mesh;
        Ok(())
    }
}
