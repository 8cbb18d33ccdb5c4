//! Differences for tests.

use std::path::Path;
use std::sync::Arc;

use meshpeek::diff::{Change, Difference, Options, Side, compare};
use meshpeek::summary::Name;
use meshpeek::{Budget, Limits};

pub(super) const CHANGES: [Change; 5] =
    [Change::Removed, Change::Added, Change::Changed, Change::Moved, Change::Unread];

pub(super) fn name(text: &str) -> Option<Arc<Name>> {
    if text.is_empty() { None } else { Some(Arc::new(Name::from(Path::new(text)))) }
}

/// A difference of this kind at this place.
pub(super) fn difference(change: Change, path: &str, member: &str, place: &str) -> Difference {
    // An archive without members, and one with an empty member.
    let end = vec![0; 21];
    let one = [&b"a"[..], &end, &end].concat();
    let budget = Budget::new(100, &Limits::default());
    let file = Path::new("x.pbo");
    let side = |data| Side::new(file, data, &budget);
    let mut found = None;
    compare(side(&end), side(&one), &Options::default(), &mut |difference| found = Some(difference)).unwrap();
    let mut found = found.unwrap();
    found.change = change;
    (found.path, found.member) = (name(path), name(member));
    found.place = place.to_owned();
    (found.to, found.label, found.values, found.rows) = (None, None, None, None);
    found
}
