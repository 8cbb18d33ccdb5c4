//! `material.bm`: colors, switches and a texture.

use super::index::Layout;
use super::list::{List, Listed};
use super::table::{Kind, Table, TableId};
use super::wire::{Colors, Flag, flag};
use crate::record::grammar;
use crate::record::parser::{cond, in_place, inline, le_f32, times};

grammar! {
    /// A material.
    Material<'m>(layout: Layout) {
        /// The colors that every version has.
        colors: &'m Colors = inline(in_place()),
        /// Emitted color.
        #[label("EMISSIVE")] emissive: Option<[f32; 3]> = cond(layout.version >= 11, times(le_f32())),
        /// Sharpness of highlights, 0 to 100 in Blender.
        #[label("SPECULAR_POWER")] power: Option<f32> = cond(layout.version >= 11, le_f32()),
        /// Set if fully transparent pixels are not drawn. Programs of early 2022 wrote version 14 without this field
        /// and the three that follow.
        #[label("ALPHA_TEST")]
        alpha_test: Option<Flag> = cond(layout.version >= 14 && layout.has_switches, flag(layout.version)),
        /// Set if it is blended by alpha with what is drawn behind it.
        #[label("ALPHA_BLEND")]
        alpha_blend: Option<Flag> = cond(layout.version >= 14 && layout.has_switches, flag(layout.version)),
        /// Set if it writes to the depth buffer.
        #[label("Z_BUFFER")]
        z_buffer: Option<Flag> = cond(layout.version >= 14 && layout.has_switches, flag(layout.version)),
        /// Set if its back faces are drawn too.
        #[label("TWO_SIDED")]
        two_sided: Option<Flag> = cond(layout.version >= 14 && layout.has_switches, flag(layout.version)),
        /// Set if it has a texture.
        #[label("USE_TEXTURE")] use_texture: Flag = flag(layout.version),
        /// Index of the texture in the map; meaningless if the material has none.
        #[label("MAP_KD")] texture_index: u32,
    }
    also |material, out| out.field("texture", material.texture())
}

impl Material<'_> {
    /// Returns the index of its texture in the map, if it has one.
    pub(crate) fn texture(&self) -> Option<u32> {
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
        // The bytes of a material with its four switches, and without them.
        const WITH: u64 = 61;
        const WITHOUT: u64 = 57;
        let records = list.len() as u64;
        let is_with = records.saturating_mul(WITH) == table.len();
        let is_without = records.saturating_mul(WITHOUT) == table.len() || first_step(list) == Some(WITHOUT);
        // If the sizes show neither, materials have switches, as the specification says.
        Layout { version, has_switches: version > 13 && (is_with || !is_without) }
    }
}

/// Returns the number of bytes from the first record to the second, or `None` if the second is missing or not after it.
fn first_step<'m>(list: &List<'m, Material<'m>>) -> Option<u64> {
    list.entry(1)?.record_offset.checked_sub(list.entry(0)?.record_offset)
}
