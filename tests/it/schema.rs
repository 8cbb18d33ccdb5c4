//! Each field has the name that the format's document gives it.

use meshpeek::Format;
use meshpeek::schema::records;

use crate::corpus::{blessing, root};

/// The documents, next to the project if they are available.
const DOCUMENTS: [(Format, &str); 5] = [
    (Format::B3d, "b3d-v0.01.txt"),
    (Format::Bmtr, "rtm-binarised.txt"),
    (Format::Lodka, "lodka3d-ru.txt"),
    (Format::Bmx, "bmx-v1.4-zh.txt"),
    (Format::Odol, "odol-v4x.txt"),
];

fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').collect()
}

#[test]
fn names_of_fields_occur_in_their_document() {
    for (format, document) in DOCUMENTS {
        let path = root().join("../shared/specs").join(document);
        let Ok(text) = std::fs::read_to_string(&path) else {
            println!("skipped: no file {}", path.display());
            continue;
        };
        let words = words(&text);
        let mut named = 0;
        for record in records(format) {
            for field in record.fields {
                // A count and the counted items are one field here.
                for spec in field.spec.into_iter().flat_map(|names| names.split(", ")) {
                    assert!(words.contains(&spec), "{}.{}: {spec}", record.name, field.name);
                    named += 1;
                }
            }
        }
        assert!(named > 10, "{format}: {named}");
    }
}

#[test]
fn every_record_and_field_says_what_it_is() {
    for &format in Format::ALL {
        for record in records(format) {
            assert!(!record.doc.is_empty() && !record.fields.is_empty(), "{format}: {}", record.name);
            for field in record.fields {
                assert!(!field.doc.is_empty(), "{format}: {}.{}", record.name, field.name);
            }
            if let Some(bytes) = record.byte_len() {
                assert_eq!(bytes, record.min(), "{format}: {}", record.name);
            }
        }
    }
}

/// The first words of the rows of a document's tables that name a field.
fn fields<'t>(format: Format, text: &'t str) -> Vec<&'t str> {
    // Types, and in the map's document the word for all entries of a table.
    let no_fields = ["Integer", "Smallint", "Byte", "ShortInt", "Boolean", "Single", "string", "Array", "LIST"];
    let types = ["unsigned", "bool", "float", "float[3]", "float[4][4]", "char32_t", "-"];
    let of_line = |line: &'t str| {
        let (name, rest) = line.split_once(' ')?;
        let is_row = match format {
            Format::Lodka => rest.starts_with("| ") && name.is_ascii(),
            _ => {
                name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
                    && types.contains(&rest.split(' ').next()?)
            }
        };
        (is_row && !no_fields.contains(&name)).then_some(name)
    };
    text.lines().filter_map(of_line).collect()
}

#[test]
fn every_field_of_these_documents_is_in_the_schema() {
    for (format, document) in DOCUMENTS.into_iter().filter(|(format, _)| matches!(format, Format::Lodka | Format::Bmx))
    {
        let path = root().join("../shared/specs").join(document);
        let Ok(text) = std::fs::read_to_string(&path) else {
            println!("skipped: no file {}", path.display());
            continue;
        };
        let named: Vec<&str> = records(format)
            .iter()
            .flat_map(|record| record.fields)
            .filter_map(|field| field.spec)
            .flat_map(|names| names.split(", "))
            .collect();
        let fields = fields(format, &text);
        let missing: Vec<_> = fields.iter().filter(|field| !named.contains(field)).collect();
        assert!(missing.is_empty() && fields.len() > 30, "{format}: {missing:?} of {}", fields.len());
    }
}

/// The field types in the document of ODOL.
const TYPES: [&str; 12] = [
    "ulong",
    "long",
    "ushort",
    "float",
    "asciiz",
    "Asciiz",
    "tbool",
    "byte",
    "bytes",
    "LongBool",
    "D3DCOLORVALUE",
    "XYZTriplet",
];
/// Names that it declares but no file stores: members of a type, the example of a conversion, names misspelled in an
/// earlier revision.
const NO_FIELDS: [&str; 5] = ["r", "U", "CompressedXYZ", "StartAdressOfLods", "EndAdressOfLods"];

