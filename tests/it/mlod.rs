//! Tests of the MLOD reader.

use std::collections::BTreeMap;

use meshpeek::mlod::{Face, Form, Lod, Model};
use meshpeek::summary::ReferenceKind;
use meshpeek::{Asset, Format, Inspect};

use crate::memory::usage_of;
use crate::support::files::outside_file;
use crate::writer::mlod::{corpus, face, hostile, lod, model, old_face, old_lod, old_sound, old_tag, sound, tag};

#[path = "../../fuzz/src/mlod.rs"]
pub mod fuzz;

#[test]
fn a_real_model_reads_as_another_reader_reads_it() {
    let Some(bytes) = outside_file("mlod/model.p3d") else { return };
    assert_eq!(Format::sniff(&bytes), Some(Format::Mlod));
    let model = Model::parse(&bytes).unwrap();
    let counts = model.summarize().counts;
    let counts = ["lods", "vertices", "faces"].map(|name| counts.get(name));
    assert_eq!(counts, [Some(3), Some(24), Some(36)]);
    let mut problems = meshpeek::summary::Problems::new(&meshpeek::Limits::default());
    // Its third LOD has 8 normals and an unused fourth corner with normal 23.
    model.verify(&mut problems);
    assert_eq!(problems.into_vec(), []);
    let lods: Vec<_> = model.lods().map(Result::unwrap).collect();
    let seen: Vec<_> = lods.iter().map(|lod| (lod.normals.len(), lod.tags.len(), lod.resolution)).collect();
    assert_eq!(seen, [(24, 5, 1.0), (36, 5, 20001.0), (8, 5, 9_999_999_827_968.0)]);
    let flags: Vec<_> = lods.iter().map(|lod| lod.faces.iter().last().unwrap().fields.flags.get()).collect();
    assert_eq!(flags, [0, 0x8d00_0390, 0]);
    let names: Vec<_> = lods[2].tags.iter().map(|tag| (tag.name.to_string(), tag.data.len())).collect();
    let named = [("Component01", 20), ("#Property#", 128), ("#Mass#", 32), ("#UVSet#", 292), ("#EndOfFile#", 0)];
    assert_eq!(names, named.map(|(name, len)| (name.to_owned(), len)));
    let end = model.lods().spanned().last().map(|(_, span)| span.offset + span.bytes);
    assert_eq!(end, Some(bytes.len() as u64));
}

#[test]
fn references_come_in_order_of_first_use() {
    let bytes = sound().to_vec();
    let references = Model::parse(&bytes).unwrap().summarize().references;
    let seen: Vec<_> = references.iter().map(|reference| (reference.kind, reference.name.text.as_str())).collect();
    use ReferenceKind::{Material, Proxy, Texture};
    assert_eq!(
        seen,
        [
            (Texture, r"own\data\a_co.paa"),
            (Material, r"own\data\a.rvmat"),
            (Texture, r"own\data\b_co.paa"),
            (Proxy, r"\own\gunner")
        ]
    );
}

#[test]
fn both_forms_of_a_lod_read_alike() {
    let [new, old] = [sound().to_vec(), old_sound().to_vec()];
    let [new, old] = [&new, &old].map(|bytes| Model::parse(bytes).unwrap());
    assert_eq!(new.summarize().counts, old.summarize().counts);
    let references = |model: &Model<'_>, kind| {
        let mut references = model.summarize().references;
        references.retain(|reference| reference.kind == kind);
        references
    };
    for kind in [ReferenceKind::Texture, ReferenceKind::Proxy] {
        assert_eq!(references(&new, kind), references(&old, kind));
    }
    assert_eq!(references(&old, ReferenceKind::Material), []);
    let [new, old] = [new, old].map(|model| model.lods().map(Result::unwrap).collect::<Vec<_>>());
    assert_eq!((new[0].header.form(), old[0].header.form()), (Form::P3dm, Form::Sp3x));
    for (new, old) in new.iter().zip(&old) {
        assert_eq!(new.points.to_native(), old.points.to_native());
        assert_eq!(new.resolution, old.resolution);
        let corners = |lod: &Lod<'_>| -> Vec<_> {
            let corners =
                |face: Face<'_>| face.corners().iter().map(|corner| format!("{corner:?}")).collect::<Vec<_>>();
            lod.faces.iter().map(|face| (face.texture.to_string(), face.fields.flags.get(), corners(face))).collect()
        };
        assert_eq!(corners(new), corners(old));
        let tags = |lod: &Lod<'_>| -> Vec<_> {
            lod.tags
                .iter()
                .map(|tag| (tag.name.to_string(), tag.data.as_bytes().to_vec(), tag.proxy().is_some()))
                .collect()
        };
        assert_eq!(tags(new), tags(old));
    }
    assert_eq!(new[0].tags.get(0).unwrap().active, Some(1));
    assert_eq!(old[0].tags.get(0).unwrap().active, None);
}

#[test]
fn texts_of_fixed_size_end_at_their_first_nul_or_their_last_byte() {
    let full = "x".repeat(32);
    for (stored, expected) in [("", ""), ("a.paa\0rest", "a.paa"), (&full, &full)] {
        let bytes = model(&[old_lod(3, &[old_face(&[0, 1, 2], stored)], &[old_tag(stored, b"")], 1.0)]).to_vec();
        let lod = Model::parse(&bytes).unwrap().lods().next().unwrap().unwrap();
        assert_eq!(lod.faces.get(0).unwrap().texture, expected);
        assert_eq!(lod.tags.get(0).unwrap().name, expected);
    }
}

