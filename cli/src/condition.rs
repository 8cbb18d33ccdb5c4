//! Conditions on records, such as `triangles > 10000 and format = odol`.
//!
//! ```text
//! any   = all ("or" all)*
//! all   = one ("and" one)*
//! one   = "not" one | "(" any ")" | key relation value
//! value = number | "text" | 'text' | word | true | false | null
//! ```

use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::{Mutex, PoisonError};

use meshpeek::scan::Record;
use nom::branch::alt;
use nom::bytes::complete::{tag, take_until, take_while, take_while1};
use nom::character::complete::{multispace0, satisfy};
use nom::combinator::{cut, not, recognize, value};
use nom::error::{ErrorKind, ParseError};
use nom::multi::many0;
use nom::number::complete::recognize_float;
use nom::sequence::{delimited, preceded, terminated};
use nom::{Err, IResult, Parser};
use serde_json::Value as Json;

use crate::keys::{self, Needs};
use crate::notes::Notes;
use crate::report;

/// The most conditions inside each other.
const DEEPEST: usize = 32;

#[derive(Clone, Debug)]
pub(crate) enum Condition {
    Any(Vec<Self>),
    All(Vec<Self>),
    Not(Box<Self>),
    /// A key, and the relation of its value to a number or text.
    Is(String, Relation, Json),
    /// A key that the record lacks.
    Absent(String),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Relation {
    /// The order of two numbers or texts.
    Order(fn(Ordering) -> bool),
    /// A text is a part of another, in any case.
    Contains,
}

impl Relation {
    fn holds(self, order: Option<Ordering>) -> bool {
        match (self, order) {
            (Self::Order(holds), Some(order)) => holds(order),
            _ => false,
        }
    }

    fn holds_for_texts(self, text: &str, other: &str) -> bool {
        match self {
            Self::Order(holds) => holds(text.cmp(other)),
            Self::Contains => text.to_lowercase().contains(&other.to_lowercase()),
        }
    }
}

/// A parse error of a condition: the text from the error on, and the message.
struct Wrong<'t>(&'t str, Cow<'static, str>);

impl<'t> ParseError<&'t str> for Wrong<'t> {
    fn from_error_kind(rest: &'t str, _: ErrorKind) -> Self {
        Self(rest, "expected a key, not, or (".into())
    }

    fn append(_: &'t str, _: ErrorKind, other: Self) -> Self {
        other
    }
}

/// Returns the values of keys that are no counts.
type Values<'v> = &'v dyn Fn(&str) -> Option<Json>;

type Parsed<'t, T> = IResult<&'t str, T, Wrong<'t>>;

impl Condition {
    pub(crate) fn parse(text: &str) -> Result<Box<Self>, String> {
        let parsed = terminated(|text| any(text, DEEPEST), multispace0).parse(text);
        let Wrong(rest, wrong) = match parsed {
            Ok(("", condition)) => return Ok(Box::new(condition)),
            Ok((rest, _)) => Wrong(rest, "expected and, or, or the end".into()),
            Err(Err::Error(wrong) | Err::Failure(wrong)) => wrong,
            Err(Err::Incomplete(_)) => Wrong("", "expected more".into()),
        };
        let before = text.len().saturating_sub(rest.trim_start().len());
        let column = text.get(..before).unwrap_or(text).chars().count() + 1;
        Err(format!("column {column}: {wrong}"))
    }

    /// Returns true if this record fulfills it.
    pub(crate) fn holds(&self, record: &Record, values: Values<'_>) -> bool {
        match self {
            Self::Any(list) => list.iter().any(|one| one.holds(record, values)),
            Self::All(list) => list.iter().all(|one| one.holds(record, values)),
            Self::Not(one) => !one.holds(record, values),
            Self::Is(key, relation, other) => match value_of(key, record, values) {
                Some(value) => is_met(&value, *relation, other),
                None => false,
            },
            Self::Absent(key) => value_of(key, record, values).is_none(),
        }
    }

    /// Adds its keys to a list, each once for each use.
    fn add_keys<'c>(&'c self, keys: &mut Vec<Key<'c>>) {
        let key = match self {
            Self::Any(list) | Self::All(list) => {
                for one in list {
                    one.add_keys(keys);
                }
                return;
            }
            Self::Not(one) => return one.add_keys(keys),
            Self::Is(name, ..) => Key { name, use_as: Use::Condition },
            Self::Absent(name) => Key { name, use_as: Use::Presence },
        };
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
}

