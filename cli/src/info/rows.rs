//! Some keys of each asset as a row.

use std::cell::OnceCell;
use std::fmt;
use std::io::Write;

use meshpeek::Asset;
use meshpeek::json::Document;
use meshpeek::scan::Record;
use meshpeek::summary::Severity;
use serde::de::{Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value as Json, json};

use super::described::Described;
use super::document::put_keys;
use crate::args::Common;
use crate::failure::Failure;
use crate::forms::{End, Form};
use crate::keys::{self, Needs};
use crate::notes::Notes;
use crate::output::{Output, json_line};
use crate::report;

/// The most bytes of a file's fields that are searched for keys.
const MOST: u64 = 16 << 20;

/// Some keys of each file of `info`.
pub(super) struct KeyRows {
    maker: RowMaker,
    out: Output,
}

/// Makes the rows, on any thread.
#[derive(Clone)]
pub(crate) struct RowMaker {
    keys: Vec<String>,
    is_csv: bool,
    notes: Notes,
}

impl KeyRows {
    pub(super) fn new(keys: &[String], is_csv: bool, common: &Common) -> Result<Self, Failure> {
        let maker = RowMaker::new(keys, is_csv, common);
        let mut out = Output::data(common)?;
        out.write_all(&maker.header()?)?;
        Ok(Self { maker, out })
    }
}

impl Form<Described<'_>> for KeyRows {
    fn add(&mut self, Described { record, asset, .. }: Described<'_>) -> Result<(), Failure> {
        self.out.write_all(&self.maker.row(record, asset)?)?;
        self.out.flush()?;
        self.maker.say_of_errors(record);
        Ok(())
    }

    fn finish(self: Box<Self>, _: End<'_>) -> Result<(), Failure> {
        Ok(())
    }
}

impl RowMaker {
    pub(crate) fn new(keys: &[String], is_csv: bool, common: &Common) -> Self {
        Self { keys: keys.to_vec(), is_csv, notes: Notes::new(common) }
    }

    /// Returns the row of the names of columns. Lines of JSON have none.
    pub(crate) fn header(&self) -> Result<Vec<u8>, Failure> {
        if self.is_csv { csv_row(&self.keys) } else { Ok(Vec::new()) }
    }

    /// Returns true if a key is in the asset, not in its record.
    pub(crate) fn needs_assets(&self) -> bool {
        self.keys.iter().any(|key| keys::needs(key) == Ok(Needs::Asset))
    }

    /// Says that an asset has errors, if no column does: its numbers count what could be read.
    fn say_of_errors(&self, record: &Record) {
        let errors = problems(record, Severity::Error);
        if errors == 0 || self.keys.iter().any(|key| key == "errors" || key.starts_with("problems")) {
            return;
        }
        let errors = report::count(errors as u64, "errors");
        self.notes
            .say(format_args!("{}: {errors}, so values may be incomplete; info lists them", report::place(record)));
    }

    /// The row of a record, with the end of its line.
    pub(crate) fn row(&self, record: &Record, asset: Option<&Asset<'_>>) -> Result<Vec<u8>, Failure> {
        let mut text = Vec::new();
        write_keys(&mut text, record, asset)?;
        if text.len() as u64 > MOST {
            self.notes.say(format_args!("{}: too many fields; later ones are not searched", report::place(record)));
        }
        let mut row = Map::new();
        for key in &self.keys {
            let value = added(key, record, asset).or_else(|| find(key, &text));
            row.insert(key.clone(), value.unwrap_or_default());
        }
        if self.is_csv { csv_row(row.values().map(cell)) } else { Ok(json_line(&row, Vec::new())?) }
    }
}

