//! One primitive of a picture, and its triangles.

use crate::base::error::Result;
use crate::budget::Reservation as Room;
use crate::export::cost::CORNER_WORK;
use crate::geometry::{Corner, Primitive};

/// How many triangles are kept after the first use.
pub(super) const MOST_KEPT: usize = 1 << 15;

/// A part of the drawing: one primitive.
pub(super) struct Part<'a> {
    pub(super) primitive: Primitive<'a>,
    /// Its triangles, if they are kept.
    pub(super) kept: Option<Vec<[Corner; 3]>>,
    /// If true, it is lit by the direction of its triangles instead.
    pub(super) has_wrong_normals: bool,
}

impl<'a> Part<'a> {
    pub(super) fn new(primitive: Primitive<'a>) -> Self {
        Self { primitive, kept: None, has_wrong_normals: false }
    }

    /// Returns the triangles, which are read again if they are not kept.
    pub(super) fn triangles<'p>(
        &'p self,
        room: &'p Room<'p>,
    ) -> Triangles<'p, impl Iterator<Item = Result<[Corner; 3]>> + use<'p, 'a>> {
        match &self.kept {
            Some(kept) => Triangles::Kept(kept.iter()),
            None => Triangles::Read { corners: self.primitive.corners(), room },
        }
    }
}

/// The triangles of a part.
pub(super) enum Triangles<'p, I> {
    Kept(std::slice::Iter<'p, [Corner; 3]>),
    Read { corners: I, room: &'p Room<'p> },
}

impl<I: Iterator<Item = Result<[Corner; 3]>>> Triangles<'_, I> {
    #[inline]
    pub(super) fn next(&mut self) -> Result<Option<[Corner; 3]>> {
        match self {
            Self::Kept(kept) => Ok(kept.next().copied()),
            Self::Read { corners, room } => {
                let Some(triangle) = corners.next() else { return Ok(None) };
                room.charge_work(CORNER_WORK)?;
                Ok(Some(triangle?))
            }
        }
    }
}
