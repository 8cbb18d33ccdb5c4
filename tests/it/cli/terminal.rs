//! The output on a terminal.

use meshpeek::view::ByteStr;
use serde_json::Value as Json;
use unicode_width::UnicodeWidthStr;

use super::EVERYTHING;
use crate::support::program::{Folder, lines, program, stdout};
use crate::support::pty::{stderr_on_terminal, stdout_on_terminal};
use crate::writer;
use crate::writer::b3d;
use crate::writer::bytes::Bytes;
use crate::writer::pbo::{Tail, Writer};
use crate::writer::zip::{Entry, zip};

fn table(arguments: &[&str], columns: u16) -> String {
    let mut command = program();
    command.arg("scan").args(arguments).args(["--color", "never"]);
    stdout_on_terminal(command, columns)
}

fn grouped(number: &Json) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits.as_bytes().rchunks(3).rev().map(|g| std::str::from_utf8(g).unwrap()).collect();
    groups.join(",")
}

fn shown(text: &str) -> String {
    ByteStr::from(text).to_string()
}

/// The table's output for a record: the heading above it, with folders as headings and without; its name in both cases;
/// and its other words.
struct Expected {
    headings: [String; 2],
    names: [String; 2],
    words: Vec<String>,
}

fn split(path: &str) -> (String, String) {
    let end = path.rfind('/').map_or(0, |at| at + 1);
    (path[..end].to_owned(), path[end..].to_owned())
}

/// By the record and the words after its name in a table of maximum width.
fn entry(record: &Json, row: &str, problem: Option<&str>) -> Expected {
    let path = shown(record["path"].as_str().unwrap());
    let (headings, names) = match record["member"].as_str().map(shown) {
        None => {
            let (folder, name) = split(&path);
            ([String::new(), folder], [path, name])
        }
        Some(member) => {
            let (inner, name) = member.rsplit_once("!/").map_or(("", &*member), |(inner, name)| (inner, name));
            let heading = if inner.is_empty() { format!("{path}!/") } else { format!("{path}!/{inner}!/") };
            ([heading.clone(), heading], [name.to_owned(), name.to_owned()])
        }
    };
    let rest = row.trim_start().strip_prefix(&names[0]).unwrap_or_else(|| panic!("{} in {row}", names[0]));
    let cells: Vec<&str> = rest.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
    let version = record["version"].as_u64().map(|version| format!(" {version}")).unwrap_or_default();
    assert_eq!(cells[0], record["format"].as_str().unwrap_or("-").to_owned() + &version, "{row}");
    assert_eq!(cells[1], grouped(&record["bytes"]), "{row}");
    let known = record["counts"].as_object().unwrap().values().filter(|count| count.as_u64() > Some(0));
    let numbers: Vec<String> = known.map(grouped).collect();
    let counts = cells.get(2).map(|cell| cell.split(", ").collect::<Vec<_>>()).unwrap_or_default();
    assert!(counts.iter().map(|count| count.split(' ').next().unwrap()).eq(&numbers), "{row}");
    let problems = record["problems"].as_array().unwrap();
    let rank = |problem: &&Json| problem["severity"] == "error";
    match problems.iter().find(rank).or(problems.first()) {
        None => assert_eq!(problem, None, "{row}"),
        Some(worst) => {
            let more = if problems.len() > 1 { format!(" ({} more)", problems.len() - 1) } else { String::new() };
            let message = shown(worst["message"].as_str().unwrap());
            let expected = format!("{}: {message}{more}", worst["severity"].as_str().unwrap());
            assert_eq!(problem.map(str::trim), Some(&*expected), "{row}");
        }
    }
    let words = words(rest).chain(problem.into_iter().flat_map(words));
    Expected { headings, names, words: words.map(str::to_owned).collect() }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace()
}

