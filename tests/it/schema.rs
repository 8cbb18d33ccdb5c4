//! Each field has the name that the format's document gives it.

use std::collections::BTreeSet;

use meshpeek::Format;
use meshpeek::schema::{FieldInfo, Type, records};

use crate::support::files::{blessing, root};

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
fn every_record_and_field_has_a_description() {
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

/// The fields that a document declares, with their size in bytes: from the column of sizes, or from the types.
fn sizes(format: Format, text: &str) -> BTreeSet<(&str, u64)> {
    let types: &[(&str, u64)] = match format {
        Format::Bmx => &[
            ("unsigned int8_t", 1),
            ("unsigned int32_t", 4),
            ("unsigned int64_t", 8),
            ("bool", 1),
            ("float", 4),
            ("float[3]", 12),
            ("float[4][4]", 64),
        ],
        Format::B3d => &[("int", 4), ("float", 4)],
        _ => &[
            ("ulong", 4),
            ("long", 4),
            ("ushort", 2),
            ("short", 2),
            ("float", 4),
            ("byte", 1),
            ("tbool", 1),
            ("LongBool", 4),
            ("XYZTriplet", 12),
            ("D3DCOLORVALUE", 16),
        ],
    };
    let size = |name: &str| types.iter().find(|(known, _)| *known == name).map(|(_, size)| *size);
    let mut found = BTreeSet::new();
    for line in text.lines().map(str::trim) {
        match format {
            Format::Lodka => {
                let mut cells = line.split(" | ");
                let cells = cells.next().zip(cells.next().and_then(|size| size.parse().ok()));
                found.extend(cells.filter(|(name, _)| name.chars().all(|c| c.is_ascii_alphanumeric())));
            }
            Format::Bmx => {
                found.extend(line.split_once(' ').and_then(|(name, rest)| {
                    // The type ends before the description, which is Chinese.
                    let end = rest.find(|c: char| !c.is_ascii()).unwrap_or(rest.len());
                    Some((name, size(rest.get(..end)?.trim())?))
                }));
            }
            _ => {
                let Some((kind, rest)) = line.split_once(' ') else { continue };
                let Some((size, (names, _))) = size(kind).zip(rest.split_once(';')) else { continue };
                for declared in names.split(',').map(str::trim) {
                    let (name, dimensions) = declared.split_once('[').unwrap_or((declared, ""));
                    let counts = dimensions.split(['[', ']']).filter(|count| !count.is_empty());
                    let counts: Option<Vec<u64>> = counts.map(|count| count.trim().parse().ok()).collect();
                    let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_') && !name.is_empty();
                    found
                        .extend(counts.filter(|_| is_name).map(|counts| (name, size * counts.iter().product::<u64>())));
                }
            }
        }
    }
    found
}

/// Fields that have another size here than in their document, and why.
const OTHER_SIZES: [(&str, &str); 5] = [
    ("MaterialOptions", "its last byte, MappingMode, is a field by itself"),
    ("UnknownByte", "it is the first byte of `special`"),
    ("aFlag", "it is a byte of `special`"),
    ("V", "four pairs of bytes, of which the document has half"),
    ("Unknown", "the name of several fields"),
];

#[test]
fn fields_have_the_size_that_their_document_says() {
    for (format, document) in DOCUMENTS {
        let path = root().join("../shared/specs").join(document);
        let Ok(text) = std::fs::read_to_string(&path) else {
            println!("skipped: no file {}", path.display());
            continue;
        };
        let (mut wrong, mut right) = (Vec::new(), 0);
        for (name, size) in sizes(format, &text) {
            if OTHER_SIZES.iter().any(|(other, _)| *other == name) {
                continue;
            }
            let mut is_known = false;
            let mut is_right = false;
            for record in records(format) {
                let named = |field: &&FieldInfo| field.spec.is_some_and(|spec| spec.split(", ").any(|one| one == name));
                let fields: Vec<_> = record.fields.iter().filter(named).collect();
                is_known |= !fields.is_empty();
                // Several fields may share a name, several names a field. Lists and derived fields have no size.
                let all = fields.iter().map(|field| field.kind.byte_len()).sum::<Option<u64>>();
                let one = |field: &&FieldInfo| {
                    let names = field.spec.map_or(1, |spec| spec.split(", ").count() as u64);
                    matches!(field.kind, Type::Derived(_))
                        || field.kind.byte_len().is_none_or(|bytes| bytes == size || bytes == size * names)
                };
                is_right |= !fields.is_empty() && all == Some(size) || fields.iter().any(one);
            }
            match is_right {
                true => right += 1,
                false if is_known => wrong.push(format!("{format}: {name} has {size} bytes")),
                false => {}
            }
        }
        assert!(wrong.is_empty() && right > 10, "{format}: {right} right, {wrong:?}");
    }
}

#[test]
fn conditions_on_the_version_name_it() {
    let mut gates = 0;
    for gate in Format::ALL.iter().flat_map(|&format| records(format)).flat_map(|record| record.fields) {
        let Some(gate) = gate.gate else { continue };
        gates += 1;
        let names_it = gate.bytes().any(|byte| byte.is_ascii_digit()) || gate.contains("is_vbs_line");
        assert!(!gate.contains("version") || names_it, "{gate}");
    }
    assert!(gates >= 109, "{gates}");
}

#[test]
fn codes_have_their_numbers_and_names() {
    let mut codes = BTreeSet::new();
    for &format in Format::ALL {
        for field in records(format).iter().flat_map(|record| record.fields).filter(|field| !field.codes.is_empty()) {
            let all = field.values();
            assert!(field.codes.iter().all(|(number, name)| all.contains(&format!("{number} {name}"))), "{all}");
            codes.insert((format.name(), field.codes));
        }
    }
    let count = |format: &str| codes.iter().filter(|(of, _)| *of == format).count();
    // The flags of LODka3D are one more.
    assert_eq!(["lodka", "odol", "b3d", "bmx", "bmtr"].map(count), [14, 11, 4, 2, 2], "{codes:#?}");
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
        let (before, after) = text.split_at(at);
        let word = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        let name: &str = after.trim_start();
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
    while let Some((before, after)) = rest.split_once('[') {
        out += before;
        let Some((words, after)) = after.split_once(']').filter(|(words, _)| !words.is_empty()) else {
            out += "[";
            rest = after;
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
