//! Tables of Parquet have the same content as NDJSON.

use std::collections::BTreeMap;
use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Int32Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{Array, RecordBatch};
use arrow_ipc::reader::FileReader;
use arrow_schema::DataType;
use meshpeek::geometry::Alpha;
use meshpeek::{Asset, Budget, FileMap, Limits};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::{Map, Value as Json, json};

use crate::support::files::{outside, root};
use crate::support::program::{Folder, code, lines, program, run, slashes, stderr, stdout};
use crate::writer::b3d;
use crate::writer::zip::{Entry, zip};

/// One cell as JSON.
fn cell(column: &dyn Array, row: usize) -> Json {
    if column.is_null(row) {
        return Json::Null;
    }
    match column.data_type() {
        DataType::Utf8 => json!(column.as_string::<i32>().value(row)),
        DataType::Boolean => json!(column.as_boolean().value(row)),
        DataType::Int32 => json!(column.as_primitive::<Int32Type>().value(row)),
        DataType::Int64 => json!(column.as_primitive::<Int64Type>().value(row)),
        DataType::Timestamp(..) => json!(column.as_primitive::<TimestampMicrosecondType>().value(row)),
        DataType::Float32 => {
            // In the same short notation as in a record.
            let text = serde_json::to_string(&column.as_primitive::<Float32Type>().value(row)).unwrap();
            serde_json::from_str(&text).unwrap()
        }
        DataType::List(_) => {
            let items = column.as_list::<i32>().value(row);
            (0..items.len()).map(|item| cell(&items, item)).collect()
        }
        DataType::FixedSizeList(..) => {
            let items = column.as_fixed_size_list().value(row);
            (0..items.len()).map(|item| cell(&items, item)).collect()
        }
        DataType::Struct(fields) => {
            let columns = column.as_struct().columns();
            let cells = fields.iter().zip(columns).map(|(field, column)| (field.name().clone(), cell(column, row)));
            Json::Object(cells.collect())
        }
        other => panic!("{other} is no type of these tables"),
    }
}

pub fn rows(path: &Path) -> Vec<Json> {
    let file = std::fs::File::open(path).unwrap();
    let (schema, batches): (_, Vec<RecordBatch>) = if path.extension().unwrap() == "arrow" {
        let reader = FileReader::try_new(file, None).unwrap();
        (reader.schema(), reader.map(Result::unwrap).collect())
    } else {
        let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
        (reader.schema().clone(), reader.build().unwrap().map(Result::unwrap).collect())
    };
    assert_eq!(schema.metadata()["meshpeek.schema"], "2");
    let row = |batch: &RecordBatch, row: usize| {
        let names = batch.schema();
        let cells = names.fields().iter().zip(batch.columns());
        Json::Object(cells.map(|(field, column)| (field.name().clone(), cell(column, row))).collect())
    };
    batches.iter().flat_map(|batch| (0..batch.num_rows()).map(|index| row(batch, index)).collect::<Vec<_>>()).collect()
}

fn without_nulls(json: &Json) -> Json {
    let entries = json.as_object().unwrap().iter().filter(|(_, value)| !value.is_null());
    Json::Object(entries.map(|(key, value)| (key.clone(), value.clone())).collect())
}

/// Converts a row of the assets to its record.
fn as_record(row: &Json) -> Json {
    let mut record = row.clone();
    let entries = record.as_object_mut().unwrap();
    // Records have the time in their stamp.
    let modified = entries.remove("mtime").unwrap();
    assert!(modified.is_null() || modified.as_i64().unwrap() > 0, "{row}");
    let references = entries.remove("refs").unwrap();
    let reference = |row: &Json| marked_when_lossy(&renamed(row, &[("name_lossy", "lossy")]));
    entries.insert("references".into(), references.as_array().unwrap().iter().map(reference).collect());
    entries["blocks"] = renamed(&entries["blocks"], &[("stored_blocks", "stored"), ("packed_blocks", "packed")]);
    if !entries["texture"].is_null() {
        entries["texture"] = renamed(&entries["texture"], &[("texture_kind", "kind")]);
    }
    if !entries["stored"].is_null() {
        entries["stored"] = renamed(&entries["stored"], &[("stored_offset", "offset"), ("stored_bytes", "bytes")]);
    }
    entries.insert("counts".into(), without_nulls(&row["counts"]));
    if !row["digests"].is_null() {
        entries.insert("digests".into(), without_nulls(&row["digests"]));
    }
    if !row["bounds"].is_null() {
        let corner = |names: [&str; 3]| names.map(|name| row["bounds"][name].clone());
        let (min, max) = (corner(["xmin", "ymin", "zmin"]), corner(["xmax", "ymax", "zmax"]));
        entries.insert("bounds".into(), json!({ "min": min, "max": max }));
    }
    marked_when_lossy(&record)
}

/// Fields of a row by their names in a record.
fn renamed(row: &Json, names: &[(&str, &str)]) -> Json {
    let mut row = row.clone();
    let fields = row.as_object_mut().unwrap();
    for (name, new) in names {
        let value = fields.remove(*name).unwrap();
        fields.insert((*new).to_owned(), value);
    }
    row
}

/// Records omit false values.
fn marked_when_lossy(json: &Json) -> Json {
    let mut json = json.clone();
    let entries = json.as_object_mut().unwrap();
    entries.retain(|key, value| key != "lossy" || value == &json!(true));
    json
}

