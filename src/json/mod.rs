//! A record and an outline as one JSON document, written as a stream.
//!
//! ```
//! # let bytes = b"BB3D\x04\0\0\0\x01\0\0\0";
//! let asset = meshpeek::Asset::parse(bytes)?;
//! let mut json = Vec::new();
//! meshpeek::json::write(&asset, &mut json)?;
//! assert!(json.starts_with(b"{\n  \"version\": 1,\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Oversized values are cut. A text is cut after 64 KiB; its whole size follows under its name and `_bytes`. The
//! document is cut after 32 MiB and 32 bytes for each byte of the asset. An object with something left out has
//! `"truncated": true`. An object with a text that is not written as stored has `"lossy": true`, and next to the text
//! `NAME_lossy`. A text that is decoded with its writer's code page has its bytes next to it as `NAME_raw`.

mod longest;
mod row;
mod value;

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::ser::{Serialize, SerializeMap};
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter};

pub use self::longest::LONGEST_TEXT;
pub use self::row::{FieldRow, Row};
use crate::base::error::Error;
use crate::base::text::Name;
use crate::bytes::Storage;
use crate::inspect::selector::Path;
use crate::inspect::{Inspect, outline_within_limits};
use crate::outline::{Field, FieldValue, Part, PartArray, Text, Value, Visitor};

/// Writes the asset's whole outline as one object.
///
/// # Errors
/// Returns the errors of the writer.
pub fn write(asset: &dyn Inspect, out: impl Write) -> io::Result<()> {
    let mut document = Document::new(out)?;
    document.inside(asset)?;
    document.finish().map(drop)
}

/// The maximum number of problems reported for one part.
const MOST_PROBLEMS: usize = 1_000;

/// A document: an object that accepts entries until it is finished.
pub struct Document<W, F = PrettyFormatter<'static>> {
    out: Counted<W>,
    format: F,
    /// The object whose entries are being written.
    top: Object,
    /// The objects around it.
    around: Vec<Object>,
    path: Path,
    /// The maximum number of bytes that an outline may fill.
    most: u64,
    /// The first error of the writer.
    pub(crate) failure: Option<io::Error>,
}

#[derive(Default)]
struct Object {
    /// True if an entry was written.
    begun: bool,
    /// The list whose items are being written.
    list: Option<&'static str>,
    /// A list that has no item yet.
    empty_list: Option<&'static str>,
    /// True if this object is an item of a list that is being written.
    is_item: bool,
    lossy: bool,
    /// True if a text of a list is not written as stored, which is reported at the end of the object.
    lossy_list: bool,
    truncated: bool,
    problems: Vec<Problem>,
}

#[derive(serde::Serialize)]
struct Problem {
    offset: Option<u64>,
    message: String,
}

#[derive(serde::Serialize)]
struct Array<'s> {
    count: u64,
    offset: u64,
    bytes: u64,
    stored: &'static str,
    columns: Vec<&'static str>,
    selector: &'s str,
}

impl<W: Write> Document<W> {
    /// Starts an indented document.
    ///
    /// # Errors
    /// Returns the errors of the writer, as all later calls do.
    pub fn new(out: W) -> io::Result<Self> {
        Self::begun(out, PrettyFormatter::new(), u64::MAX)
    }
}

impl<W: Write> Document<W, CompactFormatter> {
    /// Starts a document on one line. Outlines are cut after `most` bytes.
    ///
    /// # Errors
    /// Returns the errors of the writer, as all later calls do.
    pub fn compact(out: W, most: u64) -> io::Result<Self> {
        Self::begun(out, CompactFormatter, most)
    }
}

impl<W: Write, F: Formatter + Clone> Document<W, F> {
    fn begun(out: W, format: F, most: u64) -> io::Result<Self> {
        let mut document = Self {
            out: Counted { inner: out, written: 0 },
            format,
            top: Object::default(),
            around: Vec::new(),
            path: Path::default(),
            most,
            failure: None,
        };
        document.begin_object(false)?;
        Ok(document)
    }

    /// Writes the asset's whole outline as the entry `name`.
    ///
    /// # Errors
    /// Returns the errors of the writer.
    pub fn outline(&mut self, name: &str, asset: &dyn Inspect) -> io::Result<()> {
        self.key(name)?;
        self.begin_object(false)?;
        self.inside(asset)?;
        self.end_object()
    }

