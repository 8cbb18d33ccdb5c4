//! What a definition may leave out.

/// Returns `Some` of the value that a definition gives, or `None` if it gives none.
macro_rules! optional {
    () => {
        None
    };
    ($value:expr) => {
        Some($value)
    };
}
pub(crate) use optional;
