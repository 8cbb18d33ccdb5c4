//! The error because of which an array may not be found.

use super::path::Path;
use super::steps::Selector;
use crate::base::error::{Context as _, Error};
use crate::inspect::{Depth, Inspect, outline_within_limits};
use crate::outline::{Part, Visitor, Wants};
use crate::summary::{Problem, Problems, Severity};

/// Returns the first error because of which an array in this part may not be found. `part` is empty for an array of the
/// asset itself.
pub(super) fn first_error(asset: &dyn Inspect, part: &str) -> Option<Error> {
    let mut first = FirstError { part, path: Path::default(), around: Vec::new(), error: None };
    outline_within_limits(asset, &mut first);
    if first.error.is_some() {
        return first.error;
    }
    // Some errors are not part of an outline, such as those of a trailer that nothing depends on.
    let mut problems = Problems::new(&asset.limits());
    asset.survey(Depth::Summary, &mut problems);
    let problem = problems.into_vec().into_iter().find(|problem| may_hide(problem, part))?;
    let error = Error::malformed(problem.message).coded(problem.code);
    Some(match problem.offset {
        Some(offset) => error.at(offset),
        None => error,
    })
}

/// Returns true if an array in this part may not be found because of this problem.
fn may_hide(problem: &Problem, part: &str) -> bool {
    let is_error = problem.severity == Severity::Error;
    if part.is_empty() {
        return is_error;
    }
    let Some((place, _)) = problem.message.split_once(": ") else { return false };
    let Ok(place) = place.parse::<Selector>() else { return false };
    let place = place.to_string();
    // A single word is a field of the asset, such as the length of everything in it.
    let is_of_asset = !place.contains('/');
    is_inside(&place, part) || is_error && is_of_asset
}

/// Keeps the first error of the asset itself, or inside a part.
struct FirstError<'p> {
    /// The selector of the part.
    part: &'p str,
    path: Path,
    /// The name and the index of each open part.
    around: Vec<(&'static str, Option<usize>)>,
    error: Option<Error>,
}

impl Visitor for FirstError<'_> {
    fn wants(&self) -> Wants {
        Wants { arrays: false, more: self.error.is_none(), ..Wants::default() }
    }

    fn open(&mut self, part: &Part<'_>) -> bool {
        self.path.open(part);
        let path = self.path.as_str();
        let is_wanted = self.error.is_none() && (is_inside(path, self.part) || is_inside(self.part, path));
        if is_wanted {
            self.around.push((part.name, part.index));
        } else {
            self.path.close();
        }
        is_wanted
    }

    fn close(&mut self) {
        self.path.close();
        self.around.pop();
    }

    fn problem(&mut self, error: &Error) {
        // An error at the end of the work hides all that comes after it.
        let is_of_asset = self.around.is_empty() || error.is_spent();
        if self.error.is_some() || !is_of_asset && !is_inside(self.path.as_str(), self.part) {
            return;
        }
        let mut error = error.clone();
        // A location that starts with an item is relative to the asset, and any other to the part opened last.
        if !error.starts_with_item() {
            for (name, index) in self.around.iter().rev() {
                error = match index {
                    Some(index) => error.within_item(name, *index),
                    None => error.within(name),
                };
            }
        }
        self.error = Some(error);
    }
}

/// Returns true if a selector leads to a part or into it.
fn is_inside(selector: &str, part: &str) -> bool {
    match selector.strip_prefix(part) {
        Some(rest) => rest.is_empty() || part.is_empty() || rest.starts_with('/'),
        None => false,
    }
}
