//! What a file tells of the whole model (ModelInfo): spec section 4.

use zerocopy::little_endian::{F32, I32};

use super::codes::{MapType, ShadowSource};
use super::list::{Context, packed};
use super::skeleton::Skeleton;
use super::version::Version;
use crate::error::{Context as _, Result};
use crate::inspect::Span;
use crate::view::{Block, ByteStr, Cursor, LeArray, Vec3};

/// What a file tells of the whole model.
///
/// Lengths are metres, coordinates those of the LODs ([`bounding_center`](Self::bounding_center) leads to the model's
/// own), colours 0xAARRGGBB. What a field does is only said where bytes have shown it; the others keep the names that
/// readers give them.
#[derive(Clone, Copy, Debug)]
pub struct ModelInfo<'a> {
    /// Flags, equal to `special` of the first LOD in nearly all files.
    pub special: u32,
    /// Radius of the ball around all LODs.
    pub bounding_sphere: f32,
    /// Radius of the ball around the geometry.
    pub geometry_sphere: f32,
    /// Zero in every file met.
    pub remarks: u32,
    /// Point flags that all points share.
    pub and_hints: u32,
    /// Point flags that some point has.
    pub or_hints: u32,
    /// Where to aim at.
    pub aiming_center: [f32; 3],
    /// `color` of the first LOD.
    pub color: u32,
    /// `color_top` of the first LOD.
    pub color_top: u32,
    /// How far one can see through it; -1 or less leaves that to the game.
    pub view_density: f32,
    /// The box around the points of every LOD: its smallest coordinates.
    pub bbox_min: [f32; 3],
    /// The box around the points of every LOD: its largest coordinates.
    pub bbox_max: [f32; 3],
    /// How LODs are spread over distances, from version 70 on.
    pub lod_density: Option<f32>,
    /// How much it matters that the object is drawn, from version 71 on.
    pub draw_importance: Option<f32>,
    /// The box around the visual LODs, from version 52 on: its smallest and its largest coordinates.
    pub bbox_visual: Option<[[f32; 3]; 2]>,
    /// What all coordinates of the file are relative to: added to a stored position it gives the position in the
    /// model as it was edited (the wiki's CentreOfGravity).
    pub bounding_center: [f32; 3],
    /// Centre of the geometry.
    pub geometry_center: [f32; 3],
    /// Centre of mass.
    pub center_of_mass: [f32; 3],
    /// The inverse of the inertia tensor, row by row; symmetric.
    pub inverse_inertia: [[f32; 3]; 3],
    /// Whether the model was moved to its centre.
    pub auto_center: bool,
    /// Whether `auto_center` is fixed.
    pub lock_auto_center: bool,
    /// Whether it can hide other objects.
    pub can_occlude: bool,
    /// Whether other objects can hide it.
    pub can_be_occluded: bool,
    /// Whether soldiers of the computer take cover behind it, from version 73 on.
    pub ai_covers: Option<bool>,
    /// Of unknown use, in DayZ's files; 1 in all met.
    pub dayz_flag: Option<u8>,
    /// Of unknown use, in DayZ's files; 1 in all met.
    pub dayz_factor: Option<f32>,
    /// Warmth, from version 42 on and in VBS files: shortest and longest half-life, most when alive, most when moving
    /// (htMin, htMax, afMax, mfMax).
    pub thermal: Option<[f32; 4]>,
    /// Warmth of a body, from version 43 on and in VBS files: factor and temperature (mFact, tBody).
    pub metabolism: Option<[f32; 2]>,
    /// Whether textures are taken as opaque; not in version 7.
    pub force_not_alpha: Option<bool>,
    /// What the shadow buffer is drawn from; not in version 7.
    pub shadow_source: Option<ShadowSource>,
    /// Whether the shadow volume is preferred to the buffer; not in version 7.
    pub prefer_shadow_volume: Option<bool>,
    /// How far a shadow is moved, from version 48 on; the largest float where the author left it open.
    pub shadow_offset: Option<f32>,
    /// Whether the model is animated.
    pub animated: bool,
    /// The bones, where it has any.
    pub skeleton: Option<Skeleton<'a>>,
    /// How the map draws it.
    pub map_type: MapType,
    /// The mass of each point of the geometry.
    pub masses: Block<'a, F32>,
    /// Mass, in kilograms.
    pub mass: f32,
    /// 1 / `mass`.
    pub inverse_mass: f32,
    /// Armour.
    pub armor: f32,
    /// 1 / `armor`.
    pub inverse_armor: f32,
    /// How well it shields from explosions, from version 72 on.
    pub explosion_shielding: Option<f32>,
    /// Which LODs serve which purpose.
    pub special_lods: SpecialLods,
    /// The first LOD fit for shadows; the number of LODs where none is. Not in version 7.
    pub min_shadow: Option<u32>,
    /// Whether one LOD may fade into the next; not in version 7.
    pub can_blend: Option<bool>,
    /// The property `class`; not in version 7.
    pub class: Option<ByteStr<'a>>,
    /// The property `damage`; not in version 7.
    pub damage: Option<ByteStr<'a>>,
    /// Whether the object is met often; not in version 7.
    pub frequent: Option<bool>,
    /// Of unknown use; not in version 7.
    pub unknown: Option<u32>,
    /// For each LOD the shadow volume that it prefers, from version 57 on; -1 for none.
    pub shadow_volumes: Option<LeArray<'a, I32>>,
    /// For each LOD the shadow buffer that it prefers, from version 57 on; -1 for none.
    pub shadow_buffers: Option<LeArray<'a, I32>>,
    /// For each LOD the shadow buffer that it prefers when seen, from version 57 on; -1 for none.
    pub visible_shadow_buffers: Option<LeArray<'a, I32>>,
    /// Of unknown use, from DayZ's version 55 on. Where among the last fields it stands is not known.
    pub dayz_byte: Option<u8>,
    pub(super) span: Span,
}

