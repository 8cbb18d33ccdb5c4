//! Textures and brushes: the TEXS and BRUS chunks.

use nom::error::context;
use zerocopy::little_endian::I32;

use super::siblings::Siblings;
use super::wire::{BrushListHead, ChunkHeader};
use crate::base::error::{Context, Error, Result};
use crate::base::sealed::Sealed;
use crate::base::span::Span;
use crate::base::text::ByteStr;
use crate::bytes::chunk::{Chunk, Tag};
use crate::bytes::parser::in_place;
use crate::bytes::{Cursor, LeArray};
use crate::outline::{Outline, Rule, Sink, StoredField, Type, Value};
use crate::record::codes::codes;
use crate::record::{Fixed, Read, Record, Stored, form, record, walk_field};

record! {
    /// A texture: a record of TEXS.
    Texture<'a> named name {
        /// The file's name as stored: any encoding, often an absolute path of the author's machine. Never open it
        /// unchecked.
        name: ByteStr<'a> = "file",
        /// Flags for sampling and mapping. Default 1.
        flags: TextureFlags = "flags",
        /// How it mixes with the textures before it. Default 2.
        blend: TextureBlend = "blend",
        /// Offset of its coordinates. Default 0, 0.
        position: [f32; 2] = "x_pos, y_pos",
        /// Scale of its coordinates. Default 1, 1.
        scale: [f32; 2] = "x_scale, y_scale",
        /// Rotation of its coordinates in radians. Default 0.
        rotation: f32 = "rotation",
    }
}

record! {
    /// A brush, which is Blitz3D's material: a record of BRUS.
    Brush<'a>(layers: u64) named name {
        /// Its name as stored.
        name: ByteStr<'a> = "name",
        /// Red, green, blue and alpha. Default 1, 1, 1, 1.
        #[rule(Range(0, 1))]
        color: [f32; 4] = "red, green, blue, alpha",
        /// Strength of highlights. Default 0.
        shininess: f32 = "shininess",
        /// How it mixes with what is drawn behind it. Default 1; 0 if the writer set none.
        #[rule(Range(0, 3))]
        blend: BrushBlend = "blend",
        /// Lighting flags. Default 0.
        fx: BrushFx = "fx",
        /// Indices into the list of textures, one for each layer, -1 for an empty layer.
        texture_ids: LeArray<'a, I32> as Layers<'a> = "texture_id" [layers],
    }
}

impl<'a> Brush<'a> {
    /// Returns an iterator over the textures of its layers, without empty layers.
    pub fn textures(&self) -> impl Iterator<Item = usize> + use<'a> {
        self.texture_ids.iter().filter_map(|id| usize::try_from(id.get()).ok())
    }
}

/// The texture ids of a brush's layers, described as a few numbers and as an array.
pub(super) struct Layers<'a>(LeArray<'a, I32>);

impl Layers<'_> {
    /// The maximum number of ids described as numbers. Real brushes have up to eight layers.
    const TOLD: usize = 64;
}

impl Stored for Layers<'_> {
    const TYPE: Type = LeArray::<I32>::GIVEN;

    fn describe_at(&self, name: &'static str, span: Span, out: &mut Outline<'_>) {
        let Self(ids) = self;
        let first: Vec<i64> = ids.iter().take(Self::TOLD).map(|id| id.get().into()).collect();
        out.stored(&StoredField { name, kind: Self::TYPE, span, framing: false }, first);
        if ids.len() > Self::TOLD {
            out.field("texture_ids_truncated", true);
        }
        out.field("textures_a_brush", ids.len());
        out.array("layers", ids);
    }
}

impl<'a> Read<'a, u64> for Layers<'a> {
    fn walk(cursor: &mut Cursor<'a>, layers: u64, name: &'static str, sink: &mut impl Sink) -> Result<Self> {
        walk_field(cursor, name, sink, |cursor| cursor.array(layers).map(Self))
    }
}

