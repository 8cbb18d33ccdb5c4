//! The error because of which an array might be missing.

use super::steps::Selector;
use crate::base::error::{Context as _, Error};
use crate::base::format::Format;
use crate::inspect::{Depth, Inspect, outline_within_limits};
use crate::outline::{Part, Visitor, Wants};
use crate::summary::{Problem, Problems, Severity};

/// Returns the first error because of which an array of this part might be missing. `part` is empty for an array of the
/// asset itself.
pub(super) fn first_error(asset: &dyn Inspect, part: &str) -> Option<Error> {
    let hidden = Hidden { part, format: asset.format() };
    let mut first = FirstError { hidden, around: Vec::new(), error: None };
    outline_within_limits(asset, &mut first);
    if first.error.is_some() {
        return first.error;
    }
    // Some errors are not part of an outline, such as those of a trailer that nothing depends on.
    let mut problems = Problems::new(&asset.limits());
    asset.survey(Depth::Summary, &mut problems);
    let problem = problems.into_vec().into_iter().find(|problem| hidden.is_hidden_by_problem(problem))?;
    let error = Error::malformed(problem.message).coded(problem.code);
    Some(match problem.offset {
        Some(offset) => error.at(offset),
        None => error,
    })
}

/// A part of which an array might be missing because of an error.
#[derive(Clone, Copy)]
struct Hidden<'p> {
    /// Its selector.
    part: &'p str,
    format: Format,
}

impl Hidden<'_> {
    /// Returns true if an error at this place, as a selector, might be why the array is missing. The error is in the part
    /// or around it, or of the asset itself.
    fn is_hidden_by(self, place: &str) -> bool {
        // One word is a field of the asset, such as `length`, which ends everything in it.
        let is_of_asset = !place.contains('/');
        is_of_asset || is_inside(place, self.part) || is_inside(self.part, place) || self.is_in_tree_with(place)
    }

    /// Returns true if the part and the place are in one tree of the file, in which an error hides all that follows, though
    /// an outline has its parts in several lists.
    fn is_in_tree_with(self, place: &str) -> bool {
        let is_in_tree = |path: &str| {
            let list = path.split('/').next();
            matches!(list, Some("nodes" | "meshes" | "bones" | "unknown_chunks"))
        };
        self.format == Format::B3d && is_in_tree(self.part) && is_in_tree(place)
    }

    /// Returns true if the array might be missing because of this problem of a summary.
    fn is_hidden_by_problem(self, problem: &Problem) -> bool {
        let place = match problem.message.split_once(": ") {
            Some((location, _)) => selector_of(location),
            None => String::new(),
        };
        // An error in the trailer of an ODOL model is a warning, because no LOD depends on it.
        let is_error = problem.severity == Severity::Error || place.starts_with("trailer/");
        is_error && self.is_hidden_by(&place)
    }
}

/// Returns the selector of the location of an error, or an empty one if it is none.
fn selector_of(mut location: &str) -> String {
    // The text in parentheses is a position in an unpacked table.
    if let Some((before, _)) = location.split_once(" (") {
        location = before;
    }
    match location.parse::<Selector>() {
        Ok(selector) => selector.to_string(),
        Err(_) => String::new(),
    }
}

/// Keeps the first error because of which an array might be missing.
struct FirstError<'p> {
    hidden: Hidden<'p>,
    /// The name and the index of each open part.
    around: Vec<(&'static str, Option<usize>)>,
    error: Option<Error>,
}

impl FirstError<'_> {
    /// Returns an error of the part opened last with its location in the asset.
    fn located(&self, error: &Error) -> Error {
        let mut error = error.clone();
        let Some((outermost, _)) = self.around.first() else { return error };
        if error.first_list() == Some(*outermost) {
            return error;
        }
        for (name, index) in self.around.iter().rev() {
            error = match index {
                Some(index) => error.within_item(name, *index),
                None => error.within(name),
            };
        }
        error
    }
}

impl Visitor for FirstError<'_> {
    fn wants(&self) -> Wants {
        Wants { arrays: false, more: self.error.is_none(), ..Wants::default() }
    }

    fn open(&mut self, part: &Part<'_>) -> bool {
        if self.error.is_some() {
            return false;
        }
        self.around.push((part.name, part.index));
        true
    }

    fn close(&mut self) {
        self.around.pop();
    }

    fn problem(&mut self, error: &Error) {
        let error = self.located(error);
        // What has ended the work hides all that would follow.
        let is_hidden = error.is_spent() || self.hidden.is_hidden_by(&selector_of(&error.location()));
        if self.error.is_none() && is_hidden {
            self.error = Some(error);
        }
    }
}

/// Returns true if a selector leads to a part or into it.
fn is_inside(selector: &str, part: &str) -> bool {
    match selector.strip_prefix(part) {
        Some(rest) => rest.is_empty() || part.is_empty() || rest.starts_with('/'),
        None => false,
    }
}
