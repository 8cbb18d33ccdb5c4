//! One LOD: points, normals, faces and tags.

use std::ops::ControlFlow;

use zerocopy::IntoBytes;

use super::wire::{Corner, FACE_COLUMNS, FaceFields, LodHeader, Point};
use crate::error::{Context, Error, Result};
use crate::view::array::gather;
use crate::view::{ByteStr, Column, Cursor, LeArray, Packing, Storage, Table, Vec3};

/// The name of the tag behind which a LOD's resolution follows.
const LAST_TAG: &str = "#EndOfFile#";

/// One level of detail, or one of the other meshes that a model has beside them.
#[derive(Clone, Copy, Debug)]
pub struct Lod<'a> {
    header: &'a LodHeader,
    points: LeArray<'a, Point>,
    normals: LeArray<'a, Vec3>,
    faces: Cursor<'a>,
    tags: Cursor<'a>,
    resolution: f32,
    offset: u64,
    bytes: u64,
}

impl<'a> Lod<'a> {
    /// Reads the LOD at the cursor, which moves behind it. Faces and tags are stepped over, linear in their number.
    pub(super) fn read(cursor: &mut Cursor<'a>) -> Result<Self> {
        let start = *cursor;
        let header = cursor.read::<LodHeader>()?;
        if header.signature != *b"P3DM" {
            let signature = ByteStr::new(&header.signature);
            return Err(match &header.signature {
                b"SP3X" => Error::unsupported("LOD of an older kind (SP3X)").at(start.offset()),
                _ => start.error(format!("LOD starts with \"{signature}\", not \"P3DM\"")),
            });
        }
        let (size, version) = (header.header_size.get(), header.version.get());
        if (size, version) != (28, 256) {
            let message = format!("LOD of version {version} with a header of {size} bytes, only 256 with 28 is known");
            return Err(Error::unsupported(message).at(start.offset()));
        }
        let points = cursor.array(header.points.get().into()).within("points")?;
        let normals = cursor.array(header.normals.get().into()).within("normals")?;
        let faces = between(cursor, |cursor| {
            (0..header.faces.get()).try_for_each(|_| Face::read(cursor).map(drop)).within("faces")
        })?;
        let at_tags = *cursor;
        if cursor.take(4)? != b"TAGG" {
            return Err(at_tags.error("no \"TAGG\" behind the faces"));
        }
        let tags = between(cursor, |cursor| {
            while !Tag::read(cursor).within("tags")?.is_last() {}
            Ok(())
        })?;
        let resolution = cursor.f32().within("resolution")?;
        let bytes = start.left().saturating_sub(cursor.left());
        Ok(Self { header, points, normals, faces, tags, resolution, offset: start.offset(), bytes })
    }

    /// Its header.
    pub fn header(&self) -> &'a LodHeader {
        self.header
    }

    /// Its points.
    pub fn points(&self) -> LeArray<'a, Point> {
        self.points
    }

    /// Its normals, which point into the body.
    pub fn normals(&self) -> LeArray<'a, Vec3> {
        self.normals
    }

    /// How many faces it has.
    pub fn face_count(&self) -> u32 {
        self.header.faces.get()
    }

    /// Its faces in file order.
    pub fn faces(&self) -> Faces<'a> {
        Faces { cursor: self.faces }
    }

    /// Its tags in file order, the last one included.
    pub fn tags(&self) -> Tags<'a> {
        Tags { cursor: self.tags }
    }

    /// What it is for: small numbers are levels of detail, large ones have meanings of their own.
    pub fn resolution(&self) -> f32 {
        self.resolution
    }

    /// Where it starts.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// How many bytes it takes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// Runs a reader and gives a cursor over what it has read.
fn between<'a>(cursor: &mut Cursor<'a>, read: impl FnOnce(&mut Cursor<'a>) -> Result<()>) -> Result<Cursor<'a>> {
    let mut start = *cursor;
    read(cursor)?;
    start.split(cursor.offset().saturating_sub(start.offset()))
}

/// A triangle or quadrangle.
#[derive(Clone, Copy, Debug)]
pub struct Face<'a> {
    /// What stands before its names.
    pub fields: &'a FaceFields,
    /// Its image; empty for none.
    pub texture: ByteStr<'a>,
    /// Its material file (rvmat); empty for none.
    pub material: ByteStr<'a>,
    /// Where it starts.
    pub offset: u64,
}

