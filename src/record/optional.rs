//! What a definition may leave out.

macro_rules! optional {
    () => {
        None
    };
    ($value:expr) => {
        Some($value)
    };
}
pub(crate) use optional;
