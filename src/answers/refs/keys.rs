//! Keys for looking up and comparing names.

use std::hash::{BuildHasher, DefaultHasher, Hasher, RandomState};
use std::path::{Path, is_separator};

use crate::asset::address::MemberPath;
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

pub(super) fn address(path: &Path, member: Option<&Name>) -> Name {
    let file = Name::from(path);
    match member {
        Some(member) => MemberPath::join(Some(&file), member.clone()),
        None => file,
    }
}

/// The key of the path of a folder or file.
pub(super) fn path_key(hash: &RandomState, path: &Path) -> Key {
    let mut bytes = path.as_os_str().as_encoded_bytes();
    while let [rest @ .., last] = bytes
        && is_separator((*last).into())
        && !rest.is_empty()
    {
        bytes = rest;
    }
    let mut hasher = hash.build_hasher();
    write(&mut hasher, bytes);
    hasher.finish()
}

/// The keys of the folders around a file, outermost first. The key of a folder is the hash of the path up to its end. A
/// path may have thousands of folders, so one hasher takes it piece by piece, and says its hash at each separator.
pub(super) fn folders_around(hash: &RandomState, file: &Path) -> Vec<Key> {
    let bytes = file.as_os_str().as_encoded_bytes();
    let mut hasher = hash.build_hasher();
    let mut keys = Vec::new();
    if !file.has_root() {
        // The current folder has no name.
        keys.push(hasher.finish());
    }
    let mut start = 0;
    let mut was_separator = false;
    for (place, byte) in bytes.iter().enumerate() {
        let follows_separator = was_separator;
        was_separator = is_separator((*byte).into());
        if !was_separator {
            continue;
        }
        // The path of the root is its separator. The path of any other folder ends before its separator.
        let end = place.max(1);
        // The name of a folder, with the separator before it if there is one.
        let piece = bytes.get(start..end).unwrap_or_default();
        write(&mut hasher, piece);
        if !follows_separator {
            keys.push(hasher.finish());
        }
        start = end;
    }
    keys
}

/// On Windows, a path may be written with either separator and in any case.
fn write(hasher: &mut DefaultHasher, bytes: &[u8]) {
    if cfg!(windows) {
        for byte in bytes {
            hasher.write_u8(if *byte == b'\\' { b'/' } else { byte.to_ascii_lowercase() });
        }
    } else {
        hasher.write(bytes);
    }
}

/// The key of a folder: its folded path with a separator at the end, below a place with this key.
pub(super) fn folder_key(hash: &RandomState, place: Key, folder: &str) -> Key {
    hash.hash_one((place, key(hash, folder)))
}

/// The key of a file with this folded name in the folder with this key.
pub(super) fn key_in_folder(hash: &RandomState, folder: Key, name: &str) -> Key {
    hash.hash_one((folder, key(hash, name)))
}

/// The folded path of the folder around, with the separator at its end.
pub(super) fn folder_of(path: &str) -> &str {
    path.strip_suffix(last(path)).unwrap_or_default()
}

/// The last component of a folded path.
pub(super) fn last(path: &str) -> &str {
    path.rsplit('\\').next().unwrap_or_default()
}

/// The last component without its extension.
pub(super) fn stem(path: &str) -> &str {
    let last = last(path);
    match last.rsplit_once('.') {
        Some((stem, _)) => stem,
        None => last,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folders_around_a_file_have_the_keys_of_the_folders() {
        let hash = RandomState::new();
        for (file, folders) in [
            ("x", &[""][..]),
            ("a/x", &["", "a"]),
            ("a/bc/d/x", &["", "a", "a/bc/", "a/bc/d"]),
            ("./a/x", &["", ".", "./a//"]),
            ("a//b/x", &["", "a//", "a//b"]),
            ("/x", &["/"]),
            ("/a/b/x", &["/", "/a", "/a/b"]),
        ] {
            let expected: Vec<Key> = folders.iter().map(|folder| path_key(&hash, Path::new(folder))).collect();
            assert_eq!(folders_around(&hash, Path::new(file)), expected, "{file}");
        }
    }

    #[test]
    fn a_folded_path_is_its_folder_and_its_last_part() {
        for (path, folder, name, bare) in [
            ("", "", "", ""),
            ("x", "", "x", "x"),
            ("x.paa", "", "x.paa", "x"),
            (r"a\x.paa", r"a\", "x.paa", "x"),
            (r"a.b\c\x.y.paa", r"a.b\c\", "x.y.paa", "x.y"),
            (r"a.b\x", r"a.b\", "x", "x"),
            (r"x\x", r"x\", "x", "x"),
            (r"a\", r"a\", "", ""),
            (".paa", "", ".paa", ""),
            ("x.", "", "x.", "x"),
        ] {
            assert_eq!((folder_of(path), last(path), stem(path)), (folder, name, bare), "{path}");
        }
    }

    #[test]
    fn the_key_of_a_path_has_no_separators_at_its_end_and_tells_all_else() {
        let hash = RandomState::new();
        let path = |text: &str| path_key(&hash, Path::new(text));
        for (a, b, is_same) in [
            ("a", "a/", true),
            ("a/b", "a/b//", true),
            ("/", "/", true),
            ("/", "//", true),
            ("", "/", false),
            ("a", "/a", false),
            ("a", "A", cfg!(windows)),
            ("a/b", r"a\b", cfg!(windows)),
            ("a/b", "ab", false),
            ("./a", "a", false),
        ] {
            assert_eq!(path(a) == path(b), is_same, "{a} {b}");
        }
        // A text in two parts has the key of the whole, and that of a folder depends on where it is.
        for end in 0..=4 {
            let mut begun = hash.build_hasher();
            begun.write(&b"abcd"[..end]);
            assert_eq!(after(&begun, &"abcd"[end..]), key(&hash, "abcd"));
        }
        let places = [(1, ""), (1, r"a\"), (2, ""), (2, r"a\")].map(|(place, folder)| folder_key(&hash, place, folder));
        for (number, &folder) in places.iter().enumerate() {
            assert_eq!(places.iter().position(|&other| other == folder), Some(number));
            assert_ne!(key_in_folder(&hash, folder, "x"), key_in_folder(&hash, folder, "y"));
        }
    }
}
