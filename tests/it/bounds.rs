//! Work that could grow as the product of two lists, or without limit, in verbs other than scan: each is bounded.

use std::io::Write;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use meshpeek::address::open_member;
use meshpeek::answers::refs::{self, MOST_TARGETS, State};
use meshpeek::container::Container;
use meshpeek::dissect::{dissect, dissect_until};
use meshpeek::scan::Scan;
use meshpeek::summary::Code;
use meshpeek::{Asset, Budget, Limits};
use serde_json::Value as Json;

use crate::memory::usage_of;
use crate::support::program::{Folder, code, lines, program, run, stderr, stdout};
use crate::writer::bytes::Bytes;
use crate::writer::pbo::{Tail, Writer};
use crate::writer::zip::{Entry, zip};
use crate::writer::{b3d, bmx};

/// A member with a name of this length, which refers to this many files.
pub fn name_times_references(name: usize, references: usize) -> Vec<u8> {
    let texture = |all: Bytes, index: usize| all.cstr(format!("{index}")).raw([0; 28]);
    let scene = b3d::scene([b3d::chunk(b"TEXS", (0..references).fold(Bytes::new(), texture))]).to_vec();
    zip(&[Entry::deflated([&vec![b'n'; name][..], b".b3d"].concat(), &scene)], b"").to_vec()
}

fn members(writer: Writer, count: usize) -> Vec<u8> {
    (0..count).fold(writer, |writer, index| writer.stored(format!("{index}").as_bytes(), b"")).finish(Tail::Bytes(b""))
}

/// An archive with this many members and a prefix of this length.
pub fn prefix_times_members(prefix: usize, count: usize) -> Vec<u8> {
    members(Writer::new().product(&[(b"prefix", &vec![b'p'; prefix])]), count)
}

/// An archive with this many members, as a member with a name of this length.
pub fn archive_name_times_members(name: usize, count: usize) -> Vec<u8> {
    let inner = members(Writer::new().product(&[]), count);
    zip(&[Entry::deflated([&vec![b'n'; name][..], b".pbo"].concat(), &inner)], b"").to_vec()
}

/// This many members with one name, and this many scenes that refer to it.
pub fn equal_names(count: usize) -> Vec<u8> {
    let scene = b3d::scene([b3d::textures(&[b3d::Texture { name: b"same", flags: 1, blend: 2 }])]).to_vec();
    let mut entries = vec![Entry::stored("same", b""); count];
    entries.extend((0..count).map(|index| Entry::deflated(format!("{index}.b3d"), &scene)));
    zip(&entries, b"").to_vec()
}

/// A map with an index of this many unnamed entries, all for one object.
pub fn index_of_entries(count: usize) -> Vec<u8> {
    let mut map = bmx::full(14).tables();
    let entry = |all: Bytes, _| all.u32(0).u8(0).raw([0; 8]);
    map[0].1 = (0..count).fold(Bytes::new().u32(14), entry);
    let entries: Vec<Entry> = map.iter().map(|(name, bytes)| Entry::deflated(name, &bytes.to_vec())).collect();
    zip(&entries, bmx::COMMENT).to_vec()
}

/// The CPU time of this thread, if the system provides it; the wall-clock time may be longer.
fn time_of<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let ticks = || {
        let stat = std::fs::read_to_string("/proc/thread-self/stat").ok()?;
        let mut numbers = stat.rsplit_once(") ")?.1.split(' ').skip(11);
        Some(numbers.next()?.parse::<u64>().ok()? + numbers.next()?.parse::<u64>().ok()?)
    };
    let (start, before) = (Instant::now(), ticks());
    let done = work();
    let time = before.zip(ticks()).map(|(before, after)| Duration::from_millis(10 * (after - before)));
    (done, time.unwrap_or(start.elapsed()))
}

