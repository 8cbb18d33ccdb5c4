//! Tests of the reader of texture indices.

use meshpeek::summary::{Code, Problems};
use meshpeek::texheaders::{Index, Kind};
use meshpeek::{Asset, Format, Inspect, Limits};

use crate::memory::usage_of;
use crate::support::mutate::{Random, Source};
use crate::support::program::{Folder, code, run, stderr, stdout};
use crate::writer::texheaders::{Texture, corpus, file, hostile, sound, textures};

#[path = "../../fuzz/src/texheaders.rs"]
pub mod fuzz;

/// The problems of an index: code, offset and message.
fn verify(bytes: &[u8]) -> Vec<(Code, Option<u64>, String)> {
    let mut problems = Problems::new(&Limits::default());
    Index::parse(bytes).unwrap().verify(&mut problems);
    problems.into_vec().into_iter().map(|one| (one.code, one.offset, one.message.into_owned())).collect()
}

#[test]
fn an_index_agrees_with_the_textures() {
    let bytes = sound().to_vec();
    assert_eq!(Format::sniff(&bytes), Some(Format::TexHeaders));
    let index = Index::parse(&bytes).unwrap();
    assert_eq!(index.texture_count(), textures().len());
    for (listed, (path, texture)) in index.textures().zip(textures()) {
        let listed = listed.unwrap();
        let bytes = texture.to_vec();
        let texture = meshpeek::paa::Texture::parse(&bytes).unwrap();
        assert_eq!(listed.path, path);
        assert_eq!(listed.kind.name(), texture.kind().name());
        assert_eq!(listed.file_size as usize, bytes.len());
        let mut mips = texture.mips();
        for listed in listed.mips {
            let offset = mips.offset();
            let mip = mips.next().unwrap().unwrap();
            assert_eq!((listed.width.get(), listed.height.get()), (mip.width(), mip.height()), "{path}");
            assert_eq!(u64::from(listed.address.get()), offset, "{path}");
        }
    }
}

/// An index lists textures and does not ask for them.
#[test]
fn textures_of_an_index_are_no_references() {
    let bytes = sound().to_vec();
    let summary = Index::parse(&bytes).unwrap().summarize();
    assert_eq!((summary.references.len(), summary.problems.len()), (0, 0));
    assert_eq!(summary.counts.iter().collect::<Vec<_>>(), [("textures", Some(6)), ("mips", Some(19))]);
    let header = Index::parse(&bytes).unwrap().summarize_header();
    assert_eq!(header.counts.iter().collect::<Vec<_>>(), [("textures", Some(6)), ("mips", None)]);
}

#[test]
fn each_constraint_is_checked() {
    let sound = sound();
    let mips = sound.at("first_mip") as u64;
    let found = |mark, distance, bytes: &[u8]| verify(&sound.clone().poke(mark, distance, bytes).to_vec());
    let at = |mark| Some(sound.at(mark) as u64);
    let count = "textures[5].mip_count: 4, but 3 before the mips";
    assert_eq!(found("mip_count", 0, &[4]), [(Code::Damaged, at("mip_count"), count.to_owned())]);
    let kind = "textures[5].mips: mip 1 is of kind 5, the texture of kind 4";
    assert_eq!(found("first_mip", 18, &[5]), [(Code::Damaged, Some(mips + 18), kind.to_owned())]);
    let order = "textures[5].mips: mip 1 is at 0x1, the one before at 0x80";
    assert_eq!(found("first_mip", 20, &[1, 0]), [(Code::Order, Some(mips + 20), order.to_owned())]);
    let outside = "textures[5].mips: mip 2 is at 0xffff, after the end of the texture of 706 bytes";
    assert_eq!(found("first_mip", 32, &[0xff, 0xff]), [(Code::Range, Some(mips + 32), outside.to_owned())]);
    let few = verify(&sound.clone().set("count", [5]).to_vec());
    assert_eq!(few.iter().map(|(code, ..)| *code).collect::<Vec<_>>(), [Code::Trailing]);
    let many = verify(&sound.set("count", [0xff]).to_vec());
    assert_eq!(many.len(), 1, "{many:?}");
    assert!(many[0].2.starts_with("texture_count: needs 17085 bytes, "), "{many:?}");
    assert_eq!((many[0].0, many[0].1), (Code::Truncated, Some(8)));
}

#[test]
fn a_texture_may_have_sixteen_mips() {
    let (path, texture) = &textures()[0];
    let mut texture = Texture::of(path, texture);
    for (count, codes) in [(16, &[][..]), (17, &[Code::Range])] {
        texture.mips = vec![texture.mips[0].clone(); count];
        for (mip, address) in texture.mips.iter_mut().zip(100..) {
            mip.address = address;
        }
        let found = verify(&file(&[texture.clone()]).to_vec());
        assert_eq!(found.iter().map(|(code, ..)| *code).collect::<Vec<_>>(), codes, "{found:?}");
    }
}

#[test]
fn names_of_kinds_are_those_of_textures() {
    let names: Vec<_> = (0..12).map(|kind| Kind(kind).name()).collect();
    assert_eq!((names[0], names[6], names[10], names[11]), (Some("P8"), Some("DXT1"), Some("DXT5"), None));
}

#[test]
fn reading_allocates_nothing() {
    let (path, texture) = &textures()[0];
    let bytes = file(&vec![Texture::of(path, texture); 5_000]).to_vec();
    let (mips, usage) = usage_of(|| {
        let index = Index::parse(&bytes).unwrap();
        index.textures().map(|texture| texture.unwrap().mips.len()).sum::<usize>()
    });
    assert_eq!((mips, usage.total), (25_000, 0));
}

#[test]
fn every_truncation_is_reported() {
    let bytes = sound().to_vec();
    for end in 0..bytes.len() {
        match Index::parse(&bytes[..end]) {
            Ok(_) => assert!(!verify(&bytes[..end]).is_empty(), "cut at {end}"),
            Err(error) => assert_eq!((error.code(), end < 12), (Code::Truncated, true), "cut at {end}"),
        }
    }
}

#[test]
fn damaged_indices_are_read_without_harm() {
    for (name, bytes) in corpus().into_iter().chain(hostile()) {
        assert!(Asset::parse(&bytes).is_ok() || name == "texheaders_version.bin", "{name}");
        for place in 0..bytes.len() {
            let mut bytes = bytes.clone();
            bytes[place] ^= 0xff;
            fuzz::run(&bytes);
        }
    }
    let sources: Vec<_> = corpus().into_iter().map(|(_, bytes)| Source::new(bytes)).collect();
    let mut random = Random(0x7465_7868);
    for _ in 0..5_000 {
        let (a, b) = (random.below(sources.len()), random.below(sources.len()));
        fuzz::run(&sources[a].mutated(&sources[b], &mut random));
    }
}

/// It asks for no files, so nothing of it is unread.
#[test]
fn a_damaged_index_hides_no_references() {
    let folder = Folder::new("damaged_index");
    let path = folder.file("texHeaders.bin", &sound().to_vec()[..300]);
    let path = path.to_str().unwrap();
    assert_eq!(code(&run(["verify", path])), 1);
    let refs = run(["refs", "--format", "ndjson", path]);
    assert_eq!((code(&refs), stdout(&refs)), (0, String::new()), "{}", stderr(&refs));
}
