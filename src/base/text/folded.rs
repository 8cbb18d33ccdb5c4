//! Comparison of names that ignores case and slash direction.

/// Returns true if two names are equal, ignoring case and slash direction.
pub(crate) fn is_same_name(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| folded(a) == folded(b))
}

/// Returns a byte of a name in the form used for comparison: an ASCII letter in lower case, and `/` as a backslash.
pub(crate) fn folded(byte: u8) -> u8 {
    if byte == b'/' { b'\\' } else { byte.to_ascii_lowercase() }
}
