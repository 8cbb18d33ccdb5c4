//! The kinds of chunks, and how to read each.

use super::chunk::{LodModel, Node, View, counted, counted_either, first_or_as_described, whole};
use super::embedded::{Info, Screenshot, ShaderList, TextureList};
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
    ($(#[doc = $doc:literal] $form:ident $name:ident: $kind:ident $list:literal $parent:literal $tag:literal = $read:expr;)*) => {
        /// The kind of a chunk, determined by its tag and its parent.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Kind {
            /// A model: LOD1.
            Part,
            $(#[doc = concat!("Contains", $doc)] $kind,)*
            /// Contains only chunks: ANS1, MAL1, TXTL, SHDL, MSL1, LGS1, PXL1 or CLL1 in a LOD1.
            List,
            /// A chunk that the format does not define, or not in this place. It is skipped.
            Unknown,
        }

        impl Kind {
            pub(super) const COUNT: usize = Self::DATA.len().saturating_add(3);

            /// All kinds that contain data.
            pub(crate) const DATA: &[Self] = &[$(Self::$kind),*];

            /// Returns the plural name of the kind, as used in outlines and errors.
            pub const fn name(self) -> &'static str {
                match self {
                    Self::Part => "models",
                    $(Self::$kind => $list,)*
                    Self::List => "lists",
                    Self::Unknown => "unknown_chunks",
                }
            }

            /// The tags of the parent and of the chunk itself, for each kind that contains data.
            pub(super) const TAGS: &[(&[u8; 4], &[u8; 4], Self)] = &[$(($parent, $tag, Self::$kind)),*];
        }

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

// Each text completes sentences such as "Contains" and "Returns".
kinds! {
    /// the user data, normally text (INF1).
    one info: Info "infos" b"LOD1" b"INF1" = whole;
    /// the bones (SKL1).
    one skeleton: Skeleton "skeletons" b"LOD1" b"SKL1" = counted;
    /// a skeletal animation (ANM1).
    all animations: Animation "animations" b"ANS1" b"ANM1" = counted;
    /// the materials (MAT1).
    one materials: MaterialList "material_lists" b"MAL1" b"MAT1" = whole;
    /// the embedded textures (TXTR).
    one textures: TextureList "texture_lists" b"TXTL" b"TXTR" = counted;
    /// the shaders (SHDR).
    one shaders: ShaderList "shader_lists" b"SHDL" b"SHDR" = counted;
    /// a mesh (MSH1).
    all meshes: Mesh "meshes" b"MSL1" b"MSH1" = mesh::read;
    /// the bones and bounds of the morph animations (MAN1).
    one morph_collections: MorphCollections "morph_collection_lists" b"LOD1" b"MAN1" = counted_either;
    /// the vertices of the morph animations (MMD1).
    one morph_meshes: MorphMeshes "morph_mesh_lists" b"LOD1" b"MMD1" = counted;
    /// the bodies, geoms and joints (PHS1).
    one physics: Physics "physics" b"LOD1" b"PHS1" = whole;
    /// a scheme of eight lights (LIG1).
    all light_schemes: LightScheme "light_schemes" b"LGS1" b"LIG1" = whole;
    /// a set of proxies, which are additional instances of meshes (PXI1).
    all proxy_sets: ProxySet "proxy_sets" b"PXL1" b"PXI1" = first_or_as_described;
    /// a set of colliders, which are shapes attached to bones (COL1).
    all collider_sets: ColliderSet "collider_sets" b"CLL1" b"COL1" = counted;
    /// the picture of the model (IMG1).
    one screenshot: Screenshot "screenshots" b"LOD1" b"IMG1" = whole;
}
