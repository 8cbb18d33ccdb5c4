//! Bytes and their names.

use serde_json::Value as Json;

use crate::support::files::root;
use crate::support::mutate::Random;
use crate::support::program::{code, lines, run, stderr, stdout};
use crate::writer;

/// Returns the lines of a file's tree, or `None` if the file does not open.
fn tree(path: &str, more: &[&str]) -> Option<Vec<Json>> {
    let output = run(["tree", "--format", "ndjson", path].iter().chain(more));
    assert!(matches!(code(&output), 0 | 1), "{path}: {}", stderr(&output));
    let said = stderr(&output);
    // An error of a file that opens is a note.
    let is_note =
        said.starts_with(&format!("{path}: the file has errors that no line shows: ")) && said.lines().count() == 1;
    assert_eq!(code(&output) == 1, !said.is_empty() && !is_note, "{path}: {said}");
    leaves(path, if more.contains(&"--fields") { lines(&output) } else { innermost(lines(&output)) });
    (code(&output) == 0).then(|| lines(&output))
}

/// Marks parts that have no lines inside as gaps, because an overview shows only their location. Removes lines without
/// one.
fn innermost(mut lines: Vec<Json>) -> Vec<Json> {
    lines.retain(|line| !line["offset"].is_null());
    for index in 0..lines.len() {
        let is_around =
            lines.get(index + 1).is_some_and(|next| next["depth"].as_u64() > lines[index]["depth"].as_u64());
        if lines[index]["kind"] == "part" && !is_around && lines[index]["bytes"] != 0 {
            lines[index]["kind"] = "gap".into();
        }
    }
    lines
}

/// Returns the lines with bytes that are not parts, and checks that they cover the file.
fn leaves(path: &str, lines: Vec<Json>) -> Vec<Json> {
    let size = root().join(path).metadata().unwrap().len();
    let mut at = 0;
    let leaves: Vec<Json> =
        lines.into_iter().filter(|line| line["kind"] != "part" && !line["bytes"].is_null()).collect();
    for leaf in &leaves {
        assert_eq!(leaf["offset"], at, "{path}: {leaf}");
        let bytes = leaf["bytes"].as_u64().unwrap();
        assert!(bytes > 0, "{path}: {leaf}");
        at += bytes;
    }
    assert_eq!(at, size, "{path}");
    leaves
}

#[test]
fn leaves_of_a_tree_tile_the_file() {
    let (mut opened, mut files) = (0, 0);
    for (name, _) in writer::corpus() {
        let path = format!("corpus/{name}");
        files += 1;
        let Some(fields) = tree(&path, &["--fields"]) else { continue };
        opened += 1;
        leaves(&path, fields);
        let parts = leaves(&path, innermost(tree(&path, &[]).unwrap()));
        assert!(parts.iter().all(|leaf| leaf["kind"] != "field" || leaf["name"] == "fields"), "{path}");
    }
    assert!(opened * 2 > files, "{opened} of {files}");
}

const FILES: [&str; 4] =
    ["corpus/b3d/everything.b3d", "corpus/rtm/plain.rtm", "corpus/mlod/everything.p3d", "corpus/lodka/everything.lod"];

/// A file of each format.
const EACH: [&str; 14] = [
    "corpus/b3d/everything.b3d",
    "corpus/bmx/full.bmx",
    "corpus/lodka/everything.lod",
    "corpus/odol/v52_lzo.p3d",
    "corpus/rtm/v5_packed.rtm",
    "corpus/rtm/plain.rtm",
    "corpus/mlod/everything.p3d",
    "corpus/paa/dxt5_lzo.paa",
    "corpus/pbo/addon.pbo",
    "corpus/rap/everything.bin",
    "corpus/texheaders/everything.bin",
    "corpus/bisign/maker_1.2.bikey",
    "corpus/bisign/shed.pbo.maker_1.2.bisign",
    "corpus/zip/assets.zip",
];

/// The lines of a shallow tree, or of some kinds, are lines of the whole one.
#[test]
fn levels_and_kinds_of_a_tree_are_chosen() {
    let tree = |path: &str, more: &[&str]| lines(&run([&["tree", path, "--format", "ndjson"], more].concat()));
    for path in EACH {
        let (all, fields) = (tree(path, &[]), tree(path, &["--fields"]));
        for depth in 1..4_u64 {
            let expected: Vec<&Json> = all.iter().filter(|line| line["depth"].as_u64().unwrap() < depth).collect();
            let found = tree(path, &["--depth", &depth.to_string()]);
            assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{path} to {depth}");
        }
        for (kinds, all) in [("part", &all), ("array,part", &all), ("field", &fields), ("gap", &fields)] {
            let is_kind = |line: &&Json| kinds.split(',').any(|kind| line["kind"] == kind);
            let found = tree(path, &["--only", kinds]);
            assert_eq!(
                found.iter().collect::<Vec<_>>(),
                all.iter().filter(is_kind).collect::<Vec<_>>(),
                "{path}: {kinds}"
            );
        }
    }
    // In a part, levels are counted from it.
    let found = tree("corpus/mlod/everything.p3d", &["lods/0/faces/0", "--depth", "1", "--fields"]);
    assert_eq!(found.iter().map(|line| &line["selector"]).collect::<Vec<_>>(), ["lods/0/faces/0"]);
    for wrong in [["--depth", "0"], ["--only", "chunk"]] {
        assert_eq!(code(&run(["tree", "corpus/b3d/triangle.b3d"].iter().chain(&wrong))), 2);
    }
}

