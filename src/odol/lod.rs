//! One level of detail: spec section 6.

use zerocopy::little_endian::U32;

use super::face::{Faces, Section};
use super::flashpoint;
use super::index::IndexBlock;
use super::list::{Context, List, condensed, plain};
use super::material::Material;
use super::part::{Frame, Property, Proxy, Selection};
use super::version::Version;
use super::vertex::{Front, VertexTable};
use crate::error::{Context as _, Result};
use crate::view::{Block, ByteStr, Cursor, Filled, LeArray, Vec3};

/// One level of detail: everything but its vertex table, which stays unread until
/// [somebody asks](Self::vertex_table).
#[derive(Clone, Copy, Debug)]
pub struct Lod<'a> {
    pub(super) context: Context,
    /// Places for other models.
    pub proxies: List<'a, Proxy<'a>, Version>,
    /// The part of the skeleton that moves this LOD: numbers of bones, some twice. Other parts name them by their
    /// place here (subSkeletonsToSkeleton, LodItems).
    pub items: LeArray<'a, U32>,
    /// For each bone of the skeleton, its places in `items` (skeletonToSubSkeleton); may be missing whole.
    pub bone_links: List<'a, LeArray<'a, U32>>,
    /// How many points there are by the LOD's own word: before version 50 the count of `point_flags`.
    pub point_count: u32,
    /// Point flags, up to version 49; later, [they are in the vertex table](VertexTable::point_flags). Bits 0-5 surface
    /// and lighting, 8-11 land, 12-13 decal, 14-15 fog, 16-19 light, 20-27 the author's own.
    pub point_flags: Option<Filled<'a, U32>>,
    /// The area of all faces, from version 51 on.
    pub face_area: Option<f32>,
    /// Point flags that some point has; 0 without points.
    pub or_hints: u32,
    /// Point flags that all points share; 0x0FFF_FF00 without points.
    pub and_hints: u32,
    /// The box around the points: its smallest coordinates.
    pub bbox_min: [f32; 3],
    /// The box around the points: its largest coordinates.
    pub bbox_max: [f32; 3],
    /// The centre of the ball around the points.
    pub center: [f32; 3],
    /// The radius of that ball; in shadow buffers (11000 and up) too small for the points.
    pub radius: f32,
    /// Texture files; the first is often empty. Sections name them by their place here.
    pub textures: List<'a, ByteStr<'a>>,
    /// Materials. Sections name them by their place here.
    pub materials: List<'a, Material<'a>, Context>,
    /// For each point of the edited model a vertex; empty in every real file met.
    pub point_to_vertex: IndexBlock<'a>,
    /// For each vertex its point in the edited model; empty in every real file met.
    pub vertex_to_point: IndexBlock<'a>,
    /// The faces.
    pub faces: Faces<'a>,
    /// Faces grouped by look.
    pub sections: List<'a, Section<'a>, Version>,
    /// Named faces and vertices.
    pub selections: List<'a, Selection<'a>, Context>,
    /// The author's settings.
    pub properties: List<'a, Property<'a>>,
    /// Moments of a movement of the points.
    pub frames: List<'a, Frame<'a>>,
    /// Colour seen from above, 0xAARRGGBB (the wiki's IconColor).
    pub color_top: u32,
    /// Colour, 0xAARRGGBB (the wiki's SelectedColor).
    pub color: u32,
    /// Flags.
    pub special: u32,
    /// Whether each vertex moves with one bone only; not in version 7.
    pub simple_bone_refs: Option<bool>,
    pub(super) vertex_table: Cursor<'a>,
}

