//! Lines of a dissection and fields of the schema as JSON, one object each.

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::longest::LONGEST_TEXT;
use super::value::is_lossy;
use crate::base::format::Format;
use crate::dissect::{Line, LineKind};
use crate::outline::{FieldInfo, Schema, Value};

/// A line of a [dissection](crate::dissect) as one object: `depth`, `selector`, `name`, `kind`, `offset`, `bytes`, `type`,
/// `value` and `note`, each `null` if the line has none, and `lossy` and `raw` for a text that is not written as stored.
#[derive(Clone, Copy, Debug)]
pub struct Row<'l>(pub &'l Line<'l>);

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(serde::Serialize)]
        struct Keys<'l> {
            depth: usize,
            selector: Option<&'l str>,
            name: &'l str,
            kind: LineKind,
            offset: Option<u64>,
            bytes: Option<u64>,
            r#type: Option<&'l str>,
            value: Option<&'l Value<'l>>,
            note: Option<&'l str>,
            #[serde(skip_serializing_if = "std::ops::Not::not")]
            lossy: bool,
            #[serde(skip_serializing_if = "Option::is_none")]
            raw: Option<String>,
        }
        let line = self.0;
        let meaning = match &line.value {
            Some(Value::Coded(_, Some(meaning))) => &**meaning,
            _ => &line.note,
        };
        let mut raw = None;
        if let Some(Value::Text(text)) = &line.value {
            raw = text.cut(LONGEST_TEXT).to_raw();
        }
        let keys = Keys {
            depth: line.depth,
            selector: unless_empty(line.selector),
            name: line.name,
            kind: line.kind,
            offset: line.span.map(|span| span.offset),
            bytes: line.span.map(|span| span.bytes),
            r#type: unless_empty(&line.type_name),
            value: line.value.as_ref(),
            note: unless_empty(meaning),
            lossy: line.value.as_ref().is_some_and(is_lossy),
            raw,
        };
        keys.serialize(serializer)
    }
}

fn unless_empty(text: &str) -> Option<&str> {
    if text.is_empty() { None } else { Some(text) }
}

/// A field of a record as one object: `format`, `record`, `field`, `document`, `type`, `bytes`, `gate`, `rule`, `codes` and
/// `doc`.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct FieldRow<'f> {
    /// The format.
    pub format: Format,
    /// The record.
    pub record: &'f Schema,
    /// Its field.
    pub field: &'f FieldInfo,
}

impl<'f> FieldRow<'f> {
    /// Creates the row of a field.
    pub const fn new(format: Format, record: &'f Schema, field: &'f FieldInfo) -> Self {
        Self { format, record, field }
    }
}

impl Serialize for FieldRow<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        /// A number with a meaning.
        #[derive(serde::Serialize)]
        struct Code {
            number: i64,
            name: &'static str,
        }
        let &FieldInfo { name, spec, kind, gate, rule, codes, doc, .. } = self.field;
        let codes: Vec<Code> = codes.iter().map(|&(number, name)| Code { number, name }).collect();
        let rule = rule.to_string();
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("format", self.format.name())?;
        map.serialize_entry("record", self.record.name)?;
        map.serialize_entry("field", name)?;
        map.serialize_entry("document", &spec)?;
        map.serialize_entry("type", &kind.to_string())?;
        map.serialize_entry("bytes", &kind.byte_len())?;
        map.serialize_entry("gate", &gate)?;
        map.serialize_entry("rule", &unless_empty(&rule))?;
        map.serialize_entry("codes", &codes)?;
        map.serialize_entry("doc", doc.trim())?;
        map.end()
    }
}
