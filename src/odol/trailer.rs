//! What follows the last LOD: spec section 10 of the later versions.

use zerocopy::little_endian::F32;

use super::list::{Item, List};
use super::version::Version;
use super::wire::{BuoyancySphere, BuoyancyStart};
use crate::error::{Context as _, Error, Result};
use crate::inspect::Span;
use crate::view::{Cursor, LeArray};

/// What follows the last LOD of an Arma model from version 58 on: shapes that were cooked for the game's physics, and
/// how the model floats.
///
/// No LOD depends on it. What could not be read is `None`, and everything after it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Trailer<'a> {
    /// Bodies, one for each selection `ComponentNN` of the geometry; from version 68 on.
    pub components: Option<Shapes<'a>>,
    /// Bodies, one for each face of the roadway; from version 68 on.
    pub roadway: Option<Shapes<'a>>,
    /// How it floats: 0 not at all, 2 by [spheres](Self::buoyancy). The length of other kinds is unknown.
    pub buoyancy_kind: Option<i32>,
    /// The spheres that it floats by, for kind 2.
    pub buoyancy: Option<Buoyancy<'a>>,
    /// `components` once more, mirrored in x.
    pub mirrored_components: Option<Shapes<'a>>,
    /// `roadway` once more, mirrored in x.
    pub mirrored_roadway: Option<Shapes<'a>>,
    pub(super) span: Span,
}

/// Cooked shapes of one purpose.
#[derive(Clone, Copy, Debug)]
pub struct Shapes<'a> {
    /// The version of PhysX that cooked them, a byte for each part of it, the first highest.
    pub physx_version: u32,
    /// The shapes.
    pub list: List<'a, Shape<'a>, HasBone>,
    pub(super) span: Span,
}

/// Whether shapes name bones: those of the roadway do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HasBone(bool);

/// A body as PhysX cooked it.
#[derive(Clone, Copy, Debug)]
pub struct Shape<'a> {
    /// PhysX' own bytes, in place.
    pub cooked: LeArray<'a, u8>,
    /// The bone that moves it, for those of the roadway; -1 for none.
    pub bone: Option<i32>,
}

/// How a model floats: spheres in a grid.
#[derive(Clone, Copy, Debug)]
pub struct Buoyancy<'a> {
    start: &'a BuoyancyStart,
    /// The spheres: as many as the grid has places.
    pub spheres: LeArray<'a, BuoyancySphere>,
    /// The volume under water.
    pub volume: f32,
    /// A box without height: its smallest and its largest coordinates.
    pub bounds: [[f32; 3]; 2],
    pub(super) span: Span,
}

impl Shapes<'_> {
    /// The version of PhysX in its own words, as `3.3.4`.
    pub fn physx_version_text(&self) -> String {
        let [major, minor, fix, _] = self.physx_version.to_be_bytes();
        format!("{major}.{minor}.{fix}")
    }
}

impl Buoyancy<'_> {
    /// How many places the grid has along each axis.
    pub fn grid(&self) -> [i32; 3] {
        self.start.grid.map(|count| count.get())
    }

    /// From one place to the next, along each axis.
    pub fn step(&self) -> [f32; 3] {
        self.start.step.map(F32::get)
    }

    /// The radius of all spheres.
    pub fn radius(&self) -> f32 {
        self.start.radius.get()
    }

    /// The fewest and the most spheres.
    pub fn sphere_counts(&self) -> [i32; 2] {
        self.start.sphere_counts.map(|count| count.get())
    }
}

impl<'a> Trailer<'a> {
    /// Reads as much as there is; the error tells why not all.
    pub(super) fn read(cursor: &mut Cursor<'a>, version: Version) -> (Self, Result<()>) {
        let mut trailer = Self::default();
        let offset = cursor.offset();
        let result = trailer.fill(cursor, version).within("trailer");
        trailer.span = Span { offset, bytes: cursor.offset().saturating_sub(offset) };
        (trailer, result)
    }

    fn fill(&mut self, c: &mut Cursor<'a>, version: Version) -> Result<()> {
        // From which version on there are shapes is not known: in 60 to 67 more than a kind of buoyancy means shapes.
        let has_shapes = version.has_shapes() || version.layout() >= 60 && c.left() > 4;
        if has_shapes {
            self.components = Some(Shapes::read(c, HasBone(false)).within("components")?);
            self.roadway = Some(Shapes::read(c, HasBone(true)).within("roadway")?);
        }
        let offset = c.offset();
        let kind = c.i32().within("buoyancy_kind")?;
        self.buoyancy_kind = Some(kind);
        match kind {
            0 => {}
            2 => self.buoyancy = Some(Buoyancy::read(c).within("buoyancy")?),
            _ => {
                let message = format!("buoyancy of kind {kind}, whose length is unknown");
                return Err(Error::unsupported(message).at(offset));
            }
        }
        if has_shapes {
            self.mirrored_components = Some(Shapes::read(c, HasBone(false)).within("mirrored_components")?);
            self.mirrored_roadway = Some(Shapes::read(c, HasBone(true)).within("mirrored_roadway")?);
        }
        Ok(())
    }

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

impl<'a> Shapes<'a> {
    fn read(cursor: &mut Cursor<'a>, has_bone: HasBone) -> Result<Self> {
        let offset = cursor.offset();
        let physx_version = cursor.u32()?;
        let list = List::read(cursor, "shapes", has_bone)?;
        Ok(Self { physx_version, list, span: Span { offset, bytes: cursor.offset().saturating_sub(offset) } })
    }
}

impl<'a> Item<'a, HasBone> for Shape<'a> {
    const LEAST: u64 = 4;

    fn read(cursor: &mut Cursor<'a>, has_bone: HasBone) -> Result<Self> {
        let bytes = cursor.u32()?;
        let cooked = cursor.array(bytes.into())?;
        let bone = has_bone.0.then(|| cursor.i32()).transpose()?;
        Ok(Self { cooked, bone })
    }
}

impl<'a> Buoyancy<'a> {
    fn read(cursor: &mut Cursor<'a>) -> Result<Self> {
        let offset = cursor.offset();
        let start = cursor.read::<BuoyancyStart>()?;
        let places = start
            .grid
            .iter()
            .try_fold(1_u64, |places, count| u64::try_from(count.get()).ok().map(|count| places.saturating_mul(count)));
        let places = places.ok_or_else(|| Error::malformed("grid of less than no places").at(offset))?;
        let spheres = cursor.array(places).within("spheres")?;
        let volume = cursor.f32()?;
        let bounds = cursor.read::<[[F32; 3]; 2]>()?.map(|corner| corner.map(F32::get));
        let span = Span { offset, bytes: cursor.offset().saturating_sub(offset) };
        Ok(Self { start, spheres, volume, bounds, span })
    }
}
