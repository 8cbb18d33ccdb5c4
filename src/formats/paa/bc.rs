//! Decodes blocks of 4 x 4 pixels: BC1 (DXT1), BC2 (DXT2 and DXT3) and BC3 (DXT4 and DXT5).
//!
//! Each interpolated color or alpha is computed exactly and rounded to the nearest number; halves are rounded up.

/// RGBA of 16 pixels, four rows of four.
pub type Block = [[u8; 4]; 16];

/// Decodes a block of BC1.
pub fn bc1(block: &[u8; 8]) -> Block {
    color_block(block, false)
}

/// Decodes a block of BC2: 16 alphas of four bits, then colors.
pub fn bc2(block: &[u8; 16]) -> Block {
    let [a, b, c, d, e, f, g, h, color @ ..] = *block;
    let mut alphas = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
    let mut out = color_block(&color, true);
    for [.., alpha] in &mut out {
        // 15 * 17 is 255.
        *alpha = narrow((alphas & 15).wrapping_mul(17));
        alphas >>= 4;
    }
    out
}

/// Decodes a block of BC3: two alphas, 16 three-bit indices of steps between them, then colors.
pub fn bc3(block: &[u8; 16]) -> Block {
    let [first, second, a, b, c, d, e, f, color @ ..] = *block;
    // In one word, from which a shift takes an alpha faster than memory gives it.
    let steps = u64::from_le_bytes(alpha_steps(first, second));
    let mut indices = u64::from_le_bytes([a, b, c, d, e, f, 0, 0]);
    let mut out = color_block(&color, true);
    for [.., alpha] in &mut out {
        *alpha = narrow(steps >> ((indices & 7) << 3) & 255);
        indices >>= 3;
    }
    out
}

/// Decodes two colors and 16 two-bit indices of colors. If the block stores its alpha beside them, indices always
/// select from four colors. Otherwise they do if the first color is the larger number, and else from three and
/// transparent.
#[inline(always)]
fn color_block(block: &[u8; 8], is_beside_alpha: bool) -> Block {
    let [a, b, c, d, indices @ ..] = *block;
    let ends = [u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d])];
    let [first, second] = ends;
    let colors = colors(ends, is_beside_alpha || first > second);
    let mut indices = u32::from_le_bytes(indices);
    let mut out = Block::default();
    for pixel in &mut out {
        *pixel = colors.get((indices & 3) as usize).copied().unwrap_or_default();
        indices >>= 2;
    }
    out
}

/// Returns the two stored colors and the interpolated ones. With three colors, the fourth is transparent.
fn colors([first, second]: [u16; 2], is_four: bool) -> [[u8; 4]; 4] {
    let ends = [red_green_blue(first), red_green_blue(second)];
    let first = thirds(mixed::<3, 0>(ends));
    let second = thirds(mixed::<0, 3>(ends));
    if is_four {
        [first, second, thirds(mixed::<2, 1>(ends)), thirds(mixed::<1, 2>(ends))]
    } else {
        [first, second, halves(mixed::<1, 1>(ends)), [0; 4]]
    }
}

/// Splits a stored color, of five, six and five bits.
#[inline(always)]
fn red_green_blue(color: u16) -> [u32; 3] {
    let color = u32::from(color);
    [color >> 11, color >> 5 & 63, color & 31]
}

/// Adds `FIRST` parts of the first color and `SECOND` parts of the second.
#[inline(always)]
fn mixed<const FIRST: u32, const SECOND: u32>([[r0, g0, b0], [r1, g1, b1]]: [[u32; 3]; 2]) -> [u32; 3] {
    let mix = |a: u32, b: u32| a.wrapping_mul(FIRST).wrapping_add(b.wrapping_mul(SECOND));
    [mix(r0, r1), mix(g0, g1), mix(b0, b1)]
}

/// The sums of three numbers of five and of six bits, and of two, in eight bits. A division takes longer.
static THIRDS_OF_FIVE: [u8; 3 * 31 + 1] = in_eight_bits();
static THIRDS_OF_SIX: [u8; 3 * 63 + 1] = in_eight_bits();
static HALVES_OF_FIVE: [u8; 2 * 31 + 1] = in_eight_bits();
static HALVES_OF_SIX: [u8; 2 * 63 + 1] = in_eight_bits();

/// Returns [`to_eight_bits`] of each number up to the last of the table.
#[allow(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    reason = "what goes wrong goes wrong in the compiler"
)]
const fn in_eight_bits<const N: usize>() -> [u8; N] {
    let mut table = [0; N];
    let all = N - 1;
    let mut number = 0;
    while number < N {
        table[number] = ((number * 510 + all) / (2 * all)) as u8;
        number += 1;
    }
    table
}

/// Converts the sum of three colors to opaque RGBA.
#[inline(always)]
fn thirds([red, green, blue]: [u32; 3]) -> [u8; 4] {
    [entry(&THIRDS_OF_FIVE, red), entry(&THIRDS_OF_SIX, green), entry(&THIRDS_OF_FIVE, blue), 255]
}

/// Converts the sum of two colors to opaque RGBA.
#[inline(always)]
fn halves([red, green, blue]: [u32; 3]) -> [u8; 4] {
    [entry(&HALVES_OF_FIVE, red), entry(&HALVES_OF_SIX, green), entry(&HALVES_OF_FIVE, blue), 255]
}