/// Returns the value of a key, or `None` if the record has none.
fn value_of(key: &str, record: &Record, values: Values<'_>) -> Option<Json> {
    if let Some(count) = record.summary.counts.get(key.strip_prefix("counts.").unwrap_or(key)) {
        return Some(count.into());
    }
    match values(key) {
        Some(Json::Null) => None,
        value => value,
    }
}

/// Chooses assets by a condition, and counts those that lack a key of it or of the order.
pub(crate) struct Noticed<'c> {
    condition: Option<&'c Condition>,
    keys: Vec<Key<'c>>,
    /// What the values of the keys need.
    pub(crate) needs: Needs,
    counts: Mutex<Counts>,
}

#[derive(PartialEq, Eq)]
struct Key<'c> {
    name: &'c str,
    use_as: Use,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Condition,
    /// The condition asks whether a record has it.
    Presence,
    Order,
}

#[derive(Default)]
struct Counts {
    assets: u64,
    chosen: u64,
    /// Chosen files that are no assets.
    chosen_others: u64,
    /// For each key, the assets without it: of an order, only those that are chosen.
    lacking: Vec<u64>,
}

/// What a condition says of a record.
pub(crate) struct Verdict {
    pub(crate) is_chosen: bool,
    /// The keys that the record lacks, by their places.
    lacking: Vec<usize>,
}

impl<'c> Noticed<'c> {
    /// `sort` is the key by which assets are sorted.
    pub(crate) fn new(condition: Option<&'c Condition>, sort: Option<&'c str>) -> Self {
        let mut keys = Vec::new();
        if let Some(condition) = condition {
            condition.add_keys(&mut keys);
        }
        if let Some(name) = sort
            && !keys.contains(&Key { name, use_as: Use::Condition })
        {
            keys.push(Key { name, use_as: Use::Order });
        }
        let of_asset = keys.iter().any(|key| keys::needs(key.name) == Ok(Needs::Asset));
        let needs = if of_asset { Needs::Asset } else { Needs::Record };
        let counts = Counts { lacking: vec![0; keys.len()], ..Counts::default() };
        Self { condition, keys, needs, counts: Mutex::new(counts) }
    }

    /// Asks the condition about a record, and notes the keys that it lacks.
    pub(crate) fn look(&self, record: &Record, values: Values<'_>) -> Verdict {
        let is_chosen = match self.condition {
            Some(condition) => condition.holds(record, values),
            None => true,
        };
        let mut lacking = Vec::new();
        for (place, key) in self.keys.iter().enumerate() {
            let counts = match key.use_as {
                Use::Condition => true,
                Use::Presence => false,
                Use::Order => is_chosen,
            };
            if counts && value_of(key.name, record, values).is_none() {
                lacking.push(place);
            }
        }
        Verdict { is_chosen, lacking }
    }

    /// Counts a record of the scan.
    pub(crate) fn count(&self, record: &Record, verdict: &Verdict) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if !record.summary.is_asset() {
            counts.chosen_others += u64::from(verdict.is_chosen);
            return;
        }
        counts.assets += 1;
        counts.chosen += u64::from(verdict.is_chosen);
        for &place in &verdict.lacking {
            if let Some(lacking) = counts.lacking.get_mut(place) {
                *lacking += 1;
            }
        }
    }

    /// Says how many assets match, and which keys some of them lack.
    pub(crate) fn say(&self, notes: Notes) {
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if self.condition.is_some() {
            let assets = report::count(counts.assets, "assets");
            let chosen = report::grouped(counts.chosen);
            if counts.chosen_others == 0 {
                notes.say(format_args!("{chosen} of {assets} match"));
            } else {
                let others = report::count(counts.chosen_others, "other files");
                notes.say(format_args!("{chosen} of {assets} match, and {others}"));
            }
        }
        for (key, &lacking) in std::iter::zip(&self.keys, &counts.lacking) {
            if lacking == 0 {
                continue;
            }
            let assets = report::count(lacking, "assets");
            let have = if lacking == 1 { "has" } else { "have" };
            let effect = match key.use_as {
                Use::Condition | Use::Presence => "no comparison with it holds",
                Use::Order => "sorted last",
            };
            notes.say(format_args!("{assets} {have} no {}: {effect}", key.name));
        }
    }
}

