//! The codecs compared with other decoders, on streams from compressors and on damaged ones.

#[path = "../../fuzz/src/lzo.rs"]
mod fuzz_lzo;
#[path = "../../fuzz/src/lzss.rs"]
mod fuzz_lzss;

use meshpeek::codec::{lzss, rle};
use meshpeek::view::Cursor;

use crate::support::mutate::Random;
use crate::writer::lzss::pack;

/// Bytes with runs, with near and distant repeats, and with noise.
fn bytes(random: &mut Random, len: usize) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::with_capacity(len);
    while out.len() < len {
        let count = 1 + random.below(60);
        match random.below(4) {
            0 => out.extend(std::iter::repeat_n(random.next() as u8, count * 9)),
            1 if !out.is_empty() => {
                let distance = 1 + random.below(out.len());
                for _ in 0..count {
                    out.push(out[out.len() - distance]);
                }
            }
            _ => out.extend((0..count).map(|_| random.next() as u8)),
        }
    }
    out.truncate(len);
    out
}

#[test]
fn lzo_agrees_with_two_decoders() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for round in 0..1_000 {
        let len = if round % 100 == 0 { random.below(60_000) } else { random.below(3_000) };
        let mode = random.next() as u8 | 0xf0;
        let mut data = vec![mode, random.next() as u8, random.next() as u8];
        data.extend(bytes(&mut random, len));
        fuzz_lzo::run(&data);
    }
    // Noise as a stream, with bytes that make it last for a while.
    for _ in 0..20_000 {
        let len = 4 + random.below(40);
        let mut data: Vec<u8> =
            (0..len).map(|_| if random.below(3) == 0 { random.below(48) as u8 } else { 0 }).collect();
        data[0] = 0;
        data.extend([0x11, 0, 0]);
        fuzz_lzo::run(&data);
    }
}

#[test]
fn lzss_agrees_with_another_decoder() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for round in 0..100 {
        let len = random.below(if round % 50 == 0 { 5_000 } else { 300 });
        let plain = bytes(&mut random, len);
        let mut data = (plain.len() as u16).to_le_bytes().to_vec();
        data.extend(pack(&plain));
        fuzz_lzss::run(&data);
        let mut out = vec![0; plain.len()];
        lzss::decode_into(Cursor::new(&data[2..]), &mut out).unwrap();
        assert_eq!(out, plain);
        for _ in 0..20 {
            let mut bent = data.clone();
            let place = random.below(bent.len());
            bent[place] = random.next() as u8;
            fuzz_lzss::run(&bent);
            bent.truncate(random.below(bent.len()));
            fuzz_lzss::run(&bent);
        }
    }
}

/// The bytes that a stream needs before an instruction: literals, and an instruction that leaves this many of them, or
/// none, or more than three (4).
fn lzo_before(literals: usize, state: u8) -> Vec<u8> {
    let mut stream = vec![0];
    let more = literals - 18;
    stream.extend(vec![0; (more - 1) / 255]);
    stream.push(((more - 1) % 255 + 1) as u8);
    stream.extend((0..literals).map(|at| (at * 7 + at / 256) as u8));
    if state < 4 {
        // Three bytes from one back, and the literals.
        stream.extend([0x40 | state, 0]);
        stream.extend(vec![0xee; state.into()]);
    }
    stream
}

/// An instruction with these bytes for its distance, and the literals that follow it.
fn lzo_instruction(first: u8, is_after_literals: bool, extension: &[u8], distance: [u8; 2]) -> Vec<u8> {
    let [low, high] = distance;
    let mut stream = vec![first];
    stream.extend(extension);
    let literals = match (first, extension) {
        (..16, []) if !is_after_literals => usize::from(first) + 3,
        (..16, [zeros @ .., last]) => 18 + 255 * zeros.len() + usize::from(*last),
        (16..64, _) => {
            stream.extend([low, high]);
            usize::from(low & 3)
        }
        _ => {
            stream.push(low);
            usize::from(first & 3)
        }
    };
    stream.extend(vec![0x5a; literals]);
    stream
}

