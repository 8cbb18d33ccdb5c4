//! The kinds of chunks.

/// The kind of a chunk, determined by its tag and its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub(crate) enum Kind {
    /// A model: LOD1.
    Part,
    /// Contains the user data, normally text (INF1).
    Info,
    /// Contains the bones (SKL1).
    Skeleton,
    /// Contains a skeletal animation (ANM1).
    Animation,
    /// Contains the materials (MAT1).
    MaterialList,
    /// Contains the embedded textures (TXTR).
    TextureList,
    /// Contains the shaders (SHDR).
    ShaderList,
    /// Contains a mesh (MSH1).
    Mesh,
    /// Contains the bones and bounds of the morph animations (MAN1).
    MorphCollections,
    /// Contains the vertices of the morph animations (MMD1).
    MorphMeshes,
    /// Contains the bodies, geoms and joints (PHS1).
    Physics,
    /// Contains a scheme of eight lights (LIG1).
    LightScheme,
    /// Contains a set of proxies, which are additional instances of meshes (PXI1).
    ProxySet,
    /// Contains a set of colliders, which are shapes attached to bones (COL1).
    ColliderSet,
    /// Contains the picture of the model (IMG1).
    Screenshot,
    /// Contains only chunks: ANS1, MAL1, TXTL, SHDL, MSL1, LGS1, PXL1 or CLL1 in a LOD1.
    List,
    /// A chunk that the format does not define, or not in this place. It is skipped.
    Unknown,
}

impl Kind {
    pub(super) const COUNT: usize = Self::Unknown as usize + 1;

    /// The tags of the parent and of the chunk itself, for each kind that contains data.
    pub(super) const TAGS: &[(&[u8; 4], &[u8; 4], Self)] = &[
        (b"LOD1", b"INF1", Self::Info),
        (b"LOD1", b"SKL1", Self::Skeleton),
        (b"ANS1", b"ANM1", Self::Animation),
        (b"MAL1", b"MAT1", Self::MaterialList),
        (b"TXTL", b"TXTR", Self::TextureList),
        (b"SHDL", b"SHDR", Self::ShaderList),
        (b"MSL1", b"MSH1", Self::Mesh),
        (b"LOD1", b"MAN1", Self::MorphCollections),
        (b"LOD1", b"MMD1", Self::MorphMeshes),
        (b"LOD1", b"PHS1", Self::Physics),
        (b"LGS1", b"LIG1", Self::LightScheme),
        (b"PXL1", b"PXI1", Self::ProxySet),
        (b"CLL1", b"COL1", Self::ColliderSet),
        (b"LOD1", b"IMG1", Self::Screenshot),
    ];

    /// Returns the plural name of the kind, as used in outlines and errors.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Part => "models",
            Self::Info => "infos",
            Self::Skeleton => "skeletons",
            Self::Animation => "animations",
            Self::MaterialList => "material_lists",
            Self::TextureList => "texture_lists",
            Self::ShaderList => "shader_lists",
            Self::Mesh => "meshes",
            Self::MorphCollections => "morph_collection_lists",
            Self::MorphMeshes => "morph_mesh_lists",
            Self::Physics => "physics",
            Self::LightScheme => "light_schemes",
            Self::ProxySet => "proxy_sets",
            Self::ColliderSet => "collider_sets",
            Self::Screenshot => "screenshots",
            Self::List => "lists",
            Self::Unknown => "unknown_chunks",
        }
    }
}

/// Each kind has its tags, but for the models, lists and unknown chunks.
const _: () = assert!(Kind::TAGS.len() + 3 == Kind::COUNT);
