//! Zips as containers of other files.

use super::zip::{Entry, Header, zip};
use super::{b3d, mlod, pbo};

fn scene() -> Vec<u8> {
    b3d::sound().to_vec()
}

/// This many members that share the same bytes: their decompressed size is out of all proportion to the archive.
pub fn quilt(members: usize, kernel: usize) -> Vec<u8> {
    sharing(members, Entry::deflated("0", &vec![0; kernel]), "")
}

/// This many members with the bytes of one; their names begin like this.
pub fn sharing(members: usize, shared: Entry, start: &str) -> Vec<u8> {
    let mut entries = vec![shared.clone()];
    for index in 1..members {
        let name = format!("{start}{index}").into_bytes();
        let header = Header { name, ..shared.central.clone() };
        // Its own local header exists and is empty, but the directory does not refer to it.
        let local = Header { packed: 0, unpacked: 0, ..header.clone() };
        entries.push(Entry { central: header, local, header_offset: Some(0), ..Entry::default() });
    }
    zip(&entries, b"").to_vec()
}

/// An archive nested this many times.
pub fn nested(levels: usize) -> Vec<u8> {
    let inner = zip(&[Entry::stored("scene.b3d", &scene())], b"").to_vec();
    (1..levels).fold(inner, |inner, level| {
        let name = format!("{level}.zip");
        let entry = if level % 2 == 0 { Entry::stored(name, &inner) } else { Entry::deflated(name, &inner) };
        zip(&[entry], b"").to_vec()
    })
}

/// An archive of two members as zip64: sizes and offsets in the zip64 fields, optionally with bytes before the archive.
pub fn zip64(before: &[u8]) -> Vec<u8> {
    let wide = |entry: Entry| {
        let (packed, unpacked) = (entry.central.packed.into(), entry.central.unpacked.into());
        let fields: [u64; 2] = [unpacked, packed];
        let mut entry = entry.both(|header| {
            // Another field comes before it.
            header.extra = [&[9, 9, 2, 0, 7, 7, 1, 0, 16, 0][..], fields.map(u64::to_le_bytes).as_flattened()].concat();
            (header.packed, header.unpacked) = (u32::MAX, u32::MAX);
        });
        entry.header_offset = None;
        entry
    };
    let entries = [wide(Entry::stored("scene.b3d", &scene())), wide(Entry::deflated("again/scene.b3d", &scene()))];
    let classic = zip(&entries, b"");
    let (directory, end) = (classic.at("directory") as u64, classic.at("end"));
    let bytes = classic.set("disk_entries", [0xff; 4]).set("directory_bytes", [0xff; 8]).to_vec();
    let record = [&b"PK\x06\x06"[..], &44_u64.to_le_bytes(), &[45, 0, 45, 0], &[0; 8], &2_u64.to_le_bytes()].concat();
    let place = [2, end as u64 - directory, directory].map(u64::to_le_bytes);
    let locator = [&b"PK\x06\x07\0\0\0\0"[..], &(end as u64).to_le_bytes(), &[1, 0, 0, 0]].concat();
    [before, &bytes[..end], &record, place.as_flattened(), &locator, &bytes[end..]].concat()
}

/// Files for `corpus/zip`.
pub fn corpus() -> Vec<(&'static str, Vec<u8>)> {
    let archive = pbo::Writer::new().stored(br"data\scene.b3d", &scene()).packed(b"model.p3d", &mlod::sound().to_vec());
    let encrypted = Entry::stored("secret.b3d", &scene()).both(|header| header.flags |= 1);
    vec![
        // A folder; stored and deflated members, names with either slash, sizes after the data, a name without an
        // asset.
        (
            "assets.zip",
            zip(
                &[
                    Entry::stored("models/", b""),
                    Entry::stored("models/scene.b3d", &scene()),
                    Entry::deflated("models\\model.p3d", &mlod::sound().to_vec()).with_descriptor(),
                    Entry::deflated("readme.txt", b"nothing to see"),
                ],
                b"a comment",
            )
            .to_vec(),
        ),
        // A PBO archive inside, stored; another, deflated.
        (
            "addons.zip",
            zip(
                &[
                    Entry::stored("a.pbo", &archive.clone().finish(pbo::Tail::Sha1)),
                    Entry::deflated("b.pbo", &archive.finish(pbo::Tail::Sha1)),
                ],
                b"",
            )
            .to_vec(),
        ),
        // Three levels of archives.
        ("nested.zip", nested(3)),
        // An encrypted member, and one with an unsupported method.
        ("locked.zip", zip(&[encrypted, Entry::new("later.b3d", 98, b"????".to_vec(), b"")], b"").to_vec()),
        ("empty.zip", zip(&[], b"").to_vec()),
    ]
}

/// Odd and damaged archives for `corpus/hostile`.
pub fn hostile() -> Vec<(&'static str, Vec<u8>)> {
    let plain = || Entry::deflated("scene.b3d", &scene());
    let one = |entry: Entry| zip(&[entry], b"");
    vec![
        ("zip_quilt.zip", quilt(40, 100_000)),
        // Two files with one name, names that leave the folder.
        (
            "zip_names.zip",
            zip(
                &[
                    Entry::stored("a.txt", b"1"),
                    Entry::stored("a.txt", b"2"),
                    Entry::stored("../up.b3d", b""),
                    Entry::stored("/root.b3d", b""),
                    Entry::stored("C:\\drive.b3d", b""),
                    Entry::stored("nul", b""),
                    Entry::stored("\x1b[2J", b""),
                    Entry::stored("", b""),
                ],
                b"",
            )
            .to_vec(),
        ),
        ("zip_crc.zip", one(plain().both(|header| header.crc32 ^= 1)).to_vec()),
        ("zip_claims_more.zip", one(plain().both(|header| header.unpacked += 1)).to_vec()),
        ("zip_claims_less.zip", one(plain().both(|header| header.unpacked -= 1)).to_vec()),
        ("zip_claims_4_gb.zip", one(plain().both(|header| header.unpacked = u32::MAX - 1)).to_vec()),
        ("zip_into_directory.zip", one(plain().both(|header| header.packed += 1)).to_vec()),
        ("zip_header_outside.zip", one(Entry { header_offset: Some(0x7fff_ffff), ..plain() }).to_vec()),
        ("zip_two_sizes.zip", one(Entry::stored("a", b"abc").both(|header| header.unpacked = 2)).to_vec()),
        ("zip_other_name.zip", {
            let mut entry = plain();
            entry.local.name[0] = b'S';
            one(entry).to_vec()
        }),
        // More entries than fit in the directory.
        ("zip_entries.zip", one(plain()).set("disk_entries", [0x60, 0xea, 0x60, 0xea]).to_vec()),
        ("zip_end_missing.zip", {
            let bytes = one(plain());
            bytes.to_vec()[..bytes.at("end")].to_vec()
        }),
        ("zip_bytes_behind.zip", one(plain()).raw([0; 9]).to_vec()),
    ]
}
