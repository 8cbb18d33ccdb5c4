//! Version 7, of Operation Flashpoint.
//!
//! The LODs come first, one after another, without a table of offsets: to find one, the LODs before it are walked.
//! Resolutions and facts about the model follow at the end of the file. Based on the engine's source and one test file.

use zerocopy::little_endian::U32;

use super::array::Layout;
use super::face::{Faces, Sections, sections};
use super::index::IndexBlock;
use super::part::{Frame, Frames, Property, Proxies, Proxy, Selection, Selections};
use super::vertex::{Encoding, UvSet, UvSets, VertexTable, coordinates, normal_vectors};
use crate::base::error::{Context as _, Result};
use crate::base::span::Span;
use crate::base::text::ByteStr;
use crate::blocks::{Block, Filled};
use crate::bytes::parser::reading;
use crate::bytes::{Cursor, LeArray, Vec2, Vec3};
use crate::outline::Outline;
use crate::record::parser::{Grammar, described, le_f32, le_u32, length_array, length_count, text_to_nul, times};
use crate::record::{List, Read, describe_count, grammar};

/// The maximum number of LODs that the game reads.
pub(super) const MAX_LODS: u32 = 32;

grammar! {
    /// A level of detail in version 7.
    FlashpointLod<'a>(layout: Layout) {
        /// Point flags.
        point_flags: Block<'a, U32> = Block::parser(layout),
        /// Texture coordinates.
        uvs: Block<'a, Vec2> = described(only_set(layout), describe_first),
        /// Positions of the points, in meters.
        positions: LeArray<'a, Vec3> = length_array(le_u32()),
        /// Normal of each point.
        normals: LeArray<'a, Vec3> = length_array(le_u32()),
        /// Point flags that at least one point has.
        or_hints: u32,
        /// Point flags that all points share.
        and_hints: u32,
        /// The box around the points: its smallest coordinates.
        bbox_min: [f32; 3] = times(le_f32()),
        /// The box around the points: its largest coordinates.
        bbox_max: [f32; 3] = times(le_f32()),
        /// The center of the sphere around the points.
        center: [f32; 3] = times(le_f32()),
        /// The radius of that sphere.
        radius: f32,
        /// Texture files. Faces and sections refer to them by index.
        textures: List<'a, ByteStr<'a>> = length_count(le_u32(), text_to_nul()),
        /// For each point of the edited model, a vertex.
        point_to_vertex: IndexBlock<'a> = IndexBlock::parser(layout),
        /// For each vertex, its point in the edited model.
        vertex_to_point: IndexBlock<'a> = IndexBlock::parser(layout),
        /// The faces.
        faces: Faces<'a> = Faces::parser(layout.version),
        /// Sections: faces with the same appearance.
        sections: Sections<'a> = sections(layout.version, faces),
        /// Named faces and vertices.
        selections: Selections<'a> = length_count(le_u32(), Selection::parser(layout)),
        /// The author's settings.
        properties: List<'a, Property<'a>> = length_count(le_u32(), Property::parser()),
        /// Vertex-animation frames.
        frames: Frames<'a> = length_count(le_u32(), Frame::parser(layout)),
        /// Color seen from above, 0xAARRGGBB.
        color_top: u32,
        /// Color, 0xAARRGGBB.
        color: u32,
        /// Flags.
        special: u32,
        /// Proxies: positions for other models.
        proxies: Proxies<'a> = length_count(le_u32(), Proxy::parser(layout.version)),
    }
    also |lod, out| {
        let normals = Encoding::Float(Block::from(lod.normals).into());
        out.array("normal_vectors", &normal_vectors(&normals));
    }
}

impl<'a> FlashpointLod<'a> {
    /// Converts it to the vertex table of later versions.
    pub(super) fn into_table(self, layout: Layout) -> Result<VertexTable<'a>> {
        // Arrays that version 7 lacks are read from here, with a count of 0.
        let nothing = &mut Cursor::with_offset(&[], self.normals.offset());
        let first = first_set(self.uvs);
        Ok(VertexTable {
            vertex_table_bytes: None,
            point_flags: Some(Filled::from(self.point_flags)),
            uvs: UvSets { first, count: None, more: List::of(nothing, 0, layout)? },
            positions: self.positions.into(),
            normals: Encoding::Float(Block::from(self.normals).into()),
            tangents: Encoding::Float(nothing.array(0)?.into()),
            bone_refs: nothing.array(0)?.into(),
            neighbors: nothing.array(0)?.into(),
            unknown: None,
            last_byte: None,
        })
    }
}

/// Returns the coordinates as the first set of a LOD. Version 7 stores floats, which have no bounds.
fn first_set(uvs: Block<'_, Vec2>) -> UvSet<'_> {
    UvSet { bounds: None, stored: Encoding::Float(Filled::from(uvs)) }
}

/// Returns a parser of coordinates that are the only set of a LOD.
fn only_set<'a>(layout: Layout) -> impl Grammar<'a, Output = Block<'a, Vec2>> {
    // An error names it as set 0, as in later versions, which have several.
    reading(move |cursor: &mut Cursor<'a>| cursor.parse(Block::parser(layout)).within_index(0))
}

/// Describes the only set of coordinates as later versions describe their first: the number of coordinates, the array
/// as stored, and the coordinates as floats.
fn describe_first(uvs: &Block<'_, Vec2>, name: &'static str, span: Span, out: &mut Outline<'_>) {
    describe_count(name, uvs.count(), span.offset, out);
    out.array_item(name, 0, uvs);
    out.array_item("uv_coordinates", 0, &coordinates(&first_set(*uvs)));
}
