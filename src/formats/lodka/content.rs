//! The parsed data of a chunk of any kind.

use super::chunk::{Kind, Node, View};
use super::collider::ColliderSet;
use super::embedded::{Info, Screenshot, ShaderList, TextureList};
use super::light::LightScheme;
use super::material::MaterialList;
use super::mesh::Mesh;
use super::morph::{MorphCollections, MorphMeshes};
use super::physics::Physics;
use super::proxy::ProxySet;
use super::skeleton::{Animation, Skeleton};
use crate::base::error::{Context, Error, Result};

macro_rules! content {
    ($($kind:ident),*) => {
        /// The parsed data of a chunk.
        #[derive(Clone, Copy, Debug)]
        #[non_exhaustive]
        #[allow(missing_docs)]
        pub enum Content<'a> {
            $($kind($kind<'a>),)*
            /// Contains chunks, which the walk visits next.
            Chunks,
            /// Bytes to which the format gives no meaning.
            Unknown,
        }

        impl<'a> Node<'a> {
            /// Reads the chunk's data. Entries of variable length inside it are not read yet.
            ///
            /// # Errors
            /// Returns an error if the data cannot be read.
            pub fn content(&self) -> Result<Content<'a>> {
                let within = |error: Error| error.within_item(self.kind.name(), self.index);
                match self.kind {
                    $(Kind::$kind => <$kind<'a> as View<'a>>::read(self).map_or_else(|error| Err(within(error)), |it| Ok(Content::$kind(it))),)*
                    Kind::Part | Kind::List => self.body().map(|_| Content::Chunks).map_err(within),
                    Kind::Unknown => self.body().map(|_| Content::Unknown).map_err(within),
                }
            }
        }
    };
}

content! {
    Info, Skeleton, Animation, MaterialList, TextureList, ShaderList, Mesh, MorphCollections, MorphMeshes, Physics,
    LightScheme, ProxySet, ColliderSet, Screenshot
}
