//! The receiver of an outline, and what passes the outline to it.

use std::borrow::Cow;
use std::cell::Cell;

use super::part::{Field, FieldValue, Part, PartArray, StoredAt};
use super::schema::Rule;
use super::value::Value;
use crate::base::code::Code;
use crate::base::error::{Error, Result};
use crate::base::limits::Limits;
use crate::base::text::Text;
use crate::budget::Budget;
use crate::bytes::Table;
use crate::bytes::array::{room_for_all, row_byte_len};
use crate::bytes::batch::to_the_end;

/// Receives an outline.
///
/// Names are unique within a part: no two of its fields, child parts and arrays share one. The exception is the items
/// of a list, which follow each other and are numbered from 0. Every method except [`problem`](Self::problem) has a
/// default, and most defaults ignore their input. `problem` is required, so that problems are not lost by accident.
#[allow(unused_variables, reason = "defaults ignore their input")]
pub trait Visitor {
    /// Returns what the visitor uses. The rest may be left out.
    fn wants(&self) -> Wants {
        Wants::default()
    }

    /// Starts a part. Returns true to visit its contents; only then [`close`](Self::close) follows.
    fn open(&mut self, part: &Part<'_>) -> bool {
        true
    }

    /// Ends the part opened last.
    fn close(&mut self) {}

    /// Starts a list. If none of its parts or arrays follow, it is empty.
    fn list(&mut self, name: &'static str) {}

    /// Receives a field of the part opened last. Those that are [framing](Field::is_framing) come too.
    fn field(&mut self, field: Field<'_>) {}

    /// Receives an array of the part opened last.
    fn array(&mut self, array: &PartArray<'_>) {}

    /// Receives an error in the part opened last.
    fn problem(&mut self, error: &Error);
}

/// The parts of an outline that a [`Visitor`] uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wants {
    /// True for each stored field of lists that otherwise come as one array.
    pub dissection: bool,
    /// False if arrays are ignored. Those that cost a walk over compressed data may then be left out.
    pub arrays: bool,
    /// False if all further input is ignored. Long lists stop then.
    pub more: bool,
}

/// An outline with its arrays.
impl Default for Wants {
    fn default() -> Self {
        Self { dissection: false, arrays: true, more: true }
    }
}

/// Passes an outline to a [`Visitor`], with matching open and close calls.
pub struct Outline<'v> {
    pub(super) visitor: &'v mut dyn Visitor,
    /// `None` if the outline has no size bound.
    bound: Option<&'v Bound>,
    /// The rule of the next stored field.
    rule: Rule,
    /// True while the bytes of fields and arrays belong to those that came before.
    repeats: bool,
}

/// Bounds the outline of one asset in proportion to the asset's size, because a few bytes can describe any number of
/// records.
pub(crate) struct Bound {
    budget: Budget,
    is_exceeded: Cell<bool>,
    /// The error to report once the bound is exceeded.
    unreported: Cell<Option<Error>>,
}

/// The cost of a part, field or array, in bytes of [work](Budget::charge_work).
const ITEM_WORK: u64 = 256;
/// The cost of each text of a list.
const TEXT_WORK: u64 = 32;

impl Bound {
    /// Creates the bound for an asset of this size.
    pub(crate) fn new(bytes: u64, limits: &Limits) -> Self {
        Self { budget: Budget::new(bytes, limits), is_exceeded: Cell::new(false), unreported: Cell::new(None) }
    }

    /// Charges for this work. Returns false if the bound is exceeded.
    fn pay(&self, work: u64) -> bool {
        if !self.is_exceeded.get()
            && let Err(error) = self.budget.charge_work(work)
        {
            self.is_exceeded.set(true);
            self.unreported.set(Some(error));
        }
        !self.is_exceeded.get()
    }
}

impl<'v> Outline<'v> {
    /// Creates an outline for this visitor.
    pub fn new(visitor: &'v mut dyn Visitor) -> Self {
        Self { visitor, bound: None, rule: Rule::Sound, repeats: false }
    }

