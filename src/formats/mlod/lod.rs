//! One LOD: points, normals, faces and tags.

use zerocopy::IntoBytes;

use super::names::{self, FaceNames};
use super::wire::{Corner, FACE_COLUMNS, FaceFields, FirstTexture, LodHeader, Point};
use crate::base::error::{Error, Result};
use crate::base::span::Span;
use crate::base::text::ByteStr;
use crate::bytes::batch::{Batch, Derived};
use crate::bytes::parser::{ReadFn, Reading, reading};
use crate::bytes::{Cursor, LeArray, Table, Vec3};
use crate::outline::Outline;
use crate::record::grammar;
use crate::record::list::{Item as _, List};
use crate::record::parser::{
    array, by_value, cond, count, described, framing, in_place, inline, le_u8, le_u32, length_array, many_till,
    text_to_nul, verify,
};

grammar! {
    /// One level of detail, or another mesh of the model, such as its geometry.
    Lod<'a> {
        /// The header.
        header: &'a LodHeader = verify(inline(in_place()), known),
        /// Its points.
        points: LeArray<'a, Point> = array(header.points.get()),
        /// Its normals. They point into the body.
        normals: LeArray<'a, Vec3> = array(header.normals.get()),
        /// Its faces.
        faces: List<'a, Face<'a>, Form> = described(count(Face::parser(header.form()), header.faces.get()), describe_faces),
        /// `TAGG`.
        tags_signature: [u8; 4] = verify(framing(by_value()), starts_tags),
        /// Its tags, including the last one.
        tags: List<'a, Tag<'a>, Form> = many_till(Tag::parser(header.form()), Tag::is_last),
        /// Purpose: small numbers are levels of detail, large ones are codes.
        resolution: f32,
    }
}

grammar! {
    /// A triangle or quad.
    Face<'a>(form: Form) {
        /// Its image in a LOD of the older form, which has it first.
        first: Option<&'a FirstTexture> = cond(form == Form::Sp3x, in_place()),
        /// The fields before its names.
        fields: &'a FaceFields = inline(in_place()),
        /// Its image; empty for none. In the older form, that of `first`.
        texture: ByteStr<'a> = texture(first),
        /// Its material file (rvmat); empty for none. The older form has no materials.
        material: ByteStr<'a> = material(form),
    }
}

grammar! {
    /// Named data of a LOD: a selection, a property, a mass, a set of texture coordinates, ...
    Tag<'a>(form: Form) named name {
        /// 1 if it is in use, as stored.
        active: Option<u8> = cond(form == Form::P3dm, le_u8()),
        /// Its name: the name of a selection, or the type of the data between two `#`. The older form has it in 64 bytes.
        name: ByteStr<'a> = tag_name(form),
        /// Its data.
        data: LeArray<'a, u8> = length_array(le_u32()),
    }
}

/// The name of the tag after which a LOD's resolution follows.
const LAST_TAG: &str = "#EndOfFile#";

/// The form of a LOD, by its signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `P3DM`.
    P3dm,
    /// `SP3X`, which Operation Flashpoint's first editor wrote. A face has its image in 32 bytes before its other fields, and
    /// no material; a tag has its name in 64 bytes.
    Sp3x,
}

impl LodHeader {
    /// Returns the form of the LOD.
    pub fn form(&self) -> Form {
        if *self.signature == *b"SP3X" { Form::Sp3x } else { Form::P3dm }
    }
}

/// Checks the signature, the size and the version in the header of a LOD.
fn known(header: &&LodHeader) -> Result<()> {
    let known_version = match &*header.signature {
        b"P3DM" => 256,
        b"SP3X" => 153,
        other => {
            let message = format!("LOD starts with \"{}\", neither \"P3DM\" nor \"SP3X\"", ByteStr::new(other));
            return Err(Error::malformed(message));
        }
    };
    let size = header.header_size.get();
    let version = header.version.get();
    if (size, version) == (28, known_version) {
        return Ok(());
    }
    Err(Error::unsupported(format!(
        "LOD of version {version} with a header of {size} bytes, only {known_version} with 28 is known"
    )))
}

/// Returns a parser of the image after the other fields of a face. It reads no bytes if the image was first.
fn texture<'a>(first: Option<&'a FirstTexture>) -> Reading<impl ReadFn<'a, ByteStr<'a>>> {
    reading(move |cursor: &mut Cursor<'a>| match first {
        Some(first) => Ok(first.texture.text()),
        None => cursor.parse(text_to_nul()),
    })
}

/// Returns a parser of the material of a face. It reads no bytes in the older form.
fn material<'a>(form: Form) -> Reading<impl ReadFn<'a, ByteStr<'a>>> {
    reading(move |cursor: &mut Cursor<'a>| match form {
        Form::Sp3x => Ok(ByteStr::new(b"")),
        Form::P3dm => cursor.parse(text_to_nul()),
    })
}

