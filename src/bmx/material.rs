//! `material.bm`: colours, switches and a texture.

use super::Map;
use super::index::{At, IndexEntry, List, Record, Tabled};
use super::table::{Kind, Table, TableId};
use super::wire;
use crate::error::Result;
use crate::view::Vec3;

/// A material, in place.
#[derive(Clone, Copy, Debug)]
pub struct Material<'m> {
    /// Its bytes, in the shape of the version.
    pub record: MaterialRecord<'m>,
    at: At<'m>,
}

/// The shapes of a material.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum MaterialRecord<'m> {
    /// Of version 14.
    Full(&'m wire::Material),
    /// Of versions 11 to 13, and of the first programs for 14.
    Plain(&'m wire::PlainMaterial),
    /// Of version 10.
    First(&'m wire::FirstMaterial),
}

impl<'m> Record<'m> for Material<'m> {
    const KIND: Kind = Kind::MATERIAL;
    const LIST: &'static str = "materials";
    const TABLE: Tabled = Tabled(TableId::Materials);

    fn read(map: &'m Map<'m>, at: At<'m>) -> Result<Self> {
        let mut cursor = at.cursor();
        let record = match material_bytes(at.version, &at.table, &map.materials()?) {
            FIRST => MaterialRecord::First(cursor.read()?),
            PLAIN => MaterialRecord::Plain(cursor.read()?),
            _ => MaterialRecord::Full(cursor.read()?),
        };
        Ok(Self { record, at })
    }

    fn at(&self) -> &At<'m> {
        &self.at
    }

    fn end(&self) -> Result<u64> {
        Ok(self.at.entry.record_offset.saturating_add(self.record_bytes()))
    }
}

const FIRST: u64 = size_of::<wire::FirstMaterial>() as u64;
const PLAIN: u64 = size_of::<wire::PlainMaterial>() as u64;
const FULL: u64 = size_of::<wire::Material>() as u64;

/// How many bytes a material of this map takes. Version 14 stands for two shapes: the size of the table tells which, or
/// the step from the first to the second.
fn material_bytes<'m>(version: u32, table: &Table<'_>, list: &List<'m, Material<'m>>) -> u64 {
    let whole = |size: u64| (list.len() as u64).saturating_mul(size) == table.len();
    let offset = |index| list.entry(index).map(|entry| entry.record_offset);
    match version {
        10 => FIRST,
        11..=13 => PLAIN,
        _ if whole(FULL) => FULL,
        _ if whole(PLAIN) => PLAIN,
        _ => match (offset(0), offset(1)) {
            (Some(first), Some(second)) if second.checked_sub(first) == Some(PLAIN) => PLAIN,
            _ => FULL,
        },
    }
}

/// Fields that all shapes have, and fields that some have.
macro_rules! fields {
    ($($(#[$doc:meta])* $name:ident: $type:ty = |$record:ident| $value:expr;)*) => {$(
        $(#[$doc])*
        pub fn $name(&self) -> $type {
            match self.record {
                MaterialRecord::Full($record) => $value,
                MaterialRecord::Plain($record) => $value,
                MaterialRecord::First($record) => $value,
            }
        }
    )*};
}

impl<'m> Material<'m> {
    fields! {
        /// The colour in shadow (AMBIENT); each channel 0 to 1, as programs should write it.
        ambient: &'m Vec3 = |record| &record.ambient;
        /// The colour itself (DIFFUSE).
        diffuse: &'m Vec3 = |record| &record.diffuse;
        /// The colour of highlights (SPECULAR).
        specular: &'m Vec3 = |record| &record.specular;
        /// The bool as stored: other than 0 where it has a texture (USE_TEXTURE).
        use_texture: u32 = |record| record.use_texture.into();
        /// Which texture of the map, as stored; without a meaning where it has none (MAP_KD).
        texture_index: u32 = |record| record.texture_index.get();
    }

    /// The index's entry: its name and place.
    pub fn entry(&self) -> &IndexEntry<'m> {
        &self.at.entry
    }

    /// Its place among the materials.
    pub fn index(&self) -> usize {
        self.at.index
    }

    /// The colour it shines in by itself (EMISSIVE). From version 11 on.
    pub fn emissive(&self) -> Option<&'m Vec3> {
        match self.record {
            MaterialRecord::Full(record) => Some(&record.emissive),
            MaterialRecord::Plain(record) => Some(&record.emissive),
            MaterialRecord::First(_) => None,
        }
    }

    /// How narrow the highlights are (SPECULAR_POWER). From version 11 on.
    pub fn power(&self) -> Option<f32> {
        match self.record {
            MaterialRecord::Full(record) => Some(record.power.get()),
            MaterialRecord::Plain(record) => Some(record.power.get()),
            MaterialRecord::First(_) => None,
        }
    }

    /// The four switches of version 14, as stored (ALPHA_TEST, ALPHA_BLEND, Z_BUFFER, TWO_SIDED).
    pub fn switches(&self) -> Option<Switches> {
        let MaterialRecord::Full(record) = self.record else { return None };
        let wire::Material { alpha_test, alpha_blend, z_buffer, two_sided, .. } = *record;
        Some(Switches { alpha_test, alpha_blend, z_buffer, two_sided })
    }

    /// Which texture of the map it has, if any.
    pub fn texture(&self) -> Option<u32> {
        (self.use_texture() != 0).then(|| self.texture_index())
    }

    /// How many bytes it takes in `material.bm`.
    pub fn record_bytes(&self) -> u64 {
        match self.record {
            MaterialRecord::Full(_) => FULL,
            MaterialRecord::Plain(_) => PLAIN,
            MaterialRecord::First(_) => FIRST,
        }
    }
}

/// Bools of a material as stored: other than 0 is yes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switches {
    /// Pixels that are wholly transparent are left out.
    pub alpha_test: u8,
    /// Mixed with what lies behind, by alpha.
    pub alpha_blend: u8,
    /// Writes its depth.
    pub z_buffer: u8,
    /// Seen from behind too.
    pub two_sided: u8,
}