form!(['a] Layers<'a> => LeArray<'a, I32>);

/// The flags of a texture. The spec leaves their meaning to Blitz3D's `TextureFlags`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureFlags(pub u32);

impl TextureFlags {
    /// Returns the names of the known bits that are set.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        named_bits(self.0, Self::KNOWN)
    }

    const KNOWN: &'static [(i64, &'static str)] = &[
        (1, "color"),
        (2, "alpha"),
        (4, "masked"),
        (8, "mipmap"),
        (16, "clamp u"),
        (32, "clamp v"),
        (64, "sphere map"),
        (128, "cube map"),
        (256, "video memory"),
        (512, "high color"),
        (65536, "second uv set"),
    ];

    /// Returns true if the texture uses the second set of coordinates.
    pub fn uses_second_uv_set(self) -> bool {
        self.0 & 65536 != 0
    }
}

codes! {
    /// How a texture blends with those before it.
    TextureBlend(i32) { 0 "none", 1 "alpha", 2 "multiply", 3 "add", 4 "dot3", 5 "multiply x2" }

    /// How a brush blends with what is behind it.
    BrushBlend(i32) { 1 "alpha", 2 "multiply", 3 "add" }
}

/// Lighting flags of a brush.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BrushFx(pub u32);

impl BrushFx {
    /// Returns the names of the known bits that are set.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        named_bits(self.0, Self::KNOWN)
    }

    const KNOWN: &'static [(i64, &'static str)] =
        &[(1, "full bright"), (2, "vertex colors"), (4, "flat"), (8, "no fog"), (16, "two-sided"), (32, "force alpha")];
}

fn named_bits(bits: u32, names: &'static [(i64, &'static str)]) -> impl Iterator<Item = &'static str> {
    names.iter().filter(move |(bit, _)| i64::from(bits) & bit != 0).map(|&(_, name)| name)
}

/// Flags in one number, which outlines also show by name.
macro_rules! switches {
    ($($kind:ty: $names:literal of $bits:literal;)*) => {$(
        impl Stored for $kind {
            const TYPE: Type = Type::Number("u32", 4);
            const RULE: Rule = Rule::Bits($bits);
            const CODES: &'static [(i64, &'static str)] = Self::KNOWN;

            fn value(&self) -> Option<Value<'_>> {
                Some(self.0.into())
            }

            fn describe_at(&self, name: &'static str, span: Span, out: &mut Outline<'_>) {
                self.0.describe_at(name, span, out);
                out.texts($names, self.names());
            }
        }

        impl<'a> Read<'a> for $kind {
            fn walk(cursor: &mut Cursor<'a>, (): (), name: &'static str, sink: &mut impl Sink) -> Result<Self> {
                walk_field(cursor, name, sink, |cursor| cursor.u32().map(Self))
            }
        }
    )*};
}

switches! {
    TextureFlags: "flag_names" of 0x103ff;
    BrushFx: "fx_names" of 0x3f;
}

/// A record that the chunks of one tag directly below BB3D list.
pub trait Material<'a>: Sealed + Record<'a, Self::Knowledge> {
    /// The tag of its chunks.
    const TAG: Tag;

    /// The name of the list in outlines and errors.
    const LIST: &'static str;

    /// The part of a chunk's head that is needed to read its records.
    type Knowledge: Copy + Default;

    /// Reads the head of a chunk, before its records.
    ///
    /// # Errors
    /// Returns an error if it does not fit or is invalid.
    fn head(cursor: &mut Cursor<'a>) -> Result<Self::Knowledge>;

    /// Describes the head of a chunk.
    fn describe_head(_: &Cursor<'a>, _: &mut Outline<'_>) {}
}

impl crate::base::sealed::Sealed for Texture<'_> {}

impl<'a> Material<'a> for Texture<'a> {
    const TAG: Tag = Tag(*b"TEXS");
    const LIST: &'static str = "textures";
    type Knowledge = ();

    fn head(_: &mut Cursor<'a>) -> Result<()> {
        Ok(())
    }
}

impl crate::base::sealed::Sealed for Brush<'_> {}