    /// Writes the outline's entries into the current object.
    fn inside(&mut self, asset: &dyn Inspect) -> io::Result<()> {
        self.most = asset.size().saturating_mul(32).saturating_add(32 << 20).saturating_add(self.out.written);
        outline_within_limits(asset, self);
        match self.failure.take() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// Ends the document and returns the writer.
    ///
    /// # Errors
    /// Returns the errors of the writer, including those that occurred during an outline.
    pub fn finish(mut self) -> io::Result<W> {
        self.end_object()?;
        match self.failure {
            Some(error) => Err(error),
            None => Ok(self.out.inner),
        }
    }

    fn begin_object(&mut self, is_item: bool) -> io::Result<()> {
        self.around.push(std::mem::replace(&mut self.top, Object { is_item, ..Object::default() }));
        self.format.begin_object(&mut self.out)
    }

    fn end_object(&mut self) -> io::Result<()> {
        self.end_empty_list()?;
        let lossy = self.top.lossy_list && !self.top.lossy;
        let truncated = self.top.truncated;
        let problems = std::mem::take(&mut self.top.problems);
        if !problems.is_empty() {
            self.entry("problems", &problems)?;
        }
        if lossy {
            self.entry("lossy", &true)?;
        }
        if truncated {
            self.entry("truncated", &true)?;
        }
        self.end_list()?;
        self.format.end_object(&mut self.out)?;
        let ended = std::mem::replace(&mut self.top, self.around.pop().unwrap_or_default());
        match ended.is_item {
            true => self.format.end_array_value(&mut self.out),
            false if self.around.is_empty() => Ok(()),
            false => self.format.end_object_value(&mut self.out),
        }
    }

    fn key(&mut self, name: &str) -> io::Result<()> {
        self.end_empty_list()?;
        self.end_list()?;
        let first = !std::mem::replace(&mut self.top.begun, true);
        self.format.begin_object_key(&mut self.out, first)?;
        self.value(name)?;
        self.format.end_object_key(&mut self.out)?;
        self.format.begin_object_value(&mut self.out)
    }

    /// Writes an entry.
    ///
    /// # Errors
    /// Returns the errors of the writer.
    pub fn entry(&mut self, name: &str, value: &(impl Serialize + ?Sized)) -> io::Result<()> {
        self.key(name)?;
        self.value(value)?;
        self.format.end_object_value(&mut self.out)
    }

    /// Starts the value of an entry or of a list item.
    fn begin(&mut self, name: &'static str, is_item: bool) -> io::Result<()> {
        if !is_item {
            return self.key(name);
        }
        let first = self.top.list != Some(name);
        if first {
            self.top.empty_list = self.top.empty_list.filter(|list| *list != name);
            self.key(name)?;
            self.top.list = Some(name);
            self.format.begin_array(&mut self.out)?;
        }
        self.format.begin_array_value(&mut self.out, first)
    }

    fn end_empty_list(&mut self) -> io::Result<()> {
        match self.top.empty_list.take() {
            Some(name) => self.entry(name, &[(); 0]),
            None => Ok(()),
        }
    }

    fn end_list(&mut self) -> io::Result<()> {
        if self.top.list.take().is_some() {
            self.format.end_array(&mut self.out)?;
            self.format.end_object_value(&mut self.out)?;
        }
        Ok(())
    }

    fn value(&mut self, value: &(impl Serialize + ?Sized)) -> io::Result<()> {
        let mut serializer = serde_json::Serializer::with_formatter(&mut self.out, self.format.clone());
        Ok(value.serialize(&mut serializer)?)
    }

    /// Stores the original I/O error, because serde_json would turn it into text and a closed pipe must stay
    /// recognizable.
    fn keep_failure(&mut self, written: io::Result<()>) -> serde_json::Result<()> {
        let Err(error) = written else { return Ok(()) };
        let custom = serde::ser::Error::custom(&error);
        self.failure = Some(error);
        Err(custom)
    }

    /// Returns false if the writer has failed, or if the document has reached its maximum size, which is marked.
    fn has_room(&mut self) -> bool {
        if self.failure.is_some() {
            return false;
        }
        if self.out.written > self.most {
            self.top.truncated = true;
            return false;
        }
        true
    }

    fn write_part(&mut self, part: &Part<'_>) -> io::Result<()> {
        self.begin(part.name, part.index.is_some())?;
        self.begin_object(part.index.is_some())?;
        if let Some(span) = part.span {
            self.entry("offset", &span.offset)?;
            self.entry("bytes", &span.bytes)?;
        }
        Ok(())
    }

    fn write_array(&mut self, array: &PartArray<'_>) -> io::Result<()> {
        self.begin(array.name, array.index.is_some())?;
        let mut path = std::mem::take(&mut self.path);
        let written = path.with(array.name, array.index, |selector| {
            let table = array.table;
            let Storage { offset, bytes, packing } = table.storage();
            let columns = table.columns().iter().map(|column| column.name).collect();
            self.value(&Array { count: table.rows(), offset, bytes, stored: packing.name(), columns, selector })
        });
        self.path = path;
        written?;
        match array.index {
            Some(_) => self.format.end_array_value(&mut self.out),
            None => self.format.end_object_value(&mut self.out),
        }
    }

    fn write_field(&mut self, name: &'static str, value: &Value<'_>) -> io::Result<()> {
        match value {
            Value::Text(text) => {
                let whole = text.stored_byte_len();
                let cut = text.cut(LONGEST_TEXT);
                let text = Name::from(cut);
                if text.lossy && !std::mem::replace(&mut self.top.lossy, true) {
                    self.entry("lossy", &true)?;
                }
                if text.lossy {
                    self.entry(&format!("{name}_lossy"), &true)?;
                }
                self.entry(name, &text.text)?;
                if let Some(raw) = cut.to_raw() {
                    self.entry(&format!("{name}_raw"), &raw)?;
                }
                if whole > LONGEST_TEXT { self.entry(&format!("{name}_bytes"), &whole) } else { Ok(()) }
            }
            Value::Coded(value, Some(meaning)) => {
                self.entry(&format!("{name}_name"), meaning)?;
                self.entry(name, value)
            }
            other => self.entry(name, other),
        }
    }

    fn write_texts<'t>(&mut self, name: &'static str, texts: &mut dyn Iterator<Item = Text<'t>>) -> io::Result<()> {
        self.key(name)?;
        self.format.begin_array(&mut self.out)?;
        // The texts as stored, by their index.
        let mut raw = BTreeMap::new();
        let mut lossy = false;
        for (index, text) in texts.enumerate() {
            if self.out.written > self.most {
                self.top.truncated = true;
                break;
            }
            let cut = text.cut(LONGEST_TEXT);
            if let Some(bytes) = cut.to_raw() {
                raw.insert(index, bytes);
            }
            let name = Name::from(cut);
            lossy |= name.lossy;
            self.top.lossy_list |= name.lossy;
            self.top.truncated |= text.stored_byte_len() > LONGEST_TEXT;
            self.format.begin_array_value(&mut self.out, index == 0)?;
            self.value(&name.text)?;
            self.format.end_array_value(&mut self.out)?;
        }
        self.format.end_array(&mut self.out)?;
        self.format.end_object_value(&mut self.out)?;
        if lossy {
            self.entry(&format!("{name}_lossy"), &true)?;
        }
        if raw.is_empty() { Ok(()) } else { self.entry(&format!("{name}_raw"), &raw) }
    }
}