#[test]
fn a_table_keeps_every_word_at_every_width() {
    let mut folders = vec!["corpus"];
    if crate::support::files::outside().is_some_and(|folder| folder.ends_with("../shared/corpus")) {
        // Of these, only the order of paths is tested here.
        folders.insert(0, "../shared/corpus");
    }
    let records = lines(&program().arg("scan").args(&folders).args(["--sort", "path"]).output().unwrap());
    let mut wide = program();
    wide.arg("scan").args(&folders).args(["--format", "table"]).env("COLUMNS", "100000");
    let wide = stdout(&wide.output().unwrap());
    let mut rows = wide.lines().skip(1).peekable();
    let mut heading = String::new();
    let mut entries = Vec::new();
    for record in &records {
        let has_problem = !record["problems"].as_array().unwrap().is_empty();
        let member_heading = record["member"].is_string() && *rows.peek().unwrap() != heading;
        if member_heading && rows.peek().unwrap().ends_with("!/") {
            heading = rows.next().unwrap().to_owned();
        }
        let row = rows.next().unwrap();
        let entry = entry(record, row, has_problem.then(|| rows.next().unwrap()));
        assert!(entry.headings[0].is_empty() || entry.headings[0] == heading, "{heading}: {row}");
        entries.push(entry);
    }
    assert_eq!(rows.next(), None);
    for columns in [40, 60, 80, 100, 140] {
        let text = table(&folders, columns);
        // Whole paths, or folders as headings.
        let expected = [0, 1].map(|way| {
            let mut heading = "";
            let mut expected: Vec<&str> = words(text.lines().next().unwrap()).collect();
            assert_eq!(expected[..3], ["file", "format", "bytes"]);
            for entry in &entries {
                if entry.headings[way] != heading {
                    heading = &entry.headings[way];
                    expected.extend(words(heading));
                }
                expected.extend(words(&entry.names[way]));
                expected.extend(entry.words.iter().map(String::as_str));
            }
            expected
        });
        let printed: Vec<&str> = words(&text).collect();
        assert!(expected.contains(&printed), "{columns}: {text}");
        let names: Vec<&String> = entries.iter().flat_map(|entry| entry.names.iter().chain(&entry.headings)).collect();
        for line in text.lines().filter(|line| line.width() > usize::from(columns)) {
            assert!(!line.trim().contains(' ') || names.iter().any(|name| *name == line.trim()), "{columns}: {line}");
        }
    }
}

#[test]
fn members_have_a_heading_with_their_archive() {
    let folder = Folder::new("members");
    let scene = writer::b3d::scene([]).to_vec();
    let name = "data\\a rather long folder of a mod\\and one more\\model.b3d";
    let inner = zip(&[Entry::stored(name, &scene)], b"").to_vec();
    let path = folder.file("a long name of a folder/@A Mod/addons/pack of mods.zip", {
        zip(&[Entry::stored("inner.zip", &inner), Entry::stored("loose.b3d", &scene)], b"").to_vec()
    });
    for columns in [80, 120] {
        let text = table(&[path.to_str().unwrap()], columns);
        let lines: Vec<&str> = text.lines().collect();
        let at = |line: &str| lines.iter().position(|it| *it == line).unwrap_or_else(|| panic!("{line}: {text}"));
        let heading = at(&format!("{}!/inner.zip!/", path.display()));
        // Each is one line, so that each can be copied.
        assert!(lines[heading + 1].trim_start().starts_with(name), "{text}");
        let outer = format!("{}!/", path.display());
        assert!(at(&outer) < heading, "{text}");
        assert!(lines.iter().any(|line| line.starts_with("  loose.b3d  ")), "{text}");
    }
}

/// Lines of at most 80 columns, except for single words, with the same words as in a pipe.
fn keeps_words(arguments: &[&str]) {
    let pipe = stdout(&program().args(arguments).output().unwrap());
    let mut command = program();
    command.args(arguments).args(["--color", "never"]);
    let text = stdout_on_terminal(command, 80);
    assert!(!pipe.is_empty(), "{arguments:?}");
    assert!(words(&text).eq(words(&pipe)), "{arguments:?}: {text}");
    for line in text.lines().filter(|line| line.width() > 80) {
        let place = line.trim_start();
        assert!(!place.contains(' ') || pipe.lines().any(|whole| whole.trim() == place), "{arguments:?}: {line}");
    }
}

