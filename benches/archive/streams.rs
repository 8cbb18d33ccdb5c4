//! The LZO streams of models and animations, whose ends a scan has to find, and the content that it hashes.

use std::ops::ControlFlow;

use meshpeek::codec::lzo;
use meshpeek::inspect::{Inspect, Outline, PartArray, Visitor};
use meshpeek::view::{Cursor, Packing};
use meshpeek::{Asset, Budget, Error, Limits};

/// An LZO stream in a file.
#[derive(Clone, Copy)]
pub struct Stream {
    pub offset: usize,
    pub decoded_len: usize,
    /// True if its decoded bytes are part of a digest.
    pub is_content: bool,
}

impl Stream {
    /// Finds its end in the bytes that start with it.
    pub fn walk(self, bytes: &[u8]) -> u64 {
        lzo::stored_byte_len(Cursor::new(bytes), self.decoded_len as u64).expect("a sound stream")
    }

    /// Decodes it, after its end was found.
    pub fn decode(self, bytes: &[u8], stored_len: u64, out: &mut Vec<u8>) {
        out.resize(self.decoded_len, 0);
        lzo::decode_into(Cursor::new(&bytes[..stored_len as usize]), out).expect("a sound stream");
    }
}

/// What a floor knows of a file beforehand.
pub struct Known {
    pub len: usize,
    pub streams: Vec<Stream>,
    /// The decoded bytes of each digest.
    pub content: Vec<Vec<u8>>,
}

impl Known {
    pub fn of(bytes: &[u8]) -> Self {
        let mut known = Self { len: bytes.len(), streams: Vec::new(), content: Vec::new() };
        let Ok(asset) = Asset::parse(bytes) else { return known };
        if matches!(asset, Asset::Odol(_) | Asset::Rtm(_)) {
            asset.outline(&mut Outline::new(&mut Collector(&mut known.streams)));
        }
        let names = asset.digest_names();
        known.content = vec![Vec::new(); names.len()];
        let mut keep = |place: usize, piece: &[u8]| known.content[place].extend_from_slice(piece);
        // Files that are broken on purpose have no digest.
        asset.digests(names, &Budget::unlimited(&Limits::default()), &mut keep);
        known
    }
}

struct Collector<'s>(&'s mut Vec<Stream>);

impl Visitor for Collector<'_> {
    fn array(&mut self, array: &PartArray<'_>) {
        let storage = array.table.storage();
        if storage.packing != Packing::Lzo {
            return;
        }
        let mut decoded_len = 0;
        let read = array.table.read(&mut |rows| {
            decoded_len += rows.len();
            ControlFlow::Continue(())
        });
        if read.is_ok() {
            // Of several sets of texture coordinates, the first is part of a digest.
            let is_first = array.index.is_none_or(|index| index == 0);
            let is_content = is_first && ["positions", "uvs", "transforms", "times"].contains(&array.name);
            self.0.push(Stream { offset: storage.offset as usize, decoded_len, is_content });
        }
    }

    fn problem(&mut self, _: &Error) {}
}