    /// Creates an outline that ends with a problem if it exceeds the bound.
    pub(crate) fn within(bound: &'v Bound, visitor: &'v mut dyn Visitor) -> Self {
        Self { visitor, bound: Some(bound), rule: Rule::Sound, repeats: false }
    }

    /// Returns the same outline, for a shorter time. It takes the rule of the next field along.
    pub(super) fn reborrow(&mut self) -> Outline<'_> {
        let rule = self.take_rule();
        Outline { visitor: &mut *self.visitor, bound: self.bound, rule, repeats: self.repeats }
    }

    /// Returns the same outline, for a shorter time. If `repeats`, the bytes of its fields and arrays belong to those
    /// that came before.
    pub(crate) fn repeating(&mut self, repeats: bool) -> Outline<'_> {
        let mut out = self.reborrow();
        out.repeats |= repeats;
        out
    }

    /// Sets the rule of the next stored field.
    pub(super) fn rule(&mut self, rule: Rule) {
        self.rule = rule;
    }

    /// Returns the rule of the next field, and resets it. What is no stored field calls it too, so that no later field
    /// gets the rule.
    fn take_rule(&mut self) -> Rule {
        std::mem::replace(&mut self.rule, Rule::Sound)
    }

    /// Returns true if the visitor takes no further input. Long lists stop then.
    pub fn is_done(&self) -> bool {
        self.bound.is_some_and(|bound| bound.is_exceeded.get()) || !self.visitor.wants().more
    }

    /// Returns true if the visitor ignores arrays.
    pub(crate) fn skips_arrays(&self) -> bool {
        !self.visitor.wants().arrays
    }

    /// Returns true if the visitor wants each stored field of lists that otherwise come as one array.
    pub fn dissects(&self) -> bool {
        self.visitor.wants().dissection
    }

    /// Charges for one item. Returns false if the bound is exceeded.
    fn pay(&mut self) -> bool {
        let Some(bound) = self.bound else { return true };
        let is_paid = bound.pay(ITEM_WORK);
        self.report_bound();
        is_paid
    }

    /// Reports, once, that the bound is exceeded.
    fn report_bound(&mut self) {
        if let Some(bound) = self.bound
            && let Some(error) = bound.unreported.take()
        {
            self.visitor.problem(&error);
        }
    }

    /// Starts a list. Its parts or arrays follow, if it has any.
    pub fn list(&mut self, name: &'static str) {
        self.visitor.list(name);
    }

    /// Adds a field that follows from others.
    pub fn field<'a>(&mut self, name: &'static str, value: impl Into<Value<'a>>) {
        self.take_rule();
        self.add(Field::derived(name, FieldValue::One(value.into())));
    }

    /// Adds a number and its meaning.
    pub fn coded(&mut self, name: &'static str, raw: impl Into<i64>, meaning: Option<impl Into<Cow<'static, str>>>) {
        self.field(name, Value::Coded(raw.into(), meaning.map(Into::into)));
    }

    /// Adds a field of several texts that follows from others.
    pub fn texts<'t>(&mut self, name: &'static str, texts: impl IntoIterator<Item = impl Into<Text<'t>>>) {
        self.take_rule();
        self.add(Field::derived(name, FieldValue::Texts(&mut texts.into_iter().map(Into::into))));
    }

    /// Adds a field that is stored here in the file.
    pub fn stored<'a>(&mut self, name: &'static str, at: StoredAt, value: impl Into<Value<'a>>) {
        let rule = self.take_rule();
        self.add(Field { stored: Some(at), rule, ..Field::derived(name, FieldValue::One(value.into())) });
    }

    /// Adds a field of several texts that is stored here in the file.
    pub fn stored_texts<'t>(
        &mut self,
        name: &'static str,
        at: StoredAt,
        texts: impl IntoIterator<Item = impl Into<Text<'t>>>,
    ) {
        let rule = self.take_rule();
        let mut texts = texts.into_iter().map(Into::into);
        self.add(Field { stored: Some(at), rule, ..Field::derived(name, FieldValue::Texts(&mut texts)) });
    }

    /// Adds a field.
    pub(crate) fn add(&mut self, mut field: Field<'_>) {
        if !self.pay() {
            return;
        }
        field.repeats = self.repeats;
        match field.value {
            FieldValue::One(_) => self.visitor.field(field),
            FieldValue::Texts(texts) => {
                let bound = self.bound;
                // The number of texts is not known before they are read, so each is charged as it is read.
                let mut paid = texts.map_while(|text| if is_paid(bound) { Some(text) } else { None });
                self.visitor.field(Field { value: FieldValue::Texts(&mut paid), ..field });
                self.report_bound();
            }
        }
    }

    /// Adds an array.
    pub fn array(&mut self, name: &'static str, table: &dyn Table) {
        self.add_array(&PartArray { name, index: None, unpacked: None, table, repeats: false });
    }

    /// Adds one of several arrays with the same name.
    pub fn array_item(&mut self, name: &'static str, index: usize, table: &dyn Table) {
        self.add_array(&PartArray { name, index: Some(index), unpacked: None, table, repeats: false });
    }

    /// Adds an array.
    pub(crate) fn add_array(&mut self, array: &PartArray<'_>) {
        self.take_rule();
        if !self.pay() {
            return;
        }
        if self.repeats {
            self.visitor.array(&PartArray { repeats: true, ..*array });
        } else {
            self.visitor.array(array);
        }
    }

    /// Adds a part. `inside` adds its contents, and is only called if the visitor wants them.
    pub fn part(&mut self, part: Part<'_>, inside: impl FnOnce(&mut Outline<'_>)) {
        if self.open(&part) {
            inside(self);
            self.close();
        }
    }

    /// Starts a part. Returns true if the visitor wants its contents; only then [`close`](Self::close) must follow. Use
    /// this for parts that nest too deep for recursion.
    pub(crate) fn open(&mut self, part: &Part<'_>) -> bool {
        self.take_rule();
        self.pay() && self.visitor.open(part)
    }

    /// Ends the part opened last.
    pub(crate) fn close(&mut self) {
        self.visitor.close();
    }

    /// Reports an error in the part opened last.
    pub fn problem(&mut self, error: &Error) {
        if self.pay() {
            self.visitor.problem(error);
        }
    }

    /// Returns the value, or reports the error and returns `None`.
    pub fn ok<T>(&mut self, result: Result<T>) -> Option<T> {
        result.inspect_err(|error| self.problem(error)).ok()
    }
}

/// Charges for one text. Returns false if the bound is exceeded.
fn is_paid(bound: Option<&Bound>) -> bool {
    match bound {
        Some(bound) => bound.pay(TEXT_WORK),
        None => true,
    }
}

/// Returns all rows of a table as one buffer. Use this for small tables, or if the whole table is needed in memory.
///
/// # Errors
/// Returns the errors of [`Table::read`], and a [`Limit`](crate::ErrorKind::Limit) error if the rows take more than
/// [`Limits::decoded_bytes`].
pub fn to_bytes(table: &dyn Table, limits: &Limits) -> Result<Vec<u8>> {
    let whole = table.rows().saturating_mul(row_byte_len(&table.columns()) as u64);
    let most = limits.decoded_bytes;
    if whole > most {
        let error = Error::limit("decoded bytes in an array", most, Code::DecodedBytesLimit);
        return Err(error.at(table.storage().offset));
    }
    let mut bytes = room_for_all(table)?;
    table.read(&mut to_the_end(|rows| bytes.extend_from_slice(rows)))?;
    Ok(bytes)
}
