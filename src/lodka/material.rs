//! MAT1: materials.

use super::chunk::{Entries, Entry, Kind, Node, View};
use super::codes::MappingMode;
use super::fields::{count, end, known, string};
use super::wire::MaterialOptions;
use crate::error::{Context, Result};
use crate::view::{ByteStr, Cursor};

/// The materials of a model (MAT1).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct MaterialList<'a> {
    /// The layout (`MaterialsType`): 0 nothing at all, 1 names only, 2 names and options, 3 the same and a
    /// [mapping mode](Material::mapping).
    pub kind: u8,
    /// How many materials, in the chunk's own data; `None` in layout 0.
    pub material_count: Option<u64>,
    materials: Cursor<'a>,
}

impl<'a> MaterialList<'a> {
    /// The materials in order. Each has another length, so the way to the last one leads over all.
    pub fn materials(&self) -> Entries<'a, Material<'a>> {
        Entries::new(self.materials, self.material_count.unwrap_or(0), self.kind)
    }
}

impl<'a> View<'a> for MaterialList<'a> {
    const KIND: Kind = Kind::MaterialList;

    fn read(node: &Node<'a>) -> Result<Self> {
        let mut cursor = node.body()?;
        let kind = known(&mut cursor, &[0, 1, 2, 3]).within("kind")?;
        let material_count = match kind {
            0 => {
                end(&cursor)?;
                None
            }
            _ => Some(count(&mut cursor).within("count")?),
        };
        Ok(Self { kind, material_count, materials: cursor })
    }
}

/// A material.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Material<'a> {
    /// Its name, by which face groups ask for it.
    pub name: ByteStr<'a>,
    /// The files of its textures as stored (`TextrName`): "first" or "first:second".
    pub texture_field: ByteStr<'a>,
    /// How it looks; from layout 2 on.
    pub options: Option<&'a MaterialOptions>,
    /// Where its texture coordinates come from; in layout 3.
    pub mapping: Option<MappingMode>,
}

impl<'a> Material<'a> {
    /// The files of its first and second texture, each empty where there is none.
    ///
    /// The field is cut at its first colon, except one that follows a drive letter: `C:\a.bmp:b.bmp`. The author's
    /// own loader cuts at that one too.
    pub fn textures(&self) -> [ByteStr<'a>; 2] {
        let field = self.texture_field.as_bytes();
        let from = match field {
            [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic() => 2,
            _ => 0,
        };
        let colon = field.iter().skip(from).position(|&byte| byte == b':').map(|colon| colon.saturating_add(from));
        let (first, second) = match colon.and_then(|colon| field.split_at_checked(colon)) {
            Some((first, [_, second @ ..])) => (first, second),
            _ => (field, &[][..]),
        };
        [ByteStr::new(first), ByteStr::new(second)]
    }
}

impl<'a> Entry<'a> for Material<'a> {
    type Context = u8;
    const LIST: &'static str = "materials";

    fn read(cursor: &mut Cursor<'a>, kind: u8) -> Result<Self> {
        let name = string(cursor).within("name")?;
        let texture_field = string(cursor).within("textures")?;
        let options = (kind >= 2).then(|| cursor.read()).transpose().within("options")?;
        let mapping = (kind >= 3).then(|| cursor.u8().map(MappingMode)).transpose().within("mapping")?;
        Ok(Self { name, texture_field, options, mapping })
    }
}
