//! The separator between the names of an address.

/// The separator between the names of an address.
pub(super) const SEAM: &[u8] = b"!/";

/// Returns the places of all separators.
pub(super) fn seams(bytes: &[u8]) -> impl Iterator<Item = usize> {
    memchr::memmem::find_iter(bytes, SEAM)
}
