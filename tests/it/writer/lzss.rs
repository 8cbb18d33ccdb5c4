//! A small LZSS packer: the longest match of the last 4095 bytes, else a literal.

/// The stream with its checksum.
pub fn pack(plain: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut place = 0;
    while place < plain.len() {
        let flags_at = out.len();
        out.push(0);
        for bit in 0..8 {
            if place == plain.len() {
                break;
            }
            let (length, distance) = longest(plain, place);
            if length >= 3 {
                out.push(distance as u8);
                out.push((distance >> 4) as u8 & 0xf0 | (length - 3) as u8);
                place += length;
            } else {
                out[flags_at] |= 1 << bit;
                out.push(plain[place]);
                place += 1;
            }
        }
    }
    let sum = plain.iter().fold(0_u32, |sum, &byte| sum.wrapping_add(byte.into()));
    out.extend_from_slice(&sum.to_le_bytes());
    out
}

/// Length and distance of the longest match; before the first byte lie spaces.
fn longest(plain: &[u8], place: usize) -> (usize, usize) {
    let most = (plain.len() - place).min(18);
    let byte = |index: usize, distance: usize| index.checked_sub(distance).map_or(b' ', |from| plain[from]);
    let length = |distance: usize| (0..most).take_while(|i| byte(place + i, distance) == plain[place + i]).count();
    // Farther back all is spaces.
    let reach = (place + 18).min(4095);
    let mut best = (0, 0);
    for distance in 1..=reach {
        let length = length(distance);
        if length > best.0 {
            best = (length, distance);
        }
        if length == most {
            break;
        }
    }
    best
}
