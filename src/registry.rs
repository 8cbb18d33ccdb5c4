//! The formats, a row each: what [`Format`] and [`Asset`] know of them.

use crate::error::{Error, Result};
use crate::inspect::Inspect;
use crate::limits::Limits;
use crate::ranges::Ranges;
use crate::view::record::Schema;

/// A group for each module: its feature, the asset that it opens, and whether that opens from a part of its bytes; in it
/// a row for each format that it reads. A row has the format's short name and what a person calls it, the endings of its
/// files, what these start with, where that tells it from all others, the version that stands in plain sight, its
/// records, and what a summary counts.
macro_rules! registry {
    ($(
        $(#[$about:meta])*
        $feature:literal $asset:ident($module:ident::$type:ident) from $source:ident {
            $(
                $(#[$doc:meta])*
                $format:ident $name:literal $title:literal {
                    files: [$($ending:literal),*],
                    starts: [$($start:literal),*],
                    version: |$head:ident| $version:expr,
                    records: $records:path,
                    counts: [$($count:literal),* $(,)?],
                }
            )+
        }
    )*) => {
        /// The formats that meshpeek knows, whether or not this build can open them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize))]
        #[non_exhaustive]
        pub enum Format {
            $($($(#[$doc])* #[cfg_attr(feature = "serde", serde(rename = $name))] $format),+),*
        }

        impl Format {
            /// Every format.
            pub const ALL: &[Self] = &[$($(Self::$format),+),*];

            /// What files of the formats start with that are known by that.
            pub(crate) const STARTS: &[&[u8]] = &[$($($($start,)*)+)*];

            /// The short name used in records and arguments.
            pub const fn name(self) -> &'static str {
                match self { $($(Self::$format => $name),+),* }
            }

            /// The name a person would use.
            pub const fn title(self) -> &'static str {
                match self { $($(Self::$format => $title),+),* }
            }

            /// What a summary counts in this format, in the order of its records.
            pub const fn count_names(self) -> &'static [&'static str] {
                match self { $($(Self::$format => &[$($count),*]),+),* }
            }

            /// The format that starts like this; a map starts as any other zip.
            pub(crate) fn starting(head: &[u8]) -> Option<Self> {
                $($($(if head.starts_with($start) {
                    return Some(Self::$format);
                })*)+)*
                None
            }

            /// The format that files with this ending, in lower case, are usually in.
            pub(crate) fn ending(extension: &str) -> Option<Self> {
                match extension {
                    $($($($ending => Some(Self::$format),)*)+)*
                    _ => None,
                }
            }

            /// The version that a file of this format keeps in plain sight.
            pub(crate) fn stored_version(self, head: &[u8]) -> Option<u32> {
                match self {
                    $($(Self::$format => { let $head = head; $version })+)*
                }
            }

            /// The descriptions of its records.
            pub(crate) fn records(self) -> &'static [&'static Schema] {
                match self {
                    $($(#[cfg(feature = $feature)] Self::$format => $records,)+)*
                    #[allow(unreachable_patterns)]
                    _ => &[],
                }
            }
        }

        /// An opened asset of any format, borrowed from its bytes. It answers what [`Inspect`] asks.
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
        // All are views of a file; nobody holds so many at once that their sizes matter.
        #[allow(clippy::large_enum_variant)]
        pub enum Asset<'a> {
            $($(#[$about])* #[cfg(feature = $feature)] $asset(crate::$module::$type<'a>),)*
            /// Never met: keeps the lifetime in use where no format is built in.
            #[doc(hidden)]
            Never(std::convert::Infallible, std::marker::PhantomData<&'a ()>),
        }

        // Without formats there is nothing to open.
        #[allow(unused_variables)]
        impl<'a> Asset<'a> {
            pub(crate) fn open(format: Format, data: &'a [u8], limits: &Limits) -> Result<Self> {
                match format {
                    $(#[cfg(feature = $feature)] $(Format::$format)|+ => {
                        match crate::$module::$type::parse_with(data, limits) {
                            Ok(asset) => Ok(Self::$asset(asset)),
                            // Here, not by who calls: assets are large, and on its way each would be copied.
                            Err(error) => Err(crate::asset::described(error, format, data)),
                        }
                    })*
                    #[allow(unreachable_patterns)]
                    _ => Err(Error::unsupported(format!("{}, which this build leaves out", format.title()))),
                }
            }

            /// The same of ranges: of what opens from bytes alone, all have to be here.
            pub(crate) fn open_ranges(format: Format, ranges: &'a Ranges, limits: &Limits) -> Result<Self> {
                match format {
                    $(#[cfg(feature = $feature)] $(Format::$format)|+ => {
                        registry!(@$source $module $type ranges limits).map(Self::$asset)
                    })*
                    #[allow(unreachable_patterns)]
                    _ => Self::open(format, &[], limits),
                }
            }

            pub(crate) fn inner(&self) -> &(dyn Inspect + 'a) {
                match self {
                    $(#[cfg(feature = $feature)] Self::$asset(asset) => asset,)*
                    Self::Never(never, _) => match *never {},
                }
            }
        }

        $(
            #[cfg(feature = $feature)]
            impl crate::sealed::Sealed for crate::$module::$type<'_> {}
        )*
        impl crate::sealed::Sealed for Asset<'_> {}
    };
    (@bytes $module:ident $type:ident $ranges:ident $limits:ident) => {{
        let data = crate::ranges::Data::Parts($ranges);
        data.get(0..data.size()).and_then(|data| crate::$module::$type::parse_with(data, $limits))
    }};
    (@ranges $module:ident $type:ident $ranges:ident $limits:ident) => {
        crate::$module::$type::parse_ranges($ranges, $limits)
    };
}

registry! {
    /// A Blitz3D scene.
    "b3d" B3d(b3d::Scene) from bytes {
        /// Blitz3D scene, `.b3d`.
        B3d "b3d" "Blitz3D scene" {
            files: ["b3d"],
            starts: [b"BB3D"],
            version: |head| number(head, 8).filter(|version| i32::try_from(*version).is_ok()),
            records: crate::b3d::SCHEMA,
            counts: [
                "textures", "brushes", "nodes", "meshes", "bones", "vertices", "triangles", "weights", "keys",
                "animations",
            ],
        }
    }
    /// A Ballance map.
    "bmx" Bmx(bmx::Map) from bytes {
        /// Ballance map, `.bmx`: a zip of binary tables.
        Bmx "bmx" "Ballance map" {
            files: ["bmx"],
            starts: [],
            version: |_head| None,
            records: crate::bmx::SCHEMA,
            counts: [
                "objects", "components", "meshes", "materials", "textures", "vertices", "uvs", "normals", "triangles",
            ],
        }
    }
    /// A LODka3D model.
    "lodka" Lodka(lodka::Model) from bytes {
        /// LODka3D model, `.lod`.
        Lodka "lodka" "LODka3D model" {
            files: ["lod"],
            starts: [b"LODka3D"],
            version: |head| char::from(*head.get(7)?).to_digit(10),
            records: crate::lodka::SCHEMA,
            counts: [
                "models", "bones", "animations", "frames", "materials", "textures", "shaders", "meshes", "vertices",
                "face_groups", "triangles", "morph_collections", "bodies", "geoms", "joints", "light_schemes",
                "proxies", "collider_sets", "colliders",
            ],
        }
    }
    /// A binarised Arma model.
    "odol" Odol(odol::Model) from ranges {
        /// Arma ODOL model, `.p3d`, binarised.
        Odol "odol" "Arma ODOL model" {
            files: ["p3d"],
            starts: [b"ODOL"],
            version: |head| number(head, 4).filter(|_| head.starts_with(b"ODOL")),
            records: crate::odol::SCHEMA,
            counts: [
                "lods", "vertices", "faces", "sections", "selections", "materials", "textures", "proxies",
                "properties", "bones", "animations",
            ],
        }
    }
    /// An Arma animation.
    "rtm" Rtm(rtm::Motion) from bytes {
        /// Arma animation, `.rtm`, binarised.
        Bmtr "bmtr" "Arma binarised animation" {
            files: ["rtm"],
            starts: [b"BMTR"],
            version: |head| number(head, 4),
            records: crate::rtm::BINARISED,
            counts: ["frames", "bones", "properties"],
        }
        /// Arma animation, `.rtm`, plain.
        Rtm "rtm" "Arma plain animation" {
            files: [],
            starts: [b"RTM_"],
            version: |_head| Some(101),
            records: crate::rtm::PLAIN,
            counts: ["frames", "bones", "properties"],
        }
    }
    /// An MLOD model.
    "mlod" Mlod(mlod::Model) from bytes {
        /// Arma MLOD model, `.p3d`, as edited.
        Mlod "mlod" "Arma MLOD model" {
            files: [],
            starts: [b"MLOD"],
            version: |head| number(head, 4),
            records: crate::mlod::SCHEMA,
            counts: ["lods", "vertices", "faces"],
        }
    }
    /// A PBO archive.
    "pbo" Pbo(pbo::Archive) from ranges {
        /// PBO archive.
        Pbo "pbo" "PBO archive" {
            files: ["pbo"],
            starts: [],
            version: |_head| None,
            records: crate::pbo::SCHEMA,
            counts: ["members"],
        }
    }
    /// A zip archive.
    "zip" Zip(zip::Archive) from ranges {
        /// Zip archive.
        Zip "zip" "zip archive" {
            files: ["zip", "pk3"],
            starts: [b"PK\x03\x04", b"PK\x05\x06"],
            version: |_head| None,
            records: crate::view::zip::SCHEMA,
            counts: ["members"],
        }
    }
}

fn number(head: &[u8], at: usize) -> Option<u32> {
    head.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}
