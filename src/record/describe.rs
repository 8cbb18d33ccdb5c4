//! The macro that defines records read field by field.

/// Defines a record: see [the module](super).
macro_rules! record {
    // The arms are tagged, so that those below that call the macro never match their own output. A mistake in a
    // definition is then reported at its location, not as endless recursion.
    (
        @described $(#[doc = $about:literal])*
        $name:ident $(<$own:lifetime>)? for $life:lifetime ($context:ident: $knowledge:ty) $(named $label:ident)? {
            $(
                $(#[doc = $doc:literal])*
                $(#[rule($rule:ident $($bounds:tt)?)])?
                $(#[codes($codes:ty)])?
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
            /// The record's description.
            pub const SCHEMA: &'static $crate::outline::Schema = &$crate::outline::Schema {
                name: stringify!($name),
                doc: concat!($($about),*),
                fields: &[$($crate::outline::FieldInfo {
                    name: stringify!($field),
                    spec: $crate::record::optional!($($spec)?),
                    kind: $crate::record::record!(@kind [$type $(, $form)?] [$($given)?]),
                    gate: $crate::record::optional!($(stringify!($gate))?),
                    rule: $crate::record::record!(@rule [$type $(, $form)?] [$($rule $($bounds)?)?]),
                    codes: $crate::record::record!(@codes [$type $(, $form)?] [$($codes)?]),
                    doc: concat!($($doc),*),
                }),*],
            };
        }

        impl<$life> $name $(<$own>)? {
            /// Returns a [parser](crate::bytes::parser) of this record.
            pub fn parser(
                context: $knowledge,
            ) -> $crate::record::parser::Of<Self, $knowledge> {
                <Self as $crate::record::Read<$life, $knowledge>>::parser(context)
            }
        }

        impl $(<$own>)? $crate::record::Stored for $name $(<$own>)? {
            const TYPE: $crate::outline::Type = $crate::outline::Type::Record(Self::SCHEMA);
            const SHOWS_ABSENCE: bool = false;
        }

        impl<$life> $crate::record::Read<$life, $knowledge> for $name $(<$own>)? {
            #[inline(always)]
            fn walk(
                cursor: &mut $crate::bytes::Cursor<$life>,
                context: $knowledge,
                name: &'static str,
                sink: &mut impl $crate::outline::Sink,
            ) -> $crate::base::error::Result<Self> {
                $crate::record::walk_part(cursor, context, $crate::outline::Part::one(name), sink)
            }
        }

        #[allow(unused_variables)]
        impl<$life> $crate::record::Record<$life, $knowledge> for $name $(<$own>)? {
            const SCHEMA: &'static $crate::outline::Schema = Self::SCHEMA;

            fn label(&self) -> Option<$crate::outline::Text<$life>> {
                $crate::record::optional!($(self.$label.into())?)
            }

            #[inline(always)]
            fn walk_fields(
                cursor: &mut $crate::bytes::Cursor<$life>,
                $context: $knowledge,
                sink: &mut impl $crate::outline::Sink,
            ) -> $crate::base::error::Result<Self> {
                $(let $field: $crate::record::record!(@type $type $(, $gate)?) = $crate::record::record!(
                    @walk cursor sink $field [$type $(, $form)?] [$($rule $($bounds)?)?] [$($given)?] [$($check)?] [$($gate)?]
                );)*
                let record = Self { $($field),* };
                $($crate::outline::Sink::describe(sink, |$out| {
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
        <$crate::record::record!(@form $form) as $crate::record::Stored>::TYPE
    };
    (@kind $form:tt [$given:expr]) => {
        <$crate::record::record!(@form $form) as $crate::record::Stored>::GIVEN
    };
    (@rule $form:tt []) => {
        <$crate::record::record!(@form $form) as $crate::record::Stored>::RULE
    };
    (@rule $form:tt [$rule:ident $($bounds:tt)?]) => { $crate::outline::Rule::$rule $($bounds)? };
    (@codes $form:tt []) => {
        <$crate::record::record!(@form $form) as $crate::record::Stored>::CODES
    };
    (@codes $form:tt [$codes:ty]) => { <$codes>::KNOWN };
    (@given []) => { () };
    (@given [$given:expr]) => { $given };
    (@walk $cursor:ident $sink:ident $field:ident $form:tt $rule:tt $given:tt [$($check:expr)?] []) => {{
        let offset = $cursor.offset();
        $crate::outline::Sink::rule($sink, $crate::record::record!(@rule $form $rule));
        let walked = <$crate::record::record!(@form $form) as $crate::record::Read<'_, _>>::walk(
            $cursor,
            $crate::record::record!(@given $given),
            stringify!($field),
            $sink,
        );
        match walked {
            Ok(value) => {
                let value: $crate::record::record!(@value $form) =
                    $crate::record::Form::into_value(value);
                $($crate::record::check($check, &value, offset, stringify!($field))?;)?
                value
            }
            Err(error) => return Err($crate::base::error::Context::within(error, stringify!($field))),
        }
    }};
    (@walk $cursor:ident $sink:ident $field:ident $form:tt $rule:tt $given:tt $check:tt [$gate:expr]) => {
        if $gate {
            Some($crate::record::record!(@walk $cursor $sink $field $form $rule $given $check []))
        } else {
            $crate::record::describe_absent::<$crate::record::record!(@form $form)>(
                stringify!($field),
                $sink,
            );
            None
        }
    };
    ($(#[$($attribute:tt)*])* $name:ident<$life:lifetime>($($context:tt)*) $($rest:tt)*) => {
        $crate::record::record! { @described $(#[$($attribute)*])* $name<$life> for $life ($($context)*) $($rest)* }
    };
    ($(#[$($attribute:tt)*])* $name:ident<$life:lifetime> $($rest:tt)*) => {
        $crate::record::record! { @described $(#[$($attribute)*])* $name<$life> for $life (nothing: ()) $($rest)* }
    };
    ($(#[$($attribute:tt)*])* $name:ident($($context:tt)*) $($rest:tt)*) => {
        $crate::record::record! { @described $(#[$($attribute)*])* $name for 'a ($($context)*) $($rest)* }
    };
}
pub(crate) use record;
