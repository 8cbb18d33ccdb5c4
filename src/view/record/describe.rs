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
                pub $field: $crate::view::record::record!(@type $type $(, $gate)?),
            )*
        }

        impl $(<$own>)? $name $(<$own>)? {
            /// Its description.
            pub const SCHEMA: &'static $crate::view::record::Schema = &$crate::view::record::Schema {
                name: stringify!($name),
                doc: concat!($($about),*),
                fields: &[$($crate::view::record::FieldInfo {
                    name: stringify!($field),
                    spec: $crate::view::record::optional!($($spec)?),
                    kind: $crate::view::record::record!(@kind [$type $(, $form)?] [$($given)?]),
                    gate: $crate::view::record::optional!($(stringify!($gate))?),
                    doc: concat!($($doc),*),
                }),*],
            };
        }

        impl<$life> $name $(<$own>)? {
            /// A [parser](crate::view::parser) of this record.
            pub fn parser(
                context: $knowledge,
            ) -> impl $crate::nom::Parser<$crate::view::Cursor<$life>, Output = Self, Error = $crate::error::Error> {
                <Self as $crate::view::record::Read<$life, $knowledge>>::parser(context)
            }
        }

        impl $(<$own>)? $crate::view::record::Stored for $name $(<$own>)? {
            const TYPE: $crate::view::record::Type = $crate::view::record::Type::Record(Self::SCHEMA);
            const SHOWS_ABSENCE: bool = false;
        }

        impl<$life> $crate::view::record::Read<$life, $knowledge> for $name $(<$own>)? {
            #[inline(always)]
            fn walk(
                cursor: &mut $crate::view::Cursor<$life>,
                context: $knowledge,
                name: &'static str,
                sink: &mut impl $crate::inspect::Sink,
            ) -> $crate::error::Result<Self> {
                $crate::view::record::walk_part(cursor, context, $crate::inspect::Part::one(name), sink)
            }
        }

        #[allow(unused_variables)]
        impl<$life> $crate::view::record::Record<$life, $knowledge> for $name $(<$own>)? {
            const SCHEMA: &'static $crate::view::record::Schema = Self::SCHEMA;

            fn label(&self) -> Option<$crate::inspect::Text<$life>> {
                $crate::view::record::optional!($(self.$label.into())?)
            }

            #[inline(always)]
            fn walk_fields(
                cursor: &mut $crate::view::Cursor<$life>,
                $context: $knowledge,
                sink: &mut impl $crate::inspect::Sink,
            ) -> $crate::error::Result<Self> {
                $(let $field: $crate::view::record::record!(@type $type $(, $gate)?) = $crate::view::record::record!(
                    @walk cursor sink $field [$type $(, $form)?] [$($given)?] [$($check)?] [$($gate)?]
                );)*
                let record = Self { $($field),* };
                $($crate::inspect::Sink::describe(sink, |$out| {
                    let $this = &record;
                    $also;
                });)?
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
        <$crate::view::record::record!(@form $form) as $crate::view::record::Stored>::TYPE
    };
    (@kind $form:tt [$given:expr]) => {
        <$crate::view::record::record!(@form $form) as $crate::view::record::Stored>::GIVEN
    };
    (@given []) => { () };
    (@given [$given:expr]) => { $given };
    (@walk $cursor:ident $sink:ident $field:ident $form:tt $given:tt [$($check:expr)?] []) => {{
        let offset = $cursor.offset();
        let walked = <$crate::view::record::record!(@form $form) as $crate::view::record::Read<'_, _>>::walk(
            $cursor,
            $crate::view::record::record!(@given $given),
            stringify!($field),
            $sink,
        );
        match walked {
            Ok(value) => {
                let value: $crate::view::record::record!(@value $form) =
                    $crate::view::record::Form::into_value(value);
                $($crate::view::record::check($check, &value, offset, stringify!($field))?;)?
                value
            }
            Err(error) => return Err($crate::error::Context::within(error, stringify!($field))),
        }
    }};
    (@walk $cursor:ident $sink:ident $field:ident $form:tt $given:tt $check:tt [$gate:expr]) => {
        if $gate {
            Some($crate::view::record::record!(@walk $cursor $sink $field $form $given $check []))
        } else {
            $crate::view::record::describe_absent::<$crate::view::record::record!(@form $form)>(
                stringify!($field),
                $sink,
            );
            None
        }
    };
    ($(#[$($attribute:tt)*])* $name:ident<$life:lifetime>($($context:tt)*) $($rest:tt)*) => {
        $crate::view::record::record! { $(#[$($attribute)*])* $name<$life> for $life ($($context)*) $($rest)* }
    };
    ($(#[$($attribute:tt)*])* $name:ident<$life:lifetime> $($rest:tt)*) => {
        $crate::view::record::record! { $(#[$($attribute)*])* $name<$life> for $life (nothing: ()) $($rest)* }
    };
    ($(#[$($attribute:tt)*])* $name:ident($($context:tt)*) $($rest:tt)*) => {
        $crate::view::record::record! { $(#[$($attribute)*])* $name for 'a ($($context)*) $($rest)* }
    };
}
pub(crate) use record;
