//! The result of an export, and the parts of the model that it lacks.

use std::io::Write as _;

use meshpeek::budget::Reservation;
use meshpeek::export::{Flaw, Model};
use meshpeek::inspect::Depth;
use meshpeek::summary::{Problem, Problems, Severity};
use meshpeek::{Asset, Budget, Inspect};

use crate::args::Common;
use crate::failure::Failure;
use crate::limits::with_flag;
use crate::output::Output;
use crate::report::count;

/// The result of exporting a model or texture.
pub(super) enum Written {
    Model(Model),
    Png {
        png: Vec<u8>,
        /// The number of parts that cannot be read.
        unreadable: u64,
        /// The number of see-through triangles in the order of the file.
        unsorted: u64,
        flaw: Option<Flaw>,
    },
}

impl Written {
    /// Returns true if it is a model without triangles.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Model(model) => model.is_empty,
            Self::Png { .. } => false,
        }
    }

    /// Writes the file.
    pub(super) fn save(&self, common: &Common) -> Result<(), Failure> {
        let mut out = Output::data(common)?;
        // Their size is bounded where they are built.
        match self {
            Self::Model(model) => {
                common.results.read(model.byte_len());
                model.write_to(&mut out)?;
            }
            Self::Png { png, .. } => {
                common.results.read(png.len() as u64);
                out.write_all(png)?;
            }
        }
        out.flush()?;
        Ok(())
    }

    pub(super) fn flaw(&self) -> Option<Flaw> {
        match self {
            Self::Model(_) => None,
            Self::Png { flaw, .. } => *flaw,
        }
    }

    /// The parts of the model that are missing from the result, and why.
    pub(super) fn lost(&self, errors: &[Problem]) -> Vec<String> {
        let unreadable = match self {
            Self::Model(model) => model.unreadable,
            Self::Png { unreadable, .. } => *unreadable,
        };
        let left_out = match self {
            Self::Model(model) => model.left_out,
            Self::Png { .. } => 0,
        };
        let mut lost = Vec::new();
        if let Some(flaw) = self.flaw()
            && flaw != Flaw::Dark
        {
            lost.push(flaw.to_string());
        }
        if left_out > 0 {
            lost.push(format!("{} left out with a corner that does not exist", count(left_out, "triangles")));
        }
        if unreadable > 0 {
            lost.push(format!("{} left out that cannot be read", count(unreadable, "parts")));
        }
        match errors {
            [] => {}
            [only] => lost.push(with_flag(&only.message, only.code)),
            [first, more @ ..] => {
                let more = count(more.len() as u64, "errors");
                let first = with_flag(&first.message, first.code);
                lost.push(format!("{first} (and {more} more; verify lists them)"));
            }
        }
        lost
    }
}

/// The errors of an asset: the parts that an export lacks.
pub(super) fn errors(asset: &Asset<'_>, depth: Depth, budget: &Budget) -> Vec<Problem> {
    let room = Reservation::new(budget);
    let mut problems = Problems::within(room.budget().clone());
    asset.survey(depth, &mut problems);
    problems.into_vec().into_iter().filter(|problem| problem.severity == Severity::Error).collect()
}

#[cfg(test)]
mod tests {
    use meshpeek::Error;

    use super::*;

    /// A dark picture lacks nothing; all else that is missing is said, with its count.
    #[test]
    fn what_a_picture_lacks_is_said_once_each() {
        let problem = |name: &str| Problem::error(&Error::malformed(name.to_owned()));
        let flaws = [
            (None, None),
            (Some(Flaw::Dark), None),
            (Some(Flaw::Faint), Some(Flaw::Faint.to_string())),
            (Some(Flaw::Empty), Some(Flaw::Empty.to_string())),
        ];
        let parts = [
            (0, None),
            (1, Some("1 part left out that cannot be read")),
            (1000, Some("1,000 parts left out that cannot be read")),
        ];
        let errors = [
            (vec![], None),
            (vec!["one"], Some("one")),
            (vec!["one", "two"], Some("one (and 1 error more; verify lists them)")),
            (vec!["two", "one", "two"], Some("two (and 2 errors more; verify lists them)")),
        ];
        for (flaw, of_flaw) in &flaws {
            for (unreadable, of_parts) in parts {
                for (errors, of_errors) in &errors {
                    let problems: Vec<Problem> = errors.iter().map(|name| problem(name)).collect();
                    // Triangles that were not sorted are there.
                    let written = Written::Png { png: Vec::new(), unreadable, unsorted: 5, flaw: *flaw };
                    let mut expected: Vec<String> = of_flaw.iter().cloned().collect();
                    expected.extend(of_parts.map(str::to_owned));
                    expected.extend(of_errors.map(str::to_owned));
                    assert_eq!(written.lost(&problems), expected, "{flaw:?} {unreadable} {errors:?}");
                }
            }
        }
    }
}
