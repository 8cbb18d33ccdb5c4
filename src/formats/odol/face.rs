//! Faces in place, and the sections that group them.

use std::iter::zip;
use std::ops::Range;

use zerocopy::little_endian::F32;

use super::index::{Corners, Indices};
use super::version::Version;
use super::wire::Collimator;
use crate::base::amount::Amount;
use crate::base::error::{Context as _, Error, Result};
use crate::base::span::Span;
use crate::base::text::ByteStr;
use crate::bytes::Table;
use crate::bytes::array::columns;
use crate::bytes::batch::{Batch, Derived};
use crate::bytes::parser::part;
use crate::bytes::{Cursor, LeArray};
use crate::outline::{FieldInfo, Outline, Part, Schema, Silent, Sink, StoredAt, Type};
use crate::record::parser::{
    Grammar, array, cond, described, framing, in_place, le_i16, le_i32, le_u8, le_u16, le_u32, length_array,
    length_count, text_to_nul,
};
use crate::record::{List, Read, Stored, describe_fields, grammar};

/// The faces of a LOD in place: for each, a byte with the number of corners, then a point number for each corner.
///
/// For a face with the corners a, b, c, ... the vector `(b - a) x (c - a)` points out of the body.
#[derive(Clone, Copy, Debug)]
pub struct Faces<'a> {
    head: FaceHead,
    faces: Cursor<'a>,
    form: Form,
}

grammar! {
    /// The fields before the faces of a LOD.
    FaceHead(version: Version) {
        /// Number of faces.
        #[label("NoOfFaces")] count: u32,
        /// Size of the faces in the game's memory. Each face takes 2 bytes plus 2 for each corner; 4 plus 4 from
        /// version 69 on. Sections refer to faces by offsets in this memory. In version 7 the unit is unknown.
        #[label("OffsetToSectionsStruct")] memory_bytes: u32,
        /// Zero in all known files.
        #[rule(OneOf(&[0]))]
        #[label("AlwaysZero")] unknown: Option<u16> = cond(version >= 40, le_u16()),
    }
}

/// A triangle, a quad or, in a few models, a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Face<'a> {
    /// The point numbers of its 3 or 4 corners, or of the 2 ends of a line.
    pub corners: Corners<'a>,
    /// The face's flags in version 7. Later versions store them in the section.
    pub flags: Option<u32>,
    /// The index of the face's texture in the LOD, -1 for none, in version 7. Later versions store it in the section.
    pub texture: Option<i16>,
}

/// The storage format of a face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Flags and texture, then corners: version 7.
    Flashpoint,
    /// 16-bit point numbers.
    Narrow,
    /// 32-bit point numbers.
    Wide,
}

impl Form {
    /// Returns the form that files of this version use.
    fn of(version: Version) -> Self {
        match (version.is_flashpoint(), version.has_wide_indices()) {
            (true, _) => Self::Flashpoint,
            (_, false) => Self::Narrow,
            (_, true) => Self::Wide,
        }
    }

    /// Returns the size of a point number in bytes.
    fn width(self) -> u64 {
        if self == Self::Wide { 4 } else { 2 }
    }

    /// Returns the size in the file of faces without flags and texture, if each has this number of corners.
    fn byte_len(self, faces: u64, corners: u64) -> u64 {
        ((Amount(self.width()) * corners + 1) * faces).0
    }

    /// Returns the number of bytes of a face before its point numbers: the number of corners takes 1; in version 7,
    /// flags (4) and texture (2) precede it.
    fn head(self) -> u64 {
        if self == Self::Flashpoint { 7 } else { 1 }
    }
}

impl Face<'_> {
    /// Returns the size of the face in the game's memory, or 0 in version 7, where it is unknown.
    pub fn memory_byte_len(&self) -> u32 {
        // Only version 7 stores flags with the face.
        if self.flags.is_some() {
            return 0;
        }
        let width = match self.corners {
            Indices::U16(_) => 2,
            Indices::U32(_) => 4,
        };
        // One unit for the number of corners and one for each. Faces have at most 4 corners, so nothing saturates.
        let units = u32::try_from(self.corners.len()).unwrap_or(u32::MAX).saturating_add(1);
        units.saturating_mul(width)
    }
}

