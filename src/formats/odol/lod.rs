//! One level of detail.

use nom::combinator::peek;
use zerocopy::little_endian::U32;

use super::array::Layout;
use super::face::{Faces, Sections, sections};
use super::flashpoint::FlashpointLod;
use super::index::IndexBlock;
use super::material::{Material, Materials};
use super::part::{Frame, Frames, Property, Proxies, Proxy, Selection, Selections};
use super::version::Version;
use super::vertex::{VertexTable, positions};
use crate::base::amount::Amount;
use crate::base::error::Result;
use crate::base::text::ByteStr;
use crate::blocks::{Block, Filled};
use crate::bytes::parser::rest;
use crate::bytes::{Cursor, LeArray, Vec3};
use crate::outline::{Outline, Sink, Type};
use crate::record::parser::{
    Grammar, cond, counted_array, le_bool, le_f32, le_u32, length_array, length_count, parsers, text_to_nul, times,
};
use crate::record::{List, Read, Record as _, Stored, describe_fields, grammar};

grammar! {
    /// One level of detail, except its vertex table, which is not read until requested.
    Lod<'a>(layout: Layout) {
        /// Proxies: positions for other models.
        #[label("nProxies, LodProxies")] proxies: Proxies<'a> = length_count(le_u32(), Proxy::parser(layout.version)),
        /// The part of the skeleton that moves this LOD: numbers of bones, some twice (subSkeletonsToSkeleton). Other
        /// parts of the LOD refer to them by index.
        #[label("nLodItems, LodItems")] bones: LeArray<'a, U32> = length_array(le_u32()),
        /// For each bone of the skeleton, its indices in `bones` (skeletonToSubSkeleton); may be empty.
        #[label("nBoneLinks, LodBoneLinks, NoOfLinks, Value")]
        bone_links: List<'a, LeArray<'a, U32>> = length_count(le_u32(), counted_array()),
        /// Number of points that the LOD claims.
        #[label("LodPointCount")] point_count: u32 = PointCount(layout.version),
        /// Point flags; from version 50 on they are in the vertex table. Bits 0-5 surface and lighting, 8-11 land, 12-13
        /// decal, 14-15 fog, 16-19 light, 20-27 the author's own.
        #[label("LodPointFlags")]
        point_flags: Option<Filled<'a, U32>> = cond(layout.version < 50, Filled::parser(layout)),
        /// The area of all faces; NaN in some files of the game.
        #[rule(Any)]
        #[label("UnknownV52Float")] face_area: Option<f32> = cond(layout.version >= 51, le_f32()),
        /// Point flags that at least one point has; 0 without points.
        #[label("UnknownFloat1")] or_hints: u32,
        /// Point flags that all points share; 0x0FFF_FF00 without points.
        #[label("UnknownFloat2")] and_hints: u32,
        /// The box around the points: its smallest coordinates.
        #[label("MinPos")] bbox_min: [f32; 3] = times(le_f32()),
        /// The box around the points: its largest coordinates.
        #[label("MaxPos")] bbox_max: [f32; 3] = times(le_f32()),
        /// The center of the sphere around the points.
        #[label("AutoCenterPos")] center: [f32; 3] = times(le_f32()),
        /// The radius of that sphere; in shadow buffers (11000 and up) too small for the points.
        #[label("Sphere")] radius: f32,
        /// Texture files; the first is often empty. Sections refer to them by index.
        #[label("NoOfTextures, LodPaaTextureNames")]
        textures: List<'a, ByteStr<'a>> = length_count(le_u32(), text_to_nul()),
        /// Materials. Sections refer to them by index.
        #[label("NoOfMaterials, LodMaterials")]
        materials: Materials<'a> = length_count(le_u32(), Material::parser(layout)),
        /// For each point of the edited model, a vertex; empty in all real files.
        #[label("LodEdges")] point_to_vertex: IndexBlock<'a> = IndexBlock::parser(layout),
        /// For each vertex, its point in the edited model; empty in all real files.
        #[label("LodEdges")] vertex_to_point: IndexBlock<'a> = IndexBlock::parser(layout),
        /// The faces.
        #[label("NoOfFaces, OffsetToSectionsStruct, AlwaysZero, LodFace")]
        faces: Faces<'a> = Faces::parser(layout.version),
        /// Sections: faces with the same appearance.
        #[label("nSections, LodSections")] sections: Sections<'a> = sections(layout.version, faces),
        /// Named faces and vertices.
        #[label("nNamedSelections, LodNamedSelections")]
        selections: Selections<'a> = length_count(le_u32(), Selection::parser(layout)),
        /// The author's settings.
        #[label("nTokens, NamedProperties")]
        properties: List<'a, Property<'a>> = length_count(le_u32(), Property::parser()),
        /// Vertex-animation frames.
        #[label("nFrames, LodFrames")] frames: Frames<'a> = length_count(le_u32(), Frame::parser(layout)),
        /// Color seen from above, 0xAARRGGBB.
        #[label("IconColor")] color_top: u32,
        /// Color, 0xAARRGGBB.
        #[label("SelectedColor")] color: u32,
        /// Flags.
        #[label("UnknownResidue")] special: u32,
        /// True if every vertex is bound to a single bone.
        #[label("UnknownArmaByte")] simple_bone_refs: Option<bool> = cond(layout.version >= 40, le_bool()),
        /// Per-vertex data, not read until requested.
        #[label("VertexTable")] arrays: Arrays<'a> = Arrays::parser(layout),
    }
}

