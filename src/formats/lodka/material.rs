//! MAT1: materials.

use nom::Parser as _;

use super::chunk::Node;
use super::codes::MappingMode;
use super::fields::{known, length};
use super::text::text_with_length;
use super::wire::MaterialOptions;
use crate::base::text::AnsiStr;
use crate::record::grammar;
use crate::record::list::Entries;
use crate::record::parser::{cond, in_place, inline, le_u8, rest_count, verify};

grammar! {
    /// The materials of a model (MAT1).
    MaterialList<'a>(node: Node<'a>) {
        /// The layout: 0 nothing at all, 1 names only, 2 names and options, 3 additionally a [mapping
        /// mode](Material::mapping_mode).
        #[label("MaterialsType")] kind: u8 = verify(le_u8(), known(&[0, 1, 2, 3])),
        /// Number of materials stored in the chunk's data; absent in layout 0.
        #[label("MaterialsCount")] material_count: Option<u64> = cond(kind != 0, length()),
        /// The materials in order. They vary in length; getting to the last one means reading the others.
        materials: Entries<'a, Material<'a>, u8> =
            rest_count("materials", Material::parser(kind), material_count.unwrap_or(0)),
    }
}

grammar! {
    /// A material.
    crate Material<'a>(kind: u8) named name {
        /// Its name, which face groups refer to.
        #[label("MatNameLen, MatName")] name: AnsiStr<'a> = text_with_length(),
        /// The files of its textures as stored: "first" or "first:second".
        #[label("TextrNameLen, TextrName")] textures: AnsiStr<'a> = text_with_length(),
        /// Appearance.
        #[label("MaterialOptions")] options: Option<&'a MaterialOptions> = cond(kind >= 2, inline(in_place())),
        /// Source of the texture coordinates.
        #[label("MappingMode")] mapping_mode: Option<MappingMode> = cond(kind >= 3, le_u8().map(MappingMode)),
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
    pub(crate) fn texture_files(&self) -> [AnsiStr<'a>; 2] {
        let field = self.textures.as_bytes();
        let has_drive = matches!(field, [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic());
        // With a drive letter, the first colon is that of the drive, and the second one separates the files.
        let colon = memchr::memchr_iter(b':', field).nth(has_drive.into());
        match colon.and_then(|colon| field.split_at_checked(colon)) {
            Some((first, [_colon, second @ ..])) => [AnsiStr::new(first), AnsiStr::new(second)],
            _ => [self.textures, AnsiStr::new(&[])],
        }
    }
}
