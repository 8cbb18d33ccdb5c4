//! What the program's words about a file need to break lines: nothing, because the browser breaks them.

use meshpeek::address::MemberPath;

/// Where the lines after the first start.
pub(crate) const HANG: &str = "";

pub(crate) fn held(name: &str) -> String {
    name.to_owned()
}

pub(crate) fn held_address(archive: &str, member: &str) -> String {
    MemberPath::join_text(archive, Some(member))
}
