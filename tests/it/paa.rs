//! Promises of the reader of Arma textures.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;

use meshpeek::paa::{Alpha, Kind, TagData, Texture};
use meshpeek::summary::{Code, Problems, Severity};
use meshpeek::view::{Packing, Table};
use meshpeek::{Asset, Budget, Error, Format, Inspect, Limits};
use sha2::{Digest, Sha256};

use crate::memory::usage_of;
use crate::support::files::{outside, root};
use crate::support::mutate::Random;
use crate::support::program::{Folder, code, run, stderr};
use crate::writer::paa::{AI88, ARGB1555, ARGB4444, ARGB8888, DXT1, DXT5, Mip, P8, Texture as Written};
use crate::writer::paa::{corpus, hostile, indices, lzss_signed, marked_palette, need, pattern};
use crate::writer::{mlod, zip};

#[path = "../../fuzz/src/paa.rs"]
pub mod fuzz;

fn hex(bytes: impl AsRef<[u8]>) -> String {
    bytes.as_ref().iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

fn digest(texture: &Texture<'_>) -> Result<String, Error> {
    let mut hash = Sha256::new();
    texture.digest("pixels", &Budget::unlimited(&Limits::default()), &mut |rows| hash.update(rows))?;
    Ok(hex(hash.finalize()))
}

fn verify(bytes: &[u8]) -> Vec<(Severity, Code, Option<u64>, String)> {
    let mut problems = Problems::new(&Limits::default());
    Texture::parse(bytes).unwrap().verify(&mut problems);
    let problems = problems.into_vec().into_iter();
    problems.map(|problem| (problem.severity, problem.code, problem.offset, problem.message.into_owned())).collect()
}

/// The channels of each pixel of the largest mip.
fn pixels(texture: &Written) -> Vec<[u8; 4]> {
    let bytes = texture.to_vec();
    let rgba = Texture::parse(&bytes).unwrap().mips().next().unwrap().unwrap().to_rgba8().unwrap();
    rgba.as_chunks().0.to_vec()
}

/// A texture of one mip.
fn one(kind: u16, sides: [u16; 2], plain: &[u8]) -> Written {
    Written { kind, tags: Vec::new(), palette: Vec::new(), mips: vec![Mip::of(kind, sides, plain)] }
}

#[test]
fn real_textures_read_as_another_reader_reads_them() {
    let Some(folder) = outside().map(|folder| folder.join("paa")).filter(|folder| folder.is_dir()) else { return };
    let table = std::fs::read_to_string(folder.join("expected.tsv")).unwrap();
    let mut lines = table.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let names = lines.next().unwrap();
    let mut rows = 0;
    for line in lines {
        let row: HashMap<&str, &str> = names.iter().copied().zip(line).collect();
        let path = folder.join(row["file"]);
        let bytes = std::fs::read(&path).unwrap();
        let texture = Texture::parse(&bytes).unwrap();
        assert_eq!(Format::sniff(&bytes), Some(Format::Paa), "{}", path.display());
        let first = texture.mips().next().unwrap().unwrap();
        let mut found: HashMap<&str, String> = HashMap::new();
        found.insert("size", bytes.len().to_string());
        found.insert("kind", texture.kind().name().unwrap().to_owned());
        found.insert("width", first.width().to_string());
        found.insert("height", first.height().to_string());
        let mut mips = texture.mips();
        found.insert("mips", mips.by_ref().map(Result::unwrap).count().to_string());
        // One tool leaves out the last two bytes.
        let end = bytes.len().min(mips.offset() as usize + 6);
        found.insert("end", end.to_string());
        let tags: Vec<_> = texture.tags().iter().map(|tag| tag.name.to_string()).collect();
        found.insert("tags", tags.join("+"));
        let flag = texture.tags().iter().find_map(|tag| match tag.data {
            TagData::Flags(flags) => Some(flags.to_string()),
            _ => None,
        });
        found.insert("flag", flag.unwrap_or_else(|| "-".to_owned()));
        let swizzle = texture.swizzle().map(|of| hex([of.alpha.0, of.red.0, of.green.0, of.blue.0]));
        found.insert("swiz", swizzle.unwrap_or_else(|| "-".to_owned()));
        let stored = match first.block().unwrap().packing() {
            Packing::InPlace => "stored",
            Packing::Lzo => "lzo",
            _ => "lzss/signed",
        };
        found.insert("mip0", stored.to_owned());
        found.insert("rgba8_sha256_near", digest(&texture).unwrap());
        for (name, found) in found {
            assert_eq!(found, row[name], "{}: {name}", path.display());
        }
        let problems: Vec<_> = verify(&bytes).into_iter().map(|(.., message)| message).collect();
        let is_short = row["origin"] == "tool" && row["kind"] == "DXT3";
        assert_eq!(
            problems,
            if is_short { &["end: an end mark of 4 bytes, not 6"][..] } else { &[] },
            "{}",
            path.display()
        );
        let mut at = 0;
        meshpeek::dissect::dissect(&texture, bytes.len() as u64, &mut |line| {
            if let Some(span) = line.span.filter(|span| span.bytes > 0)
                && line.kind != meshpeek::dissect::LineKind::Part
            {
                assert_eq!(span.offset, at, "{}", path.display());
                let is_gap = line.kind == meshpeek::dissect::LineKind::Gap;
                assert!(!is_gap || is_short && span.bytes == 4, "{}", path.display());
                at += span.bytes;
            }
        });
        assert_eq!(at, bytes.len() as u64, "{}", path.display());
        rows += 1;
    }
    assert!(rows >= 23, "{rows}");
}

#[test]
fn each_kind_has_its_channels() {
    assert_eq!(pixels(&one(ARGB4444, [2, 1], &[0x21, 0x43, 0xff, 0x0f])), [[51, 34, 17, 68], [255, 255, 255, 0]]);
    let words = [0x8000_u16 | 15 << 10 | 31 << 5, 1].map(u16::to_le_bytes);
    assert_eq!(pixels(&one(ARGB1555, [1, 2], words.as_flattened())), [[123, 255, 0, 255], [0, 0, 8, 0]]);
    assert_eq!(pixels(&one(AI88, [1, 1], &[7, 9])), [[7, 7, 7, 9]]);
    assert_eq!(pixels(&one(ARGB8888, [1, 1], &[1, 2, 3, 4])), [[3, 2, 1, 4]]);
    let mut texture = one(P8, [3, 1], &[1, 0, 1]);
    texture.palette = vec![[1, 2, 3], [4, 5, 6]];
    assert_eq!(pixels(&texture), [[6, 5, 4, 255], [3, 2, 1, 255], [6, 5, 4, 255]]);
    // Blocks that are cut: three columns of the first, one of the second.
    let red = [0x00, 0xf8, 0, 0, 0, 0, 0, 0];
    let blue = [0x1f, 0, 0, 0, 0, 0, 0, 0];
    let rows = pixels(&one(DXT1, [5, 2], &[red, blue].concat()));
    let row = [[255, 0, 0, 255]; 4].into_iter().chain([[0, 0, 255, 255]]).collect::<Vec<_>>();
    assert_eq!(rows, [row.clone(), row].concat());
    let alpha = [[10, 0, 0, 0, 0, 0, 0, 0], red].concat();
    assert_eq!(pixels(&one(DXT5, [1, 1], &alpha)), [[255, 0, 0, 10]]);
    assert_eq!(pixels(&one(0xff04, [1, 1], &alpha)), [[255, 0, 0, 10]]);
    for kind in [0xff02, 0xff03] {
        assert_eq!(pixels(&one(kind, [1, 1], &alpha)), [[255, 0, 0, 170]]);
    }
}

#[test]
fn packed_and_raw_mips_have_equal_pixels() {
    for kind in [DXT1, DXT5] {
        let raw = Written::chain(kind, [64, 64], 4);
        let packed = raw.clone().lzo();
        assert!(packed.mips[0].data.len() < raw.mips[0].data.len());
        assert_eq!(pixels(&packed), pixels(&raw));
        let bytes = packed.to_vec();
        let mip = Texture::parse(&bytes).unwrap().mips().next().unwrap().unwrap();
        assert!(mip.block().unwrap().borrowed().is_none() && mip.width() == 64);
    }
    let marked = marked_palette();
    let mut plain = marked.clone();
    plain.mips[0] = Mip::of(P8, [9, 5], &indices(45, 4));
    assert_eq!(pixels(&marked), pixels(&plain));
}

#[test]
fn pictures_have_the_channels_of_their_source() {
    let picture = |texture: &Written| {
        let bytes = texture.to_vec();
        let texture = Texture::parse(&bytes).unwrap();
        let picture = texture.to_picture(&texture.mips().next().unwrap().unwrap()).unwrap();
        (picture.rgba, picture.alpha)
    };
    // Stored: red 3, green 2, blue 1, alpha 4.
    let stored = || one(ARGB8888, [1, 1], &[1, 2, 3, 4]);
    assert_eq!(picture(&stored()), (vec![3, 2, 1, 255], Alpha::Opaque));
    assert_eq!(picture(&stored().flags(1)), (vec![3, 2, 1, 4], Alpha::Blended));
    assert_eq!(picture(&stored().flags(2)), (vec![3, 2, 1, 0], Alpha::OnOff));
    let swizzled = |sources: [u8; 4]| picture(&stored().flags(1).tag("SWIZ", sources)).0;
    assert_eq!(swizzled([5, 4, 2, 3]), [251, 2, 1, 252]);
    assert_eq!(swizzled([8, 8, 2, 3]), [255, 2, 1, 255]);
    assert_eq!(swizzled([8, 8, 2, 8]), [255, 2, 255, 255]);
    assert_eq!(swizzled([8, 0, 0, 0]), [1, 1, 1, 255]);
    assert_eq!(swizzled([0, 1, 2, 3]), [3, 2, 1, 4]);
    // A source that has no meaning.
    assert_eq!(swizzled([0, 200, 2, 3]), [255, 2, 1, 4]);
    // The second color is cyan, the first magenta.
    let (rgba, alpha) = picture(&marked_palette());
    assert_eq!((&rgba[..4], alpha), (&[0x80, 0x40, 0x20, 0][..], Alpha::OnOff));
    assert!(rgba.as_chunks::<4>().0.contains(&[3, 2, 1, 255]));
}

#[test]
fn each_fault_is_reported_at_its_offset() {
    use Severity::{Error, Warning};
    let files: HashMap<_, _> = hostile().into_iter().collect();
    let check = |name: &str, severity, code, at: Option<u64>, message: &str| {
        let found = verify(&files[name]);
        let is_it = |(s, c, offset, text): &(_, _, _, String)| {
            (*s, *c) == (severity, code) && (at.is_none() || *offset == at) && text.contains(message)
        };
        assert!(found.iter().any(is_it), "{name}: {found:#?}");
    };
    check("paa_tag_name.paa", Warning, Code::Name, Some(2), "tags: 1 of 3 names is not ASCII letters");
    check(
        "paa_tag_twice.paa",
        Warning,
        Code::Duplicate,
        Some(50),
        "tags: 1 of 5 names is there twice: FLAG at index 3",
    );
    check("paa_color_of_three.paa", Error, Code::Damaged, Some(14), "tags[0]: AVGC of 3 bytes, not 4");
    check("paa_odd_offsets.paa", Error, Code::Damaged, Some(14), "tags[0]: OFFS of 6 bytes, not a multiple of 4");
    let words = "is not that of the mip, or not 0 after the last";
    check("paa_offset.paa", Error, Code::Range, Some(50), &format!("tags[2]: 1 of 16 offsets {words}: 0 at index 1"));
    check("paa_offset_behind.paa", Error, Code::Range, Some(106), "1 at index 15");
    check("paa_flags.paa", Warning, Code::UnknownCode, Some(46), "tags[2]: flags 0x4, of which two bits are known");
    check("paa_swizzle.paa", Warning, Code::UnknownCode, Some(46), "tags[2]: blue from the unknown source 10");
    check("paa_palette_unused.paa", Warning, Code::Suspicious, Some(112), "palette: 1 colors, which DXT1 does not use");
    check("paa_no_width.paa", Error, Code::Damaged, Some(119), "mips[0]: 0 x 16 pixels");
    check("paa_high.paa", Error, Code::Damaged, None, "mips[0]: 32768 pixels high, at most 32767");
    check("paa_huge.paa", Error, Code::Damaged, None, "mips[0]: ");
    check("paa_huge_lzo.paa", Error, Code::Damaged, None, "mips[0]: 65535 pixels high");
    check("paa_many_mips.paa", Error, Code::Damaged, None, "mips[16]: more than 16 mips");
    check("paa_no_mips.paa", Error, Code::Damaged, None, "end: no mip");
    check("paa_not_half.paa", Warning, Code::Suspicious, None, "mips[1]: 4 x 16, half of the one before is 8 x 8");
    check("paa_raw_size.paa", Error, Code::Damaged, None, "mips[0]: 128 bytes for 32 x 16 pixels, which take 256");
    check("paa_beyond.paa", Error, Code::Truncated, None, "mips[0].data: needs 16777215 bytes");
    check("paa_lzo_bent.paa", Error, Code::Damaged, None, "mips[0]: ");
    check("paa_lzo_short.paa", Error, Code::Damaged, None, "mips[0]: ");
    check("paa_marked_lzss.paa", Warning, Code::Suspicious, None, "mips[0]: marked as LZO, which only DXT kinds are");
    check("paa_checksum.paa", Error, Code::Checksum, None, "mips[0]: LZSS checksum is 0x55555555");
    check("paa_unsigned.paa", Warning, Code::Suspicious, None, "mips[0]: the checksum sums unsigned bytes");
    check("paa_index.paa", Error, Code::Range, None, "mips[0]: 16 of 16 pixels are not below 64; the first is 64");
    check("paa_short_end.paa", Warning, Code::Suspicious, None, "end: an end mark of 4 bytes, not 6");
    check("paa_no_end.paa", Error, Code::Truncated, None, "mips[2].sides: needs 2 bytes, 0 left");
    check("paa_odd_end.paa", Warning, Code::Suspicious, None, "end: ends with 0x1, not 0");
    check("paa_bytes_behind.paa", Warning, Code::Trailing, None, "9 bytes after the end mark");
    check("paa_cut.paa", Error, Code::Truncated, None, "mips[1].data: needs");
    let sides = "sides of compressed textures are powers of two";
    for (kind, sides, faults) in [
        (DXT1, [12, 12], &[format!("12 x 12, {sides}")][..]),
        (DXT5, [16, 24], &[format!("16 x 24, {sides}")]),
        (DXT1, [16, 4], &[]),
        (ARGB8888, [12, 12], &[]),
    ] {
        let found = verify(&Written::chain(kind, sides, 4).to_vec());
        let found: Vec<_> = found.into_iter().map(|(severity, code, _, text)| (severity, code, text)).collect();
        let expected = faults.iter().map(|fault| (Warning, Code::Suspicious, format!("mips[0]: {fault}")));
        assert!(found.iter().cloned().eq(expected), "{found:?}");
    }
    for (name, message) in [
        ("paa_tag_length.paa", "tags[0].data at 0xe: needs 4294967295 bytes"),
        ("paa_palette_too_long.paa", "palette at 0x6e: 257 colors, at most 256"),
    ] {
        let error = Texture::parse(&files[name]).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
    for (bytes, message) in [
        (&b""[..], "at 0x0: needs 2 bytes, 0 left"),
        (b"BC\0\0", "at 0x0: starts with 0x4342, neither a kind nor a palette"),
        (b"GGATCGVA\0\0\0\0\0\0", "at 0x0: neither a kind nor a palette"),
    ] {
        assert_eq!(Texture::parse(bytes).unwrap_err().to_string(), message);
    }
}

#[test]
fn an_unsound_mip_leaves_the_others_readable() {
    let files: HashMap<_, _> = hostile().into_iter().collect();
    for name in ["paa_raw_size.paa", "paa_huge.paa", "paa_lzo_bent.paa"] {
        let mips: Vec<_> = Texture::parse(&files[name]).unwrap().mips().map(Result::unwrap).collect();
        assert!(mips[0].to_rgba8().is_err() && mips[1].to_rgba8().is_ok(), "{name}");
    }
}

#[test]
fn claims_cost_nothing() {
    for (bits, kind) in [(0x7fff_u16, ARGB4444), (0xffff, DXT1), (0x7fff, ARGB8888), (0x7fff, P8)] {
        let mut texture = Written::chain(kind, [4, 4], 4);
        texture.mips[0] = Mip { sides: [bits, 0x7fff], is_marked: false, data: vec![0x11; 40] };
        let bytes = texture.to_vec();
        let (found, usage) = usage_of(|| {
            let texture = Texture::parse(&bytes).unwrap();
            let mip = texture.mips().next().unwrap().unwrap();
            assert!(mip.to_rgba8().is_err() && texture.to_picture(&mip).is_err() && digest(&texture).is_err());
            assert!(mip.pixels().read(&mut |_| panic!("rows")).is_err());
            verify(&bytes)
        });
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].3.contains("cannot hold"), "{found:?}");
        assert!(usage.peak < 1 << 16, "{usage:?}");
    }
}

