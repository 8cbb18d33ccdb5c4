//! Numeric codes. Unknown codes are accepted: they keep their number and have no name.

/// Defines codes: the type's name, the number type that stores them, and the name of each known code.
///
/// ```text
/// codes! {
///     /// How a texture is sampled.
///     Filter(u32) { 0 "Point", 1 "Linear" }
/// }
/// ```
///
/// With `in place` after the number type, which must then be a byte, they can be fields of records read in place.
macro_rules! codes {
    ($($(#[$attribute:meta])* $name:ident($raw:ident) $(in $place:ident)? {
        $($number:literal $word:literal),* $(,)?
    })*) => {$(
        $crate::record::codes::codes!(
            @struct [$($place)?]
            $(#[$attribute])*
            #[doc = concat!("\n" $(, "\n- ", $number, ": ", $word)*)]
            $name($raw)
        );

        impl $name {
            /// The known codes and their names.
            #[allow(dead_code)]
            pub(crate) const KNOWN: &'static [(i64, &'static str)] = &[$(($number, $word)),*];

            /// Returns the name of this code if it is known.
            pub const fn name(self) -> Option<&'static str> {
                match self.0 {
                    $($number => Some($word),)*
                    _ => None,
                }
            }
        }

        impl $crate::record::Stored for $name {
            const TYPE: $crate::outline::Type =
                $crate::outline::Type::Number(stringify!($name), size_of::<$raw>() as u64);
            const CODES: &'static [(i64, &'static str)] = Self::KNOWN;

            fn value(&self) -> Option<$crate::outline::Value<'_>> {
                Some($crate::outline::Value::Coded(self.0.into(), self.name().map(Into::into)))
            }
        }
    )*};
    (@struct [] $(#[$attribute:meta])* $name:ident($raw:ident)) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub $raw);
    };
    (@struct [place] $(#[$attribute:meta])* $name:ident($raw:ident)) => {
        $crate::record::codes::codes! {
            @struct []
            $(#[$attribute])*
            #[derive(
                zerocopy::FromBytes,
                zerocopy::IntoBytes,
                zerocopy::KnownLayout,
                zerocopy::Immutable,
                zerocopy::Unaligned,
            )]
            #[repr(transparent)]
            $name($raw)
        }
        $crate::bytes::array::elements! { $name = $raw { "value" U8 } }
    };
}
pub(crate) use codes;
