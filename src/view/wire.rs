//! Records exactly as stored, held to the sizes that the formats' documents give.

/// Defines records of fields in the order stored, each with its size in bytes.
macro_rules! wire {
    ($($(#[$doc:meta])* $name:ident { $($field:ident: $type:ty),* $(,)? } = $size:literal;)*) => {$(
        $(#[$doc])*
        #[derive(
            Clone,
            Copy,
            Debug,
            PartialEq,
            zerocopy::FromBytes,
            zerocopy::IntoBytes,
            zerocopy::KnownLayout,
            zerocopy::Immutable,
            zerocopy::Unaligned,
        )]
        #[repr(C)]
        #[allow(missing_docs)]
        pub struct $name { $(pub $field: $type),* }

        const _: () = assert!(size_of::<$name>() == $size);
    )*};
}
pub(crate) use wire;
