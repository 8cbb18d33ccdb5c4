//! What a person at a terminal sees.

use meshpeek::view::ByteStr;
use serde_json::Value as Json;
use unicode_width::UnicodeWidthStr;

use super::pty::{stderr_on_terminal, stdout_on_terminal};
use super::{EVERYTHING, Folder, lines, program, stdout};
use crate::writer;
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

fn last_part(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap()
}

/// Holds one row against its record.
fn check_row(line: &str, record: &Json, columns: u16) {
    let text = |key: &str| ByteStr::from(record[key].as_str().unwrap()).to_string();
    let place = if record["member"].is_null() { text("path") } else { text("path") + "!/" + &text("member") };
    let cells: Vec<&str> = line.split("  ").filter(|cell| !cell.is_empty()).map(str::trim).collect();
    match cells[0].split_once('…') {
        // Where not even the mark fits, the name stands alone.
        None => assert!(cells[0] == place || cells[0] == last_part(&place), "{line}"),
        Some((front, back)) if back.starts_with('/') => {
            assert!(place.starts_with(front) && place.ends_with(&back[1..]), "{line}");
            assert_eq!(last_part(back), last_part(&place), "{line}");
        }
        Some((front, back)) => {
            let name = last_part(&place);
            assert!(name.starts_with(front) && name.ends_with(back), "{line}");
        }
    }
    let version = record["version"].as_u64().map(|version| format!(" {version}")).unwrap_or_default();
    assert_eq!(cells[1], record["format"].as_str().unwrap_or("-").to_owned() + &version, "{line}");
    assert_eq!(cells[2], grouped(&record["bytes"]), "{line}");
    let known = record["counts"].as_object().unwrap();
    let counts: Vec<String> = known.values().filter(|count| count.as_u64() > Some(0)).map(grouped).collect();
    let contents: Vec<&str> = cells.get(3).map(|cell| cell.split(", ").collect()).unwrap_or_default();
    for fact in &contents {
        let number = fact.split(' ').next().unwrap();
        assert!(*fact == "…" || counts.iter().any(|count| count == number), "{fact} in {line}");
    }
    if columns >= 80 {
        assert_eq!(contents.is_empty(), counts.is_empty(), "{line}");
    }
}

#[test]
fn a_table_keeps_to_every_width_and_breaks_no_number() {
    let mut folders = vec!["corpus"];
    if crate::corpus::outside().is_some_and(|folder| folder.ends_with("../shared/corpus")) {
        // Of these, only the order of paths is asked here.
        folders.insert(0, "../shared/corpus");
    }
    let records = lines(&program().arg("scan").args(&folders).args(["--sort", "path"]).output().unwrap());
    for columns in [40, 60, 80, 100, 140] {
        let text = table(&folders, columns);
        let mut rows = text.lines();
        assert!(rows.next().unwrap().starts_with("file "), "{text}");
        for record in &records {
            check_row(rows.next().unwrap(), record, columns);
            let problems = record["problems"].as_array().unwrap();
            let rank = |problem: &&Json| problem["severity"] == "error";
            if let Some(worst) = problems.iter().find(rank).or(problems.first()) {
                let line = rows.next().unwrap();
                let (word, said) = line.trim_start().split_once(": ").unwrap();
                assert_eq!(word, worst["severity"], "{line}");
                let message = ByteStr::from(worst["message"].as_str().unwrap()).to_string();
                let message: Vec<&str> = message.split(' ').collect();
                let said: Vec<&str> = said.split(' ').collect();
                let whole = said
                    .iter()
                    .zip(&message)
                    .take_while(|(a, b)| a.trim_end_matches([',', ':']) == b.trim_end_matches([',', ':']))
                    .count();
                let mut rest = &said[whole..];
                assert!(whole == message.len() || rest.first() == Some(&"…"), "{line}");
                rest = rest.strip_prefix(&["…"]).unwrap_or(rest);
                let further = (problems.len() > 1).then(|| format!("({} more)", problems.len() - 1));
                assert_eq!(rest.join(" "), further.unwrap_or_default(), "{line}");
            }
        }
        assert_eq!(rows.next(), None);
        for line in text.lines() {
            assert!(line.width() <= usize::from(columns), "{} columns: {line}", line.width());
        }
    }
}

