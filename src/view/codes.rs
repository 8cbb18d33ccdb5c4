//! Numbers with a meaning. Unknown ones pass: they are kept as stored and have no name.

/// Describes codes: their name, the number that holds them, and the word for each that is known.
///
/// ```text
/// codes! {
///     /// How a texture is sampled.
///     Filter(u32) { 0 "Point", 1 "Linear" }
/// }
/// ```
///
/// With `in place` behind the number, which then is a byte, they can be fields of records that are read in place.
macro_rules! codes {
    ($($(#[$attribute:meta])* $name:ident($raw:ident) $(in $place:ident)? {
        $($number:literal $word:literal),* $(,)?
    })*) => {$(
        $crate::view::codes::codes!(@struct [$($place)?] $(#[$attribute])* $name($raw));

        impl $name {
            /// The word for it, if there is one for this number.
            pub const fn name(self) -> Option<&'static str> {
                match self.0 {
                    $($number => Some($word),)*
                    _ => None,
                }
            }
        }

        impl $crate::view::record::Stored for $name {
            const TYPE: $crate::view::record::Type =
                $crate::view::record::Type::Number(stringify!($name), size_of::<$raw>() as u64);

            fn value(&self) -> Option<$crate::inspect::Value<'_>> {
                Some($crate::inspect::Value::Coded(self.0.into(), self.name().map(Into::into)))
            }

            fn unknown_code(&self) -> Option<i64> {
                self.name().is_none().then_some(self.0.into())
            }
        }

        impl<'a> $crate::view::record::Read<'a> for $name {
            #[inline(always)]
            fn walk(
                cursor: &mut $crate::view::Cursor<'a>,
                (): (),
                name: &'static str,
                sink: &mut impl $crate::inspect::Sink,
            ) -> $crate::error::Result<Self> {
                $crate::view::record::walk_field(cursor, name, sink, |cursor| {
                    <$raw as $crate::view::record::Read<'a>>::read(cursor, ()).map(Self)
                })
            }
        }
    )*};
    (@struct [] $(#[$attribute:meta])* $name:ident($raw:ident)) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub $raw);
    };
    (@struct [place] $(#[$attribute:meta])* $name:ident($raw:ident)) => {
        $(#[$attribute])*
        #[derive(
            Clone,
            Copy,
            Debug,
            PartialEq,
            Eq,
            PartialOrd,
            Ord,
            Hash,
            zerocopy::FromBytes,
            zerocopy::IntoBytes,
            zerocopy::KnownLayout,
            zerocopy::Immutable,
            zerocopy::Unaligned,
        )]
        #[repr(transparent)]
        pub struct $name(pub $raw);

        impl $crate::sealed::Sealed for $name {}

        impl $crate::view::Element for $name {
            type Native = $raw;
            const COLUMNS: &'static [$crate::view::Column] = <$raw as $crate::view::Element>::COLUMNS;
        }
    };
}
pub(crate) use codes;
