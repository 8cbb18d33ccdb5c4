//! The programs of `examples/`, run.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::Ordering;

use crate::writer::odol::{Lod, Model};
use crate::writer::pbo::{Tail, Writer};

#[path = "../../examples/http_ranges.rs"]
mod http_ranges;
#[path = "../../examples/nested_member.rs"]
mod nested_member;
#[path = "../../examples/server.rs"]
mod server;

#[test]
fn each_is_a_short_program() {
    let folder = crate::corpus::root().join("examples");
    let mut told = Vec::new();
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let source = if path.is_dir() { path.join("src/main.rs") } else { path };
        let lines = std::fs::read_to_string(&source).unwrap().lines().count();
        assert!(lines < 100, "{}: {lines} lines", source.display());
        told.push(source);
    }
    assert_eq!(told.len(), 4, "{told:?}");
}

fn listener() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}

#[test]
fn a_server_keeps_views_for_many_threads() {
    let (listener, address) = listener();
    let server = server::Server::new(crate::corpus::root().join("corpus"));
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
    assert_eq!(get("../Cargo.toml"), ("404".to_owned(), "name leads out of its folder\n".to_owned()));
    assert_eq!(get("README.md").0, "404");
}

#[test]
fn an_archive_is_told_from_a_few_ranges_over_http() {
    let model = Model::new(73, (0..4).map(|lod| Lod::strip(lod as f32, 8000)).collect()).to_vec();
    let archive =
        Writer::new().product(&[(b"prefix", b"z")]).stored(b"sky.paa", &[7; 900_000]).stored(b"a.p3d", &model);
    let archive = archive.packed(b"config.cpp", b"class CfgPatches {};").stored(b"b.p3d", &model).finish(Tail::Sha1);
    let size = archive.len() as u64;
    let (listener, address) = listener();
    std::thread::spawn(move || http_ranges::serve(&listener, &archive));
    let source = http_ranges::Http::new(address);
    let told = http_ranges::scan(&source).unwrap();
    assert_eq!(told, ["a.p3d: Arma ODOL model, version Some(73)", "b.p3d: Arma ODOL model, version Some(73)"]);
    let read = source.read.load(Ordering::Relaxed);
    assert!(read > 0 && read * 50 < size, "{read} of {size} bytes");
}

#[test]
fn a_member_of_an_archive_in_an_archive_is_found() {
    let path = crate::corpus::root().join("corpus/zip/addons.zip");
    let address = format!("{}!/b.pbo!/model.p3d", path.display());
    let told = nested_member::describe(&address).unwrap();
    assert!(told.starts_with("b.pbo!/model.p3d: Arma MLOD model, "), "{told}");
    assert!(nested_member::describe(&format!("{}!/c.pbo", path.display())).is_err());
}
