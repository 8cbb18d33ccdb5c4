//! Enums with one fixed name per variant, shared by reports, records and messages.

/// Defines an enum with a fixed name for each variant: `pub enum Kind { First = "first", }`.
macro_rules! word_enum {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize))]
        $vis enum $name {
            $($(#[$doc])* #[cfg_attr(feature = "serde", serde(rename = $word))] $variant,)*
        }

        impl $name {
            /// Every variant, in the order of declaration.
            #[allow(dead_code, reason = "few enums are listed")]
            pub(crate) const VARIANTS: &[Self] = &[$(Self::$variant),*];

            /// Returns the fixed name of this variant.
            $vis const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}
pub(crate) use word_enum;
