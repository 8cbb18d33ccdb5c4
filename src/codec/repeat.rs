//! Copying of matches in blocks instead of single bytes.

/// The number of bytes copied at a time.
const BLOCK: usize = 16;

/// The maximum number of bytes written after a match, which later writes overwrite.
pub(super) const SPARE: usize = BLOCK;

/// Writes `length` bytes at `at`, each equal to the one `distance` before it, and up to [`SPARE`] more, for which there
/// must be room. Leaves out a block that does not fit, even if its first bytes would.
#[inline(always)]
pub(super) fn in_blocks(out: &mut [u8], at: usize, distance: usize, length: usize) {
    if distance >= BLOCK {
        copy::<BLOCK>(out, at, distance, length);
    } else if distance >= 8 {
        copy::<8>(out, at, distance, length);
    } else if let Some((&Pattern { mask, times, step }, eight)) = PATTERNS.get(distance).zip(back(out, at, distance)) {
        // The bytes to repeat, as often as eight bytes have room for them.
        let pattern = (u64::from_le_bytes(eight) & mask).wrapping_mul(times).to_le_bytes();
        let mut ahead = 0;
        while ahead < length {
            put(out, at.wrapping_add(ahead), pattern);
            ahead = ahead.wrapping_add(step);
        }
    }
}

/// Writes `length` bytes at `at`, each equal to the one `distance` before it. Each copy doubles the bytes available for
/// the next.
#[inline(always)]
pub(super) fn doubling(out: &mut [u8], at: usize, distance: usize, length: usize) {
    // The bytes from `from` on that exist, and those that will.
    let mut there = distance;
    let whole = there.wrapping_add(length);
    let from = at.wrapping_sub(there);
    while there < whole
        && let Some((done, ahead)) = out.get_mut(from..).and_then(|part| part.split_at_mut_checked(there))
    {
        let count = there.min(whole.wrapping_sub(there));
        if let (Some(source), Some(place)) = (done.get(..count), ahead.get_mut(..count)) {
            place.copy_from_slice(source);
        }
        there = there.wrapping_add(count);
    }
}

/// Copies blocks from `distance` back, which is at least the size of a block.
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

/// Returns the block that starts `distance` bytes before `at`, or `None` if it does not fit.
#[inline(always)]
fn back<const N: usize>(out: &[u8], at: usize, distance: usize) -> Option<[u8; N]> {
    out.get(at.wrapping_sub(distance)..)?.first_chunk().copied()
}

/// Writes a block, or nothing if it does not fit.
#[inline(always)]
pub(super) fn put<const N: usize>(out: &mut [u8], at: usize, block: [u8; N]) {
    if let Some(place) = out.get_mut(at..).and_then(<[u8]>::first_chunk_mut) {
        *place = block;
    }
}

/// Expands fewer than eight bytes to eight, without reading bytes written a moment before, which is slow.
#[derive(Clone, Copy)]
struct Pattern {
    /// Masks the bytes to repeat.
    mask: u64,
    /// The factor that repeats them.
    times: u64,
    /// The number of bytes after which the pattern repeats.
    step: usize,
}

/// Indexed by distance.
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
    fn blocks_write_the_same_as_single_bytes() {
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
