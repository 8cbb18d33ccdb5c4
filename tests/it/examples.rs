//! Runs the programs of `examples/`.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::Ordering;

use crate::writer::bytes::Bytes;
use crate::writer::odol::{self, Lod, Model};
use crate::writer::pbo::{Tail, Writer};

#[allow(dead_code, reason = "its main")]
#[path = "../../examples/engine.rs"]
mod engine;
#[path = "../../examples/grammar.rs"]
mod grammar;
#[path = "../../examples/http_ranges.rs"]
mod http_ranges;
#[path = "../../examples/nested_member.rs"]
mod nested_member;
#[path = "../../examples/server.rs"]
mod server;
#[allow(dead_code, reason = "its main")]
#[path = "../../examples/upload.rs"]
mod upload;

/// The questions that new users asked, and where the table of the front page sends them.
#[test]
fn the_front_page_leads_to_the_answers() {
    let page = std::fs::read_to_string(crate::support::files::root().join("src/lib.rs")).unwrap();
    let start = page.split_once("//! # Where to start").unwrap().1.split_once("//! # How it fits together").unwrap().0;
    for (question, answer) in [
        ("open bytes in memory", "[`Asset::parse`]"),
        ("read a stream", "[`FileMap::from_reader`]"),
        ("list the members", "(container/enum.Container.html#method.of)"),
        ("get triangles", "(geometry/index.html)"),
        ("JSON", "(json/index.html)"),
        ("on other threads", "(struct.OwnedAsset.html)"),
        ("bound memory", "[`Budget`]"),
        ("cancel", "[`Until`]"),
        ("cancel", "(scan/struct.Progress.html#method.stop)"),
        ("progress", "(scan/struct.Progress.html)"),
        ("a format of your own", "(#extensibility)"),
    ] {
        let is_row = |line: &&str| line.split('|').nth(1).is_some_and(|task| task.contains(question));
        let mut rows = start.lines().filter(is_row);
        assert!(rows.any(|line| line.contains(answer)), "{question}: {answer}");
    }
}

#[test]
fn each_example_is_a_short_program() {
    let folder = crate::support::files::root().join("examples");
    let mut sources = Vec::new();
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let source = if path.is_dir() { path.join("src/main.rs") } else { path };
        let lines = std::fs::read_to_string(&source).unwrap().lines().count();
        let most = if source.ends_with("grammar.rs") { 60 } else { 100 };
        assert!(lines < most, "{}: {lines} lines", source.display());
        sources.push(source);
    }
    assert_eq!(sources.len(), 7, "{sources:?}");
}

#[test]
fn an_engine_gets_plain_parts_and_motions() {
    let bytes = std::fs::read(crate::support::files::root().join("corpus/b3d/everything.b3d")).unwrap();
    let loaded = std::thread::spawn(move || engine::load(&bytes).unwrap()).join().unwrap();
    assert!(loaded.parts.len() > 2 && loaded.motions.len() == 3, "{}", loaded.motions.len());
    assert!(loaded.parts.iter().all(|part| part.indices.iter().all(|&at| (at as usize) < part.positions.len())));
    assert!(loaded.motions[0].sampler.pose_at(0.1).world().is_some());
}

#[test]
fn an_upload_takes_the_bytes_of_the_file() {
    let bytes = std::fs::read(crate::support::files::root().join("corpus/b3d/everything.b3d")).unwrap();
    let asset = meshpeek::Asset::parse(&bytes).unwrap();
    let primitive = asset.primitives().next().unwrap().unwrap();
    let upload = upload::in_place(&primitive, &[0, 1, 2]).unwrap().unwrap();
    assert!(bytes.as_ptr_range().contains(&upload.vertices.as_ptr()));
    assert_eq!(upload.vertices.len() / upload.stride, primitive.vertex_count().unwrap());
}

fn listener() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}

