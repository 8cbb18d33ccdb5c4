//! Triangles and quads in place, and the sections that group them: spec section 6, rows 11 and 12.

use std::ops::Range;

use zerocopy::FromBytes;
use zerocopy::little_endian::{F32, U16};

use super::list::{Item, plain};
use super::wire::SectionNumbers;
use crate::error::{Context as _, Error, Result};
use crate::view::{ByteStr, Cursor, LeArray};

/// The faces of a LOD, in place: for each a byte with the number of corners, then a point number for each corner.
///
/// Of a face with the corners a, b, c, ... `(b - a) x (c - a)` points out of the body.
#[derive(Clone, Copy, Debug)]
pub struct Faces<'a> {
    faces: Cursor<'a>,
    count: u32,
    /// The bytes that the faces take in the game's memory: 8 for a triangle, 10 for a quad. Sections count in these
    /// (the wiki's OffsetToSectionsStruct).
    pub memory_bytes: u32,
    /// Zero in every file met.
    pub unknown: u16,
}

/// A triangle or a quad.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Face<'a> {
    /// The point numbers of its 3 or 4 corners.
    pub corners: &'a [U16],
}

impl Face<'_> {
    /// The bytes that it takes in the game's memory.
    pub fn memory_bytes(&self) -> u32 {
        // Three or four corners: no face is read that has others.
        if self.corners.len() == 3 { 8 } else { 10 }
    }
}

impl<'a> Faces<'a> {
    pub(super) fn read(cursor: &mut Cursor<'a>) -> Result<Self> {
        let count = cursor.u32()?;
        let memory_bytes = cursor.u32()?;
        let unknown = cursor.u16()?;
        let n = u64::from(count);
        // A face takes one byte less in the file than in memory: 7 or 9.
        let stored = u64::from(memory_bytes).checked_sub(n);
        let likely = stored.filter(|bytes| (n.saturating_mul(7)..=n.saturating_mul(9)).contains(bytes));
        let faces = match likely {
            Some(bytes) => cursor.split(bytes)?,
            None => {
                let mut start = *cursor;
                for index in 0..count {
                    next_face(cursor).within_item("faces", index as usize)?;
                }
                start.split(cursor.offset().saturating_sub(start.offset()))?
            }
        };
        Ok(Self { faces, count, memory_bytes, unknown })
    }

    /// How many faces.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Where the first face lies, counted from the start of the file.
    pub fn offset(&self) -> u64 {
        self.faces.offset()
    }

    /// The bytes that all faces take in the file.
    pub fn bytes(&self) -> u64 {
        self.faces.left()
    }

    /// The faces in order; ends after the first error, which is there where a face has neither 3 nor 4 corners, or
    /// the faces do not take up [`bytes`](Self::bytes) exactly.
    pub fn iter(&self) -> FaceIter<'a> {
        FaceIter { faces: self.faces, left: self.count, index: 0, unit: 0 }
    }

    /// The faces between two places in the game's memory, as numbers of faces: what a section covers.
    /// Steps over the faces before it.
    ///
    /// # Errors
    /// Where a bound lies behind the last face or inside a face, or the faces up to there cannot be read.
    pub fn range(&self, units: Range<u32>) -> Result<Range<usize>> {
        let mut faces = self.iter();
        Ok(faces.seek(units.start)?..faces.seek(units.end)?)
    }
}

/// The faces of a LOD in order.
#[derive(Clone, Debug)]
pub struct FaceIter<'a> {
    faces: Cursor<'a>,
    left: u32,
    index: usize,
    unit: u32,
}

impl FaceIter<'_> {
    /// Moves forward to the face that begins at a place in the game's memory, and tells its number; that of all faces
    /// at the end of the last.
    ///
    /// # Errors
    /// Where no face begins there, or it is passed already.
    pub fn seek(&mut self, unit: u32) -> Result<usize> {
        while self.unit < unit {
            self.next().unwrap_or_else(|| Err(self.off_edge(unit)))?;
        }
        if self.unit == unit { Ok(self.index) } else { Err(self.off_edge(unit)) }
    }

    #[cold]
    fn off_edge(&self, unit: u32) -> Error {
        self.faces.error(format!("no face from here on begins {unit} bytes into the game's faces"))
    }
}