impl Stored for Faces<'_> {
    const TYPE: Type = Type::Varying("FaceHead, Face[]", 8);
}

impl<'a> Read<'a, Version> for Faces<'a> {
    /// Describes the fields before the faces, and two arrays. A dissection shows each face.
    fn walk(cursor: &mut Cursor<'a>, version: Version, name: &'static str, sink: &mut impl Sink) -> Result<Self> {
        let form = Form::of(version);
        let head_start = *cursor;
        let head = FaceHead::read(cursor, version)?;
        let count = u64::from(head.count);
        // A face is smaller in the file than in memory: its number of corners takes a byte instead of a unit.
        let stored = u64::from(head.memory_bytes).checked_sub(count.saturating_mul(form.width().saturating_sub(1)));
        // Faces have 2 to 4 corners. If the claimed size is possible, it is trusted; otherwise the faces are read to
        // find their end.
        let likely = form.byte_len(count, 2)..=form.byte_len(count, 4);
        let faces = match stored {
            Some(bytes) if form != Form::Flashpoint && likely.contains(&bytes) => cursor.parse(part(bytes))?,
            _ => {
                let start = *cursor;
                for index in 0..head.count {
                    next_face(cursor, form).within_index(index as usize)?;
                }
                start.up_to(*cursor)
            }
        };
        let faces = Self { head, faces, form };
        if let Some(mut out) = sink.outline() {
            let start = head_start.offset();
            let end = if out.dissects() { faces.offset() } else { cursor.offset() };
            out.part(Part::one("face_block").spanning(start, end.saturating_sub(start)), |out| {
                describe_fields::<FaceHead, _>(head_start, version, out);
            });
            if out.dissects() {
                faces.describe_each(name, &mut out);
            } else {
                out.array(name, &corners(&faces));
            }
            out.array("indices", &indices(&faces));
        }
        Ok(faces)
    }
}

impl<'a> Faces<'a> {
    /// Describes each face as a part. Reads it twice: first to learn its size.
    fn describe_each(&self, name: &'static str, out: &mut Outline<'_>) {
        let mut faces = self.faces;
        for index in 0..self.len() {
            let mut start = faces;
            let face = next_face(&mut faces, self.form).within_item("faces", index);
            if out.ok(face).is_none() {
                return;
            }
            let bytes = faces.offset().saturating_sub(start.offset());
            out.part(Part::item(name, index).spanning(start.offset(), bytes), |out| {
                let again = walk_face(&mut start, self.form, out);
                out.ok(again);
            });
        }
        if !faces.is_empty() {
            out.problem(&left_over(&faces));
        }
    }

    /// Returns the size of the faces in the game's memory. Each face takes 2 bytes plus 2 for each corner; 4 plus 4
    /// from version 69 on. Sections refer to faces by offsets in this memory. In version 7 the unit is unknown.
    pub fn memory_byte_len(&self) -> u32 {
        self.head.memory_bytes
    }

    /// Returns the total number of corners, computed from the faces' size.
    pub(super) fn corner_count(&self) -> u64 {
        let heads = self.form.head().saturating_mul(self.head.count.into());
        self.byte_len().saturating_sub(heads).checked_div(self.form.width()).unwrap_or(0)
    }

    /// Returns the number of triangles that the faces divide into: two less than corners for each face.
    pub fn triangle_count(&self) -> u64 {
        self.corner_count().saturating_sub(u64::from(self.head.count).saturating_mul(2))
    }

    /// Returns true if point numbers have 32 bits.
    pub fn is_wide(&self) -> bool {
        self.form == Form::Wide
    }

