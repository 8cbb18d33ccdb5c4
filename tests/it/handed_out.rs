//! What the program hands out of archives, and what it says of the rest.

use std::process::Output;

use crate::support::program::{Folder, code, lines, program, stderr, stdout};
use crate::writer::b3d;
use crate::writer::zip::{Entry, zip};

fn run(folder: &Folder, args: &[&str]) -> Output {
    program().current_dir(&folder.0).args(args).output().unwrap()
}

fn scene() -> Vec<u8> {
    b3d::sound().to_vec()
}

#[test]
fn an_error_of_cat_names_the_member_once() {
    for name in ["zip_into_directory", "zip_claims_more", "zip_claims_4_gb"] {
        let cat = crate::support::program::run(["cat", &format!("corpus/hostile/{name}.zip!/scene.b3d")]);
        assert_eq!((code(&cat), cat.stdout.len()), (2, 0), "{name}");
        assert_eq!(stderr(&cat).matches("scene.b3d").count(), 1, "{}", stderr(&cat));
    }
}

#[test]
fn members_with_a_wrong_checksum_are_not_handed_out() {
    let folder = Folder::new("handed-out");
    for (name, is_stored) in [("stored.zip", true), ("deflated.zip", false)] {
        let entry = if is_stored { Entry::stored("bad.b3d", &scene()) } else { Entry::deflated("bad.b3d", &scene()) };
        let bad = entry.both(|header| header.crc32 ^= 1);
        folder.file(name, zip(&[Entry::stored("good.b3d", &scene()), bad], b"").to_vec());
        let [good, bad] = ["good", "bad"].map(|member| format!("{name}!/{member}.b3d"));
        assert_eq!(run(&folder, &["cat", &good]).stdout, scene());
        let cat = run(&folder, &["cat", &bad]);
        assert_eq!((code(&cat), cat.stdout.len()), (1, 0), "{name}");
        assert!(stderr(&cat).contains("CRC-32"), "{}", stderr(&cat));
        assert_eq!(stderr(&cat).matches("bad.b3d").count(), 1, "{}", stderr(&cat));
        assert_eq!(code(&run(&folder, &["cat", &bad, "-o", "kept"])), 1);
        let out = format!("out-{name}");
        let extract = run(&folder, &["extract", name, "-o", &out]);
        assert_eq!(code(&extract), 1);
        assert!(stderr(&extract).contains("1 file written, 1 not written"), "{}", stderr(&extract));
        // The address names the member, so the message after it does not.
        assert!(stderr(&extract).contains(&format!("{bad}: members[1] at ")), "{}", stderr(&extract));
        assert_eq!(stderr(&extract).matches("bad.b3d").count(), 1, "{}", stderr(&extract));
        let is_there = |path: &str| folder.0.join(path).exists();
        assert_eq!((is_there(&format!("{out}/good.b3d")), is_there(&format!("{out}/bad.b3d"))), (true, false));
        assert_eq!(code(&run(&folder, &["export", &bad, "-o", "model.obj"])), 2);
        assert!(!is_there("model.obj") && !is_there("kept"));
        let digests = run(&folder, &["scan", name, "--digests", "--format", "ndjson"]);
        let record = lines(&digests).into_iter().find(|record| record["member"] == "bad.b3d").unwrap();
        assert_eq!(record["problems"][0]["code"], "damaged.checksum", "{record}");
        // One fact is one line.
        let verify = run(&folder, &["verify", name]);
        assert_eq!((code(&verify), stdout(&verify).matches("CRC-32").count()), (1, 1), "{}", stdout(&verify));
        assert!(stderr(&verify).contains("1 error"), "{}", stderr(&verify));
        let by_address = run(&folder, &["verify", &bad]);
        assert!(stdout(&by_address).contains("CRC-32"), "{}", stdout(&by_address));
    }
    let inner = zip(&[Entry::stored("deep.b3d", &scene())], b"").to_vec();
    let inner = Entry::deflated("inner.zip", &inner).both(|header| header.crc32 ^= 1);
    folder.file("around.zip", zip(&[inner], b"").to_vec());
    let extract = run(&folder, &["extract", "around.zip!/*!/*", "-o", "out-around"]);
    assert!(stderr(&extract).contains("around.zip!/inner.zip: members[0] at "), "{}", stderr(&extract));
    assert_eq!(stderr(&extract).matches("inner.zip").count(), 1, "{}", stderr(&extract));
    // A wrong checksum of an archive hides nothing in it.
    let inner = zip(&[Entry::stored("deep.b3d", &scene())], b"").to_vec();
    let inner = Entry::stored("inner.zip", &inner).both(|header| header.crc32 ^= 1);
    folder.file("nested.zip", zip(&[inner], b"").to_vec());
    let records = lines(&run(&folder, &["scan", "nested.zip", "--digests", "--format", "ndjson"]));
    let members: Vec<_> = records.iter().map(|record| record["member"].as_str()).collect();
    assert_eq!(members, [None, Some("inner.zip"), Some("inner.zip!/deep.b3d")]);
    assert_eq!(records[1]["problems"][0]["code"], "damaged.checksum", "{}", records[1]);
    assert!(records[1]["digests"]["file"].is_string() && records[2]["problems"] == serde_json::json!([]));
    let records = lines(&run(&folder, &["scan", "nested.zip!/inner.zip", "--digests", "--format", "ndjson"]));
    let members: Vec<_> = records.iter().map(|record| record["member"].as_str()).collect();
    assert_eq!(members, [Some("inner.zip"), Some("inner.zip!/deep.b3d")]);
    assert_eq!(records[0]["problems"][0]["code"], "damaged.checksum", "{}", records[0]);
    let verify = run(&folder, &["verify", "nested.zip!/inner.zip"]);
    assert_eq!((code(&verify), stdout(&verify).matches("CRC-32").count()), (1, 1), "{}", stdout(&verify));
    // A view is not checked.
    let info = run(&folder, &["info", "stored.zip!/bad.b3d"]);
    assert_eq!(code(&info), 0);
}

