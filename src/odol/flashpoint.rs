//! Version 7, of Operation Flashpoint: spec section 12 of the later versions.
//!
//! The LODs come first, one after the other, and no table tells where: finding one means walking those before it.
//! Resolutions and [`ModelInfo`] follow and end the file. Known from the engine's source and one test file.

use super::face::Faces;
use super::header::{Header, Walk};
use super::index::IndexBlock;
use super::info::ModelInfo;
use super::list::{Context, List, packed};
use super::lod::Lod;
use super::vertex::{Encoding, UvSet, VertexTable};
use crate::codec::Codec;
use crate::error::{Context as _, Result};
use crate::view::{Block, Cursor, Element, Filled, Vec3};

/// The most LODs: no more are taken by the game.
pub(super) const MOST_LODS: u32 = 32;

/// Reads what follows the number of LODs: all of the file.
pub(super) fn read<'a>(c: &mut Cursor<'a>, context: Context, count: u32, header: &mut Header<'a>) -> Result<()> {
    let mut walk = Walk::from(c.offset());
    for index in 0..count {
        read_lod(c, context).within_item("lods", index as usize)?;
        walk.push(c.offset());
        header.walk = Some(walk);
    }
    header.resolutions = Some(c.array(count.into()).within("resolutions")?);
    header.info = Some(ModelInfo::read(c, context, count).within("info")?);
    header.has_animations = Some(false);
    Ok(())
}

pub(super) fn read_lod<'a>(c: &mut Cursor<'a>, context: Context) -> Result<Lod<'a>> {
    let mut start = *c;
    let vertices = read_vertices(c, context).within("vertex_table")?;
    let points = vertices.positions.count();
    let v = context.version;
    let nothing = &mut Cursor::with_offset(&[], c.offset());
    // In the order of the file; what version 7 does not have is empty.
    Ok(Lod {
        context,
        vertex_table: start.split(c.offset().saturating_sub(start.offset()))?,
        point_count: u32::try_from(points).unwrap_or(u32::MAX),
        point_flags: None,
        items: nothing.array(0)?,
        bone_links: List::read_items(nothing, 0, "bone_links", ())?,
        materials: List::read_items(nothing, 0, "materials", context)?,
        face_area: None,
        or_hints: c.u32()?,
        and_hints: c.u32()?,
        bbox_min: c.read::<Vec3>()?.to_array(),
        bbox_max: c.read::<Vec3>()?.to_array(),
        center: c.read::<Vec3>()?.to_array(),
        radius: c.f32()?,
        textures: List::read(c, "textures", ())?,
        point_to_vertex: IndexBlock::read(c, context).within("point_to_vertex")?,
        vertex_to_point: IndexBlock::read(c, context).within("vertex_to_point")?,
        faces: Faces::read(c, v)?,
        sections: List::read(c, "sections", v)?,
        selections: List::read(c, "selections", context)?,
        properties: List::read(c, "properties", ())?,
        frames: List::read(c, "frames", ())?,
        color_top: c.u32()?,
        color: c.u32()?,
        special: c.u32()?,
        simple_bone_refs: None,
        proxies: List::read(c, "proxies", v)?,
    })
}

/// The arrays with an element for each point, which a LOD starts with.
pub(super) fn read_vertices<'a>(c: &mut Cursor<'a>, context: Context) -> Result<VertexTable<'a>> {
    let point_flags = packed(c, context).within("point_flags")?;
    let uvs = packed(c, context).within_item("uvs", 0)?;
    let positions = in_place(c, context).within("positions")?;
    let normals = in_place(c, context).within("normals")?;
    let nothing = &mut Cursor::with_offset(&[], c.offset());
    Ok(VertexTable {
        size_hint: None,
        point_flags: Some(Filled::from(point_flags)),
        uvs: UvSet { bounds: None, stored: Encoding::Float(Filled::from(uvs)) },
        uv_count_hint: None,
        more_uvs: List::read_items(nothing, 0, "more_uvs", context)?,
        positions,
        normals: Encoding::Float(Filled::from(normals)),
        tangents: Encoding::Float(none(nothing, context)?),
        bone_refs: none(nothing, context)?,
        neighbors: none(nothing, context)?,
        unknown: None,
        last_byte: None,
        rest: *nothing,
    })
}

/// An array that is never packed, whatever its size.
fn in_place<'a, T: Element>(c: &mut Cursor<'a>, context: Context) -> Result<Block<'a, T>> {
    let count = c.u32()?;
    Block::parse(c, count.into(), Codec::Raw, &context.limits)
}

fn none<'a, T: Element>(nothing: &mut Cursor<'a>, context: Context) -> Result<Block<'a, T>> {
    Block::parse(nothing, 0, Codec::Raw, &context.limits)
}
