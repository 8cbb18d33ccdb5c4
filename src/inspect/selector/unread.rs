//! Finds the error that may be why an array is missing.

use super::steps::Selector;
use crate::base::code::Code;
use crate::base::error::{Context as _, Error};
use crate::base::format::Format;
use crate::base::stop;
use crate::inspect::{Inspect, outline_within_limits};
use crate::outline::{Part, Visitor, Wants};
use crate::summary::{Problem, Severity};

/// Returns the first error that may hide an array of this part. `part` is empty for an array of the asset itself.
pub(super) fn first_error(asset: &dyn Inspect, part: &str) -> Option<Error> {
    let searched = Searched { part, format: asset.format() };
    let mut first = FirstError { searched, open_parts: Vec::new(), error: None };
    outline_within_limits(asset, &mut first);
    if first.error.is_some() {
        return first.error;
    }
    // Some errors are not part of an outline: those of a trailer that nothing depends on, of stopped work, or of a file
    // that was cut while it was read.
    let problems = asset.summarize().problems;
    let problem = problems.into_iter().find(|problem| searched.may_lack_for_problem(problem))?;
    if problem.code == Code::Cancelled {
        return Some(stop::error());
    }
    let error = Error::malformed(problem.message).coded(problem.code);
    Some(match problem.offset {
        Some(offset) => error.at(offset),
        None => error,
    })
}

/// The part in which an array is missing.
#[derive(Clone, Copy)]
struct Searched<'p> {
    /// Its selector.
    part: &'p str,
    format: Format,
}

impl Searched<'_> {
    /// Returns true if an error at this place, as a selector, may hide the array.
    fn may_lack_for(self, place: &str) -> bool {
        // A place of one word is a field of the asset, such as `length`, and an empty one is unknown. Both may hide any part.
        let is_of_asset = !place.contains('/');
        let is_of_tree = self.format == Format::B3d && is_in_tree(self.part) && is_in_tree(place);
        is_of_asset || is_of_tree || is_inside(place, self.part) || is_inside(self.part, place)
    }

    /// Returns true if this problem of a summary may hide the array.
    fn may_lack_for_problem(self, problem: &Problem) -> bool {
        // The message starts with the location, because a problem has none of its own.
        let place = match problem.message.split_once(": ") {
            Some((location, _)) => selector_of(location),
            None => String::new(),
        };
        // An error in the trailer of an ODOL model is a warning, because no LOD depends on it.
        let is_error = problem.severity == Severity::Error || is_inside(&place, "trailer");
        is_error && self.may_lack_for(&place)
    }
}

/// Returns true if the selector leads into the tree of a Blitz3D scene. An error in it hides all that follows, though an
/// outline has its parts in several lists.
fn is_in_tree(selector: &str) -> bool {
    let list = selector.split('/').next();
    matches!(list, Some("nodes" | "meshes" | "bones" | "unknown_chunks"))
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

/// Keeps the first error that may hide the array.
struct FirstError<'p> {
    searched: Searched<'p>,
    /// The name and the index of each open part.
    open_parts: Vec<(&'static str, Option<usize>)>,
    error: Option<Error>,
}

impl FirstError<'_> {
    /// Returns an error of the part opened last with its location in the asset.
    fn located(&self, error: &Error) -> Error {
        let mut error = error.clone();
        let Some((outermost, _)) = self.open_parts.first() else { return error };
        // A location that starts with this list is already relative to the asset.
        if error.first_list() == Some(*outermost) {
            return error;
        }
        for (name, index) in self.open_parts.iter().rev() {
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
        self.open_parts.push((part.name, part.index));
        true
    }

    fn close(&mut self) {
        self.open_parts.pop();
    }

    fn problem(&mut self, error: &Error) {
        if self.error.is_some() {
            return;
        }
        let error = self.located(error);
        let place = selector_of(&error.location());
        // What ends the work hides all that would follow.
        if error.is_spent() || self.searched.may_lack_for(&place) {
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
