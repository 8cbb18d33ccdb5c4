//! One-line formatting of values.

/// Implements a type's `Debug` or `Display` with one format string.
macro_rules! impl_fmt {
    ([$($of:tt)*] $trait:ident for $type:ty, |$value:ident| $($words:tt)+) => {
        impl<$($of)*> std::fmt::$trait for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let $value = self;
                write!(f, $($words)+)
            }
        }
    };
}
pub(crate) use impl_fmt;
