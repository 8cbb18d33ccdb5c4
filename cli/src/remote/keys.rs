//! Keys that a bucket may have, but that a URL cannot name.

use std::ops::Range;

use object_store::path::Path as Key;
use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::Event;

/// The most characters of a key that S3, GCS and Azure allow.
pub(super) const LONGEST: usize = 1024;

/// The keys that were taken out of a page of a listing.
#[derive(Clone, Debug, Default)]
pub(super) struct Unusable(pub(super) Vec<String>);

/// Takes out of a page of a listing the entries with keys that would make the client reject the whole page.
pub(super) fn without_unusable(page: Vec<u8>) -> (Vec<u8>, Unusable) {
    let entries = unusable(&page);
    if entries.is_empty() {
        return (page, Unusable::default());
    }
    let mut keys = Vec::with_capacity(entries.len());
    let mut rest = Vec::with_capacity(page.len());
    let mut start = 0;
    for entry in entries {
        rest.extend_from_slice(page.get(start..entry.place.start).unwrap_or_default());
        start = entry.place.end;
        keys.push(entry.key);
    }
    rest.extend_from_slice(page.get(start..).unwrap_or_default());
    (rest, Unusable(keys))
}

/// An entry of a listing.
struct Entry {
    /// Its bytes in the page.
    place: Range<usize>,
    key: String,
}

/// Finds entries with keys that a URL cannot name. If the page is not XML, the client says so.
fn unusable(page: &[u8]) -> Vec<Entry> {
    let mut reader = Reader::from_reader(page);
    let mut found = Vec::new();
    let mut entry: Option<Entry> = None;
    let mut is_key = false;
    loop {
        let start = position(&reader);
        let Ok(event) = reader.read_event() else { return found };
        match event {
            Event::Start(tag) if is_entry(tag.name().as_ref()) => {
                entry = Some(Entry { place: start..start, key: String::new() });
            }
            Event::End(tag) if is_entry(tag.name().as_ref()) => {
                if let Some(mut entry) = entry.take()
                    && !is_usable(&entry.key)
                {
                    entry.place.end = position(&reader);
                    found.push(entry);
                }
            }
            // The name of a blob comes before the names in its metadata.
            Event::Start(tag) => {
                let is_first = matches!(&entry, Some(entry) if entry.key.is_empty());
                is_key = is_first && matches!(tag.name().as_ref(), b"Key" | b"Name");
            }
            Event::End(_) => is_key = false,
            Event::Eof => return found,
            event => {
                if is_key && let Some(entry) = &mut entry {
                    add_text(&event, &mut entry.key);
                }
            }
        }
    }
}

fn position(reader: &Reader<&[u8]>) -> usize {
    usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX)
}

/// Returns true for the entries of S3 and GCS, and those of Azure.
fn is_entry(tag: &[u8]) -> bool {
    matches!(tag, b"Contents" | b"Blob")
}

fn is_usable(key: &str) -> bool {
    // A slash at the end marks a folder.
    let name = key.strip_suffix('/').unwrap_or(key);
    if key.chars().count() > LONGEST {
        return false;
    }
    match Key::parse(name) {
        Ok(parsed) => parsed.as_ref() == name,
        Err(_) => false,
    }
}

