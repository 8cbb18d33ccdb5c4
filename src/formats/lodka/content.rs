//! The data of a chunk of any kind, and how to read each kind.

use super::chunk::{Kind, LodModel, Node, View, Views, counted, whole};
use super::collider::ColliderSet;
use super::embedded::{Info, Screenshot, ShaderList, TextureList};
use super::light::LightScheme;
use super::material::MaterialList;
use super::mesh::{self, Mesh};
use super::morph::{self, MorphCollections, MorphMeshes};
use super::physics::Physics;
use super::proxy::{self, ProxySet};
use super::skeleton::{Animation, Skeleton};
use crate::base::error::{Context, Error, Result};
use crate::base::sealed::Sealed;

macro_rules! content {
    ($($(#[$doc:meta])* $form:ident $name:ident: $kind:ident = $read:path;)*) => {
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
                let within = |error: Error| error.within_item(self.kind.name(), self.index);
                match self.kind {
                    $(Kind::$kind => <$kind<'a> as View<'a>>::read(self).map_or_else(|error| Err(within(error)), |it| Ok(Content::$kind(it))),)*
                    Kind::Part | Kind::List => self.body().map(|_| Content::Chunks).map_err(within),
                    Kind::Unknown => self.body().map(|_| Content::Unknown).map_err(within),
                }
            }
        }

        impl<'a> LodModel<'a> {
            $(content! { @$form $(#[$doc])* $name $kind })*
        }

        $(
            impl Sealed for $kind<'_> {}

            impl<'a> View<'a> for $kind<'a> {
                const KIND: Kind = Kind::$kind;

                fn read(node: &Node<'a>) -> Result<Self> {
                    $read(node)
                }
            }
        )*
    };
    (@one $(#[$doc:meta])* $name:ident $kind:ident) => {
        $(#[$doc])*
        ///
        /// # Errors
        /// Returns an error if the first chunk of this kind, or a chunk before it, cannot be read.
        pub fn $name(&self) -> Result<Option<$kind<'a>>> {
            self.views().next().transpose()
        }
    };
    (@all $(#[$doc:meta])* $name:ident $kind:ident) => {
        $(#[$doc])*
        pub fn $name(&self) -> Views<'a, $kind<'a>> {
            self.views()
        }
    };
}

content! {
    /// Returns the user data (INF1).
    one info: Info = whole;
    /// Returns the bones (SKL1).
    one skeleton: Skeleton = counted;
    /// Returns the materials (MAT1).
    one materials: MaterialList = whole;
    /// Returns the embedded textures (TXTR).
    one textures: TextureList = counted;
    /// Returns the shaders (SHDR).
    one shaders: ShaderList = counted;
    /// Returns the bones and bounds of the morph animations (MAN1).
    one morph_collections: MorphCollections = morph::read;
    /// Returns the vertices of the morph animations (MMD1).
    one morph_meshes: MorphMeshes = counted;
    /// Returns the bodies, geoms and joints (PHS1).
    one physics: Physics = whole;
    /// Returns the picture of the model (IMG1).
    one screenshot: Screenshot = whole;
    /// Returns the skeletal animations (ANM1).
    all animations: Animation = counted;
    /// Returns the meshes (MSH1).
    all meshes: Mesh = mesh::read;
    /// Returns the light schemes (LIG1).
    all light_schemes: LightScheme = whole;
    /// Returns the sets of proxies (PXI1).
    all proxy_sets: ProxySet = proxy::read;
    /// Returns the sets of colliders (COL1).
    all collider_sets: ColliderSet = counted;
}
