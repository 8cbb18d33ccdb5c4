//! LZSS with its checksum, byte by byte.

/// Decodes the stream at the start of the bytes. Returns the output and the number of bytes it takes.
pub fn decode(stream: &[u8], decoded_len: usize) -> (Vec<u8>, usize) {
    let mut out = Vec::with_capacity(decoded_len);
    let mut at = 0;
    while out.len() < decoded_len {
        let flags = stream[at];
        at += 1;
        for bit in 0..8 {
            if out.len() == decoded_len {
                break;
            }
            if flags >> bit & 1 == 1 {
                out.push(stream[at]);
                at += 1;
            } else {
                let (low, high) = (usize::from(stream[at]), usize::from(stream[at + 1]));
                at += 2;
                let distance = low | (high & 0xf0) << 4;
                for _ in 0..(high & 15) + 3 {
                    out.push(if distance > out.len() { b' ' } else { out[out.len() - distance] });
                }
            }
        }
    }
    let sum = out.iter().fold(0_u32, |sum, &byte| sum.wrapping_add(byte.into()));
    assert_eq!(stream[at..at + 4], sum.to_le_bytes());
    (out, at + 4)
}