/// Adds the text of an event, with entities resolved.
pub(super) fn add_text(event: &Event<'_>, text: &mut String) {
    match event {
        Event::Text(part) => text.push_str(&String::from_utf8_lossy(part)),
        Event::CData(part) => text.push_str(&String::from_utf8_lossy(part)),
        Event::GeneralRef(name) => {
            let name_text = String::from_utf8_lossy(name);
            match (name.resolve_char_ref(), resolve_predefined_entity(&name_text)) {
                (Ok(Some(character)), _) => text.push(character),
                (_, Some(replacement)) => text.push_str(replacement),
                _ => text.push(char::REPLACEMENT_CHARACTER),
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_no_url_names_are_taken_out_of_pages() {
        let entry =
            |key: &str| format!("<Contents><Size>5</Size><Key>{key}</Key><Owner><ID>//</ID></Owner></Contents>");
        let long = "x".repeat(LONGEST + 1);
        let bad = ["a//b", "/a", "a/../b", "./a", "a&#10;b", "a&#x2f;/b", "a/<![CDATA[/]]>b", "a\u{7f}", &long];
        let good = ["a/b", "a/", "a &amp; b", "a&#47;b", "..a", "a\\..\\b", &long[1..], "\u{202e}"];
        let page = |keys: &[&str]| {
            let entries: String = keys.iter().map(|key| entry(key)).collect();
            format!("<?xml version=\"1.0\"?>\n<List> {entries}\n<IsTruncated>true</IsTruncated></List>")
        };
        let (rest, left_out) = without_unusable(page(&bad).into_bytes());
        assert_eq!(String::from_utf8(rest).unwrap(), page(&[]));
        assert_eq!(left_out.0, ["a//b", "/a", "a/../b", "./a", "a\nb", "a//b", "a//b", "a\u{7f}", &long]);
        let (rest, left_out) = without_unusable(page(&good).into_bytes());
        assert_eq!((String::from_utf8(rest).unwrap(), left_out.0.len()), (page(&good), 0));
        let mixed: Vec<&str> = good.iter().zip(&bad).flat_map(|(good, bad)| [*good, *bad]).collect();
        let (rest, left_out) = without_unusable(page(&mixed).into_bytes());
        assert_eq!((String::from_utf8(rest).unwrap(), left_out.0.len()), (page(&good), good.len()));
        // Of Azure.
        let blob = |name: &str| format!("<Blob><Name>{name}</Name><Metadata><Name>//</Name></Metadata></Blob>");
        let (rest, left_out) = without_unusable(format!("<Blobs>{}{}</Blobs>", blob("a"), blob("b//c")).into_bytes());
        assert_eq!(
            (String::from_utf8(rest).unwrap(), left_out.0),
            (format!("<Blobs>{}</Blobs>", blob("a")), vec!["b//c".to_owned()])
        );
        // What is not XML is left as it is.
        for text in ["", "<Contents>", "</Contents>", "<Contents><Key>//</Key>", "no xml", "<a", "&x;", "<Key>//</Key>"]
        {
            assert_eq!(without_unusable(text.into()).0, text.as_bytes(), "{text}");
        }
    }

    #[test]
    fn keys_of_any_parts_are_usable_if_every_part_is_a_name() {
        let parts = ["", ".", "..", "...", "a", "a b", ".a", "a\\", "é", "%2F", "a\n", "\u{1}", "\u{7f}", "\u{80}"];
        let mut keys = Vec::new();
        for first in parts {
            keys.push(first.to_owned());
            for second in parts {
                keys.push(format!("{first}/{second}"));
                keys.extend(parts.map(|third| format!("{first}/{second}/{third}")));
            }
        }
        for key in keys {
            let mut parts: Vec<&str> = key.split('/').collect();
            // A slash at the end.
            if parts.len() > 1 && parts.last() == Some(&"") {
                parts.pop();
            }
            let is_name =
                |part: &&str| !["", ".", ".."].contains(part) && !part.bytes().any(|byte| byte.is_ascii_control());
            let is_root = parts == [""];
            assert_eq!(is_usable(&key), is_root || parts.iter().all(is_name), "{key:?}");
        }
        // Characters count, not bytes, and the slash at the end does.
        for letter in ["a", "é", "\u{1f600}"] {
            assert!(is_usable(&letter.repeat(1024)) && !is_usable(&letter.repeat(1025)), "{letter}");
            assert!(is_usable(&(letter.repeat(1023) + "/")) && !is_usable(&(letter.repeat(1024) + "/")), "{letter}");
        }
    }
}