impl<'a> Lod<'a> {
    /// Reads the LOD that takes up the whole of the cursor's part.
    pub(super) fn read(mut body: Cursor<'a>, context: Context) -> Result<Self> {
        let c = &mut body;
        let version = context.version;
        if version.is_flashpoint() {
            return flashpoint::read_lod(c, context);
        }
        let proxies = List::read(c, "proxies", version)?;
        let items = plain(c).within("items")?;
        let bone_links = List::read(c, "bone_links", ())?;
        let (point_flags, point_count) = if version.has_point_count() {
            (None, c.u32()?)
        } else {
            let flags = condensed(c, context).within("point_flags")?;
            (Some(flags), u32::try_from(flags.count()).unwrap_or(u32::MAX))
        };
        let face_area = version.has_face_area().then(|| c.f32()).transpose()?;
        // From here on in the order of the file; the last field keeps the place behind it.
        Ok(Self {
            context,
            proxies,
            items,
            bone_links,
            point_count,
            point_flags,
            face_area,
            or_hints: c.u32()?,
            and_hints: c.u32()?,
            bbox_min: c.read::<Vec3>()?.to_array(),
            bbox_max: c.read::<Vec3>()?.to_array(),
            center: c.read::<Vec3>()?.to_array(),
            radius: c.f32()?,
            textures: List::read(c, "textures", ())?,
            materials: List::read(c, "materials", context)?,
            point_to_vertex: IndexBlock::read(c, context).within("point_to_vertex")?,
            vertex_to_point: IndexBlock::read(c, context).within("vertex_to_point")?,
            faces: Faces::read(c, version)?,
            sections: List::read(c, "sections", version)?,
            selections: List::read(c, "selections", context)?,
            properties: List::read(c, "properties", ())?,
            frames: List::read(c, "frames", ())?,
            color_top: c.u32()?,
            color: c.u32()?,
            special: c.u32()?,
            simple_bone_refs: Some(c.u8()? != 0),
            vertex_table: *c,
        })
    }

    /// What is kept for each point. Walks every compressed array in it to find the next; decodes nothing.
    ///
    /// # Errors
    /// Where an array does not fit into the LOD, or its stream breaks a rule of its codec.
    pub fn vertex_table(&self) -> Result<VertexTable<'a>> {
        VertexTable::read(&mut self.vertex_table.clone(), self.context).within("vertex_table")
    }

    /// Where the points are, in metres, relative to the model's
    /// [`bounding_center`](super::ModelInfo::bounding_center). Walks the compressed arrays up to there only.
    ///
    /// # Errors
    /// As [`vertex_table`](Self::vertex_table), for the arrays up to there.
    pub fn positions(&self) -> Result<Block<'a, Vec3>> {
        if self.context.version.is_flashpoint() {
            return Ok(self.vertex_table()?.positions);
        }
        let front = Front::read(&mut self.vertex_table.clone(), self.context).within("vertex_table")?;
        Ok(front.positions)
    }

    /// Where the vertex table lies, counted from the start of the file: from here to the end of the LOD. In version 7
    /// it comes first in the LOD.
    pub fn vertex_table_offset(&self) -> u64 {
        self.vertex_table.offset()
    }

    /// The bytes from the start of the vertex table to the end of the LOD; in version 7, to that of the normals.
    pub fn vertex_table_bytes(&self) -> u64 {
        self.vertex_table.left()
    }

    /// Whether a vertex table of this size, by its own word, ends where the LOD does. From version 67 on the game's
    /// tools leave out what follows the arrays, and others' do not.
    pub(super) fn is_table_size(&self, size: u32) -> bool {
        let version = self.context.version;
        let behind =
            u64::from(version.has_collimators()).saturating_mul(4).saturating_add(version.has_last_byte().into());
        let all = self.vertex_table.left();
        u64::from(size) == all || all.checked_sub(behind) == Some(size.into())
    }

    /// Whether it was surely read as it was written: the vertex table says that it ends where the LOD does, and the
    /// materials of kinds that readers differ on have sane codes. Either alone may hold by chance: a reading that is a
    /// byte off finds its way back at the end of the next text.
    pub(super) fn fits(&self) -> bool {
        let size = self.vertex_table.clone().u32();
        size.is_ok_and(|size| self.is_table_size(size)) && self.materials.iter().all(|material| material.is_sane())
    }
}