#[test]
fn the_model_of_a_proxy_is_named_before_the_last_dot() {
    for (name, expected) in [
        (r"proxy:\a\wheel.001", Some(r"\a\wheel")),
        (r"proxy:\v1.2\wheel.p3d.001", Some(r"\v1.2\wheel.p3d")),
        (r"PROXY:a.b.c.12", Some("a.b.c")),
        ("Proxy:a", Some("a")),
        ("proxy:.001", Some("")),
        ("proxy:", Some("")),
        ("proxy", None),
        ("a proxy:b.001", None),
    ] {
        let bytes = model(&[lod(3, &[face(&[0, 1, 2], "", "")], &[tag(name, b"")], 1.0)]).to_vec();
        let lod = Model::parse(&bytes).unwrap().lods().next().unwrap().unwrap();
        let proxy = lod.tags.get(0).unwrap().proxy().map(|proxy| proxy.to_string());
        assert_eq!(proxy.as_deref(), expected, "{name}");
    }
}

#[test]
fn reading_allocates_nothing() {
    let wide = vec![face(&[0, 1, 2], "texture", "material"); 5_000];
    let bytes = model(&[lod(5_000, &wide, &[], 1.0)]).to_vec();
    let (faces, usage) = usage_of(|| {
        let model = Model::parse(&bytes).unwrap();
        model.lods().map(|lod| lod.unwrap().faces.iter().filter(|face| !face.texture.is_empty()).count()).sum::<usize>()
    });
    assert_eq!((faces, usage.total), (5_000, 0));
}

#[test]
fn corners_of_front_faces_run_counterclockwise() {
    // A box, in each of its LODs: the side of its center is the back, whichever way the normals point.
    let Some(bytes) = outside_file("mlod/model.p3d") else { return };
    let mut lods = 0;
    for lod in Model::parse(&bytes).unwrap().lods().map(Result::unwrap) {
        let points: Vec<_> = lod.points.iter().map(|point| point.position.to_array()).collect();
        let middle = [0, 1, 2].map(|axis| points.iter().map(|point| point[axis]).sum::<f32>() / points.len() as f32);
        let faces = lod.faces.iter().map(|face| {
            let corners = [0, 1, 2].map(|corner| points[face.fields.corners[corner].point.get() as usize]);
            (corners, [0, 1, 2].map(|axis| corners[0][axis] - middle[axis]))
        });
        let [clockwise, counterclockwise] = crate::b3d::winding(faces);
        assert!(clockwise == 0 && counterclockwise >= 12, "{clockwise} and {counterclockwise}");
        lods += 1;
    }
    assert!(lods > 2);
}

#[test]
fn damaged_models_are_read_without_harm() {
    for (name, bytes) in corpus().into_iter().chain(hostile()) {
        assert!(Asset::parse(&bytes).is_ok() || name == "mlod_older.p3d", "{name}");
        for place in 0..bytes.len() {
            let mut bytes = bytes.clone();
            bytes[place] ^= 0xff;
            fuzz::run(&bytes);
        }
    }
}

/// A face marks the place of another model if any proxy selects it, however many there are; other selections do not
/// matter, nor does the texture that a marked face shares with others.
#[test]
fn faces_of_every_proxy_are_hidden() {
    // The textures of the faces.
    let images = ["a.paa", "a.paa", "b.paa"];
    let faces = images.map(|image| face(&[0, 1, 2], image, ""));
    let is_in = |set: usize, number: usize| set >> number & 1 == 1;
    for sets in 0..1 << 9 {
        let [first, second, third] = [sets & 7, sets >> 3 & 7, sets >> 6];
        let selected =
            |set| [[0; 3], [0, 1, 2].map(|number| if is_in(set, number) { number as u8 + 1 } else { 0 })].concat();
        // A tag that ends early selects no face that it has no byte for.
        let short = &selected(third)[..5];
        let tags = [
            tag(r"proxy:\a\wheel.001", &selected(first)),
            tag("camo", &[1; 6]),
            tag(r"proxy:\a\wheel.002", &selected(second)),
            tag("PROXY:b.001", short),
        ];
        let bytes = model(&[lod(3, &faces, &tags, 1.0)]).to_vec();
        let mut expected = BTreeMap::new();
        for (number, image) in images.iter().enumerate() {
            let is_proxy = is_in(first | second, number) || number < 2 && is_in(third, number);
            *expected.entry((image.to_string(), !is_proxy)).or_insert(0) += 1;
        }
        let asset = Asset::parse(&bytes).unwrap();
        let mut found = BTreeMap::new();
        for primitive in asset.primitives().map(Result::unwrap) {
            let material = primitive.material().unwrap().unwrap();
            let image = material.base().unwrap().name.to_string();
            let before = found.insert((image, primitive.place.visible), primitive.triangles().count());
            assert_eq!(before, None, "{sets:#o}");
        }
        assert_eq!(found, expected, "{sets:#o}");
    }
}
