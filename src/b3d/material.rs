//! Textures and brushes: the TEXS and BRUS chunks.

use zerocopy::little_endian::I32;

use super::wire::{BrushFields, ChunkHeader, TextureFields};
use crate::error::{Context, Error, Result};
use crate::view::chunk::{Chunks, Tag};
use crate::view::{ByteStr, Cursor, LeArray};

/// A texture: a record of TEXS.
#[derive(Clone, Copy, Debug)]
pub struct Texture<'a> {
    /// The file's name as stored: any encoding, often an absolute path of the author's machine. Never open it as it is.
    pub name: ByteStr<'a>,
    /// How it is sampled and laid on.
    pub flags: TextureFlags,
    /// How it mixes with the textures before it.
    pub blend: TextureBlend,
    /// Shift of its coordinates (`x_pos`, `y_pos`).
    pub position: [f32; 2],
    /// Scale of its coordinates (`x_scale`, `y_scale`).
    pub scale: [f32; 2],
    /// Turn of its coordinates, in radians.
    pub rotation: f32,
    /// Where the record starts in the file.
    pub offset: u64,
}

/// A brush, which is Blitz3D's material: a record of BRUS.
#[derive(Clone, Copy, Debug)]
pub struct Brush<'a> {
    /// Its name as stored.
    pub name: ByteStr<'a>,
    /// Red, green, blue and alpha, 0 to 1.
    pub color: [f32; 4],
    /// Strength of highlights, 0 to 1.
    pub shininess: f32,
    /// How it mixes with what lies behind it.
    pub blend: BrushBlend,
    /// Switches of its lighting.
    pub fx: BrushFx,
    /// Positions in the list of textures, one for each layer, -1 for an empty layer (`texture_id`).
    pub texture_ids: LeArray<'a, I32>,
    /// Where the record starts in the file.
    pub offset: u64,
}

impl<'a> Brush<'a> {
    /// The textures of its layers, empty layers left out.
    pub fn textures(&self) -> impl Iterator<Item = usize> + use<'a> {
        self.texture_ids.iter().filter_map(|id| usize::try_from(id.get()).ok())
    }
}

/// The flags of a texture. The spec leaves their meaning to Blitz3D's `TextureFlags`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureFlags(pub u32);

impl TextureFlags {
    /// The words for the bits that are set and known.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        named_bits(
            self.0,
            &[
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
            ],
        )
    }

    /// Whether the texture takes the second set of coordinates.
    pub fn uses_second_uv_set(self) -> bool {
        self.0 & 65536 != 0
    }
}

/// How a texture mixes with those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureBlend(pub i32);

impl TextureBlend {
    /// The word for it, if it is known.
    pub fn name(self) -> Option<&'static str> {
        Some(match self.0 {
            0 => "none",
            1 => "alpha",
            2 => "multiply",
            3 => "add",
            4 => "dot3",
            5 => "multiply x2",
            _ => return None,
        })
    }
}

/// How a brush mixes with what lies behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BrushBlend(pub i32);

impl BrushBlend {
    /// The word for it, if it is known.
    pub fn name(self) -> Option<&'static str> {
        Some(match self.0 {
            1 => "alpha",
            2 => "multiply",
            3 => "add",
            _ => return None,
        })
    }
}

/// Switches of a brush's lighting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BrushFx(pub u32);

impl BrushFx {
    /// The words for the bits that are set and known.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        named_bits(
            self.0,
            &[
                (1, "full bright"),
                (2, "vertex colors"),
                (4, "flat"),
                (8, "no fog"),
                (16, "two-sided"),
                (32, "force alpha"),
            ],
        )
    }
}

fn named_bits(bits: u32, names: &'static [(u32, &'static str)]) -> impl Iterator<Item = &'static str> {
    names.iter().filter(move |(bit, _)| bits & bit != 0).map(|&(_, name)| name)
}

impl<'a> Texture<'a> {
    fn parse(cursor: &mut Cursor<'a>) -> Result<Self> {
        let offset = cursor.offset();
        let name = cursor.cstr().within("name")?;
        let fields = cursor.read::<TextureFields>()?;
        Ok(Self {
            name,
            flags: TextureFlags(fields.flags.get()),
            blend: TextureBlend(fields.blend.get()),
            position: fields.position.to_array(),
            scale: fields.scale.to_array(),
            rotation: fields.rotation.get(),
            offset,
        })
    }
}

impl<'a> Brush<'a> {
    fn parse(cursor: &mut Cursor<'a>, layers: u64) -> Result<Self> {
        let offset = cursor.offset();
        let name = cursor.cstr().within("name")?;
        let fields = cursor.read::<BrushFields>()?;
        Ok(Self {
            name,
            color: fields.color.to_array(),
            shininess: fields.shininess.get(),
            blend: BrushBlend(fields.blend.get()),
            fx: BrushFx(fields.fx.get()),
            texture_ids: cursor.array(layers).within("texture_ids")?,
            offset,
        })
    }
}

/// The textures of a scene, in order. A broken one ends its chunk; a further TEXS goes on.
#[derive(Clone, Debug)]
pub struct Textures<'a> {
    chunks: Chunks<'a, ChunkHeader>,
    records: Cursor<'a>,
    index: usize,
}

impl<'a> Textures<'a> {
    pub(super) fn new(chunks: Chunks<'a, ChunkHeader>) -> Self {
        Self { chunks, records: Cursor::new(&[]), index: 0 }
    }
}

impl<'a> Iterator for Textures<'a> {
    type Item = Result<Texture<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.records.is_empty() {
            self.records = next_body(&mut self.chunks, Tag(*b"TEXS"))?;
        }
        let texture = Texture::parse(&mut self.records).within_item("textures", self.index);
        if texture.is_err() {
            self.records = Cursor::new(&[]);
        }
        self.index = self.index.saturating_add(1);
        Some(texture)
    }
}

/// The brushes of a scene, in order. A broken one ends its chunk; a further BRUS goes on.
#[derive(Clone, Debug)]
pub struct Brushes<'a> {
    chunks: Chunks<'a, ChunkHeader>,
    records: Cursor<'a>,
    layers: u64,
    index: usize,
}

impl<'a> Brushes<'a> {
    pub(super) fn new(chunks: Chunks<'a, ChunkHeader>) -> Self {
        Self { chunks, records: Cursor::new(&[]), layers: 0, index: 0 }
    }

    fn read(&mut self) -> Result<Option<Brush<'a>>> {
        while self.records.is_empty() {
            let Some(mut records) = next_body(&mut self.chunks, Tag(*b"BRUS")) else { return Ok(None) };
            let offset = records.offset();
            let n_texs = records.i32().within("n_texs")?;
            let negative = || Error::malformed(format!("n_texs is {n_texs}")).at(offset);
            self.layers = u64::try_from(n_texs).map_err(|_| negative())?;
            self.records = records;
        }
        Brush::parse(&mut self.records, self.layers).map(Some)
    }
}

impl<'a> Iterator for Brushes<'a> {
    type Item = Result<Brush<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        let brush = self.read().within_item("brushes", self.index);
        if brush.is_err() {
            self.records = Cursor::new(&[]);
        }
        self.index = self.index.saturating_add(1);
        brush.transpose()
    }
}

/// The body of the next chunk of this kind, cut short or not: whole records may stand in front of the cut. A broken
/// list of chunks ends here; the walk is where its error shows.
fn next_body<'a>(chunks: &mut Chunks<'a, ChunkHeader>, tag: Tag) -> Option<Cursor<'a>> {
    chunks.flatten().find(|chunk| chunk.tag() == tag).map(|chunk| chunk.body())
}
