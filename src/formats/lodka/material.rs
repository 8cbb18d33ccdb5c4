//! MAT1: materials.

use super::chunk::Node;
use super::codes::MappingMode;
use super::fields::{Length, known};
use super::wire::MaterialOptions;
use crate::base::text::AnsiStr;
use crate::record::list::{All, Entries};
use crate::record::{Inline, record};

record! {
    /// The materials of a model (MAT1).
    MaterialList<'a>(node: Node<'a>) {
        /// The layout: 0 nothing at all, 1 names only, 2 names and options, 3 additionally a [mapping
        /// mode](Material::mapping_mode).
        kind: u8 = "MaterialsType" => known(&[0, 1, 2, 3]),
        /// Number of materials stored in the chunk's data; absent in layout 0.
        material_count: u64 as Length = "MaterialsCount" where kind != 0,
        /// The materials in order. They vary in length; getting to the last one means reading the others.
        materials: Entries<'a, Material<'a>, u8> [All("materials", material_count.unwrap_or(0), kind)],
    }
}

record! {
    /// A material.
    Material<'a>(kind: u8) named name {
        /// Its name, which face groups refer to.
        name: AnsiStr<'a> = "MatNameLen, MatName",
        /// The files of its textures as stored: "first" or "first:second".
        textures: AnsiStr<'a> = "TextrNameLen, TextrName",
        /// Appearance.
        options: &'a MaterialOptions as Inline<'a, MaterialOptions> = "MaterialOptions" where kind >= 2,
        /// Source of the texture coordinates.
        mapping_mode: MappingMode = "MappingMode" where kind >= 3,
    }
    also |material, out| {
        let [first, second] = material.texture_files();
        out.field("first_texture", first);
        out.field("second_texture", second);
    }
}

impl<'a> Material<'a> {
    /// Returns the files of the first and second texture, each empty if there is none.
    ///
    /// The field is split at its first colon, except one after a drive letter: `C:\a.bmp:b.bmp`. The author's own
    /// loader also splits at that one.
    pub fn texture_files(&self) -> [AnsiStr<'a>; 2] {
        let field = self.textures.as_bytes();
        let has_drive = matches!(field, [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic());
        let colon = memchr::memchr_iter(b':', field).nth(has_drive.into());
        match colon.and_then(|colon| field.split_at_checked(colon)) {
            Some((first, [_, second @ ..])) => [AnsiStr::new(first), AnsiStr::new(second)],
            _ => [self.textures, AnsiStr::new(&[])],
        }
    }
}
