//! Checks single fields against their rules, during a walk over an asset.

use crate::base::code::Code;
use crate::base::error::{Error, Segment};
use crate::base::limits::Limits;
use crate::bytes::Cursor;
use crate::check::faults::Fault;
use crate::check::rule::{Length, ROUNDING, Rule as _, Unit};
use crate::outline::{Bound, Field, FieldValue, Outline, Part, Rule, Value, Visitor, Wants};
use crate::record::{Record, describe_fields};
use crate::summary::Problems;

/// Checks each field that the closure describes against its [`Rule`]. If several fields of the same name break their
/// rule, reports one problem, with the first of them and their number. `dissects` is true for a closure that describes
/// some records one by one only to a visitor that [wants a dissection](Wants::dissection), and otherwise as one array, whose fields
/// have no rules. `bytes` is the size of the asset, which bounds the work.
pub(crate) fn fields(
    (bytes, limits): (u64, &Limits),
    dissects: bool,
    problems: &mut Problems,
    describe: impl FnOnce(&mut Outline<'_>),
) {
    let mut fields = Fields { dissects, ..Fields::default() };
    describe(&mut Outline::within(&Bound::new(bytes, limits), &mut fields));
    for (_, fault) in fields.faults {
        fault.report("", problems);
    }
    if let Some(error) = fields.spent {
        problems.error(&error);
    }
}

/// Returns the offset of the first field of this name in the record at the cursor.
pub(crate) fn offset_of_field<'a, T: Record<'a, C>, C: Copy>(
    name: &str,
    record: Cursor<'a>,
    context: C,
) -> Option<u64> {
    let mut place = Place { name, found: None };
    describe_fields::<T, C>(record, context, &mut Outline::new(&mut place));
    place.found
}

/// Collects the fields that break their rules.
#[derive(Default)]
struct Fields {
    dissects: bool,
    path: Vec<Segment>,
    /// For each open part, how many segments of the path its selectors leave out.
    starts: Vec<usize>,
    /// Each with the names of the part and of the field.
    faults: Vec<((&'static str, &'static str), Fault)>,
    /// The error that ended the walk, if it took too much work.
    spent: Option<Error>,
}

impl Visitor for Fields {
    fn open(&mut self, part: &Part<'_>) -> bool {
        let outer_start = self.starts.last().copied().unwrap_or(0);
        // Selectors start anew at a part that is a root, although it is inside others.
        self.starts.push(if part.root { self.path.len() } else { outer_start });
        self.path.push((part.name, part.index));
        true
    }

    fn close(&mut self) {
        self.path.pop();
        self.starts.pop();
    }

    fn field(&mut self, field: Field<'_>) {
        let (Some(stored), FieldValue::One(value)) = (field.stored, field.value) else { return };
        let Some((code, words)) = fault(field.rule, &value) else { return };
        let part = self.path.last().map_or("", |(part, _)| part);
        let of = (part, field.name);
        for (other, fault) in &mut self.faults {
            if *other == of && fault.code == code {
                return fault.again();
            }
        }
        let start = self.starts.last().copied().unwrap_or(0);
        let mut path = self.path.get(start..).unwrap_or_default().to_vec();
        path.push((field.name, None));
        let message = format!("{} is {words}", shown(&value));
        self.faults.push((of, Fault::new(code, path, stored.span.offset, message)));
    }

    fn wants(&self) -> Wants {
        Wants { dissection: self.dissects, arrays: false, ..Wants::default() }
    }

    /// Unreadable data is reported by the code that reads it.
    fn problem(&mut self, error: &Error) {
        if error.is_spent() {
            self.spent = Some(error.clone());
        }
    }
}

/// Returns the code of a value that breaks the rule, and words for it after "the value is". Returns `None` if it
/// follows the rule.
fn fault(rule: Rule, value: &Value<'_>) -> Option<(Code, String)> {
    let floats = match value {
        Value::Float(number) => std::slice::from_ref(number),
        Value::Floats(numbers) => numbers,
        Value::Coded(_, None) if rule == Rule::Sound => return Some((Code::UnknownCode, "unknown".to_owned())),
        Value::Int(number) | Value::Coded(number, _) => return whole(rule, *number),
        Value::Uint(number) => return whole(rule, i64::try_from(*number).unwrap_or(i64::MAX)),
        Value::Ints(numbers) => return numbers.iter().find_map(|number| whole(rule, *number)),
        // No rule is about texts and booleans.
        _ => return None,
    };
    if rule != Rule::Any && !floats.iter().all(|number| number.is_finite()) {
        return Some((Code::NotFinite, "not finite".to_owned()));
    }
    let (holds, code) = match rule {
        Rule::Range(least, most) => {
            let range = least as f32 - ROUNDING..=most as f32 + ROUNDING;
            (floats.iter().all(|number| range.contains(number)), Code::OddRange)
        }
        Rule::Least(least) => (floats.iter().all(|number| *number >= least as f32), Code::OddRange),
        Rule::Unit => (Unit::Quaternion.holds(Length::of(floats)), Code::NotUnit),
        _ => return None,
    };
    if holds { None } else { Some((code, format!("not {rule}"))) }
}

/// Returns the same as [`fault`] for an integer.
fn whole(rule: Rule, number: i64) -> Option<(Code, String)> {
    let (holds, code) = match rule {
        Rule::Range(least, most) => ((least..=most).contains(&number), Code::OddRange),
        Rule::Least(least) => (number >= least, Code::OddRange),
        Rule::OneOf(numbers) => (numbers.contains(&number), Code::OddRange),
        Rule::Bits(bits) => (number & !i64::from(bits) == 0, Code::UnknownCode),
        _ => return None,
    };
    if holds { None } else { Some((code, format!("not {rule}"))) }
}

/// Returns a value as the message shows it.
fn shown(value: &Value<'_>) -> String {
    match value {
        Value::Floats(numbers) => {
            let numbers: Vec<_> = numbers.iter().map(ToString::to_string).collect();
            format!("({})", numbers.join(", "))
        }
        Value::Coded(number, Some(name)) => format!("{number} ({name})"),
        other => other.to_string(),
    }
}

/// Looks for the place of a field.
struct Place<'n> {
    name: &'n str,
    found: Option<u64>,
}

