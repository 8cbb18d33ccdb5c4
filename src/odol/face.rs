//! Triangles and quads in place, and the sections that group them: spec section 6, rows 11 and 12.

use std::ops::Range;

use zerocopy::little_endian::F32;

use super::index::{Corners, Indices};
use super::list::{Item, plain};
use super::version::Version;
use super::wire::{Collimator, FlashpointSection, SectionNumbers};
use crate::error::{Context as _, Error, Result};
use crate::view::{ByteStr, Cursor, LeArray};

/// The faces of a LOD, in place: for each a byte with the number of corners, then a point number for each corner.
///
/// Of a face with the corners a, b, c, ... `(b - a) x (c - a)` points out of the body.
#[derive(Clone, Copy, Debug)]
pub struct Faces<'a> {
    faces: Cursor<'a>,
    count: u32,
    form: Form,
    /// The bytes that the faces take in the game's memory: 2 and 2 for each corner of a face, from version 69 on 4 and
    /// 4. Sections count in these (the wiki's OffsetToSectionsStruct). In version 7 the unit is unknown.
    pub memory_bytes: u32,
    /// Zero in every file met; from version 40 on.
    pub unknown: Option<u16>,
}

/// A triangle, a quad or, in a few models, a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Face<'a> {
    /// The point numbers of its 3 or 4 corners, or of the 2 ends of a line.
    pub corners: Corners<'a>,
    /// Its own flags, in version 7; later they are the section's.
    pub flags: Option<u32>,
    /// Which of the LOD's textures, -1 for none, in version 7; later it is the section's.
    pub texture: Option<i16>,
}

/// How a face is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Flags and texture first: version 7.
    Flashpoint,
    /// Point numbers of 16 bits.
    Narrow,
    /// Point numbers of 32 bits.
    Wide,
}

impl Form {
    fn of(version: Version) -> Self {
        match (version.is_flashpoint(), version.has_wide_indices()) {
            (true, _) => Self::Flashpoint,
            (_, false) => Self::Narrow,
            (_, true) => Self::Wide,
        }
    }

    /// The bytes of a point number.
    fn width(self) -> u64 {
        if self == Self::Wide { 4 } else { 2 }
    }

    /// The bytes of a face before its point numbers.
    fn head(self) -> u64 {
        if self == Self::Flashpoint { 7 } else { 1 }
    }
}

impl Face<'_> {
    /// The bytes that it takes in the game's memory; 0 in version 7, where that is unknown.
    pub fn memory_bytes(&self) -> u32 {
        // A unit for their number and one for each corner. No face is read that has other numbers than 2 to 4.
        let units = u32::try_from(self.corners.len()).unwrap_or(u32::MAX).saturating_add(1);
        match self.corners {
            _ if self.flags.is_some() => 0,
            Indices::U16(_) => units.saturating_mul(2),
            Indices::U32(_) => units.saturating_mul(4),
        }
    }
}

impl<'a> Faces<'a> {
    pub(super) fn read(cursor: &mut Cursor<'a>, version: Version) -> Result<Self> {
        let form = Form::of(version);
        let count = cursor.u32()?;
        let memory_bytes = cursor.u32()?;
        let unknown = (form != Form::Flashpoint).then(|| cursor.u16()).transpose()?;
        let n = u64::from(count);
        // A face takes less in the file than in memory: a byte for the number of corners in place of a whole unit.
        let stored = u64::from(memory_bytes).checked_sub(n.saturating_mul(form.width().saturating_sub(1)));
        let with_corners = |corners: u64| form.width().saturating_mul(corners).saturating_add(1).saturating_mul(n);
        let is_likely = |bytes: &u64| unknown.is_some() && (with_corners(2)..=with_corners(4)).contains(bytes);
        let likely = stored.filter(is_likely);
        let faces = match likely {
            Some(bytes) => cursor.split(bytes)?,
            None => {
                let mut start = *cursor;
                for index in 0..count {
                    next_face(cursor, form).within_item("faces", index as usize)?;
                }
                start.split(cursor.offset().saturating_sub(start.offset()))?
            }
        };
        Ok(Self { faces, count, form, memory_bytes, unknown })
    }

    /// How many corners all faces have, by the bytes that they take.
    pub(super) fn corner_count(&self) -> u64 {
        let heads = self.form.head().saturating_mul(self.count.into());
        self.bytes().saturating_sub(heads).checked_div(self.form.width()).unwrap_or(0)
    }