#[test]
fn a_text_of_a_given_length_is_not_shown_as_one_up_to_nul() {
    let fields = tree("corpus/zip/assets.zip", &["--fields"]).unwrap();
    let names: Vec<_> = fields.iter().filter(|line| line["name"] == "name").collect();
    assert!(!names.is_empty());
    assert!(names.iter().all(|name| name["type"] == "text"), "{names:?}");
}

#[test]
fn hex_shows_the_parts_around_a_byte() {
    let mut random = Random(0x1357_9bdf);
    for path in EACH {
        let leaves = leaves(path, tree(path, &["--fields"]).unwrap());
        let size = root().join(path).metadata().unwrap().len();
        let mut places: Vec<u64> = (0..1_000).map(|_| random.below(size as usize) as u64).collect();
        places[..2].copy_from_slice(&[0, size - 1]);
        let number = |&at: &u64| if at % 2 == 0 { at.to_string() } else { format!("{at:#x}") };
        let asked: Vec<String> = places.iter().map(number).collect();
        let text = stdout(&run(["hex", path, "--at", &asked.join(",")]));
        let blocks: Vec<&str> = text.trim_end().split("\n\n").collect();
        assert_eq!(blocks.len(), places.len(), "{path}");
        for (at, block) in places.into_iter().zip(blocks) {
            let holds = |line: &&Json| {
                let (offset, bytes) = (line["offset"].as_u64().unwrap(), line["bytes"].as_u64().unwrap());
                (offset..offset + bytes).contains(&at)
            };
            let leaf = leaves.iter().find(holds).unwrap();
            let mut words = block.lines().next().unwrap().split_whitespace();
            let offset = format!("{:#010x}", leaf["offset"].as_u64().unwrap());
            assert_eq!(words.next(), Some(&*offset), "{path} at {at}: {block}");
            assert_eq!(words.next(), Some(&*leaf["bytes"].to_string()), "{path} at {at}: {block}");
            if let Some(selector) = leaf["selector"].as_str() {
                assert_eq!(words.next(), Some(selector), "{path} at {at}: {block}");
            }
            let root = block.lines().last().unwrap();
            assert!(root.starts_with("0x00000000") && root.ends_with(" file"), "{path} at {at}: {block}");
        }
        assert_eq!(code(&run(["hex", path, "--at", &size.to_string()])), 2);
    }
}

#[test]
fn names_and_paths_of_problems_lead_to_parts() {
    let path = FILES[0];
    for [name, number] in [
        ["nodes/@branch", "nodes/1"],
        ["nodes/@twig/keys/1", "nodes/2/keys/1"],
        ["meshes/@fruit/vertices", "meshes/1/vertices"],
        ["nodes[1].keys[0].flags", "nodes/1/keys/0/flags"],
        ["meshes[1].triangles[0].indices", "meshes/1/triangles/0/indices"],
    ] {
        for verb in [&["hex"][..], &["tree"], &["tree", "--fields"], &["tree", "--fields", "--format", "ndjson"]] {
            let of = |selector| run([verb, &[path, selector]].concat());
            let (named, numbered) = (of(name), of(number));
            assert_eq!((code(&named), code(&numbered)), (0, 0), "{verb:?} {name}: {}", stderr(&named));
            assert!(!named.stdout.is_empty());
            assert_eq!(stdout(&named), stdout(&numbered), "{verb:?} {name}");
        }
    }
    // Data between the bytes of other arrays is shown with those.
    let positions = stdout(&run(["hex", path, "meshes[0].positions"]));
    assert!(positions.contains("records {x f32"), "{positions}");
    // An array is shown with the count before it.
    for (path, array) in [(FILES[3], "meshes/0/positions"), (EACH[3], "lods/0/positions")] {
        let lines = tree(path, &["--fields"]).unwrap();
        let its: Vec<&Json> = lines.iter().filter(|line| line["selector"] == array).collect();
        let (first, last) = (its[0], its[its.len() - 1]);
        assert!(its.len() > 1 && last["kind"] == "array", "{its:#?}");
        let number = |line: &Json, key: &str| line[key].as_u64().unwrap() as usize;
        let all = number(first, "offset")..number(last, "offset") + number(last, "bytes");
        let shown = dumped(&stdout(&run(["hex", path, array])), all.start as u64);
        assert!(shown.len() > 4);
        assert_eq!(shown, std::fs::read(root().join(path)).unwrap()[all], "{path}");
    }
    let inside = lines(&run(["tree", "--format", "ndjson", "--fields", path, "nodes/1"]));
    assert_eq!(inside[0]["selector"], "nodes/1");
    assert!(inside.iter().any(|line| line["selector"] == "bones/0/weights"), "{inside:#?}");
    assert!(inside.iter().all(|line| line["selector"] != "nodes/0"));
    for (verb, selector, hint) in [
        ("hex", "nodes/@nobody", "is no part, array or field"),
        ("tree", "nodes[1].transform", "is no part, array or field; nodes/1 is"),
        ("hex", "nodes/1/keys[7]", "is no part, array or field; nodes/1 is"),
    ] {
        let output = run([verb, path, selector]);
        assert_eq!(code(&output), 2, "{verb} {selector}");
        assert!(stderr(&output).contains(hint), "{verb} {selector}: {}", stderr(&output));
        assert!(!stderr(&output).contains("errors"), "{verb} {selector}: {}", stderr(&output));
    }
    // In a file with errors, it may be in what cannot be read.
    for verb in ["dump", "hex", "tree"] {
        let output = run([verb, "corpus/mod/trees/cut.b3d", "meshes/9/positions"]);
        assert_eq!(code(&output), 2, "{verb}");
        assert!(stderr(&output).contains("; the file has errors: length: needs 12001 bytes"), "{}", stderr(&output));
    }
}

