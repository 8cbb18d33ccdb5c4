//! Paths that `verify` and `info` print are selectors.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use crate::support::files::root;
use crate::support::program::{Folder, code, lines, run, stderr, stdout};
use crate::writer::{self, b3d, odol};

/// The path at the start of a problem's message.
fn path(message: &str) -> Option<&str> {
    let (path, _) = message.split_once(": ")?;
    let path = path.split_once(" (").map_or(path, |(path, _)| path);
    let is_path = path.starts_with(|c: char| c.is_ascii_alphabetic())
        && path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_[].".contains(&byte));
    is_path.then_some(path)
}

fn problems(file: &str) -> Vec<Json> {
    let records = lines(&run(["verify", "-q", "--format", "ndjson", file]));
    let own = records.into_iter().filter(|record| record["member"].is_null());
    own.flat_map(|record| record["problems"].as_array().unwrap().clone()).collect()
}

#[test]
fn every_path_of_a_problem_is_a_selector_of_every_verb() {
    let mut tried = BTreeSet::new();
    for (name, _) in writer::corpus().into_iter().filter(|(name, _)| name.starts_with("hostile/")) {
        let file = format!("corpus/{name}");
        let messages: Vec<String> =
            problems(&file).iter().map(|problem| problem["message"].as_str().unwrap().to_owned()).collect();
        // If a whole list is wrong, only some of its items are tried.
        for path in messages.iter().filter_map(|message| path(message)).take(8) {
            if !tried.insert((file.clone(), path.to_owned())) {
                continue;
            }
            for verb in ["hex", "tree"] {
                let output = run([verb, &file, path]);
                // 1 if the file does not open at all: its bytes are shown.
                assert!(matches!(code(&output), 0 | 1), "{verb} {file} {path}: {}", stderr(&output));
                assert!(!output.stdout.is_empty(), "{verb} {file} {path}");
            }
            let dump = run(["dump", &file, path]);
            let cause = messages.iter().filter_map(|message| message.split_once(": "));
            let cause = cause.filter(|(at, _)| at.starts_with(path)).any(|(_, cause)| stderr(&dump).contains(cause));
            let says_why = cause || stderr(&dump).contains("cannot be decoded");
            let opens = code(&run(["tree", &file])) == 0;
            assert!(code(&dump) == 0 || says_why || !opens, "dump {file} {path}: {}", stderr(&dump));
            assert!(!stderr(&dump).contains("nearest:"), "{file} {path}: {}", stderr(&dump));
        }
    }
    assert!(tried.len() > 100, "{}", tried.len());
}

#[test]
fn a_number_after_an_array_is_a_row() {
    let folder = Folder::new("row");
    let file = folder.file("strip.p3d", odol::Model::new(48, vec![odol::Lod::strip(1.0, 6)]).to_vec());
    let file = file.to_str().unwrap();
    let all = stdout(&run(["dump", file, "lods/0/faces"]));
    let second = all.lines().nth(2).unwrap();
    for path in ["lods[0].faces[1]", "lods/0/faces/1"] {
        assert_eq!(stdout(&run(["dump", file, path])), format!("a,b,c,d\n{second}\n"));
        let hex = stdout(&run(["hex", file, path]));
        assert!(hex.contains("corners u16"), "{hex}");
        assert_eq!(code(&run(["tree", "--fields", file, path])), 0);
    }
    assert_eq!(code(&run(["dump", file, "lods/0/faces/99"])), 2);
    // A row of an array in place is a range of the file.
    let file = "corpus/b3d/everything.b3d";
    let hex = stdout(&run(["hex", file, "meshes/0/triangles/0/indices/0"]));
    let digits: String =
        hex.lines().filter(|line| line.starts_with("00000")).map(|line| line[10..45].replace(' ', "")).collect();
    assert_eq!(digits, "000000000100000002000000", "{hex}");
}

#[test]
fn a_field_or_part_can_be_dumped() {
    let file = "corpus/b3d/everything.b3d";
    let field = stdout(&run(["dump", file, "nodes[1].keys[0].flags"]));
    assert!(field.starts_with("field,value\nnodes/1/keys/0/flags,"), "{field}");
    let part = stdout(&run(["dump", file, "meshes[0].vertices"]));
    assert!(part.contains("meshes/0/vertices/records"), "{part}");
    assert!(!part.contains("meshes/1"), "{part}");
    assert_eq!(code(&run(["dump", file, "nodes[1].keys[0].flags", "--format", "npy"])), 2);
}

