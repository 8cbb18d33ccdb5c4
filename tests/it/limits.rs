//! Limits, as the program's user meets them: the words of problems, and the flags that raise each.

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value as Json;

use crate::writer::zip::{Entry, zip};
use crate::writer::{self};

/// A file of its own for one test, gone afterwards.
pub struct File(pub PathBuf);

impl File {
    pub fn new(name: &str, bytes: impl AsRef<[u8]>) -> Self {
        let path = std::env::temp_dir().join(format!("meshpeek-limits-{}-{name}", std::process::id()));
        std::fs::write(&path, bytes).unwrap();
        Self(path)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

pub fn run(file: &File, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_meshpeek")).args(args).arg(&file.0).output().unwrap()
}

/// The code and the message of every problem of every record.
pub fn problems(file: &File, args: &[&str]) -> Vec<(String, String)> {
    let output = run(file, &[&["verify", "--format", "ndjson", "-q"], args].concat());
    let lines = String::from_utf8(output.stdout).unwrap();
    let records = lines.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    let problems = records.flat_map(|record| record["problems"].as_array().unwrap().clone());
    let text = |value: &Json| value.as_str().unwrap().to_owned();
    problems.map(|problem| (text(&problem["code"]), text(&problem["message"]))).collect()
}

#[test]
fn problems_say_of_what_kind_they_are() {
    let scene = writer::b3d::corpus().remove(0).1;
    let later = [b"BB3D\x04\0\0\0", &200_u32.to_le_bytes()[..]].concat();
    let cut = scene[..scene.len() - 1].to_vec();
    let locked = Entry::stored("a.b3d", &scene).both(|header| header.flags |= 1);
    let other = Entry::deflated("a.b3d", &scene).both(|header| header.crc32 ^= 1);
    let cases = [
        ("later.b3d", later, "unsupported"),
        ("cut.b3d", cut, "damaged.truncated"),
        ("locked.zip", zip(&[locked], b"").to_vec(), "encrypted"),
        ("crc.zip", zip(&[other], b"").to_vec(), "damaged.checksum"),
        ("behind.zip", [zip(&[], b"").to_vec(), vec![0; 9]].concat(), "suspicious"),
    ];
    for (name, bytes, code) in cases {
        let found = problems(&File::new(name, bytes), &[]);
        assert!(!found.is_empty() && found.iter().all(|(one, _)| one == code), "{name}: {found:?}");
    }
}

#[test]
fn an_asset_that_is_not_read_keeps_its_version() {
    let starts: [(&str, &[u8], i64); 6] = [
        ("a.b3d", b"BB3D\x04\0\0\0\xc8\0\0\0", 200),
        ("a.lod", b"LODka3D7............", 7),
        ("a.rtm", b"BMTR\x09\0\0\0", 9),
        ("b.rtm", b"RTM_0101", 101),
        ("a.p3d", b"MLOD\x02\x01\0\0\0\0\0\0", 258),
        ("b.p3d", b"ODOL\x34\0\0\0", 52),
    ];
    for (name, start, version) in starts {
        let output = run(&File::new(name, start), &["scan"]);
        let record: Json = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(record["version"], version, "{record}");
        assert_eq!(record["problems"][0]["severity"], "error", "{record}");
    }
}