#[test]
fn pixels_stay_within_the_limits() {
    let bytes = one(DXT1, [64, 64], &vec![0; need(DXT1, [64, 64])]).to_vec();
    let limits = Limits::default().with_decoded_bytes(64 * 64 * 4 - 1);
    let mip = Texture::parse_with(&bytes, &limits).unwrap().mips().next().unwrap().unwrap();
    assert_eq!(mip.to_rgba8().unwrap_err().code(), Code::DecodedBytesLimit);
    let limits = Limits::default().with_decoded_bytes(100);
    let packed = one(AI88, [16, 16], &[0; 512]).to_vec();
    let texture = Texture::parse_with(&packed, &limits).unwrap();
    assert_eq!(texture.mips().next().unwrap().unwrap().to_rgba8().unwrap_err().code(), Code::DecodedBytesLimit);
    let budget = Budget::new(1, &Limits::default().with_work(0));
    assert_eq!(texture.digest("pixels", &budget, &mut |_| {}).unwrap_err().code(), Code::WorkLimit);
    assert!(texture.digest("positions", &budget, &mut |_| {}).is_err());
}

#[test]
fn opening_allocates_nothing_and_a_summary_decodes_nothing() {
    let bytes = Written::chain(DXT5, [512, 512], 4).flags(1).lzo().to_vec();
    let (count, usage) = usage_of(|| {
        let texture = Texture::parse(&bytes).unwrap();
        let mips = texture.mips().filter(|mip| mip.as_ref().unwrap().block().is_ok()).count();
        mips + texture.tags().iter().count() + usize::from(texture.alpha() == Alpha::Blended)
    });
    assert_eq!((count, usage.total), (8 + 4 + 1, 0));
    let before = meshpeek::codec::activity();
    let summary = Texture::parse(&bytes).unwrap().summarize();
    assert_eq!(meshpeek::codec::activity(), before);
    assert_eq!((summary.counts.get("mips"), summary.version, summary.problems.len()), (Some(8), None, 0));
    assert!(summary.blocks.packed > 0 && summary.blocks.packed + summary.blocks.stored == 8);
    assert_eq!(Texture::parse(&bytes).unwrap().summarize_header().counts, summary.counts);
}