impl<'a> FlashpointLod<'a> {
    /// Converts it to a LOD of later versions that consists of these bytes. Fields that version 7 lacks are empty.
    fn into_lod(self, bytes: Cursor<'a>, layout: Layout) -> Result<Lod<'a>> {
        // Arrays and lists that version 7 lacks are read from here, with a count of 0.
        let nothing = &mut Cursor::with_offset(&[], bytes.offset());
        Ok(Lod {
            proxies: self.proxies,
            bones: nothing.array(0)?,
            bone_links: List::of(nothing, 0, ())?,
            point_count: u32::try_from(self.positions.len()).unwrap_or(u32::MAX),
            point_flags: None,
            face_area: None,
            or_hints: self.or_hints,
            and_hints: self.and_hints,
            bbox_min: self.bbox_min,
            bbox_max: self.bbox_max,
            center: self.center,
            radius: self.radius,
            textures: self.textures,
            materials: List::of(nothing, 0, layout)?,
            point_to_vertex: self.point_to_vertex,
            vertex_to_point: self.vertex_to_point,
            faces: self.faces,
            sections: self.sections,
            selections: self.selections,
            properties: self.properties,
            frames: self.frames,
            color_top: self.color_top,
            color: self.color,
            special: self.special,
            simple_bone_refs: None,
            arrays: Arrays { bytes, layout },
        })
    }
}

impl<'a> Lod<'a> {
    /// Reads the LOD that fills the cursor's bytes, with this sink. A LOD of version 7 is converted, without the sink.
    pub(super) fn of(body: &mut Cursor<'a>, layout: Layout, sink: &mut impl Sink) -> Result<Self> {
        match layout.version.is_flashpoint() {
            false => Self::walk_fields(body, layout, sink),
            true => {
                let start = *body;
                let lod = FlashpointLod::read(body, layout)?;
                lod.into_lod(start.up_to(*body), layout)
            }
        }
    }

    /// Describes the fields of the LOD that fills the cursor's bytes.
    pub(super) fn describe(body: &mut Cursor<'a>, layout: Layout, out: &mut Outline<'_>) -> Result<()> {
        match layout.version.is_flashpoint() {
            false => Self::walk_fields(body, layout, out).map(drop),
            true => FlashpointLod::walk_fields(body, layout, out).map(drop),
        }
    }

    /// Returns the per-vertex data. Walks every compressed array in it to find the next; decodes nothing.
    ///
    /// # Errors
    /// Returns an error if an array exceeds the LOD, or if its stream breaks a rule of its codec.
    pub fn vertex_table(&self) -> Result<VertexTable<'a>> {
        let (table, _) = self.vertex_table_and_rest()?;
        Ok(table)
    }

    /// Returns the vertex table, and the bytes between its end and that of the LOD: none in a valid file.
    pub(super) fn vertex_table_and_rest(&self) -> Result<(VertexTable<'a>, Cursor<'a>)> {
        let mut bytes = self.arrays.bytes;
        let layout = self.layout();
        let table = match layout.version.is_flashpoint() {
            false => VertexTable::read(&mut bytes, layout)?,
            true => FlashpointLod::read(&mut bytes, layout)?.into_table(layout)?,
        };
        Ok((table, bytes))
    }