    /// Returns true if the unit of [`memory_byte_len`](Self::memory_byte_len) is known: in all versions except 7.
    pub fn has_units(&self) -> bool {
        self.form != Form::Flashpoint
    }

    /// Returns the number of faces.
    pub fn len(&self) -> usize {
        self.head.count as usize
    }

    /// Returns true if there are no faces.
    pub fn is_empty(&self) -> bool {
        self.head.count == 0
    }

    /// Returns the offset of the first face, counted from the start of the file.
    pub fn offset(&self) -> u64 {
        self.faces.offset()
    }

    /// Returns the size of all faces in the file, in bytes.
    pub fn byte_len(&self) -> u64 {
        self.faces.left()
    }

    /// Returns an iterator over the faces. It ends after the first error: a face that does not have 2 to 4 corners, or
    /// faces that do not fill [`byte_len`](Self::byte_len) exactly.
    pub fn iter(&self) -> FaceIter<'a> {
        FaceIter { faces: self.faces, left: self.head.count, form: self.form, index: 0, unit: 0 }
    }

    /// Returns the start of each face in the game's memory and the end of the last, or `None` if a face cannot be read
    /// or a corner is not below `points`. Faster than iterating over the faces.
    pub(super) fn sound_bounds(&self, points: u64) -> Option<Vec<u32>> {
        match self.form {
            Form::Flashpoint => None,
            Form::Narrow => {
                sound_bounds(self.faces.rest(), self.len(), |&corner| u64::from(u16::from_le_bytes(corner)) < points)
            }
            Form::Wide => {
                sound_bounds(self.faces.rest(), self.len(), |&corner| u64::from(u32::from_le_bytes(corner)) < points)
            }
        }
    }

    /// Converts a range in the game's memory, as sections use it, to a range of face indices. Skips the faces before
    /// it, in linear time.
    ///
    /// # Errors
    /// Returns an error if a bound is after the last face or inside a face, if the faces up to there cannot be read, or
    /// in version 7, where the unit is unknown.
    pub fn range(&self, memory: Range<u32>) -> Result<Range<usize>> {
        let mut faces = self.iter();
        Ok(faces.seek(memory.start)?..faces.seek(memory.end)?)
    }
}

/// Does the work of [`Faces::sound_bounds`] for `count` faces in these bytes with point numbers of `WIDTH` bytes.
/// `is_sound` checks one point number.
fn sound_bounds<const WIDTH: usize>(
    mut faces: &[u8],
    count: usize,
    is_sound: impl Fn(&[u8; WIDTH]) -> bool,
) -> Option<Vec<u32>> {
    let unit = u32::try_from(WIDTH).ok()?;
    let most = faces.len().checked_div(WIDTH).unwrap_or(0);
    let mut bounds = Vec::with_capacity(count.min(most).saturating_add(1));
    let mut end = 0_u32;
    bounds.push(end);
    for _ in 0..count {
        let (&corners, rest) = faces.split_first()?;
        // Without a branch for each corner.
        let sound = |corners: &[[u8; WIDTH]]| corners.iter().fold(true, |all, corner| all & is_sound(corner));
        let is_sound;
        // A separate case for each number of corners avoids an inner loop.
        (is_sound, faces) = match (corners, rest.as_chunks().0) {
            (3, [a, b, c, ..]) => (sound(&[*a, *b, *c]), rest.get(WIDTH.wrapping_mul(3)..)?),
            (4, [a, b, c, d, ..]) => (sound(&[*a, *b, *c, *d]), rest.get(WIDTH.wrapping_mul(4)..)?),
            (2, [a, b, ..]) => (sound(&[*a, *b]), rest.get(WIDTH.wrapping_mul(2)..)?),
            _ => return None,
        };
        if !is_sound {
            return None;
        }
        end = end.saturating_add(unit.wrapping_mul(u32::from(corners).wrapping_add(1)));
        bounds.push(end);
    }
    if faces.is_empty() { Some(bounds) } else { None }
}

