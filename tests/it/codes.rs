//! Every code of a problem has a file that produces it, an explanation, and its rows in the documents.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use meshpeek::address::open_member;
use meshpeek::ranges::Ranges;
use meshpeek::source::Access;
use meshpeek::summary::{Class, Code};
use meshpeek::{Asset, Budget, Error, FileMap, Limits};

use crate::lint;
use crate::support::files::root;
use crate::support::program::{Folder, lines, run};
use crate::writer::shapes::Shape;
use crate::writer::zip::{Entry, zip};
use crate::writer::{bmx, lodka, odol, rtm, texheaders};

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
    fs::write(&path, [bytes.as_slice(), b"more"].concat()).unwrap();
    assert_eq!(map.unchanged().unwrap_err().code(), Code::Changed);
    let ranges = Ranges::new(1_000);
    assert_eq!(Asset::parse_ranges(&ranges, &Limits::default()).unwrap_err().code(), Code::Incomplete);
    let stopped = Budget::unlimited(&Limits::default()).until(Arc::new(true.into()));
    assert_eq!(stopped.work(1).unwrap_err().code(), Code::Cancelled);
    let zip = zip(&[Entry::stored("a.b3d", &bytes)], b"").to_vec();
    for member in ["b.b3d", "a.b3d!/deeper", "b.b3d!/deeper"] {
        let budget = Budget::unlimited(&Limits::default());
        let opened = open_member(Path::new("x.zip"), &zip, Some(member.as_bytes()), &budget);
        assert_eq!(opened.map(|opened| opened.bytes).unwrap_err().code(), Code::NotFound, "{member}");
    }
}

#[test]
fn every_code_is_produced_explained_and_documented() {
    let folder = Folder::new("codes");
    let config = others(&folder);
    let mut produced = BTreeSet::new();
    let paths = [Path::new("corpus"), &folder.0, &config].map(|path| path.to_str().unwrap());
    for record in lines(&run([&["verify", "--lint", "--format", "ndjson"], paths.as_slice()].concat())) {
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
