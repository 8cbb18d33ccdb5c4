//! `material.bm`: colors, switches and a texture.

use super::index::{Layout, List, Listed};
use super::table::{Kind, Table, TableId};
use super::wire::{Colors, Flag};
use crate::record::{Inline, record};

record! {
    /// A material.
    Material<'m>(layout: Layout) {
        /// The colors that every version has.
        colors: &'m Colors as Inline<'m, Colors>,
        /// Emitted color.
        emissive: [f32; 3] = "EMISSIVE" where layout.version >= 11,
        /// Sharpness of highlights, 0 to 100 in Blender.
        power: f32 = "SPECULAR_POWER" where layout.version >= 11,
        /// Set if fully transparent pixels are not drawn. Programs of early 2022 wrote version 14 without this field
        /// and the three that follow.
        alpha_test: Flag = "ALPHA_TEST" [layout.version] where layout.version >= 14 && layout.has_switches,
        /// Set if it is blended by alpha with what is drawn behind it.
        alpha_blend: Flag = "ALPHA_BLEND" [layout.version] where layout.version >= 14 && layout.has_switches,
        /// Set if it writes to the depth buffer.
        z_buffer: Flag = "Z_BUFFER" [layout.version] where layout.version >= 14 && layout.has_switches,
        /// Set if its back faces are drawn too.
        two_sided: Flag = "TWO_SIDED" [layout.version] where layout.version >= 14 && layout.has_switches,
        /// Set if it has a texture.
        use_texture: Flag = "USE_TEXTURE" [layout.version],
        /// Index of the texture in the map; meaningless if the material has none.
        texture_index: u32 = "MAP_KD",
    }
    also |material, out| out.field("texture", material.texture())
}

impl Material<'_> {
    /// Returns the index of its texture in the map, if it has one.
    pub fn texture(&self) -> Option<u32> {
        self.use_texture.is_set().then_some(self.texture_index)
    }
}

impl<'m> Listed<'m> for Material<'m> {
    const KIND: Kind = Kind::MATERIAL;
    const LIST: &'static str = "materials";
    const TABLE: TableId = TableId::Materials;

    /// Version 14 has two layouts. They are distinguished by the size of the table, or by the distance between the
    /// first two records.
    fn layout(version: u32, table: &Table<'_>, list: &List<'m, Self>) -> Layout {
        const WITH: u64 = 61;
        const WITHOUT: u64 = 57;
        let whole = |size: u64| (list.len() as u64).saturating_mul(size) == table.len();
        let offset = |index| list.entry(index).map(|entry| entry.record_offset);
        let step = || offset(1)?.checked_sub(offset(0)?);
        let has_switches = version > 13 && (whole(WITH) || !whole(WITHOUT) && step() != Some(WITHOUT));
        Layout { version, has_switches }
    }
}
