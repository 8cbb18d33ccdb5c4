//! A writer of PBO archives, including odd ones.

use sha1::{Digest, Sha1};

use super::lzss;

const PACKED: u32 = 0x4370_7273;
const ENCRYPTED: u32 = 0x456e_6372;
const PRODUCT: u32 = 0x5665_7273;

/// The bytes after the last member.
pub enum Tail<'a> {
    Sha1,
    Bytes(&'a [u8]),
}

/// An archive under construction: each addition goes into both the header and the data.
#[derive(Clone, Default)]
pub struct Writer {
    header: Vec<u8>,
    data: Vec<u8>,
}

impl Writer {
    pub fn new() -> Self {
        Self::default()
    }

    /// Any entry. `fields`: method, original size, reserved, timestamp, data size.
    pub fn entry(mut self, name: &[u8], fields: [u32; 5], data: &[u8]) -> Self {
        self.header.extend_from_slice(name);
        self.header.push(0);
        self.header.extend(fields.into_iter().flat_map(u32::to_le_bytes));
        self.data.extend_from_slice(data);
        self
    }

    pub fn product(mut self, properties: &[(&[u8], &[u8])]) -> Self {
        self = self.entry(b"", [PRODUCT, 0, 0, 0, 0], b"");
        self.properties(properties)
    }

    /// The properties after the entry of a product.
    pub fn properties(mut self, properties: &[(&[u8], &[u8])]) -> Self {
        for text in properties.iter().flat_map(|&(key, value)| [key, value]) {
            self.header.extend_from_slice(text);
            self.header.push(0);
        }
        self.header.push(0);
        self
    }

    pub fn stored(self, name: &[u8], data: &[u8]) -> Self {
        self.entry(name, [0, 0, 0, 0, data.len() as u32], data)
    }

    pub fn packed(self, name: &[u8], plain: &[u8]) -> Self {
        let stream = lzss::pack(plain);
        self.entry(name, [PACKED, plain.len() as u32, 0, 1_600_000_000, stream.len() as u32], &stream)
    }

    /// Header, its end, data and tail.
    pub fn finish(self, tail: Tail<'_>) -> Vec<u8> {
        self.entry(b"", [0; 5], b"").finish_without_end(tail)
    }

    pub fn finish_without_end(self, tail: Tail<'_>) -> Vec<u8> {
        let Self { header, data } = self;
        let mut bytes = [header, data].concat();
        match tail {
            Tail::Sha1 => {
                let sum = Sha1::digest(&bytes);
                bytes.push(0);
                bytes.extend_from_slice(&sum);
            }
            Tail::Bytes(tail) => bytes.extend_from_slice(tail),
        }
        bytes
    }
}

const TEXT: &[u8] = b"class CfgPatches { class CfgModels {}; };\nclass CfgPatches { class CfgModels {}; };\n";

fn addon() -> Writer {
    Writer::new().product(&[(b"prefix", br"x\own\addons\main"), (b"version", b"1.2.3"), (b"Version", b"4")])
}

/// Returns true if these bytes are an archive without a checksum, or with the shorter one of another game: both are
/// usual.
pub fn is_whole_without_checksum(bytes: &[u8]) -> bool {
    use meshpeek::pbo::{Archive, TailKind};
    let is_pbo = meshpeek::Format::sniff(bytes) == Some(meshpeek::Format::Pbo);
    let tail = Archive::parse(bytes).and_then(|archive| archive.tail());
    is_pbo && tail.is_ok_and(|tail| matches!(tail.kind(), TailKind::None | TailKind::Short(_)))
}

