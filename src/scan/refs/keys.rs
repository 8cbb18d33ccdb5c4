//! Keys for looking up and comparing names.

use std::hash::{BuildHasher, DefaultHasher, Hasher, RandomState};
use std::path::Path;

use crate::asset::address::{join, unnumbered};
use crate::base::text::Name;

/// The key of a name: the hash of the folded text. Without the key, nobody can construct two texts of one hash,
/// and a random collision is too rare to matter.
pub(super) type Key = u64;

pub(super) fn key(hash: &RandomState, folded: &str) -> Key {
    after(&hash.build_hasher(), folded)
}

/// The key of the text so far plus this text after it.
pub(super) fn after(begun: &DefaultHasher, folded: &str) -> Key {
    let mut hasher = begun.clone();
    // Hash without the length or an end mark, so that a text in two parts has the key of the whole.
    hasher.write(folded.as_bytes());
    hasher.finish()
}

/// The innermost name.
pub(super) fn name_of<'n>(path: &'n Path, member: Option<&'n Name>) -> &'n Path {
    member.map_or(path, |member| Path::new(unnumbered(&member.text)))
}

pub(super) fn address(path: &Path, member: Option<&Name>) -> Name {
    let file = Name::from(path);
    member.map_or(file.clone(), |member| join(Some(&file), member.clone()))
}

/// The last component of a folded path.
pub(super) fn last(path: &str) -> &str {
    path.rsplit('\\').next().unwrap_or_default()
}

/// The last component without its extension.
pub(super) fn stem(path: &str) -> &str {
    let last = last(path);
    last.rsplit_once('.').map_or(last, |(stem, _)| stem)
}
