//! Every code of a problem has a file that produces it, an explanation, and its rows in the documents.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{fs, io};

use meshpeek::address::open_member;
use meshpeek::ranges::Ranges;
use meshpeek::source::Access;
use meshpeek::summary::{Class, Code, Problems, Severity};
use meshpeek::{Asset, Budget, Error, FileMap, Inspect, Limits, Until};

use crate::lint;
use crate::support::files::{below, root};
use crate::support::program::{Folder, lines, run, stdout};
use crate::writer::shapes::Shape;
use crate::writer::zip::{Entry, zip};
use crate::writer::{bisign, bmx, lodka, odol, rtm, texheaders};

fn text(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap()
}

/// A box whose normals point inwards.
fn inside_out() -> Vec<u8> {
    let mut shape = Shape::default();
    shape.cuboid([0.0; 3], [1.0; 3], [0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 1.0]);
    for corner in shape.faces.iter_mut().flat_map(|face| &mut face.corners) {
        corner.normal = corner.normal.map(|axis| -axis);
    }
    crate::writer::b3d::scene([crate::writer::b3d::node("box", [shape.b3d()])]).to_vec()
}

/// An archive with a symbolic link.
fn link() -> Vec<u8> {
    let made = zip(&[Entry::stored("link.b3d", b"target")], b"");
    let entry = made.at("directory");
    let mut bytes = made.to_vec();
    bytes[entry + 5] = 3;
    bytes[entry + 38..entry + 42].copy_from_slice(&(0o120_777_u32 << 16).to_le_bytes());
    bytes
}

/// A map of which an object is hidden by 2.
fn odd_bool() -> Vec<u8> {
    let map = bmx::full(14);
    let mut tables = map.tables();
    tables[1].1 = std::mem::take(&mut tables[1].1).set("object0.hidden", [2]);
    zip(&map.entries(&tables, |name, bytes| Entry::deflated(name, bytes)), b"").to_vec()
}