/// An iterator over the faces of a LOD.
#[derive(Clone, Debug)]
pub struct FaceIter<'a> {
    faces: Cursor<'a>,
    /// The number of faces that are left.
    left: u32,
    form: Form,
    /// The index of the next face.
    index: usize,
    /// The start of the next face in the game's memory.
    unit: u32,
}

impl FaceIter<'_> {
    /// Moves forward to the face that starts at `unit`, an offset in the game's memory. Returns its index, or the
    /// number of faces if `unit` is the end of the last.
    ///
    /// # Errors
    /// Returns an error if no face starts there, if the iterator is already past it, if a face before it cannot be
    /// read, or in version 7, where the unit is unknown.
    pub fn seek(&mut self, unit: u32) -> Result<usize> {
        if self.form == Form::Flashpoint {
            return Err(Error::unsupported("sections of version 7 count in a unit that is unknown"));
        }
        while self.unit < unit {
            // `next` returns the error of a face that cannot be passed, or `None` after the last.
            if self.pass().is_none() {
                self.next().unwrap_or_else(|| Err(self.off_edge(unit)))?;
            }
        }
        if self.unit == unit { Ok(self.index) } else { Err(self.off_edge(unit)) }
    }

    /// Skips a valid face of a version with units without creating it. Returns `None` if there is none.
    fn pass(&mut self) -> Option<()> {
        let left = self.left.checked_sub(1)?;
        let count = *self.faces.rest().first().filter(|count| (2..=4).contains(*count))?;
        let width = self.form.width();
        let count = u64::from(count);
        self.faces.skip(width.saturating_mul(count).saturating_add(1)).ok()?;
        let units = width.saturating_mul(count.saturating_add(1));
        self.unit = self.unit.saturating_add(u32::try_from(units).ok()?);
        (self.left, self.index) = (left, self.index.saturating_add(1));
        Some(())
    }

    /// Returns the error for an offset in the game's memory at which no face starts.
    #[cold]
    fn off_edge(&self, unit: u32) -> Error {
        self.faces.error(format!("no face from here on begins {unit} bytes into the game's faces"))
    }
}

impl<'a> Iterator for FaceIter<'a> {
    type Item = Result<Face<'a>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let Some(left) = self.left.checked_sub(1) else {
            // Only the first call after the last face finds bytes left.
            let rest = self.faces.split(self.faces.left()).ok()?;
            return if rest.is_empty() { None } else { Some(Err(left_over(&rest).within("faces"))) };
        };
        Some(match next_face(&mut self.faces, self.form) {
            Ok(face) => {
                self.left = left;
                self.index = self.index.saturating_add(1);
                self.unit = self.unit.saturating_add(face.memory_byte_len());
                Ok(face)
            }
            Err(error) => {
                // Nothing follows, not even the error about bytes left.
                (self.left, self.faces) = (0, Cursor::new(&[]));
                Err(error).within_item("faces", self.index)
            }
        })
    }
}

/// Returns the error for bytes after the last face.
#[cold]
fn left_over(rest: &Cursor<'_>) -> Error {
    rest.error(format!("{} bytes after the last face", rest.left()))
}

/// Reads the face at the cursor. On an error, the cursor does not move.
#[inline]
fn next_face<'a>(cursor: &mut Cursor<'a>, form: Form) -> Result<Face<'a>> {
    walk_face(cursor, form, &mut Silent)
}

