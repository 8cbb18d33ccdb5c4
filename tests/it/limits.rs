//! Limits from the user's point of view: the messages of problems, and the flags that raise each limit.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::Output;

use meshpeek::scan::{Depth, Found, Input, Scan};
use meshpeek::summary::{Class, Code};
use meshpeek::{Budget, Inspect, Limits};
use serde_json::Value as Json;

use crate::memory::usage_of;
use crate::support::mutate::Random;
use crate::support::program::{built, stdout};
use crate::writer::bytes::Bytes;
use crate::writer::pbo::{Tail, Writer};
use crate::writer::zip::{Entry, zip};
use crate::writer::{self};

/// A temporary file for one test, deleted afterwards.
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
    built().args(args).arg(&file.0).output().unwrap()
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
fn problems_have_the_code_of_their_kind() {
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
        ("after.zip", [zip(&[], b"").to_vec(), vec![0; 9]].concat(), "suspicious.trailing"),
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

/// Every verb has each flag, and the message names the one that helps.
#[test]
fn every_limit_has_a_flag_that_raises_it() {
    let scene = writer::b3d::sound().to_vec();
    let inner = zip(&[Entry::deflated("a.b3d", &scene), Entry::deflated("b.b3d", &scene)], b"").to_vec();
    let outer = File::new("flags.zip", zip(&[Entry::deflated("inner.zip", &inner)], b"").to_vec());
    let nested = File::new("flags.b3d", writer::b3d::scene([writer::b3d::nested(9)]).to_vec());
    let cases = [
        (&outer, "--max-decoded", "100", "limit.decoded_bytes"),
        (&outer, "--max-archive-depth", "1", "limit.archive_depth"),
        (&outer, "--max-archive-members", "2", "limit.archive_members"),
        (&outer, "--max-work", "0", "limit.work"),
        (&outer, "--max-output", "0", "limit.output"),
        (&outer, "--max-references", "3", "limit.reference_bytes"),
        (&nested, "--max-depth", "4", "limit.depth"),
    ];
    for (file, flag, low, expected) in cases {
        assert!(problems(file, &[]).iter().all(|(code, _)| !code.starts_with("limit")), "{flag}");
        let found = problems(file, &[flag, low]);
        assert!(found.iter().any(|(code, _)| code == expected), "{flag}: {found:?}");
        // The library does not know the program's flags. The program adds the one that helps.
        assert!(found.iter().all(|(_, message)| !message.contains("--")), "{flag}: {found:?}");
        let text = run(file, &["verify", "-v", flag, low]);
        let text = String::from_utf8_lossy(&text.stdout).into_owned();
        assert!(text.contains(&format!("; {flag} raises it")), "{flag}: {text}");
        let explained = stdout(&built().args(["explain", expected]).output().unwrap());
        assert!(explained.contains(flag), "{expected}: {explained}");
        for verb in ["info", "tree", "dump", "scan", "verify"] {
            assert_ne!(run(file, &[verb, flag, "9999"]).status.code(), Some(2), "{verb} {flag}");
        }
    }
    let few = zip(&[Entry::stored("../a", b""), Entry::stored("b", b""), Entry::stored("b", b"")], b"").to_vec();
    let few = File::new("flags-few.zip", few);
    let found = problems(&few, &["--max-problems", "1"]);
    assert_eq!((found.len(), found[1].0.as_str()), (2, "limit.problems"));
}

/// Scans a file with digests and every check. Returns the number of records, and the limits reported.
fn cost(name: &str, bytes: &[u8], limits: Limits) -> (usize, Vec<String>, u64) {
    let file = File::new(name, bytes);
    let mut scan = Scan::new([&file.0]);
    (scan.depth, scan.digests, scan.limits, scan.jobs) = (Depth::Verify, true, limits, Some(1));
    let (mut records, mut reached, mut text) = (0, Vec::new(), 0);
    // On this thread, so that its allocations are counted.
    let (result, usage) = usage_of(|| {
        scan.run(
            Input::Paths,
            |_| (),
            |found, _| {
                if let Found::Asset(record) = found {
                    records += 1;
                    text += serde_json::to_vec(&*record).unwrap().len() as u64;
                    let limits = record.summary.problems.iter().filter(|problem| problem.code.class() == Class::Limit);
                    reached.extend(limits.map(|problem| format!("{}: {}", problem.code, problem.message)));
                }
                ControlFlow::Continue(())
            },
        )
    });
    result.unwrap();
    let most = limits.decoded_bytes + (64 << 20) + 2 * bytes.len() as u64 + (16 << 20);
    assert!(usage.peak as u64 <= most, "{name}: {usage:?}");
    let results = u64::from(limits.output) * (bytes.len() as u64 + (1 << 20));
    assert!(text <= results + results / 3, "{name}: {text} bytes of results, {results} were allowed");
    (records, reached, text)
}

/// One file for each way in which a few bytes can expand to many. Each file is a hundredth of a harmful size, and the
/// limits are reduced accordingly.
#[test]
fn every_kind_of_amplification_ends_at_the_budget() {
    let limits = Limits::default().with_work(4).with_output(1).with_decoded_bytes(8 << 20);
    let tiny = || writer::b3d::scene([]).to_vec();
    let many = |count: usize, entry: Entry| zip(&vec![entry; count], b"").to_vec();
    let zeros = writer::b3d::scene([writer::b3d::chunk(b"XXXX", Bytes::new().raw(vec![0; 1 << 20]))]).to_vec();
    let level = |name: &str, bytes: &[u8]| many(16, Entry::deflated(name, bytes));
    let nested = level("c.zip", &level("b.zip", &level("a.b3d", &zeros)));
    let records = level("c.zip", &level("b.zip", &many(60, Entry::stored("a.b3d", &tiny()))));
    let mut small = Writer::new();
    for index in 0..20_000 {
        small = small.stored(format!("{index}.b3d").as_bytes(), &tiny());
    }
    let long = many(60, Entry::stored([&[1; 60_000][..], b".b3d"].concat(), &tiny()));
    let packed = (0..40).fold(Writer::new(), |writer, _| writer.packed(b"a.b3d", &zeros[..1 << 18]));
    let texture = |all: Bytes, index: i32| all.cstr(format!("{index}")).raw([0; 28]);
    let textures = writer::b3d::chunk(b"TEXS", (0..100_000).fold(Bytes::new(), texture));
    let named = writer::b3d::scene([textures]).to_vec();
    let names = (0..300_000).map(|index| writer::mlod::tag(&format!("proxy:{index}"), b"")).collect::<Vec<_>>();
    let tags = writer::mlod::model(&[writer::mlod::lod(0, &[], &names, 1.0)]).to_vec();
    let part = || writer::lodka::list(b"LOD1", []);
    let parts = (0..100_000).fold(Bytes::new().raw("LODka3D1"), |all, _| all.part(&part())).to_vec();
    let mut quilt = many(200, Entry::stored("a.b3d", &zeros[..1 << 10]));
    // All directory records refer to the first member.
    let directory = quilt.windows(4).position(|four| four == b"PK\x01\x02").unwrap();
    let line = 46 + b"a.b3d".len();
    for index in 0..200 {
        quilt[directory + index * line + 42..][..4].fill(0);
    }
    let one = |name: &str, bytes: &[u8]| zip(&[Entry::deflated(name, bytes)], b"").to_vec();
    let cases = [
        ("nested.zip", nested, "limit."),
        ("records.zip", records, "limit."),
        ("small.zip", one("small.pbo", &small.finish(Tail::Bytes(b""))), "limit."),
        ("long.zip", one("long.zip", &long), "limit."),
        ("lzss.zip", one("lzss.pbo", &packed.finish(Tail::Bytes(b""))), "limit."),
        ("names.zip", one("names.b3d", &named), "limit."),
        ("tags.zip", one("tags.p3d", &tags), "limit."),
        ("parts.zip", one("parts.lod", &parts), ""),
        ("quilt.zip", quilt, ""),
        ("large.zip", one("large.b3d", &vec![0; 9 << 20]), "limit.decoded_bytes"),
    ];
    for (name, bytes, flag) in cases {
        let (records, reached, _) = cost(name, &bytes, limits);
        assert!(
            records > 0 && (flag.is_empty() || reached.iter().any(|limit| limit.contains(flag))),
            "{name}: {reached:?}"
        );
        assert!(records < 2000, "{name}: {records}");
    }
}

/// The fuzz target of that name, over noise that often contains choices that build something.
#[test]
fn archives_in_archives_keep_to_the_budget() {
    let mut random = Random(0xbb67_ae85_84ca_a73b);
    for _ in 0..if crate::support::files::full() { 20_000 } else { 300 } {
        let length = random.below(1000);
        let mut choice = || if random.below(2) == 0 { random.below(8) as u8 } else { random.next() as u8 };
        let noise: Vec<u8> = (0..length).map(|_| choice()).collect();
        crate::fuzz_nested::run(&noise);
    }
}

#[test]
fn members_over_the_same_bytes_are_looked_into_once() {
    let scene = writer::b3d::sound().to_vec();
    let entry = |name: &str| Entry { header_offset: Some(0), ..Entry::deflated(name, &scene) };
    let (records, ..) =
        cost("quilt.zip", &zip(&[entry("a.b3d"), entry("b.b3d"), entry("c.b3d")], b"").to_vec(), Limits::default());
    // Those of the archive and the first member, and two that say why they are not read.
    assert_eq!(records, 4);
    let file = File::new("overlap.zip", zip(&[entry("a.b3d"), entry("b.b3d")], b"").to_vec());
    let found = problems(&file, &[]);
    assert_eq!(found[0], ("damaged.overlap".to_owned(), "members[1]: b.b3d: shares bytes with members[0]".to_owned()));
}

#[test]
fn a_budget_that_is_spent_refuses_everything() {
    let budget = Budget::new(0, &Limits::default().with_work(1).with_decoded_bytes(100));
    budget.charge_work(2 << 20).unwrap();
    assert_eq!(budget.charge_work(1).unwrap_err().code(), Code::WorkLimit);
    budget.charge_work(0).unwrap();
    let outer = budget.hold(60).unwrap();
    assert!(outer.budget().hold(41).is_err());
    let inner = outer.budget().hold(40).unwrap();
    assert_eq!(inner.budget().limits().decoded_bytes, 0);
    assert!(Budget::unlimited(&Limits::default()).charge_work(u64::MAX).is_ok());
}

/// Memory is granted in turns, and threads that hold some never wait for each other.
#[test]
fn threads_that_hold_memory_get_on() {
    let limits = Limits::default().with_decoded_bytes(100 << 20);
    let budget = Budget::new(0, &limits);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            let budget = budget.fork();
            scope.spawn(move || {
                for _ in 0..200 {
                    let outer = budget.hold(40 << 20).unwrap();
                    let middle = outer.budget().hold(40 << 20).unwrap();
                    std::thread::scope(|helpers| {
                        for mib in [10, 20] {
                            let budget = middle.budget().fork();
                            helpers.spawn(move || {
                                let inner = budget.hold(mib << 19).unwrap();
                                drop(inner.budget().hold(mib << 19).unwrap());
                            });
                        }
                    });
                }
            });
        }
    });
}