#[test]
fn without_a_terminal_a_table_is_as_wide_as_the_variable_says_or_100() {
    let widest = |columns: Option<&str>| {
        let mut command = program();
        command.args(["scan", "corpus", "--format", "table"]).env_remove("COLUMNS");
        let output = command.envs(columns.map(|columns| ("COLUMNS", columns))).output().unwrap();
        stdout(&output).lines().map(|line| line.width()).max().unwrap()
    };
    assert_eq!(widest(None), 100);
    assert_eq!(widest(Some("120")), 120);
    assert_eq!(widest(Some("7")), 40);
    assert_eq!(widest(Some("wide")), 100);
}

#[test]
fn a_table_has_the_order_of_its_arguments() {
    let arguments = ["corpus/rtm", "corpus/b3d/triangle.b3d", "corpus/b3d/empty.b3d"];
    let rows = |flags: &[&str]| -> Vec<String> {
        let text = table(&[&arguments[..], flags].concat(), 100);
        text.lines().skip(1).map(|line| line.split(' ').next().unwrap().to_owned()).collect()
    };
    let plain = rows(&[]);
    assert!(plain[0].starts_with("corpus/rtm/"), "{plain:?}");
    assert_eq!(plain[plain.len() - 2..], ["corpus/b3d/triangle.b3d", "corpus/b3d/empty.b3d"]);
    let sorted = rows(&["--sort", "path"]);
    assert_eq!(sorted[..2], ["corpus/b3d/empty.b3d", "corpus/b3d/triangle.b3d"]);
}

#[test]
fn severities_are_colored() {
    let mut command = program();
    command.args(["scan", "corpus/hostile"]).env("TERM", "xterm").env_remove("CLICOLOR");
    let text = stdout_on_terminal(command, 80);
    assert!(text.contains("\x1b[31merror") || text.contains("\x1b[1m\x1b[31merror"), "{text:?}");
    assert!(text.contains("\x1b[33mwarning") || text.contains("\x1b[1m\x1b[33mwarning"), "{text:?}");
}

/// Everything that turns, moves or colors, once in a name.
const ACTING: &str = "\x1b]0;t\x07\x1bP\x08\r\x7f\u{9b}31m\u{202e}\u{2066}\u{200f}\u{61c}";

#[test]
fn nothing_from_a_file_reaches_a_terminal_as_it_is() {
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
    // On a quick machine a small archive is through before the line is drawn twice.
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
    assert!(text.contains("1 file is hidden or left out"), "{text:?}");
}

#[test]
fn binary_arrays_are_kept_from_a_terminal() {
    let mut command = program();
    command.args(["dump", EVERYTHING, "meshes/0/positions", "--format", "raw"]);
    assert_eq!(stdout_on_terminal(command, 80), "");
}

#[test]
fn fields_of_a_tree_end_where_the_terminal_does() {
    for path in ["corpus/odol/v52_lzo.p3d", "corpus/lodka/everything.lod"] {
        let all = stdout(&program().args(["tree", "--fields", path]).output().unwrap());
        assert!(all.lines().any(|line| line.width() > 120));
        for columns in [80, 120] {
            let mut command = program();
            command.args(["tree", "--fields", path, "--color", "never"]);
            let text = stdout_on_terminal(command, columns);
            assert_eq!(text.lines().count(), all.lines().count());
            for (line, whole) in text.lines().zip(all.lines()) {
                assert!(line.width() <= columns.into(), "{columns}: {line}");
                let kept = line.strip_suffix('…').unwrap_or(line);
                assert!(line == whole || whole.starts_with(kept) || line.contains('…'), "{line}");
            }
        }
    }
}
