//! What is wrong with an asset.

#[cfg(feature = "zip")]
mod side_by_side;

use std::borrow::Cow;

#[cfg(feature = "zip")]
pub(crate) use side_by_side::side_by_side;

use crate::budget::Budget;
use crate::error::Error;
use crate::limits::Limits;
use crate::named::named;

named! {
    /// How bad a [`Problem`] is.
    #[derive(PartialOrd, Ord)]
    pub enum Severity {
        /// Legal to read but surely not meant.
        Warning = "warning",
        /// Bytes that cannot be read as the format says, or an index, count or size that points outside.
        Error = "error",
    }
}

named! {
    /// What kind of trouble a [`Problem`] is, for programs: a word, and behind a dot a closer one, such as
    /// `damaged.truncated`. Words stay; closer ones may be added.
    #[derive(PartialOrd, Ord)]
    #[non_exhaustive]
    pub enum Code {
        /// Bytes that cannot be read as the format says.
        Damaged = "damaged",
        /// No byte at all.
        Empty = "damaged.empty",
        /// A checksum that is not that of its bytes.
        Checksum = "damaged.checksum",
        /// Parts that share bytes.
        Overlap = "damaged.overlap",
        /// An index, count or offset that points outside.
        Range = "damaged.range",
        /// Fewer bytes than there should be.
        Truncated = "damaged.truncated",
        /// Another version or kind than is read.
        Unsupported = "unsupported",
        /// What Git leaves in the place of a file that it keeps elsewhere.
        LfsPointer = "unsupported.lfs",
        /// What only the owner of a key can read.
        Encrypted = "encrypted",
        /// More than the caller's [`Limits`] allow.
        Limit = "limit",
        /// Legal to read but surely not meant.
        Suspicious = "suspicious",
        /// A byte for yes or no that is neither 0 nor 1.
        Bool = "suspicious.bool",
        /// What should be there once.
        Duplicate = "suspicious.duplicate",
        /// A part of a pair that is empty alone.
        OddEmpty = "suspicious.empty",
        /// A name of nothing that is there.
        Missing = "suspicious.missing",
        /// A name other than where it stands first.
        Name = "suspicious.name",
        /// A number that is infinite or none.
        NotFinite = "suspicious.not_finite",
        /// A normal or rotation whose length is not 1.
        NotUnit = "suspicious.not_unit",
        /// Normals that do not face as their triangles do.
        Normals = "suspicious.normals",
        /// Parts in another order than they should be.
        Order = "suspicious.order",
        /// A number that means nothing in its place, though nothing is looked up by it.
        OddRange = "suspicious.range",
        /// A number to which the format gives no meaning.
        UnknownCode = "suspicious.unknown_code",
        /// Weights with another sum than they should have.
        Weights = "suspicious.weights",
        /// Bytes behind the end that belong to nothing.
        Trailing = "suspicious.trailing",
    }
}

impl Code {
    /// Its first word: `damaged`, `unsupported`, `encrypted`, `limit` or `suspicious`.
    pub fn class(self) -> &'static str {
        let name = self.name();
        name.split_once('.').map_or(name, |(class, _)| class)
    }
}

/// What is told of a problem before it is cut, in bytes: names in it may be of any length.
const LONGEST_MESSAGE: usize = 1000;

/// Something that is wrong with an asset.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Problem {
    /// How bad it is.
    pub severity: Severity,
    /// What kind of trouble it is.
    pub code: Code,
    /// Where it starts, counted from the start of the asset; `None` where no place applies.
    pub offset: Option<u64>,
    /// What it is, and in which part.
    pub message: Cow<'static, str>,
}

impl Problem {
    /// An error as a problem.
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

    /// An error as a problem that does not keep anything from being read: nothing is damaged, only suspicious.
    pub fn warning(error: &Error) -> Self {
        let problem = Self::error(error);
        let code = if problem.code.class() == "damaged" { Code::Suspicious } else { problem.code };
        Self { severity: Severity::Warning, code, ..problem }
    }
}

/// Collects problems up to a limit, and counts the rest; and knows what looking for them may cost.
#[derive(Debug)]
pub struct Problems {
    list: Vec<Problem>,
    beyond: u64,
    budget: Budget,
    /// Which of them tells that the budget is spent.
    spent: Option<usize>,
}

impl Problems {
    /// None so far; what looking costs is bounded part by part.
    pub fn new(limits: &Limits) -> Self {
        Self::within(Budget::unlimited(limits))
    }

    /// None so far; what looking costs is charged to this budget.
    pub fn within(budget: Budget) -> Self {
        Self { list: Vec::new(), beyond: 0, budget, spent: None }
    }

    /// What looking may cost.
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

    /// Adds a problem of this severity, which is made only if it is kept.
    pub fn tell(&mut self, severity: Severity, error: impl FnOnce() -> Error) {
        if self.keeps_another() {
            self.add(severity, &error());
        }
    }

    /// Takes the value, or adds the error and goes on without.
    #[inline(always)]
    pub fn ok<T>(&mut self, result: Result<T, Error>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.error(&error);
                None
            }
        }
    }

    /// Whether the limit is reached, so that looking for more only costs time.
    pub fn is_full(&self) -> bool {
        self.list.len() as u64 >= u64::from(self.budget.limits().problems)
    }

    /// Whether one more problem is kept; if not, it is counted.
    pub(crate) fn keeps_another(&mut self) -> bool {
        let is_full = self.is_full();
        self.beyond = self.beyond.saturating_add(is_full.into());
        !is_full
    }

    pub(crate) fn add(&mut self, severity: Severity, error: &Error) {
        // Once spent, a budget refuses all that follows: to say so once is enough.
        if error.is_spent() && !self.is_first_spent() {
            return;
        }
        if self.keeps_another() {
            self.list.push(match severity {
                Severity::Error => Problem::error(error),
                Severity::Warning => Problem::warning(error),
            });
        }
    }

    /// Whether the problem that comes next is the first to tell that the budget is spent.
    fn is_first_spent(&mut self) -> bool {
        let is_first = self.spent.is_none();
        self.spent.get_or_insert(self.list.len());
        is_first
    }

    #[cfg(feature = "zip")]
    fn append(&mut self, other: Self) {
        self.beyond = self.beyond.saturating_add(other.beyond);
        for (place, problem) in other.list.into_iter().enumerate() {
            if other.spent == Some(place) && !self.is_first_spent() {
                continue;
            }
            if self.keeps_another() {
                self.list.push(problem);
            }
        }
    }

    /// All of them, in order of their offsets. Where the limit cut the list, a last problem says how many are missing.
    pub fn into_vec(mut self) -> Vec<Problem> {
        self.list.sort_by_key(|problem| problem.offset);
        if self.beyond > 0 {
            let message = format!("{} further problems, beyond the limit for one asset", self.beyond);
            let (severity, code) = (Severity::Error, Code::Limit);
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
        let mut problems = Problems::new(&Limits { problems: 2, ..Limits::default() });
        for offset in [9, 5, 1] {
            problems.error(&Error::malformed("odd").at(offset));
        }
        let list = problems.into_vec();
        assert_eq!(list.iter().map(|p| p.offset).collect::<Vec<_>>(), [Some(5), Some(9), None]);
        assert_eq!(list[2].message, "1 further problems, beyond the limit for one asset");
    }
}