impl<'a> Material<'a> for Brush<'a> {
    const TAG: Tag = Tag(*b"BRUS");
    const LIST: &'static str = "brushes";
    type Knowledge = u64;

    fn head(cursor: &mut Cursor<'a>) -> Result<u64> {
        let offset = cursor.offset();
        let n_texs = cursor.parse(context("n_texs", in_place::<BrushListHead>()))?.n_texs.get();
        u64::try_from(n_texs).map_err(|_| Error::malformed(format!("{n_texs} is negative")).at(offset).within("n_texs"))
    }

    fn describe_head(cursor: &Cursor<'a>, out: &mut Outline<'_>) {
        if let Some(head) = out.ok(cursor.clone().read::<BrushListHead>().within("n_texs")) {
            head.describe_fields(cursor.offset(), out);
        }
    }
}

/// The textures or brushes of a scene, in order. A broken one ends its chunk; the next chunk is still read.
#[derive(Clone, Debug)]
pub struct Materials<'a, T: Material<'a>> {
    chunks: Siblings<'a>,
    records: Cursor<'a>,
    knowledge: T::Knowledge,
    index: usize,
}

/// The textures of a scene.
pub type Textures<'a> = Materials<'a, Texture<'a>>;

/// The brushes of a scene.
pub type Brushes<'a> = Materials<'a, Brush<'a>>;

/// A texture or brush that was read, with its location and context.
pub(super) struct Met<'a, T: Material<'a>> {
    pub(super) index: usize,
    pub(super) start: Cursor<'a>,
    pub(super) knowledge: T::Knowledge,
    pub(super) material: Result<T>,
}

impl<'a, T: Material<'a>> Materials<'a, T> {
    pub(super) fn new(chunks: Siblings<'a>) -> Self {
        Self { chunks, records: Cursor::new(&[]), knowledge: T::Knowledge::default(), index: 0 }
    }

    /// Creates the list of one chunk alone, whose first record has this index among all.
    pub(super) fn of(chunk: &Chunk<'a, ChunkHeader>, index: usize) -> Self {
        let mut of_one = Self { index, ..Self::new(Siblings::none(T::TAG)) };
        of_one.records = chunk.body();
        of_one.knowledge = T::head(&mut of_one.records).unwrap_or_default();
        of_one
    }

    /// Returns the number of records read, including broken ones.
    pub(super) fn index(&self) -> usize {
        self.index
    }

    fn read(&mut self) -> Result<Option<(Cursor<'a>, T)>> {
        while self.records.is_empty() {
            // The chunk may be cut short, with whole records before the cut. A broken list of chunks ends here; the
            // walk reports its error.
            let Some(chunk) = self.chunks.next() else { return Ok(None) };
            let mut records = chunk.body();
            self.knowledge = T::head(&mut records)?;
            self.records = records;
        }
        let start = self.records;
        T::read(&mut self.records, self.knowledge).map(|material| Some((start, material)))
    }

    /// Returns the next record, with the context to read it again.
    pub(super) fn step(&mut self) -> Option<Met<'a, T>> {
        let index = self.index;
        let read = self.read().within_item(T::LIST, index);
        if read.is_err() {
            self.records = Cursor::new(&[]);
        }
        self.index = index.saturating_add(1);
        let (start, material) = match read.transpose()? {
            Ok((start, material)) => (start, Ok(material)),
            Err(error) => (self.records, Err(error)),
        };
        Some(Met { index, start, knowledge: self.knowledge, material })
    }

    /// Returns an iterator over the records and their offsets.
    pub(super) fn placed(mut self) -> impl Iterator<Item = (u64, Result<T>)> + use<'a, T> {
        std::iter::from_fn(move || self.step().map(|met| (met.start.offset(), met.material)))
    }
}

impl<'a, T: Material<'a>> Iterator for Materials<'a, T> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Self::Item> {
        self.step().map(|met| met.material)
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
        let brushes = Brushes::of(&chunk, 0).placed();
        let brushes: Vec<_> = brushes.map(|(offset, brush)| (offset, brush.unwrap().name)).collect();
        assert_eq!(brushes, [(12, "skin".into())]);
        let error = Brush::head(&mut chunk.body()).unwrap_err();
        assert_eq!(error.to_string(), "n_texs at 0x8: -2 is negative");
    }
}