#[test]
fn textures_are_known_by_their_bytes_and_nothing_else_is_one() {
    for (name, bytes) in corpus() {
        assert_eq!(Format::sniff(&bytes), Some(Format::Paa), "{name}");
        assert!(matches!(Asset::parse(&bytes), Ok(Asset::Paa(_))), "{name}");
    }
    // Without tags, sides and length must agree, and the next mip must be half as large.
    let bare = |kind, sides: [u16; 2]| one(kind, sides, &pattern(need(kind, sides))).bytes();
    for (kind, sides) in [(DXT1, [8, 8]), (DXT5, [4, 16])] {
        let bytes = bare(kind, sides);
        assert_eq!(Format::sniff(&bytes.to_vec()), Some(Format::Paa), "{kind:x}");
        assert_eq!(Format::sniff(&bytes.clone().set("length", [255, 255, 3]).to_vec()), None, "{kind:x}");
        assert_eq!(Format::sniff(&bytes.clone().set("end", [7]).to_vec()), None, "{kind:x}");
        assert_eq!(Format::sniff(&bytes.set("mip", [0, 0]).to_vec()), None, "{kind:x}");
    }
    assert_eq!(Format::sniff(&bare(DXT1, [12, 8]).to_vec()), None);
    // Of the kinds of other sizes too much would agree: there the name helps, and with a palette.
    for kind in [AI88, ARGB8888, ARGB1555, ARGB4444] {
        let bytes = bare(kind, [5, 3]).to_vec();
        assert_eq!(Format::sniff(&bytes), None, "{kind:x}");
        assert_eq!(Format::of_file(Path::new("a.paa"), &bytes), Some(Format::Paa), "{kind:x}");
        assert_eq!(Format::of_file(Path::new("a.paa"), &bytes[..10]), None, "{kind:x}");
    }
    let palette = Written { tags: Vec::new(), ..Written::chain(P8, [8, 8], 4) }.to_vec();
    assert_eq!(Format::sniff(&palette), None);
    assert_eq!(Format::of_file(Path::new("a.PAC"), &palette), Some(Format::Paa));
    assert_eq!(Format::of_file(Path::new("a.bin"), &palette), None);
    assert_eq!(Format::of_file(Path::new("a.paa"), &palette[..40]), None);
    for text in ["DD MM YYYY", "DDGGAT", "U\u{15}", "GGATTACA", "GGAT", "\u{1}\0GGATCGVA"] {
        let found = Format::sniff(text.as_bytes());
        assert_eq!(found == Some(Format::Paa), ["DDGGAT", "GGATTACA"].contains(&text), "{text:?}");
    }
    let mut random = Random(0x1234_5678_9abc_def1);
    for kind in [0x1555_u16, 0x4444, 0x8080, 0x8888, 0xff01, 0xff05] {
        for _ in 0..20_000 {
            let mut bytes: Vec<u8> = (0..64).map(|_| (random.below(256) & random.below(256)) as u8).collect();
            bytes[..2].copy_from_slice(&kind.to_le_bytes());
            bytes[2..4].copy_from_slice(&[0; 2]);
            assert_ne!(Format::sniff(&bytes), Some(Format::Paa), "{bytes:x?}");
        }
    }
}

