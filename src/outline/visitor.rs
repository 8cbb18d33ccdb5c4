//! The receiver of an outline, and what passes the outline to it.

use std::borrow::Cow;
use std::cell::Cell;

use super::part::{Part, StoredField};
use super::schema::Rule;
use super::value::Value;
use crate::base::error::{Error, Result};
use crate::base::limits::Limits;
use crate::base::span::Span;
use crate::base::text::Text;
use crate::budget::Budget;
use crate::bytes::Table;
use crate::bytes::batch::to_the_end;

/// Receives an outline.
///
/// Names are unique within a part: no two of its fields, child parts and arrays share one. The exception is the items
/// of a list, which follow each other and are numbered from 0. Every method except [`problem`](Self::problem) has a
/// default, and most defaults ignore their input. `problem` is required, so that problems are not lost by accident.
#[allow(unused_variables, reason = "defaults ignore their input")]
pub trait Visitor {
    /// Starts a part. Returns true to visit its contents; only then [`close`](Self::close) follows.
    fn open(&mut self, part: &Part<'_>) -> bool {
        true
    }

    /// Ends the part opened last.
    fn close(&mut self) {}

    /// Starts a list. If none of its parts or arrays follow, it is empty.
    fn list(&mut self, name: &'static str) {}

    /// Receives a field of the part opened last that the file does not store: it follows from others.
    fn field(&mut self, name: &'static str, value: Value<'_>) {}

    /// Receives a field of several texts. Their number is only known after the last.
    fn texts<'t>(&mut self, name: &'static str, texts: &mut dyn Iterator<Item = Text<'t>>) {}

    /// Receives a field of the part opened last that is stored in the file. By default, it is passed to
    /// [`field`](Self::field), or ignored if it is [framing](StoredField::framing).
    fn stored(&mut self, field: &StoredField, value: Value<'_>) {
        if !field.framing {
            self.field(field.name, value);
        }
    }

    /// Receives a stored field of several texts.
    fn stored_texts<'t>(&mut self, field: &StoredField, texts: &mut dyn Iterator<Item = Text<'t>>) {
        self.texts(field.name, texts);
    }

    /// Announces that the next item is not stored directly in the file. It is at this location in the data unpacked
    /// from the surrounding part, whatever location the item itself has.
    fn unpacked(&mut self, span: Span) {}

    /// Announces a rule that the next field must follow.
    fn rule(&mut self, rule: Rule) {}

    /// Returns true if the visitor uses only fields. Arrays that cost a walk over compressed data may then be left out.
    fn skips_arrays(&self) -> bool {
        false
    }

    /// Returns true if the visitor takes each stored field of lists that other visitors get as one array.
    fn dissects(&self) -> bool {
        false
    }

    /// Returns true if the visitor needs no further input.
    fn is_done(&self) -> bool {
        false
    }

    /// Receives an array of the part opened last. The index distinguishes several arrays with that name.
    fn array(&mut self, name: &'static str, index: Option<usize>, table: &dyn Table) {}

    /// Receives an error in the part opened last.
    fn problem(&mut self, error: &Error);
}

/// Passes an outline to a [`Visitor`], with matching open and close calls.
pub struct Outline<'v> {
    pub(super) visitor: &'v mut dyn Visitor,
    /// `None` if the outline has no size bound.
    bound: Option<&'v Bound>,
}

/// Bounds the outline of one asset in proportion to the asset's size, because a few bytes can describe any number of
/// records.
pub(crate) struct Bound {
    budget: Budget,
    is_met: Cell<bool>,
    /// The error to report once the bound is exceeded.
    unreported: Cell<Option<Error>>,
}

/// The cost of a part, field or array, in bytes of [work](Budget::work).
const ITEM_WORK: u64 = 256;
/// The cost of each text of a list.
const TEXT_WORK: u64 = 32;

impl Bound {
    /// Creates the bound for an asset of this size.
    pub(crate) fn new(bytes: u64, limits: &Limits) -> Self {
        Self { budget: Budget::new(bytes, limits), is_met: Cell::new(false), unreported: Cell::new(None) }
    }

