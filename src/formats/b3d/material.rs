//! Textures and brushes: the TEXS and BRUS chunks.

use std::ops::Range;

use nom::Parser as _;
use nom::error::context;
use zerocopy::little_endian::I32;

use super::wire::{BrushListHead, ChunkHeader};
use crate::base::error::{Context, Error, Result};
use crate::base::sealed::Sealed;
use crate::base::span::Span;
use crate::base::stop;
use crate::base::text::ByteStr;
use crate::bytes::chunk::{Chunk, Header as _, Tag};
use crate::bytes::parser::in_place;
use crate::bytes::{Cursor, Element as _, LeArray};
use crate::outline::{Outline, Part, Rule, Silent, Sink, StoredAt, Type, Value};
use crate::ranges::Data;
use crate::record::codes::codes;
use crate::record::parser::{array, described, le_f32, le_i32, le_u32, text_to_nul, times};
use crate::record::{Record, Stored, grammar, walk_part};

grammar! {
    /// A texture: a record of TEXS.
    Texture<'a> named name {
        /// The file's name as stored: any encoding, often an absolute path of the author's machine. Never open it
        /// unchecked.
        #[label("file")] name: ByteStr<'a> = text_to_nul(),
        /// Flags for sampling and mapping. Default 1.
        #[label("flags")] flags: TextureFlags = le_u32().map(TextureFlags),
        /// How it mixes with the textures before it. Default 2.
        #[label("blend")] blend: TextureBlend = le_i32().map(TextureBlend),
        /// Offset of its coordinates. Default 0, 0.
        #[label("x_pos, y_pos")] position: [f32; 2] = times(le_f32()),
        /// Scale of its coordinates. Default 1, 1.
        #[label("x_scale, y_scale")] scale: [f32; 2] = times(le_f32()),
        /// Rotation of its coordinates in radians. Default 0.
        #[label("rotation")] rotation: f32,
    }
}

grammar! {
    /// A brush, which is Blitz3D's material: a record of BRUS.
    crate Brush<'a>(layers: u64) named name {
        /// Its name as stored.
        #[label("name")] name: ByteStr<'a> = text_to_nul(),
        /// Red, green, blue and alpha. Default 1, 1, 1, 1.
        #[rule(Range(0, 1))]
        #[label("red, green, blue, alpha")] color: [f32; 4] = times(le_f32()),
        /// Strength of highlights. Default 0.
        #[label("shininess")] shininess: f32,
        /// How it mixes with what is drawn behind it. Default 1; 0 if the writer set none.
        #[rule(Range(0, 3))]
        #[label("blend")] blend: BrushBlend = le_i32().map(BrushBlend),
        /// Lighting flags. Default 0.
        #[label("fx")] fx: BrushFx = le_u32().map(BrushFx),
        /// Indices into the list of textures, one for each layer, -1 for an empty layer.
        #[label("texture_id")] texture_ids: LeArray<'a, I32> = described(array(layers), describe_layers),
    }
}

impl<'a> Brush<'a> {
    /// Returns an iterator over the textures of its layers, without empty layers.
    pub fn textures(&self) -> impl Iterator<Item = usize> + use<'a> {
        self.texture_ids.iter().filter_map(|id| usize::try_from(id.get()).ok())
    }
}

/// The maximum number of layers whose ids are described as numbers. Real brushes have up to eight.
const MOST_SHOWN: usize = 64;

/// Describes the texture ids of a brush's layers: the first ones as numbers in a field, then how many there are, and
/// all of them as an array.
fn describe_layers(ids: &LeArray<'_, I32>, name: &'static str, span: Span, out: &mut Outline<'_>) {
    let first: Vec<i64> = ids.iter().take(MOST_SHOWN).map(|id| id.get().into()).collect();
    out.stored(name, StoredAt::new(Type::Array(I32::COLUMNS, 0), span), first);
    if ids.len() > MOST_SHOWN {
        out.field("texture_ids_truncated", true);
    }
    out.field("textures_a_brush", ids.len());
    out.repeating(true).array("layers", ids);
}

impl TextureFlags {
    /// Returns true if the texture uses the second set of coordinates.
    pub fn uses_second_uv_set(self) -> bool {
        const SECOND_UV_SET: u32 = 65536;
        self.0 & SECOND_UV_SET != 0
    }
}

