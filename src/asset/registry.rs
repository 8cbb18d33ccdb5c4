//! [`Asset`], and the records of each format.

use crate::base::error::{Error, Result};
use crate::base::format::{Format, formats};
use crate::base::limits::Limits;
use crate::budget::Budget;
use crate::inspect::{Depth, Inspect};
use crate::outline::{Outline, Schema};
use crate::ranges::Data;
use crate::summary::{Problems, Summary};

/// Defines everything that follows from the table of formats and needs the types of the assets.
macro_rules! registry {
    ($(
        $(#[$about:meta])*
        $feature:literal $asset:ident($module:ident::$type:ident) {
            $(
                $(#[$doc:meta])*
                $format:ident $name:literal $title:literal {
                    $(files: $files:tt,)?
                    $(starts: $starts:tt,)?
                    $(version: |$head:ident| $version:expr,)?
                    counts: $counts:tt,
                    records: $records:ident,
                }
            )+
        }
    )*) => {
        impl Format {
            pub(crate) fn records(self) -> &'static [&'static Schema] {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$format => crate::formats::$module::$records,)+)*
                    #[allow(unreachable_patterns)]
                    _ => &[],
                }
            }
        }

        /// An opened asset of any format, borrowed from its bytes. It implements [`Inspect`].
        ///
        /// ```
        /// # let bytes = b"BB3D\x04\0\0\0\x01\0\0\0";
        /// use meshpeek::{Asset, Inspect};
        /// let asset = Asset::parse(bytes)?;
        /// let summary = asset.summarize();
        /// println!("{}: {} vertices", asset.format(), summary.counts.get("vertices").unwrap_or(0));
        /// # Ok::<(), meshpeek::Error>(())
        /// ```
        #[derive(Debug)]
        #[non_exhaustive]
        // All variants are views of a file. No program holds enough of them for their sizes to matter.
        #[allow(clippy::large_enum_variant)]
        pub enum Asset<'a> {
            $($(#[$about])* #[cfg(feature = $feature)] $asset(crate::formats::$module::$type<'a>),)*
            /// Never constructed. Uses the lifetime if no format is built in.
            #[doc(hidden)]
            Never(std::convert::Infallible, std::marker::PhantomData<&'a ()>),
        }

        // Without formats there is nothing to open.
        #[allow(unused_variables)]
        impl<'a> Asset<'a> {
            pub(super) fn open(format: Format, data: Data<'a>, limits: &Limits) -> Result<Self> {
                match format {
                    $(#[cfg(feature = $feature)] $(Format::$format)|+ => {
                        match crate::formats::$module::$type::open(data, limits) {
                            Ok(asset) => Ok(Self::$asset(asset)),
                            // Described here and not in the callers: assets are large, and each caller would copy them.
                            Err(error) => Err(described(error, format, data)),
                        }
                    })*
                    #[allow(unreachable_patterns)]
                    _ => Err(Error::unsupported(format!("{}, which this build leaves out", format.title()))),
                }
            }
        }

        /// Calls each method of the asset inside, including those with a default. A trait object inside would keep the
        /// methods of all formats in every program.
        #[allow(unused_variables)]
        impl Inspect for Asset<'_> {
            registry! {
                @inside [$(#[cfg(feature = $feature)] $asset)*]
                fn about(&self) -> (Format, &Limits, u64);
                fn is_torn(&self) -> bool;
                fn survey(&self, depth: Depth, problems: &mut Problems) -> Summary;
                fn outline(&self, out: &mut Outline<'_>);
                fn dissect(&self, out: &mut Outline<'_>);
                fn digest_names(&self) -> &'static [&'static str];
                fn digest(&self, name: &str, budget: &Budget, sink: &mut dyn FnMut(&[u8])) -> Result<()>;
                fn digests(&self, names: &[&str], budget: &Budget, sink: &mut dyn FnMut(usize, &[u8])) -> Vec<Result<()>>;
                fn kept_bytes(&self) -> u64;
            }
        }

        $(
            #[cfg(feature = $feature)]
            impl crate::base::sealed::Sealed for crate::formats::$module::$type<'_> {}
        )*
        impl crate::base::sealed::Sealed for Asset<'_> {}
    };
    (@inside $assets:tt $(fn $name:ident(&self $(, $argument:ident: $type:ty)*) $(-> $value:ty)?;)*) => {$(
        fn $name(&self $(, $argument: $type)*) $(-> $value)? {
            registry!(@call $assets self.$name($($argument),*))
        }
    )*};
    (@call [$(#[$cfg:meta] $asset:ident)*] $self:ident.$name:ident $arguments:tt) => {
        match $self {
            $(#[$cfg] Self::$asset(asset) => asset.$name $arguments,)*
            Self::Never(never, _) => match *never {},
        }
    };
}

/// Adds the format to the error of an asset that does not open, and the version if the header stores it. Errors about
/// missing bytes stay unchanged.
#[cold]
fn described(error: Error, format: Format, data: Data<'_>) -> Error {
    if error.incomplete().is_some() {
        return error;
    }
    let error = error.of_format(format);
    match format.stored_version(data.from(0)) {
        Some(version) => error.of_version(version),
        None => error,
    }
}

formats!(registry);