/// A LOD number that every version has, or one that only some have.
macro_rules! lod_number {
    (type) => { i8 };
    (type $gate:ident) => { Option<i8> };
    (read $cursor:ident $version:ident) => { $cursor.u8()?.cast_signed() };
    (read $cursor:ident $version:ident $gate:ident) => {
        given($version.$gate(), || Ok($cursor.u8()?.cast_signed()))?
    };
}

macro_rules! special_lods {
    ($($(#[$doc:meta])* $field:ident $(if $gate:ident)?,)*) => {
        /// Places in the LOD table, by purpose; negative where no LOD serves it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct SpecialLods {
            $($(#[$doc])* pub $field: lod_number!(type $($gate)?),)*
            pub(super) offset: u64,
        }

        impl SpecialLods {
            pub(super) fn read(cursor: &mut Cursor<'_>, version: Version) -> Result<Self> {
                let offset = cursor.offset();
                Ok(Self { $($field: lod_number!(read cursor version $($gate)?),)* offset })
            }

            /// Purposes and places, in the order stored.
            pub fn iter(&self) -> impl Iterator<Item = (&'static str, i8)> + use<> {
                let all: [(_, Option<i8>); _] = [$((stringify!($field), self.$field.into())),*];
                all.into_iter().filter_map(|(name, number)| Some((name, number?)))
            }
        }
    };
}

special_lods! {
    /// Named points.
    memory,
    /// What the object collides with.
    geometry,
    /// A simpler one, from version 53 on; none in every file met.
    geometry_simple if has_simple_geometry,
    /// What physics collides with, from version 54 on.
    geometry_physics if has_physics_geometry,
    /// Of unknown use, in DayZ's files from version 54 on; none in every file met.
    unknown if has_dayz_lod,
    /// What bullets hit; the view geometry where the author made none, then the geometry.
    fire_geometry,
    /// What blocks sight; the geometry where the author made none.
    view_geometry,
    /// Seen by the pilot.
    view_pilot,
    /// Seen by the gunner.
    view_gunner,
    /// Seen by the commander.
    view_commander,
    /// Seen by passengers.
    view_cargo,
    /// Where it touches the ground.
    land_contact,
    /// Where one can walk on it.
    roadway,
    /// Ways for the computer's soldiers.
    paths,
    /// Points that take damage.
    hit_points,
}

fn vec3(cursor: &mut Cursor<'_>) -> Result<[f32; 3]> {
    Ok(cursor.read::<Vec3>()?.to_array())
}

fn flag(cursor: &mut Cursor<'_>) -> Result<bool> {
    Ok(cursor.u8()? != 0)
}

fn floats<const N: usize>(cursor: &mut Cursor<'_>) -> Result<[f32; N]> {
    Ok(cursor.read::<[F32; N]>()?.map(F32::get))
}

/// The value of a field that not every file has.
#[inline(always)]
fn given<T>(there: bool, read: impl FnOnce() -> Result<T>) -> Result<Option<T>> {
    there.then(read).transpose()
}

impl<'a> ModelInfo<'a> {
    /// Reads what is told of a model of so many LODs.
    pub(super) fn read(cursor: &mut Cursor<'a>, context: Context, lods: u32) -> Result<Self> {
        let c = cursor;
        let v = context.version;
        // What version 7 does not have yet.
        let later = !v.is_flashpoint();
        let (offset, lods) = (c.offset(), lods.into());
        // Fields are read in the order written here, which is that of the file.
        Ok(Self {
            special: c.u32()?,
            bounding_sphere: c.f32()?,
            geometry_sphere: c.f32()?,
            remarks: c.u32()?,
            and_hints: c.u32()?,
            or_hints: c.u32()?,
            aiming_center: vec3(c)?,
            color: c.u32()?,
            color_top: c.u32()?,
            view_density: c.f32()?,
            bbox_min: vec3(c)?,
            bbox_max: vec3(c)?,
            lod_density: given(v.has_lod_density(), || c.f32())?,
            draw_importance: given(v.has_draw_importance(), || c.f32())?,
            bbox_visual: given(v.has_visual_box(), || Ok([vec3(c)?, vec3(c)?]))?,
            bounding_center: vec3(c)?,
            geometry_center: vec3(c)?,
            center_of_mass: vec3(c)?,
            inverse_inertia: [vec3(c)?, vec3(c)?, vec3(c)?],
            auto_center: flag(c)?,
            lock_auto_center: flag(c)?,
            can_occlude: flag(c)?,
            can_be_occluded: flag(c)?,
            ai_covers: given(v.has_ai_covers(), || flag(c))?,
            dayz_flag: given(v.has_dayz_factor(), || c.u8())?,
            dayz_factor: given(v.has_dayz_factor(), || c.f32())?,
            thermal: given(v.has_thermal(), || floats(c))?,
            metabolism: given(v.has_metabolism(), || floats(c))?,
            force_not_alpha: given(later, || flag(c))?,
            shadow_source: given(later, || c.i32().map(ShadowSource))?,
            prefer_shadow_volume: given(later, || flag(c))?,
            shadow_offset: given(v.has_shadow_offset(), || c.f32())?,
            animated: flag(c)?,
            skeleton: if later { Skeleton::read(c, v).within("skeleton")? } else { None },
            map_type: MapType(c.u8()?),
            masses: packed(c, context).within("masses")?,
            mass: c.f32()?,
            inverse_mass: c.f32()?,
            armor: c.f32()?,
            inverse_armor: c.f32()?,
            explosion_shielding: given(v.has_explosion_shielding(), || c.f32())?,
            special_lods: SpecialLods::read(c, v)?,
            min_shadow: given(later, || c.u32())?,
            can_blend: given(later, || flag(c))?,
            class: given(later, || c.cstr()).within("class")?,
            damage: given(later, || c.cstr()).within("damage")?,
            frequent: given(later, || flag(c))?,
            unknown: given(later, || c.u32())?,
            shadow_volumes: given(v.has_shadow_lods(), || c.array(lods)).within("shadow_volumes")?,
            shadow_buffers: given(v.has_shadow_lods(), || c.array(lods)).within("shadow_buffers")?,
            visible_shadow_buffers: given(v.has_shadow_lods(), || c.array(lods)).within("shadow_buffers")?,
            dayz_byte: given(v.has_dayz_byte(), || c.u8())?,
            span: Span { offset, bytes: c.offset().saturating_sub(offset) },
        })
    }

    /// A stored position as a position in the model as it was edited.
    pub fn to_model_space(&self, stored: [f32; 3]) -> [f32; 3] {
        let [x, y, z] = stored;
        let [center_x, center_y, center_z] = self.bounding_center;
        [x + center_x, y + center_y, z + center_z]
    }

    /// Whether the box around all points consists of numbers.
    pub(super) fn has_box(&self) -> bool {
        self.bbox_min.iter().chain(&self.bbox_max).all(|bound| bound.is_finite())
    }

    /// How many bones the skeleton has.
    pub fn bone_count(&self) -> usize {
        self.skeleton.map_or(0, |skeleton| skeleton.bones.len())
    }
}
