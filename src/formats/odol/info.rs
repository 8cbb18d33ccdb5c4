//! Facts about the whole model (ModelInfo).

use nom::Parser as _;
use zerocopy::little_endian::{F32, I32};

use super::array::Layout;
use super::codes::{MapType, ShadowSource};
use super::skeleton::{OrNone, Skeleton};
use super::version::Version;
use crate::base::text::ByteStr;
use crate::blocks::Block;
use crate::bytes::LeArray;
use crate::record::parser::{array, cond, le_bool, le_f32, le_i8, le_i32, le_u8, le_u32, text_to_nul, times};
use crate::record::{Read as _, grammar};

/// The number of LODs, and the other context for reading the facts about all of them.
#[derive(Clone, Copy, Debug)]
pub struct Lods {
    pub(super) count: u64,
    pub(super) version: Version,
    pub(super) layout: Layout,
}

impl Lods {
    /// Creates the context for `count` LODs of a file of this layout.
    pub fn new(count: u32, layout: Layout) -> Self {
        Self { count: count.into(), version: layout.version, layout }
    }
}

grammar! {
    /// Facts about the whole model.
    /// Lengths are in meters, coordinates are those of the LODs (`bounding_center` converts them to those of the edited
    /// model), colors are 0xAARRGGBB. The purpose of a field is stated only if files confirm it; the others keep the
    /// names that readers give them.
    crate ModelInfo<'a>(lods: Lods) {
        /// Flags; `special` of the first LOD in all but 2 of 439 real files.
        special: u32,
        /// Radius of the sphere around all LODs.
        bounding_sphere: f32,
        /// Radius of the sphere around the geometry.
        geometry_sphere: f32,
        /// Zero in all known files.
        remarks: u32,
        /// Point flags that all points share.
        and_hints: u32,
        /// Point flags that at least one point has.
        or_hints: u32,
        /// The point to aim at.
        aiming_center: [f32; 3] = times(le_f32()),
        /// `color` of the first LOD.
        color: u32,
        /// `color_top` of the first LOD.
        color_top: u32,
        /// How far one can see through the object; if it is -1 or less, the game decides.
        view_density: f32,
        /// The box around the points of every LOD: its smallest coordinates.
        bbox_min: [f32; 3] = times(le_f32()),
        /// The box around the points of every LOD: its largest coordinates.
        bbox_max: [f32; 3] = times(le_f32()),
        /// How LODs are distributed over distances.
        lod_density: Option<f32> = cond(lods.version >= 70, le_f32()),
        /// How important it is to draw the object.
        draw_importance: Option<f32> = cond(lods.version >= 71, le_f32()),
        /// The box around the visual LODs: its smallest coordinates.
        bbox_visual_min: Option<[f32; 3]> = cond(lods.version >= 52, times(le_f32())),
        /// The box around the visual LODs: its largest coordinates.
        bbox_visual_max: Option<[f32; 3]> = cond(lods.version >= 52, times(le_f32())),
        /// The origin of all coordinates in the file. Add it to a stored position to get the position in the edited
        /// model.
        #[label("CentreOfGravity")] bounding_center: [f32; 3] = times(le_f32()),
        /// Center of the geometry.
        geometry_center: [f32; 3] = times(le_f32()),
        /// Center of mass.
        center_of_mass: [f32; 3] = times(le_f32()),
        /// The inverse of the inertia tensor, row by row; symmetric.
        inverse_inertia: [[f32; 3]; 3] = times(times(le_f32())),
        /// True if the model was moved to its center.
        auto_center: bool,
        /// True if `auto_center` is fixed.
        lock_auto_center: bool,
        /// True if it can hide other objects.
        can_occlude: bool,
        /// True if other objects can hide it.
        can_be_occluded: bool,
        /// True if AI soldiers take cover behind it.
        ai_covers: Option<bool> = cond(lods.version >= 73, le_bool()),
        /// Unknown; only in DayZ's files, 1 in all known ones.
        dayz_flag: Option<u8> = cond(lods.version.is_dayz(53), le_u8()),
        /// Unknown; only in DayZ's files, 1 in all known ones.
        dayz_factor: Option<f32> = cond(lods.version.is_dayz(53), le_f32()),
        /// Heat: shortest and longest half-life, maximum when alive, maximum when moving (htMin, htMax, afMax, mfMax).
        thermal: Option<[f32; 4]> = cond(lods.version >= 42 || lods.version.is_vbs_line(), times(le_f32())),
        /// Heat of a body: factor and temperature (mFact, tBody).
        metabolism: Option<[f32; 2]> = cond(lods.version >= 43 || lods.version.is_vbs_line(), times(le_f32())),
        /// True if textures are treated as opaque.
        force_not_alpha: Option<bool> = cond(lods.version >= 40, le_bool()),
        /// The source of the shadow buffer.
        shadow_source: Option<ShadowSource> = cond(lods.version >= 40, le_i32().map(ShadowSource)),
        /// True if the shadow volume is preferred to the shadow buffer.
        prefer_shadow_volume: Option<bool> = cond(lods.version >= 40, le_bool()),
        /// Distance by which a shadow is moved; the largest float if the author did not set it.
        shadow_offset: Option<f32> = cond(lods.version >= 48, le_f32()),
        /// True if the model is animated.
        animated: bool,
        /// The bones, if there are any.
        skeleton: Option<Skeleton<'a>> = OrNone(lods.version),
        /// How the map draws it.
        map_type: MapType = le_u8().map(MapType),
        /// Mass of each point of the geometry.
        masses: Block<'a, F32> = Block::parser(lods.layout),
        /// Mass, in kilograms.
        mass: f32,
        /// 1 / `mass`.
        inverse_mass: f32,
        /// Armor.
        armor: f32,
        /// 1 / `armor`.
        inverse_armor: f32,
        /// How well it protects from explosions.
        explosion_shielding: Option<f32> = cond(lods.version >= 72, le_f32()),
        /// The LODs for special purposes.
        special_lods: SpecialLods = SpecialLods::parser(lods.version),
        /// Index of the first LOD suitable for shadows; the number of LODs if there is none.
        min_shadow: Option<u32> = cond(lods.version >= 40, le_u32()),
        /// True if one LOD may fade into the next.
        can_blend: Option<bool> = cond(lods.version >= 40, le_bool()),
        /// The property `class`.
        class: Option<ByteStr<'a>> = cond(lods.version >= 40, text_to_nul()),
        /// The property `damage`.
        damage: Option<ByteStr<'a>> = cond(lods.version >= 40, text_to_nul()),
        /// True if the object is common.
        frequent: Option<bool> = cond(lods.version >= 40, le_bool()),
        /// Unknown.
        unknown: Option<u32> = cond(lods.version >= 40, le_u32()),
        /// For each LOD, the index of the preferred shadow volume; -1 for none.
        shadow_volumes: Option<LeArray<'a, I32>> = cond(lods.version >= 57, array(lods.count)),
        /// For each LOD, the index of the preferred shadow buffer; -1 for none.
        shadow_buffers: Option<LeArray<'a, I32>> = cond(lods.version >= 57, array(lods.count)),
        /// For each LOD, the index of the preferred shadow buffer when it is visible; -1 for none.
        visible_shadow_buffers: Option<LeArray<'a, I32>> = cond(lods.version >= 57, array(lods.count)),
        /// Unknown; in DayZ's files from version 55 on. Its position among the last fields is uncertain.
        dayz_byte: Option<u8> = cond(lods.version.is_dayz(55), le_u8()),
    }
}

