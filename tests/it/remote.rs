//! Files of URLs: from a server that also misbehaves, and from a server of S3 if Python can have one.

mod busy;
mod lies;
mod server;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use self::server::{Fault, Server};
use crate::support::program::{Folder, code, lines, program, stderr, stdout};
use crate::writer;
use crate::writer::mlod;
use crate::writer::pbo::{Tail, Writer};
use crate::writer::rtm;
use crate::writer::zip::{Entry, zip};

fn run(args: &[&str]) -> Output {
    program().args(args).output().unwrap()
}

/// Records without path, address and stamp, in order.
fn records(output: &Output) -> Vec<String> {
    let mut all: Vec<String> = lines(output)
        .into_iter()
        .filter(|line| line.get("event").is_none())
        .map(|mut record| {
            let record = record.as_object_mut().unwrap();
            record.remove("path");
            record.remove("address");
            record.remove("stamp");
            serde_json::to_string(record).unwrap()
        })
        .collect();
    all.sort();
    all
}

fn padded(bytes: &[u8], size: usize) -> Vec<u8> {
    // Bytes that do not deflate well.
    let mut state = 7_u32;
    let noise = std::iter::repeat_with(move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    });
    bytes.iter().copied().chain(noise).take(size.max(bytes.len())).collect()
}

/// Models and animations of usual sizes, and small scripts. One in three of the ODOL models has a long header.
fn assets() -> Vec<(String, Vec<u8>)> {
    let long = writer::odol::whole(73, 20).to_vec();
    let short = writer::odol::Model::new(73, vec![writer::odol::Lod::strip(0.0, 200)]).to_vec();
    let bmtr = rtm::motion(4, 3, 10, rtm::NONE).binarised().to_vec();
    let mut all = Vec::new();
    for number in 0..12 {
        all.push((
            format!("data\\a{number}.p3d"),
            padded(if number % 3 == 0 { &long } else { &short }, 120_000 + number),
        ));
        all.push((format!("data\\b{number}.p3d"), padded(&mlod::sound().to_vec(), 70_000 + number)));
        all.push((format!("data\\c{number}.rtm"), padded(&bmtr, 85_000 + number)));
    }
    for number in 0..6 {
        all.push((format!("fn_{number}.sqf"), b"private _x = 1;\n".repeat(40 + number)));
    }
    all
}

fn pbo(members: &[(String, Vec<u8>)]) -> Vec<u8> {
    let archive = Writer::new().product(&[(b"prefix", b"z\\remote")]);
    members.iter().fold(archive, |archive, (name, bytes)| archive.stored(name.as_bytes(), bytes)).finish(Tail::Sha1)
}

