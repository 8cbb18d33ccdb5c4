//! Equal problems of many members.

use crate::base::error::{Context as _, Error};
use crate::base::text::ByteStr;
use crate::check::grouped;
use crate::summary::Problems;

/// Counts the members that have a problem, and reports the first one of each kind.
#[derive(Default)]
pub(crate) struct Alike(Vec<Kind>);

struct Kind {
    name: String,
    first: usize,
    offset: u64,
    message: String,
    count: u64,
}

impl Alike {
    /// Adds a problem of this kind for the member with this index and offset.
    pub(crate) fn add(&mut self, name: &str, at: (usize, u64), message: impl FnOnce() -> String) {
        match self.0.iter_mut().find(|kind| kind.name == name) {
            Some(kind) => kind.count = kind.count.saturating_add(1),
            None => {
                self.0.push(Kind { name: name.to_owned(), first: at.0, offset: at.1, message: message(), count: 1 })
            }
        }
    }

    /// Adds the problem of a name that is no relative path.
    pub(crate) fn add_name(&mut self, name: ByteStr<'_>, at: (usize, u64)) {
        if let Err(error) = name.check_relative_path() {
            let message = error.message();
            self.add(&message, at, || message.clone());
        }
    }

    /// Reports each kind as a warning at its first member.
    pub(crate) fn report(self, problems: &mut Problems) {
        for Kind { first, offset, message, count, .. } in self.0 {
            let more = if count > 1 { format!(" (first of {} such members)", grouped(count)) } else { String::new() };
            problems.warning(&Error::malformed(message + &more).at(offset).within_item("members", first));
        }
    }
}
