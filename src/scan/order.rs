//! The order of paths and members in sorted results: by their bytes, on all systems.

use std::cmp::Ordering;
use std::path::Path;

/// Adds bytes to a key that sorts a path and its members: by the bytes of the path, then the file before its members,
/// then by the bytes of their names. On Windows, a `\` in the path sorts as `/`. No such key is the beginning of another.
///
/// ```
/// # use meshpeek::scan::add_sort_key;
/// # use std::path::Path;
/// let key = |path: &str, member| {
///     let mut key = Vec::new();
///     add_sort_key(&mut key, Path::new(path), member);
///     key
/// };
/// assert!(key("a-b.pbo", None) < key("a.pbo", None));
/// assert!(key("a.pbo", None) < key("a.pbo", Some("x")));
/// assert!(key("a.pbo", Some("x")) < key("a.pbo.zip", None));
/// ```
pub fn add_sort_key(key: &mut Vec<u8>, path: &Path, member: Option<&str>) {
    let start = key.len();
    add_escaped(key, path.as_os_str().as_encoded_bytes());
    if cfg!(windows) {
        for byte in key.iter_mut().skip(start) {
            if *byte == b'\\' {
                *byte = b'/';
            }
        }
    }
    key.push(0);
    match member {
        None => key.push(0),
        Some(member) => {
            key.push(1);
            add_escaped(key, member.as_bytes());
            key.extend([0, 0]);
        }
    }
}

/// Adds bytes in which a zero, which ends a text, is followed by the largest byte.
fn add_escaped(key: &mut Vec<u8>, bytes: &[u8]) {
    let mut rest = bytes;
    while let Some(zero) = memchr::memchr(0, rest) {
        let (before, after) = rest.split_at(zero);
        key.extend_from_slice(before);
        key.extend([0, 0xff]);
        rest = after.get(1..).unwrap_or_default();
    }
    key.extend_from_slice(rest);
}

/// The parts of a [key](add_sort_key), and the bytes after it.
pub(crate) struct SortKey<'k> {
    /// The bytes of the path.
    pub(crate) path: Vec<u8>,
    pub(crate) member: Option<String>,
    pub(crate) rest: &'k [u8],
}

impl<'k> SortKey<'k> {
    /// Reads the key at the start of these bytes. Returns `None` if there is none.
    pub(crate) fn read(bytes: &'k [u8]) -> Option<Self> {
        let (path, rest) = escaped(bytes)?;
        match rest {
            [0, rest @ ..] => Some(Self { path, member: None, rest }),
            [1, rest @ ..] => {
                let (member, rest) = escaped(rest)?;
                let member = Some(String::from_utf8(member).ok()?);
                Some(Self { path, member, rest: rest.strip_prefix(&[0])? })
            }
            _ => None,
        }
    }
}

/// The text until the zero that ends it, and the bytes after that.
fn escaped(bytes: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut text = Vec::new();
    let mut rest = bytes;
    loop {
        let (before, after) = rest.split_at_checked(memchr::memchr(0, rest)?)?;
        text.extend_from_slice(before);
        match after {
            [_, 0xff, after @ ..] => {
                text.push(0);
                rest = after;
            }
            [_, after @ ..] => return Some((text, after)),
            [] => return None,
        }
    }
}

/// Compares two paths as their [keys](add_sort_key) do.
pub(crate) fn by_bytes(a: &Path, b: &Path) -> Ordering {
    let [a, b] = [a, b].map(|path| path.as_os_str().as_encoded_bytes());
    if cfg!(windows) {
        let folded = |byte: &u8| if *byte == b'\\' { b'/' } else { *byte };
        return a.iter().map(folded).cmp(b.iter().map(folded));
    }
    a.cmp(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(path: &str, member: Option<&str>) -> Vec<u8> {
        let mut key = b"before".to_vec();
        add_sort_key(&mut key, Path::new(path), member);
        key
    }

    #[test]
    fn keys_sort_as_paths_and_members_do() {
        let names =
            ["", "\0", "\0\0", "\0a", "\x01", "-", "a", "a\0", "a\0b", "a!", "a-b", "a.b", "a/b", "aa", "\u{fffd}"];
        let members = || [None].into_iter().chain(names.map(Some));
        let all: Vec<(&str, Option<&str>)> =
            names.into_iter().flat_map(|path| members().map(move |member| (path, member))).collect();
        for &(a, in_a) in &all {
            for &(b, in_b) in &all {
                let expected = a.as_bytes().cmp(b.as_bytes()).then(in_a.cmp(&in_b));
                assert_eq!(key(a, in_a).cmp(&key(b, in_b)), expected, "{a:?} {in_a:?}, {b:?} {in_b:?}");
                assert_eq!(by_bytes(Path::new(a), Path::new(b)), a.as_bytes().cmp(b.as_bytes()));
                let is_start = key(a, in_a).starts_with(&key(b, in_b));
                assert_eq!(is_start, (a, in_a) == (b, in_b), "{a:?} {in_a:?}, {b:?} {in_b:?}");
            }
            let whole = [&key(a, in_a), &b"after"[..]].concat();
            let read = SortKey::read(whole.strip_prefix(b"before").unwrap()).unwrap();
            let expected = (a.as_bytes(), in_a, &b"after"[..]);
            assert_eq!((read.path.as_slice(), read.member.as_deref(), read.rest), expected);
        }
    }

    #[cfg(windows)]
    #[test]
    fn both_separators_sort_as_one() {
        assert_eq!(key(r"a\b", None), key("a/b", None));
        assert_eq!(by_bytes(Path::new(r"a\b"), Path::new("a/b")), Ordering::Equal);
    }

    #[test]
    fn a_key_that_is_cut_is_none() {
        for path in ["", "a", "a\0", "\0\0b"] {
            for member in [None, Some(""), Some("m"), Some("m\0n")] {
                let mut whole = Vec::new();
                add_sort_key(&mut whole, Path::new(path), member);
                for cut in 0..whole.len() {
                    assert!(SortKey::read(&whole[..cut]).is_none(), "{path:?} {member:?} {cut}");
                }
            }
        }
        // A byte that is neither that of a file nor of a member, and names that are not UTF-8 or do not end.
        for other in [&b"a\0\x02"[..], b"a\0\xff", b"a\0\x01\xff\0\0", b"a\0\x01m\0", b"a\0\x01m\0\x01", b"a"] {
            assert!(SortKey::read(other).is_none(), "{other:?}");
        }
    }
}
