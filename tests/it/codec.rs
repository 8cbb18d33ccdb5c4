//! The codecs compared with other decoders, on streams from compressors and on damaged ones.

#[path = "../../fuzz/src/lzo.rs"]
mod fuzz_lzo;
#[path = "../../fuzz/src/lzss.rs"]
mod fuzz_lzss;

use crate::mutate::Random;
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
        meshpeek::codec::lzss::decode_into(meshpeek::view::Cursor::new(&data[2..]), &mut out).unwrap();
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
