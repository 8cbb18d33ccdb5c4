//! Textures of Arma: icons, maps of models, pictures of a mission.

use super::super::writer::paa::{AI88, ARGB1555, ARGB4444, DXT1, DXT5, Mip, Texture, need};
use super::random::Random;

/// How the mips of a texture are stored.
#[derive(Clone, Copy, PartialEq)]
enum Packing {
    /// As its kind usually is.
    Usual,
    /// LZO where it makes a mip shorter.
    Lzo,
}

pub fn files() -> Vec<(String, Vec<u8>)> {
    use Packing::{Lzo, Usual};
    // The kind, the sides, how many mips, and how many of a hundred pixels or blocks differ from the one before.
    let textures = [
        (ARGB4444, [16, 16], 5, Usual, 12),
        (DXT1, [32, 32], 4, Usual, 100),
        (ARGB4444, [38, 97], 1, Usual, 6),
        (AI88, [64, 64], 7, Usual, 8),
        (DXT1, [64, 64], 5, Usual, 100),
        (DXT5, [64, 64], 5, Usual, 100),
        (DXT1, [128, 64], 5, Usual, 100),
        (DXT1, [128, 128], 6, Usual, 100),
        (DXT1, [256, 256], 7, Lzo, 45),
        (DXT5, [128, 128], 6, Usual, 100),
        (DXT5, [256, 256], 7, Lzo, 25),
        (DXT5, [256, 256], 7, Lzo, 32),
        (ARGB1555, [360, 240], 4, Usual, 5),
        (DXT1, [256, 256], 7, Usual, 100),
        (DXT5, [512, 512], 8, Lzo, 12),
        (ARGB4444, [445, 288], 1, Usual, 8),
        (ARGB4444, [467, 325], 1, Usual, 7),
        (DXT5, [256, 512], 7, Lzo, 31),
        (DXT5, [256, 256], 7, Usual, 100),
        (DXT1, [512, 512], 8, Lzo, 43),
        (DXT1, [1024, 1024], 9, Lzo, 10),
        (DXT5, [2048, 2048], 10, Lzo, 2),
        (ARGB1555, [512, 512], 8, Usual, 10),
    ];
    let mut files = Vec::new();
    for (number, (kind, sides, mips, packing, differing)) in (0_u64..).zip(textures) {
        let mut random = Random::new(number + 1);
        let mut texture = Texture::chain(kind, [4, 4], 4).flags(1);
        texture.mips = mips_of(kind, sides, mips, differing, &mut random);
        if packing == Lzo {
            texture = texture.lzo();
        }
        files.push((format!("{number:02}_texture_co.paa"), texture.to_vec()));
    }
    files
}

fn mips_of(kind: u16, mut sides: [u16; 2], count: usize, differing: u32, random: &mut Random) -> Vec<Mip> {
    let mut mips = Vec::new();
    for _ in 0..count {
        mips.push(Mip::of(kind, sides, &pixels(kind, sides, differing, random)));
        sides = sides.map(|side| (side / 2).max(1));
    }
    mips
}

fn pixels(kind: u16, sides: [u16; 2], differing: u32, random: &mut Random) -> Vec<u8> {
    let unit = match kind {
        DXT1 => 8,
        DXT5 => 16,
        _ => 2,
    };
    let mut pixel = [0; 16];
    let mut all = Vec::new();
    while all.len() < need(kind, sides) {
        if random.chance(differing) {
            pixel = [0; 16].map(|_| random.below(256) as u8);
        }
        all.extend_from_slice(&pixel[..unit]);
    }
    all
}
