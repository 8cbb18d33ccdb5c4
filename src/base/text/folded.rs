//! Names as programs compare them that know neither case nor the difference of slashes.

/// Whether two names are one to programs that know neither case nor the difference of slashes.
pub(crate) fn is_same_name(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| folded(a) == folded(b))
}

/// One byte of a name as names are compared.
pub(crate) fn folded(byte: u8) -> u8 {
    if byte == b'/' { b'\\' } else { byte.to_ascii_lowercase() }
}
