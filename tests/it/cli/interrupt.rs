//! Ctrl-C, SIGTERM and SIGHUP.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use super::EVERYTHING;
use crate::support::program::{Folder, program};
use crate::writer::b3d;
use crate::writer::bytes::Bytes;
use crate::writer::pbo::{Tail, Writer};

fn interrupt(child: &Child) {
    signal(child, "-INT");
}

fn signal(child: &Child, signal: &str) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(20), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The status and the messages, once it has ended.
fn end(mut child: Child) -> (Option<i32>, String) {
    wait_until("the program ends", || child.try_wait().unwrap().is_some());
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    (child.wait().unwrap().code(), said)
}

fn names(folder: &Folder) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn scan_of_a_list() -> Command {
    let mut command = program();
    command.args(["scan", "--paths-from", "-"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[test]
fn an_interrupted_scan_writes_its_results() {
    let mut child = scan_of_a_list().spawn().unwrap();
    let mut list = child.stdin.take().unwrap();
    // While the list continues.
    let writer = std::thread::spawn(move || while list.write_all(b"corpus\n").is_ok() {});
    let mut records = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(records.next().is_some());
    interrupt(&child);
    for line in records {
        serde_json::from_str::<Json>(&line.unwrap()).unwrap();
    }
    let (status, said) = end(child);
    assert_eq!(status, Some(130));
    assert!(said.ends_with("meshpeek: interrupted\n"), "{said}");
    writer.join().unwrap();
}

#[test]
fn a_scan_that_waits_for_its_list_is_interrupted_too() {
    let mut child = scan_of_a_list().spawn().unwrap();
    let mut list = child.stdin.take().unwrap();
    writeln!(list, "{EVERYTHING}").unwrap();
    let mut records = BufReader::new(child.stdout.take().unwrap()).lines();
    // The first path is processed before the second is available.
    assert!(records.next().unwrap().unwrap().contains(EVERYTHING));
    interrupt(&child);
    assert!(records.next().is_none());
    assert_eq!(end(child).0, Some(130));
    drop(list);
}

/// A program that sends one path after another waits for the answer to each.
#[test]
fn the_event_of_a_path_comes_before_the_next_path_is_sent() {
    let mut child = scan_of_a_list().arg("--events").spawn().unwrap();
    let mut list = child.stdin.take().unwrap();
    let out = BufReader::new(child.stdout.take().unwrap());
    let (send, events) = std::sync::mpsc::channel();
    let reader = std::thread::spawn(move || out.lines().try_for_each(|line| send.send(line.unwrap())));
    for path in ["nowhere", EVERYTHING, "nowhere/else"] {
        writeln!(list, "{path}").unwrap();
        let mut event = String::new();
        while !event.contains(&format!("{path}\"")) {
            event = events.recv_timeout(Duration::from_secs(60)).unwrap();
        }
        assert_eq!(event.contains(r#""event":"vanished""#), path != EVERYTHING, "{event}");
    }
    drop(list);
    reader.join().unwrap().unwrap();
    assert_eq!(end(child).0, Some(1));
}

#[test]
fn an_interrupted_scan_leaves_the_file_to_write_as_it_was() {
    let folder = Folder::new("interrupt-output");
    let old = folder.file("index.ndjson", "old");
    let mut child = scan_of_a_list().args(["-o"]).arg(&old).spawn().unwrap();
    let mut list = child.stdin.take().unwrap();
    writeln!(list, "{EVERYTHING}").unwrap();
    // The new file exists, and has content.
    let begun = |name: &String| {
        name.starts_with(".meshpeek-") && std::fs::metadata(folder.0.join(name)).is_ok_and(|file| file.len() > 0)
    };
    wait_until("something is written", || names(&folder).iter().any(begun));
    interrupt(&child);
    let (status, said) = end(child);
    assert_eq!(status, Some(130));
    assert!(said.contains("interrupted; ") && said.contains("index.ndjson is left as it was"), "{said}");
    assert_eq!(std::fs::read(&old).unwrap(), b"old");
    assert_eq!(names(&folder), ["index.ndjson"]);
    drop(list);
}

#[test]
fn a_second_one_ends_at_once() {
    let mut child = scan_of_a_list().spawn().unwrap();
    let mut list = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || while list.write_all(b"corpus\n").is_ok() {});
    // Nobody reads, so writing a record soon blocks.
    let waiting = || rustix::io::ioctl_fionread(child.stdout.as_ref().unwrap()).unwrap();
    let mut before = 0;
    wait_until("the pipe is full", || {
        std::thread::sleep(Duration::from_millis(300));
        let now = waiting();
        std::mem::replace(&mut before, now) == now && now > 30_000
    });
    interrupt(&child);
    std::thread::sleep(Duration::from_millis(300));
    assert!(child.try_wait().unwrap().is_none());
    interrupt(&child);
    let (status, said) = end(child);
    assert_eq!((status, said.as_str()), (Some(130), "meshpeek: interrupted\n"));
    writer.join().unwrap();
}

#[test]
fn without_a_scan_the_first_signal_ends_the_program_and_removes_its_files() {
    for name in ["-INT", "-TERM", "-HUP"] {
        let folder = Folder::new("interrupt-fifo");
        let child = waiting_for_a_list(&folder, program());
        signal(&child, name);
        assert_eq!(end(child).0, Some(130), "{name}");
        assert_eq!(names(&folder), ["list"], "{name}");
    }
}

/// Starts a program that has a file to write, and waits for a list that nobody writes.
fn waiting_for_a_list(folder: &Folder, mut command: Command) -> Child {
    let fifo = folder.0.join("list");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    command.args(["scan", "--paths-from"]).arg(&fifo).arg("-o").arg(folder.0.join("out"));
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until("the new file is there", || names(folder).iter().any(|name| name.starts_with(".meshpeek-")));
    std::thread::sleep(Duration::from_millis(100));
    child
}

#[test]
fn a_scan_is_ended_by_other_signals_as_by_ctrl_c() {
    for name in ["-TERM", "-HUP"] {
        let folder = Folder::new("terminate-output");
        let old = folder.file("index.ndjson", "old");
        let mut child = scan_of_a_list().args(["-o"]).arg(&old).spawn().unwrap();
        let mut list = child.stdin.take().unwrap();
        writeln!(list, "{EVERYTHING}").unwrap();
        let begun = |name: &String| {
            name.starts_with(".meshpeek-") && std::fs::metadata(folder.0.join(name)).is_ok_and(|file| file.len() > 0)
        };
        wait_until("something is written", || names(&folder).iter().any(begun));
        signal(&child, name);
        let (status, said) = end(child);
        assert_eq!(status, Some(130), "{name}");
        assert!(said.contains("index.ndjson is left as it was"), "{said}");
        assert_eq!(names(&folder), ["index.ndjson"], "{name}");
        drop(list);
    }
}

/// As under `nohup`.
#[test]
fn a_signal_that_is_ignored_stays_ignored() {
    let folder = Folder::new("interrupt-ignored");
    let mut command = Command::new("sh");
    command.current_dir(crate::support::files::root()).args(["-c", "trap '' HUP; exec \"$@\"", "sh"]);
    command.arg(program().get_program());
    let mut child = waiting_for_a_list(&folder, command);
    signal(&child, "-HUP");
    std::thread::sleep(Duration::from_millis(300));
    assert!(child.try_wait().unwrap().is_none());
    signal(&child, "-TERM");
    assert_eq!(end(child).0, Some(130));
    assert_eq!(names(&folder), ["list"]);
}

/// A verb other than scan ends at the first signal, whatever it waits for.
#[test]
fn an_answer_about_many_files_ends_at_once() {
    let folder = Folder::new("interrupt-answers");
    let silent = folder.0.join("silent");
    assert!(Command::new("mkfifo").arg(&silent).status().unwrap().success());
    // Another process has it open, so a reader waits for ten seconds.
    let _open = std::fs::File::options().read(true).write(true).open(&silent).unwrap();
    for verb in ["refs", "dupes"] {
        let mut command = program();
        command.args([verb, "-o"]).arg(folder.0.join("out")).arg(&silent);
        let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        wait_until("the new file is there", || names(&folder).iter().any(|name| name.starts_with(".meshpeek-")));
        std::thread::sleep(Duration::from_millis(300));
        let start = Instant::now();
        interrupt(&child);
        assert_eq!(end(child).0, Some(130), "{verb}");
        assert!(start.elapsed() < Duration::from_secs(5), "{verb}: {:?}", start.elapsed());
        assert_eq!(names(&folder), ["silent"]);
    }
}

/// A scan waits for the bytes of standard input and of a pipe that was named, but not after a signal.
#[test]
fn a_scan_of_a_silent_pipe_ends_at_once() {
    for verb in ["scan", "verify"] {
        for (name, input) in [("-INT", "-"), ("-TERM", "-"), ("-INT", "silent")] {
            let folder = Folder::new("interrupt-silent");
            let silent = folder.0.join("silent");
            assert!(Command::new("mkfifo").arg(&silent).status().unwrap().success());
            let open = std::fs::File::options().read(true).write(true).open(&silent).unwrap();
            let mut command = program();
            command.arg(verb).arg("-o").arg(folder.0.join("out"));
            match input {
                "-" => command.arg("-").stdin(open.try_clone().unwrap()),
                _ => command.arg(&silent),
            };
            let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
            wait_until("the new file is there", || names(&folder).iter().any(|name| name.starts_with(".meshpeek-")));
            std::thread::sleep(Duration::from_millis(300));
            let start = Instant::now();
            signal(&child, name);
            let (status, said) = end(child);
            assert_eq!(status, Some(130), "{verb} {input}: {said}");
            assert!(start.elapsed() < Duration::from_secs(5), "{verb} {input}: {:?}", start.elapsed());
            assert!(said.contains("out is not written"), "{verb} {input}: {said}");
            assert_eq!(names(&folder), ["silent"], "{verb} {input}");
        }
    }
}

#[test]
fn an_interrupted_extraction_says_that_it_can_go_on() {
    let folder = Folder::new("interrupt-extract");
    let silent = folder.0.join("silent");
    assert!(Command::new("mkfifo").arg(&silent).status().unwrap().success());
    let _open = std::fs::File::options().read(true).write(true).open(&silent).unwrap();
    let mut command = program();
    command.arg("extract").arg(&silent).arg("-o").arg(folder.0.join("out"));
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until("the folder is there", || folder.0.join("out").exists());
    std::thread::sleep(Duration::from_millis(300));
    interrupt(&child);
    assert_eq!(end(child), (Some(130), "meshpeek: interrupted; the same command writes the rest\n".to_owned()));
}

#[cfg(feature = "parquet")]
#[test]
fn an_interrupted_scan_into_tables_leaves_no_empty_folder() {
    for is_there in [false, true] {
        let folder = Folder::new("interrupt-tables");
        let tables = folder.0.join("tables");
        if is_there {
            std::fs::create_dir(&tables).unwrap();
        }
        let mut child = scan_of_a_list().arg("-o").arg(folder.0.join("tables/")).spawn().unwrap();
        let list = child.stdin.take().unwrap();
        let has_begun = || tables.read_dir().is_ok_and(|mut files| files.next().is_some());
        wait_until("the tables are there", has_begun);
        std::thread::sleep(Duration::from_millis(300));
        interrupt(&child);
        assert_eq!(end(child).0, Some(130));
        assert_eq!(tables.exists(), is_there);
        drop(list);
    }
}

/// A member of an archive that decodes for seconds.
#[test]
fn a_scan_is_interrupted_inside_one_long_decode() {
    const BLOCKS: usize = 4_000_000;
    // A letter and seven matches of 18, then eight in each block.
    let matches = [1, 15].repeat(8);
    let stream = [&[1, b'a'][..], &matches[2..], &[&[0], &matches[..]].concat().repeat(BLOCKS)].concat();
    let size = (1 + 7 * 18 + BLOCKS * 8 * 18) as u32;
    let sum = size.wrapping_mul(b'a'.into());
    let stream = [&stream[..], &sum.to_le_bytes()].concat();
    let writer = Writer::new().product(&[]).entry(b"a.b3d", [0x4370_7273, size, 0, 0, stream.len() as u32], &stream);
    let folder = Folder::new("interrupt-decode");
    let archive = folder.file("a.pbo", writer.finish(Tail::Bytes(b"")));
    ends_soon(&folder, program().args(["scan", "--max-decoded", "1G"]).arg(archive), "a.pbo");
}

/// A scene of 24 million empty chunks.
#[test]
fn a_verification_is_interrupted_among_many_small_parts() {
    let folder = Folder::new("interrupt-parts");
    let scene = b3d::scene([Bytes::new().raw(b"NONE\0\0\0\0".repeat(24_000_000))]).to_vec();
    let scene = folder.file("a.b3d", scene);
    ends_soon(&folder, program().arg("verify").arg(scene), "a.b3d");
}

/// Long work on one file ends soon after the signal. Nothing but the file is left.
fn ends_soon(folder: &Folder, command: &mut Command, file: &str) {
    command.arg("-o").arg(folder.0.join("out"));
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until("the new file is there", || names(folder).iter().any(|name| name.starts_with(".meshpeek-")));
    std::thread::sleep(Duration::from_millis(200));
    assert!(child.try_wait().unwrap().is_none());
    let start = Instant::now();
    interrupt(&child);
    assert_eq!(end(child).0, Some(130));
    // About 20 ms, but machines are busy.
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    assert_eq!(names(folder), [file]);
}