#[test]
fn a_server_keeps_views_for_many_threads() {
    let (listener, address) = listener();
    let server = server::Server::new(crate::support::files::root().join("corpus"));
    let serving = server.clone();
    std::thread::spawn(move || serving.serve(&listener));
    let get = |name: &str| {
        let mut stream = TcpStream::connect(address).unwrap();
        write!(stream, "GET /{name} HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.split_once("\r\n\r\n").map(|(head, body)| (head[9..12].to_owned(), body.to_owned())).unwrap()
    };
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let (status, body) = get("b3d/triangle.b3d");
                assert_eq!(status, "200");
                assert!(body.starts_with("Blitz3D scene, 162 bytes, 0 textures"), "{body}");
                assert_eq!(get("bmx/full.bmx").0, "200");
            });
        }
    });
    assert_eq!(server.kept(), 2);
    assert_eq!(get("../Cargo.toml"), ("422".to_owned(), "name leads out of its folder\n".to_owned()));
    assert_eq!(get("nowhere.b3d").0, "404");
    assert_eq!(get("README.md").0, "415");
    assert_eq!(get("hostile/only_a_signature.b3d").0, "422");
}

#[test]
fn an_archive_is_described_from_a_few_ranges_over_http() {
    let model = Model::new(73, (0..4).map(|lod| Lod::strip(lod as f32, 8000)).collect()).to_vec();
    let archive =
        Writer::new().product(&[(b"prefix", b"z")]).stored(b"sky.paa", &[7; 900_000]).stored(b"a.p3d", &model);
    let archive = archive.packed(b"config.cpp", b"class CfgPatches {};").stored(b"b.p3d", &model).finish(Tail::Sha1);
    let size = archive.len() as u64;
    let (listener, address) = listener();
    std::thread::spawn(move || http_ranges::serve(&listener, &archive));
    let source = http_ranges::Http::new(address);
    let found = http_ranges::scan(&source).unwrap();
    assert_eq!(found, ["a.p3d: Arma ODOL model, version Some(73)", "b.p3d: Arma ODOL model, version Some(73)"]);
    let read = source.read.load(Ordering::Relaxed);
    assert!(read > 0 && read * 50 < size, "{read} of {size} bytes");
}

#[test]
fn a_member_of_an_archive_in_an_archive_is_found() {
    let path = crate::support::files::root().join("corpus/zip/addons.zip");
    let address = format!("{}!/b.pbo!/model.p3d", path.display());
    let found = nested_member::describe(&address).unwrap();
    assert!(found.starts_with("b.pbo!/model.p3d: Arma MLOD model, "), "{found}");
    assert!(nested_member::describe(&format!("{}!/c.pbo", path.display())).is_err());
}

#[test]
fn a_grammar_of_your_own_takes_records_of_two_formats() {
    let texture = Bytes::new().cstr("brick.png").u32(1).u32(2).raw([0; 20]);
    let material = odol::material(6, 0, false);
    let skeleton = Bytes::new().cstr("man").u8(0).u32(1).cstr("spine").cstr("").cstr("");
    let head = Bytes::new().raw(*b"KIT").u32(73).u8(1).raw(*b"wall\n").raw([3, 0]);
    let kit = head.raw(*b"TEX").part(&texture).raw(*b"MAT").part(&material).raw(*b"SKEL").part(&skeleton).to_vec();
    let parsed = grammar::parse(&kit).unwrap();
    assert_eq!((parsed.version.stored(), parsed.title), (73, Some("wall".into())));
    let [grammar::Item::Texture(brick), grammar::Item::Material(wall), grammar::Item::Skeleton(man)] =
        &parsed.items[..]
    else {
        panic!("{parsed:?}")
    };
    assert_eq!((brick.name, brick.blend.name(), wall.kind), ("brick.png".into(), Some("multiply"), 6));
    assert_eq!((man.name, man.bones.get(0).unwrap().name), ("man".into(), "spine".into()));

    // Errors name the parts of the grammar and the fields of the records, with the offset in the container.
    let error = |bytes: &[u8]| grammar::parse(bytes).unwrap_err().to_string();
    let cut = kit.len() - 1;
    let pivots = format!("items.skeleton.pivots at {cut:#x}: text without its closing NUL");
    assert_eq!(error(&kit[..cut]), pivots);
    assert_eq!(error(&kit[..40]), "items.texture.position at 0x24: needs 8 bytes, 4 left");
    assert_eq!(error(b"KIT\x4c\0\0\0\0\0\0"), "at 0x3: ODOL version 76, newer than this reader (7 and 40 to 75)");
    assert_eq!(error(b"TIK"), "at 0x0: expected bytes are missing");
}