/// Reads the face at the cursor, and describes it to `sink`. On an error, the cursor does not move.
#[inline(always)]
fn walk_face<'a>(cursor: &mut Cursor<'a>, form: Form, sink: &mut impl Sink) -> Result<Face<'a>> {
    let mut ahead = *cursor;
    let (flags, texture) = match form {
        Form::Flashpoint => {
            let flags = le_u32().walk(&mut ahead, "flags", sink)?;
            (Some(flags), Some(le_i16().walk(&mut ahead, "texture", sink)?))
        }
        _ => (None, None),
    };
    let count = framing(le_u8()).walk(&mut ahead, "count", sink)?;
    if !(2..=4).contains(&count) {
        return Err(cursor.error(format!("face of {count} corners, not 2 to 4")));
    }
    let offset = ahead.offset();
    let corners = match form {
        Form::Wide => Indices::U32(ahead.parse(array(count))?.as_slice()),
        _ => Indices::U16(ahead.parse(array(count))?.as_slice()),
    };
    if let Some(mut out) = sink.outline() {
        let span = Span { offset, bytes: corners.as_bytes().len() as u64 };
        let number = if form == Form::Wide { &u32::TYPE } else { &u16::TYPE };
        let numbers: Vec<i64> = corners.iter().map(i64::from).collect();
        out.stored("corners", StoredAt::new(Type::List(number, 0), span), numbers);
    }
    *cursor = ahead;
    Ok(Face { corners, flags, texture })
}

/// The stored form of a face.
pub(super) const FACE: &Schema = &Schema {
    name: "Face",
    doc: " A triangle, a quad or a line.",
    fields: &[
        FieldInfo::new(
            "flags",
            None,
            u32::TYPE,
            Some("version == 7"),
            " Flags of the face. Later versions store flags in the section.",
        ),
        FieldInfo::new(
            "texture",
            None,
            i16::TYPE,
            Some("version == 7"),
            " Index of the LOD's texture; -1 for none. Later versions store it in the section.",
        ),
        FieldInfo::new(
            "corners",
            Some("LodFace"),
            Type::Varying("u16[] or, from version 69 on, u32[]", 5),
            None,
            " The number of corners, 2 to 4, in one byte, and then the point number of each corner.",
        ),
    ],
};

grammar! {
    /// Faces with the same appearance, which are drawn together.
    Section<'a>(version: Version) {
        /// Start of its faces, in bytes of the game's memory.
        start: u32,
        /// End of its faces (exclusive), in bytes of the game's memory.
        end: u32,
        /// A number defined by the game, in version 7, which has no materials.
        game_material: Option<i32> = cond(version == 7, le_i32()),
        /// First of the LOD's bones that move its vertices.
        min_bone: Option<u32> = cond(version >= 40, le_u32()),
        /// Number of the LOD's bones that move its vertices.
        bone_count: Option<u32> = cond(version >= 40, le_u32()),
        /// A number defined by the author (CommonPointsUserValue).
        user_value: Option<u32> = cond(version >= 40, le_u32()),
        /// Index of the texture in the LOD; -1 for none.
        texture: i16,
        /// Flags shared by its faces (CommonFaceFlags): 0x10 no shadow, 0x20 two-sided, 0x80 lit by position, 0x300
        /// depth bias, 0x10_0000 lit from behind, 0x20_0000 flat lighting, 0x100_0000 texture not merged, 0x200_0000
        /// and above defined by the author.
        flags: u32,
        /// Index of the material in the LOD; -1 if the next field names it.
        material: Option<i32> = cond(version >= 40, le_i32()),
        /// The material file; empty for none.
        material_name: Option<ByteStr<'a>> = cond(material == Some(-1), text_to_nul()),
        /// For each of the first two sets of coordinates, the area of a face divided by the area of its texture; -1000
        /// if the set is missing.
        area_over_texture: Option<LeArray<'a, F32>> = cond(version >= 40, length_array(le_u32())),
        /// True if there is a collimator; 0 in all known files.
        collimator_flag: Option<i32> = cond(version >= 67, le_i32()),
        /// The frame of a collimator.
        collimator: Option<&'a Collimator> = cond(collimator_flag.is_some_and(|flag| flag >= 1), in_place()),
    }
}

/// The sections of a LOD.
pub type Sections<'a> = List<'a, Section<'a>, Version>;

impl Section<'_> {
    /// Returns its faces as a range in the game's memory. [`Faces::range`] converts it to face indices.
    pub fn memory_range(&self) -> Range<u32> {
        self.start..self.end
    }
}

