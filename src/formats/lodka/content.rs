//! The data of each kind of chunk, and how to read it.

use super::chunk::{LodModel, Node, View, counted, counted_either, first_or_as_described, whole};
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
use crate::base::sealed::Sealed;

macro_rules! kinds {
    ($(#[doc = $doc:literal] $form:ident $name:ident: $kind:ident = $read:expr;)*) => {
        /// The data of a chunk.
        #[derive(Clone, Copy, Debug)]
        #[non_exhaustive]
        #[allow(missing_docs)]
        pub enum Content<'a> {
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
            pub fn content(&self) -> Result<Content<'a>> {
                let content = match self.kind {
                    $(Kind::$kind => <$kind<'a> as View<'a>>::read(self).map(Content::$kind),)*
                    Kind::Part | Kind::List => self.body().map(|_| Content::Chunks),
                    Kind::Unknown => self.body().map(|_| Content::Unknown),
                };
                content.map_err(|error| self.locate(error))
            }
        }

        impl<'a> LodModel<'a> {
            $(kinds! { @$form $doc $name $kind })*
        }

        $(
            impl Sealed for $kind<'_> {}

            impl<'a> View<'a> for $kind<'a> {
                const KIND: Kind = Kind::$kind;

                fn read(node: &Node<'a>) -> Result<Self> {
                    ($read)(node)
                }
            }
        )*
    };
    (@one $doc:literal $name:ident $kind:ident) => {
        #[doc = concat!("Returns", $doc)]
        ///
        /// # Errors
        /// Returns an error if the first chunk of this kind, or a chunk before it, cannot be read.
        pub fn $name(&self) -> Result<Option<$kind<'a>>> {
            self.views().next().transpose()
        }
    };
    (@all $doc:literal $name:ident $kind:ident) => {
        #[doc = concat!("Returns the data of each chunk with", $doc)]
        pub fn $name(&self) -> impl Iterator<Item = Result<$kind<'a>>> + use<'a> {
            self.views()
        }
    };
}

// Each text completes a sentence such as "Returns".
kinds! {
    /// the user data, normally text (INF1).
    one info: Info = whole;
    /// the bones (SKL1).
    one skeleton: Skeleton = counted;
    /// a skeletal animation (ANM1).
    all animations: Animation = counted;
    /// the materials (MAT1).
    one materials: MaterialList = whole;
    /// the embedded textures (TXTR).
    one textures: TextureList = counted;
    /// the shaders (SHDR).
    one shaders: ShaderList = counted;
    /// a mesh (MSH1).
    all meshes: Mesh = mesh::read;
    /// the bones and bounds of the morph animations (MAN1).
    one morph_collections: MorphCollections = counted_either;
    /// the vertices of the morph animations (MMD1).
    one morph_meshes: MorphMeshes = counted;
    /// the bodies, geoms and joints (PHS1).
    one physics: Physics = whole;
    /// a scheme of eight lights (LIG1).
    all light_schemes: LightScheme = whole;
    /// a set of proxies, which are additional instances of meshes (PXI1).
    all proxy_sets: ProxySet = first_or_as_described;
    /// a set of colliders, which are shapes attached to bones (COL1).
    all collider_sets: ColliderSet = counted;
    /// the picture of the model (IMG1).
    one screenshot: Screenshot = whole;
}
