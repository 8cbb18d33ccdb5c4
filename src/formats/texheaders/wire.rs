//! Records exactly as stored.

use nom::Parser as _;
use zerocopy::little_endian::{U16, U32};

use crate::base::text::ByteStr;
use crate::bytes::LeArray;
use crate::record::codes::codes;
use crate::record::parser::{in_place, le_f32, le_u32, length_array, text_to_nul, times};
use crate::record::{Framing, grammar, wire};

wire! {
    /// The start of a file.
    FileHeader = 12 {
        /// `0DHT`.
        signature: Framing<[u8; 4]>,
        /// 1.
        version: U32,
        /// Number of textures that follow.
        texture_count: U32,
    }

    /// A color of a texture.
    Color = 4 {
        /// Blue.
        blue: u8,
        /// Green.
        green: u8,
        /// Red.
        red: u8,
        /// Alpha.
        alpha: u8,
    }

    /// One size of the image in the texture's file.
    Mip = 12 rows {
        /// Its width in pixels, without the bit that marks LZO in the texture.
        width: U16,
        /// Its height in pixels.
        height: U16,
        /// 0 in all known files.
        zero: U16,
        /// The pixel format: that of the texture.
        #[codes(Kind)]
        kind: u8,
        /// 3 in all known files.
        three: u8,
        /// The address of its width in the texture's file. The tag `OFFS` there has the same number.
        address: U32,
    }
}

grammar! {
    /// One texture.
    Texture<'a> named path {
        /// Number of palettes. 1 in all known files.
        #[rule(OneOf(&[1]))]
        palette_count: u32,
        /// The address of the palette. 0 in all known files.
        #[rule(OneOf(&[0]))]
        palette_address: u32,
        /// The average color: red, green, blue and alpha of `average_color`, divided by 255.
        #[rule(Range(0, 1))]
        average: [f32; 4] = times(le_f32()),
        /// The average color. The tag `AVGC` of the texture has the same.
        average_color: &'a Color = in_place(),
        /// The largest value of each channel. The tag `MAXC` of the texture has the same; 255 each without that tag.
        max_color: &'a Color = in_place(),
        /// 0 in all known files.
        #[rule(OneOf(&[0]))]
        clamp: u32,
        /// The color that means transparent. `0xffffffff` in all known files.
        #[rule(OneOf(&[0xffff_ffff]))]
        key_color: u32,
        /// 1 if the texture has the tag `MAXC`.
        #[rule(Range(0, 1))]
        has_max_color: u8,
        /// 1 if pixels are blended with what is behind them: the tag `FLAG` of the texture is 1.
        #[rule(Range(0, 1))]
        is_blended: u8,
        /// 1 if each pixel is opaque or transparent: the tag `FLAG` of the texture is 2.
        #[rule(Range(0, 1))]
        is_on_or_off: u8,
        /// 1 if pixels are blended, and the average alpha is less than 128.
        #[rule(Range(0, 1))]
        is_mostly_transparent: u8,
        /// Number of mips, as before `mips`.
        mip_count: u32,
        /// The pixel format.
        kind: Kind = le_u32().map(Kind),
        /// 1 in all known files: the numbers of the texture are little-endian.
        #[rule(OneOf(&[1]))]
        is_little_endian: u8,
        /// 1 if the file of the texture is a `.paa`, 0 if it is a `.pac`.
        #[rule(Range(0, 1))]
        is_paa: u8,
        /// The file of the texture, relative to the folder of the index: in lower case, with `\` between folders.
        path: ByteStr<'a> = text_to_nul(),
        /// The use of the texture, by the suffix of its name.
        purpose: Purpose = le_u32().map(Purpose),
        /// The sizes of the image, the largest first. Those with a side below 4 pixels are mostly left out.
        mips: LeArray<'a, Mip> = length_array(le_u32()),
        /// The size of the texture's file in bytes.
        file_size: u32,
    }
}

codes! {
    /// The pixel format of a texture.
    Kind(u32) {
        0 "P8", 1 "AI88", 2 "RGB565", 3 "ARGB1555", 4 "ARGB4444", 5 "ARGB8888",
        6 "DXT1", 7 "DXT2", 8 "DXT3", 9 "DXT4", 10 "DXT5",
    }

    /// The use of a texture. Real files have 0, 2, 3, 7, 8, 9 and 13; the others are in no
    /// available file.
    Purpose(u32) {
        0 "color", 1 "sky", 2 "detail", 3 "normals", 4 "irradiance", 5 "random", 6 "tree crown", 7 "macro",
        8 "ambient shadow", 9 "specular", 10 "dither", 11 "detail and specular", 12 "mask", 13 "thermal",
    }
}
