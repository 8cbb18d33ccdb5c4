//! Every row of the formats' documents has an equivalent in the library and in the program's output.
//!
//! `corpus/fields.tsv` lists them: the document, its term, the item of the library, the key of `info --json`, and the
//! reason if there is no key.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use meshpeek::Format;
use meshpeek::schema::records;
use serde_json::Value as Json;

use crate::corpus::root;

const DOCUMENTS: [(&str, &[Format], usize); 5] = [
    ("BMX", &[Format::Bmx], 79),
    ("B3D", &[Format::B3d], 70),
    ("LODka3D", &[Format::Lodka], 248),
    ("ODOL", &[Format::Odol], 125),
    ("RTM", &[Format::Bmtr, Format::Rtm], 34),
];

#[test]
fn every_row_of_the_documents_has_an_item_and_a_key() {
    let table = fs::read_to_string(root().join("corpus/fields.tsv")).unwrap();
    let rows: Vec<[&str; 5]> = table.lines().skip(1).map(cells).collect();
    let (source, mut wrong) = (source(&root().join("src")), Vec::new());
    for (document, formats, count) in DOCUMENTS {
        let rows: Vec<_> = rows.iter().filter(|[of, ..]| *of == document).collect();
        let distinct: HashSet<_> = rows.iter().map(|[_, row, ..]| row).collect();
        assert_eq!((rows.len(), distinct.len()), (count, count), "{document}");
        let (fields, keys) = (fields(formats), keys(formats));
        for [_, row, item, key, note] in rows {
            if !fields.contains(*item) && !is_defined(item, &source) {
                wrong.push(format!("{document}, {row}: no item {item}"));
            }
            match *key {
                "-" if note.is_empty() => wrong.push(format!("{document}, {row}: neither key nor reason")),
                "-" => {}
                key if keys.contains(key) => {}
                key => wrong.push(format!("{document}, {row}: no key {key}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn cells(line: &str) -> [&str; 5] {
    let cells: Vec<&str> = line.split('\t').collect();
    cells.try_into().unwrap_or_else(|cells| panic!("not five cells: {cells:?}"))
}

/// The fields of the formats' records, as `Record.field`.
fn fields(formats: &[Format]) -> HashSet<String> {
    let records = formats.iter().flat_map(|&format| records(format));
    records.flat_map(|record| record.fields.iter().map(|field| format!("{}.{}", record.name, field.name))).collect()
}

/// The keys that `info --json` prints for the formats' files, such as `detail.lods.name`.
fn keys(formats: &[Format]) -> HashSet<String> {
    let mut keys = HashSet::new();
    for entry in fs::read_dir(root().join("corpus/golden")).unwrap() {
        for line in fs::read_to_string(entry.unwrap().path()).unwrap().lines() {
            let golden: Json = serde_json::from_str(line).unwrap();
            let info = &golden["info"];
            if formats.iter().any(|format| info["format"] == format.name()) {
                add_keys(info, "", &mut keys);
            }
        }
    }
    keys
}

fn add_keys(value: &Json, path: &str, keys: &mut HashSet<String>) {
    match value {
        Json::Object(entries) => {
            for (key, value) in entries {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                add_keys(value, &path, keys);
                keys.insert(path);
            }
        }
        Json::Array(values) => values.iter().for_each(|value| add_keys(value, path, keys)),
        _ => {}
    }
}

/// Returns true if the last name of a path is an item in the source, including those defined by the macros for records
/// and codes.
fn is_defined(item: &str, source: &str) -> bool {
    let name = item.rsplit("::").next().unwrap();
    let starts = ["pub fn ", "    fn ", "pub struct ", "pub enum ", "pub trait ", "pub mod ", "pub type ", "\n    "];
    item.contains("::")
        && starts.iter().any(|start| {
            let whole = format!("{start}{name}");
            let ends = |at: usize| source[at + whole.len()..].starts_with(['<', '(', ' ', ';']);
            source.match_indices(&whole).any(|(at, _)| ends(at))
        })
}

/// All code, file after file.
fn source(folder: &Path) -> String {
    let mut all = String::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        all += &if path.is_dir() { source(&path) } else { fs::read_to_string(&path).unwrap() };
    }
    all
}
