//! The names of the files that differ.

use std::sync::Arc;

use meshpeek::address::MemberPath;
use meshpeek::diff::Difference;
use meshpeek::summary::Name;

/// The text of a path or member.
pub(super) fn text(name: Option<&Arc<Name>>) -> Option<&str> {
    Some(&name?.text)
}

/// The path and member of a difference.
pub(super) fn name_of_file(difference: &Difference) -> String {
    match (&difference.path, &difference.member) {
        (Some(path), member) => MemberPath::join_text(&path.text, text(member.as_ref())),
        (None, Some(member)) => member.text.clone(),
        (None, None) => String::new(),
    }
}
