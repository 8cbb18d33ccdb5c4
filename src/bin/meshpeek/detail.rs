//! An outline as a JSON document.

use meshpeek::inspect::{Inspect, Outline, Part, Value, Visitor};
use meshpeek::summary::Name;
use meshpeek::view::{Storage, Table};
use serde_json::{Map, Value as Json, json};

/// Everything the asset's outline tells.
pub(crate) fn of(asset: &dyn Inspect) -> Json {
    let mut document = Document::default();
    asset.outline(&mut Outline::new(&mut document));
    document.top.map.into()
}

#[derive(Default)]
struct Document {
    /// The object told of.
    top: Object,
    /// Those around it, the whole one first.
    around: Vec<Object>,
}

#[derive(Default)]
struct Object {
    name: &'static str,
    index: Option<usize>,
    path: String,
    map: Map<String, Json>,
}

impl Visitor for Document {
    fn open(&mut self, part: &Part) -> bool {
        let mut map = Map::new();
        if let Some(span) = part.span {
            map.insert("offset".to_owned(), span.offset.into());
            map.insert("bytes".to_owned(), span.bytes.into());
        }
        let path = join(&self.top.path, part.name, part.index);
        let inner = Object { name: part.name, index: part.index, path, map };
        self.around.push(std::mem::replace(&mut self.top, inner));
        true
    }

    fn close(&mut self) {
        if let Some(outer) = self.around.pop() {
            let Object { name, index, map, .. } = std::mem::replace(&mut self.top, outer);
            put(&mut self.top.map, name, index, map.into());
        }
    }

    fn field(&mut self, name: &'static str, value: Value<'_>) {
        let map = &mut self.top.map;
        if let Value::Coded(_, Some(meaning)) = &value {
            map.insert(format!("{name}_name"), meaning.as_ref().into());
        }
        if let Value::Text(Name { lossy: true, .. }) = &value {
            map.insert("lossy".to_owned(), true.into());
        }
        map.insert(name.to_owned(), to_json(value));
    }

    fn array(&mut self, name: &'static str, index: Option<usize>, table: &dyn Table) {
        let Storage { offset, bytes, packing } = table.storage();
        let columns: Vec<&str> = table.columns().iter().map(|column| column.name).collect();
        let object = &mut self.top;
        let array = json!({
            "count": table.rows(),
            "offset": offset,
            "bytes": bytes,
            "stored": packing.name(),
            "columns": columns,
            "selector": join(&object.path, name, index),
        });
        put(&mut object.map, name, index, array);
    }

    fn problem(&mut self, error: &meshpeek::Error) {
        put(&mut self.top.map, "problems", Some(0), json!({ "offset": error.offset(), "message": error.message() }));
    }
}

/// The selector of something inside a part.
pub(crate) fn join(path: &str, name: &str, index: Option<usize>) -> String {
    let slash = if path.is_empty() { "" } else { "/" };
    match index {
        Some(index) => format!("{path}{slash}{name}/{index}"),
        None => format!("{path}{slash}{name}"),
    }
}

/// Sets a field, or adds to the list of that name.
fn put(map: &mut Map<String, Json>, name: &str, index: Option<usize>, value: Json) {
    if index.is_none() {
        map.insert(name.to_owned(), value);
    } else if let Json::Array(list) = map.entry(name).or_insert_with(|| Json::Array(Vec::new())) {
        list.push(value);
    }
}

pub(crate) fn to_json(value: Value<'_>) -> Json {
    match value {
        Value::Bool(value) => value.into(),
        Value::Uint(value) => value.into(),
        Value::Int(value) | Value::Coded(value, _) => value.into(),
        Value::Float(value) => float(value),
        Value::Floats(values) => values.iter().copied().map(float).collect(),
        Value::Ints(values) => values.iter().copied().collect(),
        Value::Text(name) => name.text.into(),
        Value::Texts(names) => names.into_iter().map(|name| name.text).collect(),
        Value::Opaque(span) => json!({ "offset": span.offset, "bytes": span.bytes }),
        _ => Json::Null,
    }
}

/// The shortest decimal that means this number; JSON has none for the others, so those are text.
pub(crate) fn float(value: f32) -> Json {
    let text = value.to_string();
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => number.into(),
        _ => text.into(),
    }
}
