//! Every row of the formats' documents has an equivalent in the library and in the program's output.
//!
//! `corpus/fields.tsv` lists them: the document, its term, the item of the library, the key of `info --json`, a note, and
//! `complete`, or `decided` if the library leaves out a part of it. The note gives the reason for that, or for a missing key.
//!
//! The schema and a dissection give each field the same name and type, and the type has the size that the document says.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::path::Path;

use meshpeek::dissect::{LineKind, dissect};
use meshpeek::schema::Schema;
use meshpeek::schema::{Type, records};
use meshpeek::{Asset, Format};
use serde_json::Value as Json;

use crate::support::files::root;
use crate::writer;

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
    let rows: Vec<[&str; 6]> = table.lines().skip(1).map(cells).collect();
    let (source, mut wrong) = (source(&root().join("src")), Vec::new());
    for (document, formats, count) in DOCUMENTS {
        let rows: Vec<_> = rows.iter().filter(|[of, ..]| *of == document).collect();
        let distinct: HashSet<_> = rows.iter().map(|[_, row, ..]| row).collect();
        assert_eq!((rows.len(), distinct.len()), (count, count), "{document}");
        let (fields, keys) = (fields(formats), keys(formats));
        for [_, row, item, key, note, state] in rows {
            if !(*state == "complete" || *state == "decided" && !note.is_empty()) {
                wrong.push(format!("{document}, {row}: {state} without a reason"));
            }
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

fn cells(line: &str) -> [&str; 6] {
    let cells: Vec<&str> = line.split('\t').collect();
    cells.try_into().unwrap_or_else(|cells| panic!("not six cells: {cells:?}"))
}

/// The fields of the formats' records, as `Record.field`.
fn fields(formats: &[Format]) -> HashSet<String> {
    let records = formats.iter().flat_map(|&format| records(format));
    records.flat_map(|record| record.fields.iter().map(|field| format!("{}.{}", record.name, field.name))).collect()
}

/// The parts of a format in dissections of the written files, with the types of their fields by name. Columns of arrays
/// count as fields.
#[derive(Default)]
struct Shown {
    parts: BTreeSet<String>,
    types: BTreeSet<(String, String)>,
    columns: BTreeSet<(String, String)>,
}

fn shown() -> BTreeMap<Format, Shown> {
    let mut all: BTreeMap<Format, Shown> = BTreeMap::new();
    for (_, bytes) in writer::corpus().into_iter().filter(|(name, _)| !name.starts_with("hostile/")) {
        let Ok(asset) = Asset::parse(&bytes) else { continue };
        let shown = all.entry(asset.format()).or_default();
        dissect(&asset, bytes.len() as u64, &mut |line| {
            let name = line.name.split('[').next().unwrap().to_owned();
            if line.kind == LineKind::Part {
                shown.parts.insert(name);
                return;
            }
            let columns = line.type_name.strip_prefix('{').and_then(|columns| columns.strip_suffix("}[]"));
            for (column, scalar) in
                columns.into_iter().flat_map(|all| all.split(", ")).filter_map(|c| c.split_once(' '))
            {
                shown.columns.insert((column.to_owned(), scalar.to_owned()));
            }
            shown.types.insert((name, line.type_name.clone()));
        });
    }
    all
}

impl Shown {
    fn has_type(&self, name: &str, kind: &str) -> bool {
        self.types.contains(&(name.to_owned(), kind.to_owned()))
    }

    /// Returns true if it shows a field of this name and type: as a field, part or columns, or by the fields of its
    /// record.
    fn has(&self, name: &str, kind: &Type) -> bool {
        match kind {
            Type::Record(record) => self.parts.contains(name) || self.has_fields(record),
            Type::List(Type::Record(record), _) | Type::Times(Type::Record(record), _) => {
                self.parts.contains(name) || self.has_fields(record)
            }
            Type::List(item, _) if !self.has_type(name, &kind.to_string()) => self.has(name, item),
            Type::Derived(_) => self.has_type(name, "derived"),
            Type::Either(one, other) => self.has(name, one) && self.has(name, other),
            // No written file is so large that its indices have four bytes.
            Type::Varying(words, _) if words.contains('|') => {
                words.split('|').filter(|word| *word != "u32").all(|word| self.has_type(name, &format!("{word}[]")))
            }
            _ => {
                let words = kind.to_string().replace(", from version 69 on,", "");
                let scalar = words.split('[').next().unwrap();
                let bytes = |scalar: &str| scalar.trim_start_matches(char::is_alphabetic).parse::<u64>().unwrap() / 8;
                // A column, or those of a vector.
                let is_column = |(column, stored): &(String, String)| {
                    let of_vector = column.strip_prefix(name).is_some_and(|rest| rest.starts_with('_'));
                    column == name && kind.byte_len() == Some(bytes(stored)) || of_vector && stored == scalar
                };
                words.split(" or ").all(|words| self.has_type(name, words))
                    || self.columns.iter().any(is_column)
                    || matches!(kind, Type::Array(..)) && self.parts.contains(name)
            }
        }
    }

    fn has_fields(&self, record: &Schema) -> bool {
        record.fields.iter().all(|field| self.has(field.name, &field.kind))
    }
}

/// Fields that a dissection shows under another name or type, and why.
const OTHERWISE: [(&str, &str); 24] = [
    ("Neighbor.bones", "columns such as `a_bone_0`"),
    ("Frame.transforms", "an array, whose columns are those of `Transform`"),
    ("Vertices.records", "an array, whose columns are those of `Vertex`"),
    ("Vertex.tex_coords", "columns such as `uv0_u`"),
    ("Triangle.vertices", "the columns `a`, `b` and `c`"),
    ("Mesh.weights", "an array, whose columns are those of `NarrowWeight` or `WideWeight`"),
    ("Lod.faces", "its count, memory and faces are shown one by one"),
    ("FlashpointLod.faces", "the same"),
    ("Neighbors.pair", "columns that begin with `a` or `b`"),
    ("Neighbor.vertex", "the columns `a` and `b`"),
    ("Neighbor.unused", "the columns `a_unused` and `b_unused`"),
    ("Transform.basis", "twelve numbers are one field"),
    ("Frame.extra", "no sound file has it"),
    ("Texts.bones", "a part for each name"),
    ("Transform.rotation", "columns such as `qx`"),
    ("Transform.translation", "columns such as `tx`"),
    ("FixedName.field", "the name of what it names"),
    ("Matrix.rotation", "columns such as `m00`"),
    ("Matrix.position", "the columns `x`, `y` and `z`"),
    ("Point.position", "the columns `x`, `y` and `z`"),
    ("Tag.data", "the type depends on the name"),
    ("Mip.sides", "two numbers"),
    ("HeaderEntry.properties", "a part for each property"),
    ("ArrayEntry.items", "a part for each item"),
];

#[test]
fn the_schema_and_a_dissection_agree_in_each_name_and_type() {
    let (mut wrong, mut right, mut otherwise) = (Vec::new(), 0, BTreeSet::new());
    for (format, shown) in shown() {
        // No zip of 4 GB is written. A test of the zip reader dissects descriptors with sizes of 64 bits.
        for record in records(format).iter().filter(|record| !record.name.starts_with("Zip64")) {
            for field in record.fields {
                let path = format!("{}.{}", record.name, field.name);
                match shown.has(field.name, &field.kind) {
                    true => right += 1,
                    false if OTHERWISE.iter().any(|(other, _)| *other == path) => _ = otherwise.insert(path),
                    false => {
                        let types: Vec<_> = shown.types.iter().filter(|(name, _)| name == field.name).collect();
                        wrong.push(format!("{format}, {path}: {}, shown {types:?}", field.kind));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{right} right, wrong:\n{}", wrong.join("\n"));
    let unused: Vec<_> = OTHERWISE.iter().filter(|(path, _)| !otherwise.contains(*path)).collect();
    assert!(unused.is_empty() && right > 600, "{right} right, needless: {unused:?}");
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
    let starts = [
        "pub fn ",
        "    fn ",
        "pub struct ",
        "pub enum ",
        "pub trait ",
        "pub mod ",
        "pub type ",
        "\n    ",
        "\n    crate ",
    ];
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