impl<W: Write, F: Formatter + Clone> Visitor for Document<W, F> {
    fn open(&mut self, part: &Part<'_>) -> bool {
        if !self.has_room() {
            return false;
        }
        self.failure = self.write_part(part).err();
        let is_open = self.failure.is_none();
        if is_open {
            self.path.open(part);
        }
        is_open
    }

    fn close(&mut self) {
        self.path.close();
        if self.failure.is_none() {
            self.failure = self.end_object().err();
        }
    }

    fn list(&mut self, name: &'static str) {
        if self.top.list == Some(name) || !self.has_room() {
            return;
        }
        match self.end_empty_list() {
            Ok(()) => self.top.empty_list = Some(name),
            Err(error) => self.failure = Some(error),
        }
    }

    fn field(&mut self, field: Field<'_>) {
        if field.is_framing() || !self.has_room() {
            return;
        }
        let written = match field.value {
            FieldValue::One(value) => self.write_field(field.name, &value),
            FieldValue::Texts(texts) => self.write_texts(field.name, texts),
        };
        self.failure = written.err();
    }

    fn array(&mut self, array: &PartArray<'_>) {
        if self.has_room() {
            self.failure = self.write_array(array).err();
        }
    }

    fn problem(&mut self, error: &Error) {
        if !self.has_room() {
            return;
        }
        let top = &mut self.top;
        if top.problems.len() < MOST_PROBLEMS {
            top.problems.push(Problem { offset: error.offset(), message: error.message() });
        } else {
            top.truncated = true;
        }
    }
}