impl Visitor for Place<'_> {
    fn field(&mut self, field: Field<'_>) {
        if self.found.is_none()
            && field.name == self.name
            && let Some(stored) = field.stored
        {
            self.found = Some(stored.span.offset);
        }
    }

    fn problem(&mut self, _: &Error) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(rule: Rule, value: impl Into<Value<'static>>) -> Option<String> {
        fault(rule, &value.into()).map(|(_, words)| words)
    }

    #[test]
    fn values_are_held_to_their_rules() {
        let some = |words: &str| Some(words.to_owned());
        assert_eq!(said(Rule::Sound, f32::NAN), some("not finite"));
        assert_eq!(said(Rule::Any, f32::NAN), None);
        assert_eq!(said(Rule::Range(0, 1), [0.0, 1.000_001, f32::INFINITY]), some("not finite"));
        assert_eq!(said(Rule::Range(0, 1), [0.0, 1.000_001]), None);
        assert_eq!(said(Rule::Range(0, 1), [0.0, 1.1]), some("not from 0 to 1"));
        assert_eq!(said(Rule::Range(0, 128), 129_u8), some("not from 0 to 128"));
        assert_eq!(said(Rule::Least(0), -1_i32), some("not at least 0"));
        assert_eq!(said(Rule::Least(0), -0.5), some("not at least 0"));
        assert_eq!(said(Rule::OneOf(&[-1, 0]), 7_i32), some("not -1 or 0"));
        assert_eq!(said(Rule::Bits(3), 6_u32), some("not of the bits 0x3"));
        assert_eq!(said(Rule::Bits(3), 2_u32), None);
        assert_eq!(said(Rule::Unit, [1.0, 0.0, 0.0, 0.0]), None);
        assert_eq!(said(Rule::Unit, [0.0; 4]), some("not of length 1"));
        assert_eq!(fault(Rule::Sound, &Value::Coded(9, None)).map(|(code, _)| code), Some(Code::UnknownCode));
        assert_eq!(fault(Rule::Range(0, 9), &Value::Coded(9, None)), None);
    }

    #[test]
    fn one_fault_of_many_fields_is_one_problem_at_the_first() {
        let mut problems = Problems::new(&Limits::default());
        fields((1 << 20, &Limits::default()), false, &mut problems, |out| {
            out.part(Part::one("around"), |out| {
                for index in 0..3 {
                    out.part(Part::item("turns", index).rooted(), |out| {
                        let span = crate::base::span::Span { offset: 8 + index as u64, bytes: 4 };
                        let kind = crate::outline::Type::Number("f32", 4);
                        let angle = if index == 0 { 0.0 } else { f32::NAN };
                        out.stored("angle", crate::outline::StoredAt::new(kind, span), angle);
                    });
                }
            });
        });
        let found = problems.into_vec();
        let [problem] = &found[..] else { panic!("{found:?}") };
        assert_eq!(problem.message, "turns[1].angle: NaN is not finite (first of 2)");
        assert_eq!((problem.offset, problem.code), (Some(9), Code::NotFinite));
    }
}