/// A PBO of 1.2 GB, deflated in a zip, exceeds the default limit, which is reported. With a higher limit it is read.
#[test]
fn an_archive_larger_than_the_limit_is_read_when_that_is_raised() {
    if !crate::support::files::full() {
        return;
    }
    let scene = writer::b3d::sound().to_vec();
    let large = vec![b' '; 300 << 20];
    let pbo = (0..4).fold(Writer::new(), |writer, index| writer.stored(format!("{index}.txt").as_bytes(), &large));
    let pbo = pbo.stored(b"a.b3d", &scene).finish(Tail::Bytes(b""));
    assert!(pbo.len() > 1_200_000_000);
    let file = File::new("large.zip", zip(&[Entry::deflated("large.pbo", &pbo)], b"").to_vec());
    drop((pbo, large));
    let found = problems(&file, &[]);
    assert!(
        found.iter().all(|(code, message)| code == "limit.decoded_bytes" && message.contains("decoded bytes")),
        "{found:?}"
    );
    assert!(!found.is_empty());
    assert!(problems(&file, &["--max-decoded", "2G"]).is_empty());
    let records = run(&file, &["scan", "--max-decoded", "2G", "-q"]).stdout;
    let records: Vec<Json> = records.split(|&byte| byte == b'\n').flat_map(serde_json::from_slice).collect();
    assert_eq!(records.len(), 3, "{records:?}");
    assert!(records.iter().all(|record| record["problems"] == serde_json::json!([])), "{records:?}");
}