/// Returns a parser of sections, which are described with the faces that they cover.
pub(super) fn sections<'a>(version: Version, faces: Faces<'a>) -> impl Grammar<'a, Output = Sections<'a>> {
    let describe = move |sections: &Sections<'a>, name, _: Span, out: &mut Outline<'_>| {
        describe_sections(sections, version, faces, name, out);
    };
    described(length_count(le_u32(), Section::parser(version)), describe)
}

/// Describes each section, and the faces that it covers: the index of the first and their number. Both are absent if
/// the section does not start and end at faces, and in version 7, where the unit is unknown.
fn describe_sections(
    sections: &Sections<'_>,
    version: Version,
    faces: Faces<'_>,
    name: &'static str,
    out: &mut Outline<'_>,
) {
    sections.describe_own_count(name, out);
    // One pass over the faces serves all sections.
    let mut faces = faces.iter();
    out.list(name);
    for (index, (start, Span { offset, bytes }, section)) in sections.located().enumerate() {
        out.part(Part::item(name, index).spanning(offset, bytes), |out| {
            describe_fields::<Section<'_>, _>(start, version, out);
            // Sections follow each other. If one starts before the end of the previous one, its faces are not shown.
            let first = faces.seek(section.start).ok();
            let mut count = None;
            if let Some(first) = first
                && let Ok(end) = faces.seek(section.end)
            {
                count = Some(end.saturating_sub(first));
            }
            out.field("first_face", first);
            out.field("face_count", count);
        });
    }
}

/// Returns faces as a table of one row per face: four point numbers, -1 if the face has fewer corners.
fn corners<'s>(faces: &'s Faces<'_>) -> impl Table + use<'s> {
    Derived {
        rows: faces.len() as u64,
        columns: columns![I32: "a", "b", "c", "d"],
        from: Span { offset: faces.offset(), bytes: faces.byte_len() },
        make: |batch: &mut Batch<'_>| {
            batch.extend(faces.iter().map(|face| {
                let mut row = [-1; 4];
                for (place, corner) in zip(&mut row, face?.corners.iter()) {
                    *place = corner.cast_signed();
                }
                Ok(bytemuck::cast::<_, [u8; 16]>(row.map(i32::to_le_bytes)))
            }))
        },
    }
}

/// Returns the point numbers of the corners of all faces one after another, without the numbers of corners.
pub(super) fn indices<'s>(faces: &'s Faces<'_>) -> impl Table + use<'s> {
    Derived {
        rows: faces.corner_count(),
        columns: match faces.is_wide() {
            false => columns!["point" U16],
            true => columns!["point" U32],
        },
        from: Span { offset: faces.offset(), bytes: faces.byte_len() },
        make: |batch: &mut Batch<'_>| {
            for face in faces.iter() {
                if batch.push(face?.corners.as_bytes()).is_break() {
                    break;
                }
            }
            Ok(())
        },
    }
}

#[cfg(test)]
mod tests {
    use super::sound_bounds;

    #[test]
    fn every_corner_of_every_face_is_checked() {
        for corners in [2, 3, 4] {
            // The face of `corners` corners is between two others.
            let faces = [3, corners, 2];
            for wrong in 0..faces.iter().sum::<u8>() {
                let (mut bytes, mut number) = (Vec::new(), 0);
                for count in faces {
                    bytes.push(count);
                    for _ in 0..count {
                        bytes.extend(if number == wrong { 7_u16 } else { 6 }.to_le_bytes());
                        number += 1;
                    }
                }
                let below = |points| sound_bounds(&bytes, 3, |&corner| u16::from_le_bytes(corner) < points);
                let ends = [0, 8, 8 + 2 * (u32::from(corners) + 1), 14 + 2 * (u32::from(corners) + 1)];
                assert_eq!(below(8).unwrap(), ends, "{corners}");
                assert_eq!(below(7), None, "corner {wrong} of faces with {faces:?} corners");
            }
        }
    }
}