#[test]
fn members_that_are_not_checked_are_counted_by_method() {
    let folder = Folder::new("not-checked");
    let packed = |name: &str| Entry::new(name, 98, b"????".to_vec(), b"");
    let aes = Entry::new("aes.b3d", 99, b"????".to_vec(), b"");
    let old = Entry::stored("old.b3d", b"????").both(|header| header.flags |= 1);
    let entries = [packed("a.txt"), packed("b.b3d"), aes, old, Entry::stored("c.b3d", &scene())];
    folder.file("a.zip", zip(&entries, b"").to_vec());
    folder.file("one.zip", zip(&[packed("a.txt")], b"").to_vec());
    let verify = run(&folder, &["verify", "a.zip"]);
    let says = stderr(&verify);
    assert!(says.contains("4 members not checked: 2 encrypted, 2 ppmd"), "{says}");
    let one = run(&folder, &["verify", "one.zip"]);
    assert!(stderr(&one).contains("1 member not checked: ppmd"), "{}", stderr(&one));
    assert_eq!((code(&one), code(&run(&folder, &["verify", "one.zip", "--strict"]))), (0, 1));
    let records = lines(&run(&folder, &["verify", "a.zip", "--format", "ndjson"]));
    let counts = serde_json::json!({"encrypted": 2, "ppmd": 2});
    assert_eq!((&records[0]["format"], &records[0]["unchecked"]), (&"zip".into(), &counts));
    assert!(records.iter().skip(1).all(|record| record.get("unchecked").is_none()));
    let info = stdout(&run(&folder, &["info", "one.zip"]));
    assert!(info.contains("packed with ppmd, which is not read"), "{info}");
}

#[test]
fn links_are_named_and_not_extracted() {
    let folder = Folder::new("links");
    let made = zip(&[Entry::stored("tex.b3d", b"../x.b3d"), Entry::stored("real.b3d", &scene())], b"");
    let mut bytes = made.to_vec();
    let entry = made.at("directory");
    bytes[entry + 5] = 3;
    bytes[entry + 38..entry + 42].copy_from_slice(&(0o120_777_u32 << 16).to_le_bytes());
    folder.file("a.zip", &bytes);
    let extract = run(&folder, &["extract", "a.zip", "-o", "out"]);
    assert_eq!(code(&extract), 1);
    assert!(stderr(&extract).contains("tex.b3d: a symbolic link to ../x.b3d"), "{}", stderr(&extract));
    assert!(!folder.0.join("out/tex.b3d").exists() && folder.0.join("out/real.b3d").exists());
    let records = lines(&run(&folder, &["scan", "a.zip", "--format", "ndjson"]));
    let link = records.iter().find(|record| record["member"] == "tex.b3d").unwrap();
    assert_eq!(link["problems"][0]["code"], "other.link");
    assert_eq!(link["problems"][0]["message"], "not an asset; a symbolic link to ../x.b3d");
}

/// The time in UTC and the name of the member of an archive.
fn time_and_name(folder: &Folder, entry: Entry, args: &[&str]) -> (String, String) {
    folder.file("t.zip", zip(&[entry], b"").to_vec());
    let records = lines(&run(folder, &[&["scan", "t.zip", "--format", "ndjson"], args].concat()));
    let record = &records[1];
    (record["stored"]["time"].as_str().unwrap_or("none").to_owned(), record["member"].as_str().unwrap().to_owned())
}

