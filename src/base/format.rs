//! The table of formats: facts about each that need no parsing.

use std::fmt;
use std::path::Path;

use super::extension::has_extension;

/// Calls a macro with the table of formats.
///
/// One group per module: its feature, and the asset that it opens. Each group has one row per format that it reads: its
/// short name, its readable name, its file extensions, its signatures if they identify it, the version if it is readable
/// from the header, the names of its summary counts, and the constant of the module with its records. A row leaves out
/// what its format does not have.
macro_rules! formats {
    ($then:ident) => {
        $then! {
            /// A Blitz3D scene.
            "b3d" B3d(b3d::Scene) {
                /// Blitz3D scene, `.b3d`.
                B3d "b3d" "Blitz3D scene" {
                    files: ["b3d"],
                    starts: [b"BB3D"],
                    // The version is a signed number, and none is negative.
                    version: |head| number(head, 8).filter(|version| i32::try_from(*version).is_ok()),
                    counts: [
                        "textures", "brushes", "nodes", "meshes", "surfaces", "bones", "vertices", "triangles",
                        "weights", "keys", "animations",
                    ],
                    records: SCHEMA,
                }
            }
            /// A Ballance map.
            "bmx" Bmx(bmx::Map) {
                /// Ballance map, `.bmx`: a zip of binary tables.
                Bmx "bmx" "Ballance map" {
                    files: ["bmx"],
                    counts: [
                        "objects", "components", "meshes", "materials", "textures", "vertices", "uvs", "normals", "triangles",
                    ],
                    records: SCHEMA,
                }
            }
            /// A LODka3D model.
            "lodka" Lodka(lodka::Model) {
                /// LODka3D model, `.lod`.
                Lodka "lodka" "LODka3D model" {
                    files: ["lod"],
                    starts: [b"LODka3D"],
                    version: |head| char::from(*head.get(7)?).to_digit(10),
                    counts: [
                        "models", "bones", "animations", "frames", "materials", "textures", "shaders", "meshes", "vertices",
                        "face_groups", "triangles", "morph_collections", "bodies", "geoms", "joints", "light_schemes",
                        "proxies", "collider_sets", "colliders",
                    ],
                    records: SCHEMA,
                }
            }
            /// A binarised Arma model.
            "odol" Odol(odol::Model) {
                /// Arma ODOL model, `.p3d`, binarised.
                Odol "odol" "Arma ODOL model" {
                    files: ["p3d"],
                    starts: [b"ODOL"],
                    version: |head| number(head, 4).filter(|_| head.starts_with(b"ODOL")),
                    counts: [
                        "lods", "visual_lods", "vertices", "faces", "triangles", "visual_triangles", "sections",
                        "selections", "materials", "textures", "proxies", "properties", "bones", "animations",
                    ],
                    records: SCHEMA,
                }
            }
            /// An Arma animation.
            "rtm" Rtm(rtm::Motion) {
                /// Arma animation, `.rtm`, binarised.
                Bmtr "bmtr" "Arma binarised animation" {
                    files: ["rtm"],
                    starts: [b"BMTR"],
                    version: |head| number(head, 4),
                    counts: ["frames", "bones", "properties"],
                    records: BINARISED,
                }
                /// Arma animation, `.rtm`, plain.
                Rtm "rtm" "Arma plain animation" {
                    starts: [b"RTM_"],
                    // The signature of the only version is `RTM_0101`.
                    version: |_head| Some(101),
                    counts: ["frames", "bones", "properties"],
                    records: PLAIN,
                }
            }
            /// An MLOD model.
            "mlod" Mlod(mlod::Model) {
                /// Arma MLOD model, `.p3d`, as edited.
                Mlod "mlod" "Arma MLOD model" {
                    starts: [b"MLOD"],
                    version: |head| number(head, 4),
                    counts: ["lods", "visual_lods", "vertices", "faces", "triangles", "visual_triangles"],
                    records: SCHEMA,
                }
            }
            /// An Arma texture.
            "paa" Paa(paa::Texture) {
                /// Arma texture, `.paa` and `.pac`.
                Paa "paa" "Arma texture" {
                    files: ["paa", "pac"],
                    counts: ["mips"],
                    records: SCHEMA,
                }
            }
            /// A binary config of Arma.
            "rap" Rap(rap::Config) {
                /// Binary config of Arma, such as `config.bin` or `.rvmat`.
                Rap "rap" "Arma binary config" {
                    starts: [b"\0raP"],
                    // In the files of Operation Flashpoint, the number before it is not 0.
                    version: |head| number(head, 8).filter(|_| number(head, 4) == Some(0)),
                    counts: ["classes", "values", "arrays"],
                    records: SCHEMA,
                }
            }
            /// An index of an addon's textures.
            "texheaders" TexHeaders(texheaders::Index) {
                /// Index of an addon's textures, `texHeaders.bin`.
                TexHeaders "texheaders" "Arma texture index" {
                    starts: [b"0DHT"],
                    version: |head| number(head, 4),
                    counts: ["textures", "mips"],
                    records: SCHEMA,
                }
            }
            /// A public key of Arma, or a signature with one.
            "bisign" Bisign(bisign::KeyFile) {
                /// Public key of Arma, `.bikey`.
                Bikey "bikey" "Arma public key" {
                    files: ["bikey"],
                    counts: ["bits"],
                    records: KEY,
                }
                /// Signature of a PBO archive, `.bisign`.
                Bisign "bisign" "Arma signature" {
                    files: ["bisign"],
                    counts: ["bits"],
                    records: SIGNATURE,
                }
            }
            /// A PBO archive.
            "pbo" Pbo(pbo::Archive) {
                /// PBO archive.
                Pbo "pbo" "PBO archive" {
                    files: ["pbo"],
                    counts: ["members"],
                    records: SCHEMA,
                }
            }
            /// A zip archive.
            "zip" Zip(zip::Archive) {
                /// Zip archive.
                Zip "zip" "zip archive" {
                    files: ["zip", "pk3"],
                    starts: [b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08PK\x03\x04", b"PK00PK\x03\x04"],
                    counts: ["members"],
                    records: SCHEMA,
                }
            }
        }
    };
}
pub(crate) use formats;

/// Defines [`Format`], and the methods that look up the facts of the table.
macro_rules! define {
    ($(
        $(#[$about:meta])*
        $feature:literal $asset:ident($module:ident::$type:ident) {
            $(
                $(#[$doc:meta])*
                $format:ident $name:literal $title:literal {
                    $(files: [$($ending:literal),*],)?
                    $(starts: [$($start:literal),*],)?
                    $(version: |$head:ident| $version:expr,)?
                    counts: [$($count:literal),* $(,)?],
                    records: $records:ident,
                }
            )+
        }
    )+) => {
        /// The formats that meshpeek knows, whether or not this build can open them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize))]
        #[non_exhaustive]
        pub enum Format {
            $($($(#[$doc])* #[cfg_attr(feature = "serde", serde(rename = $name))] $format),+),+
        }

        impl Format {
            /// Every format.
            pub const ALL: &[Self] = &[$($(Self::$format),+),+];

            /// The signatures of all formats that have one.
            pub(crate) const STARTS: &[&[u8]] = &[$($($($($start,)*)?)+)+];

            /// Returns the short name used in records and arguments.
            pub const fn name(self) -> &'static str {
                match self { $($(Self::$format => $name),+),+ }
            }

            /// Returns the human-readable name.
            pub const fn title(self) -> &'static str {
                match self { $($(Self::$format => $title),+),+ }
            }

            /// Returns the names of a summary's counts in this format, in record order. In models of Arma, `triangles`
            /// are those of all LODs and `visual_triangles` those of LODs that are seen from outside; both include the
            /// faces of proxies and of hidden sections.
            pub const fn count_names(self) -> &'static [&'static str] {
                match self { $($(Self::$format => &[$($count),*]),+),+ }
            }

            /// Returns the format with this signature. A Ballance map starts like any other zip.
            pub(crate) fn starting(head: &[u8]) -> Option<Self> {
                $($($($(if head.starts_with($start) {
                    return Some(Self::$format);
                })*)?)+)+
                None
            }

            /// Returns the usual format of files with this name, by its extension in any case. Only the bytes show whether that
            /// is right.
            pub fn from_extension(path: &Path) -> Option<Self> {
                $($($($(if has_extension(path, $ending) {
                    return Some(Self::$format);
                })*)?)+)+
                None
            }

            /// Returns the version if a file of this format stores it in a fixed place.
            pub(crate) fn stored_version(self, head: &[u8]) -> Option<u32> {
                match self {
                    $($($(Self::$format => { let $head = head; $version })?)+)+
                    _ => None,
                }
            }
        }
    };
}

formats!(define);

/// Returns the little-endian `u32` at this offset, or `None` if the head ends before it does.
fn number(head: &[u8], at: usize) -> Option<u32> {
    head.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