codes! {
    /// How a texture blends with those before it.
    TextureBlend(i32) { 0 "none", 1 "alpha", 2 "multiply", 3 "add", 4 "dot3", 5 "multiply x2" }

    /// How a brush blends with what is behind it.
    BrushBlend(i32) { 1 "alpha", 2 "multiply", 3 "add" }
}

/// Defines flags in one number: the type's name, the field in which outlines show them by name, and the known bits.
macro_rules! switches {
    ($($(#[$about:meta])* $kind:ident in $names:literal { $($bit:literal $word:literal),* $(,)? })*) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $kind(pub u32);

        impl $kind {
            /// Returns the names of the known bits that are set.
            pub fn names(self) -> impl Iterator<Item = &'static str> {
                Self::CODES.iter().filter(move |(bit, _)| i64::from(self.0) & bit != 0).map(|&(_, name)| name)
            }
        }

        impl Stored for $kind {
            const TYPE: Type = Type::Number("u32", 4);
            const RULE: Rule = Rule::Bits($($bit)|*);
            const CODES: &'static [(i64, &'static str)] = &[$(($bit, $word)),*];

            fn value(&self) -> Option<Value<'_>> {
                Some(self.0.into())
            }

            fn describe_at(&self, name: &'static str, span: Span, out: &mut Outline<'_>) {
                self.0.describe_at(name, span, out);
                out.texts($names, self.names());
            }
        }
    )*};
}

switches! {
    /// The flags of a texture. The spec leaves their meaning to Blitz3D's `TextureFlags`.
    TextureFlags in "flag_names" {
        1 "color", 2 "alpha", 4 "masked", 8 "mipmap", 16 "clamp u", 32 "clamp v", 64 "sphere map", 128 "cube map",
        256 "video memory", 512 "high color", 65536 "second uv set",
    }

    /// Lighting flags of a brush.
    BrushFx in "fx_names" {
        1 "full bright", 2 "vertex colors", 4 "flat", 8 "no fog", 16 "two-sided", 32 "force alpha"
    }
}

/// A record that the chunks of one tag directly below BB3D list.
pub trait Material<'a>: Sealed + Record<'a, Self::Knowledge> {
    /// The tag of its chunks.
    const TAG: Tag;

    /// The name of the list in outlines and errors.
    const LIST: &'static str;

    /// The part of a chunk's head that is needed to read its records.
    type Knowledge: Copy + Default;

    /// Reads the head of a chunk, before its records. By default, there is none.
    ///
    /// # Errors
    /// Returns an error if it does not fit or is invalid.
    fn head(_: &mut Cursor<'a>) -> Result<Self::Knowledge> {
        Ok(Self::Knowledge::default())
    }
}

impl crate::base::sealed::Sealed for Texture<'_> {}

impl<'a> Material<'a> for Texture<'a> {
    const TAG: Tag = Tag(*b"TEXS");
    const LIST: &'static str = "textures";
    type Knowledge = ();
}

impl crate::base::sealed::Sealed for Brush<'_> {}

impl<'a> Material<'a> for Brush<'a> {
    const TAG: Tag = Tag(*b"BRUS");
    const LIST: &'static str = "brushes";
    type Knowledge = u64;

    /// Returns the number of layers of each brush in the chunk.
    fn head(cursor: &mut Cursor<'a>) -> Result<u64> {
        let offset = cursor.offset();
        let n_texs = cursor.parse(context("n_texs", in_place::<BrushListHead>()))?.n_texs.get();
        u64::try_from(n_texs).map_err(|_| Error::malformed(format!("{n_texs} is negative")).at(offset).within("n_texs"))
    }
}

/// The textures or brushes of a scene, in order. A broken one ends its chunk; the next chunk is still read.
#[derive(Clone, Debug)]
pub struct Materials<'a, T: Material<'a>> {
    data: Data<'a>,
    /// The range in which further chunks are.
    left: Range<u64>,
    /// The records that are left in the current chunk.
    records: Cursor<'a>,
    /// The head of the current chunk.
    knowledge: T::Knowledge,
    /// The index of the next record among those of all chunks.
    index: usize,
}

/// The textures of a scene.
pub type Textures<'a> = Materials<'a, Texture<'a>>;

/// The brushes of a scene.
pub type Brushes<'a> = Materials<'a, Brush<'a>>;

