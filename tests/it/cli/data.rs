//! Data is preserved, whatever names it contains.

use crate::cli::stdout;
use crate::support::program::{Folder, code, lines, program, run, stderr};
use crate::writer;
use crate::writer::pbo::{Tail, Writer};
use crate::writer::zip::{Entry, zip};

/// The rows of a scan as CSV, without the header.
fn csv(arguments: &[&str], path: &std::path::Path) -> Vec<csv::StringRecord> {
    let output = program().args(["scan", "--format", "csv"]).args(arguments).arg(path).output().unwrap();
    let mut reader = csv::Reader::from_reader(&output.stdout[..]);
    reader.records().map(Result::unwrap).collect()
}

fn ndjson(path: &std::path::Path) -> Vec<serde_json::Value> {
    lines(&program().arg("scan").arg(path).output().unwrap())
}

/// The original bytes of a name in a record.
fn bytes_of(record: &serde_json::Value, key: &str) -> Vec<u8> {
    let text = record[key].as_str().unwrap();
    if record["lossy"] != true {
        return text.as_bytes().to_vec();
    }
    let mut parts = text.split("\\x");
    let mut bytes = parts.next().unwrap().as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).unwrap());
        bytes.extend_from_slice(&part.as_bytes()[2..]);
    }
    bytes
}

#[test]
fn every_byte_of_a_name_comes_back() {
    let folder = Folder::new("bytes-of-names");
    let scene = writer::b3d::scene([]).to_vec();
    let names: Vec<Vec<u8>> = (1..=255_u8).map(|byte| [b"a", &[byte][..], b"z.b3d"].concat()).collect();
    let archive = names.iter().fold(Writer::new().product(&[]), |archive, name| archive.stored(name, &scene));
    let path = folder.file("names.pbo", archive.finish(Tail::Sha1));
    let records = program().args(["scan", "-j", "1", "--color", "always"]).arg(&path).output().unwrap();
    let records = lines(&records);
    let found: Vec<Vec<u8>> = records[1..].iter().map(|record| bytes_of(record, "member")).collect();
    assert_eq!(found, names);
    // Valid UTF-8 is unchanged: C1, bidi controls, DEL.
    let path = folder.file("c1.zip", zip(&[Entry::stored("\u{9b}\u{202e}\u{7f}.b3d", &scene)], b"").to_vec());
    assert_eq!(ndjson(&path)[1]["member"], "\u{9b}\u{202e}\u{7f}.b3d");
    assert_eq!(&csv(&[], &path)[1][1], "\u{9b}\u{202e}\u{7f}.b3d");
    let node = writer::b3d::node("\u{9b}\u{7f}\x1b[2J", []);
    let path = folder.file("node.b3d", writer::b3d::scene([node]).to_vec());
    let info = run([std::ffi::OsStr::new("info"), std::ffi::OsStr::new("--json"), path.as_os_str()]);
    let info: serde_json::Value = serde_json::from_slice(&info.stdout).unwrap();
    assert_eq!(info["detail"]["nodes"][0]["name"], "\u{9b}\u{7f}\x1b[2J");
}

#[test]
fn no_name_hides_the_rows_after_it() {
    let folder = Folder::new("csv-hide");
    let scene = writer::b3d::scene([]).to_vec();
    let names = ["\x1b]0;", "\x1bP", "\x1b[", "\x1b_", "\u{9d}", "\u{90}", "a\"b\n,c", "plain"];
    let entries: Vec<Entry> = names.iter().map(|name| Entry::stored(format!("{name}.b3d"), &scene)).collect();
    let path = folder.file("hide.zip", zip(&entries, b"").to_vec());
    let mut members: Vec<String> = csv(&[], &path).iter().skip(1).map(|row| row[1].to_owned()).collect();
    members.sort();
    let mut expected: Vec<String> = names.iter().map(|name| format!("{name}.b3d")).collect();
    expected.sort();
    assert_eq!(members, expected);
    assert_eq!(ndjson(&path).len(), names.len() + 1);
}

#[test]
fn other_peoples_csv_killer_hides_nothing() {
    let Some(packed) = crate::support::files::outside().map(|folder| folder.join("killers/csv_hide.zip.xz")) else {
        return;
    };
    let Ok(unpacked) = std::process::Command::new("xz").arg("-dc").arg(packed).output() else {
        return println!("skipped: no program xz");
    };
    let folder = Folder::new("csv-killer");
    let path = folder.file("csv_hide.zip", unpacked.stdout);
    let records = ndjson(&path);
    assert!(records.len() > 3);
    assert_eq!(csv(&[], &path).len(), records.len());
}

#[test]
fn formulas_are_defused_on_request() {
    let folder = Folder::new("formulas");
    let scene = writer::b3d::scene([]).to_vec();
    let names = ["+1.b3d", "-1.b3d", "=1.b3d", "@a.b3d", "\ta.b3d", "\ra.b3d", "a=1.b3d"];
    let entries: Vec<Entry> = names.iter().map(|name| Entry::stored(name, &scene)).collect();
    let path = folder.file("formulas.zip", zip(&entries, b"").to_vec());
    let members = |arguments: &[&str]| {
        let rows = csv(&[&["-j", "1"], arguments].concat(), &path);
        rows.iter().skip(1).map(|row| row[1].to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(members(&[]), names);
    assert_eq!(
        members(&["--csv-safe"]),
        ["'+1.b3d", "'-1.b3d", "'=1.b3d", "'@a.b3d", "'\ta.b3d", "'\ra.b3d", "a=1.b3d"]
    );
    for format in [&[][..], &["--format", "ndjson"], &["--format", "table"], &["--format", "parquet"]] {
        let other = run([&["scan", "--csv-safe", "corpus/b3d"], format].concat());
        assert_eq!(code(&other), 2, "{format:?}");
        assert!(stderr(&other).contains("--csv-safe needs --format csv"), "{}", stderr(&other));
    }
}

#[test]
fn of_a_file_without_arrays_it_is_said() {
    let listed = run(["dump", "corpus/rap/deep.bin"]);
    assert!(listed.status.success());
    assert_eq!(stdout(&listed).lines().count(), 1);
    assert_eq!(stderr(&listed), "no arrays; `meshpeek tree --fields` shows the fields\n");
    assert_eq!(stderr(&run(["dump", "-q", "corpus/rap/deep.bin"])), "");
    assert_eq!(stderr(&run(["dump", "corpus/b3d/triangle.b3d"])), "");
}

/// A list of arrays that lacks some, and an array that is missing because its part cannot be read, say so.
#[test]
fn dump_says_that_arrays_may_be_missing() {
    let map = "corpus/bmx/alpha_2022.bmx";
    let reason = "more than 200 bytes in the tables of a map, the limit set for reading; --max-decoded raises it";
    let listed = run(["dump", map, "--max-decoded", "200"]);
    assert_eq!(
        (listed.status.code(), stderr(&listed)),
        (Some(0), format!("the file has errors, so arrays may be missing: {reason}\n"))
    );
    let missing = run(["dump", map, "meshes/0/positions", "--max-decoded", "200"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(stderr(&missing).contains("no array meshes/0/positions ("), "{missing:?}");
    assert!(stderr(&missing).ends_with(&format!("; the file has errors: {reason}\n")), "{missing:?}");
    let whole = run(["dump", map, "nothing"]);
    assert!(!stderr(&whole).contains("has errors"), "{whole:?}");
    assert_eq!(stderr(&run(["dump", map])), "");
}