    /// Returns the positions of the points, in meters, relative to the model's
    /// [`bounding_center`](super::ModelInfo::bounding_center). Walks only the compressed arrays before them.
    ///
    /// # Errors
    /// Returns the errors of [`vertex_table`](Self::vertex_table) for the arrays up to there.
    pub fn positions(&self) -> Result<Block<'a, Vec3>> {
        match self.layout().version.is_flashpoint() {
            false => positions(&mut self.arrays.bytes.clone(), self.layout()),
            true => self.vertex_table().map(|table| table.positions),
        }
    }

    /// Returns the layout with which the LOD was read. Readers differ on some layouts, so it may not be the model's.
    pub(super) fn layout(&self) -> Layout {
        self.arrays.layout
    }

    /// Returns the offset of the vertex table, counted from the start of the file. It extends to the end of the LOD. In
    /// version 7 this is the start of the LOD.
    pub fn vertex_table_offset(&self) -> u64 {
        self.arrays.bytes.offset()
    }

    /// Returns the number of bytes from the start of the vertex table to the end of the LOD.
    pub fn vertex_table_byte_len(&self) -> u64 {
        self.arrays.bytes.left()
    }

    /// Returns true if a vertex table that claims this size ends where the LOD does. From version 67 on, the game's
    /// tools do not count the fields after the arrays; other tools do.
    pub(super) fn is_table_size(&self, size: u32) -> bool {
        let version = self.layout().version;
        // `unknown` takes four bytes, `last_byte` one.
        let after_arrays = (Amount(u64::from(version.has_collimators())) * 4 + u64::from(version.has_last_byte())).0;
        let all = self.vertex_table_byte_len();
        u64::from(size) == all || all.checked_sub(after_arrays) == Some(size.into())
    }

    /// Returns true if the LOD was almost certainly read correctly: the vertex table claims to end where the LOD does,
    /// and the codes in materials of the kinds on which readers differ are plausible. Each condition alone may be true
    /// by chance, because a reading that is off by a byte resynchronizes at the end of the next text.
    pub(super) fn fits(&self) -> bool {
        // The table starts with its size.
        let size = self.arrays.bytes.clone().parse(le_u32());
        size.is_ok_and(|size| self.is_table_size(size)) && self.materials.iter().all(|material| material.is_sane())
    }
}

/// A parser of a point count that up to version 49 is the count of the flags after it. The flags are not skipped.
struct PointCount(Version);

parsers! { ['a] PointCount => u32; }

impl<'a> Grammar<'a> for PointCount {
    const TYPE: Type = <u32 as Stored>::TYPE;

    #[inline]
    fn walk(&mut self, cursor: &mut Cursor<'a>, name: &'static str, sink: &mut impl Sink) -> Result<u32> {
        if self.0.has_point_count() {
            return le_u32().walk(cursor, name, sink);
        }
        let count = cursor.parse(peek(le_u32()))?;
        if let Some(mut out) = sink.outline() {
            out.field(name, count);
        }
        Ok(count)
    }
}

/// The unread vertex table of a LOD: see [`Lod::vertex_table`].
#[derive(Clone, Copy, Debug)]
pub struct Arrays<'a> {
    pub(super) bytes: Cursor<'a>,
    pub(super) layout: Layout,
}

impl Stored for Arrays<'_> {
    const TYPE: Type = Type::Record(VertexTable::SCHEMA);
}

/// Takes the rest of the LOD.
impl<'a> Read<'a, Layout> for Arrays<'a> {
    #[inline]
    fn walk(cursor: &mut Cursor<'a>, layout: Layout, _: &'static str, sink: &mut impl Sink) -> Result<Self> {
        let bytes = cursor.parse(rest())?;
        if let Some(mut out) = sink.outline() {
            Self { bytes, layout }.describe(&mut out);
        }
        Ok(Self { bytes, layout })
    }
}

impl Arrays<'_> {
    /// Describes it as fields and arrays of the LOD. A table that cannot be read is described as its error; only a
    /// dissection shows its readable part.
    fn describe(&self, out: &mut Outline<'_>) {
        if out.skips_arrays() {
            return;
        }
        out.field("vertex_table_offset", self.bytes.offset());
        let table = self.bytes.clone().parse(VertexTable::parser(self.layout));
        if table.is_ok() || out.dissects() {
            describe_fields::<VertexTable<'_>, _>(self.bytes, self.layout, out);
        } else {
            out.ok(table);
        }
    }
}
