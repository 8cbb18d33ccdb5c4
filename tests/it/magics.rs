//! The first bytes of every format, and names that end like those of one.

use std::path::Path;

use meshpeek::Format;

/// The first bytes that show a format, as FORMATS.md gives them. Those of others depend on more than a mark.
pub const MARKS: [(&[u8], Format); 9] = [
    (b"BB3D", Format::B3d),
    (b"LODka3D", Format::Lodka),
    (b"ODOL", Format::Odol),
    (b"BMTR", Format::Bmtr),
    (b"RTM_", Format::Rtm),
    (b"MLOD", Format::Mlod),
    (b"\0raP", Format::Rap),
    (b"0DHT", Format::TexHeaders),
    (b"PK\x05\x06", Format::Zip),
];

#[test]
fn each_mark_is_known_whole_and_whatever_follows_and_not_with_a_wrong_bit() {
    for (mark, format) in MARKS {
        for after in [&b""[..], b"\0", b"1000", &[0xff; 40], &[0; 5000]] {
            let bytes = [mark, after].concat();
            assert_eq!(Format::sniff(&bytes), Some(format), "{format} with {} bytes after it", after.len());
            assert_eq!(Format::of_file(Path::new("a.paa"), &bytes), Some(format), "{format} called a.paa");
            for bit in 0..8 * mark.len() {
                let mut bent = bytes.clone();
                bent[bit / 8] ^= 1 << (bit % 8);
                let found = Format::sniff(&bent);
                assert_ne!(found, Some(format), "{format} with bit {bit} and {} bytes after it", after.len());
            }
        }
        for end in 0..mark.len() {
            assert_eq!(Format::sniff(&mark[..end]), None, "{end} bytes of {format}");
        }
        assert_eq!(Format::sniff(&[b" ", mark].concat()), None, "{format} after a space");
    }
}

/// The mark of a zip is not enough, because a file may begin like that by chance.
#[test]
fn a_zip_is_known_by_the_header_of_a_file() {
    let header = b"PK\x03\x04\x14\0\0\0\x08\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0n";
    for after in [&b""[..], b"\0", &[0xff; 40], &[0; 5000]] {
        let bytes = [&header[..], after].concat();
        assert_eq!(Format::sniff(&bytes), Some(Format::Zip));
        for bit in 0..32 {
            let mut bent = bytes.clone();
            bent[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(Format::sniff(&bent), Some(Format::Zip), "bit {bit}");
        }
    }
    for end in 0..header.len() {
        assert_eq!(Format::sniff(&header[..end]), None, "{end} bytes");
        let named = Format::of_file(Path::new("a.zip"), &header[..end]);
        assert_eq!(named == Some(Format::Zip), end >= 4, "{end} bytes of a.zip");
    }
}

/// A key has a name before its mark.
#[test]
fn keys_are_known_by_the_constants_after_their_name() {
    const CONSTANTS: &[u8] = b"\x06\x02\0\0\0\x24\0\0RSA1";
    for name in [&b""[..], b"me", &[b'n'; 512]] {
        for size in [[0; 4], [0xff; 4]] {
            let bytes = [name, b"\0", &size, CONSTANTS, &[8, 0, 0, 0, 3, 0, 0, 0, 0xff]].concat();
            assert_eq!(Format::sniff(&bytes), Some(Format::Bikey));
            assert_eq!(Format::sniff(&[&bytes[..], b"abc"].concat()), Some(Format::Bikey));
            assert_eq!(Format::sniff(&[&bytes[..], b"abcd"].concat()), Some(Format::Bisign));
            let start = name.len() + 5;
            for bit in 0..8 * CONSTANTS.len() {
                let mut bent = bytes.clone();
                bent[start + bit / 8] ^= 1 << (bit % 8);
                assert_eq!(Format::sniff(&bent), None, "bit {bit}");
            }
        }
    }
    for name in [&b"a\nb"[..], &[b'n'; 513]] {
        assert_eq!(Format::sniff(&[name, b"\0\x94\0\0\0", CONSTANTS, &[0; 200]].concat()), None);
    }
}

/// An ODOL file compressed as a whole starts with flags whose first four items are literals.
#[test]
fn packed_models_are_known_by_every_flag_byte_of_four_literals() {
    for flags in 0..=255 {
        let found = Format::sniff(&[&[flags], &b"ODOL\x49\0\0\0"[..]].concat());
        assert_eq!(found == Some(Format::Odol), flags % 16 == 15, "{flags:#x}");
    }
}

/// Kinds of pixels with a tag, and what is next to them.
#[test]
fn textures_with_a_tag_are_known_by_every_kind_of_pixel() {
    const KINDS: [u16; 9] = [0x1555, 0x4444, 0x8080, 0x8888, 0xff01, 0xff02, 0xff03, 0xff04, 0xff05];
    for kind in 0..=u16::MAX {
        let bytes = [&kind.to_le_bytes()[..], b"GGATCGVA\x04\0\0\0\0\0\0\0"].concat();
        assert_eq!(Format::sniff(&bytes) == Some(Format::Paa), KINDS.contains(&kind), "{kind:#x}");
    }
    for letter in 0..=255 {
        for place in 0..4 {
            let mut name = *b"CGVA";
            name[place] = letter;
            let bytes = [&b"GGAT"[..], &name, &[4, 0, 0, 0, 0, 0, 0, 0]].concat();
            let is_known = letter.is_ascii_uppercase();
            assert_eq!(Format::sniff(&bytes) == Some(Format::Paa), is_known, "{letter:#x} at {place}");
        }
    }
}

/// The endings of files, and the format that each usually means.
pub const ENDINGS: [(&str, Format); 12] = [
    ("b3d", Format::B3d),
    ("bmx", Format::Bmx),
    ("lod", Format::Lodka),
    ("p3d", Format::Odol),
    ("rtm", Format::Bmtr),
    ("paa", Format::Paa),
    ("pac", Format::Paa),
    ("bikey", Format::Bikey),
    ("bisign", Format::Bisign),
    ("pbo", Format::Pbo),
    ("zip", Format::Zip),
    ("pk3", Format::Zip),
];

#[test]
fn every_ending_names_its_format_in_any_case() {
    for (ending, format) in ENDINGS {
        for name in [format!("a.{ending}"), format!("a.x.{}", ending.to_uppercase()), format!("ä/a.{ending}")] {
            assert_eq!(Format::from_extension(Path::new(&name)), Some(format), "{name}");
        }
        for name in [ending.to_owned(), format!(".{ending}"), format!("a.{ending}x"), format!("a.{ending}.")] {
            assert_eq!(Format::from_extension(Path::new(&name)), None, "{name}");
        }
    }
    let named: std::collections::BTreeSet<Format> = ENDINGS.iter().map(|(_, format)| *format).collect();
    let unnamed: Vec<Format> = Format::ALL.iter().copied().filter(|format| !named.contains(format)).collect();
    assert_eq!(unnamed, [Format::Rtm, Format::Mlod, Format::Rap, Format::TexHeaders]);
}

#[test]
fn every_name_of_a_format_is_read_back_and_no_other() {
    for &format in Format::ALL {
        assert_eq!(format.name().parse::<Format>().unwrap(), format);
        assert_eq!(format.to_string(), format.name());
        for other in [format.name().to_uppercase(), format!("{} ", format.name()), format.title().to_owned()] {
            let error = other.parse::<Format>().unwrap_err();
            assert!(error.to_string().contains(&format!("no format is called {other:?}")), "{error}");
        }
    }
}
