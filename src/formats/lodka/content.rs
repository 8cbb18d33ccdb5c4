//! The data of each kind of chunk, and how to read it.

use super::chunk::{Node, View, counted, counted_either, first_or_as_described, whole};
use super::embedded::{Info, Screenshot, ShaderList, TextureList};
use super::kind::Kind;
use super::material::MaterialList;
use super::mesh::{self, Mesh};
use super::morph::{MorphCollections, MorphMeshes};
use super::physics::Physics;
use super::scenery::{ColliderSet, LightScheme, ProxySet};
use super::skeleton::{Animation, Skeleton};
use crate::base::error::Result;
use crate::base::place::Locate as _;

macro_rules! kinds {
    ($($kind:ident = $read:expr;)*) => {
        /// The data of a chunk.
        #[derive(Clone, Copy, Debug)]
        pub(crate) enum Content<'a> {
            $($kind($kind<'a>),)*
            /// Contains chunks, which the walk visits next.
            Chunks,
            /// Bytes that the format does not define.
            Unknown,
        }

        impl<'a> Node<'a> {
            /// Reads the chunk's data. Entries of variable length inside it are not read yet.
            ///
            /// # Errors
            /// Returns an error if the data cannot be read.
            pub(crate) fn content(&self) -> Result<Content<'a>> {
                let content = match self.kind {
                    $(Kind::$kind => <$kind<'a> as View<'a>>::read(self).map(Content::$kind),)*
                    Kind::Part | Kind::List => self.body().map(|_| Content::Chunks),
                    Kind::Unknown => self.body().map(|_| Content::Unknown),
                };
                content.map_err(|error| self.locate(error))
            }
        }

        $(
            impl<'a> View<'a> for $kind<'a> {
                const KIND: Kind = Kind::$kind;

                fn read(node: &Node<'a>) -> Result<Self> {
                    ($read)(node)
                }
            }
        )*
    };
}

// How to read the data of each kind.
kinds! {
    Info = whole;
    Skeleton = counted;
    Animation = counted;
    MaterialList = whole;
    TextureList = counted;
    ShaderList = counted;
    Mesh = mesh::read;
    MorphCollections = counted_either;
    MorphMeshes = counted;
    Physics = whole;
    LightScheme = whole;
    ProxySet = first_or_as_described;
    ColliderSet = counted;
    Screenshot = whole;
}
