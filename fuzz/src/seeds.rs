//! Small files to start from, made by the tests' writers: what a fuzzer takes long to find by itself.

use crate::writer::{archives, corpus, lzss, odol, zip};

/// The largest seed; a fuzzer copies and cuts small files best.
pub const LARGEST: usize = 4096;

/// For each target, names and bytes.
pub fn seeds() -> Vec<(&'static str, String, Vec<u8>)> {
    let small = corpus().into_iter().filter(|(_, bytes)| bytes.len() <= LARGEST);
    let named = small.map(|(path, bytes)| (path.replace('/', "_"), bytes));
    let mut all: Vec<_> = named
        .flat_map(|(name, bytes)| ["any", "geometry"].map(|target| (target, name.clone(), bytes.clone())))
        .collect();
    for version in [7].into_iter().chain(40..=75) {
        // Everything but what is packed, and strips just long enough that their arrays are.
        let points = if version >= 64 { 40 } else { 90 };
        let strip = odol::Model::new(version, vec![odol::Lod::strip(1.0, points)]);
        all.push(("odol", format!("v{version}_strip.p3d"), strip.to_vec()));
        let lod = odol::Lod { frames: Vec::new(), tangents: Vec::new(), ..odol::everything(1.0, 4) };
        let whole = odol::Model { lods: vec![lod], ..odol::whole(version, 4) };
        all.push(("odol", format!("v{version}.p3d"), whole.to_vec()));
    }
    let texts: [&[u8]; 4] = [b"", &[0; 300], b"abcabcabcabcabdabd", &[1, 2, 3, 4, 5, 6, 7, 8, 9].repeat(60)];
    for (index, text) in texts.into_iter().enumerate() {
        let length = text.len() as u16;
        let lzo = lzo1x::compress(text, lzo1x::CompressLevel::new(9));
        all.push(("lzo", format!("{index}"), [&[0][..], &length.to_be_bytes(), &lzo].concat()));
        all.push(("lzss", format!("{index}"), [&length.to_le_bytes()[..], &lzss::pack(text)].concat()));
        all.push(("inflate", format!("{index}"), zip::deflate(text)));
    }
    // Limits that refuse little, then an archive in an archive and a model of each kind in it.
    let limits = [7, 3, 15, 15, 5, 19, 9];
    let ways: [(&str, &[u8]); 3] = [
        ("zip_in_zip", &[0, 1, 1, 0, 0, 1, 1, 0]),
        ("pbo_in_zip", &[0, 1, 1, 0, 1, 1, 1, 1, 0]),
        ("zip_in_pbo", &[1, 1, 1, 1, 0, 0, 1, 1, 0]),
    ];
    for kind in 0..12 {
        for (name, way) in ways {
            all.push(("nested", format!("{name}_{kind}"), [&limits[..], way, &[2, kind, 0x41, 0x10]].concat()));
        }
    }
    all.push(("zip", "empty.zip".to_owned(), zip::zip(&[], b"").to_vec()));
    all.push(("zip", "zip64.zip".to_owned(), archives::zip64(b"")));
    // One that ends inside its directory, sizes behind the data among its members.
    let text = b"text that is there twice, text that is there twice";
    let entries = [zip::Entry::stored("a", text), zip::Entry::deflated("b", text).with_descriptor()];
    let whole = zip::zip(&entries, b"");
    all.push(("zip", "lost.zip".to_owned(), whole.to_vec()[..whole.at("directory") + 9].to_vec()));
    all.retain(|(_, _, bytes)| bytes.len() <= LARGEST);
    all
}