#[test]
fn no_verb_breaks_a_word_or_drops_a_value_in_80_columns() {
    let mut files = vec!["corpus/b3d/everything.b3d", "corpus/odol/v52_lzo.p3d", "corpus/pbo/addon.pbo"];
    if crate::support::files::outside().is_some_and(|folder| folder.ends_with("../shared/corpus")) {
        files.extend([
            "../shared/corpus/odol/dog.p3d",
            "../shared/corpus/b3d/dwarf2.b3d",
            "../shared/corpus/pbo/ace_ai.pbo",
        ]);
    }
    for file in files {
        for verb in [&["info"][..], &["tree"], &["tree", "--fields"], &["dump"], &["dupes", "corpus/zip"]] {
            keeps_words(&[verb, &[file]].concat());
        }
        // Bytes and words are combined in a pipe too.
        let mut hex = program();
        hex.args(["hex", file]).env("COLUMNS", "80");
        let pipe = stdout(&hex.output().unwrap());
        let mut hex = program();
        hex.args(["hex", file, "--color", "never"]);
        assert_eq!(stdout_on_terminal(hex, 80), pipe, "{file}");
        for line in pipe.lines() {
            assert!(line.width() <= 80 && !line.contains('…'), "{file}: {line}");
        }
    }
    keeps_words(&["refs", "--format", "table", "corpus/b3d", "corpus/odol"]);
    keeps_words(&["schema", "odol"]);
}

/// The text next to the bytes.
fn descriptions(hex: &str, column: usize) -> Vec<&str> {
    let lines = hex.lines().filter(|line| line.len() > 10 && !line.contains("more bytes; --range"));
    let beside = lines.filter_map(|line| {
        let below = line.starts_with(&" ".repeat(10)) && !line.starts_with(&" ".repeat(column));
        if below { line.get(10..) } else { line.get(column..).filter(|_| line.as_bytes()[8] == b' ') }
    });
    beside.flat_map(words).collect()
}

#[test]
fn hex_drops_no_value_at_any_width() {
    for file in ["corpus/odol/v52_lzo.p3d", "corpus/lodka/everything.lod", "corpus/bmx/full.bmx"] {
        let hex = |columns: &str| stdout(&program().args(["hex", file]).env("COLUMNS", columns).output().unwrap());
        let wide = hex("100000");
        let all = descriptions(&wide, 77);
        assert!(all.len() > 100, "{wide}");
        for columns in ["80", "100"] {
            let narrow = hex(columns);
            assert_eq!(descriptions(&narrow, 47), all, "{narrow}");
        }
        assert_eq!(descriptions(&hex("120"), 77), all);
    }
}