#[test]
fn a_range_outside_the_selection_is_an_error() {
    let part = lines(&run(["tree", "--format", "ndjson", FILES[0], "meshes/0"]))[0].clone();
    let first = part["offset"].as_u64().unwrap();
    let outside = run(["hex", FILES[0], "meshes/0", "--range", &format!("0..{first}")]);
    assert_eq!((code(&outside), stdout(&outside)), (2, String::new()));
    assert!(stderr(&outside).contains("outside the range"), "{}", stderr(&outside));
    let meets = run(["hex", FILES[0], "meshes/0", "--range", &format!("0..{}", first + 4)]);
    assert_eq!(dumped(&stdout(&meets), first), b"MESH");
}

/// Returns the bytes of a dump, and checks each row's offset.
fn dumped(text: &str, first: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    for line in text.lines() {
        let Some((place, rest)) = line.split_once("  ") else { continue };
        let Ok(place) = u64::from_str_radix(place, 16) else { continue };
        assert_eq!(place, first + bytes.len() as u64, "{line}");
        let digits: String = rest.split("  ").next().unwrap().split(' ').collect();
        bytes.extend((0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap()));
    }
    bytes
}

#[test]
fn hex_shows_every_byte_at_every_width() {
    for path in FILES {
        let bytes = std::fs::read(root().join(path)).unwrap();
        for columns in ["80", "140"] {
            let output = crate::support::program::program()
                .env("COLUMNS", columns)
                .args(["hex", path, "--range", "0.."])
                .output()
                .unwrap();
            let text = stdout(&output);
            let longest = text.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(longest <= columns.parse().unwrap(), "{path}: {longest}");
            assert_eq!(dumped(&text, 0), bytes, "{path}");
        }
        let some = stdout(&run(["hex", path, "--range", "0x5..9"]));
        assert_eq!(dumped(&some, 5), bytes[5..9]);
        let all = tree(path, &["--fields"]).unwrap();
        for part in all.iter().filter(|line| line["kind"] == "part" && line["bytes"].as_u64() > Some(0)).take(5) {
            let (offset, count) = (part["offset"].as_u64().unwrap(), part["bytes"].as_u64().unwrap());
            let text = stdout(&run(["hex", path, part["selector"].as_str().unwrap()]));
            assert_eq!(dumped(&text, offset), bytes[offset as usize..(offset + count) as usize], "{path}: {part}");
        }
    }
    for wrong in [&["nodes/9"][..], &["--range", "9..5"], &["--at", "x"], &["--range", "99999999.."]] {
        assert_eq!(code(&run([&["hex", FILES[0]], wrong].concat())), 2, "{wrong:?}");
    }
}

#[test]
fn long_leaves_are_cut_unless_they_are_asked_for() {
    let path = FILES[0];
    let whole = stdout(&run(["hex", path]));
    assert!(whole.contains("more bytes; --range"), "{whole}");
}

#[test]
fn schema_lists_the_fields_of_a_format() {
    let output = run(["schema", "mlod", "--format", "ndjson"]);
    let rows = lines(&output);
    let row = rows.iter().find(|row| row["record"] == "FileHeader" && row["field"] == "lod_count").unwrap();
    assert_eq!((&row["format"], &row["bytes"]), (&Json::from("mlod"), &Json::from(4)));
    let text = stdout(&run(["schema", "mlod"]));
    assert!(text.contains("mlod FileHeader  12 bytes") && text.contains("lod_count"), "{text}");
    let all = lines(&run(["schema", "--format", "ndjson"]));
    assert!(all.len() > rows.len() && all.iter().any(|row| row["gate"].is_string() && row["document"].is_string()));
    assert_eq!(code(&run(["schema", "fly"])), 2);
}
