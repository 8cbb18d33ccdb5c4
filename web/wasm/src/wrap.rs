//! Line breaks for the program's code for reports: none, because the browser breaks lines.

use meshpeek::address::MemberPath;

/// Where the lines after the first start.
pub(crate) const HANG: &str = "";

pub(crate) fn held(name: &str) -> String {
    name.to_owned()
}

pub(crate) fn held_address(archive: &str, member: &str) -> String {
    MemberPath::join_text(archive, Some(member))
}