/// A record without the data that tables do not have: which keys are present although they are null.
fn plain(record: &Json) -> Json {
    let mut record = record.clone();
    let entries: &mut Map<String, Json> = record.as_object_mut().unwrap();
    // The table of members has the method of each.
    entries.remove("unchecked");
    for key in ["digests", "stamp"] {
        entries.entry(key).or_insert(Json::Null);
    }
    for key in ["counts", "digests"] {
        if entries[key].is_object() {
            entries[key] = without_nulls(&entries[key]);
        }
    }
    record
}

fn by_place(rows: impl Iterator<Item = Json>) -> BTreeMap<String, Json> {
    rows.map(|row| (format!("{}!/{}", row["path"], row["member"]), row)).collect()
}

#[test]
fn every_row_is_its_record() {
    let folder = Folder::new("tables");
    let mut inputs = vec![root().join("corpus")];
    inputs.extend(outside());
    let inputs: Vec<&str> = inputs.iter().map(|path| path.to_str().unwrap()).collect();
    for more in [&["--digests"][..], &[]] {
        let out = folder.0.join("out.parquet");
        let output = run([&["scan", "-q", "-o", out.to_str().unwrap()], more, &inputs].concat());
        assert!(code(&output) < 2, "{}", stderr(&output));
        let expected = lines(&run([&["scan", "-q"], more, &inputs].concat()));
        let expected = by_place(expected.iter().map(plain));
        let portable = |row: &Json| serde_json::from_str(&slashes(as_record(row).to_string())).unwrap();
        let found = by_place(rows(&out).iter().map(portable));
        assert_eq!(found.len(), expected.len());
        assert!(found.len() > 100);
        for (place, record) in expected {
            assert_eq!(found[&place], record, "{place}");
        }
    }
}

#[test]
fn a_folder_takes_tables_that_lead_to_each_other() {
    let folder = Folder::new("four");
    let scene = b3d::sound().to_vec();
    let entries = [Entry::deflated("a.b3d", &scene), Entry::stored("note.txt", b"hello")];
    folder.file("in/x.zip", zip(&entries, b"").to_vec());
    let out = folder.0.join("in/out/");
    let scan = || run(["scan", "-q", folder.0.join("in").to_str().unwrap(), "-o", &format!("{}/", out.display())]);
    // Again over the existing files: its own tables are not inputs.
    for _ in 0..2 {
        let output = scan();
        assert_eq!(code(&output), 0, "{}", stderr(&output));
    }
    let names: Vec<String> =
        std::fs::read_dir(&out).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(names.len(), 7, "{names:?}");
    let table = |name: &str| rows(&out.join(name).with_extension("parquet"));
    assert_eq!(table("assets").len(), 2);
    let members = table("members");
    let facts = |row: &Json| json!([row["index"], row["name"], row["method"], row["bytes"]]);
    let expected = [json!([0, "a.b3d", "deflated", scene.len()]), json!([1, "note.txt", "stored", 5])];
    assert_eq!(members.iter().map(facts).collect::<Vec<_>>(), expected);
    assert!(members[1]["crc32"].is_i64() && members[1]["offset"].is_i64() && members[0]["outer"].is_null());
    let (parts, arrays) = (table("parts"), table("arrays"));
    let model: Vec<&Json> = arrays.iter().filter(|row| row["member"] == "a.b3d").collect();
    let address = folder.0.join("in/x.zip!/a.b3d");
    let listed = stdout(&run(["dump", address.to_str().unwrap()]));
    assert_eq!(model.len(), listed.lines().count() - 1);
    for array in model {
        let selector = array["selector"].as_str().unwrap();
        let dumped = lines(&run(["dump", address.to_str().unwrap(), selector, "--format", "ndjson"]));
        assert_eq!(dumped.len() as i64, array["rows"].as_i64().unwrap());
        assert!(parts.iter().any(|part| part["part"] == array["part"] && part["member"] == "a.b3d"), "{array}");
    }
    // Each part has the same fields as in `info`.
    let info: Json = serde_json::from_str(&stdout(&run(["info", "--json", address.to_str().unwrap()]))).unwrap();
    let root = parts.iter().find(|part| part["part"] == "" && part["member"] == "a.b3d").unwrap();
    let fields: Json = serde_json::from_str(root["fields"].as_str().unwrap()).unwrap();
    for (name, value) in fields.as_object().unwrap() {
        assert_eq!(&info["detail"][name], value, "{name}");
    }
    assert_eq!((root["bytes"].as_u64(), root["offset"].as_u64()), (Some(scene.len() as u64), Some(0)));
}

