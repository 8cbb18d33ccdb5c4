//! Each field carries the name that the format's document gives it.

use meshpeek::Format;
use meshpeek::schema::records;

use crate::corpus::root;

/// The documents, beside the project where they are at hand.
const DOCUMENTS: [(Format, &str); 3] =
    [(Format::B3d, "b3d-v0.01.txt"), (Format::Bmtr, "rtm-binarised.txt"), (Format::Lodka, "lodka3d-ru.txt")];

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
                // A count and what it counts are one field of ours.
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
            if let Some(bytes) = record.bytes() {
                assert_eq!(bytes, record.min(), "{format}: {}", record.name);
            }
        }
    }
}
