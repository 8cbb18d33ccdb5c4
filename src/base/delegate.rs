//! Methods that delegate to an inner value.

/// Generates methods that call the same methods on an inner value, as in `delegate! { inner: fn len(&self) -> u64; }`.
/// `inner` is the method that returns this value.
macro_rules! delegate {
    ($inside:ident: $(fn $name:ident(&self $(, $argument:ident: $type:ty)*) $(-> $value:ty)?;)*) => {$(
        fn $name(&self $(, $argument: $type)*) $(-> $value)? {
            self.$inside().$name($($argument),*)
        }
    )*};
}
pub(crate) use delegate;