/// Compares a value, or any item of a list. A value that is absent or of another kind meets no
/// relation.
fn is_met(value: &Json, relation: Relation, other: &Json) -> bool {
    match (value, other) {
        (Json::Array(items), _) => items.iter().any(|item| is_met(item, relation, other)),
        (Json::String(text), Json::String(other)) => relation.holds_for_texts(text, other),
        (Json::Bool(value), Json::Bool(other)) => relation.holds(Some(value.cmp(other))),
        _ => relation.holds(order_of(value, other)),
    }
}

/// The order of two numbers. `None` for any other values.
fn order_of(value: &Json, other: &Json) -> Option<Ordering> {
    value.as_f64()?.partial_cmp(&other.as_f64()?)
}

fn any(text: &str, levels: usize) -> Parsed<'_, Condition> {
    listed("or", Condition::Any, |text| all(text, levels)).parse(text)
}

fn all(text: &str, levels: usize) -> Parsed<'_, Condition> {
    listed("and", Condition::All, |text| one(text, levels)).parse(text)
}

/// Items with a word between them, or the only item.
fn listed<'t>(
    between: &'static str,
    list: fn(Vec<Condition>) -> Condition,
    item: impl Fn(&'t str) -> Parsed<'t, Condition> + Copy,
) -> impl Parser<&'t str, Output = Condition, Error = Wrong<'t>> {
    (item, many0(preceded(word(between), cut(item)))).map(move |(first, mut rest)| {
        if rest.is_empty() {
            return first;
        }
        rest.insert(0, first);
        list(rest)
    })
}

fn one(text: &str, levels: usize) -> Parsed<'_, Condition> {
    let Some(levels) = levels.checked_sub(1) else {
        return wrong(text, "too many conditions inside each other");
    };
    let negated = preceded(word("not"), cut(move |text| one(text, levels)));
    let inside =
        delimited(sign("("), cut(move |text| any(text, levels)), cut(said(sign(")"), "expected and, or, or )")));
    alt((negated.map(|one| Condition::Not(Box::new(one))), inside, comparison)).parse(text)
}

fn comparison(text: &str) -> Parsed<'_, Condition> {
    let (after_key, key) = preceded(multispace0, take_while1(is_of_key)).parse(text)?;
    if ["and", "or", "not"].contains(&key) {
        return Err(Err::Error(Wrong(text, "expected a key, not, or (".into())));
    }
    if let Err(message) = keys::needs(key) {
        return wrong(text, message);
    }
    let relation = alt((
        value(Relation::Order(Ordering::is_le), sign("<=")),
        value(Relation::Order(Ordering::is_ge), sign(">=")),
        value(Relation::Order(Ordering::is_ne), sign("!=")),
        value(Relation::Order(Ordering::is_eq), sign("=")),
        value(Relation::Order(Ordering::is_lt), sign("<")),
        value(Relation::Order(Ordering::is_gt), sign(">")),
        value(Relation::Contains, sign("~")),
    ));
    let relation = said(relation, "expected =, !=, <, <=, >, >= or ~");
    let (at_value, relation) = terminated(cut(relation), multispace0).parse(after_key)?;
    let (rest, other) = cut(literal).parse(at_value)?;
    let is_quoted = at_value.starts_with(['"', '\'']);
    let condition = match (relation, other) {
        (Relation::Order(holds), Json::Null) => match presence(key, holds) {
            Some(condition) => condition,
            None => return wrong(at_value, "null is compared by = or !="),
        },
        (Relation::Contains, Json::String(text)) => Condition::Is(key.to_owned(), relation, text.into()),
        (Relation::Contains, _) => return wrong(at_value, "~ needs a text"),
        (_, Json::String(_)) if !is_quoted && keys::is_number(key) => return wrong(at_value, "expected a number"),
        (_, other) => Condition::Is(key.to_owned(), relation, other),
    };
    Ok((rest, condition))
}

/// The condition for a key that is compared with null. `None` unless by `=` or `!=`.
fn presence(key: &str, holds: fn(Ordering) -> bool) -> Option<Condition> {
    let absent = Condition::Absent(key.to_owned());
    match [Ordering::Less, Ordering::Equal, Ordering::Greater].map(holds) {
        [false, true, false] => Some(absent),
        [true, false, true] => Some(Condition::Not(Box::new(absent))),
        _ => None,
    }
}