impl<'a> Iterator for FaceIter<'a> {
    type Item = Result<Face<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        let Some(left) = self.left.checked_sub(1) else {
            // Only the first call behind the last face finds bytes left.
            let rest = self.faces.split(self.faces.left()).ok().filter(|rest| !rest.is_empty())?;
            return Some(Err(rest.error(format!("{} bytes behind the last face", rest.left())).within("faces")));
        };
        let face = next_face(&mut self.faces).within_item("faces", self.index);
        match &face {
            Ok(face) => {
                self.left = left;
                self.index = self.index.saturating_add(1);
                self.unit = self.unit.saturating_add(face.memory_bytes());
            }
            Err(_) => (self.left, self.faces) = (0, Cursor::new(&[])),
        }
        Some(face)
    }
}

fn next_face<'a>(cursor: &mut Cursor<'a>) -> Result<Face<'a>> {
    let mut ahead = *cursor;
    let corners = match ahead.u8()? {
        count @ 3..=4 => ahead.take(u64::from(count).saturating_mul(2))?,
        count => return Err(cursor.error(format!("face of {count} corners, not 3 or 4"))),
    };
    *cursor = ahead;
    // Whole 16-bit numbers: a multiple of two bytes was taken.
    Ok(Face { corners: <[U16]>::ref_from_bytes(corners).unwrap_or_default() })
}

/// Faces of one look, drawn at once.
#[derive(Clone, Copy, Debug)]
pub struct Section<'a> {
    numbers: &'a SectionNumbers,
    /// The material file, where [`material`](Self::material) is -1.
    pub material_name: Option<ByteStr<'a>>,
    /// For each of the first two sets of coordinates the area of a face over the area of its texture; -1000 for a set
    /// that is not there.
    pub area_over_texture: LeArray<'a, F32>,
}

impl Section<'_> {
    /// Its faces, as bytes in the game's memory: [`Faces::range`] makes face numbers of it.
    pub fn units(&self) -> Range<u32> {
        self.numbers.start.get()..self.numbers.end.get()
    }

    /// The items of the LOD that move its vertices: the first.
    pub fn min_bone(&self) -> u32 {
        self.numbers.min_bone.get()
    }

    /// The items of the LOD that move its vertices: how many.
    pub fn bone_count(&self) -> u32 {
        self.numbers.bone_count.get()
    }

    /// The author's own number (CommonPointsUserValue).
    pub fn user_value(&self) -> u32 {
        self.numbers.user_value.get()
    }

    /// Which of the LOD's textures; -1 for none.
    pub fn texture(&self) -> i16 {
        self.numbers.texture.get()
    }

    /// Flags shared by its faces (CommonFaceFlags): 0x10 no shadow, 0x20 seen from both sides, 0x80 lit by position,
    /// 0x300 depth bias, 0x10_0000 lit from behind, 0x20_0000 lit flat, 0x100_0000 texture not merged, from
    /// 0x200_0000 on the author's own.
    pub fn flags(&self) -> u32 {
        self.numbers.flags.get()
    }

    /// Which of the LOD's materials; -1 for one told by [name](Self::material_name).
    pub fn material(&self) -> i32 {
        self.numbers.material.get()
    }
}

impl<'a> Item<'a> for Section<'a> {
    const LEAST: u64 = 34;

    fn read(cursor: &mut Cursor<'a>, (): ()) -> Result<Self> {
        let numbers = cursor.read::<SectionNumbers>()?;
        let named = numbers.material.get() == -1;
        let material_name = named.then(|| cursor.cstr()).transpose()?;
        Ok(Self { numbers, material_name, area_over_texture: plain(cursor)? })
    }
}
