//! The formats of exported files, and the assets that are written in them.

use std::borrow::Cow;

use crate::base::format::Format;

/// A format that assets are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFormat {
    /// Binary glTF 2.0, by [`glb`](super::glb()).
    Glb,
    /// Wavefront OBJ, by [`obj`](super::obj()).
    Obj,
    /// Binary PLY, by [`ply`](super::ply()).
    Ply,
    /// A picture, by [`picture`](super::picture()).
    Png,
}

impl FileFormat {
    /// Returns the reason why assets of a format are not written this way, or `None` if they are.
    pub fn refused(self, format: Format) -> Option<Cow<'static, str>> {
        use Format::{B3d, Bikey, Bisign, Bmtr, Bmx, Lodka, Mlod, Odol, Paa, Pbo, Rap, Rtm, TexHeaders, Zip};
        let why = match (self, format) {
            (_, B3d | Bmx | Lodka | Mlod) | (Self::Glb, Rtm) | (Self::Png, Odol) => return None,
            // Their authors do not want them to be extracted.
            (Self::Glb, Odol) => {
                "binarised models (ODOL) are not written as glTF: they are other people's finished work, and their \
                 community forbids ripping them"
            }
            (Self::Obj | Self::Ply, Odol) => {
                "binarised models (ODOL) are not written as OBJ or PLY: they are other people's finished work, and their \
                 community forbids ripping them"
            }
            (Self::Glb, Bmtr) => {
                "binarised animations (BMTR) are not written as glTF: they are other people's finished work, and their \
                 community forbids ripping them"
            }
            (Self::Obj | Self::Ply | Self::Png, Bmtr | Rtm) => "nothing to draw: an animation has no triangles",
            (Self::Png, Paa) => "a texture has no triangles to draw; `paa::Texture::to_picture` decodes it",
            (_, Paa) => "a texture has no triangles; it can be written as a picture",
            (_, Rap) => "a config has no triangles",
            (_, Bikey) => "a key has no pixels and no triangles",
            (_, Bisign) => "a signature has no pixels and no triangles",
            (_, TexHeaders) => "an index of textures has no pixels and no triangles",
            (_, Pbo | Zip) => "an archive is not a model; choose one of its members",
            #[allow(unreachable_patterns, reason = "for formats to come")]
            (Self::Glb, _) => return Some(format!("a {} is not written as glTF", format.title()).into()),
            #[allow(unreachable_patterns, reason = "for formats to come")]
            (_, _) => return Some(format!("a {} is not drawn", format.title()).into()),
        };
        Some(why.into())
    }
}
