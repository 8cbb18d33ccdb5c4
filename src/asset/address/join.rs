//! Joins and splits the names of an address.

use crate::base::text::Name;

/// Returns the path of a member: its name after the path of the archive that it is in, if that is a member itself.
pub fn join(archive: Option<&Name>, name: Name) -> Name {
    match archive {
        Some(archive) => Name { text: join_text(&archive.text, Some(&name.text)), lossy: archive.lossy || name.lossy },
        None => name,
    }
}

/// Returns the address of a member, or of a file if there is none, as text.
///
/// ```
/// # use meshpeek::address::join_text;
/// assert_eq!(join_text("mods.zip", Some("a.pbo!/tree.p3d")), "mods.zip!/a.pbo!/tree.p3d");
/// assert_eq!(join_text("tree.p3d", None), "tree.p3d");
/// ```
pub fn join_text(file: &str, member: Option<&str>) -> String {
    match member {
        Some(member) => format!("{file}!/{member}"),
        None => file.to_owned(),
    }
}

/// Splits an address or the path of a member before its last name. Returns `None` as the first part if it is one name.
///
/// ```
/// # use meshpeek::address::split_last;
/// assert_eq!(split_last("mods.zip!/a.pbo!/tree.p3d"), (Some("mods.zip!/a.pbo"), "tree.p3d"));
/// assert_eq!(split_last("tree.p3d"), (None, "tree.p3d"));
/// ```
pub fn split_last(text: &str) -> (Option<&str>, &str) {
    match text.rsplit_once("!/") {
        Some((archive, name)) => (Some(archive), name),
        None => (None, text),
    }
}