/// The entries of a record are written like those of any map.
impl<W: Write, F: Formatter + Clone> SerializeMap for Document<W, F> {
    type Ok = ();
    type Error = serde_json::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> serde_json::Result<()> {
        let key = serde_json::to_value(key)?;
        let written = self.key(key.as_str().unwrap_or_default());
        self.keep_failure(written)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> serde_json::Result<()> {
        let mut written = self.value(value);
        if written.is_ok() {
            written = self.format.end_object_value(&mut self.out);
        }
        self.keep_failure(written)
    }

    fn end(self) -> serde_json::Result<()> {
        Ok(())
    }
}

/// Counts the bytes that pass through it.
struct Counted<W> {
    inner: W,
    written: u64,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.written = self.written.saturating_add(written as u64);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::outline::Outline;

    /// Returns the entry `detail` of a document with this outline.
    fn outlined(most: u64, describe: impl FnOnce(&mut Outline<'_>)) -> Json {
        let mut out = Vec::new();
        let mut document = Document::new(&mut out).unwrap();
        document.key("detail").unwrap();
        document.begin_object(false).unwrap();
        document.most = most;
        describe(&mut Outline::new(&mut document));
        assert!(document.failure.is_none());
        document.end_object().unwrap();
        document.finish().unwrap();
        serde_json::from_slice::<Json>(&out).unwrap()["detail"].take()
    }

    #[test]
    fn lists_objects_and_texts_nest() {
        let detail = outlined(u64::MAX, |out| {
            out.field("version", 1_u32);
            for index in 0..2 {
                out.part(Part::item("nodes", index).spanning(8, 4), |out| {
                    out.field("scale", [0.1_f32, f32::NAN]);
                    out.texts("flags", ["a", "b"].into_iter().take(index * 2));
                    out.problem(&crate::Error::malformed("odd").at(9));
                });
            }
            out.part(Part::one("end"), |_| {});
            out.coded("blend", 3_u8, Some("add"));
        });
        let node = |flags: Json| {
            let problems = json!([{ "offset": 9, "message": "odd" }]);
            json!({ "offset": 8, "bytes": 4, "scale": [0.1, "NaN"], "flags": flags, "problems": problems })
        };
        let nodes = json!([node(json!([])), node(json!(["a", "b"]))]);
        let expected = json!({ "version": 1, "nodes": nodes, "end": {}, "blend_name": "add", "blend": 3 });
        assert_eq!(detail.to_string(), expected.to_string());
    }

    #[test]
    fn truncated_values_are_marked() {
        let long = "x".repeat(LONGEST_TEXT + 5);
        let detail = outlined(u64::MAX, |out| out.field("name", long.as_str()));
        assert_eq!((detail["name"].as_str().unwrap().len(), &detail["name_bytes"]), (LONGEST_TEXT, &json!(65_541)));
        let detail = outlined(100, |out| {
            for index in 0..10 {
                out.part(Part::item("parts", index), |out| out.field("number", index));
            }
        });
        let parts = detail["parts"].as_array().unwrap().len();
        assert!((1..10).contains(&parts) && detail["truncated"] == true, "{detail}");
        let detail = outlined(100, |out| {
            out.part(Part::one("part"), |out| out.texts("names", std::iter::repeat_n("name", 1_000)));
        });
        assert!(detail["part"]["names"].as_array().unwrap().len() < 20 && detail["part"]["truncated"] == true);
        assert_eq!(detail.get("truncated"), None);
    }

    #[test]
    fn a_name_that_is_no_text_says_so() {
        let odd = crate::base::text::ByteStr::new(b"\xff");
        let detail = outlined(u64::MAX, |out| {
            out.field("name", odd);
            out.field("other", odd);
            out.texts("list", [odd]);
        });
        let expected = json!({
            "lossy": true, "name_lossy": true, "name": "\\xff", "other_lossy": true, "other": "\\xff",
            "list": ["\\xff"], "list_lossy": true,
        });
        assert_eq!(detail.to_string(), expected.to_string());
        assert_eq!(outlined(u64::MAX, |out| out.texts("list", [odd]))["lossy"], true);
    }
}