#[test]
fn times_and_names_come_from_extra_fields() {
    let folder = Folder::new("extra-fields");
    let with = |extra: Vec<u8>| Entry::stored("a.b3d", &scene()).both(|header| header.extra.clone_from(&extra));
    let of = |extra: &[u8]| time_and_name(&folder, with(extra.to_vec()), &[]).0;
    let unix = [&b"UT\x05\0\x01"[..], &0x6682_9a40_u32.to_le_bytes()].concat();
    assert_eq!(of(&unix), "2024-07-01T12:00:00Z");
    assert_eq!(of(b"UT\x05\0\x01\xff\xff\xff\xff"), "1969-12-31T23:59:59Z");
    let ticks = (0x6682_9a40_u64 + 11_644_473_600) * 10_000_000;
    let windows = [&b"\x0a\0\x20\0\0\0\0\0\x01\0\x18\0"[..], &[ticks.to_le_bytes(); 3].concat()].concat();
    assert_eq!(of(&windows), "2024-07-01T12:00:00Z");
    // Not a time of the last change, cut short, or none.
    for extra in [&b"UT\x05\0\x02\x40\x9a\x82\x66"[..], b"UT\x03\0\x01\x40\x9a", b"\x0a\0\x02\0\0\0", b""] {
        assert_eq!(of(extra), "none", "{extra:?}");
    }
    let stored = b"\xc4\xa3.b3d";
    let name = |sum: u32, args: &[&str]| {
        let text = "\u{6a21}.b3d";
        let bytes = (text.len() as u16 + 5).to_le_bytes();
        let extra = [&b"up"[..], &bytes, &[1], &sum.to_le_bytes(), text.as_bytes()].concat();
        let entry = Entry::stored(stored, &scene()).both(|header| {
            header.flags = 0;
            header.extra.clone_from(&extra);
        });
        time_and_name(&folder, entry, args).1
    };
    let sum = crate::writer::zip::crc32(stored);
    assert_eq!(name(sum, &[]), "\u{6a21}.b3d");
    assert_eq!(name(sum ^ 1, &[]), "\u{123}.b3d");
    let verify = stdout(&run(&folder, &["verify", "t.zip"]));
    assert!(verify.contains("the extra field with its name in UTF-8 belongs to another name"), "{verify}");
}

#[test]
fn names_are_read_in_the_encoding_that_the_caller_knows() {
    let folder = Folder::new("names");
    let entry = |name: &[u8], flags: u16| Entry::stored(name, &scene()).both(|header| header.flags = flags);
    let of = |entry: Entry, names: &str| time_and_name(&folder, entry, &["--names", names]).1;
    let russian = b"\xaf\xe0\xa8\xa2\xa5\xe2.b3d";
    assert_eq!(of(entry(russian, 0), "cp866"), "привет.b3d");
    assert_eq!(of(entry(b"\xc4\xa3\xd0\xcd.b3d", 0), "cp936"), "模型.b3d");
    // What is marked as UTF-8 stays.
    assert_eq!(of(entry("模.b3d".as_bytes(), 1 << 11), "cp866"), "模.b3d");
    assert_eq!(of(entry(b"plain.b3d", 0), "cp866"), "plain.b3d");
    folder.file("r.zip", zip(&[entry(russian, 0)], b"").to_vec());
    let cat = run(&folder, &["cat", "--names", "cp866", "r.zip!/привет.b3d"]);
    assert_eq!(cat.stdout, scene());
    assert_eq!(code(&run(&folder, &["extract", "--names", "cp866", "r.zip", "-o", "out"])), 0);
    assert_eq!(std::fs::read(folder.0.join("out/привет.b3d")).unwrap(), scene());
    let wrong = run(&folder, &["scan", "r.zip", "--names", "klingon"]);
    assert_eq!(code(&wrong), 2);
    assert!(stderr(&wrong).contains("no encoding is called"), "{}", stderr(&wrong));
}