/// Work within one asset stops too.
#[test]
fn a_stop_is_noticed_inside_an_asset() {
    let point = writer::odol::Lod::strip(1.0, 20_000);
    let model = writer::odol::Model::new(49, vec![point; 60]).to_vec();
    let file = File::new("stop.p3d", &model);
    let mut scan = Scan::new([&file.0]);
    scan.depth = Depth::Verify;
    scan.progress.stop();
    let before = meshpeek::codec::activity();
    scan.run(Input::Paths, |_| (), |_, _| panic!("nothing is handed over any more")).unwrap();
    assert_eq!(scan.iter().unwrap().count(), 0);
    assert_eq!(meshpeek::codec::activity(), before);
    for budget in [Budget::new(0, &Limits::default()), Budget::unlimited(&Limits::default())] {
        let until = meshpeek::Until::new(std::sync::Arc::new(true.into()));
        for budget in [budget.clone(), budget.fork()] {
            let mut problems = meshpeek::summary::Problems::within(budget);
            meshpeek::Asset::parse(&model).unwrap().verify(&mut problems);
            assert_eq!(meshpeek::codec::activity().decodes, before.decodes);
            let problems: Vec<_> = problems.into_vec().iter().map(|problem| problem.code.name()).collect();
            assert_eq!(problems, ["cancelled"]);
        }
        drop(until);
        assert!(budget.charge_work(1).is_ok());
    }
}
