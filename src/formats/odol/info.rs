//! Facts about the whole model (ModelInfo).

use zerocopy::little_endian::{F32, I32};

use super::array::Layout;
use super::codes::{MapType, ShadowSource};
use super::skeleton::{OrNone, Skeleton};
use super::version::Version;
use crate::base::text::ByteStr;
use crate::blocks::Block;
use crate::bytes::LeArray;
use crate::record::record;

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

record! {
    /// Facts about the whole model.
    ///
    /// Lengths are in meters, coordinates are those of the LODs (`bounding_center` converts them to those of the edited
    /// model), colors are 0xAARRGGBB. The purpose of a field is stated only if files confirm it; the others keep the
    /// names that readers give them.
    ModelInfo<'a>(lods: Lods) {
        /// Flags, equal to `special` of the first LOD in nearly all files.
        special: u32,
        /// Radius of the ball around all LODs.
        bounding_sphere: f32,
        /// Radius of the ball around the geometry.
        geometry_sphere: f32,
        /// Zero in all known files.
        remarks: u32,
        /// Point flags that all points share.
        and_hints: u32,
        /// Point flags that some point has.
        or_hints: u32,
        /// The point to aim at.
        aiming_center: [f32; 3],
        /// `color` of the first LOD.
        color: u32,
        /// `color_top` of the first LOD.
        color_top: u32,
        /// How far one can see through the object; -1 or less leaves it to the game.
        view_density: f32,
        /// The box around the points of every LOD: its smallest coordinates.
        bbox_min: [f32; 3],
        /// The box around the points of every LOD: its largest coordinates.
        bbox_max: [f32; 3],
        /// How LODs are spread over distances.
        lod_density: f32 where lods.version >= 70,
        /// How much it matters that the object is drawn.
        draw_importance: f32 where lods.version >= 71,
        /// The box around the visual LODs: its smallest coordinates.
        bbox_visual_min: [f32; 3] where lods.version >= 52,
        /// The box around the visual LODs: its largest coordinates.
        bbox_visual_max: [f32; 3] where lods.version >= 52,
        /// What all coordinates of the file are relative to: added to a stored position it gives the position in the
        /// model as it was edited.
        bounding_center: [f32; 3] = "CentreOfGravity",
        /// Centre of the geometry.
        geometry_center: [f32; 3],
        /// Centre of mass.
        center_of_mass: [f32; 3],
        /// The inverse of the inertia tensor, row by row; symmetric.
        inverse_inertia: [[f32; 3]; 3],
        /// Whether the model was moved to its center.
        auto_center: bool,
        /// Whether `auto_center` is fixed.
        lock_auto_center: bool,
        /// Whether it can hide other objects.
        can_occlude: bool,
        /// Whether other objects can hide it.
        can_be_occluded: bool,
        /// Whether soldiers of the computer take cover behind it.
        ai_covers: bool where lods.version >= 73,
        /// Of unknown use, in DayZ's files; 1 in all met.
        dayz_flag: u8 where lods.version.is_dayz(53),
        /// Of unknown use, in DayZ's files; 1 in all met.
        dayz_factor: f32 where lods.version.is_dayz(53),
        /// Warmth: shortest and longest half-life, most when alive, most when moving
        /// (htMin, htMax, afMax, mfMax).
        thermal: [f32; 4] where lods.version >= 42 || lods.version.is_vbs_line(),
        /// Warmth of a body: factor and temperature (mFact, tBody).
        metabolism: [f32; 2] where lods.version >= 43 || lods.version.is_vbs_line(),
        /// Whether textures are taken as opaque.
        force_not_alpha: bool where lods.version >= 40,
        /// What the shadow buffer is drawn from.
        shadow_source: ShadowSource where lods.version >= 40,
        /// Whether the shadow volume is preferred to the buffer.
        prefer_shadow_volume: bool where lods.version >= 40,
        /// How far a shadow is moved; the largest float where the author left it open.
        shadow_offset: f32 where lods.version >= 48,
        /// Whether the model is animated.
        animated: bool,
        /// The bones, if there are any.
        skeleton: Option<Skeleton<'a>> as OrNone<Skeleton<'a>> [lods.version],
        /// How the map draws it.
        map_type: MapType,
        /// The mass of each point of the geometry.
        masses: Block<'a, F32> [lods.layout],
        /// Mass, in kilograms.
        mass: f32,
        /// 1 / `mass`.
        inverse_mass: f32,
        /// Armour.
        armor: f32,
        /// 1 / `armor`.
        inverse_armor: f32,
        /// How well it shields from explosions.
        explosion_shielding: f32 where lods.version >= 72,
        /// Which LODs serve which purpose.
        special_lods: SpecialLods [lods.version],
        /// The first LOD fit for shadows; the number of LODs where none is.
        min_shadow: u32 where lods.version >= 40,
        /// Whether one LOD may fade into the next.
        can_blend: bool where lods.version >= 40,
        /// The property `class`.
        class: ByteStr<'a> where lods.version >= 40,
        /// The property `damage`.
        damage: ByteStr<'a> where lods.version >= 40,
        /// Whether the object is met often.
        frequent: bool where lods.version >= 40,
        /// Of unknown use.
        unknown: u32 where lods.version >= 40,
        /// For each LOD the shadow volume that it prefers; -1 for none.
        shadow_volumes: LeArray<'a, I32> [lods.count] where lods.version >= 57,
        /// For each LOD the shadow buffer that it prefers; -1 for none.
        shadow_buffers: LeArray<'a, I32> [lods.count] where lods.version >= 57,
        /// For each LOD the shadow buffer that it prefers when seen; -1 for none.
        visible_shadow_buffers: LeArray<'a, I32> [lods.count] where lods.version >= 57,
        /// Of unknown use, from DayZ's version 55 on. Where among the last fields it stands is not known.
        dayz_byte: u8 where lods.version.is_dayz(55),
    }
}

record! {
    /// Indices of LODs by purpose; negative if no LOD serves it.
    SpecialLods(version: Version) {
        /// Named points.
        memory: i8,
        /// What the object collides with.
        geometry: i8,
        /// A simpler one; none in every file met.
        geometry_simple: i8 where version >= 53,
        /// What physics collides with.
        geometry_physics: i8 where version >= 54,
        /// Of unknown use, in DayZ's files; none in every file met.
        unknown: i8 where version.is_dayz(54),
        /// What bullets hit; the view geometry where the author made none, then the geometry.
        fire_geometry: i8,
        /// What blocks sight; the geometry where the author made none.
        view_geometry: i8,
        /// Seen by the pilot.
        view_pilot: i8,
        /// Seen by the gunner.
        view_gunner: i8,
        /// Seen by the commander.
        view_commander: i8,
        /// Seen by passengers.
        view_cargo: i8,
        /// Where it touches the ground.
        land_contact: i8,
        /// Where one can walk on it.
        roadway: i8,
        /// Ways for the computer's soldiers.
        paths: i8,
        /// Points that take damage.
        hit_points: i8,
    }
}

impl SpecialLods {
    /// Returns the purposes and indices, in stored order.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, i8)> + use<> {
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

    /// Returns true if the bounding box of all points is finite.
    pub(super) fn has_box(&self) -> bool {
        self.bbox_min.iter().chain(&self.bbox_max).all(|bound| bound.is_finite())
    }

    /// Returns the number of bones in the skeleton.
    pub fn bone_count(&self) -> usize {
        self.skeleton.map_or(0, |skeleton| skeleton.bones.len())
    }
}
