//! `ls`, and patterns for members in every verb.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use crate::support::files::{below, root};
use crate::support::program::{Folder, code, lines, run, stderr, stdout};
use crate::writer::archives::nested;
use crate::writer::b3d;
use crate::writer::zip::{Entry, zip};

/// The rows of `ls --format ndjson`.
fn rows(paths: &[&str]) -> Vec<Json> {
    lines(&run([&["ls", "--format", "ndjson"], paths].concat()))
}

fn text<'j>(row: &'j Json, key: &str) -> &'j str {
    row[key].as_str().unwrap_or_else(|| panic!("{key}: {row}"))
}

#[test]
fn every_file_and_every_member_is_a_line() {
    let rows = rows(&["corpus/zip", "corpus/pbo", "corpus/addons"]);
    let files = ["corpus/zip", "corpus/pbo", "corpus/addons"].map(|folder| below(&root().join(folder)).len());
    assert_eq!(rows.iter().filter(|row| row["member"].is_null()).count(), files.iter().sum::<usize>());
    let mut of_archives: BTreeMap<&str, u64> = BTreeMap::new();
    for row in &rows {
        let address = match row["member"].as_str() {
            Some(member) => format!("{}!/{member}", text(row, "path")),
            None => text(row, "path").to_owned(),
        };
        assert_eq!(text(row, "address"), address);
        if let Some((archive, _)) = text(row, "address").rsplit_once("!/") {
            *of_archives.entry(archive).or_default() += 1;
        }
        let keys: Vec<&String> = row.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["address", "path", "member", "bytes", "time", "method", "link"]);
    }
    // As many as the records of archives say, and with the size and storage of the records of members.
    let mut seen = 0;
    for record in lines(&run(["scan", "-q", "corpus/zip", "corpus/pbo", "corpus/addons"])) {
        let address = text(&record, "address");
        if let Some(members) = record["counts"]["members"].as_u64() {
            assert_eq!(of_archives.get(address).copied().unwrap_or(0), members, "{address}");
            seen += members;
        }
        let row = rows.iter().find(|row| text(row, "address") == address).unwrap();
        assert_eq!(row["bytes"], record["bytes"], "{address}");
        if !record["stored"].is_null() {
            assert_eq!((&row["method"], &row["time"]), (&record["stored"]["method"], &record["stored"]["time"]));
        }
    }
    assert!(seen > 20, "{seen}");
}

#[test]
fn addresses_are_taken_by_other_verbs_and_by_xargs() {
    let output = run(["ls", "-0", "corpus/zip/addons.zip", "corpus/pbo/addon.pbo"]);
    let addresses: Vec<String> = stdout(&output).split_terminator('\0').map(str::to_owned).collect();
    assert_eq!(addresses.len(), 9);
    for (address, row) in addresses.iter().zip(rows(&["corpus/zip/addons.zip", "corpus/pbo/addon.pbo"])) {
        assert_eq!(address, text(&row, "address"));
        assert_eq!(run(["cat", address]).stdout.len() as u64, row["bytes"].as_u64().unwrap(), "{address}");
    }
}