impl<'a, T: Material<'a>> Materials<'a, T> {
    /// Creates the list of the records in all chunks in this range of the file.
    pub(super) fn within(data: Data<'a>, left: Range<u64>) -> Self {
        Self { data, left, records: Cursor::new(&[]), knowledge: T::Knowledge::default(), index: 0 }
    }

    /// Creates the list of the records in one chunk alone, whose first record has this index among those of all chunks.
    pub(super) fn of(chunk: &Chunk<'a, ChunkHeader>, index: usize) -> Self {
        let mut records = chunk.body();
        // With a negative number of layers, brushes are read as if they had none.
        let knowledge = T::head(&mut records).unwrap_or_default();
        Self { records, knowledge, index, ..Self::within(Data::Whole(&[]), 0..0) }
    }

    /// Returns the number of records read, including broken ones.
    pub(super) fn index(&self) -> usize {
        self.index
    }

    /// Returns the next record and its offset, or `None` after the last, and describes it to the sink.
    fn read(&mut self, sink: &mut impl Sink) -> Result<Option<(u64, T)>> {
        while self.records.is_empty() {
            // The chunk may be cut short, with whole records before the cut. A broken list of chunks ends here; the
            // walk reports its error.
            let Some(chunk) = next_tagged(self.data, &mut self.left, T::TAG)? else { return Ok(None) };
            let mut records = chunk.body();
            self.knowledge = T::head(&mut records)?;
            self.records = records;
        }
        let offset = self.records.offset();
        let part = Part::item(T::LIST, self.index).rooted();
        walk_part(&mut self.records, self.knowledge, part, sink).map(|material| Some((offset, material)))
    }

    /// Returns the next record and its offset, and describes it to the sink. After an error, it goes on with the next
    /// chunk.
    pub(super) fn walk(&mut self, sink: &mut impl Sink) -> Option<Result<(u64, T)>> {
        let read = self.read(sink).within_item(T::LIST, self.index);
        if read.is_err() {
            self.records = Cursor::new(&[]);
        }
        // The end is no record.
        if !matches!(read, Ok(None)) {
            self.index = self.index.saturating_add(1);
        }
        read.transpose()
    }
}

/// Returns the next chunk with this tag in a range of a file, and moves the start of the range after it. Passes over
/// the others by their sizes. Returns `None` at the end of the range, and from the first header on that is cut short or
/// missing.
///
/// # Errors
/// Returns an error if the thread was asked to stop.
fn next_tagged<'a>(data: Data<'a>, left: &mut Range<u64>, tag: Tag) -> Result<Option<Chunk<'a, ChunkHeader>>> {
    while !left.is_empty() {
        let Range { start, end } = *left;
        // The list ends here unless the start of the next chunk is found below.
        *left = end..end;
        let body = start.saturating_add(size_of::<ChunkHeader>() as u64);
        if body > end {
            return Ok(None);
        }
        // Missing bytes are recorded.
        let Ok(head) = data.ahead(start..body) else { return Ok(None) };
        let Ok(header) = Cursor::new(head).parse(in_place::<ChunkHeader>()) else { return Ok(None) };
        let chunk_end = body.saturating_add(header.byte_len_hint().into()).min(end);
        if stop::is_due(start, chunk_end) && stop::is_set() {
            return Err(stop::error());
        }
        *left = chunk_end..end;
        // If its bytes are missing, they are recorded, and the search goes on to record those of later chunks, too.
        if header.tag() == tag
            && let Ok(bytes) = data.get(body..chunk_end)
        {
            return Ok(Some(Chunk::of(header, Cursor::with_offset(bytes, body))));
        }
    }
    Ok(None)
}

impl<'a, T: Material<'a>> Iterator for Materials<'a, T> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Self::Item> {
        self.walk(&mut Silent).map(|read| read.map(|(_, material)| material))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brushes_start_after_a_count_that_makes_no_sense() {
        let body = [&(-2_i32).to_le_bytes()[..], b"skin\0", &[0; 28]].concat();
        let bytes = [b"BRUS", &37_u32.to_le_bytes()[..], &body].concat();
        let chunk = Cursor::new(&bytes).parse(Chunk::parser()).unwrap();
        let mut brushes = Brushes::of(&chunk, 0);
        let (offset, brush) = brushes.walk(&mut Silent).unwrap().unwrap();
        assert_eq!((offset, brush.name), (12, "skin".into()));
        assert!(brushes.next().is_none());
        let error = Brush::head(&mut chunk.body()).unwrap_err();
        assert_eq!(error.to_string(), "n_texs at 0x8: -2 is negative");
    }
}