/// The number of references in a scan of this file, on this thread.
fn references(folder: &Folder, name: &str, bytes: &[u8]) -> (u64, usize) {
    let mut scan = Scan::new([folder.file(name, bytes)]);
    scan.jobs = Some(1);
    let (mut count, mut most) = (0, 0);
    let each = |link: &refs::Link<'_>| {
        count += 1;
        let targets = link.targets().count();
        most = most.max(targets);
        assert_eq!(targets > 1, link.state == State::Ambiguous);
        ControlFlow::Continue(())
    };
    refs::resolve(&scan, &[], |_| {}).unwrap().each(each).unwrap();
    (count, most)
}

#[test]
fn references_take_memory_for_their_names_and_no_product() {
    let folder = Folder::new("products");
    let files = [
        ("name.zip", name_times_references(6_000, 5_000), 5_000),
        ("prefix.pbo", prefix_times_members(6_000, 5_000), 0),
        ("archive.zip", archive_name_times_members(3_000, 5_000), 0),
    ];
    for (name, bytes, expected) in files {
        let ((count, _), usage) = usage_of(|| references(&folder, name, &bytes));
        assert_eq!(count, expected, "{name}");
        // The product would be 15 MB or more.
        assert!(usage.peak < 8 << 20, "{name}: {usage:?}");
    }
    // In quadratic time, this would take minutes.
    let ((count, most), time) = time_of(|| references(&folder, "equal.zip", &equal_names(8_000)));
    assert_eq!((count, most), (8_000, MOST_TARGETS));
    assert!(time < Duration::from_secs(30), "{time:?}");
}

/// A model with a name of this length, and this many missing textures, beside a Lua text that gives another model its
/// textures.
pub fn name_times_missing_textures(name: usize, textures: usize) -> Vec<u8> {
    let texture = |all: Bytes, index: usize| all.cstr(format!("{index}")).raw([0; 28]);
    let scene = b3d::scene([b3d::chunk(b"TEXS", (0..textures).fold(Bytes::new(), texture))]).to_vec();
    let model = [b"models/", &vec![b'x'; name][..], b".b3d"].concat();
    let script = b"x = {mesh = \"other.b3d\", textures = {\"a.png\"}}\n";
    zip(&[Entry::deflated(model, &scene), Entry::stored("init.lua", script)], b"").to_vec()
}

#[test]
fn a_long_name_is_read_once_and_not_for_each_missing_texture() {
    let folder = Folder::new("long-name");
    let zip = name_times_missing_textures(59_000, 20_000);
    let ((count, _), time) = time_of(|| references(&folder, "long.zip", &zip));
    assert!(count >= 20_000, "{count}");
    // As the product of both numbers, this would take minutes.
    assert!(time < Duration::from_secs(15), "{time:?}");
}

/// Each reference may mean 100 files, and the address of each file has 30,000 letters.
#[test]
fn long_addresses_are_made_on_demand_and_bounded() {
    let folder = Folder::new("long-addresses");
    let inner = equal_names(300);
    let outer = zip(&[Entry::deflated([&[b'n'; 30_000][..], b".zip"].concat(), &inner)], b"").to_vec();
    let path = folder.file("long.zip", outer);
    let resolve = |asks: bool| {
        let mut scan = Scan::new([&path]);
        scan.jobs = Some(1);
        let links = refs::resolve(&scan, &[], |_| {}).unwrap();
        usage_of(|| {
            let (mut count, mut bytes) = (0, 0);
            let each = |link: &refs::Link<'_>| {
                assert_eq!((link.state, link.more), (State::Ambiguous, 200));
                count += 1;
                if asks {
                    bytes += link.targets().map(|target| target.text.len()).sum::<usize>();
                }
                ControlFlow::Continue(())
            };
            (links.each(each), count, bytes)
        })
    };
    let ((result, count, _), usage) = resolve(false);
    assert_eq!((result.is_ok(), count), (true, 300));
    // All addresses would be 0.9 GB. The folder of each asset with references is worked out once.
    assert!(usage.total < 20 << 20 && usage.peak < 1 << 20, "{usage:?}");
    let ((result, count, bytes), usage) = resolve(true);
    let error = result.unwrap_err();
    assert!(error.to_string().contains("bytes of addresses that references mean"), "{error}");
    assert_eq!(error.code(), Code::OutputLimit);
    // The file, a mebibyte for it and one more.
    let most = 48 * (path.metadata().unwrap().len() as usize + (2 << 20)) + (1 << 20);
    assert!((most - 31_000..=most).contains(&bytes) && count == most / 3_000_000 + 1, "{count} {bytes} {most}");
    assert!(usage.total < 4 * most as u64 && usage.peak < 16 << 20, "{usage:?}");

    // The program ends at the same limit, and only counts what it does not print.
    let path = path.to_str().unwrap();
    let output = run(["refs", path, "-q"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("--max-output raises it"), "{}", stderr(&output));
    let output = run(["refs", path, "--missing"]);
    assert_eq!((code(&output), output.stdout.len()), (0, 0), "{}", stderr(&output));
    assert!(stderr(&output).contains("300 ambiguous"), "{}", stderr(&output));
}

