//! PHS1: rigid bodies, the shapes that collide, and what ties them together.

use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::{tag, take_until};
use nom::combinator::rest;
use nom::sequence::terminated;
use zerocopy::little_endian::I32;

use super::chunk::{Kind, Node, View};
use super::fields::not_negative;
use super::fields::{end, known_byte};
use super::wire::{Body, Geom, Joint, PhysicsHeader};
use crate::error::{Context, Result};
use crate::view::cursor::NomError;
use crate::view::{ByteStr, Cursor, LeArray};

/// The physics of a model (PHS1), after the Open Dynamics Engine.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Physics<'a> {
    /// Lengths and counts.
    pub header: &'a PhysicsHeader,
    body_names: &'a [u8],
    geom_names: &'a [u8],
    /// Meshes, counted in MSL1; geoms point to ranges of these.
    pub mesh_links: LeArray<'a, I32>,
    /// Rigid bodies.
    pub bodies: LeArray<'a, Body>,
    /// Shapes that collide.
    pub geoms: LeArray<'a, Geom>,
    /// What ties bodies together.
    pub joints: LeArray<'a, Joint>,
}

impl<'a> Physics<'a> {
    /// The bodies' names in order; there may be fewer than bodies.
    pub fn body_names(&self) -> impl Iterator<Item = ByteStr<'a>> + use<'a> {
        lines(self.body_names)
    }

    /// The geoms' names in order; there may be fewer than geoms.
    pub fn geom_names(&self) -> impl Iterator<Item = ByteStr<'a>> + use<'a> {
        lines(self.geom_names)
    }
}

impl<'a> View<'a> for Physics<'a> {
    const KIND: Kind = Kind::Physics;

    fn read(node: &Node<'a>) -> Result<Self> {
        let mut cursor = node.body()?;
        known_byte(&mut cursor.clone(), &[1]).within("kind")?;
        let header_at = cursor.offset();
        let header = cursor.read::<PhysicsHeader>()?;
        let [body_names, geom_names, mesh_links, bodies, geoms, joints] = [
            ("body_names", header.body_names_len),
            ("geom_names", header.geom_names_len),
            ("mesh_links", header.mesh_link_count),
            ("bodies", header.body_count),
            ("geoms", header.geom_count),
            ("joints", header.joint_count),
        ]
        .map(|(name, count)| not_negative(count.get()).map_err(|error| error.at(header_at)).within(name));
        let physics = Self {
            header,
            body_names: cursor.take(body_names?).within("body_names")?,
            geom_names: cursor.take(geom_names?).within("geom_names")?,
            mesh_links: cursor.array(mesh_links?).within("mesh_links")?,
            bodies: cursor.array(bodies?).within("bodies")?,
            geoms: cursor.array(geoms?).within("geoms")?,
            joints: cursor.array(joints?).within("joints")?,
        };
        end(&cursor)?;
        Ok(physics)
    }
}

/// Names with CR LF between them; behind the last one it may be missing.
fn lines<'a>(text: &'a [u8]) -> impl Iterator<Item = ByteStr<'a>> + use<'a> {
    let mut cursor = Cursor::new(text);
    std::iter::from_fn(move || {
        if cursor.is_empty() {
            return None;
        }
        let line = terminated(take_until::<_, _, NomError<'a>>("\r\n"), tag("\r\n"));
        cursor.parse(alt((line, rest)).map(ByteStr::new)).ok()
    })
}
