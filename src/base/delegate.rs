//! Methods that delegate to an inner value.

/// Generates methods that call the same methods on an inner value: `delegate! { inner: fn len(&self) -> u64; }`.
macro_rules! delegate {
    ($inside:ident: $(fn $name:ident(&self $(, $argument:ident: $type:ty)*) $(-> $value:ty)?;)*) => {$(
        fn $name(&self $(, $argument: $type)*) $(-> $value)? {
            self.$inside().$name($($argument),*)
        }
    )*};
}
pub(crate) use delegate;
