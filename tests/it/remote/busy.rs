//! Servers that refuse requests for a while or altogether, and how many bytes are read of what they have.

use std::net::TcpListener;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::server::{Fault, Server};
use super::{end, padded, pbo, records, run};
use crate::support::program::{Folder, code, lines, program, stderr};
use crate::writer::{b3d, mlod, zip};

/// The names of files of a server.
const NAMES: [&str; 12] =
    ["0.b3d", "1.b3d", "2.b3d", "3.b3d", "4.b3d", "5.b3d", "6.b3d", "7.b3d", "8.b3d", "9.b3d", "10.b3d", "late.b3d"];

fn scenes(fault: Fault) -> Server {
    Server::new(NAMES.map(|name| (name, b3d::sound().to_vec())), fault)
}

#[test]
fn files_are_read_after_a_store_refused_everything_for_6_seconds() {
    let server = scenes(Fault::SlowDown(Instant::now() + Duration::from_secs(6)));
    let mut args = vec!["scan".to_owned(), "--events".to_owned()];
    args.extend(NAMES.map(|name| server.url(name)));
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let begun = Instant::now();
    let output = run(&args);
    let end = end(&output);
    assert_eq!((code(&output), end["assets"].as_u64(), end["whole"].as_bool()), (0, Some(12), Some(true)), "{end}");
    assert!(stderr(&output).contains("it answers 503"), "{}", stderr(&output));
    assert!((5..20).contains(&begun.elapsed().as_secs()), "{:?}", begun.elapsed());
    assert!(server.requests() < 400, "{}", server.requests());
}

#[test]
fn a_store_that_refuses_everything_is_given_up_after_20_seconds() {
    let server = scenes(Fault::SlowDown(Instant::now() + Duration::from_secs(600)));
    let begun = Instant::now();
    let output = run(&["scan", "--events", &server.url("0.b3d"), &server.url("1.b3d"), &server.url("2.b3d")]);
    assert!((19..40).contains(&begun.elapsed().as_secs()), "{:?}", begun.elapsed());
    let text = stderr(&output);
    assert_eq!(text.matches("the server answered 503").count(), 3, "{text}");
    assert!(text.contains("for 20 s") && end(&output)["whole"] == false, "{text}");
}

#[test]
fn a_file_that_failed_is_read_again_at_the_end() {
    let server = scenes(Fault::Late(Instant::now() + Duration::from_millis(2_500)));
    let mut args = vec!["scan".to_owned(), "--events".to_owned(), "--requests".to_owned(), "1".to_owned()];
    args.push(server.url("late.b3d"));
    for _ in 0..4 {
        args.extend(NAMES[..11].iter().map(|name| server.url(name)));
    }
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let output = run(&args);
    let records = lines(&output);
    let is_late = |line: &&serde_json::Value| line["path"].as_str().is_some_and(|path| path.ends_with("late.b3d"));
    let late: Vec<_> = records.iter().filter(is_late).collect();
    assert_eq!((code(&output), late.len()), (0, 1), "{late:?} {}", stderr(&output));
    assert_eq!(late[0]["format"], "b3d");
    // Files that are missing are not asked for again.
    let before = server.requests();
    let output = run(&["scan", "--events", &server.url("none.b3d"), &server.url("0.b3d")]);
    assert!(code(&output) != 0 && stderr(&output).contains("no such file"), "{}", stderr(&output));
    assert_eq!(server.requests() - before, 3);
}