grammar! {
    /// Index of the LOD for each purpose; negative if there is none.
    SpecialLods(version: Version) {
        /// LOD with named points.
        memory: i8,
        /// LOD for collisions with the object.
        geometry: i8,
        /// A simpler geometry; none in all known files.
        geometry_simple: Option<i8> = cond(version >= 53, le_i8()),
        /// LOD for collisions in the physics engine.
        geometry_physics: Option<i8> = cond(version >= 54, le_i8()),
        /// Unknown; in DayZ's files, none in all known ones.
        unknown: Option<i8> = cond(version.is_dayz(54), le_i8()),
        /// LOD for hits by bullets; if the author made none, the view geometry, otherwise the geometry.
        fire_geometry: i8,
        /// LOD that blocks sight; the geometry if the author made none.
        view_geometry: i8,
        /// LOD seen by the pilot.
        view_pilot: i8,
        /// LOD seen by the gunner.
        view_gunner: i8,
        /// LOD seen by the commander.
        view_commander: i8,
        /// LOD seen by passengers.
        view_cargo: i8,
        /// LOD with the points that touch the ground.
        land_contact: i8,
        /// LOD with the surfaces to walk on.
        roadway: i8,
        /// LOD with paths for AI soldiers.
        paths: i8,
        /// LOD with points that take damage.
        hit_points: i8,
    }
}

impl SpecialLods {
    /// Returns the purposes and indices, in stored order. Purposes that the version does not store are left out.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, i8)> + use<> {
        // In the order of the fields, whose names are the purposes.
        let numbers = [
            Some(self.memory),
            Some(self.geometry),
            self.geometry_simple,
            self.geometry_physics,
            self.unknown,
            Some(self.fire_geometry),
            Some(self.view_geometry),
            Some(self.view_pilot),
            Some(self.view_gunner),
            Some(self.view_commander),
            Some(self.view_cargo),
            Some(self.land_contact),
            Some(self.roadway),
            Some(self.paths),
            Some(self.hit_points),
        ];
        Self::SCHEMA.fields.iter().zip(numbers).filter_map(|(field, number)| Some((field.name, number?)))
    }
}

impl ModelInfo<'_> {
    /// Converts a stored position to a position in the edited model.
    pub fn to_model_space(&self, stored: [f32; 3]) -> [f32; 3] {
        let [x, y, z] = stored;
        let [center_x, center_y, center_z] = self.bounding_center;
        [x + center_x, y + center_y, z + center_z]
    }

    /// Returns the number of bones in the skeleton.
    pub fn bone_count(&self) -> usize {
        self.skeleton.map_or(0, |skeleton| skeleton.bones.len())
    }
}