#[test]
fn an_ambiguous_reference_names_some_files_and_counts_the_rest() {
    let folder = Folder::new("equal");
    let path = folder.file("equal.zip", equal_names(130));
    let links = lines(&run(["refs", path.to_str().unwrap()]));
    assert_eq!(links.len(), 130);
    for link in &links {
        assert_eq!((&link["state"], &link["more"]), (&"ambiguous".into(), &30.into()));
        assert_eq!(link["targets"].as_array().unwrap().len(), MOST_TARGETS);
    }
    let table = stdout(&run(["refs", path.to_str().unwrap(), "--format", "table"]));
    assert_eq!(table.matches("and 30 more\n").count(), 130);
    let few = lines(&run(["refs", folder.file("few.zip", equal_names(2)).to_str().unwrap()]));
    assert!(few.iter().all(|link| link["more"].is_null() && link["targets"].as_array().unwrap().len() == 2));
}

#[test]
fn results_of_every_verb_count_and_end_at_the_limit() {
    let folder = Folder::new("results");
    let path = folder.file("name.zip", name_times_references(6_000, 5_000));
    let size = path.metadata().unwrap().len();
    let target = folder.0.join("links.ndjson");
    for format in ["ndjson", "csv"] {
        let output = run(["refs", path.to_str().unwrap(), "--max-output", "1", "--format", format]);
        assert_eq!(code(&output), 2, "{format}: {}", stderr(&output));
        assert!(stderr(&output).contains("--max-output raises it"), "{}", stderr(&output));
        assert!((output.stdout.len() as u64) < (3 << 20) + size, "{format}: {}", output.stdout.len());
    }
    let output = run(["refs", path.to_str().unwrap(), "--max-output", "1", "-o", target.to_str().unwrap()]);
    assert!(code(&output) == 2 && !target.exists());
    let output = run(["refs", path.to_str().unwrap(), "-o", target.to_str().unwrap()]);
    assert!(code(&output) == 1 && target.metadata().unwrap().len() > 30_000_000, "{}", stderr(&output));
    // For any verb. Messages of the program itself are always allowed.
    let large = folder.file("large.zip", zip(&[Entry::deflated("a.bin", &vec![0; 4 << 20])], b"").to_vec());
    let index = folder.file("index.bmx", index_of_entries(40_000));
    for verb in [&["tree", "--fields"][..], &["tree", "--fields", "--format", "ndjson"], &["info", "--json"]] {
        let output = run([verb, &[index.to_str().unwrap(), "--max-output", "0"]].concat());
        assert_eq!(code(&output), 2, "{verb:?}");
        assert!(stderr(&output).contains("--max-output") && output.stdout.len() < 2 << 20, "{}", output.stdout.len());
    }
    // Text counts like data. `info` cuts lists and names, so it stays below what is always allowed.
    let many = members(Writer::new().product(&[(b"prefix", &vec![1; 1 << 20])]), 40_000);
    let many = folder.file("many.pbo", many).to_str().unwrap().to_owned();
    let tree = run(["tree", &many]);
    assert!(code(&tree) == 0 && tree.stdout.len() > 3 << 20, "{}", tree.stdout.len());
    let tree = run(["tree", &many, "--max-output", "0"]);
    assert!(code(&tree) == 2 && stderr(&tree).contains("--max-output"), "{}", stderr(&tree));
    assert!(tree.stdout.len() < 2 << 20, "{}", tree.stdout.len());
    let info = run(["info", &many, "--max-output", "0"]);
    assert!(code(&info) == 0 && info.stdout.len() < 100 << 10, "{}", info.stdout.len());
    let cat = run(["cat", &format!("{}!/a.bin", large.display())]);
    assert_eq!((code(&cat), cat.stdout.len()), (0, 4 << 20));
    assert_eq!(code(&run(["schema", "--max-output", "0"])), 0);
}