/// The models of a zip take their bytes, and large files whose names promise no asset the first ones alone.
#[test]
fn large_members_that_are_no_assets_are_not_read() {
    let model = padded(&mlod::sound().to_vec(), 60_000);
    let sound = padded(b"OggS", 1_500_000);
    let text = b"a line of text, again and again, with the number ".repeat(8_000);
    let mut stored = Vec::new();
    let mut deflated = Vec::new();
    let mut members = Vec::new();
    for number in 0..5 {
        let names = [("m", "p3d"), ("s", "ogg"), ("t", "txt")].map(|(name, ending)| format!("{name}{number}.{ending}"));
        for (name, bytes) in names.into_iter().zip([&model, &sound, &text]) {
            stored.push(zip::Entry::stored(&name, bytes));
            deflated.push(zip::Entry::deflated(&name, bytes));
            members.push((name, bytes.clone()));
        }
    }
    let archives = [
        ("stored.zip", zip::zip(&stored, b"").to_vec()),
        ("deflated.zip", zip::zip(&deflated, b"").to_vec()),
        ("mod.pbo", pbo(&members)),
    ];
    let folder = Folder::new("remote-large-members");
    let server = Server::new(archives.clone(), Fault::None);
    let models = 5 * model.len() as u64;
    for (name, bytes) in archives {
        let before = server.sent.load(Ordering::Relaxed);
        let there = run(&["scan", &server.url(name)]);
        let sent = server.sent.load(Ordering::Relaxed) - before;
        println!("{name}: {sent} of {} bytes", bytes.len());
        assert!(sent < models + 150_000, "{name}: {sent} of {}", bytes.len());
        let here = run(&["scan", folder.file(name, &bytes).to_str().unwrap()]);
        assert_eq!(records(&there), records(&here), "{name}");
        assert_eq!(records(&there).len(), 6, "{name}");
    }
}

fn scan_bucket(endpoint: &str, variables: &[(&str, &str)]) -> std::process::Output {
    let mut command = program();
    command.env_remove("AWS_ALLOW_HTTP").env("AWS_REGION", "us-east-1").env("AWS_ENDPOINT_URL", endpoint);
    command.envs(variables.iter().copied()).args(["scan", "s3://mods/0.b3d"]).output().unwrap()
}

#[test]
fn endpoints_of_this_machine_need_no_permission() {
    let keys = [("AWS_ACCESS_KEY_ID", "a"), ("AWS_SECRET_ACCESS_KEY", "b")];
    let server = Server::new([("mods/0.b3d", b3d::sound().to_vec())], Fault::None);
    let output = scan_bucket(&format!("http://{}", server.address), &keys);
    assert_eq!((code(&output), lines(&output).len()), (0, 1), "{}", stderr(&output));
    // Not even a proxy hears of it.
    let proxied = [keys[0], keys[1], ("http_proxy", "http://192.0.2.1:9")];
    let output = scan_bucket(&format!("http://{}", server.address), &proxied);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let output = scan_bucket("http://192.0.2.1", &keys);
    let text = stderr(&output);
    assert!(code(&output) == 2 && text.contains("AWS_ENDPOINT_URL is http:// to another machine"), "{text}");
    assert!(text.contains("--allow-http"), "{text}");
}

#[test]
fn messages_of_stores_have_the_cause_first_and_no_xml() {
    let server = Server::new([], Fault::Forbidden);
    let endpoint = format!("http://{}", server.address);
    let output = scan_bucket(&endpoint, &[("AWS_ACCESS_KEY_ID", "a"), ("AWS_SECRET_ACCESS_KEY", "b")]);
    let text = stderr(&output);
    // A request for the headers alone has no text.
    assert!(text.contains("s3://mods/0.b3d: the server answered 403 Forbidden"), "{text}");
    let list = |variables: &[(&str, &str)]| {
        let mut command = program();
        command.env("AWS_REGION", "us-east-1").env("AWS_ENDPOINT_URL", &endpoint).envs(variables.iter().copied());
        stderr(&command.args(["scan", "s3://mods/"]).output().unwrap())
    };
    let text = list(&[("AWS_ACCESS_KEY_ID", "a"), ("AWS_SECRET_ACCESS_KEY", "b")]);
    let expected = "the server answered 403 Forbidden: InvalidAccessKeyId: The AWS Access Key Id you provided does not \
                    exist in our records.";
    assert!(text.contains(expected) && !text.contains('<'), "{text}");
    // Where the machine's cloud has none, either.
    for metadata in [endpoint.clone(), closed()] {
        let text = list(&[("AWS_METADATA_ENDPOINT", &metadata)]);
        assert!(text.contains("s3://mods/: no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"), "{text}");
    }
    // A store that is not there.
    let output = run(&["scan", &format!("{}/x.b3d", closed())]);
    let text = stderr(&output);
    assert!(text.contains("/x.b3d: Connection refused"), "{text}");
}

/// The URL of a port that accepts no connections.
fn closed() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}