#[inline(always)]
fn entry<const N: usize>(table: &[u8; N], number: u32) -> u8 {
    table.get(number as usize).copied().unwrap_or(0)
}

/// Scales a number from 0..=`all` to 0..=255, rounded to the nearest. Halves are rounded up.
#[inline(always)]
pub(super) fn to_eight_bits(number: u32, all: u32) -> u8 {
    // number * 255 / all + 1/2, as one fraction.
    let doubled = number.wrapping_mul(510).wrapping_add(all);
    narrow(doubled.checked_div(all.wrapping_mul(2)).unwrap_or(0).into())
}

/// Returns the eight alphas of a BC3 block: the two stored ones and six steps between them, or, if the first is not
/// larger than the second, four steps and the constants 0 and 255.
fn alpha_steps(first: u8, second: u8) -> [u8; 8] {
    // The alpha that is this fraction of the way from the first to the second.
    let step = |parts: u32, of: u32| {
        let rest = of.wrapping_sub(parts);
        let sum = u32::from(first).wrapping_mul(rest).wrapping_add(u32::from(second).wrapping_mul(parts));
        // The number of steps is odd, so no fraction is a half.
        narrow(sum.wrapping_add(of / 2).checked_div(of).unwrap_or(0).into())
    };
    if first > second {
        [first, second, step(1, 7), step(2, 7), step(3, 7), step(4, 7), step(5, 7), step(6, 7)]
    } else {
        [first, second, step(1, 5), step(2, 5), step(3, 5), step(4, 5), 0, 255]
    }
}

/// Returns the lowest byte of a number that is less than 256.
#[allow(clippy::cast_possible_truncation)]
#[inline(always)]
pub(super) fn narrow(number: u64) -> u8 {
    number as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Red at 15 of 31, green at 21 of 63.
    const FIRST: [u8; 2] = ((15 << 11 | 21 << 5) as u16).to_le_bytes();

    fn block(ends: [[u8; 2]; 2], indices: [u8; 4]) -> [u8; 8] {
        let [[a, b], [c, d]] = ends;
        let [e, f, g, h] = indices;
        [a, b, c, d, e, f, g, h]
    }

    #[test]
    fn fractions_are_rounded_to_the_nearest() {
        let four = bc1(&block([FIRST, [0; 2]], [0b1110_0100, 0, 0, 0]));
        // 15/31 is 123.4; two thirds of 15/31 are 82.26, a third 41.1.
        assert_eq!(four[..4], [[123, 85, 0, 255], [0, 0, 0, 255], [82, 57, 0, 255], [41, 28, 0, 255]]);
        let three = bc1(&block([[0; 2], FIRST], [0b1110_0100, 0, 0, 0]));
        // 42.5 of 21/126 goes up.
        assert_eq!(three[..4], [[0, 0, 0, 255], [123, 85, 0, 255], [62, 43, 0, 255], [0; 4]]);
        assert_eq!(bc1(&block([FIRST, FIRST], [0xff; 4])), [[0; 4]; 16]);
        assert_eq!(bc1(&block([[0xff; 2], [0; 2]], [0, 0x55, 0, 0]))[3..5], [[255; 4], [0, 0, 0, 255]]);
    }

    #[test]
    fn color_halves_beside_alpha_always_have_four_colors() {
        let color = block([[0; 2], FIRST], [0b1110_0100, 0, 0, 0]);
        let mut two = [0; 16];
        two[0] = 0xf1;
        two[8..].copy_from_slice(&color);
        assert_eq!(bc2(&two)[..4], [[0, 0, 0, 17], [123, 85, 0, 255], [41, 28, 0, 0], [82, 57, 0, 0]]);
        two[..3].copy_from_slice(&[10, 0, 0b10_001_000]);
        assert_eq!(bc3(&two)[..3], [[0, 0, 0, 10], [123, 85, 0, 0], [41, 28, 0, 9]]);
    }

    #[test]
    fn alpha_has_six_steps_or_four() {
        assert_eq!(alpha_steps(255, 0), [255, 0, 219, 182, 146, 109, 73, 36]);
        assert_eq!(alpha_steps(0, 255), [0, 255, 51, 102, 153, 204, 0, 255]);
        assert_eq!(alpha_steps(9, 9), [9, 9, 9, 9, 9, 9, 0, 255]);
    }

    #[test]
    fn small_numbers_spread_over_eight_bits() {
        let all: Vec<u8> = (0..32).map(|number| to_eight_bits(number, 31)).collect();
        let expected: Vec<u8> = (0..32).map(|number| (f64::from(number) * 255.0 / 31.0).round() as u8).collect();
        assert_eq!(all, expected);
        assert!((0..64).all(|number| to_eight_bits(number, 63) == (f64::from(number) * 255.0 / 63.0).round() as u8));
        for table in [&THIRDS_OF_FIVE[..], &THIRDS_OF_SIX, &HALVES_OF_FIVE, &HALVES_OF_SIX] {
            let all = table.len() as u32 - 1;
            for (number, eight_bits) in std::iter::zip(0.., table) {
                assert_eq!(*eight_bits, to_eight_bits(number, all), "{number} of {all}");
            }
        }
    }
}
