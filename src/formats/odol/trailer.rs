//! The trailer after the last LOD.

use nom::Parser as _;
use zerocopy::little_endian::F32;

use super::wire::{BuoyancySphere, BuoyancyStart};
use crate::base::amount::Amount;
use crate::base::error::{Error, Result};
use crate::bytes::LeArray;
use crate::outline::Value;
use crate::record::parser::{
    array, cond, in_place, inline, le_f32, le_i32, le_u32, length_array, length_count, times, verify,
};
use crate::record::{List, grammar, plain};

grammar! {
    /// The trailer after the last LOD of an Arma model from version 58 on: shapes cooked for the game's physics, and
    /// the model's buoyancy. No LOD depends on it.
    crate Trailer<'a>(has_shapes: bool) {
        /// Shapes, one for each selection `ComponentNN` of the geometry. All shapes are present from version 68 on;
        /// from 60 to 67 they may be.
        components: Option<Shapes<'a>> = cond(has_shapes, Shapes::parser(HasBone(false))),
        /// Shapes, one for each face of the roadway.
        roadway: Option<Shapes<'a>> = cond(has_shapes, Shapes::parser(HasBone(true))),
        /// Kind of buoyancy: 0 none, 2 spheres. The length of other kinds is unknown.
        buoyancy_kind: i32 = verify(le_i32(), check_kind),
        /// The buoyancy spheres.
        buoyancy: Option<Buoyancy<'a>> = cond(buoyancy_kind == 2, Buoyancy::parser(has_shapes)),
        /// `components` again, mirrored in x.
        mirrored_components: Option<Shapes<'a>> = cond(has_shapes, Shapes::parser(HasBone(false))),
        /// `roadway` again, mirrored in x.
        mirrored_roadway: Option<Shapes<'a>> = cond(has_shapes, Shapes::parser(HasBone(true))),
    }
}

grammar! {
    /// Cooked shapes of one purpose.
    crate Shapes<'a>(has_bone: HasBone) {
        /// The version of PhysX that cooked them.
        physx_version: PhysxVersion = le_u32().map(PhysxVersion),
        /// The shapes.
        shapes: List<'a, Shape<'a>, HasBone> = length_count(le_u32(), Shape::parser(has_bone)),
    }
}

grammar! {
    /// A shape as cooked by PhysX.
    crate Shape<'a>(has_bone: HasBone) {
        /// PhysX data, in place.
        cooked: LeArray<'a, u8> = length_array(le_u32()),
        /// The bone that moves it, in shapes of the roadway; -1 for none.
        bone: Option<i32> = cond(has_bone.0, le_i32()),
    }
}

grammar! {
    /// The model's buoyancy: spheres in a grid. Where the trailer has cooked shapes, a box ends it.
    crate Buoyancy<'a>(has_box: bool) {
        /// The grid, and the values shared by all spheres.
        grid: &'a BuoyancyStart = verify(inline(in_place()), check_places),
        /// The spheres, one for each place in the grid.
        spheres: LeArray<'a, BuoyancySphere> = array(grid.places().unwrap_or(0)),
        /// The submerged volume.
        volume: f32,
        /// A flat box: its smallest coordinates.
        bbox_min: Option<[f32; 3]> = cond(has_box, times(le_f32())),
        /// A flat box: its largest coordinates.
        bbox_max: Option<[f32; 3]> = cond(has_box, times(le_f32())),
    }
}

/// True if shapes have a bone, as shapes of the roadway do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HasBone(pub bool);

/// A PhysX version, one byte for each component, the most significant first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhysxVersion(pub u32);

impl PhysxVersion {
    /// Formats it as PhysX does, such as `3.3.4`.
    pub fn to_text(self) -> String {
        let [major, minor, fix, _] = self.0.to_be_bytes();
        format!("{major}.{minor}.{fix}")
    }
}

plain! {
    PhysxVersion: Number("PhysxVersion", 4) => |version| Value::Coded(version.0.into(), Some(version.to_text().into()));
}

impl BuoyancyStart {
    /// Returns the number of places along each axis.
    pub fn grid(&self) -> [i32; 3] {
        self.grid.map(|count| count.get())
    }

    /// Returns the distance between places along each axis.
    pub fn step(&self) -> [f32; 3] {
        self.step.map(F32::get)
    }

    /// Returns the number of places, or `None` if a count is negative.
    fn places(&self) -> Option<u64> {
        let mut places = Amount(1);
        for count in self.grid() {
            places = places * u64::try_from(count).ok()?;
        }
        Some(places.0)
    }
}

/// Returns an error if the grid has a negative number of places along an axis.
fn check_places(start: &&BuoyancyStart) -> Result<()> {
    match start.places() {
        Some(_) => Ok(()),
        None => Err(Error::malformed("grid of less than no places")),
    }
}

/// Rejects kinds of buoyancy whose length is unknown.
fn check_kind(kind: &i32) -> Result<()> {
    match kind {
        0 | 2 => Ok(()),
        _ => Err(Error::unsupported(format!("buoyancy of kind {kind}, whose length is unknown"))),
    }
}

impl<'a> Trailer<'a> {
    /// Returns the groups of shapes that are present, with their names, in stored order.
    pub fn shapes(&self) -> impl Iterator<Item = (&'static str, Shapes<'a>)> + use<'a> {
        let groups = [
            ("components", self.components),
            ("roadway", self.roadway),
            ("mirrored_components", self.mirrored_components),
            ("mirrored_roadway", self.mirrored_roadway),
        ];
        groups.into_iter().filter_map(|(name, shapes)| Some((name, shapes?)))
    }
}