#[test]
fn large_and_small_numbers_are_short() {
    for verb in [&["tree", "--fields"][..], &["hex"]] {
        let output = program().args(verb).arg("corpus/odol/v52_lzo.p3d").env("COLUMNS", "200").output().unwrap();
        let text = stdout(&output);
        assert!(text.contains("3.4028235e38"), "{text}");
        assert!(!text.contains("0000000000000000000"), "{text}");
    }
    let model = |x: f32| {
        let corners = Bytes::new().u32(0).u32(0).u32(0).f32s([x, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
        b3d::scene([b3d::node("", [b3d::mesh(-1, [b3d::chunk(b"VRTS", corners)])])]).to_vec()
    };
    let folder = Folder::new("short-numbers");
    let (a, b) = (folder.file("a.b3d", model(f32::MAX)), folder.file("b.b3d", model(1e-30)));
    let text = stdout(&program().arg("diff").args([a, b]).output().unwrap());
    assert!(text.contains("x 3.4028235e38 -> 1e-30"), "{text}");
}

#[test]
fn verify_names_each_file_once_on_a_terminal_and_in_order() {
    let records =
        lines(&program().args(["verify", "corpus", "--format", "ndjson", "--sort", "path"]).output().unwrap());
    // What an archive says of its members is not said again.
    let mut said = std::collections::HashSet::new();
    let mut records = records;
    for record in &mut records {
        let path = record["path"].to_string();
        let is_archive = record["format"] == "zip" || record["format"] == "pbo";
        let is_member = !record["member"].is_null();
        let problems = record["problems"].as_array_mut().unwrap();
        problems.retain(|problem| !is_member || !said.contains(&(path.clone(), problem["message"].to_string())));
        if is_archive {
            said.extend(problems.iter().map(|problem| (path.clone(), problem["message"].to_string())));
        }
    }
    let with_problems = records.iter().filter(|record| !record["problems"].as_array().unwrap().is_empty());
    let places: Vec<String> = with_problems
        .clone()
        .map(|record| {
            let member = record["member"].as_str().map(|member| format!("!/{}", shown(member))).unwrap_or_default();
            shown(record["path"].as_str().unwrap()) + &member
        })
        .collect();
    assert!(places.len() > 50);
    let mut command = program();
    command.args(["verify", "-v", "corpus", "--color", "never"]);
    let text = stdout_on_terminal(command, 80);
    let headings: Vec<&str> = text.lines().filter(|line| !line.starts_with(' ')).collect();
    assert_eq!(headings, places);
    assert!(text.lines().all(|line| line.width() <= 80), "{text}");
    let mut expected = Vec::new();
    let mut piped = String::new();
    for (record, place) in with_problems.zip(&places) {
        expected.extend(words(place).map(str::to_owned));
        for problem in record["problems"].as_array().unwrap() {
            let at = problem["offset"].as_u64().map(|offset| format!(" at {offset:#x}")).unwrap_or_default();
            let said = format!(
                "{}{at}: {}",
                problem["severity"].as_str().unwrap(),
                shown(problem["message"].as_str().unwrap())
            );
            expected.extend(words(&said).map(str::to_owned));
            piped += &format!("{place}: {said}\n");
        }
    }
    assert!(words(&text).eq(&expected), "{text}");
    // A pipe gets a whole line for each problem.
    assert_eq!(stdout(&program().args(["verify", "-j", "8", "corpus"]).output().unwrap()), piped);
}

#[test]
fn messages_are_wrapped_too() {
    let mut command = program();
    command.args(["dump", EVERYTHING, "meshes/0/postions"]);
    let text = stderr_on_terminal(command, 80).replace("\r\n", "\n");
    assert!(text.lines().count() > 1 && text.lines().all(|line| line.width() <= 80), "{text}");
}

#[test]
fn without_a_terminal_a_table_is_as_wide_as_the_variable_says_or_100() {
    let widest = |columns: Option<&str>| {
        let mut command = program();
        command.args(["scan", "corpus", "--format", "table"]).env_remove("COLUMNS");
        let output = command.envs(columns.map(|columns| ("COLUMNS", columns))).output().unwrap();
        // Names are complete, whatever their length.
        stdout(&output).lines().filter(|line| line.trim().contains(' ')).map(|line| line.width()).max().unwrap()
    };
    assert_eq!(widest(None), 100);
    assert_eq!(widest(Some("120")), 120);
    assert_eq!(widest(Some("7")), 40);
    assert_eq!(widest(Some("wide")), 100);
}

#[test]
fn a_table_has_the_order_of_its_arguments() {
    let arguments = ["corpus/rtm", "corpus/b3d/names.b3d", "corpus/b3d/empty.b3d"];
    let rows = |flags: &[&str]| -> Vec<String> {
        let text = table(&[&arguments[..], flags].concat(), 100);
        text.lines().skip(1).map(|line| line.split(' ').next().unwrap().to_owned()).collect()
    };
    let plain = rows(&[]);
    assert!(plain[0].starts_with("corpus/rtm/"), "{plain:?}");
    assert_eq!(plain[plain.len() - 2..], ["corpus/b3d/names.b3d", "corpus/b3d/empty.b3d"]);
    let sorted = rows(&["--sort", "path"]);
    assert_eq!(sorted[..2], ["corpus/b3d/empty.b3d", "corpus/b3d/names.b3d"]);
}

#[test]
fn severities_are_colored() {
    let mut command = program();
    command.args(["scan", "corpus/hostile"]).env("TERM", "xterm").env_remove("CLICOLOR");
    let text = stdout_on_terminal(command, 80);
    assert!(text.contains("\x1b[31merror") || text.contains("\x1b[1m\x1b[31merror"), "{text:?}");
    assert!(text.contains("\x1b[33mwarning") || text.contains("\x1b[1m\x1b[33mwarning"), "{text:?}");
}

/// All characters that turn, move or color text, once in a name.
const ACTING: &str = "\x1b]0;t\x07\x1bP\x08\r\x7f\u{9b}31m\u{202e}\u{2066}\u{200f}\u{61c}";

#[test]
fn text_from_files_is_escaped_on_a_terminal() {
    let folder = Folder::new("terminal-names");
    let scene = writer::b3d::scene([writer::b3d::node(ACTING, [])]).to_vec();
    let damaged = [&scene[..], b"more"].concat();
    let name = format!("a{ACTING}.b3d");
    let path = folder.file("names.zip", zip(&[Entry::stored(&name, &damaged)], b"").to_vec());
    let loose = folder.file("scene.b3d", &scene);
    let unsafe_in = |text: &str| {
        text.chars().find(|c| (c.is_control() && *c != '\n') || "\u{202e}\u{2066}\u{200f}\u{61c}".contains(*c))
    };
    for (arguments, path) in [
        (&["scan"][..], &path),
        (&["scan", "--format", "ndjson"], &path),
        (&["scan", "--format", "csv"], &path),
        (&["verify"], &path),
        (&["verify", "--format", "ndjson"], &path),
        (&["info"], &path),
        (&["info"], &loose),
        (&["info", "--json"], &loose),
        (&["tree"], &loose),
        (&["dump"], &loose),
    ] {
        let mut command = program();
        command.args(arguments).arg(path).args(["--color", "never"]);
        let text = stdout_on_terminal(command, 200);
        assert_eq!(unsafe_in(&text), None, "{arguments:?}: {text:?}");
        assert!(!text.is_empty());
    }
}

#[test]
fn one_large_archive_moves_the_progress_along() {
    let folder = Folder::new("progress");
    let vertices = writer::b3d::vertices(20_000, 3, 2, 2);
    let scene = writer::b3d::scene([writer::b3d::node("n", [writer::b3d::mesh(-1, [vertices])])]).to_vec();
    // On a fast machine, a small archive is done before the line is drawn twice.
    for members in [100, 400, 1_600] {
        let archive = (0..members).fold(Writer::new(), |pbo, i| pbo.stored(format!("{i}.b3d").as_bytes(), &scene));
        let path = folder.file("large.pbo", archive.finish(Tail::Sha1));
        let mut command = program();
        command.args(["scan", "--digests", "-j", "1"]).arg(&path);
        let text = stderr_on_terminal(command, 120);
        assert!(!text.contains(" 0 B") && !text.contains("  ,"), "{text:?}");
        let moved = |frame: &str| frame.contains(", 0 of 1 file, ") && frame.contains("iB of ");
        if text.split('\r').any(moved) {
            return;
        }
    }
    panic!("no frame between the first and the last");
}

#[test]
fn the_hint_is_given_beside_a_progress_line_too() {
    let folder = Folder::new("hint-terminal");
    folder.file(".hidden.b3d", writer::b3d::scene([]).to_vec());
    let mut command = program();
    command.arg("scan").arg(&folder.0);
    let text = stderr_on_terminal(command, 120);
    assert!(text.contains("1 file is hidden or excluded"), "{text:?}");
}

#[test]
fn binary_arrays_are_kept_from_a_terminal() {
    let mut command = program();
    command.args(["dump", EVERYTHING, "meshes/0/positions", "--format", "raw"]);
    assert_eq!(stdout_on_terminal(command, 80), "");
}

/// A table is text, whether `--format` or the terminal chooses it.
#[test]
fn unused_files_are_the_same_table_on_request_and_on_a_terminal() {
    let listing = |arguments: &[&str]| {
        let mut command = program();
        command.args(["refs", "corpus/mod", "--unused", "--color", "never"]).args(arguments);
        command
    };
    let table = listing(&["--format", "table"]).output().unwrap();
    let on_terminal = stdout_on_terminal(listing(&[]), 400).replace("\r\n", "\n");
    assert!(stdout(&table).lines().count() > 3, "{}", stdout(&table));
    assert_eq!(on_terminal, stdout(&table));
}
