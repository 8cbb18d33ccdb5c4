//! LZSS: walk and decoder compared with a plain decoder with a ring buffer, in bytes and lengths.

use meshpeek::codec::{Codec, lzss};
use meshpeek::view::Cursor;

/// The first two bytes are the decoded length, the others the stream. It is also tried with a correct checksum.
pub fn run(data: &[u8]) {
    let [low, high, stream @ ..] = data else { return };
    let len = usize::from(u16::from_le_bytes([*low, *high]));
    let plain = decode(stream, len);
    check(stream, len, plain.as_ref());
    let Some((bytes, sum_at)) = &plain else { return };
    let mut sound = [&stream[..*sum_at], &sum(bytes).to_le_bytes()].concat();
    if sound != stream {
        check(&sound, len, plain.as_ref());
    }
    sound.push(0);
    check(&sound, len, plain.as_ref());
    assert!(lzss::decoded_byte_len(Cursor::new(&sound[..3])).is_err(), "a checksum of three bytes");
    assert!(Codec::Lzss.packing().name() == Codec::Lzss.name() && Codec::Raw.name() != Codec::Lzss.name());
}

fn sum(bytes: &[u8]) -> u32 {
    bytes.iter().map(|&byte| u32::from(byte)).sum()
}

/// Checks a stream that decodes to these bytes and has this length, or that cannot be decoded, with the bytes after it.
fn check(stream: &[u8], len: usize, plain: Option<&(Vec<u8>, usize)>) {
    let cursor = Cursor::with_offset(stream, 7);
    let stored = lzss::stored_byte_len(cursor, len as u64);
    let Some((bytes, sum_at)) = plain.filter(|(_, sum_at)| stream.len() - sum_at >= 4) else {
        let error = stored.expect_err("a stream that the plain decoder refuses");
        assert!((7..=7 + stream.len() as u64).contains(&error.offset().unwrap()));
        // A claim above the maximum for the bytes is rejected before decoding.
        let mut out = vec![0; len.min(16 * stream.len())];
        assert!(out.len() < len || lzss::decode_into(cursor, &mut out).is_err());
        return;
    };
    let stored_len = sum_at + 4;
    assert_eq!(stored.unwrap(), stored_len as u64);
    let exact = Cursor::new(&stream[..stored_len]);
    let mut out = vec![0; len];
    let decoded = lzss::decode_into(exact, &mut out);
    assert_eq!(decoded.is_ok(), stream[*sum_at..stored_len] == sum(bytes).to_le_bytes());
    assert_eq!(out, *bytes);
    assert_eq!(lzss::decoded_byte_len(exact).unwrap(), len as u64);
    if stored_len < stream.len() {
        assert!(lzss::decode_into(cursor, &mut out).is_err());
    }
}

/// Decodes byte by byte with a ring buffer of 4096. Returns the output and the number of bytes read.
fn decode(stream: &[u8], len: usize) -> Option<(Vec<u8>, usize)> {
    let mut input = stream.iter().copied();
    let mut out = Vec::with_capacity(len.min(16 * stream.len()));
    let mut ring = [b' '; 4096];
    let mut place = 4096 - 18;
    let mut put = |out: &mut Vec<u8>, distance: usize, literal: Option<u8>| {
        let byte = literal.unwrap_or(ring[(place + 4096 - distance) % 4096]);
        ring[place] = byte;
        place = (place + 1) % 4096;
        out.push(byte);
    };
    while out.len() < len {
        let mut flags = input.next()?;
        for _ in 0..8 {
            if out.len() == len {
                break;
            }
            if flags & 1 == 1 {
                put(&mut out, 0, Some(input.next()?));
            } else {
                let [low, high] = [input.next()?, input.next()?].map(usize::from);
                let (distance, count) = (low | (high & 0xf0) << 4, (high & 15) + 3);
                if distance == 0 {
                    return None;
                }
                for _ in 0..count {
                    put(&mut out, distance, None);
                }
            }
            flags >>= 1;
        }
    }
    (out.len() == len).then(|| (out, stream.len() - input.len()))
}
