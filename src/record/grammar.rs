//! The macro that defines records by their grammar.

use super::parser::Grammar;
use crate::base::error::Result;
use crate::outline::{FieldInfo, Rule};

/// Adds the type, the rule and the codes to the description of a field. The rule and the codes are those of its parser,
/// unless the definition gives others. The function, which is never called, returns that parser, so that its type is
/// known.
pub(crate) const fn field_info<'a, T, C, R, P, F>(
    mut info: FieldInfo,
    rule: Option<Rule>,
    codes: Option<&'static [(i64, &'static str)]>,
    _: &F,
) -> FieldInfo
where
    P: Grammar<'a, Output = T>,
    F: Fn(C, R) -> Result<P>,
{
    info.kind = P::TYPE;
    info.rule = match rule {
        Some(rule) => rule,
        None => P::RULE,
    };
    info.codes = match codes {
        Some(codes) => codes,
        None => P::CODES,
    };
    info
}

/// Defines a record by its grammar: see [the module](super).
macro_rules! grammar {
    // The items are collected one by one, because only some have a parser, a condition, or bytes at all. The arms are
    // tagged, so that a mistake in a definition is reported at its location, not as endless recursion.
    (
        @items $head:tt $also:tt { $($all:tt)* } [$($done:tt)*]
        $(#[doc = $doc:literal])* $(#[rule($rule:ident $($bounds:tt)?)])? $(#[codes($codes:ty)])? $(#[label($spec:literal)])?
        let $field:ident: $type:ty = $value:expr; $($rest:tt)*
    ) => {
        $crate::record::grammar! {
            @items $head $also { $($all)* $field, } [$($done)* {
                [$($doc)*] [$($rule $($bounds)?)?] [$($codes)?] [$($spec)?] $field [$($all)*] [$type] []
                [$crate::record::parser::success($value)]
            }]
            $($rest)*
        }
    };
    (
        @items $head:tt $also:tt { $($all:tt)* } [$($done:tt)*]
        $(#[doc = $doc:literal])* $(#[rule($rule:ident $($bounds:tt)?)])? $(#[codes($codes:ty)])? $(#[label($spec:literal)])?
        $field:ident: $type:ty = cond($gate:expr, $parser:expr), $($rest:tt)*
    ) => {
        $crate::record::grammar! {
            @items $head $also { $($all)* $field, } [$($done)* {
                [$($doc)*] [$($rule $($bounds)?)?] [$($codes)?] [$($spec)?] $field [$($all)*] [$type] [$gate] [$parser]
            }]
            $($rest)*
        }
    };
    (
        @items $head:tt $also:tt { $($all:tt)* } [$($done:tt)*]
        $(#[doc = $doc:literal])* $(#[rule($rule:ident $($bounds:tt)?)])? $(#[codes($codes:ty)])? $(#[label($spec:literal)])?
        $field:ident: $type:ty $(= $parser:expr)?, $($rest:tt)*
    ) => {
        $crate::record::grammar! {
            @items $head $also { $($all)* $field, } [$($done)* {
                [$($doc)*] [$($rule $($bounds)?)?] [$($codes)?] [$($spec)?] $field [$($all)*] [$type] []
                [$crate::record::grammar!(@given [$($parser)?] $crate::record::parser::of::<$type, _>(()))]
            }]
            $($rest)*
        }
    };
    (
        @items {
            [$($about:literal)*] [$parser_vis:vis] $name:ident [$($own:lifetime)?] $life:lifetime
            [$context:ident: $knowledge:ty] [$($argument:ident)?] [$($label:ident)?]
        }
        [$($this:ident $out:ident $also:expr)?] { $($all:tt)* }
        [$({
            [$($doc:literal)*] [$($rule:ident $($bounds:tt)?)?] [$($codes:ty)?] [$($spec:literal)?]
            $field:ident [$($before:tt)*] [$type:ty] [$($gate:expr)?] [$parser:expr]
        })*]
    ) => {
        $(#[doc = $about])*
        #[derive(Clone, Copy, Debug)]
        #[non_exhaustive]
        // Some records have no name outside of the crate, and only their outlines read all fields.
        #[allow(unreachable_pub, dead_code)]
        pub struct $name $(<$own>)? {
            $(
                $(#[doc = $doc])*
                $(#[doc = concat!("(`", $spec, "`)")])?
                $(#[doc = concat!("\n\nThere where `", stringify!($gate), "`.")])?
                pub $field: $type,
            )*
        }

        impl $(<$own>)? $name $(<$own>)? {
            /// Returns a [parser](crate::grammar) of this record.
            #[allow(unreachable_pub, dead_code)]
            $parser_vis fn parser($($argument: impl Into<$knowledge>)?) -> $crate::record::parser::Of<Self, $knowledge> {
                $crate::record::parser::of($crate::record::grammar!(@context [$($argument)?]))
            }

            /// The record's description.
            #[allow(unused_variables)]
            pub(crate) const SCHEMA: &'static $crate::outline::Schema = &$crate::outline::Schema {
                name: stringify!($name),
                doc: concat!($($about),*),
                fields: &[$($crate::record::field_info::<$type, _, _, _, _>(
                    $crate::outline::FieldInfo {
                        name: stringify!($field),
                        spec: $crate::record::optional!($($spec)?),
                        kind: $crate::outline::Type::Varying("", 0),
                        gate: $crate::record::optional!($(stringify!($gate))?),
                        rule: $crate::outline::Rule::Sound,
                        codes: &[],
                        doc: concat!($($doc),*),
                    },
                    $crate::record::optional!($($crate::outline::Rule::$rule $($bounds)?)?),
                    $crate::record::optional!($(<$codes>::KNOWN)?),
                    &|$context: $knowledge, Self { $($before)* .. }: Self| Ok($crate::record::grammar!(@parser [$($gate)?] $parser)),
                )),*],
            };
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
                $(
                    let rule = $crate::record::optional!($($crate::outline::Rule::$rule $($bounds)?)?);
                    let $field: $type = $crate::record::grammar!(
                        @walk [$($gate)?] $crate::record::parser::ruled(rule, $parser), $field, cursor, sink
                    );
                )*
                let record = Self { $($field),* };
                $(if let Some(mut out) = $crate::outline::Sink::outline(sink) {
                    let $this = &record;
                    let $out = &mut out;
                    $also;
                })?
                Ok(record)
            }
        }
    };
    (@walk [] $parser:expr, $field:ident, $cursor:ident, $sink:ident) => {
        match $crate::record::parser::Grammar::walk(&mut $parser, $cursor, stringify!($field), $sink) {
            Ok(value) => value,
            Err(error) => return Err($crate::base::error::Context::within(error, stringify!($field))),
        }
    };
    // As `cond` does, without its result, which would be copied.
    (@walk [$gate:expr] $parser:expr, $field:ident, $cursor:ident, $sink:ident) => {
        if $gate {
            Some($crate::record::grammar!(@walk [] $parser, $field, $cursor, $sink))
        } else {
            $crate::record::parser::absent(&|| Ok($parser), stringify!($field), $sink)
        }
    };
    (@parser [] $parser:expr) => { $parser };
    // The function that the definition names.
    (@parser [$gate:expr] $parser:expr) => { cond($gate, $parser) };
    (@context []) => { () };
    (@context [$argument:ident]) => { $argument.into() };
    // What the definition gives, or else this.
    (@given [] $default:expr) => { $default };
    (@given [$given:expr] $default:expr) => { $given };
    (
        $(#[doc = $about:literal])* crate $name:ident<$life:lifetime>($context:ident: $knowledge:ty) $(named $label:ident)? {
            $($items:tt)*
        }
        $(also |$this:ident, $out:ident| $also:expr)?
    ) => {
        $crate::record::grammar! {
            @items { [$($about)*] [pub(crate)] $name [$life] $life [$context: $knowledge] [$context] [$($label)?] }
            [$($this $out $also)?] {} [] $($items)*
        }
    };
    (
        $(#[doc = $about:literal])* $name:ident<$life:lifetime>($context:ident: $knowledge:ty) $(named $label:ident)? {
            $($items:tt)*
        }
        $(also |$this:ident, $out:ident| $also:expr)?
    ) => {
        $crate::record::grammar! {
            @items { [$($about)*] [pub] $name [$life] $life [$context: $knowledge] [$context] [$($label)?] }
            [$($this $out $also)?] {} [] $($items)*
        }
    };
    (
        $(#[doc = $about:literal])* $name:ident<$life:lifetime> $(named $label:ident)? { $($items:tt)* }
        $(also |$this:ident, $out:ident| $also:expr)?
    ) => {
        $crate::record::grammar! {
            @items { [$($about)*] [pub] $name [$life] $life [nothing: ()] [] [$($label)?] }
            [$($this $out $also)?] {} [] $($items)*
        }
    };
    (
        $(#[doc = $about:literal])* crate $name:ident($context:ident: $knowledge:ty) $(named $label:ident)? { $($items:tt)* }
        $(also |$this:ident, $out:ident| $also:expr)?
    ) => {
        $crate::record::grammar! {
            @items { [$($about)*] [pub(crate)] $name [] 'a [$context: $knowledge] [$context] [$($label)?] }
            [$($this $out $also)?] {} [] $($items)*
        }
    };
    (
        $(#[doc = $about:literal])* $name:ident($context:ident: $knowledge:ty) $(named $label:ident)? { $($items:tt)* }
        $(also |$this:ident, $out:ident| $also:expr)?
    ) => {
        $crate::record::grammar! {
            @items { [$($about)*] [pub] $name [] 'a [$context: $knowledge] [$context] [$($label)?] }
            [$($this $out $also)?] {} [] $($items)*
        }
    };
}
pub(crate) use grammar;
