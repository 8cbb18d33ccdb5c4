//! Which format some bytes are in.

use std::fmt;
use std::path::Path;

use crate::view::zip::{Directory, first_entry};

macro_rules! formats {
    ($($(#[$doc:meta])* $variant:ident $name:literal $title:literal [$($count:literal),*];)*) => {
        /// The formats that meshpeek knows, whether or not this build can open them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Format { $($(#[$doc])* $variant),* }

        impl Format {
            /// Every format.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The short name used in records and arguments.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }

            /// The name a person would use.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$variant => $title),* }
            }

            /// What a summary counts in this format, in the order of its records.
            pub const fn count_names(self) -> &'static [&'static str] {
                match self { $(Self::$variant => &[$($count),*]),* }
            }
        }
    };
}

formats! {
    /// Blitz3D scene, `.b3d`.
    B3d "b3d" "Blitz3D scene" [
        "textures", "brushes", "nodes", "meshes", "bones", "vertices", "triangles", "weights", "keys", "animations"
    ];
    /// Ballance map, `.bmx`: a zip of binary tables.
    Bmx "bmx" "Ballance map" [
        "objects", "components", "meshes", "materials", "textures", "vertices", "uvs", "normals", "triangles"
    ];
    /// LODka3D model, `.lod`.
    Lodka "lodka" "LODka3D model" [
        "models", "bones", "animations", "frames", "materials", "textures", "shaders", "meshes", "vertices",
        "face_groups", "triangles", "morph_collections", "bodies", "geoms", "joints", "light_schemes", "proxies",
        "collider_sets", "colliders"
    ];
    /// Arma ODOL model, `.p3d`, binarised.
    Odol "odol" "Arma ODOL model" [
        "lods", "vertices", "faces", "sections", "selections", "materials", "textures", "proxies", "properties",
        "bones", "animations"
    ];
    /// Arma animation, `.rtm`, binarised.
    Bmtr "bmtr" "Arma binarised animation" ["frames", "bones", "properties"];
    /// Arma animation, `.rtm`, plain.
    Rtm "rtm" "Arma plain animation" ["frames", "bones", "properties"];
    /// Arma MLOD model, `.p3d`, as edited.
    Mlod "mlod" "Arma MLOD model" ["lods", "vertices", "faces"];
    /// PBO archive.
    Pbo "pbo" "PBO archive" ["members"];
    /// Zip archive.
    Zip "zip" "zip archive" ["members"];
}

impl Format {
    /// The format that these bytes start like; the file's name plays no part. Of a zip, which begins like any other,
    /// all bytes are needed: the directory at its end tells whether it is a map.
    pub fn sniff(head: &[u8]) -> Option<Self> {
        match head {
            [b'B', b'B', b'3', b'D', ..] => Some(Self::B3d),
            [b'B', b'M', b'T', b'R', ..] => Some(Self::Bmtr),
            [b'R', b'T', b'M', b'_', ..] => Some(Self::Rtm),
            [b'L', b'O', b'D', b'k', b'a', b'3', b'D', ..] => Some(Self::Lodka),
            [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Some(sniff_zip(head)),
            [b'O', b'D', b'O', b'L', ..] => Some(Self::Odol),
            // The same packed as a whole: flags that begin with four literals.
            [flags, b'O', b'D', b'O', b'L', ..] if flags & 15 == 15 => Some(Self::Odol),
            _ => None,
        }
    }

    /// The format that files of this name are usually in: what a file with damaged first bytes was meant to be.
    pub fn from_extension(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "b3d" => Some(Self::B3d),
            "bmx" => Some(Self::Bmx),
            "lod" => Some(Self::Lodka),
            "p3d" => Some(Self::Odol),
            "rtm" => Some(Self::Bmtr),
            "pbo" => Some(Self::Pbo),
            "zip" | "pk3" => Some(Self::Zip),
            _ => None,
        }
    }
}

/// A map is a zip with an `index.bm`. One whose directory is damaged still shows by its first entry what it was.
fn sniff_zip(data: &[u8]) -> Format {
    const TABLES: [&str; 5] = ["index.bm", "object.bm", "mesh.bm", "material.bm", "texture.bm"];
    let is_map = match Directory::find(data) {
        Ok(directory) => directory.entries().flatten().any(|entry| entry.name == "index.bm"),
        Err(_) => first_entry(data).is_ok_and(|entry| TABLES.iter().any(|table| entry.name == *table)),
    };
    if is_map { Format::Bmx } else { Format::Zip }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
