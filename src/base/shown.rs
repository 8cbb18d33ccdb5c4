//! How values are shown in one line.

/// Writes a type's `Debug` or `Display` as one format.
macro_rules! shown {
    ([$($of:tt)*] $trait:ident for $type:ty, |$value:ident| $($words:tt)+) => {
        impl<$($of)*> std::fmt::$trait for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let $value = self;
                write!(f, $($words)+)
            }
        }
    };
}
pub(crate) use shown;
