//! Problems of an asset.

use std::borrow::Cow;
use std::fmt::Display;

use crate::base::amount::Amount;
use crate::base::code::{Class, Code};
use crate::base::error::Error;
use crate::base::limits::Limits;
use crate::base::place::Locate;
use crate::base::word_enum::word_enum;
use crate::budget::Budget;

word_enum! {
    /// The severity of a [`Problem`].
    #[derive(PartialOrd, Ord)]
    pub enum Severity {
        /// Readable, but almost certainly a mistake.
        Warning = "warning",
        /// Bytes that do not follow the format, or an index, count or size that is out of range.
        Error = "error",
    }
}

/// The maximum bytes of a problem's message before truncation. Names in it may be of any length.
const LONGEST_MESSAGE: usize = 1000;

/// A problem of an asset.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Problem {
    /// The severity.
    pub severity: Severity,
    /// The stable code.
    pub code: Code,
    /// The offset from the start of the asset, or `None` if no location applies.
    pub offset: Option<u64>,
    /// A description of the problem, with the part of the asset.
    pub message: Cow<'static, str>,
}

impl Problem {
    /// Converts an error to a problem.
    pub fn error(error: &Error) -> Self {
        let mut message = error.message();
        if message.len() > LONGEST_MESSAGE {
            let bytes = message.len();
            let end = (0..=LONGEST_MESSAGE).rev().find(|&end| message.is_char_boundary(end));
            message.truncate(end.unwrap_or(0));
            message.push_str(&format!("... ({bytes} bytes)"));
        }
        Self { severity: Severity::Error, code: error.code(), offset: error.offset(), message: message.into() }
    }

    /// Converts an error that does not prevent reading to a warning. Its code is suspicious instead of damaged.
    pub fn warning(error: &Error) -> Self {
        let problem = Self::error(error);
        let code = if problem.code.class() == Class::Damaged { Code::Suspicious } else { problem.code };
        Self { severity: Severity::Warning, code, ..problem }
    }
}

/// Problems that were left out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beyond {
    count: Amount<u64>,
    worst: Severity,
}

impl Beyond {
    /// Creates the value for no problems. The least severity is the worst of none.
    fn none() -> Self {
        Self { count: Amount(0), worst: Severity::Warning }
    }

    /// Counts this many problems, of which the worst has this severity.
    pub(super) fn add(&mut self, count: u64, worst: Severity) {
        self.count += count;
        self.worst = self.worst.max(worst);
    }
}

/// Collects problems up to a limit, counts the rest, and holds the budget for finding them.
#[derive(Debug)]
pub struct Problems {
    pub(super) list: Vec<Problem>,
    pub(super) beyond: Beyond,
    pub(super) budget: Budget,
    /// The index of the problem that says that the budget is spent.
    pub(super) spent: Option<usize>,
}

impl Problems {
    /// Creates an empty list. Each part is checked within its own limits.
    pub fn new(limits: &Limits) -> Self {
        Self::within(Budget::unlimited(limits))
    }

    /// Creates an empty list. The cost of checking is charged to this budget.
    pub fn within(budget: Budget) -> Self {
        Self { list: Vec::new(), beyond: Beyond::none(), budget, spent: None }
    }

    /// Returns the budget for checking.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Adds a problem of severity `error`.
    pub fn error(&mut self, error: &Error) {
        self.add(Severity::Error, error);
    }

    /// Adds a problem of severity `warning`.
    pub fn warning(&mut self, error: &Error) {
        self.add(Severity::Warning, error);
    }

    /// Adds a problem of this severity. `error` is called only if the problem is kept.
    pub fn report(&mut self, severity: Severity, error: impl FnOnce() -> Error) {
        if self.keeps_another(severity) {
            self.add(severity, &error());
        }
    }

    /// Adds a problem at this offset of a place. The message is made only if the problem is kept.
    #[cold]
    pub(crate) fn report_at(&mut self, severity: Severity, place: impl Locate, offset: u64, message: impl Display) {
        if self.keeps_another(severity) {
            self.add(severity, &place.locate(Error::malformed(message.to_string()).at(offset)));
        }
    }

