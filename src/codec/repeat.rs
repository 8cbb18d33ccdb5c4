//! Matches: bytes of the output once more, in blocks instead of one by one.

/// The bytes that are copied at a time.
const BLOCK: usize = 16;

/// How many bytes more than a match has may be written behind it, for later ones to write over.
pub(super) const SPARE: usize = BLOCK;

/// Writes `length` bytes at `at`, each the same as the one `distance` before it, and up to [`SPARE`] more. Does nothing
/// of what does not fit.
#[inline(always)]
pub(super) fn in_blocks(out: &mut [u8], at: usize, distance: usize, length: usize) {
    if distance >= BLOCK {
        copy::<BLOCK>(out, at, distance, length);
    } else if distance >= 8 {
        copy::<8>(out, at, distance, length);
    } else if let Some((&Pattern { mask, times, step }, eight)) = PATTERNS.get(distance).zip(back(out, at, distance)) {
        let pattern = (u64::from_le_bytes(eight) & mask).wrapping_mul(times).to_le_bytes();
        let mut ahead = 0;
        while ahead < length {
            put(out, at.wrapping_add(ahead), pattern);
            ahead = ahead.wrapping_add(step);
        }
    }
}

/// Copies block by block from `distance` back, which is no less than a block.
#[inline(always)]
fn copy<const N: usize>(out: &mut [u8], at: usize, distance: usize, length: usize) {
    let mut ahead = 0;
    while ahead < length
        && let Some(block) = back::<N>(out, at.wrapping_add(ahead), distance)
    {
        put(out, at.wrapping_add(ahead), block);
        ahead = ahead.wrapping_add(N);
    }
}

#[inline(always)]
fn back<const N: usize>(out: &[u8], at: usize, distance: usize) -> Option<[u8; N]> {
    out.get(at.wrapping_sub(distance)..)?.first_chunk().copied()
}

/// Writes a block; nothing where it does not fit.
#[inline(always)]
pub(super) fn put<const N: usize>(out: &mut [u8], at: usize, block: [u8; N]) {
    if let Some(place) = out.get_mut(at..).and_then(<[u8]>::first_chunk_mut) {
        *place = block;
    }
}

/// How eight bytes are made of fewer, without reading what was written a moment ago, which processors are slow at.
#[derive(Clone, Copy)]
struct Pattern {
    /// Takes the few out of eight.
    mask: u64,
    /// Repeats them when multiplied with.
    times: u64,
    /// The bytes after which the pattern starts anew.
    step: usize,
}

/// By distance.
#[allow(clippy::indexing_slicing, reason = "what goes wrong goes wrong in the compiler")]
const PATTERNS: [Pattern; 8] = {
    let mut all = [Pattern { mask: 0, times: 0, step: 8 }; 8];
    let mut distance = 1;
    while distance < 8 {
        let mut times = 0;
        let mut at = 0;
        while at < 8 {
            times |= 1 << (8 * at);
            at += distance;
        }
        all[distance] = Pattern { mask: (1 << (8 * distance)) - 1, times, step: 8 - 8 % distance };
        distance += 1;
    }
    all
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_write_what_single_bytes_would() {
        for distance in 1..40 {
            for length in 1..40 {
                let mut out: Vec<u8> = (0..distance as u8).chain([0xee; 40 + SPARE]).collect();
                let mut expected = out.clone();
                in_blocks(&mut out, distance, distance, length);
                for at in distance..distance + length {
                    expected[at] = expected[at - distance];
                }
                let end = distance + length;
                assert_eq!(out[..end], expected[..end], "{distance} {length}");
                assert!(out[end + SPARE..].iter().all(|&byte| byte == 0xee), "{distance} {length}");
            }
        }
    }
}