/// Files of the codes that `corpus` does not have.
fn others(folder: &Folder) -> PathBuf {
    let saved_as_text = String::from_utf8_lossy(&odol::whole(48, 60).to_vec()).into_owned();
    folder.file("text.p3d", saved_as_text);
    folder.file("bool.bmx", odd_bool());
    folder.file("missing.lod", lodka::file([lodka::textures(&[lodka::texture("stone", "a.bmp", 0, b"")])]).to_vec());
    folder.file("normals.b3d", inside_out());
    folder.file("link.zip", link());
    folder.file("lfs.p3d", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n");
    for (code, name, faulty, _) in lint::pairs() {
        folder.file(&format!("{code}/{name}"), faulty);
    }
    folder.file("run.rtm", rtm::motion(3, 2, 2, rtm::Marking::Size).binarised().to_vec());
    let skeleton = "class CfgSkeletons { class Man { skeletonBones[] = { \"other\", \"\" }; }; };";
    folder.file("model.cfg", format!("{skeleton} class CfgModels {{ class run {{ skeletonName = \"Man\"; }}; }};"));
    // One archive is signed, the other is not.
    folder.file("signed/shed.pbo", bisign::SHED);
    folder.file("signed/shed.pbo.maker_1.2.bisign", bisign::SHED_3);
    folder.file("signed/bare.pbo", bisign::BARE);
    folder.file("texHeaders.bin", texheaders::sound().to_vec());
    folder.file("icon.paa", "replaced");
    // Texts are checked if they are named.
    folder.file("config.cpp", "class CfgPatches {\n class a {};\n}\nclass b {};\n")
}

#[test]
fn errors_of_the_system_and_the_caller_have_their_codes() {
    let of_system = |kind: io::ErrorKind| Error::from(io::Error::from(kind)).code();
    assert_eq!(of_system(io::ErrorKind::NotFound), Code::NotFound);
    assert_eq!(of_system(io::ErrorKind::OutOfMemory), Code::MemoryLimit);
    assert_eq!(of_system(io::ErrorKind::PermissionDenied), Code::Io);
    let folder = Folder::new("system");
    assert_eq!(FileMap::open(folder.0.join("missing.b3d")).unwrap_err().code(), Code::NotFound);
    let bytes = crate::writer::b3d::sound().to_vec();
    let path = folder.file("changed.b3d", &bytes);
    // SAFETY: nothing reads the bytes after the file is changed.
    let access = unsafe { Access::map() };
    let map = FileMap::open_with(&path, access, &Limits::default()).unwrap();
    // Windows refuses to cut a mapped file.
    let mut longer = fs::OpenOptions::new().append(true).open(&path).unwrap();
    longer.write_all(b"more").unwrap();
    drop(longer);
    assert_eq!(map.unchanged().unwrap_err().code(), Code::Changed);
    let ranges = Ranges::new(1_000);
    assert_eq!(Asset::parse_ranges(&ranges, &Limits::default()).unwrap_err().code(), Code::Incomplete);
    let stopped = Until::new(Arc::new(true.into()));
    assert_eq!(Budget::unlimited(&Limits::default()).charge_work(1).unwrap_err().code(), Code::Cancelled);
    drop(stopped);
    let zip = zip(&[Entry::stored("a.b3d", &bytes)], b"").to_vec();
    for member in ["b.b3d", "a.b3d!/deeper", "b.b3d!/deeper"] {
        let budget = Budget::unlimited(&Limits::default());
        let opened = open_member(Path::new("x.zip"), &zip, Some(member.as_bytes()), &budget);
        assert_eq!(opened.map(|opened| opened.bytes).unwrap_err().code(), Code::NotFound, "{member}");
    }
}

/// What follows is the beginning of a module of tests.
const TESTS: &str = "#[cfg(test)]\nmod tests {";

/// Returns the string literals of a source without its tests and comments.
fn literals(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = source.split(TESTS).next().unwrap();
    while let Some(at) = rest.find(['"', '\'', '/']) {
        let before = &rest[..at];
        rest = &rest[at..];
        if rest.starts_with("//") {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
        } else if let Some(after) = rest.strip_prefix('"') {
            // A raw text ends with as many hashes as it begins with.
            let hashes = before.len() - before.trim_end_matches('#').len();
            let is_raw = before.trim_end_matches('#').ends_with('r');
            let mut end = 0;
            loop {
                let next = end + after[end..].find(['"', '\\']).unwrap();
                if after[next..].starts_with('\\') && !is_raw {
                    end = next + 2;
                } else if after[next..].starts_with(&format!("\"{}", "#".repeat(if is_raw { hashes } else { 0 }))) {
                    end = next;
                    break;
                } else {
                    end = next + 1;
                }
            }
            found.push(after[..end].to_owned());
            rest = &after[end + 1..];
        } else {
            // A character, which may be a quotation mark; else a lifetime or a division.
            let is_escape = rest.starts_with("'\\");
            let length = rest.chars().nth(1).map_or(0, char::len_utf8);
            let end = if is_escape { rest[2..].find('\'').map(|end| end + 2) } else { Some(1 + length) };
            let is_character = rest.starts_with('\'') && end.is_some_and(|end| rest[end..].starts_with('\''));
            rest = &rest[if is_character { end.unwrap() + 1 } else { 1 }..];
        }
    }
    found
}

#[test]
fn literals_are_found() {
    let source = r##"'"' // "no"
        &'a str, f("one \" two", '\'', r#"three " four"#, 6 / 2, "five")"##;
    assert_eq!(literals(source), ["one \\\" two", "three \" four", "five"]);
}

/// The library has other callers than the program: what to do about an error is theirs to say.
#[test]
fn no_message_of_the_library_names_a_flag_or_a_verb_of_the_program() {
    let verbs = stdout(&run(["--help"]));
    let verbs: Vec<&str> = verbs.lines().filter_map(|line| line.strip_prefix("  ")?.split([' ', ',']).next()).collect();
    let verbs: Vec<&str> = verbs
        .into_iter()
        .filter(|verb| *verb != "meshpeek" && verb.starts_with(|first: char| first.is_ascii_lowercase()))
        .collect();
    assert!(["scan", "verify", "export", "dump"].iter().all(|verb| verbs.contains(verb)), "{verbs:?}");
    let is_flag = |word: &str| {
        let name = word.trim_start_matches('`');
        let long =
            name.strip_prefix("--").is_some_and(|name| name.starts_with(|first: char| first.is_ascii_lowercase()));
        long || name.len() == 2 && name.starts_with('-') && name.ends_with(|last: char| last.is_ascii_lowercase())
    };
    let mut literal_count = 0;
    for path in ["src", "tables/src"].iter().flat_map(|folder| below(&root().join(folder))) {
        if path.ends_with("tests.rs") {
            continue;
        }
        for literal in literals(&fs::read_to_string(&path).unwrap()) {
            literal_count += 1;
            let is_told = literal.split([' ', '(', ';', ',']).any(is_flag)
                || ["FILE!/", "!/MEMBER", "NAME.png"].iter().any(|place| literal.contains(place))
                || verbs.iter().any(|verb| {
                    literal.starts_with(&format!("{verb} "))
                        || literal.contains(&format!("`{verb}"))
                        || literal.contains(&format!("meshpeek {verb}"))
                });
            // Words of the formats.
            let is_of_format = ["tree crown"].contains(&literal.as_str());
            assert!(!is_told || is_of_format, "{}: {literal:?}", path.display());
        }
    }
    assert!(literal_count > 3000, "{literal_count}");
}

/// Python, C and the program have no rest to which a new class or a new limit would go unseen.
#[test]
fn every_code_is_known_in_python_c_and_the_program() {
    let of_function = |file: &str, name: &str| {
        let source = text(file);
        let start = source.find(&format!("fn {name}(")).unwrap_or_else(|| panic!("{file} has no {name}"));
        source[start..].split("\n}\n").next().unwrap().to_owned()
    };
    let statuses = of_function("capi/src/failure.rs", "status_of");
    let exceptions = of_function("python/src/error.rs", "exception");
    for code in Code::ALL {
        let class = format!("Class::{:?}", code.class());
        assert!(statuses.contains(&class) && exceptions.contains(&class), "{class}");
    }
    assert!(!statuses.contains("_ =>"), "{statuses}");
    // These cannot be set.
    let settable = |code: &&Code| code.class() == Class::Limit && !matches!(code, Code::Limit | Code::MemoryLimit);
    let limits = [of_function("python/src/limits.rs", "name"), of_function("cli/src/limits.rs", "flag_of")];
    for code in Code::ALL.iter().filter(settable) {
        let name = format!("Code::{code:?} => Some(");
        assert!(limits.iter().all(|function| function.contains(&name)), "{name}");
    }
    let header = text("capi/include/meshpeek.h");
    for status in ["NOT_FOUND", "TRUNCATED", "MALFORMED", "UNSUPPORTED", "ENCRYPTED", "LIMIT", "IO", "STOPPED"] {
        assert!(header.contains(&format!("MESHPEEK_STATUS_{status}")), "{status}");
    }
}

/// All budgets on the thread are stopped: older ones, clones, forks and unlimited ones. The rest of the file is then not
/// reported, member by member.
#[test]
fn a_stopped_verify_has_one_problem() {
    let bytes = crate::writer::b3d::sound().to_vec();
    let entries: Vec<Entry> = (0..150).map(|index| Entry::deflated(format!("{index}.b3d"), &bytes)).collect();
    let many = zip(&entries, b"").to_vec();
    let limits = Limits::default();
    let verify = |bytes: &[u8], budget: Budget| {
        let mut problems = Problems::within(budget);
        match Asset::parse(bytes) {
            Ok(asset) => asset.verify(&mut problems),
            Err(error) => problems.error(&error),
        }
        problems.into_vec().iter().map(|problem| (problem.severity, problem.code)).collect::<Vec<_>>()
    };
    assert!(verify(&many, Budget::unlimited(&limits)).is_empty());
    let one = [(Severity::Error, Code::Cancelled)];
    for budget in [Budget::new(many.len() as u64, &limits), Budget::unlimited(&limits)] {
        let flag = Arc::new(AtomicBool::new(false));
        let until = Until::new(flag.clone());
        let (clone, fork) = (budget.clone(), budget.fork());
        assert!(verify(&many, budget.clone()).is_empty());
        flag.store(true, Ordering::Relaxed);
        for budget in [&budget, &clone, &fork] {
            assert_eq!(verify(&many, budget.clone()), one);
            assert_eq!(verify(&bytes, budget.clone()), one);
        }
        // Other threads are stopped only if their budget was made meanwhile, and this one only until the guard is gone.
        let made_meanwhile = Budget::unlimited(&limits);
        std::thread::scope(|scope| {
            let other = scope.spawn(|| verify(&bytes, fork));
            assert!(other.join().unwrap().is_empty());
            let other = scope.spawn(|| verify(&bytes, made_meanwhile));
            assert_eq!(other.join().unwrap(), one);
        });
        drop(until);
        assert!(verify(&many, budget).is_empty());
    }
    // While it works: all is done, or one problem says that it is not.
    let mut ended = 0;
    for round in 0..40 {
        let flag = Arc::new(AtomicBool::new(false));
        let seen = flag.clone();
        let codes = std::thread::scope(|scope| {
            let verified = scope.spawn(|| {
                let _until = Until::new(seen);
                verify(&many, Budget::new(many.len() as u64, &limits))
            });
            std::thread::sleep(Duration::from_micros(round * 50));
            flag.store(true, Ordering::Relaxed);
            verified.join().unwrap()
        });
        assert!(codes.is_empty() || codes == one, "{codes:?}");
        ended += codes.len();
    }
    println!("{ended} of 40 were stopped");
}

/// Parsing and summaries are stopped as well: long lists of chunks, classes, faces, levels of detail and members.
#[test]
fn a_stopped_summary_has_one_problem() {
    use crate::writer::{b3d, lodka, mlod, odol, pbo, rap};

    let many = 20_000;
    let face = mlod::face(&[0, 1, 2], "", "");
    let values: Vec<_> = (0..many).map(|index| rap::value(&format!("v{index}"), "1")).collect();
    let mut archive = pbo::Writer::new().product(&[]);
    for index in 0..many {
        archive = archive.stored(format!("{index}.txt").as_bytes(), b"");
    }
    let members: Vec<Entry> = (0..many).map(|index| Entry::stored(format!("{index}.txt"), b"")).collect();
    let files = [
        b3d::scene((0..many).map(|_| b3d::node("n", []))).to_vec(),
        lodka::file([lodka::meshes(&vec![lodka::Mesh::default(); many])]).to_vec(),
        rap::file(&rap::root(values), &[]).to_vec(),
        mlod::model(&[mlod::lod(3, &vec![face; many], &[], 1.0)]).to_vec(),
        odol::Model::new(49, vec![odol::Lod::strip(1.0, 20_000); 60]).to_vec(),
        archive.finish(pbo::Tail::Sha1),
        zip(&members, b"").to_vec(),
    ];
    let codes = |bytes: &[u8]| match Asset::parse(bytes) {
        Err(error) => vec![error.code()],
        Ok(asset) => asset.summarize().problems.iter().map(|problem| problem.code).collect(),
    };
    for bytes in files {
        let head = bytes.first_chunk::<4>();
        assert!(!codes(&bytes).contains(&Code::Cancelled), "{head:?}");
        let _until = Until::new(Arc::new(true.into()));
        assert_eq!(codes(&bytes), [Code::Cancelled], "{head:?}");
    }
}

#[test]
fn every_code_is_produced_explained_and_documented() {
    let folder = Folder::new("codes");
    let config = others(&folder);
    let mut produced = BTreeSet::new();
    let paths = [Path::new("corpus"), &folder.0, &config].map(|path| path.to_str().unwrap());
    let mut records = lines(&run([&["verify", "--lint", "--format", "ndjson"], paths.as_slice()].concat()));
    // Among files of which some cannot be read, no key is missing.
    let signed = folder.0.join("signed");
    records.extend(lines(&run(["verify", "--format", "ndjson", signed.to_str().unwrap()])));
    for record in records {
        for problem in record["problems"].as_array().unwrap() {
            produced.insert(problem["code"].as_str().unwrap().to_owned());
        }
    }
    let all: BTreeSet<String> = Code::ALL.iter().map(|code| code.name().to_owned()).collect();
    // No file has these by itself: they depend on the limits, the system and the caller.
    let is_of_others = |code: &Code| matches!(code.class(), Class::Limit | Class::Io | Class::Cancelled);
    produced.extend(Code::ALL.iter().filter(|code| is_of_others(code)).map(|code| code.name().to_owned()));
    assert_eq!(produced, all, "produced, and all");
    let explained: BTreeSet<String> = lines(&run(["explain", "--format", "ndjson"]))
        .iter()
        .map(|row| row["code"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(explained, all, "explained, and all");
    let page = text("cli/PROBLEMS.md");
    let sections: BTreeSet<String> =
        page.lines().filter_map(|line| Some(line.strip_prefix("## `")?.strip_suffix('`')?.to_owned())).collect();
    assert_eq!(sections, all, "documented, and all");
    let guide = text("GUIDE.md");
    let authors = text("site/src/lint.md");
    let module = text("src/scan/lint/mod.rs");
    for code in Code::ALL {
        assert!(guide.contains(&format!("\n| `{}` |", code.class())), "{code} in GUIDE.md");
        let name = format!("`{code}`");
        let is_in_rows = |text: &str| text.lines().any(|line| line.contains("| `") && line.contains(&name));
        if code.class() == Class::Lint {
            assert!(is_in_rows(&authors), "{code} in site/src/lint.md");
            assert!(is_in_rows(&module) || matches!(code, Code::Bones | Code::Stale), "{code} in src/scan/lint");
        }
    }
}