/// An error that ends the parsing: no alternative is tried.
fn wrong<T>(text: &str, message: impl Into<Cow<'static, str>>) -> Parsed<'_, T> {
    Err(Err::Failure(Wrong(text, message.into())))
}

fn literal(text: &str) -> Parsed<'_, Json> {
    if let Ok((rest, number)) = number(text) {
        if !number.is_finite() {
            return wrong(text, "a number beyond 1.8e308, which no value of a record reaches");
        }
        return Ok((rest, number.into()));
    }
    let bare = recognize((satisfy(begins_text), take_while(is_of_text))).map_opt(text_or_constant);
    said(alt((quoted("\""), quoted("'"), bare)), "expected a number, a text, true, false or null").parse(text)
}

/// A text between two of these quotes.
fn quoted<'t>(quote: &'static str) -> impl Parser<&'t str, Output = Json, Error = Wrong<'t>> {
    delimited(tag(quote), take_until(quote), tag(quote)).map(Json::from)
}

/// The value that a word without quotes stands for, unless it joins conditions.
fn text_or_constant(word: &str) -> Option<Json> {
    match word {
        "true" => Some(true.into()),
        "false" => Some(false.into()),
        "null" => Some(Json::Null),
        "and" | "or" | "not" => None,
        text => Some(text.into()),
    }
}

fn begins_text(letter: char) -> bool {
    letter.is_alphabetic() || matches!(letter, '_' | '#' | '\\' | '/')
}

fn is_of_text(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '#' | '\\' | '/' | '.' | '-' | ':')
}

fn number(text: &str) -> Parsed<'_, f64> {
    let number = terminated(recognize_float, not(satisfy(is_of_key)));
    number.map_opt(|number: &str| number.parse().ok()).parse(text)
}

fn is_of_key(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.')
}

fn word<'t>(word: &'static str) -> impl Parser<&'t str, Output = &'t str, Error = Wrong<'t>> {
    terminated(sign(word), not(satisfy(is_of_key)))
}

fn sign<'t>(sign: &'static str) -> impl Parser<&'t str, Output = &'t str, Error = Wrong<'t>> {
    preceded(multispace0, tag(sign))
}

