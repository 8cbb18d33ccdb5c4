//! The codecs of Arma's files, on the streams of real ones.

use meshpeek::codec::{lzo, lzss};
use meshpeek::view::{Cursor, Packing};

use super::baseline;
use super::harness::{Examiner, contender, measure};
use super::material::{Stream, files, streams};

/// The real LZO streams, those of animations and models.
pub fn lzo_streams() -> Vec<Stream> {
    streams(&[files("rtm", "rtm"), files("odol", "p3d")].concat(), Packing::Lzo)
}

fn lzss_streams() -> Vec<Stream> {
    streams(&files("odol_rewritten", "p3d"), Packing::Lzss)
}

/// Expands each stream in turn into one buffer. Returns the total number of bytes.
pub fn expanding<'s>(streams: &'s [Stream], mut expand: impl FnMut(&[u8], &mut [u8]) + 's) -> impl FnMut() -> u64 + 's {
    let mut out = vec![0; streams.iter().map(|stream| stream.decoded_len).max().unwrap_or(0)];
    move || {
        let each = |Stream { bytes, decoded_len }: &Stream| {
            expand(bytes, &mut out[..*decoded_len]);
            *decoded_len as u64
        };
        streams.iter().map(each).sum()
    }
}

pub fn ask(examiner: &mut dyn Examiner) {
    examiner.question("lzo: every stream expanded", |question| {
        let packed = lzo_streams();
        question.compare(vec![
            contender(
                "meshpeek: decode_into",
                expanding(&packed, |stream, out| lzo::decode_into(Cursor::new(stream), out).expect("a sound stream")),
            ),
            contender(
                "lzo1x: decompress",
                expanding(&packed, |stream, out| lzo1x::decompress(stream, out).expect("a sound stream")),
            ),
        ]);
    });
    examiner.question("lzo: the end of every stream", |question| {
        let packed = lzo_streams();
        question.compare(vec![
            contender("meshpeek: stored_len", || {
                let end = |stream: &Stream| lzo::stored_byte_len(Cursor::new(&stream.bytes), stream.decoded_len as u64);
                packed.iter().map(|stream| end(stream).expect("an end")).sum()
            }),
            measure(
                "lzo1x: decompress",
                expanding(&packed, |stream, out| lzo1x::decompress(stream, out).expect("a sound stream")),
            ),
        ]);
    });
    examiner.question("lzss: every stream expanded", |question| {
        let packed = lzss_streams();
        question.compare(vec![
            contender(
                "meshpeek: decode_into",
                expanding(&packed, |stream, out| lzss::decode_into(Cursor::new(stream), out).expect("a sound stream")),
            ),
            contender("byte by byte", || {
                let decode = |stream: &Stream| baseline::lzss::decode(&stream.bytes, stream.decoded_len).0.len();
                packed.iter().map(|stream| decode(stream) as u64).sum()
            })
            .at_most(0.5),
        ]);
    });
    examiner.question("lzss: the end of every stream", |question| {
        let packed = lzss_streams();
        question.compare(vec![
            contender("meshpeek: stored_len", || {
                let end =
                    |stream: &Stream| lzss::stored_byte_len(Cursor::new(&stream.bytes), stream.decoded_len as u64);
                packed.iter().map(|stream| end(stream).expect("an end")).sum()
            }),
            contender("byte by byte", || {
                let decode = |stream: &Stream| baseline::lzss::decode(&stream.bytes, stream.decoded_len).1;
                packed.iter().map(|stream| decode(stream) as u64).sum()
            })
            .at_most(0.2),
        ]);
    });
}