#[test]
fn every_instruction_of_lzo_decodes_in_every_state() {
    let mut decodes = 0;
    let mut check = |parts: &[&[u8]]| {
        let before = meshpeek::codec::activity().decodes;
        fuzz_lzo::run(&[&[0, 0, 0], &parts.concat()[..]].concat());
        decodes += u64::from(meshpeek::codec::activity().decodes > before);
    };
    // The fast path leaves what is near the end to the slow one.
    let far_from_the_end = [&[0x40, 0].repeat(100)[..], &[0x11, 0, 0]].concat();
    for state in 0..=4 {
        for first in 0..=255 {
            // From 16 to 31, distances are above 16,384, with bit 3 above 32,768.
            let before = match first {
                16..32 if first & 8 > 0 => lzo_before(49_300, state),
                16..32 => lzo_before(33_000, state),
                32..64 => lzo_before(16_500, state),
                _ => lzo_before(3_200, state),
            };
            let extensions: &[&[u8]] = match first {
                0 if state == 0 => &[&[1], &[255], &[0, 1], &[0, 0, 9]],
                16 | 24 | 32 => &[&[1], &[255], &[0, 7], &[0, 0, 9]],
                _ => &[&[]],
            };
            let is_long = (16..64).contains(&first);
            for extension in extensions {
                for low in [0, 1, 0x7e, 0xff] {
                    for high in [0, 0xff].into_iter().take(if is_long { 2 } else { 1 }) {
                        let instruction = lzo_instruction(first, state > 0, extension, [low, high]);
                        check(&[&before, &instruction, &far_from_the_end]);
                        if high == 0 && low < 2 {
                            check(&[&before, &instruction, &[0x11, 0, 0]]);
                        }
                    }
                }
            }
        }
    }
    // Of all, few are damaged: an end mark that is not one.
    assert!(decodes > 8_000, "{decodes}");
}

#[test]
fn every_length_and_distance_of_lzss_decodes_at_every_bit() {
    let mut random = Random(0x6c7a_7373);
    for bit in 0..8_usize {
        for length in 3..=18_usize {
            for distance in [0, 1, 2, 3, 15, 16, 17, 18, 255, 256, 257, 2048, 4094, 4095] {
                for literals in [bit, bit + 8, bit + 8 * 40] {
                    let mut stream = Vec::new();
                    for at in 0..literals {
                        if at % 8 == 0 {
                            // The last flags are those of the match.
                            let left = literals - at;
                            stream.push(if left >= 8 { 0xff } else { !(1_u8 << left) });
                        }
                        stream.push(random.next() as u8);
                    }
                    if bit == 0 {
                        stream.push(0xfe);
                    }
                    stream.extend([distance as u8, (distance >> 4) as u8 & 0xf0 | (length - 3) as u8]);
                    stream.extend([0; 4]);
                    let len = literals + length;
                    let walked = lzss::stored_byte_len(Cursor::new(&stream), len as u64);
                    let name = format!("{length} bytes from {distance} back after {literals}");
                    assert_eq!(walked.ok(), (distance > 0).then_some(stream.len() as u64), "{name}");
                    fuzz_lzss::run(&[&(len as u16).to_le_bytes()[..], &stream].concat());
                }
            }
        }
    }
}

/// Below 128, one more literal than the byte says; from 128 on, the next byte as often.
fn by_hand(stream: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = stream;
    while let [control, after @ ..] = rest {
        let count = usize::from(control % 128) + 1;
        if *control < 128 {
            out.extend(&after[..count]);
            rest = &after[count..];
        } else {
            out.extend(vec![after[0]; count]);
            rest = &after[1..];
        }
    }
    out
}

#[test]
fn every_run_of_rle_decodes() {
    let run = |control: u8, start: u8| {
        let count = if control < 128 { usize::from(control) + 1 } else { 1 };
        [vec![control], (0..count).map(|at| start.wrapping_add(at as u8)).collect()].concat()
    };
    for first in 0..=255 {
        for second in [0, 1, 127, 128, 129, 255] {
            let stream = [run(first, 7), run(second, 99)].concat();
            let expected = by_hand(&stream);
            let mut out = vec![0; expected.len()];
            rle::decode_into(Cursor::new(&stream), &mut out).unwrap();
            assert_eq!(out, expected, "{first} and {second}");
            let stored = rle::stored_byte_len(Cursor::new(&[&stream[..], b"more"].concat()), expected.len() as u64);
            assert_eq!(stored.unwrap(), stream.len() as u64, "{first} and {second}");
            for wrong in [expected.len() - 1, expected.len() + 1] {
                let error = rle::decode_into(Cursor::new(&stream), &mut vec![0; wrong]);
                assert!(error.is_err(), "{first} and {second} to {wrong}");
            }
            for end in 0..stream.len() {
                assert!(rle::stored_byte_len(Cursor::new(&stream[..end]), expected.len() as u64).is_err(), "{end}");
            }
        }
    }
}
