//! Methods that hand over to a value inside.

/// Writes methods that call those of the same names on what a method gives: `forward! { inner: fn len(&self) -> u64; }`.
macro_rules! forward {
    ($inside:ident: $(fn $name:ident(&self $(, $argument:ident: $type:ty)*) $(-> $value:ty)?;)*) => {$(
        fn $name(&self $(, $argument: $type)*) $(-> $value)? {
            self.$inside().$name($($argument),*)
        }
    )*};
}
pub(crate) use forward;
