//! What a file tells of the whole model (ModelInfo): spec section 4.

use zerocopy::little_endian::F32;

use super::codes::{MapType, ShadowSource};
use super::list::{Context, packed};
use super::skeleton::Skeleton;
use crate::error::{Context as _, Result};
use crate::view::{Block, ByteStr, Cursor, Vec3};

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
    /// Warmth, from version 42 on and in VBS files: shortest and longest half-life, most when alive, most when moving
    /// (htMin, htMax, afMax, mfMax).
    pub thermal: Option<[f32; 4]>,
    /// Warmth of a body, from version 43 on and in VBS files: factor and temperature (mFact, tBody).
    pub metabolism: Option<[f32; 2]>,
    /// Whether textures are taken as opaque.
    pub force_not_alpha: bool,
    /// What the shadow buffer is drawn from.
    pub shadow_source: ShadowSource,
    /// Whether the shadow volume is preferred to the buffer.
    pub prefer_shadow_volume: bool,
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
    /// Which LODs serve which purpose.
    pub special_lods: SpecialLods,
    /// The first LOD fit for shadows; the number of LODs where none is.
    pub min_shadow: u32,
    /// Whether one LOD may fade into the next.
    pub can_blend: bool,
    /// The property `class`.
    pub class: ByteStr<'a>,
    /// The property `damage`.
    pub damage: ByteStr<'a>,
    /// Whether the object is met often.
    pub frequent: bool,
    /// Of unknown use.
    pub unknown: u32,
}

macro_rules! special_lods {
    ($($(#[$doc:meta])* $field:ident,)*) => {
        /// Places in the LOD table, by purpose; negative where no LOD serves it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct SpecialLods {
            $($(#[$doc])* pub $field: i8,)*
            pub(super) offset: u64,
        }

        impl SpecialLods {
            fn read(cursor: &mut Cursor<'_>) -> Result<Self> {
                let offset = cursor.offset();
                Ok(Self { $($field: cursor.u8()?.cast_signed(),)* offset })
            }

            /// Purposes and places, in the order stored.
            pub fn iter(&self) -> impl Iterator<Item = (&'static str, i8)> + use<> {
                [$((stringify!($field), self.$field)),*].into_iter()
            }
        }
    };
}

special_lods! {
    /// Named points.
    memory,
    /// What the object collides with.
    geometry,
    /// What bullets hit; the geometry where the author made none.
    fire_geometry,
    /// What blocks sight; the geometry where the author made none.
    view_geometry,
    /// Seen by the pilot.
    view_pilot,
    /// Seen by the gunner.
    view_gunner,
    /// Of unknown use.
    unknown,
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

/// Which of two layouts the versions up to 43 are read in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Maker {
    /// By version alone.
    Arma,
    /// The thermal fields are there, the skeleton's pivots are not.
    Vbs,
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
fn given<T>(there: bool, read: impl FnOnce() -> Result<T>) -> Result<Option<T>> {
    there.then(read).transpose()
}

impl<'a> ModelInfo<'a> {
    pub(super) fn read(cursor: &mut Cursor<'a>, context: Context, maker: Maker) -> Result<Self> {
        let c = cursor;
        let layout = context.version.layout();
        let vbs = maker == Maker::Vbs;
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
            bbox_visual: given(layout >= 52, || Ok([vec3(c)?, vec3(c)?]))?,
            bounding_center: vec3(c)?,
            geometry_center: vec3(c)?,
            center_of_mass: vec3(c)?,
            inverse_inertia: [vec3(c)?, vec3(c)?, vec3(c)?],
            auto_center: flag(c)?,
            lock_auto_center: flag(c)?,
            can_occlude: flag(c)?,
            can_be_occluded: flag(c)?,
            thermal: given(layout >= 42 || vbs, || floats(c))?,
            metabolism: given(layout >= 43 || vbs, || floats(c))?,
            force_not_alpha: flag(c)?,
            shadow_source: ShadowSource(c.i32()?),
            prefer_shadow_volume: flag(c)?,
            shadow_offset: given(layout >= 48, || c.f32())?,
            animated: flag(c)?,
            skeleton: Skeleton::read(c, layout > 40 && !vbs).within("skeleton")?,
            map_type: MapType(c.u8()?),
            masses: packed(c, context).within("masses")?,
            mass: c.f32()?,
            inverse_mass: c.f32()?,
            armor: c.f32()?,
            inverse_armor: c.f32()?,
            special_lods: SpecialLods::read(c)?,
            min_shadow: c.u32()?,
            can_blend: flag(c)?,
            class: c.cstr().within("class")?,
            damage: c.cstr().within("damage")?,
            frequent: flag(c)?,
            unknown: c.u32()?,
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
