//! What follows the last LOD.

use zerocopy::little_endian::F32;

use super::wire::{BuoyancySphere, BuoyancyStart};
use crate::base::error::{Error, Result};
use crate::bytes::LeArray;
use crate::outline::Value;
use crate::record::{Flat, List, plain, record};

record! {
    /// What follows the last LOD of an Arma model from version 58 on: shapes that were cooked for the game's physics, and
    /// how the model floats. No LOD depends on it.
    Trailer<'a>(has_shapes: bool) {
        /// Bodies, one for each selection `ComponentNN` of the geometry. All shapes are there from version 68 on; from
        /// 60 to 67 they may be.
        components: Shapes<'a> [HasBone(false)] where has_shapes,
        /// Bodies, one for each face of the roadway.
        roadway: Shapes<'a> [HasBone(true)] where has_shapes,
        /// How it floats: 0 not at all, 2 by spheres. The length of other kinds is unknown.
        buoyancy_kind: i32 => known,
        /// The spheres that it floats by.
        buoyancy: Buoyancy<'a> where buoyancy_kind == 2,
        /// `components` once more, mirrored in x.
        mirrored_components: Shapes<'a> [HasBone(false)] where has_shapes,
        /// `roadway` once more, mirrored in x.
        mirrored_roadway: Shapes<'a> [HasBone(true)] where has_shapes,
    }
}

record! {
    /// Cooked shapes of one purpose.
    Shapes<'a>(has_bone: HasBone) {
        /// The version of PhysX that cooked them.
        physx_version: PhysxVersion,
        /// The shapes.
        shapes: List<'a, Shape<'a>, HasBone> [has_bone],
    }
}

record! {
    /// A body as PhysX cooked it.
    Shape<'a>(has_bone: HasBone) {
        /// PhysX' own bytes, in place.
        cooked: LeArray<'a, u8>,
        /// The bone that moves it, for those of the roadway; -1 for none.
        bone: i32 where has_bone.0,
    }
}

record! {
    /// How a model floats: spheres in a grid.
    Buoyancy<'a> {
        /// The grid, and what all spheres share.
        grid: &'a BuoyancyStart as Flat<'a, BuoyancyStart> => has_places,
        /// The spheres: as many as the grid has places.
        spheres: LeArray<'a, BuoyancySphere> [grid.places().unwrap_or(0)],
        /// The volume under water.
        volume: f32,
        /// A box without height: its smallest coordinates.
        bbox_min: [f32; 3],
        /// A box without height: its largest coordinates.
        bbox_max: [f32; 3],
    }
}

/// Whether shapes name bones: those of the roadway do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HasBone(pub bool);

/// A version of PhysX: a byte for each part of it, the first highest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhysxVersion(pub u32);

impl PhysxVersion {
    /// In its own words, as `3.3.4`.
    pub fn to_text(self) -> String {
        let [major, minor, fix, _] = self.0.to_be_bytes();
        format!("{major}.{minor}.{fix}")
    }
}

plain! {
    PhysxVersion: Number("PhysxVersion", 4) => |version| Value::Coded(version.0.into(), Some(version.to_text().into())),
        |cursor| cursor.u32().map(Self);
}

impl BuoyancyStart {
    /// How many places the grid has along each axis.
    pub fn grid(&self) -> [i32; 3] {
        self.grid.map(|count| count.get())
    }

    /// From one place to the next, along each axis.
    pub fn step(&self) -> [f32; 3] {
        self.step.map(F32::get)
    }

    /// How many places; `None` where a count is negative.
    fn places(&self) -> Option<u64> {
        let mut counts = self.grid().into_iter().map(|count| u64::try_from(count).ok());
        counts.try_fold(1_u64, |places, count| Some(places.saturating_mul(count?)))
    }
}

fn has_places(start: &&BuoyancyStart) -> Result<()> {
    match start.places() {
        Some(_) => Ok(()),
        None => Err(Error::malformed("grid of less than no places")),
    }
}

fn known(kind: &i32) -> Result<()> {
    match kind {
        0 | 2 => Ok(()),
        _ => Err(Error::unsupported(format!("buoyancy of kind {kind}, whose length is unknown"))),
    }
}

impl<'a> Trailer<'a> {
    /// The groups of shapes by name, in the order stored.
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
