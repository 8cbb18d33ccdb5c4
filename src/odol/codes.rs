//! Numbers that stand for something: spec sections 4, 5, 7 and 11. Unknown ones pass.

macro_rules! codes {
    ($($(#[$doc:meta])* $code:ident($raw:ty) { $($number:literal $name:literal),* $(,)? })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $code(pub $raw);

        impl $code {
            /// The game's own word for it, if there is one for this number.
            pub const fn name(self) -> Option<&'static str> {
                match self.0 {
                    $($number => Some($name),)*
                    _ => None,
                }
            }
        }

        impl From<$code> for i64 {
            fn from(code: $code) -> Self {
                code.0.into()
            }
        }
    )*};
}

codes! {
    /// What the coordinates of a texture stage are made of.
    UvSource(u32) {
        0 "None", 1 "Tex", 2 "TexWaterAnim", 3 "Pos", 4 "Norm", 5 "Tex1", 6 "WorldPos", 7 "WorldNorm", 8 "TexShoreAnim",
    }

    /// How a texture is sampled.
    Filter(u32) { 0 "Point", 1 "Linear", 2 "Trilinear", 3 "Anisotropic" }

    /// How fog acts on a material.
    FogMode(u32) { 0 "None", 1 "Fog", 2 "Alpha", 3 "FogAlpha" }

    /// Which light a material answers to.
    MainLight(u32) {
        0 "None", 1 "Sun", 2 "Sky", 3 "Horizon", 4 "Stars", 5 "SunObject", 6 "SunHaloObject", 7 "MoonObject",
        8 "MoonHaloObject",
    }

    /// Which program draws a material's pixels.
    PixelShader(u32) {
        0 "Normal", 1 "NormalDXTA", 2 "NormalMap", 3 "NormalMapThrough", 4 "NormalMapSpecularDIMap",
        5 "NormalMapDiffuse", 6 "Detail", 8 "Water", 10 "White", 12 "AlphaShadow", 13 "AlphaNoShadow",
        15 "DetailMacroAS", 18 "NormalMapSpecularMap", 19 "NormalMapDetailSpecularMap",
        20 "NormalMapMacroASSpecularMap", 21 "NormalMapDetailMacroASSpecularMap", 22 "NormalMapSpecularDIMap",
        23 "NormalMapDetailSpecularDIMap", 24 "NormalMapMacroASSpecularDIMap",
        25 "NormalMapDetailMacroASSpecularDIMap", 56 "Glass", 58 "NormalMapSpecularThrough", 59 "Grass",
        60 "NormalMapThroughSimple", 102 "Super", 103 "Multi", 107 "Tree", 110 "Skin", 111 "CalmWater", 114 "TreeAdv",
        116 "TreeAdvTrunk",
    }

    /// Which program places a material's vertices.
    VertexShader(u32) {
        0 "Basic", 1 "NormalMap", 2 "NormalMapDiffuse", 3 "Grass", 8 "Water", 11 "NormalMapThrough", 14 "BasicAS",
        15 "NormalMapAS", 17 "Glass", 18 "NormalMapSpecularThrough", 19 "NormalMapThroughNoFade",
        20 "NormalMapSpecularThroughNoFade", 23 "Super", 24 "Multi", 25 "Tree", 26 "TreeNoFade", 29 "Skin",
        30 "CalmWater", 31 "TreeAdv", 32 "TreeAdvTrunk",
    }

    /// How the map draws the object.
    MapType(u8) {
        0 "Tree", 1 "SmallTree", 2 "Bush", 3 "Building", 4 "House", 5 "ForestBorder", 6 "ForestTriangle",
        7 "ForestSquare", 8 "Church", 9 "Chapel", 10 "Cross", 11 "Rock", 12 "Bunker", 13 "Fortress", 14 "Fountain",
        15 "ViewTower", 16 "Lighthouse", 17 "Quay", 18 "FuelStation", 19 "Hospital", 20 "Fence", 21 "Wall", 22 "Hide",
        23 "BusStop", 24 "Road", 25 "Forest", 26 "Transmitter", 27 "Stack", 28 "Ruin", 29 "Tourism", 30 "WaterTower",
        31 "Track", 32 "MainRoad", 33 "Rocks", 34 "PowerLines", 35 "RailWay", 36 "None",
    }

    /// What the shadow buffer is drawn from.
    ShadowSource(i32) { 0 "Visual", 1 "ShadowVolume", 2 "Explicit", 3 "None", 4 "VisualEx" }

    /// What an animation does with its bone.
    AnimationKind(u32) {
        0 "rotation", 1 "rotationX", 2 "rotationY", 3 "rotationZ", 4 "translation", 5 "translationX", 6 "translationY",
        7 "translationZ", 8 "direct", 9 "hide",
    }

    /// What an animation makes of values outside its range.
    Addressing(u32) { 0 "clamp", 1 "loop", 2 "mirror" }
}
