//! Promises of zip archives, and of containers in general.

use std::time::{Duration, Instant};

use meshpeek::container::{Container, Form};
use meshpeek::view::Packing;
use meshpeek::{Asset, Budget, ErrorKind, Format, Limits};

use crate::memory::usage_of;
use crate::mutate::Random;
use crate::writer::archives::{corpus, hostile, nested, quilt};
use crate::writer::zip::{Entry, zip};

#[path = "../../fuzz/src/zip.rs"]
pub mod fuzz;

/// Every asset in the bytes, as `outer!/inner: format`, with archives opened down to a depth.
fn contents(data: &[u8], path: &str, depth: u32, budget: &Budget, found: &mut Vec<String>) {
    let Ok(asset) = Asset::parse(data) else { return };
    found.push(format!("{path}: {}", asset.summarize().format));
    let Some(container) = Container::of(&asset).filter(|_| depth > 0) else { return };
    for member in container.members().map(Result::unwrap) {
        let Ok(content) = member.decode(budget) else { continue };
        contents(&content, &format!("{path}!/{}", member.name()), depth - 1, budget, found);
    }
}

fn all(data: &[u8]) -> Vec<String> {
    let limits = Limits::default();
    let mut found = Vec::new();
    contents(data, "", limits.archive_depth, &Budget::new(data.len() as u64, &limits), &mut found);
    found
}

fn file(name: &str) -> Vec<u8> {
    corpus().into_iter().find(|(known, _)| *known == name).unwrap().1
}

#[test]
fn assets_are_found_in_archives_in_archives() {
    assert_eq!(all(&file("assets.zip")), [": zip", "!/models/scene.b3d: b3d", "!/models\\model.p3d: mlod"]);
    assert_eq!(
        all(&file("addons.zip")),
        [
            ": zip",
            "!/a.pbo: pbo",
            "!/a.pbo!/data\\scene.b3d: b3d",
            "!/a.pbo!/model.p3d: mlod",
            "!/b.pbo: pbo",
            "!/b.pbo!/data\\scene.b3d: b3d",
            "!/b.pbo!/model.p3d: mlod"
        ]
    );
    assert_eq!(
        all(&file("nested.zip")),
        [": zip", "!/2.zip: zip", "!/2.zip!/1.zip: zip", "!/2.zip!/1.zip!/scene.b3d: b3d"]
    );
    // The limit stands for what a scan does: as deep as it is allowed, and no deeper.
    assert_eq!(all(&nested(30)).len(), 1 + Limits::default().archive_depth as usize);
}

#[test]
fn forms_are_told_and_slices_borrowed() {
    let bytes = file("assets.zip");
    let asset = Asset::parse(&bytes).unwrap();
    let members: Vec<_> = Container::of(&asset).unwrap().members().map(Result::unwrap).collect();
    let forms: Vec<_> = members.iter().map(|member| member.form()).collect();
    assert_eq!(forms, [Form::InPlace, Form::Packed(Packing::Deflate), Form::Packed(Packing::Deflate)]);
    let nothing = Budget::new(0, &Limits { work: 0, ..Limits::default() });
    assert!(members[0].decode(&nothing).unwrap().starts_with(b"BB3D"));
    let error = members[1].decode(&nothing).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Limit { limit: 0, .. }), "{error}");
    let bytes = file("locked.zip");
    let asset = Asset::parse(&bytes).unwrap();
    let members: Vec<_> = Container::of(&asset).unwrap().members().map(Result::unwrap).collect();
    assert_eq!([members[0].form(), members[1].form()], [Form::Encrypted, Form::Unknown]);
    assert!(members.iter().all(|member| member.borrowed().unwrap().is_none()));
    // A map is an asset, though it is a zip.
    let map = crate::writer::bmx::corpus().swap_remove(0).1;
    assert!(Container::of(&Asset::parse(&map).unwrap()).is_none());
}

#[test]
fn members_that_share_bytes_cost_no_more_than_honest_ones() {
    let bytes = quilt(20_000, 1_000_000);
    let limits = Limits::default();
    let asset = Asset::parse(&bytes).unwrap();
    let budget = Budget::new(bytes.len() as u64, &Limits { work: 10, ..limits });
    let started = Instant::now();
    let decoded: usize = Container::of(&asset)
        .unwrap()
        .members()
        .map(|member| member.unwrap().decode(&budget).map_or(0, |content| content.len()))
        .sum();
    assert!(decoded > 0 && decoded <= 10 * (bytes.len() + (2 << 20)), "{decoded}");
    let mut problems = meshpeek::summary::Problems::new(&limits);
    let before = meshpeek::codec::activity().inflations;
    asset.verify(&mut problems);
    assert_eq!(meshpeek::codec::activity().inflations - before, 1);
    assert!(started.elapsed() < Duration::from_secs(20));
}

#[test]
fn listing_allocates_nothing() {
    let list = |count: usize| {
        let entries = vec![Entry::stored("some/member.b3d", b"bytes"); count];
        let bytes = zip(&entries, b"").to_vec();
        usage_of(|| {
            let asset = Asset::parse(&bytes).unwrap();
            let members = Container::of(&asset).unwrap().members();
            members.map(|member| member.unwrap().borrowed().unwrap().unwrap().len()).sum::<usize>()
        })
    };
    let (few, many) = (list(2), list(60_000));
    assert_eq!((few.0, many.0), (10, 300_000));
    assert_eq!((few.1.total, many.1.total), (0, 0));
}

#[test]
fn damaged_archives_are_read_without_harm() {
    for (name, bytes) in corpus().into_iter().chain(hostile()) {
        assert_eq!(Format::sniff(&bytes), Some(Format::Zip), "{name}");
        let tail = bytes.len().saturating_sub(200);
        for place in (0..bytes.len().min(60)).chain(tail..bytes.len()) {
            for value in [0, 1, 0x7f, 0xff] {
                let mut bytes = bytes.clone();
                bytes[place] = value;
                fuzz::run(&bytes);
            }
        }
    }
}

#[test]
fn archives_built_of_noise_give_back_what_went_in() {
    let mut random = Random(0x6a09_e667_f3bc_c908);
    for _ in 0..300 {
        let noise: Vec<u8> = (0..random.below(2000)).map(|_| random.next() as u8).collect();
        fuzz::run(&noise);
        crate::pbo::fuzz::run(&noise);
    }
}