/// Pictures count too, against the budget of their file.
#[test]
fn pictures_count_as_output() {
    let folder = Folder::new("picture-output");
    let model = b3d::scene([b3d::node("", [b3d::one_triangle()])]).to_vec();
    let input = folder.file("in/a.b3d", model);
    let (input, out) = (input.to_str().unwrap(), folder.0.join("out"));
    let scan = |more: &[&str]| {
        let output = run([&["scan", input, "--thumbnails", out.to_str().unwrap()], more].concat());
        (code(&output), lines(&output).len(), std::fs::read_dir(&out).unwrap().count())
    };
    assert_eq!(scan(&["--max-output", "0"]), (0, 1, 0));
    assert_eq!(scan(&[]), (0, 1, 1));
}

#[test]
fn a_long_list_in_a_few_bytes_is_shown_up_to_the_bound() {
    let bytes = index_of_entries(100_000);
    assert!(bytes.len() < 10_000, "{}", bytes.len());
    let asset = Asset::parse_with(&bytes, &Limits::default().with_work(1)).unwrap();
    let (mut lines, mut problems, mut at) = (0, Vec::new(), 0);
    dissect(&asset, bytes.len() as u64, &mut |line| {
        lines += 1;
        at = line.span.filter(|_| line.value.is_none()).map_or(at, |span| span.offset + span.bytes);
        problems.extend((line.name == "problem").then(|| line.note.clone()));
    });
    assert!((1_000..10_000).contains(&lines), "{lines}");
    assert!(problems.iter().any(|problem| problem.contains("bytes decoded and looked at")), "{problems:?}");
    assert_eq!(at, bytes.len() as u64);
    let mut lines = 0;
    dissect_until(&asset, bytes.len() as u64, &mut |_| {
        lines += 1;
        ControlFlow::Break(())
    });
    assert_eq!(lines, 1);
    // No verb hides that some are missing.
    let folder = Folder::new("index");
    let path = folder.file("index.bmx", &bytes);
    let tree = run(["tree", "--fields", path.to_str().unwrap(), "--max-work", "1"]);
    assert!(stdout(&tree).contains("--max-work"), "{}", stderr(&tree));
}

#[test]
fn a_suggestion_and_an_address_of_many_names_take_one_walk() {
    let name = |index: usize| format!("{index:05}{}", "n".repeat(200));
    let writer = (0..20_000).fold(Writer::new().product(&[]), |all, index| all.stored(name(index).as_bytes(), b""));
    let bytes = writer.finish(Tail::Bytes(b""));
    let asset = Asset::parse(&bytes).unwrap();
    let container = Container::of(&asset).unwrap();
    let wanted = format!("x{}", name(7)).into_bytes();
    let (nearest, time) = time_of(|| container.nearest(&wanted));
    assert_eq!(nearest.len(), 3);
    // All 20,000 together are 800 million steps.
    assert!(time < Duration::from_secs(6), "{time:?}");
    let seams = "a!/".repeat(20_000);
    let open = || {
        let budget = Budget::new(bytes.len() as u64, &Limits::default());
        open_member(std::path::Path::new("a.pbo"), &bytes, Some(seams.as_bytes()), &budget).map(drop)
    };
    let (missing, time) = time_of(open);
    assert!(missing.unwrap_err().to_string().starts_with("no member a"));
    assert!(time < Duration::from_secs(6), "{time:?}");
}