#[test]
fn fields_of_a_packed_table_lead_to_its_entry() {
    let output = run(["hex", "corpus/bmx/full.bmx", "meshes[0].faces"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stdout(&output).starts_with("entries/2  \"mesh.bm\""), "{}", stdout(&output));
    assert!(
        stderr(&output).contains("82 bytes at 0x74 of mesh.bm, which is packed in entries/2"),
        "{}",
        stderr(&output)
    );
    let dump = stdout(&run(["dump", "corpus/bmx/full.bmx", "meshes/0/faces"]));
    assert_eq!(dump.lines().count(), 3);
}

#[test]
fn undecodable_data_is_not_mistaken_for_other_data() {
    let file = "corpus/hostile/broken_stream.p3d";
    let output = run(["dump", file, "lods/0/uvs/0"]);
    assert_eq!(code(&output), 2);
    let said = stderr(&output);
    assert!(said.contains("lods/0/uvs/0 cannot be decoded: ") && said.contains("LZO"), "{said}");
    assert!(!said.contains("nearest:"), "{said}");
    // A misspelled name still gets a hint; a name that only another item would have does not.
    assert!(stderr(&run(["dump", file, "lods/1/uv/0"])).contains("nearest: lods/1/uvs/0"));
    assert!(!stderr(&run(["dump", file, "lods/7/uvs/0"])).contains("nearest: lods/1/uvs/0"));
}

#[test]
fn info_and_verify_name_the_same_part() {
    let folder = Folder::new("same");
    let cut = b3d::chunk(b"KEYS", writer::bytes::Bytes::new().u32(1).i32(4));
    let model = b3d::scene([b3d::node("a", [b3d::keys(1, [1]), cut])]).to_vec();
    let file = folder.file("keys.b3d", model);
    let file = file.to_str().unwrap();
    let info: Json = serde_json::from_str(&stdout(&run(["info", "--json", file]))).unwrap();
    let message = info["problems"][0]["message"].as_str().unwrap();
    assert!(message.starts_with("nodes[0].keys[1].records: "), "{message}");
    assert_eq!(problems(file)[0]["message"], message);
}

#[test]
fn lods_go_by_the_name_that_info_shows() {
    let file = "corpus/odol/v50_lzo.p3d";
    assert!(stdout(&run(["info", file])).contains("Visual 1"));
    for selector in ["lods/@Visual 1/positions", "lods/@1/positions"] {
        let output = run(["dump", file, selector]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert_eq!(stdout(&output), stdout(&run(["dump", file, "lods/0/positions"])));
    }
    assert_eq!(code(&run(["hex", file, "lods/@Visual 1"])), 0);
    assert_eq!(code(&run(["tree", "corpus/mlod/everything.p3d", "lods/@Visual 1"])), 0);
    assert_eq!(code(&run(["dump", file, "lods/@Visual 9/positions"])), 2);
}

#[test]
fn hex_shows_valid_offsets_before_it_reports_invalid_ones() {
    let file = "corpus/b3d/everything.b3d";
    let size = root().join(file).metadata().unwrap().len();
    for bad in [size.to_string(), "x".to_owned()] {
        let output = run(["hex", file, "--at", &format!("5,{bad},20")]);
        assert_eq!(code(&output), 1);
        let (five, twenty) = (stdout(&run(["hex", file, "--at", "5"])), stdout(&run(["hex", file, "--at", "20"])));
        assert_eq!(stdout(&output), format!("{five}\n{twenty}"));
        assert!(stderr(&output).contains(&bad), "{}", stderr(&output));
        assert_eq!(code(&run(["hex", file, "--at", &bad])), 2);
    }
}

#[test]
fn hex_shows_row_column_type_and_value_in_an_array() {
    let file = "corpus/b3d/everything.b3d";
    let tree = lines(&run(["tree", "--fields", "--format", "ndjson", file]));
    let array = tree.iter().find(|line| line["selector"] == "meshes/0/vertices/records").unwrap();
    let csv = stdout(&run(["dump", file, "meshes/0/vertices/records"]));
    let names: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    let rows: Vec<Vec<&str>> = csv.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let row_bytes = 4 * names.len() as u64;
    for (row, column, byte) in [(0, 0, 0), (2, 1, 3), (3, names.len() - 1, 2)] {
        let at = array["offset"].as_u64().unwrap() + row as u64 * row_bytes + 4 * column as u64 + byte;
        let text = stdout(&run(["hex", file, "--at", &at.to_string()]));
        let cell = format!("row {row}, {}: f32 {}", names[column], rows[row][column]);
        assert!(text.contains(&cell), "{cell} is not in {text}");
    }
}

#[test]
fn bytes_of_unknown_files_are_shown_with_their_characters() {
    let folder = Folder::new("plain");
    let file = folder.file("notes.p3d", b"no model at all \x00\x01");
    let file = file.to_str().unwrap();
    let hex = run(["hex", file]);
    assert_eq!(code(&hex), 1);
    assert_eq!(
        stdout(&hex),
        "00000000  6e6f206d 6f64656c 20617420 616c6c20  no model at all \n00000010  0001                                 ..\n"
    );
    assert!(stderr(&hex).contains("unrecognized format"), "{}", stderr(&hex));
    let at = run(["hex", file, "--at", "17"]);
    assert!(code(&at) == 1 && stdout(&at).contains("(byte 17 of it)"), "{}", stdout(&at));
    let tree = run(["tree", file]);
    assert!(code(&tree) == 1 && stdout(&tree).contains("unrecognized format"), "{}", stdout(&tree));
    // For an unsupported version, signature and version are known.
    let newer = run(["tree", "--format", "ndjson", "corpus/hostile/v76.p3d"]);
    let leaves = lines(&newer);
    assert_eq!((&leaves[0]["name"], &leaves[0]["value"]), (&Json::from("signature"), &Json::from("ODOL")));
    assert_eq!((&leaves[1]["name"], &leaves[1]["value"]), (&Json::from("version"), &Json::from(76)));
    assert_eq!(leaves[2]["kind"], "gap");
    assert!(stderr(&newer).contains("newer than this reader"), "{}", stderr(&newer));
    // The rest of a long file is shown on request.
    let long = folder.file("long.p3d", [b'x'; 5000]);
    let some = stdout(&run(["hex".as_ref(), long.as_os_str()]));
    assert!(some.contains("more bytes; --range 0x200..0x1388 shows them") && some.lines().count() == 33, "{some}");
    assert_eq!(
        stdout(&run(["hex".as_ref(), long.as_os_str(), "--range".as_ref(), "0..".as_ref()])).lines().count(),
        313
    );
}
