//! Records as JSON, the same bytes as `serde_json` writes. It searches each key for characters to escape, byte by byte,
//! which takes more time than reading a small asset. Here, keys are copied.

use std::borrow::Cow;

use super::Record;
use crate::asset::address::MemberPath;
use crate::asset::stored::Stored;
use crate::base::text::Name;
use crate::summary::{Blocks, Bounds, Counts, Reference, Summary};

impl Record {
    /// Appends the record as JSON, the same bytes as with its `Serialize`.
    ///
    /// # Errors
    /// Returns an error if a part cannot be written as JSON, which does not happen.
    pub fn write_json(&self, out: &mut Vec<u8>) -> std::io::Result<()> {
        self.write_place(out);
        self.write_facts(out)?;
        if let Some(digests) = &self.digests {
            put(out, ",\"digests\":{");
            for (index, (name, digest)) in digests.iter().enumerate() {
                key(out, index, name);
                // A digest is hexadecimal.
                match digest {
                    Some(digest) => word(out, digest),
                    None => put(out, "null"),
                }
            }
            put(out, "}");
        }
        put(out, ",\"stored\":");
        match &self.stored {
            Some(stored) => write_stored(stored, out),
            None => put(out, "null"),
        }
        put(out, ",\"prefix\":");
        name(out, self.prefix.as_ref());
        put(out, ",\"texture\":");
        match &self.summary.texture {
            Some(texture) => other(out, texture)?,
            None => put(out, "null"),
        }
        if let Some(stamp) = &self.stamp {
            put(out, ",\"stamp\":");
            text(out, stamp);
        }
        put(out, "}");
        Ok(())
    }

    /// Appends the entries that say where the asset is.
    fn write_place(&self, out: &mut Vec<u8>) {
        let path = match self.path.to_str() {
            Some(path) => Cow::Borrowed(path),
            None => Cow::Owned(self.path_name().text),
        };
        put(out, "{\"path\":");
        text(out, &path);
        put(out, ",\"member\":");
        name(out, self.member.as_ref());
        put(out, ",\"address\":\"");
        escaped(out, &path);
        if let Some(member) = &self.member {
            put(out, MemberPath::SEPARATOR);
            escaped(out, &member.text);
        }
        put(out, if self.is_lossy() { "\",\"lossy\":true" } else { "\"" });
    }

    /// Appends the entries of the summary, except the texture.
    fn write_facts(&self, out: &mut Vec<u8>) -> std::io::Result<()> {
        let Summary { format, version, bytes, counts, bounds, references, blocks, texture: _, unchecked, problems } =
            &self.summary;
        put(out, ",\"format\":");
        match format {
            Some(format) => word(out, format.name()),
            None => put(out, "null"),
        }
        put(out, ",\"version\":");
        number(out, version.map(u64::from));
        put(out, ",\"bytes\":");
        number(out, Some(*bytes));
        write_counts(counts, out);
        put(out, ",\"bounds\":");
        match bounds {
            Some(Bounds { min, max }) => {
                put(out, "{\"min\":");
                other(out, min)?;
                put(out, ",\"max\":");
                other(out, max)?;
                put(out, "}");
            }
            None => put(out, "null"),
        }
        write_references(references, out);
        write_blocks(*blocks, out);
        if !unchecked.is_empty() {
            put(out, ",\"unchecked\":");
            other(out, unchecked)?;
        }
        put(out, ",\"problems\":");
        match &problems[..] {
            [] => put(out, "[]"),
            problems => other(out, problems)?,
        }
        Ok(())
    }
}

fn write_counts(counts: &Counts, out: &mut Vec<u8>) {
    put(out, ",\"counts\":{");
    for (index, (name, count)) in counts.iter().enumerate() {
        key(out, index, name);
        number(out, count);
    }
    put(out, "}");
}

fn write_references(references: &[Reference], out: &mut Vec<u8>) {
    put(out, ",\"references\":[");
    for (index, reference) in references.iter().enumerate() {
        put(out, if index == 0 { "{\"kind\":" } else { ",{\"kind\":" });
        word(out, reference.kind.name());
        put(out, ",\"name\":");
        text(out, &reference.name.text);
        put(out, if reference.name.lossy { ",\"lossy\":true}" } else { "}" });
    }
    put(out, "]");
}

fn write_blocks(blocks: Blocks, out: &mut Vec<u8>) {
    put(out, ",\"blocks\":{\"stored\":");
    number(out, Some(blocks.stored));
    put(out, ",\"packed\":");
    number(out, Some(blocks.packed));
    put(out, ",\"packed_bytes\":");
    number(out, Some(blocks.packed_bytes));
    put(out, ",\"unpacked_bytes\":");
    number(out, Some(blocks.unpacked_bytes));
    put(out, "}");
}

fn write_stored(stored: &Stored, out: &mut Vec<u8>) {
    put(out, "{\"offset\":");
    number(out, stored.offset);
    put(out, ",\"bytes\":");
    number(out, Some(stored.bytes));
    put(out, ",\"method\":");
    text(out, &stored.method);
    put(out, ",\"time\":");
    match &stored.time {
        Some(time) => text(out, time),
        None => put(out, "null"),
    }
    put(out, "}");
}