    /// Whether point numbers have 32 bits.
    pub fn is_wide(&self) -> bool {
        self.form == Form::Wide
    }

    /// Whether it is known how sections count faces: in all versions but 7.
    pub fn has_units(&self) -> bool {
        self.form != Form::Flashpoint
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

    /// The faces in order; ends after the first error, which is there where a face has not 2 to 4 corners, or the
    /// faces do not take up [`bytes`](Self::bytes) exactly.
    pub fn iter(&self) -> FaceIter<'a> {
        FaceIter { faces: self.faces, left: self.count, form: self.form, index: 0, unit: 0 }
    }

    /// The faces between two places in the game's memory, as numbers of faces: what a section covers.
    /// Steps over the faces before it.
    ///
    /// # Errors
    /// Where a bound lies behind the last face or inside a face, or the faces up to there cannot be read; in version 7,
    /// where the unit is unknown.
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
    form: Form,
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
        if self.form == Form::Flashpoint {
            return Err(Error::unsupported("sections of version 7 count in a unit that is unknown"));
        }
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
        let face = next_face(&mut self.faces, self.form).within_item("faces", self.index);
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

fn next_face<'a>(cursor: &mut Cursor<'a>, form: Form) -> Result<Face<'a>> {
    let mut ahead = *cursor;
    let (flags, texture) = match form {
        Form::Flashpoint => (Some(ahead.u32()?), Some(ahead.i16()?)),
        _ => (None, None),
    };
    let count = match ahead.u8()? {
        count @ 2..=4 => count.into(),
        count => return Err(cursor.error(format!("face of {count} corners, not 2 to 4"))),
    };
    let corners = match form {
        Form::Wide => Indices::U32(ahead.array(count)?.as_slice()),
        _ => Indices::U16(ahead.array(count)?.as_slice()),
    };
    *cursor = ahead;
    Ok(Face { corners, flags, texture })
}

/// Faces of one look, drawn at once.
#[derive(Clone, Copy, Debug)]
pub struct Section<'a> {
    numbers: SectionNumbers,
    /// The material file, where [`material`](Self::material) is -1; from version 40 on.
    pub material_name: Option<ByteStr<'a>>,
    /// For each of the first two sets of coordinates the area of a face over the area of its texture; -1000 for a set
    /// that is not there. From version 40 on.
    pub area_over_texture: LeArray<'a, F32>,
    /// Whether there is a collimator, from version 67 on; 0 in every file met.
    pub collimator_flag: Option<i32>,
    /// The frame of a collimator.
    pub collimator: Option<&'a Collimator>,
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

    /// The items of the LOD that move its vertices: how many. Version 7 has none.
    pub fn bone_count(&self) -> u32 {
        self.numbers.bone_count.get()
    }

    /// The author's own number (CommonPointsUserValue); 0 in version 7, which has none.
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

    /// Which of the LOD's materials; -1 for one told by [name](Self::material_name). In version 7, which has no
    /// materials, a number of the game's own.
    pub fn material(&self) -> i32 {
        self.numbers.material.get()
    }
}

impl<'a> Item<'a, Version> for Section<'a> {
    const LEAST: u64 = 18;

    fn read(cursor: &mut Cursor<'a>, version: Version) -> Result<Self> {
        if version.is_flashpoint() {
            let FlashpointSection { start, end, material, texture, flags } = *cursor.read()?;
            let [min_bone, bone_count, user_value] = Default::default();
            let numbers = SectionNumbers { start, end, min_bone, bone_count, user_value, texture, flags, material };
            let area_over_texture = cursor.array(0)?;
            return Ok(Self {
                numbers,
                material_name: None,
                area_over_texture,
                collimator_flag: None,
                collimator: None,
            });
        }
        let numbers = *cursor.read::<SectionNumbers>()?;
        let named = numbers.material.get() == -1;
        let material_name = named.then(|| cursor.cstr()).transpose()?;
        let area_over_texture = plain(cursor)?;
        let collimator_flag = version.has_collimators().then(|| cursor.i32()).transpose()?;
        let collimator = collimator_flag.filter(|&flag| flag >= 1).map(|_| cursor.read()).transpose()?;
        Ok(Self { numbers, material_name, area_over_texture, collimator_flag, collimator })
    }
}