fn csv_row(cells: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Result<Vec<u8>, Failure> {
    let mut csv = csv::Writer::from_writer(Vec::new());
    csv.write_record(cells)?;
    Ok(csv.into_inner().map_err(csv::IntoInnerError::into_error)?)
}

/// The value of a key that the JSON of a file does not have.
fn added(key: &str, record: &Record, asset: Option<&Asset<'_>>) -> Option<Json> {
    match key {
        "name" => Some(name_of(record).into()),
        "width" | "texture.width" => Some(record.summary.texture?.width.into()),
        "height" | "texture.height" => Some(record.summary.texture?.height.into()),
        "errors" => Some(problems(record, Severity::Error).into()),
        "warnings" => Some(problems(record, Severity::Warning).into()),
        "clips" | "clips.name" | "clips.seconds" => Some(clips(key, asset).into()),
        _ => None,
    }
}

/// The name of a file or member without its folders.
fn name_of(record: &Record) -> String {
    let path = record.path_name().text;
    let name = match &record.member {
        Some(member) => &member.text,
        None => &path,
    };
    name.rsplit(['/', '\\']).next().unwrap_or(name).to_owned()
}

fn problems(record: &Record, severity: Severity) -> usize {
    record.summary.problems.iter().filter(|problem| problem.severity == severity).count()
}

/// The clips of an asset, or the values of one of their keys. What is no asset has none.
fn clips(key: &str, asset: Option<&Asset<'_>>) -> Vec<Json> {
    let mut clips = Vec::new();
    let Some(asset) = asset else { return clips };
    for rig in asset.rigs().into_iter().flatten() {
        for clip in rig.clips().flatten() {
            // The shortest decimals that mean the number.
            let seconds = clip.seconds.and_then(|seconds| seconds.to_string().parse::<f64>().ok());
            let clip = json!({ "name": clip.name.to_string(), "seconds": seconds });
            clips.push(match key.split_once('.') {
                Some((_, part)) => clip.get(part).cloned().unwrap_or_default(),
                None => clip,
            });
        }
    }
    clips
}

/// The value of a key of a record, whose JSON is made when a key needs it. With an asset, `detail` is searched too.
pub(crate) fn value(key: &str, record: &Record, asset: Option<&Asset<'_>>, json: &OnceCell<Vec<u8>>) -> Option<Json> {
    if let Some(value) = added(key, record, asset) {
        return Some(value);
    }
    let text = json.get_or_init(|| text_of(record, asset));
    find(key, text)
}

fn text_of(record: &Record, asset: Option<&Asset<'_>>) -> Vec<u8> {
    let mut text = Vec::new();
    // Writing into memory does not fail. What is beyond the limit is not searched.
    let _ = write_keys(&mut text, record, asset);
    text
}

/// Writes the JSON of a file, up to the limit.
fn write_keys(text: &mut Vec<u8>, record: &Record, asset: Option<&Asset<'_>>) -> Result<(), Failure> {
    let mut document = Document::compact(text, MOST)?;
    put_keys(&mut document, record, asset)?;
    document.finish()?;
    Ok(())
}

/// The value of a key in the JSON of a file, where `counts`, `texture` and `detail` may be left out.
fn find(key: &str, text: &[u8]) -> Option<Json> {
    for above in [None, Some("counts"), Some("texture"), Some("detail")] {
        let mut path = Vec::from_iter(above);
        path.extend(key.split('.'));
        let found = At(&path).deserialize(&mut serde_json::Deserializer::from_slice(text));
        if let Ok(Some(value)) = found {
            return Some(value);
        }
    }
    None
}

/// Reads the value at a path. In a list, reads that of each item which has it.
#[derive(Clone, Copy)]
struct At<'p>(&'p [&'p str]);

impl<'de> DeserializeSeed<'de> for At<'_> {
    type Value = Option<Json>;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Option<Json>, D::Error> {
        if self.0.is_empty() { Json::deserialize(json).map(Some) } else { json.deserialize_any(self) }
    }
}

impl<'de> Visitor<'de> for At<'_> {
    type Value = Option<Json>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Option<Json>, A::Error> {
        let mut found = None;
        while let Some(key) = map.next_key::<String>()? {
            match self.0.split_first() {
                Some((first, rest)) if *first == key => found = map.next_value_seed(At(rest))?,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(found)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Option<Json>, A::Error> {
        let mut found = Vec::new();
        while let Some(value) = list.next_element_seed(self)? {
            found.extend(value);
        }
        Ok(Some(found.into()))
    }

    fn visit_unit<E>(self) -> Result<Option<Json>, E> {
        Ok(None)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Option<Json>, E> {
        Ok(None)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Option<Json>, E> {
        Ok(None)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Option<Json>, E> {
        Ok(None)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Option<Json>, E> {
        Ok(None)
    }

    fn visit_str<E>(self, _: &str) -> Result<Option<Json>, E> {
        Ok(None)
    }
}

/// A value in CSV: texts as they are, lists of them with ` | ` between.
fn cell(value: &Json) -> String {
    match value {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        Json::Array(items) => items.iter().map(cell).collect::<Vec<_>>().join(" | "),
        other => other.to_string(),
    }
}