#[test]
fn files_of_arrow_have_the_rows_of_parquet() {
    let folder = Folder::new("forms");
    let out = format!("{}/", folder.0.display());
    let all = "assets,members,parts,arrays,lods,problems,files,geometry";
    let write = |format: &str| {
        let output =
            run(["scan", "-q", "--jobs", "1", "corpus", "--tables", all, "--format", format, "-o", &out, "--digests"]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
    };
    // The files of one form leave those of the other alone. Their own are not inputs.
    ["parquet", "arrow", "arrow", "parquet"].into_iter().for_each(write);
    assert_eq!(files_in(&folder.0).len(), 16, "{:?}", files_in(&folder.0));
    for table in all.split(',') {
        let of = |ending: &str| rows(&folder.0.join(format!("{table}.{ending}")));
        let (parquet, arrow) = (of("parquet"), of("arrow"));
        assert!(!arrow.is_empty() && parquet == arrow, "{table}");
    }
    // Closed at once: on Windows, an open file cannot be deleted.
    {
        let marked = FileReader::try_new(std::fs::File::open(folder.0.join("assets.arrow")).unwrap(), None).unwrap();
        assert_eq!(marked.custom_metadata()["meshpeek.whole"], "true");
    }
    // Arrow goes to a pipe, too, in several parts, and not to a later scan.
    let output = program().args(["scan", "-q", "corpus/b3d", "--format", "arrow"]).output().unwrap();
    assert!(output.stdout.starts_with(b"ARROW1") && output.stdout.ends_with(b"ARROW1"));
    // A file of somebody else stays, whatever it claims: here, a schema of 4 GiB.
    let foreign = [b"ARROW1", &[0; 58][..], &[0xff; 8], b"\x10\0\0\0 ARROW1"].concat();
    let foreign = folder.file("assets-0007.arrow", foreign);
    let output = run(["scan", "-q", "corpus/b3d", "--format", "arrow", "--partition", "1k", "-o", &out]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(foreign.exists());
    let files = files_in(&folder.0);
    assert!(
        files.contains(&"assets-0000.arrow".to_owned()) && !files.contains(&"assets.arrow".to_owned()),
        "{files:?}"
    );
    let assets = folder.0.join("assets-0000.arrow");
    let output = run(["scan", "corpus/b3d", "--since", assets.to_str().unwrap(), "-o", &out]);
    assert!(code(&output) == 2 && stderr(&output).contains("--since reads tables of Parquet"), "{}", stderr(&output));
}

/// The LOD of each row of `geometry` is that of the row of `lods` with the same number.
#[test]
fn tables_agree_on_which_lods_are_visual() {
    let folder = Folder::new("visual");
    let out = format!("{}/", folder.0.display());
    let paths = ["corpus/odol", "corpus/mlod", "corpus/b3d"];
    let output = run([&["scan", "-q", "--tables", "lods,geometry", "-o", &out], paths.as_slice()].concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let mut lods = BTreeMap::new();
    for row in rows(&folder.0.join("lods.parquet")) {
        let key = (row["path"].to_string(), row["lod"].to_string());
        lods.insert(key, (row["lod_name"].clone(), row["visual"].clone(), row["resolution"].clone()));
    }
    let (mut visual, mut others, mut without) = (0, 0, 0);
    for row in rows(&folder.0.join("geometry.parquet")) {
        if row["mesh"].is_null() {
            // What cannot be read has no place.
            assert!(row["problem"].is_string() && row["visual"].is_null(), "{row}");
            continue;
        }
        let Some(lod) = lods.get(&(row["path"].to_string(), row["lod"].to_string())) else {
            assert!(row["lod"].is_null() && row["lod_name"].is_null() && row["visual"] == true, "{row}");
            without += 1;
            continue;
        };
        let found = (row["lod_name"].clone(), row["visual"].clone(), row["resolution"].clone());
        assert_eq!(found, *lod, "{row}");
        if row["visual"] == true { visual += 1 } else { others += 1 }
    }
    assert!(visual > 0 && others > 0 && without > 0, "{visual} {others} {without}");
}

/// Each row of `geometry` blends as the material of its primitive does, and has none without a material.
#[test]
fn rows_of_geometry_blend_as_their_materials() {
    let folder = Folder::new("alpha");
    let out = format!("{}/", folder.0.display());
    let paths = ["corpus/b3d", "corpus/bmx", "corpus/lodka", "corpus/mlod", "corpus/odol"];
    let output = run([&["scan", "-q", "--tables", "geometry", "-o", &out], paths.as_slice()].concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let mut seen = BTreeMap::new();
    for row in rows(&folder.0.join("geometry.parquet")) {
        let map = FileMap::open(root().join(row["path"].as_str().unwrap())).unwrap();
        let asset = Asset::parse(&map).unwrap();
        let index = usize::try_from(row["primitive"].as_i64().unwrap()).unwrap();
        let primitive = asset.primitives().nth(index).unwrap();
        let material = primitive.ok().and_then(|primitive| primitive.material().ok().flatten());
        let alpha = material.map(|material| material.alpha);
        let cutoff = match alpha {
            Some(Alpha::Mask(least)) => Some(least),
            _ => None,
        };
        let expected = (json!(alpha.map(Alpha::name)), json!(cutoff));
        assert_eq!((row["alpha"].clone(), row["alpha_cutoff"].clone()), expected, "{row}");
        *seen.entry(row["alpha"].to_string()).or_insert(0) += 1;
    }
    let kinds: Vec<&str> = seen.keys().map(String::as_str).collect();
    assert_eq!(kinds, [r#""blend""#, r#""image""#, r#""mask""#, r#""multiply""#, r#""opaque""#, "null"]);
}

/// Numbers in the short notation of a record.
fn as_rows<const N: usize>(points: &[[f32; N]]) -> Json
where
    [f32; N]: serde::Serialize,
{
    serde_json::from_str(&serde_json::to_string(points).unwrap()).unwrap()
}

/// Each row of `geometry` has the place and the arrays of its primitive.
#[test]
fn rows_of_geometry_are_the_primitives() {
    let folder = Folder::new("primitives");
    let out = format!("{}/", folder.0.display());
    let paths = ["corpus/b3d", "corpus/bmx", "corpus/lodka", "corpus/mlod", "corpus/odol"];
    let output = run([&["scan", "-q", "--tables", "geometry", "-o", &out], paths.as_slice()].concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let mut triangles = 0;
    for row in rows(&folder.0.join("geometry.parquet")) {
        if row["problem"].is_string() {
            continue;
        }
        let map = FileMap::open(root().join(row["path"].as_str().unwrap())).unwrap();
        let asset = Asset::parse(&map).unwrap();
        let index = usize::try_from(row["primitive"].as_i64().unwrap()).unwrap();
        let primitive = asset.primitives().nth(index).unwrap().unwrap();
        let place = primitive.place;
        let found = ["model", "node", "mesh", "visible"].map(|key| row[key].clone());
        assert_eq!(found, [json!(place.model), json!(place.node), json!(place.mesh), json!(place.visible)], "{row}");
        let mesh = primitive.to_plain_mesh(&Budget::new(map.len() as u64, &Limits::default())).unwrap();
        let corners: Vec<Json> = mesh.indices.chunks(3).map(|corners| json!(corners)).collect();
        assert_eq!(row["triangles"], json!(corners), "{row}");
        for (key, points) in [("positions", &mesh.positions), ("normals", &mesh.normals)] {
            assert_eq!(row[key], as_rows(points), "{row}");
        }
        assert_eq!(row["uvs"], as_rows(mesh.uvs.first().map_or(&[][..], Vec::as_slice)), "{row}");
        assert_eq!((&row["visual"], &row["lod_name"]), (&json!(place.is_visual()), &json!(place.lod_name())), "{row}");
        assert_eq!(row["left_out"], json!(mesh.left_out), "{row}");
        triangles += corners.len();
    }
    assert!(triangles > 100, "{triangles}");
}

/// Splits a list at its commas, not at those inside brackets.
fn items(list: &str) -> Vec<&str> {
    let (mut depth, mut start, mut found) = (0, 0, Vec::new());
    for (at, letter) in list.char_indices() {
        match letter {
            '<' | '(' => depth += 1,
            '>' | ')' => depth -= 1,
            ',' if depth == 0 => {
                found.push(list[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(list[start..].trim());
    found
}

/// Compares columns with the items of a list such as `path, member?, bounds? struct<xmin, ymin>`.
fn compare(place: &str, list: &str, fields: &arrow_schema::Fields) {
    let list = items(list);
    if list.last() == Some(&"...") {
        assert!(list.len() <= fields.len(), "{place}");
    } else {
        assert_eq!(list.len(), fields.len(), "{place}: {list:?}");
    }
    for (item, field) in list.into_iter().filter(|item| *item != "...").zip(fields) {
        let (name, kind) = item.split_once(' ').unwrap_or((item, ""));
        let place = format!("{place}, {name}");
        assert_eq!(name.trim_end_matches('?'), field.name(), "{place}");
        // The items of lists are never null.
        assert_eq!(name.ends_with('?'), field.is_nullable(), "{place}");
        let inner = match field.data_type() {
            DataType::Struct(fields) => Some(fields),
            DataType::List(item) => match item.data_type() {
                DataType::Struct(fields) => Some(fields),
                _ => None,
            },
            _ => None,
        };
        if let Some(fields) = inner {
            let inside = kind.split_once("struct<").unwrap().1.split_once('>').unwrap().0;
            compare(&place, inside, fields);
        }
    }
}

/// Who uses Python finds the columns in its README, who uses Rust in the docs of the crate.
#[test]
fn columns_are_documented_for_rust_and_python() {
    for (file, prefix) in [("tables/src/lib.rs", "//! "), ("python/README.md", "")] {
        let text = std::fs::read_to_string(root().join(file)).unwrap();
        let header = format!("{prefix}| table | columns |\n");
        let rows = text.split_once(&header).unwrap().1;
        let rows: Vec<_> =
            rows.lines().skip(1).map_while(|line| line.strip_prefix(prefix)?.strip_prefix("| `")).collect();
        assert_eq!(rows.len(), meshpeek_tables::Table::ALL.len(), "{file}");
        for (row, table) in rows.into_iter().zip(meshpeek_tables::Table::ALL) {
            let (name, columns) = row.split_once("` | ").unwrap();
            assert_eq!(name, table.name(), "{file}");
            let columns = columns.trim_end_matches(" |").replace(['`', '\\'], "");
            let columns =
                columns.replace(" struct<i64?, ...> with every count of any format", " struct<textures?, ...>");
            compare(&format!("{file}, {name}"), &columns, table.schema().fields());
        }
    }
}

#[test]
fn invalid_options_are_errors() {
    let folder = Folder::new("wishes");
    let output = run(["scan", "corpus/b3d", "--format", "csv", "-o", folder.0.to_str().unwrap()]);
    assert!(code(&output) == 2 && stderr(&output).contains("a folder takes tables"), "{}", stderr(&output));
    let output = run(["scan", "corpus/b3d", "--events", "--format", "parquet"]);
    assert!(code(&output) == 2 && stderr(&output).contains("--format ndjson"));
    // A Parquet stream can be written to a pipe.
    let output = program().args(["scan", "-q", "corpus/b3d", "--format", "parquet"]).output().unwrap();
    assert!(output.stdout.starts_with(b"PAR1") && output.stdout.ends_with(b"PAR1"));
    let old = folder.file("old.parquet", "old");
    let output = run(["scan", "/nowhere", "-o", old.to_str().unwrap()]);
    assert_eq!((code(&output), std::fs::read(&old).unwrap()), (2, b"old".to_vec()));
}

/// A path that cannot be read has a row in each of the tables of files and problems, whichever are written.
#[test]
fn unreadable_paths_have_rows_in_every_choice_of_tables() {
    let folder = Folder::new("tables-unreadable");
    let missing = folder.0.join("not here");
    for (tables, with_rows) in [("files", 1), ("problems", 1), ("files,problems", 2), ("assets", 0)] {
        let out = format!("{}/", folder.0.join(tables).display());
        let output = run(["scan", "-q", "--tables", tables, "-o", &out, "corpus/b3d", missing.to_str().unwrap()]);
        assert_eq!(code(&output), 1, "{tables}: {}", stderr(&output));
        let mut found = 0;
        for file in files_in(Path::new(&out)) {
            let rows = rows(&Path::new(&out).join(file));
            found +=
                rows.iter().filter(|row| row["path"].as_str().is_some_and(|path| path.ends_with("not here"))).count();
        }
        assert_eq!(found, with_rows, "{tables}");
    }
}

/// The Parquet files below a folder, by their paths in it.
fn files_in(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut left = vec![folder.to_owned()];
    while let Some(next) = left.pop() {
        for entry in std::fs::read_dir(next).unwrap().map(Result::unwrap) {
            match entry.file_type().unwrap().is_dir() {
                true => left.push(entry.path()),
                false => found.push(entry.path().strip_prefix(folder).unwrap().to_str().unwrap().replace('\\', "/")),
            }
        }
    }
    found.sort();
    found
}

/// The rows of the files of a table, sorted: their keys and numbers of vertices.
fn sorted_rows(folder: &Path, table: &str) -> Vec<String> {
    let of_table = |path: &&String| path.starts_with(&format!("{table}-")) || path.starts_with(&format!("{table}/"));
    let one = |path: &&String| **path == format!("{table}.parquet");
    let paths = files_in(folder);
    let mut keys = Vec::new();
    for path in paths.iter().filter(|path| of_table(path) || one(path)) {
        let file = std::fs::File::open(folder.join(path)).unwrap();
        let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
        let wanted = ["path", "member", "outer", "index", "name", "state", "code", "bytes", "mtime"];
        let mask = parquet::arrow::ProjectionMask::columns(reader.parquet_schema(), wanted);
        for batch in reader.with_projection(mask).build().unwrap().map(Result::unwrap) {
            let key = |row| batch.columns().iter().map(|column| cell(column, row).to_string()).collect::<String>();
            keys.extend((0..batch.num_rows()).map(key));
        }
    }
    keys.sort();
    keys
}

#[test]
fn tables_are_divided_and_continue() {
    let folder = Folder::new("partition");
    let scene = b3d::sound().to_vec();
    let entries: Vec<Entry> = (0..18_000).map(|index| Entry::stored(format!("{index}.b3d"), &scene)).collect();
    folder.file("in/many.zip", zip(&entries, b"").to_vec());
    folder.file("in/other.b3d", &scene);
    folder.file("in/note.txt", "nothing");
    folder.file("in/bad.b3d", "BB3D");
    let input = folder.0.join("in");
    let path = |name: &str| folder.0.join(name).to_str().unwrap().to_owned();
    let scan = |out: &str, more: &[&str]| {
        let tables = "assets,members,lods,problems,files";
        let output = run([&["scan", input.to_str().unwrap(), "--tables", tables, "-o", out], more].concat());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        stderr(&output)
    };
    let same = |a: &str, b: &str| {
        for table in ["assets", "members", "lods", "problems", "files"] {
            let (a, b) = (sorted_rows(Path::new(a), table), sorted_rows(Path::new(b), table));
            assert!(a == b, "{table}: {} and {} rows", a.len(), b.len());
        }
    };
    let (whole, by_size, by_format) = (path("whole/"), path("size/"), path("format/"));
    scan(&whole, &[]);
    scan(&by_size, &["--partition", "100k"]);
    scan(&by_format, &["--partition", "format"]);
    assert_eq!(sorted_rows(Path::new(&whole), "assets").len(), 18_003);
    for divided in [&by_size, &by_format] {
        same(&whole, divided);
    }
    let files = files_in(Path::new(&by_size));
    let of_assets: Vec<&String> = files.iter().filter(|path| path.starts_with("assets-")).collect();
    assert!(of_assets.len() > 2 && files.contains(&"lods-0000.parquet".to_owned()), "{files:?}");
    let files = files_in(Path::new(&by_format));
    for format in ["b3d", "zip"] {
        let prefix = format!("assets/format={format}/assets-");
        assert_eq!(files.iter().filter(|path| path.starts_with(&prefix)).count(), 1, "{files:?}");
    }
    assert!(files.iter().any(|path| path.starts_with("files/format=__HIVE_DEFAULT_PARTITION__/")), "{files:?}");
    // Only what is new is read, and no file of the earlier run is left.
    std::fs::remove_file(input.join("other.b3d")).unwrap();
    folder.file("in/new.b3d", &scene);
    std::fs::remove_dir_all(&whole).unwrap();
    scan(&whole, &[]);
    for (divided, how) in [(&by_size, "1G"), (&by_format, "format")] {
        let said = scan(divided, &["--partition", how, "--since", divided]);
        // The new file, and the damaged one, which is always read again.
        assert!(said.lines().any(|line| line.starts_with("1 asset in") || line.starts_with("2 assets in")), "{said}");
        same(&whole, divided);
    }
    assert_eq!(files_in(Path::new(&by_size)).len(), 5);
    // Sets that lack a file are not continued.
    let lost = files_in(Path::new(&by_format)).into_iter().find(|path| path.contains("format=b3d")).unwrap();
    std::fs::remove_file(Path::new(&by_format).join(lost)).unwrap();
    let said = scan(&by_format, &["--partition", "format", "--since", &by_format]);
    assert!(said.contains("not a whole table"), "{said}");
    same(&whole, &by_format);
    let said = scan(&by_format, &["--partition", "format", "--since", &whole]);
    assert!(said.contains("divided as now"), "{said}");
    same(&whole, &by_format);
    // Back to one file each.
    scan(&by_size, &["--since", &by_format]);
    same(&whole, &by_size);
    assert!(files_in(Path::new(&by_size)).contains(&"assets.parquet".to_owned()));
    let output = run(["scan", "corpus/b3d", "--partition", "1M"]);
    assert!(code(&output) == 2 && stderr(&output).contains("-o FOLDER/"), "{}", stderr(&output));
}

/// The rows in each folder of files, sorted.
fn rows_by_folder(folder: &Path) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in files_in(folder) {
        let (part, _) = path.rsplit_once('/').unwrap();
        found.entry(part.to_owned()).or_default().extend(rows(&folder.join(&path)).iter().map(Json::to_string));
    }
    found.values_mut().for_each(|rows| rows.sort());
    found
}

/// The files of each format have the rows that a scan without older tables gives them.
#[test]
fn rows_of_older_tables_stay_with_their_format() {
    let folder = Folder::new("tables-old-rows");
    let out = |name: &str| format!("{}/", folder.0.join(name).display());
    let scan = |out: &str, more: &[&str]| {
        let output = run([&["scan", "corpus", "--partition", "format", "-o", out], more].concat());
        assert!(code(&output) < 2, "{}", stderr(&output));
    };
    let (whole, continued) = (out("whole"), out("continued"));
    scan(&whole, &[]);
    scan(&continued, &["--since", &whole]);
    let [whole, continued] = [&whole, &continued].map(|out| rows_by_folder(Path::new(out)));
    for format in meshpeek::Format::ALL {
        assert!(whole.contains_key(&format!("assets/format={}", format.name())), "{format:?}");
    }
    assert_eq!(whole.keys().collect::<Vec<_>>(), continued.keys().collect::<Vec<_>>());
    for (part, rows) in &whole {
        assert!(*rows == continued[part], "{part}: {} and {} rows", rows.len(), continued[part].len());
    }
}

/// A file or a pipe takes one undivided table. Whatever else is asked of it is refused before anything is written.
#[test]
fn only_a_folder_takes_several_tables_or_a_divided_one() {
    let folder = Folder::new("tables-places");
    for tables in [None, Some("assets"), Some("files"), Some("assets,lods")] {
        for division in [None, Some("format"), Some("1M")] {
            for place in ["out/", "out.parquet", "out.arrow", "| parquet", "| arrow"] {
                let mut scan = program();
                scan.args(["scan", "-q", "corpus/b3d"]);
                scan.args(tables.iter().flat_map(|tables| ["--tables", tables]));
                scan.args(division.iter().flat_map(|division| ["--partition", division]));
                let path = folder.0.join(place);
                match place.strip_prefix("| ") {
                    Some(format) => scan.args(["--format", format]),
                    None => scan.arg("-o").arg(&path),
                };
                let output = scan.output().unwrap();
                let asked = format!("{tables:?} {division:?} {place}: {}", stderr(&output));
                let is_one = tables.is_none_or(|tables| !tables.contains(','));
                if place == "out/" || (is_one && division.is_none()) {
                    assert_eq!(code(&output), 0, "{asked}");
                    assert_eq!(path.exists(), output.stdout.is_empty(), "{asked}");
                } else {
                    assert!(code(&output) == 2 && stderr(&output).contains("-o FOLDER/"), "{asked}");
                    assert!(!path.exists() && output.stdout.is_empty(), "{asked}");
                }
                if path.is_dir() {
                    std::fs::remove_dir_all(&path).unwrap();
                } else if path.exists() {
                    std::fs::remove_file(&path).unwrap();
                }
            }
        }
    }
}

/// Polars unnests structs and exploded lists next to the other columns, with the names of their fields.
#[test]
fn fields_of_assets_have_names_of_their_own() {
    let schema = meshpeek_tables::Table::Assets.schema();
    let mut names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
    for column in schema.fields().iter().filter(|column| column.name() != "digests") {
        let kind = match column.data_type() {
            DataType::List(item) => item.data_type(),
            kind => kind,
        };
        if let DataType::Struct(fields) = kind {
            names.extend(fields.iter().map(|field| field.name().clone()));
        }
    }
    names.sort();
    let doubles: Vec<&[String]> = names.chunk_by(|a, b| a == b).filter(|alike| alike.len() > 1).collect();
    assert!(names.len() > 60 && doubles.is_empty(), "{doubles:?}");
}

/// Compares each cell of CSV with the row of Parquet, for the columns that both have.
#[test]
fn csv_has_the_cells_of_tables() {
    let folder = Folder::new("csv_columns");
    let mut inputs = vec![root().join("corpus")];
    inputs.extend(outside());
    let inputs: Vec<&str> = inputs.iter().map(|path| path.to_str().unwrap()).collect();
    let out = folder.0.join("out.parquet");
    let output = run([&["scan", "-q", "--digests", "-o", out.to_str().unwrap()], &inputs[..]].concat());
    assert!(code(&output) < 2, "{}", stderr(&output));
    let expected = by_place(rows(&out).into_iter().map(|mut row| {
        let flat = row.as_object_mut().unwrap();
        for (name, prefix) in
            [("counts", ""), ("bounds", ""), ("blocks", ""), ("stored", ""), ("texture", ""), ("digests", "sha256_")]
        {
            if let Json::Object(fields) = flat.remove(name).unwrap() {
                flat.extend(fields.into_iter().map(|(field, value)| (format!("{prefix}{field}"), value)));
            }
        }
        row
    }));
    let csv = run([&["scan", "-q", "--digests", "--format", "csv"], &inputs[..]].concat()).stdout;
    let mut csv = csv::Reader::from_reader(&csv[..]);
    let header = csv.headers().unwrap().clone();
    let shared = |name: &&str| !["references", "errors", "warnings", "first_code", "first_problem"].contains(name);
    let mut seen = std::collections::BTreeSet::new();
    let mut count = 0;
    for row in csv.records().map(Result::unwrap) {
        let cell = |name: &str| &row[header.iter().position(|column| column == name).unwrap()];
        let member = if cell("member").is_empty() { Json::Null } else { cell("member").into() };
        let expected = &expected[&format!("{}!/{member}", json!(cell("path")))];
        for name in header.iter().filter(shared) {
            if name == "mtime" {
                // As text in CSV, as a number in Parquet.
                let (text, micros) = (cell(name), expected[name].as_i64());
                let fraction = text.split_once('.').map(|(_, fraction)| fraction.trim_end_matches('Z'));
                let expected = micros.map(|micros| format!("{:06}", micros.rem_euclid(1_000_000)));
                assert_eq!(fraction, expected.as_deref());
                seen.extend((!text.is_empty()).then(|| name.to_owned()));
                continue;
            }
            let text = match expected.get(name).unwrap_or(&Json::Null) {
                Json::Null => String::new(),
                Json::String(text) => text.clone(),
                other => other.to_string(),
            };
            let same = match (cell(name).parse::<f64>(), text.parse::<f64>()) {
                (Ok(a), Ok(b)) => a == b,
                _ => cell(name) == text,
            };
            assert!(same, "{name} of {}: {} is not {text}", cell("path"), cell(name));
            if !text.is_empty() {
                seen.insert(name.to_owned());
            }
        }
        count += 1;
    }
    assert_eq!(count, expected.len());
    for name in [
        "sha256_file",
        "lossy",
        "xmin",
        "zmax",
        "stored_blocks",
        "unpacked_bytes",
        "stored_offset",
        "address",
        "texture_kind",
        "width",
        "time",
        "prefix",
        "stamp",
        "mtime",
    ] {
        assert!(seen.contains(name), "{name}");
    }
}

/// The place of a row: its path and member.
fn place(row: &Json) -> (String, Option<String>) {
    (row["path"].as_str().unwrap().to_owned(), row["member"].as_str().map(str::to_owned))
}

/// Each table has the rows that it has without an order, in the order of the records.
fn are_in_the_order_of_records(members: usize, keys: &[&str], tops: &[usize]) {
    let folder = Folder::new("sorted-tables");
    // Each is damaged, and of one of 97 sizes.
    let model = |number: usize| b"BB3D".repeat(number % 97 + 1);
    let long = "n".repeat(600);
    let entry = |number: usize| Entry::stored(format!("{long}/{}.b3d", number * 7_919 % members), &model(number));
    let entries: Vec<Entry> = (0..members).map(entry).collect();
    folder.file("in/many.zip", zip(&entries, b"").to_vec());
    let sound = b3d::sound().to_vec();
    let inner = zip(&[Entry::stored("x.b3d", &sound), Entry::stored("y.b3d", b"BB3D")], b"").to_vec();
    let entries = [Entry::stored("inner.zip", &inner), Entry::stored("z.b3d", &sound)];
    folder.file("in/nested.zip", zip(&entries, b"").to_vec());
    folder.file("in/sound.b3d", &sound);
    folder.file("in/bad.b3d", b"BB3D");
    // It has five problems.
    let (_, faulty) = b3d::hostile().into_iter().find(|(name, _)| *name == "two_of_each.b3d").unwrap();
    folder.file("in/faulty.b3d", faulty);
    folder.file("in/note.txt", b"no asset");
    let input = folder.0.join("in");
    let scan = |more: &[&str]| {
        let output = run([&["scan", "-q", input.to_str().unwrap()], more].concat());
        assert_eq!(code(&output), 0, "{more:?}: {}", stderr(&output));
        output
    };
    let tables = ["assets", "problems", "files"];
    let out = |name: &str, more: &[&str]| {
        let out = format!("{}/", folder.0.join(name).display());
        scan(&[&["--tables", "assets,problems,files", "-o", &out], more].concat());
        tables.map(|table| {
            let files = files_in(Path::new(&out)).into_iter().filter(|file| file.starts_with(table));
            files.flat_map(|file| rows(&Path::new(&out).join(file))).collect::<Vec<Json>>()
        })
    };
    let texts = |rows: &[Json]| {
        let mut texts: Vec<String> = rows.iter().map(Json::to_string).collect();
        texts.sort();
        texts
    };
    let unsorted = out("unsorted", &[]);
    // Of members the table of files has nothing.
    assert_eq!(unsorted[2].len(), 6);
    assert_eq!(unsorted[1].iter().filter(|row| place(row).0.ends_with("faulty.b3d")).count(), 5);
    for key in keys {
        let records = lines(&scan(&["--sort", key]));
        assert_eq!(records.len(), members + 9);
        let places: Vec<_> = records.iter().map(place).collect();
        let sorted = out(key, &["--sort", key]);
        for ((table, rows), unsorted) in tables.iter().zip(&sorted).zip(&unsorted) {
            assert!(texts(rows) == texts(unsorted), "{table} {key}: {} and {} rows", rows.len(), unsorted.len());
            // The rows of a record are together. The file without a record has one in the table of files.
            let mut found: Vec<_> = rows.iter().map(place).filter(|(path, _)| !path.ends_with("note.txt")).collect();
            found.dedup();
            let expected: Vec<_> = match *table {
                "assets" => places.clone(),
                "problems" => {
                    let has_problems = |record: &&Json| !record["problems"].as_array().unwrap().is_empty();
                    records.iter().filter(has_problems).map(place).collect()
                }
                _ => places.iter().filter(|(_, member)| member.is_none()).cloned().collect(),
            };
            assert!(found == expected, "{table} {key}: {} and {}", found.len(), expected.len());
        }
        for &top in tops {
            let first = out(&format!("{key}-{top}"), &["--sort", key, "--top", &top.to_string()]);
            assert!(first[0] == sorted[0][..top], "{key} {top}");
        }
        // Divided by format, the rows of each format have this order.
        let divided = out(&format!("{key}-by-format"), &["--sort", key, "--partition", "format"]);
        for (table, (divided, sorted)) in tables.iter().zip(divided.iter().zip(&sorted)) {
            assert!(texts(divided) == texts(sorted), "{table} {key}");
        }
        let models = |rows: &[Json]| rows.iter().filter(|row| row["format"] == "b3d").cloned().collect::<Vec<_>>();
        assert!(models(&divided[0]) == models(&sorted[0]), "{key}");
    }
}

#[test]
fn rows_of_tables_are_in_the_order_of_every_key() {
    are_in_the_order_of_records(30, &["path", "-bytes", "vertices", "-vertices"], &[1, 35]);
    // More than are converted, or written, at once.
    are_in_the_order_of_records(2_200, &["-bytes"], &[500]);
}

/// `cli::interrupt` has the same for a scan that is interrupted.
#[test]
fn a_failed_scan_into_tables_leaves_no_empty_folder() {
    for is_there in [false, true] {
        let folder = Folder::new("failed-tables");
        let tables = folder.0.join("tables");
        if is_there {
            std::fs::create_dir(&tables).unwrap();
        }
        let to = format!("{}/", tables.display());
        assert_eq!(code(&run(["scan", "no/such/file", "-o", &to])), 2);
        assert_eq!(tables.exists(), is_there);
        // The old tables are not there.
        let output = run(["scan", "corpus/b3d", "--since", "no/such/tables", "-o", &to]);
        assert_eq!(code(&output), 2, "{}", stderr(&output));
        assert_eq!(tables.exists(), is_there);
        assert!(!is_there || std::fs::read_dir(&tables).unwrap().next().is_none());
    }
}

/// A row of a member says that it is lossy if any of its three names is: of the file, of the archive in it that has the
/// member, or of the member.
#[cfg(target_os = "linux")]
#[test]
fn rows_of_members_are_lossy_if_any_of_their_names_is() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let name = |is_lossy: bool, ending: &str| {
        [if is_lossy { &b"\xff"[..] } else { b"\xc3\xbf" }, b".", ending.as_bytes()].concat()
    };
    for lossy in 0..8 {
        let [of_path, of_outer, of_member] = [1, 2, 4].map(|bit| lossy & bit != 0);
        let folder = Folder::new(&format!("lossy-members-{lossy}"));
        let inner = zip(&[Entry::stored(name(of_member, "txt"), b"text")], b"").to_vec();
        let outer = zip(&[Entry::stored(name(of_outer, "zip"), &inner)], b"").to_vec();
        std::fs::create_dir(folder.0.join("in")).unwrap();
        std::fs::write(folder.0.join("in").join(OsStr::from_bytes(&name(of_path, "zip"))), outer).unwrap();
        let out = folder.0.join("members.parquet");
        let (to, from) = (out.to_str().unwrap().to_owned(), folder.0.join("in"));
        let output = run(["scan", "-q", "--tables", "members", "-o", &to, from.to_str().unwrap()]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let mut found = Vec::new();
        for row in rows(&out) {
            found.push((row["outer"].is_string(), row["lossy"] == true));
        }
        found.sort_unstable();
        assert_eq!(found, [(false, of_path || of_outer), (true, of_path || of_outer || of_member)], "{lossy:03b}");
    }
}