impl<'a> Face<'a> {
    fn read(cursor: &mut Cursor<'a>) -> Result<Self> {
        let offset = cursor.offset();
        Ok(Self { fields: cursor.read()?, texture: cursor.cstr()?, material: cursor.cstr()?, offset })
    }

    /// The corners in use; all four where the file claims more.
    pub fn corners(&self) -> &'a [Corner] {
        let count = usize::try_from(self.fields.corner_count.get()).unwrap_or(usize::MAX);
        self.fields.corners.get(..count).unwrap_or(&self.fields.corners)
    }
}

/// The faces of a LOD; as a table, the fields before their names.
#[derive(Clone, Copy, Debug)]
pub struct Faces<'a> {
    cursor: Cursor<'a>,
}

impl<'a> Iterator for Faces<'a> {
    type Item = Face<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        // Read once to find the LOD's end, so they can be read.
        if self.cursor.is_empty() { None } else { Face::read(&mut self.cursor).ok() }
    }
}

impl Table for Faces<'_> {
    fn rows(&self) -> u64 {
        self.count() as u64
    }

    fn columns(&self) -> Vec<Column> {
        FACE_COLUMNS.to_vec()
    }

    fn storage(&self) -> Storage {
        Storage { offset: self.cursor.offset(), bytes: self.cursor.left(), packing: Packing::Derived }
    }

    fn read(&self, sink: &mut dyn FnMut(&[u8]) -> ControlFlow<()>) -> Result<()> {
        gather(self.map(|face| face.fields.as_bytes()), sink);
        Ok(())
    }
}

/// Named data of a LOD: a selection, a property, a mass, a set of texture coordinates, ...
#[derive(Clone, Copy, Debug)]
pub struct Tag<'a> {
    /// Whether it is in use (a bool), as stored.
    pub active: u8,
    /// Its name: of a selection, or between `#` one that tells what the data is.
    pub name: ByteStr<'a>,
    /// Its data.
    pub data: LeArray<'a, u8>,
    /// Where it starts.
    pub offset: u64,
}

impl<'a> Tag<'a> {
    fn read(cursor: &mut Cursor<'a>) -> Result<Self> {
        let offset = cursor.offset();
        let (active, name) = (cursor.u8()?, cursor.cstr()?);
        let size = cursor.u32()?;
        Ok(Self { active, name, data: cursor.array(size.into())?, offset })
    }

    fn is_last(&self) -> bool {
        self.name == LAST_TAG
    }

    /// The bytes it takes: one, the name and its NUL, the size, the data.
    pub fn bytes(&self) -> u64 {
        (self.name.len() as u64).saturating_add(self.data.len() as u64).saturating_add(6)
    }

    /// Whether it is a named selection of points and faces, and not data with a meaning of its own.
    pub fn is_selection(&self) -> bool {
        !self.name.as_bytes().starts_with(b"#")
    }

    /// Name and value, if it is a property: 64 bytes each, up to the first NUL.
    pub fn property(&self) -> Option<(ByteStr<'a>, ByteStr<'a>)> {
        let (name, value) = self.data.as_bytes().split_at_checked(64).filter(|_| self.name == "#Property#")?;
        let text = |bytes: &'a [u8]| ByteStr::new(bytes.split(|&byte| byte == 0).next().unwrap_or_default());
        Some((text(name), text(value.get(..64)?)))
    }

    /// The model that a selection stands for: what follows `proxy:`, without the number behind the last dot.
    pub fn proxy(&self) -> Option<ByteStr<'a>> {
        let (prefix, path) = self.name.as_bytes().split_at_checked(6)?;
        if !prefix.eq_ignore_ascii_case(b"proxy:") {
            return None;
        }
        let dot = path.iter().rposition(|&byte| byte == b'.').unwrap_or(path.len());
        Some(ByteStr::new(path.get(..dot)?))
    }
}

/// The tags of a LOD.
#[derive(Clone, Copy, Debug)]
pub struct Tags<'a> {
    cursor: Cursor<'a>,
}

impl<'a> Iterator for Tags<'a> {
    type Item = Tag<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.cursor.is_empty() { None } else { Tag::read(&mut self.cursor).ok() }
    }
}