#[inline]
pub(crate) fn put(out: &mut Vec<u8>, json: &str) {
    out.extend_from_slice(json.as_bytes());
}

/// Appends the key of the entry with this number in its object, which has no characters to escape.
fn key(out: &mut Vec<u8>, index: usize, key: &str) {
    put(out, if index == 0 { "\"" } else { ",\"" });
    put(out, key);
    put(out, "\":");
}

/// Appends a text without characters to escape.
pub(crate) fn word(out: &mut Vec<u8>, word: &str) {
    put(out, "\"");
    put(out, word);
    put(out, "\"");
}

pub(crate) fn text(out: &mut Vec<u8>, text: &str) {
    put(out, "\"");
    escaped(out, text);
    put(out, "\"");
}

pub(crate) fn name(out: &mut Vec<u8>, name: Option<&Name>) {
    match name {
        Some(name) => text(out, &name.text),
        None => put(out, "null"),
    }
}

pub(crate) fn number(out: &mut Vec<u8>, number: Option<u64>) {
    match number {
        Some(number) => put(out, itoa::Buffer::new().format(number)),
        None => put(out, "null"),
    }
}

/// Appends a text between quotes that are there.
fn escaped(out: &mut Vec<u8>, text: &str) {
    // Most texts have no characters to escape. Without an early end, many bytes are compared at once.
    let has_special = text.bytes().fold(false, |found, byte| found | is_special(byte));
    if !has_special {
        return put(out, text);
    }
    let mut rest = text.as_bytes();
    while let Some(place) = rest.iter().position(|byte| is_special(*byte))
        && let Some((plain, [special, after @ ..])) = rest.split_at_checked(place)
    {
        out.extend_from_slice(plain);
        put_special(out, *special);
        rest = after;
    }
    out.extend_from_slice(rest);
}

#[inline(always)]
fn is_special(byte: u8) -> bool {
    (byte < b' ') | (byte == b'"') | (byte == b'\\')
}

fn put_special(out: &mut Vec<u8>, byte: u8) {
    match byte {
        b'"' => put(out, "\\\""),
        b'\\' => put(out, "\\\\"),
        b'\n' => put(out, "\\n"),
        b'\r' => put(out, "\\r"),
        b'\t' => put(out, "\\t"),
        8 => put(out, "\\b"),
        12 => put(out, "\\f"),
        byte => put(out, &format!("\\u{byte:04x}")),
    }
}

fn other<T: serde::Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) -> std::io::Result<()> {
    Ok(serde_json::to_writer(out, value)?)
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::path::PathBuf;

    use super::*;
    use crate::base::text::ByteStr;
    use crate::inspect::Depth;
    use crate::scan::{Found, Input, Scan};

    fn check(record: &Record) {
        let mut line = b"before".to_vec();
        record.write_json(&mut line).unwrap();
        let line = String::from_utf8(line).unwrap();
        assert_eq!(line.strip_prefix("before"), Some(&*serde_json::to_string(record).unwrap()));
    }

    #[test]
    fn records_are_written_as_by_serde() {
        let mut has = [false; 10];
        for depth in [Depth::Header, Depth::Summary, Depth::Verify] {
            let mut scan = Scan::new(["corpus"]);
            scan.depth = depth;
            scan.digests = depth == Depth::Summary;
            let found = |found, _| {
                let Found::Asset(mut record) = found else { return ControlFlow::Continue(()) };
                check(&record);
                let Summary { version, bounds, references, unchecked, texture, problems, .. } = &record.summary;
                let shapes = [
                    record.digests.is_some(),
                    record.stored.is_some(),
                    record.prefix.is_some(),
                    record.stamp.is_some(),
                    version.is_some(),
                    bounds.is_some(),
                    references.iter().any(|reference| reference.name.lossy),
                    !unchecked.is_empty(),
                    texture.is_some(),
                    !problems.is_empty(),
                ];
                for (has, found) in std::iter::zip(&mut has, shapes) {
                    *has |= found;
                }
                record.path = PathBuf::from("a\\b\"\u{1f}.p3d");
                check(&record);
                ControlFlow::Continue(())
            };
            scan.run(Input::Paths, |_| (), found).unwrap();
        }
        assert_eq!(has, [true; 10]);
    }

    #[test]
    fn texts_are_escaped_as_by_serde() {
        let mut record = Scan::new(["x"]).record("x".as_ref(), b"");
        let every = (0..=255).map(|code| char::from(code as u8)).collect::<String>();
        for bytes in [every.as_bytes(), b"", b"plain", b"\"", b"\\", b"\xff\n", "\u{2028}\u{1f600}".as_bytes()] {
            let name = Name::from(ByteStr::new(bytes));
            record.path = PathBuf::from(&name.text);
            record.summary.references =
                vec![Reference { kind: crate::summary::ReferenceKind::File, name: name.clone() }];
            record.stamp = Some(name.text.clone());
            record.member = Some(name.clone());
            record.prefix = Some(name);
            check(&record);
        }
    }
}
