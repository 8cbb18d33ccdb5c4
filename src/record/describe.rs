//! The macro that describes records read field by field.

macro_rules! optional {
    () => {
        None
    };
    ($value:expr) => {
        Some($value)
    };
}
pub(crate) use optional;

/// Describes a record: see [the module](super).
macro_rules! record {
    (
        $(#[doc = $about:literal])*
        $name:ident $(<$own:lifetime>)? for $life:lifetime ($context:ident: $knowledge:ty) $(named $label:ident)? {
            $(
                $(#[doc = $doc:literal])*
                $field:ident: $type:ty $(as $form:ty)? $(= $spec:literal)? $([$given:expr])? $(where $gate:expr)? $(=> $check:expr)?,
            )*
        }
        $(also |$this:ident, $out:ident| $also:expr)?
    ) => {
        $(#[doc = $about])*
        #[derive(Clone, Copy, Debug)]
        #[non_exhaustive]
        pub struct $name $(<$own>)? {
            $(
                $(#[doc = $doc])*
                $(#[doc = concat!("(`", $spec, "`)")])?
                $(#[doc = concat!("\n\nThere where `", stringify!($gate), "`.")])?
                pub $field: $crate::record::record!(@type $type $(, $gate)?),
            )*
        }

        impl $(<$own>)? $name $(<$own>)? {
            /// Its description.
            pub const SCHEMA: &'static $crate::outline::Schema = &$crate::outline::Schema {
                name: stringify!($name),
                doc: concat!($($about),*),
                fields: &[$($crate::outline::FieldInfo {
                    name: stringify!($field),
                    spec: $crate::record::optional!($($spec)?),
                    kind: $crate::record::record!(@kind [$type $(, $form)?] [$($given)?]),
                    gate: $crate::record::optional!($(stringify!($gate))?),
                    doc: concat!($($doc),*),
                }),*],
            };
        }

        impl $(<$own>)? $crate::record::Stored for $name $(<$own>)? {
            const TYPE: $crate::outline::Type = $crate::outline::Type::Record(Self::SCHEMA);

            fn tell_absent(_: &'static str, _: &mut $crate::outline::Outline<'_>) {}
        }

        #[allow(unused_variables)]
        impl<$life> $crate::record::Read<$life, $knowledge> for $name $(<$own>)? {
            // Left to the compiler, small records are read in loops by calls in one build and not in the next.
            #[inline(always)]
            fn read(
                cursor: &mut $crate::bytes::Cursor<$life>,
                $context: $knowledge,
            ) -> $crate::base::error::Result<Self> {
                $(let $field: $crate::record::record!(@type $type $(, $gate)?) = $crate::record::record!(
                    @read cursor $field [$type $(, $form)?] [$($given)?] [$($check)?] [$($gate)?]
                );)*
                Ok(Self { $($field),* })
            }

            fn tell(
                cursor: &mut $crate::bytes::Cursor<$life>,
                $context: $knowledge,
                name: &'static str,
                out: &mut $crate::outline::Outline<'_>,
            ) -> $crate::base::error::Result<Self> {
                $crate::record::tell_part(cursor, $context, $crate::outline::Part::one(name), out)
            }
        }

        #[allow(unused_variables)]
        impl<$life> $crate::record::Record<$life, $knowledge> for $name $(<$own>)? {
            const SCHEMA: &'static $crate::outline::Schema = Self::SCHEMA;

            fn label(&self) -> Option<$crate::outline::Text<$life>> {
                $crate::record::optional!($(self.$label.into())?)
            }

            fn tell_fields(
                cursor: &mut $crate::bytes::Cursor<$life>,
                $context: $knowledge,
                out: &mut $crate::outline::Outline<'_>,
            ) -> $crate::base::error::Result<Self> {
                $(let $field: $crate::record::record!(@type $type $(, $gate)?) = $crate::record::record!(
                    @tell cursor out $field [$type $(, $form)?] [$($given)?] [$($check)?] [$($gate)?]
                );)*
                let record = Self { $($field),* };
                $(
                    let ($this, $out) = (&record, out);
                    $also;
                )?
                Ok(record)
            }
        }
    };
    (@type $type:ty) => { $type };
    (@type $type:ty, $gate:expr) => { Option<$type> };
    (@value [$type:ty $(, $form:ty)?]) => { $type };
    (@form [$type:ty]) => { $type };
    (@form [$type:ty, $form:ty]) => { $form };
    (@kind $form:tt []) => {
        <$crate::record::record!(@form $form) as $crate::record::Stored>::TYPE
    };
    (@kind $form:tt [$given:expr]) => {
        <$crate::record::record!(@form $form) as $crate::record::Stored>::GIVEN
    };
    (@given []) => { () };
    (@given [$given:expr]) => { $given };
    (@checked $cursor:ident $field:ident $form:tt [$($check:expr)?] $read:expr) => {{
        let offset = $cursor.offset();
        match $read {
            Ok(value) => {
                let value: $crate::record::record!(@value $form) =
                    $crate::record::Form::into_value(value);
                $($crate::record::check($check, &value, offset, stringify!($field))?;)?
                value
            }
            Err(error) => return Err($crate::base::error::Context::within(error, stringify!($field))),
        }
    }};
    (@read $cursor:ident $field:ident $form:tt $given:tt $check:tt []) => {
        $crate::record::record!(
            @checked $cursor $field $form $check
            <$crate::record::record!(@form $form) as $crate::record::Read<'_, _>>::read(
                $cursor,
                $crate::record::record!(@given $given),
            )
        )
    };
    (@read $cursor:ident $field:ident $form:tt $given:tt $check:tt [$gate:expr]) => {
        if $gate {
            Some($crate::record::record!(@read $cursor $field $form $given $check []))
        } else {
            None
        }
    };
    (@tell $cursor:ident $out:ident $field:ident $form:tt $given:tt $check:tt []) => {
        $crate::record::record!(
            @checked $cursor $field $form $check
            <$crate::record::record!(@form $form) as $crate::record::Read<'_, _>>::tell(
                $cursor,
                $crate::record::record!(@given $given),
                stringify!($field),
                $out,
            )
        )
    };
    (@tell $cursor:ident $out:ident $field:ident $form:tt $given:tt $check:tt [$gate:expr]) => {
        if $gate {
            Some($crate::record::record!(@tell $cursor $out $field $form $given $check []))
        } else {
            <$crate::record::record!(@form $form) as $crate::record::Stored>::tell_absent(
                stringify!($field),
                $out,
            );
            None
        }
    };
    ($(#[$($attribute:tt)*])* $name:ident<$life:lifetime>($($context:tt)*) $($rest:tt)*) => {
        $crate::record::record! { $(#[$($attribute)*])* $name<$life> for $life ($($context)*) $($rest)* }
    };
    ($(#[$($attribute:tt)*])* $name:ident<$life:lifetime> $($rest:tt)*) => {
        $crate::record::record! { $(#[$($attribute)*])* $name<$life> for $life (nothing: ()) $($rest)* }
    };
    ($(#[$($attribute:tt)*])* $name:ident($($context:tt)*) $($rest:tt)*) => {
        $crate::record::record! { $(#[$($attribute)*])* $name for 'a ($($context)*) $($rest)* }
    };
}
pub(crate) use record;
