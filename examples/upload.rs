//! Prepares a model for a graphics card, as one vertex and one index buffer per primitive.
//!
//! The layouts are those of `wgpu::VertexBufferLayout`; `device.create_buffer_init` takes the bytes.
//!
//! ```sh
//! cargo run --features geometry --example upload -- corpus/b3d/everything.b3d
//! ```

use std::error::Error;

use meshpeek::geometry::{Mesh, Primitive};
use meshpeek::{Asset, Budget, FileMap, Limits, bytemuck};

/// A vertex as a shader reads it.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Vertex {
    position: [f32; 3],
    normal: [f32; 3],
    uv: [f32; 2],
}

/// The data for the card: the vertices, their layout and the indices.
pub struct Upload<'a> {
    pub vertices: &'a [u8],
    pub stride: usize,
    /// The offset of each attribute in a vertex.
    position: usize,
    normal: Option<usize>,
    indices: &'a [u8],
}

/// Converts the arrays of any format to one layout and one space.
fn built(mesh: &Mesh) -> Vec<Vertex> {
    let uvs = mesh.uvs.first();
    let vertex = |(index, position): (usize, &[f32; 3])| Vertex {
        position: *position,
        normal: mesh.normals.get(index).copied().unwrap_or([0.0, 1.0, 0.0]),
        uv: uvs.and_then(|uvs| uvs.get(index)).copied().unwrap_or_default(),
    };
    mesh.positions.iter().enumerate().map(vertex).collect()
}

/// Returns the bytes of the file themselves if its vertices can be read in place, as those of Blitz3D, and `None`
/// otherwise. The shader applies [`Primitive::world_matrix`].
pub fn in_place<'b, 'a: 'b>(primitive: &Primitive<'a>, indices: &'b [u32]) -> meshpeek::Result<Option<Upload<'b>>> {
    let Some(positions) = primitive.positions()?.borrowed() else { return Ok(None) };
    let normals = primitive.normals()?.and_then(|normals| normals.borrowed());
    let normals = normals.filter(|normals| normals.as_bytes().as_ptr() == positions.as_bytes().as_ptr());
    Ok(Some(Upload {
        vertices: positions.as_bytes(),
        stride: positions.stride(),
        position: positions.column(),
        normal: normals.map(|normals| normals.column()),
        indices: bytemuck::cast_slice(indices),
    }))
}

fn show(kind: &str, upload: &Upload<'_>) {
    let Upload { vertices, stride, position, normal, indices } = upload;
    println!(
        "{kind}: {} vertices of {stride} bytes, position at {position}, normal at {normal:?}; {} indices",
        vertices.len() / stride,
        indices.len() / 4,
    );
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: upload FILE")?;
    let limits = Limits::default();
    let file = FileMap::open_with(path, meshpeek::Access::READ, &limits)?;
    let budget = Budget::new(file.len() as u64, &limits);
    let asset = Asset::parse(&file)?;
    for primitive in asset.primitives() {
        let primitive = primitive?;
        let mesh = primitive.to_mesh(&budget)?;
        let vertices = built(&mesh);
        let (bytes, indices) = (bytemuck::cast_slice(&vertices), bytemuck::cast_slice(&mesh.indices));
        show("built", &Upload { vertices: bytes, stride: 32, position: 0, normal: Some(12), indices });
        let stored: Vec<u32> = primitive.triangles().collect::<meshpeek::Result<Vec<_>>>()?.into_flattened();
        if let Some(upload) = in_place(&primitive, &stored)? {
            show("in place", &upload);
        }
    }
    Ok(())
}
