//! LZO1X: the walk compared with a plain decoder and with lzo1x, in bytes and lengths.

use meshpeek::codec::{Codec, lzo};
use meshpeek::view::{Cursor, Packing};

/// The maximum decoded size of an input.
const MOST: usize = 1 << 16;

/// From this first byte on, the other bytes are compressed first.
const COMPRESSED: u8 = 0xf0;

/// The first byte decides whether the others are a stream, or plain bytes to compress first, which costs more and is
/// rare. It also decides whether the stream is then damaged, at the position and with the value given by the next
/// bytes.
pub fn run(data: &[u8]) {
    let [mode, place, value, rest @ ..] = data else { return };
    let rest = &rest[..rest.len().min(MOST)];
    if *mode < COMPRESSED {
        return check(rest, usize::from(*place) << 8 | usize::from(*value));
    }
    let mut stream = lzo1x::compress(rest, lzo1x::CompressLevel::new(1 + mode % 13));
    assert_eq!(lzo::stored_byte_len(Cursor::new(&stream), rest.len() as u64).unwrap(), stream.len() as u64);
    let mut out = vec![0; rest.len()];
    lzo::decode_into(Cursor::new(&stream), &mut out).unwrap();
    assert_eq!(out, rest);
    if mode & 2 != 0 {
        let place = (usize::from(*place) * stream.len()) >> 8;
        stream[place] = *value;
    }
    if mode & 4 != 0 {
        stream.extend_from_slice(&[*value; 5]);
    }
    check(&stream, rest.len());
}

/// A stream is rejected for every wrong length. For its own length, the three decoders agree.
fn check(stream: &[u8], guess: usize) {
    let plain = decode(stream);
    let own = plain.as_ref().map(|(out, _)| out.len());
    if own != Some(guess) {
        let error = lzo::stored_byte_len(Cursor::with_offset(stream, 7), guess as u64).expect_err("another length");
        assert!((7..=7 + stream.len() as u64).contains(&error.offset().unwrap()));
        if guess <= stream.len() * 255 {
            // lzo1x accepts an end mark of any length.
            let theirs = lzo1x::decompress(stream, &mut vec![0; guess]);
            assert!(theirs.is_err() || error.message().contains("end mark"), "{error}");
        }
    }
    let Some((bytes, stored_len)) = plain else { return };
    let len = bytes.len();
    assert_eq!(lzo::stored_byte_len(Cursor::with_offset(stream, 7), len as u64).unwrap(), stored_len as u64);
    assert_eq!(Codec::Lzo.stored_byte_len(Cursor::new(stream), len as u64).unwrap(), stored_len as u64);
    let exact = &stream[..stored_len];
    let mut theirs = vec![0; len];
    lzo1x::decompress(exact, &mut theirs).unwrap();
    assert_eq!(theirs, bytes);
    let mut ours = vec![0; len];
    lzo::decode_into(Cursor::new(exact), &mut ours).unwrap();
    assert_eq!(ours, bytes);
    as_it_is(&ours);
    assert!(lzo::decode_into(Cursor::new(&exact[..stored_len - 1]), &mut ours).is_err());
    assert!(exact.len() == stream.len() || lzo::decode_into(Cursor::new(stream), &mut ours).is_err());
}

/// Uncompressed data is copied whole, or not at all.
fn as_it_is(bytes: &[u8]) {
    let (raw, mut out) = (Codec::Raw, vec![0xaa; bytes.len()]);
    assert_eq!(raw.stored_byte_len(Cursor::new(bytes), bytes.len() as u64).unwrap(), bytes.len() as u64);
    assert!(raw.stored_byte_len(Cursor::new(bytes), bytes.len() as u64 + 1).is_err());
    assert!(raw.decode_into(Cursor::new(bytes), &mut out).is_ok() && out == bytes);
    out.push(0);
    assert!(raw.decode_into(Cursor::new(bytes), &mut out).is_err());
    assert!(raw.packing() == Packing::InPlace && Codec::Lzo.packing().name() == Codec::Lzo.name());
}

/// Decodes byte by byte as the format's description says. Returns the output and the number of bytes read, or `None` if
/// the stream is damaged or its output too large.
fn decode(stream: &[u8]) -> Option<(Vec<u8>, usize)> {
    let mut input = stream.iter().copied();
    let mut out = Vec::with_capacity(256);
    let literals = |out: &mut Vec<u8>, input: &mut dyn Iterator<Item = u8>, count: usize| {
        for _ in 0..count {
            out.push(input.next()?);
        }
        (out.len() <= MOST).then_some(())
    };
    let extension = |input: &mut dyn Iterator<Item = u8>| {
        let mut sum = 0;
        loop {
            match input.next()? {
                0 => sum += 255,
                last => return Some(sum + usize::from(last)),
            }
        }
    };
    let mut state = 0;
    if *stream.first()? >= 18 {
        let count = usize::from(input.next()?) - 17;
        literals(&mut out, &mut input, count)?;
        state = count.min(4);
    }
    loop {
        let t = usize::from(input.next()?);
        let (length, distance, follow) = match t {
            0..16 if state == 0 => {
                let count = if t == 0 { 18 + extension(&mut input)? } else { t + 3 };
                literals(&mut out, &mut input, count)?;
                state = 4;
                continue;
            }
            0..16 => {
                let h = usize::from(input.next()?);
                let (length, base) = if state == 4 { (3, 2049) } else { (2, 1) };
                (length, (h << 2) + (t >> 2) + base, t & 3)
            }
            16..32 => {
                let length = if t & 7 == 0 { 9 + extension(&mut input)? } else { (t & 7) + 2 };
                let w = usize::from(u16::from_le_bytes([input.next()?, input.next()?]));
                let distance = 16384 + ((t & 8) << 11) + (w >> 2);
                if distance == 16384 {
                    return (length == 3 && w == 0).then(|| (out, stream.len() - input.len()));
                }
                (length, distance, w & 3)
            }
            32..64 => {
                let length = if t & 31 == 0 { 33 + extension(&mut input)? } else { (t & 31) + 2 };
                let w = usize::from(u16::from_le_bytes([input.next()?, input.next()?]));
                (length, (w >> 2) + 1, w & 3)
            }
            _ => {
                let h = usize::from(input.next()?);
                ((t >> 5) + 1, (h << 3) + ((t >> 2) & 7) + 1, t & 3)
            }
        };
        for _ in 0..length.min(MOST + 1) {
            out.push(out[out.len().checked_sub(distance)?]);
        }
        literals(&mut out, &mut input, follow)?;
        state = follow;
    }
}
