//! Runs the program.

mod config_text;
mod data;
mod described;
mod extract;
mod fields;
mod fit;
#[cfg(unix)]
mod interrupt;
mod keys;
mod ls;
mod output_file;
mod paths;
mod places;
mod status;
#[cfg(unix)]
mod terminal;
mod walk;
mod windows;

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::Value as Json;

use crate::support::files::root;
use crate::support::program::{Folder, code, lines, program, run, stderr, stdout};

const EVERYTHING: &str = "corpus/b3d/everything.b3d";

#[test]
fn scan_gives_a_record_for_each_asset() {
    let output = run(["scan", "corpus/b3d", "--digests"]);
    assert_eq!(code(&output), 0);
    assert!(stderr(&output).contains("assets in"), "{}", stderr(&output));
    let records = lines(&output);
    assert_eq!(records.len(), crate::writer::b3d::corpus().len());
    let everything = records.iter().find(|record| record["path"] == EVERYTHING).unwrap();
    assert_eq!(everything["format"], "b3d");
    assert_eq!(everything["version"], 1);
    assert_eq!(everything["member"], Json::Null);
    assert_eq!(everything["counts"]["nodes"], 5);
    assert_eq!(everything["references"][0]["kind"], "texture");
    assert_eq!(everything["references"][0]["name"], "C:\\art work\\bark.bmp");
    assert_eq!(everything["digests"]["positions"].as_str().unwrap().len(), 64);
    let without = run(["scan", EVERYTHING]);
    assert!(lines(&without)[0].get("digests").is_none());
}

#[test]
fn a_damaged_asset_never_ends_a_scan() {
    let output = run(["scan", "corpus/hostile"]);
    assert_eq!(code(&output), 0);
    let records = lines(&output);
    let files = records.iter().filter(|record| record["member"].is_null()).count();
    assert_eq!(files, std::fs::read_dir(root().join("corpus/hostile")).unwrap().count());
    let lost = records.iter().find(|record| record["path"] == "corpus/hostile/no_signature.b3d").unwrap();
    assert_eq!(lost["problems"][0]["code"], "other.unknown");
    assert_eq!((&lost["format"], &lost["version"]), (&Json::Null, &Json::Null));
    assert_eq!(lost["counts"]["vertices"], Json::Null);
}

#[test]
fn scan_writes_tables_and_csv_too() {
    let table = stdout(&run(["scan", "corpus/b3d", "--format", "table"]));
    assert!(table.contains("contents"), "{table}");
    assert!(table.contains("corpus/b3d/triangle.b3d"), "{table}");
    assert!(table.contains("1 node, 1 mesh, 1 surface, 3 vertices, 1 triangle"), "{table}");
    let output = run(["scan", "corpus/b3d", "--format", "csv", "--digests"]);
    let text = stdout(&output);
    let mut csv = csv::Reader::from_reader(text.as_bytes());
    let header = csv.headers().unwrap().clone();
    let column = |name: &str| header.iter().position(|column| column == name).unwrap();
    let rows: Vec<_> = csv.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), crate::writer::b3d::corpus().len());
    let row = rows.iter().find(|row| &row[column("path")] == "corpus/b3d/triangle.b3d").unwrap();
    assert_eq!((&row[column("vertices")], &row[column("lods")], &row[column("errors")]), ("3", "", "0"));
    assert_eq!(row[column("sha256_positions")].len(), 64);
}

