//! The codecs of Arma's files, on the streams of real ones.

use meshpeek::codec::{lzo, lzss};
use meshpeek::view::{Cursor, Packing};

use super::baseline;
use super::harness::{Table, contender, measure};
use super::material::{Stream, files, streams};

/// The real LZO streams, those of animations and models.
pub fn lzo_streams() -> Vec<Stream> {
    streams(&[files("rtm", "rtm"), files("odol", "p3d")].concat(), Packing::Lzo)
}

pub fn ask(table: &mut Table) {
    let packed = lzo_streams();
    let mut out = vec![0; packed.iter().map(|stream| stream.decoded_len).max().expect("a stream")];
    let mut expand = |decode: fn(&[u8], &mut [u8])| {
        packed
            .iter()
            .map(|Stream { bytes, decoded_len }| {
                decode(bytes, &mut out[..*decoded_len]);
                *decoded_len as u64
            })
            .sum::<u64>()
    };
    table.question(
        "lzo: the end of every stream",
        vec![
            contender("meshpeek: stored_len", || {
                let end = |stream: &Stream| lzo::stored_len(Cursor::new(&stream.bytes), stream.decoded_len as u64);
                packed.iter().map(|stream| end(stream).expect("an end")).sum()
            }),
            measure("lzo1x: decompress", || {
                expand(|bytes, out| lzo1x::decompress(bytes, out).expect("a sound stream"))
            }),
        ],
    );
    let packed = streams(&files("odol_rewritten", "p3d"), Packing::Lzss);
    let mut out = vec![0; packed.iter().map(|stream| stream.decoded_len).max().unwrap_or(0)];
    table.question(
        "lzss: every stream expanded",
        vec![
            contender("meshpeek: decode_into", || {
                packed
                    .iter()
                    .map(|Stream { bytes, decoded_len }| {
                        let out = &mut out[..*decoded_len];
                        lzss::decode_into(Cursor::new(bytes), out).expect("a sound stream");
                        out.len() as u64
                    })
                    .sum()
            }),
            contender("byte by byte", || {
                let decode = |stream: &Stream| baseline::lzss::decode(&stream.bytes, stream.decoded_len).0.len();
                packed.iter().map(|stream| decode(stream) as u64).sum()
            })
            .at_most(0.5),
        ],
    );
    table.question(
        "lzss: the end of every stream",
        vec![
            contender("meshpeek: stored_len", || {
                let end = |stream: &Stream| lzss::stored_len(Cursor::new(&stream.bytes), stream.decoded_len as u64);
                packed.iter().map(|stream| end(stream).expect("an end")).sum()
            }),
            contender("byte by byte", || {
                let decode = |stream: &Stream| baseline::lzss::decode(&stream.bytes, stream.decoded_len).1;
                packed.iter().map(|stream| decode(stream) as u64).sum()
            })
            .at_most(0.2),
        ],
    );
}
