//! The items of an outline, for reports on formats whose records are not public.

use meshpeek::inspect::{Field, FieldValue, Part, PartArray, Text, Value, Visitor, outline_within_limits};
use meshpeek::{Error, ErrorKind, Inspect};

use super::text::{mentioned, shown};
use crate::failure::message_of;

/// The most texts kept under one name of an item or of its parts.
pub(super) const MOST_TEXTS: usize = 1_000;

/// The most bytes of an array to keep, enough for the beginning of a text.
const LONGEST_START: usize = 60;

/// A list of an outline whose items a report describes.
pub(super) struct List {
    pub(super) name: &'static str,
    /// The list whose items have this one inside.
    pub(super) outer: Option<&'static str>,
    /// The parts inside an item that are described with it.
    pub(super) inside: &'static [&'static str],
}

/// A report on the items of an outline.
pub(super) trait Describe {
    /// Receives an item, with all facts of it and of the parts inside it.
    fn item(&mut self, item: &Item);
}

/// Passes the items of these lists to `report`. Returns why some are missing if the limits of the asset do not allow
/// all of them. An item that a limit cuts is left out as a whole.
pub(super) fn describe(asset: &dyn Inspect, lists: &'static [List], report: &mut dyn Describe) -> Option<String> {
    let mut items = Items { lists, report, open: Vec::new(), item: None, is_cut: false, missing: None };
    outline_within_limits(asset, &mut items);
    items.missing
}

/// An item of a list.
#[derive(Default)]
pub(super) struct Item {
    pub(super) list: &'static str,
    pub(super) index: usize,
    /// The size in the file, or 0 if it is not contiguous.
    pub(super) bytes: u64,
    facts: Vec<Fact>,
}

/// The values under one name: those of the item itself, or of all parts inside it that have the same name.
#[derive(Default)]
pub(super) struct Fact {
    /// The name of the part inside the item, or nothing for the item's own facts.
    part: &'static str,
    name: &'static str,
    /// The number of fields or arrays with a value.
    pub(super) count: u64,
    /// The sum of the numbers (true is 1), or of the row counts of the arrays.
    pub(super) sum: i64,
    /// The number of fields that are not 0.
    pub(super) nonzero: u64,
    /// Their texts, and the meanings of codes.
    pub(super) texts: Vec<Words>,
    /// The number of texts that were not kept. Of a field of several texts, 1 stands for all of them.
    pub(super) hidden: u64,
    /// The numbers of the last vector.
    pub(super) floats: Vec<f32>,
    /// The first bytes of the last array that is stored unpacked.
    pub(super) start: Vec<u8>,
}

/// A text from a file, safe to show on a terminal.
#[derive(Clone, Default)]
pub(super) struct Words {
    pub(super) whole: String,
    /// The beginning, for a name that many lines mention.
    pub(super) short: String,
}

impl Words {
    fn new(text: &Text<'_>) -> Self {
        Self { whole: shown(*text), short: mentioned(*text) }
    }

    /// The text, or a word that marks an empty one.
    pub(super) fn or_unnamed(&self) -> String {
        if self.whole.is_empty() { "(no name)".to_owned() } else { self.whole.clone() }
    }
}

impl Item {
    /// Returns the item's own values under this name.
    pub(super) fn own(&self, name: &str) -> Option<&Fact> {
        self.inside("", name)
    }

    /// Returns the values under this name in the parts with the name `part`.
    pub(super) fn inside(&self, part: &str, name: &str) -> Option<&Fact> {
        self.facts.iter().find(|fact| fact.part == part && fact.name == name)
    }

    /// The text of a field. `None` if it has none, also where it could not be read.
    pub(super) fn text(&self, name: &str) -> Option<&Words> {
        self.own(name)?.texts.first()
    }

    /// The number of a field or the rows of an array. `None` if it has none, also where it could not be read.
    pub(super) fn number(&self, name: &str) -> Option<i64> {
        let fact = self.own(name)?;
        if fact.count == 0 { None } else { Some(fact.sum) }
    }

    /// The number of a field that cannot be negative, or the rows of an array. 0 if there is none.
    pub(super) fn amount(&self, name: &str) -> u64 {
        self.number(name).unwrap_or(0).try_into().unwrap_or(0)
    }

    /// The sum of such numbers in the parts with the name `part`.
    pub(super) fn amount_inside(&self, part: &str, name: &str) -> u64 {
        let Some(fact) = self.inside(part, name) else { return 0 };
        fact.sum.try_into().unwrap_or(0)
    }

    fn fact(&mut self, part: &'static str, name: &'static str) -> &mut Fact {
        let place = match self.facts.iter().position(|fact| fact.part == part && fact.name == name) {
            Some(place) => place,
            None => {
                self.facts.push(Fact { part, name, ..Fact::default() });
                self.facts.len() - 1
            }
        };
        &mut self.facts[place]
    }
}

impl Fact {
    fn number(&mut self, number: i64) {
        self.count += 1;
        self.nonzero += u64::from(number != 0);
        self.sum = self.sum.saturating_add(number);
    }