#[test]
fn dump_writes_pixels_as_height_width_and_channels() {
    let output = run(["dump", "corpus/paa/argb4444.paa", "mips/1/pixels", "--format", "npy"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let array = npyz::NpyFile::new(&output.stdout[..]).unwrap();
    assert_eq!(array.shape(), [4, 9, 4]);
    let bytes = std::fs::read(root().join("corpus/paa/argb4444.paa")).unwrap();
    let mip = Texture::parse(&bytes).unwrap().mips().nth(1).unwrap().unwrap();
    assert_eq!(array.into_vec::<u8>().unwrap(), mip.to_rgba8().unwrap());
    let output = run(["dump", "corpus/paa/argb4444.paa", "mips/1/data", "--format", "npy"]);
    let array = npyz::NpyFile::new(&output.stdout[..]).unwrap();
    assert_eq!(array.shape(), [72]);
    assert_eq!(array.into_vec::<u8>().unwrap(), *mip.block().unwrap().decode().unwrap());
}

#[test]
fn export_writes_a_mip_as_png() {
    let folder = Folder::new("paa_export");
    let to = folder.0.join("x.png");
    let file = "corpus/paa/dxt5_nohq.paa";
    let bytes = std::fs::read(root().join(file)).unwrap();
    let texture = Texture::parse(&bytes).unwrap();
    for (index, unswizzle) in [(0, false), (1, false), (0, true)] {
        let (to, number) = (to.to_str().unwrap(), index.to_string());
        let more = if unswizzle { &["--unswizzle"][..] } else { &[] };
        let output = run(["export", file, "-o", to, "--mip", &number].iter().chain(more));
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let image = image::open(to).unwrap();
        let mip = texture.mips().nth(index).unwrap().unwrap();
        let mut expected = mip.to_rgba8().unwrap();
        if unswizzle {
            texture.swizzle().unwrap().undo(&mut expected);
        }
        assert_eq!((image.width(), image.height()), (mip.width().into(), mip.height().into()));
        assert_eq!(image.into_rgba8().into_raw(), expected);
    }
    let refused = |args: &[&str]| {
        let output = run([&["export"], args, &["-o", to.to_str().unwrap()]].concat());
        assert_eq!(code(&output), 2);
        stderr(&output)
    };
    assert!(refused(&[file, "--mip", "9"]).contains("no mip 9"));
    assert!(refused(&["corpus/b3d/everything.b3d", "--mip", "1"]).contains("are for textures"));
    assert!(refused(&["corpus/hostile/paa_huge.paa"]).contains("cannot hold"));
}

#[test]
fn pictures_of_models_use_the_texture_in_place_of_its_source() {
    let folder = Folder::new("paa_picture");
    let lod = mlod::lod(3, &[mlod::face(&[0, 1, 2], r"own\data\x_co.tga", "")], &[], 1.0);
    // A triangle with an area.
    let model = mlod::model(&[lod]).poke("first_point", 2 * 16 + 4, 3_f32.to_le_bytes());
    let model = folder.file("model.p3d", model.to_vec());
    let to = folder.0.join("x.png");
    let red_with_status = |status: i32| {
        let output = run(["export", model.to_str().unwrap(), "-o", to.to_str().unwrap()]);
        assert_eq!(code(&output), status, "{}", stderr(&output));
        assert_eq!(stderr(&output).contains("1 image cannot be decoded: own"), status == 1, "{}", stderr(&output));
        let image = image::open(&to).unwrap().into_rgb8();
        image.pixels().filter(|pixel| pixel.0[0] / 2 > pixel.0[1].max(pixel.0[2])).count()
    };
    assert_eq!(red_with_status(0), 0);
    let solid = [0x00, 0xf8, 0, 0, 0, 0, 0, 0].repeat(4);
    let texture = folder.file("x_co.paa", one(DXT1, [8, 8], &solid).to_vec());
    assert!(red_with_status(0) > 100);
    // One that claims too much is left out.
    let bomb = Mip { sides: [0xffff, 0x7fff], is_marked: false, data: vec![0; 40] };
    std::fs::write(texture, Written { mips: vec![bomb], ..Written::chain(DXT1, [4, 4], 4) }.to_vec()).unwrap();
    assert_eq!(red_with_status(1), 0);
}

#[test]
fn textures_without_tags_are_found_in_archives_and_used_in_pictures() {
    let red = [0x00, 0xff].repeat(16);
    let bare = one(ARGB4444, [4, 4], &red).to_vec();
    let palette = Written { tags: Vec::new(), ..Written::chain(P8, [8, 8], 4) }.to_vec();
    assert_eq!((Format::sniff(&bare), Format::sniff(&palette)), (None, None));
    let members = [("a_ca.paa", &bare), ("b.pac", &palette), ("a_ca.bin", &bare)];
    let pbo = crate::support::scans::packed_into_pbo(&members.map(|(name, bytes)| (name.to_owned(), bytes.clone())));
    let zip = zip::zip(&members.map(|(name, bytes)| zip::Entry::deflated(name, bytes)), b"");
    for (name, archive) in [("tags.pbo", pbo), ("tags.zip", zip.to_vec())] {
        let archive = crate::support::scans::TempFile::new(name, &archive);
        let records = crate::support::scans::scanned(&archive.0, |_| {});
        let found: Vec<_> = records.iter().filter(|record| record.summary.format == Some(Format::Paa)).collect();
        let names: Vec<_> = found.iter().filter_map(|record| Some(record.member.as_ref()?.text.as_str())).collect();
        assert_eq!(names, ["a_ca.paa", "b.pac"], "{name}");
        assert!(found.iter().all(|record| record.summary.problems.is_empty()), "{name}");
    }
    let folder = Folder::new("paa_bare");
    let lod = mlod::lod(3, &[mlod::face(&[0, 1, 2], r"own\data\a_ca.paa", "")], &[], 1.0);
    let model = mlod::model(&[lod]).poke("first_point", 2 * 16 + 4, 3_f32.to_le_bytes());
    let model = folder.file("model.p3d", model.to_vec());
    folder.file("a_ca.paa", &bare);
    let to = folder.0.join("x.png");
    let output = run(["export", model.to_str().unwrap(), "-o", to.to_str().unwrap()]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let seen = || {
        let image = image::open(&to).unwrap().into_rgb8();
        image.pixels().filter(|pixel| pixel.0[0] / 2 > pixel.0[1].max(pixel.0[2])).count()
    };
    let whole = seen();
    assert!(whole > 100);
    // The texture's alpha shows what is behind, if its flags say so.
    let mode = |alpha: u8, flags: u32| {
        let half = [[0x00, 0xff], [0x00, alpha << 4 | 0xf]].as_flattened().repeat(8);
        let written = one(ARGB4444, [4, 4], &half);
        folder.file("a_ca.paa", if flags > 0 { written.flags(flags) } else { written }.to_vec());
        for name in ["x.png", "x.glb"] {
            let output = run(["export", model.to_str().unwrap(), "-o", folder.0.join(name).to_str().unwrap()]);
            assert_eq!(code(&output), 0, "{}", stderr(&output));
        }
        let glb = crate::support::models::document(&std::fs::read(folder.0.join("x.glb")).unwrap());
        (glb["materials"][0]["alphaMode"].as_str().map(str::to_owned), seen() * 4 < whole * 3)
    };
    assert_eq!(mode(0, 0), (None, false));
    assert_eq!(mode(0, 2), (Some("MASK".to_owned()), true));
    assert_eq!(mode(8, 1), (Some("BLEND".to_owned()), false));
}

#[test]
fn kinds_are_named_and_sized() {
    assert_eq!((Kind::DXT1.name(), Kind(3).name(), Kind::P8.name()), (Some("DXT1"), None, Some("P8")));
    assert_eq!(Kind::DXT1.byte_len(1, 1), 8);
    assert_eq!(Kind::DXT5.byte_len(u16::MAX, u16::MAX), 16_384 * 16_384 * 16);
    assert_eq!(Kind::ARGB8888.byte_len(u16::MAX, u16::MAX), 65_535 * 65_535 * 4);
    assert!(lzss_signed(&[0x80; 3]).ends_with(&(-384_i32).to_le_bytes()));
}