    /// Returns the value, or adds the error as a problem and returns `None`.
    #[inline(always)]
    pub fn ok<T>(&mut self, result: Result<T, Error>) -> Option<T> {
        result.map_err(|error| self.error(&error)).ok()
    }

    /// Returns the value, or adds the error in this place as a problem and returns `None`.
    #[inline(always)]
    pub(crate) fn ok_in<T>(&mut self, place: impl Locate, result: Result<T, Error>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.error(&place.locate(error));
                None
            }
        }
    }

    /// Returns true if the limit is reached. Further problems are then counted, but not kept.
    pub fn is_full(&self) -> bool {
        self.list.len() as u64 >= u64::from(self.budget.limits().problems)
    }

    /// Returns true if one more problem is kept. Otherwise counts it.
    pub(crate) fn keeps_another(&mut self, severity: Severity) -> bool {
        if self.is_full() {
            self.beyond.add(1, severity);
            return false;
        }
        true
    }

    /// Adds a problem of this severity, or counts it if the limit is reached.
    pub(crate) fn add(&mut self, severity: Severity, error: &Error) {
        // A spent budget refuses everything that follows. One report of that is enough.
        if error.is_spent() && !self.is_first_spent() {
            return;
        }
        if self.keeps_another(severity) {
            self.list.push(match severity {
                Severity::Error => Problem::error(error),
                Severity::Warning => Problem::warning(error),
            });
        }
    }

    /// Returns true if no earlier problem reports that the budget is spent. Then records that the next one does.
    fn is_first_spent(&mut self) -> bool {
        let is_first = self.spent.is_none();
        self.spent.get_or_insert(self.list.len());
        is_first
    }

    /// Adds the problems of another list after these. Of two reports that the budget is spent, keeps the first.
    pub(super) fn append(&mut self, other: Self) {
        self.beyond.add(other.beyond.count.0, other.beyond.worst);
        for (place, problem) in other.list.into_iter().enumerate() {
            if other.spent == Some(place) && !self.is_first_spent() {
                continue;
            }
            if self.keeps_another(problem.severity) {
                self.list.push(problem);
            }
        }
    }

    /// Returns all problems, ordered by offset. If the limit was exceeded, a last problem gives the number of missing
    /// ones. It is as severe as the worst of them.
    pub fn into_vec(mut self) -> Vec<Problem> {
        self.list.sort_by_key(|problem| problem.offset);
        if self.beyond.count.0 > 0 {
            let message = format!("{} further problems, beyond the limit for one asset", self.beyond.count.0);
            let severity = self.beyond.worst;
            let code = Code::ProblemsLimit;
            self.list.push(Problem { severity, code, offset: None, message: message.into() });
        }
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_beyond_the_limit_are_counted() {
        let mut problems = Problems::new(&Limits::default().with_problems(2));
        for offset in [9, 5, 1] {
            problems.error(&Error::malformed("odd").at(offset));
        }
        let list = problems.into_vec();
        assert_eq!(list.iter().map(|p| p.offset).collect::<Vec<_>>(), [Some(5), Some(9), None]);
        assert_eq!(list[2].message, "1 further problems, beyond the limit for one asset");
    }

    #[test]
    fn the_last_problem_is_as_severe_as_the_worst_that_is_left_out() {
        for (left_out, worst) in [("ww", Severity::Warning), ("we", Severity::Error), ("ew", Severity::Error)] {
            let limits = Limits::default().with_problems(1);
            let mut whole = Problems::new(&limits);
            let mut parts = Problems::new(&limits);
            for kind in ["w"].into_iter().chain(left_out.split("").filter(|kind| !kind.is_empty())) {
                let mut part = Problems::new(&limits);
                for problems in [&mut whole, &mut part] {
                    let error = Error::malformed("odd");
                    if kind == "e" { problems.error(&error) } else { problems.warning(&error) }
                }
                parts.append(part);
            }
            for problems in [whole, parts] {
                let list = problems.into_vec();
                assert_eq!((list.len(), list[1].severity), (2, worst), "{left_out}");
                assert!(list[1].message.starts_with("2 further"), "{}", list[1].message);
            }
        }
    }
}