    fn text(&mut self, text: &Text<'_>) {
        self.count += 1;
        self.keep(|| Words::new(text));
    }

    fn keep(&mut self, words: impl FnOnce() -> Words) {
        if self.texts.len() < MOST_TEXTS {
            self.texts.push(words());
        } else {
            self.hidden += 1;
        }
    }

    /// Keeps the first of several texts.
    fn texts<'t>(&mut self, texts: &mut dyn Iterator<Item = Text<'t>>) {
        // Each text that is taken counts towards the limit of the outline. Real items have a few.
        for text in (&mut *texts).take(MOST_TEXTS) {
            self.text(&text);
        }
        self.hidden += u64::from(texts.next().is_some());
    }

    fn value(&mut self, value: &Value<'_>) {
        match value {
            Value::Bool(value) => self.number((*value).into()),
            Value::Uint(value) => self.number(i64::try_from(*value).unwrap_or(i64::MAX)),
            Value::Int(value) => self.number(*value),
            Value::Coded(number, meaning) => {
                self.number(*number);
                if let Some(meaning) = meaning {
                    self.keep(|| Words { whole: meaning.to_string(), short: meaning.to_string() });
                }
            }
            Value::Text(text) => self.text(text),
            Value::Floats(values) => self.floats = values.to_vec(),
            _ => {}
        }
    }
}

/// A part that is open.
enum Open {
    /// One that has a list inside it.
    Outer(&'static str),
    /// An item.
    Item,
    /// A part inside an item.
    Inside(&'static str),
}

/// Gathers the items of an outline, one at a time.
struct Items<'r> {
    lists: &'static [List],
    report: &'r mut dyn Describe,
    open: Vec<Open>,
    /// The item that is open.
    item: Option<(Item, &'static List)>,
    /// True if a limit cut the item that is open.
    is_cut: bool,
    /// Why the outline is not complete.
    missing: Option<String>,
}

impl Items<'_> {
    /// Returns the role in the report of a part that opens now. `None` if it has none.
    fn role(&mut self, part: &Part<'_>) -> Option<Open> {
        let outer = match self.open.last() {
            None => None,
            Some(Open::Outer(name)) => Some(*name),
            Some(Open::Item) => return self.role_in_item(part),
            Some(Open::Inside(_)) => return None,
        };
        for list in self.lists {
            if list.name == part.name && list.outer == outer {
                return Some(self.start(part, list));
            }
        }
        for list in self.lists {
            if list.outer == Some(part.name) {
                return Some(Open::Outer(part.name));
            }
        }
        None
    }

    /// Returns the role of a part that opens in an item.
    fn role_in_item(&self, part: &Part<'_>) -> Option<Open> {
        let (_, list) = self.item.as_ref()?;
        if list.inside.contains(&part.name) { Some(Open::Inside(part.name)) } else { None }
    }

    /// Starts an item of this list.
    fn start(&mut self, part: &Part<'_>, list: &'static List) -> Open {
        let index = part.index.unwrap_or(0);
        let bytes = match part.span {
            Some(span) => span.bytes,
            None => 0,
        };
        self.item = Some((Item { list: list.name, index, bytes, facts: Vec::new() }, list));
        self.is_cut = false;
        Open::Item
    }

    /// The fact with this name of the item or inner part that is open. `None` outside of items.
    fn fact(&mut self, name: &'static str) -> Option<&mut Fact> {
        let (item, _) = self.item.as_mut()?;
        match self.open.last()? {
            Open::Outer(_) => None,
            Open::Item => Some(item.fact("", name)),
            Open::Inside(part) => Some(item.fact(part, name)),
        }
    }
}

impl Visitor for Items<'_> {
    fn open(&mut self, part: &Part<'_>) -> bool {
        let Some(open) = self.role(part) else { return false };
        self.open.push(open);
        true
    }

    fn close(&mut self) {
        if let Some(Open::Item) = self.open.pop()
            && let Some((item, _)) = self.item.take()
            && !self.is_cut
        {
            self.report.item(&item);
        }
    }

    fn field(&mut self, field: Field<'_>) {
        // A length stored before an array has the array's name, and would be added to its rows.
        if field.is_framing() {
            return;
        }
        let Some(fact) = self.fact(field.name) else { return };
        match field.value {
            FieldValue::One(value) => fact.value(&value),
            FieldValue::Texts(texts) => fact.texts(texts),
            _ => {}
        }
    }

    fn array(&mut self, array: &PartArray<'_>) {
        let Some(fact) = self.fact(array.name) else { return };
        fact.number(i64::try_from(array.table.rows()).unwrap_or(i64::MAX));
        if let Some(rows) = array.table.in_place() {
            fact.start = rows.bytes.iter().copied().take(LONGEST_START).collect();
        }
    }

    /// The report lists the problems of the file itself, but not that its outline ended at a limit.
    fn problem(&mut self, error: &Error) {
        if !matches!(error.kind(), ErrorKind::Limit { .. }) {
            return;
        }
        self.is_cut = true;
        if self.missing.is_none() {
            self.missing = Some(message_of(error));
        }
    }
}
