//! Faults of one kind, reported as one problem: the first of them, and their number.

use std::fmt::Display;

use crate::base::amount::Amount;
use crate::base::code::Code;
use crate::base::error::{Context as _, Error, Segment};
use crate::base::text::ByteStr;
use crate::check::words::{grouped, severity};
use crate::summary::Problems;

/// The first fault of a kind, and the number of all.
pub(super) struct Fault {
    pub(super) code: Code,
    offset: u64,
    message: String,
    path: Vec<Segment>,
    count: Amount<u64>,
}

impl Fault {
    /// Creates the first fault of its kind.
    pub(super) fn new(code: Code, path: Vec<Segment>, offset: u64, message: String) -> Self {
        Self { code, offset, message, path, count: Amount(1) }
    }

    /// Counts another fault of this kind.
    pub(super) fn again(&mut self) {
        self.count += 1;
    }

    /// Reports all of them. `what` follows their number.
    pub(super) fn report(self, what: &str, problems: &mut Problems) {
        let severity = severity(self.code);
        if problems.keeps_another(severity) {
            problems.add(severity, &self.error(what));
        }
    }

    /// Creates the error of the first fault, with the number of all.
    fn error(self, what: &str) -> Error {
        let mut message = self.message;
        if self.count.0 > 1 {
            message += &format!(" (first of {}{what})", grouped(self.count.0));
        }
        let mut error = Error::malformed(message).coded(self.code).at(self.offset);
        // An error gets the innermost part first.
        for (name, index) in self.path.into_iter().rev() {
            error = error.within_segment(name, index);
        }
        error
    }
}

/// Collects the faults of one kind.
#[derive(Default)]
pub(crate) struct Faults(Option<Fault>);

impl Faults {
    /// Adds a fault at this path and offset.
    pub(crate) fn add(&mut self, code: Code, path: &[Segment], offset: u64, message: impl Display) {
        match &mut self.0 {
            Some(fault) => fault.again(),
            None => self.0 = Some(Fault::new(code, path.to_vec(), offset, message.to_string())),
        }
    }

    /// Reports them as one problem.
    pub(crate) fn report(self, problems: &mut Problems) {
        if let Some(fault) = self.0 {
            fault.report("", problems);
        }
    }
}

/// Collects the faults of the members of an archive, by kind.
#[derive(Default)]
pub(crate) struct Alike(Vec<(String, Fault)>);

impl Alike {
    /// Adds a fault of this kind for the member with this index and offset.
    pub(crate) fn add(&mut self, kind: &str, (index, offset): (usize, u64), message: impl Display) {
        for (known, fault) in &mut self.0 {
            if known == kind {
                return fault.again();
            }
        }
        let path = vec![("members", Some(index))];
        self.0.push((kind.to_owned(), Fault::new(Code::Suspicious, path, offset, message.to_string())));
    }

    /// Adds the fault of a name that is no relative path, of the member with the index and offset `at`.
    pub(crate) fn add_name(&mut self, name: ByteStr<'_>, at: (usize, u64)) {
        if let Err(error) = name.check_relative_path() {
            let message = error.message();
            self.add(&message, at, format_args!("{}: {message}", name.in_message()));
        }
    }

    /// Reports each kind as a warning at its first member.
    pub(crate) fn report(self, problems: &mut Problems) {
        for (_, fault) in self.0 {
            fault.report(" such members", problems);
        }
    }
}
