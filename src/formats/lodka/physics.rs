//! PHS1: rigid bodies, collision shapes, and joints.

use zerocopy::little_endian::I32;

use super::chunk::Node;
use super::fields::{Dissected, Length, known, records};
use super::wire::{Body, Geom, Joint};
use crate::base::error::Result;
use crate::base::text::AnsiStr;
use crate::bytes::{Cursor, LeArray};
use crate::outline::{Sink, Type, Value};
use crate::record::{External, Read, Stored, record, walk_field};

record! {
    /// The physics of a model (PHS1), after the Open Dynamics Engine.
    Physics<'a>(node: Node<'a>) {
        /// The layout: 1.
        kind: u8 = "PhysType" => known(&[1]),
        /// Number of bytes of all body names.
        body_names_len: u64 as Length = "BodyNameLengnt",
        /// Number of bytes of all geom names.
        geom_names_len: u64 as Length = "GeomsNameLength",
        /// Number of mesh links.
        mesh_link_count: u64 as Length = "MeshLinksCount",
        /// Number of bodies.
        body_count: u64 as Length = "BodyCount",
        /// Number of geoms.
        geom_count: u64 as Length = "GeomsCount",
        /// Number of joints.
        joint_count: u64 as Length = "JointsCount",
        /// The bodies' names in order; there may be fewer than bodies.
        body_names: NameLines<'a> as Dissected<NameLines<'a>> = "BodysNames" [body_names_len],
        /// The geoms' names in order; there may be fewer than geoms.
        geom_names: NameLines<'a> as Dissected<NameLines<'a>> = "GeomsNames" [geom_names_len],
        /// Indices of meshes in MSL1. Geoms refer to ranges of this list.
        mesh_links: LeArray<'a, I32> = "MeshLinks" [mesh_link_count],
        /// Rigid bodies.
        bodies: LeArray<'a, Body> as External<LeArray<'a, Body>> = "TBodys" [body_count],
        /// Collision shapes.
        geoms: LeArray<'a, Geom> as External<LeArray<'a, Geom>> = "TGeoms" [geom_count],
        /// Joints between bodies.
        joints: LeArray<'a, Joint> as External<LeArray<'a, Joint>> = "TJoints" [joint_count],
    }
    also |physics, out| {
        records(("body_records", "bodies"), physics.bodies, physics.body_names.iter(), out);
        records(("geom_records", "geoms"), physics.geoms, physics.geom_names.iter(), out);
        records(("joint_records", "joints"), physics.joints, std::iter::empty(), out);
    }
}

/// Names separated by CR LF, which may be missing after the last one.
#[derive(Clone, Copy, Debug)]
pub struct NameLines<'a>(AnsiStr<'a>);

impl Stored for NameLines<'_> {
    const TYPE: Type = Type::Varying("lines of text", 0);
    const FRAMING: bool = true;

    fn value(&self) -> Option<Value<'_>> {
        self.0.value()
    }
}

/// Reads as many bytes as the context says.
impl<'a> Read<'a, u64> for NameLines<'a> {
    fn walk(cursor: &mut Cursor<'a>, bytes: u64, name: &'static str, sink: &mut impl Sink) -> Result<Self> {
        walk_field(cursor, name, sink, |cursor| cursor.bytes(bytes).map(AnsiStr::new).map(Self))
    }
}

impl<'a> NameLines<'a> {
    /// Returns an iterator over the names.
    pub fn iter(&self) -> impl Iterator<Item = AnsiStr<'a>> + use<'a> {
        let mut rest = Some(self.0.as_bytes()).filter(|names| !names.is_empty());
        std::iter::from_fn(move || {
            let names = rest.take()?;
            let Some(end) = memchr::memmem::find(names, b"\r\n") else { return Some(AnsiStr::new(names)) };
            let (name, after) = names.split_at_checked(end)?;
            rest = after.get(2..).filter(|names| !names.is_empty());
            Some(AnsiStr::new(name))
        })
    }
}