#[test]
fn a_path_alone_is_shown_or_scanned() {
    let same = |short: &[&str], long: &[&str]| {
        let [short_output, long_output] = [short, long].map(|args| run(args.iter()));
        assert_eq!(code(&short_output), code(&long_output), "{short:?}");
        assert_eq!(stdout(&short_output), stdout(&long_output), "{short:?}");
        assert!(!stdout(&short_output).is_empty(), "{short:?}: {}", stderr(&short_output));
    };
    same(&[EVERYTHING], &["info", EVERYTHING]);
    same(&[EVERYTHING, "--json"], &["info", EVERYTHING, "--json"]);
    same(&["corpus/zip/nested.zip!/2.zip"], &["info", "corpus/zip/nested.zip!/2.zip"]);
    let sorted = ["corpus/b3d", "corpus/paa", "--columns", "path", "--sort", "path"];
    same(&sorted, &[&["scan"], sorted.as_slice()].concat());
    same(&sorted[1..], &[&["scan"], &sorted[1..]].concat());
    for (alias, verb) in [("inspect", "info"), ("view", "info"), ("check", "verify"), ("validate", "verify")] {
        same(&[alias, "corpus/hostile/cut_in_vertices.b3d"], &[verb, "corpus/hostile/cut_in_vertices.b3d"]);
    }
    let output = run(["corpus/none.b3d"]);
    assert!(code(&output) == 2 && stderr(&output).contains("unrecognized subcommand"), "{}", stderr(&output));
    let output = run(["info", "corpus/b3d"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("corpus/b3d: is a folder; `meshpeek scan` reads folders"), "{}", stderr(&output));
}

#[test]
fn assets_without_a_key_are_counted() {
    let scan = |flags: &[&str]| {
        let output = run([&["scan", "corpus/b3d", "corpus/paa", "corpus/hostile/no_signature.b3d"], flags].concat());
        (lines(&output), stderr(&output))
    };
    let (all, says) = scan(&[]);
    assert!(!says.contains("match") && !says.contains("have no"), "{says}");
    let has = |record: &Json| record["counts"]["triangles"].is_number();
    let assets = all.iter().filter(|record| record["path"] != "corpus/hostile/no_signature.b3d").count();
    let lacking = all.iter().filter(|record| !has(record)).count() - (all.len() - assets);
    assert!(lacking > 10);
    let (found, says) = scan(&["--where", "triangles >= 1 and bytes > 0"]);
    assert!(says.contains(&format!("\n{} of {assets} assets match\n", found.len())), "{says}");
    let line = format!("\n{lacking} assets have no triangles: no comparison with it holds\n");
    assert!(says.contains(&line) && !says.contains("no bytes"), "{says}");
    let (sorted, says) = scan(&["--sort=-triangles"]);
    assert!(says.contains(&format!("\n{lacking} assets have no triangles: sorted last\n")), "{says}");
    assert!(sorted.iter().map(has).is_sorted_by(|a, b| a >= b));
    // Only those that are sorted count.
    let (_, says) = scan(&["--sort=-triangles", "--where", "format = 'b3d'"]);
    assert!(!says.contains("have no"), "{says}");
    let (_, says) = scan(&["--sort", "bytes", "--where", "nodes = 987654"]);
    assert!(says.contains(&format!("\n0 of {assets} assets match\n")), "{says}");
    let others = run(["scan", "corpus/mod/boats", "--others", "--where", "format = null"]);
    assert_eq!(lines(&others).len(), 2);
    assert!(stderr(&others).contains("\n0 of 1 asset match, and 2 other files\n"), "{}", stderr(&others));
}

#[test]
fn paths_come_from_files_and_standard_input_too() {
    let folder = Folder::new("paths");
    let list = folder.file("list", format!("{EVERYTHING}\r\n\ncorpus/b3d/empty.b3d\n"));
    let output = run([OsStr::new("scan"), OsStr::new("--paths-from"), list.as_os_str()]);
    assert_eq!(lines(&output).len(), 2);
    let mut child = program()
        .args(["scan", "--paths-from", "-", "-0", "corpus/b3d/names.b3d"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(format!("{EVERYTHING}\0corpus/b3d/empty.b3d\0").as_bytes()).unwrap();
    assert_eq!(lines(&child.wait_with_output().unwrap()).len(), 3);
}

#[test]
fn unreadable_paths_are_reported_and_counted() {
    let output = run(["scan", EVERYTHING, "no/such/file.b3d"]);
    assert_eq!((code(&output), lines(&output).len()), (1, 1));
    assert!(stderr(&output).contains("no/such/file.b3d"), "{}", stderr(&output));
    assert_eq!(code(&run(["scan", "no/such/file.b3d"])), 2);
    let foreign = run(["scan", "Cargo.toml", EVERYTHING]);
    assert_eq!((code(&foreign), lines(&foreign).len()), (0, 2));
    assert!(
        stderr(&foreign).contains("1 asset in 2 files") && stderr(&foreign).ends_with("0 damaged, 1 not an asset\n")
    );
    assert_eq!(stderr(&run(["scan", "-q", "Cargo.toml", EVERYTHING])), "");
}

#[test]
fn wrong_usage_is_exit_status_2() {
    for args in [vec![], vec!["scan"], vec!["fly"], vec!["dump"], vec!["scan", "--format", "xml", "corpus"]] {
        assert_eq!(code(&run(&args)), 2, "{args:?}");
    }
    assert_eq!(code(&run(["info", "no/such/file"])), 2);
    assert_eq!(code(&run(["info", "Cargo.toml"])), 2);
    assert_eq!(code(&run(["dump", "Cargo.toml"])), 2);
    assert_eq!(code(&run(["--help"])), 0);
    assert!(stdout(&run(["--version"])).starts_with("meshpeek "));
}

#[test]
fn info_describes_files_that_are_no_assets() {
    let folder = Folder::new("strangers");
    for (name, bytes, said) in [
        ("game.bmx", &b"Strict\nPrint 1\n"[..], "not an asset; looks like text"),
        ("notes.lod", b"later\n", "not an asset; looks like text"),
        ("nothing.txt", b"", "not an asset; the file is empty"),
        (
            "pointer.png",
            b"version https://git-lfs.github.com/spec/v1\n",
            "not an asset; a Git LFS pointer, whose file is stored elsewhere",
        ),
        ("noise.bin", b"\0\x01\x02", "not an asset; unrecognized format"),
    ] {
        let output = run([OsStr::new("info"), folder.file(name, bytes).as_os_str()]);
        assert_eq!(code(&output), 2, "{name}");
        assert!(stderr(&output).trim_end().ends_with(&format!("{name}: {said}")), "{}", stderr(&output));
    }
    let pointer = folder.file("model.p3d", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n");
    let output = run([OsStr::new("info"), OsStr::new("--json"), pointer.as_os_str()]);
    let record: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (code(&output), &record["problems"][0]["code"], &record["title"]),
        (2, &"other.lfs".into(), &Json::Null)
    );
}

#[test]
fn verify_writes_each_problem_in_a_line() {
    let sound = run(["verify", "corpus/b3d"]);
    assert_eq!((code(&sound), stdout(&sound)), (0, String::new()));
    assert!(stderr(&sound).ends_with("assets, 0 errors, 0 warnings\n"), "{}", stderr(&sound));
    let bad = run(["verify", "corpus/hostile/vertex_out_of_range.b3d"]);
    assert_eq!(code(&bad), 1);
    let place = crate::writer::b3d::sound().at("triangles");
    assert_eq!(
        stdout(&bad),
        format!(
            "corpus/hostile/vertex_out_of_range.b3d: error at {place:#x}: meshes[0].triangles[0].indices: \
             1 of 6 vertex ids is not from 0 to 3: 4 at index 0\n"
        )
    );
    let warned = "corpus/hostile/not_a_number.b3d";
    assert_eq!(code(&run(["verify", warned])), 0);
    assert_eq!(code(&run(["verify", "--strict", warned])), 1);
    let records = run(["verify", "--format", "ndjson", warned]);
    assert_eq!(lines(&records)[0]["problems"][0]["severity"], "warning");
    assert_eq!(code(&run(["verify", "no/such/file"])), 2);
}

#[test]
fn info_is_readable_and_as_json_complete() {
    let text = stdout(&run(["info", EVERYTHING]));
    for part in ["Blitz3D scene, version 1", "Needs textures", "leaf.png", "tree", "branch", "keys of position"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let json: Json = serde_json::from_slice(&run(["info", "--json", EVERYTHING]).stdout).unwrap();
    assert_eq!(json["counts"]["nodes"], 5);
    let detail = &json["detail"];
    assert_eq!(detail["version"], 1);
    assert_eq!(detail["textures"][0]["flags"], 65545);
    assert_eq!(detail["textures"][0]["position"], serde_json::json!([0.25, -0.5]));
    assert_eq!(detail["textures"][0]["scale"], serde_json::json!([2.0, 0.5]));
    assert_eq!(detail["textures"][0]["rotation"], 0.75);
    assert_eq!(detail["textures"][1]["blend_name"], "add");
    assert_eq!(detail["brushes"][0]["color"], serde_json::json!([1.0, 0.5, 0.25, 0.75]));
    assert_eq!(detail["brushes"][0]["shininess"], 0.125);
    assert_eq!(detail["brushes"][0]["fx_names"], serde_json::json!(["full bright", "two-sided"]));
    assert_eq!(detail["brushes"][0]["texture_ids"], serde_json::json!([0, -1]));
    assert_eq!(detail["nodes"][0]["rotation"], serde_json::json!([0.5, 0.5, 0.5, -0.5]));
    assert_eq!(detail["nodes"][0]["animation"]["frames"], 10);
    assert_eq!(detail["nodes"][1]["keys"][0]["last_frame"], 9);
    assert_eq!(detail["nodes"][1]["keys"][0]["records"]["count"], 3);
    assert_eq!(detail["meshes"][0]["colors"]["stored"], "strided");
    assert_eq!(detail["meshes"][0]["triangles"][0]["brush"], 1);
    assert_eq!(detail["bones"][0]["weights"]["count"], 2);
    assert_eq!(detail["unknown_chunks"][0]["tag"], "NEWS");
    let lossy: Json = serde_json::from_slice(&run(["info", "--json", "corpus/b3d/names.b3d"]).stdout).unwrap();
    assert_eq!(lossy["detail"]["textures"][0]["name"], "\\xf1\\xf2\\xe5\\xed\\xe0.bmp");
    assert_eq!(lossy["detail"]["textures"][0]["lossy"], true);
    assert_eq!(lossy["references"][0]["lossy"], true);
}

/// The counts in the line of a LOD, by their names in the plural: `1 section` is one of `sections`.
fn counts_of_line(line: &str) -> std::collections::BTreeMap<String, u64> {
    let counts = line.rsplit("  ").next().unwrap().split(", ").map(|count| {
        let (number, name) = count.split_once(' ').unwrap();
        let name = match name.strip_suffix('y') {
            Some(start) => format!("{start}ies"),
            None => format!("{}s", name.trim_end_matches('s')),
        };
        (name.replace("proxys", "proxies"), number.replace(',', "").parse().unwrap())
    });
    counts.collect()
}

/// In the text, each LOD has the counts of the JSON. Those of nothing are left out, but for the points.
#[test]
fn lods_have_the_same_counts_as_text_and_as_json() {
    let of_odol = ["points", "faces", "sections", "textures", "materials", "selections", "proxies", "frames"];
    let of_mlod = ["points", "normals", "faces"];
    let mut lods = 0;
    for (folder, names) in [("corpus/odol", &of_odol[..]), ("corpus/mlod", &of_mlod)] {
        for path in crate::support::files::below(&root().join(folder)) {
            let info = |how: &str| program().args(["info", how]).arg(&path).output().unwrap();
            let json: Json = serde_json::from_slice(&info("--json").stdout).unwrap();
            let text = stdout(&info("-v"));
            let details = text.split("\nDetails of LODs\n").nth(1).unwrap_or_default().split("\n\n").next().unwrap();
            // What is said further of a LOD is indented more.
            let lines: Vec<&str> = details.lines().filter(|line| !line.starts_with("    ")).collect();
            let expected = json["detail"]["lods"].as_array().unwrap();
            assert_eq!(lines.len(), expected.len(), "{}", path.display());
            for (line, lod) in lines.iter().zip(expected) {
                let counts = counts_of_line(line);
                for name in names {
                    let key = if *name == "points" && lod[name].is_null() { "positions" } else { name };
                    let expected = match &lod[key] {
                        Json::Array(items) => items.len() as u64,
                        Json::Object(array) => array["count"].as_u64().unwrap(),
                        // Those of Operation Flashpoint have no materials.
                        _ => 0,
                    };
                    let is_said = expected > 0 || *name == "points";
                    let message = format!("{}: {name}: {line}", path.display());
                    assert_eq!(counts.get(*name), is_said.then_some(&expected), "{message}");
                }
                lods += 1;
            }
        }
    }
    assert!(lods > 100, "{lods}");
}

#[test]
fn every_array_that_is_listed_can_be_dumped_in_every_format() {
    let list = stdout(&run(["dump", EVERYTHING]));
    let selectors: Vec<&str> = list.lines().skip(1).filter_map(|line| line.split_whitespace().next()).collect();
    assert!(selectors.contains(&"meshes/0/positions") && selectors.contains(&"nodes/1/keys/0/records"), "{list}");
    for selector in selectors {
        let rows = |format: &str| {
            let output = run(["dump", EVERYTHING, selector, "--format", format]);
            assert_eq!(code(&output), 0, "{selector} as {format}: {}", stderr(&output));
            output.stdout
        };
        let count = |bytes: &[u8]| bytes.iter().filter(|&&byte| byte == b'\n').count();
        let (csv, ndjson, npy, raw) = (rows("csv"), rows("ndjson"), rows("npy"), rows("raw"));
        assert_eq!(count(&csv), count(&ndjson) + 1, "{selector}");
        assert!(npy.starts_with(b"\x93NUMPY") && npy.ends_with(&raw), "{selector}");
        let npy = npyz::NpyFile::new(&npy[..]).unwrap();
        assert_eq!(npy.shape()[0], count(&ndjson) as u64, "{selector}");
    }
}

#[test]
fn a_dump_has_the_numbers() {
    let csv = run(["dump", "corpus/b3d/triangle.b3d", "meshes/0/positions"]);
    assert_eq!(stdout(&csv), "x,y,z\n0,0.125,0.25\n0.375,0.5,0.625\n0.75,0.875,1\n");
    let ndjson = run(["dump", EVERYTHING, "nodes/@twig/keys/2/records", "--format", "ndjson"]);
    let first = &lines(&ndjson)[0];
    assert_eq!((&first["frame"], &first["rotation_y"]), (&Json::from(2), &Json::from(0.8)));
    let npy = run(["dump", "corpus/b3d/triangle.b3d", "meshes/@root_node/triangles/0/indices", "--format", "npy"]);
    let file = npyz::NpyFile::new(&npy.stdout[..]).unwrap();
    assert_eq!(file.shape(), [1, 3]);
    assert_eq!(file.into_vec::<i32>().unwrap(), [0, 1, 2]);
    let missing = run(["dump", EVERYTHING, "meshes/0/postions"]);
    assert_eq!(code(&missing), 2);
    assert!(stderr(&missing).contains("nearest: meshes/0/positions"), "{}", stderr(&missing));
    let unmarked = run(["dump", EVERYTHING, "nodes/twig/keys/2/records"]);
    assert!(stderr(&unmarked).contains("nearest: nodes/@twig/keys/2/records"), "{}", stderr(&unmarked));
    for (verb, file, wrong, right) in [
        ("tree", "corpus/odol/v47_lzo.p3d", "lods/@Visaul 1", "lods/@Visual 1"),
        ("hex", "corpus/odol/v47_lzo.p3d", "lods/@Visaul 1", "lods/@Visual 1"),
        ("dump", "corpus/odol/v47_lzo.p3d", "lods/@Visaul 1/faces", "lods/@Visual 1"),
        ("dump", "corpus/b3d/everything.b3d", "nodes/@twgi/keys/2/records", "nodes/@twig"),
    ] {
        let output = run([verb, file, wrong]);
        let hint = format!("; nearest: {right}");
        assert!(code(&output) == 2 && stderr(&output).contains(&hint), "{verb} {wrong}: {}", stderr(&output));
    }
    assert_eq!((code(&unmarked), code(&run(["dump", EVERYTHING, "nodes//keys"]))), (2, 2));
}

#[test]
fn tree_shows_chunks_at_their_offsets() {
    let text = stdout(&run(["tree", "corpus/b3d/triangle.b3d"]));
    let expected = "    offset       bytes  part
0x00000000          12  fields
0x0000000c         150  nodes[0]  NODE, root_node
0x0000000c          58    fields
0x00000046          92    meshes[0]  MESH
0x00000046          12      fields
0x00000052          56      vertices  VRTS
0x00000052          20        fields
0x00000066          36        records  {x f32, y f32, z f32}[]  3 rows, in place
0x0000008a          24      triangles[0]  TRIS
0x0000008a          12        fields
0x00000096          12        indices  {a i32, b i32, c i32}[]  1 rows, in place
";
    assert_eq!(text, expected);
}

#[test]
fn tree_shows_unreadable_parts_and_gaps() {
    let text = stdout(&run(["tree", "--color", "always", "corpus/hostile/cut.p3d"]));
    let red = "\u{1b}[1m\u{1b}[31mproblem\u{1b}[0m  ";
    assert!(text.lines().any(|line| line.contains(red) && line.contains("lods[")), "{text}");
    let text = stdout(&run(["tree", "--color", "always", "corpus/hostile/bytes_behind.b3d"]));
    assert!(text.contains("\u{1b}[1m\u{1b}[33mgap\u{1b}[0m  after the last part"), "{text}");
}

#[test]
fn dump_writes_members_decoded_or_as_stored() {
    let raw = |selector: &str| run(["dump", "corpus/zip/assets.zip", selector, "--format", "raw"]).stdout;
    assert_eq!(raw("members/0/data"), raw("members/0/stored"));
    let (content, stored) = (raw("members/1/data"), raw("members/@models\\model.p3d/stored"));
    assert!(content.starts_with(b"MLOD") && stored.len() < content.len());
    assert_eq!(raw("members/@models\\x5cmodel.p3d/data"), content);
}

#[test]
fn very_long_values_are_truncated_and_marked() {
    use crate::writer::b3d::{Texture, bone, brushes, mesh, node, scene, textures, triangles, vertices};
    let folder = Folder::new("long");
    let name = "n".repeat(100_000);
    let layers = vec![0; 5_000];
    let texture = Texture { name: b"skin.png", flags: 0, blend: 0 };
    let lists = (0..100).map(|_| triangles(0, &[[0, 0, 0]]));
    let shape = mesh(0, [vertices(1, 0, 0, 0)].into_iter().chain(lists));
    let parts = [textures(&[texture]), brushes(&[(name.as_bytes(), &layers)]), node(&name, [shape, bone(&[])])];
    let path = folder.file("long.b3d", scene(parts).to_vec());
    let text = stdout(&run([OsStr::new("info"), path.as_os_str()]));
    for part in ["nnn... (100,000 bytes in all)", "... and 4,960 layers more", "... and 60 triangle lists more"] {
        assert!(text.contains(part), "{part}");
    }
    assert!(text.len() < 100_000, "{}", text.len());
    let json: Json =
        serde_json::from_slice(&run([OsStr::new("info"), OsStr::new("--json"), path.as_os_str()]).stdout).unwrap();
    assert_eq!(json["detail"]["nodes"][0]["name_bytes"], 100_000);
    assert_eq!(json["detail"]["nodes"][0]["name"].as_str().unwrap().len(), 65_536);
    assert_eq!(json["detail"]["nodes"][0].get("truncated"), None);
}

#[test]
fn a_record_has_the_same_numbers_in_every_verb() {
    let text = |args: &[&str]| stdout(&run(args)).split_whitespace().collect::<String>();
    let bounds = |text: &str| text[text.find("\"bounds\":").unwrap()..].split('}').next().unwrap().to_owned();
    let path = "corpus/odol/v47_lzo.p3d";
    let scanned = bounds(&text(&["scan", "-q", path]));
    assert!(scanned.contains('.'), "{scanned}");
    assert_eq!(bounds(&text(&["info", "--json", path])), scanned);
}

#[test]
fn results_go_to_a_file_on_request_and_colors_only_where_wanted() {
    let folder = Folder::new("output");
    let file = folder.0.join("out");
    let output = program().args(["info", EVERYTHING, "--color", "always", "-o"]).arg(&file).output().unwrap();
    assert_eq!((code(&output), stdout(&output)), (0, String::new()));
    let written = std::fs::read_to_string(&file).unwrap();
    assert!(written.contains("Blitz3D scene") && !written.contains('\x1b'));
    assert!(stdout(&run(["info", EVERYTHING, "--color", "always"])).contains('\x1b'));
    assert!(!stdout(&run(["info", EVERYTHING])).contains('\x1b'));
    assert_eq!(code(&run(["info", EVERYTHING, "-o", "no/such/folder/out"])), 2);
}

#[test]
fn names_from_files_cannot_move_the_cursor() {
    let folder = Folder::new("escape");
    let node = crate::writer::b3d::node("\x1b[2Jboo", []);
    let path = folder.file("evil.b3d", crate::writer::b3d::scene([node]).to_vec());
    for verb in ["info", "tree"] {
        let output = run([OsStr::new(verb), path.as_os_str()]);
        assert!(!stdout(&output).contains('\x1b'), "{verb}");
        assert!(stdout(&output).contains("\\u{1b}[2Jboo"), "{verb}: {}", stdout(&output));
    }
}

#[test]
fn mapped_and_read_files_give_the_same() {
    let folder = Folder::new("mmap");
    let big = crate::writer::b3d::scene([crate::writer::b3d::node(
        "n",
        [crate::writer::b3d::mesh(-1, [crate::writer::b3d::vertices(20_000, 3, 2, 2)])],
    )]);
    let path = folder.file("big.b3d", big.to_vec());
    let mapped = run([OsStr::new("scan"), OsStr::new("--digests"), path.as_os_str()]);
    let read = run([OsStr::new("scan"), OsStr::new("--digests"), OsStr::new("--no-mmap"), path.as_os_str()]);
    assert_eq!(code(&mapped), 0);
    assert_eq!(lines(&mapped), lines(&read));
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_ends_the_program_quietly() {
    let mut child = program()
        .args(["scan", "corpus", "corpus", "corpus"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((code(&output), stderr(&output)), (0, String::new()));
}

#[cfg(unix)]
#[test]
fn a_path_that_is_no_text_keeps_all_its_bytes() {
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new("bytes");
    let bytes = crate::writer::b3d::scene([]).to_vec();
    std::fs::write(folder.0.join(OsStr::from_bytes(b"\xff.b3d")), bytes).unwrap();
    let record = &lines(&run([OsStr::new("scan"), folder.0.as_os_str()]))[0];
    assert!(record["path"].as_str().unwrap().ends_with("/\\xff.b3d"));
    assert_eq!(record["lossy"], true);
}

#[test]
fn a_deep_chain_of_nodes_is_shown_by_every_verb() {
    let folder = Folder::new("deep");
    let path = folder.file("deep.b3d", crate::writer::b3d::nested_by_size(1 << 20));
    for (verb, expected) in [("info", 0), ("scan", 0), ("tree", 0), ("verify", 1)] {
        let start = std::time::Instant::now();
        let output = run([Path::new(verb).as_os_str(), path.as_os_str()]);
        assert_eq!(code(&output), expected, "{verb}");
        assert!(start.elapsed().as_secs() < 5, "{verb}");
        assert!(!output.stdout.is_empty());
    }
    assert!(stdout(&run([OsStr::new("scan"), path.as_os_str()])).contains("levels of nested nodes"));
}

#[test]
fn a_map_cannot_repeat_itself_without_end() {
    let name: &str = "n".repeat(20_000).leak();
    let object = |groups| crate::writer::bmx::Object {
        name,
        component: false,
        hidden: false,
        matrix: crate::writer::bmx::IDENTITY,
        groups,
        mesh: 0,
    };
    let map =
        crate::writer::bmx::Map { objects: vec![object(vec![""; 20_000].leak())], ..crate::writer::bmx::full(14) };
    let folder = Folder::new("repeats");
    let path = folder.file("repeats.bmx", map.packed());
    let output = run([OsStr::new("info"), path.as_os_str()]);
    assert_eq!(code(&output), 0);
    assert!(output.stdout.len() < 10_000, "{} bytes written", output.stdout.len());
}

#[test]
fn folders_are_walked_as_asked() {
    let folder = Folder::new("walk");
    let scene = crate::writer::b3d::scene([]).to_vec();
    for name in ["a.b3d", "b/c.b3d", "b/d/e.b3d", ".hidden.b3d", "left_out.b3d"] {
        folder.file(name, &scene);
    }
    folder.file(".ignore", "left_out.b3d\n");
    folder.file("notes.txt", "no asset");
    let found = |flags: &[&str]| {
        let output = program().arg("scan").args(flags).arg(&folder.0).output().unwrap();
        let names = lines(&output).into_iter().map(|record| {
            let path = PathBuf::from(record["path"].as_str().unwrap());
            path.strip_prefix(&folder.0).unwrap().display().to_string().replace('\\', "/")
        });
        names.collect::<Vec<_>>()
    };
    assert_eq!(found(&["--sort", "path"]), ["a.b3d", "b/c.b3d", "b/d/e.b3d"]);
    assert_eq!(found(&["--sort", "path", "--hidden"]), [".hidden.b3d", "a.b3d", "b/c.b3d", "b/d/e.b3d"]);
    assert_eq!(found(&["--sort", "path", "--no-ignore"]), ["a.b3d", "b/c.b3d", "b/d/e.b3d", "left_out.b3d"]);
    assert_eq!(found(&["--sort", "path", "--folder-depth", "1"]), ["a.b3d"]);
    assert_eq!(found(&["--sort", "path", "--glob", "!b/**"]), ["a.b3d"]);
    // As in ripgrep, a pattern that includes files overrides exclusions.
    assert_eq!(found(&["-g", "*.b3d", "-j", "1"]).len(), 5);
    assert_eq!(found(&["--type", "b3d"]).len(), 3);
    assert_eq!(found(&["--type", "odol,pbo"]).len(), 0);
    let verbose = program().args(["scan", "-v"]).arg(&folder.0).output().unwrap();
    assert!(stderr(&verbose).contains("notes.txt: "), "{}", stderr(&verbose));
    assert_eq!(code(&run(["scan", "--type", "tiff", "corpus"])), 2);
    assert_eq!(code(&run(["scan", "--glob", "a[", "corpus"])), 2);
}

#[test]
fn completions_and_manual_come_from_the_same_definitions() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = stdout(&run(["completions", shell]));
        assert!(script.contains("paths-from") && script.contains("digests"), "{shell}");
    }
    let page = stdout(&run(["man"]));
    assert!(page.starts_with(".ie") && page.contains("MESHPEEK SCAN") && page.contains("digests"), "{page}");
}

#[test]
fn a_scan_of_many_files_names_the_damaged_ones() {
    let folder = Folder::new("many");
    let sound = crate::writer::b3d::sound().to_vec();
    for index in 0..10_000 {
        // Every hundredth is cut short, at varying positions.
        let bytes = if index % 100 == 0 { &sound[..sound.len() - 1 - index / 100] } else { &sound[..] };
        folder.file(&format!("{}/{index}.b3d", index % 10), bytes);
    }
    let output = program().arg("scan").arg(&folder.0).output().unwrap();
    assert_eq!(code(&output), 0);
    let records = lines(&output);
    assert_eq!(records.len(), 10_000);
    let damaged = records.iter().filter(|record| !record["problems"].as_array().unwrap().is_empty());
    let number = |record: &Json| {
        PathBuf::from(record["path"].as_str().unwrap()).file_stem().unwrap().to_str().unwrap().parse::<u32>().unwrap()
    };
    let mut damaged: Vec<u32> = damaged.map(number).collect();
    damaged.sort();
    assert_eq!(damaged, (0..100).map(|i| i * 100).collect::<Vec<_>>());
    assert!(stderr(&output).contains("10,000 assets") && stderr(&output).contains("100 damaged"));
}

#[test]
fn archives_can_be_left_closed() {
    let open = lines(&run(["scan", "corpus/zip/nested.zip"]));
    assert_eq!(open.iter().filter(|record| record["member"].is_string()).count(), 3);
    let closed = lines(&run(["scan", "--no-archives", "corpus/zip/nested.zip"]));
    assert_eq!(closed.len(), 1);
    assert_eq!((&closed[0]["format"], &closed[0]["member"]), (&Json::from("zip"), &Json::Null));
}

#[test]
fn records_come_in_the_order_of_a_number_and_the_first_alone() {
    let sorted = |flags: &[&str]| {
        let output = program().args(["scan", "-q", "corpus/b3d", "corpus/mlod"]).args(flags).output().unwrap();
        assert_eq!(code(&output), 0, "{flags:?}: {}", stderr(&output));
        lines(&output)
    };
    let all = sorted(&["--sort", "path"]);
    for (key, number) in [
        ("bytes", (|record: &Json| record["bytes"].as_u64()) as fn(&Json) -> Option<u64>),
        ("vertices", |record| record["counts"]["vertices"].as_u64()),
        ("meshes", |record| record["counts"]["meshes"].as_u64()),
    ] {
        for is_downwards in [false, true] {
            let mut expected = all.clone();
            // Equal numbers stay in the order of their paths; no number is last.
            let value = |record: &Json| number(record).map(|number| if is_downwards { !number } else { number });
            expected.sort_by_key(|record| (number(record).is_none(), value(record)));
            let key = format!("{}{key}", if is_downwards { "-" } else { "" });
            assert_eq!(sorted(&["--sort", &key]), expected, "{key}");
            assert_eq!(sorted(&["--sort", &key, "--top", "3"]), expected[..3], "{key}");
        }
    }
    let mut downwards = all.clone();
    downwards.reverse();
    assert_eq!(sorted(&["--sort=-path"]), downwards);
    assert_eq!(sorted(&["--sort", "path", "--top", "0"]).len(), 0);
    let table = stdout(&run(["scan", "corpus/b3d", "--format", "table", "--sort", "-vertices", "--top", "2"]));
    let names: Vec<&str> =
        table.lines().filter_map(|line| line.split_whitespace().find(|word| word.ends_with(".b3d"))).collect();
    assert_eq!(names, ["corpus/b3d/everything.b3d", "corpus/b3d/eight_sets_of_four.b3d"], "{table}");
    for wrong in [&["--sort", "colour"][..], &["--top", "3"]] {
        assert_eq!(code(&program().args(["scan", "corpus/b3d"]).args(wrong).output().unwrap()), 2, "{wrong:?}");
    }
    let since = program().args(["scan", "corpus/b3d", "--since", "Cargo.toml", "--sort", "bytes"]).output().unwrap();
    assert!(code(&since) == 2 && stderr(&since).contains("--since goes with --sort path only"), "{}", stderr(&since));
}

// Its archive comes from tests for Linux.
#[cfg(target_os = "linux")]
#[test]
fn only_the_first_of_many_records_are_kept() {
    let folder = Folder::new("top");
    folder.file("many.zip", crate::support::models::models(5_000));
    let output =
        program().current_dir(&folder.0).args(["scan", "many.zip", "--sort", "-bytes", "--top", "2"]).output().unwrap();
    let records = lines(&output);
    assert_eq!((records.len(), &records[0]["format"]), (2, &Json::from("zip")));
    assert_eq!(records[1]["member"], "0.b3d");
    assert!(stderr(&output).contains("5,001 assets"), "{}", stderr(&output));
}

#[test]
fn archives_that_are_not_read_are_named() {
    let folder = Folder::new("not-read");
    let mut tar = vec![0; 1024];
    tar[257..262].copy_from_slice(b"ustar");
    for (name, bytes, said) in [
        ("a.7z", b"7z\xbc\xaf\x27\x1c\0\x04".to_vec(), "a 7z archive, which is not read"),
        ("a.rar", b"Rar!\x1a\x07\x01\0".to_vec(), "a RAR archive, which is not read"),
        ("a.tar", tar, "a tar archive, which is not read"),
    ] {
        let path = folder.file(name, bytes);
        let output = program().arg("info").arg(&path).output().unwrap();
        assert_eq!(code(&output), 2);
        assert!(stderr(&output).contains(said), "{}", stderr(&output));
        let record = &lines(&program().arg("scan").arg(&path).output().unwrap())[0];
        assert_eq!((&record["format"], &record["problems"][0]["code"]), (&Json::Null, &Json::from("other.unknown")));
        let output = program().arg("extract").arg(&path).arg("-o").arg(folder.0.join("out")).output().unwrap();
        assert!(stderr(&output).contains(said), "{}", stderr(&output));
    }
}

#[test]
fn keys_of_several_files_are_rows() {
    let rows = |flags: &[&str]| {
        let files = ["corpus/b3d/everything.b3d", "corpus/b3d/triangle.b3d"];
        let output = program().arg("info").args(files).args(["--select"]).args(flags).output().unwrap();
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        output
    };
    let found = lines(&rows(&["name,bones,clips.seconds,nodes.name,detail.nodes.animation.frames,skeletons"]));
    let expected = serde_json::json!([
        {"name": "everything.b3d", "bones": 2, "clips.seconds": [0.41666666, 0.16666666, 0.16666667], "nodes.name": ["tree", "branch", "twig", "fruit", "stalk"],
         "detail.nodes.animation.frames": [10], "skeletons": null},
        {"name": "triangle.b3d", "bones": 0, "clips.seconds": [], "nodes.name": found[1]["nodes.name"], "detail.nodes.animation.frames": [], "skeletons": null},
    ]);
    assert_eq!(Json::from(found), expected);
    let csv = stdout(&rows(&["name,counts.vertices,nodes.name", "--format", "csv"]));
    assert!(
        csv.starts_with("name,counts.vertices,nodes.name\neverything.b3d,7,tree | branch | twig | fruit | stalk\n"),
        "{csv}"
    );
    let folder = Folder::new("select");
    let path = folder.0.join("out.csv");
    rows(&["path,digests.file", "--digests", "-o", path.to_str().unwrap()]);
    assert!(std::fs::read_to_string(&path).unwrap().starts_with("path,digests.file\ncorpus/b3d/everything.b3d,"));
    let mixed = run(["info", EVERYTHING, "none.b3d", "--select", "path"]);
    assert_eq!((code(&mixed), lines(&mixed).len()), (1, 1));
    let text = run(["info", EVERYTHING, "corpus/b3d/triangle.b3d"]);
    assert!(stdout(&text).contains("\n\ncorpus/b3d/triangle.b3d\n"), "{}", stdout(&text));
    assert_eq!(code(&run(["info", EVERYTHING, "--select", "path", "-o", "x.json"])), 2);
}

#[test]
fn conditions_choose_records() {
    let scan = |condition: &str, flags: &[&str]| {
        let output =
            program().args(["scan", "corpus/b3d", "corpus/zip", "--where", condition]).args(flags).output().unwrap();
        assert_eq!(code(&output), 0, "{condition}: {}", stderr(&output));
        output
    };
    let all = lines(&run(["scan", "corpus/b3d", "corpus/zip"]));
    let vertices = |record: &Json| record["counts"]["vertices"].as_u64();
    let is_b3d = |record: &Json| record["format"] == "b3d";
    type Holds<'h> = &'h dyn Fn(&Json) -> bool;
    let conditions: [(&str, Holds<'_>); 11] = [
        ("vertices > 4", &|record| vertices(record).is_some_and(|count| count > 4)),
        ("counts.vertices<=4", &|record| vertices(record).is_some_and(|count| count <= 4)),
        ("not vertices > 4", &|record| vertices(record).is_none_or(|count| count <= 4)),
        ("format = 'b3d' and vertices >= 5 or format=\"mlod\"", &|record| {
            is_b3d(record) && vertices(record) >= Some(5) || record["format"] == "mlod"
        }),
        ("format = 'b3d' and (vertices >= 5 or bytes < 100)", &|record| {
            is_b3d(record) && (vertices(record) >= Some(5) || record["bytes"].as_u64().unwrap() < 100)
        }),
        ("references.kind = 'material'", &|record| {
            record["references"].as_array().unwrap().iter().any(|reference| reference["kind"] == "material")
        }),
        ("name = 'scene.b3d'", &|record| record["member"].as_str().is_some_and(|name| name.ends_with("scene.b3d"))),
        ("member != ''", &|record| !record["member"].is_null()),
        ("stored.method = 'deflate'", &|record| record["stored"]["method"] == "deflate"),
        ("errors = 0 and warnings = 0", &|record| record["problems"].as_array().unwrap().is_empty()),
        ("bytes = 'x' or path > 3", &|_| false),
    ];
    for (condition, expected) in conditions {
        let mut found = lines(&scan(condition, &[]));
        let mut expected: Vec<Json> = all.iter().filter(|record| expected(record)).cloned().collect();
        for list in [&mut found, &mut expected] {
            list.sort_by_key(Json::to_string);
        }
        assert_eq!(found, expected, "{condition}");
    }
    let columns = ["--sort", "-vertices", "--top", "2", "--columns", "name,vertices", "--format", "csv"];
    let output = scan("vertices < 6 and format = 'b3d'", &columns);
    assert_eq!(stdout(&output), "name,vertices\neight_sets_of_four.b3d,5\nscene.b3d,4\n");
    // Only these are drawn.
    let folder = Folder::new("where");
    scan("name = 'triangle.b3d'", &["--thumbnails", folder.0.to_str().unwrap()]);
    assert_eq!(crate::support::files::below(&folder.0).len(), 1);
    for (condition, flags) in [("vertices >", &[][..]), ("bytes > 1", &["--events"]), ("bytes > 1", &["--since", "x"])]
    {
        assert_eq!(code(&run(["scan", "corpus/b3d", "--where", condition].iter().chain(flags))), 2, "{condition}");
    }
    let output = run(["scan", "corpus/b3d", "--where", "bytes > 1 and tiangles > 3"]);
    assert!(
        stderr(&output).contains("column 15: records have no key tiangles; nearest: triangles"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn columns_are_keys_of_the_record() {
    let scan = |flags: &[&str]| {
        let output = program()
            .args(["scan", "-q", "corpus/b3d", "--sort", "-vertices", "--top", "1"])
            .args(flags)
            .output()
            .unwrap();
        (code(&output), stdout(&output))
    };
    let columns = ["--columns", "path,vertices,counts.bones,errors"];
    let (_, line) = scan(&columns);
    let expected = serde_json::json!({"path": EVERYTHING, "vertices": 7, "counts.bones": 2, "errors": 0});
    assert_eq!(serde_json::from_str::<Json>(&line).unwrap(), expected);
    let (_, csv) = scan(&[&columns[..], &["--format", "csv"]].concat());
    assert_eq!(csv, format!("path,vertices,counts.bones,errors\n{EVERYTHING},7,2,0\n"));
    for refused in [&["--format", "table"][..], &["--events"], &["-o", "corpus/"], &["--csv-safe"]] {
        assert_eq!(scan(&[&columns[..], refused].concat()).0, 2, "{refused:?}");
    }
}