/// Replaces the error of a parser, at the place where the parser began.
fn said<'t, T>(
    mut parser: impl Parser<&'t str, Output = T, Error = Wrong<'t>>,
    wrong: &'static str,
) -> impl Parser<&'t str, Output = T, Error = Wrong<'t>> {
    move |text: &'t str| parser.parse(text).map_err(|error| error.map(|_| Wrong(text, wrong.into())))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use meshpeek::Format;
    use meshpeek::scan::Scan;
    use meshpeek::summary::Counts;

    use super::*;

    #[test]
    fn errors_name_the_column() {
        for (text, said) in [
            ("", "column 1: expected a key, not, or ("),
            ("triangles", "column 10: expected =, !=, <, <=, >, >= or ~"),
            ("triangles > ", "column 13: expected a number, a text, true, false or null"),
            ("triangles > 10k", "column 13: expected a number, a text, true, false or null"),
            ("trangles > 1", "column 1: records have no key trangles"),
            ("bytes > 1 and counts.qqqq > 1", "column 15: records have no key counts.qqqq"),
            ("bytes > 1 bones > 2", "column 11: expected and, or, or the end"),
            ("bytes > 1 and", "column 14: expected a key, not, or ("),
            ("(bytes > 1", "column 11: expected and, or, or )"),
            ("bytes > 1)", "column 10: expected and, or, or the end"),
            ("format = 'b3d", "column 10: expected a number, a text, true, false or null"),
            ("not and > 1", "column 5: expected a key, not, or ("),
            ("bytes > nan", "column 9: expected a number"),
            ("counts.triangles = odol", "column 20: expected a number"),
            ("format = and", "column 10: expected a number, a text, true, false or null"),
            ("format = odol b3d", "column 15: expected and, or, or the end"),
            ("bytes > null", "column 9: null is compared by = or !="),
            ("path ~ null", "column 8: ~ needs a text"),
            ("path ~ 1", "column 8: ~ needs a text"),
            ("bytes < 1e400", "column 9: a number beyond 1.8e308, which no value of a record reaches"),
            ("bytes > -1e400 or x", "column 9: a number beyond 1.8e308, which no value of a record reaches"),
            ("path = 'é' or qqqq", "column 15: records have no key qqqq"),
            (&("(".repeat(100_000)), "column 33: too many conditions inside each other"),
            (
                &["bytes = 1"; 10_000].join(" or ").replace("1 or bytes", "1 or qqqq"),
                "column 14: records have no key qqqq",
            ),
            (&("not ".repeat(100_000)), "column 129: too many conditions inside each other"),
        ] {
            let error = Condition::parse(text).unwrap_err();
            // The nearest keys are at the end.
            assert!(error == said || error.starts_with(&format!("{said}; nearest: ")), "{said}: {error}");
        }
    }

    /// What a relation says of two numbers.
    type Holds = fn(f64, f64) -> bool;

    /// Each relation as it is written.
    const RELATIONS: [(&str, Holds); 6] = [
        ("=", |a, b| a == b),
        ("!=", |a, b| a != b),
        ("<", |a, b| a < b),
        ("<=", |a, b| a <= b),
        (">", |a, b| a > b),
        (">=", |a, b| a >= b),
    ];

    /// Whether a condition on the key `path` holds where it has this value.
    fn holds(condition: &str, value: Option<&Json>) -> bool {
        let condition = Condition::parse(condition).unwrap_or_else(|wrong| panic!("{condition}: {wrong}"));
        let Condition::Is(key, relation, other) = *condition else { panic!("{condition:?}") };
        assert_eq!(key, "path");
        value.is_some_and(|value| is_met(value, relation, &other))
    }

    #[test]
    fn every_relation_compares_numbers_with_numbers_and_texts_with_texts() {
        let numbers = [-2.5, -1.0, 0.0, 0.5, 1.0, 2.0, 1e300];
        let texts = ["", "a", "A", "ab", "b", "é", "10", "9"];
        for (sign, relation) in RELATIONS {
            for space in ["", " ", "\n\t"] {
                for a in numbers {
                    for b in numbers {
                        let condition = format!("path{space}{sign}{space}{b}");
                        assert_eq!(holds(&condition, Some(&a.into())), relation(a, b), "{a}: {condition}");
                    }
                    for text in texts {
                        let condition = format!("path{space}{sign}{space}'{text}'");
                        assert!(!holds(&condition, Some(&a.into())), "{a}: {condition}");
                    }
                }
                for a in texts {
                    for b in texts {
                        // The place of a text among all, in the order of its letters.
                        let place =
                            |text: &str| texts.iter().filter(|other| text.chars().gt(other.chars())).count() as f64;
                        for quote in ["'", "\""] {
                            let condition = format!("path{space}{sign}{space}{quote}{b}{quote}");
                            let expected = relation(place(a), place(b));
                            assert_eq!(holds(&condition, Some(&a.into())), expected, "{a:?}: {condition}");
                        }
                    }
                    assert!(!holds(&format!("path{space}{sign}{space}9"), Some(&a.into())), "{a:?} {sign} 9");
                }
            }
        }
    }

    #[test]
    fn words_need_no_quotes() {
        for (value, condition, expected) in [
            ("odol", "path = odol", true),
            ("b3d", "path=odol", false),
            ("a\\b.p3d", "path = a\\b.p3d", true),
            ("true", "path = 'true'", true),
            ("true", "path = true", false),
            ("nullx", "path = nullx", true),
            ("android", "path = android", true),
            ("data\\Bark_co.paa", "path ~ bark", true),
            ("data\\Bark_co.paa", "path ~ 'K_CO.P'", true),
            ("data\\leaf.paa", "path~bark", false),
        ] {
            assert_eq!(holds(condition, Some(&value.into())), expected, "{value}: {condition}");
        }
        for value in [1.into(), Json::Bool(true), Json::Null] {
            assert!(!holds("path ~ e", Some(&value)), "{value}");
        }
    }

    #[test]
    fn null_is_what_a_record_lacks() {
        let mut record = Scan::new(["x"]).record(Path::new("x"), b"");
        for (triangles, is_absent) in [(None, true), (Some(0), false)] {
            record.summary.counts = Counts::known([("triangles", triangles)]);
            for (condition, expected) in [
                ("triangles = null", is_absent),
                ("triangles != null", !is_absent),
                ("not triangles=null", !is_absent),
                ("name = null", true),
            ] {
                let parsed = Condition::parse(condition).unwrap();
                assert_eq!(parsed.holds(&record, &|_| None), expected, "{condition}");
                // Nothing is left out because the key is missing.
                let noticed = Noticed::new(Some(&parsed), None);
                assert!(noticed.look(&record, &|_| None).lacking.is_empty(), "{condition}");
            }
        }
    }

    #[test]
    fn what_is_absent_or_neither_number_nor_text_meets_no_relation_and_one_item_is_enough() {
        let whole = serde_json::json!({ "a": 1 });
        for (sign, relation) in RELATIONS {
            for literal in ["1", "0", "'1'", "'true'", "'null'", "''"] {
                let condition = format!("path {sign} {literal}");
                for value in [&Json::Null, &Json::Bool(true), &Json::Bool(false), &whole, &serde_json::json!([])] {
                    assert!(!holds(&condition, Some(value)), "{value}: {condition}");
                    assert!(!holds(&condition, Some(&serde_json::json!([value]))), "[{value}]: {condition}");
                }
                assert!(!holds(&condition, None), "{condition}");
            }
            // Numbers without a sign, with one, and with a fraction are one kind.
            for (value, number) in [(serde_json::json!(3_u64), 3.0), (serde_json::json!(-3), -3.0), (0.5.into(), 0.5)] {
                for other in [-3.0, 0.5, 3.0] {
                    let condition = format!("path {sign} {other}");
                    assert_eq!(holds(&condition, Some(&value)), relation(number, other), "{value}: {condition}");
                }
            }
            for list in [vec![1.0], vec![1.0, 2.0], vec![3.0, 1.0], vec![2.0, 2.0]] {
                let value = serde_json::json!([list, "text"]);
                let expected = list.iter().any(|&item| relation(item, 2.0));
                assert_eq!(holds(&format!("path {sign} 2"), Some(&value)), expected, "{list:?} {sign} 2");
            }
        }
    }

    /// A condition that is true or false, whatever the record.
    fn constant(is_true: bool) -> &'static str {
        if is_true { "path = 1" } else { "path = 2" }
    }

    /// The value of a parsed condition where `path` is 1.
    fn evaluate(condition: &Condition) -> bool {
        match condition {
            Condition::Any(list) => list.iter().any(evaluate),
            Condition::All(list) => list.iter().all(evaluate),
            Condition::Not(one) => !evaluate(one),
            Condition::Is(_, relation, other) => is_met(&1.into(), *relation, other),
            Condition::Absent(_) => false,
        }
    }

    #[test]
    fn not_comes_before_and_and_before_or() {
        for number in 0..1024 {
            let bit = |place: u32| number >> place & 1 == 1;
            // Four terms, each negated or not, with words between them.
            let terms = [0, 1, 2, 3].map(|place| (bit(place), number >> (place + 4) & 1 == 1));
            let words = [bit(8), bit(9), bit(8) != bit(9)].map(|is_or| if is_or { "or" } else { "and" });
            let mut text = String::new();
            // Sums of products: an `or` starts another product.
            let mut products = vec![true];
            for (place, (is_true, is_negated)) in terms.into_iter().enumerate() {
                if place > 0 {
                    text += &format!(" {} ", words[place - 1]);
                    if words[place - 1] == "or" {
                        products.push(true);
                    }
                }
                text += &format!("{}{}", if is_negated { "not " } else { "" }, constant(is_true));
                *products.last_mut().unwrap() &= is_true != is_negated;
            }
            let parsed = Condition::parse(&text).unwrap();
            assert_eq!(evaluate(&parsed), products.contains(&true), "{text}");
            let negated = Condition::parse(&format!("not ({text})")).unwrap();
            assert_eq!(evaluate(&negated), !products.contains(&true), "not ({text})");
            let [(a, _), (b, _), (c, _), _] = terms;
            let [first, second, _] = words;
            let apply = |word: &str, a: bool, b: bool| if word == "or" { a || b } else { a && b };
            let text = format!("{} {first} ({} {second} {})", constant(a), constant(b), constant(c));
            let parsed = Condition::parse(&text).unwrap();
            assert_eq!(evaluate(&parsed), apply(first, a, apply(second, b, c)), "{text}");
        }
    }

    #[test]
    fn every_count_is_known() {
        for name in Format::ALL.iter().flat_map(|format| format.count_names()) {
            for (key, is_known) in [
                ((*name).to_owned(), true),
                (format!("counts.{name}"), true),
                (format!("counts.{name}.qqqq"), false),
                (format!("{name}_qqqq"), false),
            ] {
                assert_eq!(Condition::parse(&format!("{key} = 1")).is_ok(), is_known, "{key}");
            }
        }
    }

    #[test]
    fn a_count_is_taken_from_the_counts_and_any_other_key_from_the_record() {
        let mut record = Scan::new(["x"]).record(Path::new("x"), b"");
        let keys = ["triangles", "counts.triangles", "vertices", "counts.vertices", "bytes", "name"];
        let conditions =
            |key: &str| [("= 5", 5), ("= 6", 6), ("= 7", 7)].map(|(is, number)| (format!("{key} {is}"), number));
        for triangles in [None, Some(5), Some(6)] {
            record.summary.counts = Counts::known([("triangles", triangles), ("vertices", None)]);
            for asked in [None, Some(6), Some(7)] {
                // The values of keys that are no counts.
                let value = |key: &str| if key == "bytes" || key == "name" { asked.map(Json::from) } else { None };
                for key in keys {
                    let own = match key {
                        "triangles" | "counts.triangles" => triangles,
                        "bytes" | "name" => asked,
                        _ => None,
                    };
                    for (text, number) in conditions(key) {
                        let condition = Condition::parse(&text).unwrap();
                        let expected = own == Some(number);
                        assert_eq!(condition.holds(&record, &value), expected, "{text}: {triangles:?} {asked:?}");
                        // What is not known meets no relation, and no relation is not met.
                        for (text, expected) in [
                            (format!("not {text}"), !expected),
                            (format!("not not {text}"), expected),
                            (format!("{text} or {text}"), expected),
                            (format!("{text} and not {text}"), false),
                            (format!("{text} or not {text}"), true),
                            (format!("({text}) and ({text} or {text})"), expected),
                        ] {
                            let condition = Condition::parse(&text).unwrap();
                            assert_eq!(condition.holds(&record, &value), expected, "{text}: {triangles:?} {asked:?}");
                        }
                    }
                    let differs = Condition::parse(&format!("{key} != 5")).unwrap();
                    assert_eq!(differs.holds(&record, &value), own.is_some_and(|own| own != 5), "{key}");
                }
            }
        }
    }

    #[test]
    fn a_literal_ends_at_its_own_quote_or_where_a_number_ends() {
        for (literal, value) in [
            ("''", Some(Json::from(""))),
            ("\"\"", Some("".into())),
            ("'\"'", Some("\"".into())),
            ("\"'\"", Some("'".into())),
            ("' a  b '", Some(" a  b ".into())),
            ("'a\nb'", Some("a\nb".into())),
            ("'5'", Some("5".into())),
            ("'and not ('", Some("and not (".into())),
            (r"'a\'", Some(r"a\".into())),
            ("5", Some(5.0.into())),
            ("+5", Some(5.0.into())),
            ("-5", Some((-5.0).into())),
            ("0.5", Some(0.5.into())),
            (".5", Some(0.5.into())),
            ("5.", Some(5.0.into())),
            ("5e3", Some(5_000.0.into())),
            ("5E-1", Some(0.5.into())),
            ("00", Some(0.0.into())),
            ("-0", Some((-0.0).into())),
            ("", None),
            ("'", None),
            ("'a\"", None),
            ("\"a'", None),
            ("''a'", None),
            ("5x", None),
            ("5_0", None),
            ("0x10", None),
            ("1.2.3", None),
            ("--5", None),
            ("5e", None),
            ("inf", Some("inf".into())),
            ("true", Some(true.into())),
            ("truer", Some("truer".into())),
            ("a", Some("a".into())),
            (r"a-b\c.d:e", Some(r"a-b\c.d:e".into())),
            ("a'", None),
            ("a+b", None),
            ("-a", None),
            (".a", None),
            ("or", None),
        ] {
            for (before, after) in [("", ""), (" ", " "), ("\t\n", "\r\n"), ("", " and bytes = 1"), ("", ")")] {
                let open = if after == ")" { "(" } else { "" };
                let text = format!("{open}path ={before}{literal}{after}");
                let parsed = Condition::parse(&text).ok();
                let found = parsed.map(|condition| match *condition {
                    Condition::Is(_, _, value) => value,
                    Condition::All(list) => match &list[0] {
                        Condition::Is(_, _, value) => value.clone(),
                        other => panic!("{other:?}"),
                    },
                    other => panic!("{other:?}"),
                });
                assert_eq!(found, value, "{text:?}");
            }
        }
    }
}
