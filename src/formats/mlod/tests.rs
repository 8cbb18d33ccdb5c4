//! Hand-written models, each with one broken field.

use super::*;
use crate::base::error::ErrorKind;
use crate::inspect::Inspect;
use crate::summary::{Problems, Severity};
use zerocopy::IntoBytes;

/// Consecutive fields, some with a name by which a test can break them.
#[derive(Default)]
struct Builder {
    bytes: Vec<u8>,
    tags: Vec<(&'static str, usize)>,
}

impl Builder {
    fn tag(&mut self, name: &'static str) -> &mut Self {
        self.tags.push((name, self.bytes.len()));
        self
    }

    fn push(&mut self, bytes: &[u8]) -> &mut Self {
        self.bytes.extend_from_slice(bytes);
        self
    }

    fn ints(&mut self, numbers: &[u32]) -> &mut Self {
        self.push(&numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>())
    }

    fn floats(&mut self, numbers: &[f32]) -> &mut Self {
        self.push(&numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>())
    }

    fn offset(&self, name: &str) -> usize {
        self.tags.iter().find(|(tag, _)| *tag == name).unwrap().1
    }

    fn with(&self, name: &str, value: u32) -> Vec<u8> {
        let mut bytes = self.bytes.clone();
        let offset = self.offset(name);
        bytes[offset..offset + 4].copy_from_slice(&value.to_le_bytes());
        bytes
    }
}

/// One LOD of three points, one normal, one triangle, two tags.
fn triangle() -> Builder {
    let mut b = Builder::default();
    b.tag("signature").push(b"MLOD");
    b.tag("version").ints(&[257]);
    b.tag("lods").ints(&[1]);
    b.tag("lod").push(b"P3DM");
    b.tag("header_size").ints(&[28]).tag("lod_version").ints(&[256]);
    b.tag("points").ints(&[3]).tag("normals").ints(&[1]).tag("faces").ints(&[1]).ints(&[0x77]);
    b.tag("point").floats(&[0.0, 0.0, 0.0]).ints(&[0]);
    b.floats(&[1.0, 0.0, 0.0]).ints(&[0x0300_0000]);
    b.floats(&[0.0, 1.0, 0.0]).ints(&[0]);
    b.tag("normal").floats(&[0.0, 0.0, -1.0]);
    b.tag("face").tag("corners").ints(&[3]);
    b.tag("point_a").ints(&[0]).tag("normal_a").ints(&[0]).floats(&[0.0, 0.0]);
    b.ints(&[1, 0]).floats(&[1.0, 0.0]);
    b.ints(&[2, 0]).floats(&[0.0, 1.0]);
    b.tag("unused").ints(&[99, 99]).floats(&[7.0, 7.0]);
    b.ints(&[0x200]).push(b"a.paa\0a.rvmat\0");
    b.tag("tagg").push(b"TAGG");
    b.tag("tag").push(b"\x01proxy:\\a\\gun.001\0").tag("size").ints(&[4]).push(b"\x01\0\0\x01");
    b.push(b"\x01#EndOfFile#\0").ints(&[0]);
    b.tag("resolution").floats(&[1.0]);
    b
}

fn fault(bytes: &[u8]) -> String {
    let model = match Model::parse(bytes) {
        Ok(model) => model,
        Err(error) => return error.to_string(),
    };
    let mut lods = model.lods();
    let error = lods.find_map(Result::err).expect("a fault").to_string();
    assert!(lods.next().is_none());
    assert_eq!(model.summarize().counts.get("vertices"), None);
    error
}

fn verify(bytes: &[u8]) -> Vec<(Severity, Option<u64>, String)> {
    let mut problems = Problems::new(&Limits::default());
    Model::parse(bytes).unwrap().verify(&mut problems);
    problems.into_vec().into_iter().map(|p| (p.severity, p.offset, p.message.into_owned())).collect()
}

#[test]
fn every_field_is_read() {
    let b = triangle();
    let model = Model::parse(&b.bytes).unwrap();
    let lods: Vec<_> = model.lods().map(Result::unwrap).collect();
    let lod = lods[0];
    assert_eq!((model.version(), model.lod_count(), lods.len()), (257, 1, 1));
    let (_, span) = model.lods().spanned().next().unwrap();
    assert_eq!((span.offset, span.bytes), (12, b.bytes.len() as u64 - 12));
    assert_eq!((lod.header.flags.get(), lod.resolution), (0x77, 1.0));
    assert_eq!(lod.points.get(1).unwrap().position.to_array(), [1.0, 0.0, 0.0]);
    assert_eq!(lod.points.get(1).unwrap().flags.get(), 0x0300_0000);
    assert_eq!(lod.normals.get(0).unwrap().to_array(), [0.0, 0.0, -1.0]);
    let face = lod.faces.get(0).unwrap();
    assert_eq!((face.texture, face.material), ("a.paa".into(), "a.rvmat".into()));
    assert_eq!(face.corners().iter().map(|corner| corner.point.get()).collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!((face.corners()[2].v.get(), face.fields.flags.get()), (1.0, 0x200));
    let offset = b.offset("face");
    assert_eq!((lod.faces.len(), lod.faces.offset()), (1, offset as u64));
    assert_eq!(face.fields.as_bytes(), &b.bytes[offset..offset + 72]);
    let tags: Vec<_> = lod.tags.iter().collect();
    assert_eq!((tags.len(), tags[0].active, tags[0].data.as_bytes()), (2, Some(1), &b"\x01\0\0\x01"[..]));
    assert_eq!((tags[0].proxy().unwrap(), tags[1].proxy()), ("\\a\\gun".into(), None));

    let summary = model.summarize();
    let counts: Vec<_> = summary.counts.iter().collect();
    let expected = [
        ("lods", Some(1)),
        ("visual_lods", Some(1)),
        ("vertices", Some(3)),
        ("faces", Some(1)),
        ("triangles", Some(1)),
        ("visual_triangles", Some(1)),
    ];
    assert_eq!(counts, expected);
    let names: Vec<_> = summary.references.iter().map(|reference| reference.name.text.as_str()).collect();
    assert_eq!(names, ["a.paa", "a.rvmat", "\\a\\gun"]);
    assert_eq!((summary.version, verify(&b.bytes)), (Some(257), vec![]));
}

#[test]
fn each_header_field_is_checked_at_its_offset() {
    let b = triangle();
    let broken = |name, value| fault(&b.with(name, value));
    assert_eq!(broken("signature", 0x4c4f_444f), "at 0x0: starts with \"ODOL\", not \"MLOD\"");
    assert_eq!(broken("version", 256), "at 0x4: MLOD of version 256, only 257 is known");
    assert_eq!(broken("lods", 2), format!("lods[1].header at {:#x}: needs 28 bytes, 0 left", b.bytes.len()));
    assert_eq!(
        broken("lod", 0x5833_5053),
        "lods[0].header at 0xc: LOD of version 256 with a header of 28 bytes, only 153 with 28 is known"
    );
    assert_eq!(
        broken("lod", 0),
        "lods[0].header at 0xc: LOD starts with \"\\u{0}\\u{0}\\u{0}\\u{0}\", neither \"P3DM\" nor \"SP3X\""
    );
    let message = "lods[0].header at 0xc: LOD of version 256 with a header of 29 bytes, only 256 with 28 is known";
    assert_eq!(broken("header_size", 29), message);
    assert!(broken("lod_version", 0).starts_with("lods[0].header at 0xc: LOD of version 0"));
    let left = b.bytes.len() - 40;
    assert_eq!(broken("points", u32::MAX), format!("lods[0].points at 0x28: needs 68719476720 bytes, {left} left"));
    assert_eq!(
        broken("normals", u32::MAX),
        format!("lods[0].normals at 0x58: needs 51539607540 bytes, {} left", left - 48)
    );
    let after = b.offset("tagg");
    assert!(broken("faces", u32::MAX).starts_with("lods[0].faces"));
    assert_eq!(broken("faces", 0), "lods[0].tags_signature at 0x64: no \"TAGG\" after the faces");
    assert_eq!(broken("tagg", 0), format!("lods[0].tags_signature at {after:#x}: no \"TAGG\" after the faces"));
    let data = b.offset("size") + 4;
    assert_eq!(
        broken("size", 900),
        format!("lods[0].tags[0].data at {data:#x}: needs 900 bytes, {} left", b.bytes.len() - data)
    );
    assert!(matches!(Model::parse(&b.with("version", 1)).unwrap_err().kind(), ErrorKind::Unsupported(_)));
    assert!(Model::parse(b"MLOD\x01\x01\0\0\x01\0\0").is_err());
}

#[test]
fn every_length_is_an_error_but_the_whole() {
    let bytes = triangle().bytes;
    for cut in 0..bytes.len() {
        let text = fault(&bytes[..cut]);
        assert!(text.contains("left") || text.contains("NUL"), "{cut}: {text}");
    }
    let more = [&bytes[..], b"!"].concat();
    assert_eq!(verify(&more), [(Severity::Warning, Some(bytes.len() as u64), "1 byte after the last LOD".to_owned())]);
}

#[test]
fn indices_are_checked_in_the_corners_in_use() {
    let b = triangle();
    let face = b.offset("face") as u64;
    let check = |name, value, message: &str| {
        assert_eq!(verify(&b.with(name, value)), [(Severity::Error, Some(face), format!("lods[0].faces: {message}"))]);
        assert_eq!(Model::parse(&b.with(name, value)).unwrap().summarize().problems, []);
    };
    check("point_a", 3, "1 of 3 point numbers is not below 3: 3 at index 0 of faces[0]");
    check("normal_a", 1, "1 of 3 normal numbers is not below 1: 1 at index 0 of faces[0]");
    // The fourth also refers to a normal that does not exist.
    let both = ["1 of 4 point numbers is not below 3", "1 of 4 normal numbers is not below 1"];
    let both =
        both.map(|said| (Severity::Error, Some(face), format!("lods[0].faces: {said}: 99 at index 3 of faces[0]")));
    assert_eq!(verify(&b.with("corners", 4)), both);
    check("corners", 5, "1 of 1 numbers of corners is neither 3 nor 4: 5 at index 0");
    check("corners", 0, "1 of 1 numbers of corners is neither 3 nor 4: 0 at index 0");
    assert_eq!(verify(&b.with("unused", u32::MAX)), []);
    let nan = f32::NAN.to_bits();
    let warned = |name, message: &str| {
        let offset = b.offset(name) as u64;
        assert_eq!(verify(&b.with(name, nan)), [(Severity::Warning, Some(offset), message.to_owned())]);
    };
    warned("point", "lods[0].points: 1 of 3 positions is not finite: (NaN, 0, 0) at index 0");
    warned("normal", "lods[0].normals: 1 of 1 vectors is not finite: (NaN, 0, -1) at index 0");
    warned("resolution", "lods[0].resolution: NaN is not finite");
}