/// `meshpeek` 40 times, as Python's `bz2`, `zipfile` and `lzma`, 7-Zip and zstd pack it.
#[cfg(feature = "methods")]
const STREAMS: [(u16, &str); 5] = [
    (12, "425a6839314159265359db2145220000778180024a4800200030c002950c982704c1344e89a2689d13e2ee48a70a121b6428a440"),
    (14, "090405005d000080000036994acd2c6588ab2702e1fcb6fe23fffff63dc000"),
    (
        95,
        "fd377a585a000004e6d6b4460200210116000000742fe5a3e0013f00105d0036994acd2c6588ab2702e1fca23c000000f2476ec77e4ce30100012cc002000000c03127f0b1c467fb020000000004595a",
    ),
    (9, "e5c5410600000c03c1d72ea54ac9ffc91f72cd5ce6d03c6cfde106"),
    (93, "28b52ffd04587d0000406d6573687065656b010035530b172492d410"),
];

#[cfg(feature = "methods")]
fn of_hex(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

#[test]
#[cfg(feature = "methods")]
fn members_of_other_methods_are_read() {
    let folder = Folder::new("methods");
    let content = b"meshpeek".repeat(40);
    let mut entries = Vec::new();
    for (method, hex) in STREAMS {
        entries.push(Entry::new(format!("m{method}.txt"), method, of_hex(hex), &content));
    }
    folder.file("a.zip", zip(&entries, b"").to_vec());
    assert_eq!(code(&run(&folder, &["verify", "a.zip", "--strict"])), 0);
    for (method, _) in STREAMS {
        assert_eq!(run(&folder, &["cat", &format!("a.zip!/m{method}.txt")]).stdout, content, "{method}");
    }
    assert_eq!(code(&run(&folder, &["extract", "a.zip", "-o", "out"])), 0);
    assert_eq!(std::fs::read(folder.0.join("out/m95.txt")).unwrap(), content);
    // A limit holds for content and dictionary together.
    let limited = run(&folder, &["cat", "a.zip!/m95.txt", "--max-decoded", "1M"]);
    assert_eq!(code(&limited), 2);
    assert!(stderr(&limited).contains("--max-decoded"), "{}", stderr(&limited));
    entries[1].central.crc32 ^= 1;
    folder.file("b.zip", zip(&entries, b"").to_vec());
    assert_eq!(code(&run(&folder, &["cat", &format!("b.zip!/m{}.txt", STREAMS[1].0)])), 1);
}

/// A scene without nodes, packed as above.
#[cfg(feature = "methods")]
const SCENES: [(u16, &str); 5] = [
    (12, "425a683931415926535992fb40cf0000054c00640008001400200030c0068f536a019160f8bb9229c2848497da0678"),
    (14, "090405005d00000100002160c88803e0610a1ff038d50b7ffff4d54000"),
    (
        95,
        "fd377a585a000004e6d6b4460200210108000000d80f231301000b424233440400000001000000008b000490bc6130e60001240ca618d8d81fb6f37d010000000004595a",
    ),
    (9, "737232766161606060046200"),
    (93, "28b52ffd0068610000424233440400000001000000"),
];

/// A member with a name that tells nothing is an asset if its content starts like one, whichever way it is packed.
#[test]
#[cfg(feature = "methods")]
fn members_of_every_method_are_known_by_their_beginning() {
    let folder = Folder::new("methods-unnamed");
    let content = std::fs::read(crate::support::files::root().join("corpus/b3d/empty.b3d")).unwrap();
    let mut entries = vec![Entry::stored("m0", &content), Entry::deflated("m8", &content)];
    entries.extend(SCENES.map(|(method, hex)| Entry::new(format!("m{method}"), method, of_hex(hex), &content)));
    let text = b"meshpeek".repeat(40);
    entries.extend(STREAMS.map(|(method, hex)| Entry::new(format!("t{method}"), method, of_hex(hex), &text)));
    let names = entries.iter().map(|entry| String::from_utf8(entry.central.name.clone()).unwrap());
    let expected: Vec<String> = names.filter(|name| name.starts_with('m')).collect();
    // They are found in other archives, too, whose names also tell nothing.
    let archive = zip(&entries, b"").to_vec();
    folder.file("a.zip", &archive);
    let outer = zip(&[Entry::stored("stored", &archive), Entry::deflated("packed", &archive)], b"").to_vec();
    folder.file("b.zip", outer);
    let found = |file: &str| -> Vec<String> {
        let output = run(&folder, &["scan", "-q", file, "--format", "csv", "--columns", "format,member"]);
        String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
    };
    let rows = found("a.zip");
    let scenes: Vec<_> = rows.iter().filter_map(|row| row.strip_prefix("b3d,")).collect();
    assert_eq!(scenes, expected);
    let rows = found("b.zip");
    for archive in ["stored", "packed"] {
        let scenes: Vec<_> = rows.iter().filter_map(|row| row.strip_prefix(&format!("b3d,{archive}!/"))).collect();
        assert_eq!(scenes, expected, "{archive}");
    }
}