    /// Charges for this work. Returns false if the bound is exceeded.
    fn pay(&self, work: u64) -> bool {
        if !self.is_met.get()
            && let Err(error) = self.budget.work(work)
        {
            self.is_met.set(true);
            self.unreported.set(Some(error));
        }
        !self.is_met.get()
    }
}

impl<'v> Outline<'v> {
    /// Creates an outline for this visitor.
    pub fn new(visitor: &'v mut dyn Visitor) -> Self {
        Self { visitor, bound: None }
    }

    /// Creates an outline that ends with a problem if it exceeds the bound.
    pub(crate) fn within(bound: &'v Bound, visitor: &'v mut dyn Visitor) -> Self {
        Self { visitor, bound: Some(bound) }
    }

    /// Returns true if the visitor takes no further input. Long lists stop then.
    pub fn is_done(&self) -> bool {
        self.bound.is_some_and(|bound| bound.is_met.get()) || self.visitor.is_done()
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
        if self.pay() {
            self.visitor.field(name, value.into());
        }
    }

    /// Adds a field of several texts.
    pub fn texts<'t>(&mut self, name: &'static str, texts: impl IntoIterator<Item = impl Into<Text<'t>>>) {
        if self.pay() {
            let mut texts = paid(self.bound, texts);
            self.visitor.texts(name, &mut texts);
            self.report_bound();
        }
    }

    /// Adds a number and its meaning.
    pub fn coded(&mut self, name: &'static str, raw: impl Into<i64>, meaning: Option<impl Into<Cow<'static, str>>>) {
        self.field(name, Value::Coded(raw.into(), meaning.map(Into::into)));
    }

    /// Adds a field with its location in the file.
    pub fn stored<'a>(&mut self, field: &StoredField, value: impl Into<Value<'a>>) {
        if self.pay() {
            self.visitor.stored(field, value.into());
        }
    }

    /// Adds a field of several texts with its location in the file.
    pub fn stored_texts<'t>(&mut self, field: &StoredField, texts: impl IntoIterator<Item = impl Into<Text<'t>>>) {
        if self.pay() {
            let mut texts = paid(self.bound, texts);
            self.visitor.stored_texts(field, &mut texts);
            self.report_bound();
        }
    }

    /// Sets the location of the next item in the data unpacked from the surrounding part.
    pub fn unpacked(&mut self, span: Span) {
        self.visitor.unpacked(span);
    }

    /// Returns true if the visitor [skips arrays](Visitor::skips_arrays).
    pub(crate) fn skips_arrays(&self) -> bool {
        self.visitor.skips_arrays()
    }

    /// Returns true if the visitor [dissects](Visitor::dissects).
    pub fn dissects(&self) -> bool {
        self.visitor.dissects()
    }

    /// Adds an array.
    pub fn array(&mut self, name: &'static str, table: &dyn Table) {
        if self.pay() {
            self.visitor.array(name, None, table);
        }
    }

    /// Adds one of several arrays with the same name.
    pub fn array_item(&mut self, name: &'static str, index: usize, table: &dyn Table) {
        if self.pay() {
            self.visitor.array(name, Some(index), table);
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

/// Passes on texts until the bound is exceeded.
fn paid<'t>(
    bound: Option<&Bound>,
    texts: impl IntoIterator<Item = impl Into<Text<'t>>>,
) -> impl Iterator<Item = Text<'t>> {
    let is_paid = move |_: &Text<'t>| bound.is_none_or(|bound| bound.pay(TEXT_WORK));
    texts.into_iter().map(Into::into).take_while(is_paid)
}

/// Returns all rows of a table as one buffer. Use this for small tables, or if the whole table is needed in memory.
///
/// # Errors
/// Returns the errors of [`Table::read`].
pub fn to_bytes(table: &dyn Table) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    table.read(&mut to_the_end(|rows| bytes.extend_from_slice(rows)))?;
    Ok(bytes)
}
