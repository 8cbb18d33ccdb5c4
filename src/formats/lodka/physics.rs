//! PHS1: rigid bodies, collision shapes, and joints.

use nom::Parser as _;
use zerocopy::little_endian::I32;

use super::chunk::Node;
use super::fields::{dissected, known, length, records};
use super::wire::{Body, Geom, Joint};
use crate::base::text::AnsiStr;
use crate::bytes::LeArray;
use crate::bytes::parser::bytes;
use crate::outline::{Type, Value};
use crate::record::parser::{Grammar, array, external, framing, le_u8, verify};
use crate::record::{Stored, grammar};

grammar! {
    /// The physics of a model (PHS1), after the Open Dynamics Engine.
    Physics<'a>(node: Node<'a>) {
        /// The layout: 1.
        #[label("PhysType")] kind: u8 = verify(le_u8(), known(&[1])),
        /// Number of bytes of all body names.
        #[label("BodyNameLengnt")] body_names_len: u64 = length(),
        /// Number of bytes of all geom names.
        #[label("GeomsNameLength")] geom_names_len: u64 = length(),
        /// Number of mesh links.
        #[label("MeshLinksCount")] mesh_link_count: u64 = length(),
        /// Number of bodies.
        #[label("BodyCount")] body_count: u64 = length(),
        /// Number of geoms.
        #[label("GeomsCount")] geom_count: u64 = length(),
        /// Number of joints.
        #[label("JointsCount")] joint_count: u64 = length(),
        /// The bodies' names in order; there may be fewer than bodies.
        #[label("BodysNames")] body_names: NameLines<'a> = dissected(name_lines(body_names_len)),
        /// The geoms' names in order; there may be fewer than geoms.
        #[label("GeomsNames")] geom_names: NameLines<'a> = dissected(name_lines(geom_names_len)),
        /// Indices of meshes in MSL1. Geoms refer to ranges of this list.
        #[label("MeshLinks")] mesh_links: LeArray<'a, I32> = array(mesh_link_count),
        /// Rigid bodies.
        #[label("TBodys")] bodies: LeArray<'a, Body> = external(array(body_count)),
        /// Collision shapes.
        #[label("TGeoms")] geoms: LeArray<'a, Geom> = external(array(geom_count)),
        /// Joints between bodies.
        #[label("TJoints")] joints: LeArray<'a, Joint> = external(array(joint_count)),
    }
    also |physics, out| {
        records(("body_records", "bodies"), physics.bodies, physics.body_names.iter(), out);
        records(("geom_records", "geoms"), physics.geoms, physics.geom_names.iter(), out);
        records(("joint_records", "joints"), physics.joints, std::iter::empty(), out);
    }
}

/// Names separated by CR LF, which may be missing after the last one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NameLines<'a>(AnsiStr<'a>);

impl Stored for NameLines<'_> {
    const TYPE: Type = Type::Varying("lines of text", 0);

    fn value(&self) -> Option<Value<'_>> {
        self.0.value()
    }
}

/// Returns a parser of names that take `count` bytes together.
fn name_lines<'a>(count: u64) -> impl Grammar<'a, Output = NameLines<'a>> {
    framing(bytes(count).map(AnsiStr::new).map(NameLines))
}

impl<'a> NameLines<'a> {
    /// Returns an iterator over the names.
    pub(crate) fn iter(&self) -> impl Iterator<Item = AnsiStr<'a>> + use<'a> {
        Lines { rest: self.0.as_bytes() }
    }
}

/// The names that are left.
struct Lines<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Lines<'a> {
    type Item = AnsiStr<'a>;

    /// Returns the text up to the next line end, or all that is left.
    fn next(&mut self) -> Option<AnsiStr<'a>> {
        const LINE_END: &[u8] = b"\r\n";
        if self.rest.is_empty() {
            return None;
        }
        let end = memchr::memmem::find(self.rest, LINE_END).unwrap_or(self.rest.len());
        let (name, after) = self.rest.split_at_checked(end)?;
        // Nothing is left after a last name without a line end.
        self.rest = after.get(LINE_END.len()..).unwrap_or_default();
        Some(AnsiStr::new(name))
    }
}