fn archives() -> [(&'static str, Vec<u8>); 4] {
    let members = assets();
    let entries: Vec<_> = members
        .iter()
        .enumerate()
        .map(|(index, (name, bytes))| match index % 2 {
            0 => Entry::stored(name.replace('\\', "/"), bytes),
            _ => Entry::deflated(name.replace('\\', "/"), bytes),
        })
        .collect();
    let inner = pbo(&members);
    let around = [("inner.pbo".to_owned(), inner.clone()), ("note.txt".to_owned(), b"hello\n".to_vec())];
    [
        ("mod.pbo", inner.clone()),
        ("models.zip", zip(&entries, b"").to_vec()),
        ("nested.pbo", pbo(&around)),
        ("nested.zip", zip(&[Entry::stored("addons/inner.pbo", &inner)], b"").to_vec()),
    ]
}

/// The end event of a stream.
fn end(output: &Output) -> Json {
    lines(output).into_iter().find(|line| line["event"] == "end").unwrap()
}

/// Scans each of these URLs and the same bytes in a file.
fn compare(command: &dyn Fn(&[&str]) -> Output, url: &dyn Fn(&str) -> String) {
    let folder = Folder::new("remote");
    for (name, bytes) in archives() {
        let file = folder.file(name, &bytes);
        for depth in ["header", "summary"] {
            let there = command(&["scan", "--events", "--depth", depth, &url(name)]);
            let here = run(&["scan", "--depth", depth, file.to_str().unwrap()]);
            assert_eq!(code(&there), 0, "{}", stderr(&there));
            assert_eq!(records(&there), records(&here), "{name} {depth}");
            let end = end(&there);
            let [requests, fetched, assets] = ["requests", "fetched", "assets"].map(|key| end[key].as_u64().unwrap());
            assert_eq!((end["present"].as_u64(), end["whole"].as_bool()), (Some(bytes.len() as u64), Some(true)));
            assert!(assets >= 36 && stderr(&there).contains(" requests for "), "{end} {}", stderr(&there));
            if depth == "header" {
                // A look at the end of a zip takes 64 KiB.
                let least = if name.ends_with(".zip") { 66_000 } else { 0 };
                assert!(fetched <= bytes.len() as u64 * 3 / 100 + least, "{name}: {end}");
                // The head, the beginning and the end of the file take three.
                assert!(requests as f64 <= assets as f64 * 1.2 + 3.0, "{name}: {end}");
            } else {
                assert!(fetched <= bytes.len() as u64 + 100_000 && requests <= 12, "{name}: {end}");
            }
        }
    }
}

#[test]
fn records_of_urls_are_those_of_files() {
    let server = Server::new(archives(), Fault::None);
    compare(&run, &|name| server.url(name));
    assert!(server.requests() > 0);
}

/// Members that fit within a limit one by one must not exceed it because they are fetched together.
#[test]
fn a_small_limit_makes_smaller_batches() {
    let (name, bytes) = &archives()[0];
    let folder = Folder::new("remote-limit");
    let file = folder.file(name, bytes);
    let server = Server::new(archives(), Fault::None);
    for limit in ["1M", "100k", "50k"] {
        let args = ["scan", "--events", "--depth", "header", "--max-decoded", limit];
        let [there, here] = [server.url(name), file.to_str().unwrap().to_owned()].map(|path| {
            let output = run(&[args.as_slice(), &[&path]].concat());
            assert_eq!(code(&output), 0, "{limit}: {}", stderr(&output));
            records(&output)
        });
        assert_eq!(there, here, "{limit}");
    }
}

/// A member that is too large for the memory has a record that says so, and those after it are read.
#[test]
fn a_member_larger_than_the_memory_is_reported() {
    let scene = crate::writer::b3d::sound().to_vec();
    let large = padded(&scene, 4 << 20);
    let members = [("a.b3d", scene.clone()), ("large.b3d", large), ("z.b3d", scene)];
    let bytes = pbo(&members.map(|(name, bytes)| (name.to_owned(), bytes)));
    let server = Server::new([("mod.pbo", bytes)], Fault::None);
    let output = run(&["scan", "--depth", "summary", "--max-decoded", "1M", &server.url("mod.pbo")]);
    let mut found = Vec::new();
    for line in lines(&output) {
        let Some(member) = line["member"].as_str() else { continue };
        found.push((member.to_owned(), line["problems"][0]["code"].as_str().unwrap_or("none").to_owned()));
    }
    // Records come in any order.
    found.sort();
    let expected = [("a.b3d", "none"), ("large.b3d", "limit.decoded_bytes"), ("z.b3d", "none")];
    assert_eq!(found, expected.map(|(member, code)| (member.to_owned(), code.to_owned())), "{}", stderr(&output));
}

/// A file that arrives in pieces is in memory once, beside the pieces in flight.
#[cfg(target_os = "linux")]
#[test]
fn a_large_file_takes_its_size_in_memory() {
    let mut bytes = b"BB3D\xf8\xff\xff\x05\x01\0\0\0".to_vec();
    bytes.resize(96 << 20, 0);
    let server = Server::new([("large.b3d", bytes)], Fault::None);
    let script = r#"ulimit -c 0; ulimit -d 225280 && exec "$@""#;
    let mut command = Command::new("sh");
    command.args(["-c", script, "sh"]).arg(program().get_program()).args(["scan", &server.url("large.b3d")]);
    let output = command.output().unwrap();
    assert_eq!((code(&output), lines(&output).len()), (0, 1), "{}", stderr(&output));
}

#[test]
fn verbs_take_addresses_of_urls() {
    let server = Server::new(archives(), Fault::None);
    let folder = Folder::new("remote-verbs");
    for (name, bytes) in archives() {
        folder.file(name, bytes);
    }
    let place = |name: &str| folder.0.join(name).to_str().unwrap().to_owned();
    for address in ["mod.pbo!/data/a1.p3d", "models.zip!/data/b3.p3d", "nested.pbo!/inner.pbo!/data\\c2.rtm"] {
        let both = |args: &[&str]| {
            let (url, file) = (server.url(address), place(address));
            let [there, here] = [url.as_str(), file.as_str()].map(|target| {
                let output = run(&[args, &[target]].concat());
                assert_eq!(code(&output), 0, "{args:?} {target}: {}", stderr(&output));
                stdout_without(&output, target)
            });
            assert!(there == here && !there.is_empty(), "{args:?} {address}: {there:.300} {here:.300}");
        };
        both(&["info"]);
        both(&["tree"]);
        both(&["hex"]);
        both(&["cat"]);
        both(&["scan", "--format", "csv"]);
    }
    for verb in [["verify", "--strict"].as_slice(), &["refs"]] {
        let there = run(&[verb, &[&server.url("mod.pbo")]].concat());
        let here = run(&[verb, &[&place("mod.pbo")]].concat());
        assert_eq!(code(&there), code(&here), "{}", stderr(&there));
        // JSON escapes the separators of Windows.
        let here = stdout(&here).replace(&place("").replace('\\', r"\\"), "").replace(&place(""), "");
        assert_eq!(stdout(&there).replace(&server.url(""), ""), here, "{verb:?}");
    }
}

fn stdout_without(output: &Output, target: &str) -> String {
    let file = target.split("!/").next().unwrap();
    String::from_utf8_lossy(&output.stdout).replace(file, "FILE")
}

#[test]
fn units_of_urls_are_the_whole_scan() {
    let server = Server::new(archives(), Fault::None);
    let url = server.url("mod.pbo");
    let plan = run(&["plan", "--unit", "512k", &url]);
    assert_eq!(code(&plan), 0, "{}", stderr(&plan));
    let folder = Folder::new("remote-units");
    let units = folder.file("units.ndjson", &plan.stdout);
    assert!(lines(&plan).iter().map(|unit| unit["unit"].as_u64().unwrap()).max().unwrap() > 3);
    // Some depths read an archive by ranges, others as a whole.
    for more in [&[][..], &["--depth", "header"], &["--digests"]] {
        let parts = run(&[&["scan", "--units-from", units.to_str().unwrap()], more].concat());
        assert_eq!(code(&parts), 0, "{more:?}: {}", stderr(&parts));
        assert_eq!(records(&parts), records(&run(&[&["scan", &url], more].concat())), "{more:?}");
    }
}

#[test]
fn unchanged_files_are_copied_and_caches_save_bytes() {
    let server = Server::new(archives(), Fault::None);
    let (url, folder) = (server.url("mod.pbo"), Folder::new("remote-since"));
    let old = run(&["scan", "--events", &url]);
    let file = folder.file("old.ndjson", &old.stdout);
    let again = run(&["scan", "--events", "--since", file.to_str().unwrap(), &url]);
    assert_eq!(records(&again), records(&old));
    let end_again = end(&again);
    assert_eq!((end_again["fetched"].as_u64(), end_again["requests"].as_u64()), (Some(0), Some(1)), "{end_again}");
    // Other bytes have another ETag or size.
    let other = Server::new([("mod.pbo", pbo(&assets()[1..]))], Fault::None);
    let changed = stdout(&old).replace(&server.url(""), &other.url(""));
    let file = folder.file("moved.ndjson", changed);
    let looked = run(&["scan", "--events", "--since", file.to_str().unwrap(), &other.url("mod.pbo")]);
    assert!(end(&looked)["fetched"].as_u64().unwrap() > 1_000_000);
    let cache = folder.0.join("cache");
    let cached = ["scan", "--events", "--cache", cache.to_str().unwrap(), &url];
    let [first, second] = [run(&cached), run(&cached)];
    assert_eq!(records(&first), records(&second));
    assert!(end(&first)["fetched"].as_u64().unwrap() > 1_000_000 && end(&second)["fetched"] == 0, "{}", end(&second));
    let small = ["scan", "--events", "--cache", cache.to_str().unwrap(), "--cache-size", "100k", &url];
    assert_eq!(records(&run(&small)), records(&first));
}

#[test]
fn faults_of_servers_are_errors_that_say_so() {
    for (fault, message) in [
        (Fault::Cut, "mod.pbo: "),
        (Fault::Broken, "500"),
        (Fault::Changing, "changed while it was read"),
        (Fault::ChangingQuietly, "changed while it was read"),
        (Fault::NoRanges, "does not send ranges"),
        (Fault::Longer, "models.zip"),
        (Fault::Short, "of the"),
        (Fault::Redirect, "a redirect to elsewhere.invalid, which is not followed"),
        (Fault::Gone, "no such file"),
    ] {
        let server = Server::new(archives(), fault);
        let begun = Instant::now();
        // The directory of a zip is at its end.
        let name = if fault == Fault::Longer { "models.zip" } else { "mod.pbo" };
        let output = run(&["scan", "--events", "--depth", "header", &server.url(name)]);
        let text = stderr(&output);
        println!("{fault:?}: {text}");
        assert!(begun.elapsed() < Duration::from_secs(60), "{fault:?}");
        assert!(text.contains(message), "{fault:?}: {text}");
        assert!(code(&output) != 0 && end(&output)["whole"] == false, "{fault:?}: {text}");
        assert!(server.requests() < 400, "{fault:?}: {}", server.requests());
    }
    // Small batches, so that many are read at once. What one of them finds ends the others.
    let server = Server::new(archives(), Fault::Later);
    let output = run(&["scan", "--events", "--depth", "header", "--max-decoded", "20k", &server.url("mod.pbo")]);
    assert!(code(&output) != 0 && end(&output)["whole"] == false, "{}", stderr(&output));
    assert!(server.requests() < 200, "{}", server.requests());
    assert!(stderr(&output).contains("500"), "{}", stderr(&output));
    let server = Server::new(archives(), Fault::Flaky);
    let output = run(&["scan", "--depth", "summary", &server.url("mod.pbo")]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
}

#[cfg(unix)]
#[test]
fn an_interrupt_does_not_wait_for_a_server() {
    let server = Server::new(archives(), Fault::Silent);
    let command = program()
        .args(["scan", "--events", "--depth", "header", &server.url("mod.pbo")])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while server.requests() < 2 {
        std::thread::sleep(Duration::from_millis(10));
    }
    let begun = Instant::now();
    assert!(Command::new("kill").args(["-INT", &command.id().to_string()]).status().unwrap().success());
    let output = command.wait_with_output().unwrap();
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    let events: Vec<_> = lines(&output).into_iter().map(|line| line["event"].clone()).collect();
    assert_eq!((code(&output), events), (130, vec!["interrupted".into(), "end".into()]));
}

/// A file that is named gets a record even if it is no asset, unlike one that is found in an archive.
#[test]
fn a_named_url_of_no_asset_has_a_record() {
    let members = [("readme.txt".to_owned(), b"text".to_vec()), ("a.b3d".to_owned(), b"text".to_vec())];
    let server = Server::new([("notes.txt", b"a note".to_vec()), ("mod.pbo", pbo(&members))], Fault::None);
    for depth in ["header", "summary", "verify"] {
        let output = match depth {
            "verify" => run(&["verify", "--format", "ndjson", &server.url("notes.txt"), &server.url("mod.pbo")]),
            _ => run(&["scan", "--depth", depth, &server.url("notes.txt"), &server.url("mod.pbo")]),
        };
        let mut found = Vec::new();
        for record in lines(&output) {
            let name = record["address"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
            let code = record["problems"][0]["code"].as_str().unwrap_or("none").to_owned();
            found.push((name, code));
        }
        found.sort();
        let expected = [("a.b3d", "other.text"), ("mod.pbo", "none"), ("notes.txt", "other.text")];
        assert_eq!(found, expected.map(|(name, code)| (name.to_owned(), code.to_owned())), "{depth}");
    }
}

#[test]
fn urls_without_a_file_are_errors() {
    let server = Server::new(archives(), Fault::None);
    for (url, message) in [
        (server.url("missing.pbo"), "no such file"),
        (server.url(""), "cannot be listed over HTTP"),
        (server.url("mod.pbo?sig=1"), "query"),
        ("http://192.0.2.1/x.pbo".to_owned(), "--allow-http"),
        ("s3://".to_owned(), "without a host or bucket"),
        ("s3://bucket".to_owned(), "a folder or bucket"),
    ] {
        let output = run(&["info", &url]);
        assert!(code(&output) == 2 && stderr(&output).contains(message), "{url}: {}", stderr(&output));
    }
    for verb in ["extract", "scan"] {
        let output = run(&[verb, &server.url("mod.pbo"), "-o", &server.url("new")]);
        assert!(code(&output) == 2 && stderr(&output).contains("this machine only"), "{}", stderr(&output));
    }
}

/// A server of S3, ended with the test.
struct S3 {
    child: Mutex<Child>,
    port: u16,
}

impl Drop for S3 {
    fn drop(&mut self) {
        let mut child = self.child.lock().unwrap();
        let _ = child.kill();
        let _ = child.wait();
    }
}

impl S3 {
    /// Installs the server with pip, once.
    fn new() -> Option<Self> {
        let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("moto");
        let server = folder.join("bin/moto_server");
        let quiet = |command: &mut Command| {
            command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
        };
        if !server.exists() {
            let pip = folder.join("bin/pip");
            let is_there = quiet(Command::new("python3").args(["-m", "venv"]).arg(&folder))
                && quiet(Command::new(&pip).args(["install", "-q", "moto[server]"]));
            if !is_there {
                return None;
            }
        }
        let port = TcpListener::bind("127.0.0.1:0").ok()?.local_addr().ok()?.port();
        let mut command = Command::new(server);
        command.args(["-H", "127.0.0.1", "-p", &port.to_string()]).stdout(Stdio::null()).stderr(Stdio::null());
        let s3 = Self { child: Mutex::new(command.spawn().ok()?), port };
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if begun.elapsed() > Duration::from_secs(60) {
                return None;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        Some(s3)
    }

    fn put(&self, path: &str, bytes: &[u8]) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let head = format!(
            "PUT /{path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\ncontent-length: {}\r\n\
             authorization: AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0\r\n\r\n",
            bytes.len(),
            path = path.replace(' ', "%20"),
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(bytes).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{path}: {answer}");
    }

    fn run(&self, args: &[&str]) -> Output {
        let endpoint = format!("http://127.0.0.1:{}", self.port);
        let variables = [
            ("AWS_ACCESS_KEY_ID", "a"),
            ("AWS_SECRET_ACCESS_KEY", "b"),
            ("AWS_REGION", "us-east-1"),
            ("AWS_ENDPOINT_URL", &endpoint),
            ("AWS_ALLOW_HTTP", "true"),
        ];
        program().envs(variables).args(args).output().unwrap()
    }
}

#[test]
fn buckets_are_scanned_as_folders() {
    let Some(s3) = S3::new() else {
        println!("skipped: no python3 with pip, or no moto");
        return;
    };
    s3.put("mods", b"");
    for (name, bytes) in archives() {
        s3.put(&format!("mods/pre/{name}"), &bytes);
    }
    s3.put("mods/other/a.b3d", b"BB3D\x04\0\0\0\x01\0\0\0");
    s3.put("mods/pre/sub/read me.txt", b"no asset");
    compare(&|args| s3.run(args), &|name| format!("s3://mods/pre/{name}"));
    let all = s3.run(&["scan", "--depth", "header", "--events", "s3://mods/pre"]);
    assert_eq!((code(&all), end(&all)["files"].as_u64()), (0, Some(5)), "{}", stderr(&all));
    assert!(lines(&all).iter().all(|line| !line["path"].as_str().is_some_and(|path| path.contains("other"))));
    let some = s3.run(&["scan", "--glob", "*.zip", "--no-archives", "s3://mods/"]);
    assert_eq!(lines(&some).len(), 2, "{}", stdout(&some));
    // Globs that exclude an archive exclude its members.
    let some = s3.run(&["scan", "--depth", "header", "--glob", "!*.zip", "s3://mods/pre"]);
    let is_in = |ending: &str| lines(&some).iter().any(|line| line["path"].as_str().unwrap().ends_with(ending));
    assert!(is_in(".pbo") && !is_in(".zip"), "{}", stdout(&some));
    // A second scan copies all records.
    let folder = Folder::new("remote-s3");
    let old = folder.file("old.ndjson", &all.stdout);
    let again = s3.run(&["scan", "--depth", "header", "--events", "--since", old.to_str().unwrap(), "s3://mods/pre"]);
    assert_eq!(records(&again), records(&all));
    // The text without records is looked at again.
    assert!(end(&again)["fetched"].as_u64().unwrap() <= 8, "{}", end(&again));
    let none = s3.run(&["scan", "s3://mods/nothing"]);
    assert!(code(&none) == 2 && stderr(&none).contains("no such file"), "{}", stderr(&none));
}