#[test]
fn patterns_and_orders_choose_lines() {
    let names = |arguments: &[&str]| {
        let rows = rows(arguments);
        rows.iter().map(|row| text(row, "address").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(&["corpus/pbo/addon.pbo", "-g", "*.CPP"]), ["corpus/pbo/addon.pbo!/config.cpp"]);
    let both = names(&["corpus/zip/addons.zip", "-g", "*.b3d"]);
    assert_eq!(both, ["a", "b"].map(|name| format!("corpus/zip/addons.zip!/{name}.pbo!/data\\scene.b3d")));
    // Only a pattern with `!` keeps an archive closed.
    assert_eq!(names(&["corpus/zip/addons.zip", "-g", "!a.pbo"]).len(), 3);
    let by_size = names(&["corpus/pbo/addon.pbo", "--sort", "-bytes"]);
    assert!(by_size.last().unwrap().ends_with("empty.txt"), "{by_size:?}");
    let by_time = names(&["corpus/pbo/addon.pbo", "--sort", "time"]);
    assert!(by_time[0].ends_with("data\\text.txt"), "{by_time:?}");
    let mut sorted = names(&["corpus/zip", "--sort", "path"]);
    sorted.sort();
    assert_eq!(sorted.len(), names(&["corpus/zip"]).len());
    let says = stderr(&run(["ls", "corpus/pbo/addon.pbo", "-g", "*.CPP"]));
    assert_eq!(says, "3 members in 1 archive; 1 of 3 match\n");
    assert_eq!(names(&["corpus/zip/addons.zip", "--no-archives"]), ["corpus/zip/addons.zip"]);
}

#[test]
fn the_summary_says_what_is_listed() {
    let folder = Folder::new("ls-summary");
    folder.file("some/a.txt", b"x");
    folder.file("some/b.txt", b"x");
    std::fs::create_dir(folder.0.join("empty")).unwrap();
    let inside = |name: &str| folder.0.join(name).to_str().unwrap().to_owned();
    let (some, empty) = (inside("some"), inside("empty"));
    for (paths, summary) in [
        (&["corpus/pbo/addon.pbo"][..], "3 members in 1 archive"),
        (&["corpus/pbo/addon.pbo!/config.cpp"], "1 member"),
        (&["corpus/zip/addons.zip"], "6 members in 3 archives"),
        (&["corpus/zip"], "5 files, 14 members in 9 archives"),
        (&[&some], "2 files"),
        (&[&empty], "0 files"),
        (&[&some, "corpus/pbo/addon.pbo"], "2 files, 3 members in 1 archive"),
        (&["corpus/pbo/addon.pbo", "--no-archives"], "1 file"),
    ] {
        let output = run([&["ls"], paths].concat());
        assert_eq!(stderr(&output), format!("{summary}\n"), "{paths:?}");
    }
}

#[test]
fn what_cannot_be_read_is_said_and_ends_with_1() {
    let folder = Folder::new("ls-damaged");
    let whole = zip(&[Entry::stored("a.txt", b"a"), Entry::stored("b.zip", b"PK\x03\x04 no zip")], b"").to_vec();
    folder.file("outer.zip", &whole);
    folder.file(".hidden", b"x");
    let path = folder.0.to_str().unwrap();
    let output = run(["ls", "--format", "ndjson", path]);
    assert_eq!((code(&output), lines(&output).len()), (1, 4), "{}", stderr(&output));
    let says = stderr(&output);
    assert!(
        says.contains("outer.zip!/b.zip: ") && says.ends_with("2 files, 2 members in 1 archive, 1 unreadable\n"),
        "{says}"
    );
    assert_eq!(code(&run(["ls", "no/such/file"])), 2);
    assert_eq!(code(&run(["ls", "no/such/file", "corpus/zip"])), 1);
}

#[cfg(unix)]
#[test]
fn links_are_listed_with_their_target_and_not_followed() {
    let folder = Folder::new("ls-links");
    folder.file("a.txt", b"x");
    std::os::unix::fs::symlink("a.txt", folder.0.join("link")).unwrap();
    std::os::unix::fs::symlink("..", folder.0.join("up")).unwrap();
    let rows = rows(&[folder.0.to_str().unwrap()]);
    let links: Vec<_> = rows.iter().map(|row| row["link"].as_str()).collect();
    assert_eq!(links, [None, Some("a.txt"), Some("..")]);
    let listed = stdout(&run(["ls", folder.0.to_str().unwrap()]));
    assert!(listed.contains("link -> a.txt\n"), "{listed}");
}

#[test]
fn patterns_for_members_work_in_every_verb() {
    let pattern = "corpus/zip/addons.zip!/*.pbo!/*.B3D";
    let one = "corpus/zip/addons.zip!/a.pbo!/*.b3d";
    assert_eq!(stdout(&run(["info", pattern])).matches("Blitz3D scene").count(), 2);
    assert_eq!(stderr(&run(["verify", pattern])), "2 assets, 0 errors, 0 warnings\n");
    assert_eq!(lines(&run(["scan", pattern])).len(), 2);
    assert_eq!(rows(&[pattern]).len(), 2);
    assert_eq!(run(["cat", pattern]).stdout, b3d::sound().to_vec().repeat(2));
    for arguments in [&["dump", one][..], &["tree", one], &["hex", one]] {
        assert_eq!(code(&run(arguments)), 0, "{arguments:?}");
    }
    let said = stderr(&run(["dump", pattern]));
    assert!(said.contains("2 members match, but only one can be read"), "{said}");
    assert_eq!(code(&run(["info", "corpus/zip/addons.zip!/*.qqq"])), 2);
    // A name with such letters is found before they are a pattern.
    let folder = Folder::new("ls-pattern");
    let entries = [Entry::stored("[a].txt", b"letters"), Entry::stored("a.txt", b"pattern")];
    let archive = folder.file("x.zip", zip(&entries, b"").to_vec());
    let address = format!("{}!/[a].txt", archive.display());
    assert_eq!(stdout(&run(["cat", &address])), "letters");
}

/// A member is read by its pattern up to the same limit as by its name. Just beyond the limit, the error is that of the
/// name, too.
#[test]
fn patterns_lead_into_as_many_archives_as_names() {
    let folder = Folder::new("ls-depth");
    // With three archives inside it.
    let archive = folder.file("4.zip", nested(4));
    let [named, pattern] = ["3.zip!/2.zip!/1.zip!/scene.b3d", "*!/?.zip!/*!/*.b3d"]
        .map(|inside| format!("{}!/{inside}", archive.display()));
    for verb in ["ls", "scan", "info", "cat", "verify", "dump", "tree", "hex"] {
        for limit in 0..6 {
            let run = |address: &str| run([verb, address, "-q", "--max-archive-depth", &limit.to_string()]);
            let (named, found) = (run(&named), run(&pattern));
            let message = format!("{verb} {limit}: {}{}", stderr(&named), stderr(&found));
            assert!(code(&found) == code(&named) && found.stdout == named.stdout, "{message}");
            assert_eq!(code(&found) == 0, limit >= 4, "{message}");
            if limit >= 3 {
                assert_eq!(stderr(&found), stderr(&named), "{verb} {limit}");
            }
        }
    }
}