/// Returns a parser of the name of a tag.
fn tag_name<'a>(form: Form) -> Reading<impl ReadFn<'a, ByteStr<'a>>> {
    reading(move |cursor: &mut Cursor<'a>| match form {
        Form::Sp3x => Ok(up_to_nul(cursor.bytes(64)?)),
        Form::P3dm => cursor.parse(text_to_nul()),
    })
}

/// Checks the signature before the tags.
fn starts_tags(signature: &[u8; 4]) -> Result<()> {
    if signature == b"TAGG" { Ok(()) } else { Err(Error::malformed("no \"TAGG\" after the faces")) }
}

impl<'a> Face<'a> {
    /// Returns the corners in use; all four if the file claims more.
    pub fn corners(&self) -> &'a [Corner] {
        let count = usize::try_from(self.fields.corner_count.get()).unwrap_or(usize::MAX);
        self.fields.corners.get(..count).unwrap_or(&self.fields.corners)
    }

    /// Returns the number of triangles that it divides into: two less than its corners.
    pub fn triangle_count(&self) -> u64 {
        self.corners().len().saturating_sub(2) as u64
    }
}

impl<'a> Tag<'a> {
    /// Returns true for the tag that ends the list.
    fn is_last(&self) -> bool {
        self.name == LAST_TAG
    }

    /// Returns true for a named selection of points and faces, and false for other data.
    pub fn is_selection(&self) -> bool {
        !self.name.as_bytes().starts_with(b"#")
    }

    /// Returns the indices of the points of a selection, with their weights from 0 to 1. A stored byte of 1 is the full
    /// weight; from 255 down to 2, weights grow from 1/255 to 254/255. A byte of 0 means that the point is not
    /// selected. Returns no point if the tag is no selection, or has fewer bytes than `lod` has points.
    pub fn weights(&self, lod: &Lod<'a>) -> impl Iterator<Item = (usize, f32)> + use<'a> {
        // A byte for each point, and then one for each face.
        let mut points: &[u8] = &[];
        if self.is_selection() {
            points = self.data.as_bytes().get(..lod.points.len()).unwrap_or_default();
        }
        points.iter().enumerate().filter(|(_, byte)| **byte != 0).map(|(point, byte)| (point, weight(*byte)))
    }

    /// Returns name and value, if it is a property: 64 bytes each, up to the first NUL.
    pub fn property(&self) -> Option<(ByteStr<'a>, ByteStr<'a>)> {
        if self.name != "#Property#" {
            return None;
        }
        let (name, value) = self.data.as_bytes().split_at_checked(64)?;
        Some((up_to_nul(name), up_to_nul(value.get(..64)?)))
    }

    /// Returns the model of a proxy selection: the text after `proxy:`, without the number after the last dot.
    pub fn proxy(&self) -> Option<ByteStr<'a>> {
        let (prefix, path) = self.name.as_bytes().split_at_checked(b"proxy:".len())?;
        if !prefix.eq_ignore_ascii_case(b"proxy:") {
            return None;
        }
        let dot = path.iter().rposition(|&byte| byte == b'.').unwrap_or(path.len());
        Some(ByteStr::new(path.get(..dot)?))
    }
}

/// Returns the weight that a byte of a selection means, from 0 to 1.
fn weight(byte: u8) -> f32 {
    // Weights fall as bytes grow: the subtraction wraps to 256 - byte.
    if byte == 1 { 1.0 } else { f32::from(0_u8.wrapping_sub(byte)) / 255.0 }
}

/// Returns the text before the first NUL.
fn up_to_nul(bytes: &[u8]) -> ByteStr<'_> {
    let end = memchr::memchr(0, bytes).unwrap_or(bytes.len());
    ByteStr::new(bytes.get(..end).unwrap_or_default())
}

/// Describes faces as one table of the fields before their names, with the names listed separately. A dissection shows
/// each face by itself.
fn describe_faces<'a>(faces: &List<'a, Face<'a>, Form>, name: &'static str, _: Span, out: &mut Outline<'_>) {
    if out.dissects() {
        return Face::describe_items(faces, name, out);
    }
    out.array(name, &fields(faces));
    let names = faces.iter().map(|face| FaceNames { texture: face.texture, material: face.material });
    names::describe(names, Span { offset: faces.offset(), bytes: faces.byte_len() }, out);
}

/// Returns the fields before the names of faces as one table.
fn fields<'s>(faces: &'s List<'_, Face<'_>, Form>) -> impl Table + use<'s> {
    Derived {
        rows: faces.len() as u64,
        columns: FACE_COLUMNS,
        from: Span { offset: faces.offset(), bytes: faces.byte_len() },
        make: |batch: &mut Batch<'_>| batch.extend(faces.iter().map(|face| Ok(face.fields.as_bytes()))),
    }
}