#[test]
fn an_address_matches_the_shortest_name_first() {
    let inner = Writer::new().product(&[]).stored(b"y", b"1").finish(Tail::Bytes(b""));
    let members: [(&[u8], &[u8]); 5] =
        [(b"x", &inner), (b"x!/y", b"2"), (b"b!/z#1", b"3"), (b"B!\\Z", b"4"), (b"b!/z", b"5")];
    let writer = members.iter().fold(Writer::new().product(&[]), |all, (name, data)| all.stored(name, data));
    let bytes = writer.finish(Tail::Bytes(b""));
    let content = |member: &str| {
        let budget = Budget::new(bytes.len() as u64, &Limits::default());
        let opened = open_member(std::path::Path::new("a.pbo"), &bytes, Some(member.as_bytes()), &budget);
        opened.and_then(|opened| Ok(String::from_utf8(opened.content?.to_vec()).unwrap()))
    };
    assert_eq!(content("x!/y").unwrap(), "1");
    assert_eq!(content("x!\\x2fy").unwrap(), "2");
    // The number of a second reference, which does not exist, may be part of a name.
    assert_eq!((content("b!/z#1").unwrap(), content("b!/z").unwrap()), ("3".to_owned(), "5".to_owned()));
    assert!(content("x!/z").is_err());
}

/// A folder with an archive, the lines of its stream, and the result of a scan that continues from other lines.
struct Stream {
    folder: Folder,
    lines: Vec<String>,
}

impl Stream {
    fn new(name: &str, members: usize) -> Self {
        let folder = Folder::new(name);
        let scene = b3d::sound().to_vec();
        let entries: Vec<Entry> = (0..members).map(|index| Entry::stored(format!("{index:04}.b3d"), &scene)).collect();
        folder.file("in/a.zip", zip(&entries, b"").to_vec());
        let mut stream = Self { folder, lines: Vec::new() };
        stream.lines = stdout(&stream.scan(&[])).lines().map(str::to_owned).collect();
        assert_eq!(stream.lines.len(), members + 2);
        stream
    }

    fn scan(&self, more: &[&str]) -> std::process::Output {
        let input = self.folder.0.join("in");
        run([&["scan", "-q", "--events", "--sort", "path", input.to_str().unwrap()], more].concat())
    }

    /// The messages for these lines. The records are those of a fresh scan.
    fn messages_since(&self, lines: &[String]) -> String {
        let old = self.folder.file("old.ndjson", lines.join("\n") + "\n");
        let output = self.scan(&["--since", old.to_str().unwrap()]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert_eq!(stdout(&output).lines().collect::<Vec<_>>(), self.lines);
        stderr(&output)
    }
}

#[test]
fn an_old_stream_is_a_claim() {
    let stream = Stream::new("claims", 5);
    assert_eq!(stream.messages_since(&stream.lines), "");
    let with = |change: &dyn Fn(&mut Vec<String>)| {
        let mut lines = stream.lines.clone();
        change(&mut lines);
        stream.messages_since(&lines)
    };
    let said = with(&|lines| lines[2] = "\0".repeat(lines[2].len()));
    assert!(said.contains("old.ndjson: line 3 cannot be read") && said.contains("looked at anew"), "{said}");
    let said = with(&|lines| lines[1] = lines[1].replace("\"counts\":{", "\"counts\":{\"x\":\"many\","));
    assert!(said.contains("line 2 cannot be read"), "{said}");
    let said = with(&|lines| lines[3] = lines[3].replace("\"format\":\"b3d\"", "\"format\":\"b4d\""));
    assert!(said.contains("line 4 cannot be read: neither a record nor an event"), "{said}");
    let said = with(&|lines| {
        lines[1].truncate(9);
        lines[2].clear();
    });
    assert!(said.contains("nor can 1 further ones"), "{said}");
    let said = with(&|lines| drop(lines.remove(3)));
    assert!(said.contains("has 5 records and says otherwise"), "{said}");
    // Bytes that are not text, in a place where no numbers are parsed.
    let (start, end) = stream.lines[1].split_at(stream.lines[1].len() - 1);
    let line = [start.as_bytes(), b",\"more\":\"\xff\"", end.as_bytes(), b"\n"].concat();
    let rest = stream.lines[2..].join("\n") + "\n";
    let old = stream.folder.file("old.ndjson", [stream.lines[0].as_bytes(), b"\n", &line, rest.as_bytes()].concat());
    let output = stream.scan(&["--since", old.to_str().unwrap()]);
    assert!(output.stdout.is_ascii() && stderr(&output).contains("line 2 cannot be read"), "{}", stderr(&output));
}

/// The stream can be read by another program.
#[cfg(unix)]
#[test]
fn a_stream_that_is_cut_while_it_is_read_is_whole_again() {
    let stream = Stream::new("tee", 1_500);
    let (input, old) = (stream.folder.0.join("in"), stream.folder.0.join("s.ndjson"));
    let whole = stream.lines.join("\n") + "\n";
    assert!(whole.len() > 400_000, "{}", whole.len());
    std::fs::write(&old, &whole).unwrap();
    for round in 0..if crate::support::files::full() { 100 } else { 8 } {
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", "\"$0\" scan -q --events --since \"$2\" \"$1\" --sort path | tee \"$2\" | tail -n 1"]);
        let output = shell.arg(env!("CARGO_BIN_EXE_meshpeek")).args([&input, &old]).output().unwrap();
        let written = std::fs::read(&old).unwrap();
        assert!(!written.contains(&0), "round {round}: {}", stderr(&output));
        let is_whole = String::from_utf8(written).unwrap() == whole;
        assert!(is_whole && stdout(&output).contains("\"whole\":true"), "round {round}: {}", stderr(&output));
    }
}