/// Files for `corpus/pbo`.
pub fn corpus() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        // Product entry and properties, one key twice; stored, packed and empty members; SHA-1 after them.
        (
            "addon.pbo",
            addon()
                .stored(b"config.cpp", TEXT)
                .packed(br"data\text.txt", TEXT)
                .stored(br"data\empty.txt", b"")
                .finish(Tail::Sha1),
        ),
        // No product entry; the original size set although nothing is packed.
        (
            "mission.pbo",
            Writer::new().entry(b"mission.sqm", [0, 12, 0, 1_700_000_000, 12], b"version=53;\n").finish(Tail::Sha1),
        ),
        // As in Operation Flashpoint: all packed, no tail.
        ("flashpoint.pbo", Writer::new().packed(b"init.sqs", TEXT).packed(b"one.sqf", b"x").finish(Tail::Bytes(b""))),
        // As in Operation Flashpoint Elite: five bytes after the members.
        ("elite.pbo", Writer::new().product(&[]).stored(b"a.sqf", b"hint").finish(Tail::Bytes(&[0, 1, 2, 3, 4]))),
        // No members.
        ("empty.pbo", Writer::new().product(&[]).finish(Tail::Sha1)),
        // Marked as packed with equal sizes: once a stream of the same size, once actually stored.
        (
            "equal_sizes.pbo",
            Writer::new()
                .packed(b"stream", b"P3D   P3D   \xe9")
                .entry(b"stored", [PACKED, 6, 0, 0, 6], b"stored")
                .finish(Tail::Sha1),
        ),
        // An encrypted member.
        ("encrypted.pbo", addon().entry(b"secret.bin", [ENCRYPTED, 9, 0, 0, 12], b"????????????").finish(Tail::Sha1)),
    ]
}

/// Odd and damaged archives for `corpus/hostile`.
pub fn hostile() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        // An unknown method.
        ("unknown_method.pbo", addon().entry(b"future.bin", [0x1234_5678, 9, 7, 0, 3], b"???").finish(Tail::Sha1)),
        // Names as obfuscators make them: duplicate, with control characters, leaving the folder, of devices, too long
        // for most.
        (
            "names.pbo",
            addon()
                .stored(b"script.sqf", b"first")
                .stored(b"SCRIPT.sqf", b"second")
                .stored(b"\x01\x02\x7f\t", b"")
                .stored(br"..\..\up.sqf", b"up")
                .stored(br"C:\drive.sqf", b"drive")
                .stored(br"\root.sqf", b"root")
                .stored(br"aux.sqf", b"")
                .stored(b"dots. .", b"")
                .stored(b"a/b\\c", b"both")
                .stored(b"\xec\xe8\xf0.sqf", b"cp1251")
                .stored(&[b'n'; 300], b"")
                .finish(Tail::Sha1),
        ),
        // A second product entry between members, with another prefix, and one with a size, which is ignored.
        (
            "products.pbo",
            addon()
                .stored(b"a", b"aa")
                .product(&[(b"prefix", b"other")])
                .entry(b"", [PRODUCT, 0, 0, 0, 99], b"")
                .properties(&[])
                .finish(Tail::Sha1),
        ),
        // The middle one of three members exceeds the end.
        (
            "beyond.pbo",
            Writer::new()
                .product(&[])
                .stored(b"a.txt", b"aa")
                .entry(b"b.txt", [0, 0, 0, 0, 0x8000_0000], b"b")
                .stored(b"c.txt", b"c")
                .finish(Tail::Bytes(b"")),
        ),
        // The end of the header claims bytes.
        (
            "end_with_size.pbo",
            Writer::new()
                .product(&[])
                .stored(b"a.txt", b"aa")
                .entry(b"", [0, 0, 0, 0, 5], b"")
                .finish_without_end(Tail::Sha1),
        ),
        // A stream with a wrong checksum, one that ends before its entry does, and one that claims too much.
        (
            "bad_streams.pbo",
            Writer::new()
                .product(&[])
                .entry(b"sum", [PACKED, 3, 0, 0, 8], b"\x07abc\0\0\0\0")
                .entry(b"more", [PACKED, 3, 0, 0, 9], b"\x07abc\x26\x01\0\0!")
                .entry(b"claim", [PACKED, u32::MAX, 0, 0, 8], b"\x07abc\x26\x01\0\0")
                .finish(Tail::Sha1),
        ),
        // The SHA-1 is of other bytes.
        ("bad_sha1.pbo", Writer::new().stored(b"a.txt", b"aa").finish(Tail::Bytes(&[0; 21]))),
        // Other bytes after the members.
        ("long_tail.pbo", Writer::new().stored(b"a.txt", b"aa").finish(Tail::Bytes(&[0; 64]))),
        // The header ends in the middle of an entry.
        ("cut.pbo", addon().stored(b"a.txt", b"aa").stored(b"b.txt", b"bb").finish(Tail::Sha1)[..120].to_vec()),
    ]
}