#[test]
fn fields_of_the_document_occur_in_the_schema() {
    let path = root().join("../shared/specs/odol-v4x.txt");
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("skipped: no file {}", path.display());
        return;
    };
    let fields = records(Format::Odol).iter().flat_map(|record| record.fields);
    let known: Vec<&str> = fields.filter_map(|field| field.spec).flat_map(|spec| spec.split(", ")).collect();
    let mut declared = 0;
    for (at, _) in text.match_indices(char::is_whitespace) {
        let (before, behind) = text.split_at(at);
        let word = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        let name: &str = behind.trim_start();
        let end = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
        let (name, rest) = name.split_at(end);
        if TYPES.contains(&word) && rest.trim_start().starts_with([';', '[', ',']) && !NO_FIELDS.contains(&name) {
            assert!(known.contains(&name), "{word} {name} is in the document and not in the schema");
            declared += 1;
        }
    }
    assert!(declared > 80, "{declared}");
}

/// The page starts with a few words, and the tables start with the first format.
const BEGIN: &str = "\n## ";

/// The fields of every format as tables.
fn tables() -> String {
    let mut text = String::new();
    for &format in Format::ALL {
        if records(format).is_empty() {
            continue;
        }
        text += &format!("\n## {}\n", format.name());
        for record in records(format) {
            let bytes = match record.byte_len() {
                Some(1) => "1 byte".to_owned(),
                Some(bytes) => format!("{bytes} bytes"),
                None if record.min() == 1 => "1 byte or more".to_owned(),
                None => format!("{} bytes or more", record.min()),
            };
            text += &format!("\n`{}`, {bytes}. {}\n\n", record.name, cell(record.doc));
            text += "| field | document | type | bytes | where | meaning |\n| --- | --- | --- | --- | --- | --- |\n";
            for field in record.fields {
                let bytes =
                    field.kind.byte_len().map_or_else(|| format!("{}+", field.kind.min()), |bytes| bytes.to_string());
                let gate = field.gate.map(|gate| format!("`{}`", cell(gate))).unwrap_or_default();
                let (spec, mut doc) = (cell(field.spec.unwrap_or_default()), cell(field.doc));
                let values = field.values();
                if !values.is_empty() {
                    doc += &format!(" Values: {}.", cell(&values));
                }
                text += &format!(
                    "| {} | {spec} | {} | {bytes} | {gate} | {doc} |\n",
                    field.name,
                    cell(&field.kind.to_string())
                );
            }
        }
    }
    text
}

/// Converts a text for a table: one line, links as words, no column separators.
fn cell(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text.trim();
    // `[words](target)` and ``[`Type`]`` become the words.
    while let Some((before, behind)) = rest.split_once('[') {
        out += before;
        let Some((words, after)) = behind.split_once(']').filter(|(words, _)| !words.is_empty()) else {
            out += "[";
            rest = behind;
            continue;
        };
        let target = after.strip_prefix('(').and_then(|after| after.split_once(')'));
        match target {
            Some((_, after)) => (out, rest) = (out + words, after),
            None if words.starts_with('`') => (out, rest) = (out + words, after),
            None => (out, rest) = (format!("{out}[{words}]"), after),
        }
    }
    let line = out + rest;
    line.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

#[test]
fn the_page_of_formats_has_the_fields_of_every_format() {
    let path = root().join("FORMATS.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (head, now) = page.split_at(page.find(BEGIN).unwrap());
    let tables = tables();
    if blessing() {
        std::fs::write(&path, format!("{head}{tables}")).unwrap();
    } else {
        assert!(now == tables, "FORMATS.md does not have the fields of `schema`; MESHPEEK_BLESS=1 writes them");
    }
}