#[test]
fn the_numbers_of_a_unit_are_claims() {
    let folder = Folder::new("unit-claims");
    let scene = b3d::sound().to_vec();
    let entries: Vec<Entry> = (0..3_000).map(|index| Entry::stored(format!("{index}"), &scene[..12])).collect();
    let archive = folder.file("a.zip", zip(&entries, b"").to_vec());
    let loose = folder.file("a.b3d", &scene);
    let scan = |path: &std::path::Path, first: u64, last: u64, bytes: u64, more: &[&str]| {
        let unit = serde_json::json!({ "unit": 0, "path": path, "first": first, "last": last, "bytes": bytes });
        let list = folder.file("units", unit.to_string());
        run([&["scan", "--units-from", list.to_str().unwrap()], more].concat())
    };
    // Its limit is that of the archive.
    let output = scan(&archive, 1, 2_999, u64::MAX, &["--max-output", "1"]);
    assert!(stderr(&output).contains("--max-output") && code(&output) != 0, "{}", stderr(&output));
    assert!(lines(&output).len() < 2_000);
    let output = scan(&archive, 1, 2_999, u64::MAX, &[]);
    assert_eq!((code(&output), lines(&output).len()), (0, 2_999));
    for (path, first, last, reason) in [
        (&loose, 1, 2, "no archive, though a unit begins with its member 1"),
        (&archive, 2_990, 3_000, "its members end before 3000"),
        (&archive, 9_000, u64::MAX, "its members end before 9000"),
    ] {
        let output = scan(path, first, last, 9, &[]);
        assert!(code(&output) != 0 && stderr(&output).contains(reason), "{}", stderr(&output));
    }
}

#[test]
fn a_list_of_one_endless_line_ends() {
    let folder = Folder::new("endless");
    for flag in ["--paths-from", "--units-from"] {
        let mut scan = program();
        scan.args(["scan", flag, "-"]).stdin(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        let mut scan = scan.stdout(std::process::Stdio::null()).spawn().unwrap();
        let mut list = scan.stdin.take().unwrap();
        // Until the reader stops.
        let written = (0..1_000).take_while(|_| list.write_all(&[b'x'; 1 << 16]).is_ok()).count();
        drop(list);
        let output = scan.wait_with_output().unwrap();
        assert!(written < 1_000 && stderr(&output).contains("a line of more than"), "{written} {}", stderr(&output));
    }
    let long = folder.file("list", format!("{}\ncorpus/b3d\n", "x".repeat(100_000)));
    let output = run(["scan", "--paths-from", long.to_str().unwrap()]);
    assert!(lines(&output).iter().any(|line: &Json| line["format"] == "b3d"));
}
